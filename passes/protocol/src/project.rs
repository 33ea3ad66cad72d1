//! Projection: of a function, only what its programs' channels see.
//!
//! ```text
//!   func @f                            list 0:  region 0, finish
//!     %p = start @f.graph                         │
//!     scf.while ... {                  list 1 (before):  send 0
//!       send %go to %p 0               list 2 (after):   recv 1, region 1
//!     } do {                                                 │
//!       recv %p from 1                 list 3 (then):    stop
//!       call @anything                 list 4 (else):    nothing
//!       scf.if %bad { terminate; abort }
//!     }
//!     finish %p
//! ```
//!
//! One walk over the function makes the lists of all programs that start in it, and follows on each path which of them are running: each must be
//! finished or terminated exactly once wherever control leaves ([`crate::lives`] says what is wrong where that is not so). The graph's side is
//! projected by the same walk; its one program is always running.
//!
//! A region is in a list only if something of the program happens inside of it. Linear: a list is opened where its first event is found, below
//! the lists that are open already. The stack is explicit.

use rustc_hash::FxHashMap;
use tfx_dialects::{comm, host};
use tfx_ir::ops::scf;
use tfx_ir::{Block, Op, Value};

use crate::lists::{
    Item, List, ListId, ProgramId, Projection, RegionId, RegionItem, Started, Summary,
};
use crate::lives::{self, Flow};
use crate::reject::Reject;

impl<'a> Projection<'a> {
    /// Projects a host function on the programs that it starts.
    pub(crate) fn of_host(function: Op<'a>) -> Result<Self, Reject<'a>> {
        Walker::new(Projection::default()).walk(function, true)
    }

    /// Projects a graph on its channels.
    pub(crate) fn of_graph(graph: Op<'a>) -> Result<Self, Reject<'a>> {
        let mut projection = Projection::default();
        projection.lists.push(List::default());
        projection.programs.push(Started {
            start: None,
            list: 0,
            open: vec![0],
            frame: 0,
        });
        Walker::new(projection).walk(graph, false)
    }
}

/// Whether an operation is structured control flow that is looked into.
fn is_control(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        scf::If::NAME | scf::IndexSwitch::NAME | scf::While::NAME | scf::For::NAME
    )
}

/// A block that is being walked.
struct Frame<'a> {
    block: Block<'a>,
    next: Option<Op<'a>>,
    /// Programs that have a list for this block.
    opened: Vec<ProgramId>,
    /// Programs that start in this block.
    started: Vec<ProgramId>,
    /// The operation around, whose region this is.
    owner: Option<Owner<'a>>,
}

/// A region operation that is being walked.
struct Owner<'a> {
    op: Op<'a>,
    region: usize,
    /// What runs before it.
    entry: Flow,
    /// What runs after it, as far as that is known.
    exit: Option<Flow>,
}

struct Walker<'a> {
    projection: Projection<'a>,
    frames: Vec<Frame<'a>>,
    programs: FxHashMap<Value<'a>, ProgramId>,
    flow: Flow,
}

impl<'a> Walker<'a> {
    fn new(projection: Projection<'a>) -> Self {
        Walker {
            projection,
            frames: Vec::new(),
            programs: FxHashMap::default(),
            flow: Flow::start(),
        }
    }

    fn walk(mut self, function: Op<'a>, on_host: bool) -> Result<Projection<'a>, Reject<'a>> {
        let region = function.region(0);
        let block = region
            .single_block()
            .ok_or_else(|| unstructured(function))?;
        self.enter(block, None);
        while let Some(frame) = self.frames.last_mut() {
            let Some(op) = frame.next else {
                self.leave()?;
                continue;
            };
            frame.next = op.next();
            self.visit(op, on_host)?;
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

    fn visit(&mut self, op: Op<'a>, on_host: bool) -> Result<(), Reject<'a>> {
        match op.name() {
            comm::Start::NAME | comm::Finish::NAME | comm::Terminate::NAME if !on_host => {
                return Err(in_graph(op));
            }
            comm::Start::NAME => self.start(op),
            comm::Send::NAME | comm::Recv::NAME | comm::Finish::NAME | comm::Terminate::NAME => {
                self.event(op, on_host)?;
            }
            host::Abort::NAME | host::Unreachable::NAME => {
                if let Some(&program) = self.flow.running_now().first()
                    && op.isa::<host::Abort>()
                {
                    return Err(lives::aborts(op, self.start_of(program)));
                }
                self.flow = Flow::nowhere();
            }
            _ if op.num_regions() == 0 => self.no_escape(op)?,
            _ if is_control(op) => return self.region(op, 0, self.flow.clone(), None),
            _ => {
                self.no_escape(op)?;
                if let Some(inside) = op.walk().skip(1).find(|op| is_communication(*op)) {
                    return Err(opaque(inside, op));
                }
            }
        }
        Ok(())
    }

    /// A program must stay where its events can be seen.
    fn no_escape(&self, op: Op<'a>) -> Result<(), Reject<'a>> {
        if self.programs.is_empty() {
            return Ok(());
        }
        let escapes = op
            .operands()
            .find_map(|operand| self.programs.get(&operand));
        escapes.map_or(Ok(()), |&program| {
            Err(escape(op, Some(self.start_of(program))))
        })
    }

    fn start_of(&self, program: ProgramId) -> Op<'a> {
        self.projection.programs[program]
            .start
            .expect("a program of a host function has a start")
    }

    fn start(&mut self, op: Op<'a>) {
        if !self.flow.is_reachable() {
            return;
        }
        let id = self.projection.programs.len();
        let list = self.new_list();
        self.projection.programs.push(Started {
            start: Some(op),
            list,
            open: vec![list],
            frame: self.frames.len() - 1,
        });
        self.programs.insert(op.result(0), id);
        self.flow.begin(id);
        let frame = self.frames.last_mut().expect("operations are in blocks");
        frame.started.push(id);
    }

    fn new_list(&mut self) -> ListId {
        self.projection.lists.push(List::default());
        self.projection.lists.len() - 1
    }

    fn event(&mut self, op: Op<'a>, on_host: bool) -> Result<(), Reject<'a>> {
        if !self.flow.is_reachable() {
            return Ok(());
        }
        let program = if on_host {
            let operand = op.operand(op.num_operands() - 1);
            let known = self.programs.get(&operand).copied();
            let program = known.ok_or_else(|| escape(op, None))?;
            if !self.flow.is_running(program) {
                return Err(lives::over(op, self.start_of(program)));
            }
            program
        } else {
            0
        };
        let channel = op.integer("channel").unwrap_or_default() as u32;
        let item = match op.name() {
            comm::Send::NAME => Item::Send(op, channel),
            comm::Recv::NAME => Item::Receive(op, channel),
            comm::Finish::NAME => Item::Finish(op),
            _ => Item::Stop(op),
        };
        if matches!(item, Item::Finish(_) | Item::Stop(_)) {
            self.flow.end(program);
        }
        let list = self.list_here(program);
        self.projection.lists[list].items.push(item);
        Ok(())
    }

    /// The list of a program for the block that is being walked.
    fn list_here(&mut self, program: ProgramId) -> ListId {
        loop {
            let started = &self.projection.programs[program];
            let parent = *started.open.last().expect("the first list stays open");
            let depth = started.frame + started.open.len();
            if depth == self.frames.len() {
                return parent;
            }
            let owner = self.frames[depth].owner.as_ref();
            let (op, index) = owner
                .map(|owner| (owner.op, owner.region))
                .expect("only the body has no owner");
            let region = self.region_item(parent, op);
            let list = self.new_list();
            self.projection.regions[region].lists[index] = Some(list);
            self.projection.programs[program].open.push(list);
            self.frames[depth].opened.push(program);
        }
    }

    fn region_item(&mut self, parent: ListId, op: Op<'a>) -> RegionId {
        if let Some(&Item::Region(region)) = self.projection.lists[parent].items.last()
            && self.projection.regions[region].op == op
        {
            return region;
        }
        let region = self.projection.regions.len();
        self.projection.regions.push(RegionItem {
            op,
            lists: vec![None; op.num_regions()],
            summary: Summary::default(),
        });
        self.projection.lists[parent]
            .items
            .push(Item::Region(region));
        region
    }

    /// Goes on with region `index` of `op`, or with what follows `op`.
    fn region(
        &mut self,
        op: Op<'a>,
        index: usize,
        entry: Flow,
        exit: Option<Flow>,
    ) -> Result<(), Reject<'a>> {
        if index == op.num_regions() {
            self.flow = exit.expect("control flow has a region");
            return Ok(());
        }
        let region = op.region(index);
        // An `scf.if` without else goes on.
        if region.is_empty() {
            let exit = self.join(op, exit, entry.clone())?;
            return self.region(op, index + 1, entry, Some(exit));
        }
        let block = region.single_block().ok_or_else(|| unstructured(op))?;
        self.flow = match (op.name(), &exit) {
            // The body of a while runs after its condition.
            (scf::While::NAME, Some(after)) => after.clone(),
            _ => entry.clone(),
        };
        self.enter(
            block,
            Some(Owner {
                op,
                region: index,
                entry,
                exit,
            }),
        );
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Reject<'a>> {
        let frame = self.frames.pop().expect("a block is left once");
        for program in frame.opened {
            self.projection.programs[program].open.pop();
        }
        if !self.flow.is_reachable() {
            self.projection.dead_ends.insert(frame.block);
        }
        for program in frame.started {
            if self.flow.is_running(program) {
                return Err(lives::never_ends(self.start_of(program)));
            }
        }
        let Some(owner) = frame.owner else {
            return Ok(());
        };
        let end = std::mem::replace(&mut self.flow, Flow::nowhere());
        let exit = match owner.op.name() {
            scf::For::NAME => {
                self.same_in_loop(owner.op, &owner.entry, &end)?;
                owner.entry.clone()
            }
            scf::While::NAME => {
                self.same_in_loop(owner.op, &owner.entry, &end)?;
                owner.exit.unwrap_or(end)
            }
            _ => self.join(owner.op, owner.exit, end)?,
        };
        self.region(owner.op, owner.region + 1, owner.entry, Some(exit))
    }

    /// What runs after one of two ways.
    fn join(&self, op: Op<'a>, one: Option<Flow>, other: Flow) -> Result<Flow, Reject<'a>> {
        let Some(one) = one else { return Ok(other) };
        one.join(other)
            .map_err(|program| lives::differs(op, self.start_of(program)))
    }

    /// A loop leaves running what ran before it.
    fn same_in_loop(&self, op: Op<'a>, before: &Flow, after: &Flow) -> Result<(), Reject<'a>> {
        let joined = before.clone().join(after.clone());
        joined
            .map(|_| ())
            .map_err(|program| lives::ends_in_loop(op, self.start_of(program)))
    }
}

/// Whether an operation is on a program's channels or part of its life.
fn is_communication(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        comm::Start::NAME
            | comm::Send::NAME
            | comm::Recv::NAME
            | comm::Finish::NAME
            | comm::Terminate::NAME
    )
}

/// Whether a function has anything to prove.
pub(crate) fn communicates(function: Op<'_>) -> bool {
    function.walk().any(is_communication)
}

fn unstructured(op: Op<'_>) -> Reject<'_> {
    Reject::new(
        op.location(),
        "this talks with a running graph and branches between blocks: its protocol cannot be proved",
    )
    .note(
        op.location(),
        "run tfx-verify-protocol where control flow is structured: after tfx-sese and before scf is lowered",
    )
}

fn opaque<'a>(inside: Op<'a>, around: Op<'a>) -> Reject<'a> {
    let message = format!(
        "'{}' inside of '{}', whose control flow is not known: the protocol cannot be proved",
        inside.name(),
        around.name()
    );
    Reject::new(inside.location(), message).note(
        around.location(),
        "use scf.if, scf.index_switch, scf.for or scf.while around what talks with a graph",
    )
}

fn in_graph(op: Op<'_>) -> Reject<'_> {
    let message = format!(
        "'{}' in a graph: only a host starts and ends programs",
        op.name()
    );
    Reject::new(op.location(), message).note(
        op.location(),
        "a graph calls another one with tfx_tensor.call",
    )
}

fn escape<'a>(op: Op<'a>, start: Option<Op<'a>>) -> Reject<'a> {
    match start {
        Some(start) => {
            let message = format!(
                "the program is used by '{}': what happens to it there is not known, so its protocol cannot be proved",
                op.name()
            );
            Reject::new(op.location(), message).note(start.location(), "it is started here")
        }
        None => Reject::new(
            op.location(),
            "this program comes from elsewhere: nothing tells which graph it runs, so its protocol cannot be proved",
        )
        .note(op.location(), "start the program in the same function, where control has always passed the start"),
    }
}
