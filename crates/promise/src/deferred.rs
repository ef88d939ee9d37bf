//! What the types of the API can say and nothing enforces yet: it is refused with a sentence instead of being ignored.

use jiff::Timestamp;

use crate::api::{DestinationSpec, DestinationType, PromiseRequestSpec};
use crate::error::Problem;

/// What a request says that is not enforced.
pub fn of_request(request: &PromiseRequestSpec) -> Option<Problem> {
    let ends = request.expires_at.as_deref()?;
    let message = match ends.parse::<Timestamp>() {
        Ok(_) => {
            "An end date is not enforced yet, so it is not accepted. Remove expiresAt, and delete the request when it is no longer needed."
                .to_owned()
        }
        Err(_) => {
            format!("“{ends}” is not a time in RFC 3339, such as 2027-01-31T00:00:00Z. Remove expiresAt: an end date is not enforced yet.")
        }
    };
    Some(Problem { path: ".expiresAt".to_owned(), message })
}

/// What a Destination says that is not supported.
///
/// # Errors
/// A sentence that names the field and its fix.
pub fn of_destination(name: &str, spec: &DestinationSpec) -> Result<(), String> {
    match spec.r#type {
        DestinationType::Cluster => Ok(()),
        DestinationType::Workspaces => {
            Err(format!("The destination {name} has the type workspaces, which is not supported yet. Its owner can set type to cluster."))
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
            assert!(problem.path == ".expiresAt" && problem.message.starts_with("An end date is not enforced yet"), "{time}: {problem:?}");
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
