//! What claims of a verified token say about the token itself: for whom it is meant, and when. Single claims are read as Go reads them.
//! Source: go-oidc `oidc/verify.go`, apiserver `plugin/pkg/authenticator/token/oidc/oidc.go`.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::refusal::Refusal;

/// The claims of a token.
pub type Claims = Map<String, Value>;

/// How much too early a token can be, in seconds: clocks differ. Nothing is given at its end.
const LEEWAY: i128 = 60;
const NANOSECONDS: i128 = 1_000_000_000;

/// Whether a token is meant for one of these audiences, and valid now.
///
/// # Errors
/// If not.
pub fn check(claims: &Claims, audiences: &[String], now: Timestamp) -> Result<(), Refusal> {
    let meant = texts(claims, "aud")?.unwrap_or_default();
    if !meant.iter().any(|audience| audiences.contains(audience)) {
        return Err(Refusal::Audience(audiences.to_vec()));
    }
    let now = now.as_nanosecond();
    if seconds(claims, "exp")?.is_none_or(|end| end * NANOSECONDS < now) {
        return Err(Refusal::Expired);
    }
    if seconds(claims, "nbf")?.is_some_and(|start| now + LEEWAY * NANOSECONDS < start * NANOSECONDS) {
        return Err(Refusal::NotYet);
    }
    Ok(())
}

/// A moment, in whole seconds since 1970.
fn seconds(claims: &Claims, claim: &str) -> Result<Option<i128>, Refusal> {
    match claims.get(claim) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) => Ok(match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Some(whole.into()),
            // Far beyond either end is as good as the end.
            (None, float) => float.map(|seconds| seconds.clamp(-1e18, 1e18) as i128),
        }),
        Some(_) => Err(form(claim, "a number")),
    }
}

/// A claim whose value is a text. Null is an empty one.
///
/// # Errors
/// If it is missing, or something else.
pub fn text<'a>(claims: &'a Claims, claim: &str) -> Result<&'a str, Refusal> {
    match claims.get(claim) {
        None => Err(Refusal::ClaimMissing(claim.to_owned())),
        Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(form(claim, "a string")),
    }
}

/// A claim whose value is a list of texts, or one text. Null is an empty list.
///
/// # Errors
/// If it is something else.
pub fn texts(claims: &Claims, claim: &str) -> Result<Option<Vec<String>>, Refusal> {
    let text = |value: &Value| match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        _ => Err(form(claim, "a string or a list of strings")),
    };
    Ok(match claims.get(claim) {
        None => None,
        Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => Some(items.iter().map(text).collect::<Result<_, _>>()?),
        Some(other) => Some(vec![text(other)?]),
    })
}

/// The error for a claim of another form.
pub fn form(claim: &str, wanted: &'static str) -> Refusal {
    Refusal::ClaimForm { claim: claim.to_owned(), wanted }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn checked(claims: Value) -> Result<(), Refusal> {
        let Value::Object(claims) = claims else { panic!("an object") };
        check(&claims, &["portal".into(), "cli".into()], Timestamp::from_second(NOW).unwrap())
    }

    #[test]
    fn a_token_is_meant_for_one_of_the_audiences() {
        for meant in [json!("portal"), json!(["cli"]), json!(["other", "portal"])] {
            assert_eq!(checked(json!({"aud": meant, "exp": NOW})), Ok(()), "{meant}");
        }
        for other in [json!("other"), json!([]), json!(null), json!(["Portal"])] {
            assert!(matches!(checked(json!({"aud": other, "exp": NOW})), Err(Refusal::Audience(_))), "{other}");
        }
        assert!(matches!(checked(json!({"exp": NOW})), Err(Refusal::Audience(_))));
        assert_eq!(checked(json!({"aud": 1, "exp": NOW})), Err(form("aud", "a string or a list of strings")));
    }

    #[test]
    fn a_token_is_valid_from_a_minute_before_its_start_until_its_end() {
        let at = |exp: Value, nbf: Value| checked(json!({"aud": "cli", "exp": exp, "nbf": nbf}));
        assert_eq!(at(json!(NOW), json!(NOW + 60)), Ok(()));
        assert_eq!(at(json!(NOW - 1), json!(null)), Err(Refusal::Expired));
        assert_eq!(at(json!(null), json!(null)), Err(Refusal::Expired));
        assert_eq!(at(json!(NOW), json!(NOW + 61)), Err(Refusal::NotYet));
        assert_eq!(at(json!(NOW as f64 + 0.9), json!(0)), Ok(()), "parts of a second don't count");
        assert_eq!(at(json!(u64::MAX), json!(-1e300)), Ok(()));
        assert_eq!(at(json!(1e300), json!(1e300)), Err(Refusal::NotYet));
        assert_eq!(at(json!(NOW.to_string()), json!(0)), Err(form("exp", "a number")));
    }
}
