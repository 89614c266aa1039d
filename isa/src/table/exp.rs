//! EXP rows: exports. Columns: see [`crate::table`].

macro_rules! for_each_exp {
    ($callback:ident) => {
        $callback! { Exp EXP
        exp = Exp { op: [0 0 0 0 0] }
            }
    };
}
pub(crate) use for_each_exp;
