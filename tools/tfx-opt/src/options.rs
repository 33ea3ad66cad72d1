//! What `tfx-opt --help` and the completions say: a table of MLIR's options, in groups.
//!
//! The table only describes; LLVM's parser reads the command line. `tests/help.rs` checks that each of these is an option
//! that the parser knows.

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
  Every registered pass and pipeline is an option too, with its own options in quotes:
    tfx-opt --tfx-deabstract --tfx-partition='min-cut=true' --canonicalize input.mlir
  They run on the module in the order of the command line. For nested anchors write a pipeline:
    tfx-opt --pass-pipeline='builtin.module(func.func(tfx-ssa,cse))' input.mlir

  --list-passes names all of them, --help-hidden shows all options of passes and of LLVM.
  An option may have one dash or two, and its value may follow '=' or a space.

Exit code: 0 if all went well, 1 if there was an error.";

/// One option of MLIR's driver.
struct Described {
    name: &'static str,
    /// `""`: a flag; `"=X"`: a value that may be left out; `"X"`: a value.
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
                "Split the input at lines with MARKER ('// -----') and process each part by itself",
            ),
            with(
                "output-split-marker",
                "MARKER",
                "Put MARKER between the parts of a split input when they are printed",
            ),
            flag(
                "no-implicit-module",
                "Do not put a module round a file that has one operation of another kind",
            ),
            flag(
                "allow-unregistered-dialect",
                "Accept operations of dialects that are not registered",
            ),
            with(
                "irdl-file",
                "FILE",
                "Load the dialects that FILE defines in IRDL first",
            ),
            flag("emit-bytecode", "Write bytecode and not text"),
            with(
                "emit-bytecode-version",
                "N",
                "Write that version of bytecode",
            ),
            flag(
                "elide-resource-data-from-bytecode",
                "Leave the data of resources out of bytecode",
            ),
            flag(
                "show-dialects",
                "Print the names of all registered dialects, and end",
            ),
        ],
    ),
    (
        "What runs",
        &[
            with(
                "pass-pipeline",
                "PIPELINE",
                "Run a pipeline such as 'builtin.module(cse,func.func(canonicalize))'",
            ),
            flag(
                "list-passes",
                "Print all passes and pipelines with what they do, and end",
            ),
            flag(
                "dump-pass-pipeline",
                "Print the pipeline with all options of its passes before it runs",
            ),
            flag(
                "run-reproducer",
                "Run the pipeline that is stored in the input, a reproducer",
            ),
            flag("mlir-disable-threading", "Use one thread"),
        ],
    ),
    (
        "Checking",
        &[
            with(
                "verify-diagnostics",
                "=MODE",
                "Compare diagnostics with the 'expected-*' comments of the input: 'all' of them, or 'only-expected' ones",
            ),
            with(
                "verify-each",
                "=BOOL",
                "Run the verifier after each pass (on by default)",
            ),
            flag(
                "verify-roundtrip",
                "Print the input and parse it back, as text and as bytecode, and compare",
            ),
            flag(
                "mlir-very-unsafe-disable-verifier-on-parsing",
                "Do not verify what was parsed",
            ),
        ],
    ),
    (
        "Diagnostics",
        &[
            with(
                "mlir-diagnostic-verbosity-level",
                "LEVEL",
                "Show 'errors' only, 'warnings' too, or 'remarks' too (the default)",
            ),
            flag("mlir-disable-diagnostic-notes", "Leave out notes"),
            flag(
                "mlir-print-op-on-diagnostic",
                "Show the operation of a diagnostic in a note (on by default)",
            ),
            flag(
                "mlir-print-stacktrace-on-diagnostic",
                "Show the stack of the compiler in a note",
            ),
            with(
                "remarks-filter",
                "REGEX",
                "Show the optimization remarks whose category matches",
            ),
            with(
                "remark-format",
                "FORMAT",
                "Write them as 'yaml' or 'bitstream', or print them with 'emitRemark'",
            ),
            with("remarks-output-file", "FILE", "Write them to FILE"),
        ],
    ),
    (
        "How IR is printed",
        &[
            flag("mlir-print-debuginfo", "With locations"),
            flag(
                "mlir-pretty-debuginfo",
                "With locations that read well and cannot be parsed back",
            ),
            flag("mlir-print-op-generic", "In the generic form"),
            flag(
                "mlir-print-local-scope",
                "Without aliases, each operation by itself",
            ),
            flag(
                "mlir-print-unique-ssa-ids",
                "With numbers that are unique over the whole file",
            ),
            flag(
                "mlir-print-value-users",
                "With the users of each value in a comment",
            ),
            flag(
                "mlir-print-skip-regions",
                "Without what is inside of operations",
            ),
            flag("mlir-print-assume-verified", "Without verifying first"),
            flag(
                "mlir-use-nameloc-as-prefix",
                "With the names of values that locations give",
            ),
            with(
                "mlir-elide-elementsattrs-if-larger",
                "N",
                "With '...' for constants of more than N elements",
            ),
            with(
                "mlir-elide-resource-strings-if-larger",
                "N",
                "With '...' for resources of more than N characters",
            ),
            with(
                "mlir-print-elementsattrs-with-hex-if-larger",
                "N",
                "With hexadecimal data for constants of more than N elements (-1: never)",
            ),
        ],
    ),
    (
        "Watching passes",
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
                "Report what the passes of tfx counted",
            ),
            with(
                "mlir-pass-statistics-display",
                "FORM",
                "... taken for the sake of mlir-opt's command lines; the report is a list",
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
                "Write a reproducer to FILE in any case",
            ),
            with(
                "log-actions-to",
                "FILE",
                "Log the actions of passes and patterns to FILE ('-': standard error)",
            ),
            with("profile-actions-to", "FILE", "Profile them into FILE"),
            with(
                "mlir-debug-counter",
                "LIST",
                "Skip and count actions: 'name-skip=N,name-count=N'",
            ),
            flag(
                "mlir-print-debug-counter",
                "Print those counters at the end",
            ),
        ],
    ),
];

/// The command as clap describes it.
pub(crate) fn command() -> Command {
    let described = GROUPS
        .iter()
        .flat_map(|(group, options)| options.iter().map(move |option| argument(group, option)));
    Command::new("tfx-opt")
        .version(concat!(env!("CARGO_PKG_VERSION"), " (MLIR 22)"))
        .about(ABOUT)
        .after_help(AFTER_HELP)
        .arg(Arg::new("input").value_name("INPUT").value_hint(ValueHint::FilePath).help(
            "The file to read: text or bytecode; '-' or nothing is standard input",
        ))
        .arg(
            Arg::new("output").short('o').value_name("FILE").value_hint(ValueHint::FilePath).help(
                "Write to FILE and not to standard output ('-'); on an error FILE is left as it was",
            ).help_heading("Input and output"),
        )
        .args(described)
        .arg(
            Arg::new(COMPLETIONS)
                .long(COMPLETIONS)
                .value_name("SHELL")
                .value_parser(EnumValueParser::<Shell>::new())
                .help("Print a completion script, to be sourced by that shell"),
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

/// The part of a command line that asks for help, the version or completions, if any does, as clap reads it.
pub(crate) fn question(arguments: &[OsString]) -> Option<Vec<String>> {
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
