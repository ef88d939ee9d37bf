//! The first step of a run of which policies required approvals. People take their time to decide, so windows are checked again, and others
//! can have their turn while they are closed. Nothing is started for it until a step of the action is recorded as running, so after a crash
//! all of this is checked once more.

use super::ActionReconciliation;
use super::run::RunState;

impl ActionReconciliation<'_> {
    /// Checks whether the first step of an approved run can begin now. If it can't, the state says what it waits for.
    pub(super) async fn opens(&mut self, state: &mut RunState) -> Result<bool, kube::Error> {
        let hold = self.hold(&state.request, &state.chosen).await;
        match hold {
            Ok(None) => {}
            Ok(Some(hold)) => {
                let left = self.left(&hold);
                state.waits(hold.waiting, left);
                return Ok(false);
            }
            Err(why) => {
                state.fails(why.into());
                return Ok(false);
            }
        }
        // Checking the turn and recording that the run no longer waits are one step, as when a run starts.
        let _starts = self.ctx.starts.lock().await;
        if let Some(waiting) = self.waits_again(&state.request).await? {
            state.waits(waiting, None);
            return Ok(false);
        }
        state.opens();
        self.record(state).await?;
        Ok(true)
    }
}
