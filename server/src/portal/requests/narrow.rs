//! Filters, counts, sorts and cuts the requests of a list, in one pass over their indexed values.

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use app::view::{Facet, RequestColumn, RequestQuery, Sort};
use cluster::watch::Key;
use jiff::civil::Date;
use promise::identity::PersonId;
use promise::state::state_label;

use super::attention::needs_attention;
use super::index::{Entry, label_title};
use crate::portal::catalog::facets::facet_of;
use crate::portal::register::{Outcome, monday};

/// Values of a facet that can be chosen by a link. The others are found by search.
const CHOICES: usize = 12;

/// A filter that a request can miss.
mod missed {
    pub(super) const PHASE: u8 = 1;
    pub(super) const PROMISE: u8 = 2;
    pub(super) const LABEL: u8 = 4;
    pub(super) const WORKSPACE: u8 = 8;
    pub(super) const ATTENTION: u8 = 16;
    /// Filters whose values aren't counted.
    pub(super) const OTHER: u8 = 32;
}

/// A request in a list.
#[derive(Clone, Copy)]
pub(super) struct Listed<'i> {
    /// Index of its workspace.
    pub(super) place: usize,
    pub(super) key: &'i Key,
    pub(super) entry: &'i Arc<Entry>,
}

/// What a list shows, and how many there are of everything that it can be filtered by.
pub(super) struct Narrowed<'i> {
    /// The matches, in no order.
    pub(super) matches: Vec<Listed<'i>>,
    /// How many there are without filters.
    pub(super) all: usize,
    /// How many of those that match the other filters need attention.
    pub(super) attention: usize,
    pub(super) states: Facet,
    pub(super) promises: Facet,
    pub(super) labels: Facet,
    pub(super) workspaces: Facet,
}

/// A query, prepared for comparison with many requests.
pub(super) struct Wanted<'q> {
    query: &'q RequestQuery,
    words: Vec<String>,
    outcome: Option<Wish>,
    week: Option<i64>,
    /// The user.
    pub(super) me: &'q PersonId,
    /// Requests that wait for the user's decision.
    pub(super) decides: HashSet<Key>,
    /// Paths of the workspaces, in lowercase.
    pub(super) paths: Vec<(String, String)>,
    /// Display names of promises, each also in lowercase.
    pub(super) titles: HashMap<String, (String, String)>,
}

/// What became of requests, as a dashboard counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Of(Outcome),
    /// Failed, degraded or rejected.
    Trouble,
    /// Something is running.
    Running,
}

impl Wish {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "ready" => Some(Self::Of(Outcome::Ready)),
            "inProgress" => Some(Self::Of(Outcome::UnderWay)),
            "rejected" => Some(Self::Of(Outcome::Rejected)),
            "lapsed" => Some(Self::Of(Outcome::Lapsed)),
            "failed" => Some(Self::Of(Outcome::Failed)),
            "trouble" => Some(Self::Trouble),
            "running" => Some(Self::Running),
            _ => None,
        }
    }

    fn fits(self, entry: &Entry) -> bool {
        match self {
            Self::Of(outcome) => entry.outcome == outcome,
            Self::Trouble => matches!(entry.outcome, Outcome::Failed | Outcome::Rejected),
            Self::Running => entry.runs(),
        }
    }
}

impl<'q> Wanted<'q> {
    /// Prepares a query of a user.
    pub(super) fn of(query: &'q RequestQuery, me: &'q PersonId) -> Self {
        let week = query.week.parse::<Date>().ok().map(|day| monday(i64::from(days(day))));
        Self {
            query,
            words: query.q.split_whitespace().map(str::to_lowercase).collect(),
            outcome: Wish::parse(&query.outcome),
            week,
            me,
            decides: HashSet::new(),
            paths: Vec::new(),
            titles: HashMap::new(),
        }
    }

    fn title(&self, promise: &str) -> (&str, &str) {
        self.titles.get(promise).map_or(("", ""), |(title, lower)| (title, lower))
    }

    fn path(&self, place: usize) -> (&str, &str) {
        self.paths.get(place).map_or(("", ""), |(path, lower)| (path, lower))
    }

    fn needs_attention(&self, listed: &Listed<'_>) -> bool {
        let entry = listed.entry;
        let waits_for_requester = entry.needy && entry.requester == *self.me;
        needs_attention(entry.outcome, waits_for_requester, self.decides.contains(listed.key))
    }

    /// Returns the filters that a request misses.
    fn missed(&self, listed: &Listed<'_>, attention: bool) -> u8 {
        let (query, entry) = (self.query, listed.entry);
        let flag = |misses: bool, flag: u8| if misses { flag } else { 0 };
        let (path, lower) = self.path(listed.place);
        let others = [self.title(entry.promise()).1, lower];
        let other = query.mine && entry.requester != *self.me
            || self.outcome.is_some_and(|wish| !wish.fits(entry))
            || self.week.is_some_and(|week| entry.week() != week)
            || !self.words.iter().all(|word| entry.has(word, others));
        flag(!query.phase.is_empty() && entry.states.words().all(|word| word != query.phase), missed::PHASE)
            | flag(!query.promise.is_empty() && entry.promise() != query.promise, missed::PROMISE)
            | flag(!query.label.is_empty() && !entry.labels.contains(&query.label), missed::LABEL)
            | flag(!query.workspace.is_empty() && path != query.workspace, missed::WORKSPACE)
            | flag(query.attention && !attention, missed::ATTENTION)
            | flag(other, missed::OTHER)
    }

    /// Checks whether a request matches.
    pub(super) fn fits(&self, listed: &Listed<'_>) -> bool {
        // Whether it needs attention matters only if that is asked for.
        self.missed(listed, self.query.attention && self.needs_attention(listed)) == 0
    }

    /// Filters and counts.
    pub(super) fn narrow<'i>(&self, listed: impl Iterator<Item = Listed<'i>>) -> Narrowed<'i> {
        let mut states: HashMap<&str, usize> = HashMap::new();
        let mut promises: HashMap<&str, usize> = HashMap::new();
        let mut labels: HashMap<&str, usize> = HashMap::new();
        let mut workspaces = vec![0_usize; self.paths.len()];
        let (mut matches, mut all, mut needy) = (Vec::new(), 0, 0);
        for listed in listed {
            all += 1;
            let attention = self.needs_attention(&listed);
            let missed = self.missed(&listed, attention);
            let counts = |filter: u8| missed & !filter == 0;
            if counts(missed::PHASE) {
                listed.entry.states.words().for_each(|word| *states.entry(word).or_default() += 1);
            }
            if counts(missed::PROMISE) {
                *promises.entry(listed.entry.promise()).or_default() += 1;
            }
            if counts(missed::LABEL) {
                listed.entry.labels.iter().for_each(|label| *labels.entry(label).or_default() += 1);
            }
            if counts(missed::WORKSPACE)
                && let Some(count) = workspaces.get_mut(listed.place)
            {
                *count += 1;
            }
            needy += usize::from(attention && counts(missed::ATTENTION));
            if missed == 0 {
                matches.push(listed);
            }
        }
        let query = self.query;
        let title = |name: &str| Some(self.title(name).0).filter(|title| !title.is_empty()).unwrap_or(name).to_owned();
        let places = self.paths.iter().zip(&workspaces).filter(|(_, count)| **count > 0).map(|((path, _), count)| (path.as_str(), *count));
        Narrowed {
            matches,
            all,
            attention: needy,
            states: facet_of(states.into_iter(), &query.phase, |word| state_label(word).to_owned(), usize::MAX),
            promises: facet_of(promises.into_iter(), &query.promise, title, CHOICES),
            labels: facet_of(labels.into_iter(), &query.label, label_title, CHOICES),
            workspaces: facet_of(places, &query.workspace, str::to_owned, CHOICES),
        }
    }

    /// Returns `most` of the matches after the first `skip`, in the order of the query. Those beyond are never sorted.
    pub(super) fn window<'i>(&self, mut matches: Vec<Listed<'i>>, skip: usize, most: usize) -> Vec<Listed<'i>> {
        let sort: Sort<RequestColumn> = self.query.sort;
        let compare = |a: &Listed<'_>, b: &Listed<'_>| sort.compare(a, b, |column, a, b| self.by(column, a, b), newest_first);
        let end = skip.saturating_add(most);
        if end < matches.len() {
            matches.select_nth_unstable_by(end, compare);
            matches.truncate(end);
        }
        matches.sort_unstable_by(compare);
        matches.split_off(skip.min(matches.len()))
    }

    fn by(&self, column: RequestColumn, a: &Listed<'_>, b: &Listed<'_>) -> Ordering {
        let (one, other) = (a.entry, b.entry);
        match column {
            RequestColumn::Name => one.name().cmp(other.name()),
            RequestColumn::Promise => self.title(one.promise()).cmp(&self.title(other.promise())),
            RequestColumn::State => one.states.state.cmp(&other.states.state),
            RequestColumn::Requester => one.requester.username().cmp(other.requester.username()),
            RequestColumn::Created => one.created.cmp(&other.created),
            RequestColumn::Price => price(one).cmp(&price(other)),
        }
    }
}

/// A price for comparison: unknown ones are the lowest, and currencies stay together.
fn price(entry: &Entry) -> Option<(&str, i64)> {
    entry.price.as_ref().map(|price| (price.currency.as_str(), price.micros))
}

fn newest_first(a: &Listed<'_>, b: &Listed<'_>) -> Ordering {
    let key = |listed: &Listed<'_>| Reverse(listed.entry.created);
    key(a).cmp(&key(b)).then_with(|| a.entry.name().cmp(b.entry.name())).then_with(|| a.key.cmp(b.key))
}

/// Returns a day as days since 1970.
fn days(day: Date) -> i32 {
    let first = Date::constant(1970, 1, 1);
    first.until(day).map_or(0, |span| span.get_days())
}

#[cfg(test)]
mod tests {
    use cluster::ClusterId;
    use cluster::kinds::{PromiseRequestKind, object};
    use promise::api::{PromiseRef, PromiseRequestSpec};
    use promise::price::Money;
    use promise::state::{ChangeState, RequestState, RequestStates};

    use super::*;

    fn entry(index: usize) -> (Key, Arc<Entry>) {
        let promise = PromiseRef { name: if index.is_multiple_of(2) { "redis" } else { "postgresql" }.into(), ..PromiseRef::default() };
        let spec = PromiseRequestSpec { promise, ..PromiseRequestSpec::default() };
        let name = format!("request-{index}");
        let mut request = object::<PromiseRequestKind>(&name, Some("default"), spec);
        request.metadata.labels = index.is_multiple_of(5).then(|| [("team".to_owned(), "shop".to_owned())].into());
        let state = if index < 10 { RequestState::Failed } else { RequestState::Ready };
        let change = (index >= 100).then_some(ChangeState::AwaitingApproval);
        let me = if index.is_multiple_of(3) { "me" } else { "someone" };
        let entry = Entry {
            states: RequestStates { state, change },
            outcome: Outcome::of(state),
            requester: PersonId::new(me, None),
            needy: index == 30 || index == 31,
            created: i64::try_from(index).unwrap() * 86_400,
            price: (index < 50).then(|| Money::new(i64::try_from(index * 37 % 50).unwrap(), "EUR")),
            ..Entry::of(&Arc::new(request))
        };
        (Key::new(ClusterId::root(), "default", name), Arc::new(entry))
    }

    fn listed<T>(query: &RequestQuery, read: impl FnOnce(&Wanted<'_>, Narrowed<'_>) -> T) -> T {
        let entries: Vec<(Key, Arc<Entry>)> = (0..120).map(entry).collect();
        let me = PersonId::new("me", None);
        let mut wanted = Wanted::of(query, &me);
        wanted.paths = ["root:acme", "root:acme:shop"].map(|path| (path.to_owned(), path.to_owned())).into();
        wanted.titles = ["redis", "postgresql"].map(|name| (name.to_owned(), ("A title".to_owned(), "a title".to_owned()))).into();
        wanted.decides = [entries[40].0.clone()].into();
        let found = wanted.narrow(entries.iter().enumerate().map(|(index, (key, entry))| Listed { place: index / 100, key, entry }));
        read(&wanted, found)
    }

    fn names(query: &RequestQuery, skip: usize, most: usize) -> Vec<String> {
        listed(query, |wanted, found| wanted.window(found.matches, skip, most).iter().map(|row| row.entry.name().to_owned()).collect())
    }

    fn total(query: &RequestQuery) -> usize {
        listed(query, |_, found| found.matches.len())
    }

    #[test]
    fn a_list_is_sorted_before_it_is_cut_into_pages() {
        let sorted = |sort: &str, skip| names(&RequestQuery { sort: Sort::parse(sort), ..RequestQuery::default() }, skip, 2);
        assert_eq!(sorted("", 0), ["request-119", "request-118"], "newest first");
        assert_eq!(sorted("", 119), ["request-0"]);
        assert_eq!(sorted("name", 1), ["request-1", "request-10"]);
        assert_eq!(sorted("-name", 0), ["request-99", "request-98"]);
        assert_eq!(sorted("-state", 0), ["request-9", "request-8"], "failed ones, newest first");
        assert_eq!(sorted("-price", 0), ["request-27", "request-4"]);
        assert_eq!(sorted("price", 70), ["request-0", "request-23"], "after those without a price");
    }

    #[test]
    fn each_facet_counts_what_choosing_one_of_its_values_leaves() {
        let query = RequestQuery { phase: "Failed".into(), promise: "redis".into(), ..RequestQuery::default() };
        let count = |facet: &Facet| facet.values.iter().map(|value| (value.label.clone(), value.count)).collect::<Vec<_>>();
        listed(&query, |_, found| {
            assert_eq!((found.matches.len(), found.all), (5, 120));
            let words = |list: &[(&str, usize)]| list.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect::<Vec<_>>();
            assert_eq!(count(&found.states), words(&[("Change awaiting approval", 10), ("Failed", 5), ("Ready", 55)]), "of all redis");
            assert_eq!(found.promises.values.iter().map(|value| value.count).collect::<Vec<_>>(), [5, 5], "of all that failed");
            assert_eq!(count(&found.labels), words(&[("team=shop", 1)]));
            assert_eq!(count(&found.workspaces), words(&[("root:acme", 5)]));
            assert_eq!(found.attention, 5);
        });
    }

    #[test]
    fn filters_narrow_together() {
        let query = RequestQuery::default;
        assert_eq!(total(&RequestQuery { phase: "ChangeAwaitingApproval".into(), ..query() }), 20, "found by the pending change");
        assert_eq!(total(&RequestQuery { q: "TITLE request-7".into(), mine: true, ..query() }), 3, "of 7 and 70 to 79");
        assert_eq!(total(&RequestQuery { label: "team=shop".into(), ..query() }), 24);
        assert_eq!(total(&RequestQuery { workspace: "root:acme:shop".into(), ..query() }), 20);
        assert_eq!(total(&RequestQuery { q: "acme:shop".into(), ..query() }), 20, "words are found in paths");
        assert_eq!(total(&RequestQuery { outcome: "failed".into(), ..query() }), 10);
        assert_eq!(total(&RequestQuery { outcome: "running".into(), ..query() }), 0);
        assert_eq!(total(&RequestQuery { outcome: "nonsense".into(), ..query() }), 120);
        // 5 January 1970 was a Monday: days 4 to 10.
        assert_eq!(total(&RequestQuery { week: "1970-01-05".into(), ..query() }), 7);
    }

    #[test]
    fn what_waits_for_the_person_or_fails_needs_attention() {
        let query = RequestQuery { attention: true, ..RequestQuery::default() };
        // Ten that failed, one of two that need their requester, one that waits for this person's decision.
        assert_eq!(total(&query), 12);
        let first = names(&query, 0, 2);
        assert_eq!(first, ["request-40", "request-30"]);
    }
}
