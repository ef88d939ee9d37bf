//! Hand-written schemas for fields whose Rust types don't describe them: fields that the server accepts in any form because our controller
//! validates them, and fields that the server itself can validate.

/// Any object, stored unchanged.
#[cfg(feature = "schemars")]
pub fn object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

/// Any object that apply replaces as a whole (`domain.md` 3, Writing).
#[cfg(feature = "schemars")]
pub fn atomic_object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic"})
}

/// Any value.
#[cfg(feature = "schemars")]
pub fn value(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"x-kubernetes-preserve-unknown-fields": true})
}

/// A list of any values.
#[cfg(feature = "schemars")]
pub fn values(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}})
}

/// An RFC 3339 time.
#[cfg(feature = "schemars")]
pub fn time(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "string", "format": "date-time"})
}

/// The supported destination types.
#[cfg(feature = "schemars")]
pub fn clusters(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "string", "enum": ["cluster"]})
}
