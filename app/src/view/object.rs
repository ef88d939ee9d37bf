//! The page of one object of a request.

use promise::troubleshooting::Workload;
use serde::{Deserialize, Serialize};

use super::{Drift, Happening, RequestRow, ResourceLine, ResourceRow};

/// Identifies an object of a request. Kind and name are in the URL path. The other fields distinguish objects of the same name; an empty
/// field matches any value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ObjectKey {
    /// Kind.
    #[serde(skip)]
    pub kind: String,
    /// Name.
    #[serde(skip)]
    pub name: String,
    /// API group.
    pub group: String,
    /// Namespace of the object.
    #[serde(rename = "in")]
    pub namespace: String,
    /// Name of the Destination.
    pub at: String,
}

impl ObjectKey {
    /// Returns kind and name, as displayed.
    pub fn title(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }

    fn of(kind: &str, name: &str, api_version: &str, namespace: &str, destination: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            name: name.to_owned(),
            group: api_version.split_once('/').map_or("", |(group, _)| group).to_owned(),
            namespace: namespace.to_owned(),
            at: destination.to_owned(),
        }
    }
}

impl From<&ResourceLine> for ObjectKey {
    fn from(line: &ResourceLine) -> Self {
        Self::of(&line.kind, &line.name, &line.api_version, &line.namespace, &line.destination)
    }
}

impl ResourceLine {
    /// Checks whether pods can belong to the object.
    pub fn has_pods(&self) -> bool {
        Workload::of(&ObjectKey::from(self).group, &self.kind).is_some()
    }
}

impl From<&ResourceRow> for ObjectKey {
    fn from(row: &ResourceRow) -> Self {
        Self::of(&row.kind, &row.name, &row.api_version, &row.namespace, &row.destination)
    }
}

/// Details of one object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectPage {
    /// The row in the request's list of resources.
    pub line: ResourceLine,
    /// The request.
    pub request: RequestRow,
    /// Whether something else changed the object.
    pub drift: Drift,
    /// uid of the object. Empty until the server has accepted it.
    pub uid: String,
    /// Position in the creation order, starting at 1.
    pub stage: u32,
    /// Name of the current or next release, or empty.
    pub release: String,
    /// Source of the text.
    pub source: ObjectSource,
    /// Owners other than the request, as kind and name.
    pub owners: Vec<String>,
    /// Conditions of the object. Empty if it isn't read.
    pub conditions: Vec<ConditionLine>,
    /// Field managers of the object, most recent first. Empty if it isn't read.
    pub writers: Vec<WriterLine>,
    /// Events of the object, newest first, or the reason why they aren't read, as a sentence.
    pub events: Result<Vec<Happening>, String>,
    /// YAML without the values of Secrets, or the reason why there is none, as a sentence.
    pub yaml: Result<Manifest, String>,
    /// Identifies the data that the page was rendered from, for the change stream.
    pub seen: String,
}

/// Source of the text of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ObjectSource {
    /// Read from the plane as the user.
    Read,
    /// Taken from the release. The sentence is the reason why the object itself isn't read.
    Release(String),
}

/// The text of an object, as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The first lines.
    pub text: String,
    /// Number of further lines.
    pub left_out: usize,
}

impl Manifest {
    /// Truncates a text to at most `lines` lines and `bytes` bytes.
    pub fn cut(text: &str, lines: usize, bytes: usize) -> Self {
        let mut size = 0;
        let fits = text.lines().take(lines).take_while(|line| {
            size += line.len() + 1;
            size <= bytes
        });
        let shown: Vec<&str> = fits.collect();
        let left_out = text.lines().count() - shown.len();
        Self { text: shown.join("\n"), left_out }
    }
}

/// A condition of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConditionLine {
    /// Type of the condition, such as `Available`.
    pub name: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Machine-readable reason, or empty.
    pub reason: String,
    /// Human-readable message, or empty.
    pub message: String,
    /// RFC 3339 time of the last change, or empty.
    pub since: String,
}

/// A field manager of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WriterLine {
    /// Field manager.
    pub manager: String,
    /// Subresource, such as `status`. Empty for the object itself.
    pub part: String,
    /// RFC 3339 time of the last write, or empty.
    pub at: String,
    /// Whether it is the portal's controller.
    pub ours: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_lines_and_say_how_much_is_left() {
        let whole = Manifest::cut("a: 1\nb: 2\n", 10, 100);
        assert_eq!((whole.text.as_str(), whole.left_out), ("a: 1\nb: 2", 0));
        assert_eq!(Manifest::cut("a: 1\nb: 2\nc: 3\n", 2, 100).left_out, 1);
        let one = Manifest::cut("a: 1\nb: 2\nc: 3\n", 10, 6);
        assert_eq!((one.text.as_str(), one.left_out), ("a: 1", 2));
    }

    #[test]
    fn a_key_names_the_group_and_not_the_version() {
        let line = |api_version: &str| ResourceLine {
            kind: "Deployment".into(),
            name: "web".into(),
            api_version: api_version.into(),
            ..ResourceLine::default()
        };
        assert_eq!(ObjectKey::from(&line("apps/v1")).group, "apps");
        assert_eq!(ObjectKey::from(&line("v1")).group, "");
        assert_eq!(ObjectKey::from(&line("v1")).title(), "Deployment/web");
    }
}
