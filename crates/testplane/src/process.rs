//! A child process that does not outlive its test, and its log.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// A running program.
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts it; what it says goes into a file of the folder.
    pub(crate) fn start(program: &Path, arguments: &[String], folder: &Path) -> Self {
        let log = folder.join(format!("{}.log", program.file_name().unwrap_or_default().to_string_lossy()));
        let (out, error) = (File::create(&log).unwrap(), File::options().append(true).open(&log).unwrap());
        let child = Command::new(program).args(arguments).stdout(out).stderr(error).spawn();
        Self { child: child.unwrap_or_else(|why| panic!("{}: {why}", program.display())), log }
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
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ports that are free at this moment.
pub(crate) fn free_ports<const N: usize>() -> [u16; N] {
    // All are held until all are known, so that they differ.
    let held = [(); N].map(|()| TcpListener::bind(("127.0.0.1", 0)).unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}
