//! Arguments of `serve`, and what they mean together.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cluster::WorkspacePath;

use super::notify::{NotifyArgs, NotifyConfig, NotifyError};
use super::{DatabaseUrl, OnServer, PublicUrl};
use crate::limits::{LimitsConfig, Network, REQUESTS_PER_SECOND};

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The plane to work on. Asked for by name: nothing is started because a setting is missing.
    #[arg(long, value_enum, env = "OPM_PLANE")]
    plane: PlaneKind,
    /// Directory for database, keys and the embedded plane's objects; made when absent.
    #[arg(long, value_name = "DIR", default_value = "opm-portal-data", env = "OPM_DATA", conflicts_with = "ephemeral")]
    data: PathBuf,
    /// Keep everything in memory and forget it at the end.
    #[arg(long)]
    ephemeral: bool,
    /// PostgreSQL server for sessions, drafts and history, such as `postgres://portal:secret@db.example.org/portal`, which several web
    /// replicas may share [default: a file of SQLite in the data directory, for exactly one].
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<DatabaseUrl>,
    /// Port of the pages; 0 lets the system choose.
    #[arg(long, default_value_t = 8080, env = "OPM_PORT")]
    port: u16,
    /// Address of the pages.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), env = "OPM_LISTEN")]
    listen: IpAddr,
    /// Port on loopback of the embedded plane's own TLS listener, for kubectl; 0 lets the system choose.
    #[arg(long, default_value_t = 6443, env = "OPM_PLANE_PORT")]
    plane_port: u16,
    /// Parts that this process runs [default: all that the plane has].
    #[arg(long, value_enum, value_delimiter = ',', env = "OPM_ROLES")]
    roles: Option<Vec<Role>>,
    /// Sample world to load at the first start of an embedded plane, instead of the built-in one.
    #[arg(long, value_name = "DIR", env = "OPM_EXAMPLES")]
    examples: Option<PathBuf>,
    #[command(flatten)]
    server: OnServer,
    /// Home that may offer across the tree and own Destinations, on the server of a kubeconfig; repeatable
    /// [default: root:platform on kcp, the cluster on plain Kubernetes].
    #[arg(long = "trusted-home", value_name = "PATH", env = "OPM_TRUSTED_HOMES", value_delimiter = ',')]
    trusted_homes: Vec<WorkspacePath>,
    /// Address under which people reach the portal, such as `https://portal.example.org`. With https, cookies are marked secure.
    #[arg(long, value_name = "URL", env = "OPM_PUBLIC_URL")]
    public_url: Option<PublicUrl>,
    /// Proxy whose `X-Forwarded-For` says where a request comes from, as an address or a network such as `10.0.0.0/8`; repeatable
    /// [default: none, the other end of the connection is the client].
    #[arg(long = "trusted-proxy", value_name = "NETWORK", env = "OPM_TRUSTED_PROXIES", value_delimiter = ',')]
    trusted_proxies: Vec<Network>,
    /// Requests per second of one person, and of one address where no one is signed in; four times as many at once. 0 sets no limit.
    #[arg(long, value_name = "N", default_value_t = REQUESTS_PER_SECOND.get(), env = "OPM_REQUESTS_PER_SECOND")]
    requests_per_second: u32,
    #[command(flatten)]
    notify: NotifyArgs,
    /// How log lines are written.
    #[arg(long, value_enum, default_value_t = LogFormat::Text, env = "OPM_LOG_FORMAT")]
    log_format: LogFormat,
    /// What is logged, as `level` or `target=level,…`.
    #[arg(long, default_value = "info", env = "OPM_LOG")]
    log: String,
}

/// A plane by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlaneKind {
    /// The development plane in this process.
    Embedded,
    /// The server that a context of a kubeconfig names: kcp or plain Kubernetes.
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
    /// For people.
    Text,
    /// For machines: one object per line.
    Json,
}

/// Where things are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In that directory.
    Directory(PathBuf),
    /// In memory, forgotten at the end.
    Memory,
}

/// The plane to work on.
#[derive(Clone, Debug)]
pub enum PlaneConfig {
    /// The development plane in this process.
    Embedded {
        /// Where it listens for kubectl; always loopback.
        listen: SocketAddr,
        /// Sample world other than the built-in one.
        examples: Option<PathBuf>,
    },
    /// The server of a kubeconfig.
    Kubeconfig {
        /// Which one.
        server: OnServer,
        /// Homes that may offer across the tree; the topology's own when empty.
        trusted_homes: Vec<WorkspacePath>,
    },
}

/// What `serve` needs.
#[derive(Clone, Debug)]
pub struct Config {
    /// The plane to work on.
    pub plane: PlaneConfig,
    /// Where things are kept.
    pub storage: Storage,
    /// The database server; a file of `storage` where there is none.
    pub database: Option<DatabaseUrl>,
    /// Where the pages are served.
    pub listen: SocketAddr,
    /// Whether pages are served.
    pub web: bool,
    /// Whether requests are fulfilled here.
    pub controller: bool,
    /// Where people reach the portal, when it is not where it listens.
    pub public_url: Option<PublicUrl>,
    /// How people are told outside of the portal.
    pub notify: NotifyConfig,
    /// What one person, token or address can take.
    pub limits: LimitsConfig,
}

/// How and what is logged.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// Form of the lines.
    pub format: LogFormat,
    /// Filter in the syntax of `tracing_subscriber::EnvFilter`.
    pub filter: String,
}

/// A combination of arguments that makes no sense; the text names the argument.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// An embedded plane lives in the process that serves it.
    #[error("--roles: the embedded plane lives in this process, so `plane` must be among its roles")]
    PlaneMissing,
    /// There is no embedded plane.
    #[error("--roles: `plane` is the embedded plane, which --plane kubeconfig does without; choose from web and controller")]
    NoPlane,
    /// The embedded plane must not be reachable from elsewhere.
    #[error(
        "--listen {0}: with the embedded plane anybody who reaches the sign-in page can be anybody, so only loopback addresses are served"
    )]
    NotLoopback(IpAddr),
    /// The embedded plane must not be published.
    #[error(
        "--public-url {0}: with the embedded plane anyone who reaches the sign-in page can sign in as anyone, so its address must be a loopback \
         one; leave it out, or use a real plane with --plane kubeconfig"
    )]
    PublicDemo(PublicUrl),
    /// People type tokens.
    #[error(
        "--listen {0}: people sign in with tokens, which must not travel in clear text; put a proxy that speaks TLS in front and name its \
         address with --public-url https://…"
    )]
    ClearText(IpAddr),
    /// How people are told.
    #[error(transparent)]
    Notify(#[from] NotifyError),
}

impl ServeArgs {
    /// What the program needs, or why the arguments do not fit together.
    ///
    /// # Errors
    /// The roles do not fit the plane, or something would be served where it must not be.
    pub fn into_config(self) -> Result<(Config, LogConfig), ConfigError> {
        let has = |role| self.roles.as_ref().is_none_or(|roles| roles.contains(&role));
        let (web, controller) = (has(Role::Web), has(Role::Controller));
        let plane = match self.plane {
            PlaneKind::Embedded if !has(Role::Plane) => return Err(ConfigError::PlaneMissing),
            PlaneKind::Embedded if !self.listen.is_loopback() => return Err(ConfigError::NotLoopback(self.listen)),
            PlaneKind::Embedded if self.public_url.as_ref().is_some_and(|url| !url.is_loopback()) => {
                return Err(self.public_url.map_or(ConfigError::NotLoopback(self.listen), ConfigError::PublicDemo));
            }
            PlaneKind::Embedded => {
                PlaneConfig::Embedded { listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.plane_port), examples: self.examples }
            }
            PlaneKind::Kubeconfig if self.roles.is_some() && has(Role::Plane) => return Err(ConfigError::NoPlane),
            PlaneKind::Kubeconfig if !self.listen.is_loopback() && !self.public_url.as_ref().is_some_and(|url| url.secure) => {
                return Err(ConfigError::ClearText(self.listen));
            }
            PlaneKind::Kubeconfig => PlaneConfig::Kubeconfig { server: self.server, trusted_homes: self.trusted_homes },
        };
        let notify = self.notify.into_config(self.public_url.as_ref())?;
        let config = Config {
            plane,
            storage: if self.ephemeral { Storage::Memory } else { Storage::Directory(self.data) },
            database: self.database_url,
            listen: SocketAddr::new(self.listen, self.port),
            web,
            controller,
            public_url: self.public_url,
            notify,
            limits: LimitsConfig {
                requests_per_second: NonZeroU32::new(self.requests_per_second),
                trusted_proxies: self.trusted_proxies,
                ..LimitsConfig::default()
            },
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
        let (config, _) = parse("opm-portal serve --plane kubeconfig --context c --roles web").unwrap().into_config().unwrap();
        assert!(config.web && !config.controller);
        assert!(matches!(config.plane, PlaneConfig::Kubeconfig { server, .. } if server.context.as_deref() == Some("c")));
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
        let behind = parse("opm-portal serve --plane kubeconfig --listen 0.0.0.0 --public-url https://p.example").unwrap();
        assert!(behind.into_config().is_ok());
    }
}
