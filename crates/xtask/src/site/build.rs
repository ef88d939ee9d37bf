//! Builds the site: a style sheet with utilities, and script and wasm of the live part, of the islands and of the palette.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions, StyleSheet};

use super::{built, utilities};
use crate::check::browser_lints;
use crate::classes;
use crate::steps::{cargo, run, step};
use crate::tools::Tools;
use crate::workspace::Workspace;

/// Maximum size of the scripts and the wasm that a page loads together, in bytes after brotli compression: `architecture.md`, invariant 6.
const BUDGET: usize = 60_000;

/// A part of the application that is built for browsers.
struct Entry {
    /// Its package.
    package: &'static str,
    /// The feature that it is built with, if it has several.
    features: &'static str,
    /// Names of its files: script and wasm.
    files: [&'static str; 2],
}

const ENTRIES: [Entry; 3] = [
    Entry { package: "live", features: "", files: ["portal.js", "portal.wasm"] },
    Entry { package: "hydrate", features: "islands", files: ["islands.js", "islands.wasm"] },
    Entry { package: "hydrate", features: "palette", files: ["palette.js", "palette.wasm"] },
];

/// What loads together: the files of entries, and modules of `app/browser`.
const LOADED: [(&str, &[&str]); 3] = [
    ("live pages", &["portal.js", "portal.wasm", "page.js", "morph.js", "keys.js"]),
    ("pages with islands", &["islands.js", "islands.wasm", "page.js", "morph.js", "keys.js"]),
    ("the palette", &["palette.js", "palette.wasm"]),
];

/// Builds the site; writes it to `site/` or compares it with the files there.
pub fn site(workspace: &Workspace, tools: &Tools, check: bool) -> Result<()> {
    let style = step("building the style sheet", || style(&workspace.root))?;
    Tools::wasm_target()?;
    tools.npm(&workspace.root.join("end2end"))?;
    let mut built = vec![("portal.css", style.into_bytes())];
    for Entry { package, features, files: [script_file, wasm_file] } in ENTRIES {
        let (script, wasm) = step(&format!("building {wasm_file}"), || bindings(workspace, tools, package, features))?;
        let wasm = step("optimizing the wasm", || optimised(workspace, &wasm))?;
        built.extend([(script_file, script.into_bytes()), (wasm_file, wasm)]);
    }
    for (title, files) in LOADED {
        let weights = files.iter().map(|file| weight(workspace, &built, file)).collect::<Result<Vec<usize>>>()?;
        let weight: usize = weights.iter().sum();
        eprintln!("    scripts and wasm of {title}: {weight} bytes compressed {weights:?}, budget {BUDGET}");
        if weight > BUDGET {
            bail!("scripts and wasm of {title} weigh {weight} bytes compressed; the budget is {BUDGET}");
        }
    }
    if !check {
        browser_lints(workspace)?;
    }
    write(workspace, &built, check)?;
    if check { Ok(()) } else { built::record(&workspace.root) }
}

/// Returns what a file of the site or a module of `app/browser` weighs, compressed.
fn weight(workspace: &Workspace, built: &[(&'static str, Vec<u8>)], file: &str) -> Result<usize> {
    if let Some((_, bytes)) = built.iter().find(|(name, _)| *name == file) {
        return brotli_size(bytes);
    }
    let module = workspace.root.join("app/browser").join(file);
    brotli_size(&std::fs::read(&module).with_context(|| module.display().to_string())?)
}

/// Builds the style sheet alone, which needs neither the wasm target nor Node; writes or compares it.
pub fn style_only(workspace: &Workspace, check: bool) -> Result<()> {
    let style = step("building the style sheet", || style(&workspace.root))?;
    write(workspace, &[("portal.css", style.into_bytes())], check)
}

/// Writes what was built to `site/`, or compares it with the files there.
fn write(workspace: &Workspace, built: &[(&'static str, Vec<u8>)], check: bool) -> Result<()> {
    let folder = workspace.root.join("site");
    let stale = |(name, bytes): &&(&'static str, Vec<u8>)| std::fs::read(folder.join(name)).ok().as_ref() != Some(bytes);
    let stale: Vec<_> = built.iter().filter(stale).collect();
    if check && !stale.is_empty() {
        let names: Vec<String> = stale.iter().map(|(name, _)| format!("site/{name}")).collect();
        bail!("{} doesn't match its sources: run `cargo xtask site` and commit it", names.join(", "));
    }
    std::fs::create_dir_all(&folder)?;
    for (name, bytes) in stale {
        std::fs::write(folder.join(name), bytes)?;
        eprintln!("    wrote site/{name}");
    }
    Ok(())
}

fn brotli_size(bytes: &[u8]) -> Result<usize> {
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut compressed, &brotli::enc::BrotliEncoderParams::default())?;
    Ok(compressed.len())
}

fn bindings(workspace: &Workspace, tools: &Tools, package: &str, features: &str) -> Result<(String, Vec<u8>)> {
    let mut build = cargo(&workspace.root);
    build.args(["build", "--package", package, "--target", "wasm32-unknown-unknown", "--profile", "wasm-release", "--features", features]);
    // Panic messages contain the file name: without this, the bytes would differ from machine to machine.
    let mut flags = vec!["--cfg".to_owned(), "erase_components".to_owned()];
    for (folder, name) in [(tools.cargo_home(), "/cargo"), (workspace.root.clone(), "/opm-portal")] {
        flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
    }
    // Clippy's driver generates different code.
    build.env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))?;
    let input = workspace.target.join(format!("wasm32-unknown-unknown/wasm-release/{package}.wasm"));
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

/// Optimizes with the npm package `binaryen`, because Debian's corrupts the output of wasm-bindgen; `--all-features` writes code that
/// browsers reject.
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

/// Returns all sheets that `style/main.css` imports, in order, and the utilities of pages, joined and minified.
fn style(root: &Path) -> Result<String> {
    let folder = root.join(classes::SHEETS);
    let mut whole = String::new();
    include(&folder.join("main.css"), &mut whole)?;
    let tokens = std::fs::read_to_string(folder.join("tokens.css")).context("tokens.css")?;
    whole.push_str(&utilities::layer(&tokens, &classes::candidates(root)?)?);
    let mut sheet = StyleSheet::parse(&whole, ParserOptions::default()).map_err(|error| anyhow::anyhow!("{error}"))?;
    sheet.minify(MinifyOptions::default())?;
    let style = sheet.to_css(PrinterOptions { minify: true, ..PrinterOptions::default() })?.code;
    eprintln!("    style sheet: {} bytes, {} compressed", style.len(), brotli_size(style.as_bytes())?);
    Ok(style)
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
