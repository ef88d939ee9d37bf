//! Server-sent events, as the portal sends them.

use http_body_util::BodyExt as _;
use kube::client::Body;

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its name; `message` if it has none.
    pub name: String,
    /// Its data.
    pub data: String,
}

/// An open stream of events.
pub struct Events {
    body: Body,
    parser: Parser,
}

impl Events {
    /// Reads events from a body.
    pub fn new(body: Body) -> Self {
        Self { body, parser: Parser::default() }
    }

    /// Returns the next event; `None` if the stream ended or broke, and can be opened again.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.parser.next() {
                return Some(event);
            }
            let frame = self.body.frame().await?.ok()?;
            if let Ok(data) = frame.into_data() {
                self.parser.push(&data);
            }
        }
    }
}

/// The part of a stream that isn't an event yet.
#[derive(Default)]
struct Parser {
    bytes: Vec<u8>,
    event: Event,
    has_data: bool,
}

impl Parser {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Event> {
        while let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                let event = std::mem::take(&mut self.event);
                if std::mem::take(&mut self.has_data) {
                    let name = if event.name.is_empty() { "message".to_owned() } else { event.name };
                    return Some(Event { name, ..event });
                }
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => self.event.name = value.to_owned(),
                "data" => {
                    if self.has_data {
                        self.event.data.push('\n');
                    }
                    self.has_data = true;
                    self.event.data.push_str(value);
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let text = ": hello\n\nevent: request\ndata: {\"a\":\ndata: 1}\nid: 5\n\nretry: 10\n\ndata:x\r\n\r\nevent: gone\ndata: ä";
        let event = |name: &str, data: &str| Event { name: name.to_owned(), data: data.to_owned() };
        for size in [1, 2, 3, 7, text.len()] {
            let mut parser = Parser::default();
            let mut found = Vec::new();
            for part in text.as_bytes().chunks(size) {
                parser.push(part);
                found.extend(std::iter::from_fn(|| parser.next()));
            }
            assert_eq!(found, [event("request", "{\"a\":\n1}"), event("message", "x")], "an unfinished event is none");
            parser.push(b"\n\n");
            assert_eq!(parser.next(), Some(event("gone", "ä")));
        }
    }
}
