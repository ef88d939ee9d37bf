//! Runs of actions: before they start, for who approves them, and in the history of their request.

use crate::page;

#[test]
fn a_form_does_not_promise_a_start_that_depends_on_approvals_or_windows() {
    let html = &page("action-wrong").html;
    assert!(html.contains("Approvals depend on the values you enter") && !html.contains("Starts right away"), "{html}");
    assert!(!page("action").html.contains("Approvals depend on"));
    let html = &page("action-bare").html;
    let sentence = "Approvers are asked right away. Once it's approved, the run waits for the window, which opens on Saturday, 28 November";
    for text in ["Waits for approval, then for a window", sentence] {
        assert!(html.contains(text) || html.contains(&text.replace('\'', "&#x27;")), "{text}: {html}");
    }
    assert!(!html.contains("A run now waits for a window"), "{html}");
}

#[test]
fn approvers_of_a_run_read_what_it_does_and_nothing_about_the_price_of_the_request() {
    let html = &page("approval-run").html;
    for text in [
        ">Restore inventory-db</h1>",
        "Approval required by",
        "Careful restores</a>",
        "Before you approve",
        "Replaces the data with that of a backup.",
        "inventory-db-backup-1 (finished",
        "href=\"/w/root:acme:shop/requests/default/inventory-db/runs/inventory-db-restore-1\">View run</a>",
        "The run is waiting for this approval",
        "Applies only to this run and its values.",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    for other in ["no longer counts", "No reason given", "€", ">Price<", "Limits and budgets", " evaluated", "price, deletion policy"] {
        assert!(!html.contains(other), "{other}: {html}");
    }
    assert!(page("approval").html.contains("Your approval from") && page("approval").html.contains("price, deletion policy"));
}

#[test]
fn lists_name_the_action_that_a_decision_is_about() {
    for name in ["approvals", "home"] {
        assert!(page(name).html.contains(">Restore · inventory-db</"), "{name}: {}", page(name).html);
    }
    let inbox = &page("approvals").html;
    let row = inbox.split(">Restore · inventory-db</b>").nth(1).and_then(|rest| rest.split("</li>").next()).expect("a row");
    assert!(row.contains("Required by Careful restores") && row.contains("PostgreSQL"), "{row}");
    assert!(!row.contains("€") && !row.contains("· change"), "a run has no price: {row}");
}

#[test]
fn the_history_links_runs_and_what_was_read_is_no_change() {
    let history = &page("request-history").html;
    let run = "<a href=\"/w/root:acme:shop/requests/default/orders-db/runs/orders-db-restore-1\">Restore succeeded</a>";
    assert!(history.contains(run) && history.contains("Password revealed"), "{history}");
    assert!(history.contains("2 earlier runs are listed in Actions"), "{history}");
    let overview = &page("request").html;
    let last = overview.split("Last change</dt>").nth(1).and_then(|rest| rest.split("</dd>").next()).expect("the figure");
    assert!(last.contains("Restore succeeded") && !last.contains("revealed"), "{last}");
}
