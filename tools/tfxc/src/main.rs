//! `tfxc`: compiles and runs a program, builds an executable, interprets IR, reports and explains
//! copies, or creates a project.
//!
//! This file parses the command line; the library `tfx` does the work.

mod output;
mod progress;
mod python;
mod scalars;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::thread;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use melior::Context;
use prost::Message;
use tfx::codegen::{
    BuildFolder, Cache, CachedProgram, Emit, Jit, Linking, OptimizationLevel, RuntimeLinkage,
};
use tfx::explain::{self, Target};
use tfx::interpret::{Interpretation, Schedule};
use tfx::options::{CompileOptions, ExtractOptions, NativeOptions, StreamsOptions, XlaOptions};
use tfx::program::Compiled;
use tfx::report::Format;
use tfx::runtime::entry::{self, RunOptions};
use tfx::runtime::ffi::signals;
use tfx::runtime::{ExecutorKind, Failure, parallel};
use tfx::{Error, ErrorKind, Source};
use tfx_cli::{OptionArgs, streams};

use crate::output::Task;
use crate::progress::Progress;

/// The name of the tool, for completions and manual pages.
const NAME: &str = "tfxc";

/// MLIR's parser, verifier and printer recurse into nested regions: the 8 MiB of a main thread
/// suffice for about 4000 nested regions. Only the part that is used takes memory.
const STACK_BYTES: usize = 1 << 29;

/// Compiles programs that mix host code and TensorFlow graphs.
#[derive(Parser)]
#[command(version = tfx::VERSION)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print diagnostics as JSON, one object per line; `report` then also prints its data as JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Compile a program in memory and run it.
    Run(Run),
    /// Run IR of any stage with the reference interpreter.
    Interpret(Interpret),
    /// Build an executable that contains the graph and loads TensorFlow at run time; or an object
    /// file, assembly, LLVM IR, or the graph alone.
    Build(Build),
    /// Report the copies between accelerator and host, and their reasons; with --streams, also the
    /// schedules of the graphs.
    Report(Report),
    /// Explain why an operation is on the host, in the graph or on both sides, and in which copies
    /// it takes part.
    Explain(Explain),
    /// Create a project in a new folder: a program with foreign functions in C and in Rust, a
    /// Makefile, and a test.
    New(New),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Print the manual page, or write the pages of all commands into a folder.
    Man(Man),
}

/// The program, and the options of its extraction.
#[derive(Args)]
struct Program {
    /// The program, as IR; `-` for standard input.
    file: PathBuf,
    #[command(flatten)]
    extract: OptionArgs<ExtractOptions>,
}

/// The input of `report` and `explain`.
#[derive(Args)]
struct Analyzed {
    #[command(flatten)]
    program: Program,
    /// The function with @tfx.program, if the program is a file in Python [default: the only one].
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
}

impl Analyzed {
    /// Returns the program.
    ///
    /// # Errors
    /// It is not a program.
    fn parse<'c>(&self, context: &'c Context, source: &Source) -> Result<tfx::Program<'c>, Error> {
        let program = match (python::is_python(source), &self.entry) {
            (true, entry) => python::parse(context, source, entry.as_deref())?,
            (false, None) => source.parse(context)?,
            (false, Some(_)) => {
                let message = "--entry is for programs in Python: all functions of IR are analyzed";
                return Err(Error::new(ErrorKind::Argument, message));
            }
        };
        Ok(program.with_options(self.program.options()))
    }
}

/// The input of `run` and `build`.
#[derive(Args)]
struct Input {
    #[command(flatten)]
    program: Program,
    /// The function to run [default: main, or the only public function].
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    #[command(flatten)]
    xla: OptionArgs<XlaOptions>,
    #[command(flatten)]
    native: OptionArgs<NativeOptions>,
    #[command(flatten)]
    streams: OptionArgs<StreamsOptions>,
    /// A file with foreign functions (.c, .o, .a or .so); may be repeated.
    #[arg(long, value_name = "FILE")]
    link: Vec<PathBuf>,
    /// Add line tables: a debugger shows source lines, but no variables.
    #[arg(short = 'g')]
    debug: bool,
    /// The optimization level of host code, 0 to 3.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "2", value_parser = level)]
    level: OptimizationLevel,
}

impl Program {
    fn options(&self) -> CompileOptions {
        CompileOptions {
            extract: self.extract.get().clone(),
            xla: XlaOptions::default(),
            native: NativeOptions::default(),
            streams: StreamsOptions::default(),
        }
    }
}

impl Input {
    /// Returns the options. `native` is the default of `--native`, unless XLA compiles the graphs.
    fn options(&self, native: bool) -> Result<CompileOptions, Error> {
        let xla = self.xla.get().clone();
        if xla.xla_explain && !xla.xla {
            let message = "--xla-explain has no effect without --xla: add --xla";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let compiles = match self.native.has("native") {
            true => self.native.get().native,
            false => native && !xla.xla,
        };
        Ok(CompileOptions {
            xla,
            native: NativeOptions {
                native: compiles,
                ..self.native.get().clone()
            },
            streams: self.streams.get().clone(),
            ..self.program.options()
        })
    }
}

/// The arguments of the function, and the destinations of its results.
#[derive(Args)]
struct Data {
    /// Read a tensor parameter from a NumPy file; may be repeated.
    #[arg(long = "input", value_name = "NAME=FILE.npy", value_parser = assignment)]
    inputs: Vec<(String, PathBuf)>,
    /// Write a result to a NumPy file instead of printing it; may be repeated.
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
    /// The executor of the graphs: native, which runs them as machine code, and by an interpreter
    /// where they have none; embedded, which is the interpreter alone; tensorflow; or
    /// tensorflow-queues, which is slower and needs no shim of tfx [default: $TFX_EXECUTOR, or
    /// native].
    #[arg(long, value_name = "EXECUTOR")]
    executor: Option<ExecutorKind>,
    /// The TensorFlow server that runs the graphs, as grpc://HOST:PORT; operations may name devices
    /// of its cluster.
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// The number of threads that run the native code of a graph; it does not change the results
    /// [default: $TFX_THREADS, or one for each processor].
    #[arg(long, value_name = "N", value_parser = parallel::parse_threads)]
    threads: Option<NonZeroUsize>,
    /// Print statistics of the messages between host and graph at the end.
    #[arg(long)]
    stats: bool,
}

/// The reference interpreter executes each operation according to its definition, and interleaves
/// the steps of host and graph. `run` compiles the program first.
#[derive(Args)]
struct Interpret {
    /// The program, as IR of any stage; `-` for standard input.
    file: PathBuf,
    /// The function to run [default: main, or the only public function].
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// A file with foreign functions (.c, .o, .a or .so); may be repeated.
    #[arg(long, value_name = "FILE")]
    link: Vec<PathBuf>,
    #[command(flatten)]
    data: Data,
    /// Stop after this number of instructions.
    #[arg(long, value_name = "INSTRUCTIONS")]
    fuel: Option<u64>,
    /// The capacity of each channel, in messages [default: as the graph declares].
    #[arg(long, value_name = "MESSAGES", value_parser = capacity)]
    capacity: Option<usize>,
    /// The order of the steps of host and graph: fair, host (first), graph (first), or the seed of
    /// a random schedule.
    #[arg(long, value_name = "SCHEDULE", default_value = "fair", value_parser = Schedule::parse)]
    schedule: Schedule,
    /// Print each call of a foreign function, with its arguments.
    #[arg(long)]
    trace: bool,
    /// Print the floating-point operations of each function at the end, and the bytes of the tapes
    /// that derivatives keep.
    #[arg(long)]
    stats: bool,
}

#[derive(Args)]
struct Build {
    #[command(flatten)]
    input: Input,
    /// The kind of output.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Artifact::Exe)]
    emit: Artifact,
    /// The linkage of the runtime: static; or shared, which loads the library from its current
    /// path, next to tfxc.
    #[arg(long, value_name = "LINKAGE", value_enum, default_value_t = Runtime::Static)]
    runtime: Runtime,
    /// The executable or other output file; `-` for standard output.
    #[arg(short, long, value_name = "PROGRAM")]
    output: PathBuf,
}

/// The output of `build`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Artifact {
    /// An executable.
    Exe,
    /// An object file: host code that contains the graphs, for linking with the runtime.
    Obj,
    /// The same as assembly.
    Asm,
    /// The same as LLVM IR, in text form.
    Llvm,
    /// The graphs alone, as a binary GraphDef.
    Graphdef,
}

/// The linkage of the runtime.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Runtime {
    Static,
    Shared,
}

#[derive(Args)]
struct Report {
    #[command(flatten)]
    input: Analyzed,
    #[command(flatten)]
    streams: OptionArgs<StreamsOptions>,
    /// The format: table, html (a self-contained page), json, or sarif (2.1.0) [default: the
    /// extension of the output, or table].
    #[arg(long, value_parser = format)]
    format: Option<Format>,
    /// The file to write; `-` for standard output [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Args)]
struct Explain {
    /// The line of the operation, or its line and column: 12 or 12:8.
    #[arg(value_name = "PLACE")]
    target: Target,
    #[command(flatten)]
    input: Analyzed,
}

#[derive(Args)]
struct New {
    /// The folder to create; its name is that of the project.
    #[arg(value_name = "NAME")]
    folder: PathBuf,
}

#[derive(Args)]
struct Completions {
    /// The shell.
    shell: Shell,
}

#[derive(Args)]
struct Man {
    /// The folder for tfxc.1, tfxc-run.1 and so on [default: print tfxc.1].
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

fn format(text: &str) -> Result<Format, String> {
    let named = Format::NAMES.iter().find(|(name, _)| *name == text);
    let known = named.map(|(_, format)| *format);
    known.ok_or_else(|| "expected table, html, json or sarif".to_owned())
}

fn level(text: &str) -> Result<OptimizationLevel, String> {
    let level = text.parse().ok().and_then(OptimizationLevel::new);
    level.ok_or_else(|| "expected 0, 1, 2 or 3".to_owned())
}

fn capacity(text: &str) -> Result<usize, String> {
    let capacity = text.parse().ok().filter(|capacity| *capacity > 0);
    capacity.ok_or_else(|| "expected 1 or more".to_owned())
}

fn assignment(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        _ => Err("expected NAME=FILE.npy".to_owned()),
    }
}

fn main() -> ExitCode {
    streams::start();
    let cli = match Cli::try_parse_from(scalars::mark(&Cli::command(), std::env::args_os())) {
        Ok(cli) => cli,
        Err(instead) => return streams::answer(&instead),
    };
    signals::before_signal(tfx::files::remove_temporary_folders);
    let builder = thread::Builder::new().stack_size(STACK_BYTES);
    thread::scope(|scope| {
        let thread = builder.spawn_scoped(scope, || execute(&cli));
        match thread {
            Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
            // If memory is limited too tightly for that, the current stack must suffice.
            Err(_) => execute(&cli),
        }
    })
}

fn execute(cli: &Cli) -> ExitCode {
    let on_program = |file: &Path, outputs: Vec<&Path>, command: &dyn Fn(&Task) -> Done| {
        on_program(cli.json, file, outputs, command)
    };
    let on_ir = |file: &Path, outputs: Vec<&Path>, command: &dyn Fn(&Task) -> Done| {
        on_program(
            file,
            outputs,
            &|task| match python::is_python(&task.source) {
                true => Err(python::runs_in_python(&task.source)),
                false => command(task),
            },
        )
    };
    match &cli.command {
        Command::Run(command) => {
            let outputs = results(&command.data);
            on_ir(&command.input.program.file, outputs, &|task| {
                run(command, task)
            })
        }
        Command::Interpret(command) => {
            let outputs = results(&command.data);
            on_ir(&command.file, outputs, &|task| interpret(command, task))
        }
        Command::Build(command) => {
            let outputs = vec![command.output.as_path()];
            on_ir(&command.input.program.file, outputs, &|task| {
                build(command, task)
            })
        }
        Command::Report(command) => {
            let outputs = command.output.iter().map(PathBuf::as_path).collect();
            on_program(&command.input.program.file, outputs, &|task| {
                report(command, task)
            })
        }
        Command::Explain(command) => on_program(&command.input.program.file, Vec::new(), &|task| {
            explain(command, task)
        }),
        Command::New(command) => without_program(cli.json, tfx::starter::create(&command.folder)),
        Command::Completions(command) => without_program(cli.json, completions(command)),
        Command::Man(command) => without_program(cli.json, man(command)),
    }
}

/// The outcome of a command.
type Done = Result<ExitCode, Error>;

/// Reads a program, and runs a command that writes `outputs`.
fn on_program(
    json: bool,
    file: &Path,
    outputs: Vec<&Path>,
    command: &dyn Fn(&Task) -> Done,
) -> ExitCode {
    let source = match Source::read(file) {
        Ok(source) => source,
        Err(error) => return without_program(json, Err(error)),
    };
    let task = Task { source, json };
    let done = outputs
        .into_iter()
        .try_for_each(|output| tfx::files::check_output(output, [file]))
        .and_then(|()| command(&task));
    done.unwrap_or_else(|error| task.fail(error))
}

/// Reports an error that is not about a program.
fn without_program(json: bool, done: Result<(), Error>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let source = Source::new("", "");
            Task { source, json }.fail(error)
        }
    }
}

/// Returns the files of the results.
fn results(data: &Data) -> Vec<&Path> {
    data.outputs
        .iter()
        .map(|(_, path)| path.as_path())
        .collect()
}

/// Compiles a program with these options, and prints its diagnostics.
fn compile<'c>(
    input: &Input,
    options: CompileOptions,
    task: &Task,
    context: &'c Context,
) -> Result<Compiled<'c>, Error> {
    let progress = Progress::start();
    let program = parse(options, task, context)?;
    compile_parsed(program, progress, input, task)
}

/// Parses a program with these options.
fn parse<'c>(
    options: CompileOptions,
    task: &Task,
    context: &'c Context,
) -> Result<tfx::Program<'c>, Error> {
    tfx::prepare(context);
    Ok(task.source.parse(context)?.with_options(options))
}

fn compile_parsed<'c>(
    program: tfx::Program<'c>,
    progress: Progress,
    input: &Input,
    task: &Task,
) -> Result<Compiled<'c>, Error> {
    let mut compiled = program.compile(input.entry.as_deref())?;
    if input.debug {
        compiled.add_line_tables()?;
    }
    drop(progress);
    task.print(compiled.diagnostics());
    Ok(compiled)
}

/// Returns all files with foreign functions: first those that the program lists, then those of the
/// command line.
fn links(input: &Input, compiled: &Compiled<'_>) -> Vec<PathBuf> {
    compiled
        .links()
        .iter()
        .chain(&input.link)
        .cloned()
        .collect()
}

fn run(run: &Run, task: &Task) -> Done {
    let context = Context::new();
    let is_native =
        run.target.is_none() && ExecutorKind::choose(run.executor)? == ExecutorKind::Native;
    let mut options = run.input.options(is_native)?;
    options.native.for_this_machine();
    if is_native {
        options.native.check_process()?;
    }
    let progress = Progress::start();
    let program = parse(options, task, &context)?;
    // Line tables name source lines, which the keys of the cache do not.
    let cache = Cache::of_user().filter(|_| !run.input.debug);
    let whole = cache
        .as_ref()
        .filter(|_| program.links().is_empty() && run.input.link.is_empty())
        .and_then(|cache| {
            let entry = run.input.entry.as_deref();
            CachedProgram::of_run(cache, &program, entry, run.input.level)
        });
    let found = whole.as_ref().map(CachedProgram::find).transpose()?;
    let jit = match found.flatten() {
        Some(found) => {
            drop(progress);
            task.print(&found.diagnostics);
            found.jit
        }
        None => compiled_code(program, progress, run, task, cache.as_ref(), whole)?,
    };
    if run.stats {
        eprint!("{}", jit.counts());
    }
    let options = RunOptions {
        executor: run.executor,
        threads: run.threads,
        target: run.target.clone(),
        stats: run.stats,
        ..run.data.options()
    };
    finish(entry::run(&jit.entry()?, &options), task)
}

/// Compiles a program, loads its libraries, and adds it to the cache.
fn compiled_code(
    program: tfx::Program<'_>,
    progress: Progress,
    run: &Run,
    task: &Task,
    cache: Option<&Cache>,
    whole: Option<CachedProgram<'_>>,
) -> Result<Jit, Error> {
    let compiled = compile_parsed(program, progress, &run.input, task)?;
    // The libraries are loaded, and the program may end the process in any way.
    let build_folder = BuildFolder::new()?;
    let libraries = build_folder.shared_libraries(&links(&run.input, &compiled))?;
    if let Some(missing) = compiled.undefined_functions(&libraries)?.first() {
        return Err(tfx::program::not_linked(missing));
    }
    if !compiled.has_entry() {
        return Err(tfx::program::no_entry(&task.source));
    }
    let progress = Progress::start();
    let jit = Jit::with_cache(compiled.module(), &libraries, run.input.level, cache)?;
    drop(progress);
    if let Some(whole) = whole {
        whole.add(&compiled, &jit);
    }
    Ok(jit)
}

fn interpret(interpret: &Interpret, task: &Task) -> Done {
    let context = Context::new();
    tfx::prepare(&context);
    let program = task.source.parse(&context)?;
    let links: Vec<_> = program
        .links()
        .iter()
        .chain(&interpret.link)
        .cloned()
        .collect();
    let libraries = BuildFolder::new()?.into_libraries(&links)?;
    let counts = interpret.stats.then(Rc::default);
    let how = Interpretation {
        counts: counts.clone(),
        entry: interpret.entry.clone(),
        libraries: libraries.paths().to_vec(),
        fuel: interpret.fuel,
        capacity: interpret.capacity,
        schedule: interpret.schedule,
        trace: interpret.trace,
    };
    let Some(entry) = program.interpret(how)? else {
        return Err(tfx::program::no_entry(&task.source));
    };
    let ran = entry::run(&entry, &interpret.data.options());
    if let Some(counts) = counts {
        eprint!("{}", counts.borrow());
    }
    finish(ran, task)
}

fn finish(ran: Result<(), Failure>, task: &Task) -> Done {
    match ran {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(failure) if task.json => Err(failure.into()),
        Err(failure) => {
            eprintln!("{failure}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn build(build: &Build, task: &Task) -> Done {
    let context = Context::new();
    let what = match build.emit {
        Artifact::Exe => return executable(build, task, &context),
        Artifact::Graphdef => return graph_def(build, task, &context),
        Artifact::Obj => Emit::Object,
        Artifact::Asm => Emit::Assembly,
        Artifact::Llvm => Emit::LlvmIr,
    };
    let compiled = compile(&build.input, build.input.options(true)?, task, &context)?;
    // The entry is the only symbol that other code refers to; without an entry, nothing would
    // remain of the program.
    if !compiled.has_entry() {
        return Err(tfx::program::no_entry(&task.source));
    }
    // LLVM writes incrementally, so the output is moved to its destination once it is complete.
    let build_folder = BuildFolder::new()?;
    let written = build_folder.path("program");
    let progress = Progress::start();
    tfx::codegen::emit(compiled.module(), &written, what, build.input.level)?;
    drop(progress);
    let bytes = tfx::files::read(&written)?;
    // A broken pipe may end the process below.
    drop(build_folder);
    tfx::files::write(&build.output, &bytes)?;
    Ok(ExitCode::SUCCESS)
}

fn executable(build: &Build, task: &Task, context: &Context) -> Done {
    let options = build.input.options(true)?;
    let sanitize = options.native.native_sanitize;
    let compiled = compile(&build.input, options, task, context)?;
    if !compiled.has_entry() {
        return Err(tfx::program::no_entry(&task.source));
    }
    let linked = links(&build.input, &compiled);
    tfx::files::check_output(&build.output, linked.iter().map(PathBuf::as_path))?;
    let build_folder = BuildFolder::new()?;
    let object = build_folder.path("program.o");
    let _progress = Progress::start();
    tfx::codegen::emit(compiled.module(), &object, Emit::Object, build.input.level)?;
    build_folder.executable(
        &object,
        &linked,
        compiled.foreign(),
        &build.output,
        Linking {
            runtime: match build.runtime {
                Runtime::Static => RuntimeLinkage::Static,
                Runtime::Shared => RuntimeLinkage::Shared,
            },
            debug: build.input.debug,
            sanitize,
        },
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the graphs of a program, without its host code.
fn graph_def(build: &Build, task: &Task, context: &Context) -> Done {
    tfx::prepare(context);
    let progress = Progress::start();
    let mut program = task
        .source
        .parse(context)?
        .with_options(build.input.options(false)?);
    let diagnostics = program.compile_graph()?;
    drop(progress);
    task.print(&diagnostics);
    tfx::files::write(&build.output, &program.graph_def()?.encode_to_vec())?;
    Ok(ExitCode::SUCCESS)
}

fn report(command: &Report, task: &Task) -> Done {
    let by_name = || {
        let end = command.output.as_ref()?.extension()?;
        let of_end = Format::NAMES.iter().find(|(name, _)| end == *name);
        of_end.map(|(_, format)| *format)
    };
    let default = match task.json {
        true => Format::Json,
        false => Format::Table,
    };
    let format = command.format.or_else(by_name).unwrap_or(default);
    let source = &task.source;
    let progress = Progress::start();
    let context = Context::new();
    tfx::prepare(&context);
    let program = command.input.parse(&context, source);
    let report = program.and_then(|program| analyzed(command, program, source));
    drop(progress);
    let report = match report {
        Ok(report) => report,
        // Other tools expect errors as results; a page or a table would only repeat the error.
        Err(error) if matches!(format, Format::Json | Format::Sarif) => {
            tfx::report::Report::of_error(source, error)
        }
        Err(error) => return Err(error),
    };
    let text = report.text(format);
    match &command.output {
        Some(path) => tfx::files::write(path, text.as_bytes())?,
        None => tfx::files::print(text)?,
    }
    Ok(match report.has_errors() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

/// Returns the report of a program, with its schedules if there are streams.
fn analyzed<'s>(
    command: &Report,
    mut program: tfx::Program<'_>,
    source: &'s Source,
) -> Result<tfx::report::Report<'s>, Error> {
    let streams = command.streams.get();
    let options = CompileOptions {
        streams: streams.clone(),
        ..program.options().clone()
    };
    program.set_options(options);
    let extraction = program.extract()?;
    let report = tfx::report::Report::new(source, extraction.diagnostics, extraction.traffic);
    if streams.streams == 0 {
        return Ok(report);
    }
    let (schedules, diagnostics) = program.schedules()?;
    Ok(report.with_schedules(schedules, diagnostics))
}

fn explain(command: &Explain, task: &Task) -> Done {
    let context = Context::new();
    tfx::prepare(&context);
    let source = &task.source;
    let progress = Progress::start();
    let mut program = command.input.parse(&context, source)?;
    let explanation = explain::explain(&mut program, source, command.target)?;
    drop(progress);
    tfx::files::print(task.text(&explanation))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a completion script.
fn completions(command: &Completions) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Cli::command(), NAME, &mut script);
    tfx::files::print(script)
}

/// Prints or writes the manual pages.
fn man(command: &Man) -> Result<(), Error> {
    let mut all = Cli::command().name(NAME);
    all.build();
    let Some(folder) = &command.output else {
        return tfx::files::print(page(all)?);
    };
    std::fs::create_dir_all(folder).map_err(|error| Error::file("write", folder, &error))?;
    for inner in all
        .get_subcommands()
        .filter(|inner| inner.get_name() != "help")
    {
        let name = format!("{NAME}-{}", inner.get_name());
        let path = folder.join(format!("{name}.1"));
        tfx::files::write(&path, &page(inner.clone().name(name))?)?;
    }
    tfx::files::write(&folder.join(format!("{NAME}.1")), &page(all)?)
}

/// Returns the manual page of a command.
fn page(command: clap::Command) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut text);
    rendered.map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
    Ok(text)
}
