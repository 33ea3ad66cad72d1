//! Loops with the same computation in each iteration, and code that may prevent hoisting it:
//! branches, other loops, effects, failures, written fields, and operations with state.

use super::body::Body;
use super::types::Ty;

/// The maximal number of regions around the computation, in addition to the outer loop.
const MAX_REGIONS: usize = 2;

/// The values from outside that a loop uses.
struct Outside {
    vector: String,
    number: String,
    /// An object, if one of its fields is read.
    cell: Option<String>,
    /// Numbers from 0 to 3, of type `index`.
    low: Vec<String>,
    conditions: Vec<String>,
}

impl Body<'_> {
    /// Writes a loop that prints an invariant value in each iteration, unless something in the loop
    /// changes it.
    pub(super) fn invariant(&mut self) {
        if self.depth > 0 {
            return self.tensor();
        }
        self.depth += 1;
        match self.random.below(6) {
            0 => self.drawn_in_a_loop(),
            _ => self.shown_in_a_loop(),
        }
        self.depth -= 1;
    }

    fn shown_in_a_loop(&mut self) {
        let outside = Outside {
            vector: self.any(Ty::Vector),
            number: self.evenly(Ty::I32),
            cell: self.random.chance(40).then(|| self.any(Ty::Cell)),
            low: self.low_numbers::<4>().to_vec(),
            conditions: (0..2).map(|_| self.evenly(Ty::I1)).collect(),
        };
        let regions = self.random.below(MAX_REGIONS + 1);
        let visible = self.values.len();
        let mut ends = vec![self.enter_loop(&outside.low)];
        for _ in 0..regions {
            if self.random.chance(20) {
                self.effect(&outside);
            }
            ends.push(match self.random.below(3) {
                0 => self.enter_loop(&outside.low),
                1 => self.enter_branch(&outside.conditions),
                _ => self.enter_case(&outside.low),
            });
        }
        if self.random.chance(30) {
            self.effect(&outside);
        }
        self.show_what_stays(&outside);
        if self.random.chance(50) {
            self.effect(&outside);
        }
        for end in ends.iter().rev() {
            self.line(end);
        }
        self.values.truncate(visible);
    }

    /// Starts a loop of a few iterations or of none. Returns the text that ends it.
    fn enter_loop(&mut self, bounds: &[String]) -> &'static str {
        let one = self.value(Ty::Index, "arith.constant 1 : index");
        let low = match self.random.chance(60) {
            true => self.value(Ty::Index, "arith.constant 0 : index"),
            false => self.random.pick(bounds).clone(),
        };
        let (high, signs) = match self.random.chance(30) {
            true => {
                let most = self.random.below(4);
                let high = self.value(Ty::Index, &format!("arith.constant {most} : index"));
                (high, "")
            }
            false => {
                let signs = *self.random.pick(&["", "unsigned "]);
                (self.random.pick(bounds).clone(), signs)
            }
        };
        let index = self.fresh();
        self.line(&format!(
            "scf.for {signs}{index} = {low} to {high} step {one} {{"
        ));
        "}"
    }

    fn enter_branch(&mut self, conditions: &[String]) -> &'static str {
        let condition = self.random.pick(conditions).clone();
        self.line(&format!("scf.if {condition} {{"));
        "}"
    }

    /// Starts a case of a switch, or its default. Returns the text that ends the switch.
    fn enter_case(&mut self, selectors: &[String]) -> &'static str {
        let selector = self.random.pick(selectors).clone();
        let of = self.random.below(4);
        self.line(&format!("scf.index_switch {selector}"));
        if self.random.chance(30) {
            self.line(&format!("case {of} {{"));
            self.line("scf.yield");
            self.line("}");
            self.line("default {");
            return "}";
        }
        self.line(&format!("case {of} {{"));
        "scf.yield\n  }\n  default {\n  }"
    }

    /// Returns numbers from 0 to 3, of type `index`, computed from values that were visible before.
    fn low_numbers<const COUNT: usize>(&mut self) -> [String; COUNT] {
        let sources = [(); COUNT].map(|()| self.evenly(Ty::I32));
        let three = self.value(Ty::I32, "arith.constant 3 : i32");
        sources.map(|number| {
            let by = self.random.below(4);
            let by = self.value(Ty::I32, &format!("arith.constant {by} : i32"));
            let sum = self.value(Ty::I32, &format!("arith.addi {number}, {by} : i32"));
            let low = self.value(Ty::I32, &format!("arith.andi {sum}, {three} : i32"));
            self.value(Ty::Index, &format!("arith.index_cast {low} : i32 to index"))
        })
    }

    /// Returns a visible value, chosen uniformly: the newest values are mostly constants here.
    fn evenly(&mut self, ty: Ty) -> String {
        let known = self.values.iter().filter(|(_, known)| *known == ty);
        let known: Vec<String> = known.map(|(name, _)| name.clone()).collect();
        match known.is_empty() {
            true => self.make(ty),
            false => self.random.pick(&known).clone(),
        }
    }

    /// Computes a tensor from values outside of the loop, possibly with failures, and prints it.
    fn show_what_stays(&mut self, outside: &Outside) {
        let mut number = outside.number.clone();
        if let Some(cell) = &outside.cell {
            number = self.field_n(cell);
        }
        if self.random.chance(50) {
            let mask = self.value(Ty::I32, "arith.constant 3 : i32");
            let divisor = self.evenly(Ty::I32);
            let divisor = self.value(Ty::I32, &format!("arith.andi {divisor}, {mask} : i32"));
            let name = *self.random.pick(&["divsi", "remui", "floordivsi"]);
            number = self.value(Ty::I32, &format!("arith.{name} {number}, {divisor} : i32"));
        }
        let tensor = self.tensor_of(&number);
        let name = *self.random.pick(&["AddV2", "Mul", "Sub"]);
        let shown = self.combined(name, &outside.vector, &tensor);
        self.show("i", &shown, Ty::Vector);
    }

    /// Reads the number of an object.
    fn field_n(&mut self, cell: &str) -> String {
        let place = self.member_ref(cell, "n", Ty::I32);
        self.load(&place, Ty::I32)
    }

    /// Writes a print, or a store to a field, directly or in a call.
    fn effect(&mut self, outside: &Outside) {
        let number = &outside.number;
        match (&outside.cell, self.random.below(4)) {
            (Some(_), 0) => {
                let any = self.any(Ty::Any);
                self.dynamic_call((&any, Ty::Any), "count", (number, Ty::I32));
            }
            (Some(cell), 1) => {
                let (of, reference) = (Ty::Cell, Ty::I32.reference());
                let (old, place) = (self.field_n(cell), self.fresh());
                let new = self.value(Ty::I32, &format!("arith.addi {old}, {number} : i32"));
                self.line(&format!(
                    "{place} = tfx_host.member_ref {cell}[\"n\"] : {of} -> {reference}"
                ));
                self.line(&format!("tfx_host.store {new}, {place} : i32"));
            }
            (Some(cell), 2) => {
                let cell = cell.clone();
                let action = self.closure("cell_count", &[(&cell, Ty::Cell)], Ty::Action);
                let (action, _) = self.out_of_a_keeper(&action, 0);
                self.apply_closure(&action, number, Ty::Action, Ty::I32);
            }
            (_, 3) => self.line(&format!("func.call @observe({number}) : (i32) -> ()")),
            _ => self.show("f", number, Ty::I32),
        }
    }

    /// Writes a loop that draws random numbers in each iteration, and prints whether they equal
    /// those of the previous iteration. An object keeps them, so that they are copied. The numbers
    /// themselves are not printed, because they differ between executors.
    fn drawn_in_a_loop(&mut self) {
        let visible = self.values.len();
        let cell = self.make(Ty::Cell);
        let bounds = self.low_numbers::<2>();
        let end = self.enter_loop(&bounds);
        let [shape, drawn, frame, place, kept, axis, old, new, same] =
            [(); 9].map(|()| self.fresh());
        let (cells, frames) = (Ty::Cell.text(), Ty::Frame.reference());
        let floats = Ty::Floats.reference();
        let seed = 1 + self.random.below(100);
        let largest = |tensor: &str| {
            format!(
                "tfx_tensor.op \"Max\"({tensor}, {axis}) : (tensor<4xf32>, tensor<i32>) -> tensor<f32>"
            )
        };
        self.lines([
            format!("{shape} = tfx_tensor.const dense<4> : tensor<1xi32>"),
            format!("{axis} = tfx_tensor.const dense<0> : tensor<i32>"),
            format!(
                "{drawn} = tfx_tensor.op \"RandomUniform\"({shape}) {{dtype = f32, seed = {seed} : i64}} : (tensor<1xi32>) -> tensor<4xf32>"
            ),
            format!("{frame} = tfx_host.member_ref {cell}[\"f\"] : {cells} -> {frames}"),
            format!("{place} = tfx_host.field_ref {frame}[\"f\"] : {frames} -> {floats}"),
            format!("{kept} = tfx_host.load {place} : {floats}"),
            format!("tfx_host.store {drawn}, {place} : tensor<4xf32>"),
            format!("{old} = {}", largest(&kept)),
            format!("{new} = {}", largest(&drawn)),
            format!(
                "{same} = tfx_tensor.op \"Equal\"({old}, {new}) : (tensor<f32>, tensor<f32>) -> tensor<i1>"
            ),
            format!("tfx_host.print \"r {{}}\"({same}) : tensor<i1>"),
        ]);
        self.line(end);
        self.values.truncate(visible);
    }
}
