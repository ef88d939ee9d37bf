//! A door for the fuzz targets alone: parts of the plane that take bytes from outside and are otherwise reached only through a whole
//! request, where a router, rights and a store would hide their branches from the engine. Nothing else may use it.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::Value;

use crate::{
    authn::issuers,
    builtin,
    http::{
        answer, limits, media,
        path::{parse, split_prefix},
        query::Query,
    },
    objects::{decode, list},
    protobuf,
    request::User,
    table,
};

/// A message of this version and kind, unless its envelope says otherwise.
pub fn decode_message(body: &[u8], api_version: &str, kind: &str) -> Option<Value> {
    protobuf::decode(body, api_version, kind).ok()
}

/// An object as a message.
pub fn encode_message(object: &Value) -> Option<Bytes> {
    protobuf::encode(object)
}

/// Reads path, query and the header `Accept` of a request.
pub fn request(method: &str, path: &str, query: &str, accept: &str) {
    let query = Query::parse(query);
    let (_, rest) = split_prefix(path);
    if let Ok(method) = Method::from_bytes(method.as_bytes()) {
        let _ = parse(&method, rest, &query);
    }
    let _ = (limits::patience(&query), query.flag("watch"), query.all("dryRun"));
    let _ = (list::parse_version(query.get("resourceVersion")), list::parse_continue(query.get("continue")));
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(accept) {
        headers.insert(header::ACCEPT, value);
    }
    let _ = (media::negotiate(&headers, true), media::negotiate(&headers, false));
}

/// A body of this media type as a value.
pub fn body(text: &[u8], content_type: &str) -> Option<Value> {
    let decoded = if content_type == "application/yaml" { decode::yaml(text) } else { decode::json(text) };
    decoded.ok().map(|decoded| decoded.value)
}

/// A value as it is answered in YAML.
pub fn yaml(value: &Value) -> Bytes {
    answer::yaml(value)
}

/// The canonical form of a quantity.
pub fn quantity(text: &str) -> Option<String> {
    builtin::quantity::canonical(text)
}

/// What a printer column with this path shows.
pub fn column<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    table::json_path::first(object, path)
}

/// A token of these parts.
pub fn token(header: &Value, claims: &Value, signature: &str) -> String {
    [header.to_string(), claims.to_string(), signature.to_owned()].map(|part| BASE64.encode(part)).join(".")
}

/// Whether one of the keys of a set made a token.
pub fn is_made_by(token: &str, keys: &[u8]) -> bool {
    issuers::is_made_by(token, keys)
}

/// Whom the first issuer of a configuration makes of claims.
pub fn person(configuration: &str, claims: &Value) -> Option<User> {
    issuers::person(configuration, claims)
}
