//! What the user typed, and what the program needs: arguments and environment are read here, once.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
    #[command(after_help = "Example:\n  opm-portal serve --plane embedded --data ./portal-data\n\n\
        The embedded plane is for trying out and for tests: it listens on loopback only and anybody who reaches the sign-in page can be anybody.")]
    Serve(ServeArgs),
    /// Judge promises, policies, catalogs and destinations in files, as publishing would. Nothing is written.
    #[command(after_help = "Examples:\n  opm-portal check promise.yaml policy.yaml\n  opm-portal check ./examples\n\n\
        A folder with workspaces.yaml is judged as a whole world, with everything that its files refer to. Each problem is one line: \
        file, line, column, field, what to change. Exit code 1 when there is any.")]
    Check(CheckArgs),
    /// Serve the embedded plane alone until Ctrl-C or SIGTERM: Kubernetes at the top, workspaces below `/clusters/`.
    #[command(after_help = "Example:\n  echo 'secret,admin,1,\"system:masters,system:kcp:admin\"' > tokens.csv\n  \
        opm-portal plane --listen 127.0.0.1:6443 --data ./plane-data --token-auth-file tokens.csv --empty")]
    Plane(crate::bare::PlaneArgs),
    /// Print what a plane needs to hold our kinds, as YAML: CRDs, exports, rights, admission policies.
    #[command(visible_alias = "crds")]
    Manifests(ManifestsArgs),
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
    /// Port of the pages; 0 lets the system choose.
    #[arg(long, default_value_t = 8080, env = "OPM_PORT")]
    port: u16,
    /// Address of the pages.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), env = "OPM_LISTEN")]
    listen: IpAddr,
    /// Port on loopback of the embedded plane's own TLS listener, for kubectl; 0 lets the system choose.
    #[arg(long, default_value_t = 6443, env = "OPM_PLANE_PORT")]
    plane_port: u16,
    /// Parts that this process runs.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Role::Web, Role::Controller, Role::Plane], env = "OPM_ROLES")]
    roles: Vec<Role>,
    /// Directory with the built assets (`pkg/` with script, wasm and styles).
    #[arg(long, value_name = "DIR", default_value = "target/site", env = "OPM_SITE")]
    site: PathBuf,
    /// Sample world to load at the first start of an embedded plane, instead of the built-in one.
    #[arg(long, value_name = "DIR", env = "OPM_EXAMPLES")]
    examples: Option<PathBuf>,
    /// Address under which people reach the portal, such as `https://portal.example.org`. With https, cookies are marked secure.
    #[arg(long, value_name = "URL", env = "OPM_PUBLIC_URL", value_parser = parse_public_url)]
    public_url: Option<PublicUrl>,
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

/// Where people reach the portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    /// Whether the browser speaks TLS, to us or to a proxy in front of us.
    pub secure: bool,
    /// Host, with the port when it is not the scheme's own.
    pub authority: String,
}

/// Where things are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In that directory.
    Directory(PathBuf),
    /// In memory, forgotten at the end.
    Memory,
}

/// What `serve` needs.
#[derive(Clone, Debug)]
pub struct Config {
    /// The plane to work on.
    pub plane: PlaneKind,
    /// Where things are kept.
    pub storage: Storage,
    /// Where the pages are served.
    pub listen: SocketAddr,
    /// Where the embedded plane listens for kubectl; always loopback.
    pub plane_listen: SocketAddr,
    /// Whether pages are served.
    pub web: bool,
    /// Whether requests are fulfilled here.
    pub controller: bool,
    /// Where the built assets are.
    pub site: PathBuf,
    /// Sample world other than the built-in one.
    pub examples: Option<PathBuf>,
    /// Where people reach the portal, when it is not where it listens.
    pub public_url: Option<PublicUrl>,
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
    /// The embedded plane must not be reachable from elsewhere.
    #[error(
        "--listen {0}: with the embedded plane anybody who reaches the sign-in page can be anybody, so only loopback addresses are served"
    )]
    NotLoopback(IpAddr),
}

impl ServeArgs {
    /// What the program needs, or why the arguments do not fit together.
    ///
    /// # Errors
    /// The roles leave out the embedded plane, or it would be served beyond loopback.
    pub fn into_config(self) -> Result<(Config, LogConfig), ConfigError> {
        let PlaneKind::Embedded = self.plane;
        if !self.roles.contains(&Role::Plane) {
            return Err(ConfigError::PlaneMissing);
        }
        if !self.listen.is_loopback() {
            return Err(ConfigError::NotLoopback(self.listen));
        }
        let config = Config {
            plane: self.plane,
            storage: if self.ephemeral { Storage::Memory } else { Storage::Directory(self.data) },
            listen: SocketAddr::new(self.listen, self.port),
            plane_listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.plane_port),
            web: self.roles.contains(&Role::Web),
            controller: self.roles.contains(&Role::Controller),
            site: self.site,
            examples: self.examples,
            public_url: self.public_url,
        };
        Ok((config, LogConfig { format: self.log_format, filter: self.log }))
    }
}

fn parse_public_url(text: &str) -> Result<PublicUrl, String> {
    let uri: http::Uri = text.parse().map_err(|_| "not an address".to_owned())?;
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => return Err("must begin with https:// or http://".to_owned()),
    };
    let authority = uri.authority().ok_or("has no host")?;
    if authority.as_str().contains('@') || uri.query().is_some() || !matches!(uri.path(), "" | "/") {
        return Err("must be scheme, host and port only".to_owned());
    }
    // Browsers leave out the port that the scheme has anyway.
    let authority = authority.as_str().to_ascii_lowercase();
    let own = if secure { ":443" } else { ":80" };
    Ok(PublicUrl { secure, authority: authority.strip_suffix(own).map_or_else(|| authority.clone(), str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<ServeArgs, clap::Error> {
        match Cli::try_parse_from(line.split_whitespace())?.command {
            Command::Serve(args) => Ok(args),
            Command::Plane(_) | Command::Manifests(_) | Command::Check(_) => panic!("serve expected"),
        }
    }

    #[test]
    fn the_plane_is_asked_for_by_name() {
        assert!(parse("opm-portal serve").is_err());
        let (config, _) = parse("opm-portal serve --plane embedded --ephemeral --port 0").unwrap().into_config().unwrap();
        assert_eq!((config.storage, config.web, config.controller), (Storage::Memory, true, true));
        assert!(config.listen.ip().is_loopback() && config.plane_listen.ip().is_loopback());
    }

    #[test]
    fn senseless_combinations_name_the_argument() {
        let roles = parse("opm-portal serve --plane embedded --roles web").unwrap().into_config().unwrap_err();
        assert!(roles.to_string().starts_with("--roles"));
        let open = parse("opm-portal serve --plane embedded --listen 0.0.0.0").unwrap().into_config().unwrap_err();
        assert!(open.to_string().starts_with("--listen 0.0.0.0"));
        assert!(parse("opm-portal serve --plane embedded --data d --ephemeral").is_err());
    }

    #[test]
    fn public_urls_are_scheme_host_and_port() {
        assert_eq!(
            parse_public_url("https://Portal.example.org:8443/").unwrap(),
            PublicUrl { secure: true, authority: "portal.example.org:8443".into() }
        );
        assert_eq!(parse_public_url("https://portal.example.org:443").unwrap().authority, "portal.example.org");
        assert_eq!(parse_public_url("http://portal.example.org:443").unwrap().authority, "portal.example.org:443");
        for wrong in ["portal.example.org", "ftp://a", "https://a/b", "https://u@a", "https://a/?q"] {
            assert!(parse_public_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
