//! The form of a request, for a new or an existing one.

use std::collections::BTreeSet;

use app::backend::FormOf;
use app::view::{
    Availability, AvailabilityState, NeededFor, OfferRow, ParameterLine, RequestForm, RestoredRelease, ValueSource, policy_lines,
};
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use cluster::person;
use promise::api::{PromiseRequestSpec, PromiseSpec};
use promise::form::manifest::Terms;
use promise::form::{Draft, Form, Summary, model_of_edit};
use promise::identity::PersonId;
use promise::path::Path;
use promise::policy::Effective;
use promise::preflight::Preflight;
use promise::{ConflictReason, Problem, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::comparison::{self, LastChange, Merge};
use super::given::{self, Given};
use super::source::{self, Source};
use super::{detail, kept, preflight_panel, presets, prices, references, required, terms};
use crate::portal::Caller;
use crate::portal::catalog::lines;
use crate::portal::drafts::DraftSubject;
use crate::portal::offers::Offered;
use crate::portal::place::Workspace;
use crate::portal::preflight::Existing;
use crate::portal::rights::Right;
use crate::portal::submit::{Submission, edition};

/// The state of a form that is saved in a draft. It contains no secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Typed {
    /// Name of the request.
    pub(super) name: String,
    /// Its namespace.
    pub(super) namespace: String,
    /// The reason for the request.
    pub(super) reason: String,
    /// The parameters.
    pub(super) draft: Draft,
    /// Whether its problems are shown.
    pub(super) checked: bool,
    /// Edition of the request that is being changed.
    pub(super) version: Option<String>,
    /// Input that gets the focus.
    pub(super) focus: Option<String>,
    /// What someone else changed meanwhile.
    pub(super) conflict: Option<String>,
    /// Problems that the control plane reported.
    pub(super) refused: Vec<Problem>,
    /// Problem that the control plane reported about the name.
    pub(super) name_problem: Option<String>,
    /// Problems with secrets, which are entered in the review.
    #[serde(default)]
    pub(super) secret_problems: Vec<Problem>,
    /// Whether secrets were entered that were not saved.
    #[serde(default)]
    pub(super) retype: bool,
    /// Result of the dry run on the control plane.
    #[serde(default)]
    pub(super) dry: Dry,
    /// The parameters of the request that is being changed, as the user saw them first.
    #[serde(default)]
    pub(super) original: Option<Value>,
    /// Its reason, as the user saw it first.
    #[serde(default)]
    pub(super) original_reason: Option<String>,
    /// What someone else changed meanwhile, value by value.
    #[serde(default)]
    pub(super) merge: Merge,
    /// Defaults that were replaced because of policies, a sentence each.
    #[serde(default)]
    pub(super) adjusted: Vec<String>,
    /// The values that replace them.
    #[serde(default)]
    pub(super) given: Vec<Given>,
    /// The manifest, once it was shown.
    #[serde(default)]
    pub(super) source: Option<Source>,
    /// Settings besides the parameters that the manifest changes.
    #[serde(default)]
    pub(super) terms: Option<Terms>,
    /// What the request is needed for, if its form was opened for something else.
    #[serde(default)]
    pub(super) needed_for: Option<NeededFor>,
}

/// Name of a request that has none yet.
const UNNAMED: &str = "unnamed";

/// Result of a dry run on the control plane, made as the user and without writing anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Dry {
    /// There was no dry run with these values.
    #[default]
    NotAsked,
    /// The request would be accepted.
    Passed,
    /// The request would be rejected.
    Refused,
}

/// A form with everything it needs.
pub(super) struct Opened {
    /// The promise. For an existing request, as the request uses it.
    pub(super) offered: Offered,
    /// The spec of the promise that applies to this request.
    pub(super) spec: PromiseSpec,
    /// The rules.
    pub(super) effective: Effective,
    /// The spec of the existing request, or the default for a new one.
    pub(super) existing: PromiseRequestSpec,
    /// The request that is being changed, or the default for a new one.
    pub(super) request: Existing,
    /// The initial state of the form.
    pub(super) start: Typed,
    /// Subject of the form, for its drafts.
    pub(super) subject: String,
    /// The requester of the existing request.
    pub(super) requester: Option<PersonId>,
    /// What an approver requested to change in it, as a sentence.
    pub(super) objection: Option<String>,
    /// Who last changed the existing request.
    pub(super) changed: LastChange,
    /// The tool that applies the existing request from a file, if there is one.
    pub(super) applied_by: Option<String>,
    /// The version that applies if the terms stay as they are.
    pub(super) usual_version: String,
    /// The release that the form starts with.
    pub(super) restored: Option<RestoredRelease>,
}

/// Opens a form without a draft.
pub(super) async fn open(caller: &Caller, workspace: &Workspace, form: &FormOf<'_>) -> Result<Opened> {
    match form {
        FormOf::New { promise, home, .. } => {
            let offered = caller.offer(workspace, promise, *home).await?;
            let spec = caller.published(&offered, &PromiseRequestSpec::default(), None);
            let effective = caller.rules(workspace, &offered.home, &offered.key.name, &spec)?;
            let (cluster, home) = (workspace.cluster.clone(), offered.key.cluster.clone());
            let subject = DraftSubject::New { cluster, home, promise: offered.key.name.clone() }.to_string();
            let start = Typed { namespace: workspace.usual_namespace().to_owned(), draft: Draft::of(json!({})), ..Typed::default() };
            Ok(Opened {
                usual_version: spec.version.clone(),
                restored: None,
                offered,
                spec,
                effective,
                existing: PromiseRequestSpec::default(),
                request: Existing::default(),
                start,
                subject,
                requester: None,
                objection: None,
                changed: LastChange::default(),
                applied_by: None,
            })
        }
        FormOf::Edit { namespace, name, .. } => {
            let request = caller.read_request(workspace, namespace, name).await?;
            open_for(caller, workspace, &request).await
        }
    }
}

/// Opens the form of an existing request, without a draft.
pub(super) async fn open_for(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Result<Opened> {
    let reference = &request.spec.promise;
    let offered = caller.offer(workspace, &reference.name, reference.workspace.as_deref()).await?;
    let existing = caller.existing(workspace, request).await?;
    let spec = caller.published(&offered, &request.spec, existing.running.as_deref());
    let effective = caller.rules(workspace, &offered.home, &offered.key.name, &spec)?;
    let name = request.metadata.name.clone().unwrap_or_default();
    let namespace = request.metadata.namespace.clone().unwrap_or_default();
    let (cluster, of_namespace, of_name) = (workspace.cluster.clone(), namespace.clone(), name.clone());
    let subject = DraftSubject::Edit { cluster, namespace: of_namespace, name: of_name }.to_string();
    let start = Typed {
        name,
        namespace,
        reason: request.spec.reason.clone().unwrap_or_default(),
        draft: Draft::of_stored(request.spec.parameters.clone().unwrap_or_else(|| json!({}))),
        version: Some(edition(request)),
        ..Typed::default()
    };
    Ok(Opened {
        usual_version: spec.version.clone(),
        restored: None,
        offered,
        spec,
        effective,
        existing: request.spec.clone(),
        request: existing,
        start,
        subject,
        requester: Some(person::requester(request)),
        objection: comparison::objection(caller, workspace, request),
        changed: LastChange::of(request),
        applied_by: comparison::applied_by(request),
    })
}

impl Opened {
    /// Returns the problems of the form's initial state.
    pub(super) async fn problems(&self, caller: &Caller, workspace: &Workspace) -> Result<Vec<Summary>> {
        let checked = caller.preflight(workspace, &self.offered, &self.submission(&self.start)).await?;
        let mut form = self.model(&checked.effective, &self.start.draft, &checked.all_problems());
        form.point_at(&checked.resolved.involved);
        Ok(form.summary)
    }

    /// Returns who wrote the parameters, as shown to the current user: the user of the form, or the requester of an existing request.
    pub(super) fn requester(&self, caller: &Caller) -> String {
        match &self.requester {
            Some(requester) if !requester.is_empty() && *requester != caller.identity().person => requester.username().to_owned(),
            _ => "You".to_owned(),
        }
    }

    /// Attributes values that someone else requested, and that the editing user leaves unchanged, to that requester.
    fn credit(&self, caller: &Caller, typed: Option<&Value>, lines: &mut [ParameterLine]) {
        let Some(requester) = self.requester.as_ref().filter(|requester| !requester.is_empty() && **requester != caller.identity().person)
        else {
            return;
        };
        let at = |parameters: Option<&Value>, path: &str| Some(Path::parse(path).ok()?.get(parameters?)?.clone());
        for line in lines.iter_mut().filter(|line| line.source == ValueSource::Asked) {
            let before = at(self.existing.parameters.as_ref(), &line.path);
            if before.is_some() && before == at(typed, &line.path) {
                line.source = ValueSource::Requester(requester.username().to_owned());
            }
        }
    }

    /// Returns the form for the entered values. Accepted values that can't change are locked.
    fn model(&self, effective: &Effective, draft: &Draft, problems: &[Problem]) -> Form {
        model_of_edit(&self.spec, effective, draft, problems, self.accepted())
    }

    /// Returns the parameters of the release accepted last.
    pub(super) fn accepted(&self) -> Option<&Value> {
        self.request.former.as_ref().and_then(|former| former.parameters.as_ref())
    }

    /// Returns what would be submitted.
    pub(super) fn submission(&self, typed: &Typed) -> Submission {
        let reason = Some(typed.reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        let mut spec = PromiseRequestSpec { parameters: Some(typed.draft.parameters.clone()), reason, ..self.existing.clone() };
        if let Some(terms) = &typed.terms {
            terms.apply(&mut spec);
        }
        Submission {
            namespace: typed.namespace.clone(),
            // Objects are named after the request. Until it has a name, they are shown with this one.
            name: if typed.name.is_empty() { UNNAMED.to_owned() } else { typed.name.clone() },
            spec,
            secrets: std::collections::BTreeMap::default(),
            awaited: self.awaited(typed),
            promise: self.spec.clone(),
            existing: self.request.clone(),
        }
    }

    /// Returns the paths of the secrets that are required to submit the form. They are entered in the review.
    pub(super) fn awaited(&self, typed: &Typed) -> BTreeSet<String> {
        if self.spec.secret_parameters.is_empty() {
            return BTreeSet::new();
        }
        let form = self.model(&self.effective, &typed.draft, &[]);
        form.secrets().into_iter().filter(|field| field.awaits_secret()).map(|field| field.path.clone()).collect()
    }
}

/// Returns the form as a page shows it.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, form: FormOf<'_>, draft: Option<&str>) -> Result<RequestForm> {
    let mut opened = open(caller, workspace, &form).await?;
    let kept = match draft {
        Some(id) => kept::of(caller, workspace, &form, &mut opened, id).await?,
        None => None,
    };
    let (mut start, mut typed) = (None, opened.start.clone());
    if let (None, FormOf::New { start: Some(wanted), .. } | FormOf::Edit { start: Some(wanted), .. }) = (&kept, &form)
        && let Some(started) = kept::start_of(caller, workspace, &mut opened, wanted).await?
    {
        (start, typed) = (Some((*wanted).to_owned()), started);
    }
    let submitted = draft.filter(|_| kept.is_none()).and_then(|_| kept::submitted(caller, workspace, &form));
    let draft = draft.filter(|_| kept.is_some()).map(str::to_owned);
    let (untouched, posted) = (kept.is_none(), kept.as_ref().is_some_and(|kept| kept.posted));
    let shared = kept.as_ref().and_then(|kept| kept.shared.clone());
    let typed = kept.map_or(typed, |kept| kept.typed);
    let save = caller.new_draft_id();
    let shown_form = shown(caller, workspace, &form, &opened, Shown { typed, untouched, draft, start, save, saved: None }).await?;
    let saved_presets = match form {
        FormOf::New { .. } => presets::choices(caller, workspace, &opened).await,
        FormOf::Edit { .. } => Vec::new(),
    };
    Ok(RequestForm { shared, posted, saved_presets, submitted, ..shown_form })
}

/// What a form shows.
pub(super) struct Shown {
    /// The entered values.
    pub(super) typed: Typed,
    /// Whether the user hasn't entered anything yet.
    pub(super) untouched: bool,
    /// Id of the draft, if there is one.
    pub(super) draft: Option<String>,
    /// What a form without a draft started from.
    pub(super) start: Option<String>,
    /// Id of the draft in which typing is saved.
    pub(super) save: String,
    /// Whether what was typed was saved. `None` if nothing was typed.
    pub(super) saved: Option<bool>,
}

/// Returns the form for the entered values.
pub(super) async fn shown(caller: &Caller, workspace: &Workspace, form: &FormOf<'_>, opened: &Opened, shown: Shown) -> Result<RequestForm> {
    let Shown { mut typed, untouched, draft, start, save, saved } = shown;
    let submission = opened.submission(&typed);
    let examined = caller.examine(workspace, &opened.offered, &submission).await?;
    let checked = &examined.preflight;
    let (effective, resolved) = (&checked.effective, &checked.resolved);
    // A user who opens the form of an invalid request wants to fix it. What another version needs isn't wrong yet.
    typed.checked |= untouched && typed.version.is_some() && start.is_none() && !checked.may_be_submitted();
    let found = all_problems(&typed, checked);
    // Once the user enters anything, the side panel shows what is invalid. The fields themselves only show it after a check.
    let bad_name = typed.name_problem.clone().or_else(|| name_problem(&typed.name)).filter(|_| !source::is_unreadable(&typed));
    let yaml = source::view(opened, workspace, &typed, (bad_name.as_deref(), &found));
    let told = match &yaml {
        Some(_) => source::summary(&found),
        None => {
            let mut form = opened.model(effective, &typed.draft, &found);
            form.point_at(&resolved.involved);
            form.summary
        }
    };
    let moved = terms::moved(caller, opened, if typed.checked { &[] } else { &told });
    if let Some(first) = moved.as_ref().and_then(|moved| moved.needs.first()).filter(|_| untouched) {
        typed.focus = Some(first.target.clone()).filter(|target| !target.is_empty());
    }
    let mut problems = if typed.checked { found } else { Vec::new() };
    problems.extend(typed.secret_problems.iter().cloned());
    let ready = checked.may_be_submitted() && typed.draft.problems.is_empty() && typed.refused.is_empty() && bad_name.is_none();
    let submit = may_submit(caller, workspace, &opened.offered, form, &typed.namespace).await?;
    let asked = Some(&typed.draft.parameters);
    let policies = policy_lines(effective, &resolved.outcomes);
    let mut preflight = preflight_panel::of(&preflight_panel::Looked {
        typed: &typed,
        untouched,
        problems: &told,
        bad_name: bad_name.as_deref(),
        closed: submit.reason.as_deref(),
        examined: &examined,
        policies: &policies,
    });
    if yaml.is_some() {
        source::retarget(&mut preflight);
    }
    let mut form = opened.model(effective, &typed.draft, &problems);
    form.point_at(&resolved.involved);
    prices::put(&mut form, &examined.choices);
    if yaml.is_none() {
        references::put(caller, workspace, &typed.namespace, &opened.spec, &mut form).await;
    }
    let change = comparison::change(caller, opened, &typed, &examined, &policies);
    let mut review = detail::parameters(Some(&opened.spec), asked, Some(&resolved.parameters), &resolved.outcomes, &|source, policy| {
        caller.policy_title(source, policy)
    });
    given::attribute(&typed, &mut review);
    opened.credit(caller, asked, &mut review);
    review.extend(terms::lines(opened, &submission.spec));
    let offer = OfferRow { version: opened.spec.version.clone(), ..lines::offer(&opened.offered) };
    let missing = if checked.lacking.is_some() { checked.missing.as_slice() } else { &[] };
    Ok(RequestForm {
        terms: terms::form(caller, opened, &typed),
        moved,
        form,
        preflight,
        policies,
        offer,
        review,
        ready,
        name_problem: bad_name.filter(|_| typed.checked),
        submit,
        cluster: cluster_field(&workspace.cluster),
        draft,
        start,
        name: typed.name,
        namespace: typed.namespace,
        reason: typed.reason,
        checked: typed.checked,
        editing: typed.version,
        focus: typed.focus,
        conflict: typed.conflict,
        objection: opened.objection.clone(),
        applied_by: opened.applied_by.clone(),
        retype: typed.retype,
        merge: comparison::view(&opened.spec, &typed.merge, &typed.draft.parameters, &caller.identity().person),
        adjusted: typed.adjusted,
        given: typed.given.iter().map(Given::text).collect(),
        change,
        save,
        saved,
        shared: None,
        submitted: None,
        posted: false,
        saved_presets: Vec::new(),
        yaml,
        required: required::read(caller, workspace, missing).await?,
        needed_for: typed.needed_for,
        steps: promise::workflow::planned(&opened.spec, opened.request.runs),
    })
}

/// Returns the problems of the values, from parsing, rules and control plane.
fn all_problems(typed: &Typed, checked: &Preflight) -> Vec<Problem> {
    let mut problems = typed.draft.problems.clone();
    if source::is_unreadable(typed) {
        return problems;
    }
    let known = |problems: &[Problem], path: &str| problems.iter().any(|problem| problem.path == path && !path.is_empty());
    for problem in checked.all_problems().into_iter().chain(typed.refused.iter().cloned()) {
        if !known(&problems, &problem.path) {
            problems.push(problem);
        }
    }
    problems
}

/// Describes how to fix an invalid name.
pub(in crate::portal) fn name_problem(name: &str) -> Option<String> {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let outer = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let bytes = name.as_bytes();
    if name.is_empty() {
        Some("Enter a name.".to_owned())
    } else if bytes.len() > 50 {
        Some("Shorten the name to at most 50 characters.".to_owned())
    } else if !(bytes.iter().all(|b| inner(*b)) && outer(bytes.first()) && outer(bytes.last())) {
        Some("Use lower-case letters, digits and hyphens in the name. Start and end with a letter or digit.".to_owned())
    } else {
        None
    }
}

async fn may_submit(caller: &Caller, workspace: &Workspace, offered: &Offered, form: &FormOf<'_>, namespace: &str) -> Result<Availability> {
    match form {
        FormOf::New { .. } => Ok(lines::offer(offered).availability),
        FormOf::Edit { name, .. } if caller.may(&workspace.cluster, Right::request("patch", namespace, name)).await? => {
            Ok(Availability::default())
        }
        FormOf::Edit { .. } => {
            let reason = format!("You can view requests in {} but can't change them.", workspace.path);
            Ok(Availability { state: AvailabilityState::Denied, reason: Some(reason) })
        }
    }
}

/// Returns the identity of the workspace that a form contains.
pub(in crate::portal) fn cluster_field(cluster: &ClusterId) -> String {
    cluster.to_string()
}

/// Returns an error if a form was opened for another workspace of the same path.
pub(in crate::portal) fn check_cluster(workspace: &Workspace, posted: &str) -> Result<()> {
    if posted == cluster_field(&workspace.cluster) {
        return Ok(());
    }
    Err(ConflictReason::OtherWorkspace { workspace: workspace.path.to_string() }.into())
}

#[cfg(test)]
mod tests {
    use super::name_problem;

    #[test]
    fn names_that_the_plane_takes_pass() {
        for good in ["a", "orders-db", "0-1", &"a".repeat(50)] {
            assert_eq!(name_problem(good), None, "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a_b", "a.b", "ä", &"a".repeat(51)] {
            assert!(name_problem(bad).is_some(), "{bad}");
        }
    }
}
