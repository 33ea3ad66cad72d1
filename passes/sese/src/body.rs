//! A function body as the algorithm sees it: the shape of its graph, and who reads which value where.
//!
//! ```text
//!   ^bb1(%a: i32):                     slot of ^bb1: %a, one per block argument
//!     %b = arith.addi %a, %a           edge to ^bb2 hands over [%b]
//!     cf.br ^bb2(%b : i32)
//! ```
//!
//! A value that may be known by another name where it is read has a number, a [`Slot`]: each block argument (of every block but
//! the entry, whose arguments stay), each argument of a loop header once more for the next trip, each result of the function,
//! and each result of an operation that another region of the tree reads. All other values keep their name.
//!
//! The operands of terminators are noted here, since the terminators are gone when structured operations are made.

use rustc_hash::FxHashMap;
use tfx_dialects::host;
use tfx_ir::ops::{cf, func, llvm, ub};

use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type};
use tfx_ir::pass::PassFailed;
use tfx_ir::{Block, Op, Region, Trait, Value, diag};

use crate::cfg::{BlockId, Cfg, EdgeId};
use crate::landing::{Target, TargetKind};
use crate::loops::{Loop, LoopForest};
use crate::number::Number;

/// A value that has no one name.
pub(crate) type Slot = usize;

/// Terminators that say that they are never reached.
const NEVER: [&str; 3] = [
    host::Unreachable::NAME,
    llvm::Unreachable::NAME,
    ub::Unreachable::NAME,
];

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `cf.br`, `cf.cond_br`.
    Branch,
    /// `cf.switch`.
    Switch,
    /// It gives what it has to what is around the region.
    End,
    /// It is never reached.
    Never,
    /// Something that cannot be structured.
    Unknown,
}

impl Kind {
    fn of(op: Op<'_>) -> Self {
        let name = op.name();
        match name {
            cf::Branch::NAME | cf::CondBranch::NAME => Self::Branch,
            cf::Switch::NAME => Self::Switch,
            _ if NEVER.contains(&name) => Self::Never,
            _ if op.num_successors() == 0 && op.has_trait(Trait::ReturnLike) => Self::End,
            _ => Self::Unknown,
        }
    }
}

/// A value that is read.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a> {
    /// What the slot holds at that point.
    Slot(Slot),
    /// This value.
    Value(Value<'a>),
}

/// The blocks of a function body.
pub(crate) struct Body<'a> {
    /// The function, or an operation inside of it.
    pub(crate) function: Op<'a>,
    pub(crate) region: Region<'a>,
    pub(crate) blocks: Vec<Block<'a>>,
    numbers: FxHashMap<Block<'a>, Number>,
    pub(crate) cfg: Cfg,
    /// Per block: its last operation, and what that is.
    ends: Vec<(Op<'a>, Kind)>,
}

impl<'a> Body<'a> {
    /// Reads the blocks of `function`.
    pub(crate) fn new(function: Op<'a>, region: Region<'a>) -> Self {
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
                Kind::End => targets.push(Number::of(exit)),
                _ => targets.extend(end.successors().map(|block| numbers[&block])),
            }
            ends.push((end, kind));
        });
        Self {
            function,
            region,
            blocks,
            numbers,
            cfg,
            ends,
        }
    }

    /// Says what cannot be structured.
    pub(crate) fn check(&self, forest: &LoopForest) -> Result<(), PassFailed> {
        let exit = self.cfg.exit();
        let is_unknown = |&&block: &&BlockId| block != exit && self.ends[block].1 == Kind::Unknown;
        let Some(&block) = forest.order.iter().find(is_unknown) else {
            return Ok(());
        };
        let op = self.terminator(block);
        let (name, location) = (op.name(), op.location());
        let message = format!("a block that ends in '{name}' cannot be structured");
        let error = diag::error(location, message).note(
            location,
            "use cf.br, cf.cond_br, cf.switch or func.return, or tfx_host.unreachable after what does not come back",
        );
        Err(error.fail())
    }

    /// The last operation of `block`.
    pub(crate) fn terminator(&self, block: BlockId) -> Op<'a> {
        self.ends[block].0
    }

    /// The block of this body that holds `op`, at any depth.
    pub(crate) fn block_around(&self, op: Op<'a>) -> Option<BlockId> {
        let mut block = op.block()?;
        while block.region() != Some(self.region) {
            block = block.parent()?.block()?;
        }
        self.numbers.get(&block).map(|number| number.get())
    }

    /// The first reachable operation that ends the region.
    pub(crate) fn first_end(&self, forest: &LoopForest) -> Option<Op<'a>> {
        let exit = self.cfg.exit();
        let ends = |&&block: &&BlockId| {
            let mut edges = self.cfg.edges(block);
            edges.any(|edge| self.cfg.target(edge) == exit)
        };
        let block = forest
            .order
            .iter()
            .filter(|&&block| block != exit)
            .find(ends);
        block.map(|&block| self.terminator(block))
    }

    /// The types of what the region ends with.
    fn result_types(&self, forest: &LoopForest) -> Vec<Type<'a>> {
        match self.first_end(forest) {
            Some(end) => end.operands().map(|value| value.ty()).collect(),
            None => self.function.signature().1,
        }
    }
}

/// One slot.
pub(crate) struct SlotInfo<'a> {
    pub(crate) ty: Type<'a>,
    pub(crate) location: Location<'a>,
    /// Where edges go that fill it; none for results of operations.
    pub(crate) target: Option<Target>,
}

/// All slots, and what is read where.
pub(crate) struct Slots<'a> {
    pub(crate) infos: Vec<SlotInfo<'a>>,
    /// Per block: its first slot, and the first that is none of its.
    block: Vec<(Number, Number)>,
    /// Per loop: the slots of the header's arguments for the next trip.
    next_trip: Vec<(Number, Number)>,
    of_value: FxHashMap<Value<'a>, Number>,
}

impl<'a> Slots<'a> {
    /// Numbers the block arguments and the function's results.
    pub(crate) fn new(body: &Body<'a>, forest: &LoopForest) -> Self {
        let none = (Number::of(0), Number::of(0));
        let mut slots = Self {
            infos: Vec::with_capacity(forest.order.len() + forest.loops.len()),
            block: vec![none; body.cfg.num_blocks()],
            next_trip: vec![none; forest.loops.len()],
            of_value: FxHashMap::default(),
        };
        slots.of_value.reserve(forest.order.len());
        for &block in forest
            .order
            .iter()
            .skip(1)
            .filter(|&&block| block != body.cfg.exit())
        {
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
                slots.next_trip[id] = slots.add(
                    Some(Target::next_trip(id)),
                    body.blocks[block].arguments().map(arguments),
                );
            }
        }
        let location = body.function.location();
        slots.block[body.cfg.exit()] = slots.add(
            Some(Target::block(body.cfg.exit())),
            body.result_types(forest)
                .into_iter()
                .map(|ty| (ty, location)),
        );
        slots
    }

    /// Gives a result of an operation a slot.
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

    /// The slots that an edge to `target` fills.
    pub(crate) fn of(&self, target: Target) -> std::ops::Range<Slot> {
        let (first, end) = match target.kind() {
            TargetKind::Block(block) => self.block[block],
            TargetKind::Continue(id) => self.next_trip[id],
        };
        first.get()..end.get()
    }

    /// How to read `value`.
    pub(crate) fn operand(&self, value: Value<'a>) -> Operand<'a> {
        self.of_value
            .get(&value)
            .map_or(Operand::Value(value), |&slot| Operand::Slot(slot.get()))
    }
}

/// What the terminators of a body read, kept after they are gone.
pub(crate) struct Terminators<'a> {
    /// Per block: its terminator's place.
    pub(crate) location: Vec<Location<'a>>,
    /// Per loop: the place of the branch that leaves it; of the header's, where none does.
    pub(crate) loop_location: Vec<Location<'a>>,
    /// The place of the function's return, or of the function if it has several.
    pub(crate) return_location: Location<'a>,
    /// The operation that ends the region, such as `func.return`.
    pub(crate) end: &'a str,
    /// Per block: what its branch or switch tests.
    pub(crate) selector: Vec<Option<Operand<'a>>>,
    /// The cases of switches.
    cases: FxHashMap<BlockId, Vec<i64>>,
    /// Per edge: where in `operands` is what it hands over.
    handed: Vec<(Number, Number)>,
    operands: Vec<Operand<'a>>,
}

impl<'a> Terminators<'a> {
    /// Reads the terminators of the reachable blocks.
    pub(crate) fn new(
        body: &Body<'a>,
        forest: &LoopForest,
        slots: &Slots<'a>,
    ) -> Result<Self, PassFailed> {
        let blocks = body.blocks.len();
        let mut result = Self {
            location: vec![body.function.location(); blocks],
            loop_location: Vec::new(),
            return_location: body.function.location(),
            end: body.first_end(forest).map_or(func::Return::NAME, Op::name),
            selector: vec![None; blocks],
            cases: FxHashMap::default(),
            handed: vec![(Number::of(0), Number::of(0)); body.cfg.num_edges()],
            operands: Vec::with_capacity(body.cfg.num_edges()),
        };
        let mut return_at = None;
        let mut returns = 0;
        for &block in forest
            .order
            .iter()
            .filter(|&&block| block != body.cfg.exit())
        {
            let (op, kind) = body.ends[block];
            result.location[block] = op.location();
            if kind == Kind::End {
                (return_at, returns) = (Some(op.location()), returns + 1);
            }
            if kind == Kind::Switch {
                let cases = switch_cases(op, op.num_successors() - 1)?;
                result.cases.insert(block, cases);
            }
            result.read(body, slots, block);
        }
        if let (Some(location), 1) = (return_at, returns) {
            result.return_location = location;
        }
        let leaving = forest.leaving_blocks(&body.cfg);
        let place = |(leaving, of): (Option<BlockId>, &Loop)| {
            let block = leaving.unwrap_or(of.header);
            let known = result.location.get(block).copied();
            known.unwrap_or(body.function.location())
        };
        result.loop_location = leaving.into_iter().zip(&forest.loops).map(place).collect();
        Ok(result)
    }

    /// Reads what a terminator tests and hands over. Every one that is known has its selector first, if it has one, and then the arguments of
    /// its successors, one after the other.
    fn read(&mut self, body: &Body<'a>, slots: &Slots<'a>, block: BlockId) {
        let (op, kind) = body.ends[block];
        let mut operands = op.operands();
        let edges = body.cfg.edges(block);
        if kind == Kind::Switch || kind == Kind::Branch && edges.len() > 1 {
            let selector = operands.next().map(|value| slots.operand(value));
            self.selector[block] = selector.filter(|_| edges.len() > 1);
        }
        for edge in edges {
            let count = match kind {
                Kind::End => operands.len(),
                _ => slots.of(Target::block(body.cfg.target(edge))).len(),
            };
            let first = Number::of(self.operands.len());
            let handed = operands.by_ref().take(count);
            self.operands
                .extend(handed.map(|value| slots.operand(value)));
            self.handed[edge] = (first, Number::of(self.operands.len()));
        }
    }

    /// What `edge` hands over.
    pub(crate) fn handed(&self, edge: EdgeId) -> &[Operand<'a>] {
        let (first, end) = self.handed[edge];
        &self.operands[first.get()..end.get()]
    }

    /// The cases of the switch that ends `block`; none if it ends otherwise.
    pub(crate) fn cases(&self, block: BlockId) -> &[i64] {
        self.cases.get(&block).map_or(&[], |cases| cases)
    }
}

/// The cases of a `cf.switch`, zero-extended as its selector will be.
fn switch_cases(op: Op<'_>, count: usize) -> Result<Vec<i64>, PassFailed> {
    known_cases(op, count).ok_or_else(|| {
        let message = format!(
            "a switch on a value of type '{}' cannot be structured",
            op.operand(0).ty()
        );
        let note = "switch on an i1, i8, i16, i32 or i64, whose cases are written as dense<[...]>";
        diag::error(op.location(), message)
            .note(op.location(), note)
            .fail()
    })
}

/// The cases of a `cf.switch` with so many, if its selector has a type that can be structured.
pub(crate) fn known_cases(op: Op<'_>, count: usize) -> Option<Vec<i64>> {
    let selector = op.operand(0).ty();
    let width = IntegerType::try_from(selector).map_or(u64::BITS, |ty| ty.width());
    let elements = op
        .attribute("case_values")
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
    (0..count).map(case).collect()
}
