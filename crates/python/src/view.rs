//! The memory of a Python object that has the buffer protocol.
//!
//! The functions are exported by every Python from 3.3 on, and the structure has not changed since. They became part of
//! the stable ABI with 3.11, so PyO3 leaves them out for 3.9: they are declared here.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;

/// `Py_buffer`.
#[repr(C)]
pub(crate) struct RawView {
    buf: *mut c_void,
    obj: *mut PyObject,
    len: isize,
    itemsize: isize,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut isize,
    strides: *mut isize,
    suboffsets: *mut isize,
    internal: *mut c_void,
}

unsafe extern "C" {
    fn PyObject_CheckBuffer(object: *mut PyObject) -> c_int;
    fn PyObject_GetBuffer(object: *mut PyObject, view: *mut RawView, flags: c_int) -> c_int;
    fn PyBuffer_Release(view: *mut RawView);
    pub(crate) fn PyBuffer_FillInfo(
        view: *mut RawView,
        object: *mut PyObject,
        buf: *mut c_void,
        len: isize,
        readonly: c_int,
        flags: c_int,
    ) -> c_int;
}

/// `PyBUF_C_CONTIGUOUS | PyBUF_FORMAT`.
const CONTIGUOUS: c_int = 0x38 | 0x4;

/// The memory of an object: all items, one after the other. The object keeps it as long as the view lives.
pub(crate) struct View(Box<RawView>);

// SAFETY: the pointers lead to memory of the object, which the view keeps. It is read and written by whoever has the
// view, and released by a thread that is attached to the interpreter.
unsafe impl Send for View {}
// SAFETY: as above; a shared view only tells of itself.
unsafe impl Sync for View {}

impl View {
    /// Whether the object has the protocol.
    pub(crate) fn is_of(object: &Bound<'_, PyAny>) -> bool {
        // SAFETY: the object is alive.
        unsafe { PyObject_CheckBuffer(object.as_ptr()) != 0 }
    }

    /// Returns the memory of an object.
    ///
    /// # Errors
    /// That of the object: its items do not lie one after the other, for example.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<View> {
        let mut view = Box::new(RawView {
            buf: ptr::null_mut(),
            obj: ptr::null_mut(),
            len: 0,
            itemsize: 1,
            readonly: 1,
            ndim: 0,
            format: ptr::null_mut(),
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            suboffsets: ptr::null_mut(),
            internal: ptr::null_mut(),
        });
        // SAFETY: the object is alive, and the view has room for what it is filled with. It does not move later.
        let failed = unsafe { PyObject_GetBuffer(object.as_ptr(), &raw mut *view, CONTIGUOUS) } != 0;
        if failed {
            return Err(PyErr::fetch(object.py()));
        }
        if view.len < 0 || view.len > 0 && view.buf.is_null() {
            // SAFETY: it was filled.
            unsafe { PyBuffer_Release(&raw mut *view) };
            return Err(PyBufferError::new_err("the object has no memory"));
        }
        Ok(View(view))
    }

    /// Size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len as usize
    }

    /// Size of an item in bytes.
    pub(crate) fn item_bytes(&self) -> usize {
        usize::try_from(self.0.itemsize).unwrap_or(1).max(1)
    }

    /// Number of dimensions; 0 for a single number.
    pub(crate) fn dimensions(&self) -> usize {
        usize::try_from(self.0.ndim).unwrap_or(0)
    }

    /// Whether the object forbids writing.
    pub(crate) fn is_read_only(&self) -> bool {
        self.0.readonly != 0
    }

    /// Format of an item, as the module `struct` writes it: `f`, `<i4` is `i`. `B` if the object says nothing.
    pub(crate) fn format(&self) -> String {
        if self.0.format.is_null() {
            return "B".to_owned();
        }
        // SAFETY: the object keeps the format as long as the view.
        unsafe { CStr::from_ptr(self.0.format) }.to_string_lossy().into_owned()
    }

    /// Host address of the first byte.
    pub(crate) fn address(&self) -> usize {
        self.0.buf.addr()
    }

    /// The bytes. Another thread of Python that writes to them meanwhile makes a race, as it does for numpy.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.0.len == 0 {
            return &[];
        }
        // SAFETY: there are so many bytes, and the view keeps them.
        unsafe { slice::from_raw_parts(self.0.buf.cast(), self.len()) }
    }

    /// The bytes, to be written; `None` if the object forbids it.
    pub(crate) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        if self.is_read_only() {
            return None;
        }
        if self.0.len == 0 {
            return Some(&mut []);
        }
        // SAFETY: as above, and the object allows writing.
        Some(unsafe { slice::from_raw_parts_mut(self.0.buf.cast(), self.len()) })
    }
}

impl Drop for View {
    fn drop(&mut self) {
        // SAFETY: the view was filled, and is released once.
        Python::attach(|_| unsafe { PyBuffer_Release(&raw mut *self.0) });
    }
}
