//! A release that a request has, or could have.

use std::sync::Arc;

use crate::api::{CandidateState, PromiseReleaseSpec};
use crate::context::Context;
use crate::render::Compiled;
use crate::status::ReleaseFacts;
use crate::visibility::Place;

/// A release together with the promise that it was made from.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Name of the PromiseRelease.
    pub name: String,
    /// The release.
    pub release: PromiseReleaseSpec,
    /// Version of the promise.
    pub version: String,
    /// Its compiled expressions.
    pub compiled: Arc<Compiled>,
    /// The context that expressions can read.
    pub context: Arc<Context>,
    /// Home of the promise.
    pub home: Place,
    /// Whether the home is a trusted one.
    pub trusted: bool,
    /// Latest generation of the request that was found to have this content.
    pub generation: i64,
}

impl Chosen {
    /// Returns what the status says about it, as an accepted release.
    pub fn facts(&self) -> ReleaseFacts<'_> {
        ReleaseFacts {
            name: &self.name,
            version: &self.version,
            revision: &self.release.revision,
            content_hash: &self.release.content_hash,
            generation: self.generation,
            expires_at: self.release.terms.as_ref().and_then(|terms| terms.expires_at.as_deref()),
            state: CandidateState::Accepted,
            message: None,
            policies_changed: false,
        }
    }
}
