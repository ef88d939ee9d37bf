//! The text of a promise: opened, checked, and published.

use app::backend::PromiseText;
use app::view::{Pick, PlacedProblem, PromiseForm, PromiseFormOutcome};
use cluster::{ClusterId, WorkspacePath};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use promise::wording::upper_first;
use promise::{DeniedReason, Error, Result, publish, versions};

use super::check::{self, Sending};
use crate::portal::Caller;
use crate::portal::place::{TOGETHER, Workspace};
use crate::portal::platform::text::yaml;
use crate::portal::rights::Right;

/// Initial text of a new promise.
const START: &str = "apiVersion: platform.opmodel.dev/v1alpha1
kind: Promise
metadata:
  name: my-promise
spec:
  version: 1.0.0
  lifecycle: draft
  visibility: descendants
  presentation:
    displayName: My promise
    summary: What people get, in one sentence.
    category: data
    maintainer:
      team: My team
  parameters:
    type: object
    properties:
      size:
        type: string
        description: Size of the instance.
        enum: [small, large]
        default: small
  implementation:
    resources:
    - id: settings
      template:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: ${request.name}
        data:
          size: ${parameters.size}
";
/// Subject of the drafts.
const DRAFT: &str = "promise";
/// Maximum number of suggestions on the page.
const MOST: usize = 30;

/// Returns the form with a promise, with a new one, or with the text of a draft, which is checked.
pub(super) async fn open(caller: &Caller, workspace: &str, name: Option<&str>, draft: Option<&str>) -> Result<PromiseForm> {
    if let Some(id) = draft
        && let Some(typed) = caller.draft::<PromiseText>(DRAFT, id).await?
        && typed.name.as_deref() == name
        && (name.is_none() || typed.workspace == workspace)
    {
        return checked(caller, &typed).await;
    }
    // It was posted after the session had ended.
    if let Some(fields) = caller.posted(draft.unwrap_or_default()).await? {
        let typed = PromiseText::posted(&fields);
        if typed.name.as_deref() == name && typed.workspace == workspace {
            return checked(caller, &typed).await;
        }
    }
    let Some(name) = name else {
        let writable = writable(caller, workspace).await?;
        if writable.is_empty() {
            return Err(DeniedReason::PublishPromises { workspace: workspace.to_owned() }.into());
        }
        return Ok(PromiseForm { workspace: workspace.to_owned(), writable, text: START.to_owned(), ..PromiseForm::default() });
    };
    let place = caller.enter(workspace).await?;
    let found = caller.read_own(&place, name).await?.ok_or_else(|| Error::NotFound { what: format!("promise {name}") })?;
    check::may_write(caller, &place, false).await?;
    Ok(PromiseForm {
        workspace: workspace.to_owned(),
        name: Some(name.to_owned()),
        title: title(&found.data["spec"], name),
        text: yaml(&found),
        version: found.metadata.resource_version.unwrap_or_default(),
        ..PromiseForm::default()
    })
}

/// Publishes a text, or saves it as a draft if it is only to be checked or can't be published.
pub(super) async fn post(caller: &Caller, posted: &PromiseText) -> Result<PromiseFormOutcome> {
    let mut typed = posted.clone();
    if typed.operation == "publish" {
        let place = caller.enter(&typed.workspace).await?;
        check::may_write(caller, &place, typed.name.is_none()).await?;
        let written = check::checked(caller, &place, &typed).await?;
        if written.problems.is_empty() {
            match check::send(caller, &place, &written, &typed, Sending::Write).await {
                Ok(name) => {
                    caller.forget_draft(&typed.draft).await?;
                    return Ok(PromiseFormOutcome::Written { workspace: typed.workspace, name });
                }
                Err(error) if is_of_text(&error) => typed.refused = sentence(&error),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(PromiseFormOutcome::Again { draft: caller.keep_draft(DRAFT, &typed).await? })
}

/// Returns the form of a text with the results of its check. Nothing is written.
async fn checked(caller: &Caller, typed: &PromiseText) -> Result<PromiseForm> {
    let place = caller.enter(&typed.workspace).await?;
    check::may_write(caller, &place, typed.name.is_none()).await?;
    let written = check::checked(caller, &place, typed).await?;
    let mut problems: Vec<PlacedProblem> = written.problems.iter().map(check::placed).collect();
    if !typed.refused.is_empty() {
        problems.push(PlacedProblem { message: typed.refused.clone(), ..PlacedProblem::default() });
    } else if problems.is_empty() {
        match check::send(caller, &place, &written, typed, Sending::Rehearsal).await {
            Ok(_) => {}
            Err(error) if is_of_text(&error) => problems.push(PlacedProblem { message: sentence(&error), ..PlacedProblem::default() }),
            Err(error) => return Err(error),
        }
    }
    let published = typed.name.as_deref().and_then(|name| check::published(caller, &place, name));
    let compared = published.zip(written.spec.as_ref()).map(|(published, spec)| {
        let before = &published.spec.spec;
        let breaking = publish::breaking_changes(before, spec).into_iter().map(|(_, change)| upper_first(&change)).collect();
        ((before.version.clone(), spec.version.clone()), versions::between(before, spec), breaking)
    });
    let (versions, changes, breaking) =
        compared.map_or_else(Default::default, |(versions, changes, breaking)| (Some(versions), changes, breaking));
    let name = typed.name.clone().unwrap_or_default();
    let spec = written.manifest.as_ref().map(|manifest| manifest.object["spec"].clone()).unwrap_or_default();
    Ok(PromiseForm {
        workspace: typed.workspace.clone(),
        name: typed.name.clone(),
        title: title(&spec, &name),
        writable: if typed.name.is_none() { writable(caller, &typed.workspace).await? } else { Vec::new() },
        text: typed.text.clone(),
        version: typed.version.clone(),
        checked: true,
        problems,
        advice: written.advice.iter().take(MOST).map(check::placed).collect(),
        advice_total: written.advice.len(),
        versions,
        changes,
        breaking,
    })
}

/// Whether the form shows an error, so that nothing typed is lost.
fn is_of_text(error: &Error) -> bool {
    matches!(error, Error::Invalid { .. } | Error::Denied { .. } | Error::Conflict { .. } | Error::Contested { .. })
}

fn sentence(error: &Error) -> String {
    match error {
        Error::Invalid { problems } => problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join(" "),
        error => upper_first(&format!("{error}.")),
    }
}

fn title(spec: &serde_json::Value, name: &str) -> String {
    spec["presentation"]["displayName"].as_str().unwrap_or(name).to_owned()
}

/// Returns the workspaces in which the user can create promises, among those that contain promises, the trusted homes and the wanted one, which
/// is selected.
pub(super) async fn writable(caller: &Caller, wanted: &str) -> Result<Vec<Pick>> {
    let portal = caller.portal();
    let tree = portal.world.tree();
    let trusted = portal.trusted_homes.iter().filter_map(|path| Some((path.clone(), tree.cluster(path)?)));
    let mut homes: Vec<ClusterId> = portal.world.promises.snapshot().keys().map(|key| key.cluster.clone()).collect();
    homes.dedup();
    let mut places: Vec<(WorkspacePath, ClusterId)> =
        homes.into_iter().filter_map(|home| Some((tree.path(&home)?, home))).chain(trusted).collect();
    match caller.enter(wanted).await {
        Ok(Workspace { path, cluster, .. }) => places.push((path, cluster)),
        Err(Error::NotFound { .. }) => {}
        Err(error) => return Err(error),
    }
    places.sort();
    places.dedup();
    let asked = stream::iter(places).map(|(path, cluster)| async move {
        let can = caller.may(&cluster, Right::Enter).await? && caller.may(&cluster, Right::promises("create")).await?;
        Ok::<_, Error>(can.then_some(path))
    });
    let paths: Vec<Option<WorkspacePath>> = asked.buffered(TOGETHER).try_collect().await?;
    let pick = |path: WorkspacePath| Pick { value: path.to_string(), label: path.to_string(), chosen: path.as_str() == wanted };
    Ok(paths.into_iter().flatten().map(pick).collect())
}

#[cfg(test)]
mod tests {
    use promise::check::{Kinds, Terms, promise};

    #[test]
    fn a_new_promise_begins_with_a_valid_text() {
        let kinds = Kinds::of(&cluster::kinds::crds());
        let found = promise(super::START, None, None, |_| None, (&kinds, Terms { trusted: false, on_kcp: true }));
        assert!(found.problems.is_empty() && found.advice.is_empty(), "{:?} {:?}", found.problems, found.advice);
    }
}
