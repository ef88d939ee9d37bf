//! The recorded past of the sample world: a file of lines, compressed.

use std::io::{Read as _, Write as _};

use devplane::registry::GroupResource;
use devplane::store::Key;
use devplane::{ClusterId, Initial};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::observed::Observed;
use super::times;
use crate::sample::{Files, Manifest, RECORD_FILE, SampleError, World};

/// Path of the story below the examples.
pub const STORY: &str = "history/story.yaml";
/// What the message about an outdated record says to do.
pub const REMEDY: &str = "run `cargo xtask sample` to record the history of the sample world again";

/// A recorded past.
#[derive(Clone, Debug)]
pub struct Record {
    /// When it ends.
    pub end: Timestamp,
    /// Address of the plane that it was recorded on.
    pub url: String,
    /// [`fingerprint`] of the world that it was recorded in.
    pub world: String,
    /// Comments on requests.
    pub remarks: Vec<Remark>,
    /// What the cost ledger observed.
    pub observed: Vec<Observed>,
    /// The objects, in the order in which they are written.
    pub objects: Vec<Recorded>,
}

/// A comment on a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// uid of the request.
    pub request: String,
    /// Who wrote it.
    pub author: String,
    /// Text.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

/// A recorded object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// API group of its resource.
    pub group: String,
    /// Plural name of its resource.
    pub resource: String,
    /// Its logical cluster.
    pub cluster: String,
    /// The object.
    pub object: Value,
}

/// First line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    end: Timestamp,
    url: String,
    world: String,
    remarks: usize,
    observed: usize,
}

impl Record {
    /// Reads the record of a sample world; `None` if it has none.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn read(files: &Files) -> Result<Option<Self>, SampleError> {
        let Some(text) = text(files)? else { return Ok(None) };
        Self::parse(&text).map(Some)
    }

    /// Reads the record with all times moved so that it ends at `end`, and as if it had been recorded on the plane at `url`.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn read_moved(files: &Files, end: Timestamp, url: &str) -> Result<Option<Self>, SampleError> {
        let Some(text) = text(files)? else { return Ok(None) };
        let head = head(&text)?;
        let seconds = end.as_second() - head.end.as_second();
        Self::parse(&times::moved(&text, seconds).replace(&head.url, url)).map(Some)
    }

    fn parse(text: &str) -> Result<Self, SampleError> {
        let Head { end, url, world, remarks, observed } = head(text)?;
        let mut lines = text.lines().skip(1);
        Ok(Self {
            end,
            url,
            world,
            remarks: read(lines.by_ref().take(remarks))?,
            observed: read(lines.by_ref().take(observed))?,
            objects: read(lines)?,
        })
    }

    /// Returns the content of the file.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn bytes(&self) -> Result<Vec<u8>, SampleError> {
        let head = Head {
            end: self.end,
            url: self.url.clone(),
            world: self.world.clone(),
            remarks: self.remarks.len(),
            observed: self.observed.len(),
        };
        let mut lines = vec![serde_json::to_string(&head)];
        lines.extend(self.remarks.iter().map(serde_json::to_string));
        lines.extend(self.observed.iter().map(serde_json::to_string));
        lines.extend(self.objects.iter().map(serde_json::to_string));
        let text = lines.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| unreadable(&error))?.join("\n");
        let mut compressed = brotli::CompressorWriter::new(Vec::new(), 4_096, 11, 24);
        compressed.write_all(text.as_bytes()).map_err(|error| unreadable(&error))?;
        Ok(compressed.into_inner())
    }

    /// Returns the objects for a plane to begin with.
    pub fn into_initial(self) -> Vec<Initial> {
        self.objects.into_iter().filter_map(Recorded::into_initial).collect()
    }
}

impl Recorded {
    /// Returns the text of a field of its metadata; empty if there is none.
    pub fn text(&self, field: &str) -> &str {
        self.object.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Value::as_str).unwrap_or_default()
    }

    fn into_initial(self) -> Option<Initial> {
        let key = Key::new(&ClusterId::parse(&self.cluster)?, self.text("namespace"), self.text("name"));
        Some(Initial { resource: GroupResource::new(&self.group, &self.resource), key, object: self.object })
    }
}

/// Returns a digest of everything in a sample world that ends up on the plane: a record of another world isn't its past. What is said about
/// people isn't on the plane, so it can change without a new record.
///
/// # Errors
/// If a file can't be read.
pub fn fingerprint(world: &World, files: &Files) -> Result<String, SampleError> {
    let mut digest = Sha256::new();
    let mut add = |text: &str| {
        digest.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
        digest.update(text.as_bytes());
    };
    for workspace in &world.workspaces {
        add(&format!("{workspace:?}"));
        for pattern in &workspace.objects {
            for file in files.matching(pattern)? {
                for manifest in Manifest::read(&file, &files.read(&file)?).0 {
                    add(&manifest.object.to_string());
                }
            }
        }
    }
    for (path, manifest) in &world.rights {
        add(path.as_str());
        add(&manifest.object.to_string());
    }
    Ok(hex::encode(digest.finalize()))
}

fn text(files: &Files) -> Result<Option<String>, SampleError> {
    let Some(bytes) = files.record()? else { return Ok(None) };
    let mut text = String::new();
    brotli::Decompressor::new(&*bytes, 4_096).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    Ok(Some(text))
}

fn read<'a, T: serde::de::DeserializeOwned>(lines: impl Iterator<Item = &'a str>) -> Result<Vec<T>, SampleError> {
    lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(|error| unreadable(&error))
}

fn head(text: &str) -> Result<Head, SampleError> {
    serde_json::from_str(text.lines().next().unwrap_or_default()).map_err(|error| unreadable(&error))
}

fn unreadable(error: &dyn std::fmt::Display) -> SampleError {
    SampleError::File { file: RECORD_FILE.to_owned(), message: format!("{error}; {REMEDY}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_at_another_time_and_place() {
        let folder = tempfile::tempdir().unwrap();
        let end: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let object =
            serde_json::json!({"metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"}, "url": "https://a.test:1/x"});
        let recorded = Recorded { group: String::new(), resource: "things".into(), cluster: "root".into(), object };
        let remark = Remark { request: "uid".into(), author: "dev".into(), text: "Why?".into(), at: end };
        let record = Record {
            end,
            url: "https://a.test:1".into(),
            world: "w".into(),
            remarks: vec![remark],
            observed: vec![],
            objects: vec![recorded.clone()],
        };
        std::fs::create_dir(folder.path().join("history")).unwrap();
        let files = Files::Directory(folder.path().to_owned());
        assert!(Record::read(&files).unwrap().is_none());
        std::fs::write(folder.path().join(RECORD_FILE), record.bytes().unwrap()).unwrap();
        assert_eq!(Record::read(&files).unwrap().unwrap().objects, [recorded]);
        let later: Timestamp = "2026-01-03T03:04:05Z".parse().unwrap();
        let moved = Record::read_moved(&files, later, "https://b.test:2").unwrap().unwrap();
        assert_eq!((moved.end, moved.remarks[0].at), (later, later));
        assert_eq!(moved.objects[0].object["metadata"]["creationTimestamp"], "2026-01-02T00:00:00Z");
        assert_eq!(moved.objects[0].object["url"], "https://b.test:2/x");
    }
}
