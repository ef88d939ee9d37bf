//! The portal's public address.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The address at which people reach the portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    /// Whether the browser uses TLS, to the portal or to a proxy in front of it.
    pub secure: bool,
    /// Host, and port unless it is the scheme's default.
    pub authority: String,
}

impl PublicUrl {
    /// Checks whether the address points to the machine on which it is opened.
    pub fn is_loopback(&self) -> bool {
        let host = match self.authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
            _ => &self.authority,
        };
        let address = host.trim_start_matches('[').trim_end_matches(']');
        // All names below localhost refer to this machine (RFC 6761).
        host == "localhost" || host.ends_with(".localhost") || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let uri: http::Uri = text.parse().map_err(|_| "enter an address such as https://portal.example.org".to_owned())?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("must start with https:// or http://".to_owned()),
        };
        let authority = uri.authority().ok_or("the host is missing")?;
        if authority.as_str().contains('@') || uri.query().is_some() || !matches!(uri.path(), "" | "/") {
            return Err("must contain only scheme, host and port".to_owned());
        }
        // Browsers omit the scheme's default port.
        let authority = authority.as_str().to_ascii_lowercase();
        let own = if secure { ":443" } else { ":80" };
        Ok(Self { secure, authority: authority.strip_suffix(own).map_or_else(|| authority.clone(), str::to_owned) })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.secure { "https" } else { "http" }, self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::PublicUrl;

    #[test]
    fn public_urls_are_scheme_host_and_port() {
        let authority = |text: &str| text.parse::<PublicUrl>().map(|url| url.authority);
        let read: PublicUrl = "https://Portal.example.org:8443/".parse().unwrap();
        assert_eq!(read, PublicUrl { secure: true, authority: "portal.example.org:8443".into() });
        assert_eq!(authority("https://portal.example.org:443").unwrap(), "portal.example.org");
        assert_eq!(authority("http://portal.example.org:443").unwrap(), "portal.example.org:443");
        for wrong in ["portal.example.org", "ftp://a", "https://a/b", "https://u@a", "https://a/?q"] {
            assert!(authority(wrong).is_err(), "{wrong}");
        }
    }
}
