//! What a content requests besides values: deletion policy, expiry, and upgrades to newer versions. Shown as rows like the values.

use app::view::{ParameterLine, ValueChange, ValueSource};
use promise::api::{DeletionPolicy, PromiseReleaseSpec, ReleaseTerms, UpgradePolicy};
use promise::date::exact;

/// Text for the former terms if the release doesn't contain them.
const UNRECORDED: &str = "The earlier value isn't recorded.";

/// One of the terms, in words.
#[derive(PartialEq)]
struct Term {
    /// Field of the request. It has no leading dot, so it isn't a parameter.
    path: &'static str,
    label: &'static str,
    value: String,
    /// Whether it is the default.
    usual: bool,
}

fn all(terms: &ReleaseTerms) -> [Term; 3] {
    let usual = ReleaseTerms::default();
    let deletion = match terms.deletion_policy {
        DeletionPolicy::Delete => "Delete: resources are deleted with the request",
        DeletionPolicy::Orphan => "Orphan: resources stay when the request is deleted",
    };
    let upgrades = match terms.upgrade {
        UpgradePolicy::Manual => "Manual",
        UpgradePolicy::Patch => "Patch releases automatically",
        UpgradePolicy::Minor => "Minor and patch releases automatically",
    };
    [
        Term {
            path: "deletionPolicy",
            label: "Deletion policy",
            value: deletion.to_owned(),
            usual: terms.deletion_policy == usual.deletion_policy,
        },
        Term {
            path: "expiresAt",
            label: "Expires",
            // To the second: two contents with the same text are equal only up to that precision.
            value: terms.expires_at.as_deref().map_or_else(|| "Never".to_owned(), exact),
            usual: terms.expires_at.is_none(),
        },
        Term { path: "upgrade", label: "Upgrades", value: upgrades.to_owned(), usual: terms.upgrade == usual.upgrade },
    ]
}

/// Returns all terms as they would be.
pub(super) fn lines(terms: &ReleaseTerms) -> Vec<ParameterLine> {
    let line = |term: Term| ParameterLine {
        path: term.path.to_owned(),
        headings: Vec::new(),
        label: term.label.to_owned(),
        value: term.value,
        source: if term.usual { ValueSource::Default } else { ValueSource::Asked },
    };
    all(terms).into_iter().map(line).collect()
}

/// Returns the terms that change. For a new request, all of them.
pub(super) fn changed(before: Option<&PromiseReleaseSpec>, after: &PromiseReleaseSpec) -> Vec<ValueChange> {
    let Some(after) = &after.terms else { return Vec::new() };
    let known = before.and_then(|before| before.terms.as_ref());
    between(known, after, before.is_some() && known.is_none())
}

/// Returns the terms that differ. `unrecorded` says that the earlier ones aren't known, instead of absent.
pub(super) fn between(known: Option<&ReleaseTerms>, after: &ReleaseTerms, unrecorded: bool) -> Vec<ValueChange> {
    let former = known.map(all);
    let change = |(index, term): (usize, Term)| {
        let before = former.as_ref().and_then(|former| former.get(index));
        (before != Some(&term)).then(|| ValueChange {
            path: term.path.to_owned(),
            headings: Vec::new(),
            label: term.label.to_owned(),
            before: before.map(|before| before.value.clone()),
            after: Some(term.value),
            note: if unrecorded { UNRECORDED.to_owned() } else { String::new() },
        })
    };
    all(after).into_iter().enumerate().filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(terms: Option<ReleaseTerms>) -> PromiseReleaseSpec {
        PromiseReleaseSpec { terms, ..PromiseReleaseSpec::default() }
    }

    fn told(before: Option<&PromiseReleaseSpec>, after: &PromiseReleaseSpec) -> Vec<String> {
        let words = |change: ValueChange| {
            let before = change.before.unwrap_or_else(|| "-".to_owned());
            format!("{}: {before} > {}{}", change.label, change.after.unwrap_or_default(), change.note)
        };
        changed(before, after).into_iter().map(words).collect()
    }

    #[test]
    fn what_becomes_another_is_told_and_nothing_else() {
        let usual = release(Some(ReleaseTerms::default()));
        let kept = ReleaseTerms { deletion_policy: DeletionPolicy::Orphan, ..ReleaseTerms::default() };
        assert_eq!(
            told(Some(&usual), &release(Some(kept))),
            ["Deletion policy: Delete: resources are deleted with the request > Orphan: resources stay when the request is deleted"]
        );
        let ends = |at: &str| release(Some(ReleaseTerms { expires_at: Some(at.to_owned()), ..ReleaseTerms::default() }));
        assert_eq!(told(Some(&ends("2027-01-01T00:00:00Z")), &usual), ["Expires: 1\u{a0}Jan\u{a0}2027, 00:00:00 UTC > Never"]);
        assert!(
            told(Some(&ends("2027-01-01T00:00:00Z")), &ends("2027-01-01T01:00:00+01:00")).is_empty(),
            "the same time, written otherwise"
        );
        let patches = release(Some(ReleaseTerms { upgrade: UpgradePolicy::Patch, ..ReleaseTerms::default() }));
        assert_eq!(told(Some(&usual), &patches), ["Upgrades: Manual > Patch releases automatically"]);
        assert!(told(Some(&usual), &usual).is_empty());
    }

    #[test]
    fn of_something_new_all_are_told_and_what_is_not_recorded_says_so() {
        let usual = release(Some(ReleaseTerms::default()));
        assert_eq!(told(None, &usual).len(), 3);
        let unrecorded = told(Some(&release(None)), &usual);
        assert!(unrecorded.len() == 3 && unrecorded.iter().all(|told| told.ends_with(UNRECORDED)), "{unrecorded:?}");
        assert!(told(Some(&usual), &release(None)).is_empty());
        let sources: Vec<ValueSource> =
            lines(&ReleaseTerms { upgrade: UpgradePolicy::Minor, ..ReleaseTerms::default() }).into_iter().map(|line| line.source).collect();
        assert_eq!(sources, [ValueSource::Default, ValueSource::Default, ValueSource::Asked]);
    }
}
