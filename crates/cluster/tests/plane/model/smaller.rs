//! Finds a smaller case that fails as well.

use promise::api::WorkflowName;

use super::faults::{Faults, ReadFault, WatchFault, WriteFault};
use super::scenario::{Action, Deed, Scenario, StepPlan, What};

/// Smaller cases, the much smaller ones first.
pub fn smaller(scenario: &Scenario) -> Vec<Scenario> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Scenario)| {
        let mut changed = scenario.clone();
        change(&mut changed);
        found.push(changed);
    };
    for name in WorkflowName::ALL.into_iter().rev().filter(|name| !scenario.steps(*name).is_empty()) {
        with(&|of| of.steps_mut(name).clear());
    }
    if scenario.faults.count() > 0 {
        with(&|of| of.faults = Faults::default());
    }
    if !scenario.desk_faults.is_empty() {
        with(&|of| of.desk_faults.clear());
    }
    if scenario.has_standby {
        with(&|of| of.has_standby = false);
    }
    for index in 1..scenario.life.len() - 1 {
        with(&|of| {
            of.life.remove(index);
        });
    }
    for index in 0..scenario.life.len() {
        let Deed { what, is_hurried } = scenario.life[index];
        if is_hurried && what != What::Delete {
            with(&|of| of.life[index].is_hurried = false);
        }
    }
    for index in (0..scenario.faults.writes.len()).filter(|index| scenario.faults.writes[*index] != WriteFault::None) {
        with(&|of| of.faults.writes[index] = WriteFault::None);
    }
    for index in (0..scenario.faults.reads.len()).filter(|index| scenario.faults.reads[*index] != ReadFault::None) {
        with(&|of| of.faults.reads[index] = ReadFault::None);
    }
    for index in (0..scenario.faults.watches.len()).filter(|index| scenario.faults.watches[*index] != WatchFault::None) {
        with(&|of| of.faults.watches[index] = WatchFault::None);
    }
    for name in WorkflowName::ALL {
        let steps = scenario.steps(name);
        let is_needed = |step: &StepPlan| matches!(step.action, Action::Apply(_) | Action::Request(_));
        for index in (0..steps.len()).filter(|index| steps.len() > 1 && !is_needed(&steps[*index])) {
            with(&|of| without(of.steps_mut(name), index));
        }
    }
    found
}

/// Removes a step. Those that depend on it depend on what it depended on.
fn without(steps: &mut Vec<StepPlan>, index: usize) {
    let removed = steps.remove(index);
    for step in steps {
        if let Some(at) = step.depends_on.iter().position(|other| *other == index) {
            step.depends_on.remove(at);
            step.depends_on.extend(&removed.depends_on);
        }
        for other in step.depends_on.iter_mut().filter(|other| **other > index) {
            *other -= 1;
        }
        step.depends_on.sort_unstable();
        step.depends_on.dedup();
    }
}

impl Scenario {
    fn steps_mut(&mut self, name: WorkflowName) -> &mut Vec<StepPlan> {
        match name {
            WorkflowName::Provision => &mut self.provision,
            WorkflowName::Upgrade => &mut self.upgrade,
            WorkflowName::Deprovision | WorkflowName::Action => &mut self.deprovision,
        }
    }
}
