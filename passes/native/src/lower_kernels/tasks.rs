//! Tasks: parts of the rows of kernels, which several threads run.
//!
//! ```text
//! for each block of rows:                  parallel for each task: its own b1 and g
//!   b1 = a[block] * w                        g = 0
//!   g += sum over the block of b1    ──►     for each block of its rows: ...
//!                                          g of the result += that of each task, in order
//! ```
//!
//! The rows of a group of kernels (`rows.rs`), or of a kernel by itself, are split into tasks of
//! about equal length. So are the images of a convolution, the matrices of a batch, many rows of a
//! product in blocks, and the columns of another product: a task then packs the columns that it
//! needs, and no others.
//!
//! The length of a task follows from the sizes alone, never from the number of threads: so the
//! results are the same bits for any number of threads. It is such that a task takes some ten
//! microseconds at least ([`TASK_COST`]), by an estimate of its cost in multiplications of a
//! product. Where the sizes are not known, the code computes the length.
//!
//! A task has memory of its own for what it does not pass on: blocks of rows, packed columns, and
//! padded images. What combines all rows is combined by each task, and then by one loop over the
//! results of the tasks.
//!
//! Cost: linear in the kernels. Not done: scatters, scans along all rows, and kernels that
//! combine all rows in a mean.

use std::collections::{BTreeMap, BTreeSet};

use super::convolution::Convolution;
use super::kernel::{Access, Affine, Body, Call, Kernel, Node, Product, Range};
use super::loops;
use super::plan::{Place, Plan, Step};
use super::product::MOST_COLUMNS_BYTES;
use super::product::blocks::{Blocks, TILES};
use super::rows::{self, PACKED, ROWS, ROWS_OF_TILES, RowCall, Rows, RowsFound};
use crate::element::Element;
use crate::extent::Extent;
use crate::scalar::Function;

/// The cost of a task, at least: about 50 µs, of which the start of a task and the wait for its end
/// take a tenth.
pub const TASK_COST: i64 = 1 << 20;

/// The largest number of tasks of a loop: some for each processor of a large machine, so that those
/// that take longer do not matter.
const MOST_TASKS: i64 = 64;

/// The same for tasks that combine rows: each needs memory for its results.
const MOST_COMBINING: i64 = 16;

/// The cost of a task that combines rows, for each element of its results: these are set to a start
/// value, and combined later, which should take a tenth of the time at most.
const COST_PER_RESULT: i64 = 256;

/// The largest number of elements of the results of a task that combines rows.
const MOST_RESULTS: i64 = 1 << 20;

/// The rows of a product in a task, at least: each task packs all columns.
const LEAST_PRODUCT_ROWS: i64 = 512;

/// The number of columns from which the columns of a product are split, and not its rows.
const MANY_COLUMNS: i64 = 256;

/// The cost of the nodes of an iteration, in multiplications of a product, of which a processor
/// does several tens in a nanosecond.
const MEMORY_COST: i64 = 4;
const LOOKUP_COST: i64 = 16;
const SIMPLE_COST: i64 = 2;
const FUNCTION_COST: i64 = 32;
const RANDOM_COST: i64 = 128;

/// The split of the rows of kernels into tasks.
#[derive(Debug)]
pub(super) struct Tasks {
    pub(super) length: Length,
    /// The buffers of which each task has its own; those of known sizes first.
    pub(super) private: Vec<usize>,
    pub(super) combined: Vec<Combined>,
}

/// A result that combines all rows.
#[derive(Debug)]
pub(super) struct Combined {
    pub(super) output: usize,
    /// A buffer with the result of each task.
    pub(super) partial: usize,
    /// Writes the start values of as many results as the tasks have. The number of "rows" of this
    /// kernel and of the next one is that of the tasks.
    pub(super) start: Call,
    /// Combines the results of the tasks with the output.
    pub(super) combine: Call,
}

/// The rule for the number of rows of a task.
#[derive(Clone, Debug)]
pub(super) struct Length {
    /// The cost of a row, as a sum.
    pub(super) cost: Vec<Extent>,
    pub(super) least_cost: i64,
    pub(super) least_rows: i64,
    pub(super) most_tasks: i64,
    /// The number of rows is a multiple of this.
    pub(super) unit: i64,
}

impl Length {
    /// Returns the rule for kernels that run in blocks of `block` rows, of which a task has
    /// `least_rows`. `combined` are the buffers in which all rows are combined; none if these are
    /// too large.
    pub(super) fn of_group(
        plan: &Plan,
        cost: Vec<Extent>,
        (block, least_rows): (i64, i64),
        combined: &[usize],
    ) -> Option<Self> {
        let counts = combined
            .iter()
            .map(|&it| plan.buffers.get(it).count.as_known());
        let elements = sum(counts)?;
        let (least_cost, most_tasks) = match combined {
            [] => (plan.task_cost, MOST_TASKS),
            _ => {
                let for_results = elements.saturating_mul(COST_PER_RESULT);
                (
                    plan.task_cost.saturating_mul(2).max(for_results),
                    MOST_COMBINING,
                )
            }
        };
        let (least_cost, least_rows) = match plan.task_cost < TASK_COST {
            // Tests ask for many tasks.
            true => (plan.task_cost, 1),
            false => (least_cost, least_rows),
        };
        let length = Length {
            cost,
            least_cost,
            least_rows,
            most_tasks,
            unit: if block >= ROWS_OF_TILES {
                ROWS_OF_TILES
            } else {
                1
            },
        };
        (elements <= MOST_RESULTS).then_some(length)
    }

    /// Returns the number of rows of a task, if all sizes are known. The code for unknown sizes
    /// computes the same.
    pub(super) fn known(&self, count: &Extent) -> Option<i64> {
        let costs = self.cost.iter().map(Extent::as_known);
        let (count, cost) = (count.as_known()?, sum(costs)?.max(1));
        let quotient = |number: i64, divisor: i64| (number as u64).div_ceil(divisor as u64) as i64;
        let least = quotient(self.least_cost, cost)
            .max(self.least_rows)
            .max(quotient(count, self.most_tasks));
        let tasks = (count / least).max(1);
        let rows = quotient(count, tasks).max(1);
        Some(quotient(rows, self.unit).saturating_mul(self.unit))
    }

    /// Returns whether there is more than one task, or may be.
    pub(super) fn splits(&self, count: &Extent) -> bool {
        let rows = self.known(count).zip(count.as_known());
        rows.is_none_or(|(rows, count)| rows < count)
    }

    /// Returns the number of tasks, at most.
    fn tasks(&self, count: &Extent) -> i64 {
        match self.known(count).zip(count.as_known()) {
            Some((rows, count)) => (count as u64).div_ceil(rows as u64) as i64,
            None => self.most_tasks,
        }
    }
}

impl Tasks {
    /// Splits the rows of the calls of a group, of which some combine all rows. `local` are the
    /// buffers that have the size of a block. Returns none if one task is as good.
    pub(super) fn of_group(
        plan: &mut Plan,
        length: Length,
        count: &Extent,
        (calls, local, combining): (&[RowCall], &BTreeSet<usize>, &[usize]),
        uses: &BTreeMap<usize, usize>,
    ) -> Option<Self> {
        if !length.splits(count) {
            return None;
        }
        let mut private: Vec<usize> = local.iter().copied().collect();
        for RowCall { call, .. } in calls {
            private.extend(own(plan, call, scratch(&call.kernel), uses)?);
        }
        let tasks = length.tasks(count);
        let combining = combining.iter();
        let combined = combining.map(|&number| combined(plan, &calls[number].call, tasks));
        let combined = combined.collect();
        Some(Self::new(plan, length, private, combined))
    }

    fn new(
        plan: &mut Plan,
        length: Length,
        mut private: Vec<usize>,
        combined: Vec<Combined>,
    ) -> Self {
        private.sort_by_key(|&it| plan.buffers.get(it).count.as_known().is_none());
        for &buffer in &private {
            plan.buffers.set_place(buffer, Place::Task);
            let count = plan.buffers.get(buffer).count.clone();
            plan.list(&count);
        }
        length.cost.iter().for_each(|cost| plan.list(cost));
        Tasks {
            length,
            private,
            combined,
        }
    }
}

/// Returns the step that runs a kernel by itself, in tasks if these are worth it.
pub(super) fn alone(plan: &mut Plan, mut call: Call, uses: &BTreeMap<usize, usize>) -> Step {
    call.collapse();
    use_blocks(plan, &mut call);
    let split = match &call.kernel {
        Kernel::Product(product) => of_product(product),
        Kernel::Convolution(convolution) => of_convolution(convolution),
        _ => rows::find_rows(&call).and_then(|found| of_loops(&call, found)),
    };
    let split = split.and_then(|split| Some((own(plan, &call, split.private, uses)?, split)));
    if let Some((private, split)) = split {
        let mut part = call.clone();
        (split.make)(&mut part.kernel);
        let length = Length {
            cost: vec![match part.kernel.is_of_range() {
                true => cost_of_part(&part, &split.count),
                false => cost_of_row(&part),
            }],
            least_cost: plan.task_cost,
            least_rows: match plan.task_cost < TASK_COST {
                // Tests ask for many tasks.
                true => 1,
                false => split.least_rows,
            },
            most_tasks: MOST_TASKS,
            unit: split.unit,
        };
        if length.splits(&split.count) {
            let tasks = Tasks::new(plan, length, private, Vec::new());
            plan.list(&split.count);
            split.steps.iter().for_each(|step| plan.list(step));
            rows::settle(plan, &mut part);
            return Step::Rows(Rows {
                count: split.count,
                block: None,
                calls: vec![RowCall {
                    call: part,
                    steps: split.steps,
                }],
                tasks: Some(tasks),
            });
        }
    }
    rows::settle(plan, &mut call);
    Step::Run(call)
}

/// Lets a product use blocks, if it is worth them.
pub(super) fn use_blocks(plan: &mut Plan, call: &mut Call) {
    let Kernel::Product(product) = &mut call.kernel else {
        return;
    };
    let blocks = match plan.task_cost < TASK_COST {
        // Tests ask for small blocks, and for those of small products.
        true => Some(Blocks::SMALL).filter(|_| product.is_worth_small_blocks()),
        false => Some(Blocks::USUAL).filter(|_| product.is_worth_blocks()),
    };
    if blocks.is_some() {
        product.blocks = blocks;
        let count = product.packed_elements();
        plan.buffers.set_count(call.buffers[PACKED], count);
    }
}

/// The way in which a kernel by itself is split.
struct Split {
    /// The number of rows, images, matrices or columns.
    count: Extent,
    steps: Vec<Extent>,
    least_rows: i64,
    unit: i64,
    /// Makes the kernel one for a task.
    make: fn(&mut Kernel),
    /// The positions of the buffers of which each task has its own.
    private: &'static [usize],
}

impl Split {
    /// Returns the split into tasks of any number of rows, which need no memory.
    fn new(count: Extent, steps: Vec<Extent>, make: fn(&mut Kernel)) -> Self {
        Split {
            count,
            steps,
            least_rows: 1,
            unit: 1,
            make,
            private: &[],
        }
    }

    /// Returns the split into ranges of columns, of a kernel that uses all of its buffers for each
    /// of them.
    fn of_ranges(count: Extent, buffers: usize) -> Self {
        let steps = vec![Extent::known(0); buffers];
        Self::new(count, steps, |kernel| match kernel {
            Kernel::Product(product) => product.range = Some(Range::Columns),
            Kernel::Convolution(convolution) => convolution.is_of_range = true,
            _ => {}
        })
    }

    /// Returns the split into ranges of columns of tiles.
    fn of_columns(count: Extent, buffers: usize, element: Element) -> Self {
        let unit = columns_of_tiles(element);
        Split {
            least_rows: unit,
            unit,
            ..Self::of_ranges(count, buffers)
        }
    }
}

/// Returns the number of columns of a tile with the widest vectors.
fn columns_of_tiles(element: Element) -> i64 {
    (MOST_COLUMNS_BYTES / element.size()) as i64
}

// The buffers of the kernel of a convolution, by position.
const PADDED: usize = 2;
const PACKED_FILTER: usize = 3;

/// Returns the positions of the buffers that a kernel uses as working memory.
pub(super) fn scratch(kernel: &Kernel) -> &'static [usize] {
    match kernel {
        Kernel::Product(_) => &[PACKED],
        Kernel::Convolution(_) => &[PADDED, PACKED_FILTER],
        _ => &[],
    }
}

/// Returns the buffers at positions; none if there are other uses of them.
fn own(
    plan: &Plan,
    call: &Call,
    positions: &[usize],
    uses: &BTreeMap<usize, usize>,
) -> Option<Vec<usize>> {
    let buffers = positions.iter().map(|&position| call.buffers[position]);
    let is_own = |&buffer: &usize| {
        plan.buffers.get(buffer).place == Place::Arena && uses.get(&buffer) == Some(&1)
    };
    buffers.map(|it| Some(it).filter(is_own)).collect()
}

/// Splits the outermost loop, unless all of its iterations are combined or write the same.
fn of_loops(call: &Call, found: RowsFound) -> Option<Split> {
    let written = call.buffers.iter().position(|it| *it == call.output())?;
    if found.combines || found.uses[written].step.is(0) {
        return None;
    }
    let steps = found.uses.into_iter().map(|use_| use_.step).collect();
    Some(Split::new(found.count, steps, Kernel::restrict_to_block))
}

fn of_product(product: &Product) -> Option<Split> {
    let Product { batch, m, n, k, .. } = product;
    let zero = || Extent::known(0);
    let private = &[PACKED];
    if !batch.is(1) {
        let steps = vec![m.times(k), k.times(n), zero(), m.times(n)];
        let split = Split::new(batch.clone(), steps, |kernel| {
            if let Kernel::Product(product) = kernel {
                product.batch = Extent::symbol(ROWS);
            }
        });
        return Some(Split { private, ..split });
    }
    if let Some(blocks) = product.blocks {
        if m.as_known().is_some_and(|m| m < 2 * blocks.rows) {
            // Each task copies all rows of the left operand, which are few.
            let unit = TILES * columns_of_tiles(product.element);
            return Some(Split {
                least_rows: unit,
                unit,
                private,
                ..Split::of_ranges(n.clone(), 4)
            });
        }
        return Some(Split {
            least_rows: blocks.rows,
            unit: ROWS_OF_TILES,
            private,
            ..Split::new(m.clone(), vec![zero(); 4], |kernel| {
                if let Kernel::Product(product) = kernel {
                    product.range = Some(Range::Rows);
                }
            })
        });
    }
    let has = |size: &Extent, least: i64| size.as_known().is_none_or(|size| size >= least);
    let has_many_columns = n.as_known().is_some_and(|n| n >= MANY_COLUMNS);
    let has_many_rows = !product.transpose_a && has(m, 2 * LEAST_PRODUCT_ROWS);
    if has_many_rows && !has_many_columns {
        let steps = vec![k.clone(), zero(), zero(), n.clone()];
        let split = Split::new(m.clone(), steps, |kernel| {
            if let Kernel::Product(product) = kernel {
                product.m = Extent::symbol(ROWS);
            }
        });
        return Some(Split {
            least_rows: LEAST_PRODUCT_ROWS,
            private,
            ..split
        });
    }
    has(n, 2 * columns_of_tiles(product.element)).then(|| Split {
        private,
        ..Split::of_columns(n.clone(), 4, product.element)
    })
}

fn of_convolution(convolution: &Convolution) -> Option<Split> {
    let zero = || Extent::known(0);
    let positions = convolution.positions();
    let images = &convolution.images;
    // The gradient of a filter combines all images.
    let has_many_images = images.as_known().is_none_or(|images| {
        images >= 8 && images.saturating_mul(positions) >= 2 * LEAST_PRODUCT_ROWS
    });
    if !convolution.is_of_filter && has_many_images {
        let [input, output] = convolution.image_elements().map(Extent::known);
        let steps = vec![input, zero(), zero(), zero(), output];
        let split = Split::new(images.clone(), steps, |kernel| {
            if let Kernel::Convolution(convolution) = kernel {
                convolution.images = Extent::symbol(ROWS);
            }
        });
        return Some(Split {
            least_rows: (LEAST_PRODUCT_ROWS as u64).div_ceil(positions.max(1) as u64) as i64,
            private: &[PADDED, PACKED_FILTER],
            ..split
        });
    }
    let has_many_columns = convolution.results >= 2 * columns_of_tiles(convolution.element);
    let count = Extent::known(convolution.results);
    has_many_columns.then(|| Split {
        // The tasks write different columns of the packed filter; the gradient of a filter packs
        // columns one after the other.
        private: match convolution.is_of_filter {
            true => &[PADDED, PACKED_FILTER],
            false => &[PADDED],
        },
        ..Split::of_columns(count, 5, convolution.element)
    })
}

/// Returns the sum of numbers, if all are known.
fn sum(mut numbers: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    numbers.try_fold(0i64, |sum, number| Some(sum.saturating_add(number?)))
}

/// Returns the cost of a row of a kernel for a block of rows.
pub(super) fn cost_of_row(call: &Call) -> Extent {
    let all = call.kernel.iterations();
    let each = rows::rest(&all);
    each.scaled(match &call.kernel {
        Kernel::Map { body, .. }
        | Kernel::Reduce { body, .. }
        | Kernel::Scan { body, .. }
        | Kernel::Scatter { body, .. } => body.nodes.iter().map(cost).sum::<i64>() + MEMORY_COST,
        Kernel::Product(_) | Kernel::Convolution(_) => 1,
    })
}

/// Returns the cost of a column, or of a row, of a kernel that has this number of them.
fn cost_of_part(call: &Call, count: &Extent) -> Extent {
    let all = call.kernel.iterations();
    all.divided(count).unwrap_or(all)
}

fn cost(node: &Node) -> i64 {
    match node {
        Node::Constant(_) | Node::Scalar(_) | Node::Index(_) => 0,
        Node::Read(_) => MEMORY_COST,
        Node::Lookup(..) => LOOKUP_COST,
        Node::Apply(function, _) if is_simple(*function) => SIMPLE_COST,
        Node::Apply(Function::Random(..), _) => RANDOM_COST,
        Node::Apply(..) => FUNCTION_COST,
    }
}

/// Returns whether a processor has an instruction for a function, or for its few parts.
fn is_simple(function: Function) -> bool {
    use Function as F;
    matches!(
        function,
        F::Abs
            | F::Add
            | F::And
            | F::Cast(_)
            | F::Clip
            | F::Equal
            | F::Greater
            | F::GreaterEqual
            | F::Invert
            | F::LeakyRelu(_)
            | F::LeakyReluGrad(_)
            | F::Less
            | F::LessEqual
            | F::LogicalNot
            | F::Maximum
            | F::Minimum
            | F::Mul
            | F::Neg
            | F::NotEqual
            | F::Or
            | F::Relu
            | F::Relu6
            | F::Relu6Grad
            | F::ReluGrad
            | F::Select
            | F::Square
            | F::SquaredDifference
            | F::Sub
            | F::Xor
    )
}

/// Returns the parts of a result that combines all rows, for a number of tasks.
fn combined(plan: &mut Plan, call: &Call, tasks: i64) -> Combined {
    let output = call.output();
    let element = plan.buffers.element(output);
    let count = plan.buffers.get(output).count.clone();
    let partial = plan.buffers.add(Place::Arena, element, count.scaled(tasks));
    let function = call.kernel.combination();
    let number = Extent::symbol(ROWS);
    let fill = Kernel::fill(loops::identity(function, element), count.times(&number));
    let mut start = Call::new(fill, vec![element], vec![partial], Vec::new());
    rows::settle(plan, &mut start);
    let access = |buffer, steps: [Extent; 2]| Access {
        buffer,
        index: Affine {
            offset: Vec::new(),
            steps: steps.to_vec(),
        },
    };
    let (zero, one) = (Extent::known(0), Extent::known(1));
    let kernel = Kernel::Reduce {
        sizes: vec![number, count.clone()],
        reduced: vec![true, false],
        body: Body {
            nodes: vec![Node::Read(access(0, [count, one.clone()]))],
            elements: vec![element],
        },
        function,
        divisor: None,
        accumulates: true,
        output: access(1, [zero, one]),
    };
    let buffers = vec![partial, output];
    let mut combine = Call::new(kernel, vec![element; 2], buffers, Vec::new());
    rows::settle(plan, &mut combine);
    Combined {
        output,
        partial,
        start,
        combine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of_tasks(cost: i64, least_rows: i64, unit: i64, count: i64) -> i64 {
        let length = Length {
            cost: vec![Extent::known(cost)],
            least_cost: 1000,
            least_rows,
            most_tasks: 8,
            unit,
        };
        let rows = length.known(&Extent::known(count));
        rows.expect("all sizes are known")
    }

    #[test]
    fn tasks_cost_enough_and_are_about_equal() {
        assert_eq!(rows_of_tasks(100, 1, 1, 25), 13);
        assert_eq!(rows_of_tasks(100, 1, 1, 19), 19);
        assert_eq!(rows_of_tasks(100, 12, 1, 25), 13);
        assert_eq!(rows_of_tasks(100, 13, 1, 25), 25);
        assert_eq!(rows_of_tasks(100, 1, 1, 8000), 1000);
        assert_eq!(rows_of_tasks(100, 1, 32, 8000), 1024);
        assert_eq!(rows_of_tasks(0, 1, 1, 0), 1);
    }
}
