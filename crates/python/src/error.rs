//! Exceptions.

use std::fmt::Display;

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use gcnsim_device::DispatchError;
use gcnsim_engine::EngineError;
use gcnsim_launches::launch::LaunchError;
use gcnsim_loader::{LoadError, TargetError};

pyo3::create_exception!(
    gcnsim,
    Error,
    PyValueError,
    "A file, an argument or a flag is wrong. The message says which, and what to do."
);
pyo3::create_exception!(
    gcnsim,
    Fault,
    Error,
    "A launch with raise_=True did not end: a fault, a trap, its budget. `run` is what it gave."
);

/// An error of gcnsim as an exception.
pub(crate) fn error(message: impl Display) -> PyErr {
    Error::new_err(message.to_string())
}

/// Errors that become [`Error`].
pub(crate) trait OrError<T> {
    /// Returns the value, or the error as an exception.
    fn or_error(self) -> PyResult<T>;
}

macro_rules! exceptions {
    ($($error:ty),*) => {
        $(impl<T> OrError<T> for Result<T, $error> {
            fn or_error(self) -> PyResult<T> {
                self.map_err(error)
            }
        })*
    };
}

exceptions!(DispatchError, LaunchError, LoadError, TargetError);

/// Returns the exception for a failure of the engine.
pub(crate) fn of_engine(py: Python<'_>, failure: &EngineError) -> PyErr {
    match failure {
        // Whoever handles the signal in Python may raise something else.
        EngineError::Interrupted => py.check_signals().err().unwrap_or_else(|| PyKeyboardInterrupt::new_err(())),
        EngineError::Divergence(_) | EngineError::Internal(_) => {
            PyRuntimeError::new_err(format!("{failure}\nThis is a mistake of gcnsim. Please report it."))
        }
    }
}

/// Returns a value of JSON as objects of Python.
pub(crate) fn of_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// Returns keyword arguments as JSON.
pub(crate) fn to_json(keys: &Bound<'_, PyDict>) -> PyResult<String> {
    keys.py().import("json")?.call_method1("dumps", (keys,))?.extract()
}
