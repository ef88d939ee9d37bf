//! Completion: scripts for shells, which ask the program itself what can be typed next. So names of promises and requests, flags of a
//! promise and their values are completed as the portal has them.

use std::time::Duration;

use clap::Command;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::env::Shells;
use promise::rest::{PromiseDetail, PromiseSummary, RequestSummary, WorkspaceSummary};

use crate::commands::{Called, command};
use crate::output::one_line;
use crate::portal::{Portal, Way, api};
use crate::terminal::Terminal;
use crate::{Error, Outcome, write};

/// Variable by which scripts ask for completions.
const VARIABLE: &str = "COMPLETE";
/// Longest time that a shell waits for the portal.
const PATIENCE: Duration = Duration::from_secs(2);
/// Length of the help of a candidate.
const HELP_WIDTH: usize = 60;

/// How the script is used.
pub(crate) const HELP: &str = "Examples:\n  opm completion bash > ~/.local/share/bash-completion/completions/opm\n  opm completion zsh > ~/.zfunc/_opm\n  \
    opm completion fish > ~/.config/fish/completions/opm.fish\n  opm completion powershell >> $PROFILE";

/// Arguments of `completion`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// A shell with completion.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(alias = "pwsh")]
    Powershell,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
        }
    }
}

/// Prints the script of a shell.
pub(crate) fn run(args: &Args, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let program = match called {
        Called::Opm => "opm",
        Called::Kubectl => "kubectl-opm",
    };
    let shells = Shells::builtins();
    let mut script = Vec::new();
    if let Some(shell) = shells.completer(args.shell.name()) {
        shell.write_registration(VARIABLE, program, program, program, &mut script)?;
    }
    terminal.print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Yes)
}

/// Returns the command line with what the portal knows about these words, the last of which is being typed. Without an answer from the
/// portal, it is the command line alone.
pub async fn complete(words: &[String], called: Called) -> Command {
    let plain = command(called);
    match tokio::time::timeout(PATIENCE, known(plain.clone(), words, called)).await {
        Ok(Ok(command)) => command,
        Ok(Err(_)) | Err(_) => plain,
    }
}

async fn known(plain: Command, words: &[String], called: Called) -> Result<Command, Error> {
    let at = |noun: &str, verb: &str| words.windows(2).position(|pair| pair[0] == noun && pair[1] == verb).map(|at| &words[at + 2..]);
    let way = Way::default().found_in(words);
    let open = async || -> Result<(Portal, String), Error> {
        let portal = Portal::open(&way).await?;
        let workspace = portal.workspace()?.to_owned();
        Ok((portal, workspace))
    };
    if let Some(rest) = at("promise", "request") {
        let (portal, workspace) = open().await?;
        if let [name, _, ..] = rest {
            let detail: PromiseDetail = portal.get(&api(&["workspaces", &workspace, "promises", name]), &[]).await?.body;
            return Ok(below(plain, "promise", "request", vec![write::promise_command(&detail, called)]));
        }
        return Ok(below(plain, "promise", "request", promises(&portal, &workspace).await?));
    }
    for verb in ["describe", "fleet", "rollouts"] {
        if at("promise", verb).is_some() {
            let (portal, workspace) = open().await?;
            return Ok(values(plain, ["promise", verb], "name", promises(&portal, &workspace).await?));
        }
    }
    for verb in ["edit", "diff", "upgrade", "action"] {
        if at("request", verb).is_some_and(|rest| rest.len() <= 1) {
            let (portal, workspace) = open().await?;
            return Ok(below(plain, "request", verb, requests(&portal, &workspace).await?));
        }
    }
    for verb in ["get", "watch", "delete", "releases", "rollback", "retry", "cancel", "skip", "runs", "events", "logs"] {
        if at("request", verb).is_some() {
            let (portal, workspace) = open().await?;
            return Ok(values(plain, ["request", verb], "name", requests(&portal, &workspace).await?));
        }
    }
    if at("workspace", "use").is_some() {
        let portal = Portal::open(&way).await?;
        let page = portal.list::<WorkspaceSummary>(&api(&["workspaces"]), &[]).await?;
        let all = page.items.into_iter().map(|workspace| Command::new(workspace.path)).collect();
        return Ok(values(plain, ["workspace", "use"], "path", all));
    }
    Ok(plain)
}

async fn promises(portal: &Portal, workspace: &str) -> Result<Vec<Command>, Error> {
    let page = portal.list::<PromiseSummary>(&api(&["workspaces", workspace, "promises"]), &[]).await?;
    let named = |promise: PromiseSummary| Command::new(promise.name).about(one_line(&promise.summary.unwrap_or(promise.title), HELP_WIDTH));
    Ok(page.items.into_iter().filter(|promise| !promise.shadowed).map(named).collect())
}

async fn requests(portal: &Portal, workspace: &str) -> Result<Vec<Command>, Error> {
    let page = portal.list::<RequestSummary>(&api(&["workspaces", workspace, "requests"]), &[]).await?;
    let named = |request: RequestSummary| Command::new(request.name).about(format!("{}, {}", request.promise, request.state.label()));
    let mut all: Vec<Command> = page.items.into_iter().map(named).collect();
    all.sort_by(|a, b| a.get_name().cmp(b.get_name()));
    all.dedup_by(|a, b| a.get_name() == b.get_name());
    Ok(all)
}

/// Offers names as commands below another one.
fn below(plain: Command, noun: &'static str, verb: &'static str, named: Vec<Command>) -> Command {
    plain.mut_subcommand(noun, |noun| noun.mut_subcommand(verb, |verb| verb.subcommands(named)))
}

/// Offers names as values of an argument.
fn values(plain: Command, [noun, verb]: [&'static str; 2], argument: &'static str, named: Vec<Command>) -> Command {
    let possible: Vec<PossibleValue> = named
        .iter()
        .map(|named| {
            let value = PossibleValue::new(named.get_name().to_owned());
            match named.get_about() {
                Some(about) => value.help(about.to_string()),
                None => value,
            }
        })
        .collect();
    let with = |verb: Command| verb.mut_arg(argument, |argument| argument.value_parser(PossibleValuesParser::new(possible)));
    plain.mut_subcommand(noun, |noun| noun.mut_subcommand(verb, with))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use serde_json::json;

    use super::*;

    fn candidates(mut command: Command, line: &str) -> Vec<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let at = words.len() - 1;
        command.build();
        let found = clap_complete::engine::complete(&mut command, words, at, None).unwrap();
        found.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    fn detail() -> PromiseDetail {
        serde_json::from_value(json!({
            "name": "postgresql", "home": "root:platform", "title": "PostgreSQL", "lifecycle": "published", "version": "1.2.0", "versions": ["1.2.0"],
            "availability": {"state": "available"}, "published": [], "form": {}, "rules": [],
            "schema": {"type": "object", "properties": {
                "tier": {"type": "string", "enum": ["development", "production"]}, "backup": {"type": "object", "properties": {"enabled": {"type": "boolean"}}},
            }},
        }))
        .unwrap()
    }

    #[test]
    fn fields_and_their_values_are_completed() {
        let command = || below(command(Called::Opm), "promise", "request", vec![write::promise_command(&detail(), Called::Opm)]);
        assert_eq!(candidates(command(), "opm promise request po"), ["postgresql"]);
        assert_eq!(candidates(command(), "opm promise request postgresql --ti"), ["--timeout", "--tier"]);
        assert_eq!(candidates(command(), "opm promise request postgresql --tier p"), ["production"]);
        assert_eq!(candidates(command(), "opm promise request postgresql --backup"), ["--backup.enabled"]);
        assert_eq!(candidates(command(), "opm promise de"), ["describe"]);
    }

    #[test]
    fn names_are_completed_as_values() {
        let with = values(command(Called::Opm), ["request", "get"], "name", vec![Command::new("orders"), Command::new("carts")]);
        assert_eq!(candidates(with, "opm request get o"), ["orders"]);
    }

    #[tokio::test]
    async fn without_a_portal_the_command_line_is_completed_alone() {
        let folder = tempfile::tempdir().unwrap();
        let line = format!("opm promise request --config-dir {} --kubeconfig /no/such/file p", folder.path().display());
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(candidates(complete(&words, Called::Opm).await, "opm prom"), ["promise"]);
    }

    #[test]
    fn each_shell_has_a_script_that_asks_the_program() {
        for (shell, part) in [
            (Shell::Bash, "complete"),
            (Shell::Zsh, "#compdef opm"),
            (Shell::Fish, "complete"),
            (Shell::Powershell, "Register-ArgumentCompleter"),
        ] {
            let mut script = Vec::new();
            let mut terminal = Terminal {
                out: Box::new(&mut script),
                err: Box::new(std::io::sink()),
                input: Box::new(std::io::empty()),
                ask: None,
                interactive: false,
                now: jiff::Timestamp::default,
                random: |_| {},
            };
            run(&Args { shell }, Called::Opm, &mut terminal).unwrap();
            drop(terminal);
            let script = String::from_utf8(script).unwrap();
            assert!(script.contains(part) && script.contains(VARIABLE), "{script}");
        }
    }
}
