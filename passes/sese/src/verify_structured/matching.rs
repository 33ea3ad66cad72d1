//! Matching of operations.
//!
//! Two operations match if they are equal except for their operands and regions. An operation that
//! the structurer inserts may be equal to the first operation of a block:
//!
//! ```text
//!   ^b: %n = xori %a, %true            %f = xori %c, %true          inserted
//!       x                              scf.if %f {
//!                                        %n = xori %a, %true        the start of ^b
//!                                        x
//! ```
//!
//! In such a case, a block only starts where all of its operations follow and the operands of the
//! first one may be equal. This only selects a place: the operands are proved as anywhere else.

use rustc_hash::FxHashMap;
use tfx_ir::ops::Structured;
use tfx_ir::ops::arith::ArithOp::{self, AndI, CmpI, IndexCastUI, OrI, Select, XOrI};
use tfx_ir::{Block, Op, Region, Value};

use super::cfg::body_ops;
use super::difference::{Difference, differ};
use super::relation::{Claim, Place, Read, Simulation};
use super::source::{Source, is_constant};

/// The maximal number of compared operations.
const MAX_COMPARED: usize = 16;

/// Returns whether two operations are equal except for operands and regions.
pub(super) fn are_equivalent(one: Op<'_>, other: Op<'_>) -> bool {
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

/// Returns whether the structurer inserts operations of this kind.
pub(super) fn is_inserted(op: Op<'_>) -> bool {
    let is_for = |op| matches!(op, Structured::For(_));
    is_inserted_arith(op) || Structured::cast(op).is_some_and(|op| !is_for(op))
}

/// Returns whether the structurer inserts arithmetic of this kind.
pub(super) fn is_inserted_arith(op: Op<'_>) -> bool {
    matches!(
        ArithOp::cast(op),
        Some(XOrI(_) | OrI(_) | AndI(_) | CmpI(_) | Select(_) | IndexCastUI(_))
    )
}

/// Returns whether `block`, whose first operation is `first`, probably starts at `point`.
pub(super) fn starts_with<'a>(block: Block<'a>, first: Op<'a>, point: Op<'a>) -> bool {
    are_equivalent(first, point)
        && (!is_inserted(point)
            || have_equivalent_regions(first, point) && follows_from(block, point))
}

/// Returns whether the operations of `block` follow from `point` on.
fn follows_from<'a>(block: Block<'a>, point: Op<'a>) -> bool {
    let mut point = Some(point);
    for op in body_ops(block).take(MAX_COMPARED) {
        while let Some(here) = point.filter(|&here| is_constant(here)) {
            point = here.next();
        }
        match point {
            Some(here) if are_equivalent(op, here) => point = here.next(),
            _ => return false,
        }
    }
    true
}

/// Returns whether the regions of two operations start with equal operations, unless one is a CFG.
fn have_equivalent_regions(one: Op<'_>, other: Op<'_>) -> bool {
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
            if !are_equivalent(one, other) {
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

impl<'a> Simulation<'a> {
    /// Matches two operations: their operands must be equal, and then their results are.
    pub(super) fn match_ops(
        &mut self,
        (scope, node): Place,
        original: Op<'a>,
        structured: Op<'a>,
    ) -> Result<(), Difference<'a>> {
        let paired = self.matches.entry(original).or_default();
        if !paired.contains(&structured) {
            paired.push(structured);
            self.matched.insert(structured);
        }
        self.read_all((scope, node), original, structured)?;
        let here = &mut self.scopes[scope].nodes[node];
        for (one, other) in original.results().zip(structured.results()) {
            here.results.insert(one, other);
            here.defined.insert(other);
        }
        if original.num_regions() > 0 {
            self.match_regions((scope, node), original, structured)?;
        }
        Ok(())
    }

    pub(super) fn read_all(
        &mut self,
        (scope, node): Place,
        original: Op<'a>,
        structured: Op<'a>,
    ) -> Result<(), Difference<'a>> {
        for (one, other) in original.operands().zip(structured.operands()) {
            self.read((scope, node), (one, other), (original, structured))?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        (scope, node): Place,
        (original, structured): (Value<'a>, Value<'a>),
        ops: (Op<'a>, Op<'a>),
    ) -> Result<(), Difference<'a>> {
        if original.ty() != structured.ty() {
            return Err(differ(ops.1, ops.0, "it reads a value of another type"));
        }
        let claim = Claim {
            scope,
            node,
            original: Source::Value(original),
            structured: Source::Value(structured),
        };
        self.reads.push(Read { claim, ops });
        Ok(())
    }

    /// Compares the regions of two operations, with a worklist of pairs of regions.
    fn match_regions(
        &mut self,
        (scope, node): Place,
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
                self.start((outer, one), (other_outer, other), Some((scope, node)))?;
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
                            if are_equivalent(op, other_op)
                                && op
                                    .successors()
                                    .map(|block| numbers[&block])
                                    .eq(other_op.successors()) =>
                        {
                            (op, other_op)
                        }
                        _ => {
                            let reason = "a region has other operations";
                            return Err(differ(other_outer, outer, reason));
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
        let here = &mut self.scopes[scope].nodes[node];
        here.defined.extend(inside.values());
        here.results.extend(&inside);
        for ((one, other), op, other_op) in reads {
            match inside.get(&one) {
                Some(&found) if found == other => {}
                Some(_) => return Err(differ(other_op, op, "it reads another value")),
                None => self.read((scope, node), (one, other), (op, other_op))?,
            }
        }
        Ok(())
    }
}
