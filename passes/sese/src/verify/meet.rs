//! Operations that meet their likes.
//!
//! Two operations are alike that differ in nothing but what they read and what is in their regions. The structurer also makes
//! operations of its own, and one of these may look like the one that a block starts with:
//!
//! ```text
//!   ^b: %n = xori %a, %true            %f = xori %c, %true          a flag
//!       x                              scf.if %f {
//!                                        %n = xori %a, %true        and this is ^b
//!                                        x
//! ```
//!
//! So where that could be, the block is only taken to start where all of it follows and what its first operation reads is not
//! likely to be something else. That only tells where to look: what is found there is proved as anywhere else.

use rustc_hash::FxHashMap;
use tfx_ir::ops::{arith, scf};
use tfx_ir::{Block, Op, Region, Value};

use super::graph::happenings;
use super::source::{Source, is_constant};
use super::walk::{JobId, NodeId, Read, Same, Walker};
use super::{Difference, differ};

/// Operations that are compared to tell whether a block starts somewhere.
const MAX_COMPARED: usize = 16;

/// Whether two operations are the same but for what they read and what is in their regions.
pub(super) fn are_like(one: Op<'_>, other: Op<'_>) -> bool {
    one.name() == other.name()
        && one.location() == other.location()
        && one.num_operands() == other.num_operands()
        && one.num_results() == other.num_results()
        && one.num_regions() == other.num_regions()
        && one
            .results()
            .zip(other.results())
            .all(|(one, other)| one.ty() == other.ty())
        && one.attributes() == other.attributes()
}

/// Whether the structurer makes operations of this kind.
pub(super) fn is_made(op: Op<'_>) -> bool {
    is_computation(op)
        || matches!(
            op.name(),
            scf::If::NAME | scf::IndexSwitch::NAME | scf::While::NAME
        )
}

/// Whether the structurer computes with operations of this kind.
pub(super) fn is_computation(op: Op<'_>) -> bool {
    let names = [
        arith::XOrI::NAME,
        arith::OrI::NAME,
        arith::AndI::NAME,
        arith::CmpI::NAME,
        arith::Select::NAME,
        arith::IndexCastUI::NAME,
    ];
    names.contains(&op.name())
}

/// Whether `block` seems to start at `point` with `first`.
pub(super) fn starts_with<'a>(block: Block<'a>, first: Op<'a>, point: Op<'a>) -> bool {
    are_like(first, point)
        && (!is_made(point) || have_like_regions(first, point) && follow_alike(block, point))
}

/// Whether the operations of `block` follow from `point`.
fn follow_alike<'a>(block: Block<'a>, point: Op<'a>) -> bool {
    let mut point = Some(point);
    for op in happenings(block).take(MAX_COMPARED) {
        while let Some(here) = point.filter(|&here| is_constant(here)) {
            point = here.next();
        }
        match point {
            Some(here) if are_like(op, here) => point = here.next(),
            _ => return false,
        }
    }
    true
}

/// Whether the regions of two operations start alike, unless one is a graph of blocks.
fn have_like_regions(one: Op<'_>, other: Op<'_>) -> bool {
    let mut regions: Vec<(Region, Region)> = one.regions().zip(other.regions()).collect();
    let mut compared = 0;
    while let Some((one, other)) = regions.pop() {
        if one.is_empty() != other.is_empty() {
            return false;
        }
        let (Some(one), Some(other)) = (one.single_block(), other.single_block()) else {
            continue;
        };
        for (one, other) in one.ops().zip(other.ops()) {
            if !are_like(one, other) {
                return false;
            }
            compared += 1;
            if compared == MAX_COMPARED {
                return true;
            }
            regions.extend(one.regions().zip(other.regions()));
        }
    }
    true
}

impl<'a> Walker<'a> {
    /// Two operations that meet: what they read must be the same, and so is then what they make.
    pub(super) fn meet(
        &mut self,
        job: JobId,
        node: NodeId,
        original: Op<'a>,
        structured: Op<'a>,
    ) -> Result<(), Difference<'a>> {
        let paired = self.pairs.entry(original).or_default();
        if !paired.contains(&structured) {
            paired.push(structured);
            self.met.insert(structured);
        }
        self.read_all(job, node, original, structured)?;
        let here = &mut self.jobs[job].nodes[node];
        for (one, other) in original.results().zip(structured.results()) {
            here.results.insert(one, other);
            here.made.insert(other);
        }
        if original.num_regions() > 0 {
            self.meet_regions(job, node, original, structured)?;
        }
        Ok(())
    }

    pub(super) fn read_all(
        &mut self,
        job: JobId,
        node: NodeId,
        original: Op<'a>,
        structured: Op<'a>,
    ) -> Result<(), Difference<'a>> {
        for (one, other) in original.operands().zip(structured.operands()) {
            self.read(job, node, (one, other), (original, structured))?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        job: JobId,
        node: NodeId,
        (original, structured): (Value<'a>, Value<'a>),
        by: (Op<'a>, Op<'a>),
    ) -> Result<(), Difference<'a>> {
        if original.ty() != structured.ty() {
            return Err(differ(by.1, by.0, "it reads a value of another type"));
        }
        let same = Same {
            job,
            node,
            original: Source::Value(original),
            structured: Source::Value(structured),
        };
        self.reads.push(Read { same, by });
        Ok(())
    }

    /// Compares the regions of two operations, with a stack of pairs of regions.
    fn meet_regions(
        &mut self,
        job: JobId,
        node: NodeId,
        original: Op<'a>,
        structured: Op<'a>,
    ) -> Result<(), Difference<'a>> {
        let mut regions: Vec<_> = original
            .regions()
            .zip(structured.regions())
            .map(|(one, other)| (original, one, structured, other))
            .collect();
        let mut inside: FxHashMap<Value<'a>, Value<'a>> = FxHashMap::default();
        let mut reads = Vec::new();
        while let Some((outer, one, other_outer, other)) = regions.pop() {
            let (blocks, others) = (one.blocks().count(), other.blocks().count());
            if blocks > 1 && others == 1 {
                self.start((outer, one), (other_outer, other), Some((job, node)))?;
                continue;
            }
            let numbers: FxHashMap<Block<'a>, Block<'a>> =
                one.blocks().zip(other.blocks()).collect();
            let alike = |(one, other): (&Block<'a>, &Block<'a>)| {
                let types =
                    |block: &Block<'a>| block.arguments().map(Value::ty).collect::<Vec<_>>();
                types(one) == types(other)
            };
            if blocks != others || !numbers.iter().all(alike) {
                return Err(differ(other_outer, outer, "a region has other blocks"));
            }
            for (block, other_block) in one.blocks().zip(other.blocks()) {
                inside.extend(block.arguments().zip(other_block.arguments()));
                let (mut ops, mut other_ops) = (block.ops(), other_block.ops());
                loop {
                    let (op, other_op) = match (ops.next(), other_ops.next()) {
                        (None, None) => break,
                        (Some(op), Some(other_op))
                            if are_like(op, other_op)
                                && op
                                    .successors()
                                    .map(|block| numbers[&block])
                                    .eq(other_op.successors()) =>
                        {
                            (op, other_op)
                        }
                        _ => {
                            let what = "a region has other operations";
                            return Err(differ(other_outer, outer, what));
                        }
                    };
                    inside.extend(op.results().zip(other_op.results()));
                    let operands = op.operands().zip(other_op.operands());
                    reads.extend(operands.map(|pair| (pair, op, other_op)));
                    let nested = op.regions().zip(other_op.regions());
                    regions.extend(nested.map(|(one, other)| (op, one, other_op, other)));
                }
            }
        }
        let here = &mut self.jobs[job].nodes[node];
        here.made.extend(inside.values());
        here.results.extend(&inside);
        for ((one, other), op, other_op) in reads {
            match inside.get(&one) {
                Some(&found) if found == other => {}
                Some(_) => return Err(differ(other_op, op, "it reads another value")),
                None => self.read(job, node, (one, other), (op, other_op))?,
            }
        }
        Ok(())
    }
}
