//! The rewriting of each operation to the leaves of its operands.

use std::ops::Range;
use std::rc::Rc;
use tfx_dialects::host::{self, HostOp};
use tfx_ir::ops::{arith, func};

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::diag::Diagnostic;
use tfx_ir::{Builder, Op, Value};

use super::Scalarizer;
use crate::aggregates::leaf_names;
use crate::layout::{Layout, TAG_BITS};

impl<'a> Scalarizer<'a> {
    pub(super) fn operation(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        match HostOp::cast(op) {
            Some(host) => self.host_operation(host),
            None => self.other_operation(op),
        }
    }

    fn host_operation(&mut self, op: HostOp<'a>) -> Result<(), Diagnostic<'a>> {
        match op {
            HostOp::MakeStruct(make) => {
                let leaves = self.all_leaves_of(make.fields().iter(), make.op())?;
                self.replace(make.op(), leaves);
                Ok(())
            }
            HostOp::MakeTuple(make) => {
                let leaves = self.all_leaves_of(make.elements().iter(), make.op())?;
                self.replace(make.op(), leaves);
                Ok(())
            }
            HostOp::Extract(op) => self.part(op.op(), op.aggregate(), op.field()),
            HostOp::TupleGet(op) => self.part(op.op(), op.tuple(), &op.index().to_string()),
            HostOp::FieldRef(op) => self.part(op.op(), op.reference(), op.field()),
            HostOp::Insert(op) => self.insert(op),
            HostOp::MakeEnum(op) => self.make_enum(op),
            HostOp::EnumTag(op) => self.enum_tag(op),
            HostOp::EnumPayload(op) => self.enum_payload(op),
            HostOp::Undef(_) | HostOp::Var(_) => self.split(op.op()),
            HostOp::MemberRef(op) => self.member_ref(op),
            HostOp::Load(op) => self.load(op),
            HostOp::Store(op) => self.store(op),
            HostOp::Array(op) => self.array(op),
            HostOp::ArrayGet(op) => self.array_get(op),
            HostOp::ArrayCount(count) => {
                let leaves = self.leaves_of(count.array(), count.op())?;
                count.set_array(leaves[0]);
                Ok(())
            }
            HostOp::ArraySet(op) => self.array_set(op),
            HostOp::ArrayFill(op) => self.array_fill(op),
            HostOp::Erase(op) => self.erase(op),
            HostOp::Apply(_) | HostOp::Closure(_) | HostOp::New(_) | HostOp::DynamicCall(_) => {
                self.flatten(op.op())
            }
            _ => self.other_operation(op.op()),
        }
    }

    fn other_operation(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        if let Some(select) = arith::Select::cast(op) {
            return self.select(select);
        }
        match op.name() {
            func::Call::NAME => self.flatten(op)?,
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

    fn layout(&mut self, value: Value<'a>, user: Op<'a>) -> Result<Rc<Layout<'a>>, Diagnostic<'a>> {
        let layout = self.layouts.of(value.ty(), user.location())?;
        Ok(layout.expect("the verifier checks that it is an aggregate"))
    }

    /// Replaces the access of a field of `aggregate` by the leaves of the field.
    fn part(
        &mut self,
        op: Op<'a>,
        aggregate: Value<'a>,
        field: &str,
    ) -> Result<(), Diagnostic<'a>> {
        let leaves = self.leaves_of(aggregate, op)?;
        let range = self.field(aggregate, field, op)?;
        self.replace(op, leaves[range].to_vec());
        Ok(())
    }

    fn insert(&mut self, op: host::Insert<'a>) -> Result<(), Diagnostic<'a>> {
        let inserted = self.leaves_of(op.value(), op.op())?;
        let mut leaves = self.leaves_of(op.aggregate(), op.op())?;
        let range = self.field(op.aggregate(), op.field(), op.op())?;
        leaves.splice(range, inserted);
        self.replace(op.op(), leaves);
        Ok(())
    }

    /// Returns the leaves of a field of `aggregate`.
    fn field(
        &mut self,
        aggregate: Value<'a>,
        field: &str,
        user: Op<'a>,
    ) -> Result<Range<usize>, Diagnostic<'a>> {
        let layout = self.layout(aggregate, user)?;
        Ok(layout.range(field).expect("the verifier checks the name"))
    }

    /// Replaces a variable or an undefined value by one for each leaf.
    fn split(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
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
    fn flatten(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
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
        let flat = builder.op(op.name()).operands(&operands).results(&types);
        let results: Vec<_> = flat.attributes_of(op).build().results().collect();
        for (result, range) in op.results().zip(ranges) {
            self.stand_for(result, results[range].to_vec());
        }
        self.dead.push(op);
        Ok(())
    }
}

/// Enums.
impl<'a> Scalarizer<'a> {
    fn make_enum(&mut self, make: host::MakeEnum<'a>) -> Result<(), Diagnostic<'a>> {
        let op = make.op();
        let layout = self.layout(make.result(), op)?;
        let case = layout.case(make.case_name());
        let (tag, case) = case.expect("the verifier checks the name");
        let mut leaves = vec![None; layout.leaves.len()];
        let mut builder = Builder::before(op);
        leaves[0] = Some(builder.constant_int(tag as i64, layout.leaves[0]));
        for (value, slots) in make.payload().iter().zip(&case.payload) {
            let values = self.leaves_of(value, op)?;
            for (slot, value) in slots.iter().zip(values) {
                leaves[*slot] = Some(value);
            }
        }
        let leaves = leaves.into_iter().zip(&layout.leaves).map(|(leaf, ty)| {
            leaf.unwrap_or_else(|| host::Undef::build(&mut builder, *ty).result())
        });
        let leaves = leaves.collect();
        self.replace(op, leaves);
        Ok(())
    }

    /// The tag is an integer; a cast of the index back to an integer takes it directly.
    fn enum_tag(&mut self, get: host::EnumTag<'a>) -> Result<(), Diagnostic<'a>> {
        let op = get.op();
        let tag = self.leaves_of(get.value(), op)?[0];
        let is_cast =
            |user: Op<'a>| user.isa::<arith::IndexCastUI>() && user.result(0).ty() == tag.ty();
        let users: Vec<_> = get.tag().uses().map(|found| found.owner).collect();
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
        let index = Type::index(op.context());
        let index = arith::IndexCastUI::build(&mut Builder::before(op), index, tag).out();
        self.replace(op, vec![index]);
        Ok(())
    }

    fn enum_payload(&mut self, get: host::EnumPayload<'a>) -> Result<(), Diagnostic<'a>> {
        let op = get.op();
        let layout = self.layout(get.value(), op)?;
        let leaves = self.leaves_of(get.value(), op)?;
        let case = layout.case(get.case_name());
        let (_, case) = case.expect("the verifier checks the name");
        for (result, slots) in op.results().zip(&case.payload) {
            self.stand_for(result, slots.iter().map(|slot| leaves[*slot]).collect());
        }
        self.dead.push(op);
        Ok(())
    }
}

/// Variables, objects, arrays.
impl<'a> Scalarizer<'a> {
    fn load(&mut self, op: host::Load<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(references) = self.leaves.get(&op.reference()).cloned() else {
            return Ok(());
        };
        let mut builder = Builder::before(op.op());
        let loads = references.into_iter();
        let loads = loads.map(|reference| host::Load::build(&mut builder, reference));
        let loads: Vec<_> = loads.collect();
        self.loads.extend(loads.iter().map(|load| load.op()));
        let leaves = loads.iter().map(|load| load.value()).collect();
        self.replace(op.op(), leaves);
        Ok(())
    }

    fn store(&mut self, op: host::Store<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(references) = self.leaves.get(&op.reference()).cloned() else {
            return Ok(());
        };
        let values = self.leaves_of(op.value(), op.op())?;
        let mut builder = Builder::before(op.op());
        for (value, reference) in values.into_iter().zip(references) {
            host::Store::build(&mut builder, value, reference);
        }
        self.dead.push(op.op());
        Ok(())
    }

    /// A field of a class that is an aggregate became a field for each leaf.
    fn member_ref(&mut self, op: host::MemberRef<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(HostType::Ref(pointee)) = host_type(op.result().ty()) else {
            unreachable!("the verifier gives it a reference type")
        };
        let Some(layout) = self.layouts.of(op.result().ty(), op.location())? else {
            return Ok(());
        };
        let names = leaf_names(&mut self.layouts, pointee, op.field(), op.location())?;
        let mut builder = Builder::before(op.op());
        let leaves = names.iter().zip(&layout.leaves);
        let leaves = leaves.map(|(name, ty)| {
            host::MemberRef::build(&mut builder, *ty, op.object(), name).result()
        });
        let leaves = leaves.collect();
        self.replace(op.op(), leaves);
        Ok(())
    }

    /// An array of aggregates becomes an array for each leaf.
    fn array(&mut self, op: host::Array<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(layout) = self.layouts.of(op.array().ty(), op.location())? else {
            return Ok(());
        };
        let elements = op.elements().iter();
        let elements = elements.map(|element| self.leaves_of(element, op.op()));
        let elements = elements.collect::<Result<Vec<_>, _>>()?;
        let mut builder = Builder::before(op.op());
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
            leaves.push(host::Array::build(&mut builder, *ty, &values).array());
        }
        self.replace(op.op(), leaves);
        Ok(())
    }

    fn array_get(&mut self, op: host::ArrayGet<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(arrays) = self.leaves.get(&op.array()).cloned() else {
            return Ok(());
        };
        let types = self.layouts.leaves(op.element().ty(), op.location())?;
        let mut builder = Builder::before(op.op());
        let mut get = |array| host::ArrayGet::build(&mut builder, array, op.index()).element();
        if types.is_empty() {
            // Nothing is read, but an index out of bounds aborts all the same.
            get(arrays[0]);
        }
        let leaves = arrays.into_iter().take(types.len()).map(get).collect();
        self.replace(op.op(), leaves);
        Ok(())
    }

    fn array_set(&mut self, op: host::ArraySet<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(arrays) = self.leaves.get(&op.array()).cloned() else {
            return Ok(());
        };
        let mut values = self.leaves_of(op.value(), op.op())?;
        let mut builder = Builder::before(op.op());
        if values.is_empty() {
            values.push(builder.constant_bool(false));
        }
        let leaves = arrays.into_iter().zip(values);
        let leaves = leaves.map(|(array, value)| {
            host::ArraySet::build(&mut builder, value, array, op.index()).result()
        });
        let leaves = leaves.collect();
        self.replace(op.op(), leaves);
        Ok(())
    }

    fn array_fill(&mut self, op: host::ArrayFill<'a>) -> Result<(), Diagnostic<'a>> {
        let Some(layout) = self.layouts.of(op.array().ty(), op.location())? else {
            return Ok(());
        };
        let mut values = self.leaves_of(op.value(), op.op())?;
        let mut builder = Builder::before(op.op());
        if values.is_empty() {
            values.push(builder.constant_bool(false));
        }
        let leaves = layout.leaves.iter().zip(values);
        let leaves = leaves.map(|(ty, value)| {
            host::ArrayFill::build(&mut builder, *ty, value, op.count()).array()
        });
        let leaves = leaves.collect();
        self.replace(op.op(), leaves);
        Ok(())
    }

    /// A selection of aggregates becomes one for each leaf.
    fn select(&mut self, select: arith::Select<'a>) -> Result<(), Diagnostic<'a>> {
        let op = select.op();
        if !self.is_aggregate(select.result().ty(), op.location())? {
            return Ok(());
        }
        let chosen = self.leaves_of(select.true_value(), op)?;
        let others = self.leaves_of(select.false_value(), op)?;
        let mut builder = Builder::before(op);
        let leaves = chosen
            .into_iter()
            .zip(others)
            .map(|(yes, no)| arith::Select::build(&mut builder, select.condition(), yes, no))
            .map(|select| select.result());
        let leaves = leaves.collect();
        self.replace(op, leaves);
        Ok(())
    }

    /// An existential keeps the leaves of an aggregate as a tuple, together with their former type.
    fn erase(&mut self, op: host::Erase<'a>) -> Result<(), Diagnostic<'a>> {
        let value = op.value();
        if !self.is_aggregate(value.ty(), op.location())? {
            return Ok(());
        }
        let leaves = self.leaves_of(value, op.op())?;
        if op.conforming().is_none() {
            op.set_conforming(Some(value.ty()));
        }
        // Several erasures of a tuple share it: what an earlier run has built is not built again.
        let made = value.defining_op().and_then(host::MakeTuple::cast);
        if let Some(make) = made
            && make.elements().iter().eq(leaves.iter().copied())
        {
            self.kept.insert(make.op());
            return Ok(());
        }
        let tuple = host::MakeTuple::build(&mut Builder::before(op.op()), &leaves);
        op.set_value(tuple.result());
        Ok(())
    }
}
