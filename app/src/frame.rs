//! The frame around every page: top bar, navigation, and the sheet that holds the page.

use leptos::prelude::*;
use promise::people::initials;

use crate::actions::{self, ChooseTheme, DismissDemo, SetFavourite, SignOut};
use crate::backend::Visit;
use crate::document::keys;
use crate::document::{About, Script};
use crate::palette::Palette;
use crate::routes::{self, page};
use crate::texts::{frame as texts, home, search, workspaces};
use crate::ui::{Avatar, HiddenToken, Icon};

/// Id of the form in the account menu that sets the theme.
pub(crate) const THEME_FORM: &str = "theme";
/// Id of the form in the account menu that signs out.
pub(crate) const SIGN_OUT_FORM: &str = "sign-out";

const MARK: &str = r#"<path fill="currentColor" d="M4 21V10a8 8 0 0 1 16 0v11h-4V10a4 4 0 0 0-8 0v11z"/><path fill="currentColor" opacity=".55" d="M10.500 21v-7h3v7z"/>"#;

/// The product's mark; a word is shown beside it.
pub fn mark() -> impl IntoView {
    view! { <svg viewBox="0 0 24 24" aria-hidden="true" inner_html=MARK></svg> }
}

/// Top bar, navigation and sheet.
#[component]
pub fn Frame(visit: Visit, about: About, children: Children) -> impl IntoView {
    let stream = about.script.as_ref().and_then(Script::stream).map(str::to_owned);
    let live = stream.is_some();
    view! {
        <a class="skip" href="#main">{texts::SKIP_TO_CONTENT}</a>
        <header class="topbar">
            <a class="brand" href=page::HOME aria-label=texts::PORTAL_HOME>{mark()}<span>{texts::PORTAL}</span></a>
            {about.workspace.as_deref().map(|workspace| place(workspace, &visit))}
            <div class="topbar-end">
                {visit.backend.is_some().then(|| opener(about.workspace.as_deref().or(visit.workspace()).unwrap_or_default()))}
                {about.workspace.as_deref().filter(|workspace| visit.creates_in.as_deref() == Some(*workspace)).map(|workspace| view! {
                    <a class="btn btn-primary" href=routes::catalog(workspace) aria-label=texts::NEW_REQUEST><Icon name="plus"/><span>{texts::REQUEST}</span></a>
                })}
                {bell(&visit, live)}
                {account(&visit)}
            </div>
        </header>
        <div class="shell">
            {navigation(&visit, &about, live)}
            <main class="sheet" id="main" tabindex="-1">
                <div class="page" data-live-page=stream>
                    {(visit.embedded && !visit.demo_dismissed).then(|| demo(&visit))}
                    {children()}
                </div>
            </main>
        </div>
        {visit.backend.is_some().then(|| view! { <Palette/>{keys(&visit, live)} })}
    }
}

/// The note that nothing here is real, and the button that hides it.
fn demo(visit: &Visit) -> impl IntoView + use<> {
    let dismiss = visit.backend.as_ref().map(|backend| {
        view! {
            <form method="post" action={actions::path::<DismissDemo>()}>
                <HiddenToken token=backend.viewer().form_token/><input type="hidden" name="back" value=visit.address.clone()/>
                <button class="btn btn-ghost btn-sm btn-icon" aria-label=texts::DISMISS_DEMO><Icon name="x"/></button>
            </form>
        }
    });
    view! { <div class="plane"><Icon name="zap"/><p class="grow"><b>{texts::DEMO}</b>" "{texts::NOTHING_IS_REAL}</p>{dismiss}</div> }
}

/// The link to the search, which a script turns into the palette.
fn opener(workspace: &str) -> impl IntoView + use<> {
    view! {
        <a class="btn search-open" href=routes::search(workspace) data-palette="" aria-label=search::SEARCH aria-keyshortcuts="/ Control+K"><Icon name="search"/><span>{search::SEARCH}</span><kbd aria-hidden="true">"/"</kbd></a>
    }
}

/// The workspace of the page, and a menu with others: the same kind of page in those that were open last, and the search for all.
fn place(workspace: &str, visit: &Visit) -> impl IntoView + use<> {
    let (above, name) = workspace.rsplit_once(':').map_or((None, workspace), |(above, name)| (Some(above.to_owned()), name));
    let others = |paths: &[String], title: &'static str| {
        let links = paths.iter().filter(|path| *path != workspace).map(|path| {
            let address = routes::alike_in(path, &visit.address);
            view! { <li><a class="item" href=address><Icon name="network"/><span class="break">{path.clone()}</span></a></li> }
        });
        let links: Vec<_> = links.collect();
        (!links.is_empty()).then(|| view! { <p class="group-name">{title}</p><ul>{links}</ul> })
    };
    let recent: Vec<String> = visit.recent.iter().filter(|path| !visit.favourites.contains(path)).cloned().collect();
    let back = visit.address.clone();
    view! {
        <nav class="where" aria-label=texts::WORKSPACE>
            {above.map(|above| view! { <span class="above">{breadcrumb(&above, visit)}</span> })}
            <details class="menu">
                <summary class="here"><b>{name.to_owned()}</b><span class="vh">{texts::SWITCH_WORKSPACE}</span><Icon name="chevrons-up-down"/></summary>
                <div class="pop">
                    <form class="switch" role="search" aria-label=home::FIND_A_WORKSPACE action=page::WORKSPACES>
                        <input type="hidden" name="from" value=back.clone()/>
                        <input class="input" type="search" name="q" autocomplete="off" aria-label=home::FIND_A_WORKSPACE placeholder=home::FIND_A_WORKSPACE/>
                    </form>
                    <a class="item" href=routes::workspace(workspace)><Icon name="network"/>{workspaces::overview_of(name)}</a>
                    {others(&visit.favourites, search::FAVOURITES)}
                    {others(&recent, search::RECENT)}
                    <a class="item" href=routes::with_query(page::WORKSPACES, &[("from", &back)])><Icon name="layers"/>{texts::ALL_WORKSPACES}</a>
                    {visit.backend.as_ref().map(|backend| favourite(workspace, visit, &backend.viewer().form_token))}
                </div>
            </details>
        </nav>
    }
}

/// The workspaces above, each a link where the user can enter it.
fn breadcrumb(path: &str, visit: &Visit) -> impl IntoView + use<> {
    let ends = path.match_indices(':').map(|(at, _)| at).chain([path.len()]);
    let steps = ends.filter_map(|end| path.get(..end)).enumerate().map(|(index, path)| {
        let name = path.rsplit(':').next().unwrap_or(path).to_owned();
        let step = match visit.above.iter().any(|known| known == path) {
            true => view! { <a href=routes::workspace(path)>{name}</a> }.into_any(),
            false => view! { {name} }.into_any(),
        };
        view! { {(index > 0).then_some(" / ")}{step} }
    });
    steps.collect_view()
}

/// The button that adds a workspace to the favourites, or removes it.
fn favourite(workspace: &str, visit: &Visit, token: &str) -> impl IntoView + use<> {
    let is = visit.favourites.iter().any(|known| known == workspace);
    let label = if is { search::REMOVE_FAVOURITE } else { search::ADD_FAVOURITE };
    view! {
        <form method="post" action={actions::path::<SetFavourite>()}>
            <HiddenToken token=token.to_owned()/>
            <input type="hidden" name="path" value=workspace.to_owned()/>
            <input type="hidden" name="back" value=visit.address.clone()/>
            <button class="item" name="favourite" value=if is { "false" } else { "true" }><Icon name="star"/>{label}</button>
        </form>
    }
}

/// The link to notifications, with how many are new. A live page updates the count.
fn bell(visit: &Visit, live: bool) -> Option<impl IntoView + use<>> {
    visit.backend.as_ref()?;
    let label = texts::notifications(visit.unread);
    let shown = visit.unread.filter(|count| *count > 0).map(|count| if count > 99 { "99+".to_owned() } else { count.to_string() });
    let current = (visit.address.split('?').next() == Some(page::NOTIFICATIONS)).then_some("page");
    Some(view! {
        <span data-live=live.then_some("bell")><a class="btn btn-ghost btn-icon bell" href=page::NOTIFICATIONS data-goto="notifications" aria-label=label aria-current=current><Icon name="bell"/>{shown.map(|count| view! { <span class="count" aria-hidden="true">{count}</span> })}</a></span>
    })
}

fn account(visit: &Visit) -> Option<impl IntoView + use<>> {
    let viewer = visit.backend.as_ref()?.viewer();
    let letters = initials(&viewer.display_name);
    let token = viewer.form_token.clone();
    let theme = |value: &'static str, label: &'static str, chosen: bool| {
        view! { <button class="item" name="theme" value=value aria-pressed=if chosen { "true" } else { "false" }>{chosen.then(|| view! { <Icon name="check"/> })}{label}</button> }
    };
    Some(view! {
        <details class="menu">
            <summary aria-label=texts::account_menu(&letters, &viewer.display_name)><Avatar name=viewer.display_name.clone() username=viewer.username.clone()/></summary>
            <div class="pop pop-end">
                <p class="group-name" title=viewer.username.clone()>{texts::signed_in_as(&viewer.display_name)}</p>
                <form method="post" id=THEME_FORM action={actions::path::<ChooseTheme>()}>
                    <HiddenToken token=token.clone()/>
                    <input type="hidden" name="back" value=visit.address.clone()/>
                    <p class="group-name">{texts::THEME}</p>
                    {theme("system", texts::MATCH_SYSTEM, visit.theme.is_empty())}
                    {theme("light", texts::LIGHT, visit.theme == "light")}
                    {theme("dark", texts::DARK, visit.theme == "dark")}
                </form>
                <a class="item" href=page::SESSIONS>{texts::SESSIONS}</a>
                <form method="post" id=SIGN_OUT_FORM action={actions::path::<SignOut>()}><HiddenToken token=token/><button class="item"><Icon name="log-out"/>{texts::SIGN_OUT}</button></form>
            </div>
        </details>
    })
}

/// How many entries the bar of a narrow screen shows beside "More".
const IN_BAR: usize = 4;

/// An entry of the navigation.
struct Entry {
    /// Name by which a shortcut finds it.
    name: &'static str,
    href: String,
    icon: &'static str,
    label: &'static str,
    /// What waits there; shown if there is anything.
    waits: Option<usize>,
}

impl Entry {
    fn new(name: &'static str, href: impl Into<String>, icon: &'static str, label: &'static str) -> Self {
        Self { name, href: href.into(), icon, label, waits: None }
    }

    fn link(&self, section: &str) -> impl IntoView + use<> {
        let current = (self.href == section).then_some("page");
        let hot = self.waits.filter(|waits| *waits > 0);
        let hot = hot.map(|waits| view! { <span class="hot">{waits}<span class="vh">{texts::WAITING}</span></span> });
        view! { <a href=self.href.clone() aria-current=current data-goto=self.name><Icon name=self.icon/>{self.label}{hot}</a> }
    }
}

fn entries(visit: &Visit, about: &About) -> Vec<Entry> {
    let mut entries = vec![Entry::new("home", page::HOME, "house", texts::HOME)];
    if let Some(workspace) = about.workspace.as_deref().or(visit.workspace()) {
        entries.push(Entry::new("catalog", routes::catalog(workspace), "layout-grid", texts::CATALOG));
        entries.push(Entry::new("requests", routes::requests(workspace), "git-pull-request-arrow", texts::REQUESTS));
        entries.push(Entry::new("resources", routes::resources(workspace), "layers", texts::RESOURCES));
    }
    entries.push(Entry::new("cost", routes::cost(about.workspace.as_deref().unwrap_or_default()), "chart-column", texts::COST));
    if visit.waits.is_some() {
        entries.push(Entry { waits: visit.waits, ..Entry::new("approvals", page::APPROVALS, "stamp", texts::APPROVALS) });
    }
    entries.push(Entry::new("workspaces", page::WORKSPACES, "network", texts::WORKSPACES));
    if visit.platform {
        entries.push(Entry::new("platform", page::PLATFORM, "shield-check", texts::PLATFORM));
    }
    entries
}

/// The navigation. On narrow screens, entries without a place in the bar are behind "More". A live page updates the count of open approvals.
fn navigation(visit: &Visit, about: &About, live: bool) -> impl IntoView + use<> {
    let (entries, section) = (entries(visit, about), about.section.as_str());
    let in_bar = if entries.len() > IN_BAR + 1 { IN_BAR } else { entries.len() };
    let (bar, beyond) = entries.split_at(in_bar);
    let lines = bar.iter().map(|entry| view! { <li>{entry.link(section)}</li> }).collect_view();
    let wide = beyond.iter().map(|entry| view! { <li class="beyond">{entry.link(section)}</li> }).collect_view();
    let more = (!beyond.is_empty()).then(|| {
        let current = beyond.iter().any(|entry| entry.href == section).then_some("current");
        let links = beyond.iter().map(|entry| view! { <li>{entry.link(section)}</li> }).collect_view();
        view! { <li class="more"><details class="menu"><summary class=current><Icon name="ellipsis"/>{texts::MORE}</summary><div class="pop pop-end"><ul>{links}</ul></div></details></li> }
    });
    view! { <nav class="sidenav" aria-label=texts::MAIN data-live=live.then_some("navigation")><ul>{lines}{wide}{more}</ul></nav> }
}
