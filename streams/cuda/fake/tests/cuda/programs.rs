//! Random programs on streams of a CPU and of two devices. Their events are inserted by
//! `tfx-order`.
//!
//! A program has buffers in all memories, kernels, copies between any two memories, fills with
//! patterns of each kind, host functions, work of the host, loops and branches.

use tfx_commands::{Detail, Verified};
use tfx_order::{events, insert};
use tfx_schedule::{
    Access, Agent, BufferId, Builder, Device, DeviceId, Lifetime, Names, Schedule, Space, StreamId,
    Trips, ValueId, read, write,
};

use crate::schedules::Random;
use crate::support::verified;

const WORD: u64 = 8;

/// The features of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features {
    pub(crate) devices: usize,
    /// Streams of a CPU, and work of the host.
    pub(crate) has_host: bool,
    /// Loops and branches.
    pub(crate) has_control: bool,
}

#[derive(Clone, Copy)]
struct Own {
    buffer: BufferId,
    size: u64,
    space: Space,
    value: Option<ValueId>,
}

struct Program {
    random: Random,
    features: Features,
    b: Builder<Detail>,
    devices: Vec<DeviceId>,
    /// The streams, with their devices; none for those of a CPU.
    streams: Vec<(StreamId, Option<DeviceId>)>,
    live: Vec<Own>,
    /// The external buffer whose value control flow passes on.
    out: BufferId,
    last: ValueId,
}

/// Returns a random program that is verified.
pub(crate) fn program(seed: u64, features: Features) -> Verified {
    let schedule = schedule(seed, features);
    let waits = events(&schedule).expect("no ring");
    verified(insert(&schedule, &waits))
}

fn schedule(seed: u64, features: Features) -> Schedule<Detail> {
    let mut random = Random::new(seed);
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    let devices: Vec<DeviceId> = (0..features.devices)
        .map(|_| b.device(Device::Cuda))
        .collect();
    b.begin_part("main");
    let mut streams = Vec::new();
    for device in &devices {
        for _ in 0..1 + random.below(2) {
            streams.push((b.stream(*device), Some(*device)));
        }
    }
    if features.has_host && random.chance(60) {
        streams.push((b.stream(cpu), None));
    }
    let out = b.buffer(2 * WORD, Space::Pinned);
    let last = b.input(Detail::None, out);
    let mut program = Program {
        random,
        features,
        b,
        devices,
        streams,
        live: Vec::new(),
        out,
        last,
    };
    program.external();
    let depth = usize::from(features.has_control) * 2;
    program.body(14, depth);
    program.b.end_part(Names::default());
    program.b.finish().expect("the bodies are nested")
}

impl Program {
    /// Adds memory of the caller, some of it with content.
    fn external(&mut self) {
        for _ in 0..3 {
            let size = self.size();
            let space = match self.random.chance(70) {
                true => Space::Pageable,
                false => Space::Pinned,
            };
            let buffer = self.b.buffer(size, space);
            let value = Some(self.b.input(Detail::None, buffer));
            self.live.push(Own {
                buffer,
                size,
                space,
                value,
            });
        }
    }

    fn size(&mut self) -> u64 {
        WORD * (1 + self.random.below(3) as u64)
    }

    fn body(&mut self, commands: usize, depth: usize) {
        for _ in 0..commands {
            match self.random.below(14) {
                0..3 => self.alloc(),
                3..7 => self.kernel(),
                7..10 => self.copy(),
                10 => self.fill(),
                11 => self.store(),
                12 if depth > 0 => self.repeat(depth),
                13 if depth > 0 => self.branch(depth),
                _ => self.host(),
            }
        }
    }

    fn space(&mut self) -> Space {
        match self.random.below(6) {
            0 => Space::Pageable,
            1 => Space::Pinned,
            _ => Space::Device(*self.random.pick(&self.devices)),
        }
    }

    fn alloc(&mut self) {
        let (size, space) = (self.size(), self.space());
        let root = self.b.root(size, space, Lifetime::Managed);
        let buffer = self.b.slice(root, 0, size);
        self.b.alloc(Detail::None, Agent::Host, buffer);
        self.live.push(Own {
            buffer,
            size,
            space,
            value: None,
        });
    }

    /// Returns the buffers that a stream of a device, or of a CPU, or the host may use.
    fn reachable(&self, device: Option<DeviceId>) -> Vec<usize> {
        let is_reachable = |space: Space| match (space, device) {
            (Space::Device(own), Some(device)) => own == device,
            (Space::Device(_), None) | (Space::Pageable, Some(_)) => false,
            _ => true,
        };
        let buffers = 0..self.live.len();
        buffers
            .filter(|index| is_reachable(self.live[*index].space))
            .collect()
    }

    /// Returns accesses of a kernel that writes one of some buffers, and reads another or the same.
    fn accesses(&mut self, buffers: &[usize]) -> Option<Vec<Access>> {
        let target = *buffers.get(self.random.below(buffers.len()))?;
        let source = self.live[*self.random.pick(buffers)];
        let mut accesses = Vec::new();
        if let Some(value) = source.value {
            accesses.push(read(source.buffer, value));
        }
        let value = self.b.value();
        accesses.push(write(self.live[target].buffer, value));
        self.live[target].value = Some(value);
        Some(accesses)
    }

    /// Returns the detail of a kernel with the sizes of its operands in the name.
    fn detail(&self, accesses: &[Access]) -> Detail {
        let sizes = accesses.iter().map(|access| {
            let own = self.live.iter().find(|own| own.buffer == access.buffer);
            format!("{:?}{}", access.mode, own.map_or(2 * WORD, |own| own.size))
        });
        let is_update = accesses.len() == 2 && accesses[0].buffer == accesses[1].buffer;
        Detail::Kernel(format!(
            "{}:{is_update}",
            sizes.collect::<Vec<_>>().join(",")
        ))
    }

    fn kernel(&mut self) {
        let (stream, device) = *self.random.pick(&self.streams);
        let buffers = self.reachable(device);
        if let Some(accesses) = self.accesses(&buffers) {
            let detail = self.detail(&accesses);
            self.b.launch(detail, stream, &accesses);
        }
    }

    /// Adds work of the host, or a host function.
    fn host(&mut self) {
        if !self.features.has_host {
            return;
        }
        let buffers = self.reachable(None);
        if let Some(accesses) = self.accesses(&buffers) {
            let detail = self.detail(&accesses);
            match self.random.chance(50) {
                true => self.b.host(detail, &accesses),
                false => {
                    let (stream, _) = *self.random.pick(&self.streams);
                    self.b.host_function(detail, stream, &accesses)
                }
            };
        }
    }

    fn copy(&mut self) {
        let written = self.live.iter().filter(|own| own.value.is_some());
        let written: Vec<Own> = written.copied().collect();
        let source = *self.random.pick(&written);
        let is_device = |space: Space| matches!(space, Space::Device(_));
        let targets = (0..self.live.len()).filter(|index| {
            let own = self.live[*index];
            // Without a host, copies have a device.
            let fits = self.features.has_host || is_device(own.space) || is_device(source.space);
            own.buffer != source.buffer && own.size == source.size && fits
        });
        let targets: Vec<usize> = targets.collect();
        if let (Some(value), false) = (source.value, targets.is_empty()) {
            let target = *self.random.pick(&targets);
            let copied = self.b.value();
            let (from, to) = (source.buffer, self.live[target].buffer);
            let (stream, _) = *self.random.pick(&self.streams);
            self.b
                .copy(Detail::None, stream, read(from, value), write(to, copied));
            self.live[target].value = Some(copied);
        }
    }

    fn fill(&mut self) {
        let (stream, device) = *self.random.pick(&self.streams);
        let mut buffers = self.reachable(device);
        if !self.features.has_host {
            buffers.retain(|index| matches!(self.live[*index].space, Space::Device(_)));
        }
        if buffers.is_empty() {
            return;
        }
        let target = *self.random.pick(&buffers);
        let pattern = [
            vec![7],
            vec![1, 2],
            vec![1, 2, 3, 4],
            vec![3, 1, 2, 9, 8],
            vec![5; 8],
        ];
        let pattern = self.random.pick(&pattern).clone();
        let value = self.b.value();
        let buffer = self.live[target].buffer;
        self.b
            .fill(Detail::Fill(pattern), stream, write(buffer, value));
        self.live[target].value = Some(value);
    }

    /// Mixes a buffer into the memory of the caller.
    fn store(&mut self) {
        let (stream, device) = *self.random.pick(&self.streams);
        let buffers = self.reachable(device).into_iter();
        let buffers: Vec<usize> = buffers
            .filter(|index| self.live[*index].value.is_some())
            .collect();
        if buffers.is_empty() {
            return;
        }
        let source = self.live[*self.random.pick(&buffers)];
        let Some(value) = source.value else {
            return;
        };
        let next = self.b.value();
        let accesses = [
            read(source.buffer, value),
            read(self.out, self.last),
            write(self.out, next),
        ];
        let detail = Detail::Kernel(format!("store{}", source.size));
        self.b.launch(detail, stream, &accesses);
        self.last = next;
    }

    /// Runs a body with buffers of its own, which also uses `out`.
    fn inside(&mut self, depth: usize, last: ValueId) -> ValueId {
        let outer = std::mem::take(&mut self.live);
        self.last = last;
        self.alloc();
        let commands = 4 + self.random.below(6);
        for _ in 0..2 {
            self.kernel();
        }
        if self.live.iter().any(|own| own.value.is_some()) {
            self.body(commands, depth - 1);
        }
        for own in std::mem::replace(&mut self.live, outer) {
            let (stream, _) = *self.random.pick(&self.streams);
            self.b.free(Detail::None, Agent::Stream(stream), own.buffer);
        }
        self.last
    }

    fn repeat(&mut self, depth: usize) {
        let trips = match self.random.chance(50) {
            true => Trips::AtLeast(1),
            false => Trips::Exactly(self.random.below(4) as u64),
        };
        let of = |value: ValueId| Names {
            values: vec![value],
            ..Names::default()
        };
        let arguments = self.b.begin_loop(Detail::None, trips, of(self.last));
        let next = self.inside(depth, arguments.values[0]);
        self.last = self.b.end_loop(of(next)).values[0];
    }

    fn branch(&mut self, depth: usize) {
        let before = self.last;
        self.b.begin_branch(Detail::None);
        for _ in 0..2 {
            self.b.begin_arm();
            let next = self.inside(depth, before);
            self.b.end_arm(Names {
                values: vec![next],
                ..Names::default()
            });
        }
        self.last = self.b.end_branch().values[0];
    }
}
