//! The kernels of a part: operations of one place, grouped by [`tfx_order::kernels()`].
//!
//! A copy between places is a command of its own, and so is a loop of the schedule, whose body has
//! kernels, too. So has its condition, if it is computed in each iteration.
//!
//! Cost: nearly linear in the operations and their operands.

use std::collections::{BTreeSet, HashMap, HashSet};

use tfx_dialects::comm::Copy;
use tfx_dialects::launches::HAS_CODE;
use tfx_dialects::places::Place;
use tfx_dialects::schedules::Device;
use tfx_dialects::tensor::While;
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::clusters::{Cluster, Size};
use tfx_ir::diag::Diagnostic;
use tfx_ir::{Block, Op, Region};
use tfx_order::Grouping;

use super::BufferizeStreamsOptions;
use super::stages::{self, Stages, Trips};
use crate::places::Places;
use crate::times::Times;

/// The device of operations without a place.
pub(super) const HOME: Device = Device::Cpu(0);

/// The operations of a block as commands.
pub(super) struct Grouped<'a> {
    pub(super) grouping: Grouping,
    /// The device of each command.
    pub(super) devices: Vec<Device>,
    /// The loops, in the order of their commands.
    pub(super) loops: Vec<Repeated<'a>>,
}

/// A loop of the schedule.
pub(super) struct Repeated<'a> {
    pub(super) op: Op<'a>,
    pub(super) stages: Stages,
    pub(super) body: Nested<'a>,
    /// None if the number of iterations is known.
    pub(super) condition: Option<Nested<'a>>,
}

/// The operations of a region of a loop.
pub(super) struct Nested<'a> {
    pub(super) cluster: Cluster<'a>,
    pub(super) commands: Grouped<'a>,
}

impl<'a> Repeated<'a> {
    /// Returns the body and the condition.
    pub(super) fn nested(&self) -> impl DoubleEndedIterator<Item = &Nested<'a>> {
        [&self.body].into_iter().chain(&self.condition)
    }
}

impl Grouped<'_> {
    /// Returns whether there are several devices.
    pub(super) fn is_placed(&self) -> bool {
        !self.loops.is_empty() || self.devices.iter().any(|device| *device != HOME)
    }

    /// Returns the number of commands, those of an iteration of each loop included.
    pub(super) fn count(&self) -> usize {
        let inside = self.loops.iter().flat_map(Repeated::nested);
        let inside = inside.map(|nested| nested.commands.count());
        self.grouping.kernels.len() + inside.sum::<usize>()
    }

    /// Returns all devices.
    pub(super) fn all_devices(&self) -> BTreeSet<Device> {
        let mut devices: BTreeSet<Device> = self.devices.iter().copied().collect();
        for nested in self.loops.iter().flat_map(Repeated::nested) {
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
    /// The loops that become loops of schedules.
    pub(super) stages: &'g HashMap<Op<'a>, Stages>,
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
        let mut inside: HashMap<Op<'a>, Repeated<'a>> = HashMap::new();
        for op in ops {
            if let (Some(repeated), Some(&stages)) = (While::cast(*op), self.stages.get(op)) {
                let device = places.of(*op).map_or(home, |place| place.device);
                let condition = repeated.condition_region();
                let repeated = Repeated {
                    op: *op,
                    stages,
                    body: self.nested(repeated.body_region(), device)?,
                    condition: match stages.trips {
                        Trips::Known(_) => None,
                        Trips::Host => Some(self.nested(condition, HOME)?),
                        Trips::Device => Some(self.nested(condition, device)?),
                    },
                };
                inside.insert(*op, repeated);
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
            let repeated = inside.get(op);
            let device = places.of(*op).map_or(home, |place| place.device);
            let is_there = matches!(device, Device::Cuda(_)) && !self.at_home.contains(op);
            let own = self.times[usize::from(is_there)].of(*op);
            let cost = repeated.map_or(own, |repeated| {
                let once = repeated.nested().map(|it| it.commands.grouping.total());
                let once = once.fold(0, u64::saturating_add);
                once.saturating_mul(repeated.stages.trips.expected())
            });
            let is_kernel = repeated.is_none() && !op.isa::<Copy>();
            tfx_order::Operation {
                cost,
                operands: before.into_iter().collect(),
                place: is_kernel.then_some(number as u32),
            }
        });
        let operations: Vec<_> = operations.collect();
        let launch = self.options.launch;
        let grouping = tfx_order::kernels(&operations, launch, launch);
        let firsts = grouping.kernels.iter().map(|kernel| ops[kernel[0]]);
        let mut loops = Vec::new();
        let devices = firsts.map(|op| match inside.remove(&op) {
            Some(repeated) => {
                // That of a loop at one place, and not of what the host computes for it.
                let is_own = |device: &Device| repeated.stages.is_pipeline || *device != HOME;
                let mut devices = repeated.body.commands.devices.iter().copied();
                let device = devices.find(is_own);
                loops.push(repeated);
                device.unwrap_or(home)
            }
            None if self.at_home.contains(&op) => HOME,
            None => match Copy::cast(op) {
                Some(copy) => device_of_copy(copy).unwrap_or(home),
                None => places.of(op).map_or(home, |place| place.device),
            },
        });
        let devices = devices.collect();
        self.places.extend(block.map(|block| (block, places)));
        Ok(Grouped {
            grouping,
            devices,
            loops,
        })
    }

    /// Groups the operations of a region of a loop.
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
