//! Secret parameters: they are typed at the last moment, beside the button that submits, and go into a Secret and nowhere else.

use super::BASE;
use super::control::Control;
use super::field::{Field, Form, Section};
use crate::api::PromiseSpec;
use crate::path::Path;

/// Longest secret that may be typed, in bytes.
pub const LONGEST_SECRET: usize = 64 << 10;

/// The secret parameters of a promise, each with the name of its input.
pub fn secret_inputs(promise: &PromiseSpec) -> Vec<(Path, String)> {
    let paths = promise.secret_parameters.iter().filter_map(|text| Path::parse(text).ok());
    paths.map(|path| (path.clone(), path.pointer(BASE))).collect()
}

/// Whether a post says anything about parameters that a draft may keep.
pub fn says_parameters(pairs: &[(String, String)], promise: &PromiseSpec) -> bool {
    let secrets = secret_inputs(promise);
    let is_secret = |name: &str| secrets.iter().any(|(_, secret)| secret == name);
    pairs.iter().any(|(name, _)| name.starts_with(BASE) && !is_secret(name))
}

impl Form {
    /// The secrets that a person can type for what the form says now, in order.
    pub fn secrets(&self) -> Vec<&Field> {
        fn walk<'f>(fields: &'f [Field], into: &mut Vec<&'f Field>) {
            for field in fields.iter().filter(|field| field.visible && field.locked.is_none()) {
                match &field.control {
                    Control::Secret { .. } => into.push(field),
                    Control::Group { fields, present, .. } if *present != Some(false) => walk(fields, into),
                    _ => {}
                }
            }
        }
        let mut all = Vec::new();
        for Section { fields, advanced, .. } in &self.sections {
            walk(fields, &mut all);
            walk(advanced, &mut all);
        }
        all
    }
}

impl Field {
    /// Whether it is a secret without which nothing can be submitted: required, and none is kept.
    pub fn awaits_secret(&self) -> bool {
        self.required && matches!(self.control, Control::Secret { kept: false, .. })
    }
}
