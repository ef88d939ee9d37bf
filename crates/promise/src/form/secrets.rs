//! Secret parameters. They are entered last, next to the submit button, and are written to a Secret and nowhere else.

use super::BASE;
use super::control::Control;
use super::field::{Field, Form, Section};
use crate::api::PromiseSpec;
use crate::path::Path;

/// Maximum length of a secret, in bytes.
pub const LONGEST_SECRET: usize = 64 << 10;

/// Returns the secret parameters of a promise, each with its input name.
pub fn secret_inputs(promise: &PromiseSpec) -> Vec<(Path, String)> {
    let paths = promise.secret_parameters.iter().filter_map(|text| Path::parse(text).ok());
    paths.map(|path| (path.clone(), path.pointer(BASE))).collect()
}

/// Whether a post contains parameters that a draft can store.
pub fn says_parameters(pairs: &[(String, String)], promise: &PromiseSpec) -> bool {
    let secrets = secret_inputs(promise);
    let is_secret = |name: &str| secrets.iter().any(|(_, secret)| secret == name);
    pairs.iter().any(|(name, _)| name.starts_with(BASE) && !is_secret(name))
}

impl Form {
    /// Returns the secrets that the user can enter for the present values, in order.
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
    /// Whether it is a required secret that isn't stored, so that the form can't be submitted without it.
    pub fn awaits_secret(&self) -> bool {
        self.required && matches!(self.control, Control::Secret { kept: false, .. })
    }
}
