//! One folder a platform, and the readers that all of them share.

pub mod text;
