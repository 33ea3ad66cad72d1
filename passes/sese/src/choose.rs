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
use tfx_ir::{Block, Builder, Value};

use crate::cfg::{BlockId, EdgeId};
use crate::emit::{Emitter, Frame, Open, adopt};
use crate::landing::Target;
use crate::pending::{Choice, Others};
use crate::plan::is_scalar;
use crate::results::{Results, Yields};
use crate::tree::{OpId, RegionId};
use crate::ways::{Predicate, Way, either, select};

/// What an operation chooses by.
enum Test<'a> {
    /// `scf.if`.
    Flag(Value<'a>),
    /// `scf.index_switch` with these cases.
    Number(Value<'a>, Vec<i64>),
}

/// An arm: into which region it goes, and how its path starts.
struct Arm<'a> {
    into: usize,
    region: Option<RegionId>,
    edge: Option<EdgeId>,
    way: Way<'a>,
}

/// An arm that is done.
struct Done<'a> {
    into: usize,
    block: Block<'a>,
    yields: Yields<'a>,
}

/// An operation whose arms are being filled.
pub(crate) struct Choosing<'a> {
    op: OpId,
    test: Test<'a>,
    location: Location<'a>,
    arms: std::vec::IntoIter<Arm<'a>>,
    done: Vec<Done<'a>>,
}

impl<'a> Emitter<'a, '_> {
    // -----------------------------------------------------------------------------------------------------------------
    // What is chosen.

    pub(crate) fn branch(&mut self, op: OpId, block: BlockId, regions: &[RegionId]) {
        let edges = self.input.body.cfg.edges(block);
        let location = self.input.terminators.location[block];
        let operand =
            self.input.terminators.selector[block].expect("a branch has something that it tests");
        let selector = self.read(operand);
        let cases = &self.input.terminators.cases[block];
        let test = if regions.len() == 2 && cases.is_empty() {
            Test::Flag(selector)
        } else {
            let mut builder = self.builder(location);
            let index = Type::index(self.ways.context());
            Test::Number(as_index(&mut builder, selector, index), cases.clone())
        };
        let arm = |(into, (edge, &region))| Arm {
            into,
            region: Some(region),
            edge: Some(edge),
            way: Way::known(Choice::NEVER),
        };
        let arms = edges.zip(regions).enumerate().map(arm).collect();
        self.choose(op, test, location, arms);
    }

    pub(crate) fn dispatch(&mut self, op: OpId, arms: &[(Vec<Target>, RegionId)], passes: Choice) {
        let way = self.current().way;
        let location = self.location_of(&arms[0].0);
        let mut builder = self.builder(location);
        let (test, arms) = match arms {
            [(targets, region)] => {
                let (flag, inverted) = self.is_one_of(&mut builder, way, targets, passes);
                let entered = self.input.tree.regions[*region].entered;
                let mut known = |choice| Way {
                    choice,
                    values: self.ways.convert(&mut builder, way, choice),
                };
                let arm = Arm {
                    into: usize::from(inverted),
                    region: Some(*region),
                    edge: None,
                    way: known(entered),
                };
                (
                    Test::Flag(flag),
                    vec![arm, pass(usize::from(!inverted), known(passes))],
                )
            }
            [(first, one), (_, other)]
                if passes == Choice::NEVER && !matches!(way.choice.others, Others::Many) =>
            {
                let flag = self.ways.is_pending(&mut builder, way, first[0]);
                let arms = vec![self.arm(0, *one), self.arm(1, *other)];
                (Test::Flag(flag), arms)
            }
            _ => {
                let passing = Way {
                    choice: passes,
                    values: self.ways.convert(&mut builder, way, passes),
                };
                let number = self.ways.number_for(&mut builder, way);
                let (default, with_case) = match passes == Choice::NEVER {
                    true => (self.arm(0, arms[0].1), &arms[1..]),
                    false => (pass(0, passing), arms),
                };
                let mut cases = Vec::with_capacity(with_case.len());
                let mut all = vec![default];
                for (index, (targets, region)) in with_case.iter().enumerate() {
                    cases.push(self.ways.number(targets[0]));
                    all.push(self.arm(index + 1, *region));
                }
                (Test::Number(number, cases), all)
            }
        };
        self.choose(op, test, location, arms);
    }

    /// An arm that starts with one known target.
    fn arm(&self, into: usize, region: RegionId) -> Arm<'a> {
        Arm {
            into,
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
                let flags: Vec<Value<'a>> = targets
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
        match targets.first() {
            Some(&Target::Block(block)) if block != self.input.body.cfg.exit() => {
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

    fn choose(&mut self, op: OpId, test: Test<'a>, location: Location<'a>, arms: Vec<Arm<'a>>) {
        self.frames.push(Frame::Choose(Choosing {
            op,
            test,
            location,
            done: Vec::with_capacity(arms.len()),
            arms: arms.into_iter(),
        }));
    }

    pub(crate) fn next_arm(&mut self, mut choosing: Choosing<'a>) {
        let Some(arm) = choosing.arms.next() else {
            return self.finish_choice(choosing);
        };
        let block = Block::new(&[]);
        choosing.done.push(Done {
            into: arm.into,
            block,
            yields: Yields::never(0),
        });
        self.frames.push(Frame::Choose(choosing));
        self.open(arm.region, block, arm.way);
        if let Some(edge) = arm.edge {
            self.take(edge);
        }
    }

    pub(crate) fn close_arm(&mut self, mut choosing: Choosing<'a>, open: Open<'a>) {
        let mut builder = Builder::at_end(open.block, choosing.location);
        let yields = self.yields(choosing.op, &mut builder, open.way);
        self.undo_to(open.undo);
        if let Some(done) = choosing.done.last_mut() {
            done.yields = yields;
        }
        self.frames.push(Frame::Choose(choosing));
    }

    fn finish_choice(&mut self, mut choosing: Choosing<'a>) {
        choosing.done.sort_by_key(|done| done.into);
        let condition = match choosing.test {
            Test::Flag(flag) => Some(flag),
            Test::Number(..) => None,
        };
        let yields: Vec<&Yields<'a>> = choosing.done.iter().map(|done| &done.yields).collect();
        let results = self.find_results(choosing.op, &yields, condition);
        let empty = choosing.done.iter().all(|done| done.block.is_empty());
        let values = match choosing.test {
            _ if empty && results.columns.is_empty() => Vec::new(),
            Test::Flag(flag) if empty && is_select(&results) => {
                self.selects(flag, &results, choosing.location)
            }
            _ => return self.make_choice(choosing, &results),
        };
        choosing.done.iter().for_each(|done| done.block.erase());
        self.finish(choosing.op, &results, |index| values[index]);
    }

    /// A branch neither of whose arms does anything needs no `scf.if`, unless values are not scalars.
    fn selects(
        &mut self,
        flag: Value<'a>,
        results: &Results<'a>,
        location: Location<'a>,
    ) -> Vec<Value<'a>> {
        let depth = self.current().depth;
        let (then, otherwise) = (
            self.operands(results, 0, depth),
            self.operands(results, 1, depth),
        );
        let mut builder = self.builder(location);
        let pairs = then.into_iter().zip(otherwise);
        let mut values = Vec::new();
        for (one, other) in pairs {
            let flags = (self.ways.as_flag(one), self.ways.as_flag(other));
            values.push(match flags {
                (Some(false), Some(true)) => self.ways.not(&mut builder, flag),
                _ => select(&mut builder, flag, one, other),
            });
        }
        values
    }

    fn make_choice(&mut self, mut choosing: Choosing<'a>, results: &Results<'a>) {
        let depth = self.current().depth;
        let no_else = matches!(choosing.test, Test::Flag(_)) && results.columns.is_empty();
        if no_else && choosing.done[1].block.is_empty() {
            choosing
                .done
                .pop()
                .into_iter()
                .for_each(|done| done.block.erase());
        }
        for (index, done) in choosing.done.iter().enumerate() {
            let operands = self.operands(results, index, depth);
            Builder::at_end(done.block, choosing.location).scf_yield(&operands);
        }
        let mut builder = self.builder(choosing.location);
        let types = results.types();
        let made = match choosing.test {
            Test::Flag(flag) => builder.scf_if(flag, &types),
            Test::Number(number, cases) => builder.scf_index_switch(number, &cases, &types),
        };
        adopt(
            made,
            choosing.done.iter().map(|done| (done.into, done.block)),
        );
        self.finish(choosing.op, results, |index| made.result(index));
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
    results.columns.iter().all(|column| is_scalar(column.ty))
}

/// An arm in which nothing runs.
fn pass<'a>(into: usize, way: Way<'a>) -> Arm<'a> {
    Arm {
        into,
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
    builder
        .op("arith.index_castui")
        .operand(selector)
        .result(index)
        .value()
}
