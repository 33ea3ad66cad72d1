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
use tfx_ir::{Builder, Region, Value};

use crate::cfg::{BlockId, EdgeId};
use crate::emit::{Arm, Emitter, Frame};
use crate::landing::Target;
use crate::pending::Choice;
use crate::plan::is_scalar;
use crate::tree::{OpId, RegionId};
use crate::ways::{Predicate, Way};

impl<'a> Emitter<'a, '_> {
    pub(crate) fn branch(&mut self, op: OpId, block: BlockId, regions: &[RegionId]) {
        let edges = self.input.body.cfg.edges(block);
        let location = self.input.terminators.location[block];
        let operand =
            self.input.terminators.selector[block].expect("a branch has something that it tests");
        let selector = self.read(operand);
        let cases = &self.input.terminators.cases[block];
        let is_if = regions.len() == 2 && cases.is_empty();
        if is_if
            && regions
                .iter()
                .all(|&region| self.input.tree.regions[region].items.is_empty())
            && self.select(op, edges.clone(), selector, location)
        {
            return;
        }
        let mut builder = self.builder(location);
        let results = self.result_types(op);
        let made = if is_if {
            builder.scf_if(selector, &results)
        } else {
            let selector = as_index(&mut builder, selector, Type::index(self.ways.context()));
            builder.scf_index_switch(selector, cases, &results)
        };
        let way = Way {
            choice: Choice::Never,
            value: None,
        };
        let arm = |(index, (edge, &region))| Arm {
            into: made.region(index),
            region: Some(region),
            edge: Some(edge),
            way,
        };
        let mut arms: Vec<Arm<'a>> = edges.zip(regions).enumerate().map(arm).collect();
        if is_if && results.is_empty() && self.input.tree.regions[regions[1]].items.is_empty() {
            arms.truncate(1);
        }
        self.frames.push(Frame::Choose {
            op,
            made,
            arms: arms.into_iter(),
        });
    }

    /// A branch neither of whose arms does anything needs no `scf.if`, unless values are not scalars.
    fn select(
        &mut self,
        op: OpId,
        edges: std::ops::Range<EdgeId>,
        flag: Value<'a>,
        location: Location<'a>,
    ) -> bool {
        let slots = &self.input.plan.handed_out[op];
        let mark = self.undo.len();
        let mut sides = edges.map(|edge| {
            self.take(edge);
            let target = self.input.landings.target(&self.input.body.cfg, edge);
            let filled = self.input.slots.of(target);
            let value = |&slot| filled.contains(&slot).then(|| self.filled[slot]).flatten();
            let values: Vec<Option<Value<'a>>> = slots.iter().map(value).collect();
            self.undo_to(mark);
            (Choice::One(target), values)
        });
        let (Some((first_way, first)), Some((second_way, second))) = (sides.next(), sides.next())
        else {
            return false;
        };
        drop(sides);
        let pairs: Vec<(Option<Value<'a>>, Option<Value<'a>>)> =
            first.into_iter().zip(second).collect();
        let differ = |&(first, second): &(Option<Value<'a>>, Option<Value<'a>>)| {
            first.is_some() && second.is_some() && first != second
        };
        if pairs
            .iter()
            .any(|pair| differ(pair) && pair.0.is_some_and(|value| !is_scalar(value.ty())))
        {
            return false;
        }
        let mut builder = self.builder(location);
        for (&slot, pair) in slots.iter().zip(pairs) {
            let value = match pair {
                (Some(first), Some(second)) if first != second => builder
                    .op("arith.select")
                    .operands(&[flag, first, second])
                    .result(first.ty())
                    .value(),
                (Some(value), _) | (None, Some(value)) => value,
                (None, None) => continue,
            };
            self.fill(slot, value);
        }
        let choice = self.input.tree.ops[op].left;
        let value = match choice {
            Choice::Two(target, _) if first_way == Choice::One(target) => Some(flag),
            Choice::Two(target, _) if second_way == Choice::One(target) => {
                Some(self.ways.not(&mut builder, flag))
            }
            _ => None,
        };
        self.current().way = Way { choice, value };
        true
    }

    pub(crate) fn dispatch(&mut self, op: OpId, arms: &[(Vec<Target>, RegionId)], passes: Choice) {
        let way = self.current().way;
        let location = self.location_of(&arms[0].0);
        let mut builder = self.builder(location);
        let results = self.result_types(op);
        let pass = |into, value| Arm {
            into,
            region: None,
            edge: None,
            way: Way {
                choice: passes,
                value,
            },
        };
        let arms = match arms {
            [(targets, region)] => {
                let (flag, inverted) = self.is_one_of(&mut builder, way, targets, passes);
                let entered = self.input.tree.regions[*region].entered;
                let value = self.ways.convert(&mut builder, way, entered);
                let passing = self.ways.convert(&mut builder, way, passes);
                let made = builder.scf_if(flag, &results);
                let (then, otherwise) = (
                    made.region(usize::from(inverted)),
                    made.region(usize::from(!inverted)),
                );
                let arm = Arm {
                    into: then,
                    region: Some(*region),
                    edge: None,
                    way: Way {
                        choice: entered,
                        value,
                    },
                };
                let mut arms = vec![arm];
                if inverted || !results.is_empty() {
                    arms.push(pass(otherwise, passing));
                }
                (made, arms)
            }
            [(first, one), (_, other)] if matches!(way.choice, Choice::Two(..)) => {
                let flag = self.ways.is_pending(&mut builder, way, first[0]);
                let made = builder.scf_if(flag, &results);
                let arm = |index, region: RegionId| self.arm(made.region(index), region);
                (made, vec![arm(0, *one), arm(1, *other)])
            }
            _ => {
                let passing = self.ways.convert(&mut builder, way, passes);
                let with_case = if passes == Choice::Never {
                    &arms[1..]
                } else {
                    arms
                };
                let cases: Vec<i64> = with_case
                    .iter()
                    .map(|(targets, _)| self.ways.number(targets[0]))
                    .collect();
                let selector = way.value.expect("a value tells what is pending");
                let made = builder.scf_index_switch(selector, &cases, &results);
                let mut all = vec![match passes {
                    Choice::Never => self.arm(made.region(0), arms[0].1),
                    _ => pass(made.region(0), passing),
                }];
                all.extend(
                    with_case
                        .iter()
                        .enumerate()
                        .map(|(index, (_, region))| self.arm(made.region(index + 1), *region)),
                );
                (made, all)
            }
        };
        self.frames.push(Frame::Choose {
            op,
            made: arms.0,
            arms: arms.1.into_iter(),
        });
    }

    /// An arm that starts with one known target.
    fn arm(&self, into: Region<'a>, region: RegionId) -> Arm<'a> {
        let way = Way {
            choice: self.input.tree.regions[region].entered,
            value: None,
        };
        Arm {
            into,
            region: Some(region),
            edge: None,
            way,
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
        match (way.choice, way.value, targets, passes) {
            (Choice::Two(_, second), Some(flag), [only], _) => (flag, *only == second),
            (Choice::Many, Some(index), [_, _, ..], Choice::One(rest)) => (
                self.ways.compare(builder, Predicate::NotEqual, index, rest),
                false,
            ),
            _ => {
                let flags: Vec<Value<'a>> = targets
                    .iter()
                    .map(|&target| self.ways.is_pending(builder, way, target))
                    .collect();
                let either = |first: Value<'a>, second: Value<'a>| {
                    builder
                        .op("arith.ori")
                        .operands(&[first, second])
                        .result(first.ty())
                        .value()
                };
                (
                    flags
                        .into_iter()
                        .reduce(either)
                        .unwrap_or_else(|| self.ways.flag(false)),
                    false,
                )
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
