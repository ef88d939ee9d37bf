//! The story of a sample world: who did what when, as people write it.

use jiff::SignedDuration;
use promise::api::{CandidateState, Decision, DeletionPolicy, Phase, UpgradePolicy};
use promise::manifest;
use serde::Deserialize;
use serde_json::Value;

use crate::history::record::STORY;
use crate::sample::{Files, SampleError};

/// A story.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Story {
    /// Home of the promises.
    pub(super) home: String,
    /// Destination of their objects.
    pub(super) destination: String,
    /// What the files of the world looked like at first.
    pub(super) earlier: Vec<Earlier>,
    /// What happens, the longest ago first.
    pub(super) steps: Vec<Step>,
}

/// An earlier content of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Earlier {
    /// Path of the file.
    pub(super) file: String,
    /// Texts of today, and what stood there before.
    pub(super) texts: Vec<(String, String)>,
}

/// A step.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Step {
    /// How long before the end, such as `3d 4h`.
    pub(super) ago: String,
    /// Who does it.
    pub(super) who: String,
    /// The request, as `workspace/name`.
    #[serde(default)]
    pub(super) on: String,
    /// Creates it.
    #[serde(default)]
    pub(super) request: Option<Wanted>,
    /// Changes its parameters: only what is named.
    #[serde(default)]
    pub(super) change: Option<Value>,
    /// Decides about it.
    #[serde(default)]
    pub(super) decide: Option<Decision>,
    /// Comment of a decision, or on the request.
    #[serde(default)]
    pub(super) comment: Option<String>,
    /// Parameters that the comment of a decision refers to.
    #[serde(default)]
    pub(super) fields: Vec<String>,
    /// Withdraws it from approval.
    #[serde(default)]
    pub(super) withdraw: bool,
    /// Deletes it.
    #[serde(default)]
    pub(super) delete: bool,
    /// Makes its workloads slow or failing, see [`devplane::sandbox::BEHAVIOUR`].
    #[serde(default)]
    pub(super) behaviour: Option<String>,
    /// Publishes a promise as its file is today.
    #[serde(default)]
    pub(super) publish: Option<String>,
    /// The phase in which the request then rests; not waited for if absent.
    #[serde(default)]
    pub(super) then: Option<Phase>,
    /// The state of its candidate then.
    #[serde(default)]
    pub(super) candidate: Option<CandidateState>,
}

/// A new request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Wanted {
    /// Name of the promise.
    pub(super) promise: String,
    /// Project.
    #[serde(default)]
    pub(super) project: String,
    /// Reason for the request.
    #[serde(default)]
    pub(super) reason: Option<String>,
    /// Parameters.
    #[serde(default)]
    pub(super) parameters: Value,
    /// Newer versions that are rolled out automatically.
    #[serde(default)]
    pub(super) upgrade: UpgradePolicy,
    /// What happens to the objects when the request is deleted.
    #[serde(default)]
    pub(super) deletion_policy: DeletionPolicy,
}

impl Story {
    /// Reads the story of a sample world.
    ///
    /// # Errors
    /// If it is missing or invalid.
    pub(super) fn read(files: &Files) -> Result<Self, SampleError> {
        let text = files.read(STORY)?;
        let mut story: Self = serde_saphyr::from_str(&text).map_err(|error| manifest::unreadable(STORY, 1, &text, &error))?;
        for step in &story.steps {
            step.before_end()?;
        }
        // A reader finds the steps of a request together; they happen in the order of their times.
        story.steps.sort_by_key(|step| std::cmp::Reverse(step.before_end().unwrap_or_default()));
        Ok(story)
    }
}

impl Step {
    /// Returns how long before the end it happens.
    ///
    /// # Errors
    /// If the text isn't a duration.
    pub(super) fn before_end(&self) -> Result<SignedDuration, SampleError> {
        let wrong = || SampleError::File { file: STORY.to_owned(), message: format!("\"{}\" isn't a time such as 3d 4h", self.ago) };
        let mut total = SignedDuration::ZERO;
        for part in self.ago.split(' ') {
            let (number, unit) = part.split_at_checked(part.len().saturating_sub(1)).ok_or_else(wrong)?;
            let number: i64 = number.parse().map_err(|_| wrong())?;
            let seconds = match unit {
                "d" => 86_400,
                "h" => 3_600,
                "m" => 60,
                _ => return Err(wrong()),
            };
            total += SignedDuration::from_secs(number.saturating_mul(seconds));
        }
        Ok(total)
    }

    /// Returns workspace and name of its request.
    pub(super) fn place(&self) -> (&str, &str) {
        self.on.rsplit_once('/').unwrap_or(("", &self.on))
    }

    /// Returns what it is, for messages.
    pub(super) fn title(&self) -> String {
        format!(
            "{} ago, {}, {}",
            self.ago,
            self.who,
            if self.on.is_empty() { self.publish.as_deref().unwrap_or_default() } else { &self.on }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_of_the_sample_world_can_be_read_and_is_in_order() {
        let story = Story::read(&Files::Directory(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"))).unwrap();
        let times: Vec<SignedDuration> = story.steps.iter().map(|step| step.before_end().unwrap()).collect();
        assert!(times.is_sorted_by(|one, next| one >= next));
        assert!(story.steps.iter().filter(|step| step.request.is_some()).count() >= 25);
    }
}
