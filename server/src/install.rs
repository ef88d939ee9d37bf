//! `opm-portal bootstrap`, `doctor` and `bind`: install what the portal needs on the server of a kubeconfig, report what is missing, and
//! prepare a workspace for requests.

pub mod destination;
pub mod remedy;
mod serving;

use cluster::endpoint::{Own, OwnError};
use cluster::install::{self, Impersonation, InstallError, Options};
use cluster::{Topology, WorkspacePath};
use promise::wording::counted;

use crate::config::{BindArgs, BootstrapArgs, DoctorArgs, ImpersonationArgs, OnServer};
use crate::plane::held::topology;

/// Why the server couldn't be prepared or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kubeconfig can't be used.
    #[error(transparent)]
    Kubeconfig(#[from] OwnError),
    /// The kind of server can't be determined.
    #[error("{context}: {why}")]
    Server {
        /// Name of the context.
        context: String,
        /// The server's answer.
        why: promise::Error,
    },
    /// The server refused an installation step.
    #[error("{context}: {why}")]
    Install {
        /// Name of the context.
        context: String,
        /// The refused step and the server's answer.
        why: InstallError,
    },
    /// An argument that doesn't apply to this kind of server.
    #[error("--namespace: {0} is kcp; prepare workspaces with `opm-portal bind WORKSPACE`")]
    Namespaces(String),
    /// An argument that doesn't apply to this kind of server.
    #[error("--oidc-impersonate: {0} is kcp, where no one is impersonated; have the server trust the issuer with its own configuration")]
    Impersonation(String),
    /// A command that doesn't apply to this kind of server.
    #[error("{0} is plain Kubernetes; prepare namespaces with `opm-portal bootstrap --namespace NAME`")]
    Workspaces(String),
    /// An argument that isn't valid on any server.
    #[error("{0}")]
    Argument(String),
    /// The credential of a Destination can't be used.
    #[error("{0}")]
    Credential(String),
    /// Findings, each followed by the command that fixes it.
    #[error("{0}")]
    Missing(String),
}

/// Installs everything and returns a report of what was done.
///
/// # Errors
/// If the server is unreachable or refuses an object, or `serve` couldn't start on it. What was already written stays, and the command can
/// be repeated.
pub async fn bootstrap(arguments: &BootstrapArgs) -> Result<String, Error> {
    let site = Site::open(&arguments.server, &arguments.homes).await?;
    if matches!(site.topology, Topology::Workspaces { .. }) && !arguments.namespaces.is_empty() {
        return Err(Error::Namespaces(site.own.context));
    }
    let options = site.options(&arguments.namespaces, &arguments.impersonation)?;
    let installed = install::bootstrap(&site.own.operator, &site.own.credential, &site.topology, &options).await;
    installed.map_err(|why| refused(&site.own, why))?;
    let found = serving::hindrances(&site.own, &site.topology).await;
    if !found.is_empty() {
        let what = format!("Everything is installed on {}, with {} left to fix", site.own.context, counted(found.len() as u64, "problem"));
        return Err(Error::Missing(format!("{what}:\n{}", site.listed(&found))));
    }
    let namespaces = match arguments.namespaces.as_slice() {
        [] => String::new(),
        names => format!(" Requests in {} can be fulfilled.", names.join(", ")),
    };
    let serve = site.command("opm-portal serve --plane kubeconfig --sign-in token");
    let bind = match site.topology {
        Topology::Workspaces { .. } => format!(
            "\nFor a workspace with requests: {}\nFor each workspace above it: {}",
            remedy::command("opm-portal bind WORKSPACE", site.server, &site.own.context, &[]),
            remedy::command("opm-portal bind WORKSPACE --catalog", site.server, &site.own.context, &[])
        ),
        Topology::Namespaces => String::new(),
    };
    Ok(format!("{} is ready.{namespaces} Next: {serve}{bind}", site.own.context))
}

/// Checks what is missing and returns the report.
///
/// # Errors
/// If the server is unreachable, or something is missing.
pub async fn doctor(arguments: &DoctorArgs) -> Result<String, Error> {
    let site = Site::open(&arguments.server, &arguments.homes).await?;
    let options = site.options(&[], &arguments.impersonation)?;
    let found = install::doctor(&site.own.operator, &site.own.credential, &site.topology, &options).await;
    let mut found = found.map_err(|why| refused(&site.own, why))?;
    for hindrance in serving::hindrances(&site.own, &site.topology).await {
        if !found.contains(&hindrance) {
            found.push(hindrance);
        }
    }
    let risks = install::impersonation_risks(&site.own.operator, &site.own.credential, &site.topology, &options).await;
    let risks = risks.map_err(|why| refused(&site.own, why))?;
    let warned = match risks.as_slice() {
        [] => String::new(),
        risks => format!("\n{}:\n{}", counted(risks.len() as u64, "warning"), site.listed(risks)),
    };
    if found.is_empty() {
        return Ok(format!("{} is ready.{warned}", site.own.context));
    }
    let problems = counted(found.len() as u64, "problem");
    Err(Error::Missing(format!("{} has {problems}:\n{}{warned}", site.own.context, site.listed(&found))))
}

/// Prepares a kcp workspace for requests, and reports what is missing in the workspaces above it.
///
/// # Errors
/// If the server is unreachable, isn't kcp, or refuses an object, or if workspaces above hide policies that apply below them. What was
/// bound stays.
pub async fn bind(arguments: &BindArgs) -> Result<String, Error> {
    let site = Site::open(&arguments.server, &[]).await?;
    let Topology::Workspaces { provider } = &site.topology else { return Err(Error::Workspaces(site.own.context)) };
    let (own, workspace) = (&site.own, &arguments.workspace);
    let installed = install::provider_of(&own.operator, &own.credential, &site.topology, provider).await;
    let installed = installed.map_err(|why| match why {
        // A kcp server answers 404, a front proxy 403.
        InstallError::Refused { error: promise::Error::NotFound { .. } | promise::Error::Denied { .. }, .. } => {
            let fix = site.command("opm-portal bootstrap");
            Error::Missing(format!("There is no workspace {provider} that you can access.\n  to fix it: {fix}"))
        }
        why => refused(own, why),
    })?;
    let bound = install::bind_consumer(&own.operator, &own.credential, &site.topology, &installed, workspace, arguments.catalog).await;
    let consumer = bound.map_err(|why| refused(own, why))?;
    let names: Vec<&str> = consumer.bound.iter().map(|export| export.name()).collect();
    let done = format!("{workspace} binds {} with all claims.", names.join(" and "));
    if consumer.above.is_empty() {
        return Ok(format!("{done} Its requests can be fulfilled."));
    }
    let lines = consumer.above.iter().map(|hidden| {
        // Root needs only the requests export.
        let catalog = if hidden.workspace == WorkspacePath::root() { "" } else { " --catalog" };
        let fix = site.command(&format!("opm-portal bind {}{catalog}", hidden.workspace));
        format!("{}\n  to fix it: {fix}", hidden.why)
    });
    let lines: Vec<String> = lines.collect();
    Err(Error::Missing(format!("{done} Its requests are refused until these workspaces expose their policies:\n{}", lines.join("\n"))))
}

/// A server and its topology.
struct Site<'a> {
    server: &'a OnServer,
    /// The trusted homes named on the command line.
    homes: &'a [WorkspacePath],
    own: Own,
    topology: Topology,
}

impl<'a> Site<'a> {
    async fn open(server: &'a OnServer, homes: &'a [WorkspacePath]) -> Result<Self, Error> {
        let own = Own::open(server.kubeconfig.as_deref(), server.context.as_deref()).await?;
        match topology(&own, &server.provider).await {
            Ok(topology) => Ok(Self { server, homes, own, topology }),
            Err(why) => Err(Error::Server { context: own.context, why }),
        }
    }

    fn options(&self, namespaces: &[String], impersonation: &ImpersonationArgs) -> Result<Options, Error> {
        if impersonation.is_on && matches!(self.topology, Topology::Workspaces { .. }) {
            return Err(Error::Impersonation(self.own.context.clone()));
        }
        let homes = if self.homes.is_empty() { self.topology.default_homes().unwrap_or_default() } else { self.homes.to_vec() };
        let impersonation = impersonation.is_on.then(|| Impersonation { groups: impersonation.groups.clone() });
        Ok(Options { homes, namespaces: namespaces.to_vec(), impersonation, ..Options::default() })
    }

    fn command(&self, command: &str) -> String {
        remedy::command(command, self.server, &self.own.context, self.homes)
    }

    fn listed(&self, found: &[install::Finding]) -> String {
        remedy::listed(found, self.server, &self.own.context, self.homes)
    }
}

fn refused(own: &Own, why: InstallError) -> Error {
    Error::Install { context: own.context.clone(), why }
}
