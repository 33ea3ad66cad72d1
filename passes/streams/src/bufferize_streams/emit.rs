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
//! schedule are a stream, the arguments and the results.

use std::collections::HashMap;

use melior::ir::Type;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Identifier};
use tfx_dialects::stream::{Alloc, Free, Input, Launch, Return, Schedule};
use tfx_dialects::tensor::{Call, Graph};
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::types;
use tfx_interpreter::DType;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Builder, Op, Value};
use tfx_order::Grouping;

use crate::access::ACCESS;

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

/// Adds the schedule of a graph after it. `grouping` has the times of its calls, in their order.
pub(super) fn schedule<'a>(
    graph: Graph<'a>,
    grouping: &Grouping,
    symbols: &mut SymbolTable<'a>,
) -> Option<Schedule<'a>> {
    let block = graph.body().entry()?;
    let returned: Vec<Value<'a>> = block.terminator()?.operands().collect();
    let arguments: Vec<Value<'a>> = block.arguments().collect();
    let mut emitter = Emitter::new(graph, &arguments, &returned, symbols)?;
    let calls: Vec<Call<'a>> = block.ops().filter_map(Call::cast).collect();
    let mut last_uses: HashMap<Value<'a>, usize> = HashMap::new();
    for (number, call) in calls.iter().enumerate() {
        let values = call.op().operands().chain(call.op().results());
        last_uses.extend(values.map(|value| (value, number)));
    }
    for (number, call) in calls.iter().enumerate() {
        let cost = grouping.costs.get(number).copied();
        emitter.launch(*call, cost)?;
        let values = call.op().operands().chain(call.op().results());
        let dead: Vec<_> = values
            .filter(|value| last_uses.get(value) == Some(&number))
            .collect();
        dead.into_iter().for_each(|value| emitter.free(value));
    }
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

struct Emitter<'a> {
    schedule: Schedule<'a>,
    builder: Builder<'a>,
    stream: Value<'a>,
    stored: HashMap<Value<'a>, Stored<'a>>,
}

impl<'a> Emitter<'a> {
    fn new(
        graph: Graph<'a>,
        arguments: &[Value<'a>],
        returned: &[Value<'a>],
        symbols: &mut SymbolTable<'a>,
    ) -> Option<Self> {
        let context = graph.context();
        let stream = Type::parse(context, "!tfx_stream.stream<cpu>")?;
        let parameters = arguments.iter().chain(returned);
        let buffers = parameters
            .clone()
            .map(|value| buffer(value.ty(), graph.op()));
        let mut types = vec![stream];
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
        let mut attributes: Vec<Attribute<'a>> =
            vec![DictionaryAttribute::new(context, &[]).into()];
        attributes.extend(arguments.iter().map(|_| access("read")));
        attributes.extend(returned.iter().map(|_| access("write")));
        schedule.set_arg_attrs(Some(ArrayAttribute::new(context, &attributes).into()));
        let places = parameters.clone().map(|value| value.location());
        let places = std::iter::once(graph.location()).chain(places);
        let block = schedule.body().add_block(&[]);
        for (ty, place) in types.iter().zip(places) {
            block.add_argument(*ty, place);
        }
        let mut builder = Builder::at_end(block, graph.location());
        let mut own = block.arguments();
        let stream = own.next()?;
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
            stream,
            stored,
        })
    }

    /// Launches a kernel.
    fn launch(&mut self, call: Call<'a>, cost: Option<u64>) -> Option<()> {
        let op = call.op();
        self.builder.set_location(op.location());
        let (mut buffers, mut values) = (Vec::new(), Vec::new());
        let mut positions = Vec::new();
        for (position, operand) in op.operands().enumerate() {
            let stored = self.stored.get(&operand)?;
            buffers.push(stored.buffer);
            values.push(stored.value?);
            positions.push(i32::try_from(position).ok()?);
        }
        let mut modes = vec![READ; buffers.len()];
        for result in op.results() {
            let stored = match self.stored.get(&result) {
                Some(stored) => *stored,
                None => {
                    let ty = buffer(result.ty(), op)?;
                    let alloc = Alloc::build(&mut self.builder, ty, Some(self.stream));
                    let stored = Stored {
                        buffer: alloc.buffer(),
                        value: None,
                        is_allocated: true,
                    };
                    self.stored.insert(result, stored);
                    stored
                }
            };
            buffers.push(stored.buffer);
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

    /// Frees the bytes of a tensor after its last use, unless they are those of the caller.
    fn free(&mut self, tensor: Value<'a>) {
        if let Some(stored) = self
            .stored
            .get(&tensor)
            .filter(|stored| stored.is_allocated)
        {
            Free::build(&mut self.builder, stored.buffer, Some(self.stream));
        }
    }
}

/// Returns the type of the bytes of a tensor, an operand or result of `op`.
fn buffer<'a>(ty: Type<'a>, op: Op<'a>) -> Option<Type<'a>> {
    let text = format!("!tfx_stream.buffer<{}, host>", bytes(ty)?);
    Type::parse(op.context(), &text)
}
