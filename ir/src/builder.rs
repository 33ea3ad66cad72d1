//! Building operations.
//!
//! ```text
//!   Builder::before(op)    ──►  .op("arith.addi").operands(&[a, b]).result(ty).build()  ──►  Op, inserted
//!   Builder::at_end(block)
//! ```
//!
//! A builder has an insertion point and a location. It inserts operations at the point, in the
//! order in which they are built. `scf::If::build(&mut builder, ...)` builds by type (see
//! [`crate::view`]).

use melior::Context;
use melior::ir::attribute::{
    DenseI32ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type};
use smallvec::SmallVec;

use crate::{Block, Op, Value, ffi};

/// Builds operations at an insertion point.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a> {
    point: Point<'a>,
    location: Location<'a>,
    context: &'a Context,
}

#[derive(Clone, Copy, Debug)]
enum Point<'a> {
    Before(Op<'a>),
    End(Block<'a>),
    After(Op<'a>),
    Start(Block<'a>),
}

impl<'a> Builder<'a> {
    /// Inserts before `op`, with its location.
    pub fn before(op: Op<'a>) -> Self {
        Self {
            point: Point::Before(op),
            location: op.location(),
            context: op.context(),
        }
    }

    /// Inserts after `op`, with its location.
    pub fn after(op: Op<'a>) -> Self {
        Self {
            point: Point::After(op),
            location: op.location(),
            context: op.context(),
        }
    }

    /// Inserts at the end of `block`.
    pub fn at_end(block: Block<'a>, location: Location<'a>) -> Self {
        Self {
            point: Point::End(block),
            location,
            context: ffi::context_of_location(location),
        }
    }

    /// Inserts at the start of `block`.
    pub fn at_start(block: Block<'a>, location: Location<'a>) -> Self {
        Self {
            point: Point::Start(block),
            location,
            context: ffi::context_of_location(location),
        }
    }

    /// Returns a builder of the same context that inserts at the end of `block`.
    pub fn to_end_of(&self, block: Block<'a>, location: Location<'a>) -> Self {
        Self {
            point: Point::End(block),
            location,
            context: self.context,
        }
    }

    /// Returns a builder with the same insertion point and another location.
    pub fn at(mut self, location: Location<'a>) -> Self {
        self.location = location;
        self
    }

    /// Returns the location that new operations get.
    pub fn location(&self) -> Location<'a> {
        self.location
    }

    /// Replaces the location that new operations get.
    pub fn set_location(&mut self, location: Location<'a>) {
        self.location = location;
    }

    /// Returns the context.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// Returns the block that it inserts into.
    pub fn block(&self) -> Option<Block<'a>> {
        match self.point {
            Point::Before(op) | Point::After(op) => op.block(),
            Point::End(block) | Point::Start(block) => Some(block),
        }
    }

    /// Starts an operation by its full name. Its dialect must be loaded: see
    /// [`crate::pass::Pass::dialects`].
    #[inline]
    pub fn op<'b>(&'b mut self, name: &'b str) -> OpBuilder<'b, 'a> {
        OpBuilder {
            location: self.location,
            builder: self,
            name,
            operands: SmallVec::new(),
            results: Some(SmallVec::new()),
            attributes: SmallVec::new(),
            successors: SmallVec::new(),
            regions: 0,
        }
    }

    /// Inserts a detached operation.
    pub fn insert(&mut self, op: Op<'a>) -> Op<'a> {
        match self.point {
            Point::End(block) => ffi::block_append_op(block.raw(), op.raw()),
            Point::Before(before) => {
                let block = before
                    .block()
                    .expect("operations are inserted before one that is in a block");
                ffi::block_insert_op_before(block.raw(), before.raw(), op.raw());
            }
            Point::After(after) => {
                let block = after
                    .block()
                    .expect("operations are inserted after one that is in a block");
                ffi::block_insert_op_after(block.raw(), after.raw(), op.raw());
                self.point = Point::After(op);
            }
            Point::Start(block) => {
                match block.first() {
                    Some(first) => ffi::block_insert_op_before(block.raw(), first.raw(), op.raw()),
                    None => ffi::block_append_op(block.raw(), op.raw()),
                }
                self.point = Point::After(op);
            }
        }
        op
    }
}

/// The parts of a new operation. [`OpBuilder::build`] creates and inserts it.
#[must_use = "`build` creates the operation"]
pub struct OpBuilder<'b, 'a> {
    builder: &'b mut Builder<'a>,
    name: &'b str,
    location: Location<'a>,
    operands: SmallVec<[Value<'a>; 4]>,
    results: Option<SmallVec<[Type<'a>; 2]>>,
    attributes: SmallVec<[ffi::NamedAttribute<'a>; 2]>,
    successors: SmallVec<[Block<'a>; 2]>,
    regions: usize,
}

impl<'a> OpBuilder<'_, 'a> {
    /// Replaces the builder's location for this operation.
    #[inline]
    pub fn location(mut self, location: Location<'a>) -> Self {
        self.location = location;
        self
    }

    /// Adds an operand.
    #[inline]
    pub fn operand(mut self, value: Value<'a>) -> Self {
        self.operands.push(value);
        self
    }

    /// Adds operands.
    #[inline]
    pub fn operands(mut self, values: &[Value<'a>]) -> Self {
        self.operands.extend_from_slice(values);
        self
    }

    /// Adds operands in segments, with the attribute `operandSegmentSizes`.
    pub fn segments(mut self, segments: &[&[Value<'a>]]) -> Self {
        let sizes: Vec<i32> = segments
            .iter()
            .map(|segment| segment.len() as i32)
            .collect();
        let sizes = DenseI32ArrayAttribute::new(self.builder.context, &sizes);
        segments
            .iter()
            .for_each(|segment| self.operands.extend_from_slice(segment));
        self.attribute("operandSegmentSizes", sizes)
    }

    /// Adds a result.
    #[inline]
    pub fn result(mut self, ty: impl Into<Type<'a>>) -> Self {
        self.results.get_or_insert_default().push(ty.into());
        self
    }

    /// Adds results.
    #[inline]
    pub fn results(mut self, types: &[Type<'a>]) -> Self {
        self.results
            .get_or_insert_default()
            .extend_from_slice(types);
        self
    }

    /// Infers the result types.
    pub fn infer_results(mut self) -> Self {
        self.results = None;
        self
    }

    /// Sets an attribute.
    pub fn attribute(mut self, name: &str, attribute: impl Into<Attribute<'a>>) -> Self {
        let context = self.builder.context;
        self.attributes
            .push(ffi::named_attribute(context, name, attribute.into()));
        self
    }

    /// Sets all attributes that `op` has.
    pub fn attributes_of(self, op: Op<'a>) -> Self {
        let set = |builder: Self, (name, attribute)| builder.attribute(name, attribute);
        op.attributes().into_iter().fold(self, set)
    }

    /// Sets a string attribute.
    pub fn string(self, name: &str, text: &str) -> Self {
        let attribute = StringAttribute::new(self.builder.context, text);
        self.attribute(name, attribute)
    }

    /// Sets an attribute that refers to a symbol.
    pub fn symbol(self, name: &str, symbol: &str) -> Self {
        let attribute = FlatSymbolRefAttribute::new(self.builder.context, symbol);
        self.attribute(name, attribute)
    }

    /// Sets an integer attribute of `bits` bits.
    pub fn integer(self, name: &str, bits: u32, value: i64) -> Self {
        let ty = IntegerType::new(self.builder.context, bits).into();
        self.attribute(name, IntegerAttribute::new(ty, value))
    }

    /// Adds a successor.
    pub fn successor(mut self, block: Block<'a>) -> Self {
        self.successors.push(block);
        self
    }

    /// Adds successors.
    pub fn successors(mut self, blocks: &[Block<'a>]) -> Self {
        self.successors.extend_from_slice(blocks);
        self
    }

    /// Adds empty regions.
    #[inline]
    pub fn regions(mut self, count: usize) -> Self {
        self.regions += count;
        self
    }

    /// Creates the operation and inserts it.
    ///
    /// # Panics
    ///
    /// If the result types are to be inferred and cannot be; MLIR reports why.
    pub fn build(self) -> Op<'a> {
        let new = ffi::NewOp {
            name: self.name,
            location: self.location,
            operands: &self.operands,
            results: self.results.as_deref(),
            attributes: &self.attributes,
            successors: &self.successors,
            regions: self.regions,
        };
        let raw = ffi::create_op(&new);
        let op =
            ffi::op(raw.unwrap_or_else(|| {
                panic!("the result types of '{}' cannot be inferred", self.name)
            }));
        self.builder.insert(op)
    }

    /// Creates the operation as [`OpBuilder::build`] does, and returns its only result.
    pub fn value(self) -> Value<'a> {
        let op = self.build();
        assert_eq!(op.num_results(), 1, "'{}' must have one result", op.name());
        op.result(0)
    }
}
