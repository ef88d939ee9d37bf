//! Addresses and ranges of the internet protocol.
//! Source: apimachinery `pkg/util/validation/ip.go`; kubernetes `pkg/apis/core/validation` (`ValidateEndpointIP`).

use std::net::IpAddr;

use serde_json::Value;

use super::reading::text;
use crate::status::Cause;

/// What is said of a text that is no address.
pub(super) const FORM: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const RANGE: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/// An address as Go reads it: parts of version 4 may have zeros in front.
pub(super) fn parse(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        return text.parse().ok();
    }
    let parts: Vec<&str> = text
        .split('.')
        .map(|part| match part.trim_start_matches('0') {
            "" if !part.is_empty() => "0",
            rest => rest,
        })
        .collect();
    parts.join(".").parse().ok()
}

/// Whether a text is an address without zeros in front of its parts.
pub(super) fn is_plain(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

/// Whether a text is an address of version 6.
pub(super) fn is_v6(text: &str) -> bool {
    matches!(parse(text), Some(IpAddr::V6(address)) if address.to_ipv4_mapped().is_none())
}

/// An address; those that were there before are not judged. Tells whether nothing is wrong.
pub(super) fn ip(field: &str, value: &Value, known: &[Value], causes: &mut Vec<Cause>) -> bool {
    if known.contains(value) {
        return true;
    }
    let text = text(value);
    let fault = match parse(text) {
        None => FORM,
        Some(_) if !is_plain(text) => "must not have leading 0s",
        Some(IpAddr::V6(address)) if address.to_ipv4_mapped().is_some() => "must not be an IPv4-mapped IPv6 address",
        Some(_) => return true,
    };
    causes.push(Cause::invalid(field, value, fault));
    false
}

/// An address at which something may be reached from elsewhere.
pub(super) fn reachable(field: &str, value: &Value, causes: &mut Vec<Cause>) {
    let text = text(value);
    let Some(address) = parse(text).map(|address| address.to_canonical()) else {
        causes.push(Cause::invalid(field, value, "must be a valid IP address"));
        return;
    };
    let (local, multicast) = match address {
        IpAddr::V4(address) => (address.is_link_local(), address.octets()[..3] == [224, 0, 0]),
        IpAddr::V6(address) => (address.segments()[0] & 0xffc0 == 0xfe80, address.segments()[0] & 0xff0f == 0xff02),
    };
    let mut refuse = |fault: &str| causes.push(Cause::invalid(field, value, fault));
    if address.is_unspecified() {
        refuse(&format!("may not be unspecified ({text})"));
    }
    if address.is_loopback() {
        refuse("may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    if local {
        refuse("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    if multicast {
        refuse("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    }
}

/// A range of addresses: the first, and how many bits all have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    address: IpAddr,
    bits: u32,
}

impl Range {
    /// A range as Go reads it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        let address = parse(address)?;
        let digits = !bits.is_empty() && bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits: u32 = if digits { bits.parse().ok()? } else { return None };
        (bits <= width(address)).then_some(Self { address, bits })
    }

    /// Whether this is of version 6.
    pub(super) fn is_v6(self) -> bool {
        self.address.is_ipv6()
    }

    /// Whether all of another range is in this one, which has more beside.
    pub(super) fn exceeds(self, other: Self) -> bool {
        self.is_v6() == other.is_v6() && self.bits < other.bits && masked(other.address, self.bits) == masked(self.address, self.bits)
    }
}

fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The first bits of an address.
fn masked(address: IpAddr, bits: u32) -> u128 {
    let number = match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    };
    number.checked_shr(width(address).saturating_sub(bits)).unwrap_or_default()
}

/// A range; those that were there before are not judged. The answer is the range, if it can be read.
pub(super) fn range(field: &str, text: &str, known: &[&str], causes: &mut Vec<Cause>) -> Option<Range> {
    let read = Range::parse(text);
    if known.contains(&text) {
        return read;
    }
    let mut refuse = |fault: &str| causes.push(Cause::invalid(field, &text.into(), fault));
    let Some(found) = read else {
        refuse(RANGE);
        return None;
    };
    let (address, bits) = text.split_once('/').unwrap_or_default();
    let rest = width(found.address) - found.bits;
    let start = masked(found.address, found.bits).checked_shl(rest).unwrap_or_default();
    if !is_plain(address) || (bits.len() > 1 && bits.starts_with('0')) {
        refuse("must not have leading 0s in IP or prefix length");
    } else if matches!(found.address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some()) {
        refuse("must not have an IPv4-mapped IPv6 address");
    } else if start != masked(found.address, width(found.address)) {
        refuse("must not have bits set beyond the prefix length");
    }
    read
}

/// What is told of an address that is not written as it should be.
pub(in crate::builtin) fn unusual(field: &str, text: &str) -> Option<String> {
    let Some(IpAddr::V6(address)) = parse(text) else { return None };
    let usual = address.to_string();
    (usual != text).then(|| format!("{field}: IPv6 address {text:?} should be in RFC 5952 canonical format ({usual:?})"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(check: impl Fn(&mut Vec<Cause>)) -> Vec<String> {
        let mut causes = Vec::new();
        check(&mut causes);
        causes.into_iter().map(|cause| cause.message).collect()
    }

    #[test]
    fn addresses_are_written_without_leading_zeros() {
        for (text, fault) in [
            ("1.2.3.4", None),
            ("2001:db8::1", None),
            ("1.2.3", Some("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")),
            ("1.2.3.04", Some("must not have leading 0s")),
            ("::ffff:1.2.3.4", Some("must not be an IPv4-mapped IPv6 address")),
        ] {
            let found = faults(|causes| {
                ip("f", &json!(text), &[], causes);
            });
            let expected: Vec<String> = fault.map(|fault| format!("Invalid value: {text:?}: {fault}")).into_iter().collect();
            assert_eq!(found, expected, "{text}");
        }
        assert!(ip("f", &json!("x"), &[json!("x")], &mut Vec::new()), "what was there is not judged");
    }

    #[test]
    fn ranges_have_no_bits_beyond_their_prefix() {
        for (text, is_good) in [
            ("10.0.0.0/8", true),
            ("10.0.0.1/8", false),
            ("0.0.0.0/0", true),
            ("10.0.0.0/33", false),
            ("::/0", true),
            ("2001:db8::/64", true),
            ("2001:db8::1/64", false),
            ("10.0.0.1", false),
            ("x", false),
        ] {
            let found = faults(|causes| {
                range("f", text, &[], causes);
            });
            assert_eq!(found.is_empty(), is_good, "{text}");
        }
        let of = |text: &str| Range::parse(text).unwrap();
        assert!(of("10.0.0.0/8").exceeds(of("10.1.0.0/16")));
        assert!(!of("10.0.0.0/8").exceeds(of("11.0.0.0/9")));
        assert!(!of("10.0.0.0/8").exceeds(of("10.0.0.0/8")));
        assert!(of("::/0").exceeds(of("2001:db8::/64")));
    }
}
