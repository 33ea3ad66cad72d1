//! Typed views of operations: the parts that generated code shares.
//!
//! ```text
//!   Op<'a>  ──scf::If::cast──►  scf::If<'a>   condition(), then_region(), else_region(), results()
//!           ◄──────Deref──────                build(&mut builder, ...)
//! ```
//!
//! A view is a `Copy` wrapper of an [`Op`] of one kind, with accessors named after the operands,
//! results, regions, successors and attributes of its ODS definition; a renamed part is a compile
//! error. `tfx-ods` generates the views: of upstream's operations for [`crate::ops`], of tfx's for
//! `tfx_dialects`. A cast compares the operation's name, and costs one call into MLIR.
//!
//! An accessor of a required attribute panics if the attribute is missing, which the verifier of
//! the operation excludes. The functions here are for generated code.

use std::ops::Range;

use melior::ir::attribute::{ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;

pub use melior::Context;
#[doc(hidden)]
pub use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, FlatSymbolRefAttribute,
    StringAttribute, TypeAttribute,
};
pub use melior::ir::r#type::FunctionType;
pub use melior::ir::{Attribute, Type};

use crate::cast::Cast;
pub use crate::{Block, Builder, Op, Region, Value};

/// A typed view of the operations of one kind.
pub trait Operation<'a>: Copy + Into<Op<'a>> {
    /// The full name, such as `scf.if`.
    const NAME: &'static str;

    /// Returns the view of `op` if it is of this kind.
    fn cast(op: Op<'a>) -> Option<Self>;
}

impl<'a> Op<'a> {
    /// Returns whether the operation is of a kind: `op.isa::<scf::If>()`.
    #[inline]
    pub fn isa<T: Operation<'a>>(self) -> bool {
        self.is(T::NAME)
    }

    /// Returns the nearest ancestor of a kind.
    pub fn ancestor_of<T: Operation<'a>>(self) -> Option<T> {
        self.ancestors().find_map(T::cast)
    }
}

/// Defines the view of an operation.
#[doc(hidden)]
#[macro_export]
macro_rules! __operation {
    ($(#[$meta:meta])* pub struct $view:ident = $name:literal;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $view<'a>(view::Op<'a>);

        impl<'a> $view<'a> {
            /// The full name of the operation.
            pub const NAME: &'static str = $name;

            /// Returns the view of `op` if it is of this kind.
            #[inline]
            pub fn cast(op: view::Op<'a>) -> Option<Self> {
                op.isa::<Self>().then_some(Self(op))
            }

            /// Returns the operation.
            #[inline]
            pub fn op(self) -> view::Op<'a> {
                self.0
            }
        }

        impl<'a> view::Operation<'a> for $view<'a> {
            const NAME: &'static str = $name;
            #[inline]
            fn cast(op: view::Op<'a>) -> Option<Self> {
                Self::cast(op)
            }
        }

        impl<'a> From<$view<'a>> for view::Op<'a> {
            fn from(view: $view<'a>) -> Self {
                view.0
            }
        }

        impl<'a> ::std::ops::Deref for $view<'a> {
            type Target = view::Op<'a>;
            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };
}

/// Defines the `enum` of the operations of a dialect.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    ($(#[$meta:meta])* pub enum $name:ident { $($view:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name<'a> {
            $(
                #[doc = concat!("`", stringify!($view), "`.")]
                $view($view<'a>)
            ),*
        }

        impl<'a> $name<'a> {
            /// Returns the view of `op` if it is one of these.
            pub fn cast(op: view::Op<'a>) -> Option<Self> {
                Some(match op.name() {
                    $($view::NAME => Self::$view($view(op)),)*
                    _ => return None,
                })
            }

            /// Returns the operation.
            pub fn op(self) -> view::Op<'a> {
                match self { $(Self::$view(view) => view.op()),* }
            }
        }
    };
}

pub use crate::{__operation as operation, __operations as operations};

/// Consecutive operands of an operation: a named group of ODS.
#[derive(Clone, Copy, Debug)]
pub struct OperandRange<'a> {
    op: Op<'a>,
    first: usize,
    end: usize,
}

impl<'a> OperandRange<'a> {
    #[doc(hidden)]
    pub fn new(op: Op<'a>, positions: Range<usize>) -> Self {
        Self {
            op,
            first: positions.start,
            end: positions.end,
        }
    }

    /// Returns the number of operands.
    pub fn len(self) -> usize {
        self.end - self.first
    }

    /// Returns whether there is no operand.
    pub fn is_empty(self) -> bool {
        self.first == self.end
    }

    /// Returns the positions among all operands of the operation.
    pub fn positions(self) -> Range<usize> {
        self.first..self.end
    }

    /// Returns the operand `index` of the range.
    ///
    /// # Panics
    ///
    /// If the range has at most `index` operands.
    #[inline]
    pub fn at(self, index: usize) -> Value<'a> {
        assert!(index < self.len(), "operand {index} of {}", self.len());
        self.op.operand(self.first + index)
    }

    /// Returns the operand `index` of the range, if there is one.
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        (index < self.len()).then(|| self.op.operand(self.first + index))
    }

    /// Replaces the operand `index` of the range.
    pub fn set(self, index: usize, value: Value<'a>) {
        assert!(index < self.len(), "operand {index} of {}", self.len());
        self.op.set_operand(self.first + index, value);
    }

    /// Returns an iterator over the operands.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value<'a>> + DoubleEndedIterator {
        self.positions().map(move |index| self.op.operand(index))
    }

    /// Returns the operands as a vector.
    pub fn to_vec(self) -> Vec<Value<'a>> {
        self.iter().collect()
    }
}

/// The positions of an operand group, by `operandSegmentSizes`.
#[doc(hidden)]
pub fn segment(op: Op<'_>, index: usize) -> Range<usize> {
    let sizes = integers_32(op, "operandSegmentSizes").unwrap_or_default();
    let size = |index: usize| sizes.get(index).map_or(0, |size| *size as usize);
    let first = (0..index).map(size).sum();
    first..first + size(index)
}

/// The attribute of an operation that has to have it.
#[doc(hidden)]
#[track_caller]
pub fn required<T>(op: Op<'_>, name: &str, value: Option<T>) -> T {
    value.unwrap_or_else(|| panic!("'{}' has no valid attribute '{name}'", op.name()))
}

/// Sets or removes an attribute.
#[doc(hidden)]
pub fn set<'a>(op: Op<'a>, name: &str, value: Option<Attribute<'a>>) {
    match value {
        Some(value) => op.set_attribute(name, value),
        None => {
            op.remove_attribute(name);
        }
    }
}

fn elements<'a, T>(
    op: Op<'a>,
    name: &str,
    read: impl Fn(Attribute<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let array = ArrayAttribute::cast(op.attribute(name)?)?;
    (0..array.len())
        .map(|index| read(array.element(index).ok()?))
        .collect()
}

#[doc(hidden)]
pub fn strings<'a>(op: Op<'a>, name: &str) -> Option<Vec<&'a str>> {
    elements(op, name, crate::ffi::string_attribute_value)
}

#[doc(hidden)]
pub fn symbols<'a>(op: Op<'a>, name: &str) -> Option<Vec<&'a str>> {
    elements(op, name, crate::ffi::symbol_attribute_value)
}

#[doc(hidden)]
pub fn types<'a>(op: Op<'a>, name: &str) -> Option<Vec<Type<'a>>> {
    elements(op, name, |ty| {
        TypeAttribute::cast(ty).map(|attribute| attribute.value())
    })
}

#[doc(hidden)]
pub fn function_type<'a>(op: Op<'a>, name: &str) -> Option<FunctionType<'a>> {
    FunctionType::cast(op.type_attribute(name)?)
}

#[doc(hidden)]
pub fn integers_32(op: Op<'_>, name: &str) -> Option<Vec<i32>> {
    let array = DenseI32ArrayAttribute::try_from(op.attribute(name)?).ok()?;
    (0..array.len())
        .map(|index| array.element(index).ok())
        .collect()
}

#[doc(hidden)]
pub fn integers_64(op: Op<'_>, name: &str) -> Option<Vec<i64>> {
    let array = DenseI64ArrayAttribute::try_from(op.attribute(name)?).ok()?;
    (0..array.len())
        .map(|index| array.element(index).ok())
        .collect()
}

/// An integer attribute of `bits` bits; 0 stands for `index`.
#[doc(hidden)]
pub fn write_integer(context: &Context, bits: u32, value: i64) -> Attribute<'_> {
    let ty = match bits {
        0 => Type::index(context),
        bits => IntegerType::new(context, bits).into(),
    };
    IntegerAttribute::new(ty, value).into()
}

#[doc(hidden)]
pub fn write_strings<'a>(context: &'a Context, texts: &[&str]) -> Attribute<'a> {
    array(
        context,
        texts
            .iter()
            .map(|text| StringAttribute::new(context, text).into()),
    )
}

#[doc(hidden)]
pub fn write_symbols<'a>(context: &'a Context, symbols: &[&str]) -> Attribute<'a> {
    array(
        context,
        symbols
            .iter()
            .map(|symbol| FlatSymbolRefAttribute::new(context, symbol).into()),
    )
}

#[doc(hidden)]
pub fn write_types<'a>(context: &'a Context, types: &[Type<'a>]) -> Attribute<'a> {
    array(
        context,
        types.iter().map(|ty| TypeAttribute::new(*ty).into()),
    )
}

fn array<'a>(context: &'a Context, elements: impl Iterator<Item = Attribute<'a>>) -> Attribute<'a> {
    ArrayAttribute::new(context, &elements.collect::<Vec<_>>()).into()
}
