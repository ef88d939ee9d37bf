//! Texts of the search and of the page of keyboard shortcuts.

use promise::wording::counted;

use crate::view::SearchKind;

pub(crate) const WORKSPACE_OVERVIEW: &str = "Workspace overview";
pub(crate) const SEARCH: &str = "Search";
pub(crate) const SEARCH_EVERYTHING: &str = "Search everything";
pub(crate) const PLACEHOLDER: &str = "Promise, request, resource or page";
pub(crate) const KIND: &str = "Kind";
pub(crate) const START_TITLE: &str = "Find anything you can see";
pub(crate) const START_TEXT: &str =
    "Search for promises, requests, resources, workspaces, policies and pages. Small typing mistakes don't matter.";
pub(crate) const NOTHING: &str = "Nothing matches";
pub(crate) const TRY_FEWER_WORDS: &str = "Try fewer or other words. Search finds only what you can list.";
pub(crate) const SEARCH_ALL_KINDS: &str = "Search all kinds";
pub(crate) const COMMANDS: &str = "Commands";
pub(crate) const RESULTS: &str = "Results";
pub(crate) const RECENT: &str = "Recent workspaces";
pub(crate) const FAVOURITES: &str = "Favourites";
pub(crate) const ADD_FAVOURITE: &str = "Add to favourites";
pub(crate) const REMOVE_FAVOURITE: &str = "Remove from favourites";
pub(crate) const REQUEST: &str = "Request";
pub(crate) const ALL_RESULTS: &str = "Show all results";

pub(crate) const NOTIFICATION_SETTINGS: &str = "Notification settings";
pub(crate) const NOTIFICATIONS: &str = "Notifications";
pub(crate) const DELEGATE: &str = "Delegate";
pub(crate) const POLICIES: &str = "Policies";
pub(crate) const PROMISES: &str = "Promises";
pub(crate) const OVERVIEW: &str = "Platform overview";
pub(crate) const LIGHT_THEME: &str = "Use the light theme";
pub(crate) const DARK_THEME: &str = "Use the dark theme";
pub(crate) const SYSTEM_THEME: &str = "Use the system's theme";

pub(crate) const KEYBOARD: &str = "Keyboard shortcuts";
pub(crate) const KEYBOARD_NEEDS_SCRIPT: &str =
    "Shortcuts work while no field has the focus, and only with JavaScript. Everything they do is also a link or a button.";
pub(crate) const KEY: &str = "Key";
pub(crate) const ACTION: &str = "Action";
pub(crate) const EVERYWHERE: &str = "Everywhere";
pub(crate) const IN_APPROVALS: &str = "In Approvals";
pub(crate) const ON_GRAPHS: &str = "On a graph";
/// The command that opens a workspace.
pub(crate) fn open_workspace(path: &str) -> String {
    format!("Open workspace {path}")
}

pub(crate) const OPEN_SEARCH: &str = "Search and commands";
pub(crate) const SHOW_SHORTCUTS: &str = "Keyboard shortcuts";
pub(crate) const NEXT_ROW: &str = "Next request";
pub(crate) const PREVIOUS_ROW: &str = "Previous request";
pub(crate) const TO_APPROVE: &str = "Go to Approve";
pub(crate) const TO_REJECT: &str = "Go to Reject";
pub(crate) const TO_REQUEST_CHANGES: &str = "Go to Request changes";
pub(crate) const ZOOM_IN: &str = "Zoom in";
pub(crate) const ZOOM_OUT: &str = "Zoom out";
pub(crate) const ZOOM_RESET: &str = "Actual size";

pub(crate) fn kind(kind: SearchKind) -> &'static str {
    match kind {
        SearchKind::Promise => "Promises",
        SearchKind::Request => "Requests",
        SearchKind::Resource => "Resources",
        SearchKind::Workspace => "Workspaces",
        SearchKind::Policy => "Policies",
    }
}

/// One of a kind, beside its name.
pub(crate) fn one_of(kind: SearchKind) -> &'static str {
    match kind {
        SearchKind::Promise => "Promise",
        SearchKind::Request => "Request",
        SearchKind::Resource => "Resource",
        SearchKind::Workspace => "Workspace",
        SearchKind::Policy => "Policy",
    }
}

/// How many results there are. A count that isn't exact is a lower bound.
pub(crate) fn results(count: usize, exact: bool) -> String {
    if exact { counted(count as u64, "result") } else { format!("At least {}", counted(count as u64, "result")) }
}

/// Starts the form of a promise.
pub(crate) fn request(title: &str) -> String {
    format!("Request {title}")
}

pub(crate) fn results_for(words: &str) -> String {
    format!("Search for “{words}”")
}

/// Workspaces whose objects are missing because they didn't respond.
pub(crate) fn incomplete(workspaces: &[String]) -> String {
    format!("Some results are missing because these workspaces didn't respond: {}.", workspaces.join(", "))
}

pub(crate) fn go_to(page: &str) -> String {
    format!("Go to {page}")
}
