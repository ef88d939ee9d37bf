//! Copies of finished instances, written into the plane's file in batches while no plane runs on it.
//!
//! A server stamps uid and time on everything written through it, so a world with a past can only be created here.

use std::path::Path;
use std::sync::Arc;

use devplane::registry::GroupResource;
use devplane::store::{Key, Store, WriteError};
use devplane::{ClusterId, Storage, SystemClock};
use jiff::{SignedDuration, Timestamp};
use promise::placement::{self, Identity};
use serde_json::Value;

use super::draw::Draw;
use super::error::SeedError;
use super::form::{At, Form, Slot, hash, release_name};
use super::kinds::{End, KINDS, Kind, PROJECTS};
use super::pattern::{NAMESPACE, Ordered};
use super::places::{DEVELOPERS, Team};

/// Number of objects between two syncs to disk.
const BATCH: usize = 8_192;
/// Longest wait for a decision, in days.
const WAITS: u64 = 6;
const DAY: u64 = 86_400;

/// Size and ages of what is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Total number of instances, including the patterns.
    pub(super) instances: usize,
    /// Random seed for kinds, names, projects and ages.
    pub(super) seed: u64,
    /// Age of the oldest instance, in days.
    pub(super) days: u64,
    /// The time from which ages count back.
    pub(super) now: Timestamp,
}

/// Writes all copies into the plane's folder and returns the number of objects.
pub(super) async fn write(folder: &Path, ordered: &Ordered, teams: &[Team], extent: Extent) -> Result<usize, SeedError> {
    let store = Store::open(&Storage::Directory(folder.to_owned()), Arc::new(SystemClock))?;
    let forms = {
        let all = store.peek_all();
        ordered.patterns.iter().map(|pattern| Form::of(pattern, ordered, &all)).collect::<Result<Vec<Form>, SeedError>>()?
    };
    let (mut written, mut last) = (0, store.revision());
    for number in 0..extent.instances.saturating_sub(forms.len()) {
        let (Some(team), Some(cluster)) = (teams.get(number % teams.len()), ordered.clusters.get(number % teams.len())) else { break };
        let mut draw = Draw::new(extent.seed, u64::try_from(number).unwrap_or_default());
        let kind = Kind::of(draw.below(100));
        let Some(form) = forms.iter().find(|form| form.kind == kind && form.organisation == team.organisation) else { continue };
        let instance = Instance { form, ordered, team, cluster, number, extent };
        let objects = instance.objects(&mut draw).map_err(|why| SeedError::Pattern { name: instance.name(), why })?;
        for (resource, key, object) in objects {
            match store.write_behind(&resource, &key, 0, Some(object)) {
                Ok(stored) => last = stored.revision,
                // Left by an interrupted run.
                Err(WriteError::Changed) => {}
                Err(error) => return Err(error.into()),
            }
            written += 1;
            if written % BATCH == 0 {
                store.settle(last).await;
            }
        }
    }
    store.settle(last).await;
    Ok(written)
}

struct Instance<'a> {
    form: &'a Form,
    ordered: &'a Ordered,
    team: &'a Team,
    cluster: &'a str,
    number: usize,
    extent: Extent,
}

impl Instance<'_> {
    fn name(&self) -> String {
        format!("{}-{:06}", KINDS[self.form.kind].word, self.number)
    }

    /// Returns the seconds since the request was created.
    fn age(&self, draw: &mut Draw) -> i64 {
        let longest = if KINDS[self.form.kind].end == End::Awaiting { self.extent.days.min(WAITS) } else { self.extent.days };
        i64::try_from(60 + draw.below(longest.max(1) * DAY)).unwrap_or_default()
    }

    fn objects(&self, draw: &mut Draw) -> Result<Vec<(GroupResource, Key, Value)>, String> {
        let (form, name, path) = (self.form, self.name(), self.team.path.as_str());
        let age = self.age(draw);
        let project = PROJECTS.get(usize::try_from(draw.below(8)).unwrap_or_default()).copied().unwrap_or_default();
        let requester = self.team.requester();
        let group = DEVELOPERS.iter().find(|(name, _)| *name == requester).map_or("acme-owners", |(_, group)| *group);
        let uid = draw.uid();
        let content = form.agreed.as_ref().map(|agreed| agreed.hash(&uid, project)).transpose()?.unwrap_or_default();
        let identity = Identity { cluster: self.cluster, workspace: path, namespace: NAMESPACE, name: &name };
        let at_destination =
            placement::namespace("sandbox", &self.ordered.destination, &identity).map_err(|refusal| refusal.to_string())?;
        let mut services = 0;
        let mut values: Vec<String> = form
            .slots
            .iter()
            .map(|slot| match slot {
                Slot::Name => name.clone(),
                Slot::Namespace => at_destination.clone(),
                Slot::Cluster => self.cluster.to_owned(),
                Slot::Path => path.to_owned(),
                Slot::Workspace => self.team.path.name().to_owned(),
                Slot::Requester => requester.to_owned(),
                Slot::Group => group.to_owned(),
                Slot::Project => project.to_owned(),
                Slot::RequestUid => uid.clone(),
                Slot::Uid => draw.uid(),
                Slot::ContentHash => content.clone(),
                Slot::Release => release_name(&name, &content),
                Slot::Address => {
                    services += 1;
                    address(self.number * 4 + services)
                }
                Slot::Time(at) => self.moved(*at, age),
                Slot::Hash(_) | Slot::Revision(_) => String::new(),
            })
            .collect();
        for (slot, value) in slots(form) {
            if let Slot::Hash(index) = slot
                && let Some(wanted) = form.desired.get(index)
            {
                let object = read(&wanted.object.fill(&values))?;
                let destination = wanted.destination.as_deref();
                values[value] = hash(&self.ordered.digests, &uid, &name, &wanted.id, destination, wanted.stage, object)?;
            }
        }
        for (slot, value) in slots(form) {
            if let Slot::Revision(index) = slot
                && let Some((_, _, object)) = form.objects.get(index)
            {
                let object = read(&object.fill(&values))?;
                let own = object["metadata"]["name"].as_str().unwrap_or_default();
                values[value] = devplane::sandbox::stateful_set_revision(own, &object["spec"]["template"]);
            }
        }
        let cluster = ClusterId::parse(self.cluster).ok_or("its workspace has no id")?;
        let object = |(resource, at, template): &(GroupResource, At, super::template::Template)| {
            let object = read(&template.fill(&values))?;
            let cluster = if *at == At::Sandbox { ClusterId::sandbox() } else { cluster.clone() };
            let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
            let key = Key::new(&cluster, text("namespace"), text("name"));
            Ok::<_, String>((resource.clone(), key, object))
        };
        form.objects.iter().map(object).collect()
    }

    /// Returns the time that corresponds to `at` in the pattern, which is assumed to be as old as the run.
    fn moved(&self, at: Timestamp, age: i64) -> String {
        let moved = at.saturating_sub(SignedDuration::from_secs(age)).unwrap_or(at);
        moved.min(self.extent.now).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}

/// Returns every slot with the index of its value.
fn slots(form: &Form) -> impl Iterator<Item = (Slot, usize)> + '_ {
    form.slots.iter().enumerate().map(|(index, slot)| (*slot, index))
}

fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("a copy isn't a valid object: {error}"))
}

/// Returns a unique Service address.
fn address(number: usize) -> String {
    format!("10.{}.{}.{}", 128 + (number >> 16) % 128, (number >> 8) % 256, number % 256)
}
