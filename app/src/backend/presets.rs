//! The port of presets: values that requests start from, saved for everyone who can create requests in a workspace.

use async_trait::async_trait;
use promise::Result;

use crate::view::PresetLine;

/// What a preset is saved from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresetOf<'a> {
    /// Name of the promise.
    pub promise: &'a str,
    /// Home of the promise, if it is named.
    pub home: Option<&'a str>,
    /// The draft with the values, or empty.
    pub draft: &'a str,
    /// Without a draft: what a new form starts from, such as a request.
    pub start: &'a str,
}

/// Presets that people have saved. Users who can't create requests in a workspace can't see its presets either.
#[async_trait]
pub trait Presets: Send + Sync {
    /// Returns the presets of a workspace, sorted by title.
    async fn presets(&self, workspace: &str) -> Result<Vec<PresetLine>>;
    /// Saves values without their secrets under a title.
    async fn save_preset(&self, workspace: &str, of: PresetOf<'_>, title: &str) -> Result<()>;
    /// Deletes a preset of a workspace; it doesn't have to exist.
    async fn delete_preset(&self, workspace: &str, id: &str) -> Result<()>;
}
