//! String formats that the API server checks; it ignores all others.

use std::net::{Ipv4Addr, Ipv6Addr};

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
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "k8s-short-name" => is_label(text, 63),
        "k8s-long-name" => !text.is_empty() && text.len() <= 253 && text.split('.').all(|label| is_label(label, 253)),
        "mac" => is_mac(text),
        "uri" => is_uri(text),
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

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    if !is_decimal(bits) || (bits.len() > 1 && bits.starts_with('0')) {
        return false;
    }
    let Ok(bits) = bits.parse::<u8>() else { return false };
    address.parse::<Ipv4Addr>().is_ok() && bits <= 32 || address.parse::<Ipv6Addr>().is_ok() && bits <= 128
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

/// An absolute URI or an absolute path, as accepted by the API server's URL parser for requests.
fn is_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text.starts_with('/') {
        return has_sound_escapes(text);
    }
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let sound = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let authority = rest.strip_prefix("//").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let host_is_sound = authority.is_none_or(|authority| {
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let port_is_sound = match host.rsplit_once(':') {
            Some((_, port)) if !host.ends_with(']') => port.bytes().all(|byte| byte.is_ascii_digit()),
            _ => true,
        };
        port_is_sound && !host.contains([' ', '<', '>', '"'])
    });
    sound && host_is_sound && has_sound_escapes(rest)
}

fn has_sound_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| rest.len() >= 2 && rest.is_char_boundary(2) && is_hexadecimal(&rest[..2]))
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let atom = |text: &str| {
        !text.is_empty() && !text.contains(|character: char| character.is_whitespace() || "()<>[]:;@\\,\"".contains(character))
    };
    let quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    (quoted || local.split('.').all(atom)) && (domain.split('.').all(atom) || (domain.starts_with('[') && domain.ends_with(']')))
}

fn is_hostname(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    !text.is_empty()
        && text.len() <= 255
        && text.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte >= 0x80)
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
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

/// RFC 3339; zone and seconds can be omitted, as in the API server's parser.
fn is_date_time(text: &str) -> bool {
    if text.len() < 16 || !text.is_char_boundary(10) || !matches!(text.as_bytes()[10], b'T' | b't' | b' ') {
        return false;
    }
    let (date, time) = (&text[..10], &text[11..]);
    let zone_at = time.find(['Z', 'z', '+', '-']);
    let (clock, zone) = time.split_at(zone_at.unwrap_or(time.len()));
    is_date(date) && is_clock(clock) && is_zone(zone)
}

/// RFC 3339 as the times of an object's metadata are read: with seconds and a zone, and with the capital letters of the format.
pub(super) fn is_timestamp(text: &str) -> bool {
    let zone = text.strip_suffix('Z').or_else(|| text.get(..text.len().checked_sub("+00:00".len())?));
    is_date_time(text) && text.as_bytes()[10] == b'T' && zone.is_some_and(|clock| clock.len() >= "2006-01-02T15:04:05".len())
}

fn is_clock(text: &str) -> bool {
    let (whole, fraction) = text.split_once(['.', ',']).map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let parts: Vec<&str> = whole.split(':').collect();
    let two_digits = |text: &str, limit: u32| text.len() == 2 && is_decimal(text) && text.parse::<u32>().is_ok_and(|value| value < limit);
    fraction.is_none_or(is_decimal)
        && match parts[..] {
            [hour, minute] => fraction.is_none() && two_digits(hour, 24) && two_digits(minute, 60),
            [hour, minute, second] => two_digits(hour, 24) && two_digits(minute, 60) && two_digits(second, 60),
            _ => false,
        }
}

fn is_zone(text: &str) -> bool {
    let Some(offset) = text.strip_prefix(['+', '-']) else { return matches!(text, "" | "Z" | "z") };
    let digits: String = offset.chars().filter(|character| *character != ':').collect();
    digits.len() == 4 && is_decimal(&digits) && (offset.len() == 4 || offset.as_bytes()[2] == b':')
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

fn is_worded_duration(text: &str) -> bool {
    const WORDS: [&str; 28] = [
        "ns",
        "nano",
        "nanosecond",
        "us",
        "µs",
        "micro",
        "microsecond",
        "ms",
        "milli",
        "millisecond",
        "s",
        "sec",
        "second",
        "m",
        "min",
        "minute",
        "h",
        "hr",
        "hour",
        "d",
        "day",
        "w",
        "wk",
        "week",
        "nanos",
        "micros",
        "millis",
        "secs",
    ];
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, word) = text.split_at(digits);
    let word = word.trim_start().to_lowercase();
    !number.is_empty() && (WORDS.contains(&word.as_str()) || word.strip_suffix('s').is_some_and(|singular| WORDS.contains(&singular)))
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
    fn formats() {
        let cases = [
            ("date-time", "2024-01-01T00:00:00Z", true),
            ("date-time", "2024-01-01T00:00:00.123+02:00", true),
            ("date-time", "2024-02-30T00:00:00Z", false),
            ("date-time", "yesterday", false),
            ("date", "2024-02-29", true),
            ("date", "2023-02-29", false),
            ("duration", "1h30m", true),
            ("duration", "2 days", true),
            ("duration", "soon", false),
            ("ipv4", "1.2.3", false),
            ("ipv4", "1.2.3.4", true),
            ("ipv6", "::1", true),
            ("cidr", "10.0.0.0/8", true),
            ("cidr", "10.0.0.0/33", false),
            ("uri", "https://example.com/a?b=c", true),
            ("uri", "example", false),
            ("uri", "http://a:b/", false),
            ("email", "a@b.c", true),
            ("email", "a b", false),
            ("hostname", "a.b-c", true),
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
