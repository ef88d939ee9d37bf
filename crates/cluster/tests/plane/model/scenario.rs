//! A random promise with workflows, the life of a request for it, and the faults meanwhile.

use promise::api::{OnFailure, WorkflowName};

use super::faults::{DeskFault, Faults};
use super::random::Random;

/// Everything that a case consists of. It follows from its seed.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    /// Whether workspaces are namespaces.
    pub namespaces: bool,
    pub resources: Vec<Resource>,
    pub provision: Vec<StepPlan>,
    pub upgrade: Vec<StepPlan>,
    pub deprovision: Vec<StepPlan>,
    pub life: Vec<Deed>,
    pub faults: Faults,
    pub desk_faults: Vec<DeskFault>,
    /// Whether a second controller is there from the beginning.
    pub has_standby: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResourceKind {
    Map,
    Secret,
    /// A request for the promise `leaf`.
    Request,
}

#[derive(Clone, Debug)]
pub struct Resource {
    pub kind: ResourceKind,
    /// Whether it is only there if the parameter `extra` is true.
    pub is_extra: bool,
    /// A resource of the same group whose name it contains.
    pub refers_to: Option<usize>,
}

/// What becomes of a step that something outside decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Good,
    Bad,
    /// Bad until someone repairs what is outside.
    BadAtFirst,
}

impl Fate {
    pub fn is_good(self, repaired: bool) -> bool {
        match self {
            Self::Good => true,
            Self::Bad => false,
            Self::BadAtFirst => repaired,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Validate {
        holds: bool,
    },
    Capacity(Vec<usize>),
    Apply(Vec<usize>),
    Request(Vec<usize>),
    /// One that never ends times out.
    Wait {
        resources: Vec<usize>,
        ends: bool,
    },
    Delete(Vec<usize>),
    Http {
        polls: bool,
        has_undo: bool,
        fate: Fate,
    },
    Job(Fate),
    Approve(Fate),
}

#[derive(Clone, Debug)]
pub struct StepPlan {
    pub action: Action,
    pub depends_on: Vec<usize>,
    /// What its condition evaluates to, if it has one.
    pub when: Option<bool>,
    pub on_failure: OnFailure,
    pub retries: u32,
}

/// What someone does with the request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deed {
    pub what: What,
    /// Whether the next one doesn't wait until everything has settled.
    pub is_hurried: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    Create {
        level: u8,
        extra: bool,
    },
    Edit {
        level: u8,
        extra: bool,
    },
    /// Retries what failed. Nothing happens if nothing failed.
    Retry {
        repairs: bool,
    },
    Cancel,
    Delete,
}

impl Scenario {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let namespaces = seed % 2 == 1;
        let (resources, groups) = resources(&mut random);
        let rolls_out = |percent: usize, random: &mut Random| match random.chance(percent) {
            true => roll_out(random, &resources, &groups, namespaces),
            false => Vec::new(),
        };
        let provision = rolls_out(90, &mut random);
        let upgrade = rolls_out(60, &mut random);
        let deprovision = if random.chance(50) { removal(&mut random, &groups, namespaces) } else { Vec::new() };
        let life = life(&mut random);
        let (faults, desk_faults) = (Faults::random(&mut random), DeskFault::some(&mut random));
        let has_standby = random.chance(30);
        Self { seed, namespaces, resources, provision, upgrade, deprovision, life, faults, desk_faults, has_standby }
    }

    pub fn steps(&self, name: WorkflowName) -> &[StepPlan] {
        match name {
            WorkflowName::Provision => &self.provision,
            WorkflowName::Upgrade => &self.upgrade,
            WorkflowName::Deprovision => &self.deprovision,
            WorkflowName::Action => &[],
        }
    }

    /// The steps of all workflows, with their names at the ticket system.
    pub fn named_steps(&self) -> impl Iterator<Item = (String, &StepPlan)> {
        let of = |name: WorkflowName| self.steps(name).iter().enumerate().map(move |(index, step)| (step_name(name, index), step));
        WorkflowName::ALL.into_iter().flat_map(of)
    }

    pub fn uses(&self, is_meant: impl Fn(&Action) -> bool) -> bool {
        self.named_steps().any(|(_, step)| is_meant(&step.action))
    }
}

/// A step as tickets name it.
pub fn step_name(workflow: WorkflowName, index: usize) -> String {
    format!("{}-{index}", workflow.word())
}

/// Resources, and which of them are applied together.
fn resources(random: &mut Random) -> (Vec<Resource>, Vec<Vec<usize>>) {
    use ResourceKind::{Map, Request, Secret};
    let (mut resources, mut groups): (Vec<Resource>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    for index in 0..1 + random.below(4) {
        let kind = random.pick(&[Map, Map, Map, Map, Secret, Request]);
        let is_extra = random.chance(20);
        let last = groups.last_mut().filter(|group| group.len() < 3 && kind != Request && resources[group[0]].kind != Request);
        let refers_to = match last {
            Some(group) if random.chance(50) => {
                let first = group[0];
                group.push(index);
                // What refers to an object that isn't wanted would wait for it forever.
                (random.chance(50) && !resources[first].is_extra).then_some(first)
            }
            _ => {
                groups.push(vec![index]);
                None
            }
        };
        resources.push(Resource { kind, is_extra, refers_to });
    }
    (resources, groups)
}

fn roll_out(random: &mut Random, resources: &[Resource], groups: &[Vec<usize>], namespaces: bool) -> Vec<StepPlan> {
    let others = random.below(5);
    let mut left: Vec<&Vec<usize>> = groups.iter().collect();
    let is_chain = random.chance(50);
    let mut steps: Vec<StepPlan> = Vec::new();
    while steps.len() < groups.len() + others {
        let open = groups.len() + others - steps.len();
        let mut depends_on = random.some(2, steps.len());
        if is_chain && !steps.is_empty() {
            depends_on = vec![steps.len() - 1];
        }
        let is_applying = random.below(open) < left.len();
        let action = if is_applying {
            let group = left.remove(random.below(left.len())).clone();
            match resources[group[0]].kind {
                ResourceKind::Request if random.chance(70) => Action::Request(group),
                _ => Action::Apply(group),
            }
        } else {
            other(random, resources.len(), namespaces)
        };
        let step = StepPlan { action, depends_on, ..finished(random, is_applying) };
        let step = after_what_it_waits_for(step, &steps);
        steps.push(step);
    }
    steps
}

/// A step without its action and dependencies. What applies objects always runs: others wait for it.
fn finished(random: &mut Random, is_applying: bool) -> StepPlan {
    use OnFailure::{Continue, Fail, Rollback};
    let when = (!is_applying && random.chance(15)).then(|| random.chance(50));
    let on_failure = random.pick(&[Fail, Fail, Continue, Continue, Rollback]);
    StepPlan { action: Action::Validate { holds: true }, depends_on: Vec::new(), when, on_failure, retries: random.below(3) as u32 }
}

/// What a step waits for has a step before it: otherwise it might wait forever, because after a failure no step begins.
fn after_what_it_waits_for(mut step: StepPlan, before: &[StepPlan]) -> StepPlan {
    let Action::Wait { resources, .. } = &mut step.action else { return step };
    let applying = |resource: usize| {
        before.iter().position(|other| matches!(&other.action, Action::Apply(of) | Action::Request(of) if of.contains(&resource)))
    };
    resources.retain(|resource| applying(*resource).is_some());
    step.depends_on.extend(resources.iter().filter_map(|resource| applying(*resource)));
    step.depends_on.sort_unstable();
    step.depends_on.dedup();
    if resources.is_empty() {
        step.action = Action::Validate { holds: true };
    }
    step
}

fn other(random: &mut Random, resources: usize, namespaces: bool) -> Action {
    let fate = random.pick(&[Fate::Good, Fate::Good, Fate::Good, Fate::Bad, Fate::BadAtFirst]);
    match random.below(9) {
        0 => Action::Validate { holds: random.chance(75) },
        1 => Action::Capacity(vec![random.below(resources)]),
        2 => Action::Wait { resources: vec![random.below(resources)], ends: random.chance(80) },
        3 | 4 if namespaces => Action::Job(fate),
        5 => Action::Approve(fate),
        _ => Action::Http { polls: random.chance(50), has_undo: random.chance(80), fate },
    }
}

/// A deletion that comes to its end, if someone repairs and retries it.
fn removal(random: &mut Random, groups: &[Vec<usize>], namespaces: bool) -> Vec<StepPlan> {
    let mut steps: Vec<StepPlan> = Vec::new();
    for _ in 0..1 + random.below(3) {
        let fate = random.pick(&[Fate::Good, Fate::Good, Fate::Bad, Fate::BadAtFirst]);
        let action = match random.below(5) {
            0 | 1 => Action::Delete(groups[random.below(groups.len())].clone()),
            2 if namespaces => Action::Job(fate),
            3 => Action::Approve(fate),
            _ => Action::Http { polls: random.chance(50), has_undo: false, fate },
        };
        let on_failure = if fate == Fate::Bad { OnFailure::Continue } else { OnFailure::Fail };
        let depends_on = if steps.is_empty() { Vec::new() } else { vec![steps.len() - 1] };
        steps.push(StepPlan { action, depends_on, on_failure, ..finished(random, true) });
    }
    steps
}

fn life(random: &mut Random) -> Vec<Deed> {
    let mut level = 1 + random.below(9) as u8;
    let mut life = Vec::new();
    let deed = |random: &mut Random, what: What| Deed { what, is_hurried: random.chance(8) };
    let create = What::Create { level, extra: random.chance(50) };
    life.push(deed(random, create));
    for _ in 0..=random.below(3) {
        if life.last().is_some_and(|last| last.is_hurried) && random.chance(40) {
            life.push(Deed { what: What::Cancel, is_hurried: random.chance(50) });
        }
        if random.chance(70) {
            let repairs = random.chance(75);
            life.push(deed(random, What::Retry { repairs }));
        }
        // Now and then what was wanted before is wanted again.
        level = if random.chance(15) { 1 + random.below(9) as u8 } else { level + 10 };
        let edit = What::Edit { level, extra: random.chance(50) };
        life.push(deed(random, edit));
    }
    // Most lives end with less.
    if random.chance(60) {
        life.pop();
    }
    life.push(Deed { what: What::Delete, is_hurried: false });
    life
}
