//! Where chains end, outside of the database: a file to which lines are only appended.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use promise::audit::AuditAnchor;

/// The file.
#[derive(Debug)]
pub struct AnchorFile(File);

impl AnchorFile {
    /// Opens the file, creating it if it doesn't exist.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn open(path: &Path) -> io::Result<Self> {
        OpenOptions::new().create(true).append(true).open(path).map(Self)
    }

    /// Appends an anchor as a line of JSON.
    pub(super) fn append(&mut self, anchor: &AuditAnchor) -> io::Result<()> {
        let mut line = serde_json::to_vec(anchor)?;
        line.push(b'\n');
        self.0.write_all(&line)?;
        self.0.sync_data()
    }
}

/// Reads the anchors of a file.
///
/// # Errors
/// If it can't be read, or a line isn't an anchor.
pub(crate) fn read(path: &Path) -> io::Result<Vec<AuditAnchor>> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| io::Error::other(format!("{error} in the line {line}")))).collect()
}
