//! Why objects of a request can't go to a Destination.

use crate::deferred::NotSupported;

/// Why a Destination doesn't serve a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DestinationRefusal {
    /// It uses a feature that isn't supported.
    #[error(transparent)]
    NotSupported(#[from] NotSupported),
    /// It doesn't list the promise's home.
    #[error("The destination {name} doesn't serve promises of {home}. Its owner, {owner}, can add it to allowedHomes.")]
    HomeNotAllowed {
        /// Name of the Destination.
        name: String,
        /// Path of the promise's home.
        home: String,
        /// Path of the Destination's home.
        owner: String,
    },
    /// It doesn't list the workspace of the request.
    #[error("The destination {name} doesn't serve {workspace}. Its owner, {owner}, can add it to allowedWorkspaces.")]
    WorkspaceNotAllowed {
        /// Name of the Destination.
        name: String,
        /// Path of the workspace.
        workspace: String,
        /// Path of the Destination's home.
        owner: String,
    },
    /// Its namespace pattern would put several requests into one namespace.
    #[error("The namespace pattern of the destination {name} must contain ${{hash}} to keep requests apart.")]
    SharedNamespace {
        /// Name of the Destination.
        name: String,
    },
    /// Its namespace pattern has a variable that doesn't exist.
    #[error("The namespace pattern of the destination {name} contains an unknown variable: {pattern}.")]
    UnknownVariable {
        /// Name of the Destination.
        name: String,
        /// The pattern.
        pattern: String,
    },
    /// Its namespace pattern gives something that isn't the name of a namespace.
    #[error("The namespace pattern of the destination {name} gives {namespace}, which isn't a valid namespace name.")]
    InvalidNamespace {
        /// Name of the Destination.
        name: String,
        /// What the pattern gives.
        namespace: String,
    },
}

/// Why a Destination might no longer be the place where objects of a request were created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DestinationMoved {
    /// It was deleted while it had objects, even if another now has its name.
    #[error(
        "The destination {name} is no longer the one that this request uses: it was removed, replaced or moved to another home. \
         Nothing is created elsewhere. Restore it, or delete the request and create it again."
    )]
    Replaced {
        /// Name of the Destination.
        name: String,
    },
    /// Its credential now leads to another cluster.
    #[error(
        "The credential of the destination {name} leads to another cluster than the one that this request uses. Nothing is created \
         there. Restore the credential, or create a separate Destination for the new cluster."
    )]
    Redirected {
        /// Name of the Destination.
        name: String,
    },
    /// Nothing proves that its credential still leads to the same cluster.
    #[error(
        "We can't tell which cluster the credential of the destination {name} leads to, because it can't read the namespace \
         kube-system there. Nothing is created there. Restore the former credential, or allow the new one to get that namespace."
    )]
    Unidentified {
        /// Name of the Destination.
        name: String,
    },
    /// All created objects have disappeared from it, so that nothing proves that it is the same cluster.
    #[error(
        "None of the objects of this request are left at the destination {name}, and we can't tell whether its credential leads to \
         another cluster now. Nothing is created there. Restore the former credential, or delete the request and create it again."
    )]
    Vanished {
        /// Name of the Destination.
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::{DestinationMoved, DestinationRefusal};
    use crate::deferred::NotSupported;

    #[test]
    fn every_refusal_names_the_destination_and_the_fix() {
        let (name, text) = (|| "eu-1".to_owned(), str::to_owned);
        let (home, owner, workspace) = (text("root:teams:db"), text("root:platform"), text("root:acme:shop"));
        for (refusal, words) in [
            (DestinationRefusal::from(NotSupported::Workspaces { name: name() }), "can set type to cluster"),
            (DestinationRefusal::HomeNotAllowed { name: name(), home, owner: owner.clone() }, "root:platform, can add it to allowedHomes"),
            (DestinationRefusal::WorkspaceNotAllowed { name: name(), workspace, owner }, "root:platform, can add it to allowedWorkspaces"),
            (DestinationRefusal::SharedNamespace { name: name() }, "must contain ${hash} to keep requests apart"),
            (DestinationRefusal::UnknownVariable { name: name(), pattern: text("${who}") }, "an unknown variable: ${who}"),
            (DestinationRefusal::InvalidNamespace { name: name(), namespace: text("A") }, "gives A, which isn't a valid namespace name"),
        ] {
            let sentence = refusal.to_string();
            assert!(sentence.contains("the destination eu-1") || sentence.starts_with("The destination eu-1"), "{sentence}");
            assert!(sentence.contains(words) && sentence.ends_with('.'), "{sentence}");
        }
    }

    #[test]
    fn a_destination_that_moved_says_that_nothing_is_created() {
        let name = || "eu-1".to_owned();
        for (moved, words) in [
            (DestinationMoved::Replaced { name: name() }, "Restore it, or delete the request"),
            (DestinationMoved::Redirected { name: name() }, "create a separate Destination"),
            (DestinationMoved::Unidentified { name: name() }, "allow the new one to get that namespace"),
            (DestinationMoved::Vanished { name: name() }, "Restore the former credential, or delete the request"),
        ] {
            let sentence = moved.to_string();
            assert!(sentence.contains("eu-1") && sentence.contains("Nothing is created") && sentence.contains(words), "{sentence}");
        }
    }
}
