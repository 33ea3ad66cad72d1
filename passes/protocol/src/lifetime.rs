//! The lifetime of programs: each is started once, and finished or terminated exactly once on each
//! path.
//!
//! ```text
//!   start %p          running: {p}
//!   scf.if %bad {
//!     terminate %p    running: {}
//!     abort           unreachable: the join after the scf.if ignores this path
//!   }                 running: {p}
//!   finish %p         running: {}
//! ```

use tfx_dialects::comm;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};

use crate::events::ProgramId;

/// The programs that run at a point, in the order of their starts; none if it is unreachable.
#[derive(Clone, Debug)]
pub(crate) struct Running(Option<Vec<ProgramId>>);

impl Running {
    /// The state at the start of a function.
    pub(crate) const NO_PROGRAM: Self = Running(Some(Vec::new()));
    pub(crate) const UNREACHABLE: Self = Running(None);

    pub(crate) fn is_reachable(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn programs(&self) -> &[ProgramId] {
        self.0.as_deref().unwrap_or_default()
    }

    pub(crate) fn contains(&self, program: ProgramId) -> bool {
        self.programs().binary_search(&program).is_ok()
    }

    /// Adds a program, whose number is greater than all others.
    pub(crate) fn start(&mut self, program: ProgramId) {
        self.0.get_or_insert_default().push(program);
    }

    pub(crate) fn end(&mut self, program: ProgramId) {
        if let Some(running) = &mut self.0 {
            running.retain(|&other| other != program);
        }
    }

    /// Returns the programs that run after either path.
    ///
    /// # Errors
    ///
    /// A program that runs after one of them only.
    pub(crate) fn join(self, other: Running) -> Result<Running, ProgramId> {
        match (self.0, other.0) {
            (one, None) => Ok(Running(one)),
            (None, other) => Ok(Running(other)),
            (Some(one), Some(other)) => {
                let only_one = one.iter().find(|program| !other.contains(program));
                let only_other = other.iter().find(|program| !one.contains(program));
                match only_one.or(only_other) {
                    Some(&program) => Err(program),
                    None => Ok(Running(Some(one))),
                }
            }
        }
    }
}

pub(crate) fn never_ends(start: comm::Start<'_>) -> Diagnostic<'_> {
    let message =
        "some path neither finishes nor terminates this program: its graph would keep running";
    let note = "end each path with tfx_comm.finish, or with tfx_comm.terminate if the host no longer needs the graph";
    diag::error(start.location(), message).note(start.location(), note)
}

pub(crate) fn has_ended<'a>(op: Op<'a>, start: comm::Start<'a>) -> Diagnostic<'a> {
    let message = match op.isa::<comm::Finish>() || op.isa::<comm::Terminate>() {
        true => "this program has already been finished or terminated",
        false => "this program no longer runs: it has already been finished or terminated",
    };
    started_here(op, message, start)
}

pub(crate) fn aborts<'a>(abort: Op<'a>, start: comm::Start<'a>) -> Diagnostic<'a> {
    let note = "the program is started here; it needs tfx_comm.terminate before the abort";
    let message = "the host aborts here while a graph is running";
    diag::error(abort.location(), message).note(start.location(), note)
}

pub(crate) fn ends_in_one_branch<'a>(op: Op<'a>, start: comm::Start<'a>) -> Diagnostic<'a> {
    let message =
        "a program still runs after one region of this branch, and has ended after another";
    started_here(op, message, start)
}

pub(crate) fn ends_in_loop<'a>(op: Op<'a>, start: comm::Start<'a>) -> Diagnostic<'a> {
    let message = "a program that is started before this loop ends inside of it, but the loop may run any number of iterations";
    started_here(op, message, start)
}

/// Returns an error at `op` with a note at the start of the program.
pub(crate) fn started_here<'a>(
    op: Op<'a>,
    message: impl Into<String>,
    start: comm::Start<'a>,
) -> Diagnostic<'a> {
    diag::error(op.location(), message).note(start.location(), "it is started here")
}
