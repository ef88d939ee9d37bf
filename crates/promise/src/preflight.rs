//! What would become of a request: one answer for form, REST, CLI and controller (`domain.md` 5, 8).
//!
//! [`preflight`] is pure: everything that counts is in [`Input`], and the same input gives the same bytes. The controller makes its
//! release by it and by nothing else, so what people see before they submit is what happens. What only a caller can find out (a name
//! that is taken, what the plane says to a dry run) the caller adds: see [`Dry`].
//!
//! What cannot be known is [`Unknown`], with the reason. A request whose policies cannot all be seen is never accepted.

mod answer;
mod later;
mod options;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::api::{Approve, DeletionPolicy, DestinationId, PromiseReleaseSpec, PromiseRequestSpec, PromiseSpec, ReleaseRevision};
use crate::attribute::{self, AttributedObject, Origins};
use crate::context::Context;
use crate::deferred;
use crate::error::Problem;
use crate::policy::{self, BudgetUse, Effective, LimitUse, PolicySource, Ruling, Settled, Tally, Target, Usage};
use crate::price::{Amount, Change, Estimate, PriceBook, estimate};
use crate::release::{Content, Labels, content_hash};
use crate::render::{Compiled, Inputs, Rendering, injects, masked};
use crate::requirements;
use crate::resolve::{PromiseReading, Resolved, sort_outcomes};
use crate::visibility::Place;

pub use later::next_price;
pub use options::{Choice, PricedChoice, options};

/// Everything that decides about a request.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Name of the promise.
    pub name: &'a str,
    /// The promise as it counts for this request.
    pub spec: &'a PromiseSpec,
    /// Its expressions.
    pub compiled: &'a Compiled,
    /// Its schema and own rules, read.
    pub reading: &'a PromiseReading,
    /// Where it lives.
    pub home: &'a Place,
    /// Whether that is a trusted home.
    pub trusted: bool,
    /// The revision that the spec is of.
    pub revision: &'a ReleaseRevision,
    /// Logical cluster ids from the root down to the request's workspace, proven by Workspace objects.
    pub lineage: &'a [String],
    /// The policies that apply, as [`policy::gather`] finds them; the error is a sentence about who does not show theirs.
    pub policies: Result<&'a [PolicySource], &'a str>,
    /// What is asked for, with references in the place of secrets.
    pub request: &'a PromiseRequestSpec,
    /// uid of the request; absent while it is not written yet.
    pub uid: Option<&'a str>,
    /// Generation of the request.
    pub generation: i64,
    /// The release that was accepted last.
    pub former: Option<&'a PromiseReleaseSpec>,
    /// Request, promise and workspace; its prices are those of `book`.
    pub context: &'a Context,
    /// The price list that counts.
    pub book: &'a PriceBook,
    /// Counts what is there already for limits and budgets, without this request; what it leaves out is not known.
    pub count: &'a dyn Fn(&[Tally]) -> Usage,
    /// Keyed digests of secret inputs, by parameter path; absent where the caller cannot make them.
    pub secrets: Option<&'a BTreeMap<String, String>>,
    /// The Destinations that the promise names, as far as they are there.
    pub destinations: &'a BTreeMap<String, DestinationId>,
    /// Those of them that do not allow orphaned objects, with the paths of their homes.
    pub unorphaned: &'a BTreeMap<String, String>,
    /// What the promise requires and is not there, in words that follow “It needs”.
    pub missing: &'a [String],
    /// What the caller could not find out.
    pub unknown: &'a [Unknown],
}

/// Something that nobody could tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What it is about: a noun, such as `the policies above root:acme:shop`.
    pub what: String,
    /// Why: a sentence.
    pub why: String,
}

/// What comes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is accepted at once.
    Accepted,
    /// It is accepted as soon as people agree.
    NeedsApproval,
    /// It is refused.
    Refused,
    /// Nobody can tell, so nothing is accepted.
    Unknown,
}

/// What the plane said when it was asked, as the person, without anything being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dry {
    /// It would take the request: rights, quota, admission.
    Passed,
    /// It would not.
    Refused(Vec<Problem>),
    /// It was not asked; a sentence says why.
    NotAsked(String),
}

/// What would become of a request.
#[derive(Clone, Debug)]
pub struct Preflight {
    /// The rules in effect.
    pub effective: Effective,
    /// Parameters, outcomes, problems and refusals.
    pub resolved: Resolved,
    /// Objects, and what waits for others; empty where the parameters are refused.
    pub rendering: Rendering,
    /// Why it cannot be rendered or recorded.
    pub problems: Vec<Problem>,
    /// That something is missing without which nothing new is made; what runs already may be changed all the same.
    pub lacking: Option<Problem>,
    /// What it costs; absent for a promise that states no price.
    pub estimate: Option<Estimate>,
    /// The price against that of the release that was accepted last.
    pub change: Option<Change>,
    /// Decisions that people have to take.
    pub approvals: Vec<Ruling<Approve>>,
    /// Limits with their counts.
    pub limits: Vec<LimitUse>,
    /// Budgets with what they leave.
    pub budgets: Vec<BudgetUse>,
    /// What the promise requires and is not there, in words that follow “It needs”: nothing new is made without it.
    pub missing: Vec<String>,
    /// What nobody could tell.
    pub unknown: Vec<Unknown>,
    /// What comes of it.
    pub verdict: Verdict,
    /// The release, if it may be made and the caller knows all that enters it.
    pub release: Option<PromiseReleaseSpec>,
}

impl Preflight {
    /// What the parameters and the promise say against it, by field: the request does not fit.
    pub fn misfits(&self) -> Vec<Problem> {
        self.resolved.problems.iter().chain(&self.problems).chain(&self.lacking).cloned().collect()
    }

    /// Everything that stands against it, for the form and its summary.
    pub fn all_problems(&self) -> Vec<Problem> {
        self.resolved.problems.iter().chain(&self.problems).chain(&self.lacking).chain(&self.resolved.refusals).cloned().collect()
    }

    /// What would be made, line by line, each with where it comes from; empty where nothing can be rendered.
    pub fn attributed(&self, input: &Input<'_>) -> Vec<AttributedObject> {
        if !self.resolved.is_accepted() || !self.problems.is_empty() {
            return Vec::new();
        }
        let typed = input.request.parameters.as_ref().unwrap_or(&Value::Null);
        let origins = Origins::of(typed, &self.resolved.parameters, &self.effective);
        attribute::objects(input.compiled, &self.resolved.parameters, input.context, &self.effective.injects, &origins, input.uid)
    }

    /// Whether it may be written: who cannot be told what comes of it may ask all the same, and waits.
    pub fn may_be_submitted(&self) -> bool {
        self.verdict != Verdict::Refused
    }

    /// Whether a release may be made of it, at once or once people agree.
    pub fn is_acceptable(&self) -> bool {
        matches!(self.verdict, Verdict::Accepted | Verdict::NeedsApproval)
    }
}

/// What a release makes, line by line, for comparing with what would be made. `compiled` is the revision of the release.
pub fn running(compiled: &Compiled, release: &PromiseReleaseSpec) -> Vec<AttributedObject> {
    let context: Option<Context> = release.context.clone().and_then(|context| serde_json::from_value(context).ok());
    let (context, parameters) = (context.unwrap_or_default(), release.parameters.clone().unwrap_or_default());
    attribute::objects(compiled, &parameters, &context, &injects(&release.rules), &Origins::forgotten(), Some(&release.request_uid))
}

/// The target of the rules.
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

/// The rules in effect for some parameters, and what becomes of these.
fn settled(input: &Input<'_>, parameters: &Value) -> Settled {
    let former = input.former.and_then(|former| former.parameters.as_ref());
    let sources = input.policies.unwrap_or_default();
    policy::settle_read(&target(input), sources, input.reading, parameters, former, input.context)
}

/// Says what would become of a request.
pub fn preflight(input: &Input<'_>) -> Preflight {
    let mut unknown = input.unknown.to_vec();
    if let Err(why) = input.policies {
        unknown.push(Unknown { what: format!("the policies above {}", input.context.workspace.path), why: why.to_owned() });
    }
    let Settled { effective, mut resolved } = settled(input, input.request.parameters.as_ref().unwrap_or(&Value::Null));
    let estimate = estimate(input.spec, input.compiled, &resolved.parameters, input.context, input.book);
    let usage = if effective.tallies.is_empty() { Usage::default() } else { (input.count)(&effective.tallies) };
    let judged = policy::judge(&effective, &usage, estimate.as_ref());
    resolved.outcomes.extend(judged.outcomes);
    sort_outcomes(&mut resolved.outcomes);
    resolved.refusals.extend(judged.refusals);
    let mut checked = Preflight {
        rendering: Rendering::default(),
        problems: Vec::new(),
        lacking: input.former.is_none().then(|| requirements::problem(input.missing)).flatten(),
        change: change(input, estimate.as_ref()),
        estimate,
        approvals: effective.approvals.clone(),
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
    checked.problems.extend(deferred::of_request(input.request));
    checked.problems.extend(unorphaned(input, &checked.rendering));
    let refused = !checked.resolved.is_accepted() || !checked.problems.is_empty() || checked.lacking.is_some();
    checked.verdict = match () {
        () if input.policies.is_err() => Verdict::Unknown,
        () if refused => Verdict::Refused,
        // No version is published that it could be made of.
        () if input.revision.hash.is_empty() => Verdict::Unknown,
        () if checked.approvals.is_empty() => Verdict::Accepted,
        () => Verdict::NeedsApproval,
    };
    if checked.is_acceptable() {
        record(input, &mut checked);
    }
    checked
}

/// That a Destination does not allow what the deletion policy would leave there.
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
    let before = Estimate::kept(input.former?)
        .map_or_else(|| Amount::Unknown("No price was kept with what runs now.".to_owned()), |estimate| estimate.monthly);
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

/// Makes the release, where uid and digests are known.
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
