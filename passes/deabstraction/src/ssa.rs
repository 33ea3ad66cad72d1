//! `tfx-ssa`: promotes variables to SSA values, for any control flow.
//!
//! ```text
//!   %v = tfx_host.var               ^header(%v: T):
//!   store %a, %v                      ...
//!   ^header: ...             ──►      %b = f(%v)
//!   %x = load %v                      br ^header(%b)
//!   store f(%x), %v; br ^header
//! ```
//!
//! # Algorithm
//!
//! 1. A variable is promoted if every use of its reference is a load or a store in the variable's
//!    own region.
//! 2. Block arguments (phis) are planned on the iterated dominance frontier of the blocks that
//!    write the variable, within the blocks that the variable's own block dominates; a variable
//!    that no block reads before it writes it there needs none (Cytron, Ferrante, Rosen, Wegman,
//!    Zadeck, "Efficiently Computing Static Single Assignment Form", 1991; Briggs, Cooper, Harvey,
//!    Simpson, 1998).
//! 3. A walk of the dominator tree finds the definition that each load reads: a value, a phi, or
//!    nothing. The variable's own declaration writes "nothing", so a variable that is declared in a
//!    loop is new in every iteration.
//! 4. A load that may read nothing is an error. Nothing has been changed up to here.
//! 5. Only the phis that a load needs, directly or through other phis, become block arguments. A
//!    load that is only stored again needs none by itself, so the result is pruned without a
//!    liveness analysis.
//!
//! # Cost
//!
//! Linear in operations, in the size of the dominance frontiers (see `cfg.rs`) and in the planned
//! phis. No step walks the blocks in which a variable is live.
//!
//! # Non-guarantees
//!
//! A variable whose reference has other uses (a call that was not inlined, a closure, a branch) is
//! left alone with a remark. A variable that is used inside structured control flow is an error:
//! `convert-scf-to-cf`, which `tfx-deabstract` runs first, turns that into a graph of blocks.
//! Unreachable blocks are erased.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use tfx_dialects::host;

use melior::ir::{Location, Type};
use tfx_dialects::types::{HostType, host_type, is_generic};
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Op, Region, Value};

use crate::cfg::{self, Cfg};

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Ssa;

const PROMOTED: Statistic = Statistic::new("variables-promoted", "Promoted variables");
const PHIS: Statistic = Statistic::new("phis-inserted", "Block arguments added for them");

tfx_ir::options! {
    /// The options of `tfx-ssa`.
    pub struct SsaOptions {
        /// Report why a variable is not promoted. `tfx-deabstract` reports the remaining variables
        /// at its end instead.
        remarks: bool = true,
    }
}

impl Pass for Ssa {
    type Options = SsaOptions;
    const NAME: &'static str = "TfxSsa";
    const ARGUMENT: &'static str = "tfx-ssa";
    const DESCRIPTION: &'static str = "Promote variables to SSA values";
    const ANCHOR: Anchor = Anchor::Function;
    const STATISTICS: &'static [Statistic] = &[PROMOTED, PHIS];

    fn run<'a>(&mut self, func: Op<'a>, cx: &PassContext<'a, SsaOptions>) -> PassResult {
        if is_generic(func) {
            return Ok(());
        }
        let (promoted, phis) = promote_all(func, cx.options().remarks)?;
        cx.count(PROMOTED, promoted);
        cx.count(PHIS, phis);
        Ok(())
    }
}

/// Promotes the variables of a function. Returns the number of variables, and of the block
/// arguments that they need.
pub(crate) fn promote_all(func: Op<'_>, remarks: bool) -> Result<(u64, u64), Diagnostics<'_>> {
    let (mut promoted, mut phis) = (0, 0);
    for region in regions_with_variables(func) {
        cfg::erase_unreachable_blocks(region);
        let variables = promotable_variables(region, remarks)?;
        if variables.is_empty() {
            continue;
        }
        let promotion = Promotion::plan(region, variables);
        promotion.check_reads()?;
        promoted += promotion.variables.len() as u64;
        phis += promotion.apply()?;
    }
    Ok((promoted, phis))
}

/// Returns each region that declares a variable, outer ones first.
fn regions_with_variables(func: Op<'_>) -> Vec<Region<'_>> {
    let mut seen = HashSet::default();
    let variables = func.walk().filter(|op| op.isa::<host::Var>());
    variables
        .filter_map(Op::parent_region)
        .filter(|region| seen.insert(*region))
        .collect()
}

/// Returns the variables of a region that can be promoted, in the order of their declaration.
/// Reports why the others cannot.
fn promotable_variables(
    region: Region<'_>,
    remarks: bool,
) -> Result<Vec<Variable<'_>>, Diagnostics<'_>> {
    let mut promotable = Vec::new();
    let mut diagnostics = Diagnostics::default();
    let ops = region.blocks().flat_map(|block| block.ops());
    for op in ops.filter(|op| op.isa::<host::Var>()) {
        match obstacle(op, region) {
            None => promotable.push(Variable::new(op)),
            Some(Obstacle::Nested(user)) => diagnostics.push(nested(op, user, region)),
            Some(Obstacle::Escape(user)) if remarks => diagnostics.push(escapes(op, user)),
            Some(Obstacle::Escape(_)) => {}
        }
    }
    diagnostics.finish()?;
    Ok(promotable)
}

/// The reason why a variable is not promoted.
enum Obstacle<'a> {
    /// Its reference has a use that is neither a load nor a store.
    Escape(Op<'a>),
    /// It is read or written inside an operation with regions.
    Nested(Op<'a>),
}

fn obstacle<'a>(variable: Op<'a>, region: Region<'a>) -> Option<Obstacle<'a>> {
    // Uses come newest first; the first in the text reads best.
    let uses: Vec<_> = variable.result(0).uses().collect();
    let is_access = |owner: Op<'a>, operand| {
        owner.isa::<host::Load>() || owner.isa::<host::Store>() && operand == STORE_REF
    };
    let mut in_order = uses.iter().rev();
    if let Some(escape) = in_order.find(|found| !is_access(found.owner, found.operand)) {
        return Some(Obstacle::Escape(escape.owner));
    }
    let is_nested = |owner: &Op<'a>| owner.parent_region() != Some(region);
    let mut in_order = uses.iter().rev().map(|found| found.owner);
    in_order.find(is_nested).map(Obstacle::Nested)
}

fn nested<'a>(variable: Op<'a>, user: Op<'a>, region: Region<'a>) -> Diagnostic<'a> {
    let outer = user
        .ancestors()
        .find(|op| op.parent_region() == Some(region))
        .unwrap_or(user);
    let message = format!(
        "variable is used inside '{}', which tfx-ssa does not support: run convert-scf-to-cf first, as the pipeline tfx-deabstract does",
        outer.name()
    );
    diag::error(user.location(), message).note(variable.location(), "the variable is declared here")
}

fn escapes<'a>(variable: Op<'a>, user: Op<'a>) -> Diagnostic<'a> {
    let place = match user.symbol("callee") {
        Some(callee) => format!("its reference is passed to '@{callee}' here"),
        None => format!("its reference is used by '{}' here", user.name()),
    };
    diag::remark(
        variable.location(),
        "variable stays a variable on the host: its reference escapes",
    )
    .note(user.location(), place)
}

const STORE_REF: usize = host::Store::REFERENCE_INDEX;
const STORE_VALUE: usize = host::Store::VALUE_INDEX;

/// A variable that is promoted.
struct Variable<'a> {
    op: Op<'a>,
    ty: Type<'a>,
}

impl<'a> Variable<'a> {
    fn new(op: Op<'a>) -> Self {
        let Some(HostType::Ref(ty)) = host_type(op.result(0).ty()) else {
            unreachable!("the verifier gives a variable a reference type")
        };
        Self { op, ty }
    }

    fn location(&self) -> Location<'a> {
        self.op.location()
    }
}

/// The content of a variable at some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Def<'a> {
    /// Nothing was written since the declaration.
    Nothing,
    Value(Value<'a>),
    /// The value that control flow selects; an index into `Promotion::phis`.
    Phi(usize),
}

/// A planned block argument.
struct Phi<'a> {
    variable: usize,
    block: usize,
    /// One for each of `Promotion::incoming` of the block, in that order.
    operands: Vec<Def<'a>>,
}

/// A load, a store or a declaration.
struct Access<'a> {
    op: Op<'a>,
    variable: usize,
    kind: AccessKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AccessKind {
    Declare,
    Load,
    Store,
}

/// The facts that are collected before the IR is changed.
struct Promotion<'a> {
    cfg: Cfg<'a>,
    variables: Vec<Variable<'a>>,
    /// By block, in program order.
    accesses: Vec<Vec<Access<'a>>>,
    phis: Vec<Phi<'a>>,
    /// By block.
    phis_of_block: Vec<Vec<usize>>,
    /// By block: the branches to it, as terminator and successor.
    incoming: Vec<Vec<(Op<'a>, usize)>>,
    /// The content that each load reads.
    reads: HashMap<Op<'a>, Def<'a>>,
}

impl<'a> Promotion<'a> {
    fn plan(region: Region<'a>, variables: Vec<Variable<'a>>) -> Self {
        let cfg = Cfg::new(region);
        let accesses = accesses(&cfg, &variables);
        let blocks = cfg.len();
        let mut promotion = Self {
            cfg,
            variables,
            accesses,
            phis: Vec::new(),
            phis_of_block: vec![Vec::new(); blocks],
            incoming: vec![Vec::new(); blocks],
            reads: HashMap::default(),
        };
        promotion.place_phis();
        promotion.rename();
        promotion
    }

    /// Plans phis where different writes of a variable can meet.
    fn place_phis(&mut self) {
        let writes = self.writing_blocks();
        // The last variable that got a phi in the block, plus one: a set that need not be cleared.
        let mut placed = vec![0; self.cfg.len()];
        for (variable, writes) in writes.into_iter().enumerate() {
            if !writes.read_before_write {
                continue;
            }
            let block = self.variables[variable].op.block();
            let declared = self.cfg.position(block.expect("a variable is in a block"));
            let mut pending = writes.blocks;
            while let Some(block) = pending.pop() {
                for &join in self.cfg.frontier(block) {
                    if placed[join] != variable + 1 && self.cfg.strictly_dominates(declared, join) {
                        placed[join] = variable + 1;
                        self.phis_of_block[join].push(self.phis.len());
                        self.phis.push(Phi {
                            variable,
                            block: join,
                            operands: Vec::new(),
                        });
                        pending.push(join);
                    }
                }
            }
        }
    }

    /// By variable: the blocks that write it (its declaration does), and whether any block reads a
    /// value that another one wrote.
    fn writing_blocks(&self) -> Vec<Writes> {
        let mut writes: Vec<Writes> = self.variables.iter().map(|_| Writes::default()).collect();
        for (block, accesses) in self.accesses.iter().enumerate() {
            for access in accesses {
                let writes = &mut writes[access.variable];
                let written_here = writes.blocks.last() == Some(&block);
                match access.kind {
                    AccessKind::Load => writes.read_before_write |= !written_here,
                    _ if !written_here => writes.blocks.push(block),
                    _ => {}
                }
            }
        }
        writes
    }

    /// Walks the dominator tree with the contents of each variable, and records the contents at
    /// loads and branches.
    fn rename(&mut self) {
        let mut holds = vec![Def::Nothing; self.variables.len()];
        let mut undo: Vec<(usize, Def<'a>)> = Vec::new();
        let mut stack = vec![Step::Enter(0)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(mark) => {
                    for (variable, def) in undo.drain(mark..).rev() {
                        holds[variable] = def;
                    }
                }
                Step::Enter(block) => {
                    stack.push(Step::Leave(undo.len()));
                    let mut set = |holds: &mut [Def<'a>], variable: usize, def| {
                        undo.push((variable, std::mem::replace(&mut holds[variable], def)));
                    };
                    for &phi in &self.phis_of_block[block] {
                        set(&mut holds, self.phis[phi].variable, Def::Phi(phi));
                    }
                    for access in &self.accesses[block] {
                        match access.kind {
                            AccessKind::Declare => set(&mut holds, access.variable, Def::Nothing),
                            AccessKind::Load => {
                                self.reads.insert(access.op, holds[access.variable]);
                            }
                            AccessKind::Store => {
                                let def = self.resolve(access.op.operand(STORE_VALUE));
                                set(&mut holds, access.variable, def);
                            }
                        }
                    }
                    self.forward(block, &holds);
                    let children = self.cfg.children(block).iter();
                    stack.extend(children.map(|child| Step::Enter(*child)));
                }
            }
        }
    }

    /// Returns a value after the promotion: that of a promoted load is the content that it reads.
    fn resolve(&self, value: Value<'a>) -> Def<'a> {
        let read = value.defining_op().and_then(|op| self.reads.get(&op));
        read.copied().unwrap_or(Def::Value(value))
    }

    /// Adds the contents of the variables at the end of a block to the phis of its successors.
    fn forward(&mut self, block: usize, holds: &[Def<'a>]) {
        let Some(terminator) = self.cfg.block(block).last() else {
            return;
        };
        for (number, successor) in terminator.successors().enumerate() {
            let successor = self.cfg.position(successor);
            if self.phis_of_block[successor].is_empty() {
                continue;
            }
            self.incoming[successor].push((terminator, number));
            for &phi in &self.phis_of_block[successor] {
                let phi = &mut self.phis[phi];
                phi.operands.push(holds[phi.variable]);
            }
        }
    }
}

/// The facts about a variable that `place_phis` needs.
#[derive(Default)]
struct Writes {
    blocks: Vec<usize>,
    read_before_write: bool,
}

enum Step {
    Enter(usize),
    /// Restore the contents before the block.
    Leave(usize),
}

/// Returns the accesses of each block.
fn accesses<'a>(cfg: &Cfg<'a>, variables: &[Variable<'a>]) -> Vec<Vec<Access<'a>>> {
    let index: HashMap<_, _> = variables
        .iter()
        .enumerate()
        .map(|(index, variable)| (variable.op.result(0), index))
        .collect();
    let access = |op: Op<'a>| {
        let (reference, kind) = match op.name() {
            host::Var::NAME => (op.result(0), AccessKind::Declare),
            host::Load::NAME => (op.operand(0), AccessKind::Load),
            host::Store::NAME => (op.operand(STORE_REF), AccessKind::Store),
            _ => return None,
        };
        Some(Access {
            op,
            variable: *index.get(&reference)?,
            kind,
        })
    };
    (0..cfg.len())
        .map(|block| cfg.block(block).ops().filter_map(access).collect())
        .collect()
}

/// Reads of variables that may be unwritten.
impl<'a> Promotion<'a> {
    /// Returns an error for each load that can be reached without a write.
    fn check_reads(&self) -> Result<(), Diagnostics<'a>> {
        let unset = self.phis_that_may_be_unset();
        let mut errors = Diagnostics::default();
        let mut last = None;
        // Blocks in program order, so that the errors are.
        let region = self.cfg.block(0).region().expect("blocks are in a region");
        let accesses = region
            .blocks()
            .flat_map(|block| &self.accesses[self.cfg.position(block)]);
        for load in accesses.filter(|access| access.kind == AccessKind::Load) {
            // One read of a struct is a load for each of its leaves, all at one location.
            if last != Some(load.op.location())
                && let Some(error) = self.unset_read(load, &unset)
            {
                last = Some(load.op.location());
                errors.push(error);
            }
        }
        errors.finish()
    }

    /// Returns the error of a load, if there is one.
    fn unset_read(&self, load: &Access<'a>, unset: &[bool]) -> Option<Diagnostic<'a>> {
        let declared = self.variables[load.variable].location();
        let error =
            |message: &str| diag::error(load.op.location(), message).note(declared, DECLARED_HERE);
        match self.reads[&load.op] {
            Def::Nothing => Some(error("variable is read before it is written")),
            Def::Phi(phi) if unset[phi] => {
                let branch = self.branch_without_write(phi, unset);
                let error = error(
                    "variable is read before it is written on some path: write it on every path to here",
                );
                Some(error.note(branch.location(), "the path from here does not write it"))
            }
            Def::Phi(_) | Def::Value(_) => None,
        }
    }

    /// By phi: whether some path to it does not write the variable.
    fn phis_that_may_be_unset(&self) -> Vec<bool> {
        let mut users = vec![Vec::new(); self.phis.len()];
        let mut unset = vec![false; self.phis.len()];
        let mut pending = Vec::new();
        for (index, phi) in self.phis.iter().enumerate() {
            for operand in &phi.operands {
                match operand {
                    Def::Phi(operand) => users[*operand].push(index),
                    Def::Nothing if !unset[index] => {
                        unset[index] = true;
                        pending.push(index);
                    }
                    _ => {}
                }
            }
        }
        while let Some(phi) = pending.pop() {
            for &user in &users[phi] {
                if !unset[user] {
                    unset[user] = true;
                    pending.push(user);
                }
            }
        }
        unset
    }

    /// Returns a branch by which a path without a write reaches a phi, or one of its operands.
    fn branch_without_write(&self, phi: usize, unset: &[bool]) -> Op<'a> {
        let mut seen = HashSet::from_iter([phi]);
        let mut pending = std::collections::VecDeque::from([phi]);
        while let Some(index) = pending.pop_front() {
            let phi = &self.phis[index];
            for (operand, (branch, _)) in phi.operands.iter().zip(&self.incoming[phi.block]) {
                match operand {
                    Def::Nothing => return *branch,
                    Def::Phi(operand) if unset[*operand] && seen.insert(*operand) => {
                        pending.push_back(*operand)
                    }
                    _ => {}
                }
            }
        }
        unreachable!("a phi that may be unset has a path without a write")
    }
}

const DECLARED_HERE: &str = "the variable is declared here";

/// Changing the IR.
impl<'a> Promotion<'a> {
    /// Adds the needed phis, replaces the loads, and erases all accesses. Returns the number of
    /// phis.
    fn apply(&self) -> Result<u64, Diagnostic<'a>> {
        let needed = self.needed_phis();
        self.check_branches(&needed)?;
        let arguments = self.add_arguments(&needed);
        self.add_operands(&arguments);
        self.erase_accesses(&arguments);
        Ok(needed.iter().filter(|needed| **needed).count() as u64)
    }

    /// Returns the phis that a load needs whose value has a use other than promoted stores.
    fn needed_phis(&self) -> Vec<bool> {
        let stores: HashSet<_> = self
            .accesses
            .iter()
            .flatten()
            .filter(|access| access.kind == AccessKind::Store)
            .map(|access| access.op)
            .collect();
        let mut needed = vec![false; self.phis.len()];
        let mut pending = Vec::new();
        for (load, def) in &self.reads {
            if let Def::Phi(phi) = def
                && !needed[*phi]
                && load
                    .result(0)
                    .uses()
                    .any(|found| !stores.contains(&found.owner))
            {
                needed[*phi] = true;
                pending.push(*phi);
            }
        }
        while let Some(phi) = pending.pop() {
            for operand in &self.phis[phi].operands {
                if let Def::Phi(operand) = operand
                    && !needed[*operand]
                {
                    needed[*operand] = true;
                    pending.push(*operand);
                }
            }
        }
        needed
    }

    /// Every terminator before a phi must be able to forward values.
    fn check_branches(&self, needed: &[bool]) -> Result<(), Diagnostic<'a>> {
        for (phi, _) in self.phis.iter().zip(needed).filter(|(_, needed)| **needed) {
            for &(branch, number) in &self.incoming[phi.block] {
                if branch.successor_operands(number).is_none() {
                    let message = format!(
                        "'{}' cannot forward the value of a variable to its successor",
                        branch.name()
                    );
                    let variable = &self.variables[phi.variable];
                    return Err(diag::error(branch.location(), message)
                        .note(variable.location(), DECLARED_HERE));
                }
            }
        }
        Ok(())
    }

    /// By phi: its block argument, if it is needed.
    fn add_arguments(&self, needed: &[bool]) -> Vec<Option<Value<'a>>> {
        let mut arguments = vec![None; self.phis.len()];
        let phis = self.phis_of_block.iter().flatten().copied();
        for phi in phis.filter(|phi| needed[*phi]) {
            let variable = &self.variables[self.phis[phi].variable];
            let block = self.cfg.block(self.phis[phi].block);
            arguments[phi] = Some(block.add_argument(variable.ty, variable.location()));
        }
        arguments
    }

    fn add_operands(&self, arguments: &[Option<Value<'a>>]) {
        for (block, phis) in self.phis_of_block.iter().enumerate() {
            let phis: Vec<_> = phis
                .iter()
                .copied()
                .filter(|phi| arguments[*phi].is_some())
                .collect();
            if phis.is_empty() {
                continue;
            }
            for (edge, &(branch, number)) in self.incoming[block].iter().enumerate() {
                let values: Vec<_> = phis
                    .iter()
                    .map(|phi| self.value(self.phis[*phi].operands[edge], arguments))
                    .collect();
                branch
                    .successor_operands(number)
                    .expect("check_branches has checked it")
                    .append(&values);
            }
        }
    }

    fn value(&self, def: Def<'a>, arguments: &[Option<Value<'a>>]) -> Value<'a> {
        match def {
            Def::Value(value) => value,
            Def::Phi(phi) => arguments[phi].expect("what is needed needs its operands"),
            Def::Nothing => unreachable!("check_reads has found an error"),
        }
    }

    /// Stores are erased first: then a load without a value is unused.
    fn erase_accesses(&self, arguments: &[Option<Value<'a>>]) {
        let of_kind = |kind| {
            self.accesses
                .iter()
                .flatten()
                .filter(move |access| access.kind == kind)
                .map(|access| access.op)
        };
        of_kind(AccessKind::Store).for_each(Op::erase);
        for load in of_kind(AccessKind::Load) {
            if !load.is_unused() {
                load.result(0)
                    .replace_all_uses_with(self.value(self.reads[&load], arguments));
            }
            load.erase();
        }
        of_kind(AccessKind::Declare).for_each(Op::erase);
    }
}
