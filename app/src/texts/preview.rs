//! Texts of the preview of a promise's form.

use promise::wording::counted;

pub(crate) const PREVIEW: &str = "Preview a form";
pub(crate) const SUMMARY: &str = "See the form that a schema makes, try values, and find what to improve. Nothing is published";
/// The link to the preview of a promise in a list.
pub(crate) const OF_PROMISE: &str = "Preview form";
pub(crate) const NO_FORM: &str = "No form to show";
pub(crate) const GONE: &str = "This preview is no longer available";
pub(crate) const GONE_TEXT: &str = "Previews are kept for a limited time, and only for you. Paste the schema again.";
pub(crate) const DOCUMENT: &str = "Schema";
pub(crate) const DOCUMENT_HINT: &str = "Paste YAML or JSON: a promise, a schema, a CustomResourceDefinition, a CompositeResourceDefinition, a Kratix Promise, a ResourceGraphDefinition, a Backstage Template or a chart's values.schema.json";
pub(crate) const CHANGE_DOCUMENT: &str = "Change the schema";
pub(crate) const OTHER_DOCUMENT: &str = "Use another schema";
pub(crate) const VERSION: &str = "Version";
pub(crate) const SHOW_FORM: &str = "Show form";
pub(crate) const CHECK: &str = "Check values";
pub(crate) const RESULT: &str = "Result";
pub(crate) const REFUSED: &str = "Can't be published yet";
pub(crate) const VALUES: &str = "Values";
pub(crate) const ADVICE: &str = "Suggestions";
pub(crate) const NO_ADVICE: &str = "Every field has a description and reads well.";
pub(crate) const HINTS: &str = "Hints to copy";
pub(crate) const HINTS_TEXT: &str = "Fill in the texts and add them to the spec of the promise.";

/// Says that a document of so many bytes isn't on the page.
pub(crate) fn large(bytes: usize) -> String {
    format!("The schema is {} kB long, so this page doesn't repeat it.", bytes.div_ceil(1000))
}

/// How much of the advice is listed.
pub(crate) fn advice(listed: usize, total: usize) -> String {
    if listed < total { format!("{listed} of {total}") } else { counted(total as u64, "suggestion") }
}
