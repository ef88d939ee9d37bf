//! Texts of the pages on which authors write and retire promises.

use promise::wording::counted;

pub(crate) const NEW: &str = "New promise";
pub(crate) const EDIT: &str = "Edit";
pub(crate) const RETIRE: &str = "Retire";
pub(crate) const PUBLISH: &str = "Publish";
pub(crate) const CHECK: &str = "Check";
pub(crate) const PREVIEW: &str = "Preview form";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const MANIFEST: &str = "Promise";
pub(crate) const MANIFEST_HINT: &str = "YAML. With lifecycle: draft, it's saved but not published. You can change presentation and lifecycle at any time; other changes need a new version.";
pub(crate) const PLACE: &str = "Workspace";
pub(crate) const PLACE_HINT: &str = "The promise is offered here, and below if its visibility says so.";
pub(crate) const NOT_PUBLISHED: &str = "Fix these problems to publish";
pub(crate) const IS_VALID: &str = "Valid";
pub(crate) const IS_VALID_TEXT: &str = "Publishing would accept it, and the dry run in the workspace passed. Nothing is written yet.";
pub(crate) const SUGGESTIONS: &str = "Suggestions";
pub(crate) const DIFFERENCE: &str = "Difference";
pub(crate) const NO_DIFFERENCE: &str = "No differences that requesters can see.";
pub(crate) const COMPATIBLE: &str = "Compatible: requests of the published version stay valid.";
pub(crate) const BREAKING: &str = "Breaking: requests of the published version might not be valid.";

// Retiring.
pub(crate) const RETIRE_TEXT: &str = "It's no longer offered in catalogs. Instances keep running and can still be changed, upgraded and deleted. Set another lifecycle to offer it again.";
pub(crate) const IN_USE: &str = "Instances by workspace";
pub(crate) const WORKSPACE: &str = "Workspace";
pub(crate) const INSTANCES: &str = "Instances";
pub(crate) const UNUSED: &str = "No instances that you can list.";
pub(crate) const DEPENDENTS: &str = "Required by";
pub(crate) const DEPENDENTS_TEXT: &str = "New requests of these promises can't be fulfilled where nothing else meets the requirement.";
pub(crate) const NO_DEPENDENTS: &str = "No promise that you can read requires it.";

pub(crate) fn edit_named(title: &str) -> String {
    format!("Edit {title}")
}

pub(crate) fn retire_named(title: &str) -> String {
    format!("Retire {title}")
}

/// Heading of what differs from the published version.
pub(crate) fn between(published: &str, written: &str) -> String {
    if published == written { format!("Compared with {published}") } else { format!("{published} → {written}") }
}

/// A place in a text.
pub(crate) fn at((line, column): (usize, usize)) -> String {
    format!("Line {line}, column {column}")
}

pub(crate) fn suggestions(shown: usize, total: usize) -> String {
    if shown == total { counted(total as u64, "suggestion") } else { format!("{shown} of {}", counted(total as u64, "suggestion")) }
}

/// How many instances there are.
pub(crate) fn instances(listed: usize, everywhere: u64) -> String {
    let all = counted(everywhere, "instance");
    if listed as u64 == everywhere { all } else { format!("{all}, of which you can list {listed}") }
}
