//! `tfx-simulate-streams`: estimates the time of finished schedules.
//!
//! ```text
//!   copy %t %batch to %a                remark: simulated 11.2 ms; busy: host 3 %, cuda 93 %,
//!   %e = record %t                              copies from host to cuda 88 %; most memory:
//!   wait %s for %e              ──►             cuda 2.0 MiB
//!   launch %s @step(%a read)
//! ```
//!
//! The pass feeds each public schedule, with the parts that it calls, to [`tfx_order::simulate()`],
//! which executes it on devices with a virtual clock. A remark has the time, the parts of it in
//! which the host, each device and each link are busy, and the largest number of bytes that are
//! live in each memory space. `timeline` writes the commands to a file for Perfetto
//! (ui.perfetto.dev) or `chrome://tracing`. Nothing changes.
//!
//! Times are those of `cost` on a launch, and the bytes of a command over the bandwidth elsewhere.
//! A loop whose number of iterations is not a constant is executed `iterations` times, and a branch
//! takes its first region; the remark names both.
//!
//! Cost: O(N log N) for N executed commands, of which there are at most four million.
//!
//! Not guaranteed: the time on a device. Kernels that run at the same time do not slow each other
//! down, and copies with different directions do not, either.

pub(crate) mod trace;

use std::collections::{BTreeMap, BTreeSet};

use melior::dialect::DialectRegistry;
use tfx_dialects::schedules::{Device, ScheduleType, Space};
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_order::{Costs, Model, SimulationError, Timeline, simulate};
use tfx_schedule::{Buffer, BufferId, CommandId, DeviceId, PartId, StreamId};

use crate::costs::{Bandwidths, time};
use crate::feed::{Fed, feed};
use crate::names::Name;
use crate::parts::{CallGraph, Program};
use crate::texts::counted;
use trace::Trace;

tfx_ir::options! {
    /// The options of `tfx-simulate-streams`.
    pub struct SimulateStreamsOptions {
        /// The time in which the host issues a command, in nanoseconds.
        launch: u64 = 3000,
        /// The time that an event between streams takes, in nanoseconds.
        event: u64 = 3000,
        /// The bandwidth of memory in bytes per nanosecond.
        bandwidth: u64 = 500,
        /// The bandwidth of copies between devices, or host and device, in bytes per nanosecond.
        link: u64 = 12,
        /// The time that such a copy takes in addition, in nanoseconds.
        latency: u64 = 2000,
        /// The number of iterations of loops for which it is not known.
        iterations: u64 = 10,
        /// A file for the timeline in the trace event format; none by default.
        timeline: String = String::new(),
    }
}

/// The pass `tfx-simulate-streams`.
#[derive(Debug, Default)]
pub struct SimulateStreams;

const TIME: Statistic = Statistic::new("time", "Nanoseconds of all public schedules");
const COMMANDS: Statistic = Statistic::new("commands", "Executed commands");

impl Pass for SimulateStreams {
    type Options = SimulateStreamsOptions;
    const NAME: &'static str = "TfxSimulateStreams";
    const ARGUMENT: &'static str = "tfx-simulate-streams";
    const DESCRIPTION: &'static str =
        "Report the time of finished schedules on devices with a virtual clock";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[TIME, COMMANDS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, SimulateStreamsOptions>,
    ) -> PassResult {
        let path = &cx.options().timeline;
        let mut trace = (!path.is_empty()).then(Trace::default);
        let programs = CallGraph::of(module).programs()?;
        for program in programs.iter().filter(|program| program.has_entry) {
            report(program, trace.as_mut(), cx)?;
        }
        if let Some(trace) = trace {
            trace.write(path).map_err(|error| {
                let message = format!("cannot write the timeline to '{path}': {error}");
                diag::error(module.location(), message)
            })?;
        }
        Ok(())
    }
}

/// A program after its simulation.
pub(crate) struct Simulated<'a> {
    /// The schedule of the checker.
    fed: Fed<'a>,
    /// The devices of the schedule.
    devices: BTreeMap<DeviceId, Device>,
    /// The times.
    pub(crate) timeline: Timeline,
    /// The iterations and branches that are assumed; empty if all are known.
    pub(crate) assumed: String,
}

/// Simulates a program.
///
/// # Errors
///
/// The program is not complete, or has too many commands.
pub(crate) fn simulated<'a>(
    fed: Fed<'a>,
    options: &SimulateStreamsOptions,
) -> Result<Simulated<'a>, (Fed<'a>, SimulationError)> {
    let bandwidths = Bandwidths {
        memory: options.bandwidth,
        link: options.link,
    };
    let model = Model {
        costs: Costs {
            launch: options.launch,
            event: options.event,
        },
        latency: options.latency,
    };
    let (mut loops, mut branches) = (BTreeSet::new(), BTreeSet::new());
    let timeline = simulate(
        &fed.schedule,
        model,
        |command| time(place(&fed, command), bandwidths),
        |command, least| {
            loops.insert(command);
            options.iterations.max(least)
        },
        |command, _| {
            branches.insert(command);
            0
        },
    );
    let timeline = match timeline {
        Ok(timeline) => timeline,
        Err(error) => return Err((fed, error)),
    };
    let mut assumptions = Vec::new();
    if !loops.is_empty() {
        let (iterations, loops) = (options.iterations, counted(loops.len(), "loop"));
        assumptions.push(format!("{iterations} iterations of {loops}"));
    }
    if !branches.is_empty() {
        let branches = counted(branches.len(), "branch");
        assumptions.push(format!("the first region of {branches}"));
    }
    Ok(Simulated {
        devices: devices(&fed),
        fed,
        timeline,
        assumed: assumptions.join(", "),
    })
}

fn place<'a>(fed: &Fed<'a>, command: CommandId) -> Op<'a> {
    fed.schedule.places[command.0 as usize]
}

impl<'a> Simulated<'a> {
    /// Returns the operation of a command.
    pub(crate) fn place(&self, command: CommandId) -> Op<'a> {
        place(&self.fed, command)
    }

    /// Returns the names of the devices of the streams.
    pub(crate) fn streams(&self) -> Vec<String> {
        let streams = self.timeline.streams.iter();
        streams.map(|stream| self.name(stream.device)).collect()
    }

    /// Returns the time in which each device with a stream is busy.
    pub(crate) fn busy_devices(&self) -> Vec<(String, u64)> {
        // In the order of their names: the checker numbers devices in the order of their first use.
        let used = self.timeline.streams.iter().map(|stream| stream.device);
        let used: BTreeSet<_> = used
            .map(|device| (self.devices.get(&device), device))
            .collect();
        let busy = used.into_iter().map(|(_, device)| {
            let time = self.timeline.devices.get(device.0 as usize).copied();
            (self.name(device), time.unwrap_or(0))
        });
        busy.collect()
    }

    /// Returns the time in which each link is busy, with the names of its ends.
    pub(crate) fn busy_links(&self) -> Vec<(String, String, u64)> {
        let end = |device: Option<DeviceId>| {
            device.map_or("host".to_string(), |device| self.name(device))
        };
        let links = self.timeline.links.iter();
        let mut links: Vec<_> = links
            .map(|link| (end(link.from), end(link.to), link.busy))
            .collect();
        links.sort_unstable();
        links
    }

    /// Returns the largest number of live bytes of each memory space.
    pub(crate) fn most_memory(&self) -> Vec<(String, u64)> {
        let memory = self.timeline.memory.iter();
        let mut memory: Vec<_> = memory
            .map(|(space, bytes)| (self.space_name(*space), *bytes))
            .collect();
        memory.sort_unstable();
        memory
    }

    fn name(&self, device: DeviceId) -> String {
        device_name(&self.devices, device)
    }

    /// Returns the name of a memory space.
    pub(crate) fn space_name(&self, space: tfx_schedule::Space) -> String {
        match space {
            tfx_schedule::Space::Device(device) => self.name(device),
            tfx_schedule::Space::Pageable => "host".to_string(),
            tfx_schedule::Space::Pinned => "pinned".to_string(),
        }
    }
}

/// Simulates a program, and emits its remark.
fn report<'a>(
    program: &Program<'a>,
    trace: Option<&mut Trace>,
    cx: &PassContext<'a, SimulateStreamsOptions>,
) -> Result<(), Diagnostics<'a>> {
    let Some(schedule) = program.parts.last() else {
        return Ok(());
    };
    let simulated = simulated(feed(program)?, cx.options());
    let simulated = simulated.map_err(|(fed, error)| failed(error, &fed))?;
    let timeline = &simulated.timeline;
    cx.count(TIME, timeline.makespan);
    cx.count(COMMANDS, timeline.spans.len() as u64);
    let mut message = summary(&simulated);
    if !simulated.assumed.is_empty() {
        message += &format!("; assumed: {}", simulated.assumed);
    }
    diag::remark(schedule.location(), message).emit();
    if let Some(trace) = trace {
        trace.schedule(schedule.sym_name(), &simulated.streams());
        for span in &timeline.spans {
            trace.span(simulated.place(span.command), span);
        }
        for usage in &timeline.usage {
            trace.usage(&simulated.space_name(usage.space), usage);
        }
        for arrow in &timeline.arrows {
            trace.arrow(arrow);
        }
    }
    Ok(())
}

fn failed<'a>(error: SimulationError, fed: &Fed<'a>) -> Diagnostics<'a> {
    let (SimulationError::Undefined(command)
    | SimulationError::Unrecorded(command)
    | SimulationError::TooLong(command)) = error;
    let location = place(fed, command).location();
    let mut found = diag::error(location, format!("not simulated: {error}"));
    if matches!(error, SimulationError::TooLong(_)) {
        found = found.note(location, "this command is the first above the limit");
    }
    Diagnostics::from_iter([found])
}

/// Returns the name of a device of a schedule.
pub(crate) fn device_name(devices: &BTreeMap<DeviceId, Device>, device: DeviceId) -> String {
    let device = devices.get(&device);
    device.map_or("a device".to_string(), Device::to_string)
}

/// Returns the devices of a schedule of the checker.
pub(crate) fn devices(fed: &Fed<'_>) -> BTreeMap<DeviceId, Device> {
    let mut devices = BTreeMap::new();
    for (part, model) in (0..).map(PartId).zip(&fed.schedule.parts) {
        let of = |name| ScheduleType::of(fed.origins.value(part, name)?.ty());
        for (stream, declared) in (0..).map(StreamId).zip(&model.streams) {
            if let Some(ScheduleType::Stream(device)) = of(Name::Stream(stream)) {
                devices.insert(declared.device, device);
            }
        }
        for (buffer, declared) in (0..).map(BufferId).zip(&model.buffers) {
            let space = match *declared {
                Buffer::Bound { space, .. } => Some(space),
                Buffer::Slice { root, .. } => {
                    let root = model.roots.get(root.0 as usize);
                    root.map(|root| root.space)
                }
                Buffer::View { .. } => None,
            };
            if let Some(tfx_schedule::Space::Device(device)) = space
                && let Some(ScheduleType::Buffer(memory)) = of(Name::Buffer(buffer))
                && let Space::Cuda(number) = memory.space
            {
                devices.insert(device, Device::Cuda(number));
            }
        }
    }
    devices
}

/// Returns the results of a simulation.
fn summary(simulated: &Simulated<'_>) -> String {
    let timeline = &simulated.timeline;
    let all = timeline.makespan.max(1);
    let percent = |part: u64| u128::from(part) * 100 / u128::from(all);
    let mut busy = vec![format!("host {} %", percent(timeline.host))];
    let devices = simulated.busy_devices().into_iter();
    busy.extend(devices.map(|(device, time)| format!("{device} {} %", percent(time))));
    let links = simulated.busy_links().into_iter();
    busy.extend(
        links.map(|(from, to, time)| format!("copies from {from} to {to} {} %", percent(time))),
    );
    let memory = simulated.most_memory().into_iter();
    let memory: Vec<String> = memory
        .map(|(space, bytes)| format!("{space} {}", size(bytes)))
        .collect();
    let mut text = format!(
        "simulated {}; busy: {}",
        duration(timeline.makespan),
        busy.join(", ")
    );
    if !memory.is_empty() {
        text += &format!("; most memory: {}", memory.join(", "));
    }
    text
}

/// Returns a time with its unit.
pub fn duration(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} us", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", value / 1e6),
        _ => format!("{:.1} s", value / 1e9),
    }
}

/// Returns a number of bytes with its unit.
pub fn size(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    let value = bytes as f64;
    match bytes {
        0..KIB => format!("{bytes} bytes"),
        KIB..MIB => format!("{:.1} KiB", value / KIB as f64),
        MIB..GIB => format!("{:.1} MiB", value / MIB as f64),
        _ => format!("{:.1} GiB", value / GIB as f64),
    }
}
