//! A posted form: parsed, checked, and written if it was submitted without problems. Invalid input becomes a draft, never an error.

use app::backend::{FormOf, Pairs};
use app::view::{FormOutcome, RequestForm};
use promise::form::{LONGEST_SECRET, OPERATION, keep_immutable, parse, says_parameters, starts_from};
use promise::path::Path;
use promise::wording::{label, lower_first};
use promise::{Error, Problem, Result};
use serde_json::Value;

use super::form::{self, Dry, Opened, Typed};
use crate::auth::Caller;
use crate::portal::place::Workspace;
use crate::portal::reads::is_object_name;
use crate::portal::submit::Submission;

/// Names of the inputs that are not parameters.
mod input {
    /// Name of the request.
    pub(super) const NAME: &str = "/name";
    /// Its namespace.
    pub(super) const NAMESPACE: &str = "/namespace";
    /// The reason for the request.
    pub(super) const REASON: &str = "/reason";
    /// Edition that the form was opened with.
    pub(super) const VERSION: &str = "_version";
    /// Cluster id of the workspace.
    pub(super) const CLUSTER: &str = "_cluster";
    /// Id of the draft that is shown.
    pub(super) const DRAFT: &str = "_draft";
    /// Example or preset that the form started from.
    pub(super) const START: &str = "_start";
    /// A field that is taken over from another owner.
    pub(super) const CONFIRMED: &str = "_take_over";
    /// Set if problems are already shown at their fields.
    pub(super) const CHECKED: &str = "_checked";
}

/// What the pressed button means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Change,
    Check,
    Review,
    Adds,
    Submit,
}

/// Handles a post.
pub(super) async fn post(caller: &Caller, workspace: &Workspace, of: FormOf<'_>, pairs: &Pairs) -> Result<FormOutcome> {
    form::check_cluster(workspace, field(pairs, input::CLUSTER).unwrap_or_default())?;
    let opened = form::open(caller, workspace, &of).await?;
    let (mut typed, secrets, step) = read(caller, &opened, &of, pairs).await?;
    let mut submission = opened.submission(&typed);
    if step == Step::Submit {
        typed.retype = !secrets.is_empty();
        submission.secrets = secrets;
    }
    let checked = caller.preflight(workspace, &opened.offered, &submission).await?;
    if !is_object_name(&typed.namespace) || !workspace.namespaces.has(&typed.namespace) {
        let message = format!("Choose another namespace: {:?} doesn't exist.", typed.namespace);
        return Err(Error::Invalid { problems: vec![Problem { path: ".metadata.namespace".to_owned(), message }] });
    }
    let fits = checked.may_be_submitted() && typed.draft.problems.is_empty() && form::name_problem(&typed.name).is_none();
    if step == Step::Change {
        return again(caller, &opened, typed).await;
    }
    if step == Step::Adds {
        return Ok(FormOutcome::Adds { draft: caller.keep_draft(&opened.subject, &typed).await? });
    }
    typed.checked = true;
    if !fits {
        return again(caller, &opened, typed).await;
    }
    match step {
        Step::Submit if !secrets_fit(&opened, &submission, &mut typed) => review(caller, &opened, typed).await,
        Step::Submit => match write(caller, workspace, &opened, &of, &submission, &typed).await {
            Ok(()) => {
                if let Some(draft) = field(pairs, input::DRAFT) {
                    caller.forget_draft(draft).await?;
                }
                Ok(FormOutcome::Written { namespace: typed.namespace, name: typed.name })
            }
            Err(error) => refused(caller, &opened, typed, error).await,
        },
        _ => match caller.rehearse(workspace, &opened.offered, &submission, typed.version.as_deref()).await {
            Ok(()) if step == Step::Review => review(caller, &opened, Typed { dry: Dry::Passed, ..typed }).await,
            Ok(()) => again(caller, &opened, Typed { dry: Dry::Passed, ..typed }).await,
            Err(error) => refused(caller, &opened, typed, error).await,
        },
    }
}

/// Returns the form for the entered values, without saving it. Also makes a dry run on the control plane if requested and there are no
/// other problems.
pub(super) async fn preflight(caller: &Caller, workspace: &Workspace, of: FormOf<'_>, pairs: &Pairs) -> Result<RequestForm> {
    form::check_cluster(workspace, field(pairs, input::CLUSTER).unwrap_or_default())?;
    let opened = form::open(caller, workspace, &of).await?;
    let (mut typed, _, step) = read(caller, &opened, &of, pairs).await?;
    typed.checked = field(pairs, input::CHECKED).is_some();
    // The user is typing, so an input already has the focus.
    typed.focus = None;
    if step == Step::Check && form::name_problem(&typed.name).is_none() && typed.draft.problems.is_empty() {
        let submission = opened.submission(&typed);
        let checked = caller.preflight(workspace, &opened.offered, &submission).await?;
        if checked.may_be_submitted() {
            typed = match caller.rehearse(workspace, &opened.offered, &submission, typed.version.as_deref()).await {
                Ok(()) => Typed { dry: Dry::Passed, ..typed },
                Err(error) => noted(&opened, typed, error)?,
            };
        }
    }
    let shown = form::Shown { typed, untouched: false, draft: field(pairs, input::DRAFT).map(str::to_owned), start: None };
    form::shown(caller, workspace, &of, &opened, shown).await
}

/// Checks that every required secret is given and none is too long. Problems are kept for the review.
fn secrets_fit(opened: &Opened, submission: &Submission, typed: &mut Typed) -> bool {
    let problem = |path: &str, sentence: &dyn Fn(&str) -> String| {
        let label = Path::parse(path).map_or_else(|_| path.to_owned(), |path| lower_first(&label(&opened.spec, &path)));
        Problem { path: format!(".parameters{path}"), message: sentence(&label) }
    };
    let missing = submission.awaited.iter().filter(|path| !submission.secrets.contains_key(*path));
    let missing = missing.map(|path| problem(path, &|label| format!("Enter {label}.")));
    let long = submission.secrets.iter().filter(|(_, text)| text.reveal().len() > LONGEST_SECRET);
    let long = long.map(|(path, _)| problem(path, &|label| format!("Shorten {label} to at most {} KiB.", LONGEST_SECRET >> 10)));
    typed.secret_problems = missing.chain(long).collect();
    typed.secret_problems.is_empty()
}

async fn write(
    caller: &Caller,
    workspace: &Workspace,
    opened: &Opened,
    of: &FormOf<'_>,
    submission: &Submission,
    typed: &Typed,
) -> Result<()> {
    match of {
        FormOf::New { .. } => caller.create_request(workspace, &opened.offered, submission).await.map(|_| ()),
        FormOf::Edit { .. } => {
            let version = typed.version.as_deref().unwrap_or_default();
            caller.change_request(workspace, &opened.offered, submission, version).await
        }
    }
}

type Secrets = std::collections::BTreeMap<String, promise::form::SecretText>;

/// Parses the entered values. A post of the review contains secrets but neither reason nor parameters: it refers to the draft that it
/// names.
async fn read(caller: &Caller, opened: &Opened, of: &FormOf<'_>, pairs: &Pairs) -> Result<(Typed, Secrets, Step)> {
    let step = match field(pairs, OPERATION).unwrap_or("check") {
        "submit" => Step::Submit,
        "review" => Step::Review,
        "check" | "rehearse" => Step::Check,
        "adds" => Step::Adds,
        _ => Step::Change,
    };
    let drawn = match field(pairs, input::DRAFT) {
        Some(id) => caller.draft::<Typed>(&opened.subject, id).await?,
        None => None,
    };
    // What the form was rendered from: it provides the values without an input.
    let base = match &drawn {
        Some(typed) => typed.draft.parameters.clone(),
        None => {
            let started = field(pairs, input::START).and_then(|start| starts_from(&opened.spec, start));
            started.or_else(|| opened.existing.parameters.clone()).unwrap_or(Value::Null)
        }
    };
    let mut parsed = parse(pairs, &opened.spec, &opened.effective, &base);
    // A preset can name values that can't change. It changes the others.
    if let Some(accepted) = opened.accepted() {
        keep_immutable(&opened.spec, accepted, &mut parsed.draft.parameters);
    }
    if !says_parameters(pairs, &opened.spec) && field(pairs, input::REASON).is_none() && field(pairs, input::DRAFT).is_some() {
        let Some(mut typed) = drawn else {
            let message = "This draft was already submitted or is older than a week.".to_owned();
            return Err(Error::Conflict { message });
        };
        typed.refused.clear();
        typed.name_problem = None;
        typed.conflict = None;
        typed.contested.clear();
        typed.secret_problems.clear();
        return Ok((typed, parsed.secrets, step));
    }
    let of_new = |name: &str| field(pairs, name).map(|text| text.trim().to_owned());
    let (name, namespace) = match of {
        FormOf::New { .. } => {
            (of_new(input::NAME).unwrap_or_default(), of_new(input::NAMESPACE).unwrap_or_else(|| opened.start.namespace.clone()))
        }
        FormOf::Edit { namespace, name } => ((*name).to_owned(), (*namespace).to_owned()),
    };
    let version = match of {
        FormOf::New { .. } => None,
        FormOf::Edit { .. } => field(pairs, input::VERSION).map(str::to_owned).or_else(|| opened.start.version.clone()),
    };
    let reason = field(pairs, input::REASON).unwrap_or_default().to_owned();
    let confirmed = pairs.iter().filter(|(name, _)| name == input::CONFIRMED).filter_map(|(_, value)| form::confirmed(value)).collect();
    let typed = Typed { name, namespace, reason, draft: parsed.draft, version, focus: parsed.focus, confirmed, ..Typed::default() };
    Ok((typed, parsed.secrets, step))
}

async fn review(caller: &Caller, opened: &Opened, typed: Typed) -> Result<FormOutcome> {
    Ok(FormOutcome::Review { draft: caller.keep_draft(&opened.subject, &typed).await? })
}

async fn again(caller: &Caller, opened: &Opened, typed: Typed) -> Result<FormOutcome> {
    Ok(FormOutcome::Again { draft: caller.keep_draft(&opened.subject, &typed).await? })
}

/// Shows what the control plane rejected in the form, so that no input is lost. Users who can't write at all get an error.
async fn refused(caller: &Caller, opened: &Opened, typed: Typed, error: Error) -> Result<FormOutcome> {
    let typed = noted(opened, typed, error)?;
    again(caller, opened, typed).await
}

/// Returns the entered values with the problems that the control plane reported.
///
/// # Errors
/// If the form can't show the error.
fn noted(opened: &Opened, mut typed: Typed, error: Error) -> Result<Typed> {
    typed.dry = Dry::Refused;
    match error {
        Error::Invalid { problems } => {
            let (of_name, rest): (Vec<Problem>, Vec<Problem>) = problems.into_iter().partition(|problem| problem.path == ".metadata.name");
            typed.name_problem = of_name.into_iter().next().map(|problem| problem.message);
            typed.refused = rest;
        }
        Error::Conflict { .. } if typed.version.is_none() => {
            typed.name_problem = Some(format!("Choose another name: {} is taken.", typed.name));
        }
        Error::Contested { fields } => {
            typed.conflict = Some(promise::wording::upper_first(&format!("{}.", Error::Contested { fields: fields.clone() })));
            typed.contested = fields;
        }
        Error::Conflict { message } => {
            typed.conflict = Some(promise::wording::upper_first(&message));
            // The user has seen the conflict and can submit again.
            typed.version.clone_from(&opened.start.version);
        }
        other => return Err(other),
    }
    Ok(typed)
}

fn field<'a>(pairs: &'a Pairs, name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
}
