//! The places of the steps of a flattened function in program order.
//!
//! ```text
//!   steps, as scheduled:   r = receive   f(x)     while ... { g; send }      send r
//!   part 0, by position:   2             3        1                          0         position in its function
//!                                                 └─ part 1: g 0, send 1
//!   rank:                  4             5        1 .. 3                     0
//! ```
//!
//! A part is the function, or a branch, a condition or the body of a loop that became part of it.
//! Its children are steps and parts at the positions of their nodes. What has the same position,
//! such as a choice, its branches and its jumps, was added in program order. A traversal with the
//! children sorted by position numbers the steps. Iterative; a sort of the children of each part.

use super::Step;

/// A tree of the parts of a function, with its steps as leaves.
pub(super) struct Order {
    /// By part: its children with their positions.
    children: Vec<Vec<(u32, Child)>>,
}

#[derive(Clone, Copy)]
enum Child {
    Step(usize),
    Part(usize),
}

impl Order {
    /// The function, which is part 0.
    pub(super) fn new() -> Self {
        Order {
            children: vec![Vec::new()],
        }
    }

    /// Adds a part at a position of another one, and returns its number.
    pub(super) fn add_part(&mut self, within: usize, position: u32) -> usize {
        let number = self.children.len();
        self.children.push(Vec::new());
        self.children[within].push((position, Child::Part(number)));
        number
    }

    /// Adds the step of this index at a position of a part.
    pub(super) fn add_step(&mut self, within: usize, position: u32, step: usize) {
        self.children[within].push((position, Child::Step(step)));
    }

    /// Sets the ranks of all steps.
    pub(super) fn rank(mut self, steps: &mut [Step]) {
        let mut sorted = |part: usize| {
            let mut children = std::mem::take(&mut self.children[part]);
            children.sort_by_key(|&(position, _)| position);
            children.into_iter()
        };
        let mut stack = vec![sorted(0)];
        let mut next = 0;
        while let Some(children) = stack.last_mut() {
            match children.next() {
                None => drop(stack.pop()),
                Some((_, Child::Part(part))) => stack.push(sorted(part)),
                Some((_, Child::Step(step))) => {
                    steps[step].rank = next;
                    next += 1;
                }
            }
        }
    }
}
