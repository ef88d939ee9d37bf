//! What is seeded: instances of the sample promises, and the state in which each ends.

use serde_json::{Value, json};

/// Final state of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Everything works.
    Ready,
    /// Everything worked, and now a part doesn't.
    Degraded,
    /// Waiting for approval.
    Awaiting,
    /// Refused by a policy.
    Refused,
}

/// A kind of instance.
pub(super) struct Kind {
    /// Prefix of its instances' names, before their number.
    pub(super) word: &'static str,
    /// Its promise in the platform's home.
    pub(super) promise: &'static str,
    /// Its final state.
    pub(super) end: End,
    /// Share of all instances, in percent.
    pub(super) share: u64,
}

/// All kinds; their shares add up to 100.
pub(super) const KINDS: [Kind; 9] = [
    Kind { word: "cache", promise: "redis", end: End::Ready, share: 22 },
    Kind { word: "sessions", promise: "redis", end: End::Ready, share: 10 },
    Kind { word: "files", promise: "object-bucket", end: End::Ready, share: 18 },
    Kind { word: "archive", promise: "object-bucket", end: End::Ready, share: 6 },
    Kind { word: "site", promise: "web-application", end: End::Ready, share: 18 },
    Kind { word: "worker", promise: "web-application", end: End::Degraded, share: 4 },
    Kind { word: "trial", promise: "postgresql", end: End::Ready, share: 14 },
    Kind { word: "orders", promise: "postgresql", end: End::Awaiting, share: 4 },
    Kind { word: "preview", promise: "web-application", end: End::Refused, share: 4 },
];

/// Projects of requests.
pub(super) const PROJECTS: [&str; 8] = ["checkout", "search", "ledger", "storefront", "billing", "reports", "identity", "logistics"];

impl Kind {
    /// Returns the parameters of the request.
    pub(super) fn parameters(&self) -> Value {
        match self.word {
            "sessions" => json!({"size": "medium", "replicas": 3}),
            "archive" => json!({"storageClass": "archive", "versioning": true}),
            "site" => json!({"image": "ghcr.io/acme/hello:1.0.0", "replicas": 2}),
            "worker" => json!({"image": "ghcr.io/acme/worker:2.3.1", "replicas": 3, "environment": {"LOG_LEVEL": "info"}}),
            "trial" => json!({"tier": "development"}),
            "orders" => json!({"tier": "production", "size": "medium", "replicas": 3, "storage": 100,
                "backup": {"enabled": true, "retentionDays": 14}}),
            "preview" => json!({"image": "ghcr.io/acme/preview:latest"}),
            _ => json!({}),
        }
    }

    /// Returns the index of the kind for a number below 100.
    pub(super) fn of(number: u64) -> usize {
        let mut end = 0;
        let at = KINDS.iter().position(|kind| {
            end += kind.share;
            number < end
        });
        at.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, Kind};

    #[test]
    fn shares_add_up_and_every_kind_is_drawn() {
        assert_eq!(KINDS.iter().map(|kind| kind.share).sum::<u64>(), 100);
        for (index, kind) in KINDS.iter().enumerate() {
            let drawn = (0..100).filter(|number| Kind::of(*number) == index).count();
            assert_eq!(u64::try_from(drawn).unwrap(), kind.share, "{}", kind.word);
        }
    }

    #[test]
    fn no_word_begins_another() {
        for one in &KINDS {
            assert!(KINDS.iter().all(|other| one.word == other.word || !other.word.starts_with(one.word)), "{}", one.word);
        }
    }
}
