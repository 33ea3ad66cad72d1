//! The state of a run: processes, the graphs that the host started, and their channels.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use tfx_graphdef_mlir::channels;
use tfx_interpreter::Tensor;
use tfx_interpreter::kernels::Philox;
use tfx_ir::Op;

use crate::code::Code;
use crate::counts::{self, Counter, Counts, Tally};
use crate::error::{Error, Failure};
use crate::frame::Frame;
use crate::library::Library;
use crate::taint::{Taint, Transfers};
use crate::translate;
use crate::value::{FunctionId, Number, Value, text};

/// Foreign functions.
pub trait World {
    /// Calls a foreign function; scalars are tensors of rank 0.
    ///
    /// # Errors
    /// The reason why it cannot be called, or has failed.
    fn call(&mut self, name: &str, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, Error>;

    /// Observes a printed line, at its time.
    ///
    /// # Errors
    /// The reason why it cannot be printed.
    fn printed(&mut self, _line: &str) -> Result<(), Error> {
        Ok(())
    }

    /// Observes a call of a foreign function, before it happens.
    ///
    /// # Errors
    /// The reason why it cannot be printed.
    fn called(&mut self, _line: &str) -> Result<(), Error> {
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
    /// True if floating-point operations and the bytes of tapes are counted: see [`Counts`].
    pub count: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            fuel: u64::MAX,
            capacity: None,
            follow: false,
            count: false,
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
    pub steps: u64,
    /// The number of messages, in both directions.
    pub messages: u64,
    /// The sends of the host, if they were traced.
    pub transfers: Transfers<'a>,
    /// The counts, if the limits ask for them.
    pub counts: Counts,
}

/// The end of a program.
#[derive(Debug)]
pub enum End<'a> {
    /// With these values.
    Returned(Vec<Returned<'a>>),
    /// By `abort` or a false `assert`, with its message.
    Aborted(Op<'a>, String),
    /// An operation has no value, such as a division by zero.
    Failed(Failure<'a>),
    /// It exceeded its limit.
    OutOfFuel,
    /// Host and graph do not match: a deadlock, a message that is not received, a value of a wrong
    /// type, a program that is not finished.
    Misfit(Error),
}

impl std::fmt::Display for End<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Returned(results) => {
                let texts: Vec<_> = results.iter().map(ToString::to_string).collect();
                write!(formatter, "returned {}", texts.join(", "))
            }
            End::Aborted(_, message) => write!(formatter, "aborted: {message}"),
            End::Failed(failure) => write!(formatter, "failed: {}", failure.error),
            End::OutOfFuel => write!(formatter, "still running"),
            End::Misfit(why) => write!(formatter, "misfit: {why}"),
        }
    }
}

/// A result with its static type.
#[derive(Debug)]
pub struct Returned<'a> {
    pub(crate) value: Value<'a>,
    pub(crate) number: Option<Number>,
}

impl Returned<'_> {
    /// Returns the result as a tensor, a scalar as one of rank 0; `None` for other values, except
    /// strings.
    pub fn tensor(&self) -> Option<Tensor> {
        self.value.to_tensor(self.number)
    }

    /// Returns the derivative of a dual number, as a tensor; none for a constant.
    pub fn tangent(&self) -> Option<Tensor> {
        self.value.tangent()?.to_tensor(self.number)
    }
}

impl std::fmt::Display for Returned<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&text(&self.value, self.number))
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
    Capacity(usize, u32),
    Message(usize, u32),
    End(usize),
}

/// A thread of control.
#[derive(Default)]
pub(crate) struct Process<'a> {
    pub(crate) frames: Vec<Frame<'a>>,
    /// The program whose graph it runs; none for the host.
    pub(crate) program: Option<usize>,
    /// The event that it waits for before its next step.
    pub(crate) wait: Option<Wait>,
    /// Set once it is over.
    pub(crate) results: Option<Vec<Value<'a>>>,
    /// The reason why it cannot continue: a graph's failure ends the program only where the host
    /// waits for the graph.
    pub(crate) failure: Option<Failure<'a>>,
    /// The state of each operation that draws random numbers: by the address of its code, and its
    /// number there.
    pub(crate) generators: FxHashMap<(usize, usize), Philox>,
    /// The received data and its destinations, if they are traced.
    pub(crate) taint: Option<Box<Taint<'a>>>,
    /// The counts so far, if there are any.
    pub(crate) counter: Option<Box<Counter<'a>>>,
    /// The numbers of frames below the running calls of queues. A queue calls no earlier than its
    /// results are taken, which is indistinguishable from a thread that calls ahead.
    pub(crate) ahead: Vec<usize>,
}

/// The outcome of an instruction.
pub(crate) enum Flow {
    Continue,
    /// A message was sent or received.
    Message,
    Wait(Wait),
    End,
}

impl<'a> Process<'a> {
    /// Creates a process at the start of a function.
    pub(crate) fn new(
        code: Rc<Code<'a>>,
        arguments: Vec<Value<'a>>,
        program: Option<usize>,
    ) -> Self {
        let mut process = Process {
            program,
            ..Process::default()
        };
        process.push(code, arguments);
        process
    }

    /// Traces received data, from the start on.
    pub(crate) fn follow(&mut self) {
        let mut taint = Box::new(Taint::default());
        for frame in &self.frames {
            taint.enter(frame.code.registers, &[], &[], None);
        }
        self.taint = Some(taint);
    }

    /// Returns the traced transfers.
    pub(crate) fn transfers(&mut self) -> Transfers<'a> {
        let taint = self.taint.take();
        taint.map(|taint| taint.finish()).unwrap_or_default()
    }

    pub(crate) fn push(&mut self, code: Rc<Code<'a>>, arguments: Vec<Value<'a>>) {
        self.frames.push(Frame::new(code, arguments));
    }

    /// Returns whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns the next operation.
    pub(crate) fn op(&self) -> Option<Op<'a>> {
        let frame = self.frames.last()?;
        Some(frame.code.instructions.get(frame.next)?.op)
    }
}

pub(crate) struct Machine<'m, 'a> {
    pub(crate) library: &'m Library<'a>,
    pub(crate) world: &'m mut dyn World,
    pub(crate) trace: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) fuel: u64,
    pub(crate) processes: Vec<Process<'a>>,
    pub(crate) programs: Vec<Program<'a>>,
    pub(crate) open_queues: usize,
    pub(crate) steps: u64,
    pub(crate) messages: u64,
    pub(crate) tally: Rc<Tally>,
}

impl<'a> Machine<'_, 'a> {
    /// Adds a process.
    pub(crate) fn spawn(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<'a>>,
        program: Option<usize>,
    ) -> Result<(), End<'a>> {
        let code = translate::code(self.library, function).map_err(End::Failed)?;
        let mut process = Process::new(code, arguments, program);
        if self.limits.count {
            let counter = Counter::new(&self.tally, function, self.library);
            process.counter = Some(Box::new(counter));
        }
        self.processes.push(process);
        Ok(())
    }

    /// Returns the counts of all processes.
    pub(crate) fn counts(&mut self) -> Counts {
        let counters = self.processes.iter_mut();
        let counters = counters.filter_map(|process| process.counter.take());
        counts::sum(counters.map(|counter| *counter), &self.tally)
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
}
