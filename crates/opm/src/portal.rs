//! The connection to a portal: its address and the user's token.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use http::{Method, Request, StatusCode, Uri, header};
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use serde_json::Value;

use crate::Error;

/// Address of the portal and kubeconfig of the user.
#[derive(Debug, Args)]
pub struct Way {
    /// Address of the portal.
    #[arg(long, value_name = "URL", env = "OPM_PORTAL_URL", default_value = "http://127.0.0.1:8080")]
    pub portal: Uri,
    /// Kubeconfig file with your token [default: KUBECONFIG or ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
}

/// Client for a portal that acts as one user.
pub struct Portal {
    client: Client,
    address: Uri,
    /// Path of the workspace of the context, on kcp.
    pub workspace: Option<String>,
}

impl Portal {
    /// Prepares the connection without sending anything.
    ///
    /// # Errors
    /// If the token can't be sent safely to this address, or the kubeconfig can't be used.
    pub async fn open(way: &Way) -> Result<Self, Error> {
        if !keeps_tokens(&way.portal) {
            return Err(Error::ClearText(way.portal.clone()));
        }
        let file = match &way.kubeconfig {
            Some(file) => Kubeconfig::read_from(file)?,
            None => Kubeconfig::read()?,
        };
        let options = KubeConfigOptions { context: way.context.clone(), ..KubeConfigOptions::default() };
        let of_plane = Config::from_custom_kubeconfig(file, &options).await?;
        let workspace = of_plane.cluster_url.path().strip_prefix("/clusters/").map(|path| path.trim_end_matches('/').to_owned());
        // The user's identity comes from the kubeconfig; the trusted authorities are those of this machine, not those of the plane.
        let mut config = Config::new(way.portal.clone());
        config.auth_info = of_plane.auth_info;
        let unreachable = |error| Error::Unreachable { portal: way.portal.clone(), error };
        Ok(Self { client: Client::try_from(config).map_err(unreachable)?, address: way.portal.clone(), workspace })
    }

    /// Posts YAML and reads the answer.
    ///
    /// # Errors
    /// If the portal can't be reached, or rejects the call.
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
            StatusCode::UNAUTHORIZED => Err(Error::Refused("the portal doesn't accept the token of this kubeconfig".to_owned())),
            _ => Err(Error::Refused(json["detail"].as_str().ok_or_else(no_portal)?.to_owned())),
        }
    }
}

/// Whether what is sent to an address stays private: it uses TLS, or is on this machine.
fn keeps_tokens(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match address.scheme_str() {
        Some("https") => !host.is_empty(),
        Some("http") => is_loopback,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_kept_to_https_and_to_this_machine() {
        for safe in [
            "https://portal.example",
            "https://10.0.0.1:8443",
            "http://127.0.0.1:8080",
            "http://127.0.0.2",
            "http://LOCALHOST:1",
            "http://[::1]:8080",
        ] {
            assert!(keeps_tokens(&safe.parse().unwrap()), "{safe}");
        }
        for open in [
            "http://portal.example",
            "http://10.0.0.1:9",
            "http://localhost.example",
            "http://127.0.0.1.example",
            "http://127.0.0.1@evil.example",
            "ftp://127.0.0.1",
            "/path",
        ] {
            assert!(!keeps_tokens(&open.parse().unwrap()), "{open}");
        }
    }

    #[tokio::test]
    async fn nothing_is_read_or_sent_for_an_address_in_clear_text() {
        let way = Way { portal: "http://portal.example".parse().unwrap(), kubeconfig: Some("/no/such/file".into()), context: None };
        let refused = Portal::open(&way).await.err().unwrap();
        assert!(matches!(refused, Error::ClearText(_)), "{refused}");
        assert!(refused.to_string().starts_with("--portal http://portal.example"), "{refused}");
    }
}
