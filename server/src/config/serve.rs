//! Arguments of `serve`, and the configuration that results from them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cluster::WorkspacePath;
use notify::NotifyConfig;

use super::audit::AuditArgs;
use super::notify::{NotifyArgs, NotifyError};
use super::sign_in::{ProviderFile, SignInArgs, SignInConfig, SignInError};
use super::{DatabaseUrl, OnServer, PublicUrl};
use crate::audit::AuditConfig;
use crate::limits::{LimitsConfig, Network, REQUESTS_PER_SECOND};

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// File with options, YAML: `publicUrl` for `--public-url`, and so on. What is on the command line counts more; see `opm-portal config`.
    #[arg(long, value_name = "FILE", env = "OPM_CONFIG")]
    config: Option<PathBuf>,
    /// The control plane to use. There is no default, so a missing setting never starts one.
    #[arg(long, value_enum, env = "OPM_PLANE")]
    plane: PlaneKind,
    /// Directory for the database, keys and the embedded plane's objects; created if missing.
    #[arg(long, value_name = "DIR", default_value = "opm-portal-data", env = "OPM_DATA", conflicts_with = "ephemeral")]
    data: PathBuf,
    /// Keep everything in memory and discard it on exit.
    #[arg(long)]
    ephemeral: bool,
    /// PostgreSQL server for sessions, drafts and history, such as `postgres://portal:secret@db.example.org/portal`, which several web
    /// replicas can share [default: an SQLite file in the data directory, for exactly one replica].
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<DatabaseUrl>,
    /// File with the keys that seal people's tokens in the database, one of 64 hexadecimal digits per line; the first seals, all open. Web
    /// replicas that share a PostgreSQL server need the same [default: a file in the data directory, created if missing].
    #[arg(long, value_name = "FILE", env = "OPM_SESSION_KEY_FILE", conflicts_with = "ephemeral")]
    session_key_file: Option<PathBuf>,
    /// Port of the web pages; 0 picks any free port.
    #[arg(long, default_value_t = 8080, env = "OPM_PORT")]
    port: u16,
    /// Port of the metrics for Prometheus, on the address of the pages; 0 picks any free port [default: no metrics].
    #[arg(long, value_name = "PORT", env = "OPM_METRICS_PORT")]
    metrics_port: Option<u16>,
    /// Address of the web pages.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), env = "OPM_LISTEN")]
    listen: IpAddr,
    /// Loopback port of the embedded plane's own TLS listener, for kubectl; 0 picks any free port.
    #[arg(long, default_value_t = 6443, env = "OPM_PLANE_PORT")]
    plane_port: u16,
    /// Whose tokens the embedded plane accepts beside its own: an AuthenticationConfiguration, as for kube-apiserver.
    #[arg(long, value_name = "FILE", env = "OPM_AUTHENTICATION_CONFIG")]
    authentication_config: Option<PathBuf>,
    /// Parts that this process runs [default: all that the plane supports].
    #[arg(long, value_enum, value_delimiter = ',', env = "OPM_ROLES")]
    roles: Option<Vec<Role>>,
    /// Sample world to load on the first start of an embedded plane, instead of the built-in one.
    #[arg(long, value_name = "DIR", env = "OPM_EXAMPLES")]
    examples: Option<PathBuf>,
    /// Start the sample world without its history.
    #[arg(long)]
    empty: bool,
    #[command(flatten)]
    server: OnServer,
    /// Home that can offer promises to the whole workspace tree and own Destinations, on the server of a kubeconfig; repeatable
    /// [default: root:platform on kcp, the cluster on plain Kubernetes].
    #[arg(long = "trusted-home", value_name = "PATH", env = "OPM_TRUSTED_HOMES", value_delimiter = ',')]
    trusted_homes: Vec<WorkspacePath>,
    /// Address at which people reach the portal, such as `https://portal.example.org`. With https, cookies are marked secure.
    #[arg(long, value_name = "URL", env = "OPM_PUBLIC_URL")]
    public_url: Option<PublicUrl>,
    /// Proxy whose `X-Forwarded-For` header names the client, as an address or a network such as `10.0.0.0/8`; repeatable
    /// [default: none, the client is the other end of the connection].
    #[arg(long = "trusted-proxy", value_name = "NETWORK", env = "OPM_TRUSTED_PROXIES", value_delimiter = ',')]
    trusted_proxies: Vec<Network>,
    /// Requests per second for each person, and for each address when no one is signed in. Bursts can be four times as large. 0 means no
    /// limit.
    #[arg(long, value_name = "N", default_value_t = REQUESTS_PER_SECOND.get(), env = "OPM_REQUESTS_PER_SECOND")]
    requests_per_second: u32,
    #[command(flatten)]
    sign_in: SignInArgs,
    #[command(flatten)]
    audit: AuditArgs,
    #[command(flatten)]
    notify: NotifyArgs,
    /// Format of log lines.
    #[arg(long, value_enum, default_value_t = LogFormat::Text, env = "OPM_LOG_FORMAT")]
    log_format: LogFormat,
    /// Log filter, as `level` or `target=level,…`.
    #[arg(long, default_value = "info", env = "OPM_LOG")]
    log: String,
}

/// A kind of plane, as named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlaneKind {
    /// The development plane in this process.
    Embedded,
    /// The server of a kubeconfig context: kcp or plain Kubernetes.
    Kubeconfig,
}

/// A part of the product that a process can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Pages and live updates.
    Web,
    /// Fulfils requests.
    Controller,
    /// The embedded plane, with its sample operators.
    Plane,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// JSON for machines, one object per line.
    Json,
}

/// Where the portal stores its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In this directory.
    Directory(PathBuf),
    /// In memory, discarded on exit.
    Memory,
}

/// The plane that the portal uses.
#[derive(Clone, Debug)]
pub enum PlaneConfig {
    /// The development plane in this process.
    Embedded {
        /// Address of the listener for kubectl; always loopback.
        listen: SocketAddr,
        /// Sample world other than the built-in one.
        examples: Option<PathBuf>,
        /// Whether a new sample world begins with its history: made-up requests of several weeks.
        history: bool,
        /// File that says whose tokens the plane accepts beside its own.
        authentication: Option<PathBuf>,
    },
    /// The server of a kubeconfig.
    Kubeconfig {
        /// How the server is found.
        server: OnServer,
        /// Homes that can offer promises to the whole workspace tree; the topology's defaults if empty.
        trusted_homes: Vec<WorkspacePath>,
    },
}

/// Configuration of `serve`.
#[derive(Clone, Debug)]
pub struct Config {
    /// The plane that the portal uses.
    pub plane: PlaneConfig,
    /// Where the portal stores its data.
    pub storage: Storage,
    /// The database server; a file in `storage` if absent.
    pub database: Option<DatabaseUrl>,
    /// File with the keys that seal tokens; a file in `storage` if absent.
    pub session_key_file: Option<PathBuf>,
    /// Address at which the pages are served.
    pub listen: SocketAddr,
    /// Address at which metrics are served, if they are.
    pub metrics: Option<SocketAddr>,
    /// Whether pages are served.
    pub web: bool,
    /// Whether this process runs the controller.
    pub controller: bool,
    /// Public address of the portal, if it differs from the listen address.
    pub public_url: Option<PublicUrl>,
    /// How notifications are delivered outside the portal.
    pub notify: NotifyConfig,
    /// Limits per person, token and address.
    pub limits: LimitsConfig,
    /// How people sign in.
    pub sign_in: SignInConfig,
    /// The audit log.
    pub audit: AuditConfig,
}

/// Format and filter of the log.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// Format of the lines.
    pub format: LogFormat,
    /// Filter in the syntax of `tracing_subscriber::EnvFilter`.
    pub filter: String,
}

/// An invalid combination of arguments; the text names the argument.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Without the role `plane` there is no embedded plane, because it runs in the process that serves it.
    #[error("--roles: the embedded plane runs in this process, so add `plane` to the roles")]
    PlaneMissing,
    /// The role `plane` needs an embedded plane.
    #[error("--roles: `plane` is the embedded plane, which --plane kubeconfig doesn't run; choose web, controller or both")]
    NoPlane,
    /// Another server decides itself whose tokens it accepts.
    #[error(
        "--authentication-config: the server of a kubeconfig decides whose tokens it accepts, so give the file to its kube-apiserver or kcp, \
         or use --plane embedded"
    )]
    NotOurTokens,
    /// The embedded plane must not be reachable from elsewhere.
    #[error(
        "--listen {0}: with the embedded plane, anyone who can open the sign-in page can sign in as anyone, so choose a loopback address"
    )]
    NotLoopback(IpAddr),
    /// The embedded plane must not be published.
    #[error(
        "--public-url {0}: with the embedded plane, anyone who can open the sign-in page can sign in as anyone, so the address must be a \
         loopback one; omit it, or use a real control plane with --plane kubeconfig"
    )]
    PublicDemo(PublicUrl),
    /// People would enter tokens over an unencrypted connection.
    #[error(
        "--listen {0}: people sign in with tokens, which must not be sent unencrypted; put a TLS proxy in front and set its address with \
         --public-url https://…"
    )]
    ClearText(IpAddr),
    /// The notification settings are invalid.
    #[error(transparent)]
    Notify(#[from] NotifyError),
    /// The settings of the sign-in are invalid.
    #[error(transparent)]
    SignIn(#[from] SignInError),
}

impl ServeArgs {
    /// Adds the identity providers of a configuration file.
    pub(super) fn add_providers(&mut self, providers: Vec<ProviderFile>) {
        self.sign_in.add_providers(providers);
    }

    /// Returns the configuration file that the arguments name.
    pub fn file(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Converts the arguments into the configuration, or says why they conflict.
    ///
    /// # Errors
    /// If the roles don't match the plane, or the portal would listen at an unsafe address.
    pub fn into_config(self) -> Result<(Config, LogConfig), ConfigError> {
        let has = |role| self.roles.as_ref().is_none_or(|roles| roles.contains(&role));
        let (web, controller) = (has(Role::Web), has(Role::Controller));
        let plane = match self.plane {
            PlaneKind::Embedded if !has(Role::Plane) => return Err(ConfigError::PlaneMissing),
            PlaneKind::Embedded if !self.listen.is_loopback() => return Err(ConfigError::NotLoopback(self.listen)),
            PlaneKind::Embedded if self.public_url.as_ref().is_some_and(|url| !url.is_loopback()) => {
                return Err(self.public_url.map_or(ConfigError::NotLoopback(self.listen), ConfigError::PublicDemo));
            }
            PlaneKind::Embedded => PlaneConfig::Embedded {
                listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.plane_port),
                examples: self.examples,
                // Without pages, the plane is a workload cluster for another portal.
                history: web && !self.empty,
                authentication: self.authentication_config,
            },
            PlaneKind::Kubeconfig if self.authentication_config.is_some() => return Err(ConfigError::NotOurTokens),
            PlaneKind::Kubeconfig if self.roles.is_some() && has(Role::Plane) => return Err(ConfigError::NoPlane),
            // Without pages, no one sends a token here.
            PlaneKind::Kubeconfig if web && !self.listen.is_loopback() && !self.public_url.as_ref().is_some_and(|url| url.secure) => {
                return Err(ConfigError::ClearText(self.listen));
            }
            PlaneKind::Kubeconfig => PlaneConfig::Kubeconfig { server: self.server, trusted_homes: self.trusted_homes },
        };
        let notify = self.notify.into_config(self.public_url.as_ref())?;
        let sign_in = self.sign_in.into_config(self.plane, web, self.public_url.as_ref())?;
        let config = Config {
            plane,
            storage: if self.ephemeral { Storage::Memory } else { Storage::Directory(self.data) },
            database: self.database_url,
            session_key_file: self.session_key_file,
            listen: SocketAddr::new(self.listen, self.port),
            metrics: self.metrics_port.map(|port| SocketAddr::new(self.listen, port)),
            web,
            controller,
            public_url: self.public_url,
            notify,
            limits: LimitsConfig {
                requests_per_second: NonZeroU32::new(self.requests_per_second),
                trusted_proxies: self.trusted_proxies,
                ..LimitsConfig::default()
            },
            sign_in,
            audit: self.audit.into_config(),
        };
        Ok((config, LogConfig { format: self.log_format, filter: self.log }))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::config::{Cli, Command};

    fn parse(line: &str) -> Result<ServeArgs, clap::Error> {
        match Cli::try_parse_from(line.split_whitespace())?.command {
            Command::Serve(args) => Ok(*args),
            _ => panic!("serve expected"),
        }
    }

    fn refused(line: &str) -> String {
        parse(line).unwrap().into_config().unwrap_err().to_string()
    }

    #[test]
    fn the_plane_is_asked_for_by_name() {
        assert!(parse("opm-portal serve").is_err());
        let (config, _) = parse("opm-portal serve --plane embedded --ephemeral --port 0").unwrap().into_config().unwrap();
        assert_eq!((config.storage, config.web, config.controller), (Storage::Memory, true, true));
        let PlaneConfig::Embedded { listen, .. } = config.plane else { panic!("the embedded plane") };
        assert!(config.listen.ip().is_loopback() && listen.ip().is_loopback());
        let (config, _) =
            parse("opm-portal serve --plane kubeconfig --context c --roles web --sign-in token").unwrap().into_config().unwrap();
        assert!(config.web && !config.controller);
        assert!(matches!(config.plane, PlaneConfig::Kubeconfig { server, .. } if server.context.as_deref() == Some("c")));
    }

    #[test]
    fn the_sample_world_has_a_history_unless_it_starts_empty_or_without_pages() {
        for (arguments, expected) in [("", true), ("--empty", false), ("--roles plane", false), ("--roles plane,web", true)] {
            let (config, _) = parse(&format!("opm-portal serve --plane embedded {arguments}")).unwrap().into_config().unwrap();
            let PlaneConfig::Embedded { history, .. } = config.plane else { panic!("the embedded plane") };
            assert_eq!(history, expected, "{arguments}");
        }
    }

    #[test]
    fn limits_are_set_by_rate_and_proxies_are_trusted_by_name() {
        let (config, _) = parse("opm-portal serve --plane embedded").unwrap().into_config().unwrap();
        assert_eq!(config.limits.requests_per_second, Some(REQUESTS_PER_SECOND));
        assert!(config.limits.trusted_proxies.is_empty());
        let line = "opm-portal serve --plane embedded --requests-per-second 0 --trusted-proxy 10.0.0.7,fd00::/8";
        let (config, _) = parse(line).unwrap().into_config().unwrap();
        assert_eq!((config.limits.requests_per_second, config.limits.trusted_proxies.len()), (None, 2));
        assert!(parse("opm-portal serve --plane embedded --trusted-proxy proxy.example").is_err());
    }

    #[test]
    fn senseless_combinations_name_the_argument() {
        assert!(refused("opm-portal serve --plane embedded --roles web").starts_with("--roles"));
        assert!(refused("opm-portal serve --plane kubeconfig --roles web,plane").starts_with("--roles"));
        assert!(refused("opm-portal serve --plane embedded --listen 0.0.0.0").starts_with("--listen 0.0.0.0"));
        assert!(refused("opm-portal serve --plane kubeconfig --authentication-config f").starts_with("--authentication-config"));
        assert!(parse("opm-portal serve --plane embedded --data d --ephemeral").is_err());
    }

    #[test]
    fn the_embedded_plane_is_never_published() {
        for public in ["https://portal.example", "http://10.0.0.1:8080", "https://localhost.example", "https://127.0.0.1.example"] {
            assert!(refused(&format!("opm-portal serve --plane embedded --public-url {public}")).starts_with("--public-url"), "{public}");
        }
        for own in ["http://localhost:8080", "http://127.0.0.1:8080", "https://[::1]:8443", "http://portal.localhost"] {
            assert!(parse(&format!("opm-portal serve --plane embedded --public-url {own}")).unwrap().into_config().is_ok(), "{own}");
        }
    }

    #[test]
    fn tokens_are_typed_where_tls_is() {
        assert!(refused("opm-portal serve --plane kubeconfig --listen 0.0.0.0").contains("--public-url"));
        assert!(refused("opm-portal serve --plane kubeconfig --listen 0.0.0.0 --public-url http://p.example").contains("--public-url"));
        let behind = parse("opm-portal serve --plane kubeconfig --listen 0.0.0.0 --public-url https://p.example --sign-in token").unwrap();
        assert!(behind.into_config().is_ok());
        let controller = parse("opm-portal serve --plane kubeconfig --listen 0.0.0.0 --roles controller").unwrap();
        assert!(controller.into_config().is_ok(), "only probes");
    }
}
