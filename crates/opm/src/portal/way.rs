//! Options of every command: the portal, the user and the workspace.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use http::Uri;
use jiff::Timestamp;

use crate::Error;
use crate::settings::Settings;

/// Heading of these options in the help.
const GLOBAL: &str = "Global options";
/// The portal that commands call if nothing else is chosen.
const USUAL: &str = "http://127.0.0.1:8080";

/// The portal, the user and the workspace of a command.
#[derive(Args, Clone, Debug, Default)]
pub struct Way {
    /// Address of the portal [default: as signed in, otherwise http://127.0.0.1:8080].
    #[arg(long, value_name = "URL", env = "OPM_PORTAL_URL", hide_env_values = true, global = true, help_heading = GLOBAL)]
    pub portal: Option<Uri>,
    /// Path of the workspace, such as root:acme:shop [default: as chosen with `workspace use`, otherwise the one of the context].
    #[arg(short, long, value_name = "PATH", env = "OPM_WORKSPACE", hide_env_values = true, global = true, help_heading = GLOBAL)]
    pub workspace: Option<String>,
    /// Kubeconfig file with your token [default: KUBECONFIG or ~/.kube/config].
    #[arg(long, value_name = "FILE", global = true, help_heading = GLOBAL)]
    pub kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME", global = true, help_heading = GLOBAL)]
    pub context: Option<String>,
    /// Directory of settings and tokens [default: ~/.config/opm].
    #[arg(long, value_name = "DIR", env = "OPM_CONFIG_DIR", hide_env_values = true, global = true, help_heading = GLOBAL)]
    pub config_dir: Option<PathBuf>,
    /// The clock. Without one, no token is renewed.
    #[arg(skip)]
    pub now: Option<fn() -> Timestamp>,
}

impl Way {
    /// Names of these options.
    pub const NAMES: [&'static str; 5] = ["portal", "workspace", "kubeconfig", "context", "config-dir"];

    /// Returns the address of the portal.
    ///
    /// # Errors
    /// If a token sent to it could be read by others.
    pub fn address(&self, settings: &Settings) -> Result<Uri, Error> {
        let kept = settings.portal.as_ref().and_then(|portal| portal.parse().ok());
        let address = self.portal.clone().or(kept).unwrap_or_else(|| Uri::from_static(USUAL));
        if keeps_tokens(&address) { Ok(address) } else { Err(Error::ClearText(address.to_string())) }
    }

    /// Takes these options from arguments that are only read as a whole later. Where they are given twice, the last one counts.
    pub fn found_in(&self, words: &[String]) -> Self {
        let mut way = self.clone();
        let mut words = words.iter().take_while(|word| *word != "--").peekable();
        while let Some(word) = words.next() {
            let (name, value) = match (word.strip_prefix("--"), word.strip_prefix("-w")) {
                (Some(long), _) => match long.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (long, None),
                },
                (None, Some("")) => ("workspace", None),
                (None, Some(value)) => ("workspace", Some(value.trim_start_matches('=').to_owned())),
                (None, None) => continue,
            };
            if !Self::NAMES.contains(&name) {
                continue;
            }
            let Some(value) = value.or_else(|| words.next().cloned()) else { continue };
            match name {
                "portal" => way.portal = value.parse().ok().or(way.portal),
                "workspace" => way.workspace = Some(value),
                "kubeconfig" => way.kubeconfig = Some(value.into()),
                "context" => way.context = Some(value),
                _ => way.config_dir = Some(value.into()),
            }
        }
        way
    }
}

/// Whether what is sent to an address stays private: it uses TLS, or is on this machine.
fn keeps_tokens(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match address.scheme_str() {
        Some("https") => !host.is_empty(),
        Some("http") => is_loopback,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portal::Portal;

    #[test]
    fn tokens_are_kept_to_https_and_to_this_machine() {
        for safe in [
            "https://portal.example",
            "https://10.0.0.1:8443",
            "http://127.0.0.1:8080",
            "http://127.0.0.2",
            "http://LOCALHOST:1",
            "http://[::1]:8080",
        ] {
            assert!(keeps_tokens(&safe.parse().unwrap()), "{safe}");
        }
        for open in [
            "http://portal.example",
            "http://10.0.0.1:9",
            "http://localhost.example",
            "http://127.0.0.1.example",
            "http://127.0.0.1@evil.example",
            "ftp://127.0.0.1",
            "/path",
        ] {
            assert!(!keeps_tokens(&open.parse().unwrap()), "{open}");
        }
    }

    #[tokio::test]
    async fn nothing_is_read_or_sent_for_an_address_in_clear_text() {
        let folder = tempfile::tempdir().unwrap();
        let way = Way {
            portal: Some("http://portal.example".parse().unwrap()),
            kubeconfig: Some("/no/such/file".into()),
            config_dir: Some(folder.path().to_owned()),
            ..Way::default()
        };
        let refused = Portal::open(&way).await.err().unwrap();
        assert!(matches!(refused, Error::ClearText(_)), "{refused}");
        assert!(refused.to_string().starts_with("--portal http://portal.example"), "{refused}");
        // Settings are no way around it.
        std::fs::write(folder.path().join("settings.json"), r#"{"portal": "http://portal.example"}"#).unwrap();
        let refused = Portal::open(&Way { portal: None, ..way }).await.err().unwrap();
        assert!(matches!(refused, Error::ClearText(_)), "{refused}");
    }

    #[test]
    fn options_are_found_among_the_fields_of_a_promise() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let way =
            Way::default().found_in(&words("--tier production --portal http://a:1 -w root:acme --context=dev --replicas 3 --config-dir d"));
        assert_eq!(way.portal.unwrap(), "http://a:1/");
        assert_eq!((way.workspace.as_deref(), way.context.as_deref()), (Some("root:acme"), Some("dev")));
        assert_eq!(way.config_dir.unwrap(), PathBuf::from("d"));
        let way = Way::default().found_in(&words("-wroot:a -- --context x"));
        assert_eq!((way.workspace.as_deref(), way.context), (Some("root:a"), None));
    }
}
