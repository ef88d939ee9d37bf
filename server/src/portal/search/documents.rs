//! What can be found of each kind of object, and by which words.

use app::view::SearchKind;
use cluster::kinds::{Policy, Promise, PromiseRequest};
use cluster::person;
use cluster::workspaces::Node;

use super::matching::words;

/// A document, before it is added to the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) kind: SearchKind,
    /// Index of a resource in the inventory of its request; 0 for everything else.
    pub(super) part: usize,
    /// The name that it is listed by.
    pub(super) name: String,
    /// Further words, such as the title of a promise.
    pub(super) others: Vec<String>,
}

impl Text {
    fn of(kind: SearchKind, name: &str, others: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let others = others.into_iter().flat_map(|text| words(text.as_ref()).collect::<Vec<_>>()).collect();
        Self { kind, part: 0, name: name.to_lowercase(), others }
    }
}

/// Returns the request and its resources.
pub(super) fn of_request(request: &PromiseRequest) -> Vec<Text> {
    let name = request.metadata.name.as_deref().unwrap_or_default();
    let labels = request.metadata.labels.iter().flatten().map(|(_, value)| value.as_str());
    let requester = person::requester(request);
    let others = [request.spec.promise.name.as_str(), requester.username()].into_iter().chain(labels);
    let own = Text::of(SearchKind::Request, name, others);
    let inventory = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
    let resources = inventory.iter().enumerate().map(|(part, item)| {
        let destination = item.destination.as_deref().unwrap_or_default();
        Text { part, ..Text::of(SearchKind::Resource, &item.name, [item.kind.as_str(), destination]) }
    });
    std::iter::once(own).chain(resources).collect()
}

/// Checks whether two versions of a request are found by the same words. Most changes are changes of status.
pub(super) fn same_request(one: &PromiseRequest, other: &PromiseRequest) -> bool {
    let items = |of: &PromiseRequest| of.status.as_ref().map(|status| status.inventory.len()).unwrap_or_default();
    let named = |of: &PromiseRequest, at: usize| {
        let item = of.status.as_ref().and_then(|status| status.inventory.get(at));
        item.map(|item| (item.kind.clone(), item.name.clone(), item.destination.clone()))
    };
    one.spec.promise.name == other.spec.promise.name
        && one.metadata.labels == other.metadata.labels
        && items(one) == items(other)
        && (0..items(one)).all(|at| named(one, at) == named(other, at))
}

/// Returns a promise.
pub(super) fn of_promise(promise: &Promise) -> Text {
    let presentation = &promise.spec.presentation;
    let texts = [&presentation.display_name, &presentation.summary, &presentation.category].into_iter().flatten();
    let tags = &presentation.tags;
    Text::of(SearchKind::Promise, promise.metadata.name.as_deref().unwrap_or_default(), texts.chain(tags))
}

/// Returns a policy.
pub(super) fn of_policy(policy: &Policy) -> Text {
    let rules = policy.spec.rules.iter().map(|rule| rule.name.as_str());
    let owner = policy.spec.owner.as_ref().and_then(|owner| owner.team.as_deref());
    let texts = [policy.spec.title.as_deref(), owner].into_iter().flatten();
    Text::of(SearchKind::Policy, policy.metadata.name.as_deref().unwrap_or_default(), texts.chain(rules))
}

/// Returns a workspace.
pub(super) fn of_workspace(node: &Node) -> Text {
    Text::of(SearchKind::Workspace, node.path.name(), [node.path.as_str()])
}
