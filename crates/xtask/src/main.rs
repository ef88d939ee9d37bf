//! The development tool: builds the browser part, serves, tests, measures and regenerates what is generated.
//!
//! It must never hold a rule of the product, and depends on none of our crates: it calls cargo and the built binary.
//! To add a command: one file with its arguments and a `run`, one variant in [`Command`], one line in [`main`].

mod bench;
mod check;
mod freshness;
mod fuzz;
mod generate;
mod programs;
mod release;
mod seed;
mod serve;
mod site;
mod soak;
mod steps;
mod test;
mod tools;
mod trust;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Builds, serves and tests OPM Portal.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build and serve the portal on its embedded plane.
    Serve(serve::Serve),
    /// Fill the embedded plane of a folder with many finished instances.
    Seed(seed::Seed),
    /// Build the portal into one file, with --release as it is deployed.
    Build(release::Build),
    /// Run everything that CI runs.
    Test(test::Test),
    /// Write the generated files of deploy/.
    Gen(generate::Gen),
    /// Build what browsers get into site/, which the server contains.
    Site(site::Site),
    /// Measure the release build beside something named.
    Bench(bench::Bench),
    /// Run a check in its full size.
    Soak(soak::Soak),
    /// Give the parts that hostile input reaches any input there is.
    Fuzz(fuzz::Fuzz),
    /// Formatting and lints, without running anything.
    Check(check::Check),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Seed(seed) => seed.run(),
        Command::Build(build) => build.run(),
        Command::Test(test) => test.run(),
        Command::Gen(generate) => generate.run(),
        Command::Site(site) => site.run(),
        Command::Bench(bench) => bench.run(),
        Command::Soak(soak) => soak.run(),
        Command::Fuzz(fuzz) => fuzz.run(),
        Command::Check(check) => check.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<tools::Missing>() { 3 } else { 1 })
        }
    }
}
