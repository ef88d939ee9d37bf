//! A kcp behind a front-proxy: its exports are served by shards alone, each with a host and a certificate of its own.

use std::sync::{Arc, OnceLock};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use cluster::controller::ControllerState;
use cluster::endpoint::Own;
use cluster::install::{self, Finding};
use cluster::projection::Reader;
use cluster::world::{Access, World};
use cluster::{Clock, Endpoint};
use http::{StatusCode, header};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::running::{Machine, Running};
use crate::tls;
use crate::world::{Plane, token};

/// A plane as a shard and, before it, a front-proxy that does not serve exports.
struct Shard {
    plane: Plane,
    /// Address of the shard, and the authority of its certificate, in base64.
    server: String,
    authority: String,
    /// What leads to the front-proxy.
    front: Value,
}

impl Shard {
    async fn open() -> Self {
        let reached: Arc<OnceLock<axum::Router>> = Arc::default();
        let later = reached.clone();
        let shard = axum::Router::new().fallback(move |request: Request| {
            let router = later.get().unwrap().clone();
            router.oneshot(request)
        });
        let shard: Value = serde_json::from_str(&tls::serve(shard, "").await).unwrap();
        let cluster = &shard["clusters"][0]["cluster"];
        let text = |field: &str| cluster[field].as_str().unwrap().to_owned();
        let (server, authority) = (text("server"), text("certificate-authority-data"));
        let plane = Plane::at(&server).await;
        let _ = reached.set(plane.router());
        let front = plane.router().layer(from_fn(|request: Request, next: Next| async move {
            if request.uri().path().starts_with("/services/") {
                return StatusCode::NOT_FOUND.into_response();
            }
            next.run(request).await
        }));
        let mut front: Value = serde_json::from_str(&tls::serve(front, &token("admin").expose()).await).unwrap();
        let address = format!("{}/clusters/root", front["clusters"][0]["cluster"]["server"].as_str().unwrap());
        front["clusters"][0]["cluster"]["server"] = json!(address);
        Self { plane, server, authority, front }
    }

    /// What the portal can read with this kubeconfig.
    async fn read(&self, kubeconfig: &Value, shutdown: &CancellationToken) -> Result<World, Vec<Finding>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kubeconfig");
        std::fs::write(&file, kubeconfig.to_string()).unwrap();
        let own = Own::open(Some(&file), None).await.unwrap();
        let access =
            Access { endpoint: own.endpoint(&self.plane.topology), token: token("opm-portal"), topology: self.plane.topology.clone() };
        install::readable(access, "opm-portal", Reader::Portal, clock(), shutdown).await
    }
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(Machine::default())
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_are_read_at_their_shard_with_the_authority_that_the_kubeconfig_names_for_it() {
    let shard = Shard::open().await;
    shard.plane.offer().await;
    let shutdown = CancellationToken::new();
    let found = match shard.read(&shard.front, &shutdown).await {
        Ok(_) => panic!("the certificate of the shard is not the one of the front-proxy"),
        Err(found) => found,
    };
    let finding = found.iter().find(|finding| finding.what.contains("requests through")).unwrap_or_else(|| panic!("{found:?}"));
    assert!(finding.remedy.contains(&shard.server) && finding.remedy.contains("add a cluster entry"), "{finding:?}");

    let mut known = shard.front.clone();
    let entry = json!({"name": "shard", "cluster": {"server": shard.server, "certificate-authority-data": shard.authority}});
    known["clusters"].as_array_mut().unwrap().push(entry);
    let world = shard.read(&known, &shutdown).await.unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(world.servers(), [shard.server.as_str()]);
    assert_eq!(world.catalogs.snapshot().len(), 1);
    shutdown.cancel();
}

/// Another shard, as the endpoint slices of a kcp name it.
const OTHER: &str = "https://shard-2.example.org:6443";

/// Adds the other shard to what a read of endpoint slices answers.
async fn with_another_shard(request: Request, next: Next) -> Response {
    let is_meant =
        request.uri().path().ends_with("/apiexportendpointslices") && !request.uri().query().unwrap_or_default().contains("watch=");
    let answer = next.run(request).await;
    if !is_meant {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let mut list: Value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap();
    for slice in list["items"].as_array_mut().into_iter().flatten() {
        if let Some(endpoints) = slice["status"]["endpoints"].as_array_mut()
            && let Some((_, path)) = endpoints[0]["url"].as_str().and_then(|url| url.split_once("/services/"))
        {
            let url = format!("{OTHER}/services/{path}");
            endpoints.push(json!({"url": url}));
        }
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(list.to_string()))
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_names_a_shard_that_is_not_read() {
    let plane = Plane::open().await;
    let endpoint = Endpoint::in_process("two shards", plane.router().layer(from_fn(with_another_shard)));
    let access = Access { endpoint, token: token("opm-portal"), topology: plane.topology.clone() };
    let shutdown = CancellationToken::new();
    let world =
        install::readable(access, "opm-portal", Reader::Portal, clock(), &shutdown).await.unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(world.unread_shards.servers(), [OTHER]);
    let found = install::settled(&world);
    let whats: Vec<&str> = found.iter().map(|finding| finding.what.as_str()).collect();
    assert_eq!(whats.len(), 1, "{whats:?}");
    assert!(whats[0].contains(OTHER) && found[0].remedy.contains("on the shard that is read"), "{found:?}");
    shutdown.cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_names_a_shard_that_it_does_not_read() {
    let plane = Plane::open().await;
    let endpoint = Endpoint::in_process("two shards", plane.router().layer(from_fn(with_another_shard)));
    let access = Access { endpoint, token: token("opm-controller"), topology: plane.topology.clone() };
    let mut running = Running::begin(access, plane.topology.default_homes().unwrap(), Machine::default(), "alone");
    running.until("ready", |state| *state == ControllerState::Ready).await;
    assert_eq!(running.unread_shards.servers(), [OTHER]);
    running.stop().await;
}
