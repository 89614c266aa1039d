use gcnsim_random::Rng;

use super::*;

/// Random stores, snapshots, restores and drops, beside copies of all bytes.
#[test]
fn snapshots_bring_back_what_there_was() {
    let mut rng = Rng::new(0x5a9);
    let mut restored = 0;
    for round in 0..60 {
        let len = [1, 100, PAGE, 3 * PAGE + 17, 40 * PAGE][round % 5];
        let backing = Arc::new(Backing::zeroed(len).unwrap());
        let mut living: Vec<(BackingSnapshot, Vec<u8>)> = Vec::new();
        if rng.one_in(2) {
            living.push((BackingSnapshot::of_zeros(&backing), vec![0; len]));
        }
        for _ in 0..200 {
            match rng.below(12) {
                0 => living.push((BackingSnapshot::new(&backing), backing.to_vec())),
                1 if !living.is_empty() => drop(living.remove(rng.below(living.len() as u32) as usize)),
                2 if !living.is_empty() => {
                    let (snapshot, bytes) = &living[rng.below(living.len() as u32) as usize];
                    let at = rng.below(len as u32) as usize;
                    let mut part = vec![0; rng.below((len - at) as u32 + 1) as usize];
                    snapshot.read_into(at, &mut part);
                    assert!(part == bytes[at..at + part.len()], "round {round}");
                    snapshot.restore();
                    assert!(backing.to_vec() == *bytes, "round {round}");
                    restored += 1;
                }
                3 if len >= 8 => {
                    backing.update32(rng.below(len as u32 / 4) as usize * 4, |old| old ^ 0x1234);
                    backing.update64(rng.below(len as u32 / 8) as usize * 8, |old| old.wrapping_add(77));
                }
                4 => backing.clear(0, rng.below(len as u32 + 1) as usize),
                _ => {
                    let at = rng.below(len as u32) as usize;
                    let bytes = vec![rng.bits() as u8; 1 + rng.below((len - at).min(300) as u32) as usize];
                    backing.write(at, &bytes);
                }
            }
        }
    }
    assert!(restored > 300, "{restored}");
}

#[test]
fn only_pages_that_are_stored_to_are_kept() {
    let backing = Arc::new(Backing::zeroed(1000 * PAGE).unwrap());
    backing.write(5 * PAGE, &[1]);
    let kept = || backing.keeper().kept().copies.len();
    let first = BackingSnapshot::new(&backing);
    backing.write(7 * PAGE - 1, &[2; 2]);
    assert_eq!(kept(), 2);
    let second = BackingSnapshot::new(&backing);
    backing.write(6 * PAGE, &[3]);
    backing.write(6 * PAGE + 8, &[3]);
    assert_eq!(kept(), 3);
    // The first one needs what the second one has kept.
    drop(second);
    first.restore();
    assert_eq!([5 * PAGE, 6 * PAGE, 7 * PAGE - 1, 7 * PAGE].map(|at| backing.read::<1>(at)[0]), [1, 0, 0, 0]);
    drop(first);
    assert_eq!((kept(), backing.is_kept()), (0, false));
    // Pages that are spare have what the next snapshot needs.
    let spare = || backing.keeper().kept().spare.len();
    assert_eq!(spare(), 3);
    let third = BackingSnapshot::new(&backing);
    backing.write(5 * PAGE, &[4]);
    assert!(backing.has_kept(5 * PAGE, PAGE) && !backing.has_kept(5 * PAGE, PAGE + 1));
    assert_eq!((kept(), spare()), (1, 2));
    third.restore();
    assert_eq!(backing.read::<1>(5 * PAGE), [1]);
}

/// Threads store to the same pages; what they find there first is kept.
#[test]
fn threads_may_store_at_the_same_time() {
    let backing = Arc::new(Backing::zeroed(64 * PAGE).unwrap());
    (0..64 * PAGE / 8).for_each(|i| backing.write(8 * i, &(i as u64).to_le_bytes()));
    let before = backing.to_vec();
    let snapshot = BackingSnapshot::new(&backing);
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let backing = &backing;
            scope.spawn(move || (0..64 * PAGE / 32).for_each(|i| backing.write(32 * i + 8 * thread, &[0xff; 8])));
        }
    });
    assert!(backing.to_vec().iter().all(|&byte| byte == 0xff));
    snapshot.restore();
    assert!(backing.to_vec() == before);
}
