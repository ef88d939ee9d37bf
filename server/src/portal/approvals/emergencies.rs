//! Who broke the glass, when and why: every approval in an emergency that the plane lets the person list.

use std::collections::BTreeMap;

use cluster::ClusterId;
use cluster::kinds::Approval;
use cluster::watch::Key;
use jiff::SignedDuration;
use promise::view::{EmergenciesPage, EmergencyLine, Whole};
use promise::{Error, Result, names};

use super::docket::subject;
use crate::auth::Caller;
use crate::portal::requests::decisions;
use crate::portal::rights::Right;

/// Rows of one page.
const PAGE: usize = 30;

impl Right {
    /// To read decisions, wherever their request is.
    fn decisions() -> Self {
        Self::Do { verb: "list", group: names::GROUP, resource: "approvals", namespace: String::new(), name: String::new() }
    }
}

/// The page of that number.
pub(super) async fn page(caller: &Caller, number: usize) -> Result<EmergenciesPage> {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let all = portal.docket.emergencies(&portal.world);
    let mut open: BTreeMap<ClusterId, bool> = BTreeMap::new();
    let mut unseen = Vec::new();
    for cluster in places(&all) {
        let may = match caller.may(&cluster, Right::decisions()).await {
            Ok(may) => may,
            Err(error @ Error::Unauthenticated) => return Err(error),
            Err(error) => {
                tracing::warn!(%error, %cluster, "a workspace is missing in the list of emergencies");
                unseen.extend(tree.path(&cluster).map(|path| path.to_string()));
                false
            }
        };
        open.insert(cluster, may);
    }
    let seen: Vec<EmergencyLine> = all
        .iter()
        .filter(|(key, _)| open.get(&key.cluster).copied().unwrap_or_default())
        .map(|(key, approval)| line(caller, key, approval))
        .collect();
    let whole = Whole::new(seen, portal.lists_as_of(), unseen);
    let since = portal.clock.now().saturating_sub(SignedDuration::from_hours(24 * EmergenciesPage::RECENT_DAYS));
    let since = since.map(|since| since.to_string()).unwrap_or_default();
    // Times are RFC 3339 in UTC, so that their texts sort as they do.
    let recent = whole.total_of(|line| line.given.at >= since);
    let cut = whole.page(number, PAGE);
    let places = open.values().filter(|may| **may).count();
    Ok(EmergenciesPage { rows: cut.rows, total: cut.total, recent, places, page: cut.page, pages: cut.pages })
}

/// Workspaces in which somebody broke the glass, each once.
fn places(all: &[(Key, std::sync::Arc<Approval>)]) -> Vec<ClusterId> {
    let mut places: Vec<ClusterId> = all.iter().map(|(key, _)| key.cluster.clone()).collect();
    places.sort();
    places.dedup();
    places
}

fn line(caller: &Caller, at: &Key, approval: &Approval) -> EmergencyLine {
    let world = &caller.portal().world;
    let tree = world.tree();
    let named = &approval.spec.request;
    let key = subject(at, named);
    let request = key.as_ref().and_then(|key| world.requests.get(key));
    let rule = &approval.spec.rule;
    EmergencyLine {
        uid: named.uid.clone(),
        workspace: key.and_then(|key| tree.path(&key.cluster)).map(|path| path.to_string()).unwrap_or_default(),
        namespace: named.namespace.clone(),
        name: named.name.clone(),
        is_there: request.is_some_and(|request| request.metadata.uid.as_deref() == Some(named.uid.as_str())),
        of: rule.policy.clone().or_else(|| rule.promise.clone()).unwrap_or_default(),
        own: rule.policy.is_none(),
        rule: rule.name.clone(),
        source: tree.path(&at.cluster).map(|path| path.to_string()).unwrap_or_default(),
        approval: at.name.clone(),
        given: decisions::said(approval),
    }
}
