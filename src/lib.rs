//! roceaudit
pub mod platform;
