//! Operations of `arith` and `math` with exact results, divisors that may be zero, and conditions
//! that are marked or constant.

use super::body::Body;
use super::types::Ty;

/// The divisions of integers.
pub(super) const DIVISIONS: [&str; 7] = [
    "divsi",
    "divui",
    "remsi",
    "remui",
    "floordivsi",
    "ceildivsi",
    "ceildivui",
];

impl Body<'_> {
    /// Marks some conditions as intentional copies.
    pub(super) fn marked(&mut self, condition: String) -> String {
        if self.mix.marks == 0 || !self.random.chance(self.mix.marks) {
            return condition;
        }
        let mark = *self.random.pick(&["to_host", "to_accelerator"]);
        self.value(Ty::I1, &format!("tfx_comm.{mark} {condition} : i1"))
    }

    /// Returns a constant for some conditions, directly or as a comparison.
    pub(super) fn constant_condition(&mut self) -> Option<String> {
        if self.mix.constants == 0 || !self.random.chance(self.mix.constants) {
            return None;
        }
        if self.random.chance(50) {
            let truth = *self.random.pick(&["true", "false"]);
            return Some(self.value(Ty::I1, &format!("arith.constant {truth}")));
        }
        let (a, b) = (self.constant(), self.constant());
        let [a, b] = [a, b].map(|it| self.value(Ty::I32, &format!("arith.constant {it} : i32")));
        Some(self.value(Ty::I1, &format!("arith.cmpi slt, {a}, {b} : i32")))
    }

    /// Writes a division that may fail. Its quotient is printed immediately, because an unused
    /// quotient need not be computed.
    pub(super) fn division(&mut self) {
        let ty = *self.random.pick(&[Ty::I32, Ty::I32, Ty::I64, Ty::Index]);
        let (a, b) = (self.any(ty), self.any(ty));
        // The low bits are rarely zero, so that most programs continue.
        let mask = self.value(ty, &format!("arith.constant 31 : {ty}"));
        let low = self.value(ty, &format!("arith.andi {b}, {mask} : {ty}"));
        let divisor = match self.random.chance(80) {
            true => low,
            false => b,
        };
        let name = *self.random.pick(&DIVISIONS);
        let quotient = self.value(ty, &format!("arith.{name} {a}, {divisor} : {ty}"));
        self.show("d", &quotient, ty);
    }

    /// Writes an operation whose result has the same bits on every machine and in every library.
    pub(super) fn math(&mut self) {
        match self.random.below(8) {
            0 | 1 => self.rounded(),
            2 | 3 => self.of_two_floats(),
            4 => self.bits(),
            5 => self.extended(),
            6 => self.narrow(),
            _ => self.whole(),
        }
    }

    fn rounded(&mut self) {
        const OPERATIONS: [&str; 9] = [
            "arith.negf",
            "math.absf",
            "math.ceil",
            "math.floor",
            "math.trunc",
            "math.round",
            "math.roundeven",
            "math.sqrt",
            "math.absf",
        ];
        let name = *self.random.pick(&OPERATIONS);
        let float = self.any(Ty::F32);
        if self.random.chance(70) {
            self.value(Ty::F32, &format!("{name} {float} : f32"));
            return;
        }
        let [wide, done] = [(); 2].map(|()| self.fresh());
        self.line(&format!("{wide} = arith.extf {float} : f32 to f64"));
        self.line(&format!("{done} = {name} {wide} : f64"));
        self.value(Ty::F32, &format!("arith.truncf {done} : f64 to f32"));
    }

    fn of_two_floats(&mut self) {
        const OPERATIONS: [&str; 6] = [
            "arith.remf",
            "arith.maximumf",
            "arith.minimumf",
            "arith.maxnumf",
            "arith.minnumf",
            "math.copysign",
        ];
        let name = *self.random.pick(&OPERATIONS);
        let (a, b) = (self.any(Ty::F32), self.any(Ty::F32));
        self.value(Ty::F32, &format!("{name} {a}, {b} : f32"));
    }

    fn bits(&mut self) {
        const OPERATIONS: [&str; 4] = ["absi", "ctlz", "cttz", "ctpop"];
        let name = *self.random.pick(&OPERATIONS);
        let ty = *self.random.pick(&[Ty::I32, Ty::I64]);
        let number = self.any(ty);
        self.value(ty, &format!("math.{name} {number} : {ty}"));
    }

    /// Writes a sum or a product with twice the width.
    fn extended(&mut self) {
        let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
        let (low, high) = (self.fresh(), self.fresh());
        let (name, other) = *self.random.pick(&[
            ("addui_extended", Ty::I1),
            ("mulsi_extended", Ty::I32),
            ("mului_extended", Ty::I32),
        ]);
        let types = match other {
            Ty::I1 => "i32, i1",
            _ => "i32",
        };
        self.line(&format!("{low}, {high} = arith.{name} {a}, {b} : {types}"));
        self.values.push((low, Ty::I32));
        self.values.push((high, other));
    }

    /// Writes arithmetic of 8 or 16 bits.
    fn narrow(&mut self) {
        const OPERATIONS: [&str; 9] = [
            "addi", "subi", "muli", "andi", "xori", "maxsi", "minui", "maxui", "minsi",
        ];
        let text = *self.random.pick(&["i8", "i16"]);
        let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
        let [x, y, z] = [(); 3].map(|()| self.fresh());
        let name = *self.random.pick(&OPERATIONS);
        let back = *self.random.pick(&["extsi", "extui"]);
        self.line(&format!("{x} = arith.trunci {a} : i32 to {text}"));
        self.line(&format!("{y} = arith.trunci {b} : i32 to {text}"));
        self.line(&format!("{z} = arith.{name} {x}, {y} : {text}"));
        self.value(Ty::I32, &format!("arith.{back} {z} : {text} to i32"));
    }

    /// Converts a float to an integer if it is in range, and a small number otherwise and for NaN.
    fn whole(&mut self) {
        let float = self.any(Ty::F32);
        let most = self.value(Ty::F32, "arith.constant 1000.0 : f32");
        let none = self.value(Ty::F32, "arith.constant 2.5 : f32");
        let size = self.value(Ty::F32, &format!("math.absf {float} : f32"));
        let fits = self.value(Ty::I1, &format!("arith.cmpf olt, {size}, {most} : f32"));
        let safe = self.select([&fits, &float, &none], Ty::F32);
        let ty = *self.random.pick(&[Ty::I32, Ty::I64]);
        self.value(ty, &format!("arith.fptosi {safe} : f32 to {ty}"));
    }
}
