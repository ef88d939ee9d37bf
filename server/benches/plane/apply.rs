//! Server-side apply of objects that are there, each time with one other value.

use crate::client::Call;
use crate::load::{CONNECTIONS, closed};
use crate::objects;
use crate::sheet::{Goal, Sheet};
use crate::subject::Subject;

/// Objects that are applied to.
const OBJECTS: usize = 64;

/// Makes objects by applying them, then changes them.
pub async fn applies(subject: &Subject, size: usize, sheet: &mut Sheet) {
    let client = subject.loader();
    let call = |index: usize, round: usize| {
        let name = format!("applied-{:03}", index % OBJECTS);
        Call::apply(format!("{}?fieldManager=bench", objects::path(&name)), objects::body(&name, round * 1_000_000 + index))
    };
    closed(&client, CONNECTIONS, OBJECTS, 201, |index| call(index, 1)).await;
    let one = closed(&client, 1, 256.min(size / 4), 200, |index| call(index, 2)).await;
    sheet.add("apply, durable, one by one", one.figure().goal(Goal::AtLeast(2.0)));
    let many = closed(&client, CONNECTIONS, 4096.min(2 * size), 200, |index| call(index, 3)).await;
    sheet.add("apply, durable, 16 at once", many.figure().goal(Goal::AtLeast(2.0)));
}
