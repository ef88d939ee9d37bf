//! Preflight: the result of a request before it is submitted, the same for form, REST, CLI and controller (`domain.md` 5, 8).
//!
//! [`preflight`] is pure: everything that matters is in [`Input`], and the same input gives the same bytes. The controller creates releases
//! only with it, so what users see before they submit is what happens. Callers add what only they can find out, such as a taken name or the
//! result of a dry run: see [`Dry`].
//!
//! What can't be determined is [`Unknown`], with the reason. A request whose policies aren't all visible is never accepted.

mod answer;
mod later;
mod options;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::api::{
    Approve, DeletionPolicy, DestinationId, MissingRequirement, PromiseReleaseSpec, PromiseRequestSpec, PromiseSpec, ReleaseRevision,
};
use crate::attribute::{self, AttributedObject, Origins};
use crate::context::Context;
use crate::expiry;
use crate::policy::{
    self, BudgetUse, ChangeWindows, Effective, LimitUse, PolicySource, Refusal, Ruling, Settled, Tally, Target, Usage, WindowWait,
};
use crate::price::{Amount, Change, Estimate, PriceBook, estimate};
use crate::problem::Problem;
use crate::release::{Content, Labels, content_hash};
use crate::render::{Compiled, Inputs, Rendering, injects, masked};
use crate::requirements;
use crate::resolve::{PromiseReading, Resolved, sort_outcomes};
use crate::visibility::Place;

pub use answer::price;
pub use later::next_price;
pub use options::{Choice, PricedChoice, options};

/// Everything that determines the result for a request.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Name of the promise.
    pub name: &'a str,
    /// The promise as it applies to this request.
    pub spec: &'a PromiseSpec,
    /// Its compiled expressions.
    pub compiled: &'a Compiled,
    /// Its parsed schema and own rules.
    pub reading: &'a PromiseReading,
    /// Its home workspace.
    pub home: &'a Place,
    /// Whether the home is trusted.
    pub trusted: bool,
    /// The revision that contains the spec.
    pub revision: &'a ReleaseRevision,
    /// Logical cluster ids from the root down to the request's workspace, proven by Workspace objects.
    pub lineage: &'a [String],
    /// The policies that apply, as [`policy::gather`] returns them. The error is a sentence about whose policies aren't visible.
    pub policies: Result<&'a [PolicySource], &'a str>,
    /// Spec of the request, with references instead of secrets.
    pub request: &'a PromiseRequestSpec,
    /// uid of the request. Absent before it is created.
    pub uid: Option<&'a str>,
    /// Generation of the request.
    pub generation: i64,
    /// The last accepted release.
    pub former: Option<&'a PromiseReleaseSpec>,
    /// Whether a release is running, so that a change has to wait for windows.
    pub running: bool,
    /// The time at which it is checked.
    pub now: Timestamp,
    /// Request, promise and workspace. Its prices are those of `book`.
    pub context: &'a Context,
    /// The price list that applies.
    pub book: &'a PriceBook,
    /// Counts existing usage for limits and budgets, without this request. What it omits is unknown.
    pub count: &'a dyn Fn(&[Tally]) -> Usage,
    /// Keyed digests of secret inputs, by parameter path. Absent if the caller can't compute them.
    pub secrets: Option<&'a BTreeMap<String, String>>,
    /// Existing Destinations that the promise names.
    pub destinations: &'a BTreeMap<String, DestinationId>,
    /// Those that don't allow orphaned objects, with the paths of their homes.
    pub unorphaned: &'a BTreeMap<String, String>,
    /// Missing requirements of the promise.
    pub missing: &'a [MissingRequirement],
    /// What the caller couldn't determine.
    pub unknown: &'a [Unknown],
}

/// Something that couldn't be determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Subject as a noun, such as `the policies above root:acme:shop`.
    pub what: String,
    /// Reason, as a sentence.
    pub why: String,
}

/// Overall result for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The request is accepted immediately.
    Accepted,
    /// The request is accepted once it is approved.
    NeedsApproval,
    /// The request is refused.
    Refused,
    /// The result is unknown, so the request isn't accepted.
    Unknown,
}

/// Result of the server-side dry run, made as the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dry {
    /// The server would accept the request: permissions, quota, admission.
    Passed,
    /// The server would refuse it.
    Refused(Vec<Problem>),
    /// It was skipped, with the reason as a sentence.
    NotAsked(String),
}

/// Result of a preflight.
#[derive(Clone, Debug)]
pub struct Preflight {
    /// The rules in effect.
    pub effective: Effective,
    /// Parameters, outcomes, problems and refusals.
    pub resolved: Resolved,
    /// Objects, and what waits for others. Empty if the parameters are refused.
    pub rendering: Rendering,
    /// Reasons why it can't be rendered or recorded.
    pub problems: Vec<Problem>,
    /// A missing requirement without which nothing new is created. Running instances can still be changed.
    pub lacking: Option<Problem>,
    /// The price. Absent for a promise without a price.
    pub estimate: Option<Estimate>,
    /// Price change since the last accepted release.
    pub change: Option<Change>,
    /// Required approvals.
    pub approvals: Vec<Ruling<Approve>>,
    /// What a change has to wait for once it is approved, if windows of policies aren't open now.
    pub window: Option<WindowWait>,
    /// Limits with their usage.
    pub limits: Vec<LimitUse>,
    /// Budgets with their usage.
    pub budgets: Vec<BudgetUse>,
    /// Missing requirements of the promise. Nothing new is created without them.
    pub missing: Vec<MissingRequirement>,
    /// What couldn't be determined.
    pub unknown: Vec<Unknown>,
    /// Overall result.
    pub verdict: Verdict,
    /// The release, if it can be created and the caller knows all of its inputs.
    pub release: Option<PromiseReleaseSpec>,
}

impl Preflight {
    /// Returns the problems of the request itself with the parameters and the promise, by field.
    pub fn misfits(&self) -> Vec<Problem> {
        self.resolved.problems.iter().chain(&self.problems).chain(&self.lacking).cloned().collect()
    }

    /// Returns all problems, for the form and its summary.
    pub fn all_problems(&self) -> Vec<Problem> {
        self.misfits().into_iter().chain(self.resolved.refusals.iter().map(Refusal::problem)).collect()
    }

    /// Returns what would be created, line by line with the origin of each line. Empty if nothing can be rendered.
    pub fn attributed(&self, input: &Input<'_>) -> Vec<AttributedObject> {
        if !self.resolved.is_accepted() || !self.problems.is_empty() {
            return Vec::new();
        }
        let typed = input.request.parameters.as_ref().unwrap_or(&Value::Null);
        let origins = Origins::of(typed, &self.resolved.parameters, &self.effective);
        attribute::objects(input.compiled, &self.resolved.parameters, input.context, &self.effective.injects, &origins, input.uid)
    }

    /// Whether it can be saved. A request with an unknown result can be submitted and waits.
    pub fn may_be_submitted(&self) -> bool {
        self.verdict != Verdict::Refused
    }

    /// Whether a release can be created, immediately or after approval.
    pub fn is_acceptable(&self) -> bool {
        matches!(self.verdict, Verdict::Accepted | Verdict::NeedsApproval)
    }
}

/// Returns what a release creates, line by line, to compare with what would be created. `compiled` is the revision of the release.
pub fn running(compiled: &Compiled, release: &PromiseReleaseSpec) -> Vec<AttributedObject> {
    let context: Option<Context> = release.context.clone().and_then(|context| serde_json::from_value(context).ok());
    let (context, parameters) = (context.unwrap_or_default(), release.parameters.clone().unwrap_or_default());
    attribute::objects(compiled, &parameters, &context, &injects(&release.rules), &Origins::forgotten(), Some(&release.request_uid))
}

/// Returns the target of the rules.
fn target<'a>(input: &Input<'a>) -> Target<'a> {
    Target {
        promise: input.name,
        spec: input.spec,
        home: &input.home.path,
        home_cluster: &input.home.cluster,
        home_trusted: input.trusted,
        workspace: &input.context.workspace.path,
        labels: &input.context.workspace.labels,
        lineage: input.lineage,
    }
}

/// Returns the rules in effect for some parameters, and the resolved parameters.
fn settled(input: &Input<'_>, parameters: &Value) -> Settled {
    let former = input.former.and_then(|former| former.parameters.as_ref());
    let sources = input.policies.unwrap_or_default();
    policy::settle_read(&target(input), sources, input.reading, parameters, former, input.context)
}

/// Determines the result of a request.
pub fn preflight(input: &Input<'_>) -> Preflight {
    let mut unknown = input.unknown.to_vec();
    if let Err(why) = input.policies {
        unknown.push(Unknown { what: format!("the policies above {}", input.context.workspace.path), why: why.to_owned() });
    }
    let Settled { effective, mut resolved } = settled(input, input.request.parameters.as_ref().unwrap_or(&Value::Null));
    let estimate = estimate(input.spec, input.compiled.costs(&resolved.parameters, input.context), input.book);
    let usage = if effective.tallies.is_empty() { Usage::default() } else { (input.count)(&effective.tallies) };
    let judged = policy::judge(&effective, &usage, estimate.as_ref());
    resolved.outcomes.extend(judged.outcomes);
    resolved.outcomes.extend(policy::schedule_outcomes(&effective.schedules));
    resolved.outcomes.extend(policy::window_outcomes(&effective.windows, input.running.then_some(input.now)));
    sort_outcomes(&mut resolved.outcomes);
    resolved.refusals.extend(judged.refusals);
    let mut checked = Preflight {
        rendering: Rendering::default(),
        problems: Vec::new(),
        lacking: input.former.is_none().then(|| requirements::problem(input.missing)).flatten(),
        change: change(input, estimate.as_ref()),
        estimate,
        approvals: effective.approvals.clone(),
        window: None,
        limits: judged.limits,
        budgets: judged.budgets,
        missing: input.missing.to_vec(),
        unknown,
        verdict: Verdict::Refused,
        release: None,
        effective,
        resolved,
    };
    if checked.resolved.is_accepted() {
        render(input, &mut checked);
    }
    checked.problems.extend(expiry::problem(input.request, input.former, input.now));
    checked.problems.extend(unorphaned(input, &checked.rendering));
    let refused = !checked.resolved.is_accepted() || !checked.problems.is_empty() || checked.lacking.is_some();
    checked.verdict = match () {
        () if input.policies.is_err() => Verdict::Unknown,
        () if refused => Verdict::Refused,
        // No published version exists to create it from.
        () if input.revision.hash.is_empty() => Verdict::Unknown,
        () if checked.approvals.is_empty() => Verdict::Accepted,
        () => Verdict::NeedsApproval,
    };
    if checked.is_acceptable() {
        record(input, &mut checked);
        wait(input, &mut checked);
        keep(input, &mut checked);
    }
    checked
}

/// Finds out what a change has to wait for. Policies that don't block only warn.
fn wait(input: &Input<'_>, checked: &mut Preflight) {
    if input.running {
        checked.window = ChangeWindows::blocking(&checked.effective.windows).wait(input.now);
    }
}

/// Content that was accepted before stays accepted: approvers decide about contents, and a new reason, for example, is none.
fn keep(input: &Input<'_>, checked: &mut Preflight) {
    let accepted = input.former.map(|former| &former.content_hash);
    if accepted.is_some() && accepted == checked.release.as_ref().map(|release| &release.content_hash) {
        checked.approvals.clear();
        checked.window = None;
        checked.verdict = Verdict::Accepted;
    }
}

/// Reports that a Destination doesn't allow what the deletion policy would leave there.
fn unorphaned(input: &Input<'_>, rendering: &Rendering) -> Option<Problem> {
    if input.request.deletion_policy != DeletionPolicy::Orphan {
        return None;
    }
    let uses = |name: &&String| rendering.objects.iter().any(|made| made.destination.as_ref() == Some(*name));
    let (name, owner) = input.unorphaned.iter().find(|(name, _)| uses(name))?;
    let message = format!(
        "The destination {name} doesn't allow orphaned objects. Choose the deletion policy Delete, or ask {owner} to set allowOrphan on it."
    );
    Some(Problem { path: ".deletionPolicy".to_owned(), message })
}

fn change(input: &Input<'_>, estimate: Option<&Estimate>) -> Option<Change> {
    let before = Estimate::recorded(input.former?)
        .map_or_else(|| Amount::Unknown("No price is stored for the running version.".to_owned()), |estimate| estimate.monthly);
    Some(Change { before, after: estimate?.monthly.clone() })
}

fn render(input: &Input<'_>, checked: &mut Preflight) {
    let nothing = BTreeMap::new();
    let inputs = Inputs {
        parameters: &checked.resolved.parameters,
        context: input.context,
        observed: &nothing,
        injects: &checked.effective.injects,
    };
    match input.compiled.render(&inputs) {
        Ok(rendering) => checked.rendering = rendering,
        Err(problems) => checked.problems = problems,
    }
}

/// Creates the release if uid and digests are known.
fn record(input: &Input<'_>, checked: &mut Preflight) {
    let (Some(uid), Some(secrets)) = (input.uid, input.secrets) else { return };
    let hash = content_hash(&Content {
        request_uid: uid,
        revision_hash: &input.revision.hash,
        parameters: &checked.resolved.parameters,
        deletion_policy: input.request.deletion_policy,
        upgrade: input.request.upgrade,
        expires_at: input.request.expires_at.as_deref(),
        destinations: input.destinations,
        rules: &checked.effective.rules,
        price: checked.estimate.as_ref().and_then(|estimate| estimate.monthly.money()).map(Into::into),
        secrets,
        labels: Labels { request: &input.context.request.labels, workspace: &input.context.workspace.labels },
    });
    match hash {
        Ok(content_hash) => {
            checked.release = Some(PromiseReleaseSpec {
                request_uid: uid.to_owned(),
                request_generation: input.generation,
                revision: input.revision.clone(),
                parameters: Some(checked.resolved.parameters.clone()),
                context: serde_json::to_value(input.context).ok(),
                terms: Some(input.request.into()),
                destinations: input.destinations.clone(),
                secrets: secrets.clone(),
                rules: checked.effective.rules.clone(),
                outcomes: checked.resolved.outcomes.clone(),
                price: checked.estimate.as_ref().and_then(|estimate| serde_json::to_value(estimate).ok()),
                content_hash,
                objects: checked.rendering.objects.iter().map(|rendered| masked(&rendered.object)).collect(),
            });
        }
        Err(error) => {
            checked.problems.push(Problem { path: ".parameters".to_owned(), message: format!("Change a number: {error}.") });
            checked.verdict = Verdict::Refused;
        }
    }
}
