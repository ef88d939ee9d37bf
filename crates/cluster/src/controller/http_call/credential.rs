//! Credentials of Endpoints. Their values are in no error, log or answer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use k8s_openapi::api::core::v1::Secret;
use promise::api::{AuthorizationType, EndpointAuthorization, EndpointSecretRef};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};

use super::failure::HttpFailure;
use crate::controller::target::KUBECONFIG;

/// Key of the token or the header's value, unless the reference names another one.
const TOKEN: &str = "token";
/// Takes the place of a credential that a server repeats.
const MASK: &str = "***";

/// A credential, as it is sent. Its debug text doesn't show it.
#[derive(Clone, Debug)]
pub(super) struct Credential {
    name: HeaderName,
    value: HeaderValue,
    /// Everything that must not be repeated.
    secrets: Vec<SecretString>,
}

impl Credential {
    /// Reads a credential from its Secret.
    pub(super) fn read(
        secret: &Secret,
        reference: &EndpointSecretRef,
        authorization: Option<&EndpointAuthorization>,
    ) -> Result<Self, HttpFailure> {
        let data = secret.data.as_ref();
        // The label of both kinds of credentials is the same, but that of a cluster must not be sent to anyone else.
        if data.is_some_and(|data| data.contains_key(KUBECONFIG)) {
            return Err(HttpFailure::CredentialOfDestination { secret: reference.name.clone() });
        }
        let text = |key: &str| {
            let failed = |failure: fn(String, String) -> HttpFailure| failure(reference.name.clone(), key.to_owned());
            let bytes =
                data.and_then(|data| data.get(key)).ok_or_else(|| failed(|secret, key| HttpFailure::CredentialKey { secret, key }))?;
            let text = std::str::from_utf8(&bytes.0).ok().map(|text| text.trim_end_matches(['\r', '\n']));
            text.filter(|text| !text.is_empty())
                .map(SecretString::from)
                .ok_or_else(|| failed(|secret, key| HttpFailure::CredentialText { secret, key }))
        };
        let key = reference.key.as_deref().unwrap_or(TOKEN);
        let unsendable = |_| HttpFailure::CredentialText { secret: reference.name.clone(), key: key.to_owned() };
        let (name, value, secrets) = match authorization.map(|authorization| (authorization.r#type, authorization.header.as_deref())) {
            None | Some((AuthorizationType::Bearer, _)) => {
                let token = text(key)?;
                (header::AUTHORIZATION, format!("Bearer {}", token.expose_secret()), vec![token])
            }
            Some((AuthorizationType::Basic, _)) => {
                let (user, password) = (text("username")?, text("password")?);
                let both = STANDARD.encode(format!("{}:{}", user.expose_secret(), password.expose_secret()));
                (header::AUTHORIZATION, format!("Basic {both}"), vec![both.into(), password])
            }
            Some((AuthorizationType::Header, name)) => {
                let name = HeaderName::try_from(name.unwrap_or_default()).map_err(|_| HttpFailure::Invalid { problems: Vec::new() })?;
                let value = text(key)?;
                (name, value.expose_secret().to_owned(), vec![value])
            }
        };
        let mut value = HeaderValue::try_from(value).map_err(unsendable)?;
        value.set_sensitive(true);
        Ok(Self { name, value, secrets })
    }

    /// Adds the credential to the headers of a request.
    pub(super) fn authorize(&self, headers: &mut HeaderMap) {
        headers.insert(self.name.clone(), self.value.clone());
    }

    /// Returns what a server answered, without the credential: what it repeats would be in status.
    pub(super) fn masked(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.masked_text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.masked(item)).collect(),
            Value::Object(fields) => {
                let masked = fields.iter().map(|(name, value)| (self.masked_text(name), self.masked(value)));
                Value::Object(masked.collect::<Map<_, _>>())
            }
            Value::Number(number) if self.masked_text(&number.to_string()) != number.to_string() => MASK.into(),
            other => other.clone(),
        }
    }

    fn masked_text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.expose_secret(), MASK))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::ByteString;
    use serde_json::json;

    use super::*;

    fn credential(data: &[(&str, &str)], authorization: Value) -> Result<Credential, HttpFailure> {
        let data = data.iter().map(|(key, value)| ((*key).to_owned(), ByteString(value.as_bytes().to_vec()))).collect();
        let secret = Secret { data: Some(data), ..Secret::default() };
        let reference = EndpointSecretRef { namespace: "opm-system".into(), name: "tickets".into(), key: None };
        let authorization: Option<EndpointAuthorization> = serde_json::from_value(authorization).unwrap();
        Credential::read(&secret, &reference, authorization.as_ref())
    }

    fn sent(data: &[(&str, &str)], authorization: Value) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        credential(data, authorization).unwrap().authorize(&mut headers);
        headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect()
    }

    #[test]
    fn a_credential_is_sent_as_the_endpoint_says() {
        let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let token = [("token", "s3cret\n")];
        assert_eq!(sent(&token, Value::Null), header("authorization", "Bearer s3cret"));
        assert_eq!(sent(&token, json!({"type": "bearer"})), header("authorization", "Bearer s3cret"));
        assert_eq!(sent(&token, json!({"type": "header", "header": "X-Api-Key"})), header("x-api-key", "s3cret"));
        let basic = [("username", "ada"), ("password", "s3cret")];
        assert_eq!(sent(&basic, json!({"type": "basic"})), header("authorization", "Basic YWRhOnMzY3JldA=="));
    }

    #[test]
    fn a_credential_that_cannot_be_sent_is_named_by_its_key_alone() {
        let basic = json!({"type": "basic"});
        for (data, authorization, key) in [
            (&[("password", "s3cret")][..], Value::Null, "token"),
            (&[("token", "")], Value::Null, "token"),
            (&[("token", "s3cret\nX-Other: 1")], Value::Null, "token"),
            (&[("username", "ada")], basic.clone(), "password"),
        ] {
            let failure = credential(data, authorization).unwrap_err();
            let told = format!("{failure:?}");
            assert!(told.contains(key) && !told.contains("s3cret"), "{told}");
        }
        let kubeconfig = credential(&[("token", "a"), ("kubeconfig", "s3cret")], Value::Null).unwrap_err();
        assert!(matches!(kubeconfig, HttpFailure::CredentialOfDestination { .. }), "{kubeconfig:?}");
    }

    #[test]
    fn a_credential_is_shown_nowhere() {
        let bearer = credential(&[("token", "s3cret")], Value::Null).unwrap();
        assert!(!format!("{bearer:?}").contains("s3cret"), "{bearer:?}");
        let echoed = json!({"headers": ["Bearer s3cret", {"s3cret": 1}], "text": "s3crets3cret", "other": [1, null, true]});
        let kept = json!({"headers": ["Bearer ***", {"***": 1}], "text": "******", "other": [1, null, true]});
        assert_eq!(bearer.masked(&echoed), kept);
        let basic = credential(&[("username", "ada"), ("password", "12345")], json!({"type": "basic"})).unwrap();
        assert_eq!(
            basic.masked(&json!({"user": "ada", "seen": 12345, "raw": "Basic YWRhOjEyMzQ1"})),
            json!({"user": "ada", "seen": "***", "raw": "Basic ***"})
        );
    }
}
