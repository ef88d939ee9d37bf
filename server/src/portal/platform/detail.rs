//! The page of one policy: its description for users it applies to, everything else for those who can read it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use app::backend::Sample;
use app::view::{ConcernedLine, HitLine, PolicyInside, PolicyPage, PolicyRule};
use cluster::WorkspacePath;
use cluster::kinds::{Policy, PromiseRequest};
use cluster::watch::Key;
use promise::api::{Enforcement, OutdatedRule, PolicyOutcome, PolicyResult, Rule, RuleChange};
use promise::policy::covers_promise;
use promise::policy::edit::RuleKind;
use promise::{Error, Result};

use super::hits::{self, Hits};
use super::promises::Promises;
use super::{history, list, text, tryout};
use crate::portal::Caller;
use crate::portal::reads::is_object_name;
use crate::portal::rights::Right;

/// Number of requests that are named. All are counted.
const NAMED: usize = 20;

/// Returns the page. Users who can't read the object see its description if it applies to a workspace that they can enter.
pub(super) async fn page(caller: &Caller, workspace: &str, name: &str, from: &str, sample: Option<&Sample>) -> Result<PolicyPage> {
    let not_found = || Error::NotFound { what: format!("policy {name}") };
    let place = WorkspacePath::parse(workspace).map_err(|_| not_found())?;
    let world = &caller.portal().world;
    let cluster = world.tree().cluster(&place).filter(|_| is_object_name(name)).ok_or_else(not_found)?;
    let key = Key::cluster_scoped(&cluster, name);
    let reads = caller.may(&cluster, Right::policy("get", name)).await?;
    let policy = world.policies.get(&key).ok_or_else(not_found)?;
    if !reads && !concerns(caller, &key, from).await? {
        return Err(not_found());
    }
    let promises = Promises::of(caller).await?;
    let hits = if reads { hits::count(caller).await? } else { Hits::default() };
    let row = list::row(caller, &key, &policy, &place, &promises, &hits);
    let spec = &policy.spec;
    let rules = spec.written_rules().iter().zip(&row.sentences).map(|(rule, sentence)| PolicyRule {
        name: rule.name.clone(),
        sentence: sentence.clone(),
        kind: kind(rule).to_owned(),
        has_form: serde_json::to_value(rule).is_ok_and(|rule| RuleKind::of(&rule).is_some()),
    });
    let inside = if reads { Some(inside(caller, &key, &policy, &place, &promises, &hits, sample).await?) } else { None };
    Ok(PolicyPage {
        description: spec.description.clone().unwrap_or_default(),
        contact: spec.owner.as_ref().and_then(|owner| owner.contact.clone()).unwrap_or_default(),
        rules: rules.collect(),
        for_promises: promises.in_words(&spec.applies_to.promises),
        for_workspaces: list::for_workspaces(spec, list::is_trusted(caller, &place)),
        inside,
        row,
    })
}

/// Checks whether a policy applies in the workspace that the user came from, and whether the user can enter that workspace.
async fn concerns(caller: &Caller, key: &Key, from: &str) -> Result<bool> {
    if from.is_empty() {
        return Ok(false);
    }
    let entered = match caller.enter(from).await {
        Ok(entered) => entered,
        Err(Error::NotFound { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    let offers = caller.offers(&entered).await?;
    let Some(policy) = caller.portal().world.policies.get(key) else { return Ok(false) };
    let named = |offered: crate::portal::offers::Offered| {
        let effective = caller.rules(&entered, &offered.home, &offered.key.name, &offered.promise.spec).ok();
        let of = |cluster: &str, policy: &str| cluster == key.cluster.to_string() && policy == key.name;
        effective.is_some_and(|effective| effective.sentences.iter().any(|ruling| of(&ruling.from.cluster, &ruling.from.policy)))
    };
    let applies_to = &policy.spec.applies_to;
    let mut covered = offers.all().filter(|offered| covers_promise(applies_to, &offered.key.name));
    // Policies for runs of actions aren't among the rules of requests.
    if !applies_to.actions.is_empty() {
        let (tree, home) = (caller.portal().world.tree(), key.cluster.to_string());
        let is_above = entered.lineage.iter().any(|place| place.cluster == home);
        let is_trusted = caller.portal().trusted_homes.iter().any(|path| tree.cluster(path).as_ref() == Some(&key.cluster));
        let is_here = applies_to.covers_workspace(entered.path.as_str(), &entered.labels);
        return Ok((is_above || is_trusted) && is_here && covered.next().is_some());
    }
    // Only composes the rules of promises that the policy names.
    Ok(covered.any(named))
}

async fn inside(
    caller: &Caller,
    key: &Key,
    policy: &Policy,
    place: &WorkspacePath,
    promises: &Promises,
    hits: &Hits,
    sample: Option<&Sample>,
) -> Result<PolicyInside> {
    // Read with the user's token: the page shows the YAML and all its content.
    let whole = cluster::error::PlaneResult::about(text::api(caller, &key.cluster).get(&key.name).await, &format!("policy {}", key.name))?;
    let (history, history_known) = history::of(caller, (&key.cluster, &key.name), &whole.metadata, promises).await;
    let (denied, warned, outdated) = (of(&hits.denied, key), of(&hits.warned, key), of(&hits.outdated, key));
    let (name, source) = (key.name.as_str(), place.as_str());
    let counts = hits.instances.get(key);
    let concerned = promises.concerned(caller, place, &policy.spec);
    let title = |home: &str, name: &str| title(caller, home, name);
    let hit = |(home, promise): &(String, String)| HitLine {
        title: title(home, promise),
        instances: counts.and_then(|counts| counts.get(&(home.clone(), promise.clone()))).copied().unwrap_or_default(),
        home: home.clone(),
        promise: promise.clone(),
    };
    Ok(PolicyInside {
        hits: concerned.iter().map(hit).collect(),
        counted_in: hits.places,
        denials: lines(caller, denied, |request| refusal(request, name, source)),
        denials_total: denied.len(),
        warned: lines(caller, warned, |request| warning(request, name, source)),
        warned_total: warned.len(),
        outdated: lines(caller, outdated, |request| changes(request, name, source)),
        outdated_total: outdated.len(),
        yaml: text::yaml(&whole),
        can_edit: caller.may(&key.cluster, Right::policy("update", &key.name)).await?,
        can_delete: caller.may(&key.cluster, Right::policy("delete", &key.name)).await?,
        referrers: promises.referring(&key.cluster, &key.name),
        history,
        history_known,
        tryout: tryout::of(caller, key, promises, sample).await?,
    })
}

/// Returns the requests of one policy.
fn of<'h>(hits: &'h BTreeMap<Key, Vec<Key>>, policy: &Key) -> &'h [Key] {
    hits.get(policy).map(Vec::as_slice).unwrap_or_default()
}

/// Returns requests as lines, newest first.
pub(super) fn lines(caller: &Caller, keys: &[Key], what: impl Fn(&PromiseRequest) -> String) -> Vec<ConcernedLine> {
    let world = &caller.portal().world;
    let tree = world.tree();
    let mut found: Vec<(&Key, Arc<PromiseRequest>)> = keys.iter().filter_map(|key| Some((key, world.requests.get(key)?))).collect();
    found.sort_by_key(|(_, request)| Reverse(request.metadata.creation_timestamp.as_ref().map(|time| time.0)));
    let line = |(key, request): &(&Key, Arc<PromiseRequest>)| {
        Some(ConcernedLine {
            workspace: tree.path(&key.cluster)?.to_string(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            what: what(request),
            at: request.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
        })
    };
    found.iter().filter_map(line).take(NAMED).collect()
}

/// Returns the outcomes of a policy's rules for a request that have this result.
fn outcomes<'r>(request: &'r PromiseRequest, name: &str, source: &str, result: PolicyResult) -> Vec<&'r PolicyOutcome> {
    let all = request.status.as_ref().map(|status| status.policies.as_slice()).unwrap_or_default();
    all.iter().filter(|outcome| outcome.result == result && outcome.policy == name && outcome.source == source).collect()
}

/// Describes why the policy blocks the request.
fn refusal(request: &PromiseRequest, name: &str, source: &str) -> String {
    let said: Vec<String> =
        outcomes(request, name, source, PolicyResult::Denied).into_iter().filter_map(|outcome| outcome.message.clone()).collect();
    if said.is_empty() { "This policy blocks the request.".to_owned() } else { said.join(" ") }
}

/// Describes what the policy reported about a request that it allowed.
fn warning(request: &PromiseRequest, name: &str, source: &str) -> String {
    let said = |outcome: &PolicyOutcome| {
        let verb = if outcome.enforcement == Enforcement::Audit { "Recorded" } else { "Warned" };
        outcome.message.as_ref().map_or_else(|| format!("{verb}."), |message| format!("{verb}: {message}"))
    };
    outcomes(request, name, source, PolicyResult::Warned).into_iter().map(said).collect::<Vec<_>>().join(" ")
}

/// Describes what this policy would change for a request if the present rules were rolled out.
fn changes(request: &PromiseRequest, name: &str, source: &str) -> String {
    let outdated = request.status.as_ref().and_then(|status| status.outdated.as_ref());
    let rules = outdated.map(|outdated| outdated.rules.as_slice()).unwrap_or_default();
    let own = rules.iter().filter(|rule| rule.policy == name && rule.source.as_deref() == Some(source));
    own.map(would_change).collect::<Vec<_>>().join(" ")
}

fn would_change(rule: &OutdatedRule) -> String {
    let became = match rule.change {
        RuleChange::Added => "New",
        RuleChange::Changed => "Changed",
        RuleChange::Removed => "No longer applies",
    };
    rule.sentence.as_ref().map_or_else(|| format!("{became}: the rule {}.", rule.rule), |says| format!("{became}: {says}"))
}

/// Returns the display name of a promise.
pub(super) fn title(caller: &Caller, home: &str, name: &str) -> String {
    let world = &caller.portal().world;
    let cluster = WorkspacePath::parse(home).ok().and_then(|home| world.tree().cluster(&home));
    let promise = cluster.and_then(|cluster| world.promises.get(&Key::cluster_scoped(&cluster, name)));
    promise.and_then(|promise| promise.spec.presentation.display_name.clone()).unwrap_or_else(|| name.to_owned())
}

/// Returns the word for what a rule does.
fn kind(rule: &Rule) -> &'static str {
    let kinds = [
        (rule.validate.is_some(), "validate"),
        (rule.constrain.is_some(), "constrain"),
        (rule.set.is_some(), "set"),
        (rule.default.is_some(), "default"),
        (rule.inject.is_some(), "inject"),
        (rule.limit.is_some(), "limit"),
        (rule.budget.is_some(), "budget"),
        (rule.approve.is_some(), "approve"),
        (rule.schedule.is_some(), "schedule"),
        (rule.window.is_some(), "window"),
    ];
    kinds.iter().find(|(there, _)| *there).map_or("no effect", |(_, kind)| kind)
}
