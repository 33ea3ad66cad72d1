//! Processes under a schedule: a host, and the graphs that it starts.
//!
//! ```text
//!   host:    start ── send 0 ─────────────── recv 1 ── finish        step: up to the next message or wait
//!                        └─> [ channel 0 ] ──┐  ▲
//!   graph:               recv 0 ── send 1 ───│──┘                    capacity: messages in a channel
//! ```
//!
//! Nothing inside of a step is observable by other processes, so a schedule of steps selects among
//! all interleavings. Schedules are fair: a graph that would not terminate by itself is ended by
//! its host, as on a real machine. Frames are on an explicit stack, so recursion in the program
//! does not recurse here.

use std::rc::Rc;

use tfx_ir::location;

use crate::error::Error;
use crate::library::Library;
use crate::machine::{Behaviour, End, Flow, Limits, Machine, Process, Returned, Wait, World};
use crate::schedule::Schedule;
use crate::value::{FunctionId, Number, Value};

/// Runs a function with arguments: integers and floats for scalars, tensors for tensors.
pub fn run<'a>(
    library: &Library<'a>,
    function: FunctionId,
    arguments: Vec<Value<'a>>,
    world: &mut dyn World,
    schedule: &mut dyn Schedule,
    limits: Limits,
) -> Behaviour<'a> {
    let mut machine = Machine {
        library,
        world,
        trace: Vec::new(),
        limits,
        fuel: limits.fuel,
        processes: Vec::new(),
        programs: Vec::new(),
        open_queues: 0,
        steps: 0,
        messages: 0,
        tally: Rc::default(),
    };
    let end = machine.run(function, arguments, schedule);
    let end = match end {
        Ok(values) => machine.returned(function, values),
        Err(end) => end,
    };
    let counts = machine.counts();
    let host = machine.processes.first_mut();
    Behaviour {
        counts,
        transfers: host.map(Process::transfers).unwrap_or_default(),
        trace: machine.trace,
        end,
        steps: machine.steps,
        messages: machine.messages,
    }
}

/// The end of a step.
#[derive(PartialEq, Eq)]
enum StepEnd {
    /// A message, a wait, or the end of the process.
    Regular,
    /// The length limit of a step.
    Limit,
}

/// The host among the processes.
const HOST: usize = 0;
/// The number of steps in a row that a schedule may give to one process while another could run:
/// enough to run far ahead, while a graph that would not terminate cannot keep the host from ending
/// it, nor another graph from unblocking the host.
const MAX_STEPS_IN_A_ROW: u32 = 200;
/// The instructions of a step without a message, for the same reason.
const MAX_INSTRUCTIONS: u32 = 2_000;

impl<'a> Machine<'_, 'a> {
    fn run(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<'a>>,
        schedule: &mut dyn Schedule,
    ) -> Result<Vec<Value<'a>>, End<'a>> {
        self.spawn(function, arguments, None)?;
        if self.limits.follow {
            self.processes[HOST].follow();
        }
        let mut ready = Vec::new();
        let (mut last, mut in_a_row) = (HOST, 0);
        // The processes that have used their share of steps; reset when all ready ones have.
        let mut paused: Vec<usize> = Vec::new();
        loop {
            if let Some(results) = self.processes[HOST].results.take() {
                return self.all_is_over().map(|()| results);
            }
            ready.clear();
            ready.extend((0..self.processes.len()).filter(|&process| self.is_ready(process)));
            if ready.is_empty() {
                let mut processes = self.processes.iter();
                let failure = processes.find_map(|process| process.failure.clone());
                return Err(failure.map_or_else(|| End::Misfit(self.deadlock()), End::Failed));
            }
            match ready.iter().all(|process| paused.contains(process)) {
                true => paused.clear(),
                false => ready.retain(|process| !paused.contains(process)),
            }
            let chosen = ready[schedule.pick(&ready)];
            in_a_row = if chosen == last { in_a_row + 1 } else { 1 };
            last = chosen;
            // A single process leaves no choice.
            self.steps += u64::from(self.processes.len() > 1);
            let end = self.step(chosen)?;
            if end == StepEnd::Limit || in_a_row >= MAX_STEPS_IN_A_ROW {
                paused.push(chosen);
                in_a_row = 0;
            }
        }
    }

    /// Runs a process up to its next message, its next wait, or the length limit of a step.
    fn step(&mut self, number: usize) -> Result<StepEnd, End<'a>> {
        // Taken out, so that its instructions may change the machine.
        let mut process = std::mem::take(&mut self.processes[number]);
        process.wait = None;
        let mut left = MAX_INSTRUCTIONS;
        let ended = loop {
            if self.fuel == 0 {
                break Err(End::OutOfFuel);
            }
            self.fuel -= 1;
            left -= 1;
            match process.execute(self) {
                Ok(Flow::Continue) if left > 0 => continue,
                Ok(Flow::Continue) => break Ok(StepEnd::Limit),
                Ok(Flow::Message | Flow::End) => {}
                Ok(Flow::Wait(wait)) => process.wait = Some(wait),
                // The host may no longer need the graph, such as right before an abort.
                Err(End::Failed(failure)) if number != HOST => process.failure = Some(failure),
                Err(end) => break Err(end),
            }
            break Ok(StepEnd::Regular);
        };
        self.processes[number] = process;
        ended
    }

    fn is_ready(&self, process: usize) -> bool {
        let process = &self.processes[process];
        match process.wait {
            _ if process.is_over() || process.failure.is_some() => false,
            None => true,
            Some(Wait::Capacity(program, channel)) => {
                let channel = &self.programs[program].channels[&channel];
                channel.messages.len() < channel.capacity
            }
            Some(Wait::Message(program, channel)) => !self.programs[program].channels[&channel]
                .messages
                .is_empty(),
            Some(Wait::End(program)) => self.processes[self.programs[program].process].is_over(),
        }
    }

    fn deadlock(&self) -> Error {
        let mut text = "deadlock".to_owned();
        for (number, process) in self.processes.iter().enumerate() {
            let name = match number {
                HOST => "the host".to_owned(),
                _ => format!("graph {number}"),
            };
            let waits = match process.wait {
                Some(Wait::Capacity(_, channel)) => format!("capacity of channel {channel}"),
                Some(Wait::Message(_, channel)) => format!("a message on channel {channel}"),
                Some(Wait::End(_)) => "the end of its graph".to_owned(),
                None => continue,
            };
            let place = process.op().and_then(|op| location::place(op.location()));
            let place = place.map(|place| place.to_string());
            text += &format!(
                "; {name} waits for {waits}, at {}",
                place.unwrap_or_default()
            );
        }
        text.into()
    }

    /// Checks, when the host returns, that it closed its queues and that its programs are over.
    fn all_is_over(&self) -> Result<(), End<'a>> {
        if self.open_queues > 0 {
            let message = "the host returns without closing a queue";
            return Err(End::Misfit(message.into()));
        }
        match self.programs.iter().find(|program| !program.is_over) {
            Some(program) => {
                let name = program.graph.symbol_name().unwrap_or_default();
                let message =
                    format!("the host returns without finishing or terminating '@{name}'");
                Err(End::Misfit(message.into()))
            }
            None => Ok(()),
        }
    }

    fn returned(&self, function: FunctionId, values: Vec<Value<'a>>) -> End<'a> {
        let (_, types) = self.library.op(function).signature();
        let results = values.into_iter().zip(types).map(|(value, ty)| Returned {
            value,
            number: Number::of(ty),
        });
        End::Returned(results.collect())
    }
}
