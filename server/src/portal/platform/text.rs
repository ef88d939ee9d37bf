//! A policy as YAML: opened, checked against every promise in its scope, and written as the user who edited it.

use app::backend::PolicyText;
use app::view::{Pick, PolicyConflict, PolicyForm, PolicyFormOutcome, TextProblem};
use cluster::error::PlaneResult as _;
use cluster::kinds::{Export, Policy};
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use kube::api::{Api, ApiResource, DynamicObject};
use promise::api::PolicySpec;
use promise::form::yaml;
use promise::policy::{self, Candidate, FitSchema, Reading, Warning};
use promise::wording::{counted, upper_first};
use promise::{DeniedOperation, DeniedReason, Error, Problem, Result};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use store::PolicyChangeKind;

use super::editor::{self, Choices};
use super::parse::{line, located, parse};
use super::promises::Promises;
use super::{effect, history, list};
use crate::portal::Caller;
use crate::portal::drafts::SaveAs;
use crate::portal::place::Workspace;
use crate::portal::reads::is_object_name;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget, rehearse_create, rehearse_replace};

/// Initial text of a new policy.
const START: &str = "apiVersion: platform.opmodel.dev/v1alpha1
kind: Policy
metadata:
  name: my-policy
spec:
  title: A short title
  description: Why this policy exists.
  category: operations
  owner:
    team: My team
  enforcement: block
  appliesTo:
    promises: []
    workspaces: []
  rules:
  - name: replicas
    constrain:
      parameter: .replicas
      maximum: 5
";

/// Subject of policy drafts.
const DRAFT: &str = "policy";

/// Returns the form with a policy, or with a new one: with the form of one rule, or as YAML without `rule`. The content of a draft is
/// checked.
pub(super) async fn open(
    caller: &Caller,
    workspace: &str,
    name: Option<&str>,
    draft: Option<&str>,
    rule: Option<usize>,
) -> Result<PolicyForm> {
    if let Some(id) = draft
        && let Some(typed) = caller.draft::<PolicyText>(DRAFT, id).await?
        && typed.name.as_deref() == name
        && (name.is_none() || typed.workspace == workspace)
    {
        return check(caller, &typed, Sending::Rehearsal).await.map(|checked| checked.form);
    }
    if let Some(form) = posted(caller, workspace, name, draft.unwrap_or_default()).await? {
        return Ok(form);
    }
    let writable = writable(caller, workspace).await?;
    let Some(name) = name else {
        let chosen = writable.iter().find(|pick| pick.chosen).or(writable.first()).map(|pick| pick.value.clone());
        let Some(chosen) = chosen else {
            return Err(DeniedReason::CreatePoliciesAnywhere.into());
        };
        if rule.is_none() {
            return Ok(PolicyForm { workspace: workspace.to_owned(), writable, text: START.to_owned(), ..PolicyForm::default() });
        }
        let typed = PolicyText { workspace: chosen, text: editor::start(), rule: Some(0), ..PolicyText::default() };
        return check(caller, &typed, Sending::Nothing).await.map(|checked| checked.form);
    };
    let place = caller.enter(workspace).await?;
    may_write(caller, &place, Some(name)).await?;
    let there = read(caller, &place, name).await?;
    let version = there.metadata.resource_version.clone().unwrap_or_default();
    let typed = PolicyText {
        workspace: workspace.to_owned(),
        name: Some(name.to_owned()),
        text: yaml(&there),
        version: version.clone(),
        rule,
        ..PolicyText::default()
    };
    let form = match rule {
        Some(_) => check(caller, &typed, Sending::Nothing).await?.form,
        None => PolicyForm::default(),
    };
    if form.editor.is_some() {
        return Ok(form);
    }
    let title = there.data["spec"]["title"].as_str().unwrap_or_default().to_owned();
    Ok(PolicyForm { workspace: typed.workspace, name: typed.name, writable, text: typed.text, version, title, ..PolicyForm::default() })
}

/// Returns the form of a policy that was posted after the session had ended. `None` if it was another form.
async fn posted(caller: &Caller, workspace: &str, name: Option<&str>, id: &str) -> Result<Option<PolicyForm>> {
    let Some(fields) = caller.posted(id).await? else { return Ok(None) };
    let mut typed = PolicyText::posted(&fields);
    if typed.name.as_deref() != name || typed.workspace != workspace {
        return Ok(None);
    }
    enter(caller, &mut typed).await?;
    let form = check(caller, &typed, Sending::Rehearsal).await?.form;
    Ok(Some(PolicyForm { posted: true, ..form }))
}

/// Writes a policy. Saves it as a draft instead if it is only to be checked, or has problems or warnings that the user hasn't seen.
pub(super) async fn post(caller: &Caller, posted: &PolicyText) -> Result<PolicyFormOutcome> {
    let mut typed = posted.clone();
    enter(caller, &mut typed).await?;
    if typed.is_to_be_saved()
        && let Checked { policy: Some((place, policy)), form } = check(caller, &typed, Sending::Rehearsal).await?
        && (form.warned.is_empty() || form.warned == typed.warned)
    {
        let name = policy.metadata.name.clone().unwrap_or_default();
        let before = match &typed.name {
            Some(name) => Some(read(caller, &place, name).await?),
            None => None,
        };
        match send(caller, &place.cluster, &policy, &typed, Sending::Write).await {
            Ok(()) => {
                let (kind, changes) = match &before {
                    Some(before) => (PolicyChangeKind::Changed, history::between(before, &policy)),
                    None => (PolicyChangeKind::Created, Vec::new()),
                };
                history::note(caller, (&place.cluster, &name), kind, &changes).await;
                for draft in [&typed.draft, &typed.save] {
                    caller.forget_draft(draft).await?;
                }
                return Ok(PolicyFormOutcome::Written { workspace: typed.workspace.clone(), name });
            }
            // The form checks again and shows the error.
            Err(Error::Invalid { .. } | Error::Denied { .. } | Error::Conflict { .. } | Error::Contested { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(PolicyFormOutcome::Again { draft: caller.save_draft(DRAFT, &typed, save_as(&typed, None)).await? })
}

/// Returns the form with what was just typed, and saves it.
pub(super) async fn preflight(caller: &Caller, posted: &PolicyText) -> Result<PolicyForm> {
    let mut typed = posted.clone();
    enter(caller, &mut typed).await?;
    // The user is typing, so an input already has the focus.
    typed.focus = None;
    let sending = if typed.operation == "rehearse" { Sending::Rehearsal } else { Sending::Nothing };
    let mut form = check(caller, &typed, sending).await?.form;
    if form.editor.is_some() && !typed.save.is_empty() {
        form.save.clone_from(&typed.save);
        // The effect is worth showing even if the draft can't be saved.
        let saved = caller.save_draft(DRAFT, &typed, save_as(&typed, Some(&typed.save))).await;
        form.saved = Some(saved.inspect_err(|error| tracing::warn!(%error, "a draft could not be saved")).is_ok());
    }
    Ok(form)
}

fn save_as<'a>(typed: &'a PolicyText, id: Option<&'a str>) -> SaveAs<'a> {
    let some = |text: &'a str| Some(text).filter(|text| !text.is_empty());
    SaveAs { id, opened: some(&typed.draft), typing: some(&typed.save), title: "" }
}

/// Puts what was posted with the form of a rule into the text. Users who can't write the policy learn nothing about promises.
async fn enter(caller: &Caller, typed: &mut PolicyText) -> Result<()> {
    if typed.rule.is_none() && !typed.operation.starts_with("rule:") {
        return Ok(());
    }
    let place = caller.enter(&typed.workspace).await?;
    match may_write(caller, &place, typed.name.as_deref()).await {
        Ok(()) => {}
        Err(Error::Denied { .. }) => return Ok(()),
        Err(error) => return Err(error),
    }
    let (promises, open) = (Promises::of(caller).await?, open_paths(caller).await?);
    Choices { caller, place: &place.path, promises: &promises, open: &open }.enter(typed);
    Ok(())
}

async fn open_paths(caller: &Caller) -> Result<Vec<WorkspacePath>> {
    Ok(caller.open_workspaces().await?.into_iter().map(|(path, _)| path).collect())
}

/// A text and its problems.
struct Checked {
    form: PolicyForm,
    /// If there are no problems: the policy and its workspace.
    policy: Option<(Workspace, DynamicObject)>,
}

/// Checks a text without writing anything. For users who can't write it, the check skips promises, because the problems found would reveal
/// them.
async fn check(caller: &Caller, typed: &PolicyText, sending: Sending) -> Result<Checked> {
    let place = caller.enter(&typed.workspace).await?;
    let mut form = PolicyForm {
        workspace: typed.workspace.clone(),
        name: typed.name.clone(),
        writable: writable(caller, &typed.workspace).await?,
        text: typed.text.clone(),
        version: typed.version.clone(),
        save: caller.new_draft_id(),
        ..PolicyForm::default()
    };
    match may_write(caller, &place, typed.name.as_deref()).await {
        Ok(()) => {}
        Err(error @ Error::Denied { .. }) => return Ok(wrong(form, vec![said(&error)])),
        Err(error) => return Err(error),
    }
    let manifest = parse(&form.text, typed.name.as_deref());
    form.problems.clone_from(&manifest.problems);
    let promises = Promises::of(caller).await?;
    let mut against = 0;
    if let Some(spec) = &manifest.spec {
        let (problems, count) = against_promises(caller, &place.path, spec, &promises);
        against = count;
        let unread = problems.iter().filter(|problem| !manifest.is_of_broken(problem)).map(|problem| located(&form.text, problem));
        form.problems.extend(unread);
        form.problems.sort_by_key(|problem| problem.line.unwrap_or_default());
        let subject = Candidate {
            policy: manifest.object.as_ref().and_then(|object| object.metadata.name.clone()).unwrap_or_default(),
            workspace: place.path.to_string(),
            cluster: place.cluster.to_string(),
            trusted: list::is_trusted(caller, &place.path),
            spec: spec.clone(),
        };
        let (mut warnings, effect) = effect::of(caller, subject, &promises).await?;
        // A policy with problems can't be composed with others.
        warnings.retain(|warning| form.problems.is_empty() || !matches!(warning, Warning::Contradiction { .. }));
        warnings.extend(manifest.unknown);
        warn(&mut form, &warnings);
        form.effect = effect.filter(|_| form.problems.is_empty());
    }
    let policy = manifest.object.filter(|_| form.problems.is_empty());
    if let (Some(policy), Sending::Rehearsal) = (&policy, sending) {
        match send(caller, &place.cluster, policy, typed, Sending::Rehearsal).await {
            Ok(()) => {
                form.checked = Some(format!(
                    "Valid for {} in scope. The dry run in the workspace passed. Not saved yet.",
                    counted(against as u64, "promise")
                ));
            }
            Err(Error::Invalid { problems }) => {
                let problem = |problem: &Problem| TextProblem {
                    path: problem.path.clone(),
                    line: line(&form.text, &problem.path),
                    message: problem.message.clone(),
                };
                form.problems = problems.iter().map(problem).collect();
            }
            Err(error @ (Error::Denied { .. } | Error::Conflict { .. } | Error::Contested { .. })) => {
                form.problems = vec![said(&error)];
                if let (Error::Conflict { .. }, Some(name)) = (&error, &typed.name) {
                    let there = read(caller, &place, name).await?;
                    form.conflict = Some(conflict(caller, (&place, name), (&there, policy), &promises).await);
                    // The user sees the conflict, and can save all the same.
                    form.version = there.metadata.resource_version.unwrap_or_default();
                }
            }
            Err(error) => return Err(error),
        }
    }
    let open = open_paths(caller).await?;
    Choices { caller, place: &place.path, promises: &promises, open: &open }.dress(&mut form, typed);
    let policy = policy.filter(|_| form.problems.is_empty()).map(|policy| (place, policy));
    Ok(Checked { form, policy })
}

/// Returns what happened to a policy while its form was open, and what the form changes in it now.
async fn conflict(
    caller: &Caller,
    (place, name): (&Workspace, &str),
    (there, written): (&DynamicObject, &DynamicObject),
    promises: &Promises,
) -> PolicyConflict {
    let (lines, _) = history::of(caller, (&place.cluster, name), &there.metadata, promises).await;
    let changes = history::between(there, written);
    PolicyConflict { last: lines.into_iter().next(), changes: changes.iter().map(|change| history::in_words(change, promises)).collect() }
}

/// Adds warnings to the form, with the digest that identifies them.
fn warn(form: &mut PolicyForm, warnings: &[Warning]) {
    let lines = warnings.iter().map(|warning| located(&form.text, &Problem { path: warning.path(), message: warning.sentence() }));
    form.warnings = lines.collect();
    // A warning about the same thing in another line is the same warning.
    form.warned = match warnings {
        [] => String::new(),
        warnings => hex::encode(Sha256::digest(serde_json::to_vec(warnings).unwrap_or_default())),
    };
}

/// Returns an error as a problem of the whole text.
fn said(error: &Error) -> TextProblem {
    TextProblem { message: upper_first(&format!("{error}.")), ..TextProblem::default() }
}

fn wrong(form: PolicyForm, problems: Vec<TextProblem>) -> Checked {
    Checked { form: PolicyForm { problems, checked: None, ..form }, policy: None }
}

/// Returns the workspaces in which the user can write policies. The wanted one is selected, even if it doesn't contain any policies yet.
async fn writable(caller: &Caller, wanted: &str) -> Result<Vec<Pick>> {
    let mut places = caller.governing_places();
    match caller.enter(wanted).await {
        Ok(entered) => places.push((entered.path, entered.cluster)),
        Err(Error::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    places.sort();
    places.dedup();
    let may = caller.with_policies(places, "create").await?;
    Ok(may
        .into_iter()
        .map(|(path, _)| Pick { value: path.to_string(), label: path.to_string(), chosen: path.as_str() == wanted })
        .collect())
}

/// Returns an error if the user can't write policies, new or with this name, in a workspace that the user has entered.
async fn may_write(caller: &Caller, place: &Workspace, name: Option<&str>) -> Result<()> {
    let (right, operation) = match name {
        None => (Right::policy("create", ""), DeniedOperation::Create),
        Some(name) => (Right::policy("update", name), DeniedOperation::Change),
    };
    if caller.may(&place.cluster, right).await? {
        return Ok(());
    }
    Err(DeniedReason::WritePolicies { operation, workspace: place.path.to_string() }.into())
}

/// Reads a policy with the user's token, with fields that this version doesn't know.
pub(super) async fn read(caller: &Caller, place: &Workspace, name: &str) -> Result<DynamicObject> {
    let what = format!("policy {name}");
    if !is_object_name(name) {
        return Err(Error::NotFound { what });
    }
    let policy = api(caller, &place.cluster).get(name).await.about(&what)?;
    caller.genuine(Export::Catalog, place, what).map(|()| policy)
}

/// Returns the policies of a workspace as the user can reach them.
pub(super) fn api(caller: &Caller, cluster: &ClusterId) -> Api<DynamicObject> {
    Api::all_with(caller.client(cluster), &ApiResource::erase::<Policy>(&()))
}

/// Returns the object as users write it, without the fields that the control plane manages.
pub(in crate::portal) fn yaml(policy: &impl Serialize) -> String {
    yaml::write(&written(policy))
}

/// Returns the object as users write it.
pub(super) fn written(policy: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(policy).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        object.remove("status");
        let kept = ["name", "labels", "annotations"];
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.retain(|name, _| kept.contains(&name.as_str()));
            if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
                annotations.retain(|name, _| !name.contains("kcp.io/") && !name.starts_with("kubectl.kubernetes.io/"));
            }
            metadata.retain(|_, value| value.as_object().is_none_or(|map| !map.is_empty()));
        }
    }
    whole(&mut value);
    value
}

/// Converts bounds without a fraction to integers: they are stored as floating-point numbers, but users wrote them as integers.
fn whole(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        Value::Number(number) => {
            let plain = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15);
            if let Some(plain) = plain.and_then(|plain| format!("{plain:.0}").parse::<i64>().ok()) {
                *value = plain.into();
            }
        }
        _ => {}
    }
}

/// Returns the problems of the policy itself and with every promise that it has to fit, among those that the user can see, and the number
/// of these promises.
fn against_promises(caller: &Caller, place: &WorkspacePath, spec: &PolicySpec, promises: &Promises) -> (Vec<Problem>, usize) {
    let portal = caller.portal();
    let trusted = |home: &str| portal.trusted_homes.iter().any(|known| known.as_str() == home);
    let reading = Reading::of(spec.clone(), trusted(place.as_str()));
    let mut found = policy::problems(&reading);
    let tree = portal.world.tree();
    let mut concerned = promises.concerned(caller, place, spec);
    concerned.retain(|(home, _)| policy::has_to_fit(place.as_str(), (home.as_str(), trusted(home.as_str()))));
    for (home, name) in &concerned {
        let cluster = WorkspacePath::parse(home).ok().and_then(|home| tree.cluster(&home));
        let Some(promise) = cluster.and_then(|cluster| portal.world.promises.get(&Key::cluster_scoped(&cluster, name))) else { continue };
        for problem in policy::check_read(&reading, name, &FitSchema::of(&promise.spec)) {
            // A problem of the policy itself occurs with every promise and is reported once.
            if !found.iter().any(|known| known.path == problem.path) {
                let message = format!("{} (for the promise {name})", problem.message);
                found.push(Problem { message, ..problem });
            }
        }
    }
    (found, concerned.len())
}

/// Whether the policy is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// Neither.
    Nothing,
    /// Dry run: the control plane reports what it would do.
    Rehearsal,
    /// The control plane applies it.
    Write,
}

/// Sends it as the user. An existing policy is replaced in the version that was opened.
async fn send(caller: &Caller, cluster: &ClusterId, policy: &DynamicObject, typed: &PolicyText, sending: Sending) -> Result<()> {
    let api = api(caller, cluster);
    let name = policy.metadata.name.clone().unwrap_or_default();
    let (what, target) = (format!("policy {name}"), WriteTarget::in_workspace("Policy", cluster, &name));
    if typed.name.is_none() {
        let created = match sending {
            Sending::Nothing => return Ok(()),
            Sending::Rehearsal => rehearse_create(&api, policy).await.map(drop),
            Sending::Write => caller.write(WriteOperation::CreatePolicy, target).create(&api, policy).await.map(drop),
        };
        return created.about(&what);
    }
    let mut changed = policy.clone();
    changed.metadata.resource_version = Some(typed.version.clone());
    let replaced = match sending {
        Sending::Nothing => return Ok(()),
        Sending::Rehearsal => rehearse_replace(&api, &name, &changed).await,
        Sending::Write => caller.write(WriteOperation::ChangePolicy, target).replace(&api, &name, &changed).await.map(drop),
    };
    replaced.about(&what)
}
