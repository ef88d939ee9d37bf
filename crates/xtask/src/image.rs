//! `cargo xtask image`: the container image, built without a daemon, a base image or the network.
//!
//! It has the binary, the shared libraries that it needs, certificate authorities and the few files that a C library reads; no shell, no
//! package manager. The same inputs result in the same bytes: files are sorted, and have neither times nor owners of the build machine.

mod files;
mod layer;
mod layout;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::steps::step;
use crate::workspace::Workspace;

/// Largest size of all layers, unpacked, in bytes.
const LARGEST: u64 = 70_000_000;

/// Arguments of `image`.
#[derive(Args)]
pub struct Image {
    /// The binary [default: the release build, `cargo xtask build --release`].
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Folder for the OCI image layout (`oci/`) and the archive (`opm-portal.tar`) [default: image/ in the build directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Name and tag that `docker load` and `podman load` give the image.
    #[arg(long, value_name = "NAME", default_value = concat!("opm-portal:", env!("CARGO_PKG_VERSION")))]
    name: String,
    /// File with the certificate authorities that the portal trusts.
    #[arg(long, value_name = "FILE", default_value = "/etc/ssl/certs/ca-certificates.crt")]
    certificates: PathBuf,
}

impl Image {
    /// Builds the image and prints its layers.
    pub fn run(self) -> Result<()> {
        let workspace = Workspace::find()?;
        let binary = self.binary.unwrap_or_else(|| workspace.target.join("release/opm-portal"));
        ensure!(binary.is_file(), "{} is missing: run `cargo xtask build --release`, or set --binary", binary.display());
        let out = self.out.unwrap_or_else(|| workspace.target.join("image"));
        let size = step("building the image", || {
            let image = layout::Image {
                name: self.name.clone(),
                architecture: files::architecture(&binary)?,
                layers: vec![
                    layer::Layer::of("system", files::system(&binary, &self.certificates)?)?,
                    layer::Layer::of("portal", files::program(&binary)?)?,
                ],
            };
            image.write(&out)?;
            for layer in &image.layers {
                eprintln!("    {layer}");
            }
            Ok(image.layers.iter().map(|layer| layer.unpacked.len() as u64).sum::<u64>())
        })?;
        eprintln!("    {} MB in all", size.div_ceil(1_000_000));
        ensure!(size <= LARGEST, "the image has {size} bytes; it can have at most {LARGEST}");
        eprintln!("load it with: docker load --input {}", out.join(layout::ARCHIVE).display());
        Ok(())
    }
}

/// Reads a file, and names it if that fails.
fn read(path: &std::path::Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| path.display().to_string())
}
