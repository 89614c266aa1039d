//! The output of a batch: lines of results, the record that closes them, summaries, and lines read back.

pub mod deqp;
pub mod end;
pub(crate) mod entry;
pub(crate) mod groups;
pub(crate) mod json;
pub mod junit;
pub(crate) mod outcome;
pub mod record;
pub mod results;
pub(crate) mod sink;
pub mod summary;
pub(crate) mod summary_text;
