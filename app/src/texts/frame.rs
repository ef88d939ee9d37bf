//! Texts of the frame around every page, and of refusals.

use promise::wording::upper_first;

pub(crate) const PORTAL: &str = "OPM Portal";
pub(crate) const PORTAL_HOME: &str = "OPM Portal, home";
pub(crate) const SKIP_TO_CONTENT: &str = "Skip to content";
/// On the button of the top bar; screen readers get the longer one.
pub(crate) const REQUEST: &str = "Request";
pub(crate) const NEW_REQUEST: &str = "New request";
pub(crate) const DEMO: &str = "Demo:";
pub(crate) const NOTHING_IS_REAL: &str = "Sample people, requests and costs. Nothing real is created.";

pub(crate) const DISMISS_DEMO: &str = "Dismiss the note about the demo";

pub(crate) const WORKSPACE: &str = "Workspace";
/// After the name of the workspace, for screen readers.
pub(crate) const SWITCH_WORKSPACE: &str = ", switch workspace";

pub(crate) const THEME: &str = "Theme";
pub(crate) const MATCH_SYSTEM: &str = "Match system";
pub(crate) const LIGHT: &str = "Light";
pub(crate) const DARK: &str = "Dark";
pub(crate) const SIGN_OUT: &str = "Sign out";
pub(crate) const SESSIONS: &str = "Sessions";

pub(crate) const MAIN: &str = "Main";
pub(crate) const HOME: &str = "Home";
pub(crate) const CATALOG: &str = "Catalog";
pub(crate) const REQUESTS: &str = "Requests";
pub(crate) const RESOURCES: &str = "Resources";
pub(crate) const COST: &str = "Cost";
pub(crate) const APPROVALS: &str = "Approvals";
pub(crate) const WORKSPACES: &str = "Workspaces";
pub(crate) const ALL_WORKSPACES: &str = "All workspaces";
pub(crate) const PLATFORM: &str = "Platform";
pub(crate) const MORE: &str = "More";
/// After the count of approvals, for screen readers.
pub(crate) const WAITING: &str = " waiting";

pub(crate) const SIGN_IN_TO_CONTINUE: &str = "Sign in to continue";
pub(crate) const CONFIRM_THAT_ITS_YOU: &str = "Confirm that it's you";
pub(crate) const EARLIER_SIGN_IN: &str = "You signed in again";
pub(crate) const EARLIER_SIGN_IN_TEXT: &str =
    "You opened this form before you signed in again, so it wasn't submitted. Open it again and submit it.";
pub(crate) const OPEN_AGAIN: &str = "Open the form again";
pub(crate) const NOT_ALLOWED: &str = "Not allowed";
pub(crate) const NOT_FOUND: &str = "Not found";
pub(crate) const NOT_ENABLED: &str = "Not enabled";
pub(crate) const CHECK_YOUR_INPUT: &str = "Check your input";
pub(crate) const CHANGED_BY_SOMEONE_ELSE: &str = "Changed by someone else";
pub(crate) const NO_RESPONSE: &str = "No response";
pub(crate) const NOT_READY_YET: &str = "Not ready yet";
pub(crate) const TOO_MANY_REQUESTS: &str = "Too many requests";
pub(crate) const TIMED_OUT: &str = "Timed out";
pub(crate) const TOO_LARGE: &str = "Too large";
pub(crate) const SOMETHING_WENT_WRONG: &str = "Something went wrong";
pub(crate) const NOT_SIGNED_IN: &str = "You aren't signed in, or your session has ended. Sign in to return to this page.";

pub(crate) const BACK: &str = "Back";
pub(crate) const SIGN_IN: &str = "Sign in";
pub(crate) const TRY_AGAIN: &str = "Try again";

/// What [`not_found`] and [`no_response`] are about on the page of refusals.
pub(crate) const MESSAGE_AT_THIS_ADDRESS: &str = "message at this address";
pub(crate) const DATABASE: &str = "the portal's database";
pub(crate) const INVALID_QUERY: &str = "The query of this address (after the “?”) isn't valid. Remove it, or open the page from a link.";

/// The title of the document; `workspace` is the name of the workspace that the page is in.
pub(crate) fn document_title(page: &str, workspace: Option<&str>) -> String {
    match workspace {
        Some(workspace) => format!("{page} · {workspace} · {PORTAL}"),
        None => format!("{page} · {PORTAL}"),
    }
}

/// The link to notifications, for screen readers.
pub(crate) fn notifications(unread: Option<u64>) -> String {
    match unread {
        Some(0) => "Notifications, nothing new".to_owned(),
        Some(count) => format!("Notifications, {count} new"),
        None => "Notifications".to_owned(),
    }
}

/// The account menu, for screen readers.
pub(crate) fn account_menu(initials: &str, person: &str) -> String {
    format!("{initials}, account of {person}")
}

pub(crate) fn signed_in_as(person: &str) -> String {
    format!("Signed in as {person}")
}

pub(crate) fn not_found(what: &str) -> String {
    format!("There's no {what} that you can see. It might have been deleted, or the link might be wrong.")
}

pub(crate) fn not_enabled(what: &str) -> String {
    format!("The API of {what} isn't enabled in this workspace. Ask a workspace admin to enable it.")
}

pub(crate) fn no_response(what: &str) -> String {
    format!("{} didn't respond. Try again in a moment.", upper_first(what))
}

/// A defect of the portal; the log has it under the ID.
pub(crate) fn portal_error(id: &str) -> String {
    format!("The portal ran into an unexpected error. The platform team can find it in the log under the ID {id}.")
}
