//! The port [`Presets`]: values that requests start from, which people of a workspace save and share. They contain no secrets.
//!
//! Everyone who can create requests in a workspace can see, use, save and delete its presets, and no one else.

use app::backend::{FormOf, PresetOf, Presets};
use app::routes;
use app::view::{PresetLine, SavedPreset, preset_title};
use async_trait::async_trait;
use cluster::ClusterId;
use promise::identity::username_of;
use promise::path::Path;
use promise::wording::humanise;
use promise::{ConflictReason, DeniedReason, Error, Problem, Result};
use serde_json::Value;
use store::{MAX_PRESETS, NewPreset, Preset, SaveOutcome};

use super::form::{self, Opened};
use super::kept::{self, SAVED};
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::portal::write::{WriteOperation, WriteTarget};

#[async_trait]
impl Presets for Caller {
    async fn presets(&self, workspace: &str) -> Result<Vec<PresetLine>> {
        let workspace = self.enter(workspace).await?;
        self.must_create(&workspace).await?;
        let presets = self.saved_presets(&workspace).await?;
        Ok(presets.into_iter().map(|preset| self.preset_line(&workspace, preset)).collect())
    }

    async fn save_preset(&self, workspace: &str, of: PresetOf<'_>, title: &str) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        self.must_create(&workspace).await?;
        let title = preset_title(title).map_err(invalid)?;
        let form = FormOf::New { promise: of.promise, home: of.home, start: None };
        let mut opened = form::open(self, &workspace, &form).await?;
        let typed = match of.draft {
            "" => kept::start_of(self, &workspace, &mut opened, of.start).await?,
            draft => kept::of(self, &workspace, &form, &mut opened, draft).await?.map(|kept| kept.typed),
        };
        let Some(typed) = typed else {
            return Err(ConflictReason::PresetValuesGone.into());
        };
        let parameters = without_secrets(&opened, typed.draft.parameters);
        let portal = self.portal();
        let (cluster, home) = (workspace.cluster.as_str(), opened.offered.key.cluster.as_str());
        let (promise, person) = (opened.offered.key.name.as_str(), &*self.identity().person);
        let preset = NewPreset { cluster, home, promise, title: &title, parameters: &parameters, person };
        let write = self.write(WriteOperation::SavePreset, WriteTarget::in_workspace("preset", &workspace.cluster, promise));
        let saved = write
            .remember(portal.store.save_preset(&preset, portal.clock.now(), &*portal.random), |kept| *kept == SaveOutcome::Saved)
            .await;
        match saved.map_err(|error| database(&error))? {
            SaveOutcome::Saved => Ok(()),
            SaveOutcome::Full => Err(refused(format!("This workspace has {MAX_PRESETS} presets, the maximum. Delete one first."))),
            SaveOutcome::Taken | SaveOutcome::Absent => {
                Err(refused(format!("This workspace already has a preset called {title}. Choose another name.")))
            }
        }
    }

    async fn delete_preset(&self, workspace: &str, id: &str) -> Result<()> {
        let workspace = self.enter(workspace).await?;
        self.must_create(&workspace).await?;
        let write = self.write(WriteOperation::DeletePreset, WriteTarget::in_workspace("preset", &workspace.cluster, id));
        let deleted = write.remember(self.portal().store.forget_preset(workspace.cluster.as_str(), id), |()| true).await;
        deleted.map_err(|error| database(&error))
    }
}

impl Caller {
    /// Checks whether the user can create requests in a workspace, and so use its presets.
    async fn may_create(&self, workspace: &Workspace) -> Result<bool> {
        self.may(&workspace.cluster, Right::requests("create", workspace.usual_namespace())).await
    }

    async fn must_create(&self, workspace: &Workspace) -> Result<()> {
        if self.may_create(workspace).await? {
            return Ok(());
        }
        Err(DeniedReason::UsePresets { workspace: workspace.path.to_string(), owner: workspace.whom_to_ask() }.into())
    }

    async fn saved_presets(&self, workspace: &Workspace) -> Result<Vec<Preset>> {
        self.portal().store.presets(workspace.cluster.as_str()).await.map_err(|error| database(&error))
    }

    fn preset_line(&self, workspace: &Workspace, preset: Preset) -> PresetLine {
        let tree = self.portal().world.tree();
        let home = ClusterId::parse(&preset.home).ok().and_then(|home| tree.path(&home)).map(|path| path.to_string());
        let promise = self.known_promise(home.as_deref(), &preset.promise, [&workspace.cluster]);
        let presentation = promise.as_ref().map(|promise| &promise.spec.presentation);
        let address = || routes::request_from(workspace.path.as_str(), &preset.promise, home.as_deref(), &start(&preset.id));
        PresetLine {
            address: if promise.is_some() { address() } else { String::new() },
            promise: presentation.and_then(|presentation| presentation.display_name.clone()).unwrap_or_else(|| humanise(&preset.promise)),
            icon: presentation.and_then(|presentation| presentation.icon.clone()).unwrap_or_default(),
            by: username_of(&preset.person).to_owned(),
            at: preset.created.to_string(),
            title: preset.title,
            id: preset.id,
        }
    }
}

/// Returns the presets that a new form can start from. The form is more important: empty if they can't be read.
pub(super) async fn choices(caller: &Caller, workspace: &Workspace, opened: &Opened) -> Vec<SavedPreset> {
    let found = async {
        if !caller.may_create(workspace).await? {
            return Ok(Vec::new());
        }
        caller.saved_presets(workspace).await
    };
    let found: Result<Vec<Preset>> = found.await;
    let presets = found.inspect_err(|error| tracing::warn!(%error, "presets cannot be read")).unwrap_or_default();
    let of_form = presets.into_iter().filter(|preset| is_of(preset, opened));
    of_form.map(|preset| SavedPreset { start: start(&preset.id), title: preset.title }).collect()
}

/// Returns the values of a preset; `None` if the workspace has none with this id for the promise, or the user can't use it.
pub(super) async fn values(caller: &Caller, workspace: &Workspace, opened: &Opened, id: &str) -> Result<Option<Value>> {
    if !caller.may_create(workspace).await? {
        return Ok(None);
    }
    let found = caller.saved_presets(workspace).await?.into_iter().find(|preset| preset.id == id && is_of(preset, opened));
    // A parameter can have become a secret since then.
    Ok(found.map(|preset| without_secrets(opened, preset.parameters)))
}

fn is_of(preset: &Preset, opened: &Opened) -> bool {
    preset.promise == opened.offered.key.name && preset.home == opened.offered.key.cluster.as_str()
}

/// Returns the start that stands for a preset.
fn start(id: &str) -> String {
    format!("{SAVED}{id}")
}

/// Removes what belongs to one request: its secrets.
pub(super) fn without_secrets(opened: &Opened, mut parameters: Value) -> Value {
    for path in opened.spec.secret_parameters.iter().filter_map(|path| Path::parse(path).ok()) {
        path.remove(&mut parameters);
    }
    parameters
}

fn refused(message: String) -> Error {
    invalid(Problem { path: "title".to_owned(), message })
}

fn invalid(problem: Problem) -> Error {
    Error::Invalid { problems: vec![problem] }
}
