//! PostgreSQL, one server for all tests of a process.

use std::ffi::OsStr;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{PATIENCE, PAUSE, in_ci};

/// Ends the server and removes its folder once nobody holds the other end of its input: a process cannot run anything after its last test.
const KEEPER: &str = r#""$0" -D "$1/data" -k "$1" -c listen_addresses= -F >"$1/log" 2>&1 &
server=$!
read -r _
kill -INT $server
wait $server
rm -rf "$1"/*"#;

/// A running server, reached by a socket in its folder.
pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    made: AtomicU32,
    account: Option<(u32, u32)>,
    /// While its input is open the server runs.
    _keeper: Child,
}

/// The server of this process, started when it is first asked for; nothing where PostgreSQL is not installed, which is said.
pub fn postgres() -> Option<&'static Postgres> {
    static SERVER: OnceLock<Option<Postgres>> = OnceLock::new();
    SERVER.get_or_init(|| programs().map(Postgres::start)).as_ref()
}

/// The folder of `initdb` and `postgres`: what `OPM_POSTGRES` names, else where Debian puts them.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration module")]
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("OPM_POSTGRES").map(PathBuf::from);
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    let mut found: Vec<PathBuf> = versions.filter(|folder| folder.join("initdb").is_file()).collect();
    found.sort();
    let found = named.or_else(|| found.pop()).filter(|folder| folder.join("initdb").is_file());
    if found.is_none() {
        assert!(!in_ci(), "PostgreSQL is not installed");
        println!("skipped: PostgreSQL is not installed; `cargo xtask test --install` does, and OPM_POSTGRES names the folder of initdb");
    }
    found
}

impl Postgres {
    fn start(programs: PathBuf) -> Self {
        let folder = tempfile::Builder::new().prefix("opm-postgres-").tempdir().unwrap().keep();
        // It refuses to run as root.
        let account = (owner(&folder) == 0).then(|| unprivileged(OsStr::new("postgres"))).flatten();
        if let Some((user, group)) = account {
            chown(&folder, Some(user), Some(group)).unwrap();
        }
        let data = folder.join("data");
        let mut initdb = as_account(&programs.join("initdb"), account);
        initdb.args(["--username=portal", "--auth=trust", "--no-sync", "--encoding=UTF8", "--no-locale", "--pgdata"]).arg(&data);
        let made = initdb.output().unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let mut keeper = as_account(Path::new("/bin/sh"), account);
        keeper.arg("-c").arg(KEEPER).arg(programs.join("postgres")).arg(&folder);
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { programs, folder, made: AtomicU32::new(0), account, _keeper: keeper };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&self) {
        for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
            if self.client("pg_isready").arg("--quiet").status().unwrap().success() {
                return;
            }
            std::thread::sleep(PAUSE);
        }
        let said = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        panic!("PostgreSQL is not ready after {PATIENCE:?}:\n{said}");
    }

    fn client(&self, program: &str) -> Command {
        let mut command = as_account(&self.programs.join(program), self.account);
        command.arg("--host").arg(&self.folder).args(["--username", "portal"]);
        command
    }

    /// Address of a new, empty database.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.made.fetch_add(1, Ordering::Relaxed));
        let made = self.client("createdb").arg(&name).output().unwrap();
        assert!(made.status.success(), "createdb: {}", String::from_utf8_lossy(&made.stderr));
        format!("postgres://portal@localhost/{name}?host={}", self.folder.display())
    }
}

fn as_account(program: &Path, account: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if let Some((user, group)) = account {
        command.uid(user).gid(group);
    }
    command
}

fn owner(folder: &Path) -> u32 {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(folder).unwrap())
}

/// User and group of an account, from the system's list.
fn unprivileged(name: &OsStr) -> Option<(u32, u32)> {
    let list = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = list.lines().find(|line| line.split(':').next().map(OsStr::new) == Some(name))?;
    let mut numbers = line.split(':').skip(2).map(|part| part.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}
