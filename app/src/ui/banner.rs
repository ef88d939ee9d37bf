//! A message about the whole page.

use leptos::prelude::*;

use super::Shape;

/// A headline and its content, in the colour of a state. With `focus`, it gets the focus when the page opens: it says why a form was refused.
/// With `live`, it is a message that screen readers announce.
#[component]
pub fn Banner(
    shape: Shape,
    #[prop(into)] title: String,
    #[prop(optional)] focus: bool,
    #[prop(optional)] live: bool,
    children: Children,
) -> impl IntoView {
    let role = if live { "status" } else { "note" };
    view! { <div class="banner" data-st=shape.word() role=role tabindex=focus.then_some("-1") autofocus=focus>{shape.svg()}<div><strong>{title}</strong>{children()}</div></div> }
}
