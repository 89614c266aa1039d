//! The reference interpreter on vector compares.

use crate::instructions;

use gcnsim::Wave;
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, Mode, Note, Program, WaveState, table};
use instructions::{opcode, vop3, vopc};

const GFX8: Arch = Arch::Gcn12;

/// Executes one instruction with EXEC all ones and denormals kept. `init` may change state and VGPRs.
fn run(arch: Arch, words: &[u32], init: impl FnOnce(&mut Wave)) -> Wave {
    let program = Program::from_words(arch, words);
    let mut wave = Wave::from_state(WaveState::zeroed());
    wave.state.set_exec(u64::MAX);
    wave.state.mode = Mode::DENORM_IN_F32 | Mode::DENORM_IN_F64_F16;
    init(&mut wave);
    Interp::new(&program).run(&mut wave, 1);
    assert_eq!(wave.executed, 1);
    wave
}

fn set_lanes(wave: &mut Wave, vgpr: u8, values: &[u32]) {
    let lanes = wave.vgprs.lanes_mut(vgpr);
    lanes[..values.len()].copy_from_slice(values);
}

/// Compares pairs `a, b` in lanes 0, 1, 2 ... Returns the result bits.
fn compare_f32(mnemonic: &str, pairs: &[(f32, f32)]) -> u64 {
    let wave = run(GFX8, &vopc(GFX8, mnemonic, 256, 1), |wave| {
        set_lanes(wave, 0, &pairs.iter().map(|p| p.0.to_bits()).collect::<Vec<_>>());
        set_lanes(wave, 1, &pairs.iter().map(|p| p.1.to_bits()).collect::<Vec<_>>());
        wave.state.set_exec((1 << pairs.len()) - 1);
    });
    wave.state.vcc()
}

#[test]
fn float_predicates() {
    // The pairs are less, equal, greater, unordered (on either side), and zeros of both signs.
    let pairs = [(1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (f32::NAN, 1.0), (1.0, f32::NAN), (-0.0, 0.0)];
    let expect = [
        ("f", 0b000000),
        ("lt", 0b000001),
        ("eq", 0b100010),
        ("le", 0b100011),
        ("gt", 0b000100),
        ("lg", 0b000101),
        ("ge", 0b100110),
        ("o", 0b100111),
        ("u", 0b011000),
        ("nge", 0b011001),
        ("nlg", 0b111010),
        ("ngt", 0b111011),
        ("nle", 0b011100),
        ("neq", 0b011101),
        ("nlt", 0b111110),
        ("tru", 0b111111),
    ];
    for (name, bits) in expect {
        assert_eq!(compare_f32(&format!("v_cmp_{name}_f32"), &pairs), bits, "{name}");
    }
}

#[test]
fn inactive_lanes_become_zero_and_both_destinations_are_written() {
    let init = |wave: &mut Wave| {
        set_lanes(wave, 1, &[7; 64]);
        wave.state.set_exec(0xf0f0);
        wave.state.set_vcc(u64::MAX);
        wave.state.set_pair(10, u64::MAX);
        wave.state.sgpr[0] = 7;
        wave.state.scc = 1;
    };
    let cmp = run(GFX8, &vopc(GFX8, "v_cmp_eq_u32", 0, 1), init);
    assert_eq!((cmp.state.vcc(), cmp.state.exec(), cmp.state.scc), (0xf0f0, 0xf0f0, 1));
    let cmpx = run(GFX8, &vop3(GFX8, "v_cmpx_ne_u32", 10, 0, 257, 0, 0), init);
    assert_eq!((cmpx.state.pair(10), cmpx.state.exec(), cmpx.state.vcc()), (0, 0, u64::MAX));
    // SDST = EXEC is written and noted.
    let exec = run(GFX8, &vop3(GFX8, "v_cmp_ne_u32", 126, 0, 257, 0, 0), init);
    assert_eq!((exec.state.exec(), exec.state.notes.codes()), (0, vec!["vcmp-sdst-exec"]));
    // With EXEC = 0 the compare gives 0, and a note.
    let none = run(GFX8, &vopc(GFX8, "v_cmp_t_u32", 0, 1), |wave| {
        init(wave);
        wave.state.set_exec(0);
    });
    assert_eq!((none.state.vcc(), none.state.notes.codes()), (0, vec!["vcmp-exec-zero"]));
    // With VSKIP nothing happens, and nothing is noted.
    let skipped = run(GFX8, &vopc(GFX8, "v_cmp_f_u32", 0, 1), |wave| {
        init(wave);
        wave.state.set_exec(0);
        wave.state.mode |= Mode::VSKIP;
    });
    assert_eq!((skipped.state.vcc(), skipped.state.notes.is_empty()), (u64::MAX, true));
}

#[test]
fn integer_types() {
    let lt = |ty: &str, low: [u32; 2], high: [u32; 2]| {
        let words = vopc(GFX8, &format!("v_cmp_lt_{ty}"), 256, 2);
        let wave = run(GFX8, &words, |wave| {
            set_lanes(wave, 0, &[low[0]]);
            set_lanes(wave, 1, &[high[0]]);
            set_lanes(wave, 2, &[low[1]]);
            set_lanes(wave, 3, &[high[1]]);
            wave.state.set_exec(1);
        });
        wave.state.vcc() == 1
    };
    assert!(lt("i16", [0x1234_ffff, 0x1111_0000], [0, 0])); // bits 31:16 do not count
    assert!(!lt("u16", [0x0000_ffff, 0x1111_0000], [0, 0]));
    assert!(lt("i32", [0x8000_0000, 0], [0, 0]));
    assert!(!lt("u32", [0x8000_0000, 0], [0, 0]));
    assert!(lt("i64", [0, u32::MAX], [0x8000_0000, 0x7fff_ffff]));
    assert!(!lt("u64", [0, u32::MAX], [0x8000_0000, 0x7fff_ffff]));
    assert!(lt("u64", [1, 2], [5, 5]));
}

#[test]
fn scalar_and_constant_sources() {
    // The literal of v_cmp_eq_f64 is the upper half.
    let literal = [vopc(GFX8, "v_cmp_eq_f64", 255, 2)[0], 0x3ff0_0000];
    let wave = run(GFX8, &literal, |wave| set_lanes(wave, 3, &[0x3ff0_0000, 0x4000_0000]));
    assert_eq!(wave.state.vcc(), 1);
    assert_eq!(wave.state.notes.codes(), ["literal-64"]);
    // A float constant in a 16-bit integer compare is the low half of binary32, which is 0 for 1.0.
    let inline = run(GFX8, &vopc(GFX8, "v_cmp_eq_u16", 242, 2), |_| {});
    assert_eq!((inline.state.vcc(), inline.state.notes.codes()), (u64::MAX, vec!["i16-float-inline"]));
    let f16 = run(GFX8, &vopc(GFX8, "v_cmp_eq_f16", 242, 2), |wave| set_lanes(wave, 2, &[0xffff_3c00]));
    assert_eq!(f16.state.vcc(), 1);
}

#[test]
fn modifiers_of_floats() {
    // |v0| < -v1 with v0 = -1, v1 = -2
    let words = vop3(GFX8, "v_cmp_lt_f32", 10, 256, 257, 1, 2);
    let wave = run(GFX8, &words, |wave| {
        set_lanes(wave, 0, &[(-1.0f32).to_bits()]);
        set_lanes(wave, 1, &[(-2.0f32).to_bits()]);
        wave.state.set_exec(1);
    });
    assert_eq!(wave.state.pair(10), 1);
    // -|x| of a class test turns a positive infinity into the negative one.
    let class = vop3(GFX8, "v_cmp_class_f64", 10, 256, 0, 1, 1);
    let wave = run(GFX8, &class, |wave| {
        set_lanes(wave, 1, &[0x7ff0_0000]);
        wave.state.sgpr[0] = 1 << 2;
        wave.state.set_exec(1);
    });
    assert_eq!(wave.state.pair(10), 1);
}

#[test]
fn denormals_are_flushed_as_mode_says() {
    let lt = |mnemonic: &str, mode: u32, a: u32, exec| {
        let wave = run(GFX8, &vopc(GFX8, mnemonic, 256, 2), |wave| {
            set_lanes(wave, 0, &[0]);
            set_lanes(wave, 1, &[0]);
            set_lanes(wave, 2, &[a]);
            wave.state.mode = mode;
            wave.state.set_exec(exec);
        });
        (wave.state.vcc() & 1, wave.state.notes.contains(Note::CmpDenormFlush))
    };
    assert_eq!(lt("v_cmp_lt_f32", Mode::DENORM_IN_F32, 1, 1), (1, false));
    assert_eq!(lt("v_cmp_lt_f32", Mode::DENORM_IN_F64_F16, 1, 1), (0, true));
    assert_eq!(lt("v_cmp_lt_f32", 0, 1, 2), (0, false)); // in an inactive lane it does not matter
    assert_eq!(lt("v_cmp_lt_f32", 0, 0x0080_0000, 1), (1, false)); // smallest normal
    assert_eq!(lt("v_cmp_nlt_f32", 0, 1, 1), (1, true));
    assert_eq!(lt("v_cmp_lt_f16", Mode::DENORM_IN_F32, 0x3ff, 1), (0, true));
    assert_eq!(lt("v_cmp_lt_f16", Mode::DENORM_IN_F64_F16, 1, 1), (1, false));
    assert_eq!(lt("v_cmp_lt_f64", Mode::DENORM_IN_F32, 1, 1), (0, true));
    assert_eq!(lt("v_cmp_o_f32", 0, 1, 1), (1, false)); // cannot tell
}

#[test]
fn classes() {
    let f32s =
        [0x7f80_0001, 0x7fc0_0000, 0xff80_0000, 0xc000_0000, 0x8000_0001, 0x8000_0000, 0, 1, 0x3f80_0000, 0x7f80_0000];
    let f16s = [0x7c01, 0xfe00, 0xfc00, 0xc000, 0x8001, 0x8000, 0, 0x3ff, 0x0400, 0x7c00];
    for class in 0..10 {
        let test = |ty: &str, low: &[u32], high: &[u32]| {
            let wave = run(GFX8, &vop3(GFX8, &format!("v_cmp_class_{ty}"), 10, 256, 0, 0, 0), |wave| {
                set_lanes(wave, 0, low);
                set_lanes(wave, 1, high);
                wave.state.sgpr[0] = 0xffff_fc00 | 1 << class; // bits above 9 do not count
                wave.state.set_exec(0x3ff);
                wave.state.mode = 0; // never flushes
            });
            wave.state.pair(10)
        };
        assert_eq!(test("f32", &f32s, &[]), 1 << class);
        assert_eq!(test("f16", &f16s, &[]), 1 << class);
        let f64s: [u64; 10] = [
            0x7ff0_0000_0000_0001,
            0x7ff8_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0xc000_0000_0000_0000,
            0x8000_0000_0000_0001,
            0x8000_0000_0000_0000,
            0,
            0x0000_0000_8000_0000,
            0x3ff0_0000_0000_0000,
            0x7ff0_0000_0000_0000,
        ];
        let (low, high): (Vec<u32>, Vec<u32>) = f64s.iter().map(|&x| (x as u32, (x >> 32) as u32)).unzip();
        assert_eq!(test("f64", &low, &high), 1 << class);
    }
}

/// Compares every pair of interesting binary16 numbers with the same numbers as binary32.
#[test]
fn binary16_orders_as_numbers_do() {
    let value = |bits: u32| {
        let (exponent, mantissa) = ((bits >> 10 & 31) as i32, (bits & 0x3ff) as f64);
        let magnitude = match exponent {
            0 => mantissa * 2f64.powi(-24),
            31 if mantissa == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
        };
        if bits >> 15 == 1 { -magnitude } else { magnitude }
    };
    let edges = [0, 1, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00];
    let all: Vec<u32> = edges.iter().flat_map(|&bits| [bits, bits | 0x8000]).collect();
    for &a in &all {
        let compare = |mnemonic| {
            let wave = run(GFX8, &vopc(GFX8, mnemonic, 0, 1), |wave| {
                wave.state.sgpr[0] = a;
                set_lanes(wave, 1, &all);
            });
            wave.state.vcc()
        };
        let (lt, eq, u) = (compare("v_cmp_lt_f16"), compare("v_cmp_eq_f16"), compare("v_cmp_u_f16"));
        for (lane, &b) in all.iter().enumerate() {
            let (x, y) = (value(a), value(b));
            let bit = |mask: u64| mask >> lane & 1 == 1;
            assert_eq!((bit(lt), bit(eq), bit(u)), (x < y, x == y, x.is_nan() || y.is_nan()), "{a:04x} {b:04x}");
        }
    }
}

#[test]
fn gpr_indexing() {
    let run = |arch: Arch, mnemonic: &str, m0: u32| {
        run(arch, &vopc(arch, mnemonic, 256 + 10, 20), |wave| {
            for v in 0..=255 {
                set_lanes(wave, v, &[v as u32]);
            }
            wave.state.mode |= Mode::GPR_IDX_EN;
            wave.state.sgpr[124] = m0;
            wave.state.set_exec(1);
        })
        .state
    };
    assert_eq!(run(GFX8, "v_cmp_eq_u32", 0x100a).vcc(), 1); // v20 against v20
    assert_eq!(run(GFX8, "v_cmp_eq_u32", 0x300a).vcc(), 0);
    assert_eq!(run(GFX8, "v_cmp_eq_u32", 0x000a).vcc(), 0);
    assert_eq!(run(Arch::Gcn11, "v_cmp_eq_u32", 0x100a).vcc(), 0); // no such mode yet
    let past = run(GFX8, "v_cmp_lt_u32", 0x2000 | 236); // v10 < v256, read as v0
    assert_eq!((past.vcc(), past.notes.codes()), (0, vec!["gpr-idx-range"]));
    assert!(!run(GFX8, "v_cmp_lt_u32", 0x2000 | 235).notes.contains(Note::GprIdxRange));
    assert!(run(GFX8, "v_cmp_lt_u64", 0x2000 | 235).notes.contains(Note::GprIdxRange)); // v[255:256]
}

/// V_CMPS and V_CMPSX have the results of the plain forms.
#[test]
fn signalling_forms() {
    let arch = Arch::Gcn10;
    for (signalling, plain) in [("v_cmps_nlt_f64", "v_cmp_nlt_f64"), ("v_cmpsx_u_f32", "v_cmpx_u_f32")] {
        let result = |mnemonic| {
            let wave = run(arch, &vopc(arch, mnemonic, 256, 2), |wave| set_lanes(wave, 3, &[0x7ff0_0001, 0, 1]));
            (wave.state.vcc(), wave.state.exec())
        };
        assert_eq!(result(signalling), result(plain));
    }
}

/// Every compare of every generation executes in both forms.
#[test]
fn all_compares_execute() {
    for arch in Arch::ALL {
        for row in table::core_rows().filter(|row| row.mnemonic.starts_with("v_cmp")) {
            if row.opcode_on(arch).is_some() {
                assert_eq!(opcode(arch, row.mnemonic), row.opcode_on(arch).unwrap() as u32);
                run(arch, &vopc(arch, row.mnemonic, 256, 2), |_| {});
                run(arch, &vop3(arch, row.mnemonic, 10, 256, 258, 0, 0), |_| {});
            }
        }
    }
}
