//! Turns for evaluating promises and policies. An evaluation can use a whole processor for a good part of a second, so few run at a time,
//! and one person has few in the queue: whatever one person sends, others wait for little more than what is running.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use promise::identity::PersonId;
use promise::{BusyReason, Error, Result, TooManyReason};
use store::SessionKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Evaluations that run at the same time, for all people.
const OF_ALL: usize = 2;
/// Evaluations of one person that run or are next in the shared queue.
const OF_PERSON: usize = 2;
/// Evaluations of one person that run or wait at all.
const WAITING: usize = 40;
/// Those of one session: a person's other browsers can always preview a form.
const WAITING_IN_SESSION: usize = 20;
/// How long an evaluation waits for its turn.
const PATIENCE: Duration = Duration::from_secs(15);

/// The queue. Clones share it.
#[derive(Clone)]
pub struct Evaluations {
    all: Arc<Semaphore>,
    people: Arc<Mutex<HashMap<PersonId, Line>>>,
}

struct Line {
    places: Arc<Semaphore>,
    waiting: usize,
    /// Those of each session.
    sessions: HashMap<SessionKey, usize>,
}

/// A turn, given back when dropped.
pub struct Evaluation {
    // Dropped in this order: the shared place first, so that another person's evaluation can start.
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
    _waiting: Waiting,
}

struct Waiting {
    queue: Evaluations,
    person: PersonId,
    session: SessionKey,
}

impl Default for Evaluations {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(OF_ALL)), people: Arc::default() }
    }
}

impl Evaluations {
    /// Waits for a turn.
    ///
    /// # Errors
    /// [`Error::TooManyRequests`] if too many evaluations of this session or person are waiting, [`Error::Busy`] if the wait takes too long.
    pub async fn take(&self, person: &PersonId, session: SessionKey) -> Result<Evaluation> {
        let (waiting, places) = self.enter(person, session)?;
        let turn = async {
            // The person's own place first: the shared queue is in order of arrival and holds few of each person.
            let own = places.acquire_owned().await.map_err(|_| Error::Internal)?;
            let all = self.all.clone().acquire_owned().await.map_err(|_| Error::Internal)?;
            Ok::<_, Error>((own, all))
        };
        let busy = |_| Error::from(BusyReason::Evaluations);
        let (own, all) = tokio::time::timeout(PATIENCE, turn).await.map_err(busy)??;
        Ok(Evaluation { _all: all, _own: own, _waiting: waiting })
    }

    fn enter(&self, person: &PersonId, session: SessionKey) -> Result<(Waiting, Arc<Semaphore>)> {
        let mut people = self.people.lock();
        let line = people.entry(person.clone()).or_insert_with(|| Line {
            places: Arc::new(Semaphore::new(OF_PERSON)),
            waiting: 0,
            sessions: HashMap::new(),
        });
        let of_session = line.sessions.get(&session).copied().unwrap_or_default();
        if line.waiting >= WAITING || of_session >= WAITING_IN_SESSION {
            return Err(Error::TooManyRequests { reason: TooManyReason::Evaluations, seconds: 1 });
        }
        line.waiting += 1;
        line.sessions.insert(session, of_session + 1);
        Ok((Waiting { queue: self.clone(), person: person.clone(), session }, line.places.clone()))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut people = self.queue.people.lock();
        if let Some(line) = people.get_mut(&self.person) {
            line.waiting -= 1;
            if let Some(of_session) = line.sessions.get_mut(&self.session) {
                *of_session -= 1;
                if *of_session == 0 {
                    line.sessions.remove(&self.session);
                }
            }
            if line.waiting == 0 {
                people.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_person_who_floods_the_line_delays_others_by_what_is_running_alone() {
        let (evaluations, greedy, other) = (Evaluations::default(), PersonId::new("greedy", None), PersonId::new("other", None));
        let [one, second, third] = ["one", "second", "third"].map(SessionKey::of_cookie);
        let mut running = vec![evaluations.take(&greedy, one).await.unwrap(), evaluations.take(&greedy, one).await.unwrap()];
        let flood = |session, count| {
            let mut waiting: Vec<_> = (0..count).map(|_| Box::pin(evaluations.take(&greedy, session))).collect();
            assert!(waiting.iter_mut().all(|turn| turn.as_mut().now_or_never().is_none()));
            waiting
        };
        let of_one = flood(one, WAITING_IN_SESSION - 2);
        let refused = evaluations.take(&greedy, one).await.err();
        assert!(matches!(refused, Some(Error::TooManyRequests { seconds: 1, .. })), "{refused:?}");
        let of_second = flood(second, WAITING - WAITING_IN_SESSION);
        let refused = evaluations.take(&greedy, third).await.err();
        assert!(matches!(refused, Some(Error::TooManyRequests { seconds: 1, .. })), "{refused:?}");
        let waiting = (of_one, of_second);

        let mut theirs = Box::pin(evaluations.take(&other, third));
        assert!(theirs.as_mut().now_or_never().is_none(), "two are running");
        running.pop();
        assert!(theirs.as_mut().now_or_never().is_some_and(|turn| turn.is_ok()), "the next one is the other person's");

        drop((running, waiting, theirs));
        assert!(evaluations.people.lock().is_empty(), "nothing is kept of people who wait for nothing");
        assert!(evaluations.take(&greedy, one).now_or_never().is_some_and(|turn| turn.is_ok()));
    }
}
