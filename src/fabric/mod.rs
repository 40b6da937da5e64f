//! What follows from the model beyond a single fact.

pub mod headroom;
