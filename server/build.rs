//! Puts the sample world of `examples/` into the binary, as a table of path and text, and its recorded history.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Path of the recorded history below the examples.
const RECORD: &str = "history/recorded.jsonl.br";

fn main() -> io::Result<()> {
    let examples = Path::new("../examples").canonicalize()?;
    println!("cargo:rerun-if-changed=../examples");
    let mut files = Vec::new();
    walk(&examples, &mut files)?;
    files.sort();
    #[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]
    let out = env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    let mut table = fs::File::create(out.join("examples.rs"))?;
    writeln!(table, "/// The sample world, by path.\nconst EXAMPLES: &[(&str, &str)] = &[")?;
    for file in files {
        let name = file.strip_prefix(&examples).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        // Named from the manifest, because a build folder may be shared by several checkouts.
        writeln!(table, "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?}))),", format!("/../examples/{name}"))?;
    }
    writeln!(table, "];")?;
    writeln!(table, "/// The recorded history of the sample world, compressed.\nconst RECORD: Option<&[u8]> =")?;
    // A build that has none must be able to record the first one.
    if examples.join(RECORD).is_file() {
        writeln!(table, "    Some(include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})));", format!("/../examples/{RECORD}"))
    } else {
        writeln!(table, "    None;")
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}
