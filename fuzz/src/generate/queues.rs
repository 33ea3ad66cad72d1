//! Queues: a thread calls a loader ahead, and the program takes the results consecutively, in loops
//! and in branches.
//!
//! The loader has a separate state, which is set before a queue is opened, because the number of
//! calls that a thread makes ahead is undefined. While a queue is open, the program contains only
//! tensors and prints, since the other foreign functions may have no declared state.

use super::body::Body;
use super::types::Ty;

/// The type of the queues.
const QUEUE: &str = "!tfx_host.queue<tensor<4xi32>, i32>";

impl Body<'_> {
    /// Opens a queue, takes some results, and closes it.
    pub(super) fn queue(&mut self) {
        if self.depth == 0 && self.random.chance(40) {
            return self.reopened();
        }
        const LOADERS: [&str; 4] = ["next_batch", "next_batch", "scaled_batch", "checked_batch"];
        let loader = *self.random.pick(&LOADERS);
        let (from, by, sum) = (self.any(Ty::I32), self.any(Ty::I32), self.any(Ty::Vector));
        self.line(&format!("func.call @rewind_batches({from}) : (i32) -> ()"));
        let (queue, depth) = (self.fresh(), 1 + self.random.below(3));
        self.line(&format!(
            "{queue} = tfx_host.prefetch @{loader}({by}) depth({depth}) : (i32) -> {QUEUE}"
        ));
        let sum = match self.random.below(5) {
            0 => self.taken_in_a_row(&queue, sum),
            1 => {
                let condition = self.any(Ty::I1);
                self.taken_in_a_branch(&queue, &sum, &condition)
            }
            2 => self.drained(&queue, &sum),
            _ => self.taken_in_a_loop(&queue, &sum),
        };
        self.line(&format!("tfx_host.close {queue} : {QUEUE}"));
        if self.random.chance(50) {
            self.show("q", &sum, Ty::Vector);
        }
    }

    /// Takes a batch, and adds it to a vector.
    fn taken(&mut self, queue: &str, sum: &str) -> String {
        let [batch, number] = [(); 2].map(|()| self.fresh());
        self.line(&format!(
            "{batch}, {number} = tfx_host.next {queue} : {QUEUE}"
        ));
        self.values.push((batch.clone(), Ty::Vector));
        self.values.push((number.clone(), Ty::I32));
        let sum = self.op(
            "AddV2",
            &[(sum, Ty::Vector), (&batch, Ty::Vector)],
            Ty::Vector,
        );
        match self.random.below(4) {
            0 => self.show("n", &number, Ty::I32),
            1 => self.line(&format!(
                "tfx_host.print \"b {{}} {{}}\"({number}, {sum}) : i32, tensor<4xi32>"
            )),
            _ => {}
        }
        sum
    }

    fn taken_in_a_row(&mut self, queue: &str, sum: String) -> String {
        let mut sum = sum;
        for _ in 0..self.random.below(4) {
            sum = self.taken(queue, &sum);
        }
        sum
    }

    fn taken_in_a_branch(&mut self, queue: &str, sum: &str, condition: &str) -> String {
        let result = self.fresh();
        self.line(&format!(
            "{result} = scf.if {condition} -> tensor<4xi32> {{"
        ));
        let visible = self.values.len();
        let taken = self.taken(queue, sum);
        self.line(&format!("scf.yield {taken} : tensor<4xi32>"));
        self.values.truncate(visible);
        self.line("} else {");
        self.line(&format!("scf.yield {sum} : tensor<4xi32>"));
        self.line("}");
        self.values.push((result.clone(), Ty::Vector));
        result
    }

    /// Writes a decision of the graph: whether the largest element of a vector is odd.
    fn decided_by_the_graph(&mut self, vector: &str) -> String {
        let largest = self.reduced("Max", vector, Ty::Vector);
        let number = self.scalar_of(&largest, Ty::I32);
        self.value(Ty::I1, &format!("arith.trunci {number} : i32 to i1"))
    }

    /// Passes the queue to a function, which takes the results.
    fn drained(&mut self, queue: &str, sum: &str) -> String {
        let count = self.random.below(4);
        let count = self.value(Ty::I32, &format!("arith.constant {count} : i32"));
        self.value(Ty::Vector, &format!(
            "func.call @drained({queue}, {count}, {sum}) : ({QUEUE}, i32, tensor<4xi32>) -> tensor<4xi32>"
        ))
    }

    fn taken_in_a_loop(&mut self, queue: &str, sum: &str) -> String {
        let iterations = self.random.below(5);
        let bounds = [0, iterations, 1]
            .map(|bound| self.value(Ty::Index, &format!("arith.constant {bound} : index")));
        let [result, index, carried] = [(); 3].map(|()| self.fresh());
        self.line(&format!(
            "{result} = scf.for {index} = {} to {} step {} iter_args({carried} = {sum}) -> tensor<4xi32> {{",
            bounds[0], bounds[1], bounds[2]
        ));
        let visible = self.values.len();
        self.values.push((index, Ty::Index));
        self.values.push((carried.clone(), Ty::Vector));
        let mut sum = match self.random.below(10) {
            0..5 => self.taken(queue, &carried),
            5 => {
                let condition = self.any(Ty::I1);
                self.taken_in_a_branch(queue, &carried, &condition)
            }
            // A decision of the graph determines which result is next.
            _ => {
                let condition = self.decided_by_the_graph(&carried);
                let sum = self.taken_in_a_branch(queue, &carried, &condition);
                self.taken(queue, &sum)
            }
        };
        for _ in 0..self.random.below(3) {
            match self.random.chance(70) {
                true => self.tensor(),
                false => self.print(),
            }
        }
        if self.random.chance(50) {
            sum = self.any(Ty::Vector);
        }
        self.line(&format!("scf.yield {sum} : tensor<4xi32>"));
        self.values.truncate(visible);
        self.line("}");
        self.values.push((result.clone(), Ty::Vector));
        result
    }

    /// Writes a loop in which each iteration sets the state of the loader to a value that the graph
    /// computes, and opens a queue. The call that sets the state must not move across the calls of
    /// the queue's thread.
    fn reopened(&mut self) {
        let (start, by) = (self.any(Ty::Vector), self.any(Ty::I32));
        let (low, most) = (
            self.value(Ty::Index, "arith.constant 0 : index"),
            1 + self.random.below(4),
        );
        let high = self.value(Ty::Index, &format!("arith.constant {most} : index"));
        let one = self.value(Ty::Index, "arith.constant 1 : index");
        let axis = self.axis();
        let visible = self.values.len();
        let [result, index, carried, largest, from, queue] = [(); 6].map(|()| self.fresh());
        self.lines([
            format!(
                "{result} = scf.for {index} = {low} to {high} step {one} iter_args({carried} = {start}) -> tensor<4xi32> {{"
            ),
            format!(
                "{largest} = tfx_tensor.op \"Max\"({carried}, {axis}) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>"
            ),
            format!("{from} = tfx_tensor.to_scalar {largest} : tensor<i32> -> i32"),
        ]);
        // This call may run ahead of earlier calls in the loop.
        let drawn = match self.random.chance(50) {
            true => self.called("next", &[(&by, Ty::I32)], Ty::I32),
            false => by.clone(),
        };
        self.lines([
            format!("func.call @rewind_batches({from}) : (i32) -> ()"),
            format!("{queue} = tfx_host.prefetch @next_batch({by}) depth(2) : (i32) -> {QUEUE}"),
        ]);
        let mut sum = carried;
        if self.random.chance(70) {
            sum = self.taken(&queue, &sum);
        }
        self.line(&format!("tfx_host.close {queue} : {QUEUE}"));
        let drawn = self.tensor_of(&drawn);
        let sum = self.combined("AddV2", &sum, &drawn);
        self.line(&format!("scf.yield {sum} : tensor<4xi32>"));
        self.line("}");
        self.values.truncate(visible);
        self.show("q", &result, Ty::Vector);
        self.values.push((result, Ty::Vector));
    }
}
