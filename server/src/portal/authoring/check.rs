//! Checks the text of a promise as publishing would, and writes it as the user who edited it.

use std::sync::{Arc, LazyLock};

use app::backend::PromiseText;
use app::view::PlacedProblem;
use cluster::error::PlaneResult as _;
use cluster::kinds::{PromiseRevision, crds};
use cluster::watch::Key;
use kube::api::DynamicObject;
use promise::check::{Kinds, Terms, WrittenPromise, promise};
use promise::manifest::Defect;
use promise::wording::upper_first;
use promise::{DeniedReason, Error, Problem, Result};

use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget, rehearse_create, rehearse_replace};

/// Schemas of our kinds.
static KINDS: LazyLock<Kinds> = LazyLock::new(|| Kinds::of(&crds()));

/// Returns an error if the user can't write promises, new ones or existing ones, in a workspace that the user has entered.
pub(super) async fn may_write(caller: &Caller, place: &Workspace, is_new: bool) -> Result<()> {
    let right = Right::promises(if is_new { "create" } else { "update" });
    if caller.may(&place.cluster, right).await? {
        return Ok(());
    }
    Err(DeniedReason::PublishPromises { workspace: place.path.to_string() }.into())
}

/// Returns the newest published version of a promise.
pub(super) fn published(caller: &Caller, place: &Workspace, name: &str) -> Option<Arc<PromiseRevision>> {
    let all = caller.portal().world.revisions_of(&place.cluster, name).into_iter().map(|(_, revision)| revision);
    all.max_by_key(|revision| semver::Version::parse(&revision.spec.version).ok())
}

/// Checks a text: with everything that has been published under the name in it. Expressions can take a good part of a second, so this waits for a
/// turn.
pub(super) async fn checked(caller: &Caller, place: &Workspace, typed: &PromiseText) -> Result<WrittenPromise> {
    let trusted = caller.portal().trusted_homes.contains(&place.path);
    let terms = Terms { trusted, on_kcp: !place.cluster.is_of_kubernetes() };
    let previous = typed.name.as_deref().and_then(|name| published(caller, place, name));
    let (text, name) = (typed.text.clone(), typed.name.clone());
    let (world, home) = (caller.portal().world.clone(), place.cluster.clone());
    let turn = caller.evaluation_turn().await?;
    let checked = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let workflow = |name: &str| Some(world.workflows.get(&Key::cluster_scoped(&home, name))?.spec.clone());
        promise(&text, name.as_deref(), previous.as_ref().map(|revision| &revision.spec.spec), workflow, (&KINDS, terms))
    });
    checked.await.map_err(|error| {
        tracing::error!(%error, "the check of a promise stopped unexpectedly");
        Error::Internal
    })
}

/// Returns a defect as the page shows it.
pub(super) fn placed(defect: &Defect) -> PlacedProblem {
    PlacedProblem {
        place: defect.place.map(|place| (place.line, place.column)),
        field: defect.field.clone(),
        message: upper_first(&defect.message),
    }
}

/// How a promise is sent to the control plane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    /// Dry run: the control plane reports what it would do.
    Rehearsal,
    /// The control plane applies it.
    Write,
}

/// Sends a checked promise as the user. An existing one is replaced in the version that was opened, so that what someone else changed meanwhile
/// isn't lost.
pub(super) async fn send(
    caller: &Caller,
    place: &Workspace,
    written: &WrittenPromise,
    typed: &PromiseText,
    sending: Sending,
) -> Result<String> {
    let manifest = written.manifest.as_ref().ok_or(Error::Internal)?;
    let mut object: DynamicObject = serde_json::from_value(manifest.object.clone()).map_err(|_| {
        let message = "Correct the metadata: it needs a name, and labels and annotations are texts.".to_owned();
        Error::Invalid { problems: vec![Problem { path: ".metadata".to_owned(), message }] }
    })?;
    let name = object.metadata.name.clone().unwrap_or_default();
    let (api, what) = (caller.own_promises(place), format!("promise {name}"));
    let target = WriteTarget::in_workspace("Promise", &place.cluster, &name);
    object.metadata.resource_version = typed.name.is_some().then(|| typed.version.clone());
    let sent = match (sending, typed.name.is_some()) {
        (Sending::Rehearsal, false) => rehearse_create(&api, &object).await.map(drop),
        (Sending::Rehearsal, true) => rehearse_replace(&api, &name, &object).await,
        (Sending::Write, false) => caller.write(WriteOperation::PublishPromise, target).create(&api, &object).await.map(drop),
        (Sending::Write, true) => caller.write(WriteOperation::PublishPromise, target).replace(&api, &name, &object).await.map(drop),
    };
    sent.about(&what).map(|()| name)
}
