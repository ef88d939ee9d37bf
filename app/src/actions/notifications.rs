//! The user's notifications and notification settings.

use crate::view::Selection;
use leptos::prelude::*;

use super::account::remember_zone;
use super::{Acting, Answer, Fields, Form, Posted};
use crate::routes::{self, page, safe_redirect};

/// Marks notifications as read: those with these ids, or all that arrived up to `until`.
#[server(prefix = "/do", endpoint = "notifications/read", protocol = Form, custom = Posted)]
pub async fn mark_read(id: Vec<String>, all: bool, until: String, back: String) -> Answer {
    let acting = Acting::now();
    let back = if back.is_empty() { page::NOTIFICATIONS } else { safe_redirect(&back) };
    let done = async { acting.person()?.mark_read(&Selection::of(all, id), &until).await }.await;
    acting.answer(done.map(|()| back.to_owned()), back).await
}

/// Saves the notification settings. Their time zone is also that of pages in browsers without JavaScript.
#[server(prefix = "/do", endpoint = "notifications/settings", protocol = Form, custom = Posted)]
pub async fn save_notification_settings(form: Fields) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.save_notice_rules(&form.0).await }.await;
    if done.is_ok()
        && let Some((_, zone)) = form.0.iter().find(|(name, _)| name == "zone")
    {
        remember_zone(zone.trim());
    }
    acting.answer_on(page::NOTIFICATION_SETTINGS, done.map(|()| routes::settings_saved()), form).await
}
