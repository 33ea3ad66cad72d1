//! `tfx-assign-streams`: chooses the stream of each command.
//!
//! ```text
//!   launch %s @a                       launch %s @a
//!   launch %s @left                    launch %s @left
//!   launch %s @right           ──►     launch %t @right          %t = open
//!   launch %s @join                    launch %s @join
//! ```
//!
//! The commands of a schedule are in the order of the program, on any streams of their devices. The
//! pass feeds each schedule to `tfx-order` ([`tfx_order::streams()`] has the algorithms), and
//! replaces the streams: with `streams=0` by as many as the dependences allow, otherwise by that
//! number for each device, or fewer if more gain less than their events. A public schedule opens
//! the streams that it lacks. A part uses those of its parameters, and calls keep theirs.
//!
//! Times are those of `cost` on a launch, and the bytes of a command over the bandwidth elsewhere.
//!
//! The order of the commands stays as it is. Events refer to the streams on which they are
//! recorded, so that a schedule with events is an error: `tfx-insert-events` runs afterwards. A
//! schedule with a command list is complete, and stays as it is.
//!
//! Cost: near linear, times the number of streams.
//!
//! Not guaranteed: the shortest time. Commands of a loop that depend on each other in one iteration
//! stay on one stream, although those of two iterations might overlap.

use std::collections::BTreeMap;

use melior::dialect::DialectRegistry;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::schedules::{self, COMMANDS, ScheduleType};
use tfx_dialects::stream::{Arena, HostWait, Input, Open, Record, Schedule, Wait};
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Builder, Op, Value};
use tfx_order::Costs;

use crate::costs::{Bandwidths, time};
use crate::feed::feed;
use crate::names::is_stream;
use crate::parts::{CallGraph, Program, schedules};

tfx_ir::options! {
    /// The options of `tfx-assign-streams`.
    pub struct AssignStreamsOptions {
        /// The maximal number of streams of each device; 0 for as many as help.
        streams: u64 = 0,
        /// The time in which the host issues a command, in nanoseconds.
        launch: u64 = 3000,
        /// The time that an event between streams takes, in nanoseconds.
        event: u64 = 3000,
        /// The bandwidth of memory in bytes per nanosecond.
        bandwidth: u64 = 500,
        /// The bandwidth of copies between devices, or host and device, in bytes per nanosecond.
        link: u64 = 12,
    }
}

/// The pass `tfx-assign-streams`.
#[derive(Debug, Default)]
pub struct AssignStreams;

const STREAMS: Statistic = Statistic::new("streams", "Streams that commands are on");
const MOVED: Statistic = Statistic::new("moved", "Commands that are on another stream than before");

impl Pass for AssignStreams {
    type Options = AssignStreamsOptions;
    const NAME: &'static str = "TfxAssignStreams";
    const ARGUMENT: &'static str = "tfx-assign-streams";
    const DESCRIPTION: &'static str =
        "Choose the streams of commands, so that those that may overlap do if it saves time";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[STREAMS, MOVED];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, AssignStreamsOptions>,
    ) -> PassResult {
        let mut schedules = schedules(module);
        schedules.retain(|schedule| schedule.op().attribute(COMMANDS).is_none());
        schedules
            .iter()
            .flat_map(|schedule| events(*schedule))
            .collect::<Diagnostics<'a>>()
            .finish()?;
        let mut done = FxHashSet::default();
        for program in CallGraph::new(schedules).programs()? {
            assign(&program, &mut done, cx)?;
        }
        Ok(())
    }
}

/// Returns an error for the first event of a schedule.
fn events<'a>(schedule: Schedule<'a>) -> Option<diag::Diagnostic<'a>> {
    let is_event =
        |op: &Op<'a>| op.isa::<Record<'a>>() || op.isa::<Wait<'a>>() || op.isa::<HostWait<'a>>();
    let found = schedule.walk().find(is_event)?;
    let message = format!(
        "'{}' is about the streams that commands are on, but they get others",
        found.name()
    );
    let note = "leave the events out, and run tfx-insert-events after tfx-assign-streams";
    Some(diag::error(found.location(), message).note(found.location(), note))
}

fn assign<'a>(
    program: &Program<'a>,
    done: &mut FxHashSet<Op<'a>>,
    cx: &PassContext<'a, AssignStreamsOptions>,
) -> Result<(), Diagnostics<'a>> {
    let options = cx.options();
    let fed = feed(program)?;
    let limit = u32::try_from(options.streams).unwrap_or(u32::MAX);
    let parts = program.parts.len();
    let most = |part: tfx_schedule::PartId, device: tfx_schedule::DeviceId| {
        let index = part.0 as usize;
        if program.has_entry && index + 1 == parts {
            return limit;
        }
        // A part has the streams of its parameters.
        let streams = fed.schedule.parts[index].streams.iter();
        let own = streams.filter(|stream| stream.device == device).count() as u32;
        match limit {
            0 => own.max(1),
            limit => own.clamp(1, limit),
        }
    };
    let costs = Costs {
        launch: options.launch,
        event: options.event,
    };
    let places = &fed.schedule.places;
    let bandwidths = Bandwidths {
        memory: options.bandwidth,
        link: options.link,
    };
    let cost = |command: tfx_schedule::CommandId| time(places[command.0 as usize], bandwidths);
    let assigned = tfx_order::streams(&fed.schedule, costs, most, cost).map_err(|error| {
        let tfx_order::Error::Ring(command) = error;
        let error = diag::error(places[command.0 as usize].location(), error.to_string());
        Diagnostics::from_iter([error])
    })?;
    let mut pools: FxHashMap<usize, Pool<'a>> = FxHashMap::default();
    for choice in assigned {
        let part = choice.part.0 as usize;
        let Some(schedule) = program.parts.get(part) else {
            continue;
        };
        if done.contains(&schedule.op()) {
            continue;
        }
        let is_entry = program.has_entry && part + 1 == parts;
        let pool = pools
            .entry(part)
            .or_insert_with(|| Pool::new(*schedule, is_entry));
        let op = places[choice.command.0 as usize];
        let Some(index) = op.operands().position(|operand| is_stream(operand)) else {
            continue;
        };
        let old = op.operand(index);
        if let Some(new) = pool.stream(old, choice.stream as usize)
            && new != old
        {
            op.set_operand(index, new);
            cx.count(MOVED, 1);
        }
    }
    for (index, schedule) in program.parts.iter().enumerate() {
        done.insert(schedule.op());
        if let Some(pool) = pools.remove(&index) {
            cx.count(STREAMS, pool.finish());
        }
    }
    Ok(())
}

/// The streams of a schedule, by their types.
struct Pool<'a> {
    schedule: Schedule<'a>,
    is_entry: bool,
    streams: BTreeMap<schedules::Device, Vec<Value<'a>>>,
    used: FxHashSet<Value<'a>>,
    opened: Vec<Op<'a>>,
}

impl<'a> Pool<'a> {
    fn new(schedule: Schedule<'a>, is_entry: bool) -> Self {
        let mut pool = Self {
            schedule,
            is_entry,
            streams: BTreeMap::new(),
            used: FxHashSet::default(),
            opened: Vec::new(),
        };
        let body = schedule.body().entry();
        let parameters = body.into_iter().flat_map(|body| body.arguments());
        parameters.for_each(|parameter| pool.add(parameter));
        // A stream that is opened before all commands can have any of them.
        let first = body.and_then(|body| body.first());
        let declarations = std::iter::successors(first, |op| op.next()).take_while(|op| {
            op.isa::<Open<'a>>() || op.isa::<Input<'a>>() || op.isa::<Arena<'a>>()
        });
        for open in declarations
            .filter_map(Open::cast)
            .filter(|open| !open.legacy())
        {
            pool.opened.push(open.op());
            pool.add(open.stream());
        }
        pool
    }

    fn add(&mut self, stream: Value<'a>) {
        if let Some(ScheduleType::Stream(device)) = ScheduleType::of(stream.ty()) {
            self.streams.entry(device).or_default().push(stream);
        }
    }

    /// Returns a stream of the device of another one by its number.
    fn stream(&mut self, like: Value<'a>, number: usize) -> Option<Value<'a>> {
        let Some(ScheduleType::Stream(device)) = ScheduleType::of(like.ty()) else {
            return None;
        };
        let body = self.schedule.body().entry()?;
        let streams = self.streams.entry(device).or_default();
        while self.is_entry && streams.len() <= number {
            let mut builder = match self.opened.last() {
                Some(last) => Builder::after(*last),
                None => Builder::at_start(body, like.location()),
            };
            let open = Open::build(&mut builder, like.ty());
            self.opened.push(open.op());
            streams.push(open.stream());
        }
        let stream = *streams.get(number)?;
        self.used.insert(stream);
        Some(stream)
    }

    /// Erases streams without commands, and returns the number of the others.
    fn finish(self) -> u64 {
        for open in self.opened {
            if open.is_unused() {
                open.erase();
            }
        }
        self.used.len() as u64
    }
}
