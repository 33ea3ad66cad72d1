//! The backward function: reverse-mode differentiation of a structured function.
//!
//! ```text
//!   forward                     backward
//!   %y = f(%x)                  dx += f'(x) * dy             the rule of each operation, backwards
//!   scf.if %c {A} else {B}      scf.if %c {A'} else {B'}     on the saved condition
//!   scf.while { B } do { A }    scf.while { B' } do { A' }   as often as forward
//! ```
//!
//! # Algorithm
//!
//! One walk backwards over the operations with active results, with one cotangent in SSA form for
//! each active value; the cotangents of several uses are added. A zero stays symbolic until a
//! region has to forward it. Regions are kept on an explicit stack.
//!
//! *Branches.* Each arm starts from the cotangents outside and forwards those that it changes.
//!
//! *Loops.* The reversal of `scf.while` is `scf.while`, mirrored: the region before the condition
//! runs once more than the region after it, forwards and backwards.
//!
//! ```text
//!   forward     B  A B  A B  ... A B        results: operands of the last condition
//!   backward    B' A'B' A'B' ... A'B'       the counter of iterations decides the condition
//! ```
//!
//! The cotangents of the operands of the condition enter B', those of the arguments of B leave it.
//! A value from outside that the loop uses gets its cotangent from a sum that the loop carries, so
//! it is never on a tape.
//!
//! *Calls.* The backward function of the callee, with the residuals that its forward function
//! returned. `cycles.rs` completes the calls of a function that reaches itself.
//!
//! Source: Griewank and Walther, "Evaluating Derivatives", 2008, for the adjoints of statements,
//! branches and loops.
//!
//! Cost: linear in the function, times the nesting depth of the uses of outer values.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use melior::ir::{Location, Type};
use tfx_dialects::{ad, host};
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::arith::CmpIPredicate;
use tfx_ir::ops::{Structured, arith, func, scf};
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::activity::Activity;
use crate::arrays::{self, ArrayOp};
use crate::derivative::{Derivative, Kept};
use crate::derive::source_name;
use crate::differentiate::Keeping;
use crate::number::{ValueId, Values};
use crate::primal::{Key, Primals, Request, Residual};
use crate::recompute;
use crate::rules::{self, Instance, Rules, apply, zero_of};
use crate::scatter::Rows;
use crate::tasks;
use crate::values::{self, add, with_type};

/// The function to reverse.
pub(crate) struct Source<'s, 'a> {
    pub(crate) function: Op<'a>,
    pub(crate) values: &'s Values<'a>,
    pub(crate) activity: &'s Activity,
    pub(crate) rules: &'s Rules<'a>,
    /// The derivatives of the callees of active calls.
    pub(crate) callees: &'s FxHashMap<Op<'a>, Derivative<'a>>,
    /// The active calls of the own cycle, if the function calls itself.
    pub(crate) of_cycle: Option<&'s FxHashMap<Op<'a>, tasks::Key<'a>>>,
    pub(crate) wrt: &'s [usize],
    pub(crate) results: &'s [usize],
    /// The values that loops keep.
    pub(crate) keeping: Keeping,
}

/// The body of a backward function.
pub(crate) struct Reversed<'a> {
    /// It has the cotangents as arguments, then the residuals.
    pub(crate) entry: Block<'a>,
    pub(crate) tangents: Vec<Value<'a>>,
    pub(crate) residuals: Vec<Residual<'a>>,
    /// The values that the tapes of the own cycle have, as `primal.rs` orders them.
    pub(crate) of_cycle: Vec<Request<'a>>,
    /// The calls of the own cycle that are reversed, each with the call in the body. No cotangent
    /// reaches the others.
    pub(crate) calls: Vec<(Op<'a>, func::Call<'a>)>,
}

/// Cotangents by the number of the value.
type Cotangents<'a> = BTreeMap<ValueId, Value<'a>>;

/// A region that is being reversed.
struct Frame<'a> {
    /// The operation to reverse next.
    next: Option<Op<'a>>,
    mirror: Block<'a>,
    cotangents: Cotangents<'a>,
    owner: Owner<'a>,
}

/// The owner of a frame.
enum Owner<'a> {
    Function,
    Branch(Branch<'a>),
    Before(Loop<'a>),
    After(Loop<'a>),
}

/// A branch with its reversed arms.
struct Branch<'a> {
    op: Op<'a>,
    results: Vec<Option<Value<'a>>>,
    /// The reversed arms, with the cotangents of outer values that each changes.
    arms: Vec<(Block<'a>, Cotangents<'a>)>,
}

/// A loop that is being reversed.
struct Loop<'a> {
    op: scf::While<'a>,
    /// The positions of the active arguments of the region before the condition.
    before: Vec<usize>,
    /// The positions of the active operands of the condition, without the condition itself.
    after: Vec<usize>,
    /// The active values from outside.
    captured: Vec<ValueId>,
    /// The cotangents before the loop, and the counter first.
    inits: Vec<Value<'a>>,
    /// The reversed regions; their arguments are a counter, the active cotangents and the sums of
    /// `captured`.
    mirrors: Vec<Block<'a>>,
}

/// Builds the body of the backward function.
pub(crate) fn reverse<'a>(source: &Source<'_, 'a>) -> Result<Reversed<'a>, Diagnostics<'a>> {
    let body = source.function.region(0).entry().expect("it has a body");
    let end = body.terminator().expect("a structured function returns");
    let location = source.function.location();
    let cotangents = source.results.iter().map(|&index| end.operand(index));
    let parameters: Vec<_> = cotangents
        .clone()
        .map(|value| (value.ty(), location))
        .collect();
    let entry = Block::new(&parameters);
    let mut reversal = Reversal {
        source,
        captures: captures(source),
        primals: Primals::new((body, entry), location, source.of_cycle.is_some()),
        calls: Vec::new(),
        frames: vec![Frame {
            next: body.last(),
            mirror: entry,
            cotangents: Cotangents::new(),
            owner: Owner::Function,
        }],
        errors: Diagnostics::default(),
    };
    for (value, cotangent) in cotangents.zip(entry.arguments().collect::<Vec<_>>()) {
        reversal.accumulate(value, cotangent, location);
    }
    let tangents = reversal.run();
    let mut primals = reversal.primals;
    reversal.errors.finish()?;
    recompute::settle(&mut primals, source.values, source.keeping);
    Ok(Reversed {
        entry,
        tangents,
        of_cycle: primals.take_from_cycle(),
        residuals: primals.residuals,
        calls: reversal.calls,
    })
}

/// Returns the active values from outside that each loop uses.
fn captures<'a>(source: &Source<'_, 'a>) -> FxHashMap<Op<'a>, BTreeSet<ValueId>> {
    let mut captures: FxHashMap<Op<'a>, BTreeSet<ValueId>> = FxHashMap::default();
    for op in source.function.walk().skip(1) {
        for operand in op.operands() {
            let id = source.values.id(operand);
            if !source.activity.is_active(id) {
                continue;
            }
            let mut around = op.parent();
            while let Some(loop_) = around.filter(|op| *op != source.function) {
                if !source.values.is_outside(id, loop_) {
                    break;
                }
                if Structured::cast(loop_).is_some_and(Structured::is_loop) {
                    captures.entry(loop_).or_default().insert(id);
                }
                around = loop_.parent();
            }
        }
    }
    captures
}

struct Reversal<'s, 'a> {
    source: &'s Source<'s, 'a>,
    captures: FxHashMap<Op<'a>, BTreeSet<ValueId>>,
    primals: Primals<'a>,
    /// The reversed calls of the own cycle.
    calls: Vec<(Op<'a>, func::Call<'a>)>,
    frames: Vec<Frame<'a>>,
    errors: Diagnostics<'a>,
}

impl<'a> Reversal<'_, 'a> {
    /// Reverses all regions, and returns the tangents of the parameters.
    fn run(&mut self) -> Vec<Value<'a>> {
        loop {
            let frame = self
                .frames
                .last_mut()
                .expect("the function's frame is last");
            if let Some(op) = frame.next {
                frame.next = op.prev();
                self.reverse(op);
                continue;
            }
            if let Owner::Function = frame.owner {
                return self.tangents();
            }
            let frame = self.frames.pop().expect("there is one");
            match frame.owner {
                Owner::Function => unreachable!("handled above"),
                Owner::Branch(branch) => self.end_arm(branch, frame.mirror, frame.cotangents),
                Owner::Before(loop_) => self.end_before(loop_, frame.cotangents),
                Owner::After(loop_) => self.end_after(loop_, frame.cotangents),
            }
        }
    }

    fn tangents(&mut self) -> Vec<Value<'a>> {
        let body = self
            .source
            .function
            .region(0)
            .entry()
            .expect("it has a body");
        let parameters = self.source.wrt.iter().map(|&index| body.argument(index));
        let parameters: Vec<_> = parameters.collect();
        let location = self.source.function.location();
        parameters
            .into_iter()
            .map(|value| self.current_or_zero(self.source.values.id(value), location))
            .collect()
    }

    fn builder(&self, location: Location<'a>) -> Builder<'a> {
        let frame = self.frames.last().expect("the function's frame is last");
        Builder::at_end(frame.mirror, location)
    }

    fn is_active(&self, value: Value<'a>) -> bool {
        self.source.activity.is_active(self.source.values.id(value))
    }

    /// Returns the cotangent of a value; none if it is zero so far.
    fn current(&self, id: ValueId) -> Option<Value<'a>> {
        let mut frames = self.frames.iter().rev();
        frames.find_map(|frame| frame.cotangents.get(&id).copied())
    }

    /// Returns the cotangent of a value with the type of the value.
    fn current_or_zero(&mut self, id: ValueId, location: Location<'a>) -> Value<'a> {
        let value = self.source.values.value(id);
        let mut builder = self.builder(location);
        match self.current(id) {
            Some(cotangent) => with_type(&mut builder, cotangent, value.ty()),
            None => self.zero(value, location),
        }
    }

    fn zero(&mut self, value: Value<'a>, location: Location<'a>) -> Value<'a> {
        let mut builder = self.builder(location);
        zero_of(&mut builder, &mut self.primals, value)
    }

    fn accumulate(&mut self, value: Value<'a>, cotangent: Value<'a>, location: Location<'a>) {
        let id = self.source.values.id(value);
        if !self.source.activity.is_active(id) {
            return;
        }
        let sum = match self.current(id) {
            Some(current) => add(&mut self.builder(location), current, cotangent, value.ty()),
            None => cotangent,
        };
        let frame = self
            .frames
            .last_mut()
            .expect("the function's frame is last");
        frame.cotangents.insert(id, sum);
    }

    // ----------------------------------------------------------------------------- Operations

    fn reverse(&mut self, op: Op<'a>) {
        match Structured::cast(op) {
            Some(Structured::While(view)) => self.enter_loop(view),
            Some(_) => self.enter_branch(op),
            None if op.is_terminator() => {}
            None => self.reverse_plain(op),
        }
    }

    /// Returns the cotangents of the results; none if all are zero.
    fn cotangents_of(&self, op: Op<'a>) -> Option<Vec<Option<Value<'a>>>> {
        let cotangent = |result| self.current(self.source.values.id(result));
        let cotangents: Vec<_> = op.results().map(cotangent).collect();
        cotangents.iter().any(Option::is_some).then_some(cotangents)
    }

    fn reverse_plain(&mut self, op: Op<'a>) {
        let Some(cotangents) = self.cotangents_of(op) else {
            return;
        };
        let active = |index: &usize| self.is_active(op.operand(*index));
        let wanted: Vec<_> = (0..op.num_operands()).filter(active).collect();
        if wanted.is_empty() {
            return;
        }
        if op.isa::<func::Call>() {
            return self.reverse_call(op, &cotangents);
        }
        if let Some(marker) = ad::WithCotangent::cast(op) {
            return self.reverse_marker(marker);
        }
        if let Some(save) = ad::Save::cast(op) {
            let cotangent = self.current_of(save.result(), op.location());
            return self.accumulate(save.value(), cotangent, op.location());
        }
        if let Some(array_op) = ArrayOp::cast(op) {
            return self.reverse_array(array_op);
        }
        if let Some(rows) = Rows::of(op)
            && let Some(sum) = self.current(self.source.values.id(rows.tensor()))
            && let Some(cotangent) = cotangents[0]
        {
            let indices = self.primals.value(rows.indices());
            let sum = rows.add(&mut self.builder(op.location()), sum, indices, cotangent);
            return self.replace([self.source.values.id(rows.tensor())], [sum].into_iter());
        }
        let mut builder = self.builder(op.location());
        let instance = Instance {
            op,
            builder: &mut builder,
            primal: &mut self.primals,
            cotangents: &cotangents,
            wanted: &wanted,
        };
        match apply(self.source.rules, instance) {
            Some(found) => {
                for (operand, cotangent) in found {
                    self.accumulate(op.operand(operand), cotangent, op.location());
                }
            }
            None => self.errors.push(no_rule(op)),
        }
    }

    /// Passes the cotangent through the function of the user.
    fn reverse_marker(&mut self, marker: ad::WithCotangent<'a>) {
        let (op, ty) = (marker.op(), marker.value().ty());
        let id = self.source.values.id(marker.result());
        let cotangent = self.current_or_zero(id, op.location());
        let mut builder = self.builder(op.location());
        let call = func::Call::build(&mut builder, &[ty], marker.callee(), &[cotangent]);
        self.accumulate(marker.value(), call.op().result(0), op.location());
    }

    /// Reverses an operation on arrays: `arrays.rs`.
    fn reverse_array(&mut self, op: ArrayOp<'a>) {
        match op {
            ArrayOp::Literal(op) => {
                let location = op.location();
                let array = self.current_of(op.array(), location);
                for (index, element) in op.elements().iter().enumerate() {
                    if self.is_active(element) {
                        let mut builder = self.builder(location);
                        let ty = Type::index(builder.context());
                        let index = builder.constant_int(index as i64, ty);
                        let read = host::ArrayGet::build(&mut builder, array, index).element();
                        self.accumulate(element, read, location);
                    }
                }
            }
            ArrayOp::Fill(op) => {
                let location = op.location();
                let array = self.current_of(op.array(), location);
                let zero = self.zero(op.value(), location);
                let sum = arrays::sum_of_elements(&mut self.builder(location), array, zero);
                self.accumulate(op.value(), sum, location);
            }
            ArrayOp::Get(op) => {
                let location = op.location();
                let element = self.current_of(op.element(), location);
                let array = self.current_of(op.array(), location);
                let index = self.primals.value(op.index());
                let mut builder = self.builder(location);
                let changed = arrays::add_at(&mut builder, array, index, element);
                let id = self.source.values.id(op.array());
                self.replace([id], [changed].into_iter());
            }
            ArrayOp::Set(op) => {
                let location = op.location();
                let changed = self.current_of(op.result(), location);
                let index = self.primals.value(op.index());
                let mut builder = self.builder(location);
                let read = host::ArrayGet::build(&mut builder, changed, index).element();
                if self.is_active(op.value()) {
                    self.accumulate(op.value(), read, location);
                }
                if self.is_active(op.array()) {
                    let zero = values::zero(&mut builder, read.ty(), || read);
                    let rest = arrays::set(&mut builder, zero, changed, index);
                    self.accumulate(op.array(), rest, location);
                }
            }
        }
    }

    /// Returns the cotangent of a value with the type of the value.
    fn current_of(&mut self, value: Value<'a>, location: Location<'a>) -> Value<'a> {
        self.current_or_zero(self.source.values.id(value), location)
    }

    fn reverse_call(&mut self, op: Op<'a>, cotangents: &[Option<Value<'a>>]) {
        let of_cycle = self.source.of_cycle.and_then(|calls| calls.get(&op));
        if let Some(callee) = of_cycle {
            return self.reverse_call_of_cycle(op, callee, cotangents);
        }
        let Some(derivative) = self.source.callees.get(&op).cloned() else {
            return; // Reported already.
        };
        let seeds = self.seeds(op, &derivative.results, cotangents);
        let mut own = 0..;
        let mut residuals = Vec::new();
        for kept in &derivative.kept {
            residuals.push(match *kept {
                Kept::Argument(position) => self.primals.value(op.operand(position)),
                Kept::Returned(position) => self.primals.value(op.result(position)),
                Kept::Own(ty) => {
                    let index = own.next().expect("there is no end");
                    self.primals.get(Key::OfCall(op, index), ty)
                }
            });
        }
        let types = derivative.wrt.iter().map(|&index| op.operand(index).ty());
        let types: Vec<_> = types.collect();
        let mut builder = self.builder(op.location());
        let tangents = derivative.pull_back(&mut builder, &seeds, &residuals, &types);
        for (&operand, tangent) in derivative.wrt.iter().zip(tangents) {
            self.accumulate(op.operand(operand), tangent, op.location());
        }
    }

    /// Returns the cotangents of results of a call.
    fn seeds(
        &mut self,
        op: Op<'a>,
        results: &[usize],
        cotangents: &[Option<Value<'a>>],
    ) -> Vec<Value<'a>> {
        let mut seeds = Vec::new();
        for &result in results {
            seeds.push(match cotangents[result] {
                Some(cotangent) => {
                    let mut builder = self.builder(op.location());
                    with_type(&mut builder, cotangent, op.result(result).ty())
                }
                None => self.zero(op.result(result), op.location()),
            });
        }
        seeds
    }

    /// Builds a call that has no tapes yet, and the name of the differentiated function.
    fn reverse_call_of_cycle(
        &mut self,
        op: Op<'a>,
        callee: &tasks::Key<'a>,
        cotangents: &[Option<Value<'a>>],
    ) {
        let seeds = self.seeds(op, &callee.results, cotangents);
        let types = callee.wrt.iter().map(|&index| op.operand(index).ty());
        let types: Vec<_> = types.collect();
        let mut builder = self.builder(op.location());
        let name = source_name(callee.function);
        let call = func::Call::build(&mut builder, &types, name, &seeds);
        self.calls.push((op, call));
        let tangents: Vec<_> = call.results().collect();
        for (&operand, tangent) in callee.wrt.iter().zip(tangents) {
            self.accumulate(op.operand(operand), tangent, op.location());
        }
    }

    // ------------------------------------------------------------------------------- Branches

    fn enter_branch(&mut self, op: Op<'a>) {
        let Some(results) = self.cotangents_of(op) else {
            return;
        };
        self.enter_arm(Branch {
            op,
            results,
            arms: Vec::new(),
        });
    }

    fn enter_arm(&mut self, branch: Branch<'a>) {
        let region = branch.op.region(branch.arms.len());
        let (op, results) = (branch.op, branch.results.clone());
        let mirror = self.enter(region, &[], Owner::Branch(branch));
        let end = mirror.and_then(|_| region.terminator());
        let Some(end) = end else { return };
        for (operand, cotangent) in end.operands().zip(results) {
            if let Some(cotangent) = cotangent {
                self.accumulate(operand, cotangent, op.location());
            }
        }
    }

    /// Starts a region with cotangents of its own.
    fn enter(
        &mut self,
        region: Region<'a>,
        arguments: &[Type<'a>],
        owner: Owner<'a>,
    ) -> Option<Block<'a>> {
        let op = region.parent().expect("a region has an owner");
        let arguments: Vec<_> = arguments.iter().map(|ty| (*ty, op.location())).collect();
        let mirror = Block::new(&arguments);
        let block = region.entry();
        if let Some(block) = block {
            self.primals.set_mirror(block, mirror);
        }
        self.frames.push(Frame {
            next: block.and_then(Block::last),
            mirror,
            cotangents: Cotangents::new(),
            owner,
        });
        block.map(|_| mirror)
    }

    fn end_arm(&mut self, mut branch: Branch<'a>, mirror: Block<'a>, cotangents: Cotangents<'a>) {
        let values = self.source.values;
        let is_outside = |id: &ValueId| values.is_outside(*id, branch.op);
        let changed = cotangents.into_iter().filter(|(id, _)| is_outside(id));
        branch.arms.push((mirror, changed.collect()));
        match branch.arms.len() < branch.op.num_regions() {
            true => self.enter_arm(branch),
            false => self.end_branch(branch),
        }
    }

    /// Builds the reversed branch from its arms.
    fn end_branch(&mut self, branch: Branch<'a>) {
        let (op, location) = (branch.op, branch.op.location());
        let changed: BTreeSet<ValueId> = branch
            .arms
            .iter()
            .flat_map(|(_, cotangents)| cotangents.keys().copied())
            .collect();
        if changed.is_empty() {
            for (mirror, _) in branch.arms {
                self.primals.withdraw(mirror);
                let ops = mirror.ops().flat_map(Op::walk);
                let erased: FxHashSet<_> = ops.filter_map(func::Call::cast).collect();
                if !erased.is_empty() {
                    self.calls.retain(|(_, call)| !erased.contains(call));
                }
                mirror.erase();
            }
            return;
        }
        let condition = self.primals.value(op.operand(0));
        let types: Vec<_> = changed
            .iter()
            .map(|id| self.source.values.value(*id).ty())
            .collect();
        for (mirror, cotangents) in &branch.arms {
            // The arm is the innermost frame again while its end is built.
            self.frames.push(Frame {
                next: None,
                mirror: *mirror,
                cotangents: cotangents.clone(),
                owner: Owner::Function,
            });
            let ends: Vec<_> = changed
                .iter()
                .map(|id| self.current_or_zero(*id, location))
                .collect();
            scf::Yield::build(&mut self.builder(location), &ends);
            self.frames.pop();
        }
        let mut builder = self.builder(location);
        let reversed = builder.op(op.name()).operand(condition).results(&types);
        let reversed = reversed.attributes_of(op).regions(op.num_regions()).build();
        for (index, (mirror, _)) in branch.arms.into_iter().enumerate() {
            mirror.move_to_end(reversed.region(index));
        }
        self.replace(changed, reversed.results());
    }

    /// Sets the cotangents of values of the current frame or outside of it.
    fn replace(
        &mut self,
        ids: impl IntoIterator<Item = ValueId>,
        cotangents: impl Iterator<Item = Value<'a>>,
    ) {
        let frame = self
            .frames
            .last_mut()
            .expect("the function's frame is last");
        frame.cotangents.extend(ids.into_iter().zip(cotangents));
    }

    // ---------------------------------------------------------------------------------- Loops

    fn enter_loop(&mut self, op: scf::While<'a>) {
        let location = op.location();
        let body = |region: Region<'a>| region.entry().expect("a region of a loop has a block");
        let (before_block, after_block) = (body(op.before()), body(op.after()));
        let after: Vec<_> = (0..op.num_results())
            .filter(|&index| {
                self.is_active(op.result(index)) || self.is_active(after_block.argument(index))
            })
            .collect();
        let before: Vec<_> = (0..before_block.num_arguments())
            .filter(|&index| self.is_active(before_block.argument(index)))
            .collect();
        let captured: Vec<_> = self
            .captures
            .get(&op.op())
            .into_iter()
            .flatten()
            .copied()
            .collect();
        // Without a cotangent of a result the loop contributes nothing.
        if self.cotangents_of(op.op()).is_none() {
            return;
        }
        let count_type = values::counter_type(&self.builder(location));
        let mut inits = vec![self.primals.get(Key::Count(op.op()), count_type)];
        for &index in &after {
            let id = self.source.values.id(op.result(index));
            inits.push(self.current_or_zero(id, location));
        }
        for &id in &captured {
            inits.push(self.current_or_zero(id, location));
        }
        let types: Vec<_> = inits.iter().map(|init| init.ty()).collect();
        let loop_ = Loop {
            op,
            before,
            after,
            captured,
            inits,
            mirrors: Vec::new(),
        };
        self.enter_before(loop_, &types);
    }

    fn enter_before(&mut self, loop_: Loop<'a>, types: &[Type<'a>]) {
        let (op, after, captured) = (loop_.op, loop_.after.clone(), loop_.captured.clone());
        let mirror = self.enter(op.before(), types, Owner::Before(loop_));
        let mirror = mirror.expect("a region of a loop has a block");
        let end = op
            .end()
            .expect("the region before a condition ends with it");
        self.set_captured(&captured, mirror, 1 + after.len());
        for (position, &index) in after.iter().enumerate() {
            let cotangent = mirror.argument(1 + position);
            self.accumulate(end.args().at(index), cotangent, op.location());
        }
    }

    /// Sets the sums of captured values to the last arguments of a block.
    fn set_captured(&mut self, captured: &[ValueId], mirror: Block<'a>, first: usize) {
        let sums = (first..).map(|index| mirror.argument(index));
        self.replace(captured.iter().copied(), sums.take(captured.len()));
    }

    fn end_before(&mut self, mut loop_: Loop<'a>, cotangents: Cotangents<'a>) {
        let (op, location) = (loop_.op, loop_.op.location());
        let block = op.before().entry().expect("it has a block");
        let arguments = loop_.before.iter().map(|&index| block.argument(index));
        let arguments: Vec<_> = arguments.collect();
        let mirror = self.primals.mirror(block);
        let counter = mirror.argument(0);
        let ends = self.ends(mirror, cotangents, &arguments, &loop_.captured, location);
        let forwarded: Vec<_> = std::iter::once(counter).chain(ends).collect();
        let mut builder = Builder::at_end(mirror, location);
        let zero = values::count(&mut builder, 0);
        let more = arith::CmpI::build(&mut builder, CmpIPredicate::Sgt, counter, zero);
        scf::Condition::build(&mut builder, more.op().result(0), &forwarded);
        let types: Vec<_> = forwarded.iter().map(|value| value.ty()).collect();
        loop_.mirrors.push(mirror);

        let (before, captured) = (loop_.before.clone(), loop_.captured.clone());
        let mirror = self.enter(op.after(), &types, Owner::After(loop_));
        let mirror = mirror.expect("a region of a loop has a block");
        self.set_captured(&captured, mirror, 1 + before.len());
        let end = op.after().terminator().expect("the body of a loop yields");
        for (position, &index) in before.iter().enumerate() {
            self.accumulate(end.operand(index), mirror.argument(1 + position), location);
        }
    }

    /// Returns the cotangents with which a region of a loop ends: those of `values`, then the sums
    /// of captured values.
    fn ends(
        &mut self,
        mirror: Block<'a>,
        cotangents: Cotangents<'a>,
        values: &[Value<'a>],
        captured: &[ValueId],
        location: Location<'a>,
    ) -> Vec<Value<'a>> {
        self.frames.push(Frame {
            next: None,
            mirror,
            cotangents,
            owner: Owner::Function,
        });
        let ids = values.iter().map(|value| self.source.values.id(*value));
        let ids: Vec<_> = ids.chain(captured.iter().copied()).collect();
        let ends = ids.into_iter().map(|id| self.current_or_zero(id, location));
        let ends = ends.collect();
        self.frames.pop();
        ends
    }

    fn end_after(&mut self, mut loop_: Loop<'a>, cotangents: Cotangents<'a>) {
        let (op, location) = (loop_.op, loop_.op.location());
        let block = op.after().entry().expect("it has a block");
        let arguments = loop_.after.iter().map(|&index| block.argument(index));
        let arguments: Vec<_> = arguments.collect();
        let mirror = self.primals.mirror(block);
        let ends = self.ends(mirror, cotangents, &arguments, &loop_.captured, location);
        let mut builder = Builder::at_end(mirror, location);
        let one = values::count(&mut builder, -1);
        let counter = arith::AddI::build(&mut builder, mirror.argument(0), one);
        let forwarded: Vec<_> = std::iter::once(counter.op().result(0))
            .chain(ends)
            .collect();
        scf::Yield::build(&mut builder, &forwarded);
        loop_.mirrors.push(mirror);
        self.end_loop(loop_);
    }

    /// Builds the reversed loop from its regions.
    fn end_loop(&mut self, loop_: Loop<'a>) {
        let (op, location) = (loop_.op, loop_.op.location());
        let (before, after) = (loop_.mirrors[0], loop_.mirrors[1]);
        let types: Vec<_> = after.arguments().map(|argument| argument.ty()).collect();
        let mut builder = self.builder(location);
        let reversed = scf::While::build(&mut builder, &types, &loop_.inits);
        before.move_to_end(reversed.before());
        after.move_to_end(reversed.after());
        let sums = 1 + loop_.before.len();
        let captured = (sums..).map(|index| reversed.result(index));
        self.replace(
            loop_.captured.iter().copied(),
            captured.take(loop_.captured.len()),
        );
        for (position, &index) in loop_.before.iter().enumerate() {
            let init = op.inits().at(index);
            self.accumulate(init, reversed.result(1 + position), location);
        }
    }
}

/// Returns the error for an operation without a rule.
pub(crate) fn no_rule(op: Op<'_>) -> Diagnostic<'_> {
    let name = rules::name(op);
    diag::error(
        op.location(),
        format!("cannot differentiate: no derivative of '{name}' is known"),
    )
    .note(
        op.location(),
        "write the function around it with a rule (tfx_ad.rule), or cut the path with tfx_ad.stop",
    )
}
