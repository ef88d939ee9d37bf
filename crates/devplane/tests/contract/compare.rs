//! What differs between a recorded and a given answer.

use serde_json::Value;

/// The differences of a step by its compare mode.
pub fn step(step: &Value, answer: &Result<Value, String>) -> Vec<String> {
    let want = &step["response"];
    let got = match answer {
        Ok(got) => got,
        Err(error) => return vec![error.clone()],
    };
    if want["status"] != got["status"] {
        return vec![format!("status={}:{}: want {}, got {}", want["status"], got["status"], shown(want), shown(got))];
    }
    let mode = step["compare"].as_str().unwrap_or("exact");
    let mut differences = Vec::new();
    if mode != "status" {
        collect(want, got, mode == "subset", "", &mut differences);
    }
    differences
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(900).collect();
    if short.len() < text.len() { format!("{short}…") } else { text }
}

fn collect(want: &Value, got: &Value, subset: bool, at: &str, found: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(wanted), Value::Object(given)) => {
            for (key, item) in wanted {
                match given.get(key) {
                    Some(other) => collect(item, other, subset, &format!("{at}/{key}"), found),
                    None => found.push(format!("{at}/{key}: want {}, got nothing", shown(item))),
                }
            }
            for (key, item) in given.iter().filter(|(key, _)| !subset && !wanted.contains_key(*key)) {
                found.push(format!("{at}/{key}: want nothing, got {}", shown(item)));
            }
        }
        (Value::Array(wanted), Value::Array(given)) if subset => {
            let mut rest = given.iter();
            for (index, item) in wanted.iter().enumerate() {
                let matches = |other: &Value| {
                    let mut found = Vec::new();
                    collect(item, other, true, "", &mut found);
                    found.is_empty()
                };
                if !rest.any(matches) {
                    found.push(format!("{at}/{index}: want {}, no such element in this order", shown(item)));
                }
            }
        }
        (Value::Array(wanted), Value::Array(given)) if wanted.len() == given.len() => {
            for (index, (item, other)) in wanted.iter().zip(given).enumerate() {
                collect(item, other, subset, &format!("{at}/{index}"), found);
            }
        }
        _ if want == got => {}
        _ => found.push(format!("{at}: want {}, got {}", shown(want), shown(got))),
    }
}
