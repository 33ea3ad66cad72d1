//! Partial evaluation: the behaviour of a part of a control-flow graph for some known scalars, and
//! a copy of the part for them.
//!
//! ```text
//!   ^entry(%n): %p = cmpi eq, %n, 0            with %n = 3:     ^entry: br ^more
//!               cond_br %p, ^done, ^more                        ^more: %m = constant 2
//!   ^more: %m = subi %n, 1                                             ...
//! ```
//!
//! # Algorithm
//!
//! The blocks are visited once, each after all its predecessors except those of back edges: scalars
//! with constant operands are computed, branches on them are folded, and a block argument is known
//! if all incoming branches forward the same value (Wegman, Zadeck, "Constant Propagation with
//! Conditional Branches", 1991, without its iteration: nothing is known about the header of a loop
//! within the part). Cost: linear in the part.

use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike};
use rustc_hash::FxHashMap as HashMap;
use tfx_ir::cast::Cast;
use tfx_ir::ops::cf;
use tfx_ir::scalars::{Scalars, integer};
use tfx_ir::{Block, Builder, Mapping, Op, Region, Value};

use crate::flow::Flow;

/// The known content of a value.
pub(crate) type Known<'a> = Option<Attribute<'a>>;

/// A part of a control-flow graph with one entry.
pub(crate) struct Blocks<'a> {
    /// The entry first, each block after all its predecessors except those of back edges.
    blocks: Vec<Block<'a>>,
    index: HashMap<Block<'a>, usize>,
    /// By block: whether and how control returns to it without passing the entry.
    again: Vec<Again>,
}

/// The successors in which control may reach a block several times when the part runs once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    Never,
    /// It is the header of a loop.
    Header,
    /// It is in a loop with several entries: a branch from a later block alone may reach it.
    Anyhow,
}

/// The facts about one execution of the part.
pub(crate) struct Trip<'a> {
    known: HashMap<Value<'a>, Attribute<'a>>,
    /// By block: whether it is reached.
    reached: Vec<bool>,
    /// True if a condition was known.
    pub(crate) decides: bool,
    /// The arguments of the entry at the next execution, if control returns to it.
    pub(crate) next: Option<Vec<Known<'a>>>,
}

impl<'a> Blocks<'a> {
    /// Returns the part of these blocks, in reverse postorder.
    pub(crate) fn new(flow: &Flow<'a>, blocks: Vec<Block<'a>>) -> Self {
        let index: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let mut again = vec![Again::Never; blocks.len()];
        for (number, block) in blocks.iter().enumerate() {
            for target in block.successors() {
                let position = index.get(&target).copied();
                if let Some(target) = position.filter(|target| (1..=number).contains(target)) {
                    let header = blocks[target];
                    let is_header = header == *block || flow.strictly_dominates(header, *block);
                    again[target] = match is_header {
                        true if again[target] != Again::Anyhow => Again::Header,
                        _ => Again::Anyhow,
                    };
                }
            }
        }
        Self {
            blocks,
            index,
            again,
        }
    }

    pub(crate) fn first(&self) -> Block<'a> {
        self.blocks[0]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Block<'a>> + '_ {
        self.blocks.iter().copied()
    }

    pub(crate) fn contains(&self, block: Block<'a>) -> bool {
        self.index.contains_key(&block)
    }

    /// Returns the number of its operations.
    pub(crate) fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.ops().count()).sum()
    }

    /// Evaluates the part for these arguments of the entry.
    pub(crate) fn trip(&self, arguments: Vec<Known<'a>>, scalars: &mut Scalars<'a>) -> Trip<'a> {
        let mut trip = Trip {
            known: HashMap::default(),
            reached: vec![false; self.blocks.len()],
            decides: false,
            next: None,
        };
        let mut incoming: Vec<Option<Vec<Known<'a>>>> = vec![None; self.blocks.len()];
        incoming[0] = Some(arguments);
        for (number, block) in self.blocks.iter().enumerate() {
            let anyhow = (self.again[number] == Again::Anyhow).then(Vec::new);
            let Some(arguments) = incoming[number].take().or(anyhow) else {
                continue;
            };
            trip.reached[number] = true;
            // When control returns, the values differ.
            if self.again[number] == Again::Never {
                let known = block.arguments().zip(arguments);
                trip.known
                    .extend(known.filter_map(|(argument, known)| Some((argument, known?))));
            }
            for op in block.ops() {
                trip.evaluate(op, scalars);
            }
            let Some(branch) = block.last() else { continue };
            let successors = match trip.taken(branch) {
                Some(successor) => {
                    trip.decides = true;
                    successor..successor + 1
                }
                None => 0..branch.num_successors(),
            };
            for successor in successors {
                let Some(target) = self.index.get(&branch.successor(successor)) else {
                    continue;
                };
                let operands = branch.successor_operands(successor);
                let values = (0..branch.successor(successor).num_arguments())
                    .map(|index| trip.value(operands.as_ref()?.value(index)?));
                let values = values.collect();
                let known = match *target {
                    0 => &mut trip.next,
                    target => &mut incoming[target],
                };
                join_facts(known, values);
            }
        }
        trip
    }

    /// Copies the reached code to the end of a region. Returns the copy of the entry and the
    /// branches back to the entry, for which it is not copied.
    pub(crate) fn copy(
        &self,
        trip: &Trip<'a>,
        region: Region<'a>,
    ) -> (Block<'a>, Vec<(Op<'a>, usize)>) {
        let header = self.blocks[0];
        let mut mapping = Mapping::new();
        let mut copies = Vec::new();
        let reached = || {
            self.blocks
                .iter()
                .zip(&trip.reached)
                .filter(|(_, reached)| **reached)
                .map(|(block, _)| *block)
        };
        for block in reached() {
            let copy = region.add_block_like(block);
            copies.push(copy);
            block
                .arguments()
                .zip(copy.arguments())
                .for_each(|(old, new)| mapping.map(old, new));
            let target = if block == header { header } else { copy };
            mapping.map_block(block, target);
        }
        let mut latches = Vec::new();
        for (block, copy) in reached().zip(copies.iter().copied()) {
            self.copy_block(block, copy, trip, &mut mapping);
            let branch = copy.last().expect("a block of a loop ends with a branch");
            latches.extend(
                (0..branch.num_successors())
                    .filter(|index| branch.successor(*index) == header)
                    .map(|index| (branch, index)),
            );
        }
        (copies[0], latches)
    }

    fn copy_block(
        &self,
        block: Block<'a>,
        copy: Block<'a>,
        trip: &Trip<'a>,
        mapping: &mut Mapping<'a>,
    ) {
        for argument in block.arguments() {
            if let Some(known) = trip.known.get(&argument) {
                let constant =
                    Builder::at_end(copy, argument.location()).constant(*known, argument.ty());
                mapping.map(argument, constant);
            }
        }
        for op in block.ops() {
            let mut builder = Builder::at_end(copy, op.location());
            match trip.result_of(op) {
                Some(known) => {
                    let constant = builder.constant(known, op.result(0).ty());
                    mapping.map(op.result(0), constant);
                }
                None => match trip.taken(op) {
                    Some(successor) => {
                        let target = op.successor(successor);
                        let forwarded = op.successor_operands(successor);
                        let forwarded = forwarded.map_or(Vec::new(), |operands| operands.values());
                        let forwarded = forwarded.into_iter();
                        let forwarded = forwarded.map(|value| mapping.get_or_same(value));
                        let forwarded: Vec<_> = forwarded.collect();
                        builder.br(mapping.block(target).unwrap_or(target), &forwarded);
                    }
                    None => _ = builder.clone_op(op, mapping),
                },
            }
        }
    }
}

impl<'a> Trip<'a> {
    fn value(&self, value: Value<'a>) -> Known<'a> {
        self.known.get(&value).copied().or_else(|| constant(value))
    }

    fn evaluate(&mut self, op: Op<'a>, scalars: &mut Scalars<'a>) {
        let is_scalar = op.num_results() == 1
            && op.num_operands() > 0
            && op.num_regions() == 0
            && op.num_successors() == 0;
        if !is_scalar || !matches!(op.dialect(), "arith" | "math" | "index") {
            return;
        }
        let operands: Option<Vec<_>> = op.operands().map(|operand| self.value(operand)).collect();
        let results = operands.and_then(|operands| scalars.evaluate(op, &operands).ok());
        if let Some([result]) = results.as_deref() {
            self.known.insert(op.result(0), *result);
        }
    }

    fn result_of(&self, op: Op<'a>) -> Known<'a> {
        self.known.get(&op.results().next()?).copied()
    }

    /// Returns the successor that a branch takes, if known.
    fn taken(&self, branch: Op<'a>) -> Option<usize> {
        if let Some(branch) = cf::CondBranch::cast(branch) {
            return Some(usize::from(integer(self.value(branch.condition())?)? == 0));
        }
        let switch = cf::Switch::cast(branch)?;
        case_of(switch, self.value(switch.flag())?)
    }
}

/// Returns the number of a constant operation.
pub(crate) fn constant(value: Value<'_>) -> Known<'_> {
    let attribute = value.defining_op()?.constant_value()?;
    (attribute.is_integer() || attribute.is_float()).then_some(attribute)
}

/// Returns the successor of a switch for a number; `None` if its cases cannot be read.
pub(crate) fn case_of<'a>(switch: cf::Switch<'a>, number: Attribute<'a>) -> Option<usize> {
    let number = integer(number)?;
    let Some(cases) = switch.case_values() else {
        return Some(0);
    };
    let cases = DenseElementsAttribute::cast(cases)?;
    let width = IntegerType::cast(switch.flag().ty()).map_or(i64::BITS, |ty| ty.width());
    let case = |position| match width {
        1 => cases.bool_element(position).map(i64::from).ok(),
        8 => cases.i8_element(position).map(i64::from).ok(),
        16 => cases.i16_element(position).map(i64::from).ok(),
        32 => cases.i32_element(position).map(i64::from).ok(),
        64 => cases.i64_element(position).ok(),
        _ => None,
    };
    for position in 0..cases.len() {
        if case(position)? == number {
            return Some(position + 1);
        }
    }
    Some(0)
}

/// Joins the facts of two paths: only common facts remain known.
pub(crate) fn join_facts<'a>(known: &mut Option<Vec<Known<'a>>>, other: Vec<Known<'a>>) {
    match known {
        None => *known = Some(other),
        Some(known) => known.iter_mut().zip(other).for_each(|(known, other)| {
            if *known != other {
                *known = None;
            }
        }),
    }
}
