//! Contents of a release, and the hash that an approval is bound to (`domain.md` 3, Content hash).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::api::{DeletionPolicy, DestinationId, ReleaseRule, UpgradePolicy};
use crate::price::Money;
use crate::revision::{CanonicalError, digest};

/// Version of the hash algorithm.
pub const HASH_VERSION: u32 = 2;

/// Everything that determines what is created. Messages, policy titles, counters and observed state aren't included.
#[derive(Clone, Debug, PartialEq)]
pub struct Content<'a> {
    /// uid of the request.
    pub request_uid: &'a str,
    /// Hash of the revision.
    pub revision_hash: &'a str,
    /// Resolved parameters: pruned, defaulted and with `set` rules applied.
    pub parameters: &'a Value,
    /// What happens to the objects when the request is deleted.
    pub deletion_policy: DeletionPolicy,
    /// Newer versions that are rolled out automatically.
    pub upgrade: UpgradePolicy,
    /// RFC 3339 time at which the request expires.
    pub expires_at: Option<&'a str>,
    /// Destinations of the objects, by name.
    pub destinations: &'a BTreeMap<String, DestinationId>,
    /// Rules with their effects. Their order doesn't matter.
    pub rules: &'a [ReleaseRule],
    /// Monthly price in micro-units of a currency. Null if it is unknown or the promise has no price.
    pub price: Option<Price<'a>>,
    /// Keyed digests of secret inputs, by parameter path.
    pub secrets: &'a BTreeMap<String, String>,
    /// Other labels that templates and rules read, and that anyone who can set labels can change.
    pub labels: Labels<'a>,
}

/// Labels that templates and rules can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Labels<'a> {
    /// Labels of the request.
    pub request: &'a BTreeMap<String, String>,
    /// Labels of its workspace.
    pub workspace: &'a BTreeMap<String, String>,
}

/// A price as included in the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price<'a> {
    /// Amount in millionths of the currency unit.
    pub micros: i64,
    /// ISO 4217 code.
    pub currency: &'a str,
}

impl<'a> From<&'a Money> for Price<'a> {
    fn from(money: &'a Money) -> Self {
        Self { micros: money.micros, currency: &money.currency }
    }
}

/// Returns the hex-encoded SHA-256 of the content in canonical JSON (RFC 8785).
///
/// # Errors
/// If the content contains a number that RFC 8785 can't represent.
pub fn content_hash(content: &Content<'_>) -> Result<String, CanonicalError> {
    digest(&Hashed {
        hash_version: HASH_VERSION,
        request_uid: content.request_uid,
        revision_hash: content.revision_hash,
        parameters: content.parameters,
        deletion_policy: content.deletion_policy,
        upgrade: content.upgrade,
        expires_at: content.expires_at,
        destinations: content.destinations.iter().map(|(name, id)| (name.as_str(), HashedDestination::from(id))).collect(),
        rules: sorted(content.rules),
        // Micro-units can exceed 2^53, where RFC 8785 numbers lose digits, so they are included as text.
        price: content.price.map(|price| HashedPrice { micros: price.micros.to_string(), currency: price.currency }),
        secrets: content.secrets,
        labels: content.labels,
    })
}

/// Whether two sets of rules have the same effects. Neither their order nor the notation of numbers matters: what the server stored as `1`
/// is the same as what serializes as `1.0`.
pub fn same_rules(one: &[ReleaseRule], other: &[ReleaseRule]) -> bool {
    matches!((digest(&sorted(one)), digest(&sorted(other))), (Ok(one), Ok(other)) if one == other)
}

fn sorted(rules: &[ReleaseRule]) -> Vec<Rule<'_>> {
    let mut rules: Vec<Rule<'_>> = rules.iter().map(|rule| Rule { id: &rule.id, effect: &rule.effect }).collect();
    rules.sort_by(|a, b| a.id.cmp(b.id));
    rules
}

/// The hashed document. Absent parts are null, so that a part added later can't be confused with an earlier one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hashed<'a> {
    hash_version: u32,
    request_uid: &'a str,
    revision_hash: &'a str,
    parameters: &'a Value,
    deletion_policy: DeletionPolicy,
    upgrade: UpgradePolicy,
    expires_at: Option<&'a str>,
    destinations: BTreeMap<&'a str, HashedDestination<'a>>,
    rules: Vec<Rule<'a>>,
    price: Option<HashedPrice<'a>>,
    secrets: &'a BTreeMap<String, String>,
    labels: Labels<'a>,
}

#[derive(Serialize)]
struct Rule<'a> {
    id: &'a str,
    effect: &'a Option<Value>,
}

/// The cluster behind its credential isn't included because it is known only after a request to it.
#[derive(Serialize)]
struct HashedDestination<'a> {
    cluster: &'a str,
    uid: &'a str,
}

impl<'a> From<&'a DestinationId> for HashedDestination<'a> {
    fn from(id: &'a DestinationId) -> Self {
        Self { cluster: &id.cluster, uid: &id.uid }
    }
}

#[derive(Serialize)]
struct HashedPrice<'a> {
    micros: String,
    currency: &'a str,
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Content, Labels, content_hash, same_rules};
    use crate::api::{DeletionPolicy, DestinationId, ReleaseRule, UpgradePolicy};
    use crate::keyed::{DigestKey, Purpose};
    use serde_json::{Value, json};

    fn hash_of(parameters: &Value, rules: &[ReleaseRule]) -> String {
        hash_with(parameters, rules, &BTreeMap::new())
    }

    fn hash_with(parameters: &Value, rules: &[ReleaseRule], secrets: &BTreeMap<String, String>) -> String {
        let (request, workspace) = (labels(&[("size", "small")]), labels(&[("stage", "production")]));
        labelled(parameters, rules, secrets, Labels { request: &request, workspace: &workspace })
    }

    fn labels(of: &[(&str, &str)]) -> BTreeMap<String, String> {
        of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn labelled(parameters: &Value, rules: &[ReleaseRule], secrets: &BTreeMap<String, String>, labels: Labels<'_>) -> String {
        let content = Content {
            request_uid: "0b5e",
            revision_hash: "ab12",
            parameters,
            deletion_policy: DeletionPolicy::Delete,
            upgrade: UpgradePolicy::Manual,
            expires_at: None,
            destinations: &BTreeMap::from([("sandbox".to_owned(), id("u-1"))]),
            rules,
            price: None,
            secrets,
            labels,
        };
        content_hash(&content).unwrap()
    }

    fn id(uid: &str) -> DestinationId {
        DestinationId { cluster: "1x".into(), uid: uid.into(), server: None }
    }

    #[test]
    fn another_destination_of_the_same_name_is_another_content_and_the_cluster_behind_it_does_not_count() {
        let none = labels(&[]);
        let with = |id: DestinationId| {
            content_hash(&Content {
                request_uid: "0b5e",
                revision_hash: "ab12",
                parameters: &json!({}),
                deletion_policy: DeletionPolicy::Delete,
                upgrade: UpgradePolicy::Manual,
                expires_at: None,
                destinations: &BTreeMap::from([("sandbox".to_owned(), id)]),
                rules: &[],
                price: None,
                secrets: &BTreeMap::new(),
                labels: Labels { request: &none, workspace: &none },
            })
        };
        assert_ne!(with(id("u-1")), with(id("u-2")));
        assert_ne!(with(id("u-1")), with(DestinationId { cluster: "2x".into(), ..id("u-1") }));
        assert_eq!(with(id("u-1")), with(DestinationId { server: Some("s".into()), ..id("u-1") }));
    }

    fn rule(id: &str) -> ReleaseRule {
        ReleaseRule { id: id.into(), effect: Some(json!({"set": {"parameter": ".backup", "value": true}})) }
    }

    /// SHA-256 of the following document, written by hand and hashed with sha256sum:
    /// `{"deletionPolicy":"Delete","destinations":{"sandbox":{"cluster":"1x","uid":"u-1"}},"expiresAt":null,"hashVersion":2,"labels":{"request":{"size":"small"},"workspace":{"stage":"production"}},"parameters":{"replicas":1,"tier":"production"},"price":null,"requestUid":"0b5e","revisionHash":"ab12","rules":[],"secrets":{},"upgrade":"manual"}`
    const GOLDEN: &str = "f4c41d235138a191b28efdd186b4fce02320e22274bd55ae3771f251a5ccc93c";

    #[test]
    fn golden_for_every_way_of_writing() {
        for text in [
            r#"{"tier":"production","replicas":1}"#,
            r#"{"replicas":1.0,"tier":"production"}"#,
            r#"{ "replicas": 1e0, "tier": "\u0070roduction" }"#,
        ] {
            let parameters: Value = serde_json::from_str(text).unwrap();
            assert_eq!(hash_of(&parameters, &[]), GOLDEN, "{text}");
        }
        // YAML parses to the same value as JSON.
        let yaml: Value = serde_saphyr::from_str("replicas: 1\ntier: production\n").unwrap();
        assert_eq!(hash_of(&yaml, &[]), GOLDEN);
    }

    /// The same document with `"secrets":{".adminPassword":"ce10a8a7…"}`, the digest of a password in the test of `keyed`.
    const GOLDEN_WITH_SECRET: &str = "5c9b180a9429b1251327757c6579ee37f38db571415fd05c3832fea6955f0444";

    #[test]
    fn golden_with_a_secret_input() {
        let digest = DigestKey::new([7; 32]).digest(Purpose::SecretInput, &"hunter22").unwrap();
        let secrets = BTreeMap::from([(".adminPassword".to_owned(), digest)]);
        assert_eq!(hash_with(&json!({"tier": "production", "replicas": 1}), &[], &secrets), GOLDEN_WITH_SECRET);
    }

    #[test]
    fn other_labels_of_the_request_or_the_workspace_are_another_content() {
        let (small, huge, none) = (labels(&[("size", "small")]), labels(&[("size", "huge")]), labels(&[]));
        let hash = |request, workspace| labelled(&json!({}), &[], &none, Labels { request, workspace });
        let all = [hash(&small, &none), hash(&huge, &none), hash(&none, &small), hash(&none, &none)];
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        assert_eq!(hash(&small, &none), hash(&labels(&[("size", "small")]), &none));
    }

    #[test]
    fn the_order_of_rules_does_not_count_and_their_effects_do() {
        let parameters = json!({});
        assert_eq!(hash_of(&parameters, &[rule("a"), rule("b")]), hash_of(&parameters, &[rule("b"), rule("a")]));
        let mut other = rule("b");
        other.effect = Some(json!({"set": {"parameter": ".backup", "value": false}}));
        assert_ne!(hash_of(&parameters, &[rule("a"), rule("b")]), hash_of(&parameters, &[rule("a"), other]));
    }

    #[test]
    fn rules_are_the_same_however_a_plane_writes_their_numbers() {
        let bound = |minimum: &str| {
            let effect = format!(r#"{{"constrain":{{"parameter":".replicas","minimum":{minimum}}}}}"#);
            ReleaseRule { id: "b".into(), effect: serde_json::from_str(&effect).unwrap() }
        };
        assert!(same_rules(&[rule("a"), bound("1.0")], &[bound("1"), rule("a")]));
        assert!(!same_rules(&[bound("1")], &[bound("2")]));
        assert!(!same_rules(&[bound("1")], &[]));
    }
}
