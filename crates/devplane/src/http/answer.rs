//! Answers on their way out: JSON or YAML text, forms, warnings, compression.
//! Source: apiserver `endpoints/handlers/responsewriters/writers.go`.

use std::{convert::Infallible, fmt, io::Write};

use axum::body::Body;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, HeaderValue, Response, header};
use serde_json::Value;

use super::media::{Encoding, Format};
use super::panics;
use crate::{protobuf, status::ApiError};

/// From this size on answers to GET are compressed for clients that take gzip.
const GZIP_BYTES: usize = 128 * 1024;
/// What long answers are sent in. One that needs more than one piece is long enough to be compressed.
pub const PIECE: usize = GZIP_BYTES;

/// An answer before it is written out.
#[derive(Debug)]
pub struct Answer {
    /// HTTP status.
    pub code: u16,
    /// Content.
    pub content: Content,
    /// Texts of Warning headers.
    pub warnings: Vec<String>,
}

/// Content of an answer.
#[derive(Debug)]
pub enum Content {
    /// A JSON value.
    Json(Value),
    /// JSON text that is ready.
    JsonText(Bytes),
    /// JSON text that is made while it is sent.
    JsonPieces(Pieces),
    /// Other text, with its content type.
    Text(&'static str, Bytes),
    /// Nothing at all.
    Empty,
}

/// Text in pieces of about [`PIECE`] bytes.
pub struct Pieces(Box<dyn Iterator<Item = Bytes> + Send>);

impl fmt::Debug for Pieces {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pieces")
    }
}

impl Answer {
    /// 200 with a JSON value.
    pub fn json(value: Value) -> Self {
        Self { code: 200, content: Content::Json(value), warnings: Vec::new() }
    }

    /// 200 with JSON text.
    pub fn text(json: Bytes) -> Self {
        Self { code: 200, content: Content::JsonText(json), warnings: Vec::new() }
    }

    /// 200 with JSON text in pieces; one that has no second piece is an ordinary text.
    pub fn pieces(mut pieces: impl Iterator<Item = Bytes> + Send + 'static) -> Self {
        let first = pieces.next().unwrap_or_default();
        match pieces.next() {
            None => Self::text(first),
            Some(second) => {
                let all = Pieces(Box::new([first, second].into_iter().chain(pieces)));
                Self { code: 200, content: Content::JsonPieces(all), warnings: Vec::new() }
            }
        }
    }

    /// 200 with plain text.
    pub fn plain(text: impl Into<Bytes>) -> Self {
        Self { code: 200, content: Content::Text("text/plain; charset=utf-8", text.into()), warnings: Vec::new() }
    }

    /// The same with another status.
    pub fn with_code(self, code: u16) -> Self {
        Self { code, ..self }
    }

    /// The same with these warnings.
    pub fn with_warnings(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }

    /// Writes the answer out.
    pub fn into_response(self, format: Format, request: &HeaderMap, is_get: bool) -> Response<Body> {
        let mut pieces = None;
        let (content_type, text): (&str, Bytes) = match self.content {
            Content::Json(value) => encoded(&value, format.encoding),
            Content::JsonText(text) if format.encoding == Encoding::Json => ("application/json", text),
            Content::JsonText(text) => encoded(&serde_json::from_slice(&text).unwrap_or_default(), format.encoding),
            Content::JsonPieces(Pieces(all)) if format.encoding == Encoding::Json => {
                pieces = Some(all);
                ("application/json", Bytes::new())
            }
            Content::JsonPieces(Pieces(all)) => encoded(&serde_json::from_slice(&joined(all)).unwrap_or_default(), format.encoding),
            Content::Text(content_type, text) => (content_type, text),
            Content::Empty => ("", Bytes::new()),
        };
        let mut response = Response::new(Body::empty());
        *response.status_mut() = http::StatusCode::from_u16(self.code).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if let Ok(value) = HeaderValue::from_str(content_type)
            && !content_type.is_empty()
        {
            headers.insert(header::CONTENT_TYPE, value);
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
        warn(headers, &self.warnings);
        let takes_gzip = || request.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok()).is_some_and(|v| v.contains("gzip"));
        let packed = is_get && (pieces.is_some() || text.len() >= GZIP_BYTES) && takes_gzip();
        if packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        *response.body_mut() = match (pieces, packed) {
            (None, false) => Body::from(text),
            (None, true) => Body::from(joined(Packed::new(std::iter::once(text)))),
            (Some(pieces), false) => streamed(pieces),
            (Some(pieces), true) => streamed(Packed::new(pieces)),
        };
        response
    }
}

fn joined(pieces: impl Iterator<Item = Bytes>) -> Vec<u8> {
    pieces.fold(Vec::new(), |mut all, piece| {
        all.extend_from_slice(&piece);
        all
    })
}

/// A body that is made while it is sent.
fn streamed(pieces: impl Iterator<Item = Bytes> + Send + 'static) -> Body {
    Body::from_stream(panics::cut_off(futures::stream::iter(pieces.map(Ok::<_, Infallible>))))
}

/// Writes an error out.
pub fn error_response(error: &ApiError, format: Format, request: &HeaderMap) -> Response<Body> {
    if error.plain {
        let content = Content::Text("text/plain; charset=utf-8", format!("{}\n", error.message).into());
        let mut response = Answer { code: error.code, content, warnings: Vec::new() }.into_response(format, request, false);
        response.headers_mut().insert("x-content-type-options", HeaderValue::from_static("nosniff"));
        if let Some(seconds) = error.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        return response;
    }
    let answer = Answer { code: error.code, content: Content::Json(error.to_status()), warnings: error.warnings.clone() };
    let mut response = answer.into_response(format, request, false);
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Adds Warning headers, quoted as Go quotes them.
pub fn warn(headers: &mut HeaderMap, warnings: &[String]) {
    let mut seen: Vec<&str> = Vec::new();
    for warning in warnings {
        if seen.contains(&warning.as_str()) {
            continue;
        }
        seen.push(warning);
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            headers.append(header::WARNING, value);
        }
    }
}

/// A value in an encoding, with its content type. What has no message is told as JSON.
fn encoded(value: &Value, encoding: Encoding) -> (&'static str, Bytes) {
    match encoding {
        Encoding::Yaml => ("application/yaml", yaml(value)),
        Encoding::Protobuf if let Some(message) = protobuf::encode(value) => (protobuf::MEDIA_TYPE, message),
        Encoding::Protobuf | Encoding::Json => ("application/json", value.to_string().into()),
    }
}

/// YAML text of a value.
pub fn yaml(value: &Value) -> Bytes {
    serde_saphyr::to_string(value).unwrap_or_default().into()
}

/// Pieces, compressed.
struct Packed<I> {
    pieces: I,
    /// Gone with the last piece.
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl<I> Packed<I> {
    fn new(pieces: I) -> Self {
        Self { pieces, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }
}

impl<I: Iterator<Item = Bytes>> Iterator for Packed<I> {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        for piece in self.pieces.by_ref() {
            let encoder = self.encoder.as_mut()?;
            // Memory takes everything.
            encoder.write_all(&piece).ok()?;
            // What it holds back comes with a later piece: an empty one would say nothing.
            if !encoder.get_ref().is_empty() {
                return Some(std::mem::take(encoder.get_mut()).into());
            }
        }
        self.encoder.take()?.finish().ok().map(Bytes::from)
    }
}
