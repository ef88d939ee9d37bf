//! Limits on request and response bodies in memory, in total and per user. The body of an unauthorized request is not read, and a client that
//! does not read its responses gets no more of them.
//! Source: none upstream: limits of our own.

use std::{collections::HashMap, convert::Infallible, sync::Arc, time::Duration};

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::{HeaderValue, Response, header};
use http_body::Body as _;
use http_body_util::BodyExt;
use parking_lot::Mutex;

use super::{answer::PIECE, limits};
use crate::status::ApiError;

/// Bytes of bodies of all requests that are under way.
const ALL: usize = 128 << 20;
/// Of one user.
const PER_USER: usize = 32 << 20;

/// How long the body of a refused request may take to pass.
const DRAIN: Duration = Duration::from_secs(5);

/// What bodies hold. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bodies(Arc<Mutex<Counts>>, Of);

/// Whose bodies are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Requests,
    Answers,
}

impl Bodies {
    /// Those of requests.
    pub fn of_requests() -> Self {
        Self(Arc::default(), Of::Requests)
    }

    /// Those of answers that are made as a whole; what is made while it is sent waits for its reader by itself.
    pub fn of_answers() -> Self {
        Self(Arc::default(), Of::Answers)
    }
}

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
        // A single answer may be larger than what all that wait may come to.
        let is_alone = |held: usize| self.bodies.1 == Of::Answers && held == 0;
        if counts.all + bytes > ALL && !is_alone(counts.all) || own + bytes > PER_USER && !is_alone(own) {
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

/// An answer whose body counts until it is sent, if that is long and was made as a whole.
pub async fn kept(answer: Response<Body>, bodies: &Bodies, user: &str) -> Result<Response<Body>, ApiError> {
    let size = answer.body().size_hint().exact().and_then(|size| usize::try_from(size).ok()).filter(|size| *size >= PIECE);
    let Some(size) = size else { return Ok(answer) };
    let mut held = Held::new(bodies, user);
    held.grow(size)?;
    let (mut head, body) = answer.into_parts();
    let text = body.collect().await.map_err(ApiError::internal)?.to_bytes();
    head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    // Piece by piece: of one piece the connection would take everything at once, and it would count no more.
    let pieces = (0..text.len()).step_by(PIECE).map(move |at| {
        let _held = &held;
        Ok::<_, Infallible>(text.slice(at..text.len().min(at + PIECE)))
    });
    Ok(Response::from_parts(head, Body::from_stream(futures::stream::iter(pieces))))
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
        let bodies = Bodies::of_requests();
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
        let bodies = Bodies::of_requests();
        let parts = futures::stream::iter(["ab", "cd"].map(Ok::<_, std::io::Error>));
        let (read, held) = read(Body::from_stream(parts), &bodies, "alice").await.unwrap();
        assert_eq!((&read[..], held.bytes), (&b"abcd"[..], 4));
    }

    #[tokio::test]
    async fn an_answer_counts_until_it_is_read() {
        let bodies = Bodies::of_answers();
        let answer = |size: usize| Response::new(Body::from(vec![b'x'; size]));
        // Longer than what one user may hold: it is the only one.
        let first = kept(answer(PER_USER + 1), &bodies, "alice").await.unwrap();
        let refused = kept(answer(PIECE), &bodies, "alice").await;
        assert_eq!(refused.map_err(|error| error.code).err(), Some(429));
        kept(answer(PIECE - 1), &bodies, "alice").await.expect("short answers are not counted");
        kept(answer(PIECE), &bodies, "bob").await.expect("others have room");
        assert_eq!(first.headers()[header::CONTENT_LENGTH], (PER_USER + 1).to_string());
        assert_eq!(first.into_body().collect().await.unwrap().to_bytes().len(), PER_USER + 1);
        kept(answer(PER_USER + 1), &bodies, "alice").await.expect("what is read counts no more");
        assert!(bodies.0.lock().users.is_empty() && bodies.0.lock().all == 0);
    }
}
