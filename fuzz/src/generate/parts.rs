//! Variables, structs, tuples, enums and arrays.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    /// Reads or writes a variable, or a field of one.
    pub(super) fn access(&mut self) {
        if self.variables.is_empty() {
            return;
        }
        let (name, ty) = self.random.pick(&self.variables).clone();
        match self.random.below(4) {
            0 if ty == Ty::Point => {
                let (field, part) = *self.random.pick(&[("n", Ty::I32), ("v", Ty::Vector)]);
                let place = self.field_ref(&name, field, ty, part);
                let value = self.any(part);
                self.line(&format!("tfx_host.store {value}, {place} : {part}"));
            }
            0 if ty == Ty::Frame => {
                let inner = self.field_ref(&name, "p", ty, Ty::Point);
                let place = self.field_ref(&inner, "n", Ty::Point, Ty::I32);
                self.load(&place, Ty::I32);
                let value = self.any(Ty::I32);
                self.line(&format!("tfx_host.store {value}, {place} : i32"));
            }
            0 | 1 => {
                self.load(&name, ty);
            }
            _ => {
                let value = self.any(ty);
                self.line(&format!("tfx_host.store {value}, {name} : {ty}"));
            }
        }
    }
    pub(super) fn part(&mut self) {
        let point = Ty::Point.text();
        match self.random.below(13) {
            0 => {
                let value = self.any(Ty::Point);
                let (field, part) = *self.random.pick(&[("n", Ty::I32), ("v", Ty::Vector)]);
                self.extract(&value, field, Ty::Point, part);
            }
            1 => {
                let (value, number) = (self.any(Ty::Point), self.any(Ty::I32));
                self.value(
                    Ty::Point,
                    &format!("tfx_host.insert {number} into {value}[\"n\"] : i32, {point}"),
                );
            }
            2 => {
                let value = self.any(Ty::Frame);
                let (field, part) = *self.random.pick(&[("p", Ty::Point), ("f", Ty::Floats)]);
                self.extract(&value, field, Ty::Frame, part);
            }
            3 => {
                let value = self.any(Ty::Tuple);
                let (index, part) = *self.random.pick(&[(0, Ty::I32), (1, Ty::Vector)]);
                self.value(
                    part,
                    &format!("tfx_host.tuple_get {value}[{index}] : {}", Ty::Tuple),
                );
            }
            4 => {
                let (value, number) = (self.any(Ty::Choice), self.any(Ty::I32));
                self.value(Ty::I32, &format!("func.call @number_of({value}, {number}) : (!tfx_host.enum<@Choice>, i32) -> i32"));
            }
            5 => {
                let (value, vector) = (self.any(Ty::Choice), self.any(Ty::Vector));
                self.value(Ty::Vector, &format!("func.call @vector_of({value}, {vector}) : (!tfx_host.enum<@Choice>, tensor<4xi32>) -> tensor<4xi32>"));
            }
            6 => {
                let value = self.any(Ty::Choice);
                let tag = format!("tfx_host.enum_tag {value} : {}", Ty::Choice);
                let tag = self.value(Ty::Index, &tag);
                // A tag is eventually a number of 32 bits.
                if self.random.chance(60) {
                    let to = *self.random.pick(&[Ty::I32, Ty::I64]);
                    let cast = format!("arith.index_cast {tag} : index to {to}");
                    self.value(to, &cast);
                }
            }
            7 => {
                let value = self.any(Ty::Pair);
                let number = self.any(Ty::I32);
                let pair = Ty::Pair.text();
                self.value(
                    Ty::Pair,
                    &format!("tfx_host.insert {number} into {value}[\"a\"] : i32, {pair}"),
                );
            }
            8 | 11 => {
                let types = [
                    Ty::Point,
                    Ty::Tuple,
                    Ty::Pair,
                    Ty::Frame,
                    Ty::Choice,
                    Ty::Array,
                ];
                let ty = *self.random.pick(&types);
                let (condition, a, b) = (self.any(Ty::I1), self.any(ty), self.make(ty));
                self.select([&condition, &a, &b], ty);
            }
            kind => {
                let (array, element) = *self.random.pick(&[
                    (Ty::Array, Ty::I32),
                    (Ty::Array, Ty::I32),
                    (Ty::Points, Ty::Point),
                ]);
                let text = array.text();
                let value = self.any(array);
                let index = match kind {
                    9 => self.value(Ty::Index, "arith.constant 0 : index"),
                    _ => {
                        let number = self.any(Ty::Index);
                        let count = self
                            .value(Ty::Index, &format!("tfx_host.array_count {value} : {text}"));
                        self.value(Ty::Index, &format!("arith.remui {number}, {count} : index"))
                    }
                };
                self.value(
                    element,
                    &format!("tfx_host.array_get {value}[{index}] : {text}"),
                );
            }
        }
    }
}
