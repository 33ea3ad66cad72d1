//! Scalar arithmetic of the host.

use super::body::Body;
use super::mix::NOTED;
use super::types::Ty;

impl Body<'_> {
    pub(super) fn scalar(&mut self) {
        const WRAPPING: [&str; 10] = [
            "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui",
        ];
        const DIVISIONS: [&str; 6] = [
            "divsi",
            "remsi",
            "divui",
            "remui",
            "floordivsi",
            "ceildivsi",
        ];
        const FLOATS: [&str; 4] = ["addf", "subf", "mulf", "divf"];
        let ty = *self.random.pick(&[Ty::I32, Ty::I32, Ty::I64, Ty::Index]);
        match self.random.below(15) {
            0..4 => {
                let (a, b) = (self.any(ty), self.any(ty));
                let name = *self.random.pick(&WRAPPING);
                self.value(ty, &format!("arith.{name} {a}, {b} : {ty}"));
            }
            4 => {
                // Divisors from 1 to 8, so that every quotient is defined.
                let (a, b) = (self.any(ty), self.any(ty));
                let seven = self.value(ty, &format!("arith.constant 7 : {ty}"));
                let one = self.value(ty, &format!("arith.constant 1 : {ty}"));
                let low = self.value(ty, &format!("arith.andi {b}, {seven} : {ty}"));
                let divisor = self.value(ty, &format!("arith.addi {low}, {one} : {ty}"));
                let name = *self.random.pick(&DIVISIONS);
                self.value(ty, &format!("arith.{name} {a}, {divisor} : {ty}"));
            }
            5 => {
                let (a, b) = (self.any(ty), self.any(ty));
                let mask = self.value(ty, &format!("arith.constant 31 : {ty}"));
                let amount = self.value(ty, &format!("arith.andi {b}, {mask} : {ty}"));
                let name = *self.random.pick(&["shli", "shrsi", "shrui"]);
                self.value(ty, &format!("arith.{name} {a}, {amount} : {ty}"));
            }
            6 => {
                let (condition, a, b) = (self.any(Ty::I1), self.any(ty), self.any(ty));
                self.select([&condition, &a, &b], ty);
            }
            7 => {
                self.compare();
            }
            8 => {
                let (a, b) = (self.any(Ty::F32), self.any(Ty::F32));
                let name = *self.random.pick(&FLOATS);
                self.value(Ty::F32, &format!("arith.{name} {a}, {b} : f32"));
            }
            9 => {
                let (a, b) = (self.any(Ty::F32), self.any(Ty::F32));
                let predicate = *self
                    .random
                    .pick(&["oeq", "olt", "uge", "une", "ogt", "ult"]);
                self.value(Ty::I1, &format!("arith.cmpf {predicate}, {a}, {b} : f32"));
            }
            10 => {
                let number = self.any(Ty::I32);
                const CASTS: [(&str, Ty); 6] = [
                    ("sitofp", Ty::F32),
                    ("uitofp", Ty::F32),
                    ("extsi", Ty::I64),
                    ("extui", Ty::I64),
                    ("index_cast", Ty::Index),
                    ("index_castui", Ty::Index),
                ];
                let (name, to) = *self.random.pick(&CASTS);
                self.value(to, &format!("arith.{name} {number} : i32 to {to}"));
            }
            11 => {
                let (a, b) = (self.any(Ty::I1), self.any(Ty::I1));
                const BITS: [&str; 6] = ["andi", "ori", "xori", "addi", "subi", "muli"];
                let name = *self.random.pick(&BITS);
                self.value(Ty::I1, &format!("arith.{name} {a}, {b} : i1"));
            }
            12 => {
                let (a, b) = (self.any(Ty::I1), self.any(Ty::I1));
                const PREDICATES: [&str; 6] = ["eq", "ne", "slt", "sge", "ult", "uge"];
                let predicate = *self.random.pick(&PREDICATES);
                self.value(Ty::I1, &format!("arith.cmpi {predicate}, {a}, {b} : i1"));
            }
            13 => {
                let bit = self.any(Ty::I1);
                const CASTS: [(&str, Ty); 5] = [
                    ("extsi", Ty::I32),
                    ("extui", Ty::I32),
                    ("extsi", Ty::I64),
                    ("sitofp", Ty::F32),
                    ("uitofp", Ty::F32),
                ];
                let (name, to) = *self.random.pick(&CASTS);
                self.value(to, &format!("arith.{name} {bit} : i1 to {to}"));
            }
            _ if self.random.chance(30) => {
                let number = self.any(Ty::I32);
                self.value(Ty::I1, &format!("arith.trunci {number} : i32 to i1"));
            }
            _ => {
                const CASTS: [(&str, Ty, Ty); 4] = [
                    ("trunci", Ty::I64, Ty::I32),
                    ("index_cast", Ty::Index, Ty::I32),
                    ("index_cast", Ty::Index, Ty::I64),
                    ("index_cast", Ty::I64, Ty::Index),
                ];
                let (name, from, to) = *self.random.pick(&CASTS);
                let value = self.any(from);
                self.value(to, &format!("arith.{name} {value} : {from} to {to}"));
            }
        }
    }
    pub(super) fn compare(&mut self) -> String {
        const PREDICATES: [&str; 6] = ["eq", "ne", "slt", "sle", "ugt", "sge"];
        let predicate = *self.random.pick(&PREDICATES);
        let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
        self.value(Ty::I1, &format!("arith.cmpi {predicate}, {a}, {b} : i32"))
    }

    /// Writes a number that does not depend on the input, with computations of the given depth.
    pub(super) fn known(&mut self, depth: usize) -> String {
        let ty = Ty::I32;
        if depth == 0 {
            let number = self.random.below(8);
            return self.value(ty, &format!("arith.constant {number} : i32"));
        }
        let (a, b) = (self.known(depth - 1), self.known(depth - 1));
        match self.random.below(8) {
            0 => self.value(ty, &format!("arith.addi {a}, {b} : i32")),
            1 => self.value(ty, &format!("arith.muli {a}, {b} : i32")),
            2 => {
                let less = self.value(Ty::I1, &format!("arith.cmpi slt, {a}, {b} : i32"));
                self.value(ty, &format!("arith.select {less}, {a}, {b} : i32"))
            }
            // Calls with effects: one function is inlined, and the other one, which is recursive,
            // is not.
            3 if self.random.chance(self.mix.noted) => match self.mix.noted > NOTED {
                true if self.random.chance(50) => {
                    let three = self.value(ty, "arith.constant 3 : i32");
                    let low = self.value(ty, &format!("arith.andi {a}, {three} : i32"));
                    self.value(ty, &format!("func.call @tallied({low}) : (i32) -> i32"))
                }
                _ => self.value(ty, &format!("func.call @noted({a}) : (i32) -> i32")),
            },
            3 => self.value(
                ty,
                &format!("func.call @doubled({a}, {b}) : (i32, i32) -> i32"),
            ),
            4 => {
                let list = Ty::Array.text();
                let array = self.value(Ty::Array, &format!("tfx_host.array({a}, {b}) : {list}"));
                let index = self.random.below(2);
                let index = self.value(Ty::Index, &format!("arith.constant {index} : index"));
                self.value(ty, &format!("tfx_host.array_get {array}[{index}] : {list}"))
            }
            5 => {
                let tuple = self.fresh();
                self.line(&format!(
                    "{tuple} = tfx_host.make_tuple({a}, {b}) : i32, i32"
                ));
                let index = self.random.below(2);
                self.value(
                    ty,
                    &format!("tfx_host.tuple_get {tuple}[{index}] : tuple<i32, i32>"),
                )
            }
            6 => {
                let less = self.value(Ty::I1, &format!("arith.cmpi slt, {a}, {b} : i32"));
                let name = self.fresh();
                self.line(&format!("{name} = scf.if {less} -> i32 {{"));
                self.line(&format!("scf.yield {b} : i32"));
                self.line("} else {");
                self.line(&format!("scf.yield {a} : i32"));
                self.line("}");
                self.values.push((name.clone(), ty));
                name
            }
            _ => {
                let (variable, reference) = (self.fresh(), ty.reference());
                self.line(&format!("{variable} = tfx_host.var : {reference}"));
                self.line(&format!("tfx_host.store {a}, {variable} : i32"));
                self.line(&format!("tfx_host.store {b}, {variable} : i32"));
                self.value(ty, &format!("tfx_host.load {variable} : {reference}"))
            }
        }
    }
}
