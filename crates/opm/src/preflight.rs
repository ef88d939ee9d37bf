//! `opm preflight`: checks a request before it is submitted.

use std::fmt::Write as _;
use std::path::PathBuf;

use promise::api::{FIRST_STAGE, PolicyOutcome, PolicyResult, PreflightAnswer, PreflightDryRun, PreflightPrice, PreflightVerdict};
use promise::path::Path;
use promise::rest::AppliedRule;
use promise::wording::GivenAs;
use promise::{Problem, wording};

use crate::portal::{Portal, Way, api};
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// Arguments of `preflight`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File with the PromiseRequest, YAML or JSON; `-` reads standard input.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: PathBuf,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = Format::Text)]
    output: Format,
}

/// Output format of an answer.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// Readable text.
    Text,
    /// The complete answer as JSON.
    Json,
}

/// Asks the portal to check the request.
pub(crate) async fn run(args: &Args, way: &Way, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let request = if args.file.as_os_str() == "-" {
        terminal.read()?.into_bytes()
    } else {
        std::fs::read(&args.file).map_err(Error::file(&args.file))?
    };
    let portal = Portal::open(way).await?;
    let json = portal.post_text(&api(&["workspaces", portal.workspace()?, "preflight"]), request).await?;
    let answer: PreflightAnswer = serde_json::from_value(json.clone()).map_err(|_| portal.is_unknown())?;
    let shown = match args.output {
        Format::Text => text(&answer),
        Format::Json => format!("{json:#}\n"),
    };
    terminal.print(&shown)?;
    Ok(is_yes(&answer).into())
}

/// Whether the request would be accepted, at once or after approval.
pub(crate) fn is_yes(answer: &PreflightAnswer) -> bool {
    let accepted = matches!(answer.verdict, PreflightVerdict::Accepted | PreflightVerdict::NeedsApproval);
    accepted && !matches!(answer.dry_run, PreflightDryRun::Refused { .. })
}

/// Renders verdict and price on a few lines.
pub(crate) fn brief(answer: &PreflightAnswer) -> String {
    let mut text = verdict(answer).to_owned();
    if let Some(of) = &answer.price {
        let lines: Vec<String> = price(of).filter(|line| !line.starts_with(' ')).collect();
        let _ = write!(text, "\n{}", lines.join("\n"));
    }
    text
}

fn verdict(answer: &PreflightAnswer) -> &'static str {
    match answer.verdict {
        PreflightVerdict::Accepted => "This request would be accepted.",
        PreflightVerdict::NeedsApproval => "This request would be accepted after approval.",
        PreflightVerdict::Refused => "This request would be rejected.",
        PreflightVerdict::Unknown => "It isn't known whether this request would be accepted, so it would wait.",
    }
}

/// Renders the answer as readable text.
pub(crate) fn text(answer: &PreflightAnswer) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", verdict(answer));
    section(&mut text, "Problems", answer.problems.iter().map(problem));
    section(&mut text, "Required first", answer.missing.iter().cloned());
    section(&mut text, "Unknown", answer.unknown.iter().map(|unknown| format!("{}: {}", unknown.what, unknown.why)));
    let approvals = answer.approvals.iter().map(|approval| {
        let who = if approval.approvers.is_empty() { "anyone who can approve".to_owned() } else { approval.approvers.join(", ") };
        let stage = if approval.stage > FIRST_STAGE { format!("in stage {}, ", approval.stage) } else { String::new() };
        format!("{stage}{} of {who} (policy: {}, set at {})", approval.required, approval.policy, approval.source)
    });
    section(&mut text, "Approval", approvals);
    section(&mut text, "Window", answer.window.iter().map(|window| window.message.clone()));
    if let Some(of) = &answer.price {
        section(&mut text, "Price", price(of));
    }
    let said = answer.policies.iter().filter(|outcome| !matches!(outcome.result, PolicyResult::Passed)).filter_map(|outcome| {
        let source = format!("(policy: {}, set at {})", outcome.policy, outcome.source);
        match value_of_policy(answer, outcome) {
            Some((field, value, _)) => Some(format!("{field}: {value} {source}")),
            None => Some(format!("{} {source}", outcome.message.as_ref()?)),
        }
    });
    section(&mut text, "Policies", said);
    let made = answer.objects.iter().map(|made| {
        let name = made.object["metadata"]["name"].as_str().unwrap_or_default();
        let place = made.destination.as_ref().map(|destination| format!(" at {destination}")).unwrap_or_default();
        format!("{} {name}{place}", made.object["kind"].as_str().unwrap_or("object"))
    });
    section(&mut text, "Resources", made.chain(answer.pending.iter().cloned()));
    let dry = match &answer.dry_run {
        PreflightDryRun::Passed => vec!["passed".to_owned()],
        PreflightDryRun::Refused { problems } => problems.iter().map(problem).collect(),
        PreflightDryRun::NotAsked { why } => vec![format!("not run: {why}")],
    };
    section(&mut text, "Dry run with your permissions", dry.into_iter());
    text
}

/// Renders the values that policies give, a line each. `rules` are those of the promise: they have the titles of policies.
pub(crate) fn values_of_policies(answer: &PreflightAnswer, rules: &[AppliedRule]) -> Vec<String> {
    let mut lines = Vec::new();
    for outcome in &answer.policies {
        let Some((field, value, how)) = value_of_policy(answer, outcome) else { continue };
        let rule = rules.iter().find(|rule| (&rule.policy, &rule.source) == (&outcome.policy, &outcome.source));
        let line = wording::given_line(field, &value, how, rule.map_or(&outcome.policy, |rule| &rule.title));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Returns the value that a rule gives, after its field.
fn value_of_policy<'a>(answer: &PreflightAnswer, outcome: &'a PolicyOutcome) -> Option<(&'a str, String, GivenAs)> {
    let how = match outcome.result {
        PolicyResult::Defaulted => GivenAs::Default,
        PolicyResult::Set => GivenAs::Fixed,
        _ => return None,
    };
    let path = outcome.paths.first()?;
    let value = Path::parse(path).ok()?.get(&answer.parameters)?;
    Some((path.trim_start_matches('.'), wording::value(value), how))
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}

fn problem(problem: &Problem) -> String {
    if problem.path.is_empty() { problem.message.clone() } else { format!("{}: {}", problem.path, problem.message) }
}

/// Renders a price, with its items indented.
pub(crate) fn price(price: &PreflightPrice) -> impl Iterator<Item = String> + use<> {
    let currency = price.currency.as_deref().unwrap_or_default();
    let mut lines = vec![match (&price.monthly, &price.unknown) {
        (Some(monthly), _) => format!("{monthly} {currency} a month"),
        (None, Some(why)) => format!("Unknown. {why}"),
        (None, None) => "Unknown".to_owned(),
    }];
    lines.extend(price.change.as_ref().map(|change| format!("{change} {currency} a month compared with now")));
    lines.extend(price.items.iter().map(|item| match (&item.monthly, &item.unknown) {
        (Some(monthly), _) => format!("  {}: {monthly} {currency}", item.name),
        (None, Some(why)) if price.unknown.as_ref() != Some(why) => format!("  {}: unknown. {why}", item.name),
        (None, _) => format!("  {}: unknown", item.name),
    }));
    lines.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_policies_give_are_named_with_the_policy() {
        let outcome = |policy: &str, result: &str, path: &str| json!({"policy": policy, "rule": "r", "source": "root:acme", "result": result, "paths": [path], "message": "Said."});
        let answer: PreflightAnswer = serde_json::from_value(json!({
            "verdict": "accepted", "problems": [], "objects": [], "pending": [], "approvals": [], "missing": [], "unknown": [],
            "dryRun": {"result": "passed"}, "parameters": {"replicas": 2, "backup": {"enabled": true}, "region": "eu-west"},
            "policies": [
                outcome("production-baseline", "defaulted", ".replicas"), outcome("backup-required", "set", ".backup.enabled"),
                outcome("european-data", "constrained", ".region"), outcome("european-data", "passed", ".region"),
            ],
        }))
        .unwrap();
        let rule = json!({"policy": "production-baseline", "rule": "x", "source": "root:acme", "own": false, "title": "Production baseline", "enforcement": "block", "message": ""});
        let rules = [serde_json::from_value(rule).unwrap()];
        assert_eq!(
            values_of_policies(&answer, &rules),
            ["replicas: 2, set by Production baseline", "backup.enabled: on, fixed by backup-required"]
        );
        let shown = text(&answer);
        for line in ["  replicas: 2 (policy: production-baseline, set at root:acme)", "  Said. (policy: european-data, set at root:acme)"] {
            assert!(shown.contains(line), "{shown}");
        }
    }
}
