//! What a page, a list of the REST API, a record of a write, a sign-in, a start, a fulfilment, dashboards over many instances, catalogs of many promises and large forms cost, beside something named that is measured in the same run.
//!
//! Called by `cargo xtask bench`. Ratios are the result; seconds belong to one machine. Never run as a test.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a measuring program: it reads the clock and its arguments, and ends at the first surprise"
)]

mod anew;
mod audit;
mod bare;
mod catalog;
mod dashboards;
mod forms;
mod fulfil;
mod http;
mod load;
mod login;
mod pages;
mod plane;
mod portal;
mod rest;
mod start;

use std::path::PathBuf;

/// Arguments are read by hand because cargo adds `--bench` of its own.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["anew", rest @ ..] = words.as_slice() {
        return anew::serve(rest);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        match words.as_slice() {
            ["bare", answer] => bare::serve(PathBuf::from(answer)).await,
            ["pages", rest @ ..] => pages::measure(seconds(rest)).await,
            ["rest", rest @ ..] => rest::measure(seconds(rest)).await,
            ["login", rest @ ..] => login::measure(login::sessions(rest)).await,
            ["dashboards", rest @ ..] => dashboards::measure(&dashboards::Sizes::of(rest)).await,
            ["catalog", rest @ ..] => {
                if !catalog::measure(&catalog::Sizes::of(rest)).await {
                    std::process::exit(1);
                }
            }
            ["forms", rest @ ..] => {
                if !forms::measure(&forms::Sizes::of(rest)).await {
                    std::process::exit(1);
                }
            }
            ["start"] => start::measure().await,
            ["fulfil", rest @ ..] => fulfil::measure(&fulfil::Sizes::of(rest)).await,
            [] | ["all"] => {
                start::measure().await;
                pages::measure(5).await;
                fulfil::measure(&fulfil::Sizes::of(&[])).await;
            }
            other => {
                panic!("unknown benchmark {other:?}: pages [SECONDS], rest [SECONDS], login [--sessions N], start, fulfil [--instances N,…], dashboards [--instances N,…], catalog [--promises N,…], forms [--promises N,…] or all")
            }
        }
    });
}

fn seconds(rest: &[&str]) -> u64 {
    rest.first().map_or(5, |text| text.parse().expect("a number of seconds"))
}
