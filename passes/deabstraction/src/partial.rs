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

use melior::ir::{Attribute, AttributeLike};
use rustc_hash::FxHashMap as HashMap;
use tfx_ir::ops::cf;
use tfx_ir::{Block, Builder, Mapping, Op, Region, Value};

use crate::constexpr::{Flow, Scalars, case_of, integer};

/// The known content of a value.
pub(crate) type Known<'a> = Option<Attribute<'a>>;

/// A part of a control-flow graph with one entry.
pub(crate) struct Blocks<'a> {
    /// The entry first, each block after all its predecessors except those of back edges.
    blocks: Vec<Block<'a>>,
    index: HashMap<Block<'a>, usize>,
    /// By block: whether control returns to it without passing the entry, and how.
    again: Vec<Again>,
}

/// Returns whether control may reach a block of the loop several times when the part runs once.
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
            let ways = match trip.taken(branch) {
                Some(way) => {
                    trip.decides = true;
                    way..way + 1
                }
                None => 0..branch.num_successors(),
            };
            for way in ways {
                let Some(target) = self.index.get(&branch.successor(way)) else {
                    continue;
                };
                let handed = branch.successor_operands(way);
                let values = (0..branch.successor(way).num_arguments())
                    .map(|index| trip.value(handed.as_ref()?.value(index)?));
                let values = values.collect();
                meet(
                    if *target == 0 {
                        &mut trip.next
                    } else {
                        &mut incoming[*target]
                    },
                    values,
                );
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
            let arguments: Vec<_> = block
                .arguments()
                .map(|argument| (argument.ty(), argument.location()))
                .collect();
            let copy = region.add_block(&arguments);
            copies.push(copy);
            block
                .arguments()
                .zip(copy.arguments())
                .for_each(|(old, new)| mapping.map(old, new));
            if block != header {
                mapping.map_block(block, copy);
            } else {
                mapping.map_block(block, header);
            }
        }
        let mut latches = Vec::new();
        for (block, copy) in reached().zip(copies.iter().copied()) {
            self.copy_block(block, copy, trip, &mut mapping);
            let branch = copy.last().expect("a block of a loop ends with a branch");
            latches.extend(
                (0..branch.num_successors())
                    .filter(|way| branch.successor(*way) == header)
                    .map(|way| (branch, way)),
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
                    Some(way) => {
                        let target = op.successor(way);
                        let handed = op
                            .successor_operands(way)
                            .map(|handed| handed.values())
                            .unwrap_or_default();
                        let handed: Vec<_> = handed
                            .into_iter()
                            .map(|value| mapping.get_or_same(value))
                            .collect();
                        builder.br(mapping.block(target).unwrap_or(target), &handed);
                    }
                    None => {
                        builder.clone_op(op, mapping);
                    }
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
        match branch.name() {
            cf::CondBranch::NAME => {
                Some(usize::from(integer(self.value(branch.operand(0))?)? == 0))
            }
            cf::Switch::NAME => case_of(branch, self.value(branch.operand(0))?),
            _ => None,
        }
    }
}

/// Returns the number of a constant operation.
pub(crate) fn constant(value: Value<'_>) -> Known<'_> {
    let attribute = value.defining_op()?.constant_value()?;
    (attribute.is_integer() || attribute.is_float()).then_some(attribute)
}

/// Where two paths join, only common facts remain known.
pub(crate) fn meet<'a>(known: &mut Option<Vec<Known<'a>>>, other: Vec<Known<'a>>) {
    match known {
        None => *known = Some(other),
        Some(known) => known.iter_mut().zip(other).for_each(|(known, other)| {
            if *known != other {
                *known = None;
            }
        }),
    }
}
