//! What people decided about the steps of a run: `promise::approval` judges it like decisions about the content of a request.

use promise::api::{Decision, QuestionStatus, Requester};
use promise::approval::{Matter, Right, Vote, is_answer, judge_step};
use promise::lifecycle::Chosen;
use promise::policy::Provenance;
use promise::workflow::{Run, StepDecision, StepQuestion};

use super::approvals::{CachedApproval, behind, decisions, reference, rights, second, vote};
use super::context::ControllerContext;
use crate::kinds::PromiseRequest;
use crate::watch::Key;

/// The run that decisions are about.
#[derive(Clone, Copy)]
pub struct RunInQuestion<'a> {
    /// The request, also of an action.
    pub request: &'a PromiseRequest,
    /// Key of the request.
    pub key: &'a Key,
    /// The release whose promise has the workflow.
    pub release: &'a Chosen,
    /// The run.
    pub run: &'a Run,
    /// uid of the request or action.
    pub uid: &'a str,
    /// Who runs the action.
    pub actor: Option<&'a Requester>,
}

/// What people decided, and whether its effect might change without an event.
#[derive(Default)]
pub struct StepAnswers {
    pub decisions: Vec<StepDecision>,
    /// A permission is missing or couldn't be checked, or the requester isn't known.
    pub unannounced: bool,
}

/// Collects and judges the decisions about the steps of a run.
pub async fn gather(ctx: &ControllerContext, about: RunInQuestion<'_>) -> StepAnswers {
    let Some(workflow) = about.release.compiled.workflows().get(about.run.status.name) else { return StepAnswers::default() };
    let mut questions = about.run.questions(workflow, about.uid);
    if questions.is_empty() {
        return StepAnswers::default();
    }
    let known = decisions(ctx, &reference(about.key, about.request));
    let skips = |step: &str| known.iter().any(|known| known.row.spec.decision == Decision::Skip && known.row.spec.rule.name == step);
    questions.retain(|question| question.rule.is_some() || skips(&question.step));
    let mut answers = StepAnswers::default();
    for question in questions {
        let (decision, unannounced) = judged(ctx, about, &known, question).await;
        answers.decisions.push(decision);
        answers.unannounced |= unannounced;
    }
    answers
}

async fn judged(
    ctx: &ControllerContext,
    about: RunInQuestion<'_>,
    known: &[CachedApproval],
    question: StepQuestion,
) -> (StepDecision, bool) {
    let now = ctx.clock.now();
    let since = question.since.clone().unwrap_or_else(|| now.to_string());
    let asked = QuestionStatus { content_hash: question.content_hash.clone(), since, ..QuestionStatus::default() };
    let request = reference(about.key, about.request);
    let since = second(&asked.since).unwrap_or_else(|| now.as_second());
    let home = &about.release.home;
    let from = Provenance::of_promise(&home.path, &home.cluster, &about.release.context.promise.name, &question.step);
    let matter = Matter { request: &request, requester: about.actor, changers: &[], question: &asked, since, former: &question.former };
    let mut votes: Vec<Vote<'_>> = known.iter().map(vote).collect();
    let heard: Vec<bool> = votes.iter().map(|vote| is_answer(&from, &matter, vote)).collect();
    let agrees = |decision| matches!(decision, Decision::Approve | Decision::Skip);
    let agreed = known.iter().zip(&heard).any(|(known, is_heard)| *is_heard && agrees(known.row.spec.decision));
    let (requester, mut changers) = behind(ctx, about.key, about.request, agreed).await;
    let requester = match about.actor {
        // The person who runs an action counts as its requester, not the owner of the request.
        Some(actor) => {
            changers.clear();
            Some(actor.clone())
        }
        None => requester,
    };
    let rights = rights(ctx, known, &heard).await;
    let is_refused = rights.iter().zip(&heard).any(|(right, is_heard)| *is_heard && *right != Right::Has);
    let unannounced = is_refused || (agreed && requester.is_none());
    votes.iter_mut().zip(rights).for_each(|(vote, right)| vote.right = right);
    let matter = Matter { requester: requester.as_ref(), changers: &changers, ..matter };
    let line = judge_step(&from, question.rule.as_ref(), &matter, &votes, now.as_second());
    (StepDecision { step: question.step, content_hash: question.content_hash, line }, unannounced)
}
