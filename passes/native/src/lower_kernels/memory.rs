//! The working memory of a compiled graph: an offset for each buffer.
//!
//! ```text
//! time ──►   1   2   3   4   5         offset
//! b3         ├───────┤                 0
//! b4             ├───────────┤         256
//! b5                     ├───┤         0        b3 is not used any more
//! ```
//!
//! A buffer lives from its first to its last use, in the order of the plan. One that exists before
//! a loop and is used in it lives to the end of the loop, as does the memory that a loop carries.
//! `tfx-memory` plans the offsets. Lifetimes cost time linear in uses times the depth of loops.
//!
//! Buffers whose sizes are multiples of the same unknown size are in a part of the memory of their
//! own, whose unit is this size. They do not use the memory of others.
//!
//! Not guaranteed: the least memory, which is hard to find. [`Layout::bound`] is a lower bound for
//! the buffers of known sizes.

use std::collections::BTreeMap;

use tfx_memory::{Buffer, Error, Interval, Options, Problem};

use super::plan::{Place, Plan, Step};
use crate::extent::Extent;

/// The alignment of buffers, in bytes: that of tensors.
pub(super) const ALIGNMENT: u64 = 64;

/// The alignment of buffers in parts of unknown size, in units: that of elements.
const UNIT_ALIGNMENT: u64 = 8;

/// The visits of buffers by the searches for a plan, for each buffer: about 20 µs, less than LLVM
/// takes for the code that uses it. The first steps reach the lower bound for most clusters.
const VISITS: u64 = 5_000;

/// The place of a buffer in the working memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offset {
    /// In bytes.
    Known(u64),
    /// In a part, in units.
    Part { part: usize, units: u64 },
}

/// A part of the working memory.
#[derive(Debug)]
pub(super) struct Part {
    /// The size in units.
    pub(super) units: u64,
    /// The size of a unit in bytes.
    pub(super) unit: Extent,
}

/// The places of the buffers in the working memory.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// By buffer; 0 for buffers elsewhere.
    pub(super) places: Vec<Offset>,
    /// The size of the memory for buffers of known sizes, in bytes.
    pub(super) size: u64,
    /// The parts for the other buffers.
    pub(super) parts: Vec<Part>,
    /// The largest number of bytes of known sizes that live at one time.
    pub(super) bound: u64,
}

/// Returns the places of the buffers of a plan, or an error if they are larger than any memory.
pub(super) fn layout(plan: &Plan) -> Result<Layout, Error> {
    let mut lifetimes = Lifetimes {
        spans: vec![None; plan.buffers.len()],
        roots: BTreeMap::new(),
        loops: Vec::new(),
        time: 0,
    };
    lifetimes.sequence(&plan.steps);
    place(plan, &lifetimes.spans)
}

/// The first and the last use of a buffer.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: usize,
    last: usize,
}

struct Lifetimes {
    spans: Vec<Option<Span>>,
    /// The buffers that a carried one may be.
    roots: BTreeMap<usize, Vec<usize>>,
    /// The open loops: their start, and the buffers that live to their end.
    loops: Vec<(usize, Vec<usize>)>,
    time: usize,
}

impl Lifetimes {
    /// Recursive in the regions of the plan, whose depth is bounded.
    fn sequence(&mut self, steps: &[Step]) {
        for step in steps {
            self.time += 1;
            match step {
                Step::Compute { .. } | Step::Fail(_) => {}
                Step::Load { buffer, .. } | Step::Store { buffer, .. } => self.touch(*buffer),
                Step::Run(call) => call.buffers.iter().for_each(|&buffer| self.touch(buffer)),
                Step::Rows(rows) => {
                    let buffers = rows.calls.iter().flat_map(|call| &call.call.buffers);
                    buffers.for_each(|&buffer| self.touch(buffer));
                    let combined = rows.tasks.iter().flat_map(|tasks| &tasks.combined);
                    combined.for_each(|combined| self.touch(combined.partial));
                }
                Step::Copy { from, to } => [from, to]
                    .into_iter()
                    .for_each(|&buffer| self.touch(buffer)),
                Step::Branch { branches, .. } => {
                    branches
                        .iter()
                        .for_each(|branch| self.sequence(&branch.steps));
                }
                Step::Loop(inner) => {
                    for carried in &inner.buffers {
                        let mut roots = carried.slots.to_vec();
                        roots.extend(self.roots_of(carried.initial));
                        for name in [carried.current, carried.last] {
                            self.roots.insert(name, roots.clone());
                        }
                        self.roots.insert(carried.next, carried.slots.to_vec());
                        roots.into_iter().for_each(|root| self.touch(root));
                    }
                    self.loops.push((self.time, Vec::new()));
                    self.time += 1;
                    for carried in &inner.buffers {
                        self.touch(carried.current);
                    }
                    self.sequence(&inner.condition.steps);
                    self.sequence(&inner.body.steps);
                    self.time += 1;
                    let (_, living) = self.loops.pop().expect("the loop is open");
                    living.into_iter().for_each(|buffer| self.touch(buffer));
                }
            }
        }
    }

    fn roots_of(&self, buffer: usize) -> Vec<usize> {
        self.roots
            .get(&buffer)
            .cloned()
            .unwrap_or_else(|| vec![buffer])
    }

    /// Extends the life of a buffer to the current time, and to the end of the outermost loop that
    /// started after its first use.
    fn touch(&mut self, buffer: usize) {
        for root in self.roots_of(buffer) {
            let time = self.time;
            let span = self.spans[root].get_or_insert(Span {
                first: time,
                last: time,
            });
            span.last = time;
            let first = span.first;
            let around = self.loops.iter_mut().find(|(start, _)| first <= *start);
            if let Some((_, living)) = around
                && living.last() != Some(&root)
            {
                living.push(root);
            }
        }
    }
}

fn place(plan: &Plan, spans: &[Option<Span>]) -> Result<Layout, Error> {
    let mut layout = Layout {
        places: vec![Offset::Known(0); spans.len()],
        ..Layout::default()
    };
    let mut known = Group::default();
    let mut groups: Vec<Group> = Vec::new();
    for (buffer, span) in spans.iter().enumerate() {
        let Some(span) = span.filter(|_| plan.buffers.get(buffer).place == Place::Arena) else {
            continue;
        };
        let (unit, size) = size(plan, buffer);
        let group = if unit.as_known().is_some() {
            &mut known
        } else {
            let part = layout.parts.iter().position(|part| part.unit == unit);
            let part = part.unwrap_or_else(|| {
                layout.parts.push(Part { units: 0, unit });
                groups.push(Group::default());
                layout.parts.len() - 1
            });
            &mut groups[part]
        };
        group.members.push((buffer, size, span));
    }
    let planned = known.plan(ALIGNMENT)?;
    (layout.size, layout.bound) = (planned.size, planned.bound);
    for (&(buffer, ..), offset) in known.members.iter().zip(planned.offsets) {
        layout.places[buffer] = Offset::Known(offset);
    }
    for (part, group) in groups.iter().enumerate() {
        let planned = group.plan(UNIT_ALIGNMENT)?;
        layout.parts[part].units = planned.size;
        for (&(buffer, ..), units) in group.members.iter().zip(planned.offsets) {
            layout.places[buffer] = Offset::Part { part, units };
        }
    }
    Ok(layout)
}

/// Buffers that share memory.
#[derive(Debug, Default)]
struct Group {
    /// Buffers with their sizes.
    members: Vec<(usize, u64, Span)>,
}

impl Group {
    fn plan(&self, alignment: u64) -> Result<tfx_memory::Plan, Error> {
        let buffers = self
            .members
            .iter()
            .map(|&(_, size, _)| Buffer { size, alignment });
        let intervals = self.members.iter().map(|(_, _, span)| Interval {
            start: span.first as u64,
            end: span.last as u64 + 1,
        });
        let problem = Problem::with_intervals(buffers.collect(), intervals)?;
        let options = Options {
            visits: VISITS * self.members.len() as u64,
            ..Options::default()
        };
        Ok(tfx_memory::plan(&problem, &options))
    }
}

/// Returns the unit of the size of a buffer, and its size in units.
fn size(plan: &Plan, buffer: usize) -> (Extent, u64) {
    let buffer = plan.buffers.get(buffer);
    let unit = buffer.count.divided(&Extent::known(buffer.count.factor()));
    let unit = unit.unwrap_or(Extent::known(1));
    let factor = buffer.count.factor() as u64;
    (unit, factor.saturating_mul(buffer.element.size()))
}
