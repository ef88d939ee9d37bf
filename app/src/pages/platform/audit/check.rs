//! How far the log is verified, and the buttons that verify it.

use crate::view::AuditCheckStatus;
use leptos::prelude::*;
use promise::audit::AuditBreak;

use crate::actions::{self, VerifyAuditLog};
use crate::routes;
use crate::texts::audit as texts;
use crate::ui::{Banner, HiddenToken, Moment, Shape, Status};

/// The status with its buttons.
pub(super) fn integrity(check: Option<&AuditCheckStatus>, token: &str, now: &str) -> impl IntoView + use<> {
    let broken = check.and_then(|check| Some((check, check.broken.as_ref()?)));
    let content = match (check, broken) {
        (_, Some((check, at))) => banner(&check.at, at, token, now),
        (None, None) => {
            let status = view! { <Status shape=Shape::Unknown word=texts::NOT_VERIFIED/> };
            view! { <div class="row">{status}{verify(token, false, texts::VERIFY_LOG)}</div> }.into_any()
        }
        (Some(check), None) => {
            let next = match (check.is_complete, check.newer) {
                (false, _) => Some(texts::CONTINUE),
                (true, 0) => None,
                (true, _) => Some(texts::VERIFY_NEWER),
            };
            let next = next.map(|label| verify(token, false, label));
            view! { <div class="row">{line(check, now)}{next}{verify(token, true, texts::VERIFY_ALL)}</div> }.into_any()
        }
    };
    view! { <section class="mb-6" aria-label=texts::INTEGRITY>{content}</section> }
}

fn line(check: &AuditCheckStatus, now: &str) -> AnyView {
    let shape = if check.is_complete { Shape::Ready } else { Shape::Provisioning };
    let rest = match (check.is_complete, check.newer) {
        (_, 0) => None,
        (true, newer) => Some(texts::newer(newer)),
        (false, left) => Some(texts::left(left)),
    };
    view! {
        <Status shape=shape word=texts::verified(check.last, check.records, check.chains)/>
        <span class="subtle"><Moment at=check.at.clone() now=now.to_owned()/></span>
        {rest.map(|text| view! { <span class="muted">{text}</span> })}
    }
    .into_any()
}

fn banner(checked: &str, at: &AuditBreak, token: &str, now: &str) -> AnyView {
    let (time, now) = (checked.to_owned(), now.to_owned());
    let record = routes::audit_record(&at.chain, at.sequence);
    let (text, again) = (texts::broken_text(at), verify(token, true, texts::VERIFY_ALL));
    view! {
        <Banner title=texts::broken(at) shape=Shape::Failed>
            <p>{text}</p>
            <div class="row mt-4"><a href=record>{texts::VIEW_RECORD}</a><span class="subtle"><Moment at=time now=now/></span>{again}</div>
        </Banner>
    }
    .into_any()
}

fn verify(token: &str, start: bool, label: &'static str) -> AnyView {
    let start = start.then(|| view! { <input type="hidden" name="start" value="true"/> });
    view! { <form method="post" action={actions::path::<VerifyAuditLog>()}><HiddenToken token=token/>{start}<button class="btn btn-sm">{label}</button></form> }.into_any()
}
