//! The data directory: what is stored where, and what is private.

use std::fs::File;
use std::io::{self, Write as _};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::config::Storage;

/// The directory in which a process stores its files. In memory-only mode it is a temporary directory that is removed on exit.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    temporary: Option<tempfile::TempDir>,
    /// The file that one process at a time locks, if this is the one. The lock ends with the process at the latest, however that ends.
    lock: OnceLock<Option<Arc<File>>>,
}

/// The lock of a directory. Unless it is released, it stays until the process ends, whatever is dropped before.
#[derive(Debug)]
pub struct ProcessLock(ManuallyDrop<Arc<File>>);

impl ProcessLock {
    /// Unlocks the directory as soon as its [`Folder`] is dropped, too.
    pub fn release(self) {
        drop(ManuallyDrop::into_inner(self.0));
    }
}

impl Folder {
    /// Creates the directory if missing, and makes everything stored in it readable only by its owner, regardless of who created it.
    ///
    /// # Errors
    /// If it can't be created, or its contents belong to another user.
    pub fn open(storage: &Storage) -> io::Result<Self> {
        match storage {
            Storage::Directory(root) => {
                create_private_directory(root)?;
                let root = root.canonicalize()?;
                make_private(&root)?;
                Ok(Self { root, temporary: None, lock: OnceLock::new() })
            }
            Storage::Memory => {
                let temporary = tempfile::Builder::new().prefix("opm-portal-").tempdir()?;
                Ok(Self { root: temporary.path().to_owned(), temporary: Some(temporary), lock: OnceLock::new() })
            }
        }
    }

    /// Checks whether everything is discarded on exit.
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// Returns the path of the plane's objects.
    pub fn plane(&self) -> PathBuf {
        self.root.join("plane")
    }

    /// Returns the path of the certificates for the plane's TLS listener.
    pub fn tls(&self) -> PathBuf {
        self.root.join("tls")
    }

    /// Returns the path of the database with sessions and drafts. The file is created here, because SQLite would leave its permissions to
    /// the umask of the process; files that SQLite adds next to it get the same permissions.
    ///
    /// # Errors
    /// If it can't be created.
    pub fn private_database(&self) -> io::Result<PathBuf> {
        let path = self.database();
        private_file(&path).map(|_| path)
    }

    fn database(&self) -> PathBuf {
        self.root.join("portal.sqlite")
    }

    /// Returns the instance name of this directory, created on first use: the next process with the same directory counts as the same
    /// instance, and a process with another directory doesn't.
    ///
    /// # Errors
    /// If it can't be read or written.
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

    /// Returns a name that no other living process has. The first process that uses the directory on its host has the name of the one before,
    /// so that it is known after a crash; any other one has a new name.
    ///
    /// # Errors
    /// The errors of [`Folder::instance`].
    pub fn process(&self, random: &dyn store::Random) -> io::Result<String> {
        let instance = self.instance(random)?;
        if let Some(place) = self.locked() {
            return Ok(format!("{instance}-{place}"));
        }
        let mut bytes = [0; 4];
        random.fill(&mut bytes);
        Ok(format!("{instance}-{}", hex::encode(bytes)))
    }

    /// Returns the lock of the directory, if this process has got it by [`Folder::process`].
    pub fn lock(&self) -> Option<ProcessLock> {
        self.lock.get()?.clone().map(|file| ProcessLock(ManuallyDrop::new(file)))
    }

    /// Locks the directory, unless another process has locked it, and returns what tells it apart from a copy and from the same one on
    /// another host: locks of a network file system might not be seen there.
    fn locked(&self) -> Option<String> {
        let lock = || {
            let file = private_file(&self.root.join(LOCK)).ok()?;
            file.try_lock().is_ok().then(|| Arc::new(file))
        };
        let file = self.lock.get_or_init(lock).as_ref()?;
        Some(format!("{}-{}", host()?, number(file)?))
    }

    /// Returns the path of the key that seals tokens in the database.
    pub fn session_key(&self) -> PathBuf {
        self.root.join("session.key")
    }

    /// Returns the path of the bearer tokens of the plane's users.
    pub fn tokens(&self) -> PathBuf {
        self.root.join("tokens.json")
    }

    /// Returns the path of the file that says which past the sample world began with.
    pub fn history(&self) -> PathBuf {
        self.root.join("history.json")
    }

    /// Returns the path of the kubeconfig for kubectl.
    pub fn kubeconfig(&self) -> PathBuf {
        self.root.join("kubeconfig")
    }
}

/// Opens a file that only its owner can read, and creates it if it is missing.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns the name of this host: in a container, usually that of its pod.
fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Returns the number of a file on this host.
#[cfg(unix)]
fn number(file: &File) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let known = file.metadata().ok()?;
    Some(format!("{:x}{:x}", known.dev(), known.ino()))
}

#[cfg(not(unix))]
fn number(_: &File) -> Option<String> {
    None
}

/// Atomically writes a file that only its owner can read.
///
/// # Errors
/// If the file can't be written.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    // Temporary files are created with mode 0600, and the rename is atomic, so no reader sees a partial file.
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

/// The file that one process at a time locks.
const LOCK: &str = "process.lock";

/// Contents of a data directory: files, and directories that hold nothing else.
const KEPT: [&str; 11] = [
    "plane",
    "tls",
    "portal.sqlite",
    "portal.sqlite-wal",
    "portal.sqlite-shm",
    "instance",
    "session.key",
    "tokens.json",
    "history.json",
    "kubeconfig",
    LOCK,
];

/// Removes all permissions on a data directory and its own contents from everyone but the owner; other files in it are left alone.
#[cfg(unix)]
fn make_private(root: &Path) -> io::Result<()> {
    match set_mode(root) {
        // The root of a volume often belongs to another user. Its contents are made private all the same.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            tracing::warn!(folder = %root.display(), "the data folder belongs to another user, who decides who can open it");
        }
        other => other?,
    }
    let mut left: Vec<PathBuf> = KEPT.iter().map(|name| root.join(name)).collect();
    while let Some(path) = left.pop() {
        match std::fs::symlink_metadata(&path) {
            Ok(known) if known.is_symlink() => {}
            Ok(known) => {
                set_mode(&path)?;
                if known.is_dir() {
                    for entry in std::fs::read_dir(&path)? {
                        left.push(entry?.path());
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes the permissions of group and others, if they have any, and keeps the owner's.
#[cfg(unix)]
fn set_mode(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{} can't be made private: {error}", path.display()));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700)).map_err(named)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_folder_that_was_there_before_becomes_private_with_all_that_is_kept_in_it() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("data");
        for folder in [root.clone(), root.join("plane"), root.join("tls/old"), root.join("photos")] {
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        }
        for file in ["portal.sqlite", "portal.sqlite-wal", "plane/plane.redb", "tls/old/key.pem", "photos/cat.png"] {
            fs::write(root.join(file), "secret").unwrap();
            fs::set_permissions(root.join(file), Permissions::from_mode(0o644)).unwrap();
        }
        let folder = Folder::open(&Storage::Directory(root.clone())).unwrap();
        for private in ["", "plane", "tls", "tls/old"] {
            assert_eq!(mode(&root.join(private)), 0o700, "{private}");
        }
        for private in ["portal.sqlite", "portal.sqlite-wal", "plane/plane.redb", "tls/old/key.pem"] {
            assert_eq!(mode(&root.join(private)), 0o600, "{private}");
        }
        assert_eq!(mode(&root.join("photos/cat.png")), 0o644, "what is not ours is left alone");
        assert_eq!(fs::read_to_string(folder.private_database().unwrap()).unwrap(), "secret", "nothing is lost");
    }

    /// The controller leads under this name: two processes must not both consider the Lease their own, and one that crashed shouldn't keep
    /// its successor waiting.
    #[test]
    fn a_process_has_the_name_of_the_one_before_and_of_no_other_that_lives() {
        let outer = tempfile::tempdir().unwrap();
        let open = || Folder::open(&Storage::Directory(outer.path().join("data"))).unwrap();
        let random = crate::clock::System;
        let (first, second) = (open(), open());
        let instance = first.instance(&random).unwrap();
        assert_eq!(instance, second.instance(&random).unwrap());
        let [one, other] = [&first, &second].map(|folder| folder.process(&random).unwrap());
        assert!(one != other && [&one, &other].iter().all(|name| name.starts_with(&instance)), "{one} {other}");
        assert_eq!(first.process(&random).unwrap(), one);
        drop(first);
        assert_eq!(open().process(&random).unwrap(), one, "its lock ended with it");
    }

    #[test]
    fn a_new_database_is_private_from_the_beginning() {
        let outer = tempfile::tempdir().unwrap();
        let folder = Folder::open(&Storage::Directory(outer.path().join("new"))).unwrap();
        assert_eq!(mode(&folder.private_database().unwrap()), 0o600);
        assert_eq!(mode(&outer.path().join("new")), 0o700);
    }
}
