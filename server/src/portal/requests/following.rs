//! Follows one request for a program: each state of it that the user can read, until it is gone.

use std::time::Duration;

use cluster::watch::{Changes, Key};
use promise::rest::{RequestDetail, RequestGone};
use promise::{Error, Result};
use tokio::sync::broadcast::error::RecvError;

use crate::limits::Place;
use crate::portal::Caller;
use crate::portal::place::Workspace;

/// Changes within this time are told together.
const TOGETHER: Duration = Duration::from_millis(50);
/// How long nothing is told at most. The request is read again then, so that a token that the control plane no longer accepts ends it.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What is told about a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Followed {
    /// It is, or has become, this.
    Request(Box<RequestDetail>),
    /// It no longer exists. Nothing follows.
    Gone(RequestGone),
    /// It is as before.
    Unchanged,
}

/// A program that follows a request.
pub(crate) struct RequestFollower {
    caller: Caller,
    workspace: Workspace,
    key: Key,
    changes: Changes,
    /// What was told last.
    told: Option<RequestDetail>,
    ended: bool,
    /// Given back when the program goes away.
    _place: Place,
}

impl Caller {
    /// Begins to follow a request.
    ///
    /// # Errors
    /// If there is none that the user can read, the user follows too many, or the control plane doesn't respond.
    pub(crate) async fn follow_request(&self, workspace: &str, namespace: &str, name: &str) -> Result<RequestFollower> {
        let workspace = self.enter(workspace).await?;
        // Subscribes before anything is read, so that no change is missed in between.
        let changes = self.portal().world.requests.changes();
        self.read_request(&workspace, namespace, name).await?;
        let place = self.portal().streams.enter(self.session(), &self.identity().person)?;
        let key = Key::new(workspace.cluster.clone(), namespace, name);
        Ok(RequestFollower { caller: self.clone(), workspace, key, changes, told: None, ended: false, _place: place })
    }
}

impl RequestFollower {
    /// Returns what to tell next. `None` when there is nothing left to tell, or the user can't be told any more.
    pub(crate) async fn next(&mut self) -> Option<Followed> {
        if self.ended {
            return None;
        }
        if self.told.is_none() {
            return self.look().await;
        }
        let beat = tokio::time::Instant::now() + HEARTBEAT;
        loop {
            let shutdown = self.caller.portal().shutdown.clone();
            let waited = tokio::select! {
                () = shutdown.cancelled() => return None,
                waited = tokio::time::timeout_at(beat, self.changed()) => waited,
            };
            match waited {
                Ok(false) => return None,
                Ok(true) => match self.look().await {
                    Some(Followed::Unchanged) => {}
                    other => return other,
                },
                Err(_) => return self.look().await,
            }
        }
    }

    /// Reads the request as the user.
    async fn look(&mut self) -> Option<Followed> {
        let read = self.caller.read_request(&self.workspace, &self.key.namespace, &self.key.name).await;
        let detail = match read {
            Ok(request) => self.caller.detail_of(&self.workspace, &request).await,
            Err(error) => Err(error),
        };
        match detail {
            Ok(detail) if self.told.as_ref() == Some(&detail) => Some(Followed::Unchanged),
            Ok(detail) => {
                self.told = Some(detail.clone());
                Some(Followed::Request(Box::new(detail)))
            }
            Err(Error::NotFound { .. }) => {
                self.ended = true;
                Some(Followed::Gone(RequestGone { namespace: self.key.namespace.clone(), name: self.key.name.clone() }))
            }
            // It might respond the next time.
            Err(Error::Unreachable { .. } | Error::Busy { .. }) if self.told.is_some() => Some(Followed::Unchanged),
            Err(error) => {
                tracing::debug!(%error, "a request can't be followed any more");
                None
            }
        }
    }

    /// Waits until the request might have changed. Returns `false` if there is nothing left to follow.
    async fn changed(&mut self) -> bool {
        loop {
            match self.changes.recv().await {
                Ok(key) if key == self.key => break,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => break,
                Err(RecvError::Closed) => return false,
            }
        }
        tokio::time::sleep(TOGETHER).await;
        true
    }
}
