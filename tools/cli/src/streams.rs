//! Standard streams as C++ tools have them.
//!
//! Rust replaces a closed standard output by `/dev/null`, and ignores the signal of a broken pipe:
//! a tool would lose its output and report success. Here, as in `mlir-opt`, a closed standard
//! output is an error once something is printed, and a broken pipe ends the process by its signal.

use std::borrow::Cow;
use std::process::ExitCode;

use tfx_runtime::failure::shortened;
use tfx_runtime::ffi::{output, signals};

/// Runs before Rust's own initialization, which would replace a closed standard output. The module
/// has no other code that Rust cannot check, and the function does not depend on the order of
/// initializers.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    output::occupy_closed_files();
}

/// Makes a broken pipe end this process. Each tool calls it first.
pub fn start() {
    signals::end_by_broken_pipe();
}

/// Prints help, the version, or an error of the command line, which fails like all other errors.
pub fn answer(instead: &clap::Error) -> ExitCode {
    if instead.use_stderr() {
        let text = instead.render().to_string();
        match shortened(&text) {
            // Nothing can report that standard error is closed.
            Cow::Borrowed(_) => {
                let _ = instead.print();
            }
            Cow::Owned(shortened) => eprint!("{shortened}"),
        }
        return ExitCode::FAILURE;
    }
    match output::check_open().and_then(|()| instead.print()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot print: {}", output::reason(&error));
            ExitCode::FAILURE
        }
    }
}
