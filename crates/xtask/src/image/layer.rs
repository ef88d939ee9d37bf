//! One layer: a tar file whose bytes follow from its entries alone.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// User and group of the portal in a container.
pub const NOBODY: u64 = 65532;

/// A file or folder in a layer.
pub enum Entry {
    /// A folder that everyone can read.
    Folder,
    /// A folder of the portal's own user.
    OwnFolder,
    /// A folder in which every user can write.
    SharedFolder,
    /// A file that everyone can read.
    File(Vec<u8>),
    /// A file that everyone can run.
    Program(Vec<u8>),
}

/// Entries by path, without a leading slash. The order is that of the paths, so that a folder comes before what is in it.
pub type Entries = BTreeMap<String, Entry>;

/// A layer, as it is stored and as it is unpacked.
pub struct Layer {
    /// What it contains, for people.
    pub name: &'static str,
    /// The tar file.
    pub unpacked: Vec<u8>,
    /// The compressed tar file.
    pub packed: Vec<u8>,
}

impl Layer {
    /// Packs entries. Folders that lead to an entry are added.
    pub fn of(name: &'static str, mut entries: Entries) -> Result<Self> {
        let paths: Vec<String> = entries.keys().cloned().collect();
        for path in paths {
            for (end, _) in path.match_indices('/') {
                entries.entry(path[..end].to_owned()).or_insert(Entry::Folder);
            }
        }
        let mut tar = tar::Builder::new(Vec::new());
        for (path, entry) in &entries {
            append(&mut tar, path, entry)?;
        }
        let unpacked = tar.into_inner()?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&unpacked)?;
        Ok(Self { name, unpacked, packed: packed.finish()? })
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: &[u8]| bytes.len() as f64 / 1_000_000.0;
        write!(
            f,
            "{:<8} {:>6.1} MB, {:>5.1} MB compressed, {}",
            self.name,
            megabytes(&self.unpacked),
            megabytes(&self.packed),
            digest(&self.packed)
        )
    }
}

fn append(tar: &mut tar::Builder<Vec<u8>>, path: &str, entry: &Entry) -> Result<()> {
    let (kind, mode, content): (_, _, &[u8]) = match entry {
        Entry::Folder => (tar::EntryType::Directory, 0o755, &[]),
        Entry::OwnFolder => (tar::EntryType::Directory, 0o700, &[]),
        Entry::SharedFolder => (tar::EntryType::Directory, 0o1777, &[]),
        Entry::File(content) => (tar::EntryType::Regular, 0o644, content),
        Entry::Program(content) => (tar::EntryType::Regular, 0o755, content),
    };
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(0);
    let owner = if matches!(entry, Entry::OwnFolder) { NOBODY } else { 0 };
    header.set_uid(owner);
    header.set_gid(owner);
    header.set_size(content.len() as u64);
    match entry {
        Entry::Folder | Entry::OwnFolder | Entry::SharedFolder => tar.append_data(&mut header, format!("{path}/"), content)?,
        Entry::File(_) | Entry::Program(_) => tar.append_data(&mut header, path, content)?,
    }
    Ok(())
}

/// Returns the digest of a blob, as images refer to it.
pub fn digest(blob: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(blob)))
}
