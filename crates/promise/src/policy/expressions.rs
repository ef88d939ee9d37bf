//! Expressions of policies, each on its own bounded budget so that their order cannot matter.

use serde_json::Value;

use super::compose::named;
use super::effective::Effective;
use super::evaluate::{file, outcome};
use crate::api::PolicyResult;
use crate::context::Context;
use crate::path::Path;
use crate::resolve::Resolved;
use crate::wording;

/// Runs every `validate` rule over the resolved parameters. What cannot be evaluated is refused: it fails closed.
pub(super) fn evaluate(effective: &Effective, _parameters: &Value, _context: &Context, resolved: &mut Resolved) {
    for ruling in &effective.validations {
        let passed = outcome(&ruling.from, PolicyResult::Passed, &Path::default(), None);
        let message = format!("{} could not be evaluated.", wording::upper_first(&named(&ruling.from)));
        file(resolved, ruling, Some((Path::default(), message)), passed);
    }
}
