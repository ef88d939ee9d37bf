//! What platform teams look after: how requests go, policies, whom they hit, and their texts.

mod deliveries;
mod emergencies;
mod list;
mod overview;
mod policy;
mod text;

pub use deliveries::deliveries;
pub use emergencies::emergencies;
pub use list::list;
pub(super) use overview::by_week;
pub use overview::overview;
pub use policy::policy;
pub use text::{new, posted, text};

use leptos::prelude::*;
use promise::view::{Compiled, PolicyRow};

use super::rules;
use crate::routes::page;
use crate::ui::{Shape, Status, Tab, Tabs};

/// The parts, of which the one at `current` is shown; that of deliveries to those who may see it.
fn tabs(current: &str, delivers: bool) -> impl IntoView + use<> {
    let tab = |label, href: &str| Tab { label, href: href.to_owned(), count: None, current: href == current };
    let mut tabs = vec![tab("Overview", page::PLATFORM), tab("Policies", page::POLICIES), tab("Emergencies", page::EMERGENCIES)];
    if delivers {
        tabs.push(tab("Deliveries", page::DELIVERIES));
    }
    view! { <Tabs label="Platform" tabs=tabs/> }
}

/// Whether a policy can be applied, in a word.
fn compiled(compiled: &Compiled) -> impl IntoView + use<> {
    let (shape, word) = match compiled {
        Compiled::Yes => (Shape::Ready, "In force"),
        Compiled::No(_) => (Shape::Failed, "Cannot be applied"),
        Compiled::NotYet => (Shape::Unknown, "Not looked at yet"),
    };
    view! { <Status shape=shape word=word/> }
}

/// What a violation does, in a word.
fn strength(row: &PolicyRow) -> impl IntoView + use<> {
    let (shape, word) = rules::enforcement(row.enforcement);
    view! { <Status shape=shape word=word/> }
}
