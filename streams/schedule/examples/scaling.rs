//! Prints how long checks of large schedules take: medians, in milliseconds.
//!
//! ```text
//! cargo run --release -p tfx-schedule --example scaling
//! ```
//!
//! *straight*: kernels on 16 streams, which read two buffers of other streams and write one of
//! their own. Each waits for the last writers, and releases what it overwrites by waiting for the
//! readers. *arena*: buffers in one managed root, with lifetimes and reuse of bytes. *loop*: a
//! pipeline with a ring of four buffers in a loop of any number of iterations. *calls*: calls of a
//! part with 100 commands. *branches*: a branch after every ten commands.

use std::time::Instant;

use tfx_schedule::{
    Agent, BufferId, Builder, Device, EventId, Lifetime, Names, Schedule, Space, StreamId, Trips,
    check, read_any, write_any,
};

const STREAMS: usize = 16;
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const REPETITIONS: usize = 9;
/// Buffers of a stream, which it overwrites in order.
const BUFFERS: usize = 8;
/// The commands of a part.
const PART: usize = 100;

type Build = fn(usize) -> Schedule<u32>;

fn main() {
    let rows: [(&str, Build); 5] = [
        ("straight", straight),
        ("arena", arena),
        ("loop", pipeline),
        ("calls", calls),
        ("branches", branches),
    ];
    println!(
        "{:10} {:>10} {:>10} {:>10}",
        "commands", "1,000", "10,000", "100,000"
    );
    for (name, build) in rows {
        print!("{name:10}");
        for size in SIZES {
            let schedule = build(size);
            let mut times: Vec<f64> = (0..REPETITIONS).map(|_| time(&schedule)).collect();
            times.sort_by(f64::total_cmp);
            print!(" {:7.2} ms", times[REPETITIONS / 2]);
        }
        println!();
    }
}

/// Returns the time of a check in milliseconds.
fn time(schedule: &Schedule<u32>) -> f64 {
    let start = Instant::now();
    let report = check(schedule);
    let time = start.elapsed().as_secs_f64() * 1000.0;
    let problem = report.diagnostics.first();
    assert!(
        report.is_verified(),
        "{}",
        problem.map_or(String::new(), |problem| problem
            .display(schedule)
            .to_string())
    );
    time
}

/// A builder with the device and streams of the entry part.
struct Bench {
    b: Builder<u32>,
    streams: Vec<StreamId>,
    /// The buffers of each stream, and the events that the next writer of each waits for.
    buffers: Vec<Vec<(BufferId, Vec<EventId>)>>,
    /// The last buffer of each stream that is written, and the event.
    last: Vec<(usize, EventId)>,
    commands: usize,
}

impl Bench {
    fn new() -> Self {
        let mut b = Builder::new();
        let gpu = b.device(Device::Cuda);
        b.begin_part("main");
        let streams: Vec<StreamId> = (0..STREAMS).map(|_| b.stream(gpu)).collect();
        let mut buffers = Vec::new();
        let mut last = Vec::new();
        for &stream in &streams {
            let own: Vec<(BufferId, Vec<EventId>)> = (0..BUFFERS)
                .map(|_| (b.buffer(1024, Space::Device(gpu)), Vec::new()))
                .collect();
            b.launch(0, stream, &[write_any(own[0].0)]);
            last.push((0, b.record(0, stream)));
            buffers.push(own);
        }
        Self {
            b,
            streams,
            buffers,
            last,
            commands: 0,
        }
    }

    /// Adds a kernel of a stream, with its waits and its event.
    fn kernel(&mut self, number: usize) {
        let own = number % STREAMS;
        let stream = self.streams[own];
        let sources = [(own + 1) % STREAMS, (own + 5) % STREAMS];
        let target = (self.last[own].0 + 1) % BUFFERS;
        let mut waits = std::mem::take(&mut self.buffers[own][target].1);
        waits.extend(sources.map(|source| self.last[source].1));
        self.b.wait(number as u32, stream, &waits);
        let reads = sources.map(|source| self.buffers[source][self.last[source].0].0);
        let accesses = [
            read_any(reads[0]),
            read_any(reads[1]),
            write_any(self.buffers[own][target].0),
        ];
        self.b.launch(number as u32, stream, &accesses);
        let event = self.b.record(number as u32, stream);
        for source in sources {
            let buffer = self.last[source].0;
            self.buffers[source][buffer].1.push(event);
        }
        self.last[own] = (target, event);
        self.commands += 3;
    }

    fn finish(mut self) -> Schedule<u32> {
        self.b.end_part(Names::default());
        self.b.finish().expect("the bodies are nested")
    }
}

fn straight(size: usize) -> Schedule<u32> {
    let mut bench = Bench::new();
    let mut number = 0;
    while bench.commands < size {
        bench.kernel(number);
        number += 1;
    }
    bench.finish()
}

/// Buffers with lifetimes: each stream has its part of an arena, and other streams read.
fn arena(size: usize) -> Schedule<u32> {
    const BYTES: u64 = 256;
    let mut b = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("main");
    let streams: Vec<StreamId> = (0..STREAMS).map(|_| b.stream(gpu)).collect();
    let root = b.root(
        BYTES * (STREAMS as u64 + 1),
        Space::Device(gpu),
        Lifetime::Managed,
    );
    for number in 0..size / 7 {
        let own = number % STREAMS;
        let [one, two] = [streams[own], streams[(own + 1) % STREAMS]];
        // Slices of different sizes share bytes.
        let offset = BYTES * own as u64 + 16 * (number as u64 % 5);
        let slice = b.slice(root, offset, BYTES / 2 + 16 * (number as u64 % 4));
        let place = number as u32;
        b.alloc(place, Agent::Stream(one), slice);
        b.launch(place, one, &[write_any(slice)]);
        let written = b.record(place, one);
        b.wait(place, two, &[written]);
        b.launch(place, two, &[read_any(slice)]);
        let done = b.record(place, two);
        b.wait(place, one, &[done]);
        b.free(place, Agent::Stream(one), slice);
    }
    b.end_part(Names::default());
    b.finish().expect("the bodies are nested")
}

/// A loop with commands on two streams, and a ring of four buffers between them.
fn pipeline(size: usize) -> Schedule<u32> {
    const SLOTS: usize = 4;
    let mut b = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("main");
    let [producer, consumer] = [b.stream(gpu), b.stream(gpu)];
    let ring: Vec<BufferId> = (0..SLOTS)
        .map(|_| b.buffer(1024, Space::Device(gpu)))
        .collect();
    let start = b.record(0, consumer);
    let initial = Names {
        events: vec![start; SLOTS],
        buffers: ring,
        values: Vec::new(),
    };
    let arguments = b.begin_loop(0, Trips::AtLeast(0), initial);
    let slot = arguments.buffers[0];
    b.wait(0, producer, &[arguments.events[0]]);
    for command in 0..size / 2 {
        b.launch(command as u32, producer, &[write_any(slot)]);
    }
    let ready = b.record(0, producer);
    b.wait(0, consumer, &[ready]);
    for command in 0..size / 2 {
        b.launch(command as u32, consumer, &[read_any(slot)]);
    }
    let done = b.record(0, consumer);
    let mut next = arguments;
    next.events.remove(0);
    next.events.push(done);
    next.buffers.rotate_left(1);
    b.end_loop(next);
    b.end_part(Names::default());
    b.finish().expect("the bodies are nested")
}

fn calls(size: usize) -> Schedule<u32> {
    let mut b = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("layer");
    let [one, two] = [b.stream(gpu), b.stream(gpu)];
    let begin = b.event_parameter(gpu);
    let [input, output] = [(); 2].map(|()| b.buffer_parameter(1024, Space::Device(gpu)));
    let inner = b.buffer(1024, Space::Device(gpu));
    b.wait(0, one, &[begin]);
    b.wait(0, two, &[begin]);
    for command in 0..PART / 2 {
        b.launch(command as u32, one, &[read_any(input), write_any(inner)]);
    }
    let event = b.record(0, one);
    b.wait(0, two, &[event]);
    for command in 0..PART / 2 {
        b.launch(command as u32, two, &[read_any(inner), write_any(output)]);
    }
    let end = b.record(0, two);
    let layer = b.end_part(Names {
        events: vec![end],
        ..Names::default()
    });
    b.begin_part("main");
    let streams: Vec<StreamId> = (0..STREAMS).map(|_| b.stream(gpu)).collect();
    let buffers: Vec<BufferId> = (0..BUFFERS)
        .map(|_| b.buffer(1024, Space::Device(gpu)))
        .collect();
    let mut end = b.record(0, streams[0]);
    for call in 0..size / PART {
        let arguments = Names {
            events: vec![end],
            buffers: vec![buffers[call % BUFFERS], buffers[(call + 1) % BUFFERS]],
            values: Vec::new(),
        };
        let pair = [streams[call % STREAMS], streams[(call + 1) % STREAMS]];
        end = b.call(call as u32, layer, &pair, arguments).events[0];
    }
    b.end_part(Names::default());
    b.finish().expect("the bodies are nested")
}

fn branches(size: usize) -> Schedule<u32> {
    let mut bench = Bench::new();
    let flags: Vec<BufferId> = bench.buffers.iter().map(|own| own[BUFFERS - 1].0).collect();
    let mut number = 0;
    while bench.commands < size {
        bench.kernel(number);
        number += 1;
        if number.is_multiple_of(3) {
            let own = number % STREAMS;
            let stream = bench.streams[own];
            let waits: Vec<EventId> = bench.buffers[own][BUFFERS - 1].1.clone();
            let place = number as u32;
            bench.b.wait(place, stream, &waits);
            bench.b.begin_branch(place);
            bench.b.begin_arm();
            if bench.last[own].0 != BUFFERS - 1 {
                bench.b.fill(place, stream, write_any(flags[own]));
            }
            bench.b.end_arm(Names::default());
            bench.b.begin_arm();
            bench.b.end_arm(Names::default());
            bench.b.end_branch();
            bench.commands += 2;
        }
    }
    bench.finish()
}
