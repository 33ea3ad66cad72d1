//! The function of tangents: forward-mode differentiation of a structured function.
//!
//! ```text
//!   func @f(%x) -> %y       func @f.tangents(%x, %tx) -> (%y, %ty)
//!     %a = op %x               %a = op %x;  %ta = the derivative of op, times %tx
//!     scf.while (%a)           scf.while (%a, %ta)          a tangent beside each active value
//!     call @g(%a)              call @g.tangents(%a, %ta)
//! ```
//!
//! One walk over the function, which clones each operation and computes the tangents of its
//! results. A zero stays symbolic until a region has to forward it. Nothing is stored: a loop takes
//! as much memory as before. Regions are on an explicit stack.
//!
//! Source: Griewank and Walther, "Evaluating Derivatives", 2008, chapter 3.
//!
//! Cost: linear in the function.

use rustc_hash::FxHashMap;

use melior::ir::{Location, Type};
use tfx_dialects::ad;
use tfx_ir::diag::Diagnostics;
use tfx_ir::ops::{Structured, func, scf};
use tfx_ir::{Block, Builder, Mapping, Op, Region, Value};

use crate::activity::Activity;
use crate::arrays::ArrayOp;
use crate::functions::add_function;
use crate::number::{ValueId, Values};
use crate::reverse::no_rule;
use crate::rules::Rules;
use crate::tapes;
use crate::transpose::push_forward;
use crate::values::{self, with_type};

/// The forward derivative of a function.
#[derive(Clone, Debug)]
pub(crate) struct Tangents {
    /// The symbol of the function from parameters and tangents to results and tangents.
    pub(crate) symbol: String,
    /// The parameters with a tangent, in ascending order.
    pub(crate) wrt: Vec<usize>,
    /// The results with a tangent, in ascending order.
    pub(crate) results: Vec<usize>,
}

/// The function to differentiate.
pub(crate) struct Source<'s, 'a> {
    pub(crate) function: Op<'a>,
    pub(crate) values: &'s Values<'a>,
    pub(crate) activity: &'s Activity,
    pub(crate) rules: &'s Rules<'a>,
    /// The derivatives of the callees of active calls.
    pub(crate) callees: &'s FxHashMap<Op<'a>, Tangents>,
    pub(crate) wrt: &'s [usize],
    pub(crate) results: &'s [usize],
}

/// Appends the function of tangents to `target` with the name `name`.
pub(crate) fn tangents<'a>(
    source: &Source<'_, 'a>,
    target: Block<'a>,
    name: &str,
) -> Result<(), Diagnostics<'a>> {
    let body = source.function.region(0).entry().expect("it has a body");
    let location = source.function.location();
    let types = body.arguments().map(|argument| argument.ty());
    let of_tangents = source.wrt.iter().map(|&index| body.argument(index).ty());
    let parameters: Vec<_> = types.chain(of_tangents).map(|ty| (ty, location)).collect();
    let entry = Block::new(&parameters);
    let mut cloning = Cloning {
        source,
        mapping: Mapping::new(),
        tangents: FxHashMap::default(),
        frames: Vec::new(),
        errors: Diagnostics::default(),
    };
    cloning.map(body.arguments(), entry.arguments());
    for (position, &index) in source.wrt.iter().enumerate() {
        let tangent = entry.argument(body.num_arguments() + position);
        cloning.set(body.argument(index), tangent);
    }
    cloning.frames.push(Frame {
        next: body.first(),
        target: entry,
        ends: source.results.to_vec(),
    });
    let results = cloning.run();
    cloning.errors.finish()?;
    add_function(target, name, entry, &results, location);
    Ok(())
}

/// A region that is being cloned.
struct Frame<'a> {
    next: Option<Op<'a>>,
    target: Block<'a>,
    /// The operands of the terminator whose tangents it forwards.
    ends: Vec<usize>,
}

struct Cloning<'s, 'a> {
    source: &'s Source<'s, 'a>,
    mapping: Mapping<'a>,
    /// The tangents that are not zero, by the number of the value.
    tangents: FxHashMap<ValueId, Value<'a>>,
    frames: Vec<Frame<'a>>,
    errors: Diagnostics<'a>,
}

impl<'a> Cloning<'_, 'a> {
    /// Clones all regions, and returns the results of the function.
    fn run(&mut self) -> Vec<Value<'a>> {
        let mut results = Vec::new();
        while let Some(frame) = self.frames.last_mut() {
            let Some(op) = frame.next else {
                self.frames.pop();
                continue;
            };
            frame.next = op.next();
            if op.is_terminator() {
                results = self.end(op);
            } else {
                self.clone(op);
            }
        }
        results
    }

    fn builder(&self, location: Location<'a>) -> Builder<'a> {
        let frame = self.frames.last().expect("an operation is in a region");
        Builder::at_end(frame.target, location)
    }

    fn map(&mut self, old: impl Iterator<Item = Value<'a>>, new: impl Iterator<Item = Value<'a>>) {
        old.zip(new)
            .for_each(|(old, new)| self.mapping.map(old, new));
    }

    fn get(&self, value: Value<'a>) -> Value<'a> {
        let clone = self.mapping.get(value);
        clone.expect("a value is cloned before its uses")
    }

    fn get_all(&self, values: impl Iterator<Item = Value<'a>>) -> Vec<Value<'a>> {
        values.map(|value| self.get(value)).collect()
    }

    fn is_active(&self, value: Value<'a>) -> bool {
        self.source.activity.is_active(self.source.values.id(value))
    }

    fn set(&mut self, value: Value<'a>, tangent: Value<'a>) {
        self.tangents.insert(self.source.values.id(value), tangent);
    }

    /// Returns the tangent of a value; none if it is zero.
    fn tangent(&self, value: Value<'a>) -> Option<Value<'a>> {
        self.tangents.get(&self.source.values.id(value)).copied()
    }

    /// Returns the tangent of a value with the type of the value.
    fn tangent_or_zero(&self, value: Value<'a>, location: Location<'a>) -> Value<'a> {
        let mut builder = self.builder(location);
        match self.tangent(value) {
            Some(tangent) => with_type(&mut builder, tangent, value.ty()),
            None => values::zero(&mut builder, value.ty(), || self.get(value)),
        }
    }

    /// Returns values, followed by the tangents of some of them.
    fn with_tangents(
        &self,
        values: &[Value<'a>],
        positions: &[usize],
        location: Location<'a>,
    ) -> Vec<Value<'a>> {
        let tangents = positions.iter();
        let tangents = tangents.map(|&index| self.tangent_or_zero(values[index], location));
        let mut all = self.get_all(values.iter().copied());
        all.extend(tangents);
        all
    }

    /// Maps values to `new`, which their tangents at these positions follow.
    fn receive(&mut self, values: &[Value<'a>], positions: &[usize], new: &[Value<'a>]) {
        self.map(values.iter().copied(), new.iter().copied());
        for (&position, &tangent) in positions.iter().zip(&new[values.len()..]) {
            self.set(values[position], tangent);
        }
    }

    fn clone(&mut self, op: Op<'a>) {
        match Structured::cast(op) {
            Some(Structured::While(view)) => self.clone_loop(view),
            Some(_) => self.clone_branch(op),
            None => match self.source.callees.get(&op) {
                Some(callee) => self.clone_call(op, callee),
                None => self.clone_plain(op),
            },
        }
    }

    fn clone_plain(&mut self, op: Op<'a>) {
        let mut builder = self.builder(op.location());
        builder.clone_op(op, &mut self.mapping);
        let active: Vec<_> = op.results().map(|result| self.is_active(result)).collect();
        if !active.contains(&true) {
            return;
        }
        if op.isa::<ad::WithCotangent>() || op.isa::<ad::Save>() {
            if let Some(tangent) = self.tangent(op.operand(0)) {
                self.set(op.result(0), tangent);
            }
            return;
        }
        if let Some(array_op) = ArrayOp::cast(op) {
            let tangent = |value| self.tangent_or_zero(value, op.location());
            let clone = |value| self.get(value);
            let tangent = array_op.push_forward(&mut builder, tangent, clone);
            return self.set(op.result(0), tangent);
        }
        let of_tapes = tapes::push_forward(
            &mut builder,
            op,
            |value| self.tangent(value),
            |value| self.tangent_or_zero(value, op.location()),
        );
        if let Some(tangents) = of_tapes {
            let tangents = op.results().zip(tangents);
            return tangents.for_each(|(result, tangent)| self.set(result, tangent));
        }
        let tangents: Vec<_> = op.operands().map(|operand| self.tangent(operand)).collect();
        let rules = self.source.rules;
        match push_forward(rules, (op, &active), &tangents, &self.mapping, &mut builder) {
            Ok(tangents) => {
                for (result, tangent) in op.results().zip(tangents) {
                    if let Some(tangent) = tangent {
                        self.set(result, tangent);
                    }
                }
            }
            Err(unknown) => self.errors.push(no_rule(unknown)),
        }
    }

    fn clone_call(&mut self, op: Op<'a>, callee: &Tangents) {
        let operands: Vec<_> = op.operands().collect();
        let results: Vec<_> = op.results().collect();
        let arguments = self.with_tangents(&operands, &callee.wrt, op.location());
        let types = types_with_tangents(&results, &callee.results);
        let mut builder = self.builder(op.location());
        let call = func::Call::build(&mut builder, &types, &callee.symbol, &arguments);
        self.receive(
            &results,
            &callee.results,
            &call.results().collect::<Vec<_>>(),
        );
    }

    fn clone_branch(&mut self, op: Op<'a>) {
        let results: Vec<_> = op.results().collect();
        let ends = self.active_positions(&results);
        let operands = self.get_all(op.operands());
        let types = types_with_tangents(&results, &ends);
        let mut builder = self.builder(op.location());
        let clone = builder.op(op.name()).operands(&operands).results(&types);
        let clone = clone.attributes_of(op).regions(op.num_regions()).build();
        self.receive(&results, &ends, &clone.results().collect::<Vec<_>>());
        for (old, new) in op.regions().zip(clone.regions()) {
            self.enter(old, new, &[], &ends);
        }
    }

    fn clone_loop(&mut self, op: scf::While<'a>) {
        let body = |region: Region<'a>| region.entry().expect("a region of a loop has a block");
        let before: Vec<_> = body(op.before()).arguments().collect();
        let after: Vec<_> = body(op.after()).arguments().collect();
        let results: Vec<_> = op.results().collect();
        let carried = self.active_positions(&before);
        let forwarded: Vec<_> = (0..results.len())
            .filter(|&index| self.is_active(results[index]) || self.is_active(after[index]))
            .collect();
        let inits = self.with_tangents(&op.inits().to_vec(), &carried, op.location());
        let types = types_with_tangents(&results, &forwarded);
        let mut builder = self.builder(op.location());
        let clone = scf::While::build(&mut builder, &types, &inits);
        self.receive(&results, &forwarded, &clone.results().collect::<Vec<_>>());
        // The frame that is pushed last is cloned first; the order does not matter.
        self.enter(op.after(), clone.after(), &forwarded, &carried);
        let ends: Vec<_> = forwarded.iter().map(|index| 1 + index).collect();
        self.enter(op.before(), clone.before(), &carried, &ends);
    }

    fn active_positions(&self, values: &[Value<'a>]) -> Vec<usize> {
        let positions = 0..values.len();
        positions
            .filter(|&index| self.is_active(values[index]))
            .collect()
    }

    /// Starts a region. Its arguments at the positions `active` and the operands of its terminator
    /// at the positions `ends` have tangents.
    fn enter(&mut self, old: Region<'a>, new: Region<'a>, active: &[usize], ends: &[usize]) {
        let Some(block) = old.entry() else { return };
        let location = block
            .parent()
            .map_or(self.source.function.location(), Op::location);
        let arguments: Vec<_> = block.arguments().collect();
        let types = types_with_tangents(&arguments, active).into_iter();
        let target = new.add_block(&types.map(|ty| (ty, location)).collect::<Vec<_>>());
        self.receive(&arguments, active, &target.arguments().collect::<Vec<_>>());
        self.frames.push(Frame {
            next: block.first(),
            target,
            ends: ends.to_vec(),
        });
    }

    /// Ends a region; returns the results of the function if it is the body.
    fn end(&mut self, end: Op<'a>) -> Vec<Value<'a>> {
        let ends = self.frames.last().expect("a terminator is in a region");
        let operands: Vec<_> = end.operands().collect();
        let operands = self.with_tangents(&operands, &ends.ends.clone(), end.location());
        if end.isa::<func::Return>() {
            return operands;
        }
        let mut builder = self.builder(end.location());
        let clone = builder.op(end.name()).operands(&operands);
        clone.attributes_of(end).build();
        Vec::new()
    }
}

/// Returns the types of values, followed by those of the tangents of some of them.
fn types_with_tangents<'a>(values: &[Value<'a>], positions: &[usize]) -> Vec<Type<'a>> {
    let tangents = positions.iter().map(|&index| values[index]);
    let all = values.iter().copied().chain(tangents);
    all.map(|value| value.ty()).collect()
}
