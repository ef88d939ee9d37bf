//! The development tool: builds the browser part, serves, tests, measures, and regenerates generated files.
//!
//! It must never contain a rule of the product, and depends on none of our crates: it calls cargo and the built binary.
//! To add a command: one file with its arguments and a `run`, one variant in [`Command`], one line in [`main`].

mod bench;
mod chart;
mod check;
mod classes;
mod forms;
mod freshness;
mod fuzz;
mod generate;
mod image;
mod programs;
mod release;
mod routes;
mod sample;
mod seed;
mod serve;
mod site;
mod soak;
mod sources;
mod steps;
mod suite;
mod test;
mod tools;
mod trust;
mod words;
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
    /// Build and serve the portal.
    Serve(serve::Serve),
    /// Fill the embedded plane in a data folder with many finished instances.
    Seed(seed::Seed),
    /// Record the history of the sample world in examples/history/, which is built into the server.
    Sample(sample::Sample),
    /// Build the portal as a single file; with --release as it is deployed.
    Build(release::Build),
    /// Build the container image as an OCI layout and an archive for `docker load`, without a daemon.
    Image(image::Image),
    /// Run everything that CI runs.
    Test(test::Test),
    /// Print every address of the portal, with its method and who can use it.
    Routes(routes::Routes),
    /// Write the generated files in deploy/.
    Gen(generate::Gen),
    /// Build the browser files in site/, which are embedded in the server.
    Site(site::Site),
    /// Run a benchmark of the release build.
    Bench(bench::Bench),
    /// Run a test at full size.
    Soak(soak::Soak),
    /// Fuzz the parts that hostile input reaches.
    Fuzz(fuzz::Fuzz),
    /// Check formatting and lints without running anything.
    Check(check::Check),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Seed(seed) => seed.run(),
        Command::Sample(sample) => sample.run(),
        Command::Build(build) => build.run(),
        Command::Image(image) => image.run(),
        Command::Test(test) => test.run(),
        Command::Routes(routes) => routes.run(),
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
