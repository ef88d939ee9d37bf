//! Arguments of `plane`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// Arguments of `plane`.
#[derive(Debug, Args)]
pub struct PlaneArgs {
    /// Address of the TLS listener; port 0 picks any free port.
    #[arg(long, default_value = "127.0.0.1:6443")]
    pub listen: SocketAddr,
    /// Directory for objects and certificates; created if missing.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Who can sign in: lines of `token,user,uid,"group1,group2"`, as for kube-apiserver.
    #[arg(long, value_name = "FILE")]
    pub token_auth_file: PathBuf,
    /// Whose tokens are accepted beside those: an AuthenticationConfiguration, as for kube-apiserver.
    #[arg(long, value_name = "FILE", env = "OPM_AUTHENTICATION_CONFIG")]
    pub authentication_config: Option<PathBuf>,
    /// Start without a sample world. Required, because only `serve` can load one.
    #[arg(long, required = true)]
    pub empty: bool,
}
