//! Scenarios of the controller run on the embedded plane, with workspaces and with namespaces, and on a real kube-apiserver: those that the
//! life cycle of requests depends on always, others on all of them only in the full size.

use std::collections::BTreeSet;

use super::{root, sources};

/// Files and folders of scenarios about releases, upgrades, workflows, actions, schedules, windows and expiry.
const LIFE_CYCLE: [&str; 8] = ["action", "expiry", "lifecycle", "requirements", "schedule", "upgrades", "windows", "workflow"];
/// Number of scenarios that there are at least.
const LEAST: usize = 120;
/// Number of those about the life cycle of requests that always run on every plane at least.
const LEAST_OF_LIFE_CYCLE: usize = 40;

#[test]
fn scenarios_run_on_the_planes() {
    let folder = root().join("crates/cluster/tests/plane");
    let (mut all, mut of_life_cycle) = (BTreeSet::new(), BTreeSet::new());
    for file in sources(&folder) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let first = file.strip_prefix(&folder).expect("a file of the folder").iter().next().expect("a name").to_string_lossy();
        let module = first.trim_end_matches(".rs");
        for (list, is_always) in [("on_every_plane![", true), ("on_every_plane_in_full![", false)] {
            let lists = text.split(list).skip(1).filter_map(|list| list.split(']').next());
            let names = lists.flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty());
            for name in names {
                assert!(text.contains(&format!("async fn {name}(plane: Plane)")), "{name} of {} is no scenario", file.display());
                all.insert(name.to_owned());
                if is_always && LIFE_CYCLE.contains(&module) {
                    of_life_cycle.insert(name.to_owned());
                }
            }
        }
    }
    assert!(all.len() >= LEAST, "there are {} scenarios", all.len());
    assert!(
        of_life_cycle.len() >= LEAST_OF_LIFE_CYCLE,
        "{} scenarios of the life cycle of requests run on every plane",
        of_life_cycle.len()
    );
}
