//! kcp as one process: a shard with its own etcd.
//!
//! It is not built here: whoever has one names it by `KCP_BIN`, or has it on the PATH.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::config::Kubeconfig;

use crate::process::{Process, free_ports};
use crate::{Person, Server, anybody, write_tokens};

/// How long it may take until it has written down how it is reached; measured: 25 s on two cores.
const BEGINS: Duration = Duration::from_secs(120);

/// Starts the kcp that `KCP_BIN` names, or that is on the PATH, and waits until it is ready. Workspaces are below `/clusters/`.
/// One of the people has to be in `system:kcp:admin`; the first is asked as.
pub async fn kcp(people: &[Person]) -> Option<Server> {
    let Some(binary) = find() else {
        println!("skipped: no kcp: KCP_BIN names none, and there is none on the PATH");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("kcp");
    let tokens = folder.path().join("tokens.csv");
    write_tokens(&tokens, people);
    let [port, client, peer] = free_ports();
    let process = Process::start(
        &binary,
        &[
            "start".to_owned(),
            format!("--root-directory={}", root.display()),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--secure-port={port}"),
            format!("--embedded-etcd-client-port={client}"),
            format!("--embedded-etcd-peer-port={peer}"),
            format!("--token-auth-file={}", tokens.display()),
        ],
        folder.path(),
    );
    let mut processes = vec![process];
    let (address, certificate) = reached(&root.join("admin.kubeconfig"), &mut processes).await;
    let client = anybody(&address, &certificate).await;
    let mut server = Server { address, client, certificate, asker: people.first()?.name, etcd: None, processes, folder };
    server.wait_until_ready().await;
    Some(server)
}

#[expect(clippy::disallowed_methods, reason = "tests have no configuration module; this and `binary` are the places that look for servers")]
fn find() -> Option<PathBuf> {
    let named = std::env::var_os("KCP_BIN").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    named.into_iter().chain(std::env::split_paths(&path).map(|folder| folder.join("kcp"))).find(|path| path.is_file())
}

/// Address and certificate authority, from the kubeconfig that it writes when it starts.
async fn reached(file: &Path, processes: &mut [Process]) -> (String, String) {
    let waiting = async {
        loop {
            if let Some(found) = std::fs::read_to_string(file).ok().and_then(|text| server_of(&text)) {
                return found;
            }
            if let Some(ended) = processes.iter_mut().find_map(Process::ended) {
                panic!("{ended}");
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let found = tokio::time::timeout(BEGINS, waiting).await;
    found.unwrap_or_else(|_| panic!("kcp has not written {} after {} seconds", file.display(), BEGINS.as_secs()))
}

fn server_of(kubeconfig: &str) -> Option<(String, String)> {
    // A file that is being written is read again.
    let file = Kubeconfig::from_yaml(kubeconfig).ok()?;
    let cluster = file.clusters.iter().find_map(|named| named.cluster.as_ref())?;
    let address = cluster.server.as_deref()?.split("/clusters/").next()?.trim_end_matches('/').to_owned();
    let certificate = String::from_utf8(STANDARD.decode(cluster.certificate_authority_data.as_deref()?).ok()?).ok()?;
    Some((address, certificate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_found_in_the_kubeconfig_that_kcp_writes() {
        let file = r#"{"apiVersion": "v1", "kind": "Config", "clusters": [
            {"name": "root", "cluster": {"server": "https://127.0.0.1:6443/clusters/root", "certificate-authority-data": "UEVN"}}]}"#;
        assert_eq!(server_of(file), Some(("https://127.0.0.1:6443".to_owned(), "PEM".to_owned())));
        assert_eq!(server_of("{}"), None);
    }
}
