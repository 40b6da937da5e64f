//! roceaudit
pub mod platform;
pub mod source;
