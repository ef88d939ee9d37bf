//! The manifest of a request in its form: entered as YAML instead of in fields.
//!
//! The text is kept in the draft, also while the fields are shown, so that comments are there again when the user comes back to it. Secrets are
//! taken out before anything else happens.

use app::routes;
use app::view::{PreflightView, YamlLine, YamlView};
use promise::Problem;
use promise::api::PromiseRequestSpec;
use promise::form::manifest::{self, Subject, Terms};
use promise::form::yaml::places::Places;
use promise::form::{Draft, Summary, YamlError, yaml};
use promise::path::Path;
use promise::wording::label;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::form::{Opened, Typed};
use super::kept::VALUES;
use super::presets::without_secrets;
use crate::portal::place::Workspace;

/// `_op` of the button that shows the manifest.
const TO_YAML: &str = "yaml";
/// `_op` of the button that shows the fields.
const TO_FORM: &str = "form";
/// Id of the text area.
const TEXT: &str = "manifest";
/// Path of the name.
const NAME: &str = ".metadata.name";
/// Length of the longest address that every browser and proxy takes.
const LONGEST_LINK: usize = 2000;

/// The manifest of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Source {
    /// The text as it was entered, without secrets.
    text: String,
    /// Whether it is shown instead of the fields.
    shown: bool,
    /// Paths of secrets that were taken out of it.
    #[serde(default)]
    removed: Vec<Path>,
}

impl Source {
    /// Returns it for a form that shows its fields.
    pub(super) fn hidden(self) -> Self {
        Self { shown: false, removed: Vec::new(), ..self }
    }
}

/// Whether the manifest is shown.
pub(super) fn is_shown(typed: &Typed) -> bool {
    typed.source.as_ref().is_some_and(|source| source.shown)
}

/// Whether the manifest is shown and isn't valid YAML, so that nothing is known about its values.
pub(super) fn is_unreadable(typed: &Typed) -> bool {
    typed.source.as_ref().is_some_and(|source| source.shown && yaml::read(&source.text).is_err())
}

/// Whether the view stays although another was asked for, because something can't be shown there.
pub(super) fn stays(typed: &Typed, operation: Option<&str>) -> bool {
    match operation {
        Some(TO_FORM) => is_shown(typed),
        Some(TO_YAML) => !is_shown(typed),
        _ => false,
    }
}

fn subject(opened: &Opened) -> Subject<'_> {
    let start = &opened.start;
    Subject {
        promise: &opened.offered.key.name,
        home: &opened.offered.home.path,
        request: start.version.as_ref().map(|_| (start.namespace.as_str(), start.name.as_str())),
    }
}

/// Reads an entered manifest. `before` is the draft that the form was opened with, and `base` its parameters: they stay as long as the text
/// isn't valid YAML.
pub(super) fn entered(opened: &Opened, text: &str, before: Option<&Typed>, base: &Value) -> Typed {
    let (text, removed) = manifest::without_secrets(&text.replace("\r\n", "\n").replace('\r', "\n"), &opened.spec);
    let start = before.unwrap_or(&opened.start);
    let typed = match manifest::read(&text, &subject(opened)) {
        Ok(read) => Typed {
            name: read.name,
            namespace: read.namespace.unwrap_or_else(|| opened.start.namespace.clone()),
            reason: read.reason,
            draft: Draft { problems: read.problems, is_stored: opened.is_edit(), ..Draft::of(read.parameters) },
            // Settings that aren't changed follow the request, whoever changes them meanwhile.
            terms: Some(read.terms).filter(|terms| *terms != Terms::of(&opened.existing)),
            ..Typed::default()
        },
        Err(errors) => Typed {
            name: start.name.clone(),
            namespace: start.namespace.clone(),
            reason: start.reason.clone(),
            draft: Draft { problems: errors.iter().map(unreadable).collect(), is_stored: opened.is_edit(), ..Draft::of(base.clone()) },
            terms: start.terms.clone(),
            ..Typed::default()
        },
    };
    let of_existing = subject(opened).request.map(|(namespace, name)| (namespace.to_owned(), name.to_owned()));
    let (namespace, name) = of_existing.unwrap_or_else(|| (typed.namespace.clone(), typed.name.clone()));
    Typed { namespace, name, source: Some(Source { text, shown: true, removed }), ..typed }
}

fn unreadable(error: &YamlError) -> Problem {
    let message = format!("Line {}, column {}: {}", error.line, error.column, yaml::sentence(error));
    Problem { path: String::new(), message }
}

/// Reports a namespace of a manifest that doesn't exist.
pub(super) fn check_namespace(opened: &Opened, workspace: &Workspace, typed: &mut Typed) {
    if is_shown(typed) && !workspace.namespaces.has(&typed.namespace) {
        let message = format!("Choose another namespace: {:?} doesn't exist here.", typed.namespace);
        typed.draft.problems.push(Problem { path: ".metadata.namespace".to_owned(), message });
        typed.namespace.clone_from(&opened.start.namespace);
    }
}

/// Shows the other view, if a button asks for it and everything that was entered can be shown there.
pub(super) fn switch(opened: &Opened, typed: &mut Typed, operation: Option<&str>) {
    let is_entered = typed.draft.problems.is_empty();
    match operation {
        Some(TO_FORM) if is_shown(typed) && is_entered => typed.source = typed.source.take().map(Source::hidden),
        Some(TO_YAML) if !is_shown(typed) && is_entered => {
            rewrite_as(opened, typed);
            typed.focus = Some(TEXT.to_owned());
        }
        _ => {}
    }
}

/// Writes the manifest again, after values were changed elsewhere.
pub(super) fn rewrite(opened: &Opened, typed: &mut Typed) {
    if is_shown(typed) && !is_unreadable(typed) {
        rewrite_as(opened, typed);
    }
}

fn rewrite_as(opened: &Opened, typed: &mut Typed) {
    let submission = opened.submission(typed);
    let mut spec: PromiseRequestSpec = submission.spec;
    spec.promise.name.clone_from(&opened.offered.key.name);
    spec.promise.workspace = Some(opened.offered.home.path.clone());
    let before = typed.source.as_ref().map(|source| source.text.as_str());
    let mut text = manifest::shown(before, &subject(opened), &typed.name, &typed.namespace, &spec);
    if before.is_none() {
        text = manifest::suggested(&text, &opened.spec, &opened.effective.schema);
    }
    typed.source = Some(Source { text, shown: true, removed: Vec::new() });
}

/// Returns the manifest as the page shows it, with the places of the problem of its name and of the others. `None` if the fields are shown.
pub(super) fn view(opened: &Opened, workspace: &Workspace, typed: &Typed, problems: (Option<&str>, &[Problem])) -> Option<YamlView> {
    let source = typed.source.as_ref().filter(|source| source.shown)?;
    let places = Places::of(&source.text);
    let line = |path: String, message: String| {
        let at = manifest::place_of(&places, &path).map(|place| (place.line, place.column));
        YamlLine { at, path, message }
    };
    let (problems, unsent) = match manifest::read(&source.text, &subject(opened)) {
        Ok(read) => {
            let (name, problems) = problems;
            let name = name.filter(|_| !problems.iter().any(|problem| problem.path == NAME));
            let name = name.map(|message| Problem { path: NAME.to_owned(), message: message.to_owned() });
            let problems = name.iter().chain(problems).map(|problem| line(manifest::path_of(problem), problem.message.clone())).collect();
            (problems, read.unsent.into_iter().map(|path| line(path, String::new())).collect())
        }
        Err(errors) => {
            let line = |error: YamlError| {
                let (at, message) = (Some((error.line, error.column)), yaml::sentence(&error));
                YamlLine { at, path: String::new(), message }
            };
            (errors.into_iter().map(line).collect::<Vec<_>>(), Vec::new())
        }
    };
    let labels = |paths: &[Path]| paths.iter().map(|path| label(&opened.spec, path)).collect();
    let secrets: Vec<Path> = opened.spec.secret_parameters.iter().filter_map(|path| Path::parse(path).ok()).collect();
    let mut view = YamlView {
        text: source.text.clone(),
        link: link(opened, workspace, typed).filter(|_| problems.is_empty()),
        problems,
        unsent,
        removed: labels(&source.removed),
        secrets: labels(&secrets),
    };
    view.problems.sort_by_key(|line| line.at);
    Some(view)
}

/// Returns the address of a new form with these values, without secrets.
fn link(opened: &Opened, workspace: &Workspace, typed: &Typed) -> Option<String> {
    if opened.is_edit() {
        return None;
    }
    let values = without_secrets(opened, typed.draft.parameters.clone());
    let (promise, home) = (&opened.offered.key.name, &opened.offered.home.path);
    let address = routes::request_from(workspace.path.as_str(), promise, Some(home), &format!("{VALUES}{values}"));
    (address.len() <= LONGEST_LINK).then_some(address)
}

/// Returns problems as the panel lists them: they all lead to the text.
pub(super) fn summary(problems: &[Problem]) -> Vec<Summary> {
    problems.iter().map(|problem| Summary { target: TEXT.to_owned(), message: problem.message.clone() }).collect()
}

/// Makes checks of fields lead to the text.
pub(super) fn retarget(preflight: &mut PreflightView) {
    for check in preflight.checks.iter_mut().filter(|check| check.target == "name") {
        TEXT.clone_into(&mut check.target);
    }
}
