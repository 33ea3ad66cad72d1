//! Schedules in which kernels run again, and the symbolic values that schedules compute.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use tfx_order::{Batch, PipelineRule, recompute};
use tfx_schedule::{
    Access, Buffer, BufferId, Command, CommandId, Mode, Op, Schedule, ValueId, Work,
};

use super::chains::{Kind, Place, Unrolled};

/// Returns a schedule in which the forwards that a rule chooses run again, and their number.
pub(crate) fn recomputed(unrolled: &Unrolled, rule: PipelineRule) -> (Unrolled, usize) {
    let microbatches = unrolled.microbatches();
    let cost = |id| unrolled.cost(id);
    let batches = recompute(&unrolled.schedule, &microbatches, rule, cost).expect("a chain");
    let mut result = unrolled.clone();
    let count = batches.iter().map(|batch| batch.kernels.len()).sum();
    for batch in &batches {
        Rewriter::new(&mut result).batch(batch);
    }
    (result, count)
}

struct Rewriter<'u> {
    unrolled: &'u mut Unrolled,
    buffers: BTreeMap<BufferId, BufferId>,
    values: BTreeMap<ValueId, ValueId>,
}

impl<'u> Rewriter<'u> {
    fn new(unrolled: &'u mut Unrolled) -> Self {
        Self {
            unrolled,
            buffers: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }

    fn op(&self, id: CommandId) -> &Op {
        let commands = &self.unrolled.schedule.parts[0].body.commands;
        let command = commands.iter().find(|command| command.id == id);
        &command.expect("a command").op
    }

    fn command(&mut self, like: CommandId, kind: Kind, op: Op) -> Command {
        let places = &mut self.unrolled.schedule.places;
        let place = places[like.0 as usize];
        let id = CommandId(places.len() as u32);
        places.push(Place { kind, ..place });
        Command { id, op }
    }

    fn read(&self, access: Access, is_replaced: impl Fn(BufferId) -> bool) -> Access {
        let mut access = access;
        if is_replaced(access.buffer) {
            if let Some(new) = self.buffers.get(&access.buffer) {
                access.buffer = *new;
            }
            if let (Mode::Read, Some(value)) = (access.mode, &mut access.value) {
                value.id = self.values.get(&value.id).copied().unwrap_or(value.id);
            }
        }
        access
    }

    fn batch(&mut self, batch: &Batch) {
        let mut added = Vec::new();
        let mut owners = BTreeMap::new();
        for alloc in &batch.allocations {
            let Op::Alloc { agent, buffer } = *self.op(*alloc) else {
                panic!("{alloc:?}")
            };
            let part = &mut self.unrolled.schedule.parts[0];
            let Buffer::Slice { root, size, .. } = part.buffers[buffer.0 as usize] else {
                panic!("{buffer:?}")
            };
            let copy = part.roots[root.0 as usize];
            part.roots.push(copy);
            part.buffers.push(Buffer::Slice {
                root: tfx_schedule::RootId(part.roots.len() as u32 - 1),
                offset: 0,
                size,
            });
            let new = BufferId(part.buffers.len() as u32 - 1);
            self.buffers.insert(buffer, new);
            owners.insert(*alloc, (buffer, agent));
            added.push(self.command(*alloc, Kind::Memory, Op::Alloc { agent, buffer: new }));
        }
        for kernel in &batch.kernels {
            let Op::Work {
                agent,
                kind,
                accesses,
            } = self.op(*kernel).clone()
            else {
                panic!("{kernel:?}")
            };
            let mut again = Vec::new();
            for access in accesses {
                let mut access = self.read(access, |_| true);
                if let (Mode::Write, Some(value)) = (access.mode, &mut access.value) {
                    let part = &mut self.unrolled.schedule.parts[0];
                    self.values.insert(value.id, ValueId(part.values));
                    value.id = ValueId(part.values);
                    part.values += 1;
                }
                again.push(access);
            }
            let op = Op::Work {
                agent,
                kind,
                accesses: again,
            };
            let command = self.command(*kernel, Kind::Again, op);
            self.unrolled.again.push((command.id, batch.user));
            added.push(command);
        }
        let mut frees = BTreeMap::new();
        for (alloc, (buffer, agent)) in &owners {
            let op = Op::Free {
                agent: *agent,
                buffer: self.buffers[buffer],
            };
            let free = self.command(*alloc, Kind::Memory, op);
            match batch.replaced.contains(alloc) {
                true => _ = frees.insert(*buffer, free),
                false => added.push(free),
            }
        }
        self.insert(batch, added, &frees);
    }

    /// Inserts commands before the user, and releases after those of the old buffers.
    fn insert(&mut self, batch: &Batch, added: Vec<Command>, frees: &BTreeMap<BufferId, Command>) {
        let users: BTreeSet<CommandId> = batch.users.iter().copied().collect();
        let commands = std::mem::take(&mut self.unrolled.schedule.parts[0].body.commands);
        let mut added = Some(added);
        let mut result = Vec::new();
        for mut command in commands {
            let mut group = Vec::new();
            if command.id == batch.user {
                group.extend(added.take().expect("one user"));
            }
            if let Op::Work { accesses, .. } = &mut command.op
                && users.contains(&command.id)
            {
                for access in accesses {
                    *access = self.read(*access, |buffer| frees.contains_key(&buffer));
                }
            }
            let free = match command.op {
                Op::Free { buffer, .. } => frees.get(&buffer).cloned(),
                _ => None,
            };
            let id = command.id;
            group.push(command);
            group.extend(free);
            if group.len() > 1 {
                let mut lists = self.unrolled.iterations.iter_mut();
                let list = lists.find(|list| list.contains(&id)).expect("an iteration");
                let at = list.iter().position(|other| *other == id).expect("there");
                list.splice(at..=at, group.iter().map(|command| command.id));
            }
            result.extend(group);
        }
        self.unrolled.schedule.parts[0].body.commands = result;
    }
}

/// Executes a schedule in the order of issue, with a hash for the bytes of each buffer, and returns
/// those of given buffers. A kernel that runs again computes what it computes the first time.
pub(crate) fn symbols(schedule: &Schedule<Place>, results: &[BufferId]) -> Vec<u64> {
    let mut memory: BTreeMap<BufferId, u64> = BTreeMap::new();
    for command in &schedule.parts[0].body.commands {
        let Op::Work { accesses, kind, .. } = &command.op else {
            continue;
        };
        let reads = accesses.iter().filter(|access| access.mode == Mode::Read);
        let reads: Vec<u64> = reads.map(|access| memory[&access.buffer]).collect();
        let place = schedule.places[command.id.0 as usize];
        let letter = match place.kind {
            Kind::Again => Kind::Forward,
            kind => kind,
        };
        let writes = accesses.iter().filter(|access| access.mode == Mode::Write);
        for (number, access) in writes.enumerate() {
            let mut hasher = DefaultHasher::new();
            match kind {
                Work::Copy => reads[0].hash(&mut hasher),
                Work::Input => (access.buffer.0, "input").hash(&mut hasher),
                _ => (letter as u8, place.stage, number, &reads).hash(&mut hasher),
            }
            memory.insert(access.buffer, hasher.finish());
        }
    }
    results.iter().map(|buffer| memory[buffer]).collect()
}
