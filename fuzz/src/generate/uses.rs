//! Makes values observable, so that their computation is not dead.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    /// Prints the newest value, or a part of it.
    pub(super) fn use_newest(&mut self) {
        let Some((name, ty)) = self.values.last().cloned() else {
            return;
        };
        match ty {
            Ty::I32 if self.random.chance(50) => {
                self.line(&format!("func.call @observe({name}) : (i32) -> ()"))
            }
            Ty::Vector if self.random.chance(30) => {
                self.called("turn", &[(&name, ty)], ty);
            }
            _ if ty.is_shown() => self.show("u", &name, ty),
            _ => {
                let (part, operation) = self.part_of(&name, ty);
                let name = self.value(part, &operation);
                self.show("u", &name, part);
            }
        }
    }

    /// Returns a printable part of a value, with its type.
    fn part_of(&mut self, name: &str, ty: Ty) -> (Ty, String) {
        let field = |field: &str, part: Ty| {
            let operation = format!("tfx_host.extract {name}[\"{field}\"] : {ty} -> {part}");
            (part, operation)
        };
        let is_first = self.random.chance(50);
        match ty {
            Ty::Point if is_first => field("n", Ty::I32),
            Ty::Point => field("v", Ty::Vector),
            Ty::Frame => field("f", Ty::Floats),
            Ty::Pair if is_first => field("a", Ty::I32),
            Ty::Pair => field("b", Ty::Number),
            Ty::Tuple => {
                let (index, part) = if is_first {
                    (0, Ty::I32)
                } else {
                    (1, Ty::Vector)
                };
                (part, format!("tfx_host.tuple_get {name}[{index}] : {ty}"))
            }
            Ty::Choice => {
                let (callee, part) = match is_first {
                    true => ("number_of", Ty::I32),
                    false => ("vector_of", Ty::Vector),
                };
                let otherwise = self.any(part);
                let operation =
                    format!("func.call @{callee}({name}, {otherwise}) : ({ty}, {part}) -> {part}");
                (part, operation)
            }
            Ty::Array if is_first => (Ty::Index, format!("tfx_host.array_count {name} : {ty}")),
            Ty::Points if is_first => {
                let zero = self.value(Ty::Index, "arith.constant 0 : index");
                let point = self.value(
                    Ty::Point,
                    &format!("tfx_host.array_get {name}[{zero}] : {ty}"),
                );
                let of = Ty::Point.text();
                (
                    Ty::Vector,
                    format!("tfx_host.extract {point}[\"v\"] : {of} -> tensor<4xi32>"),
                )
            }
            Ty::Array => {
                let count = self.value(Ty::Index, &format!("tfx_host.array_count {name} : {ty}"));
                let number = self.any(Ty::Index);
                let index = format!("arith.remui {number}, {count} : index");
                let index = self.value(Ty::Index, &index);
                (
                    Ty::I32,
                    format!("tfx_host.array_get {name}[{index}] : {ty}"),
                )
            }
            Ty::Points => (Ty::Index, format!("tfx_host.array_count {name} : {ty}")),
            Ty::Function | Ty::Action => {
                let number = self.any(Ty::I32);
                (Ty::I32, format!("tfx_host.apply {name}({number}) : {ty}"))
            }
            Ty::Map => {
                let vector = self.any(Ty::Vector);
                (
                    Ty::Vector,
                    format!("tfx_host.apply {name}({vector}) : {ty}"),
                )
            }
            Ty::Lists => (Ty::I32, self.element_of_lists(name)),
            Ty::Maker => (Ty::I32, self.made_and_applied(name)),
            // An object or an existential.
            _ => {
                let (method, part) = match is_first {
                    true => ("count", Ty::I32),
                    false => ("spread", Ty::Vector),
                };
                let value = self.any(part);
                let operation = format!(
                    "tfx_host.dynamic_call {name}[\"{method}\"]({value}) : ({ty}, {part}) -> {part}"
                );
                (part, operation)
            }
        }
    }
}
