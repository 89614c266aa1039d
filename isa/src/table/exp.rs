//! EXP rows: exports. Columns: see [`crate::table`].

macro_rules! for_each_exp {
    ($callback:ident) => {
        $callback! { Exp EXP
        exp = Exp { op: [0 0 0 0 0], "target = the four registers that EN selects, of active lanes" }
            }
    };
}
pub(crate) use for_each_exp;
