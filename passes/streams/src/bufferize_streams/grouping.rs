//! The kernels of a part: operations of one place, grouped by [`tfx_order::kernels()`].
//!
//! A copy between places is a command of its own, and so is a loop or branch of the schedule, whose
//! regions have kernels, too. So has the condition of a loop that is computed in each iteration.
//!
//! Cost: nearly linear in the operations and their operands.

use std::collections::{BTreeSet, HashMap, HashSet};

use tfx_dialects::comm::Copy;
use tfx_dialects::launches::HAS_CODE;
use tfx_dialects::places::Place;
use tfx_dialects::schedules::Device;
use tfx_dialects::tensor::{If, While};
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::clusters::{Cluster, Size};
use tfx_ir::diag::Diagnostic;
use tfx_ir::{Block, Op, Region};
use tfx_order::Grouping;

use super::BufferizeStreamsOptions;
use super::stages::{self, Control, Stages, Trips};
use crate::places::Places;
use crate::times::Times;

/// The device of operations without a place.
pub(super) const HOME: Device = Device::Cpu(0);

/// The operations of a block as commands.
pub(super) struct Grouped<'a> {
    pub(super) grouping: Grouping,
    /// The device of each command.
    pub(super) devices: Vec<Device>,
    /// The loops and branches, in the order of their commands.
    pub(super) inner: Vec<Inner<'a>>,
}

/// A loop or branch of the schedule.
pub(super) enum Inner<'a> {
    Loop(Repeated<'a>),
    Branch(Chosen<'a>),
}

/// A loop of the schedule.
pub(super) struct Repeated<'a> {
    pub(super) op: Op<'a>,
    pub(super) stages: Stages,
    pub(super) body: Nested<'a>,
    /// None if the number of iterations is known.
    pub(super) condition: Option<Nested<'a>>,
}

/// A branch of the schedule.
pub(super) struct Chosen<'a> {
    pub(super) op: Op<'a>,
    /// The arm that a condition that holds takes, and the other one.
    pub(super) arms: [Nested<'a>; 2],
}

/// The operations of a region of a loop or branch.
pub(super) struct Nested<'a> {
    pub(super) cluster: Cluster<'a>,
    pub(super) commands: Grouped<'a>,
}

impl<'a> Inner<'a> {
    pub(super) fn op(&self) -> Op<'a> {
        match self {
            Self::Loop(repeated) => repeated.op,
            Self::Branch(chosen) => chosen.op,
        }
    }

    /// Returns the body and the condition of a loop, or the arms of a branch.
    pub(super) fn nested(&self) -> impl DoubleEndedIterator<Item = &Nested<'a>> {
        let (first, second) = match self {
            Self::Loop(repeated) => (&repeated.body, repeated.condition.as_ref()),
            Self::Branch(chosen) => (&chosen.arms[0], Some(&chosen.arms[1])),
        };
        [first].into_iter().chain(second)
    }

    /// Returns the time of all iterations, or of the longer arm.
    fn time(&self) -> u64 {
        let times = self.nested().map(|nested| nested.commands.grouping.total());
        match self {
            Self::Loop(repeated) => {
                let once = times.fold(0, u64::saturating_add);
                once.saturating_mul(repeated.stages.trips.expected())
            }
            Self::Branch(_) => times.max().unwrap_or(0),
        }
    }

    /// Returns the device that runs it: of a loop or branch at one place that one, and not the
    /// device of what the host computes for it.
    fn device(&self) -> Option<Device> {
        let (is_pipeline, nested) = match self {
            Self::Loop(repeated) => (repeated.stages.is_pipeline, &[&repeated.body][..]),
            Self::Branch(chosen) => (false, &chosen.arms.each_ref()[..]),
        };
        let devices = nested.iter().flat_map(|nested| &nested.commands.devices);
        devices
            .copied()
            .find(|device| is_pipeline || *device != HOME)
    }
}

impl Grouped<'_> {
    /// Returns whether there are several devices.
    pub(super) fn is_placed(&self) -> bool {
        !self.inner.is_empty() || self.devices.iter().any(|device| *device != HOME)
    }

    /// Returns the number of commands, those of an iteration of each loop and of all arms included.
    pub(super) fn count(&self) -> usize {
        let inside = self.inner.iter().flat_map(Inner::nested);
        let inside = inside.map(|nested| nested.commands.count());
        self.grouping.kernels.len() + inside.sum::<usize>()
    }

    /// Returns all devices.
    pub(super) fn all_devices(&self) -> BTreeSet<Device> {
        let mut devices: BTreeSet<Device> = self.devices.iter().copied().collect();
        for nested in self.inner.iter().flat_map(Inner::nested) {
            devices.extend(nested.commands.all_devices());
        }
        devices
    }
}

/// Groups the operations of blocks.
pub(super) struct Grouper<'g, 'a> {
    pub(super) captures: &'g Captures<'a>,
    /// The times at the host, and at a device.
    pub(super) times: &'g [Times<'a>; 2],
    /// The operations with copies inside.
    pub(super) spread: &'g HashSet<Op<'a>>,
    /// The loops and branches that become those of schedules.
    pub(super) control: &'g HashMap<Op<'a>, Control>,
    /// The operations that the host computes, whatever the place of their users.
    pub(super) at_home: &'g HashSet<Op<'a>>,
    pub(super) options: &'g BufferizeStreamsOptions,
    /// The places of blocks with copies, which may have many parts.
    pub(super) places: HashMap<Block<'a>, Places<'a>>,
}

impl<'a> Grouper<'_, 'a> {
    /// Groups operations of a block at a device, if no copies inside name others.
    ///
    /// # Errors
    ///
    /// The places of its copies contradict each other.
    pub(super) fn group(
        &mut self,
        ops: &[Op<'a>],
        home: Device,
    ) -> Result<Grouped<'a>, Diagnostic<'a>> {
        let block = ops.first().and_then(|op| op.block());
        let mut places = match block {
            Some(block) => self.take_places(block)?,
            None => Places::default(),
        };
        let mut inside: HashMap<Op<'a>, Inner<'a>> = HashMap::new();
        for op in ops {
            if let Some(control) = self.control.get(op) {
                let device = places.of(*op).map_or(home, |place| place.device);
                inside.extend(self.inner(*op, *control, device)?.map(|inner| (*op, inner)));
            }
        }
        let numbers = ops.iter().enumerate();
        let numbers: HashMap<Op<'a>, usize> = numbers.map(|(number, op)| (*op, number)).collect();
        // Those of the host differ from those at a place of the CPU. Of an accelerator, operations
        // without code for it are apart from the others: a kernel with one runs on the host.
        let mut known: Vec<(bool, Option<Place<'a>>, bool)> = Vec::new();
        let operations = ops.iter().map(|op| {
            let captured = self.captures.values(*op).iter().copied();
            let values = op.operands().chain(captured);
            let before = values.filter_map(|value| numbers.get(&value.defining_op()?).copied());
            let before: BTreeSet<usize> = before.collect();
            let has_code = op.attribute(HAS_CODE).is_some();
            let place = (self.at_home.contains(op), places.of(*op), has_code);
            let number = known.iter().position(|other| *other == place);
            let number = number.unwrap_or_else(|| {
                known.push(place);
                known.len() - 1
            });
            let inner = inside.get(op);
            let device = places.of(*op).map_or(home, |place| place.device);
            let is_there = device.is_accelerator() && !self.at_home.contains(op);
            let own = self.times[usize::from(is_there)].of(*op);
            let is_kernel = inner.is_none() && !op.isa::<Copy>();
            tfx_order::Operation {
                cost: inner.map_or(own, Inner::time),
                operands: before.into_iter().collect(),
                place: is_kernel.then_some(number as u32),
            }
        });
        let operations: Vec<_> = operations.collect();
        let launch = self.options.launch;
        let grouping = tfx_order::kernels(&operations, launch, launch);
        let firsts = grouping.kernels.iter().map(|kernel| ops[kernel[0]]);
        let mut nested = Vec::new();
        let devices = firsts.map(|op| {
            let own = places.of(op).map_or(home, |place| place.device);
            match inside.remove(&op) {
                Some(inner) => {
                    let device = inner.device();
                    nested.push(inner);
                    device.unwrap_or(own)
                }
                None if self.at_home.contains(&op) => HOME,
                None => Copy::cast(op).and_then(device_of_copy).unwrap_or(own),
            }
        });
        let devices = devices.collect();
        self.places.extend(block.map(|block| (block, places)));
        Ok(Grouped {
            grouping,
            devices,
            inner: nested,
        })
    }

    /// Groups the operations of a loop or branch at a device.
    fn inner(
        &mut self,
        op: Op<'a>,
        control: Control,
        device: Device,
    ) -> Result<Option<Inner<'a>>, Diagnostic<'a>> {
        Ok(match control {
            Control::Loop(stages) => {
                let Some(repeated) = While::cast(op) else {
                    return Ok(None);
                };
                let condition = repeated.condition_region();
                Some(Inner::Loop(Repeated {
                    op,
                    stages,
                    body: self.nested(repeated.body_region(), device)?,
                    condition: match stages.trips {
                        Trips::Known(_) => None,
                        Trips::Host => Some(self.nested(condition, HOME)?),
                        Trips::Device | Trips::Ahead => Some(self.nested(condition, device)?),
                    },
                }))
            }
            Control::Branch => {
                let Some(branch) = If::cast(op) else {
                    return Ok(None);
                };
                let arms = [
                    self.nested(branch.then_region(), device)?,
                    self.nested(branch.else_region(), device)?,
                ];
                Some(Inner::Branch(Chosen { op, arms }))
            }
        })
    }

    /// Groups the operations of a region of a loop or branch.
    fn nested(&mut self, region: Region<'a>, device: Device) -> Result<Nested<'a>, Diagnostic<'a>> {
        let ops = stages::operations(region);
        let commands = self.group(&ops, device)?;
        let size = Size::default();
        let cluster = Cluster { ops, size };
        Ok(Nested { cluster, commands })
    }

    /// Returns the places of a block, which are kept from one part of it to the next.
    fn take_places(&mut self, block: Block<'a>) -> Result<Places<'a>, Diagnostic<'a>> {
        let has_copies = block.parent().is_some_and(|op| self.spread.contains(&op));
        match self.places.remove(&block) {
            Some(places) => Ok(places),
            None if has_copies => Places::of_block(block, self.captures, self.spread),
            None => Ok(Places::default()),
        }
    }
}

/// Returns the device whose stream executes a copy: that of the destination, unless only the source
/// is an accelerator, since its streams reach the memory of both.
fn device_of_copy(copy: Copy<'_>) -> Option<Device> {
    let [source, destination] = [copy.source(), copy.destination()].map(Place::of);
    let (source, destination) = (source?.device, destination?.device);
    Some(match (source, destination) {
        (Device::Cuda(_), Device::Cpu(_)) => source,
        _ => destination,
    })
}
