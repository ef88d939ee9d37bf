//! The user's session and theme.

use http::HeaderName;
use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted, see, set_cookie, set_header};
use crate::routes::{self, page, safe_redirect, sign_in_again};

/// The cookie with the chosen theme; not a secret.
pub const THEME: &str = "theme";
/// The cookie with the reader's time zone, an IANA name; not a secret. A script of the pages sets it to the zone of the browser, too.
pub const ZONE: &str = "zone";
/// What the browser is to forget (Clear Site Data, W3C).
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");
/// The cookie that says that the note about the demo was dismissed; not a secret.
pub const DEMO: &str = "demo";
/// In place of the id of a session: all but the one of this browser.
pub const OTHERS: &str = "others";
/// How long theme and time zone are remembered, in seconds.
const THEME_KEPT: u32 = 365 * 24 * 3600;

/// Signs in as a sample person of the embedded plane, or elsewhere with a bearer token. An earlier session of the browser ends.
#[server(prefix = "/do", endpoint = "account/sign-in", protocol = Form, custom = Posted)]
pub async fn sign_in(person: String, token: String, back: String) -> Answer {
    let back = safe_redirect(&back);
    match Acting::now().sessions.begin(&person, &token).await {
        Ok(cookies) => {
            cookies.iter().for_each(|cookie| set_cookie(cookie));
            see(back);
        }
        Err(problem) => see(&sign_in_again(back, problem)),
    }
    Ok(())
}

/// Signs out. The browser forgets the session in any case: a database that doesn't respond must not keep anyone signed in.
#[server(prefix = "/do", endpoint = "account/sign-out", protocol = Form, custom = Posted)]
pub async fn sign_out() -> Answer {
    let acting = Acting::now();
    let (cookies, ended) = acting.sessions.end().await;
    cookies.iter().for_each(|cookie| set_cookie(cookie));
    // Pages that the browser kept are gone, too: going back shows none of them.
    set_header(CLEAR_SITE_DATA, "\"cache\"");
    let leads = |provider: Option<String>| provider.map_or_else(|| page::SIGN_IN.to_owned(), |provider| routes::signed_out(&provider));
    acting.answer(ended.map(leads), page::HOME).await
}

/// Ends one of the user's other sessions, or all of them with the id [`OTHERS`].
#[server(prefix = "/do", endpoint = "account/end-session", protocol = Form, custom = Posted)]
pub async fn end_session(id: String) -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.end_session(&id).await }.await;
    acting.answer(done.map(|()| page::SESSIONS.to_owned()), page::SESSIONS).await
}

/// Hides what newcomers can try first.
#[server(prefix = "/do", endpoint = "account/tour", protocol = Form, custom = Posted)]
pub async fn dismiss_tour() -> Answer {
    let acting = Acting::now();
    let done = async { acting.person()?.dismiss_tour().await }.await;
    acting.answer(done.map(|()| page::HOME.to_owned()), page::HOME).await
}

/// Hides the note that the portal is a demo, until the browser ends its session.
#[server(prefix = "/do", endpoint = "account/demo", protocol = Form, custom = Posted)]
pub async fn dismiss_demo(back: String) -> Answer {
    set_cookie(&format!("{DEMO}=dismissed; Path=/; SameSite=Lax; HttpOnly"));
    see(safe_redirect(&back));
    Ok(())
}

/// Sets the theme: `light`, `dark`, or anything else for the system's theme.
#[server(prefix = "/do", endpoint = "account/theme", protocol = Form, custom = Posted)]
pub async fn choose_theme(theme: String, back: String) -> Answer {
    set_cookie(&match theme.as_str() {
        "light" | "dark" => format!("{THEME}={theme}; Path=/; SameSite=Lax; HttpOnly; Max-Age={THEME_KEPT}"),
        _ => format!("{THEME}=; Path=/; SameSite=Lax; HttpOnly; Max-Age=0"),
    });
    see(safe_redirect(&back));
    Ok(())
}

/// Remembers the time zone of pages. Scripts can read and replace the cookie.
pub(super) fn remember_zone(zone: &str) {
    // Every name in the database consists of these.
    if zone.chars().all(|letter| letter.is_ascii_alphanumeric() || "/_+-".contains(letter)) {
        set_cookie(&format!("{ZONE}={zone}; Path=/; SameSite=Lax; Max-Age={THEME_KEPT}"));
    }
}
