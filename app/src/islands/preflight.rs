//! The preflight beside a form, again while the user types. The fields change, too, because their hints, locks and prices depend on other fields.
//!
//! Typing never waits: a running preflight is aborted at the next input, so an answer is always about the current values of the form. It also saves
//! a draft, whose address replaces the form's: Back and reload lead to what was typed. The button "Check" does the same without this.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, FormData, HtmlElement, HtmlFormElement, SubmitEvent, UrlSearchParams};

use super::fetched::{Missing, Questions, morph};
use super::in_browser;

/// Id of the form.
const FORM: &str = "request";
/// Id of the panel.
const PANEL: &str = "preflight";
/// Ids of the parts of the page that change.
const PARTS: [&str; 3] = ["problems", "fields", PANEL];
/// What the form asks for: first the preflight alone, after a longer pause also the plane. Each with the pause in typing before it.
const OPERATIONS: [(&str, Duration); 2] = [(CHECK, Duration::from_millis(300)), ("rehearse", Duration::from_millis(1_500))];
const CHECK: &str = "preflight";
const EVENTS: [&str; 6] = ["input", "submit", "click", "online", "beforeunload", "pagehide"];
/// Why the last preflight failed, as the notes of the panel are named. Nothing if it didn't.
const OFFLINE: &str = "offline";
const ENDED: &str = "ended";
const OTHER: &str = "other";
/// Where the page says that it is being checked.
const ASKING: &str = ".typing";

/// Checks the form. The panel, which the page renders, says that it is being checked, and what came out, or why nothing did.
#[island]
pub fn Preflight() -> impl IntoView {
    in_browser(follow);
}

fn follow() {
    let Some(form) = document().get_element_by_id(FORM).and_then(|form| form.dyn_into().ok()) else { return };
    let form =
        Rc::new(Form { form, failed: Cell::new(""), questions: Questions::default(), inputs: Cell::new(0), is_unsaved: Cell::new(false) });
    for name in EVENTS {
        let form = form.clone();
        drop(window_event_listener_untyped(name, move |event| form.on(&event)));
    }
}

/// Says that the form is being checked, or not any more.
fn say(is_asking: bool) {
    if let Ok(Some(asking)) = document().query_selector(ASKING) {
        asking.unchecked_into::<HtmlElement>().set_hidden(!is_asking);
    }
}

/// Shows the note with this name in the panel, and hides the others.
fn note(failed: &str) {
    let Ok(notes) = document().query_selector_all("[data-failed]") else { return };
    for note in (0..notes.length()).filter_map(|index| notes.get(index)?.dyn_into::<HtmlElement>().ok()) {
        note.set_hidden(note.get_attribute("data-failed").as_deref() != Some(failed));
    }
}

struct Form {
    form: HtmlFormElement,
    /// Why the last preflight failed, as the notes of the panel are named; nothing if it didn't.
    failed: Cell<&'static str>,
    questions: Questions,
    /// Number of the last input: a pause that ends after another one doesn't count.
    inputs: Cell<u32>,
    /// Whether something was typed that isn't saved.
    is_unsaved: Cell<bool>,
}

impl Form {
    fn on(self: &Rc<Self>, event: &Event) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_own = target.as_ref().is_some_and(|target| self.form.contains(Some(target)));
        let is_offline = self.failed.get() == OFFLINE;
        match event.type_().as_str() {
            "input" if is_own => self.typed(),
            "submit" if is_own => {
                self.give_up();
                // The browser would leave the page for one that says that nothing answers.
                if is_offline {
                    event.prevent_default();
                    self.check(CHECK, event.dyn_ref::<SubmitEvent>().and_then(SubmitEvent::submitter));
                }
            }
            "click" if target.is_some_and(|target| target.closest("[data-retry]").is_ok_and(|button| button.is_some())) => {
                self.check(CHECK, None)
            }
            "online" if !self.failed.get().is_empty() => self.check(CHECK, None),
            "beforeunload" if is_offline => event.prevent_default(),
            "pagehide" if self.is_unsaved.get() => {
                // If the browser doesn't take it, what was typed last is lost.
                let _ = window().navigator().send_beacon_with_opt_url_search_params(&self.address(), self.fields(CHECK).as_ref());
            }
            _ => {}
        }
    }

    fn typed(self: &Rc<Self>) {
        self.give_up();
        self.is_unsaved.set(true);
        say(true);
        let number = self.inputs.get();
        for (operation, pause) in OPERATIONS {
            let form = self.clone();
            let ask = move || {
                if form.inputs.get() == number {
                    form.check(operation, None);
                }
            };
            set_timeout(ask, pause);
        }
    }

    fn give_up(&self) {
        self.inputs.set(self.inputs.get() + 1);
        self.questions.give_up();
    }

    /// Checks the form; submits it by this button, if the portal answers.
    fn check(self: &Rc<Self>, operation: &'static str, submitter: Option<HtmlElement>) {
        let form = self.clone();
        spawn_local(async move {
            form.ask(operation).await;
            if submitter.is_some() && form.failed.get() != OFFLINE {
                // A form that can't be submitted stays as it is.
                let _ = form.form.request_submit_with_submitter(submitter.as_ref());
            }
        });
    }

    async fn ask(&self, operation: &str) {
        let failed = match self.questions.ask(&self.address(), self.fields(operation)).await {
            Ok(page) => {
                show(&page);
                self.is_unsaved.set(false);
                ""
            }
            Err(Missing::Superseded) => return,
            Err(Missing::Session) => ENDED,
            Err(Missing::OtherSession) => OTHER,
            // The page stays as it is, and the next key press tries again.
            Err(Missing::Answer) => OFFLINE,
        };
        say(false);
        self.failed.set(failed);
        note(failed);
    }

    fn address(&self) -> String {
        self.form.get_attribute("data-preflight").unwrap_or_default()
    }

    fn fields(&self, operation: &str) -> Option<UrlSearchParams> {
        let fields = FormData::new_with_form(&self.form).ok()?;
        let fields = UrlSearchParams::new_with_str_sequence_sequence(&fields).ok()?;
        let typing = document().active_element().and_then(|field| field.get_attribute("name"));
        fields.set("_op", operation);
        fields.set("_typing", &typing.unwrap_or_default());
        Some(fields)
    }
}

fn show(page: &web_sys::Document) {
    for part in PARTS {
        if let Some((old, fresh)) = document().get_element_by_id(part).zip(page.get_element_by_id(part)) {
            morph(&old, &fresh);
        }
    }
    let draft = document().get_element_by_id(PANEL).and_then(|panel| panel.get_attribute("data-draft"));
    if let Some(draft) = draft.zip(window().history().ok()) {
        // Without it, the address stays that of the empty form, and the draft is listed.
        let _ = draft.1.replace_state_with_url(&JsValue::NULL, "", Some(&draft.0));
    }
}
