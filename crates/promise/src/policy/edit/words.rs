//! Texts of the form of a policy.

use std::collections::BTreeMap;

use super::RuleKind;
use crate::api::{FieldHint, OptionHint};

pub(super) const SCOPE: &str = "Applies to";
pub(super) const SCOPE_TEXT: &str = "All rules of this policy apply to the same requests.";
pub(super) const POLICY: &str = "Policy";

/// Returns the heading of the fields of a rule.
pub(super) fn title(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Constrain => "Allowed values",
        RuleKind::Default => "Default value",
        RuleKind::Set => "Fixed value",
        RuleKind::Validate => "Condition to meet",
        RuleKind::Approve => "Required approval",
        RuleKind::Limit => "Limit on instances",
        RuleKind::Budget => "Budget",
        RuleKind::Inject => "Added fields",
        RuleKind::Schedule => "Scheduled action",
        RuleKind::Window => "Change window",
    }
}

/// Describes what a kind of rule does.
pub(super) fn description(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Constrain => "Requests can only use values within these bounds. The form offers nothing else.",
        RuleKind::Default => "Requests start with this value. Requesters can change it.",
        RuleKind::Set => "Requests always use this value. Only policies of trusted homes can set values.",
        RuleKind::Validate => "Requests must meet this condition.",
        RuleKind::Approve => "Requests, or runs of the actions in scope, wait until the approvers approve them.",
        RuleKind::Limit => "Limits how many instances of each promise can exist.",
        RuleKind::Budget => "Limits what all covered requests can cost together.",
        RuleKind::Inject => "The platform adds these fields to the objects of a request. Only policies of trusted homes can add fields.",
        RuleKind::Schedule => "The platform runs an action of every running instance at these times.",
        RuleKind::Window => "Changes of running instances wait until the window opens. Windows of one policy are alternatives.",
    }
}

/// Returns the label and hint of a field.
pub(super) fn field(path: &str) -> FieldHint {
    let (title, help) = match path {
        ".rule.parameter" => ("Field", "The field of the request form that this rule applies to."),
        ".message.parameter" => ("Show the message at", "A field of the request form. Without one, the message applies to the whole form."),
        ".rule.minimum" => ("Minimum", "Leave empty for no lower bound."),
        ".rule.maximum" => ("Maximum", "Leave empty for no upper bound."),
        ".rule.enum" => ("Allowed values", ""),
        ".rule.minLength" => ("Minimum length", "In characters."),
        ".rule.maxLength" => ("Maximum length", "In characters."),
        ".rule.pattern" => ("Pattern", "A regular expression that the text must match."),
        ".rule.minItems" => ("Minimum number of entries", ""),
        ".rule.maxItems" => ("Maximum number of entries", ""),
        ".rule.value" => ("Value", ""),
        ".rule.when" => (
            "Only when",
            "An expression such as parameters.tier == 'production'. In policies for actions, it can also read action. Leave empty to always \
             apply the rule.",
        ),
        ".rule.message" => ("Message", "One sentence that tells the requester what to do."),
        ".rule.expression" => (
            "Expression",
            "Must be true, such as parameters.replicas >= 2. It can read parameters, request, workspace and promise, and action in policies for \
             actions.",
        ),
        ".rule.approvers.groups" => ("Approver groups", "Members also need permission to approve for this policy."),
        ".rule.approvers.users" => ("Approver users", ""),
        ".rule.required" => ("Approvals required", "A number, or all for every named approver. Leave empty for one."),
        ".rule.expiresAfter" => ("Expires after", "For example 72h or 5d. Leave empty to wait without a limit."),
        ".rule.stage" => ("Stage", "Approvers of a later stage are asked once all earlier stages are approved."),
        ".rule.selfApproval" => ("Requesters can approve their own requests", ""),
        ".rule.samePerson" => ("Approvers can approve more than one rule of the same request", ""),
        ".rule.count" => ("Number of instances", ""),
        ".rule.per" => ("Counted", ""),
        ".rule.monthly" => ("Amount per month", "For example 500.00."),
        ".rule.currency" => ("Currency", "Three letters, such as EUR."),
        ".rule.thresholds" => ("Notify at these percentages", "Leave empty for 80 and 100."),
        ".rule.notify.groups" => ("Groups to notify", ""),
        ".rule.notify.users" => ("Users to notify", ""),
        ".rule.match.kinds" => ("Kinds of objects", "For example Deployment. Without kinds, the fields are added to every object."),
        ".rule.merge" => ("Fields", "A JSON merge patch."),
        ".rule.action" => ("Action", "Promises without this action are left alone."),
        ".rule.cron" => ("Schedule", "Minute, hour, day of month, month and day of week, such as 0 2 * * * for every day at 02:00."),
        ".rule.timezone" => ("Time zone", "An IANA name, such as Europe/Berlin. Leave empty for UTC."),
        ".rule.parameters" => ("Values of the action", "As YAML, such as note: nightly."),
        ".rule.retention" => ("Keep finished runs for", "For example 7d. Leave empty to keep the newest 20."),
        ".rule.days" => ("Days on which it opens", "Without days, it opens every day."),
        ".rule.from" => ("Opens at", "Hours and minutes, such as 22:00."),
        ".rule.to" => ("Closes at", "Hours and minutes. A time before the opening means the next day."),
        ".appliesTo.promises" => ("Promises", "Without promises, the policy applies to all of them."),
        ".appliesTo.workspaces" => {
            ("Workspaces", "A path, or a path with `:**` for everything below it. Without workspaces, the policy applies wherever it can.")
        }
        ".appliesTo.workspaceLabels" => ("Workspace labels", "Workspaces must have all of these labels."),
        ".appliesTo.actions" => (
            "Actions",
            "With actions, the policy applies to their runs and not to requests. Its rules can be conditions, approvals and windows.",
        ),
        ".title" => ("Title", "Shown to requesters wherever the policy applies."),
        ".description" => ("Reason", "Why this policy exists, in one sentence."),
        ".category" => ("Category", ""),
        ".owner.team" => ("Owner", "The team that requesters can ask."),
        ".owner.contact" => ("Contact", "An email address as mailto:, or an https address."),
        ".ruleName" => ("Name of the rule", "Used in YAML and in the history of requests."),
        _ => ("", ""),
    };
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    FieldHint { title: some(title), help: some(help), ..FieldHint::default() }
}

fn option(title: &str, help: &str) -> OptionHint {
    OptionHint { title: Some(title.to_owned()), help: (!help.is_empty()).then(|| help.to_owned()) }
}

/// Describes what a limit or budget is counted for.
pub(super) fn per(value: &str) -> OptionHint {
    match value {
        "workspace" => option("In each workspace", "Every workspace in scope has its own count."),
        "subtree" => option("In all of them together", "The workspace of this policy and everything below it share one count."),
        _ => option("Everywhere", "All instances of the promise share one count."),
    }
}

/// Returns the days of the week, as policies name them, with their labels.
pub(super) fn days() -> [(&'static str, OptionHint); 7] {
    let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let words = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    std::array::from_fn(|at| (words[at], option(names[at], "")))
}

/// Describes what happens to what violates a rule of a kind.
pub(super) fn enforcement(kind: RuleKind) -> FieldHint {
    let (title, options) = match kind {
        RuleKind::Window => (
            "When a change comes outside the window",
            [
                ("block", option("Hold it", "The change waits until the window opens.")),
                ("warn", option("Warn", "The change is carried out with a warning.")),
                ("audit", option("Record it", "The change is carried out, and the violation is recorded.")),
            ],
        ),
        _ => (
            "When a request violates it",
            [
                ("block", option("Block it", "The request isn't accepted.")),
                ("warn", option("Warn", "The request is accepted with a warning.")),
                ("audit", option("Record it", "The request is accepted, and the violation is recorded.")),
            ],
        ),
    };
    let options = options.map(|(value, option)| (value.to_owned(), option)).into();
    FieldHint { title: Some(title.to_owned()), options, ..FieldHint::default() }
}

/// Returns the labels of the categories.
pub(super) fn category(path: &str) -> BTreeMap<String, OptionHint> {
    if path != ".category" {
        return BTreeMap::new();
    }
    ["operations", "security", "compliance", "cost", "lifecycle"]
        .map(|value| (value.to_owned(), option(&crate::wording::humanise(value), "")))
        .into()
}
