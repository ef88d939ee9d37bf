//! Bodies of requests: how much of them is in memory at the same time, in all and of one user. Who may not ask at all is not read.
//! Source: none upstream: limits of our own.

use std::{collections::HashMap, sync::Arc, time::Duration};

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use parking_lot::Mutex;

use super::limits;
use crate::status::ApiError;

/// Bytes of bodies of all requests that are under way.
const ALL: usize = 128 << 20;
/// Of one user.
const PER_USER: usize = 32 << 20;

/// How long the body of a refused request may take to pass.
const DRAIN: Duration = Duration::from_secs(5);

/// What bodies hold. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Bodies(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    users: HashMap<String, usize>,
}

/// What one body holds, until it is dropped.
#[derive(Debug)]
pub struct Held {
    bodies: Bodies,
    user: String,
    bytes: usize,
}

impl Held {
    fn new(bodies: &Bodies, user: &str) -> Self {
        Self { bodies: bodies.clone(), user: user.to_owned(), bytes: 0 }
    }

    fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let mut counts = self.bodies.0.lock();
        let own = counts.users.get(&self.user).copied().unwrap_or_default();
        if counts.all + bytes > ALL || own + bytes > PER_USER {
            return Err(ApiError::too_many_requests("too many large requests are under way: send this one again later".to_owned(), 1));
        }
        counts.all += bytes;
        counts.users.insert(self.user.clone(), own + bytes);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut counts = self.bodies.0.lock();
        counts.all -= self.bytes;
        let left = counts.users.get(&self.user).map_or(0, |own| own - self.bytes);
        match left {
            0 => drop(counts.users.remove(&self.user)),
            left => drop(counts.users.insert(self.user.clone(), left)),
        }
    }
}

/// The body of a request, within the limits.
pub async fn read(mut body: Body, bodies: &Bodies, user: &str) -> Result<(Bytes, Held), ApiError> {
    let (mut read, mut held) = (BytesMut::new(), Held::new(bodies, user));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ApiError::bad_request(format!("the body of the request cannot be read: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        if read.len() + data.len() > limits::BODY_BYTES {
            return Err(limits::too_large(format_args!("limit is {}", limits::BODY_BYTES)));
        }
        held.grow(data.len())?;
        read.extend_from_slice(&data);
    }
    Ok((read.freeze(), held))
}

/// Lets a body pass that nobody wants: unread, the connection would be closed under the client's next request. What does not come to an
/// end is not waited for.
pub async fn drain(mut body: Body) {
    let mut passed = 0;
    let passing = async {
        while passed <= limits::BODY_BYTES
            && let Some(Ok(frame)) = body.frame().await
        {
            passed += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    let _ = tokio::time::timeout(DRAIN, passing).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_user_leaves_room_for_others() {
        let bodies = Bodies::default();
        let (mut first, mut second) = (Held::new(&bodies, "alice"), Held::new(&bodies, "alice"));
        first.grow(PER_USER - 10).unwrap();
        assert_eq!(second.grow(11).map_err(|error| error.code), Err(429));
        second.grow(10).unwrap();
        let mut others: Vec<Held> = (0..3).map(|user| Held::new(&bodies, &user.to_string())).collect();
        others.iter_mut().for_each(|held| held.grow(PER_USER).unwrap());
        assert_eq!(Held::new(&bodies, "last").grow(1).map_err(|error| error.code), Err(429), "all have a limit together");
        drop((first, others));
        second.grow(PER_USER - 10).unwrap();
        drop(second);
        assert!(bodies.0.lock().users.is_empty() && bodies.0.lock().all == 0);
    }

    #[tokio::test]
    async fn a_body_is_read_whole() {
        let bodies = Bodies::default();
        let parts = futures::stream::iter(["ab", "cd"].map(Ok::<_, std::io::Error>));
        let (read, held) = read(Body::from_stream(parts), &bodies, "alice").await.unwrap();
        assert_eq!((&read[..], held.bytes), (&b"abcd"[..], 4));
    }
}
