//! Patterns that some pass looks for, and that are otherwise rare.

use super::body::Body;
use super::numbers::DIVISIONS;
use super::types::Ty;

impl Body<'_> {
    pub(super) fn pattern(&mut self) {
        match self.random.below(10) {
            0..3 => self.between_tensors(),
            3 => self.tag(),
            4 => self.several(),
            5 => self.renew(),
            6 | 7 => self.unordered(),
            _ => self.print_vector(),
        }
    }

    /// Writes scalar arithmetic between tensor operations, which the graph can compute. Some
    /// constants are large as unsigned numbers.
    fn between_tensors(&mut self) {
        let vector = self.any(Ty::Vector);
        let name = *self.random.pick(&["Sum", "Min", "Max"]);
        let tensor = self.reduced(name, &vector, Ty::Vector);
        let mut number = self.scalar_of(&tensor, Ty::I32);
        for _ in 0..1 + self.random.below(3) {
            number = self.step(&number);
        }
        let tensor = self.tensor_of(&number);
        let name = *self.random.pick(&["AddV2", "BitwiseXor"]);
        let result = self.combined(name, &vector, &tensor);
        self.show("g", &result, Ty::Vector);
    }

    /// Writes a decision about floats that may be NaN, which the graph can make.
    fn unordered(&mut self) {
        const PREDICATES: [&str; 14] = [
            "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
            "une", "uno",
        ];
        let floats = self.any(Ty::Floats);
        let axis = self.axis();
        let [tensor, float, truth] = [(); 3].map(|()| self.fresh());
        self.line(&format!(
            "{tensor} = tfx_tensor.op \"Max\"({floats}, {axis}) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>"
        ));
        self.line(&format!(
            "{float} = tfx_tensor.to_scalar {tensor} : tensor<f32> -> f32"
        ));
        let none = self.value(Ty::F32, &format!("arith.subf {float}, {float} : f32"));
        let not_a_number = self.value(Ty::F32, &format!("arith.divf {none}, {none} : f32"));
        let one = self.value(Ty::F32, "arith.constant 1.0 : f32");
        let operands = [float, not_a_number, one];
        let (a, b) = (
            self.random.pick(&operands).clone(),
            self.random.pick(&operands).clone(),
        );
        let predicate = *self.random.pick(&PREDICATES);
        let holds = self.value(Ty::I1, &format!("arith.cmpf {predicate}, {a}, {b} : f32"));
        let vector = self.any(Ty::Vector);
        self.line(&format!("{truth} = tfx_tensor.from_scalar {holds} : i1"));
        let zero = self.value(Ty::Vector, "tfx_tensor.const dense<0> : tensor<4xi32>");
        let chosen = self.op(
            "SelectV2",
            &[
                (&truth, Ty::Truth),
                (&vector, Ty::Vector),
                (&zero, Ty::Vector),
            ],
            Ty::Vector,
        );
        self.show("n", &chosen, Ty::Vector);
    }

    /// Writes an operation on a number, in one of three types, with a constant for which the result
    /// is always defined.
    fn step(&mut self, number: &str) -> String {
        const ANY: [&str; 8] = [
            "maxui", "minui", "maxsi", "minsi", "subi", "muli", "xori", "andi",
        ];
        const SHIFTS: [&str; 3] = ["shli", "shrsi", "shrui"];
        const DIVISORS: [i64; 6] = [1, 2, 3, 7, -3, -100];
        if self.random.chance(20) {
            return self.decided(number);
        }
        let (name, by) = match self.random.below(4) {
            0 | 1 => (*self.random.pick(&DIVISIONS), *self.random.pick(&DIVISORS)),
            2 => (*self.random.pick(&SHIFTS), 1 + self.random.below(31) as i64),
            _ => (*self.random.pick(&ANY), self.constant()),
        };
        let (ty, there, back) = *self.random.pick(&[
            (Ty::I32, "", ""),
            (Ty::I32, "", ""),
            (Ty::I64, "extsi", "trunci"),
            (Ty::I64, "extui", "trunci"),
            (Ty::Index, "index_cast", "index_cast"),
            (Ty::Index, "index_castui", "index_cast"),
        ]);
        let number = match there {
            "" => number.to_owned(),
            _ => self.value(ty, &format!("arith.{there} {number} : i32 to {ty}")),
        };
        let by = self.value(ty, &format!("arith.constant {by} : {ty}"));
        let result = self.value(ty, &format!("arith.{name} {number}, {by} : {ty}"));
        match back {
            "" => result,
            _ => self.value(Ty::I32, &format!("arith.{back} {result} : {ty} to i32")),
        }
    }

    /// Writes a decision about a number, and converts it to a number.
    fn decided(&mut self, number: &str) -> String {
        const PREDICATES: [&str; 10] = [
            "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
        ];
        let predicate = *self.random.pick(&PREDICATES);
        let by = self.constant();
        let by = self.value(Ty::I32, &format!("arith.constant {by} : i32"));
        let holds = self.value(
            Ty::I1,
            &format!("arith.cmpi {predicate}, {number}, {by} : i32"),
        );
        match self.random.below(3) {
            0 => self.select([&holds, number, &by], Ty::I32),
            1 => self.value(Ty::I32, &format!("arith.extui {holds} : i1 to i32")),
            _ => self.value(Ty::I32, &format!("arith.extsi {holds} : i1 to i32")),
        }
    }

    /// Writes the tag of an enum in another type than the final one.
    fn tag(&mut self) {
        let choice = self.any(Ty::Choice);
        let of = Ty::Choice.text();
        let tag = self.value(Ty::Index, &format!("tfx_host.enum_tag {choice} : {of}"));
        let cast = *self.random.pick(&["index_cast", "index_castui"]);
        let wide = self.value(Ty::I64, &format!("arith.{cast} {tag} : index to i64"));
        let other = self.any(Ty::I64);
        let sum = self.value(Ty::I64, &format!("arith.addi {wide}, {other} : i64"));
        self.show("e", &sum, Ty::I64);
    }

    /// Writes several numbers of one or two types that the host computes from other numbers, so
    /// that it sends the results.
    fn several(&mut self) {
        let start = self.any(Ty::I32);
        let mut sources = vec![start];
        for _ in 0..3 {
            let from = sources[sources.len() - 1].clone();
            sources.push(self.called("next", &[(&from, Ty::I32)], Ty::I32));
        }
        let mut result = self.any(Ty::Vector);
        let types = *self.random.pick(&[
            [Ty::Index, Ty::Index],
            [Ty::I64, Ty::I64],
            [Ty::I64, Ty::Index],
            [Ty::I32, Ty::I32],
        ]);
        for (ty, name) in types.into_iter().zip(["addi", "muli"]) {
            let mut made: Option<String> = None;
            for source in &sources[1..] {
                let source = match ty {
                    Ty::I64 => self.value(ty, &format!("arith.extsi {source} : i32 to i64")),
                    Ty::Index => {
                        self.value(ty, &format!("arith.index_cast {source} : i32 to index"))
                    }
                    _ => source.clone(),
                };
                made = Some(match made {
                    Some(made) => self.value(ty, &format!("arith.{name} {made}, {source} : {ty}")),
                    None => source,
                });
            }
            // Used twice, so that this number is sent, and not a number computed from it.
            let made = made.expect("there are sources");
            let by = self.value(ty, &format!("arith.constant 3 : {ty}"));
            let shifted = self.value(ty, &format!("arith.shrsi {made}, {by} : {ty}"));
            for number in [made, shifted] {
                result = self.added(&result, &number, ty);
            }
        }
        self.show("s", &result, Ty::Vector);
    }

    /// Adds a number to each element of a vector.
    fn added(&mut self, vector: &str, number: &str, ty: Ty) -> String {
        let number = match ty {
            Ty::I64 => self.value(Ty::I32, &format!("arith.trunci {number} : i64 to i32")),
            Ty::Index => self.value(
                Ty::I32,
                &format!("arith.index_cast {number} : index to i32"),
            ),
            _ => number.to_owned(),
        };
        let tensor = self.tensor_of(&number);
        self.combined("AddV2", vector, &tensor)
    }

    /// Writes a variable and reads it immediately.
    fn renew(&mut self) {
        if self.variables.is_empty() {
            return;
        }
        let (name, ty) = self.random.pick(&self.variables).clone();
        let value = self.any(ty);
        self.line(&format!("tfx_host.store {value}, {name} : {ty}"));
        let read = format!("tfx_host.load {name} : {}", ty.reference());
        self.value(ty, &read);
    }

    /// Prints a vector. A value that is printed only before an abort is copied only there.
    fn print_vector(&mut self) {
        let vector = self.any(Ty::Vector);
        self.show("v", &vector, Ty::Vector);
    }
}
