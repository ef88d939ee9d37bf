//! Filters, counts and pages of the inbox.

use std::cmp::Ordering;

use app::view::{Facet, InboxColumn, InboxQuery, InboxRow};
use jiff::{SignedDuration, Timestamp};
use promise::people::PeopleNames;
use promise::risk::Risk;

use crate::portal::catalog::facets::facet;

/// Rows per page: as many as fit into the first view's budget together with the review beside them.
const PAGE: usize = 12;
/// Promises and workspaces that can be chosen by a link. The others are found by search.
const FACETS: usize = 5;

/// A page of the inbox, with what its filters count.
pub(super) struct Narrowed {
    pub(super) rows: Vec<InboxRow>,
    /// uid and subject of every row on all pages, in order.
    pub(super) order: Vec<(String, String)>,
    pub(super) page: usize,
    pub(super) pages: usize,
    pub(super) total: usize,
    pub(super) all: usize,
    pub(super) promises: Facet,
    pub(super) workspaces: Facet,
    pub(super) risks: Facet,
}

/// A query, prepared for comparison with many rows.
#[derive(Clone)]
struct Wanted<'q> {
    query: &'q InboxQuery,
    words: Vec<String>,
    /// RFC 3339 time: only what has been waiting since before it.
    before: Option<String>,
    /// Names of people, which are searched like usernames.
    names: &'q PeopleNames,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Promise,
    Workspace,
    Risk,
}

impl Wanted<'_> {
    /// Checks whether a row matches, ignoring one of the facets.
    fn fits(&self, row: &InboxRow, but: Option<By>) -> bool {
        let is = |by: By, wanted: &str, value: &str| but == Some(by) || wanted.is_empty() || wanted == value;
        is(By::Promise, &self.query.promise, &row.promise)
            && is(By::Workspace, &self.query.workspace, &row.workspace)
            && is(By::Risk, &self.query.risk, row.risk.word())
            && self.before.as_ref().is_none_or(|before| row.since < *before)
            && (self.words.is_empty() || {
                let named = self.names.of(&row.requester);
                let texts = [&row.name, &row.action, &row.promise, &row.promise_title, &row.requester, named, &row.workspace]
                    .map(str::to_lowercase);
                self.words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
            })
    }
}

fn by(column: InboxColumn, a: &InboxRow, b: &InboxRow, names: &PeopleNames) -> Ordering {
    match column {
        InboxColumn::Name => a.name.cmp(&b.name),
        InboxColumn::Since => a.since.cmp(&b.since),
        InboxColumn::Risk => a.risk.cmp(&b.risk),
        InboxColumn::Requester => names.of(&a.requester).cmp(names.of(&b.requester)),
    }
}

/// Returns the rows of a page that match, and the counts of each facet.
pub(super) fn narrow(rows: Vec<InboxRow>, query: &InboxQuery, now: Timestamp, names: &PeopleNames) -> Narrowed {
    let age = match query.age.as_str() {
        "day" => Some(SignedDuration::from_hours(24)),
        "week" => Some(SignedDuration::from_hours(7 * 24)),
        _ => None,
    };
    let before = age.and_then(|age| now.checked_sub(age).ok()).map(|time| time.to_string());
    let wanted = Wanted { query, words: query.q.split_whitespace().map(str::to_lowercase).collect(), before, names };
    let title =
        |name: &str| rows.iter().find(|row| row.promise == name && !row.promise_title.is_empty()).map(|row| row.promise_title.clone());
    let of = |by: By, value: fn(&InboxRow) -> String| {
        rows.iter().filter(|row| wanted.fits(row, Some(by))).map(value).filter(|value| !value.is_empty()).collect::<Vec<_>>()
    };
    let promises = facet(
        of(By::Promise, |row| row.promise.clone()).into_iter(),
        &query.promise,
        |name| title(name).unwrap_or_else(|| name.to_owned()),
        FACETS,
    );
    let workspaces = facet(of(By::Workspace, |row| row.workspace.clone()).into_iter(), &query.workspace, str::to_owned, FACETS);
    let risks = facet(of(By::Risk, |row| row.risk.word().to_owned()).into_iter(), &query.risk, promise::wording::humanise, Risk::ALL.len());
    let all = rows.len();
    let mut left: Vec<InboxRow> = rows.iter().filter(|row| wanted.fits(row, None)).cloned().collect();
    // Rows arrive in their usual order, which a stable sort keeps among equals.
    left.sort_by(|a, b| query.sort.compare(a, b, |column, a, b| by(column, a, b, names), |_, _| Ordering::Equal));
    let total = left.len();
    let pages = total.div_ceil(PAGE).max(1);
    let page = query.page.clamp(1, pages);
    let order = left.iter().map(|row| (row.uid.clone(), row.subject())).collect();
    let rows = left.into_iter().skip((page - 1) * PAGE).take(PAGE).collect();
    Narrowed { rows, order, page, pages, total, all, promises, workspaces, risks }
}
