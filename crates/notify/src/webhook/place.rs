//! Address of a receiver: a name is resolved once, and all of its addresses are checked before one is used.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::failure::{Failure, FailureReason};

/// Returns the address to connect to. A host with any forbidden address is refused as a whole.
pub(super) async fn address(host: &str, port: u16, allow_private: bool) -> Result<SocketAddr, Failure> {
    let found = tokio::net::lookup_host((host, port)).await.map_err(|_| unresolved(host))?;
    chosen(host, found.collect(), allow_private)
}

fn unresolved(host: &str) -> Failure {
    Failure::Later(FailureReason::Unresolved { host: host.to_owned() })
}

fn chosen(host: &str, found: Vec<SocketAddr>, allow_private: bool) -> Result<SocketAddr, Failure> {
    if let Some(private) = found.iter().find(|address| !allow_private && !is_public(address.ip())) {
        return Err(Failure::Never(FailureReason::Private { host: host.to_owned(), address: private.ip() }));
    }
    found.first().copied().ok_or_else(|| unresolved(host))
}

/// Checks whether an address belongs to the public internet; addresses with any other purpose don't.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match carried(address) {
            Some(inner) => is_public_v4(inner),
            // Global unicast, except ranges for documentation and tests.
            None => {
                let segments = address.segments();
                let global = segments[0] & 0xe000 == 0x2000;
                let special = segments[0] == 0x2001 && (segments[1] < 0x0200 || segments[1] == 0x0db8) || segments[0] == 0x3fff;
                global && !special
            }
        },
    }
}

/// Returns the IPv4 address embedded in an IPv6 address: mapped, or reached through NAT64 or 6to4.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => of(high, low),
        [0x2002, high, low, ..] => of(high, low),
        _ => None,
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || a == 0
        // Shared address space of carriers, benchmarks, protocol assignments, reserved.
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || a >= 240;
    !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        for text in ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2001:4860:4860::8888", "64:ff9b::8.8.8.8"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "127.0.0.1",
            "127.8.8.8",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.18.0.1",
            "192.0.0.8",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "2002:0a00:0001::1",
            "2001:db8::1",
            "2001::1",
            "::10.0.0.1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn one_address_that_must_not_be_refuses_the_host() {
        let at = |texts: &[&str]| texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 443)).collect::<Vec<_>>();
        let private = FailureReason::Private { host: "h".to_owned(), address: at(&["10.0.0.1"])[0].ip() };
        assert_eq!(chosen("h", at(&["8.8.8.8", "10.0.0.1"]), false), Err(Failure::Never(private)));
        assert_eq!(chosen("h", at(&["10.0.0.1"]), true), Ok(at(&["10.0.0.1"])[0]));
        assert!(matches!(chosen("h", Vec::new(), true), Err(Failure::Later(_))));
    }

    #[tokio::test]
    async fn what_looks_like_a_name_is_looked_at_as_the_address_that_it_is() {
        for host in ["127.0.0.1", "::1", "localhost"] {
            assert!(matches!(address(host, 443, false).await, Err(Failure::Never(_))), "{host}");
        }
    }
}
