//! What a page says once, and of what.

use crate::page;

#[test]
fn the_page_of_a_promise_says_once_that_it_is_published() {
    let html = &page("author").html;
    let (head, _) = html.split_once("id=\"versions\"").expect("versions");
    assert_eq!(head.matches("Published").count(), 1, "{head}");
}

#[test]
fn the_cost_page_names_what_is_used_of_a_budget_and_how_long_an_instance_was_ready() {
    let html = &page("cost").html;
    assert!(html.contains("<b>€2,328.70 of €3,200.00</b>"), "{html}");
    assert!(html.contains("Time ready") && !html.contains("Not yet"), "{html}");
}

#[test]
fn the_title_of_a_page_in_a_workspace_names_it_once() {
    for (name, title) in [
        ("requests", "Requests · shop · OPM Portal"),
        ("resources", "Resources · shop · OPM Portal"),
        ("promise-used-by", "Requests that use PostgreSQL · shop · OPM Portal"),
        ("workspace", "root:acme:shop · OPM Portal"),
    ] {
        let html = &page(name).html;
        assert!(html.contains(&format!("<title>{title}</title>")), "{name}: {html}");
    }
}

#[test]
fn a_preset_is_deleted_only_after_a_confirmation() {
    let list = &page("presets").html;
    assert!(list.contains("Preset Nightly saved") && !list.contains("/do/presets/delete"), "{list}");
    assert_eq!(list.matches("Requests can start from these values").count(), 1, "{list}");
    let confirmation = &page("preset-delete").html;
    assert!(confirmation.contains("Delete the preset Nightly") && confirmation.contains("/do/presets/delete"), "{confirmation}");
    assert!(page("preset-deleted").html.contains("Preset Weekly deleted"));
    assert!(!page("preset-not-deleted").html.contains("Preset Nightly deleted"), "it is still there");
}

#[test]
fn pages_of_notifications_confirm_what_was_saved() {
    assert!(page("notification-settings-saved").html.contains("Notification settings saved"));
    assert!(!page("notification-settings").html.contains("Notification settings saved"));
    assert!(page("stand-in-saved").html.contains("Delegate saved"));
    assert!(page("stand-in-ended").html.contains("Delegation ended"));
}

#[test]
fn the_deletion_of_a_request_without_resources_promises_no_loss() {
    let html = &page("delete-bare").html;
    assert!(html.contains("only the request itself is deleted"), "{html}");
    for loss in ["is lost", "It ends a cost", "in reverse order"] {
        assert!(!html.contains(loss), "{loss}: {html}");
    }
    assert!(page("delete").html.contains("It ends a cost of"));
}
