//! Loads what the status names: the running release, and the one that was accepted to run next.
//!
//! If one of them can't be loaded, nothing is chosen, rendered or applied: the request is held as it is, because any other choice would
//! change what runs. A missing release is recorded again only if the request still resolves to the same content hash.

use std::sync::Arc;

use kube::Api;
use promise::api::{CandidateState, ReleaseRevision};
use promise::context::Context;
use promise::lifecycle::{Choice, Chosen};
use promise::status::Missing;
use promise::visibility::Place;
use serde_json::Value;

use super::evaluate::context;
use super::lineage::lineage;
use super::offer::offer;
use super::{Subject, chosen, judge};
use crate::controller::context::ControllerContext;
use crate::controller::failure::{FailureCause, ReleaseFailure};
use crate::controller::releases;
use crate::kinds::{PromiseRelease, PromiseRevision};
use crate::watch::Freshness;
use crate::workspaces::ClusterId;

/// A release that the status names and that can't be loaded.
#[derive(Debug)]
pub struct Unloadable {
    /// Why.
    pub cause: FailureCause,
    /// Whether it is known to be gone.
    pub missing: Missing,
    /// What it contained, if only the release itself is gone.
    again: Option<Box<Again>>,
}

impl Unloadable {
    fn unknown(cause: impl Into<FailureCause>) -> Self {
        Self { cause: cause.into(), missing: Missing::Unknown, again: None }
    }

    fn gone(failure: ReleaseFailure) -> Self {
        Self { cause: failure.into(), missing: Missing::Gone, again: None }
    }
}

/// What is known of a release that is gone.
#[derive(Debug)]
struct Again {
    name: String,
    /// Name of its revision.
    revision: String,
    /// Hash of its whole content.
    content_hash: String,
}

/// A release as named by the status.
struct Named<'a> {
    release: &'a str,
    revision: &'a str,
    version: &'a str,
    content_hash: Option<&'a str>,
    generation: Option<i64>,
}

/// Loads what the status names. What is gone is recorded again first, if that is possible.
pub(super) async fn recall(subject: Subject<'_>, api: &Api<PromiseRelease>) -> Result<Choice, Unloadable> {
    let lost = match named(subject, api).await {
        Ok(choice) => return Ok(choice),
        Err(lost) => lost,
    };
    match &lost.again {
        Some(again) if restore(subject, api, again).await => named(subject, api).await,
        _ => Err(lost),
    }
}

/// Loads a release of the request by its name.
pub(super) async fn pinned(subject: Subject<'_>, api: &Api<PromiseRelease>, name: &str) -> Result<Chosen, Unloadable> {
    let current = subject.facts.status.and_then(|status| status.current.as_ref());
    let version = current.map(|current| current.version.as_str()).unwrap_or_default();
    load(subject, api, &Named { release: name, revision: "", version, content_hash: None, generation: None }).await
}

async fn named(subject: Subject<'_>, api: &Api<PromiseRelease>) -> Result<Choice, Unloadable> {
    let (mut running, mut accepted) = (None, None);
    let status = subject.facts.status;
    if let Some(current) = status.and_then(|status| status.current.as_ref()) {
        let named = Named {
            release: &current.release,
            revision: &current.revision,
            version: &current.version,
            content_hash: current.content_hash.as_deref(),
            generation: current.generation,
        };
        running = Some(load(subject, api, &named).await?);
    }
    let candidate = status.and_then(|status| status.candidate.as_ref());
    if let Some(candidate) = candidate.filter(|candidate| candidate.state == CandidateState::Accepted) {
        let named = Named {
            release: &candidate.release,
            revision: &candidate.revision,
            version: &candidate.version,
            content_hash: Some(&candidate.content_hash),
            generation: candidate.generation,
        };
        accepted = Some(load(subject, api, &named).await?);
    }
    Ok(Choice::recalled(&subject.facts, running, accepted))
}

async fn load(subject: Subject<'_>, api: &Api<PromiseRelease>, named: &Named<'_>) -> Result<Chosen, Unloadable> {
    let Subject { ctx, key, request, .. } = subject;
    let name = named.release;
    let Some(release) = releases::recorded(ctx, api, key, name).await.map_err(Unloadable::unknown)? else {
        let again = named
            .content_hash
            .map(|hash| Box::new(Again { name: name.to_owned(), revision: named.revision.to_owned(), content_hash: hash.to_owned() }));
        return Err(Unloadable { again, ..Unloadable::gone(ReleaseFailure::Missing { release: name.to_owned() }) });
    };
    if named.content_hash.is_some_and(|hash| hash != release.content_hash) {
        return Err(Unloadable::gone(ReleaseFailure::Differs { release: name.to_owned() }));
    }
    let revision = revision(ctx, &release.revision, named.version)?;
    let home = ClusterId::parse(&release.revision.cluster).map_err(|error| Unloadable::gone(error.into()))?;
    let tree = ctx.world.tree();
    let home = tree.lineage(&home).and_then(|mut way| way.pop());
    let home = home.ok_or_else(|| Unloadable::unknown(ReleaseFailure::HomeUnverified))?;
    let workspace = tree.lineage(&key.cluster).and_then(|mut way| way.pop());
    // A release is rendered with the context that it was accepted with, so that later edits elsewhere don't change it.
    let recorded = release.context.clone().and_then(|context| serde_json::from_value::<Context>(context).ok());
    let context = recorded
        .unwrap_or_else(|| context(request, workspace.as_ref(), &revision.spec.promise, &revision.spec.version, &home, Value::Null));
    let trusted = ctx.trusts(&home);
    let compiled = ctx.compiled(&revision).await.map_err(Unloadable::unknown)?;
    let version = revision.spec.version.clone();
    let generation = named.generation.unwrap_or(release.request_generation);
    let home = Place::from(&home);
    Ok(Chosen { name: name.to_owned(), release, version, compiled, context: Arc::new(context), home, trusted, generation })
}

/// Returns the revision that a release was made from. No other revision with the same name or version will do.
fn revision(ctx: &ControllerContext, of: &ReleaseRevision, version: &str) -> Result<Arc<PromiseRevision>, Unloadable> {
    if let Some(known) = ctx.world.revision_of(of).filter(|known| known.spec.hash == of.hash) {
        return Ok(known);
    }
    let name = &of.name;
    if ctx.world.revisions.freshness() != Freshness::Synced {
        return Err(Unloadable::unknown(ReleaseFailure::HeldByRevision { revision: name.clone() }));
    }
    Err(Unloadable::gone(ReleaseFailure::RevisionMissing { revision: name.clone(), version: version.to_owned() }))
}

/// Records a missing release again, if the request still resolves to exactly the same content. It was accepted before, so it needs no
/// approval. Returns whether it did.
async fn restore(subject: Subject<'_>, api: &Api<PromiseRelease>, again: &Again) -> bool {
    let Subject { ctx, key, request, facts } = subject;
    let Ok(lineage) = lineage(ctx, &key.cluster) else { return false };
    let Ok(found) = offer(ctx, request, &lineage) else { return false };
    let Ok((at, revision)) = ctx.world.revision_named(&found.home.cluster, &again.revision) else { return false };
    let mut choice = Choice::default();
    let Ok((input, evaluated)) = judge(subject, &lineage, found, (&at.name, revision), &choice).await else { return false };
    let Some(release) = choice.weigh(&facts, &evaluated) else { return false };
    let chosen = chosen(subject, input, release);
    if chosen.name != again.name || chosen.release.content_hash != again.content_hash {
        return false;
    }
    match releases::ensure(ctx.targets.topology(), api, request, &again.name, chosen.release).await {
        Ok(()) => {
            tracing::warn!(request = %key, release = again.name, "recorded a missing release again, with the same content");
            true
        }
        Err(failure) => {
            tracing::warn!(request = %key, release = again.name, why = %failure, "cannot record a missing release again");
            false
        }
    }
}
