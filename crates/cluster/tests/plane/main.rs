//! The crate against a real plane in this process: installed, bound, asked, fulfilled, taken away again.

mod conflict;
mod destination;
mod installed;
mod lifecycle;
mod restart;
mod rights;
mod tls;
mod world;
