//! Actions and runs as data, for programs.

use app::backend::{ActionOf, RunOf};
use cluster::kinds::PromiseAction;
use cluster::watch::Key;
use kube::ResourceExt as _;
use promise::api::PromiseActionStatus;
use promise::policy::Refusal;
use promise::rest::{ActionItem, Page, RunBody, RunDetail, RunSummary};
use promise::wording::upper_first;
use promise::{DeniedReason, Error, Result};
use serde_json::json;

use super::commands::{self, RunCommand};
use super::form::Opened;
use super::offers::{Used, runnable};
use crate::portal::Caller;
use crate::portal::rights::Right;
use crate::portal::slices::{Extent, Slice, part};

impl Caller {
    /// Returns the actions of the version that a request runs.
    ///
    /// # Errors
    /// If there is no such request that the user can read, or the control plane doesn't respond.
    pub(crate) async fn list_actions(&self, workspace: &str, namespace: &str, name: &str) -> Result<Page<ActionItem>> {
        let workspace = self.enter(workspace).await?;
        let request = self.read_request(&workspace, namespace, name).await?;
        let mut items = Vec::new();
        let used = Used::by(self, &request);
        for (name, action) in used.iter().flat_map(|used| &used.spec().actions) {
            let reason = runnable(self, &workspace, &request, name, action).await?.err();
            items.push(ActionItem {
                name: name.clone(),
                title: action.title(name).to_owned(),
                description: action.description.clone(),
                confirm: action.confirm,
                available: reason.is_none(),
                reason: reason.map(|reason| upper_first(&reason.to_string())),
                parameters: action.parameters.clone().unwrap_or_else(|| json!({"type": "object"})),
                form: action.form.clone(),
            });
        }
        let total = Some(items.len() as u64);
        Ok(Page { items, total, total_at_least: None, r#continue: None, unread: Vec::new(), as_of: None })
    }

    /// Runs an action as the user, and returns the run.
    ///
    /// # Errors
    /// If there is no such action, the user can't run it, the parameters don't match its schema, or policies refuse the run.
    pub(crate) async fn start_run(&self, workspace: &str, of: ActionOf<'_>, body: RunBody) -> Result<RunDetail> {
        let workspace = self.enter(workspace).await?;
        let opened = Opened::to_run(self, &workspace, of).await?;
        let parameters = body.parameters.unwrap_or_else(|| json!({}));
        opened.runnable(self, &workspace).await??;
        let whole = opened.checked(self, &workspace, of, &parameters)?;
        let refusals = opened.judged(self, &workspace, &whole).await?.verdict.refusals;
        if !refusals.is_empty() {
            return Err(Error::Invalid { problems: refusals.iter().map(Refusal::problem).collect() });
        }
        let run = opened.start(self, &workspace, of, parameters, &self.new_draft_id()).await?;
        let run = commands::read(self, &workspace, RunOf { namespace: of.namespace, request: of.request, run: &run }).await?;
        Ok(detail(run))
    }

    /// Returns a part of the runs of a request, newest first.
    ///
    /// # Errors
    /// If there is no such request that the user can read, the user can't list runs there, or the control plane doesn't respond.
    pub(crate) async fn list_runs(&self, workspace: &str, namespace: &str, name: &str, slice: &Slice) -> Result<Page<RunSummary>> {
        let workspace = self.enter(workspace).await?;
        self.read_request(&workspace, namespace, name).await?;
        if !self.may(&workspace.cluster, Right::runs("list", namespace)).await? {
            let (workspace, owner) = (workspace.path.to_string(), workspace.whom_to_ask());
            return Err(DeniedReason::ListRuns { workspace, owner }.into());
        }
        let key = Key::new(workspace.cluster.clone(), namespace, name);
        let portal = self.portal();
        let after = slice.position::<2>()?.map(|[second, name]| (second.parse().unwrap_or_default(), name));
        let (runs, total) = portal.runs.after(&portal.world, &key, after, slice.limit + 1);
        let rows = runs.iter().map(|(second, run)| (vec![second.to_string(), run.name_any()], summary(run)));
        Ok(part(Extent { total, unread: Vec::new(), as_of: None }, slice.limit, rows))
    }

    /// Returns one run.
    ///
    /// # Errors
    /// If there is none that the user can read, or the control plane doesn't respond.
    pub(crate) async fn run_detail(&self, workspace: &str, of: RunOf<'_>) -> Result<RunDetail> {
        let workspace = self.enter(workspace).await?;
        commands::read(self, &workspace, of).await.map(detail)
    }

    /// Cancels or retries a run, and returns it.
    ///
    /// # Errors
    /// If there is nothing to cancel or retry, or the user can't change it.
    pub(crate) async fn command_run(&self, workspace: &str, of: RunOf<'_>, command: RunCommand) -> Result<RunDetail> {
        let workspace = self.enter(workspace).await?;
        let run = match command {
            RunCommand::Cancel => commands::cancel(self, &workspace, of).await,
            RunCommand::Retry => commands::retry(self, &workspace, of, None).await,
        };
        run.map(detail)
    }
}

/// Returns a run as lists have it.
fn summary(run: &PromiseAction) -> RunSummary {
    let status = run.status.as_ref();
    RunSummary {
        name: run.name_any(),
        action: run.spec.action.clone(),
        phase: status.map(|status| status.phase).unwrap_or_default(),
        requester: run.spec.requester.as_ref().map(|requester| requester.username.clone()),
        created: run.creation_timestamp().map(|time| time.0.to_string()).unwrap_or_default(),
        finished: status.and_then(|status| status.finished_at.clone()),
    }
}

fn detail(run: PromiseAction) -> RunDetail {
    let summary = summary(&run);
    let PromiseActionStatus { waiting_on, message, release, workflow, steps, outputs, .. } = run.status.unwrap_or_default();
    RunDetail { summary, parameters: run.spec.parameters, cancel: run.spec.cancel, waiting_on, message, release, workflow, steps, outputs }
}
