//! `opm-portal manifests`: the generated files under `deploy/`, printed, written or compared.

use std::io;
use std::path::Path;

/// Why the manifests cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ManifestsError {
    /// A value that YAML cannot say.
    #[error("the manifests cannot be written as YAML: {0}")]
    Yaml(String),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// Files in the directory differ from what this binary makes.
    #[error("these files are stale, write them anew with `cargo xtask gen`: {}", .0.join(", "))]
    Stale(Vec<String>),
}

/// All manifests, as one YAML stream.
///
/// # Errors
/// A value that YAML cannot say.
pub fn all() -> Result<String, ManifestsError> {
    Ok(files()?.into_iter().map(|(_, text)| text).collect())
}

/// Writes every manifest below `out`.
///
/// # Errors
/// A file cannot be written.
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
/// Some file is absent or differs; all of them are named.
pub fn check(out: &Path) -> Result<(), ManifestsError> {
    let stale: Vec<String> = files()?
        .into_iter()
        .filter(|(name, text)| std::fs::read_to_string(out.join(name)).ok().as_ref() != Some(text))
        .map(|(name, _)| name)
        .collect();
    if stale.is_empty() { Ok(()) } else { Err(ManifestsError::Stale(stale)) }
}

/// Names below the output directory, and texts.
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
