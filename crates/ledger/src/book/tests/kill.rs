//! The process that keeps the ledger is killed between any two of its statements, and the next process continues: no hour is lost or
//! doubled.
//!
//! The test starts itself as that process and passes the database address in the environment. `cargo xtask soak kill` kills more often
//! (`OPM_KILLS`, `OPM_SEED`).

use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::*;

/// Environment variable with the address of the database, for the process that is killed.
const DATABASE: &str = "OPM_LEDGER_DATABASE";
/// What the process prints before each of its steps.
const STEP: &str = "step";
/// How long a step can take; a kill comes within this time after a step started.
const INSTANT: Duration = Duration::from_millis(3);

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "it is told its size, and whether it is the process that is killed")]
async fn killed_between_any_two_statements_the_ledger_goes_on_where_it_was() {
    if let Ok(address) = std::env::var(DATABASE) {
        return keep(&open(&address).await).await;
    }
    let number = |name: &str, usual: u64| std::env::var(name).ok().map_or(usual, |text| text.parse().unwrap());
    let (kills, mut draw) = (number("OPM_KILLS", 6), draws(number("OPM_SEED", 1)));
    let (looks, outages) = looks();
    // Each observation and each posting is a step; the last kill comes well before the end.
    let most = u64::try_from(looks.len()).unwrap() * 3 / kills.max(1);
    for place in Place::every() {
        let store = place.open().await;
        store.begin_ledger(BEGIN).await.unwrap();
        store.close().await;
        let (mut killed, mut begun) = (0, BEGIN);
        for _ in 0..kills {
            let mut keeper = Keeper::start(&place.address());
            if !keeper.announces(1 + draw(most)) {
                break;
            }
            tokio::time::sleep(INSTANT.mul_f64(draw(1_000) as f64 / 1e3)).await;
            keeper.kill();
            killed += 1;
            let store = place.open().await;
            let clock = store.ledger_clock().await.unwrap().unwrap();
            println!("killed after {} of {} looks", looks.partition_point(|now| *now <= clock.seen), looks.len());
            assert!(clock.seen >= begun, "what was written is there");
            begun = clock.seen;
            store.close().await;
        }
        assert!(killed * 2 > kills, "{killed} of {kills}: nothing was left to do");
        Keeper::start(&place.address()).ends();
        let store = place.open().await;
        let end = looks.last().copied().unwrap();
        assert_eq!(store.ledger_clock().await.unwrap().unwrap().seen, end);
        is_exact(&store, &lives(), &outages, end).await;
    }
}

fn lives() -> Vec<Life> {
    (0..8).map(Life::new).collect()
}

/// Returns the times of all observations, the same for every process, and the gaps between them.
fn looks() -> (Vec<i64>, Vec<(i64, i64)>) {
    let mut draw = draws(11);
    let (mut looks, mut outages, mut now) = (Vec::new(), Vec::new(), BEGIN);
    while now < BEGIN + 5 * DAY {
        let before = now;
        if looks.len() % 250 == 249 {
            now += PATIENCE + 1 + draw(60_000);
            outages.push((before, now));
        } else {
            now += 100 + draw(80);
        }
        looks.push(now);
    }
    (looks, outages)
}

/// Observes at every time that isn't recorded yet, and posts, until there is nothing left to do.
async fn keep(store: &Store) {
    let ((looks, _), lives) = (looks(), lives());
    loop {
        println!("{STEP}");
        while count(store).await.unwrap() {
            println!("{STEP}");
        }
        // Read again each time: what the previous process was about to write when it was killed might still arrive.
        let seen = store.ledger_clock().await.unwrap().unwrap().seen;
        let Some(now) = looks.iter().copied().find(|now| *now > seen) else { return };
        let shown: Vec<Shown> = lives.iter().filter_map(|life| life.shown(now)).collect();
        println!("{STEP}");
        look(store, &shown, now).await.unwrap();
    }
}

/// A process that keeps the ledger; killed when dropped.
struct Keeper {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Keeper {
    fn start(address: &str) -> Self {
        let (_, module) = module_path!().split_once("::").unwrap();
        let test = format!("{module}::killed_between_any_two_statements_the_ledger_goes_on_where_it_was");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test.as_str(), "--nocapture"]).env(DATABASE, address);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Waits until the process has started `steps` steps; returns `false` if it ended before.
    fn announces(&mut self, steps: i64) -> bool {
        let mut announced = self.lines.by_ref().map_while(|line| line.ok()).filter(|line| line.ends_with(STEP));
        (0..steps).all(|_| announced.next().is_some())
    }

    /// Sends SIGKILL: nothing more is written or closed.
    fn kill(&mut self) {
        // It might have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until the process has finished.
    fn ends(mut self) {
        while self.announces(1) {}
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.kill();
    }
}
