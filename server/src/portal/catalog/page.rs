//! The page of one promise before it is requested.

use app::view::{ExampleLine, FieldLine, LinkLine, OfferRow, OutputLine, PriceView, PromisePage, StartLine, VersionLine, policy_lines};
use promise::api::{Example, PromiseRef, PromiseRequestSpec, PromiseSpec, Requester};
use promise::form::{ByLine, FieldReference, FieldType, from_example, from_preset, reference};
use promise::policy::{Conditional, Effective};
use promise::price::{Amount, Change, Day, Estimate, Money};
use promise::{Error, Result, changelog, names, versions, wording};
use serde_json::json;

use super::{instances, lines};
use crate::portal::Caller;
use crate::portal::offers::{Offered, Offers};
use crate::portal::place::Workspace;
use crate::portal::preflight::Existing;
use crate::portal::requests::{preflight_panel, required};
use crate::portal::submit::Submission;

/// Maximum number of fields that the page lists.
const FIELDS: usize = 200;
/// Maximum length of all longer texts about them, in bytes.
const LONGER_TEXTS: usize = 32 << 10;

/// Returns the page of a promise. A shadowed promise needs its home as well.
pub(super) async fn page(caller: &Caller, offers: &Offers<'_>, name: &str, home: Option<&str>) -> Result<PromisePage> {
    let (workspace, named) = (offers.workspace(), offers.named(name));
    let offered = named
        .iter()
        .find(|offered| home.map_or(!offered.shadowed, |home| offered.home.path == home))
        .ok_or_else(|| Error::NotFound { what: format!("promise {name}") })?;
    let spec = &offered.promise.spec;
    let (effective, policies_unknown) = match caller.rules(workspace, &offered.home, name, spec) {
        Ok(effective) => (Some(effective), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let fields = effective.as_ref().map(|effective| reference(spec, effective, FIELDS)).unwrap_or_default();
    let mut room = LONGER_TEXTS;
    let maintainer = spec.presentation.maintainer.as_ref();
    let here = instances::here(caller, workspace, std::slice::from_ref(offered)).await.into_iter().next().flatten();
    let new_version = instances::is_new_version(caller, offered);
    Ok(PromisePage {
        row: OfferRow { here, new_version, ..lines::offer(offered) },
        description: spec.presentation.description.clone().unwrap_or_default(),
        links: spec.presentation.links.iter().map(|link| LinkLine { title: link.title.clone(), url: link.url.clone() }).collect(),
        contact: maintainer.and_then(|maintainer| maintainer.contact.clone()).unwrap_or_default(),
        deprecation: spec.deprecation.as_ref().and_then(|deprecation| deprecation.message.clone()),
        field_count: fields.count,
        fields_left_out: fields.left_out,
        fields: fields.fields.into_iter().map(|one| field(one, effective.as_ref(), &mut room)).collect(),
        policies: effective.as_ref().map(|effective| policy_lines(effective, &[])).unwrap_or_default(),
        policies_unknown,
        price: price(caller, workspace, offered).await,
        next_price: next_price(caller, workspace, offered).await,
        versions: published(caller, offered),
        presets: presets(spec),
        examples: spec.examples.iter().map(|example| sample(offered, example)).collect(),
        outputs: spec
            .outputs
            .iter()
            .map(|output| OutputLine {
                name: output.name.clone(),
                description: output.description.clone().unwrap_or_default(),
                secret: promise::connection::is_secret(&spec.outputs, output),
            })
            .collect(),
        required: required::of(offers, &offers.missing(&offered.key.cluster, &spec.requires)),
        shadowed_by: offered.shadowed.then(|| named.iter().find(|other| !other.shadowed).map(|other| other.home.path.clone())).flatten(),
    })
}

/// For whom a price is computed: rules can depend on the requester.
#[derive(Clone, Copy)]
pub(super) enum For {
    /// The user who views the page.
    Caller,
    /// No particular user.
    Anybody,
}

/// Returns the submission that an offer proposes.
fn proposed(caller: &Caller, workspace: &Workspace, offered: &Offered, whom: For) -> Submission {
    let requester = match whom {
        For::Caller => None,
        For::Anybody => Some(Requester::default()),
    };
    let request = PromiseRequestSpec { parameters: Some(json!({})), requester, ..PromiseRequestSpec::default() };
    Submission {
        namespace: workspace.usual_namespace().to_owned(),
        name: offered.key.name.clone(),
        promise: caller.published(offered, &request, None),
        spec: request,
        existing: Existing::default(),
        awaited: std::collections::BTreeSet::new(),
        secrets: std::collections::BTreeMap::new(),
    }
}

/// Returns the price of what an offer proposes, and the lowest price with one choice changed to a value that is accepted. `None` if the promise has no price.
pub(super) async fn least(caller: &Caller, workspace: &Workspace, offered: &Offered, whom: For) -> Option<(Estimate, Option<Money>)> {
    let submission = proposed(caller, workspace, offered, whom);
    // The price is additional information: if it can't be computed, the page is shown without it.
    let examined = caller.examine(workspace, offered, &submission).await.ok()?;
    // Where the proposal needs more values, no choice alone makes a request that is accepted.
    let is_complete = examined.preflight.resolved.is_accepted();
    let estimate = examined.preflight.estimate?;
    let others = examined.choices.iter().filter(|choice| choice.fits || !is_complete).filter_map(|choice| choice.change.after.money());
    let least = estimate.monthly.money().into_iter().chain(others).min_by_key(|money| money.micros).cloned();
    Some((estimate, least))
}

async fn price(caller: &Caller, workspace: &Workspace, offered: &Offered) -> PriceView {
    let Some((estimate, least)) = least(caller, workspace, offered, For::Caller).await else { return PriceView::default() };
    PriceView { monthly: least.map(|money| money.to_string()), ..preflight_panel::price(Some(&estimate)) }
}

/// Describes when the price of what an offer proposes will change for the user. Also additional information: `None` if it can't be
/// computed.
async fn next_price(caller: &Caller, workspace: &Workspace, offered: &Offered) -> Option<String> {
    let submission = proposed(caller, workspace, offered, For::Caller);
    let (day, change) = caller.next_price(workspace, offered, &submission).await.ok()??;
    Some(next_sentence(day, &change))
}

fn next_sentence(day: Day, change: &Change) -> String {
    let told = |amount: &Amount, each: &str| amount.money().map_or_else(|| "unknown".to_owned(), |money| format!("{money}{each}"));
    format!("From {}: {} (today {}).", day.title(), told(&change.after, " a month"), told(&change.before, ""))
}

/// Returns a field with those below it. `room` is how much of longer texts the page still has place for, in bytes.
fn field(field: FieldReference, effective: Option<&Effective>, room: &mut usize) -> FieldLine {
    let kind = match field.r#type {
        FieldType::Choice => "Choice",
        FieldType::Switch => "On–off",
        FieldType::WholeNumber => "Whole number",
        FieldType::Number => "Number",
        FieldType::Text => "Text",
        FieldType::List => "List",
        FieldType::Rows => "List of entries",
        FieldType::Map => "Key–value pairs",
        FieldType::Entries => "Named entries",
        FieldType::Group => "Group",
        FieldType::Yaml => "YAML",
        FieldType::Secret => "Secret",
        FieldType::Fixed => "Fixed",
    };
    let conditional_rules = effective.into_iter().flat_map(|effective| &effective.conditional);
    let under_condition = conditional_rules.filter(|rule| rule.holds != Some(true) && rule.path == field.path).map(conditional);
    let more = field.more.filter(|text| text.len() <= *room).unwrap_or_default();
    *room -= more.len();
    FieldLine {
        path: field.path.to_string(),
        label: field.label,
        kind: kind.to_owned(),
        required: field.required,
        default: field.default.unwrap_or_default(),
        allowed: field.allowed.unwrap_or_default(),
        help: field.help.unwrap_or_default(),
        more,
        by: field.by.into_iter().chain(under_condition).collect(),
        fields: field.fields.into_iter().map(|below| self::field(below, effective, room)).collect(),
        left_out: field.left_out,
    }
}

fn conditional(rule: &Conditional) -> ByLine {
    ByLine::of(rule.sentence.trim_end_matches('.'), &rule.from)
}

fn presets(spec: &PromiseSpec) -> Vec<StartLine> {
    let presets = spec.form.presets.iter().map(|preset| StartLine {
        start: from_preset(&preset.name),
        title: wording::humanise(&preset.name),
        description: preset.description.clone().unwrap_or_default(),
    });
    presets.collect()
}

/// Returns the published versions, newest first, each with what changed since the one before.
fn published(caller: &Caller, offered: &Offered) -> Vec<VersionLine> {
    let mut revisions = caller.portal().world.revisions_of(&offered.key.cluster, &offered.key.name);
    revisions.sort_by_key(|(_, revision)| std::cmp::Reverse(semver(&revision.spec.version)));
    let line = |index: usize| {
        let (key, revision) = revisions.get(index)?;
        let before = revisions.get(index + 1).map(|(_, before)| &before.spec.spec);
        Some(VersionLine {
            version: revision.spec.version.clone(),
            revision: key.name.clone(),
            since: revision.metadata.creation_timestamp.as_ref().map(|time| time.0.to_string()).unwrap_or_default(),
            newest: index == 0,
            changes: before.map(|before| versions::between(before, &revision.spec.spec)),
            described: changelog::of(&offered.promise.spec.presentation.changelog, &revision.spec.version).to_vec(),
        })
    };
    (0..revisions.len()).filter_map(line).collect()
}

pub(super) fn semver(text: &str) -> Option<semver::Version> {
    semver::Version::parse(text).ok()
}

/// Turns words into a valid object name: `Orders (small)` becomes `orders-small`.
fn object_name(words: &str) -> String {
    let plain: String =
        words.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        "example".to_owned()
    } else {
        parts.join("-").chars().take(50).collect::<String>().trim_end_matches('-').to_owned()
    }
}

/// Returns an example as a complete request, ready to copy.
fn sample(offered: &Offered, example: &Example) -> ExampleLine {
    let spec = PromiseRequestSpec {
        promise: PromiseRef { name: offered.key.name.clone(), workspace: Some(offered.home.path.clone()), version: None },
        parameters: example.parameters.clone(),
        ..PromiseRequestSpec::default()
    };
    let request = json!({
        "apiVersion": names::API_VERSION, "kind": "PromiseRequest",
        "metadata": {"name": object_name(&example.name), "namespace": "default"},
        "spec": {"promise": spec.promise, "parameters": spec.parameters},
    });
    ExampleLine {
        name: example.name.clone(),
        start: from_example(&example.name),
        description: example.description.clone().unwrap_or_default(),
        yaml: serde_saphyr::to_string(&request).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use promise::price::{Amount, Change, Day, Money};

    use super::{next_sentence, object_name};

    #[test]
    fn a_later_price_is_told_with_its_day_and_the_price_of_today() {
        let euros = |micros: i64| Amount::Known(Money::new(micros, "EUR"));
        let said = |before: Amount, after: Amount| next_sentence(Day::parse("2027-01-01").unwrap(), &Change { before, after });
        assert_eq!(said(euros(77_700_000), euros(84_000_000)), "From 1 January 2027: €84.00 a month (today €77.70).");
        assert_eq!(said(euros(77_700_000), Amount::Unknown("gone".into())), "From 1 January 2027: unknown (today €77.70).");
        assert_eq!(said(Amount::Unknown("none".into()), euros(84_000_000)), "From 1 January 2027: €84.00 a month (today unknown).");
    }

    #[test]
    fn examples_get_names_that_the_plane_takes() {
        for (words, name) in
            [("Orders", "orders"), ("Orders (small)", "orders-small"), ("Ä", "example"), (&"ab ".repeat(30), &"ab-".repeat(17)[..50])]
        {
            assert_eq!(object_name(words), name);
        }
    }
}
