//! `tfx-translate`: between MLIR and what others read.
//!
//! ```text
//! source program ──tfx-compile-graph──> graphs as tfx-legalize-graph leaves them ──--mlir-to-graphdef──> GraphDef, binary or (--text) as text
//! source program ──tfx-compile────────> the LLVM dialect ────────────────────────--mlir-to-llvmir────> LLVM IR
//! GraphDef, binary or (--text) as text ──--graphdef-to-mlir──> graphs of the tensor dialect
//! ```
//!
//! A module that has graphs already, or no `func.func` any more, is translated as it is; any other is a source program and is compiled first.
//!
//! A file is written whole or not at all. What is wrong is said at its place, with exit code 1.

mod ffi;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser};
use melior::Context;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use prost::Message;
use tfx::{Error, OptionValue, Program, Shapes, Source, pipelines, render};
use tfx_graphdef::proto::GraphDef;
use tfx_graphdef::text::{from_text, to_text};
use tfx_ir::diag::Collector;
use tfx_ir::{Op, module};

/// IR is many small things; C++ and Rust take them from here.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Where standard output is meant.
const STANDARD_OUTPUT: &str = "-";

/// What a module has once its graphs are extracted.
const GRAPH: &str = "tfx_tensor.graph";
/// What a module has once it is lowered.
const LLVM_FUNCTION: &str = "llvm.func";

/// Translates IR to a TensorFlow GraphDef or to LLVM IR, and a GraphDef to IR.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    translation: Translation,
    /// Write, or read, the GraphDef as text.
    #[arg(long, conflicts_with = "mlir_to_llvmir")]
    text: bool,
    /// The values that the imported graph gives, such as `loss` or `split:1`, and nothing that they do not need; without it, what the nodes give that no other takes anything of.
    #[arg(
        long,
        value_name = "NODE",
        value_delimiter = ',',
        requires = "graphdef_to_mlir"
    )]
    outputs: Vec<String>,
    /// Whose shape functions are asked: builtin, tensorflow (which must be installed), or auto (TensorFlow's where it is installed).
    #[arg(long, value_name = "WHOSE", default_value = "builtin", value_parser = Shapes::parse)]
    shapes: Shapes,
    /// Where to write; `-` for standard output.
    #[arg(short, long, value_name = "FILE", default_value = STANDARD_OUTPUT)]
    output: PathBuf,
    /// The IR, or the GraphDef; `-` for standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Translation {
    /// One GraphDef with all graphs of the module.
    #[arg(long)]
    mlir_to_graphdef: bool,
    /// LLVM IR as text.
    #[arg(long)]
    mlir_to_llvmir: bool,
    /// The graphs of a GraphDef as IR.
    #[arg(long)]
    graphdef_to_mlir: bool,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(instead) => {
            // Help and the version are no errors; a wrong command line is one like any other.
            let _ = instead.print();
            return ExitCode::from(u8::from(instead.use_stderr()));
        }
    };
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
    } else {
        (LLVM_FUNCTION, pipelines::COMPILE)
    };
    if !has(module::as_op(program.module()), done) {
        let said = program.run(&format!("{pipeline}{{shapes={}}}", cli.shapes.print()))?;
        eprint!("{}", render::diagnostics(&said, source));
    }
    let translated = if cli.translation.mlir_to_graphdef {
        graphdef(&program, cli.text)?
    } else {
        llvm_ir(&context, &program)?
    };
    write(&cli.output, &translated)
}

/// Reads a GraphDef and writes it as IR.
fn import(cli: &Cli) -> Result<(), Error> {
    let name = cli.file.display().to_string();
    let wrong = |reason: String| Error::new(format!("{name}: {reason}"));
    let bytes = tfx::read(&cli.file).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let graph: GraphDef = match cli.text {
        true => {
            let text = String::from_utf8(bytes).map_err(|_| wrong("is not text".to_owned()))?;
            from_text(&text).map_err(|reason| wrong(format!("is no GraphDef as text: {reason}")))?
        }
        false => GraphDef::decode(bytes.as_slice()).map_err(|error| {
            wrong(format!(
                "is no GraphDef: {error}; if it is one as text, write --text"
            ))
        })?,
    };
    let context = Context::new();
    tfx::prepare(&context);
    let imported = Program::import(&context, &graph, &cli.outputs, cli.shapes);
    let (program, said) = imported.map_err(|error| match error.diagnostics() {
        [] => wrong(error.to_string()),
        _ => {
            eprintln!("{error}");
            wrong("its graphs do not fit together".to_owned())
        }
    })?;
    for said in said {
        eprintln!("{said}");
    }
    // The names of nodes are in the locations.
    let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
    let text = program.module().as_operation().to_string_with_flags(flags);
    let text = text.map_err(|error| wrong(format!("cannot be printed: {error}")))?;
    write(&cli.output, text.as_bytes())
}

fn graphdef(program: &Program<'_>, as_text: bool) -> Result<Vec<u8>, Error> {
    let graph = program.graph_def()?;
    if !as_text {
        return Ok(graph.encode_to_vec());
    }
    let text = to_text(&graph).map_err(|error| {
        Error::new(format!(
            "the GraphDef nests too deep to be printed: {error}"
        ))
    })?;
    Ok(text.into_bytes())
}

/// Whether a module has an operation of that name directly inside.
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

/// Writes to standard output, or to a file that is there only when it is whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if path.as_os_str() == STANDARD_OUTPUT {
        let mut output = io::stdout().lock();
        return output
            .write_all(bytes)
            .and_then(|()| output.flush())
            .map_err(|error| Error::new(format!("cannot write '{}': {error}", path.display())));
    }
    tfx::write(path, bytes)
}
