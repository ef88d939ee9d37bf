//! `cargo xtask test classes`: every class of a page has a rule, and every rule a class that a page uses.
//!
//! It compares the classes that `app/src` names with the sheets in `style/` and the utilities in `site/portal.css`, which is compared with
//! its sources by another step. Classes without a rule, by which scripts or tests find elements, are listed in `classes.allow`, each with
//! the file that uses it. The list can only shrink.

pub mod scan;
pub mod sheet;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::sources::{before_tests, files, is_test};
use crate::workspace::Workspace;
use scan::{Class, Use};

/// The crate whose pages have classes.
pub const PAGES: &str = "app/src";
/// The sheets that people write.
pub const SHEETS: &str = "style";
/// The sheet that is built, with its utilities.
const BUILT: &str = "site/portal.css";
/// The layer of the utilities in it.
pub const UTILITIES: &str = "utilities";
/// The list of classes without a rule.
const ALLOWED: &str = "crates/xtask/classes.allow";

/// The user of a class that nothing finds elements by, and which has to be removed.
const NOTHING: &str = "-";

/// Classes, each with its places: path and line.
type Places = BTreeMap<String, Vec<String>>;

/// What pages name.
#[derive(Default)]
struct Used {
    names: Places,
    /// Names whose end is computed.
    prefixes: Places,
    unreadable: Places,
}

/// Fails on classes without a rule and rules without a class. If fewer classes than allowed have no rule, the list shrinks; in CI that is a
/// failure, too.
pub fn check(workspace: &Workspace, is_ci: bool) -> Result<()> {
    let used = used(&workspace.root)?;
    let rules = rules(&workspace.root)?;
    let built = std::fs::read_to_string(workspace.root.join(BUILT)).context(BUILT)?;
    let utilities: BTreeSet<String> = sheet::selected(sheet::layer(&built, UTILITIES)).into_iter().map(|(_, name)| name).collect();
    let path = workspace.root.join(ALLOWED);
    let list = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let allowed = entries(&list);
    let mut problems = undefined(&used, &rules, &utilities, &allowed);
    problems.extend(dead(&used, &rules));
    problems.extend(strangers(&workspace.root, &allowed)?);
    if !problems.is_empty() {
        bail!("classes and rules that don't belong together:\n{}", problems.join("\n"));
    }
    let needed = |class: &str| used.names.contains_key(class) && !rules.contains_key(class) && !utilities.contains(class);
    let left: String =
        list.lines().filter(|line| entry(line).is_none_or(|(class, _)| needed(class))).map(|line| format!("{line}\n")).collect();
    if left != list {
        if is_ci {
            bail!("{ALLOWED} lists classes that have a rule or aren't used any more. Run `cargo xtask test classes` and commit the file");
        }
        std::fs::write(&path, left).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Returns the classes of pages that no sheet in `style/` defines: the candidates for utilities.
#[cfg(feature = "site")]
pub fn candidates(root: &Path) -> Result<Vec<String>> {
    let rules = rules(root)?;
    Ok(used(root)?.names.into_keys().filter(|name| !rules.contains_key(name)).collect())
}

fn used(root: &Path) -> Result<Used> {
    let mut used = Used::default();
    for file in files(&root.join(PAGES), "rs")?.into_iter().filter(|file| !is_test(file)) {
        let source = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        for Use { line, class } in scan::classes(before_tests(&source)) {
            let (places, key) = match class {
                Class::Name(class) => (&mut used.names, class),
                Class::Prefix(class) => (&mut used.prefixes, class),
                Class::Unreadable(expression) => (&mut used.unreadable, expression),
            };
            places.entry(key).or_default().push(format!("{name}:{line}"));
        }
    }
    Ok(used)
}

fn rules(root: &Path) -> Result<Places> {
    let mut rules = Places::new();
    for file in files(&root.join(SHEETS), "css")? {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        for (line, class) in sheet::selected(&text) {
            rules.entry(class).or_default().push(format!("{name}:{line}"));
        }
    }
    Ok(rules)
}

/// Returns what is wrong with the classes of pages.
fn undefined(used: &Used, rules: &Places, utilities: &BTreeSet<String>, allowed: &[(&str, &str)]) -> Vec<String> {
    let unknown =
        |class: &String| !rules.contains_key(class) && !utilities.contains(class) && !allowed.iter().any(|(known, _)| known == class);
    let names = used.names.iter().filter(|(class, _)| unknown(class)).map(|(class, places)| {
        let place = places.join(", ");
        format!(
            "{place}: “{class}” has no rule in {SHEETS}/ and is no utility in {BUILT}. If it's a new utility, run `cargo xtask site` first"
        )
    });
    let prefixes = used.prefixes.iter().filter(|(prefix, _)| !rules.keys().any(|class| class.starts_with(prefix.as_str())));
    let prefixes =
        prefixes.map(|(prefix, places)| format!("{}: no rule in {SHEETS}/ is for a class that starts with “{prefix}”", places.join(", ")));
    let unreadable = used.unreadable.iter().map(|(expression, places)| {
        format!(
            "{}: the classes of “{expression}” can't be read. Define it with `let` in the same function, or in a `fn class`",
            places.join(", ")
        )
    });
    names.chain(prefixes).chain(unreadable).collect()
}

/// Returns the rules for classes that no page uses.
fn dead(used: &Used, rules: &Places) -> Vec<String> {
    let is_used = |class: &str| used.names.contains_key(class) || used.prefixes.keys().any(|prefix| class.starts_with(prefix.as_str()));
    let dead = rules.iter().filter(|(class, _)| !is_used(class));
    dead.map(|(class, places)| format!("{}: a rule for “{class}”, which nothing in {PAGES} uses", places.join(", "))).collect()
}

/// Returns the entries of the list whose file doesn't use the class. [`NOTHING`] is for what is left to remove.
fn strangers(root: &Path, allowed: &[(&str, &str)]) -> Result<Vec<String>> {
    let mut strangers = Vec::new();
    for (class, user) in allowed.iter().filter(|(_, user)| *user != NOTHING) {
        let text = std::fs::read_to_string(root.join(user)).with_context(|| format!("{ALLOWED}: {user}"))?;
        if !text.contains(&format!(".{class}")) {
            strangers.push(format!("{ALLOWED}: “{class}” isn't used in {user}"));
        }
    }
    Ok(strangers)
}

fn entries(list: &str) -> Vec<(&str, &str)> {
    list.lines().filter_map(entry).collect()
}

/// Reads a line of the list: a class, a tab, and the file that finds elements by it.
fn entry(line: &str) -> Option<(&str, &str)> {
    line.split_once('\t').filter(|_| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(names: &[&str]) -> Places {
        names.iter().map(|name| ((*name).to_owned(), vec!["file:1".to_owned()])).collect()
    }

    #[test]
    fn a_class_needs_a_rule_a_utility_or_an_entry() {
        let used = Used {
            names: places(&["btn", "gap-2", "hook", "typo"]),
            prefixes: places(&["chart-", "none-"]),
            unreadable: places(&["given"]),
        };
        let (rules, utilities) = (places(&["btn", "chart-1"]), BTreeSet::from(["gap-2".to_owned()]));
        let problems = undefined(&used, &rules, &utilities, &entries("# a comment\t\nhook\tend2end/a.mjs\n"));
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].starts_with("file:1: “typo” has no rule"), "{problems:?}");
        assert!(problems[1].contains("starts with “none-”") && problems[2].contains("“given” can't be read"), "{problems:?}");
    }

    #[test]
    fn a_rule_needs_a_page() {
        let used = Used { names: places(&["btn"]), prefixes: places(&["chart-"]), unreadable: Places::new() };
        assert_eq!(dead(&used, &places(&["btn", "chart-1", "old"])), ["file:1: a rule for “old”, which nothing in app/src uses"]);
    }
}
