//! The names of a schedule: each is defined once and visible where it is used, and sizes fit.
//!
//! ```text
//! body of the part      e0 = record s0        defined at level 0
//!   loop (e1 = e0)      wait s1, e1           e1: defined at level 1, last use
//!                       e2 = record s1        e2: used at the end
//!     yields e2
//!   e3 = result         wait s0, e3           last use of e3, so its clock is dropped here
//! ```
//!
//! One walk over each part keeps the open bodies. A name is visible if the body that defines it is
//! open. The last use of a name, as an index of the body that defines it, tells the checker when
//! to forget it: states of loops repeat only if they have no names that nothing uses. An event may
//! be waited for, and a value read, before the command of the same body that defines it; the
//! checker then delays the wait.
//!
//! Cost: linear. The recursion is limited by [`MAX_DEPTH`].

use crate::diagnostic::{Diagnostic, Limit, ModelError, Name, Problem};
use crate::model::{
    Agent, Body, Buffer, BufferId, Call, Command, CommandId, Device, DeviceId, MAX_DEPTH, Mode,
    Names, Op, Part, PartId, Root, Space,
};
use crate::rules;

/// A schedule without its places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program<'s> {
    pub(crate) devices: &'s [Device],
    pub(crate) parts: &'s [Part],
    /// The number of places.
    pub(crate) commands: usize,
}

/// The names that are not used after a command, by [`CommandId`].
pub(crate) type LastUses = Vec<Vec<Name>>;

/// Checks all names, sizes and static rules of a schedule.
pub(crate) fn resolve(program: Program<'_>) -> (LastUses, Vec<Diagnostic>) {
    let mut last_uses = vec![Vec::new(); program.commands];
    let mut seen = vec![false; program.commands];
    let mut diagnostics = Vec::new();
    let mut depths = Vec::new();
    for (index, part) in program.parts.iter().enumerate() {
        let mut walk = Walk {
            program,
            id: PartId(index as u32),
            part,
            homes: [part.events.len(), part.buffers.len(), part.values as usize]
                .map(|names| vec![None; names]),
            frames: Vec::new(),
            bodies: 0,
            depths: &depths,
            depth: 0,
            last_uses: &mut last_uses,
            seen: &mut seen,
            diagnostics: &mut diagnostics,
        };
        walk.part();
        let depth = walk.depth;
        depths.push(depth);
    }
    let entry = program.parts.last();
    if entry.is_none_or(|part| part.parameters != Names::default()) {
        let error = match entry {
            Some(_) => ModelError::Part,
            None => ModelError::Incomplete,
        };
        diagnostics.push(Diagnostic {
            part: PartId(program.parts.len().saturating_sub(1) as u32),
            problem: Problem::Model {
                command: None,
                error,
            },
        });
    }
    (last_uses, diagnostics)
}

/// The definition of a name.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// The level and number of the body that defines it.
    level: usize,
    body: usize,
    /// The index of the last command of that body that uses it; the end of the body is the
    /// largest number.
    last: usize,
}

/// An open body.
#[derive(Debug)]
struct Frame {
    body: usize,
    /// The index of the current command.
    index: usize,
    defined: Vec<Name>,
    /// Uses of names that a later command of the body may define.
    early: Vec<(Name, CommandId, Agent, usize)>,
}

struct Walk<'w, 's> {
    program: Program<'s>,
    id: PartId,
    part: &'s Part,
    /// The definitions of events, buffers and values.
    homes: [Vec<Option<Home>>; 3],
    frames: Vec<Frame>,
    /// The number of bodies so far.
    bodies: usize,
    /// The depths of earlier parts.
    depths: &'w [usize],
    depth: usize,
    last_uses: &'w mut LastUses,
    seen: &'w mut [bool],
    diagnostics: &'w mut Vec<Diagnostic>,
}

impl<'s> Walk<'_, 's> {
    fn part(&mut self) {
        let part = self.part;
        let devices = self.program.devices;
        let in_space = |space: Space| match space {
            Space::Device(device) => exists(devices, device),
            Space::Pageable | Space::Pinned => true,
        };
        let is_known = part.streams.iter().all(|s| exists(devices, s.device))
            && part.events.iter().all(|e| exists(devices, e.device))
            && part.roots.iter().all(|root| in_space(root.space));
        if !is_known {
            self.model(None, ModelError::Device);
        }
        for (index, &buffer) in part.buffers.iter().enumerate() {
            let id = BufferId(index as u32);
            if !fits(part, id, buffer) {
                self.model(None, ModelError::Range(id));
            }
        }
        if !part.body.yields.buffers.is_empty() {
            self.model(None, ModelError::Part);
        }
        self.body(&part.body, &part.parameters, None);
    }

    fn body(&mut self, body: &'s Body, arguments: &Names, owner: Option<CommandId>) {
        let level = self.frames.len();
        self.depth = self.depth.max(level);
        if level > MAX_DEPTH {
            return self.limit(owner);
        }
        self.bodies += 1;
        self.frames.push(Frame {
            body: self.bodies,
            index: 0,
            defined: Vec::new(),
            early: Vec::new(),
        });
        self.define_all(arguments, owner);
        for (index, command) in body.commands.iter().enumerate() {
            self.frames[level].index = index;
            match self.seen.get_mut(command.id.index()) {
                Some(seen) if !*seen => *seen = true,
                _ => {
                    self.model(Some(command.id), ModelError::Incomplete);
                    continue;
                }
            }
            let problems = rules::check_command(self.program, self.part, command);
            let part = self.id;
            let problems = problems.into_iter();
            self.diagnostics
                .extend(problems.map(|problem| Diagnostic { part, problem }));
            self.command(command);
        }
        self.frames[level].index = usize::MAX;
        self.use_all(&body.yields, owner);
        self.close(body);
    }

    /// Closes a body: resolves early uses, and records the last uses of its names.
    fn close(&mut self, body: &Body) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        for (name, command, agent, index) in frame.early {
            match self.home(name) {
                Some(Some(home)) if home.body == frame.body => {
                    home.last = home.last.max(index);
                    self.early_wait(name, command, agent);
                }
                _ => match name {
                    Name::Event(event) => self.report(Problem::NeverRecorded { command, event }),
                    _ => self.model(Some(command), ModelError::Undefined(name)),
                },
            }
        }
        for name in frame.defined {
            let last = match self.home(name) {
                Some(Some(home)) => home.last,
                _ => continue,
            };
            if let Some(command) = body.commands.get(last)
                && let Some(names) = self.last_uses.get_mut(command.id.index())
            {
                names.push(name);
            }
        }
    }

    fn early_wait(&mut self, name: Name, command: CommandId, agent: Agent) {
        let Name::Event(event) = name else {
            return;
        };
        let Agent::Stream(stream) = agent else {
            return;
        };
        let stream = self.part.streams.get(stream.index());
        let device = stream.and_then(|stream| self.program.devices.get(stream.device.index()));
        if device == Some(&Device::Cuda) {
            self.report(Problem::EarlyWait { command, event });
        }
    }

    fn command(&mut self, command: &'s Command) {
        let id = Some(command.id);
        match &command.op {
            Op::Work {
                agent, accesses, ..
            } => {
                for access in accesses {
                    self.use_buffer(access.buffer, id);
                }
                let values = |mode: fn(Mode) -> bool| {
                    let accesses = accesses.iter().filter(move |access| mode(access.mode));
                    accesses.filter_map(|access| Some(access.value?.id))
                };
                for value in values(|mode| mode == Mode::Read) {
                    self.use_early(Name::Value(value), command.id, *agent);
                }
                for value in values(|mode| mode != Mode::Read) {
                    self.define(Name::Value(value), id);
                }
            }
            Op::Record { event, .. } => self.define(Name::Event(*event), id),
            Op::Wait { agent, events } => {
                for &event in events {
                    self.use_early(Name::Event(event), command.id, *agent);
                }
            }
            Op::Alloc { buffer, .. } | Op::Free { buffer, .. } => self.use_buffer(*buffer, id),
            Op::Loop(inner) => {
                let arity = inner.arguments.arity();
                let names = [&inner.initial, &inner.results, &inner.body.yields];
                if names.iter().any(|names| names.arity() != arity) {
                    self.model(id, ModelError::Arity);
                }
                self.use_all(&inner.initial, id);
                self.body(&inner.body, &inner.arguments, id);
                self.define_all(&inner.results, id);
            }
            Op::Branch(branch) => {
                if branch.arms.is_empty() {
                    self.model(id, ModelError::NoArm);
                }
                for arm in &branch.arms {
                    if arm.yields.arity() != branch.results.arity() {
                        self.model(id, ModelError::Arity);
                    }
                    self.body(arm, &Names::default(), id);
                }
                self.define_all(&branch.results, id);
            }
            Op::Call(call) => self.call(call, command.id),
        }
    }

    fn call(&mut self, call: &Call, command: CommandId) {
        let id = Some(command);
        self.use_all(&call.arguments, id);
        self.define_all(&call.results, id);
        let Some(&depth) = self.depths.get(call.part.index()) else {
            return self.model(id, ModelError::Part);
        };
        self.depth = self.depth.max(self.frames.len() + depth);
        if self.depth > MAX_DEPTH {
            self.limit(id);
        }
        let callee = &self.program.parts[call.part.index()];
        let streams = call.streams.iter().map(|stream| {
            let stream = self.part.streams.get(stream.index());
            stream.map(|stream| stream.device)
        });
        let matches = call.arguments.arity() == callee.parameters.arity()
            && call.results.arity() == callee.body.yields.arity()
            && streams.eq(callee.streams.iter().map(|stream| Some(stream.device)));
        if !matches {
            self.model(id, ModelError::Arity);
        }
    }

    // ------------------------------------------------------------------------------- names

    /// Returns the definition of a name, or `None` if the part does not have the name.
    fn home(&mut self, name: Name) -> Option<&mut Option<Home>> {
        match name {
            Name::Event(event) => self.homes[0].get_mut(event.index()),
            Name::Buffer(buffer) => self.homes[1].get_mut(buffer.index()),
            Name::Value(value) => self.homes[2].get_mut(value.index()),
            Name::Stream(_) | Name::Part(_) => None,
        }
    }

    fn define(&mut self, name: Name, command: Option<CommandId>) {
        let level = self.frames.len() - 1;
        let frame = &self.frames[level];
        let new = Home {
            level,
            body: frame.body,
            last: frame.index,
        };
        let is_static = match name {
            Name::Buffer(id) => !matches!(
                self.part.buffers.get(id.index()),
                Some(Buffer::Bound { .. })
            ),
            _ => false,
        };
        match self.home(name) {
            Some(home) if home.is_none() && !is_static => {
                *home = Some(new);
                self.frames[level].defined.push(name);
            }
            Some(_) => self.model(command, ModelError::Redefined(name)),
            None => self.model(command, ModelError::Undefined(name)),
        }
    }

    /// Records a use, and returns whether the name is visible.
    fn is_used(&mut self, name: Name) -> bool {
        let Some(&mut Some(home)) = self.home(name) else {
            return false;
        };
        let frame = self.frames.get(home.level);
        let Some(frame) = frame.filter(|frame| frame.body == home.body) else {
            return false;
        };
        let index = frame.index;
        if let Some(Some(home)) = self.home(name) {
            home.last = home.last.max(index);
        }
        true
    }

    fn use_now(&mut self, name: Name, command: Option<CommandId>) {
        if !self.is_used(name) {
            self.model(command, ModelError::Undefined(name));
        }
    }

    /// Uses a name that a later command of the body may define.
    fn use_early(&mut self, name: Name, command: CommandId, agent: Agent) {
        match self.home(name) {
            Some(None) => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.early.push((name, command, agent, frame.index));
                }
            }
            _ => self.use_now(name, Some(command)),
        }
    }

    fn use_buffer(&mut self, buffer: BufferId, command: Option<CommandId>) {
        match base(self.part, buffer) {
            Some((_, Buffer::Slice { .. })) => {}
            Some((id, _)) => self.use_now(Name::Buffer(id), command),
            None => self.model(command, ModelError::Undefined(Name::Buffer(buffer))),
        }
    }

    fn use_all(&mut self, names: &Names, command: Option<CommandId>) {
        for &event in &names.events {
            self.use_now(Name::Event(event), command);
        }
        for &buffer in &names.buffers {
            self.use_buffer(buffer, command);
        }
        for &value in &names.values {
            self.use_now(Name::Value(value), command);
        }
    }

    fn define_all(&mut self, names: &Names, command: Option<CommandId>) {
        for &event in &names.events {
            self.define(Name::Event(event), command);
        }
        for &buffer in &names.buffers {
            self.define(Name::Buffer(buffer), command);
        }
        for &value in &names.values {
            self.define(Name::Value(value), command);
        }
    }

    // ------------------------------------------------------------------------- diagnostics

    fn model(&mut self, command: Option<CommandId>, error: ModelError) {
        self.report(Problem::Model { command, error });
    }

    fn limit(&mut self, command: Option<CommandId>) {
        self.report(Problem::Limit {
            command,
            limit: Limit::Depth,
        });
    }

    fn report(&mut self, problem: Problem) {
        let part = self.id;
        self.diagnostics.push(Diagnostic { part, problem });
    }
}

fn exists(devices: &[Device], device: DeviceId) -> bool {
    device.index() < devices.len()
}

/// Returns whether a buffer is not empty and lies within its root or buffer.
fn fits(part: &Part, id: BufferId, buffer: Buffer) -> bool {
    let is_within = |offset: u64, size: u64, whole: u64| {
        size > 0 && offset.checked_add(size).is_some_and(|end| end <= whole)
    };
    match buffer {
        Buffer::Slice { root, offset, size } => {
            let root: Option<&Root> = part.roots.get(root.index());
            root.is_some_and(|root| is_within(offset, size, root.size))
        }
        Buffer::View { of, offset, size } => {
            of < id && self::size(part, of).is_some_and(|whole| is_within(offset, size, whole))
        }
        Buffer::Bound { size, .. } => size > 0,
    }
}

/// Returns the size of a buffer.
pub(crate) fn size(part: &Part, buffer: BufferId) -> Option<u64> {
    Some(match *part.buffers.get(buffer.index())? {
        Buffer::Slice { size, .. } | Buffer::View { size, .. } | Buffer::Bound { size, .. } => size,
    })
}

/// Returns the slice or bound buffer that a buffer is a view of, or that it is.
pub(crate) fn base(part: &Part, buffer: BufferId) -> Option<(BufferId, Buffer)> {
    let mut id = buffer;
    loop {
        match *part.buffers.get(id.index())? {
            Buffer::View { of, .. } if of < id => id = of,
            Buffer::View { .. } => return None,
            found => return Some((id, found)),
        }
    }
}

/// Returns the memory space of a buffer.
pub(crate) fn space(part: &Part, buffer: BufferId) -> Option<Space> {
    match base(part, buffer)?.1 {
        Buffer::Slice { root, .. } => Some(part.roots.get(root.index())?.space),
        Buffer::Bound { space, .. } => Some(space),
        Buffer::View { .. } => None,
    }
}
