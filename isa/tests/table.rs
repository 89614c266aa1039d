//! Checks the table itself: numbers of rows, no word with two meanings, every row reachable.

mod transfers;

use std::collections::HashMap;

use gcnsim_isa::table::{Has, all_rows};
use gcnsim_isa::{Arch, Encoding, Form, InstDesc, Opcode, coverage, decode};
use gcnsim_random::Rng;

/// Rows per encoding on GCN 1.0, 1.1, 1.2, 1.4, 1.4.1.
const COUNTS: [(Encoding, [usize; 5]); 21] = [
    (Encoding::Sop1, [50, 50, 51, 56, 56]),
    (Encoding::Sop2, [43, 43, 44, 53, 53]),
    (Encoding::Sopc, [17, 17, 20, 20, 20]),
    (Encoding::Sopk, [21, 21, 21, 22, 22]),
    (Encoding::Sopp, [21, 26, 30, 31, 31]),
    (Encoding::Vopc, [196, 196, 198, 198, 198]),
    (Encoding::Smrd, [12, 13, 0, 0, 0]),
    (Encoding::Smem, [0, 0, 24, 84, 84]),
    (Encoding::Vop1, [60, 66, 77, 81, 81]),
    (Encoding::Vop2, [50, 50, 52, 55, 57]),
    (Encoding::Vop3, [53, 56, 77, 109, 109]),
    (Encoding::Vop3p, [0, 0, 0, 22, 29]),
    (Encoding::Vintrp, [3, 3, 3, 3, 3]),
    (Encoding::Ds, [131, 139, 144, 154, 154]),
    (Encoding::Flat, [0, 46, 40, 48, 48]),
    (Encoding::Global, [0, 0, 0, 48, 48]),
    (Encoding::Scratch, [0, 0, 0, 22, 22]),
    (Encoding::Mubuf, [56, 56, 59, 69, 69]),
    (Encoding::Mtbuf, [8, 8, 16, 16, 16]),
    (Encoding::Mimg, [93, 92, 89, 92, 92]),
    (Encoding::Exp, [1, 1, 1, 1, 1]),
];

/// The column of a generation in [`COUNTS`]. Chips that differ from theirs have as many rows.
fn column(arch: Arch) -> usize {
    Arch::GENERATIONS.into_iter().position(|generation| generation == arch.generation()).unwrap()
}

/// gfx904 has V_FMA_MIX_* in the place of V_MAD_MIX_*, and gfx810 the opcodes of its generation.
#[test]
fn chips_that_differ_from_their_generation() {
    let differences = |chip: Arch| {
        let other = |row: &&InstDesc| row.opcode_on(chip) != row.opcode_on(chip.generation());
        all_rows().filter(other).map(|row| (row.mnemonic, row.opcode_on(chip))).collect::<Vec<_>>()
    };
    assert_eq!(differences(Arch::Gfx810), []);
    let expected = [
        ("v_fma_mix_f32", Some(32)),
        ("v_mad_mix_f32", None),
        ("v_fma_mixlo_f16", Some(33)),
        ("v_mad_mixlo_f16", None),
        ("v_fma_mixhi_f16", Some(34)),
        ("v_mad_mixhi_f16", None),
    ];
    assert_eq!(differences(Arch::Gfx904), expected);
}

#[test]
fn counts_per_encoding_and_generation() {
    let mut wrong = Vec::new();
    for (encoding, expected) in COUNTS {
        for arch in Arch::ALL {
            let count = all_rows().filter(|row| row.encoding == encoding && row.opcode_on(arch).is_some()).count();
            if count != expected[column(arch)] {
                wrong.push(format!("{} {arch}: {count}, not {}", encoding.name(), expected[column(arch)]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn coverage_lists_each_row_and_generation_once() {
    for arch in Arch::ALL {
        let entries: Vec<_> = coverage::entries().filter(|entry| entry.arch == arch).collect();
        let rows = all_rows().filter(|row| row.opcode_on(arch).is_some()).count();
        assert_eq!(entries.iter().filter(|entry| !entry.vop3).count(), rows);
        let compares = COUNTS[5].1[column(arch)];
        assert_eq!(entries.iter().filter(|entry| entry.vop3).count(), compares);
        let core: usize = COUNTS[..6].iter().map(|(_, counts)| counts[column(arch)]).sum();
        assert_eq!(entries.iter().filter(|entry| entry.is_core() && !entry.vop3).count(), core);
    }
    let unknown: Vec<_> = all_rows().filter(|row| row.unknown).map(|row| (row.mnemonic, row.op)).collect();
    let expected = [
        ("s_mov_regrd_b32", 47),
        ("s_getreg_regrd_b32", 19),
        ("v_mov_prsv_b32", 54),
        ("v_writelane_regwr_b32", 80),
        ("v_mac_legacy_f32", 654),
        ("v_readlane_regrd_b32", 667),
    ];
    assert_eq!(
        unknown.iter().map(|(mnemonic, op)| (*mnemonic, op[Arch::Gcn14 as usize])).collect::<Vec<_>>(),
        expected
    );
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn mnemonics_are_unique_per_encoding_and_generation() {
    for arch in Arch::ALL {
        let mut seen = HashMap::new();
        for row in all_rows().filter(|row| row.opcode_on(arch).is_some()) {
            assert!(seen.insert((row.encoding, row.mnemonic), row).is_none(), "{arch}: {}", row.mnemonic);
            assert_eq!(row.opcode.desc().opcode, row.opcode, "{}", row.mnemonic);
        }
    }
}

/// The bits of the first dword that identify a row and a form.
#[derive(Clone, Copy)]
struct Pattern {
    mask: u32,
    value: u32,
    row: &'static InstDesc,
    form: Form,
}

/// Field layouts (ISA manual, "instruction formats").
fn patterns(arch: Arch) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    let gcn12 = arch.is_gcn12_or_later();
    let gcn14 = arch.is_gcn14_or_later();
    let ds = if gcn12 { 17 } else { 18 };
    let seg = if gcn14 { 3 << 14 } else { 0 };
    for row in all_rows() {
        let Some(op) = row.opcode_on(arch) else { continue };
        let op = op as u32;
        // Fixed leading bits, their number, position and width of the opcode, other fixed bits (mask, value).
        let (lead, lead_bits, at, width, extra) = match row.encoding {
            Encoding::Sop1 => (0x17d, 9, 8, 8, (0, 0)),
            Encoding::Sopc => (0x17e, 9, 16, 7, (0, 0)),
            Encoding::Sopp => (0x17f, 9, 16, 7, (0, 0)),
            Encoding::Sopk => (0xb, 4, 23, 5, (0, 0)),
            Encoding::Sop2 => (2, 2, 23, 7, (0, 0)),
            Encoding::Vop1 => (0x3f, 7, 9, 8, (0, 0)),
            Encoding::Vopc => (0x3e, 7, 17, 8, (0, 0)),
            Encoding::Vop2 => (0, 1, 25, 6, (0, 0)),
            Encoding::Smrd => (0x18, 5, 22, 5, (0, 0)),
            Encoding::Smem => (0x30, 6, 18, 8, (0, 0)),
            Encoding::Vintrp => (if gcn12 { 0x35 } else { 0x32 }, 6, 16, 2, (0, 0)),
            Encoding::Vop3 if gcn12 => (0x34, 6, 16, 10, (0, 0)),
            Encoding::Vop3 => (0x34, 6, 17, 9, (0, 0)),
            Encoding::Vop3p => (0x1a7, 9, 16, 7, (0, 0)),
            Encoding::Ds => (0x36, 6, ds, 8, (0, 0)),
            Encoding::Flat => (0x37, 6, 18, 7, (seg, 0)),
            Encoding::Scratch => (0x37, 6, 18, 7, (seg, 1 << 14)),
            Encoding::Global => (0x37, 6, 18, 7, (seg, 2 << 14)),
            Encoding::Mubuf => (0x38, 6, 18, 7, (0, 0)),
            Encoding::Mtbuf if gcn12 => (0x3a, 6, 15, 4, (0, 0)),
            Encoding::Mtbuf => (0x3a, 6, 16, 3, (0, 0)),
            Encoding::Mimg => (0x3c, 6, 18, 7, (0, 0)),
            Encoding::Exp => (if gcn12 { 0x31 } else { 0x3e }, 6, 0, 0, (0, 0)),
        };
        let field = |bits: u32, at: u32| (((1u64 << bits) - 1) << at) as u32;
        patterns.push(Pattern {
            mask: field(lead_bits, 32 - lead_bits) | field(width, at) | extra.0,
            value: lead << (32 - lead_bits) | op << at | extra.1,
            row,
            form: Form::Plain,
        });
        let promoted = match row.encoding {
            Encoding::Vopc => op,
            Encoding::Vop2 => op + 256,
            Encoding::Vop1 => op + if gcn12 { 320 } else { 384 },
            Encoding::Vintrp if gcn12 => op + 624,
            _ => continue,
        };
        let (at, width) = if gcn12 { (16, 10) } else { (17, 9) };
        patterns.push(Pattern {
            mask: field(6, 26) | field(width, at),
            value: 0x34 << 26 | promoted << at,
            row,
            form: Form::Vop3,
        });
    }
    patterns
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn no_two_rows_claim_one_word() {
    for arch in Arch::ALL {
        let patterns = patterns(arch);
        for (i, a) in patterns.iter().enumerate() {
            for b in &patterns[i + 1..] {
                let overlap = (a.value ^ b.value) & a.mask & b.mask == 0;
                assert!(!overlap, "{arch}: {} and {} share words", a.row.mnemonic, b.row.mnemonic);
            }
        }
    }
}

/// Random bits of a second dword: VGPR sources, few bits set, or any bits.
fn second_dword(random: &mut Rng, n: u32) -> u32 {
    match n % 8 {
        0 => 0,
        1 => 0x0000_0100,
        2 => 0x0002_0100,
        3 => 0x0402_0100,
        4 => random.bits() & 0x00ff_00ff,
        5 => random.bits() & 0x0000_ff00,
        6 => 0x0001_0100,
        _ => random.bits(),
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn every_row_is_reached_and_by_its_own_words_only() {
    let mut random = Rng::new(1);
    for arch in Arch::ALL {
        for pattern in patterns(arch) {
            let mut reached = false;
            for n in 0..4000 {
                let free = match n % 4 {
                    0 => 0,
                    1 => 1 << (random.below(32)),
                    _ => random.bits() & random.bits() & random.bits(),
                };
                let word = pattern.value | free & !pattern.mask;
                let Ok(inst) = decode(arch, word, Some(second_dword(&mut random, n / 4))) else { continue };
                assert_eq!(inst.opcode, pattern.row.opcode, "{arch} {word:08x}");
                reached |= pattern.form == inst.form;
                if reached && n > 40 {
                    break;
                }
            }
            // Some instructions have no VOP3 form.
            let optional = pattern.form == Form::Vop3 && !matches!(pattern.row.opcode, Opcode::Vopc(_));
            assert!(reached || optional, "{arch}: no word decodes to {} {:?}", pattern.row.mnemonic, pattern.form);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn words_of_no_pattern_are_illegal_instructions() {
    let mut random = Rng::new(2);
    for arch in Arch::ALL {
        let patterns = patterns(arch);
        // All upper halves are tried: they hold the opcode fields of all encodings but SOP1 and VOP1.
        for upper in 0..=0xffffu32 {
            let word = upper << 16 | random.bits() & 0xffff;
            let claimed = patterns.iter().any(|p| word & p.mask == p.value);
            let decoded = decode(arch, word, Some(random.bits() & random.bits()));
            if !claimed {
                let error = decoded.expect_err("a word nobody claims");
                assert!(matches!(error.kind.name(), "illegal-instruction" | "illegal-operand"), "{word:08x}: {error}");
            }
        }
        // SOP1 and VOP1 have the opcode in the lower half.
        for op in 0..256 {
            for word in [0xbe80_0000 | op << 8, 0x7e00_0100 | op << 9] {
                let claimed = patterns.iter().any(|p| word & p.mask == p.value);
                let decoded = decode(arch, word, None);
                assert!(claimed || decoded.is_err(), "{arch} {word:08x}");
            }
        }
    }
}

/// The golden data of the decoder were made from this table.
#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn opcodes_csv_is_the_same_table() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/tools/opcodes.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut listed = Vec::new();
    for line in text.lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        for (arch, opcode) in Arch::GENERATIONS.into_iter().zip(&fields[2..7]) {
            if !opcode.is_empty() {
                listed.push((fields[0].to_string(), fields[1].to_string(), arch, opcode.parse::<u16>().unwrap()));
            }
        }
    }
    let mut ours = Vec::new();
    for desc in all_rows() {
        for arch in Arch::GENERATIONS {
            let name = (desc.encoding.name().to_string(), desc.mnemonic.to_string());
            ours.extend(desc.opcode_on(arch).map(|opcode| (name.0, name.1, arch, opcode)));
        }
    }
    listed.sort_unstable();
    ours.sort_unstable();
    let missing: Vec<_> = listed.iter().filter(|row| ours.binary_search(row).is_err()).collect();
    let extra: Vec<_> = ours.iter().filter(|row| listed.binary_search(row).is_err()).collect();
    assert!(missing.is_empty() && extra.is_empty(), "not in isa: {missing:?}\nnot in the file: {extra:?}");
}

/// Words fit a line of 80 columns with an indent of two.
#[test]
fn every_row_says_what_it_does() {
    let mut wrong = Vec::new();
    for row in all_rows() {
        let operation = row.operation();
        let fits = (1..=78).contains(&operation.len()) && operation.is_ascii() && operation.trim() == operation;
        if !fits || operation.contains("  ") {
            wrong.push(format!("{} {}: {operation:?}", row.encoding.name(), row.mnemonic));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One row of each kind whose words are derived, and some whose words are cells.
#[test]
fn operations_in_words() {
    let cases = [
        (Encoding::Sop2, "s_sub_u32", "D = S0 - S1; SCC = unsigned borrow"),
        (Encoding::Vop2, "v_subrev_f32", "D = S1 - S0"),
        (Encoding::Vop2, "v_add_i32", "D = S0 + S1; VCC (VOP3: SDST) = unsigned carry out"),
        (Encoding::Vop2, "v_subb_u32", "D = S0 - S1 - VCC (VOP3: S2); VCC (VOP3: SDST) = unsigned borrow"),
        (Encoding::Vop2, "v_cndmask_b32", "D = VCC[lane] (VOP3: S2[lane]) ? S1 : S0"),
        (Encoding::Vop3, "v_mad_u64_u32", "D = S0 * S1 + S2 in 64 bits; SDST = carry out"),
        (Encoding::Vop3, "v_div_scale_f32", "D = S0, scaled for S2 / S1; SDST = the quotient needs scaling"),
        (Encoding::Vop3, "v_div_fmas_f32", "D = S0 * S1 + S2, rounded once, scaled if VCC"),
        (Encoding::Vop3, "v_add_i32", "D = S0 + S1"),
        (Encoding::Vop3p, "v_pk_max_u16", "D = larger of S0, S1, per half"),
        (Encoding::Vopc, "v_cmp_lt_f32", "D[lane] = S0 < S1"),
        (Encoding::Vopc, "v_cmpx_ge_i64", "D[lane] = S0 >= S1; EXEC = D"),
        (Encoding::Vopc, "v_cmps_u_f32", "D[lane] = a source is NaN; signals a NaN"),
        (Encoding::Smem, "s_load_dword", "D = dword of MEM"),
        (Encoding::Smrd, "s_buffer_load_dwordx16", "D = 16 dwords of buffer"),
        (Encoding::Smem, "s_scratch_store_dwordx2", "scratch = DATA (2 dwords)"),
        (Encoding::Smem, "s_atomic_dec", "MEM = old == 0 or old > DATA ? DATA : old - 1; with GLC D = old"),
        (Encoding::Flat, "flat_load_sbyte", "D = sign-extended byte of MEM"),
        (Encoding::Global, "global_load_short_d16_hi", "D[31:16] = 16 bits of MEM"),
        (Encoding::Global, "global_load_ubyte_d16", "D[15:0] = zero-extended byte of MEM"),
        (Encoding::Scratch, "scratch_store_byte_d16_hi", "scratch = DATA[23:16]"),
        (Encoding::Mubuf, "buffer_atomic_cmpswap", "buffer = old == DATA1 ? DATA0 : old; with GLC D = old"),
        (Encoding::Mubuf, "buffer_load_format_d16_xyz", "D = xyz as 16 bits of buffer, by its format"),
        (Encoding::Mtbuf, "tbuffer_store_format_xy", "xy of buffer = DATA, by its format"),
        (Encoding::Ds, "ds_add_u32", "LDS = old + DATA"),
        (Encoding::Ds, "ds_min_rtn_i64", "LDS = smaller of old, DATA, signed (64 bits); D = old"),
        (Encoding::Ds, "ds_cmpst_rtn_b32", "LDS = old == DATA0 ? DATA1 : old; D = old"),
        (Encoding::Ds, "ds_read2st64_b64", "D = LDS at offsets 0 and 1; in 64 qwords"),
        (Encoding::Ds, "ds_or_src2_b32", "LDS[A] = old | LDS[B]"),
        (Encoding::Mimg, "image_sample_c_lz", "D = filtered texels, compared, of level 0"),
    ];
    for (encoding, mnemonic, words) in cases {
        let row = all_rows().find(|row| row.encoding == encoding && row.mnemonic == mnemonic).unwrap();
        assert_eq!(row.operation(), words, "{mnemonic}");
    }
}

/// Where a form names a pair of scalar registers for a mask, the words do not say VCC alone.
#[test]
fn operations_say_where_masks_are() {
    for row in all_rows() {
        let words = row.operation();
        for (has, in_vop3) in [(Has::VCC_OUT, "SDST"), (Has::VCC_IN, "S2")] {
            if row.has.any(has) {
                assert!(words.contains(in_vop3), "{}: {words}", row.mnemonic);
            }
        }
        let is_vop3 = row.encoding == Encoding::Vop3 && row.has.any(Has::VCC_OUT);
        assert!(!is_vop3 || !words.contains("VCC"), "{}: {words}", row.mnemonic);
    }
}
