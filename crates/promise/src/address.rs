//! Addresses of the internet: which of them are public, and which a network contains.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the public internet; addresses with any other purpose don't.
pub fn is_public(address: IpAddr) -> bool {
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

/// A network, such as `10.1.0.0/16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    last: IpAddr,
    /// Number of bits that its addresses differ in.
    free: u32,
}

impl Network {
    /// Parses an address and the length of the prefix, separated by a slash. Bits after the prefix don't matter. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        if !length.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let length: u32 = length.parse().ok()?;
        match address.parse().ok()? {
            IpAddr::V4(address) => {
                let free = 32_u32.checked_sub(length)?;
                let mask = u32::MAX.checked_shl(free).unwrap_or(0);
                let first = address.to_bits() & mask;
                Some(Self { first: Ipv4Addr::from_bits(first).into(), last: Ipv4Addr::from_bits(first | !mask).into(), free })
            }
            IpAddr::V6(address) => {
                let free = 128_u32.checked_sub(length)?;
                let mask = u128::MAX.checked_shl(free).unwrap_or(0);
                let first = address.to_bits() & mask;
                Some(Self { first: Ipv6Addr::from_bits(first).into(), last: Ipv6Addr::from_bits(first | !mask).into(), free })
            }
        }
    }

    /// Returns the first and the last address.
    pub fn range(&self) -> (IpAddr, IpAddr) {
        (self.first, self.last)
    }

    /// Returns the number of addresses; `None` if there are more than that of all IPv4 addresses.
    pub fn size(&self) -> Option<u64> {
        (self.free <= 32).then(|| 1 << self.free)
    }

    /// Whether an address leads into the network, by itself or by the IPv4 address that it stands for.
    pub fn contains(&self, address: IpAddr) -> bool {
        let holds = |address: IpAddr| address.is_ipv4() == self.first.is_ipv4() && (self.first..=self.last).contains(&address);
        let inner = match address {
            IpAddr::V6(address) => carried(address),
            IpAddr::V4(_) => None,
        };
        holds(address) || inner.is_some_and(|inner| holds(inner.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Network, is_public};

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
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd00::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::10.0.0.1",
            "2002:0a00:0001::1",
            "2001:db8::1",
            "3fff::1",
            "2001::1",
            "100::1",
            "::10.0.0.1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn a_network_contains_its_addresses_however_they_are_written() {
        let contains = |network: &str, address: &str| Network::parse(network).unwrap().contains(address.parse().unwrap());
        for (network, inside, outside) in [
            ("127.0.0.0/8", "127.1.2.3", "128.0.0.1"),
            ("127.0.0.1/32", "127.0.0.1", "127.0.0.2"),
            ("10.1.7.9/16", "10.1.0.0", "10.2.0.0"),
            ("10.0.0.0/8", "::ffff:10.0.0.1", "::ffff:11.0.0.1"),
            ("10.0.0.0/8", "64:ff9b::10.0.0.1", "::10.0.0.1"),
            ("::1/128", "::1", "127.0.0.1"),
            ("fd00::/8", "fd12::1", "fc00::1"),
            ("0.0.0.0/0", "255.255.255.255", "::1"),
        ] {
            assert!(contains(network, inside), "{network} {inside}");
            assert!(!contains(network, outside), "{network} {outside}");
        }
        for text in ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/+8", "::/129", "localhost/8", "10.0.0/8", "0x7f.0.0.1/8", ""] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
