//! Values that differ from run to run become placeholders, in the order in which they come.

use std::collections::HashMap;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

use devplane::{Clock, clock::SystemClock};

/// The placeholders of one scenario.
pub struct Normaliser {
    host: String,
    requests: String,
    generated: Option<Regex>,
    uuid: Regex,
    time: Regex,
    address: Regex,
    version: Regex,
    cluster: Regex,
    /// Captured cluster ids and their placeholders.
    pub names: HashMap<String, String>,
    uids: HashMap<String, usize>,
    versions: HashMap<String, HashMap<String, usize>>,
}

impl Normaliser {
    /// For a scenario that runs against this host.
    pub fn new(host: &str, scenario: &Value) -> Self {
        let requests: Vec<&Value> = scenario["steps"].as_array().expect("steps").iter().map(|step| &step["request"]).collect();
        let requests = serde_json::to_string(&requests).expect("JSON");
        let prefix = Regex::new(r#""generateName":"([^"]+)""#).expect("a pattern");
        let prefixes: Vec<String> = prefix.captures_iter(&requests).map(|found| regex::escape(&found[1])).collect();
        let generated = (!prefixes.is_empty())
            .then(|| Regex::new(&format!(r"(\b)({})[bcdfghjklmnpqrstvwxz2456789]{{5}}\b", prefixes.join("|"))).expect("a pattern"));
        let of = |pattern: &str| Regex::new(pattern).expect("a pattern");
        Self {
            host: host.to_owned(),
            requests,
            generated,
            uuid: of(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
            time: of(r"(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)"),
            address: of(r"\b(?:\d{1,3}(?:\.\d{1,3}){3}|localhost):\d{2,5}\b"),
            version: of(r#"(?i)(resource ?version(?: in [a-z ]+)?(?:: | \()(?:Invalid value: )?"?|, current: )(\d+)( \(\d+\))?"#),
            cluster: of(r"^[a-z0-9]{12,18}$"),
            names: HashMap::new(),
            uids: HashMap::new(),
            versions: HashMap::new(),
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut names: Vec<(&String, &String)> = self.names.iter().collect();
        names.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        for (value, name) in names {
            text = text.replace(value.as_str(), name);
        }
        if let Some(generated) = &self.generated {
            text = generated.replace_all(&text, "$1$2<generated>").into_owned();
        }
        let (uids, requests) = (&mut self.uids, &self.requests);
        text = self
            .uuid
            .replace_all(&text, |found: &Captures<'_>| {
                if requests.contains(&found[0]) {
                    return found[0].to_owned();
                }
                let next = uids.len() + 1;
                format!("<uid:{}>", uids.entry(found[0].to_owned()).or_insert(next))
            })
            .into_owned();
        let today = SystemClock.now().to_zoned(jiff::tz::TimeZone::UTC).date();
        text = self
            .time
            .replace_all(&text, |found: &Captures<'_>| {
                let near = found[1].parse::<jiff::civil::Date>().is_ok_and(|date| (today - date).get_days().abs() <= 2);
                match (near, found.get(2)) {
                    (false, _) => found[0].to_owned(),
                    (true, Some(_)) => "<microtime>".to_owned(),
                    (true, None) => "<time>".to_owned(),
                }
            })
            .into_owned();
        text = self
            .version
            .replace_all(&text, |found: &Captures<'_>| match (&found[2], found.get(3)) {
                ("0", _) => found[0].to_owned(),
                (_, None) => format!("{}<rv>", &found[1]),
                (_, Some(_)) => format!("{}<rv> (<rv>)", &found[1]),
            })
            .into_owned();
        let text = text.replace(&self.host, "<host>");
        self.address.replace_all(&text, "<host>").into_owned()
    }

    /// A value with placeholders.
    pub fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let sorted;
                let fields =
                    match value["reason"] == "Invalid" && value["details"]["causes"].as_array().is_some_and(|list| !list.is_empty()) {
                        true => {
                            sorted = sorted_causes(value);
                            sorted.as_object().expect("an object")
                        }
                        false => fields,
                    };
                let mut normalised = Map::new();
                for (key, item) in fields {
                    let item = self.field(fields, key, item);
                    normalised.insert(self.text(key), item);
                }
                Value::Object(normalised)
            }
            other => other.clone(),
        }
    }

    fn field(&mut self, owner: &Map<String, Value>, key: &str, item: &Value) -> Value {
        let text = item.as_str().unwrap_or_default();
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match key {
            "resourceVersion" if digits && text != "0" => {
                let Some(uid) = owner.get("uid").and_then(Value::as_str) else { return "<rv>".into() };
                let seen = self.versions.entry(uid.to_owned()).or_default();
                let next = seen.len() + 1;
                format!("<rv:{}>", seen.entry(text.to_owned()).or_insert(next)).into()
            }
            "continue" if !text.is_empty() => "<continue>".into(),
            "kcp.io/cluster" if !self.names.contains_key(text) && self.cluster.is_match(text) => "<cluster>".into(),
            "managedFields" if item.is_array() => {
                let mut entries = item.as_array().cloned().unwrap_or_default();
                let part = |entry: &Value, name: &str| entry.get(name).map_or("None".to_owned(), super::pointer::text);
                entries.sort_by_key(|entry| ["operation", "manager", "apiVersion", "subresource"].map(|name| part(entry, name)));
                self.value(&Value::Array(entries))
            }
            _ => self.value(item),
        }
    }
}

/// Causes ordered by field, in the message too.
fn sorted_causes(status: &Value) -> Value {
    let text = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    let found = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let mut ordered = found.clone();
    ordered.sort_by_key(|cause| (text(cause, "field"), text(cause, "message")));
    let joined = |causes: &[Value]| {
        let mut parts: Vec<String> = Vec::new();
        for cause in causes {
            let part = format!("{}: {}", text(cause, "field"), text(cause, "message"));
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(", ")
    };
    let mut sorted = status.clone();
    sorted["message"] = text(status, "message").replace(&joined(&found), &joined(&ordered)).into();
    sorted["details"]["causes"] = ordered.into();
    sorted
}
