//! Readers that every platform shares: indented statements, sections told by
//! keywords, braces, JSON with locations, dash-ruled tables, key-value lines,
//! and lists of small integers
//! and of interfaces.

pub mod braces;
pub mod forwarding;
pub mod interfaces;
pub mod json;
pub mod keyvalue;
pub mod lldp;
pub mod ranges;
pub mod sections;
pub mod statements;
pub mod table;
pub mod views;
