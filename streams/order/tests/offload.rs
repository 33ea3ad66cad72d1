//! Divisions between host and device, compared with all others.

#[path = "../../schedule/tests/support/mod.rs"]
mod support;

use support::Random;
use tfx_order::{Movable, Moved, offload};

/// Returns the sum of times of a division; none if the device cannot run an operation of it.
fn time(
    operations: &[Movable],
    tensors: &[Moved],
    is_on_device: impl Fn(usize) -> bool,
) -> Option<u64> {
    let mut time = 0;
    for (index, operation) in operations.iter().enumerate() {
        time += match is_on_device(index) {
            true => operation.device?,
            false => operation.host,
        };
    }
    for tensor in tensors {
        let here = tensor.producer.is_some_and(&is_on_device);
        let mut sides: Vec<bool> = tensor
            .users
            .iter()
            .map(|user| is_on_device(*user))
            .collect();
        if tensor.is_used_by_host {
            sides.push(false);
        }
        if sides.iter().any(|side| *side != here) {
            time += tensor.copy;
        }
    }
    Some(time)
}

fn random(count: usize, random: &mut Random) -> (Vec<Movable>, Vec<Moved>) {
    let operations: Vec<Movable> = (0..count)
        .map(|_| Movable {
            host: random.below(40) as u64,
            device: (random.below(5) > 0).then(|| random.below(12) as u64),
        })
        .collect();
    let mut tensors = Vec::new();
    for producer in std::iter::repeat_n(None, 3).chain((0..count).map(Some)) {
        let first = producer.map_or(0, |producer| producer + 1);
        let mut users: Vec<usize> = (first..count).filter(|_| random.below(3) == 0).collect();
        users.truncate(4);
        tensors.push(Moved {
            producer,
            users,
            is_used_by_host: random.below(4) == 0,
            copy: random.below(20) as u64,
        });
    }
    (operations, tensors)
}

#[test]
fn no_division_takes_less_time() {
    let mut numbers = Random::new(7);
    let (mut divided, mut least) = (0, usize::MAX);
    for _ in 0..1000 {
        let count = 1 + numbers.below(10);
        let (operations, tensors) = random(count, &mut numbers);
        let found = offload(&operations, &tensors).expect("a small network");
        let chosen = |index: usize| found.is_on_device[index];
        assert_eq!(time(&operations, &tensors, chosen), Some(found.time));
        let number = |mask: u32| mask.count_ones() as usize;
        let here = found.is_on_device.iter().filter(|it| **it).count();
        for mask in 0..1u32 << count {
            let other = time(&operations, &tensors, |index| mask >> index & 1 == 1);
            assert!(
                other.is_none_or(|other| other >= found.time),
                "{operations:?}"
            );
            let is_equal = other == Some(found.time);
            assert!(!is_equal || number(mask) >= here, "{operations:?}");
        }
        divided += usize::from(here > 0 && here < count);
        least = least.min(here);
    }
    assert!(divided > 100, "{divided} divisions have both sides");
    assert_eq!(least, 0);
}

#[test]
fn copies_are_part_of_the_time() {
    let movable = |host, device| Movable { host, device };
    let operations = [
        movable(100, Some(1)),
        movable(100, None),
        movable(100, Some(1)),
    ];
    let moved = |producer, users: &[usize], copy| Moved {
        producer,
        users: users.to_vec(),
        is_used_by_host: false,
        copy,
    };
    let result = Moved {
        is_used_by_host: true,
        ..moved(Some(2), &[], 7)
    };
    let tensors = [
        moved(None, &[0, 2], 10),
        moved(Some(0), &[1, 2], 20),
        moved(Some(1), &[2], 30),
        result,
    ];
    let found = offload(&operations, &tensors).expect("a small network");
    assert_eq!(found.is_on_device, [true, false, true]);
    assert_eq!(found.copies, 10 + 20 + 30 + 7);
    assert_eq!(found.time, 1 + 100 + 1 + found.copies);
}

#[test]
fn long_chains_need_no_recursion() {
    let count = 100_000;
    let operations = vec![
        Movable {
            host: 10,
            device: Some(1)
        };
        count
    ];
    let tensors = (0..count).map(|producer| Moved {
        producer: Some(producer),
        users: Vec::from_iter((producer + 1 < count).then_some(producer + 1)),
        is_used_by_host: producer + 1 == count,
        copy: 50,
    });
    let tensors: Vec<Moved> = tensors.collect();
    let found = offload(&operations, &tensors).expect("a chain");
    assert!(found.is_on_device.iter().all(|it| *it));
    assert_eq!(found.time, count as u64 + 50);
}
