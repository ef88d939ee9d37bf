//! An issuer of tokens, served over TLS: it describes itself, and publishes keys. It can be slow, odd, or out of order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{StatusCode, header};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::signing::SigningKey;

/// A running issuer.
pub struct Provider {
    pub url: String,
    /// The certificate that vouches for it.
    pub authority: String,
    said: Arc<Said>,
    shutdown: CancellationToken,
}

#[derive(Default)]
struct Said {
    description: Mutex<String>,
    keys: Mutex<String>,
    /// `Cache-Control` of the keys.
    caching: Mutex<String>,
    is_down: Mutex<bool>,
    asked: AtomicUsize,
}

impl Provider {
    /// An issuer with these keys.
    pub async fn start(keys: &[&SigningKey]) -> Self {
        let listener = devplane::tls::listen(SocketAddr::from(([127, 0, 0, 1], 0)), None).await.unwrap();
        let (url, authority) = (format!("https://{}", listener.local_addr().unwrap()), listener.authority_pem.clone());
        let said = Arc::new(Said::default());
        let router = Router::new().route("/.well-known/openid-configuration", get(describe)).route("/keys", get(publish));
        let shutdown = CancellationToken::new();
        tokio::spawn(listener.serve(router.with_state(said.clone()), shutdown.clone()));
        let provider = Self { url, authority, said, shutdown };
        provider.describes(&json!({"issuer": provider.url, "jwks_uri": format!("{}/keys", provider.url)}).to_string());
        provider.publishes(keys);
        provider
    }

    /// Replaces what it says about itself.
    pub fn describes(&self, document: &str) {
        *self.said.description.lock() = document.to_owned();
    }

    /// Replaces its keys.
    pub fn publishes(&self, keys: &[&SigningKey]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.published()).collect();
        self.publishes_as(&json!({"keys": keys}).to_string());
    }

    /// Replaces the text of its keys.
    pub fn publishes_as(&self, text: &str) {
        *self.said.keys.lock() = text.to_owned();
    }

    /// Says how long its keys can be kept.
    pub fn caches(&self, directive: &str) {
        *self.said.caching.lock() = directive.to_owned();
    }

    /// Stops or starts to answer.
    pub fn set_down(&self, is_down: bool) {
        *self.said.is_down.lock() = is_down;
    }

    /// How often it was asked for its keys.
    pub fn asked(&self) -> usize {
        self.said.asked.load(Ordering::SeqCst)
    }

    /// An authenticator of a configuration: this issuer, and how names come about.
    pub fn authenticator(&self, mappings: Value) -> Value {
        let issuer = json!({"url": self.url, "certificateAuthority": self.authority, "audiences": ["portal"]});
        json!({"issuer": issuer, "claimMappings": mappings})
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

async fn describe(State(said): State<Arc<Said>>) -> Response {
    answer(&said, said.description.lock().clone())
}

async fn publish(State(said): State<Arc<Said>>) -> Response {
    said.asked.fetch_add(1, Ordering::SeqCst);
    answer(&said, said.keys.lock().clone())
}

fn answer(said: &Said, text: String) -> Response {
    if *said.is_down.lock() {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let caching = said.caching.lock().clone();
    let kept = (!caching.is_empty()).then_some([(header::CACHE_CONTROL, caching)]);
    match kept {
        Some(kept) => ([(header::CONTENT_TYPE, "application/json")], kept, text).into_response(),
        None => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
    }
}
