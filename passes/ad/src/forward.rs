//! The forward function: a function that also returns its residuals.
//!
//! ```text
//!   func @f(%x) -> %y       func @f.forward(%x) -> (%y, residuals)
//!     %a = op                 %a = op                        a residual of the body is a result
//!     scf.while {             scf.while {
//!       %b = op                 %b = op; push %b to %tape    a residual of a loop is pushed
//!       call @g                 call @g.forward              an active call returns its residuals
//! ```
//!
//! Cost: one clone of the function, and a constant for each residual.

use rustc_hash::FxHashMap;

use melior::ir::{Location, Type};
use tfx_dialects::derivatives::{tape, tape_element};
use tfx_dialects::{ad, host};
use tfx_ir::ops::{arith, func, scf};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::derivative::Derivative;
use crate::functions::add_function;
use crate::primal::{Key, Residual, Storage, shape_of, variable};
use crate::values;

/// The function to record.
pub(crate) struct Source<'s, 'a> {
    pub(crate) function: Op<'a>,
    pub(crate) residuals: &'s [Residual<'a>],
    /// The derivatives of the callees of active calls.
    pub(crate) callees: &'s FxHashMap<Op<'a>, Derivative<'a>>,
    /// The tapes of the own cycle, if the function calls itself.
    pub(crate) cycle: Option<&'s Cycle<'s, 'a>>,
}

/// The tapes of a cycle of calls.
pub(crate) struct Cycle<'s, 'a> {
    /// The types of the values, one for each tape.
    pub(crate) types: &'s [Type<'a>],
    /// The calls of the cycle, with the symbols of the forward functions.
    pub(crate) calls: FxHashMap<Op<'a>, &'s str>,
}

/// Appends the forward function to `target` with the name `name`.
pub(crate) fn forward<'a>(source: &Source<'_, 'a>, target: Block<'a>, name: &str) {
    let (function, residuals, callees) = (source.function, source.residuals, source.callees);
    let location = function.location();
    let body = function.region(0).entry().expect("it has a body");
    let types = body.arguments().map(|value| value.ty());
    let of_tapes = source.cycle.iter().flat_map(|cycle| cycle.types);
    let of_tapes = of_tapes.map(|ty| tape(*ty));
    let parameters: Vec<_> = types.chain(of_tapes).map(|ty| (ty, location)).collect();
    let entry = Block::new(&parameters);
    let mut mapping = Mapping::new();
    body.arguments()
        .zip(entry.arguments())
        .for_each(|(from, to)| mapping.map(from, to));
    let mut builder = Builder::at_end(entry, location);
    body.ops().for_each(|op| {
        builder.clone_op(op, &mut mapping);
    });
    let tapes = match source.cycle {
        Some(cycle) => Tapes::new(cycle.types, entry, (body.num_arguments(), location)),
        None => Tapes::default(),
    };
    let mut recorder = Recorder {
        location,
        entry,
        tapes,
        mapping: &mapping,
        replaced: Vec::new(),
        calls: FxHashMap::default(),
        ends: Vec::new(),
    };
    // In the order of the function, since clones of calls are replaced.
    for op in function.walk() {
        if let Some(derivative) = callees.get(&op) {
            recorder.replace_call(op, derivative);
        } else if let Some(callee) = source.cycle.and_then(|cycle| cycle.calls.get(&op)) {
            recorder.replace_call_of_cycle(op, callee);
        }
    }
    residuals
        .iter()
        .for_each(|residual| recorder.record(residual));
    let Recorder {
        ends,
        replaced,
        tapes,
        ..
    } = recorder;
    replaced.into_iter().for_each(Op::erase);
    let end = entry.terminator().expect("a structured function returns");
    let mut builder = Builder::before(end);
    let mut stored = Vec::new();
    for end in ends {
        stored.push(match end {
            End::Value(value) => value,
            End::Variable(variable) => host::Load::build(&mut builder, variable).op().result(0),
        });
    }
    stored.extend(tapes.load(&mut builder));
    let results: Vec<_> = end.operands().chain(stored).collect();
    end.erase();
    add_function(target, name, entry, &results, location);
}

/// The place of a residual at the end of the function.
enum End<'a> {
    Value(Value<'a>),
    Variable(Value<'a>),
}

/// The variables with the tapes of a cycle of calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tapes<'a>(Vec<(Type<'a>, Value<'a>)>);

impl<'a> Tapes<'a> {
    /// Adds a variable for each type of values at the start of a function whose parameters from
    /// `first` on are the tapes.
    pub(crate) fn new(
        types: &[Type<'a>],
        entry: Block<'a>,
        (first, location): (usize, Location<'a>),
    ) -> Self {
        let mut start = Builder::at_start(entry, location);
        let tapes = types.iter().zip(entry.arguments().skip(first));
        let tapes = tapes.map(|(ty, parameter)| (*ty, variable(&mut start, parameter)));
        Tapes(tapes.collect())
    }

    /// Builds loads of all tapes.
    pub(crate) fn load(&self, builder: &mut Builder<'a>) -> Vec<Value<'a>> {
        let tapes = self.0.iter();
        tapes
            .map(|(_, variable)| host::Load::build(builder, *variable).op().result(0))
            .collect()
    }

    /// Builds stores of all tapes.
    fn store(&self, builder: &mut Builder<'a>, tapes: impl Iterator<Item = Value<'a>>) {
        for ((_, variable), tape) in self.0.iter().zip(tapes) {
            host::Store::build(builder, tape, *variable);
        }
    }

    /// Builds a call that takes and returns all tapes after its operands and results.
    pub(crate) fn call(
        &self,
        builder: &mut Builder<'a>,
        callee: &str,
        operands: impl Iterator<Item = Value<'a>>,
        results: &[Type<'a>],
    ) -> Op<'a> {
        let operands: Vec<_> = operands.chain(self.load(builder)).collect();
        let types = self.0.iter().map(|(ty, _)| tape(*ty));
        let types: Vec<_> = results.iter().copied().chain(types).collect();
        let call = func::Call::build(builder, &types, callee, &operands).op();
        self.store(builder, call.results().skip(results.len()));
        call
    }

    fn of(&self, ty: Type<'a>) -> Value<'a> {
        let mut tapes = self.0.iter();
        let tape = tapes.find(|(of, _)| *of == ty);
        tape.expect("the cycle has a tape for each type").1
    }

    /// Builds a push.
    fn push(&self, builder: &mut Builder<'a>, value: Value<'a>) {
        let variable = self.of(value.ty());
        let tape = host::Load::build(builder, variable).op().result(0);
        let longer = ad::Push::build(builder, value, tape).result();
        host::Store::build(builder, longer, variable);
    }

    /// Builds a pop.
    pub(crate) fn pop(&self, builder: &mut Builder<'a>, ty: Type<'a>) -> Value<'a> {
        let variable = self.of(ty);
        let tape = host::Load::build(builder, variable).op().result(0);
        let pop = ad::Pop::build(builder, tape.ty(), ty, tape);
        host::Store::build(builder, pop.rest(), variable);
        pop.value()
    }
}

struct Recorder<'m, 'a> {
    location: Location<'a>,
    entry: Block<'a>,
    /// The tapes of the own cycle.
    tapes: Tapes<'a>,
    /// From the function to the clone.
    mapping: &'m Mapping<'a>,
    /// The calls that forward calls replace. They stay until the end, since the mapping names them.
    replaced: Vec<Op<'a>>,
    /// The forward calls.
    calls: FxHashMap<Op<'a>, Op<'a>>,
    ends: Vec<End<'a>>,
}

impl<'a> Recorder<'_, 'a> {
    /// Calls the forward function in place of the function.
    fn replace_call(&mut self, op: Op<'a>, derivative: &Derivative<'a>) {
        let clone = self.mapping.op(op).expect("each operation is cloned");
        let mut types = clone.result_types();
        types.extend(derivative.own());
        let operands: Vec<_> = clone.operands().collect();
        let mut builder = Builder::before(clone);
        let call = func::Call::build(&mut builder, &types, &derivative.forward, &operands).op();
        self.replace(op, call);
    }

    /// Calls the forward function of the own cycle in place of the function.
    fn replace_call_of_cycle(&mut self, op: Op<'a>, callee: &str) {
        let clone = self.mapping.op(op).expect("each operation is cloned");
        let mut builder = Builder::before(clone);
        let types = clone.result_types();
        let tapes = &self.tapes;
        let call = tapes.call(&mut builder, callee, clone.operands(), &types);
        self.replace(op, call);
    }

    fn replace(&mut self, op: Op<'a>, call: Op<'a>) {
        let clone = self.mapping.op(op).expect("each operation is cloned");
        for (old, new) in clone.results().zip(call.results()) {
            old.replace_all_uses_with(new);
        }
        self.replaced.push(clone);
        self.calls.insert(op, call);
    }

    fn record(&mut self, residual: &Residual<'a>) {
        let (value, mut builder) = self.value(residual);
        if let Storage::Cycle = residual.storage {
            let block = value.block().expect("a value is in a block");
            let end = block.terminator().expect("a region ends with a terminator");
            return self.tapes.push(&mut Builder::before(end), value);
        }
        let end = match residual.storage {
            Storage::Direct => End::Value(value),
            Storage::Variable => {
                let mut start = Builder::at_start(self.entry, self.location);
                // The derivative of this function may ask for the length of any tape.
                let first = match tape_element(residual.ty) {
                    Some(_) => ad::EmptyTape::build(&mut start, residual.ty).tape(),
                    None => host::Undef::build(&mut start, residual.ty).result(),
                };
                let variable = variable(&mut start, first);
                host::Store::build(&mut builder, value, variable);
                End::Variable(variable)
            }
            Storage::Tape => {
                let mut start = Builder::at_start(self.entry, self.location);
                let empty = ad::EmptyTape::build(&mut start, tape(residual.ty)).tape();
                let variable = variable(&mut start, empty);
                let tape = host::Load::build(&mut builder, variable).op().result(0);
                let longer = ad::Push::build(&mut builder, value, tape).result();
                host::Store::build(&mut builder, longer, variable);
                End::Variable(variable)
            }
            Storage::Cycle => unreachable!("handled above"),
        };
        self.ends.push(end);
    }

    /// Returns the value of a residual in the forward function, and a builder after it.
    fn value(&mut self, residual: &Residual<'a>) -> (Value<'a>, Builder<'a>) {
        match residual.key {
            Key::Value(value) => self.after(value),
            Key::Shape(value) => {
                let (value, mut builder) = self.after(value);
                (shape_of(&mut builder, value), builder)
            }
            Key::OfCall(op, index) => {
                let call = self.calls[&op];
                let value = call.result(op.num_results() + index);
                (value, Builder::after(call))
            }
            Key::Count(op) => self.count(op),
        }
    }

    /// Returns the counterpart of a value, and a builder after its definition.
    fn after(&self, value: Value<'a>) -> (Value<'a>, Builder<'a>) {
        let clone = self.mapping.get(value).expect("each value is cloned");
        let result = value.defining_op().and_then(|op| {
            let position = op.results().position(|result| result == value)?;
            Some(self.calls.get(&op)?.result(position))
        });
        let clone = result.unwrap_or(clone);
        let builder = match (clone.defining_op(), clone.as_argument()) {
            (Some(op), _) => Builder::after(op),
            (None, Some((block, _))) => Builder::at_start(block, self.location),
            (None, None) => unreachable!("a value is a result or an argument"),
        };
        (clone, builder)
    }

    /// Counts the iterations of a loop.
    fn count(&self, op: Op<'a>) -> (Value<'a>, Builder<'a>) {
        let clone = self.mapping.op(op).expect("each operation is cloned");
        let mut before = Builder::before(clone);
        let zero = values::count(&mut before, 0);
        let counter = variable(&mut before, zero);
        let loop_ = scf::While::cast(clone).expect("only loops are counted");
        let body = loop_
            .after()
            .entry()
            .expect("a region of a loop has a block");
        let mut builder = Builder::at_start(body, op.location());
        let count = host::Load::build(&mut builder, counter).op().result(0);
        let one = values::count(&mut builder, 1);
        let next = arith::AddI::build(&mut builder, count, one);
        host::Store::build(&mut builder, next.op().result(0), counter);
        let mut builder = Builder::after(clone);
        (
            host::Load::build(&mut builder, counter).op().result(0),
            builder,
        )
    }
}
