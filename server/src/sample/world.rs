//! `workspaces.yaml` and `people.yaml`: the definition of a sample world.

use std::collections::BTreeMap;

use cluster::WorkspacePath;
use cluster::kinds::Export;
use promise::form::yaml::places::Places;
use promise::manifest::{self, Defect, Manifest};
use serde::Deserialize;
use serde_json::Value;

use super::{Files, SampleError};
use crate::plane::identity;

pub(super) const WORKSPACES: &str = "workspaces.yaml";
const PEOPLE: &str = "people.yaml";

/// A sample world.
#[derive(Clone, Debug)]
pub struct World {
    /// Workspace that exports the API.
    pub provider: WorkspacePath,
    /// The workspaces to create, parents first.
    pub workspaces: Vec<SampleWorkspace>,
    /// People who can sign in.
    pub people: Vec<Person>,
    /// Permissions, each with its workspace.
    pub rights: Vec<(WorkspacePath, Manifest)>,
}

/// A person who can sign in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Person {
    /// Username on the plane.
    pub name: String,
    /// Name for people.
    pub display_name: String,
    /// The person's role, in one sentence.
    pub role: String,
    /// Groups on the plane.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Workspace that the person sees first.
    pub start: WorkspacePath,
    /// What a newcomer in this role can try first.
    #[serde(default)]
    pub tour: Vec<TourStop>,
}

/// Something to try in the portal.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TourStop {
    /// What to do, a few words.
    pub title: String,
    /// What there is to see, in one sentence.
    pub text: String,
    /// Address in the portal.
    pub to: String,
}

/// A workspace of a sample world.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SampleWorkspace {
    /// Path of the workspace.
    pub path: WorkspacePath,
    /// Name for people.
    pub title: String,
    /// Description in one sentence.
    #[serde(default)]
    pub description: String,
    /// Whether it is a trusted home, which can offer promises to the whole tree and own Destinations.
    #[serde(default)]
    pub trusted_home: bool,
    /// Labels of the Workspace object.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Names of the bound exports.
    #[serde(default)]
    pub binds: Vec<String>,
    /// Namespaces besides `default`.
    #[serde(default)]
    pub namespaces: Vec<String>,
    /// Files with objects that are written into it, in this order.
    #[serde(default)]
    pub objects: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WorkspacesFile {
    provider: WorkspacePath,
    workspaces: Vec<SampleWorkspace>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PeopleFile {
    people: Vec<Person>,
    #[serde(default)]
    rbac: Vec<Rights>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rights {
    workspace: WorkspacePath,
    objects: Vec<Value>,
}

impl World {
    /// Reads and checks both files.
    ///
    /// # Errors
    /// If a file is missing or invalid; the error names line and field.
    pub fn read(files: &Files) -> Result<Self, SampleError> {
        let text = files.read(WORKSPACES)?;
        let WorkspacesFile { provider, workspaces } =
            promise::form::yaml::parse(&text).map_err(|error| manifest::unreadable(WORKSPACES, 1, &text, &error))?;
        check_workspaces(&text, &provider, &workspaces)?;

        let text = files.read(PEOPLE)?;
        let PeopleFile { people, rbac } =
            promise::form::yaml::parse(&text).map_err(|error| manifest::unreadable(PEOPLE, 1, &text, &error))?;
        check_people(&text, &people, &workspaces)?;
        let mut rights = Vec::new();
        for (group, Rights { workspace, objects }) in rbac.into_iter().enumerate() {
            if !workspaces.iter().any(|known| known.path == workspace) {
                return Err(content(PEOPLE, &text, &format!(".rbac[{group}].workspace"), format!("workspace {workspace} doesn't exist")));
            }
            for (index, object) in objects.into_iter().enumerate() {
                let at = format!(".rbac[{group}].objects[{index}]");
                rights.push((workspace.clone(), Manifest::inside(PEOPLE, &text, &at, object)?));
            }
        }
        Ok(Self { provider, workspaces, people, rights })
    }

    /// Returns the paths of the trusted homes.
    pub fn trusted_homes(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.workspaces.iter().filter(|workspace| workspace.trusted_home).map(|workspace| &workspace.path)
    }
}

impl SampleWorkspace {
    /// Returns the bound exports.
    pub fn exports(&self) -> impl Iterator<Item = Export> {
        [Export::Requests, Export::Catalog].into_iter().filter(|export| self.binds.iter().any(|name| name == export.name()))
    }
}

fn check_workspaces(text: &str, provider: &WorkspacePath, workspaces: &[SampleWorkspace]) -> Result<(), SampleError> {
    let wrong = |path: &str, message: String| Err(content(WORKSPACES, text, path, message));
    for (index, workspace) in workspaces.iter().enumerate() {
        let known = |path: &WorkspacePath| *path == WorkspacePath::root() || workspaces.iter().take(index).any(|w| w.path == *path);
        if !workspace.path.parent().is_some_and(|parent| known(&parent)) {
            return wrong(&format!(".workspaces[{index}].path"), format!("the parent of {} must come before it", workspace.path));
        }
        if let Some((at, name)) = workspace.binds.iter().enumerate().find(|(_, name)| !exports().contains(&name.as_str())) {
            return wrong(
                &format!(".workspaces[{index}].binds[{at}]"),
                format!("export {name} doesn't exist; choose from {}", exports().join(", ")),
            );
        }
    }
    if !workspaces.iter().any(|workspace| workspace.path == *provider) {
        return wrong(".provider", format!("{provider} is not among the workspaces"));
    }
    Ok(())
}

fn check_people(text: &str, people: &[Person], workspaces: &[SampleWorkspace]) -> Result<(), SampleError> {
    let wrong = |path: String, message: String| Err(content(PEOPLE, text, &path, message));
    for (index, person) in people.iter().enumerate() {
        if people.iter().take(index).any(|earlier| earlier.name == person.name) {
            return wrong(format!(".people[{index}].name"), format!("\"{}\" is defined twice", person.name));
        }
        if person.name.starts_with("system:") || identity::RESERVED.contains(&person.name.as_str()) {
            return wrong(format!(".people[{index}].name"), format!("\"{}\" is reserved", person.name));
        }
        if let Some((at, stop)) = person.tour.iter().enumerate().find(|(_, stop)| !stop.to.starts_with('/') || stop.to.starts_with("//")) {
            return wrong(format!(".people[{index}].tour[{at}].to"), format!("{} isn't an address in the portal", stop.to));
        }
        if !workspaces.iter().any(|known| known.path == person.start) {
            return wrong(format!(".people[{index}].start"), format!("workspace {} doesn't exist", person.start));
        }
    }
    Ok(())
}

fn exports() -> [&'static str; 2] {
    [Export::Requests.name(), Export::Catalog.name()]
}

fn content(file: &str, text: &str, path: &str, message: String) -> SampleError {
    Defect { file: file.to_owned(), place: Some(Places::of(text).place(path)), field: path.to_owned(), message }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "provider: root:opm\nworkspaces:\n- path: root:opm\n  title: Provider\n";

    fn read(workspaces: &str, people: &str) -> Result<World, String> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(WORKSPACES), workspaces).unwrap();
        std::fs::write(directory.path().join(PEOPLE), people).unwrap();
        World::read(&Files::Directory(directory.path().to_owned())).map_err(|error| error.to_string())
    }

    #[test]
    fn the_built_in_world_fits() {
        let world = World::read(&Files::BuiltIn).unwrap();
        for name in ["dev-shop", "dev-data", "viewer-shop", "approver", "platform-engineer", "org-owner", "finance"] {
            assert!(world.people.iter().any(|person| person.name == name), "{name}");
        }
        assert_eq!(world.trusted_homes().map(WorkspacePath::as_str).collect::<Vec<_>>(), ["root:platform"]);
        assert!(!world.rights.is_empty());
    }

    #[test]
    fn errors_name_file_line_and_field() {
        let person = "- {name: a, displayName: A, role: A, start: \"root:opm\"}\n";
        let cases = [
            (
                ONE.replace("- path: root:opm", "- path: root:a:b"),
                "people: []\n".to_owned(),
                "workspaces.yaml:3:3: .workspaces[0].path: the parent of root:a:b",
            ),
            (
                format!("{ONE}  binds:\n  - things\n"),
                "people: []\n".to_owned(),
                "workspaces.yaml:6:5: .workspaces[0].binds[0]: export things",
            ),
            (ONE.to_owned(), format!("people:\n{person}{person}"), "people.yaml:3:4: .people[1].name: \"a\" is defined twice"),
            (
                ONE.to_owned(),
                format!("people:\n{}", person.replace("name: a", "name: plane-admin")),
                "people.yaml:2:4: .people[0].name: \"plane-admin\" is reserved",
            ),
            (
                ONE.to_owned(),
                "people:\n- {name: a, displayName: A, role: A, start: \"root:opm\", tour: [{title: A, text: A, to: \"https://a.test\"}]}\n"
                    .to_owned(),
                "people.yaml:2:84: .people[0].tour[0].to: https://a.test isn't an address",
            ),
            (
                ONE.to_owned(),
                "people: []\nrbac:\n- workspace: root:opm\n  objects:\n  - apiVersion: v1\n    kind: A\n".to_owned(),
                "people.yaml:5:5: .rbac[0].objects[0].metadata.name: is missing",
            ),
        ];
        for (workspaces, people, expected) in cases {
            let error = read(&workspaces, &people).unwrap_err();
            assert!(error.starts_with(expected), "{error}\nexpected {expected}");
        }
        let unknown = read(&format!("{ONE}colour: red\n"), "people: []\n").unwrap_err();
        assert!(unknown.starts_with("workspaces.yaml:5:") && unknown.contains("colour"), "{unknown}");
    }
}
