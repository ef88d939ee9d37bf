//! The port [`Approvals`]: what waits for people's decisions, and what they decide.

mod alike;
mod content;
pub(crate) mod docket;
mod emergencies;
pub(in crate::portal) mod inbox;
mod matter;
mod review;
mod similar;
pub(in crate::portal) mod standing;
mod thread;
mod vote;
mod withdraw;

use app::backend::{Approvals, Vote};
use async_trait::async_trait;
use promise::view::{AlikePage, EmergenciesPage, InboxPage, InboxQuery, ReviewPage};
use promise::{Result, names};

use super::rights::Right;
use crate::auth::Caller;

#[async_trait]
impl Approvals for Caller {
    async fn waits(&self) -> Option<usize> {
        // A plane that does not answer takes an entry of the navigation away, and not the page.
        let waits = inbox::waits(self).await.unwrap_or_default();
        if waits > 0 || self.portal().docket.has_decided(&self.portal().world, &self.identity().username) {
            return Some(waits);
        }
        self.is_approver().await.then_some(0)
    }

    async fn inbox(&self, query: &InboxQuery) -> Result<InboxPage> {
        inbox::page(self, query).await
    }

    async fn review(&self, uid: &str, since: &str) -> Result<ReviewPage> {
        review::page(self, uid, since).await
    }

    async fn decide(&self, uid: &str, vote: &Vote) -> Result<()> {
        vote::post(self, uid, vote).await
    }

    async fn alike(&self, uid: &str) -> Result<AlikePage> {
        alike::page(self, uid).await
    }

    async fn decide_together(&self, vote: &Vote, items: &[(String, String)]) -> Result<usize> {
        alike::post(self, vote, items).await
    }

    async fn comment(&self, uid: &str, text: &str) -> Result<()> {
        thread::add(self, uid, text).await
    }

    async fn ask_again(&self, uid: &str) -> Result<()> {
        withdraw::ask_again(self, uid).await
    }

    async fn withdraw(&self, uid: &str, hash: &str) -> Result<()> {
        withdraw::post(self, uid, hash).await
    }

    async fn emergencies(&self, number: usize) -> Result<EmergenciesPage> {
        emergencies::page(self, number).await
    }
}

impl Caller {
    /// Whether the person may decide for all policies of some workspace, though nothing waits now.
    async fn is_approver(&self) -> bool {
        let decides = Right::decide(names::APPROVE_VERB, &promise::api::ApprovalRule { policy: Some(String::new()), ..Default::default() });
        for cluster in self.asking_places() {
            if self.may(&cluster, decides.clone()).await.unwrap_or_default() {
                return true;
            }
        }
        false
    }

    /// Workspaces with policies that ask people.
    fn asking_places(&self) -> Vec<cluster::ClusterId> {
        let policies = self.portal().world.policies.snapshot();
        let asks = policies.iter().filter(|(_, policy)| policy.spec.rules.iter().any(|rule| rule.approve.is_some()));
        let mut places: Vec<_> = asks.map(|(key, _)| key.cluster.clone()).collect();
        places.dedup();
        places
    }
}
