//! roceaudit
pub mod policy;
