//! What follows from the model beyond a single fact.

pub mod class_path;
pub mod headroom;
