//! A portal whose clock is moved on by hand, as a process of its own. What the plane said about somebody counts for a short while; then the
//! portal asks again, and how long pages take then is measured here: the same person over the same world, without waiting.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use notify::NotifyConfig;
use opm_portal::clock::{Clock, System};
use opm_portal::config::{Config, DatabaseUrl, PlaneConfig, SignInConfig, Storage};
use opm_portal::limits::LimitsConfig;
use opm_portal::router::router;
use opm_portal::serve::{Edges, Running};
use opm_portal::web::listen;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::http::{Connection, request};
use crate::load::quantile;

/// How many times a page is asked for.
pub const SAMPLES: usize = 20;
/// How far the clock moves before each of them, in seconds: what the plane said of rights counts for 20, and of who somebody is for 30.
const AWAY: i64 = 31;

/// The machine's clock, and so many seconds later.
#[derive(Default)]
struct Later(AtomicI64);

impl Clock for Later {
    fn now(&self) -> Timestamp {
        System.now() + SignedDuration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

/// Serves the portal of a folder, and of a database where one is named, and prints its port. For each line that it reads its clock moves
/// on, and it prints one; it ends with its input.
pub fn serve(words: &[&str]) {
    let [data, database @ ..] = words else { panic!("which folder?") };
    let config = Config {
        plane: PlaneConfig::Embedded { listen: ([127, 0, 0, 1], 0).into(), examples: None, history: false, authentication: None },
        storage: Storage::Directory(PathBuf::from(*data)),
        database: database.first().map(|address| address.parse::<DatabaseUrl>().expect("an address of PostgreSQL")),
        listen: ([127, 0, 0, 1], 0).into(),
        // Pages are served below. Nothing works in the background: with such a clock it would count hours while pages are measured.
        web: false,
        controller: false,
        session_key_file: None,
        metrics: None,
        public_url: None,
        notify: NotifyConfig::default(),
        // One person asks for pages as quickly as they are answered.
        limits: LimitsConfig { requests_per_second: None, ..LimitsConfig::default() },
        sign_in: SignInConfig::default(),
        audit: opm_portal::audit::AuditConfig::default(),
    };
    let clock = Arc::new(Later::default());
    // As the program has it.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let edges = Edges { clock: clock.clone(), ..Edges::default() };
    let running = runtime.block_on(Running::open(&config, edges)).expect("the portal opens");
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    runtime.spawn(listen::serve(listener, router(&running.portal), CancellationToken::new()));
    for line in std::io::stdin().lines() {
        line.expect("a line");
        clock.0.fetch_add(AWAY, Ordering::Relaxed);
        println!("later");
    }
    runtime.block_on(running.close());
}

/// The process; it ends when dropped.
pub struct Anew {
    /// Its port on loopback.
    pub port: u16,
    /// It ends with this.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    child: Child,
}

impl Anew {
    /// Starts this program once more, on the folder of a portal that does not run.
    pub fn start(data: &Path, database: Option<&str>) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg("anew").arg(data).args(database).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("its output")));
        let mut anew = Self { port: 0, input, output, child };
        anew.port = anew.line().parse().expect("a port");
        anew
    }

    /// Median and 99th percentile of a page when the plane has to be asked about the person again; none where the page is refused.
    pub async fn page(&mut self, path: &str, cookie: &str) -> Option<(Duration, Duration)> {
        let message = request("GET", path, self.port, &[("Cookie", cookie), ("Accept", "text/html")], "");
        let mut connection = Connection::open(self.port).await;
        let mut times = Vec::with_capacity(SAMPLES);
        // Once more than counts: what is made of the caches for whoever comes first is there afterwards.
        for sample in 0..=SAMPLES {
            self.later();
            let sent = Instant::now();
            let answer = connection.send(&message).await;
            let took = sent.elapsed();
            if answer.status != 200 {
                return None;
            }
            if sample > 0 {
                times.push(took);
            }
        }
        times.sort_unstable();
        Some((quantile(&times, 0.5), quantile(&times, 0.99)))
    }

    /// Moves its clock on.
    fn later(&mut self) {
        let input = self.input.as_mut().expect("it runs");
        writeln!(input).expect("it reads");
        assert_eq!(self.line(), "later");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("its output");
        line.trim().to_owned()
    }
}

impl Drop for Anew {
    /// Gently: what starts next on the folder finds it as any other start does.
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
