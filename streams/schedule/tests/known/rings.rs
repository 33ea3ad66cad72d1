//! Rings of buffers between a producer and a consumer.

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

/// The slot after a long loop follows from the period.
#[test]
fn the_slot_after_a_long_loop_is_known() {
    for trips in 1000..1006 {
        for slot in 0..3 {
            let mut script = Script::new(1, 3);
            let initial = Names {
                buffers: script.m.clone(),
                ..Names::default()
            };
            let trips_exactly = Trips::Exactly(trips);
            let mut next = script
                .b
                .begin_loop("loop".to_string(), trips_exactly, initial);
            next.buffers.rotate_left(1);
            let results = script.b.end_loop(next);
            let (stream, value) = (script.s[0], script.b.value());
            let [target, source] = [results.buffers[0], script.m[slot]];
            script
                .b
                .launch("write".to_string(), stream, &[write(target, value)]);
            script
                .b
                .launch("read".to_string(), stream, &[read(source, value)]);
            match trips % 3 == slot as u64 {
                true => script.accepted(),
                false => drop(script.rejected(Rule::Value)),
            }
        }
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
