//! Patterns of addresses: leptos_router matches them, and links are built from them.

use std::borrow::Cow;

use leptos_router::{PartialPathMatch, PathSegment, PossibleRouteMatch};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// Everything in a path segment except unreserved characters, colons and slashes.
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'\\')
    .add(b'^');

/// Everything that has a meaning in a query.
const VALUE: &AsciiSet = &SEGMENT.add(b'&').add(b'+').add(b'=');

/// Returns the address at a pattern such as `/w/{workspace}/catalog`, with its parameters replaced by `values`, in order.
pub fn at(pattern: &str, values: &[&str]) -> String {
    debug_assert_eq!(pattern.matches('{').count(), values.len(), "{pattern} with {values:?}");
    let mut values = values.iter();
    let segments = pattern.split('/').map(|segment| match parameter(segment) {
        Some(_) => utf8_percent_encode(values.next().copied().unwrap_or_default(), SEGMENT).to_string(),
        None => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Returns an address with a query; empty values are left out.
pub fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(&format!("{name}={}", utf8_percent_encode(value, VALUE)));
    }
    address
}

/// Whether a segment of a path is `.` or `..`, encoded or not. Browsers resolve these before they send a request, and so does
/// leptos_router, while axum treats them as names: the two would find different pages.
pub(crate) fn has_dot_segments(path: &str) -> bool {
    path.split('/').any(|segment| matches!(&*percent_decode_str(segment).decode_utf8_lossy(), "." | ".."))
}

/// A pattern that leptos_router can match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern(pub &'static str);

impl Pattern {
    fn segments(self) -> impl Iterator<Item = &'static str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }
}

/// Returns the name in a segment such as `{workspace}`.
fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

impl PossibleRouteMatch for Pattern {
    fn optional(&self) -> bool {
        false
    }

    fn test<'a>(&self, path: &'a str) -> Option<PartialPathMatch<'a>> {
        let (mut rest, mut values) = (path, Vec::new());
        for segment in self.segments() {
            let from = rest.strip_prefix('/')?;
            let (value, after) = from.split_at(from.find('/').unwrap_or(from.len()));
            match parameter(segment) {
                Some(name) if !value.is_empty() => values.push((Cow::Borrowed(name), value.to_owned())),
                None if segment == value => {}
                _ => return None,
            }
            rest = after;
        }
        Some(PartialPathMatch::new(rest, values, &path[..path.len() - rest.len()]))
    }

    fn generate_path(&self, path: &mut Vec<PathSegment>) {
        path.extend(self.segments().map(|segment| match parameter(segment) {
            Some(name) => PathSegment::Param(name.into()),
            None => PathSegment::Static(segment.into()),
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rest of the path, and the parameters.
    fn test(pattern: &'static str, path: &str) -> Option<(String, Vec<String>)> {
        let matched = Pattern(pattern).test(path)?;
        let rest = matched.remaining().to_owned();
        Some((rest, matched.params().iter().map(|(name, value)| format!("{name}={value}")).collect()))
    }

    #[test]
    fn a_pattern_takes_whole_segments_and_says_what_is_left() {
        assert_eq!(test("/w/{workspace}/catalog", "/w/root:acme/catalog"), Some((String::new(), vec!["workspace=root:acme".to_owned()])));
        assert_eq!(test("/w/{workspace}", "/w/a%2Fb/catalog"), Some(("/catalog".to_owned(), vec!["workspace=a%2Fb".to_owned()])));
        assert_eq!(test("/", "/cost"), Some(("/cost".to_owned(), Vec::new())), "which is then no match: nothing may be left");
        for other in ["/w//catalog", "/w/root:acme/catalogs", "/W/root:acme/catalog", "w/root:acme/catalog", "/w/root:acme"] {
            assert_eq!(test("/w/{workspace}/catalog", other), None, "{other}");
        }
    }

    #[test]
    fn dot_segments_are_found_however_they_are_written() {
        for path in ["/w/..", "/w/../etc/passwd", "/w/%2e%2E/x", "/./w", "/w/.%2e"] {
            assert!(has_dot_segments(path), "{path}");
        }
        for path in ["/", "/w/root:acme/catalog", "/w/a..b", "/w/...", "/w/.well-known", "/w/a%2F.."] {
            assert!(!has_dot_segments(path), "{path}");
        }
    }

    #[test]
    fn colons_stay_and_everything_else_is_encoded() {
        assert_eq!(at("/w/{workspace}/requests/{name}", &["root:acme:shop", "a b/c"]), "/w/root:acme:shop/requests/a%20b%2Fc");
        assert_eq!(at("/", &[]), "/");
        assert_eq!(with_query("/a", &[("q", ""), ("tag", "x=y"), ("home", "root:x&y")]), "/a?tag=x%3Dy&home=root:x%26y");
    }
}
