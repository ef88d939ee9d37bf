//! Kubeconfig files of the embedded plane: one for people with kubectl, one for the Destination `sandbox`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cluster::WorkspacePath;
use serde_json::{Value, json};

use super::identity::{ADMIN, Identities, Identity};

/// Address of the plane's TLS listener, and its certificate authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// `https://host:port`.
    pub url: String,
    /// Certificate authority, PEM.
    pub ca: String,
}

impl Server {
    fn cluster(&self, name: &str, path: &str) -> Value {
        let ca = STANDARD.encode(&self.ca);
        json!({"name": name, "cluster": {"server": format!("{}{path}", self.url), "certificate-authority-data": ca}})
    }
}

/// Returns the file for people, with a context `<person>@<workspace>` for everyone in every workspace; the current context is
/// `plane-admin`, who can act everywhere. It is JSON, which is valid YAML.
pub fn for_people(server: &Server, identities: &Identities, people: &[String], workspaces: &[WorkspacePath]) -> Value {
    let mut clusters = vec![server.cluster("root", "/clusters/root"), server.cluster("sandbox", "")];
    clusters.extend(workspaces.iter().map(|path| server.cluster(path.as_str(), &format!("/clusters/{path}"))));
    let known = |identity: &&Identity| identity.name == ADMIN || people.contains(&identity.name);
    let users: Vec<Value> = identities
        .all()
        .iter()
        .filter(known)
        .map(|identity| json!({"name": identity.name, "user": {"token": &*identity.token.expose()}}))
        .collect();
    let context = |name: String, cluster: &str, user: &str| json!({"name": name, "context": {"cluster": cluster, "user": user}});
    let mut contexts = vec![context(ADMIN.to_owned(), "root", ADMIN), context(format!("{ADMIN}@sandbox"), "sandbox", ADMIN)];
    for path in workspaces {
        for person in people.iter().map(String::as_str).chain([ADMIN]) {
            contexts.push(context(format!("{person}@{path}"), path.as_str(), person));
        }
    }
    file(clusters, users, contexts, ADMIN)
}

/// Returns the file for reaching a Destination: the plane's top-level cluster, as one identity.
pub fn for_destination(server: &Server, identity: &Identity) -> Value {
    let user = json!({"name": identity.name, "user": {"token": &*identity.token.expose()}});
    let context = json!({"name": "sandbox", "context": {"cluster": "sandbox", "user": identity.name}});
    file(vec![server.cluster("sandbox", "")], vec![user], vec![context], "sandbox")
}

fn file(clusters: Vec<Value>, users: Vec<Value>, contexts: Vec<Value>, current: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Config", "preferences": {},
        "clusters": clusters, "users": users, "contexts": contexts, "current-context": current
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::System;
    use crate::config::Storage;
    use crate::plane::Folder;

    #[test]
    fn names_people_and_workspaces_and_hides_the_machines_identities() {
        let folder = Folder::open(&Storage::Memory).unwrap();
        let identities = Identities::open(&folder, [("dev-shop", &[][..])], &System).unwrap();
        let server = Server { url: "https://127.0.0.1:6443".into(), ca: "PEM".into() };
        let shop = WorkspacePath::parse("root:acme:shop").unwrap();
        let file = for_people(&server, &identities, &["dev-shop".into()], &[shop]);
        assert_eq!(file["current-context"], ADMIN);
        let names: Vec<&str> = file["contexts"].as_array().unwrap().iter().filter_map(|context| context["name"].as_str()).collect();
        assert_eq!(names, ["plane-admin", "plane-admin@sandbox", "dev-shop@root:acme:shop", "plane-admin@root:acme:shop"]);
        assert_eq!(file["clusters"][2]["cluster"]["server"], "https://127.0.0.1:6443/clusters/root:acme:shop");
        let users: Vec<&str> = file["users"].as_array().unwrap().iter().filter_map(|user| user["name"].as_str()).collect();
        assert_eq!(users, ["plane-admin", "dev-shop"], "the portal's own identities stay with the portal");
        let destination = for_destination(&server, &identities.all()[4]);
        assert_eq!(
            destination["users"][0]["user"]["token"],
            identities.token(super::super::identity::DESTINATION).unwrap().expose().as_ref()
        );
        assert_eq!(destination["clusters"][0]["cluster"]["server"], "https://127.0.0.1:6443", "the top-level cluster");
    }
}
