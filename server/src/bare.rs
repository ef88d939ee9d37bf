//! `opm-portal plane`: the embedded plane alone, without portal, controller and sample world.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use devplane::tls::{self, TlsError};
use devplane::{OpenError, Options, Plane, Storage, Token};
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, System};
use crate::config::{self, PlaneArgs};
use crate::plane::authentication::{self, AuthenticationError};
use crate::plane::{Folder, embedded};
use crate::serve::signalled;

/// Why the plane can't be started.
#[derive(Debug, thiserror::Error)]
pub enum BareError {
    /// The token file can't be read.
    #[error("the token file {path} cannot be read")]
    Tokens {
        /// The file.
        path: PathBuf,
        /// Cause of the failure.
        source: std::io::Error,
    },
    /// A line of the token file is invalid.
    #[error("the token file {path}, line {line}: {problem}")]
    Token {
        /// The file.
        path: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// What is wrong with the line.
        problem: &'static str,
    },
    /// The file of `--authentication-config` can't be used.
    #[error(transparent)]
    Authentication(#[from] AuthenticationError),
    /// The port is taken, or the certificates can't be used.
    #[error("{0} (choose another address with --listen, port 0 for any)")]
    Listen(#[from] TlsError),
    /// The listener's address can't be determined.
    #[error("can't get the plane's address from the system: {0}")]
    Address(std::io::Error),
    /// The data directory can't be opened.
    #[error("the data folder cannot be used: {0}")]
    Folder(std::io::Error),
    /// The stored objects can't be read.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Serves until Ctrl-C or SIGTERM.
///
/// # Errors
/// If the plane can't be started.
pub async fn until_signalled(arguments: PlaneArgs) -> Result<(), BareError> {
    let text = std::fs::read_to_string(&arguments.token_auth_file)
        .map_err(|source| BareError::Tokens { path: arguments.token_auth_file.clone(), source })?;
    let tokens = read_tokens(&arguments.token_auth_file, &text)?;
    let authentication = authentication::read(arguments.authentication_config.as_deref())?;
    let folder = Folder::open(&config::Storage::Directory(arguments.data)).map_err(BareError::Folder)?;
    let authority = folder.tls();
    let listener = tls::listen(arguments.listen, Some(&authority)).await?;
    let url = format!("https://{}", listener.local_addr().map_err(BareError::Address)?);
    let clock: Arc<dyn Clock> = Arc::new(System);
    let storage = Storage::Directory(folder.plane());
    let options = Options { authentication, clock: embedded::clock(&clock), ..Options::new(storage, tokens, url.clone()) };
    let plane = Plane::open(options)?;
    eprintln!("\n  Kubernetes at {url}, workspaces below {url}/clusters/");
    eprintln!("  certificate authority {}\n", authority.join("ca.crt").display());
    let shutdown = CancellationToken::new();
    let ending = shutdown.clone();
    tokio::join!(listener.serve(plane.router(), shutdown), async move {
        signalled().await;
        ending.cancel();
    });
    Ok(())
}

/// Parses static tokens as kube-apiserver does: `token,user,uid,"group1,group2"`, where the groups are optional.
fn read_tokens(path: &Path, text: &str) -> Result<Vec<Token>, BareError> {
    let mut tokens = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refused = |problem| BareError::Token { path: path.to_owned(), line: index + 1, problem };
        let fields = fields(line).ok_or_else(|| refused("a closing quote is missing"))?;
        let [token, username, uid, rest @ ..] = fields.as_slice() else {
            return Err(refused("the line needs at least three fields: token, user name, user uid"));
        };
        if token.is_empty() || username.is_empty() {
            return Err(refused("token and user name must not be empty"));
        }
        let groups = rest.first().into_iter().flat_map(|groups| groups.split(',')).map(str::trim).filter(|group| !group.is_empty());
        tokens.push(Token {
            token: token.clone(),
            username: username.clone(),
            uid: uid.clone(),
            groups: groups.map(str::to_owned).collect(),
        });
    }
    Ok(tokens)
}

/// Returns the fields of a CSV line (RFC 4180); `None` if a quote isn't closed.
fn fields(line: &str) -> Option<Vec<String>> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    (!quoted).then(|| fields.into_iter().map(|field| field.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Token>, String> {
        read_tokens(Path::new("tokens.csv"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn tokens_are_read_as_kubernetes_reads_them() {
        let tokens = read("t1,alice,1001,\"team-a,team-b\"\n\n t2 , bob , \n").unwrap();
        let seen: Vec<_> = tokens.iter().map(|token| (token.token.as_str(), token.username.as_str(), token.groups.len())).collect();
        assert_eq!(seen, [("t1", "alice", 2), ("t2", "bob", 0)]);
    }

    #[test]
    fn a_bad_line_is_named() {
        assert_eq!(
            read("a,b,c\nt,alice").unwrap_err(),
            "the token file tokens.csv, line 2: the line needs at least three fields: token, user name, user uid"
        );
        assert!(read(",alice,1").unwrap_err().contains("line 1"));
        assert!(read("t,alice,1,\"a,b").unwrap_err().ends_with("a closing quote is missing"));
    }
}
