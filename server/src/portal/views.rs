//! The port [`Views`]: filters that a user has saved under a name.

use app::backend::{Pairs, Views};
use app::view::{SavedList, SavedViews, ViewLine, view_title};
use async_trait::async_trait;
use cluster::WorkspacePath;
use promise::{Error, Problem, Result};
use store::{MAX_SAVED_VIEWS, SaveOutcome, SavedView};

use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::web::pairs::field;

#[async_trait]
impl Views for Caller {
    async fn saved_views(&self, list: SavedList, workspace: &str, filter: Vec<(String, String)>) -> SavedViews {
        let read = self.portal().store.saved_views(&self.identity().person, &name(list, workspace)).await;
        // The list itself doesn't need them.
        let unread = read.as_ref().inspect_err(|error| tracing::warn!(%error, "saved views cannot be read")).is_err();
        let line = |view: SavedView| ViewLine { id: view.id, title: view.title, filter: view.filter };
        let views = read.unwrap_or_default().into_iter().map(line).collect();
        SavedViews { list, workspace: workspace.to_owned(), views, filter, unread }
    }

    async fn save_view(&self, pairs: &Pairs) -> Result<()> {
        let of = |name: &str| field(pairs, name).unwrap_or_default();
        let list = SavedList::parse(of("list")).ok_or_else(|| Error::NotFound { what: "list with such views".to_owned() })?;
        let place = of("place");
        let is_everywhere = place.is_empty() && list.is_of_all_workspaces();
        if list.is_of_workspace() && !is_everywhere && WorkspacePath::parse(place).is_err() {
            return Err(Error::NotFound { what: format!("workspace {place}") });
        }
        let title = view_title(of("title")).map_err(invalid)?;
        let filter = list.filter(pairs);
        if filter.is_empty() {
            return Err(invalid(Problem {
                path: String::new(),
                message: "Choose a filter first. A view saves the filters of a list.".to_owned(),
            }));
        }
        let portal = self.portal();
        let place = if list.is_of_workspace() { place } else { "" };
        let (person, list) = (&*self.identity().person, name(list, place));
        let write = self.write(WriteOperation::SaveView, WriteTarget::remembered("view", &list));
        let now = portal.clock.now();
        let kept = write
            .remember(portal.store.save_view(person, &list, &title, &filter, now, &*portal.random), |kept| *kept == SaveOutcome::Saved);
        said(kept.await, &title)
    }

    async fn rename_view(&self, id: &str, title: &str) -> Result<()> {
        let title = view_title(title).map_err(invalid)?;
        let write = self.write(WriteOperation::RenameView, WriteTarget::remembered("view", id));
        let (store, person) = (&self.portal().store, &self.identity().person);
        said(write.remember(store.rename_view(person, id, &title), |kept| *kept == SaveOutcome::Saved).await, &title)
    }

    async fn forget_view(&self, id: &str) -> Result<()> {
        let write = self.write(WriteOperation::DeleteView, WriteTarget::remembered("view", id));
        write.remember(self.portal().store.forget_view(&self.identity().person, id), |()| true).await.map_err(|error| database(&error))
    }
}

/// Returns the key of a list's views in the store.
fn name(list: SavedList, workspace: &str) -> String {
    format!("{} {workspace}", list.word())
}

fn invalid(problem: Problem) -> Error {
    Error::Invalid { problems: vec![problem] }
}

fn said(kept: store::Result<SaveOutcome>, title: &str) -> Result<()> {
    match kept.map_err(|error| database(&error))? {
        SaveOutcome::Saved => Ok(()),
        SaveOutcome::Full => {
            let message = format!("You have {MAX_SAVED_VIEWS} saved views, the maximum. Delete one first.");
            Err(invalid(Problem { path: String::new(), message }))
        }
        SaveOutcome::Taken => Err(invalid(Problem {
            path: String::new(),
            message: format!("This list already has a view called {title}. Choose another name."),
        })),
        SaveOutcome::Absent => Err(Error::NotFound { what: "saved view with this name".to_owned() }),
    }
}
