//! Functions of a graph that run on several streams of the CPU.
//!
//! ```text
//!   interpreter ──call──► Streamed ──► command list ──► stream 0: kernel, kernel, ...
//!                                      (verified)       stream 1: kernel, wait, kernel, ...
//!                                                          └─ native code, or the interpreter
//! ```
//!
//! `tfx-bufferize-streams` and the passes after it make the schedule, and `tfx-commands` runs it.
//! The command list is decoded and verified when the program is prepared. Arguments are read in
//! place, results are written in place, and everything in between is in an arena.
//!
//! A list with CUDA devices is executed by `tfx-cuda`: kernels with code for devices are launched
//! there, and others run here, on copies of their operands.
//!
//! A kernel without native code, or one that gives up, is interpreted: its operands are copied. If
//! an operation fails, the run on streams ends, and the interpreter runs the function from the
//! start, which reports the failure with its place.

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::AtomicBool},
};

use tfx_commands::{
    CommandList, Executable, Kernels, Memory, Operand, Options, RunError, Verified,
};
use tfx_cuda::{DeviceKernels, Launch};
use tfx_graphdef::proto::GraphDef;
use tfx_interpreter::{
    DType, Program, Shape, Tensor,
    program::{NativeFunction, Natives},
};
use tfx_schedule::Lifetime;

use crate::{
    devices,
    executor::embedded::NoChannels,
    failure::Failure,
    ffi::abi_native::{FILL, Native, OnBytes},
    image::Image,
    injection, stats,
    trace::{ArenaUse, StreamSpans},
};

/// A function of a graph whose arguments and results have known shapes.
#[derive(Debug, PartialEq)]
pub(crate) struct Function {
    /// The name in the command list.
    pub(crate) symbol: String,
    /// The name in the GraphDef.
    pub(crate) name: String,
    pub(crate) arguments: Vec<(DType, Shape)>,
    pub(crate) results: Vec<(DType, Shape)>,
}

/// The description of a function that runs on streams.
#[derive(Debug, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) function: Function,
    pub(crate) commands: Vec<u8>,
    pub(crate) kernels: Vec<Function>,
    /// The code for CUDA devices.
    pub(crate) ptx: Option<String>,
    /// The launches of each kernel, if there is code for devices.
    pub(crate) launches: Vec<Option<Vec<Launch>>>,
}

/// The functions of an image that have native code or a schedule.
pub(crate) struct Prepared<'i> {
    image: &'i Image,
    streamed: BTreeMap<&'i str, Arc<Streamed>>,
}

impl<'i> Prepared<'i> {
    /// Prepares the schedules of an image.
    ///
    /// # Errors
    /// A schedule is damaged, or the checker rejects it.
    pub(crate) fn new(image: &'i Image) -> Result<Self, Failure> {
        let streamed = image.schedules.iter().map(|schedule| {
            let streamed = Streamed::new(image, schedule)?;
            Ok((schedule.function.name.as_str(), Arc::new(streamed)))
        });
        Ok(Self {
            image,
            streamed: streamed.collect::<Result<_, Failure>>()?,
        })
    }
}

impl Natives for Prepared<'_> {
    fn find(&self, function: &str) -> Option<Arc<dyn NativeFunction>> {
        match self.streamed.get(function) {
            Some(streamed) => Some(Arc::clone(streamed) as Arc<dyn NativeFunction>),
            None => self.image.find(function),
        }
    }
}

/// A function that runs on streams.
#[derive(Debug)]
struct Streamed {
    schedule: Arc<Schedule>,
    executor: Executor,
    /// The bytes of its arenas.
    arenas: u64,
}

/// The executor of a list.
#[derive(Debug)]
enum Executor {
    Threads(Executable),
    Devices(tfx_cuda::Executable),
}

/// The reason why a run has no results.
enum Unfinished {
    /// A kernel has failed, which the interpreter reports.
    Kernel,
    Failed(String),
}

impl Streamed {
    fn new(image: &Image, schedule: &Arc<Schedule>) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::new(format!(
                "the schedule of function '{}' is damaged: {error}",
                schedule.function.name
            ))
        };
        let list = CommandList::decode(&schedule.commands).map_err(|error| failed(&error))?;
        let verified = Verified::new(list).map_err(|error| failed(&error))?;
        let graph = image.graph()?;
        let functions = schedule.kernels.iter().enumerate();
        let kernels = functions.map(|(number, function)| {
            let kernel = Kernel::new(image, graph, schedule, number)?;
            let run = move |operands: &mut [Operand<'_>], cancelled: &AtomicBool| {
                kernel.run(operands, cancelled)
            };
            Ok((&function.symbol[..], run))
        });
        let kernels = kernels.collect::<Result<Vec<_>, Failure>>()?;
        let arenas = arena_bytes(&verified);
        let executor = match devices::has_devices(&verified) {
            false => {
                let mut all = Kernels::default();
                for (name, run) in kernels {
                    all.add_fallible(name, run);
                }
                let executable = Executable::new(verified, &all);
                Executor::Threads(executable.map_err(|error| failed(&error))?)
            }
            true => {
                let mut all = DeviceKernels::default();
                for (name, run) in kernels {
                    all.add_host(name, run);
                }
                devices::add_code(schedule, &mut all);
                Executor::Devices(devices::executable(verified, &all)?)
            }
        };
        Ok(Self {
            schedule: Arc::clone(schedule),
            executor,
            arenas,
        })
    }

    fn execute(&self, memory: &mut [Memory<'_>], cancelled: &AtomicBool) -> Result<(), Unfinished> {
        let _arenas = ArenaUse::new(&self.schedule.function.name, self.arenas);
        match &self.executor {
            Executor::Threads(executable) => {
                let mut options = Options {
                    cancelled: Some(cancelled),
                    observer: StreamSpans::observer(&self.schedule.function.name),
                    delays: injection::stream_delays(),
                    is_debug: injection::debugs_streams(),
                    ..Options::default()
                };
                let outcome = executable.run(memory, &mut options);
                outcome.map_err(|error| match error {
                    RunError::Failed { .. } => Unfinished::Kernel,
                    other => Unfinished::Failed(other.to_string()),
                })
            }
            Executor::Devices(executable) => {
                let function = &self.schedule.function.name;
                let outcome = devices::run(executable, memory, cancelled, function);
                outcome.map_err(|error| match error {
                    tfx_cuda::Error::Failed { .. } => Unfinished::Kernel,
                    // Nobody reads the results of a run that is cancelled.
                    tfx_cuda::Error::Cancelled => Unfinished::Kernel,
                    other => Unfinished::Failed(other.to_string()),
                })
            }
        }
    }
}

/// Returns the bytes of the arenas of a list.
fn arena_bytes(verified: &Verified) -> u64 {
    let entry = verified.list().schedule().parts.last();
    let roots = entry.into_iter().flat_map(|entry| &entry.roots);
    let arenas = roots.filter(|root| root.lifetime == Lifetime::Managed);
    arenas.fold(0, |sum, root| sum.saturating_add(root.size))
}

impl NativeFunction for Streamed {
    fn run(
        &self,
        arguments: &[Tensor],
        cancelled: &AtomicBool,
    ) -> Result<Option<Vec<Tensor>>, String> {
        let types = &self.schedule.function.arguments;
        let is_expected = |(argument, (dtype, shape)): (&Tensor, &(DType, Shape))| {
            argument.dtype() == *dtype && argument.shape() == &shape[..]
        };
        if arguments.len() != types.len() || !arguments.iter().zip(types).all(is_expected) {
            stats::STREAMS.count(false);
            return Ok(None);
        }
        let results = self.schedule.function.results.iter();
        let results = results.map(|(dtype, shape)| Tensor::zeros(*dtype, shape));
        let mut results: Vec<Tensor> = results
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        let read = arguments
            .iter()
            .map(|argument| Memory::Read(argument.bytes()));
        let mut memory: Vec<Memory<'_>> = read.collect();
        for result in &mut results {
            let bytes = result.bytes_mut().ok_or("a result is not plain bytes")?;
            if injection::fills_results() {
                bytes.fill(FILL);
            }
            memory.push(Memory::Write(bytes));
        }
        match self.execute(&mut memory, cancelled) {
            Ok(()) => {
                stats::STREAMS.count(true);
                Ok(Some(results))
            }
            Err(Unfinished::Kernel) => {
                stats::STREAMS.count(false);
                Ok(None)
            }
            Err(Unfinished::Failed(reason)) => Err(reason),
        }
    }
}

/// A kernel of a schedule.
struct Kernel {
    native: Option<OnBytes>,
    program: Program,
    schedule: Arc<Schedule>,
    /// Its position among the kernels.
    number: usize,
}

impl Kernel {
    fn new(
        image: &Image,
        graph: &GraphDef,
        schedule: &Arc<Schedule>,
        number: usize,
    ) -> Result<Self, Failure> {
        let function = &schedule.kernels[number];
        let native: Option<&Arc<Native>> = image.natives.functions.get(&function.name);
        let program = Program::of_function(graph, &function.name, image)
            .map_err(|error| Failure::new(error.message).at(error.location.as_deref()))?;
        Ok(Self {
            native: native.and_then(|native| OnBytes::new(native, &function.arguments)),
            program,
            schedule: Arc::clone(schedule),
            number,
        })
    }

    /// Runs the kernel on its arguments and results.
    fn run(&self, operands: &mut [Operand<'_>], cancelled: &AtomicBool) -> Result<(), String> {
        let (mut arguments, mut results) = (Vec::new(), Vec::new());
        for operand in operands {
            match operand {
                Operand::Read(bytes) => arguments.push(*bytes),
                Operand::Write(bytes) => results.push(&mut **bytes),
                // The working memory of the code for devices.
                Operand::Scratch(_) => {}
                Operand::Update(_) => return Err("a kernel updates an operand".to_owned()),
            }
        }
        let run = |native: &OnBytes| native.run(&arguments, &mut results, cancelled);
        let has_run = self.native.as_ref().map_or(Ok(false), run);
        if has_run.map_err(|failure| failure.to_string())? {
            return Ok(());
        }
        self.interpret(&arguments, &mut results, cancelled)
    }

    fn interpret(
        &self,
        arguments: &[&[u8]],
        results: &mut [&mut [u8]],
        cancelled: &AtomicBool,
    ) -> Result<(), String> {
        let function = &self.schedule.kernels[self.number];
        let arguments = arguments.iter().zip(&function.arguments);
        let arguments: Vec<Tensor> = arguments
            .map(|(bytes, (dtype, shape))| Tensor::from_bytes(*dtype, shape, bytes))
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        let values = self.program.run(arguments, &NoChannels, cancelled);
        let values = values.map_err(|error| error.to_string())?;
        let types = &function.results;
        for ((bytes, value), (dtype, shape)) in results.iter_mut().zip(&values).zip(types) {
            let has_type = value.dtype() == *dtype && value.shape() == &shape[..];
            if !has_type || value.bytes().len() != bytes.len() {
                return Err("a kernel returns a tensor of another type".to_owned());
            }
            bytes.copy_from_slice(value.bytes());
        }
        Ok(())
    }
}
