//! The list of promises: those in workspaces where the user can list promises, filtered, counted and paginated.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use app::view::{PromiseColumn, PromiseRow, PromisesPage, PromisesQuery, PublishState};
use cluster::kinds::Promise;
use cluster::watch::Key;
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::Result;
use promise::api::ConditionStatus;
use promise::wording::humanise;

use crate::portal::Caller;
use crate::portal::authoring;
use crate::portal::catalog::facets::facet;
use crate::portal::place::TOGETHER;
use crate::portal::rights::Right;

/// Rows per page.
const PAGE: usize = 50;
/// Values of a facet that can be chosen by a link.
const VALUES: usize = 12;
/// The condition in which the controller reports whether the present version is published.
const PUBLISHED: &str = "Published";

/// Returns a page of the list.
pub(super) async fn page(caller: &Caller, query: &PromisesQuery) -> Result<PromisesPage> {
    let promises = caller.portal().world.promises.snapshot();
    let mut homes: Vec<ClusterId> = promises.keys().map(|key| key.cluster.clone()).collect();
    homes.dedup();
    let readable = readable(caller, homes).await?;
    let rows = promises.iter().filter_map(|(key, promise)| Some(row(key, promise, readable.get(&key.cluster)?)));
    let mut all: Vec<PromiseRow> = rows.collect();
    all.sort_by(|a, b| query.sort.compare(a, b, by, |a, b| (&a.workspace, &a.name).cmp(&(&b.workspace, &b.name))));
    let without = || query.clone();
    let of = |without: PromisesQuery, chosen: &str, value: fn(&PromiseRow) -> String, label: fn(&str) -> String| {
        facet(all.iter().filter(|row| matches(row, &without)).map(value), chosen, label, VALUES)
    };
    let places = of(PromisesQuery { workspace: String::new(), ..without() }, &query.workspace, |row| row.workspace.clone(), str::to_owned);
    let lifecycles = of(PromisesQuery { lifecycle: String::new(), ..without() }, &query.lifecycle, lifecycle, humanise);
    let states = of(PromisesQuery { state: String::new(), ..without() }, &query.state, state, humanise);
    let total = all.len();
    let left: Vec<PromiseRow> = all.into_iter().filter(|row| matches(row, query)).collect();
    let (fit, pages) = (left.len(), left.len().div_ceil(PAGE).max(1));
    let number = query.page.clamp(1, pages);
    Ok(PromisesPage {
        can_create: authoring::can_create(caller).await?,
        rows: left.into_iter().skip((number - 1) * PAGE).take(PAGE).collect(),
        fit,
        total,
        pages,
        places,
        lifecycles,
        states,
        query: PromisesQuery { page: number, ..query.clone() },
        as_of: caller.portal().lists_as_of(),
    })
}

/// Returns those workspaces in which the user can list promises, by path.
async fn readable(caller: &Caller, homes: Vec<ClusterId>) -> Result<BTreeMap<ClusterId, WorkspacePath>> {
    let tree = caller.portal().world.tree();
    let places = homes.into_iter().filter_map(|home| Some((tree.path(&home)?, home)));
    let asked = stream::iter(places).map(|(path, home)| async move {
        let can = caller.may(&home, Right::promises("list")).await?;
        Ok::<_, promise::Error>(can.then_some((home, path)))
    });
    let answers: Vec<Option<(ClusterId, WorkspacePath)>> = asked.buffered(TOGETHER).try_collect().await?;
    Ok(answers.into_iter().flatten().collect())
}

fn row(key: &Key, promise: &Arc<Promise>, place: &WorkspacePath) -> PromiseRow {
    let (spec, presentation) = (&promise.spec, &promise.spec.presentation);
    let status = promise.status.as_ref();
    PromiseRow {
        workspace: place.to_string(),
        name: key.name.clone(),
        title: presentation.display_name.clone().unwrap_or_else(|| key.name.clone()),
        icon: presentation.icon.clone().unwrap_or_default(),
        version: spec.version.clone(),
        team: presentation.maintainer.as_ref().and_then(|maintainer| maintainer.team.clone()).unwrap_or_default(),
        lifecycle: spec.lifecycle,
        state: published(promise),
        instances: status.map(|status| u64::try_from(status.instances).unwrap_or_default()).unwrap_or_default(),
        created: promise.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
    }
}

/// Returns what the controller reported about the present generation.
pub(in crate::portal) fn published(promise: &Promise) -> PublishState {
    let status = promise.status.as_ref().filter(|status| Some(status.observed_generation) == promise.metadata.generation);
    let condition = status.and_then(|status| status.conditions.iter().find(|condition| condition.r#type == PUBLISHED));
    match condition {
        Some(condition) if condition.status == ConditionStatus::True => PublishState::Published,
        Some(condition) if condition.status == ConditionStatus::False => PublishState::Refused(condition.message.clone()),
        _ => PublishState::Pending,
    }
}

fn by(column: PromiseColumn, a: &PromiseRow, b: &PromiseRow) -> Ordering {
    match column {
        PromiseColumn::Title => a.title.to_lowercase().cmp(&b.title.to_lowercase()),
        PromiseColumn::Workspace => a.workspace.cmp(&b.workspace),
        PromiseColumn::Lifecycle => a.lifecycle.cmp(&b.lifecycle),
        PromiseColumn::State => a.state.word().cmp(b.state.word()),
        PromiseColumn::Instances => a.instances.cmp(&b.instances),
        PromiseColumn::Created => a.created.cmp(&b.created),
    }
}

fn lifecycle(row: &PromiseRow) -> String {
    row.lifecycle.word().to_owned()
}

fn state(row: &PromiseRow) -> String {
    row.state.word().to_owned()
}

fn matches(row: &PromiseRow, query: &PromisesQuery) -> bool {
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    let texts = [&row.name, &row.title, &row.team, &row.workspace].map(|text| text.to_lowercase());
    let has = |word: &str| texts.iter().any(|text| text.contains(&word.to_lowercase()));
    is(&query.workspace, &row.workspace)
        && is(&query.lifecycle, row.lifecycle.word())
        && is(&query.state, row.state.word())
        && query.q.split_whitespace().all(has)
}

#[cfg(test)]
mod tests {
    use promise::api::Lifecycle;

    use super::*;

    #[test]
    fn words_and_choices_narrow_together() {
        let row = PromiseRow {
            name: "postgresql".into(),
            title: "PostgreSQL database".into(),
            workspace: "root:platform".into(),
            lifecycle: Lifecycle::Published,
            state: PublishState::Refused("Two outputs have one name.".into()),
            ..PromiseRow::default()
        };
        let query = |q: &str, state: &str| PromisesQuery { q: q.into(), state: state.into(), ..PromisesQuery::default() };
        assert!(matches(&row, &query("Database platform", "refused")));
        assert!(!matches(&row, &query("database", "published")) && !matches(&row, &query("redis", "")));
        assert!(!matches(&row, &PromisesQuery { lifecycle: "retired".into(), ..PromisesQuery::default() }));
    }
}
