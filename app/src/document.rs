//! The HTML document around a page, and how a page becomes a response.

use std::pin::Pin;

use axum::body::Body;
use futures::{Stream, StreamExt as _, stream};
use http::{HeaderValue, Request, Response, StatusCode, header};
use leptos::nonce::Nonce;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use leptos_meta::{MetaTags, Title, provide_meta_context};
use promise::Error;

use crate::backend::Visit;
use crate::frame::Frame;
use crate::{invisible, texts};

/// A page: its metadata and content.
pub struct Page {
    about: About,
    /// Another address to redirect to.
    location: Option<String>,
    content: AnyView,
}

impl Page {
    /// Redirects the browser to another address of the portal.
    pub fn elsewhere(address: String) -> Self {
        let about = About { status: 303, ..About::default() };
        Self { about, location: Some(address), content: ().into_any() }
    }

    /// Returns the content as a view. Status, title and scripts are added where they belong.
    pub fn into_view(self, visit: &Visit) -> AnyView {
        let options = expect_context::<ResponseOptions>();
        let status = if self.about.status == 0 { 200 } else { self.about.status };
        options.set_status(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
        if let Some(location) = self.location.and_then(|location| HeaderValue::from_str(&location).ok()) {
            options.insert_header(header::LOCATION, location);
        }
        if let Some(seconds) = self.about.retry_after {
            options.insert_header(header::RETRY_AFTER, seconds.into());
        }
        // leptos_meta doesn't escape titles.
        let place = self.about.place().map(escaped);
        let title = texts::frame::document_title(&escaped(&self.about.title), place.as_deref());
        let scripts = self.about.script.as_ref().map(|script| script.tags(visit));
        view! { <Title text=title/>{self.content}{scripts} }.into_any()
    }
}

/// Metadata of a page.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Title without the product's name.
    pub title: String,
    /// Path of the workspace that the page is in.
    pub workspace: Option<String>,
    /// Entry of the navigation that is current, by its address.
    pub section: String,
    /// The script of this page.
    pub script: Option<Script>,
    /// HTTP status; 0 stands for 200.
    pub status: u16,
    /// Seconds after which the same can be tried again, if waiting helps.
    pub retry_after: Option<u64>,
}

impl About {
    /// Returns the name of the workspace that the page is in, for its title. `None` if the title itself is the workspace.
    fn place(&self) -> Option<&str> {
        let path = self.workspace.as_deref().filter(|path| **path != *self.title)?;
        path.rsplit(':').next().filter(|name| !name.is_empty())
    }
}

/// The script of a page. Every page works without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Script {
    /// Keeps the page live with the stream at this address.
    Live(String),
    /// Makes copy buttons work.
    Copying,
    /// The same, and keeps what is typed into the form over a reload.
    Form,
    /// Keeps the inbox live with the stream at this address, and enables its keyboard shortcuts.
    Inbox(String),
}

impl Script {
    /// The address of the stream that the page is kept live with.
    pub fn stream(&self) -> Option<&str> {
        match self {
            Self::Live(address) | Self::Inbox(address) => Some(address),
            Self::Copying | Self::Form => None,
        }
    }

    /// Renders the calls into the modules that the page loads.
    fn tags(&self, visit: &Visit) -> impl IntoView + use<> {
        let [page, inbox] = [&visit.assets.page, &visit.assets.inbox].map(|address| quoted(address));
        let calls = match self {
            Self::Live(_) => format!("import {{copying,secrets}} from {page};copying();secrets()"),
            Self::Inbox(_) => format!("import {{keys}} from {inbox};keys()"),
            Self::Copying => format!("import {{copying}} from {page};copying()"),
            Self::Form => format!("import {{copying,typed}} from {page};copying();typed()"),
        };
        view! { <script type="module" nonce=visit.nonce.clone() inner_html=calls></script> }
    }
}

/// Renders the script for keyboard shortcuts, islands and the live part, which every page of a signed-in user loads, after everything else.
pub(crate) fn keys(visit: &Visit, is_live: bool) -> impl IntoView + use<> {
    let assets = &visit.assets;
    let always = [&assets.palette, &assets.palette_wasm, &assets.morph, &assets.islands, &assets.islands_wasm];
    let live = [&assets.script, &assets.wasm].into_iter().filter(|_| is_live);
    let addresses: Vec<String> = always.into_iter().chain(live).map(|address| quoted(address)).collect();
    let call = format!("import {{keys}} from {};keys({})", quoted(&assets.keys), addresses.join(","));
    view! { <script type="module" nonce=visit.nonce.clone() inner_html=call></script> }
}

/// Renders a fragment of a page, for a script that puts it into the page.
pub(crate) fn fragment(visit: &Visit, content: impl FnOnce() -> AnyView) -> String {
    let html = Owner::new_root(None).with(|| {
        provide_context(visit.reading());
        content().to_html()
    });
    invisible::revealed(without_markers(&html))
}

/// Returns an address as a JavaScript string that is safe in HTML.
fn quoted(address: &str) -> String {
    format!("\"{}\"", address.replace('"', "%22").replace('<', "%3C").replace('\\', "%5C"))
}

/// A page inside the frame.
pub fn framed<V: IntoView + 'static>(visit: &Visit, about: About, content: impl FnOnce() -> V + Send + 'static) -> Page {
    let (visit, about_of_frame, reading) = (visit.clone(), about.clone(), visit.reading());
    document(about, move || reading.within(|| view! { <Frame visit=visit about=about_of_frame>{content().into_any()}</Frame> }))
}

/// A page without frame, such as the sign-in.
pub fn document<V: IntoView + 'static>(about: About, content: impl FnOnce() -> V) -> Page {
    Page { about, location: None, content: content().into_any() }
}

/// Responds with a page that no route shows: the result of a post that changes nothing, or a refusal.
pub async fn show(visit: Visit, page: Page) -> Response<Body> {
    let address = visit.address.parse().unwrap_or_default();
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = address;
    let of_page = visit.clone();
    respond(visit, request, move || page.into_view(&of_page)).await
}

/// Responds to a request with a view inside the document.
pub async fn respond<V>(visit: Visit, request: Request<Body>, content: impl FnOnce() -> V + Send + 'static) -> Response<Body>
where
    V: IntoView + 'static,
{
    let of_shell = visit.clone();
    let context = move || {
        provide_meta_context();
        provide_context(Nonce::from_value(visit.nonce.as_str()));
        provide_context(visit.reading());
        provide_context(visit.clone());
    };
    let mut response =
        leptos_axum::handle_response_inner(context, move || shell(&of_shell, content()), request, |view, _, _| Box::pin(whole(view))).await;
    if response.headers().contains_key(header::LOCATION) {
        *response.body_mut() = Body::empty();
    }
    response
}

/// Renders the document around every page.
fn shell<V: IntoView>(visit: &Visit, content: V) -> impl IntoView + use<V> {
    let theme = Some(visit.theme.clone()).filter(|theme| !theme.is_empty());
    // Scroll bars and controls of the browser follow the theme before the style sheet is there.
    let schemes = theme.clone().unwrap_or_else(|| "light dark".to_owned());
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content=schemes/>
                <MetaTags/>
                <link rel="stylesheet" href=visit.assets.style.clone()/>
                <link rel="icon" href="/icon.svg"/>
            </head>
            <body>{content}</body>
        </html>
    }
}

/// Streams the whole document as one chunk. Pages contain no data for scripts to pick up, so nothing is sent after it.
async fn whole(view: impl IntoView) -> Pin<Box<dyn Stream<Item = String> + Send>> {
    let html: String = view.to_html_stream_in_order().collect().await;
    let html = invisible::revealed(without_markers(&html));
    Box::pin(stream::once(async move { html }))
}

/// Removes the markers that Leptos leaves behind erased and empty views: only islands are hydrated, and need theirs. In text that users
/// wrote, `<` is always escaped.
fn without_markers(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find("<leptos-island") {
        let (before, island) = rest.split_at(start);
        let end = island.find("</leptos-island>").unwrap_or(island.len());
        out.push_str(&before.replace("<!>", "").replace("<!--<() />-->", ""));
        out.push_str(&island[..end]);
        rest = &island[end..];
    }
    out.push_str(&rest.replace("<!>", "").replace("<!--<() />-->", ""));
    out
}

/// Returns the HTTP status of an error.
pub fn status_of(error: &Error) -> u16 {
    match error {
        Error::Unauthenticated => 401,
        Error::Denied { .. } => 403,
        Error::NotFound { .. } | Error::NotEnabled { .. } => 404,
        Error::Invalid { .. } => 422,
        Error::Conflict { .. } | Error::Contested { .. } => 409,
        Error::Timeout => 408,
        Error::TooLarge { .. } => 413,
        Error::TooManyRequests { .. } => 429,
        Error::Unreachable { .. } | Error::Busy { .. } => 503,
        Error::Internal => 500,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
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
