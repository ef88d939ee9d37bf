//! kube-apiserver and etcd, as plain as they start: RBAC, the token file, no controllers.

use rcgen::KeyPair;

use crate::process::{Process, free_ports};
use crate::{Person, Server, anybody, binary, write_tokens};

/// Starts the kube-apiserver that `OPM_KUBE_APISERVER` names on the etcd that `OPM_ETCD` names, and waits until it is ready.
/// One of the people has to be in `system:masters`; the first one asks whether it is ready. etcd does not wait for the disk.
pub async fn kubernetes(people: &[Person]) -> Option<Server> {
    start(people, &["--unsafe-no-fsync".to_owned()], None).await
}

/// The same for measurements: etcd waits for the disk, as it does wherever somebody relies on it.
pub async fn durable_kubernetes(people: &[Person]) -> Option<Server> {
    start(people, &[], None).await
}

/// The same as [`kubernetes`], and it accepts the tokens that a configuration names: the text of `--authentication-config`.
pub async fn kubernetes_trusting(people: &[Person], configuration: &str) -> Option<Server> {
    start(people, &["--unsafe-no-fsync".to_owned()], Some(configuration)).await
}

async fn start(people: &[Person], more: &[String], authentication: Option<&str>) -> Option<Server> {
    let (apiserver, etcd) = (binary("OPM_KUBE_APISERVER")?, binary("OPM_ETCD")?);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let [port, storage, peer] = free_ports();
    let (storage, peer) = (format!("http://127.0.0.1:{storage}"), format!("http://127.0.0.1:{peer}"));

    let certified = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(file("server.crt"), certified.cert.pem()).unwrap();
    std::fs::write(file("server.key"), certified.signing_key.serialize_pem()).unwrap();
    let accounts = KeyPair::generate().unwrap();
    std::fs::write(file("accounts.key"), accounts.serialize_pem()).unwrap();
    std::fs::write(file("accounts.pub"), accounts.public_key_pem()).unwrap();
    write_tokens(&folder.path().join("tokens.csv"), people);

    let etcd = Process::start(
        &etcd,
        &[
            vec![
                format!("--data-dir={}", file("etcd")),
                format!("--listen-client-urls={storage}"),
                format!("--advertise-client-urls={storage}"),
                format!("--listen-peer-urls={peer}"),
                format!("--initial-advertise-peer-urls={peer}"),
                format!("--initial-cluster=default={peer}"),
            ],
            more.to_vec(),
        ]
        .concat(),
        folder.path(),
    );
    let trusting = authentication.map(|configuration| {
        std::fs::write(file("authentication.yaml"), configuration).unwrap();
        format!("--authentication-config={}", file("authentication.yaml"))
    });
    let apiserver = Process::start(
        &apiserver,
        &[
            &[
                format!("--etcd-servers={storage}"),
                "--bind-address=127.0.0.1".to_owned(),
                format!("--secure-port={port}"),
                format!("--tls-cert-file={}", file("server.crt")),
                format!("--tls-private-key-file={}", file("server.key")),
                format!("--token-auth-file={}", file("tokens.csv")),
                "--authorization-mode=RBAC".to_owned(),
                "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
                format!("--service-account-key-file={}", file("accounts.pub")),
                format!("--service-account-signing-key-file={}", file("accounts.key")),
                "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
                // No controller makes the accounts that it would ask for.
                "--disable-admission-plugins=ServiceAccount".to_owned(),
            ][..],
            trusting.as_slice(),
        ]
        .concat(),
        folder.path(),
    );
    let (address, certificate) = (format!("https://127.0.0.1:{port}"), certified.cert.pem());
    let client = anybody(&address, &certificate).await;
    let mut server =
        Server { address, client, certificate, asker: people.first()?.name, etcd: Some(storage), processes: vec![apiserver, etcd], folder };
    server.wait_until_ready().await;
    Some(server)
}
