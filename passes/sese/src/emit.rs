//! From the tree to `scf`: operations are moved, never copied.
//!
//! ```text
//!   branch     scf.if, scf.index_switch, or arith.select where no arm does anything
//!   dispatch   scf.if or scf.index_switch on the value that tells what is pending
//!   loop       scf.while: before { ... scf.condition } do { ... scf.yield }
//! ```
//!
//! One walk over the tree with an explicit stack. At every point, each slot (see `body.rs`) holds the value that code there has to
//! use: an edge fills the slots of its target, an operation fills those that it hands out (see `plan.rs`). What a region has
//! filled is undone at its end. An arm that does not fill what its operation hands out yields what the slot held before, or a
//! zero; such a value is never read, because no path from there reads the slot.
//!
//! Cost: linear in the operations and in what is handed out.

use melior::ir::{Location, Type};
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::body::{Body, Operand, Slot, Slots, Terminators};
use crate::cfg::{BlockId, EdgeId};
use crate::landing::{Landings, Target};
use crate::loops::{LoopForest, LoopId};
use crate::pending::Choice;
use crate::plan::{Plan, is_scalar, needs_value};
use crate::tree::{Item, OpId, OpKind, RegionId, Tree};
use crate::ways::{Predicate, Way, Ways};

/// All that is known about a function before it is changed.
pub(crate) struct Structured<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) forest: LoopForest,
    pub(crate) landings: Landings,
    pub(crate) tree: Tree,
    pub(crate) slots: Slots<'a>,
    pub(crate) terminators: Terminators<'a>,
    pub(crate) plan: Plan<'a>,
}

impl<'a> Structured<'a> {
    /// Makes the function's body one block of structured operations.
    pub(crate) fn emit(&self) {
        let entry = self.body.blocks[0];
        let ways = Ways::new(self.body.function, entry);
        let filled = vec![None; self.slots.infos.len()];
        let mut emitter = Emitter {
            input: self,
            ways,
            filled,
            undo: Vec::new(),
            frames: Vec::new(),
        };
        emitter.open(Some(0), entry, Way::to(Target::Block(0)));
        while emitter.step() {}
        Block::erase_all(&self.body.blocks[1..]);
    }
}

/// A region that is being filled.
struct Open<'a> {
    region: Option<RegionId>,
    next: usize,
    block: Block<'a>,
    way: Way<'a>,
    /// How much there was to undo when it was opened.
    undo: usize,
}

/// An arm of a branch or a dispatch: where it goes, and how its path starts.
struct Arm<'a> {
    into: Region<'a>,
    region: Option<RegionId>,
    edge: Option<EdgeId>,
    way: Way<'a>,
}

enum Frame<'a> {
    Region(Open<'a>),
    Choose {
        op: OpId,
        made: Op<'a>,
        arms: std::vec::IntoIter<Arm<'a>>,
    },
    Before {
        op: OpId,
        made: Op<'a>,
    },
    After {
        op: OpId,
        made: Op<'a>,
    },
}

struct Emitter<'a, 's> {
    input: &'s Structured<'a>,
    ways: Ways<'a>,
    filled: Vec<Option<Value<'a>>>,
    undo: Vec<(Slot, Option<Value<'a>>)>,
    frames: Vec<Frame<'a>>,
}

impl<'a> Emitter<'a, '_> {
    /// Does the next piece of work; says whether there was any.
    fn step(&mut self) -> bool {
        match self.frames.pop() {
            None => return false,
            Some(Frame::Region(mut open)) => {
                let items = open
                    .region
                    .map_or(&[][..], |region| &self.input.tree.regions[region].items);
                match items.get(open.next) {
                    Some(&item) => {
                        open.next += 1;
                        self.frames.push(Frame::Region(open));
                        match item {
                            Item::Block(block) => self.block(block),
                            Item::Op(op) => self.op(op),
                        }
                    }
                    None => self.close(open),
                }
            }
            Some(Frame::Choose { op, made, mut arms }) => match arms.next() {
                Some(arm) => {
                    self.frames.push(Frame::Choose { op, made, arms });
                    self.open(arm.region, arm.into.add_block(&[]), arm.way);
                    if let Some(edge) = arm.edge {
                        self.take(edge);
                    }
                }
                None => self.finish(op, made),
            },
            Some(Frame::Before { .. } | Frame::After { .. }) => {
                unreachable!("a half of a loop is closed by its region")
            }
        }
        true
    }

    fn open(&mut self, region: Option<RegionId>, block: Block<'a>, way: Way<'a>) {
        self.frames.push(Frame::Region(Open {
            region,
            next: 0,
            block,
            way,
            undo: self.undo.len(),
        }));
    }

    /// The region that is being filled.
    fn current(&mut self) -> &mut Open<'a> {
        match self.frames.last_mut() {
            Some(Frame::Region(open)) => open,
            _ => unreachable!("work is done in a region"),
        }
    }

    fn builder(&mut self, location: Location<'a>) -> Builder<'a> {
        Builder::at_end(self.current().block, location)
    }

    fn fill(&mut self, slot: Slot, value: Value<'a>) {
        self.undo.push((slot, self.filled[slot].replace(value)));
    }

    fn undo_to(&mut self, mark: usize) {
        for (slot, before) in self.undo.drain(mark..).rev() {
            self.filled[slot] = before;
        }
    }

    /// What a slot holds, or what stands for it where no path reads it.
    fn held(&mut self, slot: Slot) -> Value<'a> {
        match self.filled[slot] {
            Some(value) => value,
            None => self.ways.never_read(self.input.slots.infos[slot].ty),
        }
    }

    fn read(&mut self, operand: Operand<'a>) -> Value<'a> {
        match operand {
            Operand::Value(value) => value,
            Operand::Slot(slot) => self.held(slot),
        }
    }

    fn types(&self, slots: &[Slot]) -> Vec<Type<'a>> {
        slots
            .iter()
            .map(|&slot| self.input.slots.infos[slot].ty)
            .collect()
    }

    /// Takes an edge: fills the slots of its target.
    fn take(&mut self, edge: EdgeId) {
        let target = self.input.landings.target(&self.input.body.cfg, edge);
        let values: Vec<Value<'a>> = self
            .input
            .terminators
            .handed(edge)
            .iter()
            .map(|&operand| self.read(operand))
            .collect();
        for (slot, value) in self.input.slots.of(target).zip(values) {
            self.fill(slot, value);
        }
        self.current().way = Way::to(target);
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Blocks.

    fn block(&mut self, block: BlockId) {
        if block == self.input.body.cfg.exit() {
            return self.leave_function();
        }
        for (read, slot) in &self.input.plan.reads[block] {
            let value = self.held(*slot);
            read.set(value);
        }
        for &(value, slot) in &self.input.plan.writes[block] {
            self.fill(slot, value);
        }
        let source = self.input.body.blocks[block];
        self.input.body.terminator(block).erase();
        let target = self.current().block;
        if source != target {
            target.append_ops_of(source);
        }
        let edges = self.input.body.cfg.edges(block);
        match edges.len() {
            0 => self.current().way.choice = Choice::Never,
            1 => self.take(edges.start),
            _ => {}
        }
    }

    fn leave_function(&mut self) {
        let slots = self
            .input
            .slots
            .of(Target::Block(self.input.body.cfg.exit()));
        let values: Vec<Value<'a>> = slots.map(|slot| self.held(slot)).collect();
        let location = self.input.terminators.return_location;
        self.builder(location).func_return(&values);
        self.current().way.choice = Choice::Never;
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Operations.

    fn op(&mut self, op: OpId) {
        match &self.input.tree.ops[op].kind {
            OpKind::Branch { block, arms } => self.branch(op, *block, arms),
            OpKind::Dispatch { arms, passes, .. } => self.dispatch(op, arms, *passes),
            &OpKind::Loop { id, before, .. } => self.start_loop(op, id, before),
        }
    }

    fn branch(&mut self, op: OpId, block: BlockId, regions: &[RegionId]) {
        let edges = self.input.body.cfg.edges(block);
        let location = self.input.terminators.location[block];
        let operand =
            self.input.terminators.selector[block].expect("a branch has something that it tests");
        let selector = self.read(operand);
        let cases = &self.input.terminators.cases[block];
        let is_if = regions.len() == 2 && cases.is_empty();
        if is_if
            && regions
                .iter()
                .all(|&region| self.input.tree.regions[region].items.is_empty())
            && self.select(op, edges.clone(), selector, location)
        {
            return;
        }
        let mut builder = self.builder(location);
        let results = self.result_types(op);
        let made = if is_if {
            builder.scf_if(selector, &results)
        } else {
            let selector = as_index(&mut builder, selector, Type::index(self.ways.context()));
            builder.scf_index_switch(selector, cases, &results)
        };
        let way = Way {
            choice: Choice::Never,
            value: None,
        };
        let arm = |(index, (edge, &region))| Arm {
            into: made.region(index),
            region: Some(region),
            edge: Some(edge),
            way,
        };
        let mut arms: Vec<Arm<'a>> = edges.zip(regions).enumerate().map(arm).collect();
        if is_if && results.is_empty() && self.input.tree.regions[regions[1]].items.is_empty() {
            arms.truncate(1);
        }
        self.frames.push(Frame::Choose {
            op,
            made,
            arms: arms.into_iter(),
        });
    }

    /// A branch neither of whose arms does anything needs no `scf.if`, unless values are not scalars.
    fn select(
        &mut self,
        op: OpId,
        edges: std::ops::Range<EdgeId>,
        flag: Value<'a>,
        location: Location<'a>,
    ) -> bool {
        let slots = &self.input.plan.handed_out[op];
        let mark = self.undo.len();
        let mut sides = edges.map(|edge| {
            self.take(edge);
            let values: Vec<Option<Value<'a>>> =
                slots.iter().map(|&slot| self.filled[slot]).collect();
            self.undo_to(mark);
            (self.current().way.choice, values)
        });
        let (Some((first_way, first)), Some((second_way, second))) = (sides.next(), sides.next())
        else {
            return false;
        };
        drop(sides);
        let pairs: Vec<(Option<Value<'a>>, Option<Value<'a>>)> =
            first.into_iter().zip(second).collect();
        let differ = |&(first, second): &(Option<Value<'a>>, Option<Value<'a>>)| {
            first.is_some() && second.is_some() && first != second
        };
        if pairs
            .iter()
            .any(|pair| differ(pair) && pair.0.is_some_and(|value| !is_scalar(value.ty())))
        {
            return false;
        }
        let mut builder = self.builder(location);
        for (&slot, pair) in slots.iter().zip(pairs) {
            let value = match pair {
                (Some(first), Some(second)) if first != second => builder
                    .op("arith.select")
                    .operands(&[flag, first, second])
                    .result(first.ty())
                    .value(),
                (Some(value), _) | (None, Some(value)) => value,
                (None, None) => continue,
            };
            self.fill(slot, value);
        }
        let choice = self.input.tree.ops[op].left;
        let value = match choice {
            Choice::Two(target, _) if first_way == Choice::One(target) => Some(flag),
            Choice::Two(target, _) if second_way == Choice::One(target) => {
                Some(self.ways.not(&mut builder, flag))
            }
            _ => None,
        };
        self.current().way = Way { choice, value };
        true
    }

    fn dispatch(&mut self, op: OpId, arms: &[(Vec<Target>, RegionId)], passes: Choice) {
        let way = self.current().way;
        let location = self.location_of(&arms[0].0);
        let mut builder = self.builder(location);
        let results = self.result_types(op);
        let pass = |into, value| Arm {
            into,
            region: None,
            edge: None,
            way: Way {
                choice: passes,
                value,
            },
        };
        let arms = match arms {
            [(targets, region)] => {
                let (flag, inverted) = self.is_one_of(&mut builder, way, targets, passes);
                let entered = self.input.tree.regions[*region].entered;
                let value = self.ways.convert(&mut builder, way, entered);
                let passing = self.ways.convert(&mut builder, way, passes);
                let made = builder.scf_if(flag, &results);
                let (then, otherwise) = (
                    made.region(usize::from(inverted)),
                    made.region(usize::from(!inverted)),
                );
                let arm = Arm {
                    into: then,
                    region: Some(*region),
                    edge: None,
                    way: Way {
                        choice: entered,
                        value,
                    },
                };
                let mut arms = vec![arm];
                if inverted || !results.is_empty() {
                    arms.push(pass(otherwise, passing));
                }
                (made, arms)
            }
            [(first, one), (_, other)] if matches!(way.choice, Choice::Two(..)) => {
                let flag = self.ways.is_pending(&mut builder, way, first[0]);
                let made = builder.scf_if(flag, &results);
                let arm = |index, region: RegionId| self.arm(made.region(index), region);
                (made, vec![arm(0, *one), arm(1, *other)])
            }
            _ => {
                let passing = self.ways.convert(&mut builder, way, passes);
                let with_case = if passes == Choice::Never {
                    &arms[1..]
                } else {
                    arms
                };
                let cases: Vec<i64> = with_case
                    .iter()
                    .map(|(targets, _)| self.ways.number(targets[0]))
                    .collect();
                let selector = way.value.expect("a value tells what is pending");
                let made = builder.scf_index_switch(selector, &cases, &results);
                let mut all = vec![match passes {
                    Choice::Never => self.arm(made.region(0), arms[0].1),
                    _ => pass(made.region(0), passing),
                }];
                all.extend(
                    with_case
                        .iter()
                        .enumerate()
                        .map(|(index, (_, region))| self.arm(made.region(index + 1), *region)),
                );
                (made, all)
            }
        };
        self.frames.push(Frame::Choose {
            op,
            made: arms.0,
            arms: arms.1.into_iter(),
        });
    }

    /// An arm that starts with one known target.
    fn arm(&self, into: Region<'a>, region: RegionId) -> Arm<'a> {
        let way = Way {
            choice: self.input.tree.regions[region].entered,
            value: None,
        };
        Arm {
            into,
            region: Some(region),
            edge: None,
            way,
        }
    }

    /// A flag that tells whether one of `targets` is pending, and whether it tells the opposite.
    fn is_one_of(
        &mut self,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        targets: &[Target],
        passes: Choice,
    ) -> (Value<'a>, bool) {
        match (way.choice, way.value, targets, passes) {
            (Choice::Two(_, second), Some(flag), [only], _) => (flag, *only == second),
            (Choice::Many, Some(index), [_, _, ..], Choice::One(rest)) => (
                self.ways.compare(builder, Predicate::NotEqual, index, rest),
                false,
            ),
            _ => {
                let flags: Vec<Value<'a>> = targets
                    .iter()
                    .map(|&target| self.ways.is_pending(builder, way, target))
                    .collect();
                let either = |first: Value<'a>, second: Value<'a>| {
                    builder
                        .op("arith.ori")
                        .operands(&[first, second])
                        .result(first.ty())
                        .value()
                };
                (
                    flags
                        .into_iter()
                        .reduce(either)
                        .unwrap_or_else(|| self.ways.flag(false)),
                    false,
                )
            }
        }
    }

    /// Where a dispatch to these targets is placed in the source.
    fn location_of(&self, targets: &[Target]) -> Location<'a> {
        match targets.first() {
            Some(&Target::Block(block)) if block != self.input.body.cfg.exit() => {
                let block = self.input.body.blocks[block];
                block
                    .first()
                    .map_or(self.input.body.function.location(), |op| op.location())
            }
            _ => self.input.body.function.location(),
        }
    }

    /// What an operation hands out, and the value that tells what is pending after it.
    fn result_types(&self, op: OpId) -> Vec<Type<'a>> {
        let mut types = self.types(&self.input.plan.handed_out[op]);
        types.extend(self.ways.ty(self.input.tree.ops[op].left));
        types
    }

    /// What a region that ends here has for the results of `op`.
    fn results(&mut self, op: OpId, builder: &mut Builder<'a>, way: Way<'a>) -> Vec<Value<'a>> {
        let slots = &self.input.plan.handed_out[op];
        let mut values: Vec<Value<'a>> = slots.iter().map(|&slot| self.held(slot)).collect();
        values.extend(
            self.ways
                .convert(builder, way, self.input.tree.ops[op].left),
        );
        values
    }

    /// After an operation: fills what it hands out.
    fn finish(&mut self, op: OpId, made: Op<'a>) {
        let choice = self.input.tree.ops[op].left;
        let slots = &self.input.plan.handed_out[op];
        for (index, &slot) in slots.iter().enumerate() {
            self.fill(slot, made.result(index));
        }
        let value = needs_value(choice).then(|| made.result(slots.len()));
        self.current().way = Way { choice, value };
    }

    /// At the end of a region: ends its block as the operation around it wants it.
    fn close(&mut self, open: Open<'a>) {
        match self.frames.pop() {
            Some(Frame::Choose { op, made, arms }) => {
                let mut builder = Builder::at_end(open.block, made.location());
                let values = self.results(op, &mut builder, open.way);
                builder.scf_yield(&values);
                self.undo_to(open.undo);
                self.frames.push(Frame::Choose { op, made, arms });
            }
            Some(Frame::Before { op, made }) => self.second_half(op, made, open),
            Some(Frame::After { op, made }) => self.end_loop(op, made, open),
            Some(Frame::Region(_)) => unreachable!("a region is inside of an operation"),
            None => self.end_function(open),
        }
    }

    /// A function none of whose paths returns still has to end.
    fn end_function(&mut self, open: Open<'a>) {
        if open
            .block
            .terminator()
            .is_none_or(|op| !op.is("func.return"))
        {
            let slots = self
                .input
                .slots
                .of(Target::Block(self.input.body.cfg.exit()));
            let values: Vec<Value<'a>> = slots.map(|slot| self.held(slot)).collect();
            Builder::at_end(open.block, self.input.body.function.location()).func_return(&values);
        }
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Loops.

    /// What a loop carries from trip to trip: the arguments of its entries, the header's first.
    fn carried(&self, id: LoopId) -> Vec<Slot> {
        let header = self.input.forest.loops[id].header;
        let entries =
            std::iter::once(header).chain(self.input.landings.extra_entries[id].iter().copied());
        entries
            .flat_map(|block| self.input.slots.of(Target::Block(block)))
            .collect()
    }

    fn start_loop(&mut self, op: OpId, id: LoopId, before: RegionId) {
        let location = self.input.terminators.location[self.input.forest.loops[id].header];
        let entered = self.input.tree.regions[before].entered;
        let carried = self.carried(id);
        let mut builder = self.builder(location);
        let mut initial: Vec<Value<'a>> = carried.iter().map(|&slot| self.held(slot)).collect();
        let way = self.current().way;
        initial.extend(self.ways.convert(&mut builder, way, entered));
        let made = builder.scf_while(&initial, &self.result_types(op));

        let mut arguments = self.arguments(&carried);
        arguments.extend(self.ways.ty(entered).map(|ty| (ty, location)));
        let block = made.region(0).add_block(&arguments);
        self.frames.push(Frame::Before { op, made });
        let value = needs_value(entered).then(|| block.argument(carried.len()));
        self.open(
            Some(before),
            block,
            Way {
                choice: entered,
                value,
            },
        );
        for (index, slot) in carried.into_iter().enumerate() {
            self.fill(slot, block.argument(index));
        }
    }

    fn arguments(&self, slots: &[Slot]) -> Vec<(Type<'a>, Location<'a>)> {
        slots
            .iter()
            .map(|&slot| {
                (
                    self.input.slots.infos[slot].ty,
                    self.input.slots.infos[slot].location,
                )
            })
            .collect()
    }

    fn second_half(&mut self, op: OpId, made: Op<'a>, open: Open<'a>) {
        let OpKind::Loop { goes_on, after, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let mut builder = Builder::at_end(open.block, made.location());
        let flag = self.ways.is_pending(&mut builder, open.way, goes_on);
        let values = self.results(op, &mut builder, open.way);
        builder.scf_condition(flag, &values);
        self.undo_to(open.undo);

        let slots = &self.input.plan.handed_out[op];
        let mut arguments = self.arguments(slots);
        arguments.extend(
            self.ways
                .ty(self.input.tree.ops[op].left)
                .map(|ty| (ty, made.location())),
        );
        let block = made.region(1).add_block(&arguments);
        self.frames.push(Frame::After { op, made });
        self.open(Some(after), block, Way::to(goes_on));
        for (index, &slot) in slots.iter().enumerate() {
            self.fill(slot, block.argument(index));
        }
    }

    fn end_loop(&mut self, op: OpId, made: Op<'a>, open: Open<'a>) {
        let OpKind::Loop { id, before, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let mut builder = Builder::at_end(open.block, made.location());
        let next_trip = self.input.slots.of(Target::Continue(id));
        let not_entered_again = self.carried(id).split_off(next_trip.len());
        let mut values: Vec<Value<'a>> = next_trip.map(|slot| self.held(slot)).collect();
        for slot in not_entered_again {
            let ty = self.input.slots.infos[slot].ty;
            values.push(self.ways.never_read(ty));
        }
        let header = Way::to(Target::Block(self.input.forest.loops[id].header));
        values.extend(self.ways.convert(
            &mut builder,
            header,
            self.input.tree.regions[before].entered,
        ));
        builder.scf_yield(&values);
        self.undo_to(open.undo);
        self.finish(op, made);
    }
}

/// A switch's selector as `scf.index_switch` takes it.
fn as_index<'a>(builder: &mut Builder<'a>, selector: Value<'a>, index: Type<'a>) -> Value<'a> {
    if selector.ty() == index {
        return selector;
    }
    builder
        .op("arith.index_castui")
        .operand(selector)
        .result(index)
        .value()
}
