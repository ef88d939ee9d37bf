//! Sources of a sample world's files: this binary, or a directory.

use std::borrow::Cow;
use std::path::PathBuf;

use super::SampleError;

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// Path of the recorded history below the examples.
pub const RECORD_FILE: &str = "history/recorded.jsonl.br";

/// The files of a sample world, addressed by their path below its root.
#[derive(Clone, Debug)]
pub enum Files {
    /// The examples at the time when this binary was built.
    BuiltIn,
    /// The files of a directory.
    Directory(PathBuf),
}

impl Files {
    /// Returns the text of a file.
    ///
    /// # Errors
    /// If it is missing or not text.
    pub fn read(&self, file: &str) -> Result<Cow<'static, str>, SampleError> {
        let missing = |message: String| SampleError::File { file: file.to_owned(), message };
        match self {
            Self::BuiltIn => EXAMPLES
                .iter()
                .find(|(name, _)| *name == file)
                .map(|(_, text)| Cow::Borrowed(*text))
                .ok_or_else(|| missing("file not found".to_owned())),
            Self::Directory(root) => std::fs::read_to_string(root.join(file)).map(Cow::Owned).map_err(|error| missing(error.to_string())),
        }
    }

    /// Returns the recorded history of the sample world, compressed; `None` if it has none.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn record(&self) -> Result<Option<Cow<'static, [u8]>>, SampleError> {
        match self {
            Self::BuiltIn => Ok(RECORD.map(Cow::Borrowed)),
            Self::Directory(root) => match std::fs::read(root.join(RECORD_FILE)) {
                Ok(bytes) => Ok(Some(Cow::Owned(bytes))),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(SampleError::File { file: RECORD_FILE.to_owned(), message: error.to_string() }),
            },
        }
    }

    /// Returns the files that match `pattern`, sorted: one file, or with `*` in the last segment all matching files of a folder.
    ///
    /// # Errors
    /// If there is none, or the folder can't be read.
    pub fn matching(&self, pattern: &str) -> Result<Vec<String>, SampleError> {
        let failed = |message: String| SampleError::File { file: pattern.to_owned(), message };
        let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let fits = |candidate: &str| match name.split_once('*') {
            Some((before, after)) => {
                candidate.len() >= before.len() + after.len() && candidate.starts_with(before) && candidate.ends_with(after)
            }
            None => candidate == name,
        };
        let mut found = match self {
            Self::BuiltIn => EXAMPLES
                .iter()
                .filter(|(file, _)| {
                    let (of, candidate) = file.rsplit_once('/').unwrap_or(("", file));
                    of == folder && fits(candidate)
                })
                .map(|(file, _)| (*file).to_owned())
                .collect::<Vec<_>>(),
            Self::Directory(root) => {
                let mut files = Vec::new();
                for entry in std::fs::read_dir(root.join(folder)).map_err(|error| failed(error.to_string()))? {
                    let candidate = entry.map_err(|error| failed(error.to_string()))?.file_name();
                    if let Some(candidate) = candidate.to_str().filter(|candidate| fits(candidate)) {
                        files.push(if folder.is_empty() { candidate.to_owned() } else { format!("{folder}/{candidate}") });
                    }
                }
                files
            }
        };
        if found.is_empty() {
            return Err(failed("no file matches".to_owned()));
        }
        found.sort();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_binary_holds_what_the_directory_holds() {
        let directory = Files::Directory(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"));
        assert_eq!(Files::BuiltIn.matching("*.yaml").unwrap(), directory.matching("*.yaml").unwrap());
        assert_eq!(Files::BuiltIn.matching("people.yaml").unwrap(), ["people.yaml"]);
        assert_eq!(Files::BuiltIn.read("people.yaml").unwrap(), directory.read("people.yaml").unwrap());
        for files in [Files::BuiltIn, directory] {
            assert!(files.matching("nothing/*.yaml").is_err());
            assert!(files.read("nothing.yaml").is_err());
        }
    }
}
