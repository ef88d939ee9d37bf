//! Looking at a plane that was started again.

use std::collections::{BTreeMap, BTreeSet};

use http::Request;
use http_body_util::BodyExt;
use serde_json::Value;

use crate::{
    Door, Witness,
    door::ask,
    object::{COLLECTION, Known, name, read},
};

/// Objects in one page of a list.
const PAGE: usize = 5_000;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Objects.
    pub objects: usize,
    /// Writes that were under way and are done.
    pub done: usize,
    /// Writes that were under way and never happened.
    pub undone: usize,
    /// What a watch from before told.
    pub watched: Watched,
}

/// What a watch from before told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// Nothing was acknowledged after the version it began at.
    Nothing,
    /// So many changes, and among them each acknowledged one.
    Changes(usize),
    /// `410 Expired`.
    Expired,
}

impl Witness {
    /// Looks whether all is there that was acknowledged; none if the plane is gone before all was seen. What it finds is what is known
    /// from then on.
    ///
    /// # Errors
    /// When something is lost, half done or older than it was.
    pub async fn check(&mut self, door: &impl Door) -> Result<Option<Found>, String> {
        let Some((mut objects, version)) = self.list(door).await? else { return Ok(None) };
        if version < self.highest {
            return Err(format!("the plane is at version {version}, and {} was acknowledged", self.highest));
        }
        let (mut done, mut undone, mut seen) = (0, 0, Vec::with_capacity(self.slots.len()));
        for (number, slot) in self.slots.iter().enumerate() {
            let found = objects.remove(&name(number));
            let content = |known: Option<Known>| known.map(|known| known.content);
            let as_known = found == slot.known;
            // The write that was under way leaves its content under a version of its own.
            let as_wished = slot.pending.is_some_and(|wish| {
                let newer = |found: Known| found.version > slot.known.map_or(0, |known| known.version).max(self.floor);
                content(found) == wish.after(content(slot.known)) && found.is_none_or(newer)
            });
            match slot.pending {
                _ if as_known => undone += usize::from(slot.pending.is_some()),
                Some(_) if as_wished => done += 1,
                pending => {
                    let known = slot.known;
                    return Err(format!("{} was acknowledged as {known:?}, with {pending:?} under way, and is {found:?}", name(number)));
                }
            }
            seen.push(found);
        }
        if let Some(unknown) = objects.keys().next() {
            return Err(format!("{unknown} is there, and nobody made it"));
        }
        let Some(watched) = self.watch(door, version).await? else { return Ok(None) };
        for (slot, found) in self.slots.iter_mut().zip(seen) {
            (slot.known, slot.pending) = (found, None);
        }
        (self.highest, self.floor) = (version, version);
        Ok(Some(Found { objects: self.objects(), done, undone, watched }))
    }

    /// All objects by their names, and the version of the list.
    async fn list(&self, door: &impl Door) -> Result<Option<(BTreeMap<String, Known>, u64)>, String> {
        let (mut objects, mut next) = (BTreeMap::new(), String::new());
        loop {
            let path = format!("{COLLECTION}?limit={PAGE}&continue={next}");
            let Some((code, page)) = ask(door, "GET", &path, "", None).await else { return Ok(None) };
            if code != 200 {
                return Err(format!("the list is refused: {page}"));
            }
            for object in page["items"].as_array().into_iter().flatten() {
                objects.insert(text(&object["metadata"]["name"]).to_owned(), read(object, self.size)?);
            }
            next = text(&page["metadata"]["continue"]).to_owned();
            if next.is_empty() {
                let version = text(&page["metadata"]["resourceVersion"]);
                return Ok(Some((objects, version.parse().map_err(|_| format!("the list has version {version:?}"))?)));
            }
        }
    }

    /// Watches from some acknowledged version to the last one.
    async fn watch(&mut self, door: &impl Door, until: u64) -> Result<Option<Watched>, String> {
        let begin = self.seed.below(self.journal.len().max(1) as u64);
        let Some((from, _)) = self.journal.get(usize::try_from(begin).unwrap_or_default()).copied() else {
            return Ok(Some(Watched::Nothing));
        };
        let mut expected: BTreeSet<(u64, String)> =
            self.journal.iter().filter(|(version, _)| *version > from).map(|(version, number)| (*version, name(*number))).collect();
        if expected.is_empty() {
            return Ok(Some(Watched::Nothing));
        }
        let request = Request::builder().uri(format!("{COLLECTION}?watch=true&resourceVersion={from}")).body(Vec::new());
        let Some(answer) = door.send(request.map_err(|error| error.to_string())?).await else { return Ok(None) };
        let (mut body, mut unread, mut told, mut last) = (answer.into_body(), Vec::new(), 0, from);
        while !expected.is_empty() {
            let Some(Ok(frame)) = body.frame().await else { return Ok(None) };
            unread.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
            while let Some(end) = unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = unread.drain(..=end).collect();
                let event: Value = serde_json::from_slice(&line).map_err(|error| format!("an event cannot be read: {error}"))?;
                if event["type"] == "ERROR" && event["object"]["code"] == 410 {
                    return Ok(Some(Watched::Expired));
                }
                let metadata = &event["object"]["metadata"];
                let version: u64 = text(&metadata["resourceVersion"]).parse().map_err(|_| format!("an event has no version: {event}"))?;
                if version <= last || version > until {
                    return Err(format!("a watch from {from} tells of version {version} after {last}; the plane is at {until}"));
                }
                (last, told) = (version, told + 1);
                let skipped = expected.first().filter(|(missed, _)| *missed < version);
                if let Some((missed, name)) = skipped {
                    return Err(format!("a watch from {from} does not tell of {name} at version {missed}"));
                }
                expected.remove(&(version, text(&metadata["name"]).to_owned()));
            }
        }
        Ok(Some(Watched::Changes(told)))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
