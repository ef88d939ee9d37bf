//! The inbox: what waits, what was decided, what is open. It is filtered, counted and paginated, with what expires first on top.

mod narrow;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use app::view::{GivenLine, InboxPage, InboxQuery, InboxRow, InboxView, NextApproval};
use cluster::ClusterId;
use cluster::kinds::{Approval, PromiseRequest};
use cluster::watch::Key;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::api::{Decision, Enforcement, PolicyResult};
use promise::price::{Amount, Change, Estimate};
use promise::risk::{self, Weighed};
use promise::wording::counted;
use promise::{Error, Result};

use self::narrow::narrow;
use super::approval_index::subject;
use super::matter::waiting;
use super::review;
use super::standing::{Standing, is_open};
use super::step::{self, RunInQuestion};
use crate::portal::Caller;
use crate::portal::place::TOGETHER;
use crate::portal::requests::listing::Sight;
use crate::portal::requests::{decisions, rows};
use crate::portal::stand_in::Cover;
use crate::portal::topic::{self, Topic};

/// Returns the page.
pub(super) async fn page(caller: &Caller, query: &InboxQuery) -> Result<InboxPage> {
    let view = InboxView::parse(&query.view);
    // Taken before anything is read: the event stream reports what changes in between.
    let seen = topic::seen(caller, &Topic::Decisions).await?;
    let mut covers = caller.covers().await?;
    covers.retain(|cover| cover.line.now);
    let open = open(caller, &covers).await?;
    let waiting: BTreeSet<String> = open.iter().filter(|row| row.waits).map(|row| row.row.uid.clone()).collect();
    let rows: Vec<InboxRow> = match view {
        InboxView::Waiting => open.into_iter().filter(|row| row.waits || row.row.mine && row.asks).map(|row| row.row).collect(),
        InboxView::All => open.into_iter().map(|row| row.row).collect(),
        InboxView::Decided => decided(caller),
    };
    let narrowed = narrow(rows, query, caller.portal().clock.now(), &caller.portal().people.names());
    let shown = match (view, query.open.as_str()) {
        (InboxView::Decided, "") => None,
        // After a decision, the next one that still waits: others might have decided about the one that was to come.
        (_, uid) if !query.done.is_empty() && !waiting.contains(uid) => {
            narrowed.order.iter().find(|(uid, _)| waiting.contains(uid)).map(|(uid, _)| uid.clone())
        }
        (_, "") => narrowed.rows.first().map(|row| row.uid.clone()),
        (_, uid) => Some(uid.to_owned()),
    };
    let next = shown.as_deref().and_then(|shown| next(&narrowed.order, &waiting, shown));
    let mut absent = false;
    let review = match shown {
        None => None,
        Some(uid) => match review::page(caller, &uid, &query.since).await {
            Ok(page) => Some(page),
            // The request disappeared, perhaps while the list was built. The list is shown all the same.
            Err(Error::NotFound { .. }) => {
                absent = !query.open.is_empty();
                None
            }
            Err(error) => return Err(error),
        },
    };
    Ok(InboxPage {
        total: narrowed.total,
        all: narrowed.all,
        pages: narrowed.pages,
        waiting: waiting.len(),
        promises: narrowed.promises,
        workspaces: narrowed.workspaces,
        risks: narrowed.risks,
        query: InboxQuery { page: narrowed.page, view: view.word().to_owned(), ..query.clone() },
        as_of: caller.portal().lists_as_of(),
        done: together(query).unwrap_or_else(|| done(caller, &query.done)),
        covers: covers.into_iter().map(|cover| cover.line).collect(),
        rows: narrowed.rows,
        review,
        absent,
        next,
        seen,
    })
}

/// Returns the first approval that waits for the user after the one that is shown; after the last one, it starts again from the top.
fn next(order: &[(String, String)], waiting: &BTreeSet<String>, shown: &str) -> Option<NextApproval> {
    let at = order.iter().position(|(uid, _)| uid == shown).map_or(0, |at| at + 1);
    let (before, after) = order.split_at(at);
    let mut left = after.iter().chain(before).filter(|(uid, _)| uid != shown && waiting.contains(uid));
    let (uid, name) = left.next()?;
    Some(NextApproval { uid: uid.clone(), name: name.clone(), left: left.count() + 1 })
}

/// Returns how many requests wait for this user.
pub(super) async fn waits(caller: &Caller) -> Result<usize> {
    Ok(waiting_requests(caller).await?.len())
}

/// Returns the keys of the requests that wait for this user. Several approvals of one request have the same key.
pub(in crate::portal) async fn waiting_keys(caller: &Caller) -> Result<HashSet<Key>> {
    Ok(waiting_requests(caller).await?.into_iter().map(|(_, key, _)| key).collect())
}

/// Returns rows for at most `most` approvals that wait for this user, with what expires first on top, and the keys of all of them.
pub(in crate::portal) async fn waiting_rows(caller: &Caller, most: usize) -> Result<(Vec<InboxRow>, Vec<Key>)> {
    let waiting = waiting_requests(caller).await?;
    let mut rows = Vec::with_capacity(most.min(waiting.len()));
    for (_, key, request) in waiting.iter().take(most) {
        rows.push(row(caller, key, request, &caller.standings(request).await?));
    }
    Ok((rows, waiting.into_iter().map(|(_, key, _)| key).collect()))
}

/// Returns the approvals that wait for this user, with what expires first on top. Every count of them is the length of this list.
pub(super) async fn waiting_requests(caller: &Caller) -> Result<Vec<(Urgency, Key, Arc<PromiseRequest>)>> {
    let portal = caller.portal();
    let open = portal.approval_index.open(&portal.world);
    let deciding = caller.deciding(open.iter().map(|(_, request)| &**request)).await?;
    let waits = open.iter().filter(|(_, request)| caller.standings_by(&deciding, request).iter().any(Standing::waits));
    let mut waiting: Vec<(Urgency, Key, Arc<PromiseRequest>)> =
        waits.map(|(key, request)| (urgency(request), key.clone(), request.clone())).collect();
    waiting.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    Ok(waiting)
}

impl Caller {
    /// Returns a number that differs for each state of what waits for this user, of the open requests that the user can see, and of the
    /// user's decisions.
    ///
    /// # Errors
    /// If the control plane doesn't respond.
    pub(crate) async fn decisions_stamp(&self) -> Result<u64> {
        let portal = self.portal();
        let mut stamp = DefaultHasher::new();
        let add = |key: &Key, request: &Arc<PromiseRequest>, standings: &[Standing<'_>]| {
            let waits = standings.iter().any(Standing::waits);
            (key, step::question_id(request), &request.metadata.resource_version, waits).hash(&mut stamp);
        };
        seen(self, add).await?;
        let decided = portal.approval_index.of_person(&portal.world, &self.identity().person);
        (decided.len(), decided.first().map(|(key, _)| key)).hash(&mut stamp);
        Ok(stamp.finish())
    }
}

/// An open request that the user can see.
struct Open {
    row: InboxRow,
    /// Whether it waits for this user.
    waits: bool,
    /// Whether the user would decide about it if someone else had requested it.
    asks: bool,
}

/// Returns the open requests that the user can see: those that the user decides about, and those that the user can list.
async fn open(caller: &Caller, covers: &[Cover]) -> Result<Vec<Open>> {
    let of = |key: &Key, request: &Arc<PromiseRequest>, standings: &[Standing<'_>]| {
        let waits = standings.iter().any(Standing::waits);
        let asks = standings.iter().any(|standing| standing.may && standing.own);
        let mut row = row(caller, key, request, standings);
        if row.note.is_empty() {
            row.note = instead(covers, standings);
        }
        (urgency(request), Open { row, waits, asks })
    };
    let mut rows: Vec<(Urgency, Open)> = seen(caller, of).await?;
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(rows.into_iter().map(|(_, open)| open).collect())
}

/// Returns the results of `each` for every open request that the user can see, with the user's part in it. Each permission is checked once,
/// no matter how many requests wait.
async fn seen<T>(caller: &Caller, mut each: impl FnMut(&Key, &Arc<PromiseRequest>, &[Standing<'_>]) -> T + Send) -> Result<Vec<T>> {
    let portal = caller.portal();
    let open = portal.approval_index.open(&portal.world);
    let deciding = caller.deciding(open.iter().map(|(_, request)| &**request)).await?;
    let stood: Vec<_> = open.iter().map(|(key, request)| (key, request, caller.standings_by(&deciding, request))).collect();
    let decides = |standings: &[Standing<'_>]| standings.iter().any(|standing| standing.may && is_open(standing.approval));
    let others: BTreeSet<&ClusterId> = stood.iter().filter(|(.., stands)| !decides(stands)).map(|(key, ..)| &key.cluster).collect();
    let clusters: Vec<ClusterId> = others.iter().map(|cluster| (*cluster).clone()).collect();
    let sights = stream::iter(clusters).map(|cluster| async move { caller.sight(&cluster).await });
    let sights: Vec<Sight> = sights.buffered(TOGETHER).try_collect().await?;
    let sights: BTreeMap<&ClusterId, Sight> = others.into_iter().zip(sights).collect();
    let listed = |key: &Key| sights.get(&key.cluster).is_some_and(|sight| sight.covers(&key.namespace));
    let seen = stood.iter().filter(|(key, _, standings)| decides(standings) || listed(key));
    Ok(seen.map(|(key, request, standings)| each(key, request, standings)).collect())
}

/// Describes for whom the user would decide as a delegate. Empty if only for themselves.
fn instead(covers: &[Cover], standings: &[Standing<'_>]) -> String {
    let waits = || standings.iter().filter(|standing| standing.waits());
    let cover = covers.iter().find(|cover| waits().any(|standing| cover.is_asked(&standing.approval.approvers)));
    cover.map(|cover| format!("Delegated by {}", cover.line.person)).unwrap_or_default()
}

/// When it expires, since when it waits, and how pages name it.
pub(super) type Urgency = (String, String, String);

/// Sorts what expires first to the top, then what has waited longest. Times are RFC 3339 in UTC, so their texts sort chronologically; `~`
/// sorts after all of them.
fn urgency(request: &PromiseRequest) -> Urgency {
    let expires = expires(request).unwrap_or_else(|| "~".to_owned());
    (expires, since(request), step::question_id(request))
}

/// Returns when the first of the open approvals expires.
fn expires(request: &PromiseRequest) -> Option<String> {
    let status = request.status.as_ref().filter(|status| waiting(status).is_some())?;
    let asked = status.approvals.iter().filter(|approval| is_open(approval));
    asked.filter_map(|approval| approval.expires_at.clone()).min()
}

/// Returns since when the request has had its candidate.
fn since(request: &PromiseRequest) -> String {
    let candidate = request.status.as_ref().and_then(|status| status.candidate.as_ref());
    candidate.and_then(|candidate| candidate.since.clone()).unwrap_or_default()
}

/// Returns the row of a request, from the portal's cache.
pub(super) fn row(caller: &Caller, key: &Key, request: &PromiseRequest, standings: &[Standing<'_>]) -> InboxRow {
    let status = request.status.as_ref();
    let tree = caller.portal().world.tree();
    let (promise_title, icon) = rows::presentation(caller, &key.cluster, request);
    let run = step::run_in_question(caller, request);
    // The price of the request and the warnings about it aren't those of a run.
    let (price, weighed) = match run {
        Some(_) => Default::default(),
        None => {
            let prices = Prices::of(caller, key, request);
            (prices.in_words(), weigh(request, &prices))
        }
    };
    let candidate = status.and_then(|status| status.candidate.as_ref());
    let open = status.and_then(waiting).is_some();
    let note = if open { note(caller, key, request, (run.as_ref(), standings)) } else { String::new() };
    InboxRow {
        uid: step::question_id(request),
        workspace: tree.path(&key.cluster).map(|path| path.to_string()).unwrap_or_default(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        action: run.map(|run| run.action).unwrap_or_default(),
        promise: request.spec.promise.name.clone(),
        promise_title,
        icon,
        version: candidate.map(|candidate| candidate.version.clone()).unwrap_or_default(),
        change: status.is_some_and(|status| status.current.is_some()),
        requester: rows::requester(request),
        mine: rows::is_of(caller, request),
        price,
        since: since(request),
        expires: expires(request),
        risk: weighed.risk,
        why: weighed.why,
        note,
        given: None,
    }
}

/// Quotes of what is running and of what is requested.
pub(super) struct Prices {
    before: Option<Amount>,
    pub(super) after: Option<Amount>,
}

impl Prices {
    pub(super) fn of(caller: &Caller, key: &Key, request: &PromiseRequest) -> Self {
        let world = &caller.portal().world;
        let kept = |name: &str| {
            let release = world.releases.get(&key.beside(name))?;
            Some(Estimate::recorded(&release.spec())?.monthly)
        };
        let status = request.status.as_ref();
        let current = status.and_then(|status| status.current.as_ref()).and_then(|current| kept(&current.release));
        let candidate = status.and_then(|status| status.candidate.as_ref()).and_then(|candidate| kept(&candidate.release));
        Self { before: current, after: candidate }
    }

    fn in_words(&self) -> String {
        match (&self.before, &self.after) {
            (_, None) => String::new(),
            (None, Some(Amount::Known(money))) => money.as_change(),
            (None, Some(Amount::Unknown(_))) => "price unknown".to_owned(),
            (Some(before), Some(after)) => Change { before: before.clone(), after: after.clone() }.to_string(),
        }
    }
}

fn weigh(request: &PromiseRequest, prices: &Prices) -> Weighed {
    let Some(status) = &request.status else { return Weighed::default() };
    let warns = |result, enforcement| result == PolicyResult::Warned && enforcement != Enforcement::Audit;
    risk::weigh(&risk::Facts {
        before: prices.before.as_ref(),
        after: prices.after.as_ref(),
        warned: status.policies.iter().filter(|outcome| warns(outcome.result, outcome.enforcement)).count(),
        running: status.current.as_ref().map(|current| current.version.as_str()),
        wanted: status.candidate.as_ref().map(|candidate| candidate.version.as_str()).unwrap_or_default(),
    })
}

/// Returns the note for this user about an open request, or a run of one of its actions.
fn note(caller: &Caller, key: &Key, request: &PromiseRequest, about: (Option<&RunInQuestion>, &[Standing<'_>])) -> String {
    let (run, standings) = about;
    let uid = request.metadata.uid.as_deref().unwrap_or_default();
    let hash = request.status.as_ref().and_then(|status| status.candidate.as_ref()).map(|candidate| candidate.content_hash.as_str());
    if standings.iter().any(|standing| standing.decided.is_some()) {
        return "You decided".to_owned();
    }
    if standings.iter().any(|standing| standing.held) {
        return "Changes requested".to_owned();
    }
    if let Some(standing) = standings.iter().find(|standing| standing.may && standing.own) {
        let whose = if standing.changed { "Last changed by you" } else { "Your request" };
        return format!("{whose}: someone else decides");
    }
    if let Some(run) = run {
        return run.note.clone();
    }
    if let Some(step) = step::step(request) {
        return step::name(step);
    }
    let last = caller.decided_about(uid).into_iter().next();
    match last {
        Some(approval) if Some(approval.spec.content_hash.as_str()) != hash => {
            let since = match approval.spec.decision {
                Decision::Approve => "since you approved it",
                Decision::Reject => "since you rejected it",
                Decision::Skip => "since you skipped a step",
                Decision::RequestChanges => "since you requested changes",
            };
            let what = if is_edited_since(caller, key, request, &approval.spec.content_hash) { "Edited" } else { "Policies changed" };
            format!("{what} {since}")
        }
        _ if !standings.iter().any(Standing::waits) && standings.iter().any(|standing| standing.may) => "Not your turn yet".to_owned(),
        _ => String::new(),
    }
}

/// Checks whether the requester edited a request since it had this content: otherwise policies, prices or the promise changed. If that
/// content is no longer kept, it counts as an edit.
fn is_edited_since(caller: &Caller, key: &Key, request: &PromiseRequest, hash: &str) -> bool {
    let generation = request.status.as_ref().and_then(|status| status.candidate.as_ref()).and_then(|candidate| candidate.generation);
    let (world, uid) = (&caller.portal().world, request.metadata.uid.as_deref().unwrap_or_default());
    let former = world.releases_of(key, uid).into_iter().find(|release| release.content_hash == hash);
    former.is_none_or(|former| Some(former.request_generation) != generation)
}

/// Returns what this user decided, newest first: their own words, regardless of the request's outcome.
fn decided(caller: &Caller) -> Vec<InboxRow> {
    let portal = caller.portal();
    let all = portal.approval_index.of_person(&portal.world, &caller.identity().person);
    all.iter().map(|(at, approval)| decided_row(caller, at, approval)).collect()
}

fn decided_row(caller: &Caller, at: &Key, approval: &Approval) -> InboxRow {
    let world = &caller.portal().world;
    let named = &approval.spec.request;
    let key = subject(at, named);
    let request: Option<Arc<PromiseRequest>> = key.as_ref().and_then(|key| world.requests.get(key));
    let request = request.filter(|request| request.metadata.uid.as_deref() == Some(named.uid.as_str()));
    let presented = key.as_ref().zip(request.as_ref()).map(|(key, request)| rows::presentation(caller, &key.cluster, request));
    let (promise_title, icon) = presented.unwrap_or_default();
    let given = decisions::said(approval);
    InboxRow {
        uid: named.uid.clone(),
        workspace: key.and_then(|key| world.tree().path(&key.cluster)).map(|path| path.to_string()).unwrap_or_default(),
        namespace: named.namespace.clone(),
        name: named.name.clone(),
        promise: request.as_ref().map(|request| request.spec.promise.name.clone()).unwrap_or_default(),
        promise_title,
        icon,
        requester: request.as_ref().map(|request| rows::requester(request)).unwrap_or_default(),
        since: given.at.clone(),
        note: if request.is_some() { String::new() } else { "The request no longer exists".to_owned() },
        given: Some(given),
        ..InboxRow::default()
    }
}

/// Describes what was just decided about several requests.
fn together(query: &InboxQuery) -> Option<String> {
    let done = match query.decision.as_str() {
        "approve" => "approved",
        "reject" => "rejected",
        "requestChanges" => "sent back for changes",
        _ => return None,
    };
    (query.together > 0).then(|| format!("{} {done}.", counted(query.together as u64, "request")))
}

/// Describes the user's last decision about a request.
fn done(caller: &Caller, uid: &str) -> String {
    if uid.is_empty() {
        return String::new();
    }
    let last = caller.decided_about(step::parts(uid).0).into_iter().next();
    last.map(|approval| {
        let GivenLine { decision, .. } = decisions::said(&approval);
        format!("{}: you {decision}. This applies only to the version that you saw.", approval.spec.request.name)
    })
    .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_one_waits_and_comes_after_the_one_that_is_shown() {
        let order = ["a", "b", "c", "d"].map(|uid| (uid.to_owned(), format!("request-{uid}")));
        let waiting = |uids: &[&str]| uids.iter().map(|uid| (*uid).to_owned()).collect::<BTreeSet<String>>();
        let after = |shown: &str, waits: &[&str]| next(&order, &waiting(waits), shown).map(|next| (next.uid, next.name, next.left));
        let told = |uid: &str, left| Some((uid.to_owned(), format!("request-{uid}"), left));
        assert_eq!(after("a", &["a", "c", "d"]), told("c", 2), "one that waits for somebody else is skipped");
        assert_eq!(after("d", &["a", "c", "d"]), told("a", 2), "from the top again");
        assert_eq!(after("elsewhere", &["b"]), told("b", 1));
        assert_eq!(after("b", &["b"]), None);
        assert_eq!(after("b", &["gone"]), None, "what the filters leave out doesn't come next");
    }
}
