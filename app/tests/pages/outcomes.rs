//! Outcomes are marked as what they are: nothing looks like a success, or like a problem, that isn't one.

use crate::page;

/// Returns the states of what begins with this text, by the shapes just before it.
fn states(html: &str, text: &str) -> Vec<String> {
    let before = html.match_indices(text).map(|(at, _)| &html[..at]);
    before.filter_map(|before| before.rsplit("data-st=\"").next()?.split('"').next().map(str::to_owned)).collect()
}

#[test]
fn a_completed_rollout_that_skipped_instances_is_no_full_success() {
    for name in ["rollout-skipped", "author"] {
        assert_eq!(states(&page(name).html, "Completed with 1 skipped"), ["deleting"], "{name}");
    }
    assert!(page("rollout-skipped").html.contains("1 of 2 instances upgraded · 1 skipped"));
}

#[test]
fn a_missing_approval_is_waiting_in_the_history() {
    let html = &page("request-history").html;
    assert_eq!(states(html, "Waiting for approval (version 1.4.0)"), ["waiting"], "{html}");
    assert!(states(html, "The database is being made").contains(&"ready".to_owned()), "{html}");
}

#[test]
fn a_message_that_is_being_retried_did_not_arrive() {
    let failed = "Some messages failed after several attempts. Fix the cause, then retry them. 1 message is being retried";
    assert!(page("deliveries").html.contains(failed), "{}", page("deliveries").html);
    let html = &page("deliveries-none").html;
    assert!(html.contains("1 message is being retried after a failed attempt.") && !html.contains("No message failed"), "{html}");
}

#[test]
fn a_valid_override_is_no_warning() {
    let html = &page("emergencies").html;
    let valid = states(html, "Valid<");
    assert!(!valid.is_empty() && valid.iter().all(|state| state == "ready"), "{valid:?}: {html}");
}
