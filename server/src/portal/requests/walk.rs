//! Asking many workspaces what a person may do there, whether the person may enter, and where in them requests may be listed, in the time
//! that a page has.
//!
//! That a workspace is there is nobody's business who may not enter it: until the plane has said that the person may, it has no name.

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
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use super::listing::Place;
use crate::auth::Caller;
use crate::portal::place::TOGETHER;
use crate::portal::rights::Right;

/// How long all of them together may take to answer.
pub(in crate::portal) const PATIENCE: Duration = Duration::from_secs(5);
/// How long one that does not answer keeps others from being asked.
const TURN: Duration = Duration::from_millis(250);
/// In how many tasks they are asked.
const LOTS: usize = 4;
/// What stands for all workspaces of which the plane did not say whether the person may enter them.
const UNNAMED: &str = "some workspaces that you may or may not enter";

/// What the workspaces answered.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// Those that the person may enter, in the order of paths.
    pub(crate) open: Vec<Place>,
    /// What is missing, in words: paths of those that the person may enter, and one phrase for all others.
    pub(crate) unseen: Vec<String>,
    /// Why the first of it is missing.
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

    /// Those that the person may enter, where nothing is missing.
    ///
    /// # Errors
    /// One of the workspaces did not answer.
    pub(crate) fn whole(self) -> Result<Vec<Place>> {
        self.error.map_or(Ok(self.open), Err)
    }
}

/// What one workspace answered.
enum Answer {
    /// The person may not enter.
    Closed,
    /// The person may.
    Open(Place),
    /// The person may, and what may be listed is not known.
    Silent(WorkspacePath, Error),
    /// Nobody can tell whether the person may enter.
    Unknown(Error),
}

impl Caller {
    /// Every workspace; or `top` and those below it. Whoever may enter them.
    pub(in crate::portal) fn nodes_within(&self, top: Option<&WorkspacePath>) -> Vec<Node> {
        let within = |node: &&Node| top.is_none_or(|top| *top == node.path || node.path.as_str().starts_with(&format!("{top}:")));
        self.portal().world.tree().all().iter().filter(within).cloned().collect()
    }

    /// Asks all of these, which come in the order of paths.
    pub(in crate::portal) async fn walk(&self, nodes: Vec<Node>) -> Walk {
        let turns = Arc::new(Turns::begin());
        // A plane in this process answers on the task that asks; one task alone would leave the other processors idle.
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
                // Nobody else ends it, so that it is a defect, which is told as any other.
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => resume_unwind(panic),
                    Err(_) => answers.push(Answer::Unknown(Error::Internal)),
                },
            }
        }
        Walk::of(answers)
    }

    /// Whether the person has a right in one of these workspaces, as soon as one of them says so.
    ///
    /// # Errors
    /// None says so, and one did not answer in time: nobody can tell.
    pub(in crate::portal) async fn may_in_any(&self, turns: &Turns, clusters: Vec<ClusterId>, right: &Right) -> Result<bool> {
        let asked = clusters.into_iter().map(|cluster| async move {
            let may = turns.take(self.may(&cluster, right.clone())).await;
            may.inspect_err(|error| tracing::warn!(%error, %cluster, ?right, "a workspace does not say what somebody may"))
        });
        any(asked).await
    }

    async fn ask(&self, node: Node, turns: &Turns) -> Answer {
        let enters = turns.take(self.may(&node.cluster, Right::Enter)).await;
        let sight = match enters {
            Ok(true) => turns.take(self.sight(&node.cluster)).await,
            Ok(false) => return Answer::Closed,
            Err(error) => {
                tracing::warn!(%error, workspace = %node.path, "a workspace does not say who may enter");
                return Answer::Unknown(error);
            }
        };
        match sight {
            Ok(sight) => Answer::Open(Place { cluster: node.cluster, path: node.path, sight }),
            Err(error) => {
                tracing::warn!(%error, workspace = %node.path, "a workspace does not say what may be listed");
                Answer::Silent(node.path, error)
            }
        }
    }
}

/// Whether one of them says yes, as soon as one does. Where none does, silence is no no.
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

/// Some are asked at a time, and all by one deadline.
pub(in crate::portal) struct Turns {
    slots: Semaphore,
    turn: Duration,
    deadline: Instant,
}

impl Turns {
    /// Those of a page, whose time begins now.
    pub(in crate::portal) fn begin() -> Self {
        Self { slots: Semaphore::new(TOGETHER), turn: TURN, deadline: Instant::now() + PATIENCE }
    }

    /// The answer, if it comes in time. Whoever does not answer soon is waited for while others are asked.
    pub(in crate::portal) async fn take<T>(&self, asked: impl Future<Output = Result<T>>) -> Result<T> {
        let late = || Error::Unreachable { what: "the plane".to_owned() };
        let Ok(Ok(slot)) = timeout_at(self.deadline, self.slots.acquire()).await else { return Err(late()) };
        // Slots come free when the time is over: nobody is asked any more.
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
        let late = || Error::Unreachable { what: "the plane".into() };
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
        let late = || Error::Unreachable { what: "the plane".into() };
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
        // Who never answers is silent when the time is over.
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
