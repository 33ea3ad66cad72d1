//! Random schedules that are correct by construction.
//!
//! Each command waits for the last event of each other stream, so all commands are ordered as they
//! are issued, and each read names the content that this order gives. The waits are separate
//! commands: mutations then remove those that are not needed, and others.

use std::collections::BTreeMap;

use tfx_schedule::{
    Access, Agent, BufferId, Builder, Device, DeviceId, EventId, Lifetime, Mode, Names, PartId,
    RootId, Schedule, Space, StreamId, Trips, Value,
};

use super::Random;

/// The features of a random schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Straight,
    /// A loop with a ring, events of the last two iterations, and code around it.
    Loop,
    /// A loop in a loop.
    Nest,
    /// Branches, one of them in a loop.
    Branch,
    /// Calls of a part.
    Call,
}

/// The size of a cell in bytes: buffers are cells, or two cells.
const CELL: u64 = 8;

type Content = BTreeMap<BufferId, Value>;

struct Generator {
    random: Random,
    b: Builder<u32>,
    place: u32,
    streams: Vec<StreamId>,
    /// The last event of each stream.
    last: Vec<Option<EventId>>,
    /// Events that are older, for waits that are not needed.
    older: Vec<EventId>,
    /// The value of each cell that may be used. A buffer of a loop argument counts as a cell.
    content: Content,
    /// Buffers of two cells, with these.
    pairs: Vec<(BufferId, [BufferId; 2])>,
    /// A managed root, and slices of it that overlap.
    arena: Option<(RootId, Vec<BufferId>)>,
    has_host: bool,
    has_rings: bool,
}

/// Returns a random schedule, with a number as the place of each command.
pub(crate) fn generate(seed: u64, shape: Shape) -> Schedule<u32> {
    let mut generator = Generator {
        random: Random::new(seed),
        b: Builder::new(),
        place: 0,
        streams: Vec::new(),
        last: Vec::new(),
        older: Vec::new(),
        content: Content::new(),
        pairs: Vec::new(),
        arena: None,
        has_host: true,
        has_rings: true,
    };
    generator.schedule(shape);
    generator.b.finish().expect("the bodies are nested")
}

impl Generator {
    fn schedule(&mut self, shape: Shape) {
        let cpu = self.b.device(Device::Cpu);
        let streams = 2 + self.random.below(2);
        let part = (shape == Shape::Call).then(|| {
            let inner = self.part(cpu, streams, None);
            match self.random.chance(40) {
                true => self.part(cpu, streams, Some(inner)),
                false => inner,
            }
        });
        self.b.begin_part("main");
        self.streams = (0..streams).map(|_| self.b.stream(cpu)).collect();
        self.last = vec![None; streams];
        self.memory();
        match shape {
            Shape::Straight => {
                let commands = 4 + self.random.below(8);
                self.commands(commands);
            }
            Shape::Loop => {
                self.some_commands();
                self.a_loop(0);
                self.some_commands();
            }
            Shape::Nest => {
                self.a_loop(1);
                self.some_commands();
            }
            Shape::Branch => {
                self.some_commands();
                match self.random.chance(50) {
                    true => self.a_loop_with_branch(),
                    false => {
                        self.branch();
                        self.some_commands();
                        self.branch();
                    }
                }
                self.some_commands();
            }
            Shape::Call => {
                let (part, size) = part.expect("the part exists");
                self.some_commands();
                let whole = self.content.values().filter(|value| value.offset == 0);
                let is_in_loop = whole.count() > 1 && self.random.chance(30);
                match is_in_loop {
                    true => self.loop_of(|generator| {
                        generator.call(part, size);
                        generator.command();
                    }),
                    false => {
                        for _ in 0..1 + self.random.below(2) {
                            self.call(part, size);
                        }
                    }
                }
                self.some_commands();
            }
        }
        self.end();
        self.b.end_part(Names::default());
    }

    fn memory(&mut self) {
        let cells = 2 + self.random.below(3);
        let size = CELL * cells as u64;
        let root = self.b.root(size, Space::Pinned, Lifetime::External);
        let all: Vec<BufferId> = (0..cells)
            .map(|cell| self.b.slice(root, CELL * cell as u64, CELL))
            .collect();
        for cell in 0..cells - 1 {
            let pair = self.b.slice(root, CELL * cell as u64, 2 * CELL);
            self.pairs.push((pair, [all[cell], all[cell + 1]]));
        }
        for buffer in all {
            let place = self.place();
            let id = self.b.input(place, buffer);
            self.content.insert(buffer, Value { id, offset: 0 });
        }
        if self.random.chance(30) {
            let root = self.b.root(3 * CELL, Space::Pinned, Lifetime::Managed);
            let slices = [(0, 2), (1, 2), (0, 1), (2, 1)]
                .map(|(start, size)| self.b.slice(root, CELL * start, CELL * size));
            self.arena = Some((root, slices.to_vec()));
        }
    }

    /// Reads all cells on the host at the end.
    fn end(&mut self) {
        self.wait_all(Agent::Host);
        let reads: Vec<Access> = self.content.iter().map(reads).collect();
        let place = self.place();
        self.b.host(place, &reads);
    }

    fn place(&mut self) -> u32 {
        self.place += 1;
        self.place
    }

    // ------------------------------------------------------------------------------- commands

    fn some_commands(&mut self) {
        let commands = 1 + self.random.below(3);
        self.commands(commands);
    }

    fn commands(&mut self, commands: usize) {
        for _ in 0..commands {
            match self.arena.is_some() && self.random.chance(25) {
                true => self.temporary(),
                false => self.command(),
            }
        }
    }

    fn command(&mut self) {
        let agent = self.agent();
        let cells: Vec<BufferId> = self.content.keys().copied().collect();
        let target = *self.random.pick(&cells);
        let mut accesses = Vec::new();
        let mut pairs = self.pairs.clone();
        pairs.retain(|(_, pair)| pair.iter().all(|cell| self.content.contains_key(cell)));
        if self.random.chance(60) {
            let source = *self.random.pick(&cells);
            accesses.push(reads((&source, &self.content[&source])));
        }
        let value = Value {
            id: self.b.value(),
            offset: 0,
        };
        if !pairs.is_empty() && accesses.is_empty() && self.random.chance(30) {
            // A value of two cells.
            let (buffer, [low, high]) = *self.random.pick(&pairs);
            accesses.push(writes(buffer, value));
            self.emit(agent, &accesses);
            self.content.insert(low, value);
            let offset = CELL;
            self.content.insert(high, Value { offset, ..value });
            return;
        }
        accesses.push(writes(target, value));
        self.emit(agent, &accesses);
        self.content.insert(target, value);
    }

    /// Adds a lifetime of a slice of the arena.
    fn temporary(&mut self) {
        let Some((_, slices)) = self.arena.clone() else {
            return;
        };
        let slice = *self.random.pick(&slices);
        let agent = self.agent();
        self.wait_all(agent);
        let place = self.place();
        self.b.alloc(place, agent, slice);
        self.record(agent);
        let id = self.b.value();
        let value = Value { id, offset: 0 };
        let uses = match self.random.chance(30) {
            true => vec![Access {
                mode: Mode::Scratch,
                value: None,
                ..writes(slice, value)
            }],
            false => vec![writes(slice, value), reads((&slice, &value))],
        };
        for access in uses {
            let agent = self.agent();
            self.emit(agent, &[access]);
        }
        let agent = self.agent();
        self.wait_all(agent);
        let place = self.place();
        self.b.free(place, agent, slice);
        self.record(agent);
    }

    fn agent(&mut self) -> Agent {
        match self.has_host && self.random.chance(15) {
            true => Agent::Host,
            false => Agent::Stream(*self.random.pick(&self.streams)),
        }
    }

    fn emit(&mut self, agent: Agent, accesses: &[Access]) {
        self.wait_all(agent);
        let place = self.place();
        match agent {
            Agent::Host => self.b.host(place, accesses),
            Agent::Stream(stream) => self.b.launch(place, stream, accesses),
        };
        self.record(agent);
    }

    fn wait_all(&mut self, agent: Agent) {
        let own = self.index(agent);
        if let Some(old) = self.older.last().copied()
            && self.random.chance(20)
        {
            self.wait(agent, old);
        }
        for stream in 0..self.streams.len() {
            if let Some(event) = self.last[stream].filter(|_| own != Some(stream)) {
                self.wait(agent, event);
            }
        }
    }

    fn wait(&mut self, agent: Agent, event: EventId) {
        let place = self.place();
        match agent {
            Agent::Host => self.b.host_wait(place, &[event]),
            Agent::Stream(stream) => self.b.wait(place, stream, &[event]),
        };
    }

    fn record(&mut self, agent: Agent) {
        if let (Agent::Stream(stream), Some(index)) = (agent, self.index(agent)) {
            let place = self.place();
            let event = self.b.record(place, stream);
            self.older.extend(self.last[index].replace(event));
        }
    }

    fn index(&self, agent: Agent) -> Option<usize> {
        match agent {
            Agent::Host => None,
            Agent::Stream(stream) => self.streams.iter().position(|&own| own == stream),
        }
    }

    // -------------------------------------------------------------------------- nested bodies

    /// Records an event on each stream that has none.
    fn complete_events(&mut self) -> Vec<EventId> {
        for index in 0..self.streams.len() {
            if self.last[index].is_none() {
                self.record(Agent::Stream(self.streams[index]));
            }
        }
        self.last.iter().flatten().copied().collect()
    }

    fn trips(&mut self) -> Trips {
        match self.random.below(4) {
            0 => Trips::Exactly(1 + self.random.below(9) as u64),
            1 => Trips::AtLeast(1),
            _ => Trips::AtLeast(0),
        }
    }

    fn a_loop(&mut self, depth: usize) {
        self.loop_of(|generator| {
            generator.some_commands();
            if depth > 0 {
                // The outer loop names the cells that the inner one would rotate.
                let has_rings = std::mem::replace(&mut generator.has_rings, false);
                generator.a_loop(depth - 1);
                generator.has_rings = has_rings;
            }
            if depth > 0 || generator.random.chance(50) {
                generator.command();
            }
        });
    }

    fn a_loop_with_branch(&mut self) {
        self.loop_of(|generator| {
            generator.command();
            generator.branch();
        });
    }

    /// Adds a loop with a ring. Its arguments are the last events of all streams, those of the
    /// previous iteration, the slots of the ring, and the values of all cells.
    fn loop_of(&mut self, body: impl FnOnce(&mut Self)) {
        let events = self.complete_events();
        let streams = events.len();
        let mut cells = self.content.clone();
        // An argument has no offset in its value.
        cells.retain(|_, value| value.offset == 0);
        let slots = match cells.len() {
            0 | 1 => 0,
            _ if !self.has_rings => 0,
            cells => self.random.below(cells.min(4)),
        };
        let ring: Vec<BufferId> = cells.keys().copied().take(slots).collect();
        let fixed: Vec<BufferId> = cells.keys().copied().skip(slots).collect();
        let values = ring.iter().chain(&fixed).map(|cell| cells[cell].id);
        let initial = Names {
            events: [events.clone(), events].concat(),
            buffers: ring.clone(),
            values: values.collect(),
        };
        let trips = self.trips();
        let place = self.place();
        let arguments = self.b.begin_loop(place, trips, initial);
        let outer = (self.content.clone(), self.older.clone());
        self.enter(&arguments, &fixed, streams);
        self.older = arguments.events[streams..].to_vec();
        body(self);
        // The ring rotates by one slot.
        let mut buffers = arguments.buffers.clone();
        if !buffers.is_empty() {
            buffers.rotate_left(1);
        }
        // Values of cells that end in the middle of a value of two cells are written again.
        for cell in buffers.iter().chain(&fixed) {
            self.whole(*cell);
        }
        let last = self.complete_events();
        let values = buffers
            .iter()
            .chain(&fixed)
            .map(|cell| self.content[cell].id);
        let next = Names {
            events: [last, arguments.events[..streams].to_vec()].concat(),
            values: values.collect(),
            buffers,
        };
        let results = self.b.end_loop(next);
        (self.content, self.older) = outer;
        self.content
            .retain(|cell, _| !ring.contains(cell) && !fixed.contains(cell));
        let frozen = std::mem::take(&mut self.content);
        self.enter(&results, &fixed, streams);
        self.content.extend(frozen);
    }

    /// Continues with the arguments or results of a loop.
    fn enter(&mut self, names: &Names, fixed: &[BufferId], streams: usize) {
        let events = names.events[..streams].iter();
        self.last = events.map(|&event| Some(event)).collect();
        let cells = names.buffers.iter().chain(fixed);
        let values = names.values.iter().map(|&id| Value { id, offset: 0 });
        self.content = cells.copied().zip(values).collect();
    }

    /// Writes a cell if its content is not a whole value.
    fn whole(&mut self, cell: BufferId) {
        if self.content[&cell].offset != 0 {
            let id = self.b.value();
            let value = Value { id, offset: 0 };
            let agent = Agent::Stream(self.streams[0]);
            self.emit(agent, &[writes(cell, value)]);
            self.content.insert(cell, value);
        }
    }

    fn branch(&mut self) {
        self.complete_events();
        let place = self.place();
        self.b.begin_branch(place);
        let before = (self.last.clone(), self.older.clone(), self.content.clone());
        let cells: Vec<BufferId> = self.content.keys().copied().collect();
        for _ in 0..2 {
            self.b.begin_arm();
            if self.random.chance(75) {
                self.some_commands();
            }
            for cell in &cells {
                self.whole(*cell);
            }
            let yields = Names {
                events: self.complete_events(),
                buffers: Vec::new(),
                values: cells.iter().map(|cell| self.content[cell].id).collect(),
            };
            self.b.end_arm(yields);
            (self.last, self.older, self.content) = before.clone();
        }
        let results = self.b.end_branch();
        let streams = self.streams.len();
        self.enter(&results, &cells, streams);
    }

    // ---------------------------------------------------------------------------------- parts

    /// Adds a part of two buffers of a cell, which may call another part. Returns it and the number
    /// of its streams.
    fn part(
        &mut self,
        cpu: DeviceId,
        streams: usize,
        inner: Option<(PartId, usize)>,
    ) -> (PartId, usize) {
        let least = inner.map_or(1, |(_, streams)| streams);
        let own = least + self.random.below(streams + 1 - least);
        self.b.begin_part("part");
        self.streams = (0..own).map(|_| self.b.stream(cpu)).collect();
        let begin = self.b.event_parameter(cpu);
        self.last = vec![None; own];
        for _ in 0..2 {
            let buffer = self.b.buffer_parameter(CELL, Space::Pinned);
            let id = self.b.value_parameter();
            self.content.insert(buffer, Value { id, offset: 0 });
        }
        for stream in self.streams.clone() {
            self.wait(Agent::Stream(stream), begin);
        }
        self.has_host = self.random.chance(30);
        self.has_rings = false;
        if self.has_host {
            self.wait(Agent::Host, begin);
        }
        match (inner, self.random.chance(30)) {
            (Some((part, streams)), _) => {
                self.some_commands();
                self.call(part, streams);
            }
            (None, true) => self.a_loop(0),
            (None, false) => self.some_commands(),
        }
        let events = self.complete_events();
        let values = self.content.values().map(|value| value.id).collect();
        let results = Names {
            events,
            buffers: Vec::new(),
            values,
        };
        let part = self.b.end_part(results);
        (self.has_host, self.has_rings) = (true, true);
        self.older.clear();
        self.content.clear();
        (part, own)
    }

    fn call(&mut self, part: PartId, streams: usize) {
        let cells: Vec<BufferId> = self.content.keys().copied().collect();
        cells.iter().for_each(|cell| self.whole(*cell));
        let first = self.random.below(cells.len());
        let second = (first + 1 + self.random.below(cells.len() - 1)) % cells.len();
        let buffers = vec![cells[first], cells[second]];
        let begin = *self.random.pick(&self.streams.clone());
        self.wait_all(Agent::Stream(begin));
        let place = self.place();
        let event = self.b.record(place, begin);
        let index = self.index(Agent::Stream(begin)).expect("a stream");
        self.last[index] = Some(event);
        let actual: Vec<StreamId> = match self.random.chance(85) {
            true => self.streams[..streams].to_vec(),
            false => (0..streams)
                .map(|_| *self.random.pick(&self.streams))
                .collect(),
        };
        let arguments = Names {
            events: vec![event],
            values: buffers.iter().map(|cell| self.content[cell].id).collect(),
            buffers: buffers.clone(),
        };
        let place = self.place();
        let results = self.b.call(place, part, &actual, arguments);
        for &event in &results.events {
            let agent = Agent::Stream(self.streams[0]);
            self.wait(agent, event);
        }
        self.record(Agent::Stream(self.streams[0]));
        for (cell, &id) in buffers.iter().zip(&results.values) {
            self.content.insert(*cell, Value { id, offset: 0 });
        }
    }
}

fn reads((&buffer, &value): (&BufferId, &Value)) -> Access {
    Access {
        buffer,
        mode: Mode::Read,
        value: Some(value),
    }
}

fn writes(buffer: BufferId, value: Value) -> Access {
    Access {
        buffer,
        mode: Mode::Write,
        value: Some(value),
    }
}
