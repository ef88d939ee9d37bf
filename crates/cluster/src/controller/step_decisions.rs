//! What people decided about the steps of a run: `promise::approval` judges it like decisions about the content of a request.

use jiff::Timestamp;
use promise::api::{ApprovalStatus, Approve, Decision, QuestionStatus, Requester, StepPhase};
use promise::approval::{Matter, Right, Vote, is_answer, judge_required_step, judge_step};
use promise::lifecycle::Chosen;
use promise::path::Path;
use promise::policy::{Provenance, Ruling};
use promise::workflow::{Run, StepDecision, StepQuestion, provenance};

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

/// A step as decisions about it are judged.
struct AskedStep {
    from: Provenance,
    rule: Option<Approve>,
    question: QuestionStatus,
    since: i64,
    former: Vec<String>,
}

impl AskedStep {
    fn of(about: RunInQuestion<'_>, step: &StepQuestion, now: Timestamp) -> Self {
        let home = &about.release.home;
        let of_promise = || Provenance::of_promise(&home.path, &home.cluster, &about.release.context.promise.name, &step.step);
        let since = step.since.clone().unwrap_or_else(|| now.to_string());
        Self {
            from: step.policy.as_deref().map_or_else(of_promise, provenance),
            rule: step.rule.clone(),
            since: second(&since).unwrap_or_else(|| now.as_second()),
            question: QuestionStatus { content_hash: step.content_hash.clone(), since, ..QuestionStatus::default() },
            former: step.former.clone(),
        }
    }

    fn matter<'a>(&'a self, matter: Matter<'a>) -> Matter<'a> {
        Matter { question: &self.question, since: self.since, former: &self.former, ..matter }
    }

    fn ruling(&self) -> Ruling<Approve> {
        Ruling { from: self.from.clone(), path: Path::default(), effect: self.rule.clone().unwrap_or_default() }
    }
}

async fn judged(
    ctx: &ControllerContext,
    about: RunInQuestion<'_>,
    known: &[CachedApproval],
    question: StepQuestion,
) -> (StepDecision, bool) {
    let now = ctx.clock.now();
    let request = reference(about.key, about.request);
    let own = AskedStep::of(about, &question, now);
    // People who approved another step that policies require can't approve this one.
    let required = if question.policy.is_some() { about.run.required(about.uid) } else { Vec::new() };
    let at = required.iter().position(|other| other.step == question.step);
    // An Approval can be deleted once its step succeeded.
    let of_succeeded = |(index, step): (usize, &StepQuestion)| {
        let status = about.run.steps.iter().find(|status| status.id == step.step && status.phase == StepPhase::Succeeded)?;
        Some((index, status.approval.as_deref()?))
    };
    let succeeded: Vec<(usize, &ApprovalStatus)> = required.iter().enumerate().filter_map(of_succeeded).collect();
    let required: Vec<AskedStep> = required.iter().map(|step| AskedStep::of(about, step, now)).collect();
    let base = Matter { request: &request, requester: about.actor, changers: &[], question: &own.question, since: own.since, former: &[] };
    let mut votes: Vec<Vote<'_>> = known.iter().map(vote).collect();
    let heard_by = |step: &AskedStep| votes.iter().map(|vote| is_answer(&step.from, &step.matter(base), vote)).collect::<Vec<bool>>();
    let heard = heard_by(&own);
    let mut heard_by_any = heard.clone();
    for of_other in required.iter().map(heard_by) {
        heard_by_any.iter_mut().zip(of_other).for_each(|(known, other)| *known |= other);
    }
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
    let rights = rights(ctx, known, &heard_by_any).await;
    let is_refused = rights.iter().zip(&heard).any(|(right, is_heard)| *is_heard && *right != Right::Has);
    let unannounced = is_refused || (agreed && requester.is_none());
    votes.iter_mut().zip(rights).for_each(|(vote, right)| vote.right = right);
    let base = Matter { requester: requester.as_ref(), changers: &changers, ..base };
    let steps: Vec<(Ruling<Approve>, Matter<'_>)> = required.iter().map(|step| (step.ruling(), step.matter(base))).collect();
    let line = at.and_then(|at| judge_required_step(&steps, at, &votes, &succeeded));
    let line = line.unwrap_or_else(|| judge_step(&own.from, own.rule.as_ref(), &own.matter(base), &votes));
    (StepDecision { step: question.step, content_hash: question.content_hash, line }, unannounced)
}
