//! The machine that runs a prepared program.
//!
//! ```text
//! stack of frames   main | body of a While | branch of an If        each: slots, next step, what its results are for
//!                                            ^ the top one runs
//! ```
//!
//! A frame that ends passes its results to its caller: outputs of a call or branch, the condition
//! of a loop, or the next values of a loop. Most branches and loops are jumps within a frame
//! (`flatten.rs`). The cancel flag is read before each node, and in each iteration. If a step
//! fails, those that precede it in program order still run (`run/salvage.rs`).
//!
//! As in TensorFlow, each call has its own random generators, as if the function were inlined: the
//! *instance* of a frame identifies the calls through which it runs. It is computed only if a
//! function draws random numbers.

mod salvage;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use self::salvage::Damage;
use super::{Action, Body, Channels, MAIN, Operand, Program, RunError, Step};
use crate::{
    kernels::{Kernel, KernelError, Philox},
    tensor::{Bool, DType, Tensor, TensorError},
};

/// The maximal depth of calls: a graph that recurses indefinitely fails before memory is exhausted.
const MAX_DEPTH: usize = 100_000;

/// The instance of the main frame, and of all frames whose instance does not matter.
const MAIN_INSTANCE: usize = 0;

/// The number of calls that an error names: enough to locate it, and not a page of them in a
/// recursive graph.
const MAX_CALLS: usize = 16;

impl Program {
    /// Runs the program. `cancelled` ends it before its next node; so does a closed channel.
    pub fn run(
        &self,
        arguments: Vec<Tensor>,
        channels: &dyn Channels,
        cancelled: &AtomicBool,
    ) -> Result<Vec<Tensor>, RunError> {
        let mut parameters = arguments;
        parameters.truncate(self.arguments);
        parameters.resize(self.arguments, Tensor::default());
        parameters.extend((0..self.channels.len()).map(Tensor::resource));
        let mut machine = Machine {
            program: self,
            channels,
            cancelled,
            stack: Vec::new(),
            free: vec![Vec::new(); self.bodies.len()],
            lists: Vec::new(),
            inputs: Vec::new(),
            instances: HashMap::new(),
            generators: HashMap::new(),
        };
        machine.push(MAIN, MAIN_INSTANCE, parameters, Purpose::Outputs);
        let outputs = machine.run()?;
        Ok(self
            .results
            .iter()
            .map(|&result| outputs[result].clone())
            .collect())
    }
}

/// The use of a frame's results.
enum Purpose {
    /// Outputs of the step below.
    Outputs,
    /// The condition of the loop below, with these values.
    Condition { values: Vec<Tensor> },
    /// The next values of the loop below.
    Next,
}

struct Frame {
    body: usize,
    instance: usize,
    slots: Vec<Tensor>,
    next: usize,
    purpose: Purpose,
    /// A step failed.
    damage: Option<Box<Damage>>,
}

struct Machine<'a> {
    program: &'a Program,
    channels: &'a dyn Channels,
    cancelled: &'a AtomicBool,
    stack: Vec<Frame>,
    /// By body: slots of frames that ended, to be reused, so that a loop allocates them once.
    free: Vec<Vec<Vec<Tensor>>>,
    /// Empty lists of values, to be reused.
    lists: Vec<Vec<Tensor>>,
    /// The inputs of the running kernel.
    inputs: Vec<Tensor>,
    /// The instances of functions that draw random numbers, by the instance, the function and the
    /// step that run them, and their own function.
    instances: HashMap<(usize, usize, usize, usize), usize>,
    /// By instance and number.
    generators: HashMap<(usize, usize), Philox>,
}

/// The reason why a step failed; the machine adds the node.
enum Stop {
    Cancelled,
    Failed(String),
}

impl From<KernelError> for Stop {
    fn from(error: KernelError) -> Self {
        Stop::Failed(error.0)
    }
}

impl From<crate::TensorError> for Stop {
    fn from(error: crate::TensorError) -> Self {
        Stop::Failed(error.to_string())
    }
}

impl From<super::Closed> for Stop {
    fn from(_: super::Closed) -> Self {
        Stop::Cancelled
    }
}

impl<'a> Machine<'a> {
    fn body(&self, number: usize) -> &'a Body {
        &self.program.bodies[number]
    }

    /// Returns an empty list of values. `put_back` returns it for reuse, so that a loop allocates
    /// none.
    fn list(&mut self) -> Vec<Tensor> {
        self.lists.pop().unwrap_or_default()
    }

    fn put_back(&mut self, mut list: Vec<Tensor>) {
        list.clear();
        self.lists.push(list);
    }

    fn push(
        &mut self,
        body: usize,
        instance: usize,
        mut parameters: Vec<Tensor>,
        purpose: Purpose,
    ) {
        let size = self.body(body).slots;
        let mut slots = self.free[body]
            .pop()
            .unwrap_or_else(|| vec![Tensor::default(); size]);
        for (slot, parameter) in slots.iter_mut().zip(parameters.drain(..)) {
            *slot = parameter;
        }
        self.put_back(parameters);
        self.stack.push(Frame {
            body,
            instance,
            slots,
            next: 0,
            purpose,
            damage: None,
        });
    }

    fn run(&mut self) -> Result<Vec<Tensor>, RunError> {
        self.drive::<false>().map_err(|error| match error {
            RunError::Cancelled => error,
            RunError::Failed { .. } => self.salvage(error),
        })
    }

    /// Runs until the main frame ends or a step fails, which is then the current one of the top
    /// frame.
    fn drive<const IS_SALVAGING: bool>(&mut self) -> Result<Vec<Tensor>, RunError> {
        loop {
            if IS_SALVAGING {
                self.leave_out();
            }
            let Some(frame) = self.stack.last_mut() else {
                return Ok(Vec::new());
            };
            let body = &self.program.bodies[frame.body];
            if let Some(step) = body.steps.get(frame.next) {
                frame.next += 1;
                let done = match &step.action {
                    _ if self.cancelled.load(Ordering::Relaxed) => Err(Stop::Cancelled),
                    Action::Jump { target } => {
                        frame.next = *target;
                        Ok(())
                    }
                    Action::Unless { target } => unless(*target, step, frame, body),
                    Action::Move { in_order: true } => {
                        pass(step, frame, body);
                        Ok(())
                    }
                    Action::Compute(Kernel::Single(compute)) => {
                        read(&step.inputs, frame, body, &mut self.inputs);
                        let output = compute(&mut self.inputs);
                        self.inputs.clear();
                        output
                            .map_err(Stop::from)
                            .map(|output| put(step, frame, output))
                    }
                    Action::Receive => {
                        let received = receive(self.channels, step, frame, body);
                        received.map(|value| put(step, frame, value))
                    }
                    _ => self.step(step, body),
                };
                done.map_err(|stop| self.at(step, stop))?;
                continue;
            }
            let mut results = self.lists.pop().unwrap_or_default();
            read(&body.results, frame, body, &mut results);
            let Some(mut ended) = self.stack.pop() else {
                return Ok(results);
            };
            ended.slots.fill(Tensor::default());
            self.free[ended.body].push(ended.slots);
            let Some(below) = self.stack.last() else {
                return Ok(results);
            };
            let step = &self.body(below.body).steps[below.next - 1];
            self.deliver(step, ended.purpose, results)
                .map_err(|stop| self.at(step, stop))?;
        }
    }

    fn step(&mut self, step: &'a Step, body: &'a Body) -> Result<(), Stop> {
        let mut inputs = self.list();
        let Some(frame) = self.stack.last_mut() else {
            return Ok(());
        };
        read(&step.inputs, frame, body, &mut inputs);
        match &step.action {
            Action::Compute(Kernel::Pure(compute)) => {
                let outputs = compute(&mut inputs)?;
                write(step, frame, outputs);
                self.put_back(inputs);
            }
            Action::Sample {
                generator,
                kernel: Kernel::Random(initial, compute),
            } => {
                let generator = self
                    .generators
                    .entry((frame.instance, *generator))
                    .or_insert_with(|| initial.clone());
                let outputs = compute(generator, &mut inputs)?;
                write(step, frame, outputs);
            }
            // `prepare` pairs kernels with actions.
            Action::Compute(Kernel::Random(..)) | Action::Sample { .. } => {
                return Err(Stop::Failed("a kernel of the wrong kind".into()));
            }
            Action::Send => {
                match &mut inputs[..] {
                    [channel, value] => self
                        .channels
                        .send(channel.resource_number()?, std::mem::take(value))?,
                    _ => return Err(Stop::Failed("a message is one tensor".into())),
                }
                self.put_back(inputs);
            }
            Action::Move { .. } => {
                write(step, frame, inputs.drain(..));
                self.put_back(inputs);
            }
            Action::Select { targets } => {
                frame.next = targets[chosen(&inputs, targets.len())?];
                self.put_back(inputs);
            }
            // `run` executes these.
            Action::Jump { .. }
            | Action::Unless { .. }
            | Action::Receive
            | Action::Compute(Kernel::Single(_)) => {}
            Action::Call { body } => self.enter(*body, inputs, Purpose::Outputs)?,
            Action::Native { code, body } => {
                let outputs = code.run(&inputs, self.cancelled).map_err(Stop::Failed)?;
                if self.cancelled.load(Ordering::Relaxed) {
                    return Err(Stop::Cancelled);
                }
                match outputs {
                    Some(outputs) => {
                        write(step, frame, outputs);
                        self.put_back(inputs);
                    }
                    None => self.enter(*body, inputs, Purpose::Outputs)?,
                }
            }
            Action::If { then, otherwise } => {
                let condition = decision(inputs.first())?;
                inputs.drain(..1);
                self.enter(
                    if condition { *then } else { *otherwise },
                    inputs,
                    Purpose::Outputs,
                )?;
            }
            Action::Case { branches } => {
                let branch = chosen(&inputs, branches.len())?;
                inputs.drain(..1);
                self.enter(branches[branch], inputs, Purpose::Outputs)?;
            }
            Action::While { condition, .. } => {
                self.begin_trip(*condition, inputs)?;
            }
        }
        Ok(())
    }

    /// Evaluates whether a loop continues with these values.
    fn begin_trip(&mut self, condition: usize, values: Vec<Tensor>) -> Result<(), Stop> {
        let mut parameters = self.list();
        parameters.extend_from_slice(&values);
        self.enter(condition, parameters, Purpose::Condition { values })
    }

    /// Returns the error of a step of the top frame.
    fn at(&self, step: &Step, stop: Stop) -> RunError {
        let message = match stop {
            Stop::Cancelled => return RunError::Cancelled,
            Stop::Failed(message) => message,
        };
        let below = self.stack.split_last().map_or(&[][..], |(_, below)| below);
        let calls = below.iter().rev().filter_map(|frame| {
            let step = &self.body(frame.body).steps[frame.next - 1];
            let is_call = matches!(step.action, Action::Call { .. });
            step.node.location.clone().filter(|_| is_call)
        });
        RunError::Failed {
            node: step.node.name.clone(),
            operation: step.node.operation.clone(),
            location: step.node.location.clone(),
            message,
            calls: calls.take(MAX_CALLS).collect(),
        }
    }

    fn enter(
        &mut self,
        body: usize,
        parameters: Vec<Tensor>,
        purpose: Purpose,
    ) -> Result<(), Stop> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(Stop::Failed(format!("calls nest deeper than {MAX_DEPTH}")));
        }
        let expected = self.body(body).parameters;
        if expected != parameters.len() {
            return Err(Stop::Failed(format!(
                "expected {expected} inputs of a function, got {}",
                parameters.len()
            )));
        }
        let instance = self.instance_of(body);
        self.push(body, instance, parameters, purpose);
        Ok(())
    }

    /// Returns the instance of a function that the step of the top frame runs.
    fn instance_of(&mut self, body: usize) -> usize {
        let Some(frame) = self.stack.last().filter(|_| self.body(body).samples) else {
            return MAIN_INSTANCE;
        };
        let key = (frame.instance, frame.body, frame.next, body);
        let next = MAIN_INSTANCE + 1 + self.instances.len();
        *self.instances.entry(key).or_insert(next)
    }

    /// Passes the results of a frame that ended to the step that waits for them.
    fn deliver(
        &mut self,
        step: &'a Step,
        purpose: Purpose,
        mut results: Vec<Tensor>,
    ) -> Result<(), Stop> {
        let Some(frame) = self.stack.last_mut() else {
            return Ok(());
        };
        match (purpose, &step.action) {
            (Purpose::Condition { mut values }, Action::While { body, .. }) => {
                if decision(results.first())? {
                    self.enter(*body, values, Purpose::Next)?;
                } else {
                    write(step, frame, values.drain(..));
                    self.put_back(values);
                }
                self.put_back(results);
            }
            (Purpose::Next, Action::While { condition, .. }) => {
                self.begin_trip(*condition, results)?;
            }
            _ => {
                write(step, frame, results.drain(..));
                self.put_back(results);
            }
        }
        Ok(())
    }
}

/// Returns the value of an operand; the last use moves it out of its slot.
#[inline]
fn value(operand: &Operand, frame: &mut Frame, body: &Body) -> Tensor {
    match *operand {
        Operand::Slot { slot, last: true } => std::mem::take(&mut frame.slots[slot]),
        Operand::Slot { slot, last: false } => frame.slots[slot].clone(),
        Operand::Constant(constant) => body.constants[constant].clone(),
    }
}

/// Collects the values of operands in a list.
fn read(operands: &[Operand], frame: &mut Frame, body: &Body, list: &mut Vec<Tensor>) {
    list.extend(operands.iter().map(|operand| value(operand, frame, body)));
}

/// Moves values into their slots, one after the other.
fn pass(step: &Step, frame: &mut Frame, body: &Body) {
    for (input, output) in step.inputs.iter().zip(&step.outputs) {
        let value = value(input, frame, body);
        if let Some(slot) = *output {
            frame.slots[slot] = value;
        }
    }
}

/// Returns the only output of a step.
fn put(step: &Step, frame: &mut Frame, value: Tensor) {
    if let Some(&Some(slot)) = step.outputs.first() {
        frame.slots[slot] = value;
    }
}

/// Receives a message from the channel that is the first input.
fn receive(
    channels: &dyn Channels,
    step: &Step,
    frame: &Frame,
    body: &Body,
) -> Result<Tensor, Stop> {
    let channel = match step.inputs.first() {
        Some(&Operand::Slot { slot, .. }) => frame.slots[slot].resource_number()?,
        Some(&Operand::Constant(constant)) => body.constants[constant].resource_number()?,
        None => usize::MAX,
    };
    Ok(channels.receive(channel)?)
}

/// Jumps to `target` if a condition is false.
fn unless(target: usize, step: &Step, frame: &mut Frame, body: &Body) -> Result<(), Stop> {
    let condition = step.inputs.first();
    let holds = match condition {
        Some(&Operand::Slot { slot, .. }) => decision(frame.slots.get(slot))?,
        Some(&Operand::Constant(constant)) => decision(body.constants.get(constant))?,
        None => decision(None)?,
    };
    if let Some(&Operand::Slot { slot, last: true }) = condition {
        frame.slots[slot] = Tensor::default();
    }
    if !holds {
        frame.next = target;
    }
    Ok(())
}

/// Returns the branch that the first input selects; the last one if it is out of range, as in
/// TensorFlow.
fn chosen(inputs: &[Tensor], branches: usize) -> Result<usize, Stop> {
    let index = inputs.first().map_or(Ok(0), Tensor::item::<i32>)?;
    let last = branches - 1;
    Ok(usize::try_from(index).map_or(last, |index| index.min(last)))
}

fn write(step: &Step, frame: &mut Frame, values: impl IntoIterator<Item = Tensor>) {
    for (output, value) in step.outputs.iter().zip(values) {
        if let Some(slot) = *output {
            frame.slots[slot] = value;
        }
    }
}

/// Returns the condition of a step.
fn decision(condition: Option<&Tensor>) -> Result<bool, Stop> {
    let condition = condition.ok_or_else(|| Stop::Failed("a condition is missing".into()))?;
    Ok(truth(condition)?)
}

/// Returns the truth value: a scalar that is not zero or empty, or any other tensor that has
/// elements.
///
/// # Errors
/// A resource, which is neither.
pub fn truth(condition: &Tensor) -> Result<bool, TensorError> {
    if condition.rank() > 0 {
        return Ok(condition.elements() > 0);
    }
    Ok(match condition.dtype() {
        DType::Bool => condition.item::<Bool>()?.get(),
        DType::String => condition.strings()?.iter().any(|text| !text.is_empty()),
        DType::F32 => condition.item::<f32>()? != 0.0,
        DType::F64 => condition.item::<f64>()? != 0.0,
        _ => condition.bytes().iter().any(|&byte| byte != 0),
    })
}
