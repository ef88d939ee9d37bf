//! `opm request approve` and `reject`, and the list of what waits for a decision.

use http::Method;
use promise::api::{Decision, WaitingReason};
use promise::rest::{ApprovalItem, DecisionBody, DecisionReceipt, RequestDetail};
use promise::risk::Risk;
use serde_json::json;

use crate::commands::Called;
use crate::error::NOT_FOUND;
use crate::output::{Cell, Output, Table, age, data, monthly, one_line};
use crate::portal::{Portal, Way, api};
use crate::target::Target;
use crate::terminal::{BAD, Terminal, WAITING};
use crate::{Error, Outcome};

/// What is decided on.
#[derive(Debug, clap::Args)]
struct Subject {
    /// Name of the request, or NAMESPACE/NAME.
    name: String,
    /// Rule to decide on, if several wait for you.
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// Step to decide on, if several steps of a workflow or action wait for you.
    #[arg(long, value_name = "ID")]
    step: Option<String>,
    /// Decide only if the request still has the content with this hash.
    #[arg(long, value_name = "HASH")]
    content: Option<String>,
}

/// Arguments of `approve`.
#[derive(Debug, clap::Args)]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    subject: Subject,
    /// Why, shown to everyone who can see the request.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Override all other approvers, or the window that a change waits for. It is recorded and everyone involved is notified.
    #[arg(long, requires = "reason")]
    emergency: bool,
}

/// Arguments of `reject`.
#[derive(Debug, clap::Args)]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    subject: Subject,
    /// Why, shown to the requester.
    #[arg(long, value_name = "TEXT", required = true)]
    reason: String,
    /// Request changes instead.
    #[arg(long)]
    changes: bool,
    /// Parameter that should change, such as .size; can be repeated.
    #[arg(long = "field", value_name = "PATH", requires = "changes")]
    fields: Vec<String>,
}

/// Lists what waits for the user's decision.
pub(crate) async fn list(way: &Way, output: Output, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let page = portal.list::<ApprovalItem>(&api(&["approvals"]), &[]).await?;
    match data(output, &page) {
        Some(text) => terminal.print(&text)?,
        None if output == Output::Name => {
            terminal.print(&page.items.iter().map(|item| format!("{}/{}\n", item.namespace, item.name)).collect::<String>())?
        }
        None if page.items.is_empty() => terminal.note("No requests need your approval.")?,
        None => {
            let mut table = Table::new(output, &["NAME", "WORKSPACE", "PROMISE", "VERSION", "OWNER", "COST", "RISK", "WAITING", "REASON"]);
            for item in &page.items {
                table.row(vec![
                    item.name.clone().into(),
                    item.workspace.clone().into(),
                    item.promise.clone().into(),
                    item.version.clone().into(),
                    item.owner.clone().into(),
                    monthly(item.cost.as_ref()).into(),
                    risk(item.risk),
                    age(&item.since, (terminal.now)()).into(),
                    item.reason.clone().unwrap_or_default().into(),
                ]);
            }
            terminal.print(&table.render())?;
        }
    }
    Ok(Outcome::Yes)
}

fn risk(risk: Risk) -> Cell {
    match risk {
        Risk::Low => risk.word().into(),
        Risk::Raised => Cell::new(risk.word(), WAITING),
        Risk::High => Cell::new(risk.word(), BAD),
    }
}

/// Approves a request.
pub(crate) async fn approve(args: &ApproveArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let body =
        DecisionBody { decision: Decision::Approve, comment: args.reason.clone(), emergency: args.emergency, ..DecisionBody::default() };
    decide(&args.subject, body, way, called, terminal).await
}

/// Rejects a request, or requests changes.
pub(crate) async fn reject(args: &RejectArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let decision = if args.changes { Decision::RequestChanges } else { Decision::Reject };
    let body = DecisionBody { decision, comment: Some(args.reason.clone()), fields: args.fields.clone(), ..DecisionBody::default() };
    decide(&args.subject, body, way, called, terminal).await
}

async fn decide(subject: &Subject, body: DecisionBody, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let portal = Portal::open(way).await?;
    let page = portal.list::<ApprovalItem>(&api(&["approvals"]), &[]).await?;
    let item = match chosen(&page.items, subject, way.workspace.as_deref(), called) {
        Err(error) if body.emergency => return change_now(&portal, subject, body, error, called, terminal).await,
        chosen => chosen?,
    };
    let content_hash = subject.content.clone().unwrap_or_else(|| item.content_hash.clone());
    let body = DecisionBody { rule: Some(rule(item, subject)?), content_hash, ..body };
    // What is decided on is shown before it is sent: the hash that is sent stands for exactly this.
    let why = item.reason.as_ref().map(|reason| format!("\n  Reason: {}", one_line(reason, usize::MAX))).unwrap_or_default();
    let risks = if item.risk_reasons.is_empty() { String::new() } else { format!("\n  Risk: {}", item.risk_reasons.join(", ")) };
    let cost = monthly(item.cost.as_ref());
    let ApprovalItem { name, workspace, promise, version, owner, .. } = item;
    let step = item.step.as_ref().map(|step| format!("\n  Step: {step}")).unwrap_or_default();
    let run = item.run.as_ref().map(|run| format!("\n  Run: {run}")).unwrap_or_default();
    terminal.note(&format!("{promise} {version} for {owner} in {workspace}, {cost}{step}{run}{why}{risks}"))?;
    let target = Target { workspace: workspace.clone(), namespace: item.namespace.clone(), name: name.clone() };
    let receipt = portal.send::<DecisionReceipt>(Method::POST, &target.decisions_path(), &[], &json!(body)).await?.body;
    let text = match receipt.decision {
        Decision::Approve => format!("Approved {name}.\n"),
        Decision::Reject => format!("Rejected {name}.\n"),
        Decision::Skip => format!("Skipped a step of {name}.\n"),
        Decision::RequestChanges => format!("Requested changes to {name}.\n"),
    };
    terminal.print(&text)?;
    Ok(Outcome::Yes)
}

/// Overrides the window that a change waits for. No one is asked about it, so only the request says what it waits for. `error` is why no
/// list has it.
async fn change_now(
    portal: &Portal,
    subject: &Subject,
    body: DecisionBody,
    error: Error,
    called: Called,
    terminal: &mut Terminal<'_>,
) -> Result<Outcome, Error> {
    let target = Target::find(portal, &subject.name, None, called).await?;
    let detail = portal.get::<RequestDetail>(&target.path(), &[]).await?.body;
    let Some(waiting) = detail.waiting_on.filter(|waiting| waiting.reason == WaitingReason::ChangeWindow) else { return Err(error) };
    let Some(content_hash) = subject.content.clone().or(detail.content_hash) else { return Err(error) };
    terminal.note(&waiting.message)?;
    let body = DecisionBody { rule: subject.rule.clone(), content_hash, ..body };
    portal.send::<DecisionReceipt>(Method::POST, &target.decisions_path(), &[], &json!(body)).await?;
    terminal.print(&format!("Overrode the window of {}.\n", target.name))?;
    Ok(Outcome::Yes)
}

/// Returns the request of that name that waits for the user.
fn chosen<'i>(items: &'i [ApprovalItem], subject: &Subject, workspace: Option<&str>, called: Called) -> Result<&'i ApprovalItem, Error> {
    let (namespace, name) = match subject.name.split_once('/') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, subject.name.as_str()),
    };
    let matches = |item: &&ApprovalItem| {
        item.name == name
            && namespace.is_none_or(|namespace| item.namespace == namespace)
            && workspace.is_none_or(|workspace| item.workspace == workspace)
            && subject.step.as_ref().is_none_or(|step| item.step.as_ref() == Some(step))
    };
    let found: Vec<&ApprovalItem> = items.iter().filter(matches).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let message =
                format!("no request {name} waits for your decision; `{} request list --approvals` shows what does", called.name());
            Err(Error::refused(NOT_FOUND, message))
        }
        several => {
            let place = |item: &&ApprovalItem| {
                let step = item.step.as_ref().map(|step| format!(" --step {step}")).unwrap_or_default();
                format!("-w {} {}/{name}{step}", item.workspace, item.namespace)
            };
            let places: Vec<String> = several.iter().map(place).collect();
            Err(Error::Usage(format!("several decisions of this name wait for you: choose {}", promise::wording::one_of(&places))))
        }
    }
}

/// Returns the rule to decide on.
fn rule(item: &ApprovalItem, subject: &Subject) -> Result<String, Error> {
    let known: Vec<&str> = item.rules.iter().map(|rule| rule.rule.as_str()).collect();
    let is_one = |wanted: &str| item.rules.iter().find(|rule| rule.rule == wanted || rule.name == wanted);
    match (&subject.rule, known.as_slice()) {
        (Some(wanted), _) => match is_one(wanted) {
            Some(rule) => Ok(rule.rule.clone()),
            None => Err(Error::Usage(format!("--rule {wanted}: choose {}", promise::wording::one_of(&known)))),
        },
        (None, [one]) => Ok((*one).to_owned()),
        (None, several) => {
            Err(Error::Usage(format!("several rules wait for you: choose one with --rule, {}", promise::wording::one_of(several))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(workspace: &str, name: &str, rules: &[&str]) -> ApprovalItem {
        let rule = |rule: &&str| {
            json!({
                "rule": format!("c/p/{rule}"), "policy": "p", "name": rule, "own": false, "source": "root", "approvers": {}, "required": 1,
                "stage": 1, "state": promise::api::ApprovalState::default(), "canDecide": true,
            })
        };
        let rules: Vec<_> = rules.iter().map(rule).collect();
        serde_json::from_value(json!({
            "workspace": workspace, "namespace": "default", "name": name, "uid": "1", "promise": "redis", "version": "1.0.0", "change": false,
            "owner": "dev", "contentHash": "ab", "since": "2026-11-26T10:00:00Z", "risk": "low", "rules": rules,
        }))
        .unwrap()
    }

    fn subject(name: &str, rule: Option<&str>) -> Subject {
        Subject { name: name.to_owned(), rule: rule.map(str::to_owned), step: None, content: None }
    }

    #[test]
    fn a_request_is_found_among_those_that_wait() {
        let items = [item("root:a", "orders", &["x"]), item("root:b", "orders", &["x"]), item("root:b", "carts", &["x"])];
        let found = |name: &str, workspace: Option<&str>| {
            chosen(&items, &subject(name, None), workspace, Called::Opm).map(|item| item.workspace.clone())
        };
        assert_eq!(found("carts", None).unwrap(), "root:b");
        assert_eq!(found("default/orders", Some("root:a")).unwrap(), "root:a");
        assert!(found("orders", None).unwrap_err().to_string().contains("-w root:a default/orders or -w root:b default/orders"));
        assert!(matches!(found("other/carts", None), Err(Error::Refused { code: NOT_FOUND, .. })));
    }

    #[test]
    fn one_of_several_steps_of_a_request_is_chosen() {
        let of = |step: &str| ApprovalItem { step: Some(step.to_owned()), ..item("root:a", "orders", &["x"]) };
        let items = [of("board"), of("security")];
        let found = |step: Option<&str>| {
            let subject = Subject { step: step.map(str::to_owned), ..subject("orders", None) };
            chosen(&items, &subject, None, Called::Opm).map(|item| item.step.clone())
        };
        assert_eq!(found(Some("security")).unwrap().as_deref(), Some("security"));
        assert!(found(None).unwrap_err().to_string().contains("-w root:a default/orders --step board or"));
        assert!(matches!(found(Some("other")), Err(Error::Refused { code: NOT_FOUND, .. })));
    }

    #[test]
    fn several_rules_need_a_choice() {
        let one = item("root:a", "orders", &["x"]);
        let two = item("root:a", "orders", &["x", "y"]);
        assert_eq!(rule(&one, &subject("orders", None)).unwrap(), "c/p/x");
        assert_eq!(rule(&two, &subject("orders", Some("y"))).unwrap(), "c/p/y");
        assert_eq!(rule(&two, &subject("orders", Some("c/p/x"))).unwrap(), "c/p/x");
        assert!(rule(&two, &subject("orders", None)).unwrap_err().to_string().contains("c/p/x or c/p/y"));
        assert!(rule(&one, &subject("orders", Some("z"))).is_err());
    }
}
