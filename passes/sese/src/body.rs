//! A region with several blocks: its control-flow graph, and the values that blocks exchange.
//!
//! ```text
//!   ^bb1(%a: i32):                     slot of ^bb1: %a, one for each block argument
//!     %b = arith.addi %a, %a           the edge to ^bb2 forwards [%b]
//!     cf.br ^bb2(%b : i32)
//! ```
//!
//! A [`Slot`] stands for a value that different regions of the structured form know by different
//! SSA values. There is one for each block argument (except for those of the entry block), one more
//! for each argument of a loop header in the next iteration, one for each result of the function,
//! and one for each result of an operation that is read in a region where it is not visible.
//!
//! The operands of terminators are recorded here, because the terminators are erased before the
//! structured operations are created.

use rustc_hash::FxHashMap;
use tfx_dialects::host;
use tfx_ir::ops::{cf, func, llvm, ub};

use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Block, Op, Region, Trait, Value};

use crate::cfg::{BlockId, Cfg, EdgeId};
use crate::loop_forest::{Loop, LoopForest};
use crate::number::Number;
use crate::units::{Target, TargetKind};

/// The number of a slot: see the documentation of the module.
pub(crate) type Slot = usize;

/// The kinds of terminators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'a> {
    /// `cf.br`, `cf.cond_br`.
    Branch,
    /// `cf.switch`.
    Switch(cf::Switch<'a>),
    /// An exit from the region, such as `func.return`.
    Exit,
    /// A terminator of unreachable code.
    Unreachable,
    /// A terminator that cannot be structured.
    Unknown,
}

impl<'a> Kind<'a> {
    fn of(op: Op<'a>) -> Self {
        match cf::CfOp::cast(op) {
            Some(cf::CfOp::Branch(_) | cf::CfOp::CondBranch(_)) => return Self::Branch,
            Some(cf::CfOp::Switch(switch)) => return Self::Switch(switch),
            _ => {}
        }
        match op.name() {
            host::Unreachable::NAME | llvm::Unreachable::NAME | ub::Unreachable::NAME => {
                Self::Unreachable
            }
            _ if op.num_successors() == 0 && op.has_trait(Trait::ReturnLike) => Self::Exit,
            _ => Self::Unknown,
        }
    }
}

/// An operand of a terminator.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a> {
    /// The value of the slot at that point.
    Slot(Slot),
    /// This value.
    Value(Value<'a>),
}

/// The blocks of a region.
pub(crate) struct Body<'a> {
    /// The function, or an operation in it, that has the region.
    pub(crate) owner: Op<'a>,
    pub(crate) region: Region<'a>,
    pub(crate) blocks: Vec<Block<'a>>,
    numbers: FxHashMap<Block<'a>, Number>,
    pub(crate) cfg: Cfg,
    /// Per block: its terminator.
    ends: Vec<(Op<'a>, Kind<'a>)>,
}

impl<'a> Body<'a> {
    /// Reads the blocks of `region`, which `owner` has.
    pub(crate) fn new(owner: Op<'a>, region: Region<'a>) -> Self {
        let blocks: Vec<Block<'a>> = region.blocks().collect();
        let mut numbers = FxHashMap::default();
        numbers.reserve(blocks.len());
        let numbered = blocks.iter().enumerate();
        numbers.extend(numbered.map(|(number, &block)| (block, Number::of(number))));
        let mut ends = Vec::with_capacity(blocks.len());
        let exit = blocks.len();
        let cfg = Cfg::build(exit, |block, targets| {
            let end = blocks[block]
                .last()
                .expect("a verified block has a terminator");
            let kind = Kind::of(end);
            match kind {
                Kind::Exit => targets.push(Number::of(exit)),
                _ => targets.extend(end.successors().map(|block| numbers[&block])),
            }
            ends.push((end, kind));
        });
        Self {
            owner,
            region,
            blocks,
            numbers,
            cfg,
            ends,
        }
    }

    /// Checks that all terminators of reachable blocks can be structured.
    pub(crate) fn check(&self, forest: &LoopForest) -> Result<(), Diagnostic<'a>> {
        let mut blocks = forest.blocks();
        let Some(block) = blocks.find(|&block| self.ends[block].1 == Kind::Unknown) else {
            return Ok(());
        };
        let op = self.terminator(block);
        let message = format!("a block that ends in '{}' cannot be structured", op.name());
        let advice = "use cf.br, cf.cond_br, cf.switch or func.return; or tfx_host.unreachable \
                      after an operation that does not return";
        Err(diag::error(op.location(), message).note(op.location(), advice))
    }

    /// Returns the terminator of `block`.
    pub(crate) fn terminator(&self, block: BlockId) -> Op<'a> {
        self.ends[block].0
    }

    /// Returns the block of this region that contains `op`, at any depth.
    pub(crate) fn block_around(&self, op: Op<'a>) -> Option<BlockId> {
        let mut block = op.block()?;
        while block.region() != Some(self.region) {
            block = block.parent()?.block()?;
        }
        self.numbers.get(&block).map(|number| number.get())
    }

    /// Returns the first reachable terminator that exits the region.
    pub(crate) fn first_exit(&self, forest: &LoopForest) -> Option<Op<'a>> {
        let mut blocks = forest.blocks();
        let block = blocks.find(|&block| self.ends[block].1 == Kind::Exit)?;
        Some(self.terminator(block))
    }

    /// Returns the types of the operands of the exits.
    fn result_types(&self, forest: &LoopForest) -> Vec<Type<'a>> {
        match self.first_exit(forest) {
            Some(end) => end.operands().map(|value| value.ty()).collect(),
            None => self.owner.signature().1,
        }
    }
}

/// The properties of a slot.
pub(crate) struct SlotInfo<'a> {
    pub(crate) ty: Type<'a>,
    pub(crate) location: Location<'a>,
    /// The target of the edges that fill it; none for results of operations.
    pub(crate) target: Option<Target>,
}

/// The slots of a region.
pub(crate) struct Slots<'a> {
    pub(crate) infos: Vec<SlotInfo<'a>>,
    /// Per block: the range of its slots.
    block: Vec<(Number, Number)>,
    /// Per loop: the range of the slots of the header's arguments in the next iteration.
    next_iteration: Vec<(Number, Number)>,
    of_value: FxHashMap<Value<'a>, Number>,
}

impl<'a> Slots<'a> {
    /// Creates the slots of block arguments and of the results of the function.
    pub(crate) fn new(body: &Body<'a>, forest: &LoopForest) -> Self {
        let none = (Number::of(0), Number::of(0));
        let mut slots = Self {
            infos: Vec::with_capacity(forest.order.len() + forest.loops.len()),
            block: vec![none; body.cfg.num_blocks()],
            next_iteration: vec![none; forest.loops.len()],
            of_value: FxHashMap::default(),
        };
        slots.of_value.reserve(forest.order.len());
        for block in forest.blocks().skip(1) {
            let arguments = |value: Value<'a>| (value.ty(), value.location());
            slots.block[block] = slots.add(
                Some(Target::block(block)),
                body.blocks[block].arguments().map(arguments),
            );
            for (index, value) in body.blocks[block].arguments().enumerate() {
                let first = slots.block[block].0.get();
                slots.of_value.insert(value, Number::of(first + index));
            }
            if forest.is_header(block) {
                let id = forest.loop_of[block];
                slots.next_iteration[id] = slots.add(
                    Some(Target::next_iteration(id)),
                    body.blocks[block].arguments().map(arguments),
                );
            }
        }
        let location = body.owner.location();
        slots.block[body.cfg.exit()] = slots.add(
            Some(Target::block(body.cfg.exit())),
            body.result_types(forest)
                .into_iter()
                .map(|ty| (ty, location)),
        );
        slots
    }

    /// Adds the slot of a result of an operation.
    pub(crate) fn add_value(&mut self, value: Value<'a>) -> Slot {
        let (slot, _) = self.add(None, [(value.ty(), value.location())].into_iter());
        self.of_value.insert(value, slot);
        slot.get()
    }

    fn add(
        &mut self,
        target: Option<Target>,
        values: impl Iterator<Item = (Type<'a>, Location<'a>)>,
    ) -> (Number, Number) {
        let first = Number::of(self.infos.len());
        self.infos.extend(values.map(|(ty, location)| SlotInfo {
            ty,
            location,
            target,
        }));
        (first, Number::of(self.infos.len()))
    }

    /// Returns the slots that an edge to `target` fills.
    pub(crate) fn of(&self, target: Target) -> std::ops::Range<Slot> {
        let (first, end) = match target.kind() {
            TargetKind::Block(block) => self.block[block],
            TargetKind::NextIteration(id) => self.next_iteration[id],
        };
        first.get()..end.get()
    }

    /// Returns the slot of `value`, or `value` if it has none.
    pub(crate) fn operand(&self, value: Value<'a>) -> Operand<'a> {
        self.of_value
            .get(&value)
            .map_or(Operand::Value(value), |&slot| Operand::Slot(slot.get()))
    }
}

/// The data of terminators that outlives them.
pub(crate) struct Terminators<'a> {
    /// Per block: the location of its terminator.
    pub(crate) location: Vec<Location<'a>>,
    /// Per loop: the location of a branch that exits it, or else of the header's branch.
    pub(crate) loop_location: Vec<Location<'a>>,
    /// The location of the only return, or of the function if there are several.
    pub(crate) return_location: Location<'a>,
    /// The name of the operation that exits the region, such as `func.return`.
    pub(crate) exit: &'a str,
    /// Per block: the operand that its branch or switch tests.
    pub(crate) condition: Vec<Option<Operand<'a>>>,
    /// The case values of switches.
    cases: FxHashMap<BlockId, Vec<i64>>,
    /// Per edge: the range in `operands` of the values that it forwards.
    forwarded: Vec<(Number, Number)>,
    operands: Vec<Operand<'a>>,
}

impl<'a> Terminators<'a> {
    /// Reads the terminators of the reachable blocks.
    pub(crate) fn new(
        body: &Body<'a>,
        forest: &LoopForest,
        slots: &Slots<'a>,
    ) -> Result<Self, Diagnostic<'a>> {
        let blocks = body.blocks.len();
        let mut result = Self {
            location: vec![body.owner.location(); blocks],
            loop_location: Vec::new(),
            return_location: body.owner.location(),
            exit: body.first_exit(forest).map_or(func::Return::NAME, Op::name),
            condition: vec![None; blocks],
            cases: FxHashMap::default(),
            forwarded: vec![(Number::of(0), Number::of(0)); body.cfg.num_edges()],
            operands: Vec::with_capacity(body.cfg.num_edges()),
        };
        let mut return_at = None;
        let mut returns = 0;
        for block in forest.blocks() {
            let (op, kind) = body.ends[block];
            result.location[block] = op.location();
            if kind == Kind::Exit {
                (return_at, returns) = (Some(op.location()), returns + 1);
            }
            if let Kind::Switch(switch) = kind {
                let cases = switch_cases(switch)?;
                result.cases.insert(block, cases);
            }
            result.read(body, slots, block);
        }
        if let (Some(location), 1) = (return_at, returns) {
            result.return_location = location;
        }
        let leaving = forest.leaving_blocks(&body.cfg);
        let location = |(leaving, of): (Option<BlockId>, &Loop)| {
            let block = leaving.unwrap_or(of.header);
            let known = result.location.get(block).copied();
            known.unwrap_or(body.owner.location())
        };
        result.loop_location = leaving
            .into_iter()
            .zip(&forest.loops)
            .map(location)
            .collect();
        Ok(result)
    }

    /// Reads the operands of a terminator: first the one that it tests, if any, then those that it
    /// forwards, successor by successor.
    fn read(&mut self, body: &Body<'a>, slots: &Slots<'a>, block: BlockId) {
        let (op, kind) = body.ends[block];
        let mut operands = op.operands();
        let edges = body.cfg.edges(block);
        if matches!(kind, Kind::Switch(_)) || kind == Kind::Branch && edges.len() > 1 {
            let condition = operands.next().map(|value| slots.operand(value));
            self.condition[block] = condition.filter(|_| edges.len() > 1);
        }
        for edge in edges {
            let count = match kind {
                Kind::Exit => operands.len(),
                _ => slots.of(Target::block(body.cfg.target(edge))).len(),
            };
            let first = Number::of(self.operands.len());
            let forwarded = operands.by_ref().take(count);
            self.operands
                .extend(forwarded.map(|value| slots.operand(value)));
            self.forwarded[edge] = (first, Number::of(self.operands.len()));
        }
    }

    /// Returns the operands that `edge` forwards.
    pub(crate) fn forwarded(&self, edge: EdgeId) -> &[Operand<'a>] {
        let (first, end) = self.forwarded[edge];
        &self.operands[first.get()..end.get()]
    }

    /// Returns the case values of the switch that ends `block`; empty for other terminators.
    pub(crate) fn cases(&self, block: BlockId) -> &[i64] {
        self.cases.get(&block).map_or(&[], |cases| cases)
    }
}

/// Returns the case values of a switch, zero-extended as its operand will be.
fn switch_cases(switch: cf::Switch<'_>) -> Result<Vec<i64>, Diagnostic<'_>> {
    known_cases(switch).ok_or_else(|| {
        let message = format!(
            "a switch on a value of type '{}' cannot be structured",
            switch.flag().ty()
        );
        let note =
            "switch on an i1, i8, i16, i32 or i64, with case values of the form dense<[...]>";
        diag::error(switch.location(), message).note(switch.location(), note)
    })
}

/// Returns the case values of a switch, zero-extended, if they have a supported type.
pub(crate) fn known_cases(switch: cf::Switch<'_>) -> Option<Vec<i64>> {
    let width = IntegerType::try_from(switch.flag().ty()).map_or(u64::BITS, |ty| ty.width());
    let elements = switch
        .case_values()
        .and_then(|values| DenseElementsAttribute::try_from(values).ok());
    let case = |index| {
        let elements = elements.as_ref()?;
        match width {
            1 => elements.bool_element(index).map(i64::from).ok(),
            8 => elements.u8_element(index).map(i64::from).ok(),
            16 => elements.u16_element(index).map(i64::from).ok(),
            32 => elements.u32_element(index).map(i64::from).ok(),
            64 => elements.u64_element(index).map(|case| case as i64).ok(),
            _ => None,
        }
    };
    (0..switch.case_destinations().len()).map(case).collect()
}
