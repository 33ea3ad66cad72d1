//! `tfx-reduce`: makes a program smaller that shows a fault.
//!
//! ```text
//!   tfx-reduce FILE --expect TEXT -- COMMAND
//!      │  edits and tries: `shrink.rs` of tfx-fuzz, which random programs shrink by
//!      └─ for each program that is tried: does COMMAND still show TEXT?
//! ```

mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tfx::{Error, Source};
use tfx_fuzz::shrink;
use tfx_ir::{diag, module};

use test::Test;

/// Makes a program smaller, as long as a command still shows the same fault.
///
/// A program shows the fault if the command, run on it, is killed by a signal; with --expect, if its output has that text; with --hangs, if it has not
/// ended in time.
#[derive(Parser)]
#[command(version)]
struct Cli {
    /// The program.
    file: PathBuf,
    /// Where the smaller one goes; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What the command's output, or its errors, must contain.
    #[arg(long, value_name = "TEXT")]
    expect: Option<String>,
    /// The fault is that the command does not end.
    #[arg(long, conflicts_with = "expect")]
    hangs: bool,
    /// How many seconds the command may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    time: u64,
    /// The command, with {} for the file; without, the file comes last.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
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
    let test = Test {
        command: cli.command,
        expect: cli.expect,
        hangs: cli.hangs,
        seconds: cli.time,
    };
    if !test.is_shown_by(&cli.file)? {
        return Err(Error::new(format!(
            "'{}' does not show the fault: {}",
            cli.file.display(),
            test.what_is_missing()
        )));
    }
    let text = reduce(&source, &test)?;
    match &cli.output {
        Some(output) => tfx::write(output, text.as_bytes()),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// The text of the smallest program that was found.
fn reduce(source: &Source, test: &Test) -> Result<String, Error> {
    let failed = |error: std::io::Error| Error::new(format!("cannot try programs: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("program.mlir");
    let context = tfx_dialects::loaded_context();
    let program = source.parse(&context)?;
    let text = module::as_op(program.module()).to_string();
    // What is tried is often wrong, and nobody wants to hear of it.
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
