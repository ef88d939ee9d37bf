//! A promise as its author writes it, and one that is to be retired.

use app::backend::{Authoring, PromiseText};
use app::view::{DependentLine, Pick, PlacedProblem, PromiseForm, PromiseFormOutcome, RetirePage, UsingWorkspace};
use async_trait::async_trait;
use promise::Result;
use promise::versions::VersionChange;

use super::World;
use super::fleets::promise;

#[async_trait]
impl Authoring for World {
    async fn promise_form(&self, workspace: &str, name: Option<&str>, draft: Option<&str>) -> Result<PromiseForm> {
        let pick = |path: &str, chosen| Pick { value: path.into(), label: path.into(), chosen };
        let form = PromiseForm {
            workspace: workspace.into(),
            name: name.map(str::to_owned),
            title: "Redis".into(),
            writable: vec![pick("root:platform", true), pick("root:acme", false)],
            text: "kind: Promise\nspec:\n  version: 2.0.0\n".into(),
            version: "7".into(),
            ..PromiseForm::default()
        };
        if draft.is_none() {
            return Ok(form);
        }
        let problem = |place, field: &str, message: &str| PlacedProblem { place, field: field.into(), message: message.into() };
        let problems = vec![problem(Some((3, 3)), ".spec.version", "Increase the version."), problem(None, "", "Someone else changed it.")];
        Ok(PromiseForm {
            checked: true,
            problems: if self.fits { Vec::new() } else { problems },
            advice: vec![problem(Some((9, 7)), ".spec.parameters.properties.size", "Describe .size.")],
            advice_total: 2,
            versions: Some(("1.0.0".into(), "2.0.0".into())),
            changes: vec![VersionChange::FieldRemoved { label: "Window".into() }],
            breaking: if self.fits { vec!["Window is removed".into()] } else { Vec::new() },
            ..form
        })
    }

    async fn write_promise(&self, _: &PromiseText) -> Result<PromiseFormOutcome> {
        Ok(PromiseFormOutcome::Again { draft: "d1".into() })
    }

    async fn retirement(&self, _: &str, _: &str, page: usize) -> Result<RetirePage> {
        if self.empty {
            return Ok(RetirePage { promise: promise(), page: 1, pages: 1, ..RetirePage::default() });
        }
        let using = |workspace: &str, instances| UsingWorkspace { workspace: workspace.into(), instances };
        Ok(RetirePage {
            promise: promise(),
            workspaces: vec![using("root:acme:shop", 4), using("root:acme:data", 1)],
            instances: 5,
            everywhere: 7,
            dependents: vec![DependentLine { workspace: "root:platform".into(), name: "web".into(), title: "Web application".into() }],
            page: page.max(1),
            pages: 2,
            unseen: vec!["root:acme:lab".into()],
        })
    }

    async fn retire_promise(&self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }
}
