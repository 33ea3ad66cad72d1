//! The contents of `tfx-opt --help` and of the completions: a table of MLIR's options, in groups.
//!
//! The table only describes options; LLVM's parser reads the command line. `tests/help.rs` checks
//! that the parser knows each of them.

use std::ffi::OsString;

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, Command, ValueHint};
use clap_complete::Shell;

/// The option that prints a completion script.
pub(crate) const COMPLETIONS: &str = "completions";

const ABOUT: &str =
    "Runs passes on IR files: MLIR's modular optimizer driver with the dialects and passes of tfx.";

const AFTER_HELP: &str = "\
Passes:
  Each registered pass and pipeline is an option, which takes the pass's options in quotes:
    tfx-opt --tfx-partition='hoist-sends=false remarks=true' --canonicalize input.mlir
  Passes run on the module in the order of the command line. Use a pipeline for nested anchors:
    tfx-opt --pass-pipeline='builtin.module(func.func(tfx-ssa,cse))' input.mlir

  --list-passes lists all of them; --help-hidden shows all options of passes and of LLVM.
  An option starts with one or two dashes, and its value follows '=' or a space.

Exit code: 0 on success, 1 on an error.";

/// An option of MLIR's driver.
struct Described {
    name: &'static str,
    /// `""`: a flag; `"=X"`: an optional value; `"X"`: a required value.
    value: &'static str,
    help: &'static str,
}

const fn flag(name: &'static str, help: &'static str) -> Described {
    Described {
        name,
        value: "",
        help,
    }
}

const fn with(name: &'static str, value: &'static str, help: &'static str) -> Described {
    Described { name, value, help }
}

const GROUPS: &[(&str, &[Described])] = &[
    (
        "Input and output",
        &[
            with(
                "split-input-file",
                "=MARKER",
                "Split the input at lines with MARKER ('// -----') and process each part separately",
            ),
            with(
                "output-split-marker",
                "MARKER",
                "Print MARKER between the parts of a split input",
            ),
            flag(
                "no-implicit-module",
                "Do not wrap a file with a single operation of another kind in a module",
            ),
            flag(
                "allow-unregistered-dialect",
                "Accept operations of dialects that are not registered",
            ),
            with(
                "irdl-file",
                "FILE",
                "Load the dialects that FILE defines in IRDL",
            ),
            flag("emit-bytecode", "Write bytecode instead of text"),
            with("emit-bytecode-version", "N", "Write bytecode of version N"),
            flag(
                "elide-resource-data-from-bytecode",
                "Omit the data of resources from bytecode",
            ),
            flag(
                "show-dialects",
                "Print the names of all registered dialects and exit",
            ),
        ],
    ),
    (
        "Pipelines",
        &[
            with(
                "pass-pipeline",
                "PIPELINE",
                "Run a pipeline such as 'builtin.module(cse,func.func(canonicalize))'",
            ),
            flag(
                "list-passes",
                "Print all passes and pipelines with their descriptions and exit",
            ),
            flag(
                "dump-pass-pipeline",
                "Print the pipeline with all options of its passes before running it",
            ),
            flag(
                "run-reproducer",
                "Run the pipeline that the input, a reproducer, contains",
            ),
            flag("mlir-disable-threading", "Use a single thread"),
        ],
    ),
    (
        "Checking",
        &[
            with(
                "verify-diagnostics",
                "=MODE",
                "Compare diagnostics with the 'expected-*' comments of the input: 'all' diagnostics, or 'only-expected' ones",
            ),
            with(
                "verify-each",
                "=BOOL",
                "Run the verifier after each pass (on by default)",
            ),
            flag(
                "verify-roundtrip",
                "Check that the input round-trips through text and bytecode",
            ),
            flag(
                "mlir-very-unsafe-disable-verifier-on-parsing",
                "Do not verify the parsed input",
            ),
        ],
    ),
    (
        "Diagnostics",
        &[
            with(
                "mlir-diagnostic-verbosity-level",
                "LEVEL",
                "Show only 'errors', also 'warnings', or also 'remarks' (the default)",
            ),
            flag("mlir-disable-diagnostic-notes", "Do not print notes"),
            flag(
                "mlir-print-op-on-diagnostic",
                "Print the operation of a diagnostic in a note (on by default)",
            ),
            flag(
                "mlir-print-stacktrace-on-diagnostic",
                "Print a stack trace of the compiler in a note",
            ),
            with(
                "remarks-filter",
                "REGEX",
                "Show the optimization remarks whose category matches REGEX",
            ),
            with(
                "remark-format",
                "FORMAT",
                "Write optimization remarks as 'yaml' or 'bitstream', or print them with 'emitRemark'",
            ),
            with(
                "remarks-output-file",
                "FILE",
                "Write optimization remarks to FILE",
            ),
        ],
    ),
    (
        "Printing IR",
        &[
            flag("mlir-print-debuginfo", "Print locations"),
            flag(
                "mlir-pretty-debuginfo",
                "Print locations in a readable form that cannot be parsed",
            ),
            flag(
                "mlir-print-op-generic",
                "Print operations in the generic form",
            ),
            flag(
                "mlir-print-local-scope",
                "Print each operation in isolation, without aliases",
            ),
            flag(
                "mlir-print-unique-ssa-ids",
                "Print value numbers that are unique in the whole file",
            ),
            flag(
                "mlir-print-value-users",
                "Print the users of each value in a comment",
            ),
            flag("mlir-print-skip-regions", "Do not print regions"),
            flag(
                "mlir-print-assume-verified",
                "Do not verify IR before printing it",
            ),
            flag(
                "mlir-use-nameloc-as-prefix",
                "Print the names that locations give to values",
            ),
            with(
                "mlir-elide-elementsattrs-if-larger",
                "N",
                "Print '...' for constants of more than N elements",
            ),
            with(
                "mlir-elide-resource-strings-if-larger",
                "N",
                "Print '...' for resources of more than N characters",
            ),
            with(
                "mlir-print-elementsattrs-with-hex-if-larger",
                "N",
                "Print constants of more than N elements as hexadecimal data (-1: never)",
            ),
        ],
    ),
    (
        "Debugging passes",
        &[
            with(
                "mlir-print-ir-before",
                "PASSES",
                "Print the IR before these passes",
            ),
            with(
                "mlir-print-ir-after",
                "PASSES",
                "Print the IR after these passes",
            ),
            flag("mlir-print-ir-before-all", "Print the IR before each pass"),
            flag("mlir-print-ir-after-all", "Print the IR after each pass"),
            flag(
                "mlir-print-ir-after-change",
                "... only if the pass changed it",
            ),
            flag("mlir-print-ir-after-failure", "... only if the pass failed"),
            flag(
                "mlir-print-ir-module-scope",
                "... the whole module each time (needs --mlir-disable-threading)",
            ),
            with(
                "mlir-print-ir-tree-dir",
                "FOLDER",
                "... into a tree of files in FOLDER",
            ),
            flag("mlir-timing", "Report the time that each pass takes"),
            with(
                "mlir-timing-display",
                "FORM",
                "... as a 'list' by time or a 'tree' by pipeline (the default)",
            ),
            with(
                "mlir-output-format",
                "FORMAT",
                "... as 'text' (the default) or 'json'",
            ),
            flag(
                "mlir-pass-statistics",
                "Report the statistics of the passes of tfx",
            ),
            with(
                "mlir-pass-statistics-display",
                "FORM",
                "... accepted for compatibility with mlir-opt; the report is a list",
            ),
            with(
                "mlir-pass-pipeline-crash-reproducer",
                "FILE",
                "Write a reproducer to FILE if a pass crashes or fails",
            ),
            flag(
                "mlir-pass-pipeline-local-reproducer",
                "... with the failing pass only (needs --mlir-disable-threading)",
            ),
            with(
                "mlir-generate-reproducer",
                "FILE",
                "Write a reproducer to FILE",
            ),
            with(
                "log-actions-to",
                "FILE",
                "Log the actions of passes and patterns to FILE ('-': standard error)",
            ),
            with(
                "profile-actions-to",
                "FILE",
                "Write a profile of actions to FILE",
            ),
            with(
                "mlir-debug-counter",
                "LIST",
                "Limit the execution of actions: 'name-skip=N,name-count=N'",
            ),
            flag(
                "mlir-print-debug-counter",
                "Print the debug counters at the end",
            ),
        ],
    ),
];

/// Returns the command that clap describes.
pub(crate) fn command() -> Command {
    let described = GROUPS
        .iter()
        .flat_map(|(group, options)| options.iter().map(move |option| argument(group, option)));
    Command::new("tfx-opt")
        .version(tfx::VERSION)
        .about(ABOUT)
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("input")
                .value_name("INPUT")
                .value_hint(ValueHint::FilePath)
                .help("The input file, as text or bytecode [default: '-', standard input]"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help(
                    "Write to FILE [default: '-', standard output]; an error leaves FILE unchanged",
                )
                .help_heading("Input and output"),
        )
        .args(described)
        .arg(
            Arg::new(COMPLETIONS)
                .long(COMPLETIONS)
                .value_name("SHELL")
                .value_parser(EnumValueParser::<Shell>::new())
                .help("Print a completion script for SHELL"),
        )
}

fn argument(group: &'static str, option: &Described) -> Arg {
    let argument = Arg::new(option.name)
        .long(option.name)
        .help(option.help)
        .help_heading(group);
    match option.value.strip_prefix('=') {
        _ if option.value.is_empty() => argument.action(ArgAction::SetTrue),
        Some(value) => argument
            .value_name(value)
            .num_args(0..=1)
            .require_equals(true),
        None => {
            let is_file = matches!(option.value, "FILE" | "FOLDER");
            argument.value_name(option.value).value_hint(if is_file {
                ValueHint::AnyPath
            } else {
                ValueHint::Other
            })
        }
    }
}

/// Returns the part of a command line that requests help, the version or completions, if any, in
/// the form that clap parses.
pub(crate) fn request(arguments: &[OsString]) -> Option<Vec<String>> {
    let text = |argument: &OsString| argument.to_string_lossy().into_owned();
    let options = arguments
        .iter()
        .map(text)
        .skip(1)
        .take_while(|argument| argument != "--");
    for (index, argument) in options.enumerate() {
        let name = argument
            .strip_prefix("--")
            .or_else(|| argument.strip_prefix('-'));
        match name.map(|name| name.split_once('=').unwrap_or((name, ""))) {
            Some(("help" | "h", "")) => return Some(vec!["--help".to_owned()]),
            Some(("version" | "V", "")) => return Some(vec!["--version".to_owned()]),
            Some((COMPLETIONS, "")) => {
                let shell = arguments.get(index + 2).map(text);
                return Some(
                    [Some(format!("--{COMPLETIONS}")), shell]
                        .into_iter()
                        .flatten()
                        .collect(),
                );
            }
            Some((COMPLETIONS, shell)) => return Some(vec![format!("--{COMPLETIONS}={shell}")]),
            _ => {}
        }
    }
    None
}
