//! Recognizes patterns that accept one kind of text. The letters of a pattern select a kind; what the pattern accepts and refuses decides.

use super::TextKind;

/// Maximum length of a pattern that is looked at.
const LONGEST: usize = 600;
/// Units of durations.
const UNITS: [&str; 11] = ["ns", "us", "µs", "μs", "ms", "s", "m", "h", "d", "w", "y"];

/// What texts of a kind are like: `yes` are accepted, `no` are refused.
struct Probe {
    kind: TextKind,
    /// At least one of them is accepted.
    yes: &'static [&'static str],
    no: &'static [&'static str],
}

const DURATION: Probe = Probe { kind: TextKind::Duration, yes: &["30s", "5m", "1h"], no: &["x", "s", "10", "10Gi", "5m!"] };
const PERCENTAGE: Probe = Probe { kind: TextKind::Percentage, yes: &["25%"], no: &["x", "25", "%"] };
const CRON: Probe = Probe { kind: TextKind::Cron, yes: &["0 2 * * *"], no: &["x", "10", "every day", ""] };
const ADDRESSES: [Probe; 5] = [
    Probe { kind: TextKind::Cidr, yes: &["10.0.0.0/16"], no: &["10.0.0.0", "x", "1", "a.b/c"] },
    Probe { kind: TextKind::Cidr, yes: &["2001:db8::/64"], no: &["2001:db8::", "x", "1", "10.0.0.0"] },
    Probe { kind: TextKind::Ip, yes: &["192.0.2.1"], no: &["192.0.2.1/24", "192.0.2", "x", "1"] },
    Probe { kind: TextKind::Ipv4, yes: &["192.0.2.1"], no: &["192.0.2.1/24", "192.0.2", "x", "1", "2001:db8::1"] },
    Probe { kind: TextKind::Ipv6, yes: &["2001:db8::1"], no: &["2001:db8::1/64", "192.0.2.1", "x", "1"] },
];

/// Returns the kind of the texts that a pattern accepts.
pub(super) fn kind(pattern: &str) -> Option<TextKind> {
    if pattern.len() > LONGEST {
        return None;
    }
    let words = words(pattern);
    let is_hexadecimal = words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if pattern.contains('%') && words.is_empty() {
        return PERCENTAGE.holds(pattern);
    }
    // A single unit could as well stand for minutes, metres or thousandths.
    if words.len() > 1 && (words.contains(&"s") || words.contains(&"h")) && words.iter().all(|word| UNITS.contains(word)) {
        return DURATION.holds(pattern);
    }
    if pattern.contains('*') && (pattern.contains("{5") || pattern.contains("daily")) {
        return CRON.holds(pattern);
    }
    if is_hexadecimal && (pattern.contains(r"\.") || pattern.contains("[.]") || pattern.contains(':')) && pattern.contains('{') {
        let found: Vec<TextKind> = ADDRESSES.iter().filter_map(|probe| probe.holds(pattern)).collect();
        return match found.as_slice() {
            [TextKind::Ip, TextKind::Ipv4] => Some(TextKind::Ipv4),
            [first, ..] => Some(*first),
            [] => None,
        };
    }
    None
}

/// Returns the runs of letters in a pattern, without those of classes such as `\d`.
fn words(pattern: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = pattern;
    while let Some(start) = rest.find(char::is_alphabetic) {
        let end = rest[start..].find(|letter: char| !letter.is_alphabetic()).map_or(rest.len(), |length| start + length);
        let is_class = rest[..start].ends_with('\\');
        // The first letter after a backslash is a class.
        let first = if is_class { start + rest[start..].chars().next().map_or(0, char::len_utf8) } else { start };
        if first < end {
            found.push(&rest[first..end]);
        }
        rest = &rest[end..];
    }
    found
}

impl Probe {
    /// Returns the kind if the pattern accepts what it should and refuses everything else.
    fn holds(&self, pattern: &str) -> Option<TextKind> {
        let regex = schema::pattern::compile(pattern).ok()?;
        let accepts = |text: &&str| regex.is_match(text);
        (self.yes.iter().any(accepts) && !self.no.iter().any(accepts)).then_some(self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::kind;
    use crate::text_kind::TextKind;

    #[test]
    fn patterns_of_real_definitions_are_recognized() {
        for (pattern, expected) in [
            (r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$", Some(TextKind::Duration)),
            (r"^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$", Some(TextKind::Duration)),
            (r"^([0-9]{1,5}(h|m|s|ms)){1,4}$", Some(TextKind::Duration)),
            (r"^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$", Some(TextKind::Duration)),
            (r"^(\d+)m$", None),
            (r"^[0-9]+[mMgG]?$", None),
            (r"^[0-9]+(Mi|Gi)$", None),
            (r"([0-9]+)(m|s)", None),
            (r"^[0-9]{1,3}%$", Some(TextKind::Percentage)),
            (r"^((100|[0-9]{1,2})%|[0-9]+)$", None),
            (r"^([0-9]{1,3}\.){3}[0-9]{1,3}/[0-9]{1,2}$", Some(TextKind::Cidr)),
            (r"^([0-9]{1,3}\.){3}[0-9]{1,3}(/[0-9]{1,2})?$", None),
            (r"^(?:[0-9]{1,3}\.){3}[0-9]{1,3}$", Some(TextKind::Ipv4)),
            (r"^([0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}$", Some(TextKind::Ipv6)),
            (r"^(([0-9]{1,3}\.){3}[0-9]{1,3}|([0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4})$", Some(TextKind::Ip)),
            (r"^(@(annually|yearly|monthly|weekly|daily|hourly))|((\d+|\*|\*/\d+) ?){5}$", Some(TextKind::Cron)),
            (r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", None),
            (r"^[1-9]\d{0,3}\.\d$", None),
            ("(", None),
        ] {
            assert_eq!(kind(pattern), expected, "{pattern}");
        }
    }
}
