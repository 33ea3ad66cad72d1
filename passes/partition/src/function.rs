//! A structured function as the slicer sees it: values, operations and regions as numbers.
//!
//! ```text
//!   region 0 ── op ── op(scf.while) ── op ── return          ids grow in program order, so sorting by id
//!                       │                                    is sorting by place in the source
//!               region 1 (before) ── ... ── condition
//!               region 2 (after)  ── ... ── yield
//! ```
//!
//! All questions of partition are asked of this table and none of MLIR: which values flow into a value
//! ([`Function::sources`]), what decides whether and how often it is made ([`Function::controls`]), which slots a region
//! operation carries. Answers cost as much as they are long.
//!
//! Markers (`tfx_comm.to_host`, `tfx_comm.to_accelerator`) are not in the table: their results are other names for their operands, and
//! what they say stays on the uses ([`Marks`]).

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

/// What an operation is to partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A graph operation, which only the graph can run.
    Graph,
    /// Host code: a call, a print, whatever has no graph operation with the same meaning.
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
    /// Whether it is control flow that partition takes apart.
    pub(crate) fn has_regions(self) -> bool {
        matches!(self, Kind::If | Kind::Switch | Kind::While | Kind::For)
    }
}

/// What markers said about one use of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// The value came through `tfx_comm.to_host`.
    pub(crate) to_host: bool,
    /// The value came through `tfx_comm.to_accelerator`.
    pub(crate) to_accelerator: bool,
}

/// An operand: a value and what markers said on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) value: ValueId,
    pub(crate) marks: Marks,
}

/// One operation.
#[derive(Clone, Debug)]
pub(crate) struct OpData {
    pub(crate) kind: Kind,
    /// Nothing is lost if nobody uses its results.
    pub(crate) pure: bool,
    /// Its operands. For an operation with regions that partition does not know, what those use from outside comes after.
    pub(crate) operands: Vec<Use>,
    pub(crate) results: Vec<ValueId>,
    pub(crate) regions: Vec<RegionId>,
    pub(crate) region: RegionId,
    /// Its place in its region.
    pub(crate) index: usize,
    /// Both sides get the same bits from it; see [`tfx_dialects::replicable`].
    pub(crate) same_bits: bool,
    /// It may run where the program does not run it: it has no effects, and a value for all operands.
    pub(crate) speculatable: bool,
    /// How often a loop runs its body, where that can be seen.
    pub(crate) trips: Option<u64>,
}

/// One region: its arguments, then its operations, the last of which ends it.
#[derive(Clone, Debug)]
pub(crate) struct RegionData {
    pub(crate) owner: Option<OpId>,
    pub(crate) arguments: Vec<ValueId>,
    pub(crate) ops: Vec<OpId>,
    /// How many regions are around it.
    pub(crate) depth: usize,
    /// Control never reaches its end. What would follow the abort is not in `ops`, except the end.
    pub(crate) aborts: bool,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Def {
    /// An argument of a region.
    Argument(RegionId, usize),
    /// A result of an operation.
    Result(OpId, usize),
}

/// One value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueData {
    pub(crate) def: Def,
    /// Its type exists in a graph and can cross.
    pub(crate) transferable: bool,
    /// A resource or a variant: it may cross between graphs only.
    pub(crate) graph_only: bool,
    /// Nobody wrote the operation that makes it: see [`tfx_ir::location::made`].
    pub(crate) made: bool,
    /// What it would carry if it crossed, as an estimate where its type does not say; see [`crate::weight`].
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
    /// All values, in program order.
    pub(crate) fn value_ids(&self) -> impl Iterator<Item = ValueId> + use<> {
        (0..self.values.len()).map(ValueId::new)
    }

    /// All operations, in program order.
    pub(crate) fn op_ids(&self) -> impl DoubleEndedIterator<Item = OpId> + use<> {
        (0..self.ops.len()).map(OpId::new)
    }

    /// The operation that ends a region.
    pub(crate) fn end(&self, region: RegionId) -> OpId {
        *self[region]
            .ops
            .last()
            .expect("a region ends with a terminator")
    }

    /// The region in which a value is defined.
    pub(crate) fn region_of(&self, value: ValueId) -> RegionId {
        match self[value].def {
            Def::Argument(region, _) => region,
            Def::Result(op, _) => self[op].region,
        }
    }

    /// The first place in its region at which a value exists, as the number of operations before it.
    pub(crate) fn available_at(&self, value: ValueId) -> usize {
        match self[value].def {
            Def::Argument(..) => 0,
            Def::Result(op, _) => self[op].index + 1,
        }
    }

    /// The place in the function's body of `op` or of what is around it.
    pub(crate) fn top_index(&self, op: OpId) -> usize {
        let mut at = op;
        while let Some(owner) = self[self[at].region].owner {
            at = owner;
        }
        self[at].index
    }

    /// The place in the function's body of an operation in `region`, or `index` where that is the body.
    pub(crate) fn top_index_of(&self, region: RegionId, index: usize) -> usize {
        self[region]
            .owner
            .map_or(index, |owner| self.top_index(owner))
    }

    /// The values that flow into `value` unchanged, or (for a plain operation) that it is computed from, each with the region in which
    /// that happens. Nothing flows out of a region that aborts.
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
                    // Argument 0 is the counter, which its bounds control.
                    Kind::For if index > 0 => {
                        visit(data.operands[FOR_BOUNDS + index - 1], data.region);
                        end_operand(data.regions[0], index - 1, &mut visit);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The region operation whose control decides which of its sources a value is, or how often it changes.
    pub(crate) fn controller(&self, value: ValueId) -> Option<OpId> {
        let op = self.maker(value)?;
        self[op].kind.has_regions().then_some(op)
    }

    /// The operation that a value is a result of, or that its region belongs to.
    pub(crate) fn maker(&self, value: ValueId) -> Option<OpId> {
        match self[value].def {
            Def::Result(op, _) => Some(op),
            Def::Argument(region, _) => self[region].owner,
        }
    }

    /// The region operation that a side must have to make a value: the one that controls it, or the one that it is in.
    pub(crate) fn around(&self, value: ValueId) -> Option<OpId> {
        self.controller(value).or(self[self.region_of(value)].owner)
    }

    /// The values by which a region operation decides: a condition, an index, or the bounds of a counter; each with the region in which
    /// it does.
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
