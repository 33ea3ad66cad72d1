//! The rewriting of each operation to the leaves of its operands.

use std::ops::Range;
use std::rc::Rc;
use tfx_dialects::host;
use tfx_ir::ops::{arith, func};

use melior::ir::Type;
use melior::ir::attribute::{IntegerAttribute, TypeAttribute};
use melior::ir::r#type::{IntegerType, TupleType};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::pass::PassFailed;
use tfx_ir::{Builder, Op, Value};

use super::Scalarizer;
use crate::aggregates::leaf_names;
use crate::layout::{Layout, TAG_BITS};

impl<'a> Scalarizer<'a> {
    pub(super) fn operation(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        match op.name() {
            host::MakeStruct::NAME | host::MakeTuple::NAME => {
                let leaves = self.all_leaves_of(op.operands(), op)?;
                self.replace(op, leaves);
            }
            host::Extract::NAME | host::TupleGet::NAME => {
                let leaves = self.leaves_of(op.operand(0), op)?;
                let range = self.field(op, op.operand(0))?;
                self.replace(op, leaves[range].to_vec());
            }
            host::Insert::NAME => {
                let inserted = self.leaves_of(op.operand(0), op)?;
                let mut leaves = self.leaves_of(op.operand(1), op)?;
                let range = self.field(op, op.operand(1))?;
                leaves.splice(range, inserted);
                self.replace(op, leaves);
            }
            host::MakeEnum::NAME => self.make_enum(op)?,
            host::EnumTag::NAME => self.enum_tag(op)?,
            host::EnumPayload::NAME => self.enum_payload(op)?,
            host::Undef::NAME | host::Var::NAME => self.split(op)?,
            host::FieldRef::NAME => {
                let leaves = self.leaves_of(op.operand(0), op)?;
                let range = self.field(op, op.operand(0))?;
                self.replace(op, leaves[range].to_vec());
            }
            host::MemberRef::NAME => self.member_ref(op)?,
            host::Load::NAME => self.load(op)?,
            host::Store::NAME => self.store(op)?,
            host::Array::NAME => self.array(op)?,
            host::ArrayGet::NAME => self.array_get(op)?,
            host::ArrayCount::NAME => {
                let leaves = self.leaves_of(op.operand(0), op)?;
                op.set_operand(0, leaves[0]);
            }
            host::Erase::NAME => self.erase(op)?,
            arith::Select::NAME => self.select(op)?,
            func::Call::NAME
            | host::Apply::NAME
            | host::Closure::NAME
            | host::New::NAME
            | host::DynamicCall::NAME => self.flatten(op)?,
            func::Return::NAME if op.parent().is_some_and(|func| func.isa::<func::Func>()) => {
                if op.operands().any(|value| self.leaves.contains_key(&value)) {
                    let leaves = self.all_leaves_of(op.operands(), op)?;
                    op.set_operands(&leaves);
                }
            }
            _ if op.num_successors() > 0 => self.branch(op)?,
            _ => self.keep(op)?,
        }
        Ok(())
    }

    fn layout(&mut self, value: Value<'a>, user: Op<'a>) -> Result<Rc<Layout<'a>>, PassFailed> {
        let layout = self.layouts.of(value.ty(), user.location())?;
        Ok(layout.expect("the verifier checks that it is an aggregate"))
    }

    /// Returns the leaves of `aggregate` that a field access selects.
    fn field(&mut self, op: Op<'a>, aggregate: Value<'a>) -> Result<Range<usize>, PassFailed> {
        let name = match op.string("field") {
            Some(name) => name.to_owned(),
            None => {
                let index = op
                    .attribute("index")
                    .and_then(|index| IntegerAttribute::try_from(index).ok());
                index
                    .expect("the verifier checks the index")
                    .value()
                    .to_string()
            }
        };
        let layout = self.layout(aggregate, op)?;
        Ok(layout.range(&name).expect("the verifier checks the name"))
    }

    /// Replaces a variable or an undefined value by one for each leaf.
    fn split(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(layout) = self.layouts.of(op.result(0).ty(), op.location())? else {
            return Ok(());
        };
        let mut builder = Builder::before(op);
        let leaves = layout
            .leaves
            .iter()
            .map(|leaf| builder.op(op.name()).result(*leaf).value())
            .collect();
        self.replace(op, leaves);
        Ok(())
    }

    /// Rewrites an operation with any number of operands and results to take and return leaves.
    fn flatten(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let operands = self.all_leaves_of(op.operands(), op)?;
        let mut types = Vec::new();
        let mut ranges = Vec::new();
        for result in op.results() {
            let start = types.len();
            types.extend(self.layouts.leaves(result.ty(), op.location())?);
            ranges.push(start..types.len());
        }
        if types == op.result_types() {
            if !operands.iter().copied().eq(op.operands()) {
                op.set_operands(&operands);
            }
            return Ok(());
        }
        let mut builder = Builder::before(op);
        let mut flat = builder.op(op.name()).operands(&operands).results(&types);
        for (name, attribute) in op.attributes() {
            flat = flat.attribute(name, attribute);
        }
        let results: Vec<_> = flat.build().results().collect();
        for (result, range) in op.results().zip(ranges) {
            self.stand_for(result, results[range].to_vec());
        }
        self.dead.push(op);
        Ok(())
    }
}

/// Enums.
impl<'a> Scalarizer<'a> {
    fn make_enum(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let layout = self.layout(op.result(0), op)?;
        let name = op.string("case_name").unwrap_or_default();
        let (tag, case) = layout.case(name).expect("the verifier checks the name");
        let mut leaves = vec![None; layout.leaves.len()];
        let mut builder = Builder::before(op);
        leaves[0] = Some(builder.constant_int(tag as i64, layout.leaves[0]));
        for (value, slots) in op.operands().zip(&case.payload) {
            let values = self.leaves_of(value, op)?;
            for (slot, value) in slots.iter().zip(values) {
                leaves[*slot] = Some(value);
            }
        }
        let leaves = leaves.into_iter().zip(&layout.leaves).map(|(leaf, ty)| {
            leaf.unwrap_or_else(|| builder.op(host::Undef::NAME).result(*ty).value())
        });
        let leaves = leaves.collect();
        self.replace(op, leaves);
        Ok(())
    }

    /// The tag is an integer; a cast of the index back to an integer takes it directly.
    fn enum_tag(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let tag = self.leaves_of(op.operand(0), op)?[0];
        let is_cast =
            |user: Op<'a>| user.isa::<arith::IndexCastUI>() && user.result(0).ty() == tag.ty();
        let users: Vec<_> = op.result(0).uses().map(|found| found.owner).collect();
        for cast in users.iter().filter(|user| is_cast(**user)) {
            cast.result(0).replace_all_uses_with(tag);
            self.dead.push(*cast);
        }
        if users.iter().all(|user| is_cast(*user)) {
            self.dead.push(op);
            return Ok(());
        }
        debug_assert_eq!(
            tag.ty(),
            IntegerType::new(op.context(), TAG_BITS).into(),
            "a tag is an integer"
        );
        let index = Builder::before(op)
            .op(arith::IndexCastUI::NAME)
            .operand(tag)
            .result(Type::index(op.context()))
            .value();
        self.replace(op, vec![index]);
        Ok(())
    }

    fn enum_payload(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let layout = self.layout(op.operand(0), op)?;
        let leaves = self.leaves_of(op.operand(0), op)?;
        let name = op.string("case_name").unwrap_or_default();
        let (_, case) = layout.case(name).expect("the verifier checks the name");
        for (result, slots) in op.results().zip(&case.payload) {
            self.stand_for(result, slots.iter().map(|slot| leaves[*slot]).collect());
        }
        self.dead.push(op);
        Ok(())
    }
}

/// Variables, objects, arrays.
impl<'a> Scalarizer<'a> {
    fn load(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(references) = self.leaves.get(&op.operand(0)).cloned() else {
            return Ok(());
        };
        let mut builder = Builder::before(op);
        let load = |reference: Value<'a>| {
            let Some(HostType::Ref(ty)) = host_type(reference.ty()) else {
                unreachable!("leaves of references are references")
            };
            let load = builder.op(host::Load::NAME).operand(reference);
            load.result(ty).value()
        };
        let leaves: Vec<_> = references.into_iter().map(load).collect();
        self.loads
            .extend(leaves.iter().filter_map(|leaf| leaf.defining_op()));
        self.replace(op, leaves);
        Ok(())
    }

    fn store(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(references) = self.leaves.get(&op.operand(1)).cloned() else {
            return Ok(());
        };
        let values = self.leaves_of(op.operand(0), op)?;
        let mut builder = Builder::before(op);
        for (value, reference) in values.into_iter().zip(references) {
            builder
                .op(host::Store::NAME)
                .operands(&[value, reference])
                .build();
        }
        self.dead.push(op);
        Ok(())
    }

    /// A field of a class that is an aggregate became a field for each leaf.
    fn member_ref(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(HostType::Ref(pointee)) = host_type(op.result(0).ty()) else {
            unreachable!("the verifier gives it a reference type")
        };
        let Some(layout) = self.layouts.of(op.result(0).ty(), op.location())? else {
            return Ok(());
        };
        let field = op.string("field").unwrap_or_default();
        let names = leaf_names(&mut self.layouts, pointee, field, op.location())?;
        let mut builder = Builder::before(op);
        let leaves = names.iter().zip(&layout.leaves).map(|(name, ty)| {
            let member = builder.op(host::MemberRef::NAME).operand(op.operand(0));
            member.string("field", name).result(*ty).value()
        });
        let leaves = leaves.collect();
        self.replace(op, leaves);
        Ok(())
    }

    /// An array of aggregates becomes an array for each leaf.
    fn array(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(layout) = self.layouts.of(op.result(0).ty(), op.location())? else {
            return Ok(());
        };
        let elements = op
            .operands()
            .map(|element| self.leaves_of(element, op))
            .collect::<Result<Vec<_>, _>>()?;
        let mut builder = Builder::before(op);
        let mut leaves = Vec::new();
        for (index, ty) in layout.leaves.iter().enumerate() {
            // Elements without leaves are still counted.
            let values: Vec<_> = elements
                .iter()
                .map(|leaves| match leaves.get(index) {
                    Some(leaf) => *leaf,
                    None => builder.constant_bool(false),
                })
                .collect();
            leaves.push(
                builder
                    .op(host::Array::NAME)
                    .operands(&values)
                    .result(*ty)
                    .value(),
            );
        }
        self.replace(op, leaves);
        Ok(())
    }

    fn array_get(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let Some(arrays) = self.leaves.get(&op.operand(0)).cloned() else {
            return Ok(());
        };
        let types = self.layouts.leaves(op.result(0).ty(), op.location())?;
        let mut builder = Builder::before(op);
        let mut get = |(array, ty): (Value<'a>, &Type<'a>)| {
            let get = builder.op(host::ArrayGet::NAME);
            let get = get.operands(&[array, op.operand(1)]);
            get.result(*ty).value()
        };
        if types.is_empty() {
            // Nothing is read, but an index out of bounds aborts all the same.
            let counted = arrays[0];
            let Some(HostType::Array(bit)) = host_type(counted.ty()) else {
                unreachable!("an array of what has no leaves is one of bits")
            };
            get((counted, &bit));
        }
        let leaves = arrays.into_iter().zip(&types).map(get).collect();
        self.replace(op, leaves);
        Ok(())
    }

    /// A selection of aggregates becomes one for each leaf.
    fn select(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        if !self.is_aggregate(op.result(0).ty(), op.location())? {
            return Ok(());
        }
        let chosen = self.leaves_of(op.operand(1), op)?;
        let others = self.leaves_of(op.operand(2), op)?;
        let mut builder = Builder::before(op);
        let select = |(yes, no): (Value<'a>, Value<'a>)| {
            let select = builder.op(arith::Select::NAME);
            let select = select.operands(&[op.operand(0), yes, no]);
            select.result(yes.ty()).value()
        };
        let leaves = chosen.into_iter().zip(others).map(select).collect();
        self.replace(op, leaves);
        Ok(())
    }

    /// An existential keeps the leaves of an aggregate as a tuple, together with their former type.
    fn erase(&mut self, op: Op<'a>) -> Result<(), PassFailed> {
        let value = op.operand(0);
        if !self.is_aggregate(value.ty(), op.location())? {
            return Ok(());
        }
        let leaves = self.leaves_of(value, op)?;
        let types: Vec<_> = leaves.iter().map(|leaf| leaf.ty()).collect();
        let tuple = Builder::before(op)
            .op(host::MakeTuple::NAME)
            .operands(&leaves)
            .result(TupleType::new(op.context(), &types))
            .value();
        if op.type_attribute("conforming").is_none() {
            op.set_attribute("conforming", TypeAttribute::new(value.ty()));
        }
        op.set_operand(0, tuple);
        Ok(())
    }
}
