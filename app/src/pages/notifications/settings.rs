//! `/notifications/settings`: by which ways a person is told what, and when not.

use leptos::prelude::*;
use promise::Result;
use promise::notify::{MailRule, Rhythm, Sort};
use promise::view::NoticeRules;

use super::input::{input, problems};
use crate::actions::{self, SaveNotificationSettings};
use crate::backend::{Refusal, Visit};
use crate::document::{About, Page, framed};
use crate::routes::page;
use crate::ui::{Crumb, Crumbs, HiddenToken, PageHead, Shape, Status, SubmitButton, Weight};

/// The page, with what was typed and refused.
pub async fn settings(visit: &Visit, refusal: Option<Refusal>) -> Result<Page> {
    let backend = visit.backend()?;
    let rules = backend.notice_rules(refusal.as_ref().map(|refusal| refusal.fields.as_slice())).await?;
    let token = backend.viewer().form_token;
    let wrong = !rules.problems.is_empty();
    let about = About {
        title: format!("{}Rules for notifications", if wrong { "Error: " } else { "" }),
        section: page::NOTIFICATIONS.to_owned(),
        status: if wrong { 422 } else { 200 },
        ..About::default()
    };
    Ok(framed(visit, about, move || {
        view! {
            <Crumbs steps=vec![Crumb::link("Notifications", page::NOTIFICATIONS.to_owned()), Crumb::here("Rules")]/>
            {problems(&rules.problems)}
            <PageHead title="Rules for notifications" meta=view! { <span>"By which ways you are told what, and when not."</span> }.into_any()/>
            <div class="split">
                <form method="post" action={actions::path::<SaveNotificationSettings>()}>
                    <HiddenToken token=token.clone()/>
                    {ways(&rules)}
                    {quiet(&rules)}
                    {collected(&rules)}
                    <div class="submit-bar"><SubmitButton label="Save rules" weight=Weight::Primary/></div>
                </form>
                {reach(&rules)}
            </div>
        }
    }))
}

/// A row for each sort of event, a column for each way.
fn ways(rules: &NoticeRules) -> impl IntoView + use<> {
    let chat = !rules.channels.is_empty();
    let rows = Sort::ALL.into_iter().map(|sort| {
        let rule = rules.settings.rule(sort);
        let name = |part: &str| format!("{}.{part}", sort.word());
        let portal = if sort.is_always_shown() {
            view! { <span class="small muted">"always"</span> }.into_any()
        } else {
            view! { <label class="tick-cell"><input class="tick" type="checkbox" name=name("portal") id=name("portal") checked=rule.portal aria-label=format!("In the portal: {}", sort.title())/></label> }.into_any()
        };
        let mails = MailRule::ALL.into_iter().map(|mail| view! { <option value=mail.word() selected=mail == rule.mail>{mail.title()}</option> });
        let channels = rules.channels.iter().map(|channel| view! { <option value=channel.name.clone() selected=channel.name == rule.webhook>{channel.title.clone()}</option> });
        let channels = channels.collect_view();
        view! {
            <tr>
                <th scope="row"><b>{sort.title()}</b><span class="under">{sort.hint()}</span></th>
                <td data-label="Portal">{portal}</td>
                <td data-label="Mail"><select class="input" name=name("mail") id=name("mail") aria-label=format!("By mail: {}", sort.title())>{mails.collect_view()}</select></td>
                {chat.then(|| view! { <td data-label="Chat"><select class="input" name=name("webhook") id=name("webhook") aria-label=format!("By chat: {}", sort.title())><option value="">"no"</option>{channels}</select></td> })}
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! { <div class="card"><table class="table"><thead><tr><th scope="col">"When"</th><th scope="col">"Portal"</th><th scope="col">"Mail"</th>{chat.then(|| view! { <th scope="col">"Chat"</th> })}</tr></thead><tbody>{rows}</tbody></table></div> }
}

fn quiet(rules: &NoticeRules) -> impl IntoView + use<> {
    let (on, weekends) = rules.settings.quiet.map_or((false, false), |quiet| (true, quiet.weekends));
    view! {
        <fieldset class="group"><legend>"Quiet hours"</legend>
            <p class="hint">"Nothing is sent then but what is asked of you and ends within 24 hours, or before they are over. The portal shows everything at once."</p>
            <label class="check"><input class="tick" type="checkbox" name="quiet" checked=on/>"Keep quiet hours"</label>
            {text(rules, "quiet.from", "From", "time")}
            {text(rules, "quiet.to", "To", "time")}
            <label class="check"><input class="tick" type="checkbox" name="quiet.weekends" checked=weekends/>"Weekends too"</label>
            {text(rules, "zone", "Time zone, such as Europe/Berlin", "text")}
        </fieldset>
    }
}

fn collected(rules: &NoticeRules) -> impl IntoView + use<> {
    let rhythm = rules.settings.digest.rhythm;
    view! {
        <fieldset class="group"><legend>"Collected mails"</legend>
            <p class="hint">"What you want collected comes as one mail; what is asked of you and ends before that comes at once."</p>
            <div class="field"><label for="digest">"How often"</label><div class="control"><select class="input w-m" id="digest" name="digest"><option value="daily" selected=rhythm == Rhythm::Daily>"every day"</option><option value="weekly" selected=rhythm == Rhythm::Weekly>"on Mondays"</option></select></div></div>
            {text(rules, "digest.at", "At", "time")}
        </fieldset>
    }
}

fn text(rules: &NoticeRules, name: &'static str, label: &'static str, kind: &'static str) -> impl IntoView + use<> {
    input(&rules.problems, &rules.texts, name, label, kind)
}

fn reach(rules: &NoticeRules) -> impl IntoView + use<> {
    let mail = match &rules.mail {
        Ok(address) => {
            view! { <p class="small"><Status shape=Shape::Ready word="Mail"/>" "<span class="break">{address.clone()}</span></p> }
                .into_any()
        }
        Err(why) => {
            view! { <p class="small"><Status shape=Shape::Ahead word="Mail"/>" "<span class="muted">{why.clone()}</span></p> }.into_any()
        }
    };
    let channels = rules
        .channels
        .iter()
        .map(|channel| view! { <p class="small"><Status shape=Shape::Ready word="Chat"/>" "{channel.title.clone()}</p> });
    view! {
        <aside class="rail" aria-label="Where it reaches you">
            <section><h2>"Where it reaches you"</h2>{mail}{channels.collect_view()}</section>
            <section><h2>"What a message holds"</h2><p class="small muted">"The sentence, why you get it, and a link. Never a secret, a value or a right: the link only finds the page."</p></section>
        </aside>
    }
}
