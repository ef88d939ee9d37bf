//! What authors do with their own files, without a portal: `opm promise init` and `lint`.

use std::path::{Path, PathBuf};

use promise::check::{Kinds, SourceFile, Terms, report};
use serde_json::Value;

use crate::commands::Called;
use crate::error::NO;
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// The promise to start from.
const STARTER: &str = include_str!("author/starter.yaml");
/// Name of the promise in it.
const STARTER_NAME: &str = "my-promise";
/// Definitions of the kinds that authors write. `cargo xtask gen` makes them from the Rust types.
const DEFINITIONS: [&str; 6] = [
    include_str!("../../../deploy/crds/promises.yaml"),
    include_str!("../../../deploy/crds/promiseworkflows.yaml"),
    include_str!("../../../deploy/crds/policies.yaml"),
    include_str!("../../../deploy/crds/promisecatalogs.yaml"),
    include_str!("../../../deploy/crds/destinations.yaml"),
    include_str!("../../../deploy/crds/endpoints.yaml"),
];

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Name of the promise.
    #[arg(value_name = "NAME", default_value = STARTER_NAME)]
    name: String,
    /// File to write [default: NAME.yaml]; - prints it.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// What is known about the workspace that files are for.
#[derive(Debug, clap::Args)]
pub(crate) struct TermsArgs {
    /// The files are for a workspace that isn't a trusted home: they can't `set`, `inject` or render permissions.
    #[arg(long)]
    untrusted: bool,
    /// The files are for plain Kubernetes, where the roles of a namespace, not claims, decide what can be created with a request.
    #[arg(long)]
    kubernetes: bool,
}

impl TermsArgs {
    /// Returns the terms of the check.
    pub fn terms(&self) -> Terms {
        Terms { trusted: !self.untrusted, on_kcp: !self.kubernetes }
    }
}

/// Arguments of `lint`.
#[derive(Debug, clap::Args)]
pub(crate) struct LintArgs {
    /// Files with objects, or folders of such files.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    terms: TermsArgs,
}

/// Returns the schemas of the kinds that authors write.
pub(crate) fn kinds() -> Kinds {
    let read: Vec<Value> = DEFINITIONS.iter().filter_map(|text| promise::form::yaml::parse(text).ok()).collect();
    Kinds::of(&read)
}

/// Writes a promise to start from.
pub(crate) fn init(args: &InitArgs, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let name = &args.name;
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if name.is_empty() || name.len() > 63 || !name.chars().all(is_plain) || name.starts_with('-') || name.ends_with('-') {
        return Err(Error::Usage(format!("{name}: use lower-case letters, digits and hyphens")));
    }
    let text = starter(name);
    let file = args.file.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.yaml")));
    if file.as_os_str() == "-" {
        terminal.print(&text)?;
        return Ok(Outcome::Yes);
    }
    let mut options = std::fs::OpenOptions::new();
    let mut created = options.write(true).create_new(true).open(&file).map_err(Error::file(&file))?;
    std::io::Write::write_all(&mut created, text.as_bytes()).map_err(Error::file(&file))?;
    let (file, program) = (file.display(), called.name());
    terminal.print(&format!(
        "{file} written. Check it with `{program} promise lint {file}`, and try it with `{program} promise render {file}`.\n"
    ))?;
    Ok(Outcome::Yes)
}

fn starter(name: &str) -> String {
    let title = promise::wording::humanise(name);
    STARTER.replace(STARTER_NAME, name).replace("My promise", &title)
}

/// Checks files and folders.
pub(crate) fn lint(args: &LintArgs, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let named: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
    let sources = read(&args.paths)?;
    match report(&sources, &named.join(", "), &kinds(), args.terms.terms()) {
        Ok(report) => {
            terminal.print(&format!("{report}\n"))?;
            Ok(Outcome::Yes)
        }
        Err(defects) => Err(Error::refused(NO, defects.to_string())),
    }
}

/// Reads files, and all YAML and JSON files in folders at any depth.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<SourceFile>, Error> {
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() { folders.push(path.clone()) } else { found.push(path.clone()) }
    }
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(Error::file(&folder))? {
            let entry = entry.map_err(Error::file(&folder))?;
            // Links to folders aren't followed, because they might form a loop.
            if entry.file_type().map_err(Error::file(&folder))?.is_dir() {
                folders.push(entry.path());
            } else if is_manifest(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    let source = |path: &PathBuf| SourceFile {
        name: path.display().to_string(),
        text: std::fs::read_to_string(path).map_err(|error| error.to_string()),
    };
    Ok(found.iter().map(source).collect())
}

fn is_manifest(path: &Path) -> bool {
    path.extension().is_some_and(|kind| ["yaml", "yml", "json"].iter().any(|known| kind == *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        let source = SourceFile { name: "a.yaml".to_owned(), text: Ok(text.to_owned()) };
        report(&[source], "a.yaml", &kinds(), Terms { trusted: false, on_kcp: true }).unwrap_or_else(|defects| defects.to_string())
    }

    #[test]
    fn the_starter_passes_without_a_suggestion_whatever_its_name_is() {
        for name in [STARTER_NAME, "cache", "web-2"] {
            assert_eq!(check(&starter(name)), "1 object is valid");
        }
        assert!(starter("web-shop").contains("displayName: Web shop") && starter("web-shop").contains("{name: web-shop}"));
    }

    #[test]
    fn misspelt_fields_and_expressions_are_found() {
        let broken = STARTER.replace("lifecycle:", "lifecycel:").replace("parameters.size", "parameters.sice");
        let report = check(&broken);
        assert!(report.contains(".spec.lifecycel: unknown field") && report.contains("sice"), "{report}");
    }

    #[test]
    fn secret_parameters_of_an_action_are_found() {
        let action =
            "  actions: {rotate: {secretParameters: [.key], steps: [{id: go, validate: {expression: \"${true}\", message: Go.}}]}}\n";
        let report = check(&STARTER.replacen("  lifecycle:", &format!("{action}  lifecycle:"), 1));
        assert!(report.contains(".spec.actions.rotate.secretParameters: unknown field"), "{report}");
    }

    #[test]
    fn the_definitions_are_complete() {
        let text = "apiVersion: platform.opmodel.dev/v1alpha1\nkind: KIND\nmetadata: {name: a}\nspec: {nothing: 1}\n";
        for kind in ["Promise", "PromiseWorkflow", "Policy", "PromiseCatalog", "Destination", "Endpoint"] {
            let report = check(&text.replace("KIND", kind));
            assert!(report.contains(".spec.nothing: unknown field"), "{kind}: {report}");
        }
    }
}
