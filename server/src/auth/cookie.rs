//! The session cookie: the only thing of the portal's own that a browser carries.

use http::{HeaderMap, HeaderValue, header};

/// How the session cookie is named and marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieStyle {
    /// Over TLS: bound to the host, sent over TLS alone.
    Secure,
    /// Over plain HTTP, which the embedded plane serves on loopback.
    Plain,
}

impl CookieStyle {
    /// Name of the cookie.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Secure => "__Host-opm-session",
            Self::Plain => "opm-session",
        }
    }

    /// The session cookie of a request. Of two cookies with that name the request is ambiguous, and neither counts.
    pub fn read(self, headers: &HeaderMap) -> Option<&str> {
        let mut found = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.name())
            .map(|(_, value)| value);
        let value = found.next()?;
        (found.next().is_none() && is_cookie_value(value)).then_some(value)
    }

    /// `Set-Cookie` that gives the browser its session; it ends with `max_age` seconds.
    pub fn set(self, value: &str, max_age: i64) -> Option<HeaderValue> {
        let secure = if self == Self::Secure { "; Secure" } else { "" };
        let name = self.name();
        HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}{secure}")).ok()
    }

    /// `Set-Cookie` that takes the session away.
    pub fn clear(self) -> HeaderValue {
        match self {
            Self::Secure => HeaderValue::from_static("__Host-opm-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure"),
            Self::Plain => HeaderValue::from_static("opm-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"),
        }
    }
}

/// What `store::Cookie` looks like; anything else is not looked up.
fn is_cookie_value(value: &str) -> bool {
    value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&str]) -> HeaderMap {
        lines.iter().map(|line| (header::COOKIE, HeaderValue::from_str(line).unwrap())).collect()
    }

    #[test]
    fn reads_its_own_cookie_only() {
        let value = "ab".repeat(32);
        let mine = headers(&[&format!("theme=dark; opm-session={value}")]);
        assert_eq!(CookieStyle::Plain.read(&mine), Some(value.as_str()));
        assert_eq!(CookieStyle::Secure.read(&mine), None, "over TLS only the host-bound name counts");
        assert_eq!(CookieStyle::Plain.read(&headers(&["opm-session=short"])), None);
        let twice = headers(&[&format!("opm-session={value}; opm-session={}", "cd".repeat(32))]);
        assert_eq!(CookieStyle::Plain.read(&twice), None);
    }

    #[test]
    fn is_closed_to_scripts_and_foreign_sites() {
        let plain = CookieStyle::Plain.set("v", 60).unwrap();
        assert_eq!(plain, "opm-session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60");
        let secure = CookieStyle::Secure.set("v", 60).unwrap();
        assert_eq!(secure, "__Host-opm-session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure");
        for style in [CookieStyle::Plain, CookieStyle::Secure] {
            assert!(style.clear().to_str().unwrap().starts_with(&format!("{}=;", style.name())));
        }
    }
}
