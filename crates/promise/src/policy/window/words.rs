//! What is said about changes that wait for windows.

use super::{ChangeWindows, WindowWait};
use crate::api::{PreflightWindow, WaitingKind, WaitingOn, WaitingReason};
use crate::policy::Provenance;
use crate::wording::all_of;

impl ChangeWindows {
    /// Returns what a change waits for while its request is paused, though the windows are open.
    pub fn waiting_on_resume() -> WaitingOn {
        let message = "Paused: the change is carried out when the request is resumed and the windows of its policies are open.";
        WaitingOn::new(WaitingKind::Person, WaitingReason::Paused, message)
    }
}

impl WindowWait {
    /// Returns the opening, such as `Saturday, 28 November at 22:00 (Europe/Berlin)`. Nothing if no window opens.
    pub fn opening(&self) -> Option<String> {
        let opens = self.opens?.to_zoned(self.zone.clone());
        Some(format!("{} ({})", opens.strftime("%A, %-d %B at %H:%M"), self.timezone))
    }

    /// Returns when a change is carried out, as a sentence.
    pub fn sentence(&self) -> String {
        match self.opening() {
            Some(opening) => format!("Will be carried out on {opening}."),
            None => format!("Won't be carried out: {}.", self.never()),
        }
    }

    /// Warns that a change is carried out although a window is closed.
    pub(super) fn is_outside(&self) -> String {
        match self.opening() {
            Some(opening) => format!("This change is outside the window, which opens on {opening}."),
            None => format!("This change is outside the window: {}.", self.never()),
        }
    }

    /// Returns what a change waits for, as a sentence.
    pub fn waits(&self) -> String {
        match self.opening() {
            Some(opening) => format!("Waits for the window of {}: opens on {opening}.", self.named(false)),
            None => format!("Waits for a window: {}.", self.never()),
        }
    }

    /// Returns what a request with such a change waits for.
    pub fn waiting_on(&self) -> WaitingOn {
        let kind = if self.opens.is_some() { WaitingKind::Controller } else { WaitingKind::Person };
        let object = all_of(&self.policies.iter().map(|from| from.policy.clone()).collect::<Vec<_>>());
        WaitingOn { object: Some(object), ..WaitingOn::new(kind, WaitingReason::ChangeWindow, self.waits()) }
    }

    /// Returns the wait as part of a preflight.
    pub fn answer(&self) -> PreflightWindow {
        PreflightWindow {
            opens_at: self.opens.map(|opens| opens.to_string()),
            policies: self.policies.iter().map(|from| from.policy.clone()).collect(),
            message: self.sentence(),
        }
    }

    fn never(&self) -> String {
        match self.policies.as_slice() {
            [_] => format!("the window of {} doesn't open in the next five weeks", self.named(true)),
            _ => format!("the windows of {} aren't open at the same time in the next five weeks", self.named(true)),
        }
    }

    /// Returns the policies, with the workspaces that set them if someone has to change one.
    fn named(&self, is_set_at: bool) -> String {
        let named = |from: &Provenance| {
            let set_at = if is_set_at { format!(" (set at {})", from.workspace) } else { String::new() };
            format!("{}{set_at}", from.title.as_ref().unwrap_or(&from.policy))
        };
        all_of(&self.policies.iter().map(named).collect::<Vec<_>>())
    }
}
