//! Shorthands for code on memory: addresses, loads, stores, loops.

use melior::Context;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type};
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::ops::{llvm, llvm_intrinsics, scf};
use tfx_ir::{Block, Builder, Value};

use crate::element::Element;
use crate::extent::Extent;
use crate::scalar::Scalars;

/// The operation in a static index that stands for a dynamic one in `llvm.getelementptr`.
const DYNAMIC: i32 = i32::MIN;

/// The attribute of a loop that becomes metadata of the loop in LLVM IR.
const LOOP_ANNOTATION: &str = "llvm.loop_annotation";

/// Returns the type of addresses.
pub(super) fn pointer(context: &Context) -> Type<'_> {
    melior::dialect::llvm::r#type::pointer(context, 0)
}

/// Returns the type of indices.
pub(super) fn index(context: &Context) -> Type<'_> {
    IntegerType::new(context, 64).into()
}

/// The elements of a vector, of which the first ones are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    /// A power of two.
    pub(super) all: u64,
    pub(super) used: u64,
}

/// A place in a function, where code is added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code<'a> {
    pub(super) builder: Builder<'a>,
    /// True if the processor fuses multiplications and additions.
    pub(super) fuses: bool,
}

impl<'a> Code<'a> {
    pub(super) fn context(&self) -> &'a Context {
        self.builder.context()
    }

    /// Returns whether the processor has loads and stores that leave lanes out. Of the levels of
    /// x86-64, v3 has both these and fused multiplications.
    pub(super) fn has_masks(&self) -> bool {
        self.fuses
    }

    /// Returns code at the end of another block.
    pub(super) fn at_end(&self, block: Block<'a>) -> Self {
        let location = self.builder.location();
        Code {
            builder: self.builder.to_end_of(block, location),
            ..*self
        }
    }

    pub(super) fn index(&mut self, value: i64) -> Value<'a> {
        let ty = index(self.context());
        self.builder.constant_int(value, ty)
    }

    /// Returns the value of a size; `sizes` are the values of the symbols.
    pub(super) fn extent(&mut self, extent: &Extent, sizes: &[Value<'a>]) -> Value<'a> {
        let mut value = None;
        for &symbol in extent.symbols() {
            let factor = sizes[symbol as usize];
            value = Some(match value {
                Some(value) => arith::MulI::build(&mut self.builder, value, factor).result(),
                None => factor,
            });
        }
        match (value, extent.factor()) {
            (None, factor) => self.index(factor),
            (Some(value), 1) => value,
            (Some(value), factor) => {
                let factor = self.index(factor);
                arith::MulI::build(&mut self.builder, value, factor).result()
            }
        }
    }

    /// Returns `base + index * step` for a step that may be unknown.
    pub(super) fn advance_by(
        &mut self,
        base: Value<'a>,
        index: Value<'a>,
        step: &Extent,
        sizes: &[Value<'a>],
    ) -> Value<'a> {
        if let Some(step) = step.as_known() {
            return self.advance(base, index, step);
        }
        let step = self.extent(step, sizes);
        let distance = arith::MulI::build(&mut self.builder, index, step).result();
        arith::AddI::build(&mut self.builder, base, distance).result()
    }

    /// Returns `base + index * step`.
    pub(super) fn advance(&mut self, base: Value<'a>, index: Value<'a>, step: i64) -> Value<'a> {
        let distance = match step {
            0 => return base,
            1 => index,
            _ => {
                let step = self.index(step);
                arith::MulI::build(&mut self.builder, index, step).result()
            }
        };
        arith::AddI::build(&mut self.builder, base, distance).result()
    }

    /// Returns the address of an element.
    pub(super) fn address(
        &mut self,
        base: Value<'a>,
        index: Value<'a>,
        element: Element,
    ) -> Value<'a> {
        let (pointer, ty) = (pointer(self.context()), element.stored_type(self.context()));
        llvm::GEP::build(&mut self.builder, pointer, base, &[index], &[DYNAMIC], ty).res()
    }

    /// Reserves memory for a value of a type, until the function returns.
    pub(super) fn allocate(&mut self, ty: Type<'a>) -> Value<'a> {
        self.allocate_some(ty, 1)
    }

    /// Reserves memory for elements, until the function returns.
    pub(super) fn allocate_array(&mut self, element: Element, count: usize) -> Value<'a> {
        self.allocate_some(element.stored_type(self.context()), count as i64)
    }

    fn allocate_some(&mut self, ty: Type<'a>, count: i64) -> Value<'a> {
        let (pointer, count) = (pointer(self.context()), self.index(count));
        llvm::Alloca::build(&mut self.builder, pointer, count, ty).res()
    }

    /// Returns the address at a distance in bytes.
    pub(super) fn offset(&mut self, base: Value<'a>, bytes: u64) -> Value<'a> {
        if bytes == 0 {
            return base;
        }
        let bytes = self.index(bytes as i64);
        self.offset_by(base, bytes)
    }

    /// Returns the address at a distance in bytes that is a value.
    pub(super) fn offset_by(&mut self, base: Value<'a>, bytes: Value<'a>) -> Value<'a> {
        let (pointer, byte) = (pointer(self.context()), IntegerType::new(self.context(), 8));
        llvm::GEP::build(
            &mut self.builder,
            pointer,
            base,
            &[bytes],
            &[DYNAMIC],
            byte.into(),
        )
        .res()
    }

    /// Loads the address at a position of an array of addresses.
    pub(super) fn load_pointer(&mut self, array: Value<'a>, position: usize) -> Value<'a> {
        let pointer = pointer(self.context());
        let place = self.offset(array, (position * size_of::<u64>()) as u64);
        llvm::Load::build(&mut self.builder, pointer, place).res()
    }

    /// Returns `x * y + sum`, rounded once if the processor fuses multiplications and additions of
    /// floats.
    pub(super) fn multiply_add(
        &mut self,
        element: Element,
        x: Value<'a>,
        y: Value<'a>,
        sum: Value<'a>,
    ) -> Value<'a> {
        if element.is_float() && self.fuses {
            return llvm_intrinsics::FMA::build(&mut self.builder, x, y, sum).res();
        }
        let mut scalars = Scalars {
            builder: &mut self.builder,
            fuses: false,
        };
        let product = scalars.mul(element, x, y);
        scalars.add(element, sum, product)
    }

    /// Brings the line at an address, which is written soon, into the cache of the first level.
    pub(super) fn prefetch(&mut self, address: Value<'a>) {
        let (writes, most_local, of_data) = (1, 3, 1);
        llvm_intrinsics::Prefetch::build(&mut self.builder, address, writes, most_local, of_data);
    }

    /// Loads an element.
    pub(super) fn load(&mut self, address: Value<'a>, element: Element) -> Value<'a> {
        let ty = element.stored_type(self.context());
        let value = llvm::Load::build(&mut self.builder, ty, address).res();
        if element != Element::Bool {
            return value;
        }
        let zero = self.builder.constant_int(0, ty);
        arith::CmpI::build(&mut self.builder, CmpIPredicate::Ne, value, zero).result()
    }

    /// Stores an element.
    pub(super) fn store(&mut self, value: Value<'a>, address: Value<'a>, element: Element) {
        let stored = match element {
            Element::Bool => {
                let ty = element.stored_type(self.context());
                arith::ExtUI::build(&mut self.builder, ty, value).out()
            }
            _ => value,
        };
        llvm::Store::build(&mut self.builder, stored, address);
    }

    /// Loads consecutive elements as a vector. The address has the alignment of an element.
    pub(super) fn load_vector(
        &mut self,
        address: Value<'a>,
        element: Element,
        lanes: u64,
    ) -> Value<'a> {
        let ty = vector(self.context(), element, lanes);
        let load = llvm::Load::build(&mut self.builder, ty, address);
        load.set_alignment(Some(element.size() as i64));
        load.res()
    }

    /// Stores a vector as consecutive elements.
    pub(super) fn store_vector(&mut self, value: Value<'a>, address: Value<'a>, element: Element) {
        let store = llvm::Store::build(&mut self.builder, value, address);
        store.set_alignment(Some(element.size() as i64));
    }

    /// Loads the first elements of a vector, whose others are any values.
    pub(super) fn load_lanes(
        &mut self,
        address: Value<'a>,
        element: Element,
        Lanes { all, used }: Lanes,
    ) -> Value<'a> {
        if used == all {
            return self.load_vector(address, element, all);
        }
        let (ty, mask) = (vector(self.context(), element, all), self.mask(all, used));
        let alignment = element.size() as u32;
        llvm_intrinsics::MaskedLoad::build(&mut self.builder, ty, address, mask, None, alignment)
            .res()
    }

    /// Stores the first elements of a vector.
    pub(super) fn store_lanes(
        &mut self,
        value: Value<'a>,
        address: Value<'a>,
        element: Element,
        Lanes { all, used }: Lanes,
    ) {
        if used == all {
            return self.store_vector(value, address, element);
        }
        let (mask, alignment) = (self.mask(all, used), element.size() as u32);
        llvm_intrinsics::MaskedStore::build(&mut self.builder, value, address, mask, alignment);
    }

    /// Returns the vector that is true in the first lanes.
    fn mask(&mut self, all: u64, used: u64) -> Value<'a> {
        let lanes = (0..all).map(|lane| if lane < used { "true" } else { "false" });
        let lanes = lanes.collect::<Vec<_>>().join(", ");
        let text = format!("dense<[{lanes}]> : vector<{all}xi1>");
        let mask = Attribute::parse(self.context(), &text).expect("it is a constant");
        let ty = Type::vector(&[all], IntegerType::new(self.context(), 1).into());
        arith::Constant::build(&mut self.builder, ty, mask).result()
    }

    /// Starts a loop over all indices below a size.
    pub(super) fn loop_below(
        &mut self,
        size: &Extent,
        sizes: &[Value<'a>],
        initial: &[Value<'a>],
    ) -> (scf::For<'a>, Code<'a>, Value<'a>) {
        let (from, to, step) = (self.index(0), self.extent(size, sizes), self.index(1));
        self.loop_between((from, to, step), initial)
    }

    /// Starts a loop over `0..count`, in steps. Returns the code of its body, its index and its
    /// values; [`Code::yield_values`] ends the body.
    pub(super) fn loop_over(
        &mut self,
        bounds: (i64, i64, i64),
        initial: &[Value<'a>],
    ) -> (scf::For<'a>, Code<'a>, Value<'a>) {
        let (from, to, step) = bounds;
        let [from, to, step] = [from, to, step].map(|bound| self.index(bound));
        self.loop_between((from, to, step), initial)
    }

    /// Starts a loop with bounds that may be unknown.
    pub(super) fn loop_between(
        &mut self,
        (from, to, step): (Value<'a>, Value<'a>, Value<'a>),
        initial: &[Value<'a>],
    ) -> (scf::For<'a>, Code<'a>, Value<'a>) {
        let types: Vec<_> = initial.iter().map(|value| value.ty()).collect();
        let new = scf::For::build(&mut self.builder, &types, from, to, step, initial);
        let location = self.builder.location();
        let mut arguments = vec![(index(self.context()), location)];
        arguments.extend(types.iter().map(|ty| (*ty, location)));
        let block = new.op().region(0).add_block(&arguments);
        (new, self.at_end(block), block.argument(0))
    }

    pub(super) fn yield_values(&mut self, values: &[Value<'a>]) {
        scf::Yield::build(&mut self.builder, values);
    }
}

/// Keeps LLVM from unrolling a loop before it vectorizes loops: it would then vectorize the loop
/// around it, whose iterations are not next to each other in memory. The loop over vectors may be
/// unrolled.
pub(super) fn keep_for_vectors(new: scf::For<'_>) {
    let text = concat!(
        "#llvm.loop_annotation<unroll = <disable = true>, vectorize = <followupVectorized = ",
        "#llvm.loop_annotation<isVectorized = true>>>"
    );
    annotate(new, text);
}

/// Keeps LLVM from vectorizing a loop: its iterations are not next to each other in memory, and its
/// body is vectorized.
pub(super) fn keep_for_body(new: scf::For<'_>) {
    annotate(new, "#llvm.loop_annotation<vectorize = <disable = true>>");
}

fn annotate(new: scf::For<'_>, annotation: &str) {
    let annotation = Attribute::parse(new.op().context(), annotation);
    let annotation = annotation.expect("the LLVM dialect is loaded");
    new.op().set_attribute(LOOP_ANNOTATION, annotation);
}

/// Returns the type of vectors of elements.
pub(super) fn vector(context: &Context, element: Element, lanes: u64) -> Type<'_> {
    Type::vector(&[lanes], element.stored_type(context))
}
