//! Makes files, folders, lists and archives into one ordered list, and reads their bytes.

pub mod arch;
pub(crate) mod archive;
pub(crate) mod entry_hash;
pub(crate) mod file;
#[cfg(unix)]
pub(crate) mod folder;
pub(crate) mod inputs;
pub(crate) mod listing;
pub(crate) mod name;
pub(crate) mod naming;
pub(crate) mod opener;
pub(crate) mod reader;
#[cfg(target_os = "linux")]
pub(crate) mod ring;
pub mod tar;
