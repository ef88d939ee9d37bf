//! A posted form: parsed, checked, and written if it was submitted without problems. Invalid input becomes a draft, never an error.

use app::backend::{FormOf, Pairs};
use app::view::{AvailabilityState, FormOutcome, REQUIRE, RequestForm};
use promise::form::{LONGEST_SECRET, OPERATION, says_parameters};
use promise::path::Path;
use promise::wording::{label, lower_first};
use promise::{ConflictReason, Error, Problem, Result};

use super::comparison;
use super::form::{self, Dry, Opened, Typed};
use super::given;
use super::kept::{self, Entered};
use super::source;
use super::terms;
use crate::portal::Caller;
use crate::portal::drafts::SaveAs;
use crate::portal::place::Workspace;
use crate::portal::reads::is_object_name;
use crate::portal::submit::Submission;
use crate::web::pairs::field;

/// Names of the inputs that are not parameters.
pub(super) mod input {
    /// Name of the request.
    pub(in super::super) const NAME: &str = "/name";
    /// Its namespace.
    pub(in super::super) const NAMESPACE: &str = "/namespace";
    /// The reason for the request.
    pub(in super::super) const REASON: &str = "/reason";
    /// The manifest, if it is shown instead of the fields.
    pub(crate) const MANIFEST: &str = "_manifest";
    /// Edition that the form was opened with.
    pub(in super::super) const VERSION: &str = "_version";
    /// Cluster id of the workspace.
    pub(in super::super) const CLUSTER: &str = "_cluster";
    /// Id of the draft that is shown.
    pub(in super::super) const DRAFT: &str = "_draft";
    /// Id of the draft in which typing is saved.
    pub(in super::super) const SAVE: &str = "_save";
    /// Name of the input in which the user is typing.
    pub(in super::super) const TYPING: &str = "_typing";
    /// Example, preset or request that the form started from.
    pub(in super::super) const START: &str = "_start";
    /// A value that a policy gave.
    pub(in super::super) const GIVEN: &str = "_given";
    /// What the request is needed for.
    pub(in super::super) const NEEDED_FOR: &str = "_for";
    /// Prefix of the choice between two values of a field, before its path.
    pub(in super::super) const MERGE: &str = "_merge";
    /// Version that the fields are for.
    pub(in super::super) const RENDERED: &str = "_rendered";
    /// Version constraint.
    pub(in super::super) const CONSTRAINT: &str = "/terms/version";
    /// Versions that are rolled out automatically.
    pub(in super::super) const UPGRADE: &str = "/terms/upgrade";
    /// What happens to the objects when the request is deleted.
    pub(in super::super) const DELETION: &str = "/terms/deletionPolicy";
    /// Day on which the request expires.
    pub(in super::super) const EXPIRES: &str = "/terms/expiresAt";
    /// Whether the request is paused.
    pub(in super::super) const PAUSED: &str = "/terms/paused";
    /// Set if problems are already shown at their fields.
    pub(in super::super) const CHECKED: &str = "_checked";
}

/// What the pressed button means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Change,
    Check,
    Review,
    Adds,
    Preset,
    Require,
    Submit,
}

/// Handles a post.
pub(super) async fn post(caller: &Caller, workspace: &Workspace, of: FormOf<'_>, pairs: &Pairs) -> Result<FormOutcome> {
    form::check_cluster(workspace, field(pairs, input::CLUSTER).unwrap_or_default())?;
    let mut opened = form::open(caller, workspace, &of).await?;
    let (mut typed, secrets, step) = read(caller, workspace, &mut opened, &of, pairs).await?;
    let post = Posting { caller, opened: &opened, pairs };
    if step != Step::Submit {
        given::adjust(caller, workspace, &opened, &mut typed, None).await?;
    }
    source::switch(&opened, &mut typed, field(pairs, OPERATION));
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
        // A view that can't be left says why.
        typed.checked |= source::stays(&typed, field(pairs, OPERATION));
        return post.again(typed).await;
    }
    if step == Step::Adds {
        return Ok(FormOutcome::Adds { draft: post.kept(&typed).await? });
    }
    if step == Step::Preset {
        return Ok(FormOutcome::Preset { draft: post.kept(&typed).await? });
    }
    if let Some(promise) = field(pairs, OPERATION).and_then(required_promise).filter(|_| step == Step::Require) {
        return Ok(FormOutcome::Required { promise: promise.to_owned(), needed_for: of.needing(post.kept(&typed).await?) });
    }
    typed.checked = true;
    if !fits {
        return post.again(typed).await;
    }
    match step {
        Step::Submit if !secrets_fit(&opened, &submission, &mut typed) => post.review(typed).await,
        Step::Submit => match write(caller, workspace, &opened, &of, &submission, &typed).await {
            Ok(()) => {
                for draft in [input::DRAFT, input::SAVE].into_iter().filter_map(|name| field(pairs, name)) {
                    caller.forget_draft(draft).await?;
                }
                Ok(FormOutcome::Written { namespace: typed.namespace, name: typed.name, needed_for: typed.needed_for })
            }
            Err(error) => post.refused(typed, error).await,
        },
        _ => match caller.rehearse(workspace, &opened.offered, &submission, typed.version.as_deref()).await {
            Ok(_) if step == Step::Review => post.review(Typed { dry: Dry::Passed, ..typed }).await,
            Ok(_) => post.again(Typed { dry: Dry::Passed, ..typed }).await,
            Err(error) => post.refused(typed, error).await,
        },
    }
}

/// Returns the form for the entered values, and saves them as a private draft of users who can submit it. Also makes a dry run on the
/// control plane if requested and there are no other problems.
pub(super) async fn preflight(caller: &Caller, workspace: &Workspace, of: FormOf<'_>, pairs: &Pairs) -> Result<RequestForm> {
    form::check_cluster(workspace, field(pairs, input::CLUSTER).unwrap_or_default())?;
    let mut opened = form::open(caller, workspace, &of).await?;
    let (mut typed, _, step) = read(caller, workspace, &mut opened, &of, pairs).await?;
    typed.checked = field(pairs, input::CHECKED).is_some();
    // The user is typing, so an input already has the focus.
    typed.focus = None;
    let entered = typed.clone();
    given::adjust(caller, workspace, &opened, &mut typed, field(pairs, input::TYPING)).await?;
    if step == Step::Check && form::name_problem(&typed.name).is_none() && typed.draft.problems.is_empty() {
        let submission = opened.submission(&typed);
        let checked = caller.preflight(workspace, &opened.offered, &submission).await?;
        if checked.may_be_submitted() {
            typed = match caller.rehearse(workspace, &opened.offered, &submission, typed.version.as_deref()).await {
                Ok(_) => Typed { dry: Dry::Passed, ..typed },
                Err(error) => noted(&opened, typed, error)?,
            };
        }
    }
    let (draft, save) = (field(pairs, input::DRAFT).map(str::to_owned), field(pairs, input::SAVE).unwrap_or_default().to_owned());
    let shown = form::Shown { typed, untouched: false, draft, start: None, save, saved: None };
    let mut form = form::shown(caller, workspace, &of, &opened, shown).await?;
    if form.submit.state == AvailabilityState::Available && !form.save.is_empty() {
        let post = Posting { caller, opened: &opened, pairs };
        match post.typing(&entered).await {
            Ok(id) => (form.save, form.saved) = (id, Some(true)),
            // The checks are worth showing even if the draft can't be saved.
            Err(error) => {
                tracing::warn!(%error, "a draft could not be saved");
                form.saved = Some(false);
            }
        }
    }
    Ok(form)
}

/// Returns the promise whose form a button opens, because it is required first.
fn required_promise(operation: &str) -> Option<&str> {
    operation.strip_prefix(REQUIRE).filter(|promise| is_object_name(promise))
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

/// Entered secrets by the path of their parameter.
pub(super) type Secrets = std::collections::BTreeMap<String, promise::form::SecretText>;

/// Parses the entered values. A post of the review contains secrets but neither reason nor parameters: it refers to the draft that it
/// names.
async fn read(
    caller: &Caller,
    workspace: &Workspace,
    opened: &mut Opened,
    of: &FormOf<'_>,
    pairs: &Pairs,
) -> Result<(Typed, Secrets, Step)> {
    let step = match field(pairs, OPERATION).unwrap_or("check") {
        "submit" => Step::Submit,
        "review" | "check" if promise::form::is_search(pairs) => Step::Change,
        "review" => Step::Review,
        "check" | "rehearse" => Step::Check,
        "adds" => Step::Adds,
        "save-preset" => Step::Preset,
        operation if required_promise(operation).is_some() => Step::Require,
        _ => Step::Change,
    };
    let drawn = match field(pairs, input::DRAFT) {
        Some(id) => kept::of(caller, workspace, of, opened, id).await?.map(|kept| kept.typed),
        None => None,
    };
    let base = kept::base(caller, workspace, opened, drawn.as_ref(), pairs).await?;
    let is_review = !says_parameters(pairs, &opened.spec)
        && field(pairs, input::REASON).or(field(pairs, input::MANIFEST)).is_none()
        && field(pairs, input::DRAFT).is_some();
    let Entered { mut typed, secrets } = kept::entered(opened, of, pairs, drawn.as_ref(), &base.parameters);
    if !is_review {
        terms::settle(caller, workspace, opened, &mut typed, (pairs, drawn.as_ref(), &base))?;
    }
    if typed.version.is_some()
        && typed.original.is_none()
        && let Some(id) = field(pairs, input::SAVE)
    {
        // The first draft was saved while the user typed, maybe before someone else changed the request.
        let saved = caller.draft::<Typed>(&opened.subject, id).await?.unwrap_or_default();
        (typed.original, typed.original_reason) = (saved.original, saved.original_reason);
    }
    source::check_namespace(opened, workspace, &mut typed);
    if is_review {
        let Some(mut typed) = drawn else {
            return Err(ConflictReason::DraftGone.into());
        };
        typed.refused.clear();
        typed.name_problem = None;
        typed.conflict = None;
        typed.secret_problems.clear();
        return Ok((typed, secrets, step));
    }
    if let Some(drawn) = drawn {
        let choice = |name: &'_ str, value: &str| name.strip_prefix(input::MERGE).map(|path| (path.to_owned(), value == "theirs"));
        let choices: Vec<(String, bool)> = pairs.iter().filter_map(|(name, value)| choice(name, value)).collect();
        comparison::choose(&drawn.merge, &mut typed, &choices);
        if choices.is_empty() {
            typed.merge = drawn.merge;
        } else {
            source::rewrite(opened, &mut typed);
        }
    }
    Ok((typed, secrets, step))
}

/// A post, for saving its values.
struct Posting<'a> {
    caller: &'a Caller,
    opened: &'a Opened,
    pairs: &'a Pairs,
}

impl Posting<'_> {
    fn save_as<'s>(&'s self, typed: &'s Typed) -> SaveAs<'s> {
        SaveAs { id: None, opened: field(self.pairs, input::DRAFT), typing: field(self.pairs, input::SAVE), title: &typed.name }
    }

    /// Saves the values as a new step of the form.
    async fn kept(&self, typed: &Typed) -> Result<String> {
        self.caller.save_draft(&self.opened.subject, typed, self.save_as(typed)).await
    }

    /// Saves the values while the user types, unless they are saved already.
    async fn typing(&self, typed: &Typed) -> Result<String> {
        let save = SaveAs { id: field(self.pairs, input::SAVE), ..self.save_as(typed) };
        if let Some(id) = save.id
            && self.caller.draft::<Typed>(&self.opened.subject, id).await?.as_ref() == Some(typed)
        {
            return Ok(id.to_owned());
        }
        self.caller.save_draft(&self.opened.subject, typed, save).await
    }

    async fn review(&self, typed: Typed) -> Result<FormOutcome> {
        Ok(FormOutcome::Review { draft: self.kept(&typed).await? })
    }

    async fn again(&self, typed: Typed) -> Result<FormOutcome> {
        Ok(FormOutcome::Again { draft: self.kept(&typed).await? })
    }

    /// Shows what the control plane rejected in the form, so that no input is lost. Users who can't write at all get an error.
    async fn refused(&self, typed: Typed, error: Error) -> Result<FormOutcome> {
        self.again(noted(self.opened, typed, error)?).await
    }
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
        Error::Conflict { reason } => {
            typed.conflict = Some(promise::wording::upper_first(&reason.to_string()));
            typed.merge = comparison::merge(opened, &typed);
            // The user has seen the conflict and can submit again.
            typed.version.clone_from(&opened.start.version);
            typed.original.clone_from(&opened.existing.parameters);
            typed.original_reason = Some(opened.existing.reason.clone().unwrap_or_default());
        }
        other => return Err(other),
    }
    Ok(typed)
}
