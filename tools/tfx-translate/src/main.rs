//! `tfx-translate`: translates between MLIR and other formats.
//!
//! ```text
//! source ──tfx-compile-graph──> graphs in functional form ──--mlir-to-graphdef──> GraphDef
//! source ──tfx-compile────────> the LLVM dialect ───────────--mlir-to-llvmir────> LLVM IR
//! source ──tfx-extract────────> host functions and graphs ──--mlir-to-dot───────> graphviz
//! GraphDef ───────────────────────────────────────────────--graphdef-to-mlir──> graphs
//! ```
//!
//! A GraphDef is binary, or text with `--text`. A module that already contains graphs, or functions
//! of the LLVM dialect, is translated directly. Any other module is a source program and is
//! compiled first.
//!
//! A file is written completely or not at all. Errors have source locations, and the exit code 1.

mod ffi;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use prost::Message;
use tfx::options::{InferShapesOptions, Options};
use tfx::report::{self, render};
use tfx::{Error, ErrorKind, Program, Source, pipelines};
use tfx_cli::{OptionArgs, streams};
use tfx_graphdef::proto::GraphDef;
use tfx_graphdef::text::{from_text, to_text};
use tfx_ir::diag::Collector;
use tfx_ir::{Op, module};

/// IR consists of many small objects; C++ and Rust use this allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The path that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// The operation that a module contains after extraction.
const GRAPH: &str = "tfx_tensor.graph";
/// The operation that a module contains after lowering.
const LLVM_FUNCTION: &str = "llvm.func";

/// Translates IR to a TensorFlow GraphDef, to LLVM IR or to a drawing, and a GraphDef to IR.
#[derive(Parser)]
#[command(version = tfx::VERSION)]
struct Cli {
    #[command(flatten)]
    translation: Translation,
    /// Write or read the GraphDef as text.
    #[arg(long, conflicts_with_all = ["mlir_to_llvmir", "mlir_to_dot"])]
    text: bool,
    /// The values that the imported graph returns, such as `loss` or `split:1`; operations that
    /// they do not need are omitted. By default, the graph returns all values that no node uses.
    #[arg(
        long,
        value_name = "NODE",
        value_delimiter = ',',
        requires = "graphdef_to_mlir"
    )]
    outputs: Vec<String>,
    #[command(flatten)]
    shapes: OptionArgs<InferShapesOptions>,
    /// The output file; `-` for standard output.
    #[arg(short, long, value_name = "FILE", default_value = STANDARD_OUTPUT)]
    output: PathBuf,
    /// The IR or the GraphDef; `-` for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Translation {
    /// Translate all graphs of the module to one GraphDef.
    #[arg(long)]
    mlir_to_graphdef: bool,
    /// Translate the module to LLVM IR, as text.
    #[arg(long)]
    mlir_to_llvmir: bool,
    /// Draw the operations of host and graph, as a file for graphviz: `| dot -Tsvg` makes a
    /// picture.
    #[arg(long)]
    mlir_to_dot: bool,
    /// Translate the graphs of a GraphDef to IR.
    #[arg(long)]
    graphdef_to_mlir: bool,
}

fn main() -> ExitCode {
    streams::start();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(instead) => return streams::answer(&instead),
    };
    if let Err(error) = tfx::files::check_output(&cli.output, [cli.file.as_path()]) {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    if cli.translation.graphdef_to_mlir {
        return match import(&cli) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let source = match Source::read(&cli.file) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    match run(&cli, &source) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("{}", render::error(&error, &source));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli, source: &Source) -> Result<(), Error> {
    let context = Context::new();
    tfx::prepare(&context);
    let mut program = source.parse(&context)?;
    let (done, pipeline) = if cli.translation.mlir_to_graphdef {
        (GRAPH, pipelines::COMPILE_GRAPH)
    } else if cli.translation.mlir_to_dot {
        (GRAPH, pipelines::EXTRACT)
    } else {
        (LLVM_FUNCTION, pipelines::COMPILE)
    };
    if !has(module::as_op(program.module()), done) {
        let diagnostics = program.run(&format!("{pipeline}{}", cli.shapes.get().to_pipeline()))?;
        eprint!("{}", render::diagnostics(&diagnostics, source));
    }
    let translated = if cli.translation.mlir_to_graphdef {
        graphdef(&program, cli.text)?
    } else if cli.translation.mlir_to_dot {
        report::dot(&program).into_bytes()
    } else {
        llvm_ir(&context, &program)?
    };
    tfx::files::write(&cli.output, &translated)
}

/// Reads a GraphDef and writes it as IR.
fn import(cli: &Cli) -> Result<(), Error> {
    let name = cli.file.display().to_string();
    let wrong = |reason: String| Error::new(ErrorKind::Program, format!("{name}: {reason}"));
    let bytes = tfx::files::read(&cli.file)?;
    let graph: GraphDef = match cli.text {
        true => {
            let text = String::from_utf8(bytes).map_err(|_| wrong("is not text".to_owned()))?;
            from_text(&text)
                .map_err(|error| wrong(format!("is not a GraphDef in text form: {error}")))?
        }
        false => GraphDef::decode(bytes.as_slice()).map_err(|error| {
            wrong(format!(
                "is not a binary GraphDef: {error}; use --text for the text form"
            ))
        })?,
    };
    let context = Context::new();
    tfx::prepare(&context);
    let imported = Program::import(&context, &graph, &cli.outputs, cli.shapes.get().shapes);
    let (program, diagnostics) = imported.map_err(|error| match error.diagnostics() {
        [] => wrong(error.to_string()),
        _ => {
            eprintln!("{error}");
            wrong("its graphs are inconsistent".to_owned())
        }
    })?;
    for diagnostic in diagnostics {
        eprintln!("{diagnostic}");
    }
    // The locations contain the names of the nodes.
    let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
    let text = program.module().as_operation().to_string_with_flags(flags);
    let text = text.map_err(|error| wrong(format!("cannot be printed: {error}")))?;
    tfx::files::write(&cli.output, text.as_bytes())
}

fn graphdef(program: &Program<'_>, as_text: bool) -> Result<Vec<u8>, Error> {
    let graph = program.graph_def()?;
    if !as_text {
        return Ok(graph.encode_to_vec());
    }
    let text = to_text(&graph).map_err(|error| {
        let message = format!("the GraphDef is nested too deeply to be printed: {error}");
        Error::new(ErrorKind::Program, message)
    })?;
    Ok(text.into_bytes())
}

/// Returns whether a module directly contains an operation with this name.
fn has(module: Op<'_>, name: &str) -> bool {
    module.children().any(|op| op.is(name))
}

fn llvm_ir(context: &Context, program: &Program<'_>) -> Result<Vec<u8>, Error> {
    let collector = Collector::new(context);
    match ffi::llvm_ir(context, program.module()) {
        Some(text) => Ok(text.into_bytes()),
        None => Err(Error::diagnosed(collector.take())),
    }
}
