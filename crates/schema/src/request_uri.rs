//! URIs as API servers read them: with `url.ParseRequestURI` and `url.Parse` of Go 1.26.
//!
//! Unlike in the URL standard of browsers, a host keeps its case, and an empty path stays empty.

use std::net::Ipv6Addr;

use kube_cel::cel::objects::Opaque;

/// A URI, in the parts that rules can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestUri {
    /// Scheme in lower case; empty for a path.
    pub scheme: String,
    /// Host and port without escapes; an IPv6 address is in brackets.
    pub host: String,
    /// Path with its escapes.
    pub path: String,
    query: String,
    fragment: String,
    userinfo: String,
    opaque: String,
}

impl Opaque for RequestUri {
    fn runtime_type_name(&self) -> &str {
        "kubernetes.URL"
    }
}

/// The part of a URI that a text belongs to. Each part allows different characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    Zone,
    Path,
    Userinfo,
    Fragment,
}

impl RequestUri {
    /// Whether a text is an absolute URI, or an absolute path.
    pub fn is_valid(text: &str) -> bool {
        parts(text, true).is_some()
    }

    /// Reads a text that [`RequestUri::is_valid`] accepts. Unlike there, a fragment isn't part of the path or query.
    pub fn parse(text: &str) -> Option<Self> {
        if !Self::is_valid(text) {
            return None;
        }
        let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
        unescaped(fragment, Part::Fragment)?;
        Some(Self { fragment: fragment.to_owned(), ..parts(text, false)? })
    }

    /// Returns the host without its port, and the port; either can be empty.
    pub fn host_and_port(&self) -> (&str, &str) {
        let (host, port) = match self.host.rfind(':') {
            Some(at) if is_port(&self.host[at..]) => (&self.host[..at], &self.host[at + 1..]),
            _ => (self.host.as_str(), ""),
        };
        (host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host), port)
    }

    /// Returns the names and values of the query in their order. Pairs with invalid escapes are left out.
    pub fn query(&self) -> Vec<(String, String)> {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        let plain = |text: &str| unescaped(&text.replace('+', " "), Part::Fragment);
        pairs
            .filter_map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Some((plain(name)?, plain(value)?))
            })
            .collect()
    }
}

fn parts(text: &str, is_request: bool) -> Option<RequestUri> {
    let none = || RequestUri {
        scheme: String::new(),
        host: String::new(),
        path: String::new(),
        query: String::new(),
        fragment: String::new(),
        userinfo: String::new(),
        opaque: String::new(),
    };
    if text.bytes().any(|byte| byte.is_ascii_control()) || (text.is_empty() && is_request) {
        return None;
    }
    if text == "*" {
        return Some(RequestUri { path: text.to_owned(), ..none() });
    }
    let (scheme, rest) = scheme(text)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let uri = RequestUri { scheme: scheme.to_ascii_lowercase(), query: query.to_owned(), ..none() };
    if !rest.starts_with('/') {
        return (!scheme.is_empty()).then(|| RequestUri { opaque: rest.to_owned(), ..uri });
    }
    let has_authority = !scheme.is_empty() || (!is_request && !rest.starts_with("///"));
    let Some(rest) = rest.strip_prefix("//").filter(|_| has_authority) else {
        return Some(RequestUri { path: path(rest)?, ..uri });
    };
    let (authority, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (userinfo, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let is_userinfo = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !userinfo.bytes().all(is_userinfo) {
        return None;
    }
    unescaped(userinfo, Part::Userinfo)?;
    Some(RequestUri { userinfo: userinfo.to_owned(), host: self::host(scheme, host)?, path: path(rest)?, ..uri })
}

/// Splits off the scheme; empty if there is none. `None` if it is missing before a colon.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at > 0 => return Some((&text[..at], &text[at + 1..])),
            b':' => return None,
            _ => break,
        }
    }
    Some(("", text))
}

fn host(scheme: &str, text: &str) -> Option<String> {
    // The host of a database can list several servers with their ports.
    let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    let port = if is_web { text.find(':') } else { text.rfind(':') };
    match text.rfind('[') {
        Some(0) => {
            let (inside, port) = text[1..].rsplit_once(']')?;
            let (address, zone) = inside.split_at(inside.find("%25").unwrap_or(inside.len()));
            let address = unescaped(address, Part::Host)?;
            address.parse::<Ipv6Addr>().ok()?;
            let zone = unescaped(zone, Part::Zone)?;
            (is_port(port) && zone != "%").then(|| format!("[{address}{zone}]{port}"))
        }
        Some(_) => None,
        None if port.is_some_and(|at| !is_port(&text[at..])) => None,
        None => unescaped(text, Part::Host),
    }
}

/// Whether a text is empty, or a colon with digits or none.
fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the path with its escapes, or as it is escaped by default if it has characters that need it.
fn path(text: &str) -> Option<String> {
    let plain = unescaped(text, Part::Path)?;
    let is_escaped = |byte: u8| b"!$&'()*+,;=:@[]%".contains(&byte) || !needs_escape(byte, Part::Path);
    if text.bytes().all(is_escaped) {
        return Some(text.to_owned());
    }
    let escape = |byte: u8| if needs_escape(byte, Part::Path) { format!("%{byte:02X}") } else { char::from(byte).to_string() };
    Some(plain.bytes().map(escape).collect())
}

/// Replaces the escapes of a text. `None` if one is invalid, or a character has to be escaped.
fn unescaped(text: &str, part: Part) -> Option<String> {
    let is_of_host = matches!(part, Part::Host | Part::Zone);
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at).copied() {
        if byte != b'%' {
            if is_of_host && byte.is_ascii() && needs_escape(byte, part) {
                return None;
            }
            plain.push(byte);
            at += 1;
            continue;
        }
        let digits = text.get(at + 1..at + 3).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        let value = u8::from_str_radix(digits, 16).ok()?;
        let is_percent = digits == "25";
        // In a host, only other scripts are escaped; in a zone, also characters that a host can have, and blanks.
        let is_allowed = match part {
            Part::Host => !value.is_ascii() || is_percent,
            Part::Zone => is_percent || value == b' ' || !needs_escape(value, Part::Host),
            _ => true,
        };
        if !is_allowed {
            return None;
        }
        plain.push(value);
        at += 3;
    }
    Some(String::from_utf8_lossy(&plain).into_owned())
}

fn needs_escape(byte: u8, part: Part) -> bool {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        return false;
    }
    match part {
        Part::Host | Part::Zone => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
        Part::Path => !b"$&+,/:;=@".contains(&byte),
        Part::Userinfo | Part::Fragment => true,
    }
}

#[cfg(test)]
mod tests {
    use super::RequestUri;

    /// Recorded from kube-apiserver 1.36, with `isURL(self.x)`.
    #[test]
    fn texts_are_uris_as_for_an_api_server() {
        for text in [
            "http://:3128",
            "http://",
            "http:///x",
            "http://a.b:99999/",
            "http://a.b:",
            "*",
            "http://[fe80::1%25en0]/",
            "http://[::1]:80/x",
            "/path",
            "//host/path",
            "mailto:a@b",
            "http://a.b/c#d",
            "HTTP://A.B",
            "http://exämple.org/ü",
            "http://a.b/c d?e=f g",
            "http://a/?q=%zz",
            "http://a/<b>",
            "http://u:p@h/x",
            "mongodb://u:p@h1:27017,h2:27017/db",
        ] {
            assert!(RequestUri::is_valid(text), "{text}");
        }
        for text in [
            "",
            " ",
            "path",
            "https://\ntestingress.com",
            "http://proxy.example.com:3128#frag",
            "http://a/%zz",
            "http://a\tb",
            "http://h%41/",
            "http://[::1",
            "http://a:port/",
            "http://a:80:90/",
            "http://a b/",
            "1http://a",
            "?x=1",
            "http://a^b/",
        ] {
            assert!(!RequestUri::is_valid(text), "{text}");
            assert_eq!(RequestUri::parse(text), None);
        }
    }

    /// Recorded from kube-apiserver 1.36, with the functions that read a URL.
    #[test]
    fn parts_are_those_that_an_api_server_reads() {
        for (text, host, hostname, port, path) in [
            ("http://:3128", ":3128", "", "3128", ""),
            ("/path", "", "", "", "/path"),
            ("//host/path", "host", "host", "", "/path"),
            ("http:///x", "", "", "", "/x"),
            ("http://[::1]:80/x", "[::1]:80", "::1", "80", "/x"),
            ("http://[fe80::1%25en0]/", "[fe80::1%en0]", "fe80::1%en0", "", "/"),
            ("HTTP://A.B", "A.B", "A.B", "", ""),
            ("http://exämple.org/ü", "exämple.org", "exämple.org", "", "/%C3%BC"),
            ("http://a.b:", "a.b:", "a.b", "", ""),
            ("http://a.b?x", "a.b", "a.b", "", ""),
            ("http://a.b/c#d", "a.b", "a.b", "", "/c"),
            ("mailto:a@b", "", "", "", ""),
            ("*", "", "", "", "*"),
        ] {
            let uri = RequestUri::parse(text).unwrap();
            assert_eq!((uri.host.as_str(), uri.host_and_port(), uri.path.as_str()), (host, (hostname, port), path), "{text}");
        }
        let uri = RequestUri::parse("http://a?x=1&x=%20+2&y&%zz=3&a;b=4").unwrap();
        let expected = [("x", "1"), ("x", "  2"), ("y", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!((uri.scheme.as_str(), uri.query()), ("http", expected.to_vec()));
    }
}
