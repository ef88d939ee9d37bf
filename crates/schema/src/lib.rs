//! Schemas of objects and the expression language over them.
//!
//! - [`structural`]: the structural OpenAPI v3 schemas of custom resources: checks of the schema itself, defaulting, pruning,
//!   validation with the API server's texts, and `x-kubernetes-validations`.
//! - [`expr`]: the only door to CEL: parsing, type checking, evaluation under a step budget, and `${…}` templates.
//! - [`pattern`]: regular expressions as the API server reads them (RE2), in linear time.
//!
//! The crate is pure. It must never know a clock, randomness, a network, a runtime, or a kind of object: what it knows of an
//! object is its schema.
//!
//! To add a keyword of schemas: read it in `structural::parse`, check its use in `structural::check`, enforce it in
//! `structural::validate`. To add a function of expressions: one line of signature in `expr::signatures`, its behaviour in
//! `expr::functions`.

pub mod expr;
pub mod pattern;
pub mod structural;
