//! What `opm` remembers in the user's config directory: the portal, the workspace and the context, and tokens in a file of their own that
//! only the user can read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use jiff::Timestamp;
use promise::rest::SignInProvider;
use serde::{Deserialize, Serialize};

use crate::Error;

const SETTINGS: &str = "settings.json";
const CREDENTIALS: &str = "credentials.json";
/// File whose lock is held while a token is renewed: a refresh token counts once.
const LOCK: &str = "credentials.lock";

/// Choices that hold for later commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Address of the portal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub portal: Option<String>,
    /// Kubeconfig file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Path of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

/// A token for one portal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    /// The bearer token.
    pub token: String,
    /// How it was got, if from an identity provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SignedIn>,
}

/// A sign-in at an identity provider, from which the next tokens come.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// The provider, as the portal named it.
    pub provider: SignInProvider,
    /// The provider's id of the person.
    pub subject: String,
    /// When the token expires.
    pub expires: Timestamp,
    /// Gets the next tokens. Absent if the provider issues none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credential")
    }
}

/// The config directory.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Uses this directory, or the one that the system has for it, such as `~/.config/opm`.
    pub fn open(folder: Option<&Path>) -> Self {
        let usual = || etcetera::choose_base_strategy().map_or_else(|_| PathBuf::from(".opm"), |system| system.config_dir().join("opm"));
        Self { folder: folder.map_or_else(usual, Path::to_owned) }
    }

    /// Returns the settings.
    ///
    /// # Errors
    /// If they can't be read.
    pub fn settings(&self) -> Result<Settings, Error> {
        self.read(SETTINGS)
    }

    /// Writes the settings.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn save(&self, settings: &Settings) -> Result<(), Error> {
        self.write(SETTINGS, settings)
    }

    /// Returns the token for a portal.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn credential(&self, portal: &str) -> Result<Option<Credential>, Error> {
        let mut all: BTreeMap<String, Credential> = self.read(CREDENTIALS)?;
        Ok(all.remove(portal))
    }

    /// Keeps a token for a portal, or forgets it.
    ///
    /// # Errors
    /// If the file can't be read or written.
    pub fn keep(&self, portal: &str, credential: Option<Credential>) -> Result<(), Error> {
        let mut all: BTreeMap<String, Credential> = self.read(CREDENTIALS)?;
        match credential {
            Some(credential) => all.insert(portal.to_owned(), credential),
            None => all.remove(portal),
        };
        self.write(CREDENTIALS, &all)
    }

    /// Waits until no other command renews a token, and keeps others waiting until the file is dropped.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn lock(&self) -> Result<fs::File, Error> {
        let path = self.folder.join(LOCK);
        let failed = Error::file(&path);
        fs::create_dir_all(&self.folder).map_err(&failed)?;
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(&failed)?;
        file.lock().map_err(&failed)?;
        Ok(file)
    }

    fn read<T: Default + for<'de> Deserialize<'de>>(&self, name: &str) -> Result<T, Error> {
        let path = self.folder.join(name);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(T::default()),
            Err(error) => return Err(Error::file(&path)(error)),
        };
        serde_json::from_str(&text).map_err(|error| Error::file(&path)(error.into()))
    }

    /// Writes a file as a whole, readable by the user alone from the first byte on.
    fn write<T: Serialize>(&self, name: &str, value: &T) -> Result<(), Error> {
        let path = self.folder.join(name);
        let failed = Error::file(&path);
        let text = serde_json::to_string_pretty(value).map_err(|error| failed(error.into()))?;
        fs::create_dir_all(&self.folder).map_err(&failed)?;
        let beside = self.folder.join(format!("{name}.new"));
        // A leftover of an interrupted write could have other permissions.
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&beside).map_err(&failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(&failed)?;
        fs::rename(&beside, &path).map_err(&failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_kept_for_one_portal_and_readable_by_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(Some(&folder.path().join("opm")));
        assert_eq!(store.settings().unwrap(), Settings::default());
        assert_eq!(store.credential("https://a.example").unwrap(), None);
        let credential = Credential { token: "s3cret".into(), from: None };
        store.keep("https://a.example", Some(credential.clone())).unwrap();
        assert_eq!(store.credential("https://a.example").unwrap().as_ref(), Some(&credential));
        assert_eq!(store.credential("https://b.example").unwrap(), None);
        assert!(!format!("{credential:?}").contains("s3cret"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let file = folder.path().join("opm").join(CREDENTIALS);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            store.keep("https://b.example", Some(credential)).unwrap();
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        store.keep("https://a.example", None).unwrap();
        assert_eq!(store.credential("https://a.example").unwrap(), None);
        assert!(store.credential("https://b.example").is_ok());
    }

    #[test]
    fn settings_are_read_as_they_were_saved_and_a_broken_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(Some(folder.path()));
        let settings = Settings { portal: Some("https://a.example".into()), workspace: Some("root:acme".into()), ..Settings::default() };
        store.save(&settings).unwrap();
        assert_eq!(store.settings().unwrap(), settings);
        fs::write(folder.path().join(SETTINGS), "{").unwrap();
        assert!(store.settings().unwrap_err().to_string().contains("settings.json: "));
    }
}
