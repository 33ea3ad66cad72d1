//! The values of a function that its backward function needs: *residuals*.
//!
//! ```text
//!   defined in    forward function                         backward function
//!   the body      a result                                 a parameter
//!   a branch      a variable, stored there; a result       a parameter
//!   a loop        pushed on a tape; the tape, a result     popped where its region is reversed
//!   a constant    -                                        the constant again
//! ```
//!
//! The reversal of a region pops each value of it once, at its start. As regions are reversed in
//! the opposite order, the pops are in the opposite order of the pushes. The tapes are variables
//! until `tfx-ssa`: only that pass needs to know how they pass through control flow.
//!
//! Cost: constant for each residual, plus the depth of its region.

use rustc_hash::FxHashMap;

use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_dialects::derivatives::tape;
use tfx_dialects::types::reference;
use tfx_dialects::{ad, host, tensor};
use tfx_graphdef_mlir::types;
use tfx_ir::ops::{Structured, arith};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::rules::Primal;
use crate::values::tf;

/// The identity of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key<'a> {
    /// A value of the function.
    Value(Value<'a>),
    /// The shape of a tensor.
    Shape(Value<'a>),
    /// The number of iterations of a loop.
    Count(Op<'a>),
    /// A residual of a call, by its position among those of the callee.
    OfCall(Op<'a>, usize),
}

impl<'a> Key<'a> {
    /// Returns the block in which it is computed.
    fn home(self) -> Block<'a> {
        let block = match self {
            Key::Value(value) | Key::Shape(value) => value.block(),
            Key::Count(op) | Key::OfCall(op, _) => op.block(),
        };
        block.expect("a value of a function is in a block")
    }
}

/// The way in which the forward function passes a residual to the backward function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// A result.
    Direct,
    /// A variable that one path stores.
    Variable,
    /// A tape.
    Tape,
}

/// A value that the forward function returns for the backward function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual<'a> {
    pub(crate) key: Key<'a>,
    pub(crate) ty: Type<'a>,
    pub(crate) storage: Storage,
}

impl<'a> Residual<'a> {
    /// Returns the type of the result of the forward function.
    pub(crate) fn result_type(&self) -> Type<'a> {
        match self.storage {
            Storage::Tape => tape(self.ty),
            Storage::Direct | Storage::Variable => self.ty,
        }
    }
}

/// The residuals of a function, as its reversal requests them.
pub(crate) struct Primals<'a> {
    /// The block of the backward function.
    entry: Block<'a>,
    /// The place of the function.
    location: Location<'a>,
    /// The reversal of each block so far.
    mirrors: FxHashMap<Block<'a>, Block<'a>>,
    available: FxHashMap<Key<'a>, Value<'a>>,
    pub(crate) residuals: Vec<Residual<'a>>,
}

impl<'a> Primals<'a> {
    pub(crate) fn new(body: Block<'a>, entry: Block<'a>, location: Location<'a>) -> Self {
        Primals {
            entry,
            location,
            mirrors: FxHashMap::from_iter([(body, entry)]),
            available: FxHashMap::default(),
            residuals: Vec::new(),
        }
    }

    /// Records the block that reverses `block`.
    pub(crate) fn set_mirror(&mut self, block: Block<'a>, mirror: Block<'a>) {
        self.mirrors.insert(block, mirror);
    }

    /// Returns the block that reverses `block`.
    pub(crate) fn mirror(&self, block: Block<'a>) -> Block<'a> {
        self.mirrors[&block]
    }

    /// Returns a residual of a type in the reversal of its block.
    pub(crate) fn get(&mut self, key: Key<'a>, ty: Type<'a>) -> Value<'a> {
        if let Some(known) = self.available.get(&key) {
            return *known;
        }
        let value = match constant(key) {
            Some(constant) => {
                let mut builder = Builder::at_start(self.entry, constant.location());
                builder.clone_op(constant, &mut Mapping::new()).result(0)
            }
            None => self.receive(key, ty),
        };
        self.available.insert(key, value);
        value
    }

    fn receive(&mut self, key: Key<'a>, ty: Type<'a>) -> Value<'a> {
        let home = key.home();
        let storage = storage(home);
        let residual = Residual { key, ty, storage };
        self.residuals.push(residual);
        let location = self.location;
        let parameter = self.entry.add_argument(residual.result_type(), location);
        if storage != Storage::Tape {
            return parameter;
        }
        let mut builder = Builder::at_start(self.entry, location);
        let variable = variable(&mut builder, parameter);
        let mut builder = Builder::at_start(self.mirrors[&home], location);
        let tape = host::Load::build(&mut builder, variable).op().result(0);
        let pop = ad::Pop::build(&mut builder, tape.ty(), ty, tape);
        host::Store::build(&mut builder, pop.rest(), variable);
        pop.value()
    }

    /// Returns a value of the function.
    pub(crate) fn value(&mut self, value: Value<'a>) -> Value<'a> {
        self.get(Key::Value(value), value.ty())
    }
}

impl<'a> Primal<'a> for Primals<'a> {
    fn value(&mut self, value: Value<'a>) -> Value<'a> {
        Primals::value(self, value)
    }

    fn shape(&mut self, builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
        if let Some(shape) = static_shape(builder, value.ty()) {
            return shape;
        }
        let ty = shape_type(builder, value.ty());
        self.get(Key::Shape(value), ty)
    }
}

/// Builds a variable with a value.
pub(crate) fn variable<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    let variable = host::Var::build(builder, reference(value.ty()))
        .op()
        .result(0);
    host::Store::build(builder, value, variable);
    variable
}

/// The width of the elements of shapes.
const SHAPE_BITS: u32 = 32;

/// Returns the type of the shape of a tensor.
pub(crate) fn shape_type<'a>(builder: &Builder<'a>, ty: Type<'a>) -> Type<'a> {
    let rank = types::sizes(ty).map(|sizes| sizes.len() as u64);
    let element = IntegerType::new(builder.context(), SHAPE_BITS).into();
    types::tensor_of(builder.context(), Some(&[rank]), element)
}

/// Builds the shape of a tensor type whose sizes are all known.
pub(crate) fn static_shape<'a>(builder: &mut Builder<'a>, ty: Type<'a>) -> Option<Value<'a>> {
    let sizes: Option<Vec<u64>> = types::sizes(ty)?.into_iter().collect();
    let text: Vec<_> = sizes?.iter().map(u64::to_string).collect();
    let shape = shape_type(builder, ty);
    let elements = format!("dense<[{}]> : {shape}", text.join(", "));
    let value = melior::ir::Attribute::parse(builder.context(), &elements)?;
    Some(tensor::Const::build(builder, shape, value).result())
}

/// Returns the operation that defines a constant.
fn constant(key: Key<'_>) -> Option<Op<'_>> {
    let Key::Value(value) = key else { return None };
    let op = value.defining_op()?;
    (op.isa::<arith::Constant>() || op.isa::<tensor::Const>()).then_some(op)
}

/// Returns how values that are defined in a block reach the backward function.
fn storage(home: Block<'_>) -> Storage {
    let mut storage = Storage::Direct;
    let mut around = home.parent();
    while let Some(op) = around {
        match Structured::cast(op) {
            Some(structured) if structured.is_loop() => return Storage::Tape,
            Some(_) => storage = Storage::Variable,
            None => break,
        }
        around = op.parent();
    }
    storage
}

/// Builds the shape of a tensor.
pub(crate) fn shape_of<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    let ty = shape_type(builder, value.ty());
    tf(builder, "Shape", &[value], ty)
}
