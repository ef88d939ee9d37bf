use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cluster::kinds::{Policy, PolicyKind, object};
use cluster::{Scope, Token, WorkspacePath};
use notify::NotifyConfig;
use promise::api::PolicySpec;
use promise::audit::AuditRecord;
use store::AuditFilter;
use tokio::sync::oneshot;

use super::*;
use crate::audit::AuditConfig;
use crate::config::{Config, PlaneConfig, SignInConfig, Storage};
use crate::limits::LimitsConfig;
use crate::serve::{Edges, Running};

/// A portal on an empty plane in memory, without a controller.
async fn running() -> Running {
    let config = Config {
        plane: PlaneConfig::Embedded { listen: ([127, 0, 0, 1], 0).into(), examples: None, history: false, authentication: None },
        storage: Storage::Memory,
        database: None,
        listen: ([127, 0, 0, 1], 0).into(),
        web: true,
        controller: false,
        public_url: None,
        notify: NotifyConfig::default(),
        limits: LimitsConfig::default(),
        session_key_file: None,
        metrics: None,
        sign_in: SignInConfig::default(),
        audit: AuditConfig::default(),
    };
    Running::open(&config, Edges::default()).await.unwrap()
}

/// The records of an actor, oldest first.
async fn records(portal: &Portal, actor: &str) -> Vec<AuditRecord> {
    portal.audit.settle().await;
    let filter = AuditFilter { person: actor.to_owned(), ..AuditFilter::default() };
    let mut records = portal.store.audit_page(&filter, 0, 1000).await.unwrap();
    records.sort_by_key(|record| record.sequence);
    records
}

fn policies(running: &Running, token: &Token) -> Api<Policy> {
    let scope = Scope::Workspace(WorkspacePath::parse("root:platform").unwrap());
    Api::all(running.portal.endpoint.client(token, &scope))
}

fn policy(name: &str) -> Policy {
    object::<PolicyKind>(name, None, PolicySpec::default())
}

#[test]
fn names_of_operations_are_their_own() {
    let names: BTreeSet<&str> = WriteOperation::ALL.iter().map(|operation| operation.name()).collect();
    assert_eq!(names.len(), WriteOperation::ALL.len());
    let seen = promise::audit::seen::ALL;
    assert!(seen.iter().all(|name| !names.contains(name)), "what is done through the portal is told from what is seen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_operation_leaves_one_record_whatever_comes_of_it() {
    let running = running().await;
    let portal = &running.portal;
    let stranger = policies(&running, &Token::new("no-such-token".to_owned()));
    for operation in WriteOperation::ALL {
        let actor = PersonId::new(&format!("person-{}", operation.name()), None);
        let begin = || RecordedWrite::of(portal, &actor, "request-1", operation, WriteTarget::remembered("thing", "one"));
        begin().remember(async { Ok(()) }, |()| true).await.unwrap();
        begin().remember(async { Ok(()) }, |()| false).await.unwrap();
        let failed: store::Result<()> = begin().remember(async { Err(store::Error::Unsealable) }, |()| true).await;
        assert!(failed.is_err());
        // The plane refuses it twice, which is one change.
        let mut write = begin();
        for _ in 0..2 {
            assert!(write.create(&stranger, &policy("refused")).await.is_err());
        }
        drop(write);
        // The client goes away while the change is made.
        let (reached, left) = oneshot::channel::<()>();
        let change = async move {
            let _ = reached.send(());
            std::future::pending::<store::Result<()>>().await
        };
        tokio::select! {
            _ = begin().remember(change, |()| true) => panic!("it never ends"),
            _ = left => {}
        }
        // Nothing is begun, so nothing is recorded.
        drop(begin());
        let told: Vec<_> = records(portal, &actor).await.into_iter().map(|record| record.entry).collect();
        let outcomes: Vec<_> = told.iter().map(|entry| (entry.outcome, entry.code)).collect();
        let expected = [
            (AuditOutcome::Done, None),
            (AuditOutcome::Failed, None),
            (AuditOutcome::Failed, None),
            (AuditOutcome::Failed, Some(401)),
            (AuditOutcome::Unknown, None),
        ];
        assert_eq!(outcomes, expected, "{}", operation.name());
        assert!(told.iter().all(|entry| entry.operation == operation.name() && entry.request_id == "request-1"), "{told:#?}");
    }
    running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_has_the_hash_of_the_object_before_and_afterwards() {
    let running = running().await;
    let portal = &running.portal;
    let admin = running.sandbox.as_ref().unwrap().identities.token("plane-admin").unwrap();
    let (api, actor) = (policies(&running, admin), PersonId::new("hash-person", None));
    let cluster = portal.world.tree().cluster(&WorkspacePath::parse("root:platform").unwrap()).unwrap();
    let begin =
        |operation| RecordedWrite::of(portal, &actor, "request-1", operation, WriteTarget::in_workspace("Policy", &cluster, "hashed"));
    let created = begin(WriteOperation::CreatePolicy).create(&api, &policy("hashed")).await.unwrap();
    let mut changed = created.clone();
    changed.spec.title = Some("Changed".to_owned());
    begin(WriteOperation::ChangePolicy).replace(&api, "hashed", &changed).await.unwrap();
    // What is on the plane has the hash of the record.
    let raw: Value =
        api.clone().into_client().request(Request::new(api.resource_url()).get("hashed", &GetParams::default()).unwrap()).await.unwrap();
    begin(WriteOperation::DeletePolicy).delete(&api, "hashed", created.metadata.uid).await.unwrap();
    let told = records(portal, &actor).await;
    let [create, change, delete] = &told[..] else { panic!("{told:#?}") };
    let [create, change, delete] = [create, change, delete].map(|record| &record.entry);
    assert!(create.before.is_none() && create.after.is_some() && create.after != change.after, "{told:#?}");
    assert_eq!((&change.before, &change.after), (&create.after, &AuditState::of(&raw).hash));
    assert_eq!((&delete.before, &delete.after), (&change.after, &None));
    assert_eq!((change.workspace.as_str(), change.cluster.as_str()), ("root:platform", cluster.as_str()));
    // An object that the log doesn't know yet is read first.
    let existing = portal.world.policies.snapshot().keys().find(|key| key.cluster == cluster).unwrap().name.clone();
    let target = WriteTarget::in_workspace("Policy", &cluster, &existing);
    RecordedWrite::of(portal, &actor, "", WriteOperation::ChangePolicy, target)
        .merge(&api, &existing, &serde_json::json!({"spec": {"title": "Other"}}))
        .await
        .unwrap();
    let last = records(portal, &actor).await.pop().unwrap().entry;
    assert!(last.before.is_some() && last.before != last.after, "{last:#?}");
    running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_log_cannot_take_note_of_is_not_done() {
    let running = running().await;
    let portal = &running.portal;
    let admin = running.sandbox.as_ref().unwrap().identities.token("plane-admin").unwrap();
    let (api, actor) = (policies(&running, admin), PersonId::new("late-person", None));
    portal.store.close().await;
    let begin = || RecordedWrite::of(portal, &actor, "", WriteOperation::CreatePolicy, WriteTarget::remembered("Policy", "late"));
    let done = Arc::new(AtomicBool::new(false));
    let change = {
        let done = done.clone();
        async move {
            done.store(true, Ordering::SeqCst);
            Ok(())
        }
    };
    let refused = begin().remember(change, |()| true).await;
    assert!(matches!(refused, Err(store::Error::NotAudited)), "{refused:?}");
    assert!(!done.load(Ordering::SeqCst), "it was not made");
    let refused = begin().create(&api, &policy("late")).await.unwrap_err();
    let told = cluster::error::from_plane(&refused, "policy late");
    assert_eq!(told, promise::Error::Unreachable { what: "the audit log".to_owned() });
    assert!(api.get("late").await.is_err(), "nothing was sent");
    running.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_note_about_an_object_is_no_change_of_it() {
    let running = running().await;
    let portal = &running.portal;
    let admin = running.sandbox.as_ref().unwrap().identities.token("plane-admin").unwrap();
    let (api, actor) = (policies(&running, admin), PersonId::new("note-person", None));
    let cluster = portal.world.tree().cluster(&WorkspacePath::parse("root:platform").unwrap()).unwrap();
    let begin = |operation| RecordedWrite::of(portal, &actor, "", operation, WriteTarget::in_workspace("Policy", &cluster, "noted"));
    begin(WriteOperation::CreatePolicy).create(&api, &policy("noted")).await.unwrap();
    begin(WriteOperation::NotePolicyChange).remember(async { Ok(()) }, |()| true).await.unwrap();
    let note = records(portal, &actor).await.pop().unwrap().entry;
    assert_eq!((note.operation.as_str(), note.before, note.after), ("note-policy-change", None, None));
    running.close().await;
}
