//! Where captures come from.

pub mod clean;
