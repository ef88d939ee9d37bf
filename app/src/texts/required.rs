//! What is missing before something can be requested, and what it is needed for.

pub(crate) const REQUIRED_FIRST: &str = "Required first";
pub(crate) const ASK_PLATFORM: &str = "The platform team can provide it.";
pub(crate) const NOT_OFFERED: &str = "It isn't offered in this workspace. Ask the platform team.";
pub(crate) const IS_KEPT: &str = "What you entered here is saved as a draft.";

pub(crate) fn request(title: &str) -> String {
    format!("Request {title}")
}

pub(crate) fn view(title: &str) -> String {
    format!("View {title}")
}

/// Title of the message on the form of what is required.
pub(crate) fn needed_for(name: &str) -> String {
    format!("Required for {name}")
}

/// Says that this form leads back to what it is needed for.
pub(crate) fn links_back(name: &str) -> String {
    format!("After you submit this request, its page links back to {name}.")
}

pub(crate) fn back_to(name: &str) -> String {
    format!("Back to {name}")
}

/// Text on the page of the request, for a form.
pub(crate) fn continue_when_ready(name: &str) -> String {
    format!("You can submit {name} as soon as this request is ready.")
}

pub(crate) fn can_continue(name: &str) -> String {
    format!("This request is ready. You can submit {name} now.")
}

/// Text on the page of the request, for another request that waits for it.
pub(crate) fn continues_itself(name: &str) -> String {
    format!("{name} continues automatically when this request is ready.")
}

pub(crate) fn continues_now(name: &str) -> String {
    format!("This request is ready, so {name} continues automatically.")
}

pub(crate) fn continue_with(name: &str) -> String {
    format!("Continue with {name}")
}
