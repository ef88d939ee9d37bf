//! The list of policies: those that the user can read, filtered, counted and paginated.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use app::view::{Compiled, PoliciesPage, PoliciesQuery, PolicyColumn, PolicyRow};
use cluster::WorkspacePath;
use cluster::kinds::{Policy, PromiseRequest};
use cluster::watch::Key;
use promise::Result;
use promise::api::{AppliesTo, ConditionStatus, PolicySpec, PromiseSpec};
use promise::policy::sentence;
use promise::wording::{all_of, humanise};

use super::detail;
use super::hits::{self, Hits, There};
use super::promises::Promises;
use crate::portal::Caller;
use crate::portal::catalog::facets::facet;
use crate::portal::requests::decisions;

/// Rows per page.
const PAGE: usize = 50;
/// Values of a facet that can be chosen by a link.
const VALUES: usize = 12;

/// The condition in which the controller reports whether a policy can be applied.
const COMPILED: &str = "Compiled";

/// Returns a page of the list.
pub(super) async fn page(caller: &Caller, query: &PoliciesQuery) -> Result<PoliciesPage> {
    let places = caller.governing_places();
    let readable: BTreeMap<_, _> =
        caller.with_policies(places.clone(), "list").await?.into_iter().map(|(path, cluster)| (cluster, path)).collect();
    let writable = caller.with_policies(places, "create").await?.into_iter().map(|(path, _)| path.to_string()).collect();
    let (promises, hits) = (Promises::of(caller).await?, hits::count(caller).await?);
    let outdated: BTreeSet<&Key> =
        hits.outdated.iter().filter(|(policy, _)| readable.contains_key(&policy.cluster)).flat_map(|(_, requests)| requests).collect();
    let policies = caller.portal().world.policies.snapshot();
    let rows = policies.iter().filter_map(|(key, policy)| Some(row(caller, key, policy, readable.get(&key.cluster)?, &promises, &hits)));
    let mut all: Vec<PolicyRow> = rows.collect();
    all.sort_by(|a, b| query.sort.compare(a, b, by, |a, b| (&a.workspace, &a.name).cmp(&(&b.workspace, &b.name))));
    let of = |without: PoliciesQuery, chosen: &str, value: fn(&PolicyRow) -> String, label: fn(&str) -> String| {
        facet(all.iter().filter(|row| fits(row, &without)).map(value), chosen, label, VALUES)
    };
    let without = || query.clone();
    let categories = of(PoliciesQuery { category: String::new(), ..without() }, &query.category, category, humanise);
    let enforcements = of(PoliciesQuery { enforcement: String::new(), ..without() }, &query.enforcement, enforcement, strength);
    let wheres = of(PoliciesQuery { workspace: String::new(), ..without() }, &query.workspace, |row| row.workspace.clone(), str::to_owned);
    let total = all.len();
    let left: Vec<PolicyRow> = all.into_iter().filter(|row| fits(row, query)).collect();
    let (fit, pages) = (left.len(), left.len().div_ceil(PAGE).max(1));
    let there = There::of(caller);
    let number = query.page.clamp(1, pages);
    Ok(PoliciesPage {
        rows: left.into_iter().skip((number - 1) * PAGE).take(PAGE).collect(),
        fit,
        total,
        pages,
        categories,
        enforcements,
        places: wheres,
        query: PoliciesQuery { page: number, ..query.clone() },
        outdated: outdated.len(),
        priced: detail::lines(caller, &hits.priced, price),
        priced_total: hits.priced.len(),
        others: detail::lines(caller, &hits.others, |request| others(caller, &there, request)),
        others_total: hits.others.len(),
        writable,
        as_of: caller.portal().lists_as_of(),
    })
}

fn by(column: PolicyColumn, a: &PolicyRow, b: &PolicyRow) -> Ordering {
    match column {
        PolicyColumn::Title => a.title.to_lowercase().cmp(&b.title.to_lowercase()),
        PolicyColumn::Workspace => a.workspace.cmp(&b.workspace),
        PolicyColumn::Enforcement => a.enforcement.cmp(&b.enforcement),
        PolicyColumn::Instances => a.instances.cmp(&b.instances),
    }
}

/// Describes the price change of an instance.
fn price(request: &PromiseRequest) -> String {
    let price = request.status.as_ref().and_then(|status| status.outdated.as_ref()?.price.as_ref());
    price.map(decisions::price_change).unwrap_or_default()
}

/// Describes the changes of an instance's rules that belong to no existing policy.
fn others(caller: &Caller, there: &There, request: &PromiseRequest) -> String {
    let outdated = request.status.as_ref().and_then(|status| status.outdated.as_ref());
    let rules = outdated.map(|outdated| outdated.rules.as_slice()).unwrap_or_default();
    rules.iter().filter(|rule| there.of_rule(rule).is_none()).map(|rule| decisions::change(caller, rule)).collect::<Vec<_>>().join(" ")
}

/// Returns a policy as a row.
pub(super) fn row(caller: &Caller, key: &Key, policy: &Arc<Policy>, place: &WorkspacePath, promises: &Promises, hits: &Hits) -> PolicyRow {
    let spec = &policy.spec;
    let concerned = promises.concerned(caller, place, spec);
    let owner = spec.owner.as_ref().and_then(|owner| owner.team.clone());
    PolicyRow {
        workspace: place.to_string(),
        name: key.name.clone(),
        title: spec.title.clone().unwrap_or_else(|| key.name.clone()),
        sentences: sentences(caller, &spec.enabled(), &concerned),
        category: spec.category,
        enforcement: spec.enforcement,
        owner: owner.unwrap_or_default(),
        range: format!("{}, {}", promises.in_words(&spec.applies_to.promises), for_workspaces(spec, is_trusted(caller, place))),
        promises: concerned.len(),
        instances: hits.instances.get(key).map(|of| of.values().sum()).unwrap_or_default(),
        outdated: hits.outdated.get(key).map(Vec::len).unwrap_or_default(),
        compiled: compiled(policy),
    }
}

/// Describes the rules, using the labels of a promise that they apply to.
pub(super) fn sentences(caller: &Caller, spec: &PolicySpec, concerned: &BTreeSet<(String, String)>) -> Vec<String> {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let of = |(home, name): &(String, String)| {
        let cluster = tree.cluster(&WorkspacePath::parse(home).ok()?)?;
        portal.world.promises.get(&Key::cluster_scoped(&cluster, name))
    };
    // With one promise, its own labels apply. With several or none, the parameter names are used.
    let only = if concerned.len() == 1 { concerned.iter().next().and_then(of) } else { None };
    let none = PromiseSpec::default();
    let promise = only.as_ref().map_or(&none, |promise| &promise.spec);
    spec.rules.iter().map(|rule| sentence::in_scope(promise, &spec.applies_to, rule)).collect()
}

/// Checks whether policies of this workspace apply across the tree.
pub(super) fn is_trusted(caller: &Caller, place: &WorkspacePath) -> bool {
    caller.portal().trusted_homes.contains(place)
}

pub(super) fn for_workspaces(spec: &PolicySpec, trusted: bool) -> String {
    let range = &spec.applies_to;
    of_range(range, if trusted { "everywhere" } else { "its workspace and below" })
}

/// Describes the workspaces of a scope. `otherwise` describes them if the scope names none.
pub(in crate::portal) fn of_range(range: &AppliesTo, otherwise: &str) -> String {
    let place = |glob: &String| glob.strip_suffix(":**").map_or_else(|| glob.clone(), |top| format!("{top} and below"));
    let places = match range.workspaces.as_slice() {
        [] => otherwise.to_owned(),
        globs => all_of(&globs.iter().map(place).collect::<Vec<_>>()),
    };
    let labels: Vec<String> = range.workspace_labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let places = if labels.is_empty() { places } else { format!("{places}, with {}", all_of(&labels)) };
    if range.is_for_actions() { format!("{places}, for runs of {}", all_of(&range.actions)) } else { places }
}

fn compiled(policy: &Policy) -> Compiled {
    if policy.spec.is_disabled() {
        return Compiled::Off;
    }
    let condition = policy.status.as_ref().and_then(|status| status.conditions.iter().find(|condition| condition.r#type == COMPILED));
    match condition {
        Some(condition) if condition.status == ConditionStatus::True => Compiled::Yes,
        Some(condition) if condition.status == ConditionStatus::False => Compiled::No(condition.message.clone()),
        _ => Compiled::NotYet,
    }
}

fn category(row: &PolicyRow) -> String {
    row.category.word().to_owned()
}

fn enforcement(row: &PolicyRow) -> String {
    row.enforcement.word().to_owned()
}

fn strength(value: &str) -> String {
    match value {
        "block" => "Block".to_owned(),
        "warn" => "Warn".to_owned(),
        _ => "Audit".to_owned(),
    }
}

fn fits(row: &PolicyRow, query: &PoliciesQuery) -> bool {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    let text = [&row.name, &row.title, &row.owner, &row.range].map(|text| text.to_lowercase());
    let sentences = row.sentences.join(" ").to_lowercase();
    let word_fits = |word: &str| {
        let word = word.to_lowercase();
        sentences.contains(&word) || text.iter().any(|text| text.contains(&word))
    };
    is(&query.category, &category(row))
        && is(&query.enforcement, &enforcement(row))
        && is(&query.workspace, &row.workspace)
        && query.q.split_whitespace().all(word_fits)
}

#[cfg(test)]
mod tests {
    use promise::api::Enforcement;

    use super::*;

    #[test]
    fn words_and_choices_narrow_together() {
        let row = PolicyRow {
            name: "production-baseline".into(),
            sentences: vec!["Replicas must be between 2 and 5.".into()],
            enforcement: Enforcement::Block,
            workspace: "root:acme".into(),
            ..PolicyRow::default()
        };
        let query = |q: &str, enforcement: &str| PoliciesQuery { q: q.into(), enforcement: enforcement.into(), ..PoliciesQuery::default() };
        assert!(fits(&row, &query("replicas base", "block")));
        assert!(!fits(&row, &query("replicas", "warn")) && !fits(&row, &query("backup", "")));
    }

    #[test]
    fn ranges_read_as_words() {
        let spec = |workspaces: &[&str]| PolicySpec {
            applies_to: AppliesTo { workspaces: workspaces.iter().map(|text| (*text).to_owned()).collect(), ..Default::default() },
            ..PolicySpec::default()
        };
        assert_eq!(for_workspaces(&spec(&["root:acme:**"]), false), "root:acme and below");
        assert_eq!(for_workspaces(&spec(&[]), false), "its workspace and below");
        assert_eq!(for_workspaces(&spec(&[]), true), "everywhere");
    }
}
