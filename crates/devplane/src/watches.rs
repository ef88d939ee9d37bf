//! How many watches are open. Each costs a connection and a task, so one caller may not have too many.
//! Source: none upstream: a limit of our own.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;

use crate::status::ApiError;

/// Watches of one user at the same time; a controller has one for each kind.
const PER_USER: usize = 5_000;

/// The open watches by user.
#[derive(Debug, Default, Clone)]
pub struct Watches(Arc<Mutex<HashMap<String, usize>>>);

impl Watches {
    /// Counts a new watch for as long as the answer is held.
    ///
    /// # Errors
    /// Too many requests, when the user has too many already.
    pub fn open(&self, user: &str) -> Result<OpenWatch, ApiError> {
        self.open_within(user, PER_USER)
    }

    fn open_within(&self, user: &str, limit: usize) -> Result<OpenWatch, ApiError> {
        let mut open = self.0.lock();
        let count = open.entry(user.to_owned()).or_default();
        if *count >= limit {
            let message = format!("user {user:?} has {limit} open watches already: close some of them first");
            return Err(ApiError::too_many_requests(message, 1));
        }
        *count += 1;
        Ok(OpenWatch { watches: self.clone(), user: user.to_owned() })
    }
}

/// One open watch; closed when it is dropped.
#[derive(Debug)]
pub struct OpenWatch {
    watches: Watches,
    user: String,
}

impl Drop for OpenWatch {
    fn drop(&mut self) {
        let mut open = self.watches.0.lock();
        if let Some(count) = open.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_watch_makes_room_for_another() {
        let watches = Watches::default();
        let first = watches.open_within("alice", 1).unwrap();
        assert_eq!(watches.open_within("alice", 1).map_err(|error| error.code).err(), Some(429));
        let other = watches.open_within("bob", 1).unwrap();
        drop(first);
        drop(watches.open_within("alice", 1).unwrap());
        drop(other);
        assert!(watches.0.lock().is_empty());
    }
}
