//! What is reached, and where computed jumps lead. Words are those of llvm-mc 14 for gfx900.

use gcnsim_flow::{Blocks, Flow, Search, Through};
use gcnsim_isa::{Arch, Program};

const END: u32 = 0xbf81_0000;
const NOP: u32 = 0xbf80_0000;
/// s_setpc_b64 s[30:31].
const RETURN: u32 = 0xbe80_1d1e;

fn flow(words: &[u32]) -> Flow {
    Flow::of(&Program::from_words(Arch::Gcn14, words), Through::CALLS, usize::MAX)
}

/// Indices of the dwords that are reached.
fn reached(words: &[u32]) -> Vec<u32> {
    flow(words).sites.iter().map(|site| site.number).collect()
}

/// A kernel that calls `g` twice by an address in s[4:5]; `g` keeps its return address in lanes of v40 and calls `f` in
/// a loop; `f` returns.
const NESTED: [u32; 24] = [
    0xbe84_1c00, // 0x00 s_getpc_b64 s[4:5]
    0x8004_ff04, // 0x04 s_add_u32 s4, s4, 24
    0x0000_0018,
    0x8205_8005, // 0x0c s_addc_u32 s5, s5, 0
    0xbe9e_1e04, // 0x10 s_swappc_b64 s[30:31], s[4:5]
    0xbe9e_1e04, // 0x14 s_swappc_b64 s[30:31], s[4:5]
    END,         // 0x18
    0xd28a_0028, // 0x1c g: v_writelane_b32 v40, s30, 0
    0x0001_001e,
    0xd28a_0028, // 0x24 v_writelane_b32 v40, s31, 1
    0x0001_021f,
    0xbe86_1c00, // 0x2c s_getpc_b64 s[6:7]
    0x8006_ff06, // 0x30 s_add_u32 s6, s6, 40
    0x0000_0028,
    0x8207_8007, // 0x38 s_addc_u32 s7, s7, 0
    0xbe9e_1e06, // 0x3c s_swappc_b64 s[30:31], s[6:7]
    0xbf85_fffe, // 0x40 s_cbranch_scc1 to 0x3c
    0xd289_001e, // 0x44 v_readlane_b32 s30, v40, 0
    0x0001_0128,
    0xd289_001f, // 0x4c v_readlane_b32 s31, v40, 1
    0x0001_0328,
    RETURN,      // 0x54
    0x7e00_0301, // 0x58 f: v_mov_b32 v0, v1
    RETURN,      // 0x5c
];

#[test]
fn nested_calls_are_followed_and_come_back() {
    let flow = flow(&NESTED);
    assert!(flow.is_complete(), "{flow:x?}");
    assert_eq!((flow.open, flow.returns), (vec![], vec![0x54]));
    assert_eq!(flow.sites.len(), 18);
    let flow = self::flow(&NESTED);
    let calls: Vec<_> = flow.calls().map(|call| (call.address, call.callee, call.return_to)).collect();
    assert_eq!(calls, [(0x10, Some(0x1c), 0x14), (0x14, Some(0x1c), 0x18), (0x3c, Some(0x58), 0x40)]);
}

/// `f` is changed: an instruction that `g` does not survive instead of v_mov_b32 v0, v1.
#[test]
fn what_may_change_an_address_opens_the_jump() {
    let with = |word: u32| {
        let mut words = NESTED;
        words[22] = word;
        flow(&words)
    };
    // v_mov_b32 v40, v1; s_setvskip s0, 0; s_set_gpr_idx_on s0, 1
    for word in [0x7e50_0301, 0xbf10_8000, 0xbf11_0100] {
        let flow = with(word);
        assert!(flow.open.contains(&0x54) && !flow.is_complete(), "{word:x} {:x?}", flow.open);
    }
    // s_mov_b32 s6, s0; s_mov_b32 s31, s0
    assert!(with(0xbe86_0000).open.contains(&0x3c));
    assert!(with(0xbe9f_0000).open.contains(&0x5c));
}

/// s_getpc_b64 s[0:1]; s_cbranch_scc1 +1; s_add_u32 s0, s0, 8; s_setpc_b64 s[0:1]; s_endpgm
#[test]
fn paths_must_agree() {
    let words = [0xbe80_1c00, 0xbf85_0001, 0x8000_8800, 0xbe80_1d00, END];
    assert_eq!(flow(&words).open, [12]);
    // Both paths leave 12: s_add_u32 s0, s0, 8 before the branch; s_nop on one path.
    let words = [0xbe80_1c00, 0x8000_8c00, 0xbf85_0001, NOP, 0xbe80_1d00, NOP];
    let flow = flow(&words);
    assert!(flow.open.is_empty());
    assert_eq!(flow.target(&flow.sites[4]), Some(16), "itself");
}

/// A return address that one path changes: s_call_b64 s[30:31] to f; s_endpgm; s_nop; f: s_cbranch_scc1 +1;
/// s_mov_b32 s30, s0; s_setpc_b64 s[30:31].
#[test]
fn returns_are_proved_too() {
    let words = [0xba9e_0002, END, NOP, 0xbf85_0001, 0xbe9e_0000, RETURN];
    assert_eq!(flow(&words).open, [20]);
    let words = [0xba9e_0002, END, NOP, 0xbf85_0001, 0xbe9e_001e, RETURN];
    assert!(flow(&words).is_complete());
    assert_eq!(reached(&words), [0, 1, 3, 4, 5]);
}

#[test]
fn blocks_have_their_successors() {
    // s_cbranch_scc1 to the end; s_nop; s_branch to the start; s_endpgm
    let words = [0xbf85_0002, NOP, 0xbf82_fffd, END];
    let flow = flow(&words);
    let blocks = Blocks::new(&flow, 0);
    let shown: Vec<_> = blocks.all.iter().map(|b| (b.first, b.end, b.next, b.jump)).collect();
    assert_eq!(shown, [(0, 1, Some(1), Some(2)), (1, 3, None, Some(0)), (3, 4, None, None)]);
    assert_eq!(blocks.order, [0, 1, 2]);
}

/// A chain of calls that is deeper than what is followed, and code in which each jump changes what is known.
#[test]
fn hostile_code_is_given_up() {
    // s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 12; s_addc_u32 s5, s5, 0; s_setpc_b64 s[4:5], again and again
    let link = [0xbe84_1c00, 0x8004_8c04, 0x8205_8005, 0xbe80_1d04];
    let short = [&link.repeat(20)[..], &[END]].concat();
    assert!(flow(&short).is_complete());
    let long = [&link.repeat(5000)[..], &[END]].concat();
    assert!(!flow(&long).is_complete());
    // Many calls from one place to the next, all to one function, which returns.
    let calls = 20_000u32;
    let call = |i: u32| 0xba9e_0000 | (calls - i).min(0x7fff);
    let mut words: Vec<u32> = (0..calls).map(call).collect();
    words.extend([END, RETURN]);
    let flow = flow(&words);
    assert!(flow.is_complete(), "{:?}", flow.open);
    assert_eq!(flow.sites.len(), calls as usize + 2);
}

#[test]
fn a_search_is_cut_and_can_be_used_again() {
    let program = Program::from_words(Arch::Gcn14, &[NOP, NOP, NOP, END]);
    let mut search = Search::default();
    search.begin(&program, Through::NOTHING, 2);
    search.follow(&program, 0);
    assert!(search.finish().is_cut);
    search.begin(&program, Through::NOTHING, 100);
    search.follow(&program, 4);
    let flow = search.finish();
    assert_eq!((flow.sites.len(), flow.is_cut, flow.falls.len()), (3, false, 0));
}

#[test]
fn where_code_is_left() {
    // s_cbranch_scc1 out; a dword that is no instruction; behind a halt; behind the end of the code
    let program = Program::from_words(Arch::Gcn14, &[0xbf85_7000, 0xbeff_ffff]);
    let flow = Flow::of(&program, Through::NOTHING, 10);
    assert_eq!((flow.strays, flow.illegal), (vec![(0, 4 + 4 * 0x7000)], vec![4]));
    assert_eq!(self::flow(&[NOP]).falls, [0]);
    // s_sethalt 1
    assert_eq!(reached(&[0xbf8d_0001, END]), [0]);
    let program = Program::from_words(Arch::Gcn14, &[0xbf8d_0001, END]);
    assert_eq!(Flow::of(&program, Through::STOPS, 10).sites.len(), 2);
}
