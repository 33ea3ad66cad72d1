//! Each rule, with the text of its diagnostics, and malformed schedules.

mod support;

use support::Random;
use support::generate::{Shape, generate};
use support::script::{SIZE, Script, texts};
use tfx_schedule::{
    Agent, BufferId, BuildError, Builder, CommandId, Device, DeviceId, EventId, Lifetime, Loop,
    MAX_DEPTH, Names, Op, Options, PartId, Rule, Schedule, Source, Space, StreamId, Trips, Value,
    ValueId, check, check_source, check_with, read, read_any, scratch, write, write_any,
};

fn place(name: &str) -> String {
    name.to_string()
}

// ---------------------------------------------------------------------------------- V2 and V3

#[test]
fn lifetimes() {
    let run = |uses: fn(&mut Script, [BufferId; 2], Agent)| {
        let mut script = Script::new(1, 0);
        let arena = script
            .b
            .root(SIZE, Space::Device(script.gpu), Lifetime::Managed);
        let slices = [(0, 32), (16, 32)].map(|(offset, size)| script.b.slice(arena, offset, size));
        let agent = script.agent(0);
        uses(&mut script, slices, agent);
        script
    };
    run(|script, [one, two], agent| {
        for slice in [one, two, one] {
            script.b.alloc(place("alloc"), agent, slice);
            script
                .b
                .launch(place("use"), StreamId(0), &[write_any(slice)]);
            script.b.free(place("free"), agent, slice);
        }
    })
    .accepted();
    let never = run(|script, [one, _], _| {
        script
            .b
            .launch(place("use"), StreamId(0), &[write_any(one)]);
    });
    assert_eq!(
        never.rejected(Rule::Lifetime),
        [
            "V2: write at use on stream 0 of bytes 0..32 of buffer 0 in part 'main', which is not \
          allocated then"
        ]
    );
    run(|script, [one, _], agent| {
        script.b.alloc(place("alloc"), agent, one);
        script.b.free(place("free"), agent, one);
        script.b.launch(place("use"), StreamId(0), &[read_any(one)]);
    })
    .rejected(Rule::Lifetime);
    let shared = run(|script, [one, two], agent| {
        script.b.alloc(place("first"), agent, one);
        script.b.alloc(place("second"), agent, two);
        script.b.free(place("free"), agent, two);
    });
    assert_eq!(
        shared.rejected(Rule::Lifetime)[0],
        "V2: allocation at second on stream 0 of bytes 16..32 of buffer 1 in part 'main', which is \
         allocated as buffer 0 then"
    );
    run(|script, [one, _], agent| {
        script.b.alloc(place("alloc"), agent, one);
        script.b.free(place("free"), agent, one);
        script.b.free(place("again"), agent, one);
    })
    .rejected(Rule::Lifetime);
}

#[test]
fn values() {
    let mut script = Script::new(1, 1);
    let (buffer, stream) = (script.m[0], script.s[0]);
    let [one, two] = [(); 2].map(|()| script.b.value());
    script
        .b
        .launch(place("first"), stream, &[write(buffer, one)]);
    script
        .b
        .launch(place("second"), stream, &[write(buffer, two)]);
    script.b.launch(place("use"), stream, &[read(buffer, one)]);
    assert_eq!(
        script.rejected(Rule::Value),
        [
            "V3: read at use on stream 0 of bytes 0..64 of buffer 0 in part 'main' expected value 0, \
          but finds value 1, from the write at second on stream 0"
        ]
    );
}

/// A view reads the bytes of a value from an offset on, not others.
#[test]
fn parts_of_values() {
    for (view, offset) in [(16, 16), (16, 0), (0, 16)] {
        let mut script = Script::new(1, 1);
        let (buffer, stream) = (script.m[0], script.s[0]);
        let value = script.b.value();
        script
            .b
            .launch(place("write"), stream, &[write(buffer, value)]);
        let part = script.b.view(buffer, view, 8);
        let mut access = read(part, value);
        access.value = Some(Value { id: value, offset });
        script.b.launch(place("read"), stream, &[access]);
        match view == offset {
            true => script.accepted(),
            false => drop(script.rejected(Rule::Value)),
        }
    }
}

/// A read of the value of the previous iteration, where the buffer has that of this one.
#[test]
fn stale_values_of_loops() {
    for reads_first in [true, false] {
        let mut script = Script::new(1, 1);
        let (buffer, stream) = (script.m[0], script.s[0]);
        let first = script.b.input(place("input"), buffer);
        let initial = Names {
            values: vec![first],
            ..Names::default()
        };
        let arguments = script
            .b
            .begin_loop(place("loop"), Trips::AtLeast(0), initial);
        let next = script.b.value();
        let carried = read(buffer, arguments.values[0]);
        match reads_first {
            true => {
                script
                    .b
                    .launch(place("update"), stream, &[carried, write(buffer, next)]);
            }
            false => {
                script
                    .b
                    .launch(place("write"), stream, &[write(buffer, next)]);
                script.b.launch(place("read"), stream, &[carried]);
            }
        }
        script.b.end_loop(Names {
            values: vec![next],
            ..Names::default()
        });
        match reads_first {
            true => script.accepted(),
            false => drop(script.rejected(Rule::Value)),
        }
    }
}

// ------------------------------------------------------------------------------------------ V4

/// Returns a script of two streams of a CPU, which may wait for later records.
fn cpu() -> Script {
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    b.begin_part("main");
    Script {
        gpu: cpu,
        s: vec![b.stream(cpu), b.stream(cpu)],
        m: vec![b.buffer(SIZE, Space::Pageable)],
        b,
    }
}

#[test]
fn streams_wait_for_each_other() {
    for is_cycle in [true, false] {
        let mut script = cpu();
        let [one, two] = [(); 2].map(|()| script.b.event(script.gpu));
        script.wait(0, two);
        let record = |event, agent| Op::Record { agent, event };
        let agents = [script.agent(0), script.agent(1)];
        script.b.command(place("record"), record(one, agents[0]));
        if is_cycle {
            script.wait(1, one);
        }
        script.b.command(place("record"), record(two, agents[1]));
        match is_cycle {
            false => script.accepted(),
            true => assert_eq!(
                script.rejected(Rule::Progress),
                [
                    "V4: deadlock: stream 0 waits at wait for event 1, stream 1 waits at wait for \
                  event 0"
                ]
            ),
        }
    }
}

#[test]
fn the_host_waits_for_what_it_issues_later() {
    let mut script = cpu();
    let event = script.b.event(script.gpu);
    script.host_wait(event);
    let agent = script.agent(0);
    script
        .b
        .command(place("record"), Op::Record { agent, event });
    script.rejected(Rule::Progress);
}

/// A wait that precedes its record orders the commands as any other.
#[test]
fn early_waits_order_commands() {
    for waits in [true, false] {
        let mut script = cpu();
        let event = script.b.event(script.gpu);
        if waits {
            script.wait(0, event);
        }
        script.kernel("second", 0, &[0], &[]);
        script.kernel("first", 1, &[], &[0]);
        let agent = script.agent(1);
        script
            .b
            .command(place("record"), Op::Record { agent, event });
        script.accepted_if(waits);
    }
}

#[test]
fn an_early_wait_before_a_loop_is_not_proved() {
    let mut script = cpu();
    let event = script.b.event(script.gpu);
    script.wait(0, event);
    script
        .b
        .begin_loop(place("loop"), Trips::Exactly(2), Names::default());
    script.b.end_loop(Names::default());
    let agent = script.agent(1);
    script
        .b
        .command(place("record"), Op::Record { agent, event });
    script.rejected(Rule::Limit);
}

// ---------------------------------------------------------------------------------- V5 and V6

#[test]
fn pageable_memory_is_not_ordered_by_the_return_of_a_copy() {
    for space in [Space::Pageable, Space::Pinned] {
        for waits in [true, false] {
            let mut script = Script::new(1, 1);
            let host = script.b.buffer(SIZE, space);
            script.kernel("kernel", 0, &[], &[0]);
            let (stream, source) = (script.s[0], script.m[0]);
            script
                .b
                .copy(place("copy"), stream, read_any(source), write_any(host));
            if waits {
                script.synchronize(0);
            }
            script.b.host(place("read"), &[read_any(host)]);
            match waits {
                true => script.accepted(),
                false => assert_eq!(
                    script.rejected(Rule::Host),
                    [
                        "V5: unordered accesses of bytes 0..64 of buffer 1 in part 'main': the write \
                      at copy on stream 0 and the read at read on the host; record an event on \
                      stream 0 after copy, and wait for it on the host before read"
                    ]
                ),
            }
        }
    }
}

#[test]
fn rules_of_cuda() {
    // A legacy default stream.
    let mut script = Script::new(0, 1);
    let stream = script.b.legacy_stream(script.gpu);
    script.b.fill(place("fill"), stream, write_any(script.m[0]));
    script.rejected(Rule::Cuda);

    // A copy of overlapping ranges.
    let mut script = Script::new(1, 1);
    let views = [0, 8].map(|offset| script.b.view(script.m[0], offset, 16));
    let stream = script.s[0];
    script.b.copy(
        place("copy"),
        stream,
        read_any(views[0]),
        write_any(views[1]),
    );
    script.rejected(Rule::Cuda);
    let mut script = Script::new(1, 1);
    script.copy("copy", 0, 0, 0);
    script.rejected(Rule::Cuda);

    // An event of another device.
    let mut script = Script::new(1, 0);
    let other = script.b.device(Device::Cuda);
    let event = script.b.event(other);
    let agent = script.agent(0);
    script
        .b
        .command(place("record"), Op::Record { agent, event });
    script.rejected(Rule::Cuda);

    // A stream waits for an event of another device: this is allowed.
    let mut script = Script::new(1, 0);
    let other = script.b.device(Device::Cuda);
    let stream = script.b.stream(other);
    let event = script.b.record(place("record"), stream);
    script.wait(0, event);
    script.accepted();

    // A wait before the record is no wait.
    let mut script = Script::new(2, 0);
    let event = script.b.event(script.gpu);
    script.wait(0, event);
    let agent = script.agent(1);
    script
        .b
        .command(place("record"), Op::Record { agent, event });
    script.rejected(Rule::Cuda);

    // Memory that a kernel or the host cannot access.
    let mut script = Script::after(Builder::new(), 1, 1, Space::Pageable);
    script.kernel("kernel", 0, &[0], &[]);
    script.rejected(Rule::Cuda);
    let mut script = Script::new(1, 1);
    script.host("host", &[0], &[]);
    script.rejected(Rule::Cuda);
}

#[test]
fn workspace_is_disjoint_for_each_launch_in_flight() {
    for is_ordered in [true, false] {
        let mut script = Script::new(2, 1);
        let [one, two] = [script.s[0], script.s[1]];
        script.b.launch(place("one"), one, &[scratch(script.m[0])]);
        if is_ordered {
            script.order(0, 1);
        }
        script.b.launch(place("two"), two, &[scratch(script.m[0])]);
        match is_ordered {
            true => script.accepted(),
            false => drop(script.rejected(Rule::Cuda)),
        }
    }
    // Workspace has no content, and overlaps no operand.
    let mut script = Script::new(1, 1);
    let (stream, buffer) = (script.s[0], script.m[0]);
    let value = script.b.input(place("input"), buffer);
    script
        .b
        .launch(place("workspace"), stream, &[scratch(buffer)]);
    script
        .b
        .launch(place("read"), stream, &[read(buffer, value)]);
    script.rejected(Rule::Value);
    let mut script = Script::new(1, 1);
    let accesses = [read_any(script.m[0]), scratch(script.m[0])];
    script.b.launch(place("kernel"), script.s[0], &accesses);
    script.rejected(Rule::Cuda);
}

// --------------------------------------------------------------------------- loops and unions

/// A loop that replaces an event by an older one: only the clock of the event tells its states
/// apart.
#[test]
fn states_differ_in_what_events_cover() {
    for trips in [Trips::Exactly(0), Trips::AtLeast(0), Trips::Exactly(5)] {
        let mut script = Script::new(2, 1);
        let early = script.record(0);
        script.kernel("read", 0, &[0], &[]);
        let late = script.record(0);
        let initial = Names {
            events: vec![late, early],
            ..Names::default()
        };
        let arguments = script.b.begin_loop(place("loop"), trips, initial);
        let results = script.b.end_loop(Names {
            events: vec![arguments.events[1]; 2],
            ..Names::default()
        });
        script.wait(1, results.events[0]);
        script.kernel("write", 1, &[], &[0]);
        script.accepted_if(trips == Trips::Exactly(0));
    }
}

/// The other direction: an event that covers the read arrives after some iterations.
#[test]
fn states_are_equal_only_if_events_cover_the_same() {
    for trips in 0..5 {
        let mut script = Script::new(2, 1);
        let early = script.record(0);
        script.kernel("read", 0, &[0], &[]);
        let late = script.record(0);
        let initial = Names {
            events: vec![early, early, early, late],
            ..Names::default()
        };
        let trips = Trips::Exactly(trips);
        let mut next = script.b.begin_loop(place("loop"), trips, initial);
        script.wait(1, next.events[0]);
        next.events.rotate_left(1);
        script.b.end_loop(next);
        script.kernel("write", 1, &[], &[0]);
        script.accepted_if(trips == Trips::Exactly(4));
    }
}

/// The union of no iteration and some iterations orders all accesses of the part, but not the
/// earlier ones of its caller.
#[test]
fn united_states_keep_commands_of_callers_apart() {
    let mut b = Builder::new();
    let gpu = DeviceId(0);
    b.begin_part("part");
    let [one, two] = [b.stream(gpu), b.stream(gpu)];
    let buffer = b.buffer_parameter(SIZE, Space::Device(gpu));
    b.begin_loop(place("loop"), Trips::AtLeast(0), Names::default());
    b.launch(place("inner"), two, &[write_any(buffer)]);
    let event = b.record(place("record"), two);
    b.wait(place("wait"), one, &[event]);
    b.end_loop(Names::default());
    let part = b.end_part(Names::default());
    let mut script = Script::after(b, 2, 2, Space::Device(gpu));
    script.kernel("before", 1, &[], &[1]);
    let arguments = Names {
        buffers: vec![script.m[0]],
        ..Names::default()
    };
    let streams = script.s.clone();
    script.b.call(place("call"), part, &streams, arguments);
    script.kernel("after", 0, &[1], &[]);
    let schedule = script.finish();
    assert!(!check(&schedule).is_verified());
    assert!(!check_with(&schedule, Options { states: 1 }).is_verified());
}

/// Values that a loop swaps, in buffers that it does not.
#[test]
fn states_differ_in_where_values_are() {
    let mut script = Script::new(1, 2);
    let (buffers, stream) = (script.m.clone(), script.s[0]);
    let values = [0, 1].map(|number| script.b.input(place("input"), buffers[number]));
    let initial = Names {
        values: values.to_vec(),
        ..Names::default()
    };
    let mut next = script
        .b
        .begin_loop(place("loop"), Trips::AtLeast(0), initial);
    next.values.swap(0, 1);
    let results = script.b.end_loop(next);
    script.b.launch(
        place("read"),
        stream,
        &[read(buffers[0], results.values[0])],
    );
    script.rejected(Rule::Value);
}

/// Returns a part that reads a buffer on one stream and writes another on a second stream.
fn reads_and_writes(b: &mut Builder<String>) -> PartId {
    let gpu = DeviceId(0);
    b.begin_part("part");
    let streams = [b.stream(gpu), b.stream(gpu)];
    let buffers = [(); 2].map(|()| b.buffer_parameter(SIZE, Space::Device(gpu)));
    b.launch(place("read"), streams[0], &[read_any(buffers[0])]);
    b.launch(place("write"), streams[1], &[write_any(buffers[1])]);
    b.end_part(Names::default())
}

/// Arguments that share some bytes.
#[test]
fn calls_with_overlapping_buffers() {
    for shared in [0, 4] {
        let mut b = Builder::new();
        let part = reads_and_writes(&mut b);
        let mut script = Script::after(b, 2, 0, Space::Pinned);
        let root = script
            .b
            .root(2 * SIZE, Space::Device(script.gpu), Lifetime::External);
        let offsets = [0, SIZE - shared];
        let arguments = Names {
            buffers: offsets
                .map(|offset| script.b.slice(root, offset, SIZE))
                .to_vec(),
            ..Names::default()
        };
        let streams = script.s.clone();
        script.b.call(place("call"), part, &streams, arguments);
        script.accepted_if(shared == 0);
    }
}

/// The host waits in a part, and then issues commands on streams that the part does not know.
#[test]
fn a_part_may_wait_on_the_host() {
    for waits in [true, false] {
        let mut b = Builder::new();
        let gpu = DeviceId(0);
        b.begin_part("part");
        let stream = b.stream(gpu);
        let buffer = b.buffer_parameter(SIZE, Space::Device(gpu));
        b.launch(place("write"), stream, &[write_any(buffer)]);
        let event = b.record(place("record"), stream);
        if waits {
            b.host_wait(place("wait"), &[event]);
        }
        let part = b.end_part(Names::default());
        let mut script = Script::after(b, 2, 1, Space::Device(gpu));
        let arguments = Names {
            buffers: script.m.clone(),
            ..Names::default()
        };
        let streams = [script.s[0]];
        script.b.call(place("call"), part, &streams, arguments);
        script.kernel("read", 1, &[0], &[]);
        script.accepted_if(waits);
    }
}

/// A command that is issued to a stream that waits comes after what the host did before.
#[test]
fn waiting_streams_know_what_the_host_did() {
    let mut script = cpu();
    let event = script.b.event(script.gpu);
    script.wait(0, event);
    script.host("write", &[], &[0]);
    script.kernel("read", 0, &[0], &[]);
    let agent = script.agent(1);
    script
        .b
        .command(place("record"), Op::Record { agent, event });
    script.accepted();
}

/// The host issues the record after its write, so that the stream that waits comes after both.
#[test]
fn waiting_streams_come_after_the_issue_of_the_record() {
    let mut script = cpu();
    let event = script.b.event(script.gpu);
    script.wait(0, event);
    script.kernel("read", 0, &[0], &[]);
    script.host("write", &[], &[0]);
    script.kernel("last", 0, &[], &[]);
    let agent = script.agent(1);
    script
        .b
        .command(place("record"), Op::Record { agent, event });
    script.accepted();
}

// ------------------------------------------------------------------------------ the data model

struct TwoKernels {
    waits: bool,
}

impl Source for TwoKernels {
    type Place = usize;

    fn feed(&self, b: &mut Builder<usize>) {
        let gpu = b.device(Device::Cuda);
        b.begin_part("main");
        let [one, two] = [b.stream(gpu), b.stream(gpu)];
        let buffer = b.buffer(SIZE, Space::Device(gpu));
        b.launch(0, one, &[write_any(buffer)]);
        if self.waits {
            let event = b.record(1, one);
            b.wait(2, two, &[event]);
        }
        b.launch(3, two, &[read_any(buffer)]);
        b.end_part(Names::default());
    }
}

#[test]
fn a_source_feeds_the_checker() {
    for waits in [true, false] {
        let (schedule, report) = check_source(&TwoKernels { waits }).expect("a schedule");
        assert_eq!(report.is_verified(), waits);
        assert_eq!(schedule.places[0], 0);
    }
}

#[test]
fn the_builder_reports_its_misuse() {
    let build = |misuse: fn(&mut Builder<u32>)| {
        let mut b = Builder::new();
        misuse(&mut b);
        b.finish().err()
    };
    assert_eq!(build(|_| ()), Some(BuildError::Incomplete));
    assert_eq!(
        build(|b| b.begin_part("main")),
        Some(BuildError::Incomplete)
    );
    let misnested = build(|b| {
        b.begin_part("main");
        b.end_loop(Names::default());
    });
    assert_eq!(misnested, Some(BuildError::Misnested));
    let deep = build(|b| {
        b.begin_part("main");
        for _ in 0..MAX_DEPTH {
            b.begin_loop(0, Trips::Exactly(1), Names::default());
        }
        for _ in 0..MAX_DEPTH {
            b.end_loop(Names::default());
        }
        b.end_part(Names::default());
    });
    assert_eq!(deep, Some(BuildError::TooDeep));
}

#[test]
fn names_are_visible_in_their_bodies_only() {
    let mut script = Script::new(1, 1);
    script
        .b
        .begin_loop(place("loop"), Trips::Exactly(2), Names::default());
    let inner = script.record(0);
    script.b.end_loop(Names::default());
    script.wait(0, inner);
    let texts = script.rejected(Rule::Model);
    assert_eq!(
        texts,
        ["malformed schedule: event 0 is not defined here, at wait"]
    );
}

/// The recursion of the checker fits into the stack of a thread, also through calls.
#[test]
fn deep_nests_are_checked() {
    let gpu = DeviceId(0);
    let mut b = Builder::new();
    let half = MAX_DEPTH / 2;
    for depth in 0..half {
        b.begin_part("part");
        let stream = b.stream(gpu);
        let buffer = b.buffer_parameter(SIZE, Space::Device(gpu));
        match depth.checked_sub(1) {
            None => drop(b.launch(place("kernel"), stream, &[write_any(buffer)])),
            Some(inner) => {
                let arguments = Names {
                    buffers: vec![buffer],
                    ..Names::default()
                };
                b.call(place("call"), PartId(inner as u32), &[stream], arguments);
            }
        }
        b.end_part(Names::default());
    }
    let mut script = Script::after(b, 2, 1, Space::Device(gpu));
    for _ in 0..half - 1 {
        script
            .b
            .begin_loop(place("loop"), Trips::Exactly(1), Names::default());
    }
    let arguments = Names {
        buffers: script.m.clone(),
        ..Names::default()
    };
    let stream = script.s[0];
    script
        .b
        .call(place("call"), PartId(half as u32 - 1), &[stream], arguments);
    for _ in 0..half - 1 {
        script.b.end_loop(Names::default());
    }
    script.kernel("last", 1, &[0], &[]);
    script.rejected(Rule::Order);
}

#[test]
fn bodies_that_are_nested_by_hand_are_limited() {
    let mut schedule = Script::new(1, 1).finish();
    for _ in 0..2 * MAX_DEPTH {
        let body = std::mem::take(&mut schedule.parts[0].body);
        let id = CommandId(schedule.places.len() as u32);
        schedule.places.push(place("loop"));
        let op = Op::Loop(Box::new(Loop {
            trips: Trips::Exactly(1),
            arguments: Names::default(),
            initial: Names::default(),
            results: Names::default(),
            body,
        }));
        schedule.parts[0].body.commands = vec![tfx_schedule::Command { id, op }];
    }
    let report = check(&schedule);
    assert!(report.diagnostics.iter().any(|d| d.rule() == Rule::Limit));
}

/// Replaces a random number of a schedule by another one, which may have no meaning.
fn damage(schedule: &mut Schedule<u32>, random: &mut Random) {
    let number = match random.below(4) {
        0 => u32::MAX,
        1 => 1000,
        _ => random.below(8) as u32,
    };
    let large = [0, 1, 8, u64::MAX, u64::MAX - 7][random.below(5)];
    let index = random.below(schedule.parts.len());
    let part = &mut schedule.parts[index];
    let buffer = random.below(part.buffers.len());
    match random.below(9) {
        0 => {
            part.buffers[buffer] = tfx_schedule::Buffer::View {
                of: BufferId(number),
                offset: large,
                size: 8,
            }
        }
        1 => {
            part.buffers[buffer] = tfx_schedule::Buffer::Slice {
                root: tfx_schedule::RootId(number % 3),
                offset: large,
                size: large,
            }
        }
        2 => part.values = number % 50,
        3 => part.streams.truncate(1),
        4 => drop(part.events.pop()),
        5 => part.body.yields.events.push(EventId(number)),
        6 => part.parameters.values.push(ValueId(number)),
        _ => {
            let commands = part.body.commands.len();
            let command = random.below(commands);
            let command = &mut part.body.commands[command];
            match &mut command.op {
                Op::Work {
                    agent, accesses, ..
                } => match random.below(3) {
                    0 => *agent = Agent::Stream(StreamId(number)),
                    1 => accesses[0].buffer = BufferId(number),
                    _ => {
                        accesses[0].value = Some(Value {
                            id: ValueId(number),
                            offset: large,
                        });
                    }
                },
                Op::Record { event, .. } => *event = EventId(number),
                Op::Wait { events, .. } => events.push(EventId(number)),
                Op::Alloc { buffer, .. } | Op::Free { buffer, .. } => *buffer = BufferId(number),
                Op::Loop(inner) => {
                    inner.trips = Trips::Exactly(large);
                    match random.below(3) {
                        0 => inner.body.yields.buffers.push(BufferId(number)),
                        1 => inner.arguments.events.clear(),
                        _ => {}
                    }
                }
                Op::Branch(branch) => branch.arms.truncate(number as usize % 2),
                Op::Call(call) => match random.below(3) {
                    0 => call.part = PartId(number),
                    1 => drop(call.streams.pop()),
                    _ => call.arguments.buffers = vec![BufferId(number); 2],
                },
            }
            command.id = match random.below(20) {
                0 => CommandId(number),
                _ => command.id,
            };
        }
    }
}

/// The number of damaged schedules.
const DAMAGED: u64 = 4000;

#[test]
fn damaged_schedules_are_diagnosed() {
    let shapes = [
        Shape::Straight,
        Shape::Loop,
        Shape::Nest,
        Shape::Branch,
        Shape::Call,
    ];
    let mut malformed = 0;
    for seed in 0..DAMAGED {
        let mut random = Random::new(seed);
        let mut schedule = generate(seed % 100, shapes[seed as usize % shapes.len()]);
        for _ in 0..1 + random.below(3) {
            damage(&mut schedule, &mut random);
        }
        let report = check(&schedule);
        malformed += u64::from(report.diagnostics.iter().any(|d| d.rule() == Rule::Model));
        for diagnostic in &report.diagnostics {
            assert!(!diagnostic.display(&schedule).to_string().is_empty());
        }
    }
    assert!(malformed > DAMAGED / 4, "{malformed}");
}

#[test]
fn an_empty_schedule_has_no_entry_part() {
    let schedule: Schedule<String> = Schedule::default();
    let report = check(&schedule);
    let expected = "malformed schedule: expected an entry part and a place of each command";
    assert_eq!(texts(&schedule, &report), [expected]);
}
