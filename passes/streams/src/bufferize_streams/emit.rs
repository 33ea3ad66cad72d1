//! The schedule of a graph of calls of kernels.
//!
//! ```text
//! graph @g.streams(%x) -> %c {       schedule @g.schedule(%s, %x: buffer, %c: buffer) {
//!   %a = call @g.kernel(%x)            %vx = input %x
//!   %c = call @g.kernel_0(%a)          %a = alloc on %s
//!   return %c                          %va = launch %s @g.kernel(%x read as %vx, %a write)
//! }                                    %vc = launch %s @g.kernel_0(%a read as %va, %c write)
//!                                      free %a on %s
//!                                    }
//! ```
//!
//! The operands of a launch are the arguments of the kernel, then its results. Parameters of the
//! schedule are a stream for each device, the arguments and the results.
//!
//! A copy from one device to another is a command on a stream of the destination, unless only the
//! source is an accelerator. One between places of a device is no command: both tensors are the
//! same bytes.
//!
//! Arguments and results are in host memory. What a kernel of an accelerator uses is copied to its
//! memory before the first use, and a result is copied back where it is computed.

mod ahead;
mod choose;
mod outside;
mod repeat;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use melior::ir::Type;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Identifier};
use tfx_dialects::comm::Copy;
use tfx_dialects::places::Place;
use tfx_dialects::schedules::{Device, ScheduleType, Space};
use tfx_dialects::stream::{self, Alloc, Free, Input, Launch, Return, Schedule};
use tfx_dialects::tensor::{Call, Graph, If, While};
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::types;
use tfx_interpreter::DType;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

use super::grouping::{Grouped, Inner};
use crate::access::ACCESS;
use outside::used_outside;
use repeat::carried;

/// The numbers of modes in `tfx_stream.launch`.
const READ: i32 = 0;
const WRITE: i32 = 1;

/// Returns the size of an element in bytes; none if it is not plain bytes.
pub(super) fn element_bytes(element: DataType) -> Option<u64> {
    let size = DType::from_tensorflow(element as i32)?.size();
    (size > 0).then_some(size as u64)
}

/// Returns the size of a tensor or scalar in bytes; none if it is not known.
pub(crate) fn bytes(ty: Type<'_>) -> Option<u64> {
    let element = element_bytes(types::data_type(ty)?)?;
    let mut sizes = types::sizes(ty)?.into_iter();
    sizes.try_fold(element, |product, size| product.checked_mul(size?))
}

/// Adds the schedule of a graph after it.
pub(super) fn schedule<'a>(
    graph: Graph<'a>,
    commands: &Grouped<'a>,
    symbols: &mut SymbolTable<'a>,
) -> Option<Schedule<'a>> {
    let block = graph.body().entry()?;
    let returned: Vec<Value<'a>> = block.terminator()?.operands().collect();
    let devices = commands.all_devices();
    let mut emitter = Emitter::new(graph, devices, &returned, symbols)?;
    emitter.commands(block, commands, &[])?;
    Return::build(&mut emitter.builder, &[]);
    Some(emitter.schedule)
}

/// The bytes of a tensor, and the value that they hold.
#[derive(Clone, Copy)]
struct Stored<'a> {
    buffer: Value<'a>,
    /// None before it is written.
    value: Option<Value<'a>>,
    is_allocated: bool,
}

/// The bytes to which a command writes a result.
#[derive(Clone, Copy)]
struct Destination<'a> {
    buffer: Value<'a>,
    /// The buffer of the caller to which they are copied then, and the space that they are in.
    copied_to: Option<(Value<'a>, Space)>,
}

impl<'a> Stored<'a> {
    /// Returns allocated bytes, given a buffer and its value.
    fn new(parts: &[Value<'a>]) -> Self {
        Self {
            buffer: parts[0],
            value: parts.get(1).copied(),
            is_allocated: true,
        }
    }

    /// Returns bytes that the tensor does not own.
    fn borrowed(parts: &[Value<'a>]) -> Self {
        Self {
            is_allocated: false,
            ..Self::new(parts)
        }
    }
}

struct Emitter<'a> {
    schedule: Schedule<'a>,
    builder: Builder<'a>,
    streams: BTreeMap<Device, Value<'a>>,
    /// The stream of the next command.
    stream: Value<'a>,
    stored: HashMap<Value<'a>, Stored<'a>>,
    /// The bytes of tensors that are in other memory as well.
    copies: HashMap<Value<'a>, BTreeMap<Space, Stored<'a>>>,
    /// The two buffers of tensors that loops pass on.
    pairs: HashMap<Value<'a>, Vec<Value<'a>>>,
    /// The tensors that are the same bytes as an earlier one.
    originals: HashMap<Value<'a>, Value<'a>>,
}

impl<'a> Emitter<'a> {
    fn new(
        graph: Graph<'a>,
        devices: BTreeSet<Device>,
        returned: &[Value<'a>],
        symbols: &mut SymbolTable<'a>,
    ) -> Option<Self> {
        let context = graph.context();
        let arguments: Vec<Value<'a>> = graph.body().entry()?.arguments().collect();
        let streams = devices.iter().map(|device| {
            let text = format!("!tfx_stream.stream<{device}>");
            Type::parse(context, &text)
        });
        let mut types = streams.collect::<Option<Vec<_>>>()?;
        let parameters = arguments.iter().chain(returned);
        let buffers = parameters
            .clone()
            .map(|value| buffer(value.ty(), Space::Host, graph.op()));
        types.extend(buffers.collect::<Option<Vec<_>>>()?);
        // `@g.streams_1` has `@g.schedule_1`.
        let (caller, number) = graph.sym_name().rsplit_once(".streams")?;
        let name = format!("{caller}.schedule{number}");
        let ty = FunctionType::new(context, &types, &[]);
        let mut builder = Builder::after(graph.op()).at(graph.location());
        let schedule = Schedule::build(&mut builder, &name, ty);
        symbols.insert(schedule.op());
        let access = |access: &str| {
            let name = Identifier::new(context, ACCESS);
            let value = StringAttribute::new(context, access);
            Attribute::from(DictionaryAttribute::new(context, &[(name, value.into())]))
        };
        let none = Attribute::from(DictionaryAttribute::new(context, &[]));
        let mut attributes: Vec<Attribute<'a>> = vec![none; devices.len()];
        attributes.extend(arguments.iter().map(|_| access("read")));
        attributes.extend(returned.iter().map(|_| access("write")));
        schedule.set_arg_attrs(Some(ArrayAttribute::new(context, &attributes).into()));
        let places = parameters.clone().map(|value| value.location());
        let places = devices.iter().map(|_| graph.location()).chain(places);
        let block = schedule.body().add_block(&[]);
        for (ty, place) in types.iter().zip(places) {
            block.add_argument(*ty, place);
        }
        let mut builder = Builder::at_end(block, graph.location());
        let mut own = block.arguments();
        let streams: BTreeMap<Device, Value<'a>> = devices.into_iter().zip(own.by_ref()).collect();
        let stream = *streams.values().next()?;
        let mut stored = HashMap::new();
        for (index, (value, buffer)) in parameters.zip(own).enumerate() {
            let is_argument = index < arguments.len();
            let value_of = is_argument.then(|| Input::build(&mut builder, buffer).value());
            stored.insert(
                *value,
                Stored {
                    buffer,
                    value: value_of,
                    is_allocated: false,
                },
            );
        }
        Some(Self {
            schedule,
            builder,
            streams,
            stream,
            stored,
            copies: HashMap::new(),
            pairs: HashMap::new(),
            originals: HashMap::new(),
        })
    }

    /// Emits the commands of a block. Tensors in `ends` are used at its end; returns those that
    /// nothing else uses afterwards.
    fn commands(
        &mut self,
        block: Block<'a>,
        commands: &Grouped<'a>,
        ends: &[Value<'a>],
    ) -> Option<Vec<Value<'a>>> {
        let ops = self::commands(block);
        ops.iter().for_each(|op| self.find_aliases(*op));
        let mut dying = self.dying(block, &ops, ends).into_iter();
        let mut costs = commands.grouping.costs.iter();
        let mut inner = commands.inner.iter();
        for (op, device) in ops.iter().zip(&commands.devices) {
            let cost = costs.next().copied();
            let mut release: fn(&mut Self, Value<'a>) = Self::release;
            self.stream = *self.streams.get(device)?;
            self.builder.set_location(op.location());
            if let Some(call) = Call::cast(*op) {
                self.launch(call, *device, cost)?;
            } else if let Some(copy) = Copy::cast(*op) {
                self.copy(copy)?;
            } else {
                let inner = inner.next()?;
                for (tensor, space) in used_outside(*op, inner) {
                    self.reach(tensor, space)?;
                }
                match inner {
                    Inner::Loop(repeated) => self.repeat(While::cast(*op)?, repeated)?,
                    Inner::Branch(chosen) => self.choose(If::cast(*op)?, chosen)?,
                }
                self.stream = *self.streams.get(device)?;
                // In a loop, the host would else wait for the device to get the byte of its next
                // decision.
                release = Self::release_allocated;
            }
            for tensor in dying.next()? {
                self.free_by(tensor, release);
            }
        }
        dying.next()
    }

    /// Emits the commands of a block whose results are written to these bytes, and returns their
    /// values.
    fn commands_to(
        &mut self,
        block: Block<'a>,
        commands: &Grouped<'a>,
        ends: &[(Value<'a>, Value<'a>)],
    ) -> Option<Vec<Value<'a>>> {
        for (end, buffer) in ends {
            // A tensor that is two results has the bytes of one, and is copied to the other.
            let is_computed = is_defined_in(*end, block) && end.as_argument().is_none();
            if is_computed && !self.stored.contains_key(end) {
                self.stored.insert(*end, Stored::borrowed(&[*buffer]));
            }
        }
        let tensors: Vec<Value<'a>> = ends.iter().map(|(end, _)| *end).collect();
        let dying = self.commands(block, commands, &tensors)?;
        let mut values = Vec::with_capacity(ends.len());
        for (end, buffer) in ends {
            let stored = *self.stored.get(&self.original(*end))?;
            values.push(match stored.buffer == *buffer {
                true => stored.value?,
                false => self.copy_to(stored, *buffer),
            });
        }
        for tensor in dying {
            self.free(tensor);
        }
        Some(values)
    }

    /// Finds the results of a command that are the same bytes as an operand.
    fn find_aliases(&mut self, op: Op<'a>) {
        let alias = |emitter: &mut Self, tensor: Value<'a>, of: Value<'a>| {
            // A result of the graph has bytes of the caller.
            if !emitter.stored.contains_key(&tensor) {
                let original = emitter.original(of);
                emitter.originals.insert(tensor, original);
            }
        };
        if let Some(copy) = Copy::cast(op).filter(|copy| is_alias(*copy)) {
            alias(self, copy.result(), copy.value());
        }
        if let Some(repeated) = While::cast(op) {
            let kept = carried(repeated).filter(|carried| !carried.is_changed());
            for carried in kept.collect::<Vec<_>>() {
                alias(self, carried.tested, carried.init);
                alias(self, carried.argument, carried.init);
                alias(self, carried.result, carried.init);
            }
        }
    }

    /// Returns for each command the tensors of the block that no later one uses, and at last those
    /// of `ends`.
    fn dying(&self, block: Block<'a>, ops: &[Op<'a>], ends: &[Value<'a>]) -> Vec<Vec<Value<'a>>> {
        let mut last_uses: HashMap<Value<'a>, usize> = HashMap::new();
        let mut tensors = Vec::new();
        let mut used = |tensor: Value<'a>, number| {
            let tensor = self.original(tensor);
            let own = is_defined_in(tensor, block);
            if own && last_uses.insert(tensor, number).is_none() {
                tensors.push(tensor);
            }
        };
        block.arguments().for_each(|argument| used(argument, 0));
        for (number, op) in ops.iter().enumerate() {
            let inside = op.walk().skip(1).flat_map(|inside| inside.operands());
            let values = op.operands().chain(inside).chain(op.results());
            values.for_each(|value| used(value, number));
        }
        ends.iter().for_each(|end| used(*end, ops.len()));
        let mut dying = vec![Vec::new(); ops.len() + 1];
        for tensor in tensors {
            dying[last_uses[&tensor]].push(tensor);
        }
        dying
    }

    /// Launches a kernel of a device, with its operands and results in memory that it accesses.
    fn launch(&mut self, call: Call<'a>, device: Device, cost: Option<u64>) -> Option<()> {
        let op = call.op();
        let space = space(device);
        let (mut buffers, mut values) = (Vec::new(), Vec::new());
        let mut positions = Vec::new();
        for (position, operand) in op.operands().enumerate() {
            let stored = self.reach(operand, space)?;
            buffers.push(stored.buffer);
            values.push(stored.value?);
            positions.push(i32::try_from(position).ok()?);
        }
        let mut modes = vec![READ; buffers.len()];
        let mut destinations = Vec::new();
        for result in op.results() {
            let destination = self.destination(result, space)?;
            buffers.push(destination.buffer);
            destinations.push(destination);
            modes.push(WRITE);
        }
        let written = Type::parse(op.context(), "!tfx_stream.value")?;
        let types = vec![written; op.num_results()];
        let offsets = vec![0; values.len()];
        let launch = Launch::build(
            &mut self.builder,
            &types,
            self.stream,
            call.callee(),
            &buffers,
            &values,
            &modes,
            &positions,
            &offsets,
        );
        launch.set_cost(cost.and_then(|cost| i64::try_from(cost).ok()));
        let written = launch.op().results();
        for ((result, value), destination) in op.results().zip(written).zip(destinations) {
            self.finish(result, value, destination)?;
        }
        Some(())
    }

    /// Copies a tensor to the device of its destination, unless it is the same bytes there.
    fn copy(&mut self, copy: Copy<'a>) -> Option<()> {
        if self.original(copy.result()) != copy.result() {
            return Some(());
        }
        let [source, destination] = [copy.source(), copy.destination()].map(Place::of);
        let value = self.original(copy.value());
        // A result of the graph has bytes of the caller, and others where it was computed.
        let copies = self.copies.get(&value);
        let there = copies.and_then(|copies| copies.get(&space(source?.device)));
        let stored = there.or_else(|| self.stored.get(&value)).copied()?;
        self.copy_bytes(stored, copy.result(), space(destination?.device))
    }

    /// Copies bytes to those of a result, which has memory of its own in a space.
    fn copy_bytes(&mut self, source: Stored<'a>, result: Value<'a>, space: Space) -> Option<()> {
        let destination = self.destination(result, space)?;
        let copied = self.copy_to(source, destination.buffer);
        self.finish(result, copied, destination)
    }

    /// Copies bytes to a buffer, and returns its value. The stream is the current one, unless only
    /// that of an accelerator reaches the memory.
    fn copy_to(&mut self, source: Stored<'a>, destination: Value<'a>) -> Value<'a> {
        // The last one of two accelerators counts, which is that of the destination.
        let ends = [source.buffer, destination].into_iter();
        let ends = ends.filter_map(space_of);
        let space = ends.max_by_key(|space| accelerator(*space).is_some());
        let stream = space.map_or(self.stream, |space| self.stream_of(space));
        let builder = &mut self.builder;
        stream::Copy::build(builder, stream, source.buffer, destination, source.value).result()
    }

    /// Returns the bytes of a tensor in a memory space, to which they are copied if they are in
    /// another one.
    fn reach(&mut self, tensor: Value<'a>, space: Space) -> Option<Stored<'a>> {
        let tensor = self.original(tensor);
        let stored = *self.stored.get(&tensor)?;
        if space_of(stored.buffer)? == space {
            return Some(stored);
        }
        let copies = self.copies.get(&tensor);
        if let Some(copied) = copies.and_then(|copies| copies.get(&space)) {
            return Some(*copied);
        }
        let buffer = self.allocate(tensor, space)?;
        let copied = Stored::new(&[buffer, self.copy_to(stored, buffer)]);
        self.copies.entry(tensor).or_default().insert(space, copied);
        Some(copied)
    }

    /// Returns the bytes to which a command writes a result: allocated ones in this space, or those
    /// of the caller if these are there.
    fn destination(&mut self, result: Value<'a>, space: Space) -> Option<Destination<'a>> {
        let own = self.stored.get(&result).map(|stored| stored.buffer);
        if let Some(buffer) = own.filter(|own| space_of(*own) == Some(space)) {
            let copied_to = None;
            return Some(Destination { buffer, copied_to });
        }
        let buffer = self.allocate(result, space)?;
        if own.is_none() {
            self.stored.insert(result, Stored::new(&[buffer]));
        }
        let copied_to = own.map(|own| (own, space));
        Some(Destination { buffer, copied_to })
    }

    /// Notes the value that a command has written to the destination of a result, and copies it to
    /// the caller's memory.
    fn finish(
        &mut self,
        result: Value<'a>,
        value: Value<'a>,
        destination: Destination<'a>,
    ) -> Option<()> {
        let mut written = value;
        if let Some((own, space)) = destination.copied_to {
            let copied = Stored::new(&[destination.buffer, value]);
            written = self.copy_to(copied, own);
            self.copies.entry(result).or_default().insert(space, copied);
        }
        self.stored.get_mut(&result)?.value = Some(written);
        Some(())
    }

    /// Allocates bytes for a tensor.
    fn allocate(&mut self, tensor: Value<'a>, space: Space) -> Option<Value<'a>> {
        let ty = buffer(tensor.ty(), space, self.schedule.op())?;
        let stream = self.stream_of(space);
        Some(Alloc::build(&mut self.builder, ty, Some(stream)).buffer())
    }

    /// Returns the stream in whose order memory of a space is allocated and freed: one of the
    /// device that has it, or the current one.
    fn stream_of(&self, space: Space) -> Value<'a> {
        let device = accelerator(space).and_then(|device| self.streams.get(&device));
        device.copied().unwrap_or(self.stream)
    }

    /// Returns the first tensor with the same bytes.
    fn original(&self, tensor: Value<'a>) -> Value<'a> {
        self.originals.get(&tensor).copied().unwrap_or(tensor)
    }

    /// Frees a buffer.
    fn release(&mut self, buffer: Value<'a>) {
        let stream = space_of(buffer).map_or(self.stream, |space| self.stream_of(space));
        Free::build(&mut self.builder, buffer, Some(stream));
    }

    /// Frees a buffer on the stream that has allocated it.
    fn release_allocated(&mut self, buffer: Value<'a>) {
        let alloc = buffer.defining_op().and_then(Alloc::cast);
        match alloc.and_then(|alloc| alloc.stream()) {
            Some(stream) => drop(Free::build(&mut self.builder, buffer, Some(stream))),
            None => self.release(buffer),
        }
    }

    /// Frees the bytes of a tensor after its last use, unless they are those of the caller.
    fn free(&mut self, tensor: Value<'a>) {
        self.free_by(tensor, Self::release);
    }

    fn free_by(&mut self, tensor: Value<'a>, release: impl Fn(&mut Self, Value<'a>)) {
        for buffer in self.pairs.remove(&tensor).into_iter().flatten() {
            self.release_allocated(buffer);
        }
        let copies = self.copies.remove(&tensor).unwrap_or_default();
        let stored = self.stored.get(&tensor).copied();
        let all = stored.into_iter().chain(copies.into_values());
        for stored in all.filter(|stored| stored.is_allocated) {
            release(self, stored.buffer);
        }
    }
}

/// Returns the operations of a block that are commands.
fn commands(block: Block<'_>) -> Vec<Op<'_>> {
    let names = [Call::NAME, Copy::NAME, While::NAME, If::NAME];
    let is_command = |op: &Op<'_>| names.contains(&op.name());
    block.ops().filter(is_command).collect()
}

/// Returns whether a block defines a tensor.
fn is_defined_in<'a>(tensor: Value<'a>, block: Block<'a>) -> bool {
    let own = match tensor.as_argument() {
        Some((own, _)) => Some(own),
        None => tensor.defining_op().and_then(|op| op.block()),
    };
    own == Some(block)
}

/// Returns whether a copy is between places of one device.
fn is_alias(copy: Copy<'_>) -> bool {
    let device = |place| Some(Place::of(place)?.device);
    device(copy.source()) == device(copy.destination())
}

/// Returns the memory that the streams of a device access.
fn space(device: Device) -> Space {
    match device {
        Device::Cpu(_) => Space::Host,
        Device::Cuda(number) => Space::Cuda(number),
    }
}

/// Returns the space of a buffer.
fn space_of(buffer: Value<'_>) -> Option<Space> {
    match ScheduleType::of(buffer.ty())? {
        ScheduleType::Buffer(memory) => Some(memory.space),
        _ => None,
    }
}

/// Returns the accelerator that has a memory space.
fn accelerator(space: Space) -> Option<Device> {
    match space {
        Space::Cuda(number) => Some(Device::Cuda(number)),
        Space::Host | Space::Pinned => None,
    }
}

/// Returns the type of the bytes of a tensor in a space. `op` is any operation of the context.
fn buffer<'a>(ty: Type<'a>, space: Space, op: Op<'a>) -> Option<Type<'a>> {
    let text = format!("!tfx_stream.buffer<{}, {space}>", bytes(ty)?);
    Type::parse(op.context(), &text)
}
