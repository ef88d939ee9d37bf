//! The port [`Account`]: the signed-in user and the work waiting for them.

use app::actions::OTHERS;
use app::backend::Account;
use app::view::{Home, SessionLine, TourLine, Viewer};
use async_trait::async_trait;
use promise::{Error, Result};
use store::ListedSession;

use super::write::{WriteOperation, WriteTarget};
use crate::portal::Caller;
use crate::portal::caller::database;
use crate::sample::TourStop;

/// Name of the hint that tells a newcomer what to try.
const TOUR: &str = "tour";

impl Caller {
    /// Returns what a newcomer in the user's role can try, unless the user dismissed it. Only people of the sample world have such a role.
    pub(super) async fn tour(&self) -> Vec<TourLine> {
        let person = &*self.identity().person;
        let Some(sample) = self.portal().person(person).filter(|sample| !sample.tour.is_empty()) else { return Vec::new() };
        // A hint is worth no error: if the database doesn't answer, it is left out.
        if self.portal().store.is_dismissed(person, TOUR).await.unwrap_or(true) {
            return Vec::new();
        }
        let line = |stop: &TourStop| TourLine { title: stop.title.clone(), text: stop.text.clone(), href: stop.to.clone() };
        sample.tour.iter().map(line).collect()
    }

    async fn listed_sessions(&self) -> Result<Vec<ListedSession>> {
        let portal = self.portal();
        portal.store.sessions_of(&self.identity().person, portal.clock.now()).await.map_err(|error| database(&error))
    }

    fn session_line(&self, session: ListedSession) -> SessionLine {
        let provider = self.portal().sign_in.provider(&session.provider);
        SessionLine {
            id: session.key.text(),
            browser: session.browser,
            // One that isn't configured any more is named as it was.
            provider: provider.map_or(session.provider, |provider| provider.config().title.clone()),
            created: session.created.to_string(),
            used: session.used.to_string(),
            is_current: session.key == self.session(),
        }
    }
}

#[async_trait]
impl Account for Caller {
    fn viewer(&self) -> Viewer {
        let identity = self.identity();
        let username = self.portal().called(&identity.person);
        Viewer {
            display_name: self.portal().named(&identity.person),
            username,
            groups: identity.groups.clone(),
            form_token: self.form_token().to_owned(),
        }
    }

    async fn home(&self) -> Result<Home> {
        super::home::page(self).await
    }

    async fn sessions(&self) -> Result<Vec<SessionLine>> {
        Ok(self.listed_sessions().await?.into_iter().map(|session| self.session_line(session)).collect())
    }

    async fn end_session(&self, id: &str) -> Result<()> {
        let portal = self.portal();
        let others = self.listed_sessions().await?.into_iter().filter(|session| session.key != self.session());
        let chosen: Vec<ListedSession> = others.filter(|session| id == OTHERS || session.key.text() == id).collect();
        if chosen.is_empty() && id != OTHERS {
            return Err(Error::NotFound { what: "session, or it has ended".to_owned() });
        }
        for session in chosen {
            let write = self.write(WriteOperation::SignOut, WriteTarget::remembered("session", ""));
            let ended = write.remember(portal.store.end_session(session.key), |()| true).await;
            portal.callers.end(session.key);
            ended.map_err(|error| database(&error))?;
        }
        Ok(())
    }

    async fn dismiss_tour(&self) -> Result<()> {
        let write = self.write(WriteOperation::DismissHint, WriteTarget::remembered("hint", TOUR));
        let (portal, person) = (self.portal(), &*self.identity().person);
        write.remember(portal.store.dismiss(person, TOUR, portal.clock.now()), |()| true).await.map_err(|error| database(&error))
    }
}
