//! What the process prints when it starts: where it is, and how to get in.

use std::net::SocketAddr;

use super::Running;

impl Running {
    /// Logs the address of the portal.
    pub(super) fn announce(&self, address: SocketAddr, pages: bool) {
        let where_ = if pages { format!("http://{address}") } else { format!("no pages; probes at http://{address}") };
        match &self.sandbox {
            Some(sandbox) => {
                eprintln!("\n  OPM Portal on the embedded plane (demo): {where_}\n");
                let names: Vec<&str> = sandbox.world.people.iter().map(|person| person.name.as_str()).collect();
                if pages && self.portal.sign_in.choices().next().is_some() {
                    eprintln!("  sign in as  {}", names.join(", "));
                }
                self.announce_providers();
                eprintln!("  tickets     http://{} (simulated, for workflows)", sandbox.tickets);
                eprintln!("  kubectl     export KUBECONFIG={}\n", sandbox.kubeconfig.display());
            }
            None => {
                eprintln!("\n  OPM Portal on {}: {where_}\n", self.portal.endpoint.name());
                if pages && self.portal.sign_in.takes_tokens() {
                    eprintln!("  sign in with a bearer token of this server, such as one from `kubectl create token`\n");
                }
                self.announce_providers();
            }
        }
    }

    /// Logs the identity providers, and where each sends people back to.
    fn announce_providers(&self) {
        let base = self.portal.public_url.as_deref().unwrap_or_default();
        for provider in self.portal.sign_in.providers() {
            let provider = provider.config();
            eprintln!(
                "  sign in with {}, which sends people back to {base}{}\n",
                provider.issuer,
                app::routes::sign_in_callback(&provider.name)
            );
        }
    }
}
