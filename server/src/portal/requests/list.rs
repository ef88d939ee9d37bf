//! The list of a workspace's requests: filtered, counted and paginated.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use app::backend::Drafts as _;
use app::view::{Availability, AvailabilityState, Facet, RequestColumn, RequestQuery, RequestsPage};
use cluster::kinds::PromiseRequest;
use promise::Result;
use promise::state::{RequestStates, state_label};
use promise::visibility::{self, Answer};

use super::rows;
use crate::auth::Caller;
use crate::portal::catalog::facets::facet;
use crate::portal::place::Workspace;
use crate::portal::topic::{self, Topic};

/// Rows per page.
const PAGE: usize = 50;
/// Promises that can be chosen by a link. The others are found by search.
const PROMISES: usize = 12;

/// Returns a page of the list.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, query: &RequestQuery) -> Result<RequestsPage> {
    let portal = caller.portal();
    // Taken before the list is read: the event stream reports what changes in between.
    let seen = topic::seen(caller, &Topic::requests(workspace.cluster.clone())).await?;
    let requests = caller.list_requests(workspace).await?;
    let create = create(&visibility::open(&caller.facts(workspace).await?, workspace.path.as_str()));
    let mut titles: HashMap<(Option<String>, String), Arc<str>> = HashMap::new();
    let entries = requests.into_iter().map(|request| {
        let reference = &request.spec.promise;
        let key = (reference.workspace.clone(), reference.name.clone());
        let title = titles.entry(key).or_insert_with(|| Arc::from(rows::presentation(caller, &workspace.cluster, &request).0)).clone();
        Entry { states: rows::states(&request), mine: rows::is_of(caller, &request), title, request }
    });
    let narrowed = narrow(entries.collect(), query);
    let rows = narrowed.shown.iter().map(|entry| rows::row(caller, workspace, &entry.request)).collect();
    Ok(RequestsPage {
        rows,
        total: narrowed.total,
        all: narrowed.all,
        pages: narrowed.pages,
        states: narrowed.states,
        promises: narrowed.promises,
        query: RequestQuery { page: narrowed.page, ..query.clone() },
        create,
        // The list doesn't need them.
        drafts: caller.drafts(Some(workspace.path.as_str())).await.unwrap_or_default(),
        as_of: portal.lists_as_of(),
        seen,
    })
}

/// Returns whether requests can be created here, as a page shows it.
fn create(open: &Answer) -> Availability {
    match open {
        Answer::Yes => Availability::default(),
        Answer::No { why } | Answer::Unknown { why } => Availability { state: AvailabilityState::Denied, reason: Some(why.clone()) },
    }
}

/// A request with the values it is filtered by.
struct Entry {
    request: Arc<PromiseRequest>,
    states: RequestStates,
    mine: bool,
    /// Display name of the promise.
    title: Arc<str>,
}

impl Entry {
    fn newest_first(&self, other: &Self) -> Ordering {
        Self::by(RequestColumn::Created, other, self).then_with(|| Self::by(RequestColumn::Name, self, other))
    }

    fn by(column: RequestColumn, a: &Self, b: &Self) -> Ordering {
        let (one, other) = (&a.request, &b.request);
        match column {
            RequestColumn::Name => one.metadata.name.cmp(&other.metadata.name),
            RequestColumn::Promise => a.title.cmp(&b.title),
            RequestColumn::State => a.states.state.cmp(&b.states.state),
            RequestColumn::Requester => rows::requester(one).cmp(&rows::requester(other)),
            RequestColumn::Created => one.metadata.creation_timestamp.cmp(&other.metadata.creation_timestamp),
        }
    }
}

struct Narrowed {
    /// The rows of this page, in order.
    shown: Vec<Entry>,
    page: usize,
    pages: usize,
    /// How many match.
    total: usize,
    /// How many there are.
    all: usize,
    states: Facet,
    promises: Facet,
}

fn narrow(entries: Vec<Entry>, query: &RequestQuery) -> Narrowed {
    let all = entries.len();
    let wanted = Wanted::of(query);
    let without_phase = Wanted { phase: String::new(), ..wanted.clone() };
    let without_promise = Wanted { promise: String::new(), ..wanted.clone() };
    let states = entries.iter().filter(|entry| without_phase.fits(entry)).flat_map(|entry| entry.states.words());
    let states = facet(states, &query.phase, |word| state_label(word).to_owned(), usize::MAX);
    let promises = entries.iter().filter(|entry| without_promise.fits(entry)).map(|entry| entry.request.spec.promise.name.clone());
    let title = |name: &str| {
        let of = entries.iter().find(|entry| entry.request.spec.promise.name == name);
        of.map_or_else(|| name.to_owned(), |entry| entry.title.to_string())
    };
    let promises = facet(promises, &query.promise, title, PROMISES);
    let mut left: Vec<Entry> = entries.into_iter().filter(|entry| wanted.fits(entry)).collect();
    left.sort_by(|a, b| query.sort.compare(a, b, Entry::by, Entry::newest_first));
    let total = left.len();
    let pages = total.div_ceil(PAGE).max(1);
    let page = query.page.clamp(1, pages);
    let shown = left.into_iter().skip((page - 1) * PAGE).take(PAGE).collect();
    Narrowed { shown, page, pages, total, all, states, promises }
}

/// A query, prepared for comparison with many requests.
#[derive(Clone)]
struct Wanted {
    phase: String,
    promise: String,
    mine: bool,
    words: Vec<String>,
}

impl Wanted {
    fn of(query: &RequestQuery) -> Self {
        let words = query.q.split_whitespace().map(str::to_lowercase).collect();
        Self { phase: query.phase.clone(), promise: query.promise.clone(), mine: query.mine, words }
    }

    fn fits(&self, entry: &Entry) -> bool {
        let request = &entry.request;
        let promise = &request.spec.promise.name;
        (self.phase.is_empty() || entry.states.words().any(|word| word == self.phase))
            && (self.promise.is_empty() || *promise == self.promise)
            && (!self.mine || entry.mine)
            && (self.words.is_empty() || {
                let name = request.metadata.name.as_deref().unwrap_or_default();
                let texts = [name, promise, &entry.title, &rows::requester(request)].map(str::to_lowercase);
                self.words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
            })
    }
}

#[cfg(test)]
mod tests {
    use app::view::Sort;
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{PromiseRef, PromiseRequestSpec};
    use promise::state::{ChangeState, RequestState};

    use super::*;

    fn entry(index: usize) -> Entry {
        let promise = PromiseRef { name: if index.is_multiple_of(2) { "redis" } else { "postgresql" }.into(), ..PromiseRef::default() };
        let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
        let request = object::<PromiseRequestKind>(&format!("request-{index}"), Some("default"), spec);
        let state = if index < 10 { RequestState::Failed } else { RequestState::Ready };
        let change = (index >= 100).then_some(ChangeState::AwaitingApproval);
        Entry {
            request: Arc::new(request),
            states: RequestStates { state, change },
            mine: index.is_multiple_of(3),
            title: "A title".into(),
        }
    }

    fn narrowed(query: &RequestQuery) -> Narrowed {
        narrow((0..120).map(entry).collect(), query)
    }

    #[test]
    fn a_list_is_sorted_by_a_column_before_it_is_cut_into_pages() {
        let sorted = |sort: &str| {
            let shown = narrowed(&RequestQuery { sort: Sort::parse(sort), ..RequestQuery::default() }).shown;
            shown.into_iter().filter_map(|entry| entry.request.metadata.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(sorted("name")[..3], ["request-0", "request-1", "request-10"]);
        assert_eq!(sorted("-name")[..2], ["request-99", "request-98"]);
        assert_eq!(sorted("-state")[..2], ["request-0", "request-1"], "failed ones, by name");
    }

    #[test]
    fn pages_and_counts_add_up() {
        let page = narrowed(&RequestQuery { page: 3, ..RequestQuery::default() });
        assert_eq!((page.shown.len(), page.total, page.all, page.pages), (20, 120, 120, 3));
        let beyond = narrowed(&RequestQuery { page: 99, ..RequestQuery::default() });
        assert_eq!(beyond.page, 3, "a page that is no more shows the last one");
        let failed = narrowed(&RequestQuery { phase: "Failed".into(), promise: "redis".into(), ..RequestQuery::default() });
        assert_eq!((failed.total, failed.all, failed.pages), (5, 120, 1));
        let counts: Vec<(&str, usize)> = failed.states.values.iter().map(|state| (state.label.as_str(), state.count)).collect();
        assert_eq!(counts, [("Change awaiting approval", 10), ("Failed", 5), ("Ready", 55)], "of all redis");
        let waiting = narrowed(&RequestQuery { phase: "ChangeAwaitingApproval".into(), ..RequestQuery::default() });
        assert_eq!(waiting.total, 20, "what runs is found by its pending change");
        assert_eq!(
            narrowed(&RequestQuery { q: "TITLE request-7".into(), mine: true, ..RequestQuery::default() }).total,
            3,
            "of 7 and 70 to 79"
        );
    }
}
