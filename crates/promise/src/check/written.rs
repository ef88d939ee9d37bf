//! A promise that its author is writing: checked as publishing would check it now, at the place of each problem.

use super::{Kinds, Terms, object, spec};
use crate::api::{PromiseSpec, PromiseWorkflowSpec};
use crate::lint::lint;
use crate::manifest::{Defect, Manifest};
use crate::publish;

/// A text that was checked.
#[derive(Clone, Debug, Default)]
pub struct WrittenPromise {
    /// The object. Absent if the text isn't one Promise.
    pub manifest: Option<Manifest>,
    /// The spec, as far as it can be read, with the steps of PromiseWorkflows in place of references to them.
    pub spec: Option<PromiseSpec>,
    /// What publishing would refuse, in the order of the text.
    pub problems: Vec<Defect>,
    /// What would make the form easier to fill in, in the order of its parameters.
    pub advice: Vec<Defect>,
}

/// Checks a text. `name` is that of the existing promise, which it keeps, `previous` the spec of the newest published version, and
/// `workflow` returns the PromiseWorkflow of a name in the promise's workspace.
pub fn promise(
    text: &str,
    name: Option<&str>,
    previous: Option<&PromiseSpec>,
    workflow: impl Fn(&str) -> Option<PromiseWorkflowSpec>,
    (kinds, terms): (&Kinds, Terms),
) -> WrittenPromise {
    let (mut manifests, mut problems) = Manifest::read("", text);
    let manifest = match manifests.len() {
        1 => manifests.remove(0),
        0 if !problems.is_empty() => return WrittenPromise { problems, ..WrittenPromise::default() },
        _ => {
            problems.push(Defect::of_file("", "Enter exactly one Promise."));
            return WrittenPromise { problems, ..WrittenPromise::default() };
        }
    };
    if manifest.text_at(".kind") != "Promise" {
        problems.push(manifest.wrong(".kind", "set kind: Promise"));
        return WrittenPromise { problems, ..WrittenPromise::default() };
    }
    if let Some(name) = name.filter(|name| *name != manifest.text_at(".metadata.name")) {
        problems.push(manifest.wrong(".metadata.name", &format!("keep the name {name}; with another name, it would be another promise")));
    }
    problems.extend(object(&manifest, kinds, terms));
    let mut spec = spec::<PromiseSpec>(&manifest.object).ok();
    if let Some(written) = spec.take() {
        let has_references = written.workflows.referred().next().is_some();
        let (whole, found) = match publish::resolved(&written, workflow) {
            Ok(whole) if has_references || previous.is_some() => {
                let found = publish::validate(&whole, previous, terms.trusted).err().unwrap_or_default();
                (whole, publish::at_references(&written, found))
            }
            Ok(whole) => (whole, Vec::new()),
            Err(found) => (written, found),
        };
        let further = found.into_iter().map(|problem| manifest.wrong(&format!(".spec{}", problem.path), &problem.message));
        let further: Vec<Defect> = further.filter(|defect| !problems.contains(defect)).collect();
        problems.extend(further);
        spec = Some(whole);
    }
    problems.sort_by_key(|defect| defect.place.map(|place| (place.line, place.column)));
    let advice = spec.iter().flat_map(lint).map(|lint| manifest.wrong(&format!(".spec{}", lint.place), &lint.sentence())).collect();
    WrittenPromise { manifest: Some(manifest), spec, problems, advice }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "apiVersion: platform.opmodel.dev/v1alpha1
kind: Promise
metadata:
  name: notes
spec:
  version: 1.0.0
  parameters:
    type: object
    properties:
      size: {type: string}
";

    fn check(text: &str, previous: Option<&str>) -> WrittenPromise {
        let previous = previous.map(|text| check(text, None).spec.unwrap());
        promise(text, Some("notes"), previous.as_ref(), |_| None, (&Kinds::of([]), Terms { trusted: true, on_kcp: false }))
    }

    fn places(found: &[Defect]) -> Vec<(usize, usize, &str)> {
        let place = |defect: &Defect| defect.place.map_or((0, 0), |place| (place.line, place.column));
        found.iter().map(|defect| (place(defect).0, place(defect).1, defect.field.as_str())).collect()
    }

    #[test]
    fn problems_and_advice_have_their_place_in_the_text() {
        let found = check(TEXT, None);
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        assert_eq!(places(&found.advice), [(10, 7, ".spec.parameters.properties.size")]);
        let wrong = check(&TEXT.replace("name: notes", "name: other").replace("type: string", "type: text"), None);
        let fields: Vec<&str> = wrong.problems.iter().map(|defect| defect.field.as_str()).collect();
        assert_eq!(fields, [".metadata.name", ".spec.parameters.properties.size.type"]);
        assert!(wrong.problems.iter().all(|defect| defect.place.is_some()));
    }

    #[test]
    fn a_version_that_is_published_already_cannot_change_and_a_breaking_one_needs_its_number() {
        let changed = TEXT.replace("size: {type: string}", "zone: {type: string}");
        let same = check(&changed, Some(TEXT));
        assert_eq!(places(&same.problems), [(6, 3, ".spec.version")]);
        let minor = check(&changed.replace("version: 1.0.0", "version: 1.1.0"), Some(TEXT));
        assert_eq!(minor.problems.len(), 1, "{:?}", minor.problems);
        assert!(minor.problems[0].message.contains("Publish this as 2.0.0"), "{:?}", minor.problems);
        assert!(check(&changed.replace("version: 1.0.0", "version: 2.0.0"), Some(TEXT)).problems.is_empty());
    }

    #[test]
    fn a_workflow_of_the_workspace_is_checked_with_the_promise_that_refers_to_it() {
        let text = format!("{TEXT}  workflows:\n    provision: {{ref: standard}}\n");
        let with = |workflow: Option<&str>| {
            let found: Option<PromiseWorkflowSpec> = workflow.map(|steps| serde_saphyr::from_str(steps).unwrap());
            promise(&text, Some("notes"), None, |_| found.clone(), (&Kinds::of([]), Terms { trusted: true, on_kcp: false }))
        };
        let good = with(Some("workflow: {steps: [{id: check, validate: {expression: '${true}', message: Never.}}]}"));
        assert!(good.problems.is_empty(), "{:?}", good.problems);
        let workflow = good.spec.unwrap().workflows.provision.unwrap();
        assert_eq!((workflow.reference, workflow.steps.len()), (None, 1));
        for refused in [with(None), with(Some("workflow: {steps: [{id: check}]}"))] {
            assert_eq!(places(&refused.problems), [(12, 17, ".spec.workflows.provision.ref")], "{:?}", refused.problems);
        }
    }

    #[test]
    fn anything_else_than_one_promise_is_refused() {
        for (text, said) in [
            ("a: [".to_owned(), ""),
            (format!("{TEXT}---\n{}", TEXT.replace("notes", "other")), "exactly one"),
            (TEXT.replace("kind: Promise", "kind: Policy"), "kind: Promise"),
        ] {
            let found = check(&text, None);
            assert!(found.manifest.is_none() && found.problems.len() == 1, "{text}: {:?}", found.problems);
            assert!(found.problems[0].message.contains(said), "{:?}", found.problems);
        }
    }
}
