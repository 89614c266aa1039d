//! Memory that a kernel must not write, or that is not mapped: code, kernarg, packet, queue, and the bytes after them.

use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_machine::{Access, MemoryFault};

use super::kernel::*;

/// Code that sets v[2:3] to s[12:13] + s14, and v1 to 5.
const ADDRESS: [u32; 5] = [
    0x800c_0e0c,
    0x820d_800d, // s_add_u32 s12, s12, s14; s_addc_u32 s13, s13, 0
    0x7e04_020c,
    0x7e06_020d, // v_mov_b32 v2, s12; v_mov_b32 v3, s13
    0x7e02_0285, // v_mov_b32 v1, 5
];

/// Returns code that sets s[12:13] to a pair and s14 to an offset, then computes the address and executes `inst`.
fn code(pair: u32, offset: u32, inst: &[u32]) -> Vec<u32> {
    [&[0xbe8c_0100 | pair, 0xbe8e_00ff, offset][..], &ADDRESS, inst, &[END]].concat()
}

/// global_load_dword v4, v[2:3], off; global_store_dword; global_atomic_add; s_store_dword s14, s[12:13], 0x0.
const LOAD: [u32; 2] = [0xdc50_8000, 0x047f_0002];
const STORE: [u32; 2] = [0xdc70_8000, 0x007f_0102];
const ADD: [u32; 2] = [0xdd08_8000, 0x007f_0102];
const ADD_X2: [u32; 2] = [0xdd88_8000, 0x007f_0102];
const S_STORE: [u32; 2] = [0xc042_0386, 0];
const S_LOAD: [u32; 2] = [0xc002_0406, 0];

#[test]
fn what_the_launch_made_is_read_only() {
    // The packet, the queue and kernarg, by the registers that hold their addresses.
    for (pair, offset, name) in
        [(0, 0, "packet"), (0, 60, "packet"), (2, 64, "queue"), (4, 0, "kernarg"), (4, 68, "kernarg")]
    {
        for inst in [LOAD, S_LOAD] {
            let result = everywhere(&object(&code(pair, offset, &inst), DESCRIPTOR), &grid(64, 64), 100);
            assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{name}");
        }
        for (inst, access) in [(STORE, Access::Store), (ADD, Access::Atomic), (S_STORE, Access::Store)] {
            let result = everywhere(&object(&code(pair, offset, &inst), DESCRIPTOR), &grid(64, 64), 100);
            let (address, near) = fault(&result);
            let Ok(Outcome::Fault(detail)) = result.run.outcome else { unreachable!() };
            let lane = if inst == S_STORE { None } else { Some(0) };
            assert_eq!(detail.memory, Some(MemoryFault { access, address, bytes: 4, lane }));
            assert_eq!(near, name);
        }
    }
}

#[test]
fn code_is_read_only() {
    let words = |inst: &[u32]| {
        let mut words = vec![0xbe8a_1c00]; // s_getpc_b64 s[10:11]
        words.extend(code(10, 0, inst));
        words
    };
    assert_eq!(everywhere(&object(&words(&LOAD), DESCRIPTOR), &grid(1, 1), 100).run.outcome, Ok(Outcome::Ended));
    for inst in [STORE, ADD, S_STORE] {
        let result = everywhere(&object(&words(&inst), DESCRIPTOR), &grid(1, 1), 100);
        assert_eq!(fault(&result).1, "code");
    }
}

/// 64 readable zero bytes follow kernarg, and nothing is mapped after them.
#[test]
fn kernarg_past_its_end() {
    let run = |offset: u32| {
        let spec = grid(1, 1).args([ArgValue::u64(u64::MAX)]);
        everywhere(&object(&code(4, offset, &S_LOAD), DESCRIPTOR), &spec, 100)
    };
    for offset in [8, 68] {
        assert_eq!(run(offset).run.outcome, Ok(Outcome::Ended));
    }
    for offset in [72, 0x8000, 0xffff] {
        let result = run(offset);
        assert_eq!(fault(&result), (result.placed.addresses.kernarg + u64::from(offset & !3), "kernarg".to_owned()));
    }
    // s_load_dwordx16 s[16:31], s[4:5]: at offset 0xc its last four bytes are past the end.
    for (offset, is_inside) in [(8, true), (12, false)] {
        let words = [0xc012_0402, offset, END];
        let result = everywhere(&object(&words, DESCRIPTOR), &grid(1, 1).args([ArgValue::u64(1)]), 100);
        assert_eq!(result.run.outcome == Ok(Outcome::Ended), is_inside, "{offset}");
    }
}

/// A segment of the object may begin at any byte. Addresses that are aligned for the guest work there as elsewhere.
#[test]
fn data_at_odd_dwords() {
    // s_getpc_b64 s[10:11] returns the address of the next instruction.
    let words = |at: u64, inst: &[u32]| {
        let mut words = vec![0xbe8a_1c00];
        words.extend(code(10, (at - 0x1004) as u32, inst));
        words
    };
    for (at, inst, bytes) in [(DATA, ADD, 4), (DATA + 4, ADD_X2, 8), (DATA + 52, ADD_X2, 8), (DATA + 56, ADD, 4)] {
        let result = everywhere(&object(&words(at, &inst), DESCRIPTOR), &grid(64, 64), 100);
        assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{bytes} bytes at {at:#x}");
    }
    for (at, inst, bytes) in [
        (DATA - 4, ADD, 4),
        (DATA + 1, ADD, 4),
        (DATA, ADD_X2, 8),
        (DATA + 48, ADD_X2, 8),
        (DATA + 57, ADD, 4),
        (DATA + 60, ADD, 4),
        (DATA + 60, ADD_X2, 8),
    ] {
        let result = everywhere(&object(&words(at, &inst), DESCRIPTOR), &grid(64, 64), 100);
        assert_eq!(fault(&result), (result.placed.addresses.image + at, "data".to_owned()), "{bytes} bytes at {at:#x}");
    }
}

/// A buffer of one byte has exactly one. At least 64 KiB before and after it are unmapped.
#[test]
fn buffers_have_nothing_around_them() {
    // s_load_dwordx2 s[10:11], s[4:5], 0x0; global_load_ubyte v4, v[2:3], off
    let words = |offset: u32| {
        let mut words = vec![0xc006_0282, 0, WAIT];
        words.extend(code(10, offset, &[0xdc40_8000, 0x047f_0002]));
        // s_addc_u32 s13, s13, -1 where the offset is negative.
        if offset >> 31 == 1 {
            words[7] = 0x820d_c10d;
        }
        words
    };
    let spec = || grid(1, 1).args([ArgValue::buffer("b")]).buffer("a", vec![1]).buffer("b", vec![1]);
    let spec = || spec().buffer("c", vec![1]);
    let run = |offset: i32| everywhere(&object(&words(offset as u32), DESCRIPTOR), &spec(), 100);
    assert_eq!(run(0).run.outcome, Ok(Outcome::Ended));
    for offset in [1, 255, 0xffff, -1, -256, -0xffff] {
        let result = run(offset);
        let base = result.placed.buffer_at("b").unwrap().0;
        assert_eq!(fault(&result).0, base.wrapping_add_signed(offset.into()), "{offset}");
    }
}

/// A wave reaches its own scratch only, which is as large as the granule of allocation makes it. The scratch of other
/// waves is not mapped.
#[test]
fn scratch_is_that_of_the_wave() {
    let words = |offset: u32| {
        #[rustfmt::skip]
        let mut words = vec![
            0x8066_0906, 0x8267_8007, // s_add_u32 flat_scratch_lo, s6, s9; s_addc_u32 flat_scratch_hi, s7, 0
            0x7e02_0285, 0x7e04_02ff, offset, // v_mov_b32 v1, 5; v_mov_b32 v2, offset
        ];
        // scratch_store_dword v2, v1, off; scratch_load_dword v3, v2, off
        words.extend([0xdc70_4000, 0x007f_0102, 0xdc50_4000, 0x037f_0002, END]);
        words
    };
    let run = |offset: u32| everywhere(&object(&words(offset), DESCRIPTOR), &grid(256, 256), 100);
    // A wave's scratch is a multiple of 1024 bytes, so each lane has 16 bytes, not the 4 of the descriptor.
    assert_eq!(run(12).run.outcome, Ok(Outcome::Ended));
    for offset in [16, 32, 0x1000, 0x7fff_fffc, 0x8000_0000, 0xffff_fffc] {
        let result = run(offset);
        let scratch = result.placed.addresses.scratch;
        assert_eq!(fault(&result), (scratch + 64 * u64::from(offset), "scratch".to_owned()), "{offset:#x}");
    }
}
