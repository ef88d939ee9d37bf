//! A whole HTML document around a page: head, frame, sheet, icons, and the live part where a page has one.

use leptos::prelude::*;
use promise::Error;

use crate::backend::Visit;
use crate::frame::Frame;
use crate::{invisible, ui};

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
    /// What runs in the browser on this page.
    pub script: Option<Script>,
    /// HTTP status; 0 stands for 200.
    pub status: u16,
}

/// What runs in the browser on a page; every page works without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Script {
    /// Keeps the page live by the stream at this address.
    Live(String),
    /// Asks what would happen while one types into the form.
    Typing,
    /// Makes copy buttons work.
    Copying,
    /// Keeps the inbox live by the stream at this address, and makes its keys work.
    Inbox(String),
}

impl Script {
    /// Whether the page follows what changes.
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Live(_) | Self::Inbox(_))
    }

    /// The modules that the page loads, and what is called of them.
    fn tags(&self, visit: &Visit) -> String {
        let (page, inbox) = (attribute(&visit.assets.page), attribute(&visit.assets.inbox));
        let (script, wasm) = (attribute(&visit.assets.script), attribute(&visit.assets.wasm));
        let (modules, calls) = match self {
            Self::Live(address) => {
                let follow = follow(&script, &wasm, address);
                (vec![&script, &page], format!(r#"import {{copying,graphs}} from "{page}";copying();graphs();{follow}"#))
            }
            Self::Inbox(address) => {
                let follow = follow(&script, &wasm, address);
                (vec![&script, &inbox], format!(r#"import {{keys}} from "{inbox}";keys();{follow}"#))
            }
            Self::Typing => (vec![&page], format!(r#"import {{typing}} from "{page}";typing()"#)),
            Self::Copying => (vec![&page], format!(r#"import {{copying}} from "{page}";copying()"#)),
        };
        let ahead: String = modules.iter().map(|module| format!(r#"<link rel="modulepreload" href="{module}">"#)).collect();
        format!(r#"{ahead}<script type="module" nonce="{}">{calls}</script>"#, attribute(&visit.nonce))
    }
}

/// What keeps a page live by the stream at an address.
fn follow(script: &str, wasm: &str, address: &str) -> String {
    let address = attribute(address).replace("&amp;", "&").replace('"', "%22").replace('<', "%3C");
    format!(r#"import start,{{live}} from "{script}";start({{module_or_path:"{wasm}"}}).then(()=>live("{address}"))"#)
}

/// Renders a page inside the frame.
pub fn framed<V: IntoView + 'static>(visit: &Visit, about: About, content: impl FnOnce() -> V + Send + 'static) -> Page {
    let (visit_of_frame, about_of_frame) = (visit.clone(), about.clone());
    document(visit, about, move || view! { <Frame visit=visit_of_frame about=about_of_frame>{content().into_any()}</Frame> })
}

/// Erased views leave a marker behind each node, for a hydration that these pages do not have. In what people wrote `<` is always escaped.
fn without_markers(html: &str) -> String {
    html.replace("<!>", "")
}

/// Renders a page without frame, such as the sign-in.
pub fn document<V: IntoView + 'static>(visit: &Visit, about: About, body: impl FnOnce() -> V) -> Page {
    let owner = Owner::new_root(None);
    let body = invisible::revealed(owner.with(|| without_markers(&body().into_view().to_html())));
    let theme = if visit.theme.is_empty() { String::new() } else { format!(r#" data-theme="{}""#, attribute(&visit.theme)) };
    let script = about.script.as_ref().map(|script| script.tags(visit)).unwrap_or_default();
    let html = format!(
        r#"<!doctype html><html lang="en"{theme}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title} · OPM Portal</title><link rel="stylesheet" href="{style}"><link rel="icon" href="/icon.svg" type="image/svg+xml">{script}</head><body>{body}{sprite}</body></html>"#,
        title = text(&about.title),
        style = attribute(&visit.assets.style),
        sprite = ui::sprite(&body),
    );
    Page { status: if about.status == 0 { 200 } else { about.status }, html, location: None }
}

/// The HTTP status that says the same as the error.
pub fn status_of(error: &Error) -> u16 {
    match error {
        Error::Unauthenticated => 401,
        Error::Denied { .. } => 403,
        Error::NotFound { .. } | Error::NotEnabled { .. } => 404,
        Error::Invalid { .. } => 422,
        Error::Conflict { .. } | Error::Contested { .. } => 409,
        Error::Timeout { .. } => 408,
        Error::TooLarge { .. } => 413,
        Error::TooManyRequests { .. } => 429,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_go_and_what_people_wrote_stays() {
        let typed = "a<!>b";
        let owner = Owner::new_root(None);
        let html = owner.with(|| view! { <p title=typed>{typed}</p><textarea>{crate::form::area(typed)}</textarea> }.into_view().to_html());
        let html = without_markers(&html);
        assert!(!html.contains("<!>"), "{html}");
        assert_eq!(html.matches("a&lt;!&gt;b").count(), 3, "{html}");
    }
}
