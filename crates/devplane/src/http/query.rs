//! Query parameters.
//! Source: Go `net/url`, as apiserver reads queries.

/// The parameters of a URL in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Decodes the text after the question mark. A parameter that is wrongly encoded is not there.
    pub fn parse(text: &str) -> Self {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Some((decoded(name)?, decoded(value)?))
        };
        Self(text.split('&').filter(|part| !part.is_empty() && !part.contains(';')).filter_map(pair).collect())
    }

    /// The first value of a parameter, empty if it is absent.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// All values of a parameter.
    pub fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str()).collect()
    }

    /// Whether the parameter is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// A truth value as Go's conversion reads it: there and neither `false` nor `0`.
    pub fn flag(&self, name: &str) -> bool {
        self.has(name) && !matches!(self.get(name).to_ascii_lowercase().as_str(), "false" | "0" | "f")
    }
}

/// A part of a query without its escapes; none if what begins as an escape is none.
fn decoded(part: &str) -> Option<String> {
    let bytes = part.as_bytes();
    let is_escape = |at: usize| bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    if bytes.iter().enumerate().any(|(at, byte)| *byte == b'%' && !is_escape(at)) {
        return None;
    }
    let spaced = part.replace('+', " ");
    Some(percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrongly_encoded_is_not_there() {
        let query = Query::parse("limit=%zz&a=b+c%21&x=1;y=2&last=%2");
        assert_eq!((query.get("a"), query.has("limit"), query.has("x"), query.has("last")), ("b c!", false, false, false));
    }
}
