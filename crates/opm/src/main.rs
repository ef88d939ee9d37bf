//! `opm`: reads the command line and runs one command.

use std::process::ExitCode;

use clap::Parser as _;

/// Exit code if there is no answer from the portal.
const NOT_ASKED: u8 = 3;

fn main() -> std::io::Result<ExitCode> {
    let cli = opm::Cli::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(match runtime.block_on(opm::say(&cli)) {
        Ok(said) => {
            print!("{}", said.text);
            if said.yes { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(NOT_ASKED)
        }
    })
}
