//! `tfx-translate`: IR out of MLIR.
//!
//! ```text
//! --mlir-to-graphdef           graphs that tfx-legalize-graph has left ──> GraphDef, binary or (--text) as text
//! --mlir-to-llvmir             the LLVM dialect ──> LLVM IR
//! --compile                    first runs the pipeline that makes one of these of a source program
//! ```
//!
//! A file is written whole or not at all. What is wrong is said at its place, with exit code 1.

mod ffi;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser};
use melior::Context;
use prost::Message;
use tfx::{Error, Program, Source, pipelines, render};
use tfx_graphdef::text::to_text;
use tfx_graphdef_mlir::Exporter;
use tfx_ir::diag::{Collector, Diag};
use tfx_ir::{Op, location, module};

/// Where standard output is meant.
const STANDARD_OUTPUT: &str = "-";

/// Translates IR to a TensorFlow GraphDef or to LLVM IR.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    translation: Translation,
    /// Write the GraphDef as text.
    #[arg(long, requires = "mlir_to_graphdef")]
    text: bool,
    /// First compile a source program: tfx-compile-graph for a GraphDef, tfx-compile for LLVM IR.
    #[arg(long)]
    compile: bool,
    /// Where to write; `-` for standard output.
    #[arg(short, long, value_name = "FILE", default_value = STANDARD_OUTPUT)]
    output: PathBuf,
    /// The IR; `-` for standard input.
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
}

fn main() -> ExitCode {
    let cli = Cli::parse();
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
    if cli.compile {
        let pipeline = if cli.translation.mlir_to_graphdef {
            pipelines::COMPILE_GRAPH
        } else {
            pipelines::COMPILE
        };
        let said = program.run(pipeline)?;
        eprint!("{}", render::diagnostics(&said, source));
    }
    let translated = if cli.translation.mlir_to_graphdef {
        graphdef(&program, cli.text)?
    } else {
        llvm_ir(&context, &program)?
    };
    write(&cli.output, &translated)
}

fn graphdef(program: &Program<'_>, as_text: bool) -> Result<Vec<u8>, Error> {
    let module = module::as_op(program.module());
    check_is_extracted(module)?;
    let graph = Exporter::new(module)
        .module()
        .map_err(|diag| said(module, diag))?;
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

/// A module without graphs is a source program, or has nothing for a GraphDef.
fn check_is_extracted(module: Op<'_>) -> Result<(), Error> {
    if module.walk().any(|op| op.is("tfx_tensor.graph")) {
        return Ok(());
    }
    let tensor_code = module.walk().find(|op| op.dialect() == "tfx_tensor");
    let place = tensor_code
        .or_else(|| module.walk().nth(1))
        .and_then(|op| location::place(op.location()));
    let advice =
        "run the pipeline tfx-compile-graph first (tfx-opt --tfx-compile-graph), or give --compile";
    Err(Error::at(
        place,
        match tensor_code {
            Some(_) => format!("this tensor code is not in a graph yet; {advice}"),
            None => {
                format!("there is no tfx_tensor.graph here; if this is a source program, {advice}")
            }
        },
    ))
}

fn llvm_ir(context: &Context, program: &Program<'_>) -> Result<Vec<u8>, Error> {
    let collector = Collector::new(context);
    match ffi::llvm_ir(context, program.module()) {
        Some(text) => Ok(text.into_bytes()),
        None => Err(Error::diagnosed(collector.take())),
    }
}

/// A diagnostic as an error of the tool.
fn said(module: Op<'_>, diag: Diag<'_>) -> Error {
    let collector = Collector::new(module.context());
    diag.emit();
    Error::diagnosed(collector.take())
}

/// Writes to standard output, or to a file that is there only when it is whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed =
        |error: io::Error| Error::new(format!("cannot write '{}': {error}", path.display()));
    if path.as_os_str() == STANDARD_OUTPUT {
        let mut output = io::stdout().lock();
        return output
            .write_all(bytes)
            .and_then(|()| output.flush())
            .map_err(failed);
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".tfx-")
        .tempfile_in(folder)
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    make_readable(file.path()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Gives a temporary file, which only its owner may read, the rights of an ordinary one.
fn make_readable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    /// Read for all, write for the owner.
    const ORDINARY: u32 = 0o644;
    fs::set_permissions(path, fs::Permissions::from_mode(ORDINARY))
}
