//! Addresses to which secrets can be sent.

use openidconnect::url::{Host, Url};

/// Checks whether what is sent to this address can only be read there: TLS, or this machine.
pub(crate) fn is_secure(url: &Url) -> bool {
    let here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => return false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && here)
}
