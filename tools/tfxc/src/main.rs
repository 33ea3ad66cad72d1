//! `tfxc`: compiles a program and runs it, or builds an executable of it; or runs it as it is.
//!
//! Arguments in, exit code out; everything else is the library's.

mod scalars;

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use melior::Context;
use prost::Message;
use tfx::report::Format;
use tfx::runtime::entry::{self, RunOptions};
use tfx::runtime::{ExecutorKind, Failure};
use tfx::{
    CompileOptions, Compiled, CopyAnalysisOptions, DeabstractOptions, Dynamic, DynamicOptions,
    Emit, Error, ExtractOptions, InferShapesOptions, InliningOptions, Interpretation, Jit, Linking,
    Mode, OptimizationLevel, OptionValue, RuntimeLinkage, Schedule, Shapes, Source, Switch,
    UnrollingOptions, Workshop, XlaOptions, render,
};

/// MLIR's parser, verifier and printer go into nested regions by recursion, and a main thread's usual 8 MiB end at some 4000
/// regions inside each other. Only the part that is used takes memory.
const STACK_BYTES: usize = 1 << 29;

/// Compiles programs that mix host code and TensorFlow graphs.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile a program in memory and run it.
    Run(Run),
    /// Run a program as it is, by the reference interpreter, before any pass or after some.
    Interpret(Interpret),
    /// Build an executable: the graph is inside, TensorFlow is found at run time. Or an object file, assembly, LLVM IR, or the graph alone.
    Build(Build),
    /// Say what a program copies between accelerator and host, and why.
    Report(Report),
}

/// A program, and how it is split.
#[derive(Args)]
struct Program {
    /// The program, as IR; `-` for standard input.
    file: PathBuf,
    /// Make one copy of the body of a loop over a literal array for each element.
    #[arg(long)]
    unroll: bool,
    /// Make recursion whose depth constants bound at most so many functions for a call; 0 leaves it on the host.
    #[arg(long, value_name = "COPIES", default_value_t = 0)]
    unroll_recursion: usize,
    /// What becomes of an operation with an attribute that is not a constant: error, or host, which runs it by itself when its value is known.
    #[arg(long, value_name = "WAY", default_value = "error", value_parser = Dynamic::parse)]
    dynamic: Dynamic,
    /// Inline functions of tensor code alone wherever they are called, instead of keeping them as functions of the graph.
    #[arg(long)]
    inline_all: bool,
    /// Inline functions with tensors that are called at several places up to so many operations; calls of larger ones stay on the host.
    #[arg(long, value_name = "OPERATIONS", default_value_t = InliningOptions::default().inline_limit)]
    inline_limit: u64,
    /// Whose shape functions are asked: builtin, tensorflow (which must be installed), or auto (TensorFlow's where it is installed).
    #[arg(long, value_name = "WHOSE", default_value = "builtin", value_parser = Shapes::parse)]
    shapes: Shapes,
    #[command(flatten)]
    copies: Copies,
}

/// What running and building need beyond that.
#[derive(Args)]
struct Input {
    #[command(flatten)]
    program: Program,
    /// The function to run [default: main, or the only public function].
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Have XLA compile what it can of the graphs, on TensorFlow; loops that are not compiled are named.
    #[arg(long)]
    xla: bool,
    /// With --xla, say of each loop and operation what becomes of it.
    #[arg(long, requires = "xla")]
    xla_explain: bool,
    /// A file with foreign functions (.c, .o, .a or .so); may be repeated.
    #[arg(long, value_name = "FILE")]
    link: Vec<PathBuf>,
    /// Add line tables, by which a debugger shows the source; variables it does not show.
    #[arg(short = 'g')]
    debug: bool,
    /// How much to optimize host code, 0 to 3.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2", value_parser = level)]
    level: OptimizationLevel,
}

/// What is said of copies between accelerator and host.
#[derive(Args)]
struct Copies {
    /// Which copies to warn of: round-trip, host-to-accelerator, all or none.
    #[arg(long = "copies", value_name = "WHICH", default_value = "round-trip", value_parser = Mode::parse)]
    mode: Mode,
    /// Whether --copies=host-to-accelerator and --copies=all warn of scalars: on or off.
    #[arg(long, value_name = "SWITCH", default_value = "on", value_parser = Switch::parse)]
    copy_scalars: Switch,
    /// Take a copy that is warned of as an error.
    #[arg(long = "copy-errors")]
    werror: bool,
    /// Remark on copies one way in loops, and on what both sides compute.
    #[arg(long)]
    remarks: bool,
}

impl Program {
    fn options(&self) -> CompileOptions {
        let extract = ExtractOptions {
            deabstract: DeabstractOptions {
                inlining: InliningOptions {
                    graph_functions: !self.inline_all,
                    inline_limit: self.inline_limit,
                },
                unrolling: UnrollingOptions {
                    unroll: self.unroll,
                    unroll_recursion: self.unroll_recursion,
                },
                attributes: DynamicOptions {
                    dynamic: self.dynamic,
                },
            },
            copies: CopyAnalysisOptions {
                mode: self.copies.mode,
                scalars: self.copies.copy_scalars,
                werror: self.copies.werror,
                remarks: self.copies.remarks,
            },
            shapes: InferShapesOptions {
                shapes: self.shapes,
            },
        };
        CompileOptions {
            extract,
            xla: XlaOptions::default(),
        }
    }
}

impl Input {
    fn options(&self) -> CompileOptions {
        CompileOptions {
            xla: XlaOptions {
                xla: self.xla,
                xla_explain: self.xla_explain,
            },
            ..self.program.options()
        }
    }
}

/// What the function is given, and where its results go.
#[derive(Args)]
struct Data {
    /// A tensor parameter from a NumPy file; may be repeated.
    #[arg(long = "input", value_name = "NAME=FILE.npy", value_parser = assignment)]
    inputs: Vec<(String, PathBuf)>,
    /// A result into a NumPy file instead of onto the screen; may be repeated.
    #[arg(long = "output", value_name = "NAME=FILE.npy", value_parser = assignment)]
    outputs: Vec<(String, PathBuf)>,
    /// The scalar parameters, in order.
    #[arg(value_name = "SCALAR", value_parser = scalars::parse)]
    scalars: Vec<String>,
}

impl Data {
    fn options(&self) -> RunOptions {
        RunOptions {
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            scalars: self.scalars.clone(),
            ..RunOptions::default()
        }
    }
}

#[derive(Args)]
struct Run {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    data: Data,
    /// What runs the graphs: embedded, which needs no TensorFlow; tensorflow; or tensorflow-queues, which needs nothing of ours beside it, and is
    /// slower [default: $TFX_EXECUTOR, or embedded].
    #[arg(long, value_name = "EXECUTOR")]
    executor: Option<ExecutorKind>,
    /// The TensorFlow server that runs the graphs, as grpc://HOST:PORT; operations may name devices of its cluster.
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Say at the end what crossed between host and graph.
    #[arg(long)]
    stats: bool,
}

/// `run` compiles first; here every operation does what its definition says, and host and graph take turns.
#[derive(Args)]
struct Interpret {
    /// The program, as IR at any stage; `-` for standard input.
    file: PathBuf,
    /// The function to run [default: main, or the only public function].
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// A file with foreign functions (.c, .o, .a or .so); may be repeated.
    #[arg(long, value_name = "FILE")]
    link: Vec<PathBuf>,
    #[command(flatten)]
    data: Data,
    /// Give up after so many instructions.
    #[arg(long, value_name = "INSTRUCTIONS")]
    fuel: Option<u64>,
    /// Let each channel hold so many messages [default: as the graph declares].
    #[arg(long, value_name = "MESSAGES", value_parser = capacity)]
    capacity: Option<usize>,
    /// Who goes first where host and graph can both go on: fair, host, graph, or the seed of turns by chance.
    #[arg(long, value_name = "SCHEDULE", default_value = "fair", value_parser = Schedule::parse)]
    schedule: Schedule,
    /// Print each call of a foreign function, too, with its arguments.
    #[arg(long)]
    trace: bool,
}

#[derive(Args)]
struct Build {
    #[command(flatten)]
    input: Input,
    /// What to write.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Artifact::Exe)]
    emit: Artifact,
    /// Where the executable has the runtime: in itself, or in the shared library beside tfxc, at the place where that is now.
    #[arg(long, value_name = "LINKAGE", value_enum, default_value_t = Runtime::Static)]
    runtime: Runtime,
    /// The executable, or what else is written.
    #[arg(short, long, value_name = "PROGRAM")]
    output: PathBuf,
}

/// What `build` writes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Artifact {
    /// An executable.
    Exe,
    /// An object file: host code with the graphs inside, to be linked with the runtime.
    Obj,
    /// Assembly of the same.
    Asm,
    /// LLVM IR of the same, as text.
    Llvm,
    /// The graphs alone, as a binary GraphDef.
    Graphdef,
}

/// Where an executable has the runtime.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Runtime {
    Static,
    Shared,
}

#[derive(Args)]
struct Report {
    #[command(flatten)]
    program: Program,
    /// The form: table, html (a page that needs nothing else) or sarif (2.1.0) [default: by the end of the output's name, or table].
    #[arg(long, value_parser = format)]
    format: Option<Format>,
    /// The file to write; standard output where none is given.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn format(text: &str) -> Result<Format, String> {
    let named = Format::NAMES.iter().find(|(name, _)| *name == text);
    let known = named.map(|(_, format)| *format);
    known.ok_or_else(|| "it is table, html or sarif".to_owned())
}

fn level(text: &str) -> Result<OptimizationLevel, String> {
    let level = text.parse().ok().and_then(OptimizationLevel::new);
    level.ok_or_else(|| "it is 0, 1, 2 or 3".to_owned())
}

fn capacity(text: &str) -> Result<usize, String> {
    let capacity = text.parse().ok().filter(|capacity| *capacity > 0);
    capacity.ok_or_else(|| "it is 1 or more".to_owned())
}

fn assignment(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        _ => Err("it is NAME=FILE.npy".to_owned()),
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(scalars::mark(&Cli::command(), std::env::args_os())) {
        Ok(cli) => cli,
        Err(instead) => return answer(&instead),
    };
    let builder = thread::Builder::new().stack_size(STACK_BYTES);
    thread::scope(|scope| {
        let thread = builder.spawn_scoped(scope, || execute(&cli));
        match thread {
            Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
            // Where memory is limited that tightly, the stack that there is must do.
            Err(_) => execute(&cli),
        }
    })
}

/// Prints what there is instead of a command: help, or what is wrong, which fails as all other errors do.
fn answer(instead: &clap::Error) -> ExitCode {
    let printed = instead.print().is_ok();
    if printed && !instead.use_stderr() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn execute(cli: &Cli) -> ExitCode {
    let file = match &cli.command {
        Command::Run(run) => &run.input.program.file,
        Command::Interpret(interpret) => &interpret.file,
        Command::Build(build) => &build.input.program.file,
        Command::Report(report) => &report.program.file,
    };
    let source = match Source::read(file) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let done = match &cli.command {
        Command::Run(run) => self::run(run, &source),
        Command::Interpret(interpret) => self::interpret(interpret, &source),
        Command::Build(build) => self::build(build, &source),
        Command::Report(report) => self::report(report, &source),
    };
    done.unwrap_or_else(|error| {
        eprint!("{}", render::error(&error, &source));
        ExitCode::FAILURE
    })
}

/// Compiles, and says what there is to say about it.
fn compile<'c>(
    input: &Input,
    source: &Source,
    context: &'c Context,
) -> Result<Compiled<'c>, Error> {
    tfx::prepare(context);
    let mut compiled = source
        .parse(context)?
        .with_options(input.options())
        .compile(input.entry.as_deref())?;
    if input.debug {
        compiled.add_line_tables()?;
    }
    eprint!("{}", render::diagnostics(compiled.diagnostics(), source));
    Ok(compiled)
}

/// All files with foreign functions: those that the program names, then those of the command line.
fn links(input: &Input, compiled: &Compiled<'_>) -> Vec<PathBuf> {
    compiled
        .links()
        .iter()
        .chain(&input.link)
        .cloned()
        .collect()
}

fn run(run: &Run, source: &Source) -> Result<ExitCode, Error> {
    let context = Context::new();
    let compiled = compile(&run.input, source, &context)?;
    let workshop = Workshop::new()?;
    let libraries = workshop.shared_libraries(&links(&run.input, &compiled))?;
    if let Some(missing) = compiled.undefined_functions(&libraries)?.first() {
        return Err(tfx::not_linked(missing));
    }
    let entry_is_there = compiled.has_entry();
    let jit = Jit::new(compiled.module(), &libraries, run.input.level)?;
    if !entry_is_there {
        return Err(tfx::no_entry(source));
    }
    let options = RunOptions {
        executor: run.executor,
        target: run.target.clone(),
        stats: run.stats,
        ..run.data.options()
    };
    finish(entry::run(&jit.entry()?, &options))
}

fn interpret(interpret: &Interpret, source: &Source) -> Result<ExitCode, Error> {
    let context = Context::new();
    tfx::prepare(&context);
    let program = source.parse(&context)?;
    let workshop = Workshop::new()?;
    let links: Vec<_> = program
        .links()
        .iter()
        .chain(&interpret.link)
        .cloned()
        .collect();
    let how = Interpretation {
        entry: interpret.entry.clone(),
        libraries: workshop.shared_libraries(&links)?,
        fuel: interpret.fuel,
        capacity: interpret.capacity,
        schedule: interpret.schedule,
        trace: interpret.trace,
    };
    let Some(entry) = program.interpret(how)? else {
        return Err(tfx::no_entry(source));
    };
    finish(entry::run(&entry, &interpret.data.options()))
}

fn finish(ran: Result<(), Failure>) -> Result<ExitCode, Error> {
    if let Err(failure) = ran {
        eprintln!("{failure}");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn build(build: &Build, source: &Source) -> Result<ExitCode, Error> {
    let context = Context::new();
    let what = match build.emit {
        Artifact::Exe => return executable(build, source, &context),
        Artifact::Graphdef => return graph_def(build, source, &context),
        Artifact::Obj => Emit::Object,
        Artifact::Asm => Emit::Assembly,
        Artifact::Llvm => Emit::LlvmIr,
    };
    let compiled = compile(&build.input, source, &context)?;
    // Others find a program by its entry alone; without one, nothing of it would be left.
    if !compiled.has_entry() {
        return Err(tfx::no_entry(source));
    }
    // LLVM writes as it goes; what is asked for is there when it is whole.
    let workshop = Workshop::new()?;
    let written = workshop.path("program");
    tfx::emit(compiled.module(), &written, what, build.input.level)?;
    let bytes = tfx::read(&written).map_err(|error| Error::new(error.to_string()))?;
    tfx::write(&build.output, &bytes)?;
    Ok(ExitCode::SUCCESS)
}

fn executable(build: &Build, source: &Source, context: &Context) -> Result<ExitCode, Error> {
    let compiled = compile(&build.input, source, context)?;
    if !compiled.has_entry() {
        return Err(tfx::no_entry(source));
    }
    let workshop = Workshop::new()?;
    let object = workshop.path("program.o");
    tfx::emit(compiled.module(), &object, Emit::Object, build.input.level)?;
    workshop.executable(
        &object,
        &links(&build.input, &compiled),
        compiled.foreign(),
        &build.output,
        Linking {
            runtime: match build.runtime {
                Runtime::Static => RuntimeLinkage::Static,
                Runtime::Shared => RuntimeLinkage::Shared,
            },
            debug: build.input.debug,
        },
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The graphs of a program, without its host code.
fn graph_def(build: &Build, source: &Source, context: &Context) -> Result<ExitCode, Error> {
    tfx::prepare(context);
    let mut program = source.parse(context)?.with_options(build.input.options());
    let said = program.compile_graph()?;
    eprint!("{}", render::diagnostics(&said, source));
    tfx::write(&build.output, &program.graph_def()?.encode_to_vec())?;
    Ok(ExitCode::SUCCESS)
}

fn report(command: &Report, source: &Source) -> Result<ExitCode, Error> {
    let by_name = || {
        let end = command.output.as_ref()?.extension()?;
        let of_end = Format::NAMES.iter().find(|(name, _)| end == *name);
        of_end.map(|(_, format)| *format)
    };
    let format = command.format.or_else(by_name).unwrap_or(Format::Table);
    let context = Context::new();
    tfx::prepare(&context);
    let extracted = source
        .parse(&context)
        .and_then(|program| program.with_options(command.program.options()).extract());
    let report = match extracted {
        Ok(extraction) => {
            tfx::report::Report::new(source, extraction.diagnostics, extraction.traffic)
        }
        // What reads SARIF wants to read errors, too; who reads a page or a table is better served without one.
        Err(error) if format == Format::Sarif => tfx::report::Report::of_error(source, error),
        Err(error) => return Err(error),
    };
    let text = report.text(format);
    tfx::report::write(&text, command.output.as_deref())?;
    Ok(match report.has_errors() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}
