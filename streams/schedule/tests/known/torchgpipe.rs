//! torchgpipe's `Copy` and `Wait`, in the intended matrix.

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
