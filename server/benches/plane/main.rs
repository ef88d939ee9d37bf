//! What the embedded plane costs beside a real kube-apiserver with its etcd, measured in the same run by the same client.
//!
//! Both are processes of their own, over TLS on loopback, with a token, role rules and writes that wait for the disk. Called by
//! `cargo xtask bench plane`. Ratios are the result; seconds belong to one machine. A wrong answer ends the program, a slow one never.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "a measuring program: it reads the clock and its arguments, and ends at the first surprise"
)]

mod apply;
mod client;
mod load;
mod objects;
mod read;
mod sheet;
mod start;
mod subject;
mod watch;
mod workspaces;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use sheet::Sheet;
use subject::Subject;

/// What is measured, and how much of it.
#[derive(Parser)]
struct Arguments {
    /// Sizes: how many objects of 2 kB there are. Each is measured on both servers.
    #[arg(long, value_delimiter = ',', default_value = "1000")]
    objects: Vec<usize>,
    /// Watchers of one namespace.
    #[arg(long, default_value_t = 1000)]
    watchers: usize,
    /// Workspaces with ten objects each, on the embedded plane alone; 0 leaves them out.
    #[arg(long, default_value_t = 100)]
    workspaces: usize,
    /// Starts that are measured at each size.
    #[arg(long, default_value_t = 5)]
    starts: usize,
    /// Seconds until what was begun has come to rest, before memory is measured.
    #[arg(long, default_value_t = 3)]
    rest: u64,
    /// The program with the embedded plane.
    #[arg(long, env = "OPM_PORTAL")]
    portal: PathBuf,
    /// Cargo adds it.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let arguments = Arguments::parse();
    let rest = Duration::from_secs(arguments.rest);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        for &size in &arguments.objects {
            let theirs = match Subject::kubernetes(rest).await {
                Some(server) => Some(measured(server, size, &arguments).await),
                None => None,
            };
            let ours = measured(Subject::embedded(&arguments.portal, rest).await, size, &arguments).await;
            println!("\n## {size} objects of 2 kB\n\n{}", sheet::side_by_side(&ours, theirs.as_ref()));
        }
        if arguments.workspaces > 0 {
            let sheet = workspaces::measure(Subject::embedded(&arguments.portal, rest).await, arguments.workspaces, arguments.starts).await;
            println!("\n## {} workspaces with 10 objects each\n\n{}", arguments.workspaces, sheet::alone(&sheet));
        }
    });
}

/// Everything about one server, in the order of the table.
async fn measured(mut subject: Subject, size: usize, arguments: &Arguments) -> Sheet {
    let mut sheet = Sheet::default();
    start::nearly_empty(&mut subject, arguments.starts, &mut sheet).await;
    subject.prepare().await;
    load::creates(&subject, size, &mut sheet).await;
    read::gets(&subject, size, &mut sheet).await;
    read::lists(&subject, size, &mut sheet).await;
    apply::applies(&subject, size, &mut sheet).await;
    watch::fan_out(&subject, arguments.watchers, &mut sheet).await;
    start::loaded(&mut subject, size, arguments.starts, &mut sheet).await;
    sheet
}
