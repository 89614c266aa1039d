//! Every operation and operand kind, as another decoder reads it.

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter, MemorySizeOptions};

use super::*;

/// The text of the one instruction in the bytes.
fn text(encode: impl FnOnce(&mut Encoder)) -> String {
    only(texts(encode))
}

/// Does the same with vectors of 256 bits.
fn narrow(encode: impl FnOnce(&mut Encoder)) -> String {
    only(texts_of(Width::Ymm, encode))
}

fn only(mut texts: Vec<String>) -> String {
    assert_eq!(texts.len(), 1, "{texts:?}");
    texts.remove(0)
}

/// The texts of the instructions in the bytes.
fn texts(encode: impl FnOnce(&mut Encoder)) -> Vec<String> {
    texts_of(Width::Zmm, encode)
}

fn texts_of(width: Width, encode: impl FnOnce(&mut Encoder)) -> Vec<String> {
    let mut encoder = Encoder::new(width, 0);
    encode(&mut encoder);
    encoder.resolve(0x100);
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_memory_size_options(MemorySizeOptions::Always);
    formatter.options_mut().set_rip_relative_addresses(false);
    formatter.options_mut().set_hex_prefix("0x");
    formatter.options_mut().set_hex_suffix("");
    formatter.options_mut().set_uppercase_hex(false);
    let text = |instruction| {
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        text
    };
    Decoder::with_ip(64, &encoder.bytes, 0, DecoderOptions::NONE).iter().map(text).collect()
}

/// The registers of an operation in the order of the assembler, with `rm` as a text.
fn registers(op: Op, reg: u8, vvvv: u8, rm: &str, decoration: &str) -> String {
    let row = op.row();
    let operands = match row.shape {
        Shape::Binary | Shape::Commutative | Shape::Tied => format!("zmm{reg}{decoration}, zmm{vvvv}, {rm}"),
        Shape::Unary | Shape::Shift(_) => format!("zmm{reg}{decoration}, {rm}"),
        Shape::Compare => format!("k{reg}{decoration}, zmm{vvvv}, {rm}"),
        Shape::Narrow | Shape::Mask | Shape::Choice => unreachable!("{op:?} has a test of its own"),
    };
    format!("{} {operands}{}", row.name, if row.immediate { ", 5" } else { "" })
}

/// Predicates of compares have names; an instruction's text with the number instead.
fn without_predicates(text: String) -> String {
    // (A compare with predicate 5: not less than.)
    let names = [("vcmpnltps", "vcmpps"), ("vcmpnltpd", "vcmppd"), ("vpcmpnltd", "vpcmpd"), ("vpcmpnltud", "vpcmpud")];
    let names = names.into_iter().chain([("vpcmpnltq", "vpcmpq"), ("vpcmpnltuq", "vpcmpuq")]);
    for (name, plain) in names {
        if let Some(rest) = text.strip_prefix(&format!("{name} ")) {
            return format!("{plain} {rest}, 5");
        }
    }
    text
}

fn is_regular(op: Op) -> bool {
    let is_other = matches!(op, Op::F32FromF64 | Op::WidenFrom8 | Op::WidenFromI8) || op.row().is_vex_only;
    !matches!(op.row().shape, Shape::Narrow | Shape::Mask) && !is_other
}

#[test]
fn registers_of_all_numbers() {
    for &op in Op::ALL.iter().filter(|&&op| is_regular(op)) {
        let half = op.takes_half();
        for n in 0..32 {
            let reg = if op.row().shape == Shape::Compare { n & 7 } else { n };
            let (vvvv, rm) = ((n + 7) & 31, (n + 21) & 31);
            let vvvv = if matches!(op.row().shape, Shape::Unary | Shape::Shift(_)) { 0 } else { vvvv };
            let found = text(|e| e.op(op, reg, vvvv, Rm::Register(rm), Masking::default(), 5));
            let width = if half { "ymm" } else { "zmm" };
            assert_eq!(without_predicates(found), registers(op, reg, vvvv, &format!("{width}{rm}"), ""));
        }
    }
}

#[test]
fn memory_operands() {
    // Displacements in units of 64 bytes that fit and do not, odd ones, and one behind each end of a byte.
    let displacements = [(0, "rdi"), (64, "rdi+0x40"), (8128, "rdi+0x1fc0"), (8192, "rdi+0x2000")];
    let more = [(-8192, "rdi-0x2000"), (-8256, "rdi-0x2040"), (4, "rdi+4"), (65, "rdi+0x41")];
    for &op in Op::ALL.iter().filter(|&&op| is_regular(op) && op.row().element > 0) {
        for (disp, place) in displacements.into_iter().chain(more) {
            let found = text(|e| e.op(op, 1, 0, Rm::Memory(Gpr::Rdi, disp), Masking::default(), 5));
            assert_eq!(without_predicates(found), registers(op, 1, 0, &format!("zmmword ptr [{place}]"), ""));
        }
    }
}

#[test]
fn broadcast_operands() {
    let places = [(Gpr::Rsi, 8, "rsi+8"), (Gpr::Rsi, 6, "rsi+6"), (Gpr::Rsi, 0x1000, "rsi+0x1000")];
    for &op in Op::ALL.iter().filter(|&&op| is_regular(op) && op.row().element > 0) {
        let element = op.row().element;
        let (size, lanes) = if element == 8 { ("qword", 8) } else { ("dword", 16) };
        for (base, disp, place) in places {
            let found = text(|e| e.op(op, 3, 0, Rm::Broadcast(base, disp), Masking::default(), 5));
            let rm = format!("{size} ptr [{place}]{{1to{lanes}}}");
            assert_eq!(without_predicates(found), registers(op, 3, 0, &rm, ""));
        }
    }
}

#[test]
fn constants_behind_the_code() {
    for &op in Op::ALL.iter().filter(|&&op| is_regular(op) && op.row().element > 0) {
        let found = text(|e| e.op(op, 2, 0, Rm::Constant(0x20), Masking::default(), 5));
        assert_eq!(without_predicates(found), registers(op, 2, 0, "zmmword ptr [0x120]", ""));
    }
}

#[test]
fn masks_and_zeros() {
    for &op in Op::ALL.iter().filter(|&&op| is_regular(op)) {
        let half = op.takes_half();
        let rm = if half { "ymm9" } else { "zmm9" };
        let is_compare = op.row().shape == Shape::Compare;
        for zero in [false, true].into_iter().filter(|zero| !(is_compare && *zero)) {
            for mask in 1..8 {
                let masking = Masking { mask, zero };
                let found = text(|e| e.op(op, 6, 0, Rm::Register(9), masking, 5));
                let decoration = format!("{{k{mask}}}{}", if zero { "{z}" } else { "" });
                assert_eq!(without_predicates(found), registers(op, 6, 0, rm, &decoration));
            }
        }
    }
}

#[test]
fn conversions_between_vectors_of_two_widths_and_masks() {
    let op = |op, reg, rm, imm| text(|e| e.op(op, reg, 0, Rm::Register(rm), Masking::default(), imm));
    assert_eq!(op(Op::NarrowTo16, 17, 30, 0), "vpmovdw ymm30, zmm17");
    assert_eq!(op(Op::ToF16, 9, 31, 3), "vcvtps2ph ymm31, zmm9, 3");
    assert_eq!(op(Op::F32FromF64, 19, 30, 0), "vcvtpd2ps ymm19, zmm30");
    assert_eq!(op(Op::UpperHalf, 19, 30, 1), "vextractf64x4 ymm30, zmm19, 1");
    assert_eq!(op(Op::MaskToBits, 5, 27, 0), "vpmovd2m k5, zmm27");
    assert_eq!(op(Op::BitsToMask64, 27, 5, 0), "vpmovm2q zmm27, k5");
}

#[test]
fn signs_of_fused_products() {
    let names = ["vfmadd", "vfmsub", "vfnmadd", "vfnmsub"];
    let forms = [(Op::Fma132F32, "132ps"), (Op::Fma213F32, "213ps"), (Op::Fma231F32, "231ps")];
    let wide = [(Op::Fma132F64, "132pd"), (Op::Fma213F64, "213pd"), (Op::Fma231F64, "231pd")];
    for (op, form) in forms.into_iter().chain(wide) {
        for (signs, name) in names.into_iter().enumerate() {
            let found = text(|e| e.fused(op, signs as u8, 30, 20, Rm::Register(10)));
            assert_eq!(found, format!("{name}{form} zmm30, zmm20, zmm10"));
        }
    }
}

#[test]
fn moves() {
    assert_eq!(text(|e| e.store(17, Gpr::Rdi, 64, 1)), "vmovdqa32 zmmword ptr [rdi+0x40]{k1}, zmm17");
    assert_eq!(text(|e| e.store(0, Gpr::Rsi, 0x1001, 0)), "vmovdqa32 zmmword ptr [rsi+0x1001], zmm0");
    let broadcast = |wide, rm| text(|e| e.broadcast(30, wide, rm));
    assert_eq!(broadcast(false, Rm::Broadcast(Gpr::Rsi, 508)), "vpbroadcastd zmm30, dword ptr [rsi+0x1fc]");
    assert_eq!(broadcast(false, Rm::Broadcast(Gpr::Rsi, 512)), "vpbroadcastd zmm30, dword ptr [rsi+0x200]");
    assert_eq!(broadcast(true, Rm::Broadcast(Gpr::Rsi, 4)), "vpbroadcastq zmm30, qword ptr [rsi+4]");
    assert_eq!(broadcast(false, Rm::BroadcastConstant(0)), "vpbroadcastd zmm30, dword ptr [0x100]");
}

#[test]
fn mask_registers() {
    assert_eq!(text(|e| e.k_op(KOp::And, 1, 2, 3)), "kandw k1, k2, k3");
    assert_eq!(text(|e| e.k_op(KOp::AndNot, 7, 6, 5)), "kandnw k7, k6, k5");
    assert_eq!(text(|e| e.k_op(KOp::Or, 4, 1, 2)), "korw k4, k1, k2");
    assert_eq!(text(|e| e.k_op(KOp::Xor, 4, 4, 4)), "kxorw k4, k4, k4");
    assert_eq!(text(|e| e.k_copy(2, 1)), "kmovw k2, k1");
    assert_eq!(text(|e| e.k_test(3, 4)), "kortestw k3, k4");
    assert_eq!(text(|e| e.k_load(6, Gpr::R8, 0x1f8)), "kmovw k6, word ptr [r8+0x1f8]");
    assert_eq!(text(|e| e.k_load(6, Gpr::R8, -8)), "kmovw k6, word ptr [r8-8]");
    assert_eq!(text(|e| e.k_store(5, Gpr::Rsi, 2)), "kmovw word ptr [rsi+2], k5");
}

#[test]
fn joined_masks() {
    assert_eq!(text(|e| e.join_next(Joint::R10)), "shr r10, 0x10");
    assert_eq!(text(|e| e.join_next(Joint::R11)), "shr r11, 0x10");
    assert_eq!(texts(|e| e.join_mask(Joint::R10, 7)), ["kmovw edx, k7", "shl rdx, 0x30", "or r10, rdx"]);
    assert_eq!(texts(|e| e.join_mask(Joint::R11, 2)), ["kmovw edx, k2", "shl rdx, 0x30", "or r11, rdx"]);
    assert_eq!(text(|e| e.store_joint(Joint::R10, 0x208)), "mov qword ptr [rsi+0x208], r10");
    assert_eq!(text(|e| e.store_joint(Joint::R11, 8)), "mov qword ptr [rsi+8], r11");
}

// Vectors of 256 bits.

/// Operations in the usual form that AVX2 has.
fn narrow_ops() -> impl Iterator<Item = Op> {
    let is_other = |op: &Op| matches!(op, Op::F32FromF64 | Op::WidenFrom8 | Op::WidenFromI8);
    let is_regular = move |op: &Op| !matches!(op.row().shape, Shape::Narrow | Shape::Choice) && !is_other(op);
    Op::ALL.iter().copied().filter(is_regular).filter(|op| op.row().vex.is_some())
}

/// As [`registers`]. Predicates of compares are names: "not less than".
fn narrow_registers(op: Op, reg: u8, vvvv: u8, rm: &str) -> String {
    let name = match op {
        Op::LanesF32 => "vcmpnltps",
        Op::LanesF64 => "vcmpnltpd",
        op => op.row().vex.unwrap(),
    };
    let operands = match op.row().shape {
        Shape::Unary | Shape::Shift(_) => format!("ymm{reg}, {rm}"),
        _ => format!("ymm{reg}, ymm{vvvv}, {rm}"),
    };
    let has_immediate = op.row().immediate && !matches!(op, Op::LanesF32 | Op::LanesF64);
    format!("{name} {operands}{}", if has_immediate { ", 5" } else { "" })
}

#[test]
fn narrow_registers_of_all_numbers() {
    assert!(narrow_ops().count() > 70);
    for op in narrow_ops() {
        for n in 0..16 {
            let (vvvv, rm) = ((n + 7) & 15, (n + 10) & 15);
            let is_unary = matches!(op.row().shape, Shape::Unary | Shape::Shift(_));
            let found = narrow(|e| {
                e.op(op, n, if is_unary { 0 } else { vvvv }, Rm::Register(rm), Masking::default(), 5);
            });
            let width = if op.takes_half() { "xmm" } else { "ymm" };
            assert_eq!(found, narrow_registers(op, n, vvvv, &format!("{width}{rm}")));
        }
    }
}

#[test]
fn narrow_memory_operands() {
    let places = [(Gpr::Rdi, 0, "rdi"), (Gpr::Rdi, 127, "rdi+0x7f"), (Gpr::Rdi, -129, "rdi-0x81")];
    let more = [(Gpr::R9, 32, "r9+0x20"), (Gpr::R8, 0x100, "r8+0x100")];
    // Shifts by an immediate take none.
    let has_memory = |op: &Op| !op.takes_half() && !matches!(op.row().shape, Shape::Shift(_));
    for op in narrow_ops().filter(has_memory) {
        for (base, disp, place) in places.into_iter().chain(more) {
            let found = narrow(|e| e.op(op, 12, 0, Rm::Memory(base, disp), Masking::default(), 5));
            assert_eq!(found, narrow_registers(op, 12, 0, &format!("ymmword ptr [{place}]")));
        }
        let found = narrow(|e| e.op(op, 2, 0, Rm::Constant(0x20), Masking::default(), 5));
        assert_eq!(found, narrow_registers(op, 2, 0, "ymmword ptr [0x120]"));
    }
}

#[test]
fn narrow_forms_of_their_own() {
    let op = |op, reg, rm, imm| narrow(|e| e.op(op, reg, 0, Rm::Register(rm), Masking::default(), imm));
    assert_eq!(op(Op::ToF16, 9, 12, 3), "vcvtps2ph xmm12, ymm9, 3");
    assert_eq!(op(Op::F32FromF64, 9, 12, 0), "vcvtpd2ps xmm9, ymm12");
    assert_eq!(op(Op::UpperHalf256, 3, 14, 1), "vextractf128 xmm14, ymm3, 1");
    assert_eq!(narrow(|e| e.choose(9, 10, Rm::Register(11), 12)), "vblendvps ymm9, ymm10, ymm11, ymm12");
    let from_memory = narrow(|e| e.choose(1, 2, Rm::Memory(Gpr::R8, 64), 15));
    assert_eq!(from_memory, "vblendvps ymm1, ymm2, ymmword ptr [r8+0x40], ymm15");
    let fused = narrow(|e| e.fused(Op::Fma231F64, 2, 13, 4, Rm::Register(15)));
    assert_eq!(fused, "vfnmadd231pd ymm13, ymm4, ymm15");
    assert_eq!(narrow(|e| e.store(13, Gpr::Rdi, 0x20, 0)), "vmovdqa ymmword ptr [rdi+0x20], ymm13");
    let broadcast = |wide| narrow(|e| e.broadcast(11, wide, Rm::Broadcast(Gpr::Rsi, 508)));
    assert_eq!(broadcast(false), "vpbroadcastd ymm11, dword ptr [rsi+0x1fc]");
    assert_eq!(broadcast(true), "vpbroadcastq ymm11, qword ptr [rsi+0x1fc]");
    assert_eq!(narrow(|e| e.test_within(15, 14)), "vptest ymm14, ymm15");
}

#[test]
fn masks_in_vectors() {
    let of = |encode: &dyn Fn(&mut Encoder)| texts_of(Width::Ymm, encode);
    assert_eq!(
        of(&|e| e.load_signs(15, Gpr::R8, 0x1f8, 0x40)),
        [
            "vpbroadcastd ymm15, dword ptr [r8+0x1f8]",
            "vpand ymm15, ymm15, ymmword ptr [0x140]",
            "vpcmpeqd ymm15, ymm15, ymmword ptr [0x140]"
        ]
    );
    assert_eq!(of(&|e| e.join_mask(Joint::R10, 7)), ["vmovmskps edx, ymm7", "shl rdx, 0x38", "or r10, rdx"]);
    assert_eq!(of(&|e| e.join_mask(Joint::R11, 12)), ["vmovmskps edx, ymm12", "shl rdx, 0x38", "or r11, rdx"]);
    assert_eq!(of(&|e| e.join_next(Joint::R10)), ["shr r10, 8"]);
    assert_eq!(of(&|e| e.store_signs(9, Gpr::R8, 0x300)), ["vmovmskps edx, ymm9", "mov byte ptr [r8+0x300], dl"]);
    assert_eq!(of(&|e| e.store_signs(1, Gpr::Rsi, 8)), ["vmovmskps edx, ymm1", "mov byte ptr [rsi+8], dl"]);
}

#[test]
fn gathers() {
    for dst in 0..32 {
        let (index, mask) = ((dst + 9) & 31, 1 + dst % 7);
        let found = text(|e| e.gather(dst, Gpr::Rdx, index, true, 0x1234, mask));
        assert_eq!(found, format!("vpgatherdd zmm{dst}, k{mask}, dword ptr [rdx+zmm{index}*4+0x1234]"));
    }
    for dst in 0..16 {
        let (index, mask) = ((dst + 5) & 15, (dst + 11) & 15);
        let found = narrow(|e| e.gather(dst, Gpr::Rdx, index, false, 8, mask));
        assert_eq!(found, format!("vpgatherdd ymm{dst}, dword ptr [rdx+ymm{index}+8], ymm{mask}"));
    }
}

#[test]
fn lanes_one_by_one() {
    for n in 0..16 {
        let (index, upper) = ((n + 5) & 15, (n + 11) & 15);
        for (in_dwords, disp, place) in [(true, 0, "r10*4+0"), (false, -8, "r10-8"), (false, 0x1234, "r10+0x1234")] {
            let found = texts_of(Width::Ymm, |e| e.load_each([n, upper], Gpr::Rdx, index, in_dwords, disp, 0x2000));
            let place = place.trim_end_matches("+0");
            let mut expected = vec![format!("vmovdqa ymmword ptr [rsi+0x2000], ymm{index}")];
            for lane in 0..8 {
                expected.push(match lane {
                    0 => "movsxd r10, dword ptr [rsi+0x2000]".into(),
                    _ => format!("movsxd r10, dword ptr [rsi+0x{:x}]", 0x2000 + 4 * lane),
                });
                let to = if lane < 4 { n } else { upper };
                expected.push(match lane & 3 {
                    0 => format!("vmovd xmm{to}, dword ptr [rdx+{place}]"),
                    lane => format!("vpinsrd xmm{to}, xmm{to}, dword ptr [rdx+{place}], {lane}"),
                });
            }
            expected.push(format!("vinsertf128 ymm{n}, ymm{n}, xmm{upper}, 1"));
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn parts_of_a_chunk() {
    let of = |encode: &dyn Fn(&mut Encoder)| texts_of(Width::Ymm, encode);
    for n in 0..16 {
        let mask = (n + 3) & 15;
        let found = narrow(|e| e.load_lanes(n, Gpr::Rdx, 4, mask));
        assert_eq!(found, format!("vpmaskmovd ymm{n}, ymm{mask}, ymmword ptr [rdx+4]"));
        let jump = |e: &mut Encoder| {
            let from = e.jump_unless_all(n);
            e.land(from, 0x40);
        };
        assert_eq!(of(&jump), [&format!("vmovmskps r10d, ymm{n}"), "cmp r10b, 0xff", "jne 0x0000000000000040"]);
        let stored = of(&|e| e.store_some([n, mask], Gpr::Rdi, 0x20, 15));
        let place = "ymmword ptr [rdi+0x20]";
        let chosen = format!("vblendvps ymm{mask}, ymm{mask}, ymm{n}, ymm15");
        assert_eq!(stored, [format!("vmovdqu ymm{mask}, {place}"), chosen, format!("vmovdqa {place}, ymm{mask}")]);
    }
    let jump = |e: &mut Encoder| {
        let from = e.jump_unless_ones(0x1f8);
        e.land(from, 0x40);
    };
    assert_eq!(of(&jump), ["cmp qword ptr [rsi+0x1f8], 0xffffffffffffffff", "jne 0x0000000000000040"]);
    let jump = |e: &mut Encoder| {
        let from = e.jump_unless_within(15, 4);
        e.land(from, 0x40);
    };
    assert_eq!(of(&jump), ["vptest ymm4, ymm15", "jae 0x0000000000000040"]);
    assert_eq!(of(&|e| e.test(9)), ["vptest ymm9, ymm9"]);
}

#[test]
fn lanes_to_edx() {
    for n in 0..32 {
        assert_eq!(text(|e| e.first_to_edx(n)), format!("vmovd edx, xmm{n}"));
        let compressed = text(|e| e.op(Op::Compress, n, 0, Rm::Register(31 - n), Masking { mask: 2, zero: true }, 0));
        assert_eq!(compressed, format!("vpcompressd zmm{}{{k2}}{{z}}, zmm{n}", 31 - n));
    }
    for n in 0..16 {
        assert_eq!(narrow(|e| e.first_to_edx(n)), format!("vmovd edx, xmm{n}"));
        let first = texts_of(Width::Ymm, |e| e.first_of(n, 15 - n, 3));
        let moved = format!("vmovd xmm{n}, edx");
        let permuted = format!("vpermd ymm{n}, ymm{n}, ymm{}", 15 - n);
        assert_eq!(first, ["vmovmskps edx, ymm3".to_owned(), "tzcnt edx, edx".to_owned(), moved, permuted]);
        let tested = texts_of(Width::Ymm, |e| e.test_bits(n, Rm::Memory(Gpr::Rsi, 0x100)));
        assert_eq!(tested, [format!("vptest ymm{n}, ymmword ptr [rsi+0x100]").as_str(), "setne dl", "movzx edx, dl"]);
    }
    let within = texts_of(Width::Ymm, |e| e.test_signs(9, 14));
    assert_eq!(within, ["vptest ymm9, ymm14", "setae dl", "movzx edx, dl"]);
    assert_eq!(text(|e| e.mask_to_edx(5)), "kmovw edx, k5");
}

#[test]
fn bytes_and_words_of_rows() {
    let active = Masking { mask: 1, zero: true };
    let names = [(Op::WidenFrom8, "vpmovzxbd", "x"), (Op::WidenFromI8, "vpmovsxbd", "x")];
    let wide = [(Op::WidenFrom16, "vpmovzxwd", "y"), (Op::WidenFromI16, "vpmovsxwd", "y")];
    for (op, name, size) in names.into_iter().chain(wide) {
        for (disp, place) in [(0, "rdx"), (1, "rdx+1")] {
            let found = text(|e| e.op(op, 19, 0, Rm::Memory(Gpr::Rdx, disp), active, 0));
            assert_eq!(found, format!("{name} zmm19{{k1}}{{z}}, {size}mmword ptr [{place}]"));
        }
    }
    for n in 0..32 {
        assert_eq!(text(|e| e.broadcast_edx(n)), format!("vpbroadcastd zmm{n}, edx"));
    }
    for n in 0..16 {
        let found = texts_of(Width::Ymm, |e| e.broadcast_edx(n));
        assert_eq!(found, [format!("vmovd xmm{n}, edx"), format!("vpbroadcastd ymm{n}, xmm{n}")]);
    }
}

/// Bytes of the operations with vectors of 256 bits, by `llvm-mc -mattr=+avx2,+fma,+f16c` (LLVM 15): the registers 3,
/// 5, 6, then 12, 13, 14, and the immediate 5. W is clear where the processor ignores it.
#[rustfmt::skip]
const VEX: &[(Op, &str, &str)] = &[
    (Op::Load, "c5fe6fde", "c4417e6fe6"),
    (Op::Copy, "c5fd6fde", "c4417d6fe6"),
    (Op::Add32, "c5d5fede", "c44115fee6"),
    (Op::Sub32, "c5d5fade", "c44115fae6"),
    (Op::Add64, "c5d5d4de", "c44115d4e6"),
    (Op::And, "c5d5dbde", "c44115dbe6"),
    (Op::Or, "c5d5ebde", "c44115ebe6"),
    (Op::Xor, "c5d5efde", "c44115efe6"),
    (Op::And64, "c5d5dbde", "c44115dbe6"),
    (Op::Or64, "c5d5ebde", "c44115ebe6"),
    (Op::Xor64, "c5d5efde", "c44115efe6"),
    (Op::MulLow, "c4e25540de", "c4421540e6"),
    (Op::MulU64, "c5d5f4de", "c44115f4e6"),
    (Op::MulI64, "c4e25528de", "c4421528e6"),
    (Op::MinI32, "c4e25539de", "c4421539e6"),
    (Op::MaxI32, "c4e2553dde", "c442153de6"),
    (Op::MinU32, "c4e2553bde", "c442153be6"),
    (Op::MaxU32, "c4e2553fde", "c442153fe6"),
    (Op::ShlVar, "c4e25547de", "c4421547e6"),
    (Op::ShrVar, "c4e25545de", "c4421545e6"),
    (Op::SarVar, "c4e25546de", "c4421546e6"),
    (Op::ShlVar64, "c4e2d547de", "c4429547e6"),
    (Op::ShrVar64, "c4e2d545de", "c4429545e6"),
    (Op::Shl, "c5e572f605", "c4c11d72f605"),
    (Op::Shr, "c5e572d605", "c4c11d72d605"),
    (Op::Sar, "c5e572e605", "c4c11d72e605"),
    (Op::Shl64, "c5e573f605", "c4c11d73f605"),
    (Op::Shr64, "c5e573d605", "c4c11d73d605"),
    (Op::Permute, "c4e25536de", "c4421536e6"),
    (Op::Bytes, "c4e25500de", "c4421500e6"),
    (Op::InterleaveLow, "c5d562de", "c4411562e6"),
    (Op::InterleaveHigh, "c5d56ade", "c441156ae6"),
    (Op::ShuffleTwo, "c5d4c6de05", "c44114c6e605"),
    (Op::AverageU8, "c5d5e0de", "c44115e0e6"),
    (Op::SubU8, "c5d5f8de", "c44115f8e6"),
    (Op::MinU8, "c5d5dade", "c44115dae6"),
    (Op::MaxU8, "c5d5dede", "c44115dee6"),
    (Op::SumBytes, "c4e25504de", "c4421504e6"),
    (Op::SumWords, "c5d5f5de", "c44115f5e6"),
    (Op::MulLow16, "c5d5d5de", "c44115d5e6"),
    (Op::MinU16, "c4e2553ade", "c442153ae6"),
    (Op::MaxU16, "c4e2553ede", "c442153ee6"),
    (Op::MinI16, "c5d5eade", "c44115eae6"),
    (Op::MaxI16, "c5d5eede", "c44115eee6"),
    (Op::AddF32, "c5d458de", "c4411458e6"),
    (Op::SubF32, "c5d45cde", "c441145ce6"),
    (Op::MulF32, "c5d459de", "c4411459e6"),
    (Op::DivF32, "c5d45ede", "c441145ee6"),
    (Op::MaxF32, "c5d45fde", "c441145fe6"),
    (Op::SqrtF32, "c5fc51de", "c4417c51e6"),
    (Op::RoundF32, "c4e37d08de05", "c4437d08e605"),
    (Op::FromI32, "c5fc5bde", "c4417c5be6"),
    (Op::ToI32, "c5fe5bde", "c4417e5be6"),
    (Op::Fma132F32, "c4e25598de", "c4421598e6"),
    (Op::Fma213F32, "c4e255a8de", "c44215a8e6"),
    (Op::Fma231F32, "c4e255b8de", "c44215b8e6"),
    (Op::WidenFrom16, "c4e27d33de", "c4427d33e6"),
    (Op::WidenFromI16, "c4e27d23de", "c4427d23e6"),
    (Op::WidenFrom8, "c4e27d31de", "c4427d31e6"),
    (Op::WidenFromI8, "c4e27d21de", "c4427d21e6"),
    (Op::FromF16, "c4e27d13de", "c4427d13e6"),
    (Op::ToF16, "c4e37d1dde05", "c4437d1de605"),
    (Op::AddF64, "c5d558de", "c4411558e6"),
    (Op::MulF64, "c5d559de", "c4411559e6"),
    (Op::SubF64, "c5d55cde", "c441155ce6"),
    (Op::DivF64, "c5d55ede", "c441155ee6"),
    (Op::SqrtF64, "c5fd51de", "c4417d51e6"),
    (Op::F64FromF32, "c5fc5ade", "c4417c5ae6"),
    (Op::F32FromF64, "c5fd5ade", "c4417d5ae6"),
    (Op::RoundF64, "c4e37d09de05", "c4437d09e605"),
    (Op::Fma132F64, "c4e2d598de", "c4429598e6"),
    (Op::Fma213F64, "c4e2d5a8de", "c44295a8e6"),
    (Op::Fma231F64, "c4e2d5b8de", "c44295b8e6"),
    (Op::AndNot, "c5d5dfde", "c44115dfe6"),
    (Op::BlendDwords, "c4e35502de05", "c4431502e605"),
    (Op::PermuteQwords, "c4e3fd00de05", "c443fd00e605"),
    (Op::SubSaturatedU16, "c5d5d9de", "c44115d9e6"),
    (Op::EqualI32, "c5d576de", "c4411576e6"),
    (Op::GreaterI32, "c5d566de", "c4411566e6"),
    (Op::EqualI64, "c4e25529de", "c4421529e6"),
    (Op::GreaterI64, "c4e25537de", "c4421537e6"),
    (Op::LanesF32, "c5d4c2de05", "c44114c2e605"),
    (Op::LanesF64, "c5d5c2de05", "c44115c2e605"),
    (Op::MinF32, "c5d45dde", "c441145de6"),
    (Op::MinF64, "c5d55dde", "c441155de6"),
    (Op::MaxF64, "c5d55fde", "c441155fe6"),
    (Op::ShuffleHalves, "c4e35546de05", "c4431546e605"),
    (Op::UpperHalf256, "c4e37d19de05", "c4437d19e605"),
    (Op::JoinHalves256, "c4e35518de05", "c4431518e605"),
];

/// The bytes of what is encoded with vectors of 256 bits.
fn narrow_hex(encode: impl FnOnce(&mut Encoder)) -> String {
    let mut encoder = Encoder::new(Width::Ymm, 0);
    encode(&mut encoder);
    encoder.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn bytes_as_another_assembler_writes_them() {
    let has_vex = |op: &&Op| op.row().vex.is_some() && op.row().shape != Shape::Choice;
    let listed: Vec<Op> = VEX.iter().map(|row| row.0).collect();
    assert_eq!(listed, Op::ALL.iter().filter(has_vex).copied().collect::<Vec<Op>>());
    for &(op, low, high) in VEX {
        for ([reg, vvvv, rm], bytes) in [([3, 5, 6], low), ([12, 13, 14], high)] {
            let has_two = matches!(op.row().shape, Shape::Unary | Shape::Shift(_) | Shape::Narrow);
            let vvvv = if has_two { 0 } else { vvvv };
            let found = narrow_hex(|e| e.op(op, reg, vvvv, Rm::Register(rm), Masking::default(), 5));
            assert_eq!(found, bytes, "{op:?}");
        }
    }
}

#[test]
fn bytes_of_instructions_that_are_no_rows() {
    let of = |encode: &dyn Fn(&mut Encoder)| narrow_hex(encode);
    // vblendvps ymm9, ymm10, ymm11, ymm12; vfnmadd231pd ymm13, ymm4, ymm15
    assert_eq!(of(&|e| e.choose(9, 10, Rm::Register(11), 12)), "c4432d4acbc0");
    assert_eq!(of(&|e| e.fused(Op::Fma231F64, 2, 13, 4, Rm::Register(15))), "c442ddbcef");
    // vpbroadcastq ymm11, qword ptr [r8 + 8]; vpbroadcastd ymm11, dword ptr [r8 + 8]
    assert_eq!(of(&|e| e.broadcast(11, true, Rm::Broadcast(Gpr::R8, 8))), "c4427d595808");
    assert_eq!(of(&|e| e.broadcast(11, false, Rm::Broadcast(Gpr::R8, 8))), "c4427d585808");
    // vmovdqa ymmword ptr [r9 + 32], ymm13; vptest ymm14, ymm15
    assert_eq!(of(&|e| e.store(13, Gpr::R9, 32, 0)), "c4417d7f6920");
    assert_eq!(of(&|e| e.test_within(15, 14)), "c4427d17f7");
    // vpgatherdd ymm13, dword ptr [r9 + 4*ymm14 + 256], ymm15; vpmaskmovd ymm13, ymm14, ymmword ptr [r9 + 256]
    assert_eq!(of(&|e| e.gather(13, Gpr::R9, 14, true, 256, 15)), "c4020590acb100010000");
    assert_eq!(of(&|e| e.load_lanes(13, Gpr::R9, 256, 14)), "c4420d8ca900010000");
}
