//! Projection: reduces a function to the events of its programs.
//!
//! ```text
//!   func @f                            list 0:  region 0, finish
//!     %p = start @f.graph                         │
//!     scf.while ... {                  list 1 (before):  send 0
//!       send %go to %p 0               list 2 (after):   recv 1, region 1
//!     } do {                                                 │
//!       recv %p from 1                 list 3 (then):    terminate
//!       call @anything                 list 4 (else):    empty
//!       scf.if %bad { terminate; abort }
//!     }
//!     finish %p
//! ```
//!
//! One walk builds the lists of all programs that a function starts, and checks their lifetime:
//! each must be finished or terminated exactly once on each path ([`crate::lifetime`]). The same
//! walk projects a graph, whose only program always runs.
//!
//! A list contains a region only if the program has an event inside. A list is created at its first
//! event, below the lists that are open already, so the cost is linear. The stack is explicit.

use rustc_hash::FxHashMap;
use tfx_dialects::comm::{self, CommOp};
use tfx_dialects::{host, tensor};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{Structured, func};
use tfx_ir::{Block, Op, Value};

use crate::events::{
    Event, List, ListId, Program, ProgramId, Projection, RegionId, RegionOp, Side, Summary,
};
use crate::lifetime::{self, Running};

impl<'a> Projection<'a> {
    /// Projects a host function onto the programs that it starts.
    pub(crate) fn of_host(function: func::Func<'a>) -> Result<Self, Diagnostic<'a>> {
        Walker::new(Side::Host).walk(function.op())
    }

    /// Projects a graph onto its channels.
    pub(crate) fn of_graph(graph: tensor::Graph<'a>) -> Result<Self, Diagnostic<'a>> {
        let mut walker = Walker::new(Side::Graph);
        walker.add_program(None);
        walker.walk(graph.op())
    }
}

/// A block on the stack of the walk.
struct Frame<'a> {
    block: Block<'a>,
    next: Option<Op<'a>>,
    /// The programs that have a list for this block.
    opened: Vec<ProgramId>,
    /// The programs that are started in this block.
    started: Vec<ProgramId>,
    /// The operation around the block.
    owner: Option<Owner<'a>>,
}

/// A structured operation whose regions are walked.
struct Owner<'a> {
    op: Structured<'a>,
    region: usize,
    /// The programs that run before it.
    entry: Running,
    /// The programs that run after the regions so far.
    exit: Option<Running>,
}

/// The lists of a program for the blocks on the stack, outermost first.
struct OpenLists {
    lists: Vec<ListId>,
    /// The frame of the first list.
    frame: usize,
}

struct Walker<'a> {
    side: Side,
    projection: Projection<'a>,
    frames: Vec<Frame<'a>>,
    /// For each program.
    open: Vec<OpenLists>,
    by_handle: FxHashMap<Value<'a>, ProgramId>,
    running: Running,
}

impl<'a> Walker<'a> {
    fn new(side: Side) -> Self {
        Walker {
            side,
            projection: Projection::default(),
            frames: Vec::new(),
            open: Vec::new(),
            by_handle: FxHashMap::default(),
            running: Running::NO_PROGRAM,
        }
    }

    fn walk(mut self, function: Op<'a>) -> Result<Projection<'a>, Diagnostic<'a>> {
        let block = function.region(0).single_block();
        self.enter(block.ok_or_else(|| unstructured(function))?, None);
        while let Some(frame) = self.frames.last_mut() {
            let Some(op) = frame.next else {
                self.leave()?;
                continue;
            };
            frame.next = op.next();
            self.visit(op)?;
        }
        self.projection.summarize();
        Ok(self.projection)
    }

    fn enter(&mut self, block: Block<'a>, owner: Option<Owner<'a>>) {
        self.frames.push(Frame {
            block,
            next: block.first(),
            opened: Vec::new(),
            started: Vec::new(),
            owner,
        });
    }

    fn visit(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        if let Some(op) = CommOp::cast(op) {
            return self.communication(op);
        }
        match op.name() {
            host::Abort::NAME => {
                if let Some(&program) = self.running.programs().first() {
                    return Err(lifetime::aborts(op, self.start_of(program)));
                }
                self.running = Running::UNREACHABLE;
            }
            host::Unreachable::NAME => self.running = Running::UNREACHABLE,
            _ if op.num_regions() == 0 => self.check_operands(op)?,
            _ => {
                if let Some(op) = Structured::cast(op) {
                    return self.region(op, 0, self.running.clone(), None);
                }
                self.check_operands(op)?;
                if let Some(inside) = op.walk().skip(1).find(|op| is_event(*op)) {
                    return Err(unknown_control_flow(inside, op));
                }
            }
        }
        Ok(())
    }

    /// Rejects the use of a program by an operation that is not an event.
    fn check_operands(&self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        if self.by_handle.is_empty() {
            return Ok(());
        }
        let mut operands = op.operands();
        match operands.find_map(|operand| self.by_handle.get(&operand)) {
            Some(&program) => Err(escapes(op, self.start_of(program))),
            None => Ok(()),
        }
    }

    fn communication(&mut self, op: CommOp<'a>) -> Result<(), Diagnostic<'a>> {
        let (handle, event) = match op {
            CommOp::Send(op) => (op.program(), Event::Send(op, op.channel())),
            CommOp::Recv(op) => (op.program(), Event::Receive(op, op.channel())),
            CommOp::ToHost(_) | CommOp::ToAccelerator(_) | CommOp::Copy(_) => {
                return self.check_operands(op.op());
            }
            _ if self.side == Side::Graph => return Err(only_on_host(op.op())),
            CommOp::Start(op) => {
                self.start(op);
                return Ok(());
            }
            CommOp::Finish(op) => (Some(op.program()), Event::Finish(op.op())),
            CommOp::Terminate(op) => (Some(op.program()), Event::Terminate(op.op())),
        };
        if !self.running.is_reachable() {
            return Ok(());
        }
        let program = match self.side {
            Side::Graph => 0,
            Side::Host => {
                let known = handle.and_then(|handle| self.by_handle.get(&handle).copied());
                let program = known.ok_or_else(|| unknown_start(op.op()))?;
                if !self.running.contains(program) {
                    return Err(lifetime::has_ended(op.op(), self.start_of(program)));
                }
                program
            }
        };
        if matches!(event, Event::Finish(_) | Event::Terminate(_)) {
            self.running.end(program);
        }
        let list = self.current_list(program);
        self.projection.lists[list].events.push(event);
        Ok(())
    }

    fn start_of(&self, program: ProgramId) -> comm::Start<'a> {
        let start = self.projection.programs[program].start;
        start.expect("a program of a host function has a start")
    }

    fn start(&mut self, op: comm::Start<'a>) {
        if !self.running.is_reachable() {
            return;
        }
        let program = self.add_program(Some(op));
        self.by_handle.insert(op.program(), program);
        self.running.start(program);
        let frame = self.frames.last_mut().expect("operations are in blocks");
        frame.started.push(program);
    }

    fn add_program(&mut self, start: Option<comm::Start<'a>>) -> ProgramId {
        let list = self.new_list();
        self.projection.programs.push(Program { start, list });
        self.open.push(OpenLists {
            lists: vec![list],
            frame: self.frames.len().saturating_sub(1),
        });
        self.open.len() - 1
    }

    fn new_list(&mut self) -> ListId {
        self.projection.lists.push(List::default());
        self.projection.lists.len() - 1
    }

    /// Returns the list of a program for the current block. Creates it, and those of the blocks
    /// around it, if necessary.
    fn current_list(&mut self, program: ProgramId) -> ListId {
        loop {
            let OpenLists { lists, frame } = &self.open[program];
            let parent = *lists.last().expect("the first list stays open");
            let depth = frame + lists.len();
            if depth == self.frames.len() {
                return parent;
            }
            let owner = self.frames[depth].owner.as_ref();
            let owner = owner.expect("only the body has no owner");
            let (op, index) = (owner.op, owner.region);
            let region = self.region_op(parent, op);
            let list = self.new_list();
            self.projection.regions[region].lists[index] = Some(list);
            self.open[program].lists.push(list);
            self.frames[depth].opened.push(program);
        }
    }

    /// Returns the last event of a list, which is `op`. Creates it if necessary.
    fn region_op(&mut self, parent: ListId, op: Structured<'a>) -> RegionId {
        let Projection { lists, regions, .. } = &mut self.projection;
        if let Some(&Event::Region(region)) = lists[parent].events.last()
            && regions[region].op == op
        {
            return region;
        }
        let region = regions.len();
        regions.push(RegionOp {
            op,
            lists: vec![None; op.op().num_regions()],
            summary: Summary::default(),
        });
        lists[parent].events.push(Event::Region(region));
        region
    }

    /// Continues with region `index` of `op`, or after `op`.
    fn region(
        &mut self,
        op: Structured<'a>,
        index: usize,
        entry: Running,
        exit: Option<Running>,
    ) -> Result<(), Diagnostic<'a>> {
        if index == op.op().num_regions() {
            self.running = exit.expect("a structured operation has a region");
            return Ok(());
        }
        let region = op.op().region(index);
        // The empty `else` region of an `scf.if`.
        if region.is_empty() {
            let exit = self.join(op, exit, entry.clone())?;
            return self.region(op, index + 1, entry, Some(exit));
        }
        let block = region.single_block();
        let block = block.ok_or_else(|| unstructured(op.op()))?;
        self.running = match (op, &exit) {
            // The second region runs after the first.
            (Structured::While(_), Some(after)) => after.clone(),
            _ => entry.clone(),
        };
        let owner = Owner {
            op,
            region: index,
            entry,
            exit,
        };
        self.enter(block, Some(owner));
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Diagnostic<'a>> {
        let frame = self.frames.pop().expect("a block is left once");
        for program in frame.opened {
            self.open[program].lists.pop();
        }
        if !self.running.is_reachable() {
            self.projection.unreachable_ends.insert(frame.block);
        }
        let mut started = frame.started.into_iter();
        if let Some(program) = started.find(|program| self.running.contains(*program)) {
            return Err(lifetime::never_ends(self.start_of(program)));
        }
        let Some(owner) = frame.owner else {
            return Ok(());
        };
        let end = std::mem::replace(&mut self.running, Running::UNREACHABLE);
        let exit = match owner.op {
            Structured::For(_) => {
                self.check_loop(owner.op, &owner.entry, &end)?;
                owner.entry.clone()
            }
            Structured::While(_) => {
                self.check_loop(owner.op, &owner.entry, &end)?;
                owner.exit.unwrap_or(end)
            }
            Structured::If(_) | Structured::Switch(_) => self.join(owner.op, owner.exit, end)?,
        };
        self.region(owner.op, owner.region + 1, owner.entry, Some(exit))
    }

    fn join(
        &self,
        op: Structured<'a>,
        one: Option<Running>,
        other: Running,
    ) -> Result<Running, Diagnostic<'a>> {
        let Some(one) = one else { return Ok(other) };
        let joined = one.join(other);
        joined.map_err(|program| lifetime::ends_in_one_branch(op.op(), self.start_of(program)))
    }

    /// Checks that a loop ends no program that is started before it.
    fn check_loop(
        &self,
        op: Structured<'a>,
        before: &Running,
        after: &Running,
    ) -> Result<(), Diagnostic<'a>> {
        match before.clone().join(after.clone()) {
            Ok(_) => Ok(()),
            Err(program) => Err(lifetime::ends_in_loop(op.op(), self.start_of(program))),
        }
    }
}

fn is_event(op: Op<'_>) -> bool {
    !matches!(
        CommOp::cast(op),
        None | Some(CommOp::ToHost(_) | CommOp::ToAccelerator(_) | CommOp::Copy(_))
    )
}

/// Returns whether a function has events.
pub(crate) fn communicates(function: func::Func<'_>) -> bool {
    function.walk().any(is_event)
}

fn unstructured(op: Op<'_>) -> Diagnostic<'_> {
    let message = "this communicates with a graph and has branches between blocks: its protocol cannot be verified";
    let note = "run tfx-verify-protocol on structured control flow: after tfx-sese, and before scf is lowered";
    diag::error(op.location(), message).note(op.location(), note)
}

fn unknown_control_flow<'a>(inside: Op<'a>, around: Op<'a>) -> Diagnostic<'a> {
    let message = format!(
        "'{}' inside of '{}', whose control flow is unknown: the protocol cannot be verified",
        inside.name(),
        around.name()
    );
    let note =
        "communicate with a graph only inside of scf.if, scf.index_switch, scf.for or scf.while";
    diag::error(inside.location(), message).note(around.location(), note)
}

fn only_on_host(op: Op<'_>) -> Diagnostic<'_> {
    let message = format!(
        "'{}' in a graph: only a host function starts and ends programs",
        op.name()
    );
    let note = "call another graph with tfx_tensor.call";
    diag::error(op.location(), message).note(op.location(), note)
}

fn escapes<'a>(op: Op<'a>, start: comm::Start<'a>) -> Diagnostic<'a> {
    let message = format!(
        "the program is used by '{}', whose effect on it is unknown: its protocol cannot be verified",
        op.name()
    );
    lifetime::started_here(op, message, start)
}

fn unknown_start(op: Op<'_>) -> Diagnostic<'_> {
    let message = "the start of this program is unknown, and so is its graph: its protocol cannot be verified";
    let note = "start the program in the same function, at an operation that dominates this one";
    diag::error(op.location(), message).note(op.location(), note)
}
