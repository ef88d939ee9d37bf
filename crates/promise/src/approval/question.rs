//! When a question was asked: the only state that approvals need.
//!
//! A question is about one content, starting at one time. It continues through edits that don't change the content, and while the request
//! couldn't be accepted at all. It starts again when the content changes, and when a user who can edit the request asks again after a
//! rejection or expiry. Decisions from before then answered the earlier question and don't count for the new one.

use crate::api::{AnsweredQuestion, CandidateStatus, QuestionStatus};

/// Inputs that determine whether a question continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking<'a> {
    /// Hash of the content that the request now wants.
    pub content_hash: &'a str,
    /// Generation of the request.
    pub generation: Option<i64>,
    /// Whether this content ended without an approval.
    pub ended: bool,
    /// Value of the annotation that asks again.
    pub again: Option<&'a str>,
}

/// Whether a new question starts.
pub fn asks_anew(known: Option<&QuestionStatus>, asking: &Asking<'_>) -> bool {
    match known.filter(|known| known.content_hash == asking.content_hash) {
        None => true,
        Some(known) => asking.ended && (known.generation != asking.generation || asking.again == Some(known.since.as_str())),
    }
}

/// Whether the decision on an earlier content stands although the request would now have different content: no one has edited or
/// resubmitted it since. Changes of policies, prices and versions in the meantime reopen nothing.
pub fn stands(known: Option<&QuestionStatus>, candidate: Option<&CandidateStatus>, asking: &Asking<'_>) -> bool {
    let (Some(known), Some(candidate)) = (known, candidate) else { return false };
    candidate.state.is_negative()
        && candidate.content_hash == known.content_hash
        && candidate.content_hash != asking.content_hash
        && candidate.generation == asking.generation
        && asking.again != Some(known.since.as_str())
}

/// Returns the decisions that a new question ignores: all earlier ones on its content, as server times and names.
pub fn answered<'a>(before: impl Iterator<Item = (Option<&'a str>, &'a str)> + Clone) -> Option<AnsweredQuestion> {
    // A decision without a server time counts for no question.
    let until = before.clone().filter_map(|(at, _)| at).max()?.to_owned();
    let mut approvals: Vec<String> = before.filter(|(at, _)| *at == Some(until.as_str())).map(|(_, name)| name.to_owned()).collect();
    approvals.sort();
    Some(AnsweredQuestion { until, approvals })
}

/// Whether a decision on the content of a question answered an earlier question.
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
