//! The way to a portal: its address, and who asks.

use std::path::PathBuf;

use clap::Args;
use http::{Method, Request, StatusCode, Uri, header};
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use serde_json::Value;

use crate::Error;

/// Where the portal is, and as whom it is asked.
#[derive(Debug, Args)]
pub struct Way {
    /// Address of the portal.
    #[arg(long, value_name = "URL", env = "OPM_PORTAL_URL", default_value = "http://127.0.0.1:8080")]
    pub portal: Uri,
    /// File with the kubeconfig whose token is shown; KUBECONFIG or ~/.kube/config without it.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig; its current one without this.
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

/// A portal, asked as one person.
pub struct Portal {
    client: Client,
    address: Uri,
    /// Path of the workspace to which the context leads, on kcp.
    pub workspace: Option<String>,
}

impl Portal {
    /// Prepares the way, without sending anything.
    ///
    /// # Errors
    /// The kubeconfig cannot be used.
    pub async fn open(way: &Way) -> Result<Self, Error> {
        let file = match &way.kubeconfig {
            Some(file) => Kubeconfig::read_from(file)?,
            None => Kubeconfig::read()?,
        };
        let options = KubeConfigOptions { context: way.context.clone(), ..KubeConfigOptions::default() };
        let of_plane = Config::from_custom_kubeconfig(file, &options).await?;
        let workspace = of_plane.cluster_url.path().strip_prefix("/clusters/").map(|path| path.trim_end_matches('/').to_owned());
        // The person is who the kubeconfig says; the authorities are those of this machine, not those of the plane.
        let mut config = Config::new(way.portal.clone());
        config.auth_info = of_plane.auth_info;
        let unreachable = |error| Error::Unreachable { portal: way.portal.clone(), error };
        Ok(Self { client: Client::try_from(config).map_err(unreachable)?, address: way.portal.clone(), workspace })
    }

    /// Posts YAML and reads the answer.
    ///
    /// # Errors
    /// The portal does not answer, or refuses.
    pub async fn post(&self, path: &str, yaml: Vec<u8>) -> Result<Value, Error> {
        let no_portal = || Error::NoPortal(self.address.clone());
        let request = Request::builder().method(Method::POST).uri(path).header(header::CONTENT_TYPE, "application/yaml");
        let request = request.body(Body::from(yaml)).map_err(|_| no_portal())?;
        let unreachable = |error| Error::Unreachable { portal: self.address.clone(), error };
        let answer = self.client.send(request).await.map_err(unreachable)?;
        let status = answer.status();
        let body = answer.into_body().collect().await.map_err(|_| no_portal())?.to_bytes();
        let json: Value = serde_json::from_slice(&body).map_err(|_| no_portal())?;
        match status {
            StatusCode::OK => Ok(json),
            StatusCode::UNAUTHORIZED => Err(Error::Refused("the portal does not know the token of this kubeconfig".to_owned())),
            _ => Err(Error::Refused(json["detail"].as_str().ok_or_else(no_portal)?.to_owned())),
        }
    }
}
