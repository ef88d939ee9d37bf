//! Time that passes only when nothing else happens: that of a paused runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The runtime jumps to the next timer whenever it has nothing to do, also while an answer is on its way through a socket. So there is always
/// a timer that is due soon.
const TICK: Duration = Duration::from_millis(100);

/// The clock of one party: of the plane, or of all controllers, which can jump.
#[derive(Clone)]
pub struct VirtualClock {
    began: Instant,
    ahead: Arc<AtomicI64>,
}

impl VirtualClock {
    /// A clock of the runtime in which it is created.
    pub fn new() -> Self {
        Self { began: Instant::now(), ahead: Arc::default() }
    }

    /// Moves it by so many seconds.
    pub fn jump(&self, seconds: i64) {
        self.ahead.fetch_add(seconds, Ordering::SeqCst);
    }

    fn read(&self) -> Timestamp {
        let began = Timestamp::from_second(1_777_622_400).unwrap();
        let passed = SignedDuration::try_from(Instant::now().duration_since(self.began)).unwrap();
        began + passed + SignedDuration::from_secs(self.ahead.load(Ordering::SeqCst))
    }
}

impl cluster::Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        self.read()
    }
}

impl devplane::Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        self.read()
    }
}

/// Stack of the thread in which everything runs: plane, controllers and test call each other there without an optimizer.
const STACK: usize = 16 << 20;

/// Runs something in a thread and a runtime of its own with paused time.
pub fn in_virtual_time<T: Send, W: Future<Output = T>>(work: impl FnOnce() -> W + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || run(work())).unwrap();
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let finished = runtime.block_on(async {
        tokio::spawn(async {
            loop {
                tokio::time::sleep(TICK).await;
            }
        });
        work.await
    });
    // Controllers that were killed still wait for answers.
    runtime.shutdown_background();
    finished
}
