//! What a program may ask a device for: any ioctls of `/dev/kfd`, any packets in a queue, any bytes in its memory.

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

/// A program of which nothing but allocations can be reached.
struct Nothing;

impl Program for Nothing {
    fn read(&self, _: u64, bytes: &mut [u8]) -> bool {
        bytes.fill(0);
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
    let gpu = Gpu::new(chip, settings, Box::new(Nothing)).expect("there is room");
    begin(&gpu);
    for _ in 0..MOST_STEPS {
        if bytes.0.is_empty() {
            break;
        }
        step(&gpu, &mut bytes);
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

fn step(gpu: &Gpu, bytes: &mut Bytes<'_>) {
    match bytes.byte() % 8 {
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
