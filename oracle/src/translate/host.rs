//! Operations of the host dialect: aggregates, variables, calls, observable effects.

use tfx_dialects::types::{HostType, host_type};
use tfx_ir::Op;

use super::{Fault, Translation};
use crate::code::{Action, Foreign};
use crate::library::{FunctionId, strings};
use crate::value::Value;

impl<'a> Translation<'_, 'a> {
    pub(super) fn host(&mut self, op: Op<'a>) -> Result<Option<Action<'a>>, Fault<'a>> {
        let operand_type = |index: usize| self.concrete(op.operand(index).ty());
        let field = op.string("field").unwrap_or_default();
        Ok(Some(match op.name().trim_start_matches("tfx_host.") {
            "make_struct" | "make_tuple" | "array" => Action::List,
            "extract" => Action::Element(self.field(op, operand_type(0), field)?),
            "insert" => Action::Insert(self.field(op, operand_type(1), field)?),
            "tuple_get" => Action::Element(op.integer("index").unwrap_or_default() as usize),
            "make_enum" => {
                let name = op.string("case_name").unwrap_or_default();
                Action::Case(self.case(op, self.concrete(op.result(0).ty()), name)?)
            }
            "enum_tag" => Action::Tag,
            "enum_payload" => {
                let name = op.string("case_name").unwrap_or_default();
                Action::Payload(self.case(op, operand_type(0), name)?)
            }
            "switch_enum" => self.switch_enum(op)?,
            "var" => Action::Variable,
            "load" => Action::Load,
            "store" => Action::Store,
            "field_ref" => match host_type(operand_type(0)) {
                Some(HostType::Ref(pointee)) => Action::Part(self.field(op, pointee, field)?),
                _ => return Ok(None),
            },
            "member_ref" => Action::Member(self.field(op, operand_type(0), field)?),
            "call" => self.call(op)?,
            "closure" => Action::Closure(self.callee(op, "callee")?),
            "apply" => Action::Apply,
            "prefetch" => Action::Prefetch(self.callee(op, "callee")?),
            "next" => Action::Next,
            "close" => Action::Close,
            "witness_call" => {
                let conforming = op.type_attribute("conforming").map(|ty| self.concrete(ty));
                let protocol = op.symbol("protocol").unwrap_or_default();
                let method = op.string("method").unwrap_or_default();
                let found = conforming.and_then(|ty| self.library.method(ty, protocol, method));
                let why = "no witness table says how the type conforms";
                self.call_of(op, found.ok_or_else(|| self.fault(op, why))?)
            }
            "dynamic_call" => Action::DynamicCall(op.string("method").unwrap_or_default()),
            "array_get" => Action::ArrayGet,
            "array_count" => Action::ArrayCount,
            "new" => Action::New(self.concrete(op.result(0).ty())),
            "erase" => {
                let ty = op.type_attribute("conforming");
                Action::Erase(ty.map_or_else(|| operand_type(0), |ty| self.concrete(ty)))
            }
            "string" => {
                let text = op.string("value").unwrap_or_default();
                Action::Constant(Value::String(text.as_bytes().into()))
            }
            "print" => Action::Print(op.string("format").unwrap_or_default(), self.numbers(op)),
            "assert" => Action::Assert(op.string("message").unwrap_or_default()),
            "abort" => Action::Abort(op.string("message").unwrap_or_default()),
            "unreachable" => Action::Unreachable,
            "undef" => Action::Constant(Value::Undefined),
            _ => return Ok(None),
        }))
    }

    fn switch_enum(&mut self, op: Op<'a>) -> Result<Action<'a>, Fault<'a>> {
        let ty = self.concrete(op.operand(0).ty());
        let first = usize::from(op.attribute("has_default").is_some());
        let names: Vec<_> = strings(op, "case_names").collect();
        let mut cases = Vec::with_capacity(names.len());
        for (index, name) in names.into_iter().enumerate() {
            let tag = self.case(op, ty, name)? as u64;
            cases.push((tag, self.edge(op, index + first)));
        }
        // Without a default all cases are listed, so any edge may represent the others.
        let otherwise = self.edge(op, 0);
        Ok(Action::Switch(cases.into(), otherwise))
    }

    pub(super) fn call(&self, op: Op<'a>) -> Result<Action<'a>, Fault<'a>> {
        let id = self.callee(op, "callee")?;
        Ok(self.call_of(op, id))
    }

    fn call_of(&self, op: Op<'a>, id: FunctionId) -> Action<'a> {
        let callee = self.library.op(id);
        match callee.is_declaration() {
            true => Action::Foreign(Foreign {
                name: callee.symbol_name().unwrap_or_default(),
                arguments: self.numbers(op),
                results: self.result_types(op).into(),
            }),
            false => Action::Call(id),
        }
    }
}
