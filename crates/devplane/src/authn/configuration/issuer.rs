//! Who issues tokens: where it is found, and for whom they have to be meant.

use http::Uri;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::{IssuerConfiguration, Node};
use crate::{authn::service_accounts, status::Cause};

/// Where an issuer describes itself, below its URL.
const WELL_KNOWN: &str = "/.well-known/openid-configuration";
const FIELDS: [&str; 6] = ["url", "discoveryURL", "certificateAuthority", "audiences", "audienceMatchPolicy", "egressSelectorType"];
/// The one policy for audiences.
const MATCH_ANY: &str = "MatchAny";

/// Reads an issuer. What comes back is of use only where nothing is wrong with it.
pub fn read(node: &Node<'_>, faults: &mut Vec<Cause>) -> IssuerConfiguration {
    node.expect_fields(&FIELDS, faults);
    let url = url(&node.field("url"), faults);
    let discovery = discovery(&node.field("discoveryURL"), url, faults);
    let authority = authority(&node.field("certificateAuthority"), faults);
    let audiences = audiences(node, faults);
    let egress = node.field("egressSelectorType");
    if !egress.text(faults).is_empty() {
        faults.push(Cause::forbidden(egress.path(), "the plane has no egress selectors and connects directly; remove the field"));
    }
    IssuerConfiguration { url: url.to_owned(), discovery_url: discovery, certificate_authority: authority, audiences }
}

fn url<'a>(node: &Node<'a>, faults: &mut Vec<Cause>) -> &'a str {
    let url = node.text(faults);
    if url.is_empty() {
        faults.push(Cause::required(node.path(), "set it to the issuer's https URL, exactly as in the claim iss of its tokens"));
    } else if url == service_accounts::ISSUER {
        faults.push(invalid(node, url, "the plane itself is this issuer, of the tokens of its service accounts; name another one"));
    } else {
        check_url(node, url, faults);
    }
    url
}

fn discovery(node: &Node<'_>, issuer: &str, faults: &mut Vec<Cause>) -> String {
    let url = node.text(faults);
    if url.is_empty() {
        return format!("{}{WELL_KNOWN}", issuer.strip_suffix('/').unwrap_or(issuer));
    }
    if url.trim_end_matches('/') == issuer.trim_end_matches('/') {
        let why =
            format!("must differ from issuer.url; give the whole URL of the document, or remove the field to use {{url}}{WELL_KNOWN}");
        faults.push(invalid(node, url, &why));
    }
    check_url(node, url, faults);
    url.to_owned()
}

fn check_url(node: &Node<'_>, url: &str, faults: &mut Vec<Cause>) {
    let (before_fragment, fragment) = url.split_once('#').unwrap_or((url, ""));
    let parsed = match before_fragment.parse::<Uri>() {
        Ok(parsed) if parsed.host().is_some_and(|host| !host.is_empty()) || parsed.scheme().is_none() => parsed,
        Ok(_) => return faults.push(invalid(node, url, "the URL has no host")),
        Err(error) => return faults.push(invalid(node, url, &error.to_string())),
    };
    if parsed.scheme_str() != Some("https") {
        faults.push(invalid(node, url, "the URL must begin with https://"));
    }
    if parsed.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        // A password isn't repeated.
        faults.push(Cause::invalid_shown(node.path(), "<omitted>", "the URL must not contain a user name or password"));
    }
    if parsed.query().is_some_and(|query| !query.is_empty()) {
        faults.push(invalid(node, url, "the URL must not contain a query"));
    }
    if !fragment.is_empty() {
        faults.push(invalid(node, url, "the URL must not contain a fragment"));
    }
}

/// The certificates of a PEM text.
///
/// # Errors
/// Why there are none.
pub fn certificates(pem: &str) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() { Err("no certificate was found".to_owned()) } else { Ok(roots) }
}

fn authority(node: &Node<'_>, faults: &mut Vec<Cause>) -> Option<String> {
    let pem = node.text(faults);
    if pem.is_empty() {
        return None;
    }
    if let Err(why) = certificates(pem) {
        let why = format!("{why}; give certificates in PEM, or remove the field to trust those of the machine");
        faults.push(Cause::invalid_shown(node.path(), "<omitted>", &why));
    }
    Some(pem.to_owned())
}

fn audiences(node: &Node<'_>, faults: &mut Vec<Cause>) -> Vec<String> {
    let (list, policy) = (node.field("audiences"), node.field("audienceMatchPolicy"));
    let items = list.items(faults);
    if items.is_empty() {
        faults.push(Cause::required(list.path(), "name at least one audience, such as the client ID of the portal"));
    }
    let mut audiences: Vec<String> = Vec::new();
    for item in &items {
        let audience = item.text(faults);
        if audience.is_empty() {
            faults.push(Cause::required(item.path(), "an audience can't be empty"));
        } else if audiences.iter().any(|known| known == audience) {
            faults.push(Cause::duplicate(item.path(), audience));
        }
        audiences.push(audience.to_owned());
    }
    match policy.text(faults) {
        MATCH_ANY => {}
        "" if audiences.len() < 2 => {}
        "" => faults.push(Cause::required(policy.path(), "set it to MatchAny, as there are several audiences")),
        other => faults.push(Cause::unsupported(policy.path(), other, &[MATCH_ANY])),
    }
    audiences
}

fn invalid(node: &Node<'_>, value: &str, why: &str) -> Cause {
    Cause::invalid(node.path(), &value.into(), why)
}
