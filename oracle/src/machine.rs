//! Processes under a schedule: a host, and the graphs that it starts.
//!
//! ```text
//!   host:    start ── send 0 ─────────────── recv 1 ── finish        a turn: up to the next message, or up to where it waits
//!                        └─> [ channel 0 ] ──┐  ▲
//!   graph:               recv 0 ── send 1 ───│──┘                    capacity: how many messages a channel holds
//! ```
//!
//! Nothing inside of a step is observable by other processes, so a schedule of steps selects among
//! all interleavings. Schedules are fair: a graph that would not terminate by itself is ended by
//! its host, as on a real machine. Frames are on an explicit stack, so recursion in the program
//! does not recurse here.

use std::collections::VecDeque;

use melior::ir::Location;
use rustc_hash::FxHashMap;
use tfx_graphdef_mlir::channels;
use tfx_interpreter::Tensor;
use tfx_ir::{Op, location};

use crate::library::{FunctionId, Library};
use crate::schedule::Schedule;
use crate::steps::{Flow, Process};
use crate::taint::Transfers;
use crate::translate::Fault;
use crate::value::{Number, Value, text};

/// Foreign functions.
pub trait World {
    /// Calls a foreign function; scalars are tensors of rank 0.
    ///
    /// # Errors
    /// The reason why it cannot be called, or has failed.
    fn call(&mut self, name: &str, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, String>;

    /// Observes a printed line, at its time.
    ///
    /// # Errors
    /// The reason why it cannot be printed.
    fn printed(&mut self, _line: &str) -> Result<(), String> {
        Ok(())
    }

    /// Observes a call of a foreign function, before it happens.
    ///
    /// # Errors
    /// The reason why it cannot be printed.
    fn called(&mut self, _line: &str) -> Result<(), String> {
        Ok(())
    }
}

/// The limits of a run, and the capacity of its channels.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions of all processes together.
    pub fuel: u64,
    /// The capacity of each channel, at least 1; `None`: as declared.
    pub capacity: Option<usize>,
    /// True if data that the host receives is traced to its sends: see [`Transfers`].
    pub follow: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            fuel: u64::MAX,
            capacity: None,
            follow: false,
        }
    }
}

/// The observable behaviour of a program.
#[derive(Debug)]
pub struct Behaviour<'a> {
    /// The trace: printed lines, and each call of a foreign function: `@f(1, 2.5)`.
    pub trace: Vec<String>,
    /// The end.
    pub end: End<'a>,
    /// The number of steps that a process took while others could.
    pub turns: u64,
    /// The number of messages, in both directions.
    pub messages: u64,
    /// The sends of the host, if they were traced.
    pub transfers: Transfers<'a>,
}

/// The end of a program.
#[derive(Debug)]
pub enum End<'a> {
    /// With these values.
    Returned(Vec<Returned<'a>>),
    /// By `abort` or a false `assert`, with its message.
    Aborted(Op<'a>, String),
    /// An operation has no value, such as a division by zero.
    Failed(Fault<'a>),
    /// It exceeded its limit.
    OutOfFuel,
    /// Host and graph do not match: a deadlock, a message that is not received, a value of a wrong
    /// type, a program that is not finished.
    Misfit(String),
}

impl std::fmt::Display for End<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Returned(results) => {
                let texts: Vec<_> = results.iter().map(ToString::to_string).collect();
                write!(formatter, "returned {}", texts.join(", "))
            }
            End::Aborted(_, message) => write!(formatter, "aborted: {message}"),
            End::Failed(fault) => write!(formatter, "failed: {}", fault.message),
            End::OutOfFuel => write!(formatter, "still running"),
            End::Misfit(why) => write!(formatter, "misfit: {why}"),
        }
    }
}

/// A result with its static type.
#[derive(Debug)]
pub struct Returned<'a> {
    value: Value<'a>,
    number: Option<Number>,
}

impl Returned<'_> {
    /// Returns the result as a tensor, a scalar as one of rank 0; `None` for other values, except
    /// strings.
    pub fn tensor(&self) -> Option<Tensor> {
        self.value.to_tensor(self.number)
    }
}

impl std::fmt::Display for Returned<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&text(&self.value, self.number))
    }
}

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
        turns: 0,
        messages: 0,
    };
    let end = machine.run(function, arguments, schedule);
    let end = match end {
        Ok(values) => machine.returned(function, values),
        Err(end) => end,
    };
    let host = machine.processes.first_mut();
    Behaviour {
        transfers: host.map(Process::transfers).unwrap_or_default(),
        trace: machine.trace,
        end,
        turns: machine.turns,
        messages: machine.messages,
    }
}

/// A started graph.
pub(crate) struct Program<'a> {
    pub(crate) process: usize,
    pub(crate) graph: Op<'a>,
    /// By id.
    pub(crate) channels: FxHashMap<u32, Channel<'a>>,
    /// True if it was finished or terminated.
    pub(crate) is_over: bool,
}

/// Messages in flight.
pub(crate) struct Channel<'a> {
    pub(crate) messages: VecDeque<(Value<'a>, Option<Number>)>,
    pub(crate) capacity: usize,
    pub(crate) to_host: bool,
}

/// The event that a process waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    Room(usize, u32),
    Message(usize, u32),
    End(usize),
}

pub(crate) struct Machine<'m, 'a> {
    pub(crate) library: &'m Library<'a>,
    pub(crate) world: &'m mut dyn World,
    pub(crate) trace: Vec<String>,
    limits: Limits,
    pub(crate) fuel: u64,
    pub(crate) processes: Vec<Process<'a>>,
    pub(crate) programs: Vec<Program<'a>>,
    pub(crate) open_queues: usize,
    turns: u64,
    pub(crate) messages: u64,
}

/// The end of a step.
#[derive(PartialEq, Eq)]
enum Turn {
    /// By a message, by the end of the process, or at a wait.
    Ended,
    /// It exceeded the length of a step.
    Spent,
}

/// The host among the processes.
const HOST: usize = 0;
/// The number of steps in a row that a schedule may give to one process while another could run:
/// enough to run far ahead, while a graph that would not terminate cannot keep the host from ending
/// it, nor another graph from unblocking the host.
const MOST_IN_A_ROW: u32 = 200;
/// The instructions of a step without a message, for the same reason.
const MOST_IN_A_TURN: u32 = 2_000;

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
        // Those that had their share, until all that could run had theirs.
        let mut tired: Vec<usize> = Vec::new();
        loop {
            if let Some(results) = self.processes[HOST].results.take() {
                return self.all_is_over().map(|()| results);
            }
            ready.clear();
            ready.extend((0..self.processes.len()).filter(|&process| self.is_ready(process)));
            if ready.is_empty() {
                let fault = self
                    .processes
                    .iter()
                    .find_map(|process| process.fault.clone());
                return Err(fault.map_or_else(|| End::Misfit(self.deadlock()), End::Failed));
            }
            match ready.iter().all(|process| tired.contains(process)) {
                true => tired.clear(),
                false => ready.retain(|process| !tired.contains(process)),
            }
            let chosen = ready[schedule.pick(&ready)];
            in_a_row = if chosen == last { in_a_row + 1 } else { 1 };
            last = chosen;
            // A single process leaves no choice.
            self.turns += u64::from(self.processes.len() > 1);
            let turn = self.turn(chosen)?;
            if turn == Turn::Spent || in_a_row >= MOST_IN_A_ROW {
                tired.push(chosen);
                in_a_row = 0;
            }
        }
    }

    /// Runs a process up to its next message, its next wait, or the length limit of a step.
    fn turn(&mut self, number: usize) -> Result<Turn, End<'a>> {
        // Taken out, so that its instructions may change the machine.
        let mut process = std::mem::take(&mut self.processes[number]);
        process.wait = None;
        let mut left = MOST_IN_A_TURN;
        let ended = loop {
            if self.fuel == 0 {
                break Err(End::OutOfFuel);
            }
            self.fuel -= 1;
            left -= 1;
            match process.step(self) {
                Ok(Flow::On) if left > 0 => continue,
                Ok(Flow::On) => break Ok(Turn::Spent),
                Ok(Flow::Message | Flow::End) => {}
                Ok(Flow::Wait(wait)) => process.wait = Some(wait),
                // The host may no longer need the graph, such as right before an abort.
                Err(End::Failed(fault)) if number != HOST => process.fault = Some(fault),
                Err(end) => break Err(end),
            }
            break Ok(Turn::Ended);
        };
        self.processes[number] = process;
        ended
    }

    /// Adds a process.
    fn spawn(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<'a>>,
        program: Option<usize>,
    ) -> Result<(), End<'a>> {
        let code = self.library.code(function).map_err(End::Failed)?;
        self.processes.push(Process::new(code, arguments, program));
        Ok(())
    }

    /// Starts a graph; returns its number.
    pub(crate) fn start(
        &mut self,
        function: FunctionId,
        inputs: Vec<Value<'a>>,
    ) -> Result<usize, End<'a>> {
        let graph = self.library.op(function);
        let channel = |channel: channels::Channel<'a>| {
            let capacity = self.limits.capacity.unwrap_or(channel.capacity as usize);
            let empty = Channel {
                messages: VecDeque::new(),
                capacity: capacity.max(1),
                to_host: channel.to_host,
            };
            (channel.id, empty)
        };
        let channels = channels::channels(graph).into_iter().map(channel).collect();
        let program = self.programs.len();
        self.programs.push(Program {
            process: self.processes.len(),
            graph,
            channels,
            is_over: false,
        });
        self.spawn(function, inputs, Some(program))?;
        Ok(program)
    }

    fn is_ready(&self, process: usize) -> bool {
        let process = &self.processes[process];
        match process.wait {
            _ if process.is_over() || process.fault.is_some() => false,
            None => true,
            Some(Wait::Room(program, channel)) => {
                let channel = &self.programs[program].channels[&channel];
                channel.messages.len() < channel.capacity
            }
            Some(Wait::Message(program, channel)) => !self.programs[program].channels[&channel]
                .messages
                .is_empty(),
            Some(Wait::End(program)) => self.processes[self.programs[program].process].is_over(),
        }
    }

    fn deadlock(&self) -> String {
        let mut text = "deadlock".to_owned();
        for (number, process) in self.processes.iter().enumerate() {
            let name = match number {
                HOST => "the host".to_owned(),
                _ => format!("graph {number}"),
            };
            let waits = match process.wait {
                Some(Wait::Room(_, channel)) => format!("room in channel {channel}"),
                Some(Wait::Message(_, channel)) => format!("a message on channel {channel}"),
                Some(Wait::End(_)) => "the end of its graph".to_owned(),
                None => continue,
            };
            let place = process.op().map(|op| place_of(op.location()));
            text += &format!(
                "; {name} waits for {waits}, at {}",
                place.unwrap_or_default()
            );
        }
        text
    }

    /// When the host returns, all programs that it started must be over, with no message in flight.
    fn all_is_over(&self) -> Result<(), End<'a>> {
        if self.open_queues > 0 {
            return Err(End::Misfit(
                "the host returns, and has not closed a queue".to_owned(),
            ));
        }
        match self.programs.iter().find(|program| !program.is_over) {
            Some(program) => Err(End::Misfit(format!(
                "the host returns, and has neither finished nor terminated '@{}'",
                program.graph.symbol_name().unwrap_or_default()
            ))),
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

/// `file:line:col`, or empty.
pub(crate) fn place_of(at: Location<'_>) -> String {
    location::place(at).map_or_else(String::new, |place| place.to_string())
}
