//! Events about the objects of a request, and logs of their pods.

use crate::page;

const HERE: &str = "/w/root:acme:shop/requests/default/orders-db";

#[test]
fn events_say_what_happened_to_which_object_and_how_often() {
    let html = &page("request-events").html;
    for text in ["BackOff", "7 times", "Pod/orders-db-web-1", "Back-off restarting failed container", "kubelet", "Warning", "Normal"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(html.contains("12 older events aren't shown.") || html.contains("12 older events aren&#x27;t shown."), "{html}");
    assert!(html.contains(&format!("href=\"{HERE}?view=events\" aria-current=\"page\"")), "{html}");
    let html = &page("request-events-elsewhere").html;
    assert!(html.contains("Not everything is shown") && html.contains("objects at the destination sandbox"), "{html}");
    assert!(html.contains("No recent events."), "{html}");
}

#[test]
fn a_log_is_chosen_by_links_to_pods_containers_and_the_earlier_run() {
    let html = &page("request-logs").html;
    assert!(html.contains("No log lines yet."), "nothing is invented: {html}");
    let link = format!("href=\"{HERE}?view=logs&amp;pod=orders-db-web-1\"");
    assert!(html.contains(&link), "{html}");
    assert!(!html.contains("Before the last restart"), "it hasn't restarted: {html}");
    let html = &page("request-logs-chosen").html;
    assert!(html.contains("starting\n&lt;b&gt;no&lt;/b&gt; database"), "markup in a log is text: {html}");
    for query in ["container=proxy", "container=app&amp;previous=true"] {
        assert!(html.contains(&format!("href=\"{HERE}?view=logs&amp;pod=orders-db-web-1&amp;{query}\"")), "{query}: {html}");
    }
    assert!(html.contains("CrashLoopBackOff") && html.contains("data-copy=\"code-log-of-app-in-orders-db-web-1\""), "{html}");
    assert!(page("request-logs-previous").html.contains("The last 2 lines. There might be earlier ones."));
}

#[test]
fn a_log_that_cannot_be_read_names_the_missing_permission() {
    let html = &page("request-logs-denied").html;
    assert!(html.contains("You need the permission get on pods/log in root:acme:shop."), "{html}");
    assert!(!html.contains("No log lines yet."), "{html}");
    let html = &page("request-logs-elsewhere").html;
    assert!(html.contains("only the controller has its credential") && html.contains("No pods belong to these resources yet."), "{html}");
}

#[test]
fn requests_without_pods_have_no_tab_of_logs() {
    let html = &page("request").html;
    assert!(html.contains(&format!("href=\"{HERE}?view=events\"")), "{html}");
    assert!(!html.contains(&format!("href=\"{HERE}?view=logs\"")), "{html}");
    assert!(page("request-logs").html.contains(&format!("href=\"{HERE}?view=logs\" aria-current=\"page\"")));
}
