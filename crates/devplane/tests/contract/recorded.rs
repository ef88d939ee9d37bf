//! Recorded answers of a real kube-apiserver and a real kcp.

use std::path::{Path, PathBuf};

use devplane::Token;
use futures::StreamExt;
use serde_json::Value;

use crate::{PARALLEL, outcome::Outcome, replay, target::Target};

/// The topics of the planes that were recorded. Nothing without the shared data.
pub fn topics() -> Vec<(String, PathBuf)> {
    let Some(folder) = testdata::shared("data/contract") else { return Vec::new() };
    let of = |plane: &'static str| {
        let topics = crate::scenarios(&folder.join(plane)).into_iter();
        topics.map(move |(topic, path)| (format!("{plane}/{topic}"), path))
    };
    of("kubernetes").chain(of("kcp")).collect()
}

/// Asks the plane what is recorded of those topics that are wanted.
pub async fn run(is_wanted: impl Fn(&str) -> bool) -> Vec<Outcome> {
    let wanted = topics().into_iter().filter(|(topic, _)| is_wanted(topic));
    futures::stream::iter(wanted.map(|(topic, path)| replayed(topic, path))).buffered(PARALLEL).collect().await
}

async fn replayed(topic: String, path: PathBuf) -> Outcome {
    let scenario = read(&path);
    let kcp = scenario["plane"] == "kcp";
    let target = Target::plane(users(kcp), kcp, |user| format!("{user}-token"));
    Outcome::of(topic, &replay::run(&scenario, target).await)
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a readable scenario");
    // The recordings are YAML 1.2, where `y` is a text.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(&text, options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The users of the recordings.
fn users(kcp: bool) -> Vec<Token> {
    let user = |token: &str, name: &str, uid: &str, group: &str| Token {
        token: format!("{token}-token"),
        username: name.into(),
        uid: uid.into(),
        groups: vec![group.into()],
    };
    if kcp {
        return vec![
            user("admin", "kcp-admin", "0c1f5d0e-1111-4222-8333-444455556666", "system:kcp:admin"),
            user("alice", "alice", "1001", "team-a"),
            user("bob", "bob", "1002", "team-b"),
            user("controller", "opm-controller", "1005", "opm-controllers"),
        ];
    }
    vec![
        user("admin", "admin", "admin-uid", "system:masters"),
        user("alice", "alice", "alice-uid", "team-a"),
        user("bob", "bob", "bob-uid", "team-b"),
    ]
}
