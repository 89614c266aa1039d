//! Garbage in descriptors: every field at its extremes, with strides, indices and offsets that overflow.

use gcnsim::Outcome;
use gcnsim_isa::Arch;
use gcnsim_machine::Access;
use gcnsim_random::Rng;

use super::ways::{BASE, End, FIXED, Lanes, SIZE, Ways, all, data, dword, lanes};
use super::words::*;

const GFX9: Arch = Arch::Gcn14;
/// Word 3 of a descriptor of dwords.
const DWORDS: u32 = 0x0002_7fac;

/// Runs a buffer instruction with `descriptor` in s[8:11], `soffset` in s12, `address` in v[2:3] and data in v[4:7].
fn with(ways: &mut Ways, arch: Arch, words: Words, descriptor: [u32; 4], soffset: u32, address: [Lanes; 2]) -> End {
    ways.run(arch, &words, &|wave| {
        wave.state.sgpr[8..12].copy_from_slice(&descriptor);
        wave.state.sgpr[12] = soffset;
        *wave.vgprs.lanes_mut(2) = address[0];
        *wave.vgprs.lanes_mut(3) = address[1];
        (4..8).for_each(|n| *wave.vgprs.lanes_mut(n) = lanes(|lane| 0x1000 * u32::from(n) + lane));
    })
}

/// Raw buffers of GCN 1.4: offsets wrap at 32 bits before the range check, in which SOFFSET counts. The base may lead
/// anywhere.
#[test]
fn offsets_that_overflow() {
    let ways = &mut Ways::new();
    let load = |offset| buffer(LOAD_DWORD, 1, offset, 4, 2, 12);
    let descriptor = |records| [BASE as u32, 0, records, DWORDS];
    // These sums are out of range, so the load gives 0.
    for voffset in [0xffff_fffc, 0xffff_f000, 0x8000_0000] {
        let end = with(ways, GFX9, load(0xffc), descriptor(SIZE as u32), 0, [all(voffset), all(0)]);
        assert_eq!(end.ended().vgpr(4), &all(0), "{voffset:#x}");
    }
    // This one wraps to 0.
    let end = with(ways, GFX9, load(4), descriptor(SIZE as u32), 0, [all(0xffff_fffc), all(0)]);
    assert_eq!(end.ended().vgpr(4), &all(dword(0)));
    let end = with(ways, GFX9, load(0), descriptor(SIZE as u32), 252, [all(0), all(0)]);
    assert_eq!(end.ended().vgpr(4), &all(dword(252)));
    for (records, soffset) in [(4, 252), (4, 256), (4, 0x7fff_ffff), (4, u32::MAX), (u32::MAX, u32::MAX)] {
        let end = with(ways, GFX9, load(0), descriptor(records), soffset, [all(0), all(0)]);
        assert_eq!(end.ended().vgpr(4), &all(0), "{records:#x} {soffset:#x}");
    }
    for soffset in [256, 0x7fff_ffff] {
        let end = with(ways, GFX9, load(0), descriptor(u32::MAX), soffset, [all(0), all(0)]);
        end.faults_with(Access::Load, BASE + u64::from(soffset), 4, Some(0));
    }
    // An access that begins at the last byte of the buffer is in range, but leaves memory.
    let end = with(ways, GFX9, load(0), descriptor(SIZE as u32), 0, [lanes(|lane| 4 * lane + 1), all(0)]);
    end.faults_with(Access::Load, BASE + 253, 4, Some(63));
    // The sum of this 48-bit base and the offset passes 2^48.
    let end = with(ways, GFX9, load(0), [0xffff_fff0, 0xffff, u32::MAX, DWORDS], BASE as u32 + 16, [all(0), all(0)]);
    assert_eq!(end.ended().vgpr(4), &all(dword(0)));
}

/// Index times stride has up to 50 bits and does not wrap.
#[test]
fn strides_that_overflow() {
    let ways = &mut Ways::new();
    let load = buffer(LOAD_DWORD, 2, 0, 4, 2, 128);
    let descriptor = |stride: u32, records| [BASE as u32, stride << 16, records, DWORDS];
    for (index, stride) in [(0x0100_0000u32, 0x100u32), (0x8000_0000, 2), (0x4000_0000, 0x3ffc), (u32::MAX, 0x3fff)] {
        let end = with(ways, GFX9, load, descriptor(stride, u32::MAX), 0, [all(index), all(0)]);
        match index {
            // An index equal to the number of records is out of range.
            u32::MAX => assert_eq!(end.ended().vgpr(4), &all(0)),
            _ => end.faults_with(Access::Load, BASE + u64::from(index) * u64::from(stride), 4, Some(0)),
        }
    }
    // A record whose index is in range may still be outside memory.
    let end = with(ways, GFX9, load, descriptor(4, 65), 0, [lanes(|lane| lane + 1), all(0)]);
    end.faults_with(Access::Load, BASE + 256, 4, Some(63));
    let end = with(ways, GFX9, load, descriptor(4, 64), 0, [lanes(|lane| lane + 1), all(0)]);
    assert_eq!(end.ended().vgpr(4), &lanes(|lane| if lane < 63 { dword(4 * lane as usize + 4) } else { 0 }));
}

/// Atomics and stores in which some lanes are out of range, and one that is in range is not in memory.
#[test]
fn partly_in_range() {
    let ways = &mut Ways::new();
    let offsets = lanes(|lane| 8 * lane);
    let descriptor = |records| [BASE as u32, 0, records, DWORDS];
    let add = buffer(ATOMIC_ADD, 1, 0, 4, 2, 128);
    let added = with(ways, GFX9, add, descriptor(16), 0, [offsets, all(0)]);
    let mut expected = data();
    for lane in 0..2u32 {
        let at = 8 * lane as usize;
        expected[at..at + 4].copy_from_slice(&dword(at).wrapping_add(0x4000 + lane).to_le_bytes());
    }
    assert_eq!(added.ended().data, expected);
    let [first, second] = add;
    let returned = with(ways, GFX9, [first | 1 << 14, second], descriptor(16), 0, [offsets, all(0)]);
    assert_eq!(returned.ended().vgpr(4), &lanes(|lane| if lane < 2 { dword(8 * lane as usize) } else { 0 }));
    // Lane 32 is the first one past memory.
    for (op, access, bytes) in [(ATOMIC_ADD, Access::Atomic, 4), (STORE_DWORD, Access::Store, 4)] {
        let end = with(ways, GFX9, buffer(op, 1, 0, 4, 2, 128), descriptor(0x1000), 0, [offsets, all(0)]);
        end.faults_with(access, BASE + 256, bytes, Some(32));
    }
    // Two dwords of four are in range of a buffer whose base is eight bytes before the end.
    let end = BASE as u32 + 248;
    let stored = with(ways, GFX9, buffer(STORE_X4, 0, 0, 4, 2, 128), [end, 0, 8, DWORDS], 0, [all(0), all(0)]);
    assert_eq!(stored.ended().data[240..], [240, 241, 242, 243, 244, 245, 246, 247, 63, 64, 0, 0, 63, 80, 0, 0]);
    let three = with(ways, GFX9, buffer(STORE_X4, 0, 0, 4, 2, 128), [end, 0, 9, DWORDS], 0, [all(0), all(0)]);
    three.faults_with(Access::Store, BASE + 256, 4, Some(0));
}

/// Numbers at the ends of their ranges.
const EXTREMES: [u32; 10] = [0, 0, 0, 1, 4, 4, 0xfc, 0x7fff_ffff, 0x8000_0000, u32::MAX];

/// Returns a descriptor in which each field is at an extreme, or ordinary.
fn garbage(rng: &mut Rng) -> [u32; 4] {
    let mut pick = |from: &[u32]| from[rng.below(from.len() as u32) as usize];
    let base = BASE as u32;
    let base = pick(&[base, base, base, base, base + 252, FIXED as u32, 0, u32::MAX]);
    let high = pick(&[0, 0, 0, 0, 0, 0, 1, 0xffff]);
    let stride = pick(&[0, 0, 1, 4, 0x10, 0x3fff]);
    let swizzle = pick(&[0, 0, 1, 2, 3]);
    let records = pick(&[0, 1, 8, 64, SIZE as u32, SIZE as u32 + 1, 0x7fff_ffff, u32::MAX]);
    let select = pick(&[0xfac, 0xfac, 0, 0xfff, 0x249]);
    let (nfmt, dfmt) = (pick(&[4, 0, 7, 6]), pick(&[4, 4, 0, 14, 15, 10]));
    let rest = pick(&[0, 0, 1, 3, 8, 0xf]) << 19 | pick(&[0, 1]) << 23 | pick(&[0, 0, 0x7f, 0x40]) << 24;
    [base, high | stride << 16 | swizzle << 30, records, select | nfmt << 12 | dfmt << 15 | rest | pick(&[0, 1]) << 31]
}

/// Every engine has the same result. Faults are at bytes that are unmapped or read-only, and stores with a fault store
/// nothing.
#[test]
fn descriptors_of_garbage() {
    let ways = &mut Ways::new();
    let mut rng = Rng::new(17);
    let ops = [
        LOAD_UBYTE,
        LOAD_DWORD,
        LOAD_X2,
        LOAD_X4,
        STORE_BYTE,
        STORE_DWORD,
        STORE_X4,
        ATOMIC_ADD,
        ATOMIC_ADD_X2,
        0,
        3,
        4,
        7, // buffer_load_format_x, _xyzw, buffer_store_format_x, _xyzw
    ];
    let (mut faults, mut changed) = (0, 0);
    for round in 0..1500 {
        let arch = [Arch::Gcn14, Arch::Gcn12][round / 2 % 2];
        let descriptor = garbage(&mut rng);
        let op = ops[rng.below(ops.len() as u32) as usize];
        // GCN 1.2 has the same opcodes.
        let words = buffer(op, rng.below(4), EXTREMES[rng.below(10) as usize], 4, 2, [12, 128][rng.below(2) as usize]);
        let soffset = EXTREMES[rng.below(10) as usize];
        let [index, step] = [0, 1].map(|_| EXTREMES[rng.below(10) as usize]);
        let offset = EXTREMES[rng.below(10) as usize];
        let address = [lanes(|lane| index.wrapping_add(step.wrapping_mul(lane))), all(offset)];
        let end = with(ways, arch, words, descriptor, soffset, address);
        if end.outcome == Outcome::Ended {
            changed += u32::from(end.data != data());
            continue;
        }
        let fault = end.fault();
        let address = ((fault.address << 16) as i64 >> 16) as u64;
        let is_inside = |base: u64| address >= base && address.saturating_add(fault.bytes.into()) <= base + SIZE as u64;
        let is_aligned = address.is_multiple_of(fault.bytes.into());
        let is_atomic = fault.access == Access::Atomic;
        let is_fixed = is_inside(FIXED) && fault.access != Access::Load;
        assert!(!is_inside(BASE) && !is_inside(FIXED) || is_fixed || is_atomic && !is_aligned, "{fault:x?}");
        faults += 1;
    }
    assert!(faults > 200 && changed > 40, "{faults} faults, {changed} stores");
}
