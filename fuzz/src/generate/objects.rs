//! Features that stay on the host: objects, existentials, escaping closures, and recursion.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    pub(super) fn object(&mut self) {
        match self.random.below(10) {
            0 | 1 => self.field(),
            8 | 9 => self.loaded_from_a_keeper(),
            2 => {
                let (action, number) = (self.any(Ty::Action), self.any(Ty::I32));
                self.apply_closure(&action, &number, Ty::Action, Ty::I32);
            }
            3 | 4 => self.dynamic(),
            5 => {
                let (cell, number) = (self.any(Ty::Cell), self.any(Ty::I32));
                self.dynamic_call((&cell, Ty::Cell), "count", (&number, Ty::I32));
            }
            _ => self.recursive(),
        }
    }

    /// Reads or writes a field, or a part of one.
    fn field(&mut self) {
        let cell = self.any(Ty::Cell);
        let (field, ty) = *self.random.pick(&[("n", Ty::I32), ("f", Ty::Frame)]);
        let mut place = self.member_ref(&cell, field, ty);
        let mut part = ty;
        if ty == Ty::Frame && self.random.chance(50) {
            part = Ty::Floats;
            place = self.field_ref(&place, "f", ty, part);
        }
        if self.random.chance(50) {
            self.load(&place, part);
        } else {
            let value = self.any(part);
            self.line(&format!("tfx_host.store {value}, {place} : {part}"));
        }
    }

    fn loaded_from_a_keeper(&mut self) {
        let (action, part) = (self.any(Ty::Action), self.random.below(2));
        let (value, ty) = self.out_of_a_keeper(&action, part);
        self.values.push((value, ty));
    }

    /// Loads a closure (part 0) or an array (part 1) from an object, so that its value is unknown
    /// at compile time.
    pub(super) fn out_of_a_keeper(&mut self, action: &str, part: usize) -> (String, Ty) {
        const PARTS: [(&str, Ty); 2] = [("f", Ty::Action), ("l", Ty::Array)];
        let array = self.any(Ty::Array);
        let [keeper, place, value] = [(); 3].map(|()| self.fresh());
        let (of_action, of_array) = (Ty::Action.text(), Ty::Array.text());
        let (field, ty) = PARTS[part];
        self.lines([
            format!(
                "{keeper} = tfx_host.new({action}, {array}) : ({of_action}, {of_array}) -> !tfx_host.object<@Keeper>"
            ),
            format!(
                "{place} = tfx_host.member_ref {keeper}[\"{field}\"] : !tfx_host.object<@Keeper> -> {}",
                ty.reference()
            ),
            format!("{value} = tfx_host.load {place} : {}", ty.reference()),
        ]);
        (value, ty)
    }

    /// Calls a method of a type that is known only at run time.
    fn dynamic(&mut self) {
        let any = self.any(Ty::Any);
        let (method, ty) = *self.random.pick(&[
            ("count", Ty::I32),
            ("again", Ty::I32),
            ("spread", Ty::Vector),
        ]);
        let value = self.any(ty);
        self.dynamic_call((&any, Ty::Any), method, (&value, ty));
    }

    /// Calls a recursive function with a depth of at most three.
    fn recursive(&mut self) {
        let number = self.any(Ty::I32);
        let three = self.value(Ty::I32, "arith.constant 3 : i32");
        let low = self.value(Ty::I32, &format!("arith.andi {number}, {three} : i32"));
        match self.random.below(4) {
            0 => {
                self.called("gauss", &[(&low, Ty::I32)], Ty::I32);
            }
            1 => {
                let vector = self.any(Ty::Vector);
                let Some(variable) = self.variable(Ty::I32) else {
                    return;
                };
                self.value(Ty::Vector, &format!(
                    "func.call @pile({low}, {vector}, {variable}) : (i32, tensor<4xi32>, !tfx_host.ref<i32>) -> tensor<4xi32>"
                ));
            }
            2 => {
                let vector = self.any(Ty::Vector);
                self.called(
                    "even",
                    &[(&low, Ty::I32), (&vector, Ty::Vector)],
                    Ty::Vector,
                );
            }
            _ => {
                let (function, start) = (self.any(Ty::Function), self.any(Ty::I32));
                let of = Ty::Function.text();
                self.value(
                    Ty::I32,
                    &format!(
                        "func.call @climb({low}, {function}, {start}) : (i32, {of}, i32) -> i32"
                    ),
                );
            }
        }
    }
}
