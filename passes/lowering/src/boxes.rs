//! Boxes: the reference-counted memory of objects, variables, arrays, closures and existentials.
//!
//! ```text
//!   header   | count | type | number of slots |
//!   object   | field | field | ...     a value takes one slot of 8 bytes, or as many as it needs
//!   array    | element | element | ...
//!   ref      | address | value         a captured variable
//!   ref      | address | object        a reference to a field
//!   closure  | thunk | capture | capture | ...
//!   any      | witness table | leaf | leaf | ...
//!   tape     | used slots | previous chunk | value | value | ...
//! ```
//!
//! Each box has a type: a constant that lists the slots that hold tensors or boxes, which is what
//! the runtime needs to free the box. `objects.rs`, `arrays.rs`, `closures.rs`, `tapes.rs`
//! and `existentials.rs` lower the operations on boxes. Values keep the types of the IR until all
//! operations are lowered.
//!
//! Not guaranteed: two threads that access one field at the same time have to synchronize
//! themselves.

use melior::ir::Type;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::llvm;
use tfx_ir::{Builder, Op, Value};

use crate::calls::Calls;
use crate::globals::Field;
use crate::kinds::{Kind, from_stored, is_handle, slots, stored_type, to_stored};
use crate::memory::pointer;
use crate::ownership::Count;
use crate::runtime::counting_function;

/// The number of words of 8 bytes before the slots of a box: its count, its type, the number of its
/// slots.
const HEADER_WORDS: usize = 3;
/// The position of the number of slots in the header.
pub(crate) const SLOT_COUNT_WORD: usize = 2;
/// The alignment of slots, which is less than that of a scalar of 16 bytes.
const SLOT_ALIGNMENT: i64 = 8;

impl<'a> Calls<'a> {
    /// Allocates a box with values in its slots, and transfers their ownership to the box.
    pub(crate) fn new_box(
        &mut self,
        op: Op<'a>,
        name: &str,
        values: &[Value<'a>],
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
        let (kinds, starts) = layout(op, &types)?;
        let size = kinds.len();
        let allocated = self.empty_box(op, name, kinds, size);
        let mut builder = Builder::before(op);
        for (&value, start) in values.iter().zip(starts) {
            let address = self.slot_address(&mut builder, allocated, start);
            self.store_to(&mut builder, address, value);
        }
        Ok(allocated)
    }

    /// Allocates a box with zeros in its slots. Slots after those in `kinds` have the last kind.
    pub(crate) fn empty_box(
        &mut self,
        op: Op<'a>,
        name: &str,
        kinds: Vec<u8>,
        size: usize,
    ) -> Value<'a> {
        let ty = self.box_type(name, kinds);
        let mut builder = Builder::before(op);
        let ty = self.address(&mut builder, &Field::Address(ty));
        let size = self.integer(&mut builder, 64, size as i64);
        self.call_value(&mut builder, "tfx_box_new", &[ty, size])
    }

    /// Returns the symbol of a type of boxes.
    pub(crate) fn box_type(&mut self, name: &str, kinds: Vec<u8>) -> String {
        let number = self.generated.types.len();
        let key = (name.to_owned(), kinds);
        if let Some(symbol) = self.generated.types.get(&key) {
            return symbol.clone();
        }
        let symbol = format!("tfx.box.{number}");
        let fields = [
            Field::Address(self.globals.c_string(name)),
            Field::Address(self.globals.shared_bytes(key.1.clone())),
            Field::I64(key.1.len() as i64),
        ];
        self.globals.record(&symbol, &fields);
        self.generated.types.insert(key, symbol.clone());
        symbol
    }

    /// Returns the address of a slot.
    pub(crate) fn slot_address(
        &self,
        builder: &mut Builder<'a>,
        of: Value<'a>,
        slot: usize,
    ) -> Value<'a> {
        self.element(builder, of, HEADER_WORDS + slot)
    }

    /// Loads the value of a slot, without a retain.
    pub(crate) fn load_from(
        &self,
        builder: &mut Builder<'a>,
        address: Value<'a>,
        ty: Type<'a>,
    ) -> Value<'a> {
        let load = llvm::Load::build(builder, stored_type(ty, self.context), address);
        load.set_alignment(Some(SLOT_ALIGNMENT));
        from_stored(builder, load.res(), ty)
    }

    /// Stores a value to a slot.
    pub(crate) fn store_to(&self, builder: &mut Builder<'a>, address: Value<'a>, value: Value<'a>) {
        let stored = to_stored(builder, value);
        llvm::Store::build(builder, stored, address).set_alignment(Some(SLOT_ALIGNMENT));
    }

    /// Retains or releases a value whose type in the IR is `ty`, if it is a handle.
    pub(crate) fn count(
        &mut self,
        builder: &mut Builder<'a>,
        count: Count,
        value: Value<'a>,
        ty: Type<'a>,
    ) {
        if is_handle(ty) {
            self.call(builder, counting_function(count, Kind::of(ty)), &[value]);
        }
    }
}

/// Replaces an operation by values, which get the types of its results until all operations are
/// lowered.
pub(crate) fn replace<'a>(op: Op<'a>, values: &[Value<'a>]) {
    for (result, value) in op.results().zip(values) {
        value.set_ty(result.ty());
    }
    op.replace_with(values);
}

/// Returns the kinds of all slots of consecutive values, and the first slot of each value.
pub(crate) fn layout<'a>(
    op: Op<'a>,
    types: &[Type<'a>],
) -> Result<(Vec<u8>, Vec<usize>), Diagnostic<'a>> {
    let (mut kinds, mut starts) = (Vec::new(), Vec::new());
    for &ty in types {
        starts.push(kinds.len());
        kinds.extend(std::iter::repeat_n(Kind::of(ty) as u8, width(op, ty)?));
    }
    Ok((kinds, starts))
}

/// Returns the number of slots of a value of a type.
pub(crate) fn width<'a>(op: Op<'a>, ty: Type<'a>) -> Result<usize, Diagnostic<'a>> {
    // An address has no type of the source; it takes one slot.
    let is_address = ty == pointer(op.context());
    slots(ty).or(is_address.then_some(1)).ok_or_else(|| {
        diag::error(
            op.location(),
            format!(
                "a value of type {ty} cannot be stored in an object, a closure, an array or a variable; these hold only numbers, tensors, strings \
                 and each other"
            ),
        )
    })
}
