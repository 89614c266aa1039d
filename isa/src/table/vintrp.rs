//! VINTRP rows: parameter interpolation. Columns: see [`crate::table`].

/// Calls a macro with the rows of VINTRP.
#[macro_export]
macro_rules! for_each_vintrp {
    ($callback:ident) => {
        $callback! { Vintrp VINTRP
    v_interp_p1_f32 = VInterpP1F32 { op: [0 0 0 0 0], dst: f32, src: [none f32], has: [VOP3 ATTR ABS NEG CLAMP OMOD], fx: [RM0], "D = P10 * S1 + P0 of an attribute" }
    v_interp_p2_f32 = VInterpP2F32 { op: [1 1 1 1 1], dst: f32, src: [none f32], has: [VOP3 ATTR ABS NEG CLAMP OMOD], fx: [RDST RM0], "D = P20 * S1 + D of an attribute" }
    v_interp_mov_f32 = VInterpMovF32 { op: [2 2 2 2 2], dst: f32, src: [none none], has: [VOP3 ATTR CLAMP OMOD], fx: [RM0], "D = P0, P10 or P20 of an attribute" }
        }
    };
}
