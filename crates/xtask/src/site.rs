//! What the browser gets: one style sheet, a script, and script and wasm of the live part, named by their content.
//!
//! `manifest.json` names them for the server: `{"style": "/assets/portal.<hash>.css", "page": "/pkg/portal.<hash>.js", "inbox": "/assets/portal.<hash>.js", "script": "/pkg/portal.<hash>.js", "wasm": "/pkg/portal.<hash>.wasm"}`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions, StyleSheet};
use sha2::{Digest, Sha256};

use crate::steps::{cargo, run, step};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Whether the wasm is made small with wasm-opt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Optimise {
    /// As the compiler leaves it: quick.
    No,
    /// Where Node and the npm registry are there; says so where not.
    IfPossible,
    /// Fails without Node: weights are only meaningful so.
    Required,
}

/// Builds the site anew into `target/site`.
pub fn build(workspace: &Workspace, tools: &Tools, optimise: Optimise) -> Result<()> {
    Tools::wasm_target()?;
    let (script, wasm) = step("building the browser part", || bindings(workspace))?;
    let wasm = match optimise {
        Optimise::No => wasm,
        Optimise::IfPossible => match optimiser_at_hand(workspace) {
            Ok(()) => step("optimising the wasm", || optimised(workspace, &wasm))?,
            Err(reason) => {
                eprintln!("    the wasm is not optimised: {reason:#}");
                wasm
            }
        },
        Optimise::Required => {
            tools.npm(&workspace.root.join("end2end"))?;
            step("optimising the wasm", || optimised(workspace, &wasm))?
        }
    };
    step("writing the style sheet", || {
        let site = workspace.site();
        let _ = std::fs::remove_dir_all(&site);
        let style = style(&workspace.root.join("style"))?;
        let manifest = serde_json::json!({
            "style": publish(&site, "assets", "css", style.as_bytes())?,
            "page": publish(&site, "pkg", "js", &std::fs::read(workspace.root.join("app/browser/page.js"))?)?,
            "inbox": publish(&site, "assets", "js", &std::fs::read(workspace.root.join("app/browser/approvals.js"))?)?,
            "script": publish(&site, "pkg", "js", script.as_bytes())?,
            "wasm": publish(&site, "pkg", "wasm", &wasm)?,
        });
        copy_public(&workspace.root.join("public"), &site)?;
        std::fs::write(site.join("manifest.json"), serde_json::to_vec_pretty(&manifest)?)?;
        Ok(())
    })
}

/// Compressed bytes of script and wasm together, as a browser loads them on a live route.
pub fn live_weight(workspace: &Workspace) -> Result<usize> {
    let mut total = 0;
    for entry in std::fs::read_dir(workspace.site().join("pkg")).context("target/site/pkg")? {
        total += brotli_size(&std::fs::read(entry?.path())?)?;
    }
    Ok(total)
}

fn brotli_size(bytes: &[u8]) -> Result<usize> {
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &brotli::enc::BrotliEncoderParams::default())?;
    Ok(compressed.len())
}

fn bindings(workspace: &Workspace) -> Result<(String, Vec<u8>)> {
    run(cargo(&workspace.root).args(["build", "--package", "hydrate", "--target", "wasm32-unknown-unknown", "--profile", "wasm-release"]))?;
    let input = workspace.target.join("wasm32-unknown-unknown/wasm-release/hydrate.wasm");
    let mut output = wasm_bindgen_cli_support::Bindgen::new()
        .input_path(input)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name("portal")
        .generate_output()?;
    Ok((output.js().to_owned(), output.wasm_mut().emit_wasm()))
}

fn optimiser_at_hand(workspace: &Workspace) -> Result<()> {
    Tools::node().context("Node is not installed")?;
    Tools::fetch_npm(&workspace.root.join("end2end"))
}

/// The npm package `binaryen`, because Debian's corrupts the output of wasm-bindgen; `--all-features` writes what browsers refuse.
fn optimised(workspace: &Workspace, wasm: &[u8]) -> Result<Vec<u8>> {
    let folder = workspace.target.join("wasm-opt");
    std::fs::create_dir_all(&folder)?;
    let (input, output) = (folder.join("in.wasm"), folder.join("out.wasm"));
    std::fs::write(&input, wasm)?;
    run(Command::new("node")
        .arg(workspace.root.join("end2end/node_modules/binaryen/bin/wasm-opt"))
        .args(["-Oz", "--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext"])
        .args(["--enable-mutable-globals", "--enable-reference-types", "--enable-multivalue"])
        .arg(&input)
        .arg("-o")
        .arg(&output))?;
    std::fs::read(&output).context("wasm-opt wrote nothing")
}

/// All sheets that `style/main.css` imports, in order, as one and minified.
fn style(folder: &Path) -> Result<String> {
    let mut whole = String::new();
    include(&folder.join("main.css"), &mut whole)?;
    let mut sheet = StyleSheet::parse(&whole, ParserOptions::default()).map_err(|error| anyhow::anyhow!("{error}"))?;
    sheet.minify(MinifyOptions::default())?;
    Ok(sheet.to_css(PrinterOptions { minify: true, ..PrinterOptions::default() })?.code)
}

fn include(file: &Path, whole: &mut String) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    for line in text.lines() {
        match line.trim().strip_prefix("@import \"").and_then(|rest| rest.strip_suffix("\";")) {
            Some(name) => include(&file.with_file_name(name), whole)?,
            None => {
                whole.push_str(line);
                whole.push('\n');
            }
        }
    }
    Ok(())
}

fn publish(site: &Path, folder: &str, extension: &str, bytes: &[u8]) -> Result<String> {
    let hash = hex::encode(Sha256::digest(bytes));
    let Some(short) = hash.get(..10) else { bail!("a digest has at least ten digits") };
    let name = format!("portal.{short}.{extension}");
    std::fs::create_dir_all(site.join(folder))?;
    std::fs::write(site.join(folder).join(&name), bytes)?;
    Ok(format!("/{folder}/{name}"))
}

fn copy_public(from: &Path, to: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(from) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let target: PathBuf = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            std::fs::create_dir_all(&target)?;
            copy_public(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
