//! Links to what is required first, which remember what it is needed for, and the way back.

use super::{request, request_edit, request_new, with_query};
use crate::view::NeededFor;

/// Query parameter that says what a request is needed for.
const FOR: &str = "for";

/// The form of a new request of a promise, which is needed for something else.
pub fn request_needed(workspace: &str, promise: &str, needed_for: &NeededFor) -> String {
    needed(&request_new(workspace, promise, None), Some(needed_for))
}

/// An address that remembers what the request is needed for, if it is.
pub fn needed(address: &str, needed_for: Option<&NeededFor>) -> String {
    with_query(address, &[(FOR, &needed_for.map(ToString::to_string).unwrap_or_default())])
}

/// Where the user continues once it is there.
pub fn continued(workspace: &str, needed_for: &NeededFor) -> String {
    let (page, draft) = match needed_for {
        NeededFor::Form { promise, home, draft } => (request_new(workspace, promise, home.as_deref()), draft),
        NeededFor::Request { namespace, name, draft: draft @ Some(_) } => (request_edit(workspace, namespace, name), draft),
        NeededFor::Request { namespace, name, draft } => (request(workspace, namespace, name), draft),
    };
    with_query(&page, &[("draft", draft.as_deref().unwrap_or_default())])
}

#[cfg(test)]
mod tests {
    use super::{continued, request_needed};
    use crate::view::NeededFor;

    #[test]
    fn the_way_back_leads_to_what_was_entered() {
        let draft = "0123456789abcdef".repeat(2);
        let back = |text: &str| continued("root:acme", &NeededFor::parse(text).unwrap());
        assert_eq!(back("form:web"), "/w/root:acme/promises/web/request");
        assert_eq!(
            back(&format!("form:web@root:platform/{draft}")),
            format!("/w/root:acme/promises/web/request?home=root:platform&draft={draft}")
        );
        assert_eq!(back("request:default/shop"), "/w/root:acme/requests/default/shop");
        assert_eq!(back(&format!("request:default/shop/{draft}")), format!("/w/root:acme/requests/default/shop/edit?draft={draft}"));
        let form = request_needed("root:acme", "redis", &NeededFor::parse("form:web@root:platform").unwrap());
        assert_eq!(form, "/w/root:acme/promises/redis/request?for=form:web@root:platform");
    }
}
