//! Buttons, and links that look like buttons.

use leptos::prelude::*;

use super::Icon;

/// Visual weight of a button; one primary button per view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// Ordinary.
    #[default]
    Plain,
    /// The main action.
    Primary,
    /// A destructive action.
    Danger,
    /// Without a frame.
    Ghost,
}

impl Weight {
    fn class(self) -> &'static str {
        match self {
            Self::Plain => "btn",
            Self::Primary => "btn btn-primary",
            Self::Danger => "btn btn-danger",
            Self::Ghost => "btn btn-ghost",
        }
    }
}

/// A link that looks like a button.
#[component]
pub fn LinkButton(
    #[prop(into)] href: String,
    #[prop(into)] label: String,
    #[prop(optional)] weight: Weight,
    #[prop(optional, into)] icon: String,
) -> impl IntoView {
    view! { <a class=weight.class() href=href>{icon_before(icon)}{label}</a> }
}

/// A button that posts its form. With `why`, it is shown disabled, with that reason.
#[component]
pub fn SubmitButton(
    #[prop(into)] label: String,
    #[prop(optional)] weight: Weight,
    #[prop(optional, into)] icon: String,
    #[prop(optional, into)] name: String,
    #[prop(optional, into)] value: String,
    #[prop(optional, into)] why: Option<String>,
) -> impl IntoView {
    let named = (!name.is_empty()).then_some((name, value));
    let (name, value) = named.unzip();
    match why {
        None => view! { <button class=weight.class() name=name value=value>{icon_before(icon)}{label}</button> }.into_any(),
        Some(why) => {
            let id = format!("why-not-{}", slug(&label));
            view! {
                <button class=weight.class() type="button" aria-disabled="true" aria-describedby=id.clone()>{icon_before(icon)}{label}</button>
                <p class="why" id=id>{why}</p>
            }
            .into_any()
        }
    }
}

/// The form token, which proves that a post comes from the portal.
#[component]
pub fn HiddenToken(#[prop(into)] token: String) -> impl IntoView {
    view! { <input type="hidden" name="_token" value=token/> }
}

/// Returns a label as part of an id.
pub(super) fn slug(label: &str) -> String {
    label.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' }).collect()
}

fn icon_before(icon: String) -> Option<impl IntoView> {
    (!icon.is_empty()).then(|| view! { <Icon name=icon/> })
}
