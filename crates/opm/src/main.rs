//! `opm`: reads the command line and runs one command.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap_complete::CompleteEnv;
use opm::{Called, Cli, Error, Outcome, Terminal};

/// Exit code if the answer is no.
const NO: u8 = 1;

fn main() -> std::io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let called = Called::by(words.first());
    // What is typed follows the first `--`.
    let typed: Vec<String> =
        words.iter().skip_while(|word| *word != "--").skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    CompleteEnv::with_factory(|| runtime.block_on(opm::complete(&typed, called))).complete();
    let cli = Cli::parse_words(words).unwrap_or_else(|error| error.exit());
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    let interactive = stdin.is_terminal() && std::io::stderr().is_terminal();
    let mut terminal = Terminal {
        out: Box::new(anstream::AutoStream::auto(stdout)),
        err: Box::new(anstream::stderr()),
        input: Box::new(stdin.lock()),
        ask: if interactive { Some(Box::new(|prompt| rpassword::prompt_password(prompt))) } else { None },
        interactive,
        now,
        random,
    };
    Ok(match runtime.block_on(opm::run(&cli, &mut terminal)) {
        Ok(Outcome::Yes) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(NO),
        // The reader of a pipe has seen enough.
        Err(Error::Stream(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Error::Clap { error, more }) => {
            error.print()?;
            terminal.note(more.trim_end())?;
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(NO))
        }
        Err(error) => {
            terminal.note(&format!("error: {error}"))?;
            ExitCode::from(error.code())
        }
    })
}

#[expect(clippy::disallowed_methods, reason = "the one place where the command line reads the machine's clock")]
fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

#[expect(clippy::disallowed_methods, reason = "the one place where the command line draws random bytes")]
fn random(bytes: &mut [u8]) {
    if getrandom::fill(bytes).is_err() {
        // A key that repeats would be taken for the same call.
        std::process::abort();
    }
}
