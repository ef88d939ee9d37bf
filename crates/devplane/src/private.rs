//! Secrets, and the key that signs tokens, are for the user alone whose process this is: whoever made file and folder.

use std::{fs, io, path::Path};

/// Makes a folder that nobody else can look into. One that is there is closed to others, unless it is meant for everybody, as `/tmp` is,
/// or belongs to somebody else: then its file is private all the same.
pub fn folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        const SHARED: u32 = 0o1000;
        let permissions = fs::metadata(path)?.permissions();
        if permissions.mode() & SHARED == 0 && permissions.mode() & 0o077 != 0 {
            match fs::set_permissions(path, fs::Permissions::from_mode(0o700)) {
                Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Makes a file that nobody else can read, or closes one that is there to others.
pub fn file(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(0o600).open(path)?;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
    }
    #[cfg(not(unix))]
    options.open(path)?;
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn file_and_folder_are_private_whoever_made_them() {
        let above = tempfile::tempdir().unwrap();
        let (new, old) = (above.path().join("a/b"), above.path().join("old"));
        fs::create_dir(&old).unwrap();
        fs::write(old.join("plane.redb"), "").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(old.join("plane.redb"), fs::Permissions::from_mode(0o644)).unwrap();
        for directory in [&new, &old] {
            folder(directory).unwrap();
            file(&directory.join("plane.redb")).unwrap();
            assert_eq!((mode(directory), mode(&directory.join("plane.redb"))), (0o700, 0o600), "{directory:?}");
        }
        fs::set_permissions(&old, fs::Permissions::from_mode(0o1777)).unwrap();
        folder(&old).unwrap();
        assert_eq!(mode(&old), 0o1777, "a folder for everybody stays one");
    }
}
