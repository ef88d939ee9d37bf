//! What people change goes through one module, which records it: nothing else writes to the plane, or to the portal's memory of people.

use std::ops::Range;
use std::path::PathBuf;

use super::{root, sources};

/// The functions of the store by which the portal remembers or forgets something for a person.
const REMEMBERS: [&str; 32] = [
    "keep_audit_check",
    "mark_read",
    "subscribe",
    "add_comment",
    "save_view",
    "rename_view",
    "forget_view",
    "save_preset",
    "forget_preset",
    "keep_draft",
    "save_draft",
    "share_draft",
    "forget_draft",
    "leave_post",
    "claim_post",
    "add_activity",
    "add_policy_change",
    "name_deputy",
    "dismiss_deputy",
    "dismiss",
    "add_favourite",
    "remove_favourite",
    "add_favourite_promise",
    "remove_favourite_promise",
    "revive",
    "begin_session",
    "end_sessions_at",
    "meet",
    "begin_rollout",
    "stop_rollout",
    "resume_rollout",
    "answer_member",
];
/// Those that a person's change and the portal's own housekeeping have in common: function, and the file in which it is not recorded.
const KEEPS_HOUSE: [(&str, &str); 10] = [
    ("end_session", "portal/caller.rs"),
    ("note_lacks", "portal/stand_in.rs"),
    // What the call itself writes is recorded.
    ("begin_keyed_call", "portal/once.rs"),
    ("renew_keyed_call", "portal/once.rs"),
    ("keep_answer", "portal/once.rs"),
    ("drop_keyed_call", "portal/once.rs"),
    // The changes of requests that a rollout makes are recorded.
    ("lease_rollout", "portal/fleet/advance.rs"),
    ("release_rollouts", "portal/fleet/following.rs"),
    ("turn_rollout", "portal/fleet/advance.rs"),
    ("change_member", "portal/fleet/advance.rs"),
];
/// Those that only read.
const READS: [&str; 68] = [
    "audit_after",
    "audit_chain_from",
    "audit_check",
    "audit_counts",
    "audit_heads",
    "audit_object",
    "audit_objects",
    "audit_page",
    "audit_record",
    "count_audit",
    "acquaintance",
    "activity",
    "away",
    "comments",
    "count_deliveries",
    "count_members",
    "count_retried_deliveries",
    "day_sums",
    "deliveries",
    "deputy",
    "draft",
    "drafts",
    "due_deliveries",
    "family_of_draft",
    "favourite_promises",
    "favourites",
    "first_month",
    "groups",
    "instance_sums",
    "is_dismissed",
    "known_notifications",
    "ledger_clock",
    "ledger_hours",
    "members",
    "month_lines",
    "month_sums",
    "notifications",
    "notified_workspaces",
    "observations_between",
    "open_observations",
    "person_names",
    "open_rollouts",
    "policy_changes",
    "rollout",
    "rollout_members",
    "rollouts",
    "ping",
    "presets",
    "promise_sums",
    "row_counts",
    "saved_views",
    "settled_seconds",
    "session",
    "sessions_of",
    "shared_draft",
    "spot_sums",
    "stands_in",
    "subscription",
    "telling_since",
    "unread",
    "session_edition",
    "site_file",
    "notices",
    "open",
    "connect",
    "open_existing",
    "connect_existing",
    "memory",
];
/// Those of work in the background, which no person does: the audit log, telling people, the ledger, clearing up, ending.
const BACKGROUND: [&str; 27] = [
    "append_audit",
    "adopt_audit",
    "follow_audit_kind",
    "cut_audit",
    "tell",
    "forget_notifications",
    "take_delivery",
    "take_digest",
    "release_deliveries",
    "delivered",
    "give_up",
    "postpone",
    "begin_ledger",
    "look",
    "post",
    "forget_hours",
    "keep_site_files",
    "next",
    "sweep",
    "close",
    // What the portal keeps of sign-ins and sessions for itself; their beginning and end are recorded.
    "begin_attempt",
    "take_attempt",
    "touch_session",
    "advance_session",
    "lease_renewal",
    "release_renewal",
    "renew_session",
];

#[test]
fn what_people_change_goes_through_one_module() {
    let mut found = Vec::new();
    for (folder, file) in ["server/src", "crates/ledger/src", "crates/notify/src"].map(|folder| root().join(folder)).iter().flat_map(files)
    {
        let name = file.strip_prefix(folder).expect("a file of the folder").to_string_lossy().into_owned();
        // Commands of an operator and the sample world are no changes of people who are signed in.
        let is_operators =
            ["history", "play", "seed", "sample", "install", "plane", "serve", "tickets"].iter().any(|part| name.starts_with(part));
        // Webhooks go to other servers, the anchor of the audit log to a file of the operator.
        if ["portal/write.rs", "portal/write/tests.rs", "audit/anchor.rs"].contains(&name.as_str())
            || file.ends_with("notify/src/webhook.rs")
            || is_operators
        {
            continue;
        }
        let text = code(&std::fs::read_to_string(&file).expect("a source file"));
        found.extend(bypasses(&name, &text).into_iter().map(|what| format!("{name}: {what}")));
    }
    assert!(found.is_empty(), "these changes leave no record; begin them with Caller::write: {found:#?}");
}

/// The files of a folder, each with the folder.
fn files(folder: &PathBuf) -> Vec<(&PathBuf, PathBuf)> {
    sources(folder).into_iter().map(|file| (folder, file)).collect()
}

#[test]
fn a_change_that_bypasses_the_module_is_found() {
    for bypass in [
        "api.create(&PostParams::default(), &object).await",
        "api.create(&Default::default(), &object).await",
        "api\n    .patch(name, &params, &Patch::Merge(patch)).await",
        "self.requests(place).delete(name, &Default::default()).await",
        "http::Request::delete(address)",
        "http::Request::post(\"/api/v1/namespaces\")",
        "let change = portal.store.save_view(person); write.remember(change, |_| true)",
        "self.portal().store.forget_draft(&id, person).await",
        "portal.store.end_session(key).await",
    ] {
        assert_eq!(bypasses("portal/other.rs", &code(bypass)).len().min(1), 1, "{bypass}");
    }
    for fine in [
        "caller.write(operation, target).create(&api, policy).await",
        "match write.create(&secrets, &secret).await {}",
        "let mut write = self.write(operation, target); write.replace(&api, name, &object).await",
        "write.remember(portal.store.save_view(person), |_| true).await",
        "write.remember(async { portal.store.begin_session(person).await }, |_| true)",
        "text.replace('a', \"b\").replace(\"\\r\\n\", \"\\n\")",
        "http::Request::post(\"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews\")",
    ] {
        assert_eq!(bypasses("portal/other.rs", &code(fine)), Vec::<String>::new(), "{fine}");
    }
    assert!(bypasses("portal/caller.rs", "portal.store.end_session(key)").is_empty());
}

#[test]
fn every_function_of_the_store_reads_or_is_held_to_that_rule() {
    let mut unknown = Vec::new();
    for file in sources(&root().join("crates/store/src")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for name in text.split("pub async fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next()) {
            let house = KEEPS_HOUSE.map(|(name, _)| name);
            if ![&REMEMBERS[..], &READS, &BACKGROUND, &house].iter().any(|list| list.contains(&name)) {
                unknown.push(name.to_owned());
            }
        }
    }
    assert!(unknown.is_empty(), "say whether these are changes of people: {unknown:?}");
}

/// The code of a file without its tests, comments and the white space that means nothing.
fn code(text: &str) -> String {
    let lines = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let mut code = String::new();
    for word in words {
        // Between two names a space says that they are two.
        let is_name = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        if is_name(code.chars().next_back()) && is_name(word.chars().next()) {
            code.push(' ');
        }
        code.push_str(word);
    }
    code
}

/// What in a file changes something past the module that records it.
fn bypasses(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in ["PostParams", "PatchParams", "DeleteParams", "Request::put(", "Request::patch(", "Request::delete("] {
        if text.contains(word) {
            found.push(word.to_owned());
        }
    }
    for (_, rest) in split_after(text, "Request::post(") {
        if !rest.split(')').next().is_some_and(|address| address.ends_with("reviews\"")) {
            found.push("Request::post".to_owned());
        }
    }
    for verb in [".create(", ".replace(", ".patch(", ".delete("] {
        for (before, rest) in split_after(text, verb) {
            let is_of_text = rest.starts_with(['"', '\'']);
            // What a caller does is a port, which is looked at in its own file.
            if !is_of_text && !["write", "caller"].contains(&called(before)) {
                found.push(verb.to_owned());
            }
        }
    }
    let recorded: Vec<Range<usize>> = split_after(text, ".remember(")
        .map(|(before, rest)| {
            let start = before.len() + ".remember(".len();
            start..start + closing(rest)
        })
        .collect();
    let houses = KEEPS_HOUSE.iter().filter(|(_, known)| *known != file).map(|(name, _)| *name);
    for name in REMEMBERS.into_iter().chain(houses) {
        for (before, _) in split_after(text, &format!("store.{name}(")) {
            if !recorded.iter().any(|range| range.contains(&before.len())) {
                found.push(name.to_owned());
            }
        }
    }
    found
}

/// Each place of a pattern: the text before it, and the text after it.
fn split_after<'t>(text: &'t str, pattern: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let places: Vec<usize> = text.match_indices(pattern).map(|(at, _)| at).collect();
    let length = pattern.len();
    places.into_iter().map(move |at| (&text[..at], &text[at + length..]))
}

/// Length of the text up to the parenthesis that closes one that was opened before it.
fn closing(text: &str) -> usize {
    let mut depth = 1;
    for (at, letter) in text.char_indices() {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The name at the end of a text: a variable, or the function whose call ends there.
fn called(text: &str) -> &str {
    let mut rest = text;
    if text.ends_with(')') {
        let mut depth = 0;
        for (at, letter) in text.char_indices().rev() {
            depth += match letter {
                ')' => 1,
                '(' => -1,
                _ => 0,
            };
            if depth == 0 {
                rest = &text[..at];
                break;
            }
        }
    }
    let name = rest.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_').map_or(0, |at| at + 1);
    &rest[name..]
}
