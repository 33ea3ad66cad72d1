//! Flattens a function and its branches and loops into one list of steps.
//!
//! ```text
//! y = If(c, a)                 unless c goto L1                 y = While(a)          L = a
//!   then_branch: ... t           ... with a for its parameter        cond: ... c      L0: ... with L for its parameters
//!   else_branch: ... e           y = t; goto L2                      body: ... n          unless c goto L1
//!                              L1: ...                                                    ... with L for its parameters
//!                                y = e                                                    L = n; goto L0
//!                              L2:                                                    L1: y = L
//! ```
//!
//! An iteration of a loop then costs only its steps: no frame, no list of values, no passing of
//! results. A function that only one branch or loop runs, and from one place, becomes part of the
//! function that runs it; calls stay calls, since errors name them, and so do functions with
//! several users, which would be copied.
//!
//! Last uses are known for each function separately (`prepare.rs`). A parameter of a branch *is*
//! its argument: it may be consumed at its last use if the branch is the last use of the argument,
//! which is passed once. An argument whose last user is a branch that does not read it is dropped
//! at the start of the branch. A condition consumes nothing of its loop.
//!
//! Iterative, and linear in the steps and their operands.

use std::sync::Arc;

use super::{Action, Body, MAIN, NodeName, Operand, Step, rank::Order};

/// The target of a jump before its end is known.
const OPEN: usize = usize::MAX;

/// Moves branches and loops into the functions that run them. The numbers of functions are
/// unchanged; a function that has become part of another is empty.
pub(super) fn flatten(mut bodies: Vec<Body>) -> Vec<Body> {
    let is_part = parts(&bodies);
    let reads: Vec<Vec<bool>> = bodies.iter().map(parameters_read).collect();
    let mut originals: Vec<Option<Body>> = bodies
        .iter_mut()
        .map(|body| Some(std::mem::take(body)))
        .collect();
    for number in (0..bodies.len()).filter(|&number| !is_part[number]) {
        let flattener = Flattener {
            is_part: &is_part,
            reads: &reads,
            bodies: &mut originals,
            flat: Body::default(),
            order: Order::new(),
        };
        bodies[number] = flattener.function(number);
    }
    bodies
}

/// Returns which functions are run by one branch or loop only, with matching parameters.
fn parts(bodies: &[Body]) -> Vec<bool> {
    let mut users = vec![0usize; bodies.len()];
    let mut fits = vec![true; bodies.len()];
    users[MAIN] = 1;
    for step in bodies.iter().flat_map(|body| &body.steps) {
        step.action.bodies().for_each(|body| users[body] += 1);
        let mut expect = |body: usize, parameters: usize, results: usize| {
            fits[body] &=
                bodies[body].parameters == parameters && bodies[body].results.len() == results;
        };
        match &step.action {
            Action::Call { body } | Action::Native { body, .. } => fits[*body] = false,
            Action::If { then, otherwise } => {
                for body in [*then, *otherwise] {
                    expect(body, step.inputs.len() - 1, step.outputs.len());
                }
            }
            Action::Case { branches } => {
                for &body in branches {
                    expect(body, step.inputs.len() - 1, step.outputs.len());
                }
            }
            Action::While { condition, body } => {
                expect(*condition, step.inputs.len(), 1);
                expect(*body, step.inputs.len(), step.inputs.len());
            }
            _ => {}
        }
    }
    fits[MAIN] = false;
    let mut is_part: Vec<bool> = users
        .iter()
        .zip(fits)
        .map(|(&users, fits)| users == 1 && fits)
        .collect();
    // Either all functions that a node runs, or none.
    for step in bodies.iter().flat_map(|body| &body.steps) {
        if !step.action.bodies().all(|body| is_part[body]) {
            step.action.bodies().for_each(|body| is_part[body] = false);
        }
    }
    is_part
}

/// Returns which parameters of a function are read.
fn parameters_read(body: &Body) -> Vec<bool> {
    let mut read = vec![false; body.parameters];
    let inputs = body.steps.iter().flat_map(|step| &step.inputs);
    for operand in inputs.chain(&body.results) {
        if let Operand::Slot { slot, .. } = *operand
            && let Some(read) = read.get_mut(slot)
        {
            *read = true;
        }
    }
    read
}

/// The replacement of a slot of a part.
#[derive(Clone, Copy)]
enum Place {
    /// A slot; whether its last reader may consume the value.
    Slot {
        slot: usize,
        may_be_taken: bool,
    },
    Constant(usize),
}

/// The continuation of a part.
enum After {
    /// None: it is the function.
    Function,
    /// The next branch, if there is another one. `choice` is the step that jumps to it, and `ends`
    /// are jumps past the last one.
    Branch {
        choice: usize,
        left: Vec<usize>,
        ends: Vec<usize>,
        run: Run,
    },
    /// The body of a loop.
    Condition { head: usize, body: usize, run: Run },
    /// The next iteration.
    Trip { head: usize, leave: usize, run: Run },
}

/// The node that runs a part: for branches its arguments, for loops the slots of the iteration
/// arguments.
struct Run {
    given: Vec<Operand>,
    outputs: Vec<Option<usize>>,
    site: Site,
}

/// A node: its description, and its place in program order.
#[derive(Clone)]
struct Site {
    node: Arc<NodeName>,
    /// The part whose node it is.
    part: usize,
    /// The position in that part.
    position: u32,
}

/// A function that is being moved in.
struct Part {
    number: usize,
    steps: std::vec::IntoIter<Step>,
    results: Vec<Operand>,
    places: Vec<Place>,
    /// The offset of its constants.
    constants: usize,
    after: After,
}

impl Part {
    fn operand(&self, operand: &Operand) -> Operand {
        match *operand {
            Operand::Constant(constant) => Operand::Constant(self.constants + constant),
            Operand::Slot { slot, last } => match self.places[slot] {
                Place::Constant(constant) => Operand::Constant(constant),
                Place::Slot { slot, may_be_taken } => Operand::Slot {
                    slot,
                    last: last && may_be_taken,
                },
            },
        }
    }

    fn operands(&self, operands: &[Operand]) -> Vec<Operand> {
        operands
            .iter()
            .map(|operand| self.operand(operand))
            .collect()
    }

    /// The slots of outputs: slots of the part are slots of the function.
    fn outputs(&self, outputs: &[Option<usize>]) -> Vec<Option<usize>> {
        let place = |slot: usize| match self.places[slot] {
            Place::Slot { slot, .. } => Some(slot),
            Place::Constant(_) => None,
        };
        outputs
            .iter()
            .map(|output| output.and_then(place))
            .collect()
    }
}

struct Flattener<'b> {
    is_part: &'b [bool],
    reads: &'b [Vec<bool>],
    bodies: &'b mut [Option<Body>],
    flat: Body,
    order: Order,
}

impl Flattener<'_> {
    fn function(mut self, number: usize) -> Body {
        let parameters = self.bodies[number]
            .as_ref()
            .map_or(0, |body| body.parameters);
        self.flat.parameters = parameters;
        self.flat.slots = parameters;
        let places = (0..parameters).map(|slot| Place::Slot {
            slot,
            may_be_taken: true,
        });
        let mut stack = vec![self.part(0, number, places.collect(), After::Function)];
        while let Some(mut part) = stack.pop() {
            match part.steps.next() {
                Some(step) => {
                    let inner = self.step(step, &part);
                    stack.push(part);
                    stack.extend(inner);
                }
                None => stack.extend(self.end(part)),
            }
        }
        self.order.rank(&mut self.flat.steps);
        self.flat
    }

    /// Starts to move a function in, whose parameters are `places`.
    fn part(
        &mut self,
        number: usize,
        function: usize,
        mut places: Vec<Place>,
        after: After,
    ) -> Part {
        let body = self.bodies[function].take().unwrap_or_default();
        let constants = self.flat.constants.len();
        self.flat.constants.extend(body.constants);
        let first = self.flat.slots;
        let locals = body.slots - body.parameters;
        self.flat.slots += locals;
        places.extend((first..first + locals).map(|slot| Place::Slot {
            slot,
            may_be_taken: true,
        }));
        Part {
            number,
            steps: body.steps.into_iter(),
            results: body.results,
            places,
            constants,
            after,
        }
    }

    /// Adds a step of a part; returns the part that it runs, if there is one.
    fn step(&mut self, step: Step, part: &Part) -> Option<Part> {
        let inputs = part.operands(&step.inputs);
        let outputs = part.outputs(&step.outputs);
        let site = Site {
            node: step.node,
            part: part.number,
            position: step.rank,
        };
        let is_part = step.action.bodies().next().is_some()
            && step.action.bodies().all(|body| self.is_part[body]);
        if !is_part {
            self.add(step.action, inputs, outputs, &site);
            return None;
        }
        match step.action {
            Action::If { then, otherwise } => {
                let choice = Action::Unless { target: OPEN };
                Some(self.branches(choice, vec![otherwise, then], inputs, outputs, site))
            }
            Action::Case { branches } => {
                let choice = Action::Select {
                    targets: Vec::with_capacity(branches.len()),
                };
                let left = branches.iter().rev().copied().collect();
                Some(self.branches(choice, left, inputs, outputs, site))
            }
            Action::While { condition, body } => {
                let first = self.flat.slots;
                self.flat.slots += inputs.len();
                let carried = (first..self.flat.slots).map(Some).collect();
                self.transfer(inputs, carried, &site);
                let given = (first..self.flat.slots).map(|slot| Operand::Slot { slot, last: true });
                let run = Run {
                    given: given.collect(),
                    outputs,
                    site,
                };
                let places = run
                    .given
                    .iter()
                    .map(|operand| place(*operand, false))
                    .collect();
                let head = self.flat.steps.len();
                let number = self.part_at(&run.site);
                let after = After::Condition { head, body, run };
                Some(self.part(number, condition, places, after))
            }
            _ => None,
        }
    }

    /// Adds the choice between branches, of which the last one of `left` comes first, and starts
    /// that one.
    fn branches(
        &mut self,
        choice: Action,
        left: Vec<usize>,
        mut inputs: Vec<Operand>,
        outputs: Vec<Option<usize>>,
        site: Site,
    ) -> Part {
        let given = inputs.split_off(1);
        let position = self.flat.steps.len();
        self.add(choice, inputs, Vec::new(), &site);
        let run = Run {
            given,
            outputs,
            site,
        };
        self.branch(position, left, Vec::new(), run)
    }

    /// Starts the next branch.
    fn branch(&mut self, choice: usize, mut left: Vec<usize>, ends: Vec<usize>, run: Run) -> Part {
        let here = self.flat.steps.len();
        if let Action::Select { targets } = &mut self.flat.steps[choice].action {
            targets.push(here);
        }
        let function = left.pop().expect("a branch is left");
        let mut dropped = Vec::new();
        let mut places = Vec::new();
        let given = run.given.iter().zip(given_once(&run.given));
        for ((operand, is_given_once), is_read) in given.zip(&self.reads[function]) {
            let is_last = matches!(operand, Operand::Slot { last: true, .. });
            if !is_read && is_last && is_given_once {
                dropped.push(*operand);
            }
            places.push(place(*operand, is_given_once));
        }
        let nowhere = vec![None; dropped.len()];
        self.transfer(dropped, nowhere, &run.site);
        let number = self.part_at(&run.site);
        let after = After::Branch {
            choice,
            left,
            ends,
            run,
        };
        self.part(number, function, places, after)
    }

    /// Returns the number of a new part of a node.
    fn part_at(&mut self, site: &Site) -> usize {
        self.order.add_part(site.part, site.position)
    }

    /// Adds the continuation of a part, and starts the next one of the same node.
    fn end(&mut self, part: Part) -> Option<Part> {
        let results = part.operands(&part.results);
        match part.after {
            After::Function => {
                self.flat.results = results;
                None
            }
            After::Branch {
                choice,
                left,
                mut ends,
                run,
            } => {
                self.transfer(results, run.outputs.clone(), &run.site);
                if left.is_empty() {
                    ends.into_iter().for_each(|jump| self.land(jump));
                    return None;
                }
                ends.push(self.flat.steps.len());
                self.add(
                    Action::Jump { target: OPEN },
                    Vec::new(),
                    Vec::new(),
                    &run.site,
                );
                self.land(choice);
                Some(self.branch(choice, left, ends, run))
            }
            After::Condition { head, body, run } => {
                let leave = self.flat.steps.len();
                self.add(
                    Action::Unless { target: OPEN },
                    results,
                    Vec::new(),
                    &run.site,
                );
                let places = run
                    .given
                    .iter()
                    .map(|operand| place(*operand, true))
                    .collect();
                let number = self.part_at(&run.site);
                Some(self.part(number, body, places, After::Trip { head, leave, run }))
            }
            After::Trip { head, leave, run } => {
                let slots = run.given.iter().filter_map(|operand| match *operand {
                    Operand::Slot { slot, .. } => Some(Some(slot)),
                    Operand::Constant(_) => None,
                });
                self.transfer(results, slots.collect(), &run.site);
                self.add(
                    Action::Jump { target: head },
                    Vec::new(),
                    Vec::new(),
                    &run.site,
                );
                self.land(leave);
                self.transfer(run.given, run.outputs, &run.site);
                None
            }
        }
    }

    fn add(
        &mut self,
        action: Action,
        inputs: Vec<Operand>,
        outputs: Vec<Option<usize>>,
        site: &Site,
    ) {
        let step = self.flat.steps.len();
        self.order.add_step(site.part, site.position, step);
        self.flat.steps.push(Step {
            action,
            inputs: inputs.into(),
            outputs: outputs.into(),
            rank: site.position,
            node: Arc::clone(&site.node),
        });
    }

    /// Moves values into slots, all at once; values without a target are dropped. A value that
    /// stays in its slot is not moved, and so not consumed.
    fn transfer(&mut self, values: Vec<Operand>, slots: Vec<Option<usize>>, site: &Site) {
        let is_at = |operand: &Operand, slot: Option<usize>| matches!(operand, Operand::Slot { slot: from, .. } if Some(*from) == slot);
        let mut stays = vec![];
        for (value, slot) in values.iter().zip(&slots) {
            if is_at(value, *slot) {
                stays.extend(*slot);
            }
        }
        stays.sort_unstable();
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (mut value, slot) in values.into_iter().zip(slots) {
            let is_needed = slot.is_some() || matches!(value, Operand::Slot { last: true, .. });
            if !is_needed || is_at(&value, slot) {
                continue;
            }
            if let Operand::Slot { slot, last } = &mut value {
                *last &= stays.binary_search(slot).is_err();
            }
            inputs.push(value);
            outputs.push(slot);
        }
        if inputs.is_empty() {
            return;
        }
        let mut written: Vec<usize> = outputs.iter().flatten().copied().collect();
        written.sort_unstable();
        let in_order = inputs.iter().all(|input| match input {
            Operand::Slot { slot, .. } => written.binary_search(slot).is_err(),
            Operand::Constant(_) => true,
        });
        self.add(Action::Move { in_order }, inputs, outputs, site);
    }

    /// A jump to the next step.
    fn land(&mut self, jump: usize) {
        let here = self.flat.steps.len();
        match &mut self.flat.steps[jump].action {
            Action::Jump { target } | Action::Unless { target } => *target = here,
            // Its targets are known where its branches start.
            _ => {}
        }
    }
}

/// Returns the replacement of a parameter with an argument.
fn place(operand: Operand, may_be_taken: bool) -> Place {
    match operand {
        Operand::Constant(constant) => Place::Constant(constant),
        Operand::Slot { slot, last } => Place::Slot {
            slot,
            may_be_taken: last && may_be_taken,
        },
    }
}

/// Returns for each operand whether no other one is the same slot.
fn given_once(given: &[Operand]) -> Vec<bool> {
    let slot = |operand: &Operand| match *operand {
        Operand::Slot { slot, .. } => Some(slot),
        Operand::Constant(_) => None,
    };
    let mut slots: Vec<usize> = given.iter().filter_map(slot).collect();
    slots.sort_unstable();
    let is_once = |operand: &Operand| match slot(operand) {
        None => true,
        Some(slot) => {
            let first = slots.partition_point(|&other| other < slot);
            slots.get(first + 1) != Some(&slot)
        }
    };
    given.iter().map(is_once).collect()
}
