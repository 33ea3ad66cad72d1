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
//! `recompute.rs` decides which values of loops are on tapes, after the reversal has requested all
//! of them. Until then, undefined values stand for them.
//!
//! A function that calls itself returns no residuals: all of them are on the tapes of its cycle of
//! calls, as `cycles.rs` describes.
//!
//! Cost: constant for each residual, plus the depth of its region.

use rustc_hash::{FxHashMap, FxHashSet};

use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_dialects::derivatives::{tape, tape_element};
use tfx_dialects::types::reference;
use tfx_dialects::{ad, host, tensor};
use tfx_graphdef_mlir::types;
use tfx_ir::ops::{Structured, arith};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::arrays;
use crate::rules::Primal;
use crate::values::{self, tf};

/// The identity of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key<'a> {
    /// A value of the function.
    Value(Value<'a>),
    /// The shape of a tensor, the count of an array, or the length of a tape.
    Shape(Value<'a>),
    /// The number of iterations of a loop.
    Count(Op<'a>),
    /// A residual of a call, by its position among those of the callee.
    OfCall(Op<'a>, usize),
}

impl<'a> Key<'a> {
    /// Returns the identity of a value: a value that `tfx_ad.save` marks and the result of the
    /// mark are the same.
    pub(crate) fn of(mut value: Value<'a>) -> Self {
        while let Some(save) = value.defining_op().and_then(ad::Save::cast) {
            value = save.value();
        }
        Key::Value(value)
    }

    /// Returns the block in which it is computed.
    pub(crate) fn home(self) -> Block<'a> {
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
    /// The tape of the cycle of calls for values of its type.
    Cycle,
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
            Storage::Cycle => unreachable!("no result has it"),
        }
    }
}

/// The residuals of a function, as its reversal requests them.
pub(crate) struct Primals<'a> {
    /// The function calls itself.
    is_recursive: bool,
    /// The block of the backward function.
    entry: Block<'a>,
    /// The place of the function.
    location: Location<'a>,
    /// The reversal of each block so far.
    mirrors: FxHashMap<Block<'a>, Block<'a>>,
    available: FxHashMap<Key<'a>, Value<'a>>,
    pub(crate) residuals: Vec<Residual<'a>>,
    /// The loops from which values are requested, in the order of the first request.
    pub(crate) levels: Vec<Level<'a>>,
    level_of: FxHashMap<Op<'a>, usize>,
    /// The values that the tapes of the cycle have, for a function that calls itself.
    of_cycle: Vec<Request<'a>>,
}

/// The requests for values of a loop: `recompute.rs` decides about all of them together.
pub(crate) struct Level<'a> {
    pub(crate) loop_: Op<'a>,
    /// The number of loops around, with this one.
    pub(crate) depth: usize,
    pub(crate) requests: Vec<Request<'a>>,
}

/// A requested value of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) key: Key<'a>,
    pub(crate) ty: Type<'a>,
    /// Stands for the value in the reversal.
    pub(crate) placeholder: Value<'a>,
}

impl<'a> Primals<'a> {
    pub(crate) fn new(
        (body, entry): (Block<'a>, Block<'a>),
        location: Location<'a>,
        is_recursive: bool,
    ) -> Self {
        Primals {
            is_recursive,
            entry,
            location,
            mirrors: FxHashMap::from_iter([(body, entry)]),
            available: FxHashMap::default(),
            residuals: Vec::new(),
            levels: Vec::new(),
            level_of: FxHashMap::default(),
            of_cycle: Vec::new(),
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
        match loop_around(home) {
            Some((loop_, depth)) => self.request(key, ty, (loop_, depth)),
            None if self.is_recursive => {
                let mut builder = Builder::at_start(self.mirror(home), self.location);
                self.of_cycle(key, ty, &mut builder)
            }
            None => self.store(key, ty, storage(home)),
        }
    }

    /// Returns a placeholder of a value that is on a tape of the cycle. Its place is that of the
    /// pop.
    fn of_cycle(&mut self, key: Key<'a>, ty: Type<'a>, builder: &mut Builder<'a>) -> Value<'a> {
        let placeholder = host::Undef::build(builder, ty).result();
        self.of_cycle.push(Request {
            key,
            ty,
            placeholder,
        });
        placeholder
    }

    /// Returns the values of the tapes of the cycle, in the order of the pops of each block.
    pub(crate) fn take_from_cycle(&mut self) -> Vec<Request<'a>> {
        let of_block = self.entry.ops().flat_map(Op::walk);
        let places = of_block.filter(|op| op.isa::<host::Undef>()).enumerate();
        let places: FxHashMap<_, _> = places.map(|(place, op)| (op.result(0), place)).collect();
        let mut requests = std::mem::take(&mut self.of_cycle);
        requests.sort_by_key(|request| places[&request.placeholder]);
        requests
    }

    /// Adds a parameter of the backward function.
    fn store(&mut self, key: Key<'a>, ty: Type<'a>, storage: Storage) -> Value<'a> {
        let residual = Residual { key, ty, storage };
        self.residuals.push(residual);
        let (ty, location) = (residual.result_type(), self.location);
        self.entry.add_argument(ty, location)
    }

    fn request(
        &mut self,
        key: Key<'a>,
        ty: Type<'a>,
        (loop_, depth): (Op<'a>, usize),
    ) -> Value<'a> {
        let mut builder = Builder::at_start(self.mirror(key.home()), self.location);
        let placeholder = host::Undef::build(&mut builder, ty).result();
        let next = self.levels.len();
        let level = *self.level_of.entry(loop_).or_insert(next);
        if level == next {
            self.levels.push(Level {
                loop_,
                depth,
                requests: Vec::new(),
            });
        }
        self.levels[level].requests.push(Request {
            key,
            ty,
            placeholder,
        });
        placeholder
    }

    /// Takes the requests of a level, whose values become unknown again.
    pub(crate) fn take_requests(&mut self, level: usize) -> Vec<Request<'a>> {
        let requests = std::mem::take(&mut self.levels[level].requests);
        for request in &requests {
            self.available.remove(&request.key);
        }
        requests
    }

    /// Withdraws the requests of a block of the reversal that is about to be erased.
    pub(crate) fn withdraw(&mut self, mirror: Block<'a>) {
        let ops = mirror.ops().flat_map(Op::walk);
        let placeholders: FxHashSet<_> = ops
            .filter(|op| op.isa::<host::Undef>())
            .map(|op| op.result(0))
            .collect();
        let available = &mut self.available;
        let levels = self.levels.iter_mut().map(|level| &mut level.requests);
        for requests in levels.chain([&mut self.of_cycle]) {
            requests.retain(|request| {
                let is_erased = placeholders.contains(&request.placeholder);
                if is_erased {
                    available.remove(&request.key);
                }
                !is_erased
            });
        }
    }

    /// Pops a value of a loop from a tape.
    pub(crate) fn pop(&mut self, key: Key<'a>, ty: Type<'a>, builder: &mut Builder<'a>) {
        if self.is_recursive {
            let value = self.of_cycle(key, ty, builder);
            return self.provide(key, value);
        }
        let parameter = self.store(key, ty, Storage::Tape);
        let variable = variable(&mut self.at_start(), parameter);
        let tape = host::Load::build(builder, variable).op().result(0);
        let pop = ad::Pop::build(builder, tape.ty(), ty, tape);
        host::Store::build(builder, pop.rest(), variable);
        self.provide(key, pop.value());
    }

    /// Makes a value known.
    pub(crate) fn provide(&mut self, key: Key<'a>, value: Value<'a>) {
        self.available.insert(key, value);
    }

    /// Returns whether a value is known.
    pub(crate) fn is_available(&self, key: Key<'a>) -> bool {
        self.available.contains_key(&key)
    }

    /// Returns a builder at the start of the backward function.
    pub(crate) fn at_start(&self) -> Builder<'a> {
        Builder::at_start(self.entry, self.location)
    }

    /// Returns a value of the function.
    pub(crate) fn value(&mut self, value: Value<'a>) -> Value<'a> {
        self.get(Key::of(value), value.ty())
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

/// Returns the type of the shape of a tensor, of the count of an array, or of the length of a tape.
pub(crate) fn shape_type<'a>(builder: &Builder<'a>, ty: Type<'a>) -> Type<'a> {
    if tape_element(ty).is_some() {
        return values::counter_type(builder);
    }
    if arrays::element(ty).is_some() {
        return Type::index(builder.context());
    }
    let rank = types::sizes(ty).map(|sizes| sizes.len() as u64);
    let element = IntegerType::new(builder.context(), SHAPE_BITS).into();
    types::tensor_of(builder.context(), Some(&[rank]), element)
}

/// Builds the shape of a tensor type whose sizes are all known.
pub(crate) fn static_shape<'a>(builder: &mut Builder<'a>, ty: Type<'a>) -> Option<Value<'a>> {
    if arrays::element(ty).is_some() || tape_element(ty).is_some() {
        return None;
    }
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
    value.defining_op().filter(|_| is_constant(value))
}

/// Returns whether a value is a constant, which needs no residual.
pub(crate) fn is_constant(value: Value<'_>) -> bool {
    let op = value.defining_op();
    op.is_some_and(|op| op.isa::<arith::Constant>() || op.isa::<tensor::Const>())
}

/// Returns how values that are defined in a block outside of loops reach the backward function.
fn storage(home: Block<'_>) -> Storage {
    match home.parent().and_then(Structured::cast) {
        Some(_) => Storage::Variable,
        None => Storage::Direct,
    }
}

/// Returns the innermost loop around a block, and the number of loops around it.
fn loop_around(block: Block<'_>) -> Option<(Op<'_>, usize)> {
    let (mut innermost, mut depth) = (None, 0);
    let mut around = block.parent();
    while let Some(op) = around {
        if Structured::cast(op).is_some_and(Structured::is_loop) {
            innermost = innermost.or(Some(op));
            depth += 1;
        }
        around = op.parent();
    }
    Some((innermost?, depth))
}

/// Builds the shape of a tensor, the count of an array, or the length of a tape.
pub(crate) fn shape_of<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    if tape_element(value.ty()).is_some() {
        return ad::TapeLength::build(builder, value).length();
    }
    if arrays::element(value.ty()).is_some() {
        return host::ArrayCount::build(builder, value).count();
    }
    let ty = shape_type(builder, value.ty());
    tf(builder, "Shape", &[value], ty)
}
