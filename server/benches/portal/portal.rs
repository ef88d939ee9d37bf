//! The release binary as a child process, and a person signed in to it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;

use crate::http::{Connection, request};

/// Linux counts processor time in hundredths of a second.
const MILLIS_OF_A_TICK: u64 = 10;

/// A running portal; killed when dropped.
pub struct Portal {
    /// Its port on loopback.
    pub port: u16,
    /// From start of the process to the first 200 of `/readyz`.
    pub start: Duration,
    child: Child,
}

impl Portal {
    /// Starts the binary of `OPM_PORTAL` on a folder and waits until it is ready.
    pub async fn start(data: &Path) -> Self {
        Self::start_with(data, &[]).await
    }

    /// The same with more arguments.
    pub async fn start_with(data: &Path, arguments: &[&str]) -> Self {
        let binary = std::env::var("OPM_PORTAL").expect("OPM_PORTAL names the release binary: use cargo xtask bench");
        let port = free_port();
        let begun = Instant::now();
        let child = Command::new(binary)
            .args(["serve", "--plane", "embedded", "--empty", "--port", &port.to_string(), "--plane-port", "0"])
            // One person asks for pages as quickly as they are answered.
            .args(["--requests-per-second", "0", "--data"])
            .arg(data)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the portal starts");
        let mut portal = Self { port, start: Duration::ZERO, child };
        while !portal.ready().await {
            assert!(begun.elapsed() < Duration::from_secs(300), "the portal is not ready after five minutes");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        portal.start = begun.elapsed();
        portal
    }

    async fn ready(&self) -> bool {
        if TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
            return false;
        }
        Connection::open(self.port).await.send(&request("GET", "/readyz", self.port, &[], "")).await.status == 200
    }

    /// Resident memory in MiB.
    pub fn resident(&self) -> f64 {
        self.memory("VmRSS:")
    }

    /// Memory in MiB that is the process's own: resident without the pages that belong to files.
    pub fn private(&self) -> f64 {
        self.memory("RssAnon:")
    }

    /// Processor time that the process has used so far, see proc_pid_stat(5).
    pub fn processor(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("the process runs");
        // The name in front of it can contain anything.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("ticks")).sum();
        Duration::from_millis(ticks * MILLIS_OF_A_TICK)
    }

    fn memory(&self, name: &str) -> f64 {
        memory(&self.child, name)
    }

    /// Signs a person in through the page; answers the `Cookie` header to send.
    pub async fn sign_in(&self, person: &str) -> String {
        sign_in(self.port, person).await
    }

    /// The kubeconfig that the portal wrote.
    pub fn kubeconfig(data: &Path) -> PathBuf {
        data.join("kubeconfig")
    }
}

impl Drop for Portal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line of `/proc/PID/status` in MiB, see proc_pid_status(5).
pub fn memory(process: &Child, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).expect("the process runs");
    let kilobytes: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .expect(name);
    kilobytes / 1024.0
}

/// Signs a person in through the page of the portal at a port; answers the `Cookie` header to send.
pub async fn sign_in(port: u16, person: &str) -> String {
    let mut connection = Connection::open(port).await;
    let page = connection.send(&request("GET", "/sign-in", port, &[], "")).await;
    let mut cookies: Vec<String> = page.headers("set-cookie").filter_map(|value| value.split(';').next()).map(str::to_owned).collect();
    let text = page.text();
    let form = text.split("<form").find(|form| form.contains(person)).expect("the page names the person");
    let action = attribute(form, "action").unwrap_or_else(|| "/sign-in".into());
    let mut fields = form_urlencoded::Serializer::new(String::new());
    for input in form
        .split("<input")
        .skip(1)
        .chain(form.split("<button").skip(1).filter(|button| attribute(button, "value").as_deref() == Some(person)))
    {
        if let (Some(name), Some(value)) = (attribute(input, "name"), attribute(input, "value")) {
            fields.append_pair(&name, &value);
        }
    }
    let origin = format!("http://127.0.0.1:{port}");
    let sent = cookies.join("; ");
    let headers = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Origin", origin.as_str()),
        ("Sec-Fetch-Site", "same-origin"),
        ("Cookie", sent.as_str()),
    ];
    let answer = connection.send(&request("POST", &action, port, &headers, &fields.finish())).await;
    assert_eq!(answer.status, 303, "sign-in answered {}", answer.head);
    cookies.extend(answer.headers("set-cookie").filter_map(|value| value.split(';').next()).map(str::to_owned));
    cookies.join("; ")
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let tag = tag.split('>').next()?;
    let rest = tag.split_once(&format!("{name}=\""))?.1;
    Some(rest.split('"').next()?.replace("&amp;", "&"))
}

/// A port that is free now.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).expect("a free port").port()
}
