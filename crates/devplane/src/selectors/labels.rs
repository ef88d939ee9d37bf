//! Label selectors: `a=b,c in (d,e),!f`.
//! Source: apimachinery `labels/selector.go`.

use std::collections::BTreeSet;

use memchr::memmem;
use serde_json::Value;

use crate::objects::metadata;

/// A label selector; the empty one lets everything through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    Absent,
    Greater,
    Less,
}

impl LabelSelector {
    /// Reads a selector; the error is the text of the API server.
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens = tokens(text);
        Parser { tokens: &tokens, position: 0 }.all().map(Self)
    }

    /// The selector of an object: `{matchLabels, matchExpressions}`. Unknown operators match nothing.
    pub fn from_object(selector: &Value) -> Self {
        let mut requirements = Vec::new();
        for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
            let values = vec![value.as_str().unwrap_or_default().to_owned()];
            requirements.push(Requirement { key: key.clone(), operator: Operator::In, values });
        }
        for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
            let operator = match expression["operator"].as_str() {
                Some("NotIn") => Operator::NotIn,
                Some("Exists") => Operator::Exists,
                Some("DoesNotExist") => Operator::Absent,
                _ => Operator::In,
            };
            let values = expression["values"].as_array().map(Vec::as_slice).unwrap_or_default();
            let values = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            requirements.push(Requirement { key: expression["key"].as_str().unwrap_or_default().to_owned(), operator, values });
        }
        Self(requirements)
    }

    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the labels of an object with this JSON text might pass. Keys and values of labels look the same there.
    pub fn might_match(&self, json: &[u8]) -> bool {
        self.0.iter().all(|requirement| match (requirement.operator, requirement.values.as_slice()) {
            (Operator::In, [value]) => memmem::find(json, value.as_bytes()).is_some(),
            (Operator::In | Operator::Exists | Operator::Greater | Operator::Less, _) => {
                memmem::find(json, requirement.key.as_bytes()).is_some()
            }
            (Operator::NotIn | Operator::Absent, _) => true,
        })
    }

    /// Whether `metadata.labels` (or nothing) pass.
    pub fn matches(&self, labels: &Value) -> bool {
        self.0.iter().all(|requirement| requirement.matches(labels.get(&requirement.key).and_then(Value::as_str)))
    }
}

impl Requirement {
    fn matches(&self, label: Option<&str>) -> bool {
        let listed = |label: &str| self.values.iter().any(|value| value == label);
        let number = |text: &str| text.parse::<i64>().ok();
        let wanted = self.values.first().and_then(|value| number(value));
        match self.operator {
            Operator::In => label.is_some_and(listed),
            Operator::NotIn => !label.is_some_and(listed),
            Operator::Exists => label.is_some(),
            Operator::Absent => label.is_none(),
            Operator::Greater => label.and_then(number).zip(wanted).is_some_and(|(label, wanted)| label > wanted),
            Operator::Less => label.and_then(number).zip(wanted).is_some_and(|(label, wanted)| label < wanted),
        }
    }
}

/// Special characters one by one (`==` and `!=` together), and what is between them.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let special = "(),=!<>".contains(c);
        if (special || c.is_whitespace()) && !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
        if special {
            let mut token = c.to_string();
            if (c == '=' || c == '!') && characters.peek() == Some(&'=') {
                characters.next();
                token.push('=');
            }
            tokens.push(token);
        } else if !c.is_whitespace() {
            word.push(c);
        }
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    tokens
}

struct Parser<'a> {
    tokens: &'a [String],
    position: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.position).map_or("", String::as_str)
    }

    fn take(&mut self) -> &'a str {
        let token = self.peek();
        self.position += 1;
        token
    }

    /// Whether a token can be a key or a value. The words `in` and `notin` are operators only where one is due.
    fn is_word(token: &str) -> bool {
        !token.is_empty() && !matches!(token, "(" | ")" | "," | "=" | "==" | "!" | "!=" | "<" | ">")
    }

    fn all(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                "" => return Ok(requirements),
                token if token == "!" || Self::is_word(token) => {}
                other => return Err(format!("found '{other}', expected: !, identifier, or 'end of string'")),
            }
            requirements.push(self.one().map_err(|error| format!("unable to parse requirement: {error}"))?);
            match self.take() {
                "" => return Ok(requirements),
                "," if self.peek() == "!" || Self::is_word(self.peek()) => {}
                "," => return Err(format!("found '{}', expected: identifier after ','", self.peek())),
                other => return Err(format!("found '{other}', expected: ',' or 'end of string'")),
            }
        }
    }

    fn one(&mut self) -> Result<Requirement, String> {
        let absent = self.peek() == "!";
        if absent {
            self.take();
        }
        let key = self.take().to_owned();
        if !Self::is_word(&key) {
            return Err(format!("found '{key}', expected: identifier"));
        }
        if let Some(fault) = joined(&metadata::qualified_faults(&key)) {
            return Err(format!("<nil>: Invalid value: {key:?}: {fault}"));
        }
        if absent {
            return Ok(Requirement { key, operator: Operator::Absent, values: Vec::new() });
        }
        let operator = match self.peek() {
            "" | "," => return Ok(Requirement { key, operator: Operator::Exists, values: Vec::new() }),
            "=" | "==" | "in" => Operator::In,
            "!=" | "notin" => Operator::NotIn,
            ">" => Operator::Greater,
            "<" => Operator::Less,
            other => return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        let listed = matches!(self.take(), "in" | "notin");
        let values = if listed { self.list()? } else { vec![self.value()?] };
        check(&key, operator, &values)?;
        Ok(Requirement { key, operator, values })
    }

    /// A single value; an empty one is allowed.
    fn value(&mut self) -> Result<String, String> {
        if matches!(self.peek(), "" | ",") {
            return Ok(String::new());
        }
        let value = self.take();
        if Self::is_word(value) { Ok(value.to_owned()) } else { Err(format!("found '{value}', expected: identifier")) }
    }

    /// Values in parentheses; what is left out between commas is an empty one.
    fn list(&mut self) -> Result<Vec<String>, String> {
        let open = self.take();
        if open != "(" {
            return Err(format!("found '{open}' expected: '('"));
        }
        let mut values = BTreeSet::new();
        loop {
            match self.peek() {
                ")" | "," => values.insert(String::new()),
                value if Self::is_word(value) => {
                    self.take();
                    values.insert(value.to_owned())
                }
                other if values.is_empty() => return Err(format!("found '{other}', expected: ',', ')' or identifier")),
                other => return Err(format!("found '{other}', expected: ',', or identifier")),
            };
            match self.take() {
                ")" => return Ok(values.into_iter().collect()),
                "," => {}
                other => return Err(format!("found '{other}', expected: ',' or ')'")),
            }
        }
    }
}

/// Refuses values that no label can have, or that cannot be compared.
fn check(key: &str, operator: Operator, values: &[String]) -> Result<(), String> {
    let mut faults = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if matches!(operator, Operator::Greater | Operator::Less) && value.parse::<i64>().is_err() {
            let text = "for 'Gt', 'Lt' operators, the value must be an integer";
            faults.push(format!("values[{index}]: Invalid value: {value:?}: {text}"));
        }
    }
    for (index, value) in values.iter().enumerate() {
        if let Some(fault) = joined(&metadata::label_value_faults(value)) {
            faults.push(format!("values[{index}][{key}]: Invalid value: {value:?}: {fault}"));
        }
    }
    match faults.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

fn joined(faults: &[String]) -> Option<String> {
    (!faults.is_empty()).then(|| faults.join("; "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_are_told_as_the_api_server_does() {
        let name_part =
            "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
        for (text, expected) in [
            (",", "found ',', expected: !, identifier, or 'end of string'"),
            ("a,,b", "found ',', expected: identifier after ','"),
            ("a=1,", "found '', expected: identifier after ','"),
            ("a=x y", "found 'y', expected: ',' or 'end of string'"),
            ("a foo (1)", "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt"),
            ("a in", "unable to parse requirement: found '' expected: '('"),
            ("a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
            ("a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"),
            ("-bad=1", &format!("unable to parse requirement: <nil>: Invalid value: \"-bad\": {name_part}")),
        ] {
            let error = LabelSelector::parse(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        assert_eq!(LabelSelector::parse("a in (1,,2)").unwrap().0[0].values, ["", "1", "2"]);
        assert!(LabelSelector::parse("a=-bad-").unwrap_err().contains("values[0][a]: Invalid value: \"-bad-\""));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-c=!,()<>in ]{0,20}", other in "\\PC{0,20}") {
            drop(LabelSelector::parse(&text));
            drop(LabelSelector::parse(&other));
        }

        #[test]
        fn a_selector_means_what_its_words_say(
            labels in proptest::collection::btree_map("[a-c]", "[x-z]", 0..4),
            key in "[a-c]",
            values in proptest::collection::btree_set("[x-z]", 1..3),
        ) {
            let set = values.iter().cloned().collect::<Vec<_>>().join(",");
            let one = values.first().unwrap();
            let has = labels.get(&key);
            let holds = has.is_some_and(|label| values.contains(label));
            for (text, expected) in [
                (format!("{key} in ({set})"), holds),
                (format!("{key} notin ({set})"), !holds),
                (format!("{key}={one}"), has == Some(one)),
                (format!("{key}!={one}"), has != Some(one)),
                (key.clone(), has.is_some()),
                (format!("!{key}"), has.is_none()),
                (format!("{key},!{key}"), false),
            ] {
                prop_assert_eq!(LabelSelector::parse(&text).unwrap().matches(&json!(labels)), expected, "{} on {:?}", text, labels);
            }
        }

        #[test]
        fn the_form_of_objects_means_the_same_as_text(
            labels in proptest::collection::btree_map("[a-c]", "[x-z]", 0..4),
            wanted in proptest::collection::btree_map("[a-c]", "[x-z]", 0..3),
        ) {
            let text = wanted.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",");
            let by_text = LabelSelector::parse(&text).unwrap();
            let by_object = LabelSelector::from_object(&json!({"matchLabels": wanted}));
            let own: BTreeMap<&String, &String> = wanted.iter().filter(|(key, value)| labels.get(*key) == Some(value)).collect();
            prop_assert_eq!(by_text.matches(&json!(labels)), own.len() == wanted.len());
            prop_assert_eq!(by_object.matches(&json!(labels)), own.len() == wanted.len());
        }
    }
}
