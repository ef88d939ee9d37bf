//! The preview of a form: reads a document, and shows the form of its schema with advice for the author. Nothing is published.

use std::sync::Arc;

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

mod draft;

use self::draft::PreviewDraft;
use super::promises::Promises;
use crate::portal::Caller;

/// Subject of the drafts.
const DRAFT: &str = "preview";
/// Maximum length of a document that each page of the preview repeats, in bytes.
const MAX_REPEATED: usize = 64 * 1024;
/// Maximum number of suggestions and problems on the page.
const MOST: usize = 30;

/// Returns the preview of a draft, of a promise that the user can read, or an empty one.
pub(super) async fn page(caller: &Caller, draft: Option<&str>, of: Option<(&str, &str)>) -> Result<PromisePreview> {
    if let Some(id) = draft {
        return Ok(match caller.draft::<PreviewDraft>(DRAFT, id).await? {
            Some(kept) => PromisePreview { draft: id.to_owned(), ..shown(&kept) },
            None => PromisePreview { is_gone: true, ..PromisePreview::default() },
        });
    }
    let document = match of {
        Some((workspace, name)) => Promises::of(caller).await?.document(caller, workspace, name).unwrap_or_default(),
        None => String::new(),
    };
    if document.is_empty() { Ok(PromisePreview::default()) } else { Ok(shown(&PreviewDraft { document, ..PreviewDraft::default() })) }
}

/// Saves what was typed, and returns the draft's id.
pub(super) async fn save(caller: &Caller, posted: &PreviewText) -> Result<String> {
    let before = caller.draft::<PreviewDraft>(DRAFT, &posted.draft).await?.unwrap_or_default();
    let mut draft = PreviewDraft {
        document: posted.document.clone().unwrap_or(before.document),
        version: posted.version,
        checked: posted.checked,
        ..PreviewDraft::default()
    };
    if posted.operation == "show" {
        draft.checked = false;
    } else if let Ok(Read { spec, effective, .. }) = read(&draft) {
        let base = before.entered.map_or_else(|| json!({}), |entered| entered.parameters);
        let parsed = parse(&posted.fields, &spec, &effective, &base);
        draft.checked &= !is_search(&posted.fields);
        draft.focus = parsed.focus;
        draft.entered = Some(parsed.draft);
    }
    caller.keep_draft(DRAFT, &draft).await
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
fn read(draft: &PreviewDraft) -> std::result::Result<Read, String> {
    let document = yaml::read_document(&draft.document).map_err(|error| error.message)?;
    let sources = schemas(&document).map_err(|error: SourceError| error.to_string())?;
    let chosen = draft.version.min(sources.len() - 1);
    let schema = Arc::new(sources[chosen].schema.clone());
    let own = if sources[chosen].kind == SourceKind::Promise { serde_json::from_value(document["spec"].clone()).ok() } else { None };
    let spec = own.unwrap_or_else(|| PromiseSpec { parameters: Some(schema.clone()), ..PromiseSpec::default() });
    Ok(Read { sources, chosen, spec, effective: Effective { schema, ..Effective::default() } })
}

fn shown(draft: &PreviewDraft) -> PromisePreview {
    let focus = draft.focus.clone();
    let Read { sources, chosen, spec, effective } = match read(draft) {
        Ok(read) => read,
        Err(problem) => {
            return PromisePreview { document: draft.document.clone(), problem: Some(problem), focus, ..PromisePreview::default() };
        }
    };
    let bytes = draft.document.len();
    let page = if bytes > MAX_REPEATED {
        PromisePreview { large: Some(bytes), focus, ..PromisePreview::default() }
    } else {
        PromisePreview { document: draft.document.clone(), focus, ..PromisePreview::default() }
    };
    let entered = draft.entered.clone().unwrap_or_else(|| Draft::of(json!({})));
    let resolved = resolve(&spec, &entered.parameters, None, &effective, &Context::default());
    let problems = if draft.checked { resolved.problems.clone() } else { Vec::new() };
    let advice = lint(&spec);
    let hinted = hints(&spec, &advice[..advice.len().min(MOST)]);
    PromisePreview {
        versions: sources.iter().enumerate().map(|(index, source)| pick(index, source, chosen)).collect(),
        form: Some(model(&spec, &effective, &entered, &problems)),
        refused: refused(&spec),
        checked: draft.checked,
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
