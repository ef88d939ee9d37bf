//! What one request may use, so that nobody takes the plane away from others. Every refusal is a Status. Further limits stand with
//! what they limit: patch operations in `patch::json`, costs of expressions in `schema::expr`, history in `store`.
//! Source: apiserver `server/config.go` for the size of bodies; the rest are our own.

use std::time::Duration;

use http::HeaderMap;

use super::query::Query;
use crate::status::ApiError;

/// The largest body that is read, as in the real server.
pub const BODY_BYTES: usize = 3 << 20;
/// The largest object that is stored, whatever made it: etcd's `--max-request-bytes`.
pub const OBJECT_BYTES: usize = 3 << 19;
/// The largest headers in all, names and values.
pub const HEADER_BYTES: u32 = 64 << 10;
/// How long anything but a watch may take, its body included (`--request-timeout` of the real server).
const REQUEST: Duration = Duration::from_secs(60);

/// A body that is too large.
pub fn too_large(what: impl std::fmt::Display) -> ApiError {
    ApiError::of(413, "RequestEntityTooLarge", format!("Request entity too large: {what}"))
}

/// Whether the headers are small enough.
pub fn check_headers(headers: &HeaderMap) -> Result<(), ApiError> {
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes <= HEADER_BYTES as usize {
        return Ok(());
    }
    let message = format!("Request header fields too large: limit is {HEADER_BYTES} bytes");
    Err(ApiError::of(431, "RequestHeaderFieldsTooLarge", message))
}

/// How long a request may take: what its parameter `timeout` says, within the limit.
pub fn patience(query: &Query) -> Result<Duration, ApiError> {
    match query.get("timeout") {
        "" => Ok(REQUEST),
        text => {
            let asked = seconds(text).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let asked = asked.ok_or_else(|| {
                ApiError::bad_request(format!("invalid timeout specified in the request URL: time: invalid duration {text:?}"))
            })?;
            Ok(if asked.is_zero() { REQUEST } else { asked.min(REQUEST) })
        }
    }
}

/// A request that took too long.
pub fn timed_out() -> ApiError {
    ApiError::of(504, "Timeout", "Timeout: request did not complete within the allotted timeout")
}

/// Seconds of a duration as Go writes it: `1m30s`, `500ms`.
fn seconds(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    let mut total = 0.0;
    if rest == "0" {
        return Some(0.0);
    }
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let (unit, seconds) = [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
            .into_iter()
            .find(|(unit, _)| {
                rest.starts_with(unit) && rest[unit.len()..].chars().next().is_none_or(|next| next.is_ascii_digit() || next == '.')
            })?;
        total += number * seconds;
        rest = &rest[unit.len()..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_writes_them() {
        for (text, expected) in [
            ("32s", Some(32.0)),
            ("1m30s", Some(90.0)),
            ("500ms", Some(0.5)),
            ("0", Some(0.0)),
            ("1", None),
            ("", None),
            ("s", None),
            ("-1s", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_request_may_ask_for_less_time_and_not_for_more() {
        assert_eq!(patience(&Query::parse("timeout=5s")), Ok(Duration::from_secs(5)));
        assert_eq!(patience(&Query::parse("timeout=5h")), Ok(REQUEST));
        assert_eq!(patience(&Query::parse("timeout=soon")).map_err(|error| error.code), Err(400));
    }
}
