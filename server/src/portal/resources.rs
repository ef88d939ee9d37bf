//! The port [`Resources`]: what was made for the requests that a person may list, from the inventories that the controller wrote.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use app::backend::Resources;
use async_trait::async_trait;
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use futures::{StreamExt as _, stream};
use promise::api::{ConditionStatus, Health, InventoryItem};
use promise::view::{Drift, Facet, RESOURCE_COLUMNS, ResourceQuery, ResourceRow, ResourcesPage, Whole};
use promise::{Error, Result, csv, wording};

use super::catalog::facets::facet;
use super::place::{TOGETHER, Workspace};
use super::requests::rows;
use crate::auth::Caller;

/// Rows of one page.
const PAGE: usize = 50;
/// Kinds and promises that can be chosen by a link; the others are found by search.
const CHOICES: usize = 12;

#[async_trait]
impl Resources for Caller {
    async fn resources(&self, workspace: &str, query: &ResourceQuery) -> Result<ResourcesPage> {
        let workspace = self.enter(workspace).await?;
        let all = self.made_within(workspace, query.below).await?;
        Ok(page(self, all, query))
    }

    async fn resources_csv(&self, workspace: &str, query: &ResourceQuery) -> Result<String> {
        let workspace = self.enter(workspace).await?;
        let all = self.made_within(workspace, query.below).await?;
        let wanted = Wanted::of(query);
        let all = all.that(|made| wanted.fits(made)).ordered(Made::compare);
        let mut titles = Titles::default();
        let mut text = csv::line(RESOURCE_COLUMNS);
        for made in all.items() {
            text.push_str(&csv::line(titles.row(self, made).cells()));
        }
        for path in all.total().unseen() {
            text.push_str(&csv::line([
                path.as_str(),
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "",
                "not read: the workspace did not answer",
            ]));
        }
        Ok(text)
    }
}

/// An object beside the request that it was made for.
#[derive(Clone)]
struct Made {
    workspace: Arc<Workspace>,
    request: Arc<PromiseRequest>,
    index: usize,
}

impl Made {
    /// All objects of some requests of one workspace.
    fn of(workspace: Workspace, requests: Vec<Arc<PromiseRequest>>) -> impl Iterator<Item = Self> {
        let workspace = Arc::new(workspace);
        requests.into_iter().flat_map(move |request| {
            let (workspace, count) = (workspace.clone(), request.status.as_ref().map_or(0, |status| status.inventory.len()));
            (0..count).map(move |index| Self { workspace: workspace.clone(), request: request.clone(), index })
        })
    }

    fn item(&self) -> Option<&InventoryItem> {
        self.request.status.as_ref()?.inventory.get(self.index)
    }

    fn health(&self) -> Health {
        self.item().map(|item| item.health).unwrap_or_default()
    }

    fn kind(&self) -> &str {
        self.item().map_or("", |item| item.kind.as_str())
    }

    fn promise(&self) -> &str {
        &self.request.spec.promise.name
    }

    fn instance(&self) -> &str {
        self.request.metadata.name.as_deref().unwrap_or_default()
    }

    fn namespace(&self) -> &str {
        self.request.metadata.namespace.as_deref().unwrap_or_default()
    }

    fn drift(&self) -> Drift {
        match self.item().and_then(|item| item.repairs) {
            Some(repairs) if repairs.contested => Drift::Contested(repairs.count),
            Some(repairs) => Drift::PutBack(repairs.count),
            None => {
                let conditions = self.request.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
                let compared = conditions.iter().any(|known| known.r#type == "DriftFree" && known.status != ConditionStatus::Unknown);
                if compared && self.item().is_some_and(|item| item.applied) { Drift::None } else { Drift::Unknown }
            }
        }
    }

    /// What does not work first, then where it is.
    fn compare(a: &Self, b: &Self) -> std::cmp::Ordering {
        let name = |made: &Self| made.item().map(|item| (item.kind.clone(), item.name.clone()));
        let urgency = |made: &Self| made.health().urgency();
        urgency(b)
            .cmp(&urgency(a))
            .then_with(|| a.workspace.path.as_str().cmp(b.workspace.path.as_str()))
            .then_with(|| a.instance().cmp(b.instance()))
            .then_with(|| a.namespace().cmp(b.namespace()))
            .then_with(|| name(a).cmp(&name(b)))
    }
}

/// A health as the address says it.
fn word(health: Health) -> &'static str {
    match health {
        Health::Missing => "Missing",
        Health::Degraded => "Degraded",
        Health::Unknown => "Unknown",
        Health::Progressing => "Progressing",
        Health::Healthy => "Healthy",
    }
}

impl Caller {
    /// Everything that was made for requests of a workspace, and of those below where that is wanted, as far as the person may list them.
    async fn made_within(&self, workspace: Workspace, below: bool) -> Result<Whole<Made>> {
        let as_of = self.portal().lists_as_of();
        let tops = self.list_requests(&workspace).await;
        let here = match tops {
            Ok(requests) => requests,
            // Whoever may list nothing here may still list below.
            Err(Error::Denied { .. }) if below => Vec::new(),
            Err(error) => return Err(error),
        };
        let cluster = workspace.cluster.clone();
        let mut all: Vec<Made> = Made::of(workspace, here).collect();
        let mut unseen = Vec::new();
        if below {
            let paths = self.with_requests_below(&cluster);
            let read: Vec<_> = stream::iter(paths).map(|path| self.read_within(path)).buffered(TOGETHER).collect().await;
            for (path, read) in read {
                match read {
                    Ok((workspace, requests)) => all.extend(Made::of(workspace, requests)),
                    Err(Error::Denied { .. } | Error::NotFound { .. }) => {}
                    Err(error) => {
                        tracing::warn!(%error, workspace = %path, "a workspace is missing in a list of resources");
                        unseen.push(path.to_string());
                    }
                }
            }
        }
        Ok(Whole::new(all, as_of, unseen))
    }

    /// Workspaces below one in which there are requests, whoever may see them.
    fn with_requests_below(&self, cluster: &ClusterId) -> Vec<cluster::WorkspacePath> {
        let tree = self.portal().world.tree();
        let mut paths = Vec::new();
        let mut next: Vec<ClusterId> = tree.children(cluster).map(|(_, child)| child.clone()).collect();
        while let Some(cluster) = next.pop() {
            next.extend(tree.children(&cluster).map(|(_, child)| child.clone()));
            if self.portal().has_requests(&cluster) {
                paths.extend(tree.path(&cluster));
            }
        }
        paths.sort();
        paths
    }
}

fn page(caller: &Caller, all: Whole<Made>, query: &ResourceQuery) -> ResourcesPage {
    let wanted = Wanted::of(query);
    let counted = |without: ResourceQuery, value: fn(&Made) -> &str, chosen: &str, label: &dyn Fn(&str) -> String, most| {
        let wanted = Wanted::of(&without);
        facet(all.items().iter().filter(|made| wanted.fits(made)).map(value), chosen, label, most)
    };
    let plain = |value: &str| value.to_owned();
    let kinds: Facet = counted(ResourceQuery { kind: String::new(), ..query.clone() }, Made::kind, &query.kind, &plain, CHOICES);
    let healths =
        counted(ResourceQuery { health: String::new(), ..query.clone() }, |made| word(made.health()), &query.health, &plain, usize::MAX);
    let mut titles = Titles::default();
    let promises =
        counted(ResourceQuery { promise: String::new(), ..query.clone() }, Made::promise, &query.promise, &wording::humanise, CHOICES);
    let instances: BTreeSet<_> = all.items().iter().map(|made| (made.workspace.path.as_str(), made.namespace(), made.instance())).collect();
    let (as_of, unseen) = (all.total().as_of().map(str::to_owned), all.total().unseen().to_vec());
    let instances = Whole::new(instances.into_iter().map(|_| ()).collect(), as_of, unseen).total();
    let applied = all.total_of(|made| made.item().is_some_and(|item| item.applied));
    let healthy = all.total_of(|made| made.health() == Health::Healthy);
    let broken = all.total_of(|made| matches!(made.health(), Health::Degraded | Health::Missing));
    let drifted = all.total_of(|made| made.drift().is_drifted());
    let total = all.total();
    let cut = all.that(|made| wanted.fits(made)).ordered(Made::compare).page(query.page, PAGE);
    ResourcesPage {
        rows: cut.rows.iter().map(|made| titles.row(caller, made)).collect(),
        fit: cut.total,
        all: total,
        applied,
        healthy,
        broken,
        drifted,
        instances,
        pages: cut.pages,
        kinds,
        healths,
        promises,
        query: ResourceQuery { page: cut.page, ..query.clone() },
    }
}

/// A query, made ready to be compared with many objects.
struct Wanted<'a> {
    query: &'a ResourceQuery,
    words: Vec<String>,
}

impl<'a> Wanted<'a> {
    fn of(query: &'a ResourceQuery) -> Self {
        Self { query, words: query.q.split_whitespace().map(str::to_lowercase).collect() }
    }

    fn fits(&self, made: &Made) -> bool {
        let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
        is(&self.query.kind, made.kind())
            && is(&self.query.health, word(made.health()))
            && is(&self.query.promise, made.promise())
            && (!self.query.drifted || made.drift().is_drifted())
            && (self.words.is_empty() || {
                let name = made.item().map_or("", |item| item.name.as_str());
                let texts = [name, made.kind(), made.instance(), made.promise(), made.workspace.path.as_str()].map(str::to_lowercase);
                self.words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
            })
    }
}

/// Names of promises for people, looked up once for each.
#[derive(Default)]
struct Titles(HashMap<(Option<String>, String), String>);

impl Titles {
    fn row(&mut self, caller: &Caller, made: &Made) -> ResourceRow {
        let reference = &made.request.spec.promise;
        let key = (reference.workspace.clone(), reference.name.clone());
        let title = self.0.entry(key).or_insert_with(|| rows::presentation(caller, &made.request).0).clone();
        let item = made.item().cloned().unwrap_or_default();
        ResourceRow {
            workspace: made.workspace.path.to_string(),
            request_namespace: made.namespace().to_owned(),
            instance: made.instance().to_owned(),
            promise: made.promise().to_owned(),
            promise_title: title,
            version: rows::version(&made.request),
            drift: made.drift(),
            api_version: if item.group.is_empty() { item.version } else { format!("{}/{}", item.group, item.version) },
            kind: item.kind,
            namespace: item.namespace.unwrap_or_default(),
            name: item.name,
            destination: item.destination.unwrap_or_default(),
            applied: item.applied,
            health: item.health,
            message: item.message.unwrap_or_default(),
            since: made.request.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
        }
    }
}
