//! Texts of deliveries.

pub(crate) const DELIVERIES: &str = "Deliveries";
pub(crate) const FAILED: &str = "Failed";
pub(crate) const PENDING: &str = "Pending";
pub(crate) const SENT: &str = "Sent";
pub(crate) const RETRY: &str = "Retry";
pub(crate) const RETRY_SELECTED: &str = "Retry selected";
pub(crate) const RETRY_ALL: &str = "Retry all";
pub(crate) const SELECT: &str = "Select";
pub(crate) const NO_MESSAGES: &str = "No messages";
pub(crate) const NO_MESSAGES_TEXT: &str = "Mails and webhook calls appear here.";
pub(crate) const SOME_FAILED: &str = "Some messages failed after several attempts. Fix the cause, then retry them.";
pub(crate) const NONE_FAILED: &str = "No message failed.";

pub(crate) const RECIPIENT: &str = "Recipient";
pub(crate) const EVENT: &str = "Event";
pub(crate) const ATTEMPTS: &str = "Attempts";
pub(crate) const LAST_ERROR: &str = "Last error";
pub(crate) const CREATED: &str = "Created";
pub(crate) const MESSAGE_ID: &str = "Message ID";

pub(crate) fn select(recipient: &str, id: &str) -> String {
    format!("Select: {recipient}, message {id}")
}
