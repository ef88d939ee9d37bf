//! Encryption of tokens (sealing): XChaCha20-Poly1305 with keys in a separate file, outside the database.
//!
//! A sealed value is `key id (4) | nonce (24) | ciphertext and tag`. The id identifies the key, so that keys can be rotated: add a new line
//! at the top of the file and restart; the first line seals, every line opens. The row that a value belongs to is included as associated
//! data, so a sealed token that is copied into another session's row can't be opened.

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use sha2::{Digest as _, Sha256};

use crate::random::{self, Random};
use crate::{Error, Result};

const KEY_ID: usize = 4;
const NONCE: usize = 24;

/// Permissions of everyone but the owner.
const GROUP_AND_OTHERS: u32 = 0o077;
/// Permissions of everyone but owner and group.
const OTHERS: u32 = 0o007;

/// The keys that seal and open.
pub struct SealKeys {
    /// The first one seals; all of them open. Never empty.
    keys: Vec<SealKey>,
}

struct SealKey {
    id: [u8; KEY_ID],
    cipher: XChaCha20Poly1305,
}

impl SealKey {
    fn new(bytes: &[u8; 32]) -> Self {
        let digest = Sha256::digest(bytes);
        let mut id = [0; KEY_ID];
        id.copy_from_slice(&digest[..KEY_ID]);
        Self { id, cipher: XChaCha20Poly1305::new(Key::from_slice(bytes)) }
    }
}

impl SealKeys {
    /// Creates a key that ends with the process, for in-memory databases.
    pub fn ephemeral(random: &dyn Random) -> Self {
        Self { keys: vec![SealKey::new(&random::bytes(random))] }
    }

    /// Reads the keys from `path`, or creates the file with one new key, readable only by its owner.
    ///
    /// # Errors
    /// If the file can't be read or created, is readable by others, or a line is not 64 hexadecimal digits.
    pub fn open(path: &Path, random: &dyn Random) -> Result<Self> {
        let failed = |source| Error::KeyFile { path: path.to_owned(), source };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => {
                if readable_by(path, GROUP_AND_OTHERS).map_err(failed)? {
                    return Err(Error::KeyExposed { path: path.to_owned() });
                }
                text
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let text = format!("{}\n", random::hex(&random::bytes::<32>(random)));
                create_private(path, &text).map_err(failed)?;
                text
            }
            Err(error) => return Err(failed(error)),
        };
        Self::parse(path, &text)
    }

    /// Reads the keys from a file that the operator provides, such as a mounted Secret. Its group can read it, because the files of a
    /// mounted Secret belong to root and a pod reads them by its group.
    ///
    /// # Errors
    /// If the file can't be read, is readable by everyone, or a line is not 64 hexadecimal digits.
    pub fn provided(path: &Path) -> Result<Self> {
        let failed = |source| Error::KeyFile { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(failed)?;
        if readable_by(path, OTHERS).map_err(failed)? {
            return Err(Error::KeyExposed { path: path.to_owned() });
        }
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self> {
        let mut keys = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bytes = random::unhex(line.trim()).ok_or_else(|| Error::KeyFormat { path: path.to_owned(), line: index + 1 })?;
            keys.push(SealKey::new(&bytes));
        }
        if keys.is_empty() {
            return Err(Error::KeyFormat { path: path.to_owned(), line: 1 });
        }
        Ok(Self { keys })
    }

    /// Seals `plain` for the row identified by `row`.
    pub(crate) fn seal(&self, plain: &[u8], row: &[u8], random: &dyn Random) -> Result<Vec<u8>> {
        let key = self.keys.first().ok_or(Error::Unsealable)?;
        let nonce = random::bytes::<NONCE>(random);
        let sealed = key.cipher.encrypt(XNonce::from_slice(&nonce), Payload { msg: plain, aad: row }).map_err(|_| Error::Unsealable)?;
        Ok([&key.id[..], &nonce, &sealed].concat())
    }

    /// Opens what [`Self::seal`] created for the same row.
    pub(crate) fn unseal(&self, sealed: &[u8], row: &[u8]) -> Result<Vec<u8>> {
        let (id, rest) = sealed.split_at_checked(KEY_ID).ok_or(Error::Unsealable)?;
        let (nonce, ciphertext) = rest.split_at_checked(NONCE).ok_or(Error::Unsealable)?;
        let key = self.keys.iter().find(|key| key.id == id).ok_or(Error::Unsealable)?;
        key.cipher.decrypt(XNonce::from_slice(nonce), Payload { msg: ciphertext, aad: row }).map_err(|_| Error::Unsealable)
    }
}

fn create_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(unix)]
fn readable_by(path: &Path, whose: u32) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::metadata(path)?.permissions().mode() & whose != 0)
}

#[cfg(not(unix))]
fn readable_by(_: &Path, _: u32) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded::Seeded;

    #[test]
    fn opens_only_for_its_row_and_unchanged() {
        let random = Seeded::default();
        let keys = SealKeys::ephemeral(&random);
        let sealed = keys.seal(b"token", b"row", &random).unwrap();
        assert_eq!(keys.unseal(&sealed, b"row").unwrap(), b"token");
        assert!(keys.unseal(&sealed, b"other row").is_err(), "bound to its row");
        assert!(!sealed.windows(5).any(|part| part == b"token"));
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert!(keys.unseal(&changed, b"row").is_err(), "byte {index} is protected");
        }
        assert!(keys.unseal(&sealed[..20], b"row").is_err());
    }

    #[test]
    fn a_new_first_line_seals_and_old_lines_still_open() {
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.key");
        let sealed = SealKeys::open(&path, &random).unwrap().seal(b"token", b"row", &random).unwrap();
        let old = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{}\n{old}", "ab".repeat(32))).unwrap();
        let rotated = SealKeys::open(&path, &random).unwrap();
        assert_eq!(rotated.unseal(&sealed, b"row").unwrap(), b"token");
        let newer = rotated.seal(b"token", b"row", &random).unwrap();
        std::fs::write(&path, old).unwrap();
        assert!(SealKeys::open(&path, &random).unwrap().unseal(&newer, b"row").is_err(), "sealed with the new key");
    }

    #[cfg(unix)]
    #[test]
    fn the_key_file_is_private_and_checked() {
        use std::os::unix::fs::PermissionsExt as _;
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.key");
        SealKeys::open(&path, &random).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(SealKeys::open(&path, &random), Err(Error::KeyExposed { .. })));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, format!("{}\nnot a key\n", "ab".repeat(32))).unwrap();
        assert!(matches!(SealKeys::open(&path, &random), Err(Error::KeyFormat { line: 2, .. })));
    }
    #[cfg(unix)]
    #[test]
    fn a_provided_file_is_neither_created_nor_open_to_everyone() {
        use std::os::unix::fs::PermissionsExt as _;
        let random = Seeded::default();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.key");
        assert!(matches!(SealKeys::provided(&path), Err(Error::KeyFile { .. })));
        assert!(!path.exists());
        std::fs::write(&path, "ab".repeat(32)).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o440)).unwrap();
        let sealed = SealKeys::provided(&path).unwrap().seal(b"token", b"row", &random).unwrap();
        assert_eq!(SealKeys::provided(&path).unwrap().unseal(&sealed, b"row").unwrap(), b"token", "another replica opens it");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
        assert!(matches!(SealKeys::provided(&path), Err(Error::KeyExposed { .. })));
    }
}
