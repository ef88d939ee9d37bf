//! How the plane behaves beyond what the recorded scenarios show.
//!
//! The plane keeps its objects in memory here. `on_disk.rs` runs those tests again that are about what follows from a write, on a slow disk.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod admission;
mod connections;
mod corpus;
mod definitions;
mod device;
mod garbage;
mod health;
mod history;
mod issuers;
mod kubectl;
mod limits;
mod malformed;
mod openapi;
mod plane;
mod protobuf;
mod restart;
mod schemas;
mod selectors;
mod sharing;
mod sharing_watch;
mod shop;
mod tokens;
mod virtual_patches;
mod watches;
mod workspaces;
