//! Fetches pages of the portal, and changes parts of this one into how they look there.

use std::cell::{OnceCell, RefCell};

use js_sys::{Array, Function};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, Document, DomParser, Element, RequestInit, Response, SupportedType, UrlSearchParams};

use crate::{OTHER_SESSION, TOKEN_HEADER};

/// How long an answer can take, in milliseconds.
const PATIENCE: u32 = 15_000;

thread_local! {
    static MORPH: OnceCell<Function> = const { OnceCell::new() };
}

/// Takes the function that changes an element into another.
#[cfg(feature = "islands")]
pub(crate) fn morph_by(morph: Function) {
    MORPH.with(|known| drop(known.set(morph)));
}

/// Makes an element look like one of another document, and keeps what has the focus, is typed or is open.
pub(super) fn morph(old: &Element, fresh: &Element) {
    // A part that can't be changed shows an older state.
    MORPH.with(|morph| drop(morph.get().map(|morph| morph.call2(&JsValue::NULL, old, fresh))));
}

/// Why there is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Another question took its place.
    Superseded,
    /// The session has ended.
    Session,
    /// The page belongs to an earlier session: someone signed in again since it was opened.
    OtherSession,
    /// Nothing answered, or something else.
    Answer,
}

/// Questions of which only the last one counts.
#[derive(Default)]
pub(super) struct Questions(RefCell<Option<AbortController>>);

impl Questions {
    /// Aborts the last question.
    pub(super) fn give_up(&self) {
        if let Some(asked) = self.0.take() {
            asked.abort();
        }
    }

    /// Fetches a page, and aborts the last question; with fields, it is posted.
    pub(super) async fn ask(&self, address: &str, fields: Option<UrlSearchParams>) -> Result<Document, Missing> {
        self.give_up();
        let mine = AbortController::new().map_err(|_| Missing::Answer)?;
        self.0.replace(Some(mine.clone()));
        let signal = mine.signal();
        let either = AbortSignal::any(&Array::of2(&signal, &AbortSignal::timeout_with_u32(PATIENCE)));
        let answer = fetch(address, fields, &either).await;
        if signal.aborted() { Err(Missing::Superseded) } else { answer }
    }
}

async fn fetch(address: &str, fields: Option<UrlSearchParams>, signal: &AbortSignal) -> Result<Document, Missing> {
    let init = RequestInit::new();
    init.set_signal(Some(signal));
    if let Some(fields) = fields {
        init.set_method("POST");
        init.set_body(&fields);
    }
    let answer: Response = settled(window().fetch_with_str_and_init(address, &init)).await?.unchecked_into();
    match answer.status() {
        200 if !answer.redirected() => {}
        401 => return Err(Missing::Session),
        403 if answer.headers().get(TOKEN_HEADER).ok().flatten().as_deref() == Some(OTHER_SESSION) => return Err(Missing::OtherSession),
        _ => return Err(Missing::Answer),
    }
    let text = settled(answer.text().map_err(|_| Missing::Answer)?).await?.as_string().unwrap_or_default();
    let page = DomParser::new().and_then(|parser| parser.parse_from_string(&text, SupportedType::TextHtml));
    page.map_err(|_| Missing::Answer)
}

async fn settled(promise: js_sys::Promise) -> Result<JsValue, Missing> {
    JsFuture::from(promise).await.map_err(|_| Missing::Answer)
}
