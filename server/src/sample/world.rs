//! `world.yaml`: people and workspaces of a sample world.

use cluster::WorkspacePath;
use serde::Deserialize;

use super::{Files, SampleError};

/// A sample world.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct World {
    /// Workspace that exports the API.
    pub provider: WorkspacePath,
    /// Homes that may offer across the tree and own Destinations.
    pub trusted_homes: Vec<WorkspacePath>,
    /// Who can sign in.
    pub people: Vec<Person>,
    /// What is made, parents first.
    pub workspaces: Vec<SampleWorkspace>,
}

/// Somebody who can sign in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Person {
    /// Username on the plane.
    pub name: String,
    /// Role, for people.
    pub title: String,
    /// What the person is there for, in a sentence.
    pub description: String,
    /// Groups on the plane.
    #[serde(default)]
    pub groups: Vec<String>,
}

/// A workspace of a sample world.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SampleWorkspace {
    /// Where it is.
    pub path: WorkspacePath,
    /// Name for people.
    pub title: String,
    /// Which parts of the API are enabled.
    #[serde(default)]
    pub binds: Vec<Part>,
    /// Files, or folders of files, with objects that are written into it.
    #[serde(default)]
    pub objects: Vec<String>,
}

/// A part of the API that a workspace enables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// What consumers need.
    Requests,
    /// What homes and governing workspaces need besides.
    Catalog,
}

const FILE: &str = "world.yaml";

impl World {
    /// Reads and checks `world.yaml`.
    ///
    /// # Errors
    /// The file is not there or does not fit; the error names line and field.
    pub fn read(files: &Files) -> Result<Self, SampleError> {
        let text = files.read(FILE)?;
        let world: Self = serde_saphyr::from_str(&text).map_err(|error| super::manifest::unreadable(FILE, 1, &error))?;
        let content = |path: &str, message: String| SampleError::Content {
            file: FILE.to_owned(),
            line: super::locate::line(&text, path),
            field: path.to_owned(),
            message,
        };
        for (index, person) in world.people.iter().enumerate() {
            if world.people.iter().take(index).any(|earlier| earlier.name == person.name) {
                return Err(content(&format!(".people[{index}].name"), format!("\"{}\" is there twice", person.name)));
            }
            if person.name.starts_with("system:") || RESERVED.contains(&person.name.as_str()) {
                return Err(content(&format!(".people[{index}].name"), format!("\"{}\" is reserved", person.name)));
            }
        }
        for (index, workspace) in world.workspaces.iter().enumerate() {
            let known =
                |path: &WorkspacePath| *path == WorkspacePath::root() || world.workspaces.iter().take(index).any(|w| w.path == *path);
            if !workspace.path.parent().is_some_and(|parent| known(&parent)) {
                return Err(content(
                    &format!(".workspaces[{index}].path"),
                    format!("the parent of {} must come before it", workspace.path),
                ));
            }
        }
        if !world.workspaces.iter().any(|workspace| workspace.path == world.provider) {
            return Err(content(".provider", format!("{} is not among the workspaces", world.provider)));
        }
        Ok(world)
    }
}

/// Names of the identities that the portal brings itself.
const RESERVED: [&str; 4] = [
    super::super::plane::identity::ADMIN,
    super::super::plane::identity::PORTAL,
    super::super::plane::identity::CONTROLLER,
    super::super::plane::identity::OPERATOR,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<World, String> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(FILE), text).unwrap();
        World::read(&Files::Directory(directory.path().to_owned())).map_err(|error| error.to_string())
    }

    #[test]
    fn the_built_in_world_fits() {
        let world = World::read(&Files::BuiltIn).unwrap();
        for name in ["dev-shop", "dev-data", "viewer-shop", "approver", "platform-engineer", "org-owner", "finance"] {
            assert!(world.people.iter().any(|person| person.name == name), "{name}");
        }
    }

    #[test]
    fn errors_name_file_line_and_field() {
        let start = "provider: root:opm\ntrustedHomes: []\n";
        let twice =
            format!("{start}people:\n- {{name: a, title: A, description: A}}\n- name: a\n  title: A\n  description: A\nworkspaces: []\n");
        assert_eq!(read(&twice).unwrap_err(), "world.yaml, line 5: .people[1].name: \"a\" is there twice");
        let orphan = format!("{start}people: []\nworkspaces:\n- path: root:a:b\n  title: B\n");
        assert_eq!(read(&orphan).unwrap_err(), "world.yaml, line 5: .workspaces[0].path: the parent of root:a:b must come before it");
        let unknown = format!("{start}people: []\nworkspaces: []\ncolour: red\n");
        let unknown = read(&unknown).unwrap_err();
        assert!(unknown.starts_with("world.yaml, line 5: ") && unknown.contains("colour"), "{unknown}");
        let reserved = format!("{start}people:\n- {{name: plane-admin, title: A, description: A}}\nworkspaces: []\n");
        assert!(read(&reserved).unwrap_err().contains("reserved"));
    }
}
