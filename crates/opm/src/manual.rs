//! `opm man`: the manual, made from the same definitions as the help.

use std::path::PathBuf;

use crate::commands::{Called, command};
use crate::terminal::Terminal;
use crate::{Error, Outcome};

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  opm man | man -l -\n  opm man --out ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Write a page for each command to this directory instead.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints or writes the pages.
pub(crate) fn run(args: &Args, called: Called, terminal: &mut Terminal<'_>) -> Result<Outcome, Error> {
    let pages = pages(called)?;
    let Some(folder) = &args.out else {
        let first = pages.first().map(|(_, text)| text.as_str()).unwrap_or_default();
        terminal.print(first)?;
        return Ok(Outcome::Yes);
    };
    std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    for (name, text) in &pages {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(Error::file(&file))?;
    }
    terminal.print(&format!("{} pages written to {}\n", pages.len(), folder.display()))?;
    Ok(Outcome::Yes)
}

/// Returns the pages, each with its file name, the one of the program first.
///
/// # Errors
/// If a page can't be rendered.
pub fn pages(called: Called) -> std::io::Result<Vec<(String, String)>> {
    let mut pages = Vec::new();
    render(command(called), &called.name().replace(' ', "-"), &mut pages)?;
    Ok(pages)
}

fn render(command: clap::Command, name: &str, pages: &mut Vec<(String, String)>) -> std::io::Result<()> {
    let mut command = command.display_name(name.to_owned()).name(name.to_owned());
    command.build();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    pages.push((format!("{name}.1"), String::from_utf8_lossy(&text).into_owned()));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
        let short = below.get_name().rsplit('-').next().unwrap_or_default().to_owned();
        render(below.clone(), &format!("{name}-{short}"), pages)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page() {
        let pages = pages(Called::Opm).unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in [
            "opm.1",
            "opm-promise.1",
            "opm-promise-request.1",
            "opm-request-watch.1",
            "opm-workspace-use.1",
            "opm-cost.1",
            "opm-completion.1",
        ] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        assert!(names.iter().all(|name| !name.contains("help")), "{names:?}");
        let (_, request) = pages.iter().find(|(name, _)| name == "opm-promise-request.1").unwrap();
        assert!(request.contains("opm promise request postgresql"), "{request}");
    }
}
