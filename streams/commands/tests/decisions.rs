//! Loops and branches that bytes decide, and lists whose decisions are malformed.

use tfx_commands::{CommandList, DecodeError, Detail, Kernels, Operand, Options, Verified, run};
use tfx_schedule::{
    Agent, Body, Builder, CommandId, Device, Names, Op, Schedule, Space, Trips, read, read_any,
    write, write_any,
};

/// A loop that counts down on one stream, and sums up on another one:
///
/// ```text
///   decide %n;  loop { sum += n (stream 1);  n -= 1 (stream 0);  decide %n }
/// ```
fn countdown() -> Schedule<Detail> {
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    b.begin_part("main");
    let [s, t] = [b.stream(cpu), b.stream(cpu)];
    let [n, sum] = [b.buffer(1, Space::Pageable), b.buffer(1, Space::Pageable)];
    let values = [n, sum].map(|buffer| b.input(Detail::None, buffer));
    let first = b.host(Detail::Decide, &[read(n, values[0])]);
    let initial = Names {
        values: values.to_vec(),
        ..Names::default()
    };
    let inner = b.begin_loop(Detail::None, Trips::AtLeast(0), initial);
    let repeated = CommandId(first.0 + 1);
    let [counted, summed] = [b.value(), b.value()];
    b.launch(
        Detail::kernel("add"),
        t,
        &[
            read(n, inner.values[0]),
            read(sum, inner.values[1]),
            write(sum, summed),
        ],
    );
    let added = b.record(Detail::None, t);
    b.wait(Detail::None, s, &[added]);
    b.launch(
        Detail::kernel("less"),
        s,
        &[read(n, inner.values[0]), write(n, counted)],
    );
    let less = b.record(Detail::None, s);
    b.host_wait(Detail::None, &[less]);
    let next = b.host(Detail::Decide, &[read(n, counted)]);
    b.wait(Detail::None, t, &[less]);
    b.end_loop(Names {
        values: vec![counted, summed],
        ..Names::default()
    });
    b.end_part(Names::default());
    let mut schedule = b.finish().expect("a part");
    schedule.places[repeated.0 as usize] = Detail::Decided { first, next };
    schedule
}

fn kernels() -> Kernels {
    let mut kernels = Kernels::default();
    kernels.add("add", |operands| {
        if let [Operand::Read(n), Operand::Update(sum)] = operands {
            sum[0] += n[0];
        }
    });
    kernels.add("less", |operands| {
        if let [Operand::Update(n)] = operands {
            n[0] -= 1;
        }
    });
    kernels
}

#[test]
fn a_byte_decides_each_iteration() {
    let bytes = CommandList::new(countdown()).encode();
    let list = CommandList::decode(&bytes).expect("a list");
    assert_eq!(list.schedule(), &countdown());
    let verified = Verified::new(list).expect("a correct schedule");
    for (n, sum) in [(0, 0), (1, 1), (2, 3), (9, 45)] {
        for seed in 0..8 {
            for is_debug in [false, true] {
                let mut memory = vec![vec![n], vec![0]];
                let mut options = Options {
                    delays: (seed > 0).then_some(seed),
                    is_debug,
                    ..Options::default()
                };
                run(&verified, &kernels(), &mut memory, &mut options).expect("a run");
                assert_eq!(memory, [[0], [sum]], "{n}, {seed}");
            }
        }
    }
}

#[test]
fn the_host_waits_for_the_byte() {
    let mut schedule = countdown();
    let inner = body(&mut schedule);
    inner
        .commands
        .retain(|command| !matches!(command.op, Op::Wait { agent, .. } if agent == Agent::Host));
    let rejected = Verified::new(CommandList::new(schedule)).expect_err("a race");
    let text = rejected.to_string();
    assert!(text.contains("V5: unordered accesses"), "{text}");
}

/// Returns the body of the loop.
fn body(schedule: &mut Schedule<Detail>) -> &mut Body {
    let commands = schedule.parts[0].body.commands.iter_mut();
    let mut bodies = commands.filter_map(|command| match &mut command.op {
        Op::Loop(inner) => Some(&mut inner.body),
        _ => None,
    });
    bodies.next().expect("a loop")
}

/// A branch in a loop over four bytes: bytes that are not zero are added to one sum, and for the
/// others, another one counts.
///
/// ```text
///   loop 4 { decide %b;  if { sum += b } else { zeros += 1 };  rotate %b }
/// ```
fn classify() -> (Schedule<Detail>, CommandId) {
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    b.begin_part("main");
    let [s, t] = [b.stream(cpu), b.stream(cpu)];
    let all = b.buffer(4, Space::Pageable);
    let sums = [b.buffer(1, Space::Pageable), b.buffer(1, Space::Pageable)];
    b.begin_loop(Detail::None, Trips::Exactly(4), Names::default());
    let first = b.view(all, 0, 1);
    let by = b.host(Detail::Decide, &[read_any(first)]);
    b.begin_branch(Detail::None);
    let branch = CommandId(by.0 + 1);
    for (name, sum) in ["add", "count"].into_iter().zip(sums) {
        b.begin_arm();
        let accesses = [read_any(first), read_any(sum), write_any(sum)];
        b.launch(Detail::kernel(name), t, &accesses);
        b.end_arm(Names::default());
    }
    b.end_branch();
    let summed = b.record(Detail::None, t);
    b.wait(Detail::None, s, &[summed]);
    b.launch(
        Detail::kernel("rotate"),
        s,
        &[read_any(all), write_any(all)],
    );
    let rotated = b.record(Detail::None, s);
    b.host_wait(Detail::None, &[rotated]);
    b.wait(Detail::None, t, &[rotated]);
    b.end_loop(Names::default());
    b.end_part(Names::default());
    let mut schedule = b.finish().expect("a part");
    schedule.places[branch.0 as usize] = Detail::Chosen(by);
    (schedule, branch)
}

#[test]
fn a_byte_decides_each_branch() {
    let (schedule, _) = classify();
    let list = CommandList::decode(&CommandList::new(schedule.clone()).encode()).expect("a list");
    assert_eq!(list.schedule(), &schedule);
    let verified = Verified::new(list).expect("a correct schedule");
    let mut kernels = kernels();
    kernels.add("count", |operands| {
        if let [Operand::Read(_), Operand::Update(sum)] = operands {
            sum[0] += 1;
        }
    });
    kernels.add("rotate", |operands| {
        if let [Operand::Update(all)] = operands {
            all.rotate_left(1);
        }
    });
    for (bytes, sums) in [
        ([0; 4], [0, 4]),
        ([1, 0, 7, 0], [8, 2]),
        ([1, 2, 3, 4], [10, 0]),
    ] {
        for seed in 0..8 {
            let mut memory = vec![bytes.to_vec(), vec![0], vec![0]];
            let mut options = Options {
                delays: (seed > 0).then_some(seed),
                ..Options::default()
            };
            run(&verified, &kernels, &mut memory, &mut options).expect("a run");
            let [_, first, second] = &memory[..] else {
                panic!("three buffers");
            };
            assert_eq!([first[0], second[0]], sums, "{bytes:?}, {seed}");
        }
    }
}

#[test]
fn malformed_decisions_of_branches_are_errors() {
    let (schedule, branch) = classify();
    let mut kernel = schedule.places.iter();
    let kernel = kernel.position(|detail| matches!(detail, Detail::Kernel(_)));
    let kernel = kernel.expect("a kernel");
    let branch = branch.0 as usize;
    let by = CommandId(branch as u32 - 1);
    let chosen = Detail::Chosen;
    let cases = [
        (branch, chosen(CommandId(0)), "a decision before the branch"),
        (
            branch,
            chosen(CommandId(1000)),
            "a decision before the branch",
        ),
        (by.0 as usize, Detail::None, "a decision before the branch"),
        (kernel, chosen(by), "a branch"),
    ];
    for (index, detail, expected) in cases {
        let mut wrong = schedule.clone();
        wrong.places[index] = detail;
        assert_eq!(malformed(wrong), expected);
    }
    let mut wrong = schedule;
    for command in &mut body(&mut wrong).commands {
        if let Op::Branch(branch) = &mut command.op {
            branch.arms.pop();
        }
    }
    assert_eq!(malformed(wrong), "a branch of two arms");
}

/// Returns what the decoder expects instead of a decision.
fn malformed(schedule: Schedule<Detail>) -> &'static str {
    match CommandList::decode(&CommandList::new(schedule).encode()) {
        Err(DecodeError::Decision { expected, .. }) => expected,
        decoded => panic!("expected an error about a decision, got {decoded:?}"),
    }
}

#[test]
fn malformed_decisions_are_errors() {
    let schedule = countdown();
    let is_loop = |detail: &Detail| matches!(detail, Detail::Decided { .. });
    let place = |is: &dyn Fn(&Detail) -> bool| schedule.places.iter().position(is);
    let repeated = place(&is_loop).expect("a loop");
    let Detail::Decided { first, next } = schedule.places[repeated] else {
        panic!("another detail");
    };
    let kernel = place(&|detail| matches!(detail, Detail::Kernel(_))).expect("a kernel");
    let decided = |first, next| Detail::Decided { first, next };
    let cases = [
        // Other commands, none at all, and those of the other block.
        (
            repeated,
            decided(CommandId(0), next),
            "a decision before the loop",
        ),
        (
            repeated,
            decided(CommandId(1000), next),
            "a decision before the loop",
        ),
        (repeated, decided(next, next), "a decision before the loop"),
        (
            repeated,
            decided(first, first),
            "a decision in the body of the loop",
        ),
        (first.0 as usize, Detail::None, "a decision before the loop"),
        (
            next.0 as usize,
            Detail::kernel("see"),
            "a decision in the body of the loop",
        ),
        // Details of other commands.
        (kernel, Detail::Decide, "a read of one buffer by the host"),
        (kernel, decided(first, next), "a loop"),
    ];
    for (index, detail, expected) in cases {
        let mut wrong = schedule.clone();
        wrong.places[index] = detail;
        assert_eq!(malformed(wrong), expected);
    }
    let mut wrong = schedule.clone();
    for command in &mut wrong.parts[0].body.commands {
        if let Op::Loop(inner) = &mut command.op {
            inner.trips = Trips::Exactly(3);
        }
    }
    let decoded = CommandList::decode(&CommandList::new(wrong).encode());
    let error = decoded.expect_err("a known number of iterations");
    assert_eq!(
        error.to_string(),
        format!(
            "expected a loop with an unknown number of iterations at command {repeated} of a \
             command list"
        )
    );
}

#[test]
fn damaged_bytes_are_no_panic() {
    for schedule in [countdown(), classify().0] {
        let bytes = CommandList::new(schedule).encode();
        for position in 0..bytes.len() {
            for value in [0, 1, 2, 3, 4, 5, 6, 127, 128, 255] {
                let mut damaged = bytes.clone();
                damaged[position] = value;
                let _ = CommandList::decode(&damaged).map(Verified::new);
            }
            assert!(CommandList::decode(&bytes[..position]).is_err());
        }
    }
}
