//! One object that was made for a request.

use serde::{Deserialize, Serialize};

use super::{Drift, Happening, RequestRow, ResourceLine, ResourceRow};

/// Which object of a request is meant. Kind and name stand in the path of its address; the rest tells apart what is called alike, and leaves
/// open what is empty.
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
    /// Its namespace.
    #[serde(rename = "in")]
    pub namespace: String,
    /// Name of the Destination.
    pub at: String,
}

impl ObjectKey {
    /// Kind and name, as people write them.
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

impl From<&ResourceRow> for ObjectKey {
    fn from(row: &ResourceRow) -> Self {
        Self::of(&row.kind, &row.name, &row.api_version, &row.namespace, &row.destination)
    }
}

/// One object in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectPage {
    /// What the list of what was made for its request shows.
    pub line: ResourceLine,
    /// The request.
    pub request: RequestRow,
    /// Whether somebody else changed it.
    pub drift: Drift,
    /// Its uid, once the plane took it; may be empty.
    pub uid: String,
    /// Position in the order of making, from 1.
    pub stage: u32,
    /// Name of the release that runs, or is meant to; may be empty.
    pub release: String,
    /// From where the text is.
    pub source: ObjectSource,
    /// What owns it on the plane besides its request, as kind and name.
    pub owners: Vec<String>,
    /// What it says about itself; empty where that is not read.
    pub conditions: Vec<ConditionLine>,
    /// Who writes fields of it, the newest first; empty where that is not read.
    pub writers: Vec<WriterLine>,
    /// What was noted about it, newest first; why nobody can tell, as a sentence, where it is not read.
    pub events: Result<Vec<Happening>, String>,
    /// As YAML without the values of Secrets; why there is none, as a sentence.
    pub yaml: Result<Manifest, String>,
    /// What the page is made of, as the stream of changes understands it.
    pub seen: String,
}

/// From where the text of an object is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ObjectSource {
    /// Read from the plane as the person who looks.
    Read,
    /// From the release: the object itself is not read, for the reason of this sentence.
    Release(String),
}

/// The text of an object, as far as a page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The first lines.
    pub text: String,
    /// How many lines there are besides.
    pub left_out: usize,
}

impl Manifest {
    /// At most so many lines of a text, of at most so many bytes.
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

/// What an object says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConditionLine {
    /// Name, such as `Available`.
    pub name: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// A word for machines; may be empty.
    pub reason: String,
    /// A sentence; may be empty.
    pub message: String,
    /// RFC 3339 time since when; may be empty.
    pub since: String,
}

/// Somebody who writes fields of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WriterLine {
    /// Field manager.
    pub manager: String,
    /// Which part, such as `status`; empty for the object itself.
    pub part: String,
    /// RFC 3339 time of the last write; may be empty.
    pub at: String,
    /// Whether it is the controller.
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
