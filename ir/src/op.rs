//! Operations: neighbours, operands, results, attributes, and moving them.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

use melior::Context;
use melior::ir::attribute::{
    BoolAttribute, FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Location, Type};

use crate::{Block, Region, Value, cast::Cast, ffi, pass::PassFailed};

/// An operation, by reference. Equality, hash and order are those of its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Op<'a>(pub(crate) NonNull<c_void>, pub(crate) PhantomData<&'a ()>);

impl fmt::Debug for Op<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Display for Op<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&ffi::print_op(self.raw()))
    }
}

/// What an operation is and where.
impl<'a> Op<'a> {
    /// Its full name, such as `arith.addi`.
    pub fn name(self) -> &'a str {
        ffi::identifier(ffi::op_name(self.raw()))
    }

    /// Whether its full name is `name`.
    pub fn is(self, name: &str) -> bool {
        ffi::identifier_is(ffi::op_name(self.raw()), name)
    }

    /// The dialect's namespace, such as `arith`.
    pub fn dialect(self) -> &'a str {
        self.name()
            .split_once('.')
            .map_or("", |(dialect, _)| dialect)
    }

    /// Its location.
    #[inline]
    pub fn location(self) -> Location<'a> {
        ffi::location(ffi::op_location(self.raw()))
    }

    /// Gives it another location.
    pub fn set_location(self, location: Location<'a>) {
        ffi::op_set_location(self.raw(), location.to_raw());
    }

    /// Its context.
    pub fn context(self) -> &'a Context {
        ffi::context(ffi::op_context(self.raw()))
    }

    /// The block it is in; none for the outermost and for detached operations.
    #[inline]
    pub fn block(self) -> Option<Block<'a>> {
        ffi::option_block(ffi::op_block(self.raw()))
    }

    /// The region it is in.
    pub fn parent_region(self) -> Option<Region<'a>> {
        self.block()?.region()
    }

    /// The operation whose region it is in.
    pub fn parent(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::op_parent(self.raw()))
    }

    /// Its parent, that one's parent, and so on.
    pub fn ancestors(self) -> impl Iterator<Item = Op<'a>> {
        std::iter::successors(self.parent(), |op| op.parent())
    }

    /// The nearest ancestor of that name.
    pub fn ancestor(self, name: &str) -> Option<Op<'a>> {
        self.ancestors().find(|op| op.is(name))
    }

    /// Whether it is `other` or inside of it.
    pub fn is_within(self, other: Op<'a>) -> bool {
        self == other || self.ancestors().any(|op| op == other)
    }

    /// The next one in its block.
    #[inline]
    pub fn next(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::op_next(self.raw()))
    }

    /// The one before it in its block.
    pub fn prev(self) -> Option<Op<'a>> {
        self.block()?;
        ffi::option_op(ffi::op_prev(self.raw()))
    }

    /// Whether it comes before `other`, which must be in the same block. MLIR numbers a block when first asked.
    pub fn is_before(self, other: Op<'a>) -> bool {
        assert_eq!(
            self.block(),
            other.block(),
            "only operations of one block have an order"
        );
        ffi::op_is_before(self.raw(), other.raw())
    }

    /// Runs the verifier on it and all inside; what is wrong has been said when this fails.
    pub fn verify(self) -> Result<(), PassFailed> {
        if ffi::op_verify(self.raw()) {
            Ok(())
        } else {
            Err(PassFailed::already_reported())
        }
    }
}

/// Operands, results, regions, successors.
impl<'a> Op<'a> {
    /// How many operands it has.
    #[inline]
    pub fn num_operands(self) -> usize {
        ffi::op_num_operands(self.raw()) as usize
    }

    /// One operand.
    ///
    /// # Panics
    ///
    /// If there is none of that index; so do all accessors by index.
    #[inline]
    pub fn operand(self, index: usize) -> Value<'a> {
        check(self, index, self.num_operands(), "operand");
        ffi::value(ffi::op_operand(self.raw(), index as isize))
    }

    /// All operands.
    #[inline]
    pub fn operands(self) -> impl ExactSizeIterator<Item = Value<'a>> + DoubleEndedIterator {
        (0..self.num_operands())
            .map(move |index| ffi::value(ffi::op_operand(self.raw(), index as isize)))
    }

    /// Replaces one operand.
    pub fn set_operand(self, index: usize, value: Value<'a>) {
        check(self, index, self.num_operands(), "operand");
        ffi::op_set_operand(self.raw(), index as isize, value.raw());
    }

    /// Replaces all operands; their number may change, but segment sizes are not adapted.
    pub fn set_operands(self, values: &[Value<'a>]) {
        ffi::set_operands(self.raw(), values);
    }

    /// Replaces each operand that is `from`.
    pub fn replace_operand(self, from: Value<'a>, to: Value<'a>) {
        ffi::op_replace_uses_of(self.raw(), from.raw(), to.raw());
    }

    /// How many results it has.
    #[inline]
    pub fn num_results(self) -> usize {
        ffi::op_num_results(self.raw()) as usize
    }

    /// One result.
    #[inline]
    pub fn result(self, index: usize) -> Value<'a> {
        check(self, index, self.num_results(), "result");
        ffi::value(ffi::op_result(self.raw(), index as isize))
    }

    /// All results.
    #[inline]
    pub fn results(self) -> impl ExactSizeIterator<Item = Value<'a>> + DoubleEndedIterator {
        (0..self.num_results())
            .map(move |index| ffi::value(ffi::op_result(self.raw(), index as isize)))
    }

    /// The types of all results.
    pub fn result_types(self) -> Vec<Type<'a>> {
        self.results().map(Value::ty).collect()
    }

    /// Whether no result has a use.
    pub fn is_unused(self) -> bool {
        self.results().all(Value::is_unused)
    }

    /// How many regions it has.
    #[inline]
    pub fn num_regions(self) -> usize {
        ffi::op_num_regions(self.raw()) as usize
    }

    /// One region.
    pub fn region(self, index: usize) -> Region<'a> {
        check(self, index, self.num_regions(), "region");
        ffi::region(ffi::op_region(self.raw(), index as isize))
    }

    /// All regions.
    pub fn regions(self) -> impl ExactSizeIterator<Item = Region<'a>> + DoubleEndedIterator {
        (0..self.num_regions())
            .map(move |index| ffi::region(ffi::op_region(self.raw(), index as isize)))
    }

    /// How many successors it has.
    pub fn num_successors(self) -> usize {
        ffi::op_num_successors(self.raw()) as usize
    }

    /// One successor.
    pub fn successor(self, index: usize) -> Block<'a> {
        check(self, index, self.num_successors(), "successor");
        ffi::block(ffi::op_successor(self.raw(), index as isize))
    }

    /// All successors; a block comes as often as it is named.
    pub fn successors(self) -> impl ExactSizeIterator<Item = Block<'a>> + DoubleEndedIterator {
        (0..self.num_successors())
            .map(move |index| ffi::block(ffi::op_successor(self.raw(), index as isize)))
    }

    /// Branches to another block instead; its operands stay.
    pub fn set_successor(self, index: usize, block: Block<'a>) {
        check(self, index, self.num_successors(), "successor");
        ffi::op_set_successor(self.raw(), index as isize, block.raw());
    }

    /// What a branch hands to the arguments of one successor; `None` if this is not a branch in MLIR's sense.
    pub fn successor_operands(self, index: usize) -> Option<SuccessorOperands<'a>> {
        if self.num_successors() == 0 {
            return None;
        }
        check(self, index, self.num_successors(), "successor");
        let raw = ffi::op_successor_operands(self.raw(), index as isize);
        raw.is_branch.then_some(SuccessorOperands {
            op: self,
            successor: index,
            produced: raw.produced as usize,
            first: raw.first as usize,
            count: raw.count as usize,
        })
    }
}

/// The operands of a branch for one successor: a window of the operation's operands.
#[derive(Clone, Copy, Debug)]
pub struct SuccessorOperands<'a> {
    op: Op<'a>,
    successor: usize,
    produced: usize,
    first: usize,
    count: usize,
}

impl<'a> SuccessorOperands<'a> {
    /// How many of the block's first arguments the branch makes itself.
    pub fn produced(self) -> usize {
        self.produced
    }

    /// The values for the arguments after those.
    pub fn values(self) -> Vec<Value<'a>> {
        self.positions()
            .map(|index| self.op.operand(index))
            .collect()
    }

    /// The value for the block's argument `index`; `None` if the branch makes it itself.
    pub fn value(self, index: usize) -> Option<Value<'a>> {
        let forwarded = index.checked_sub(self.produced)?;
        (forwarded < self.count).then(|| self.op.operand(self.first + forwarded))
    }

    /// Which operands of the branch are handed on.
    pub fn positions(self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// Whether it is the operand of the branch at this position that is handed on.
    pub fn holds(self, operand: usize) -> bool {
        self.positions().contains(&operand)
    }

    /// Hands on more values, after the others. Adapts segment sizes.
    pub fn append(self, values: &[Value<'a>]) {
        ffi::append_successor_operands(self.op.raw(), self.successor, values);
    }

    /// Stops handing on the value for the block's argument `index`. Adapts segment sizes.
    pub fn erase(self, index: usize) {
        let in_range = index >= self.produced && index < self.produced + self.count;
        assert!(
            in_range,
            "successor {} of '{}' has no operand for argument {index}",
            self.successor,
            self.op.name()
        );
        ffi::op_erase_successor_operand(self.op.raw(), self.successor as isize, index as isize);
    }
}

/// Attributes.
impl<'a> Op<'a> {
    /// An attribute, inherent or discardable.
    pub fn attribute(self, name: &str) -> Option<Attribute<'a>> {
        ffi::op_attribute(self.raw(), name)
    }

    /// All attributes with their names, sorted by name.
    pub fn attributes(self) -> Vec<(&'a str, Attribute<'a>)> {
        ffi::op_attributes(self.raw())
    }

    /// All attributes as one attribute: MLIR has each dictionary once, so that operations with the same attributes have the same.
    pub fn attribute_dictionary(self) -> Attribute<'a> {
        ffi::attribute(ffi::op_attribute_dictionary(self.raw()))
    }

    /// Sets an attribute.
    pub fn set_attribute(self, name: &str, attribute: impl Into<Attribute<'a>>) {
        ffi::op_set_attribute(self.raw(), name, attribute.into());
    }

    /// Removes an attribute; says whether there was one.
    pub fn remove_attribute(self, name: &str) -> bool {
        ffi::op_remove_attribute(self.raw(), name)
    }

    /// A string attribute's text.
    pub fn string(self, name: &str) -> Option<&'a str> {
        ffi::string_attribute_value(self.attribute(name)?)
    }

    /// Sets a string attribute.
    pub fn set_string(self, name: &str, text: &str) {
        self.set_attribute(name, StringAttribute::new(self.context(), text));
    }

    /// An integer attribute's value, sign-extended.
    pub fn integer(self, name: &str) -> Option<i64> {
        IntegerAttribute::cast(self.attribute(name)?).map(|attribute| attribute.value())
    }

    /// A boolean attribute's value.
    pub fn boolean(self, name: &str) -> Option<bool> {
        BoolAttribute::cast(self.attribute(name)?).map(|attribute| attribute.value())
    }

    /// The types of a function's parameters and of its results; none for what is not a function.
    pub fn signature(self) -> (Vec<Type<'a>>, Vec<Type<'a>>) {
        let Some(ty) = self.function_type() else {
            return (Vec::new(), Vec::new());
        };
        let inputs = (0..ty.input_count()).filter_map(|index| ty.input(index).ok());
        let results = (0..ty.result_count()).filter_map(|index| ty.result(index).ok());
        (inputs.collect(), results.collect())
    }

    /// A type attribute's type.
    pub fn type_attribute(self, name: &str) -> Option<Type<'a>> {
        TypeAttribute::cast(self.attribute(name)?).map(|attribute| attribute.value())
    }

    /// The symbol that an attribute refers to (the root of a nested one).
    pub fn symbol(self, name: &str) -> Option<&'a str> {
        ffi::symbol_attribute_value(self.attribute(name)?)
    }

    /// Sets an attribute that refers to a symbol.
    pub fn set_symbol(self, name: &str, symbol: &str) {
        self.set_attribute(name, FlatSymbolRefAttribute::new(self.context(), symbol));
    }

    /// The name of the symbol that it defines.
    pub fn symbol_name(self) -> Option<&'a str> {
        self.string(crate::symbols::SYMBOL_NAME)
    }

    /// The type of a function.
    pub fn function_type(self) -> Option<FunctionType<'a>> {
        FunctionType::cast(self.type_attribute("function_type")?)
    }

    /// Whether it is a function without a body, such as a foreign one.
    pub fn is_declaration(self) -> bool {
        self.num_regions() > 0 && self.regions().all(Region::is_empty)
    }

    /// Whether it is a symbol that is not seen outside of its table.
    pub fn is_private(self) -> bool {
        matches!(self.string("sym_visibility"), Some("private" | "nested"))
    }
}

/// Moving and erasing.
impl<'a> Op<'a> {
    /// Moves it before `other`, in any block.
    pub fn move_before(self, other: Op<'a>) {
        ffi::op_move_before(self.raw(), other.raw());
    }

    /// Moves it after `other`, in any block.
    pub fn move_after(self, other: Op<'a>) {
        ffi::op_move_after(self.raw(), other.raw());
    }

    /// Moves it to the end of `block`.
    pub fn move_to_end(self, block: Block<'a>) {
        self.detach();
        ffi::block_append_op(block.raw(), self.raw());
    }

    /// Takes it out of its block. It must then be inserted somewhere, or erased.
    pub fn detach(self) {
        if self.block().is_some() {
            ffi::op_remove(self.raw());
        }
    }

    /// Erases it with all inside.
    ///
    /// # Panics
    ///
    /// If a result still has a use.
    pub fn erase(self) {
        for result in self.results() {
            if let Some(user) = result.uses().next() {
                panic!(
                    "'{}' is erased while '{}' uses its result",
                    self.name(),
                    user.owner.name()
                );
            }
        }
        ffi::op_destroy(self.raw());
    }

    /// Replaces its results by `values` and erases it.
    pub fn replace_with(self, values: &[Value<'a>]) {
        assert_eq!(
            values.len(),
            self.num_results(),
            "'{}' is replaced by the wrong number of values",
            self.name()
        );
        for (result, value) in self.results().zip(values) {
            result.replace_all_uses_with(*value);
        }
        self.erase();
    }

    /// Lets go of its operands and successors, and of those of all inside, so that cycles can be erased.
    pub fn drop_all_references(self) {
        ffi::op_drop_references(self.raw());
    }

    /// Its name, and its symbol if it has one; for messages.
    pub fn describe(self) -> String {
        match self.symbol_name() {
            Some(symbol) => format!("'{}' @{symbol}", self.name()),
            None => format!("'{}'", self.name()),
        }
    }
}

fn check(op: Op<'_>, index: usize, count: usize, what: &str) {
    assert!(
        index < count,
        "'{}' has {count} {what}s, and {what} {index} was asked for",
        op.name()
    );
}
