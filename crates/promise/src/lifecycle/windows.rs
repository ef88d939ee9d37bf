//! Changes that wait for the windows of policies.

use jiff::Timestamp;

use super::{Choice, Chosen, Held};
use crate::api::{ApprovalState, ApprovalStatus, CandidateState, Window};
use crate::approval::{Judgement, is_line_of, is_overridden};
use crate::policy::{ChangeWindows, Ruling, WindowWait};

impl Choice {
    /// Returns agreed content if it can be carried out now: nothing runs that it would change, or all windows are open or overridden.
    /// Otherwise it is held until they are. `overrides` has a line for each policy with windows, from [`crate::approval::overrides`]. While
    /// the request is paused, windows aren't open for it: the change would be carried out when it is resumed, whatever the time is then.
    pub fn opens(
        &mut self,
        chosen: Chosen,
        (windows, overrides): (&[Ruling<Window>], &[ApprovalStatus]),
        is_paused: bool,
        now: Timestamp,
    ) -> Option<Chosen> {
        if self.current.is_none() {
            return Some(chosen);
        }
        let is_free = |from: &_| overrides.iter().any(|line| is_overridden(from, line));
        let windows = ChangeWindows::blocking(windows).without(is_free);
        let wait = windows.wait(now);
        let mut approvals = self.approvals.take().unwrap_or_default();
        approvals.extend(overrides.iter().filter_map(|line| shown(line, wait.as_ref())));
        self.approvals = Some(approvals.clone());
        let waits = match &wait {
            Some(wait) => wait.waiting_on(),
            None if is_paused && !windows.is_empty() => ChangeWindows::waiting_on_resume(),
            None => return Some(chosen),
        };
        let opens = wait.as_ref().and_then(|wait| wait.opens);
        let judgement = Judgement {
            state: CandidateState::AwaitingWindow,
            approvals,
            deadlines: Vec::new(),
            message: format!("{}.", waits.message.trim_end_matches('.')),
            waits: Some(waits),
            expires_in: opens.map(|opens| opens.as_second().saturating_sub(now.as_second())),
        };
        self.promote();
        self.held = Some(Held { chosen, judgement });
        None
    }
}

/// Returns a line for the status, if its policy is overridden or holds the change back.
fn shown(line: &ApprovalStatus, wait: Option<&WindowWait>) -> Option<ApprovalStatus> {
    if line.state == ApprovalState::Approved {
        return Some(line.clone());
    }
    let wait = wait.filter(|wait| wait.policies.iter().any(|from| is_line_of(from, line)))?;
    Some(ApprovalStatus { opens_at: wait.opens.map(|opens| opens.to_string()), ..line.clone() })
}
