//! `opm-portal manifests`: prints, writes or compares the generated files below `deploy/`.

use std::io;
use std::path::Path;

/// Why the manifests can't be generated, written or compared.
#[derive(Debug, thiserror::Error)]
pub enum ManifestsError {
    /// A value can't be expressed in YAML.
    #[error("the manifests cannot be written as YAML: {0}")]
    Yaml(String),
    /// A file can't be read or written.
    #[error("{path}: {source}")]
    File {
        /// Path of the file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// Files in the directory differ from the ones that this binary generates.
    #[error("these files are out of date, regenerate them with `cargo xtask gen`: {}", .0.join(", "))]
    Stale(Vec<String>),
}

/// Returns all manifests as one YAML stream.
///
/// # Errors
/// If a value can't be expressed in YAML.
pub fn all() -> Result<String, ManifestsError> {
    Ok(files()?.into_iter().map(|(_, text)| text).collect())
}

/// Writes every manifest below `out`.
///
/// # Errors
/// If a file can't be written.
pub fn write(out: &Path) -> Result<(), ManifestsError> {
    for (name, text) in files()? {
        let path = out.join(&name);
        let failed = |source| ManifestsError::File { path: path.display().to_string(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(&path, text).map_err(failed)?;
    }
    Ok(())
}

/// Compares every manifest with the file below `out`.
///
/// # Errors
/// If any file is missing or differs; the error names all of them.
pub fn check(out: &Path) -> Result<(), ManifestsError> {
    let stale: Vec<String> = files()?
        .into_iter()
        .filter(|(name, text)| std::fs::read_to_string(out.join(name)).ok().as_ref() != Some(text))
        .map(|(name, _)| name)
        .collect();
    if stale.is_empty() { Ok(()) } else { Err(ManifestsError::Stale(stale)) }
}

/// Returns the file names, relative to the output directory, and their contents.
fn files() -> Result<Vec<(String, String)>, ManifestsError> {
    let files = cluster::install::files().map_err(|error| ManifestsError::Yaml(error.to_string()))?;
    Ok(files.into_iter().map(|(path, text)| (path.strip_prefix("deploy/").unwrap_or(&path).to_owned(), text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_not_stale_and_a_change_is_named() {
        let out = tempfile::tempdir().unwrap();
        assert!(check(out.path()).is_err());
        write(out.path()).unwrap();
        check(out.path()).unwrap();
        std::fs::write(out.path().join("crds/promises.yaml"), "changed").unwrap();
        assert!(check(out.path()).unwrap_err().to_string().ends_with("crds/promises.yaml"));
    }
}
