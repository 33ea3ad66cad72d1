//! The oracles for one program.
//!
//! ```text
//!   source ─> deabstracted ─> structured ─> partitioned ─> packed ─> legalized ─> LLVM, run
//!     │            │              │             │            │           │         │
//!     └────────────┴──────── the same trace and the same end ┴───────────┴─────────┘
//!                                               └────────────┴───────────┴── under all schedules
//! ```
//!
//! A copy of the packed program also passes the stages for XLA: strip-mined, legalized, clustered.
//! After each stage the module is verified, and read back from text and from bytecode; each stage
//! runs a second time; some programs pass all stages again with threads. Stages with identical IR
//! are skipped. For the partitioned program, copy analysis must report each round trip of an
//! execution: see `copies.rs`. Programs with outlined expressions are compared with the same code
//! in place: see `outlined.rs`.

use anyhow::{Result, anyhow};
use std::collections::HashSet;
use std::fmt;
use std::num::NonZeroUsize;
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::func;

use melior::Context;
use melior::ir::Module;
use tfx::codegen::{has_address_sanitizer, host_vector_bytes};
use tfx::options::{NativeOptions, OffloadTo, PipelineSchedule, StreamsOptions};
use tfx::runtime::{ExecutorKind, injection, parallel};
use tfx::{Program, Source, pipelines};
use tfx_dialects::replicable::is_eager;
use tfx_dialects::schedules::Device;
use tfx_ir::module;
use tfx_oracle::Library;

use crate::bytes::{Target, Verdict};
use crate::compiled::Runner;
use crate::copies;
use crate::counts::Counts;
use crate::derivatives;
use crate::generate::Generated;
use crate::idempotence;
use crate::in_process;
use crate::mismatch::Mismatch;
use crate::order::Order;
use crate::outlined;
use crate::runs::{self, MAIN, Runs, first_difference, first_difference_of_numbers};
use crate::threads;

/// One program in this many has native code whose loops are split into tasks of few iterations.
const SMALL_TASKS_ONE_IN: usize = 2;

/// The cost of these tasks.
const SMALL_TASK_COST: i64 = 4;

/// One program in this many has schedules of all parts of its graphs that can have one, and two if
/// there are copies between places.
const STREAMED_ONE_IN: usize = 3;

/// Returns their options: each operation may be a kernel, even if nothing is saved.
fn schedules(generated: &Generated) -> StreamsOptions {
    let orders = [
        PipelineSchedule::OneForwardOneBackward,
        PipelineSchedule::Gpipe,
        PipelineSchedule::ZeroBubble,
    ];
    StreamsOptions {
        streams: 3,
        streams_gain: 0,
        streams_launch: 0,
        streams_pipeline: orders[generated.text.len() / 8 % orders.len()],
        streams_recompute: (generated.text.len() / 8 / orders.len()).is_multiple_of(2),
        streams_offload: OffloadTo(generated.is_offloaded.then_some(Device::Cuda(0))),
        streams_offload_all: true,
        streams_explain: false,
    }
}

/// One program in this many has buffers with bytes of their own in its schedules. The length of the
/// text is divided first, so that these programs have all other options.
const DEBUGGED_ONE_IN: usize = 2;

/// The number of threads that run tasks.
const THREADS: NonZeroUsize = NonZeroUsize::new(3).expect("it is not 0");

/// One program in this many also runs with threads, which takes a process.
const THREADED_ONE_IN: usize = 16;
/// One program in this many also becomes part of a partly extracted module.
const MIXED_ONE_IN: usize = 3;
/// One program in this many is also called in a process of its own, with closures.
const IN_PROCESS_ONE_IN: usize = 4;
/// One stage in this many is also read back from bytecode.
const BYTECODE_ONE_IN: usize = 4;

/// The last stage that is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Only deabstraction.
    Deabstracted,
    /// Up to structured control flow.
    Structured,
    /// Up to packed messages.
    Partitioned,
    /// All stages.
    #[default]
    All,
}

impl std::str::FromStr for Depth {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "deabstracted" => Depth::Deabstracted,
            "structured" => Depth::Structured,
            "partitioned" => Depth::Partitioned,
            "all" => Depth::All,
            _ => return Err(anyhow!("there is no stage '{text}'")),
        })
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Depth::Deabstracted => "deabstracted",
            Depth::Structured => "structured",
            Depth::Partitioned => "partitioned",
            Depth::All => "all",
        })
    }
}

/// A program, and the behaviour of its source.
struct Reference<'g> {
    generated: &'g Generated,
    /// The behaviour line by line, in canonical order, for each list of arguments.
    expected: Vec<Vec<String>>,
    order: Order,
}

impl Reference<'_> {
    /// Compares the behaviour of compiled code on an executor, line by line, for each list of
    /// arguments. Native code has elementary functions of its own, which round otherwise than those
    /// of the interpreter.
    fn compare(
        &self,
        stage: &str,
        executor: ExecutorKind,
        found: Result<Vec<Vec<String>>>,
    ) -> Result<(), Mismatch> {
        let found = found.map_err(|error| Mismatch::new(stage, error))?;
        let found = found.into_iter().map(|lines| self.order.canonical(lines));
        let mut both = self.expected.iter().zip(found);
        let differs = both.find_map(|(expected, found)| match executor {
            ExecutorKind::Native => first_difference_of_numbers(expected, &found),
            _ => first_difference(expected, &found),
        });
        differs.map_or(Ok(()), |what| Err(Mismatch::new(stage, what)))
    }
}

/// Checks programs that share a context.
pub struct Checker<'c> {
    context: &'c Context,
    runner: Option<&'c Runner>,
    /// The texts of the checked stages of the current program.
    checked: HashSet<String>,
    /// The last stage that is checked.
    pub depth: Depth,
    /// The statistics so far.
    pub counts: Counts,
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Checker")
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl<'c> Checker<'c> {
    /// Creates a checker, which also runs compiled code if there is a runner.
    pub fn new(context: &'c Context, runner: Option<&'c Runner>) -> Self {
        Checker {
            context,
            runner,
            checked: HashSet::new(),
            depth: Depth::All,
            counts: Counts::default(),
        }
    }

    /// Checks only the warnings of copy analysis.
    ///
    /// # Errors
    /// A round trip without a warning.
    pub fn check_copies(&mut self, generated: &Generated) -> Result<(), Mismatch> {
        let mut program = self.parse("source", &generated.text)?;
        let passes = format!(
            "{},{},{}",
            pipelines::DEABSTRACT,
            pipelines::STRUCTURE,
            pipelines::PARTITION
        );
        // A rejected program has no copies; `check` tests for rejections.
        match program.run(&passes) {
            Ok(_) => self.copies(&mut program, generated),
            Err(_) => Ok(()),
        }
    }

    /// Checks only that outlining of expressions changes nothing.
    ///
    /// # Errors
    /// The program differs in behaviour, messages or warnings from the program with the code in
    /// place.
    pub fn check_outlined(&mut self, generated: &Generated) -> Result<(), Mismatch> {
        let Some(in_place) = &generated.in_place else {
            return Ok(());
        };
        let Some(messages) = outlined::check(self.context, generated, in_place)? else {
            self.counts.endless += 1;
            return Ok(());
        };
        self.counts.outlined += 1;
        self.counts.messages += messages;
        Ok(())
    }

    /// Checks the derivatives of a program, and then the derived program with all oracles.
    ///
    /// # Errors
    /// The derivative, or the stage, that differs.
    pub fn check_derivatives(&mut self, generated: &Generated) -> Result<(), Mismatch> {
        let derived = derivatives::check(self.context, generated)?;
        self.counts.derivatives += derived.compared;
        self.check(&derived.generated)
    }

    /// Processes an external input.
    ///
    /// # Errors
    /// A panic or an internal error.
    pub fn check_bytes(&mut self, target: Target, bytes: &[u8]) -> Result<(), Mismatch> {
        let verdict = target
            .try_run(bytes)
            .map_err(|what| Mismatch::new(target.to_string(), what))?;
        self.counts.accepted += u64::from(verdict == Verdict::Accepted);
        self.counts.unreadable += u64::from(verdict == Verdict::Unreadable);
        Ok(())
    }

    fn copies(&mut self, program: &mut Program<'c>, generated: &Generated) -> Result<(), Mismatch> {
        let has_graph = module::as_op(program.module())
            .walk()
            .any(|op| op.isa::<comm::Start>());
        if has_graph {
            self.counts.with_graph += 1;
            self.counts.copies = copies::check(program, generated)?;
        }
        Ok(())
    }

    /// Checks one program with all oracles.
    ///
    /// # Errors
    /// The first stage whose behaviour differs from that of the source.
    pub fn check(&mut self, generated: &Generated) -> Result<(), Mismatch> {
        let mut program = self.parse("source", &generated.text)?;
        let Some(expected) = runs::source_behaviour(module::as_op(program.module()), generated)?
        else {
            self.counts.endless += 1;
            return Ok(());
        };
        let source = &Reference {
            generated,
            expected,
            order: Order::of(&generated.text),
        };
        self.checked.clear();
        self.stage(&mut program, "deabstracted", pipelines::DEABSTRACT, source)?;
        if self.depth == Depth::Deabstracted {
            return Ok(());
        }
        self.stage(&mut program, "structured", pipelines::STRUCTURE, source)?;
        if self.depth == Depth::Structured {
            return Ok(());
        }
        self.stage(&mut program, "partitioned", pipelines::PARTITION, source)?;
        check_placement(&program)?;
        self.copies(&mut program, generated)?;
        idempotence::check_unchanged(&program, "partitioned", pipelines::EXTRACT)?;
        let extracted = Program::new(module::copy(program.module()));
        if generated.text.len().is_multiple_of(MIXED_ONE_IN) {
            self.mixed(&extracted, source)?;
        }
        self.stage(&mut program, "packed", pipelines::PACK, source)?;
        idempotence::check_unchanged(&program, "packed", pipelines::EXTRACT)?;
        if self.depth == Depth::Partitioned {
            return Ok(());
        }
        self.xla_stages(&program, source)?;
        let mut native = self.native_stages(&program, source)?;
        let legalize = format!("{},{}", pipelines::LEGALIZE, pipelines::MERGE_PLACES);
        self.stage(&mut program, "legalized", &legalize, source)?;
        let text = module::as_op(program.module()).to_string();
        idempotence::check_compiled(&extracted, &program, &text)?;
        idempotence::check_functional(&program, &text)?;
        if generated.text.len().is_multiple_of(THREADED_ONE_IN) {
            self.threads(&program, generated)?;
        }
        self.check_outlined(generated)?;
        let Some(runner) = self.runner else {
            return Ok(());
        };
        if generated.text.len().is_multiple_of(IN_PROCESS_ONE_IN) {
            let program = self.parse("in process", &generated.text)?;
            let found = in_process::run(runner, program, &generated.arguments);
            source.compare("in process", runner.executor, found)?;
        }
        match runner.executor {
            ExecutorKind::Native => {
                parallel::set_threads(THREADS);
                injection::fill_results(true);
                let length = generated.text.len();
                injection::delay_streams(Some(length as u64));
                injection::debug_streams((length / 16).is_multiple_of(DEBUGGED_ONE_IN));
                let mut options = native_options();
                if generated.text.len().is_multiple_of(SMALL_TASKS_ONE_IN) {
                    options.native_task_cost = SMALL_TASK_COST;
                }
                compiled(runner, &mut native, &options, source)
            }
            _ => compiled(runner, &mut program, &NativeOptions::default(), source),
        }
    }

    /// Checks a partly extracted module: each function has the behaviour of the source, and the
    /// extracted part is unchanged.
    fn mixed(&mut self, extracted: &Program<'c>, source: &Reference<'_>) -> Result<(), Mismatch> {
        let text = idempotence::mixed_module(extracted, &source.generated.text);
        let mut program = self.parse("mixed", &text)?;
        let failed = |what: String| Mismatch::new("mixed", what);
        program
            .run(pipelines::EXTRACT)
            .map_err(|error| failed(format!("it is rejected: {error}")))?;
        check_placement(&program)?;
        idempotence::check_extracted_unchanged(extracted, &program)?;
        idempotence::check_unchanged(&program, "mixed", pipelines::EXTRACT)?;
        let library = &Library::new(module::as_op(program.module()));
        for entry in idempotence::ENTRIES {
            for (arguments, expected) in source.generated.arguments.iter().zip(&source.expected) {
                let runs = Runs {
                    library,
                    entry,
                    arguments,
                    expected,
                    order: &source.order,
                };
                runs.compare_briefly(&mut self.counts)
                    .map_err(|what| failed(format!("'@{entry}': {what}")))?;
            }
        }
        Ok(())
    }

    /// Checks the stages for XLA on a copy of a packed program.
    fn xla_stages(&mut self, packed: &Program<'c>, source: &Reference<'_>) -> Result<(), Mismatch> {
        let mut copy = Program::new(module::copy(packed.module()));
        for (name, passes) in [
            ("strip-mined", pipelines::STRIP_MINE),
            ("strip-mined and legalized", pipelines::LEGALIZE),
            ("merged places", pipelines::MERGE_PLACES),
            ("clustered", pipelines::CLUSTER_XLA),
        ] {
            self.stage(&mut copy, name, passes, source)?;
        }
        Ok(())
    }

    /// Checks the stages for native code on a copy of a packed program, and returns the copy.
    fn native_stages(
        &mut self,
        packed: &Program<'c>,
        source: &Reference<'_>,
    ) -> Result<Program<'c>, Mismatch> {
        let mut copy = Program::new(module::copy(packed.module()));
        let is_streamed = is_streamed(source.generated);
        let mut first = vec![pipelines::STRIP_MINE, pipelines::LEGALIZE];
        first.extend((!is_streamed).then_some(pipelines::MERGE_PLACES));
        for passes in first {
            copy.run(passes)
                .map_err(|error| Mismatch::new("native", format!("it is rejected: {error}")))?;
        }
        self.stage(
            &mut copy,
            "lists as tensors",
            pipelines::LOWER_LISTS,
            source,
        )?;
        if is_streamed {
            self.stage(
                &mut copy,
                "schedules",
                &pipelines::schedule(&schedules(source.generated)),
                source,
            )?;
        }
        self.stage(
            &mut copy,
            "native clusters",
            pipelines::CLUSTER_NATIVE,
            source,
        )?;
        Ok(copy)
    }

    /// Checks that threads change nothing.
    fn threads(&self, program: &Program<'c>, generated: &Generated) -> Result<(), Mismatch> {
        let failed = |what: String| Mismatch::new("threads", what);
        let text = module::as_op(program.module()).to_string();
        let threaded = threads::legalized(self.context, &generated.text);
        let threaded = threaded.map_err(|error| failed(format!("{error:#}")))?;
        match first_difference(&lines(&text), &lines(&threaded)) {
            Some(what) => Err(failed(what)),
            None => Ok(()),
        }
    }

    fn parse(&self, stage: &str, text: &str) -> Result<Program<'c>, Mismatch> {
        let parsed = Source::new("random.mlir", text).parse(self.context);
        parsed.map_err(|error| Mismatch::new(stage, format!("it does not parse: {error}")))
    }

    /// Runs a stage, and compares its behaviour, unless the IR is identical to an earlier stage.
    fn stage(
        &mut self,
        program: &mut Program<'c>,
        name: &str,
        passes: &str,
        source: &Reference<'_>,
    ) -> Result<(), Mismatch> {
        let failed = |what: String| Mismatch::new(name, what);
        program
            .run(passes)
            .map_err(|error| failed(format!("it is rejected: {error}")))?;
        let text = module::as_op(program.module()).to_string();
        if self.checked.contains(&text) {
            return Ok(());
        }
        self.read_back(program, &text, name)?;
        check_idempotent(program, &text, name, passes)?;
        self.checked.insert(text);
        let library = &Library::new(module::as_op(program.module()));
        for (arguments, expected) in source.generated.arguments.iter().zip(&source.expected) {
            let runs = Runs {
                library,
                entry: MAIN,
                arguments,
                expected,
                order: &source.order,
            };
            runs.compare(&mut self.counts)
                .map_err(|error| Mismatch::new(name, error))?;
        }
        Ok(())
    }

    /// Checks that a module is read back unchanged from text and from bytecode.
    fn read_back(&self, program: &Program<'c>, text: &str, name: &str) -> Result<(), Mismatch> {
        let failed = |what: String| Mismatch::new(name, what);
        let differs = |what: &str, again: &Module<'_>| {
            let again = module::as_op(again).to_string();
            if again == text {
                return Ok(());
            }
            let difference = first_difference(&lines(text), &lines(&again)).unwrap_or_default();
            Err(failed(format!("{what}: {difference}")))
        };
        let parsed = self.parse(name, text)?;
        differs("it prints differently after parsing", parsed.module())?;
        if !text.len().is_multiple_of(BYTECODE_ONE_IN) {
            return Ok(());
        }
        let bytes = module::bytecode(program.module());
        let read = module::parse_bytecode(self.context, &bytes, "random.mlirbc")
            .ok_or_else(|| failed("its bytecode cannot be read".to_owned()))?;
        differs("its bytecode is read back as another program", &read)
    }
}

/// Checks that a second run of a stage changes nothing, except that it may find more sizes. Native
/// clusters whose sizes cannot be planned are undone, and may leave independent operations in
/// another order.
fn check_idempotent(
    program: &Program<'_>,
    text: &str,
    name: &str,
    passes: &str,
) -> Result<(), Mismatch> {
    let again = idempotence::rerun(program, name, passes)?;
    let unchanged = idempotence::check_again(program, text, &again, name, passes);
    if passes != pipelines::CLUSTER_NATIVE || unchanged.is_ok() {
        return unchanged;
    }
    let [mut before, mut after] = [program, &again].map(idempotence::operations);
    before.sort_unstable();
    after.sort_unstable();
    match before == after {
        true => Ok(()),
        false => unchanged,
    }
}

/// Checks that, after partition, tensor operations are in graphs, except for eager operations.
fn check_placement(program: &Program<'_>) -> Result<(), Mismatch> {
    let functions = module::as_op(program.module()).children();
    let mut on_host = functions
        .filter(|op| op.isa::<func::Func>())
        .flat_map(|function| function.walk())
        .filter(|&op| op.isa::<tensor::Op>() && !is_eager(op));
    match on_host.next() {
        Some(op) => Err(Mismatch::new(
            "partitioned",
            format!("a graph operation remains on the host: {op}"),
        )),
        None => Ok(()),
    }
}

/// Returns whether parts of the graphs of a program run on streams.
fn is_streamed(generated: &Generated) -> bool {
    let has_places = generated.text.contains(comm::Copy::NAME);
    match generated.text.len() % STREAMED_ONE_IN {
        _ if generated.is_offloaded => true,
        0 => true,
        1 => has_places,
        _ => false,
    }
}

/// Returns the options for native code of this machine. AddressSanitizer checks the code where the
/// process has it (`make sanitize-native`).
fn native_options() -> NativeOptions {
    NativeOptions {
        native: true,
        native_vectors: host_vector_bytes(),
        native_sanitize: has_address_sanitizer(),
        ..NativeOptions::default()
    }
}

/// Checks the behaviour of compiled code.
fn compiled(
    runner: &Runner,
    program: &mut Program<'_>,
    native: &NativeOptions,
    source: &Reference<'_>,
) -> Result<(), Mismatch> {
    let failed = |what: String| Mismatch::new("compiled", what);
    program
        .run(&pipelines::lower_native("main", native))
        .map_err(|error| failed(format!("it is rejected: {error}")))?;
    idempotence::check_unchanged(program, "compiled", pipelines::COMPILE)?;
    source.compare(
        "compiled",
        runner.executor,
        runner.run(program.module(), &source.generated.arguments),
    )
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}
