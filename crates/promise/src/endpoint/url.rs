//! URLs of Endpoints.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::path::{self, PathError};

/// A server and the path that calls go below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointUrl {
    /// Whether the connection is encrypted.
    pub encrypted: bool,
    /// Name in lower case, or address without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Path without a slash at its end; empty for the whole server.
    pub base: String,
}

/// Why a URL isn't used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It has no known scheme.
    #[error("begin with https://, or with http:// for a server in `addresses`")]
    Scheme,
    /// It has a user name or a password.
    #[error("leave out user name and password; a Secret has the credential")]
    UserInfo,
    /// It has no host, or one that isn't a DNS name or an address.
    #[error("name the host by its DNS name or its address")]
    Host,
    /// Its port isn't a number from 1 to 65535.
    #[error("the port must be a number from 1 to 65535")]
    Port,
    /// Its path can't be used.
    #[error("{0}")]
    Path(PathError),
}

impl EndpointUrl {
    /// Parses a URL.
    ///
    /// # Errors
    /// If it isn't one, or has parts that calls can't have.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let (encrypted, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(UrlError::Scheme),
        };
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if authority.contains('@') {
            return Err(UrlError::UserInfo);
        }
        let (host, port) = parts(authority)?;
        let port = match port {
            None => {
                if encrypted {
                    443
                } else {
                    80
                }
            }
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok().filter(|port| *port != 0).ok_or(UrlError::Port)?
            }
            Some(_) => return Err(UrlError::Port),
        };
        if !path.is_empty() {
            path::read(path).map_err(UrlError::Path)?;
        }
        Ok(Self { encrypted, host, port, base: path.trim_end_matches('/').to_owned() })
    }

    /// Returns host and port, as the header `Host` has them.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == if self.encrypted { 443 } else { 80 } { host } else { format!("{host}:{}", self.port) }
    }
}

/// Returns the host, and the text of the port.
fn parts(authority: &str) -> Result<(String, Option<&str>), UrlError> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, port) = rest.split_once(']').ok_or(UrlError::Host)?;
        let address: Ipv6Addr = address.parse().map_err(|_| UrlError::Host)?;
        let port = match port.strip_prefix(':') {
            None if !port.is_empty() => return Err(UrlError::Host),
            port => port,
        };
        return Ok((address.to_string(), port));
    }
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    let host = host.to_ascii_lowercase();
    // Resolvers read texts such as 127.1 and 0x7f000001 as addresses.
    let is_number = host.rsplit('.').next().is_some_and(|last| last.starts_with(|first: char| first.is_ascii_digit()));
    let is_known = if is_number { host.parse::<Ipv4Addr>().is_ok() } else { is_name(&host) };
    if is_known { Ok((host, port)) } else { Err(UrlError::Host) }
}

fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=63).contains(&label.len()) && label.bytes().all(is_inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    host.len() <= 253 && host.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_server_and_a_path() {
        for (text, encrypted, host, port, base, authority) in [
            ("https://tickets.example.org", true, "tickets.example.org", 443, "", "tickets.example.org"),
            ("https://Tickets.example.org/", true, "tickets.example.org", 443, "", "tickets.example.org"),
            ("https://tickets.example.org:8443/api/v2/", true, "tickets.example.org", 8443, "/api/v2", "tickets.example.org:8443"),
            ("https://tickets.example.org:443/api", true, "tickets.example.org", 443, "/api", "tickets.example.org"),
            ("http://127.0.0.1:8080", false, "127.0.0.1", 8080, "", "127.0.0.1:8080"),
            ("http://[::1]:8080/a", false, "::1", 8080, "/a", "[::1]:8080"),
            ("https://[2001:db8::1]", true, "2001:db8::1", 443, "", "[2001:db8::1]"),
            ("http://tickets", false, "tickets", 80, "", "tickets"),
        ] {
            let url = EndpointUrl::parse(text).unwrap();
            let expected = EndpointUrl { encrypted, host: host.to_owned(), port, base: base.to_owned() };
            assert_eq!((&url, url.authority().as_str()), (&expected, authority), "{text}");
        }
    }

    #[test]
    fn a_url_with_anything_else_is_refused() {
        for (text, why) in [
            ("", UrlError::Scheme),
            ("tickets.example.org", UrlError::Scheme),
            ("ftp://tickets.example.org", UrlError::Scheme),
            ("HTTPS://tickets.example.org", UrlError::Scheme),
            ("https:tickets.example.org", UrlError::Scheme),
            ("https://ada:secret@tickets.example.org", UrlError::UserInfo),
            ("https://tickets.example.org@evil.example", UrlError::UserInfo),
            ("https://tickets.example.org:443@evil.example/", UrlError::UserInfo),
            ("https://", UrlError::Host),
            ("https:///tickets", UrlError::Host),
            ("https://:443", UrlError::Host),
            ("https://tickets_example.org", UrlError::Host),
            ("https://-tickets.example.org", UrlError::Host),
            ("https://tickets..example.org", UrlError::Host),
            ("https://tickets.example.org.", UrlError::Host),
            ("https://tickets example.org", UrlError::Host),
            ("https://tickets%2eexample.org", UrlError::Host),
            ("https://127.1", UrlError::Host),
            ("https://2130706433", UrlError::Host),
            ("https://0x7f000001", UrlError::Host),
            ("https://0177.0.0.1", UrlError::Host),
            ("https://127.0.0.1.", UrlError::Host),
            ("https://[::1", UrlError::Host),
            ("https://[::1]x", UrlError::Host),
            ("https://[fe80::1%25eth0]", UrlError::Host),
            ("https://::1", UrlError::Host),
            ("https://tickets.example.org:0", UrlError::Port),
            ("https://tickets.example.org:", UrlError::Port),
            ("https://tickets.example.org:65536", UrlError::Port),
            ("https://tickets.example.org:+443", UrlError::Port),
            ("https://tickets.example.org:443:80", UrlError::Port),
            ("https://tickets.example.org?a=b", UrlError::Path(PathError::Query)),
            ("https://tickets.example.org/?a=b", UrlError::Path(PathError::Query)),
            ("https://tickets.example.org#a", UrlError::Path(PathError::Query)),
            ("https://tickets.example.org/a/../b", UrlError::Path(PathError::Dots)),
            ("https://tickets.example.org//a", UrlError::Path(PathError::EmptyPart)),
            ("https://tickets.example.org\\@evil.example", UrlError::Path(PathError::NotAbsolute)),
        ] {
            assert_eq!(EndpointUrl::parse(text), Err(why), "{text}");
        }
    }
}
