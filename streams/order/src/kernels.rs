//! The kernels of a graph: operations that one command runs.
//!
//! ```text
//!   conv ── bias ── relu ─┬─ conv ── relu ─┐
//!                         ├─ conv ── relu ─┼─ concat
//!                         └─ pool ─────────┘
//!   └─ one kernel ───────┘ └─ one each ───┘ └ one
//! ```
//!
//! A kernel for each operation would leave the most freedom to streams, and cost a launch for each.
//! One kernel for all would leave none. So operations share a kernel if nothing could run at the
//! same time as one of them and not as the other, or if their time is small compared with that of
//! a launch.
//!
//! Operations of different places never share a kernel, and an operation without a place has one of
//! its own.
//!
//! Operations come in an order of execution. Each joins the kernels of its operands, as long as
//! this contracts an edge of one of two forms; neither closes a cycle:
//!
//! | the edge | contracted if |
//! |---|---|
//! | the only one that leaves the producer | the producer is small, or it is the only one |
//! | the only one that enters the consumer | the consumer is small |
//!
//! This is clustering by edge zeroing (Sarkar, 1989), restricted to edges where the answer needs no
//! schedule.
//!
//! Cost: nearly linear in the edges; a kernel that is contracted with another one appends the
//! shorter list of operands to the longer one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Kernels in an order of execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// The operations of each kernel, in their order.
    pub kernels: Vec<Vec<usize>>,
    /// The time of each kernel.
    pub costs: Vec<u64>,
    /// The longest time of kernels that depend on each other, with the time of a launch for each.
    pub longest_path: u64,
}

impl Grouping {
    /// Returns the sum of all times.
    pub fn total(&self) -> u64 {
        self.costs
            .iter()
            .fold(0, |sum, cost| sum.saturating_add(*cost))
    }
}

/// An operation of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// The time in nanoseconds.
    pub cost: u64,
    /// The operations before it whose results it uses.
    pub operands: Vec<usize>,
    /// The number of its place.
    pub place: Option<u32>,
}

/// Groups operations. Kernels below `small` are not worth a launch of their own, which takes
/// `launch`.
pub fn kernels(operations: &[Operation], small: u64, launch: u64) -> Grouping {
    let mut contraction = Contraction::new(operations, small);
    (0..operations.len()).for_each(|op| contraction.add(op));
    contraction.finish(launch)
}

struct Contraction<'o> {
    small: u64,
    operations: &'o [Operation],
    /// Union-find over the operations; the root has the data of the kernel.
    parents: Vec<usize>,
    costs: Vec<u64>,
    /// The edges to operations outside of the kernel.
    leaving: Vec<usize>,
    /// The operands outside of the kernel, once for each edge.
    operands: Vec<Vec<usize>>,
}

impl<'o> Contraction<'o> {
    fn new(operations: &'o [Operation], small: u64) -> Self {
        let mut leaving = vec![0; operations.len()];
        let operands = operations.iter().map(|op| op.operands.clone());
        let operands: Vec<Vec<usize>> = operands.collect();
        operands.iter().flatten().for_each(|op| leaving[*op] += 1);
        Self {
            small,
            operations,
            parents: (0..operations.len()).collect(),
            costs: operations.iter().map(|op| op.cost).collect(),
            leaving,
            operands,
        }
    }

    /// Returns whether two kernels are at one place. All operations of a kernel are.
    fn are_together(&self, one: usize, other: usize) -> bool {
        let place = self.operations[one].place;
        place.is_some() && place == self.operations[other].place
    }

    fn root(&mut self, op: usize) -> usize {
        find(&mut self.parents, op)
    }

    /// Returns the kernels that a kernel uses, with the number of edges from each.
    fn producers(&mut self, kernel: usize) -> BTreeMap<usize, usize> {
        let mut producers = BTreeMap::new();
        for index in 0..self.operands[kernel].len() {
            let producer = self.root(self.operands[kernel][index]);
            *producers.entry(producer).or_default() += 1;
        }
        producers
    }

    fn add(&mut self, op: usize) {
        let producers = self.producers(op);
        let mut kernel = op;
        if producers.len() > 1 {
            for (producer, edges) in producers {
                let is_only_consumer = self.leaving[producer] == edges;
                let is_together = self.are_together(producer, kernel);
                if is_together && is_only_consumer && self.costs[producer] < self.small {
                    kernel = self.contract(producer, kernel, edges);
                }
            }
        }
        let mut producers = self.producers(kernel).into_iter();
        if let (Some((producer, edges)), None) = (producers.next(), producers.next())
            && self.are_together(producer, kernel)
        {
            let is_only_consumer = self.leaving[producer] == edges;
            if is_only_consumer || self.costs[kernel] < self.small {
                self.contract(producer, kernel, edges);
            }
        }
    }

    /// Unites a kernel with the producer of some of its operands, and returns the new root.
    fn contract(&mut self, producer: usize, kernel: usize, edges: usize) -> usize {
        let (root, other) = (producer.min(kernel), producer.max(kernel));
        let cost = self.costs[producer].saturating_add(self.costs[kernel]);
        let leaving = self.leaving[producer] - edges + self.leaving[kernel];
        self.parents[other] = root;
        let mut outside = std::mem::take(&mut self.operands[kernel]);
        outside.retain(|op| find(&mut self.parents, *op) != root);
        let mut more = std::mem::take(&mut self.operands[producer]);
        if outside.len() < more.len() {
            std::mem::swap(&mut outside, &mut more);
        }
        outside.append(&mut more);
        (self.costs[root], self.leaving[root]) = (cost, leaving);
        self.operands[root] = outside;
        root
    }

    fn finish(mut self, launch: u64) -> Grouping {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for op in 0..self.parents.len() {
            let root = self.root(op);
            members.entry(root).or_default().push(op);
        }
        let mut consumers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut open: BTreeMap<usize, usize> = BTreeMap::new();
        let mut ready = BinaryHeap::new();
        for &kernel in members.keys() {
            let producers = self.producers(kernel);
            if producers.is_empty() {
                ready.push(Reverse(kernel));
            }
            open.insert(kernel, producers.len());
            for producer in producers.into_keys() {
                consumers.entry(producer).or_default().push(kernel);
            }
        }
        let mut grouping = Grouping::default();
        let mut starts: BTreeMap<usize, u64> = BTreeMap::new();
        // Kahn's topological order, by the first operation of each kernel.
        while let Some(Reverse(kernel)) = ready.pop() {
            let start = starts.remove(&kernel).unwrap_or(0);
            let end = start
                .saturating_add(self.costs[kernel])
                .saturating_add(launch);
            grouping.longest_path = grouping.longest_path.max(end);
            for consumer in consumers.remove(&kernel).unwrap_or_default() {
                let start = starts.entry(consumer).or_default();
                *start = end.max(*start);
                let left = open.entry(consumer).or_default();
                *left -= 1;
                if *left == 0 {
                    ready.push(Reverse(consumer));
                }
            }
            grouping.costs.push(self.costs[kernel]);
            let ops = members.remove(&kernel).unwrap_or_default();
            grouping.kernels.push(ops);
        }
        grouping
    }
}

/// Returns the root of an operation, and halves its path.
fn find(parents: &mut [usize], mut op: usize) -> usize {
    while parents[op] != op {
        parents[op] = parents[parents[op]];
        op = parents[op];
    }
    op
}

#[cfg(test)]
mod tests {
    use super::{Grouping, Operation};

    /// A small generator of random numbers (SplitMix64: Steele, Lea and Flood, 2014).
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % limit
        }
    }

    /// Groups operations of one place.
    fn kernels(costs: &[u64], operands: &[Vec<usize>], small: u64, launch: u64) -> Grouping {
        let operations = costs
            .iter()
            .zip(operands)
            .map(|(cost, operands)| Operation {
                cost: *cost,
                operands: operands.clone(),
                place: Some(0),
            });
        super::kernels(&operations.collect::<Vec<_>>(), small, launch)
    }

    fn random_graph(seed: u64) -> (Vec<u64>, Vec<Vec<usize>>) {
        let mut random = Random(seed);
        let count = 1 + random.below(40) as usize;
        let costs = (0..count).map(|_| random.below(20)).collect();
        let operands = (0..count).map(|op| {
            let number = random.below(4).min(op as u64);
            (0..number)
                .map(|_| random.below(op as u64) as usize)
                .collect()
        });
        (costs, operands.collect())
    }

    /// The longest path of operations, each with its cost.
    fn longest_path(costs: &[u64], operands: &[Vec<usize>]) -> u64 {
        let mut ends: Vec<u64> = Vec::new();
        for (cost, operands) in costs.iter().zip(operands) {
            let start = operands.iter().map(|op| ends[*op]).max().unwrap_or(0);
            ends.push(start + cost);
        }
        ends.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn kernels_keep_the_order_of_the_graph() {
        for seed in 0..2000 {
            let (costs, operands) = random_graph(seed);
            let grouping = kernels(&costs, &operands, seed % 15, 0);
            let mut kernel_of = vec![None; costs.len()];
            for (number, kernel) in grouping.kernels.iter().enumerate() {
                assert!(kernel.is_sorted(), "seed {seed}");
                for op in kernel {
                    assert_eq!(kernel_of[*op].replace(number), None, "seed {seed}");
                }
                let cost: u64 = kernel.iter().map(|op| costs[*op]).sum();
                assert_eq!(grouping.costs[number], cost, "seed {seed}");
            }
            for (op, operands) in operands.iter().enumerate() {
                for operand in operands {
                    assert!(kernel_of[op].is_some() && kernel_of[*operand] <= kernel_of[op]);
                }
            }
        }
    }

    #[test]
    fn only_small_kernels_lengthen_the_longest_path() {
        for seed in 0..2000 {
            let (costs, operands) = random_graph(seed);
            let expected = longest_path(&costs, &operands);
            let grouping = kernels(&costs, &operands, 0, 0);
            assert_eq!(grouping.longest_path, expected, "seed {seed}");
        }
    }

    #[test]
    fn an_inception_has_a_kernel_for_each_branch() {
        // A stem, three branches of a product and an activation, a pool, and their concatenation.
        let costs = [50, 1, 50, 1, 50, 1, 50, 1, 40, 2];
        let operands = [
            vec![],
            vec![0],
            vec![1],
            vec![2],
            vec![1],
            vec![4],
            vec![1],
            vec![6],
            vec![1],
            vec![3, 5, 7, 8],
        ];
        let grouping = kernels(&costs, &operands, 5, 3);
        let expected = [
            vec![0, 1],
            vec![2, 3],
            vec![4, 5],
            vec![6, 7],
            vec![8],
            vec![9],
        ];
        assert_eq!(grouping.kernels, expected);
        assert_eq!(grouping.total(), 246);
        assert_eq!(grouping.longest_path, 51 + 3 + 51 + 3 + 2 + 3);
    }

    #[test]
    fn kernels_are_at_one_place() {
        for seed in 0..2000 {
            let (costs, operands) = random_graph(seed);
            let mut random = Random(!seed);
            let place = |_| (random.below(4) > 0).then(|| random.below(2) as u32);
            let places: Vec<Option<u32>> = (0..costs.len()).map(place).collect();
            let operations = costs.iter().zip(operands).zip(&places);
            let operations = operations.map(|((cost, operands), place)| Operation {
                cost: *cost,
                operands,
                place: *place,
            });
            let grouping = super::kernels(&operations.collect::<Vec<_>>(), 10, 0);
            for kernel in grouping.kernels {
                let place = places[kernel[0]];
                assert!(kernel.iter().all(|op| places[*op] == place), "seed {seed}");
                assert!(place.is_some() || kernel.len() == 1, "seed {seed}");
            }
        }
    }

    #[test]
    fn a_chain_is_one_kernel() {
        let count = 100_000;
        let operands = (0..count).map(|op: usize| op.checked_sub(1).into_iter().collect());
        let operands = operands.collect::<Vec<Vec<usize>>>();
        let grouping = kernels(&vec![7; count], &operands, 0, 3);
        assert_eq!(grouping.kernels.len(), 1);
    }
}
