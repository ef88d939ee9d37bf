//! Pure evaluation: from the facts to a release, or to the reasons why there is none.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use kube::ResourceExt;
use promise::api::{DestinationId, MissingRequirement, PromiseReleaseSpec, ReleaseRevision};
use promise::context::{Context, PromiseContext, RequestContext, WorkspaceContext, given_labels};
use promise::policy::{self, Book};
use promise::preflight::{self, Preflight, preflight};
use promise::price::PriceBook;
use promise::render::Compiled;
use promise::visibility::Place;
use serde_json::Value;

use crate::kinds::{PromiseRequest, PromiseRevision};
use crate::revisions::CompiledRevisions;
use crate::usage::Census;
use crate::watch::Key;
use crate::workspaces::{Node, WorkspacePath};
use crate::world::World;

/// Returns what expressions can know of a request besides its parameters.
pub(super) fn context(
    request: &PromiseRequest,
    workspace: Option<&Node>,
    promise: &str,
    version: &str,
    home: &Node,
    prices: Value,
) -> Context {
    let path = workspace.map(|node| node.path.to_string()).unwrap_or_default();
    Context {
        request: RequestContext {
            name: request.name_any(),
            namespace: request.namespace().unwrap_or_default(),
            workspace: path.clone(),
            labels: given_labels(request.labels()),
            requester: request.spec.requester.clone().unwrap_or_default(),
            changers: Vec::new(),
            deletion_policy: request.spec.deletion_policy,
        },
        promise: PromiseContext { name: promise.to_owned(), version: version.to_owned(), workspace: home.path.to_string() },
        workspace: WorkspaceContext {
            name: workspace.map(|node| node.path.name().to_owned()).unwrap_or_default(),
            labels: workspace.map(|node| node.labels.clone()).unwrap_or_default(),
            path,
        },
        prices,
        action: None,
    }
}

/// Everything that a release is made from.
pub(super) struct Input {
    pub(super) compiled: Arc<Compiled>,
    pub(super) revisions: Arc<CompiledRevisions>,
    pub(super) name: String,
    /// The revision of the promise.
    pub(super) published: Arc<PromiseRevision>,
    pub(super) home: Node,
    pub(super) trusted: bool,
    pub(super) lineage: Vec<Node>,
    pub(super) policies: Arc<Book>,
    pub(super) context: Arc<Context>,
    pub(super) book: PriceBook,
    pub(super) request: PromiseRequest,
    /// The release that was accepted last.
    pub(super) former: Option<PromiseReleaseSpec>,
    pub(super) revision: ReleaseRevision,
    /// Everything that is accepted already.
    pub(super) world: World,
    pub(super) key: Key,
    /// Keyed digests of secret inputs, by path.
    pub(super) secrets: BTreeMap<String, String>,
    /// The Destinations that the promise names.
    pub(super) destinations: BTreeMap<String, DestinationId>,
    pub(super) trusted_homes: Vec<WorkspacePath>,
    /// Whether a release is running.
    pub(super) running: bool,
    /// The time at which it is judged.
    pub(super) now: Timestamp,
    /// What the promise requires and the workspace doesn't have.
    pub(super) missing: Vec<MissingRequirement>,
}

/// Evaluates the facts to a release, or to the reasons why there is none. Pure.
pub(super) fn evaluate(input: &Input) -> Preflight {
    let lineage: Vec<String> = input.lineage.iter().map(|node| node.cluster.to_string()).collect();
    let home = Place::from(&input.home);
    let spec = &input.published.spec.spec;
    let target = policy::Target {
        promise: &input.name,
        spec,
        home: &home.path,
        home_cluster: &home.cluster,
        home_trusted: input.trusted,
        workspace: &input.context.workspace.path,
        labels: &input.context.workspace.labels,
        lineage: &lineage,
    };
    let reading = input.revisions.reading(&input.revision.hash, spec, input.trusted);
    let sources = input.policies.gather(&target, &reading);
    preflight(&preflight::Input {
        name: &input.name,
        spec,
        compiled: &input.compiled,
        reading: &reading,
        home: &home,
        trusted: input.trusted,
        revision: &input.revision,
        lineage: &lineage,
        policies: Ok(&sources),
        request: &input.request.spec,
        uid: Some(&input.request.uid().unwrap_or_default()),
        generation: input.request.metadata.generation.unwrap_or_default(),
        former: input.former.as_ref(),
        running: input.running,
        now: input.now,
        context: &input.context,
        book: &input.book,
        count: &|tallies| Census::shown(&input.world, Some(&input.key)).usage(tallies),
        secrets: Some(&input.secrets),
        destinations: &input.destinations,
        unorphaned: &input.world.unorphaned(&input.home.cluster, spec, &input.trusted_homes),
        missing: &input.missing,
        unknown: &[],
    })
}
