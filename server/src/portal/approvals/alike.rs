//! Requests of the same shape: same promise, same rule, same difference. Only such requests can be decided together.

use std::collections::BTreeSet;
use std::sync::Arc;

use app::backend::Vote;
use app::view::{AlikePage, AlikeRow, Asked};
use cluster::kinds::PromiseRevision;
use cluster::watch::Key;
use promise::api::{Decision, ReleaseRevision};
use promise::change::Change;
use promise::price::Estimate;
use promise::revision::digest;
use promise::{ConflictReason, Error, Problem, Result};
use serde::Serialize;
use serde_json::Value;

use super::matter::{self, Matter, waiting};
use super::review::{self, Told};
use super::standing::{Standing, rule_id};
use super::step::{own_hash, parts};
use super::{inbox, terms, vote};
use crate::portal::Caller;

/// Maximum number of requests that can be decided together.
pub(super) const MOST: usize = 20;

/// What has to be equal: after reading one of two requests with the same shape, an approver knows as much about the other.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shape<'a> {
    rule: &'a str,
    from: Option<&'a ReleaseRevision>,
    to: &'a ReleaseRevision,
    changes: Vec<(String, &'a Option<Value>, &'a Option<Value>)>,
    terms: Vec<(String, Option<String>, Option<String>)>,
    price: Option<(Option<String>, String)>,
    rules: BTreeSet<String>,
}

/// Returns the shape of the content to decide about, for one rule. `None` if it can't be determined.
fn shape(caller: &Caller, matter: &Matter, rule: &str) -> Option<(String, Arc<PromiseRevision>, Vec<Change>)> {
    // Parameters of an action aren't compared.
    if matter.run.is_some() {
        return None;
    }
    let (candidate, former) = matter.both();
    let candidate = candidate?;
    let revision = caller.portal().world.revision_of(&candidate.spec.revision)?;
    let spec = &revision.spec.spec;
    let nothing = promise::api::PromiseReleaseSpec::default();
    let changes = review::changed(spec, former.map_or(&nothing, |former| &former.spec), &candidate.spec);
    let money = |estimate: Estimate| estimate.monthly.money().map(|money| format!("{} {}", money.decimal(), money.currency));
    let after = Estimate::recorded(&candidate.spec).map(money);
    let before = former.and_then(|former| Estimate::recorded(&former.spec)).and_then(money);
    // An unknown price never equals another.
    let price = match after {
        None => None,
        Some(None) => return None,
        Some(Some(after)) => Some((before, after)),
    };
    let shape = Shape {
        rule,
        from: former.map(|former| &former.spec.revision),
        to: &candidate.spec.revision,
        changes: changes.iter().map(|change| (change.path.to_string(), &change.before, &change.after)).collect(),
        terms: terms::changed(former.map(|former| &former.spec), &candidate.spec)
            .into_iter()
            .map(|change| (change.path, change.before, change.after))
            .collect(),
        price,
        rules: candidate.spec.rules.iter().map(|rule| rule.id.clone()).collect(),
    };
    let digest = digest(&shape).ok()?;
    // A secret never equals another, even under the same name.
    let secret = changes.iter().any(|change| promise::change::is_secret(spec, &change.path));
    (!secret).then_some((digest, revision, changes))
}

/// Returns how many other requests look the same in the list, as far as that is known without reading them.
pub(super) fn count(caller: &Caller, matter: &Matter, standings: &[Standing<'_>]) -> usize {
    let Some(standing) = standings.iter().find(|standing| standing.waits()) else { return 0 };
    like(caller, matter, &rule_id(standing.approval)).len()
}

/// Returns the open requests of the same promise in the same version that need approval under the same rule. Runs of actions differ in more.
fn like(caller: &Caller, matter: &Matter, rule: &str) -> Vec<Key> {
    let portal = caller.portal();
    let of = |request: &cluster::kinds::PromiseRequest| {
        let status = request.status.as_ref()?;
        let candidate = waiting(status)?;
        let asks = status.approvals.iter().any(|approval| super::standing::is_open(approval) && rule_id(approval) == rule);
        asks.then(|| {
            (request.spec.promise.name.clone(), candidate.revision.clone(), status.current.as_ref().map(|current| current.revision.clone()))
        })
    };
    let own = of(&matter.request).filter(|_| own_hash(&matter.request).is_none());
    let open = portal.approval_index.open(&portal.world);
    let is_like = |request: &cluster::kinds::PromiseRequest| own_hash(request).is_none() && of(request) == own;
    open.iter().filter(|(key, request)| *key != matter.key && own.is_some() && is_like(request)).map(|(key, _)| key.clone()).collect()
}

/// Returns the page with all requests that have the same shape as this request.
pub(super) async fn page(caller: &Caller, uid: &str) -> Result<AlikePage> {
    let matter = matter::find(caller, uid).await?;
    let standings = caller.standings(&matter.request).await?;
    let nothing = || Error::from(ConflictReason::NothingForYou);
    let standing = standings.iter().find(|standing| standing.waits()).ok_or_else(nothing)?;
    let rule = rule_id(standing.approval);
    let (wanted, revision, changes) = shape(caller, &matter, &rule).ok_or_else(nothing)?;
    let told = Told { spec: &revision.spec.spec, outcomes: &[], policies: &[] };
    let (candidate, former) = matter.both();
    let parameters =
        |release: Option<&cluster::kinds::PromiseRelease>| release.and_then(|release| release.spec.parameters.clone()).unwrap_or_default();
    let told = told.all_in_words(&changes, &parameters(former), &parameters(candidate));
    let terms = candidate.map(|candidate| terms::changed(former.map(|former| &former.spec), &candidate.spec)).unwrap_or_default();
    let mut page = AlikePage {
        like: inbox::row(caller, &matter.key, &matter.request, &standings),
        asked: Asked { rule: rule.clone(), title: review::who(caller, standing.approval), ordinary: true, emergency: false, window: false },
        changes: told.into_iter().chain(terms).collect(),
        rows: Vec::new(),
        others: 0,
    };
    page.rows.push(AlikeRow { row: page.like.clone(), hash: matter.hash().unwrap_or_default(), decided_against: against(caller, uid) });
    for key in like(caller, &matter, &rule) {
        let uid = caller.portal().world.requests.get(&key).and_then(|request| request.metadata.uid.clone()).unwrap_or_default();
        if page.rows.len() >= MOST {
            page.others += 1;
            continue;
        }
        match same(caller, &uid, &rule, &wanted).await? {
            Some(row) => page.rows.push(row),
            None => page.others += 1,
        }
    }
    Ok(page)
}

/// Returns another request if the user decides about it too and it has the given shape.
async fn same(caller: &Caller, uid: &str, rule: &str, wanted: &str) -> Result<Option<AlikeRow>> {
    let other = match matter::find(caller, uid).await {
        Ok(other) => other,
        Err(Error::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let standings = caller.standings(&other.request).await?;
    let waits = standings.iter().any(|standing| standing.waits() && rule_id(standing.approval) == rule);
    let found = shape(caller, &other, rule).filter(|(shape, ..)| waits && shape == wanted);
    Ok(found.and_then(|_| {
        let row = inbox::row(caller, &other.key, &other.request, &standings);
        Some(AlikeRow { row, hash: other.hash()?, decided_against: against(caller, uid) })
    }))
}

/// Describes an earlier decision of this user against a request, for any content. The request is decided together with others only if the
/// user confirms it.
fn against(caller: &Caller, uid: &str) -> String {
    let against = caller
        .decided_about(parts(uid).0)
        .into_iter()
        .map(|approval| approval.spec.decision)
        .find(|decision| *decision != Decision::Approve);
    match against {
        Some(Decision::Reject) => "You rejected it earlier".to_owned(),
        Some(Decision::RequestChanges) => "You requested changes earlier".to_owned(),
        Some(Decision::Approve | Decision::Skip) | None => String::new(),
    }
}

/// Decides about several requests at once: each for exactly the content that the user saw, and none if one of them has changed its shape.
pub(super) async fn post(caller: &Caller, vote: &Vote, items: &[(String, String)]) -> Result<usize> {
    let refused = |message: &str| Err(Error::Invalid { problems: vec![Problem { path: String::new(), message: message.to_owned() }] });
    if items.is_empty() {
        return refused("Choose at least one request.");
    }
    if items.len() > MOST || vote.emergency {
        return refused("These requests can't be decided together.");
    }
    let mut wanted: Option<String> = None;
    let mut matters = Vec::new();
    for (uid, hash) in items {
        let matter = matter::find(caller, uid).await?;
        let name = matter.key.name.clone();
        if matter.hash().as_ref() != Some(hash) {
            return Err(ConflictReason::OneChanged { name }.into());
        }
        let Some((shape, ..)) = shape(caller, &matter, &vote.rule) else {
            return Err(ConflictReason::OneUnknown { name }.into());
        };
        if *wanted.get_or_insert_with(|| shape.clone()) != shape {
            return Err(ConflictReason::OneDiffers { name }.into());
        }
        matters.push((matter, hash));
    }
    let mut done = 0;
    for (matter, hash) in &matters {
        let own = Vote { hash: (*hash).clone(), ..vote.clone() };
        match vote::cast(caller, matter, &own).await {
            Ok(()) => done += 1,
            Err(error) if done == 0 => return Err(error),
            Err(error) => {
                let (all, name) = (matters.len(), matter.key.name.clone());
                return Err(ConflictReason::PartlyDecided { done, all, name, because: Box::new(error) }.into());
            }
        }
    }
    Ok(done)
}
