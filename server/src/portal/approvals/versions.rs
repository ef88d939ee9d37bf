//! Changes between two contents that are for different versions of a promise.

use app::view::ValueChange;
use promise::api::PromiseReleaseSpec;
use promise::outline::{Breadcrumb, breadcrumb};
use promise::path::Path;

use super::review::{parameters, version_change};
use crate::portal::Caller;

/// Returns the changes with that of the version first, if both versions are still published.
pub(super) fn put(
    caller: &Caller,
    mut changes: Vec<ValueChange>,
    before: &PromiseReleaseSpec,
    after: &PromiseReleaseSpec,
) -> Vec<ValueChange> {
    let version = |release: &PromiseReleaseSpec| Some(caller.portal().world.revision_of(&release.revision)?.spec.version.clone());
    relabel(caller, &mut changes, before);
    let version = version(before).zip(version(after)).and_then(|(from, to)| version_change(&from, &to));
    version.into_iter().chain(changes).collect()
}

/// Labels removed values as their own version does: the other one might not have fields for them.
pub(in crate::portal) fn relabel(caller: &Caller, changes: &mut [ValueChange], former: &PromiseReleaseSpec) {
    let Some(revision) = caller.portal().world.revision_of(&former.revision) else { return };
    for change in changes.iter_mut().filter(|change| change.after.is_none() && change.path.starts_with('.')) {
        if let Ok(path) = Path::parse(&change.path) {
            let Breadcrumb { headings, label } = breadcrumb(&revision.spec.spec, parameters(former), &path);
            (change.headings, change.label) = (headings, label);
        }
    }
}
