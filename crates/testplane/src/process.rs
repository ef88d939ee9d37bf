//! A child process that does not outlive its test, and its log.

use std::fs::OpenOptions;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// A running program.
pub(crate) struct Process {
    program: PathBuf,
    arguments: Vec<String>,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts it; what it says goes into a file of the folder.
    pub(crate) fn start(program: &Path, arguments: &[String], folder: &Path) -> Self {
        let log = folder.join(format!("{}.log", program.file_name().unwrap_or_default().to_string_lossy()));
        let child = spawn(program, arguments, &log);
        Self { program: program.to_owned(), arguments: arguments.to_vec(), child, log }
    }

    /// Starts it again with the same arguments; it has to be ended.
    pub(crate) fn start_again(&mut self) {
        self.child = spawn(&self.program, &self.arguments, &self.log);
    }

    /// Its number among the processes of the machine.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it by force.
    pub(crate) fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Bytes of memory that it holds at this moment, mapped files included.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() * 1024
    }

    /// That it ended by itself, with what it said.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().unwrap()?;
        Some(format!("{status}: {}", self.log()))
    }

    /// What it said.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(program: &Path, arguments: &[String], log: &Path) -> Child {
    let file = || OpenOptions::new().create(true).append(true).open(log).unwrap();
    let child = Command::new(program).args(arguments).stdout(file()).stderr(file()).spawn();
    child.unwrap_or_else(|why| panic!("{}: {why}", program.display()))
}

/// Ports that are free at this moment.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    // All are held until all are known, so that they differ.
    let held = [(); N].map(|()| TcpListener::bind(("127.0.0.1", 0)).unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}
