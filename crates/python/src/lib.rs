//! The part of the Python module `gcnsim` that is compiled: the device, for arrays of Python.
//!
//! | file | has |
//! |---|---|
//! | `device.rs`, `module.rs`, `buffer.rs`, `image.rs` | classes that stand for those of `gcnsim-device` |
//! | `launch.rs` | launches: geometry, runs of one launch for profiles and findings, Ctrl-C (`interrupt.rs`) |
//! | `arguments.rs`, `types.rs` | Python objects as arguments of kernels, checked against the types of the metadata |
//! | `run.rs`, `trace.rs` | what a launch gives |
//! | `view.rs`, `export.rs` | the buffer protocol, in both directions |
//!
//! `python/gcnsim/` has the rest of the module: what calls the command, the compiler, Dask.
#![deny(unsafe_code)]

mod arguments;
mod buffer;
mod device;
mod error;
mod export;
mod image;
mod interrupt;
mod launch;
mod module;
mod run;
mod trace;
mod types;
mod view;

use pyo3::prelude::*;

#[pymodule]
mod _gcnsim {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arguments::Local;
    #[pymodule_export]
    use super::buffer::Pointer;
    #[pymodule_export]
    use super::device::Device;
    #[pymodule_export]
    use super::image::{Descriptor, Image, Sampler};
    #[pymodule_export]
    use super::module::{Kernel, Module};
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::trace::{Step, Trace};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        module.add("Error", py.get_type::<super::error::Error>())?;
        module.add("Fault", py.get_type::<super::error::Fault>())?;
        module.add("Buffer", super::export::buffer_type(py)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
