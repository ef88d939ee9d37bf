//! Addresses of this site, as far as strangers may choose them.

/// `next` when it is an address of this site, else home: one slash and then something that no browser takes for a host.
pub fn local(next: &str) -> &str {
    let local = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains(['\\', '\n', '\r', '\t'])
        && next.parse::<http::Uri>().is_ok_and(|uri| uri.host().is_none());
    if local { next } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn nobody_is_sent_elsewhere() {
        for stays in ["/", "/w/root:acme:shop/catalog?q=a", "/approvals"] {
            assert_eq!(local(stays), stays);
        }
        for goes in ["", "//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)", "evil"] {
            assert_eq!(local(goes), "/", "{goes}");
        }
    }
}
