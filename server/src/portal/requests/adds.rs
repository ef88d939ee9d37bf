//! Every line that the platform creates, before and after a request is submitted.

use app::backend::FormOf;
use app::view::{AddedLine, AddedObject, AddsPage, LineFrom, LineSide};
use promise::Result;
use promise::api::PromiseSpec;
use promise::attribute::{AttributedObject, Line, LineOrigin, ObjectDifference, Side};
use promise::path::Path;
use promise::wording::{all_of, label};

use super::{form, kept};
use crate::portal::Caller;
use crate::portal::catalog::lines;
use crate::portal::place::Workspace;
use crate::portal::preflight::Examined;

/// Returns the page for a draft, or for the form as it opens. A change is compared with what is running now.
pub(super) async fn of_form(caller: &Caller, workspace: &Workspace, of: FormOf<'_>, draft: Option<&str>) -> Result<AddsPage> {
    let compare = if matches!(of, FormOf::Edit { .. }) { Compare::Always } else { Compare::Never };
    shown(caller, workspace, of, draft, compare).await
}

/// Returns the page for an existing request: what was created, and what would change if it were created again today.
pub(super) async fn of_request(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str) -> Result<AddsPage> {
    shown(caller, workspace, FormOf::Edit { namespace, name, start: None }, None, Compare::WhereItDiffers).await
}

/// When the objects to create are compared with what is running now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compare {
    /// Nothing is running yet.
    Never,
    /// The page is about the difference.
    Always,
    /// The page is about what is running. Rules and prices might have changed since it was accepted, so today's result can differ from what
    /// was created.
    WhereItDiffers,
}

async fn shown(caller: &Caller, workspace: &Workspace, of: FormOf<'_>, draft: Option<&str>, compare: Compare) -> Result<AddsPage> {
    let mut opened = form::open(caller, workspace, &of).await?;
    let typed = match draft {
        Some(id) => kept::of(caller, workspace, &of, &mut opened, id).await?.map_or_else(|| opened.start.clone(), |kept| kept.typed),
        None => opened.start.clone(),
    };
    let examined = caller.examine(workspace, &opened.offered, &opened.submission(&typed)).await?;
    let offer = lines::offer(&opened.offered);
    let difference = examined.difference.as_deref().unwrap_or_default();
    let runs_on = compare == Compare::WhereItDiffers && examined.added.is_empty();
    let compared = !runs_on
        && match compare {
            Compare::Never => false,
            Compare::Always => examined.difference.is_some(),
            Compare::WhereItDiffers => difference.iter().any(|object| object.changed),
        };
    let requester = opened.requester(caller);
    let told = Told { spec: &opened.spec, requester: &requester };
    let objects: Vec<AddedObject> = if runs_on {
        // It would not be accepted today but is still running: all lines are shown as created.
        difference.iter().map(|object| kept(told, object)).collect()
    } else {
        objects(told, &examined.added, compared.then_some(difference))
    };
    Ok(AddsPage {
        title: offer.display_name,
        icon: offer.icon,
        name: typed.name,
        compared,
        requester,
        unknown: objects.is_empty().then(|| unknown(&examined)),
        objects,
    })
}

/// Explains why nothing can be shown.
fn unknown(examined: &Examined) -> String {
    let first = examined.preflight.all_problems().into_iter().next().map(|problem| problem.message);
    let unknown = examined.preflight.unknown.first().map(|unknown| unknown.why.clone());
    first.or(unknown).unwrap_or_else(|| "This promise creates no objects.".to_owned())
}

/// What origins are described with.
#[derive(Clone, Copy)]
pub(in crate::portal) struct Told<'a> {
    /// The promise.
    pub(in crate::portal) spec: &'a PromiseSpec,
    /// Who wrote the parameters: `You` for the current user, otherwise a name.
    pub(in crate::portal) requester: &'a str,
}

/// Returns objects line by line. If there is a difference, compared with what was there before.
pub(in crate::portal) fn objects(told: Told<'_>, added: &[AttributedObject], difference: Option<&[ObjectDifference]>) -> Vec<AddedObject> {
    match difference {
        Some(difference) => difference.iter().map(|object| changed(told, object, added)).collect(),
        None => added.iter().map(|object| plain(told, object)).collect(),
    }
}

fn plain(told: Told<'_>, object: &AttributedObject) -> AddedObject {
    AddedObject {
        title: object.title.clone(),
        destination: object.destination.clone().unwrap_or_default(),
        why: why(told, object),
        side: LineSide::Kept,
        lines: object.lines.iter().map(|line| added(told, line, LineSide::Kept)).collect(),
    }
}

fn changed(told: Told<'_>, difference: &ObjectDifference, added_now: &[AttributedObject]) -> AddedObject {
    let now = added_now.iter().find(|object| object.id == difference.id);
    AddedObject {
        title: difference.title.clone(),
        destination: now.and_then(|object| object.destination.clone()).unwrap_or_default(),
        why: now.map(|object| why(told, object)).unwrap_or_default(),
        side: side(difference.side),
        lines: difference.lines.iter().map(|line| added(told, &line.line, side(line.side))).collect(),
    }
}

fn kept(told: Told<'_>, object: &ObjectDifference) -> AddedObject {
    AddedObject {
        title: object.title.clone(),
        destination: String::new(),
        why: String::new(),
        side: LineSide::Kept,
        lines: object.lines.iter().map(|line| added(told, &line.line, LineSide::Kept)).collect(),
    }
}

fn side(side: Side) -> LineSide {
    match side {
        Side::Kept => LineSide::Kept,
        Side::Added => LineSide::Added,
        Side::Removed => LineSide::Removed,
    }
}

/// Explains why an object is included, or what it waits for.
fn why(told: Told<'_>, object: &AttributedObject) -> String {
    let because: Vec<String> = object.because.iter().map(|origin| words(told, origin).1).collect();
    let because = if because.is_empty() { String::new() } else { format!("Included because of {}.", all_of(&because)) };
    match &object.waits_for {
        Some(waits) => format!("{because} Waits for {waits}.").trim().to_owned(),
        None => because,
    }
}

fn added(told: Told<'_>, line: &Line, side: LineSide) -> AddedLine {
    let (origin, label) = words(told, &line.origin);
    let policy = match &line.origin {
        LineOrigin::Policy { rule } if rule.origin != promise::policy::Origin::Promise => {
            Some((rule.workspace.clone(), rule.policy.clone()))
        }
        _ => None,
    };
    let also = line.also.iter().map(|origin| words(told, origin).1).collect();
    AddedLine { text: line.text.clone(), origin, label, policy, also, side }
}

/// Returns the kind of an origin, and its description.
fn words(told: Told<'_>, origin: &LineOrigin) -> (LineFrom, String) {
    let field = |path: &str| match path.strip_prefix(".parameters").and_then(|rest| Path::parse(rest).ok()) {
        Some(path) => label(told.spec, &path),
        None => path.trim_start_matches('.').to_owned(),
    };
    match origin {
        LineOrigin::You { path } => (LineFrom::You, format!("{}: {}", told.requester, field(path))),
        LineOrigin::Default { path } => (LineFrom::Default, format!("Default: {}", field(path))),
        LineOrigin::Policy { rule } => (LineFrom::Policy, format!("Policy {}", rule.title.clone().unwrap_or_else(|| rule.policy.clone()))),
        LineOrigin::Later { waits_for } => (LineFrom::Later, format!("Known after apply: {waits_for}")),
        LineOrigin::Platform => (LineFrom::Platform, "Platform".to_owned()),
        LineOrigin::Promise => (LineFrom::Promise, "Promise".to_owned()),
    }
}
