//! What people have: snapshot folders, folders of configurations and
//! captures, session logs, single files.

pub mod capture;
pub mod clean;
pub mod folder;
pub mod redact;
pub mod session;

pub use capture::{Capture, Place, Places};
pub use folder::{Loaded, SourceError, Unit, discover};
