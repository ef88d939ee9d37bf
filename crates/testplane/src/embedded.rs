//! The embedded plane alone, as its program serves it: TLS, the token file, nothing in it.

use std::path::Path;

use crate::process::{Process, free_ports};
use crate::{PATIENCE, PAUSE, Person, Server, anybody, write_tokens};

/// Starts the plane of this program, and waits until it is ready. The first of the people asks whether it is.
pub async fn embedded(program: &Path, people: &[Person]) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let [port] = free_ports();
    write_tokens(&folder.path().join("tokens.csv"), people);
    let arguments = [
        "plane".to_owned(),
        format!("--listen=127.0.0.1:{port}"),
        format!("--data={}", file("data")),
        format!("--token-auth-file={}", file("tokens.csv")),
        "--empty".to_owned(),
    ];
    let mut process = Process::start(program, &arguments, folder.path());
    let certificate = authority(&folder.path().join("data/tls/ca.crt"), &mut process).await;
    let address = format!("https://127.0.0.1:{port}");
    let client = anybody(&address, &certificate).await;
    let mut server = Server { address, client, certificate, asker: people[0].name, etcd: None, processes: vec![process], folder };
    server.wait_until_ready().await;
    server
}

/// The certificate of its authority, which it makes when it first starts.
async fn authority(file: &Path, process: &mut Process) -> String {
    for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
        match std::fs::read_to_string(file) {
            Ok(text) if text.contains("END CERTIFICATE") => return text,
            _ => {}
        }
        if let Some(ended) = process.ended() {
            panic!("{ended}");
        }
        tokio::time::sleep(PAUSE).await;
    }
    panic!("{} was not made: {}", file.display(), process.log());
}
