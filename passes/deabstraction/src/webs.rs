//! Webs: the values that control flow forwards to each other.
//!
//! ```text
//!   %a = closure @f        %b = closure @g
//!   br ^join(%a)           br ^join(%b)          one web: %a, %b, %c
//!   ^join(%c): apply %c
//! ```
//!
//! A web is *closed* if the origins and the uses of all its values are known: makers (`closure`,
//! `array`, `array_fill`) and changes (`array_set`) on one side; reads, changes, computed
//! attributes and branches on the other. A closed web can be replaced.
//!
//! Algorithm: union-find (petgraph's) over block arguments and forwarded values. Cost: near-linear
//! in values and branches.

use rustc_hash::FxHashMap as HashMap;
use tfx_dialects::host;

use melior::ir::Type;
use petgraph::unionfind::UnionFind;
use tfx_dialects::types::{HostType, host_type};
use tfx_graphdef_mlir::operations::OP;
use tfx_ir::{Block, Builder, Op, Region, Use, Value};

/// The values of one web, in program order.
#[derive(Default)]
pub(crate) struct Web<'a> {
    /// The operations that create its values. `tfx_host.undef` is one: a value that is never read.
    pub(crate) makers: Vec<Op<'a>>,
    /// The operations that return a changed value, in program order.
    pub(crate) changes: Vec<Op<'a>>,
    /// Its block arguments, those of one block next to each other.
    pub(crate) arguments: Vec<Value<'a>>,
    /// The operations that read parts of its values.
    pub(crate) readers: Vec<Op<'a>>,
    /// The uses that need a whole value, which may be rebuilt from its parts: attributes that are
    /// arrays.
    pub(crate) wholes: Vec<Use<'a>>,
    /// True if values have other origins or uses.
    pub(crate) is_open: bool,
}

/// The kind of the values of a web.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Closure,
    Array,
}

impl Kind {
    /// Returns the kind of a value, if it has one.
    pub(crate) fn of(value: Value<'_>) -> Option<Self> {
        match host_type(value.ty())? {
            HostType::Closure(_) => Some(Self::Closure),
            HostType::Array(_) => Some(Self::Array),
            _ => None,
        }
    }

    fn is_maker(self, op: Op<'_>) -> bool {
        op.isa::<host::Undef>()
            || match self {
                Self::Closure => op.isa::<host::Closure>(),
                Self::Array => op.isa::<host::Array>() || op.isa::<host::ArrayFill>(),
            }
    }

    /// Returns whether an operation returns a changed value of the kind.
    fn is_change(self, op: Op<'_>) -> bool {
        self == Self::Array && op.isa::<host::ArraySet>()
    }

    /// Returns whether a use is that of the value that an operation changes.
    fn is_changed(self, found: Use<'_>) -> bool {
        self.is_change(found.owner) && found.operand == host::ArraySet::ARRAY_INDEX
    }

    fn is_reader(self, found: Use<'_>) -> bool {
        found.operand == 0
            && match self {
                Self::Closure => found.owner.isa::<host::Apply>(),
                Self::Array => {
                    found.owner.isa::<host::ArrayGet>() || found.owner.isa::<host::ArrayCount>()
                }
            }
    }

    /// Returns whether an operand is the value of a computed attribute.
    fn is_whole(self, found: Use<'_>) -> bool {
        self == Self::Array && found.owner.is(OP)
    }
}

/// Returns the webs of a kind in the blocks of a region.
pub(crate) fn webs<'a>(region: Region<'a>, kind: Kind) -> Vec<Web<'a>> {
    let values = values(region, kind);
    if values.is_empty() {
        return Vec::new();
    }
    let numbers: HashMap<_, _> = values
        .iter()
        .enumerate()
        .map(|(number, value)| (*value, number))
        .collect();
    let mut sets = UnionFind::new(values.len());
    let mut open = vec![false; values.len()];
    for (number, value) in values.iter().enumerate() {
        let change = value.defining_op().filter(|op| kind.is_change(*op));
        let sources = match change {
            Some(op) => Some(Some(vec![op.operand(host::ArraySet::ARRAY_INDEX)])),
            None => value
                .as_argument()
                .map(|(block, index)| forwarded_to(block, index)),
        };
        match sources {
            Some(Some(sources)) => sources.iter().for_each(|source| match numbers.get(source) {
                Some(source) => {
                    sets.union(number, *source);
                }
                None => open[number] = true,
            }),
            Some(None) => open[number] = true,
            None => {}
        }
    }
    let mut webs: Vec<Web<'a>> = Vec::new();
    let mut by_set = HashMap::default();
    for (number, value) in values.iter().enumerate() {
        let set = *by_set.entry(sets.find(number)).or_insert_with(|| {
            webs.push(Web::default());
            webs.len() - 1
        });
        webs[set].is_open |= open[number];
        add(&mut webs[set], *value, kind, region);
    }
    webs
}

/// Every value of a kind that the blocks of a region define. Values inside operations with regions
/// are not part of control flow here.
fn values<'a>(region: Region<'a>, kind: Kind) -> Vec<Value<'a>> {
    let of_kind = |value: &Value<'a>| Kind::of(*value) == Some(kind);
    let mut values = Vec::new();
    for block in region.blocks() {
        values.extend(block.arguments().filter(of_kind));
        values.extend(block.ops().flat_map(|op| op.results()).filter(of_kind));
    }
    values
}

/// Returns the values that the branches to a block forward to an argument; `None` if it has another
/// origin, such as a branch on an enum.
fn forwarded_to<'a>(block: Block<'a>, index: usize) -> Option<Vec<Value<'a>>> {
    if block.is_entry() {
        return None;
    }
    let incoming = block.incoming();
    let values = incoming
        .iter()
        .map(|(branch, number)| match branch.isa::<host::SwitchEnum>() {
            true => None,
            false => branch.successor_operands(*number)?.value(index),
        });
    values.collect()
}

fn add<'a>(web: &mut Web<'a>, value: Value<'a>, kind: Kind, region: Region<'a>) {
    match value.defining_op() {
        Some(op) if kind.is_maker(op) => web.makers.push(op),
        Some(op) if kind.is_change(op) => web.changes.push(op),
        Some(_) => web.is_open = true,
        None => web.arguments.push(value),
    }
    // Uses come newest first.
    let mut uses: Vec<_> = value.uses().collect();
    uses.reverse();
    for found in uses {
        let is_inside = found.owner.parent_region() == Some(region);
        if is_inside && kind.is_reader(found) {
            web.readers.push(found.owner);
        } else if is_inside && kind.is_whole(found) {
            web.wholes.push(found);
        } else if !(is_forwarded(found) || is_inside && kind.is_changed(found)) {
            web.is_open = true;
        }
    }
}

impl<'a> Web<'a> {
    /// By block: the positions of its arguments, ascending.
    fn by_block(&self) -> Vec<(Block<'a>, Vec<usize>)> {
        let mut blocks: Vec<(Block<'a>, Vec<usize>)> = Vec::new();
        let arguments = self
            .arguments
            .iter()
            .filter_map(|value| value.as_argument());
        for (block, index) in arguments {
            match blocks.last_mut() {
                Some((last, indices)) if *last == block => indices.push(index),
                _ => blocks.push((block, vec![index])),
            }
        }
        blocks
    }

    /// Adds block arguments for parts of these types for each block argument, forwarded by every
    /// branch, and adds the parts of each to `parts`, which has those of the makers.
    pub(crate) fn forward_parts(
        &self,
        types: &[Type<'a>],
        parts: &mut HashMap<Value<'a>, Vec<Value<'a>>>,
    ) {
        self.add_arguments(types, parts);
        self.append_parts(parts);
    }

    /// Adds block arguments for parts of these types for each block argument, and adds these to
    /// `parts`.
    pub(crate) fn add_arguments(
        &self,
        types: &[Type<'a>],
        parts: &mut HashMap<Value<'a>, Vec<Value<'a>>>,
    ) {
        for old in &self.arguments {
            let (block, _) = old.as_argument().expect("it is a block argument");
            let new = types
                .iter()
                .map(|ty| block.add_argument(*ty, old.location()));
            parts.insert(*old, new.collect());
        }
    }

    /// Makes each branch forward the parts of the values that it forwards.
    pub(crate) fn append_parts(&self, parts: &HashMap<Value<'a>, Vec<Value<'a>>>) {
        for (block, indices) in self.by_block() {
            for (branch, number) in block.incoming() {
                let operands = branch
                    .successor_operands(number)
                    .expect("branches alone forward the values of a closed web");
                let values: Vec<_> = indices
                    .iter()
                    .filter_map(|index| operands.value(*index))
                    .flat_map(|value| parts[&value].iter().copied())
                    .collect();
                operands.append(&values);
            }
        }
    }

    /// Erases the block arguments, the operands forwarded to them, the changes and the makers. They
    /// must have no other use.
    pub(crate) fn erase(&self) {
        let blocks = self.by_block();
        for (block, indices) in &blocks {
            block.erase_forwarded(indices);
        }
        // A change may use another one that comes later in the text.
        self.changes.iter().for_each(|op| op.drop_all_references());
        self.changes.iter().for_each(|op| op.erase());
        for (block, indices) in blocks {
            indices
                .into_iter()
                .rev()
                .for_each(|index| block.erase_argument(index));
        }
        self.makers.iter().for_each(|maker| maker.erase());
    }
}

/// Returns whether a use is that of a branch which forwards the value.
fn is_forwarded(found: Use<'_>) -> bool {
    let numbers = 0..found.owner.num_successors();
    numbers
        .filter_map(|number| found.owner.successor_operands(number))
        .any(|operands| operands.holds(found.operand))
}

/// Builds placeholder values that are never read.
pub(crate) fn undefined<'a>(builder: &mut Builder<'a>, types: &[Type<'a>]) -> Vec<Value<'a>> {
    let undef = |ty: &Type<'a>| host::Undef::build(builder, *ty).result();
    types.iter().map(undef).collect()
}
