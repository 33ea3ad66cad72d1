//! Clones, before a loop, the part of its first iteration that computes some values.
//!
//! ```text
//!   while (%i = %a) {              %go = cmpi slt, %a, %n         the decision, for the initial values
//!     %go = cmpi slt, %i, %n       %r = scf.if %go {
//!   } do {                           %s = scf.if %c {             the branches on the path, with one arm each
//!     scf.if %c {              ──►     %v = op ...
//!       %v = op ...                    yield %v
//!     }                              } else { yield undef }
//!   }                                yield %s
//!                                  } else { yield undef }
//! ```
//!
//! Regions on the path to a value become `scf.if` and `scf.index_switch` around clones of the
//! needed operations, each once, in source order. The loop's uses of the values become uses of the
//! results; the original operations become dead.
//!
//! Cost: linear in the loop.

use std::collections::{BTreeMap, BTreeSet};
use tfx_dialects::host;
use tfx_ir::ops::{arith, scf};

use melior::ir::{Location, Type, TypeLike};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::function::{Def, Function, Kind, OpId, RegionId, ValueId};
use crate::invariants::{is_inside, regions_up_to};
use crate::markers::marked_value;
use crate::read::Source;

/// Returns whether a loop provably runs at least one iteration.
pub(crate) fn runs_once(function: &Function, op: OpId) -> bool {
    function[op].trips.is_some_and(|trips| trips > 0)
}

/// Returns whether it can be decided before the loop `from` whether the loop `op`, which is `from`
/// or inside of it, runs an iteration: by plain operations that give the same bits on both sides,
/// from values for which `stays` holds or that are defined outside of `from`.
pub(crate) fn can_decide_entry(
    source: &Source<'_>,
    last: &[OpId],
    op: OpId,
    from: OpId,
    stays: impl Fn(ValueId) -> bool,
) -> bool {
    let function = &source.function;
    let data = &function[op];
    let mut todo: Vec<ValueId> = entry_controls(source, op);
    let mut seen = BTreeSet::new();
    while let Some(value) = todo.pop() {
        if !is_inside(function, last, value, from) || !seen.insert(value) {
            continue;
        }
        let decides = data.kind == Kind::While && function.region_of(value) == data.regions[0];
        match function[value].def {
            Def::Argument(_, index) if decides => todo.push(data.operands[index].value),
            Def::Result(plain, _) if decides => {
                let plain_data = &function[plain];
                let is_plain = plain_data.kind == Kind::Flexible
                    && plain_data.same_bits
                    && plain_data.speculatable;
                if !is_plain {
                    return false;
                }
                todo.extend(plain_data.operands.iter().map(|operand| operand.value));
            }
            _ if !stays(value) => return false,
            _ => {}
        }
    }
    true
}

/// Returns the values that decide whether a loop runs a first iteration.
fn entry_controls(source: &Source<'_>, op: OpId) -> Vec<ValueId> {
    let function = &source.function;
    let mut values = Vec::new();
    function.controls(op, |control, _| values.push(control.value));
    if function[op].kind == Kind::For {
        values.truncate(FOR_RANGE);
    }
    values
}

/// `scf.for` compares its lower bound with its upper bound; the step has no influence on the first
/// iteration.
const FOR_RANGE: usize = 2;

/// Computes `values`, which are in the loop `from`, before the loop from its first iteration, and
/// replaces them by the results.
pub(crate) fn copy_before_loop(
    source: &Source<'_>,
    last: &[OpId],
    from: OpId,
    values: &BTreeSet<ValueId>,
) {
    let mut needed = Needed {
        source,
        last,
        from,
        copied: BTreeSet::new(),
        results: BTreeMap::new(),
        seen: BTreeSet::new(),
        todo: Vec::new(),
    };
    needed.find(values);
    let mut writer = Writer {
        needed,
        mapping: Mapping::new(),
        stack: Vec::new(),
    };
    writer.run();
    for value in values {
        let old = source.values[value.index()];
        let new = writer
            .mapping
            .get(old)
            .expect("each value has been written");
        old.replace_all_uses_with(new);
    }
}

/// The needed part of an iteration.
struct Needed<'s, 'a> {
    source: &'s Source<'a>,
    last: &'s [OpId],
    from: OpId,
    /// The operations to clone, with those inside.
    copied: BTreeSet<OpId>,
    /// The regions on the path, with the values that each yields.
    results: BTreeMap<RegionId, Vec<ValueId>>,
    seen: BTreeSet<ValueId>,
    todo: Vec<ValueId>,
}

impl Needed<'_, '_> {
    fn find(&mut self, values: &BTreeSet<ValueId>) {
        let function = &self.source.function;
        for &value in values {
            self.todo.push(value);
            for (op, region) in regions_up_to(function, function.region_of(value), self.from) {
                if !self.results.contains_key(&region) {
                    self.todo.extend(self.decides(op, region));
                }
                self.results.entry(region).or_default().push(value);
            }
        }
        while let Some(value) = self.todo.pop() {
            if is_inside(function, self.last, value, self.from) && self.seen.insert(value) {
                self.value(value);
            }
        }
    }

    /// The values that decide whether control reaches a region.
    fn decides(&self, op: OpId, region: RegionId) -> Vec<ValueId> {
        match guard(&self.source.function, op, region) {
            Guard::None => Vec::new(),
            Guard::Branch => vec![self.source.function[op].operands[0].value],
            Guard::Entry => entry_controls(self.source, op),
        }
    }

    fn value(&mut self, value: ValueId) {
        let function = &self.source.function;
        match function[value].def {
            // In the first iteration, an argument is the initial value.
            Def::Argument(region, index) => {
                let owner = function[region]
                    .owner
                    .expect("the body is around every loop");
                self.todo.push(function[owner].operands[index].value);
            }
            Def::Result(op, _) => {
                if !self.copied.insert(op) {
                    return;
                }
                for inside in (op.0..=self.last[op.index()].0).map(OpId) {
                    let operands = function[inside].operands.iter();
                    self.todo.extend(
                        operands
                            .map(|operand| operand.value)
                            .filter(|&value| !is_inside(function, self.last, value, op)),
                    );
                }
            }
        }
    }
}

/// The replacement of a region on the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// It is entered unconditionally.
    None,
    /// An arm of the same branch.
    Branch,
    /// An arm of a branch on whether the loop runs an iteration.
    Entry,
}

fn guard(function: &Function, op: OpId, region: RegionId) -> Guard {
    match function[op].kind {
        Kind::If | Kind::Switch => Guard::Branch,
        Kind::While if region == function[op].regions[0] => Guard::None,
        _ if runs_once(function, op) => Guard::None,
        _ => Guard::Entry,
    }
}

/// A region that is being written.
struct Frame<'a> {
    region: RegionId,
    next: usize,
    builder: Builder<'a>,
    /// The branch whose arm this is.
    branch: Option<Op<'a>>,
}

struct Writer<'s, 'a> {
    needed: Needed<'s, 'a>,
    mapping: Mapping<'a>,
    stack: Vec<Frame<'a>>,
}

impl<'a> Writer<'_, 'a> {
    fn run(&mut self) {
        let source = self.needed.source;
        let builder = Builder::before(source.ops[self.needed.from.index()]);
        self.enter(self.needed.from, builder);
        while let Some(mut frame) = self.stack.pop() {
            let ops = &source.function[frame.region].ops;
            let op = ops[frame.next];
            frame.next += 1;
            let builder = frame.builder;
            if frame.next == ops.len() {
                self.close(frame);
                continue;
            }
            self.stack.push(frame);
            if self.needed.copied.contains(&op) {
                self.copy(op, builder);
            }
            if source.function[op].kind.has_regions() {
                self.enter(op, builder);
            }
        }
    }

    /// Starts with the regions of an operation that are on the path. For a loop that decides first,
    /// this is the decision, and the body follows.
    fn enter(&mut self, op: OpId, builder: Builder<'a>) {
        let function = &self.needed.source.function;
        let data = &function[op];
        let (&first, rest) = data.regions.split_first().expect("it has regions");
        if data.kind != Kind::While {
            for &region in &data.regions {
                self.open(op, region, builder);
            }
            return;
        }
        let on_the_way = |region: &RegionId| self.needed.results.contains_key(region);
        if !data.regions.iter().any(on_the_way) {
            return;
        }
        debug_assert_eq!(rest.len(), 1, "a loop has a decision and a body");
        let arguments = &function[first].arguments;
        for (&argument, init) in arguments.iter().zip(&data.operands) {
            let init = self.get(init.value);
            self.map(argument, init);
        }
        self.stack.push(Frame {
            region: first,
            next: 0,
            builder,
            branch: None,
        });
    }

    /// Starts with a region, if it is on the path.
    fn open(&mut self, op: OpId, region: RegionId, builder: Builder<'a>) {
        let function = &self.needed.source.function;
        if !self.needed.results.contains_key(&region) {
            return;
        }
        let (builder, branch) = match guard(function, op, region) {
            Guard::None => (builder, None),
            _ => {
                let (branch, block) = self.branch(op, region, builder);
                (builder.to_end_of(block, branch.location()), Some(branch))
            }
        };
        self.stack.push(Frame {
            region,
            next: 0,
            builder,
            branch,
        });
    }

    /// Builds a branch with an arm for `region`, which is returned; the other arms yield
    /// placeholders.
    fn branch(
        &mut self,
        op: OpId,
        region: RegionId,
        mut builder: Builder<'a>,
    ) -> (Op<'a>, Block<'a>) {
        let source = self.needed.source;
        let old = source.ops[op.index()];
        builder.set_location(old.location());
        let is_entry = guard(&source.function, op, region) == Guard::Entry;
        let condition = match is_entry {
            true => self.entry(op, &mut builder),
            false => {
                self.markers(old, &[old.operand(0)], &mut builder);
                self.mapping.get_or_same(old.operand(0))
            }
        };
        let results = &self.needed.results[&region];
        let types: Vec<Type<'a>> = results.iter().map(|value| self.ty(*value)).collect();
        let regions = &source.function[op].regions;
        let number = regions.binary_search(&region);
        let number = number.expect("a region is one of its owner's");
        let (new, arm) = match source.function[op].kind {
            Kind::Switch => switch(&mut builder, old, number, condition, &types),
            Kind::If => (builder.scf_if(condition, &types), number),
            _ => (builder.scf_if(condition, &types), 0),
        };
        let blocks: Vec<Block<'a>> = new.regions().map(|region| region.add_block(&[])).collect();
        for (index, &block) in blocks.iter().enumerate() {
            if index != arm {
                placeholders(block, new.location(), &types);
            }
        }
        (new, blocks[arm])
    }

    /// Returns whether the loop runs an iteration.
    fn entry(&mut self, op: OpId, builder: &mut Builder<'a>) -> Value<'a> {
        let source = self.needed.source;
        let old = source.ops[op.index()];
        if source.function[op].kind == Kind::For {
            let counted = scf::For::cast(old).expect("the kind is that of scf.for");
            let bounds = [counted.lower_bound(), counted.upper_bound()];
            self.markers(old, &bounds, builder);
            let [from, to] = bounds.map(|bound| self.mapping.get_or_same(bound));
            let less = match counted.unsigned_cmp() {
                true => arith::CmpIPredicate::Ult,
                false => arith::CmpIPredicate::Slt,
            };
            return arith::CmpI::build(builder, less, from, to).result();
        }
        let end = scf::While::cast(old).and_then(scf::While::end);
        let end = end.expect("a loop that is not scf.for is scf.while, with one block each");
        self.markers(end.op(), &[end.condition()], builder);
        self.mapping.get_or_same(end.condition())
    }

    /// Ends a region: the arm yields the needed values; the body follows a decision.
    fn close(&mut self, frame: Frame<'a>) {
        let function = &self.needed.source.function;
        let owner = function[frame.region]
            .owner
            .expect("the body is around every loop");
        if let Some(branch) = frame.branch {
            let results = self.needed.results[&frame.region].clone();
            let values: Vec<Value<'a>> = results.iter().map(|value| self.get(*value)).collect();
            let mut builder = frame.builder;
            scf::Yield::build(&mut builder, &values);
            for (value, result) in results.into_iter().zip(branch.results()) {
                self.map(value, result);
            }
        }
        let data = &function[owner];
        if data.kind == Kind::While && frame.region == data.regions[0] {
            self.open(owner, data.regions[1], frame.builder);
        }
    }

    fn copy(&mut self, op: OpId, mut builder: Builder<'a>) {
        let source = self.needed.source;
        let old = source.ops[op.index()];
        let operands: Vec<Value<'a>> = old.walk().flat_map(Op::operands).collect();
        self.markers(old, &operands, &mut builder);
        builder.set_location(old.location());
        let new = builder.clone_op(old, &mut self.mapping);
        for (&result, new) in source.function[op].results.iter().zip(new.results()) {
            self.map(result, new);
        }
    }

    /// Clones the markers in the loop around `op` that `operands` of it or of operations inside
    /// come from. Each operation has its own clones: those of another may be in another arm.
    fn markers(&mut self, op: Op<'a>, operands: &[Value<'a>], builder: &mut Builder<'a>) {
        let from = self.needed.source.ops[self.needed.from.index()];
        for operand in operands {
            let mut chain = Vec::new();
            let mut at = *operand;
            while let Some(marker) = at.defining_op()
                && let Some(value) = marked_value(marker)
                && !marker.is_within(op)
                && marker.is_within(from)
            {
                chain.push(marker);
                at = value;
            }
            for marker in chain.into_iter().rev() {
                builder.set_location(marker.location());
                builder.clone_op(marker, &mut self.mapping);
            }
        }
    }

    fn map(&mut self, value: ValueId, to: Value<'a>) {
        self.mapping
            .map(self.needed.source.values[value.index()], to);
    }

    fn get(&self, value: ValueId) -> Value<'a> {
        self.mapping
            .get_or_same(self.needed.source.values[value.index()])
    }

    fn ty(&self, value: ValueId) -> Type<'a> {
        self.needed.source.values[value.index()].ty()
    }
}

/// Builds a switch on `selector` with the arm of `old` of this number and a default, and returns
/// the index of the arm. So a switch with all arms on the path stays linear in size.
fn switch<'a>(
    builder: &mut Builder<'a>,
    old: Op<'a>,
    number: usize,
    selector: Value<'a>,
    types: &[Type<'a>],
) -> (Op<'a>, usize) {
    let old = scf::IndexSwitch::cast(old).expect("the kind is that of scf.index_switch");
    let cases = old.cases();
    match number.checked_sub(1) {
        Some(index) => (
            builder.scf_index_switch(selector, &[cases[index]], types),
            1,
        ),
        None => (builder.scf_index_switch(selector, &cases, types), 0),
    }
}

/// Ends an arm that is not on the path with placeholders. A number is zero, so that values computed
/// from it are equal on both sides.
fn placeholders<'a>(block: Block<'a>, location: Location<'a>, types: &[Type<'a>]) {
    let mut builder = Builder::at_end(block, location);
    let values: Vec<Value<'a>> = types
        .iter()
        .map(|&ty| match ty.is_integer() || ty.is_index() {
            true => builder.constant_int(0, ty),
            false => host::Undef::build(&mut builder, ty).result(),
        })
        .collect();
    scf::Yield::build(&mut builder, &values);
}
