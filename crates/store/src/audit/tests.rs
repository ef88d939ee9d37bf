use jiff::SignedDuration;
use promise::audit::{AuditReport, AuditSource, AuditVerifier, BreakReason};

use super::*;
use crate::SealKeys;
use crate::database::tests::every;
use crate::random::seeded::Seeded;

const NOW: Timestamp = Timestamp::constant(1_780_000_000, 0);

fn later(seconds: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_secs(seconds)).unwrap()
}

fn entry(name: &str) -> AuditEntry {
    AuditEntry {
        at: NOW,
        source: AuditSource::Portal,
        actor: "dev-shop".into(),
        operation: "create-request".into(),
        kind: "PromiseRequest".into(),
        cluster: "c1".into(),
        workspace: "root:acme:shop".into(),
        namespace: "default".into(),
        name: name.into(),
        request_id: "r1".into(),
        ..AuditEntry::default()
    }
}

fn begin(id: &str, name: &str) -> AuditStep {
    AuditStep::Begin { id: id.into(), entry: entry(name) }
}

fn end(id: &str, name: &str, object: ObjectChange) -> AuditStep {
    let after = if let ObjectChange::Now(state) = &object { state.hash.clone() } else { None };
    AuditStep::End { id: id.into(), entry: AuditEntry { outcome: AuditOutcome::Done, after, ..entry(name) }, object }
}

/// A state of an object; another edition is another state.
fn state(generation: i64, stamp: &str) -> AuditState {
    AuditState {
        uid: "u1".into(),
        generation,
        edition: format!("edition-{generation}"),
        hash: Some(format!("hash-{generation}")),
        stamped: Some(format!("stamped-{generation}")),
        stamp: stamp.into(),
        is_made: false,
    }
}

fn seen_as(name: &str, state: Option<AuditState>) -> AuditStep {
    let entry = AuditEntry { source: AuditSource::Plane, actor: String::new(), request_id: String::new(), ..entry(name) };
    AuditStep::Observe { entry, state }
}

async fn records(store: &Store) -> Vec<AuditRecord> {
    store.audit_page(&AuditFilter::default(), 0, 1000).await.unwrap()
}

/// Verifies everything as an auditor does, a few records at a time.
async fn verified(store: &Store) -> std::result::Result<AuditReport, promise::audit::AuditBreak> {
    let mut verifier = AuditVerifier::new(store.audit_heads().await.unwrap());
    let mut at = ChainHead::default();
    loop {
        let some = store.audit_after(&at.chain, at.sequence, 3).await.unwrap();
        let Some(last) = some.last() else { return verifier.finish() };
        at = last.head();
        for record in &some {
            verifier.add(record)?;
        }
    }
}

#[tokio::test]
async fn what_was_begun_and_ended_is_one_record_of_a_chain() {
    for (store, _) in every().await {
        let outcomes = store.append_audit("one", &[begin("a", "orders"), begin("b", "carts")]).await.unwrap();
        assert_eq!(outcomes, [AuditStepOutcome::Begun(None), AuditStepOutcome::Begun(None)]);
        assert_eq!(records(&store).await, [], "nothing came of it yet");
        let steps = [end("a", "orders", ObjectChange::Now(state(1, "dev-shop"))), end("b", "carts", ObjectChange::None)];
        assert_eq!(store.append_audit("one", &steps).await.unwrap(), [AuditStepOutcome::Recorded, AuditStepOutcome::Recorded]);
        let all = records(&store).await;
        let told: Vec<_> = all.iter().map(|record| (record.sequence, record.entry.name.as_str(), record.entry.after.as_deref())).collect();
        assert_eq!(told, [(2, "carts", None), (1, "orders", Some("hash-1"))]);
        assert_eq!(store.audit_record("one", 2).await.unwrap().as_ref(), Some(&all[0]));
        assert_eq!(store.audit_record("other", 2).await.unwrap(), None);
        assert_eq!(store.adopt_audit("one", NOW, true).await.unwrap(), 0, "no intent is left");
        // The next change knows the state before it.
        let known = store.append_audit("one", &[begin("c", "orders")]).await.unwrap();
        assert_eq!(known, [AuditStepOutcome::Begun(Some("hash-1".into()))]);
        assert_eq!(verified(&store).await.unwrap().records(), 2);
    }
}

#[tokio::test]
async fn what_a_process_leaves_behind_is_recorded_by_the_next_or_by_another() {
    for (store, _) in every().await {
        store.append_audit("one", &[begin("a", "orders")]).await.unwrap();
        store.append_audit("other", &[begin("b", "carts")]).await.unwrap();
        assert_eq!(store.adopt_audit("one", NOW, true).await.unwrap(), 1, "its own, and no one's that is young");
        assert_eq!(store.adopt_audit("one", later(1), false).await.unwrap(), 1, "the other replica is gone");
        let all = records(&store).await;
        assert!(all.iter().all(|record| record.chain == "one" && record.entry.outcome == AuditOutcome::Unknown), "{all:?}");
        assert_eq!(all.len(), 2);
        // A change that ends after all is said as well.
        store.append_audit("other", &[end("b", "carts", ObjectChange::None)]).await.unwrap();
        assert_eq!(verified(&store).await.unwrap().records(), 3);
    }
}

#[tokio::test]
async fn only_what_no_known_change_explains_is_seen() {
    for (store, _) in every().await {
        let see = async |state: Option<AuditState>| store.append_audit("one", &[seen_as("orders", state)]).await.unwrap().remove(0);
        store.append_audit("one", &[begin("a", "orders")]).await.unwrap();
        assert_eq!(see(Some(state(1, "dev-shop"))).await, AuditStepOutcome::Waits, "it might be that change");
        store.append_audit("one", &[end("a", "orders", ObjectChange::Now(state(1, "dev-shop")))]).await.unwrap();
        assert_eq!(see(Some(state(1, "dev-shop"))).await, AuditStepOutcome::Known);
        assert_eq!(see(Some(state(2, "org-owner"))).await, AuditStepOutcome::Recorded);
        assert_eq!(see(Some(state(2, "org-owner"))).await, AuditStepOutcome::Known);
        assert_eq!(see(Some(state(1, "dev-shop"))).await, AuditStepOutcome::Known, "an old look");
        let other = AuditState { uid: "u2".into(), stamp: "dev-data".into(), ..state(1, "") };
        assert_eq!(see(Some(other)).await, AuditStepOutcome::Recorded, "another object of that name");
        assert_eq!(see(None).await, AuditStepOutcome::Recorded);
        assert_eq!(see(None).await, AuditStepOutcome::Known);
        let mut told: Vec<_> = records(&store).await.into_iter().map(|record| (record.sequence, record.entry)).collect();
        told.sort_by_key(|(sequence, _)| *sequence);
        let told: Vec<_> = told
            .iter()
            .map(|(_, entry)| (entry.operation.as_str(), entry.actor.as_str(), entry.before.as_deref(), entry.after.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                ("create-request", "dev-shop", None, Some("hash-1")),
                ("change", "org-owner", Some("hash-1"), Some("hash-2")),
                ("create", "dev-data", None, Some("hash-1")),
                ("delete", "", Some("hash-1"), None),
            ]
        );
        // A deletion through the portal explains that the object is gone.
        store.append_audit("one", &[begin("b", "carts"), end("b", "carts", ObjectChange::Now(state(1, "dev-shop")))]).await.unwrap();
        store.append_audit("one", &[begin("c", "carts"), end("c", "carts", ObjectChange::Deleted)]).await.unwrap();
        assert_eq!(store.append_audit("one", &[seen_as("carts", None)]).await.unwrap(), [AuditStepOutcome::Known]);
        verified(&store).await.unwrap();
    }
}

#[tokio::test]
async fn what_exists_already_is_known_and_said_once() {
    for (store, _) in every().await {
        assert_eq!(store.audit_objects("PromiseRequest").await.unwrap(), None);
        let target = |name: String| AuditTarget { name, ..AuditTarget::of(&entry("")) };
        let all: Vec<_> = (0..70).map(|index| (target(format!("r{index}")), state(1, "dev-shop"))).collect();
        store.follow_audit_kind("one", "PromiseRequest", &all, NOW).await.unwrap();
        store.follow_audit_kind("other", "PromiseRequest", &all, NOW).await.unwrap();
        assert_eq!(store.audit_objects("PromiseRequest").await.unwrap().map(|known| known.len()), Some(70));
        assert_eq!(store.append_audit("one", &[seen_as("r69", Some(state(1, "dev-shop")))]).await.unwrap(), [AuditStepOutcome::Known]);
        let begun = records(&store).await;
        assert_eq!(begun.len(), 1, "{begun:?}");
        assert_eq!((begun[0].entry.operation.as_str(), begun[0].entry.detail.as_str()), ("begin-log", "70"));
        store.follow_audit_kind("one", "Policy", &[], NOW).await.unwrap();
        assert_eq!(store.audit_objects("Policy").await.unwrap(), Some(Vec::new()), "followed, though there is none");
    }
}

#[tokio::test]
async fn a_list_is_narrowed_and_paged() {
    for (store, _) in every().await {
        let mut steps = Vec::new();
        for (index, (name, actor, workspace)) in [
            ("orders", "dev-shop", "root:acme:shop"),
            ("a_b", "dev-data", "root:acme:shop:team"),
            ("axb", "Org-Owner", "root:acme:shopping"),
            ("100%", "dev-shop", ""),
        ]
        .into_iter()
        .enumerate()
        {
            let entry = AuditEntry {
                at: later(i64::try_from(index).unwrap()),
                actor: actor.into(),
                workspace: workspace.into(),
                outcome: AuditOutcome::ALL[index % 3],
                source: AuditSource::ALL[index],
                operation: if index == 0 { "sign-in".into() } else { "sign-out".into() },
                ..entry(name)
            };
            steps.push(AuditStep::End { id: name.into(), entry, object: ObjectChange::None });
        }
        store.append_audit("one", &steps).await.unwrap();
        let left = async |filter: AuditFilter| {
            let rows = store.audit_page(&filter, 0, 10).await.unwrap();
            assert_eq!(store.count_audit(&filter).await.unwrap(), (rows.len() as u64, false));
            rows.into_iter().map(|record| record.entry.name).collect::<Vec<_>>()
        };
        let any = AuditFilter::default;
        assert_eq!(left(any()).await, ["100%", "axb", "a_b", "orders"]);
        assert_eq!(left(AuditFilter { person: "org-OWN".into(), ..any() }).await, ["axb"]);
        assert_eq!(left(AuditFilter { workspace: "root:acme:shop".into(), ..any() }).await, ["a_b", "orders"], "and below it");
        assert_eq!(left(AuditFilter { object: "a_b".into(), ..any() }).await, ["a_b"]);
        assert_eq!(left(AuditFilter { object: "%".into(), ..any() }).await, ["100%"]);
        assert_eq!(left(AuditFilter { object: "promiserequest default/o".into(), ..any() }).await, ["orders"]);
        assert_eq!(left(AuditFilter { operation: "sign-in".into(), ..any() }).await, ["orders"]);
        assert_eq!(left(AuditFilter { outcome: "failed".into(), ..any() }).await, ["a_b"]);
        assert_eq!(left(AuditFilter { source: "plane".into(), ..any() }).await, ["100%"]);
        assert_eq!(left(AuditFilter { from: Some(later(1)), until: Some(later(3)), ..any() }).await, ["axb", "a_b"]);
        let page = store.audit_page(&any(), 1, 2).await.unwrap();
        assert_eq!(page.iter().map(|record| record.entry.name.as_str()).collect::<Vec<_>>(), ["axb", "a_b"]);
    }
}

#[tokio::test]
async fn what_is_too_old_goes_and_the_chain_says_so() {
    for (store, _) in every().await {
        let at = |seconds: i64, name: &str| AuditStep::End {
            id: name.into(),
            entry: AuditEntry { at: later(seconds), ..entry(name) },
            object: ObjectChange::None,
        };
        store.append_audit("gone", &[at(0, "a"), at(1, "b"), at(2, "c")]).await.unwrap();
        store.append_audit("here", &[at(0, "d"), at(50, "e"), at(3, "f"), at(51, "g")]).await.unwrap();
        assert_eq!(store.cut_audit("here", NOW, later(60)).await.unwrap(), 0);
        assert_eq!(store.cut_audit("here", later(10), later(60)).await.unwrap(), 3, "a, b and d; what comes after a young one stays");
        let report = verified(&store).await.unwrap();
        assert_eq!(report.chains.iter().map(|chain| chain.first).collect::<Vec<_>>(), [3, 2]);
        // Later everything goes but the ends, also the records that said what went first.
        assert!(store.cut_audit("here", later(100), later(200)).await.unwrap() >= 4);
        verified(&store).await.unwrap();
        assert!(store.cut_audit("here", later(300), later(400)).await.unwrap() > 0);
        verified(&store).await.unwrap();
        store.append_audit("gone", &[at(401, "h")]).await.unwrap();
        verified(&store).await.unwrap();
        sqlx::query("DELETE FROM audit_record WHERE operation = 'cut-log'").execute(&store.pool).await.unwrap();
        assert!(verified(&store).await.is_err(), "no one says that the beginning was removed");
    }
}

#[tokio::test]
async fn what_is_done_to_the_table_is_found() {
    for (store, _) in every().await {
        let steps: Vec<AuditStep> = ["a", "b", "c"].map(|name| end(name, name, ObjectChange::None)).into();
        store.append_audit("one", &steps).await.unwrap();
        let update = sqlx::query("UPDATE audit_record SET actor = 'org-owner' WHERE sequence = 2").execute(&store.pool).await;
        assert!(update.unwrap_err().to_string().contains("never changed"));
        verified(&store).await.unwrap();
        sqlx::query("DELETE FROM audit_record WHERE sequence = 3").execute(&store.pool).await.unwrap();
        assert_eq!(verified(&store).await.unwrap_err().reason, BreakReason::AnchorMissing, "where the chain ended is known");
    }
}

#[tokio::test]
async fn two_replicas_write_chains_of_their_own_and_see_a_change_once() {
    let Some(server) = testplane::postgres() else { return };
    let (address, random) = (server.database(), Seeded::default());
    let one = Store::connect(&address, SealKeys::ephemeral(&random)).await.unwrap();
    let other = Store::connect(&address, SealKeys::ephemeral(&random)).await.unwrap();
    for generation in 1..20 {
        let seen = [seen_as("orders", Some(state(generation, "dev-shop")))];
        let own = |chain: &str| end(&format!("{chain}{generation}"), chain, ObjectChange::None);
        let (own_one, own_other) = ([own("one")], [own("other")]);
        let (a, b, c, d) = tokio::join!(
            one.append_audit("one", &seen),
            other.append_audit("other", &seen),
            one.append_audit("one", &own_one),
            other.append_audit("other", &own_other),
        );
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!([&a[0], &b[0]].iter().filter(|outcome| ***outcome == AuditStepOutcome::Recorded).count(), 1, "{a:?} {b:?}");
        c.unwrap();
        d.unwrap();
    }
    let report = verified(&one).await.unwrap();
    assert_eq!((report.chains.len(), report.records()), (2, 3 * 19));
}

#[tokio::test]
async fn a_file_that_is_opened_again_goes_on_with_its_chain() {
    let random = Seeded::default();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("portal.sqlite");
    for round in 0..3 {
        let store = Store::open(&path, SealKeys::ephemeral(&random)).await.unwrap();
        store.append_audit("one", &[end(&round.to_string(), "a", ObjectChange::None), begin(&format!("left-{round}"), "b")]).await.unwrap();
        // Whatever wasn't committed is gone with the process; what was begun is there.
        store.close().await;
        let store = Store::open(&path, SealKeys::ephemeral(&random)).await.unwrap();
        assert_eq!(store.adopt_audit("one", NOW, true).await.unwrap(), 1);
        store.close().await;
    }
    let store = Store::open(&path, SealKeys::ephemeral(&random)).await.unwrap();
    assert_eq!(verified(&store).await.unwrap().records(), 6);
    store.close().await;
}
