//! Schedules of other systems: their known bugs, and the cases of their tests.
//!
//! The facts come from the sources that each module names; the schedules are written for tfx.

mod support;

use support::script::{SIZE, Script};
use tfx_schedule::{
    Agent, BufferId, Builder, Device, DeviceId, EventId, Lifetime, Names, Rule, Space, Trips, read,
    read_any, write, write_any,
};

fn events(events: &[EventId]) -> Names {
    Names {
        events: events.to_vec(),
        ..Names::default()
    }
}

/// Schedules of libccv's NNC.
mod nnc {
    use super::*;

    /// Adds a part on streams 0, 2, 3 and 4 of a caller: each writes a buffer, after an event.
    fn part(b: &mut Builder<String>) -> tfx_schedule::PartId {
        let gpu = DeviceId(0);
        b.begin_part("part");
        let begin = b.event_parameter(gpu);
        let streams = [(); 4].map(|()| b.stream(gpu));
        let buffers = [(); 4].map(|()| b.buffer_parameter(SIZE, Space::Device(gpu)));
        // The first stream of the part waits for the caller, the others rely on the caller.
        b.wait("begin".to_string(), streams[0], &[begin]);
        let mut ends = Vec::new();
        for (number, (&stream, buffer)) in streams.iter().zip(buffers).enumerate() {
            b.launch(format!("part-{number}"), stream, &[write_any(buffer)]);
            ends.push(b.record("end".to_string(), stream));
        }
        b.end_part(events(&ends))
    }

    /// Returns a caller whose streams 0 to 4 use four buffers, and in which the given streams wait
    /// for all of that before the call.
    fn caller(covered: &[usize]) -> Script {
        let mut b = Builder::new();
        let part = part(&mut b);
        let mut script = Script::after(b, 5, 4, Space::Device(DeviceId(0)));
        script.kernel("producer", 1, &[], &[0, 1, 2, 3]);
        let begin = script.record(1);
        for &stream in covered {
            script.wait(stream, begin);
        }
        let arguments = Names {
            events: vec![begin],
            buffers: script.m.clone(),
            ..Names::default()
        };
        let streams = [0, 2, 3, 4].map(|stream| script.s[stream]);
        script.b.call("call".to_string(), part, &streams, arguments);
        script
    }

    /// The bug of 2021-04-14: the part runs on streams 0, 2, 3, 4, and the signal of the caller
    /// covers 0, 1, 2, 3.
    #[test]
    fn the_begin_of_a_part_covers_other_streams() {
        caller(&[0, 2, 3, 4]).accepted();
        let texts = caller(&[0, 1, 2, 3]).rejected(Rule::Order);
        assert_eq!(
            texts,
            [
                "V1: unordered accesses of bytes 0..64 of buffer 3 in part 'main': the write at \
              producer on stream 1 and the write at part-3 on stream 4; record an event on stream 1 \
              after producer, and wait for it on stream 4 before part-3"
            ]
        );
    }

    /// A wait was skipped if any of several streams had already seen the signal.
    #[test]
    fn a_wait_is_skipped_if_any_stream_saw_the_signal() {
        for sees_third in [true, false] {
            let mut script = Script::new(3, 1);
            script.kernel("producer", 0, &[], &[0]);
            let signal = script.record(0);
            script.wait(1, signal);
            if sees_third {
                script.wait(2, signal);
            }
            script.kernel("second", 1, &[0], &[]);
            script.kernel("third", 2, &[0], &[]);
            script.accepted_if(sees_third);
        }
    }

    /// A part that needs two streams of a device, where the whole schedule needs one.
    #[test]
    fn a_part_has_more_streams_than_its_caller() {
        let run = |streams: [usize; 2]| {
            let mut b = Builder::new();
            let gpu = DeviceId(0);
            b.begin_part("part");
            let [one, two] = [b.stream(gpu), b.stream(gpu)];
            let buffer = b.buffer_parameter(SIZE, Space::Device(gpu));
            b.launch("first".to_string(), one, &[write_any(buffer)]);
            b.launch("second".to_string(), two, &[read_any(buffer)]);
            let part = b.end_part(Names::default());
            let mut script = Script::after(b, 2, 1, Space::Device(gpu));
            let streams = streams.map(|stream| script.s[stream]);
            let arguments = Names {
                buffers: script.m.clone(),
                ..Names::default()
            };
            script.b.call("call".to_string(), part, &streams, arguments);
            script
        };
        run([0, 0]).accepted();
        run([0, 1]).rejected(Rule::Order);
    }

    /// The cases of its schedule tests: `case_of` in a `while`, on several streams.
    #[test]
    fn a_case_in_a_loop_joins_its_streams() {
        for joins in [true, false] {
            let mut script = Script::new(3, 2);
            script.kernel("init", 0, &[], &[0, 1]);
            let start = script.record(0);
            let initial = events(&[start]);
            let arguments = script
                .b
                .begin_loop("while".to_string(), Trips::AtLeast(0), initial);
            script.wait(0, arguments.events[0]);
            let condition = script.record(0);
            script.b.begin_branch("case".to_string());
            for stream in [1, 2] {
                script.b.begin_arm();
                script.wait(stream, condition);
                script.kernel("arm", stream, &[0], &[1]);
                let end = match joins || stream == 1 {
                    true => script.record(stream),
                    false => condition,
                };
                script.b.end_arm(events(&[end]));
            }
            let end = script.b.end_branch().events[0];
            script.wait(0, end);
            script.kernel("next", 0, &[1], &[0]);
            let next = script.record(0);
            let results = script.b.end_loop(events(&[next]));
            script.wait(1, results.events[0]);
            script.kernel("last", 1, &[0], &[]);
            script.accepted_if(joins);
        }
    }
}

/// Rings of buffers between a producer and a consumer.
mod rings {
    use super::*;

    /// Returns a loop with a ring of slots, whose producer waits for the consumer of the iteration
    /// that is a given number of iterations earlier.
    fn ring(slots: usize, distance: usize, trips: Trips) -> Script {
        let mut script = Script::new(2, slots);
        let start = script.record(1);
        let initial = Names {
            events: vec![start; distance],
            buffers: script.m.clone(),
            ..Names::default()
        };
        let arguments = script.b.begin_loop("loop".to_string(), trips, initial);
        let slot = arguments.buffers[0];
        let value = script.b.value();
        script.wait(0, arguments.events[0]);
        let [producer, consumer] = [script.s[0], script.s[1]];
        script
            .b
            .launch("producer".to_string(), producer, &[write(slot, value)]);
        script.order(0, 1);
        script
            .b
            .launch("consumer".to_string(), consumer, &[read(slot, value)]);
        let done = script.record(1);
        let mut next = arguments;
        next.buffers.rotate_left(1);
        next.events.rotate_left(1);
        next.events[distance - 1] = done;
        script.b.end_loop(next);
        script
    }

    #[test]
    fn a_ring_is_safe_if_and_only_if_it_is_as_deep_as_the_distance() {
        for slots in 1..=8 {
            for distance in 1..=9 {
                for trips in [Trips::AtLeast(0), Trips::AtLeast(7), Trips::Exactly(1000)] {
                    ring(slots, distance, trips).accepted_if(distance <= slots);
                }
            }
        }
    }

    /// A loop that is too short to reuse a slot is safe in any case.
    #[test]
    fn short_loops_need_no_wait() {
        for trips in 0..=6 {
            ring(3, 6, Trips::Exactly(trips)).accepted_if(trips <= 3);
        }
    }

    /// The period is 7 x 11 x 13 iterations.
    #[test]
    fn rings_of_different_depths_are_simulated_to_their_period() {
        let depths = [7, 11, 13];
        for uses_result in [false, true] {
            let mut script = Script::new(1, depths.iter().sum());
            let initial = Names {
                buffers: script.m.clone(),
                ..Names::default()
            };
            let trips = Trips::AtLeast(0);
            let arguments = script.b.begin_loop("loop".to_string(), trips, initial);
            let mut next = arguments.clone();
            let mut first = 0;
            for depth in depths {
                let accesses = [write_any(arguments.buffers[first])];
                script
                    .b
                    .launch("kernel".to_string(), script.s[0], &accesses);
                next.buffers[first..first + depth].rotate_left(1);
                first += depth;
            }
            let results = script.b.end_loop(next);
            if uses_result {
                let accesses = [write_any(results.buffers[0])];
                script.b.launch("last".to_string(), script.s[0], &accesses);
            }
            script.accepted();
        }
    }
}

/// Traces of allocators that order the reuse of memory by events.
mod allocators {
    use super::*;

    /// RAPIDS rmm, issue 2489 and pull request 2490: a list of free blocks is merged into that of
    /// another stream, whose event is not recorded again after it waits for the donor.
    #[test]
    fn a_merged_free_list_needs_a_new_event() {
        for records_again in [true, false] {
            let mut script = Script::new(3, 0);
            let device = Space::Device(script.gpu);
            let pool = script.b.root(SIZE, device, Lifetime::Managed);
            let [first, second] = [(); 2].map(|()| script.b.slice(pool, 0, SIZE));
            let [a, c] = [0, 2].map(|stream| script.agent(stream));
            let place = |name: &str| name.to_string();
            let stale = script.record(1);
            script.b.alloc(place("allocate"), a, first);
            script.b.fill(place("fill"), script.s[0], write_any(first));
            script.b.free(place("deallocate"), a, first);
            script.order(0, 1);
            // The block is in the list of the second stream now.
            let event = match records_again {
                true => script.record(1),
                false => stale,
            };
            script.wait(2, event);
            script.b.alloc(place("steal"), c, second);
            script
                .b
                .fill(place("overwrite"), script.s[2], write_any(second));
            script.b.free(place("release"), c, second);
            match records_again {
                true => script.accepted(),
                false => {
                    let texts = script.rejected(Rule::Lifetime);
                    assert!(texts[0].contains("the release at deallocate on stream 0"));
                    assert!(texts[0].contains("the allocation at steal on stream 2"));
                }
            }
        }
    }

    /// TorchRec, pull request 4231: a tensor is released on the main stream while the copy stream
    /// still copies it to the host, and its memory is used again.
    #[test]
    fn a_copied_tensor_is_released_too_early() {
        for waits in [true, false] {
            let mut script = Script::new(2, 0);
            let device = Space::Device(script.gpu);
            let heap = script.b.root(SIZE, device, Lifetime::Managed);
            let [tensor, reused] = [(); 2].map(|()| script.b.slice(heap, 0, SIZE));
            let host = script.b.buffer(SIZE, Space::Pinned);
            let main = script.agent(0);
            let [value, copied] = [(); 2].map(|()| script.b.value());
            let place = |name: &str| name.to_string();
            script.b.alloc(place("tensor"), main, tensor);
            script
                .b
                .launch(place("compute"), script.s[0], &[write(tensor, value)]);
            script.order(0, 1);
            let stream = script.s[1];
            script.b.copy(
                place("copy"),
                stream,
                read(tensor, value),
                write(host, copied),
            );
            if waits {
                script.order(1, 0);
            }
            script.b.free(place("resize"), main, tensor);
            script.b.alloc(place("new tensor"), main, reused);
            script.b.fill(place("fill"), script.s[0], write_any(reused));
            script.synchronize(1);
            script.b.host(place("check"), &[read(host, copied)]);
            match waits {
                true => script.accepted(),
                false => drop(script.rejected(Rule::Lifetime)),
            }
        }
    }

    /// torchgpipe, `test_stream.py`: memory that another stream still uses is not reused until the
    /// stream has drained.
    #[test]
    fn a_block_is_not_reused_until_the_stream_drains() {
        for drains in [true, false] {
            let mut script = Script::new(2, 0);
            let device = Space::Device(script.gpu);
            let heap = script.b.root(SIZE, device, Lifetime::Managed);
            let [x, y] = [(); 2].map(|()| script.b.slice(heap, 0, SIZE));
            let current = script.agent(0);
            let place = |name: &str| name.to_string();
            script.b.alloc(place("x"), current, x);
            script.order(0, 1);
            script
                .b
                .launch(place("sleep"), script.s[1], &[write_any(x)]);
            if drains {
                script.synchronize(1);
            }
            script.b.free(place("del x"), current, x);
            script.b.alloc(place("y"), current, y);
            match drains {
                true => script.accepted(),
                false => drop(script.rejected(Rule::Lifetime)),
            }
        }
    }
}

/// IREE's stream dialect.
mod iree {
    use super::*;

    /// The slices of `layout_slices.mlir`: the interval in time, the size, and the offset.
    const SLICES: [(usize, usize, u64, u64); 6] = [
        (0, 1, 100, 0),
        (1, 2, 100, 112),
        (2, 3, 100, 0),
        (0, 4, 200, 224),
        (5, 6, 200, 0),
        (5, 8, 100, 208),
    ];
    const TOTAL: u64 = 432;

    /// Runs the lifetimes on one stream, with each slice moved by some bytes. Intervals contain
    /// both of their ends.
    fn run(moved: [i64; 6]) -> Script {
        let mut script = Script::new(1, 0);
        let device = Space::Device(script.gpu);
        let arena = script.b.root(TOTAL, device, Lifetime::Managed);
        let slices: Vec<BufferId> = SLICES
            .iter()
            .zip(moved)
            .map(|(slice, moved)| {
                let offset = slice.3.saturating_add_signed(moved);
                script.b.slice(arena, offset, slice.2)
            })
            .collect();
        let agent = script.agent(0);
        for time in 0..=8 {
            let at = |end: fn(&(usize, usize, u64, u64)) -> usize| {
                let slices = SLICES.iter().zip(&slices);
                let slices = slices.filter(move |(slice, _)| end(slice) == time);
                slices.map(|(_, &buffer)| buffer).collect::<Vec<_>>()
            };
            for slice in at(|slice| slice.0) {
                script.b.alloc(format!("alloc at {time}"), agent, slice);
                script
                    .b
                    .fill(format!("fill at {time}"), script.s[0], write_any(slice));
            }
            for slice in at(|slice| slice.1) {
                script.b.free(format!("free at {time}"), agent, slice);
            }
        }
        script
    }

    #[test]
    fn the_layout_of_slices_is_valid() {
        run([0; 6]).accepted();
    }

    #[test]
    fn moved_slices_share_live_bytes() {
        for (slice, by) in [(1, -112), (3, -13), (5, -9), (3, -224)] {
            let mut moved = [0; 6];
            moved[slice] = by;
            run(moved).rejected(Rule::Lifetime);
        }
        // The padding for alignment is not used.
        run([0, 0, 0, -12, 0, 0]).accepted();
    }

    /// Tied operations: results in the storage of operands. Two of them on one storage are apart
    /// only if they are ordered, and a reader of the old value must come before.
    #[test]
    fn tied_operations_on_one_storage_are_ordered() {
        for (ordered, is_stale) in [(true, false), (true, true), (false, false)] {
            let mut script = Script::new(2, 1);
            let [a, b, c] = [(); 3].map(|()| script.b.value());
            let buffer = script.m[0];
            let [s0, s1] = [script.s[0], script.s[1]];
            let place = |name: &str| name.to_string();
            script.b.launch(place("init"), s0, &[write(buffer, a)]);
            let init = script.record(0);
            script.wait(1, init);
            script
                .b
                .launch(place("one"), s0, &[read(buffer, a), write(buffer, b)]);
            if ordered {
                script.order(0, 1);
            }
            let operand = if is_stale { a } else { b };
            script
                .b
                .launch(place("two"), s1, &[read(buffer, operand), write(buffer, c)]);
            match (ordered, is_stale) {
                (true, false) => script.accepted(),
                (true, true) => drop(script.rejected(Rule::Value)),
                (false, _) => drop(script.rejected(Rule::Order)),
            }
        }
    }
}

/// CuSan's pairs: a program, and the same without a synchronization.
mod cusan {
    use super::*;

    fn pair(build: impl Fn(&mut Script, bool), rule: Rule) {
        for synchronizes in [true, false] {
            let mut script = Script::after(Builder::new(), 3, 3, Space::Pinned);
            build(&mut script, synchronizes);
            match synchronizes {
                true => script.accepted(),
                false => drop(script.rejected(rule)),
            }
        }
    }

    #[test]
    fn the_host_waits_for_a_stream() {
        pair(
            |script, synchronizes| {
                script.kernel("kernel", 0, &[], &[0]);
                if synchronizes {
                    script.synchronize(0);
                }
                script.host("send", &[0], &[]);
            },
            Rule::Host,
        );
    }

    /// The synchronization is with another stream.
    #[test]
    fn the_host_waits_for_the_other_stream() {
        pair(
            |script, synchronizes| {
                script.kernel("kernel", 0, &[], &[0]);
                script.kernel("other", 1, &[], &[1]);
                script.synchronize(if synchronizes { 0 } else { 1 });
                script.host("send", &[0], &[]);
            },
            Rule::Host,
        );
    }

    /// The event is recorded before the kernel.
    #[test]
    fn the_event_is_recorded_too_early() {
        pair(
            |script, synchronizes| {
                let early = script.record(0);
                script.kernel("kernel", 0, &[], &[0]);
                let late = script.record(0);
                script.host_wait(if synchronizes { late } else { early });
                script.host("receive", &[], &[0]);
            },
            Rule::Host,
        );
    }

    #[test]
    fn the_host_overwrites_what_a_kernel_reads() {
        pair(
            |script, synchronizes| {
                script.host("receive", &[], &[0]);
                script.kernel("kernel", 0, &[0], &[1]);
                if synchronizes {
                    script.synchronize(0);
                }
                script.host("receive again", &[], &[0]);
            },
            Rule::Host,
        );
    }

    #[test]
    fn an_asynchronous_copy_is_read() {
        pair(
            |script, synchronizes| {
                script.kernel("kernel", 0, &[], &[0]);
                script.copy("copy", 0, 0, 1);
                if synchronizes {
                    script.synchronize(0);
                }
                script.host("read", &[1], &[]);
            },
            Rule::Host,
        );
    }

    #[test]
    fn a_stream_waits_for_the_event_of_another() {
        pair(
            |script, synchronizes| {
                script.kernel("kernel", 0, &[], &[0]);
                let event = script.record(0);
                if synchronizes {
                    script.wait(1, event);
                }
                script.kernel("kernel 2", 1, &[0], &[1]);
            },
            Rule::Order,
        );
    }

    /// Streams with a chunk each, of which the host reads all.
    #[test]
    fn chunks_on_several_streams() {
        pair(
            |script, synchronizes| {
                let chunks = [0, 1, 2].map(|chunk| script.b.view(script.m[0], 16 * chunk, 16));
                for (stream, chunk) in chunks.into_iter().enumerate() {
                    let stream = script.s[stream];
                    script
                        .b
                        .launch("chunk".to_string(), stream, &[write_any(chunk)]);
                }
                for stream in 0..if synchronizes { 3 } else { 2 } {
                    script.synchronize(stream);
                }
                script.host("read", &[0], &[]);
            },
            Rule::Host,
        );
    }
}

/// torchgpipe's `Copy` and `Wait`, in the intended matrix.
mod torchgpipe {
    use super::*;

    const DEVICES: [Device; 2] = [Device::Cpu, Device::Cuda];

    /// Runs a producer on one device, a copy or a wait to another, and a consumer; then the same in
    /// the other direction, as the backward pass does. `missing` removes one of the waits.
    fn run(devices: [Device; 2], tensors: usize, copies: bool, missing: Option<usize>) -> Script {
        let mut b = Builder::new();
        let ids = devices.map(|device| b.device(device));
        b.begin_part("main");
        let streams = ids.map(|id| b.stream(id));
        let spaces = [0, 1].map(|side| match devices[side] {
            Device::Cpu => Space::Pageable,
            Device::Cuda => Space::Device(ids[side]),
        });
        let mut script = Script {
            b,
            gpu: ids[1],
            s: streams.to_vec(),
            m: Vec::new(),
        };
        let mut waits = 0;
        let mut order = |script: &mut Script, from: usize, to: usize| {
            if Some(waits) != missing {
                script.order(from, to);
            }
            waits += 1;
        };
        for _ in 0..tensors {
            // A wait keeps the tensor in its memory.
            let there = script.b.buffer(SIZE, spaces[0]);
            let here = if copies {
                script.b.buffer(SIZE, spaces[1])
            } else {
                there
            };
            let mut value = script.b.value();
            let place = |name: &str| name.to_string();
            script.b.launch(
                place("sleep and produce"),
                streams[0],
                &[write(there, value)],
            );
            for (from, to, source, target) in [(0, 1, there, here), (1, 0, here, there)] {
                let next = script.b.value();
                order(&mut script, from, to);
                if copies {
                    let (source, target) = (read(source, value), write(target, next));
                    script.b.copy(place("copy"), streams[to], source, target);
                    value = next;
                }
                let result = script.b.value();
                let accesses = [read(target, value), write(target, result)];
                script.b.launch(place("consume"), streams[to], &accesses);
                value = result;
            }
        }
        script
    }

    #[test]
    fn copies_arrive_in_both_directions() {
        for one in DEVICES {
            for two in DEVICES {
                for tensors in [1, 2, 5] {
                    run([one, two], tensors, true, None).accepted();
                    for missing in 0..2 * tensors {
                        run([one, two], tensors, true, Some(missing)).rejected(Rule::Order);
                    }
                }
            }
        }
    }

    #[test]
    fn waits_order_streams_of_one_device() {
        for tensors in [1, 2, 5] {
            run([Device::Cpu; 2], tensors, false, None).accepted();
            for missing in 0..2 * tensors {
                run([Device::Cpu; 2], tensors, false, Some(missing)).rejected(Rule::Order);
            }
        }
    }
}

/// PyTorch's tests of its CUDA sanitizer, `TestEventHandler`.
mod pytorch {
    use super::*;

    #[test]
    fn an_empty_kernel() {
        let mut script = Script::new(1, 0);
        script.kernel("kernel", 0, &[], &[]);
        script.accepted();
    }

    #[test]
    fn two_reads_and_a_read_with_a_write() {
        for (writes, is_ordered) in [(&[][..], true), (&[0][..], false)] {
            let mut script = Script::new(2, 1);
            script.kernel("read", 0, &[0], &[]);
            let reads: &[usize] = if writes.is_empty() { &[0] } else { &[] };
            script.kernel("second", 1, reads, writes);
            script.accepted_if(is_ordered);
        }
    }

    #[test]
    fn a_simple_synchronization() {
        let mut script = Script::new(2, 1);
        script.kernel("read", 0, &[0], &[]);
        script.order(0, 1);
        script.kernel("write", 1, &[], &[0]);
        script.accepted();
    }

    #[test]
    fn each_read_is_compared_with_the_last_write() {
        let mut script = Script::new(3, 1);
        script.kernel("write", 0, &[], &[0]);
        script.order(0, 1);
        script.kernel("read", 1, &[0], &[]);
        script.kernel("other read", 2, &[0], &[]);
        script.accepted_if(false);
    }

    #[test]
    fn two_readers_of_one_writer() {
        for writes in [false, true] {
            let mut script = Script::new(3, 1);
            script.kernel("write", 0, &[], &[0]);
            let event = script.record(0);
            script.wait(1, event);
            script.wait(2, event);
            script.kernel("read", 1, &[0], &[]);
            script.kernel("other read", 2, &[0], &[]);
            if writes {
                script.kernel("second write", 1, &[], &[0]);
            }
            script.accepted_if(!writes);
        }
    }

    #[test]
    fn a_chain_of_streams() {
        const STREAMS: usize = 11;
        let mut script = Script::new(STREAMS, 1);
        script.kernel("read", 0, &[0], &[]);
        for stream in 1..STREAMS {
            script.order(stream - 1, stream);
        }
        script.kernel("write", STREAMS - 1, &[], &[0]);
        script.accepted();
    }

    #[test]
    fn an_event_does_not_cover_later_commands() {
        let mut script = Script::new(2, 1);
        script.kernel("read", 0, &[0], &[]);
        let event = script.record(0);
        script.kernel("second read", 0, &[0], &[]);
        script.wait(1, event);
        script.kernel("write", 1, &[], &[0]);
        script.accepted_if(false);
    }

    /// An event that is created again, or was deleted, covers nothing. In a schedule, a wait for it
    /// has no record.
    #[test]
    fn an_event_without_a_record() {
        let mut script = Script::new(2, 1);
        script.kernel("read", 0, &[0], &[]);
        let event = script.b.event(script.gpu);
        script.wait(1, event);
        script.kernel("write", 1, &[], &[0]);
        script.rejected(Rule::Progress);
    }

    #[test]
    fn all_reads_are_checked() {
        const STREAMS: usize = 11;
        for waits in [STREAMS, STREAMS - 1] {
            let mut script = Script::new(STREAMS, 1);
            let mut events = Vec::new();
            for stream in 1..STREAMS {
                script.kernel("read", stream, &[0], &[]);
                events.push(script.record(stream));
            }
            for &event in &events[..waits - 1] {
                script.wait(0, event);
            }
            script.kernel("write", 0, &[], &[0]);
            script.accepted_if(waits == STREAMS);
        }
    }

    #[test]
    fn each_conflict_is_reported() {
        let buffers: Vec<usize> = (0..10).collect();
        let mut script = Script::new(2, buffers.len());
        script.kernel("first", 0, &[], &buffers);
        script.kernel("second", 1, &[], &buffers);
        assert_eq!(script.rejected(Rule::Order).len(), buffers.len());
    }

    #[test]
    fn a_wait_adds_to_what_a_stream_knows() {
        let mut script = Script::new(2, 2);
        script.kernel("a", 0, &[], &[0]);
        script.kernel("b", 1, &[], &[1]);
        let [one, two] = [0, 1].map(|stream| script.record(stream));
        script.kernel("c", 0, &[], &[0]);
        script.kernel("d", 1, &[], &[1]);
        script.wait(1, one);
        script.wait(0, two);
        script.order(1, 0);
        script.kernel("e", 0, &[], &[0, 1]);
        script.accepted();
    }

    /// The second record of an event replaces the first: a schedule has two events.
    #[test]
    fn a_record_replaces_an_earlier_one() {
        let mut script = Script::new(3, 2);
        script.kernel("a", 0, &[0], &[]);
        script.kernel("b", 1, &[1], &[]);
        script.record(0);
        let event = script.record(1);
        script.wait(2, event);
        script.kernel("write", 2, &[], &[0]);
        script.accepted_if(false);
    }
}

/// Host code in the order of its own thread.
#[test]
fn the_host_is_ordered_with_itself() {
    let mut script = Script::after(Builder::new(), 1, 1, Space::Pageable);
    script.host("write", &[], &[0]);
    script.host("read", &[0], &[]);
    let agent = Agent::Host;
    let root = script.b.root(SIZE, Space::Pageable, Lifetime::Managed);
    let slice = script.b.slice(root, 0, SIZE);
    script.b.alloc("alloc".to_string(), agent, slice);
    script.b.host("use".to_string(), &[write_any(slice)]);
    script.b.free("free".to_string(), agent, slice);
    script.accepted();
}
