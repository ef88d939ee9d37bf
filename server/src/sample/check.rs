//! Checks every object of a sample world, or of files, before anything is written: [`promise::check`] has the rules, this module the
//! files.

use std::path::PathBuf;

use cluster::WorkspacePath;
use cluster::kinds::crds;
use promise::check::{self, Kinds, SourceFile, Terms, with_advice};
use promise::manifest::{Defect, Defects, Manifest};
use promise::policy;

use super::world::WORKSPACES;
use super::{Files, SampleError, World};

/// Returns the objects of a world with their workspaces, in the order in which they are written.
///
/// # Errors
/// All problems found in any of them.
pub fn world(world: &World, files: &Files) -> Result<Vec<(WorkspacePath, Manifest)>, SampleError> {
    let mut errors = Vec::new();
    let mut objects: Vec<(WorkspacePath, Manifest)> = Vec::new();
    for workspace in &world.workspaces {
        for pattern in &workspace.objects {
            for file in files.matching(pattern)? {
                let (manifests, wrong) = Manifest::read(&file, &files.read(&file)?);
                errors.extend(wrong);
                objects.extend(manifests.into_iter().map(|manifest| (workspace.path.clone(), manifest)));
            }
        }
    }
    let trusted = |path: &WorkspacePath| world.trusted_homes().any(|home| home == path);
    let kinds = Kinds::of(&crds());
    let of_home = |path: &WorkspacePath| Terms { trusted: trusted(path), on_kcp: true };
    errors.extend(objects.iter().flat_map(|(path, manifest)| check::object(manifest, &kinds, of_home(path))));
    errors.extend(check::duplicates(&objects));
    errors.extend(objects.iter().flat_map(|(path, manifest)| check::references(manifest, path, &objects)));
    errors.extend(check::workflows(&objects, of_home));
    errors.extend(check::policies(&objects, |place, home| policy::has_to_fit(place.as_str(), (home.as_str(), trusted(home)))));
    Defects::check(errors)?;
    Ok(objects)
}

/// Returns the report of `opm-portal check` for valid paths, with advice for the authors of promises: a folder with `workspaces.yaml` is a whole world, and anything else is a list
/// of files and folders of files.
///
/// # Errors
/// All problems found.
pub fn said(paths: &[PathBuf], trusted: bool, on_kcp: bool) -> Result<String, SampleError> {
    match paths {
        [folder] if folder.join(WORKSPACES).is_file() => {
            let files = Files::Directory(folder.clone());
            let world = World::read(&files)?;
            let objects = self::world(&world, &files)?;
            let (workspaces, people) = (world.workspaces.len(), world.people.len());
            let checked = format!("{}: {workspaces} workspaces, {people} people and {} objects are valid", folder.display(), objects.len());
            Ok(with_advice(objects.iter().map(|(_, manifest)| manifest), &checked))
        }
        _ => {
            let named: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            let sources: Vec<SourceFile> = below(paths)?.iter().map(source).collect();
            Ok(check::report(&sources, &named.join(", "), &Kinds::of(&crds()), Terms { trusted, on_kcp })?)
        }
    }
}

fn source(path: &PathBuf) -> SourceFile {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    SourceFile { name: path.display().to_string(), text }
}

/// Returns the files named by paths: files themselves, and all YAML and JSON files in folders at any depth.
fn below(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Defect> {
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() { folders.push(path.clone()) } else { found.push(path.clone()) }
    }
    while let Some(folder) = folders.pop() {
        let failed = |error: std::io::Error| Defect::of_file(&folder.display().to_string(), error.to_string());
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            // Links to folders aren't followed, because they might form a loop.
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| ["yaml", "yml", "json"].iter().any(|known| kind == *known)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests;
