//! Offsets of buffers in arenas, planned from the inside out.
//!
//! ```text
//!   level of the part      │ a │ loop    │ d │        a loop or branch is one member, of the size
//!   level of the loop          │ b │ c │              of the plan of its levels
//! ```
//!
//! `tfx-memory` plans each level. The arms of a branch exclude each other and start at the same
//! offset, unless the branch may overlap itself in a loop.
//!
//! Cost: that of the planner, for each level.

use std::collections::BTreeMap;
use std::fmt;

use tfx_memory::{Buffer, Error, Lifetimes, Options, Problem, Span, plan};
use tfx_schedule::{CommandId, PartId};

use crate::lifetimes::{Level, Member, Of};

/// An arena of a part.
#[derive(Clone, Debug)]
pub struct Arena<S> {
    /// The part.
    pub part: PartId,
    /// The memory space.
    pub space: S,
    /// The size in bytes.
    pub size: u64,
    /// The lower bound of the size that the planner found, for its outermost level.
    pub bound: u64,
    /// The plan of the outermost level, as text.
    pub text: String,
    /// The allocations with their offsets.
    pub offsets: Vec<(CommandId, u64)>,
}

/// A level that cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplannable {
    /// The part.
    pub part: PartId,
    /// The reason.
    pub error: Error,
}

impl fmt::Display for Unplannable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the memory of a schedule cannot be planned: {}",
            self.error
        )
    }
}

impl std::error::Error for Unplannable {}

/// The plan of a level in one memory space.
#[derive(Clone, Debug)]
struct Planned {
    size: u64,
    /// The members with memory in the space, and their offsets.
    offsets: Vec<(usize, u64)>,
}

/// Returns the arenas of all parts. `memory` has the memory space and the size of an allocation, or
/// none if it gets no offset. Offsets are multiples of `alignment`, which is not 0.
///
/// # Errors
///
/// The sizes sum up to 2^63 bytes or more.
pub fn arenas<S: Copy + Ord>(
    levels: &[Level],
    alignment: u64,
    memory: impl Fn(CommandId) -> Option<(S, u64)>,
) -> Result<Vec<Arena<S>>, Unplannable> {
    let mut planned: Vec<BTreeMap<S, Planned>> = Vec::with_capacity(levels.len());
    let mut arenas = Vec::new();
    for level in levels {
        let mut spaces: BTreeMap<S, Vec<(usize, u64)>> = BTreeMap::new();
        for (index, member) in level.members.iter().enumerate() {
            match &member.of {
                Of::Buffer(command) => {
                    if let Some((space, size)) = memory(*command) {
                        spaces.entry(space).or_default().push((index, size));
                    }
                }
                Of::Levels(inside) => {
                    let mut found: Vec<S> = inside
                        .iter()
                        .flat_map(|level| planned[*level].keys().copied())
                        .collect();
                    found.sort_unstable();
                    found.dedup();
                    for space in found {
                        let inside = inside_levels(member, &planned, space, alignment);
                        let size = inside.iter().map(|(_, start, size)| start + size).max();
                        spaces
                            .entry(space)
                            .or_default()
                            .push((index, size.unwrap_or(0)));
                    }
                }
            }
        }
        let mut own = BTreeMap::new();
        for (space, members) in spaces {
            let buffers = members.iter().map(|&(_, size)| Buffer { size, alignment });
            let spans = members.iter().map(|&(member, _)| Span {
                before: level.members[member].before.clone(),
                last: level.members[member].last.clone(),
            });
            let problem = Problem::new(buffers.collect(), Lifetimes::Spans(spans.collect()));
            let problem = problem.map_err(|error| Unplannable {
                part: level.part,
                error,
            })?;
            let plan = plan(&problem, &Options::default());
            if level.is_outermost {
                arenas.push(Arena {
                    part: level.part,
                    space,
                    size: plan.size,
                    bound: plan.bound,
                    text: plan.to_string(),
                    offsets: Vec::new(),
                });
            }
            let members = members.into_iter().map(|(member, _)| member);
            own.insert(
                space,
                Planned {
                    size: plan.size,
                    offsets: members.zip(plan.offsets).collect(),
                },
            );
        }
        planned.push(own);
    }
    for arena in &mut arenas {
        let is_root = |level: &Level| level.is_outermost && level.part == arena.part;
        let root = levels.iter().position(is_root);
        let mut pending: Vec<(usize, u64)> = root.into_iter().map(|root| (root, 0)).collect();
        while let Some((level, base)) = pending.pop() {
            let Some(plan) = planned[level].get(&arena.space) else {
                continue;
            };
            for &(index, offset) in &plan.offsets {
                let member = &levels[level].members[index];
                match &member.of {
                    Of::Buffer(command) => arena.offsets.push((*command, base + offset)),
                    Of::Levels(_) => {
                        let inside = inside_levels(member, &planned, arena.space, alignment);
                        let inside = inside.into_iter();
                        pending
                            .extend(inside.map(|(level, start, _)| (level, base + offset + start)));
                    }
                }
            }
        }
        arena.offsets.sort_unstable();
    }
    Ok(arenas)
}

/// Returns the levels inside of a member, with their starts in it and their sizes.
fn inside_levels<S: Copy + Ord>(
    member: &Member,
    planned: &[BTreeMap<S, Planned>],
    space: S,
    alignment: u64,
) -> Vec<(usize, u64, u64)> {
    let Of::Levels(inside) = &member.of else {
        return Vec::new();
    };
    let mut start = 0u64;
    let levels = inside.iter().filter_map(|level| {
        let size = planned[*level].get(&space)?.size;
        let own = start;
        if member.is_overlapping() {
            start += size.next_multiple_of(alignment);
        }
        Some((*level, own, size))
    });
    levels.collect()
}
