//! Schemas of the parts whose Rust types say something else: what stays open on the plane, because our own controller validates it, and what
//! the plane can refuse by itself.

/// Any object, kept as it is.
#[cfg(feature = "schemars")]
pub fn object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

/// Any object, replaced as a whole by apply (`domain.md` 3, Writing).
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

/// The sorts of Destinations that are supported.
#[cfg(feature = "schemars")]
pub fn clusters(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "string", "enum": ["cluster"]})
}
