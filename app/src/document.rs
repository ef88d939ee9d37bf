//! A whole HTML document around a page: head, frame, sheet, icons, and the live part where a page has one.

use leptos::prelude::*;
use promise::Error;

use crate::backend::Visit;
use crate::frame::Frame;
use crate::ui;

/// A finished page.
#[derive(Clone, Debug)]
pub struct Page {
    /// HTTP status.
    pub status: u16,
    /// The document.
    pub html: String,
    /// Another address that answers instead; the document is empty then.
    pub location: Option<String>,
}

impl Page {
    /// Sends the browser to another address of the portal.
    pub fn elsewhere(address: String) -> Self {
        Self { status: 303, html: String::new(), location: Some(address) }
    }
}

/// What a page says about itself.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Title without the product's name.
    pub title: String,
    /// Path of the workspace that the page is in.
    pub workspace: Option<String>,
    /// Entry of the navigation that is current, by its address.
    pub section: String,
    /// Address of the stream that keeps the page live.
    pub live: Option<String>,
    /// HTTP status; 0 stands for 200.
    pub status: u16,
}

/// Renders a page inside the frame.
pub fn framed<V: IntoView + 'static>(visit: &Visit, about: About, content: impl FnOnce() -> V + Send + 'static) -> Page {
    let (visit_of_frame, about_of_frame) = (visit.clone(), about.clone());
    document(visit, about, move || view! { <Frame visit=visit_of_frame about=about_of_frame>{content().into_any()}</Frame> })
}

/// Renders a page without frame, such as the sign-in.
pub fn document<V: IntoView + 'static>(visit: &Visit, about: About, body: impl FnOnce() -> V) -> Page {
    let owner = Owner::new_root(None);
    let body = owner.with(|| body().into_view().to_html());
    let theme = if visit.theme.is_empty() { String::new() } else { format!(r#" data-theme="{}""#, attribute(&visit.theme)) };
    let live = about.live.as_ref().map(|address| {
        format!(
            r#"<link rel="modulepreload" href="{script}"><script type="module" nonce="{nonce}">import start,{{live}} from "{script}";start({{module_or_path:"{wasm}"}}).then(()=>live("{address}"))</script>"#,
            script = attribute(&visit.assets.script),
            wasm = attribute(&visit.assets.wasm),
            nonce = attribute(&visit.nonce),
            address = attribute(address).replace("&amp;", "&").replace('"', "%22").replace('<', "%3C"),
        )
    });
    let html = format!(
        r#"<!doctype html><html lang="en"{theme}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title} · OPM Portal</title><link rel="stylesheet" href="{style}"><link rel="icon" href="/icon.svg" type="image/svg+xml">{live}</head><body>{body}{sprite}</body></html>"#,
        title = text(&about.title),
        style = attribute(&visit.assets.style),
        live = live.unwrap_or_default(),
        sprite = ui::sprite(&body),
    );
    Page { status: if about.status == 0 { 200 } else { about.status }, html, location: None }
}

/// The HTTP status that says the same as the error.
pub fn status_of(error: &Error) -> u16 {
    match error {
        Error::Unauthenticated => 401,
        Error::Denied { .. } => 403,
        Error::NotFound { .. } => 404,
        Error::Invalid { .. } => 422,
        Error::Conflict { .. } | Error::Contested { .. } => 409,
        Error::Unreachable { .. } | Error::Busy { .. } => 503,
        Error::Internal => 500,
    }
}

fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;")
}
