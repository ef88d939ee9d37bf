//! The form of a request: a new one, or one that is there.

use std::collections::BTreeSet;

use app::backend::FormOf;
use cluster::ClusterId;
use cluster::kinds::PromiseRequest;
use promise::api::{PromiseRequestSpec, PromiseSpec};
use promise::form::{Draft, Form, Summary, model_of_edit, starts_from};
use promise::identity::PersonId;
use promise::path::Path;
use promise::policy::Effective;
use promise::preflight::Preflight;
use promise::view::{Availability, AvailabilityState, ContestedLine, ParameterLine, RequestForm, ValueSource, policy_lines};
use promise::{Contested, Error, Problem, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{detail, prices, rail};
use crate::auth::{Caller, person};
use crate::portal::catalog::lines;
use crate::portal::offers::Offered;
use crate::portal::place::Workspace;
use crate::portal::preflight::Existing;
use crate::portal::rights::Right;
use crate::portal::submit::{Submission, edition};

/// Everything of a form in work that a draft keeps. It holds no secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Typed {
    /// Name of the request.
    pub(super) name: String,
    /// Its namespace.
    pub(super) namespace: String,
    /// Why it is asked for.
    pub(super) reason: String,
    /// The parameters.
    pub(super) draft: Draft,
    /// Whether what stands against it is shown.
    pub(super) checked: bool,
    /// Edition of the request that is being changed.
    pub(super) version: Option<String>,
    /// Input that gets the focus.
    pub(super) focus: Option<String>,
    /// What somebody else changed meanwhile.
    pub(super) conflict: Option<String>,
    /// What others own of it, as the plane said.
    #[serde(default)]
    pub(super) contested: Vec<Contested>,
    /// What of that the person takes over.
    #[serde(default)]
    pub(super) confirmed: Vec<Contested>,
    /// What the plane refused.
    pub(super) refused: Vec<Problem>,
    /// What the plane said about the name.
    pub(super) name_problem: Option<String>,
    /// What is wrong with secrets, which are typed in the review.
    #[serde(default)]
    pub(super) secret_problems: Vec<Problem>,
    /// Whether secrets were typed that nobody kept.
    #[serde(default)]
    pub(super) retype: bool,
    /// What the plane said when it was asked whether it would take this.
    #[serde(default)]
    pub(super) dry: Dry,
}

/// Name of a request that has none yet.
const UNNAMED: &str = "unnamed";

/// What the plane said, asked as the person and without writing anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Dry {
    /// It was not asked about these values.
    #[default]
    NotAsked,
    /// It would take them.
    Passed,
    /// It would not.
    Refused,
}

/// A form with everything that it is about.
pub(super) struct Opened {
    /// The promise; for a request that is there, as the request uses it.
    pub(super) offered: Offered,
    /// Its spec, the one that counts for this request.
    pub(super) spec: PromiseSpec,
    /// The rules.
    pub(super) effective: Effective,
    /// What is there already; the default for a new request.
    pub(super) existing: PromiseRequestSpec,
    /// The request that is being changed; the default for a new one.
    pub(super) request: Existing,
    /// What the form starts from.
    pub(super) start: Typed,
    /// Name of the form, for its drafts.
    pub(super) subject: String,
    /// Who requested what is there.
    pub(super) requester: Option<PersonId>,
}

/// Opens a form without any draft.
pub(super) async fn open(caller: &Caller, workspace: &Workspace, form: &FormOf<'_>) -> Result<Opened> {
    match form {
        FormOf::New { promise, home, start } => {
            let offered = caller.offer(workspace, promise, *home).await?;
            let spec = caller.published(&offered, &PromiseRequestSpec::default(), None);
            let effective = caller.rules(workspace, &offered.home, &offered.key.name, &spec)?;
            let subject = format!("new {} {} {}", workspace.cluster, offered.key.cluster, offered.key.name);
            let parameters = start.and_then(|start| starts_from(&spec, start)).unwrap_or_else(|| json!({}));
            let start = Typed { namespace: workspace.usual_namespace().to_owned(), draft: Draft::of(parameters), ..Typed::default() };
            Ok(Opened {
                offered,
                spec,
                effective,
                existing: PromiseRequestSpec::default(),
                request: Existing::default(),
                start,
                subject,
                requester: None,
            })
        }
        FormOf::Edit { namespace, name } => {
            let request = caller.read_request(workspace, namespace, name).await?;
            open_for(caller, workspace, &request).await
        }
    }
}

/// Opens the form of a request that is there, without any draft.
pub(super) async fn open_for(caller: &Caller, workspace: &Workspace, request: &PromiseRequest) -> Result<Opened> {
    let reference = &request.spec.promise;
    let offered = caller.offer(workspace, &reference.name, reference.workspace.as_deref()).await?;
    let existing = caller.existing(workspace, request).await?;
    let spec = caller.published(&offered, &request.spec, existing.running.as_deref());
    let effective = caller.rules(workspace, &offered.home, &offered.key.name, &spec)?;
    let name = request.metadata.name.clone().unwrap_or_default();
    let namespace = request.metadata.namespace.clone().unwrap_or_default();
    let subject = format!("edit {} {namespace} {name}", workspace.cluster);
    let start = Typed {
        name,
        namespace,
        reason: request.spec.reason.clone().unwrap_or_default(),
        draft: Draft::of(request.spec.parameters.clone().unwrap_or_else(|| json!({}))),
        version: Some(edition(request)),
        ..Typed::default()
    };
    Ok(Opened {
        offered,
        spec,
        effective,
        existing: request.spec.clone(),
        request: existing,
        start,
        subject,
        requester: Some(person::requester(request)),
    })
}

impl Opened {
    /// What stands against what the form starts from.
    pub(super) async fn problems(&self, caller: &Caller, workspace: &Workspace) -> Result<Vec<Summary>> {
        let checked = caller.preflight(workspace, &self.offered, &self.submission(&self.start)).await?;
        Ok(self.model(&checked.effective, &self.start.draft, &checked.all_problems()).summary)
    }

    /// Who wrote the parameters, for a person who looks: whoever fills in a form, and the requester of what is there.
    pub(super) fn requester(&self, caller: &Caller) -> String {
        match &self.requester {
            Some(requester) if !requester.is_empty() && *requester != caller.identity().person => requester.username().to_owned(),
            _ => "You".to_owned(),
        }
    }

    /// Credits values that someone else requested, and that the person who edits leaves as they are, to that requester.
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

    /// The form of what was typed; what was accepted and cannot change is locked.
    fn model(&self, effective: &Effective, draft: &Draft, problems: &[Problem]) -> Form {
        model_of_edit(&self.spec, effective, draft, problems, self.accepted())
    }

    /// Parameters of the release that was accepted last.
    pub(super) fn accepted(&self) -> Option<&Value> {
        self.request.former.as_ref().and_then(|former| former.parameters.as_ref())
    }

    /// What would be submitted.
    pub(super) fn submission(&self, typed: &Typed) -> Submission {
        let reason = Some(typed.reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        let spec = PromiseRequestSpec { parameters: Some(typed.draft.parameters.clone()), reason, ..self.existing.clone() };
        Submission {
            confirmed: typed.confirmed.clone(),
            namespace: typed.namespace.clone(),
            // Objects are named after the request: until it has a name, what would be made is shown under this one.
            name: if typed.name.is_empty() { UNNAMED.to_owned() } else { typed.name.clone() },
            spec,
            secrets: std::collections::BTreeMap::default(),
            awaited: self.awaited(typed),
            promise: self.spec.clone(),
            existing: self.request.clone(),
        }
    }

    /// Paths of the secrets without which what was typed cannot be submitted; they are typed in the review.
    pub(super) fn awaited(&self, typed: &Typed) -> BTreeSet<String> {
        if self.spec.secret_parameters.is_empty() {
            return BTreeSet::new();
        }
        let form = self.model(&self.effective, &typed.draft, &[]);
        form.secrets().into_iter().filter(|field| field.awaits_secret()).map(|field| field.path.clone()).collect()
    }
}

/// The form as a page shows it.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, form: FormOf<'_>, draft: Option<&str>) -> Result<RequestForm> {
    let opened = open(caller, workspace, &form).await?;
    let kept = match draft {
        Some(id) => caller.draft::<Typed>(&opened.subject, id).await?,
        None => None,
    };
    let start = match &form {
        FormOf::New { start, .. } if kept.is_none() => start.filter(|start| starts_from(&opened.spec, start).is_some()).map(str::to_owned),
        _ => None,
    };
    let draft = draft.filter(|_| kept.is_some()).map(str::to_owned);
    let untouched = kept.is_none();
    let typed = kept.unwrap_or_else(|| opened.start.clone());
    shown(caller, workspace, &form, &opened, Shown { typed, untouched, draft, start }).await
}

/// What a form shows.
pub(super) struct Shown {
    /// Everything that was typed.
    pub(super) typed: Typed,
    /// Whether nobody has typed anything yet.
    pub(super) untouched: bool,
    /// Id of the draft that has it, if one has.
    pub(super) draft: Option<String>,
    /// What a form without draft started from.
    pub(super) start: Option<String>,
}

/// The form of what was typed.
pub(super) async fn shown(caller: &Caller, workspace: &Workspace, form: &FormOf<'_>, opened: &Opened, shown: Shown) -> Result<RequestForm> {
    let Shown { mut typed, untouched, draft, start } = shown;
    let submission = opened.submission(&typed);
    let examined = caller.examine(workspace, &opened.offered, &submission).await?;
    let checked = &examined.preflight;
    let (effective, resolved) = (&checked.effective, &checked.resolved);
    // Who opens the form of a request that does not fit comes to mend it.
    typed.checked |= untouched && typed.version.is_some() && !checked.may_be_submitted();
    let found = all_problems(&typed, checked);
    // As soon as somebody types, the rail says what does not fit; the fields themselves wait until it was asked for.
    let told = opened.model(effective, &typed.draft, &found).summary;
    let mut problems = if typed.checked { found } else { Vec::new() };
    problems.extend(typed.secret_problems.iter().cloned());
    let bad_name = typed.name_problem.clone().or_else(|| name_problem(&typed.name));
    let ready = checked.may_be_submitted() && typed.draft.problems.is_empty() && typed.refused.is_empty() && bad_name.is_none();
    let submit = may_submit(caller, workspace, &opened.offered, form, &typed.namespace).await?;
    let asked = Some(&typed.draft.parameters);
    let policies = policy_lines(effective, &resolved.outcomes);
    let preflight = rail::of(&rail::Looked {
        typed: &typed,
        untouched,
        problems: &told,
        bad_name: bad_name.as_deref(),
        closed: submit.reason.as_deref(),
        examined: &examined,
        policies: &policies,
    });
    let mut form = opened.model(effective, &typed.draft, &problems);
    prices::put(&mut form, &examined.choices);
    let mut review = detail::parameters(Some(&opened.spec), asked, Some(&resolved.parameters), &resolved.outcomes);
    opened.credit(caller, asked, &mut review);
    Ok(RequestForm {
        form,
        preflight,
        policies,
        offer: lines::offer(&opened.offered),
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
        contested: typed.contested.into_iter().map(contested_line).collect(),
        retype: typed.retype,
    })
}

/// What others own, with the value by which a person confirms exactly this.
fn contested_line(field: Contested) -> ContestedLine {
    ContestedLine { confirm: json!([field.path, field.manager]).to_string(), path: field.path, manager: field.manager }
}

/// What a person confirmed, see [`contested_line`].
pub(super) fn confirmed(value: &str) -> Option<Contested> {
    let (path, manager) = serde_json::from_str(value).ok()?;
    Some(Contested { path, manager })
}

/// What stands against the values, from reading, rules and plane.
fn all_problems(typed: &Typed, checked: &Preflight) -> Vec<Problem> {
    let mut problems = typed.draft.problems.clone();
    let known = |problems: &[Problem], path: &str| problems.iter().any(|problem| problem.path == path && !path.is_empty());
    for problem in checked.all_problems().into_iter().chain(typed.refused.iter().cloned()) {
        if !known(&problems, &problem.path) {
            problems.push(problem);
        }
    }
    problems
}

/// What is wrong with a name, with the fix.
pub(in crate::portal) fn name_problem(name: &str) -> Option<String> {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let outer = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let bytes = name.as_bytes();
    if name.is_empty() {
        Some("Give the request a name.".to_owned())
    } else if bytes.len() > 50 {
        Some("Shorten the name to at most 50 characters.".to_owned())
    } else if !(bytes.iter().all(|b| inner(*b)) && outer(bytes.first()) && outer(bytes.last())) {
        Some("Write the name with lower-case letters, digits and hyphens, beginning and ending with a letter or digit.".to_owned())
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
            let reason = format!("You may look at requests in {} and not change them.", workspace.path);
            Ok(Availability { state: AvailabilityState::Denied, reason: Some(reason) })
        }
    }
}

/// The identity of the workspace that a form carries.
pub(super) fn cluster_field(cluster: &ClusterId) -> String {
    cluster.to_string()
}

/// Refuses a form that was opened for another workspace of the same path.
pub(super) fn check_cluster(workspace: &Workspace, posted: &str) -> Result<()> {
    if posted == cluster_field(&workspace.cluster) {
        return Ok(());
    }
    Err(Error::Conflict { message: format!("{} is another workspace than when this form was opened; open it again", workspace.path) })
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
