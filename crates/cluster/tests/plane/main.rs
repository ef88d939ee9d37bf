//! The crate against a real plane in this process: installed, bound, asked, fulfilled, taken away again.

mod conflict;
mod installed;
mod lifecycle;
mod restart;
mod rights;
mod world;
