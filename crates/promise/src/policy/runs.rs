//! Rules for runs of actions: those of policies whose scope names actions. They don't apply to requests, and the rules for requests don't
//! apply to runs.

use jiff::Timestamp;
use schema::expr::{Budget, Program};
use serde_json::Value;

use super::compose::sorted;
use super::effective::Ruling;
use super::expressions::{STEPS, environment_of_actions};
use super::reading::RuleReading;
use super::refusal::{Conflict, ExpressionError, Refusal, RefusalReason, RuleProblem};
use super::source::{PolicySource, Provenance};
use super::window::{ChangeWindows, WindowWait};
use crate::api::{Approve, Enforcement, Rule, Validate, WaitingKind, WaitingOn, WaitingReason, Window};
use crate::context::Context;
use crate::expression;
use crate::path::Path;

/// A run that is about to start.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// Name of the action.
    pub action: &'a str,
    /// Parameters of the running release of the request.
    pub parameters: &'a Value,
    /// The context of the request, with the run.
    pub context: &'a Context,
    /// The current time.
    pub now: Timestamp,
}

/// What policies say about a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunVerdict {
    /// Why it can't run.
    pub refusals: Vec<Refusal>,
    /// Rules that it breaks and that only warn.
    pub warnings: Vec<RefusalReason>,
    /// What it has to wait for.
    pub wait: Option<WindowWait>,
    /// Who has to approve it once it has started, in a stable order.
    pub approvals: Vec<Ruling<Approve>>,
}

/// Why a run waits for the windows of policies.
#[derive(Clone, Debug, PartialEq)]
pub struct RunHold {
    /// What it waits for.
    pub waiting: WaitingOn,
    /// When all windows are open. Nothing if that isn't within five weeks, or a window can't be read.
    pub opens: Option<Timestamp>,
}

/// Returns the policies for runs of an action among those that apply to its promise, each once, in a stable order.
pub fn for_runs<'s>(sources: &'s [PolicySource], action: &str) -> Vec<&'s PolicySource> {
    let mut sources = sorted(sources);
    sources.retain(|source| source.spec().applies_to.covers_action(action));
    sources
}

/// Judges a run by the policies that apply to its promise. The form, REST, `opm` and the controller call this before a run starts.
pub fn judge_run(sources: &[PolicySource], facts: &RunFacts<'_>) -> RunVerdict {
    let mut verdict = RunVerdict::default();
    let mut windows = Vec::new();
    for source in for_runs(sources, facts.action) {
        for (rule, read) in source.reading.rules() {
            let from = source.provenance(&rule.name);
            if let Some(broken) = broken(read, &from) {
                verdict.refusals.push(broken);
                continue;
            }
            verdict.validate((rule, read), &from, facts);
            verdict.approve((rule, read), &from, facts);
            windows.extend(window(rule, from));
        }
    }
    verdict.wait = ChangeWindows::blocking(&windows).wait(facts.now);
    verdict
}

/// Checks whether approvals of a run depend on parameters that aren't known yet, such as those of a form that is filled in: the condition of
/// a rule isn't met, and it reads one that has no value, or can't be evaluated.
pub fn depends_on_parameters(sources: &[PolicySource], facts: &RunFacts<'_>) -> bool {
    let sources = for_runs(sources, facts.action);
    let rules = sources.iter().flat_map(|source| source.reading.rules()).filter(|(rule, _)| rule.approve.is_some());
    let mut conditions = rules.filter_map(|(_, read)| read.when.as_ref());
    conditions.any(|when| match holds(when, facts) {
        Ok(true) => false,
        Ok(false) => when.references().iter().any(|path| is_unknown(path, facts.context)),
        Err(_) => true,
    })
}

/// Checks whether an expression reads a parameter of the run that has no value.
fn is_unknown(path: &[String], context: &Context) -> bool {
    let [variable, field, parameter @ ..] = path else { return false };
    let Some(run) = context.action.as_ref().filter(|_| variable == "action" && field == "parameters") else { return false };
    let value = parameter.iter().try_fold(&run.parameters, |value, name| value.get(name));
    value.is_none_or(Value::is_null)
}

/// Returns what the first step of a run waits for once the approvals that policies required are decided: windows, as they are by now. Rules
/// of other kinds count at the start alone.
pub fn hold_run(sources: &[PolicySource], action: &str, now: Timestamp) -> Option<RunHold> {
    let mut windows = Vec::new();
    for source in for_runs(sources, action) {
        for (rule, read) in source.reading.rules().filter(|(rule, _)| rule.window.is_some()) {
            let from = source.provenance(&rule.name);
            if let Some(broken) = broken(read, &from) {
                return Some(RunHold::broken(&from, &broken));
            }
            windows.extend(window(rule, from));
        }
    }
    ChangeWindows::blocking(&windows).wait(now).map(|wait| RunHold::of(&wait))
}

fn window(rule: &Rule, from: Provenance) -> Option<Ruling<Window>> {
    Some(Ruling { from, path: Path::default(), effect: rule.window.clone()? })
}

/// Returns the refusal by a rule that can't be applied: no rule passes silently, whatever happens to those who break it.
fn broken(read: &RuleReading, from: &Provenance) -> Option<Refusal> {
    let fault = read.faults.first()?;
    let broken = Conflict::broken(from, Path::default(), RuleProblem::Fault(fault.what.clone()));
    Some(Refusal { path: Path::default(), reason: RefusalReason::Conflict(broken) })
}

impl RunHold {
    /// Returns the hold of a run that waits for windows.
    pub fn of(wait: &WindowWait) -> Self {
        Self { waiting: wait.waiting_on(), opens: wait.opens }
    }

    /// Returns the hold by a window that can't be read, which opens once someone fixes the policy.
    fn broken(from: &Provenance, refusal: &Refusal) -> Self {
        let waiting = WaitingOn::new(WaitingKind::Person, WaitingReason::ChangeWindow, refusal.problem().message);
        Self { waiting: WaitingOn { object: Some(from.policy.clone()), ..waiting }, opens: None }
    }
}

/// Evaluates an expression of a rule on a run.
fn holds(program: &Program, facts: &RunFacts<'_>) -> Result<bool, ExpressionError> {
    let scope = expression::scope(&environment_of_actions(), facts.parameters, facts.context);
    program.evaluate_bool(&scope, &mut Budget::steps(STEPS)).map_err(ExpressionError::Failed)
}

impl RunVerdict {
    /// Adds a rule that requires approval, if its condition is true. One that can't be evaluated refuses the run.
    fn approve(&mut self, (rule, read): (&Rule, &RuleReading), from: &Provenance, facts: &RunFacts<'_>) {
        let Some(effect) = &rule.approve else { return };
        match read.when.as_ref().map_or(Ok(true), |when| holds(when, facts)) {
            Ok(true) => self.approvals.push(Ruling { from: from.clone(), path: Path::default(), effect: effect.clone() }),
            Ok(false) => {}
            Err(error) => {
                let reason = RefusalReason::NotEvaluated { from: from.clone(), error };
                self.refusals.push(Refusal { path: Path::default(), reason });
            }
        }
    }

    fn validate(&mut self, (rule, read): (&Rule, &RuleReading), from: &Provenance, facts: &RunFacts<'_>) {
        let Some(Validate { message, .. }) = &rule.validate else { return };
        let reason = match read.expression.as_ref().map(|program| holds(program, facts)) {
            None | Some(Ok(true)) => return,
            Some(Ok(false)) => RefusalReason::Invalid { from: from.clone(), message: message.clone(), changer: None },
            Some(Err(error)) => RefusalReason::NotEvaluated { from: from.clone(), error },
        };
        if from.enforcement == Enforcement::Block {
            self.refusals.push(Refusal { path: read.path.clone(), reason });
        } else {
            self.warnings.push(reason);
        }
    }
}
