//! Addresses of the pages that notifications link to.

use app::routes;
use notify::Page;

/// Returns the address of a page.
pub fn of(page: &Page) -> String {
    match page {
        Page::Request { workspace, namespace, name } => routes::request(workspace, namespace, name),
        Page::Approval { uid } => routes::approval(uid),
        Page::ApprovalSince { uid, hash } => routes::approval_since(uid, hash),
        Page::Cost { workspace } => routes::cost(workspace),
        Page::Settings => routes::page::NOTIFICATION_SETTINGS.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notifications_link_to_the_page_that_they_are_about() {
        let costs = |workspace: &str| of(&Page::Cost { workspace: workspace.into() });
        assert_eq!([costs(""), costs("root:acme")], ["/cost", "/cost?workspace=root:acme"]);
        assert_eq!(of(&Page::Approval { uid: "u1".into() }), "/approvals/u1");
        assert_eq!(of(&Page::ApprovalSince { uid: "u1".into(), hash: "aa11".into() }), "/approvals/u1?since=aa11");
    }
}
