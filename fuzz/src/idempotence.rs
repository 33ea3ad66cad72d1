//! Checks that pipelines are idempotent, also on modules that are partly extracted.
//!
//! ```text
//!   source ──tfx-extract──> extracted ──tfx-extract──────> the same text
//!     │                         └──────tfx-compile-graph──> the same text as from the source
//!     └──tfx-compile──> compiled ──tfx-compile──> the same text
//!
//!   extracted @main + renamed source + callers ──tfx-extract──> the same behaviour, and
//!                                                               unchanged extracted code
//! ```

use std::collections::HashSet;
use std::fmt::Write;
use tfx_dialects::tensor;

use tfx::{Program, pipelines};
use tfx_dialects::extracted::is_extracted;
use tfx_ir::diag::Collector;
use tfx_ir::{Op, module, pipeline};

use crate::mismatch::Mismatch;
use crate::runs::{MAIN, first_difference};

/// The suffix of the symbols in the second copy of a program.
const RENAMED: &str = ".src";
/// A function in source form that calls extracted code.
const SOURCE_CALLER: &str = "source_caller";
/// An extracted function that calls code in source form.
const EXTRACTED_CALLER: &str = "extracted_caller";
/// The functions of a mixed module with the behaviour of the source.
pub(crate) const ENTRIES: [&str; 3] = [MAIN, SOURCE_CALLER, EXTRACTED_CALLER];

/// The attribute with the name of a graph operation.
const TENSOR_OPERATION: &str = "tf_name";

/// The message of the protocol verifier about a graph in functional form, which it does not
/// analyze.
const NOT_ANALYZED: &str = "whose control flow is unknown";

/// Checks that a second run of passes changes nothing, except that it may find more sizes: then it
/// is the third run that changes nothing. Shape inference sees fewer callers of a function after
/// partition, which separates and erases some, so what they agree on may be more.
///
/// # Errors
/// The passes fail or change the program.
pub(crate) fn check_unchanged(
    program: &Program<'_>,
    name: &str,
    passes: &str,
) -> Result<(), Mismatch> {
    let text = module::as_op(program.module()).to_string();
    let again = rerun(program, name, passes)?;
    check_again(program, &text, &again, name, passes)
}

/// Checks that a second run of passes, which has produced `again`, changed nothing of a program
/// with this text, as [`check_unchanged`] does.
///
/// # Errors
/// The passes have changed the program, or a third run changes it.
pub(crate) fn check_again(
    program: &Program<'_>,
    text: &str,
    again: &Program<'_>,
    name: &str,
    passes: &str,
) -> Result<(), Mismatch> {
    let after = module::as_op(again.module()).to_string();
    if text == after {
        return Ok(());
    }
    if operations(program) != operations(again) {
        return check_equal(name, passes, &lines(text), &lines(&after));
    }
    check_result(again, name, passes, &after)
}

/// Checks that [`pipelines::COMPILE_GRAPH`] on an extracted program produces `compiled`, which its
/// stages have produced from the source one by one. It may find more sizes, as a second extraction
/// may: then it must produce the same from the extracted program and from its second extraction.
///
/// # Errors
/// The pipelines fail or produce another program.
pub(crate) fn check_compiled(
    extracted: &Program<'_>,
    compiled: &Program<'_>,
    text: &str,
) -> Result<(), Mismatch> {
    const STAGE: &str = "partitioned";
    let found = rerun(extracted, STAGE, pipelines::COMPILE_GRAPH)?;
    let after = module::as_op(found.module()).to_string();
    if text == after {
        return Ok(());
    }
    if operations(compiled) != operations(&found) {
        return check_equal(
            STAGE,
            pipelines::COMPILE_GRAPH,
            &lines(text),
            &lines(&after),
        );
    }
    let extracted = rerun(extracted, STAGE, pipelines::EXTRACT)?;
    check_result(&extracted, STAGE, pipelines::COMPILE_GRAPH, &after)
}

/// Checks that passes on a copy of a program produce the expected text.
///
/// # Errors
/// The passes fail or produce another text.
fn check_result(
    program: &Program<'_>,
    name: &str,
    passes: &str,
    expected: &str,
) -> Result<(), Mismatch> {
    let again = rerun(program, name, passes)?;
    let found = module::as_op(again.module()).to_string();
    check_equal(name, passes, &lines(expected), &lines(&found))
}

/// Returns a copy of a program after passes. The verifier would take most of the time, and the
/// result is compared with a program that it has accepted; it runs if the passes fail.
pub(crate) fn rerun<'a>(
    program: &Program<'a>,
    name: &str,
    passes: &str,
) -> Result<Program<'a>, Mismatch> {
    let copy = || Program::new(module::copy(program.module()));
    let again = copy();
    let pipeline = format!("builtin.module({passes})");
    let op = module::as_op(again.module());
    let silent = Collector::new(op.context());
    let result = pipeline::run_unverified(op, &pipeline);
    drop(silent);
    if result.is_ok() {
        return Ok(again);
    }
    let mut again = copy();
    match again.run(passes) {
        Ok(_) => Ok(again),
        Err(error) => Err(mismatch(name, passes, &format!("is rejected: {error}"))),
    }
}

fn check_equal(
    name: &str,
    passes: &str,
    expected: &[impl AsRef<str>],
    found: &[impl AsRef<str>],
) -> Result<(), Mismatch> {
    match first_difference(expected, found) {
        Some(what) => Err(mismatch(
            name,
            passes,
            &format!("produces another program: {what}"),
        )),
        None => Ok(()),
    }
}

fn mismatch(name: &str, passes: &str, what: &str) -> Mismatch {
    Mismatch::new(name, format!("'{passes}' on it {what}"))
}

/// Checks that graphs in functional form are accepted again, or that protocol verification reports
/// that it cannot analyze them. Their operations do not change. More sizes may be known, because
/// shape inference evaluates tensor operations that were scalar arithmetic before.
///
/// # Errors
/// The operations change, the passes are not idempotent, or there is another error.
pub(crate) fn check_functional(program: &Program<'_>, text: &str) -> Result<(), Mismatch> {
    const STAGE: &str = "legalized";
    let again = match rerun(program, STAGE, pipelines::COMPILE_GRAPH) {
        Err(mismatch) if mismatch.what.contains(NOT_ANALYZED) => return Ok(()),
        again => again?,
    };
    check_again(program, text, &again, STAGE, pipelines::COMPILE_GRAPH)
}

/// Returns the name of each operation, without types.
pub(crate) fn operations(program: &Program<'_>) -> Vec<String> {
    let name = |op: Op<'_>| {
        let operation = op.string(TENSOR_OPERATION).unwrap_or_default();
        format!("{} {operation}", op.name())
    };
    module::as_op(program.module()).walk().map(name).collect()
}

/// Returns the text of a partly extracted module: an extracted program, the source under other
/// names, and callers of both.
pub(crate) fn mixed_module(extracted: &Program<'_>, source: &str) -> String {
    let module = module::as_op(extracted.module());
    let text = module.to_string();
    let declared: HashSet<&str> = module.children().filter_map(Op::symbol_name).collect();
    let mut mixed = text
        .trim_end()
        .strip_suffix('}')
        .unwrap_or_default()
        .to_owned();
    let is_foreign = |line: &&str| line.starts_with("func.func private @") && !line.ends_with('{');
    let foreign: HashSet<&str> = source.lines().filter(is_foreign).map(symbol).collect();
    for line in source.lines() {
        if !is_foreign(&line) {
            _ = writeln!(mixed, "{}", renamed(line, &foreign));
        } else if !declared.contains(symbol(line)) {
            _ = writeln!(mixed, "{line}");
        }
    }
    let main = module
        .children()
        .find(|op| op.symbol_name() == Some(MAIN))
        .expect("every program has a main function");
    mixed + &callers(main) + "}\n"
}

/// Returns the first symbol of a line.
fn symbol(line: &str) -> &str {
    let name = line.split_once('@').map_or("", |(_, name)| name);
    let end = name.find(|c: char| !is_of_name(c)).unwrap_or(name.len());
    &name[..end]
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// Renames all symbols of a line except foreign functions.
fn renamed(line: &str, foreign: &HashSet<&str>) -> String {
    let mut parts = line.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !is_of_name(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let suffix = if foreign.contains(name) { "" } else { RENAMED };
        _ = write!(text, "@{name}{suffix}{rest}");
    }
    text
}

/// Returns the callers: one in source form, and one that starts a graph of its own.
fn callers(main: Op<'_>) -> String {
    let (inputs, results) = main.signature();
    let list = |types: &[melior::ir::Type<'_>]| {
        let types: Vec<_> = types.iter().map(ToString::to_string).collect();
        types.join(", ")
    };
    let parameters: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(index, ty)| format!("%a{index}: {ty}"))
        .collect();
    let arguments: Vec<_> = (0..inputs.len())
        .map(|index| format!("%a{index}"))
        .collect();
    let values: Vec<_> = (0..results.len())
        .map(|index| format!("%r#{index}"))
        .collect();
    let bound = match results.len() {
        0 => String::new(),
        count => format!("%r:{count} = "),
    };
    let returned = match results.len() {
        0 => "return".to_owned(),
        _ => format!("return {} : {}", values.join(", "), list(&results)),
    };
    let caller = |name: &str, first: &str, callee: &str| {
        format!(
            "func.func @{name}({}) -> ({}) {{\n{first}  {bound}func.call @{callee}({}) : ({}) -> ({})\n  {returned}\n}}\n",
            parameters.join(", "),
            list(&results),
            arguments.join(", "),
            list(&inputs),
            list(&results),
        )
    };
    let start = "  %p = tfx_comm.start @nothing.graph()\n  tfx_comm.finish %p\n";
    caller(SOURCE_CALLER, "", MAIN)
        + "tfx_tensor.graph @nothing.graph() {\n  tfx_tensor.return\n}\n"
        + &caller(EXTRACTED_CALLER, start, &format!("{MAIN}{RENAMED}"))
}

/// Checks that the extracted part of a mixed module is unchanged, apart from sizes: more of them
/// may be known, as [`check_unchanged`] says.
///
/// # Errors
/// A function that starts a graph, or a graph, has changed.
pub(crate) fn check_extracted_unchanged(
    extracted: &Program<'_>,
    mixed: &Program<'_>,
) -> Result<(), Mismatch> {
    let after = module::as_op(mixed.module());
    let text = |op: Op<'_>| without_sizes(&op.to_string());
    let texts: HashSet<String> = after.children().map(text).collect();
    let is_kept = |op: &Op<'_>| is_extracted(*op) || op.isa::<tensor::Graph>();
    let before = module::as_op(extracted.module());
    let mut lost = before
        .children()
        .filter(is_kept)
        .filter(|op| !texts.contains(&text(*op)));
    match lost.next() {
        Some(op) => Err(Mismatch::new(
            "mixed",
            format!(
                "'@{}' was extracted already, but has changed",
                op.symbol_name().unwrap_or_default()
            ),
        )),
        None => Ok(()),
    }
}

/// Returns a text without the sizes of the types of tensors.
fn without_sizes(text: &str) -> String {
    const START: &str = "tensor<";
    let mut parts = text.split(START);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str(START);
        let is_size = |c: char| c.is_ascii_digit() || "?*x".contains(c);
        result.push_str(part.trim_start_matches(is_size));
    }
    result
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}
