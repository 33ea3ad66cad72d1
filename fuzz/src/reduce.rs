//! A program that shows a mismatch, made smaller as long as it shows it.
//!
//! ```text
//!   call, print, store            goes
//!   %x = anything : i32           becomes arith.constant 1 : i32
//!   cond_br %c, ^a, ^b            becomes br ^a, or br ^b; blocks that nothing leads to go
//!   func private @f               goes where nothing calls it
//! ```
//!
//! Delta debugging (Zeller and Hildebrandt, 2002): half of all edits at once, then quarters, down to single ones, until none is left that can
//! be made. Each candidate is checked in a process of its own, so a program that kills the compiler shrinks, too. An edit may make a program that is
//! not valid or not well defined: that one shows something else, and is not taken.

use std::path::Path;
use std::time::Duration;

use melior::Context;
use melior::ir::Attribute;
use tfx_ir::{Block, Builder, Op, Region, module};

use crate::check::Checker;
use crate::compiled::Runner;
use crate::generate::Generated;
use crate::process::{self, Ending};

/// Longer than one check takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The smallest program that was found that shows what this one does; nothing where it shows no mismatch.
pub fn reduce(
    context: &Context,
    runner: Option<&Runner>,
    program: &Generated,
) -> Option<Generated> {
    let wanted = symptom(context, runner, program)?;
    let mut program = program.clone();
    loop {
        let size = program.text.len();
        let mut chunk = edits(context, &program.text).max(1);
        while chunk > 0 {
            let mut first = 0;
            while first < edits(context, &program.text) {
                let smaller = edited(context, &program.text, first, chunk).map(|text| Generated {
                    text,
                    ..program.clone()
                });
                match smaller
                    .filter(|smaller| symptom(context, runner, smaller).as_ref() == Some(&wanted))
                {
                    Some(smaller) => program = smaller,
                    None => first += chunk,
                }
            }
            chunk /= 2;
        }
        if program.text.len() >= size {
            return Some(program);
        }
    }
}

/// What a program shows, in so many words that another one which shows it has the same fault.
fn symptom(context: &Context, runner: Option<&Runner>, program: &Generated) -> Option<String> {
    let folder = tempfile::tempdir().ok()?;
    let (output, errors) = (folder.path().join("out"), folder.path().join("err"));
    let work = || {
        if let Err(mismatch) = Checker::new(context, runner).check(program) {
            print!("{}", essence(&mismatch.to_string()));
        }
        i32::from(std::io::Write::flush(&mut std::io::stdout()).is_err())
    };
    match process::run(&output, &errors, PATIENCE, work).ok()? {
        Ending::Exit(0) => read(&output).filter(|text| !text.is_empty()),
        Ending::Exit(code) => Some(format!("exit code {code}")),
        Ending::Signal(signal) => Some(format!("signal {signal}")),
        Ending::Late => Some("it does not end".to_owned()),
    }
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// A message without what changes when a program shrinks: numbers, values and names in quotation marks.
fn essence(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let mut text = String::new();
    let mut quoted = false;
    for character in first.chars() {
        match character {
            '\'' => quoted = !quoted,
            _ if quoted || character.is_ascii_digit() => {}
            _ => text.push(character),
        }
    }
    text
}

/// One way to make a program smaller.
enum Edit<'a> {
    Erase(Op<'a>),
    /// Constants instead of the results.
    Constants(Op<'a>, Vec<Constant<'a>>),
    /// A branch to one successor alone.
    Go(Op<'a>, usize),
}

/// The operation that makes it, and its value.
type Constant<'a> = (&'static str, Attribute<'a>);

fn candidates<'a>(module: Op<'a>) -> Vec<Edit<'a>> {
    let mut edits = Vec::new();
    let called: Vec<_> = module.walk().flat_map(symbols).collect();
    for op in module.walk().skip(1) {
        if let Some(name) = op.symbol_name() {
            if op.is_private() && !called.contains(&name) {
                edits.push(Edit::Erase(op));
            }
        } else if op.num_successors() > 1 {
            edits.extend((0..op.num_successors()).map(|successor| Edit::Go(op, successor)));
        } else if op.block().and_then(Block::terminator) == Some(op) {
            // Blocks end somehow.
        } else if op.is_unused() {
            edits.push(Edit::Erase(op));
        } else if op.num_operands() > 0 || op.num_regions() > 0 {
            let constants: Option<Vec<_>> = op
                .results()
                .map(|result| constant(result.ty().to_string(), op))
                .collect();
            edits.extend(constants.map(|constants| Edit::Constants(op, constants)));
        }
    }
    edits
}

/// The symbols that the attributes of an operation name, at any depth.
fn symbols<'a>(op: Op<'a>) -> Vec<&'a str> {
    const NAMES: [&str; 3] = ["callee", "protocol", "graph"];
    let mut found: Vec<_> = NAMES.iter().filter_map(|name| op.symbol(name)).collect();
    if op.is("tfx_host.witness_table") || op.is("tfx_host.protocol") {
        // The functions of tables stay with them.
        found.extend(op.parent().into_iter().flat_map(|module| {
            let text = op.to_string();
            let named = module
                .children()
                .filter_map(|function| function.symbol_name());
            named
                .filter(move |name| text.contains(&format!("@{name}")))
                .collect::<Vec<_>>()
        }));
    }
    found
}

fn constant<'a>(ty: String, op: Op<'a>) -> Option<Constant<'a>> {
    let value = |text: String| Attribute::parse(op.context(), &text);
    match ty.as_str() {
        "i1" => Some(("arith.constant", value("true".to_owned())?)),
        "i32" | "i64" | "index" => Some(("arith.constant", value(format!("1 : {ty}"))?)),
        "f32" => Some(("arith.constant", value(format!("1.0 : {ty}"))?)),
        "tensor<4xf32>" => Some(("tfx_tensor.const", value(format!("dense<1.0> : {ty}"))?)),
        "tensor<i1>" => Some(("tfx_tensor.const", value(format!("dense<true> : {ty}"))?)),
        _ if ty.starts_with("tensor<") => {
            Some(("tfx_tensor.const", value(format!("dense<1> : {ty}"))?))
        }
        _ => None,
    }
}

/// How many edits a program has.
fn edits(context: &Context, text: &str) -> usize {
    let module = module::parse(context, text, "random.mlir");
    module.map_or(0, |module| candidates(module::as_op(&module)).len())
}

/// The program after some of its edits.
fn edited(context: &Context, text: &str, first: usize, count: usize) -> Option<String> {
    let module = module::parse(context, text, "random.mlir")?;
    let root = module::as_op(&module);
    let mut done: Vec<Op<'_>> = Vec::new();
    // From the last to the first, so that uses go before what they use.
    let chosen: Vec<_> = candidates(root)
        .into_iter()
        .skip(first)
        .take(count)
        .collect();
    for edit in chosen.into_iter().rev() {
        let (Edit::Erase(op) | Edit::Constants(op, _) | Edit::Go(op, _)) = &edit;
        // Several edits may be of one operation.
        if done.contains(op) {
            continue;
        }
        done.push(*op);
        apply(edit);
    }
    for function in root.children().filter(|op| op.is("func.func")) {
        erase_unreachable(function.region(0));
    }
    Some(root.to_string())
}

fn apply(edit: Edit<'_>) {
    match edit {
        Edit::Erase(op) if op.is_unused() => op.erase(),
        Edit::Erase(_) => {}
        Edit::Constants(op, constants) => {
            let mut builder = Builder::before(op);
            let values: Vec<_> = constants
                .into_iter()
                .zip(op.result_types())
                .map(|((name, value), ty)| {
                    builder
                        .op(name)
                        .attribute("value", value)
                        .result(ty)
                        .value()
                })
                .collect();
            op.replace_with(&values);
        }
        Edit::Go(op, successor) => {
            let operands = op.successor_operands(successor);
            // What an enum's case hands over itself has no value here.
            if operands.is_some_and(|operands| operands.produced() == 0) {
                let values = operands.map_or(Vec::new(), |operands| operands.values());
                Builder::before(op).br(op.successor(successor), &values);
                op.erase();
            }
        }
    }
}

fn erase_unreachable(region: Region<'_>) {
    let Some(entry) = region.entry() else {
        return;
    };
    let mut reached = vec![entry];
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        for next in block.successors() {
            if !reached.contains(&next) {
                reached.push(next);
                work.push(next);
            }
        }
    }
    let lost: Vec<_> = region
        .blocks()
        .filter(|block| !reached.contains(block))
        .collect();
    Block::erase_all(&lost);
}
