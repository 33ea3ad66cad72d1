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
//! A copy from one device to another is a command on a stream of the destination. One between
//! places of a device is no command: both tensors are the same bytes.

mod repeat;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use melior::ir::Type;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Identifier};
use tfx_dialects::comm::Copy;
use tfx_dialects::places::Place;
use tfx_dialects::schedules::Device;
use tfx_dialects::stream::{self, Alloc, Free, Input, Launch, Return, Schedule};
use tfx_dialects::tensor::{Call, Graph, While};
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::types;
use tfx_interpreter::DType;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

use super::grouping::Grouped;
use crate::access::ACCESS;
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
pub(super) fn bytes(ty: Type<'_>) -> Option<u64> {
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

impl<'a> Stored<'a> {
    /// Returns allocated bytes, given a buffer and its value.
    fn new(parts: &[Value<'a>]) -> Self {
        Self {
            buffer: parts[0],
            value: parts.get(1).copied(),
            is_allocated: true,
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
            .map(|value| buffer(value.ty(), graph.op()));
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
        let is_command = |op: &Op<'a>| [Call::NAME, Copy::NAME, While::NAME].contains(&op.name());
        let ops: Vec<Op<'a>> = block.ops().filter(is_command).collect();
        ops.iter().for_each(|op| self.find_aliases(*op));
        let mut dying = self.dying(block, &ops, ends).into_iter();
        let mut costs = commands.grouping.costs.iter();
        let mut loops = commands.loops.iter();
        for (op, device) in ops.iter().zip(&commands.devices) {
            let cost = costs.next().copied();
            self.stream = *self.streams.get(device)?;
            self.builder.set_location(op.location());
            if let Some(call) = Call::cast(*op) {
                self.launch(call, cost)?;
            } else if let Some(copy) = Copy::cast(*op) {
                self.copy(copy)?;
            } else {
                self.repeat(While::cast(*op)?, loops.next()?)?;
                self.stream = *self.streams.get(device)?;
            }
            for tensor in dying.next()? {
                self.free(tensor);
            }
        }
        dying.next()
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

    /// Launches a kernel.
    fn launch(&mut self, call: Call<'a>, cost: Option<u64>) -> Option<()> {
        let op = call.op();
        let (mut buffers, mut values) = (Vec::new(), Vec::new());
        let mut positions = Vec::new();
        for (position, operand) in op.operands().enumerate() {
            let stored = self.stored.get(&self.original(operand))?;
            buffers.push(stored.buffer);
            values.push(stored.value?);
            positions.push(i32::try_from(position).ok()?);
        }
        let mut modes = vec![READ; buffers.len()];
        for result in op.results() {
            buffers.push(self.destination(result, op)?);
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
        for (result, value) in op.results().zip(launch.op().results()) {
            self.stored.get_mut(&result)?.value = Some(value);
        }
        Some(())
    }

    /// Copies a tensor to the device of the current stream, unless it is the same bytes there.
    fn copy(&mut self, copy: Copy<'a>) -> Option<()> {
        if self.original(copy.result()) != copy.result() {
            return Some(());
        }
        let source = *self.stored.get(&self.original(copy.value()))?;
        self.copy_bytes(source, copy.result(), copy.op())
    }

    /// Copies bytes to those of a result of `op`.
    fn copy_bytes(&mut self, source: Stored<'a>, result: Value<'a>, op: Op<'a>) -> Option<()> {
        let destination = self.destination(result, op)?;
        let copied = self.copy_to(source, destination);
        self.stored.get_mut(&result)?.value = Some(copied);
        Some(())
    }

    /// Copies bytes to a buffer, and returns its value.
    fn copy_to(&mut self, source: Stored<'a>, destination: Value<'a>) -> Value<'a> {
        let (stream, builder) = (self.stream, &mut self.builder);
        stream::Copy::build(builder, stream, source.buffer, destination, source.value).result()
    }

    /// Returns the buffer of a result of `op`, which is allocated unless it is one of the caller.
    fn destination(&mut self, result: Value<'a>, op: Op<'a>) -> Option<Value<'a>> {
        if let Some(stored) = self.stored.get(&result) {
            return Some(stored.buffer);
        }
        let ty = buffer(result.ty(), op)?;
        let buffer = Alloc::build(&mut self.builder, ty, Some(self.stream)).buffer();
        self.stored.insert(result, Stored::new(&[buffer]));
        Some(buffer)
    }

    /// Returns the first tensor with the same bytes.
    fn original(&self, tensor: Value<'a>) -> Value<'a> {
        self.originals.get(&tensor).copied().unwrap_or(tensor)
    }

    /// Frees the bytes of a tensor after its last use, unless they are those of the caller.
    fn free(&mut self, tensor: Value<'a>) {
        let stored = self.stored.get(&tensor);
        if let Some(stored) = stored.filter(|stored| stored.is_allocated) {
            Free::build(&mut self.builder, stored.buffer, Some(self.stream));
        }
    }
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

/// Returns the type of the bytes of a tensor, an operand or result of `op`.
fn buffer<'a>(ty: Type<'a>, op: Op<'a>) -> Option<Type<'a>> {
    let text = format!("!tfx_stream.buffer<{}, host>", bytes(ty)?);
    Type::parse(op.context(), &text)
}
