//! The data directory: what is kept where, and what is private.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::config::Storage;

/// The directory in which a process keeps its files. In memory-only operation it is a temporary one, removed at the end.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Folder {
    /// Makes the directory, readable by its owner alone, unless it is there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open(storage: &Storage) -> io::Result<Self> {
        match storage {
            Storage::Directory(root) => {
                create_private_directory(root)?;
                Ok(Self { root: root.canonicalize()?, temporary: None })
            }
            Storage::Memory => {
                let temporary = tempfile::Builder::new().prefix("opm-portal-").tempdir()?;
                Ok(Self { root: temporary.path().to_owned(), temporary: Some(temporary) })
            }
        }
    }

    /// Whether everything is forgotten at the end.
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// The plane's objects.
    pub fn plane(&self) -> PathBuf {
        self.root.join("plane")
    }

    /// Certificates of the plane's TLS listener.
    pub fn tls(&self) -> PathBuf {
        self.root.join("tls")
    }

    /// Sessions and drafts.
    pub fn database(&self) -> PathBuf {
        self.root.join("portal.sqlite")
    }

    /// The name of whoever runs from this directory, made the first time: the next process of the directory is taken for the same one, and
    /// that of another directory is not.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn instance(&self, random: &dyn store::Random) -> io::Result<String> {
        let path = self.root.join("instance");
        match std::fs::read_to_string(&path) {
            Ok(name) => Ok(name.trim().to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut bytes = [0; 8];
                random.fill(&mut bytes);
                let name = format!("opm-portal-{}", hex::encode(bytes));
                write_private(&path, &name)?;
                Ok(name)
            }
            Err(error) => Err(error),
        }
    }

    /// The key that seals tokens in the database.
    pub fn session_key(&self) -> PathBuf {
        self.root.join("session.key")
    }

    /// Bearer tokens of the plane's users.
    pub fn tokens(&self) -> PathBuf {
        self.root.join("tokens.json")
    }

    /// For kubectl.
    pub fn kubeconfig(&self) -> PathBuf {
        self.root.join("kubeconfig")
    }
}

/// Writes a file that its owner alone may read, whole or not at all.
///
/// # Errors
/// The system refuses.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    // Temporary files are made with mode 0600, and the rename is atomic: nobody sees half a file.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
