use Access::{Atomic, Load, Store};
use Meeting::{No, Yes};
use gcnsim_random::Rng;

use super::*;

fn new(grain: Grain) -> Marks {
    Marks::new(100_000, grain).unwrap()
}

/// Whether some of the groups meet that make these accesses one after the other. Each group also writes a place of its
/// own, so that loads are marked.
fn meets(grain: Grain, groups: &[&[(Access, u64, u64)]]) -> Meeting {
    let run = |marks: &Marks, group: usize| {
        groups[group].iter().for_each(|&(access, at, bytes)| marks.mark(access, at, bytes));
        marks.mark(Store, 60_000 + 4 * group as u64, 4);
        marks.end_group()
    };
    let mut one = new(grain);
    let on_one_thread = (0..groups.len()).map(|group| run(&one, group)).max().unwrap();
    one.reset(grain);
    assert_eq!(on_one_thread, (0..groups.len()).map(|group| run(&one, group)).max().unwrap(), "{groups:?}");
    let threads: Vec<Marks> = groups.iter().map(|_| new(grain)).collect();
    assert!(threads.iter().enumerate().all(|(group, marks)| run(marks, group) == Meeting::No));
    let on_threads = threads[1..].iter().map(|one| threads[0].join(one)).max().unwrap();
    assert_eq!(on_one_thread, on_threads, "{groups:?}");
    on_one_thread
}

fn yes(meets: bool) -> Meeting {
    if meets { Meeting::Yes } else { Meeting::No }
}

#[test]
fn groups_meet_where_one_writes() {
    for grain in [Grain::Dword, Grain::Byte] {
        for (a, b, expected) in [
            (Load, Load, false),
            (Load, Store, true),
            (Load, Atomic, true),
            (Store, Store, true),
            (Store, Atomic, true),
            (Atomic, Atomic, false),
        ] {
            for at in [0, 252, 4096, 99_996] {
                for (a, b) in [(a, b), (b, a)] {
                    let expected = yes(expected);
                    assert_eq!(meets(grain, &[&[(a, at, 4)], &[(b, at, 4)]]), expected, "{a:?} {b:?} {at}");
                    let of_one_group: &[&[_]] = &[&[(a, 40, 4), (b, 40, 4)], &[(a, 44, 4)]];
                    assert_eq!(meets(grain, of_one_group), Meeting::No, "{a:?} {b:?}");
                    assert_eq!(meets(grain, &[&[(a, 0, 1000)], &[(b, 1000, 1000)]]), Meeting::No);
                    assert_eq!(meets(grain, &[&[(a, 0, 1000)], &[(b, 2000, 8)], &[(b, 996, 8)]]), expected);
                    let scattered: &[&[_]] = &[&[(a, 800, 4), (a, 0, 4), (a, 400, 4)], &[(b, 404, 4), (b, 0, 4)]];
                    assert_eq!(meets(grain, scattered), expected);
                    assert_eq!(meets(grain, &[scattered[0], &[(b, 404, 4), (b, 4, 4)]]), Meeting::No);
                }
            }
        }
    }
}

/// Groups that access bytes of one dword may share bytes.
#[test]
fn marks_of_dwords_do_not_tell_bytes_apart() {
    let apart: &[&[_]] = &[&[(Store, 8, 1)], &[(Store, 9, 3)]];
    assert_eq!((meets(Grain::Dword, apart), meets(Grain::Byte, apart)), (Meeting::Maybe, Meeting::No));
    let together: &[&[_]] = &[&[(Store, 8, 2)], &[(Store, 9, 3)]];
    assert_eq!((meets(Grain::Dword, together), meets(Grain::Byte, together)), (Meeting::Maybe, Meeting::Yes));
    let dwords: &[&[_]] = &[&[(Store, 8, 2)], &[(Store, 12, 4)]];
    assert_eq!((meets(Grain::Dword, dwords), meets(Grain::Byte, dwords)), (Meeting::No, Meeting::No));
}

/// Groups go through memory upwards, downwards, or in any order.
#[test]
fn the_order_of_places_does_not_matter() {
    let orders: [fn(u64) -> u64; 4] = [|group| group, |group| 49 - group, |group| group * 17 % 50, |group| group ^ 1];
    for order in orders {
        for access in [Load, Store, Atomic] {
            let marks = new(Grain::Byte);
            for group in 0..50 {
                marks.mark(access, 1000 * order(group), 600);
                marks.mark(access, 1000 * order(group) + 600, 400);
                assert_eq!(marks.end_group(), Meeting::No, "{group}");
            }
            for at in [0, 999, 1000, 17_800, 49_999] {
                marks.mark(Store, at, 1);
                assert_eq!(marks.end_group(), Meeting::Yes, "{at}");
            }
            marks.mark(Store, 50_000, 1);
            assert_eq!(marks.end_group(), Meeting::No);
        }
    }
}

#[test]
fn rows_are_marked_lane_by_lane() {
    for grain in [Grain::Dword, Grain::Byte] {
        for (step, at, mask) in [
            (4, 0, !0),
            (4, 252, !0),
            (4, 8, 0xf0f0),
            (4, 20, 0xff0),
            (1, 3, !0),
            (8, 16, 1 << 63 | 1),
            (16, 4, 0b101),
            (2, 6, 6),
            (4, 6, 0b1011),
        ] {
            let (row, lanes) = (new(grain), new(grain));
            row.mark_row(Store, at, step, mask);
            for lane in (0..64).filter(|lane| mask >> lane & 1 == 1) {
                lanes.mark(Store, at + u64::from(step) * (lane - u64::from(mask.trailing_zeros())), step.into());
            }
            assert_eq!(row.group.all(Store), lanes.group.all(Store), "{grain:?} {step} {at} {mask:x}");
        }
    }
}

#[test]
fn what_is_accessed_in_one_way_only_is_not_marked() {
    for (only, other) in [(Load, Atomic), (Load, Store), (Atomic, Load), (Atomic, Store)] {
        let marks = new(Grain::Dword);
        // The first group that accesses the mapping decides.
        assert_eq!(marks.end_group(), Meeting::No);
        marks.mark(only, 0, 4);
        assert_eq!(marks.end_group(), Meeting::No);
        assert!(!marks.wants(only) && marks.wants(Store));
        marks.mark(only, 4, 4);
        assert_eq!(marks.end_group(), Meeting::No);
        marks.mark(other, 8, 4);
        assert_eq!(marks.end_group(), Meeting::Maybe);
        // The accesses may be those of several threads.
        let threads = [new(Grain::Dword), new(Grain::Dword)];
        for (thread, access) in threads.iter().zip([only, other]) {
            thread.mark(access, 0, 4);
            assert_eq!(thread.end_group(), Meeting::No);
        }
        assert_eq!(threads[0].join(&threads[1]), Meeting::Maybe, "{only:?} {other:?}");
    }
    let written = new(Grain::Dword);
    written.mark(Store, 0, 4);
    written.end_group();
    assert!(written.wants(Load) && written.wants(Atomic));
}

/// The lanes whose dword is that of the lane below, or behind it.
fn joined(distances: &[u32; 64]) -> u64 {
    let is_joined =
        |lane: &usize| [0, 4].into_iter().any(|step| distances[lane - 1].checked_add(step) == Some(distances[*lane]));
    (1..64).filter(is_joined).map(|lane| 1 << lane).sum()
}

#[test]
fn lanes_are_marked_wherever_they_are() {
    let row: [u32; 64] = std::array::from_fn(|lane| 4 * lane as u32);
    let far = row.map(|at| at.wrapping_mul(31).wrapping_add(7) % 4000);
    let wraps: [u32; 64] = std::array::from_fn(|lane| (4 * lane as u32).wrapping_sub(128));
    let rows: [u32; 64] = std::array::from_fn(|lane| 4 * (lane as u32 % 16) + 100 * (lane as u32 / 16));
    let pairs: [u32; 64] = std::array::from_fn(|lane| 4 * (lane as u32 / 2));
    for (distances, mask, at) in [
        (row, !0, 0),
        (row, 0xf0, 8),
        (row, !0, 3900),
        (far, !0, 7),
        (far, 0xff00, 300),
        (wraps, !0, 100),
        (wraps, 1 << 63 | 1, 9),
        (rows, !0, 0),
        (rows, 0xffff_0ff0_7fff_7ffe, 40),
        (rows, !0, 3700),
        (pairs, !0, 12),
        (pairs, 0xaaaa_ffff_0000_3333, 4000),
    ] {
        let [all, apart, each] = [(); 3].map(|()| Marks::new(4096, Grain::Byte).unwrap());
        all.mark_lanes(Store, at, 4, &distances, joined(&distances), mask);
        let lowest = distances[mask.trailing_zeros() as usize];
        for lane in (0..64).filter(|lane| mask >> lane & 1 == 1) {
            let at = at as i64 + distances[lane] as i64 - lowest as i64;
            if (0..=4092).contains(&at) {
                each.mark(Store, at as u64, 4);
            }
        }
        assert_eq!(all.group.all(Store), each.group.all(Store), "{mask:x} {at}");
        apart.mark_lanes(Store, at, 4, &distances, 0, mask);
        assert_eq!(apart.group.all(Store), each.group.all(Store), "{mask:x} {at}, lane by lane");
    }
}

#[test]
fn parts_of_structures_are_marked_lane_by_lane() {
    for (size, step, at, first) in [
        (20, 16, 0, 0),
        (20, 4, 16, 16),
        (32, 16, 48, 7),
        (4, 4, 252, 0),
        (12, 8, 4, 0),
        (17, 3, 9, 5),
        (256, 4, 0, 0),
        (300, 16, 80_000, 0),
        (300, 16, 81_090, 0),
        (8, 16, 40, 0),
        (16, 8, 4096, u32::MAX - 1000),
    ] {
        for grain in [Grain::Dword, Grain::Byte] {
            let distances = std::array::from_fn(|lane| size * lane as u32).map(|at: u32| at.wrapping_add(first));
            let [all, each] = [(); 2].map(|()| new(grain));
            for group in 0..2 {
                all.mark_lanes(Store, at, step, &distances, 0, !0);
                for distance in distances {
                    let at = (at + u64::from(distance)).wrapping_sub(first.into());
                    if at <= 100_000 - u64::from(step) {
                        each.mark(Store, at, step.into());
                    }
                }
                assert_eq!(all.group.all(Store), each.group.all(Store), "{grain:?} {size} {step} {at}");
                assert_eq!(all.is_vague.load(Relaxed), each.is_vague.load(Relaxed), "{grain:?} {size} {step} {at}");
                assert_eq!(all.end_group(), each.end_group(), "{group}");
            }
        }
    }
}

/// Kept accesses are marked if the group accesses the mapping in another way, whether before or after them.
#[test]
fn loads_before_the_first_store_count() {
    let distances = std::array::from_fn(|lane| 8 * lane as u32);
    for (kept, count, late) in [(Load, 1, true), (Atomic, 1, false), (Load, 400, false), (Load, 400, true)] {
        let marks = Marks::new(1 << 20, Grain::Dword).unwrap();
        if !late {
            marks.mark(Store, 0, 4);
        }
        for _ in 0..count {
            marks.mark(kept, 4096, 8);
            marks.mark_row(kept, 8192, 4, 0b11);
            marks.mark_lanes(kept, 16384, 4, &distances, 0, 1 << 2 | 1 << 3);
        }
        marks.mark(Store, 0, 4);
        // 1,200 accesses are too many to keep.
        assert_eq!(marks.end_group(), Meeting::No, "{count} {late}");
        for (at, expected) in [(4100, true), (8196, true), (8200, false), (16384, true), (16388, false), (16392, true)]
        {
            marks.mark(Store, at, 4);
            assert_eq!(marks.end_group(), yes(expected), "{at} {count} {late}");
        }
    }
}

/// A first group that loads more than can be kept, and does nothing else, lets loads be left out.
#[test]
fn many_loads_alone_need_no_marks() {
    let marks = new(Grain::Dword);
    (0..2000).for_each(|n| marks.mark(Load, 8 * n, 4));
    assert_eq!((marks.end_group(), marks.wants(Load)), (No, false));
    assert!(marks.before.all(Load).is_empty() && marks.group.all(Load).is_empty());
    marks.mark(Store, 40_000, 4);
    assert_eq!(marks.end_group(), Meeting::Maybe);
}

/// Groups that go over a buffer in strides, row by row, need no bits.
#[test]
fn rows_in_strides_stay_ranges() {
    let marks = Marks::new(4 << 20, Grain::Dword).unwrap();
    for group in 0..64 {
        for wave in 0..4 {
            for row in (0..64).chain(0..64) {
                let at = 4 * (16384 * row + 256 * group + 64 * wave);
                if !marks.mark_again(Store, at, 256) {
                    marks.mark_row(Store, at, 4, !0);
                }
            }
        }
        assert!(!marks.group.is_spilled(), "{group}");
        assert_eq!(marks.end_group(), Meeting::No);
        assert!(!marks.before.is_spilled(), "{group}");
    }
    marks.mark(Store, 4 * 16384 * 5 - 4, 4);
    assert_eq!(marks.end_group(), Meeting::Yes);
}

/// Marks of bytes tell all that was accessed, by groups that have ended and by the one that has not.
#[test]
fn what_was_accessed_is_told() {
    let mut rng = gcnsim_random::Rng::new(0xacce);
    for round in 0..40 {
        let marks = new(Grain::Byte);
        let mut naive = [(); 3].map(|()| vec![false; 100_000]);
        let kinds = [Load, Store, Atomic];
        for _ in 0..rng.below(60) {
            let (kind, at) = (rng.below(3) as usize, u64::from(rng.below(1000)) * if round % 2 == 0 { 1 } else { 64 });
            let bytes = u64::from(1 + rng.below(if round % 3 == 0 { 700 } else { 8 }));
            marks.mark(kinds[kind], at, bytes);
            (at..at + bytes).for_each(|at| naive[kind][at as usize] = true);
            if rng.one_in(4) {
                marks.mark_lanes(kinds[kind], at, 4, &std::array::from_fn(|lane| 36 * lane as u32), 0, !0);
                (0..64)
                    .flat_map(|lane| 36 * lane..36 * lane + 4)
                    .for_each(|byte| naive[kind][at as usize + byte] = true);
            }
            if rng.one_in(3) {
                marks.end_group();
            }
        }
        for wanted in [&[Load, Atomic][..], &[Store, Atomic], &[Load]] {
            let is_one = |at: usize| kinds.iter().zip(&naive).any(|(kind, naive)| wanted.contains(kind) && naive[at]);
            let ranges = marks.accessed(wanted);
            assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start), "{ranges:?}");
            let told: Vec<usize> = ranges.into_iter().flatten().map(|at| at as usize).collect();
            assert!(told == (0..100_000).filter(|&at| is_one(at)).collect::<Vec<_>>(), "{round}");
        }
    }
}

/// Loads from a buffer, as a helper does.
fn load_from(marks: &Marks, buffer: &Range<u64>, at: u64, bytes: u64) {
    if marks.wants(Load) && !marks.is_quiet(buffer) {
        marks.mark(Load, at, bytes);
    }
}

#[test]
fn loads_of_buffers_without_stores_are_left_out() {
    let (input, output) = (0..4096, 4096..8192);
    let group = |marks: &Marks, number: u64, store: u64| {
        (0..8).for_each(|n| load_from(marks, &input, 128 * n, 64));
        load_from(marks, &output, 4096 + 64 * number, 64);
        marks.mark(Store, store, 64);
        marks.end_group()
    };
    let marks = new(Grain::Buffer);
    assert_eq!((0..9).map(|n| group(&marks, n, 4096 + 64 * n)).max(), Some(Meeting::No));
    assert_eq!((marks.is_quiet(&input), marks.is_quiet(&output)), (true, false));
    assert_eq!((marks.before.all(Load).first(), marks.before.all(Store).len()), (Some(&1024), 9 * 16));
    // Nobody knows whether a group has loaded what is stored now.
    assert_eq!(group(&marks, 9, 3000), Meeting::Maybe);
    // A group that loads from the output what another one has stored meets it.
    let marks = new(Grain::Buffer);
    assert_eq!([group(&marks, 0, 4096), group(&marks, 1, 5000), group(&marks, 0, 6000)], [No, No, Yes]);
    // Stores of other threads count, too.
    let [one, other] = [new(Grain::Buffer), new(Grain::Buffer)];
    assert_eq!([group(&one, 0, 4096), group(&other, 1, 3000)], [No, No]);
    assert_eq!((one.join(&other), other.is_quiet(&input)), (Meeting::Maybe, false));
}

/// Groups load from and store to parts of some buffers. Whether they meet is found out byte by byte, too. A few groups
/// store to buffers that others only load.
#[test]
fn whatever_is_left_out_no_meeting_is_missed() {
    let mut random = Rng::new(1);
    let mut below = |n: u32| u64::from(random.below(n));
    let mut known = [0; 2];
    let mut marks = [Grain::Buffer, Grain::Byte].map(|grain| [0; 3].map(|_| new(grain)));
    for _ in 0..2000 {
        marks[0].iter_mut().for_each(|marks| marks.reset(Grain::Buffer));
        marks[1].iter_mut().for_each(|marks| marks.reset(Grain::Byte));
        let [quick, exact] = &marks;
        let (stored, mut worst) = (below(4), [No; 2]);
        for group in 0..3 + below(6) {
            let thread = below(3) as usize;
            for _ in 0..below(8) {
                let (number, place) = (below(4), 4 * below(60));
                let (buffer, bytes) = (256 * number..256 * number + 256, 4 + 4 * below(4));
                let at = buffer.start + place.min(256 - bytes);
                if below(3) > 0 {
                    load_from(&quick[thread], &buffer, at, bytes);
                    exact[thread].mark(Load, at, bytes);
                    continue;
                }
                let number = if below(40) == 0 { number } else { stored };
                let at = 256 * number + 16 * (group % 16);
                quick[thread].mark(Store, at, 4);
                exact[thread].mark(Store, at, 4);
            }
            worst[0] = worst[0].max(quick[thread].end_group());
            worst[1] = worst[1].max(exact[thread].end_group());
        }
        let all = |threads: &[Marks], worst| {
            threads[1..].iter().fold(worst, |all: Meeting, one| all.max(threads[0].join(one)))
        };
        let (quick, exact) = (all(quick, worst[0]), all(exact, worst[1]));
        assert!(quick == Meeting::Maybe || quick == exact, "{quick:?} {exact:?}");
        known[usize::from(quick == Meeting::Maybe)] += 1;
    }
    assert!(known[0] > 500 && known[1] > 50, "{known:?}");
}

#[test]
fn marks_are_used_again_without_their_places() {
    let marked = |bytes: u64| {
        let lazy = LazyMarks::new(bytes, Grain::Dword);
        let marks = lazy.get().unwrap();
        let places = marks.before.all(Store);
        (0..400).for_each(|i| marks.mark(Store, 16 * i, 4));
        let meets = lazy.end_group();
        (places, meets)
    };
    for _ in 0..3 {
        assert_eq!(marked(77_777), (Vec::new(), Meeting::No));
    }
}
