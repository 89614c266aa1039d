//! Scalar instructions as C statements. In the expressions, `a` and `b` are the sources in their widths, `d` is the old
//! destination, `t` the result and `e` EXEC.

use gcnsim_isa::table::{Sop1, Sop2, Sopc, Sopk, Sopp};
use gcnsim_isa::{HwReg, Inst, Src, hwreg, reg};

use crate::registers::Registers;

/// SCC = D is not 0.
const NON_ZERO: Option<&str> = Some("t != 0");

/// The C expression for source `i`, in the width of its type.
pub(crate) fn source(inst: &Inst, i: usize, registers: &Registers) -> String {
    let wide = inst.src_type(i).is_wide();
    match inst.src(i) {
        Src::Sgpr(n) if wide => registers.read64(n),
        Src::Sgpr(n) => registers.read32(n),
        Src::Imm(v) if wide => format!("{v:#x}ull"),
        Src::Imm(v) => format!("{:#x}u", v as u32),
        Src::Scc => "scc".to_string(),
        Src::Vccz => format!("({} == 0)", registers.read64(reg::VCC_LO)),
        Src::Execz => format!("({} == 0)", registers.read64(reg::EXEC_LO)),
        Src::Vgpr(_) | Src::LdsDirect => unreachable!("not a scalar source"),
    }
}

/// The C statement that writes `t` to the destination.
fn write(inst: &Inst, registers: &Registers) -> String {
    match inst.dst() {
        Some(dst) if inst.desc().dst.is_wide() => registers.write64(dst, "t"),
        Some(dst) => registers.write32(dst, "(uint32_t)t"),
        None => String::new(),
    }
}

/// The C declarations of the sources `a` and `b`.
fn sources(inst: &Inst, registers: &Registers) -> String {
    ["a", "b"].iter().take(inst.src_count()).enumerate().fold(String::new(), |text, (i, name)| {
        let bits = if inst.src_type(i).is_wide() { 64 } else { 32 };
        text + &format!("uint{bits}_t {name} = {}; ", source(inst, i, registers))
    })
}

/// The C statement D = `expr`. The expression has C type `ty` before it is cut to the destination's width. SCC becomes
/// `scc`, if given.
fn assign(inst: &Inst, registers: &Registers, ty: &str, expr: &str, scc: Option<&str>) -> Option<String> {
    let old = match inst.dst() {
        Some(dst) if expr.contains('d') && inst.desc().fx.has(gcnsim_isa::Fx::RDST) => {
            if inst.desc().dst.is_wide() {
                format!("uint64_t d = {}; ", registers.read64(dst))
            } else {
                format!("uint32_t d = {}; ", registers.read32(dst))
            }
        }
        _ => String::new(),
    };
    let scc = scc.map(|scc| format!(" scc = {scc};")).unwrap_or_default();
    Some(format!("{{ {}{old}{ty} t = {expr}; {}{scc} }}", sources(inst, registers), write(inst, registers)))
}

/// The C statement SCC = `expr`.
fn set_scc(inst: &Inst, registers: &Registers, expr: &str) -> Option<String> {
    Some(format!("{{ {}scc = {expr}; }}", sources(inst, registers)))
}

/// The C statements EXEC = `new`; D = `saved`; SCC = EXEC is not 0.
fn exec(inst: &Inst, registers: &Registers, new: &str, saved: &str) -> Option<String> {
    let dst = inst.dst()?;
    Some(format!(
        "{{ {}uint64_t e = {}, t = {new}; {} {} scc = t != 0; }}",
        sources(inst, registers),
        registers.read64(reg::EXEC_LO),
        registers.write64(reg::EXEC_LO, "t"),
        registers.write64(dst, saved),
    ))
}

pub(crate) fn sop1(op: Sop1, inst: &Inst, pc: u64, r: &Registers) -> Option<String> {
    const U32: &str = "uint32_t";
    const U64: &str = "uint64_t";
    match op {
        Sop1::SMovB32 | Sop1::SMovFedB32 => assign(inst, r, U32, "a", None),
        Sop1::SMovB64 => assign(inst, r, U64, "a", None),
        Sop1::SCmovB32 => assign(inst, r, U32, "scc ? a : d", None),
        Sop1::SCmovB64 => assign(inst, r, U64, "scc ? a : d", None),
        Sop1::SNotB32 => assign(inst, r, U32, "~a", NON_ZERO),
        Sop1::SNotB64 => assign(inst, r, U64, "~a", NON_ZERO),
        Sop1::SWqmB32 => assign(inst, r, U32, "any_of_quads(a) * 15", NON_ZERO),
        Sop1::SWqmB64 => assign(inst, r, U64, "any_of_quads(a) * 15", NON_ZERO),
        Sop1::SBrevB32 => assign(inst, r, U32, "brev32(a)", None),
        Sop1::SBrevB64 => assign(inst, r, U64, "brev64(a)", None),
        Sop1::SBcnt0I32B32 => assign(inst, r, U32, "__builtin_popcount(~a)", NON_ZERO),
        Sop1::SBcnt0I32B64 => assign(inst, r, U32, "__builtin_popcountll(~a)", NON_ZERO),
        Sop1::SBcnt1I32B32 => assign(inst, r, U32, "__builtin_popcount(a)", NON_ZERO),
        Sop1::SBcnt1I32B64 => assign(inst, r, U32, "__builtin_popcountll(a)", NON_ZERO),
        Sop1::SFf0I32B32 => assign(inst, r, U32, "ff1_32(~a)", None),
        Sop1::SFf0I32B64 => assign(inst, r, U32, "ff1_64(~a)", None),
        Sop1::SFf1I32B32 => assign(inst, r, U32, "ff1_32(a)", None),
        Sop1::SFf1I32B64 => assign(inst, r, U32, "ff1_64(a)", None),
        Sop1::SFlbitI32B32 => assign(inst, r, U32, "flbit32(a)", None),
        Sop1::SFlbitI32B64 => assign(inst, r, U32, "flbit64(a)", None),
        Sop1::SFlbitI32 => assign(inst, r, U32, "flbit32((int32_t)a < 0 ? ~a : a)", None),
        Sop1::SFlbitI32I64 => assign(inst, r, U32, "flbit64((int64_t)a < 0 ? ~a : a)", None),
        Sop1::SSextI32I8 => assign(inst, r, U32, "(int8_t)a", None),
        Sop1::SSextI32I16 => assign(inst, r, U32, "(int16_t)a", None),
        Sop1::SBitset0B32 => assign(inst, r, U32, "d & ~(1u << (a & 31))", None),
        Sop1::SBitset0B64 => assign(inst, r, U64, "d & ~(1ull << (a & 63))", None),
        Sop1::SBitset1B32 => assign(inst, r, U32, "d | 1u << (a & 31)", None),
        Sop1::SBitset1B64 => assign(inst, r, U64, "d | 1ull << (a & 63)", None),
        Sop1::SGetpcB64 => assign(inst, r, U64, &format!("{:#x}ull", pc + 4), None),
        Sop1::SAndSaveexecB64 => exec(inst, r, "a & e", "e"),
        Sop1::SOrSaveexecB64 => exec(inst, r, "a | e", "e"),
        Sop1::SXorSaveexecB64 => exec(inst, r, "a ^ e", "e"),
        Sop1::SAndn2SaveexecB64 => exec(inst, r, "a & ~e", "e"),
        Sop1::SOrn2SaveexecB64 => exec(inst, r, "a | ~e", "e"),
        Sop1::SNandSaveexecB64 => exec(inst, r, "~(a & e)", "e"),
        Sop1::SNorSaveexecB64 => exec(inst, r, "~(a | e)", "e"),
        Sop1::SXnorSaveexecB64 => exec(inst, r, "~(a ^ e)", "e"),
        Sop1::SAndn1SaveexecB64 => exec(inst, r, "~a & e", "e"),
        Sop1::SOrn1SaveexecB64 => exec(inst, r, "~a | e", "e"),
        Sop1::SAndn1WrexecB64 => exec(inst, r, "~a & e", "t"),
        Sop1::SAndn2WrexecB64 => exec(inst, r, "a & ~e", "t"),
        Sop1::SQuadmaskB32 => assign(inst, r, U32, "quadmask(a)", NON_ZERO),
        Sop1::SQuadmaskB64 => assign(inst, r, U64, "quadmask(a)", NON_ZERO),
        Sop1::SMovrelsB32 => movrels(inst, r, "s[INDEX]"),
        Sop1::SMovrelsB64 => movrels(inst, r, "JOIN(s[INDEX], s[(INDEX + 1) & 127])"),
        Sop1::SMovreldB32 => movreld(inst, r, "s[INDEX] = a;"),
        Sop1::SMovreldB64 => movreld(inst, r, "s[INDEX] = a; s[(INDEX + 1) & 127] = a >> 32;"),
        Sop1::SAbsI32 => assign(inst, r, U32, "(int32_t)a < 0 ? -a : a", NON_ZERO),
        Sop1::SBitreplicateB64B32 => assign(inst, r, U64, "bitreplicate(a)", None),
        // Control flow is handled elsewhere; the other instructions are not translated.
        Sop1::SSetpcB64 | Sop1::SSwappcB64 | Sop1::SRfeB64 | Sop1::SCbranchJoin => None,
        Sop1::SMovRegrdB32 | Sop1::SSetGprIdxIdx => None,
    }
}

/// The C statement D = `value`, in which INDEX is the number of a register: that of the source plus M0, cut to 7 bits.
fn movrels(inst: &Inst, registers: &Registers, value: &str) -> Option<String> {
    let Src::Sgpr(base) = inst.src(0) else { return None };
    let value = value.replace("INDEX", &index(base, registers));
    Some(format!("{{ uint64_t t = {value}; {} }}", write(inst, registers)))
}

/// The C statement `store`, in which INDEX is the number of a register: that of the destination plus M0, cut to 7 bits.
fn movreld(inst: &Inst, registers: &Registers, store: &str) -> Option<String> {
    let store = store.replace("INDEX", &index(inst.dst()?, registers));
    Some(format!("{{ {}{store} }}", sources(inst, registers)))
}

/// The C expression for the number of a register: `base` + M0. The array has 128 registers, so it has 7 bits.
fn index(base: u8, registers: &Registers) -> String {
    format!("(({base} + {}) & 127)", registers.read32(reg::M0))
}

pub(crate) fn sop2(op: Sop2, inst: &Inst, r: &Registers) -> Option<String> {
    const U32: &str = "uint32_t";
    const U64: &str = "uint64_t";
    let carry = Some("t >> 32");
    let lshl_add = |shift: u32| assign(inst, r, U64, &format!("((uint64_t)a << {shift}) + b"), Some("t >> 32 != 0"));
    match op {
        Sop2::SAddU32 => assign(inst, r, U32, "a + b", Some("t < a")),
        Sop2::SSubU32 => assign(inst, r, U32, "a - b", Some("a < b")),
        Sop2::SAddI32 => assign(inst, r, U32, "a + b", Some("__builtin_add_overflow_p((int32_t)a, (int32_t)b, 0)")),
        Sop2::SSubI32 => assign(inst, r, U32, "a - b", Some("__builtin_sub_overflow_p((int32_t)a, (int32_t)b, 0)")),
        Sop2::SAddcU32 => assign(inst, r, U64, "(uint64_t)a + b + scc", carry),
        Sop2::SSubbU32 => assign(inst, r, U64, "(uint64_t)a - b - scc", Some("t >> 63")),
        Sop2::SMinI32 => assign(inst, r, U32, "(int32_t)a < (int32_t)b ? a : b", Some("(int32_t)a < (int32_t)b")),
        Sop2::SMinU32 => assign(inst, r, U32, "a < b ? a : b", Some("a < b")),
        Sop2::SMaxI32 => assign(inst, r, U32, "(int32_t)a > (int32_t)b ? a : b", Some("(int32_t)a > (int32_t)b")),
        Sop2::SMaxU32 => assign(inst, r, U32, "a > b ? a : b", Some("a > b")),
        Sop2::SCselectB32 => assign(inst, r, U32, "scc ? a : b", None),
        Sop2::SCselectB64 => assign(inst, r, U64, "scc ? a : b", None),
        Sop2::SAndB32 => assign(inst, r, U32, "a & b", NON_ZERO),
        Sop2::SAndB64 => assign(inst, r, U64, "a & b", NON_ZERO),
        Sop2::SOrB32 => assign(inst, r, U32, "a | b", NON_ZERO),
        Sop2::SOrB64 => assign(inst, r, U64, "a | b", NON_ZERO),
        Sop2::SXorB32 => assign(inst, r, U32, "a ^ b", NON_ZERO),
        Sop2::SXorB64 => assign(inst, r, U64, "a ^ b", NON_ZERO),
        Sop2::SAndn2B32 => assign(inst, r, U32, "a & ~b", NON_ZERO),
        Sop2::SAndn2B64 => assign(inst, r, U64, "a & ~b", NON_ZERO),
        Sop2::SOrn2B32 => assign(inst, r, U32, "a | ~b", NON_ZERO),
        Sop2::SOrn2B64 => assign(inst, r, U64, "a | ~b", NON_ZERO),
        Sop2::SNandB32 => assign(inst, r, U32, "~(a & b)", NON_ZERO),
        Sop2::SNandB64 => assign(inst, r, U64, "~(a & b)", NON_ZERO),
        Sop2::SNorB32 => assign(inst, r, U32, "~(a | b)", NON_ZERO),
        Sop2::SNorB64 => assign(inst, r, U64, "~(a | b)", NON_ZERO),
        Sop2::SXnorB32 => assign(inst, r, U32, "~(a ^ b)", NON_ZERO),
        Sop2::SXnorB64 => assign(inst, r, U64, "~(a ^ b)", NON_ZERO),
        Sop2::SLshlB32 => assign(inst, r, U32, "a << (b & 31)", NON_ZERO),
        Sop2::SLshlB64 => assign(inst, r, U64, "a << (b & 63)", NON_ZERO),
        Sop2::SLshrB32 => assign(inst, r, U32, "a >> (b & 31)", NON_ZERO),
        Sop2::SLshrB64 => assign(inst, r, U64, "a >> (b & 63)", NON_ZERO),
        Sop2::SAshrI32 => assign(inst, r, U32, "(int32_t)a >> (b & 31)", NON_ZERO),
        Sop2::SAshrI64 => assign(inst, r, U64, "(int64_t)a >> (b & 63)", NON_ZERO),
        Sop2::SBfmB32 => assign(inst, r, U32, "((1u << (a & 31)) - 1) << (b & 31)", None),
        Sop2::SBfmB64 => assign(inst, r, U64, "((1ull << (a & 63)) - 1) << (b & 63)", None),
        Sop2::SMulI32 => assign(inst, r, U32, "a * b", None),
        Sop2::SBfeU32 => assign(inst, r, U32, "bfe_u64(a, b, 32)", NON_ZERO),
        Sop2::SBfeI32 => assign(inst, r, U32, "bfe_i64((int32_t)a, b, 32)", NON_ZERO),
        Sop2::SBfeU64 => assign(inst, r, U64, "bfe_u64(a, b, 64)", NON_ZERO),
        Sop2::SBfeI64 => assign(inst, r, U64, "bfe_i64(a, b, 64)", NON_ZERO),
        Sop2::SAbsdiffI32 => assign(inst, r, U32, "absdiff(a, b)", NON_ZERO),
        Sop2::SMulHiU32 => assign(inst, r, U32, "(uint64_t)a * b >> 32", None),
        Sop2::SMulHiI32 => assign(inst, r, U32, "(int64_t)(int32_t)a * (int32_t)b >> 32", None),
        Sop2::SLshl1AddU32 => lshl_add(1),
        Sop2::SLshl2AddU32 => lshl_add(2),
        Sop2::SLshl3AddU32 => lshl_add(3),
        Sop2::SLshl4AddU32 => lshl_add(4),
        Sop2::SPackLlB32B16 => assign(inst, r, U32, "(a & 0xffff) | b << 16", None),
        Sop2::SPackLhB32B16 => assign(inst, r, U32, "(a & 0xffff) | (b & 0xffff0000u)", None),
        Sop2::SPackHhB32B16 => assign(inst, r, U32, "a >> 16 | (b & 0xffff0000u)", None),
        // Forks are not translated.
        Sop2::SCbranchGFork | Sop2::SRfeRestoreB64 => None,
    }
}

pub(crate) fn sopc(op: Sopc, inst: &Inst, r: &Registers) -> Option<String> {
    match op {
        Sopc::SCmpEqI32 | Sopc::SCmpEqU32 | Sopc::SCmpEqU64 => set_scc(inst, r, "a == b"),
        Sopc::SCmpLgI32 | Sopc::SCmpLgU32 | Sopc::SCmpLgU64 => set_scc(inst, r, "a != b"),
        Sopc::SCmpGtI32 => set_scc(inst, r, "(int32_t)a > (int32_t)b"),
        Sopc::SCmpGeI32 => set_scc(inst, r, "(int32_t)a >= (int32_t)b"),
        Sopc::SCmpLtI32 => set_scc(inst, r, "(int32_t)a < (int32_t)b"),
        Sopc::SCmpLeI32 => set_scc(inst, r, "(int32_t)a <= (int32_t)b"),
        Sopc::SCmpGtU32 => set_scc(inst, r, "a > b"),
        Sopc::SCmpGeU32 => set_scc(inst, r, "a >= b"),
        Sopc::SCmpLtU32 => set_scc(inst, r, "a < b"),
        Sopc::SCmpLeU32 => set_scc(inst, r, "a <= b"),
        Sopc::SBitcmp0B32 => set_scc(inst, r, "!(a >> (b & 31) & 1)"),
        Sopc::SBitcmp1B32 => set_scc(inst, r, "a >> (b & 31) & 1"),
        Sopc::SBitcmp0B64 => set_scc(inst, r, "!(a >> (b & 63) & 1)"),
        Sopc::SBitcmp1B64 => set_scc(inst, r, "a >> (b & 63) & 1"),
        Sopc::SSetvskip | Sopc::SSetGprIdxOn => None,
    }
}

pub(crate) fn sopk(op: Sopk, inst: &Inst, r: &Registers) -> Option<String> {
    match op {
        Sopk::SMovkI32 => assign(inst, r, "uint32_t", "a", None),
        Sopk::SCmovkI32 => assign(inst, r, "uint32_t", "scc ? a : d", None),
        Sopk::SCmpkEqI32 | Sopk::SCmpkEqU32 => set_scc(inst, r, "a == b"),
        Sopk::SCmpkLgI32 | Sopk::SCmpkLgU32 => set_scc(inst, r, "a != b"),
        Sopk::SCmpkGtI32 => set_scc(inst, r, "(int32_t)a > (int32_t)b"),
        Sopk::SCmpkGeI32 => set_scc(inst, r, "(int32_t)a >= (int32_t)b"),
        Sopk::SCmpkLtI32 => set_scc(inst, r, "(int32_t)a < (int32_t)b"),
        Sopk::SCmpkLeI32 => set_scc(inst, r, "(int32_t)a <= (int32_t)b"),
        Sopk::SCmpkGtU32 => set_scc(inst, r, "a > b"),
        Sopk::SCmpkGeU32 => set_scc(inst, r, "a >= b"),
        Sopk::SCmpkLtU32 => set_scc(inst, r, "a < b"),
        Sopk::SCmpkLeU32 => set_scc(inst, r, "a <= b"),
        Sopk::SAddkI32 => {
            assign(inst, r, "uint32_t", "a + b", Some("__builtin_add_overflow_p((int32_t)a, (int32_t)b, 0)"))
        }
        Sopk::SMulkI32 => assign(inst, r, "uint32_t", "a * b", None),
        Sopk::SGetregB32 => getreg(inst, r),
        Sopk::SSetregB32 | Sopk::SSetregImm32B32 => setreg(inst, r),
        // Branches, and instructions that are not translated, have no C.
        Sopk::SCbranchIFork | Sopk::SCallB64 | Sopk::SGetregRegrdB32 => None,
    }
}

/// A mask of the `n` lowest bits, 1 to 32.
fn low_ones(n: u32) -> u32 {
    u32::MAX >> (32 - n)
}

fn getreg(inst: &Inst, registers: &Registers) -> Option<String> {
    let field = HwReg::from_simm16(inst.simm16() as u16);
    let value = match field.id {
        hwreg::MODE => "mode".to_string(),
        hwreg::TRAPSTS => "trapsts".to_string(),
        hwreg::STATUS => format!(
            "(scc | ({} == 0) << 9 | ({} == 0) << 10)",
            registers.read64(reg::EXEC_LO),
            registers.read64(reg::VCC_LO)
        ),
        _ => return None,
    };
    let mask = low_ones(field.size);
    assign(inst, registers, "uint32_t", &format!("{value} >> {} & {mask:#x}u", field.offset), None)
}

fn setreg(inst: &Inst, registers: &Registers) -> Option<String> {
    let field = HwReg::from_simm16(inst.simm16() as u16);
    let name = match field.id {
        hwreg::MODE => "mode",
        hwreg::TRAPSTS => "trapsts",
        _ => return None,
    };
    let mask = low_ones(field.size) << field.offset;
    Some(format!(
        "{{ {}{name} = ({name} & {:#x}u) | (a << {} & {mask:#x}u); }}",
        sources(inst, registers),
        !mask,
        field.offset
    ))
}

pub(crate) fn sopp(op: Sopp) -> Option<String> {
    match op {
        Sopp::SNop
        | Sopp::SWakeup
        | Sopp::SBarrier
        | Sopp::SSetkill
        | Sopp::SWaitcnt
        | Sopp::SSethalt
        | Sopp::SSleep
        | Sopp::SSetprio
        | Sopp::SSendmsg
        | Sopp::SIcacheInv
        | Sopp::SIncperflevel
        | Sopp::SDecperflevel
        | Sopp::STtracedata
        // S_TRAP 3: the others have no flow to the next instruction.
        | Sopp::STrap => Some(";".to_string()),
        // Branches, and instructions that are not translated, have no C.
        _ => None,
    }
}
