//! A depth-first search for a plan of a given capacity.
//!
//! ```text
//!   bytes ▲                          the next buffer in the order of offsets is c or d:
//!         │        ┌── d ──┐         e is not, since c fits below it
//!         │ ┌─ c ──┤┌─ e ─┐│
//!         │ ┌── a ─┘└── b ─┘         after c, the part {d, e} of the problem may fall apart
//!         └───────────────────► time
//! ```
//!
//! A plan is *canonical* if each buffer is as low as the ones below it permit. The search places
//! buffers in the order of offsets, each at the lowest offset that the placed ones permit, so that
//! it enumerates canonical plans only, and each of them once: buffers with equal offsets are placed
//! in the order of their ranks. A *floor*, the last offset and rank, only rises.
//!
//! Pruning, each rule valid for a plan with the least sum of offsets:
//!
//! * A buffer is not next if another one fits completely below its offset.
//! * A buffer that ends below all open neighbours is placed without alternatives.
//! * A buffer that was skipped, because its offset is below the floor, lies on an open neighbour.
//! * The open buffers of a section fit between the lowest of their offsets and the capacity.
//!
//! If no open buffer lives across a time, the parts before and after it are solved one after the
//! other. A failure of one part returns to the choice that separated them.
//!
//! Source: canonical plans, sections and the rules on dominated buffers and monotonic floors are
//! those of Moffitt, "MiniMalloc: a lightweight memory allocator for hardware-accelerated machine
//! learning" (ASPLOS 2023). The third rule is an addition.
//!
//! A node costs O(n + e + s) for n open buffers, the e conflicts of the placed one, and s, the sum
//! of the sizes of the sections of the part. The number of nodes is exponential in the worst case,
//! and has a budget. Memory is quadratic in the number of buffers.

use std::cmp::Reverse;

use crate::component::Component;

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Offsets of the buffers of the component.
    Found(Vec<u64>),
    /// There is no plan of this capacity.
    Infeasible,
    /// The budget is used up.
    Exhausted,
}

/// Searches for offsets of a component below a capacity. Buffers of low rank are tried first.
///
/// Each node is deducted from the budget. Each section that prunes a node gains weight.
pub(crate) fn search(
    component: &Component,
    ranks: &[u32],
    capacity: u64,
    weights: &mut [u64],
    budget: &mut u64,
) -> Outcome {
    let mut search = Search::new(component, ranks, capacity, weights);
    let fits = component.sizes.iter().all(|&size| size <= capacity);
    match fits && search.part_fits(&search.all(), Floor::default()) {
        true => search.run(budget),
        false => Outcome::Infeasible,
    }
}

/// The offset and the rank of the last buffer that was placed in the order of offsets.
type Floor = (u64, u32);

/// An open node of the search: the next buffer of a part is one of its choices.
struct Node {
    /// The buffers of the part that have no offset yet, in ascending order.
    members: Vec<u32>,
    floor: Floor,
    choices: Vec<u32>,
    /// The only choice has no effect on other buffers, so that the floor does not rise.
    is_free: bool,
    /// The index of the next choice.
    next: usize,
    /// The length of the trail at this node.
    trail: usize,
    /// The node whose choice led to this one.
    parent: usize,
    /// Another part, to be solved after this one.
    pending: Option<usize>,
}

/// A part that waits until other parts are solved.
struct Pending {
    members: Vec<u32>,
    floor: Floor,
    parent: usize,
    next: Option<usize>,
}

/// An undoable change.
enum Change {
    /// The lowest offset of a buffer rose from this one.
    Low(u32, u64),
    Placed(u32),
}

/// The result of a choice.
enum Descent {
    Opened,
    Pruned,
    Solved,
}

struct Search<'c> {
    component: &'c Component,
    ranks: &'c [u32],
    capacity: u64,
    weights: &'c mut [u64],
    /// The lowest offset of each buffer that the placed ones permit; its offset if it is placed.
    lows: Vec<u64>,
    is_placed: Vec<bool>,
    /// The values of `lows`, raised by the third rule. Valid within `part_fits`.
    raised: Vec<u64>,
    /// For each section, the sizes of its open buffers.
    rests: Vec<u64>,
    trail: Vec<Change>,
    stack: Vec<Node>,
    /// Grows with the stack: the parent of a pending part is on the stack.
    pending: Vec<Pending>,
}

impl<'c> Search<'c> {
    fn new(
        component: &'c Component,
        ranks: &'c [u32],
        capacity: u64,
        weights: &'c mut [u64],
    ) -> Self {
        let count = component.sizes.len();
        let sections = 0..component.sections.count() as u32;
        let sum = |section| {
            let live = component.sections.of(section).iter();
            live.map(|&buffer| component.sizes[buffer as usize]).sum()
        };
        Self {
            component,
            ranks,
            capacity,
            weights,
            lows: vec![0; count],
            is_placed: vec![false; count],
            raised: vec![0; count],
            rests: sections.map(sum).collect(),
            trail: Vec::new(),
            stack: Vec::new(),
            pending: Vec::new(),
        }
    }

    fn all(&self) -> Vec<u32> {
        (0..self.component.len()).collect()
    }

    fn run(mut self, budget: &mut u64) -> Outcome {
        let root = Pending {
            members: self.all(),
            floor: Floor::default(),
            parent: 0,
            next: None,
        };
        self.open(root);
        loop {
            let top = self.stack.len() - 1;
            self.undo(self.stack[top].trail);
            let node = &mut self.stack[top];
            let Some(&choice) = node.choices.get(node.next) else {
                if top == 0 {
                    return Outcome::Infeasible;
                }
                self.fail(top);
                continue;
            };
            node.next += 1;
            if *budget == 0 {
                return Outcome::Exhausted;
            }
            *budget -= 1;
            if self.place(choice)
                && let Descent::Solved = self.descend(top, choice)
            {
                return Outcome::Found(self.lows);
            }
        }
    }

    /// Returns to the choice that led to a part without a solution.
    fn fail(&mut self, top: usize) {
        let parent = self.stack[top].parent;
        self.stack.truncate(parent + 1);
        while self
            .pending
            .last()
            .is_some_and(|part| part.parent >= parent)
        {
            self.pending.pop();
        }
    }

    /// Opens the node after a choice.
    fn descend(&mut self, top: usize, choice: u32) -> Descent {
        let node = &self.stack[top];
        let floor = match node.is_free {
            true => node.floor,
            false => (self.lows[choice as usize], self.ranks[choice as usize]),
        };
        let mut next = node.pending;
        let members = node
            .members
            .iter()
            .copied()
            .filter(|&member| member != choice);
        let mut parts = self.split(members.collect());
        if !parts.iter().all(|part| self.part_fits(part, floor)) {
            return Descent::Pruned;
        }
        // The last part is solved first: a small one fails, or is solved, soon.
        parts.sort_by_key(|part| Reverse(part.len()));
        for members in parts {
            let parent = top;
            self.pending.push(Pending {
                members,
                floor,
                parent,
                next,
            });
            next = Some(self.pending.len() - 1);
        }
        let Some(next) = next else {
            return Descent::Solved;
        };
        let part = &self.pending[next];
        let part = Pending {
            members: part.members.clone(),
            ..*part
        };
        self.open(part);
        Descent::Opened
    }

    /// Splits buffers into parts without conflicts between them.
    fn split(&self, members: Vec<u32>) -> Vec<Vec<u32>> {
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let mut reach = 0;
        for member in members {
            let (first, last) = self.component.hulls[member as usize];
            match parts.last_mut() {
                Some(part) if first <= reach || !self.component.is_interval_graph => {
                    part.push(member);
                }
                _ => parts.push(vec![member]),
            }
            reach = reach.max(last);
        }
        parts
    }

    fn open(&mut self, part: Pending) {
        let (mut choices, is_free) = self.choices(&part.members, part.floor);
        choices.sort_by_key(|&buffer| (self.lows[buffer as usize], self.ranks[buffer as usize]));
        self.stack.push(Node {
            members: part.members,
            floor: part.floor,
            choices,
            is_free,
            next: 0,
            trail: self.trail.len(),
            parent: part.parent,
            pending: part.next,
        });
    }

    /// Returns the buffers that may be next in the order of offsets, and whether the only choice
    /// has no effect on the others.
    fn choices(&self, members: &[u32], floor: Floor) -> (Vec<u32>, bool) {
        let low = |buffer: u32| self.lows[buffer as usize];
        let top = |buffer: u32| low(buffer) + self.component.sizes[buffer as usize];
        let limit = members.iter().map(|&buffer| top(buffer)).min().unwrap_or(0);
        let mut choices = Vec::new();
        for &buffer in members.iter().filter(|&&buffer| low(buffer) < limit) {
            if self
                .open_neighbours(buffer)
                .all(|other| low(other) >= top(buffer))
            {
                return (vec![buffer], true);
            }
            if (low(buffer), self.ranks[buffer as usize]) >= floor {
                choices.push(buffer);
            }
        }
        (choices, false)
    }

    fn open_neighbours(&self, buffer: u32) -> impl Iterator<Item = u32> {
        let neighbours = self.component.neighbours.of(buffer).iter().copied();
        neighbours.filter(|&other| !self.is_placed[other as usize])
    }

    /// Places a buffer at its lowest offset. Returns whether each neighbour still fits.
    fn place(&mut self, buffer: u32) -> bool {
        let component = self.component;
        let index = buffer as usize;
        let top = self.lows[index] + component.sizes[index];
        self.is_placed[index] = true;
        self.trail.push(Change::Placed(buffer));
        for &section in component.sections_of.of(buffer) {
            self.rests[section as usize] -= component.sizes[index];
        }
        for &other in component.neighbours.of(buffer) {
            let index = other as usize;
            if self.is_placed[index] || self.lows[index] >= top {
                continue;
            }
            let low = top.next_multiple_of(component.alignments[index]);
            self.trail.push(Change::Low(other, self.lows[index]));
            self.lows[index] = low;
            if low + component.sizes[index] > self.capacity {
                return false;
            }
        }
        true
    }

    fn undo(&mut self, length: usize) {
        for change in self.trail.drain(length..).rev() {
            match change {
                Change::Low(buffer, low) => self.lows[buffer as usize] = low,
                Change::Placed(buffer) => {
                    self.is_placed[buffer as usize] = false;
                    for &section in self.component.sections_of.of(buffer) {
                        self.rests[section as usize] += self.component.sizes[buffer as usize];
                    }
                }
            }
        }
    }

    /// Returns false if some buffers of a part do not fit above the floor.
    fn part_fits(&mut self, members: &[u32], floor: Floor) -> bool {
        for &member in members {
            match self.lowest(member, floor) {
                Some(low) => self.raised[member as usize] = low,
                None => return false,
            }
        }
        let mut sections = (0, self.component.sections.count() as u32 - 1);
        if self.component.is_interval_graph {
            let hulls = members
                .iter()
                .map(|&member| self.component.hulls[member as usize]);
            sections = hulls.fold((u32::MAX, 0), |all, hull| {
                (all.0.min(hull.0), all.1.max(hull.1))
            });
        }
        let failed = (sections.0..=sections.1).find(|&section| !self.section_fits(section));
        if let Some(section) = failed {
            self.weights[section as usize] += 1;
        }
        failed.is_none()
    }

    /// Returns the lowest offset of an open buffer above the floor, if it fits.
    fn lowest(&self, buffer: u32, floor: Floor) -> Option<u64> {
        let index = buffer as usize;
        if (self.lows[index], self.ranks[index]) >= floor {
            return Some(self.lows[index]);
        }
        let top = |other: u32| {
            self.lows[other as usize].max(floor.0) + self.component.sizes[other as usize]
        };
        let low = self.open_neighbours(buffer).map(top).min()?;
        let low = low.next_multiple_of(self.component.alignments[index]);
        (low + self.component.sizes[index] <= self.capacity).then_some(low)
    }

    fn section_fits(&self, section: u32) -> bool {
        let live = self
            .component
            .sections
            .of(section)
            .iter()
            .map(|&buffer| buffer as usize);
        let lows = live
            .filter(|&buffer| !self.is_placed[buffer])
            .map(|buffer| self.raised[buffer]);
        lows.min()
            .is_none_or(|low| low + self.rests[section as usize] <= self.capacity)
    }
}
