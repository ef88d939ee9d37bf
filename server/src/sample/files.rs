//! Where the files of a sample world come from: this binary, or a directory.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::SampleError;

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// The files of a sample world, by path below its root.
#[derive(Clone, Debug)]
pub enum Files {
    /// The examples as they were when this binary was built.
    BuiltIn,
    /// Those of a directory.
    Directory(PathBuf),
}

impl Files {
    /// The text of one file.
    ///
    /// # Errors
    /// It is not there, or not text.
    pub fn read(&self, file: &str) -> Result<Cow<'static, str>, SampleError> {
        let missing = |message: String| SampleError::File { file: file.to_owned(), message };
        match self {
            Self::BuiltIn => EXAMPLES
                .iter()
                .find(|(name, _)| *name == file)
                .map(|(_, text)| Cow::Borrowed(*text))
                .ok_or_else(|| missing("there is no such file".to_owned())),
            Self::Directory(root) => std::fs::read_to_string(root.join(file)).map(Cow::Owned).map_err(|error| missing(error.to_string())),
        }
    }

    /// `name` itself when it is a file, else the YAML files below the folder `name`, in order.
    ///
    /// # Errors
    /// There is neither.
    pub fn expand(&self, name: &str) -> Result<Vec<String>, SampleError> {
        let mut found = match self {
            Self::BuiltIn => EXAMPLES
                .iter()
                .map(|(file, _)| (*file).to_owned())
                .filter(|file| file == name || file.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
                .collect(),
            Self::Directory(root) => {
                let mut files = Vec::new();
                walk(root, Path::new(name), &mut files)
                    .map_err(|error| SampleError::File { file: name.to_owned(), message: error.to_string() })?;
                files
            }
        };
        if found.is_empty() {
            return Err(SampleError::File {
                file: name.to_owned(),
                message: "there is no such file, and no folder with YAML files".to_owned(),
            });
        }
        found.sort();
        Ok(found)
    }
}

fn walk(root: &Path, below: &Path, files: &mut Vec<String>) -> std::io::Result<()> {
    let whole = root.join(below);
    if whole.is_dir() {
        for entry in std::fs::read_dir(whole)? {
            walk(root, &below.join(entry?.file_name()), files)?;
        }
    } else if whole.is_file() && below.extension().is_some_and(|extension| extension == "yaml") {
        files.push(below.to_string_lossy().replace('\\', "/"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_holds_what_the_directory_holds() {
        let directory = Files::Directory(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"));
        assert_eq!(Files::BuiltIn.expand("access").unwrap(), directory.expand("access").unwrap());
        assert_eq!(Files::BuiltIn.read("world.yaml").unwrap(), directory.read("world.yaml").unwrap());
        for files in [Files::BuiltIn, directory] {
            assert!(files.expand("nothing").is_err());
            assert!(files.read("nothing.yaml").is_err());
        }
    }
}
