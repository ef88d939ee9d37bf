//! API features that aren't implemented yet. Requests that use them are refused with a message instead of ignoring it.

use jiff::Timestamp;

use crate::api::{DestinationSpec, DestinationType, PromiseRequestSpec};
use crate::problem::Problem;

/// Returns the problem with a request that uses a feature which isn't enforced.
pub fn of_request(request: &PromiseRequestSpec) -> Option<Problem> {
    let ends = request.expires_at.as_deref()?;
    let message = match ends.parse::<Timestamp>() {
        Ok(_) => {
            "An end date isn't enforced yet, so it can't be accepted. Remove expiresAt, and delete the request when it is no longer needed."
                .to_owned()
        }
        Err(_) => {
            format!("“{ends}” isn't an RFC 3339 time such as 2027-01-31T00:00:00Z. Remove expiresAt: an end date isn't enforced yet.")
        }
    };
    Some(Problem { path: ".expiresAt".to_owned(), message })
}

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
    use super::{of_destination, of_request};
    use crate::api::{DestinationSpec, DestinationType, PromiseRequestSpec};

    #[test]
    fn an_end_date_is_refused_with_its_field_whether_it_is_a_time_or_not() {
        let ends = |at: &str| of_request(&PromiseRequestSpec { expires_at: Some(at.to_owned()), ..PromiseRequestSpec::default() }).unwrap();
        for time in ["2027-01-31T00:00:00Z", "2027-01-31T00:00:00+02:00", "2020-01-01T00:00:00.5Z"] {
            let problem = ends(time);
            assert!(problem.path == ".expiresAt" && problem.message.starts_with("An end date isn't enforced yet"), "{time}: {problem:?}");
        }
        for other in ["yesterday", "2027-01-31", "", "2027-13-01T00:00:00Z", "2027-01-31T00:00:00"] {
            let problem = ends(other);
            assert!(problem.path == ".expiresAt" && problem.message.contains("RFC 3339"), "{other}: {problem:?}");
        }
        assert_eq!(of_request(&PromiseRequestSpec::default()), None);
    }

    #[test]
    fn a_destination_of_workspaces_is_refused() {
        let spec = DestinationSpec { r#type: DestinationType::Workspaces, ..DestinationSpec::default() };
        assert!(of_destination("eu-1", &spec).unwrap_err().contains("type to cluster"));
        assert_eq!(of_destination("eu-1", &DestinationSpec::default()), Ok(()));
    }
}
