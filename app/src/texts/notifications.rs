//! Texts of notifications and their settings.

use promise::wording::counted;

use crate::view::NoMailReason;

pub(crate) const NOTIFICATIONS: &str = "Notifications";
pub(crate) const SETTINGS: &str = "Settings";
pub(crate) const DELEGATE: &str = "Delegate";
pub(crate) const NO_UNREAD: &str = "No unread notifications";
pub(crate) const SHOW_UNREAD: &str = "Unread";
pub(crate) const SHOW_ALL: &str = "All";
pub(crate) const MARK_ALL_AS_READ: &str = "Mark all as read";
pub(crate) const MARK_SELECTED_AS_READ: &str = "Mark selected as read";
pub(crate) const MARK_AS_READ: &str = "Mark as read";
pub(crate) const TODAY: &str = "Today";
/// After the title of an unread notification, for screen readers.
pub(crate) const IS_UNREAD: &str = ", unread";
pub(crate) const ALL_READ: &str = "You're all caught up";
pub(crate) const ALL_READ_TEXT: &str = "You've read every notification.";
pub(crate) const NONE_YET: &str = "No notifications yet";
pub(crate) const NONE_YET_TEXT: &str = "Approvals that wait for you and changes to your requests appear here.";
pub(crate) const VIEW_ALL: &str = "View all";
/// Before the workspaces that the list can be narrowed to: each includes its child workspaces.
pub(crate) const WORKSPACE_AND_BELOW: &str = "Workspace and child workspaces";
pub(crate) const NONE_HERE: &str = "No notifications in this workspace or its child workspaces";

pub(crate) fn unread(count: u64) -> String {
    format!("{count} unread")
}

pub(crate) fn kept(total: u64, days: u32) -> String {
    format!("{}. Notifications are deleted after {}.", counted(total, "notification"), counted(days.into(), "day"))
}

/// Why a user was notified, with the workspace that the reason doesn't name.
pub(crate) fn why_in(why: &str, workspace: &str) -> String {
    format!("{why} {workspace}")
}

pub(crate) fn select(title: &str) -> String {
    format!("Select: {title}")
}

pub(crate) fn mark_as_read(title: &str) -> String {
    format!("Mark as read: {title}")
}

// Pages with forms about notifications.

pub(crate) const NOT_SAVED: &str = "Your changes weren't saved";
pub(crate) const SETTINGS_SAVED: &str = "Notification settings saved";
pub(crate) const DELEGATE_SAVED: &str = "Delegate saved";
pub(crate) const DELEGATION_ENDED: &str = "Delegation ended";

// The page of settings.

pub(crate) const NOTIFICATION_SETTINGS: &str = "Notification settings";
pub(crate) const SETTINGS_INTRO: &str = "Choose which notifications you get, where and when.";
pub(crate) const SAVE_SETTINGS: &str = "Save settings";
pub(crate) const COLUMN_EVENT: &str = "Event";
pub(crate) const PORTAL: &str = "Portal";
pub(crate) const EMAIL: &str = "Email";
pub(crate) const CHAT: &str = "Chat";
pub(crate) const PORTAL_ALWAYS: &str = "Always";
pub(crate) const CHAT_NONE: &str = "Off";
pub(crate) const QUIET_HOURS: &str = "Quiet hours";
pub(crate) const QUIET_HOURS_HINT: &str = "During quiet hours we only send requests that need your answer within 24 hours or before the quiet hours end. The portal shows \
     everything immediately.";
pub(crate) const USE_QUIET_HOURS: &str = "Use quiet hours";
pub(crate) const QUIET_FROM: &str = "From";
pub(crate) const QUIET_TO: &str = "To";
pub(crate) const QUIET_WEEKENDS: &str = "Include weekends";
pub(crate) const TIME_ZONE: &str = "Time zone, such as Europe/Berlin";
pub(crate) const TIME_ZONE_HINT: &str =
    "For quiet hours and digests. Pages show times in the time zone of your browser; without JavaScript, they use this one.";
pub(crate) const DIGEST: &str = "Digest";
pub(crate) const DIGEST_HINT: &str =
    "The digest collects notifications in one email. Requests that need your answer before the next digest are sent immediately.";
pub(crate) const DIGEST_FREQUENCY: &str = "Frequency";
pub(crate) const DIGEST_DAILY: &str = "Daily";
pub(crate) const DIGEST_WEEKLY: &str = "Weekly, on Mondays";
pub(crate) const DIGEST_TIME: &str = "Time";
pub(crate) const WHERE_YOU_GET_THEM: &str = "Where you get notified";
pub(crate) const IN_A_MESSAGE: &str = "What messages contain";
pub(crate) const IN_A_MESSAGE_TEXT: &str =
    "What happened, why you're notified, and a link. Messages never contain secrets or values, and the link alone doesn't grant access.";

/// Why no mail is sent.
pub(crate) fn no_mail(reason: NoMailReason) -> &'static str {
    match reason {
        NoMailReason::NoMailServer => "No mail server is configured.",
        NoMailReason::AddressUnknown => "Your email address is unknown: neither your sign-in nor the operator provides one.",
    }
}

pub(crate) fn in_portal(event: &str) -> String {
    format!("In the portal: {event}")
}

pub(crate) fn by_email(event: &str) -> String {
    format!("By email: {event}")
}

pub(crate) fn by_chat(event: &str) -> String {
    format!("By chat: {event}")
}

// The page of the delegate.

pub(crate) const DELEGATE_INTRO: &str = "While you're away, a delegate is notified of requests that need your approval.";
pub(crate) const ABOUT_DELEGATES: &str = "About delegates";
pub(crate) const WHAT_A_DELEGATE_DOES: &str = "What a delegate does";
pub(crate) const WHAT_A_DELEGATE_DOES_TEXT: &str = "During these days, your delegate is notified, along with you, of every approval that's requested from you, and finds it under Approvals.";
pub(crate) const WHAT_A_DELEGATE_NEEDS: &str = "What a delegate needs";
pub(crate) const WHAT_A_DELEGATE_NEEDS_TEXT: &str = "Delegates don't get your permissions. To decide, they need a permission of their own on the policy or promise that requires the \
     approval. Its owner can grant it. The portal can't look up other people's permissions: this page shows what your delegate was \
     missing when they last opened Approvals.";
/// Before the name of a verb.
pub(crate) const REQUIRED_VERB: &str = "Required verb:";
pub(crate) const CAN_DECIDE_FOR_THEM: &str = "You can decide on everything they're asked to approve.";
pub(crate) const CANT_DECIDE_FOR_THEM: &str = "You can't decide on the policies and promises below. Ask their owners for permission.";
pub(crate) const ACTIVE: &str = "Active";
pub(crate) const SCHEDULED: &str = "Scheduled";
pub(crate) const PERMISSIONS_UNKNOWN: &str = "Their permissions aren't known until they open Approvals.";
pub(crate) const CAN_DECIDE_FOR_YOU: &str = "Can decide on everything you're asked to approve";
pub(crate) const CANT_DECIDE_FOR_YOU: &str = "Can't decide on the following";
pub(crate) const END_DELEGATION: &str = "End delegation";
pub(crate) const SET_DELEGATE: &str = "Set delegate";
pub(crate) const CHANGE_DELEGATE: &str = "Change delegate";
pub(crate) const DELEGATE_AND_DAYS: &str = "Delegate and days";
pub(crate) const USERNAME: &str = "Username";
pub(crate) const FIRST_DAY: &str = "First day";
pub(crate) const LAST_DAY: &str = "Last day";

pub(crate) fn you_are_delegate(person: &str, until: &str) -> String {
    format!("You're a delegate for {person} until {until}")
}

pub(crate) fn you_will_be_delegate(person: &str, until: &str) -> String {
    format!("You'll be a delegate for {person} until {until}")
}

pub(crate) fn is_your_delegate(delegate: &str) -> String {
    format!("{delegate} is your delegate")
}

pub(crate) fn from_to(from: &str, to: &str) -> String {
    format!("From {from} to {to}")
}

pub(crate) fn days_in_zone(zone: &str) -> String {
    format!("Days start and end in your time zone, {zone}. You can change it in your notification settings.")
}
