//! `opm preflight`: checks a request before it is submitted.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use promise::Problem;
use promise::api::{FIRST_STAGE, PolicyResult, PreflightAnswer, PreflightDryRun, PreflightPrice, PreflightVerdict};

use crate::portal::{Portal, Way};
use crate::{Error, Said};

/// Arguments of `preflight`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File with the PromiseRequest, YAML or JSON; `-` reads standard input.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    file: PathBuf,
    /// Path of the workspace, such as root:acme:shop.
    #[arg(short, long, value_name = "PATH")]
    workspace: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
    #[command(flatten)]
    way: Way,
}

/// Output format of an answer.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Output {
    /// Readable text.
    Text,
    /// The complete answer as JSON.
    Json,
}

/// Asks the portal to check the request.
pub(crate) async fn say(args: &Args) -> Result<Said, Error> {
    let request = read(&args.file).map_err(|error| Error::File { file: args.file.display().to_string(), error })?;
    let portal = Portal::open(&args.way).await?;
    let workspace = args.workspace.as_ref().or(portal.workspace.as_ref()).ok_or(Error::NoWorkspace)?;
    let json = portal.post(&format!("/api/v1/workspaces/{workspace}/preflight"), request).await?;
    let answer: PreflightAnswer = serde_json::from_value(json.clone()).map_err(|_| Error::NoPortal(args.way.portal.clone()))?;
    let accepted = matches!(answer.verdict, PreflightVerdict::Accepted | PreflightVerdict::NeedsApproval);
    let yes = accepted && !matches!(answer.dry_run, PreflightDryRun::Refused { .. });
    let text = match args.output {
        Output::Text => text(&answer),
        Output::Json => format!("{json:#}\n"),
    };
    Ok(Said { text, yes })
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    if file != Path::new("-") {
        return std::fs::read(file);
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    Ok(text)
}

/// Renders the answer as readable text.
fn text(answer: &PreflightAnswer) -> String {
    let mut text = String::new();
    let verdict = match answer.verdict {
        PreflightVerdict::Accepted => "This request would be accepted.",
        PreflightVerdict::NeedsApproval => "This request would be accepted after approval.",
        PreflightVerdict::Refused => "This request would be rejected.",
        PreflightVerdict::Unknown => "It isn't known whether this request would be accepted, so it would wait.",
    };
    let _ = writeln!(text, "{verdict}");
    section(&mut text, "Problems", answer.problems.iter().map(problem));
    section(&mut text, "Required first", answer.missing.iter().cloned());
    section(&mut text, "Unknown", answer.unknown.iter().map(|unknown| format!("{}: {}", unknown.what, unknown.why)));
    let approvals = answer.approvals.iter().map(|approval| {
        let who = if approval.approvers.is_empty() { "anyone who can approve".to_owned() } else { approval.approvers.join(", ") };
        let stage = if approval.stage > FIRST_STAGE { format!("in stage {}, ", approval.stage) } else { String::new() };
        format!("{stage}{} of {who} (policy: {}, set at {})", approval.required, approval.policy, approval.source)
    });
    section(&mut text, "Approval", approvals);
    if let Some(of) = &answer.price {
        section(&mut text, "Price", price(of));
    }
    let said = answer.policies.iter().filter(|outcome| !matches!(outcome.result, PolicyResult::Passed)).filter_map(|outcome| {
        let message = outcome.message.as_ref()?;
        Some(format!("{message} (policy: {}, set at {})", outcome.policy, outcome.source))
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

fn price(price: &PreflightPrice) -> impl Iterator<Item = String> {
    let currency = price.currency.as_deref().unwrap_or_default();
    let amount = |monthly: Option<&String>, unknown: Option<&String>| match (monthly, unknown) {
        (Some(monthly), _) => format!("{monthly} {currency}"),
        (None, why) => format!("unknown. {}", why.map(String::as_str).unwrap_or_default()).trim_end().to_owned(),
    };
    let mut lines = vec![format!("{} a month", amount(price.monthly.as_ref(), price.unknown.as_ref()))];
    lines.extend(price.change.as_ref().map(|change| format!("{change} {currency} a month compared with now")));
    lines.extend(price.items.iter().map(|item| format!("  {}: {}", item.name, amount(item.monthly.as_ref(), item.unknown.as_ref()))));
    lines.into_iter()
}
