//! Tells whether a RoCE v2 fabric is lossless end to end as declared.
//!
//! Data flows one way: captures ([`source`]) are turned into facts by a
//! [`platform`], the [`model`] holds them, a [`check`] compares them with the
//! [`policy`], and a [`report`] shows the verdicts.

pub mod audit;
pub mod check;
pub mod cli;
pub mod drift;
pub mod fabric;
pub mod finding;
pub mod inventory;
pub mod model;
pub mod platform;
pub mod policy;
pub mod report;
pub mod source;
