//! Where captures come from.

pub mod clean;
pub mod session;
