//! Operations by chance, on values that are visible.

use std::fmt::Write;

use tfx_oracle::Random;

use super::Mix;
use super::types::Ty;

/// A function that may be called.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Ty>,
    pub(crate) results: Vec<Ty>,
    /// The last parameter is a reference to a variable of this type.
    pub(crate) inout: Option<Ty>,
}

/// A function that is being written.
pub(crate) struct Body<'g> {
    pub(crate) random: &'g mut Random,
    pub(crate) mix: &'g Mix,
    /// The functions that come after this one in the program, so that no call comes back.
    pub(crate) functions: &'g [Signature],
    pub(crate) text: String,
    /// What is visible where the text ends.
    pub(crate) values: Vec<(String, Ty)>,
    pub(crate) variables: Vec<(String, Ty)>,
    /// How deep it is in loops and branches with regions.
    depth: usize,
    next: usize,
}

/// Regions are not nested deeper than this by one statement.
const MAX_DEPTH: usize = 2;

impl<'g> Body<'g> {
    pub(crate) fn new(random: &'g mut Random, mix: &'g Mix, functions: &'g [Signature]) -> Self {
        Body {
            random,
            mix,
            functions,
            text: String::new(),
            values: Vec::new(),
            variables: Vec::new(),
            depth: 0,
            next: 0,
        }
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(crate) fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// An operation with one result, which is visible from here on.
    pub(crate) fn value(&mut self, ty: Ty, operation: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {operation}"));
        self.values.push((name.clone(), ty));
        name
    }

    /// A value of a type: one that is there, or a new one.
    pub(crate) fn any(&mut self, ty: Ty) -> String {
        let known: Vec<_> = self
            .values
            .iter()
            .filter(|(_, known)| *known == ty)
            .collect();
        if known.is_empty() || self.random.chance(4) {
            return self.make(ty);
        }
        // The newest is taken more often, so that what is computed is used.
        match self.random.chance(50) {
            true => known[known.len() - 1].0.clone(),
            false => self.random.pick(&known).0.clone(),
        }
    }

    fn constant(&mut self) -> i64 {
        const CONSTANTS: [i64; 12] = [0, 1, 2, 3, 5, 7, 10, 100, -1, -2, -7, 2147483647];
        *self.random.pick(&CONSTANTS)
    }

    /// A new value, of parts that are there.
    pub(crate) fn make(&mut self, ty: Ty) -> String {
        let number = self.constant();
        match ty {
            Ty::I1 => match self.random.below(8) {
                0 => self.value(ty, "arith.constant true"),
                1 => self.value(ty, "arith.constant false"),
                2 | 3 => {
                    let truth = self.any(Ty::Truth);
                    self.value(ty, &format!("tfx_tensor.to_scalar {truth} : tensor<i1> -> i1"))
                }
                _ => self.compare(),
            },
            Ty::I32 if self.values.iter().any(|(_, known)| *known == Ty::I32) && self.random.chance(60) => {
                let (a, b) = (self.any(ty), self.any(ty));
                let name = *self.random.pick(&["addi", "subi", "xori"]);
                self.value(ty, &format!("arith.{name} {a}, {b} : i32"))
            }
            Ty::I64 | Ty::Index if self.random.chance(80) => {
                let number = self.any(Ty::I32);
                let name = if ty == Ty::I64 { "extsi" } else { "index_cast" };
                self.value(ty, &format!("arith.{name} {number} : i32 to {}", ty.text()))
            }
            Ty::F32 if self.random.chance(60) => {
                let number = self.any(Ty::I32);
                self.value(ty, &format!("arith.sitofp {number} : i32 to f32"))
            }
            Ty::Number if self.random.chance(80) => {
                let number = self.any(Ty::I32);
                self.value(ty, &format!("tfx_tensor.from_scalar {number} : i32"))
            }
            Ty::Matrix if self.random.chance(80) => {
                let (vector, shape) = (self.any(Ty::Vector), self.fresh());
                self.line(&format!("{shape} = tfx_tensor.const dense<2> : tensor<2xi32>"));
                self.value(ty, &format!(
                    "tfx_tensor.op \"Reshape\"({vector}, {shape}) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>"
                ))
            }
            Ty::I32 | Ty::I64 | Ty::Index => self.value(ty, &format!("arith.constant {number} : {}", ty.text())),
            Ty::F32 => {
                const FLOATS: [&str; 6] = ["0.0", "1.0", "-2.5", "0.5", "3.0", "100.0"];
                let float = *self.random.pick(&FLOATS);
                self.value(ty, &format!("arith.constant {float} : f32"))
            }
            Ty::Number | Ty::Vector | Ty::Matrix => {
                self.value(ty, &format!("tfx_tensor.const dense<{number}> : {}", ty.text()))
            }
            Ty::Floats => {
                const LISTS: [&str; 3] = ["[1.0, -2.0, 0.5, 3.0]", "0.25", "[0.0, 1.0, 2.0, 3.0]"];
                let list = *self.random.pick(&LISTS);
                self.value(ty, &format!("tfx_tensor.const dense<{list}> : tensor<4xf32>"))
            }
            Ty::Truth => {
                let (a, b) = (self.any(Ty::Number), self.any(Ty::Number));
                self.value(ty, &format!("tfx_tensor.op \"Less\"({a}, {b}) : (tensor<i32>, tensor<i32>) -> tensor<i1>"))
            }
            Ty::Point => self.aggregate("make_struct", ty, &[Ty::I32, Ty::Vector]),
            Ty::Frame => self.aggregate("make_struct", ty, &[Ty::Point, Ty::Floats]),
            Ty::Pair => self.aggregate("make_struct", ty, &[Ty::I32, Ty::Number]),
            Ty::Tuple => {
                let (n, v) = (self.any(Ty::I32), self.any(Ty::Vector));
                self.value(ty, &format!("tfx_host.make_tuple({n}, {v}) : i32, tensor<4xi32>"))
            }
            Ty::Choice => match self.random.below(3) {
                0 => self.aggregate("make_enum \"none\"", ty, &[]),
                1 => self.aggregate("make_enum \"one\"", ty, &[Ty::I32]),
                _ => self.aggregate("make_enum \"both\"", ty, &[Ty::Vector, Ty::I32]),
            },
            Ty::Array => {
                let list = [self.any(Ty::I32), self.any(Ty::I32), self.any(Ty::I32)].join(", ");
                self.value(ty, &format!("tfx_host.array({list}) : {}", ty.text()))
            }
            Ty::Function => self.function(),
            Ty::Map => match self.variable(Ty::Vector) {
                Some(variable) if self.random.chance(50) => self.value(ty, &format!(
                    "tfx_host.closure @remember({variable}) : (!tfx_host.ref<tensor<4xi32>>) -> {}", ty.text()
                )),
                _ => {
                    let vector = self.any(Ty::Vector);
                    self.value(ty, &format!("tfx_host.closure @shift_by({vector}) : (tensor<4xi32>) -> {}", ty.text()))
                }
            },
        }
    }

    fn function(&mut self) -> String {
        let ty = Ty::Function;
        match self.variable(Ty::I32) {
            Some(variable) if self.random.chance(40) => self.value(
                ty,
                &format!(
                    "tfx_host.closure @bump({variable}) : (!tfx_host.ref<i32>) -> {}",
                    ty.text()
                ),
            ),
            _ => {
                let (number, callee) = (
                    self.any(Ty::I32),
                    *self.random.pick(&["add_to", "add_to", "ask"]),
                );
                self.value(
                    ty,
                    &format!(
                        "tfx_host.closure @{callee}({number}) : (i32) -> {}",
                        ty.text()
                    ),
                )
            }
        }
    }

    fn aggregate(&mut self, operation: &str, ty: Ty, parts: &[Ty]) -> String {
        let values: Vec<_> = parts.iter().map(|&part| self.any(part)).collect();
        let types: Vec<_> = parts.iter().map(|part| part.text()).collect();
        self.value(
            ty,
            &format!(
                "tfx_host.{operation}({}) : ({}) -> {}",
                values.join(", "),
                types.join(", "),
                ty.text()
            ),
        )
    }

    pub(crate) fn variable(&mut self, ty: Ty) -> Option<String> {
        let known: Vec<_> = self
            .variables
            .iter()
            .filter(|(_, known)| *known == ty)
            .collect();
        match known.is_empty() {
            true => None,
            false => Some(self.random.pick(&known).0.clone()),
        }
    }

    fn compare(&mut self) -> String {
        const PREDICATES: [&str; 6] = ["eq", "ne", "slt", "sle", "ugt", "sge"];
        let predicate = *self.random.pick(&PREDICATES);
        let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
        self.value(Ty::I1, &format!("arith.cmpi {predicate}, {a}, {b} : i32"))
    }

    /// Lets the newest value be seen, so that what computes it is not dead.
    pub(crate) fn use_newest(&mut self) {
        let Some((name, ty)) = self.values.last().cloned() else {
            return;
        };
        match ty {
            Ty::I32 if self.random.chance(50) => {
                self.line(&format!("func.call @observe({name}) : (i32) -> ()"))
            }
            Ty::Vector if self.random.chance(30) => {
                self.value(
                    ty,
                    &format!("func.call @turn({name}) : (tensor<4xi32>) -> tensor<4xi32>"),
                );
            }
            _ if Ty::SHOWN.contains(&ty) => self.line(&format!(
                "tfx_host.print \"u {{}}\"({name}) : {}",
                ty.text()
            )),
            _ => {}
        }
    }

    /// Some operations.
    pub(crate) fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let mix = self.mix;
        type Statement<'g> = fn(&mut Body<'g>);
        let kinds: [(usize, Statement<'g>); 10] = [
            (mix.scalars, Self::scalar),
            (mix.tensors, Self::tensor),
            (mix.variables, Self::access),
            (mix.aggregates, Self::part),
            (mix.closures, Self::apply),
            (mix.generics, Self::generic),
            (mix.foreign, Self::foreign),
            (mix.prints, Self::print),
            (mix.calls, Self::call),
            (mix.regions, Self::region),
        ];
        let total: usize = kinds.iter().map(|(weight, _)| weight).sum();
        let mut left = self.random.below(total.max(1));
        for (weight, statement) in kinds {
            if left < weight {
                return statement(self);
            }
            left -= weight;
        }
    }

    fn scalar(&mut self) {
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
        let text = ty.text();
        match self.random.below(12) {
            0..4 => {
                let (a, b) = (self.any(ty), self.any(ty));
                let name = *self.random.pick(&WRAPPING);
                self.value(ty, &format!("arith.{name} {a}, {b} : {text}"));
            }
            4 => {
                // From 1 to 8, so that every quotient has a value.
                let (a, b) = (self.any(ty), self.any(ty));
                let seven = self.value(ty, &format!("arith.constant 7 : {text}"));
                let one = self.value(ty, &format!("arith.constant 1 : {text}"));
                let low = self.value(ty, &format!("arith.andi {b}, {seven} : {text}"));
                let divisor = self.value(ty, &format!("arith.addi {low}, {one} : {text}"));
                let name = *self.random.pick(&DIVISIONS);
                self.value(ty, &format!("arith.{name} {a}, {divisor} : {text}"));
            }
            5 => {
                let (a, b) = (self.any(ty), self.any(ty));
                let mask = self.value(ty, &format!("arith.constant 31 : {text}"));
                let amount = self.value(ty, &format!("arith.andi {b}, {mask} : {text}"));
                let name = *self.random.pick(&["shli", "shrsi", "shrui"]);
                self.value(ty, &format!("arith.{name} {a}, {amount} : {text}"));
            }
            6 => {
                let (condition, a, b) = (self.any(Ty::I1), self.any(ty), self.any(ty));
                self.value(ty, &format!("arith.select {condition}, {a}, {b} : {text}"));
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
                self.value(to, &format!("arith.{name} {number} : i32 to {}", to.text()));
            }
            _ => {
                let (from, name) = *self
                    .random
                    .pick(&[(Ty::I64, "trunci"), (Ty::Index, "index_cast")]);
                let wide = self.any(from);
                self.value(
                    Ty::I32,
                    &format!("arith.{name} {wide} : {} to i32", from.text()),
                );
            }
        }
    }

    fn tensor(&mut self) {
        const TWO: [&str; 6] = ["AddV2", "Sub", "Mul", "Maximum", "Minimum", "BitwiseXor"];
        let two = *self.random.pick(&TWO);
        let operation = |name: &str, list: &[(&str, Ty)], result: Ty| {
            let values: Vec<_> = list.iter().map(|(value, _)| *value).collect();
            let types: Vec<_> = list.iter().map(|(_, ty)| ty.text()).collect();
            format!(
                "tfx_tensor.op \"{name}\"({}) : ({}) -> {}",
                values.join(", "),
                types.join(", "),
                result.text()
            )
        };
        match self.random.below(12) {
            kind @ 0..5 => {
                let ty = [Ty::Vector, Ty::Vector, Ty::Number, Ty::Matrix, Ty::Floats][kind];
                let (a, b) = (self.any(ty), self.any(ty));
                let name = if ty == Ty::Floats && two == "BitwiseXor" {
                    "AddV2"
                } else {
                    two
                };
                self.value(ty, &operation(name, &[(&a, ty), (&b, ty)], ty));
            }
            5 => {
                let (a, b) = (self.any(Ty::Vector), self.any(Ty::Number));
                self.value(
                    Ty::Vector,
                    &operation(two, &[(&a, Ty::Vector), (&b, Ty::Number)], Ty::Vector),
                );
            }
            6 => {
                let a = self.any(Ty::Vector);
                let axis = self.value(Ty::Number, "tfx_tensor.const dense<0> : tensor<i32>");
                let name = *self.random.pick(&["Sum", "Max", "Min", "Prod"]);
                self.value(
                    Ty::Number,
                    &operation(name, &[(&a, Ty::Vector), (&axis, Ty::Number)], Ty::Number),
                );
            }
            7 => {
                let (a, b) = (self.any(Ty::Matrix), self.any(Ty::Matrix));
                self.value(
                    Ty::Matrix,
                    &operation("MatMul", &[(&a, Ty::Matrix), (&b, Ty::Matrix)], Ty::Matrix),
                );
            }
            8 => {
                let (scalar, tensor) = *self
                    .random
                    .pick(&[(Ty::I32, Ty::Number), (Ty::I1, Ty::Truth)]);
                let value = self.any(scalar);
                self.value(
                    tensor,
                    &format!("tfx_tensor.from_scalar {value} : {}", scalar.text()),
                );
            }
            9 => {
                // The graph decides.
                let (scalar, tensor) = *self
                    .random
                    .pick(&[(Ty::I32, Ty::Number), (Ty::I1, Ty::Truth)]);
                let value = self.any(tensor);
                self.value(
                    scalar,
                    &format!(
                        "tfx_tensor.to_scalar {value} : {} -> {}",
                        tensor.text(),
                        scalar.text()
                    ),
                );
            }
            10 => {
                let (truth, a, b) = (
                    self.any(Ty::Truth),
                    self.any(Ty::Vector),
                    self.any(Ty::Vector),
                );
                let list = [(&truth[..], Ty::Truth), (&a, Ty::Vector), (&b, Ty::Vector)];
                self.value(Ty::Vector, &operation("SelectV2", &list, Ty::Vector));
            }
            _ => {
                let ty = *self.random.pick(&[Ty::Vector, Ty::Floats, Ty::Number]);
                let marker = *self.random.pick(&["to_host", "to_accelerator"]);
                let value = self.any(ty);
                match self.random.chance(50) {
                    true => self.value(ty, &operation("Neg", &[(&value, ty)], ty)),
                    false => self.value(ty, &format!("tfx_comm.{marker} {value} : {}", ty.text())),
                };
            }
        }
    }

    /// Reads or writes a variable, or a field of one.
    fn access(&mut self) {
        if self.variables.is_empty() {
            return;
        }
        let (name, ty) = self.random.pick(&self.variables).clone();
        let reference = ty.reference();
        match self.random.below(4) {
            0 if ty == Ty::Point => {
                let (field, part) = *self.random.pick(&[("n", Ty::I32), ("v", Ty::Vector)]);
                let place = self.fresh();
                self.line(&format!(
                    "{place} = tfx_host.field_ref {name}[\"{field}\"] : {reference} -> {}",
                    part.reference()
                ));
                let value = self.any(part);
                self.line(&format!(
                    "tfx_host.store {value}, {place} : {}",
                    part.text()
                ));
            }
            0 if ty == Ty::Frame => {
                let (inner, place) = (self.fresh(), self.fresh());
                self.line(&format!(
                    "{inner} = tfx_host.field_ref {name}[\"p\"] : {reference} -> {}",
                    Ty::Point.reference()
                ));
                self.line(&format!(
                    "{place} = tfx_host.field_ref {inner}[\"n\"] : {} -> {}",
                    Ty::Point.reference(),
                    Ty::I32.reference()
                ));
                self.value(
                    Ty::I32,
                    &format!("tfx_host.load {place} : {}", Ty::I32.reference()),
                );
                let value = self.any(Ty::I32);
                self.line(&format!("tfx_host.store {value}, {place} : i32"));
            }
            0 | 1 => {
                self.value(ty, &format!("tfx_host.load {name} : {reference}"));
            }
            _ => {
                let value = self.any(ty);
                self.line(&format!("tfx_host.store {value}, {name} : {}", ty.text()));
            }
        }
    }

    fn part(&mut self) {
        let point = Ty::Point.text();
        match self.random.below(8) {
            0 => {
                let value = self.any(Ty::Point);
                let (field, part) = *self.random.pick(&[("n", Ty::I32), ("v", Ty::Vector)]);
                self.value(
                    part,
                    &format!(
                        "tfx_host.extract {value}[\"{field}\"] : {point} -> {}",
                        part.text()
                    ),
                );
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
                self.value(
                    part,
                    &format!(
                        "tfx_host.extract {value}[\"{field}\"] : {} -> {}",
                        Ty::Frame.text(),
                        part.text()
                    ),
                );
            }
            3 => {
                let value = self.any(Ty::Tuple);
                let (index, part) = *self.random.pick(&[(0, Ty::I32), (1, Ty::Vector)]);
                self.value(
                    part,
                    &format!("tfx_host.tuple_get {value}[{index}] : {}", Ty::Tuple.text()),
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
                self.value(
                    Ty::Index,
                    &format!("tfx_host.enum_tag {value} : {}", Ty::Choice.text()),
                );
            }
            _ => {
                let (array, index) = (self.any(Ty::Array), self.random.below(3));
                let index = self.value(Ty::Index, &format!("arith.constant {index} : index"));
                self.value(
                    Ty::I32,
                    &format!("tfx_host.array_get {array}[{index}] : {}", Ty::Array.text()),
                );
            }
        }
    }

    fn apply(&mut self) {
        let (function, part) = *self
            .random
            .pick(&[(Ty::Function, Ty::I32), (Ty::Map, Ty::Vector)]);
        let (closure, value) = (self.any(function), self.any(part));
        let (closure_type, text) = (function.text(), part.text());
        match self.random.chance(60) {
            true => self.value(
                part,
                &format!("tfx_host.apply {closure}({value}) : {closure_type}"),
            ),
            false => {
                let times = self.any(Ty::I32);
                self.value(part, &format!(
                    "tfx_host.call @repeat<[{text}]>({closure}, {times}, {value}) : ({closure_type}, i32, {text}) -> {text}"
                ))
            }
        };
    }

    fn generic(&mut self) {
        let ty = *self.random.pick(&Ty::DATA);
        let text = ty.text();
        match self.random.below(4) {
            0 => {
                let (condition, a, b) = (self.any(Ty::I1), self.any(ty), self.any(ty));
                self.value(ty, &format!("tfx_host.call @choose<[{text}]>({condition}, {a}, {b}) : (i1, {text}, {text}) -> {text}"));
            }
            1 => {
                let Some(variable) = self.variable(ty) else {
                    return;
                };
                let (value, reference) = (self.any(ty), ty.reference());
                self.value(ty, &format!("tfx_host.call @exchange<[{text}]>({variable}, {value}) : ({reference}, {text}) -> {text}"));
            }
            2 => {
                let ty = *self.random.pick(&[Ty::I32, Ty::Point]);
                let (value, by, text) = (self.any(ty), self.any(Ty::I32), ty.text());
                self.value(
                    Ty::I32,
                    &format!(
                        "tfx_host.call @measure<[{text}]>({value}, {by}) : ({text}, i32) -> i32"
                    ),
                );
            }
            _ => {
                let (value, pair) = (self.any(Ty::Pair), Ty::Pair.text());
                let (field, part) = *self.random.pick(&[("a", Ty::I32), ("b", Ty::Number)]);
                self.value(
                    part,
                    &format!(
                        "tfx_host.extract {value}[\"{field}\"] : {pair} -> {}",
                        part.text()
                    ),
                );
            }
        }
    }

    fn foreign(&mut self) {
        match self.random.below(7) {
            0 => {
                let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
                self.value(
                    Ty::I32,
                    &format!("func.call @mix({a}, {b}) : (i32, i32) -> i32"),
                );
            }
            1 => {
                let a = self.any(Ty::I32);
                self.value(Ty::I32, &format!("func.call @next({a}) : (i32) -> i32"));
            }
            2 => {
                self.value(Ty::I1, "func.call @decide() : () -> i1");
            }
            3 => {
                let a = self.any(Ty::I32);
                self.line(&format!("func.call @observe({a}) : (i32) -> ()"));
            }
            4 => {
                let a = self.any(Ty::Floats);
                self.value(
                    Ty::F32,
                    &format!("func.call @weigh({a}) : (tensor<4xf32>) -> f32"),
                );
            }
            5 => {
                let a = self.any(Ty::Vector);
                self.value(
                    Ty::Vector,
                    &format!("func.call @turn({a}) : (tensor<4xi32>) -> tensor<4xi32>"),
                );
            }
            _ => {
                let (a, b) = (self.any(Ty::Vector), self.any(Ty::I32));
                self.line(&format!(
                    "func.call @show({a}, {b}) : (tensor<4xi32>, i32) -> ()"
                ));
            }
        }
    }

    fn print(&mut self) {
        let ty = *self.random.pick(&Ty::SHOWN);
        let value = self.any(ty);
        self.next += 1;
        match self.random.chance(90) {
            true => self.line(&format!(
                "tfx_host.print \"p{} {{}}\"({value}) : {}",
                self.next,
                ty.text()
            )),
            // One that holds: what it needs crosses all the same.
            false => {
                let (number, one) = (
                    self.any(Ty::I32),
                    self.value(Ty::I32, "arith.constant 1 : i32"),
                );
                let odd = self.value(Ty::I32, &format!("arith.ori {number}, {one} : i32"));
                let even = self.value(Ty::I32, &format!("arith.xori {odd}, {one} : i32"));
                let holds = self.value(Ty::I1, &format!("arith.cmpi ne, {odd}, {even} : i32"));
                self.line(&format!("tfx_host.assert {holds}, \"odd and even\""));
            }
        }
    }

    fn call(&mut self) {
        if self.functions.is_empty() {
            return self.scalar();
        }
        let callee = self.random.pick(self.functions).clone();
        let mut arguments: Vec<_> = callee.parameters.iter().map(|&ty| self.any(ty)).collect();
        let mut types: Vec<_> = callee
            .parameters
            .iter()
            .map(|ty| ty.text().to_owned())
            .collect();
        if let Some(ty) = callee.inout {
            let Some(variable) = self.variable(ty) else {
                return;
            };
            arguments.push(variable);
            types.push(ty.reference());
        }
        let results: Vec<_> = callee.results.iter().map(|ty| ty.text()).collect();
        let names: Vec<_> = callee.results.iter().map(|_| self.fresh()).collect();
        let bound = match names.is_empty() {
            true => String::new(),
            false => format!("{} = ", names.join(", ")),
        };
        self.line(&format!(
            "{bound}func.call @{}({}) : ({}) -> ({})",
            callee.name,
            arguments.join(", "),
            types.join(", "),
            results.join(", ")
        ));
        self.values.extend(names.into_iter().zip(callee.results));
    }

    /// A loop or a branch that is structured in the source.
    fn region(&mut self) {
        if self.depth >= MAX_DEPTH {
            return self.scalar();
        }
        self.depth += 1;
        let ty = *self
            .random
            .pick(&[Ty::I32, Ty::Vector, Ty::Floats, Ty::Number]);
        let text = ty.text();
        match self.random.chance(50) {
            true => {
                let condition = self.any(Ty::I1);
                let before = self.any(ty);
                let name = self.fresh();
                self.line(&format!("{name} = scf.if {condition} -> {text} {{"));
                self.inside(ty, &before);
                self.line("} else {");
                self.inside(ty, &before);
                self.line("}");
                self.values.push((name, ty));
            }
            false => {
                let (start, carried) = (self.any(ty), self.fresh());
                let trips = 1 + self.random.below(4);
                let bounds = [0, trips, 1]
                    .map(|bound| self.value(Ty::Index, &format!("arith.constant {bound} : index")));
                let (name, index) = (self.fresh(), self.fresh());
                self.line(&format!(
                    "{name} = scf.for {index} = {} to {} step {} iter_args({carried} = {start}) -> {text} {{",
                    bounds[0], bounds[1], bounds[2]
                ));
                let visible = self.values.len();
                self.values.push((index, Ty::Index));
                self.values.push((carried.clone(), ty));
                self.inside(ty, &carried);
                self.values.truncate(visible);
                self.line("}");
                self.values.push((name, ty));
            }
        }
        self.depth -= 1;
    }

    /// Some statements and a yield; what they make is not visible after them.
    fn inside(&mut self, ty: Ty, otherwise: &str) {
        let visible = self.values.len();
        let count = 1 + self.random.below(3);
        self.statements(count);
        let result = match self.random.chance(70) {
            true => self.any(ty),
            false => otherwise.to_owned(),
        };
        self.line(&format!("scf.yield {result} : {}", ty.text()));
        self.values.truncate(visible);
    }

    /// Values for the arguments of a block, with their types: `(%a, %b : i32, f32)`, or nothing.
    pub(crate) fn handed(&mut self, types: &[Ty]) -> String {
        if types.is_empty() {
            return String::new();
        }
        let values: Vec<_> = types.iter().map(|&ty| self.any(ty)).collect();
        let texts: Vec<_> = types.iter().map(|ty| ty.text()).collect();
        let mut text = String::new();
        write!(text, "({} : {})", values.join(", "), texts.join(", "))
            .expect("writing to a string does not fail");
        text
    }
}
