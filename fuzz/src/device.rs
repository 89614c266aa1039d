//! What a program may ask a device for: any ioctls of `/dev/kfd` and of the render node, any packets in a queue or a
//! submission, any bytes in its memory.

use std::sync::{Arc, Mutex, PoisonError};

use gcnsim_driver::settings::chip;
use gcnsim_driver::{Gpu, MOST_ARGUMENTS, Program, Settings};

use super::descriptor::CODE;

/// Guest address of the memory that each case begins with, and its size in bytes.
const MEMORY: u64 = 0x10_0000;
const SIZE: u64 = 0x1_0000;
/// Places in it.
const RING: u64 = MEMORY;
const OBJECT: u64 = MEMORY + 0x2000;
const DESCRIPTOR: u64 = MEMORY + 0x3000;
const KERNARG: u64 = MEMORY + 0x4000;
const SIGNAL: u64 = MEMORY + 0x5000;
/// Budget of a dispatch in instructions.
const BUDGET: u64 = 200;
/// Most steps of a case.
const MOST_STEPS: usize = 64;

/// Where packets of a submission lie, and where in the program's memory its chunks do.
const PACKETS: u64 = MEMORY + 0x8000;
const CHUNKS: u64 = 0x6000_0000_0000;
/// PM4 packets that mean something: the opcodes.
const OPCODES: [u8; 26] = [
    0x10, 0x11, 0x12, 0x15, 0x15, 0x16, 0x1e, 0x1f, 0x20, 0x22, 0x28, 0x33, 0x37, 0x3c, 0x3f, 0x40, 0x41, 0x43, 0x46,
    0x47, 0x48, 0x49, 0x50, 0x58, 0x76, 0x79,
];

/// A program of which nothing but allocations and the chunks of a submission can be reached.
struct Nothing(Arc<Mutex<Vec<u8>>>);

impl Program for Nothing {
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        bytes.fill(0);
        let chunks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = address.checked_sub(CHUNKS).and_then(|at| chunks.get(usize::try_from(at).ok()?..));
        if let Some(known) = known {
            let len = known.len().min(bytes.len());
            bytes[..len].copy_from_slice(&known[..len]);
            return true;
        }
        // Memory of the program is looked at byte by byte before it is lent: there is none.
        bytes.len() != 1
    }

    fn write(&self, _: u64, _: &[u8]) -> bool {
        true
    }

    fn loaded_objects(&self) -> Option<u64> {
        Some(MEMORY)
    }

    fn say(&self, _: &str) {}
}

/// The rest of a case.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A number that may mean something: an address, a handle, a size, or anything.
    fn number(&mut self) -> u64 {
        let (kind, byte) = (self.byte(), u64::from(self.byte()));
        match kind % 8 {
            0 => byte,
            1 => MEMORY + 8 * byte,
            2 => [RING, OBJECT, DESCRIPTOR, KERNARG, SIGNAL, OBJECT + 128, MEMORY + SIZE, 0][byte as usize % 8],
            3 => 1 << (byte % 64),
            4 => byte << 12,
            5 => u64::MAX - byte,
            6 => 0x1_0001 * byte,
            _ => (0..8).fold(byte, |number, _| number << 8 | u64::from(self.byte())),
        }
    }
}

/// Asks for an ioctl. Nothing waits.
fn ask(gpu: &Gpu, number: u8, fields: &[(usize, u64, usize)]) -> [u8; MOST_ARGUMENTS] {
    const WAIT: u8 = 0x0c;
    let mut args = [0; MOST_ARGUMENTS];
    for &(at, value, len) in fields {
        args[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
    }
    if number == WAIT {
        args[16..20].fill(0);
    }
    // Whatever the answer is.
    let _ = gpu.kfd(number, &mut args);
    args
}

/// Tests a case.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let names = ["gfx900", "gfx803", "gfx906", "gfx701"];
    let chip = chip(Some(names[usize::from(bytes.byte()) % 4])).expect("it is one");
    let settings = Settings { jobs: Some(1), max_insts: Some(BUDGET), ..Settings::default() };
    let chunks = Arc::default();
    let gpu = Gpu::new(chip, settings, Box::new(Nothing(Arc::clone(&chunks)))).expect("there is room");
    begin(&gpu);
    for _ in 0..MOST_STEPS {
        if bytes.0.is_empty() {
            break;
        }
        match bytes.byte() {
            0xe0.. => submit(&gpu, &chunks, &mut bytes),
            kind => step(&gpu, kind % 8, &mut bytes),
        }
    }
    assert_eq!(gpu.summary().errors, [""; 0]);
}

/// Allocates memory, and makes a queue with a kernel in its first packet.
fn begin(gpu: &Gpu) {
    let args = ask(gpu, 0x16, &[(0, MEMORY, 8), (8, SIZE, 8), (32, 22124, 4), (36, 1 << 31 | 1, 4)]);
    let handle = u64::from_le_bytes(*args[16..].first_chunk().expect("there are 256 bytes"));
    ask(gpu, 0x18, &[(0, handle, 8), (16, 1, 4)]);
    ask(gpu, 2, &[(0, RING, 8), (16, OBJECT + 128, 8), (32, 0x1000, 4), (36, 22124, 4), (40, 2, 4), (44, 100, 4)]);
    let put = |at: u64, bytes: &[u8]| assert!(gpu.write_memory(at, bytes));
    put(OBJECT + 24, &64u32.to_le_bytes());
    put(OBJECT + 56, &1u64.to_le_bytes());
    put(OBJECT + 192, &SIGNAL.to_le_bytes());
    let code: Vec<u8> = CODE.iter().flat_map(|word| word.to_le_bytes()).collect();
    put(DESCRIPTOR + 256, &code);
    put(DESCRIPTOR + 16, &256u64.to_le_bytes());
    put(DESCRIPTOR + 52, &0x90u32.to_le_bytes());
    put(DESCRIPTOR + 56, &0xbu32.to_le_bytes());
    let mut packet = [0; 64];
    packet[..10].copy_from_slice(&[2, 0x0b, 1, 0, 64, 0, 1, 0, 1, 0]);
    [12, 16, 20].into_iter().for_each(|at| packet[at] = 1);
    packet[12] = 130;
    packet[32..40].copy_from_slice(&DESCRIPTOR.to_le_bytes());
    packet[40..48].copy_from_slice(&KERNARG.to_le_bytes());
    packet[56..64].copy_from_slice(&SIGNAL.to_le_bytes());
    put(RING, &packet);
    put(KERNARG, &KERNARG.to_le_bytes());
}

/// Submits packets of PM4 to the render node.
fn submit(gpu: &Gpu, chunks: &Mutex<Vec<u8>>, bytes: &mut Bytes<'_>) {
    let mut words: Vec<u32> = Vec::new();
    let mut packet = |op: u8, body: &[u32]| {
        words.push(3 << 30 | (body.len() as u32).wrapping_sub(1) << 16 & 0x3fff_0000 | u32::from(op) << 8);
        words.extend(body);
    };
    // Registers of a kernel that runs: one wave, code, two user SGPRs.
    packet(0x76, &[0x207, 64, 1, 1]);
    packet(0x76, &[0x20c, ((DESCRIPTOR + 256) >> 8) as u32, 0]);
    packet(0x76, &[0x212, 0x000c_0000, 2 << 1]);
    for _ in 0..1 + bytes.byte() % 8 {
        let op = bytes.byte();
        let op = OPCODES.get(usize::from(op)).copied().unwrap_or(op);
        let body: Vec<u32> = (0..bytes.byte() % 10).map(|_| bytes.number() as u32).collect();
        packet(op, &body);
    }
    let packets: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    gpu.write_memory(PACKETS, &packets);
    // The list of chunks, two chunks, and what is in them: a command buffer, and anything.
    let mut given = Vec::new();
    for at in [16, 32] {
        given.extend((CHUNKS + at).to_le_bytes());
    }
    let kind = u32::from(bytes.byte() % 12);
    for (kind, len, at) in [(1, 8, 48u64), (kind, u32::from(bytes.byte() % 16), 80)] {
        given.extend([kind.to_le_bytes(), len.to_le_bytes()].concat());
        given.extend((CHUNKS + at).to_le_bytes());
    }
    let engine = u32::from(bytes.byte() % 2);
    let command = [0, 0, PACKETS as u32, 0, packets.len() as u32, engine, 0, 0];
    given.extend(command.into_iter().flat_map(u32::to_le_bytes));
    (0..8).for_each(|_| given.extend(bytes.number().to_le_bytes()));
    *chunks.lock().unwrap_or_else(PoisonError::into_inner) = given;
    let mut args = [0; MOST_ARGUMENTS];
    args[8..12].copy_from_slice(&2u32.to_le_bytes());
    args[16..24].copy_from_slice(&CHUNKS.to_le_bytes());
    let _ = gpu.drm(0x44, &mut args);
}

fn step(gpu: &Gpu, kind: u8, bytes: &mut Bytes<'_>) {
    match kind {
        0 if bytes.byte() % 2 == 1 => {
            // The render node. Waits for objects that nobody signals end at once.
            let number = bytes.byte() % 0xce;
            let mut args = [0; MOST_ARGUMENTS];
            (0..7).for_each(|index| args[8 * index..8 * index + 8].copy_from_slice(&bytes.number().to_le_bytes()));
            if number >= 0xbf {
                args[8..24].fill(0);
            }
            let _ = gpu.drm(number, &mut args);
        }
        0 => {
            let number = bytes.byte() % 0x28;
            let fields: Vec<_> = (0..7).map(|index| (8 * index, bytes.number(), 8)).collect();
            ask(gpu, number, &fields);
        }
        1 => {
            // An allocation, perhaps mapped.
            let (va, size, flags) = (bytes.number() & !0xfff, bytes.number() & 0xf_f000, bytes.number());
            let args = ask(gpu, 0x16, &[(0, va, 8), (8, size, 8), (32, 22124, 4), (36, flags | 1 << 31, 4)]);
            ask(gpu, 0x18, &[(0, u64::from(args[16]), 8), (16, 1, 4)]);
        }
        2 => {
            let number = [0x17, 0x18, 0x19, 0x03, 0x07][usize::from(bytes.byte()) % 5];
            ask(gpu, number, &[(0, u64::from(bytes.byte() % 8), 8), (8, u64::from(bytes.byte() % 4), 8)]);
        }
        3 | 4 => {
            // A word of the first packets, of the queue object, of the descriptor or of a signal.
            let base = [RING, RING, OBJECT, DESCRIPTOR, SIGNAL, OBJECT + 128][usize::from(bytes.byte()) % 6];
            let (at, value, len) =
                (u64::from(bytes.byte() % 64) * 4, bytes.number(), 1 + usize::from(bytes.byte() % 8));
            gpu.write_memory(base + at, &value.to_le_bytes()[..len]);
        }
        5 => {
            // One packet more.
            let mut write = [0; 8];
            gpu.read_memory(OBJECT + 56, &mut write);
            gpu.write_memory(OBJECT + 56, &u64::from_le_bytes(write).wrapping_add(1).to_le_bytes());
        }
        _ => _ = gpu.step(),
    }
}
