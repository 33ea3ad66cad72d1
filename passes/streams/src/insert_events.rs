//! `tfx-insert-events`: adds the fewest records and waits with which commands keep their order.
//!
//! ```text
//!   %x = launch %s @produce(%b write)         %x = launch %s @produce(%b write)
//!   launch %t @consume(%b read as %x)   ──►   %e = record %s
//!                                             wait %t for %e
//!                                             launch %t @consume(%b read as %x)
//! ```
//!
//! The commands of a schedule are in the order of the program, and each has a stream. Two commands
//! that access the same bytes, one of them as a write, must keep this order on all streams. The
//! pass feeds each schedule to `tfx-order`, which finds the waits ([`tfx_order::events()`] has the
//! algorithm), and adds them:
//!
//! | the producer | the event |
//! |---|---|
//! | in the block of the consumer, before it | is recorded after the producer |
//! | in the body of an `scf.for`, some iterations before | is an iteration argument |
//! | in a loop or branch before the consumer | is recorded after that operation |
//! | in the condition of an `scf.while`, before its body | is waited for at the end of it |
//! | in another region or iteration of an `scf.while` | is recorded at the start of the region |
//!
//! The consumer waits as a whole: a loop, branch or call waits before it starts. The first
//! iterations of a loop wait for an event at the start of the schedule, which is complete. Events
//! of the same command and stream are shared. The host waits by `host_wait`. Events that a schedule
//! has already are used, so that a second run changes nothing.
//!
//! Parts that several schedules call get the waits that any of them needs.
//!
//! Cost: nearly linear in the commands, and in the iterations of a ring of buffers.
//!
//! Not guaranteed: that reads find the values that they name, which `tfx-verify-schedule` decides.
//! The number of waits is the minimum in straight code for the given streams and order, and in
//! loops whose iterations are alike.

use std::collections::BTreeMap;

use melior::dialect::DialectRegistry;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::stream::{Arena, HostWait, Input, Open, Record, Schedule, Wait};
use tfx_ir::diag;
use tfx_ir::ops::scf;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Block, Builder, Definition, Op, Value};
use tfx_schedule::{Agent, PartId};

use crate::feed::{Fed, feed};
use crate::iteration;
use crate::names::Name;
use crate::parts::CallGraph;

/// The pass `tfx-insert-events`.
#[derive(Debug, Default)]
pub struct InsertEvents;

const WAITS: Statistic = Statistic::new("waits", "Events that are waited for, inserted");
const RECORDS: Statistic = Statistic::new("records", "Records inserted");

impl Pass for InsertEvents {
    type Options = ();
    const NAME: &'static str = "TfxInsertEvents";
    const ARGUMENT: &'static str = "tfx-insert-events";
    const DESCRIPTION: &'static str =
        "Insert the fewest events with which commands on several streams keep their order";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[WAITS, RECORDS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        for program in CallGraph::of(module).programs()? {
            let fed = feed(&program)?;
            let waits = tfx_order::events(&fed.schedule).map_err(|error| {
                let tfx_order::Error::Ring(command) = error;
                let op = fed.schedule.places[command.0 as usize];
                let message = format!("{error}, so that its waits would differ in each of them");
                diag::error(op.location(), message).note(
                    op.location(),
                    "rotate fewer buffers, or write the events by hand",
                )
            })?;
            let mut inserter = Inserter::new(&fed);
            for wait in &waits {
                inserter.add(wait);
            }
            inserter.finish();
            cx.count(WAITS, inserter.waits);
            cx.count(RECORDS, inserter.records.len() as u64);
        }
        Ok(())
    }
}

/// The point where an event is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Point<'a> {
    After(Op<'a>),
    StartOf(Block<'a>),
}

/// An event that a loop carries: its record of the current iteration, and the arguments.
#[derive(Debug)]
struct Carried<'a> {
    event: Value<'a>,
    /// The events of earlier iterations, the latest first.
    arguments: Vec<Value<'a>>,
    /// The event in the first iterations.
    start: Value<'a>,
}

struct Inserter<'f, 'a> {
    fed: &'f Fed<'a>,
    records: FxHashMap<(Point<'a>, Value<'a>), Value<'a>>,
    /// The events of each wait: by the command before it and the stream, or none for the host.
    before: FxHashMap<(Op<'a>, Option<Value<'a>>), Vec<Value<'a>>>,
    order: Vec<(Op<'a>, Option<Value<'a>>)>,
    known: FxHashSet<(Op<'a>, Option<Value<'a>>, Value<'a>)>,
    /// The events that loops carry, by loop, in the order in which they are found.
    carried: FxHashMap<Op<'a>, Vec<Carried<'a>>>,
    loops: Vec<scf::For<'a>>,
    waits: u64,
}

impl<'f, 'a> Inserter<'f, 'a> {
    fn new(fed: &'f Fed<'a>) -> Self {
        Self {
            fed,
            records: FxHashMap::default(),
            before: FxHashMap::default(),
            order: Vec::new(),
            known: FxHashSet::default(),
            carried: FxHashMap::default(),
            loops: Vec::new(),
            waits: 0,
        }
    }

    fn add(&mut self, wait: &tfx_order::Wait) {
        let place = |command: tfx_schedule::CommandId| self.fed.schedule.places[command.0 as usize];
        let (consumer, producer) = (place(wait.before), place(wait.after));
        let Some(stream) = self.stream(wait.part, Agent::Stream(wait.stream)) else {
            return;
        };
        let agent = self.stream(wait.part, wait.agent);
        // The condition of an scf.while runs before its loop, also if the body never does: what it
        // orders before the loop, it orders at its end.
        let condition = scf::While::cast(consumer)
            .filter(|op| wait.lag == 0 && producer != op.op() && producer.is_within(op.op()))
            .and_then(|op| op.before().entry());
        let (consumer, block) = match condition {
            Some(block) => (block.terminator().unwrap_or(consumer), Some(block)),
            None => (consumer, consumer.block()),
        };
        let Some(block) = block else { return };
        let is_for = block.parent().is_some_and(|op| op.isa::<scf::For<'a>>());
        let sibling = std::iter::once(producer).chain(producer.ancestors());
        let sibling = sibling.take_while(|op| !op.isa::<Schedule<'a>>());
        let sibling = sibling.filter(|op| op.block() == Some(block)).last();
        let event = match (sibling, wait.lag) {
            (Some(sibling), 0) if sibling.is_before(consumer) => {
                self.record(Point::After(sibling), stream)
            }
            (Some(sibling), 1..) if is_for => {
                let current = self.record(Point::After(sibling), stream);
                self.carry(block, current, stream, wait.lag as usize)
            }
            _ if is_waiting(block, consumer, stream, agent) => return,
            _ => self.record(Point::StartOf(block), stream),
        };
        if self.known.insert((consumer, agent, event)) {
            let key = (consumer, agent);
            let events = self.before.entry(key).or_default();
            if events.is_empty() {
                self.order.push(key);
            }
            events.push(event);
            self.waits += 1;
        }
    }

    /// Returns the stream of an agent, or none for the host.
    fn stream(&self, part: PartId, agent: Agent) -> Option<Value<'a>> {
        match agent {
            Agent::Host => None,
            Agent::Stream(stream) => self.fed.origins.value(part, Name::Stream(stream)),
        }
    }

    fn record(&mut self, point: Point<'a>, stream: Value<'a>) -> Value<'a> {
        let key = (point, stream);
        if let Some(event) = self.records.get(&key) {
            return *event;
        }
        let mut builder = match point {
            Point::After(op) => Builder::after(op),
            Point::StartOf(block) => match block.first() {
                Some(first) => Builder::at_start(block, first.location()),
                None => Builder::at_end(block, stream.location()),
            },
        };
        let event = Record::build(&mut builder, stream).event();
        self.records.insert(key, event);
        event
    }

    /// Returns the argument of a loop that is the event of some iterations before.
    fn carry(
        &mut self,
        body: Block<'a>,
        event: Value<'a>,
        stream: Value<'a>,
        lag: usize,
    ) -> Value<'a> {
        let Some(repeated) = body.parent().and_then(scf::For::cast) else {
            return event;
        };
        let point = start_of(stream);
        let start = self.record(point, stream);
        let list = self.carried.entry(repeated.op()).or_insert_with(|| {
            self.loops.push(repeated);
            Vec::new()
        });
        let position = list.iter().position(|carried| carried.event == event);
        let position = position.unwrap_or_else(|| {
            list.push(Carried {
                event,
                arguments: Vec::new(),
                start,
            });
            list.len() - 1
        });
        let arguments = &mut list[position].arguments;
        while arguments.len() < lag {
            arguments.push(body.add_argument(event.ty(), event.location()));
        }
        arguments[lag - 1]
    }

    fn finish(&mut self) {
        for key in &self.order {
            let (consumer, agent) = *key;
            let events = &self.before[key];
            let mut builder = Builder::before(consumer);
            match agent {
                Some(stream) => drop(Wait::build(&mut builder, stream, events)),
                None => drop(HostWait::build(&mut builder, events)),
            }
        }
        for repeated in std::mem::take(&mut self.loops) {
            let carried = self.carried.remove(&repeated.op()).unwrap_or_default();
            self.rebuild(repeated, &carried);
        }
    }

    /// Adds iteration arguments to a loop, whose block has them already.
    fn rebuild(&self, repeated: scf::For<'a>, carried: &[Carried<'a>]) {
        // The order of the arguments of the block is that in which they were added.
        let mut added: BTreeMap<usize, (Value<'a>, Value<'a>)> = BTreeMap::new();
        for events in carried {
            let latest = std::iter::once(&events.event).chain(&events.arguments);
            for (argument, next) in events.arguments.iter().zip(latest) {
                if let Some((_, index)) = argument.as_argument() {
                    added.insert(index, (events.start, *next));
                }
            }
        }
        let added: Vec<_> = added.into_values().collect();
        iteration::extend(repeated, &added);
    }
}

/// Returns whether an agent waits before a command for an event that a stream records at the start
/// of the block, as an earlier run of the pass lets it.
fn is_waiting<'a>(
    block: Block<'a>,
    consumer: Op<'a>,
    stream: Value<'a>,
    agent: Option<Value<'a>>,
) -> bool {
    let mut records = Vec::new();
    let mut is_start = true;
    for op in block.ops().take_while(|op| *op != consumer) {
        if let Some(record) = Record::cast(op) {
            if is_start && record.stream() == stream {
                records.push(record.event());
            }
        } else if let Some(wait) = Wait::cast(op) {
            let mut events = wait.events().iter();
            if Some(wait.stream()) == agent && events.any(|event| records.contains(&event)) {
                return true;
            }
        } else if let Some(wait) = HostWait::cast(op) {
            let mut events = wait.events().iter();
            if agent.is_none() && events.any(|event| records.contains(&event)) {
                return true;
            }
        } else {
            is_start = false;
        }
    }
    false
}

/// Returns the first point of a schedule where a stream can record an event.
fn start_of(stream: Value<'_>) -> Point<'_> {
    let (first, own) = match stream.definition() {
        Definition::Result(op, _) => (op.block().and_then(|block| block.first()), Point::After(op)),
        Definition::Argument(block, _) => (block.first(), Point::StartOf(block)),
    };
    // The inputs of a schedule precede all commands, and other declarations may.
    let ops = std::iter::successors(first, |op| op.next());
    let inputs = ops
        .take_while(|op| {
            op.isa::<Input<'_>>()
                || op.isa::<Open<'_>>()
                || op.isa::<Arena<'_>>()
                || op.effects().is_none()
        })
        .filter(|op| op.isa::<Input<'_>>());
    match (inputs.last(), own) {
        (Some(input), Point::After(open)) if input.is_before(open) => own,
        (Some(input), _) => Point::After(input),
        (None, _) => own,
    }
}
