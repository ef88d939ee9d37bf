//! Media types: what the client takes (apiserver `endpoints/handlers/negotiation`), and what it sends.

use http::HeaderMap;
use serde_json::json;

use crate::{protobuf, status::ApiError};

/// What resources can be told as. The real server names protobuf for custom resources too, and refuses it.
pub const ACCEPTED: [&str; 3] = ["application/json", "application/yaml", protobuf::MEDIA_TYPE];

/// What events of a watch can be told as.
const STREAMED: [&str; 2] = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/// A form other than the object itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// The object itself.
    None,
    /// Rows and columns.
    Table,
    /// Metadata of one object.
    Partial,
    /// Metadata of the objects of a list.
    PartialList,
}

/// A way to write an object down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// The protobuf messages of Kubernetes.
    Protobuf,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Encoding.
    pub encoding: Encoding,
    /// Form.
    pub transform: Transform,
    /// Version of `meta.k8s.io` of the form: `v1` or `v1beta1`.
    pub meta_version: &'static str,
}

impl Default for Format {
    fn default() -> Self {
        Self { encoding: Encoding::Json, transform: Transform::None, meta_version: "v1" }
    }
}

/// One clause of an Accept header.
pub struct Clause<'a> {
    /// `application/json`.
    pub media: &'a str,
    /// Parameters.
    pub parameters: Vec<(&'a str, &'a str)>,
}

impl Clause<'_> {
    /// A parameter, empty if it is absent.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value)
    }
}

/// The clauses of an Accept header, best first.
pub fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<(f32, Clause<'_>)> = accept
        .split(',')
        .filter(|clause| !clause.trim().is_empty())
        .map(|clause| {
            let mut parts = clause.split(';').map(str::trim);
            let media = parts.next().unwrap_or_default();
            let parameters: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
            let quality = parameters.iter().find(|(name, _)| *name == "q").and_then(|(_, q)| q.parse().ok()).unwrap_or(1.0);
            (quality, Clause { media, parameters })
        })
        .collect();
    clauses.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    clauses.into_iter().map(|(_, clause)| clause).collect()
}

/// The Accept header of a request, `*/*` if there is none.
pub fn accept(headers: &HeaderMap) -> &str {
    headers.get(http::header::ACCEPT).and_then(|value| value.to_str().ok()).filter(|value| !value.is_empty()).unwrap_or("*/*")
}

/// Chooses the format of an answer about resources. `messages` says whether objects have a protobuf form, which custom ones lack;
/// their metadata alone has it.
///
/// # Errors
/// 406 if the client takes none of them.
pub fn negotiate(headers: &HeaderMap, messages: bool) -> Result<Format, ApiError> {
    choose(headers, messages, false).ok_or_else(|| ApiError::not_acceptable(&ACCEPTED))
}

/// As [`negotiate`] for the events of a watch, which are not told as YAML.
///
/// # Errors
/// 406 if the client takes none of them.
pub fn negotiate_stream(headers: &HeaderMap, messages: bool) -> Result<Format, ApiError> {
    choose(headers, messages, true).ok_or_else(|| ApiError::not_acceptable(&STREAMED))
}

/// Whether the client takes what a route of built-in kinds produces: the router asks before anything is negotiated, and knows neither
/// parameters nor `application/*` (go-restful `Route.matchesAccept`).
///
/// # Errors
/// 406 in the words of the router.
pub fn check_produced(headers: &HeaderMap, produced: &[&str]) -> Result<(), ApiError> {
    if clauses(accept(headers)).iter().any(|clause| clause.media == "*/*" || produced.contains(&clause.media)) {
        return Ok(());
    }
    let text = format!("406: Not Acceptable\n\nAvailable representations: {}", produced.join(", "));
    Err(ApiError::of(406, "NotAcceptable", text).with_details(json!({})))
}

/// As [`check_produced`] for resources; those that can be watched are told as streams, too.
///
/// # Errors
/// 406 in the words of the router.
pub fn check_resource(headers: &HeaderMap, watchable: bool) -> Result<(), ApiError> {
    let streamed: &[&str] = if watchable { &STREAMED } else { &[] };
    check_produced(headers, &[&ACCEPTED[..], streamed].concat())
}

fn choose(headers: &HeaderMap, messages: bool, stream: bool) -> Option<Format> {
    for clause in clauses(accept(headers)) {
        let encoding = match clause.media {
            "application/json" | "*/*" | "application/*" => Encoding::Json,
            "application/yaml" if !stream => Encoding::Yaml,
            protobuf::MEDIA_TYPE => Encoding::Protobuf,
            _ => continue,
        };
        let transform = match clause.parameter("as") {
            "" => Transform::None,
            "Table" => Transform::Table,
            "PartialObjectMetadata" => Transform::Partial,
            "PartialObjectMetadataList" => Transform::PartialList,
            _ => continue,
        };
        let meta_version = match (transform, clause.parameter("g"), clause.parameter("v")) {
            (Transform::None, _, _) | (_, "meta.k8s.io", "v1") => "v1",
            (_, "meta.k8s.io", "v1beta1") => "v1beta1",
            _ => continue,
        };
        let has_message = match transform {
            Transform::None => messages,
            Transform::Table => false,
            Transform::Partial | Transform::PartialList => meta_version == "v1",
        };
        if encoding == Encoding::Protobuf && !has_message {
            continue;
        }
        return Some(Format { encoding, transform, meta_version });
    }
    None
}

/// The format of an error: the encoding that the client would like best, JSON if it takes none.
pub fn error_format(headers: &HeaderMap) -> Format {
    negotiate(headers, true).map(|format| Format { encoding: format.encoding, ..Format::default() }).unwrap_or_default()
}

/// The media type of the body, without parameters; empty if not said.
pub fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(accept: &str) -> Result<Format, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::ACCEPT, accept.parse().expect("a header"));
        negotiate(&headers, false)
    }

    #[test]
    fn a_router_asks_for_types_alone_and_watches_are_no_yaml() {
        let headers = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(http::header::ACCEPT, accept.parse().expect("a header"));
            headers
        };
        assert_eq!(check_resource(&headers("application/json;as=Frob"), false), Ok(()));
        assert_eq!(check_resource(&headers("text/html, */*;q=0.8"), false), Ok(()));
        let refused = check_resource(&headers("text/html"), true).expect_err("406").message;
        assert!(
            refused.ends_with("protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"),
            "{refused}"
        );
        assert_eq!(negotiate_stream(&headers("application/yaml"), true).map_err(|error| error.code), Err(406));
        assert_eq!(negotiate_stream(&headers("application/yaml,application/json"), true), Ok(Format::default()));
    }

    #[test]
    fn the_first_that_is_known_counts() {
        let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(of(kubectl).map(|format| (format.transform, format.meta_version)), Ok((Transform::Table, "v1")));
        assert_eq!(of("application/vnd.kubernetes.protobuf,application/json"), Ok(Format::default()));
        assert_eq!(of("text/plain").map_err(|error| error.code), Err(406));
    }
}
