//! The far edge of a sign-in with OpenID Connect: an identity provider over TLS, with keys of its own. It is strict where a provider has to
//! be, and what it signs can be twisted.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, StatusCode, header};
use oidc::ProviderConfig;
use opm_portal::clock::Clock;
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::devices::{self, Devices};

pub(super) const CLIENT: &str = "portal";
/// The public client of command lines.
pub(super) const DEVICE: &str = "opm";
pub const SECRET: &str = "the-secret-of-the-client";
/// How long its id tokens count, in seconds.
pub const TOKENS: i64 = 300;

/// A key of the provider.
pub struct Key {
    pub id: String,
    pair: EcdsaKeyPair,
}

impl Key {
    pub fn new(id: &str) -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).expect("a key");
        Self { id: id.to_owned(), pair }
    }

    fn published(&self) -> Value {
        // An uncompressed point: 4, x, y.
        let point = self.pair.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        json!({"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.id, "x": x, "y": y})
    }

    /// Signs claims with a header of one's own.
    pub fn signs(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = match header["alg"].as_str().unwrap_or_default() {
            "none" => Vec::new(),
            "HS256" => {
                let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
                mac.update(signed.as_bytes());
                mac.finalize().into_bytes().to_vec()
            }
            _ => self.pair.sign(&SystemRandom::new(), signed.as_bytes()).expect("a signature").as_ref().to_vec(),
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

type Twist = Box<dyn Fn(&mut Value, &mut Value) + Send>;

/// What the provider knows, and how it behaves.
pub(super) struct Mind {
    pub(super) url: String,
    clock: Arc<dyn Clock>,
    key: Mutex<Key>,
    /// What it publishes in place of its key.
    published: Mutex<Option<Value>>,
    /// Codes, each with what was asked for.
    codes: Mutex<BTreeMap<String, BTreeMap<String, String>>>,
    /// Refresh tokens, each with its person; each counts once.
    pub(super) refresh: Mutex<BTreeMap<String, String>>,
    /// Changes header and claims of an id token before it is signed.
    twist: Mutex<Option<Twist>>,
    /// Whether answers name the issuer (RFC 9207).
    names_issuer: bool,
    down: Mutex<bool>,
    /// What it says about sign-ins on other devices.
    pub(super) devices: Mutex<Devices>,
    refreshes: AtomicUsize,
    count: AtomicUsize,
}

/// A running provider.
pub struct Issuer {
    pub(super) mind: Arc<Mind>,
    authority: String,
    shutdown: CancellationToken,
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

impl Issuer {
    pub async fn start(clock: Arc<dyn Clock>) -> Self {
        let listener = devplane::tls::listen(SocketAddr::from(([127, 0, 0, 1], 0)), None).await.expect("a port");
        let (url, authority) = (format!("https://{}", listener.local_addr().expect("an address")), listener.authority_pem.clone());
        let mind = Arc::new(Mind {
            url,
            clock,
            key: Mutex::new(Key::new("first")),
            published: Mutex::default(),
            codes: Mutex::default(),
            refresh: Mutex::default(),
            twist: Mutex::default(),
            names_issuer: true,
            down: Mutex::default(),
            devices: Mutex::default(),
            refreshes: AtomicUsize::default(),
            count: AtomicUsize::default(),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(description))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/device_authorization", post(devices::begin))
            .route("/revoke", post(devices::revoke));
        let shutdown = CancellationToken::new();
        tokio::spawn(listener.serve(router.with_state(mind.clone()), shutdown.clone()));
        Self { mind, authority, shutdown }
    }

    pub fn url(&self) -> &str {
        &self.mind.url
    }

    /// The portal's settings for it.
    pub fn config(&self, name: &str) -> ProviderConfig {
        ProviderConfig {
            name: name.to_owned(),
            title: format!("Acme {name}"),
            issuer: self.mind.url.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: Some(SECRET.to_owned()),
            device_client_id: Some(DEVICE.to_owned()),
            scopes: vec!["profile".to_owned()],
            username_claim: "sub".to_owned(),
            groups_claim: None,
            impersonation: None,
            ca: Some(self.authority.clone()),
        }
    }

    /// What the plane's authentication configuration says about it: subjects are usernames as they are.
    pub fn authenticator(&self) -> Value {
        let issuer = json!({"url": self.mind.url, "certificateAuthority": self.authority, "audiences": [CLIENT, DEVICE],
            "audienceMatchPolicy": "MatchAny"});
        json!({"issuer": issuer, "claimMappings": {"username": {"claim": "sub", "prefix": ""}, "groups": {"claim": "groups", "prefix": ""}}})
    }

    /// Changes header and claims of id tokens from now on.
    pub fn twists(&self, twist: impl Fn(&mut Value, &mut Value) + Send + 'static) {
        *self.mind.twist.lock() = Some(Box::new(twist));
    }

    /// Signs with another key; the one that it publishes stays if `secretly`.
    pub fn rotates(&self, id: &str, secretly: bool) {
        let mut key = self.mind.key.lock();
        if secretly {
            *self.mind.published.lock() = Some(key.published());
        }
        *key = Key::new(id);
    }

    pub fn is_down(&self, down: bool) {
        *self.mind.down.lock() = down;
    }

    /// How often tokens were refreshed.
    pub fn refreshes(&self) -> usize {
        self.mind.refreshes.load(Ordering::SeqCst)
    }

    /// Forgets everyone: no refresh token counts any more.
    pub fn revokes(&self) {
        self.mind.refresh.lock().clear();
    }

    /// A token with these claims, signed with its key.
    pub fn signed(&self, claims: &Value) -> String {
        let key = self.mind.key.lock();
        key.signs(&json!({"alg": "ES256", "kid": key.id, "typ": "logout+jwt"}), claims)
    }

    /// An id token of a person until a time, in seconds since 1970.
    pub fn id_token(&self, person: &str, expires: i64) -> String {
        let mut claims = claims(&self.mind, CLIENT, person, expires - 7200);
        claims["exp"] = json!(expires);
        let key = self.mind.key.lock();
        key.signs(&json!({"alg": "ES256", "kid": key.id, "typ": "JWT"}), &claims)
    }

    /// An id token for a program of `person`, who didn't say anything about themselves for a while.
    pub fn issues(&self, person: &str) -> String {
        let now = self.mind.clock.now().as_second();
        self.signed(&claims(&self.mind, CLIENT, person, now))
    }

    /// Signs `person` in, whom the portal sent to `address`; returns where the browser is sent back to.
    pub fn signs_in(&self, address: &str, person: &str) -> String {
        let (place, query) = address.split_once('?').expect("a query");
        assert_eq!(place, format!("{}/authorize", self.mind.url));
        let mut asked: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        assert_eq!((asked["response_type"].as_str(), asked["client_id"].as_str()), ("code", CLIENT));
        assert_eq!(asked["code_challenge_method"], "S256");
        assert!(asked["scope"].split(' ').any(|scope| scope == "openid"), "{asked:?}");
        // Who is asked to prove again who they are does.
        assert_eq!(asked.get("prompt").map(String::as_str), asked.get("max_age").map(|_| "login"), "{asked:?}");
        asked.insert("person".to_owned(), person.to_owned());
        let code = format!("code-{}", self.mind.count.fetch_add(1, Ordering::SeqCst));
        let (state, redirect) = (asked["state"].clone(), asked["redirect_uri"].clone());
        self.mind.codes.lock().insert(code.clone(), asked);
        let mut answer = form_urlencoded::Serializer::new(String::new());
        answer.append_pair("code", &code).append_pair("state", &state);
        if self.mind.names_issuer {
            answer.append_pair("iss", &self.mind.url);
        }
        let redirect = redirect.strip_prefix("http://localhost:8080").expect("an address of the portal");
        format!("{redirect}?{}", answer.finish())
    }
}

/// The groups of a person of the sample world.
fn groups(person: &str) -> Vec<&'static str> {
    match person {
        "dev-shop" => vec!["acme-shop-developers"],
        "org-owner" => vec!["acme-owners"],
        "dev-data" => vec!["acme-data-developers"],
        // A person of no sample world.
        "dana" => vec!["shop-developers"],
        _ => Vec::new(),
    }
}

fn claims(mind: &Mind, client: &str, person: &str, now: i64) -> Value {
    json!({
        "iss": mind.url, "aud": client, "sub": person, "iat": now, "exp": now + TOKENS, "sid": format!("sid-{person}"), "name": "Dana Shaw",
        "groups": groups(person),
    })
}

async fn description(State(mind): State<Arc<Mind>>) -> Response {
    let at = |path: &str| format!("{}{path}", mind.url);
    answer(
        &mind,
        json!({
            "issuer": mind.url, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"), "jwks_uri": at("/keys"),
            "end_session_endpoint": at("/logout"), "device_authorization_endpoint": at("/device_authorization"),
            "revocation_endpoint": at("/revoke"),
            "response_types_supported": ["code"], "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["ES256"],
            "authorization_response_iss_parameter_supported": mind.names_issuer,
        }),
    )
}

async fn keys(State(mind): State<Arc<Mind>>) -> Response {
    let published = mind.published.lock().clone().unwrap_or_else(|| mind.key.lock().published());
    answer(&mind, json!({"keys": [published]}))
}

pub(super) fn answer(mind: &Mind, body: Value) -> Response {
    if *mind.down.lock() { StatusCode::SERVICE_UNAVAILABLE.into_response() } else { axum::Json(body).into_response() }
}

pub(super) fn refused(code: &str) -> Response {
    (StatusCode::BAD_REQUEST, axum::Json(json!({"error": code}))).into_response()
}

async fn token(State(mind): State<Arc<Mind>>, headers: HeaderMap, Form(asked): Form<BTreeMap<String, String>>) -> Response {
    if *mind.down.lock() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let of = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    let credential = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let client = match credential {
        Some(credential) if credential == format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{SECRET}"))) => CLIENT,
        None if of("client_id") == DEVICE => DEVICE,
        _ => return refused("invalid_client"),
    };
    let (person, nonce, proves) = match of("grant_type") {
        "authorization_code" => {
            let Some(begun) = mind.codes.lock().remove(of("code")) else { return refused("invalid_grant") };
            let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(of("code_verifier")));
            if challenge != begun["code_challenge"] || of("redirect_uri") != begun["redirect_uri"] {
                return refused("invalid_grant");
            }
            (begun["person"].clone(), Some(begun["nonce"].clone()), begun.contains_key("max_age"))
        }
        "refresh_token" => {
            mind.refreshes.fetch_add(1, Ordering::SeqCst);
            let Some(person) = mind.refresh.lock().remove(of("refresh_token")) else { return refused("invalid_grant") };
            (person, None, false)
        }
        devices::GRANT if client == DEVICE => match mind.devices.lock().entered(of("device_code")) {
            Ok(person) => (person, None, false),
            Err(code) => return refused(code),
        },
        _ => return refused("unsupported_grant_type"),
    };
    let number = mind.count.fetch_add(1, Ordering::SeqCst);
    let refresh = format!("refresh-{number}");
    mind.refresh.lock().insert(refresh.clone(), person.clone());
    let now = mind.clock.now().as_second();
    let mut claims = claims(&mind, client, &person, now);
    claims["jti"] = json!(number);
    if let Some(nonce) = nonce {
        claims["nonce"] = json!(nonce);
    }
    if proves {
        claims["auth_time"] = json!(now);
    }
    let key = mind.key.lock();
    let mut header = json!({"alg": "ES256", "kid": key.id, "typ": "JWT"});
    if let Some(twist) = &*mind.twist.lock() {
        twist(&mut header, &mut claims);
    }
    let id_token = key.signs(&header, &claims);
    axum::Json(json!({"access_token": "opaque", "token_type": "Bearer", "id_token": id_token, "refresh_token": refresh})).into_response()
}
