//! Chains of stages, and the schedules of their pipelines.

use std::collections::BTreeMap;

use tfx_order::{Microbatches, Pipeline, PipelineRule, Unpipelined, pipeline};
use tfx_schedule::{
    Access, Agent, BufferId, Builder, Command, CommandId, Device, DeviceId, Lifetime, Names, Op,
    Schedule, Space, StreamId, ValueId, Work, read, write,
};

/// The kind of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Forward,
    Backward,
    Weight,
    /// A forward that runs again.
    Again,
    Copy,
    Memory,
}

/// A command of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) stage: usize,
    pub(crate) iteration: usize,
    pub(crate) cost: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A chain: forwards of all stages, then their backwards. Stages are on the devices in turn.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) devices: usize,
    /// The times of the forward and backward of each stage, and of its weight gradient, if it is a
    /// kernel of its own.
    pub(crate) costs: Vec<[u64; 3]>,
    /// The time of a copy to another device; 0 for memory that both devices access.
    pub(crate) link: u64,
    /// Stages whose forward reads the output of an earlier one also.
    pub(crate) skips: Vec<(usize, usize)>,
    pub(crate) iterations: usize,
    /// The kernels of each forward; each but the last has an activation of its own.
    pub(crate) layers: usize,
    /// Set if a backward overwrites the activation of the last layer.
    pub(crate) is_in_place: bool,
}

impl Chain {
    pub(crate) fn equal(devices: usize, iterations: usize, costs: [u64; 3]) -> Self {
        Self {
            devices,
            costs: vec![costs; devices],
            link: 0,
            skips: Vec::new(),
            iterations,
            layers: 1,
            is_in_place: false,
        }
    }

    pub(crate) fn build(&self) -> Unrolled {
        let mut b = Builder::new();
        let gpus: Vec<DeviceId> = (0..self.devices).map(|_| b.device(Device::Cuda)).collect();
        b.begin_part("main");
        let mut emitter = Emitter {
            chain: self,
            streams: gpus.iter().map(|gpu| b.stream(*gpu)).collect(),
            links: gpus.iter().map(|g| [b.stream(*g), b.stream(*g)]).collect(),
            gpus,
            iteration: 0,
            commands: Vec::new(),
            b,
        };
        let gradients: Vec<(BufferId, ValueId)> = (0..self.costs.len())
            .map(|stage| {
                let gpu = emitter.gpus[stage % self.devices];
                let buffer = emitter.b.buffer(256, Space::Device(gpu));
                let place = emitter.place(Kind::Memory, stage, 0);
                (buffer, emitter.b.input(place, buffer))
            })
            .collect();
        let batch = emitter.b.buffer(256, Space::Pinned);
        let place = emitter.place(Kind::Memory, 0, 0);
        let batch = (batch, emitter.b.input(place, batch));
        let sums = gradients.iter().map(|(buffer, _)| *buffer).collect();
        let mut gradients = gradients;
        let mut iterations = Vec::new();
        for iteration in 0..self.iterations {
            emitter.iteration = iteration;
            emitter.iteration(batch, &mut gradients);
            iterations.push(std::mem::take(&mut emitter.commands));
        }
        let mut b = emitter.b;
        b.end_part(Names::default());
        Unrolled {
            schedule: b.finish().expect("a part"),
            iterations,
            again: Vec::new(),
            sums,
        }
    }
}

struct Emitter<'c> {
    chain: &'c Chain,
    b: Builder<Place>,
    gpus: Vec<DeviceId>,
    streams: Vec<StreamId>,
    links: Vec<[StreamId; 2]>,
    iteration: usize,
    commands: Vec<CommandId>,
}

type Content = (BufferId, ValueId);

impl Emitter<'_> {
    fn place(&self, kind: Kind, stage: usize, cost: u64) -> Place {
        Place {
            kind,
            stage,
            iteration: self.iteration,
            cost,
        }
    }

    fn alloc(&mut self, stage: usize, space: Space) -> BufferId {
        let root = self.b.root(256, space, Lifetime::Managed);
        let buffer = self.b.slice(root, 0, 256);
        let place = self.place(Kind::Memory, stage, 0);
        let agent = Agent::Stream(self.streams[stage % self.gpus.len()]);
        self.commands.push(self.b.alloc(place, agent, buffer));
        buffer
    }

    fn free(&mut self, stage: usize, buffer: BufferId) {
        let place = self.place(Kind::Memory, stage, 0);
        let agent = Agent::Stream(self.streams[stage % self.gpus.len()]);
        self.commands.push(self.b.free(place, agent, buffer));
    }

    fn launch(&mut self, kind: Kind, stage: usize, cost: u64, accesses: &[Access]) {
        let stream = self.streams[stage % self.gpus.len()];
        let place = self.place(kind, stage, cost);
        self.commands.push(self.b.launch(place, stream, accesses));
    }

    /// Returns a content for another stage.
    fn send(&mut self, content: Content, from: usize, to: usize, direction: usize) -> Content {
        if self.chain.link == 0 {
            return content;
        }
        let gpu = self.gpus[to % self.gpus.len()];
        let buffer = self.alloc(to, Space::Device(gpu));
        let value = self.b.value();
        let place = self.place(Kind::Copy, from, self.chain.link);
        let stream = self.links[from % self.gpus.len()][direction];
        let (source, target) = (read(content.0, content.1), write(buffer, value));
        let copy = self.b.copy(place, stream, source, target);
        self.commands.push(copy);
        (buffer, value)
    }

    /// Adds the commands of an iteration.
    fn iteration(&mut self, batch: Content, gradients: &mut [Content]) {
        let stages = self.chain.costs.len();
        let space = |emitter: &Self, stage: usize| match emitter.chain.link {
            0 => Space::Pinned,
            _ => Space::Device(emitter.gpus[stage % emitter.gpus.len()]),
        };
        let mut outputs: Vec<Content> = Vec::new();
        let (mut kept, mut owned) = (Vec::new(), Vec::new());
        for stage in 0..stages {
            let mut inputs = Vec::new();
            match outputs.last() {
                None => inputs.push(batch),
                Some(&last) => {
                    let input = self.send(last, stage - 1, stage, 0);
                    if input != last {
                        owned.push((stage, input.0));
                    }
                    inputs.push(input);
                }
            }
            for (from, to) in self.chain.skips.clone() {
                if to == stage {
                    let input = self.send(outputs[from], from, stage, 0);
                    if input != outputs[from] {
                        owned.push((stage, input.0));
                    }
                    inputs.push(input);
                }
            }
            let gpu = self.gpus[stage % self.gpus.len()];
            let cost = (self.chain.costs[stage][0] / self.chain.layers as u64).max(1);
            let mut activations = Vec::new();
            for _ in 1..self.chain.layers {
                let inner = (self.alloc(stage, Space::Device(gpu)), self.b.value());
                owned.push((stage, inner.0));
                let mut accesses: Vec<Access> = inputs.iter().map(|c| read(c.0, c.1)).collect();
                accesses.extend(activations.last().map(|c: &Content| read(c.0, c.1)));
                accesses.push(write(inner.0, inner.1));
                self.launch(Kind::Forward, stage, cost, &accesses);
                activations.push(inner);
            }
            let activation = (self.alloc(stage, Space::Device(gpu)), self.b.value());
            let output = (self.alloc(stage, space(self, stage)), self.b.value());
            owned.extend([(stage, activation.0), (stage, output.0)]);
            let mut accesses: Vec<Access> = inputs.iter().map(|c| read(c.0, c.1)).collect();
            accesses.extend(activations.last().map(|c| read(c.0, c.1)));
            accesses.extend([activation, output].map(|c| write(c.0, c.1)));
            self.launch(Kind::Forward, stage, cost, &accesses);
            activations.push(activation);
            kept.push((inputs, activations));
            outputs.push(output);
        }
        let mut gradient = outputs[stages - 1];
        for stage in (0..stages).rev() {
            if stage + 1 < stages {
                let sent = self.send(gradient, stage + 1, stage, 1);
                if sent != gradient {
                    owned.push((stage, sent.0));
                }
                gradient = sent;
            }
            let (inputs, activations) = &kept[stage];
            let mut reads: Vec<Access> = inputs.iter().map(|c| read(c.0, c.1)).collect();
            reads.extend(activations.iter().map(|c| read(c.0, c.1)));
            reads.push(read(gradient.0, gradient.1));
            let result = (self.alloc(stage, space(self, stage)), self.b.value());
            owned.push((stage, result.0));
            let [_, backward, weight] = self.chain.costs[stage];
            let (sum, before) = gradients[stage];
            let after = self.b.value();
            gradients[stage] = (sum, after);
            let update = [read(sum, before), write(sum, after)];
            let mut accesses = reads.clone();
            accesses.push(write(result.0, result.1));
            match weight {
                0 => {
                    accesses.extend(update);
                    if self.chain.is_in_place {
                        let last = activations[activations.len() - 1].0;
                        accesses.push(write(last, self.b.value()));
                    }
                    self.launch(Kind::Backward, stage, backward, &accesses);
                }
                _ => {
                    self.launch(Kind::Backward, stage, backward, &accesses);
                    reads.extend(update);
                    self.launch(Kind::Weight, stage, weight, &reads);
                }
            }
            gradient = result;
        }
        for (stage, buffer) in owned {
            self.free(stage, buffer);
        }
    }
}

/// The commands of all iterations, in the order of the loop.
#[derive(Clone, Debug)]
pub(crate) struct Unrolled {
    pub(crate) schedule: Schedule<Place>,
    pub(crate) iterations: Vec<Vec<CommandId>>,
    /// The kernels that run again, with their users.
    pub(crate) again: Vec<(CommandId, CommandId)>,
    /// The sums of the gradients of stages.
    pub(crate) sums: Vec<BufferId>,
}

impl Unrolled {
    pub(crate) fn microbatches(&self) -> Microbatches {
        Microbatches {
            iterations: self.iterations.clone(),
            again: self.again.clone(),
        }
    }

    pub(crate) fn cost(&self, id: CommandId) -> u64 {
        self.place(id).cost
    }

    pub(crate) fn pipeline(&self, rule: PipelineRule) -> Result<Pipeline, Unpipelined> {
        let cost = |id| self.cost(id);
        pipeline(&self.schedule, &self.microbatches(), rule, cost)
    }

    pub(crate) fn place(&self, id: CommandId) -> Place {
        self.schedule.places[id.0 as usize]
    }

    /// Returns the schedule in the order of a pipeline.
    pub(crate) fn reordered(&self, pipeline: &Pipeline) -> Schedule<Place> {
        let mut schedule = self.schedule.clone();
        let body = &mut schedule.parts[0].body.commands;
        let mut ops: BTreeMap<CommandId, Op> = std::mem::take(body)
            .into_iter()
            .map(|command| (command.id, command.op))
            .collect();
        for (alloc, user) in &pipeline.moved {
            let stream = agent(&ops[user]);
            if let Some(Op::Alloc { agent, .. }) = ops.get_mut(alloc) {
                *agent = stream;
            }
        }
        let order = pipeline.order.iter().map(|id| {
            let op = ops.remove(id).expect("a command once");
            Command { id: *id, op }
        });
        let order: Vec<Command> = order.collect();
        let first = ops.into_iter().map(|(id, op)| Command { id, op });
        schedule.parts[0].body.commands = first.chain(order).collect();
        schedule
    }
}

/// Returns the stream of a command.
pub(crate) fn agent(op: &Op) -> Agent {
    match op {
        Op::Work { agent, .. } | Op::Alloc { agent, .. } | Op::Free { agent, .. } => *agent,
        other => panic!("{other:?}"),
    }
}

/// Returns the time of a schedule with events: each stream runs its commands in their order.
pub(crate) fn replay(schedule: &Schedule<Place>) -> u64 {
    let part = &schedule.parts[0];
    let mut streams = vec![0u64; part.streams.len()];
    let mut events = vec![0u64; part.events.len()];
    for command in &part.body.commands {
        match &command.op {
            Op::Work {
                agent: Agent::Stream(stream),
                ..
            } => streams[stream.0 as usize] += schedule.places[command.id.0 as usize].cost,
            Op::Record {
                agent: Agent::Stream(stream),
                event,
            } => events[event.0 as usize] = streams[stream.0 as usize],
            Op::Wait {
                agent: Agent::Stream(stream),
                events: waited,
            } => {
                for event in waited {
                    let time = &mut streams[stream.0 as usize];
                    *time = (*time).max(events[event.0 as usize]);
                }
            }
            Op::Alloc { .. } | Op::Free { .. } => {}
            Op::Work {
                kind: Work::Input, ..
            } => {}
            other => panic!("{other:?}"),
        }
    }
    streams.into_iter().max().unwrap_or(0)
}
