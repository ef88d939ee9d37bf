//! Bodies into objects: JSON or YAML, the API server's texts where they do not parse, repeated keys found.
//! Source: apimachinery `runtime/serializer/json`; `sigs.k8s.io/{json,yaml}`.

mod go_json;

use std::{cell::RefCell, collections::HashSet, fmt};

use http::HeaderMap;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::options::DuplicateKeyPolicy;

use crate::{
    http::media,
    patch::{go_type, unknown_fields},
    protobuf::{self, ProtobufError},
    registry::Resource,
    status::ApiError,
};

/// Problems with the keys of one text, beyond which no more are told.
const MAX_PROBLEMS: usize = 100;

/// A decoded body and what is said of its repeated keys.
#[derive(Debug, PartialEq)]
pub struct Decoded {
    /// The value; of repeated keys the last counts.
    pub value: Value,
    /// `duplicate field "spec.size"`, in the order found.
    pub duplicates: Vec<String>,
}

/// Decodes JSON. Whole numbers in floating form become integers, as Go prints them.
pub fn json(text: &[u8]) -> Result<Decoded, String> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err("unexpected end of JSON input".into());
    }
    let none = HashSet::new();
    read_json(text, &none).or_else(|error| match go_json::fault(text) {
        Some(fault) => Err(fault),
        // Go reads what is no text as such. What this parser does not read even then is told in its words.
        None => read_json(&go_json::mended(text), &none).map_err(|_| error),
    })
}

/// Decodes JSON; of repeated keys and of these unknown fields is told in the order found.
fn read_json(text: &[u8], unknown: &HashSet<&str>) -> Result<Decoded, String> {
    let problems = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let seed = Seed { path: String::new(), unknown, problems: &problems };
    let value = seed.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    let value = value.map_err(|error| error.to_string())?;
    Ok(Decoded { value, duplicates: problems.into_inner() })
}

/// What is said of repeated keys and unknown fields. Of JSON that is read as a built-in kind it comes in the order of the text.
pub fn problems(resource: &Resource, content_type: &str, text: &[u8], duplicates: Vec<String>, unknown: &[String]) -> Vec<String> {
    if unknown.is_empty() || !resource.is_built_in() || !matches!(content_type, "application/json" | "") {
        return duplicates.into_iter().chain(unknown.iter().map(|path| unknown_field(path))).collect();
    }
    let mut problems = in_order(text, unknown);
    for problem in unknown.iter().map(|path| unknown_field(path)) {
        if problems.len() < MAX_PROBLEMS && !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

/// What is said of a JSON patch: keys that are repeated, and those that no operation has.
pub fn problems_of_patch(text: &[u8], patch: &Value) -> Vec<String> {
    in_order(text, &unknown_fields(patch)).iter().map(|problem| format!("json patch {problem}")).collect()
}

fn in_order(text: &[u8], unknown: &[String]) -> Vec<String> {
    let unknown: HashSet<&str> = unknown.iter().map(String::as_str).collect();
    let read = read_json(text, &unknown).or_else(|_| read_json(&go_json::mended(text), &unknown));
    read.map(|decoded| decoded.duplicates).unwrap_or_default()
}

fn unknown_field(path: &str) -> String {
    format!("unknown field \"{path}\"")
}

/// Decodes YAML; of the repeated keys the first is told.
pub fn yaml(text: &[u8]) -> Result<Decoded, String> {
    // Clients send JSON, which is YAML and much sooner read as what it is. What there is to be told of it, YAML tells.
    if text.trim_ascii_start().starts_with(b"{")
        && let Some(decoded) = json(text).ok().filter(|decoded| decoded.duplicates.is_empty())
    {
        return Ok(decoded);
    }
    let text = first_document(std::str::from_utf8(text).map_err(|error| error.to_string())?);
    let unread = |error: serde_saphyr::Error| format!("error converting YAML to JSON: {error}");
    // Comments are skipped: the parser would buffer them, and reject a few dozen in a row.
    let read = |duplicate_keys| {
        serde_saphyr::from_str_with_options(
            text,
            serde_saphyr::options! { duplicate_keys: duplicate_keys, legacy_octal_numbers: true, emit_comments: false },
        )
    };
    let (mut value, duplicates): (Value, _) = match read(DuplicateKeyPolicy::Error) {
        Ok(value) => (value, Vec::new()),
        Err(error) => {
            let Some(repeated) = repeated_key(&error.to_string()) else { return Err(unread(error)) };
            (read(DuplicateKeyPolicy::LastWins).map_err(unread)?, vec![repeated])
        }
    };
    whole_numbers(&mut value);
    Ok(Decoded { value, duplicates })
}

/// The first of several YAML documents: the API server reads no other.
fn first_document(text: &str) -> &str {
    let (mut at, mut begun) = (0, false);
    for line in text.split_inclusive('\n') {
        let rest = line.strip_prefix("---");
        let marks = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        if begun && (marks || line.trim_end() == "...") {
            return &text[..at];
        }
        // Comments and directives stand before a document.
        let said = if marks { rest.unwrap_or_default() } else { line }.trim();
        begun |= !said.is_empty() && !said.starts_with('#') && !line.starts_with('%');
        at += line.len();
    }
    text
}

/// What the API server says of a repeated key, from what the parser says of it.
fn repeated_key(said: &str) -> Option<String> {
    let (place, rest) = said.split_once(": duplicate mapping key: ")?;
    let line = place.rsplit_once("line ")?.1.split(' ').next()?;
    let key = rest.split(", set DuplicateKeyPolicy").next()?;
    Some(format!("line {line}: key {key:?} already set in map"))
}

/// Decodes a body whose kind the path settles: options, a Scale, a request for a token.
pub fn untyped(headers: &HeaderMap, body: &[u8], api_version: &str, kind: &str) -> Result<Decoded, ApiError> {
    let decoded = match media::content_type(headers) {
        "application/json" | "" => json(body),
        "application/yaml" => yaml(body),
        protobuf::MEDIA_TYPE => message(body, api_version, kind).map_err(|error| error.to_string()),
        _ => return Err(ApiError::unsupported_media_type(&media::ACCEPTED)),
    };
    let unread = |error: String| ApiError::bad_request(format!("couldn't get version/kind; json parse error: {error}"));
    let decoded = decoded.map_err(unread)?;
    if decoded.value.is_object() || decoded.value.is_null() {
        return Ok(decoded);
    }
    Err(unread(format!("json: cannot unmarshal {} into Go value of type {TYPE_META}", go_type(&decoded.value))))
}

/// Decodes a protobuf message, which is of this version and kind unless it says otherwise.
fn message(bytes: &[u8], api_version: &str, kind: &str) -> Result<Decoded, ProtobufError> {
    Ok(Decoded { value: protobuf::decode(bytes, api_version, kind)?, duplicates: Vec::new() })
}

fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => *number = whole(number.clone()),
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

/// Numbers as Go has and prints them: what does not fit 64 bits with a sign is a float, and whole floats have no dot.
fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_u64() && !number.is_i64() => float.to_string().parse().unwrap_or(number),
        #[expect(clippy::cast_possible_truncation, reason = "the value is whole and within 2^53")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => (float as i64).into(),
        _ => number,
    }
}

/// Decodes the object of a request to a resource and checks that it says what it is.
pub fn object(resource: &Resource, content_type: &str, text: &[u8]) -> Result<Decoded, ApiError> {
    let unrecognized = |why: String| {
        let kind = &resource.kind;
        ApiError::bad_request(format!("the object provided is unrecognized (must be of type {kind}): {why} ({})", summary(text)))
    };
    let mut decoded = match content_type {
        "application/json" | "" => {
            json(text).map_err(|error| unrecognized(format!("couldn't get version/kind; json parse error: {error}")))?
        }
        "application/yaml" => yaml(text).map_err(|error| unrecognized(format!("couldn't get version/kind; json parse error: {error}")))?,
        protobuf::MEDIA_TYPE if resource.is_built_in() => {
            message(text, &resource.api_version(), &resource.kind).map_err(|error| unrecognized(error.to_string()))?
        }
        _ => return Err(ApiError::unsupported_media_type(&media::ACCEPTED)),
    };
    if decoded.value.is_null() && !resource.is_built_in() {
        return Err(unrecognized("Object 'Kind' is missing in 'null'".into()));
    }
    // Go leaves an object as it was that it reads nothing into.
    if decoded.value.is_null() {
        decoded.value = Value::Object(Map::new());
    }
    let kind = go_type(&decoded.value);
    let Some(fields) = decoded.value.as_object_mut() else {
        let why = format!("json: cannot unmarshal {kind} into Go value of type {TYPE_META}");
        return Err(unrecognized(format!("couldn't get version/kind; json parse error: {why}")));
    };
    let said = |fields: &Map<String, Value>, key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (kind, api_version) = (said(fields, "kind"), said(fields, "apiVersion"));
    if !resource.is_built_in() {
        let shown = String::from_utf8_lossy(text).trim_end().to_owned();
        if kind.is_empty() {
            return Err(unrecognized(format!("Object 'Kind' is missing in '{shown}'")));
        }
        if api_version.is_empty() {
            return Err(unrecognized(format!("Object 'apiVersion' is missing in '{shown}'")));
        }
    }
    Ok(decoded)
}

/// What the API server reads first of a body, as Go prints the type.
const TYPE_META: &str = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;

/// The beginning of a body that cannot be read; in hexadecimal what does not begin as an object.
fn summary(text: &[u8]) -> String {
    const SHOWN: usize = 30;
    let shown = &text[..text.len().min(SHOWN)];
    let shown = match text.first() {
        None => return "<empty>".into(),
        Some(b'{') => String::from_utf8_lossy(shown).into_owned(),
        Some(_) => hex::encode(shown),
    };
    if text.len() > SHOWN { format!("{shown} ...") } else { shown }
}

/// Builds a value and writes down what is to be said of its keys.
struct Seed<'a> {
    path: String,
    unknown: &'a HashSet<&'a str>,
    problems: &'a RefCell<Vec<String>>,
}

impl<'a> Seed<'a> {
    fn child(&self, key: &str) -> Seed<'a> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Seed { path, ..*self }
    }

    /// What is said of a key at this place; once is enough.
    fn note(&self, is_repeated: bool) {
        let problem = match is_repeated {
            _ if self.unknown.contains(self.path.as_str()) => unknown_field(&self.path),
            true => format!("duplicate field \"{}\"", self.path),
            false => return,
        };
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MAX_PROBLEMS && !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(whole(value.into()).into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, |number| whole(number).into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Seed { path: format!("{}[{}]", self.path, items.len()), ..self })? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let child = self.child(&key);
            child.note(fields.contains_key(&key));
            let value = map.next_value_seed(child)?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_of_repeated_keys_counts() {
        let decoded = json(br#"{"spec": {"size": 1, "size": 2}, "n": 1e3}"#).expect("JSON");
        assert_eq!(
            decoded,
            Decoded { value: json!({"spec": {"size": 2}, "n": 1000}), duplicates: vec!["duplicate field \"spec.size\"".into()] }
        );
    }

    #[test]
    fn any_number_of_comments_is_read() {
        let comments = "# size: 2\n".repeat(2_000);
        let decoded = yaml(format!("spec:\n{comments}  size: 1\n{comments}").as_bytes()).expect("YAML");
        assert_eq!(decoded, Decoded { value: json!({"spec": {"size": 1}}), duplicates: Vec::new() });
    }

    #[test]
    fn keys_are_told_in_the_order_of_the_text() {
        let text = br#"{"z": {"frob": 1, "frob": 2}, "b": [{"c": 1, "c": 2}], "a": 1}"#;
        let told = in_order(text, &["a".to_owned(), "z.frob".to_owned()]);
        assert_eq!(told, ["unknown field \"z.frob\"", "duplicate field \"b[0].c\"", "unknown field \"a\""]);
        let patch = json!([{"op": "add", "frob": 1}]);
        assert_eq!(problems_of_patch(patch.to_string().as_bytes(), &patch), ["json patch unknown field \"[0].frob\""]);
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        let decoded = json(b"{\"a\": \"\\ud83d\\ude00 \\ud83d \\\\ud83d \\ude00\", \"b\": \"\xff\xfe\"}").expect("JSON");
        assert_eq!(decoded.value, json!({"a": "😀 \u{fffd} \\ud83d \u{fffd}", "b": "\u{fffd}\u{fffd}"}));
    }

    #[test]
    fn numbers_beyond_64_bits_are_floats() {
        let decoded = json(b"[9223372036854775807, 9223372036854775809]").expect("JSON");
        assert_eq!(decoded.value.to_string(), "[9223372036854775807,9223372036854776000]");
    }

    #[test]
    fn of_repeated_keys_in_yaml_the_last_counts_and_the_first_is_told() {
        let decoded = yaml(b"spec:\n  a: x\n  a: z\n").expect("YAML");
        assert_eq!(decoded.value, json!({"spec": {"a": "z"}}));
        assert_eq!(decoded.duplicates, ["line 3: key \"a\" already set in map"]);
        assert!(yaml(b"a: [").is_err());
    }

    #[test]
    fn of_several_documents_the_first_is_read() {
        assert_eq!(first_document("---\n# c\na: 1\n---\nb: 2\n"), "---\n# c\na: 1\n");
        assert_eq!(first_document("--- {a: 1}\n...\nb: 2"), "--- {a: 1}\n");
        assert_eq!(first_document("a: |\n  ---\n  b\n"), "a: |\n  ---\n  b\n");
        assert_eq!(yaml(b"a: 1\n---\nb: 2\n").expect("YAML").value, json!({"a": 1}));
    }

    #[test]
    fn a_cut_body_is_told_as_such() {
        assert_eq!(json(b"{\"a\": "), Err("unexpected end of JSON input".into()));
    }
}
