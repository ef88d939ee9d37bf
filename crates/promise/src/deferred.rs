//! API features that aren't implemented yet. Objects that use them are refused with a message instead of ignoring it.

use crate::api::{DestinationSpec, DestinationType};

/// A feature of a Destination that isn't supported yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSupported {
    /// The type `workspaces`.
    #[error("The destination {name} has the type workspaces, which isn't supported yet. Its owner can set type to cluster.")]
    Workspaces {
        /// Name of the Destination.
        name: String,
    },
}

/// Checks a Destination for features that aren't supported.
///
/// # Errors
/// If it uses one.
pub fn of_destination(name: &str, spec: &DestinationSpec) -> Result<(), NotSupported> {
    match spec.r#type {
        DestinationType::Cluster => Ok(()),
        DestinationType::Workspaces => Err(NotSupported::Workspaces { name: name.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::{NotSupported, of_destination};
    use crate::api::{DestinationSpec, DestinationType};

    #[test]
    fn a_destination_of_workspaces_is_refused() {
        let spec = DestinationSpec { r#type: DestinationType::Workspaces, ..DestinationSpec::default() };
        let refusal = of_destination("eu-1", &spec).unwrap_err();
        assert_eq!(refusal, NotSupported::Workspaces { name: "eu-1".to_owned() });
        assert!(refusal.to_string().contains("type to cluster"));
        assert_eq!(of_destination("eu-1", &DestinationSpec::default()), Ok(()));
    }
}
