//! One of several values: cards, segments or a native select.

use leptos::prelude::*;
use promise::form::{Choice, ChoiceStyle};

use crate::texts::forms as texts;

/// Renders radio buttons or a select; `described` names hint and problem.
pub fn choice(
    id: &str,
    name: &str,
    style: ChoiceStyle,
    options: &[Choice],
    described: Option<String>,
    invalid: bool,
    focus: bool,
) -> AnyView {
    let invalid = invalid.then_some("true");
    if style == ChoiceStyle::Select {
        let items = options.iter().map(
            |option| view! { <option value=option.value.clone() selected=option.chosen>{option.label.clone()}{price(option).map(|price| texts::price_change(&price))}</option> },
        );
        return view! { <select class="input w-m" id=id.to_owned() name=name.to_owned() aria-describedby=described aria-invalid=invalid autofocus=focus>{items.collect_view()}</select> }.into_any();
    }
    // Of radio buttons, the chosen one has the focus.
    let first = options.iter().position(|option| option.chosen).unwrap_or_default();
    let cards = style == ChoiceStyle::Cards;
    let items = options.iter().enumerate().map(|(index, option)| {
        // The price describes the option, so that its name stays short where it is read aloud.
        let price = price(option);
        let priced = price.is_some().then(|| format!("{}-price", option.id));
        let described: Vec<String> = described.iter().chain(&priced).cloned().collect();
        let described = (!described.is_empty()).then(|| described.join(" "));
        let input = view! { <input type="radio" class="tick" id=option.id.clone() name=name.to_owned() value=option.value.clone() checked=option.chosen aria-describedby=described autofocus=focus && index == first/> };
        let hint = option.hint.clone().map(|hint| view! { <span class="hint">{hint}</span> });
        if cards {
            let price = price.map(|price| view! { <span class="small tabular-nums" id=priced aria-hidden="true">{price}</span> });
            view! { <label class="choice">{input}<b>{option.label.clone()}</b>{hint}{price}</label> }.into_any()
        } else {
            let price = price.map(|price| view! { <small class="price ms-0" id=priced aria-hidden="true">{price}</small> });
            view! { <label>{input}<span class="h-full">{option.label.clone()}{price}</span></label> }.into_any()
        }
    });
    let items: Vec<_> = items.collect();
    let class = if cards { "choices" } else { "seg" };
    view! { <div class=class>{items}</div> }.into_any()
}

/// Returns how an option changes the price, shown with its name.
fn price(option: &Choice) -> Option<String> {
    option.price.clone().filter(|_| !option.chosen)
}
