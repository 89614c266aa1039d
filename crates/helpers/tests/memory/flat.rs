//! FLAT, GLOBAL and SCRATCH in compiled code. Expected values come from docs/gcn/flat.md and, with `dword`, from the
//! contents of memory. Words were written by hand from the formats of the manuals; the decoder confirms their text.

use crate::memory_support;

use std::sync::Arc;

use gcnsim_isa::{Arch, Note};
use gcnsim_machine::{Apertures, Backing, Mapping, Write};
use memory_support::{Bench, DATA, READ_ONLY, SCRATCH, dword};

const LOAD: (&str, [u32; 2]) = ("global_load_dword v8, v2, s[0:1]", [0xdc50_8000, 0x0800_0002]);
const LOAD_PAIR: (&str, [u32; 2]) = ("global_load_dword v8, v[2:3], off", [0xdc50_8000, 0x087f_0002]);
const STORE: (&str, [u32; 2]) = ("global_store_dword v2, v4, s[0:1]", [0xdc70_8000, 0x0000_0402]);

/// Returns a wave whose s[0:1] is the address of memory.
fn bench() -> Bench {
    let mut bench = Bench::new(Arch::Gcn14);
    bench.frame.memory.base = [DATA, 0, 0, 0];
    bench
}

#[test]
fn lanes_in_any_order_and_number_load_their_dwords() {
    // In the last order, only the first and the last lane are where they are in a row.
    let orders: [fn(u32) -> u32; 6] =
        [|l| l, |l| 63 - l, |_| 7, |l| l * 37 % 64 * 3, |l| l / 2, |l| if l % 63 == 0 { l } else { 63 - l }];
    for order in orders {
        for exec in [!0, 1, 1 << 63, 0x0fff_0000_f7ff_0ffe, 0] {
            let mut bench = bench();
            bench.set(2, |l| 4 * order(l)).set(8, |l| l).frame.memory.exec = exec;
            bench.gives(LOAD.0, LOAD.1, 8, |l| dword(order(l as u32) as usize));
            bench.noted(&[]);
            bench.set(2, |l| DATA + 4 * order(l)).set(8, |l| l);
            bench.gives(LOAD_PAIR.0, LOAD_PAIR.1, 8, |l| dword(order(l as u32) as usize));
        }
    }
}

#[test]
fn wide_loads_give_a_register_for_each_dword() {
    let loads = [
        ("global_load_dwordx2 v[8:9], v2, s[0:1]", [0xdc54_8000, 0x0800_0002], 2),
        ("global_load_dwordx3 v[8:10], v2, s[0:1]", [0xdc58_8000, 0x0800_0002], 3),
        ("global_load_dwordx4 v[8:11], v2, s[0:1]", [0xdc5c_8000, 0x0800_0002], 4),
    ];
    for (text, words, dwords) in loads {
        for exec in [!0, 0x8000_0000_0000_7fff] {
            let orders: [fn(u32) -> u32; 3] = [|l| l, |_| 5, |l| 63 - l];
            for order in orders {
                for k in 0..dwords {
                    let mut bench = bench();
                    bench.set(2, |l| 4 * dwords * order(l)).frame.memory.exec = exec;
                    bench.gives(text, words, 8 + k as usize, |l| dword((dwords * order(l as u32) + k) as usize));
                }
            }
        }
    }
}

#[test]
fn a_load_may_overwrite_its_addresses() {
    let mut bench = bench();
    bench.set(2, |l| DATA + 8 * l);
    let text = "global_load_dwordx2 v[2:3], v[2:3], off";
    bench.gives(text, [0xdc54_8000, 0x027f_0002], 2, |l| dword(2 * l));
    assert_eq!(bench.vgprs[3].0[5], dword(11));
}

#[test]
fn addresses_at_any_byte_and_of_48_bits() {
    let mut bench = bench();
    bench.set(2, |l| 4 * l + 1);
    bench.gives(LOAD.0, LOAD.1, 8, |l| dword(l) >> 8 | dword(l + 1) << 24);
    // The upper 16 bits of an address do not count.
    bench.frame.memory.base = [DATA, 0xabcd_0000, 0, 0];
    bench.gives(LOAD.0, LOAD.1, 8, |l| dword(l) >> 8 | dword(l + 1) << 24);
    // 0xffffffff_ffffff00 + 0x10100 wraps to 0x10000.
    bench.frame.memory.base = [0xffff_ff00, !0, 0, 0];
    bench.set(2, |l| DATA + 0x100 + 4 * l);
    bench.gives(LOAD.0, LOAD.1, 8, dword);
    // The VGPR is not sign-extended: 0x80000000 + s[0:1] = 0x10000.
    bench.frame.memory.base = [0x8001_0000, !0, 0, 0];
    bench.set(2, |l| 0x8000_0000 + 4 * l);
    bench.gives(LOAD.0, LOAD.1, 8, dword);
    // OFFSET is sign-extended: 0x1ffc is -4.
    bench.frame.memory.base = [DATA, 0, 0, 0];
    bench.set(2, |l| 4 * l + 4);
    bench.gives("global_load_dword v8, v2, s[0:1] offset:-4", [0xdc50_9ffc, 0x0800_0002], 8, dword);
}

/// Maps `len` bytes at an address. Each dword of them is its own number.
fn map_numbers(bench: &mut Bench, address: u64, len: usize) {
    let backing = Backing::zeroed(len).unwrap();
    (0..len / 4).for_each(|i| backing.write(4 * i, &(i as u32).to_le_bytes()));
    bench.context.space.map(Mapping::new(address, "numbers", Arc::new(backing)));
}

#[test]
fn upper_halves_of_addresses_count_in_each_lane() {
    let mut bench = bench();
    map_numbers(&mut bench, 1 << 32 | DATA as u64, 0x1000);
    bench.set(2, |l| DATA + 4 * l).set(3, |l| l % 2);
    bench.gives(LOAD_PAIR.0, LOAD_PAIR.1, 8, |l| if l % 2 == 0 { dword(l) } else { l as u32 });
    bench.set(3, |l| (l == 31) as u32);
    bench.gives(LOAD_PAIR.0, LOAD_PAIR.1, 8, |l| if l == 31 { 31 } else { dword(l) });
}

/// Where the lower half of an address wraps, the next lane's element is not behind the lane's, though their difference
/// is that of elements in a row.
#[test]
fn lower_halves_may_wrap() {
    let mut bench = bench();
    let Some(backing) = Backing::zeroed(1 << 32) else { return eprintln!("not run: no room for 4 GiB") };
    let place = |l: u32| if l < 16 { 0xffff_fff0_u32.wrapping_add(4 * l) } else { 0x800 + 4 * (l ^ 1) };
    (0..64).for_each(|l| backing.write(place(l) as usize, &(l + 100).to_le_bytes()));
    bench.context.space.map(Mapping::new(1 << 32, "all of them", Arc::new(backing)));
    bench.set(2, place).set(3, |_| 1);
    bench.loads(LOAD_PAIR.0, LOAD_PAIR.1, 8, |l| l as u32 + 100);
    // Eight lanes have elements in a row that wraps.
    bench.set(2, |l| if l < 8 { place(l) } else { place(8 + (l ^ 1) % 56) });
    bench.loads(LOAD_PAIR.0, LOAD_PAIR.1, 8, |l| if l < 8 { l as u32 + 100 } else { (l as u32 ^ 1) % 56 + 108 });
}

/// The offsets here lead to other mapped memory if their sign is ignored.
#[test]
fn offsets_are_signed() {
    let mut bench = bench();
    map_numbers(&mut bench, 0x10_0000, 0x4000);
    bench.frame.memory.base = [0x10_0000, 0, 0, 0];
    bench.set(2, |l| 4 * l + 4);
    bench.gives("global_load_dword v8, v2, s[0:1] offset:-4", [0xdc50_9ffc, 0x0800_0002], 8, |l| l as u32);
    bench.set(2, |l| 0x10_0004 + 4 * l).set(3, |_| 0);
    bench.gives("global_load_dword v8, v[2:3], off offset:-4", [0xdc50_9ffc, 0x087f_0002], 8, |l| l as u32);
}

#[test]
fn bytes_and_shorts_are_extended_or_merged() {
    let mut bench = bench();
    bench.set(2, |l| 4 * l + 2).set(8, |_| 0xaaaa_bbbb);
    let byte = |l: usize| dword(l) >> 16 & 0xff;
    bench.gives("global_load_ubyte v8, v2, s[0:1]", [0xdc40_8000, 0x0800_0002], 8, byte);
    let signed = |l| byte(l) as u8 as i8 as u32;
    bench.gives("global_load_sbyte v8, v2, s[0:1]", [0xdc44_8000, 0x0800_0002], 8, signed);
    bench.gives("global_load_ushort v8, v2, s[0:1]", [0xdc48_8000, 0x0800_0002], 8, |l| dword(l) >> 16);
    let short = |l| (dword(l) >> 16) as i16 as u32;
    bench.gives("global_load_sshort v8, v2, s[0:1]", [0xdc4c_8000, 0x0800_0002], 8, short);
    bench.set(8, |_| 0xaaaa_bbbb);
    let low = |l| 0xaaaa_0000 | signed(l) & 0xffff;
    bench.gives("global_load_sbyte_d16 v8, v2, s[0:1]", [0xdc88_8000, 0x0800_0002], 8, low);
    bench.set(8, |_| 0xaaaa_bbbb);
    let high = |l| 0xbbbb | dword(l) & 0xffff_0000;
    bench.gives("global_load_short_d16_hi v8, v2, s[0:1]", [0xdc94_8000, 0x0800_0002], 8, high);
}

#[test]
fn stores_write_active_lanes_only() {
    for exec in [!0, 0x8000_0fff_0000_7ffe, 1 << 40, 0] {
        let mut bench = bench();
        bench.set(2, |l| 4 * (l * 5 % 64)).set(4, |l| 0x100 + l).frame.memory.exec = exec;
        assert!(bench.run(STORE.0, STORE.1));
        bench.noted(&[]);
        for l in 0..64 {
            let place = l * 5 % 64;
            let expected = if exec >> l & 1 == 1 { 0x100 + l as u32 } else { dword(place) };
            assert_eq!(bench.memory(DATA + 4 * place as u32), expected);
        }
        let text = "global_store_dwordx4 v2, v[4:7], s[0:1]";
        bench.set(2, |l| 16 * l).set(4, |l| l).set(5, |_| 5).set(6, |l| !l).set(7, |_| 7);
        let before = bench.memory(DATA + 16 * 7);
        assert!(bench.run(text, [0xdc7c_8000, 0x0000_0402]));
        let [first, third] = [bench.memory(DATA + 16 * 7), bench.memory(DATA + 16 * 7 + 8)];
        assert_eq!(first, if exec >> 7 & 1 == 1 { 7 } else { before });
        assert_eq!(third == !7, exec >> 7 & 1 == 1);
    }
    let mut bench = bench();
    bench.set(2, |l| l).set(4, |l| 0x1234_0000 + l);
    assert!(bench.run("global_store_byte_d16_hi v2, v4, s[0:1]", [0xdc64_8000, 0x0000_0402]));
    assert_eq!((bench.memory(DATA + 60), bench.memory(DATA + 64)), (0x3434_3434, dword(16)));
}

#[test]
fn of_two_lanes_the_higher_one_wins() {
    for record in [false, true] {
        let mut bench = bench();
        if record {
            bench.context.start_recording();
        }
        bench.set(2, |l| l / 2 * 4).set(4, |l| l);
        assert!(bench.run(STORE.0, STORE.1));
        bench.noted(&[Note::LaneOrder]);
        assert_eq!((bench.memory(DATA), bench.memory(DATA + 8)), (1, 5));
        // Where both lanes write the same bytes, it does not matter which wins.
        bench.set(4, |l| l / 2);
        assert!(bench.run(STORE.0, STORE.1));
        bench.noted(&[]);
        // One byte of each dword is also one of the next lane's dword.
        bench.set(2, |l| 3 * l).set(4, |l| (l << 24) | (l + 7));
        assert!(bench.run(STORE.0, STORE.1));
        bench.noted(&[Note::LaneOrder]);
        assert_eq!(bench.memory(DATA), 8 << 24 | 7);
        bench.set(2, |_| 12).set(4, |_| 9);
        assert!(bench.run(STORE.0, STORE.1));
        bench.noted(&[]);
        bench.set(4, |l| l).frame.memory.exec = 0xff;
        assert!(bench.run(STORE.0, STORE.1));
        bench.noted(&[Note::LaneOrder]);
        assert_eq!(bench.memory(DATA + 12), 7);
    }
}

#[test]
fn faults_leave_everything_as_it_is() {
    let mut bench = bench();
    // Lane 63 reaches behind the last byte.
    bench.set(2, |l| if l == 63 { 0xffd } else { 4 * l }).set(4, |_| 1);
    bench.refuses(LOAD.0, LOAD.1);
    bench.refuses(STORE.0, STORE.1);
    bench.frame.memory.exec = !0 >> 1;
    assert!(bench.run(LOAD.0, LOAD.1) && bench.run(STORE.0, STORE.1));
    // Neighbouring lanes reach up to the last byte, then one byte further.
    bench.frame.memory.exec = !0;
    bench.set(2, |l| 0xf00 + 4 * l);
    assert!(bench.run(LOAD.0, LOAD.1));
    bench.set(2, |l| 0xf04 + 4 * l);
    bench.refuses(LOAD.0, LOAD.1);
    bench.frame.memory.base = [READ_ONLY, 0, 0, 0];
    bench.set(2, |l| 4 * l);
    bench.refuses(STORE.0, STORE.1);
    assert!(bench.run(LOAD.0, LOAD.1));
    bench.frame.memory.base = [0; 4];
    bench.refuses(LOAD.0, LOAD.1);
    bench.frame.memory.exec = 0;
    assert!(bench.run(LOAD.0, LOAD.1) && bench.run(STORE.0, STORE.1), "no lane accesses anything");
}

#[test]
fn aligned_loads_end_behind_memory() {
    // The elements are in a row whose last one begins eight bytes before the end, or all of them begin there.
    let (text, words) = ("global_load_dwordx4 v[8:11], v2, s[0:1]", [0xdc5c_8000, 0x0800_0002]);
    for step in [16, 0] {
        let mut bench = bench();
        let backing = Backing::zeroed(7).unwrap();
        backing.write(0, &[1, 2, 3, 4, 5, 6, 7]);
        bench.context.space.map(Mapping::new(0x3_0400, "rest", Arc::new(backing)));
        bench.context.space.map(Mapping::new(0x3_0000, "rows", Arc::new(Backing::zeroed(0x400).unwrap())));
        bench.frame.memory.base = [0x3_0010, 0, 0, 0];
        bench.set(2, |l| if step == 0 { 0x3f0 } else { 16 * l });
        let is_there = |l: usize| step == 0 || l == 63;
        bench.gives(text, words, 8, |l| if is_there(l) { 0x0403_0201 } else { 0 });
        bench.noted(&[Note::LoadPastEnd]);
        assert_eq!([9, 10, 11].map(|n| bench.vgprs[n].0[63]), [0x0007_0605, 0, 0]);
        // From a multiple of 8 on, both halves begin in memory.
        bench.frame.memory.base = [0x3_0008, 0, 0, 0];
        bench.gives(text, words, 11, |l| if is_there(l) { 0x0007_0605 } else { 0 });
        bench.noted(&[Note::LoadPastEnd]);
        // A half or a dword that begins behind the end is refused.
        for first in [0x3_0018u32, 0x3_000c, 0x3_0020] {
            bench.frame.memory.base = [first, 0, 0, 0];
            bench.refuses(text, words);
        }
    }
}

#[test]
fn stores_are_recorded_by_ascending_lanes() {
    let mut bench = bench();
    let before = bench.all();
    bench.context.start_recording();
    bench.set(2, |l| 4 * (63 - l)).set(4, |l| l).frame.memory.exec = 0b101;
    assert!(bench.run(STORE.0, STORE.1));
    let journal = bench.context.stop_recording();
    let write = |lane: u32| {
        let whole = |value: u32| (value as u64).to_le_bytes();
        let (old, new) = (whole(dword(63 - lane as usize)), whole(lane));
        Write { place: gcnsim_machine::Place::Memory, len: 4, address: (DATA + 252 - 4 * lane) as u64, old, new }
    };
    assert_eq!(journal.writes(), [write(0), write(2)]);
    bench.context.undo(&journal);
    assert!(bench.all() == before);
}

#[test]
fn atomics_take_turns() {
    let text = "global_atomic_add v8, v2, v4, s[0:1] glc";
    let words = [0xdd09_8000, 0x0800_0402];
    let mut bench = bench();
    bench.set(2, |l| 4 * l).set(4, |l| l);
    bench.gives(text, words, 8, dword);
    bench.noted(&[]);
    assert_eq!(bench.memory(DATA + 12), dword(3) + 3);
    // Each lane sees what the lanes below it made.
    bench.set(2, |_| 0x100).set(4, |_| 2);
    bench.gives(text, words, 8, |l| dword(64) + 2 * l as u32);
    bench.noted(&[Note::LaneOrder]);
    bench.set(2, |l| 4 * l + 2 * (l == 9) as u32);
    bench.refuses(text, words);
    // Without GLC nothing is returned, and order does not matter.
    bench.set(2, |_| 0x200).set(8, |_| 77);
    bench.gives("global_atomic_add v2, v4, s[0:1]", [0xdd08_8000, 0x0800_0402], 8, |_| 77);
    bench.noted(&[]);
    assert_eq!(bench.memory(DATA + 0x200), dword(128) + 128);
    // Memory holds 3, and the source 7 is compared with 3 (docs/gcn/memory-check-values.md#check-values).
    bench.context.store(DATA as u64, &[3, 0, 0, 0]);
    bench.set(2, |_| 0).set(4, |_| 7).set(5, |_| 3).frame.memory.exec = 1;
    bench.gives("global_atomic_cmpswap v8, v2, v[4:5], s[0:1] glc", [0xdd05_8000, 0x0800_0402], 8, |_| 3);
    assert_eq!(bench.memory(DATA), 7);
}

#[test]
fn registers_past_the_allocation() {
    let mut bench = bench();
    bench.set(0, |l| 4 * l);
    let words = [0xdc50_8000, 0x1000_0002];
    assert!(bench.run("global_load_dword v16, v2, s[0:1]", words), "it does nothing");
    bench.noted(&[Note::RegRange]);
    bench.gives("global_load_dword v8, v16, s[0:1]", [0xdc50_8000, 0x0800_0010], 8, dword);
    bench.noted(&[Note::RegRange]);
    bench.vgprs[8].0 = [1; 64];
    bench.frame.memory.base = [0; 4];
    bench.set(8, |_| 1);
    let text = "global_load_dwordx2 v[15:16], v2, s[0:1]";
    bench.gives(text, [0xdc54_8000, 0x0f00_0002], 15, |_| 0);
}

#[test]
fn flat_addresses_mean_three_things() {
    let text = "flat_load_dword v8, v[2:3]";
    let words = [0xdc50_0000, 0x0800_0002];
    for arch in [Arch::Gcn12, Arch::Gcn14] {
        let mut bench = Bench::new(arch);
        let (shared, private) = if arch == Arch::Gcn14 { (0x1_0000, 0x2_0000) } else { (0x2000_0000, 0x2000_0001) };
        bench.context.apertures = Some(Apertures { shared, private, hidden_private_base: SCRATCH as u64 - 0x100 });
        bench.context.lds = (0..=255).collect();
        // Before GCN 1.4, FLAT_SCRATCH is the number of bytes of a lane, and the distance from the hidden base / 256.
        bench.frame.memory.flat_scratch = if arch == Arch::Gcn14 { [SCRATCH, 0] } else { [12, 1] };
        (0..64).for_each(|l| bench.context.store((SCRATCH + 0x200 + 4 * l) as u64, &[l as u8, 1, 2, 3]));
        bench.set(2, |l| [8, 8, DATA + 4 * l][l as usize % 3]).set(3, |l| [shared, private, 0][l as usize % 3]);
        let expected = |l: usize| [0x0b0a_0908, 0x0302_0100 + l as u32, dword(l)][l % 3];
        bench.gives(text, words, 8, expected);
        bench.noted(&[]);
        // A place behind LDS is refused, and one behind the lane's share of scratch.
        bench.set(2, |_| 0xfd).set(3, |_| shared);
        bench.refuses(text, words);
        bench.set(2, |_| 12).set(3, |_| private);
        match arch {
            Arch::Gcn14 => assert!(bench.run(text, words), "no register tells the share"),
            _ => bench.refuses(text, words),
        }
        bench.set(2, |l| 4 * l).set(3, |_| shared).set(4, |l| l);
        bench.frame.memory.exec = 2;
        assert!(bench.run("flat_store_dword v[2:3], v4", [0xdc70_0000, 0x0000_0402]));
        assert_eq!(bench.context.lds[..9], [0, 1, 2, 3, 1, 0, 0, 0, 8]);
    }
    let mut bench = bench();
    let apertures = Apertures { shared: 0x1_0000, private: 0x2_0000, hidden_private_base: 0 };
    bench.context.apertures = Some(apertures);
    bench.set(2, |l| DATA + 4 * l).set(3, |_| 0x1_0000);
    bench.refuses(LOAD_PAIR.0, LOAD_PAIR.1);
    // OFFSET leads from before the window into it.
    bench.set(2, |_| 0xffff_fffc).set(3, |_| 0xffff);
    bench.gives("flat_load_dword v8, v[2:3] offset:4", [0xdc50_0004, 0x0800_0002], 8, |_| 0);
    bench.noted(&[Note::FlatOffsetAperture]);
}

#[test]
fn scratch_is_interleaved() {
    let mut bench = bench();
    bench.frame.memory.flat_scratch = [SCRATCH, 0];
    bench.set(2, |_| 10).set(4, |l| 0xa0 + l);
    assert!(bench.run("scratch_store_byte v2, v4, off", [0xdc60_4000, 0x007f_0402]));
    let mut byte = [0];
    // Private byte 10 of lane 5 is wave_base + 534 (docs/gcn/memory-check-values.md#check-values).
    bench.context.load(SCRATCH as u64 + 534, &mut byte, None).unwrap();
    assert_eq!(byte, [0xa5]);
    for l in 0..64u32 {
        for dword in 0..4 {
            let value = 0x1000 * dword + l;
            bench.context.store((SCRATCH + 256 * dword + 4 * l) as u64, &value.to_le_bytes());
        }
    }
    let text = "scratch_load_dwordx2 v[8:9], v2, off offset:-4";
    bench.set(2, |l| 4 + l % 2 * 4);
    let words = [0xdc54_5ffc, 0x087f_0002];
    bench.gives(text, words, 9, |l| 0x1000 + l as u32 % 2 * 0x1000 + l as u32);
    assert_eq!(bench.vgprs[8].0[7], 0x1007);
    // An unaligned dword consists of bytes 2 and 3 of one dword, and 0 and 1 of another.
    bench.set(2, |_| 6);
    bench.gives("scratch_load_dword v8, v2, off", [0xdc50_4000, 0x087f_0002], 8, |l| (0x2000 + l as u32) << 16);
    // The scalar offset stands for the VGPR; the sum has 32 bits.
    bench.frame.memory.offset = 0xffff_fffc;
    let words = [0xdc50_4008, 0x0804_0002];
    bench.gives("scratch_load_dword v8, off, s4 offset:8", words, 8, |l| 0x1000 + l as u32);
    bench.frame.memory.offset = 0x1_0000;
    bench.refuses("scratch_load_dword v8, off, s4 offset:8", words);
}

#[test]
fn loads_to_lds_skip_lanes_without_a_place() {
    let mut bench = bench();
    // Of M0 0x40 counts.
    bench.frame.memory.m0 = 0x5_0043;
    bench.set(2, |l| if l < 47 { 4 * l } else { 0xffff_0000 });
    let text = "global_load_sshort v2, s[0:1] offset:2 lds";
    let words = [0xdc4c_a002, 0x0000_0002];
    assert!(bench.run(text, words));
    // The address of lane l is M0 without its low bits, plus OFFSET: 0x42 + 4 * l. That of lane 47 is past 256.
    let at = |l: usize| u32::from_le_bytes(bench.context.lds[0x42 + 4 * l..][..4].try_into().unwrap());
    for l in 0..47 {
        assert_eq!(at(l), (dword(l) >> 16) as i16 as u32);
    }
    assert_eq!((bench.context.lds[0x41], bench.vgprs[0].0), (0, [0; 64]));
}
