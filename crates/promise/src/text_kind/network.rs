//! Networks in words: how many addresses, and the first and the last.

use super::quantity::grouped;
use crate::address::Network;

/// Returns the size and range of a network.
pub(super) fn said(text: &str) -> Option<String> {
    let network = Network::parse(text)?;
    let (first, last) = network.range();
    Some(in_words(network.size().map(u128::from), &(first.to_string(), last.to_string())))
}

/// Counts that say nothing to people are left out.
fn in_words(count: Option<u128>, (first, last): &(String, String)) -> String {
    match count {
        Some(1) => format!("1 address, {first}"),
        Some(count) => format!("{} addresses, {first}–{last}", grouped(count)),
        None => format!("{first}–{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn networks_have_a_size_and_a_range() {
        for (text, words) in [
            ("10.0.0.0/24", Some("256 addresses, 10.0.0.0–10.0.0.255")),
            ("10.0.7.9/16", Some("65,536 addresses, 10.0.0.0–10.0.255.255")),
            ("0.0.0.0/0", Some("4,294,967,296 addresses, 0.0.0.0–255.255.255.255")),
            ("192.0.2.1/32", Some("1 address, 192.0.2.1")),
            ("2001:db8::/112", Some("65,536 addresses, 2001:db8::–2001:db8::ffff")),
            ("2001:db8::/64", Some("2001:db8::–2001:db8::ffff:ffff:ffff:ffff")),
            ("::/0", Some("::–ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")),
            ("10.0.0.0/33", None),
            ("10.0.0.0/-1", None),
            ("10.0.0.0/+8", None),
            ("10.0.0.0", None),
            ("x/8", None),
        ] {
            assert_eq!(said(text).as_deref(), words, "{text}");
        }
    }
}
