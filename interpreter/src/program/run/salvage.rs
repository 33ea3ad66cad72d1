//! After a failure: the steps that precede it in program order.
//!
//! ```text
//! as scheduled, with ranks:   x 1   F 4   receive 2   send 3   y 5
//!                                   fails: receive and send still run, y does not
//! ```
//!
//! The schedule runs steps ahead of a wait for the host that precedes them (`schedule.rs`). If one
//! of them fails, the program must not lose the messages of what precedes it: the host would miss
//! effects that a reader of the program expects. So the steps with smaller ranks run before the
//! program ends. No such step needs the failed one, and with a step, all that it controls is left
//! out: the ranks of a branch or a loop are between those of its first and last step. If another
//! step fails meanwhile and precedes the first one, the program reports its failure. The frames
//! below end in the same way: there, the step that runs the frame above has failed.
//!
//! A function that has native code contains steps from before and after a send that needs only some
//! of its results. If one of its steps fails, the steps that do not need it still run, and its
//! results are *partial*. Then the frame below runs every step that needs no missing value, up to
//! the first message, decision or call that is affected, and up to the next iteration. Thus effects
//! after the failure can happen, but none before it is lost.
//!
//! Each step is visited once; a frame with missing values has a flag for each slot.

use super::{Action, Machine, Operand, RunError, Step, read, write};

/// The state of a frame in which a step failed.
pub(super) struct Damage {
    /// The smallest rank of a failed step.
    failed: u32,
    /// Steps from this rank on are left out.
    limit: u32,
    /// By slot: whether its value is missing. Empty: none is, up to the limit.
    missing: Vec<bool>,
}

impl Damage {
    fn is_missing(&self, operand: &Operand) -> bool {
        match *operand {
            Operand::Slot { slot, .. } => self.missing[slot],
            Operand::Constant(_) => false,
        }
    }

    /// Notes the values that a step after the failed one has, or that are missing with it; returns
    /// whether it runs.
    fn visit(&mut self, step: &Step, next: usize) -> bool {
        let missing: Vec<bool> = step.inputs.iter().map(|of| self.is_missing(of)).collect();
        let is_any_missing = missing.contains(&true);
        let is_left_out = match step.action {
            Action::Compute(_) | Action::Sample { .. } | Action::Native { .. } => {
                self.note(step, std::iter::repeat(is_any_missing));
                return !is_any_missing;
            }
            Action::Move { .. } => {
                self.note(step, missing.into_iter());
                return true;
            }
            Action::Receive => {
                self.note(step, std::iter::repeat(false));
                is_any_missing
            }
            Action::Send | Action::Unless { .. } | Action::Select { .. } => is_any_missing,
            Action::Jump { target } => target <= next,
            Action::Call { .. }
            | Action::If { .. }
            | Action::Case { .. }
            | Action::While { .. } => true,
        };
        if is_left_out {
            self.limit = step.rank;
        }
        !is_left_out
    }

    fn note(&mut self, step: &Step, missing: impl Iterator<Item = bool>) {
        for (output, is_missing) in step.outputs.iter().zip(missing) {
            if let Some(slot) = *output {
                self.missing[slot] = is_missing;
            }
        }
    }
}

impl Machine<'_> {
    /// Runs what precedes the failed step of the top frame, and returns the error of the first
    /// failure in program order.
    pub(super) fn salvage(&mut self, mut error: RunError) -> RunError {
        self.fail_top();
        loop {
            match self.drive::<true>() {
                Err(other @ RunError::Failed { .. }) => {
                    if self.is_earlier() {
                        error = other;
                    }
                    self.fail_top();
                }
                Ok(_) | Err(RunError::Cancelled) => return error,
            }
        }
    }

    /// Returns whether the current step of the top frame precedes those that failed.
    fn is_earlier(&self) -> bool {
        let damaged = self.stack.iter().find_map(|frame| {
            let damage = frame.damage.as_ref()?;
            let current = &self.program.bodies[frame.body].steps[frame.next - 1];
            Some(current.rank < damage.failed)
        });
        damaged.unwrap_or(true)
    }

    /// Notes that the current step of the top frame failed.
    fn fail_top(&mut self) {
        let is_native = self.stack.len() > 1 && {
            let below = &self.stack[self.stack.len() - 2];
            let step = &self.program.bodies[below.body].steps[below.next - 1];
            matches!(step.action, Action::Native { .. })
        };
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        let step = &self.program.bodies[frame.body].steps[frame.next - 1];
        let damage = frame.damage.get_or_insert_with(|| {
            Box::new(Damage {
                failed: step.rank,
                limit: u32::MAX,
                missing: vec![false; if is_native { frame.slots.len() } else { 0 }],
            })
        });
        damage.failed = damage.failed.min(step.rank);
        match damage.missing.is_empty() {
            true => damage.limit = damage.limit.min(step.rank),
            false => damage.note(step, std::iter::repeat(true)),
        }
    }

    /// Leaves out the next steps of the top frame that do not run after a failure, and ends failed
    /// frames without such steps.
    pub(super) fn leave_out(&mut self) {
        while let Some(frame) = self.stack.last_mut()
            && let Some(damage) = &mut frame.damage
        {
            let steps = &self.program.bodies[frame.body].steps;
            while let Some(step) = steps.get(frame.next) {
                let next = frame.next;
                let runs = step.rank < damage.failed
                    || step.rank < damage.limit && damage.visit(step, next);
                if runs {
                    return;
                }
                frame.next += 1;
            }
            self.end_failed();
        }
    }

    /// Ends the top frame, in which a step failed. If it is a function that has native code, the
    /// frame below gets its results, as far as they are there.
    fn end_failed(&mut self) {
        let Some(mut frame) = self.stack.pop() else {
            return;
        };
        let Some(below) = self.stack.last_mut() else {
            return;
        };
        let step = &self.program.bodies[below.body].steps[below.next - 1];
        let damage = frame
            .damage
            .take()
            .filter(|damage| damage.limit == u32::MAX);
        let (Action::Native { .. }, Some(damage)) = (&step.action, damage) else {
            return self.fail_top();
        };
        let body = &self.program.bodies[frame.body];
        let missing: Vec<bool> = body
            .results
            .iter()
            .map(|of| damage.is_missing(of))
            .collect();
        let mut results = Vec::new();
        read(&body.results, &mut frame, body, &mut results);
        write(step, below, results);
        let of_below = below.damage.get_or_insert_with(|| {
            Box::new(Damage {
                failed: step.rank,
                limit: u32::MAX,
                missing: Vec::new(),
            })
        });
        of_below.failed = of_below.failed.min(step.rank);
        of_below.missing.resize(below.slots.len(), false);
        of_below.note(step, missing.into_iter());
    }
}
