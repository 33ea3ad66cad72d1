//! The bodies of a part in one list, each before those inside of it.
//!
//! ```text
//!   body 0   a   loop ─────────► body 1   b   branch ──► body 2, body 3   one for each arm
//! ```

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use tfx_schedule::{Agent, Body, Buffer, BufferId, Command, CommandId, Loop, Names, Op, Part};

/// The number of the host among the agents of a part. Streams follow, in their order.
pub(crate) const HOST: u32 = 0;

/// Returns the number of an agent.
pub(crate) fn agent_number(agent: Agent) -> u32 {
    match agent {
        Agent::Host => HOST,
        Agent::Stream(stream) => stream.0.saturating_add(1),
    }
}

/// A body, and the loop that repeats it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) body: &'a Body,
    pub(crate) repeated: Option<&'a Loop>,
}

/// The bodies of a part.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    pub(crate) part: &'a Part,
    pub(crate) bodies: Vec<Place<'a>>,
    /// The bodies inside of a loop or branch.
    children: FxHashMap<CommandId, Vec<usize>>,
    /// For each loop and branch, the buffers from outside whose ranges it may depend on.
    free: FxHashMap<CommandId, Vec<BufferId>>,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(part: &'a Part) -> Self {
        let mut layout = Self {
            part,
            bodies: Vec::new(),
            children: FxHashMap::default(),
            free: FxHashMap::default(),
        };
        layout.add(Place {
            body: &part.body,
            repeated: None,
        });
        layout
    }

    /// Returns the bodies inside of a command.
    pub(crate) fn children(&self, command: CommandId) -> &[usize] {
        self.children.get(&command).map_or(&[], Vec::as_slice)
    }

    /// Returns the buffers from outside of a loop or branch that it uses, and that control flow
    /// binds.
    pub(crate) fn free(&self, command: CommandId) -> &[BufferId] {
        self.free.get(&command).map_or(&[], Vec::as_slice)
    }

    /// Adds a body and those inside of it, and returns its number and its free buffers. The depth
    /// is that of loops and branches, which the builder limits.
    fn add(&mut self, place: Place<'a>) -> (usize, BTreeSet<BufferId>) {
        let number = self.bodies.len();
        self.bodies.push(place);
        let mut free = BTreeSet::new();
        for command in &place.body.commands {
            let used = match &command.op {
                Op::Loop(inner) => {
                    let (child, mut used) = self.add(Place {
                        body: &inner.body,
                        repeated: Some(inner),
                    });
                    self.children.insert(command.id, vec![child]);
                    self.use_all(&mut used, &inner.body.yields);
                    inner.arguments.buffers.iter().for_each(|argument| {
                        used.remove(argument);
                    });
                    self.use_all(&mut used, &inner.initial);
                    self.close(command, used)
                }
                Op::Branch(branch) => {
                    let mut used = BTreeSet::new();
                    for arm in &branch.arms {
                        let (child, inside) = self.add(Place {
                            body: arm,
                            repeated: None,
                        });
                        self.children.entry(command.id).or_default().push(child);
                        used.extend(inside);
                        self.use_all(&mut used, &arm.yields);
                    }
                    self.close(command, used)
                }
                Op::Work { accesses, .. } => {
                    let used = accesses.iter().map(|access| access.buffer);
                    used.filter_map(|buffer| self.root_of(buffer)).collect()
                }
                Op::Alloc { buffer, .. } | Op::Free { buffer, .. } => {
                    self.root_of(*buffer).into_iter().collect()
                }
                Op::Call(call) => {
                    let mut used = BTreeSet::new();
                    self.use_all(&mut used, &call.arguments);
                    used
                }
                Op::Record { .. } | Op::Wait { .. } => continue,
            };
            free.extend(used);
        }
        // Results are defined in this body.
        for command in &place.body.commands {
            let results = match &command.op {
                Op::Loop(inner) => &inner.results,
                Op::Branch(branch) => &branch.results,
                _ => continue,
            };
            for result in &results.buffers {
                free.remove(result);
            }
        }
        (number, free)
    }

    /// Records the free buffers of a loop or branch.
    fn close(&mut self, command: &Command, used: BTreeSet<BufferId>) -> BTreeSet<BufferId> {
        self.free.insert(command.id, used.iter().copied().collect());
        used
    }

    fn use_all(&self, used: &mut BTreeSet<BufferId>, names: &Names) {
        used.extend(names.buffers.iter().filter_map(|name| self.root_of(*name)));
    }

    /// Returns the buffer that a buffer is a view of, if control flow binds it.
    fn root_of(&self, mut buffer: BufferId) -> Option<BufferId> {
        loop {
            match self.part.buffers.get(buffer.0 as usize)? {
                Buffer::Bound { .. } => return Some(buffer),
                Buffer::View { of, .. } if *of < buffer => buffer = *of,
                _ => return None,
            }
        }
    }
}
