//! Checks in many workspaces what a user can do there, whether the user can enter, and where in them requests can be listed, within the
//! time limit of a page.
//!
//! Users who can't enter a workspace must not learn that it exists: until the control plane has confirmed access, it has no name.

use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use cluster::workspaces::Node;
use cluster::{ClusterId, WorkspacePath};
use futures::StreamExt as _;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use promise::{Error, Result};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use super::listing::Place;
use crate::portal::Caller;
use crate::portal::place::TOGETHER;
use crate::portal::rights::Right;

/// Time limit for all of them together.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a workspace that doesn't respond delays the others.
const TURN: Duration = Duration::from_millis(250);
/// Number of tasks that query them.
const LOTS: usize = 4;
/// Stands for all workspaces for which the control plane didn't report whether the user can enter them.
const UNNAMED: &str = "some workspaces that you might have access to";

/// Returns what a call returns, unless it takes too long for a page.
///
/// # Errors
/// If it takes too long.
pub(in crate::portal) async fn in_time<T>(call: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(PATIENCE, call).await.unwrap_or_else(|_| Err(Error::Unreachable { what: "the control plane".to_owned() }))
}

/// The answers of the workspaces.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// Those that the user can enter, in the order of paths.
    pub(crate) open: Vec<Place>,
    /// Describes what is missing: paths of those that the user can enter, and one phrase for all others.
    pub(crate) unseen: Vec<String>,
    /// Why the first of them is missing.
    error: Option<Error>,
}

impl Walk {
    fn of(answers: Vec<Answer>) -> Self {
        let mut walk = Self::default();
        let mut is_unnamed = false;
        for answer in answers {
            let error = match answer {
                Answer::Closed => continue,
                Answer::Open(place) => {
                    walk.open.push(place);
                    continue;
                }
                Answer::Silent(path, error) => {
                    walk.unseen.push(path.to_string());
                    error
                }
                Answer::Unknown(error) => {
                    is_unnamed = true;
                    error
                }
            };
            walk.error = walk.error.take().or(Some(error));
        }
        if is_unnamed {
            walk.unseen.push(UNNAMED.to_owned());
        }
        walk
    }

    /// Returns those that the user can enter, if nothing is missing.
    ///
    /// # Errors
    /// If one of the workspaces did not respond.
    pub(crate) fn whole(self) -> Result<Vec<Place>> {
        self.error.map_or(Ok(self.open), Err)
    }
}

/// The answer of one workspace.
enum Answer {
    /// The user can't enter.
    Closed,
    /// The user can enter.
    Open(Place),
    /// The user can enter, but it is unknown what they can list.
    Silent(WorkspacePath, Error),
    /// It is unknown whether the user can enter.
    Unknown(Error),
}

impl Caller {
    /// Returns every workspace, or `top` and those below it, regardless of who can enter them.
    pub(crate) fn nodes_within(&self, top: Option<&WorkspacePath>) -> Vec<Node> {
        let within = |node: &&Node| top.is_none_or(|top| *top == node.path || node.path.as_str().starts_with(&format!("{top}:")));
        self.portal().world.tree().all().iter().filter(within).cloned().collect()
    }

    /// Queries all of these, which are given in the order of paths.
    pub(crate) async fn walk(&self, nodes: Vec<Node>) -> Walk {
        let turns = Arc::new(Turns::begin());
        // An in-process control plane responds on the calling task. A single task would leave the other processors idle.
        let lot = nodes.len().div_ceil(LOTS).max(1);
        let lots = nodes.chunks(lot).map(|nodes| {
            let (caller, turns, nodes) = (self.clone(), turns.clone(), nodes.to_vec());
            let asking = async move { join_all(nodes.into_iter().map(|node| caller.ask(node, &turns))).await };
            AbortOnDropHandle::new(tokio::spawn(asking.in_current_span()))
        });
        let mut answers = Vec::with_capacity(nodes.len());
        for lot in lots.collect::<Vec<_>>() {
            match lot.await {
                Ok(answered) => answers.extend(answered),
                // Nothing else aborts the task, so this is a defect and reported like any other.
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => resume_unwind(panic),
                    Err(_) => answers.push(Answer::Unknown(Error::Internal)),
                },
            }
        }
        Walk::of(answers)
    }

    /// Checks whether the user has a permission in one of these workspaces. Returns as soon as one of them confirms it.
    ///
    /// # Errors
    /// If none confirms it and one did not respond in time, so that the answer is unknown.
    pub(in crate::portal) async fn may_in_any(&self, turns: &Turns, clusters: Vec<ClusterId>, right: &Right) -> Result<bool> {
        let asked = clusters.into_iter().map(|cluster| async move {
            let may = turns.take(self.may(&cluster, right.clone())).await;
            may.inspect_err(|error| tracing::warn!(%error, %cluster, ?right, "an access check in a workspace failed"))
        });
        any(asked).await
    }

    async fn ask(&self, node: Node, turns: &Turns) -> Answer {
        let enters = turns.take(self.may(&node.cluster, Right::Enter)).await;
        let sight = match enters {
            Ok(true) => turns.take(self.sight(&node.cluster)).await,
            Ok(false) => return Answer::Closed,
            Err(error) => {
                tracing::warn!(%error, workspace = %node.path, "the access check for a workspace failed");
                return Answer::Unknown(error);
            }
        };
        match sight {
            Ok(sight) => Answer::Open(Place { cluster: node.cluster, path: node.path, sight }),
            Err(error) => {
                tracing::warn!(%error, workspace = %node.path, "the check of what can be listed in a workspace failed");
                Answer::Silent(node.path, error)
            }
        }
    }
}

/// Checks whether one of them answers yes, and returns as soon as one does. If none does, a missing answer doesn't count as a no.
async fn any(asked: impl IntoIterator<Item = impl Future<Output = Result<bool>>>) -> Result<bool> {
    let mut asked: FuturesUnordered<_> = asked.into_iter().collect();
    let mut silent = None;
    while let Some(answer) = asked.next().await {
        match answer {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => silent = silent.or(Some(error)),
        }
    }
    silent.map_or(Ok(false), Err)
}

/// Limits the concurrency of queries, with one deadline for all.
pub(in crate::portal) struct Turns {
    slots: Semaphore,
    turn: Duration,
    deadline: Instant,
}

impl Turns {
    /// Returns the turns of a page, whose time limit starts now.
    pub(in crate::portal) fn begin() -> Self {
        Self { slots: Semaphore::new(TOGETHER), turn: TURN, deadline: Instant::now() + PATIENCE }
    }

    /// Returns the answer, if it arrives in time. While a slow answer is awaited, others are queried.
    pub(in crate::portal) async fn take<T>(&self, asked: impl Future<Output = Result<T>>) -> Result<T> {
        let late = || Error::Unreachable { what: "the control plane".to_owned() };
        let Ok(Ok(slot)) = timeout_at(self.deadline, self.slots.acquire()).await else { return Err(late()) };
        // Slots are released after the deadline, but nothing more is queried then.
        if Instant::now() >= self.deadline {
            return Err(late());
        }
        let mut asked = pin!(asked);
        if let Ok(answer) = timeout_at(self.deadline.min(Instant::now() + self.turn), asked.as_mut()).await {
            return answer;
        }
        drop(slot);
        timeout_at(self.deadline, asked).await.unwrap_or_else(|_| Err(late()))
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;
    use crate::portal::requests::listing::Sight;

    fn path(path: &str) -> WorkspacePath {
        WorkspacePath::parse(path).unwrap()
    }

    fn turns(deadline: Duration) -> Turns {
        Turns { slots: Semaphore::new(1), turn: Duration::from_millis(1), deadline: Instant::now() + deadline }
    }

    #[test]
    fn a_workspace_is_named_to_those_alone_who_may_enter_it() {
        let late = || Error::Unreachable { what: "the control plane".into() };
        let open = || Answer::Open(Place { cluster: ClusterId::root(), path: path("root"), sight: Sight::Everywhere });
        let walk = Walk::of(vec![open(), Answer::Closed, Answer::Unknown(late()), Answer::Silent(path("root:acme"), late())]);
        assert_eq!((walk.open.len(), walk.unseen.as_slice()), (1, ["root:acme".to_owned(), UNNAMED.to_owned()].as_slice()));
        assert_eq!(walk.whole().unwrap_err(), late());
        let walk = Walk::of(vec![Answer::Unknown(late()), Answer::Unknown(late())]);
        assert_eq!(walk.unseen, [UNNAMED], "once for all of them");
        assert_eq!(Walk::of(vec![open(), Answer::Closed]).whole().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn who_does_not_answer_keeps_nobody_waiting() {
        let turns = turns(Duration::from_secs(60));
        tokio::select! {
            biased;
            _ = turns.take(pending::<Result<()>>()) => panic!("it never answers"),
            answer = turns.take(ready(Ok(7))) => assert_eq!(answer, Ok(7)),
        }
    }

    #[tokio::test]
    async fn one_yes_is_enough_and_silence_is_no_no() {
        let late = || Error::Unreachable { what: "the control plane".into() };
        let of = |answers: Vec<Option<Result<bool>>>| {
            any(answers.into_iter().map(|answer| async move {
                match answer {
                    Some(answer) => answer,
                    None => pending().await,
                }
            }))
        };
        assert_eq!(of(vec![None, Some(Ok(false)), Some(Err(late())), Some(Ok(true))]).await, Ok(true), "nobody else is waited for");
        assert_eq!(of(vec![Some(Err(late())), Some(Ok(false))]).await, Err(late()));
        assert_eq!(of(vec![Some(Ok(false))]).await, Ok(false));
        assert_eq!(of(Vec::new()).await, Ok(false));
        // A workspace that never responds counts as silent at the deadline.
        let turns = turns(Duration::from_millis(1));
        assert_eq!(any([turns.take(pending::<Result<bool>>())]).await, Err(late()));
    }

    #[tokio::test]
    async fn when_the_time_is_over_nobody_is_asked() {
        let asked = std::cell::Cell::new(false);
        let asking = async {
            asked.set(true);
            Ok(())
        };
        assert!(matches!(turns(Duration::ZERO).take(asking).await, Err(Error::Unreachable { .. })));
        assert!(!asked.get());
    }
}
