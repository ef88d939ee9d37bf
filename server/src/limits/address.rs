//! Client addresses of requests.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use http::HeaderMap;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address by which requests without a known person are limited. For IPv6 it is the /64 network, which a single machine can have to
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(Option<IpAddr>);

impl ClientAddress {
    /// Returns the address of the peer; if that is a trusted proxy, the last address in `X-Forwarded-For` that isn't one. Anything before
    /// it came with the request and can be forged.
    pub(super) fn of(peer: Option<IpAddr>, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
        let mut client = peer.map(|peer| peer.to_canonical());
        let forwarded: Vec<&str> = headers.get_all(FORWARDED_FOR).iter().flat_map(|line| line.to_str().unwrap_or("?").split(',')).collect();
        for hop in forwarded.into_iter().rev() {
            match (client, parse(hop)) {
                (Some(here), Some(before)) if is_trusted(here) => client = Some(before),
                _ => break,
            }
        }
        Self(client.map(limited))
    }
}

/// Parses an entry of `X-Forwarded-For`: an address, to which some proxies append a port.
fn parse(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = hop.strip_prefix('[').and_then(|rest| rest.split(']').next()).unwrap_or(hop);
    let without_port = || bare.rsplit_once(':').and_then(|(host, _)| host.parse::<Ipv4Addr>().ok()).map(IpAddr::V4);
    bare.parse::<IpAddr>().ok().or_else(without_port).map(|address| address.to_canonical())
}

fn limited(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

/// An address, or a network such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

/// The text isn't a network.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("enter an address or a network, such as 10.0.0.7 or 10.0.0.0/8")]
pub struct NotANetwork;

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| NotANetwork)?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.parse().map_err(|_| NotANetwork))?;
        if prefix <= longest { Ok(Self { address, prefix }) } else { Err(NotANetwork) }
    }
}

impl Network {
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                (network.to_bits() ^ address.to_bits()).checked_shr(32 - self.prefix).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                (network.to_bits() ^ address.to_bits()).checked_shr(128 - self.prefix).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str], trusted: &[&str]) -> ClientAddress {
        let headers = forwarded.iter().map(|line| (FORWARDED_FOR.parse().unwrap(), line.parse().unwrap())).collect();
        let trusted: Vec<Network> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        ClientAddress::of(Some(peer.parse().unwrap()), &headers, &trusted)
    }

    fn is(address: &str) -> ClientAddress {
        ClientAddress(Some(address.parse().unwrap()))
    }

    #[test]
    fn a_forged_header_changes_nothing() {
        assert_eq!(client("203.0.113.9", &["1.2.3.4"], &[]), is("203.0.113.9"));
        assert_eq!(client("127.0.0.1", &["1.2.3.4"], &[]), is("127.0.0.1"), "a proxy on this machine has to be named, too");
        assert_eq!(client("203.0.113.9", &["1.2.3.4"], &["10.0.0.0/8"]), is("203.0.113.9"), "who comes past the proxy is not believed");
        assert_eq!(
            client("10.0.0.7", &["1.2.3.4, 198.51.100.5"], &["10.0.0.0/8"]),
            is("198.51.100.5"),
            "nor is what came with the request"
        );
    }

    #[test]
    fn a_trusted_proxy_says_who_comes() {
        assert_eq!(client("10.0.0.7", &["198.51.100.5"], &["10.0.0.7"]), is("198.51.100.5"));
        assert_eq!(client("::ffff:10.0.0.7", &["198.51.100.5:4711"], &["10.0.0.7"]), is("198.51.100.5"));
        assert_eq!(client("10.0.0.7", &["198.51.100.5", "10.0.0.8"], &["10.0.0.0/24"]), is("198.51.100.5"), "through two proxies");
        assert_eq!(client("10.0.0.7", &["[2001:db8:1:2::9]:80"], &["10.0.0.7"]), is("2001:db8:1:2::"));
        for unreadable in [&[][..], &["unknown"], &["1.2.3.4, _hidden"], &[""]] {
            assert_eq!(client("10.0.0.7", unreadable, &["10.0.0.7"]), is("10.0.0.7"), "{unreadable:?}");
        }
    }

    #[test]
    fn one_machine_cannot_choose_among_its_own_addresses() {
        assert_eq!(client("2001:db8:1:2::9", &[], &[]), client("2001:db8:1:2:ffff::1", &[], &[]));
        assert_ne!(client("2001:db8:1:2::9", &[], &[]), client("2001:db8:1:3::9", &[], &[]));
    }

    #[test]
    fn networks_are_read_and_matched() {
        let has = |network: &str, address: &str| network.parse::<Network>().unwrap().contains(address.parse().unwrap());
        assert!(has("10.0.0.0/8", "10.255.0.1") && !has("10.0.0.0/8", "11.0.0.1") && has("0.0.0.0/0", "9.9.9.9"));
        assert!(has("fd00::/8", "fd12::1") && !has("fd00::/8", "2001::1") && !has("0.0.0.0/0", "::1") && has("::1", "::1"));
        for wrong in ["", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "proxy.example", "::/129"] {
            assert_eq!(wrong.parse::<Network>(), Err(NotANetwork), "{wrong}");
        }
    }
}
