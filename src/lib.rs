//! roceaudit
