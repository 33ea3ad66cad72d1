//! PyTorch's tests of its CUDA sanitizer, `TestEventHandler`.

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
