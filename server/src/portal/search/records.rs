//! Results of a search as data, for programs.

use app::backend::Search as _;
use app::view::{SearchHit, SearchKind, SearchQuery, SearchTarget};
use promise::rest::{Page, SearchItem, SearchItemKind};
use promise::{Error, Problem, Result};

use crate::portal::Caller;
use crate::portal::slices::{self, Extent, Slice};

impl Caller {
    /// Returns a page of results, best first. The best are found anew for each page, so its size is that of pages for people.
    ///
    /// # Errors
    /// If there are no words, the kind isn't known, or the control plane doesn't respond.
    pub(crate) async fn find(&self, query: &SearchQuery, slice: &Slice) -> Result<Page<SearchItem>> {
        if query.q.trim().is_empty() {
            return Err(invalid("Send the words to search for in `q`.".to_owned()));
        }
        if !query.kind.is_empty() && SearchKind::parse(&query.kind).is_none() {
            let kinds: Vec<&str> = SearchKind::ALL.into_iter().map(SearchKind::word).collect();
            return Err(invalid(format!("Choose one of these for `kind`: {}.", kinds.join(", "))));
        }
        let page = slice.position::<1>()?.and_then(|[page]| page.parse::<usize>().ok()).unwrap_or(1);
        let found = self.search(&SearchQuery { page, ..query.clone() }).await?;
        let kind = SearchKind::parse(&query.kind);
        let total: usize = found.counts.iter().filter(|(known, _)| kind.is_none_or(|kind| kind == *known)).map(|(_, count)| count).sum();
        let has_more = found.query.page < found.pages;
        let next = vec![(found.query.page + 1).to_string()];
        let hits: Vec<(Vec<String>, SearchItem)> = found.hits.into_iter().map(|hit| (next.clone(), item(hit))).collect();
        let shown = hits.len();
        let extent = Extent { total, unread: found.unseen, as_of: None };
        // One item more than is returned says that there are more.
        let more = hits.last().cloned().filter(|_| has_more);
        let mut part = slices::part(extent, shown, hits.into_iter().chain(more));
        if !found.exact {
            part.total_at_least = part.total.take().or(part.total_at_least);
        }
        Ok(part)
    }
}

fn invalid(message: String) -> Error {
    Error::Invalid { problems: vec![Problem { path: String::new(), message }] }
}

fn item(hit: SearchHit) -> SearchItem {
    let SearchHit { target, title, detail, states } = hit;
    let plain = |kind: SearchItemKind, workspace: String, name: String| SearchItem {
        kind,
        workspace,
        namespace: None,
        name,
        title: title.clone(),
        detail: Some(detail.clone()).filter(|detail| !detail.is_empty()),
        state: states.map(|states| states.state),
        request: None,
        resource_kind: None,
    };
    match target {
        SearchTarget::Promise { workspace, name, .. } => plain(SearchItemKind::Promise, workspace, name),
        SearchTarget::Request { workspace, namespace, name } => {
            SearchItem { namespace: Some(namespace), ..plain(SearchItemKind::Request, workspace, name) }
        }
        SearchTarget::Resource { workspace, namespace, request, object } => SearchItem {
            namespace: Some(namespace),
            request: Some(request),
            resource_kind: Some(object.kind),
            ..plain(SearchItemKind::Resource, workspace, object.name)
        },
        SearchTarget::Workspace(path) => {
            let name = path.rsplit(':').next().unwrap_or(&path).to_owned();
            plain(SearchItemKind::Workspace, path, name)
        }
        SearchTarget::Policy { workspace, name } => plain(SearchItemKind::Policy, workspace, name),
    }
}
