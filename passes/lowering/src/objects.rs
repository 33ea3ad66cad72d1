//! The lowering of operations on boxes, and of objects, variables and references.
//!
//! ```text
//!   new(%w, %n) : object<@Model>      tfx_box_new(@tfx.box.0, 2); store %w to slot 0, %n to slot 1
//!   load (member_ref %m["w"])         load slot 0, retain
//!   store %x, (member_ref %m["w"])    load slot 0, store %x to it, release the former value
//! ```
//!
//! A reference to a field that does not escape, because it is only loaded and stored in place, is
//! not materialized: it is an address.
//!
//! Cost: linear in the operations; an access by name searches the fields of the class.

use std::collections::HashSet;

use melior::ir::Type;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::llvm;
use tfx_ir::{Builder, Op, Value};

use crate::boxes::{layout, replace};
use crate::calls::Calls;
use crate::globals::Field;
use crate::kinds::{Kind, is_handle};
use crate::ownership::Count;

/// The slot of a reference that holds the address of its target; the next slot keeps the target
/// alive.
const ADDRESS_SLOT: usize = 0;

/// Returns the references of a function that are not materialized.
pub(crate) fn addresses<'a>(function: Op<'a>) -> HashSet<Op<'a>> {
    let members = function.walk().filter_map(host::MemberRef::cast);
    members
        .filter(|&member| !escapes(member))
        .map(host::MemberRef::op)
        .collect()
}

fn escapes(member: host::MemberRef<'_>) -> bool {
    !member.result().uses().all(|found| {
        found.owner.isa::<host::Load>()
            || found.owner.isa::<host::Store>() && found.operand == host::Store::REFERENCE_INDEX
    })
}

/// Returns whether an operation moves that operand into a box.
pub(crate) fn consumes(op: Op<'_>, operand: usize) -> bool {
    match op.name() {
        host::New::NAME
        | host::Closure::NAME
        | host::Array::NAME
        | host::ArraySet::NAME
        | host::Erase::NAME => true,
        host::Store::NAME => operand == host::Store::VALUE_INDEX,
        host::MemberRef::NAME => host::MemberRef::cast(op).is_some_and(escapes),
        _ => false,
    }
}

impl<'a> Calls<'a> {
    /// Lowers the operations on boxes in a function to calls and memory accesses.
    pub(crate) fn lower_boxes(&mut self, function: Op<'a>) -> Result<(), Diagnostic<'a>> {
        let ops = function.walk().skip(1).filter_map(HostOp::cast);
        // After the accesses, a reference that does not escape has no use.
        let (accesses, others): (Vec<_>, Vec<_>) =
            ops.partition(|op| matches!(op, HostOp::Load(_) | HostOp::Store(_)));
        for op in accesses.into_iter().chain(others) {
            match op {
                HostOp::Load(op) => self.load(op)?,
                HostOp::Store(op) => self.store(op)?,
                HostOp::Var(op) => self.variable(op)?,
                HostOp::New(op) => self.object(op)?,
                HostOp::MemberRef(op) => self.member(op)?,
                HostOp::Array(op) => self.array_literal(op)?,
                HostOp::ArrayGet(op) => self.array_get(op)?,
                HostOp::ArrayCount(op) => self.array_count(op)?,
                HostOp::ArraySet(op) => self.array_set(op)?,
                HostOp::ArrayFill(op) => self.array_fill(op)?,
                HostOp::Closure(op) => self.closure(op)?,
                HostOp::Apply(op) => self.apply(op),
                HostOp::Erase(op) => self.erase(op)?,
                HostOp::DynamicCall(op) => self.dynamic_call(op)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn object(&mut self, op: host::New<'a>) -> Result<(), Diagnostic<'a>> {
        let name = op.object().ty().to_string();
        let object = self.new_box(op.op(), &name, &op.fields().to_vec())?;
        replace(op.op(), &[object]);
        Ok(())
    }

    fn variable(&mut self, op: host::Var<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(HostType::Ref(pointee)) = host_type(op.reference().ty()) else {
            return Ok(());
        };
        let variable = self.new_variable(op.op(), pointee)?;
        replace(op.op(), &[variable]);
        Ok(())
    }

    /// Allocates an uninitialized variable: a reference to its own second slot.
    pub(crate) fn new_variable(
        &mut self,
        op: Op<'a>,
        pointee: Type<'a>,
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        let (kinds, starts) = layout(op, &[self.pointer, pointee])?;
        let size = kinds.len();
        let variable = self.empty_box(op, "variable", kinds, size);
        let mut builder = Builder::before(op);
        let value = self.slot_address(&mut builder, variable, starts[1]);
        let address = self.slot_address(&mut builder, variable, ADDRESS_SLOT);
        self.store_to(&mut builder, address, value);
        Ok(variable)
    }

    /// Allocates a reference to a slot of a box, which becomes an owner of the box.
    pub(crate) fn new_reference(&mut self, op: Op<'a>, to: Value<'a>, slot: usize) -> Value<'a> {
        let kinds = vec![Kind::Plain as u8, Kind::Box as u8];
        let size = kinds.len();
        let reference = self.empty_box(op, "reference", kinds, size);
        let mut builder = Builder::before(op);
        let target = self.slot_address(&mut builder, to, slot);
        for (slot, value) in [(ADDRESS_SLOT, target), (ADDRESS_SLOT + 1, to)] {
            let address = self.slot_address(&mut builder, reference, slot);
            self.store_to(&mut builder, address, value);
        }
        reference
    }

    fn member(&mut self, op: host::MemberRef<'a>) -> Result<(), Diagnostic<'a>> {
        if op.is_unused() {
            op.erase();
            return Ok(());
        }
        let slot = self.field_slot(op)?;
        let reference = self.new_reference(op.op(), op.object(), slot);
        replace(op.op(), &[reference]);
        Ok(())
    }

    /// Returns the first slot of the field of a `member_ref`.
    fn field_slot(&self, member: host::MemberRef<'a>) -> Result<usize, Diagnostic<'a>> {
        let object = member.object().ty();
        let Some(HostType::Object {
            declaration: class, ..
        }) = host_type(object)
        else {
            return Ok(0);
        };
        let fields = self.declarations.fields(class, object);
        let types: Vec<_> = fields.iter().map(|&(_, ty)| ty).collect();
        let (_, starts) = layout(member.op(), &types)?;
        let index = fields.iter().position(|&(name, _)| name == member.field());
        Ok(index
            .and_then(|index| starts.get(index).copied())
            .unwrap_or_default())
    }

    /// Returns the address of the target of a reference.
    fn target(
        &mut self,
        builder: &mut Builder<'a>,
        reference: Value<'a>,
    ) -> Result<Value<'a>, Diagnostic<'a>> {
        if let Some(member) = field_address(reference) {
            let slot = self.field_slot(member)?;
            return Ok(self.slot_address(builder, member.object(), slot));
        }
        let address = self.slot_address(builder, reference, ADDRESS_SLOT);
        Ok(self.load_from(builder, address, self.pointer))
    }

    fn load(&mut self, op: host::Load<'a>) -> Result<(), Diagnostic<'a>> {
        let ty = op.value().ty();
        let mut builder = Builder::before(op.op());
        let address = self.target(&mut builder, op.reference())?;
        let value = self.load_from(&mut builder, address, ty);
        // A field is always initialized; a variable may not be.
        if is_handle(ty) && field_address(op.reference()).is_none() {
            self.check_initialized(op, &mut builder, value);
        }
        self.count(&mut builder, Count::Retain, value, ty);
        replace(op.op(), &[value]);
        Ok(())
    }

    fn check_initialized(
        &mut self,
        op: host::Load<'a>,
        builder: &mut Builder<'a>,
        value: Value<'a>,
    ) {
        const MESSAGE: &str = "the variable is read before anything is stored in it";
        let text = self.globals.shared_bytes(MESSAGE.as_bytes().to_vec());
        let null = self.address(builder, &Field::Null);
        let is_set = llvm::ICmp::build(builder, llvm::ICmpPredicate::Ne, value, null).res();
        let text = self.address(builder, &Field::Address(text));
        let size = self.integer(builder, 64, MESSAGE.len() as i64);
        let location = self.location(op.op());
        self.call(builder, "tfx_check", &[is_set, text, size, location]);
    }

    fn store(&mut self, op: host::Store<'a>) -> Result<(), Diagnostic<'a>> {
        let value = op.value();
        let ty = value.ty();
        let mut builder = Builder::before(op.op());
        let address = self.target(&mut builder, op.reference())?;
        // The former value is released last: it may be the only owner of other values.
        let former = is_handle(ty).then(|| self.load_from(&mut builder, address, ty));
        self.store_to(&mut builder, address, value);
        if let Some(former) = former {
            self.count(&mut builder, Count::Release, former, ty);
        }
        op.erase();
        Ok(())
    }
}

/// Returns the `member_ref` that defines a reference, if the reference is not materialized.
fn field_address(reference: Value<'_>) -> Option<host::MemberRef<'_>> {
    let member = host::MemberRef::cast(reference.defining_op()?)?;
    (!escapes(member)).then_some(member)
}
