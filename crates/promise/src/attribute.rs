//! What the platform will add: rendered objects line by line, each with where it comes from.
//!
//! Origins follow from what each part of a template *reads*, never from comparing values. Where an expression gives a parameter as it
//! stands, such as a map of labels, each part of the value has the origin of that part. Of several origins the most specific names the
//! line, in the order of [`LineOrigin`]: a policy before you, you before a default, a default before the promise; all others are in
//! [`Line::also`]. What the condition or loop of a resource reads belongs to every line of its objects, and is said once, in
//! [`AttributedObject::because`].

mod difference;
#[cfg(feature = "engine")]
mod lines;
#[cfg(feature = "engine")]
mod origins;
#[cfg(test)]
#[cfg(feature = "engine")]
mod tests;
#[cfg(feature = "engine")]
mod tree;
#[cfg(feature = "engine")]
mod yaml;

use serde::{Deserialize, Serialize};

use crate::policy::Provenance;

pub use difference::{DifferenceLine, ObjectDifference, Side, Touched, difference, touched};
#[cfg(feature = "engine")]
pub use lines::objects;
#[cfg(feature = "engine")]
pub use origins::Origins;

/// Where a line comes from; the more specific comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "camelCase")]
pub enum LineOrigin {
    /// It is known once something else is there.
    Later {
        /// What it waits for, such as `status.writeService of database`.
        waits_for: String,
    },
    /// A rule of a policy.
    Policy {
        /// Which rule.
        rule: Provenance,
    },
    /// What the person typed.
    You {
        /// Path such as `.parameters.size`, or `.name`.
        path: String,
    },
    /// A parameter that nobody typed.
    Default {
        /// Path such as `.parameters.size`.
        path: String,
    },
    /// The portal or the workspace: our labels, the workspace's name, the person's account, prices.
    Platform,
    /// The promise itself.
    Promise,
}

/// One line of YAML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// The line, without its end.
    pub text: String,
    /// Its most specific origin.
    pub origin: LineOrigin,
    /// Its other origins, the more specific first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<LineOrigin>,
}

impl Line {
    /// All origins, the most specific first.
    pub fn origins(&self) -> impl Iterator<Item = &LineOrigin> {
        std::iter::once(&self.origin).chain(&self.also)
    }
}

/// One rendered object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttributedObject {
    /// Id of the resource; with `[n]` for an item of a `forEach`.
    pub id: String,
    /// Kind and name, such as `Cluster orders`; what is not known yet reads as such.
    pub title: String,
    /// Name of a Destination; absent means the workspace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// Why there is this object: what its condition and its loop read; empty when it is always there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<LineOrigin>,
    /// What it waits for, if it cannot be made at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Its YAML.
    pub lines: Vec<Line>,
}
