//! Endpoints: which calls of a workflow may be made, and to which addresses (`api::EndpointSpec`).
//!
//! Whatever isn't listed is refused: other methods, other paths, and addresses that aren't public. A path has one meaning for everyone
//! between here and the server, so that a listed path can't lead to another one.

mod check;
mod path;
mod url;

use std::net::IpAddr;

pub use check::check;
pub use path::PathError;
pub use url::{EndpointUrl, UrlError};

use crate::address::{Network, is_public};
use crate::api::{EndpointSpec, HttpMethod};
use crate::glob;

/// Methods of an Endpoint that lists none.
pub const DEFAULT_METHODS: [HttpMethod; 2] = [HttpMethod::Get, HttpMethod::Post];
/// Header with the key of a call. A server that knows the key answers as it did the first time.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

impl HttpMethod {
    /// Every method, in the order in which they are listed for people.
    pub const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// Returns the method as it is sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Parses a method. `None` for one that no Endpoint can list.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == text)
    }
}

/// Whether promises of `home` can call an Endpoint of `owner`. Both are paths.
pub fn serves(spec: &EndpointSpec, owner: &str, home: &str) -> bool {
    owner == home || glob::any_path_matches(&spec.allowed_homes, home)
}

/// Whether an Endpoint lists a method.
pub fn allows_method(spec: &EndpointSpec, method: HttpMethod) -> bool {
    if spec.methods.is_empty() { DEFAULT_METHODS.contains(&method) } else { spec.methods.contains(&method) }
}

/// Whether an Endpoint lists a path, which is given without that of its URL.
///
/// # Errors
/// If the path doesn't mean the same to everyone, whatever is listed.
pub fn allows_path(spec: &EndpointSpec, path: &str) -> Result<bool, PathError> {
    let plain = path::read(path)?;
    let patterns = spec.paths.iter().filter_map(|pattern| path::read(pattern).ok());
    Ok(patterns.into_iter().any(|pattern| glob::url_path_matches(&pattern, &plain)))
}

/// Whether an Endpoint can be called at an address of its host: one that is listed, or a public one if the connection is encrypted.
pub fn allows_address(spec: &EndpointSpec, url: &EndpointUrl, address: IpAddr) -> bool {
    let is_listed = spec.addresses.iter().filter_map(|text| Network::parse(text)).any(|network| network.contains(address));
    is_listed || url.encrypted && is_public(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(paths: &[&str], addresses: &[&str]) -> EndpointSpec {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        EndpointSpec {
            url: "https://tickets.example.org".into(),
            paths: texts(paths),
            addresses: texts(addresses),
            ..EndpointSpec::default()
        }
    }

    #[test]
    fn only_listed_methods_are_used_and_those_that_read_and_create_if_none_is() {
        let none = EndpointSpec::default();
        let reads = EndpointSpec { methods: vec![HttpMethod::Get], ..EndpointSpec::default() };
        let allowed = |spec: &EndpointSpec| HttpMethod::ALL.into_iter().filter(|method| allows_method(spec, *method)).collect::<Vec<_>>();
        assert_eq!(allowed(&none), DEFAULT_METHODS);
        assert_eq!(allowed(&reads), [HttpMethod::Get]);
        for text in ["get", "TRACE", "CONNECT", "GET ", ""] {
            assert_eq!(HttpMethod::parse(text), None, "{text}");
        }
        for method in HttpMethod::ALL {
            assert_eq!(HttpMethod::parse(method.as_str()), Some(method));
            assert_eq!(serde_json::to_value(method).unwrap(), method.as_str());
        }
    }

    #[test]
    fn only_listed_paths_are_called() {
        let spec = spec(&["/tickets", "/tickets/*", "/files/**"], &[]);
        for (path, allowed) in [
            ("/tickets", true),
            ("/tickets/42", true),
            ("/tickets/a%20b", true),
            ("/tickets/42/comments", false),
            ("/files/a/b/c", true),
            ("/", false),
            ("/admin", false),
            ("/%74ickets/42", true),
        ] {
            assert_eq!(allows_path(&spec, path), Ok(allowed), "{path}");
        }
        let everything = EndpointSpec { paths: vec!["/**".into()], ..EndpointSpec::default() };
        assert!(allows_path(&everything, "/tickets/../admin").is_err(), "whatever is listed");
        assert_eq!(allows_path(&EndpointSpec::default(), "/"), Ok(false), "nothing is listed");
    }

    #[test]
    fn only_public_and_listed_addresses_are_called() {
        let url = |text: &str| EndpointUrl::parse(text).unwrap();
        let (https, http) = (url("https://tickets.example.org"), url("http://tickets.example.org"));
        let own = spec(&[], &["10.1.0.0/16", "::1/128"]);
        for (address, encrypted, plain) in [
            ("8.8.8.8", true, false),
            ("2606:4700::1111", true, false),
            ("10.1.2.3", true, true),
            ("::ffff:10.1.2.3", true, true),
            ("64:ff9b::10.1.2.3", true, true),
            ("::1", true, true),
            ("10.2.0.1", false, false),
            ("127.0.0.1", false, false),
            ("::ffff:127.0.0.1", false, false),
            ("169.254.169.254", false, false),
            ("::ffff:169.254.169.254", false, false),
            ("0.0.0.0", false, false),
            ("::", false, false),
            ("fd00::1", false, false),
            ("fe80::1", false, false),
            ("224.0.0.1", false, false),
            ("192.0.2.1", false, false),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!(allows_address(&own, &https, address), encrypted, "https {address}");
            assert_eq!(allows_address(&own, &http, address), plain, "http {address}");
        }
    }

    #[test]
    fn an_endpoint_serves_its_own_home_and_those_that_it_lists() {
        let open = EndpointSpec { allowed_homes: vec!["root:teams:*".into()], ..EndpointSpec::default() };
        for (home, served) in [("root:platform", true), ("root:teams:db", true), ("root:teams:db:eu", false), ("root:globex", false)] {
            assert_eq!(serves(&open, "root:platform", home), served, "{home}");
        }
    }
}
