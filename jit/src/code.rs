//! Executable memory of regions. Only here, and in [`segments`](crate::segments) for segments, do bytes become a
//! function that is called.
//!
//! Memory is first written, then sealed (read and execute), then run. It is never writable and executable at once:
//! cranelift-jit's memory provider maps it read-write and changes that in `finalize_definitions`. [`Code`] owns the
//! memory, so the function cannot outlive it.
//!
//! A reader has to believe two things. Cranelift compiles its input correctly. The [lowering](crate::lower) addresses
//! only fields of the state and the frame at constant offsets ([`abi`](crate::abi)), scalar registers by checked
//! numbers, and VGPRs that the wave has: a wave with fewer than the region names does not enter it, and numbers that
//! code computes are compared. Cranelift's IR verifier is on in debug builds.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, ModuleError, ModuleReloc};
use gcnsim_isa::{Vgpr, WaveState};

use crate::abi::{Frame, RegionFn};
use crate::placement::{LINE, padding};

/// The machine code of one region. It owns its memory.
pub struct Code {
    /// Owns the memory that `entry` points into.
    module: ManuallyDrop<JITModule>,
    entry: RegionFn,
    size: usize,
}

// SAFETY: `module` is touched only by `drop`, which has exclusive access; `entry` is an address of memory that is
// neither written nor unmapped before that.
unsafe impl Sync for Code {}

impl Code {
    /// Compiles the function in `context` and seals its memory.
    ///
    /// The function must have the signature of [`RegionFn`] and keep its contract: it touches only the state, the frame
    /// and the vector registers that it is given.
    pub(crate) fn compile(isa: OwnedTargetIsa, context: &mut Context) -> Result<Code, Box<ModuleError>> {
        let builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        let mut module = JITModule::new(builder);
        let (id, padding) = match define(&mut module, context) {
            Ok(defined) => defined,
            Err(error) => {
                // SAFETY: no function of the module was handed out.
                unsafe { module.free_memory() };
                return Err(error);
            }
        };
        let address = module.get_finalized_function(id);
        // SAFETY: a finished function begins `padding` bytes after the start of the memory. It was compiled from a
        // function with this signature.
        let entry = unsafe { std::mem::transmute::<*const u8, RegionFn>(address.add(padding)) };
        let size = context.compiled_code().map_or(0, |code| code.code_buffer().len());
        Ok(Code { module: ManuallyDrop::new(module), entry, size })
    }

    /// Size of the machine code in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Runs the code on a wave until it leaves the region, and returns the raw exit code. `frame.fuel` instructions may
    /// execute.
    ///
    /// `vgprs` must hold all registers that the code names. If the code computes register numbers, it must hold
    /// `frame.vgpr_count` registers. They must be writable if the code writes any.
    #[inline]
    pub(crate) fn run(&self, state: &mut WaveState, vgprs: *mut Vgpr, frame: &mut Frame) -> u32 {
        // SAFETY: the memory lives as long as `self`. The pointers are valid and exclusive for the call (registers that
        // the code does not write may be shared). The lowering addresses only fields of the state and the frame, scalar
        // registers by a checked number, and vector registers that the caller has checked or that the code compares
        // with `frame.vgpr_count`.
        unsafe { (self.entry)(state, vgprs, frame) }
    }
}

/// Compiles the function in `context` and puts its code into memory after some bytes of padding. Returns the function's
/// identifier and the number of these bytes.
fn define(module: &mut JITModule, context: &mut Context) -> Result<(FuncId, usize), Box<ModuleError>> {
    let id = module.declare_anonymous_function(&context.func.signature)?;
    context.compile(module.isa(), &mut ControlPlane::default()).map_err(ModuleError::from)?;
    let Some(code) = context.compiled_code() else { unreachable!("it was compiled just now") };
    let padding = padding(code);
    let bytes = [&[0; LINE][..padding], code.code_buffer()].concat();
    let moved = |reloc| {
        let reloc = ModuleReloc::from_mach_reloc(reloc, &context.func, id);
        ModuleReloc { offset: reloc.offset + padding as u32, ..reloc }
    };
    let relocs: Vec<_> = code.buffer.relocs().iter().map(moved).collect();
    module.define_function_bytes(id, LINE as u64, &bytes, &relocs)?;
    module.finalize_definitions()?;
    Ok((id, padding))
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: `module` is taken once, here. Calls of the code borrow `self`, so nobody runs it now.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() };
    }
}
