//! Queues: a thread calls a loader ahead, and the program takes what it gives, in a row, in loops and branches.
//!
//! The loader keeps a state of its own, which is set before a queue is opened: how far a thread went ahead is nobody's
//! to know. While a queue is open there is nothing but tensors and prints, since the other foreign functions may say
//! nothing of their state.

use super::body::Body;
use super::types::Ty;

/// The type of the queues.
const QUEUE: &str = "!tfx_host.queue<tensor<4xi32>, i32>";

impl Body<'_> {
    /// Opens a queue, takes some results, and closes it.
    pub(super) fn queue(&mut self) {
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
            1 => self.taken_in_a_branch(&queue, &sum),
            2 => self.drained(&queue, &sum),
            _ => self.taken_in_a_loop(&queue, &sum),
        };
        self.line(&format!("tfx_host.close {queue} : {QUEUE}"));
        if self.random.chance(50) {
            self.line(&format!("tfx_host.print \"q {{}}\"({sum}) : tensor<4xi32>"));
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
        let sum = self.value(Ty::Vector, &format!(
            "tfx_tensor.op \"AddV2\"({sum}, {batch}) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>"
        ));
        match self.random.below(4) {
            0 => self.line(&format!("tfx_host.print \"n {{}}\"({number}) : i32")),
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

    fn taken_in_a_branch(&mut self, queue: &str, sum: &str) -> String {
        let condition = self.any(Ty::I1);
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

    /// A function takes the queue, and all that it takes from it.
    fn drained(&mut self, queue: &str, sum: &str) -> String {
        let count = self.random.below(4);
        let count = self.value(Ty::I32, &format!("arith.constant {count} : i32"));
        self.value(Ty::Vector, &format!(
            "func.call @drained({queue}, {count}, {sum}) : ({QUEUE}, i32, tensor<4xi32>) -> tensor<4xi32>"
        ))
    }

    fn taken_in_a_loop(&mut self, queue: &str, sum: &str) -> String {
        let trips = self.random.below(5);
        let bounds = [0, trips, 1]
            .map(|bound| self.value(Ty::Index, &format!("arith.constant {bound} : index")));
        let [result, index, carried] = [(); 3].map(|()| self.fresh());
        self.line(&format!(
            "{result} = scf.for {index} = {} to {} step {} iter_args({carried} = {sum}) -> tensor<4xi32> {{",
            bounds[0], bounds[1], bounds[2]
        ));
        let visible = self.values.len();
        self.values.push((index, Ty::Index));
        self.values.push((carried.clone(), Ty::Vector));
        let mut sum = match self.random.chance(80) {
            true => self.taken(queue, &carried),
            false => self.taken_in_a_branch(queue, &carried),
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
}
