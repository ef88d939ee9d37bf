//! What changed between two versions of a promise.

use promise::versions::{PresentationPart, VersionChange};
use promise::wording::lower_first;

/// Describes a change.
pub(crate) fn change(change: &VersionChange) -> String {
    match change {
        VersionChange::FieldAdded { label, required: true } => format!("New required field: {label}"),
        VersionChange::FieldAdded { label, required: false } => format!("New field: {label}"),
        VersionChange::FieldRemoved { label } => format!("{label} is removed"),
        VersionChange::Default { label, before: None, after: Some(after) } => format!("{label} defaults to {after}"),
        VersionChange::Default { label, before: Some(before), after: Some(after) } => {
            format!("{label} defaults to {after} instead of {before}")
        }
        VersionChange::Default { label, after: None, .. } => format!("{label} has no default"),
        VersionChange::Allowed { label, before: Some(before), after: Some(after) } => {
            format!("{label} accepts: {} (before: {})", lower_first(after), lower_first(before))
        }
        VersionChange::Allowed { label, before: None, after: Some(after) } => format!("{label} accepts: {}", lower_first(after)),
        VersionChange::Allowed { label, after: None, .. } => format!("{label} has no limits"),
        VersionChange::Type { label } => format!("{label} has a different type"),
        VersionChange::Required { label, required: true } => format!("{label} is required"),
        VersionChange::Required { label, required: false } => format!("{label} is optional"),
        VersionChange::OutputAdded { name } => format!("New output: {name}"),
        VersionChange::OutputRemoved { name } => format!("The output {name} is removed"),
        VersionChange::RequirementAdded { name } => format!("Now requires {name}"),
        VersionChange::RequirementRemoved { name } => format!("No longer requires {name}"),
        VersionChange::Presentation(part) => presentation(*part).to_owned(),
        VersionChange::Form => "The form is arranged differently".to_owned(),
        VersionChange::Policies => "The promise's own policies changed".to_owned(),
        VersionChange::Price => "The price is calculated differently".to_owned(),
        VersionChange::Implementation => "The resources that it creates changed".to_owned(),
    }
}

fn presentation(part: PresentationPart) -> &'static str {
    match part {
        PresentationPart::Name => "New display name",
        PresentationPart::Summary => "New summary",
        PresentationPart::Description => "New description",
        PresentationPart::Category => "New category or tags",
        PresentationPart::Maintainer => "New team or contact",
        PresentationPart::Links => "New links",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_says_what_was_and_what_is() {
        let change_of = |before: Option<&str>, after: Option<&str>| VersionChange::Allowed {
            label: "Replicas".into(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        assert_eq!(change(&change_of(Some("1 to 5"), Some("1 to 7"))), "Replicas accepts: 1 to 7 (before: 1 to 5)");
        assert_eq!(change(&change_of(Some("1 to 5"), None)), "Replicas has no limits");
        assert_eq!(change(&VersionChange::FieldAdded { label: "Region".into(), required: true }), "New required field: Region");
    }
}
