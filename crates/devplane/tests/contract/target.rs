//! The servers that scenarios are sent to: a plane of their own, or a real kube-apiserver.

use std::sync::Arc;

use axum::{Router, body::Body};
use devplane::{Options, Plane, Storage, Token};
use http::{Request, Response};
use testplane::SlowDisk;
use tower::ServiceExt;

/// Where the plane says that it is.
const HOST: &str = "127.0.0.1:6443";

/// A server and the tokens of those who ask it.
pub struct Target {
    reached: Reached,
    token: fn(&str) -> String,
}

enum Reached {
    /// The plane is kept for its controllers.
    Plane {
        router: Router,
        _plane: Plane,
    },
    Server(Arc<testplane::Server>),
}

impl Target {
    /// A fresh plane on a slow disk with these users. A kube-apiserver alone has no controllers; kcp brings its own.
    pub fn plane(users: Vec<Token>, controllers: bool, token: fn(&str) -> String) -> Self {
        let mut options = Options::new(Storage::Device(SlowDisk::empty()), users, format!("https://{HOST}"));
        options.controllers = controllers;
        let plane = Plane::open(options).expect("a plane");
        Self { reached: Reached::Plane { router: plane.router(), _plane: plane }, token }
    }

    /// A real server.
    pub fn server(server: Arc<testplane::Server>) -> Self {
        Self { reached: Reached::Server(server), token: testplane::Server::token }
    }

    /// Host and port.
    pub fn host(&self) -> &str {
        match &self.reached {
            Reached::Plane { .. } => HOST,
            Reached::Server(server) => server.host(),
        }
    }

    /// The bearer token of a user.
    pub fn token(&self, user: &str) -> String {
        (self.token)(user)
    }

    /// Sends a request.
    pub async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Body>, String> {
        match &self.reached {
            Reached::Plane { router, .. } => router.clone().oneshot(request.map(Body::from)).await.map_err(|error| error.to_string()),
            Reached::Server(server) => Ok(server.send(request).await?.map(Body::new)),
        }
    }
}
