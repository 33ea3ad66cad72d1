//! Copies between all pairs of places, after a producer that may be late and before a consumer, on
//! three streams: the matrix with which torchgpipe tests its copies.

use tfx_commands::{Detail, Options, Verified};
use tfx_order::{events, insert};
use tfx_schedule::{Builder, Device, DeviceId, Lifetime, Names, Space, StreamId, read, write};

use crate::ptx::All;
use crate::support::{Fake, Seeded, executable, memory, run, verified};

const SIZE: u64 = 24;

/// A place of tensors: memory of a device, or of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Pageable,
    Pinned,
    Device(usize),
}

const PLACES: [Place; 4] = [
    Place::Pageable,
    Place::Pinned,
    Place::Device(0),
    Place::Device(1),
];

struct Devices {
    cpu: DeviceId,
    cuda: [DeviceId; 2],
}

impl Devices {
    fn space(&self, place: Place) -> Space {
        match place {
            Place::Pageable => Space::Pageable,
            Place::Pinned => Space::Pinned,
            Place::Device(device) => Space::Device(self.cuda[device]),
        }
    }

    fn stream(&self, b: &mut Builder<Detail>, place: Place) -> StreamId {
        b.stream(match place {
            Place::Pageable => self.cpu,
            Place::Pinned => self.cuda[0],
            Place::Device(device) => self.cuda[device],
        })
    }
}

/// Returns the list of a pair of places. The copies are on a stream of a device.
fn list(places: [Place; 2], copier: usize, tensors: usize) -> Verified {
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    let cuda = [b.device(Device::Cuda), b.device(Device::Cuda)];
    let devices = Devices { cpu, cuda };
    b.begin_part("main");
    let [producer, consumer] = places.map(|place| devices.stream(&mut b, place));
    let copier = b.stream(devices.cuda[copier]);
    for _ in 0..tensors {
        let input = b.buffer(SIZE, Space::Pinned);
        let given = b.input(Detail::None, input);
        let [from, to] = places.map(|place| {
            let root = b.root(SIZE, devices.space(place), Lifetime::Managed);
            b.slice(root, 0, SIZE)
        });
        let out = b.buffer(SIZE, Space::Pinned);
        for buffer in [from, to] {
            b.alloc(Detail::None, tfx_schedule::Agent::Host, buffer);
        }
        let [made, copied, used] = [b.value(), b.value(), b.value()];
        let kernel = Detail::kernel("mix");
        b.launch(
            kernel.clone(),
            producer,
            &[read(input, given), write(from, made)],
        );
        b.copy(Detail::None, copier, read(from, made), write(to, copied));
        b.launch(kernel, consumer, &[read(to, copied), write(out, used)]);
    }
    b.end_part(Names::default());
    let schedule = b.finish().expect("a part");
    let waits = events(&schedule).expect("no ring");
    verified(insert(&schedule, &waits))
}

#[test]
fn copies_between_all_places_find_what_the_producer_has_written() {
    let fake = Fake::new(2);
    for from in PLACES {
        for to in PLACES {
            for (copier, tensors) in [(0, 1), (1, 2), (0, 5)] {
                let verified = list([from, to], copier, tensors);
                let all = All::new(&verified);
                let mut expected = memory(&verified);
                let mut options = Options::default();
                tfx_commands::run(&verified, &all.cpu, &mut expected, &mut options)
                    .expect("a correct list");
                let executable =
                    executable(&fake, &verified, &all.ptx, true).expect("all kernels exist");
                for seed in 0..6 {
                    fake.seed(seed);
                    let mut bytes = memory(&verified);
                    let outcome = run(&executable, &mut bytes, &mut Seeded::new(0));
                    assert_eq!(outcome, Ok(()), "{from:?} to {to:?}, {tensors}, {seed}");
                    assert_eq!(bytes, expected, "{from:?} to {to:?}, {tensors}, {seed}");
                }
            }
        }
    }
    fake.assert_empty("after all executables");
}
