//! The front end of `tfx-schedule` for IR.
//!
//! ```text
//!   tfx_stream.launch ... ──► launch         scf.for    ──► loop { body }
//!   tfx_stream.record     ──► record         scf.if     ──► branch { arm, arm }
//!   tfx_stream.call       ──► call           scf.while  ──► before; loop { after; before }
//! ```
//!
//! The before region of an `scf.while` runs once more than the after region, so it is fed twice: a
//! loop of the checker has one body. Each place of the checker is the operation that is fed.
//!
//! The parameters of a public schedule are memory and streams that exist; those of a part are
//! parameters of the checker. Memory of `alloc` is a root of its own, that of `slice` a range of
//! the root of its arena, and both start its lifetime.
//!
//! The walk has an explicit stack, since loops nest arbitrarily. Cost: linear, except that a before
//! region is walked twice. A loop in the before region of another one is an error, because its cost
//! would double with each level.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tfx_dialects::schedules::{self, Memory, ScheduleType};
use tfx_dialects::stream::{Schedule as ScheduleOp, StreamOp};
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::scf;
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Block, Op, Region, Value};
use tfx_schedule::{
    Access, Agent, BufferId, Builder, Device, DeviceId, EventId, Lifetime, Mode, Names, PartId,
    RootId, Schedule, Space, StreamId, Trips, Value as Content, ValueId, Work,
};

use crate::names::{Name, Origins, Scope};
use crate::parts::Program;

/// A schedule of the checker, and where its names come from.
#[derive(Debug)]
pub(crate) struct Fed<'a> {
    /// The schedule.
    pub(crate) schedule: Schedule<Op<'a>>,
    /// The places of its names.
    pub(crate) origins: Origins<'a>,
    /// The number of reads that name no value.
    pub(crate) unnamed_reads: u64,
}

/// Returns the schedule of a program.
///
/// # Errors
///
/// The program has operations that the checker does not know.
pub(crate) fn feed<'a>(program: &Program<'a>) -> Result<Fed<'a>, Diagnostics<'a>> {
    let mut feeder = Feeder {
        builder: Builder::new(),
        devices: BTreeMap::new(),
        parts: FxHashMap::default(),
        errors: Vec::new(),
        unnamed_reads: 0,
    };
    let mut origins = Origins::default();
    for (index, &part) in program.parts.iter().enumerate() {
        let is_entry = program.has_entry && index + 1 == program.parts.len();
        let id = PartId(index as u32);
        let mut scope = Scope::new(id, &mut origins);
        feeder.part(part, is_entry, &mut scope);
        feeder.parts.insert(part.sym_name(), id);
    }
    if !program.has_entry {
        feeder.builder.begin_part("");
        feeder.builder.end_part(Names::default());
    }
    let unnamed_reads = feeder.unnamed_reads;
    Diagnostics::from_iter(feeder.errors).finish()?;
    match feeder.builder.finish() {
        Ok(schedule) => Ok(Fed {
            schedule,
            origins,
            unnamed_reads,
        }),
        Err(error) => {
            let location = program.parts.last().map(|part| part.location());
            let errors = location.map(|location| diag::error(location, error.to_string()));
            Err(errors.into_iter().collect())
        }
    }
}

/// A piece of a schedule that is not fed yet.
#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    /// An operation, and those after it.
    Ops(Option<Op<'a>>),
    /// The end of the body of an `scf.for`.
    EndFor(scf::For<'a>),
    /// The first evaluation of the condition of an `scf.while`.
    BeginWhile(scf::While<'a>),
    /// The end of the after region.
    EndAfter(scf::While<'a>),
    /// A further evaluation of the condition.
    EndWhile(scf::While<'a>),
    /// An arm of a branch.
    Arm(Region<'a>),
    /// The end of an arm.
    EndArm(Region<'a>),
    /// The end of a branch.
    EndBranch(Op<'a>),
}

struct Feeder<'a> {
    builder: Builder<Op<'a>>,
    devices: BTreeMap<schedules::Device, DeviceId>,
    /// The parts that are fed, by name.
    parts: FxHashMap<&'a str, PartId>,
    errors: Vec<Diagnostic<'a>>,
    unnamed_reads: u64,
}

impl<'a> Feeder<'a> {
    fn part(&mut self, part: ScheduleOp<'a>, is_entry: bool, scope: &mut Scope<'_, 'a>) {
        self.builder.begin_part(part.sym_name());
        let Some(body) = part.body().entry() else {
            return;
        };
        for parameter in body.arguments() {
            if let Some(name) = self.parameter(parameter, is_entry) {
                scope.bind(parameter, name);
            }
        }
        let mut steps = vec![Step::Ops(body.first())];
        while let Some(step) = steps.pop() {
            self.step(step, scope, &mut steps);
        }
        let results = body.terminator().map(|end| scope.names(end.operands()));
        self.builder.end_part(results.unwrap_or_default());
    }

    fn parameter(&mut self, parameter: Value<'a>, is_entry: bool) -> Option<Name> {
        Some(match ScheduleType::of(parameter.ty())? {
            ScheduleType::Stream(device) => {
                let device = self.device(device);
                Name::Stream(self.builder.stream(device))
            }
            ScheduleType::Buffer(memory) => {
                let space = self.space(memory);
                Name::Buffer(match is_entry {
                    true => self.builder.buffer(memory.size, space),
                    false => self.builder.buffer_parameter(memory.size, space),
                })
            }
            ScheduleType::Event => {
                // No rule depends on the device of an event that the part does not record.
                let device = self.device(schedules::Device::Cpu(0));
                Name::Event(self.builder.event_parameter(device))
            }
            ScheduleType::Value => Name::Value(self.builder.value_parameter()),
            ScheduleType::Arena(_) => return None,
        })
    }

    // ---------------------------------------------------------------------------- control flow

    fn step(&mut self, step: Step<'a>, scope: &mut Scope<'_, 'a>, steps: &mut Vec<Step<'a>>) {
        match step {
            Step::Ops(None) => {}
            Step::Ops(Some(op)) => {
                steps.push(Step::Ops(op.next()));
                self.op(op, scope, steps);
            }
            Step::EndFor(op) => {
                let next = forwarded(op.region().entry());
                let results = self.builder.end_loop(scope.names(next.into_iter()));
                scope.bind_all(op.results(), &results);
            }
            Step::BeginWhile(op) => {
                let initial = scope.names(condition(op).into_iter());
                let names = self.builder.begin_loop(op.op(), trips(op.op()), initial);
                if let Some(after) = op.after().entry() {
                    scope.bind_all(after.arguments(), &names);
                    steps.push(Step::EndAfter(op));
                    steps.push(Step::Ops(after.first()));
                }
            }
            Step::EndAfter(op) => {
                let next = forwarded(op.after().entry());
                if let Some(before) = op.before().entry() {
                    scope.alias(before.arguments(), next.into_iter());
                    steps.push(Step::EndWhile(op));
                    steps.push(Step::Ops(before.first()));
                }
            }
            Step::EndWhile(op) => {
                let next = scope.names(condition(op).into_iter());
                let results = self.builder.end_loop(next);
                scope.bind_all(op.results(), &results);
            }
            Step::Arm(region) => {
                self.builder.begin_arm();
                steps.push(Step::EndArm(region));
                let first = region.entry().and_then(|block| block.first());
                steps.push(Step::Ops(first));
            }
            Step::EndArm(region) => {
                let results = forwarded(region.entry());
                self.builder.end_arm(scope.names(results.into_iter()));
            }
            Step::EndBranch(op) => {
                let results = self.builder.end_branch();
                scope.bind_all(op.results(), &results);
            }
        }
    }

    fn op(&mut self, op: Op<'a>, scope: &mut Scope<'_, 'a>, steps: &mut Vec<Step<'a>>) {
        if let Some(op) = StreamOp::cast(op) {
            return self.command(op, scope);
        }
        if let Some(passed) = op.results().find(|value| is_fixed(*value)) {
            let message = format!(
                "'{}' returns a value of type {}; a schedule uses streams and arenas directly",
                op.name(),
                passed.ty()
            );
            let note = "pass a buffer, or write the commands once for each stream";
            self.errors
                .push(diag::error(op.location(), message).note(op.location(), note));
        }
        if let Some(op) = scf::For::cast(op) {
            let initial = scope.names(op.init_args().iter());
            let names = self.builder.begin_loop(op.op(), trips(op.op()), initial);
            if let Some(body) = op.region().entry() {
                scope.bind_all(body.arguments(), &names);
                steps.push(Step::EndFor(op));
                steps.push(Step::Ops(body.first()));
            }
        } else if let Some(op) = scf::While::cast(op) {
            self.begin_while(op, scope, steps);
        } else if op.isa::<scf::If<'a>>() || op.isa::<scf::IndexSwitch<'a>>() {
            self.builder.begin_branch(op);
            steps.push(Step::EndBranch(op));
            let arms: Vec<Region<'a>> = op.regions().collect();
            steps.extend(arms.into_iter().rev().map(Step::Arm));
        } else if !op.isa::<scf::Yield<'a>>() && !op.isa::<scf::Condition<'a>>() {
            self.other(op);
        }
    }

    fn begin_while(
        &mut self,
        op: scf::While<'a>,
        scope: &mut Scope<'_, 'a>,
        steps: &mut Vec<Step<'a>>,
    ) {
        let Some(before) = op.before().entry() else {
            return;
        };
        let mut nested = before.ops().flat_map(|op| op.walk());
        if let Some(inner) = nested.find(|op| op.isa::<scf::While<'a>>()) {
            let message = "a loop in the condition of another one is not verified";
            let error = diag::error(inner.location(), message)
                .note(op.location(), "move it before this loop, and into its body");
            self.errors.push(error);
        }
        scope.alias(before.arguments(), op.inits().iter());
        steps.push(Step::BeginWhile(op));
        steps.push(Step::Ops(before.first()));
    }

    /// Checks an operation of another dialect, which is no command.
    fn other(&mut self, op: Op<'a>) {
        let is_passing = op.results().any(|value| is_named(value));
        if is_passing || op.num_regions() > 0 || !op.effects().is_none() {
            let message = format!(
                "'{}' in a schedule is not verified: it may access memory",
                op.name()
            );
            let note = "call a function by tfx_stream.host, with the buffers that it accesses";
            self.errors
                .push(diag::error(op.location(), message).note(op.location(), note));
        }
    }

    // -------------------------------------------------------------------------------- commands

    fn command(&mut self, op: StreamOp<'a>, scope: &mut Scope<'_, 'a>) {
        let place = op.op();
        match op {
            StreamOp::Open(op) => {
                let Some(ScheduleType::Stream(device)) = ScheduleType::of(op.stream().ty()) else {
                    return;
                };
                let device = self.device(device);
                let stream = match op.legacy() {
                    true => self.builder.legacy_stream(device),
                    false => self.builder.stream(device),
                };
                scope.bind(op.stream(), Name::Stream(stream));
            }
            StreamOp::Record(op) => {
                let event = self.builder.record(place, stream(scope, op.stream()));
                scope.bind(op.event(), Name::Event(event));
            }
            StreamOp::Wait(op) => {
                let events: Vec<EventId> = scope.names(op.events().iter()).events;
                self.builder
                    .wait(place, stream(scope, op.stream()), &events);
            }
            StreamOp::HostWait(op) => {
                let events = scope.names(op.events().iter()).events;
                self.builder.host_wait(place, &events);
            }
            StreamOp::Launch(launch) => {
                let agent = Agent::Stream(stream(scope, launch.stream()));
                self.work(op, agent, Work::Kernel, scope);
            }
            StreamOp::Host(host) => {
                let (agent, kind) = match host.stream() {
                    Some(on) => (Agent::Stream(stream(scope, on)), Work::HostFunction),
                    None => (Agent::Host, Work::Host),
                };
                self.work(op, agent, kind, scope);
            }
            StreamOp::Decide(_) => self.work(op, Agent::Host, Work::Host, scope),
            StreamOp::Copy(copy) => {
                let agent = Agent::Stream(stream(scope, copy.stream()));
                self.work(op, agent, Work::Copy, scope);
            }
            StreamOp::Fill(fill) => {
                let agent = Agent::Stream(stream(scope, fill.stream()));
                self.work(op, agent, Work::Fill, scope);
            }
            StreamOp::Input(op) => {
                let value = self.builder.input(place, buffer(scope, op.buffer()));
                scope.bind(op.value(), Name::Value(value));
            }
            StreamOp::View(op) => {
                let of = buffer(scope, op.buffer());
                let view = self.builder.view(of, op.offset() as u64, op.size() as u64);
                scope.bind(op.result(), Name::Buffer(view));
            }
            StreamOp::Arena(op) => {
                if let Some(ScheduleType::Arena(memory)) = ScheduleType::of(op.arena().ty()) {
                    let root = self.root(memory);
                    scope.bind(op.arena(), Name::Root(root));
                }
            }
            StreamOp::Alloc(op) => {
                if let Some(ScheduleType::Buffer(memory)) = ScheduleType::of(op.buffer().ty()) {
                    let root = self.root(memory);
                    let slice = self.builder.slice(root, 0, memory.size);
                    scope.bind(op.buffer(), Name::Buffer(slice));
                    self.builder.alloc(place, agent(scope, op.stream()), slice);
                }
            }
            StreamOp::Slice(op) => {
                let (offset, size) = (op.offset() as u64, op.size() as u64);
                let slice = self.builder.slice(root(scope, op.arena()), offset, size);
                scope.bind(op.buffer(), Name::Buffer(slice));
                self.builder.alloc(place, agent(scope, op.stream()), slice);
            }
            StreamOp::Free(op) => {
                let freed = buffer(scope, op.buffer());
                self.builder.free(place, agent(scope, op.stream()), freed);
            }
            StreamOp::Call(op) => {
                let streams = scope.streams(op.inputs().iter());
                let arguments = scope.names(op.inputs().iter());
                // A call of a part that is not fed has an error already.
                if let Some(&part) = self.parts.get(op.callee()) {
                    let results = self.builder.call(place, part, &streams, arguments);
                    scope.bind_all(op.results(), &results);
                }
            }
            StreamOp::Return(_) | StreamOp::Schedule(_) => {}
        }
    }

    fn work(&mut self, op: StreamOp<'a>, agent: Agent, kind: Work, scope: &mut Scope<'_, 'a>) {
        let mut list = Vec::new();
        for access in schedules::accesses(op) {
            let buffer = buffer(scope, access.buffer);
            let mut add = |mode, value| {
                list.push(Access {
                    buffer,
                    mode,
                    value,
                });
            };
            if access.mode.is_reading() {
                let named = access.reads.map(|(value, offset)| {
                    let id = value_of(scope, value);
                    Content { id, offset }
                });
                self.unnamed_reads += u64::from(named.is_none());
                add(Mode::Read, named);
            }
            if access.mode.is_writing() {
                let id = self.builder.value();
                add(Mode::Write, Some(Content { id, offset: 0 }));
                if let Some(result) = access.writes {
                    scope.bind(result, Name::Value(id));
                }
            }
            if access.mode == schedules::Mode::Scratch {
                add(Mode::Scratch, None);
            }
        }
        self.builder.work(op.op(), agent, kind, &list);
    }

    // ------------------------------------------------------------------------ devices and memory

    fn device(&mut self, device: schedules::Device) -> DeviceId {
        let builder = &mut self.builder;
        *self.devices.entry(device).or_insert_with(|| {
            builder.device(match device {
                schedules::Device::Cpu(_) => Device::Cpu,
                schedules::Device::Cuda(_) => Device::Cuda,
            })
        })
    }

    fn space(&mut self, memory: Memory) -> Space {
        match memory.space {
            schedules::Space::Host => Space::Pageable,
            schedules::Space::Pinned => Space::Pinned,
            schedules::Space::Cuda(number) => {
                Space::Device(self.device(schedules::Device::Cuda(number)))
            }
        }
    }

    fn root(&mut self, memory: Memory) -> RootId {
        let space = self.space(memory);
        self.builder.root(memory.size, space, Lifetime::Managed)
    }
}

// Each SSA value of a type of tfx_stream has a name of its kind, unless an error is reported for
// the operation that defines it. The names after an error are never checked.

fn stream<'a>(scope: &Scope<'_, 'a>, value: Value<'a>) -> StreamId {
    match scope.get(value) {
        Some(Name::Stream(stream)) => stream,
        _ => StreamId(u32::MAX),
    }
}

/// Returns the agent in whose order memory is allocated or released.
fn agent<'a>(scope: &Scope<'_, 'a>, on: Option<Value<'a>>) -> Agent {
    on.map_or(Agent::Host, |on| Agent::Stream(stream(scope, on)))
}

fn buffer<'a>(scope: &Scope<'_, 'a>, value: Value<'a>) -> BufferId {
    match scope.get(value) {
        Some(Name::Buffer(buffer)) => buffer,
        _ => BufferId(u32::MAX),
    }
}

fn root<'a>(scope: &Scope<'_, 'a>, value: Value<'a>) -> RootId {
    match scope.get(value) {
        Some(Name::Root(root)) => root,
        _ => RootId(u32::MAX),
    }
}

fn value_of<'a>(scope: &Scope<'_, 'a>, value: Value<'a>) -> ValueId {
    match scope.get(value) {
        Some(Name::Value(value)) => value,
        _ => ValueId(u32::MAX),
    }
}

/// Returns the operands of the `scf.yield` at the end of a block.
fn forwarded(block: Option<Block<'_>>) -> Vec<Value<'_>> {
    let end = block.and_then(|block| block.terminator());
    end.map_or(Vec::new(), |end| end.operands().collect())
}

/// Returns the operands of the `scf.condition` of a loop that it forwards.
fn condition(op: scf::While<'_>) -> Vec<Value<'_>> {
    let end = op.before().terminator().and_then(scf::Condition::cast);
    end.map_or(Vec::new(), |end| end.args().to_vec())
}

fn trips(op: Op<'_>) -> Trips {
    let trips = trip_count(op).and_then(|trips| u64::try_from(trips).ok());
    trips.map_or(Trips::AtLeast(0), Trips::Exactly)
}

/// Returns whether an SSA value has a name that control flow passes.
fn is_named(value: Value<'_>) -> bool {
    ScheduleType::of(value.ty()).is_some()
}

/// Returns whether an SSA value is one that control flow does not pass.
fn is_fixed(value: Value<'_>) -> bool {
    matches!(
        ScheduleType::of(value.ty()),
        Some(ScheduleType::Stream(_) | ScheduleType::Arena(_))
    )
}
