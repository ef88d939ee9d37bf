//! The terms of a request in its form, and what moves when the form is for another version.

use leptos::prelude::*;

use super::changelog::changelog;
use crate::texts::terms as texts;
use crate::ui::{Banner, Icon, Moment, Shape};
use crate::view::{RequestForm, VersionMove};

/// Version, upgrades, deletion, expiry and pause.
pub(super) fn terms(form: &RequestForm) -> impl IntoView + use<> {
    let terms = &form.terms;
    let versions = terms.versions.iter().map(|option| {
        view! { <option value=option.value.clone() selected=option.is_chosen>{texts::version_option(option)}</option> }
    });
    let versions = versions.collect_view();
    let upgrades = texts::UPGRADE_POLICIES.map(|(policy, word, label)| {
        view! { <option value=word selected=policy == terms.upgrade>{label}</option> }
    });
    let deletion = texts::DELETION_POLICIES.map(|(policy, word, label)| {
        view! { <option value=word selected=policy == terms.deletion_policy>{label}</option> }
    });
    let chosen = terms.versions.iter().find(|option| option.is_chosen).map(texts::version_option);
    let paused = terms.paused.map(|paused| {
        view! { <div class="field"><div><label class="check"><input type="checkbox" class="tick" name="/terms/paused" value="true" checked=paused aria-describedby="paused_hint"/><span>{texts::PAUSED}</span></label></div><p class="hint" id="paused_hint">{texts::PAUSED_HINT}</p></div> }
    });
    view! {
        <fieldset class="group" id="terms"><legend>{texts::TERMS}</legend>
            <details class="advanced" open=terms.is_changed><summary><Icon name="chevron-right"/>{texts::ALL_TERMS}" "<span class="subtle small">{chosen}</span></summary><div>
                <div class="field"><label for="terms-version">{texts::VERSION}</label><div class="control"><select class="input w-m" id="terms-version" name="/terms/version">{versions}</select></div></div>
                <div class="field"><label for="terms-upgrade">{texts::UPGRADES}</label><p class="hint" id="upgrade_hint">{texts::UPGRADES_HINT}</p><div class="control"><select class="input w-m" id="terms-upgrade" name="/terms/upgrade" aria-describedby="upgrade_hint">{upgrades.into_iter().collect_view()}</select></div></div>
                <div class="field"><label for="terms-deletion">{texts::DELETION}</label><div class="control"><select class="input w-m" id="terms-deletion" name="/terms/deletionPolicy">{deletion.into_iter().collect_view()}</select></div></div>
                <div class="field"><label for="terms-expires">{texts::EXPIRES}</label><p class="hint" id="expires_hint">{texts::EXPIRES_HINT}</p><div class="control"><input class="input w-m" id="terms-expires" name="/terms/expiresAt" type="date" value=terms.expires.clone() aria-describedby="expires_hint"/></div></div>
                {paused}
            </div></details>
        </fieldset>
    }
}

/// What moves to another version: from which one, which fields need input, and which values are lost.
pub(super) fn moved(moved: &VersionMove, now: &str) -> impl IntoView + use<> {
    let title = if moved.restored.is_some() { texts::ROLL_BACK.to_owned() } else { texts::moves(&moved.from, &moved.to) };
    let shape = if moved.lost.is_empty() && moved.needs.is_empty() { Shape::Unknown } else { Shape::Degraded };
    let needs =
        moved.needs.iter().map(|need| view! { <li><a href=format!("#{}", need.target)>{need.message.clone()}</a></li> }).collect_view();
    let lost = moved.lost.iter().map(|(label, value)| view! { <li><b>{label.clone()}</b>": "{value.clone()}</li> }).collect_view();
    let restored = moved.restored.clone().map(|restored| {
        let now = now.to_owned();
        view! {
            <p>{texts::RESTORED}" "<Moment at=restored.at now=now/>"."</p>
            {restored.is_unpublished.then(|| view! { <p>{texts::VERSION_UNPUBLISHED}</p> })}
            {(moved.from != moved.to).then(|| view! { <p>{texts::moves(&moved.from, &moved.to)}"."</p> })}
            {(!restored.secrets.is_empty()).then(|| view! { <p>{texts::secrets_stay(&restored.secrets)}</p> })}
        }
    });
    let calm = (moved.needs.is_empty() && moved.lost.is_empty() && moved.restored.is_none() && !moved.is_breaking)
        .then(|| view! { <p>{texts::NOTHING_LOST}</p> });
    let (count, is_breaking, loses) = (moved.needs.len(), moved.is_breaking && moved.restored.is_none(), !moved.lost.is_empty());
    let described = changelog(&moved.changelog);
    view! {
        <Banner shape=shape title=title>
            {restored}{calm}
            {is_breaking.then(|| view! { <p>{texts::BREAKING}</p> })}
            {described}
            {(count > 0).then(|| view! { <p>{texts::needs_input(count)}</p><ul class="prose">{needs}</ul> })}
            {loses.then(|| view! { <p>{texts::NOT_IN_THIS_VERSION}</p><ul class="prose">{lost}</ul> })}
        </Banner>
    }
}
