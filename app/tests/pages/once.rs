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
