//! Requests through the plane's router.

use axum::{
    Router,
    body::{Body, BodyDataStream},
};
use futures::StreamExt;
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

/// Who the operators are in managed fields.
const MANAGER: &str = "sandbox-operators";

/// Why a request has no answer that helps.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    /// The plane refused.
    #[error("{method} {path}: {status}: {message}")]
    Refused { method: Method, path: String, status: StatusCode, message: String },
    /// The answer could not be read, or the request not be made.
    #[error("{path}: {problem}")]
    Broken { path: String, problem: String },
}

impl ClientError {
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            Self::Broken { .. } => None,
        }
    }
}

/// A client of the sandbox cluster.
#[derive(Clone)]
pub(super) struct Client {
    router: Router,
    token: String,
}

/// One line of a watch.
#[derive(Debug)]
pub(super) struct WatchEvent {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
    pub kind: String,
    pub object: Value,
}

/// An open watch.
pub(super) struct Watch {
    path: String,
    chunks: BodyDataStream,
    /// What came of lines that are not told yet.
    buffer: Vec<u8>,
}

impl Watch {
    /// The next line; none once the watch has ended.
    pub async fn next(&mut self) -> Result<Option<WatchEvent>, ClientError> {
        loop {
            if let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                let mut event: Value = serde_json::from_slice(&line).map_err(|error| broken(&self.path, error))?;
                let kind = event["type"].as_str().unwrap_or_default().to_owned();
                return Ok(Some(WatchEvent { kind, object: event["object"].take() }));
            }
            let Some(chunk) = self.chunks.next().await else { return Ok(None) };
            self.buffer.extend_from_slice(&chunk.map_err(|error| broken(&self.path, error))?);
        }
    }
}

impl Client {
    pub fn new(router: Router, token: String) -> Self {
        Self { router, token }
    }

    pub async fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.send(Method::GET, path, "", None).await
    }

    pub async fn create(&self, path: &str, object: &Value) -> Result<Value, ClientError> {
        self.send(Method::POST, &format!("{path}?fieldManager={MANAGER}"), "application/json", Some(object)).await
    }

    pub async fn patch(&self, path: &str, patch: &Value) -> Result<Value, ClientError> {
        self.send(Method::PATCH, &format!("{path}?fieldManager={MANAGER}"), "application/merge-patch+json", Some(patch)).await
    }

    pub async fn apply(&self, path: &str, object: &Value) -> Result<Value, ClientError> {
        let path = format!("{path}?fieldManager={MANAGER}&force=true");
        self.send(Method::PATCH, &path, "application/apply-patch+yaml", Some(object)).await
    }

    pub async fn delete(&self, path: &str, options: &Value) -> Result<Value, ClientError> {
        self.send(Method::DELETE, path, "application/json", Some(options)).await
    }

    /// Follows changes after `version`.
    pub async fn watch(&self, path: &str, version: &str) -> Result<Watch, ClientError> {
        let path = format!("{path}?watch=1&allowWatchBookmarks=true&resourceVersion={version}");
        let response = self.answer(Method::GET, &path, "", None).await?;
        Ok(Watch { path, chunks: response.into_body().into_data_stream(), buffer: Vec::new() })
    }

    async fn send(&self, method: Method, path: &str, content_type: &str, body: Option<&Value>) -> Result<Value, ClientError> {
        let response = self.answer(method, path, content_type, body).await?;
        let bytes = response.into_body().collect().await.map_err(|error| broken(path, error))?.to_bytes();
        serde_json::from_slice(&bytes).map_err(|error| broken(path, error))
    }

    async fn answer(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: Option<&Value>,
    ) -> Result<http::Response<Body>, ClientError> {
        let mut request = Request::builder()
            .method(method.clone())
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, MANAGER);
        if !content_type.is_empty() {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request.body(body).map_err(|error| broken(path, error))?;
        // A router never fails by itself.
        let response = self.router.clone().oneshot(request).await.map_err(|never| broken(path, never))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let bytes = response.into_body().collect().await.map_err(|error| broken(path, error))?.to_bytes();
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let message = answer["message"].as_str().unwrap_or_default().to_owned();
        Err(ClientError::Refused { method, path: path.to_owned(), status, message })
    }
}

fn broken(path: &str, problem: impl std::fmt::Display) -> ClientError {
    ClientError::Broken { path: path.to_owned(), problem: problem.to_string() }
}
