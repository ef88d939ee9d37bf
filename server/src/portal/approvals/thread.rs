//! Comments on a request, for users who can see it.

use std::collections::BTreeSet;

use app::view::CommentLine;
use jiff::Timestamp;
use notify::remark::{self, Remark};
use promise::{Error, Problem, Result};
use store::{MAX_COMMENT, NewComment};

use super::matter::{self, Matter};
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Returns all comments, oldest first.
pub(super) async fn of(caller: &Caller, matter: &Matter) -> Result<Vec<CommentLine>> {
    caller.comments(matter.request.metadata.uid.as_deref().unwrap_or_default()).await
}

/// Adds a comment.
pub(super) async fn add(caller: &Caller, uid: &str, text: &str) -> Result<()> {
    let matter = matter::find(caller, uid).await?;
    let refused = |message: String| Err(Error::Invalid { problems: vec![Problem { path: "comment".to_owned(), message }] });
    let text = text.trim();
    if text.is_empty() {
        return refused("Enter a comment.".to_owned());
    }
    if text.len() > MAX_COMMENT {
        return refused(format!("Shorten the comment to at most {} KiB.", MAX_COMMENT >> 10));
    }
    let (portal, author) = (caller.portal(), &*caller.identity().person);
    let mut bytes = [0; 16];
    portal.random.fill(&mut bytes);
    let id = hex::encode(bytes);
    let now = portal.clock.now();
    let uid = matter.request.metadata.uid.as_deref().unwrap_or_default();
    let before: BTreeSet<String> = caller.comments(uid).await?.into_iter().map(|comment| comment.by).collect();
    let before: Vec<String> = before.into_iter().collect();
    let remark = Remark { id: &id, author, name: &portal.named(&caller.identity().person), text, before: &before };
    let news = remark::news(&portal.notify, &matter.request, matter.workspace.path.as_str(), &remark, now)
        .await
        .map_err(|error| database(&error))?;
    let comment = NewComment { id: &id, request_uid: uid, author, text };
    let (cluster, namespace, name) = (&matter.key.cluster, &matter.key.namespace, &matter.key.name);
    let write = caller.write(WriteOperation::Comment, WriteTarget::namespaced("PromiseRequest", cluster, namespace, name));
    let added = write.remember(portal.store.add_comment(&comment, &news, now), Option::is_some).await;
    match added.map_err(|error| database(&error))? {
        Some(people) => portal.notify.ring(&people),
        None => {
            return refused(format!("{name} has reached the maximum number of comments. Contact the people directly."));
        }
    }
    Ok(())
}

impl Caller {
    /// Returns the comments on a request, oldest first. The calling code checks whether the user can see the request.
    ///
    /// # Errors
    /// If the database fails.
    pub(in crate::portal) async fn comments(&self, uid: &str) -> Result<Vec<CommentLine>> {
        let comments = self.portal().store.comments(uid).await.map_err(|error| database(&error))?;
        let line = |comment: store::Comment| CommentLine { by: comment.author, at: written(comment.created), text: comment.text };
        Ok(comments.into_iter().map(line).collect())
    }
}

fn written(at: Timestamp) -> String {
    at.to_string()
}
