//! Loops and branches that are structured in the source.

use super::body::Body;
use super::types::Ty;

/// The maximal nesting depth of regions within one statement.
const MAX_DEPTH: usize = 2;

impl Body<'_> {
    pub(super) fn region(&mut self) {
        if self.depth >= MAX_DEPTH {
            return self.scalar();
        }
        self.depth += 1;
        let ty = *self
            .random
            .pick(&[Ty::I32, Ty::Vector, Ty::Floats, Ty::Number]);
        match self.random.below(5) {
            0 | 1 => self.branch(ty),
            2 => self.switch(ty),
            3 => self.count(ty),
            _ => self.repeat(ty),
        }
        self.depth -= 1;
    }

    fn branch(&mut self, ty: Ty) {
        let condition = match self.constant_condition() {
            Some(constant) => constant,
            None => {
                let condition = self.any(Ty::I1);
                self.marked(condition)
            }
        };
        let before = self.any(ty);
        let name = self.fresh();
        self.line(&format!("{name} = scf.if {condition} -> {ty} {{"));
        self.inside(ty, &before);
        self.line("} else {");
        self.inside(ty, &before);
        self.line("}");
        self.values.push((name, ty));
    }

    fn switch(&mut self, ty: Ty) {
        let number = self.any(Ty::Index);
        let three = self.value(Ty::Index, "arith.constant 3 : index");
        let low = self.value(Ty::Index, &format!("arith.andi {number}, {three} : index"));
        let selector = match self.random.chance(75) {
            true => low,
            false => number,
        };
        let before = self.any(ty);
        let name = self.fresh();
        let cases = *self.random.pick(&[[0, 2], [1, 0], [3, 1], [0, 1], [2, -1]]);
        self.line(&format!("{name} = scf.index_switch {selector} -> {ty}"));
        for case in cases {
            self.line(&format!("case {case} {{"));
            self.inside(ty, &before);
            self.line("}");
        }
        self.line("default {");
        self.inside(ty, &before);
        self.line("}");
        self.values.push((name, ty));
    }

    fn count(&mut self, ty: Ty) {
        let (start, carried) = (self.any(ty), self.fresh());
        let iterations = 1 + self.random.below(4);
        let bounds = [0, iterations, 1]
            .map(|bound| self.value(Ty::Index, &format!("arith.constant {bound} : index")));
        let (name, index) = (self.fresh(), self.fresh());
        self.line(&format!(
            "{name} = scf.for {index} = {} to {} step {} iter_args({carried} = {start}) -> {ty} {{",
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

    /// Writes a loop whose condition region may have effects, and may forward other values than its
    /// arguments.
    fn repeat(&mut self, ty: Ty) {
        let text = ty.text();
        let start = self.any(ty);
        let zero = self.value(Ty::I32, "arith.constant 0 : i32");
        let most = self.random.below(4);
        let iterations = self.value(Ty::I32, &format!("arith.constant {most} : i32"));
        let one = self.value(Ty::I32, "arith.constant 1 : i32");
        let [first, second, iteration, carried, next, given] = [(); 6].map(|()| self.fresh());
        self.line(&format!(
            "{first}, {second} = scf.while ({iteration} = {zero}, {carried} = {start}) : (i32, {text}) -> ({text}, i32) {{"
        ));
        let visible = self.values.len();
        self.values.push((iteration.clone(), Ty::I32));
        self.values.push((carried, ty));
        let count = self.random.below(3);
        self.statements(count);
        let more = self.value(
            Ty::I1,
            &format!("arith.cmpi slt, {iteration}, {iterations} : i32"),
        );
        let wanted = self.any(Ty::I1);
        let continues = self.value(Ty::I1, &format!("arith.andi {more}, {wanted} : i1"));
        let continues = self.marked(continues);
        let forwarded = self.any(ty);
        self.line(&format!(
            "scf.condition({continues}) {forwarded}, {iteration} : {text}, i32"
        ));
        self.values.truncate(visible);
        self.text.push_str("  } do {\n");
        self.text
            .push_str(&format!("  ^bb0({given}: {text}, {next}: i32):\n"));
        self.values.push((next.clone(), Ty::I32));
        self.values.push((given, ty));
        let count = 1 + self.random.below(3);
        self.statements(count);
        let step = self.value(Ty::I32, &format!("arith.addi {next}, {one} : i32"));
        let carried = self.any(ty);
        self.line(&format!("scf.yield {step}, {carried} : i32, {text}"));
        self.values.truncate(visible);
        self.line("}");
        self.values.push((first, ty));
        self.values.push((second, Ty::I32));
    }

    /// Writes some statements and a yield. Their values are not visible afterwards.
    fn inside(&mut self, ty: Ty, otherwise: &str) {
        let visible = self.values.len();
        let count = 1 + self.random.below(3);
        self.statements(count);
        let result = match self.random.chance(70) {
            true => self.any(ty),
            false => otherwise.to_owned(),
        };
        self.line(&format!("scf.yield {result} : {ty}"));
        self.values.truncate(visible);
    }
}
