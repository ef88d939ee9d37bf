//! `opm-portal`: reads the command line and runs one command.

use std::process::ExitCode;

use anyhow::Context as _;
use opm_portal::config::{
    AuditCommand, Cli, Command, ConfigCommand, DestinationCommand, LogConfig, LogFormat, ParseError, check_file, file_schema, parse,
};
use opm_portal::sample::check;
use opm_portal::traces::Traces;
use opm_portal::{audit_command, bare, install, logging, manifests, play, routes, seed, serve};

/// Rendering a page is thousands of small allocations: a page takes less than half the time that it takes with glibc's allocator, and what
/// loading a world leaves behind is given back (`docs/measurements`).
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Two are enough: the portal runs on small machines, and everything slow waits for I/O.
const WORKERS: usize = 2;

fn main() -> ExitCode {
    let cli = match parse(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(ParseError::Usage(error)) => error.exit(),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", with_causes(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Serve(args) => {
            let file = args.file().map(|file| file.display().to_string());
            let (config, log) = match args.into_config() {
                Ok(config) => config,
                Err(error) => usage(&error),
            };
            let runtime = runtime()?;
            let traces = {
                let _inside = runtime.enter();
                Traces::from_environment()?
            };
            logging::start(&log, traces.as_ref())?;
            if let Some(file) = file {
                tracing::info!(file, "options are read from a configuration file");
            }
            let served = runtime.block_on(serve::until_signalled(config));
            // While the runtime still runs, which sends them.
            if let Some(traces) = traces {
                traces.close();
            }
            served.map_err(Into::into)
        }
        Command::Plane(args) => {
            logging::start(&LogConfig { format: LogFormat::Text, filter: "info".to_owned() }, None)?;
            runtime()?.block_on(bare::until_signalled(args)).map_err(Into::into)
        }
        Command::Bootstrap(args) => {
            // No log: the command reports its steps itself at the end.
            logging::start(&LogConfig { format: LogFormat::Text, filter: "off".to_owned() }, None)?;
            println!("{}", runtime()?.block_on(install::bootstrap(&args))?);
            Ok(())
        }
        Command::Doctor(args) => {
            logging::start(&LogConfig { format: LogFormat::Text, filter: "off".to_owned() }, None)?;
            println!("{}", runtime()?.block_on(install::doctor(&args))?);
            Ok(())
        }
        Command::Bind(args) => {
            logging::start(&LogConfig { format: LogFormat::Text, filter: "warn".to_owned() }, None)?;
            println!("{}", runtime()?.block_on(install::bind(&args))?);
            Ok(())
        }
        Command::Destination(DestinationCommand::Add(args)) => {
            logging::start(&LogConfig { format: LogFormat::Text, filter: "warn".to_owned() }, None)?;
            println!("{}", runtime()?.block_on(install::destination::add(&args))?);
            Ok(())
        }
        Command::Check(args) => {
            let said = check::said(&args.paths, !args.untrusted, !args.kubernetes)?;
            println!("{said}");
            Ok(())
        }
        Command::Config(ConfigCommand::Check { file }) => {
            check_file(&file).map_err(anyhow::Error::msg)?;
            println!("{} is valid", file.display());
            Ok(())
        }
        Command::Config(ConfigCommand::Schema) => {
            println!("{:#}", file_schema());
            Ok(())
        }
        Command::Seed(args) => {
            // The command's plane stops while clients are still connected; their errors are expected and not logged.
            let filter = "warn,kube_client=off,cluster::controller::outage=error".to_owned();
            logging::start(&LogConfig { format: LogFormat::Text, filter }, None)?;
            let seeded = seed::run(&args.into())?;
            println!("{} objects written; the plane holds {} requests", seeded.objects, seeded.requests);
            Ok(())
        }
        Command::Record(args) => {
            logging::start(&LogConfig { format: LogFormat::Text, filter: "warn,opm_portal::play=info,kube_client=off".to_owned() }, None)?;
            let objects = play::record(&args.examples)?;
            println!("{objects} objects recorded");
            Ok(())
        }
        Command::Manifests(args) => match args.out {
            None => {
                print!("{}", manifests::all()?);
                Ok(())
            }
            Some(out) if args.check => Ok(manifests::check(&out)?),
            Some(out) => Ok(manifests::write(&out)?),
        },
        Command::Audit(command) => {
            logging::start(&LogConfig { format: LogFormat::Text, filter: "warn".to_owned() }, None)?;
            match command {
                AuditCommand::Verify(args) => print!("{}", runtime()?.block_on(audit_command::verify(&args))?),
                AuditCommand::Export(args) => runtime()?.block_on(audit_command::export(&args, &mut std::io::stdout().lock()))?,
            }
            Ok(())
        }
        Command::Routes => {
            print!("{}", routes::text());
            Ok(())
        }
    }
}

/// Returns an error with its causes. Most errors name their cause in their own text; it isn't repeated.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        said if said.contains(&cause) => text,
        said => format!("{said}: {cause}"),
    })
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    give_memory_back();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
    runtime.context("the runtime cannot start")
}

/// Lets a thread give freed memory back while the portal is idle. Where the platform has no such thread, the next allocations do.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
fn give_memory_back() {
    if let Err(error) = tikv_jemalloc_ctl::background_thread::write(true) {
        tracing::debug!(%error, "freed memory is given back by later allocations");
    }
}

#[cfg(not(all(feature = "jemalloc", not(target_env = "msvc"))))]
fn give_memory_back() {}

/// Reports conflicting arguments as clap does: exit code 2 and a pointer to `--help`.
fn usage(error: &opm_portal::config::ConfigError) -> ! {
    use clap::CommandFactory as _;
    Cli::command().error(clap::error::ErrorKind::ArgumentConflict, error).exit()
}

#[cfg(test)]
mod tests {
    use super::with_causes;

    #[test]
    fn a_cause_that_an_error_names_is_not_repeated() {
        let named = anyhow::anyhow!("it is in use").context("can't listen: it is in use (choose another port)");
        assert_eq!(with_causes(&named), "can't listen: it is in use (choose another port)");
        let unnamed = anyhow::anyhow!("it is in use").context("can't listen");
        assert_eq!(with_causes(&unnamed), "can't listen: it is in use");
    }
}
