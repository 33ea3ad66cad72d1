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
use tfx_dialects::derivatives::tape;
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
    /// The symbol of the pullback and its type as a closure, if the forward function returns that
    /// instead of the residuals.
    pub(crate) pullback: Option<(&'a str, Type<'a>)>,
}

/// Appends the forward function to `target` with the name `name`.
pub(crate) fn forward<'a>(source: &Source<'_, 'a>, target: Block<'a>, name: &str) {
    let (function, residuals, callees) = (source.function, source.residuals, source.callees);
    let location = function.location();
    let body = function.region(0).entry().expect("it has a body");
    let parameters: Vec<_> = body
        .arguments()
        .map(|value| (value.ty(), location))
        .collect();
    let entry = Block::new(&parameters);
    let mut mapping = Mapping::new();
    body.arguments()
        .zip(entry.arguments())
        .for_each(|(from, to)| mapping.map(from, to));
    let mut builder = Builder::at_end(entry, location);
    body.ops().for_each(|op| {
        builder.clone_op(op, &mut mapping);
    });
    let mut recorder = Recorder {
        location,
        entry,
        mapping: &mapping,
        replaced: Vec::new(),
        calls: FxHashMap::default(),
        ends: Vec::new(),
    };
    // In the order of the function, since clones of calls are replaced.
    for op in function.walk() {
        if let Some(derivative) = callees.get(&op) {
            recorder.replace_call(op, derivative);
        }
    }
    residuals
        .iter()
        .for_each(|residual| recorder.record(residual));
    let Recorder { ends, replaced, .. } = recorder;
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
    if let Some((name, ty)) = source.pullback {
        stored = vec![host::Closure::build(&mut builder, ty, name, &stored).closure()];
    }
    let results: Vec<_> = end.operands().chain(stored).collect();
    end.erase();
    add_function(target, name, entry, &results, location);
}

/// The place of a residual at the end of the function.
enum End<'a> {
    Value(Value<'a>),
    Variable(Value<'a>),
}

struct Recorder<'m, 'a> {
    location: Location<'a>,
    entry: Block<'a>,
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
        for (old, new) in clone.results().zip(call.results()) {
            old.replace_all_uses_with(new);
        }
        self.replaced.push(clone);
        self.calls.insert(op, call);
    }

    fn record(&mut self, residual: &Residual<'a>) {
        let (value, mut builder) = self.value(residual);
        let end = match residual.storage {
            Storage::Direct => End::Value(value),
            Storage::Variable => {
                let mut start = Builder::at_start(self.entry, self.location);
                let undef = host::Undef::build(&mut start, residual.ty).result();
                let variable = variable(&mut start, undef);
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
