//! What hostile input may reach, as functions of bytes.
//!
//! A target takes any bytes and must return: no panic, no more than a second for 64 kB, no memory without bound. Where there is a law
//! (what is applied twice changes nothing, what is pruned is valid of itself) it is asserted as well. `cargo xtask fuzz` runs libFuzzer
//! over them, which sees the branches of our crates and keeps inputs that reach new ones. An input that breaks a target goes, mended,
//! into `regressions/<target>/`; `seeds/<target>/` holds what a target of texts begins with. Both are run by the ordinary tests.
//!
//! To add a target: a file in `targets/`, a line in [`TARGETS`].
#![expect(clippy::panic, reason = "a target tells of a broken law by a panic: that is what the engine listens for")]

mod bytes;
mod targets {
    pub(crate) mod apply;
    pub(crate) mod body;
    pub(crate) mod chains;
    pub(crate) mod expr;
    pub(crate) mod patch;
    pub(crate) mod protobuf;
    pub(crate) mod request;
    pub(crate) mod scalar;
    pub(crate) mod schema;
    pub(crate) mod selectors;
    pub(crate) mod token;
}

use std::sync::OnceLock;

/// The largest input, in bytes.
pub const LARGEST: usize = 64 << 10;

/// A function of bytes.
pub type Target = fn(&[u8]);

/// All targets by their names.
pub const TARGETS: [(&str, Target); 11] = [
    ("apply", targets::apply::run),
    ("body", targets::body::run),
    ("chains", targets::chains::run),
    ("expr", targets::expr::run),
    ("patch", targets::patch::run),
    ("protobuf", targets::protobuf::run),
    ("request", targets::request::run),
    ("scalar", targets::scalar::run),
    ("schema", targets::schema::run),
    ("selectors", targets::selectors::run),
    ("token", targets::token::run),
];

/// Runs the target of this name.
///
/// # Panics
/// When there is none, or it is broken.
pub fn run(name: &str, data: &[u8]) {
    find(name)(data);
}

/// Runs the target that `OPM_FUZZ_TARGET` names.
///
/// # Panics
/// As [`run`].
pub fn run_chosen(data: &[u8]) {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    let target = CHOSEN.get_or_init(|| {
        #[expect(clippy::disallowed_methods, reason = "the engine has the command line to itself; the build tool names the target here")]
        let name = std::env::var("OPM_FUZZ_TARGET").unwrap_or_default();
        find(&name)
    });
    target(data);
}

fn find(name: &str) -> Target {
    let found = TARGETS.iter().find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("there is no target {name:?}")).1
}
