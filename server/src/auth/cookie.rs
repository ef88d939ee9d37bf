//! The portal's own cookies.

use http::{HeaderMap, HeaderValue, header};

/// Name and attributes of cookies that carry a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieStyle {
    /// For TLS: bound to the host and sent over TLS only.
    Secure,
    /// For plain HTTP, which the embedded plane serves on loopback.
    Plain,
}

/// The secret that a cookie carries: 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The secret of a session.
    Session,
    /// The secret of a browser that has the sign-in page open.
    Visit,
    /// The key of a form that was posted after its session had ended.
    Form,
    /// The secret of a browser that signs in with an identity provider.
    Attempt,
}

impl CookieStyle {
    /// Returns the cookie name for a kind of secret.
    pub const fn name(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Self::Secure, Kind::Session) => "__Host-opm-session",
            (Self::Plain, Kind::Session) => "opm-session",
            (Self::Secure, Kind::Visit) => "__Host-opm-visit",
            (Self::Plain, Kind::Visit) => "opm-visit",
            (Self::Secure, Kind::Form) => "__Host-opm-form",
            (Self::Plain, Kind::Form) => "opm-form",
            (Self::Secure, Kind::Attempt) => "__Host-opm-attempt",
            (Self::Plain, Kind::Attempt) => "opm-attempt",
        }
    }

    /// Reads a secret from the cookies of a request. Two cookies with the same name make the request ambiguous, so neither counts.
    pub fn read(self, kind: Kind, headers: &HeaderMap) -> Option<&str> {
        let value = Self::plain_value(headers, self.name(kind))?;
        is_secret(value).then_some(value)
    }

    /// Returns the value of a cookie, unless the name occurs twice.
    pub fn plain_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
        let mut found = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(known, _)| *known == name)
            .map(|(_, value)| value);
        let value = found.next()?;
        found.next().is_none().then_some(value)
    }

    /// Returns the `Set-Cookie` value that stores a secret in the browser for `max_age` seconds.
    pub fn set(self, kind: Kind, value: &str, max_age: i64) -> Option<HeaderValue> {
        let secure = if self == Self::Secure { "; Secure" } else { "" };
        let name = self.name(kind);
        HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}{secure}")).ok()
    }

    /// Returns the `Set-Cookie` value that stores a value that is no secret for `max_age` seconds.
    pub fn plain(self, name: &str, value: &str, max_age: u32) -> Option<HeaderValue> {
        let secure = if self == Self::Secure { "; Secure" } else { "" };
        HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={max_age}{secure}")).ok()
    }

    /// Returns the `Set-Cookie` value that removes a secret from the browser.
    pub fn clear(self, kind: Kind) -> HeaderValue {
        self.set(kind, "", 0).unwrap_or(HeaderValue::from_static(""))
    }
}

/// Checks the format of a secret; nothing else is looked up.
fn is_secret(value: &str) -> bool {
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
        assert_eq!(CookieStyle::Plain.read(Kind::Session, &mine), Some(value.as_str()));
        assert_eq!(CookieStyle::Plain.read(Kind::Visit, &mine), None);
        assert_eq!(CookieStyle::Secure.read(Kind::Session, &mine), None, "over TLS only the host-bound name counts");
        assert_eq!(CookieStyle::Plain.read(Kind::Session, &headers(&["opm-session=short"])), None);
        let twice = headers(&[&format!("opm-session={value}; opm-session={}", "cd".repeat(32))]);
        assert_eq!(CookieStyle::Plain.read(Kind::Session, &twice), None);
    }

    #[test]
    fn is_closed_to_scripts_and_foreign_sites() {
        let plain = CookieStyle::Plain.set(Kind::Session, "v", 60).unwrap();
        assert_eq!(plain, "opm-session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60");
        let secure = CookieStyle::Secure.set(Kind::Session, "v", 60).unwrap();
        assert_eq!(secure, "__Host-opm-session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure");
        assert_eq!(CookieStyle::Plain.clear(Kind::Visit), "opm-visit=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    }
}
