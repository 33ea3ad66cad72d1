//! `tfx-offload`: lets a device run the operations of graphs that are faster there.
//!
//! ```text
//!   %a = MatMul(%x, %w)          %a = MatMul(%x, %w)                   on cuda
//!   %b = Tanh(%a)                %b = Tanh(%a)                         on cuda
//!   send %b to 0          ──►    %c = copy %b from <cuda> to <cpu>
//!                                send %c to 0
//! ```
//!
//! Operations of a block that `tfx-find-device-code` has marked may be on the device, and so may
//! loops and branches of such operations, which become those of a schedule. Each has an estimated
//! time at both sides (`times.rs`), and so has each copy between them. [`tfx_order::offload()`]
//! finds the division with the least sum; it is used if it saves enough. What remains at the host
//! and has regions is searched inside, except for conditions of loops. The host reads the condition
//! of a branch on the device. Copies state the result, and `tfx-place` finds the places from them.
//!
//! A graph in which the program has copies is left as it is: the program decides about its places.
//! So is one with schedules. The host has arguments, results, and what other blocks compute.
//! Constants and small values of them are computed at both sides.
//!
//! Source: H. S. Stone, "Multiprocessor scheduling with the aid of network flow algorithms", 1977.
//!
//! Cost: linear in the IR, and a maximum flow for each block.
//!
//! Not guaranteed: the shortest time. The times are estimates, those of a host with one core and a
//! device that do not run at the same time. An inner block is divided if the outer one leaves it at
//! the host, even if both together had a better division. There is one device.

use std::collections::{HashMap, HashSet};

use melior::dialect::DialectRegistry;
use melior::ir::Attribute;
use tfx_dialects::comm::Copy;
use tfx_dialects::launches::HAS_CODE;
use tfx_dialects::schedules::{Device, KERNEL, SCHEDULE};
use tfx_dialects::tensor;
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::clusters::Analysis;
use tfx_ir::diag;
use tfx_ir::options::{Expected, OptionValue};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Block, Builder, Op, Region, Use, Value};
use tfx_order::{Division, Movable, Moved};

use crate::bufferize_streams::{Streams, bytes, is_branch, is_loop, known_trips};
use crate::places::{everywhere, with_copies};
use crate::times::{DEVICE, HOST, Rates, Times};

tfx_ir::options! {
    /// The options of `tfx-offload`. The copies are those of pageable memory.
    pub struct OffloadOptions {
        /// The device that runs operations for the host: none, cuda, cuda:1, ...
        device: OffloadTo = OffloadTo(None),
        /// Let the device run each operation that it has code for, whatever the estimates.
        all: bool = false,
        /// The time in nanoseconds that an execution of a block must be able to save.
        gain: u64 = 20000,
        /// The time of a launch in nanoseconds.
        launch: u64 = 5000,
        /// The time of a copy of few bytes in nanoseconds, with the wait for it.
        copy: u64 = 15000,
        /// The bandwidth of copies in bytes per nanosecond.
        link: u64 = 6,
        /// The floating-point operations of the device in a nanosecond.
        flops: u64 = DEVICE.flops,
        /// The functions of the device in a nanosecond, such as exponentials.
        functions: u64 = DEVICE.functions,
        /// The bandwidth of the device's memory in bytes per nanosecond.
        memory: u64 = DEVICE.bytes,
        /// Report each division, with the times that are estimated.
        explain: bool = false,
    }
}

/// A device that runs operations for the host, if there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffloadTo(pub Option<Device>);

/// The text for no device.
const NONE: &str = "none";

impl OptionValue for OffloadTo {
    fn parse(text: &str) -> Result<Self, Expected> {
        match text.parse() {
            Ok(device @ Device::Cuda(_)) => Ok(Self(Some(device))),
            _ if text == NONE => Ok(Self(None)),
            _ => Err(Expected::new(
                "none, or a CUDA device, such as cuda or cuda:1",
            )),
        }
    }

    fn print(&self) -> String {
        self.0.map_or(NONE.to_owned(), |device| device.to_string())
    }
}

const OFFLOADED: Statistic = Statistic::new("offloaded", "Operations that the device runs");
const COPIES: Statistic = Statistic::new("copies", "Copies between host and device");

/// The pass `tfx-offload`.
#[derive(Debug, Default)]
pub struct Offload;

impl Pass for Offload {
    type Options = OffloadOptions;
    const NAME: &'static str = "TfxOffload";
    const ARGUMENT: &'static str = "tfx-offload";
    const DESCRIPTION: &'static str = "Let a device run the operations that are faster there";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[OFFLOADED, COPIES];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, OffloadOptions>) -> PassResult {
        let Some(device) = cx.options().device.0 else {
            return Ok(());
        };
        let context = cx.context();
        let place =
            |device: Device| Attribute::parse(context, &format!("#tfx_comm.place<{device}>"));
        let places = place(Device::Cpu(0)).zip(place(device));
        let (host, there) = places.ok_or_else(|| cx.internal_error("a place is not read"))?;
        let spread = with_copies(module);
        let analysis = Analysis::of_module::<Streams>(module, &HashMap::new());
        let search = Search::new(&analysis, cx.options().clone());
        // The graphs that operations on the device call.
        let mut taken = HashSet::new();
        for graph in analysis.callers_first() {
            let is_left = spread.contains(&graph) || taken.contains(&graph);
            if is_left || has_schedules(graph, &analysis) {
                continue;
            }
            let captures = Captures::of_graph(graph);
            let mut blocks: Vec<Block<'a>> = graph.regions().flat_map(Region::blocks).collect();
            while let Some(block) = blocks.pop() {
                let problem = Problem::new(block, &captures, &search);
                let division = problem.solve(cx.options());
                let division = division.as_ref();
                let others = block
                    .ops()
                    .filter(|op| !problem.is_on_device(division, *op));
                blocks.extend(others.flat_map(inner_blocks));
                let moved = block.ops().filter(|op| problem.is_on_device(division, *op));
                let moved: Vec<Op<'a>> = moved.collect();
                if moved.is_empty() {
                    continue;
                }
                take_callees(&moved, &analysis, &mut taken);
                cx.count(OFFLOADED, moved.len() as u64);
                cx.count(COPIES, problem.insert_copies(division, [host, there]));
                if cx.options().explain {
                    problem.explain(division, device);
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a graph, or a part of it, has a schedule already.
fn has_schedules<'a>(graph: Op<'a>, analysis: &Analysis<'a>) -> bool {
    let callees = graph.walk().filter_map(|op| analysis.callee(op));
    let mut graphs = callees.chain([graph]);
    graphs.any(|graph| {
        [SCHEDULE, KERNEL]
            .iter()
            .any(|name| graph.attribute(name).is_some())
    })
}

/// Returns the blocks inside of an operation that may be divided.
fn inner_blocks(op: Op<'_>) -> impl Iterator<Item = Block<'_>> {
    let conditions = usize::from(op.isa::<tensor::While>());
    op.regions().skip(conditions).flat_map(Region::blocks)
}

/// Adds the graphs that operations call, and those that these call.
fn take_callees<'a>(ops: &[Op<'a>], analysis: &Analysis<'a>, taken: &mut HashSet<Op<'a>>) {
    let mut pending = ops.to_vec();
    while let Some(op) = pending.pop() {
        let callees = op.walk().filter_map(|inside| analysis.callee(inside));
        for callee in callees.collect::<Vec<_>>() {
            if taken.insert(callee) {
                pending.push(callee);
            }
        }
    }
}

/// The operations that the device can run, and the times of all.
struct Search<'a> {
    options: OffloadOptions,
    at_host: Times<'a>,
    on_device: Times<'a>,
    has_code: HashSet<Op<'a>>,
}

impl<'a> Search<'a> {
    fn new(analysis: &Analysis<'a>, options: OffloadOptions) -> Self {
        let rates = Rates {
            flops: options.flops,
            functions: options.functions,
            bytes: options.memory,
            launch: options.launch,
        };
        let mut has_code = HashSet::new();
        for op in analysis.callers_first().flat_map(|graph| graph.walk_post()) {
            let has_inside = |skipped: usize| {
                let blocks = op.regions().skip(skipped).flat_map(Region::blocks);
                let mut inside = blocks.flat_map(|block| block.ops());
                inside.all(|op| has_code.contains(&op))
            };
            let has = if let Some(repeated) = tensor::While::cast(op) {
                // A known number of iterations needs no condition.
                is_loop(repeated) && has_inside(usize::from(known_trips(repeated).is_some()))
            } else if let Some(branch) = tensor::If::cast(op) {
                is_branch(branch) && has_inside(0)
            } else if op.isa::<tensor::Const>() || op.is_terminator() {
                true
            } else {
                op.num_regions() == 0 && op.attribute(HAS_CODE).is_some()
            };
            if has && (op.is_terminator() || analysis.compiles(op)) {
                has_code.insert(op);
            }
        }
        Self {
            options,
            at_host: Times::of_module(analysis, HOST),
            on_device: Times::of_module(analysis, rates),
            has_code,
        }
    }

    /// Returns the operations of a block that both sides have, where they use the results:
    /// constants, and small values of them that the device has code for. If the device runs all
    /// that it can, it runs each of these once.
    fn free(&self, block: Block<'a>) -> HashSet<Op<'a>> {
        // No block inside has copies: it is divided later.
        let (everywhere, _) = everywhere(block, &HashSet::new());
        let mut free = HashSet::new();
        for op in block.ops().filter(|op| everywhere.contains(op)) {
            let producers = op.operands().filter_map(Value::defining_op);
            let mut here = producers.filter(|producer| producer.block() == Some(block));
            let is_repeated = !self.options.all
                && self.has_code.contains(&op)
                && here.all(|op| free.contains(&op));
            if op.isa::<tensor::Const>() || (is_repeated && !op.is_terminator()) {
                free.insert(op);
            }
        }
        free
    }

    /// Returns the times of an operation.
    fn movable(&self, op: Op<'a>) -> Movable {
        let can_move = self.has_code.contains(&op);
        let (host, device) = match self.options.all {
            true => (1, 0),
            false => (self.at_host.of(op), self.on_device.of(op)),
        };
        Movable {
            host,
            device: can_move.then_some(device),
        }
    }

    /// Returns the time of a copy.
    fn copy(&self, tensor: Value<'a>) -> u64 {
        let bytes = bytes(tensor.ty()).unwrap_or(0);
        match self.options.all {
            true => 0,
            false => self.options.copy + bytes / self.options.link.max(1),
        }
    }
}

/// The operations of a block that are at one of both sides, and the tensors between them.
struct Problem<'a> {
    block: Block<'a>,
    ops: Vec<Op<'a>>,
    numbers: HashMap<Op<'a>, usize>,
    movable: Vec<Movable>,
    tensors: Vec<Value<'a>>,
    moved: Vec<Moved>,
}

impl<'a> Problem<'a> {
    fn new(block: Block<'a>, captures: &Captures<'a>, search: &Search<'a>) -> Self {
        let free = search.free(block);
        let others = block
            .ops()
            .filter(|op| !free.contains(op) && !op.is_terminator());
        let ops: Vec<Op<'a>> = others.collect();
        let numbers = ops.iter().enumerate();
        let mut problem = Self {
            block,
            numbers: numbers.map(|(number, op)| (*op, number)).collect(),
            movable: ops.iter().map(|op| search.movable(*op)).collect(),
            ops,
            tensors: Vec::new(),
            moved: Vec::new(),
        };
        let mut indices: HashMap<Value<'a>, usize> = HashMap::new();
        for user in block.ops() {
            let captured = captures.values(user).iter().map(|value| (*value, false));
            let is_condition = user.isa::<tensor::If>();
            let operands = user.operands().map(|operand| (operand, is_condition));
            for (tensor, is_condition) in operands.chain(captured) {
                let producer = tensor.defining_op();
                let is_free = |op: Op<'a>| free.contains(&op) || op.isa::<tensor::Const>();
                if free.contains(&user) || producer.is_some_and(is_free) {
                    continue;
                }
                let index = *indices.entry(tensor).or_insert_with(|| {
                    let number = producer.and_then(|op| problem.numbers.get(&op).copied());
                    problem.tensors.push(tensor);
                    problem.moved.push(Moved {
                        producer: number,
                        copy: search.copy(tensor),
                        ..Moved::default()
                    });
                    problem.moved.len() - 1
                });
                let moved = &mut problem.moved[index];
                match problem.numbers.get(&user) {
                    Some(_) if is_condition => moved.is_used_by_host = true,
                    Some(number) if moved.users.last() != Some(number) => moved.users.push(*number),
                    Some(_) => {}
                    None => moved.is_used_by_host |= user.is_terminator(),
                }
            }
        }
        problem
    }

    /// Returns the best division, if it saves enough.
    fn solve(&self, options: &OffloadOptions) -> Option<Division> {
        if self.movable.iter().all(|op| op.device.is_none()) {
            return None;
        }
        let division = tfx_order::offload(&self.movable, &self.moved);
        if division.is_none() {
            let message = "this stays at the host: it has too many operations to divide";
            diag::warning(self.block.parent()?.location(), message).emit();
        }
        let gain = if options.all { 0 } else { options.gain };
        let is_faster = |it: &Division| it.time.saturating_add(gain) <= self.time_at_host();
        division.filter(|it| it.is_on_device.contains(&true) && is_faster(it))
    }

    /// Returns the time without the device.
    fn time_at_host(&self) -> u64 {
        let times = self.movable.iter().map(|op| op.host);
        times.fold(0, u64::saturating_add)
    }

    fn is_on_device(&self, division: Option<&Division>, op: Op<'a>) -> bool {
        let number = self.numbers.get(&op);
        division
            .zip(number)
            .is_some_and(|(division, number)| division.is_on_device[*number])
    }

    /// Copies each tensor to the other side, if that uses it. `places` are the host and the device.
    /// Returns the number of copies.
    fn insert_copies(&self, division: Option<&Division>, places: [Attribute<'a>; 2]) -> u64 {
        let mut copies = 0;
        let first = self.block.ops().next();
        for (tensor, moved) in self.tensors.iter().zip(&self.moved) {
            let producer = moved.producer.map(|number| self.ops[number]);
            let here = producer.is_some_and(|producer| self.is_on_device(division, producer));
            // What is free uses the tensor at the place of its own user.
            let is_there = |found: Use<'a>| {
                let user = found.owner;
                // The host reads the condition of a branch of the device.
                let is_read = user.isa::<tensor::If>() && found.operand == 0;
                if is_read && self.is_on_device(division, user) {
                    return false;
                }
                let mut outer = std::iter::once(user).chain(user.ancestors());
                let user = outer.find(|outer| outer.block() == Some(self.block));
                let user =
                    user.filter(|user| user.is_terminator() || self.numbers.contains_key(user));
                user.is_some_and(|user| self.is_on_device(division, user) != here)
            };
            if !tensor.uses().any(is_there) {
                continue;
            }
            let [from, to] = [here, !here].map(|side| places[usize::from(side)]);
            let mut builder = match (producer, first) {
                (Some(producer), _) => Builder::after(producer).at(producer.location()),
                (None, Some(first)) => Builder::before(first).at(tensor.location()),
                (None, None) => continue,
            };
            let copy = Copy::build(&mut builder, *tensor, from, to);
            let copied = |found: Use<'a>| found.owner != copy.op() && is_there(found);
            tensor.replace_uses_if(copy.result(), copied);
            copies += 1;
        }
        copies
    }

    fn explain(&self, division: Option<&Division>, device: Device) {
        let (Some(division), Some(parent)) = (division, self.block.parent()) else {
            return;
        };
        let count = division.is_on_device.iter().filter(|there| **there).count();
        let [time, copies, host] =
            [division.time, division.copies, self.time_at_host()].map(|time| time as f64 / 1000.0);
        let message = format!(
            "{device} runs {count} of {} operations: {time:.1} us expected, copies take {copies:.1} \
             us of it; {host:.1} us at the host",
            self.ops.len()
        );
        diag::remark(parent.location(), message).emit();
    }
}
