//! What the user typed, and what the program needs: arguments and environment are read here, once.

mod database_url;
mod notify;
mod public_url;
mod seed;
mod serve;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use cluster::WorkspacePath;

pub use database_url::DatabaseUrl;
pub use notify::{Addresses, Format, MailConfig, NotifyArgs, NotifyConfig, NotifyError, Webhook};
pub use public_url::PublicUrl;
pub use seed::SeedArgs;
pub use serve::{Config, ConfigError, LogConfig, LogFormat, PlaneConfig, PlaneKind, Role, ServeArgs, Storage};

use crate::bare::PlaneArgs;

/// OPM Portal: the front door to a platform of workspaces, promises and policies.
///
/// Exit codes: 0 ended as asked, 1 could not start or go on (the last line says why), 2 wrong arguments.
#[derive(Debug, Parser)]
#[command(name = "opm-portal", version, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the portal until Ctrl-C or SIGTERM.
    #[command(after_help = "Examples:\n  opm-portal serve --plane embedded --data ./portal-data\n  \
        opm-portal serve --plane kubeconfig --context my-cluster --data ./portal-data\n\n\
        The embedded plane is for trying out and for tests: it listens on loopback only and anybody who reaches the sign-in page can be anybody.\n\
        On the server of a kubeconfig people sign in with a bearer token of their own; `opm-portal bootstrap` installs there what is needed.")]
    Serve(Box<ServeArgs>),
    /// Install on the server of a kubeconfig what the portal needs there. It can be repeated: what is there already stays as it is.
    #[command(after_help = "Examples:\n  opm-portal bootstrap --context my-cluster\n  \
        opm-portal bootstrap --context my-cluster --namespace shop   (lets the namespace `shop` order, plain Kubernetes)")]
    Bootstrap(BootstrapArgs),
    /// Say what is missing on the server of a kubeconfig, each with the command that mends it. Nothing is written.
    #[command(after_help = "Example:\n  opm-portal doctor --context my-cluster\n\nExit code 1 when anything is missing.")]
    Doctor(DoctorArgs),
    /// Judge promises, policies, catalogs and destinations in files, as publishing would. Nothing is written.
    #[command(after_help = "Examples:\n  opm-portal check promise.yaml policy.yaml\n  opm-portal check ./examples\n\n\
        A folder with workspaces.yaml is judged as a whole world, with everything that its files refer to. Each problem is one line: \
        file, line, column, field, what to change. Exit code 1 when there is any.")]
    Check(CheckArgs),
    /// Serve the embedded plane alone until Ctrl-C or SIGTERM: Kubernetes at the top, workspaces below `/clusters/`.
    #[command(after_help = "Example:\n  echo 'secret,admin,1,\"system:masters,system:kcp:admin\"' > tokens.csv\n  \
        opm-portal plane --listen 127.0.0.1:6443 --data ./plane-data --token-auth-file tokens.csv --empty")]
    Plane(PlaneArgs),
    /// Fill the embedded plane of a data directory with many finished instances, for measuring and for looking at.
    #[command(after_help = "Example:\n  opm-portal seed --data ./portal-data --instances 10000 --workspaces 200\n  \
        opm-portal serve --plane embedded --data ./portal-data\n\n\
        No portal may run on the directory meanwhile. It can be repeated: what is there already stays as it is.")]
    Seed(SeedArgs),
    /// Print what a plane needs to hold our kinds, as YAML: CRDs, exports, rights, admission policies.
    #[command(visible_alias = "crds")]
    Manifests(ManifestsArgs),
    /// Print every address that the portal answers: method, who may use it, pattern.
    Routes,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files with objects and folders of such files, or one folder with a whole world (workspaces.yaml).
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The files are meant for a workspace that is no trusted home: they may not `set`, `inject` or render rights.
    #[arg(long)]
    pub untrusted: bool,
}

/// Arguments of `manifests`.
#[derive(Debug, Args)]
pub struct ManifestsArgs {
    /// Write one file per object kind below this directory instead.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write nothing; fail and name the files below --out that are stale.
    #[arg(long, requires = "out")]
    pub check: bool,
}

/// Which server is meant, as kubectl finds it.
#[derive(Clone, Debug, Args)]
pub struct OnServer {
    /// The kubeconfig [default: as kubectl: KUBECONFIG, then ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Its context [default: the current one].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// On kcp, the workspace that provides our kinds.
    #[arg(long, value_name = "PATH", default_value = "root:opm", env = "OPM_PROVIDER")]
    pub provider: WorkspacePath,
}

/// Arguments of `bootstrap`.
#[derive(Debug, Args)]
pub struct BootstrapArgs {
    /// Which server.
    #[command(flatten)]
    pub server: OnServer,
    /// On kcp, a home that may offer across the tree, made where it is missing; repeatable [default: root:platform].
    #[arg(long = "trusted-home", value_name = "PATH", env = "OPM_TRUSTED_HOMES", value_delimiter = ',')]
    pub homes: Vec<WorkspacePath>,
    /// On plain Kubernetes, prepare this namespace for requests too; repeatable.
    #[arg(long = "namespace", value_name = "NAME")]
    pub namespaces: Vec<String>,
}

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Which server.
    #[command(flatten)]
    pub server: OnServer,
    /// On kcp, a home that may offer across the tree; repeatable [default: root:platform].
    #[arg(long = "trusted-home", value_name = "PATH", env = "OPM_TRUSTED_HOMES", value_delimiter = ',')]
    pub homes: Vec<WorkspacePath>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
