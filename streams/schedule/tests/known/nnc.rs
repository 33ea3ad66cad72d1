//! Schedules of libccv's NNC.

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
