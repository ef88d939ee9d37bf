//! The file of `--authentication-config`, which says whose tokens the embedded plane accepts. It is the file of kube-apiserver's option.

use std::io;
use std::path::{Path, PathBuf};

use devplane::{AuthenticationConfiguration, ConfigurationError};

/// Why the file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// It can't be read.
    #[error("--authentication-config: can't read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It isn't a valid configuration.
    #[error("--authentication-config: {path} can't be used: {source}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Each problem, with its field and the fix.
        source: ConfigurationError,
    },
}

/// Reads the file. Without one, only the plane's own tokens are accepted.
///
/// # Errors
/// If it can't be read, or is invalid.
pub fn read(path: Option<&Path>) -> Result<AuthenticationConfiguration, AuthenticationError> {
    let Some(path) = path else { return Ok(AuthenticationConfiguration::default()) };
    let text = std::fs::read_to_string(path).map_err(|source| AuthenticationError::Read { path: path.to_owned(), source })?;
    AuthenticationConfiguration::parse(&text).map_err(|source| AuthenticationError::Invalid { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_names_the_option_the_file_and_the_field() {
        assert!(read(None).unwrap().jwt.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("authentication.yaml");
        let said = || read(Some(&file)).map(|read| read.jwt.len()).map_err(|error| error.to_string());
        assert!(said().unwrap_err().starts_with("--authentication-config: can't read"), "{:?}", said());
        let head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
        std::fs::write(&file, format!("{head}jwt:\n- issuer: {{url: http://idp.example, audiences: [portal]}}\n")).unwrap();
        let why = said().unwrap_err();
        assert!(why.contains("authentication.yaml can't be used: jwt[0].issuer.url: Invalid value: \"http://idp.example\""), "{why}");
        assert!(why.contains("jwt[0].claimMappings.username: Required value"), "{why}");
        let mappings = "  claimMappings: {username: {claim: sub, prefix: \"idp:\"}}\n";
        std::fs::write(&file, format!("{head}jwt:\n- issuer: {{url: https://idp.example, audiences: [portal]}}\n{mappings}")).unwrap();
        assert_eq!(said(), Ok(1));
    }
}
