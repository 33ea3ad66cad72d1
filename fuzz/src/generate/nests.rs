//! Nested arrays, closures that return closures, and loops that read objects.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    pub(super) fn nest(&mut self) {
        match self.random.below(6) {
            0 => {
                let lists = self.any(Ty::Lists);
                let operation = self.element_of_lists(&lists);
                self.value(Ty::I32, &operation);
            }
            1 => {
                let lists = self.any(Ty::Lists);
                self.list_of(&lists);
            }
            2 => {
                let maker = self.any(Ty::Maker);
                let operation = self.made_and_applied(&maker);
                self.value(Ty::I32, &operation);
            }
            3 => {
                let ty = *self.random.pick(&[Ty::Lists, Ty::Maker]);
                let (condition, a, b) = (self.any(Ty::I1), self.any(ty), self.make(ty));
                self.select([&condition, &a, &b], ty);
            }
            _ => self.reads_in_a_loop(),
        }
    }

    /// Returns one of the arrays in an array.
    fn list_of(&mut self, lists: &str) -> String {
        let index = self.index_of(lists, Ty::Lists);
        let of = Ty::Lists.text();
        self.value(
            Ty::Array,
            &format!("tfx_host.array_get {lists}[{index}] : {of}"),
        )
    }

    /// Returns a valid index of an array.
    fn index_of(&mut self, array: &str, ty: Ty) -> String {
        let number = self.any(Ty::Index);
        let count = format!("tfx_host.array_count {array} : {ty}");
        let count = self.value(Ty::Index, &count);
        self.value(Ty::Index, &format!("arith.remui {number}, {count} : index"))
    }

    /// Returns the operation that reads a number of one of the arrays in an array.
    pub(super) fn element_of_lists(&mut self, lists: &str) -> String {
        let list = self.list_of(lists);
        let index = self.index_of(&list, Ty::Array);
        format!("tfx_host.array_get {list}[{index}] : {}", Ty::Array)
    }

    /// Creates a closure that returns closures.
    pub(super) fn maker(&mut self) -> String {
        let number = self.any(Ty::I32);
        let callee = *self.random.pick(&["adder", "stepper"]);
        self.closure(callee, &[(&number, Ty::I32)], Ty::Maker)
    }

    /// Returns the operation that applies the result of a closure.
    pub(super) fn made_and_applied(&mut self, maker: &str) -> String {
        let (a, b) = (self.any(Ty::I32), self.any(Ty::I32));
        let made = self.apply_closure(maker, &a, Ty::Maker, Ty::Function);
        format!("tfx_host.apply {made}({b}) : {}", Ty::Function)
    }

    /// Writes a loop that adds a field of an object to a vector. In some loops, an iteration also
    /// writes a field.
    fn reads_in_a_loop(&mut self) {
        let (cell, start) = (self.any(Ty::Cell), self.any(Ty::Vector));
        let iterations = 1 + self.random.below(4);
        let [low, high, step] = [0, iterations, 1]
            .map(|bound| self.value(Ty::Index, &format!("arith.constant {bound} : index")));
        let (of, number) = (Ty::Cell.text(), Ty::I32.reference());
        let [index, carried, place, field, tensor, sum, result] = [(); 7].map(|()| self.fresh());
        self.lines([
            format!(
                "{result} = scf.for {index} = {low} to {high} step {step} iter_args({carried} = {start}) -> tensor<4xi32> {{"
            ),
            format!("{place} = tfx_host.member_ref {cell}[\"n\"] : {of} -> {number}"),
            format!("{field} = tfx_host.load {place} : {number}"),
            format!("{tensor} = tfx_tensor.from_scalar {field} : i32"),
            format!(
                "{sum} = tfx_tensor.op \"AddV2\"({carried}, {tensor}) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>"
            ),
        ]);
        let visible = self.values.len();
        if self.random.chance(40) {
            let (other, written) = (self.any(Ty::Cell), self.any(Ty::I32));
            let place = self.fresh();
            self.line(&format!(
                "{place} = tfx_host.member_ref {other}[\"n\"] : {of} -> {number}"
            ));
            self.line(&format!("tfx_host.store {written}, {place} : i32"));
        }
        if self.random.chance(30) {
            self.show("l", &sum, Ty::Vector);
        }
        self.values.truncate(visible);
        self.line(&format!("scf.yield {sum} : tensor<4xi32>"));
        self.line("}");
        self.values.push((result, Ty::Vector));
    }
}
