//! Objects, variables and arrays: values that live in boxes on the heap.
//!
//! ```text
//!   new(%w, %n) : object<@Model>      tfx_box_new(@tfx.box.0, 2); store %w to slot 0, %n to slot 1
//!   load (member_ref %m["w"])         load slot 0, retain
//!   store %x, (member_ref %m["w"])    load slot 0, store %x to it, release what was there
//!
//!   object   | field | field | ...              a value takes one slot of 8 bytes, or as many as it needs
//!   array    | element | element | ...
//!   ref      | address | the variable itself    a variable that something captures
//!   ref      | address | an object              a field, referred to from elsewhere
//! ```
//!
//! Each box has a type, a constant that says which slots hold tensors and which hold boxes; the runtime needs no more to free one.
//! Values keep the types of the IR until all operations are done. A reference to a field that is only read and written on the spot is no
//! value at all: it is an address.
//!
//! Cost: linear in the operations; an access by name looks through the fields of the class.
//! Not guaranteed: two threads that use one field at the same time must agree on it by themselves.

use std::collections::{HashMap, HashSet};

use melior::ir::Type;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use tfx_dialects::types::{HostType, host_type as host_dialect_type};
use tfx_graphdef_mlir::types;
use tfx_ir::diag::{self, Diag};
use tfx_ir::{Builder, Op, Value};

use crate::existentials::Methods;
use crate::globals::Field;
use crate::host_ops::{Calls, counting_function};
use crate::kinds::{Kind, from_stored, is_handle, slots, stored_type, to_stored};
use crate::ownership::Count;

/// How many words of 8 bytes are before the slots of a box: its count, its type, the number of its slots.
const HEADER_WORDS: usize = 3;
/// Which of them is the number of its slots.
const WORD_OF_SLOTS: usize = 2;
/// The slot of a reference that holds the address of what it refers to; it is before what keeps that alive.
const SLOT_OF_ADDRESS: usize = 0;
/// Where slots are: more than a scalar of 16 bytes may ask for.
const SLOT_ALIGNMENT: i64 = 8;
/// What LLVM calls an index that is an operand.
const DYNAMIC_INDEX: i32 = i32::MIN;

/// What has been made for the boxes of a module.
#[derive(Default)]
pub(crate) struct HostValues<'a> {
    /// The constants that describe boxes, by their name and kinds.
    types: HashMap<(String, Vec<u8>), String>,
    /// The functions that closures call, by callee and number of captures.
    pub(crate) closures: HashMap<(&'a str, usize), String>,
    /// The functions by which the runtime fills queues, by callee.
    pub(crate) queues: HashMap<&'a str, String>,
    /// Witness tables and the calls through them.
    pub(crate) methods: Methods<'a>,
    /// Declarations of functions whose address is in a constant.
    pub(crate) referenced: Vec<String>,
}

/// The operations that make places: references to fields that are only read and written, where they are made.
pub(crate) fn places<'a>(function: Op<'a>) -> HashSet<Op<'a>> {
    let members = function.walk().filter(|op| op.is("tfx_host.member_ref"));
    members.filter(|&op| is_place(op)).collect()
}

fn is_place(member: Op<'_>) -> bool {
    member.result(0).uses().all(|used| {
        used.owner.is("tfx_host.load") || used.owner.is("tfx_host.store") && used.operand == 1
    })
}

/// Whether an operation puts that operand into a box.
pub(crate) fn consumes(op: Op<'_>, operand: usize) -> bool {
    match op.name() {
        "tfx_host.new" | "tfx_host.closure" | "tfx_host.array" | "tfx_host.erase" => true,
        "tfx_host.store" => operand == 0,
        "tfx_host.member_ref" => !is_place(op),
        _ => false,
    }
}

impl<'a> Calls<'a> {
    /// Turns what a function does with boxes into calls and accesses to memory.
    pub(crate) fn host_values(&mut self, function: Op<'a>) -> Result<(), Diag<'a>> {
        let ops: Vec<_> = function
            .walk()
            .skip(1)
            .filter(|op| op.dialect() == "tfx_host")
            .collect();
        // What reads and writes a place has its address afterwards, and the place no user.
        let (accesses, others): (Vec<Op<'a>>, _) = ops
            .into_iter()
            .partition(|op| op.is("tfx_host.load") || op.is("tfx_host.store"));
        for op in accesses.into_iter().chain(others) {
            match op.name().trim_start_matches("tfx_host.") {
                "load" => self.load(op)?,
                "store" => self.store(op)?,
                "var" => self.variable(op)?,
                "new" => self.object(op)?,
                "member_ref" => self.member(op)?,
                "array" => self.array_literal(op)?,
                "array_get" => self.array_get(op)?,
                "array_count" => self.array_count(op)?,
                "closure" => self.closure(op)?,
                "apply" => self.apply(op)?,
                "erase" => self.erase(op)?,
                "dynamic_call" => self.dynamic_call(op)?,
                _ => {}
            }
        }
        Ok(())
    }

    //===-- Boxes -------------------------------------------------------------------------------------------------===//

    /// A new box with values in its slots, from the first slot on. The values are the box's from now on.
    pub(crate) fn new_box(
        &mut self,
        op: Op<'a>,
        name: &str,
        values: &[Value<'a>],
    ) -> Result<Value<'a>, Diag<'a>> {
        let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
        let (kinds, starts) = layout(op, &types)?;
        let size = kinds.len();
        let made = self.empty_box(op, name, kinds, size);
        let mut builder = Builder::before(op);
        for (&value, start) in values.iter().zip(starts) {
            let address = self.slot_address(&mut builder, made, start);
            self.store_to(&mut builder, address, value);
        }
        Ok(made)
    }

    /// A new box with slots of zeros. Slots after those that have a kind are of the last kind.
    fn empty_box(&mut self, op: Op<'a>, name: &str, kinds: Vec<u8>, size: usize) -> Value<'a> {
        let ty = self.box_type(name, kinds);
        let mut builder = Builder::before(op);
        let ty = self.address(&mut builder, &Field::Address(ty));
        let size = self.integer(&mut builder, 64, size as i64);
        self.call(&mut builder, "tfx_box_new", &[ty, size])
            .result(0)
    }

    /// The constant that describes boxes.
    fn box_type(&mut self, name: &str, kinds: Vec<u8>) -> String {
        let number = self.values.types.len();
        let key = (name.to_owned(), kinds);
        if let Some(symbol) = self.values.types.get(&key) {
            return symbol.clone();
        }
        let symbol = format!("tfx.box.{number}");
        let fields = [
            Field::Address(self.globals.c_string(name)),
            Field::Address(self.globals.shared_bytes(key.1.clone())),
            Field::I64(key.1.len() as i64),
        ];
        self.globals.record(&symbol, &fields);
        self.values.types.insert(key, symbol.clone());
        symbol
    }

    /// The address of a slot.
    pub(crate) fn slot_address(
        &self,
        builder: &mut Builder<'a>,
        of: Value<'a>,
        slot: usize,
    ) -> Value<'a> {
        self.element(builder, of, HEADER_WORDS + slot)
    }

    /// The value at an address. It is not counted.
    pub(crate) fn load_from(
        &self,
        builder: &mut Builder<'a>,
        address: Value<'a>,
        ty: Type<'a>,
    ) -> Value<'a> {
        let alignment = self.alignment();
        let stored = builder
            .op("llvm.load")
            .operand(address)
            .attribute("alignment", alignment)
            .result(stored_type(ty, self.context))
            .value();
        from_stored(builder, stored, ty)
    }

    /// Writes a value to an address.
    pub(crate) fn store_to(&self, builder: &mut Builder<'a>, address: Value<'a>, value: Value<'a>) {
        let (stored, alignment) = (to_stored(builder, value), self.alignment());
        builder
            .op("llvm.store")
            .operands(&[stored, address])
            .attribute("alignment", alignment)
            .build();
    }

    fn alignment(&self) -> IntegerAttribute<'a> {
        IntegerAttribute::new(IntegerType::new(self.context, 64).into(), SLOT_ALIGNMENT)
    }

    /// Adds or takes an owner of a value of that type, where it is a handle.
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

    //===-- Objects and variables ---------------------------------------------------------------------------------===//

    fn object(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let name = op.result(0).ty().to_string();
        let fields: Vec<_> = op.operands().collect();
        let object = self.new_box(op, &name, &fields)?;
        replace(op, &[object]);
        Ok(())
    }

    fn variable(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let ty = op.result(0).ty();
        let Some(HostType::Ref(pointee)) = host_dialect_type(ty) else {
            return Ok(());
        };
        let variable = self.new_variable(op, pointee)?;
        replace(op, &[variable]);
        Ok(())
    }

    /// A new variable without a value: a reference to its own second slot.
    pub(crate) fn new_variable(
        &mut self,
        op: Op<'a>,
        pointee: Type<'a>,
    ) -> Result<Value<'a>, Diag<'a>> {
        let (kinds, starts) = layout(op, &[self.pointer, pointee])?;
        let size = kinds.len();
        let variable = self.empty_box(op, "variable", kinds, size);
        let mut builder = Builder::before(op);
        let value = self.slot_address(&mut builder, variable, starts[1]);
        let address = self.slot_address(&mut builder, variable, SLOT_OF_ADDRESS);
        self.store_to(&mut builder, address, value);
        Ok(variable)
    }

    /// A reference to a slot of a box, which becomes one of the owners of the box.
    pub(crate) fn new_reference(&mut self, op: Op<'a>, to: Value<'a>, slot: usize) -> Value<'a> {
        let kinds = vec![Kind::Plain as u8, Kind::Box as u8];
        let size = kinds.len();
        let reference = self.empty_box(op, "reference", kinds, size);
        let mut builder = Builder::before(op);
        let target = self.slot_address(&mut builder, to, slot);
        for (slot, value) in [(SLOT_OF_ADDRESS, target), (SLOT_OF_ADDRESS + 1, to)] {
            let address = self.slot_address(&mut builder, reference, slot);
            self.store_to(&mut builder, address, value);
        }
        reference
    }

    fn member(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        if op.is_unused() {
            op.erase();
            return Ok(());
        }
        let slot = self.slot_of_field(op)?;
        let reference = self.new_reference(op, op.operand(0), slot);
        replace(op, &[reference]);
        Ok(())
    }

    /// The slot in which the field of a `member_ref` starts.
    fn slot_of_field(&self, member: Op<'a>) -> Result<usize, Diag<'a>> {
        let object = member.operand(0).ty();
        let field = member.string("field").unwrap_or_default();
        let Some(HostType::Object {
            declaration: class, ..
        }) = host_dialect_type(object)
        else {
            return Ok(0);
        };
        let fields = self.declarations.fields(class, object);
        let types: Vec<_> = fields.iter().map(|&(_, ty)| ty).collect();
        let (_, starts) = layout(member, &types)?;
        let index = fields.iter().position(|&(name, _)| name == field);
        Ok(index
            .and_then(|index| starts.get(index).copied())
            .unwrap_or_default())
    }

    /// The address that a reference stands for.
    fn target(
        &mut self,
        builder: &mut Builder<'a>,
        reference: Value<'a>,
    ) -> Result<Value<'a>, Diag<'a>> {
        if let Some(place) = place_of(reference) {
            let slot = self.slot_of_field(place)?;
            return Ok(self.slot_address(builder, place.operand(0), slot));
        }
        let address = self.slot_address(builder, reference, SLOT_OF_ADDRESS);
        Ok(self.load_from(builder, address, self.pointer))
    }

    fn load(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let ty = op.result(0).ty();
        let mut builder = Builder::before(op);
        let address = self.target(&mut builder, op.operand(0))?;
        let value = self.load_from(&mut builder, address, ty);
        // A field has a value from the start; a variable may not have one yet.
        if is_handle(ty) && place_of(op.operand(0)).is_none() {
            self.check_initialised(op, &mut builder, value);
        }
        self.count(&mut builder, Count::Retain, value, ty);
        replace(op, &[value]);
        Ok(())
    }

    fn check_initialised(&mut self, op: Op<'a>, builder: &mut Builder<'a>, value: Value<'a>) {
        const MESSAGE: &str = "the variable is read before anything is stored in it";
        /// `ne`, by its number in `llvm.icmp`.
        const NOT_EQUAL: i64 = 1;
        let text = self.globals.shared_bytes(MESSAGE.as_bytes().to_vec());
        let null = self.address(builder, &Field::Null);
        let is_there = builder
            .op("llvm.icmp")
            .operands(&[value, null])
            .integer("predicate", 64, NOT_EQUAL)
            .result(IntegerType::new(self.context, 1))
            .value();
        let text = self.address(builder, &Field::Address(text));
        let size = self.integer(builder, 64, MESSAGE.len() as i64);
        let place = self.place(op);
        self.call(builder, "tfx_check", &[is_there, text, size, place]);
    }

    fn store(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let (value, reference) = (op.operand(0), op.operand(1));
        let ty = value.ty();
        let mut builder = Builder::before(op);
        let address = self.target(&mut builder, reference)?;
        // What was there is let go of last: it may be all that keeps other values alive.
        let before = is_handle(ty).then(|| self.load_from(&mut builder, address, ty));
        self.store_to(&mut builder, address, value);
        if let Some(before) = before {
            self.count(&mut builder, Count::Release, before, ty);
        }
        op.erase();
        Ok(())
    }

    //===-- Arrays ------------------------------------------------------------------------------------------------===//

    fn array_literal(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let ty = op.result(0).ty();
        let element = element_type(ty).unwrap_or(ty);
        let width = width(op, element)?;
        let kinds = vec![Kind::of(element) as u8];
        let elements: Vec<_> = op.operands().collect();
        let array = self.empty_box(op, &ty.to_string(), kinds, width * elements.len());
        let mut builder = Builder::before(op);
        for (index, value) in elements.into_iter().enumerate() {
            let address = self.slot_address(&mut builder, array, index * width);
            self.store_to(&mut builder, address, value);
        }
        replace(op, &[array]);
        Ok(())
    }

    fn array_get(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let (array, ty) = (op.operand(0), op.result(0).ty());
        let width = width(op, ty)?;
        let mut builder = Builder::before(op);
        let count = self.number_of_elements(&mut builder, array, width);
        let index = to_stored(&mut builder, op.operand(1));
        let place = self.place(op);
        self.call(&mut builder, "tfx_check_index", &[index, count, place]);
        let first = self.slot_address(&mut builder, array, 0);
        let position = self.scaled(&mut builder, "arith.muli", index, width);
        let address = self.element_at(&mut builder, first, position);
        let value = self.load_from(&mut builder, address, ty);
        self.count(&mut builder, Count::Retain, value, ty);
        replace(op, &[value]);
        Ok(())
    }

    fn array_count(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let array = op.operand(0);
        let element = element_type(array.ty()).unwrap_or(array.ty());
        let width = width(op, element)?;
        let mut builder = Builder::before(op);
        let count = self.number_of_elements(&mut builder, array, width);
        let count = from_stored(&mut builder, count, op.result(0).ty());
        replace(op, &[count]);
        Ok(())
    }

    fn number_of_elements(
        &self,
        builder: &mut Builder<'a>,
        array: Value<'a>,
        width: usize,
    ) -> Value<'a> {
        let address = self.element(builder, array, WORD_OF_SLOTS);
        let word = IntegerType::new(self.context, types::INDEX_BITS).into();
        let slots = self.load_from(builder, address, word);
        self.scaled(builder, "arith.divui", slots, width)
    }

    /// A number times or through the slots of an element, of which there is nearly always one.
    fn scaled(
        &self,
        builder: &mut Builder<'a>,
        name: &str,
        number: Value<'a>,
        width: usize,
    ) -> Value<'a> {
        if width == 1 {
            return number;
        }
        let width = self.integer(builder, types::INDEX_BITS, width as i64);
        builder
            .op(name)
            .operands(&[number, width])
            .result(number.ty())
            .value()
    }

    /// The address of a slot whose number is known at run time.
    fn element_at(
        &self,
        builder: &mut Builder<'a>,
        first: Value<'a>,
        index: Value<'a>,
    ) -> Value<'a> {
        let indices = DenseI32ArrayAttribute::new(self.context, &[DYNAMIC_INDEX]);
        builder
            .op("llvm.getelementptr")
            .operands(&[first, index])
            .attribute("rawConstantIndices", indices)
            .attribute("elem_type", TypeAttribute::new(self.pointer))
            .result(self.pointer)
            .value()
    }
}

/// Replaces an operation by values of the types that its results have in the IR, until all types are changed.
pub(crate) fn replace<'a>(op: Op<'a>, values: &[Value<'a>]) {
    for (result, value) in op.results().zip(values) {
        value.set_ty(result.ty());
    }
    op.replace_with(values);
}

/// The operation that a place comes from; nothing for a reference that is a value.
fn place_of(reference: Value<'_>) -> Option<Op<'_>> {
    reference
        .defining_op()
        .filter(|op| op.is("tfx_host.member_ref") && is_place(*op))
}

fn element_type(array: Type<'_>) -> Option<Type<'_>> {
    match host_dialect_type(array) {
        Some(HostType::Array(element)) => Some(element),
        _ => None,
    }
}

/// The kinds of all slots of values that lie one after another, and the first slot of each.
pub(crate) fn layout<'a>(
    op: Op<'a>,
    types: &[Type<'a>],
) -> Result<(Vec<u8>, Vec<usize>), Diag<'a>> {
    let (mut kinds, mut starts) = (Vec::new(), Vec::new());
    for &ty in types {
        starts.push(kinds.len());
        kinds.extend(std::iter::repeat_n(Kind::of(ty) as u8, width(op, ty)?));
    }
    Ok((kinds, starts))
}

/// How many slots a value of a type takes.
fn width<'a>(op: Op<'a>, ty: Type<'a>) -> Result<usize, Diag<'a>> {
    // An address is no type of the IR; it takes one slot.
    let is_address = ty == melior::dialect::llvm::r#type::pointer(op.context(), 0);
    slots(ty).or(is_address.then_some(1)).ok_or_else(|| {
        diag::error(
            op.location(),
            format!(
                "a value of type {ty} is kept in an object, a closure, an array or a variable here, which hold numbers, tensors, strings and \
                 each other only"
            ),
        )
    })
}
