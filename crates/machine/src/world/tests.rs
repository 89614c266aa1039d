//! Expected values of the rules were computed by a Python model of docs/refer/worlds.md.

use super::*;
use crate::{Access, Context, Journal, Place};

fn world(kind: WorldKind, variant: u32) -> World {
    World { kind, variant }
}

#[test]
fn data_are_floats_integers_or_both() {
    let four = |kind| [0, 1, 2, 3].map(|n| World::new(kind).dword(0x4000_0000 + 4 * n));
    assert_eq!(four(WorldKind::Float), [0x3f10_0000, 0x3f60_0000, 0x3f20_0000, 0x3f50_0000]);
    assert_eq!(four(WorldKind::Int), [4, 7, 7, 5]);
    let mixed = [0, 1, 2, 3].map(|n| World::new(WorldKind::Mixed).dword(0x4100_0000 + 4 * n));
    assert_eq!(mixed, [0x3fe0_0000, 0x3f98_0000, 4, 0x3f40_0000]);
    assert_eq!(world(WorldKind::Float, 0).dword(0x7fff_ffff_fffc), 0x3f50_0000);
    assert_eq!(world(WorldKind::Float, 3).dword(0), 0x3f20_0000);
    assert_eq!(world(WorldKind::Float, 0).dword(0x0800_0000), 0);
}

#[test]
fn tables_hold_descriptors_of_buffers() {
    let words = |address: u64| [0, 4, 8, 12].map(|at| World::new(WorldKind::Int).dword(address + at));
    assert_eq!(words(0x1000_0000), [0x5900_0000, 0x0100_0000, 0x0010_0000, 0x77fac]);
    assert_eq!(words(0xffff_8000_1030_0050), [0x7100_0000, 0x0100_0000, 0x0010_0000, 0x77fac]);
}

#[test]
fn attributes_texels_and_scalars() {
    let float = World::new(WorldKind::Float);
    assert_eq!(float.attribute(0, 0), [0x3ea0_0000, 0xbea0_0000, 0xbf10_0000]);
    assert_eq!(float.attribute(3, 2), [0x3fa8_0000, 0, 0xbf10_0000]);
    assert_eq!(world(WorldKind::Float, 1).attribute(31, 3), [0x3f60_0000, 0x3ec0_0000, 0xbee0_0000]);
    let at = ((5 * 64 + 3) * 64 + 2) * 4 + 1;
    assert_eq!([float.texel(0, 0), float.texel(0x1234_5678_9abc_def0, at)], [0x3ea0_0000, 0x3f90_0000]);
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|n| float.scalar(n)), [2, 0, 3, 7, 1, 4, 0, 1]);
    assert_eq!([hash64(0, 0), hash64(1, 2)], [0xe220_a839_7b1d_cdaf, 0xf893_a2ee_fb32_555e]);
    assert_eq!(world(WorldKind::Mixed, 2).version_name(), "synthetic-mixed+2.2");
}

/// Data at 0x4000_0000 and on, P0 to P20 of attr3.z with and without interpolation, a texel behind a key with bit 63
/// off and on, and scalar input 0.
#[test]
fn detailed_sets_have_other_numbers() {
    use WorldKind::{Float, Int, Mixed};
    let data = |kind, variant| [0, 1, 2, 3].map(|n| world(kind, variant).dword(0x4000_0000 + 4 * n));
    assert_eq!(data(Float, 4), [0x3f70_0000, 0x3e60_0000, 0x3f78_0000, 0x3f78_0000]);
    assert_eq!(data(Float, 7), [0x3e80_0000, 0xbf70_0000, 0x3f00_0000, 0xbe00_0000]);
    assert_eq!(data(Float, 8), [0x4040_0000, 0xc060_0000, 0xc000_0000, 0x4120_0000]);
    assert_eq!(data(Float, 11), [0xbbe0_0000, 0xbc30_0000, 0x3ba0_0000, 0x3b40_0000]);
    assert_eq!(data(Int, 6), [11, 11, 0, 9]);
    assert_eq!(data(Int, 9), [0xbc, 0xb2, 0xa8, 0x47]);
    assert_eq!(data(Int, 10), [0x806e_712f, 0x8049_c1af, 0x800a_8018, 0x8003_bafe]);
    assert_eq!(data(Mixed, 12), [0x3ea0_0000, 0x3f68_0000, 0x3f08_0000, 1]);
    let int = world(Int, 6);
    assert_eq!(int.attribute(3, 2), [0x3ea0_0000, 0x3ef0_0000, 0xbea0_0000]);
    assert_eq!(int.flat_attribute(3, 2), [12, 0x3ef0_0000, 0xbea0_0000]);
    let float = world(Float, 11);
    assert_eq!(float.flat_attribute(3, 2), [0, 0x3b90_0000, 0x3b40_0000]);
    assert_eq!(float.attribute_f16(3, 2), [0, 0x1c80, 0x1a00], "2^-9 * 2.25 and 2^-9 * 1.5");
    let texels =
        |kind, variant| [1u64, 0xf].map(|top| world(kind, variant).texel(top << 60 | 0x234_5678_9abc_def0, 13));
    assert_eq!(texels(Mixed, 12), [0x3e60_0000, 1]);
    assert_eq!(texels(Int, 6), [10, 1]);
    assert_eq!(texels(Float, 8), [0x4000_0000, 0xc040_0000]);
    let scalars = [world(Float, 4).scalar(0), int.scalar(1), world(Mixed, 12).scalar(0)];
    assert_eq!(scalars, [0x3f58_0000, 3, 0x3f48_0000]);
    // The sets before are not detailed: texels are floats, and scalar inputs small integers.
    let plain = world(Int, 3);
    assert_eq!((plain.flat_attribute(3, 2), plain.is_detailed()), (world(Float, 3).attribute(3, 2), false));
}

/// I and J are from 1/64 to 22/64, and their sum is at most 42/64, in the middle of pixels.
#[test]
fn attributes_of_detailed_sets_do_not_saturate() {
    for (variant, range) in [(4, 0.0..=1.0), (6, -1.0..=1.0), (13, 0.0..=1.0)] {
        for (attribute, channel) in (0..32).flat_map(|attribute| (0..4).map(move |channel| (attribute, channel))) {
            let [p0, p10, p20] = world(WorldKind::Mixed, variant).attribute(attribute, channel).map(f32::from_bits);
            let values = [(1.0, 1.0), (22.0, 20.0), (15.0, 22.0)].map(|(i, j)| p0 + (p10 * i + p20 * j) / 64.0);
            assert!(values.iter().all(|value| range.contains(value)), "{variant} {attribute} {channel}: {values:?}");
        }
    }
}

/// One float in eight is special: NaN, infinities, 2^100 and the like. Others are multiples of 1/2, as in wide sets.
#[test]
fn sets_from_128_on_have_special_floats() {
    let (wide, special) = (world(WorldKind::Float, 120), world(WorldKind::Float, 128));
    let is_plain = |bits: u32| matches!(f32::from_bits(bits) * 2.0, -7.0..=23.0) && bits != 0x8000_0000;
    let special_ones = |world: World| {
        let mut page = [0; 4096];
        world.fill(0x4000_0000, &mut page);
        let dwords = (0..4096).map(|n| world.dword(0x4000_0000 + 4 * n));
        assert!(dwords.eq(page), "whole pages are made of the same dwords");
        page.into_iter().filter(|bits| !(is_plain(*bits) && *bits != 1 && *bits != 0x0d80_0000)).collect::<Vec<_>>()
    };
    assert!(special_ones(wide).is_empty());
    let found = special_ones(special);
    assert!((400..620).contains(&found.len()), "{}", found.len());
    let mut kinds = found.clone();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, [1, 0x0d80_0000, 0x7180_0000, 0x7f80_0000, 0x7fc0_0000, 0x8000_0000, 0xf180_0000, 0xff80_0000]);
    // What P0 is in binary16.
    for attribute in 0..64 {
        let (p0, half) = (special.attribute(attribute, 0)[0], special.attribute_f16(attribute, 0)[0]);
        let expected = match p0 {
            0x7fc0_0000 => 0x7e00,
            0x7f80_0000 | 0x7180_0000 => 0x7c00,
            0xff80_0000 | 0xf180_0000 => 0xfc00,
            1 | 0x0d80_0000 => 0,
            0x8000_0000 => 0x8000,
            _ => continue,
        };
        assert_eq!(half, expected, "{p0:x}");
    }
}

#[test]
fn worlds_have_names() {
    for (name, expected) in [("float", (WorldKind::Float, 0)), ("mixed+12", (WorldKind::Mixed, 12))] {
        let found = World::of_name(name).unwrap();
        assert_eq!(((found.kind, found.variant), found.name()), (expected, format!("synthetic-{name}").into()));
    }
    for name in ["", "floats", "float+", "float++1", "float+-1", "float+4294967296", "+1"] {
        assert_eq!(World::of_name(name), None, "{name}");
    }
}

/// A context in the world of floats, with a piece that lies in two pages.
fn context() -> Context {
    let pieces = vec![WorldPiece::new(CODE + PAGE - 2, vec![1, 2, 3, 4])];
    Context::in_world(Inputs::new(World::new(WorldKind::Float), pieces), 64, PageStock::default())
}

/// Loads a dword as the slow path does.
fn load(context: &mut Context, address: u64) -> u32 {
    let mut bytes = [0; 4];
    while context.load(address, &mut bytes, None).is_err() {
        assert!(context.touch(address, 4, Access::Load));
    }
    u32::from_le_bytes(bytes)
}

fn store(context: &mut Context, address: u64, bytes: &[u8]) {
    while context.check(address, bytes.len() as u32, Access::Store, None).is_err() {
        assert!(context.touch(address, bytes.len() as u32, Access::Store));
    }
    context.store(address, bytes);
}

#[test]
fn pages_have_the_values_of_the_world() {
    let (mut context, world) = (context(), World::new(WorldKind::Float));
    for address in [0, 0x1000_0004, 0x2000_3ffc, 0x0800_0000, 0x4000_1000, 0xffff_8000_4000_1000, 0xffff_ffff_ffff_fffc]
    {
        assert_eq!(load(&mut context, address), world.dword(address), "{address:x}");
    }
    // Two pages: the last three bytes of one, the first byte of the next.
    let [a, b] = [world.dword(0x4000_7ffc), world.dword(0x4000_8000)];
    assert_eq!(load(&mut context, 0x4000_7ffd), a >> 8 | b << 24);
    assert_eq!(load(&mut context, CODE + PAGE - 2), 0x0403_0201);
    assert_eq!(load(&mut context, CODE + PAGE - 4) >> 16, 0x0201);
    assert!(!context.touch(0x4000_7ffd, 4, Access::Load), "it is there");
    assert_eq!(context.leave_world().0, Final::default());
}

/// A load through one alias sees what was stored through the other, whichever was touched first.
#[test]
fn aliases_show_the_same_bytes() {
    for (first, second) in [(0x4000_0010, 0xffff_8000_4000_0010), (0xffff_8000_4000_0010, 0x4000_0010)] {
        let mut context = context();
        load(&mut context, second);
        store(&mut context, first, &[1, 2, 3, 4]);
        assert_eq!(load(&mut context, second), 0x0403_0201);
        store(&mut context, second, &[5]);
        assert_eq!(load(&mut context, first), 0x0403_0205);
        let stores = context.leave_world().0.stores;
        assert!(stores.iter().eq([Stored { address: 0x4000_0010, bytes: &[5, 2, 3, 4] }]), "{stores:?}");
    }
}

#[test]
fn stores_are_the_bytes_that_differ() {
    let mut context = context();
    let old = load(&mut context, 0x5000_0100).to_le_bytes();
    store(&mut context, 0x5000_0100, &[old[0], !old[1], old[2], !old[3]]);
    store(&mut context, 0x5000_0000 - 2, &[0xff, 0xfe, 0xfd, 0xfc]);
    store(&mut context, SCRATCH, &[9; 4]);
    let (left, stock) = context.leave_world();
    let found: Vec<_> = left.stores.iter().map(|stored| (stored.address, stored.bytes)).collect();
    let first = (0x5000_0000 - 2, &[0xff, 0xfe, 0xfd, 0xfc][..]);
    assert_eq!(found, [first, (0x5000_0101, &[!old[1]]), (0x5000_0103, &[!old[3]])]);
    // The next run finds clean pages.
    let mut next = Context::in_world(Inputs::new(World::new(WorldKind::Float), Vec::new()), 0, stock);
    assert_eq!((load(&mut next, 0x5000_0100), load(&mut next, SCRATCH)), (u32::from_le_bytes(old), 0));
    assert_eq!(next.leave_world().0, Final::default());
}

/// Pages of another world are not used.
#[test]
fn a_stock_belongs_to_one_world() {
    let mut first = context();
    load(&mut first, 0x4000_0000);
    let stock = first.leave_world().1;
    let mut second = Context::in_world(Inputs::new(World::new(WorldKind::Int), Vec::new()), 0, stock);
    assert_eq!(load(&mut second, 0x4000_0000), 4);
}

/// Ranges of which a quarter was touched have one mapping, with the values of the world and all that was stored, for
/// each alias that was used.
#[test]
fn pages_become_areas() {
    let world = World::new(WorldKind::Float);
    let (base, alias) = (0x4100_0000, 0xffff_8000_4100_0000);
    let mut context = context();
    load(&mut context, alias + 5 * PAGE);
    for page in 0..14 {
        load(&mut context, base + page * 4 * PAGE);
    }
    store(&mut context, base + 8 * PAGE + 4, &[9, 8]);
    assert_eq!(context.space.mappings().len(), 15);
    store(&mut context, base + 63 * PAGE, &[7]);
    let all: Vec<_> = context.space.mappings().iter().map(|mapping| (mapping.base, mapping.len)).collect();
    assert_eq!(all, [(base, 1 << 20), (alias, 1 << 20)]);
    let of = |at: u64| match at - base {
        at if at == 8 * PAGE + 4 => world.dword(base + at) & !0xffff | 0x0809,
        at if at == 63 * PAGE => world.dword(base + at) & !0xff | 7,
        at => world.dword(base + at),
    };
    for at in (base..base + (1 << 20)).step_by(4) {
        let mut bytes = [0; 4];
        context.load(at, &mut bytes, None).unwrap();
        assert_eq!(u32::from_le_bytes(bytes), of(at), "{at:x}");
    }
    // Four of 16 megabytes are a quarter, as soon as the last one is an area.
    for page in 0..64 {
        load(&mut context, base + page * 4 * PAGE);
    }
    assert_eq!(context.space.mappings().iter().filter(|mapping| mapping.len == 16 << 20).count(), 2);
    assert_eq!(load(&mut context, alias + 8 * PAGE + 4), of(base + 8 * PAGE + 4));
    store(&mut context, alias + 1023 * PAGE, &[world.dword(base + 1023 * PAGE) as u8 ^ 1]);
    let stores = context.leave_world().0.stores;
    assert_eq!(
        stores.iter().map(|stored| stored.address).collect::<Vec<_>>(),
        [8 * PAGE + 4, 63 * PAGE, 1023 * PAGE].map(|at| base + at)
    );
}

#[test]
fn memory_is_bounded() {
    let mut context = context();
    let mut touched = 0;
    while !context.is_world_full() {
        context.touch(touched * PAGE, 4, Access::Load);
        touched += 1;
    }
    assert_eq!((touched - 1) * PAGE, 256 << 20);
    assert!(context.touch(1 << 47, 4, Access::Load), "an alias needs no room");
}

#[test]
fn a_closed_world_makes_nothing() {
    let mut context = context();
    context.close_world();
    assert!(!context.allows_all() && !context.touch(0x4000_0000, 4, Access::Load));
    context.open_world();
    assert!(context.allows_all() && context.touch(0x4000_0000, 4, Access::Load));
}

#[test]
fn images_have_an_overlay() {
    let (mut context, world) = (context(), World::new(WorldKind::Float));
    assert_eq!(context.world_texel(7, 5), world.texel(7, 5));
    context.put_world_texel(7, 5, 1);
    context.start_recording();
    assert_eq!(context.update_world_texel(7, 5, |old| old + 2), 1);
    context.put_world_texel(3, 6, 8);
    let journal = context.stop_recording();
    assert_eq!((context.world_texel(7, 5), context.world_texel(3, 6)), (3, 8));
    let differences = journal.differences(&Journal::default());
    assert_eq!(differences.len(), 1 + 3, "the low byte of 3 and 1; all but one of a float and 8");
    let byte = |byte: &crate::Differing| Some(context.byte(Place::Image, byte.address)) == byte.bytes[0];
    assert!(differences.iter().all(byte));
    context.undo(&journal);
    assert_eq!((context.world_texel(7, 5), context.world_texel(3, 6)), (1, world.texel(3, 6)));
    let images = context.leave_world().0.images;
    assert_eq!(images, [ImageDword { key: 7, at: 5, bits: 1 }]);
    assert_eq!((context.world_texel(7, 5), context.world()), (0, None));
}

#[test]
fn snapshots_bring_everything_back() {
    let mut context = context();
    store(&mut context, 0x4000_0000, &[1; 4]);
    context.put_world_texel(1, 1, 1);
    let snapshot = context.snapshot();
    store(&mut context, 0x4000_0000, &[2; 4]);
    store(&mut context, 0x4001_0000, &[2; 4]);
    context.put_world_texel(1, 1, 2);
    context.restore(&snapshot);
    let left = context.leave_world().0;
    assert!(left.stores.iter().eq([Stored { address: 0x4000_0000, bytes: &[1; 4] }]), "{left:?}");
    assert_eq!(left.images, [ImageDword { key: 1, at: 1, bits: 1 }]);
}

#[test]
fn computed_numbers_are_the_same() {
    let special = [0, 30, 31, u64::MAX, 1 << 30, (1 << 30) - 1, 1 << 60, (1 << 60) - 1];
    for hash in (0..100_000).map(|n| hash64(n, 9)).chain(special) {
        for numbers in [PLAIN, BELOW_ONE, SIGNED, WIDE, EXTREME] {
            let computed = computed_number(hash, numbers.first_float, numbers.float_step);
            assert_eq!(computed, numbers.float(hash), "{hash:#x}");
        }
    }
}
