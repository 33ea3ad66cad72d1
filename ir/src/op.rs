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

use crate::{Block, Region, Value, cast::Cast, diag::PassFailed, ffi};

/// The attribute that holds the type of a function.
const FUNCTION_TYPE: &str = "function_type";

/// A reference to an operation. Equality, hash and order are those of the address.
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

/// Identity and position.
impl<'a> Op<'a> {
    /// Returns the full name, such as `arith.addi`.
    pub fn name(self) -> &'a str {
        ffi::identifier(ffi::op_name(self.raw()))
    }

    /// Returns whether the full name is `name`. [`Op::isa`] compares by type.
    pub fn is(self, name: &str) -> bool {
        ffi::identifier_is(ffi::op_name(self.raw()), name)
    }

    /// Returns whether the context has a definition of the operation.
    pub fn is_registered(self) -> bool {
        self.context().is_registered_operation(self.name())
    }

    /// Returns the dialect's namespace, such as `arith`.
    pub fn dialect(self) -> &'a str {
        self.name()
            .split_once('.')
            .map_or("", |(dialect, _)| dialect)
    }

    /// Returns the location.
    #[inline]
    pub fn location(self) -> Location<'a> {
        ffi::location(ffi::op_location(self.raw()))
    }

    /// Replaces the location.
    pub fn set_location(self, location: Location<'a>) {
        ffi::op_set_location(self.raw(), location.to_raw());
    }

    /// Returns the context.
    pub fn context(self) -> &'a Context {
        ffi::context(ffi::op_context(self.raw()))
    }

    /// Returns the block that contains the operation; none for a top-level or detached operation.
    #[inline]
    pub fn block(self) -> Option<Block<'a>> {
        ffi::option_block(ffi::op_block(self.raw()))
    }

    /// Returns the region that contains the operation.
    pub fn parent_region(self) -> Option<Region<'a>> {
        self.block()?.region()
    }

    /// Returns the operation whose region contains this one.
    pub fn parent(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::op_parent(self.raw()))
    }

    /// Returns an iterator over the parent, its parent, and so on.
    pub fn ancestors(self) -> impl Iterator<Item = Op<'a>> {
        std::iter::successors(self.parent(), |op| op.parent())
    }

    /// Returns the nearest ancestor of the name.
    pub fn ancestor(self, name: &str) -> Option<Op<'a>> {
        self.ancestors().find(|op| op.is(name))
    }

    /// Returns whether it is `other` or inside of it.
    pub fn is_within(self, other: Op<'a>) -> bool {
        self == other || self.ancestors().any(|op| op == other)
    }

    /// Returns the next operation in the block.
    #[inline]
    pub fn next(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::op_next(self.raw()))
    }

    /// Returns the previous operation in the block.
    pub fn prev(self) -> Option<Op<'a>> {
        self.block()?;
        ffi::option_op(ffi::op_prev(self.raw()))
    }

    /// Returns whether it comes before `other`, which must be in the same block. MLIR numbers the
    /// operations of a block at the first query.
    pub fn is_before(self, other: Op<'a>) -> bool {
        assert_eq!(
            self.block(),
            other.block(),
            "only operations of one block have an order"
        );
        ffi::op_is_before(self.raw(), other.raw())
    }

    /// Runs the verifier on the operation and those inside; it reports the errors.
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
    /// Returns the number of operands.
    #[inline]
    pub fn num_operands(self) -> usize {
        ffi::op_num_operands(self.raw()) as usize
    }

    /// Returns an operand.
    ///
    /// # Panics
    ///
    /// If the index is out of range; this holds for all accessors by index.
    #[inline]
    pub fn operand(self, index: usize) -> Value<'a> {
        check(self, index, self.num_operands(), "operand");
        ffi::value(ffi::op_operand(self.raw(), index as isize))
    }

    /// Returns an iterator over the operands.
    #[inline]
    pub fn operands(self) -> impl ExactSizeIterator<Item = Value<'a>> + DoubleEndedIterator {
        (0..self.num_operands())
            .map(move |index| ffi::value(ffi::op_operand(self.raw(), index as isize)))
    }

    /// Replaces an operand.
    pub fn set_operand(self, index: usize, value: Value<'a>) {
        check(self, index, self.num_operands(), "operand");
        ffi::op_set_operand(self.raw(), index as isize, value.raw());
    }

    /// Replaces all operands. Their number may change; segment sizes are not updated.
    pub fn set_operands(self, values: &[Value<'a>]) {
        ffi::set_operands(self.raw(), values);
    }

    /// Replaces each operand that is `from`.
    pub fn replace_operand(self, from: Value<'a>, to: Value<'a>) {
        ffi::op_replace_uses_of(self.raw(), from.raw(), to.raw());
    }

    /// Returns the number of results.
    #[inline]
    pub fn num_results(self) -> usize {
        ffi::op_num_results(self.raw()) as usize
    }

    /// Returns a result.
    #[inline]
    pub fn result(self, index: usize) -> Value<'a> {
        check(self, index, self.num_results(), "result");
        ffi::value(ffi::op_result(self.raw(), index as isize))
    }

    /// Returns an iterator over the results.
    #[inline]
    pub fn results(self) -> impl ExactSizeIterator<Item = Value<'a>> + DoubleEndedIterator {
        (0..self.num_results())
            .map(move |index| ffi::value(ffi::op_result(self.raw(), index as isize)))
    }

    /// Returns the values that it defines: its results, then the arguments of the blocks of its
    /// regions.
    pub fn definitions(self) -> impl Iterator<Item = Value<'a>> {
        let blocks = self.regions().flat_map(Region::blocks);
        self.results().chain(blocks.flat_map(Block::arguments))
    }

    /// Returns the types of the results.
    pub fn result_types(self) -> Vec<Type<'a>> {
        self.results().map(Value::ty).collect()
    }

    /// Returns whether no result has a use.
    pub fn is_unused(self) -> bool {
        self.results().all(Value::is_unused)
    }

    /// Returns the number of regions.
    #[inline]
    pub fn num_regions(self) -> usize {
        ffi::op_num_regions(self.raw()) as usize
    }

    /// Returns a region.
    pub fn region(self, index: usize) -> Region<'a> {
        check(self, index, self.num_regions(), "region");
        ffi::region(ffi::op_region(self.raw(), index as isize))
    }

    /// Returns an iterator over the regions.
    pub fn regions(self) -> impl ExactSizeIterator<Item = Region<'a>> + DoubleEndedIterator {
        (0..self.num_regions())
            .map(move |index| ffi::region(ffi::op_region(self.raw(), index as isize)))
    }

    /// Returns the number of successors.
    pub fn num_successors(self) -> usize {
        ffi::op_num_successors(self.raw()) as usize
    }

    /// Returns a successor.
    pub fn successor(self, index: usize) -> Block<'a> {
        check(self, index, self.num_successors(), "successor");
        ffi::block(ffi::op_successor(self.raw(), index as isize))
    }

    /// Returns an iterator over the successors; a block may occur several times.
    pub fn successors(self) -> impl ExactSizeIterator<Item = Block<'a>> + DoubleEndedIterator {
        (0..self.num_successors())
            .map(move |index| ffi::block(ffi::op_successor(self.raw(), index as isize)))
    }

    /// Replaces a successor; the operands stay.
    pub fn set_successor(self, index: usize, block: Block<'a>) {
        check(self, index, self.num_successors(), "successor");
        ffi::op_set_successor(self.raw(), index as isize, block.raw());
    }

    /// Returns the operands that a branch forwards to a successor; `None` if the operation does not
    /// implement `BranchOpInterface`.
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

/// The operands that a branch forwards to one successor.
#[derive(Clone, Copy, Debug)]
pub struct SuccessorOperands<'a> {
    op: Op<'a>,
    successor: usize,
    produced: usize,
    first: usize,
    count: usize,
}

impl<'a> SuccessorOperands<'a> {
    /// Returns the number of leading block arguments that the branch produces itself.
    pub fn produced(self) -> usize {
        self.produced
    }

    /// Returns the values for the arguments after those.
    pub fn values(self) -> Vec<Value<'a>> {
        self.positions()
            .map(|index| self.op.operand(index))
            .collect()
    }

    /// Returns the value for block argument `index`; `None` if the branch produces it itself.
    pub fn value(self, index: usize) -> Option<Value<'a>> {
        let forwarded = index.checked_sub(self.produced)?;
        (forwarded < self.count).then(|| self.op.operand(self.first + forwarded))
    }

    /// Returns the positions of the forwarded operands.
    pub fn positions(self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// Returns whether the operand at this position is forwarded.
    pub fn holds(self, operand: usize) -> bool {
        self.positions().contains(&operand)
    }

    /// Forwards more values after the others, and updates segment sizes.
    pub fn append(self, values: &[Value<'a>]) {
        ffi::append_successor_operands(self.op.raw(), self.successor, values);
    }

    /// Removes the value for block argument `index`, and updates segment sizes. The values for
    /// later arguments may have been removed before.
    pub fn erase(self, index: usize) {
        let in_range = index >= self.produced && index < self.produced + self.count;
        assert!(
            in_range,
            "successor {} of '{}' has no operand for argument {index}",
            self.successor,
            self.op.name()
        );
        let position = (index - self.produced) as isize;
        ffi::op_erase_successor_operand(self.op.raw(), self.successor as isize, position);
    }
}

/// Attributes.
impl<'a> Op<'a> {
    /// Returns an attribute, inherent or discardable.
    pub fn attribute(self, name: &str) -> Option<Attribute<'a>> {
        ffi::op_attribute(self.raw(), name)
    }

    /// Returns all attributes with their names, sorted by name.
    pub fn attributes(self) -> Vec<(&'a str, Attribute<'a>)> {
        ffi::op_attributes(self.raw())
    }

    /// Returns all attributes as a dictionary. MLIR uniques dictionaries, so operations with equal
    /// attributes have the same one.
    pub fn attribute_dictionary(self) -> Attribute<'a> {
        ffi::attribute(ffi::op_attribute_dictionary(self.raw()))
    }

    /// Sets an attribute.
    pub fn set_attribute(self, name: &str, attribute: impl Into<Attribute<'a>>) {
        ffi::op_set_attribute(self.raw(), name, attribute.into());
    }

    /// Removes an attribute, and returns whether it was present.
    pub fn remove_attribute(self, name: &str) -> bool {
        ffi::op_remove_attribute(self.raw(), name)
    }

    /// Returns the text of a string attribute.
    pub fn string(self, name: &str) -> Option<&'a str> {
        ffi::string_attribute_value(self.attribute(name)?)
    }

    /// Sets a string attribute.
    pub fn set_string(self, name: &str, text: &str) {
        self.set_attribute(name, StringAttribute::new(self.context(), text));
    }

    /// Returns the value of an integer attribute, sign-extended.
    pub fn integer(self, name: &str) -> Option<i64> {
        IntegerAttribute::cast(self.attribute(name)?).map(|attribute| attribute.value())
    }

    /// Returns the value of a boolean attribute.
    pub fn boolean(self, name: &str) -> Option<bool> {
        BoolAttribute::cast(self.attribute(name)?).map(|attribute| attribute.value())
    }

    /// Returns the types of a function's parameters and results; empty if this is not a function.
    pub fn signature(self) -> (Vec<Type<'a>>, Vec<Type<'a>>) {
        self.function_type().map(signature_of).unwrap_or_default()
    }

    /// Returns the type of a type attribute.
    pub fn type_attribute(self, name: &str) -> Option<Type<'a>> {
        TypeAttribute::cast(self.attribute(name)?).map(|attribute| attribute.value())
    }

    /// Returns the symbol that an attribute refers to (the root of a nested one).
    pub fn symbol(self, name: &str) -> Option<&'a str> {
        ffi::symbol_attribute_value(self.attribute(name)?)
    }

    /// Sets an attribute that refers to a symbol.
    pub fn set_symbol(self, name: &str, symbol: &str) {
        self.set_attribute(name, FlatSymbolRefAttribute::new(self.context(), symbol));
    }

    /// Returns the name of the symbol that it defines.
    pub fn symbol_name(self) -> Option<&'a str> {
        self.string(crate::symbols::SYMBOL_NAME)
    }

    /// Returns the type of a function.
    pub fn function_type(self) -> Option<FunctionType<'a>> {
        FunctionType::cast(self.type_attribute(FUNCTION_TYPE)?)
    }

    /// Replaces the type of a function.
    pub fn set_function_type(self, ty: FunctionType<'a>) {
        self.set_attribute(FUNCTION_TYPE, TypeAttribute::new(ty.into()));
    }

    /// Returns whether it is a function without a body, such as a foreign one.
    pub fn is_declaration(self) -> bool {
        self.num_regions() > 0 && self.regions().all(Region::is_empty)
    }

    /// Returns whether it is a symbol that is not visible outside of its table.
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

    /// Removes it from its block. The caller inserts it elsewhere or erases it.
    pub fn detach(self) {
        if self.block().is_some() {
            ffi::op_remove(self.raw());
        }
    }

    /// Erases it and the operations inside.
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

    /// Drops its operands and successors, and those of the operations inside, so that cycles can be
    /// erased.
    pub fn drop_all_references(self) {
        ffi::op_drop_references(self.raw());
    }

    /// Returns its name, and its symbol if it has one, for messages.
    pub fn describe(self) -> String {
        match self.symbol_name() {
            Some(symbol) => format!("'{}' @{symbol}", self.name()),
            None => format!("'{}'", self.name()),
        }
    }
}

/// Returns the types of the parameters and the results of a function type.
pub fn signature_of(ty: FunctionType<'_>) -> (Vec<Type<'_>>, Vec<Type<'_>>) {
    let inputs = (0..ty.input_count()).filter_map(|index| ty.input(index).ok());
    let results = (0..ty.result_count()).filter_map(|index| ty.result(index).ok());
    (inputs.collect(), results.collect())
}

fn check(op: Op<'_>, index: usize, count: usize, what: &str) {
    assert!(
        index < count,
        "'{}' has {count} {what}s: {what} {index} does not exist",
        op.name()
    );
}
