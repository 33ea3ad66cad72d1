//! `tfx-opt`: runs passes on IR files, as `mlir-opt` does.
//!
//! ```text
//!   --help, --version, --completions ──► clap, from the table in `options.rs`
//!   all others                       ──► registration of dialects and passes ──► MLIR's driver
//! ```
//!
//! LLVM's parser reads all other command lines, because each registered pass is an option of it:
//! options, messages and exit codes are those of `mlir-opt`. Registration takes many times longer
//! than printing help, hence the two paths.

mod options;

use std::ffi::OsString;
use std::process::ExitCode;

use tfx_cli::streams;
use tfx_ir::opt::Tool;

/// IR consists of many small objects; C++ and Rust use this allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The name in messages if the system does not provide one.
const NAME: &str = "tfx-opt";

fn main() -> ExitCode {
    streams::start();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match options::request(&arguments) {
        Some(request) => answer(&request),
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
fn answer(request: &[String]) -> ExitCode {
    let command_line = std::iter::once(NAME).chain(request.iter().map(String::as_str));
    match options::command().try_get_matches_from(command_line) {
        Ok(matches) => {
            let mut script = Vec::new();
            if let Some(shell) = matches.get_one::<clap_complete::Shell>(options::COMPLETIONS) {
                clap_complete::generate(*shell, &mut options::command(), NAME, &mut script);
            }
            match tfx::files::print(script) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("error: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        Err(instead) => streams::answer(&instead),
    }
}
