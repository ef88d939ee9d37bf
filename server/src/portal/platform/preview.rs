//! The preview of a form: reads a document, and shows the form of its schema with advice for the author. Nothing is published.

use app::backend::PreviewText;
use app::view::{Pick, PromisePreview};
use promise::Result;
use promise::api::PromiseSpec;
use promise::context::Context;
use promise::form::{Draft, is_search, model, parse, yaml};
use promise::lint::{hints, lint};
use promise::policy::Effective;
use promise::publish;
use promise::resolve::resolve;
use promise::source::{Source, SourceError, SourceKind, schemas};
use serde_json::{Value, json};

use super::promises::Promises;
use crate::portal::Caller;

/// Subject of the drafts.
const DRAFT: &str = "preview";
/// Maximum number of suggestions and problems on the page.
const MOST: usize = 30;

/// Returns the preview of a draft, of a promise that the user can read, or an empty one.
pub(super) async fn page(caller: &Caller, draft: Option<&str>, of: Option<(&str, &str)>) -> Result<PromisePreview> {
    if let Some(id) = draft {
        return Ok(match caller.draft::<PreviewText>(DRAFT, id).await? {
            Some(typed) => PromisePreview { draft: id.to_owned(), ..shown(&typed) },
            None => PromisePreview { is_gone: true, ..PromisePreview::default() },
        });
    }
    let document = match of {
        Some((workspace, name)) => Promises::of(caller).await?.document(caller, workspace, name).unwrap_or_default(),
        None => String::new(),
    };
    if document.is_empty() { Ok(PromisePreview::default()) } else { Ok(shown(&PreviewText { document, ..PreviewText::default() })) }
}

/// Saves what was typed, and returns the draft's id.
pub(super) async fn save(caller: &Caller, posted: &PreviewText) -> Result<String> {
    let mut typed =
        PreviewText { version: posted.version, checked: posted.checked, document: posted.document.clone(), ..PreviewText::default() };
    if posted.operation == "show" {
        typed.checked = false;
    } else if let Ok(Read { spec, effective, .. }) = read(posted) {
        let before = caller.draft::<PreviewText>(DRAFT, &posted.draft).await?.and_then(|before| before.entered);
        let base = before.map_or_else(|| json!({}), |draft| draft.parameters);
        let parsed = parse(&posted.fields, &spec, &effective, &base);
        typed.checked &= !is_search(&posted.fields);
        typed.focus = parsed.focus;
        typed.entered = Some(parsed.draft);
    }
    caller.keep_draft(DRAFT, &typed).await
}

/// A document that has a schema.
struct Read {
    sources: Vec<Source>,
    /// Position of the chosen schema.
    chosen: usize,
    /// A promise with the chosen schema.
    spec: PromiseSpec,
    effective: Effective,
}

/// Reads a document. The error is a sentence.
fn read(typed: &PreviewText) -> std::result::Result<Read, String> {
    let document = yaml::read_document(&typed.document).map_err(|error| error.message)?;
    let sources = schemas(&document).map_err(|error: SourceError| error.to_string())?;
    let chosen = typed.version.min(sources.len() - 1);
    let schema = sources[chosen].schema.clone();
    let own = if sources[chosen].kind == SourceKind::Promise { serde_json::from_value(document["spec"].clone()).ok() } else { None };
    let spec = own.unwrap_or_else(|| PromiseSpec { parameters: Some(schema.clone()), ..PromiseSpec::default() });
    Ok(Read { sources, chosen, spec, effective: Effective { schema, ..Effective::default() } })
}

fn shown(typed: &PreviewText) -> PromisePreview {
    let page = PromisePreview { document: typed.document.clone(), focus: typed.focus.clone(), ..PromisePreview::default() };
    let Read { sources, chosen, spec, effective } = match read(typed) {
        Ok(read) => read,
        Err(problem) => return PromisePreview { problem: Some(problem), ..page },
    };
    let entered = typed.entered.clone().unwrap_or_else(|| Draft::of(json!({})));
    let resolved = resolve(&spec, &entered.parameters, None, &effective, &Context::default());
    let problems = if typed.checked { resolved.problems.clone() } else { Vec::new() };
    let advice = lint(&spec);
    let hinted = hints(&spec, &advice[..advice.len().min(MOST)]);
    PromisePreview {
        versions: sources.iter().enumerate().map(|(index, source)| pick(index, source, chosen)).collect(),
        form: Some(model(&spec, &effective, &entered, &problems)),
        refused: refused(&spec),
        checked: typed.checked,
        values: yaml::write(&entered.parameters),
        advice: advice.iter().take(MOST).map(promise::lint::Lint::sentence).collect(),
        advice_total: advice.len(),
        hints: hinted.as_ref().map(yaml::write).unwrap_or_default(),
        ..page
    }
}

fn pick(index: usize, source: &Source, chosen: usize) -> Pick {
    let label = [source.name.as_str(), source.version.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Pick { value: index.to_string(), label, chosen: index == chosen }
}

/// Returns what publishing would refuse in the schema and its hints. Whatever else a promise needs isn't part of a form.
fn refused(spec: &PromiseSpec) -> Vec<String> {
    let problems = publish::validate(spec, None, true).err().unwrap_or_default();
    let of_form = problems.into_iter().filter(|problem| problem.path.starts_with(".parameters") || problem.path.starts_with(".form"));
    of_form.take(MOST).map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
}

impl Promises {
    /// Returns a promise as YAML, without what the API server adds. `None` if the user can't read it.
    fn document(&self, caller: &Caller, workspace: &str, name: &str) -> Option<String> {
        let (key, promise) = self.named(caller, workspace, name)?;
        let spec = serde_json::to_value(&promise.spec).ok()?;
        let object: Value = json!({
            "apiVersion": promise::names::API_VERSION,
            "kind": "Promise",
            "metadata": {"name": key.name},
            "spec": spec,
        });
        Some(yaml::write(&object))
    }
}
