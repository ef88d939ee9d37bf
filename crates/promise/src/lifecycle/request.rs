//! What is known about a request besides its rules.

use std::collections::BTreeMap;

use crate::api::{CandidateState, PromiseReleaseSpec, PromiseRequestStatus, QuestionStatus, Requester};
use crate::approval::{Asking, Judgement};
use crate::context::Context;
use crate::names;
use crate::price::{Estimate, PriceBook};

/// A request as it is stored, with the release of its candidate.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Generation of its spec.
    pub generation: Option<i64>,
    /// All labels.
    pub labels: &'a BTreeMap<String, String>,
    /// All annotations.
    pub annotations: &'a BTreeMap<String, String>,
    /// Who requested it, as stamped by admission.
    pub requester: Option<&'a Requester>,
    /// Its status.
    pub status: Option<&'a PromiseRequestStatus>,
    /// The release that records the candidate of the status, if it is known.
    pub candidate: Option<&'a PromiseReleaseSpec>,
}

/// The decisions of approvers about a content.
#[derive(Clone, Debug)]
pub struct Heard {
    /// What follows from them.
    pub judgement: Judgement,
    /// The question that approvers were asked.
    pub question: QuestionStatus,
}

/// A request without a known requester can't be accepted: a promise created it, and the request that did so is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The request that created this one is missing, so its requester is unknown. Delete this request and create it yourself.")]
pub struct RequesterUnknown;

impl<'a> Request<'a> {
    /// Returns the generation, 0 if it has none.
    pub fn generation(&self) -> i64 {
        self.generation.unwrap_or_default()
    }

    /// Returns the prices of the candidate that waits for approvers or a window. Its quote holds while it waits, whatever price lists say meanwhile.
    pub fn quote(&self) -> Option<PriceBook> {
        let candidate = self.status?.candidate.as_ref()?;
        if !candidate.state.is_open() || candidate.generation != self.generation {
            return None;
        }
        let release = self.candidate?;
        let context: Context = serde_json::from_value(release.context.clone()?).ok()?;
        Some(PriceBook::frozen(&context, &Estimate::recorded(release)?))
    }

    /// Returns what decides whether a question about a content continues. `ended` is whether the content was decided against.
    pub fn asking<'h>(&self, content_hash: &'h str, ended: bool) -> Asking<'h>
    where
        'a: 'h,
    {
        Asking { content_hash, generation: self.generation, ended, again: self.annotation(names::ASK_AGAIN_ANNOTATION) }
    }

    /// Returns the value of an annotation.
    pub fn annotation(&self, name: &str) -> Option<&'a str> {
        self.annotations.get(name).map(String::as_str)
    }

    /// Checks whether this exact content was accepted before.
    pub(super) fn was_accepted(&self, name: &str, content_hash: &str) -> bool {
        let Some(status) = self.status else { return false };
        status.has_candidate(content_hash, CandidateState::Accepted) || status.current.as_ref().is_some_and(|now| now.release == name)
    }
}
