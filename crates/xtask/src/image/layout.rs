//! The image as files: an OCI image layout in a folder, and the same as an archive. The archive also has the `manifest.json` of
//! `docker save`, so that every version of `docker load` and `podman load` takes it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::files::{DATA, PROGRAM};
use super::layer::{Entry, Layer, NOBODY, digest};

/// File name of the archive.
pub const ARCHIVE: &str = "opm-portal.tar";
/// Folder of the layout.
pub const LAYOUT: &str = "oci";

/// Time of everything, because a build must not depend on when it runs.
const CREATED: &str = "1970-01-01T00:00:00Z";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// An image for one architecture.
pub struct Image {
    /// Name and tag.
    pub name: String,
    /// As Go names it.
    pub architecture: &'static str,
    /// Lowest first.
    pub layers: Vec<Layer>,
}

impl Image {
    /// Writes layout and archive.
    pub fn write(&self, out: &Path) -> Result<()> {
        let files = self.files();
        let folder = out.join(LAYOUT);
        // What an earlier build left there isn't part of this image.
        let _ = std::fs::remove_dir_all(&folder);
        for (path, content) in &files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().context("files have folders")?)?;
            std::fs::write(&path, content).with_context(|| path.display().to_string())?;
        }
        let docker = ("manifest.json".to_owned(), self.docker_manifest().to_string().into_bytes());
        let all = files.into_iter().chain([docker]).map(|(path, content)| (path, Entry::File(content))).collect();
        let archive = Layer::of("archive", all)?.unpacked;
        std::fs::write(out.join(ARCHIVE), archive).context(ARCHIVE)
    }

    /// Returns the files of the layout.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let (config, manifest) = (self.config().to_string().into_bytes(), self.manifest().to_string().into_bytes());
        let index = json!({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": [{
                "mediaType": MANIFEST, "digest": digest(&manifest), "size": manifest.len(),
                "platform": {"architecture": self.architecture, "os": "linux"},
                "annotations": {"org.opencontainers.image.ref.name": self.tag(), "io.containerd.image.name": self.name},
            }],
        });
        let mut files = BTreeMap::from([
            ("oci-layout".to_owned(), json!({"imageLayoutVersion": "1.0.0"}).to_string().into_bytes()),
            ("index.json".to_owned(), index.to_string().into_bytes()),
        ]);
        let blobs = [config, manifest].into_iter().chain(self.layers.iter().map(|layer| layer.packed.clone()));
        files.extend(blobs.map(|blob| (blob_path(&digest(&blob)), blob)));
        files
    }

    /// Returns what a container of the image runs, and as whom.
    fn config(&self) -> Value {
        let layers = self.layers.iter();
        json!({
            "created": CREATED, "architecture": self.architecture, "os": "linux",
            "config": {
                "User": format!("{NOBODY}:{NOBODY}"),
                "Entrypoint": [format!("/{PROGRAM}")],
                "WorkingDir": "/",
                "Env": ["PATH=/usr/local/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt", format!("OPM_DATA=/{DATA}")],
                "ExposedPorts": {"8080/tcp": {}, "9090/tcp": {}},
                "Labels": {
                    "org.opencontainers.image.title": "OPM Portal",
                    "org.opencontainers.image.version": env!("CARGO_PKG_VERSION"),
                    "org.opencontainers.image.licenses": "Apache-2.0",
                },
            },
            "rootfs": {"type": "layers", "diff_ids": layers.clone().map(|layer| digest(&layer.unpacked)).collect::<Vec<_>>()},
            "history": layers.map(|layer| json!({"created": CREATED, "created_by": format!("cargo xtask image: {}", layer.name)})).collect::<Vec<_>>(),
        })
    }

    fn manifest(&self) -> Value {
        let config = self.config().to_string();
        let layers =
            self.layers.iter().map(|layer| json!({"mediaType": LAYER, "digest": digest(&layer.packed), "size": layer.packed.len()}));
        json!({
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": {"mediaType": CONFIG, "digest": digest(config.as_bytes()), "size": config.len()},
            "layers": layers.collect::<Vec<_>>(),
        })
    }

    fn docker_manifest(&self) -> Value {
        let layers = self.layers.iter().map(|layer| blob_path(&digest(&layer.packed)));
        json!([{
            "Config": blob_path(&digest(self.config().to_string().as_bytes())),
            "RepoTags": [self.name],
            "Layers": layers.collect::<Vec<_>>(),
        }])
    }

    fn tag(&self) -> &str {
        self.name.rsplit_once(':').map_or("latest", |(_, tag)| tag)
    }
}

fn blob_path(digest: &str) -> String {
    format!("blobs/{}", digest.replacen(':', "/", 1))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::path::PathBuf;

    use flate2::read::GzDecoder;
    use oci_spec::image::{Descriptor, ImageConfiguration, ImageIndex, ImageManifest, OciLayout};

    use super::super::files;
    use super::*;

    /// Builds an image of something that is no program, so that nothing depends on the libraries of this machine.
    fn build(out: &Path) {
        let binary = out.join("binary");
        std::fs::write(&binary, "not a real program").unwrap();
        let certificates = out.join("certificates");
        std::fs::write(&certificates, "-----BEGIN CERTIFICATE-----").unwrap();
        let image = Image {
            name: "registry.example.org/opm-portal:1.2.3".to_owned(),
            architecture: "amd64",
            layers: vec![
                Layer::of("system", files::system(&binary, &certificates).unwrap()).unwrap(),
                Layer::of("portal", files::program(&binary).unwrap()).unwrap(),
            ],
        };
        image.write(out).unwrap();
    }

    /// Reads a blob of the layout, and checks that it is what the descriptor says.
    fn blob(layout: &Path, descriptor: &Descriptor) -> Vec<u8> {
        let content = std::fs::read(layout.join(blob_path(descriptor.digest().as_ref()))).unwrap();
        assert_eq!(content.len() as u64, descriptor.size());
        assert_eq!(digest(&content), descriptor.digest().as_ref());
        content
    }

    fn unpacked(layer: &[u8]) -> Vec<u8> {
        let mut tar = Vec::new();
        GzDecoder::new(layer).read_to_end(&mut tar).unwrap();
        tar
    }

    #[test]
    fn the_layout_reads_back_with_digests_and_a_user_without_privileges() {
        let out = tempfile::tempdir().unwrap();
        build(out.path());
        let layout = out.path().join(LAYOUT);
        assert_eq!(OciLayout::from_file(layout.join("oci-layout")).unwrap().image_layout_version(), "1.0.0");
        let index = ImageIndex::from_file(layout.join("index.json")).unwrap();
        let [named] = index.manifests().as_slice() else { panic!("one image") };
        assert_eq!(named.annotations().as_ref().unwrap()["org.opencontainers.image.ref.name"], "1.2.3");
        let manifest = ImageManifest::from_reader(&*blob(&layout, named)).unwrap();
        let config = ImageConfiguration::from_reader(&*blob(&layout, manifest.config())).unwrap();
        let runs = config.config().as_ref().unwrap();
        assert_eq!(runs.user().as_deref(), Some("65532:65532"));
        assert_eq!(runs.entrypoint().as_deref().unwrap(), ["/usr/local/bin/opm-portal"]);

        let mut found: BTreeMap<PathBuf, (u64, u32, String)> = BTreeMap::new();
        assert_eq!(manifest.layers().len(), config.rootfs().diff_ids().len());
        for (descriptor, expected) in manifest.layers().iter().zip(config.rootfs().diff_ids()) {
            let tar = unpacked(&blob(&layout, descriptor));
            assert_eq!(digest(&tar), *expected);
            for entry in tar::Archive::new(&*tar).entries().unwrap() {
                let mut entry = entry.unwrap();
                let header = entry.header();
                assert_eq!(header.mtime().unwrap(), 0);
                let (owner, mode) = (header.uid().unwrap(), header.mode().unwrap());
                let mut text = String::new();
                let path = entry.path().unwrap().into_owned();
                entry.read_to_string(&mut text).unwrap();
                found.insert(path, (owner, mode, text));
            }
        }
        assert_eq!(found[Path::new(PROGRAM)], (0, 0o755, "not a real program".to_owned()));
        assert_eq!((found[Path::new("data/")].0, found[Path::new("data/")].1), (NOBODY, 0o700));
        assert!(found[Path::new("etc/ssl/certs/ca-certificates.crt")].2.starts_with("-----BEGIN"));
        let writable: Vec<_> =
            found.iter().filter(|(_, (owner, mode, _))| mode & 0o002 != 0 || *owner != 0).map(|(path, _)| path).collect();
        assert_eq!(writable, [Path::new("data/"), Path::new("tmp/")]);
    }

    #[test]
    fn the_archive_is_the_layout_with_what_older_programs_read_and_a_build_is_repeated_to_the_byte() {
        let [one, two] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        build(one.path());
        build(two.path());
        let archive = std::fs::read(one.path().join(ARCHIVE)).unwrap();
        assert_eq!(archive, std::fs::read(two.path().join(ARCHIVE)).unwrap());
        let mut files = BTreeMap::new();
        for entry in tar::Archive::new(&*archive).entries().unwrap() {
            let mut entry = entry.unwrap();
            let (path, mut content) = (entry.path().unwrap().to_string_lossy().into_owned(), Vec::new());
            entry.read_to_end(&mut content).unwrap();
            files.insert(path, content);
        }
        let docker: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
        assert_eq!(docker[0]["RepoTags"], json!(["registry.example.org/opm-portal:1.2.3"]));
        let config = ImageConfiguration::from_reader(&*files[docker[0]["Config"].as_str().unwrap()]).unwrap();
        let layers = docker[0]["Layers"].as_array().unwrap();
        assert_eq!(layers.len(), config.rootfs().diff_ids().len());
        for (layer, expected) in layers.iter().zip(config.rootfs().diff_ids()) {
            assert_eq!(digest(&unpacked(&files[layer.as_str().unwrap()])), *expected);
        }
        for (path, content) in files.iter().filter(|(path, _)| !path.ends_with('/') && *path != "manifest.json") {
            assert_eq!(*content, std::fs::read(one.path().join(LAYOUT).join(path)).unwrap(), "{path}");
        }
    }
}
