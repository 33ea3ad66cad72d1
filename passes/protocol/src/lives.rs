//! The life of a program: started once, and on every path finished or terminated exactly once.
//!
//! ```text
//!   start %p          running: {p}
//!   scf.if %bad {
//!     terminate %p    running: {}       what follows the abort is never reached,
//!     abort           nowhere           so that only the other way counts after the scf.if
//!   }                 running: {p}
//!   finish %p         running: {}
//! ```

use tfx_dialects::comm;
use tfx_ir::Op;

use crate::lists::ProgramId;
use crate::reject::Reject;

/// Which programs are running at a place; nothing where control never gets.
#[derive(Clone, Debug)]
pub(crate) struct Flow(Option<Vec<ProgramId>>);

impl Flow {
    /// At the start of a function.
    pub(crate) fn start() -> Self {
        Flow(Some(Vec::new()))
    }

    /// Where control never gets.
    pub(crate) fn nowhere() -> Self {
        Flow(None)
    }

    pub(crate) fn is_reachable(&self) -> bool {
        self.0.is_some()
    }

    /// In the order in which they started.
    pub(crate) fn running_now(&self) -> &[ProgramId] {
        self.0.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_running(&self, program: ProgramId) -> bool {
        self.running_now().binary_search(&program).is_ok()
    }

    /// A program starts, the newest of all.
    pub(crate) fn begin(&mut self, program: ProgramId) {
        self.0.get_or_insert_default().push(program);
    }

    /// A program ends.
    pub(crate) fn end(&mut self, program: ProgramId) {
        if let Some(running) = &mut self.0 {
            running.retain(|&other| other != program);
        }
    }

    /// What is running after either; else a program that runs after one of them only.
    pub(crate) fn join(self, other: Flow) -> Result<Flow, ProgramId> {
        match (self.0, other.0) {
            (one, None) => Ok(Flow(one)),
            (None, other) => Ok(Flow(other)),
            (Some(one), Some(other)) if one == other => Ok(Flow(Some(one))),
            (Some(one), Some(other)) => {
                let only_one = one.iter().find(|program| !other.contains(program));
                let only_other = other.iter().find(|program| !one.contains(program));
                Err(*only_one
                    .or(only_other)
                    .expect("two sets that differ have an element that differs"))
            }
        }
    }
}

pub(crate) fn never_ends(start: Op<'_>) -> Reject<'_> {
    Reject::new(
        start.location(),
        "this program is neither finished nor terminated on every path: its graph would be left running",
    )
    .note(start.location(), "end each path with tfx_comm.finish, or with tfx_comm.terminate where the host has no more use for it")
}

pub(crate) fn over<'a>(op: Op<'a>, start: Op<'a>) -> Reject<'a> {
    let message = match op.name() {
        comm::Finish::NAME | comm::Terminate::NAME => {
            "this program has been finished or terminated before; a program ends once"
        }
        _ => "this program is not running any more here: it has been finished or terminated before",
    };
    Reject::new(op.location(), message).note(start.location(), "it is started here")
}

pub(crate) fn aborts<'a>(abort: Op<'a>, start: Op<'a>) -> Reject<'a> {
    Reject::new(
        abort.location(),
        "the host aborts here while a graph is running",
    )
    .note(
        start.location(),
        "the program is started here; it needs tfx_comm.terminate before the abort",
    )
}

pub(crate) fn differs<'a>(op: Op<'a>, start: Op<'a>) -> Reject<'a> {
    Reject::new(
        op.location(),
        "a program is running after one way through this branch and has ended after another",
    )
    .note(start.location(), "it is started here")
}

pub(crate) fn ends_in_loop<'a>(op: Op<'a>, start: Op<'a>) -> Reject<'a> {
    Reject::new(
        op.location(),
        "a program that is running before this loop ends inside of it, which may run any number of times",
    )
    .note(start.location(), "it is started here")
}
