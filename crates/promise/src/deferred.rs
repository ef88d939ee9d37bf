//! API features that aren't implemented yet. Objects that use them are refused with a message instead of ignoring it.

use crate::api::{DestinationSpec, DestinationType};

/// Checks a Destination for features that aren't supported.
///
/// # Errors
/// If it uses one, with a sentence that names the field and the fix.
pub fn of_destination(name: &str, spec: &DestinationSpec) -> Result<(), String> {
    match spec.r#type {
        DestinationType::Cluster => Ok(()),
        DestinationType::Workspaces => {
            Err(format!("The destination {name} has the type workspaces, which isn't supported yet. Its owner can set type to cluster."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_destination;
    use crate::api::{DestinationSpec, DestinationType};

    #[test]
    fn a_destination_of_workspaces_is_refused() {
        let spec = DestinationSpec { r#type: DestinationType::Workspaces, ..DestinationSpec::default() };
        assert!(of_destination("eu-1", &spec).unwrap_err().contains("type to cluster"));
        assert_eq!(of_destination("eu-1", &DestinationSpec::default()), Ok(()));
    }
}
