//! What follows from the model beyond a single device: links, paths, and the
//! arithmetic of headroom.

pub mod bom;
pub mod class_path;
pub mod deadlock;
pub mod fleet;
pub mod headroom;
pub mod hops;
pub mod links;
pub mod node;
pub mod paths;
pub mod trace;

pub use hops::{Hops, Obstacle};
pub use links::{Fabric, Link, PortId, Stray};
pub use node::{Node, NodePort, View};
