//! A structured function as a table of its values, operations and regions, by number.
//!
//! ```text
//!   region 0 ── op ── op(scf.while) ── op ── return          ids grow in program order, so sorting by id
//!                       │                                    is sorting by program order
//!               region 1 (before) ── ... ── condition
//!               region 2 (after)  ── ... ── yield
//! ```
//!
//! Partition queries this table instead of MLIR: the values that flow into a value
//! ([`Function::sources`]), the control that decides whether and how often it is computed
//! ([`Function::controls`]), the slots that a region operation carries. The cost of an answer is
//! its length.
//!
//! Markers (`tfx_comm.to_host`, `tfx_comm.to_accelerator`) are not in the table: their results are
//! aliases of their operands, and the uses record the markers ([`Marks`]).

use std::ops::Index;

macro_rules! id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) u32);
        impl $name {
            pub(crate) fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a function has fewer than 2^32 values"))
            }
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
id!(/// A value: a block argument or a result. Numbered in program order.
    ValueId);
id!(/// An operation. Numbered in program order, an operation before those in its regions.
    OpId);
id!(/// A region of one block. Region 0 is the function's body.
    RegionId);

/// The body of the function.
pub(crate) const BODY: RegionId = RegionId(0);

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A graph operation, which only the graph can run.
    Graph,
    /// Host code: a call, a print, any operation without an equivalent graph operation.
    Host,
    /// Has the same meaning on both sides.
    Flexible,
    /// `scf.if`.
    If,
    /// `scf.index_switch`; region 0 is the default.
    Switch,
    /// `scf.while`; region 0 decides, region 1 is the body.
    While,
    /// `scf.for`.
    For,
    /// `tfx_host.abort`.
    Abort,
    /// The end of a region: a yield, a condition, or the function's return.
    End,
}

impl Kind {
    /// Returns whether it is control flow that partition splits.
    pub(crate) fn has_regions(self) -> bool {
        matches!(self, Kind::If | Kind::Switch) || self.is_loop()
    }

    pub(crate) fn is_loop(self) -> bool {
        matches!(self, Kind::While | Kind::For)
    }
}

/// The markers of one use of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// The value came through `tfx_comm.to_host`.
    pub(crate) to_host: bool,
    /// The value came through `tfx_comm.to_accelerator`.
    pub(crate) to_accelerator: bool,
}

/// An operand: a value and the markers on the path to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) value: ValueId,
    pub(crate) marks: Marks,
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) struct OpData {
    pub(crate) kind: Kind,
    /// It can be erased if its results are unused.
    pub(crate) pure: bool,
    /// The operands. For an operation with regions that partition does not split, the values that
    /// the regions use from outside follow.
    pub(crate) operands: Vec<Use>,
    pub(crate) results: Vec<ValueId>,
    pub(crate) regions: Vec<RegionId>,
    pub(crate) region: RegionId,
    /// The position in its region.
    pub(crate) index: usize,
    /// It gives the same bits on both sides; see [`tfx_dialects::replicable`].
    pub(crate) same_bits: bool,
    /// It can be speculated: it has no effects, and a result for all operands.
    pub(crate) speculatable: bool,
    /// The trip count of a loop, if known.
    pub(crate) trips: Option<u64>,
}

/// A region: its arguments, then its operations, the last of which is the terminator.
#[derive(Clone, Debug)]
pub(crate) struct RegionData {
    pub(crate) owner: Option<OpId>,
    pub(crate) arguments: Vec<ValueId>,
    pub(crate) ops: Vec<OpId>,
    /// The number of regions around it.
    pub(crate) depth: usize,
    /// Control never reaches its end. Operations after the abort are not in `ops`, except the
    /// terminator.
    pub(crate) aborts: bool,
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Def {
    /// An argument of a region.
    Argument(RegionId, usize),
    /// A result of an operation.
    Result(OpId, usize),
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueData {
    pub(crate) def: Def,
    /// Its type exists in a graph, so it can cross, unless it `stays`.
    pub(crate) transferable: bool,
    /// A resource or a variant: it can cross between graphs only.
    pub(crate) graph_only: bool,
    /// It stays where it is computed: a resource, a variant or a tape.
    pub(crate) stays: bool,
    /// The operation that defines it is not in the source: see [`tfx_ir::location::made`].
    pub(crate) made: bool,
    /// The bytes of a message, estimated if the type does not determine them; see
    /// [`crate::weight`].
    pub(crate) bytes: u64,
}

/// The whole function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) values: Vec<ValueData>,
    pub(crate) ops: Vec<OpData>,
    pub(crate) regions: Vec<RegionData>,
}

impl Index<ValueId> for Function {
    type Output = ValueData;
    fn index(&self, id: ValueId) -> &ValueData {
        &self.values[id.index()]
    }
}

impl Index<OpId> for Function {
    type Output = OpData;
    fn index(&self, id: OpId) -> &OpData {
        &self.ops[id.index()]
    }
}

impl Index<RegionId> for Function {
    type Output = RegionData;
    fn index(&self, id: RegionId) -> &RegionData {
        &self.regions[id.index()]
    }
}

impl Function {
    /// Returns all values, in program order.
    pub(crate) fn value_ids(&self) -> impl Iterator<Item = ValueId> + use<> {
        (0..self.values.len()).map(ValueId::new)
    }

    /// Returns all operations, in program order.
    pub(crate) fn op_ids(&self) -> impl DoubleEndedIterator<Item = OpId> + use<> {
        (0..self.ops.len()).map(OpId::new)
    }

    /// Returns the terminator of a region.
    pub(crate) fn end(&self, region: RegionId) -> OpId {
        *self[region]
            .ops
            .last()
            .expect("a region ends with a terminator")
    }

    /// Returns the region in which a value is defined.
    pub(crate) fn region_of(&self, value: ValueId) -> RegionId {
        match self[value].def {
            Def::Argument(region, _) => region,
            Def::Result(op, _) => self[op].region,
        }
    }

    /// Returns whether a value is a result of an operation that only one side can run.
    pub(crate) fn is_pinned(&self, value: ValueId) -> bool {
        matches!(self[value].def, Def::Result(op, _) if matches!(self[op].kind, Kind::Graph | Kind::Host))
    }

    /// Returns the first position in its region at which a value is available, as the number of
    /// operations before it.
    pub(crate) fn available_at(&self, value: ValueId) -> usize {
        match self[value].def {
            Def::Argument(..) => 0,
            Def::Result(op, _) => self[op].index + 1,
        }
    }

    /// Returns the position in the function's body of `op` or of the operation around it.
    pub(crate) fn top_index(&self, op: OpId) -> usize {
        let mut at = op;
        while let Some(owner) = self[self[at].region].owner {
            at = owner;
        }
        self[at].index
    }

    /// Returns the position in the function's body of an operation in `region`, or `index` if that
    /// is the body.
    pub(crate) fn top_index_of(&self, region: RegionId, index: usize) -> usize {
        self[region]
            .owner
            .map_or(index, |owner| self.top_index(owner))
    }

    /// Returns the values that flow into `value` unchanged, or (for a plain operation) its
    /// operands, each with the region in which this happens. Nothing flows out of a region that
    /// aborts.
    pub(crate) fn sources(&self, value: ValueId, mut visit: impl FnMut(Use, RegionId)) {
        let end_operand = |region: RegionId, index: usize, visit: &mut dyn FnMut(Use, RegionId)| {
            if !self[region].aborts {
                visit(self[self.end(region)].operands[index], region);
            }
        };
        match self[value].def {
            Def::Result(op, index) => {
                let data = &self[op];
                match data.kind {
                    Kind::If | Kind::Switch => data
                        .regions
                        .iter()
                        .for_each(|&arm| end_operand(arm, index, &mut visit)),
                    // Operand 0 of a condition is the condition itself.
                    Kind::While => end_operand(data.regions[0], index + 1, &mut visit),
                    Kind::For => {
                        visit(data.operands[FOR_BOUNDS + index], data.region);
                        end_operand(data.regions[0], index, &mut visit);
                    }
                    _ => data
                        .operands
                        .iter()
                        .for_each(|&operand| visit(operand, data.region)),
                }
            }
            Def::Argument(region, index) => {
                let Some(owner) = self[region].owner else {
                    return;
                };
                let data = &self[owner];
                match data.kind {
                    Kind::While if region == data.regions[0] => {
                        visit(data.operands[index], data.region);
                        end_operand(data.regions[1], index, &mut visit);
                    }
                    Kind::While => end_operand(data.regions[0], index + 1, &mut visit),
                    // Argument 0 is the induction variable, which the bounds control.
                    Kind::For if index > 0 => {
                        visit(data.operands[FOR_BOUNDS + index - 1], data.region);
                        end_operand(data.regions[0], index - 1, &mut visit);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the region operation whose control selects the source of a value, or decides how
    /// often it changes.
    pub(crate) fn controller(&self, value: ValueId) -> Option<OpId> {
        let op = self.maker(value)?;
        self[op].kind.has_regions().then_some(op)
    }

    /// Returns the operation that a value is a result of, or that its region belongs to.
    pub(crate) fn maker(&self, value: ValueId) -> Option<OpId> {
        match self[value].def {
            Def::Result(op, _) => Some(op),
            Def::Argument(region, _) => self[region].owner,
        }
    }

    /// Returns the region operation that a side must have to compute a value: the one that controls
    /// it, or the one that contains it.
    pub(crate) fn around(&self, value: ValueId) -> Option<OpId> {
        self.controller(value).or(self[self.region_of(value)].owner)
    }

    /// Returns the values by which a region operation decides: a condition, an index, or the bounds
    /// of a counter, each with the region in which it does.
    pub(crate) fn controls(&self, op: OpId, mut visit: impl FnMut(Use, RegionId)) {
        let data = &self[op];
        match data.kind {
            Kind::If | Kind::Switch => visit(data.operands[0], data.region),
            Kind::While if !self[data.regions[0]].aborts => {
                visit(self[self.end(data.regions[0])].operands[0], data.regions[0])
            }
            Kind::For => data.operands[..FOR_BOUNDS]
                .iter()
                .for_each(|&bound| visit(bound, data.region)),
            _ => {}
        }
    }
}

/// `scf.for` has a lower bound, an upper bound and a step before its initial values.
pub(crate) const FOR_BOUNDS: usize = 3;
