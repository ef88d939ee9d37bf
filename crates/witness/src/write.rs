//! Writing, and noting what is acknowledged.

use std::cell::{Cell, RefCell};

use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    Door, JOURNAL, Seed, Witness,
    door::ask,
    object::{COLLECTION, Content, DEFINITIONS, Known, Slot, Wish, definition, name, part, whole},
};

/// What the writers share.
struct Notes<'a> {
    size: usize,
    floor: u64,
    count: Cell<u64>,
    acknowledged: Cell<u64>,
    journal: RefCell<Vec<(u64, usize)>>,
    told: &'a dyn Fn(u64),
}

impl Witness {
    /// Defines the objects; false if the plane is gone.
    ///
    /// # Errors
    /// When the plane refuses.
    pub async fn define(&self, door: &impl Door) -> Result<bool, String> {
        let Some((code, answer)) = ask(door, "POST", DEFINITIONS, "application/json", Some(&definition())).await else { return Ok(false) };
        if code == 201 || code == 409 { Ok(true) } else { Err(format!("the definition is refused: {answer}")) }
    }

    /// Makes all objects that are not there, so many at a time.
    ///
    /// # Errors
    /// When the plane refuses, or is gone.
    pub async fn fill(&mut self, door: &impl Door, writers: usize) -> Result<(), String> {
        self.run(door, writers, Plan::Fill, &|_| {}).await?;
        let left = self.slots.len() - self.objects();
        if left == 0 { Ok(()) } else { Err(format!("the plane is gone, and {left} objects are missing")) }
    }

    /// Writes with so many writers until the plane is gone. `told` hears of each acknowledgement how many there were.
    ///
    /// # Errors
    /// When the plane refuses what it must take, or a version does not grow.
    pub async fn write(&mut self, door: &impl Door, writers: usize, told: &dyn Fn(u64)) -> Result<(), String> {
        self.run(door, writers, Plan::Write, told).await
    }

    async fn run(&mut self, door: &impl Door, writers: usize, plan: Plan, told: &dyn Fn(u64)) -> Result<(), String> {
        let (count, acknowledged) = (Cell::new(self.count), Cell::new(0));
        let notes = Notes { size: self.size, floor: self.floor, count, acknowledged, journal: RefCell::default(), told };
        // Each has objects of its own, so that it knows what becomes of them.
        let share = self.slots.len().div_ceil(writers);
        let (seed, noting) = (&mut self.seed, &notes);
        let writers = self.slots.chunks_mut(share).enumerate().map(|(chunk, slots)| {
            let mut seed = seed.split();
            async move {
                match plan {
                    Plan::Fill => {
                        for (at, slot) in slots.iter_mut().enumerate().filter(|(_, slot)| slot.known.is_none()) {
                            if !noting.step(door, chunk * share + at, slot, Way::Create).await? {
                                return Ok(());
                            }
                        }
                        Ok(())
                    }
                    Plan::Write => loop {
                        let at = usize::try_from(seed.below(slots.len() as u64)).unwrap_or_default();
                        let way = Way::of(&slots[at], &mut seed);
                        if !noting.step(door, chunk * share + at, &mut slots[at], way).await? {
                            return Ok(());
                        }
                    },
                }
            }
        });
        let outcomes: Vec<Result<(), String>> = join_all(writers).await;
        self.count = notes.count.get();
        for (version, number) in notes.journal.into_inner() {
            self.highest = self.highest.max(version);
            self.journal.push_back((version, number));
        }
        while self.journal.len() > JOURNAL {
            self.journal.pop_front();
        }
        outcomes.into_iter().collect()
    }
}

/// What writers do.
#[derive(Debug, Clone, Copy)]
enum Plan {
    /// Make what is not there.
    Fill,
    /// Change anything.
    Write,
}

/// A way to write.
#[derive(Debug, Clone, Copy)]
enum Way {
    Create,
    Apply,
    Replace,
    Patch,
    Status,
    Delete,
}

impl Way {
    fn of(slot: &Slot, seed: &mut Seed) -> Self {
        match (slot.known, seed.below(10)) {
            (None, 0..=4) => Self::Create,
            (None, _) | (_, 0 | 1) => Self::Apply,
            (_, 2 | 3) => Self::Replace,
            (_, 4 | 5) => Self::Patch,
            (_, 6..=8) => Self::Status,
            _ => Self::Delete,
        }
    }
}

impl Notes<'_> {
    /// Writes once. False if the plane is gone.
    async fn step(&self, door: &impl Door, number: usize, slot: &mut Slot, way: Way) -> Result<bool, String> {
        self.count.set(self.count.get() + 1);
        let (count, size) = (self.count.get(), self.size);
        let path = format!("{COLLECTION}/{}", name(number));
        let version = slot.known.map(|known| known.version);
        let json = "application/json";
        let (wish, method, path, content_type, body) = match way {
            Way::Create => (Wish::Create(count), "POST", COLLECTION.to_owned(), json, Some(whole(number, count, size, None))),
            Way::Apply => {
                let path = format!("{path}?fieldManager=witness&force=true");
                (Wish::Apply(count), "PATCH", path, "application/apply-patch+yaml", Some(whole(number, count, size, None)))
            }
            Way::Replace => (Wish::Replace(count), "PUT", path, json, Some(whole(number, count, size, version))),
            Way::Patch => {
                let body = json!({"spec": part(count, size)});
                (Wish::Patch(count), "PATCH", path, "application/merge-patch+json", Some(body))
            }
            Way::Status => {
                let body = json!({"status": part(count, size)});
                (Wish::Status(count), "PATCH", format!("{path}/status"), "application/merge-patch+json", Some(body))
            }
            Way::Delete => (Wish::Delete, "DELETE", path, json, None),
        };
        slot.pending = Some(wish);
        let Some((code, answer)) = ask(door, method, &path, content_type, body.as_ref()).await else { return Ok(false) };
        if !(200..300).contains(&code) {
            return Err(format!("{method} {path} is refused with {code}: {}", answer["message"]));
        }
        let after = wish.after(slot.known.map(|known| known.content));
        slot.known = match after {
            Some(content) => Some(self.note(number, slot.known, content, &answer)?),
            None => None,
        };
        slot.pending = None;
        self.acknowledged.set(self.acknowledged.get() + 1);
        (self.told)(self.acknowledged.get());
        Ok(true)
    }

    fn note(&self, number: usize, before: Option<Known>, content: Content, answer: &Value) -> Result<Known, String> {
        let version = answer["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse::<u64>().ok());
        let version = version.ok_or_else(|| format!("an answer about {} has no version: {answer}", name(number)))?;
        let least = before.map_or(0, |known| known.version).max(self.floor);
        if version <= least {
            return Err(format!("{} was written at version {version}, and {least} was there before", name(number)));
        }
        self.journal.borrow_mut().push((version, number));
        Ok(Known { version, content })
    }
}
