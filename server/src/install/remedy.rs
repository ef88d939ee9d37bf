//! Commands that fix a finding, with all options that select the same server as the command that reports it.

use std::path::Path;

use cluster::WorkspacePath;
use cluster::install::Finding;

use crate::config::OnServer;

/// Returns an `opm-portal` command for the same server. The context is always named, because the current one might have changed when the
/// command is copied.
pub fn command(command: &str, server: &OnServer, context: &str, homes: &[WorkspacePath]) -> String {
    let mut words = vec![command.to_owned()];
    if let Some(file) = &server.kubeconfig {
        words.extend(["--kubeconfig".to_owned(), quoted(&file.display().to_string())]);
    }
    words.extend(["--context".to_owned(), quoted(context)]);
    if server.provider.as_str() != OnServer::PROVIDER {
        words.extend(["--provider".to_owned(), server.provider.to_string()]);
    }
    words.extend(homes.iter().flat_map(|home| ["--trusted-home".to_owned(), home.to_string()]));
    words.join(" ")
}

/// Returns a kubectl command with this kubeconfig and context; on kcp, at the address of a workspace.
pub fn kubectl(command: &str, kubeconfig: Option<&Path>, context: &str, server: Option<&str>) -> String {
    let mut words = vec!["kubectl".to_owned()];
    if let Some(file) = kubeconfig {
        words.extend(["--kubeconfig".to_owned(), quoted(&file.display().to_string())]);
    }
    words.extend(["--context".to_owned(), quoted(context)]);
    if let Some(server) = server {
        words.extend(["--server".to_owned(), quoted(server)]);
    }
    words.push(command.to_owned());
    words.join(" ")
}

/// Lists findings in order; those that the same command fixes are grouped above it.
pub fn listed(findings: &[Finding], server: &OnServer, context: &str, homes: &[WorkspacePath]) -> String {
    let groups = findings.chunk_by(|one, other| one.remedy == other.remedy).map(|group| {
        let whats: Vec<&str> = group.iter().map(|finding| finding.what.as_str()).collect();
        let fix = group.first().map(|finding| finding.remedy.as_str()).unwrap_or_default();
        let fix = if !fix.starts_with("opm-portal ") {
            fix.to_owned()
        } else if fix.starts_with("opm-portal bind ") {
            command(fix, server, context, &[])
        } else {
            command(fix, server, context, homes)
        };
        format!("{}\n  to fix it: {fix}", whats.join("\n"))
    });
    groups.collect::<Vec<_>>().join("\n")
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:@%+=,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::{Finding, OnServer, command, listed};

    fn server(kubeconfig: Option<&str>, provider: &str) -> OnServer {
        OnServer { kubeconfig: kubeconfig.map(Into::into), context: None, provider: provider.parse().unwrap() }
    }

    #[test]
    fn what_one_command_fixes_stands_together_and_the_command_names_the_same_server() {
        let finding = |what: &str, remedy: &str| Finding { what: what.to_owned(), remedy: remedy.to_owned() };
        let findings = [
            finding("A is missing.", "opm-portal bootstrap"),
            finding("B is missing.", "opm-portal bootstrap"),
            finding("C is too old.", "use Kubernetes 1.36 or newer"),
            finding("D doesn't bind it.", "opm-portal bind root:acme --catalog"),
        ];
        let homes = ["root:homes:one".parse().unwrap(), "root:homes:two".parse().unwrap()];
        let expected = "A is missing.\nB is missing.\n  to fix it: opm-portal bootstrap --kubeconfig 'my files/kcp.yaml' --context here \
                        --provider root:own --trusted-home root:homes:one --trusted-home root:homes:two\n\
                        C is too old.\n  to fix it: use Kubernetes 1.36 or newer\n\
                        D doesn't bind it.\n  to fix it: opm-portal bind root:acme --catalog --kubeconfig 'my files/kcp.yaml' --context here \
                        --provider root:own";
        assert_eq!(listed(&findings, &server(Some("my files/kcp.yaml"), "root:own"), "here", &homes), expected);
        assert_eq!(command("opm-portal doctor", &server(None, "root:opm"), "here", &[]), "opm-portal doctor --context here");
    }
}
