//! Templates: an object as it was found, with slots for the values that differ in others of the same shape.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

/// Delimiter of placeholders for Base64 values. No object contains it.
const MARK: char = '\u{10f8ff}';

/// A text with slots.
#[derive(Debug)]
pub(super) struct Template(Vec<Part>);

#[derive(Debug)]
enum Part {
    Text(String),
    /// A value, by its number.
    Slot(usize),
    /// A text encoded in Base64.
    Encoded(Template),
}

impl Template {
    /// Creates a template with a slot wherever one of the `words` occurs; if several match, the longest counts. The number of a slot is the
    /// index of its word.
    pub(super) fn of(text: &str, words: &[String]) -> Self {
        let (mut parts, mut rest) = (Vec::new(), text);
        let first = |rest: &str| {
            let found = words.iter().enumerate().filter(|(_, word)| !word.is_empty());
            found.filter_map(|(slot, word)| Some((rest.find(word.as_str())?, std::cmp::Reverse(word.len()), slot))).min()
        };
        while let Some((at, std::cmp::Reverse(length), slot)) = first(rest) {
            if at > 0 {
                parts.push(Part::Text(rest[..at].to_owned()));
            }
            parts.push(Part::Slot(slot));
            rest = &rest[at + length..];
        }
        parts.push(Part::Text(rest.to_owned()));
        Self(parts)
    }

    /// Creates a template for an object. Words are also found in the data of a Secret.
    pub(super) fn of_object(object: &Value, words: &[String]) -> Self {
        let mut object = object.clone();
        let mut encoded = Vec::new();
        if object["kind"] == "Secret"
            && let Some(data) = object.get_mut("data").and_then(Value::as_object_mut)
        {
            for value in data.values_mut() {
                let text = value.as_str().and_then(|text| BASE64.decode(text).ok()).and_then(|bytes| String::from_utf8(bytes).ok());
                let Some(text) = text else { continue };
                *value = format!("{MARK}{}{MARK}", encoded.len()).into();
                encoded.push(Self::of(&text, words));
            }
        }
        let outer = Self::of(&object.to_string(), words);
        if encoded.is_empty() { outer } else { outer.with(encoded) }
    }

    /// Replaces the placeholders with templates of Base64 texts.
    fn with(self, encoded: Vec<Self>) -> Self {
        let mut encoded = encoded.into_iter();
        let mut parts = Vec::new();
        for part in self.0 {
            let Part::Text(text) = part else {
                parts.push(part);
                continue;
            };
            // Every second piece is the number between two delimiters; they appear in the order in which they were inserted.
            for (index, piece) in text.split(MARK).enumerate() {
                if index % 2 == 0 {
                    parts.push(Part::Text(piece.to_owned()));
                } else if let Some(inner) = encoded.next() {
                    parts.push(Part::Encoded(inner));
                }
            }
        }
        Self(parts)
    }

    /// Fills the slots with values.
    pub(super) fn fill(&self, values: &[String]) -> String {
        let mut text = String::with_capacity(2_048);
        self.write(values, &mut text);
        text
    }

    fn write(&self, values: &[String], text: &mut String) {
        for part in &self.0 {
            match part {
                Part::Text(piece) => text.push_str(piece),
                Part::Slot(slot) => text.push_str(values.get(*slot).map_or("", String::as_str)),
                Part::Encoded(inner) => BASE64.encode_string(inner.fill(values), text),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{BASE64, Template};
    use base64::Engine as _;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn the_longest_word_counts_and_what_is_filled_in_is_not_read_again() {
        let template = Template::of("db and db-9f of root:db:team", &words(&["db", "db-9f", "root:db:team", ""]));
        assert_eq!(template.fill(&words(&["a", "db-b", "c"])), "a and db-b of c");
        assert_eq!(Template::of("nothing", &words(&["db"])).fill(&[]), "nothing");
    }

    #[test]
    fn filled_with_its_own_words_a_text_is_what_it_was() {
        let own = words(&["orders", "u-1", "2026-01-01T00:00:00Z"]);
        let object = json!({"kind": "Secret", "metadata": {"name": "orders-app", "uid": "u-1", "at": "2026-01-01T00:00:00Z"},
            "data": {"b": BASE64.encode("postgres://orders-rw"), "a": BASE64.encode("x"), "raw": BASE64.encode([0xff, 0])}});
        assert_eq!(Template::of_object(&object, &own).fill(&own), object.to_string());
        let other = Template::of_object(&object, &own).fill(&words(&["bills", "u-2", "2026-02-02T00:00:00Z"]));
        let other: serde_json::Value = serde_json::from_str(&other).unwrap();
        assert_eq!(other["data"]["b"], BASE64.encode("postgres://bills-rw"));
        assert_eq!((&other["metadata"]["name"], &other["metadata"]["uid"]), (&json!("bills-app"), &json!("u-2")));
        assert_eq!(other["data"]["raw"], object["data"]["raw"]);
        let written = json!({"kind": "Secret", "stringData": {"url": "postgres://orders-rw"}});
        assert_eq!(Template::of_object(&written, &own).fill(&own), written.to_string(), "nothing is added");
    }
}
