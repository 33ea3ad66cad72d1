//! `calc`: a small language that is compiled by tfx. docs/tutorial.md walks through it.
//!
//! ```text
//!   text ──syntax──> tree ──compile──> Program ──┬─ run      calls 'main' in this process
//!                                                ├─ report   copies, at their places in the text
//!                                                └─ ir       the program as tfx reads it
//! ```

mod compile;
mod syntax;

use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::thread;

use clap::{Parser, ValueEnum};
use melior::Context;
use tfx::diag::Collected;
use tfx::options::{CompileOptions, Mode};
use tfx::report::{Format, Report, render};
use tfx::run::{ForeignFunctions, LoadOptions};
use tfx::runtime::format;
use tfx::{Error, Program, Source, files};

use crate::syntax::Item;

/// Compiles programs in calc, and runs them.
#[derive(Parser)]
struct Cli {
    /// The action.
    action: Action,
    /// The program; `-` for standard input.
    file: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Action {
    /// Run the function 'main', and print its result.
    Run,
    /// Report the copies between host and graph.
    Report,
    /// Print the program as IR.
    Ir,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // The parser and the compiler recurse into nested expressions and blocks.
    let worker = thread::Builder::new().stack_size(1 << 29).spawn(move || work(&cli));
    worker.ok().and_then(|worker| worker.join().ok()).unwrap_or(ExitCode::FAILURE)
}

fn work(cli: &Cli) -> ExitCode {
    let source = Source::read(&cli.file).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        process::exit(1)
    });
    let Err(error) = act(cli.action, &source) else {
        return ExitCode::SUCCESS;
    };
    eprint!("{}", render::error(&error, &source));
    ExitCode::FAILURE
}

fn act(action: Action, source: &Source) -> Result<(), Error> {
    let items = syntax::parse(source.text()).map_err(|errors| {
        let errors = errors.into_iter();
        let errors = errors.map(|(at, message)| Collected::error(Some(source.place(at)), message));
        Error::diagnosed(errors.collect())
    })?;
    let context = Context::new();
    tfx::prepare(&context);
    let program = compile::compile(&context, source, &items)?;
    match action {
        Action::Run => run(program, &items),
        Action::Report => report(program, source),
        Action::Ir => files::print(format!("{}\n", program.module().as_operation())),
    }
}

/// Calls `main`. The foreign functions that the program declares are closures of this process.
fn run(program: Program<'_>, items: &[Item]) -> Result<(), Error> {
    let mut functions = ForeignFunctions::new();
    for item in items {
        let Item::Foreign(signature) = item else {
            continue;
        };
        match signature.name.node.as_str() {
            // The learning rate halves every 200 steps.
            "rate" => functions.add("rate", |step: i64| 0.1f32 * 0.5f32.powi((step / 200) as i32)),
            "is_small" => functions.add("is_small", |loss: f32| match loss.is_nan() {
                false => Ok(loss < 1e-6),
                true => Err("the loss is not a number"),
            }),
            // tfx reports a function that nobody defines, at its declaration.
            _ => continue,
        };
    }
    let executable = program.load(functions, &LoadOptions::default())?;
    for result in executable.function("main")?.call(&[])? {
        files::print(format!("{}\n", format::tensor(&result)))?;
    }
    Ok(())
}

fn report(program: Program<'_>, source: &Source) -> Result<(), Error> {
    let mut options = CompileOptions::default();
    options.extract.copies.mode = Mode::All;
    let extraction = program.with_options(options).extract()?;
    let report = Report::new(source, extraction.diagnostics, extraction.traffic);
    files::print(report.text(Format::Table))
}
