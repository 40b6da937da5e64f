//! Readers that every platform shares: JSON with locations, dash-ruled tables,
//! key-value lines and lists of small integers.

pub mod json;
pub mod keyvalue;
pub mod ranges;
pub mod table;
