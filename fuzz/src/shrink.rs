//! Reduction of a program while a predicate holds.
//!
//! ```text
//!   call, print, store            is erased
//!   %x = anything : i32           becomes arith.constant 1 : i32
//!   %y = op "Neg"(%x)             becomes %x, which has the same type
//!   cond_br %c, ^a, ^b            becomes br ^a, or br ^b; unreachable blocks are erased
//!   func private @f               is erased if it is not referenced
//! ```
//!
//! Delta debugging (Zeller and Hildebrandt, 2002): tries half of all edits at once, then quarters,
//! down to single edits, until no edit can be made. An edit may produce an invalid program; the
//! predicate must detect that. The number of calls of the predicate is about the number of edits
//! that cannot be made, plus a logarithmic number for the others. In between, the program is
//! parsed, edited and printed in time linear in its size.
//!
//! MLIR's own reducer is not used: in MLIR 22, `-reduction-tree` crashes if its first candidate
//! does not verify, which is nearly always the case.

use std::collections::HashSet;
use tfx_dialects::{host, tensor};
use tfx_ir::ops::{arith, func};

use melior::Context;
use melior::ir::Attribute;
use tfx_ir::{Block, Builder, Op, Region, module};

/// Returns the smallest program found for which `shows` holds. It holds for `text`.
pub fn smallest(context: &Context, text: &str, mut shows: impl FnMut(&str) -> bool) -> String {
    let mut text = text.to_owned();
    loop {
        let size = text.len();
        let mut count = edits(context, &text);
        let mut chunk = count.max(1);
        while chunk > 0 {
            let mut first = 0;
            while first < count {
                let smaller = edited(context, &text, first, chunk);
                match smaller.filter(|smaller| *smaller != text && shows(smaller)) {
                    Some(smaller) => {
                        text = smaller;
                        count = edits(context, &text);
                    }
                    None => first += chunk,
                }
            }
            chunk /= 2;
        }
        if text.len() >= size {
            return text;
        }
    }
}

/// The file name in diagnostics of candidates.
const NAME: &str = "reduced.mlir";

/// An edit that makes a program smaller.
enum Edit<'a> {
    Erase(Op<'a>),
    /// Replaces the results by constants.
    Constants(Op<'a>, Vec<Constant<'a>>),
    /// Replaces the result by the operand with this index.
    Operand(Op<'a>, usize),
    /// Replaces a terminator by a branch to one successor.
    Go(Op<'a>, usize),
}

/// The name of the operation that creates a constant, and its value.
type Constant<'a> = (&'static str, Attribute<'a>);

fn candidates<'a>(module: Op<'a>) -> Vec<Edit<'a>> {
    let mut edits = Vec::new();
    let named: HashSet<_> = module.walk().flat_map(symbols).collect();
    for op in module.walk().skip(1) {
        if let Some(name) = op.symbol_name() {
            if op.is_private() && !named.contains(name) {
                edits.push(Edit::Erase(op));
            }
        } else if op.num_successors() > 1 {
            edits.extend((0..op.num_successors()).map(|successor| Edit::Go(op, successor)));
        } else if op.block().and_then(Block::terminator) == Some(op) {
            // Blocks keep their terminators.
        } else if op.is_unused() {
            edits.push(Edit::Erase(op));
        } else if op.num_operands() > 0 || op.num_regions() > 0 {
            let constants: Option<Vec<_>> = op
                .results()
                .map(|result| constant(result.ty().to_string(), op))
                .collect();
            edits.extend(constants.map(|constants| Edit::Constants(op, constants)));
            if let [result] = op.result_types()[..] {
                let same = op.operands().position(|operand| operand.ty() == result);
                edits.extend(same.map(|operand| Edit::Operand(op, operand)));
            }
        }
    }
    edits
}

/// Returns the symbols that the attributes of an operation reference.
fn symbols<'a>(op: Op<'a>) -> Vec<&'a str> {
    const NAMES: [&str; 3] = ["callee", "protocol", "graph"];
    let mut found: Vec<_> = NAMES.iter().filter_map(|name| op.symbol(name)).collect();
    if op.isa::<host::WitnessTable>() || op.isa::<host::Protocol>() {
        // A table keeps its functions.
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

/// Returns a constant of a numeric type or of a tensor type.
fn constant<'a>(ty: String, op: Op<'a>) -> Option<Constant<'a>> {
    let one = |element: &str| match element {
        "i1" => Some("true"),
        "index" => Some("1"),
        "f16" | "bf16" | "f32" | "f64" => Some("1.0"),
        _ => {
            let width = element.strip_prefix('i')?;
            width.parse::<u32>().is_ok().then_some("1")
        }
    };
    let (name, text) = match ty
        .strip_prefix("tensor<")
        .and_then(|ty| ty.strip_suffix('>'))
    {
        None if ty == "i1" => (arith::Constant::NAME, "true".to_owned()),
        None => (arith::Constant::NAME, format!("{} : {ty}", one(&ty)?)),
        Some(shape) if shape.contains(['?', '*']) => return None,
        Some(shape) => {
            let element = shape
                .rsplit('x')
                .next()
                .filter(|_| !shape.ends_with("index"))?;
            (
                tensor::Const::NAME,
                format!("dense<{}> : {ty}", one(element)?),
            )
        }
    };
    Some((name, Attribute::parse(op.context(), &text)?))
}

/// Returns the number of edits of a program.
fn edits(context: &Context, text: &str) -> usize {
    let module = module::parse(context, text, NAME);
    module.map_or(0, |module| candidates(module::as_op(&module)).len())
}

/// Returns the program after some of its edits.
fn edited(context: &Context, text: &str, first: usize, count: usize) -> Option<String> {
    let module = module::parse(context, text, NAME)?;
    let root = module::as_op(&module);
    let mut done: HashSet<Op<'_>> = HashSet::new();
    // In reverse order, so that uses are erased before definitions.
    let chosen: Vec<_> = candidates(root)
        .into_iter()
        .skip(first)
        .take(count)
        .collect();
    for edit in chosen.into_iter().rev() {
        let (Edit::Erase(op) | Edit::Constants(op, _) | Edit::Operand(op, _) | Edit::Go(op, _)) =
            &edit;
        // Several edits may apply to one operation.
        if done.insert(*op) {
            apply(edit);
        }
    }
    for function in root.children().filter(|op| op.isa::<func::Func>()) {
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
        Edit::Operand(op, number) => op.replace_with(&[op.operand(number)]),
        Edit::Go(op, successor) => {
            let operands = op.successor_operands(successor);
            // The payload that an enum switch forwards is not available here.
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
    let mut reached = HashSet::from([entry]);
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        for next in block.successors() {
            if reached.insert(next) {
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
