//! The form of an action: opened, filled in, checked, and run. Invalid input becomes a draft, never an error.

use app::backend::{ActionOf, Pairs};
use app::view::{ActionForm, ActionOutcome, RunChoices, RunWindow};
use cluster::kinds::{PromiseActionKind, PromiseRequest, object};
use cluster::watch::Key;
use promise::action::{self, accepted, choose_run, named_runs, run_name};
use promise::api::{ActionPhase, ActionSpec, PromiseActionSpec, PromiseSpec};
use promise::context::Context;
use promise::form::{Draft, Form, OPERATION, is_search, model, parse};
use promise::path::Path;
use promise::policy::{Effective, Refusal};
use promise::resolve::resolve;
use promise::troubleshooting::Workload;
use promise::{ConflictReason, Error, Problem, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::before;
use super::commands;
use super::list;
use super::offers::{self, Used};
use super::rules::{self, JudgedRun, WantedRun};
use crate::portal::Caller;
use crate::portal::drafts::{DraftSubject, SaveAs};
use crate::portal::place::Workspace;
use crate::portal::requests::form::{check_cluster, cluster_field};
use crate::portal::requests::rows;
use crate::portal::rights::Right;
use crate::web::pairs::field;

/// Number of runs that a parameter can choose from.
const CHOICES: usize = 100;
/// Number of runs that are searched for them.
const SEARCHED: usize = 1000;

/// Names of the inputs that are not parameters.
mod input {
    /// Cluster id of the workspace.
    pub(super) const CLUSTER: &str = "_cluster";
    /// Id of the draft that is shown.
    pub(super) const DRAFT: &str = "_draft";
    /// Identity of the run that the form starts.
    pub(super) const NONCE: &str = "_nonce";
    /// The checkbox that confirms the action.
    pub(super) const CONFIRMED: &str = "confirmed";
}

/// What was typed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Typed {
    draft: Draft,
    /// Whether problems are shown.
    checked: bool,
    /// Whether the action was confirmed.
    confirmed: bool,
    focus: Option<String>,
}

/// An action of a request.
pub(super) struct Opened {
    pub(super) request: PromiseRequest,
    used: Used,
    name: String,
}

impl Opened {
    /// Reads the request as the user, and its promise.
    async fn of(caller: &Caller, workspace: &Workspace, of: ActionOf<'_>) -> Result<Self> {
        let request = caller.read_request(workspace, of.namespace, of.request).await?;
        Self::read(caller, request, of)
    }

    /// Like `of`, for a run. The error is first of all that the user can't run actions.
    pub(super) async fn to_run(caller: &Caller, workspace: &Workspace, of: ActionOf<'_>) -> Result<Self> {
        let request = caller.read_request(workspace, of.namespace, of.request).await?;
        if !caller.may(&workspace.cluster, Right::runs("create", of.namespace)).await? {
            return Err(offers::denied(workspace));
        }
        Self::read(caller, request, of)
    }

    fn read(caller: &Caller, request: PromiseRequest, of: ActionOf<'_>) -> Result<Self> {
        let used = Used::by(caller, &request).ok_or(ConflictReason::NotRunningYet)?;
        if !used.spec().actions.contains_key(of.action) {
            return Err(Error::NotFound { what: format!("action {}", of.action) });
        }
        Ok(Self { request, used, name: of.action.to_owned() })
    }

    fn spec(&self) -> &PromiseSpec {
        self.used.spec()
    }

    /// Returns the action and the promise as its form needs it.
    fn action(&self) -> Result<(&ActionSpec, PromiseSpec)> {
        let action = self.spec().actions.get(&self.name).ok_or(Error::Internal)?;
        Ok((action, action::form(self.spec(), action)))
    }

    /// Returns why the user can't run the action now, if so.
    pub(super) async fn runnable(&self, caller: &Caller, workspace: &Workspace) -> Result<std::result::Result<(), Error>> {
        let (action, _) = self.action()?;
        offers::runnable(caller, workspace, &self.request, &self.name, action).await
    }

    /// Returns the parameters with their defaults.
    ///
    /// # Errors
    /// If they don't match the schema, or name a run that can't be chosen.
    pub(super) fn checked(&self, caller: &Caller, workspace: &Workspace, of: ActionOf<'_>, parameters: &Value) -> Result<Value> {
        let (action, _) = self.action()?;
        let mut problems = match accepted(self.spec(), action, Some(parameters), &Context::default()) {
            Ok(whole) => {
                let choices = self.choices(caller, workspace, of)?;
                let named = named_runs(&action.form, &whole).into_iter().filter_map(|named| {
                    let of = choices.iter().find(|choices| choices.path == named.path)?;
                    let is_one = of.runs.iter().any(|run| run.name == named.name);
                    (!is_one).then(|| Problem { path: format!(".parameters{}", named.path), message: choose_run(&of.title) })
                });
                let problems: Vec<Problem> = named.collect();
                if problems.is_empty() {
                    return Ok(whole);
                }
                problems
            }
            Err(problems) => problems,
        };
        problems.dedup();
        Err(Error::Invalid { problems })
    }

    /// Returns what policies say about a run with these parameters, which match the schema.
    pub(super) async fn judged(&self, caller: &Caller, workspace: &Workspace, parameters: &Value) -> Result<JudgedRun> {
        let wanted = WantedRun { request: &self.request, used: &self.used, action: &self.name, parameters };
        rules::judge(caller, workspace, wanted).await
    }

    /// Returns what policies say about a run with the parameters that are known so far: whom they ask and which windows are closed. What
    /// they refuse or warn about is left until the form is complete.
    async fn judged_so_far(&self, caller: &Caller, workspace: &Workspace, parameters: &Value) -> Result<JudgedRun> {
        let (_, form) = self.action()?;
        let known = resolve(&form, parameters, None, &Effective::default(), &Context::default()).parameters;
        let mut judged = self.judged(caller, workspace, &known).await?;
        judged.verdict.refusals.clear();
        judged.verdict.warnings.clear();
        Ok(judged)
    }

    /// Returns the runs that the parameters of the action can name.
    fn choices(&self, caller: &Caller, workspace: &Workspace, of: ActionOf<'_>) -> Result<Vec<RunChoices>> {
        let (action, _) = self.action()?;
        let references = action.form.fields.iter().filter_map(|(path, hint)| {
            let named = hint.reference.as_ref()?.action.as_ref()?;
            Some((Path::parse(path).ok()?, named))
        });
        let references: Vec<(Path, &String)> = references.collect();
        if references.is_empty() {
            return Ok(Vec::new());
        }
        let key = Key::new(workspace.cluster.clone(), of.namespace, of.request);
        let portal = caller.portal();
        let (runs, _) = portal.runs.of(&portal.world, &key, 0, SEARCHED);
        let choices = references.into_iter().map(|(path, named)| {
            let of = runs.iter().filter(|run| run.spec.action == *named && run.metadata.deletion_timestamp.is_none());
            let of = of.map(|run| list::line(Some(self.spec()), run)).filter(|run| run.phase == ActionPhase::Succeeded);
            let title = self.spec().actions.get(named).map_or(named.as_str(), |action| action.title(named));
            RunChoices { path, title: title.to_owned(), runs: of.take(CHOICES).collect() }
        });
        Ok(choices.collect())
    }

    /// Creates a run, as the user. Returns its name. The same nonce starts one run.
    pub(super) async fn start(
        &self,
        caller: &Caller,
        workspace: &Workspace,
        of: ActionOf<'_>,
        parameters: Value,
        nonce: &str,
    ) -> Result<String> {
        self.runnable(caller, workspace).await??;
        let name = run_name(of.request, of.action, nonce);
        let parameters = Some(parameters).filter(|parameters| parameters.as_object().is_some_and(|fields| !fields.is_empty()));
        let spec =
            PromiseActionSpec { request: of.request.to_owned(), action: of.action.to_owned(), parameters, ..PromiseActionSpec::default() };
        commands::create(caller, workspace, object::<PromiseActionKind>(&name, Some(of.namespace), spec)).await?;
        Ok(name)
    }
}

/// Returns the subject of the drafts of a form.
fn subject(workspace: &Workspace, of: ActionOf<'_>) -> String {
    let (cluster, namespace, name) = (workspace.cluster.clone(), of.namespace.to_owned(), of.request.to_owned());
    DraftSubject::Action { cluster, namespace, name, action: of.action.to_owned() }.to_string()
}

fn effective(spec: &PromiseSpec) -> Effective {
    Effective { schema: spec.parameters.clone().unwrap_or_else(|| json!({"type": "object"}).into()), ..Effective::default() }
}

/// Returns the form as a page shows it.
pub(super) async fn page(caller: &Caller, workspace: &Workspace, of: ActionOf<'_>, draft: Option<&str>) -> Result<ActionForm> {
    let opened = Opened::of(caller, workspace, of).await?;
    let kept = match draft {
        Some(id) => match caller.draft::<Typed>(&subject(workspace, of), id).await? {
            Some(kept) => Some(kept),
            None => caller
                .posted(id)
                .await?
                .filter(|pairs| is_of(pairs, workspace, of))
                .map(|pairs| typed(&opened, &pairs, &Value::Null))
                .transpose()?,
        },
        None => None,
    };
    let draft = draft.filter(|_| kept.is_some()).map(str::to_owned);
    let typed = kept.unwrap_or_else(|| Typed { draft: Draft::of(json!({})), ..Typed::default() });
    let allowed = opened.runnable(caller, workspace).await?;
    let (action, spec) = opened.action()?;
    let (problems, judged) = match opened.checked(caller, workspace, of, &typed.draft.parameters) {
        Ok(whole) => {
            let judged = opened.judged(caller, workspace, &whole).await?;
            let problems = judged.verdict.refusals.iter().map(Refusal::problem).collect();
            // All parameters are known: those without a value are optional.
            (problems, JudgedRun { undecided: false, ..judged })
        }
        Err(Error::Invalid { problems }) => (problems, opened.judged_so_far(caller, workspace, &typed.draft.parameters).await?),
        Err(error) => return Err(error),
    };
    let problems = if typed.checked { problems } else { Vec::new() };
    let form: Form = model(&spec, &effective(&spec), &typed.draft, &problems);
    let (mut before, history) = before::of(caller, workspace, &opened.request, opened.spec(), of.action).await?;
    before::add(&mut before, &judged, workspace);
    let others = offers::offers(caller, workspace, &opened.request).await?;
    let status = opened.request.status.as_ref();
    Ok(ActionForm {
        row: rows::row(caller, workspace, &opened.request),
        action: offers::line(of.action, action, allowed),
        confirm: action.confirm,
        before,
        others: others.into_iter().filter(|other| other.name != of.action).collect(),
        history,
        resources: status.map_or(0, |status| status.inventory.len()),
        has_pods: status.is_some_and(|status| status.inventory.iter().any(|item| Workload::of(&item.group, &item.kind).is_some())),
        policies: status.map_or(0, |status| status.policies.len()),
        choices: opened.choices(caller, workspace, of)?,
        window: judged.verdict.wait.map(|wait| RunWindow { opens: wait.opening().unwrap_or_default(), sentence: wait.sentence() }),
        warnings: judged.verdict.warnings.iter().map(ToString::to_string).collect(),
        form,
        cluster: cluster_field(&workspace.cluster),
        nonce: caller.new_draft_id(),
        draft,
        unconfirmed: action.confirm && typed.checked && !typed.confirmed,
        checked: typed.checked,
        focus: typed.focus,
    })
}

/// Checks whether a form that was posted after the session had ended is this one.
fn is_of(pairs: &Pairs, workspace: &Workspace, of: ActionOf<'_>) -> bool {
    let is = |name: &str, value: &str| field(pairs, name) == Some(value);
    is("workspace", workspace.path.as_str()) && is("namespace", of.namespace) && is("name", of.request) && is("action", of.action)
}

/// Parses a posted form. `base` are the parameters that it was rendered from.
fn typed(opened: &Opened, pairs: &Pairs, base: &Value) -> Result<Typed> {
    let (_, spec) = opened.action()?;
    let parsed = parse(pairs, &spec, &effective(&spec), base);
    let confirmed = field(pairs, input::CONFIRMED) == Some("true");
    Ok(Typed { draft: parsed.draft, checked: false, confirmed, focus: parsed.focus })
}

/// Handles a post.
pub(super) async fn post(caller: &Caller, workspace: &Workspace, of: ActionOf<'_>, pairs: &Pairs) -> Result<ActionOutcome> {
    check_cluster(workspace, field(pairs, input::CLUSTER).unwrap_or_default())?;
    let opened = Opened::to_run(caller, workspace, of).await?;
    let subject = subject(workspace, of);
    let before = match field(pairs, input::DRAFT) {
        Some(id) => caller.draft::<Typed>(&subject, id).await?,
        None => None,
    };
    let base = before.map_or(Value::Null, |before| before.draft.parameters);
    let mut typed = typed(&opened, pairs, &base)?;
    let operation = field(pairs, OPERATION).unwrap_or("check");
    typed.checked = matches!(operation, "run" | "check") && !is_search(pairs);
    let (action, _) = opened.action()?;
    let is_confirmed = !action.confirm || typed.confirmed;
    if operation == "run" && typed.checked && is_confirmed && typed.draft.problems.is_empty() {
        let judged = match opened.checked(caller, workspace, of, &typed.draft.parameters) {
            Ok(whole) => Some(opened.judged(caller, workspace, &whole).await?),
            Err(Error::Invalid { .. }) => None,
            Err(error) => return Err(error),
        };
        if judged.is_some_and(|judged| judged.verdict.refusals.is_empty()) {
            let nonce = field(pairs, input::NONCE).unwrap_or_default();
            let run = opened.start(caller, workspace, of, typed.draft.parameters, nonce).await?;
            if let Some(draft) = field(pairs, input::DRAFT) {
                caller.forget_draft(draft).await?;
            }
            return Ok(ActionOutcome::Started { run });
        }
    }
    let title = action.title(of.action).to_owned();
    let save = SaveAs { id: None, opened: field(pairs, input::DRAFT), typing: None, title: &title };
    Ok(ActionOutcome::Again { draft: caller.save_draft(&subject, &typed, save).await? })
}
