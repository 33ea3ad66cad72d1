//! Lifetimes of the buffers that a schedule allocates, for a planner of memory.
//!
//! ```text
//!   level of the part      alloc a, free a      loop: alloc b, free b      alloc c
//!   level of the loop                           alloc b, free b
//! ```
//!
//! The lifetime of a buffer starts with its `alloc` and ends with its `free`. Two buffers may share
//! bytes if the release of one happens before the allocation of the other, which vector clocks
//! decide: the clock before the allocation, and the position of the release on its agent.
//!
//! Each body with allocations is a *level*. A loop or branch is one member of the level around it:
//! all buffers inside are live from its start to its end, as far as the outside can see. So levels
//! are planned from the inside out. Buffers of different arms of a branch exclude each other.
//!
//! In a loop, a buffer also follows those of the iteration before. A buffer that may be live when
//! one of the next iteration is allocated shares no bytes with others of the loop.
//!
//! A buffer that is not released in its body lives on: in the body of a part until the end, and in
//! one of a loop or branch it leaves its level, so that it has no lifetime here.
//!
//! Cost: that of [`crate::events()`].

use rustc_hash::FxHashMap;
use tfx_schedule::{BufferId, CommandId, Op, PartId, Schedule};

use crate::Error;
use crate::events::{Missing, Seen, simulate};
use crate::layout::{Layout, agent_number};

/// The memory of a member of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// The buffer that a command allocates.
    Buffer(CommandId),
    /// The buffers of levels that exclude each other: one for each arm of a branch, or the body of
    /// a loop.
    Levels(Vec<usize>),
}

/// A buffer, or the buffers inside of a loop or branch, with a lifetime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The memory.
    pub of: Of,
    /// For each agent of the level, the last position that is complete before the lifetime.
    pub before: Vec<u64>,
    /// For each agent of the level, the position at which the lifetime ends, or 0.
    pub last: Vec<u64>,
    /// Set if the member may still be live when the next iteration of the loop around it starts it
    /// again: then no two buffers inside may share bytes, in different arms neither.
    is_overlapping: bool,
}

impl Member {
    /// Returns whether the levels inside may be live at the same time.
    pub fn is_overlapping(&self) -> bool {
        self.is_overlapping
    }
}

/// The allocations of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The part.
    pub part: PartId,
    /// Set if no other level contains it.
    pub is_outermost: bool,
    /// The members.
    pub members: Vec<Member>,
}

/// Returns the levels with allocations, each after those inside of it, and the allocations that
/// leave their level.
///
/// # Errors
///
/// The buffers of a loop do not return to their places soon enough.
pub fn lifetimes<P>(schedule: &Schedule<P>) -> Result<(Vec<Level>, Vec<CommandId>), Error> {
    let layouts: Vec<Layout<'_>> = schedule.parts.iter().map(Layout::new).collect();
    let (_, seen) = simulate(schedule, &layouts, Missing::Ignored)?;
    let (mut levels, mut left): (Vec<Level>, Vec<CommandId>) = (Vec::new(), Vec::new());
    for (index, (layout, seen)) in layouts.iter().zip(&seen).enumerate() {
        let mut known: FxHashMap<usize, usize> = FxHashMap::default();
        for body in (0..layout.bodies.len()).rev() {
            let mut members = members(layout, body, &seen[body], &known, &mut left);
            if layout.bodies[body].repeated.is_some() && seen[body].iterations > 1 {
                // The buffers inside of a member that overlaps itself share no bytes either.
                let mut pending = separate(&mut members, &seen[body]);
                while let Some(inside) = pending.pop() {
                    for member in &mut levels[inside].members {
                        isolate(member);
                        if let Of::Levels(levels) = &member.of {
                            pending.extend(levels);
                        }
                    }
                }
            }
            if !members.is_empty() {
                known.insert(body, levels.len());
                levels.push(Level {
                    part: PartId(index as u32),
                    is_outermost: body == 0,
                    members,
                });
            }
        }
    }
    left.sort_unstable();
    Ok((levels, left))
}

fn members(
    layout: &Layout<'_>,
    body: usize,
    seen: &Seen,
    known: &FxHashMap<usize, usize>,
    left: &mut Vec<CommandId>,
) -> Vec<Member> {
    let place = layout.bodies[body];
    let commands = &place.body.commands;
    let width = seen.agents.len();
    let local = |agent: u32| seen.agents.binary_search(&agent).ok();
    let mut releases: FxHashMap<BufferId, (u32, u32)> = FxHashMap::default();
    for (item, command) in (0..).zip(commands) {
        if let Op::Free { agent, buffer } = &command.op {
            releases.insert(*buffer, (item, agent_number(*agent)));
        }
    }
    let mut members = Vec::new();
    for (item, command) in (0..).zip(commands) {
        let mut last = vec![0u64; width];
        let clock = |agent: u32| {
            let clock = seen.before.get(&(item, agent));
            clock.map_or(vec![0; width], |clock| {
                clock.iter().map(|p| u64::from(*p)).collect()
            })
        };
        match &command.op {
            Op::Alloc { agent, buffer } => {
                match releases.get(buffer).filter(|(release, _)| *release > item) {
                    Some((release, agent)) => {
                        if let Some(index) = local(*agent) {
                            last[index] = seen.position(*release).into();
                        }
                    }
                    None if body == 0 => last.fill(u64::MAX),
                    None => {
                        left.push(command.id);
                        continue;
                    }
                }
                members.push(Member {
                    of: Of::Buffer(command.id),
                    before: clock(agent_number(*agent)),
                    last,
                    is_overlapping: false,
                });
            }
            Op::Loop(_) | Op::Branch(_) => {
                let inside = layout.children(command.id).iter();
                let inside: Vec<usize> =
                    inside.filter_map(|body| known.get(body).copied()).collect();
                if inside.is_empty() {
                    continue;
                }
                // The agents that allocate or release inside.
                let agents = agents_inside(layout, command.id);
                let clocks = agents.iter().map(|agent| clock(*agent));
                let before = clocks.reduce(|one, two| {
                    one.into_iter()
                        .zip(two)
                        .map(|(one, two)| one.min(two))
                        .collect()
                });
                for index in agents.iter().filter_map(|agent| local(*agent)) {
                    last[index] = seen.position(item).into();
                }
                members.push(Member {
                    of: Of::Levels(inside),
                    before: before.unwrap_or_else(|| vec![0; width]),
                    last,
                    is_overlapping: false,
                });
            }
            _ => {}
        }
    }
    members
}

/// Returns the agents of the allocations and releases inside of a command.
fn agents_inside(layout: &Layout<'_>, command: CommandId) -> Vec<u32> {
    let mut agents = Vec::new();
    let mut pending: Vec<usize> = layout.children(command).to_vec();
    while let Some(body) = pending.pop() {
        for command in &layout.bodies[body].body.commands {
            match &command.op {
                Op::Alloc { agent, .. } | Op::Free { agent, .. } => {
                    agents.push(agent_number(*agent));
                }
                Op::Loop(_) | Op::Branch(_) => pending.extend(layout.children(command.id)),
                _ => {}
            }
        }
    }
    agents.sort_unstable();
    agents.dedup();
    agents
}

/// Lets members of a loop share no bytes if they may be live when a member of the next iteration is
/// allocated. Returns the levels inside of them.
fn separate(members: &mut [Member], seen: &Seen) -> Vec<usize> {
    let count = u64::from(seen.count);
    // The positions that all allocations know.
    let mut known = vec![u64::MAX; seen.agents.len()];
    for member in members.iter() {
        for (entry, before) in known.iter_mut().zip(&member.before) {
            *entry = (*entry).min(*before);
        }
    }
    let mut inside = Vec::new();
    for member in members {
        let mut ends = known.iter().zip(&member.last);
        if ends.any(|(known, last)| last.saturating_sub(count) > *known) {
            isolate(member);
            if let Of::Levels(levels) = &member.of {
                inside.extend(levels);
            }
        }
    }
    inside
}

/// Lets a member conflict with all others of its level.
fn isolate(member: &mut Member) {
    member.before.fill(0);
    member.last.fill(u64::MAX);
    member.is_overlapping = true;
}
