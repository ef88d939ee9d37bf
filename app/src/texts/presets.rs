//! Texts about presets that people save.

pub(crate) const PRESETS: &str = "Presets";
pub(crate) const SAVE_AS_PRESET: &str = "Save as preset";
pub(crate) const PRESETS_HINT: &str = "Requests can start from these values. Everyone who can create requests in this workspace sees them.";
/// Before the presets that a form can start from.
pub(crate) const START_FROM: &str = "Presets of this workspace";
pub(crate) const MANAGE: &str = "Manage presets";
pub(crate) const NAME: &str = "Name";
pub(crate) const VALUES: &str = "Values in this preset";
pub(crate) const NO_VALUES: &str = "None. Requests that start from it use the default values.";
pub(crate) const NO_SECRETS: &str = "Secrets are never part of a preset.";
pub(crate) const SAVE: &str = "Save preset";
pub(crate) const USE: &str = "Use";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const NO_PRESETS: &str = "No presets yet";
pub(crate) const NO_PRESETS_TEXT: &str = "Open a request or a form, and save its values as a preset to start other requests from them.";
/// Before the time at which a preset was saved.
pub(crate) const SAVED: &str = "saved";

pub(crate) const DELETE_TEXT: &str = "This can't be undone. No one in this workspace can start a request from it anymore. Requests that \
     were already created aren't affected.";

/// A preset was saved.
pub(crate) fn is_saved(title: &str) -> String {
    format!("Preset {title} saved")
}

/// The name of the link that starts a request.
pub(crate) fn use_named(title: &str) -> String {
    format!("Use the preset {title}")
}

/// A preset was deleted.
pub(crate) fn is_deleted(title: &str) -> String {
    format!("Preset {title} deleted")
}

/// Of the link to the confirmation, and of the button that deletes a preset.
pub(crate) fn delete_named(title: &str) -> String {
    format!("Delete the preset {title}")
}

/// After the name of the promise: who saved a preset.
pub(crate) fn saved_by(person: &str) -> String {
    format!("{SAVED} by {person}")
}
