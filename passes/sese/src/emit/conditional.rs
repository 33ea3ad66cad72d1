//! Branches and dispatches: `scf.if`, `scf.index_switch`, or a select if the arms are empty.
//!
//! ```text
//!   branch    cf.cond_br %c                =>   scf.if %c { first arm } else { second arm }
//!             cf.switch %s                 =>   scf.index_switch %s   (zero-extended, as its cases)
//!   dispatch  one arm, of two targets      =>   scf.if %flag { arm }
//!             one arm, of many targets     =>   scf.if (%number == target) { arm }
//!             several arms                 =>   scf.index_switch %number
//! ```
//!
//! Each arm yields the results of the operation. An `else` that would be empty is omitted.

use melior::ir::{Location, Type};
use smallvec::{SmallVec, smallvec};
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::{Block, Builder, Op, Value};

use super::discriminator::{Discriminator, PathState, either, is_scalar, select, synthesized};
use super::emitter::{BlockUse, Emitter, Row, Values};
use super::results::{Results, Rows};
use crate::cfg::{BlockId, EdgeId};
use crate::number::Number;
use crate::pending::{Others, TargetSet};
use crate::tree::{ArmNumbers, OpId, RegionId};
use crate::units::{Target, TargetKind};

/// The operand that selects an arm.
enum Test<'a> {
    /// The condition of an `scf.if`.
    Flag(Value<'a>),
    /// The operand and the cases of an `scf.index_switch`.
    Number(Value<'a>, Vec<i64>),
}

/// An arm, and the start of its path: an edge or a state.
struct Arm<'a> {
    region: Option<RegionId>,
    edge: Option<EdgeId>,
    state: PathState<'a>,
}

/// Arms in the order of the operation's regions; usually two.
type Arms<'a> = SmallVec<[Arm<'a>; 2]>;

/// An `scf.if` or `scf.index_switch` whose arms are being filled.
pub(super) struct Conditional<'a> {
    op: OpId,
    test: Test<'a>,
    location: Location<'a>,
    /// The arms that are not open yet.
    arms: smallvec::IntoIter<[Arm<'a>; 2]>,
    /// The block of the function that is the block of the open arm, if it was not created.
    origin: Option<BlockId>,
    /// The rows of the finished arms.
    rows: Rows,
}

impl<'a> Conditional<'a> {
    /// Starts the operation of a branch.
    pub(super) fn branch(
        emitter: &mut Emitter<'a, '_>,
        op: OpId,
        block: BlockId,
        first_arm: Number,
    ) -> Self {
        let input = emitter.input;
        let edges = input.body.cfg.edges(block);
        let location = input.terminators.location[block];
        let condition = input.terminators.condition[block].expect("a branch has a condition");
        let condition = emitter.read(condition);
        let cases = input.terminators.cases(block);
        let test = if edges.len() == 2 && cases.is_empty() {
            Test::Flag(condition)
        } else {
            let index = Type::index(emitter.encoder.context());
            let number = as_index(emitter.builder(location), condition, index);
            Test::Number(number, cases.to_vec())
        };
        let arm = |(edge, region)| Arm {
            region: Some(region),
            edge: Some(edge),
            state: PathState::without_values(TargetSet::EMPTY),
        };
        let arms = edges.zip(input.tree.siblings(first_arm)).map(arm).collect();
        Self::new(emitter, op, test, location, arms)
    }

    /// Starts the operation of a dispatch.
    pub(super) fn dispatch(
        emitter: &mut Emitter<'a, '_>,
        op: OpId,
        arms: ArmNumbers,
        otherwise: TargetSet,
    ) -> Self {
        let state = emitter.current().state;
        let arms: SmallVec<[(&[Target], RegionId); 2]> =
            emitter.input.tree.dispatch_arms(arms).collect();
        let location = location_of(emitter, arms[0].0);
        let builder = emitter.builder(location);
        let (test, arms) = match &arms[..] {
            [(targets, region)] => {
                let (flag, inverted) = is_one_of(emitter, builder, state, targets, otherwise);
                let at_start = emitter.input.tree.regions[*region].at_start;
                let mut encoded = |targets| PathState {
                    targets,
                    discriminator: emitter.encoder.encode(builder, state, targets),
                };
                let arm = Arm {
                    region: Some(*region),
                    edge: None,
                    state: encoded(at_start),
                };
                let mut arms: Arms<'a> = smallvec![arm, empty_arm(encoded(otherwise))];
                if inverted {
                    arms.swap(0, 1);
                }
                (Test::Flag(flag), arms)
            }
            [(first, one), (_, other)]
                if otherwise == TargetSet::EMPTY
                    && !matches!(state.targets.others, Others::Many) =>
            {
                let flag = emitter.encoder.is_pending(builder, state, first[0]);
                let arms = smallvec![arm_at(emitter, *one), arm_at(emitter, *other)];
                (Test::Flag(flag), arms)
            }
            _ => {
                let passing = PathState {
                    targets: otherwise,
                    discriminator: emitter.encoder.encode(builder, state, otherwise),
                };
                let number = emitter.encoder.number_of_pending(builder, state);
                let (default, with_case) = match otherwise == TargetSet::EMPTY {
                    true => (arm_at(emitter, arms[0].1), &arms[1..]),
                    false => (empty_arm(passing), &arms[..]),
                };
                let mut cases = Vec::with_capacity(with_case.len());
                let mut all: Arms<'a> = smallvec![default];
                for (targets, region) in with_case {
                    cases.push(emitter.encoder.number(targets[0]));
                    all.push(arm_at(emitter, *region));
                }
                (Test::Number(number, cases), all)
            }
        };
        Self::new(emitter, op, test, location, arms)
    }

    fn new(
        emitter: &mut Emitter<'a, '_>,
        op: OpId,
        test: Test<'a>,
        location: Location<'a>,
        arms: Arms<'a>,
    ) -> Self {
        let mut conditional = Self {
            op,
            test,
            location,
            arms: arms.into_iter(),
            origin: None,
            rows: emitter.start_rows(),
        };
        conditional.open_arm(emitter);
        conditional
    }

    /// Opens the next arm. Returns false if there is none.
    fn open_arm(&mut self, emitter: &mut Emitter<'a, '_>) -> bool {
        let Some(arm) = self.arms.next() else {
            return false;
        };
        self.origin = arm.region.and_then(|region| emitter.first_block(region));
        let block = match self.origin {
            Some(block) => emitter.input.body.blocks[block],
            None => Block::new(&[]),
        };
        emitter.open(arm.region, block, arm.state);
        if let Some(edge) = arm.edge {
            emitter.take_edge(edge);
        }
        true
    }

    /// Ends the open arm and opens the next one. Returns false if there is none.
    pub(super) fn next_arm(&mut self, emitter: &mut Emitter<'a, '_>) -> bool {
        let open = *emitter.current();
        let mut row = Row {
            block: open.block,
            origin: self.origin,
            discriminator: Discriminator::NONE,
            targets: open.state.targets,
        };
        if row.targets != TargetSet::EMPTY {
            let builder = emitter.builder(self.location);
            let at_end = emitter.input.tree.ops[self.op].at_end;
            row.discriminator = emitter.encoder.encode(builder, open.state, at_end);
        }
        emitter.end_row(self.op, row);
        self.open_arm(emitter)
    }

    /// Builds the operation from its arms, or selects.
    pub(super) fn finish(self, emitter: &mut Emitter<'a, '_>) {
        let (op, rows) = (self.op, self.rows);
        let condition = match self.test {
            Test::Flag(flag) => Some(flag),
            Test::Number(..) => None,
        };
        let results = emitter.find_results(op, rows, condition);
        let is_empty = |row: &Row<'a>| row.block.is_empty();
        let are_empty = emitter.rows[rows.first..].iter().all(is_empty);
        let values = match self.test {
            _ if are_empty && results.types.is_empty() => Values::new(),
            Test::Flag(flag) if are_empty && results.types.iter().all(|&ty| is_scalar(ty)) => {
                self.selects(emitter, flag, &results)
            }
            _ => {
                let built = self.build(emitter, &results);
                emitter.drop_rows(rows);
                return emitter.continue_after(op, &results, |index| built.result(index));
            }
        };
        emitter.rows[rows.first..].iter().for_each(discard);
        emitter.drop_rows(rows);
        emitter.continue_after(op, &results, |index| values[index]);
    }

    /// Builds the selects that replace an `scf.if` with empty arms and scalar results.
    fn selects(
        &self,
        emitter: &mut Emitter<'a, '_>,
        flag: Value<'a>,
        results: &Results<'a>,
    ) -> Values<'a> {
        let then = emitter.operands(results, self.rows, 0);
        let otherwise = emitter.operands(results, self.rows, 1);
        let builder = emitter.builder(self.location);
        let encoder = &mut emitter.encoder;
        let pairs = then.into_iter().zip(otherwise);
        let value = |(one, other)| match (encoder.as_flag(one), encoder.as_flag(other)) {
            (Some(false), Some(true)) => encoder.not(builder, flag),
            _ => select(builder, flag, one, other),
        };
        pairs.map(value).collect()
    }

    fn build(self, emitter: &mut Emitter<'a, '_>, results: &Results<'a>) -> Op<'a> {
        let (rows, location) = (self.rows, self.location);
        let no_else = matches!(self.test, Test::Flag(_)) && results.types.is_empty();
        if no_else && emitter.rows.last().is_some_and(|row| row.block.is_empty()) {
            emitter.rows.pop().iter().for_each(discard);
        }
        let mut builder = emitter.builder(location);
        let built = match self.test {
            Test::Flag(flag) => builder.scf_if(flag, &results.types),
            Test::Number(number, cases) => builder.scf_index_switch(number, &cases, &results.types),
        };
        for index in 0..emitter.rows.len() - rows.first {
            let operands = emitter.operands(results, rows, index);
            let Row { block, origin, .. } = emitter.rows[rows.first + index];
            let mut builder = emitter.encoder.builder(block, location);
            builder.scf_yield(&operands);
            block.move_to_end(built.region(index));
            if let Some(origin) = origin {
                emitter.uses[origin] = BlockUse::Moved;
            }
        }
        built
    }
}

/// Returns an arm that starts with one known target.
fn arm_at<'a>(emitter: &Emitter<'a, '_>, region: RegionId) -> Arm<'a> {
    Arm {
        region: Some(region),
        edge: None,
        state: PathState::without_values(emitter.input.tree.regions[region].at_start),
    }
}

/// Returns an arm without operations.
fn empty_arm(state: PathState<'_>) -> Arm<'_> {
    Arm {
        region: None,
        edge: None,
        state,
    }
}

/// Returns a flag that tells whether one of `targets` is pending, and whether it is inverted.
fn is_one_of<'a>(
    emitter: &mut Emitter<'a, '_>,
    builder: Builder<'a>,
    state: PathState<'a>,
    targets: &[Target],
    otherwise: TargetSet,
) -> (Value<'a>, bool) {
    let encoder = &mut emitter.encoder;
    if let TargetSet {
        continues: Some(rest),
        others: Others::None,
    } = otherwise
    {
        return (encoder.is_pending(builder, state, rest), true);
    }
    let all_but = (otherwise.only(), state.discriminator.others);
    match (
        state.targets.continues,
        state.targets.others,
        targets,
        all_but,
    ) {
        (None, Others::Two(first, second), [only], _) if *only == second => {
            (encoder.is_pending(builder, state, first), true)
        }
        (None, Others::Many, [_, _, ..], (Some(rest), Some(index))) => {
            let flag = encoder.compare(builder, CmpIPredicate::Ne, index, rest);
            (flag, false)
        }
        _ => {
            let flags = targets.iter();
            let flags: Values<'a> = flags
                .map(|&target| encoder.is_pending(builder, state, target))
                .collect();
            let any = flags
                .into_iter()
                .reduce(|first, second| either(builder, first, second));
            (any.unwrap_or_else(|| encoder.flag(false)), false)
        }
    }
}

/// Returns the location of a dispatch to these targets.
fn location_of<'a>(emitter: &Emitter<'a, '_>, targets: &[Target]) -> Location<'a> {
    let body = &emitter.input.body;
    let first = match targets.first().map(|target| target.kind()) {
        Some(TargetKind::Block(block)) if block != body.cfg.exit() => body.blocks[block].first(),
        _ => None,
    };
    first.unwrap_or(body.owner).location()
}

/// Erases the empty block of an arm. Blocks of the function are erased at the end.
fn discard(row: &Row<'_>) {
    if row.origin.is_none() {
        row.block.erase();
    }
}

/// Zero-extends the operand of a switch to the `index` that `scf.index_switch` expects.
fn as_index<'a>(builder: Builder<'a>, value: Value<'a>, index: Type<'a>) -> Value<'a> {
    match value.ty() == index {
        true => value,
        false => arith::IndexCastUI::build(&mut synthesized(builder), index, value).out(),
    }
}
