//! Secret outputs that a person reveals. The post that asks for one notes it and answers with a redirect, so that reloading the page doesn't post
//! again; the address carries a grant of this session for this output, and no value.

use jiff::SignedDuration;
use promise::Result;
use sha2::{Digest as _, Sha256};
use store::ActivityKind;

use super::activity::Of;
use crate::portal::Caller;
use crate::portal::place::Workspace;

/// How long a grant lasts; as long as pages with scripts show a value.
const LASTS: SignedDuration = SignedDuration::from_secs(30);

/// What a grant is for.
struct Sought<'a> {
    /// The token of the session's forms, which no other session has.
    session: &'a str,
    cluster: &'a str,
    namespace: &'a str,
    name: &'a str,
    output: &'a str,
}

impl Sought<'_> {
    /// Returns the grant that lasts until this second.
    fn grant(&self, until: i64) -> String {
        let Self { session, cluster, namespace, name, output } = self;
        let digest = Sha256::digest(format!("opm-portal revealed output\n{session}\n{cluster}\n{namespace}\n{name}\n{until}\n{output}"));
        format!("{until}-{}", hex::encode(digest))
    }

    /// Checks whether a grant is for this, and still lasts.
    fn is_granted(&self, grant: &str, now: i64) -> bool {
        let until = grant.split_once('-').and_then(|(until, _)| until.parse().ok());
        until.is_some_and(|until| now <= until && self.grant(until) == grant)
    }
}

fn sought<'a>(caller: &'a Caller, workspace: &'a Workspace, namespace: &'a str, name: &'a str, output: &'a str) -> Sought<'a> {
    Sought { session: caller.form_token(), cluster: workspace.cluster.as_str(), namespace, name, output }
}

/// Notes that the person reveals an output that they can read, and returns a grant to see it.
pub(super) async fn grant(caller: &Caller, workspace: &Workspace, namespace: &str, name: &str, output: &str) -> Result<String> {
    let (_, uid) = caller.read_secret_output(workspace, namespace, name, output).await?;
    caller.note(Of { workspace, namespace, name, uid: &uid }, ActivityKind::Revealed, output).await?;
    let until = caller.portal().clock.now().as_second().saturating_add(LASTS.as_secs());
    Ok(sought(caller, workspace, namespace, name, output).grant(until))
}

/// Returns the value of an output. `None` without a grant that still lasts.
pub(super) async fn value(
    caller: &Caller,
    workspace: &Workspace,
    namespace: &str,
    name: &str,
    (output, grant): (&str, &str),
) -> Result<Option<String>> {
    if !sought(caller, workspace, namespace, name, output).is_granted(grant, caller.portal().clock.now().as_second()) {
        return Ok(None);
    }
    caller.read_secret_output(workspace, namespace, name, output).await.map(|(value, _)| Some(value))
}

#[cfg(test)]
mod tests {
    use super::Sought;

    #[test]
    fn a_grant_is_for_one_output_of_one_session_and_ends() {
        let url = Sought { session: "s1", cluster: "c1", namespace: "default", name: "carts", output: "url" };
        let grant = url.grant(100);
        assert!(url.is_granted(&grant, 100) && !url.is_granted(&grant, 101));
        assert!(!url.is_granted(&grant.replace("100-", "900-"), 100), "nobody makes it last longer");
        for other in [
            Sought { session: "s2", ..url },
            Sought { cluster: "c2", ..url },
            Sought { namespace: "other", ..url },
            Sought { name: "orders", ..url },
            Sought { output: "password", ..url },
        ] {
            assert!(!other.is_granted(&grant, 100));
        }
        for nothing in ["", "-", "100", "100-"] {
            assert!(!url.is_granted(nothing, 0));
        }
    }
}
