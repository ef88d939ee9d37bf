//! Bytes as JSON and as texts: any bytes are something, and a small change of them is a small change of it.

use arbitrary::Unstructured;
use serde_json::{Map, Value};

/// How deep values are: as deep as the plane reads them.
const DEPTH: usize = 110;
/// Bytes of a text that is not one of the words.
const TEXT: usize = 48;

/// Bytes that are read from the front.
pub(crate) struct Bytes<'a> {
    rest: Unstructured<'a>,
    /// Texts that the target gives a meaning.
    words: &'static [&'static str],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(data: &'a [u8], words: &'static [&'static str]) -> Self {
        Self { rest: Unstructured::new(data), words }
    }

    /// Whether everything was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// One byte; 0 at the end.
    pub(crate) fn byte(&mut self) -> u8 {
        self.rest.arbitrary().unwrap_or_default()
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: u8) -> bool {
        self.byte().is_multiple_of(times)
    }

    /// A number below this one, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// One of these, of which there are some.
    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A word, or any text.
    pub(crate) fn text(&mut self) -> String {
        match self.byte() {
            choice @ 0..224 if !self.words.is_empty() => self.words[usize::from(choice) % self.words.len()].to_owned(),
            _ => {
                let length = self.below(TEXT).min(self.rest.len());
                String::from_utf8_lossy(self.rest.bytes(length).unwrap_or_default()).into_owned()
            }
        }
    }

    /// The rest as text.
    pub(crate) fn rest(self) -> String {
        String::from_utf8_lossy(self.rest.take_rest()).into_owned()
    }

    /// Any JSON.
    pub(crate) fn value(&mut self) -> Value {
        self.nested(DEPTH)
    }

    /// A JSON object.
    pub(crate) fn object(&mut self) -> Value {
        self.map(DEPTH)
    }

    fn nested(&mut self, depth: usize) -> Value {
        if self.is_empty() {
            return Value::Null;
        }
        match self.byte() % 16 {
            0 => Value::Null,
            1 => Value::from(self.one_in(2)),
            2..=4 => Value::from(i64::from(self.byte()) - 8),
            5 => Value::from(self.rest.arbitrary::<i64>().unwrap_or_default()),
            6 => Value::from(self.rest.arbitrary::<f64>().unwrap_or_default()),
            7..=10 => Value::from(self.text()),
            11..=12 if depth > 0 => {
                let length = self.length();
                Value::Array((0..length).map_while(|_| (!self.is_empty()).then(|| self.nested(depth - 1))).collect())
            }
            13.. if depth > 0 => self.map(depth),
            _ => Value::from(self.byte()),
        }
    }

    fn map(&mut self, depth: usize) -> Value {
        let length = self.length();
        let mut fields = Map::new();
        for _ in 0..length {
            if self.is_empty() {
                break;
            }
            let name = self.text();
            fields.insert(name, self.nested(depth - 1));
        }
        Value::Object(fields)
    }

    /// Few mostly, and sometimes many.
    fn length(&mut self) -> usize {
        match self.byte() {
            few @ 0..250 => usize::from(few % 6),
            _ => usize::from(self.rest.arbitrary::<u16>().unwrap_or_default()),
        }
    }
}
