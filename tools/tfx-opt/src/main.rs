//! `tfx-opt`: runs passes on IR files, as `mlir-opt` does.
//!
//! ```text
//!   --help, --version, --completions ──► clap, from the table in `options.rs`; nothing is registered
//!   anything else                    ──► all dialects and passes are registered ──► MLIR's driver
//! ```
//!
//! The command line proper is read by LLVM's parser, because every registered pass is an option of it; so options,
//! messages and exit codes are those of `mlir-opt`. Registering takes many times as long as printing help, hence the
//! two ways.

mod options;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use tfx_ir::opt::Tool;

/// IR is many small things; C++ and Rust take them from here.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The name in messages where the system gives none.
const NAME: &str = "tfx-opt";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match options::question(&arguments) {
        Some(question) => answer(&question),
        None => {
            let tool = Tool {
                register_dialects: tfx::register_dialects,
                register_passes: tfx::register_all,
            };
            tfx_ir::opt::main(tool, arguments)
        }
    }
}

/// Prints help, the version, or a completion script.
fn answer(question: &[String]) -> ExitCode {
    let command_line = std::iter::once(NAME).chain(question.iter().map(String::as_str));
    match options::command().try_get_matches_from(command_line) {
        Ok(matches) => {
            if let Some(shell) = matches.get_one::<clap_complete::Shell>(options::COMPLETIONS) {
                clap_complete::generate(
                    *shell,
                    &mut options::command(),
                    NAME,
                    &mut std::io::stdout(),
                );
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            let asked_for = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            let printed = error.print().is_ok();
            if asked_for && printed {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
