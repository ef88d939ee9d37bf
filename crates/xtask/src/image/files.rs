//! What is in the image.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::layer::{Entries, Entry};
use super::read;

/// Where the binary is.
pub const PROGRAM: &str = "usr/local/bin/opm-portal";
/// The default data folder.
pub const DATA: &str = "data";

const MAGIC: [u8; 4] = *b"\x7fELF";

/// The binary alone: the layer that changes with each version.
pub fn program(binary: &Path) -> Result<Entries> {
    Ok(BTreeMap::from([(PROGRAM.to_owned(), Entry::Program(read(binary)?))]))
}

/// Everything that the binary needs from a system.
pub fn system(binary: &Path, certificates: &Path) -> Result<Entries> {
    let mut entries = BTreeMap::from([
        (DATA.to_owned(), Entry::OwnFolder),
        ("tmp".to_owned(), Entry::SharedFolder),
        ("etc/ssl/certs/ca-certificates.crt".to_owned(), Entry::File(read(certificates)?)),
    ]);
    let texts = [
        ("etc/passwd", "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n"),
        ("etc/group", "root:x:0:\nnonroot:x:65532:\n"),
        ("etc/nsswitch.conf", "hosts: files dns\n"),
        ("etc/os-release", "ID=opm-portal\nNAME=\"OPM Portal\"\n"),
    ];
    entries.extend(texts.map(|(path, text)| (path.to_owned(), Entry::File(text.into()))));
    for library in libraries(binary)? {
        let path = library.to_string_lossy().trim_start_matches('/').to_owned();
        // The loader looks for the name that the binary has, whatever it links to here.
        entries.insert(path, Entry::Program(read(&library)?));
    }
    Ok(entries)
}

/// Returns the shared libraries of a binary, and the loader that it names. A binary that is linked statically has none.
fn libraries(binary: &Path) -> Result<Vec<PathBuf>> {
    if !read(binary)?.starts_with(&MAGIC) {
        return Ok(Vec::new());
    }
    let output = Command::new("ldd").arg(binary).output().context("cannot start ldd, which lists the libraries of a binary")?;
    // For a binary without libraries, no line has a path.
    listed(&String::from_utf8_lossy(&output.stdout))
}

/// Reads the output of ldd: `name => path (address)`, or `path (address)` for the loader. What the kernel provides has no path.
fn listed(said: &str) -> Result<Vec<PathBuf>> {
    let mut libraries = Vec::new();
    for line in said.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let found = line.split_once(" => ").map_or(line, |(_, found)| found);
        match found.split(" (").next() {
            Some(path) if path.starts_with('/') => libraries.push(PathBuf::from(path)),
            Some("not found") => bail!("a library is missing on this machine: {line}"),
            _ => {}
        }
    }
    Ok(libraries)
}

/// Returns the architecture of a binary, as images name it.
pub fn architecture(binary: &Path) -> Result<&'static str> {
    let content = read(binary)?;
    // The field e_machine of the header, little endian on both.
    let machine = content.starts_with(&MAGIC).then(|| content.get(18..20)).flatten();
    Ok(match (machine, std::env::consts::ARCH) {
        (Some([62, 0]), _) | (None, "x86_64") => "amd64",
        (Some([183, 0]), _) | (None, "aarch64") => "arm64",
        (Some(other), _) => bail!("{} is for a machine that images have no name for here: {other:?}", binary.display()),
        (None, other) => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_paths_and_what_the_kernel_provides_has_none() {
        let said = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibgcc_s.so.1 => /lib/x86_64-linux-gnu/libgcc_s.so.1 (0x00007f)\n\t\
            libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        let expected = ["/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(listed(said).unwrap(), expected.map(PathBuf::from));
        assert!(listed("\tlibssl.so.3 => not found\n").unwrap_err().to_string().contains("libssl.so.3"));
    }

    #[test]
    fn a_program_of_this_machine_brings_its_loader_along() {
        let own = std::env::current_exe().unwrap();
        let libraries = libraries(&own).unwrap();
        assert!(libraries.iter().any(|path| path.to_string_lossy().contains("libc.so")), "{libraries:?}");
        assert!(libraries.iter().any(|path| path.to_string_lossy().contains("ld-linux")), "{libraries:?}");
        let expected = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        assert_eq!(architecture(&own).unwrap(), expected);
    }
}
