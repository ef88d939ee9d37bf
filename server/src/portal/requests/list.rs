//! The list of a workspace's requests: narrowed, counted and cut into pages.

use promise::Result;
use promise::view::{Availability, AvailabilityState, RequestQuery, RequestRow, RequestsPage};

use super::rows;
use crate::auth::Caller;
use crate::portal::catalog::facets::facet;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;

/// Rows of one page.
const PAGE: usize = 50;

/// A page of the list.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, query: &RequestQuery) -> Result<RequestsPage> {
    let requests = caller.read_requests(workspace).await?;
    let may_create = caller.may(&workspace.cluster, Right::requests("create", "default")).await?;
    let mut rows: Vec<RequestRow> = requests.iter().map(|request| rows::row(caller, workspace, request)).collect();
    rows.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.name.cmp(&b.name)));
    Ok(narrow(rows, query, create(workspace, may_create)))
}

fn create(workspace: &Workspace, may: bool) -> Availability {
    if may {
        return Availability::default();
    }
    let reason = format!("You may look at requests in {} and not create them.", workspace.path);
    Availability { state: AvailabilityState::Denied, reason: Some(reason) }
}

fn narrow(all: Vec<RequestRow>, query: &RequestQuery, create: Availability) -> RequestsPage {
    let count = all.len();
    let without_phase = RequestQuery { phase: String::new(), ..query.clone() };
    let without_promise = RequestQuery { promise: String::new(), ..query.clone() };
    let phases: Vec<String> = all.iter().filter(|row| fits(row, &without_phase)).map(|row| format!("{:?}", row.phase)).collect();
    let phases = facet(phases.iter().map(String::as_str), &query.phase, promise::wording::humanise);
    let promises = all.iter().filter(|row| fits(row, &without_promise)).map(|row| row.promise.as_str());
    let promises = facet(promises, &query.promise, |name| {
        all.iter().find(|row| row.promise == name).map_or_else(|| name.to_owned(), |row| row.promise_title.clone())
    });
    let left: Vec<RequestRow> = all.into_iter().filter(|row| fits(row, query)).collect();
    let total = left.len();
    let pages = total.div_ceil(PAGE).max(1);
    let shown = query.page.clamp(1, pages);
    let rows = left.into_iter().skip((shown - 1) * PAGE).take(PAGE).collect();
    RequestsPage { rows, total, all: count, pages, phases, promises, query: RequestQuery { page: shown, ..query.clone() }, create }
}

fn fits(row: &RequestRow, query: &RequestQuery) -> bool {
    let text = [&row.name, &row.promise, &row.promise_title, &row.requester].map(|text| text.to_lowercase());
    (query.phase.is_empty() || format!("{:?}", row.phase) == query.phase)
        && (query.promise.is_empty() || row.promise == query.promise)
        && (!query.mine || row.mine)
        && query.q.split_whitespace().all(|word| text.iter().any(|text| text.contains(&word.to_lowercase())))
}

#[cfg(test)]
mod tests {
    use promise::api::Phase;
    use promise::sentence;

    use super::*;

    fn row(index: usize) -> RequestRow {
        RequestRow {
            workspace: "root:acme:shop".into(),
            namespace: "default".into(),
            name: format!("request-{index}"),
            promise: if index.is_multiple_of(2) { "redis" } else { "postgresql" }.into(),
            promise_title: String::new(),
            icon: String::new(),
            version: String::new(),
            phase: if index < 10 { Phase::Failed } else { Phase::Ready },
            ball: sentence::ball(None),
            requester: "dev-shop".into(),
            created: String::new(),
            mine: false,
        }
    }

    #[test]
    fn pages_and_counts_add_up() {
        let all: Vec<RequestRow> = (0..120).map(row).collect();
        let page = narrow(all.clone(), &RequestQuery { page: 3, ..RequestQuery::default() }, Availability::default());
        assert_eq!((page.rows.len(), page.total, page.all, page.pages), (20, 120, 120, 3));
        let beyond = narrow(all.clone(), &RequestQuery { page: 99, ..RequestQuery::default() }, Availability::default());
        assert_eq!(beyond.query.page, 3, "a page that is no more shows the last one");
        let failed = RequestQuery { phase: "Failed".into(), promise: "redis".into(), ..RequestQuery::default() };
        let failed = narrow(all, &failed, Availability::default());
        assert_eq!((failed.total, failed.all, failed.pages), (5, 120, 1));
        assert_eq!(failed.phases.iter().map(|phase| phase.count).sum::<usize>(), 60, "phases of all redis");
    }
}
