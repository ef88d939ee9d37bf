//! What a form shows that was entered earlier: the user's own draft, a form that was posted after the session had ended, or a draft that
//! someone in the workspace shared; and what a new form starts from.

use app::backend::{FormOf, Pairs};
use app::routes;
use app::view::{NeededFor, SharedBy};
use cluster::person;
use promise::form::manifest::Terms;
use promise::form::{keep_immutable, parse, starts_from};
use promise::{Result, form::Draft};
use serde_json::{Value, json};

use super::form::{Opened, Typed};
use super::given::Given;
use super::posting::{Secrets, input};
use super::presets;
use super::source::{self, Source};
use super::terms;
use crate::portal::Caller;
use crate::portal::place::Workspace;
use crate::portal::rights::Right;
use crate::web::pairs::field;

/// Prefix of a start that names a request: the new one begins with its values.
const COPY: &str = "request:";
/// Prefix of a start that consists of values, as a mapping in YAML or JSON: a link that fills in the form.
pub(super) const VALUES: &str = "values:";
/// Prefix of a start that names a preset of the workspace.
pub(super) const SAVED: &str = "saved:";

/// What was entered earlier.
pub(super) struct Kept {
    /// The values.
    pub(super) typed: Typed,
    /// Who shared it. `None` for the user's own.
    pub(super) shared: Option<SharedBy>,
    /// Whether it was posted after the session had ended.
    pub(super) posted: bool,
}

/// Returns what the id in the address stands for. `None` if there is no such draft that the user can open.
pub(super) async fn of(caller: &Caller, workspace: &Workspace, of: &FormOf<'_>, opened: &mut Opened, id: &str) -> Result<Option<Kept>> {
    if let Some(typed) = caller.draft::<Typed>(&opened.subject, id).await? {
        opened.follow(caller, workspace, typed.terms.as_ref())?;
        return Ok(Some(Kept { typed, shared: None, posted: false }));
    }
    if let Some(pairs) = caller.posted(id).await? {
        let typed = posted(caller, workspace, of, opened, &pairs).await?;
        return Ok(typed.map(|typed| Kept { typed, shared: None, posted: true }));
    }
    let Some(found) = caller.shared_draft::<Typed>(&opened.subject, id).await? else { return Ok(None) };
    if !may_open(caller, workspace, of, opened).await? {
        return Ok(None);
    }
    opened.follow(caller, workspace, found.typed.terms.as_ref())?;
    let shared = SharedBy { by: found.by, at: found.saved.to_string() };
    Ok(Some(Kept { typed: found.typed, shared: Some(shared), posted: false }))
}

/// Returns the name and namespace of the request that the user created last with this form: a draft that doesn't exist any more was most
/// often submitted.
pub(super) fn submitted(caller: &Caller, workspace: &Workspace, of: &FormOf<'_>) -> Option<(String, String)> {
    let FormOf::New { promise, .. } = of else { return None };
    let own = caller
        .portal()
        .requests_of(&workspace.cluster)
        .into_iter()
        .filter(|(_, request)| request.spec.promise.name == *promise && person::requester(request) == caller.identity().person);
    let (key, _) = own.max_by_key(|(_, request)| request.metadata.creation_timestamp.as_ref().map(|created| created.0))?;
    Some((key.namespace.clone(), key.name.clone()))
}

/// Checks whether the user can open drafts of this form that others share: those who can submit it.
async fn may_open(caller: &Caller, workspace: &Workspace, of: &FormOf<'_>, opened: &Opened) -> Result<bool> {
    let right = match of {
        FormOf::New { .. } => Right::requests("create", &opened.start.namespace),
        FormOf::Edit { namespace, name, .. } => Right::request("patch", namespace, name),
    };
    caller.may(&workspace.cluster, right).await
}

/// Returns what was entered in a form that was posted after the session had ended. `None` if it was another form.
async fn posted(caller: &Caller, workspace: &Workspace, of: &FormOf<'_>, opened: &mut Opened, pairs: &Pairs) -> Result<Option<Typed>> {
    let is = |name: &str, value: &str| field(pairs, name) == Some(value);
    let same = is("workspace", workspace.path.as_str())
        && match of {
            FormOf::New { promise, .. } => is("promise", promise),
            FormOf::Edit { namespace, name, .. } => is("namespace", namespace) && is("name", name),
        };
    if !same {
        return Ok(None);
    }
    let before = match field(pairs, input::DRAFT) {
        Some(id) => caller.draft::<Typed>(&opened.subject, id).await?,
        None => None,
    };
    if let Some(before) = &before {
        opened.follow(caller, workspace, before.terms.as_ref())?;
    }
    let base = base(caller, workspace, opened, before.as_ref(), pairs).await?;
    let Entered { mut typed, .. } = entered(opened, of, pairs, before.as_ref(), &base.parameters);
    terms::settle(caller, workspace, opened, &mut typed, (pairs, before.as_ref(), &base))?;
    Ok(Some(typed))
}

/// What a form was rendered from.
pub(super) struct Base {
    /// The parameters: they provide the values without an input.
    pub(super) parameters: Value,
    /// The terms, if they differ from those of the request.
    pub(super) terms: Option<Terms>,
}

/// Returns what a form was rendered from, and makes the form the one of the version that its fields are for.
pub(super) async fn base(
    caller: &Caller,
    workspace: &Workspace,
    opened: &mut Opened,
    before: Option<&Typed>,
    pairs: &Pairs,
) -> Result<Base> {
    let started = match (before, field(pairs, input::START)) {
        (None, Some(start)) => start_of(caller, workspace, opened, start).await?,
        _ => None,
    };
    let from = before.or(started.as_ref());
    let parameters = from.map(|typed| typed.draft.parameters.clone()).or_else(|| opened.existing.parameters.clone());
    let base = Base { parameters: parameters.unwrap_or(Value::Null), terms: from.and_then(|typed| typed.terms.clone()) };
    // The script shows the fields of another version as soon as it is chosen.
    match field(pairs, input::RENDERED).filter(|rendered| *rendered != opened.spec.version) {
        Some(rendered) => {
            opened.use_version(caller, workspace, rendered)?;
            Ok(Base { parameters: promise::upgrade::carried(&opened.spec, &opened.spec, &base.parameters).parameters, ..base })
        }
        None => Ok(base),
    }
}

/// The entered values of a posted form.
pub(super) struct Entered {
    /// The values.
    pub(super) typed: Typed,
    /// Entered secrets.
    pub(super) secrets: Secrets,
}

/// Parses the posted fields, or the posted manifest. `before` is the draft that the form was opened with.
pub(super) fn entered(opened: &Opened, of: &FormOf<'_>, pairs: &Pairs, before: Option<&Typed>, base: &Value) -> Entered {
    let Entered { mut typed, secrets } = match field(pairs, input::MANIFEST) {
        Some(text) => Entered { typed: source::entered(opened, text, before, base), secrets: Secrets::new() },
        None => filled_in(opened, of, pairs, before, base),
    };
    typed.given = Given::posted(pairs);
    typed.version = match of {
        FormOf::New { .. } => None,
        FormOf::Edit { .. } => field(pairs, input::VERSION).map(str::to_owned).or_else(|| opened.start.version.clone()),
    };
    let needed_for = field(pairs, input::NEEDED_FOR).and_then(NeededFor::parse);
    typed.needed_for = needed_for.or_else(|| before.and_then(|before| before.needed_for.clone()));
    let original = before.and_then(|before| before.original.clone());
    let is_present = typed.version.is_some() && typed.version == opened.start.version;
    let reason = before.and_then(|before| before.original_reason.clone());
    typed.original_reason = reason.or_else(|| is_present.then(|| opened.existing.reason.clone().unwrap_or_default()));
    typed.original = original.or_else(|| is_present.then(|| opened.existing.parameters.clone().unwrap_or_else(|| json!({}))));
    Entered { typed, secrets }
}

/// Parses the posted fields.
fn filled_in(opened: &Opened, of: &FormOf<'_>, pairs: &Pairs, before: Option<&Typed>, base: &Value) -> Entered {
    let mut parsed = parse(pairs, &opened.spec, &opened.effective, base);
    // A preset can name values that can't change. It changes the others.
    if let Some(accepted) = opened.accepted() {
        keep_immutable(&opened.spec, accepted, &mut parsed.draft.parameters);
    }
    let of_new = |name: &str| field(pairs, name).map(|text| text.trim().to_owned());
    let (name, namespace) = match of {
        FormOf::New { .. } => {
            let namespace = of_new(input::NAMESPACE).or_else(|| before.map(|before| before.namespace.clone()));
            (of_new(input::NAME).unwrap_or_default(), namespace.unwrap_or_else(|| opened.start.namespace.clone()))
        }
        FormOf::Edit { namespace, name, .. } => ((*name).to_owned(), (*namespace).to_owned()),
    };
    let typed = Typed {
        name,
        namespace,
        // Browsers send line breaks of text areas as two characters.
        reason: field(pairs, input::REASON).unwrap_or_default().replace("\r\n", "\n"),
        draft: parsed.draft,
        focus: parsed.focus,
        source: before.and_then(|before| before.source.clone()).map(Source::hidden),
        ..Typed::default()
    };
    Entered { typed, secrets: parsed.secrets }
}

/// Returns the initial state of a form that starts from a version, or a new form that starts from a preset of the promise or the workspace,
/// an example or another request, or the form of a request that starts from a release or
/// renews it. `None` if there is no such start.
pub(super) async fn start_of(caller: &Caller, workspace: &Workspace, opened: &mut Opened, start: &str) -> Result<Option<Typed>> {
    if let Some(version) = start.strip_prefix(routes::VERSION_START) {
        return terms::start_of_version(caller, workspace, opened, version);
    }
    if opened.is_edit() {
        return match start.strip_prefix(routes::RELEASE_START) {
            None if start == routes::RENEWAL_START => terms::start_of_renewal(caller, workspace, opened).await,
            Some(release) => terms::start_of_release(caller, workspace, opened, release).await,
            None => Ok(None),
        };
    }
    if let Some(id) = start.strip_prefix(SAVED) {
        let values = presets::values(caller, workspace, opened, id).await?;
        return Ok(values.map(|values| Typed { draft: Draft::of(values), focus: Some("name".to_owned()), ..opened.start.clone() }));
    }
    if let Some(text) = start.strip_prefix(VALUES) {
        let values = promise::form::yaml::read(text).ok().filter(Value::is_object);
        let values = values.map(|values| presets::without_secrets(opened, values));
        return Ok(values.map(|values| Typed { draft: Draft::of(values), ..opened.start.clone() }));
    }
    let Some((namespace, name)) = start.strip_prefix(COPY).and_then(|request| request.split_once('/')) else {
        let parameters = starts_from(&opened.spec, start);
        return Ok(parameters.map(|parameters| Typed { draft: Draft::of(parameters), ..opened.start.clone() }));
    };
    let request = match caller.read_request(workspace, namespace, name).await {
        Ok(request) if request.spec.promise.name == opened.offered.key.name => request,
        Ok(_) | Err(promise::Error::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let parameters = presets::without_secrets(opened, request.spec.parameters.unwrap_or_else(|| json!({})));
    let namespace = request.metadata.namespace.unwrap_or_else(|| opened.start.namespace.clone());
    Ok(Some(Typed { namespace, draft: Draft::of(parameters), focus: Some("name".to_owned()), ..opened.start.clone() }))
}
