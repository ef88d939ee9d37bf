//! Addresses of pages that say what a form on them just did.

use super::{page, with_query};

/// Value of the query parameter `done`: something was saved.
pub const SAVED: &str = "saved";
/// Value of the query parameter `done`: a delegation was ended.
pub const ENDED: &str = "ended";

/// The notification settings, after they were saved.
pub fn settings_saved() -> String {
    with_query(page::NOTIFICATION_SETTINGS, &[("done", SAVED)])
}

/// The delegate of the user, after it was set.
pub fn delegate_saved() -> String {
    with_query(page::STAND_IN, &[("done", SAVED)])
}

/// The page of the delegate, after the delegation was ended.
pub fn delegation_ended() -> String {
    with_query(page::STAND_IN, &[("done", ENDED)])
}
