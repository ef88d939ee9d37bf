//! Everything about one promise before one asks for it.

use promise::api::{Example, PromiseRef, PromiseRequestSpec};
use promise::form::{Control, Draft, Field};
use promise::view::{ExampleLine, FieldLine, LinkLine, OutputLine, PromisePage, VersionLine};
use promise::{Error, Result, names};
use serde_json::json;

use super::lines;
use crate::auth::Caller;
use crate::portal::offers::Offered;
use crate::portal::place::Workspace;

/// The page of a promise; of a shadowed one the home is named.
pub(super) fn page(caller: &Caller, workspace: &Workspace, offers: &[Offered], name: &str, home: Option<&str>) -> Result<PromisePage> {
    let named = || offers.iter().filter(|offered| offered.key.name == name);
    let offered = named()
        .find(|offered| home.map_or(!offered.shadowed, |home| offered.home.path == home))
        .ok_or_else(|| Error::NotFound { what: format!("promise {name}") })?;
    let spec = &offered.promise.spec;
    let (effective, policies_unknown) = match caller.rules(workspace, &offered.home, name, spec) {
        Ok(effective) => (Some(effective), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let fields = effective.as_ref().map(|effective| {
        let form = promise::form::model(spec, effective, &Draft::of(json!({})), &[]);
        form.fields().into_iter().filter_map(field).collect()
    });
    let maintainer = spec.presentation.maintainer.as_ref();
    Ok(PromisePage {
        row: lines::offer(offered),
        description: spec.presentation.description.clone().unwrap_or_default(),
        links: spec.presentation.links.iter().map(|link| LinkLine { title: link.title.clone(), url: link.url.clone() }).collect(),
        contact: maintainer.and_then(|maintainer| maintainer.contact.clone()).unwrap_or_default(),
        deprecation: spec.deprecation.as_ref().and_then(|deprecation| deprecation.message.clone()),
        fields: fields.unwrap_or_default(),
        policies: effective.as_ref().map(lines::policies).unwrap_or_default(),
        policies_unknown,
        versions: versions(caller, offered),
        examples: spec.examples.iter().map(|example| sample(offered, example)).collect(),
        outputs: spec
            .outputs
            .iter()
            .map(|output| OutputLine {
                name: output.name.clone(),
                description: output.description.clone().unwrap_or_default(),
                secret: output.secret_ref.is_some(),
            })
            .collect(),
        shadowed_by: offered.shadowed.then(|| named().find(|other| !other.shadowed).map(|other| other.home.path.clone())).flatten(),
    })
}

fn field(field: &Field) -> Option<FieldLine> {
    let kind = match &field.control {
        Control::Group { .. } => return None,
        Control::Choice { .. } => "one of several",
        Control::Tick { .. } => "yes or no",
        Control::List { .. } => "list",
        Control::Map { .. } => "names with values",
        Control::Yaml { .. } => "YAML",
        Control::Secret { .. } => "secret",
        Control::Fixed { .. } => "fixed",
        Control::Text { .. } | Control::Area { .. } => "text",
    };
    Some(FieldLine {
        path: field.path.clone(),
        label: field.label.clone(),
        kind: kind.to_owned(),
        required: field.required,
        default: field.default.clone().unwrap_or_default(),
        allowed: field.constraint.clone().unwrap_or_default(),
        help: field.hint.clone().unwrap_or_default(),
    })
}

/// Published versions, newest first.
fn versions(caller: &Caller, offered: &Offered) -> Vec<VersionLine> {
    let revisions = caller.portal().world.revisions.snapshot();
    let mut found: Vec<VersionLine> = revisions
        .iter()
        .filter(|(key, revision)| key.cluster == offered.key.cluster && revision.spec.promise == offered.key.name)
        .map(|(key, revision)| VersionLine {
            version: revision.spec.version.clone(),
            revision: key.name.clone(),
            since: revision.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
            newest: false,
        })
        .collect();
    found.sort_by_key(|line| std::cmp::Reverse(semver(&line.version)));
    if let Some(newest) = found.first_mut() {
        newest.newest = true;
    }
    found
}

fn semver(text: &str) -> Option<semver::Version> {
    semver::Version::parse(text).ok()
}

/// An example as a whole request, to copy.
fn sample(offered: &Offered, example: &Example) -> ExampleLine {
    let spec = PromiseRequestSpec {
        promise: PromiseRef { name: offered.key.name.clone(), workspace: Some(offered.home.path.clone()), version: None },
        parameters: example.parameters.clone(),
        ..PromiseRequestSpec::default()
    };
    let request = json!({
        "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
        "metadata": {"name": example.name, "namespace": "default"},
        "spec": {"promise": spec.promise, "parameters": spec.parameters},
    });
    ExampleLine {
        name: example.name.clone(),
        description: example.description.clone().unwrap_or_default(),
        yaml: serde_saphyr::to_string(&request).unwrap_or_default(),
    }
}
