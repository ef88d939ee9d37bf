//! Pages for platform teams: overview, policies and whom they affect, emergency approvals, deliveries, audit log.

mod audit;
mod author;
mod delete;
mod deliveries;
mod editor;
mod effect;
mod emergencies;
mod fleet;
mod list;
mod overview;
mod parts;
mod policy;
mod preview;
mod promise_text;
mod promises;
mod retire;
mod rollout;
mod text;
mod times;

pub use audit::{audit, audit_record};
pub use author::author;
pub use delete::delete;
pub use deliveries::deliveries;
pub use emergencies::emergencies;
pub use fleet::fleet;
pub use list::list;
pub(super) use overview::by_week;
pub use overview::overview;
pub use policy::policy;
pub use preview::preview;
pub use promise_text::promise_text;
pub use promises::promises;
pub use retire::retire;
pub use rollout::rollout;
pub use text::{new, preflight, text};

use crate::view::{Compiled, ConcernedLine, PolicyRow};
use leptos::prelude::*;

use super::rules;
use crate::routes::{self, page};
use crate::texts::audit::AUDIT_LOG;
use crate::texts::deliveries::DELIVERIES;
use crate::texts::platform as texts;
use crate::texts::promises::PROMISES;
use crate::texts::requests::REQUESTS;
use crate::ui::{Moment, Shape, Status, Tab, Tabs};

/// The tabs, with the one at `current` shown; deliveries and audit log only for people who can see them.
fn tabs(current: &str, delivers: bool) -> impl IntoView + use<> {
    let tab = |label, href: &str| Tab { label, href: href.to_owned(), count: None, current: href == current };
    let mut tabs = vec![
        tab(texts::OVERVIEW, page::PLATFORM),
        tab(PROMISES, page::PROMISES),
        tab(texts::POLICIES, page::POLICIES),
        tab(texts::EMERGENCY_APPROVALS, page::EMERGENCIES),
    ];
    if delivers {
        tabs.push(tab(DELIVERIES, page::DELIVERIES));
        tabs.push(tab(AUDIT_LOG, page::AUDIT));
    }
    view! { <Tabs label=texts::PLATFORM tabs=tabs/> }
}

/// Whether a policy can be applied, in a word.
fn compiled(compiled: &Compiled) -> impl IntoView + use<> {
    let (shape, word) = match compiled {
        Compiled::Yes => (Shape::Ready, texts::IN_FORCE),
        Compiled::Off => (Shape::Ahead, texts::DISABLED),
        Compiled::No(_) => (Shape::Failed, texts::CANNOT_BE_APPLIED),
        Compiled::NotYet => (Shape::Unknown, texts::NOT_CHECKED_YET),
    };
    view! { <Status shape=shape word=word/> }
}

/// What a violation does, in a word.
fn strength(row: &PolicyRow) -> impl IntoView + use<> {
    let (shape, word) = rules::enforcement(row.enforcement);
    view! { <Status shape=shape word=word/> }
}

/// Requests and how a policy affects them.
fn concerned(lines: &[ConcernedLine], now: &str) -> impl IntoView + use<> {
    let lines = lines.iter().map(|line| {
        view! {
            <tr><th scope="row"><a class="name" href=routes::request(&line.workspace, &line.namespace, &line.name)>{line.name.clone()}</a><span class="under mono">{line.workspace.clone()}</span></th>
                <td data-label=texts::DETAILS>{line.what.clone()}</td><td data-label=texts::SINCE class="nowrap">{(!line.at.is_empty()).then(|| view! { <Moment at=line.at.clone() now=now/> })}</td></tr>
        }
    });
    let lines = lines.collect_view();
    view! { <div class="card"><table class="table" aria-label=REQUESTS><thead><tr><th scope="col">{texts::REQUEST}</th><th scope="col">{texts::DETAILS}</th><th scope="col">{texts::SINCE}</th></tr></thead><tbody>{lines}</tbody></table></div> }
}
