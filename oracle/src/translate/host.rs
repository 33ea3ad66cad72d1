//! Operations of the host dialect: aggregates, variables, calls, observable effects.

use tfx_dialects::host::{HostOp, SwitchEnum};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::Op;

use super::Translation;
use crate::code::{Action, Foreign};
use crate::error::Failure;
use crate::value::{FunctionId, Value};

impl<'a> Translation<'_, 'a> {
    pub(super) fn host(&mut self, host: HostOp<'a>) -> Result<Option<Action<'a>>, Failure<'a>> {
        let op = host.op();
        let operand_type = |index: usize| self.concrete(op.operand(index).ty());
        let result_type = || self.concrete(op.result(0).ty());
        Ok(Some(match host {
            HostOp::MakeStruct(_) | HostOp::MakeTuple(_) | HostOp::Array(_) => Action::List,
            HostOp::Extract(view) => {
                Action::Element(self.field(op, operand_type(0), view.field())?)
            }
            HostOp::Insert(view) => {
                Action::Insert(self.field(op, operand_type(1), view.field())?)
            }
            HostOp::TupleGet(view) => Action::Element(view.index() as usize),
            HostOp::MakeEnum(view) => {
                Action::Case(self.case(op, result_type(), view.case_name())?)
            }
            HostOp::EnumTag(_) => Action::Tag,
            HostOp::EnumPayload(view) => {
                Action::Payload(self.case(op, operand_type(0), view.case_name())?)
            }
            HostOp::SwitchEnum(view) => self.switch_enum(view)?,
            HostOp::Var(_) => Action::Variable,
            HostOp::Load(_) => Action::Load,
            HostOp::Store(_) => Action::Store,
            HostOp::FieldRef(view) => match host_type(operand_type(0)) {
                Some(HostType::Ref(pointee)) => {
                    Action::Part(self.field(op, pointee, view.field())?)
                }
                _ => return Ok(None),
            },
            HostOp::MemberRef(view) => {
                Action::Member(self.field(op, operand_type(0), view.field())?)
            }
            HostOp::Call(view) => self.call(op, view.callee())?,
            HostOp::Closure(view) => Action::Closure(self.callee(op, view.callee())?),
            HostOp::Apply(_) => Action::Apply,
            HostOp::Prefetch(view) => Action::Prefetch(self.callee(op, view.callee())?),
            HostOp::Next(_) => Action::Next,
            HostOp::Close(_) => Action::Close,
            HostOp::WitnessCall(view) => {
                let conforming = self.concrete(view.conforming());
                let method = self
                    .library
                    .method(conforming, view.protocol(), view.method());
                let why = "no witness table declares the conformance of the type";
                self.call_of(op, method.ok_or_else(|| Failure::new(op, why))?)
            }
            HostOp::DynamicCall(view) => Action::DynamicCall(view.method()),
            HostOp::ArrayGet(_) => Action::ArrayGet,
            HostOp::ArrayCount(_) => Action::ArrayCount,
            HostOp::ArraySet(_) => Action::ArraySet,
            HostOp::ArrayFill(_) => Action::ArrayFill,
            HostOp::New(_) => Action::New(result_type()),
            HostOp::Erase(view) => {
                let ty = view.conforming();
                Action::Erase(ty.map_or_else(|| operand_type(0), |ty| self.concrete(ty)))
            }
            HostOp::String(view) => Action::Constant(Value::String(view.value().as_bytes().into())),
            HostOp::Print(view) => Action::Print(view.format(), self.numbers(op)),
            HostOp::Assert(view) => {
                let numbers = view.values().iter().map(|value| self.number(value));
                Action::Assert(view.message(), numbers.collect())
            }
            HostOp::Abort(view) => Action::Abort(view.message(), self.numbers(op)),
            HostOp::Unreachable(_) => Action::Unreachable,
            HostOp::Undef(_) => Action::Constant(Value::Undefined),
            HostOp::Struct(_)
            | HostOp::Enum(_)
            | HostOp::Class(_)
            | HostOp::Protocol(_)
            | HostOp::WitnessTable(_) => return Ok(None),
        }))
    }

    fn switch_enum(&mut self, switch: SwitchEnum<'a>) -> Result<Action<'a>, Failure<'a>> {
        let op = switch.op();
        let ty = self.concrete(switch.value().ty());
        let first = usize::from(switch.has_default());
        let mut cases = Vec::new();
        for (index, name) in switch.case_names().into_iter().enumerate() {
            let tag = self.case(op, ty, name)? as u64;
            cases.push((tag, self.edge(op, index + first)));
        }
        // Without a default all cases are listed, so any edge may represent the others.
        let otherwise = self.edge(op, 0);
        Ok(Action::Switch(cases.into(), otherwise))
    }

    pub(super) fn call(&self, op: Op<'a>, callee: &str) -> Result<Action<'a>, Failure<'a>> {
        let id = self.callee(op, callee)?;
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
