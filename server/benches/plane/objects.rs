//! What is written: ConfigMaps of 2 kB, the same for both servers.

use serde_json::{Map, Value, json};

/// The namespace of everything.
pub const NAMESPACE: &str = "bench";
/// The collection of everything.
pub const COLLECTION: &str = "/api/v1/namespaces/bench/configmaps";
/// Bytes of one object as it is sent.
const BYTES: usize = 2000;

/// The name of an object.
pub fn name(index: usize) -> String {
    format!("object-{index:06}")
}

/// The path of an object.
pub fn path(name: &str) -> String {
    format!("{COLLECTION}/{name}")
}

/// An object of 2 kB; another `edition` of it differs in one of its values.
pub fn body(name: &str, edition: usize) -> String {
    let mut data: Map<String, Value> = (0..7).map(|key| (format!("key-{key}"), filler(name, key, 230).into())).collect();
    data.insert("edition".into(), edition.to_string().into());
    let mut object = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": {"app": "bench", "shard": shard(name)}},
        "data": data,
    });
    let rest = BYTES.saturating_sub(object.to_string().len() + r#""rest":"","#.len());
    object["data"]["rest"] = filler(name, 7, rest).into();
    object.to_string()
}

fn shard(name: &str) -> String {
    (name.bytes().map(usize::from).sum::<usize>() % 10).to_string()
}

/// Text that repeats nothing, the same in every run.
fn filler(name: &str, key: u64, length: usize) -> String {
    let mut state = name.bytes().fold(key.wrapping_add(1), |state, byte| state.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap_or_default())
    };
    (0..length).map(|_| letter()).collect()
}
