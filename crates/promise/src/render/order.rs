//! Derives the creation order from the references between resources.

use std::collections::{BTreeMap, BTreeSet};

use schema::expr::Template;

use super::CompiledResource;
use crate::problem::Problem;

/// Sets the stage and the references of every resource. Returns the order: by stage, then as written.
///
/// # Errors
/// If there is a cycle, naming its members in order, or an expression reads all resources at once.
pub(super) fn order(resources: &mut [CompiledResource]) -> Result<Vec<usize>, Problem> {
    let places: BTreeMap<String, usize> = resources.iter().enumerate().map(|(index, resource)| (resource.id.clone(), index)).collect();
    let mut edges = Vec::with_capacity(resources.len());
    for resource in resources.iter() {
        edges.push(dependencies(resource, &places)?);
    }
    let mut stages: Vec<Option<u32>> = vec![None; resources.len()];
    let mut trail = Vec::new();
    for index in 0..resources.len() {
        stage(index, &edges, &mut stages, &mut trail).map_err(|cycle| cycle_problem(&cycle, resources))?;
    }
    for (resource, (stage, needs)) in resources.iter_mut().zip(stages.iter().zip(edges)) {
        resource.stage = stage.unwrap_or_default();
        resource.needs = needs;
    }
    let mut order: Vec<usize> = (0..resources.len()).collect();
    order.sort_by_key(|index| (resources[*index].stage, *index));
    Ok(order)
}

fn dependencies(resource: &CompiledResource, places: &BTreeMap<String, usize>) -> Result<BTreeSet<usize>, Problem> {
    let mut found = BTreeSet::new();
    let templates = [Some(&resource.template), resource.include_when.as_ref(), resource.for_each.as_ref()];
    for path in templates.into_iter().flatten().flat_map(Template::references) {
        match path.as_slice() {
            [root, id, ..] if root == "resources" => found.extend(places.get(id).copied()),
            [root] if root == "resources" => {
                let message = "Name the resource that is read, such as `resources.database`: the order of creation depends on it.";
                return Err(Problem { path: resource.path.clone(), message: message.to_owned() });
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns the stage of one resource: one more than the highest stage it reads. The error is a cycle.
fn stage(index: usize, edges: &[BTreeSet<usize>], stages: &mut [Option<u32>], trail: &mut Vec<usize>) -> Result<u32, Vec<usize>> {
    if let Some(known) = stages[index] {
        return Ok(known);
    }
    if let Some(start) = trail.iter().position(|seen| *seen == index) {
        return Err(trail[start..].to_vec());
    }
    trail.push(index);
    let mut own = 0;
    for before in &edges[index] {
        own = own.max(stage(*before, edges, stages, trail)? + 1);
    }
    trail.pop();
    stages[index] = Some(own);
    Ok(own)
}

fn cycle_problem(cycle: &[usize], resources: &[CompiledResource]) -> Problem {
    let name = |index: &usize| resources[*index].id.as_str();
    let mut names: Vec<&str> = cycle.iter().map(name).collect();
    names.extend(cycle.first().map(name));
    let path = cycle.first().map(|index| resources[*index].path.clone()).unwrap_or_default();
    let message = match cycle {
        [_] => format!("Remove the reference of `{}` to itself: it can't be read before it is created.", names[0]),
        _ => format!("Break the cycle {}: none of them can be created first.", names.join(" → ")),
    };
    Problem { path, message }
}
