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
    /// Prepare a workspace of a kcp for requests: bind the exports with all their claims, and say what is missing above it.
    #[command(after_help = "Examples:\n  opm-portal bind root:acme:shop --context my-kcp             (a workspace that orders)\n  \
        opm-portal bind root:acme --catalog --context my-kcp        (one above it, or one that publishes promises and policies)\n\n\
        Every workspace between root and one that orders has to be bound with --catalog, so that its policies count.")]
    Bind(BindArgs),
    /// Manage Destinations: the clusters on which promises create objects.
    #[command(subcommand)]
    Destination(DestinationCommand),
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
    /// The files are meant for plain Kubernetes, where the roles of a namespace and no claims say what can be created beside a request.
    #[arg(long)]
    pub kubernetes: bool,
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
    #[arg(long, value_name = "PATH", default_value = Self::PROVIDER, env = "OPM_PROVIDER")]
    pub provider: WorkspacePath,
}

impl OnServer {
    /// The provider workspace unless another one is named.
    pub const PROVIDER: &str = "root:opm";
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

/// Arguments of `bind`.
#[derive(Debug, Args)]
pub struct BindArgs {
    /// Path of the workspace.
    #[arg(value_name = "WORKSPACE")]
    pub workspace: WorkspacePath,
    /// Bind the catalog too: promises, policies, catalogs and destinations.
    #[arg(long)]
    pub catalog: bool,
    /// Which server.
    #[command(flatten)]
    pub server: OnServer,
}

/// What can be done with Destinations.
#[derive(Debug, Subcommand)]
pub enum DestinationCommand {
    /// Create a Destination in a home, and the Secret with its credential; or replace both.
    #[command(
        after_help = "Example:\n  opm-portal destination add eu-1 --kubeconfig eu-1.yaml --context my-kcp --home root:platform \\\n    \
        --allow-workspace 'root:acme:**' --allow-kind ConfigMap --allow-kind apps/Deployment\n\n\
        The kubeconfig holds everything inline (no files, no exec plugins) and reaches its server by https. The portal's own server is named \
        by --context and --portal-kubeconfig."
    )]
    Add(DestinationArgs),
}

/// Arguments of `destination add`.
#[derive(Debug, Args)]
pub struct DestinationArgs {
    /// Name of the Destination, by which promises refer to it.
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The credential: a kubeconfig whose current context is the cluster, with everything inline.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: PathBuf,
    /// Kubeconfig of the portal's own server [default: as kubectl: KUBECONFIG, then ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    pub portal_kubeconfig: Option<PathBuf>,
    /// Context of the portal's own server [default: the current one].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// On kcp, the trusted home that the Destination belongs to.
    #[arg(long, value_name = "PATH", default_value = "root:platform")]
    pub home: WorkspacePath,
    /// Title that people see.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// A home whose promises can use it; repeatable [default: its own home].
    #[arg(long = "allow-home", value_name = "PATTERN")]
    pub homes: Vec<String>,
    /// Workspaces whose requests can use it, such as `root:acme:**`; repeatable. Others are refused.
    #[arg(long = "allow-workspace", value_name = "PATTERN", required = true)]
    pub workspaces: Vec<String>,
    /// A kind that can be created there, as KIND, GROUP/KIND or GROUP/*; repeatable. Others are refused; Namespace is always among them.
    #[arg(long = "allow-kind", value_name = "KIND", required = true)]
    pub kinds: Vec<String>,
    /// Let requests with the deletion policy Orphan leave their objects there.
    #[arg(long)]
    pub allow_orphan: bool,
    /// Pattern of the namespaces in which objects are created.
    #[arg(long = "namespace-pattern", value_name = "PATTERN")]
    pub namespace: Option<String>,
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
