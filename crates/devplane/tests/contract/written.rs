//! Our own scenarios, in `written/`: the plane must answer them as a real kube-apiserver does in the same run.
//!
//! A scenario is a list of steps as in the recordings, without the answers and with less to write:
//!
//! - `${ns}` is a namespace of its own, `${g}` an API group, `${core}` and `${custom}` the paths of both in that namespace; `vars` adds more.
//! - `do: METHOD PATH` stands for the request. `APPLY`, `MERGE`, `JSON` and `STRATEGIC` are patches, `TABLE`, `PARTIAL` and `PARTIALS`
//!   ways to read. `body`, `raw` and `headers` are those of the request; without `as` it is the administrator's.
//! - `define` creates a definition with the group `${g}` and the version v1, and waits until it is served: `plural`, `kind`, and where
//!   needed `scope`, `names`, `spec` and `status` (their properties), `required`, `specRules`, `more` (of the schema), `subresources`,
//!   `columns`, `selectable`.
//! - `until` is `wait.until`.

mod expand;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use devplane::Token;
use futures::StreamExt;
use serde_json::Value;
use testplane::{Person, Server};

use crate::{
    PARALLEL,
    outcome::Outcome,
    replay::{self, Answer},
    target::Target,
};

const PEOPLE: &[Person] = &[
    Person { name: "admin", groups: &["system:masters"] },
    Person { name: "alice", groups: &["team-a"] },
    Person { name: "bob", groups: &["team-b"] },
];

/// The topics.
pub fn topics() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/written");
    crate::scenarios(&folder).into_iter().map(|(topic, path)| (format!("written/{topic}"), path)).collect()
}

/// Asks both servers those topics that are wanted. Nothing without a real one.
pub async fn run(is_wanted: impl Fn(&str) -> bool) -> Vec<Outcome> {
    let topics: Vec<(String, PathBuf)> = topics().into_iter().filter(|(topic, _)| is_wanted(topic)).collect();
    if topics.is_empty() {
        return Vec::new();
    }
    let Some(server) = testplane::kubernetes(PEOPLE).await else { return Vec::new() };
    let server = Arc::new(server);
    let runs = topics.into_iter().map(|(topic, path)| compared(server.clone(), topic, path));
    futures::stream::iter(runs).buffered(PARALLEL).collect().await
}

async fn compared(server: Arc<Server>, topic: String, path: PathBuf) -> Outcome {
    let text = std::fs::read_to_string(&path).expect("a readable scenario");
    let scenario = expand::scenario(topic.trim_start_matches("written/"), &text);
    let plane = Target::plane(users(), false, Server::token);
    let (real, given) = tokio::join!(replay::run(&scenario, Target::server(server)), replay::run(&scenario, plane));
    let answers: Vec<(Value, Answer)> = real.into_iter().zip(given).map(|(real, given)| against(real, given)).collect();
    Outcome::of(topic, &answers)
}

/// The step with the answer of the real server as the recorded one.
fn against((mut step, real): (Value, Answer), (_, given): (Value, Answer)) -> (Value, Answer) {
    match real {
        Ok(real) if step["must"].is_u64() && step["must"] != real["status"] => {
            let why = format!("the real server refuses: {}", real["body"]["message"]);
            (step, Err(why))
        }
        Ok(real) => {
            step["response"] = real;
            (step, given)
        }
        Err(why) => (step, Err(format!("the real server: {why}"))),
    }
}

fn users() -> Vec<Token> {
    let user = |person: &Person| Token {
        token: Server::token(person.name),
        username: person.name.to_owned(),
        uid: person.name.to_owned(),
        groups: person.groups.iter().map(|group| (*group).to_owned()).collect(),
    };
    PEOPLE.iter().map(user).collect()
}
