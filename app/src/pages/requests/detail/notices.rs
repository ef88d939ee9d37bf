//! When the request expires, a newer version of its promise, and that the promise is deprecated.

use leptos::prelude::*;
use promise::date::exact;

use super::super::changelog::changelog;
use crate::routes;
use crate::texts::{request, terms as texts, versions};
use crate::ui::{Banner, LinkButton, Shape, day};
use crate::view::{DeprecationNotice, ExpiryNotice, RequestPage, UpgradeOffer};

/// The newest version, with what changes and the way to it.
pub(super) fn upgrade(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let UpgradeOffer { version, is_breaking, changes, changelog: entries } = page.upgrade.clone()?;
    let row = &page.row;
    let form = routes::request_edit_from(&row.workspace, &row.namespace, &row.name, &routes::start_of_version(&version));
    let act = match &page.allowed.edit {
        Ok(()) => view! { <p class="row"><LinkButton href=form label=texts::upgrade_to(&version) icon="arrow-up"/></p> }.into_any(),
        Err(reason) => view! { <p class="why">{request::disabled(reason)}</p> }.into_any(),
    };
    let lines = changes.iter().map(|change| view! { <li>{versions::change(change)}</li> }).collect_view();
    let lines = (!changes.is_empty())
        .then(|| view! { <details class="why"><summary>{texts::WHAT_CHANGES}</summary><ul class="prose">{lines}</ul></details> });
    let described = changelog(&entries);
    Some(view! {
        <Banner shape=Shape::Unknown title=texts::available(&version)>
            {is_breaking.then(|| view! { <p>{texts::BREAKING}</p> })}{described}{lines}{act}
        </Banner>
    })
}

/// When the request expires, and the way to renew it.
pub(super) fn expiry(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let ExpiryNotice { at, ends, has_expired } = page.expiry.clone()?;
    let row = &page.row;
    let form = routes::request_edit_from(&row.workspace, &row.namespace, &row.name, routes::RENEWAL_START);
    let (shape, title, text, time) = match has_expired {
        true => (Shape::Degraded, texts::HAS_EXPIRED, texts::RENEW_BEFORE, ends),
        false => (Shape::Unknown, texts::EXPIRES_SOON, texts::EXPIRES_AT, at),
    };
    let act = match &page.allowed.edit {
        Ok(()) => view! { <p class="row"><LinkButton href=form label=texts::RENEW icon="refresh-cw"/></p> }.into_any(),
        Err(reason) => view! { <p class="why">{request::disabled(reason)}</p> }.into_any(),
    };
    Some(
        view! { <Banner shape=shape title=title><p>{text}" "<time datetime=time.clone() title=exact(&time)>{day(&time)}</time>"."</p>{act}</Banner> },
    )
}

/// Until when the promise can be used, and what replaces it.
pub(super) fn deprecation(page: &RequestPage) -> Option<impl IntoView + use<>> {
    let DeprecationNotice { is_retired, message, replacement, remove_after } = page.deprecation.clone()?;
    let replacement = replacement.map(|(title, href)| view! { <p>{texts::USE_INSTEAD}" "<a href=href>{title}</a></p> });
    Some(view! {
        <Banner shape=Shape::Degraded title=texts::deprecated(is_retired, remove_after.as_deref())>
            {(!message.is_empty()).then(|| view! { <p>{message}</p> })}{replacement}
        </Banner>
    })
}
