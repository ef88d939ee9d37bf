//! Names of the people who signed in, kept in memory for pages and notifications.

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use promise::people::PeopleNames;
use store::Store;

/// How long the names are valid although no one signed in here: people sign in through other processes, too.
const FRESH: SignedDuration = SignedDuration::from_secs(60);
/// Number of names to keep, of the people who signed in last.
const MOST: u32 = 10_000;

/// Names of people.
#[derive(Debug, Default)]
pub struct People {
    /// Those who can be chosen on the sign-in page.
    sample: Vec<(String, String)>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    names: PeopleNames,
    read: Option<Timestamp>,
}

impl People {
    /// Creates the names of people who can be chosen on the sign-in page.
    pub fn new(sample: Vec<(String, String)>) -> Self {
        let names = PeopleNames::new(sample.iter().cloned());
        Self { sample, known: Mutex::new(Known { names, read: None }) }
    }

    /// Returns the names as they were last read.
    pub fn names(&self) -> PeopleNames {
        self.known.lock().names.clone()
    }

    /// Returns the names, after reading those that other processes or a sign-in might have added. If the database doesn't respond, the
    /// former names remain.
    pub async fn current(&self, store: &Store, now: Timestamp) -> PeopleNames {
        {
            let mut known = self.known.lock();
            if known.read.is_some_and(|read| now.duration_since(read) < FRESH) {
                return known.names.clone();
            }
            // Others don't read them at the same time.
            known.read = Some(now);
        }
        match store.person_names(MOST).await {
            Ok(read) => {
                let names = PeopleNames::new(read.into_iter().chain(self.sample.iter().cloned()));
                self.known.lock().names = names.clone();
                names
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the names of people cannot be read");
                self.names()
            }
        }
    }

    /// Has the names read again, because someone signed in.
    pub fn changed(&self) {
        self.known.lock().read = None;
    }
}
