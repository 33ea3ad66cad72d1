//! `tfx-reduce`: reduces a program that shows a bug.
//!
//! ```text
//!   tfx-reduce FILE --expect TEXT -- COMMAND
//!      │  edits: `shrink.rs` of tfx-fuzz, which also reduces random programs
//!      └─ for each candidate: does COMMAND still print TEXT?
//! ```

mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tfx::{Error, ErrorKind, Source};
use tfx_cli::streams;
use tfx_fuzz::shrink;
use tfx_ir::{diag, module};

use test::Test;

/// Reduces a program while a command still shows the same bug.
///
/// A program shows the bug if a signal kills the command that runs on it; with --expect, if the
/// output contains the text; with --hangs, if the command exceeds its time limit.
#[derive(Parser)]
#[command(version = tfx::VERSION)]
struct Cli {
    /// The program, as IR.
    file: PathBuf,
    /// The file for the reduced program [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The text that the output or the errors of the command must contain.
    #[arg(long, value_name = "TEXT")]
    expect: Option<String>,
    /// The bug is that the command does not terminate.
    #[arg(long, conflicts_with = "expect")]
    hangs: bool,
    /// The time limit of the command, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    time: u64,
    /// The command; {} stands for the file. Without {}, the file is the last argument.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn main() -> ExitCode {
    streams::start();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(instead) => return streams::answer(&instead),
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<(), Error> {
    let source = Source::read(&cli.file)?;
    if let Some(output) = &cli.output {
        tfx::files::check_output(output, [cli.file.as_path()])?;
    }
    let test = Test {
        command: cli.command,
        expect: cli.expect,
        hangs: cli.hangs,
        seconds: cli.time,
    };
    if !test.is_shown_by(&cli.file)? {
        let (file, missing) = (cli.file.display(), test.what_is_missing());
        let message = format!("'{file}' does not show the bug: {missing}");
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let text = reduce(&source, &test)?;
    match &cli.output {
        Some(output) => tfx::files::write(output, text.as_bytes()),
        None => tfx::files::print(text),
    }
}

/// Returns the text of the smallest program found.
fn reduce(source: &Source, test: &Test) -> Result<String, Error> {
    let failed = |error: std::io::Error| {
        Error::new(ErrorKind::Tool, format!("cannot run candidates: {error}"))
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("program.mlir");
    let context = tfx_dialects::loaded_context();
    let program = source.parse(&context)?;
    let text = module::as_op(program.module()).to_string();
    // Candidates are often invalid; their diagnostics are discarded.
    let _silence = diag::Collector::new(&context);
    let mut problem = None;
    let smallest = shrink::smallest(&context, &text, |text| {
        let written = std::fs::write(&file, text).map_err(failed);
        match written.and_then(|()| test.is_shown_by(&file)) {
            Ok(shown) => shown && problem.is_none(),
            Err(error) => {
                problem.get_or_insert(error);
                false
            }
        }
    });
    match problem {
        Some(error) => Err(error),
        None => Ok(smallest),
    }
}
