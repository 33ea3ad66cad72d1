//! The call graph of schedules.
//!
//! ```text
//!   @main ──► @step ──► @copy_in           programs: [@copy_in, @step, @main], ...
//!        └──► @copy_in                     one for each public schedule
//! ```
//!
//! A schedule is checked together with the parts that it calls, directly or not: each part after
//! those that it calls. Private schedules that no public one reaches form a last program of their
//! own, so that nothing stays unchecked.
//!
//! The order is that of a depth-first search with an explicit stack. A call that closes a cycle is
//! an error: a schedule is finite.
//!
//! Cost: linear in the calls, for each public schedule.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::stream::{Call, Schedule};
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};

/// A complete schedule: each part after those that it calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program<'a> {
    /// The parts.
    pub(crate) parts: Vec<Schedule<'a>>,
    /// Set if the last part is a public schedule, where the execution starts.
    pub(crate) has_entry: bool,
}

/// The schedules of a module and their calls.
#[derive(Debug)]
pub(crate) struct CallGraph<'a> {
    schedules: Vec<Schedule<'a>>,
    /// The calls of each schedule, with the indices of their callees.
    calls: Vec<Vec<(Call<'a>, usize)>>,
}

/// Returns the schedules of a module.
pub(crate) fn schedules(module: Op<'_>) -> Vec<Schedule<'_>> {
    module.children().filter_map(Schedule::cast).collect()
}

impl<'a> CallGraph<'a> {
    /// Returns the calls between the schedules of a module.
    pub(crate) fn of(module: Op<'a>) -> Self {
        Self::new(schedules(module))
    }

    /// Returns the calls between given schedules.
    pub(crate) fn new(schedules: Vec<Schedule<'a>>) -> Self {
        let names = schedules.iter().enumerate();
        let by_name: BTreeMap<&str, usize> =
            names.map(|(index, op)| (op.sym_name(), index)).collect();
        let calls = schedules.iter().map(|schedule| {
            let calls = schedule.walk().filter_map(Call::cast);
            let calls = calls.filter_map(|call| Some((call, *by_name.get(call.callee())?)));
            calls.collect()
        });
        let calls = calls.collect();
        Self { schedules, calls }
    }

    /// Returns the programs of the module.
    ///
    /// # Errors
    ///
    /// A part calls itself, directly or not.
    pub(crate) fn programs(&self) -> Result<Vec<Program<'a>>, Diagnostic<'a>> {
        let mut programs = Vec::new();
        let mut reached = FxHashSet::default();
        let is_public = |index: &usize| !self.schedules[*index].is_private();
        for index in (0..self.schedules.len()).filter(is_public) {
            let mut order = Vec::new();
            self.visit(index, &mut FxHashMap::default(), &mut order)?;
            reached.extend(order.iter().copied());
            programs.push(self.program(&order, true));
        }
        let mut order = Vec::new();
        let mut states = FxHashMap::default();
        for index in 0..self.schedules.len() {
            if !reached.contains(&index) {
                self.visit(index, &mut states, &mut order)?;
            }
        }
        if !order.is_empty() {
            programs.push(self.program(&order, false));
        }
        Ok(programs)
    }

    fn program(&self, order: &[usize], has_entry: bool) -> Program<'a> {
        Program {
            parts: order.iter().map(|index| self.schedules[*index]).collect(),
            has_entry,
        }
    }

    /// Appends a schedule after those that it calls. A schedule in `states` is open (`false`) or in
    /// the order (`true`).
    fn visit(
        &self,
        root: usize,
        states: &mut FxHashMap<usize, bool>,
        order: &mut Vec<usize>,
    ) -> Result<(), Diagnostic<'a>> {
        let mut stack = Vec::new();
        if states.insert(root, false).is_none() {
            stack.push((root, 0));
        }
        while let Some((index, next)) = stack.last_mut() {
            let Some(&(call, callee)) = self.calls[*index].get(*next) else {
                states.insert(*index, true);
                order.push(*index);
                stack.pop();
                continue;
            };
            *next += 1;
            match states.get(&callee) {
                Some(true) => {}
                Some(false) => return Err(self.cycle(call, callee)),
                None => {
                    states.insert(callee, false);
                    stack.push((callee, 0));
                }
            }
        }
        Ok(())
    }

    fn cycle(&self, call: Call<'a>, callee: usize) -> Diagnostic<'a> {
        let callee = self.schedules[callee];
        let name = callee.sym_name();
        diag::error(
            call.location(),
            format!("a schedule is finite, but @{name} calls itself through this call"),
        )
        .note(
            callee.location(),
            "it is defined here; use scf.for or scf.while",
        )
    }
}
