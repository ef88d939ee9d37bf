//! String formats that the API server checks; it ignores all others.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

use crate::request_uri::RequestUri;

/// Whether a string has the format; formats that aren't checked accept every string.
pub fn is_valid(format: &str, text: &str) -> bool {
    match format {
        "byte" => is_base64(text),
        "cidr" => is_cidr(text),
        "date" => is_date(text),
        "date-time" | "datetime" => is_date_time(text),
        "duration" => is_duration(text),
        "email" => is_email(text),
        "hostname" => is_hostname(text),
        "ipv4" => is_address(text) && text.contains('.'),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "k8s-short-name" => is_label(text, 63),
        "k8s-long-name" => !text.is_empty() && text.len() <= 253 && text.split('.').all(|label| is_label(label, 253)),
        "mac" => is_mac(text),
        "uri" => RequestUri::is_valid(text),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some('3')),
        "uuid4" => is_uuid(text, Some('4')),
        "uuid5" => is_uuid(text, Some('5')),
        "bsonobjectid" => text.len() == 24 && is_hexadecimal(text),
        "hexcolor" => {
            let digits = text.strip_prefix('#').unwrap_or(text);
            matches!(digits.len(), 3 | 6) && is_hexadecimal(digits)
        }
        "rgbcolor" => is_rgb(text),
        "isbn10" => is_isbn10(&digits_of(text)),
        "isbn13" => is_isbn13(&digits_of(text)),
        "isbn" => is_isbn10(&digits_of(text)) || is_isbn13(&digits_of(text)),
        "creditcard" => is_credit_card(&digits_of(text)),
        "ssn" => {
            let parts: Vec<&str> = text.split(['-', ' ']).collect();
            parts.len() == 3 && [3, 2, 4].iter().zip(&parts).all(|(length, part)| part.len() == *length && is_decimal(part))
        }
        _ => true,
    }
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_label(text: &str, limit: usize) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    (1..=limit).contains(&bytes.len())
        && bytes.iter().all(|byte| alphanumeric(*byte) || *byte == b'-')
        && [bytes.first(), bytes.last()].into_iter().flatten().all(|byte| alphanumeric(*byte))
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// Whether a text is an IP address. The numbers of an IPv4 address can have leading zeros, as API servers have always read them.
fn is_address(text: &str) -> bool {
    let start = text.rfind(':').map_or(0, |colon| colon + 1);
    let (lead, numbers) = text.split_at(start);
    if !numbers.contains('.') {
        return text.parse::<Ipv6Addr>().is_ok();
    }
    let plain = |number: &str| if is_decimal(number) { format!("{:0>1}", number.trim_start_matches('0')) } else { number.to_owned() };
    let numbers: Vec<String> = numbers.split('.').map(plain).collect();
    format!("{lead}{}", numbers.join(".")).parse::<IpAddr>().is_ok()
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = if address.contains(':') { 128 } else { 32 };
    is_address(address) && is_decimal(bits) && bits.parse::<u32>().is_ok_and(|bits| bits <= most)
}

fn is_mac(text: &str) -> bool {
    let separator = if text.contains(':') { ':' } else { '-' };
    if text.contains('.') {
        let parts: Vec<&str> = text.split('.').collect();
        return matches!(parts.len(), 3 | 4 | 10) && parts.iter().all(|part| part.len() == 4 && is_hexadecimal(part));
    }
    let parts: Vec<&str> = text.split(separator).collect();
    matches!(parts.len(), 6 | 8 | 20) && parts.iter().all(|part| part.len() == 2 && is_hexadecimal(part))
}

fn is_uuid(text: &str, version: Option<char>) -> bool {
    let plain: String = text.chars().filter(|character| *character != '-').collect();
    let dashes_fit = text.len() == 32 || (text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes()[*at] == b'-'));
    let variant_fits =
        || matches!(version, None | Some('3')) || matches!(plain.as_bytes()[16].to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b');
    dashes_fit
        && plain.len() == 32
        && is_hexadecimal(&plain)
        && version.is_none_or(|version| plain.as_bytes()[12] == version as u8)
        && variant_fits()
}

/// An address, alone or after a name: `Ada <ada@example.org>`.
fn is_email(text: &str) -> bool {
    let named = text.strip_suffix('>').and_then(|text| text.split_once('<'));
    named.map_or_else(|| is_mailbox(text), |(name, address)| !name.contains(['@', '<', '>', ',', ';', ':']) && is_mailbox(address))
}

fn is_mailbox(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let atom = |text: &str| {
        !text.is_empty() && !text.contains(|character: char| character.is_whitespace() || "()<>[]:;@\\,\"".contains(character))
    };
    let quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    (quoted || local.split('.').all(atom)) && (domain.split('.').all(atom) || (domain.starts_with('[') && domain.ends_with(']')))
}

/// A host name. Of a single label, only the second character can be a hyphen, and a last label of several has letters alone, as for API
/// servers.
fn is_hostname(text: &str) -> bool {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let letter = r"[a-zA-Z0-9\p{S}\p{L}]";
        let inside = r"[a-zA-Z0-9\-\p{S}\p{L}]";
        Regex::new(&format!(r"^(?:{letter}-?{letter}*|(?:{letter}(?:{inside}*{letter})?\.)+[a-zA-Z\p{{L}}]{{2,}})$")).ok()
    });
    let is_short = text.len() <= 255 && text.split('.').all(|label| label.len() <= 63);
    is_short && PATTERN.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// `YYYY-MM-DD`, a day that exists.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    if parts.len() != 3 || [4, 2, 2].iter().zip(&parts).any(|(length, part)| part.len() != *length || !is_decimal(part)) {
        return false;
    }
    let [Ok(year), Ok(month), Ok(day)] = [parts[0].parse::<u32>(), parts[1].parse(), parts[2].parse()] else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// RFC 3339. Any character can stand before the fraction of a second, and anything after a second `t`, as for API servers.
fn is_date_time(text: &str) -> bool {
    static TIME: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$").ok());
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time), Some(pattern)) = (parts.next(), parts.next(), TIME.as_ref()) else { return false };
    let Some(found) = pattern.captures(time) else { return false };
    is_date(date) && &found[1] <= "23" && &found[2] <= "59" && &found[3] <= "59"
}

/// RFC 3339 as the times of an object's metadata are read: with the capital letters of the format.
pub(super) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_time = bytes.get(10) == Some(&b'T') && text.matches('T').count() == 1 && !text.contains(['t', 'z']);
    let ends_well = match bytes.get(19) {
        Some(b'.' | b',') => true,
        Some(b'Z') => bytes.len() == "2006-01-02T15:04:05Z".len(),
        Some(b'+' | b'-') => bytes.len() == "2006-01-02T15:04:05+00:00".len(),
        _ => false,
    };
    has_time && ends_well && is_date_time(text)
}

/// A Go duration such as `1h30m`, or a number and a word such as `2 days`.
fn is_duration(text: &str) -> bool {
    is_go_duration(text) || is_worded_duration(text)
}

pub(crate) fn is_go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let number = rest.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(rest.len());
        let (digits, unit_on) = rest.split_at(number);
        if digits.matches('.').count() > 1 || !digits.bytes().any(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let unit = unit_on.find(|character: char| character.is_ascii_digit() || character == '.').unwrap_or(unit_on.len());
        let (unit, next) = unit_on.split_at(unit);
        if !matches!(unit, "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h") {
            return false;
        }
        rest = next;
    }
    true
}

/// Whether a text has a number with the name of a unit anywhere, such as `P1D`. Long names of units match by their beginning.
fn is_worded_duration(text: &str) -> bool {
    const UNITS: [(&[&str], &str); 8] = [
        (&["ns"], "nano"),
        (&["us", "µs"], "micro"),
        (&["ms"], "milli"),
        (&["s"], "sec"),
        (&["m"], "min"),
        (&["h", "hr"], "hour"),
        (&["d"], "day"),
        (&["w", "wk"], "week"),
    ];
    static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)").ok());
    let is_unit = |word: &str| UNITS.iter().any(|(short, long)| short.contains(&word) || word.starts_with(long));
    // One number that doesn't fit makes the whole text invalid.
    let is_number = |number: &str| number.parse::<i64>().is_ok();
    let amounts = AMOUNT.iter().flat_map(|pattern| pattern.captures_iter(text));
    let amounts: Vec<(bool, bool)> = amounts.map(|found| (is_number(&found[1]), is_unit(&found[2].to_lowercase()))).collect();
    amounts.iter().all(|(number, _)| *number) && amounts.iter().any(|(_, unit)| *unit)
}

fn is_rgb(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) else { return false };
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    parts.len() == 3 && parts.iter().all(|part| is_decimal(part) && part.parse::<u32>().is_ok_and(|value| value <= 255))
}

fn digits_of(text: &str) -> String {
    text.chars().filter(|character| !matches!(character, '-' | ' ')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let Some((digits, check)) = text.split_at_checked(9) else { return false };
    if !is_decimal(digits) || !(check == "X" || check.len() == 1 && is_decimal(check)) {
        return false;
    }
    let sum: u32 = text.bytes().zip(1..).map(|(byte, at)| at * if byte == b'X' { 10 } else { u32::from(byte - b'0') }).sum();
    sum.is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let weighted = || text.bytes().enumerate().map(|(at, byte)| u32::from(byte - b'0') * if at % 2 == 0 { 1 } else { 3 }).sum::<u32>();
    text.len() == 13 && is_decimal(text) && weighted().is_multiple_of(10)
}

/// Luhn's check over 13 to 19 digits.
fn is_credit_card(text: &str) -> bool {
    let luhn = || {
        text.bytes()
            .rev()
            .enumerate()
            .map(|(at, byte)| {
                let digit = u32::from(byte - b'0') * if at % 2 == 0 { 1 } else { 2 };
                digit / 10 + digit % 10
            })
            .sum::<u32>()
    };
    (13..=19).contains(&text.len()) && is_decimal(text) && luhn().is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_metadata_end_after_their_zone() {
        for text in ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00,5-01:00"] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in ["2024-01-01T00:00:00Z5Z", "2024-01-01T00:00:00+5+01:00", "2024-01-01t00:00:00z", "2024-01-01T00:00:00", "2024-01-01"] {
            assert!(!is_timestamp(text), "{text}");
        }
    }

    #[test]
    fn formats() {
        let cases = [
            ("date-time", "2024-01-01T00:00:00Z", true),
            ("date-time", "2024-01-01T00:00:00.123+02:00", true),
            ("date-time", "2024-02-30T00:00:00Z", false),
            ("date-time", "yesterday", false),
            ("date-time", "2024-01-01t00:00:00z", true),
            ("date-time", "2024-01-01 00:00:00Z", false),
            ("date-time", "2024-01-01T00:00:00", false),
            ("date-time", "2024-01-01T00:00Z", false),
            ("date-time", "2024-01-01T00:00:00+0000", false),
            ("date-time", "2024-01-01T24:00:00Z", false),
            ("date", "2024-02-29", true),
            ("date", "2023-02-29", false),
            ("duration", "1h30m", true),
            ("duration", "2 days", true),
            ("duration", "P1D", true),
            ("duration", "1", false),
            ("duration", "soon", false),
            ("ipv4", "1.2.3", false),
            ("ipv4", "1.2.3.4", true),
            ("ipv4", "01.2.3.4", true),
            ("ipv4", "00.2.3.256", false),
            ("ipv4", "::ffff:1.2.3.4", true),
            ("ipv4", "::1", false),
            ("ipv6", "::1", true),
            ("ipv6", "::ffff:01.2.3.4", false),
            ("cidr", "10.0.0.0/8", true),
            ("cidr", "10.0.0.0/33", false),
            ("cidr", "10.0.010.0/024", true),
            ("cidr", "0.0.0.0/0", true),
            ("cidr", "::/129", false),
            ("cidr", "10.0.0.0/", false),
            ("uri", "https://example.com/a?b=c", true),
            ("uri", "example", false),
            ("uri", "http://a:b/", false),
            ("email", "a@b.c", true),
            ("email", "a b", false),
            ("email", "Ada <a@b.c>", true),
            ("email", "Ada <b>", false),
            ("hostname", "a.bc", true),
            ("hostname", "a", true),
            ("hostname", "a-b-c.example", true),
            ("hostname", "a.b", false),
            ("hostname", "a-b-c", false),
            ("hostname", "10.0.0.1", false),
            ("hostname", "-a", false),
            ("mac", "01:23:45:67:89:ab", true),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", true),
            ("uuid4", "123e4567-e89b-12d3-a456-426614174000", false),
            ("byte", "aGk=", true),
            ("byte", "a", false),
            ("isbn", "978-3-16-148410-0", true),
            ("isbn10", "0-8044-2957-X", true),
            ("isbn10", "12345678é", false),
            ("creditcard", "4111 1111 1111 1111", true),
            ("hexcolor", "#fff", true),
            ("rgbcolor", "rgb(1,2,300)", false),
            ("k8s-short-name", "a-b", true),
            ("k8s-long-name", "a.b", true),
            ("unknown", "anything", true),
        ];
        for (format, text, valid) in cases {
            assert_eq!(is_valid(format, text), valid, "{format}: {text}");
        }
    }
}
