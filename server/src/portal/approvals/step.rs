//! Steps of workflows that wait for approvers: they are decided in place of the content of their request.

use app::view::{CheckLine, CheckState};
use cluster::kinds::PromiseRequest;
use promise::api::StepStatus;
use promise::workflow::{asks_about_step, step_in_question};

/// Returns a request with the step that waits for approvers as what they decide about. `None` if no step does.
pub(in crate::portal) fn about_step(request: &PromiseRequest) -> Option<PromiseRequest> {
    let status = asks_about_step(request.status.as_ref()?)?;
    Some(PromiseRequest { status: Some(status), ..request.clone() })
}

/// Returns the step that approvers decide about. `None` if they decide about the content of the request.
pub(super) fn step(request: &PromiseRequest) -> Option<&StepStatus> {
    step_in_question(request.status.as_ref()?)
}

/// Returns what approvers read of the step first.
pub(super) fn name(step: &StepStatus) -> String {
    format!("Step “{}”", step.title.as_ref().unwrap_or(&step.id))
}

/// Returns what approvers have to check.
pub(super) fn check(step: &StepStatus) -> CheckLine {
    let (what, detail) = (format!("{} is waiting for approval", name(step)), step.message.clone().unwrap_or_default());
    CheckLine { state: CheckState::Unknown, what, detail, target: String::new() }
}
