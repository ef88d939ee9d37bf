//! What the team of a promise says about the versions that a request passes in an upgrade.

use leptos::prelude::*;
use promise::api::ChangelogEntry;

use crate::texts::terms as texts;

/// The versions, each with its changes; nothing if none is described.
pub(super) fn changelog(entries: &[ChangelogEntry]) -> Option<impl IntoView + use<>> {
    let versions = entries.iter().map(|entry| {
        let changes = entry.changes.iter().map(|change| view! { <li>{change.clone()}</li> }).collect_view();
        view! { <p><b>{texts::new_in(&entry.version)}</b></p><ul class="prose">{changes}</ul> }
    });
    let versions = versions.collect_view();
    (!entries.is_empty()).then(|| view! { <div>{versions}</div> })
}
