//! A finished instance with all of its objects, ready to be copied.
//!
//! Values that differ between instances are found by their text: names, uids, places, times, and the digests that depend on them. Each copy
//! gets new digests, computed by the same functions that the controller uses. For the pattern, these functions must first reproduce what
//! the controller wrote.

use std::collections::BTreeMap;

use cluster::install;
use cluster::kinds::{PromiseRelease, PromiseRequest};
use devplane::registry::GroupResource;
use devplane::store::{Key, Stored};
use jiff::Timestamp;
use promise::api::{DeletionPolicy, DestinationId, InventoryItem, PromiseReleaseSpec, ReleaseRule, UpgradePolicy};
use promise::context::Context;
use promise::keyed::DigestKey;
use promise::names;
use promise::placement::{self, Site};
use promise::plan::{Desired, Subject};
use promise::price::{Estimate, Money};
use promise::release::{Content, Labels, content_hash};
use promise::render::{Compiled, Inputs, injects};
use serde_json::{Value, json};

use super::error::SeedError;
use super::pattern::{NAMESPACE, Ordered, PROJECT, Pattern, REQUESTER};
use super::template::Template;

/// What a value in the pattern's text stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    /// Name of the request.
    Name,
    /// Its namespace at the Destination.
    Namespace,
    /// Id of its workspace.
    Cluster,
    /// Path of its workspace.
    Path,
    /// Last segment of that path.
    Workspace,
    /// The requester.
    Requester,
    /// The requester's group.
    Group,
    /// The project.
    Project,
    /// Uid of the request.
    RequestUid,
    /// Uid of an object created for it.
    Uid,
    /// Hash of its content.
    ContentHash,
    /// Name of its release.
    Release,
    /// Digest of an object, by index in [`Form::desired`].
    Hash(usize),
    /// Revision of a StatefulSet, by index in [`Form::objects`].
    Revision(usize),
    /// Address of a Service.
    Address,
    /// A time, shifted into the past by the difference in age between instance and pattern.
    Time(Timestamp),
}

/// Location of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// In the workspace.
    Workspace,
    /// At the Destination.
    Sandbox,
}

/// A desired object of the release, without the portal's own labels and annotations.
pub(super) struct Wanted {
    pub(super) id: String,
    pub(super) destination: Option<String>,
    pub(super) stage: u32,
    pub(super) object: Template,
}

/// Input of the content hash, except for the uid.
pub(super) struct Agreed {
    revision: String,
    parameters: Value,
    deletion_policy: DeletionPolicy,
    upgrade: UpgradePolicy,
    expires_at: Option<String>,
    destinations: BTreeMap<String, DestinationId>,
    rules: Vec<ReleaseRule>,
    price: Option<Money>,
    context: Context,
}

/// A pattern, ready to be copied.
pub(super) struct Form {
    pub(super) kind: usize,
    pub(super) organisation: usize,
    pub(super) slots: Vec<Slot>,
    pub(super) agreed: Option<Agreed>,
    pub(super) desired: Vec<Wanted>,
    pub(super) objects: Vec<(GroupResource, At, Template)>,
}

/// The stored objects of a pattern.
struct Found {
    objects: Vec<(GroupResource, At, Value)>,
    request: PromiseRequest,
    release: Option<PromiseRelease>,
}

impl Form {
    /// Reads a pattern from all objects on the plane.
    pub(super) fn of(pattern: &Pattern, ordered: &Ordered, all: &[(GroupResource, Key, Stored)]) -> Result<Self, SeedError> {
        Self::read(pattern, ordered, all).map_err(|why| SeedError::Pattern { name: pattern.name.clone(), why })
    }

    fn read(pattern: &Pattern, ordered: &Ordered, all: &[(GroupResource, Key, Stored)]) -> Result<Self, String> {
        let found = Found::of(pattern, all)?;
        let uid = found.request.metadata.uid.clone().unwrap_or_default();
        let items = found.request.status.as_ref().map(|status| status.inventory.clone()).unwrap_or_default();
        let mut words = Words::default();
        words.add(&pattern.name, Slot::Name);
        words.add(&pattern.cluster, Slot::Cluster);
        words.add(&pattern.path, Slot::Path);
        words.add(pattern.path.rsplit(':').next().unwrap_or_default(), Slot::Workspace);
        words.add(REQUESTER.0, Slot::Requester);
        words.add(REQUESTER.1, Slot::Group);
        words.add(PROJECT, Slot::Project);
        words.add(&uid, Slot::RequestUid);
        for namespace in items.iter().filter(|item| item.kind == "Namespace") {
            words.add(&namespace.name, Slot::Namespace);
        }
        let agreed = match &found.release {
            None => None,
            Some(release) => {
                let agreed = Agreed::of(&found.request, &release.spec, ordered)?;
                let hash = &release.spec.content_hash;
                if agreed.hash(&uid, PROJECT)? != *hash {
                    return Err("the hash of its content differs".to_owned());
                }
                let name = release.metadata.name.clone().unwrap_or_default();
                if name != release_name(&pattern.name, hash) {
                    return Err(format!("its release is called {name}"));
                }
                words.add(&name, Slot::Release);
                words.add(hash, Slot::ContentHash);
                Some(agreed)
            }
        };
        let desired = found.desired(&items, ordered)?;
        for (index, (item, wanted)) in desired.iter().enumerate() {
            if item.kept.is_some() {
                return Err(format!("{} is stored differently than it was created", item.id));
            }
            let hash = hash(&ordered.digests, &uid, &pattern.name, &item.id, item.destination.as_deref(), item.stage, wanted.clone())?;
            if item.hash.as_ref() != Some(&hash) {
                return Err(format!("the digest of {} differs", item.id));
            }
            words.add(&hash, Slot::Hash(index));
        }
        for (index, (_, _, object)) in found.objects.iter().enumerate() {
            words.add(object["metadata"]["uid"].as_str().unwrap_or_default(), Slot::Uid);
            if object["kind"] == "StatefulSet" {
                words.add(object["status"]["updateRevision"].as_str().unwrap_or_default(), Slot::Revision(index));
            }
            if object["kind"] == "Service" {
                words.add(object["spec"]["clusterIP"].as_str().filter(|address| *address != "None").unwrap_or_default(), Slot::Address);
            }
            words.add_times(&object.to_string());
        }
        let Words { words, slots } = words;
        let wanted = |(item, object): (&InventoryItem, Value)| Wanted {
            id: item.id.clone(),
            destination: item.destination.clone(),
            stage: item.stage,
            object: Template::of_object(&object, &words),
        };
        Ok(Self {
            kind: pattern.kind,
            organisation: pattern.organisation,
            slots,
            agreed,
            desired: desired.into_iter().map(wanted).collect(),
            objects: found
                .objects
                .iter()
                .map(|(resource, at, object)| (resource.clone(), *at, Template::of_object(object, &words)))
                .collect(),
        })
    }
}

/// Returns the name of a release, computed as the controller does.
pub(super) fn release_name(request: &str, hash: &str) -> String {
    format!("{request}-{}", hash.get(..10).unwrap_or(hash))
}

/// Returns the digest that an object carries, computed as the controller does.
pub(super) fn hash(
    digests: &DigestKey,
    uid: &str,
    name: &str,
    id: &str,
    destination: Option<&str>,
    stage: u32,
    object: Value,
) -> Result<String, String> {
    let subject = Subject { uid: uid.to_owned(), name: name.to_owned(), ..Subject::default() };
    let marked = Desired::marked(digests, &subject, id, destination, stage, object);
    marked.map(|desired| desired.hash).map_err(|error| format!("{id}: {error}"))
}

impl Agreed {
    fn of(request: &PromiseRequest, release: &PromiseReleaseSpec, ordered: &Ordered) -> Result<Self, String> {
        let promise = ordered.promises.get(&release.revision.hash).ok_or("its revision is unknown")?;
        if !promise.secret_parameters.is_empty() && request.spec.parameters.as_ref().is_some_and(|all| all.get("adminPassword").is_some()) {
            return Err("it has secrets that someone entered".to_owned());
        }
        Ok(Self {
            revision: release.revision.hash.clone(),
            parameters: release.parameters.clone().unwrap_or_default(),
            deletion_policy: request.spec.deletion_policy,
            upgrade: request.spec.upgrade,
            expires_at: request.spec.expires_at.clone(),
            destinations: release.destinations.clone(),
            rules: release.rules.clone(),
            price: Estimate::recorded(release).and_then(|estimate| estimate.monthly.money().cloned()),
            context: release.context.clone().and_then(|context| serde_json::from_value(context).ok()).unwrap_or_default(),
        })
    }

    /// Returns the content hash for a request of a project.
    pub(super) fn hash(&self, uid: &str, project: &str) -> Result<String, String> {
        let mut labels = self.context.request.labels.clone();
        labels.insert(names::PROJECT_LABEL.to_owned(), project.to_owned());
        content_hash(&Content {
            request_uid: uid,
            revision_hash: &self.revision,
            parameters: &self.parameters,
            deletion_policy: self.deletion_policy,
            upgrade: self.upgrade,
            expires_at: self.expires_at.as_deref(),
            destinations: &self.destinations,
            rules: &self.rules,
            price: self.price.as_ref().map(Into::into),
            secrets: &BTreeMap::new(),
            labels: Labels { request: &labels, workspace: &self.context.workspace.labels },
        })
        .map_err(|error| error.to_string())
    }
}

impl Found {
    fn of(pattern: &Pattern, all: &[(GroupResource, Key, Stored)]) -> Result<Self, String> {
        let named = |name: &str| name == pattern.name || name.strip_prefix(pattern.name.as_str()).is_some_and(|rest| rest.starts_with('-'));
        let here = |key: &Key| key.cluster.as_str() == pattern.cluster && &*key.namespace == NAMESPACE && named(&key.name);
        let in_workspace: Vec<_> = all.iter().filter(|(resource, key, _)| &*resource.resource != "events" && here(key)).collect();
        let one =
            |plural: &str| in_workspace.iter().find(|(resource, ..)| &*resource.resource == plural).map(|(_, _, stored)| stored.object());
        let request: PromiseRequest =
            serde_json::from_value(one("promiserequests").ok_or("it doesn't exist")?).map_err(|error| error.to_string())?;
        let release = one("promisereleases").map(serde_json::from_value).transpose().map_err(|error| error.to_string())?;
        let items = request.status.as_ref().map(|status| status.inventory.as_slice()).unwrap_or_default();
        let namespaces: Vec<&str> = items.iter().filter(|item| item.kind == "Namespace").map(|item| item.name.as_str()).collect();
        let there = |resource: &GroupResource, key: &Key, stored: &Stored| {
            key.cluster.is_sandbox()
                && &*resource.resource != "events"
                && (namespaces.contains(&&*key.namespace)
                    || key.namespace.is_empty() && namespaces.iter().any(|namespace| stored.mentions(namespace)))
        };
        let mut objects: Vec<_> =
            in_workspace.iter().map(|(resource, _, stored)| (resource.clone(), At::Workspace, stored.object())).collect();
        let at_destination = all.iter().filter(|(resource, key, stored)| there(resource, key, stored));
        objects.extend(at_destination.map(|(resource, _, stored)| (resource.clone(), At::Sandbox, stored.object())));
        Ok(Self { objects, request, release })
    }

    /// Returns the object of an inventory item.
    fn object(&self, item: &InventoryItem) -> Option<&Value> {
        let at = if item.destination.is_some() { At::Sandbox } else { At::Workspace };
        let fits = |object: &Value| {
            object["kind"] == item.kind.as_str()
                && object["metadata"]["name"] == item.name.as_str()
                && object["metadata"]["namespace"].as_str() == item.namespace.as_deref()
        };
        self.objects.iter().find(|(_, place, object)| *place == at && fits(object)).map(|(_, _, object)| object)
    }

    /// Returns each inventory item with its desired object, without the portal's own labels and annotations.
    fn desired<'i>(&self, items: &'i [InventoryItem], ordered: &Ordered) -> Result<Vec<(&'i InventoryItem, Value)>, String> {
        let Some(release) = self.release.as_ref().filter(|_| !items.is_empty()) else { return Ok(Vec::new()) };
        let promise = ordered.promises.get(&release.spec.revision.hash).ok_or("its revision is unknown")?;
        let compiled = Compiled::compile(promise).map_err(|problems| format!("{problems:?}"))?;
        let context: Context =
            serde_json::from_value(release.spec.context.clone().unwrap_or_default()).map_err(|error| error.to_string())?;
        let observed = items.iter().filter_map(|item| Some((item.id.clone(), self.object(item)?.clone()))).collect();
        let parameters = release.spec.parameters.clone().unwrap_or_default();
        let injects = injects(&release.spec.rules);
        let inputs = Inputs { parameters: &parameters, context: &context, observed: &observed, injects: &injects };
        let rendering = compiled.render(&inputs).map_err(|problems| format!("{problems:?}"))?;
        let wanted = |item: &InventoryItem| {
            if item.id.starts_with("namespace-") {
                return Ok(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": item.name}}));
            }
            if item.id == "outputs-secret" {
                let there = self.object(item).ok_or_else(|| format!("{} doesn't exist", item.id))?;
                return Ok(json!({
                    "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": there["data"],
                    "metadata": {"name": item.name, "namespace": item.namespace,
                        "labels": {names::SECRET_ROLE_LABEL: install::ROLE_OUTPUTS}},
                }));
            }
            let rendered = rendering.objects.iter().find(|rendered| rendered.id == item.id);
            let object = rendered.ok_or_else(|| format!("{} is not rendered", item.id))?.object.clone();
            let namespace = item.namespace.as_deref().unwrap_or_default();
            let site = match &item.destination {
                None => Site::Workspace { namespace },
                Some(name) => Site::Destination { name, spec: &ordered.destination, namespace },
            };
            placement::place(&item.id, object, item.namespace.is_some(), site, true).map_err(|problem| problem.message)
        };
        items.iter().map(|item| Ok((item, wanted(item)?))).collect()
    }
}

/// Words and what they stand for; if a word occurs twice, the first counts.
#[derive(Default)]
struct Words {
    words: Vec<String>,
    slots: Vec<Slot>,
}

impl Words {
    fn add(&mut self, word: &str, slot: Slot) {
        if !word.is_empty() && !self.words.iter().any(|known| known == word) {
            self.words.push(word.to_owned());
            self.slots.push(slot);
        }
    }

    /// Adds every time in the text of an object, in whole seconds.
    fn add_times(&mut self, json: &str) {
        for word in json.split('"').filter(|word| word.len() == 20 && word.ends_with('Z')) {
            if let Ok(time) = word.parse::<Timestamp>() {
                self.add(word, Slot::Time(time));
            }
        }
    }
}
