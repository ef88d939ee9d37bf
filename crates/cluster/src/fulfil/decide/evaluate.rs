//! Pure: from the facts to a release, or to the reasons why there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube::ResourceExt;
use promise::Problem;
use promise::api::{PolicyOutcome, PromiseReleaseSpec, PromiseSpec, ReleaseRevision, ReleaseRule};
use promise::context::{Context, PromiseContext, RequestContext, WorkspaceContext};
use promise::policy::{self, Candidate};
use promise::release::{Content, content_hash};
use promise::render::Compiled;
use serde_json::Value;

use crate::fulfil::render;
use crate::kinds::PromiseRequest;
use crate::workspaces::Node;

pub(super) fn context(request: &PromiseRequest, workspace: Option<&Node>, promise: &str, version: &str, home: &Node) -> Context {
    let path = workspace.map(|node| node.path.to_string()).unwrap_or_default();
    Context {
        request: RequestContext {
            name: request.name_any(),
            namespace: request.namespace().unwrap_or_default(),
            workspace: path.clone(),
            labels: request.labels().clone(),
            requester: request.spec.requester.clone().unwrap_or_default(),
        },
        promise: PromiseContext { name: promise.to_owned(), version: version.to_owned(), workspace: home.path.to_string() },
        workspace: WorkspaceContext {
            name: workspace.map(|node| node.path.name().to_owned()).unwrap_or_default(),
            labels: workspace.map(|node| node.labels.clone()).unwrap_or_default(),
            path,
        },
        prices: Value::Null,
    }
}

/// Everything that a release is made from.
pub(super) struct Input {
    pub(super) compiled: Arc<Compiled>,
    pub(super) name: String,
    pub(super) spec: Arc<PromiseSpec>,
    pub(super) home: Node,
    pub(super) trusted: bool,
    pub(super) lineage: Vec<Node>,
    pub(super) policies: Vec<Candidate>,
    pub(super) context: Arc<Context>,
    pub(super) request: PromiseRequest,
    /// The parameters of the release that was accepted last.
    pub(super) accepted: Option<Value>,
    pub(super) revision: ReleaseRevision,
    /// Keyed digests of what was typed into secret parameters, by path.
    pub(super) secrets: BTreeMap<String, String>,
    /// Whether only the rules in effect are asked for.
    pub(super) only_rules: bool,
}

/// What came of it.
#[derive(Default)]
pub(super) struct Evaluated {
    pub(super) rules: Vec<ReleaseRule>,
    pub(super) problems: Vec<Problem>,
    pub(super) refusals: Vec<String>,
    pub(super) outcomes: Vec<PolicyOutcome>,
    pub(super) release: Option<PromiseReleaseSpec>,
}

/// Pure: from the facts to a release, or to the reasons why there is none.
pub(super) fn evaluate(input: &Input) -> Evaluated {
    let way: Vec<String> = input.lineage.iter().map(|node| node.cluster.to_string()).collect();
    let target = policy::Target {
        promise: &input.name,
        spec: &input.spec,
        home: input.home.path.as_str(),
        home_cluster: input.home.cluster.as_str(),
        home_trusted: input.trusted,
        workspace: &input.context.workspace.path,
        labels: &input.context.workspace.labels,
        lineage: &way,
    };
    let effective = policy::compose(&target, &policy::gather(&input.policies, &target));
    if input.only_rules {
        return Evaluated { rules: effective.rules, ..Evaluated::default() };
    }
    let parameters = input.request.spec.parameters.clone().unwrap_or(Value::Null);
    let resolved = promise::resolve::resolve(&input.spec, &parameters, input.accepted.as_ref(), &effective, &input.context);
    let mut evaluated = Evaluated {
        rules: effective.rules.clone(),
        refusals: resolved.refusals.iter().map(|refusal| refusal.message.clone()).collect(),
        problems: resolved.problems,
        outcomes: resolved.outcomes,
        release: None,
    };
    if !evaluated.problems.is_empty() || !evaluated.refusals.is_empty() {
        return evaluated;
    }
    let rendered = render::render(&input.compiled, &resolved.parameters, &input.context, &effective.rules, &BTreeMap::new());
    evaluated.problems = rendered.problems;
    if !evaluated.problems.is_empty() {
        return evaluated;
    }
    let spec = &input.request.spec;
    let destinations: BTreeSet<String> = input.spec.implementation.resources.iter().filter_map(|r| r.destination.clone()).collect();
    let uid = input.request.uid().unwrap_or_default();
    let hash = content_hash(&Content {
        request_uid: &uid,
        revision_hash: &input.revision.hash,
        parameters: &resolved.parameters,
        deletion_policy: spec.deletion_policy,
        upgrade: spec.upgrade,
        expires_at: spec.expires_at.as_deref(),
        destinations: &destinations,
        rules: &effective.rules,
        price: None,
        secrets: &input.secrets,
    });
    match hash {
        Ok(content_hash) => {
            evaluated.release = Some(PromiseReleaseSpec {
                request_uid: uid,
                request_generation: input.request.metadata.generation.unwrap_or_default(),
                revision: input.revision.clone(),
                parameters: Some(resolved.parameters),
                context: serde_json::to_value(&*input.context).ok(),
                rules: effective.rules,
                outcomes: evaluated.outcomes.clone(),
                price: None,
                content_hash,
                objects: rendered.objects.into_iter().map(|object| render::without_secrets(&object.object)).collect(),
            });
        }
        Err(error) => evaluated.problems.push(Problem { path: ".parameters".to_owned(), message: format!("Change a number: {error}.") }),
    }
    evaluated
}
