//! Decisions of approvers: they affect what they are about, and report what that says of them.

use super::Handlers;
use crate::controller::context::Work;
use crate::controller::owners::ApprovalOwner;
use crate::watch::Key;

impl Handlers {
    /// Handles a decision: it affects its request when it is created and when it is deleted. Its own status changes nothing.
    pub(super) fn approval(&self, key: &Key) {
        let row = self.ctx.world.approvals.get(key);
        let now = row.map(|row| ApprovalOwner { uid: row.metadata.uid.clone(), request: row.spec.request.uid.clone() });
        let before = self.ctx.owners.approves(key, now.clone());
        if before == now {
            self.ctx.queue.echo(Work::Approval(key.clone()));
            return;
        }
        self.ctx.queue.add(Work::Approval(key.clone()));
        let concerned = now.iter().chain(&before).filter_map(|about| self.ctx.owners.request(&about.request));
        for request in concerned {
            // It might be about a step of an action.
            self.actions_of(&request);
            self.ctx.queue.add(Work::Request(request));
        }
    }

    pub(super) fn approvals_about(&self, uid: &str) {
        self.ctx.owners.approvals(uid).into_iter().for_each(|key| self.ctx.queue.add(Work::Approval(key)));
    }

    /// Decisions about steps of an action report what the action says of them.
    pub(super) fn decisions_about_action(&self, key: &Key) {
        let Some(action) = self.ctx.world.actions.get(key) else { return };
        if action.status.iter().flat_map(|status| &status.steps).all(|step| step.approval.is_none()) {
            return;
        }
        let request = self.ctx.world.requests.get(&key.beside(action.spec.request.clone()));
        if let Some(uid) = request.and_then(|request| request.metadata.uid.clone()) {
            self.approvals_about(&uid);
        }
    }
}
