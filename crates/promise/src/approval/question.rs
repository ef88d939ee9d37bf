//! Since when something is asked: the one thing about approvals that has to be remembered.
//!
//! A question is one content from one moment on. It goes on through edits that change nothing of the content, and through times in which the
//! request could not be accepted at all. It begins anew with another content, and when somebody who may edit the request asks again after it
//! was turned down or has expired; decisions that were there before answered the earlier question and do not count for the new one.

use crate::api::{AnsweredQuestion, CandidateStatus, QuestionStatus};

/// What decides whether a question goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking<'a> {
    /// Hash of the content that the request wants now.
    pub content_hash: &'a str,
    /// Generation of the request.
    pub generation: Option<i64>,
    /// Whether this content ended without an approval.
    pub ended: bool,
    /// The annotation by which it is asked again.
    pub again: Option<&'a str>,
}

/// Whether a new question begins.
pub fn asks_anew(known: Option<&QuestionStatus>, asking: &Asking<'_>) -> bool {
    match known.filter(|known| known.content_hash == asking.content_hash) {
        None => true,
        Some(known) => asking.ended && (known.generation != asking.generation || asking.again == Some(known.since.as_str())),
    }
}

/// Whether what people decided about an earlier content stands, although the request would have another content by now: nobody edited the
/// request since, and nobody resubmitted it. Policies, prices and versions that change meanwhile reopen nothing.
pub fn stands(known: Option<&QuestionStatus>, candidate: Option<&CandidateStatus>, asking: &Asking<'_>) -> bool {
    let (Some(known), Some(candidate)) = (known, candidate) else { return false };
    candidate.state.is_negative()
        && candidate.content_hash == known.content_hash
        && candidate.content_hash != asking.content_hash
        && candidate.generation == asking.generation
        && asking.again != Some(known.since.as_str())
}

/// What a new question does not count: everything that was decided about its content before, as times of the plane and names.
pub fn answered<'a>(before: impl Iterator<Item = (Option<&'a str>, &'a str)> + Clone) -> Option<AnsweredQuestion> {
    // What the plane has not dated counts for no question.
    let until = before.clone().filter_map(|(at, _)| at).max()?.to_owned();
    let mut approvals: Vec<String> = before.filter(|(at, _)| *at == Some(until.as_str())).map(|(_, name)| name.to_owned()).collect();
    approvals.sort();
    Some(AnsweredQuestion { until, approvals })
}

/// Whether a decision about the content of a question answered an earlier one.
pub(super) fn is_answered(question: &QuestionStatus, at: Option<&str>, name: &str) -> bool {
    let Some(answered) = &question.answered else { return false };
    match at.map(|at| at.cmp(answered.until.as_str())) {
        Some(std::cmp::Ordering::Less) | None => true,
        Some(std::cmp::Ordering::Equal) => answered.approvals.iter().any(|known| known == name),
        Some(std::cmp::Ordering::Greater) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Asking, answered, asks_anew, is_answered, stands};
    use crate::api::{CandidateState, CandidateStatus, QuestionStatus};

    #[test]
    fn a_table_of_when_it_is_asked_anew() {
        let known = QuestionStatus { content_hash: "h".into(), since: "t1".into(), generation: Some(2), answered: None };
        let asking = |content_hash, generation, ended, again| Asking { content_hash, generation: Some(generation), ended, again };
        for (what, asking, anew) in [
            ("it goes on", asking("h", 2, false, None), false),
            ("an edit that changes nothing of it", asking("h", 3, false, None), false),
            ("it is open, and cannot be asked again", asking("h", 2, false, Some("t1")), false),
            ("another content", asking("i", 2, false, None), true),
            ("it has ended", asking("h", 2, true, None), false),
            ("an edit after its end", asking("h", 3, true, None), true),
            ("asked again after its end", asking("h", 2, true, Some("t1")), true),
            ("asked again after the end of an earlier one", asking("h", 2, true, Some("t0")), false),
        ] {
            assert_eq!(asks_anew(Some(&known), &asking), anew, "{what}");
            assert!(asks_anew(None, &asking), "{what}, for the first time");
        }
    }

    #[test]
    fn a_negative_decision_stands_until_the_requester_edits_or_resubmits() {
        use CandidateState::{Accepted, AwaitingApproval, ChangesRequested, Expired, Rejected, Withdrawn};
        let known = QuestionStatus { content_hash: "h".into(), since: "t1".into(), generation: Some(2), answered: None };
        let candidate = |state| CandidateStatus { content_hash: "h".into(), state, generation: Some(2), ..CandidateStatus::default() };
        let asking = |content_hash, generation, again| Asking { content_hash, generation: Some(generation), ended: true, again };
        for state in [ChangesRequested, Rejected, Expired, Withdrawn] {
            let candidate = candidate(state);
            for (what, asking, stays) in [
                ("a policy changed", asking("i", 2, None), true),
                ("it is the same again", asking("h", 2, None), false),
                ("it was edited", asking("i", 3, None), false),
                ("it was resubmitted", asking("i", 2, Some("t1")), false),
                ("an earlier question was resubmitted", asking("i", 2, Some("t0")), true),
            ] {
                assert_eq!(stands(Some(&known), Some(&candidate), &asking), stays, "{state:?}: {what}");
            }
            let other = CandidateStatus { content_hash: "g".into(), ..candidate.clone() };
            assert!(!stands(Some(&known), Some(&other), &asking("i", 2, None)), "{state:?}: of another question");
        }
        for state in [AwaitingApproval, Accepted] {
            assert!(!stands(Some(&known), Some(&candidate(state)), &asking("i", 2, None)), "{state:?}");
        }
        assert!(!stands(None, Some(&candidate(Rejected)), &asking("i", 2, None)));
    }

    #[test]
    fn what_was_there_before_answered_the_earlier_question() {
        let before = [(Some("t1"), "a"), (Some("t2"), "c"), (Some("t2"), "b"), (None, "d")];
        let answered = answered(before.into_iter());
        let question = QuestionStatus { content_hash: "h".into(), answered: answered.clone(), ..QuestionStatus::default() };
        assert_eq!(answered.unwrap().approvals, ["b", "c"]);
        for (at, name, is) in
            [(Some("t1"), "x", true), (Some("t2"), "b", true), (Some("t2"), "x", false), (Some("t3"), "b", false), (None, "x", true)]
        {
            assert_eq!(is_answered(&question, at, name), is, "{at:?} {name}");
        }
        let first = QuestionStatus { answered: None, ..question };
        assert!(!is_answered(&first, Some("t0"), "a") && !is_answered(&first, None, "a"));
        assert_eq!(super::answered(std::iter::empty()), None);
    }
}
