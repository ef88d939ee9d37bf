//! Schemas of objects and the expression language over them.
//!
//! - [`structural`]: the structural OpenAPI v3 schemas of custom resources: checks of the schema itself, defaulting, pruning,
//!   validation with the API server's messages, and `x-kubernetes-validations`.
//! - [`json_schema`]: structural schemas made from JSON Schemas of other systems, whose values the crate `jsonschema` validates.
//! - [`expr`]: the only module that uses CEL: parsing, type checking, evaluation under a step budget, and `${…}` templates.
//! - [`names`]: the rules for names, labels and path segments.
//! - [`pattern`]: regular expressions as the API server reads them (RE2), in linear time.
//!
//! The crate is pure. It must never know a clock, randomness, a network, a runtime, or a kind of object: all it knows about an object is
//! its schema.
//!
//! To add a schema keyword: read it in `structural::parse`, check its use in `structural::check`, enforce it in `structural::validate`. To
//! add an expression function: one signature line in `expr::signatures`, its behaviour in `expr::functions`.

pub mod expr;
pub mod json_schema;
pub mod names;
pub mod pattern;
mod request_uri;
pub mod structural;
