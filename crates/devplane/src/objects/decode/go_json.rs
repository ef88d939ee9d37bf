//! What is wrong with a text that is no JSON, in the words of Go; and what Go reads although it is none.
//! Source: Go `encoding/json/{scanner,decode}.go`.

/// How deep values may nest, as the parser has it: what lies deeper is refused for that.
const MAX_DEPTH: usize = 128;

/// The first fault of a text, `invalid character 'm' looking for beginning of value`; none if it is JSON or nests too deep.
pub fn fault(text: &[u8]) -> Option<String> {
    let mut scanner = Scanner { text, at: 0, depth: 0 };
    let found = scanner.value().and_then(|()| {
        scanner.space();
        if scanner.at < text.len() { Err(scanner.unexpected("after top-level value")) } else { Ok(()) }
    });
    found.err().filter(|_| scanner.depth <= MAX_DEPTH)
}

/// The text as Go reads it: bytes that are no UTF-8 and halves of surrogate pairs are replaced.
pub fn mended(text: &[u8]) -> Vec<u8> {
    let mut valid = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        valid.push_str(chunk.valid());
        valid.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    let mut mended = String::with_capacity(valid.len());
    let mut rest = valid.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        mended.push_str(before);
        let length = match (escaped(escape), escape.get(6..).and_then(escaped)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                mended.push(char::REPLACEMENT_CHARACTER);
                rest = &escape[6..];
                continue;
            }
            (Some(_), _) => 6,
            // The backslash, and the character that it stands before.
            (None, _) => escape.char_indices().nth(2).map_or(escape.len(), |(end, _)| end),
        };
        mended.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    mended.push_str(rest);
    mended.into_bytes()
}

/// The number of an escape such as `\u00e9` at the beginning.
fn escaped(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// How many values are open.
    depth: usize,
}

type Scanned = Result<(), String>;

impl Scanner<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The fault at this byte, or that there is none.
    fn unexpected(&self, context: &str) -> String {
        let Some(byte) = self.text.get(self.at) else { return "unexpected end of JSON input".into() };
        let shown = match byte {
            b'\'' => r"'\''".to_owned(),
            b'"' => "'\"'".to_owned(),
            b'\n' => r"'\n'".to_owned(),
            b'\r' => r"'\r'".to_owned(),
            b'\t' => r"'\t'".to_owned(),
            byte if byte.is_ascii_control() => format!(r"'\x{byte:02x}'"),
            // A byte beyond ASCII is the character with its number.
            byte => format!("'{}'", char::from(*byte)),
        };
        format!("invalid character {shown} {context}")
    }

    fn value(&mut self) -> Scanned {
        self.space();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(String::new());
        }
        self.known_value()?;
        self.depth -= 1;
        Ok(())
    }

    fn known_value(&mut self) -> Scanned {
        match self.text.get(self.at) {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn object(&mut self) -> Scanned {
        self.at += 1;
        self.space();
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            self.space();
            if self.text.get(self.at) != Some(&b'"') {
                return Err(self.unexpected("looking for beginning of object key string"));
            }
            self.string()?;
            self.space();
            if !self.take(b':') {
                return Err(self.unexpected("after object key"));
            }
            self.value()?;
            self.space();
            match self.text.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.unexpected("after object key:value pair")),
            }
        }
    }

    fn array(&mut self) -> Scanned {
        self.at += 1;
        self.space();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.value()?;
            self.space();
            match self.text.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.unexpected("after array element")),
            }
        }
    }

    fn string(&mut self) -> Scanned {
        self.at += 1;
        loop {
            match self.text.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0x20..) => self.at += 1,
                _ => return Err(self.unexpected("in string literal")),
            }
        }
    }

    fn escape(&mut self) -> Scanned {
        self.at += 1;
        match self.text.get(self.at) {
            Some(b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.text.get(self.at).is_some_and(u8::is_ascii_hexdigit) {
                        return Err(self.unexpected("in \\u hexadecimal character escape"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.unexpected("in string escape code")),
        }
        Ok(())
    }

    fn number(&mut self) -> Scanned {
        if self.take(b'-') && !self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            return Err(self.unexpected("in numeric literal"));
        }
        if !self.take(b'0') {
            self.digits();
        }
        if self.take(b'.') {
            self.some_digits("after decimal point in numeric literal")?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.some_digits("in exponent of numeric literal")?;
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self, context: &str) -> Scanned {
        if !self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            return Err(self.unexpected(context));
        }
        self.digits();
        Ok(())
    }

    fn word(&mut self, word: &str) -> Scanned {
        for expected in word.bytes() {
            if !self.take(expected) {
                return Err(self.unexpected(&format!("in literal {word} (expecting '{}')", char::from(expected))));
            }
        }
        Ok(())
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_as_go_tells_them() {
        let said = |text: &str| fault(text.as_bytes()).unwrap_or_default();
        assert_eq!(said(r#"{"a": [1, -2.5e3, "\u00e9", true, null], "b": {}}"#), "");
        assert_eq!(said("metadata:"), "invalid character 'm' looking for beginning of value");
        assert_eq!(said(r#"{"a": 1} more"#), "invalid character 'm' after top-level value");
        assert_eq!(said(r#"{"a": 1, /"#), "invalid character '/' looking for beginning of object key string");
        assert_eq!(said(r#"{"a" 1}"#), "invalid character '1' after object key");
        assert_eq!(said(r#"{"a": 1 "b"}"#), "invalid character '\"' after object key:value pair");
        assert_eq!(said("[1 2]"), "invalid character '2' after array element");
        assert_eq!(said("nul1"), "invalid character '1' in literal null (expecting 'l')");
        assert_eq!(said("{'a': 1}"), "invalid character '\\'' looking for beginning of object key string");
        assert_eq!(said("{\"a\": "), "unexpected end of JSON input");
        assert_eq!(said(&"[".repeat(100_000)), "");
    }
}
