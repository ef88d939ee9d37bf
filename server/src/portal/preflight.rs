//! Checks a request before anything is written: the portal's side of [`promise::preflight`].
//!
//! It uses the same facts as the controller: the revision that it would choose, the policies and prices that apply, and the release
//! accepted last.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::kinds::{PromiseRequest, PromiseRevision};
use cluster::revisions::{CompiledRevisions, NoRevision};
use cluster::usage::Census;
use cluster::watch::Key;
use jiff::Timestamp;
use promise::api::{
    CandidateState, DestinationId, MissingRequirement, PromiseReleaseSpec, PromiseRequestSpec, PromiseSpec, ReleaseRevision,
};
use promise::attribute::{AttributedObject, ObjectDifference, Touched, difference, touched};
use promise::context::{Context, PromiseContext, RequestContext, WorkspaceContext, given_labels};
use promise::path::Path;
use promise::policy::{PolicySource, Tally, Target, Usage};
use promise::preflight::{self, Input, Preflight, PricedChoice, Unknown};
use promise::price::{Change, Day, PriceBook};
use promise::render::Compiled;
use promise::resolve::PromiseReading;
use promise::visibility::{Offer, Place};
use promise::{BusyReason, Error, Result};

use super::offers::Offered;
use super::place::Workspace;
use super::submit::Submission;
use crate::portal::Caller;

/// The request that is being changed, as far as the checks need it.
#[derive(Clone, Debug, Default)]
pub struct Existing {
    /// uid.
    pub uid: Option<String>,
    /// Generation.
    pub generation: i64,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Version that is running or accepted to run.
    pub running: Option<String>,
    /// Whether a release is running.
    pub runs: bool,
    /// The release accepted last, if the user can read it.
    pub former: Option<PromiseReleaseSpec>,
}

/// Everything that a page shows about a request before it is submitted.
#[derive(Clone, Debug)]
pub struct Examined {
    /// Result of the checks.
    pub preflight: Preflight,
    /// The objects to create, line by line. Empty if nothing can be rendered.
    pub added: Vec<AttributedObject>,
    /// The same as a difference to what was accepted last. `None` for a new request.
    pub difference: Option<Vec<ObjectDifference>>,
    /// How many objects it touches. `None` for a new request.
    pub touched: Option<Touched>,
    /// Choices that change the price.
    pub choices: Vec<PricedChoice>,
}

/// Counts what is already accepted.
type Count = Box<dyn Fn(&[Tally]) -> Usage + Send + Sync>;

/// The promise as it applies to a request.
enum Applied {
    /// Its published revision, which isn't copied: schemas can be large.
    Published(Arc<PromiseRevision>),
    /// There is none. Only its parameters can be checked.
    Bare(Box<PromiseSpec>),
}

impl Applied {
    fn spec(&self) -> &PromiseSpec {
        match self {
            Self::Published(revision) => &revision.spec.spec,
            Self::Bare(spec) => spec,
        }
    }
}

/// All facts about one request, owned, so that they can be evaluated off the threads that serve pages.
struct Facts {
    name: String,
    spec: Applied,
    home: Place,
    trusted: bool,
    revision: ReleaseRevision,
    lineage: Vec<String>,
    request: PromiseRequestSpec,
    existing: Existing,
    now: Timestamp,
    context: Context,
    book: PriceBook,
    destinations: BTreeMap<String, DestinationId>,
    unorphaned: BTreeMap<String, String>,
    missing: Vec<MissingRequirement>,
    unknown: Vec<Unknown>,
    /// Counts for limits and budgets.
    count: Count,
}

impl Facts {
    /// Checks whether any secret is given.
    fn has_secrets(&self) -> bool {
        let given = |path: &String| Some(Path::parse(path).ok()?.get(self.request.parameters.as_ref()?)?.is_null());
        self.spec.spec().secret_parameters.iter().any(|path| given(path) == Some(false))
    }

    fn target(&self) -> Target<'_> {
        Target {
            promise: &self.name,
            spec: self.spec.spec(),
            home: &self.home.path,
            home_cluster: &self.home.cluster,
            home_trusted: self.trusted,
            workspace: &self.context.workspace.path,
            labels: &self.context.workspace.labels,
            lineage: &self.lineage,
        }
    }

    fn input<'a>(
        &'a self,
        compiled: &'a Compiled,
        reading: &'a PromiseReading,
        policies: &'a [PolicySource],
        secrets: &'a BTreeMap<String, String>,
    ) -> Input<'a> {
        Input {
            name: &self.name,
            spec: self.spec.spec(),
            compiled,
            reading,
            home: &self.home,
            trusted: self.trusted,
            revision: &self.revision,
            lineage: &self.lineage,
            policies: Ok(policies),
            request: &self.request,
            uid: self.existing.uid.as_deref(),
            generation: self.existing.generation,
            former: self.existing.former.as_ref(),
            running: self.existing.runs,
            now: self.now,
            context: &self.context,
            book: &self.book,
            // Digests of entered values need a key that only the controller has.
            secrets: (!self.has_secrets()).then_some(secrets),
            destinations: &self.destinations,
            unorphaned: &self.unorphaned,
            missing: &self.missing,
            unknown: &self.unknown,
            count: &*self.count,
        }
    }
}

impl Caller {
    /// Checks a request before anything is written.
    ///
    /// # Errors
    /// If some policies above the workspace can't be read, too many forms are being checked, or the evaluation was aborted.
    pub async fn preflight(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<Preflight> {
        self.evaluate(workspace, offered, submission, |input, _| preflight::preflight(input)).await
    }

    /// The same as [`Caller::preflight`], with the objects to create, the difference to what is running, and the prices of other choices.
    ///
    /// # Errors
    /// The same as [`Caller::preflight`].
    pub async fn examine(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<Examined> {
        let portal = self.portal().clone();
        let examine = move |input: &Input<'_>, compiled: &CompiledRevisions| {
            let preflight = preflight::preflight(input);
            let added = preflight.attributed(input);
            let before = input.former.map(|former| {
                let revision = portal.world.revision_of(&former.revision);
                let known = revision.and_then(|revision| compiled.read(&revision.spec.hash, &revision.spec.spec).ok());
                known.map(|compiled| preflight::running(&compiled, former)).unwrap_or_default()
            });
            let touched = before.as_ref().map(|before| touched(before, &added));
            let difference = before.map(|before| difference(&before, &added));
            let choices = preflight::options(input, &preflight);
            Examined { preflight, added, difference, touched, choices }
        };
        self.evaluate(workspace, offered, submission, examine).await
    }

    /// Returns the prices of choices other than those of a submission.
    ///
    /// # Errors
    /// The same as [`Caller::preflight`].
    pub async fn choices(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<Vec<PricedChoice>> {
        self.evaluate(workspace, offered, submission, |input, _| preflight::options(input, &preflight::preflight(input))).await
    }

    /// Returns the day from which a submission will have a different price than today, and both prices. `None` if no later price list
    /// changes it.
    ///
    /// # Errors
    /// The same as [`Caller::preflight`].
    pub(super) async fn next_price(
        &self,
        workspace: &Workspace,
        offered: &Offered,
        submission: &Submission,
    ) -> Result<Option<(Day, Change)>> {
        if offered.promise.spec.cost.is_none() {
            return Ok(None);
        }
        let portal = self.portal();
        let today = Day::of_unix(portal.clock.now().as_second());
        let books = portal.world.later_prices(&offer(offered), &workspace.lineage, &portal.trusted_homes, today);
        if books.is_empty() {
            return Ok(None);
        }
        self.evaluate(workspace, offered, submission, move |input, _| preflight::next_price(input, &books)).await
    }

    /// Runs a pure function over the facts, a few at a time: expressions of promises and policies can take a good part of a second.
    async fn evaluate<T: Send + 'static>(
        &self,
        workspace: &Workspace,
        offered: &Offered,
        submission: &Submission,
        work: impl FnOnce(&Input<'_>, &CompiledRevisions) -> T + Send + 'static,
    ) -> Result<T> {
        let facts = self.facts_of(workspace, offered, submission)?;
        let (portal, compiled) = (self.portal().clone(), self.portal().compiled.clone());
        let turn = self.evaluation_turn().await?;
        let evaluated = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let secrets = BTreeMap::new();
            let (hash, spec, trusted) = (&facts.revision.hash, facts.spec.spec(), facts.trusted);
            let (read, reading) = if hash.is_empty() {
                (Compiled::compile(spec).map(Arc::new), Arc::new(PromiseReading::of(spec, trusted)))
            } else {
                (compiled.read(hash, spec), compiled.reading(hash, spec, trusted))
            };
            let policies = portal.policies.read(&portal.world, &portal.trusted_homes).gather(&facts.target(), &reading);
            read.map(|read| work(&facts.input(&read, &reading, &policies, &secrets), &compiled))
        });
        let evaluated = evaluated.await.map_err(|error| {
            tracing::error!(%error, "an evaluation stopped unexpectedly");
            Error::Internal
        })?;
        evaluated.map_err(|problems| {
            tracing::warn!(?problems, promise = offered.key.name, "a published promise cannot be read");
            BusyReason::BrokenPromise { promise: offered.key.name.clone() }.into()
        })
    }

    fn facts_of(&self, workspace: &Workspace, offered: &Offered, submission: &Submission) -> Result<Facts> {
        let (portal, existing) = (self.portal(), &submission.existing);
        let found = self.revision(offered, &submission.spec, existing.running.as_deref());
        let mut unknown = Vec::new();
        let (applied, revision) = match found {
            Ok((key, revision)) => {
                let named = ReleaseRevision { cluster: key.cluster.to_string(), name: key.name.clone(), hash: revision.spec.hash.clone() };
                (Applied::Published(revision), named)
            }
            Err(why) => {
                unknown.push(Unknown { what: "the resources to create".to_owned(), why: why.to_string() });
                (Applied::Bare(Box::new(without_implementation(&submission.promise))), ReleaseRevision::default())
            }
        };
        let spec = applied.spec();
        let today = Day::of_unix(portal.clock.now().as_second());
        let book = portal.world.prices(&offer(offered), &workspace.lineage, &portal.trusted_homes, today);
        let me = self.identity().stamp();
        let context = Context {
            request: RequestContext {
                name: submission.name.clone(),
                namespace: submission.namespace.clone(),
                workspace: workspace.path.to_string(),
                labels: given_labels(&existing.labels),
                // The requester of a request stays the same, regardless of who changes it.
                changers: match &submission.spec.requester {
                    Some(requester) if existing.uid.is_some() && *requester != me => vec![me.clone()],
                    _ => Vec::new(),
                },
                requester: submission.spec.requester.clone().unwrap_or(me),
                deletion_policy: submission.spec.deletion_policy,
            },
            promise: PromiseContext { name: offered.key.name.clone(), version: spec.version.clone(), workspace: offered.home.path.clone() },
            workspace: WorkspaceContext {
                path: workspace.path.to_string(),
                name: workspace.path.name().to_owned(),
                labels: workspace.labels.clone(),
            },
            prices: book.values.clone(),
            action: None,
        };
        Ok(Facts {
            name: offered.key.name.clone(),
            home: offered.home.clone(),
            trusted: portal.trusted_homes.iter().any(|trusted| trusted.as_str() == offered.home.path),
            lineage: self.proven(workspace)?,
            unorphaned: portal.world.unorphaned(&offered.key.cluster, spec, &portal.trusted_homes),
            destinations: portal.world.destination_ids(&offered.key.cluster, spec, &portal.trusted_homes),
            missing: portal.world.missing(&workspace.cluster, &offered.key.cluster, &spec.requires, &portal.trusted_homes),
            request: PromiseRequestSpec { parameters: Some(submission.with_references()), ..submission.spec.clone() },
            existing: existing.clone(),
            now: portal.clock.now(),
            spec: applied,
            revision,
            context,
            book,
            unknown,
            count: self.count(workspace, submission),
        })
    }

    /// Counts what is accepted in addition to the request being checked.
    fn count(&self, workspace: &Workspace, submission: &Submission) -> Count {
        let world = self.portal().world.clone();
        let own = Key::new(workspace.cluster.clone(), submission.namespace.clone(), submission.name.clone());
        Box::new(move |tallies| Census::shown(&world, Some(&own)).usage(tallies))
    }

    /// Returns the revision that a request is fulfilled from.
    fn revision(
        &self,
        offered: &Offered,
        request: &PromiseRequestSpec,
        running: Option<&str>,
    ) -> std::result::Result<(Key, Arc<PromiseRevision>), NoRevision> {
        let constraint = request.promise.version.as_deref().unwrap_or_default();
        self.portal().world.revision_for(&offered.key.cluster, &offered.key.name, constraint, running, request.upgrade)
    }

    /// Returns the version of the promise that applies to a request, if any is published that does.
    pub(super) fn published_version(&self, offered: &Offered, request: &PromiseRequestSpec, running: Option<&str>) -> Option<String> {
        self.revision(offered, request, running).ok().map(|(_, revision)| revision.spec.version.clone())
    }

    /// Returns the promise that applies to a request: the revision that it is fulfilled from, or else what the home has published now.
    pub(super) fn published(&self, offered: &Offered, request: &PromiseRequestSpec, running: Option<&str>) -> PromiseSpec {
        let found = self.revision(offered, request, running);
        found.map_or_else(|_| offered.promise.spec.clone(), |(_, revision)| revision.spec.spec.clone())
    }

    /// Returns the request that is being changed, as far as the checks need it. The release accepted last is read with the user's token.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub async fn existing(&self, workspace: &Workspace, request: &PromiseRequest) -> Result<Existing> {
        let status = request.status.as_ref();
        let next = status.and_then(|status| status.candidate.as_ref()).filter(|candidate| candidate.state == CandidateState::Accepted);
        let current = status.and_then(|status| status.current.as_ref());
        let accepted = next.map(|next| (&next.release, &next.version)).or(current.map(|current| (&current.release, &current.version)));
        let former = match accepted {
            None => None,
            Some((name, _)) => {
                let releases = self.read_releases(workspace, request).await?;
                releases.into_iter().find(|release| release.metadata.name.as_ref() == Some(name)).map(|release| release.spec)
            }
        };
        Ok(Existing {
            uid: request.metadata.uid.clone(),
            generation: request.metadata.generation.unwrap_or_default(),
            labels: request.metadata.labels.clone().unwrap_or_default(),
            running: accepted.map(|(_, version)| version.clone()),
            runs: current.is_some(),
            former,
        })
    }
}

/// Returns an offer as catalogs list it.
fn offer(offered: &Offered) -> Offer<'_> {
    cluster::shelves::offer(&offered.key.name, &offered.home, &offered.promise)
}

/// Returns a promise of which only the parameters can be checked: no published revision of it could be rendered.
fn without_implementation(spec: &PromiseSpec) -> PromiseSpec {
    let mut spec = spec.clone();
    spec.implementation.resources.clear();
    spec.outputs.clear();
    spec
}
