//! The person's session and how pages look to them.

use leptos::prelude::*;

use super::{Acting, Answer, Form, Posted, see, set_cookie};
use crate::routes::{page, safe_redirect};

/// The cookie with the chosen theme; not a secret.
pub const THEME: &str = "theme";
/// How long the theme is remembered, in seconds.
const THEME_KEPT: u32 = 365 * 24 * 3600;

/// Signs out. The browser forgets the session in any case: a database that doesn't respond must not keep anyone signed in.
#[server(prefix = "/do", endpoint = "account/sign-out", protocol = Form, custom = Posted)]
pub async fn sign_out() -> Answer {
    let acting = Acting::now();
    let (cookie, ended) = acting.sessions.end().await;
    set_cookie(&cookie);
    acting.answer(ended.map(|()| page::SIGN_IN.to_owned()), page::HOME).await
}

/// Chooses a theme: `light`, `dark`, or anything else for the one of the system.
#[server(prefix = "/do", endpoint = "account/theme", protocol = Form, custom = Posted)]
pub async fn choose_theme(theme: String, back: String) -> Answer {
    set_cookie(&match theme.as_str() {
        "light" | "dark" => format!("{THEME}={theme}; Path=/; SameSite=Lax; HttpOnly; Max-Age={THEME_KEPT}"),
        _ => format!("{THEME}=; Path=/; SameSite=Lax; HttpOnly; Max-Age=0"),
    });
    see(safe_redirect(&back));
    Ok(())
}
