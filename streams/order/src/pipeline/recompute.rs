//! Recomputation: what backwards read again is computed again, and not kept.
//!
//! ```text
//!   x ─► F ─► %a, %y                x ─► F ─► %a, %y            x is kept, %a is released after F
//!   backward reads x, %a     ──►    x ─► F ─► %b, %z            the batch, right before B
//!                                   backward reads x, %b
//! ```
//!
//! A device keeps the activations of each iteration in flight, until their backward. A *batch* runs
//! the forward kernels of a stage again, right before the first command of its backward that reads
//! what they computed. Then only what comes from other devices, and what the iterations share, is
//! kept. Source: Chen, Xu, Zhang, Guestrin, *Training deep nets with sublinear memory cost* (2016);
//! for pipelines: Huang et al., *GPipe* (2019).
//!
//! A command is a forward if its level is before the turn, else a backward
//! ([`super::tasks`]). The rules `Gpipe` and `Interleaved` split the turn. The others do not:
//! there, the backward of the last stage follows its forward at once.
//!
//! Memory is considered as whole allocations of an iteration. An allocation can be computed again
//! if all its forward accesses that write are of kernels of one device that can run again. A kernel
//! can if it reads named values of two kinds: those of allocations that are computed again, and
//! those that nothing overwrites before the batch; and if it writes only allocations that are
//! computed again. All are assumed to be, and a worklist removes those that are not: it visits each
//! access once for each batch of its device. A backward may overwrite its activations, for then the
//! new allocation takes the place of the old one in all commands from the batch on.
//!
//! A batch that keeps as many bytes of its own inputs as it releases is left out.
//!
//! Cost: O(A S) for A accesses and S batches of a device in an iteration.
//!
//! Not guaranteed: the least memory for a given time, since all or nothing of a stage runs again;
//! and one batch for a backward on several streams of a device.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use tfx_schedule::{Buffer, BufferId, CommandId, Mode, Op, Part, RootId, Schedule, Work};

use super::graph::{Graph, body_of, slice_of};
use super::tasks::Tasks;
use super::{Microbatches, PipelineRule, Unpipelined};
use crate::layout::Layout;

/// Kernels that run again, before a command of the backward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The command before which they run.
    pub user: CommandId,
    /// The kernels, in their order.
    pub kernels: Vec<CommandId>,
    /// The allocations that they write, or use as workspace. Each kernel runs again with new ones.
    pub allocations: Vec<CommandId>,
    /// Those among them that take the place of the old ones. The others are released after the
    /// kernels.
    pub replaced: Vec<CommandId>,
    /// The commands that use the new ones instead.
    pub users: Vec<CommandId>,
}

/// Returns the kernels that run again in an order of a rule, for each iteration.
///
/// # Errors
///
/// As for [`super::pipeline`].
pub fn recompute<P>(
    schedule: &Schedule<P>,
    microbatches: &Microbatches,
    rule: PipelineRule,
    cost: impl Fn(CommandId) -> u64,
) -> Result<Vec<Batch>, Unpipelined> {
    let mut graph = Graph::new(schedule, microbatches, cost)?;
    let tasks = Tasks::new(&mut graph);
    let Some(turn) = tasks.turning_level(&graph) else {
        return Ok(Vec::new());
    };
    let splits = matches!(rule, PipelineRule::Gpipe | PipelineRule::Interleaved);
    let is_second = match splits {
        true => tasks.turn(&graph),
        false => vec![true; graph.nodes.len()],
    };
    let layouts: Vec<Layout<'_>> = schedule.parts.iter().map(Layout::new).collect();
    let first = microbatches.iterations.iter().flatten().next();
    let Some((layout, body)) = first.and_then(|first| body_of(&layouts, *first)) else {
        return Ok(Vec::new());
    };
    let mut slices = vec![0u32; layout.part.roots.len()];
    for buffer in &layout.part.buffers {
        if let Buffer::Slice { root, .. } = buffer
            && let Some(count) = slices.get_mut(root.0 as usize)
        {
            *count += 1;
        }
    }
    let nodes = graph.nodes.iter().enumerate();
    let nodes: FxHashMap<CommandId, usize> = nodes.map(|(at, node)| (node.command, at)).collect();
    let ops = layout.bodies[body].body.commands.iter();
    let ops: FxHashMap<CommandId, &Op> = ops.map(|command| (command.id, &command.op)).collect();
    let mut batches = Vec::new();
    for iteration in &microbatches.iterations {
        let mut facts = Iteration::default();
        let is_single = |root: RootId| slices.get(root.0 as usize) == Some(&1);
        for (at, id) in (0..).zip(iteration) {
            let Some(op) = ops.get(id) else { continue };
            let task = nodes.get(id).map(|node| {
                let level = tasks.levels[*node];
                Task {
                    device: graph.nodes[*node].device,
                    queue: graph.nodes[*node].queue,
                    level,
                    is_backward: level > turn || (level == turn && is_second[*node]),
                }
            });
            facts.add(layout.part, at, (*id, op), task, is_single);
        }
        facts.batches(iteration, &mut batches);
    }
    Ok(batches)
}

/// A place in the chain of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    device: u32,
    queue: u32,
    level: u32,
    is_backward: bool,
}

/// The memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Target {
    /// An allocation of the iteration.
    Own(BufferId),
    /// Memory from outside of it.
    Outer(RootId),
    /// The argument of a loop or a part, which may be any memory from outside.
    Bound,
}

impl Target {
    fn own(&self) -> Option<BufferId> {
        match self {
            Target::Own(buffer) => Some(*buffer),
            Target::Outer(_) | Target::Bound => None,
        }
    }
}

/// An allocation of the iteration.
#[derive(Debug)]
struct Own {
    alloc: CommandId,
    size: u64,
    /// The forward commands that write it or use it as workspace.
    writers: Vec<u32>,
    /// The commands that read it.
    readers: Vec<u32>,
    /// The backwards that use it.
    users: Vec<u32>,
    /// The last access.
    last: u32,
    /// The position of its release.
    free: Option<u32>,
}

impl Own {
    fn new(alloc: CommandId, size: u64, at: u32) -> Self {
        Self {
            alloc,
            size,
            writers: Vec::new(),
            readers: Vec::new(),
            users: Vec::new(),
            last: at,
            free: None,
        }
    }
}

/// A forward kernel.
#[derive(Debug)]
struct Kernel {
    /// The memory that it reads, and whether it names the value.
    reads: Vec<(Target, bool)>,
    /// The memory that it writes or uses as workspace.
    writes: Vec<Target>,
}

/// The commands of an iteration, by their positions.
#[derive(Debug, Default)]
struct Iteration {
    own: BTreeMap<BufferId, Own>,
    kernels: BTreeMap<u32, Kernel>,
    /// For each memory, the positions of its writes.
    writes: BTreeMap<Target, Vec<u32>>,
    /// The same for all memory from outside.
    outer_writes: Vec<u32>,
    /// For each device, the positions of its kernels.
    of_device: BTreeMap<u32, Vec<u32>>,
    /// The first kernel of each backward that reads what a forward wrote.
    first_reads: BTreeMap<Task, u32>,
    /// For each of these kernels, the device, and what its backward reads so.
    read_again: BTreeMap<u32, (u32, Vec<BufferId>)>,
}

impl Iteration {
    fn add(
        &mut self,
        part: &Part,
        at: u32,
        (id, op): (CommandId, &Op),
        task: Option<Task>,
        is_single: impl Fn(RootId) -> bool,
    ) {
        match op {
            Op::Alloc { buffer, .. } => {
                if let Some(&Buffer::Slice { size, root, .. }) = part.buffers.get(buffer.0 as usize)
                    && is_single(root)
                {
                    self.own.insert(*buffer, Own::new(id, size, at));
                }
            }
            Op::Free { buffer, .. } => match self.own.get_mut(buffer) {
                Some(own) => own.free = Some(at),
                None => self.write(self.target(part, *buffer), at),
            },
            Op::Work { kind, accesses, .. } => {
                let is_backward = task.is_none_or(|task| task.is_backward);
                let is_kernel = *kind == Work::Kernel;
                let (mut reads, mut writes) = (Vec::new(), Vec::new());
                for access in accesses {
                    let target = self.target(part, access.buffer);
                    match access.mode {
                        Mode::Read => reads.push((target, access.value.is_some())),
                        Mode::Write | Mode::Scratch => {
                            writes.push(target);
                            self.write(target, at);
                        }
                    }
                    let Target::Own(buffer) = target else {
                        continue;
                    };
                    let Some(own) = self.own.get_mut(&buffer) else {
                        continue;
                    };
                    own.last = at;
                    match (access.mode, is_backward) {
                        (Mode::Read, _) => own.readers.push(at),
                        (_, false) => own.writers.push(at),
                        (_, true) => {}
                    }
                    if is_backward {
                        own.users.push(at);
                    }
                    if let Some(task) = task
                        && is_backward
                        && is_kernel
                        && access.mode == Mode::Read
                        && !own.writers.is_empty()
                    {
                        let first = *self.first_reads.entry(task).or_insert(at);
                        let again = self.read_again.entry(first).or_default();
                        again.0 = task.device;
                        again.1.push(buffer);
                    }
                }
                if let Some(task) = task.filter(|_| is_kernel && !is_backward) {
                    self.of_device.entry(task.device).or_default().push(at);
                    self.kernels.insert(at, Kernel { reads, writes });
                }
            }
            _ => {}
        }
    }

    fn write(&mut self, target: Target, at: u32) {
        self.writes.entry(target).or_default().push(at);
        if !matches!(target, Target::Own(_)) {
            self.outer_writes.push(at);
        }
    }

    fn target(&self, part: &Part, buffer: BufferId) -> Target {
        let slice = slice_of(part, buffer);
        match part.buffers.get(slice.0 as usize) {
            _ if self.own.contains_key(&slice) => Target::Own(slice),
            Some(&Buffer::Slice { root, .. }) => Target::Outer(root),
            _ => Target::Bound,
        }
    }

    /// Appends the batches, in the order of the iteration.
    fn batches(&self, ids: &[CommandId], batches: &mut Vec<Batch>) {
        let mut taken: BTreeSet<BufferId> = BTreeSet::new();
        for (&user, (device, wanted)) in &self.read_again {
            let possible = self.possible(user, *device);
            let wanted = wanted.iter().copied();
            let replaced = wanted.filter(|buffer| {
                possible.is_computed(*buffer)
                    && !taken.contains(buffer)
                    && self.is_released_last(*buffer)
            });
            let replaced: BTreeSet<BufferId> = replaced.collect();
            let (kernels, written) = self.closure(&replaced, &possible);
            if self.bytes_kept(&kernels, &possible, user) >= self.bytes(&replaced) {
                continue;
            }
            let own = replaced.iter().filter_map(|buffer| self.own.get(buffer));
            let users = own.flat_map(|own| &own.users).copied();
            let users: BTreeSet<u32> = users.filter(|at| *at >= user).collect();
            let id = |at: u32| ids[at as usize];
            batches.push(Batch {
                user: id(user),
                kernels: kernels.into_iter().map(id).collect(),
                allocations: self.allocs(&written),
                replaced: self.allocs(&replaced),
                users: users.into_iter().map(id).collect(),
            });
            taken.extend(replaced);
        }
    }

    /// Returns the allocations of buffers, in the order of the iteration.
    fn allocs(&self, buffers: &BTreeSet<BufferId>) -> Vec<CommandId> {
        let own = buffers.iter().filter_map(|buffer| self.own.get(buffer));
        let mut allocs: Vec<CommandId> = own.map(|own| own.alloc).collect();
        allocs.sort_unstable();
        allocs
    }

    fn bytes(&self, buffers: &BTreeSet<BufferId>) -> u64 {
        let own = buffers.iter().filter_map(|buffer| self.own.get(buffer));
        own.map(|own| own.size).fold(0, u64::saturating_add)
    }

    /// Returns whether the iteration releases an allocation after its last access.
    fn is_released_last(&self, buffer: BufferId) -> bool {
        let own = self.own.get(&buffer);
        own.is_some_and(|own| own.free.is_some_and(|free| free > own.last))
    }

    /// Returns the kernels that compute allocations, and all allocations that they write.
    fn closure(
        &self,
        wanted: &BTreeSet<BufferId>,
        possible: &Possible,
    ) -> (BTreeSet<u32>, BTreeSet<BufferId>) {
        let mut pending: Vec<BufferId> = wanted.iter().copied().collect();
        let mut kernels = BTreeSet::new();
        let mut written = BTreeSet::new();
        while let Some(buffer) = pending.pop() {
            let Some(own) = self.own.get(&buffer) else {
                continue;
            };
            if !written.insert(buffer) {
                continue;
            }
            for at in own.writers.iter().filter(|at| kernels.insert(**at)) {
                let Some(kernel) = self.kernels.get(at) else {
                    continue;
                };
                let reads = kernel.reads.iter().map(|(target, _)| target);
                let own = reads.chain(&kernel.writes).filter_map(Target::own);
                pending.extend(own.filter(|buffer| possible.is_computed(*buffer)));
            }
        }
        (kernels, written)
    }

    /// Returns the bytes that kernels read, and that would be released before `user` without them.
    fn bytes_kept(&self, kernels: &BTreeSet<u32>, possible: &Possible, user: u32) -> u64 {
        let kernels = kernels.iter().filter_map(|at| self.kernels.get(at));
        let reads = kernels.flat_map(|kernel| &kernel.reads);
        let own = reads.filter_map(|(target, _)| target.own());
        let kept = own.filter(|buffer| {
            !possible.is_computed(*buffer)
                && self.own.get(buffer).is_some_and(|own| own.last < user)
        });
        self.bytes(&kept.collect())
    }

    /// Returns the allocations that kernels of a device can compute again before a command.
    fn possible(&self, user: u32, device: u32) -> Possible {
        let kernels = self.of_device.get(&device).into_iter().flatten();
        let mut pending: Vec<u32> = kernels.copied().filter(|at| *at < user).collect();
        let mut possible = Possible {
            kernels: pending.iter().copied().collect(),
            buffers: BTreeSet::new(),
        };
        // At first, all allocations that only these kernels write.
        let written = pending.iter().filter_map(|at| self.kernels.get(at));
        let written = written.flat_map(|kernel| &kernel.writes);
        for buffer in written.filter_map(Target::own) {
            let is_known = |own: &Own| own.writers.iter().all(|at| possible.kernels.contains(at));
            let writes = self.writes.get(&Target::Own(buffer)).into_iter().flatten();
            let mut earlier = writes.take_while(|at| **at < user);
            if self.own.get(&buffer).is_some_and(is_known)
                && earlier.all(|at| possible.kernels.contains(at))
            {
                possible.buffers.insert(buffer);
            }
        }
        while let Some(at) = pending.pop() {
            let Some(kernel) = self.kernels.get(&at) else {
                continue;
            };
            if !possible.kernels.contains(&at) || self.can_run(kernel, at, user, &possible) {
                continue;
            }
            possible.kernels.remove(&at);
            for buffer in kernel.writes.iter().filter_map(Target::own) {
                if possible.buffers.remove(&buffer)
                    && let Some(own) = self.own.get(&buffer)
                {
                    pending.extend(own.writers.iter().chain(&own.readers));
                }
            }
        }
        possible
    }

    /// Returns whether a kernel can run again right before `user`.
    fn can_run(&self, kernel: &Kernel, at: u32, user: u32, possible: &Possible) -> bool {
        let is_again = |target: &Target| {
            let own = target.own();
            own.is_some_and(|buffer| possible.is_computed(buffer))
        };
        kernel.writes.iter().all(is_again)
            && kernel.reads.iter().all(|(target, is_named)| {
                *is_named && (is_again(target) || self.is_intact(*target, at, user))
            })
    }

    /// Returns whether nothing overwrites or releases memory between two commands.
    fn is_intact(&self, target: Target, from: u32, to: u32) -> bool {
        let is_between = |writes: &[u32]| {
            let first = writes.partition_point(|at| *at < from);
            writes.get(first).is_some_and(|at| *at < to)
        };
        let written = |target| {
            let writes = self.writes.get(&target);
            writes.is_some_and(|writes| is_between(writes))
        };
        match target {
            Target::Own(buffer) => {
                let free = self.own.get(&buffer).and_then(|own| own.free);
                !written(target) && free.is_none_or(|free| free > to)
            }
            Target::Outer(_) => !written(target) && !written(Target::Bound),
            Target::Bound => !is_between(&self.outer_writes),
        }
    }
}

/// The kernels that can run again, and the allocations that they compute.
#[derive(Debug, Default)]
struct Possible {
    kernels: BTreeSet<u32>,
    buffers: BTreeSet<BufferId>,
}

impl Possible {
    fn is_computed(&self, buffer: BufferId) -> bool {
        self.buffers.contains(&buffer)
    }
}
