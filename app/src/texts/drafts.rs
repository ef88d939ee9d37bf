//! Texts about drafts of requests.

pub(crate) const DRAFTS: &str = "Drafts";
pub(crate) const DRAFTS_HINT: &str = "Kept for a week. Only you can see them unless you share them.";
/// In place of the name of a request that has none yet.
pub(crate) const UNNAMED: &str = "Unnamed";
pub(crate) const CONTINUE: &str = "Continue";
pub(crate) const SHARE: &str = "Share";
pub(crate) const STOP_SHARING: &str = "Stop sharing";
pub(crate) const DISCARD: &str = "Discard";
pub(crate) const SHARED_LINK: &str = "Link to this draft";
pub(crate) const SHARED_HINT: &str = "People who can submit this form in the workspace can open it.";
/// Before the time at which a draft was saved.
pub(crate) const SAVED: &str = "saved";

/// Opens the drafts that the list leaves out at first.
pub(crate) fn more(count: usize) -> String {
    if count == 1 { "Show 1 more draft".to_owned() } else { format!("Show {count} more drafts") }
}

/// A draft of a new request.
pub(crate) fn new(promise: &str) -> String {
    if promise.is_empty() { "New request".to_owned() } else { format!("New {promise}") }
}

/// A draft that changes an existing request.
pub(crate) fn change_of(promise: &str) -> String {
    if promise.is_empty() { "Change".to_owned() } else { format!("Change of {promise}") }
}

/// The name of the button that shares a draft, or stops sharing it.
pub(crate) fn share(shared: bool, name: &str) -> String {
    if shared { format!("Stop sharing the draft {name}") } else { format!("Share the draft {name}") }
}

/// The name of the button that discards a draft.
pub(crate) fn discard(name: &str) -> String {
    format!("Discard the draft {name}")
}

// In the form.
pub(crate) const DRAFT_SAVED: &str = "Draft saved";
pub(crate) const DRAFT_NOT_SAVED: &str = "The draft can't be saved right now. What you entered is still here.";
pub(crate) const CANT_CHECK: &str = "Can't check: the portal doesn't respond. What you entered is still here.";
pub(crate) const OTHER_SESSION: &str =
    "Can't check: you signed in again since you opened this page. Select Check to open it again, with what you entered.";
pub(crate) const SIGNED_OUT: &str = "Can't check: you're signed out. Select Check to sign in, with what you entered.";
pub(crate) const TRY_AGAIN: &str = "Try again";
pub(crate) const SIGNED_IN_AGAIN: &str = "Your session had ended";
pub(crate) const NOTHING_WAS_SUBMITTED: &str = "Nothing was submitted. What you entered is below.";
pub(crate) const ADJUSTED: &str = "Adjusted to policies";

/// The title of a draft that someone else shared.
pub(crate) fn shared_by(person: &str) -> String {
    format!("Draft by {person}")
}

/// What a shared draft is.
pub(crate) const SHARED_COPY: &str = "You see what was entered at that time. Your changes are saved as your own draft.";

// Two people edit the same request.
pub(crate) const CHOOSE_VALUES: &str = "Choose which values to keep. The change is saved when you submit.";
/// Before the time.
pub(crate) const LAST_CHANGE: &str = "Last change:";
pub(crate) const KEEP_THEIRS: &str = "Keep theirs";
pub(crate) const KEEP_MINE: &str = "Keep mine";
/// In place of a value that was not set.
pub(crate) const NOT_SET: &str = "default";
pub(crate) const APPLY_CHOICES: &str = "Apply choices";

pub(crate) const CHANGES_REQUESTED: &str = "Changes requested";
pub(crate) const CHANGED_BY_YOU: &str = "You changed this request after you opened this form";

/// Who changed a request while the user edited it.
pub(crate) fn changed_by(person: &str) -> String {
    if person.is_empty() { "Someone else changed this request".to_owned() } else { format!("{person} changed this request") }
}

/// The value that the user saw first.
pub(crate) fn was(value: &str) -> String {
    format!("was {value}")
}
