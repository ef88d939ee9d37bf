//! A message about the whole page.

use leptos::prelude::*;

use super::Shape;

/// A headline and its content, in the colour of a state.
#[component]
pub fn Banner(shape: Shape, #[prop(into)] title: String, children: Children) -> impl IntoView {
    view! { <div class="banner" data-st=shape.word() role="note">{shape.svg()}<div><strong>{title}</strong>{children()}</div></div> }
}
