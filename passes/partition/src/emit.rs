//! Writes one side: the operations that it runs, the control flow around them, and its end of each
//! transfer.
//!
//! ```text
//!   the source, in program order          the side
//!   ─ crossings before the operation ──►  send or recv
//!   ─ plain operation ─────────────────►  it or its copy, if the side runs it
//!   ─ region operation ────────────────►  a new one with the slots that the side keeps; its regions are written next
//!   ─ scf.if that the graph bypasses ──►  the operations of the one arm, right here
//! ```
//!
//! Both sides follow the source in the same order, which makes their sends and receives correspond.
//! The source is left unchanged, except that plain operations of only one side are moved, not
//! cloned. [`crate::emit_host`] and [`crate::emit_graph`] write the functions around. Linear; the
//! stack of regions is explicit.

use melior::ir::{Attribute, Location, Type};
use tfx_dialects::transfer::EXPLICIT;
use tfx_dialects::{comm, host};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::demand::Demand;
use crate::facts::Bypass;
use crate::function::{BODY, FOR_BOUNDS, Function, Kind, OpId, RegionId, ValueId};
use crate::place::{Crossing, Plan};
use crate::read::Source;
use crate::side::Side;

/// The input of both writers.
#[derive(Clone, Copy)]
pub(crate) struct Sliced<'p, 'f, 'a> {
    pub(crate) source: &'p Source<'a>,
    pub(crate) demand: &'p Demand<'f>,
    pub(crate) plan: &'p Plan,
    /// The numbers of the channels. Both sides write the same attribute: with 100,000 channels, a
    /// lookup in MLIR's tables costs as much as the operation.
    pub(crate) numbers: &'p [Attribute<'a>],
}

/// The differences between the sides beyond their operations.
pub(crate) trait Ends<'a> {
    /// Called before the operation at `index` of the body.
    fn before_body_op(
        &mut self,
        _writer: &mut Writer<'_, '_, 'a>,
        _index: usize,
        _block: Block<'a>,
    ) {
    }
    /// Called before an abort.
    fn before_abort(
        &mut self,
        _writer: &mut Writer<'_, '_, 'a>,
        _block: Block<'a>,
        _location: Location<'a>,
    ) {
    }
    /// Writes the end of the body.
    fn end(&mut self, writer: &mut Writer<'_, '_, 'a>, end: OpId, block: Block<'a>);
}

/// The writer of one side.
pub(crate) struct Writer<'p, 'f, 'a> {
    pub(crate) sliced: Sliced<'p, 'f, 'a>,
    side: Side,
    /// Maps values of the source to those of this side.
    mapping: Mapping<'a>,
    /// The running program, on the host's side.
    pub(crate) program: Option<Value<'a>>,
    stack: Vec<Frame<'a>>,
}

/// A region that is being written to the end of a block.
#[derive(Clone, Copy)]
struct Frame<'a> {
    region: RegionId,
    block: Block<'a>,
    next: usize,
    /// The region operation of which this is the only arm and which is not written itself.
    bypassed: Option<OpId>,
}

impl<'p, 'f, 'a> Writer<'p, 'f, 'a> {
    pub(crate) fn new(sliced: Sliced<'p, 'f, 'a>, side: Side) -> Self {
        Writer {
            sliced,
            side,
            mapping: Mapping::new(),
            program: None,
            stack: Vec::new(),
        }
    }

    /// Writes the whole body to the end of `block`.
    pub(crate) fn write(&mut self, block: Block<'a>, ends: &mut impl Ends<'a>) {
        self.push(BODY, block);
        while let Some(frame) = self.stack.pop() {
            let op = self.function()[frame.region].ops[frame.next];
            if frame.region == BODY {
                ends.before_body_op(self, frame.next, frame.block);
            }
            self.crossings_before(op, frame.block);
            if self.function()[op].kind == Kind::End {
                match frame.bypassed {
                    Some(owner) => self.end_bypass(owner, op),
                    None if frame.region == BODY => ends.end(self, op, frame.block),
                    None => self.end(op, frame.block),
                }
                continue;
            }
            self.stack.push(Frame {
                next: frame.next + 1,
                ..frame
            });
            if self.sliced.demand.is_present(self.side, op) {
                if self.function()[op].kind == Kind::Abort {
                    ends.before_abort(self, frame.block, self.op(op).location());
                }
                self.present(op, frame.block);
            }
        }
    }

    /// Maps a value to `to`, this side's value.
    pub(crate) fn map(&mut self, value: ValueId, to: Value<'a>) {
        self.mapping
            .map(self.sliced.source.values[value.index()], to);
        let aliases = self.sliced.source.aliases.get(&value);
        for &alias in aliases.into_iter().flatten() {
            self.mapping.map(alias, to);
        }
    }

    /// Returns this side's value for a value of the source.
    pub(crate) fn get(&self, value: ValueId) -> Value<'a> {
        let from = self.sliced.source.values[value.index()];
        let to = self.mapping.get(from);
        to.unwrap_or_else(|| panic!("the {:?} side has no value for {from:?}", self.side))
    }

    pub(crate) fn get_all(&self, values: &[ValueId]) -> Vec<Value<'a>> {
        values.iter().map(|&value| self.get(value)).collect()
    }

    pub(crate) fn types(&self, values: &[ValueId]) -> Vec<Type<'a>> {
        values.iter().map(|&value| self.ty(value)).collect()
    }

    /// Returns the type of a value.
    pub(crate) fn ty(&self, value: ValueId) -> Type<'a> {
        self.sliced.source.values[value.index()].ty()
    }

    /// Returns the source location of a value.
    pub(crate) fn location(&self, value: ValueId) -> Location<'a> {
        self.sliced.source.values[value.index()].location()
    }

    /// Returns the operation of the source.
    pub(crate) fn op(&self, op: OpId) -> Op<'a> {
        self.sliced.source.ops[op.index()]
    }

    pub(crate) fn function(&self) -> &'p Function {
        &self.sliced.source.function
    }

    fn push(&mut self, region: RegionId, block: Block<'a>) {
        self.stack.push(Frame {
            region,
            block,
            next: 0,
            bypassed: None,
        });
    }

    fn crossings_before(&mut self, op: OpId, block: Block<'a>) {
        let all = &self.sliced.plan.crossings;
        let first = all.partition_point(|crossing| crossing.before < op);
        for (channel, crossing) in (first..)
            .zip(&all[first..])
            .take_while(|(_, crossing)| crossing.before == op)
        {
            self.crossing(channel, crossing, block);
        }
    }

    fn crossing(&mut self, channel: usize, crossing: &Crossing, block: Block<'a>) {
        let mut builder = Builder::at_end(block, self.location(crossing.value));
        let number = self.sliced.numbers[channel];
        let op = if crossing.receiver == self.side {
            let recv = builder
                .op(comm::Recv::NAME)
                .result(self.ty(crossing.value))
                .operands(self.program.as_slice())
                .attribute(comm::Recv::CHANNEL_ATTR, number)
                .build();
            self.map(crossing.value, recv.result(0));
            recv
        } else {
            let value = self.get(crossing.value);
            builder
                .op(comm::Send::NAME)
                .operand(value)
                .operands(self.program.as_slice())
                .attribute(comm::Send::CHANNEL_ATTR, number)
                .build()
        };
        if crossing.explicit {
            op.set_attribute(EXPLICIT, Attribute::unit(builder.context()));
        }
    }

    fn present(&mut self, op: OpId, block: Block<'a>) {
        let data = &self.function()[op];
        if !data.kind.has_regions() {
            self.copy(op, block);
            return;
        }
        match self.sliced.demand.bypass(self.side, op) {
            Some(Bypass::Into(arm)) => self.stack.push(Frame {
                region: arm,
                block,
                next: 0,
                bypassed: Some(op),
            }),
            Some(Bypass::Over) => {
                for index in self.sliced.demand.kept_results(self.side, op) {
                    let result = data.results[index];
                    let mut builder = Builder::at_end(block, self.location(result));
                    let undef = host::Undef::build(&mut builder, self.ty(result)).result();
                    self.map(result, undef);
                }
            }
            None => self.region_op(op, block),
        }
    }

    /// Adds a plain operation to this side: the operation itself if the other side has none, which
    /// is cheaper than a clone.
    fn copy(&mut self, op: OpId, block: Block<'a>) {
        let data = &self.function()[op];
        // An operand without a value on this side would remain a value of the source in the clone.
        let operands: Vec<Value<'a>> = data
            .operands
            .iter()
            .map(|operand| self.get(operand.value))
            .collect();
        let source = self.op(op);
        let shared = self.sliced.demand.is_present(self.side.other(), op);
        let callee = self.sliced.source.graph_calls.get(&op);
        let callee = callee.filter(|callee| !callee.shared || self.side == Side::Graph);
        let copy = match callee {
            Some(callee) => {
                let mut builder = Builder::at_end(block, source.location());
                callee.call(&mut builder, &operands, &source.result_types())
            }
            None if shared || source.num_regions() > 0 => {
                Builder::at_end(block, source.location()).clone_op(source, &mut self.mapping)
            }
            None => {
                source.move_to_end(block);
                source.set_operands(&operands);
                source
            }
        };
        for (&result, value) in data.results.iter().zip(copy.results()) {
            self.map(result, value);
        }
    }

    fn region_op(&mut self, op: OpId, block: Block<'a>) {
        let demand = self.sliced.demand;
        let data = &self.function()[op];
        let results: Vec<usize> = demand.kept_results(self.side, op).collect();
        let inits = demand.kept_inits(self.side, op);

        // Operands before the initial values decide the control flow.
        let deciding = match data.kind {
            Kind::If | Kind::Switch => 1,
            Kind::For => FOR_BOUNDS,
            _ => 0,
        };
        let operands = (0..deciding).chain(inits.iter().map(|index| deciding + index));
        let operands: Vec<Value<'a>> = operands
            .map(|index| self.get(data.operands[index].value))
            .collect();
        let types = results.iter().map(|&index| self.ty(data.results[index]));
        let types: Vec<Type<'a>> = types.collect();
        let source = self.op(op);
        let mut builder = Builder::at_end(block, source.location());
        let new = builder
            .op(source.name())
            .operands(&operands)
            .results(&types)
            .attributes_of(source)
            .regions(source.num_regions())
            .build();
        for (&index, value) in results.iter().zip(new.results()) {
            self.map(data.results[index], value);
        }
        for (index, &region) in data.regions.iter().enumerate() {
            let optional = data.kind == Kind::If && index == 1 && results.is_empty();
            if !(optional && self.is_empty(region)) {
                self.open(op, region, new, index, &results, &inits);
            }
        }
    }

    /// Creates the block of a region, with the arguments that this side keeps, to be written later.
    fn open(
        &mut self,
        op: OpId,
        region: RegionId,
        new: Op<'a>,
        index: usize,
        results: &[usize],
        inits: &[usize],
    ) {
        let data = &self.function()[op];
        let arguments = &self.function()[region].arguments;
        let kept: Vec<ValueId> = match data.kind {
            Kind::While if index == 0 => inits.iter().map(|&slot| arguments[slot]).collect(),
            Kind::While => results.iter().map(|&slot| arguments[slot]).collect(),
            Kind::For => std::iter::once(arguments[0])
                .chain(inits.iter().map(|&slot| arguments[slot + 1]))
                .collect(),
            _ => Vec::new(),
        };
        let types: Vec<_> = kept
            .iter()
            .map(|&argument| (self.ty(argument), self.location(argument)))
            .collect();
        let block = new.region(index).add_block(&types);
        for (argument, value) in kept.into_iter().zip(block.arguments()) {
            self.map(argument, value);
        }
        self.push(region, block);
    }

    /// Returns whether this side has no operation in a region but its terminator.
    fn is_empty(&self, region: RegionId) -> bool {
        let crossings = &self.sliced.plan.crossings;
        self.function()[region].ops.iter().all(|&op| {
            let crosses = crossings
                .binary_search_by_key(&op, |crossing| crossing.before)
                .is_ok();
            !crosses && !self.sliced.demand.is_present(self.side, op)
        })
    }

    /// Ends a region with the values that its owner keeps.
    fn end(&mut self, end: OpId, block: Block<'a>) {
        let (function, demand) = (self.function(), self.sliced.demand);
        let region = function[end].region;
        let owner = function[region].owner.expect("the body has its own end");
        let kept: Vec<usize> = match function[owner].kind {
            // The first operand of a condition is the condition itself.
            Kind::While if function[owner].regions[0] == region => {
                let results = demand.kept_results(self.side, owner);
                std::iter::once(0)
                    .chain(results.map(|index| index + 1))
                    .collect()
            }
            Kind::While => demand.kept_inits(self.side, owner),
            _ => demand.kept_results(self.side, owner).collect(),
        };
        self.terminator(end, kept, block);
    }

    /// Writes the terminator of a region with some of its operands.
    pub(crate) fn terminator(
        &self,
        end: OpId,
        kept: impl IntoIterator<Item = usize>,
        block: Block<'a>,
    ) {
        let (data, source) = (&self.function()[end], self.op(end));
        let mut builder = Builder::at_end(block, source.location());
        let aborts = self.function()[data.region].aborts;
        let operand = |index: usize| match aborts {
            // The operands of a terminator after an abort may come from code that was not read.
            true => host::Undef::build(&mut builder, source.operand(index).ty()).result(),
            false => self.get(data.operands[index].value),
        };
        let operands: Vec<Value<'a>> = kept.into_iter().map(operand).collect();
        builder.op(source.name()).operands(&operands).build();
    }

    /// Maps the results of a bypassed operation to the values that its one arm yields.
    fn end_bypass(&mut self, owner: OpId, end: OpId) {
        let demand = self.sliced.demand;
        for index in demand.kept_results(self.side, owner) {
            let value = self.get(self.function()[end].operands[index].value);
            self.map(self.function()[owner].results[index], value);
        }
    }
}
