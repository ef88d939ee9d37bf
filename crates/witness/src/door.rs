//! The way to a plane.

use std::future::Future;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use serde_json::Value;

/// An answer whose body may go on.
pub type Answer = Response<UnsyncBoxBody<Bytes, String>>;

/// How requests reach a plane as somebody who may do everything there.
pub trait Door: Sync {
    /// Sends a request; none if the plane is gone before it answers.
    fn send(&self, request: Request<Vec<u8>>) -> impl Future<Output = Option<Answer>> + Send;
}

/// Sends a request and reads the whole answer; none if the plane is gone, or has lost its disk.
pub(crate) async fn ask(door: &impl Door, method: &str, path: &str, content_type: &str, body: Option<&Value>) -> Option<(u16, Value)> {
    let request = Request::builder().method(method).uri(path).header(http::header::CONTENT_TYPE, content_type);
    let request = request.body(body.map(Value::to_string).unwrap_or_default().into_bytes()).ok()?;
    let answer = door.send(request).await?;
    let code = answer.status().as_u16();
    let bytes = answer.into_body().collect().await.ok()?.to_bytes();
    (code < 500).then(|| (code, serde_json::from_slice(&bytes).unwrap_or_default()))
}
