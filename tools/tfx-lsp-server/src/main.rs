//! `tfx-lsp-server`: a language server for programs of tfx and for all MLIR files.
//!
//! ```text
//!              ┌────────────── this process ──────────────┐
//!   editor ───►│ client ──► Documents ──► MLIR's server ──┼──► child: tfx_ir::lsp
//!          ◄───│ output ◄── Documents ◄── its replies   ◄─┼────
//!              │                ▲                         │
//!              │                └─────── analyses ◄───────┼──── child per text: analysis.rs
//!              └──────────────────────────────────────────┘
//! ```
//!
//! Problem: MLIR's server answers hover, definitions, references and completion, but its
//! diagnostics are those of the parser and of the verifier. The copies of a program are known only
//! after its extraction, which may take seconds.
//!
//! Algorithm: this process forwards each message between the editor and MLIR's server unchanged,
//! except for diagnostics. It keeps the newest text of each open document ([`documents`]). A short
//! time after a change, a child process extracts the text ([`analysis`]); its diagnostics are added
//! to those that MLIR's server has published for the same text ([`session`]).
//!
//! The parts are processes, because a process can be cancelled at any time, and because neither a
//! crash nor a lack of memory reaches the editor's connection. An edit ends the analysis of the
//! previous text.
//!
//! Cost: two parses of each text, and one extraction of each text that is not edited within
//! [`analysis::DELAY`].
//!
//! Not guaranteed: a file that MLIR's server cannot parse has no diagnostics of tfx, except in the
//! other parts of a split file.

mod analysis;
mod diagnostics;
mod documents;
mod frames;
mod session;

use std::ffi::OsString;
use std::process::ExitCode;
use std::thread;

use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use melior::dialect::DialectRegistry;
use tfx::options::ExtractOptions;
use tfx_cli::{OptionArgs, streams};

use crate::frames::Style;

/// IR consists of many small objects; C++ and Rust use this allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// MLIR's parser recurses into nested regions. Only the part that is used takes memory.
const STACK_BYTES: usize = 1 << 29;

const AFTER_HELP: &str = "\
An editor starts this program and communicates with it by the Language Server Protocol on standard
input and output. docs/editors.md has the settings of editors.

An option starts with one or two dashes, as in mlir-lsp-server.";

/// A language server: MLIR's server with the dialects of tfx, and the diagnostics of extraction.
#[derive(Parser)]
#[command(version = tfx::VERSION, after_help = AFTER_HELP)]
struct Cli {
    #[command(flatten)]
    extract: OptionArgs<ExtractOptions>,
    /// The form of the input: standard, as editors send it; or delimited, messages between lines
    /// `// -----`.
    #[arg(long, value_name = "STYLE", value_enum, default_value_t = Style::Standard)]
    input_style: Style,
    /// Print replies in several lines.
    #[arg(long)]
    pretty: bool,
    /// The messages of the log on standard error.
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = Log::Info)]
    log: Log,
    /// Read delimited input, print replies in several lines, and wait for the diagnostics of each
    /// text before the next message: the form of lit tests.
    #[arg(long)]
    lit_test: bool,
    /// Run as MLIR's server. This program starts itself with this option.
    #[arg(long, hide = true)]
    upstream: bool,
    /// Print the diagnostics of the text on standard input. This program starts itself with this
    /// option.
    #[arg(long, hide = true, value_name = "URI")]
    analyze: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Log {
    /// Errors only.
    Error,
    /// Also unusual events.
    Info,
    /// All messages.
    Verbose,
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().map(with_two_dashes).collect();
    let matches = Cli::command().try_get_matches_from(&arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(instead) => return streams::answer(&instead),
    };
    if cli.upstream {
        return with_large_stack(move || upstream(&cli));
    }
    if let Some(uri) = &cli.analyze {
        // The reader ends this process when its result is not needed.
        streams::start();
        return with_large_stack(|| analysis::child(uri, cli.extract.get()));
    }
    // A broken pipe to a child that was cancelled must not end this process.
    session::run(&cli, &arguments[1..])
}

/// Runs MLIR's server. The client of this process is always another one of this program.
fn upstream(cli: &Cli) -> ExitCode {
    streams::start();
    let registry = DialectRegistry::new();
    tfx::register_dialects(&registry);
    let log = match cli.log {
        Log::Error => "--log=error",
        Log::Info => "--log=info",
        Log::Verbose => "--log=verbose",
    };
    let mut arguments = vec!["tfx-lsp-server".into(), log.into()];
    if cli.pretty || cli.lit_test {
        arguments.push("--pretty".into());
    }
    tfx_ir::lsp::main(&registry, arguments)
}

fn with_large_stack(work: impl FnOnce() -> ExitCode + Send) -> ExitCode {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or(ExitCode::FAILURE),
            Err(error) => {
                eprintln!("error: cannot start a thread: {error}");
                ExitCode::FAILURE
            }
        }
    })
}

/// Returns `--pretty` for `-pretty`: LLVM's tools accept both.
fn with_two_dashes(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text.len() > 2 && text.starts_with('-') && !text.starts_with("--") => {
            format!("-{text}").into()
        }
        _ => argument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_dash_is_enough() {
        let of = |text: &str| with_two_dashes(text.into());
        assert_eq!(of("-lit-test"), "--lit-test");
        for same in ["--lit-test", "-h", "-", "--", "file", ""] {
            assert_eq!(of(same), same);
        }
    }
}
