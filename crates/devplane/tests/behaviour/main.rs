//! How the plane behaves beyond what the recorded scenarios show.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod garbage;
mod plane;
mod protobuf;
mod schemas;
mod sharing;
mod tokens;
