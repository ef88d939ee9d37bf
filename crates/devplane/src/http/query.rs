//! Query parameters.
//! Source: Go `net/url`, as apiserver reads queries.

/// The parameters of a URL in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Decodes the text after the question mark.
    pub fn parse(text: &str) -> Self {
        let decode = |part: &str| {
            let spaced = part.replace('+', " ");
            percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
        };
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name), decode(value))
        };
        Self(text.split('&').filter(|part| !part.is_empty()).map(pair).collect())
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
