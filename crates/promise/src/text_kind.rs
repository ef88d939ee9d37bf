//! Kinds of text that have a name and a well-known form: dates, durations, networks, schedules.
//!
//! A kind is recognized only from what says so with certainty: the hint of the promise, the format of the schema, or a pattern that accepts
//! examples of the kind and nothing like them. The name of a parameter never decides.

pub(crate) mod cron;
mod duration;
mod moment;
mod network;
mod pattern;
mod quantity;

use schema::structural::Schema;
use serde_json::Value;

use crate::api::FieldHint;
use crate::shape::Shape;
use crate::wording::one_of;

/// Maximum number of examples in a sentence.
const NAMED: usize = 3;

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A day.
    Date,
    /// A moment.
    DateTime,
    /// A length of time.
    Duration,
    /// A network: an address with the length of its prefix.
    Cidr,
    /// An IP address of either version.
    Ip,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// A host name.
    Host,
    /// A URL.
    Url,
    /// An email address.
    Email,
    /// A UUID.
    Uuid,
    /// Bytes in base64.
    Byte,
    /// A schedule.
    Cron,
    /// A percentage.
    Percentage,
    /// An amount with a unit of Kubernetes.
    Quantity,
}

/// Every kind with the name of its widget.
const WIDGETS: [(&str, TextKind); 14] = [
    ("date", TextKind::Date),
    ("datetime", TextKind::DateTime),
    ("duration", TextKind::Duration),
    ("cidr", TextKind::Cidr),
    ("ip", TextKind::Ip),
    ("ipv4", TextKind::Ipv4),
    ("ipv6", TextKind::Ipv6),
    ("host", TextKind::Host),
    ("url", TextKind::Url),
    ("email", TextKind::Email),
    ("uuid", TextKind::Uuid),
    ("cron", TextKind::Cron),
    ("percentage", TextKind::Percentage),
    ("quantity", TextKind::Quantity),
];

/// Returns the names of the widgets for kinds of text.
pub(crate) fn widgets() -> impl Iterator<Item = &'static str> {
    WIDGETS.iter().map(|(name, _)| *name)
}

impl TextKind {
    /// Returns the kind of a text with this schema and hint.
    pub fn of(node: &Value, hint: Option<&FieldHint>) -> Option<Self> {
        let is_text = node["type"] == "string" || node["x-kubernetes-int-or-string"] == true;
        if !is_text || node.get("enum").is_some() {
            return None;
        }
        Self::named(node, hint)
            .or_else(|| (Shape::of(node) == Shape::Quantity).then_some(Self::Quantity))
            .or_else(|| pattern::kind(node.get("pattern")?.as_str()?))
    }

    /// Returns the kind that the hint or the format of a text names.
    pub(crate) fn named(node: &Value, hint: Option<&FieldHint>) -> Option<Self> {
        hint.and_then(|hint| hint.widget.as_deref()).and_then(Self::of_widget).or_else(|| Self::of_format(node))
    }

    fn of_widget(widget: &str) -> Option<Self> {
        WIDGETS.iter().find(|(name, _)| *name == widget).map(|(_, kind)| *kind)
    }

    /// Returns the kind that the format of a schema names.
    pub(crate) fn of_format(node: &Value) -> Option<Self> {
        Some(match node.get("format")?.as_str()? {
            "date" => Self::Date,
            "date-time" | "datetime" => Self::DateTime,
            "duration" => Self::Duration,
            "cidr" => Self::Cidr,
            "ip" => Self::Ip,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            "hostname" => Self::Host,
            "uri" | "url" => Self::Url,
            "email" => Self::Email,
            "uuid" => Self::Uuid,
            "byte" => Self::Byte,
            "quantity" => Self::Quantity,
            _ => return None,
        })
    }

    /// Returns the kind as a noun with an article.
    fn noun(self) -> &'static str {
        match self {
            Self::Date => "a date",
            Self::DateTime => "a date and time",
            Self::Duration => "a duration",
            Self::Cidr => "a network",
            Self::Ip => "an IP address",
            Self::Ipv4 => "an IPv4 address",
            Self::Ipv6 => "an IPv6 address",
            Self::Host => "a host name",
            Self::Url => "an address",
            Self::Email => "an email address",
            Self::Uuid => "a UUID",
            Self::Byte => "base64",
            Self::Cron => "a cron schedule",
            Self::Percentage => "a percentage",
            Self::Quantity => "a number with a unit",
        }
    }

    /// Returns examples, the best first.
    fn examples(self) -> &'static [&'static str] {
        match self {
            Self::Date => &["2026-11-26"],
            Self::DateTime => &["2026-11-26T10:00:00Z"],
            Self::Duration => &["30s", "5m", "1h30m", "12h", "15m", "7d", "500ms"],
            Self::Cidr => &["10.0.0.0/16", "2001:db8::/64"],
            Self::Ip => &["192.0.2.1", "2001:db8::1"],
            Self::Ipv4 => &["192.0.2.1"],
            Self::Ipv6 => &["2001:db8::1"],
            Self::Host => &["www.example.org"],
            Self::Url => &["https://example.org", "ssh://git@example.org/repository.git"],
            Self::Email => &["name@example.org"],
            Self::Uuid => &["123e4567-e89b-42d3-a456-426614174000"],
            Self::Byte => &[],
            Self::Cron => &["0 2 * * *", "@daily"],
            Self::Percentage => &["25%", "5%"],
            Self::Quantity => &["500m", "10Gi", "10G"],
        }
    }

    /// Returns the form of a text with examples that the schema accepts: `a duration such as 30s, 5m or 1h30m`.
    pub fn in_words(self, node: &Value) -> String {
        let is_bound = ["pattern", "minLength", "maxLength"].iter().any(|keyword| node.get(keyword).is_some());
        let schema = is_bound.then(|| Schema::parse_lenient(node));
        let is_accepted = |text: &str| schema.as_ref().is_none_or(|schema| schema.validate(&Value::from(text)).is_empty());
        let most = if matches!(self, Self::Duration | Self::Quantity) { NAMED } else { 1 };
        let examples: Vec<&str> = self.examples().iter().copied().filter(|text| is_accepted(text)).take(most).collect();
        if examples.is_empty() { self.noun().to_owned() } else { format!("{} such as {}", self.noun(), one_of(&examples)) }
    }

    /// Returns how a text is interpreted, if it is one of this kind and isn't obvious: `1 hour 30 minutes`.
    pub fn said(self, text: &str) -> Option<String> {
        let text = text.trim();
        match self {
            Self::Date => moment::date(text),
            Self::DateTime => moment::moment(text),
            Self::Duration => duration::said(text),
            Self::Cidr => network::said(text),
            Self::Cron => cron::said(text),
            Self::Quantity => quantity::said(text),
            Self::Ip | Self::Ipv4 | Self::Ipv6 | Self::Host | Self::Url | Self::Email | Self::Uuid | Self::Byte | Self::Percentage => None,
        }
    }

    /// Returns an entered text without the white space that the kind doesn't have.
    pub(crate) fn trimmed(self, text: &str) -> String {
        match self {
            // Tools break base64 into lines.
            Self::Byte => text.split_ascii_whitespace().collect(),
            _ => text.trim().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use schema::structural::Schema;
    use serde_json::{Value, json};

    use super::{TextKind, WIDGETS};
    use crate::api::FieldHint;

    fn hint(widget: &str) -> FieldHint {
        FieldHint { widget: Some(widget.to_owned()), ..FieldHint::default() }
    }

    fn text(keyword: &str, value: &str) -> Value {
        json!({"type": "string", keyword: value})
    }

    #[test]
    fn hints_formats_and_patterns_decide_and_names_never_do() {
        for (node, widget, kind) in [
            (text("format", "date-time"), None, Some(TextKind::DateTime)),
            (text("format", "ipv6"), None, Some(TextKind::Ipv6)),
            (text("format", "byte"), None, Some(TextKind::Byte)),
            (text("format", "password"), None, None),
            (json!({"type": "string"}), Some("cron"), Some(TextKind::Cron)),
            (json!({"type": "string"}), Some("textarea"), None),
            (json!({"type": "string"}), None, None),
            (json!({"type": "integer"}), Some("percentage"), None),
            (json!({"x-kubernetes-int-or-string": true}), Some("percentage"), Some(TextKind::Percentage)),
            (json!({"type": "string", "enum": ["1h"]}), Some("duration"), None),
            (text("pattern", r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"), None, Some(TextKind::Duration)),
            (text("pattern", r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"), Some("cron"), Some(TextKind::Cron)),
        ] {
            assert_eq!(TextKind::of(&node, widget.map(hint).as_ref()), kind, "{node} {widget:?}");
        }
    }

    #[test]
    fn examples_are_valid_for_every_format() {
        for format in ["date", "date-time", "duration", "cidr", "ipv4", "ipv6", "hostname", "uri", "email", "uuid", "byte", "quantity"] {
            let node = text("format", format);
            let kind = TextKind::of(&node, None).unwrap();
            for example in kind.examples() {
                assert!(Schema::parse_lenient(&node).validate(&json!(example)).is_empty(), "{format}: {example}");
            }
        }
        assert!(WIDGETS.iter().all(|(_, kind)| !kind.examples().is_empty()));
    }

    #[test]
    fn only_examples_that_the_schema_accepts_are_given() {
        for (node, words) in [
            (json!({"format": "duration"}), "a duration such as 30s, 5m or 1h30m"),
            (json!({"pattern": r"^(\d+)(m|h)$"}), "a duration such as 5m, 12h or 15m"),
            (json!({"pattern": "^0$"}), "a duration"),
        ] {
            let mut node = node;
            node["type"] = json!("string");
            assert_eq!(TextKind::Duration.in_words(&node), words);
        }
        assert_eq!(TextKind::Byte.in_words(&text("format", "byte")), "base64");
        assert_eq!(TextKind::Cidr.in_words(&json!({"type": "string", "maxLength": 12})), "a network such as 10.0.0.0/16");
    }

    #[test]
    fn white_space_around_or_inside_is_dropped_where_it_means_nothing() {
        assert_eq!(TextKind::Duration.trimmed(" 1h "), "1h");
        assert_eq!(TextKind::Byte.trimmed("aGVs\nbG8=\n"), "aGVsbG8=");
    }
}
