//! The same while people decide: whatever was agreed to counts after the next start, once, and what it is about is made once.

use cluster::kinds::{Approval, ApprovalKind, object};
use kube::api::{ListParams, PostParams};
use kube::runtime::wait::await_condition;
use kube::{Api, ResourceExt as _};
use promise::api::{ApprovalSpec, ApprovedRequest, CandidateState, Decision, DecisionState, Phase};
use promise::names;
use serde_json::json;

use super::{PATIENCE, SPREAD, becomes, fraction, history, phase, requests, sandbox_version, setting};
use crate::process::Process;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_instant_of_a_decision_it_counts_once() {
    let (kills, seed) = (setting("OPM_KILLS", 3), setting("OPM_SEED", 1));
    let data = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(data.path()).await;
    for number in 0..kills {
        let name = format!("orders-{number}");
        let before = sandbox_version(&process).await;
        let uid = order(&process, &name).await;
        let mut since = None;
        for (stage, who) in ["approver", "org-owner"].into_iter().enumerate() {
            let policy = ["production-databases", "large-databases"][stage];
            let asked = |request: Option<&cluster::kinds::PromiseRequest>| asks(request, policy);
            let waiting = becomes(&process, &name, asked).await.expect("the request");
            let status = waiting.status.as_ref().expect("a status");
            let question = status.question.as_ref().map(|question| question.since.clone());
            assert_eq!(*since.get_or_insert(question.clone()), question, "{name} is asked about once");
            let rule = status.approvals.iter().map(|line| line.rule.clone()).find(|rule| rule.policy.as_deref() == Some(policy));
            let spec = ApprovalSpec {
                request: ApprovedRequest { cluster: None, namespace: "default".into(), name: name.clone(), uid: uid.clone() },
                rule: rule.expect("the rule"),
                content_hash: status.candidate.as_ref().map(|candidate| candidate.content_hash.clone()).unwrap_or_default(),
                decision: Decision::Approve,
                ..ApprovalSpec::default()
            };
            let written = object::<ApprovalKind>(&format!("{name}-{who}"), None, spec);
            approvals(&process, who).create(&PostParams::default(), &written).await.expect("created");
            // Half of the instants lie within the first quarter of the time, where everything is written.
            let instant = SPREAD.mul_f64(fraction(seed, number * 2 + stage as u64).powi(2));
            tokio::time::sleep(instant).await;
            process.kill();
            process = Process::start(data.path()).await;
        }
        let request = becomes(&process, &name, |request| phase(request) == Some(Phase::Ready)).await.expect("the request");
        let status = request.status.as_ref().expect("a status");
        assert!(status.approvals.iter().all(|line| line.given.len() == 1 && line.given[0].state == DecisionState::Counts), "{status:#?}");
        for who in ["approver", "org-owner"] {
            let counts = |approval: Option<&Approval>| {
                approval.and_then(|approval| approval.status.as_ref()).is_some_and(|status| status.state == DecisionState::Counts)
            };
            let waited = tokio::time::timeout(PATIENCE, await_condition(approvals(&process, who), &format!("{name}-{who}"), counts)).await;
            waited.unwrap_or_else(|_| panic!("the decision of {who} says nothing: {}", process.log())).expect("a watch");
        }
        let all = approvals(&process, "approver").list(&ListParams::default()).await.expect("approvals").items;
        assert_eq!(all.iter().filter(|approval| approval.spec.request.uid == uid).count(), 2, "nobody decides but people");
        let writes = history(&process, &uid, &before).await;
        assert!(!writes.is_empty() && writes.values().all(|writes| (writes.made, writes.removed) == (1, 0)), "{name}: {writes:?}");
    }
}

/// Whether a request waits for the decision that this policy asks for.
fn asks(request: Option<&cluster::kinds::PromiseRequest>, policy: &str) -> bool {
    let Some(status) = request.and_then(|request| request.status.as_ref()) else { return false };
    let waits = status.candidate.as_ref().is_some_and(|candidate| candidate.state == CandidateState::AwaitingApproval);
    let mut lines = status.approvals.iter().filter(|line| line.state == promise::api::ApprovalState::Waiting);
    waits && lines.any(|line| line.rule.policy.as_deref() == Some(policy))
}

/// Orders a large database, about which two stages decide; answers the request's uid.
async fn order(process: &Process, name: &str) -> String {
    let request = json!({
        "apiVersion": names::API_VERSION, "kind": "PromiseRequest", "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "promise": {"name": "postgresql", "workspace": "root:platform"},
            "parameters": {"tier": "production", "size": "large", "replicas": 2, "storage": 50},
        },
    });
    let request = serde_json::from_value(request).expect("a request");
    requests(process).create(&PostParams::default(), &request).await.expect("created").uid().expect("a uid")
}

fn approvals(process: &Process, who: &str) -> Api<Approval> {
    Api::all(process.client_of(who, "root:acme"))
}
