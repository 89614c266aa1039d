//! Vector compares as C: one loop over 64 lanes each, which the C compiler may vectorise. (gcc's `-O2` does so from
//! version 12 on where it expects little cost.)

use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Inst, OperandType, Pred, Src, reg};

use crate::registers::Registers;
use crate::scalar;

/// The C expression that tests a predicate on `x` and `y`. For compares of classes, `x` is the number of the class and
/// `y` has a bit for each class.
fn test(pred: Pred, float: bool) -> &'static str {
    match pred {
        Pred::F => "0",
        Pred::Lt => "x < y",
        Pred::Eq => "x == y",
        Pred::Le => "x <= y",
        Pred::Gt => "x > y",
        Pred::Lg if float => "x < y || x > y",
        Pred::Lg => "x != y",
        Pred::Ge => "x >= y",
        Pred::O => "x == x && y == y",
        Pred::U => "x != x || y != y",
        Pred::Nge => "!(x >= y)",
        Pred::Nlg => "!(x < y || x > y)",
        Pred::Ngt => "!(x > y)",
        Pred::Nle => "!(x <= y)",
        Pred::Neq => "!(x == y)",
        Pred::Nlt => "!(x < y)",
        Pred::Tru => "1",
        Pred::Class => "y >> x & 1",
    }
}

/// The pieces of C that make a number of the bits of a lane. Those that a type does not need are empty.
struct Lanes {
    /// Type of the bits.
    bits: &'static str,
    /// Type of the number.
    number: &'static str,
    /// Conversion of bits to a number.
    convert: &'static str,
    /// Function of the prelude that flushes denormals where MODE says so.
    flush: &'static str,
    /// Function of the prelude that returns the number of the class.
    class: &'static str,
    /// The sign bit.
    sign: &'static str,
}

/// The pieces for a type; `None` if there are no compares of it.
fn lanes(ty: OperandType) -> Option<Lanes> {
    use OperandType as T;
    let lanes = |bits, number, convert, flush, class, sign| Some(Lanes { bits, number, convert, flush, class, sign });
    match ty {
        T::i16 => lanes("uint16_t", "int16_t", "(int16_t)", "", "", ""),
        T::u16 => lanes("uint16_t", "uint16_t", "", "", "", ""),
        T::i32 => lanes("uint32_t", "int32_t", "(int32_t)", "", "", ""),
        T::u32 => lanes("uint32_t", "uint32_t", "", "", "", ""),
        T::i64 => lanes("uint64_t", "int64_t", "(int64_t)", "", "", ""),
        T::u64 => lanes("uint64_t", "uint64_t", "", "", "", ""),
        T::f16 => lanes("uint16_t", "double", "f16", "flush16", "class16", "0x8000"),
        T::f32 => lanes("uint32_t", "float", "f32", "flush32", "class32", "0x80000000u"),
        T::f64 => lanes("uint64_t", "double", "f64", "flush64", "class64", "0x8000000000000000ull"),
        _ => None,
    }
}

/// The C statement of a compare; `None` if it is not translated.
pub(crate) fn statement(op: Vopc, inst: &Inst, registers: &Registers) -> Option<String> {
    if inst.unsupported().is_some() {
        return None;
    }
    let cmp = op.cmp();
    let (types, is_class) = (lanes(cmp.ty)?, cmp.pred == Pred::Class);
    let flushes = cmp.ty.is_float() && !is_class;
    let operand = |i: usize| {
        let mut bits = match inst.src(i) {
            Src::Vgpr(n) if inst.src_type(i).is_wide() => format!("JOIN(v[{n}][i], v[{}][i])", n + 1),
            Src::Vgpr(n) => format!("v[{n}][i]"),
            _ => scalar::source(inst, i, registers),
        };
        if inst.src_type(i).is_float() {
            if inst.abs(i) {
                bits = format!("({bits} & ~{})", types.sign);
            }
            if inst.neg(i) {
                bits = format!("({bits} ^ {})", types.sign);
            }
        }
        bits
    };
    let number = |i: usize| match () {
        () if is_class && i == 0 => format!("{}(({}){})", types.class, types.bits, operand(i)),
        () if is_class => operand(i),
        () if flushes => format!("{}({}({}, mode))", types.convert, types.flush, operand(i)),
        () => format!("{}({}){}", types.convert, types.bits, operand(i)),
    };
    let kind = if is_class { "uint32_t" } else { types.number };
    let test = test(cmp.pred, cmp.ty.is_float());
    let mut writes = registers.write64(inst.dst()?, "t");
    if cmp.writes_exec {
        writes += " ";
        writes += &registers.write64(reg::EXEC_LO, "t");
    }
    Some(format!(
        "{{ uint64_t t = 0; for (int i = 0; i < 64; i++) {{ {kind} x = {}, y = {}; t |= (uint64_t)({test}) << i; }} \
         t &= {}; {writes} }}",
        number(0),
        number(1),
        registers.read64(reg::EXEC_LO),
    ))
}
