//! A plane on a disk, asked as its administrator through its router.

use devplane::{OpenError, Options, Plane, Storage, Token};
use http::{Request, header};
use http_body_util::BodyExt;
use tower::ServiceExt;
use witness::{Answer, Door};

/// A plane.
pub struct OnDisk {
    router: axum::Router,
}

impl OnDisk {
    /// Opens it; what it does on its own ends with the runtime.
    pub fn open(storage: Storage) -> Result<Self, OpenError> {
        let admin =
            Token { token: "admin".into(), username: "admin".into(), uid: String::new(), groups: vec!["system:masters".to_owned()] };
        let plane = Plane::open(Options::new(storage, vec![admin], "https://plane.test"))?;
        Ok(Self { router: plane.router() })
    }
}

impl Door for OnDisk {
    async fn send(&self, mut request: Request<Vec<u8>>) -> Option<Answer> {
        request.headers_mut().insert(header::AUTHORIZATION, header::HeaderValue::from_static("Bearer admin"));
        let response = self.router.clone().oneshot(request.map(axum::body::Body::from)).await.ok()?;
        Some(response.map(|body| body.map_err(|error| error.to_string()).boxed_unsync()))
    }
}

/// Runs this in a runtime of its own, with which everything that the plane does ends.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(work)
}
