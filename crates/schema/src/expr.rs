//! Expressions: the only door to CEL.

mod budget;

pub use budget::{Budget, Exhausted};
