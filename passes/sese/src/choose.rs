//! Branches and dispatches: `scf.if`, `scf.index_switch`, or a select where no arm does anything.
//!
//! ```text
//!   branch    cf.cond_br %c       =>   scf.if %c { first arm } else { second arm }
//!             cf.switch %s        =>   scf.index_switch %s   (zero-extended, as its cases)
//!   dispatch  one arm of two ways =>   scf.if %flag { arm }
//!             many ways           =>   scf.index_switch %number, or scf.if (%number == arm) for one arm
//! ```
//!
//! Part of the walk in `emit.rs`. Every arm yields what the operation hands out. An `else` that would be empty is left out.

use melior::ir::{Location, Type};
use smallvec::{SmallVec, smallvec};
use tfx_ir::ops::arith;
use tfx_ir::{Block, Builder, Op, Value};

use crate::cfg::{BlockId, EdgeId};
use crate::emit::{Around, Emitter, Fate, Open};
use crate::landing::{Target, TargetKind};
use crate::number::Number;
use crate::pending::{Choice, Others};
use crate::plan::is_scalar;
use crate::results::{List, Results, Row, Rows};
use crate::tree::{ArmNumbers, OpId, RegionId};
use crate::ways::{Predicate, Values, Way, either, make, select};

/// What an operation chooses by.
enum Test<'a> {
    /// `scf.if`.
    Flag(Value<'a>),
    /// `scf.index_switch` with these cases.
    Number(Value<'a>, Vec<i64>),
}

/// An arm, and how its path starts.
struct Arm<'a> {
    region: Option<RegionId>,
    edge: Option<EdgeId>,
    way: Way<'a>,
}

/// Arms in the order of the operation's regions; mostly two.
type Arms<'a> = SmallVec<[Arm<'a>; 2]>;

/// An operation whose arms are being filled.
pub(crate) struct Choosing<'a> {
    op: OpId,
    test: Test<'a>,
    location: Location<'a>,
    arms: smallvec::IntoIter<[Arm<'a>; 2]>,
    /// The block of the function that the arm which is being filled is in, if it is one.
    origin: Option<BlockId>,
    /// What the arms that are done have.
    rows: Rows,
}

impl<'a> Emitter<'a, '_> {
    // -----------------------------------------------------------------------------------------------------------------
    // What is chosen.

    pub(crate) fn branch(&mut self, op: OpId, block: BlockId, first_arm: Number) {
        let edges = self.input.body.cfg.edges(block);
        let location = self.input.terminators.location[block];
        let operand =
            self.input.terminators.selector[block].expect("a branch has something that it tests");
        let selector = self.read(operand);
        let cases = self.input.terminators.cases(block);
        let test = if edges.len() == 2 && cases.is_empty() {
            Test::Flag(selector)
        } else {
            let mut builder = self.builder(location);
            let index = Type::index(self.ways.context());
            Test::Number(as_index(&mut builder, selector, index), cases.to_vec())
        };
        let arm = |(edge, region)| Arm {
            region: Some(region),
            edge: Some(edge),
            way: Way::known(Choice::NEVER),
        };
        let regions = self.input.tree.siblings(first_arm);
        let arms = edges.zip(regions).map(arm).collect();
        self.choose(op, test, location, arms);
    }

    pub(crate) fn dispatch(&mut self, op: OpId, arms: ArmNumbers, passes: Choice) {
        let way = self.current().way;
        let arms: SmallVec<[(&[Target], RegionId); 2]> =
            self.input.tree.dispatch_arms(arms).collect();
        let location = self.location_of(arms[0].0);
        let mut builder = self.builder(location);
        let (test, arms) = match &arms[..] {
            [(targets, region)] => {
                let (flag, inverted) = self.is_one_of(&mut builder, way, targets, passes);
                let entered = self.input.tree.regions[*region].entered;
                let mut known = |choice| Way {
                    choice,
                    values: self.ways.convert(&mut builder, way, choice),
                };
                let arm = Arm {
                    region: Some(*region),
                    edge: None,
                    way: known(entered),
                };
                let mut arms: Arms<'a> = smallvec![arm, pass(known(passes))];
                if inverted {
                    arms.swap(0, 1);
                }
                (Test::Flag(flag), arms)
            }
            [(first, one), (_, other)]
                if passes == Choice::NEVER && !matches!(way.choice.others, Others::Many) =>
            {
                let flag = self.ways.is_pending(&mut builder, way, first[0]);
                let arms = smallvec![self.arm(*one), self.arm(*other)];
                (Test::Flag(flag), arms)
            }
            _ => {
                let passing = Way {
                    choice: passes,
                    values: self.ways.convert(&mut builder, way, passes),
                };
                let number = self.ways.number_for(&mut builder, way);
                let (default, with_case) = match passes == Choice::NEVER {
                    true => (self.arm(arms[0].1), &arms[1..]),
                    false => (pass(passing), &arms[..]),
                };
                let mut cases = Vec::with_capacity(with_case.len());
                let mut all: Arms<'a> = smallvec![default];
                for (targets, region) in with_case {
                    cases.push(self.ways.number(targets[0]));
                    all.push(self.arm(*region));
                }
                (Test::Number(number, cases), all)
            }
        };
        self.choose(op, test, location, arms);
    }

    /// An arm that starts with one known target.
    fn arm(&self, region: RegionId) -> Arm<'a> {
        Arm {
            region: Some(region),
            edge: None,
            way: Way::known(self.input.tree.regions[region].entered),
        }
    }

    /// A flag that tells whether one of `targets` is pending, and whether it tells the opposite.
    fn is_one_of(
        &mut self,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        targets: &[Target],
        passes: Choice,
    ) -> (Value<'a>, bool) {
        if let Choice {
            goes_on: Some(rest),
            others: Others::None,
        } = passes
        {
            return (self.ways.is_pending(builder, way, rest), true);
        }
        let all_but = (passes.only(), way.values.others);
        match (way.choice.goes_on, way.choice.others, targets, all_but) {
            (None, Others::Two(first, second), [only], _) if *only == second => {
                (self.ways.is_pending(builder, way, first), true)
            }
            (None, Others::Many, [_, _, ..], (Some(rest), Some(index))) => (
                self.ways.compare(builder, Predicate::NotEqual, index, rest),
                false,
            ),
            _ => {
                let flags: List<'a> = targets
                    .iter()
                    .map(|&target| self.ways.is_pending(builder, way, target))
                    .collect();
                let any = flags
                    .into_iter()
                    .reduce(|first, second| either(builder, first, second));
                (any.unwrap_or_else(|| self.ways.flag(false)), false)
            }
        }
    }

    /// Where a dispatch to these targets is placed in the source.
    fn location_of(&self, targets: &[Target]) -> Location<'a> {
        match targets.first().map(|target| target.kind()) {
            Some(TargetKind::Block(block)) if block != self.input.body.cfg.exit() => {
                let block = self.input.body.blocks[block];
                block
                    .first()
                    .map_or(self.input.body.function.location(), |op| op.location())
            }
            _ => self.input.body.function.location(),
        }
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Filling the arms, and then making the operation.

    fn choose(&mut self, op: OpId, test: Test<'a>, location: Location<'a>, arms: Arms<'a>) {
        self.choices.push(Choosing {
            op,
            test,
            location,
            arms: arms.into_iter(),
            origin: None,
            rows: self.start_rows(),
        });
        self.next_arm();
    }

    fn next_arm(&mut self) {
        let choosing = self.choices.last_mut().expect("an arm is one of a choice");
        let Some(arm) = choosing.arms.next() else {
            return self.finish_choice();
        };
        let origin = arm.region.and_then(|region| self.first_block(region));
        let block = match origin {
            Some(block) => self.input.body.blocks[block],
            None => Block::new(&[]),
        };
        if let Some(choosing) = self.choices.last_mut() {
            choosing.origin = origin;
        }
        self.open(Around::Choice, arm.region, block, arm.way);
        if let Some(edge) = arm.edge {
            self.take(edge);
        }
    }

    pub(crate) fn close_arm(&mut self) {
        let choosing = self.choices.last().expect("an arm is one of a choice");
        let (op, location, origin) = (choosing.op, choosing.location, choosing.origin);
        let Open { block, way, .. } = *self.current();
        let mut row = Row {
            block,
            origin,
            ways: Values::NONE,
            choice: way.choice,
        };
        if way.choice != Choice::NEVER {
            let mut builder = self.builder(location);
            let left = self.input.tree.ops[op].left;
            row.ways = self.ways.convert(&mut builder, way, left);
        }
        self.add_row(op, row);
        self.leave();
        self.next_arm();
    }

    fn finish_choice(&mut self) {
        let choosing = self.choices.pop().expect("an arm is one of a choice");
        let condition = match choosing.test {
            Test::Flag(flag) => Some(flag),
            Test::Number(..) => None,
        };
        let (op, rows) = (choosing.op, choosing.rows);
        let results = self.find_results(op, rows, condition);
        let empty = self.rows[rows.first..]
            .iter()
            .all(|row| row.block.is_empty());
        let values = match choosing.test {
            _ if empty && results.types.is_empty() => List::new(),
            Test::Flag(flag) if empty && is_select(&results) => {
                self.selects(flag, &results, rows, choosing.location)
            }
            _ => {
                let made = self.make_choice(choosing, &results);
                self.drop_rows(rows);
                return self.finish(op, &results, |index| made.result(index));
            }
        };
        for row in &self.rows[rows.first..] {
            discard(row);
        }
        self.drop_rows(rows);
        self.finish(op, &results, |index| values[index]);
    }

    /// A branch neither of whose arms does anything needs no `scf.if`, unless values are not scalars.
    fn selects(
        &mut self,
        flag: Value<'a>,
        results: &Results<'a>,
        rows: Rows,
        location: Location<'a>,
    ) -> List<'a> {
        let then = self.operands(results, rows, 0);
        let otherwise = self.operands(results, rows, 1);
        let mut builder = self.builder(location);
        let pairs = then.into_iter().zip(otherwise);
        let mut values = List::new();
        for (one, other) in pairs {
            let flags = (self.ways.as_flag(one), self.ways.as_flag(other));
            values.push(match flags {
                (Some(false), Some(true)) => self.ways.not(&mut builder, flag),
                _ => select(&mut builder, flag, one, other),
            });
        }
        values
    }

    fn make_choice(&mut self, choosing: Choosing<'a>, results: &Results<'a>) -> Op<'a> {
        let (rows, location) = (choosing.rows, choosing.location);
        let no_else = matches!(choosing.test, Test::Flag(_)) && results.types.is_empty();
        if no_else && self.rows.last().is_some_and(|row| row.block.is_empty()) {
            self.rows.pop().iter().for_each(discard);
        }
        let mut builder = self.builder(location);
        let made = match choosing.test {
            Test::Flag(flag) => builder.scf_if(flag, &results.types),
            Test::Number(number, cases) => builder.scf_index_switch(number, &cases, &results.types),
        };
        for index in 0..self.rows.len() - rows.first {
            let operands = self.operands(results, rows, index);
            let Row { block, origin, .. } = self.rows[rows.first + index];
            self.ways.builder(block, location).scf_yield(&operands);
            block.move_to_end(made.region(index));
            if let Some(origin) = origin {
                self.fates[origin] = Fate::Moved;
            }
        }
        made
    }

    /// After an operation: fills what it hands out.
    pub(crate) fn finish(
        &mut self,
        op: OpId,
        results: &Results<'a>,
        result: impl Fn(usize) -> Value<'a>,
    ) {
        self.fill_results(op, results, &result);
        self.current().way = self.way_after(op, results, &result);
    }
}

fn is_select(results: &Results<'_>) -> bool {
    results.types.iter().all(|&ty| is_scalar(ty))
}

/// Erases the empty block of an arm that needs none. One of the function is erased with the others in the end.
fn discard(row: &Row<'_>) {
    if row.origin.is_none() {
        row.block.erase();
    }
}

/// An arm in which nothing runs.
fn pass(way: Way<'_>) -> Arm<'_> {
    Arm {
        region: None,
        edge: None,
        way,
    }
}

/// A switch's selector as `scf.index_switch` takes it.
fn as_index<'a>(builder: &mut Builder<'a>, selector: Value<'a>, index: Type<'a>) -> Value<'a> {
    if selector.ty() == index {
        return selector;
    }
    make(builder, arith::IndexCastUI::NAME)
        .operand(selector)
        .result(index)
        .value()
}
