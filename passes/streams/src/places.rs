//! The places of the operations of a block, which its copies determine.
//!
//! ```text
//!   %a = MatMul(%x, %w)                  at cpu: its result is copied from there
//!   %b = copy %a from <cpu> to <cpu:1>
//!   %c = Relu(%b)                        at cpu:1: it uses the copy
//!   %d = Add(%c, %v)                     at cpu:1: it uses %c
//! ```
//!
//! Operations that share values are at one place, unless a copy is between them: union-find, in
//! which each component has the place of its copies. A component without a copy has no place of its
//! own. Constants, arguments and values from outside of the block are available everywhere. What
//! operations without state compute of constants alone is *repeatable*, and so are small values
//! that they compute of what is available everywhere, such as indices. An operation with copies
//! inside is not at one place, and its results are available everywhere. The condition of a branch
//! may be at any place, because the host reads it.
//!
//! Cost: nearly linear in the block and its captures.

use std::collections::{HashMap, HashSet};

use petgraph::unionfind::UnionFind;
use tfx_dialects::comm::Copy;
use tfx_dialects::places::Place;
use tfx_dialects::tensor;
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::effects::{Effect, effect_in_order};
use tfx_graphdef_mlir::types;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Block, Op, Value};

/// The largest number of elements of a value that each place computes for itself.
const SMALL: u64 = 64;

/// The places of the operations of a block.
#[derive(Debug, Default)]
pub(crate) struct Places<'a> {
    components: Components<'a>,
    /// The places of repeatable operations: those of the first users.
    repeatable: HashMap<Op<'a>, Option<Place<'a>>>,
}

impl<'a> Places<'a> {
    /// Returns the places of a block. `spread` has the operations with copies inside.
    ///
    /// # Errors
    ///
    /// An operation uses values at different places, or a copy starts from another place than that
    /// of its operand.
    pub(crate) fn of_block(
        block: Block<'a>,
        captures: &Captures<'a>,
        spread: &HashSet<Op<'a>>,
    ) -> Result<Self, Diagnostic<'a>> {
        let mut places = Self::default();
        let (everywhere, repeatable) = everywhere(block, spread);
        for op in block.ops().filter(|op| !everywhere.contains(op)) {
            let captured = captures.values(op).iter().copied();
            let conditions = usize::from(op.isa::<tensor::If>());
            let operands = op.operands().skip(conditions).chain(captured);
            let here = operands
                .filter_map(Value::defining_op)
                .filter(|operand| operand.block() == Some(block) && !everywhere.contains(operand));
            places.components.add(op, here)?;
        }
        for op in repeatable.into_iter().rev() {
            let first = users(op).first().copied();
            let place = first.and_then(|user| places.of_operands(user));
            places.repeatable.insert(op, place);
        }
        Ok(places)
    }

    /// Returns whether another place may repeat the operation.
    pub(crate) fn is_repeatable(&self, op: Op<'a>) -> bool {
        self.repeatable.contains_key(&op)
    }

    /// Decides the place of a repeatable operation.
    pub(crate) fn set(&mut self, op: Op<'a>, place: Option<Place<'a>>) {
        self.repeatable.insert(op, place);
    }

    /// Returns the place where an operation uses its operands.
    pub(crate) fn of_operands(&mut self, op: Op<'a>) -> Option<Place<'a>> {
        match Copy::cast(op) {
            Some(copy) => Place::of(copy.source()),
            None => self.of(op),
        }
    }

    /// Returns the place of an operation; none if no copy determines it.
    pub(crate) fn of(&mut self, op: Op<'a>) -> Option<Place<'a>> {
        if let Some(copy) = Copy::cast(op) {
            return Place::of(copy.destination());
        }
        if let Some(place) = self.repeatable.get(&op) {
            return *place;
        }
        Some(self.components.place(op)?.place)
    }
}

/// Returns the operations of a block that have no place of their own, and those among them that
/// each place repeats. `spread` has the operations with copies inside.
pub(crate) fn everywhere<'a>(
    block: Block<'a>,
    spread: &HashSet<Op<'a>>,
) -> (HashSet<Op<'a>>, Vec<Op<'a>>) {
    let mut everywhere = HashSet::new();
    let mut repeatable = Vec::new();
    for op in block.ops() {
        if op.isa::<tensor::Const>() || op.is_terminator() || spread.contains(&op) {
            everywhere.insert(op);
        } else if is_repeatable(op, &everywhere) {
            everywhere.insert(op);
            repeatable.push(op);
        }
    }
    (everywhere, repeatable)
}

/// Returns the operations that have copies inside: those with regions, and the graphs.
pub(crate) fn with_copies<'a>(module: Op<'a>) -> HashSet<Op<'a>> {
    let mut spread = HashSet::new();
    for copy in module.walk().filter(|op| op.isa::<Copy>()) {
        for outer in copy.ancestors() {
            if !spread.insert(outer) {
                break;
            }
        }
    }
    spread
}

/// Returns the operations of the same block that use a result of `op`, in their order.
pub(crate) fn users(op: Op<'_>) -> Vec<Op<'_>> {
    let uses = op.results().flat_map(Value::uses);
    let mut users: Vec<_> = uses.map(|found| found.owner).collect();
    users.retain(|user| user.block() == op.block());
    users.sort_by(|a, b| b.is_before(*a).cmp(&a.is_before(*b)));
    users.dedup();
    users
}

/// Returns whether an operation has no state, and computes a small value of what is available
/// everywhere, or any value of constants alone.
fn is_repeatable<'a>(op: Op<'a>, everywhere: &HashSet<Op<'a>>) -> bool {
    if !is_pure(op) {
        return false;
    }
    let is_small = op.results().all(is_small);
    let mut producers = op.operands().map(Value::defining_op);
    producers.all(|producer| match producer {
        Some(producer) if producer.block() == op.block() => {
            let is_plain = producer.num_regions() == 0;
            everywhere.contains(&producer) && (is_plain || is_small)
        }
        _ => is_small,
    })
}

/// Returns whether a value has so few elements that each place computes it for itself.
pub(crate) fn is_small(value: Value<'_>) -> bool {
    types::elements(value.ty()).is_some_and(|elements| elements <= SMALL)
}

/// Returns whether an operation has no state, and only small operands and results.
pub(crate) fn is_small_and_pure(op: Op<'_>) -> bool {
    is_pure(op) && op.operands().chain(op.results()).all(is_small)
}

fn is_pure(op: Op<'_>) -> bool {
    let is_operation = op.isa::<tensor::Op>() && effect_in_order(op) == Effect::Pure;
    is_operation || op.isa::<tensor::FromScalar>()
}

/// A place, and the copy that determines it.
#[derive(Clone, Copy, Debug)]
struct Anchor<'a> {
    place: Place<'a>,
    copy: Op<'a>,
}

/// Returns the error about an operation that uses values at two places, one of them that of
/// `operand`.
fn two_places<'a>(
    op: Op<'a>,
    operand: Op<'a>,
    own: Anchor<'a>,
    other: Anchor<'a>,
) -> Diagnostic<'a> {
    let message = format!(
        "this operation uses a value at {} and one at {}",
        own.place, other.place
    );
    let mut error = diag::error(op.location(), message).note(
        operand.location(),
        format!(
            "this value is at {}; copy it with tfx_comm.copy",
            other.place
        ),
    );
    for anchor in [own, other] {
        if anchor.copy != operand {
            let note = format!("the place {} comes from this copy", anchor.place);
            error = error.note(anchor.copy.location(), note);
        }
    }
    error
}

/// Operations that share values without a copy between them.
#[derive(Debug)]
struct Components<'a> {
    numbers: HashMap<Op<'a>, usize>,
    sets: UnionFind<usize>,
    /// The anchor of each component, at its representative.
    anchors: Vec<Option<Anchor<'a>>>,
}

impl Default for Components<'_> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            sets: UnionFind::new_empty(),
            anchors: Vec::new(),
        }
    }
}

impl<'a> Components<'a> {
    fn add(
        &mut self,
        op: Op<'a>,
        operands: impl Iterator<Item = Op<'a>>,
    ) -> Result<(), Diagnostic<'a>> {
        if let Some(copy) = Copy::cast(op) {
            return self.add_copy(copy, operands);
        }
        let number = self.sets.new_set();
        self.numbers.insert(op, number);
        self.anchors.push(None);
        for operand in operands {
            let own = self.anchors[self.sets.find_mut(number)];
            let anchor = self.place(operand);
            if let (Some(own), Some(other)) = (own, anchor)
                && own.place != other.place
            {
                return Err(two_places(op, operand, own, other));
            }
            self.unite(number, operand, own.or(anchor));
        }
        Ok(())
    }

    fn add_copy(
        &mut self,
        copy: Copy<'a>,
        operands: impl Iterator<Item = Op<'a>>,
    ) -> Result<(), Diagnostic<'a>> {
        let Some(place) = Place::of(copy.source()) else {
            return Ok(());
        };
        for operand in operands {
            match self.place(operand) {
                Some(found) if found.place != place => {
                    let message = format!(
                        "this copy starts from {place}, but its operand is at {}",
                        found.place
                    );
                    let note = format!("the place {} comes from this copy", found.place);
                    return Err(
                        diag::error(copy.location(), message).note(found.copy.location(), note)
                    );
                }
                Some(_) => {}
                None => {
                    if let Some(&number) = self.numbers.get(&operand) {
                        let copy = copy.op();
                        self.anchors[self.sets.find_mut(number)] = Some(Anchor { place, copy });
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the place of an operation so far, and where the result of a copy is.
    fn place(&mut self, op: Op<'a>) -> Option<Anchor<'a>> {
        if let Some(copy) = Copy::cast(op) {
            let place = Place::of(copy.destination())?;
            return Some(Anchor { place, copy: op });
        }
        let number = *self.numbers.get(&op)?;
        self.anchors[self.sets.find_mut(number)]
    }

    fn unite(&mut self, number: usize, operand: Op<'a>, anchor: Option<Anchor<'a>>) {
        if let Some(&other) = self.numbers.get(&operand) {
            self.sets.union(number, other);
        }
        self.anchors[self.sets.find_mut(number)] = anchor;
    }
}
