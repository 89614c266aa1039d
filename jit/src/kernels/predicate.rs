//! Predicates as types, so that a kernel is a generic function compiled once per predicate.

use super::KernelOp;

/// A predicate that orders two operands.
pub(super) trait Predicate {
    /// Which one.
    const OP: KernelOp;
}

macro_rules! predicates {
    ($($Name:ident)*) => {
        $(
            pub(super) struct $Name;

            impl Predicate for $Name {
                const OP: KernelOp = KernelOp::$Name;
            }
        )*
    };
}

predicates! { Lt Le Eq Lg Gt Ge }

/// `body` with `$P` standing for the type of the predicate `op`; U and CLASS do not get here.
macro_rules! with_predicate {
    ($op:expr, $P:ident => $body:expr) => {
        match $op {
            KernelOp::Lt => with_predicate!(@ Lt, $P => $body),
            KernelOp::Le => with_predicate!(@ Le, $P => $body),
            KernelOp::Eq => with_predicate!(@ Eq, $P => $body),
            KernelOp::Lg => with_predicate!(@ Lg, $P => $body),
            KernelOp::Gt => with_predicate!(@ Gt, $P => $body),
            KernelOp::Ge => with_predicate!(@ Ge, $P => $body),
            KernelOp::U | KernelOp::Class => unreachable!("not an ordering"),
        }
    };
    (@ $Name:ident, $P:ident => $body:expr) => {{
        type $P = crate::kernels::predicate::$Name;
        $body
    }};
}

pub(super) use with_predicate;
