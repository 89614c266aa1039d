//! FLAT, GLOBAL, SCRATCH, MUBUF and MTBUF. Most cases access only mapped memory. Addresses are in rows, in one place,
//! anywhere, overlapping, and across the ends of buffers.

use gcnsim_isa::table::{Flat, Global, Mtbuf, Mubuf, Opcode, Scratch};
use gcnsim_isa::{Arch, Inst, decode, flat_scratch};
use gcnsim_machine::Apertures;

use gcnsim_random::Rng;

use super::setting::{ARCHS, BASE, CASES, Setting, check, data, report};

/// Bytes of memory.
const MEMORY: u32 = 0x2000;
/// High dwords of the apertures of LDS and scratch.
const SHARED: u32 = 0x1_0000;
const PRIVATE: u32 = 0x2_0000;

/// Returns offsets of the lanes' elements, mostly below `limit`: in a row, anywhere, or near each other.
fn places(random: &mut Rng, limit: u32) -> [u32; 64] {
    let step = random.pick(&[0, 1, 2, 4, 4, 4, 8, 8, 12, 16, 16]);
    let align = !(random.pick(&[1, 2, 4, 4, 4, 8, 16]) - 1);
    let reached = 64 * step + 64;
    let start = random.below(limit.saturating_sub(reached).max(16)) & align;
    let few = random.below(60) + 4;
    let mut places: [u32; 64] = std::array::from_fn(|_| 0);
    match random.below(5) {
        0..=2 => places = std::array::from_fn(|lane| start + lane as u32 * step),
        3 => places.fill_with(|| random.below(limit.saturating_sub(64).max(16)) & align),
        _ => places.fill_with(|| start + (random.below(few) & align)),
    }
    // Now and then one lane is elsewhere.
    if random.below(6) == 0 {
        let place = random.pick(&[0, 3, limit - 2, limit, 0x1000_0000, u32::MAX - 3]);
        places[random.below(64) as usize] = place;
    }
    places
}

/// Returns a descriptor of a buffer in memory.
fn descriptor(random: &mut Rng, arch: Arch) -> [u32; 4] {
    let base = BASE + random.pick(&[0, 0, 0, 4, 64, 3]);
    let stride = random.pick(&[0, 0, 0, 4, 8, 16, 20]);
    let records = match random.below(4) {
        0 => u32::MAX,
        1 => random.below(if stride == 0 { 600 } else { 70 }),
        _ if stride == 0 => MEMORY - 64,
        _ => (MEMORY - 64) / stride,
    };
    let scratch = u32::from(random.below(5) == 0);
    let stride = if scratch == 1 { 0 } else { stride };
    let (swizzled, adds_lane) = (scratch, scratch | u32::from(random.below(8) == 0));
    let format = random.pick(&[4, 10, 10, 12, 14, 2, 5, 8, 11, 13, 1, 3, 0]);
    let number = random.pick(&[0, 1, 2, 3, 4, 5, 7, 7]);
    // If the lane number is added, the format field is part of the stride.
    let format = match adds_lane == 1 && arch.is_gcn12_or_later() {
        true if scratch == 1 => random.pick(&[0, 1, 4, 15]),
        true => random.below(2),
        false => format,
    };
    let selectors = random.pick(&[0xfac, 0xfac, 0xfac, 0x2ac, 0x977, 0x1a5]);
    let word3 = selectors | number << 12 | format << 15 | 1 << 19 | 3 << 21 | adds_lane << 23;
    [base as u32, (base >> 32) as u32 & 0xffff | stride << 16 | swizzled << 31, records, word3]
}

/// Returns a setting for the instructions of this file, which name a few registers: s[0:1] or v[2:3] an address, s[4:7]
/// a descriptor, s[8:11] a descriptor for ADDR64, s12 an offset.
fn setting(random: &mut Rng, arch: Arch) -> Setting {
    let mut setting = Setting::random(random, false);
    setting.memory = (0..MEMORY / 4).flat_map(|_| data(random).to_le_bytes()).collect();
    setting.is_alone = random.below(2) == 0;
    let state = &mut setting.wave.state;
    let base = BASE + random.pick(&[0, 0, 64, 1]);
    state.sgpr[0..2].copy_from_slice(&[base as u32, (base >> 32) as u32]);
    state.sgpr[4..8].copy_from_slice(&descriptor(random, arch));
    state.sgpr[8..12].copy_from_slice(&[base as u32, (base >> 32) as u32 & 0xffff, 0, 0xf000]);
    state.sgpr[12] = random.pick(&[0, 0, 4, 16, 1]);
    state.sgpr[124] = random.pick(&[u32::MAX, 0, 64, 600]);
    let first = usize::from(flat_scratch(arch));
    let scratch =
        if arch.is_gcn14_or_later() { [BASE as u32, (BASE >> 32) as u32] } else { [random.pick(&[64, 20]), 0] };
    state.sgpr[first..first + 2].copy_from_slice(&scratch);
    let hidden_private_base = BASE;
    setting.apertures =
        (random.below(2) == 0).then_some(Apertures { shared: SHARED, private: PRIVATE, hidden_private_base });
    // v0 is an offset or index, v1 another one, v[2:3] an address.
    let limit = random.pick(&[MEMORY - 128, MEMORY - 128, 1024, 64]);
    let offsets = places(random, limit);
    let index = places(random, 64);
    let windows = random.below(8);
    let high: [u32; 64] = std::array::from_fn(|_| match windows {
        0 => random.pick(&[SHARED, PRIVATE, (BASE >> 32) as u32]),
        1 => SHARED,
        2 => PRIVATE,
        _ => (BASE >> 32) as u32,
    });
    let vgprs = &mut setting.wave.vgprs;
    *vgprs.lanes_mut(0) = if random.below(3) == 0 { index } else { offsets };
    *vgprs.lanes_mut(1) = places(random, 64);
    *vgprs.lanes_mut(3) = high;
    let near = places(random, 40);
    let address = vgprs.lanes_mut(2);
    for lane in 0..64 {
        address[lane] =
            if high[lane] == (BASE >> 32) as u32 { (BASE as u32).wrapping_add(offsets[lane]) } else { near[lane] };
    }
    setting
}

/// Returns the opcode number on a generation; `None` if it does not have the instruction.
fn number(opcode: Opcode, arch: Arch) -> Option<u32> {
    opcode.desc().opcode_on(arch).map(u32::from)
}

/// Returns `number`, the number of a register, or sometimes one of the last: tuples then reach past v255.
pub fn sometimes_last(random: &mut Rng, number: u32) -> u32 {
    if random.below(24) == 0 { 255 - random.below(3) } else { number }
}

/// Returns a random instruction of FLAT (`segment` 0), SCRATCH (1) or GLOBAL (2).
fn flat(arch: Arch, opcode: Opcode, segment: u32, random: &mut Rng) -> Option<Inst> {
    let number = number(opcode, arch)?;
    let offset = if arch.is_gcn14_or_later() { random.pick(&[0, 0, 4, 8, 1, 0x1ffc]) } else { 0 };
    let offset = if segment == 0 { offset & 0xfff } else { offset };
    let by_scalar = random.below(2) == 0;
    let (addr, saddr) = match segment {
        0 => (2, 0),
        1 => (0, if by_scalar { 12 } else { 0x7f }),
        _ if by_scalar => (0, 0),
        _ => (2, 0x7f),
    };
    let glc = random.below(2);
    let lds = u32::from(segment != 0 && random.below(8) == 0);
    let tfe = if arch.is_gcn14_or_later() { 0 } else { u32::from(random.below(8) == 0) };
    let (data, vdst) = (4 + random.below(5), random.pick(&[0, 2, 4, 6, 8, 9]));
    let [addr, data, vdst] = [addr, data, vdst].map(|number| sometimes_last(random, number));
    let first = 0xdc00_0000 | number << 18 | glc << 16 | segment << 14 | lds << 13 | offset;
    decode(arch, first, Some(vdst << 24 | tfe << 23 | saddr << 16 | data << 8 | addr)).ok()
}

/// Returns a random instruction of MUBUF or MTBUF.
fn buffer(arch: Arch, opcode: Opcode, random: &mut Rng) -> Option<Inst> {
    let number = number(opcode, arch)?;
    let is_typed = matches!(opcode, Opcode::Mtbuf(_));
    let (offen, idxen) = (random.below(2), random.below(2));
    let addr64 = u32::from(!arch.is_gcn12_or_later() && random.below(3) == 0);
    let (offen, idxen) = if addr64 == 1 { (0, 0) } else { (offen, idxen) };
    let offset = random.pick(&[0, 0, 4, 8, 3, 16]);
    let glc = random.below(2);
    let lds = u32::from(!is_typed && random.below(8) == 0);
    let tfe = u32::from(lds == 0 && random.below(8) == 0);
    let soffset = random.pick(&[128, 128, 132, 12]);
    let flags = glc << 14 | idxen << 13 | offen << 12 | offset;
    let old = !arch.is_gcn12_or_later();
    let first = match is_typed {
        true => {
            let format = random.pick(&[4, 10, 12, 14, 2, 5, 8, 11, 13, 1, 3]) | random.pick(&[0, 1, 4, 5, 7]) << 4;
            0xe800_0000 | format << 19 | number << if old { 16 } else { 15 } | flags
        }
        false => 0xe000_0000 | number << 18 | lds << 16 | flags,
    };
    let (vaddr, srsrc) = if addr64 == 1 { (2, 2) } else { (0, 1) };
    let vdata = random.pick(&[0, 4, 5, 6, 8]);
    let [vaddr, vdata] = [vaddr, vdata].map(|number| sometimes_last(random, number));
    let second = soffset << 24 | tfe << 23 | srsrc << 16 | vdata << 8 | vaddr;
    decode(arch, first | addr64 << 15, Some(second)).ok()
}

/// Returns a formatted access of MTBUF or MUBUF. Bits of `op` select load or store and the number of components. The
/// data are in v[4:7].
fn formatted(arch: Arch, op: u32, (data, number): (u32, u32), is_typed: bool, random: &mut Rng) -> Inst {
    let (offen, idxen) = (random.below(4) / 3, (random.below(4) / 3) ^ 1);
    let tfe = u32::from(op < 4 && random.below(8) == 0);
    let flags = idxen << 13 | offen << 12 | random.pick(&[0, 0, 0, 4, 16]);
    let shift = if arch.is_gcn12_or_later() { 15 } else { 16 };
    let first = match is_typed {
        true => 0xe800_0000 | (data | number << 4) << 19 | op << shift | flags,
        false => 0xe000_0000 | op << 18 | flags,
    };
    decode(arch, first, Some(128 << 24 | tfe << 23 | 1 << 16 | 4 << 8)).unwrap()
}

/// Sets the format in a descriptor.
fn with_format(words: &mut [u32], data: u32, number: u32) {
    words[3] = words[3] & !(0x7f << 12) | number << 12 | data << 15;
}

/// Checks [`CASES`] instructions of each opcode on each generation, which `make` returns.
fn rows(seed: u64, opcodes: &[Opcode], make: impl Fn(Arch, Opcode, &mut Rng) -> Option<Inst>) {
    let (mut random, mut problems, mut count) = (Rng::new(seed), Vec::new(), 0);
    for arch in ARCHS {
        for &opcode in opcodes {
            for _ in 0..CASES {
                let Some(inst) = make(arch, opcode, &mut random) else { continue };
                let setting = setting(&mut random, arch);
                check(&inst, &setting, &mut problems);
                count += 1;
            }
        }
    }
    report(&problems);
    assert!(count as u64 > opcodes.len() as u64 * CASES * 3 / 4, "{count} cases");
}

fn opcodes<O: Copy>(all: &[O], opcode: fn(O) -> Opcode) -> Vec<Opcode> {
    all.iter().map(|&op| opcode(op)).collect()
}

#[test]
fn flat_rows_agree() {
    rows(3, &opcodes(Flat::ALL, Opcode::Flat), |arch, opcode, random| flat(arch, opcode, 0, random));
}

#[test]
fn global_rows_agree() {
    rows(4, &opcodes(Global::ALL, Opcode::Global), |arch, opcode, random| flat(arch, opcode, 2, random));
}

#[test]
fn scratch_rows_agree() {
    rows(5, &opcodes(Scratch::ALL, Opcode::Scratch), |arch, opcode, random| flat(arch, opcode, 1, random));
}

#[test]
fn formats_agree() {
    let (mut random, mut problems) = (Rng::new(8), Vec::new());
    for arch in ARCHS {
        for (data, number) in (0..16).flat_map(|data| (0..8).map(move |number| (data, number))) {
            // Loads and stores of one to four components.
            for op in 0..8 {
                let is_typed = random.below(2) == 0;
                let inst = formatted(arch, op, (data, number), is_typed, &mut random);
                let mut setting = setting(&mut random, arch);
                with_format(&mut setting.wave.state.sgpr[4..8], data, number);
                // Most accesses are in rows, and in range.
                if random.below(3) != 0 {
                    setting.wave.state.sgpr[4..7].copy_from_slice(&[
                        BASE as u32,
                        (BASE >> 32) as u32 & 0xffff | 16 << 16,
                        300,
                    ]);
                    *setting.wave.vgprs.lanes_mut(0) = std::array::from_fn(|lane| lane as u32 ^ (op & 1));
                    *setting.wave.vgprs.lanes_mut(1) = [4; 64];
                }
                check(&inst, &setting, &mut problems);
            }
        }
    }
    report(&problems);
}

#[test]
fn untyped_and_formatted_rows_agree() {
    rows(6, &opcodes(Mubuf::ALL, Opcode::Mubuf), buffer);
    rows(7, &opcodes(Mtbuf::ALL, Opcode::Mtbuf), buffer);
}
