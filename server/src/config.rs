//! Command line arguments and environment variables, read once here and turned into what the program needs.

mod audit;
mod database_url;
mod file;
mod notify;
mod plane;
mod public_url;
mod seed;
mod serve;
mod sign_in;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use cluster::WorkspacePath;

pub use self::audit::{AuditArgs, AuditCommand, ExportArgs, LogArgs, VerifyArgs};
pub use self::notify::{NotifyArgs, NotifyError};
pub use self::plane::PlaneArgs;
pub use database_url::DatabaseUrl;
pub use file::{ParseError, check as check_file, parse, schema as file_schema};
pub use public_url::PublicUrl;
pub use seed::SeedArgs;
pub use serve::{Config, ConfigError, LogConfig, LogFormat, PlaneConfig, PlaneKind, Role, ServeArgs, Storage};
pub use sign_in::{SessionLifetime, SignInArgs, SignInConfig, SignInError, SignInMethod};

/// OPM Portal: the front door to a platform of workspaces, promises and policies.
///
/// Exit codes: 0 stopped on request, 1 couldn't start or continue (the last line says why), 2 invalid arguments.
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
        opm-portal serve --plane kubeconfig --context my-cluster --data ./portal-data --public-url https://portal.example.org \\\n    \
        --oidc-issuer https://login.example.org --oidc-client-id portal --oidc-client-secret-file ./client-secret\n\n\
        The embedded plane is for demos and tests: it listens on loopback only, and anyone who can open the sign-in page can sign in as anyone.\n\
        On the server of a kubeconfig, people sign in with an identity provider that the server trusts (--oidc-issuer), or paste their own \
        bearer token (--sign-in token); `opm-portal bootstrap` installs what the portal needs there.")]
    Serve(Box<ServeArgs>),
    /// Install what the portal needs on the server of a kubeconfig. Safe to repeat: existing objects stay as they are.
    #[command(after_help = "Examples:\n  opm-portal bootstrap --context my-cluster\n  \
        opm-portal bootstrap --context my-cluster --namespace shop   (enables requests in the namespace `shop`, plain Kubernetes)")]
    Bootstrap(BootstrapArgs),
    /// Report what is missing on the server of a kubeconfig, each with the command that fixes it. Nothing is written.
    #[command(after_help = "Example:\n  opm-portal doctor --context my-cluster\n\nExit code 1 if anything is missing.")]
    Doctor(DoctorArgs),
    /// Prepare a kcp workspace for requests: bind the exports with all their claims, and report what is missing in the workspaces above it.
    #[command(after_help = "Examples:\n  opm-portal bind root:acme:shop --context my-kcp             (a workspace for requests)\n  \
        opm-portal bind root:acme --catalog --context my-kcp        (a workspace above it, or one that publishes promises and policies)\n\n\
        Bind every workspace between root and a workspace for requests with --catalog, so that its policies apply.")]
    Bind(BindArgs),
    /// Manage Destinations: the clusters on which promises create objects.
    #[command(subcommand)]
    Destination(DestinationCommand),
    /// Check promises, policies, catalogs and destinations in files, as publishing would. Nothing is written.
    #[command(after_help = "Examples:\n  opm-portal check promise.yaml policy.yaml\n  opm-portal check ./examples\n\n\
        A folder with workspaces.yaml is checked as a whole world, with everything that its files refer to. Each problem is one line: \
        file, line, column, field, what to change. Exit code 1 if there are any.")]
    Check(CheckArgs),
    /// Check a configuration file of `serve`, or print its schema.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Serve the embedded plane alone until Ctrl-C or SIGTERM: Kubernetes at the top, workspaces below `/clusters/`.
    #[command(after_help = "Example:\n  echo 'secret,admin,1,\"system:masters,system:kcp:admin\"' > tokens.csv\n  \
        opm-portal plane --listen 127.0.0.1:6443 --data ./plane-data --token-auth-file tokens.csv --empty")]
    Plane(PlaneArgs),
    /// Fill the embedded plane of a data directory with many finished instances, for benchmarks and demos.
    #[command(after_help = "Example:\n  opm-portal seed --data ./portal-data --instances 10000 --workspaces 200\n  \
        opm-portal serve --plane embedded --data ./portal-data\n\n\
        Stop any portal that uses the directory first. Safe to repeat: existing objects stay as they are.")]
    Seed(SeedArgs),
    /// Record the history of the sample world in a folder: `cargo xtask sample` runs this.
    #[command(hide = true)]
    Record(RecordArgs),
    /// Print what a control plane needs to serve the portal's kinds, as YAML: CRDs, exports, permissions, admission policies.
    #[command(visible_alias = "crds")]
    Manifests(ManifestsArgs),
    /// Verify or export the audit log.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Print every route of the portal: method, who can use it, pattern.
    Routes,
}

/// Commands for configuration files.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Check a configuration file as `serve` would use it, with the files that it names. Nothing is started.
    #[command(after_help = "Example:\n  opm-portal config check portal.yaml\n\nExit code 1 if there is a problem.")]
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Print the JSON Schema of configuration files, for editors.
    Schema,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files with objects, folders of such files, or one folder with a whole world (workspaces.yaml).
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The files are for a workspace that isn't a trusted home: they can't `set`, `inject` or render permissions.
    #[arg(long)]
    pub untrusted: bool,
    /// The files are for plain Kubernetes, where the roles of a namespace, not claims, decide what can be created with a request.
    #[arg(long)]
    pub kubernetes: bool,
}

/// Arguments of `record`.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Folder of the sample world, with its story.
    #[arg(long, value_name = "DIR")]
    pub examples: PathBuf,
}

/// Arguments of `manifests`.
#[derive(Debug, Args)]
pub struct ManifestsArgs {
    /// Write one file per object kind to this directory instead.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write nothing; fail and list the outdated files below --out.
    #[arg(long, requires = "out")]
    pub check: bool,
}

/// The server, found as kubectl finds it.
#[derive(Clone, Debug, Args)]
pub struct OnServer {
    /// Kubeconfig file [default: like kubectl: KUBECONFIG, then ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// On kcp, the workspace that provides the portal's kinds.
    #[arg(long, value_name = "PATH", default_value = Self::PROVIDER, env = "OPM_PROVIDER")]
    pub provider: WorkspacePath,
}

impl OnServer {
    /// The default provider workspace.
    pub const PROVIDER: &str = "root:opm";
}

/// Arguments of `bootstrap`.
#[derive(Debug, Args)]
pub struct BootstrapArgs {
    /// Which server.
    #[command(flatten)]
    pub server: OnServer,
    /// On kcp, a home that can offer promises to the whole workspace tree, created if missing; repeatable [default: root:platform].
    #[arg(long = "trusted-home", value_name = "PATH", env = "OPM_TRUSTED_HOMES", value_delimiter = ',')]
    pub homes: Vec<WorkspacePath>,
    /// On plain Kubernetes, also prepare this namespace for requests; repeatable.
    #[arg(long = "namespace", value_name = "NAME")]
    pub namespaces: Vec<String>,
    /// Whom the portal impersonates.
    #[command(flatten)]
    pub impersonation: ImpersonationArgs,
}

/// Arguments of `bootstrap` and `doctor` about people whose identity provider the server doesn't trust.
#[derive(Clone, Debug, Default, Args)]
pub struct ImpersonationArgs {
    /// On plain Kubernetes, let the portal impersonate people, as `serve --oidc-impersonate` does.
    #[arg(long = "oidc-impersonate", env = "OPM_OIDC_IMPERSONATE")]
    pub is_on: bool,
    /// Group that people can have, with its prefix; repeatable [default: every group].
    #[arg(long = "oidc-group", value_name = "GROUP", requires = "is_on")]
    pub groups: Vec<String>,
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

/// Commands for Destinations.
#[derive(Debug, Subcommand)]
pub enum DestinationCommand {
    /// Create or replace a Destination in a home, and the Secret with its credential.
    #[command(
        after_help = "Example:\n  opm-portal destination add eu-1 --kubeconfig eu-1.yaml --context my-kcp --home root:platform \\\n    \
        --allow-workspace 'root:acme:**' --allow-kind ConfigMap --allow-kind apps/Deployment\n\n\
        The kubeconfig must hold everything inline (no files, no exec plugins) and use https. Choose the portal's own server with --context \
        and --portal-kubeconfig."
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
    /// Kubeconfig of the portal's own server [default: like kubectl: KUBECONFIG, then ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    pub portal_kubeconfig: Option<PathBuf>,
    /// Context of the portal's own server [default: the current one].
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// On kcp, the trusted home that the Destination belongs to.
    #[arg(long, value_name = "PATH", default_value = "root:platform")]
    pub home: WorkspacePath,
    /// Title for people.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// A home whose promises can use it; repeatable [default: its own home].
    #[arg(long = "allow-home", value_name = "PATTERN")]
    pub homes: Vec<String>,
    /// Workspaces whose requests can use it, such as `root:acme:**`; repeatable. Others are refused.
    #[arg(long = "allow-workspace", value_name = "PATTERN", required = true)]
    pub workspaces: Vec<String>,
    /// A kind that can be created there, as KIND, GROUP/KIND or GROUP/*; repeatable. Others are refused; Namespace is always allowed.
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
    /// On kcp, a home that can offer promises to the whole workspace tree; repeatable [default: root:platform].
    #[arg(long = "trusted-home", value_name = "PATH", env = "OPM_TRUSTED_HOMES", value_delimiter = ',')]
    pub homes: Vec<WorkspacePath>,
    /// Whom the portal impersonates.
    #[command(flatten)]
    pub impersonation: ImpersonationArgs,
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
