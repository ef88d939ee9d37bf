//! Texts of the releases of a request.

use promise::wording::{all_of, lower_first};

use crate::view::{ReleaseCause, ReleaseLine, ReleaseState};

pub(crate) const RELEASES: &str = "Releases";
pub(crate) const RELEASES_HINT: &str = "What was requested, with its version, policies and price. The last ten releases are kept.";
pub(crate) const NO_RELEASES: &str = "No releases yet. The first one is recorded when the request is checked, if you can read releases.";
pub(crate) const RELEASE: &str = "Release";
pub(crate) const RECORDED: &str = "Recorded";
pub(crate) const STATE: &str = "State";
pub(crate) const PRICE: &str = "Price";
pub(crate) const ACTION: &str = "Action";
pub(crate) const VERSION_UNKNOWN: &str = "Version no longer published";
pub(crate) const ROLL_BACK: &str = "Roll back";

/// For screen readers, after the label of the link.
pub(crate) fn to_release(name: &str) -> String {
    format!(" to {name}")
}

pub(crate) fn state(state: ReleaseState) -> &'static str {
    match state {
        ReleaseState::Running => "Running",
        ReleaseState::Candidate => "Next",
        ReleaseState::Former => "Former",
    }
}

/// Why a release differs from the one before.
pub(crate) fn causes(causes: &[ReleaseCause]) -> String {
    causes.iter().map(cause).collect::<Vec<_>>().join(" · ")
}

fn cause(cause: &ReleaseCause) -> String {
    match cause {
        ReleaseCause::First => "First recorded release".to_owned(),
        ReleaseCause::Version { from, to } => format!("Version {from} → {to}"),
        ReleaseCause::Values(labels) => match labels.as_slice() {
            [] => "Values".to_owned(),
            [first, second, rest @ ..] if rest.len() > 1 => format!("{first}, {} and {} more", lower_first(second), rest.len()),
            [first, rest @ ..] => {
                let all: Vec<String> = std::iter::once(first.clone()).chain(rest.iter().map(|label| lower_first(label))).collect();
                all_of(&all)
            }
        },
        ReleaseCause::Policies => "Policies changed".to_owned(),
        ReleaseCause::Price => "Price changed".to_owned(),
        ReleaseCause::Other => "Labels or secrets changed".to_owned(),
    }
}

// The comparison.
pub(crate) const COMPARE: &str = "Compare";
pub(crate) const COMPARE_RELEASES: &str = "Compare releases";
pub(crate) const FROM: &str = "From";
pub(crate) const TO: &str = "To";
pub(crate) const CHANGES: &str = "Changes";
pub(crate) const POLICIES: &str = "Policies";
pub(crate) const OBJECTS: &str = "Objects";
pub(crate) const SAME_VALUES: &str = "Version, values and terms are the same.";
pub(crate) const SAME_POLICIES: &str = "The same policy rules apply.";
pub(crate) const SAME_OBJECTS: &str = "The objects are the same.";
pub(crate) const OBJECTS_UNKNOWN: &str = "The objects can't be compared because one of the versions is no longer published.";

pub(crate) fn compared(from: &str, to: &str) -> String {
    format!("{from} compared with {to}")
}

/// A release in a list to choose from.
pub(crate) fn option(line: &ReleaseLine, at: &str) -> String {
    let version = line.version.as_deref().unwrap_or(VERSION_UNKNOWN);
    match line.state {
        ReleaseState::Former => format!("{version}, {at}"),
        other => format!("{version}, {at} ({})", state(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_says_why_it_differs() {
        let values = |labels: &[&str]| ReleaseCause::Values(labels.iter().map(|label| (*label).to_owned()).collect());
        assert_eq!(
            causes(&[ReleaseCause::Version { from: "1.2.0".into(), to: "1.3.0".into() }, values(&["Replicas", "Tier"])]),
            "Version 1.2.0 → 1.3.0 · Replicas and tier"
        );
        assert_eq!(causes(&[values(&["Replicas", "Tier", "Region", "Storage"])]), "Replicas, tier and 2 more");
        assert_eq!(causes(&[ReleaseCause::First]), "First recorded release");
    }
}
