//! The port [`Approvals`]: the decisions waiting for users, and making them.

mod alike;
pub(crate) mod approval_index;
mod content;
mod emergencies;
pub(in crate::portal) mod inbox;
mod matter;
mod records;
pub(in crate::portal) mod review;
mod similar;
pub(in crate::portal) mod skip;
pub(in crate::portal) mod standing;
pub(in crate::portal) mod step;
mod terms;
mod thread;
pub(in crate::portal) mod versions;
mod vote;
mod withdraw;

use app::backend::{Approvals, Vote};
use app::view::{AlikePage, EmergenciesPage, InboxPage, InboxQuery, ReviewPage};
use async_trait::async_trait;
use promise::{Result, names};

use super::requests::walk::{Turns, in_time};
use super::rights::Right;
use crate::portal::Caller;

#[async_trait]
impl Approvals for Caller {
    async fn waits(&self) -> Option<usize> {
        // If the control plane doesn't respond, only the count or the entry in the navigation is missing, not the page. Both share one
        // deadline.
        let turns = Turns::begin();
        let waits = self.waiting().await.unwrap_or_default();
        (waits > 0 || self.has_part(&turns).await.unwrap_or_default()).then_some(waits)
    }

    async fn inbox(&self, query: &InboxQuery) -> Result<InboxPage> {
        self.portal().lists_read()?;
        inbox::page(self, query).await
    }

    async fn review(&self, uid: &str, since: &str) -> Result<ReviewPage> {
        self.portal().lists_read()?;
        review::page(self, uid, since).await
    }

    async fn decide(&self, uid: &str, vote: &Vote) -> Result<()> {
        vote::post(self, uid, vote).await
    }

    async fn alike(&self, uid: &str) -> Result<AlikePage> {
        self.portal().lists_read()?;
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
        self.portal().lists_read()?;
        emergencies::page(self, number).await
    }
}

impl Caller {
    /// Returns how many requests wait for this user.
    ///
    /// # Errors
    /// If requests haven't been read yet, or the control plane doesn't respond in time.
    pub(in crate::portal) async fn waiting(&self) -> Result<usize> {
        self.portal().lists_read()?;
        in_time(inbox::waits(self)).await
    }

    /// Checks whether the user takes part in approvals, even if nothing waits for them now.
    ///
    /// # Errors
    /// If the control plane doesn't respond in time, so that the answer is unknown.
    pub(in crate::portal) async fn has_part(&self, turns: &Turns) -> Result<bool> {
        if self.portal().approval_index.has_decided(&self.portal().world, &self.identity().person) {
            return Ok(true);
        }
        self.is_approver(turns).await
    }

    /// Checks whether the user can approve for all policies of some workspace, even if nothing waits for them now.
    async fn is_approver(&self, turns: &Turns) -> Result<bool> {
        let decides = Right::decide(names::APPROVE_VERB, &promise::api::ApprovalRule { policy: Some(String::new()), ..Default::default() });
        self.may_in_any(turns, self.asking_places(), &decides).await
    }

    /// Returns the workspaces with policies that require approval.
    fn asking_places(&self) -> Vec<cluster::ClusterId> {
        let policies = self.portal().world.policies.snapshot();
        let asks = policies.iter().filter(|(_, policy)| policy.spec.rules.iter().any(|rule| rule.approve.is_some()));
        let mut places: Vec<_> = asks.map(|(key, _)| key.cluster.clone()).collect();
        places.dedup();
        places
    }
}
