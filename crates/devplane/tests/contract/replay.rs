//! Sends the steps of a scenario to a server.

use std::{collections::HashMap, time::Duration};

use axum::body::Body;
use base64::Engine;
use futures::StreamExt;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt;
use serde_json::{Map, Value, json};

use crate::{
    normalise::Normaliser,
    pointer::{find, remove, segments, select, text},
    target::Target,
};

const KEPT_HEADERS: [&str; 6] = ["warning", "retry-after", "www-authenticate", "allow", "location", "content-encoding"];

/// What percent-encoding of captured values leaves alone.
const KEPT: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b':').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// How long one answer may take. Watches that a step does not expect have no end.
const PATIENCE: Duration = Duration::from_secs(12);

/// How long a step waits that says nothing about it. The authenticator of kube-apiserver knows a deleted token for ten seconds.
const WAIT: u64 = 30;

/// A normalised answer, or why there is none.
pub type Answer = Result<Value, String>;

/// Runs a scenario; the steps with their normalised answers, background watches last.
pub async fn run(scenario: &Value, target: Target) -> Vec<(Value, Answer)> {
    let normaliser = Normaliser::new(target.host(), scenario);
    let mut run = Run { target, scenario, captured: HashMap::new(), normaliser };
    let (mut done, mut background) = (Vec::new(), Vec::new());
    for step in scenario["steps"].as_array().expect("steps") {
        if step["watch"]["background"] == true {
            // Opened now, read after the other steps.
            let opened = run.open(step).await;
            background.push((step.clone(), opened));
        } else {
            let answer = run.answer(step).await;
            done.push((step.clone(), answer.and_then(|answer| run.finish(step, answer))));
        }
    }
    for (step, opened) in background {
        let answer = match opened {
            Ok(response) => read(response, &step["watch"]).await,
            Err(error) => Err(error),
        };
        let answer = answer.and_then(|answer| run.finish(&step, answer));
        done.push((step, answer));
    }
    done
}

struct Run<'a> {
    target: Target,
    scenario: &'a Value,
    captured: HashMap<String, String>,
    normaliser: Normaliser,
}

impl Run<'_> {
    async fn answer(&self, step: &Value) -> Answer {
        let until = &step["wait"]["until"];
        let patience = Duration::from_secs(step["wait"]["timeout"].as_u64().map_or(WAIT, |seconds| seconds.min(12)));
        let deadline = tokio::time::Instant::now() + patience;
        loop {
            let whole = async { read(self.open(step).await?, &step["watch"]).await };
            let answer = tokio::time::timeout(PATIENCE, whole).await.map_err(|_| "no end of the answer".to_owned())??;
            if until.is_null() || holds(until, &answer) {
                return Ok(answer);
            }
            if tokio::time::Instant::now() > deadline {
                let text: String = answer.to_string().chars().take(600).collect();
                return Err(format!("waited for {until}; last answer: {text}"));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn open(&self, step: &Value) -> Result<Response<Body>, String> {
        let request = &step["request"];
        let mut headers: Vec<(String, String)> = vec![
            ("user-agent".into(), "contract/1.0".into()),
            ("accept".into(), "application/json".into()),
            ("accept-encoding".into(), "identity".into()),
        ];
        let mut body = request["raw"].as_str().map(|raw| self.fill(raw)).transpose()?.unwrap_or_default();
        if let Some(json) = request.get("body") {
            body = spaced(&self.fill_value(json)?);
            headers.push(("content-type".into(), "application/json".into()));
        }
        let user = step["as"].as_str().unwrap_or_default();
        if user != "anonymous" {
            headers.push(("authorization".into(), format!("Bearer {}", self.target.token(user))));
        }
        for (name, value) in request["headers"].as_object().into_iter().flatten() {
            let name = name.to_lowercase();
            headers.retain(|(own, _)| *own != name);
            headers.push((name, self.fill(value.as_str().unwrap_or_default())?));
        }
        let path = self.fill_path(request["path"].as_str().unwrap_or_default())?;
        let mut built = Request::builder().method(request["method"].as_str().unwrap_or_default()).uri(path);
        for (name, value) in headers {
            built = built.header(name, value);
        }
        self.target.send(built.body(body.into_bytes()).map_err(|error| error.to_string())?).await
    }

    fn fill(&self, text: &str) -> Result<String, String> {
        self.filled(text, |value| value.to_owned())
    }

    fn fill_path(&self, text: &str) -> Result<String, String> {
        let filled = self.filled(text, |value| percent_encoding::utf8_percent_encode(value, KEPT).to_string())?;
        Ok(filled.replace(' ', "%20"))
    }

    fn filled(&self, text: &str, encode: impl Fn(&str) -> String) -> Result<String, String> {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').ok_or("an open placeholder")?;
            let value = self.captured.get(name).ok_or_else(|| format!("{name} was not captured"))?;
            filled.push_str(before);
            filled.push_str(&encode(value));
            rest = after;
        }
        Ok(filled + rest)
    }

    fn fill_value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => self.fill(text)?.into(),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect::<Result<_, _>>()?,
            Value::Object(fields) => {
                let pairs = fields.iter().map(|(key, item)| Ok((self.fill(key)?, self.fill_value(item)?)));
                Value::Object(pairs.collect::<Result<Map<_, _>, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// Captures, normalises, ignores, selects and sorts.
    fn finish(&mut self, step: &Value, answer: Value) -> Answer {
        for (name, pointer) in step["capture"].as_object().into_iter().flatten() {
            let pointer = pointer.as_str().unwrap_or_default();
            let place = answer.get("body").cloned().unwrap_or_else(|| json!({"events": answer["events"]}));
            let found = find(&place, &segments(pointer)).first().map(|value| text(value));
            let found = found.ok_or_else(|| format!("nothing at {pointer} to capture as {name}: {answer}"))?;
            if name.contains(':') {
                self.normaliser.names.insert(found.clone(), format!("<{name}>"));
            }
            self.captured.insert(name.clone(), found);
        }
        if self.scenario["names"] == "steps" {
            self.normaliser.enter(step["id"].as_str().unwrap_or_default());
        }
        let mut answer = self.normaliser.value(&answer);
        let Some(part) = ["body", "events"].into_iter().find(|part| answer.get(*part).is_some()) else { return Ok(answer) };
        for pointer in [&self.scenario["ignore"], &step["ignore"]].into_iter().filter_map(Value::as_array).flatten() {
            remove(&mut answer[part], &segments(pointer.as_str().unwrap_or_default()));
        }
        if let Some(selected) = step["select"].as_array()
            && answer["status"].as_u64() < Some(400)
        {
            let paths: Vec<Vec<String>> = selected.iter().map(|pointer| segments(pointer.as_str().unwrap_or_default())).collect();
            answer[part] = select(&answer[part], &paths);
        }
        for pointer in step["sort"].as_array().into_iter().flatten() {
            sort(&mut answer[part], &segments(pointer.as_str().unwrap_or_default()));
        }
        Ok(answer)
    }
}

/// JSON text with a space after each colon and comma: answers repeat parts of bodies, and the recorder sent them so.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let pairs: Vec<String> = fields.iter().map(|(key, item)| format!("{}: {}", Value::from(key.as_str()), spaced(item))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

fn sort(value: &mut Value, path: &[String]) {
    match (path.split_first(), value) {
        (None, Value::Array(items)) => items.sort_by_key(Value::to_string),
        (Some((first, rest)), Value::Object(fields)) => {
            fields.iter_mut().filter(|(key, _)| first == "*" || *key == first).for_each(|(_, item)| sort(item, rest));
        }
        (Some((first, rest)), Value::Array(items)) => {
            items
                .iter_mut()
                .enumerate()
                .filter(|(index, _)| first == "*" || *first == index.to_string())
                .for_each(|(_, item)| sort(item, rest));
        }
        _ => {}
    }
}

fn holds(until: &Value, answer: &Value) -> bool {
    if let Some(status) = until.get("status") {
        return answer["status"] == *status;
    }
    if let Some(header) = until["header"].as_str() {
        return answer["headers"].get(header).is_some();
    }
    let found = find(&answer["body"], &segments(until["pointer"].as_str().unwrap_or("/")));
    match until.get("equals") {
        Some(wanted) => found.contains(&wanted),
        None => !found.is_empty(),
    }
}

async fn read(response: Response<Body>, watch: &Value) -> Answer {
    let (parts, body) = response.into_parts();
    let content_type = parts.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut answer = json!({"status": parts.status.as_u16(), "contentType": content_type});
    if let Some(kept) = kept(&parts.headers) {
        answer["headers"] = kept;
    }
    if !watch.is_null() && parts.status == 200 {
        answer["events"] = events(body, watch).await.into();
        return Ok(answer);
    }
    let bytes = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    let bytes = if parts.headers.get("content-encoding").is_some_and(|value| value == "gzip") { unpacked(&bytes) } else { bytes.to_vec() };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if text.is_empty() {
        return Ok(answer);
    }
    if content_type.contains("json") || text.starts_with('{') {
        answer["body"] = serde_json::from_str(&text).map_err(|error| format!("the body is no JSON: {error}"))?;
    } else {
        answer["text"] = text.into();
    }
    Ok(answer)
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(bytes), &mut text).expect("gzip");
    text
}

fn kept(headers: &HeaderMap) -> Option<Value> {
    let mut kept = Map::new();
    for name in KEPT_HEADERS {
        let values: Vec<&str> = headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
        if !values.is_empty() {
            kept.insert(name.into(), values.into());
        }
    }
    (!kept.is_empty()).then_some(Value::Object(kept))
}

async fn events(body: Body, watch: &Value) -> Vec<Value> {
    let (wanted, patience) = (watch["events"].as_u64().unwrap_or(1) as usize, Duration::from_secs(watch["timeout"].as_u64().unwrap_or(5)));
    let (mut events, mut pending, mut stream) = (Vec::new(), Vec::new(), body.into_data_stream());
    while events.len() < wanted {
        let Ok(Some(Ok(chunk))) = tokio::time::timeout(patience, stream.next()).await else { break };
        pending.extend_from_slice(&chunk);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            events.push(serde_json::from_slice(&line).unwrap_or_else(|_| base64::prelude::BASE64_STANDARD.encode(&line).into()));
        }
    }
    events.truncate(wanted);
    events
}
