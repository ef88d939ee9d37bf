//! `opm promise publish`: writes a promise with the author's permissions, and says whether the control plane publishes it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use http::Method;
use promise::check::{SourceFile, report};
use promise::rest::PromisePublication;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};

use crate::author::{TermsArgs, kinds, read};
use crate::commands::Called;
use crate::error::NO;
use crate::output::one_line;
use crate::portal::{Portal, Way, api, with_query};
use crate::terminal::Terminal;
use crate::{Error, Outcome, write};

/// Time between two questions whether it is published.
const INTERVAL: Duration = Duration::from_millis(500);
/// Lines around a difference.
const AROUND: usize = 3;

/// Arguments of `publish`.
#[derive(Debug, clap::Args)]
pub(crate) struct PublishArgs {
    /// File with the promise.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show what would change, and write nothing.
    #[arg(long, conflicts_with = "wait")]
    dry_run: bool,
    /// Take over fields that other tools manage.
    #[arg(long)]
    force: bool,
    /// Wait until the control plane has checked it. Exit code 1 if it isn't published.
    #[arg(long)]
    wait: bool,
    /// Longest time to wait, such as 90s or 10m.
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = write::duration)]
    timeout: Duration,
    #[command(flatten)]
    terms: TermsArgs,
}

/// Checks a promise and writes it.
pub(crate) async fn run(args: &PublishArgs, way: &Way, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let sources = read(std::slice::from_ref(&args.file))?;
    let checked = report(&sources, &args.file.display().to_string(), &kinds(), args.terms.terms());
    terminal.note(&checked.map_err(|defects| Error::refused(NO, defects.to_string()))?)?;
    let (name, promise) = only_promise(&args.file, &sources)?;
    let portal = Portal::open(way).await?;
    let workspace = portal.workspace()?;
    let path = api(&["workspaces", workspace, "promises", &name, "publication"]);
    let flag = |given: bool| if given { "true" } else { "" };
    let address = with_query(&path, &[("dryRun", flag(args.dry_run)), ("force", flag(args.force))]);
    let written = portal.send::<PromisePublication>(Method::PUT, &address, &[], &promise).await.map_err(|error| forced(error, args))?.body;
    if args.dry_run {
        terminal.print(&difference(&written))?;
        terminal.note(&format!("Nothing was written in {workspace}."))?;
        return Ok(Outcome::Yes);
    }
    let done = match &written.former {
        Some(former) if *former == written.spec => "is unchanged",
        Some(_) => "changed",
        None => "created",
    };
    terminal.print(&format!("Promise {name} {} {done} in {workspace}.\n", written.version))?;
    let outcome = if args.wait { Some(settled(&portal, &path, args.timeout).await?) } else { known(&written) };
    match outcome {
        Some((is_published, message)) => {
            let verdict = if is_published { "Published" } else { "Not published" };
            terminal.print(&format!("{verdict}: {}\n", one_line(&message, usize::MAX)))?;
            Ok(is_published.into())
        }
        None => {
            let file = args.file.display();
            terminal.note(&format!(
                "The control plane checks it now. See the outcome with `{} promise publish {file} --wait`.",
                called.name()
            ))?;
            Ok(Outcome::Yes)
        }
    }
}

/// Returns the promise of a file, with its name.
fn only_promise(file: &Path, sources: &[SourceFile]) -> Result<(String, Value), Error> {
    let wrong = || {
        let file = file.display();
        Error::Usage(format!("{file}: publish takes a file with one Promise; apply policies and other objects with kubectl"))
    };
    let text = sources.first().and_then(|source| source.text.as_ref().ok()).ok_or_else(wrong)?;
    let promise: Value = promise::form::yaml::parse(text).map_err(|_| wrong())?;
    let name = promise["metadata"]["name"].as_str().filter(|_| promise["kind"] == "Promise").ok_or_else(wrong)?.to_owned();
    Ok((name, promise))
}

/// Adds to a conflict with other tools what to do.
fn forced(error: Error, args: &PublishArgs) -> Error {
    match error {
        Error::Refused { code, message, problems, reason: Some(reason) } if matches!(*reason, promise::Error::Contested { .. }) => {
            let message = format!("{message}\nTake the fields over with --force, or leave them out of {}.", args.file.display());
            Error::Refused { code, message, problems, reason: Some(reason) }
        }
        other => other,
    }
}

/// Returns what would change, line by line.
fn difference(written: &PromisePublication) -> String {
    let former = written.former.as_ref().map(promise::form::yaml::write).unwrap_or_default();
    let next = promise::form::yaml::write(&written.spec);
    let names = (format!("{} (now)", written.name), format!("{} (published)", written.name));
    similar::TextDiff::from_lines(former.as_str(), next.as_str())
        .unified_diff()
        .context_radius(AROUND)
        .header(&names.0, &names.1)
        .to_string()
}

fn known(publication: &PromisePublication) -> Option<(bool, String)> {
    publication.outcome().map(|(is_published, message)| (is_published, message.to_owned()))
}

/// Waits until the controller has looked at the promise.
async fn settled(portal: &Portal, path: &str, timeout: Duration) -> Result<(bool, String), Error> {
    let asking = async {
        loop {
            let found = portal.get::<PromisePublication>(path, &[]).await?.body;
            if let Some(outcome) = known(&found) {
                return Ok(outcome);
            }
            sleep(INTERVAL).await;
        }
    };
    let late = || Error::TimedOut("The control plane hasn't checked the promise yet. Run the same command again to continue.".to_owned());
    timeout_at(Instant::now() + timeout, asking).await.map_err(|_| late())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_has_one_promise() {
        let of = |text: &str| only_promise(Path::new("a.yaml"), &[SourceFile { name: "a.yaml".into(), text: Ok(text.into()) }]);
        assert_eq!(of("kind: Promise\nmetadata: {name: cache}\n").unwrap().0, "cache");
        for text in
            ["kind: Policy\nmetadata: {name: a}\n", "kind: Promise\n", "[", "kind: Promise\nmetadata: {name: a}\n---\nkind: Policy\n"]
        {
            let error = of(text).unwrap_err();
            assert!(error.code() == 2 && error.to_string().starts_with("a.yaml: "), "{text}: {error}");
        }
    }

    #[test]
    fn a_difference_is_shown_line_by_line() {
        let mut written: PromisePublication = serde_json::from_value(json!({
            "workspace": "root:a", "name": "cache", "version": "1.1.0", "generation": 1, "observedGeneration": 1, "conditions": [],
            "spec": {"version": "1.1.0"}, "former": {"version": "1.0.0"},
        }))
        .unwrap();
        let expected = "--- cache (now)\n+++ cache (published)\n@@ -1 +1 @@\n-version: \"1.0.0\"\n+version: \"1.1.0\"\n";
        assert_eq!(difference(&written), expected);
        written.former = Some(written.spec.clone());
        assert_eq!(difference(&written), "");
    }
}
