//! The command line as a whole, under the name by which it was called.

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory as _, Subcommand};

use crate::Cli;

/// The name by which the program was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Called {
    /// `opm`.
    #[default]
    Opm,
    /// `kubectl opm`: kubectl runs the program as `kubectl-opm`.
    Kubectl,
}

impl Called {
    /// Reads the name of the program.
    pub fn by(program: Option<&OsString>) -> Self {
        let stem = program.and_then(|program| Path::new(program).file_stem()).unwrap_or_default();
        if stem == "kubectl-opm" { Self::Kubectl } else { Self::Opm }
    }

    /// Returns what people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opm => "opm",
            Self::Kubectl => "kubectl opm",
        }
    }
}

/// A command whose arguments depend on what it names.
#[derive(Debug, clap::Args)]
#[command(disable_help_subcommand = true, subcommand_value_name = "NAME")]
pub(crate) struct Named {
    #[command(subcommand)]
    of: Option<Of>,
}

/// The name, and everything after it.
#[derive(Debug, Subcommand)]
enum Of {
    #[command(external_subcommand)]
    Name(Vec<String>),
}

impl Named {
    /// Returns the name and everything after it.
    pub fn words(&self) -> &[String] {
        match &self.of {
            Some(Of::Name(words)) => words,
            None => &[],
        }
    }
}

/// Commands whose arguments depend on what they name, and how they are used.
const NAMED: [([&str; 2], &str); 6] = [
    (["promise", "request"], "<PROMISE> [--<FIELD> <VALUE>]... [OPTIONS]"),
    (["promise", "render"], "<FILE> [--<FIELD> <VALUE>]... [OPTIONS]"),
    (["request", "edit"], "<NAME> [--<FIELD> <VALUE>]... [OPTIONS]"),
    (["request", "upgrade"], "<NAME> [--<FIELD> <VALUE>]... [OPTIONS]"),
    (["request", "action"], "<NAME> [ACTION] [--<FIELD> <VALUE>]... [OPTIONS]"),
    (["request", "diff"], "<NAME> [--<FIELD> <VALUE>]... [OPTIONS]"),
];

/// Returns the command line, with usages and examples for the name by which it was called.
pub fn command(called: Called) -> clap::Command {
    let mut command = Cli::command().bin_name(called.name());
    for ([noun, verb], usage) in NAMED {
        let usage = format!("{} {noun} {verb} {usage}", called.name());
        command = command.mut_subcommand(noun, |noun| noun.mut_subcommand(verb, |verb| verb.override_usage(usage)));
    }
    renamed(command, called)
}

/// Uses the name in the examples of a command and of those below it.
fn renamed(command: clap::Command, called: Called) -> clap::Command {
    let name = |text: String| text.replace("  opm ", &format!("  {} ", called.name())).replace("`opm ", &format!("`{} ", called.name()));
    let after = command.get_after_help().map(|text| name(text.to_string()));
    let command = match after {
        Some(after) => command.after_help(after),
        None => command,
    };
    command.mut_subcommands(|below| renamed(below, called))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> String {
        Cli::parse_words(words).unwrap_err().to_string()
    }

    #[test]
    fn the_command_line_is_consistent() {
        command(Called::Opm).debug_assert();
        command(Called::Kubectl).debug_assert();
    }

    #[test]
    fn usages_have_the_name_by_which_it_was_called() {
        for (program, name) in
            [("opm", "opm"), ("/usr/local/bin/opm", "opm"), ("kubectl-opm", "kubectl opm"), ("/bin/kubectl-opm", "kubectl opm")]
        {
            for (words, usage) in [
                (vec!["promise", "list", "--help"], "promise list"),
                (vec!["promise", "request", "--help"], "promise request <PROMISE> [--<FIELD> <VALUE>]..."),
                (vec!["request", "edit", "--help"], "request edit <NAME>"),
                (vec!["preflight", "--help"], "preflight"),
                (vec!["--help"], "[OPTIONS] <COMMAND>"),
            ] {
                let text = help(&[&[program], words.as_slice()].concat());
                assert!(text.contains(&format!("Usage: {name} {usage}")), "{text}");
                assert!(name != "kubectl opm" || !text.contains("\n  opm "), "{text}");
            }
        }
    }

    #[test]
    fn a_misspelt_command_gets_a_suggestion() {
        let text = help(&["opm", "promise", "lst"]);
        assert!(text.contains("similar subcommand") && text.contains("'list'"), "{text}");
    }

    #[test]
    fn everything_after_the_name_of_a_promise_is_read_with_its_schema() {
        for line in [
            "opm promise request postgresql --tier production",
            "opm -w root:a promise request postgresql --portal http://127.0.0.1:1 --help",
        ] {
            assert!(Cli::parse_words(line.split(' ')).is_ok(), "{line}");
        }
    }
}
