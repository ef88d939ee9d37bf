//! What holds for every page, whatever it shows.
#![expect(clippy::expect_used, reason = "a test ends at the first surprise")]

mod every;
mod once;
mod outcomes;
mod required;
mod runs;
mod troubleshooting;
mod world;

use std::sync::LazyLock;

use every::Rendered;

/// Every page, rendered once.
static PAGES: LazyLock<Vec<(&'static str, Rendered)>> = LazyLock::new(every::every);

fn each(check: impl Fn(&str, &Rendered)) {
    assert!(PAGES.len() > 20, "{} pages", PAGES.len());
    for (name, page) in &*PAGES {
        check(name, page);
    }
}

fn page(name: &str) -> &'static Rendered {
    &PAGES.iter().find(|(known, _)| *known == name).expect(name).1
}

/// Start tags of an element, as written.
fn tags<'h>(html: &'h str, element: &str) -> Vec<&'h str> {
    let starts = [format!("<{element} "), format!("<{element}>")];
    html.match_indices('<')
        .map(|(at, _)| &html[at..])
        .filter(|rest| starts.iter().any(|start| rest.starts_with(start)))
        .map(|rest| &rest[..=rest.find('>').unwrap_or(rest.len() - 1)])
        .collect()
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

#[test]
fn every_page_has_a_title_a_language_one_heading_and_one_main() {
    each(|name, page| {
        assert!(page.html.starts_with("<!DOCTYPE html><html lang=\"en\""), "{name}");
        let title = page.html.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
        assert!(title.ends_with(" · OPM Portal") && title.len() > " · OPM Portal".len(), "{name}: {title}");
        assert_eq!(tags(&page.html, "h1").len(), 1, "{name}");
        assert_eq!(tags(&page.html, "main").len(), 1, "{name}");
    });
}

#[test]
fn nothing_needs_an_exception_of_the_content_security_policy() {
    each(|name, page| {
        for forbidden in [" style=\"", "<style", " onclick=", " onload=", " onsubmit=", "javascript:"] {
            assert!(!page.html.contains(forbidden), "{name} has {forbidden}");
        }
        for script in tags(&page.html, "script") {
            assert_eq!(attribute(script, "nonce"), Some("nonce"), "{name}: {script}");
        }
    });
}

#[test]
fn every_post_carries_the_form_token() {
    each(|name, page| {
        for form in page.html.split("<form ").skip(1) {
            let form = form.split("</form>").next().unwrap_or_default();
            if form.split('>').next().is_some_and(|start| start.contains("method=\"post\"")) {
                assert!(
                    form.contains("form-token\"") || form.contains("sign-in-token\""),
                    "{name}: {}",
                    form.split('>').next().unwrap_or_default()
                );
            }
        }
    });
}

#[test]
fn every_id_stands_once_and_every_reference_leads_to_one() {
    each(|name, page| {
        let all: Vec<&str> = page
            .html
            .match_indices(" id=\"")
            .map(|(at, start)| page.html[at + start.len()..].split('"').next().unwrap_or_default())
            .collect();
        for id in &all {
            assert_eq!(all.iter().filter(|other| *other == id).count(), 1, "{name}: id {id}");
        }
        for reference in ["for", "aria-describedby", "aria-labelledby", "list"] {
            for (at, start) in page.html.match_indices(&format!(" {reference}=\"")) {
                for id in page.html[at + start.len()..].split('"').next().unwrap_or_default().split(' ') {
                    assert!(all.contains(&id), "{name}: {reference} names {id}, which is not there");
                }
            }
        }
        for (at, start) in page.html.match_indices(" href=\"#") {
            let id = page.html[at + start.len()..].split('"').next().unwrap_or_default();
            assert!(id.is_empty() || all.contains(&id), "{name}: a link leads to #{id}, which is not there");
        }
    });
}

#[test]
fn every_input_has_a_name_for_screen_readers() {
    each(|name, page| {
        let labels: Vec<&str> = tags(&page.html, "label").iter().filter_map(|tag| attribute(tag, "for")).collect();
        for input in ["input", "select", "textarea"].iter().flat_map(|element| tags(&page.html, element)) {
            let named = input.contains("type=\"hidden\"")
                || attribute(input, "aria-label").is_some()
                || attribute(input, "id").is_some_and(|id| labels.contains(&id))
                || wrapped(&page.html, input);
            assert!(named, "{name}: {input}");
        }
    });
}

/// Whether the input stands inside a label.
fn wrapped(html: &str, input: &str) -> bool {
    html.find(input).is_some_and(|at| {
        let before = &html[..at];
        before.rfind("<label").is_some_and(|open| before.rfind("</label>").is_none_or(|close| open > close))
    })
}

#[test]
fn refusals_say_their_status() {
    for (name, status) in [
        ("signed-out", 401),
        ("denied", 403),
        ("not-found", 404),
        ("unreachable", 503),
        ("not-read-yet", 503),
        ("delete-wrong", 422),
        ("home", 200),
    ] {
        assert_eq!(page(name).status, status, "{name}");
    }
}

#[test]
fn who_is_not_signed_in_is_told_what_is_really_wrong() {
    assert!(page("signed-out").html.contains("You aren't signed in"));
    let html = &page("unreachable-signed-out").html;
    assert!(html.contains("The database didn't respond") && !html.contains("signed in"), "{html}");
    assert!(page("our-mistake").html.contains("5f3a9c0211d84e7b"), "the id that the log has");
}

#[test]
fn what_nobody_may_list_or_could_read_is_not_said_to_be_nothing() {
    let says = |name: &str, said: &[&str], unsaid: &[&str]| {
        let html = &page(name).html;
        said.iter().for_each(|text| assert!(html.contains(text), "{name} says {text}: {html}"));
        unsaid.iter().for_each(|text| assert!(!html.contains(text), "{name} does not say {text}: {html}"));
    };
    says("resources-denied", &["You can't view resources here", "View child workspaces"], &[]);
    says("resources-denied-below", &["You can't view resources here"], &["View child workspaces", "No resources yet"]);
    says("resources-empty", &["Nothing here", "3 resources in child workspaces"], &[]);
    says("resources-unread", &["root:acme:data didn't respond", "Resources couldn't be loaded"], &["No resources yet"]);
    says("overview-empty", &["No requests yet"], &[]);
    says("overview-closed", &["You can't see requests in any workspace"], &["No requests yet"]);
    says("home-empty", &["all caught up", "have access to any workspaces", "No requests yet"], &["No response from"]);
    says(
        "home-unanswered",
        &[
            "No response from root:acme:lab and some other workspaces",
            "We can't tell right now whether anything needs your attention",
            "Your access to the platform pages couldn't be checked: the plane does not answer.",
        ],
        &["all caught up", "have access to any workspaces", "No requests yet"],
    );
    says("home-stale", &["At least 1 request needs attention."], &["all caught up"]);
    says("emergencies-unseen", &["At least 2 emergency approvals in the last 30 days", "2 workspaces didn't respond"], &[]);
    says("not-read-yet", &["Not ready yet", "Requests are still loading"], &[]);
}

#[test]
fn who_approves_reads_all_that_is_approved() {
    for name in ["approval", "approvals"] {
        let html = &page(name).html;
        assert!(html.contains("its values, version, policies, price, deletion policy, expiry and upgrades."), "{name}: {html}");
    }
}

#[test]
fn a_deletion_says_what_becomes_of_what_was_made() {
    assert!(page("delete").html.contains("It deletes these resources, in reverse order of their creation:"));
    let html = &page("delete-unagreed").html;
    assert!(html.contains("which isn't approved yet. If keeping them needs an approval, these resources are deleted anyway"), "{html}");
}

#[test]
fn a_filter_counts_what_it_would_leave() {
    let html = &page("resources-below").html;
    assert!(html.contains("<dt>Drifted</dt><dd><b>at least 2</b>"), "of all: {html}");
    assert!(html.contains("Drifted<span class=\"n\">at least 1</span>"), "of the kind that is chosen: {html}");
}

#[test]
fn a_workspace_is_chosen_as_everything_else_that_narrows_a_list() {
    let (html, label) = (&page("resources-below").html, "<span class=\"chip-label\">Workspace</span>");
    assert!(html.contains(label), "{html}");
    let links: Vec<String> = tags(html, "a").iter().filter_map(|tag| attribute(tag, "href")).map(decoded).collect();
    let has = |link: &str| links.iter().any(|known| known == link);
    let list = "/w/root:acme:shop/resources?kind=Cluster";
    assert!(has(&format!("{list}&workspace=root:acme:shop&below=true")), "another one: {links:?}");
    assert!(has(&format!("{list}&below=true")), "none: {links:?}");
    assert!(has(&format!("{list}&workspace=root:acme:data&below=true&page=2")), "the next page: {links:?}");
    assert!(has("/w/root:acme:shop/resources.csv?kind=Cluster&workspace=root:acme:data&below=true"), "the file: {links:?}");
    assert!(has(list), "this workspace alone: {links:?}");
    let kept = tags(html, "input").into_iter().filter(|tag| attribute(tag, "name") == Some("workspace"));
    assert!(kept.clone().count() > 0 && kept.clone().all(|tag| attribute(tag, "value") == Some("root:acme:data")), "a search keeps it");
    assert!(!page("resources").html.contains(label), "one workspace is no choice");
}

/// An address as the browser reads it.
fn decoded(href: &str) -> String {
    href.replace("&amp;", "&").replace("%3A", ":")
}

#[test]
fn a_wrong_form_says_so_first() {
    let html = &page("request-error").html;
    assert!(html.contains("<title>Error: "), "title");
    let (summary, heading) = (html.find("There is a problem").expect("summary"), html.find("<h1").expect("heading"));
    assert!(summary < heading, "the summary stands before the heading");
    assert!(html.matches("Storage: enter a whole number").count() >= 2, "summary and field use the same words");
    assert!(html.contains("value=\"plenty\""), "what was typed is kept");
}

#[test]
fn who_may_not_submit_reads_why() {
    for name in ["request-viewer", "promise-viewer"] {
        let html = &page(name).html;
        assert!(html.contains("aria-disabled=\"true\"") && html.contains("can look, not ask"), "{name}");
    }
}

#[test]
fn what_has_to_be_changed_is_told_once_and_leads_to_its_input() {
    let html = &page("request-refused").html;
    assert_eq!(html.matches("Storage: enter a whole number").count(), 1);
    let link = "<a href=\"/w/root:acme:shop/requests/default/orders-db/edit#f-storage\">Storage: enter a whole number</a>";
    assert!(html.contains(link), "{html}");
    let html = &page("request-refused-viewer").html;
    assert!(html.contains("Storage: enter a whole number") && !html.contains("/edit#"), "who may not change it is not sent there");
}

#[test]
fn a_secret_that_cannot_be_revealed_says_why() {
    let reveal = |name: &str| page(name).html.matches("action=\"/do/requests/reveal\"").count();
    assert_eq!((reveal("request"), reveal("request-viewer-detail")), (2, 0), "two are there, one is not there yet");
    assert!(page("request").html.contains("Not available yet"));
}

#[test]
fn a_secret_is_shown_by_its_reveal_alone() {
    assert!(!page("request").html.contains("s3cret-value"));
    assert!(page("request-revealed").html.contains("s3cret-value"));
}

#[test]
fn kinds_fold_into_one_box_of_the_graph_by_links_and_the_way_to_a_problem_is_marked() {
    let html = &page("request-resources").html;
    let here = "/w/root:acme:shop/requests/default/orders-db?view=resources";
    assert!(html.contains(&format!("href=\"{here}&amp;fold=Secret\"")), "{html}");
    assert!(html.contains("/requests/default/orders-db/objects/Secret/orders-db-replica?at=sandbox\""), "a box leads to its object");
    // Request, version, what is broken and where it is; the three lines between them.
    assert_eq!((html.matches("graph-node graph-problem").count(), html.matches("graph-link graph-problem").count()), (4, 3), "{html}");
    let html = &page("request-resources-folded").html;
    assert!(html.contains("Secret (2)") && html.contains("1 healthy"), "{html}");
    assert!(html.contains(&format!("href=\"{here}&amp;fold=none\"")), "the box leads to each by itself: {html}");
    assert_eq!((html.matches("graph-node graph-problem").count(), html.matches("graph-link graph-problem").count()), (4, 3), "{html}");
    assert_eq!(html.matches("<tr id=\"object-").count(), 3, "the table has all of them");
}

#[test]
fn the_tree_puts_what_depends_on_something_below_it_and_describes_the_chosen_one() {
    let html = &page("request-resources-tree").html;
    let depth = |id: &str| {
        let (before, _) = html.split_once(&format!("open={id}\"")).expect("an entry of the tree");
        before.rsplit("data-depth=\"").next().and_then(|rest| rest.split('"').next()).expect("its depth").to_owned()
    };
    assert_eq!(["database", "credentials", "replica"].map(depth), ["1", "1", "2"], "the replica reads the others");
    let chosen = html.split("id=\"chosen\">").nth(1).expect("a panel");
    assert!(chosen.starts_with("orders-db-replica") && chosen.contains("It has expired"), "what is broken comes first: {chosen}");
    let chosen = page("request-resources-chosen").html.split("id=\"chosen\">").nth(1).expect("a panel");
    assert!(chosen.starts_with("orders-db-database") && chosen.contains("orders-db-replica (Secret)"), "with what needs it: {chosen}");
}

#[test]
fn the_way_to_ready_says_what_is_usual_and_what_is_ready_has_none() {
    let html = &page("request").html;
    assert!(html.contains("Usually 69\u{a0}s, median of 6 in this workspace"), "{html}");
    let progress = html.split("id=\"progress\"").nth(1).and_then(|rest| rest.split("</ol>").next()).expect("a section");
    let states: Vec<&str> = progress.split("<li data-st=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!((states.first(), states.last()), (Some(&"ready"), Some(&"ahead")), "{progress}");
    for said in ["Cost this month", "12.40 €", "Last change", "Owner", "Needed by", "and 2 more"] {
        assert!(html.contains(said), "{said}: {html}");
    }
}

#[test]
fn a_promise_says_what_policies_do_to_its_fields_what_changed_and_who_uses_it() {
    let fields = &page("promise-fields").html;
    assert!(fields.contains("Narrowed from 1–7") && fields.contains("Production baseline</a>") && fields.contains("Rule of this service"));
    let versions = &page("promise-versions").html;
    for said in [
        "No visible changes",
        "Legacy is removed",
        "The price is calculated differently",
        "First published version",
        "Databases start twice as fast.",
    ] {
        assert!(versions.contains(said), "{said}: {versions}");
    }
    let used = &page("promise-used-by").html;
    assert!(used.contains("1.2.0 is available") && used.contains("root:acme:data didn't respond"), "{used}");
    assert!(!page("promise-unused").html.contains("No instances yet"), "a workspace that is silent isn't one without instances");
    assert!(page("promise").html.contains("tab=fields\""), "each part has an address");
}

#[test]
fn cards_say_what_is_known_and_nothing_else() {
    let html = &page("catalog").html;
    let card = |promise: &str| {
        let rest = html.split(&format!("promises/{promise}\">")).nth(1).expect(promise);
        rest.split("</li>").next().expect("a card").to_owned()
    };
    let postgresql = card("postgresql");
    assert!(postgresql.contains("~69\u{a0}s") && postgresql.contains("median of 6 here"), "{postgresql}");
    assert!(postgresql.contains("tab=used-by\"") && postgresql.contains(">3 running here, 1 older</a>"), "{postgresql}");
    assert!(postgresql.contains("name=\"add\" value=\"root:platform/postgresql\""), "{postgresql}");
    assert!(card("redis").contains("name=\"remove\"") && card("redis").contains("New version"));
    assert!(card("object-bucket").contains("Ends 1 March 2027"));
    let web = card("web-application");
    assert!(!web.contains("Ready in") && !web.contains("running here"), "who can't list requests reads no count: {web}");
    assert_eq!(html.matches("action=\"/do/promises/favourite\"").count(), 1, "one form for all stars");
}

#[test]
fn what_an_object_needs_is_drawn_and_said() {
    let arrows = |name: &str| page(name).html.matches("<g class=\"graph-arrow\"").count();
    // One more explains them. The two Secrets need nothing of themselves, drawn as one box.
    assert_eq!((arrows("request-resources"), arrows("request-resources-folded")), (3, 2));
    let html = &page("request-resources").html;
    let said = "Depends on orders-db-database (Cluster) and orders-db-credentials (Secret)";
    assert_eq!(html.matches(said).count(), 1, "in the table, and of one object: {html}");
    assert!(html.contains("depends on, and is created after") && html.contains("A dashed arrow leads"), "{html}");
}

#[test]
fn the_form_of_an_action_says_beforehand_what_it_does_who_can_run_it_and_how_long_it_takes() {
    let html = &page("action").html;
    let tab = "href=\"/w/root:acme:shop/requests/default/orders-db?view=actions\" aria-current=\"page\"";
    assert!(html.contains(tab), "the tabs of the request stay: {html}");
    for part in [
        "Before you start",
        "Only shop-operators can",
        "Starts right away",
        "Asks you to confirm",
        "Usually takes 4\u{a0}min",
        "Median of 5 runs",
        "Load the data",
        "At most 2h",
        "Wait for database",
        "Latest runs",
        "1 of 9, newest first",
        "24\u{a0}s",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let others = html.split("Other actions").nth(1).expect("other actions");
    assert!(others.contains("/actions/backup\"") && !others.contains("/actions/restore\""), "{others}");
    assert!(page("action-wrong").html.contains("Waiting for the rollout of the request to finish"));
    let bare = &page("action-bare").html;
    assert!(bare.contains("Like anyone who can run actions in this workspace") && bare.contains("no run has succeeded yet"), "{bare}");
    assert!(!bare.contains("Asks you to confirm"), "{bare}");
    assert!(bare.contains("One of acme-approvers must approve first") && !bare.contains("Starts right away"), "{bare}");
    for html in [bare, &page("run").html] {
        assert!(html.contains("Careful restores</a>") && html.contains("set at root:acme"), "the policy is named: {html}");
    }
    let viewer = &page("action-viewer").html;
    assert!(viewer.contains("You can&#x27;t run it") || viewer.contains("You can't run it"), "{viewer}");
    assert!(!viewer.contains("Starts right away") && !viewer.contains("orders-db-backup-1</span>"), "{viewer}");
}

#[test]
fn the_review_and_approvals_name_the_steps_that_will_run() {
    for name in ["review", "approvals", "approval"] {
        let html = &page(name).html;
        let what = ["Calls the endpoint tickets (POST), if its condition is met", "Runs a Job at eu-1", "Applies database"];
        for part in what.into_iter().chain(["Steps that will run", "Ask the network team"]) {
            assert!(html.contains(part), "{name}: {part}: {html}");
        }
    }
}

#[test]
fn an_upgrade_lists_the_changelog_of_every_version_on_the_way() {
    for name in ["request", "upgrade"] {
        let html = &page(name).html;
        for part in ["New in 1.3.0", "Asks for a region.", "New in 1.2.1", "Backups finish sooner."] {
            assert!(html.contains(part), "{name}, {part}: {html}");
        }
    }
    assert!(!page("roll-back").html.contains("New in"));
}

#[test]
fn runs_of_a_request_say_how_long_they_took() {
    let html = &page("request-actions").html;
    // Two of the six runs aren't over.
    assert_eq!(html.matches("24\u{a0}s").count(), 4, "{html}");
    assert!(page("run-done").html.contains("<div class=\"card-head\"><h2 id=\"outputs\">"), "results have a frame");
}

#[test]
fn script_is_loaded_on_live_pages_alone() {
    each(|name, page| {
        let starts = ["requests", "rollout", "request-resources", "request-events", "request-logs", "home-", "overview", "approvals-"];
        let live = starts.iter().any(|start| name.starts_with(start))
            || [
                "configuration",
                "releases",
                "releases-compared",
                "actions",
                "actions-viewer",
                "history",
                "continued",
                "refused",
                "refused-viewer",
                "policies",
                "adds",
                "viewer-detail",
                "yaml",
            ]
            .iter()
            .any(|part| name == format!("request-{part}"))
            || ["notifications", "notifications-empty", "object", "object-elsewhere", "run", "run-done"].contains(&name)
            || ["home", "approvals", "request", "workspace", "workspace-empty", "workspace-unread"].contains(&name);
        let typed = [
            "request-new",
            "request-error",
            "request-viewer",
            "request-web",
            "request-shared",
            "request-posted",
            "request-required",
            "request-needed",
            "request-conflict",
            "request-manifest",
            "request-manifest-error",
            "edit",
            "upgrade",
            "upgrade-breaking",
            "roll-back",
            "policy-new",
            "policy-edit",
        ]
        .contains(&name);
        let copied = name.starts_with("adds")
            || ["audit-record", "policy", "policy-tried", "policy-unread", "preview", "preview-empty", "preview-wrong"].contains(&name);
        assert_eq!(page.html.contains("data-live-page=\"/live?topic="), live, "{name}");
        assert_eq!(page.html.contains("data-component=\"Preflight_"), typed, "{name}");
        let keys = name == "approvals" || name.starts_with("approvals-");
        assert_eq!(page.html.contains("keys()"), keys, "{name}");
        let own = live || typed || copied || keys;
        // Signed-in users have keyboard shortcuts, which load the palette when it is opened, and the other islands of the page.
        let shortcuts = page.html.contains("data-palette");
        assert_eq!(page.html.contains("import {keys} from \"/assets/keys.js\""), shortcuts, "{name}");
        assert_eq!(page.html.matches("<script").count(), usize::from(own) + usize::from(shortcuts), "{name}");
    });
}

#[test]
fn columns_are_links_that_sort_and_say_how_the_list_is_sorted() {
    let html = &page("promises").html;
    let heading = "aria-sort=\"descending\"><a href=\"/platform/promises?state=published&amp;sort=instances\" class=\"sort\">Instances";
    assert!(html.contains(heading), "{html}");
    assert_eq!(html.matches("aria-sort").count(), 1, "{html}");
    assert!(html.contains("name=\"sort\" value=\"-instances\""), "a search keeps it: {html}");
    assert!(html.contains("href=\"/platform/promises?state=published&amp;sort=-instances&amp;page=2\""), "the next page keeps it: {html}");
}

#[test]
fn selected_rows_belong_to_the_form_of_their_button() {
    for name in ["notifications", "deliveries"] {
        let html = &page(name).html;
        let boxes: Vec<&str> = tags(html, "input").into_iter().filter(|tag| attribute(tag, "type") == Some("checkbox")).collect();
        assert!(!boxes.is_empty() && boxes.iter().all(|tag| attribute(tag, "form") == Some("selected")), "{name}: {boxes:?}");
        assert!(tags(html, "form").iter().any(|tag| attribute(tag, "id") == Some("selected")), "{name}");
    }
}
