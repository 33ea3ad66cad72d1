//! Fusion of kernels on the same rows: they run block by block, so that what they pass to each
//! other stays in the cache.
//!
//! ```text
//! b1[i, :] = a[i, :] * w        for each block of rows:
//! b2[i, :] = tanh b1[i, :]          b1 = a[block] * w
//! g        = sum over i of b2  ──►   b2 = tanh b1
//!                                   g += sum over the block of b2
//! ```
//!
//! The rows of a kernel are the iterations of its outermost loop, or of the rows of a product. A
//! kernel joins a group if it has as many rows as the others, and if the row `i` of what it reads
//! is the row `i` of what the group has written. A kernel that combines all rows, such as the
//! gradient of a weight, adds each block to its result; the group has no other use of that. A
//! buffer that only the group uses has the size of a block.
//!
//! # Algorithm
//!
//! ```text
//! steps ──►  before the group, if they depend on nothing in it and after it
//!            in the group
//!            after it: then the same again, until no steps are left
//! ```
//!
//! A block has as many rows as fit into [`BLOCK_BYTES`], but enough for products, which pack
//! columns for each block. Wide products that combine all rows run by themselves. Source: loop
//! fusion for locality, as in Darte, "On the Complexity of Loop Fusion", 2000; this is a greedy
//! solution.
//!
//! Cost: linear in the steps times [`MOST_WAITING`] at most, since a group ends when too many steps
//! wait for its end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::kernel::{Access, Body, Call, Kernel, Node, Product};
use super::loops;
use super::plan::{Operand, Place, Plan, Sequence, Step};
use super::product::blocks::Blocks;
use super::tasks::{self, Length, Tasks};
use crate::extent::Extent;

/// The bytes of the widest buffer of a block: half of the cache of the first level on most
/// processors, since a kernel reads one buffer and writes another.
const BLOCK_BYTES: i64 = 16 << 10;
/// The maximal number of rows in a block, for rows of single elements.
const MOST_ROWS: i64 = 4096;
/// The rows of a block if the size of a row is unknown.
const USUAL_ROWS: i64 = 42;
/// Blocks of more rows are multiples of this number, which the tiles of products divide.
pub(super) const ROWS_OF_TILES: i64 = 42;
/// The number of rows from which kernels are fused.
const LEAST_ROWS: i64 = 64;
/// The maximal number of kernels in a group.
const MOST_CALLS: usize = 64;
/// The maximal number of steps that wait for the end of a group.
const MOST_WAITING: usize = 256;

/// The symbol of the number of rows of a block. The symbols of plans are fewer.
pub(super) const ROWS: u32 = u32::MAX;
/// The symbol of the first row of a block.
const FIRST_ROW: u32 = ROWS - 1;

/// Kernels that run for blocks of rows.
#[derive(Debug)]
pub(super) struct Rows {
    /// The number of rows.
    pub(super) count: Extent,
    /// The number of rows of a block; none if a task has one block.
    pub(super) block: Option<i64>,
    pub(super) calls: Vec<RowCall>,
    /// The split of the rows; none if one thread runs all of them.
    pub(super) tasks: Option<Tasks>,
}

/// A kernel that runs for a block of rows.
#[derive(Debug)]
pub(super) struct RowCall {
    pub(super) call: Call,
    /// The distance of two rows in each buffer, in elements; 0 if a block uses all of it.
    pub(super) steps: Vec<Extent>,
}

/// The factor of a size that each block has for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfBlock {
    /// The number of its rows.
    Rows,
    /// Its first row.
    First,
}

/// Returns the factor of a size that each block has for itself, and the other one.
pub(super) fn of_block(size: &Extent) -> Option<(OfBlock, Extent)> {
    let by = |symbol, of| Some((of, size.divided(&Extent::symbol(symbol))?));
    by(ROWS, OfBlock::Rows).or_else(|| by(FIRST_ROW, OfBlock::First))
}

/// Returns the factor of a size that is the same for all blocks.
pub(super) fn rest(size: &Extent) -> Extent {
    of_block(size).map_or_else(|| size.clone(), |(_, rest)| rest)
}

/// Fuses the kernels of a plan, and settles all calls.
pub(super) fn fuse(plan: &mut Plan) {
    let mut uses = BTreeMap::new();
    count_uses(&plan.steps, &mut uses);
    let steps = std::mem::take(&mut plan.steps);
    plan.steps = sequence(plan, steps, &uses);
}

/// Counts the uses of buffers by steps. Recursive in the regions of the plan, whose depth is
/// bounded.
fn count_uses(steps: &[Step], uses: &mut BTreeMap<usize, usize>) {
    for step in steps {
        match step {
            Step::Branch { branches, .. } => branches
                .iter()
                .for_each(|branch| count_uses(&branch.steps, uses)),
            Step::Loop(inner) => {
                for carried in &inner.buffers {
                    for buffer in [carried.initial, carried.slots[0], carried.slots[1]] {
                        *uses.entry(buffer).or_default() += 1;
                    }
                }
                count_uses(&inner.condition.steps, uses);
                count_uses(&inner.body.steps, uses);
            }
            _ => {
                let effects = Effects::of(step);
                for buffer in effects.reads.union(&effects.writes) {
                    *uses.entry(*buffer).or_default() += 1;
                }
            }
        }
    }
}

/// A step on the way through the fusion.
enum Item {
    New(Step),
    /// Its kernels are settled.
    Done(Step),
}

/// Fuses the kernels of steps and of their regions. Recursive in the regions of the plan, whose
/// depth is bounded.
fn sequence(plan: &mut Plan, steps: Vec<Step>, uses: &BTreeMap<usize, usize>) -> Vec<Step> {
    let mut done = Vec::new();
    let mut pending: VecDeque<Item> = steps.into_iter().map(Item::New).collect();
    while let Some(item) = pending.pop_front() {
        let mut step = match item {
            Item::Done(step) => {
                done.push(step);
                continue;
            }
            Item::New(Step::Run(call)) => {
                match find_rows(&call).filter(RowsFound::are_many) {
                    Some(found) => {
                        let mut group = Group::start(OfRows { call, found });
                        let (before, after) = group.take(&mut pending);
                        let group = group.finish(plan, uses).into_iter().map(Item::Done);
                        let before = before.into_iter().map(Item::New).chain(group);
                        let items: Vec<_> =
                            before.chain(after.into_iter().map(Item::New)).collect();
                        items
                            .into_iter()
                            .rev()
                            .for_each(|item| pending.push_front(item));
                    }
                    None => done.push(tasks::alone(plan, call, uses)),
                }
                continue;
            }
            Item::New(step) => step,
        };
        let regions: Vec<&mut Sequence> = match &mut step {
            Step::Branch { branches, .. } => branches.iter_mut().collect(),
            Step::Loop(inner) => vec![&mut inner.condition, &mut inner.body],
            _ => Vec::new(),
        };
        for region in regions {
            region.steps = sequence(plan, std::mem::take(&mut region.steps), uses);
        }
        done.push(step);
    }
    done
}

/// Settles the calls of a plan, outside of loops and branches. The kernels of an accelerator pack
/// no columns, and pad no images.
pub(super) fn settle_all(plan: &mut Plan) {
    let mut steps = std::mem::take(&mut plan.steps);
    for step in &mut steps {
        if let Step::Run(call) = step {
            for &place in tasks::scratch(&call.kernel) {
                plan.buffers
                    .set_count(call.buffers[place], Extent::known(0));
            }
            settle(plan, call);
        }
    }
    plan.steps = steps;
}

/// Settles a call, and lists the sizes that it needs.
pub(super) fn settle(plan: &mut Plan, call: &mut Call) {
    call.settle();
    for size in &call.sizes {
        plan.list(&rest(size));
    }
}

/// The buffers and scalars that a step uses.
#[derive(Debug, Default)]
struct Effects {
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
    needs: BTreeSet<usize>,
    computes: BTreeSet<usize>,
    /// It has regions, and keeps its place.
    is_barrier: bool,
}

impl Effects {
    fn of(step: &Step) -> Self {
        let mut effects = Effects::default();
        let mut need = |operand: &Operand| {
            if let Operand::Computed(number, _) = operand {
                effects.needs.insert(*number);
            }
        };
        match step {
            Step::Compute {
                result, operands, ..
            } => {
                operands.iter().for_each(&mut need);
                effects.computes.insert(*result);
            }
            Step::Load { result, buffer } => {
                effects.computes.insert(*result);
                effects.reads.insert(*buffer);
            }
            Step::Store { buffer, value } => {
                need(value);
                effects.writes.insert(*buffer);
            }
            Step::Run(call) => return Self::of_call(call),
            Step::Copy { from, to } => {
                effects.reads.insert(*from);
                effects.writes.insert(*to);
            }
            Step::Fail(condition) => need(condition),
            Step::Rows(_) | Step::Branch { .. } | Step::Loop(_) => effects.is_barrier = true,
        }
        effects
    }

    fn of_call(call: &Call) -> Self {
        let number = |scalar: &Operand| match scalar {
            Operand::Computed(number, _) => Some(*number),
            _ => None,
        };
        let mut writes = BTreeSet::from([call.output()]);
        match call.kernel {
            Kernel::Product(_) => writes.extend([call.buffers[PACKED]]),
            // The memory for a padded image and for the packed filter.
            Kernel::Convolution(_) => writes.extend(&call.buffers[2..]),
            _ => {}
        }
        Effects {
            reads: call.buffers.iter().copied().collect(),
            writes,
            needs: call.scalars.iter().filter_map(number).collect(),
            ..Effects::default()
        }
    }

    fn add(&mut self, other: &Effects) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.needs.extend(&other.needs);
        self.computes.extend(&other.computes);
    }

    /// Returns whether the order of two steps matters.
    fn conflicts(&self, other: &Effects) -> bool {
        let meet = |a: &BTreeSet<usize>, b: &BTreeSet<usize>| !a.is_disjoint(b);
        self.is_barrier
            || other.is_barrier
            || meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
            || meet(&self.computes, &other.needs)
            || meet(&self.needs, &other.computes)
    }
}

// The buffers of the kernel of a product, by position.
const A: usize = 0;
const B: usize = 1;
pub(super) const PACKED: usize = 2;
const C: usize = 3;

/// The way in which a kernel uses the rows of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    /// The distance of two rows, in elements; 0 if each row uses the whole buffer.
    pub(super) step: Extent,
    /// An iteration uses elements of its row only.
    is_confined: bool,
    is_written: bool,
}

impl Use {
    /// Adds another use of the same rows.
    fn add(&mut self, other: &Use) {
        self.is_confined &= other.is_confined;
        self.is_written |= other.is_written;
    }
}

/// The rows of a kernel.
#[derive(Clone)]
pub(super) struct RowsFound {
    pub(super) count: Extent,
    /// By position in the buffers of the call.
    pub(super) uses: Vec<Use>,
    /// All rows are combined in the output.
    pub(super) combines: bool,
}

impl RowsFound {
    fn are_many(&self) -> bool {
        self.count.as_known().is_none_or(|rows| rows >= LEAST_ROWS)
    }
}

/// Finds the rows of a kernel; not all have some.
pub(super) fn find_rows(call: &Call) -> Option<RowsFound> {
    match &call.kernel {
        Kernel::Map {
            sizes,
            body,
            output,
        } => of_loops(call, sizes, body, output),
        Kernel::Reduce {
            sizes,
            reduced,
            body,
            divisor,
            output,
            ..
        } => {
            let found = of_loops(call, sizes, body, output)?;
            let combines = reduced[0];
            (!combines || divisor.is_none()).then_some(RowsFound { combines, ..found })
        }
        Kernel::Scan {
            sizes,
            along,
            body,
            output,
            ..
        } if *along > 0 => of_loops(call, sizes, body, output),
        Kernel::Product(product) => of_product(product),
        // Each row of a scan along them needs those before it.
        Kernel::Scan { .. } => None,
        // An iteration of a scatter may write to any row.
        Kernel::Convolution(_) | Kernel::Scatter { .. } => None,
    }
}

/// A kernel with its rows.
#[derive(Clone)]
struct OfRows {
    call: Call,
    found: RowsFound,
}

impl OfRows {
    /// Returns whether all rows are combined, and tasks are worth it.
    fn combines_in_tasks(&self, plan: &Plan, block: i64) -> bool {
        if !self.found.combines {
            return false;
        }
        let mut kernel = self.clone();
        kernel.for_block();
        let costs = vec![tasks::cost_of_row(&kernel.call)];
        let length = Length::of_group(plan, costs, (block, 1), &[self.call.output()]);
        length.is_some_and(|length| length.splits(&self.found.count))
    }

    /// Makes the kernel one for a block of rows.
    fn for_block(&mut self) {
        self.call.kernel.restrict_to_block();
        match &mut self.call.kernel {
            Kernel::Reduce { accumulates, .. } => *accumulates = self.found.combines,
            Kernel::Product(product) => {
                let of = match product.transpose_a {
                    true => &mut product.k,
                    false => &mut product.m,
                };
                *of = Extent::symbol(ROWS);
                product.accumulates = self.found.combines;
            }
            Kernel::Map { .. }
            | Kernel::Scan { .. }
            | Kernel::Convolution(_)
            | Kernel::Scatter { .. } => {}
        }
    }
}

impl Kernel {
    /// Makes the outermost loop one over a block of rows. Where its index is a value, it is that of
    /// the row in the whole tensor.
    pub(super) fn restrict_to_block(&mut self) {
        let (Kernel::Map { sizes, body, .. }
        | Kernel::Reduce { sizes, body, .. }
        | Kernel::Scan { sizes, body, .. }) = self
        else {
            return;
        };
        sizes[0] = Extent::symbol(ROWS);
        let first = Extent::symbol(FIRST_ROW);
        for node in &mut body.nodes {
            if let Node::Index(index) = node
                && !index.steps[0].is(0)
            {
                index.offset.push(index.steps[0].times(&first));
            }
        }
    }
}

/// Returns the buffers that calls write.
fn outputs(calls: &[RowCall], numbers: &[usize]) -> Vec<usize> {
    let numbers = numbers.iter();
    numbers.map(|&number| calls[number].call.output()).collect()
}

/// Returns the number of rows of loops, and the uses of the buffers.
fn of_loops(call: &Call, sizes: &[Extent], body: &Body, output: &Access) -> Option<RowsFound> {
    let count = sizes.first()?.clone();
    let mut uses: Vec<Option<Use>> = vec![None; call.buffers.len()];
    let reads = body.nodes.iter().filter_map(|node| match node {
        Node::Read(access) => Some((access, access.is_confined(sizes), false)),
        Node::Lookup(access, _) => Some((access, false, false)),
        _ => None,
    });
    let write = (output, output.is_confined(sizes), true);
    for (access, is_confined, is_written) in reads.chain([write]) {
        let new = Use {
            step: access.index.steps[0].clone(),
            is_confined,
            is_written,
        };
        let place = &mut uses[access.buffer];
        match place {
            Some(known) if known.step != new.step => return None,
            Some(known) => known.add(&new),
            None => *place = Some(new),
        }
    }
    Some(RowsFound {
        count,
        uses: uses.into_iter().collect::<Option<_>>()?,
        combines: false,
    })
}

impl Access {
    /// Returns whether each iteration of the outermost loop uses elements of its own.
    fn is_confined(&self, sizes: &[Extent]) -> bool {
        let (steps, step) = (&self.index.steps, &self.index.steps[0]);
        // All numbers are known, or the inner loops use consecutive elements: those of a row.
        let known = |extent: &Extent| extent.as_known();
        let offset: Option<i64> = self.index.offset.iter().map(known).sum();
        let mut last = offset;
        let mut width = Some(Extent::known(1));
        for (size, step) in sizes.iter().zip(steps).skip(1).rev() {
            if step.is(0) {
                continue;
            }
            let way = known(size)
                .zip(known(step))
                .map(|(size, step)| (size - 1) * step);
            last = last.zip(way).map(|(last, way)| last + way);
            width = width
                .filter(|width| width == step)
                .map(|width| width.times(size));
        }
        match (last, known(step)) {
            (Some(last), Some(step)) => (0..step).contains(&last) && offset >= Some(0),
            _ => offset == Some(0) && width.as_ref() == Some(step),
        }
    }
}

fn of_product(product: &Product) -> Option<RowsFound> {
    let row = |step: &Extent, is_written| Use {
        step: step.clone(),
        is_confined: true,
        is_written,
    };
    let whole = |is_written| Use {
        step: Extent::known(0),
        is_confined: false,
        is_written,
    };
    let mut uses = vec![whole(false), whole(false), whole(true), whole(true)];
    if !product.batch.is(1) || !product.element.is_float() {
        return None;
    }
    if !product.transpose_a {
        // The columns of a product of few rows are split into tasks, and its rows in a group are
        // not.
        let has_few_rows = |m: i64| m < 2 * Blocks::USUAL.rows;
        if product.is_wide() && product.m.as_known().is_some_and(has_few_rows) {
            return None;
        }
        uses[A] = row(&product.k, false);
        uses[C] = row(&product.n, true);
        return Some(RowsFound {
            count: product.m.clone(),
            uses,
            combines: false,
        });
    }
    // Each task needs a result of its own, and each block reads and writes all of it.
    if product.transpose_b || product.is_wide() {
        return None;
    }
    uses[A] = row(&product.m, false);
    uses[B] = row(&product.n, false);
    Some(RowsFound {
        count: product.k.clone(),
        uses,
        combines: true,
    })
}

/// A group of kernels that is being collected.
struct Group {
    count: Extent,
    kernels: Vec<OfRows>,
    /// The use of each buffer by all kernels.
    uses: BTreeMap<usize, Use>,
    effects: Effects,
}

impl Group {
    /// Starts a group.
    fn start(first: OfRows) -> Self {
        let mut group = Group {
            count: first.found.count.clone(),
            kernels: Vec::new(),
            uses: BTreeMap::new(),
            effects: Effects::default(),
        };
        group.add(first);
        group
    }

    fn add(&mut self, kernel: OfRows) {
        for (&buffer, new) in kernel.call.buffers.iter().zip(&kernel.found.uses) {
            let known = self.uses.entry(buffer).or_insert_with(|| new.clone());
            known.add(new);
        }
        self.effects.add(&Effects::of_call(&kernel.call));
        self.kernels.push(kernel);
    }

    /// Returns whether a kernel reads and writes rows as the group does.
    fn fits(&self, call: &Call, found: &RowsFound) -> bool {
        let mut uses = call.buffers.iter().zip(&found.uses);
        found.count == self.count
            && self.kernels.len() < MOST_CALLS
            && uses.all(|(buffer, new)| match self.uses.get(buffer) {
                Some(known) if known.is_written || new.is_written => {
                    known.is_confined && new.is_confined && known.step == new.step
                }
                Some(known) => known.step == new.step,
                None => true,
            })
    }

    /// Takes the kernels that join the group out of the steps. Returns steps that come before the
    /// group, and steps that must come after it; the others stay.
    fn take(&mut self, pending: &mut VecDeque<Item>) -> (Vec<Step>, Vec<Step>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut after_effects = Effects::default();
        while before.len() + after.len() < MOST_WAITING {
            let step = match pending.pop_front() {
                Some(Item::New(step)) => step,
                Some(item) => {
                    pending.push_front(item);
                    break;
                }
                None => break,
            };
            let effects = Effects::of(&step);
            if effects.is_barrier {
                pending.push_front(Item::New(step));
                break;
            }
            let waits = effects.conflicts(&after_effects);
            let step = match step {
                Step::Run(call) if !waits => {
                    let found = find_rows(&call);
                    if let Some(found) = found.filter(|found| self.fits(&call, found)) {
                        self.add(OfRows { call, found });
                        continue;
                    }
                    Step::Run(call)
                }
                step => step,
            };
            match waits || effects.conflicts(&self.effects) {
                true => {
                    after_effects.add(&effects);
                    after.push(step);
                }
                false => before.push(step),
            }
        }
        (before, after)
    }

    /// Returns the steps of the group.
    fn finish(self, plan: &mut Plan, uses: &BTreeMap<usize, usize>) -> Vec<Step> {
        let mut steps = Vec::new();
        let block = self.block(plan);
        if let [kernel] = &self.kernels[..] {
            let step = tasks::alone(plan, kernel.call.clone(), uses);
            let is_split = matches!(step, Step::Rows(_));
            if is_split || !kernel.combines_in_tasks(plan, block) {
                return vec![step];
            }
        }
        let least_rows = self.least_rows();
        let local = self.local(plan, uses);
        for &buffer in &local {
            let row = self.uses[&buffer].step.clone();
            plan.buffers.set_count(buffer, row.scaled(block));
        }
        let (mut calls, mut costs, mut combining) = (Vec::new(), Vec::new(), Vec::new());
        for mut kernel in self.kernels {
            if kernel.found.combines {
                combining.push(calls.len());
                steps.push(Step::Run(start_value(plan, &kernel.call)));
            }
            kernel.for_block();
            let OfRows { mut call, found } = kernel;
            if let Kernel::Product(product) = &call.kernel
                && product.accumulates
            {
                let k = Extent::known(block);
                let block = Product {
                    k,
                    ..product.clone()
                };
                let count = block.packed_elements();
                plan.buffers.set_count(call.buffers[PACKED], count);
            }
            costs.push(tasks::cost_of_row(&call));
            tasks::use_blocks(plan, &mut call);
            settle(plan, &mut call);
            let mut steps = Vec::new();
            for (buffer, of_rows) in call.buffers.iter().zip(found.uses) {
                steps.push(match local.contains(buffer) {
                    true => Extent::known(0),
                    false => of_rows.step,
                });
            }
            steps.iter().for_each(|step| plan.list(step));
            calls.push(RowCall { call, steps });
        }
        plan.list(&self.count);
        let combined = outputs(&calls, &combining);
        let length = Length::of_group(plan, costs, (block, least_rows), &combined);
        let tasks = length.and_then(|length| {
            let parts = (&calls[..], &local, &combining[..]);
            Tasks::of_group(plan, length, &self.count, parts, uses)
        });
        steps.push(Step::Rows(Rows {
            count: self.count,
            block: Some(block),
            calls,
            tasks,
        }));
        steps
    }

    /// Returns the number of rows for which the columns of products should be packed.
    fn least_rows(&self) -> i64 {
        let of_product = |product: &Product| match product.is_wide() {
            true => Blocks::USUAL.rows,
            false => ROWS_OF_TILES,
        };
        let of = |kernel: &OfRows| match &kernel.call.kernel {
            Kernel::Product(product) => of_product(product),
            _ => 1,
        };
        self.kernels.iter().map(of).max().unwrap_or(1)
    }

    /// Returns the number of rows of a block.
    fn block(&self, plan: &Plan) -> i64 {
        let least_rows = self.least_rows();
        let mut widest = 1;
        for (&buffer, use_) in &self.uses {
            let Some(step) = use_.step.as_known() else {
                return USUAL_ROWS.max(least_rows);
            };
            widest = widest.max(step * plan.buffers.element(buffer).size() as i64);
        }
        match (BLOCK_BYTES / widest).clamp(least_rows, MOST_ROWS) {
            rows @ ROWS_OF_TILES.. => rows / ROWS_OF_TILES * ROWS_OF_TILES,
            rows => rows,
        }
    }

    /// Returns the buffers that only this group uses, row by row, and that it writes first.
    fn local(&self, plan: &Plan, uses: &BTreeMap<usize, usize>) -> BTreeSet<usize> {
        let mut own: BTreeMap<usize, usize> = BTreeMap::new();
        let mut is_read_first = BTreeSet::new();
        let mut written = BTreeSet::new();
        for kernel in &self.kernels {
            let output = kernel.call.output();
            // A product of a matrix by itself uses it once, as `uses` counts it.
            let buffers: BTreeSet<usize> = kernel.call.buffers.iter().copied().collect();
            for buffer in buffers {
                *own.entry(buffer).or_default() += 1;
                if buffer != output && !written.contains(&buffer) {
                    is_read_first.insert(buffer);
                }
            }
            written.insert(output);
        }
        let is_local = |(buffer, count): &(usize, usize)| {
            let use_ = &self.uses[buffer];
            plan.buffers.get(*buffer).place == Place::Arena
                && uses.get(buffer) == Some(count)
                && !is_read_first.contains(buffer)
                && use_.is_confined
                && !use_.step.is(0)
        };
        let buffers = own.into_iter().filter(is_local);
        buffers.map(|(buffer, _)| buffer).collect()
    }
}

/// Returns the call that writes the start value of a kernel that combines rows.
fn start_value(plan: &mut Plan, call: &Call) -> Call {
    let output = call.output();
    let element = plan.buffers.element(output);
    let value = loops::identity(call.kernel.combination(), element);
    let kernel = Kernel::fill(value, plan.buffers.get(output).count.clone());
    let mut call = Call::new(kernel, vec![element], vec![output], Vec::new());
    settle(plan, &mut call);
    call
}
