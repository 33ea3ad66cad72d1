//! External input as bytes: no input may cause a crash, a hang or a leak.
//!
//! ```text
//!   seed ──sample──> nearly valid bytes ────────run──> accepted or rejected    tfx-fuzz bytes
//!   libFuzzer ─────> bytes that reach new code ──┘                            make fuzz-bytes
//! ```
//!
//! A sample is an input of that kind, taken from a random program (its text at some stage, its
//! bytecode, its GraphDef) and damaged in a few places. Most invalid input of users is nearly
//! valid, whereas the first checks reject random bytes.
//!
//! Both rejection and acceptance are correct, since damage may leave an input valid. Errors are
//! panics, signals, timeouts, and internal errors of tfx. IR that parses is also compiled.
//!
//! Not fixed here: damaged bytecode that crashes MLIR's own reader. Bytecode is read in a separate
//! process, and crashes are counted.

mod arrays;
mod mutate;

use std::cell::RefCell;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::panic;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use melior::Context;
use melior::ir::Module;
use prost::Message;
use tempfile::NamedTempFile;
use tfx::options::Shapes;
use tfx::{ErrorKind, Program, Source, pipelines};
use tfx_graphdef::proto::GraphDef;
use tfx_ir::diag::Collector;
use tfx_ir::{module, pipeline};
use tfx_oracle::Random;

use crate::ffi::process::{self, Ending};
use crate::generate::{Overrides, generate};

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A program as text.
    Ir,
    /// A program as MLIR's bytecode.
    Bytecode,
    /// A textual pass pipeline with options.
    Pipeline,
    /// A GraphDef.
    GraphDef,
    /// A `.npy` file.
    Npy,
    /// The DLPack structure of a tensor that another library lends.
    Dlpack,
}

/// Acceptance of an input, or the reason for its rejection.
pub type Outcome = Result<()>;

/// The outcome of one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    Rejected,
    /// MLIR's own reader crashes.
    Unreadable,
}

impl Target {
    /// All kinds.
    pub const ALL: [Target; 6] = [
        Target::Ir,
        Target::Bytecode,
        Target::Pipeline,
        Target::GraphDef,
        Target::Npy,
        Target::Dlpack,
    ];

    fn name(self) -> &'static str {
        match self {
            Target::Ir => "ir",
            Target::Bytecode => "bytecode",
            Target::Pipeline => "pipeline",
            Target::GraphDef => "graphdef",
            Target::Npy => "npy",
            Target::Dlpack => "dlpack",
        }
    }

    /// Processes an input as the tools do.
    ///
    /// # Errors
    /// The reason for the rejection.
    ///
    /// # Panics
    /// Any outcome that is not correct for any input.
    pub fn run(self, bytes: &[u8]) -> Outcome {
        match self {
            Target::Ir => with_context(|context| {
                let text = String::from_utf8_lossy(bytes);
                let program = Source::new("input.mlir", text).parse(context);
                compiled(program?)
            }),
            Target::Bytecode => with_context(|context| {
                let read = read_bytecode(context, bytes);
                compiled(Program::new(read.context("it is not a module")?))
            }),
            Target::Pipeline => with_context(|context| pipeline(context, bytes)),
            Target::GraphDef => with_context(|context| imported(context, bytes)),
            Target::Npy => arrays::npy(bytes),
            Target::Dlpack => arrays::dlpack(bytes),
        }
    }

    /// [`Target::run`], with panics as errors.
    ///
    /// # Errors
    /// The message of a panic.
    pub(crate) fn try_run(self, bytes: &[u8]) -> Result<Verdict> {
        if self == Target::Bytecode {
            return match read_isolated(bytes)? {
                Isolated::Read(text) => Target::Ir.try_run(&text),
                Isolated::Rejected => Ok(Verdict::Rejected),
                Isolated::Crashed => Ok(Verdict::Unreadable),
            };
        }
        let tried = panic::catch_unwind(|| self.run(bytes));
        let outcome = tried.map_err(|payload| {
            // The context may be in an inconsistent state.
            CONTEXT.take();
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            anyhow!(text.unwrap_or("it panics").to_owned())
        })?;
        Ok(match outcome {
            Ok(()) => Verdict::Accepted,
            Err(_) => Verdict::Rejected,
        })
    }

    /// Returns a nearly valid input.
    pub fn sample(self, seed: u64) -> Vec<u8> {
        let mut random = Random::new(seed);
        random.next_u64();
        let random = &mut random;
        match self {
            Target::Ir => {
                let text = with_context(|context| {
                    let program = program(context, seed, random);
                    module::as_op(program.module()).to_string()
                });
                mutate::text(random, &text).into_bytes()
            }
            Target::Bytecode => {
                let bytes = with_context(|context| {
                    let program = program(context, seed, random);
                    module::bytecode(program.module())
                });
                mutate::bytes(random, bytes)
            }
            Target::Pipeline => {
                let whole = random.pick(&[pipelines::COMPILE, pipelines::EXTRACT]);
                // Creating a context registers the passes.
                let text = with_context(|_| pipeline::print(&format!("builtin.module({whole})")));
                mutate::text(random, &text.expect("a pipeline of tfx")).into_bytes()
            }
            Target::GraphDef => {
                let graph = with_context(|context| graph_def(context, seed));
                mutate::bytes(random, graph.encode_to_vec())
            }
            Target::Npy => arrays::npy_file(random),
            Target::Dlpack => arrays::description(random),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Target::ALL.iter().find(|target| target.name() == text);
        known.copied().ok_or_else(|| {
            let names = Target::ALL.map(Target::name).join(", ");
            anyhow!("there is no kind of input '{text}'; expected one of {names}")
        })
    }
}

/// A multiple of the time to read a small module.
const READER_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of inputs that share a context. A context never frees types and attributes, and
/// creating one takes longer than most inputs do.
const SHARED_BY: usize = 200;

thread_local! {
    static CONTEXT: RefCell<Option<(Context, usize)>> = const { RefCell::new(None) };
}

/// Calls a function with the context of this thread, which does not use threads itself.
fn with_context<T>(work: impl FnOnce(&Context) -> T) -> T {
    CONTEXT.with_borrow_mut(|slot| {
        if slot.as_ref().is_some_and(|(_, uses)| *uses >= SHARED_BY) {
            *slot = None;
        }
        let (context, uses) = slot.get_or_insert_with(|| (crate::context::context(), 0));
        *uses += 1;
        work(context)
    })
}

/// Returns a small program, so that damage is not concentrated at its start.
fn small_program(seed: u64) -> String {
    let overrides: Overrides = "size=40".parse().expect("a known weight");
    generate(seed, &overrides).text
}

fn read_bytecode<'c>(context: &'c Context, bytes: &[u8]) -> Option<Module<'c>> {
    // Diagnostics are discarded.
    let _collector = Collector::new(context);
    module::parse_bytecode(context, bytes, "input.mlirbc")
}

/// The result of reading bytecode in a separate process.
enum Isolated {
    /// The module as text.
    Read(Vec<u8>),
    Rejected,
    /// It crashed, or did not terminate.
    Crashed,
}

/// Reads bytecode in a separate process: MLIR's reader accesses invalid memory on damaged bytecode,
/// which cannot be detected beforehand, so the module is compiled in another process.
fn read_isolated(bytes: &[u8]) -> io::Result<Isolated> {
    let text = NamedTempFile::new()?;
    let read = || {
        with_context(|context| match read_bytecode(context, bytes) {
            Some(module) => {
                print!("{}", module::as_op(&module));
                i32::from(io::stdout().flush().is_err())
            }
            None => REJECTED,
        })
    };
    let ending = process::run(text.path(), Path::new("/dev/null"), READER_TIMEOUT, read)?;
    Ok(match ending {
        Ending::Exit(0) => Isolated::Read(fs::read(text.path())?),
        Ending::Exit(REJECTED) => Isolated::Rejected,
        _ => Isolated::Crashed,
    })
}

/// The exit code of a process that cannot read the module.
const REJECTED: i32 = 2;

/// Returns a random program at a random stage.
fn program<'c>(context: &'c Context, seed: u64, random: &mut Random) -> Program<'c> {
    let source = Source::new("random.mlir", small_program(seed));
    let mut program = source.parse(context).expect("a valid program");
    let stages = [
        pipelines::DEABSTRACT,
        pipelines::STRUCTURE,
        pipelines::PARTITION,
        pipelines::LEGALIZE,
    ];
    let count = random.below(stages.len() + 1);
    if count > 0 {
        // Other checks test whether it is rejected.
        let _ = program.run(&stages[..count].join(","));
    }
    program
}

/// Returns the GraphDef of the first random program, from a seed on, that has a graph.
fn graph_def(context: &Context, seed: u64) -> GraphDef {
    let found = (0..).find_map(|more| {
        // Far from the other seeds, so that neighbouring seeds have different programs.
        const FAR: u64 = 1 << 40;
        let source = Source::new("random.mlir", small_program(seed.wrapping_add(more * FAR)));
        let mut program = source.parse(context).ok()?;
        program.compile_graph().ok()?;
        program.graph_def().ok()
    });
    found.expect("some program has a graph")
}

/// Compiles a program to the LLVM dialect.
fn compiled(program: Program<'_>) -> Outcome {
    program.compile(None).map(|_| ()).map_err(rejection)
}

/// Returns the message of a rejection, which must not be an internal error.
fn rejection(error: tfx::Error) -> anyhow::Error {
    assert_ne!(error.kind(), ErrorKind::Internal, "a bug in tfx: {error}");
    error.into()
}

/// Parses a pipeline, and runs it on a small program.
fn pipeline(context: &Context, bytes: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(bytes);
    pipeline::print(&text)?;
    let source = Source::new("program.mlir", PROGRAM);
    let mut program = source.parse(context).expect("a valid program");
    program.run(&text)?;
    Ok(())
}

/// A loop whose host code and tensor code depend on each other, so that each pass has something to
/// do.
const PROGRAM: &str = "
func.func private @host(i32) -> i1
func.func @main(%count: i32, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %x : i32, tensor<4xf32>)
^head(%i: i32, %y: tensor<4xf32>):
  %more = arith.cmpi slt, %i, %count : i32
  cf.cond_br %more, ^body, ^end
^body:
  %z = tfx_tensor.op \"Mul\"(%y, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %go = func.call @host(%i) : (i32) -> i1
  %next = arith.addi %i, %one : i32
  cf.cond_br %go, ^head(%next, %z : i32, tensor<4xf32>), ^end
^end:
  return %y : tensor<4xf32>
}
";

/// Imports a GraphDef as `tfx-translate` does.
fn imported(context: &Context, bytes: &[u8]) -> Outcome {
    let graph = GraphDef::decode(bytes)?;
    Program::import(context, &graph, &[], Shapes::Builtin)
        .map(|_| ())
        .map_err(rejection)
}
