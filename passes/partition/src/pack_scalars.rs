//! `tfx-pack-scalars`: combines scalars that the host sends together, or waits for together, into
//! one message.
//!
//! ```text
//!   host                    graph                        host                              graph
//!   send %a to 0            %a = recv from 0             %t = from_elements %a, %b         %t = recv from 0
//!   %b = addi %a, %a        op "Exp"                ──►  send %t to 0                      %a, %b = "Unpack"(%t)
//!   send %b to 1            %b = recv from 1                                               op "Exp"
//! ```
//!
//! A message costs as much for one scalar as for many. The pass runs after copy analysis, which
//! reports each value by itself, and `tfx-verify-protocol` verifies its result.
//!
//! The host alone decides which scalars are packed, since it waits in the order of its program:
//! transfers of one direction in one block, with only scalar operations between them that take
//! negligible time and have no observable effect. Then
//!
//! * no side waits longer: all scalars that the host sends are available when it sends the first;
//!   it would wait for all that it receives before it does anything else;
//! * no cycle of waits can arise: if the host sends, the message is received at the graph's first
//!   receive, and the host does not wait before it has sent the last; if the host receives, the
//!   message is sent at the graph's last send, and the host sends nothing before it has received
//!   that one.
//!
//! The elements of a message have one type, so there is one message for each type; `index` is sent
//! as `i64`, and a tensor of rank 0 as its scalar. A graph that is started in several places keeps
//! its messages, as does a channel that is used in several places. Linear.

use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::attribute::ArrayAttribute;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, TypeLike};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::channels::Channel;
use tfx_dialects::replicable::replicable;
use tfx_dialects::transfer::{EXPLICIT, Transfer};
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::tensor as builtin_tensor;
use tfx_ir::ops::{arith, func};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

/// The pass; the module describes the algorithm.
#[derive(Debug, Default)]
pub struct PackScalars;

const SAVED: Statistic = Statistic::new("saved-channels", "Channels saved by combining scalars");

/// The certificate that `tfx-verify-protocol` leaves on a graph.
const PROTOCOL: &str = "tfx_comm.protocol";

impl Pass for PackScalars {
    type Options = ();
    const NAME: &'static str = "TfxPackScalars";
    const ARGUMENT: &'static str = "tfx-pack-scalars";
    const DESCRIPTION: &'static str =
        "Combine scalars that are sent or received together into one message";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[SAVED];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [DialectHandle::arith(), DialectHandle::tensor()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        let symbols = SymbolTable::new(module);
        let functions = symbols.ops().filter(|op| op.isa::<func::Func>());
        let mut starts = Vec::new();
        let mut times: FxHashMap<tensor::Graph<'a>, usize> = FxHashMap::default();
        for start in functions.flat_map(Op::walk).filter_map(comm::Start::cast) {
            if let Some(graph) = symbols.get(start.graph()).and_then(tensor::Graph::cast) {
                starts.push((start, graph));
                *times.entry(graph).or_default() += 1;
            }
        }
        for (start, graph) in starts.into_iter().filter(|(_, graph)| times[graph] == 1) {
            let packs = packs(start, graph);
            let saved: usize = packs.iter().map(|pack| pack.members.len() - 1).sum();
            cx.count(SAVED, saved as u64);
            packs.iter().for_each(Pack::write);
            declare(graph, &packs);
        }
        Ok(())
    }
}

/// A channel with one transfer on each side.
#[derive(Clone, Copy)]
struct Member<'a> {
    channel: u32,
    host: Transfer<'a>,
    graph: Transfer<'a>,
    /// The type of the scalar.
    scalar: Type<'a>,
}

/// Transfers that become one message, in the order of the host.
struct Pack<'a> {
    to_graph: bool,
    element: Type<'a>,
    /// The graph's block of all of them.
    block: Option<Block<'a>>,
    members: Vec<Member<'a>>,
}

/// Returns the packs of a program.
fn packs<'a>(start: comm::Start<'a>, graph: tensor::Graph<'a>) -> Vec<Pack<'a>> {
    let in_graph = by_channel(graph.walk().filter_map(Transfer::cast));
    let uses = start.program().uses().map(|found| found.owner);
    let on_host: Vec<Transfer<'a>> = uses.filter_map(Transfer::cast).collect();
    let once = by_channel(on_host.iter().copied());
    let member = |op: Op<'a>| {
        let transfer = Transfer::cast(op)?;
        let channel = transfer.channel();
        let host = once.get(&channel).copied().flatten()?;
        let graph = in_graph.get(&channel).copied().flatten()?;
        let scalar = scalar_in(transfer.value().ty())?;
        let meet = host == transfer && host.is_send() != graph.is_send();
        meet.then_some(Member {
            channel,
            host,
            graph,
            scalar,
        })
    };
    let mut seen = FxHashSet::default();
    let blocks = on_host.iter().filter_map(|transfer| transfer.op().block());
    let blocks = blocks.filter(|&block| seen.insert(block));
    let mut packs = Vec::new();
    for block in blocks {
        let mut run = Vec::new();
        for op in block.ops() {
            match member(op) {
                Some(member) => join(&mut run, &mut packs, member),
                None if is_scalar_work(op) => {}
                None => packs.append(&mut run),
            }
        }
        packs.append(&mut run);
    }
    packs.retain(|pack| pack.members.len() > 1);
    packs
}

/// Adds a transfer to those right before it, which are complete if their direction differs.
fn join<'a>(run: &mut Vec<Pack<'a>>, done: &mut Vec<Pack<'a>>, transfer: Member<'a>) {
    let to_graph = transfer.host.is_send();
    if run.first().is_some_and(|pack| pack.to_graph != to_graph) {
        done.append(run);
    }
    let (element, block) = (element_of(&transfer), transfer.graph.op().block());
    let known = run
        .iter_mut()
        .find(|pack| pack.element == element && pack.block == block);
    match known {
        Some(pack) => pack.members.push(transfer),
        None => run.push(Pack {
            to_graph,
            element,
            block,
            members: vec![transfer],
        }),
    }
}

/// Returns whether an operation takes negligible time and has no observable effect.
fn is_scalar_work(op: Op<'_>) -> bool {
    replicable(op) || matches!(op.dialect(), "arith" | "math") && op.is_pure()
}

/// Returns the transfer of each channel; none for a channel that has several.
fn by_channel<'a>(
    transfers: impl Iterator<Item = Transfer<'a>>,
) -> FxHashMap<u32, Option<Transfer<'a>>> {
    let mut places = FxHashMap::default();
    for transfer in transfers {
        let place = places.entry(transfer.channel());
        place
            .and_modify(|known| *known = None)
            .or_insert(Some(transfer));
    }
    places
}

/// Returns the scalar type of a type or of a tensor of rank 0, if the host has scalars of it.
fn scalar_in(ty: Type<'_>) -> Option<Type<'_>> {
    let scalar = match RankedTensorType::try_from(ty) {
        Ok(tensor) if tensor.rank() == 0 => tensor.element(),
        Ok(_) => return None,
        Err(_) => ty,
    };
    let integer = IntegerType::try_from(scalar).ok();
    let is_integer = integer.is_some_and(|integer| {
        integer.is_signless() && [1, 8, 16, 32, 64].contains(&integer.width())
    });
    (is_integer || scalar.is_f32() || scalar.is_f64() || scalar.is_index()).then_some(scalar)
}

/// Returns the type of an element that holds the message of a transfer.
fn element_of<'a>(transfer: &Member<'a>) -> Type<'a> {
    /// The width of `index` in a graph.
    const INDEX_BITS: u32 = 64;
    match transfer.scalar.is_index() {
        true => IntegerType::new(transfer.host.op().context(), INDEX_BITS).into(),
        false => transfer.scalar,
    }
}

impl<'a> Pack<'a> {
    fn channel(&self) -> u32 {
        self.members[0].channel
    }

    fn ty(&self) -> Type<'a> {
        RankedTensorType::new(&[self.members.len() as u64], self.element, None).into()
    }

    fn write(&self) {
        let graph_ops = self.members.iter().map(|member| member.graph.op());
        if self.to_graph {
            self.send_on_host(self.members[self.members.len() - 1].host);
            let first =
                graph_ops.reduce(|one, other| if other.is_before(one) { other } else { one });
            self.receive_in_graph(first.expect("a pack has members"));
        } else {
            self.receive_on_host(self.members[0].host);
            let last =
                graph_ops.reduce(|one, other| if one.is_before(other) { other } else { one });
            self.send_in_graph(last.expect("a pack has members"));
        }
        for &Member { host, graph, .. } in &self.members {
            let sent = host.is_send().then(|| host.value());
            host.op().erase();
            graph.op().erase();
            // The message holds the scalar itself, so a tensor of the scalar may have no use left.
            let tensor = sent.and_then(Value::defining_op);
            let tensor = tensor.filter(|op| op.isa::<tensor::FromScalar>() && op.is_unused());
            tensor.into_iter().for_each(Op::erase);
        }
    }

    fn send_on_host(&self, last: Transfer<'a>) {
        let mut builder = Builder::before(last.op());
        let elements: Vec<Value<'a>> = self
            .members
            .iter()
            .map(|member| {
                let scalar = to_scalar(&mut builder, member.host.value(), member.scalar);
                cast(&mut builder, scalar, self.element)
            })
            .collect();
        let message = builtin_tensor::FromElements::build(&mut builder, self.ty(), &elements);
        self.send(&mut builder, message.result(), last.program());
    }

    fn receive_on_host(&self, first: Transfer<'a>) {
        let mut builder = Builder::before(first.op());
        let message = self.receive(&mut builder, first.program());
        let index = Type::index(builder.context());
        for (place, member) in self.members.iter().enumerate() {
            let place = builder.constant_int(place as i64, index);
            let element = builtin_tensor::Extract::build(&mut builder, message, &[place]).result();
            let scalar = cast(&mut builder, element, member.scalar);
            let received = member.host.value();
            let value = from_scalar(&mut builder, scalar, received.ty());
            received.replace_all_uses_with(value);
        }
    }

    fn send_in_graph(&self, last: Op<'a>) {
        let mut builder = Builder::before(last);
        let tensors: Vec<Value<'a>> = self
            .members
            .iter()
            .map(|member| {
                let scalar = to_scalar(&mut builder, member.graph.value(), member.scalar);
                from_scalar(&mut builder, scalar, self.element_tensor())
            })
            .collect();
        let message = tensor::Op::build(&mut builder, &[self.ty()], "Pack", &tensors);
        self.send(&mut builder, message.result(0), None);
    }

    fn receive_in_graph(&self, first: Op<'a>) {
        let mut builder = Builder::before(first);
        let message = self.receive(&mut builder, None);
        let tensors = vec![self.element_tensor(); self.members.len()];
        let unpacked = tensor::Op::build(&mut builder, &tensors, "Unpack", &[message]);
        for (tensor, member) in unpacked.results().zip(&self.members) {
            let received = member.graph.value();
            let value = to_scalar(&mut builder, tensor, received.ty());
            received.replace_all_uses_with(value);
        }
    }

    fn element_tensor(&self) -> Type<'a> {
        RankedTensorType::new(&[], self.element, None).into()
    }

    fn send(&self, builder: &mut Builder<'a>, message: Value<'a>, program: Option<Value<'a>>) {
        let send = comm::Send::build(builder, message, program, self.channel());
        self.mark(send.into());
    }

    fn receive(&self, builder: &mut Builder<'a>, program: Option<Value<'a>>) -> Value<'a> {
        let recv = comm::Recv::build(builder, self.ty(), program, self.channel());
        self.mark(recv.into());
        recv.value()
    }

    /// Marks the transfer as intentional if the transfer of each scalar is.
    fn mark(&self, transfer: Op<'a>) {
        let is_explicit = |member: &Member<'a>| member.host.op().attribute(EXPLICIT).is_some();
        if self.members.iter().all(is_explicit) {
            transfer.set_attribute(EXPLICIT, Attribute::unit(transfer.context()));
        }
    }
}

/// Returns the scalar of a tensor; a scalar is returned unchanged.
fn to_scalar<'a>(builder: &mut Builder<'a>, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
    match value.defining_op().and_then(tensor::FromScalar::cast) {
        Some(made) if made.scalar().ty() == ty => made.scalar(),
        _ => as_type(builder, tensor::ToScalar::NAME, value, ty),
    }
}

/// Puts a scalar into a tensor, if the type is one.
fn from_scalar<'a>(builder: &mut Builder<'a>, scalar: Value<'a>, ty: Type<'a>) -> Value<'a> {
    as_type(builder, tensor::FromScalar::NAME, scalar, ty)
}

/// Converts between `index` and its type in a graph.
fn cast<'a>(builder: &mut Builder<'a>, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
    as_type(builder, arith::IndexCast::NAME, value, ty)
}

/// Converts a value to another type; a value of that type is returned unchanged.
fn as_type<'a>(
    builder: &mut Builder<'a>,
    operation: &str,
    value: Value<'a>,
    ty: Type<'a>,
) -> Value<'a> {
    if value.ty() == ty {
        return value;
    }
    builder.op(operation).operand(value).result(ty).value()
}

/// Declares the remaining channels. The old capacities and the certificate belong to other
/// messages.
fn declare<'a>(graph: tensor::Graph<'a>, packs: &[Pack<'a>]) {
    let channels = graph.channels().filter(|_| !packs.is_empty());
    let Some(known) = channels.and_then(Channel::all) else {
        return;
    };
    let packed: FxHashMap<u32, &Pack<'a>> = packs
        .iter()
        .flat_map(|pack| {
            pack.members
                .iter()
                .map(move |member| (member.channel, pack))
        })
        .collect();
    let channels: Vec<Attribute<'a>> = known
        .into_iter()
        .filter_map(|channel| {
            let Some(pack) = packed.get(&channel.id) else {
                return Some(channel.attribute());
            };
            let message = Channel {
                ty: pack.ty(),
                capacity: 0,
                ..channel
            };
            (pack.channel() == channel.id).then(|| message.attribute())
        })
        .collect();
    graph.set_channels(Some(ArrayAttribute::new(graph.context(), &channels).into()));
    graph.remove_attribute(PROTOCOL);
}
