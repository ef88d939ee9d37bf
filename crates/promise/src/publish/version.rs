//! Checks versions: well-formed, increasing, and a new major version for breaking changes of the schema.

use semver::Version;
use serde_json::Value;

use super::{Draft, breaking};
use crate::api::PromiseSpec;
use crate::revision::what_runs;

pub(super) fn check(draft: &mut Draft<'_>, previous: Option<&PromiseSpec>) {
    let text = draft.spec.version.clone();
    let version = match Version::parse(&text) {
        Ok(version) if version.build.is_empty() => version,
        Ok(_) => {
            return draft
                .problem(".version", format!("Remove what follows the plus sign: a version can't have build metadata, but {text} does."));
        }
        Err(_) => return draft.problem(".version", format!("Write the version as three numbers, such as 1.2.0, not {text:?}.")),
    };
    // Presentation and lifecycle can change at any time.
    let spec = &what_runs(draft.spec);
    let Some(previous) = &previous.map(what_runs).filter(|previous| previous != spec) else { return };
    let Ok(before) = Version::parse(&previous.version) else { return };
    if version == before {
        let changed = difference(previous, spec).unwrap_or_default();
        return draft.problem(".version", format!("Increase the version: {text} is already published, and {changed} differs from it."));
    }
    if version < before {
        return draft.problem(".version", format!("Increase the version: {before} is already published, and {text} is lower."));
    }
    if !is_breaking_step(&before, &version) {
        let next = if before.major == 0 { format!("0.{}.0", before.minor + 1) } else { format!("{}.0.0", before.major + 1) };
        for (path, change) in breaking::changes(previous, spec) {
            draft.problem(path, format!("Publish this as {next} or undo it: {change}, so requests of {before} might no longer be valid."));
        }
    }
}

/// Whether the version change can be breaking: another major version, or another minor version before 1.0.
fn is_breaking_step(before: &Version, after: &Version) -> bool {
    before.major != after.major || (before.major == 0 && before.minor != after.minor)
}

/// Returns the path of the first difference between two specs.
fn difference(one: &PromiseSpec, other: &PromiseSpec) -> Option<String> {
    let (one, other) = (serde_json::to_value(one).ok()?, serde_json::to_value(other).ok()?);
    differs(&one, &other, String::new())
}

fn differs(one: &Value, other: &Value, path: String) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let path = format!("{path}.{name}");
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => differs(one, other, path),
                    _ => Some(path),
                }
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).enumerate().find_map(|(index, (one, other))| differs(one, other, format!("{path}[{index}]")))
        }
        (one, other) => (one != other).then_some(path),
    }
}
