//! Every row with an atomic does the operation of its name.

use super::*;

/// The value in memory before, and the operands: the source, then the value that is compared.
const OLD: u32 = 0x8000_0005;
const D: u32 = 6;

/// By the name of an integer operation (docs/gcn/memory.md#atomic-operations).
fn expected(name: &str) -> u32 {
    match name {
        "swap" | "wrxchg" | "cmpswap" | "umin" | "smax" => D,
        "add" => 0x8000_000b,
        "sub" => 0x7fff_ffff,
        "rsub" => 0x8000_0001,
        "smin" | "umax" => OLD,
        "and" => 4,
        "or" => 0x8000_0007,
        "xor" => 0x8000_0003,
        "inc" => 0,
        "dec" => D,
        name => panic!("{name}"),
    }
}

/// The rows of an encoding with atomics on integers: mnemonic and operation.
fn rows(arch: Arch, encoding: Encoding, prefix: &str) -> Vec<(&'static str, String, bool)> {
    let rows = table::all_rows().filter(|row| row.encoding == encoding && row.opcode_on(arch).is_some());
    let atomics = rows.filter_map(|row| {
        let name = row.mnemonic.strip_prefix(prefix)?;
        let (name, wide) = name.strip_suffix("_x2").map_or((name, false), |name| (name, true));
        (!name.starts_with('f')).then(|| (row.mnemonic, name.to_string(), wide))
    });
    atomics.collect()
}

#[test]
fn vector_memory() {
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        for (encoding, prefix) in [
            (Encoding::Mubuf, "buffer_atomic_"),
            (Encoding::Flat, "flat_atomic_"),
            (Encoding::Global, "global_atomic_"),
        ] {
            let rows = rows(arch, encoding, prefix);
            let exists = match encoding {
                Encoding::Flat => arch != GFX6,
                Encoding::Global => arch == GFX9,
                _ => true,
            };
            assert_eq!(rows.len() >= 26, exists, "{arch} {prefix}");
            for (mnemonic, name, wide) in rows {
                let place = Place::new(arch).sgprs(8, &[MEMORY as u32, 0, 64, 4 << 15]).vgpr64(0, |_| MEMORY);
                // The upper dwords: sign and zeros, so that the results are those of 32 bits, moved.
                let mut place = match wide {
                    false => place.dwords(MEMORY, &[OLD]).vgpr(2, |_| D).vgpr(3, |_| OLD),
                    true => place
                        .dwords(MEMORY, &[0, OLD])
                        .vgpr64(2, |_| (D as u64) << 32)
                        .vgpr64(4, |_| (OLD as u64) << 32),
                }
                .exec(1);
                let words = match encoding {
                    Encoding::Mubuf => mubuf(arch, mnemonic, [0, 2, 8], 0),
                    _ => flat(arch, mnemonic, [0, 2, 6], 0, None),
                };
                place.run(words);
                // Steps of 1 are at the lower end.
                let result = place.dword(MEMORY + 4 * wide as u64);
                assert_eq!(result, expected(&name), "{arch} {mnemonic}");
            }
        }
    }
}

#[test]
fn scalar_memory() {
    for (prefix, records) in [("s_atomic_", 0), ("s_buffer_atomic_", 64)] {
        let rows = rows(GFX9, Encoding::Smem, prefix);
        assert_eq!(rows.len(), 26);
        for (mnemonic, name, wide) in rows {
            let place = Place::new(GFX9).sgprs(4, &[MEMORY as u32, 0, records, 0]);
            let mut place = match wide {
                false => place.dwords(MEMORY, &[OLD]).sgprs(8, &[D, OLD]),
                true => place.dwords(MEMORY, &[0, OLD]).sgprs(8, &[0, D, 0, OLD]),
            };
            place.run(smem(GFX9, mnemonic, 8, 4, Some(0), None));
            assert_eq!(place.dword(MEMORY + 4 * wide as u64), expected(&name), "{mnemonic}");
        }
    }
}

#[test]
fn local_data_share() {
    for arch in [GFX6, GFX7, GFX8, GFX9] {
        let names =
            ["add", "sub", "rsub", "inc", "dec", "min_i", "max_i", "min_u", "max_u", "and", "or", "xor", "wrxchg"];
        for name in names {
            let operation = match name {
                "min_i" => "smin",
                "max_i" => "smax",
                "min_u" => "umin",
                "max_u" => "umax",
                name => name,
            };
            for bits in [32, 64] {
                let [base, letter] = match name.split_once('_') {
                    Some((base, letter)) => [base, letter],
                    None if matches!(name, "and" | "or" | "xor" | "wrxchg") => [name, "b"],
                    None => [name, "u"],
                };
                for part in ["", "_rtn", "_src2"] {
                    if name == "wrxchg" && part != "_rtn" {
                        continue;
                    }
                    let mnemonic = format!("ds_{base}{part}_{letter}{bits}");
                    let place = Place::new(arch).vgpr(0, |_| 0).exec(1);
                    let wide = bits == 64;
                    // Operand B of SRC2 forms is at 16.
                    let mut place = match wide {
                        false => place.lds(0, &[OLD]).lds(16, &[D]).vgpr(2, |_| D),
                        true => place.lds(0, &[0, OLD]).lds(16, &[0, D]).vgpr64(2, |_| (D as u64) << 32),
                    };
                    let is_src2 = part == "_src2";
                    let registers = if is_src2 { [0; 4] } else { [0, 2, 0, if part == "_rtn" { 4 } else { 0 }] };
                    place.run(ds(arch, &mnemonic, registers, if is_src2 { 4 } else { 0 }));
                    assert_eq!(place.lds_dword(4 * wide as usize), expected(operation), "{arch} {mnemonic}");
                    if part == "_rtn" {
                        assert_eq!(place.lane(4 + wide as u8, 0), OLD, "{arch} {mnemonic}");
                    }
                }
            }
        }
    }
}
