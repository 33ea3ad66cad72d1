//! Reads the IR of a structured function into the table of [`crate::function`].
//!
//! Numbers follow program order. Markers become aliases of their operands. Operations after an
//! abort in its region are omitted, because they are unreachable. The walk has an explicit stack.

use melior::ir::Type;
use rustc_hash::FxHashMap;
use tfx_dialects::derivatives::tape_element;
use tfx_dialects::replicable::{exists_in_graph, is_eager, replicable, same_bits};
use tfx_dialects::types::is_graph_only;
use tfx_dialects::{comm, host, tensor};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{func, scf};
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Block, Op, Region, Value, location};

use crate::function::{
    Def, Function, Kind, Marks, OpData, OpId, RegionData, RegionId, Use, ValueData, ValueId,
};
use crate::graph_functions::{Callee, GraphFunctions};
use crate::markers::marked_value;
use crate::weight::bytes;

/// The table, and the IR that its numbers refer to.
#[derive(Default)]
pub(crate) struct Source<'a> {
    pub(crate) function: Function,
    pub(crate) ops: Vec<Op<'a>>,
    pub(crate) values: Vec<Value<'a>>,
    /// The results of markers, by the value that they alias.
    pub(crate) aliases: FxHashMap<ValueId, Vec<Value<'a>>>,
    /// The calls of graph functions.
    pub(crate) graph_calls: FxHashMap<OpId, Callee<'a>>,
    uses: FxHashMap<Value<'a>, Use>,
}

impl<'a> Source<'a> {
    /// Reads `func`, which has a body. Reports an error if it is not structured.
    pub(crate) fn read(
        func: Op<'a>,
        graph_functions: &GraphFunctions<'a>,
    ) -> Result<Self, Diagnostic<'a>> {
        let mut reader = Reader {
            source: Source::default(),
            graph_functions,
            types: FxHashMap::default(),
            stack: Vec::new(),
        };
        reader.read(func)?;
        Ok(reader.source)
    }
}

/// A region that is being read.
struct Frame<'a> {
    region: RegionId,
    next: Option<Op<'a>>,
    /// Its owner, and the index of the owner's next region.
    owner: Option<(OpId, usize)>,
}

/// The facts about values that depend on their type only; see [`ValueData`].
#[derive(Clone, Copy)]
struct TypeFacts {
    transferable: bool,
    graph_only: bool,
    stays: bool,
    bytes: u64,
}

impl TypeFacts {
    fn of(ty: Type<'_>) -> Self {
        let graph_only = is_graph_only(ty);
        Self {
            transferable: exists_in_graph(ty),
            graph_only,
            stays: graph_only || tape_element(ty).is_some(),
            bytes: bytes(ty),
        }
    }
}

struct Reader<'g, 'a> {
    source: Source<'a>,
    graph_functions: &'g GraphFunctions<'a>,
    types: FxHashMap<Type<'a>, TypeFacts>,
    stack: Vec<Frame<'a>>,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self, func: Op<'a>) -> Result<(), Diagnostic<'a>> {
        let block = only_block(func, func.region(0))?;
        self.enter(None, 0, block);
        while let Some(frame) = self.stack.last_mut() {
            let region = frame.region;
            match frame.next {
                Some(op) => {
                    frame.next = op.next();
                    self.op(region, op)?;
                }
                None => {
                    let owner = self.stack.pop().and_then(|frame| frame.owner);
                    if let Some((owner, index)) = owner {
                        self.leave(owner, index)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Starts a region.
    fn enter(&mut self, owner: Option<(OpId, usize)>, depth: usize, block: Block<'a>) {
        let region = RegionId::new(self.source.function.regions.len());
        self.source.function.regions.push(RegionData {
            owner: owner.map(|(op, _)| op),
            arguments: Vec::new(),
            ops: Vec::new(),
            depth,
            aborts: false,
        });
        for (index, argument) in block.arguments().enumerate() {
            let id = self.value(argument, Def::Argument(region, index));
            self.source.function.regions[region.index()]
                .arguments
                .push(id);
        }
        if let Some((op, _)) = owner {
            self.source.function.ops[op.index()].regions.push(region);
        }
        self.stack.push(Frame {
            region,
            next: block.first(),
            owner,
        });
    }

    /// Continues after region `index` of `owner`: with its next region, or with the operation after
    /// it.
    fn leave(&mut self, owner: OpId, index: usize) -> Result<(), Diagnostic<'a>> {
        let op = self.source.ops[owner.index()];
        if index + 1 < op.num_regions() {
            return self.enter_region(owner, index + 1);
        }
        self.results(owner, op);
        let function = &self.source.function;
        let data = &function[owner];
        // An `scf.if` without else continues if its condition is false.
        let all_arms =
            data.kind == Kind::Switch || data.kind == Kind::If && data.regions.len() == 2;
        if all_arms && data.regions.iter().all(|&arm| function[arm].aborts) {
            self.aborts(data.region);
        }
        Ok(())
    }

    fn enter_region(&mut self, owner: OpId, index: usize) -> Result<(), Diagnostic<'a>> {
        let op = self.source.ops[owner.index()];
        let depth = self.source.function[self.source.function[owner].region].depth + 1;
        // An `scf.if` without else has an empty region there.
        if op.region(index).is_empty() {
            return self.leave(owner, index);
        }
        let block = only_block(op, op.region(index))?;
        self.enter(Some((owner, index)), depth, block);
        Ok(())
    }

    fn op(&mut self, region: RegionId, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        if let Some(value) = marked_value(op) {
            self.marker(op, value);
            return Ok(());
        }
        let callee = self.graph_functions.callee(op);
        let kind = match callee {
            Some(callee) if callee.shared => Kind::Flexible,
            Some(_) => Kind::Graph,
            None => kind(op),
        };
        let pure = match callee {
            Some(callee) => callee.pure,
            None => kind == Kind::Flexible || op.would_be_trivially_dead(),
        };
        let data = OpData {
            kind,
            pure,
            operands: self.operands(op)?,
            results: Vec::new(),
            regions: Vec::new(),
            region,
            index: self.source.function[region].ops.len(),
            same_bits: match callee {
                Some(callee) => !callee.shared || callee.same_bits,
                None => kind != Kind::Flexible || same_bits(op),
            },
            speculatable: op.is_speculatable(),
            trips: trip_count(op).and_then(|trips| u64::try_from(trips).ok()),
        };
        let id = OpId::new(self.source.ops.len());
        self.source.ops.push(op);
        self.source
            .graph_calls
            .extend(callee.map(|callee| (id, callee)));
        self.source.function.ops.push(data);
        self.source.function.regions[region.index()].ops.push(id);
        if kind.has_regions() {
            return self.enter_region(id, 0);
        }
        self.results(id, op);
        if kind == Kind::Abort {
            self.aborts(region);
        }
        Ok(())
    }

    /// Control does not get past this point in `region`: only the terminator is left to read.
    fn aborts(&mut self, region: RegionId) {
        self.source.function.regions[region.index()].aborts = true;
        let frame = self
            .stack
            .last_mut()
            .expect("an operation is read in a region");
        frame.next = frame.next.and_then(|op| op.block()).and_then(Block::last);
    }

    fn marker(&mut self, op: Op<'a>, value: Value<'a>) {
        let mut marked = self.source.uses[&value];
        match op.isa::<comm::ToHost>() {
            true => marked.marks.to_host = true,
            false => marked.marks.to_accelerator = true,
        }
        let result = op.result(0);
        self.source.uses.insert(result, marked);
        let aliases = self.source.aliases.entry(marked.value);
        aliases.or_default().push(result);
    }

    fn results(&mut self, id: OpId, op: Op<'a>) {
        for (index, result) in op.results().enumerate() {
            let value = self.value(result, Def::Result(id, index));
            self.source.function.ops[id.index()].results.push(value);
        }
    }

    fn value(&mut self, value: Value<'a>, def: Def) -> ValueId {
        let id = ValueId::new(self.source.values.len());
        let ty = value.ty();
        let facts = *self.types.entry(ty).or_insert_with(|| TypeFacts::of(ty));
        self.source.values.push(value);
        self.source.function.values.push(ValueData {
            def,
            transferable: facts.transferable,
            graph_only: facts.graph_only,
            stays: facts.stays,
            made: location::is_made(value.location()),
            bytes: facts.bytes,
        });
        let marks = Marks::default();
        self.source.uses.insert(value, Use { value: id, marks });
        id
    }

    /// Returns the operands of an operation. For one with regions that are not split, also the
    /// values that the regions use from outside.
    fn operands(&self, op: Op<'a>) -> Result<Vec<Use>, Diagnostic<'a>> {
        let known = |operand: Value<'a>| self.source.uses.get(&operand).copied();
        let mut operands = Vec::with_capacity(op.num_operands());
        operands.extend(op.operands().filter_map(known));
        if op.num_regions() == 0 || kind(op).has_regions() {
            return Ok(operands);
        }
        for inside in op.walk().skip(1) {
            if kind(inside) == Kind::Graph {
                let message = format!(
                    "cannot split a graph operation inside '{}' between host and graph",
                    op.name()
                );
                return Err(diag::error(inside.location(), message)
                    .note(op.location(), "use scf.if, scf.index_switch, scf.for or scf.while for control flow around graph operations")
                    );
            }
            operands.extend(inside.operands().filter_map(known));
        }
        Ok(operands)
    }
}

fn kind(op: Op<'_>) -> Kind {
    match op.name() {
        tensor::Op::NAME if is_eager(op) => Kind::Host,
        tensor::Op::NAME | tensor::Call::NAME | comm::Copy::NAME => Kind::Graph,
        host::Abort::NAME => Kind::Abort,
        scf::If::NAME => Kind::If,
        scf::IndexSwitch::NAME => Kind::Switch,
        scf::While::NAME => Kind::While,
        scf::For::NAME => Kind::For,
        scf::Yield::NAME | scf::Condition::NAME | func::Return::NAME | host::Unreachable::NAME => {
            Kind::End
        }
        _ if replicable(op) => Kind::Flexible,
        _ => Kind::Host,
    }
}

/// Returns the block of a region; an error if control flow is not structured yet.
fn only_block<'a>(op: Op<'a>, region: Region<'a>) -> Result<Block<'a>, Diagnostic<'a>> {
    if let Some(block) = region.single_block() {
        return Ok(block);
    }
    let branch = region.entry().and_then(Block::last);
    let message = "cannot split a function with graph operations and branches between blocks";
    let note = "run tfx-sese before tfx-partition; it turns branches into structured control flow";
    let error = diag::error(branch.unwrap_or(op).location(), message);
    Err(error.note(op.location(), note))
}
