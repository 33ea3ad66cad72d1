//! The driver of `tfx-opt`: MLIR's own, with passes in Rust.
//!
//! ```text
//!   command line ──► LLVM's parser ──► MlirOptMainConfig ──► MlirOptMain ──► output, diagnostics, exit code
//!                        ▲
//!            all registered passes and pipelines are its options
//! ```
//!
//! LLVM parses the command line, so every option, message and exit code is that of `mlir-opt`: the
//! names of single-pass options are unknown until all passes are registered, and their order on the
//! command line matters. A tool built on this describes the options (`--help`, completions) before
//! any registration.
//!
//! One option is handled here: `--mlir-pass-statistics`. Debian's LLVM does not count, so MLIR's
//! report would be empty; the counters of [`crate::pass`] are printed instead.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::process::ExitCode;

use melior::dialect::DialectRegistry;

use crate::{ffi, pass};

/// The registrations of a tool.
#[derive(Clone, Copy)]
pub struct Tool {
    /// Adds all dialects that files may use.
    pub register_dialects: fn(&DialectRegistry),
    /// Registers all passes and pipelines.
    pub register_passes: fn(),
}

/// The option, also with `-display=FORM`; both forms print one list, because counters are kept by
/// pass.
const STATISTICS_OPTION: &str = "mlir-pass-statistics";

/// Runs the driver on a command line, which starts with the tool's name. Call it once in a process.
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

/// Returns whether it is `--mlir-pass-statistics` or `--mlir-pass-statistics-display=...`, with one
/// dash or two.
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

/// Formats the counters as MLIR's report.
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
