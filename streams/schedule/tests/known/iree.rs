//! IREE's stream dialect.

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
