//! Who an id token is about on a control plane that doesn't trust its issuer: the names that the portal impersonates. They are made of claims
//! as kube-apiserver makes them (`claimMappings` of an `AuthenticationConfiguration`), but for names that belong to the control plane.

use serde_json::Value;

use crate::config::{Impersonation, ProviderConfig};
use crate::error::Error;
use crate::jwt::Parts;
use crate::names::{NameProblem, name};

/// The claim with a mail address, which counts only if the provider verified it.
const EMAIL: &str = "email";

/// A person whom the portal impersonates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpersonatedPerson {
    /// Username on the control plane.
    pub username: String,
    /// Groups on the control plane, without those that it adds itself.
    pub groups: Vec<String>,
}

impl ImpersonatedPerson {
    /// Returns the person that a verified token is about.
    pub(crate) fn of(config: &ProviderConfig, impersonation: &Impersonation, parts: &Parts<'_>) -> Result<Self, Error> {
        let refused = |claim: &str, problem| Error::NotImpersonated { claim: claim.to_owned(), problem };
        let claim = config.username_claim.as_str();
        let said = parts.claims.get(claim).and_then(Value::as_str).ok_or_else(|| Error::NoClaim(claim.to_owned()))?;
        let verified = parts.claims.get("email_verified").is_none_or(|verified| *verified == Value::Bool(true));
        if claim == EMAIL && !verified {
            return Err(refused(claim, NameProblem::Unverified));
        }
        let username = name(&impersonation.username_prefix, said).map_err(|problem| refused(claim, problem))?;
        let groups = match &config.groups_claim {
            None => Vec::new(),
            Some(claim) => groups(parts.claims.get(claim), &impersonation.groups_prefix).map_err(|problem| refused(claim, problem))?,
        };
        Ok(Self { username, groups })
    }
}

/// Returns the groups of a claim: one text or a list of texts.
fn groups(claim: Option<&Value>, prefix: &str) -> Result<Vec<String>, NameProblem> {
    match claim {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![name(prefix, one)?]),
        Some(Value::Array(several)) => several.iter().map(|group| name(prefix, group.as_str().ok_or(NameProblem::NotText)?)).collect(),
        Some(_) => Err(NameProblem::NotText),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::*;
    use crate::config::tests::config;

    fn person(claims: &Value, prefixes: (&str, &str), username_claim: &str) -> Result<ImpersonatedPerson, NameProblem> {
        let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let token = format!("{}.{}.", encode(r#"{"alg":"ES256"}"#), encode(&claims.to_string()));
        let parts = Parts::of(&token).unwrap();
        let config =
            ProviderConfig { groups_claim: Some("groups".into()), username_claim: username_claim.into(), ..config("https://a.example") };
        let impersonation = Impersonation { username_prefix: prefixes.0.into(), groups_prefix: prefixes.1.into() };
        ImpersonatedPerson::of(&config, &impersonation, &parts).map_err(|error| match error {
            Error::NotImpersonated { problem, .. } => problem,
            other => panic!("{other}"),
        })
    }

    #[test]
    fn names_are_claims_with_their_prefix() {
        let of = |claims: Value| person(&claims, ("oidc:", "team:"), "sub").unwrap();
        let dana = ImpersonatedPerson { username: "oidc:dana".into(), groups: vec!["team:a".into(), "team:b".into()] };
        assert_eq!(of(json!({"sub": "dana", "groups": ["a", "b"]})), dana);
        assert_eq!(of(json!({"sub": "dana", "groups": "a"})).groups, ["team:a"]);
        assert_eq!(of(json!({"sub": "dana"})).groups, [""; 0]);
        assert_eq!(of(json!({"sub": "jürgen"})).username, "oidc:jürgen");
    }

    #[test]
    fn no_name_of_the_control_plane_is_impersonated_whatever_the_prefix() {
        let of = |prefix: &str, said: &str| {
            let user = person(&json!({"sub": said}), (prefix, ""), "sub").map(|person| person.username);
            let group = person(&json!({"sub": "dana", "groups": ["a", said]}), ("", prefix), "sub").map(|person| person.groups);
            (user, group)
        };
        for (prefix, said) in [
            ("", "system:masters"),
            ("oidc:", "system:masters"),
            ("s", "ystem:masters"),
            ("system", ":masters"),
            ("", " system:masters"),
            ("oidc:", "\tSystem:Masters"),
            ("", "system:"),
        ] {
            assert_eq!(of(prefix, said), (Err(NameProblem::Reserved), Err(NameProblem::Reserved)), "{prefix} {said}");
        }
        for (prefix, said) in [("oidc:", "systematic"), ("subs", "ystem:masters"), ("", "system")] {
            assert!(of(prefix, said).0.is_ok() && of(prefix, said).1.is_ok(), "{prefix} {said}");
        }
    }

    #[test]
    fn a_name_that_can_not_be_sent_as_it_is_is_refused() {
        for said in ["dana\r\nImpersonate-Group: system:masters", "dana\n", "dana\0", "dana ", "dana\u{7f}", "dana\u{85}"] {
            assert_eq!(person(&json!({"sub": said}), ("", ""), "sub"), Err(NameProblem::Characters), "{said:?}");
            assert_eq!(person(&json!({"sub": "dana", "groups": [said]}), ("", ""), "sub"), Err(NameProblem::Characters), "{said:?}");
        }
        assert_eq!(person(&json!({"sub": " dana"}), ("", ""), "sub"), Err(NameProblem::Characters));
        for (groups, problem) in
            [(json!([7]), NameProblem::NotText), (json!({"a": 1}), NameProblem::NotText), (json!([""]), NameProblem::Empty)]
        {
            assert_eq!(person(&json!({"sub": "dana", "groups": groups}), ("", "g:"), "sub"), Err(problem), "{groups}");
        }
    }

    #[test]
    fn a_mail_address_counts_unless_the_provider_says_that_it_is_not_verified() {
        let of = |verified: Value| person(&json!({"email": "dana@acme.example", "email_verified": verified}), ("", ""), "email");
        assert_eq!(of(json!(true)).unwrap().username, "dana@acme.example");
        assert_eq!(of(json!(false)), Err(NameProblem::Unverified));
        assert_eq!(of(json!("true")), Err(NameProblem::Unverified));
        assert!(person(&json!({"email": "dana@acme.example"}), ("", ""), "email").is_ok());
    }
}
