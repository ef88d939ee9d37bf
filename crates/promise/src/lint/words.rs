//! The sentences of the advice.

use super::{Lint, LintReason};
use crate::wording::{all_of, one_of};

impl Lint {
    /// Returns the advice as a sentence that says what to change.
    pub fn sentence(&self) -> String {
        let parameter = &self.parameter;
        match &self.reason {
            LintReason::NoDescription => {
                format!("Describe {parameter}: the form shows the first sentence of its description below the label.")
            }
            LintReason::UnreadableChoices { values } => {
                format!("Give the values of {parameter} titles under form.fields, such as for {}.", all_of(values))
            }
            LintReason::PatternWithoutExample => {
                format!("Add an example to the description of {parameter}: nothing else explains its pattern.")
            }
            LintReason::UnreadableName { label } => {
                format!("Give {parameter} a title under form.fields: its label is \u{201c}{label}\u{201d}.")
            }
            LintReason::RequiredButHidden => format!("Show {parameter}, or give it a default: it's required, and hidden from the form."),
            LintReason::RequiredButAdvanced => {
                format!("Don't fold {parameter} away, or give it a default: it's required.")
            }
            LintReason::UnknownWidget { widget } => {
                let widgets: Vec<&str> = super::widgets().collect();
                format!("Change the widget of {parameter} to {}: there is no {widget}.", one_of(&widgets))
            }
            LintReason::CostlyRule { expression, bounds } => {
                let fix = if bounds.is_empty() { "Simplify the rule".to_owned() } else { format!("Set {}", all_of(bounds)) };
                format!("{fix}: with many or long values, this rule takes too long to check, and the request is refused: {expression}")
            }
            LintReason::ManyRequired { count } => {
                format!(
                    "Give some of the {count} required parameters a default: all of them have to be filled in before anything can be submitted."
                )
            }
        }
    }
}
