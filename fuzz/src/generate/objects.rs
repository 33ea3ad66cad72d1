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
                self.value(
                    Ty::I32,
                    &format!("tfx_host.apply {action}({number}) : {}", Ty::Action.text()),
                );
            }
            3 | 4 => self.dynamic(),
            5 => {
                let (of, method) = (Ty::Cell.text(), self.any(Ty::Cell));
                let number = self.any(Ty::I32);
                self.value(
                    Ty::I32,
                    &format!(
                        "tfx_host.dynamic_call {method}[\"count\"]({number}) : ({of}, i32) -> i32"
                    ),
                );
            }
            _ => self.recursive(),
        }
    }

    /// Reads or writes a field, or a part of one.
    fn field(&mut self) {
        let (cell, of) = (self.any(Ty::Cell), Ty::Cell.text());
        let (field, ty) = *self.random.pick(&[("n", Ty::I32), ("f", Ty::Frame)]);
        let mut place = self.fresh();
        self.line(&format!(
            "{place} = tfx_host.member_ref {cell}[\"{field}\"] : {of} -> {}",
            ty.reference()
        ));
        let mut part = ty;
        if ty == Ty::Frame && self.random.chance(50) {
            let (inner, from) = (self.fresh(), place);
            self.line(&format!(
                "{inner} = tfx_host.field_ref {from}[\"f\"] : {} -> {}",
                ty.reference(),
                Ty::Floats.reference()
            ));
            (place, part) = (inner, Ty::Floats);
        }
        if self.random.chance(50) {
            self.value(
                part,
                &format!("tfx_host.load {place} : {}", part.reference()),
            );
        } else {
            let value = self.any(part);
            self.line(&format!(
                "tfx_host.store {value}, {place} : {}",
                part.text()
            ));
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
        for line in [
            format!(
                "{keeper} = tfx_host.new({action}, {array}) : ({of_action}, {of_array}) -> !tfx_host.object<@Keeper>"
            ),
            format!(
                "{place} = tfx_host.member_ref {keeper}[\"{field}\"] : !tfx_host.object<@Keeper> -> {}",
                ty.reference()
            ),
            format!("{value} = tfx_host.load {place} : {}", ty.reference()),
        ] {
            self.line(&line);
        }
        (value, ty)
    }

    /// Calls a method of a type that is known only at run time.
    fn dynamic(&mut self) {
        let (any, of) = (self.any(Ty::Any), Ty::Any.text());
        let (method, ty) = *self.random.pick(&[
            ("count", Ty::I32),
            ("again", Ty::I32),
            ("spread", Ty::Vector),
        ]);
        let (value, text) = (self.any(ty), ty.text());
        self.value(
            ty,
            &format!(
                "tfx_host.dynamic_call {any}[\"{method}\"]({value}) : ({of}, {text}) -> {text}"
            ),
        );
    }

    /// Calls a recursive function with a depth of at most three.
    fn recursive(&mut self) {
        let number = self.any(Ty::I32);
        let three = self.value(Ty::I32, "arith.constant 3 : i32");
        let low = self.value(Ty::I32, &format!("arith.andi {number}, {three} : i32"));
        match self.random.below(4) {
            0 => {
                self.value(Ty::I32, &format!("func.call @gauss({low}) : (i32) -> i32"));
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
                self.value(
                    Ty::Vector,
                    &format!(
                        "func.call @even({low}, {vector}) : (i32, tensor<4xi32>) -> tensor<4xi32>"
                    ),
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
