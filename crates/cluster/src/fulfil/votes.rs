//! Decisions of people, as they lie on the plane, and whether their authors may decide.
//!
//! Approvals come from the cache of the catalog export, so what looks like one and is not ours is never seen. Whether somebody has the right
//! is asked of the plane each time: what was granted yesterday may be revoked.

use futures::future::join_all;
use jiff::Timestamp;
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec};
use kube::api::PostParams;
use kube::{Api, ResourceExt};
use promise::api::{ApprovalRule, Approve, ApprovedRequest, CandidateStatus, Requester};
use promise::approval::{Judgement, Matter, Right, Vote, about, judge, lasts, rule_of};
use promise::names;
use promise::policy::Ruling;

use super::core::Core;
use super::words::told;
use crate::error::is_denied;
use crate::install::mend;
use crate::kinds::{Approval, Export, Kind, PolicyKind, PromiseKind, PromiseRequest};
use crate::topology::Topology;
use crate::watch::{Freshness, Key};
use crate::workspaces::ClusterId;

/// What people have decided about a content, and whether something may come of it that nothing announces.
pub struct Heard {
    pub judgement: Judgement,
    /// A right was missing or could not be asked for: it may be granted without a word.
    pub unannounced: bool,
}

/// Hears what people decided about the content of a request for which these rules ask.
pub async fn hear(core: &Core, key: &Key, request: &PromiseRequest, name: &str, content_hash: &str, rulings: &[Ruling<Approve>]) -> Heard {
    let asked = ApprovedRequest {
        cluster: Some(key.cluster.to_string()),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: request.uid().unwrap_or_default(),
    };
    let now = core.clock.now().as_second();
    let known = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    let since = known.and_then(|known| asked_since(known, name, request.metadata.generation)).unwrap_or(now);
    let matter = Matter { request: &asked, content_hash, requester: request.spec.requester.as_ref(), since };
    let rows = core.world.approvals.snapshot();
    let concerned: Vec<(&Key, &Approval)> = rows
        .iter()
        .filter(|(at, row)| rulings.iter().any(|ruling| about(&ruling.from, &matter, at.cluster.as_str(), &row.spec)))
        .map(|(at, row)| (at, &**row))
        .collect();
    let stale = stale(core);
    let rights = join_all(concerned.iter().map(|(at, row)| async {
        match (&stale, &row.spec.decided_by) {
            (Some(why), _) => Right::Unknown(why.clone()),
            (None, Some(person)) => right(core, &at.cluster, &row.spec.rule, person).await,
            (None, None) => Right::NotAsked,
        }
    }))
    .await;
    let times: Vec<Option<Timestamp>> =
        concerned.iter().map(|(_, row)| row.metadata.creation_timestamp.as_ref().map(|time| time.0)).collect();
    let texts: Vec<Option<String>> = times.iter().map(|time| time.map(|time| time.to_string())).collect();
    let unannounced = rights.iter().any(|right| *right != Right::Has);
    let votes: Vec<Vote<'_>> = concerned
        .iter()
        .zip(rights)
        .zip(times.iter().zip(&texts))
        .map(|(((at, row), right), (time, text))| Vote {
            name: &at.name,
            cluster: at.cluster.as_str(),
            at: text.as_deref(),
            // What the plane has not dated was written in no time that counts.
            written: time.map_or(i64::MAX, Timestamp::as_second),
            spec: &row.spec,
            right,
        })
        .collect();
    let mut judgement = judge(rulings, &matter, &votes, now);
    for (ruling, approval) in rulings.iter().zip(&mut judgement.approvals) {
        let ends = lasts(&ruling.effect).and_then(|after| Timestamp::from_second(since.checked_add(after)?).ok());
        approval.expires_at = ends.map(|time| time.to_string());
    }
    debug_assert!(rulings.iter().zip(&judgement.approvals).all(|(ruling, approval)| rule_of(&ruling.from) == approval.rule));
    Heard { judgement, unannounced }
}

/// Since when a content is asked for, if the status is about the same one and nobody has asked anew.
fn asked_since(known: &CandidateStatus, name: &str, generation: Option<i64>) -> Option<i64> {
    if known.release != name || known.generation != generation {
        return None;
    }
    let since: Timestamp = known.since.as_ref()?.parse().ok()?;
    Some(since.as_second())
}

/// Why the approvals may not be as they were read last.
fn stale(core: &Core) -> Option<String> {
    match core.world.approvals.freshness() {
        Freshness::Synced => None,
        Freshness::Starting => Some("The approvals were not read yet.".to_owned()),
        Freshness::Unreachable { since, .. } => Some(format!("The approvals could not be read since {}.", since.strftime("%H:%M:%S UTC"))),
    }
}

/// Asks the plane whether somebody has the right `approve` on the policy or promise of a rule.
async fn right(core: &Core, home: &ClusterId, rule: &ApprovalRule, person: &Requester) -> Right {
    let (resource, name) = match (&rule.policy, &rule.promise) {
        (Some(policy), None) => (PolicyKind::PLURAL, policy),
        (None, Some(promise)) => (PromiseKind::PLURAL, promise),
        _ => return Right::Lacks,
    };
    let asked = ResourceAttributes {
        group: Some(names::GROUP.to_owned()),
        version: Some(names::VERSION.to_owned()),
        resource: Some(resource.to_owned()),
        name: Some(name.clone()),
        verb: Some(names::APPROVE_VERB.to_owned()),
        ..ResourceAttributes::default()
    };
    let spec = SubjectAccessReviewSpec {
        user: Some(person.username.clone()),
        groups: Some(person.groups.clone()),
        resource_attributes: Some(asked),
        ..SubjectAccessReviewSpec::default()
    };
    let client = match core.targets.home(home) {
        Ok(client) => client,
        Err(why) => return Right::Unknown(why),
    };
    let review = SubjectAccessReview { spec, ..SubjectAccessReview::default() };
    let answer = Api::<SubjectAccessReview>::all(client).create(&PostParams::default(), &review).await;
    match answer {
        Ok(answer) if answer.status.as_ref().is_some_and(|status| status.allowed && status.denied != Some(true)) => Right::Has,
        Ok(_) => Right::Lacks,
        Err(error) => {
            let why = told(&error, &format!("ask whether {} may approve", person.username));
            Right::Unknown(if is_denied(&error) { format!("{why} {}", mended(core, home)) } else { why })
        }
    }
}

/// What can be done where the question is refused.
fn mended(core: &Core, home: &ClusterId) -> String {
    match core.targets.topology() {
        Topology::Workspaces { .. } => {
            let home = core.world.tree().path(home).map_or_else(|| home.to_string(), |path| path.to_string());
            let binding = Export::Catalog.name();
            format!("Whoever administers {home} can accept the claim on subjectaccessreviews in its APIBinding {binding}.")
        }
        Topology::Namespaces => mend(&Topology::Namespaces).to_owned(),
    }
}
