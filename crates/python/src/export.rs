//! The class `gcnsim.Buffer`: that of `buffer.rs`, with the buffer protocol.
//!
//! PyO3 has no slots for it below Python 3.11. Types that are made from a description have had them since 3.9, so the
//! class is derived from PyO3's in this way.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use super::buffer::BufferBase;
use super::view::{PyBuffer_FillInfo, RawView};

/// Number of the slot `bf_getbuffer` in all versions of the ABI.
const GET_BUFFER: c_int = 1;

const DOC: &std::ffi::CStr = c"Memory of a device that stays. numpy.frombuffer(buffer, dtype) and memoryview(buffer)
are the memory itself, without a copy.

address: the address in the memory of the device; a kernel gets it if the buffer is an argument
nbytes:  the size in bytes";

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Returns the class.
pub(crate) fn buffer_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    CLASS.get_or_try_init(py, || derive(py)).map(|class| class.bind(py))
}

fn derive(py: Python<'_>) -> PyResult<Py<PyType>> {
    let get: unsafe extern "C" fn(*mut PyObject, *mut RawView, c_int) -> c_int = get_buffer;
    let mut slots = [
        ffi::PyType_Slot { slot: GET_BUFFER, pfunc: get as *mut c_void },
        ffi::PyType_Slot { slot: ffi::Py_tp_doc, pfunc: DOC.as_ptr().cast_mut().cast() },
        ffi::PyType_Slot { slot: 0, pfunc: ptr::null_mut() },
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"gcnsim.Buffer".as_ptr(),
        // That of the base.
        basicsize: 0,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as _,
        slots: slots.as_mut_ptr(),
    };
    let bases = PyTuple::new(py, [py.get_type::<BufferBase>()])?;
    // SAFETY: the description is whole, and its texts and functions are static. The base may be derived from.
    let class = unsafe {
        let class = ffi::PyType_FromSpecWithBases(&raw mut spec, bases.as_ptr());
        Bound::from_owned_ptr_or_err(py, class)?
    };
    Ok(class.cast_into::<PyType>()?.unbind())
}

/// `bf_getbuffer` of the class.
///
/// # Safety
/// Python calls it: with an object of the class, a view to fill, and while the thread is attached.
unsafe extern "C" fn get_buffer(object: *mut PyObject, view: *mut RawView, flags: c_int) -> c_int {
    // SAFETY: see above. The memory lives as long as the object, to which the view gets a reference.
    unsafe {
        let buffer = Bound::from_borrowed_ptr(Python::assume_attached(), object);
        match buffer.cast::<BufferBase>() {
            Ok(buffer) => {
                let memory = &buffer.get().memory;
                let len = isize::try_from(memory.len()).unwrap_or(isize::MAX);
                PyBuffer_FillInfo(view, object, memory.as_ptr().cast(), len, 0, flags)
            }
            Err(error) => {
                PyErr::from(error).restore(buffer.py());
                -1
            }
        }
    }
}
