//! A promise or a request in detail, as text.

use std::fmt::Write as _;

use promise::api::{ApprovalState, Decision, Health};
use promise::rest::{PromiseDetail, RequestApproval, RequestDetail};
use promise::wording;
use serde_json::Value;

use crate::commands::Called;
use crate::fields::{Field, fields};
use crate::output::{Cell, Output, Table, actor, age, available, monthly, one_line, price, printable, state};
use crate::terminal::{BAD, FAINT, GOOD, HEADING, Terminal, WAITING, styled};
use crate::{preflight, write};

/// Width of the labels at the top.
const LABEL: usize = 13;
/// Number of versions whose changes are shown.
const DESCRIBED_VERSIONS: usize = 3;

/// Returns a promise with everything that a request needs.
pub(crate) fn promise(detail: &PromiseDetail, output: Output, called: Called) -> String {
    let summary = &detail.summary;
    let mut text = format!("{}\n", styled(HEADING, &one_line(&summary.title, usize::MAX)));
    if let Some(about) = &summary.summary {
        let _ = writeln!(text, "{}", one_line(about, usize::MAX));
    }
    text.push('\n');
    line(&mut text, "Name", &summary.name);
    line(&mut text, "Version", &summary.version);
    cell(&mut text, "Available", &available(summary));
    line(&mut text, "", summary.availability.message.as_deref().unwrap_or_default());
    line(&mut text, "Price", &price(summary));
    line(&mut text, "Team", summary.team.as_deref().unwrap_or_default());
    line(&mut text, "Contact", detail.contact.as_deref().unwrap_or_default());
    line(&mut text, "Home", &summary.home);
    line(&mut text, "Versions", &summary.versions.join(", "));
    if let Some(deprecation) = &detail.deprecation {
        line(&mut text, "Deprecated", deprecation.message.as_deref().unwrap_or("yes"));
        line(&mut text, "Use instead", deprecation.replaced_by.as_deref().unwrap_or_default());
        line(&mut text, "Until", deprecation.remove_after.as_deref().unwrap_or_default());
    }
    if let Some(description) = detail.description.as_ref().filter(|_| output == Output::Wide) {
        let lines: String = printable(description).lines().map(|line| format!("  {line}\n")).collect();
        let _ = write!(text, "\n{}\n{lines}", styled(HEADING, "Description"));
    }
    let all = fields(&write::spec(detail), &[]);
    if !all.is_empty() {
        let _ = write!(text, "\n{}\n{}", styled(HEADING, "Fields"), listed(&all, output));
    }
    section(&mut text, "Changelog", changelog(detail, output).into_iter());
    section(
        &mut text,
        "Presets",
        detail.form.presets.iter().map(|preset| (preset.name.clone(), preset.description.clone().unwrap_or_default())),
    );
    section(
        &mut text,
        "Outputs",
        detail.outputs.iter().map(|of| {
            let secret = if of.secret { "Secret. " } else { "" };
            (of.name.clone(), format!("{secret}{}", of.description.as_deref().unwrap_or_default()))
        }),
    );
    if let Some(why) = &detail.rules_unknown {
        let _ = write!(text, "\n{}\n  {}\n", styled(HEADING, "Policies"), one_line(why, usize::MAX));
    }
    section(
        &mut text,
        "Policies",
        detail.rules.iter().map(|rule| (rule.title.clone(), format!("{} (set at {})", rule.message, rule.source))),
    );
    if let Some(of) = &detail.default_price {
        let lines: String = preflight::price(of).map(|line| format!("  {line}\n")).collect();
        let _ = write!(text, "\n{}\n{lines}", styled(HEADING, "Price with default values"));
    }
    let _ = write!(text, "\n{}\n  {} promise request {}{}\n", styled(HEADING, "Request it"), called.name(), summary.name, example(&all));
    text
}

/// What its team says about the versions, newest first: about all of them with `-o wide`, and otherwise about the newest ones.
fn changelog(detail: &PromiseDetail, output: Output) -> Vec<(String, String)> {
    let described = detail.published.iter().filter(|version| !version.changes.is_empty());
    let described = described.take(if output == Output::Wide { usize::MAX } else { DESCRIBED_VERSIONS });
    let lines = described.flat_map(|version| {
        let names = std::iter::once(version.version.clone()).chain(std::iter::repeat(String::new()));
        names.zip(version.changes.iter().map(|change| one_line(change, usize::MAX)))
    });
    lines.collect()
}

/// Required flags, and otherwise the first one, with what they accept.
fn example(fields: &[Field]) -> String {
    let mut needed: Vec<&Field> = fields.iter().filter(|field| field.required).collect();
    if needed.is_empty() {
        needed.extend(fields.first());
    }
    needed.iter().map(|field| format!(" {}", field.usage())).collect()
}

fn listed(fields: &[Field], output: Output) -> String {
    let mut table = Table::new(output, &["FLAG", "DEFAULT", "ABOUT"]).indented();
    for field in fields {
        let default = match &field.default {
            _ if field.required => Cell::new("required", WAITING),
            Some(Value::Object(_)) | None => Cell::new("–", FAINT),
            Some(value) => wording::value(value).into(),
        };
        let about = if field.help.is_empty() { &field.label } else { &field.help };
        table.row(vec![one_line(&field.usage(), 60).into(), default, about.clone().into()]);
    }
    table.render()
}

/// Returns a request with its state.
pub(crate) fn request(detail: &RequestDetail, output: Output, terminal: &Terminal<'_>) -> String {
    let (summary, now) = (&detail.summary, (terminal.now)());
    let mut text = format!("{}\n\n", styled(HEADING, &summary.name));
    line(&mut text, "Workspace", &summary.workspace);
    line(&mut text, "Namespace", &summary.namespace);
    line(&mut text, "Promise", &format!("{} {}", summary.promise, summary.version));
    cell(&mut text, "State", &state(summary.state));
    line(&mut text, "Change", summary.change.map(|change| change.label()).unwrap_or_default());
    let since = summary.since.as_ref().map(|since| format!(" (for {})", age(since, now))).unwrap_or_default();
    line(&mut text, "", &format!("{}{since}", one_line(&summary.message, usize::MAX)));
    line(&mut text, "Next", &detail.next.as_deref().map_or_else(|| actor(summary.actor).to_owned(), |next| one_line(next, usize::MAX)));
    line(&mut text, "Owner", &summary.owner);
    line(&mut text, "Project", summary.project.as_deref().unwrap_or_default());
    line(&mut text, "Reason", detail.spec.reason.as_deref().unwrap_or_default());
    line(&mut text, "Cost", &monthly(summary.cost.as_ref()));
    line(&mut text, "Created", &format!("{} ago", age(&summary.created, now)));
    if let Some(parameters) = detail.spec.parameters.as_ref().filter(|parameters| parameters.as_object().is_some_and(|all| !all.is_empty()))
    {
        let lines: String = printable(&promise::form::yaml::write(parameters)).lines().map(|line| format!("  {line}\n")).collect();
        let _ = write!(text, "\n{}\n{lines}", styled(HEADING, "Values"));
    }
    if !detail.approvals.is_empty() {
        let mut table = Table::new(output, &["RULE", "STATE", "APPROVERS", "GIVEN"]).indented();
        for rule in &detail.approvals {
            table.row(vec![rule.name.clone().into(), approval(rule), approvers(rule).into(), given(rule).into()]);
        }
        let _ = write!(text, "\n{}\n{}", styled(HEADING, "Approvals"), table.render());
    }
    if !detail.resources.is_empty() {
        let mut table = Table::new(output, &["KIND", "NAME", "AT", "HEALTH", "MESSAGE"]).indented();
        for of in &detail.resources {
            let health = match (of.applied, of.health) {
                (false, _) => Cell::new("not applied", WAITING),
                (true, Health::Healthy) => Cell::new("healthy", GOOD),
                (true, Health::Degraded) => Cell::new("unhealthy", BAD),
                (true, Health::Missing) => Cell::new("missing", BAD),
                (true, Health::Progressing) => Cell::new("starting", WAITING),
                (true, Health::Unknown) => Cell::new("unknown", FAINT),
            };
            let place = of.destination.clone().unwrap_or_else(|| "workspace".to_owned());
            table.row(vec![
                of.kind.clone().into(),
                of.name.clone().into(),
                place.into(),
                health,
                of.message.clone().unwrap_or_default().into(),
            ]);
        }
        let _ = write!(text, "\n{}\n{}", styled(HEADING, "Resources"), table.render());
    }
    section(
        &mut text,
        "Outputs",
        detail.outputs.iter().map(|of| {
            let value = match (&of.value, &of.secret_ref) {
                (Some(value), _) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
                (None, Some(secret)) => format!("in the Secret {}, key {}", secret.name, secret.key),
                (None, None) if of.secret && of.available => "secret".to_owned(),
                (None, None) => "not available yet".to_owned(),
            };
            (of.name.clone(), value)
        }),
    );
    if output == Output::Wide {
        section(
            &mut text,
            "Conditions",
            detail.conditions.iter().map(|of| (of.r#type.clone(), format!("{:?}: {} {}", of.status, of.reason, of.message))),
        );
        section(
            &mut text,
            "Policies",
            detail.policies.iter().map(|of| (of.policy.clone(), format!("{:?} {}", of.result, of.message.as_deref().unwrap_or_default()))),
        );
    }
    text
}

fn approval(rule: &RequestApproval) -> Cell {
    let (word, style) = match rule.state {
        ApprovalState::Approved => ("approved", GOOD),
        ApprovalState::Rejected => ("rejected", BAD),
        ApprovalState::ChangesRequested => ("changes requested", WAITING),
        ApprovalState::Waiting => ("waiting", WAITING),
        ApprovalState::Queued => ("later", FAINT),
        ApprovalState::AwaitingWindow => ("waiting for window", WAITING),
    };
    Cell::new(word, style)
}

fn approvers(rule: &RequestApproval) -> String {
    let named: Vec<String> = rule.approvers.groups.iter().chain(&rule.approvers.users).cloned().collect();
    let who = if named.is_empty() { "anyone who can approve".to_owned() } else { named.join(", ") };
    format!("{} of {who}", rule.required)
}

fn given(rule: &RequestApproval) -> String {
    let verb = |decision: Decision| match decision {
        Decision::Approve => "approved",
        Decision::Reject => "rejected",
        Decision::Skip => "skipped a step",
        Decision::RequestChanges => "requested changes",
    };
    rule.given.iter().map(|given| format!("{} {}", given.by, verb(given.decision))).collect::<Vec<_>>().join(", ")
}

fn line(text: &mut String, label: &str, value: &str) {
    if !value.is_empty() {
        cell(text, label, &Cell::from(value));
    }
}

fn cell(text: &mut String, label: &str, value: &Cell) {
    let _ = writeln!(text, "{}{}{}", styled(FAINT, label), " ".repeat(LABEL - label.len()), value.measured().0);
}

fn section(text: &mut String, title: &str, rows: impl Iterator<Item = (String, String)>) {
    let mut table = Table::new(Output::Wide, &["", ""]).indented();
    let mut is_empty = true;
    for (name, value) in rows {
        is_empty = false;
        table.row(vec![name.into(), value.into()]);
    }
    if !is_empty {
        let _ = write!(text, "\n{}\n{}", styled(HEADING, title), table.rows());
    }
}
