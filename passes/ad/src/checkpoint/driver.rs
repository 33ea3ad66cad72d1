//! The derivative of a loop with checkpoints.
//!
//! ```text
//!   forward   do { push %i, %x; %x, %more, %ran = segment(limit, %x); %i += %ran } while %more
//!
//!   backward  %end = n
//!             do { pop %i, %x
//!                  while %i + 1 < %end { push %i, %x; %x = again(distance, %x); %i += distance }
//!                  the derivative of again(%end - %i, %x);  %end = %i } while %i > 0
//! ```
//!
//! All state is in variables; `tfx-ssa` determines how it passes through the loops. The inner loop
//! of the backward function is for binomial checkpoints only. The last segment ends by the
//! condition of the loop and not by its limit, so the results of the loop are its results.
//!
//! If the forward function does not know the number of iterations, its limit is a period. Once all
//! slots are taken, it drops each second checkpoint, and doubles the period.
//!
//! # Results of effects
//!
//! The first run of a segment pushes the results of effects that the slice needs to tapes. In the
//! backward function, such a tape ends where the next iteration to reverse ends, and a second one
//! has the values of the iterations that are about to run, the first of them on top:
//!
//! ```text
//!   at checkpoint i    kept: 0 .. i      next: i .. end        moved from kept
//!   again, i to j      kept: 0 .. j      next: j .. end        moved by the slice
//!   reversed, j        kept: 0 .. j      next: empty           dropped; end = j
//! ```
//!
//! A checkpoint has the lengths of the tapes: an iteration may keep any number of values. The moves
//! take as long as the iterations that run again.
//!
//! Cost: constant for each carried value and each value from outside.

use std::rc::Rc;

use melior::ir::{Location, Type, TypeLike};
use tfx_dialects::derivatives::tape;
use tfx_dialects::{ad, host};
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{arith, func, scf};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::arrays;
use crate::checkpoint::again;
use crate::checkpoint::{Bound, Checkpointed, Count, Plan};
use crate::derivative::{Derivative, Kept};
use crate::derive::{Deriver, source_name};
use crate::functions::{add_function, block_of};
use crate::primal::variable;
use crate::rules::HELPER;
use crate::tasks::Task;
use crate::values;

/// The function from `rules/checkpoints.mlir` that returns the distance to the next checkpoint.
const ADVANCE: &str = "to_next_checkpoint";

/// Adds the forward and the backward function of a loop with checkpoints. `task` is that of the
/// function of the loop; the derivative of its segment is known.
pub(crate) fn derive<'a>(
    deriver: &mut Deriver<'_, 'a>,
    task: &Task<'a>,
    checkpointed: &Checkpointed<'a>,
    name: &str,
) -> Derivative<'a> {
    let function = task.key.function;
    let (parameters, results) = function.signature();
    let segment = task.callees.get(&checkpointed.again);
    let segment = segment.and_then(|derived| derived.reverse());
    let advance = match checkpointed.plan {
        Plan::Binomial(_) => advance(deriver, function.location()),
        Plan::Periodic(_) => String::new(),
    };
    let driver = Driver {
        checkpointed,
        advance,
        task,
        segment: segment.expect("the derivative of the segment is known"),
        active: checkpointed.active(function, &task.values, &task.activity),
        location: function.location(),
        parameters,
        results,
    };
    let target = block_of(deriver.program);
    let mut add = |function: Op<'a>| {
        deriver.functions.push(function);
        deriver.program.insert(function).to_owned()
    };
    let forward = add(driver.forward(target, &format!("{name}.forward")));
    let backward = add(driver.backward(target, &format!("{name}.backward")));
    Derivative {
        forward,
        backward,
        kept: driver.kept(),
        residuals: Vec::new(),
        callees: Rc::default(),
        wrt: task.key.wrt.clone(),
        results: task.key.results.clone(),
        residuals_first: false,
    }
}

/// Returns the name of the function of distances in the program, which may be new.
fn advance<'a>(deriver: &mut Deriver<'_, 'a>, location: Location<'a>) -> String {
    if let Some(name) = &deriver.advance {
        return name.clone();
    }
    let helper = deriver.rules.helper(ADVANCE);
    let mut builder = Builder::at_end(block_of(deriver.program), location);
    let clone = builder.clone_op(helper, &mut Mapping::new());
    clone.remove_attribute(HELPER);
    clone.walk().for_each(|op| op.set_location(location));
    let name = deriver.program.insert(clone).to_owned();
    deriver.advance = Some(name.clone());
    name
}

struct Driver<'d, 'a> {
    checkpointed: &'d Checkpointed<'a>,
    /// The symbol of the function of distances.
    advance: String,
    task: &'d Task<'a>,
    /// The derivative of the segment without effects.
    segment: &'d Derivative<'a>,
    /// The active carried values.
    active: Vec<usize>,
    location: Location<'a>,
    /// The types of the function of the loop.
    parameters: Vec<Type<'a>>,
    results: Vec<Type<'a>>,
}

/// The values that a run of a segment returns.
struct Run<'a> {
    results: Vec<Value<'a>>,
    carried: Vec<Value<'a>>,
    more: Value<'a>,
    ran: Value<'a>,
    /// The residuals of its forward function.
    own: Vec<Value<'a>>,
}

impl<'a> Driver<'_, 'a> {
    fn carried(&self) -> &[Type<'a>] {
        &self.parameters[..self.checkpointed.carried]
    }

    fn outside(&self) -> &[Type<'a>] {
        &self.parameters[self.checkpointed.carried..]
    }

    /// Returns the types of the results of effects that are kept.
    fn effects(&self) -> &[Type<'a>] {
        &self.checkpointed.kept.types
    }

    /// Returns the types of a checkpoint: the carried values, and the lengths of the tapes with
    /// results of effects.
    fn checkpoint(&self) -> Vec<Type<'a>> {
        let lengths = self.effects().iter().map(|_| self.number());
        self.carried().iter().copied().chain(lengths).collect()
    }

    /// Returns the residuals: the values from outside, the checkpoints, their number, the number of
    /// iterations, and the results of effects.
    fn kept(&self) -> Vec<Kept<'a>> {
        let outside = (self.checkpointed.carried..self.parameters.len()).map(Kept::Argument);
        outside
            .chain(self.own().into_iter().map(Kept::Own))
            .collect()
    }

    /// Returns the types of the residuals that are no arguments.
    fn own(&self) -> Vec<Type<'a>> {
        let number = self.number();
        let tapes = self.checkpoint().into_iter().chain([number]).map(tape);
        let effects = self.effects().iter().map(|ty| tape(*ty));
        tapes.chain([number, number]).chain(effects).collect()
    }

    fn number(&self) -> Type<'a> {
        values::counter_type(&Builder::at_end(
            self.task.key.function.block().expect("it is in a module"),
            self.location,
        ))
    }

    /// Calls a segment, or its forward function.
    fn run(
        &self,
        code: &mut Builder<'a>,
        callee: &str,
        arguments: &[Value<'a>],
        own: &[Type<'a>],
    ) -> Run<'a> {
        let (_, types) = self.checkpointed.segment.signature();
        let types = [&types[..], own].concat();
        let call = func::Call::build(code, &types, callee, arguments);
        let mut values: Vec<_> = call.results().collect();
        let own = values.split_off(types.len() - own.len());
        let ran = values.pop().expect("the number of iterations is last");
        let more = values.pop().expect("a segment returns a condition");
        let carried = values.split_off(self.results.len());
        Run {
            results: values,
            carried,
            more,
            ran,
            own,
        }
    }

    // ---------------------------------------------------------------------------- Forward

    fn forward(&self, target: Block<'a>, name: &str) -> Op<'a> {
        let arguments: Vec<_> = self
            .parameters
            .iter()
            .map(|ty| (*ty, self.location))
            .collect();
        let body = Block::new(&arguments);
        let code = &mut Builder::at_end(body, self.location);
        let parameters: Vec<_> = body.arguments().collect();
        let (first, outside) = parameters.split_at(self.checkpointed.carried);
        let (zero, one) = (values::count(code, 0), values::count(code, 1));
        let carried = Variables::new(code, first);
        let at = variable(code, zero);
        let stack = Stack::new(code, &self.checkpoint());
        let kept = Effects::new(code, self.effects());
        let limits = self.limits(code, &parameters);
        let segment = source_name(self.checkpointed.segment);
        let mut ends = repeat(code, &self.results, |code| {
            let (i, values) = (load(code, at), carried.load(code));
            let checkpoint = [&values[..], &kept.lengths(code)].concat();
            let limit = match &limits {
                Limits::Fixed(period) => {
                    stack.push(code, i, &checkpoint);
                    *period
                }
                Limits::Known { count, slots } => {
                    let left = sub(code, *count, i);
                    let depth = load(code, stack.depth);
                    let free = sub(code, *slots, depth);
                    stack.push(code, i, &checkpoint);
                    let has_slots = compare(code, CmpIPredicate::Sgt, free, one);
                    let is_long = compare(code, CmpIPredicate::Sgt, left, one);
                    let is_split = arith::AndI::build(code, has_slots, is_long);
                    let is_split = is_split.op().result(0);
                    let ty = [i.ty()];
                    let advance = |code: &mut Builder<'a>| {
                        let call = func::Call::build(code, &ty, &self.advance, &[left, free]);
                        vec![call.op().result(0)]
                    };
                    let rest = |code: &mut Builder<'a>| vec![values::count(code, i64::MAX)];
                    branch(code, is_split, &ty, advance, rest)[0]
                }
                Limits::Online {
                    period,
                    slots,
                    aside,
                } => {
                    let depth = load(code, stack.depth);
                    let is_full = compare(code, CmpIPredicate::Sge, depth, *slots);
                    when(code, is_full, |code| {
                        self.thin(code, &stack, aside, *period)
                    });
                    let period = load(code, *period);
                    let rest = arith::RemSI::build(code, i, period).op().result(0);
                    let is_due = compare(code, CmpIPredicate::Eq, rest, zero);
                    when(code, is_due, |code| stack.push(code, i, &checkpoint));
                    sub(code, period, rest)
                }
            };
            let arguments = [&[limit], &values[..], outside, &kept.0].concat();
            let run = self.run(code, segment, &arguments, &[]);
            carried.store(code, &run.carried);
            let next = add(code, i, run.ran);
            store(code, next, at);
            (run.more, run.results)
        });
        ends.extend(stack.tapes.load(code));
        for variable in [stack.places, stack.depth, at] {
            ends.push(load(code, variable));
        }
        ends.extend(kept.0.iter().map(|tape| load(code, *tape)));
        add_function(target, name, body, &ends, self.location)
    }

    fn limits(&self, code: &mut Builder<'a>, parameters: &[Value<'a>]) -> Limits<'a> {
        match (self.checkpointed.plan, self.checkpointed.count) {
            (Plan::Periodic(period), _) => Limits::Fixed(values::count(code, period)),
            (Plan::Binomial(slots), Some(count)) => Limits::Known {
                count: trips(code, &count, parameters),
                slots: values::count(code, slots),
            },
            (Plan::Binomial(slots), None) => {
                let one = values::count(code, 1);
                Limits::Online {
                    period: variable(code, one),
                    slots: values::count(code, slots),
                    aside: Stack::new(code, &self.checkpoint()),
                }
            }
        }
    }

    /// Drops each second checkpoint, and doubles the period.
    fn thin(
        &self,
        code: &mut Builder<'a>,
        stack: &Stack<'a>,
        aside: &Stack<'a>,
        period: Value<'a>,
    ) {
        let zero = values::count(code, 0);
        let old = load(code, period);
        let doubled = add(code, old, old);
        store(code, doubled, period);
        while_do(
            code,
            |code| stack.is_filled(code, zero),
            |code| {
                let (i, values) = stack.pop(code);
                let rest = arith::RemSI::build(code, i, doubled).op().result(0);
                let is_due = compare(code, CmpIPredicate::Eq, rest, zero);
                when(code, is_due, |code| aside.push(code, i, &values));
            },
        );
        while_do(
            code,
            |code| aside.is_filled(code, zero),
            |code| {
                let (i, values) = aside.pop(code);
                stack.push(code, i, &values);
            },
        );
    }

    // --------------------------------------------------------------------------- Backward

    fn backward(&self, target: Block<'a>, name: &str) -> Op<'a> {
        let key = &self.task.key;
        let cotangents = key.results.iter().map(|&index| self.results[index]);
        let own = self.own();
        let types: Vec<_> = cotangents
            .chain(self.outside().iter().copied())
            .chain(own.iter().copied())
            .collect();
        let arguments: Vec<_> = types.iter().map(|ty| (*ty, self.location)).collect();
        let body = Block::new(&arguments);
        let code = &mut Builder::at_end(body, self.location);
        let arguments: Vec<_> = body.arguments().collect();
        let (given, rest) = arguments.split_at(key.results.len());
        let (outside, own) = rest.split_at(self.outside().len());
        let (tapes, rest) = own.split_at(self.checkpoint().len());
        let (numbers, effects) = rest.split_at(rest.len() - self.effects().len());
        let stack = Stack {
            tapes: Variables::new(code, tapes),
            places: variable(code, numbers[0]),
            depth: variable(code, numbers[1]),
        };
        let count = numbers[2];
        let kept = Effects(Variables::new(code, effects).0);
        let next = Effects::new(code, self.effects());
        let (zero, one) = (values::count(code, 0), values::count(code, 1));
        let end = variable(code, count);
        let (yes, no) = (code.constant_bool(true), code.constant_bool(false));
        let is_last = variable(code, yes);
        let carried = Variables::unset(code, self.carried());
        let given = Variables::new(code, given);
        let active: Vec<_> = self
            .active
            .iter()
            .map(|&index| self.carried()[index])
            .collect();
        let adjoints = Variables::zero_or_unset(code, &active);
        let captured = key
            .wrt
            .iter()
            .filter(|&&it| it >= self.checkpointed.carried);
        let captured = captured.map(|index| outside[index - self.checkpointed.carried]);
        let captured: Vec<_> = captured.collect();
        let zeros: Vec<_> = captured
            .iter()
            .map(|value| values::zero(code, value.ty(), || *value))
            .collect();
        let sums = Variables::new(code, &zeros);
        let again = source_name(self.checkpointed.again);
        repeat(code, &[], |code| {
            let (i, values) = stack.pop(code);
            let (values, lengths) = values.split_at(self.carried().len());
            carried.store(code, values);
            kept.shorten(code, lengths, Some(&next));
            let until = load(code, end);
            let at = variable(code, i);
            if let Plan::Binomial(slots) = self.checkpointed.plan {
                let slots = values::count(code, slots);
                while_do(
                    code,
                    |code| {
                        let i = load(code, at);
                        let left = sub(code, until, i);
                        compare(code, CmpIPredicate::Sgt, left, one)
                    },
                    |code| {
                        let i = load(code, at);
                        let left = sub(code, until, i);
                        let depth = load(code, stack.depth);
                        let free = sub(code, slots, depth);
                        let values = carried.load(code);
                        let checkpoint = [&values[..], &kept.lengths(code)].concat();
                        stack.push(code, i, &checkpoint);
                        let ty = [i.ty()];
                        let call = func::Call::build(code, &ty, &self.advance, &[left, free]);
                        let distance = call.op().result(0);
                        let arguments =
                            [&[distance], &values[..], outside, &kept.0, &next.0].concat();
                        let run = self.run(code, again, &arguments, &[]);
                        carried.store(code, &run.carried);
                        let next = add(code, i, distance);
                        store(code, next, at);
                    },
                );
            }
            let i = load(code, at);
            // The last segment may end before the condition of its first iteration is true: two
            // segments may end at `count`.
            let was_last = is_last;
            let is_last = load(code, was_last);
            store(code, no, was_last);
            let left = sub(code, until, i);
            let all = values::count(code, i64::MAX);
            let limit = arith::Select::build(code, is_last, all, left)
                .op()
                .result(0);
            let values = carried.load(code);
            let arguments = [&[limit], &values[..], outside, &kept.0, &next.0].concat();
            let own: Vec<_> = self.segment.own().collect();
            let lengths = kept.lengths(code);
            let run = self.run(code, &self.segment.forward, &arguments, &own);
            kept.shorten(code, &lengths, None);

            let mut seeds = Vec::new();
            for (&index, &variable) in key.results.iter().zip(&given.0) {
                let like = run.results[index];
                let seed = load(code, variable);
                let (of_last, of_others) = (Seed::Value(seed), Seed::Zero(like));
                seeds.push(of_last.or(of_others, code, is_last));
                if let Some(zero) = values::number(code, like.ty(), 0.0) {
                    store(code, zero, variable);
                }
            }
            for (&index, &variable) in self.active.iter().zip(&adjoints.0) {
                let like = run.carried[index];
                let seed = load(code, variable);
                let (of_last, of_others) = (Seed::Zero(like), Seed::Value(seed));
                seeds.push(of_last.or(of_others, code, is_last));
            }
            let returned = [&run.results[..], &run.carried, &[run.more, run.ran]].concat();
            let mut own = run.own.iter().copied();
            let residuals = self.segment.kept.iter().map(|kept| match *kept {
                Kept::Argument(position) => arguments[position],
                Kept::Returned(position) => returned[position],
                Kept::Own(_) => own.next().expect("the forward function returns it"),
            });
            let residuals: Vec<_> = residuals.collect();
            let types = [active.clone(), captured.iter().map(|it| it.ty()).collect()].concat();
            let tangents = self.segment.pull_back(code, &seeds, &residuals, &types);
            let (of_carried, of_captured) = tangents.split_at(active.len());
            adjoints.store(code, of_carried);
            for (&variable, &tangent) in sums.0.iter().zip(of_captured) {
                let sum = load(code, variable);
                let sum = values::add(code, sum, tangent, tangent.ty());
                store(code, sum, variable);
            }
            store(code, i, end);
            let more = compare(code, CmpIPredicate::Sgt, i, zero);
            (more, Vec::new())
        });
        let mut ends = Vec::new();
        let mut captured = sums.0.iter();
        for &index in &key.wrt {
            let variable = match index < self.checkpointed.carried {
                true => {
                    let position = self.active.iter().position(|it| *it == index);
                    position.map(|position| adjoints.0[position])
                }
                false => captured.next().copied(),
            };
            ends.push(match variable {
                Some(variable) => load(code, variable),
                // The initial value does not matter, and is that of the first checkpoint.
                None => {
                    let first = load(code, carried.0[index]);
                    values::zero(code, first.ty(), || first)
                }
            });
        }
        add_function(target, name, body, &ends, self.location)
    }
}

/// Variables with the tapes of results of effects.
struct Effects<'a>(Vec<Value<'a>>);

impl<'a> Effects<'a> {
    fn new(code: &mut Builder<'a>, types: &[Type<'a>]) -> Self {
        let mut empty = |ty: &Type<'a>| {
            let tape = ad::EmptyTape::build(code, tape(*ty)).tape();
            variable(code, tape)
        };
        Effects(types.iter().map(&mut empty).collect())
    }

    fn lengths(&self, code: &mut Builder<'a>) -> Vec<Value<'a>> {
        self.0.iter().map(|tape| length(code, *tape)).collect()
    }

    /// Pops values until the tapes have some lengths, and pushes them to other tapes.
    fn shorten(&self, code: &mut Builder<'a>, lengths: &[Value<'a>], to: Option<&Self>) {
        for (index, (&variable, &least)) in self.0.iter().zip(lengths).enumerate() {
            while_do(
                code,
                |code| {
                    let now = length(code, variable);
                    compare(code, CmpIPredicate::Sgt, now, least)
                },
                |code| {
                    let value = again::pop(code, variable);
                    if let Some(to) = to {
                        again::push(code, value, to.0[index]);
                    }
                },
            );
        }
    }
}

/// Builds the number of values on the tape in a variable.
fn length<'a>(code: &mut Builder<'a>, variable: Value<'a>) -> Value<'a> {
    let tape = load(code, variable);
    ad::TapeLength::build(code, tape).length()
}

/// The limits of the segments of a forward function.
enum Limits<'a> {
    Fixed(Value<'a>),
    Known {
        count: Value<'a>,
        slots: Value<'a>,
    },
    Online {
        /// The variable with the current period.
        period: Value<'a>,
        slots: Value<'a>,
        /// Empty but while checkpoints are dropped.
        aside: Stack<'a>,
    },
}

/// Builds the number of iterations of a loop.
fn trips<'a>(code: &mut Builder<'a>, count: &Count, parameters: &[Value<'a>]) -> Value<'a> {
    let from = values::to_count(code, parameters[count.from]);
    let to = match count.to {
        Bound::Parameter(index) => values::to_count(code, parameters[index]),
        Bound::Constant(number) => values::count(code, number),
    };
    let round = count.step - i64::from(!count.is_inclusive);
    let round = values::count(code, round);
    let way = sub(code, to, from);
    let way = add(code, way, round);
    let step = values::count(code, count.step);
    arith::DivSI::build(code, way, step).op().result(0)
}

/// A cotangent that enters a segment.
#[derive(Clone, Copy)]
enum Seed<'a> {
    Value(Value<'a>),
    /// Zero, in the shape of a value.
    Zero(Value<'a>),
}

impl<'a> Seed<'a> {
    /// Builds the cotangent of the last segment, or else of the others. If the shape is known,
    /// the variable of the cotangent has the zero already.
    fn or(self, others: Self, code: &mut Builder<'a>, is_last: Value<'a>) -> Value<'a> {
        let (Seed::Value(value), Seed::Zero(like)) = (match self {
            Seed::Value(_) => (self, others),
            Seed::Zero(_) => (others, self),
        }) else {
            unreachable!("one is a value and the other is zero")
        };
        let is_array = arrays::element(like.ty()).is_some();
        if !is_array && (!like.ty().is_tensor() || values::is_static(like.ty())) {
            return value;
        }
        let build = |seed| {
            move |code: &mut Builder<'a>| match seed {
                Seed::Value(value) => vec![value],
                Seed::Zero(like) => vec![values::zero(code, like.ty(), || like)],
            }
        };
        branch(code, is_last, &[like.ty()], build(self), build(others))[0]
    }
}

/// Variables of several values.
struct Variables<'a>(Vec<Value<'a>>);

impl<'a> Variables<'a> {
    fn new(code: &mut Builder<'a>, values: &[Value<'a>]) -> Self {
        Variables(values.iter().map(|value| variable(code, *value)).collect())
    }

    /// Builds variables that are stored before they are loaded.
    fn unset(code: &mut Builder<'a>, types: &[Type<'a>]) -> Self {
        let undef = |ty: &Type<'a>| host::Undef::build(code, *ty).result();
        let values: Vec<_> = types.iter().map(undef).collect();
        Variables::new(code, &values)
    }

    /// Builds variables with zero, where the shape is known.
    fn zero_or_unset(code: &mut Builder<'a>, types: &[Type<'a>]) -> Self {
        let mut values = Vec::new();
        for ty in types {
            let zero = values::number(code, *ty, 0.0);
            values.push(zero.unwrap_or_else(|| host::Undef::build(code, *ty).result()));
        }
        Variables::new(code, &values)
    }

    fn load(&self, code: &mut Builder<'a>) -> Vec<Value<'a>> {
        self.0
            .iter()
            .map(|variable| load(code, *variable))
            .collect()
    }

    fn store(&self, code: &mut Builder<'a>, values: &[Value<'a>]) {
        for (variable, value) in self.0.iter().zip(values) {
            store(code, *value, *variable);
        }
    }
}

/// A stack of checkpoints: a tape for each carried value, and one for the iteration.
struct Stack<'a> {
    tapes: Variables<'a>,
    places: Value<'a>,
    /// The variable with the number of checkpoints.
    depth: Value<'a>,
}

impl<'a> Stack<'a> {
    fn new(code: &mut Builder<'a>, types: &[Type<'a>]) -> Self {
        let mut empty = |ty: Type<'a>| ad::EmptyTape::build(code, tape(ty)).tape();
        let tapes: Vec<_> = types.iter().map(|ty| empty(*ty)).collect();
        let zero = values::count(code, 0);
        let places = ad::EmptyTape::build(code, tape(zero.ty())).tape();
        Stack {
            tapes: Variables::new(code, &tapes),
            places: variable(code, places),
            depth: variable(code, zero),
        }
    }

    fn push(&self, code: &mut Builder<'a>, place: Value<'a>, values: &[Value<'a>]) {
        let tapes = self.tapes.0.iter().chain([&self.places]);
        for (tape, value) in tapes.zip(values.iter().chain([&place])) {
            again::push(code, *value, *tape);
        }
        self.change_depth(code, 1);
    }

    fn pop(&self, code: &mut Builder<'a>) -> (Value<'a>, Vec<Value<'a>>) {
        let mut values = Vec::new();
        for variable in self.tapes.0.iter().chain([&self.places]) {
            values.push(again::pop(code, *variable));
        }
        self.change_depth(code, -1);
        let place = values.pop().expect("the place is last");
        (place, values)
    }

    fn change_depth(&self, code: &mut Builder<'a>, change: i64) {
        let (depth, change) = (load(code, self.depth), values::count(code, change));
        let depth = add(code, depth, change);
        store(code, depth, self.depth);
    }

    fn is_filled(&self, code: &mut Builder<'a>, zero: Value<'a>) -> Value<'a> {
        let depth = load(code, self.depth);
        compare(code, CmpIPredicate::Sgt, depth, zero)
    }
}

// ------------------------------------------------------------------------------------ Code

fn load<'a>(code: &mut Builder<'a>, variable: Value<'a>) -> Value<'a> {
    host::Load::build(code, variable).op().result(0)
}

fn store<'a>(code: &mut Builder<'a>, value: Value<'a>, variable: Value<'a>) {
    host::Store::build(code, value, variable);
}

fn add<'a>(code: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    arith::AddI::build(code, a, b).op().result(0)
}

fn sub<'a>(code: &mut Builder<'a>, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    arith::SubI::build(code, a, b).op().result(0)
}

fn compare<'a>(
    code: &mut Builder<'a>,
    predicate: CmpIPredicate,
    a: Value<'a>,
    b: Value<'a>,
) -> Value<'a> {
    arith::CmpI::build(code, predicate, a, b).op().result(0)
}

/// Builds a loop that runs `body` until it returns a condition that is false. Returns the values
/// that `body` returned last.
fn repeat<'a>(
    code: &mut Builder<'a>,
    types: &[Type<'a>],
    body: impl FnOnce(&mut Builder<'a>) -> (Value<'a>, Vec<Value<'a>>),
) -> Vec<Value<'a>> {
    let loop_ = scf::While::build(code, types, &[]);
    let before = loop_.before().add_block(&[]);
    let inside = &mut Builder::at_end(before, code.location());
    let (more, results) = body(inside);
    scf::Condition::build(inside, more, &results);
    let arguments: Vec<_> = types.iter().map(|ty| (*ty, code.location())).collect();
    let after = loop_.after().add_block(&arguments);
    scf::Yield::build(&mut Builder::at_end(after, code.location()), &[]);
    loop_.op().results().collect()
}

/// Builds a loop that runs `body` while a condition is true.
fn while_do<'a>(
    code: &mut Builder<'a>,
    condition: impl FnOnce(&mut Builder<'a>) -> Value<'a>,
    body: impl FnOnce(&mut Builder<'a>),
) {
    let loop_ = scf::While::build(code, &[], &[]);
    let inside = &mut Builder::at_end(loop_.before().add_block(&[]), code.location());
    let more = condition(inside);
    scf::Condition::build(inside, more, &[]);
    let inside = &mut Builder::at_end(loop_.after().add_block(&[]), code.location());
    body(inside);
    scf::Yield::build(inside, &[]);
}

/// Builds a branch with results.
fn branch<'a>(
    code: &mut Builder<'a>,
    condition: Value<'a>,
    types: &[Type<'a>],
    then: impl FnOnce(&mut Builder<'a>) -> Vec<Value<'a>>,
    other: impl FnOnce(&mut Builder<'a>) -> Vec<Value<'a>>,
) -> Vec<Value<'a>> {
    let branch = scf::If::build(code, types, condition).op();
    let inside = &mut Builder::at_end(branch.region(0).add_block(&[]), code.location());
    let values = then(inside);
    scf::Yield::build(inside, &values);
    let inside = &mut Builder::at_end(branch.region(1).add_block(&[]), code.location());
    let values = other(inside);
    scf::Yield::build(inside, &values);
    branch.results().collect()
}

/// Builds a branch without results.
fn when<'a>(code: &mut Builder<'a>, condition: Value<'a>, then: impl FnOnce(&mut Builder<'a>)) {
    let then = |code: &mut Builder<'a>| {
        then(code);
        Vec::new()
    };
    branch(code, condition, &[], then, |_| Vec::new());
}
