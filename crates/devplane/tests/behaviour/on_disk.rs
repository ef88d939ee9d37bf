//! What follows from a write, on a slow disk: there it can be done before the write is told.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod admission;
mod definitions;
mod device;
mod garbage;
mod health;
mod history;
mod limits;
mod plane;
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
