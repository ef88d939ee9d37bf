//! Provenance: rendered objects line by line, each with its origin.
//!
//! Origins follow from what each part of a template *reads*, never from comparing values. If an expression returns a parameter unchanged,
//! such as a map of labels, each part of the value has the origin of that part. If a line has several origins, the most specific one is
//! shown, in the order of [`LineOrigin`]: a policy before the user, the user before a default, a default before the promise. All others are
//! in [`Line::also`]. What the condition or loop of a resource reads applies to every line of its objects and is listed once, in
//! [`AttributedObject::because`].

mod difference;
mod lines;
mod origins;
#[cfg(test)]
mod tests;
mod tree;
mod yaml;

use serde::{Deserialize, Serialize};

use crate::policy::Provenance;

pub use difference::{DifferenceLine, ObjectDifference, Side, Touched, difference, touched};
pub use lines::objects;
pub use origins::Origins;

/// Origin of a line, most specific first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "camelCase")]
pub enum LineOrigin {
    /// Known only once something else exists.
    Later {
        /// Value that it waits for, such as `status.writeService of database`.
        waits_for: String,
    },
    /// A rule of a policy.
    Policy {
        /// The rule.
        rule: Provenance,
    },
    /// Input from the user.
    You {
        /// Path such as `.parameters.size`, or `.name`.
        path: String,
    },
    /// A parameter that wasn't entered.
    Default {
        /// Path such as `.parameters.size`.
        path: String,
    },
    /// The portal or the workspace: our labels, the workspace's name, the user's account, prices.
    Platform,
    /// The promise itself.
    Promise,
}

/// One line of YAML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// Text of the line, without the line end.
    pub text: String,
    /// Its most specific origin.
    pub origin: LineOrigin,
    /// Its other origins, most specific first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<LineOrigin>,
}

impl Line {
    /// Returns all origins, most specific first.
    pub fn origins(&self) -> impl Iterator<Item = &LineOrigin> {
        std::iter::once(&self.origin).chain(&self.also)
    }
}

/// One rendered object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttributedObject {
    /// Resource id, followed by `[n]` for an item of `forEach`.
    pub id: String,
    /// Kind and name, such as `Cluster orders`. A name that isn't known yet is shown as such.
    pub title: String,
    /// Name of the Destination. Absent if the object is in the request's workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Reason why the object exists: what its condition and loop read. Empty if it always exists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<LineOrigin>,
    /// Value that it waits for, if it can't be created immediately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Its YAML.
    pub lines: Vec<Line>,
}
