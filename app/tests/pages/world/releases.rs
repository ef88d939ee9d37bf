//! Releases of a request, and the versions that it can move to.

use app::view::*;
use promise::api::ChangelogEntry;
use promise::form::Summary;
use promise::versions::VersionChange;

/// The end of a request.
pub(super) fn expiry() -> ExpiryNotice {
    ExpiryNotice { at: "2026-12-01T00:00:00Z".into(), ends: "2026-12-04T00:00:00Z".into(), has_expired: false }
}

/// The newest version.
pub(super) fn upgrade() -> UpgradeOffer {
    let changes = vec![VersionChange::FieldAdded { label: "Region".into(), required: true }, VersionChange::Implementation];
    UpgradeOffer { version: "1.3.0".into(), is_breaking: false, changes, changelog: changelog() }
}

/// What its team says about two versions.
pub(super) fn changelog() -> Vec<ChangelogEntry> {
    let entry = |version: &str, change: &str| ChangelogEntry { version: version.into(), changes: vec![change.into()] };
    vec![entry("1.3.0", "Asks for a region."), entry("1.2.1", "Backups finish sooner.")]
}

/// That the promise is deprecated.
pub(super) fn deprecation() -> DeprecationNotice {
    DeprecationNotice {
        is_retired: false,
        message: "Object buckets replace it.".into(),
        replacement: Some(("Object bucket".into(), "/w/root:acme:shop/promises/object-bucket".into())),
        remove_after: Some("1 March 2027".into()),
    }
}

/// The terms in a form.
pub(super) fn terms(editing: bool) -> TermsForm {
    let option =
        |kind, value: &str, version: &str| VersionOption { kind, value: value.into(), version: version.into(), ..VersionOption::default() };
    let first =
        if editing { option(VersionOptionKind::Unchanged, "unchanged", "1.2.0") } else { option(VersionOptionKind::Newest, "", "1.3.0") };
    TermsForm {
        versions: vec![
            VersionOption { is_chosen: true, ..first },
            VersionOption { is_prerelease: true, is_breaking: true, ..option(VersionOptionKind::Version, "=2.0.0-rc.1", "2.0.0-rc.1") },
            option(VersionOptionKind::Version, "=1.3.0", "1.3.0"),
        ],
        paused: editing.then_some(false),
        rendered: "1.2.0".into(),
        ..TermsForm::default()
    }
}

/// What moves to another version, or back to a release.
pub(super) fn moved(start: &str, fits: bool) -> VersionMove {
    let restored = start.starts_with("release:").then(|| RestoredRelease {
        at: "2026-11-20T09:02:00Z".into(),
        secrets: vec!["Administrator's password".into()],
        is_unpublished: !fits,
    });
    VersionMove {
        from: "1.2.0".into(),
        to: "1.3.0".into(),
        is_breaking: !fits,
        changelog: if restored.is_some() { Vec::new() } else { changelog() },
        needs: vec![Summary { target: "f-region".into(), message: "Enter a region".into() }],
        lost: vec![("Backup window".into(), "02:00".into())],
        restored,
    }
}

/// The releases, and two of them compared.
pub(super) fn page((from, to): (&str, &str), objects: Option<Vec<AddedObject>>) -> ReleasesPage {
    let line = |name: &str, version: Option<&str>, state, causes, restore| ReleaseLine {
        name: name.into(),
        version: version.map(str::to_owned),
        at: "2026-11-20T09:02:00Z".into(),
        by: "dev-shop".into(),
        causes,
        state,
        monthly: "€24.80".into(),
        restore,
    };
    let moved = ReleaseCause::Version { from: "1.2.0".into(), to: "1.3.0".into() };
    let compared = (!from.is_empty()).then(|| ReleaseComparison {
        from: from.into(),
        to: to.into(),
        changes: vec![ValueChange {
            label: "Version".into(),
            before: Some("1.2.0".into()),
            after: Some("1.3.0".into()),
            ..ValueChange::default()
        }],
        policies: vec!["The rule replicas of Production baseline is new: Replicas must be between 2 and 4".into()],
        price: PriceStep {
            now: Some("€24.80".into()),
            after: Some("€49.60".into()),
            change: Some("+€24.80/month".into()),
            ..PriceStep::default()
        },
        objects,
    });
    ReleasesPage {
        releases: vec![
            line("orders-db-3", Some("1.3.0"), ReleaseState::Candidate, vec![moved], Some(Ok(()))),
            line("orders-db-2", Some("1.2.0"), ReleaseState::Running, vec![ReleaseCause::Values(vec!["Replicas".into()])], None),
            line("orders-db-1", None, ReleaseState::Former, vec![ReleaseCause::First], Some(Err(DisabledReason::VersionUnpublished))),
        ],
        compared,
    }
}
