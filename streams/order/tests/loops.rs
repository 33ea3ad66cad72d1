//! The number of waits in loops and around them.

use tfx_order::{Wait, events, insert};
use tfx_schedule::{
    Agent, BufferId, Builder, Device, Names, Space, StreamId, Trips, check, read_any, write_any,
};

/// Returns the waits of a loop with a ring: a stream writes a slot, and the next one reads it.
fn ring(slots: usize, stages: usize) -> Vec<Wait> {
    let mut b = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("main");
    let streams: Vec<StreamId> = (0..=stages).map(|_| b.stream(gpu)).collect();
    let mut rings: Vec<Vec<BufferId>> = Vec::new();
    for _ in 0..stages {
        rings.push(
            (0..slots)
                .map(|_| b.buffer(8, Space::Device(gpu)))
                .collect(),
        );
    }
    let initial = Names {
        buffers: rings.concat(),
        ..Names::default()
    };
    let arguments = b.begin_loop(0, Trips::AtLeast(0), initial);
    for (stage, stream) in streams.iter().enumerate() {
        let mut accesses = Vec::new();
        if stage > 0 {
            accesses.push(read_any(arguments.buffers[(stage - 1) * slots]));
        }
        if stage < stages {
            accesses.push(write_any(arguments.buffers[stage * slots]));
        }
        b.launch(stage as u32 + 1, *stream, &accesses);
    }
    let mut next = arguments.clone();
    for stage in 0..stages {
        next.buffers[stage * slots..][..slots].rotate_left(1);
    }
    b.end_loop(next);
    b.end_part(Names::default());
    let schedule = b.finish().expect("a part");
    let waits = events(&schedule).expect("a ring of a few slots");
    let report = check(&insert(&schedule, &waits));
    assert!(report.is_verified(), "{:#?}", report.diagnostics);
    waits
}

#[test]
fn a_ring_waits_once_for_each_direction() {
    for slots in 1..6 {
        for stages in 1..4 {
            let waits = ring(slots, stages);
            let lags = |lag| waits.iter().filter(|wait| wait.lag == lag).count();
            assert_eq!(lags(0), stages, "{slots} slots, {stages} stages");
            // A longer path through later stages never covers a slot: each has a wait of its own.
            assert_eq!(lags(slots as u32), stages, "{slots} slots, {stages} stages");
            assert_eq!(waits.len(), 2 * stages);
        }
    }
}

#[test]
fn an_unknown_stream_orders_nothing() {
    // A damaged schedule has no streams; nothing panics.
    let mut b: Builder<u32> = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("main");
    let buffer = b.buffer(8, Space::Device(gpu));
    b.launch(
        0,
        StreamId(u32::MAX),
        &[write_any(buffer), read_any(BufferId(7))],
    );
    b.alloc(1, Agent::Stream(StreamId(3)), BufferId(u32::MAX));
    b.end_part(Names::default());
    assert_eq!(events(&b.finish().expect("a part")), Ok(Vec::new()));
}
