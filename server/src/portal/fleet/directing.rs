//! Stops and resumes rollouts, and says what becomes of a failed instance.

use app::view::RolloutCommand;
use promise::rollout::{MemberReason, MemberState};
use promise::{Error, Result};
use store::MemberAnswer;

use crate::portal::Caller;
use crate::portal::caller::database;
use crate::portal::write::{WriteOperation, WriteTarget};

/// Does what a person says. What is no longer possible, because the rollout has changed, does nothing: its page shows how it is.
pub(super) async fn direct(caller: &Caller, id: &str, command: RolloutCommand, position: i64) -> Result<()> {
    let (portal, person, session) = (caller.portal(), &*caller.identity().person, caller.session());
    let (store, now) = (&portal.store, portal.clock.now());
    if store.rollout(person, id).await.map_err(|error| database(&error))?.is_none() {
        return Err(Error::NotFound { what: "rollout".to_owned() });
    }
    let write = |operation| caller.write(operation, WriteTarget::remembered("rollout", id));
    let answer = |to, reason| MemberAnswer { rollout: id, person, position, to, reason, session };
    let skipped = MemberReason::ByPerson;
    let done = match command {
        RolloutCommand::Stop => write(WriteOperation::StopRollout).remember(store.stop_rollout(person, id, now), |done| *done).await,
        RolloutCommand::Resume => {
            write(WriteOperation::ResumeRollout).remember(store.resume_rollout(person, id, session, now), |done| *done).await
        }
        RolloutCommand::Retry => {
            let retry = answer(MemberState::Starting, None);
            write(WriteOperation::RetryInRollout).remember(store.answer_member(&retry, now), |done| *done).await
        }
        RolloutCommand::Skip => {
            let skip = answer(MemberState::Skipped, Some(&skipped));
            write(WriteOperation::SkipInRollout).remember(store.answer_member(&skip, now), |done| *done).await
        }
    };
    if done.map_err(|error| database(&error))? {
        portal.rollouts.wake();
        portal.rollouts.tell(id);
    }
    Ok(())
}
