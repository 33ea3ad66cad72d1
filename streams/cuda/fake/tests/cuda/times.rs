//! The times of commands. A fake device has one clock, so that the order of times is exact.

use tfx_commands::{Memory, Verified};
use tfx_cuda::{RunOptions, Spans};
use tfx_schedule::Device;

use crate::programs::{Features, program};
use crate::ptx::All;
use crate::support::{Fake, Seeded, executable, memory, run, some};

#[test]
fn times_have_the_order_of_streams_and_events() {
    let fake = Fake::new(1);
    let (mut commands, mut arrows) = (0, 0);
    for seed in 0..some(60, 1000) {
        fake.seed(seed);
        let features = Features {
            devices: 1,
            has_host: seed % 2 == 0,
            has_control: seed % 3 == 0,
        };
        let verified = program(seed, features);
        let all = All::new(&verified);
        let executable = executable(&fake, &verified, &all.ptx, true).expect("it");
        let mut expected = memory(&verified);
        run(&executable, &mut expected, &mut Seeded::new(seed)).expect("a correct list");

        let mut bytes = memory(&verified);
        let mut list: Vec<Memory<'_>> = bytes.iter_mut().map(|own| Memory::Write(own)).collect();
        let (mut spans, replays) = (Spans::default(), executable.counts().graph_replays);
        let mut options = RunOptions {
            decisions: Some(&mut Seeded::new(seed)),
            spans: Some(&mut spans),
            ..RunOptions::default()
        };
        executable.run(&mut list, &mut options).expect("it");
        assert_eq!(bytes, expected, "{seed}");
        assert_eq!(executable.counts().graph_replays, replays, "{seed}");
        check(&spans, &verified, seed);
        commands += spans.commands.len();
        arrows += spans.arrows.len();
    }
    assert!(commands > 500 && arrows > 50, "{commands}, {arrows}");
    fake.assert_empty("after all executables");
}

fn check(spans: &Spans, verified: &Verified, seed: u64) {
    assert_eq!(spans.left_out, 0, "{seed}");
    let mut last = std::collections::BTreeMap::new();
    for span in &spans.commands {
        assert!(span.start <= span.end, "{seed}: {span:?}");
        if let Some(before) = last.insert(span.stream, span.end) {
            assert!(before <= span.start, "{seed}: {span:?}");
        }
    }
    // The host and streams of a CPU have another clock.
    let is_cuda = |stream: usize| {
        let schedule = verified.list().schedule();
        let entry = schedule.parts.last().expect("an entry part");
        let device = entry.streams[stream].device;
        schedule.devices[device.0 as usize] == Device::Cuda
    };
    for arrow in spans
        .arrows
        .iter()
        .filter(|arrow| arrow.to.is_some_and(is_cuda))
    {
        // The end of an arrow is moved if it is before the start.
        let mut waits = spans.commands.iter().filter(|span| span.name == "wait");
        let is_end = |span: &tfx_cuda::Span| span.stream == arrow.to && span.end == arrow.end;
        assert!(waits.any(is_end), "{seed}: {arrow:?}");
    }
}
