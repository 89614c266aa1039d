//! Code objects on a device, and their kernels.

use std::sync::{Arc, OnceLock};

use gcnsim_engine::Code;
use gcnsim_loader::code_object::metadata::Arg;
use gcnsim_loader::code_object::{self, CodeObject};
use gcnsim_machine::Mapping;

use super::args;
use super::buffer::Buffer;
use super::device::Device;
use super::dispatch_error::DispatchError;
use super::launch::Launch;
use super::load;

/// A code object on a device: placed, relocated, analysed once. A clone is the same module. It is unloaded when the
/// last clone, kernel and launch goes.
#[derive(Clone, Debug)]
pub struct Module(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    device: Device,
    object: Arc<CodeObject>,
    /// Number that is added to an address of the object to get the guest address.
    moved: u64,
    mappings: Vec<Mapping>,
    /// The range of addresses.
    range: (u64, u64),
    /// The code of each kernel, once it is launched.
    codes: Vec<OnceLock<Code>>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.mappings.iter().filter(|mapping| mapping.len > 0).for_each(|mapping| {
            self.device.unmap(mapping.base);
        });
        self.device.free(self.range.0, self.range.1);
    }
}

impl Module {
    pub(crate) fn load(device: &Device, object: &Arc<CodeObject>) -> Result<Module, DispatchError> {
        if object.arch != device.arch() {
            return Err(DispatchError::Arch { device: device.arch(), object: object.arch });
        }
        let (first, span) = object.span();
        let bytes = (first & 0xfff).saturating_add(span);
        let base = device.reserve("the code object", bytes)?;
        // The low 12 bits of a byte's address are the same in the file and in guest memory.
        let moved = base.wrapping_sub(first & !0xfff);
        let mut loaded = Loaded {
            device: device.clone(),
            object: object.clone(),
            moved,
            mappings: Vec::new(),
            range: (base, bytes),
            codes: object.kernels.iter().map(|_| OnceLock::new()).collect(),
        };
        for mapping in load::mappings(object, moved)? {
            device.map(mapping.clone())?;
            loaded.mappings.push(mapping);
        }
        Ok(Module(Arc::new(loaded)))
    }

    /// Returns the object.
    pub fn object(&self) -> &CodeObject {
        &self.0.object
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns the guest address for an address that the object states.
    pub fn address(&self, address: u64) -> u64 {
        address.wrapping_add(self.0.moved)
    }

    /// Returns the names of all kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.0.object.kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// Returns the kernel with this name.
    ///
    /// # Errors
    /// [`DispatchError::NoKernel`].
    pub fn kernel(&self, name: &str) -> Result<Kernel, DispatchError> {
        let index = self.0.object.kernel_index(name);
        let index = index.ok_or_else(|| DispatchError::NoKernel { name: name.to_owned() })?;
        Ok(Kernel { module: self.clone(), index })
    }

    pub(crate) fn moved(&self) -> u64 {
        self.0.moved
    }
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    index: usize,
}

impl Kernel {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.stated().name
    }

    /// Returns the module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns names, kinds and sizes of the arguments that a launch gives; `None` if the object has no metadata.
    pub fn arguments(&self) -> Option<Vec<&Arg>> {
        args::explicit(self.stated())
    }

    /// What the object states of the kernel.
    pub fn stated(&self) -> &code_object::Kernel {
        &self.module.0.object.kernels[self.index]
    }

    /// Returns the code, which knows what earlier launches have learnt.
    pub fn code(&self) -> &Code {
        let Loaded { device, object, moved, mappings, codes, .. } = &*self.module.0;
        let new = || device.code(&load::program(object, self.stated(), mappings, *moved));
        codes[self.index].get_or_init(new)
    }

    /// Returns a launch on a grid of so many work-items, in groups of so many: one to three numbers each.
    pub fn launch<'o>(&self, grid: impl AsRef<[u32]>, group: impl AsRef<[u32]>) -> Launch<'o> {
        Launch::new(self, grid.as_ref(), group.as_ref())
    }

    /// Whether the buffer is on the same device.
    pub(crate) fn reaches(&self, buffer: &Buffer) -> bool {
        self.module.device().is_same(buffer.device())
    }
}
