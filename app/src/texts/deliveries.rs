//! Texts of deliveries.

use promise::wording::counted;

pub(crate) const DELIVERIES: &str = "Deliveries";
pub(crate) const FAILED: &str = "Failed";
pub(crate) const PENDING: &str = "Pending";
pub(crate) const SENT: &str = "Sent";
pub(crate) const RETRY: &str = "Retry";
pub(crate) const RETRY_SELECTED: &str = "Retry selected";
pub(crate) const RETRY_ALL: &str = "Retry all";
pub(crate) const SELECT: &str = "Select";
pub(crate) const NO_MESSAGES: &str = "No messages";
pub(crate) const NO_MESSAGES_TEXT: &str = "Emails and webhook calls appear here.";
pub(crate) const SOME_FAILED: &str = "Some messages failed after several attempts. Fix the cause, then retry them.";
pub(crate) const NONE_FAILED: &str = "No message failed.";

/// Messages that were not delivered yet, although the portal tried.
pub(crate) fn retried(count: u64) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb} being retried after a failed attempt.", counted(count, "message"))
}

pub(crate) const RECIPIENT: &str = "Recipient";
pub(crate) const EVENT: &str = "Event";
pub(crate) const ATTEMPTS: &str = "Attempts";
pub(crate) const LAST_ERROR: &str = "Last error";
pub(crate) const CREATED: &str = "Created";
pub(crate) const MESSAGE_ID: &str = "Message ID";

pub(crate) fn select(recipient: &str, id: &str) -> String {
    format!("Select: {recipient}, message {id}")
}
