//! The page of one request.

use std::collections::BTreeMap;
use std::time::Duration;

use app::routes;
use app::view::{
    Allowed, DisabledReason, ExpiryNotice, Happening, HappeningState, OutputValue, ParameterLine, PriceView, RequestPage, RequestPart,
    ResourceLine, ValueChange, ValueSource, policy_outcomes,
};
use cluster::kinds::{PromiseRelease, PromiseRequest};
use jiff::Timestamp;
use promise::api::{ConditionStatus, InventoryItem, OutputStatus, PolicyOutcome, PolicyResult, PromiseRequestSpec, PromiseSpec};
use promise::deletion::Fate;
use promise::expiry::{Expiry, ExpiryStage};
use promise::form::Summary;
use promise::outline::{Breadcrumb, breadcrumb};
use promise::path::Path;
use promise::policy::Effective;
use promise::price::Estimate;
use promise::visibility::Place;
use promise::{DeniedReason, Result, change, connection, deletion, names, wording};
use serde_json::{Value, json};

use super::related::{self, Surroundings};
use super::{activity, decisions, form, preflight_panel, releases, required, rows, schedules, timeline, workflow};
use crate::portal::Caller;
use crate::portal::approvals::review;
use crate::portal::approvals::skip::{self, Subject};
use crate::portal::approvals::step::{self, about_step};
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::portal::runs;
use crate::portal::topic::{self, Topic};

/// How long a page waits for a turn to read the dependencies.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the page of a request. What only one part shows is read for that part alone.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str, part: RequestPart) -> Result<RequestPage> {
    // Taken before the request is read: the event stream reports what changes in between.
    let seen = topic::seen(caller, &Topic::request(workspace.cluster.clone(), namespace, name)).await?;
    let request = caller.read_request(workspace, namespace, name).await?;
    let events = async { if part == RequestPart::History { caller.read_events(workspace, &request).await } else { Ok(None) } };
    let (releases, events) = futures::try_join!(caller.read_releases(workspace, &request), events)?;
    let known = caller.spec_of(&workspace.cluster, &request);
    let spec = known.as_deref();
    let status = request.status.clone().unwrap_or_default();
    let deleting = request.metadata.deletion_timestamp.is_some();
    let may = async |verb| caller.may(&workspace.cluster, Right::request(verb, namespace, name)).await;
    let allowed = Allowed {
        edit: allow(may("patch").await?, deleting, cannot_change(workspace)),
        delete: allow(may("delete").await?, deleting, DisabledReason::CannotDelete { workspace: workspace.path.to_string() }),
        retry: allow(may("patch").await?, false, cannot_change(workspace)),
        reveal: reveal(caller, workspace, namespace, &status.outputs).await?,
    };
    let deciders = timeline::deciders(&status, &caller.portal().people.names());
    let uid = request.metadata.uid.as_deref().unwrap_or_default();
    let mut noted = activity::of(caller, activity::Of { workspace, namespace, name, uid }).await;
    let ran = runs::history(caller, workspace, &request, spec).await?;
    noted.extend(ran.entries);
    let duplicate = caller.may(&workspace.cluster, Right::requests("create", namespace)).await?;
    let promise = &request.spec.promise;
    let copy = || routes::request_copy(workspace.path.as_str(), &promise.name, promise.workspace.as_deref(), namespace, name);
    let preset = || {
        let start = routes::copy_of(namespace, name);
        routes::preset_new(workspace.path.as_str(), &promise.name, promise.workspace.as_deref(), "", &start)
    };
    let resolved = shown_release(&request, &releases).and_then(|release| release.spec.parameters.as_ref());
    let surroundings =
        if part == RequestPart::Overview { related::of(caller, workspace, &request, spec).await } else { Surroundings::default() };
    let (yaml, manifest) = if part == RequestPart::Yaml { (yaml(&request), manifest(&request)) } else { Default::default() };
    let mut steps = workflow::of(&status);
    skip::offer(caller, workspace, Subject { request: &request, run: None }, steps.as_mut()).await?;
    step::link(&request, None, steps.as_mut());
    let waiting = about_step(&request);
    let in_question = waiting.as_ref().unwrap_or(&request);
    let page = RequestPage {
        row: rows::row(caller, workspace, &request),
        generation: request.metadata.generation.unwrap_or_default(),
        observed_generation: status.observed_generation,
        reason: request.spec.reason.clone().unwrap_or_default(),
        deleting,
        fate: fate(&request, &releases),
        timeline: timeline::of(caller, &request, &releases, spec, noted),
        earlier_runs: ran.earlier,
        parameters: parameters(spec, request.spec.parameters.as_ref(), resolved, &status.policies, &|source, policy| {
            caller.policy_title(source, policy)
        }),
        changes: pending(caller, &request, &releases, spec),
        expiry: expiry(&request, caller.portal().clock.now()),
        workflow: steps,
        actions: runs::offers(caller, workspace, &request).await?,
        schedules: schedules::of(caller, &request, spec),
        upgrade: releases::upgrade(caller, &request),
        deprecation: releases::deprecation(caller, workspace, &request),
        price: price(&request, &releases),
        spent: related::spent(caller, workspace, uid).await,
        accepted: related::accepted(&request),
        usual: surroundings.usual,
        related: surroundings.related,
        asked: caller.asked(in_question).await?,
        again: caller.may_ask_again(&workspace.cluster, &request).await?,
        comments: caller.comments(request.metadata.uid.as_deref().unwrap_or_default()).await?,
        uid: request.metadata.uid.clone().unwrap_or_default(),
        withdraw: withdrawn(caller, workspace, &request, may("patch").await?),
        approvals: decisions::lines(caller, in_question),
        hash: in_question.status.as_ref().and_then(decisions::hash),
        outdated: decisions::outdated(caller, workspace, &request).await?,
        resources: status.inventory.iter().map(resource).collect(),
        needs: needs(caller, &request).await,
        outputs: outputs(&request, spec),
        events: events.map(|events| events.iter().map(|event| timeline::event(event, spec, &deciders)).collect()),
        yaml,
        manifest,
        duplicate: duplicate.then(copy),
        preset: duplicate.then(preset),
        problems: problems(caller, workspace, &request).await,
        required: required::of_request(caller, workspace, &request, spec).await?,
        created_for: if part == RequestPart::Resources { related::created_for(caller, workspace, &request).await } else { None },
        allowed,
        seen,
        conditions: status.conditions,
        policies: caller.entitle(policy_outcomes(&status.policies, rules(caller, workspace, &request, spec).as_ref())),
    };
    Ok(page)
}

/// Returns when the request ends, if that is soon.
fn expiry(request: &PromiseRequest, now: Timestamp) -> Option<ExpiryNotice> {
    let expiry = Expiry::parse(request.status.as_ref()?.current.as_ref()?.expires_at.as_deref()?)?;
    let stage = expiry.stage(now);
    (stage != ExpiryStage::Running && request.metadata.deletion_timestamp.is_none()).then(|| ExpiryNotice {
        at: expiry.at.to_string(),
        ends: expiry.ends().to_string(),
        has_expired: stage != ExpiryStage::Soon,
    })
}

/// Returns a created object, as its request describes it.
pub(in crate::portal) fn resource(item: &InventoryItem) -> ResourceLine {
    ResourceLine {
        id: item.id.clone(),
        kind: item.kind.clone(),
        api_version: if item.group.is_empty() { item.version.clone() } else { format!("{}/{}", item.group, item.version) },
        namespace: item.namespace.clone().unwrap_or_default(),
        name: item.name.clone(),
        destination: item.destination.clone().unwrap_or_default(),
        applied: item.applied,
        health: item.health,
        message: item.message.clone().unwrap_or_default(),
    }
}

/// Returns the dependencies between the resources of its promise, by id. Empty if fewer than two objects were created, and if there is no
/// time to read the revision: the page is more important.
async fn needs(caller: &Caller, request: &PromiseRequest) -> BTreeMap<String, Vec<String>> {
    let made = request.status.as_ref().map_or(0, |status| status.inventory.len());
    let Some(revision) = caller.made_from(request).filter(|_| made > 1) else { return BTreeMap::new() };
    let compiled = caller.portal().compiled.clone();
    if let Some(known) = compiled.known(&revision.spec.hash) {
        return known.needs();
    }
    // Reading a revision for the first time can take a good part of a second.
    let turn = tokio::time::timeout(PATIENCE, caller.evaluation_turn()).await;
    let Ok(Ok(turn)) = turn else { return BTreeMap::new() };
    let read = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        compiled.read(&revision.spec.hash, &revision.spec.spec).ok()
    });
    read.await.ok().flatten().map(|compiled| compiled.needs()).unwrap_or_default()
}

/// Returns whether the user can withdraw the request. `None` for users other than the requester, and while nothing waits for approval.
fn withdrawn(caller: &Caller, workspace: &Workspace, request: &PromiseRequest, may: bool) -> Option<std::result::Result<(), DeniedReason>> {
    let asked = request.status.as_ref().and_then(decisions::hash).is_some();
    let denied = || DeniedReason::ChangeRequest { workspace: Some(workspace.path.to_string()) };
    (asked && rows::is_of(caller, request)).then(|| if may { Ok(()) } else { Err(denied()) })
}

/// Returns the present rules. `None` if they can't be read.
fn rules(caller: &Caller, workspace: &Workspace, request: &PromiseRequest, spec: Option<&PromiseSpec>) -> Option<Effective> {
    let reference = &request.spec.promise;
    let path = cluster::WorkspacePath::parse(reference.workspace.as_deref()?).ok()?;
    let cluster = caller.portal().world.tree().cluster(&path)?;
    let home = Place { cluster: cluster.to_string(), path: path.to_string() };
    caller.rules(workspace, &home, &reference.name, spec?).ok()
}

fn allow(may: bool, deleting: bool, denied: DisabledReason) -> std::result::Result<(), DisabledReason> {
    match (deleting, may) {
        (true, _) => Err(DisabledReason::BeingDeleted),
        (false, true) => Ok(()),
        (false, false) => Err(denied),
    }
}

fn cannot_change(workspace: &Workspace) -> DisabledReason {
    DisabledReason::CannotChange { workspace: workspace.path.to_string() }
}

/// Returns whether the user can read the Secret with the secret outputs, once there are any.
async fn reveal(
    caller: &Caller,
    workspace: &Workspace,
    namespace: &str,
    outputs: &[OutputStatus],
) -> Result<std::result::Result<(), DisabledReason>> {
    for reference in outputs.iter().filter_map(|output| output.secret_ref.as_ref()) {
        if !caller.may(&workspace.cluster, Right::secret("get", namespace, &reference.name)).await? {
            return Ok(Err(DisabledReason::CannotReadSecrets { workspace: workspace.path.to_string() }));
        }
    }
    Ok(Ok(()))
}

/// Returns the price quoted with the release. If the user can't read a release, the price that the controller recorded.
fn price(request: &PromiseRequest, releases: &[PromiseRelease]) -> PriceView {
    let quoted = shown_release(request, releases).and_then(|release| Estimate::recorded(&release.spec));
    match (quoted, &request.status) {
        (Some(estimate), _) => preflight_panel::price(Some(&estimate)),
        (None, Some(status)) => decisions::price(status),
        (None, None) => PriceView::default(),
    }
}

/// Returns the values that the pending change would set, next to those of the current release.
fn pending(caller: &Caller, request: &PromiseRequest, releases: &[PromiseRelease], spec: Option<&PromiseSpec>) -> Vec<ValueChange> {
    let named = |name: &str| releases.iter().find(|release| release.metadata.name.as_deref() == Some(name));
    let status = request.status.as_ref();
    let current = status.and_then(|status| status.current.as_ref()).and_then(|current| named(&current.release));
    let candidate = status.and_then(|status| status.candidate.as_ref());
    let candidate = candidate.filter(|candidate| candidate.state.is_open() || candidate.state.is_negative());
    match (spec, current, candidate.and_then(|candidate| named(&candidate.release))) {
        (Some(spec), Some(before), Some(after)) => review::pending(caller, spec, &before.spec, &after.spec),
        _ => Vec::new(),
    }
}

fn shown_release<'a>(request: &PromiseRequest, releases: &'a [PromiseRelease]) -> Option<&'a PromiseRelease> {
    let status = request.status.as_ref();
    let named = |name: &str| releases.iter().find(|release| release.metadata.name.as_deref() == Some(name));
    let current = status.and_then(|status| status.current.as_ref()).and_then(|current| named(&current.release));
    current.or_else(|| status.and_then(|status| status.candidate.as_ref()).and_then(|candidate| named(&candidate.release)))
}

/// Returns what deletion does, as far as the user can read what was accepted.
fn fate(request: &PromiseRequest, releases: &[PromiseRelease]) -> Fate {
    let live = request.spec.deletion_policy;
    let accepted = request.status.as_ref().map(deletion::accepted).unwrap_or_default();
    let release = accepted.iter().find_map(|name| releases.iter().find(|release| release.metadata.name.as_deref() == Some(*name)));
    deletion::fate(live, release.map_or(live, |release| deletion::policy_of(&release.spec, live)))
}

/// Describes every value and who set it. Without a release: the requested values. `titled` returns the title of a policy that is set at a
/// path.
pub(in crate::portal) fn parameters(
    spec: Option<&PromiseSpec>,
    asked: Option<&Value>,
    resolved: Option<&Value>,
    outcomes: &[PolicyOutcome],
    titled: &dyn Fn(&str, &str) -> String,
) -> Vec<ParameterLine> {
    let unknown = PromiseSpec::default();
    let spec = spec.unwrap_or(&unknown);
    let written: Vec<(Path, String)> = outcomes
        .iter()
        .filter(|outcome| matches!(outcome.result, PolicyResult::Set | PolicyResult::Defaulted))
        .flat_map(|outcome| outcome.paths.iter().map(|path| (path, titled(&outcome.source, &outcome.policy))))
        .filter_map(|(path, policy)| Some((Path::parse(path).ok()?, policy)))
        .collect();
    let whole = resolved.or(asked).cloned().unwrap_or_default();
    let line = |(path, value): (Path, &Value)| {
        let source = match written.iter().find(|(known, _)| path.starts_with(known)) {
            Some((_, policy)) => ValueSource::Policy(policy.clone()),
            None if asked.is_some_and(|asked| path.get(asked).is_some()) => ValueSource::Asked,
            None => ValueSource::Default,
        };
        let Breadcrumb { headings, label } = breadcrumb(spec, &whole, &path);
        ParameterLine { headings, label, value: change::in_words(spec, &path, value), path: path.to_string(), source }
    };
    change::leaves(spec, &whole).into_iter().map(line).collect()
}

fn outputs(request: &PromiseRequest, spec: Option<&PromiseSpec>) -> Vec<OutputValue> {
    let known = request.status.as_ref().map(|status| status.outputs.as_slice()).unwrap_or_default();
    let promised = spec.map(|spec| spec.outputs.as_slice()).unwrap_or_default();
    let plain = |name: &str| known.iter().find(|status| status.name == name).and_then(|status| status.value.as_ref()).map(wording::value);
    let is_there = |name: &str| known.iter().any(|status| status.name == name && (status.value.is_some() || status.secret_ref.is_some()));
    promised
        .iter()
        .map(|output| {
            if let Some(template) = connection::template_of(output) {
                let secret = connection::is_secret(promised, output);
                return OutputValue {
                    name: output.name.clone(),
                    description: output.description.clone().unwrap_or_default(),
                    value: template.fill(plain).filter(|_| !secret),
                    secret,
                    there: template.names().all(is_there),
                    reference: None,
                    connection: true,
                    template: output.template.clone(),
                };
            }
            let status = known.iter().find(|status| status.name == output.name);
            let secret = output.secret_ref.is_some();
            let plain = status.and_then(|status| status.value.as_ref()).map(wording::value);
            let value = if secret { None } else { plain };
            let there = value.is_some() || status.is_some_and(|status| status.secret_ref.is_some());
            let reference = status.and_then(|status| status.secret_ref.as_ref());
            OutputValue {
                name: output.name.clone(),
                description: output.description.clone().unwrap_or_default(),
                reference: reference.map(|reference| (reference.name.clone(), reference.key.clone())),
                value,
                secret,
                there,
                connection: connection::is_connection_string(output),
                template: None,
            }
        })
        .collect()
}

/// Returns the problems to fix before the request can continue, worded and linked to inputs as in the form. Empty if there are none, and if
/// the form can't show the problem: then the controller's message explains it.
async fn problems(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Vec<Summary> {
    let conditions = request.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    let refused = conditions.iter().any(|condition| {
        matches!(condition.r#type.as_str(), "Accepted" | "PoliciesSatisfied") && condition.status == ConditionStatus::False
    });
    if !refused || request.metadata.deletion_timestamp.is_some() {
        return Vec::new();
    }
    let problems = async { form::open_for(caller, workspace, request).await?.problems(caller, workspace).await };
    match problems.await {
        Ok(problems) => problems,
        Err(error) => {
            tracing::debug!(%error, "the form of a refused request does not open");
            Vec::new()
        }
    }
}

/// Returns the object as YAML, without the fields that the control plane manages.
fn yaml(request: &PromiseRequest) -> String {
    let mut request = request.clone();
    request.metadata.managed_fields = None;
    serde_saphyr::to_string(&request).unwrap_or_default()
}

/// Returns the request as YAML that `kubectl apply` takes: what people write, without what the control plane adds.
fn manifest(request: &PromiseRequest) -> String {
    let spec = PromiseRequestSpec { requester: None, ..request.spec.clone() };
    let mut metadata = json!({"name": request.metadata.name, "namespace": request.metadata.namespace});
    if let Some(labels) = request.metadata.labels.as_ref().filter(|labels| !labels.is_empty()) {
        metadata["labels"] = json!(labels);
    }
    let manifest = json!({"apiVersion": names::API_VERSION, "kind": "PromiseRequest", "metadata": metadata, "spec": spec});
    serde_saphyr::to_string(&manifest).unwrap_or_default()
}

/// Returns an entry for both the timeline and the events.
pub(in crate::portal) fn happening(at: String, what: String, who: &str, state: HappeningState) -> Happening {
    Happening { at, what, who: who.to_owned(), state, ..Happening::default() }
}

/// Returns an entry for what a person did.
pub(in crate::portal) fn deed(at: String, what: String, username: &str, state: HappeningState) -> Happening {
    Happening { is_person: !username.is_empty(), ..happening(at, what, username, state) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_has_what_people_write() {
        let request: PromiseRequest = serde_json::from_value(json!({
            "apiVersion": "platform.opmodel.dev/v1alpha1", "kind": "PromiseRequest",
            "metadata": {"name": "carts", "namespace": "default", "uid": "u1", "resourceVersion": "7", "generation": 2,
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}},
            "spec": {"promise": {"name": "redis"}, "parameters": {"size": "small"}, "requester": {"username": "dev-shop"}},
            "status": {"phase": "Ready"},
        }))
        .unwrap();
        let manifest = manifest(&request);
        for line in ["kind: PromiseRequest", "name: carts", "namespace: default", "size: small"] {
            assert!(manifest.contains(line), "{line}: {manifest}");
        }
        for other in ["status", "uid", "resourceVersion", "generation", "annotations", "requester", "null"] {
            assert!(!manifest.contains(other), "{other}: {manifest}");
        }
    }

    #[test]
    fn every_value_says_who_wrote_it() {
        let asked = json!({"size": "small", "admin": {"name": "a-inputs", "key": "admin"}});
        let resolved = json!({"size": "small", "replicas": 2, "backup": {"enabled": true}, "enabled": false, "admin": {"name": "a-inputs", "key": "admin"}});
        let spec = PromiseSpec { secret_parameters: vec![".admin".into()], ..PromiseSpec::default() };
        let outcome = PolicyOutcome {
            policy: "backup-required".into(),
            result: PolicyResult::Set,
            paths: vec![".backup.enabled".into()],
            source: "root:platform".into(),
            ..PolicyOutcome::default()
        };
        let lines = parameters(Some(&spec), Some(&asked), Some(&resolved), &[outcome], &|source, policy| format!("{policy} at {source}"));
        let source = |path: &str| lines.iter().find(|line| line.path == path).map(|line| line.source.clone()).unwrap();
        assert_eq!((source(".size"), source(".replicas")), (ValueSource::Asked, ValueSource::Default));
        assert_eq!(source(".backup.enabled"), ValueSource::Policy("backup-required at root:platform".into()));
        assert_eq!(source(".enabled"), ValueSource::Default, "the end of a path is another path");
        assert_eq!(lines.iter().find(|line| line.path == ".admin").unwrap().value, "kept in a Secret");
    }
}
