//! `/notifications/settings`: which notifications a user gets, where and when.

use crate::view::NoticeRules;
use leptos::prelude::*;
use promise::Result;
use promise::notify::{MailRule, Rhythm, Sort};

use super::input::{conflict, done, input, problems};
use crate::actions::{self, SaveNotificationSettings};
use crate::backend::{Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::routes::{self, page};
use crate::texts::approvals::error_title;
use crate::texts::notifications as texts;
use crate::ui::{Crumb, Crumbs, HiddenToken, PageHead, Shape, Status, SubmitButton, Weight};

/// The page; a rejected form keeps what was typed. `outcome` is what the form just did.
pub async fn settings(visit: &Visit, refusal: Option<Refusal>, outcome: &str) -> Result<Page> {
    let backend = visit.backend()?;
    let rules = backend.notice_rules(refusal.as_ref().map(|refusal| refusal.fields.as_slice())).await?;
    let token = backend.viewer().form_token;
    let wrong = !rules.problems.is_empty();
    let about = About {
        title: if wrong { error_title(texts::NOTIFICATION_SETTINGS) } else { texts::NOTIFICATION_SETTINGS.to_owned() },
        section: page::NOTIFICATIONS.to_owned(),
        status: if wrong { 422 } else { 200 },
        ..About::default()
    };
    let saved = (outcome == routes::SAVED).then_some(texts::SETTINGS_SAVED);
    Ok(framed(visit, about, move || {
        view! {
            <Crumbs steps=vec![Crumb::link(texts::NOTIFICATIONS, page::NOTIFICATIONS.to_owned()), Crumb::here(texts::SETTINGS)]/>
            {conflict(refusal.as_ref())}
            {done(saved, refusal.as_ref())}
            {problems(&rules.problems)}
            <PageHead title=texts::NOTIFICATION_SETTINGS meta=view! { <span>{texts::SETTINGS_INTRO}</span> }.into_any()/>
            <div class="split">
                <form method="post" action={actions::path::<SaveNotificationSettings>()}>
                    <HiddenToken token=token.clone()/>
                    {ways(&rules)}
                    {quiet(&rules)}
                    {collected(&rules)}
                    <div class="submit-bar"><SubmitButton label=texts::SAVE_SETTINGS weight=Weight::Primary/></div>
                </form>
                {reach(&rules)}
            </div>
        }
    }))
}

/// A row for each kind of event, a column for each channel.
fn ways(rules: &NoticeRules) -> impl IntoView + use<> {
    let chat = !rules.channels.is_empty();
    let rows = Sort::ALL.into_iter().map(|sort| {
        let rule = rules.settings.rule(sort);
        let name = |part: &str| format!("{}.{part}", sort.word());
        let portal = if sort.is_always_shown() {
            view! { <span class="small muted">{texts::PORTAL_ALWAYS}</span> }.into_any()
        } else {
            view! { <label class="tick-cell"><input class="tick" type="checkbox" name=name("portal") id=name("portal") checked=rule.portal aria-label=texts::in_portal(sort.title())/></label> }.into_any()
        };
        let mails = MailRule::ALL.into_iter().map(|mail| view! { <option value=mail.word() selected=mail == rule.mail>{mail.title()}</option> });
        let channels = rules.channels.iter().map(|channel| view! { <option value=channel.name.clone() selected=channel.name == rule.webhook>{channel.title.clone()}</option> });
        let channels = channels.collect_view();
        view! {
            <tr>
                <th scope="row"><b>{sort.title()}</b><span class="under">{sort.hint()}</span></th>
                <td data-label=texts::PORTAL>{portal}</td>
                <td data-label=texts::EMAIL><select class="input min-w-34" name=name("mail") id=name("mail") aria-label=texts::by_email(sort.title())>{mails.collect_view()}</select></td>
                {chat.then(|| view! { <td data-label=texts::CHAT><select class="input min-w-34" name=name("webhook") id=name("webhook") aria-label=texts::by_chat(sort.title())><option value="">{texts::CHAT_NONE}</option>{channels}</select></td> })}
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! { <div class="card"><table class="table" aria-label=texts::NOTIFICATION_SETTINGS><thead><tr><th scope="col">{texts::COLUMN_EVENT}</th><th scope="col">{texts::PORTAL}</th><th scope="col">{texts::EMAIL}</th>{chat.then(|| view! { <th scope="col">{texts::CHAT}</th> })}</tr></thead><tbody>{rows}</tbody></table></div> }
}

fn quiet(rules: &NoticeRules) -> impl IntoView + use<> {
    let (on, weekends) = rules.settings.quiet.map_or((false, false), |quiet| (true, quiet.weekends));
    view! {
        <fieldset class="group mt-8"><legend>{texts::QUIET_HOURS}</legend>
            <p class="hint">{texts::QUIET_HOURS_HINT}</p>
            <label class="check flex my-3"><input class="tick" type="checkbox" name="quiet" checked=on/>{texts::USE_QUIET_HOURS}</label>
            {text(rules, "quiet.from", texts::QUIET_FROM, "time")}
            {text(rules, "quiet.to", texts::QUIET_TO, "time")}
            <label class="check flex my-3"><input class="tick" type="checkbox" name="quiet.weekends" checked=weekends/>{texts::QUIET_WEEKENDS}</label>
            {text(rules, "zone", texts::TIME_ZONE, "text")}
            <p class="hint mt-1">{texts::TIME_ZONE_HINT}</p>
        </fieldset>
    }
}

fn collected(rules: &NoticeRules) -> impl IntoView + use<> {
    let rhythm = rules.settings.digest.rhythm;
    view! {
        <fieldset class="group"><legend>{texts::DIGEST}</legend>
            <p class="hint">{texts::DIGEST_HINT}</p>
            <div class="field"><label for="digest">{texts::DIGEST_FREQUENCY}</label><div class="control"><select class="input w-m" id="digest" name="digest"><option value="daily" selected=rhythm == Rhythm::Daily>{texts::DIGEST_DAILY}</option><option value="weekly" selected=rhythm == Rhythm::Weekly>{texts::DIGEST_WEEKLY}</option></select></div></div>
            {text(rules, "digest.at", texts::DIGEST_TIME, "time")}
        </fieldset>
    }
}

fn text(rules: &NoticeRules, name: &'static str, label: &'static str, kind: &'static str) -> impl IntoView + use<> {
    input(&rules.problems, &rules.texts, name, label, kind)
}

fn reach(rules: &NoticeRules) -> impl IntoView + use<> {
    let mail = match &rules.mail {
        Ok(address) => {
            view! { <p class="small"><Status shape=Shape::Ready word=texts::EMAIL/>" "<span class="break">{address.clone()}</span></p> }
                .into_any()
        }
        Err(why) => {
            view! { <p class="small"><Status shape=Shape::Ahead word=texts::EMAIL/>" "<span class="muted">{texts::no_mail(*why)}</span></p> }
                .into_any()
        }
    };
    let channels = rules
        .channels
        .iter()
        .map(|channel| view! { <p class="small"><Status shape=Shape::Ready word=texts::CHAT/>" "{channel.title.clone()}</p> });
    view! {
        <aside class="rail" aria-label=texts::WHERE_YOU_GET_THEM>
            <section><h2>{texts::WHERE_YOU_GET_THEM}</h2>{mail}{channels.collect_view()}</section>
            <section><h2>{texts::IN_A_MESSAGE}</h2><p class="small muted">{texts::IN_A_MESSAGE_TEXT}</p></section>
        </aside>
    }
}
