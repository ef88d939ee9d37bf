//! The sample operators: their steps by themselves, and all of them on a plane.

mod live;
mod steps;
