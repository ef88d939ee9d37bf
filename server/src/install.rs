//! `opm-portal bootstrap` and `opm-portal doctor`: what the server of a kubeconfig needs, and what it lacks.

use cluster::endpoint::{Own, OwnError};
use cluster::install::{self, Finding, InstallError, Options};
use cluster::{Topology, WorkspacePath};

use crate::config::{BootstrapArgs, DoctorArgs, OnServer};
use crate::serve::kubeconfig::topology;

/// Why nothing could be installed or looked at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kubeconfig.
    #[error(transparent)]
    Kubeconfig(#[from] OwnError),
    /// The server does not say what it is.
    #[error("{context}: {why}")]
    Server {
        /// Name of the context.
        context: String,
        /// What it said.
        why: promise::Error,
    },
    /// The server refused something.
    #[error("{context}: {why}")]
    Install {
        /// Name of the context.
        context: String,
        /// What.
        why: InstallError,
    },
    /// An argument that the server has no use for.
    #[error("--namespace: {0} is kcp, where workspaces are prepared by binding the exports (deploy/kcp/consumer-bindings.yaml)")]
    Namespaces(String),
    /// Something is missing: what, and below it what mends it.
    #[error("{0}")]
    Missing(String),
}

/// Installs everything, and says what was done.
///
/// # Errors
/// The server cannot be reached, or refused something; what was written until then stays, and the command can be repeated.
pub async fn bootstrap(arguments: &BootstrapArgs) -> Result<String, Error> {
    let site = Site::open(&arguments.server).await?;
    if matches!(site.topology, Topology::Workspaces { .. }) && !arguments.namespaces.is_empty() {
        return Err(Error::Namespaces(site.own.context));
    }
    let options = site.options(&arguments.homes, &arguments.namespaces);
    let installed = install::bootstrap(&site.own.operator, &site.own.credential, &site.topology, &options).await;
    installed.map_err(|why| site.failed(why))?;
    let context = &site.own.context;
    let namespaces = match arguments.namespaces.as_slice() {
        [] => String::new(),
        names => format!(" Requests of {} can be fulfilled.", names.join(", ")),
    };
    Ok(format!("{context} has everything.{namespaces} Next: opm-portal serve --plane kubeconfig --context {context}"))
}

/// Looks for what is missing.
///
/// # Errors
/// The server cannot be reached, or something is missing.
pub async fn doctor(arguments: &DoctorArgs) -> Result<String, Error> {
    let site = Site::open(&arguments.server).await?;
    let options = site.options(&arguments.homes, &[]);
    let found = install::doctor(&site.own.operator, &site.own.credential, &site.topology, &options).await;
    let found = found.map_err(|why| site.failed(why))?;
    if found.is_empty() {
        return Ok(format!("{} has everything.", site.own.context));
    }
    let context = &site.own.context;
    Err(Error::Missing(format!("{context} lacks {}:\n{}", promise::wording::counted(found.len() as u64, "thing"), told(&found, context))))
}

/// Findings in their order; what one command mends stands above it together.
fn told(findings: &[Finding], context: &str) -> String {
    let groups = findings.chunk_by(|one, other| one.mend == other.mend).map(|group| {
        let whats: Vec<&str> = group.iter().map(|finding| finding.what.as_str()).collect();
        let mend = group.first().map(|finding| finding.mend.as_str()).unwrap_or_default();
        // The same server, whatever is current when the command is copied.
        let mend = if mend.starts_with("opm-portal ") { format!("{mend} --context {context}") } else { mend.to_owned() };
        format!("{}\n  to mend it: {mend}", whats.join("\n"))
    });
    groups.collect::<Vec<_>>().join("\n")
}

/// A server, and what it is.
struct Site {
    own: Own,
    topology: Topology,
}

impl Site {
    async fn open(server: &OnServer) -> Result<Self, Error> {
        let own = Own::open(server.kubeconfig.as_deref(), server.context.as_deref()).await?;
        match topology(&own, &server.provider).await {
            Ok(topology) => Ok(Self { own, topology }),
            Err(why) => Err(Error::Server { context: own.context, why }),
        }
    }

    fn options(&self, homes: &[WorkspacePath], namespaces: &[String]) -> Options {
        let homes = if homes.is_empty() { self.topology.default_homes().unwrap_or_default() } else { homes.to_vec() };
        Options { homes, namespaces: namespaces.to_vec(), ..Options::default() }
    }

    fn failed(&self, why: InstallError) -> Error {
        Error::Install { context: self.own.context.clone(), why }
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, told};

    #[test]
    fn what_one_command_mends_stands_together() {
        let finding = |what: &str, mend: &str| Finding { what: what.to_owned(), mend: mend.to_owned() };
        let findings = [
            finding("A is missing.", "opm-portal bootstrap"),
            finding("B is missing.", "opm-portal bootstrap"),
            finding("C is too old.", "run Kubernetes 1.36 or newer"),
        ];
        let expected = "A is missing.\nB is missing.\n  to mend it: opm-portal bootstrap --context here\nC is too old.\n  to mend it: run Kubernetes 1.36 or newer";
        assert_eq!(told(&findings, "here"), expected);
    }
}
