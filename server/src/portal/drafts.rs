//! Drafts of forms: private rows of a user, without secrets, found by `?draft=`. A user can share one with the people of its workspace.

mod subject;

use app::backend::Drafts;
use app::routes;
use app::view::DraftLine;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use promise::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::{DraftId, ListedDraft, NewDraft, POSTED};

pub(in crate::portal) use self::subject::DraftSubject;
use self::subject::KIND;
use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;
use crate::portal::caller::database;
use cluster::watch::Key;

/// How long a draft is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Where a draft is saved.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::portal) struct SaveAs<'a> {
    /// Id of the draft to replace, or to create.
    pub(in crate::portal) id: Option<&'a str>,
    /// The draft that the form was opened with: the new one is another step of the same form.
    pub(in crate::portal) opened: Option<&'a str>,
    /// The draft that the form is saved as while the user types.
    pub(in crate::portal) typing: Option<&'a str>,
    /// What lists call it.
    pub(in crate::portal) title: &'a str,
}

/// A draft that someone shared.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::portal) struct Shared<T> {
    /// What was entered.
    pub(in crate::portal) typed: T,
    /// Who entered it, by username.
    pub(in crate::portal) by: String,
    /// When it was saved.
    pub(in crate::portal) saved: Timestamp,
}

impl Caller {
    /// Saves the input of the form `subject` and returns the draft's id for the address.
    ///
    /// # Errors
    /// If the input is too large, or the database fails.
    pub async fn keep_draft<T: Serialize + Sync>(&self, subject: &str, typed: &T) -> Result<String> {
        self.save_draft(subject, typed, SaveAs::default()).await
    }

    /// Saves the input of the form `subject` as a step of the same form and returns the draft's id for the address.
    ///
    /// # Errors
    /// If the input is too large, or the database fails.
    pub(in crate::portal) async fn save_draft<T: Serialize + Sync>(&self, subject: &str, typed: &T, save: SaveAs<'_>) -> Result<String> {
        let portal = self.portal();
        let content = serde_json::to_value(typed).map_err(|_| promise::Error::Internal)?;
        let now = portal.clock.now();
        let expires = now.saturating_add(KEPT).map_err(|_| promise::Error::Internal)?;
        let person = &self.identity().person;
        let typing = save.typing.and_then(DraftId::parse);
        let family = match save.opened.and_then(DraftId::parse) {
            Some(opened) => portal.store.family_of_draft(&opened, person).await.map_err(|error| database(&error))?,
            None => None,
        };
        let family = family.or(typing);
        let id = save.id.and_then(DraftId::parse);
        let draft = NewDraft { id: id.as_ref(), family: family.as_ref(), subject, title: save.title, content: &content };
        let parsed = DraftSubject::parse(subject);
        let target = parsed.as_ref().map_or_else(|| WriteTarget::remembered(KIND, subject), DraftSubject::target);
        let write = self.write(WriteOperation::SaveDraft, target);
        match write.remember(portal.store.save_draft(person, &draft, now, expires, &*portal.random), |_| true).await {
            Ok(id) => Ok(id.as_str().to_owned()),
            Err(store::Error::TooLarge { limit, .. }) => Err(promise::Error::Invalid {
                problems: vec![promise::Problem {
                    path: String::new(),
                    message: format!("The form is too large: the maximum is {} KiB.", limit / 1024),
                }],
            }),
            Err(error) => Err(database(&error)),
        }
    }

    /// Returns the input of the form `subject`, if this user saved it under that id and it is still readable.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn draft<T: DeserializeOwned>(&self, subject: &str, id: &str) -> Result<Option<T>> {
        let Some(id) = DraftId::parse(id) else { return Ok(None) };
        let portal = self.portal();
        let draft = portal.store.draft(&id, &self.identity().person, portal.clock.now()).await.map_err(|error| database(&error))?;
        Ok(draft.filter(|draft| draft.subject == subject).and_then(|draft| serde_json::from_value(draft.content).ok()))
    }

    /// Returns the form that was posted after a session had ended, and that this user took over by signing in.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::portal) async fn posted(&self, id: &str) -> Result<Option<Vec<(String, String)>>> {
        self.draft(POSTED, id).await
    }

    /// Returns the shared draft of the form `subject` with this id. Whether this user can open it is checked by the caller.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::portal) async fn shared_draft<T: DeserializeOwned>(&self, subject: &str, id: &str) -> Result<Option<Shared<T>>> {
        let Some(id) = DraftId::parse(id) else { return Ok(None) };
        let portal = self.portal();
        let found = portal.store.shared_draft(&id, portal.clock.now()).await.map_err(|error| database(&error))?;
        Ok(found.filter(|(_, draft)| draft.subject == subject).and_then(|(by, draft)| {
            let typed = serde_json::from_value(draft.content).ok()?;
            Some(Shared { typed, by: promise::identity::username_of(&by).to_owned(), saved: draft.created })
        }))
    }

    /// Returns a new id for a draft.
    pub(in crate::portal) fn new_draft_id(&self) -> String {
        DraftId::new(&*self.portal().random).as_str().to_owned()
    }

    /// Deletes a draft, with the other steps of its form.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn forget_draft(&self, id: &str) -> Result<()> {
        let Some(id) = DraftId::parse(id) else { return Ok(()) };
        let write = self.write(WriteOperation::DeleteDraft, WriteTarget::remembered(KIND, id.as_str()));
        write.remember(self.portal().store.forget_draft(&id, &self.identity().person), |_| true).await.map_err(|error| database(&error))
    }

    /// Returns a draft as a line of a list. `None` if it is of another form, or its workspace doesn't exist any more.
    fn line(&self, draft: ListedDraft) -> Option<DraftLine> {
        let subject = DraftSubject::parse(&draft.subject)?;
        let world = &self.portal().world;
        let tree = world.tree();
        let workspace = tree.path(subject.cluster())?.to_string();
        let (promise, form, editing) = match &subject {
            DraftSubject::New { home, promise, .. } => {
                let home = tree.path(home)?.to_string();
                let known = self.known_promise(Some(&home), promise, [subject.cluster()]);
                (known, routes::request_new(&workspace, promise, Some(&home)), false)
            }
            DraftSubject::Edit { cluster, namespace, name } => {
                let key = Key::new(cluster.clone(), namespace.clone(), name.clone());
                let request = world.requests.get(&key);
                let known = request.and_then(|request| self.promise_of(cluster, &request));
                (known, routes::request_edit(&workspace, namespace, name), true)
            }
            // They are filled in and sent at once.
            DraftSubject::Action { .. } => return None,
        };
        let named = match &subject {
            DraftSubject::New { promise, .. } => promise.clone(),
            DraftSubject::Edit { .. } | DraftSubject::Action { .. } => String::new(),
        };
        let presentation = promise.as_ref().map(|promise| &promise.spec.presentation);
        let name = if let DraftSubject::Edit { name, .. } = &subject { name.clone() } else { draft.title };
        Some(DraftLine {
            address: routes::with_query(&form, &[("draft", draft.id.as_str())]),
            shared: draft.shared.map(|id| routes::with_query(&form, &[("draft", id.as_str())])),
            id: draft.id.as_str().to_owned(),
            promise: presentation.and_then(|presentation| presentation.display_name.clone()).unwrap_or(named),
            icon: presentation.and_then(|presentation| presentation.icon.clone()).unwrap_or_default(),
            saved: draft.saved.to_string(),
            name,
            workspace,
            editing,
        })
    }
}

#[async_trait]
impl Drafts for Caller {
    async fn drafts(&self, workspace: Option<&str>) -> Result<Vec<DraftLine>> {
        let portal = self.portal();
        let drafts = portal.store.drafts(&self.identity().person, portal.clock.now()).await.map_err(|error| database(&error))?;
        let lines = drafts.into_iter().filter_map(|draft| self.line(draft));
        Ok(lines.filter(|line| workspace.is_none_or(|workspace| line.workspace == workspace)).collect())
    }

    async fn share_draft(&self, id: &str, shared: bool) -> Result<()> {
        let not_found = || promise::Error::NotFound { what: "draft".to_owned() };
        let id = DraftId::parse(id).ok_or_else(not_found)?;
        let write = self.write(WriteOperation::ShareDraft, WriteTarget::remembered(KIND, id.as_str()));
        let changed = write.remember(self.portal().store.share_draft(&id, &self.identity().person, shared), |changed| *changed).await;
        if changed.map_err(|error| database(&error))? { Ok(()) } else { Err(not_found()) }
    }

    async fn discard_draft(&self, id: &str) -> Result<()> {
        self.forget_draft(id).await
    }
}
