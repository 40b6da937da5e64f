//! Reports: one file a format, each a function from a report to a writer.

pub mod escape;
pub mod json;
pub mod text;
pub mod trace;
