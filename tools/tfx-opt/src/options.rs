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

/// The options of MLIR's driver, in groups: `name: help` is a flag, `name[=X]: help` has an
/// optional value, and `name=X: help` a required one.
const OPTIONS: &str = "\
# Input and output
split-input-file[=MARKER]: Split the input at lines with MARKER ('// -----') and process each part separately
output-split-marker=MARKER: Print MARKER between the parts of a split input
no-implicit-module: Do not add a module around the operations of the input
allow-unregistered-dialect: Accept operations of dialects that are not registered
irdl-file=FILE: Load the dialects that FILE defines in IRDL
emit-bytecode: Write bytecode instead of text
emit-bytecode-version=N: Write bytecode of version N
elide-resource-data-from-bytecode: Omit the data of resources from bytecode
show-dialects: Print the names of all registered dialects and exit
# Pipelines
pass-pipeline=PIPELINE: Run a pipeline such as 'builtin.module(cse,func.func(canonicalize))'
list-passes: Print all passes and pipelines with their descriptions and exit
dump-pass-pipeline: Print the pipeline with all options of its passes before running it
run-reproducer: Run the pipeline that the input, a reproducer, contains
mlir-disable-threading: Use a single thread
# Checking
verify-diagnostics[=MODE]: Compare diagnostics with the 'expected-*' comments of the input: 'all' diagnostics, or 'only-expected' ones
verify-each[=BOOL]: Run the verifier after each pass (on by default)
verify-roundtrip: Check that the input round-trips through text and bytecode
mlir-very-unsafe-disable-verifier-on-parsing: Do not verify the parsed input
# Diagnostics
mlir-diagnostic-verbosity-level=LEVEL: Show only 'errors', also 'warnings', or also 'remarks' (the default)
mlir-disable-diagnostic-notes: Do not print notes
mlir-print-op-on-diagnostic: Print the operation of a diagnostic in a note (on by default)
mlir-print-stacktrace-on-diagnostic: Print a stack trace of the compiler in a note
remarks-filter=REGEX: Show the optimization remarks whose category matches REGEX
remark-format=FORMAT: Write optimization remarks as 'yaml' or 'bitstream', or print them with 'emitRemark'
remarks-output-file=FILE: Write optimization remarks to FILE
# Printing IR
mlir-print-debuginfo: Print locations
mlir-pretty-debuginfo: Print locations in a readable form that cannot be parsed
mlir-print-op-generic: Print operations in the generic form
mlir-print-local-scope: Print each operation in isolation, without aliases
mlir-print-unique-ssa-ids: Print value numbers that are unique in the whole file
mlir-print-value-users: Print the users of each value in a comment
mlir-print-skip-regions: Do not print regions
mlir-print-assume-verified: Do not verify IR before printing it
mlir-use-nameloc-as-prefix: Print SSA values with the names in their locations as prefixes
mlir-elide-elementsattrs-if-larger=N: Print '...' for constants of more than N elements
mlir-elide-resource-strings-if-larger=N: Print '...' for resources of more than N characters
mlir-print-elementsattrs-with-hex-if-larger=N: Print constants of more than N elements as hexadecimal data (-1: never)
# Debugging passes
mlir-print-ir-before=PASSES: Print the IR before these passes
mlir-print-ir-after=PASSES: Print the IR after these passes
mlir-print-ir-before-all: Print the IR before each pass
mlir-print-ir-after-all: Print the IR after each pass
mlir-print-ir-after-change: ... only if the pass changed it
mlir-print-ir-after-failure: ... only if the pass failed
mlir-print-ir-module-scope: ... the whole module each time (needs --mlir-disable-threading)
mlir-print-ir-tree-dir=FOLDER: ... into a tree of files in FOLDER
mlir-timing: Report the time that each pass takes
mlir-timing-display=FORM: ... as a 'list' by time or a 'tree' by pipeline (the default)
mlir-output-format=FORMAT: ... as 'text' (the default) or 'json'
mlir-pass-statistics: Report the statistics of the passes of tfx
mlir-pass-statistics-display=FORM: ... accepted for compatibility with mlir-opt; the report is a list
mlir-pass-pipeline-crash-reproducer=FILE: Write a reproducer to FILE if a pass crashes or fails
mlir-pass-pipeline-local-reproducer: ... with the failing pass only (needs --mlir-disable-threading)
mlir-generate-reproducer=FILE: Write a reproducer to FILE
log-actions-to=FILE: Log the actions of passes and patterns to FILE ('-': standard error)
profile-actions-to=FILE: Write a profile of actions to FILE
mlir-debug-counter=LIST: Limit the execution of actions: 'name-skip=N,name-count=N'
mlir-print-debug-counter: Print the debug counters at the end
";

/// Returns the command that clap describes.
pub(crate) fn command() -> Command {
    let mut group = "";
    let described = OPTIONS
        .lines()
        .filter_map(|line| match line.strip_prefix("# ") {
            Some(heading) => {
                group = heading;
                None
            }
            None => Some(argument(group, line)),
        });
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

fn argument(group: &'static str, option: &'static str) -> Arg {
    let (option, help) = option.split_once(": ").expect("an option and its help");
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let (name, is_optional) = match name.strip_suffix('[') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let argument = Arg::new(name).long(name).help(help).help_heading(group);
    if value.is_empty() {
        return argument.action(ArgAction::SetTrue);
    }
    if is_optional {
        let value = value.trim_end_matches(']');
        return argument
            .value_name(value)
            .num_args(0..=1)
            .require_equals(true);
    }
    let hint = match value {
        "FILE" | "FOLDER" => ValueHint::AnyPath,
        _ => ValueHint::Other,
    };
    argument.value_name(value).value_hint(hint)
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
