//! The driver behind `tfx-opt`: MLIR's own, with passes in Rust.
//!
//! ```text
//!   command line ──► LLVM's parser ──► MlirOptMainConfig ──► MlirOptMain ──► output, diagnostics, exit code
//!                        ▲
//!            all registered passes and pipelines are its options
//! ```
//!
//! The command line is LLVM's, so that every option, every message and every exit code is that of `mlir-opt`: the names of
//! the single-pass options are not known before all passes are registered, and their order on the command line matters.
//! A tool on top of this describes the options (`--help`, completions) before anything is registered.
//!
//! One option is taken out: `--mlir-pass-statistics`. Debian's LLVM counts nothing, so MLIR's report would be empty;
//! the counters of [`crate::pass`] are printed instead.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::process::ExitCode;

use melior::dialect::DialectRegistry;

use crate::{ffi, pass};

/// What a tool is made of.
#[derive(Clone, Copy)]
pub struct Tool {
    /// Adds all dialects that files may use.
    pub register_dialects: fn(&DialectRegistry),
    /// Registers all passes and pipelines.
    pub register_passes: fn(),
}

/// With `-display=FORM` after it, it is taken too; both forms are one list here, because counters are kept by pass.
const STATISTICS_OPTION: &str = "mlir-pass-statistics";

/// Runs the driver on a command line, the tool's name first. Call it once in a process.
pub fn main(tool: Tool, arguments: Vec<OsString>) -> ExitCode {
    let wants_statistics = arguments
        .iter()
        .any(|argument| is_statistics_option(argument));
    let others = arguments
        .into_iter()
        .filter(|argument| !is_statistics_option(argument))
        .collect();
    let code = ffi::opt_main(tool, others);
    if wants_statistics {
        eprint!("{}", statistics_report());
    }
    ExitCode::from(code)
}

/// Whether it is `--mlir-pass-statistics` or `--mlir-pass-statistics-display=...`, with one dash or two.
fn is_statistics_option(argument: &OsStr) -> bool {
    let Some(argument) = argument.to_str() else {
        return false;
    };
    let name = argument
        .strip_prefix("--")
        .or_else(|| argument.strip_prefix('-'));
    name.is_some_and(|name| {
        name == STATISTICS_OPTION || name.starts_with("mlir-pass-statistics-display=")
    })
}

/// The counters in the form of MLIR's report.
fn statistics_report() -> String {
    let rule = format!("===-{}-===\n", "-".repeat(73));
    let mut text = format!("{rule}{:>52}\n{rule}", "... Pass statistics report ...");
    let mut last = "";
    for value in pass::statistics() {
        if value.pass != last {
            last = value.pass;
            writeln!(text, "{last}").expect("a string takes all");
        }
        let (statistic, number) = (value.statistic, value.value);
        writeln!(
            text,
            "  (S) {number:>8} {} - {}",
            statistic.name, statistic.description
        )
        .expect("a string takes all");
    }
    text
}
