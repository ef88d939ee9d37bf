//! Nothing to show, and what to do about it. Empty, denied, unreachable and not found differ in shape and words.

use leptos::prelude::*;

use super::Shape;

/// A headline, a sentence, and an action.
#[component]
pub fn Empty(
    #[prop(into)] title: String,
    #[prop(into)] text: String,
    #[prop(optional)] shape: Option<Shape>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty" data-st=shape.map(Shape::word)>
            {shape.map(Shape::svg)}
            <h2>{title}</h2>
            <p>{text}</p>
            {children.map(|children| view! { <div class="row">{children()}</div> })}
        </div>
    }
}
