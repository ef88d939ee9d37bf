//! Modules of a crate import each other in one direction: a circle of modules can only be understood as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{root, sources};

/// Circles that exist, by crate: how many modules each crate has in its largest one. The numbers can only shrink.
const KNOWN: [(&str, usize); 5] =
    [("app", 2), ("crates/cluster", 11), ("crates/devplane", 28), ("crates/promise", 2), ("crates/schema", 2)];

/// The packages whose modules are looked at.
const PACKAGES: [&str; 11] = [
    "app",
    "server",
    "crates/cluster",
    "crates/devplane",
    "crates/ledger",
    "crates/notify",
    "crates/oidc",
    "crates/opm",
    "crates/promise",
    "crates/schema",
    "crates/store",
];

/// The modules at the top of a crate, and which of them each imports.
fn imports(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources(source) {
        let inside = file.strip_prefix(source).expect("a file of the crate");
        let first = inside.iter().next().expect("a name").to_string_lossy();
        // Tests may look at everything, and comments link to it.
        if inside.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        let module = first.trim_end_matches(".rs").to_owned();
        let text = std::fs::read_to_string(&file).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code: String = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
        let named = |rest: &str| rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect::<String>();
        let of_module = imports.entry(module).or_default();
        for rest in code.split("crate::").skip(1) {
            match rest.strip_prefix('{').and_then(|rest| rest.split('}').next()) {
                Some(group) => of_module.extend(group.split(',').map(|name| named(name.trim()))),
                None => _ = of_module.insert(named(rest)),
            }
        }
    }
    imports
}

/// Returns the modules that are in a circle with others.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<&str>> {
    let reached = |from: &str| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(module) = open.pop() {
            for next in imports.get(module).into_iter().flatten() {
                if let Some((next, _)) = imports.get_key_value(next).filter(|(next, _)| reached.insert(next.as_str())) {
                    open.push(next);
                }
            }
        }
        reached
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = imports.keys().map(|module| (module.as_str(), reached(module))).collect();
    let circle =
        |module: &&str| -> BTreeSet<&str> { reach[module].iter().copied().filter(|other| reach[other].contains(module)).collect() };
    let all: BTreeSet<BTreeSet<&str>> = reach.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    all.into_iter().collect()
}

#[test]
fn modules_do_not_import_each_other_in_circles() {
    for package in PACKAGES {
        let imports = imports(&root().join(package).join("src"));
        let circles = circles(&imports);
        let known = KNOWN.iter().find(|(name, _)| *name == package).map_or(0, |(_, count)| *count);
        let largest = circles.iter().map(BTreeSet::len).max().unwrap_or_default();
        assert!(largest <= known, "{package} has a circle of {largest} modules, at most {known} are known: {circles:?}");
        assert!(largest == known, "{package}: its largest circle has {largest} modules by now; lower the number in KNOWN");
    }
}

#[test]
fn a_circle_is_found() {
    let imports = |pairs: &[(&str, &[&str])]| {
        pairs.iter().map(|(module, others)| ((*module).to_owned(), others.iter().map(|other| (*other).to_owned()).collect())).collect()
    };
    let none: BTreeMap<String, BTreeSet<String>> = imports(&[("a", &["b", "c"]), ("b", &["c", "std"]), ("c", &[])]);
    assert!(circles(&none).is_empty());
    let three = imports(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a"])]);
    assert_eq!(circles(&three), [BTreeSet::from(["a", "b", "c"])]);
    let two = imports(&[("a", &["b"]), ("b", &["a"])]);
    assert_eq!(circles(&two), [BTreeSet::from(["a", "b"])]);
}
