//! The simulation of schedules, compared with the longest paths in the graph of their constraints.

#[path = "../../schedule/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use support::Random;
use support::generate::{Shape, generate};
use tfx_order::{Costs, Model, SimulationError, Span, Timeline, simulate};
use tfx_schedule::{
    Access, Agent, Body, BufferId, Builder, CommandId, Device, EventId, Lifetime, Mode, Names, Op,
    Part, Schedule, Space, StreamId, Trips, Work, read_any, write_any,
};

/// A model in which only the commands take time.
const FREE: Model = Model {
    costs: Costs {
        launch: 0,
        event: 0,
    },
    latency: 0,
};

/// Simulates a schedule whose places are the times of its commands.
fn run(schedule: &Schedule<u64>, model: Model) -> Timeline {
    let cost = |command: CommandId| schedule.places[command.0 as usize];
    simulate(schedule, model, cost, |_, least| least, |_, _| 0).expect("it is complete")
}

fn part(body: impl FnOnce(&mut Builder<u64>)) -> Schedule<u64> {
    let mut b = Builder::new();
    b.device(Device::Cuda);
    b.device(Device::Cuda);
    b.begin_part("main");
    body(&mut b);
    b.end_part(Names::default());
    b.finish().expect("the bodies are nested")
}

const GPU: tfx_schedule::DeviceId = tfx_schedule::DeviceId(0);
const OTHER: tfx_schedule::DeviceId = tfx_schedule::DeviceId(1);

#[test]
fn two_streams_overlap() {
    let schedule = part(|b| {
        let [s, t] = [b.stream(GPU), b.stream(GPU)];
        b.launch(100, s, &[]);
        b.launch(60, t, &[]);
        b.launch(30, t, &[]);
    });
    let timeline = run(&schedule, FREE);
    assert_eq!(timeline.makespan, 100);
    assert_eq!(timeline.devices, [100, 0]);
    let times = timeline
        .streams
        .iter()
        .map(|stream| (stream.busy, stream.active));
    let times: Vec<_> = times.collect();
    assert_eq!(times, [(100, Some((0, 100))), (90, Some((0, 90)))]);
}

#[test]
fn waits_delay_streams_and_the_host() {
    let schedule = part(|b| {
        let [s, t, idle] = [b.stream(GPU), b.stream(OTHER), b.stream(GPU)];
        let start = b.record(0, idle);
        b.wait(0, s, &[start]);
        b.launch(100, s, &[]);
        let done = b.record(0, s);
        b.launch(1000, s, &[]);
        b.wait(0, t, &[done]);
        b.launch(50, t, &[]);
        let own = b.record(0, t);
        b.wait(0, t, &[own]);
        b.launch(1, t, &[]);
        b.host_wait(0, &[done]);
        b.host(7, &[]);
        b.launch(5, idle, &[]);
    });
    let model = Model {
        costs: Costs {
            launch: 2,
            event: 10,
        },
        ..FREE
    };
    let timeline = run(&schedule, model);
    let spans = timeline.spans.iter().map(|span| (span.start, span.end));
    // The event of an idle stream and one of the same stream take no time.
    let expected = [
        (2, 102),
        (102, 1102),
        (112, 162),
        (162, 163),
        (112, 119),
        (121, 126),
    ];
    assert_eq!(spans.collect::<Vec<_>>(), expected);
    assert_eq!((timeline.makespan, timeline.host), (1102, 5 * 2 + 7));
    assert_eq!(timeline.issued, [2, 4, 6, 8, 112, 121]);
    let arrows = timeline.arrows.iter().map(|arrow| {
        let [from, to] = [arrow.from, arrow.to].map(|stream| stream.map(|stream| stream.0));
        (from, arrow.recorded, to, arrow.waited)
    });
    // The stream and the host wait for the first kernel; the host is later than the event.
    let expected = [(Some(0), 102, Some(1), 112), (Some(0), 102, None, 112)];
    assert_eq!(arrows.collect::<Vec<_>>(), expected);
}

#[test]
fn the_host_limits_short_kernels() {
    let schedule = part(|b| {
        let s = b.stream(GPU);
        (0..10).for_each(|_| {
            b.launch(1, s, &[]);
        });
    });
    let model = Model {
        costs: Costs {
            launch: 3,
            event: 0,
        },
        ..FREE
    };
    let timeline = run(&schedule, model);
    assert_eq!((timeline.makespan, timeline.host), (31, 30));
    assert_eq!(timeline.streams[0].busy, 10);
}

#[test]
fn copies_share_the_link_of_their_direction() {
    let schedule = part(|b| {
        let streams: Vec<StreamId> = (0..5).map(|_| b.stream(GPU)).collect();
        let host = b.buffer(64, Space::Pinned);
        let here = b.buffer(64, Space::Device(GPU));
        let there = b.buffer(64, Space::Device(OTHER));
        b.launch(50, streams[0], &[]);
        // The second copy is ready before the first one, and goes first.
        b.copy(100, streams[0], read_any(host), write_any(here));
        b.copy(100, streams[1], read_any(host), write_any(here));
        b.copy(100, streams[2], read_any(here), write_any(host));
        b.copy(100, streams[3], read_any(here), write_any(there));
        b.copy(100, streams[4], read_any(here), write_any(here));
    });
    let model = Model {
        latency: 10,
        ..FREE
    };
    let timeline = run(&schedule, model);
    let spans = timeline.spans.iter().map(|span| (span.start, span.end));
    let expected = [(0, 50), (110, 220), (0, 110), (0, 110), (0, 110), (0, 100)];
    assert_eq!(spans.collect::<Vec<_>>(), expected);
    let links = timeline
        .links
        .iter()
        .map(|link| (link.from, link.to, link.busy));
    let expected = [
        (None, Some(GPU), 220),
        (Some(GPU), None, 110),
        (Some(GPU), Some(OTHER), 110),
    ];
    assert_eq!(links.collect::<Vec<_>>(), expected);
    // The kernel, and the copy within the device.
    assert_eq!(timeline.devices, [100, 0]);
}

/// Returns a loop that copies into a ring of buffers, and computes with them.
fn ring(slots: usize, copy: u64, kernel: u64) -> Schedule<u64> {
    part(|b| {
        let [compute, transfer] = [b.stream(GPU), b.stream(GPU)];
        let host = b.buffer(64, Space::Pinned);
        let start = b.record(0, compute);
        let buffers: Vec<BufferId> = (0..slots)
            .map(|_| b.buffer(64, Space::Device(GPU)))
            .collect();
        let initial = Names {
            events: vec![start; slots],
            buffers,
            values: Vec::new(),
        };
        let mut names = b.begin_loop(0, Trips::Exactly(100), initial);
        b.wait(0, transfer, &names.events[..1]);
        b.copy(copy, transfer, read_any(host), write_any(names.buffers[0]));
        let ready = b.record(0, transfer);
        b.wait(0, compute, &[ready]);
        b.launch(kernel, compute, &[read_any(names.buffers[0])]);
        let done = b.record(0, compute);
        names.events.remove(0);
        names.events.push(done);
        names.buffers.rotate_left(1);
        b.end_loop(names);
    })
}

#[test]
fn double_buffering_hides_copies() {
    let model = Model {
        costs: Costs {
            launch: 3,
            event: 3,
        },
        latency: 10,
    };
    for (copy, kernel) in [(1000, 1500), (1500, 1000), (1000, 1000)] {
        let longer = 100 * kernel.max(copy + 10);
        let two = run(&ring(2, copy, kernel), model).makespan;
        assert!(two >= longer && two as f64 <= 1.03 * longer as f64, "{two}");
        let one = run(&ring(1, copy, kernel), FREE).makespan;
        assert_eq!(one, 100 * (copy + kernel));
    }
}

#[test]
fn memory_is_live_from_its_allocation_to_its_release() {
    let schedule = part(|b| {
        let [s, t] = [b.stream(GPU), b.stream(GPU)];
        b.buffer(1000, Space::Device(GPU));
        let arena = b.root(256, Space::Device(OTHER), Lifetime::Managed);
        let halves = [b.slice(arena, 0, 128), b.slice(arena, 128, 128)];
        b.alloc(0, Agent::Stream(t), halves[0]);
        let slices: Vec<BufferId> = (0..3)
            .map(|_| {
                let root = b.root(64, Space::Device(GPU), Lifetime::Managed);
                b.slice(root, 0, 64)
            })
            .collect();
        // Two follow each other on a stream, and one overlaps them.
        b.alloc(0, Agent::Stream(s), slices[0]);
        b.launch(10, s, &[write_any(slices[0])]);
        b.free(0, Agent::Stream(s), slices[0]);
        b.alloc(0, Agent::Stream(s), slices[1]);
        b.launch(10, s, &[write_any(slices[1])]);
        b.free(0, Agent::Stream(s), slices[1]);
        b.alloc(0, Agent::Stream(t), slices[2]);
        b.launch(15, t, &[write_any(slices[2])]);
        b.free(0, Agent::Stream(t), slices[2]);
    });
    let timeline = run(&schedule, FREE);
    let expected = [
        (Space::Device(GPU), 1000 + 2 * 64),
        (Space::Device(OTHER), 256),
    ];
    assert_eq!(timeline.memory, expected);
    // Of live buffers, slices of arenas included.
    let changes = timeline.usage.iter();
    let changes: Vec<_> = changes.map(|it| (it.time, it.space, it.bytes)).collect();
    let (gpu, other) = (Space::Device(GPU), Space::Device(OTHER));
    let expected = [
        (0, other, 128),
        (0, gpu, 128),
        (10, gpu, 128),
        (15, gpu, 64),
        (20, gpu, 0),
    ];
    assert_eq!(changes, expected);
}

#[test]
fn calls_and_branches_are_inlined() {
    let mut b = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("step");
    let s = b.stream(gpu);
    let before = b.event_parameter(gpu);
    b.wait(0, s, &[before]);
    b.launch(10, s, &[]);
    let done = b.record(0, s);
    let step = b.end_part(Names {
        events: vec![done],
        ..Names::default()
    });
    b.begin_part("main");
    let [s, t] = [b.stream(gpu), b.stream(gpu)];
    b.launch(1, t, &[]);
    let event = b.record(0, t);
    let names = |event: EventId| Names {
        events: vec![event],
        ..Names::default()
    };
    let first = b.call(0, step, &[s], names(event));
    b.begin_branch(0);
    b.begin_arm();
    b.end_arm(first.clone());
    b.begin_arm();
    let second = b.call(0, step, &[t], first);
    b.end_arm(second);
    let last = b.end_branch();
    b.host_wait(0, &last.events);
    b.end_part(Names::default());
    let schedule = b.finish().expect("the bodies are nested");
    let time = |arm: usize| {
        let cost = |command: CommandId| schedule.places[command.0 as usize];
        let timeline = simulate(&schedule, FREE, cost, |_, least| least, |_, _| arm);
        timeline.map(|timeline| timeline.makespan)
    };
    assert_eq!((time(0), time(1)), (Ok(11), Ok(21)));
    assert!(matches!(time(2), Err(SimulationError::Undefined(_))));
}

#[test]
fn schedules_that_cannot_be_simulated() {
    let schedule = part(|b| {
        let s = b.stream(GPU);
        let event = b.event(GPU);
        b.wait(0, s, &[event]);
    });
    let error = simulate(&schedule, FREE, |_| 0, |_, least| least, |_, _| 0);
    assert_eq!(error, Err(SimulationError::Unrecorded(CommandId(0))));
    let schedule = part(|b| {
        b.launch(0, StreamId(7), &[]);
    });
    let error = simulate(&schedule, FREE, |_| 0, |_, least| least, |_, _| 0);
    assert_eq!(error, Err(SimulationError::Undefined(CommandId(0))));
    let schedule = part(|b| {
        b.begin_loop(0, Trips::AtLeast(0), Names::default());
        b.end_loop(Names::default());
    });
    let error = simulate(&schedule, FREE, |_| 0, |_, _| u64::MAX, |_, _| 0);
    assert_eq!(error, Err(SimulationError::TooLong(CommandId(0))));
}

// ------------------------------------------------------------------------------------- the judge

const MODEL: Model = Model {
    costs: Costs {
        launch: 3,
        event: 5,
    },
    latency: 2,
};

const TRIPS: u64 = 3;

/// A node of the explicit graph: the host's part or the stream's part of a command.
#[derive(Clone, Debug, Default)]
struct Vertex {
    /// The time that it takes.
    time: u64,
    /// Vertices that end before it starts, and the times between.
    after: Vec<(usize, u64)>,
    link: Option<[Option<u32>; 2]>,
    /// The command, if it has a span.
    span: Option<(CommandId, Option<StreamId>)>,
}

/// The judge: a graph with a vertex for each launch, command, record and wait.
struct Judge<'s> {
    schedule: &'s Schedule<u32>,
    vertices: Vec<Vertex>,
    /// The last vertex of the host and of each stream.
    last: BTreeMap<Option<u32>, usize>,
}

/// The events of a part: the vertex of the record and its agent; none if nothing precedes it.
type Events = BTreeMap<EventId, Option<(usize, Option<u32>)>>;

impl Judge<'_> {
    fn vertex(&mut self, agent: Option<u32>, mut vertex: Vertex) -> usize {
        let last = self.last.get(&agent);
        vertex.after.extend(last.map(|last| (*last, 0)));
        self.vertices.push(vertex);
        self.last.insert(agent, self.vertices.len() - 1);
        self.vertices.len() - 1
    }

    fn body(&mut self, part: &Part, body: &Body, streams: &[u32], events: &mut Events) {
        let agent = |agent: Agent| match agent {
            Agent::Host => None,
            Agent::Stream(stream) => Some(streams[stream.0 as usize]),
        };
        let bind = |events: &mut Events, to: &Names, from: &Names| {
            let from: Vec<_> = from.events.iter().map(|event| events[event]).collect();
            events.extend(to.events.iter().copied().zip(from));
        };
        for command in &body.commands {
            match &command.op {
                Op::Work {
                    kind: Work::Input, ..
                }
                | Op::Alloc { .. }
                | Op::Free { .. } => {}
                Op::Work {
                    agent: of,
                    kind,
                    accesses,
                } => {
                    let of = agent(*of);
                    let mut vertex = Vertex {
                        time: cost(command.id),
                        span: Some((command.id, of.map(StreamId))),
                        ..Vertex::default()
                    };
                    if *kind == Work::Copy {
                        let link = [0, 1].map(|index| side(part, accesses[index]));
                        if link[0] != link[1] {
                            vertex.link = Some(link);
                            vertex.time += MODEL.latency;
                        }
                    }
                    if of.is_some() {
                        let launch = Vertex {
                            time: MODEL.costs.launch,
                            ..Vertex::default()
                        };
                        let launch = self.vertex(None, launch);
                        vertex.after.push((launch, 0));
                    }
                    self.vertex(of, vertex);
                }
                Op::Record { agent: of, event } => {
                    let of = agent(*of);
                    let last = self.last.get(&of);
                    events.insert(*event, last.map(|last| (*last, of)));
                }
                Op::Wait {
                    agent: of,
                    events: waited,
                } => {
                    let of = agent(*of);
                    let mut vertex = Vertex::default();
                    for event in waited {
                        if let Some((last, by)) = events[event]
                            && by != of
                        {
                            vertex.after.push((last, MODEL.costs.event));
                        }
                    }
                    if !vertex.after.is_empty() {
                        self.vertex(of, vertex);
                    }
                }
                Op::Loop(inner) => {
                    let trips = match inner.trips {
                        Trips::Exactly(trips) => trips,
                        Trips::AtLeast(least) => TRIPS.max(least),
                    };
                    let mut from = &inner.initial;
                    for _ in 0..trips {
                        bind(events, &inner.arguments, from);
                        self.body(part, &inner.body, streams, events);
                        from = &inner.body.yields;
                    }
                    bind(events, &inner.results, from);
                }
                Op::Branch(branch) => {
                    let arm = &branch.arms[arm(command.id, branch.arms.len())];
                    self.body(part, arm, streams, events);
                    bind(events, &branch.results, &arm.yields);
                }
                Op::Call(call) => {
                    let callee = &self.schedule.parts[call.part.0 as usize];
                    let passed = call.streams.iter().map(|stream| streams[stream.0 as usize]);
                    let passed: Vec<u32> = passed.collect();
                    let arguments = call.arguments.events.iter().map(|event| events[event]);
                    let parameters = callee.parameters.events.iter().copied();
                    let mut inside: Events = parameters.zip(arguments).collect();
                    self.body(callee, &callee.body, &passed, &mut inside);
                    let results = callee.body.yields.events.iter().map(|event| inside[event]);
                    events.extend(call.results.events.iter().copied().zip(results));
                }
            }
        }
    }

    /// Returns the times of all vertices: the longest paths, repeated for each copy of a link that
    /// is next in the order of the times at which copies are ready.
    fn times(&self) -> Vec<(u64, u64)> {
        let mut before: Vec<Option<usize>> = vec![None; self.vertices.len()];
        let mut last: BTreeMap<[Option<u32>; 2], usize> = BTreeMap::new();
        let mut is_fixed = vec![false; self.vertices.len()];
        loop {
            // Fixpoint: all constraints, until no time changes.
            let mut ready = vec![0u64; self.vertices.len()];
            let mut times = vec![(0u64, 0u64); self.vertices.len()];
            loop {
                let old = times.clone();
                for (number, vertex) in self.vertices.iter().enumerate().rev() {
                    let after = vertex.after.iter().map(|(v, delay)| times[*v].1 + delay);
                    ready[number] = after.max().unwrap_or(0);
                    let link = before[number].map_or(0, |before| times[before].1);
                    let start = ready[number].max(link);
                    times[number] = (start, start + vertex.time);
                }
                if times == old {
                    break;
                }
            }
            let copies = (0..self.vertices.len()).filter(|v| !is_fixed[*v]);
            let copies = copies.filter_map(|v| Some((ready[v], v, self.vertices[v].link?)));
            let Some((_, next, link)) = copies.min() else {
                return times;
            };
            is_fixed[next] = true;
            before[next] = last.insert(link, next);
        }
    }
}

/// Returns the device of an access; none for the host.
fn side(part: &Part, access: Access) -> Option<u32> {
    let mut buffer = access.buffer;
    let space = loop {
        match part.buffers[buffer.0 as usize] {
            tfx_schedule::Buffer::Bound { space, .. } => break space,
            tfx_schedule::Buffer::View { of, .. } => buffer = of,
            tfx_schedule::Buffer::Slice { root, .. } => break part.roots[root.0 as usize].space,
        }
    };
    match space {
        Space::Device(device) => Some(device.0),
        _ => None,
    }
}

fn cost(command: CommandId) -> u64 {
    u64::from(command.0) * 7919 % 23
}

fn arm(command: CommandId, arms: usize) -> usize {
    command.0 as usize % arms
}

fn judge(schedule: &Schedule<u32>) -> (u64, Vec<Span>) {
    let mut judge = Judge {
        schedule,
        vertices: Vec::new(),
        last: BTreeMap::new(),
    };
    let entry = schedule.parts.last().expect("a part");
    let streams: Vec<u32> = (0..).take(entry.streams.len()).collect();
    judge.body(entry, &entry.body, &streams, &mut Events::new());
    let times = judge.times();
    let spans = judge.vertices.iter().zip(&times);
    let spans = spans.filter_map(|(vertex, &(start, end))| {
        let (command, stream) = vertex.span?;
        Some(Span {
            command,
            stream,
            start,
            end,
        })
    });
    let makespan = times.iter().map(|(_, end)| *end).max().unwrap_or(0);
    (makespan, spans.collect())
}

fn agrees(schedule: &Schedule<u32>, seed: u64) -> usize {
    let timeline = simulate(schedule, MODEL, cost, |_, least| TRIPS.max(least), arm);
    let timeline = timeline.expect("it is complete");
    let (makespan, spans) = judge(schedule);
    assert_eq!(timeline.spans, spans, "seed {seed}");
    assert_eq!(timeline.makespan, makespan, "seed {seed}");
    spans.len()
}

#[test]
fn the_judge_finds_the_same_times() {
    let shapes = [
        Shape::Straight,
        Shape::Loop,
        Shape::Nest,
        Shape::Branch,
        Shape::Call,
    ];
    let mut commands = 0;
    for seed in 0..200 {
        for shape in shapes {
            commands += agrees(&generate(seed, shape), seed);
        }
    }
    assert!(commands > 10_000, "{commands}");
}

/// Returns a schedule of several devices with many copies.
fn copies(seed: u64) -> Schedule<u32> {
    let mut random = Random::new(seed);
    let mut b = Builder::new();
    let devices = [b.device(Device::Cuda), b.device(Device::Cuda)];
    b.begin_part("main");
    let streams: Vec<StreamId> = (0..5).map(|index| b.stream(devices[index % 2])).collect();
    let spaces = [
        Space::Device(devices[0]),
        Space::Device(devices[1]),
        Space::Pinned,
    ];
    let buffers = spaces.map(|space| b.buffer(64, space));
    let mut events: Vec<EventId> = Vec::new();
    for place in 0..40 {
        let stream = *random.pick(&streams);
        match random.below(8) {
            0..=3 => {
                let [from, to] = [random.pick(&buffers), random.pick(&buffers)];
                b.copy(place, stream, read_any(*from), write_any(*to));
            }
            4 => {
                b.launch(place, stream, &[]);
            }
            5 => events.push(b.record(place, stream)),
            6 if !events.is_empty() => {
                let waited = [*random.pick(&events), *random.pick(&events)];
                b.wait(place, stream, &waited);
            }
            7 if random.chance(30) && !events.is_empty() => {
                b.host_wait(place, &[*random.pick(&events)]);
                let access = Access {
                    buffer: buffers[2],
                    mode: Mode::Write,
                    value: None,
                };
                b.host(place, &[access]);
                let event = b.event(devices[0]);
                let agent = Agent::Host;
                b.command(place, Op::Record { agent, event });
                events.push(event);
            }
            _ => {}
        }
    }
    b.end_part(Names::default());
    b.finish().expect("the bodies are nested")
}

#[test]
fn the_judge_finds_the_same_copies() {
    for seed in 0..500 {
        agrees(&copies(seed), seed);
    }
}
