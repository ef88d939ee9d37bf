//! The tickets: what they are at a moment. Pure.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::texts;

/// Tickets that are kept. When there are more, the oldest decided one is dropped, or the oldest of all.
pub(super) const MOST: usize = 500;
/// Number of the first ticket.
const FIRST: u64 = 1001;

/// All tickets.
pub(super) struct Board {
    /// Whether programs get no service.
    pub(super) outage: bool,
    /// How long the simulated team takes.
    work: SignedDuration,
    tickets: VecDeque<Kept>,
    next: u64,
}

/// What a program enters.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTicket {
    /// What it is about, in a few words.
    pub title: String,
    /// What to do.
    #[serde(default)]
    pub text: String,
    /// Labels.
    #[serde(default)]
    pub labels: Vec<String>,
}

impl NewTicket {
    /// Returns the ticket if it isn't too long; otherwise a sentence.
    pub(super) fn checked(self) -> Result<Self, String> {
        let fits = |text: &str, most: usize| text.chars().count() <= most;
        if self.title.trim().is_empty() {
            return Err(texts::EMPTY_TITLE.to_owned());
        }
        let labels_fit = self.labels.len() <= 20 && self.labels.iter().all(|label| fits(label, 63));
        if fits(&self.title, 200) && fits(&self.text, 10_000) && labels_fit { Ok(self) } else { Err(texts::TOO_LONG.to_owned()) }
    }
}

/// A ticket at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Ticket {
    /// Random id.
    pub(super) id: String,
    /// Number for people.
    pub(super) number: u64,
    /// What it is about.
    pub(super) title: String,
    /// What to do.
    pub(super) text: String,
    /// Labels.
    pub(super) labels: Vec<String>,
    /// Its status.
    pub(super) status: Status,
    /// What was done, once it is decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<String>,
    /// That nothing of it is real.
    pub(super) simulated: bool,
}

/// Status of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// No one works on it yet.
    Open,
    /// The simulated team works on it.
    InProgress,
    /// It was done.
    Resolved,
    /// It won't be done.
    Rejected,
}

impl Status {
    /// Whether it no longer changes.
    pub(super) fn is_decided(self) -> bool {
        matches!(self, Self::Resolved | Self::Rejected)
    }
}

/// A decision on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Resolved,
    Rejected,
}

/// The key belongs to a ticket with other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyReused;

struct Kept {
    id: String,
    number: u64,
    key: Option<String>,
    content: NewTicket,
    created: Timestamp,
    verdict: Option<Verdict>,
}

impl Board {
    pub(super) fn new(work: Duration) -> Self {
        Self { outage: false, work: SignedDuration::try_from(work).unwrap_or(SignedDuration::MAX), tickets: VecDeque::new(), next: FIRST }
    }

    /// Creates a ticket, unless `key` created the same one before.
    pub(super) fn create(&mut self, id: String, key: Option<String>, content: NewTicket, now: Timestamp) -> Result<Ticket, KeyReused> {
        if let Some(before) = self.tickets.iter().find(|kept| key.is_some() && kept.key == key) {
            return if before.content == content { Ok(self.at(before, now)) } else { Err(KeyReused) };
        }
        if self.tickets.len() >= MOST {
            let dropped = self.tickets.iter().position(|kept| self.status(kept, now).is_decided()).unwrap_or(0);
            self.tickets.remove(dropped);
        }
        let kept = Kept { id, number: self.next, key, content, created: now, verdict: None };
        let ticket = self.at(&kept, now);
        self.next += 1;
        self.tickets.push_back(kept);
        Ok(ticket)
    }

    pub(super) fn get(&self, id: &str, now: Timestamp) -> Option<Ticket> {
        self.tickets.iter().find(|kept| kept.id == id).map(|kept| self.at(kept, now))
    }

    /// Decides a ticket that isn't decided yet.
    pub(super) fn decide(&mut self, id: &str, verdict: Verdict, now: Timestamp) {
        let at = self.tickets.iter().position(|kept| kept.id == id && !self.status(kept, now).is_decided());
        if let Some(kept) = at.and_then(|at| self.tickets.get_mut(at)) {
            kept.verdict = Some(verdict);
        }
    }

    /// Returns all tickets, newest first.
    pub(super) fn all(&self, now: Timestamp) -> impl ExactSizeIterator<Item = Ticket> {
        self.tickets.iter().rev().map(move |kept| self.at(kept, now))
    }

    fn status(&self, kept: &Kept, now: Timestamp) -> Status {
        let elapsed = now.duration_since(kept.created);
        match kept.verdict {
            Some(Verdict::Resolved) => Status::Resolved,
            Some(Verdict::Rejected) => Status::Rejected,
            None if elapsed >= self.work => Status::Resolved,
            None if elapsed >= self.work / 2 => Status::InProgress,
            None => Status::Open,
        }
    }

    fn at(&self, kept: &Kept, now: Timestamp) -> Ticket {
        let status = self.status(kept, now);
        let answer = match (status, kept.verdict) {
            (Status::Resolved, Some(_)) => Some(texts::RESOLVED),
            (Status::Resolved, None) => Some(texts::RESOLVED_BY_ITSELF),
            (Status::Rejected, _) => Some(texts::REJECTED),
            (Status::Open | Status::InProgress, _) => None,
        };
        let NewTicket { title, text, labels } = kept.content.clone();
        Ticket { id: kept.id.clone(), number: kept.number, title, text, labels, status, answer: answer.map(str::to_owned), simulated: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(title: &str) -> NewTicket {
        NewTicket { title: title.to_owned(), text: String::new(), labels: Vec::new() }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn board() -> Board {
        Board::new(Duration::from_secs(20))
    }

    #[test]
    fn a_ticket_is_worked_on_and_resolved_by_itself() {
        let mut board = board();
        let created = board.create("a".into(), None, content("Disk"), at(0)).unwrap();
        assert_eq!((created.number, created.status, created.answer), (FIRST, Status::Open, None));
        for (second, status) in [(9, Status::Open), (10, Status::InProgress), (19, Status::InProgress), (20, Status::Resolved)] {
            assert_eq!(board.get("a", at(second)).unwrap().status, status, "{second}");
        }
        assert_eq!(board.get("a", at(20)).unwrap().answer.as_deref(), Some(texts::RESOLVED_BY_ITSELF));
        assert_eq!(board.get("b", at(0)), None);
    }

    #[test]
    fn the_same_key_creates_one_ticket() {
        let mut board = board();
        let key = || Some("k".to_owned());
        let first = board.create("a".into(), key(), content("Disk"), at(0)).unwrap();
        let again = board.create("b".into(), key(), content("Disk"), at(10)).unwrap();
        assert_eq!((&again.id, again.status), (&first.id, Status::InProgress));
        assert_eq!(board.create("c".into(), key(), content("Other"), at(10)), Err(KeyReused));
        board.create("d".into(), None, content("Disk"), at(10)).unwrap();
        board.create("e".into(), None, content("Disk"), at(10)).unwrap();
        assert_eq!(board.all(at(10)).map(|ticket| ticket.id).collect::<Vec<_>>(), ["e", "d", "a"]);
    }

    #[test]
    fn a_ticket_is_decided_once() {
        let mut board = board();
        board.create("a".into(), None, content("Disk"), at(0)).unwrap();
        board.create("b".into(), None, content("Disk"), at(0)).unwrap();
        board.decide("a", Verdict::Rejected, at(1));
        board.decide("a", Verdict::Resolved, at(2));
        board.decide("b", Verdict::Rejected, at(20));
        board.decide("c", Verdict::Rejected, at(1));
        assert_eq!(board.get("a", at(99)).unwrap().status, Status::Rejected);
        assert_eq!(board.get("b", at(99)).unwrap().status, Status::Resolved, "it was resolved by then");
    }

    #[test]
    fn the_number_of_tickets_is_bounded_and_decided_ones_go_first() {
        let mut board = board();
        for number in 0..MOST {
            board.create(format!("{number}"), None, content("Disk"), at(0)).unwrap();
        }
        board.decide("7", Verdict::Resolved, at(0));
        board.create("next".into(), None, content("Disk"), at(1)).unwrap();
        assert_eq!((board.get("7", at(1)), board.all(at(1)).len()), (None, MOST));
        board.create("last".into(), None, content("Disk"), at(1)).unwrap();
        assert_eq!((board.get("0", at(1)), board.all(at(1)).len()), (None, MOST));
    }

    #[test]
    fn a_ticket_has_a_title_and_is_not_too_long() {
        let long = |length: usize| "a".repeat(length);
        assert_eq!(content("Disk").checked(), Ok(content("Disk")));
        assert_eq!(content(" ").checked(), Err(texts::EMPTY_TITLE.to_owned()));
        for ticket in [
            content(&long(201)),
            NewTicket { text: long(10_001), ..content("Disk") },
            NewTicket { labels: vec![String::new(); 21], ..content("Disk") },
            NewTicket { labels: vec![long(64)], ..content("Disk") },
        ] {
            assert_eq!(ticket.checked(), Err(texts::TOO_LONG.to_owned()));
        }
    }
}
