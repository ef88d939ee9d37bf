//! What it costs to say what would become of a request, before it is submitted.
//!
//! Called by `cargo xtask bench preflight`. Milliseconds belong to one machine; how they grow does not. Never run as a test.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a measuring program: it reads the clock and its arguments, and ends at the first surprise"
)]

mod dry;
mod figures;
mod world;

use std::collections::BTreeMap;

use clap::Parser;
use promise::policy::{Book, Target, Usage};
use promise::preflight::{self, Input, Verdict, preflight};

use figures::{Figures, resident};
use world::World;

/// What is measured, and how often.
#[derive(Parser)]
struct Arguments {
    /// How many requests of each kind are looked at.
    #[arg(long, default_value_t = 2_000)]
    requests: usize,
    /// How many dry runs are asked of an embedded plane.
    #[arg(long, default_value_t = 200)]
    dry_runs: usize,
    /// Cargo adds it.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    println!("\n## One request under 50 policies on 4 levels\n");
    println!("| promise | what | p50 | p99 | most |\n|---|---|---|---|---|");
    let large = [("postgresql (the largest sample)", World::sample()), ("300 fields", World::wide(300))];
    for (name, world) in &large {
        let book = Book::read(world.policies(50, 0), None);
        for (what, depth) in [
            ("verdict, objects, price", Depth::Verdict),
            ("and every line with its origin", Depth::Lines),
            ("and what other choices cost", Depth::Choices),
        ] {
            let figures = measure(world, &book, arguments.requests, depth);
            println!("| {name} | {what} | {figures} |");
        }
    }
    println!("\nGoal: p99 at most 20 ms.\n\n## The same with the dry run on the embedded plane\n");
    println!("| promise | p50 | p99 | most |\n|---|---|---|---|");
    for (name, world) in &large {
        let book = Book::read(world.policies(50, 0), None);
        let figures = dry::measure(world, arguments.dry_runs, |round| {
            look(world, &book, round, Depth::Lines);
        });
        println!("| {name} | {figures} |");
    }
    println!("\nGoal: p99 at most 50 ms.");
    let (_, sample) = &large[0];
    println!("\n## Against the number of policies\n");
    println!("| that concern the request | others on the plane | p50 | p99 | most |\n|---|---|---|---|---|");
    for (near, far) in [(0, 0), (50, 0), (50, 1_000), (50, 10_000), (100, 0), (200, 0), (400, 0)] {
        let book = Book::read(sample.policies(near, far), None);
        let figures = measure(sample, &book, arguments.requests / 4, Depth::Verdict);
        println!("| {near} | {far} | {figures} |");
    }
    println!("\n## Memory\n");
    let before = resident();
    let book = Book::read(sample.policies(0, 10_000), None);
    let after = resident();
    assert_eq!(book.len(), 10_000, "all are kept");
    println!("{} KiB for 1,000 policies of two rules, read and indexed", after.saturating_sub(before) / 10 / 1024);
}

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Verdict,
    Lines,
    Choices,
}

fn measure(world: &World, book: &Book, rounds: usize, depth: Depth) -> Figures {
    // What is read once is read before.
    look(world, book, 0, depth);
    Figures::of(rounds, |round| look(world, book, round, depth))
}

/// Looks at one request as the portal does: the policies that concern it are found, then everything is evaluated.
fn look(world: &World, book: &Book, round: usize, depth: Depth) {
    let context = world.context();
    let target = Target {
        promise: &world.name,
        spec: &world.spec,
        home: &world.home.path,
        home_cluster: &world.home.cluster,
        home_trusted: true,
        workspace: &context.workspace.path,
        labels: &context.workspace.labels,
        lineage: &world.lineage,
    };
    let sources = book.gather(&target, &world.reading);
    let request = world.request(round);
    let secrets = BTreeMap::new();
    let input = Input {
        name: &world.name,
        spec: &world.spec,
        compiled: &world.compiled,
        reading: &world.reading,
        home: &world.home,
        trusted: true,
        revision: &world.revision,
        lineage: &world.lineage,
        policies: Ok(&sources),
        request: &request,
        uid: Some("0b5e"),
        generation: 1,
        former: None,
        running: false,
        now: jiff::Timestamp::UNIX_EPOCH,
        context: &context,
        book: &world.book,
        count: &|_| Usage::default(),
        secrets: Some(&secrets),
        destinations: &BTreeMap::new(),
        unorphaned: &BTreeMap::new(),
        missing: &[],
        unknown: &[],
    };
    let checked = preflight(&input);
    assert!(checked.verdict == Verdict::Accepted && checked.release.is_some(), "{:?}", checked.all_problems());
    if depth >= Depth::Lines {
        assert!(!checked.attributed(&input).is_empty(), "there are lines");
    }
    if depth >= Depth::Choices {
        std::hint::black_box(preflight::options(&input, &checked));
    }
}
