//! A submission of PM4 to the render node: it writes, fills, copies, runs a kernel, and signals.

use gcnsim_driver::settings::chip;
use gcnsim_driver::{Errno, Gpu, MOST_ARGUMENTS, OwnMemory, Program, Settings};

/// This test as the program.
struct This(OwnMemory);

impl Program for This {
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.0.read(address, bytes)
    }

    fn write(&self, address: u64, bytes: &[u8]) -> bool {
        self.0.write(address, bytes)
    }

    fn say(&self, _: &str) {}
}

const VA: u64 = 0x10_0000;
const SIZE: u64 = 0x1_0000;
/// Places in the buffer.
const CODE: u64 = VA + 0x1000;
const RESULT: u64 = VA + 0x2000;
const PACKETS: u64 = VA + 0x3000;
/// Where the buffer is mapped, too: in the upper half, where RADV has its code on GCN 1.4.
const HIGH: u64 = 0xffff_8000_0000_0000;
/// v_mov_b32 v0, s0; v_mov_b32 v1, s1; v_mov_b32 v2, 42; global_store_dword v[0:1], v2, off; s_waitcnt; s_endpgm
const STORE: &[u32] = &[0x7e00_0200, 0x7e02_0201, 0x7e04_02aa, 0xdc70_8000, 0x007f_0200, 0xbf8c_0f70, 0xbf81_0000];
/// Offset of the user fence.
const FENCE: u64 = 0x4000;

/// v_mov_b32 v0, s0; v_mov_b32 v1, s1; v_mov_b32 v2, 1; global_atomic_add v[0:1], v2, off; s_waitcnt; s_endpgm
const COUNT: &[u32] = &[0x7e00_0200, 0x7e02_0201, 0x7e04_0281, 0xdd08_8000, 0x007f_0200, 0xbf8c_0f70, 0xbf81_0000];

fn gpu() -> Gpu {
    gpu_of("vega10")
}

fn gpu_of(name: &str) -> Gpu {
    Gpu::new(chip(Some(name)).unwrap(), Settings::default(), Box::new(This(OwnMemory::new().unwrap()))).unwrap()
}

fn ask(gpu: &Gpu, number: u8, fields: &[(usize, u64, usize)]) -> Result<[u8; MOST_ARGUMENTS], Errno> {
    let mut args = [0; MOST_ARGUMENTS];
    for &(at, value, len) in fields {
        args[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
    }
    gpu.drm(number, &mut args).map(|()| args)
}

fn u32_of(args: &[u8], at: usize) -> u64 {
    u32::from_le_bytes(*args[at..].first_chunk().unwrap()).into()
}

/// The program's memory of a buffer is the file; the test writes it by `pwrite`.
fn put(gpu: &Gpu, offset: u64, at: u64, words: &[u32]) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::OpenOptions::new().write(true).open(format!("/proc/self/fd/{}", gpu.memory_fd())).unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    file.write_all_at(&bytes, offset + at - VA).unwrap();
}

fn get(gpu: &Gpu, offset: u64, at: u64) -> u32 {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::open(format!("/proc/self/fd/{}", gpu.memory_fd())).unwrap();
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, offset + at - VA).unwrap();
    u32::from_le_bytes(bytes)
}

/// A packet of type 3.
fn packet(op: u32, body: &[u32]) -> Vec<u32> {
    [&[3 << 30 | (body.len() as u32 - 1) << 16 | op << 8], body].concat()
}

/// A packet of type 3 that depends on the predicate.
fn predicated(op: u32, body: &[u32]) -> Vec<u32> {
    let mut packet = packet(op, body);
    packet[0] |= 1;
    packet
}

/// SET_SH_REG: groups of one thread, code, RSRC1 and RSRC2 (two user SGPRs), and an address as user data.
fn registers(address: u64) -> Vec<u32> {
    let threads = packet(0x76, &[0x207, 1, 1, 1]);
    let code = packet(0x76, &[0x20c, (CODE >> 8) as u32, 0]);
    let resources = packet(0x76, &[0x212, 0x000c_0000, 2 << 1]);
    [threads, code, resources, packet(0x76, &[0x240, address as u32, 0])].concat()
}

/// Submits packets, for which there is code. Returns the answer, with the handle of the buffer, its offset, and the
/// object that is signalled.
fn submit(gpu: &Gpu, code: &[u32], packets: &[u32]) -> (Result<(), Errno>, u64, u64) {
    let created = ask(gpu, 0x40, &[(0, SIZE, 8), (16, 4, 8)]).unwrap();
    let handle = u32_of(&created, 0);
    let offset = u64::from_le_bytes(*ask(gpu, 0x41, &[(0, handle, 4)]).unwrap().first_chunk().unwrap());
    ask(gpu, 0x48, &[(0, handle, 4), (8, 1, 4), (16, VA, 8), (32, SIZE, 8)]).unwrap();
    let sync = u32_of(&ask(gpu, 0xbf, &[]).unwrap(), 0);
    ask(gpu, 0x48, &[(0, handle, 4), (8, 1, 4), (16, HIGH + VA, 8), (32, SIZE, 8)]).unwrap();
    put(gpu, offset, CODE, code);
    put(gpu, offset, PACKETS, packets);
    let ib = [0, 0, PACKETS as u32, 0, 4 * packets.len() as u32, 1, 0, 0];
    let fence = [handle as u32, FENCE as u32];
    let signal = [sync as u32];
    let chunk = |kind: u64, words: &[u32]| [kind | (words.len() as u64) << 32, words.as_ptr() as u64];
    let chunks = [chunk(1, &ib), chunk(2, &fence), chunk(5, &signal)];
    let list: Vec<u64> = chunks.iter().map(|chunk| chunk.as_ptr() as u64).collect();
    let done = ask(gpu, 0x44, &[(8, 3, 4), (16, list.as_ptr() as u64, 8)]).map(|_| ());
    let handles = [sync as u32];
    let is_signalled = ask(gpu, 0xc3, &[(0, handles.as_ptr() as u64, 8), (16, 1, 4)]).is_ok();
    assert!(is_signalled, "whatever became of the submission");
    (done, handle, offset)
}

#[test]
fn a_submission_writes_copies_and_runs() {
    let gpu = gpu();
    let mut packets = Vec::new();
    // WRITE_DATA of two dwords to memory.
    packets.extend(packet(0x37, &[5 << 8, RESULT as u32, 0, 0x1234, 0x5678]));
    // DMA_DATA: a fill of 16 bytes, and a copy of 4.
    packets.extend(packet(0x50, &[2 << 29, 0xabcd, 0, RESULT as u32 + 16, 0, 16]));
    packets.extend(packet(0x50, &[0, RESULT as u32, 0, RESULT as u32 + 40, 0, 4]));
    packets.extend(registers(RESULT + 48));
    packets.extend(packet(0x15, &[1, 1, 1, 1 | 1 << 2]));
    let (done, handle, offset) = submit(&gpu, STORE, &packets);
    assert_eq!(done, Ok(()));
    let result = [0, 4, 16, 28, 32, 40, 48].map(|at| get(&gpu, offset, RESULT + at));
    assert_eq!(result, [0x1234, 0x5678, 0xabcd, 0xabcd, 0, 0x1234, 42]);
    assert_eq!(get(&gpu, offset, VA + FENCE), 1, "the first submission");
    assert_eq!((gpu.summary().dispatches, gpu.summary().instructions), (1, 6));
    // The first half is unmapped; the second one stays.
    ask(&gpu, 0x48, &[(8, 3, 4), (16, VA, 8), (32, SIZE / 2, 8)]).unwrap();
    assert_eq!(ask(&gpu, 0x09, &[(0, handle, 4)]).map(|_| ()), Ok(()));
}

/// RADV makes a V# of what S_GETPC gives, so its bits from 48 on must be 0 (docs/gcn/control-flow.md).
#[test]
fn the_pc_of_code_in_the_upper_half_has_48_bits() {
    let gpu = gpu();
    // s_getpc_b64 s[2:3]; v_mov_b32 v0, s0; v_mov_b32 v1, s1; v_mov_b32 v2, s2; v_mov_b32 v3, s3;
    // global_store_dwordx2 v[0:1], v[2:3], off; s_waitcnt; s_endpgm
    let code = [
        0xbe82_1c00,
        0x7e00_0200,
        0x7e02_0201,
        0x7e04_0202,
        0x7e06_0203,
        0xdc74_8000,
        0x007f_0200,
        0xbf8c_0f70,
        0xbf81_0000,
    ];
    let at = (HIGH + CODE) >> 8;
    let mut packets = packet(0x76, &[0x207, 1, 1, 1]);
    packets.extend(packet(0x76, &[0x20c, at as u32, (at >> 32) as u32 & 0xff]));
    packets.extend(packet(0x76, &[0x212, 0x000c_0000, 2 << 1]));
    packets.extend(packet(0x76, &[0x240, RESULT as u32, 0]));
    packets.extend(packet(0x15, &[1, 1, 1, 1 | 1 << 2]));
    let (done, _, offset) = submit(&gpu, &code, &packets);
    assert_eq!(done, Ok(()));
    assert_eq!([0, 4].map(|at| get(&gpu, offset, RESULT + at)), [CODE as u32 + 4, 0x8000]);
}

#[test]
fn packets_change_memory_and_depend_on_it() {
    let gpu = gpu();
    let at = |place: u64| (RESULT + place) as u32;
    let mut packets = Vec::new();
    // WRITE_DATA: 7, 0, 100, 0, 1, 0.
    packets.extend(packet(0x37, &[5 << 8, at(0), 0, 7, 0, 100, 0, 1, 0]));
    // ATOMIC_MEM: 32 bits less 2; 64 bits plus 2^32; a swap in a loop for 1, and one for what is not there.
    packets.extend(packet(0x1e, &[0x10, at(0), 0, 2, 0, 0, 0, 0]));
    packets.extend(packet(0x1e, &[0x6f, at(8), 0, 0, 1, 0, 0, 0]));
    packets.extend(packet(0x1e, &[0x48 | 1 << 8, at(16), 0, 9, 0, 1, 0, 0]));
    packets.extend(packet(0x1e, &[0x48, at(0), 0, 77, 0, 6, 0, 0]));
    // EVENT_WRITE_EOS of a dword.
    packets.extend(packet(0x48, &[0x528, at(24), 2 << 29, 0xcafe]));
    // COND_EXEC of the next five dwords, for what is 0, and for what is not.
    for (condition, place) in [(4, 28), (24, 32)] {
        packets.extend(packet(0x22, &[at(condition), 0, 0, 5]));
        packets.extend(packet(0x37, &[5 << 8, at(place), 0, 0xbeef]));
    }
    let (done, _, offset) = submit(&gpu, &[], &packets);
    assert_eq!(done, Ok(()));
    let result = [0, 4, 8, 12, 16, 20, 24, 28, 32].map(|place| get(&gpu, offset, RESULT + place));
    assert_eq!(result, [5, 0, 100, 1, 9, 0, 0xcafe, 0, 0xbeef]);
}

/// Mesa's `radv_emit_set_predication_state`: the address is in front of what is asked on gfx6 to gfx8, and behind it on
/// gfx9.
#[test]
fn packets_depend_on_a_number_in_memory() {
    const WIDE: u32 = 3 << 16;
    const NARROW: u32 = 4 << 16;
    const IF_TRUE: u32 = 1 << 8;
    for name in ["vega10", "polaris10", "tahiti"] {
        let gpu = gpu_of(name);
        let at = |place: u64| (RESULT + place) as u32;
        let predication = |place: u64, how: u32| match name {
            "vega10" => packet(0x20, &[how, at(place), 0]),
            _ => packet(0x20, &[at(place), how]),
        };
        // WRITE_DATA: 64 bits of which only the upper half is not 0, and 0.
        let mut packets = packet(0x37, &[5 << 8, at(0), 0, 0, 1, 0, 0]);
        let asked =
            [(0, WIDE), (0, WIDE | IF_TRUE), (0, NARROW), (0, NARROW | IF_TRUE), (8, WIDE), (8, WIDE | IF_TRUE)];
        for (place, (number, how)) in (0..).zip(asked) {
            packets.extend(predication(number, how));
            packets.extend(predicated(0x37, &[5 << 8, at(16 + 8 * place), 0, 7]));
            packets.extend(packet(0x37, &[5 << 8, at(20 + 8 * place), 0, 8]));
        }
        // It ends.
        packets.extend(predication(8, WIDE | IF_TRUE));
        packets.extend(predication(0, 0));
        packets.extend(predicated(0x37, &[5 << 8, at(64), 0, 9]));
        let (done, _, offset) = submit(&gpu, &[], &packets);
        assert_eq!(done, Ok(()), "{name}");
        let result = [16, 24, 32, 40, 48, 56, 64].map(|place| get(&gpu, offset, RESULT + place));
        assert_eq!(result, [0, 7, 7, 0, 7, 0, 9], "{name}");
        assert_eq!(
            [20, 60].map(|place| get(&gpu, offset, RESULT + place)),
            [8, 8],
            "{name}: others do not depend on it"
        );
    }
}

#[test]
fn dispatches_take_their_size_from_memory() {
    /// Shader enabled, groups from 0 on.
    const INITIATOR: u32 = 1 | 1 << 2;
    let gpu = gpu();
    let at = |place: u64| (RESULT + place) as u32;
    // WRITE_DATA: 2 x 3 x 5 groups, and 7 x 1 x 0.
    let mut packets = packet(0x37, &[5 << 8, at(0), 0, 2, 3, 5, 7, 1, 0]);
    // By an address, as queues for compute have it: all, and none.
    packets.extend([registers(RESULT + 32), packet(0x16, &[at(0), 0, INITIATOR])].concat());
    packets.extend([registers(RESULT + 36), packet(0x16, &[at(12), 0, INITIATOR])].concat());
    // By an offset from a base (SET_BASE), as queues for graphics have it: from 3 on.
    packets.extend([registers(RESULT + 40), packet(0x11, &[1, at(0), 0]), packet(0x16, &[4, INITIATOR])].concat());
    // If a number is 0 that is not.
    packets.extend([packet(0x20, &[4 << 16, at(0), 0]), predicated(0x16, &[at(0), 0, INITIATOR])].concat());
    let (done, _, offset) = submit(&gpu, COUNT, &packets);
    assert_eq!(done, Ok(()));
    assert_eq!([32, 36, 40].map(|place| get(&gpu, offset, RESULT + place)), [30, 0, 3 * 5 * 7]);
    assert_eq!((gpu.summary().dispatches, gpu.summary().waves), (2, 30 + 105));
}

#[test]
fn a_loss_is_one_of_a_context() {
    let gpu = gpu();
    let (done, _, _) = submit(&gpu, &[], &packet(0x99, &[0]));
    assert_eq!(done, Err(Errno(libc::ECANCELED)));
    // The context is guilty; another one is not.
    let states = [0, 1].map(|context| ask(&gpu, 0x42, &[(0, 4, 4), (8, context, 4)]).unwrap()[0]);
    assert_eq!(states, [0b101, 0]);
    assert_eq!(ask(&gpu, 0x44, &[(0, 0, 4)]).map(|_| ()), Err(Errno(libc::ECANCELED)));
    assert_eq!(ask(&gpu, 0x44, &[(0, 1, 4)]).map(|_| ()), Ok(()));
}

#[test]
fn what_cannot_be_done_loses_the_device() {
    // A packet that nobody knows; a wait and a swap that never end; a write to where nothing is.
    let wait = packet(0x3c, &[3 | 1 << 4, RESULT as u32, 0, 1, u32::MAX, 0]);
    let swap = packet(0x1e, &[0x48 | 1 << 8, RESULT as u32, 0, 1, 0, 5, 0, 0]);
    for packets in [packet(0x99, &[0]), wait, swap, packet(0x37, &[5 << 8, 0x9000_0000, 0, 1])] {
        let gpu = gpu();
        let (done, _, _) = submit(&gpu, STORE, &packets);
        assert_eq!((done, gpu.summary().faults.len()), (Err(Errno(libc::ECANCELED)), 1));
    }
}
