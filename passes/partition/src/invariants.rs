//! Finds the values that are invariant in the loops around them, and the reasons for those that are
//! not.
//!
//! ```text
//!   for ... {                                 level of a value: the depth of the innermost loop that it changes in
//!     for %j ... {
//!       %a = op "Exp"(%x)         0           may leave both loops
//!       %b = op "Neg"(%carried)   1           may leave the inner one
//!       %c = call @f()            2           has an effect
//!       %d = load (member_ref)    the innermost loop that may write the field
//!     }
//!   }
//! ```
//!
//! An operation with regions counts as one operation here: it may move as a whole if all operations
//! inside may. Operations may also fail, and must not fail before an observable effect that
//! precedes them, nor instead of an operation that fails first. So each value records the last
//! operation that may fail among those that it is computed from, and each loop the first effect and
//! the first operations that may trap. Numbers of operations are positions in the program, so
//! comparing two numbers suffices.
//!
//! Cost: linear, except for writes of fields, which are recorded at each loop around them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use tfx_dialects::host;

use tfx_ir::Op;
use tfx_ir::symbols::SymbolTable;

use crate::failing::never_fails;
use crate::function::{Def, Function, Kind, OpId, RegionId, ValueId};
use crate::read::Source;
use crate::writes::{Field, Writes, field_of};

/// A load that varies only because a field may be written, with the operation that may write it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) load: OpId,
    pub(crate) writer: OpId,
}

/// The facts about an operation and all operations that its operands are computed from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// The depth of the innermost loop in which it varies.
    pub(crate) level: u32,
    /// The only reason for that level.
    pub(crate) held: Option<Held>,
    /// The last operation among them that may fail.
    pub(crate) fails: Option<OpId>,
    /// The last operation among them that may trap, which is observable on both sides.
    pub(crate) trap: Option<OpId>,
    /// It stays in its loop.
    fixed: bool,
}

impl Facts {
    fn join(&mut self, other: Facts) {
        if other.level > self.level {
            (self.level, self.held) = (other.level, other.held);
        } else if other.level == self.level && other.held.is_none() {
            self.held = None;
        }
        self.fails = self.fails.max(other.fails);
        self.trap = self.trap.max(other.trap);
    }
}

/// The facts about a loop that restrict hoisting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loop<'a> {
    /// The first operation with an effect of the host, or that aborts.
    effect: Option<OpId>,
    /// The first two operations that may trap.
    traps: [Option<OpId>; 2],
    /// The first operation that may write any field, and the first that writes each.
    writes_all: Option<OpId>,
    writes: BTreeMap<Field<'a>, OpId>,
}

impl Loop<'_> {
    /// Returns the operation that must happen before a value is computed that may fail, if the loop
    /// has one. A trap that the value itself is computed from does not count.
    pub(crate) fn comes_before(&self, facts: Facts) -> Option<OpId> {
        let other_traps = self.traps.into_iter().filter(|&trap| trap != facts.trap);
        let first = other_traps.chain([self.effect]).flatten().min()?;
        (Some(first) < facts.fails).then_some(first)
    }
}

/// The invariants of a function; the module describes the algorithm.
pub(crate) struct Invariants<'a> {
    depths: Vec<u32>,
    values: Vec<Facts>,
    loops: Vec<Option<Box<Loop<'a>>>>,
}

impl<'a> Invariants<'a> {
    /// Analyzes a function of the module of `symbols`; `writes` is computed once for all functions.
    pub(crate) fn of(
        source: &Source<'a>,
        symbols: &SymbolTable<'a>,
        writes: &OnceCell<Writes<'a>>,
    ) -> Self {
        let depths = depths(&source.function);
        let loops = loops(source, symbols, writes);
        let mut finder = Finder {
            source,
            open: Vec::new(),
            found: Invariants {
                values: vec![Facts::default(); source.function.values.len()],
                depths,
                loops,
            },
        };
        finder.run();
        finder.found
    }

    /// Returns the number of loops around a region's contents.
    pub(crate) fn depth(&self, region: RegionId) -> u32 {
        self.depths[region.index()]
    }

    pub(crate) fn value(&self, value: ValueId) -> Facts {
        self.values[value.index()]
    }

    /// Returns the facts about a loop.
    pub(crate) fn of_loop(&self, op: OpId) -> &Loop<'a> {
        let found = self.loops[op.index()].as_deref();
        found.expect("every loop has been looked at")
    }
}

/// The number of loops around the contents of each region.
fn depths(function: &Function) -> Vec<u32> {
    let mut depths = vec![0; function.regions.len()];
    // A region comes after the one around it.
    for region in (0..depths.len()).map(RegionId::new) {
        if let Some(owner) = function[region].owner {
            let around = depths[function[owner].region.index()];
            depths[region.index()] = around + u32::from(function[owner].kind.is_loop());
        }
    }
    depths
}

/// Returns the loops around an operation, innermost first.
pub(crate) fn loops_around(function: &Function, op: OpId) -> impl Iterator<Item = OpId> {
    let mut region = function[op].region;
    std::iter::from_fn(move || {
        while let Some(owner) = function[region].owner {
            region = function[owner].region;
            if function[owner].kind.is_loop() {
                return Some(owner);
            }
        }
        None
    })
}

/// Returns the field of an object that a load reads.
fn loaded_field(op: Op<'_>) -> Option<Field<'_>> {
    field_of(host::Load::cast(op)?.reference())
}

fn loops<'a>(
    source: &Source<'a>,
    symbols: &SymbolTable<'a>,
    writes: &OnceCell<Writes<'a>>,
) -> Vec<Option<Box<Loop<'a>>>> {
    let function = &source.function;
    let new = |op: OpId| function[op].kind.is_loop().then(Box::default);
    let mut loops: Vec<Option<Box<Loop<'a>>>> = function.op_ids().map(new).collect();
    let reads_fields = source.ops.iter().any(|op| loaded_field(*op).is_some());
    let writes = reads_fields.then(|| writes.get_or_init(|| Writes::of(symbols)));
    for op in function.op_ids() {
        let data = &function[op];
        let is_effect = data.kind == Kind::Host && !data.pure || data.kind == Kind::Abort;
        let traps = may_trap(source, op);
        if !is_effect && !traps {
            continue;
        }
        let written = writes
            .filter(|_| is_effect)
            .map(|writes| writes.of_op(source.ops[op.index()]));
        for around in loops_around(function, op) {
            let Some(around) = &mut loops[around.index()] else {
                continue;
            };
            if is_effect {
                around.effect.get_or_insert(op);
            } else if let Some(trap) = around.traps.iter_mut().find(|trap| trap.is_none()) {
                *trap = Some(op);
            }
            let Some(written) = &written else { continue };
            if written.anything {
                around.writes_all.get_or_insert(op);
            }
            for &field in &written.fields {
                around.writes.entry(field).or_insert(op);
            }
        }
    }
    loops
}

/// Returns whether plain code may trap, such as by a division by zero.
fn may_trap(source: &Source<'_>, op: OpId) -> bool {
    let plain = matches!(source.function[op].kind, Kind::Flexible | Kind::Host);
    let is_load = loaded_field(source.ops[op.index()]).is_some();
    plain && !is_load && !source.function[op].speculatable
}

struct Finder<'s, 'a> {
    source: &'s Source<'a>,
    /// The region operations around, with the facts about them so far.
    open: Vec<(OpId, Facts)>,
    found: Invariants<'a>,
}

impl Finder<'_, '_> {
    /// Visits the function in program order.
    fn run(&mut self) {
        let function = &self.source.function;
        for op in function.op_ids() {
            let owner = function[function[op].region].owner;
            self.close_until(owner);
            let loaded = self.loaded(op);
            self.captured(op, loaded);
            let facts = self.own(op, loaded);
            if function[op].kind.has_regions() {
                self.open(op, facts);
            } else {
                self.done(op, facts);
            }
        }
        self.close_until(None);
    }

    /// Returns the facts about an operation by itself and by its operands.
    fn own(&self, op: OpId, loaded: Facts) -> Facts {
        let function = &self.source.function;
        let (data, source) = (&function[op], self.source.ops[op.index()]);
        let mut facts = Facts::default();
        for operand in &data.operands {
            facts.join(self.found.value(operand.value));
        }
        match data.kind {
            Kind::Graph => {
                facts.fixed = match self.source.graph_calls.get(&op) {
                    Some(callee) => !callee.pure,
                    None => !source.effects().is_none(),
                };
                if !never_fails(source) {
                    facts.fails = Some(op);
                }
            }
            Kind::Host if loaded_field(source).is_some() => facts.join(loaded),
            Kind::Host => facts.fixed = !source.effects().is_none(),
            Kind::Abort => facts.fixed = true,
            // It may not terminate, so no operation may be moved before it.
            Kind::While if data.trips.is_none() => facts.fails = Some(op),
            Kind::Flexible | Kind::End | Kind::If | Kind::Switch | Kind::While | Kind::For => {}
        }
        if may_trap(self.source, op) {
            (facts.fails, facts.trap) = (Some(op), Some(op));
        }
        facts
    }

    /// A load of a field varies in the innermost loop that may write the field.
    fn loaded(&self, op: OpId) -> Facts {
        let function = &self.source.function;
        let Some(field) = loaded_field(self.source.ops[op.index()]) else {
            return Facts::default();
        };
        let mut level = self.found.depth(function[op].region);
        for around in loops_around(function, op) {
            let around = self.found.of_loop(around);
            let writer = around.writes.get(&field).copied();
            if let Some(writer) = around.writes_all.into_iter().chain(writer).min() {
                let held = Some(Held { load: op, writer });
                return Facts {
                    level,
                    held,
                    ..Facts::default()
                };
            }
            level -= 1;
        }
        Facts::default()
    }

    fn open(&mut self, op: OpId, facts: Facts) {
        let function = &self.source.function;
        if function[op].kind.is_loop() {
            for &region in &function[op].regions {
                for argument in &function[region].arguments {
                    self.found.values[argument.index()].level = self.found.depth(region);
                }
            }
        }
        self.open.push((op, facts));
    }

    /// All operations before the end of `owner` have been visited, except `owner` and those around
    /// it.
    fn close_until(&mut self, owner: Option<OpId>) {
        while let Some((op, facts)) = self.open.pop_if(|(op, _)| Some(*op) != owner) {
            self.done(op, facts);
        }
    }

    /// Records the facts about an operation, for its results and for the operations around it.
    fn done(&mut self, op: OpId, mut facts: Facts) {
        let function = &self.source.function;
        let depth = self.found.depth(function[op].region);
        // A value that varies with an inner loop only is invariant outside of it.
        if facts.fixed {
            (facts.level, facts.held) = (depth, None);
        }
        for result in &function[op].results {
            self.found.values[result.index()] = facts;
        }
        if let Some((_, around)) = self.open.last_mut() {
            around.fixed |= facts.fixed;
            // Variation from outside enters through the operands and the loads inside.
            (facts.level, facts.held) = (0, None);
            around.join(facts);
        }
    }

    /// The operations around vary with the values that an operation inside uses from outside of
    /// them, and with the field that it loads; variation with an inner loop only does not count.
    fn captured(&mut self, op: OpId, loaded: Facts) {
        let function = &self.source.function;
        for (owner, around) in self.open.iter_mut().rev() {
            if loaded.level <= self.found.depths[function[*owner].region.index()] {
                around.join(loaded);
            }
        }
        for operand in &function[op].operands {
            let home = function.region_of(operand.value);
            let facts = self.found.values[operand.value.index()];
            let mut region = function[op].region;
            for (owner, around) in self.open.iter_mut().rev() {
                if region == home {
                    break;
                }
                around.join(facts);
                region = function[*owner].region;
            }
        }
    }
}

/// Returns the region operations from a region up to `outermost`, each with the region inside of
/// it, innermost first.
pub(crate) fn regions_up_to(
    function: &Function,
    region: RegionId,
    outermost: OpId,
) -> impl Iterator<Item = (OpId, RegionId)> {
    let mut next = Some(region);
    std::iter::from_fn(move || {
        let region = next?;
        let owner = function[region].owner?;
        next = (owner != outermost).then_some(function[owner].region);
        Some((owner, region))
    })
}

/// Returns whether a value is defined in a region of `op`.
pub(crate) fn is_inside(function: &Function, last: &[OpId], value: ValueId, op: OpId) -> bool {
    let maker = match function[value].def {
        Def::Result(maker, _) if maker == op => return false,
        Def::Argument(region, _) => match function[region].owner {
            Some(owner) => owner,
            None => return false,
        },
        Def::Result(maker, _) => maker,
    };
    op <= maker && maker <= last[op.index()]
}

/// Returns for each operation the last operation inside of it, or itself.
pub(crate) fn last_inside(function: &Function) -> Vec<OpId> {
    let mut last: Vec<OpId> = function.op_ids().collect();
    for op in function.op_ids().rev() {
        if let Some(owner) = function[function[op].region].owner {
            last[owner.index()] = last[owner.index()].max(last[op.index()]);
        }
    }
    last
}
