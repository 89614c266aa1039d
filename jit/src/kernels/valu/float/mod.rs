//! Float arithmetic of the vector ALU.
use gcnsim_isa::Arch;
#[derive(Clone, Copy)]
pub struct FloatMode;
impl FloatMode {
    pub fn new(_: u32, _: Arch) -> FloatMode {
        FloatMode
    }
}
macro_rules! stub { ($($o:ident $c:ident $t:ident)*) => { $(
pub fn $o(_: &FloatMode, _: u32, x: $t, _: &mut u32) -> $t { x }
pub fn $c(_: &FloatMode, x: $t) -> $t { x }
)* } }
stub! { omod_f16 clamp_f16 u16 omod_f32 clamp_f32 u32 omod_f64 clamp_f64 u64 }
