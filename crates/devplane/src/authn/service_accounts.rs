//! Tokens of service accounts: made by the subresource `token`, read back when somebody presents one (kube-apiserver
//! `pkg/serviceaccount`, `pkg/registry/core/serviceaccount/storage/token.go`).
//!
//! A token is a JWT, signed by a key that lives in the store, for one service account of one cluster. It expires, and it dies with
//! its service account and with the object that it is bound to. The real server signs with a pair of keys; here nobody but the
//! plane checks a signature, so one secret key does.

use std::sync::LazyLock;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::impersonation::SCOPES;
use crate::{
    ClusterId, State, clock,
    kinds::SERVICE_ACCOUNTS,
    namespaces::NAMESPACES,
    random,
    registry::GroupResource,
    request::{Attributes, User},
    status::{ApiError, Cause},
    store::{Key, Stored, WriteError},
};

/// Issuer of all tokens, and the audience of those that ask for none: the plane itself.
pub const ISSUER: &str = "https://kubernetes.default.svc";
/// In workspaces this extra field names the one that a service account is of: names are unique only together with it.
pub const CLUSTER_NAME: &str = "authentication.kcp.io/cluster-name";
/// Group and kind of requests for tokens.
const GROUP: &str = "authentication.k8s.io";
const KIND: &str = "TokenRequest";
/// Seconds that a token lives unless the request says otherwise.
const DEFAULT_SECONDS: i64 = 3600;
/// A token must live this many seconds at least.
const MIN_SECONDS: i64 = 600;
/// And this many at most.
const MAX_SECONDS: i64 = 1 << 32;

/// Where the signing key is; no path serves it.
static KEYS: LazyLock<GroupResource> = LazyLock::new(|| GroupResource::new("plane", "signingkeys"));

/// Answers a TokenRequest for the service account of the path.
///
/// # Errors
/// When the service account or what the token is to be bound to is not there, or the duration is out of bounds.
pub fn issue(state: &State, attributes: &Attributes, request: &Value) -> Result<Value, ApiError> {
    let (cluster, namespace, name) = (&attributes.target.cluster, &attributes.namespace, &attributes.name);
    if state.store.peek(&NAMESPACES, &Key::new(cluster, "", namespace)).is_none() {
        return Err(ApiError::not_found("", "namespaces", namespace));
    }
    let said = |field: &str| request["metadata"][field].as_str().unwrap_or_default();
    if !said("name").is_empty() && said("name") != name {
        let cause = Cause::invalid("metadata.name", &said("name").into(), "must match the service account name if specified");
        return Err(ApiError::invalid(GROUP, KIND, name, [cause]));
    }
    let account = state.store.peek(&SERVICE_ACCOUNTS, &Key::new(cluster, namespace, name));
    let account = account.ok_or_else(|| ApiError::not_found("", "serviceaccounts", name))?.object();
    let own = account["metadata"]["uid"].as_str().unwrap_or_default();
    if !said("uid").is_empty() && said("uid") != own {
        let why = format!("the UID in the token request ({}) does not match the UID of the service account ({own})", said("uid"));
        return Err(ApiError::conflict(GROUP, KIND, name, &why));
    }
    let spec = &request["spec"];
    let seconds = lifetime(&spec["expirationSeconds"])?;
    let audiences: Vec<&str> = spec["audiences"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let audiences = if audiences.is_empty() { vec![ISSUER] } else { audiences };
    let mut private =
        json!({"namespace": namespace, "serviceaccount": {"name": name, "uid": account["metadata"]["uid"]}, "cluster": cluster.as_str()});
    if !spec["boundObjectRef"].is_null() {
        let (word, bound) = bound_object(state, cluster, namespace, &spec["boundObjectRef"])?;
        private[word] = json!({"name": bound["metadata"]["name"], "uid": bound["metadata"]["uid"]});
    }
    let now = state.clock.now();
    let expires = now.as_second().saturating_add(seconds);
    let claims = json!({
        "aud": audiences,
        "exp": expires,
        "iat": now.as_second(),
        "iss": ISSUER,
        "jti": random::uid(&*state.random),
        "kubernetes.io": private,
        "nbf": now.as_second(),
        "sub": username(namespace, name),
    });
    let token = sign(&key(state)?, &claims).ok_or_else(|| ApiError::internal("the token cannot be signed"))?;
    let until = jiff::Timestamp::from_second(expires).map(clock::seconds).unwrap_or_default();
    Ok(json!({
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"name": name, "namespace": namespace, "uid": account["metadata"]["uid"], "creationTimestamp": clock::seconds(now)},
        "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": spec["boundObjectRef"]},
        "status": {"token": token, "expirationTimestamp": until},
    }))
}

/// The service account that a token stands for in a cluster, if it is one of ours and still good for one of these audiences.
///
/// Every workspace knows the accounts of all workspaces, as kcp does: the user says in its extra fields where it lives, and counts only there.
pub fn user_of(state: &State, cluster: &ClusterId, token: &str, audiences: &[String]) -> Option<User> {
    let key = state.store.peek(&KEYS, &key_place()).as_ref().and_then(key_of)?;
    let claims = verify(&key, token)?;
    let private = &claims["kubernetes.io"];
    let now = state.clock.now().as_second();
    let meant = claims["aud"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .any(|own| if audiences.is_empty() { own == ISSUER } else { audiences.iter().any(|wanted| wanted == own) });
    let home = ClusterId::parse(private["cluster"].as_str()?)?;
    let known = home == *cluster || (!home.is_sandbox() && !cluster.is_sandbox());
    if !meant || claims["exp"].as_i64()? <= now || !known {
        return None;
    }
    let namespace = private["namespace"].as_str()?;
    let alive = |resource: &GroupResource, namespace: &str, claim: &Value| {
        let stored = state.store.peek(resource, &Key::new(&home, namespace, claim["name"].as_str()?))?.object();
        (stored["metadata"]["uid"] == claim["uid"]).then_some(stored)
    };
    let account = alive(&SERVICE_ACCOUNTS, namespace, &private["serviceaccount"])?;
    for (word, resource, namespaced) in BOUND {
        if !private[word].is_null() {
            alive(&GroupResource::new("", resource), if namespaced { namespace } else { "" }, &private[word])?;
        }
    }
    let mut user = User {
        name: username(namespace, private["serviceaccount"]["name"].as_str()?),
        uid: account["metadata"]["uid"].as_str().unwrap_or_default().to_owned(),
        groups: vec!["system:serviceaccounts".into(), format!("system:serviceaccounts:{namespace}"), super::AUTHENTICATED.into()],
        ..User::default()
    };
    let credential = format!("JTI={}", claims["jti"].as_str().unwrap_or_default());
    user.extra.insert("authentication.kubernetes.io/credential-id".into(), vec![credential]);
    // Workspaces have accounts of the same name; this tells them apart.
    if !home.is_sandbox() {
        user.extra.insert(CLUSTER_NAME.into(), vec![home.to_string()]);
        user.extra.insert(SCOPES.into(), vec![format!("cluster:{home}")]);
    }
    Some(user)
}

/// What a token can be bound to: the word of the claim, the resource, and whether it lives in the namespace.
const BOUND: [(&str, &str, bool); 3] = [("pod", "pods", true), ("secret", "secrets", true), ("node", "nodes", false)];

/// Group and version as Go prints them: the core group is empty.
fn group_version(api_version: &str) -> String {
    if api_version.contains('/') { api_version.to_owned() } else { format!("/{api_version}") }
}

fn username(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

fn invalid(field: &str, value: &Value, detail: &str) -> ApiError {
    ApiError::invalid(GROUP, KIND, "", [Cause::invalid(field, value, detail)])
}

fn lifetime(asked: &Value) -> Result<i64, ApiError> {
    let seconds = asked.as_i64().unwrap_or(DEFAULT_SECONDS);
    match seconds {
        ..MIN_SECONDS => Err(invalid("spec.expirationSeconds", &seconds.into(), "may not specify a duration less than 10 minutes")),
        MAX_SECONDS.. => Err(invalid("spec.expirationSeconds", &seconds.into(), "may not specify a duration larger than 2^32 seconds")),
        _ => Ok(seconds),
    }
}

/// The object that a token is to be bound to, with the word of its claim.
fn bound_object(state: &State, cluster: &ClusterId, namespace: &str, reference: &Value) -> Result<(&'static str, Value), ApiError> {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let found = BOUND.iter().find(|(word, _, _)| text("apiVersion") == "v1" && text("kind").eq_ignore_ascii_case(word));
    let Some((word, resource, namespaced)) = found else {
        return Err(ApiError::bad_request(format!(
            "cannot bind token to object of type {}, Kind={}",
            group_version(text("apiVersion")),
            text("kind")
        )));
    };
    let place = Key::new(cluster, if *namespaced { namespace } else { "" }, text("name"));
    let stored = state.store.peek(&GroupResource::new("", resource), &place);
    let object = stored.ok_or_else(|| ApiError::not_found("", resource, text("name")))?.object();
    let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
    if !text("uid").is_empty() && text("uid") != uid {
        let why = format!(
            "the UID in the bound object reference ({}) does not match the UID in record. The object might have been deleted and then recreated",
            text("uid")
        );
        return Err(ApiError::conflict("", resource, text("name"), &why));
    }
    Ok((word, object))
}

fn key_place() -> Key {
    Key::new(&ClusterId::nowhere(), "", "service-accounts")
}

fn key_of(stored: &Stored) -> Option<Vec<u8>> {
    BASE64.decode(stored.object()["key"].as_str()?).ok()
}

/// The signing key, made at its first use.
fn key(state: &State) -> Result<Vec<u8>, ApiError> {
    loop {
        if let Some(key) = state.store.peek(&KEYS, &key_place()).as_ref().and_then(key_of) {
            return Ok(key);
        }
        let mut bytes = [0; 32];
        state.random.fill(&mut bytes);
        // Somebody who asks at the same time makes one, too; the first counts.
        match state.store.write_behind(&KEYS, &key_place(), 0, Some(json!({"metadata": {}, "key": BASE64.encode(bytes)}))) {
            Ok(_) | Err(WriteError::Changed) => {}
            Err(error) => return Err(ApiError::internal(error)),
        }
    }
}

fn mac(key: &[u8], signed: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(signed.as_bytes());
    Some(mac)
}

fn sign(key: &[u8], claims: &Value) -> Option<String> {
    let header = json!({"alg": "HS256", "typ": "JWT"});
    let signed = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
    let signature = BASE64.encode(mac(key, &signed)?.finalize().into_bytes());
    Some(format!("{signed}.{signature}"))
}

/// The claims of a token with a good signature.
fn verify(key: &[u8], token: &str) -> Option<Value> {
    let (signed, signature) = token.rsplit_once('.')?;
    mac(key, signed)?.verify_slice(&BASE64.decode(signature).ok()?).ok()?;
    let (_, claims) = signed.split_once('.')?;
    serde_json::from_slice(&BASE64.decode(claims).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_not_when_a_letter_differs() {
        let claims = json!({"sub": "system:serviceaccount:default:robot", "exp": 5});
        let token = sign(b"secret", &claims).unwrap();
        assert_eq!(verify(b"secret", &token), Some(claims));
        assert_eq!(verify(b"another", &token), None);
        let (head, tail) = token.split_at(token.len() / 2);
        let other = if tail.starts_with('A') { 'B' } else { 'A' };
        assert_eq!(verify(b"secret", &format!("{head}{other}{}", &tail[1..])), None);
        for text in ["", ".", "..", "a.b", "a.b.c"] {
            assert_eq!(verify(b"secret", text), None);
        }
    }

    #[test]
    fn lifetimes_have_bounds() {
        assert_eq!(lifetime(&Value::Null).unwrap(), 3600);
        assert_eq!(lifetime(&json!(599)).unwrap_err().code, 422);
        assert_eq!(lifetime(&json!(1_i64 << 33)).unwrap_err().code, 422);
    }
}
