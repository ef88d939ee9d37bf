//! Answers on their way out: JSON or YAML text, forms, warnings, compression.

use std::io::Write;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, header};
use serde_json::Value;

use super::media::{Encoding, Format};
use crate::{protobuf, status::ApiError};

/// From this size on answers to GET are compressed for clients that take gzip.
const GZIP_BYTES: usize = 128 * 1024;

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
    /// Other text, with its content type.
    Text(&'static str, Bytes),
    /// Nothing at all.
    Empty,
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
        let (content_type, text): (&str, Bytes) = match self.content {
            Content::Json(value) => encoded(&value, format.encoding),
            Content::JsonText(text) if format.encoding == Encoding::Json => ("application/json", text),
            Content::JsonText(text) => encoded(&serde_json::from_slice(&text).unwrap_or_default(), format.encoding),
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
        let packed = if is_get && text.len() >= GZIP_BYTES && takes_gzip() { gzip(&text) } else { None };
        if packed.is_some() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        let text = packed.unwrap_or(text);
        *response.body_mut() = Body::from(text);
        response
    }
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

fn gzip(text: &[u8]) -> Option<Bytes> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).ok()?;
    Some(encoder.finish().ok()?.into())
}
