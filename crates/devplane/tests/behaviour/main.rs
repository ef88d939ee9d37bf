//! How the plane behaves beyond what the recorded scenarios show.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod admission;
mod connections;
mod corpus;
mod garbage;
mod history;
mod kubectl;
mod limits;
mod malformed;
mod openapi;
mod plane;
mod protobuf;
mod schemas;
mod selectors;
mod sharing;
mod tokens;
