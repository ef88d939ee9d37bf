//! Real definitions and objects of many projects against this crate: every published schema has to be accepted, and objects have to
//! be judged as their projects judge them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schema::expr::Budget;
use schema::structural::Schema;
use testdata::corpus::{Definition, Instance, definitions, instances, versions};

#[test]
fn every_published_schema_is_accepted() {
    let Some(definitions) = definitions() else { return };
    let (mut seen, mut refused) = (0, Vec::new());
    for Definition { name, versions } in definitions {
        for (version, schema) in versions {
            seen += 1;
            if let Err(errors) = Schema::parse(&schema) {
                let texts: Vec<String> = errors.iter().take(3).map(ToString::to_string).collect();
                refused.push(format!("{name} {version}: {}", texts.join("\n    ")));
            }
        }
    }
    println!("{seen} schemas");
    assert!(seen > 100, "only {seen} schemas were found");
    assert!(refused.is_empty(), "{} of {seen} refused:\n{}", refused.len(), refused.join("\n"));
}

/// Samples whose embedded resources name no type. A JSON schema cannot say that they must; the API server does.
const LACK_TYPE: [&str; 4] = ["DeployItem.my-mock-item.yaml", "Execution.exec-1.2.yaml", "Execution.exec-1.3.yaml", "Execution.x.yaml"];

#[test]
fn objects_are_judged_as_their_projects_judge_them() {
    let Some(instances) = instances() else { return };
    let mut definitions: BTreeMap<PathBuf, BTreeMap<String, Schema>> = BTreeMap::new();
    let (mut seen, mut wrong) = (0, Vec::new());
    for Instance { name, mut object, definition, version, meant, verdict, rules } in instances {
        let expected = object.as_object_mut().and_then(|object| object.remove("_err"));
        let schemas = definitions.entry(definition).or_insert_with_key(|path| {
            versions(path).into_iter().map(|(version, schema)| (version, Schema::parse_lenient(&schema))).collect()
        });
        let Some(schema) = schemas.get(&version) else { continue };
        schema.prune_resource(&mut object);
        schema.default(&mut object);
        let mut errors = schema.validate(&object);
        if errors.is_empty() {
            errors = schema.validate_rules(&object, None, &mut Budget::for_rules());
        }
        seen += 1;
        let accepted = errors.is_empty();
        let is_listed = LACK_TYPE.iter().any(|listed| name.ends_with(listed));
        let should = meant != "reject" && verdict.starts_with("pass") && !rules.starts_with("reject") && !is_listed;
        if accepted != should {
            let texts: Vec<String> = errors.iter().take(2).map(ToString::to_string).collect();
            wrong.push(format!("{name} ({meant}, {verdict}, {rules}, {expected:?}): {}", texts.join("\n    ")));
        }
    }
    println!("{seen} objects");
    assert!(seen > 100, "only {seen} objects were found");
    assert!(wrong.is_empty(), "{} of {seen} judged otherwise:\n{}", wrong.len(), wrong.join("\n"));
}
