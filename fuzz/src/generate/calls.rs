//! Calls of closures, generic functions, foreign functions, and functions of the program.

use super::body::{Body, Signature};
use super::types::Ty;

impl Body<'_> {
    pub(super) fn apply(&mut self) {
        if self.random.chance(40) {
            return self.apply_chosen();
        }
        let (function, part) = *self
            .random
            .pick(&[(Ty::Function, Ty::I32), (Ty::Map, Ty::Vector)]);
        let (closure, value) = (self.any(function), self.any(part));
        let (closure_type, text) = (function.text(), part.text());
        match self.random.chance(60) {
            true => self.apply_closure(&closure, &value, function, part),
            false => {
                let times = self.any(Ty::I32);
                self.value(part, &format!(
                    "tfx_host.call @repeat<[{text}]>({closure}, {times}, {value}) : ({closure_type}, i32, {text}) -> {text}"
                ))
            }
        };
    }
    /// Closures that are chosen by control flow, forwarded, and created repeatedly.
    fn apply_chosen(&mut self) {
        match self.random.below(5) {
            4 => {
                let condition = self.any(Ty::I1);
                let (a, x) = (self.any(Ty::I32), self.any(Ty::I32));
                self.called(
                    "picked",
                    &[(&condition, Ty::I1), (&a, Ty::I32), (&x, Ty::I32)],
                    Ty::I32,
                );
            }
            0 => {
                let (n, k) = (self.any(Ty::I32), self.any(Ty::I32));
                self.called("renewed", &[(&n, Ty::I32), (&k, Ty::I32)], Ty::I32);
            }
            1 => {
                let condition = self.any(Ty::I1);
                let [a, b, x] = [(); 3].map(|()| self.any(Ty::I32));
                self.called(
                    "chosen",
                    &[
                        (&condition, Ty::I1),
                        (&a, Ty::I32),
                        (&b, Ty::I32),
                        (&x, Ty::I32),
                    ],
                    Ty::I32,
                );
            }
            2 => {
                let (n, a) = (self.any(Ty::I32), self.any(Ty::I32));
                let (vector, map) = (self.any(Ty::Vector), self.any(Ty::Map));
                let of = Ty::Map.text();
                self.value(Ty::Vector, &format!(
                    "func.call @exchanged({n}, {a}, {vector}, {map}) : (i32, i32, tensor<4xi32>, {of}) -> tensor<4xi32>"
                ));
            }
            _ => {
                let ty = *self.random.pick(&[Ty::Function, Ty::Map]);
                let (condition, a, b) = (self.any(Ty::I1), self.any(ty), self.any(ty));
                self.select([&condition, &a, &b], ty);
            }
        }
    }

    pub(super) fn generic(&mut self) {
        let ty = Ty::data(self.random, self.mix);
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
                let value = self.any(Ty::Pair);
                let (field, part) = *self.random.pick(&[("a", Ty::I32), ("b", Ty::Number)]);
                self.extract(&value, field, Ty::Pair, part);
            }
        }
    }
    /// Several scalars that the host has at the same time and a graph needs, or vice versa: they
    /// can be packed into one message.
    fn together(&mut self) {
        if self.random.chance(50) {
            let vector = self.any(Ty::Vector);
            let axis = self.axis();
            let [low, high] = ["Min", "Max"].map(|name| {
                let operation = format!(
                    "tfx_tensor.op \"{name}\"({vector}, {axis}) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>"
                );
                let tensor = self.value(Ty::Number, &operation);
                let scalar = format!("tfx_tensor.to_scalar {tensor} : tensor<i32> -> i32");
                self.value(Ty::I32, &scalar)
            });
            let mixed = format!("func.call @mix({low}, {high}) : (i32, i32) -> i32");
            self.value(Ty::I32, &mixed);
            return;
        }
        let condition = self.called("decide", &[], Ty::I1);
        let (a, b) = (self.any(Ty::I32), self.any(Ty::I1));
        let [one, other, truth, opposite] = [(); 4].map(|()| self.fresh());
        let [x, y, z, w] = [(); 4].map(|()| self.fresh());
        let types = "i32, i32, i1, i1";
        self.lines([
            format!("{one}, {other}, {truth}, {opposite} = scf.if {condition} -> ({types}) {{"),
            format!("{x} = func.call @next({a}) : (i32) -> i32"),
            format!("{y} = func.call @next({x}) : (i32) -> i32"),
            format!("{z} = func.call @decide() : () -> i1"),
            format!("{w} = func.call @decide() : () -> i1"),
            format!("scf.yield {x}, {y}, {z}, {w} : {types}"),
            "} else {".to_owned(),
            format!("scf.yield {a}, {a}, {b}, {b} : {types}"),
            "}".to_owned(),
        ]);
        let vector = self.any(Ty::Vector);
        let mut result = vector;
        for (operation, number) in [("AddV2", &one), ("Mul", &other)] {
            let number = self.tensor_of(number);
            result = self.combined(operation, &result, &number);
        }
        for truth in [truth, opposite] {
            let truth = self.value(Ty::Truth, &format!("tfx_tensor.from_scalar {truth} : i1"));
            let other = self.any(Ty::Vector);
            result = self.op(
                "SelectV2",
                &[
                    (&truth, Ty::Truth),
                    (&result, Ty::Vector),
                    (&other, Ty::Vector),
                ],
                Ty::Vector,
            );
        }
        self.show("t", &result, Ty::Vector);
    }

    pub(super) fn foreign(&mut self) {
        if self.random.chance(15) {
            return self.together();
        }
        match self.random.below(7) {
            0 => {
                let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
                self.called("mix", &[(&a, Ty::I32), (&b, Ty::I32)], Ty::I32);
            }
            1 => {
                let a = self.any(Ty::I32);
                self.called("next", &[(&a, Ty::I32)], Ty::I32);
            }
            2 => {
                self.called("decide", &[], Ty::I1);
            }
            3 => {
                let a = self.any(Ty::I32);
                self.line(&format!("func.call @observe({a}) : (i32) -> ()"));
            }
            4 => {
                let a = self.any(Ty::Floats);
                self.called("weigh", &[(&a, Ty::Floats)], Ty::F32);
            }
            5 => {
                let a = self.any(Ty::Vector);
                self.called("turn", &[(&a, Ty::Vector)], Ty::Vector);
            }
            _ => {
                let (a, b) = (self.any(Ty::Vector), self.any(Ty::I32));
                self.line(&format!(
                    "func.call @show({a}, {b}) : (tensor<4xi32>, i32) -> ()"
                ));
            }
        }
    }
    pub(super) fn call(&mut self) {
        if self.functions.is_empty() {
            return self.scalar();
        }
        let callee = self.random.pick(self.functions).clone();
        // A function of tensor code stays a graph function if it is called more than once.
        let times = 1 + self.random.below(if callee.is_tensor_code { 3 } else { 2 });
        for _ in 0..times {
            self.call_of(&callee);
        }
    }

    fn call_of(&mut self, callee: &Signature) {
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
        self.values
            .extend(names.into_iter().zip(callee.results.iter().copied()));
    }
}
