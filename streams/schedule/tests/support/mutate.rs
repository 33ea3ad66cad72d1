//! Mutations of schedules.

use tfx_schedule::{
    Agent, Body, Buffer, BufferId, EventId, Names, Op, Part, Schedule, StreamId, ValueId,
};

use super::Random;

/// The kinds of mutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mutation {
    /// A wait for one event less.
    DropWait,
    /// A wait for another event.
    RetargetWait,
    /// A record on another stream.
    RetargetRecord,
    /// A command on another stream.
    RetargetStream,
    /// A command after the next one.
    Move,
    /// A slice with another offset.
    Offset,
    /// An access of another buffer.
    Buffer,
    /// A loop or branch that yields another name, such as a ring with fewer slots.
    Yield,
    /// A loop or call with other arguments.
    Argument,
    /// A read of another value.
    Value,
    /// A command less.
    Drop,
}

pub(crate) const ALL: [Mutation; 11] = [
    Mutation::DropWait,
    Mutation::RetargetWait,
    Mutation::RetargetRecord,
    Mutation::RetargetStream,
    Mutation::Move,
    Mutation::Offset,
    Mutation::Buffer,
    Mutation::Yield,
    Mutation::Argument,
    Mutation::Value,
    Mutation::Drop,
];

/// The number of places where a mutation is tried.
const TRIES: usize = 10;

/// Returns a mutated schedule, or `None` if the mutation does not apply where it is tried.
pub(crate) fn mutate<P: Clone>(
    schedule: &Schedule<P>,
    mutation: Mutation,
    random: &mut Random,
) -> Option<Schedule<P>> {
    (0..TRIES).find_map(|_| mutate_once(schedule, mutation, random))
}

fn mutate_once<P: Clone>(
    schedule: &Schedule<P>,
    mutation: Mutation,
    random: &mut Random,
) -> Option<Schedule<P>> {
    let mut schedule = schedule.clone();
    let part = random.below(schedule.parts.len());
    let part = &mut schedule.parts[part];
    if mutation == Mutation::Offset {
        mutate_offset(part, random)?;
        return Some(schedule);
    }
    let ids = Ids {
        streams: part.streams.len(),
        events: part.events.len(),
        buffers: part.buffers.len(),
        values: part.values as usize,
    };
    let mut number = random.below(count(&part.body));
    let body = nth(&mut part.body, &mut number)?;
    mutate_body(body, mutation, &ids, random)?;
    Some(schedule)
}

/// The numbers of ids of a part.
struct Ids {
    streams: usize,
    events: usize,
    buffers: usize,
    values: usize,
}

fn mutate_offset(part: &mut Part, random: &mut Random) -> Option<()> {
    if part.buffers.is_empty() {
        return None;
    }
    let other = *random.pick(&part.buffers);
    let index = random.below(part.buffers.len());
    match (&mut part.buffers[index], other) {
        (Buffer::Slice { offset, .. }, Buffer::Slice { offset: other, .. }) if *offset != other => {
            // Some slices share only a part of a cell.
            *offset = other ^ if random.chance(30) { 4 } else { 0 };
            Some(())
        }
        _ => None,
    }
}

fn mutate_body(body: &mut Body, mutation: Mutation, ids: &Ids, random: &mut Random) -> Option<()> {
    let commands = body.commands.len();
    if commands == 0 {
        return None;
    }
    let index = random.below(commands);
    match (mutation, &mut body.commands[index].op) {
        (Mutation::DropWait, Op::Wait { events, .. }) if !events.is_empty() => {
            let event = random.below(events.len());
            events.remove(event);
        }
        (Mutation::RetargetWait, Op::Wait { events, .. }) if !events.is_empty() => {
            let event = random.below(events.len());
            events[event] = EventId(random.below(ids.events) as u32);
        }
        (Mutation::RetargetRecord, Op::Record { agent, .. }) => *agent = stream(ids, random),
        (Mutation::RetargetStream, Op::Work { agent, .. } | Op::Wait { agent, .. }) => {
            *agent = stream(ids, random);
        }
        (Mutation::RetargetStream, Op::Alloc { agent, .. } | Op::Free { agent, .. }) => {
            *agent = stream(ids, random);
        }
        (Mutation::Move, _) if index + 1 < commands => body.commands.swap(index, index + 1),
        (Mutation::Drop, Op::Work { .. } | Op::Alloc { .. } | Op::Free { .. }) => {
            body.commands.remove(index);
        }
        (Mutation::Buffer, Op::Work { accesses, .. }) if !accesses.is_empty() => {
            let access = random.below(accesses.len());
            accesses[access].buffer = BufferId(random.below(ids.buffers) as u32);
        }
        (Mutation::Value, Op::Work { accesses, .. }) if !accesses.is_empty() => {
            let access = random.below(accesses.len());
            let value = accesses[access].value.as_mut()?;
            match random.chance(80) {
                true => value.id = ValueId(random.below(ids.values) as u32),
                false => value.offset ^= 8,
            }
        }
        (Mutation::Yield, Op::Loop(inner)) => {
            let other = [&inner.arguments, &inner.body.yields];
            let other = (*random.pick(&other)).clone();
            rename(&mut inner.body.yields, &other, random)?;
        }
        (Mutation::Yield, Op::Branch(branch)) => {
            let arm = random.below(branch.arms.len());
            let other = random.pick(&branch.arms).yields.clone();
            rename(&mut branch.arms[arm].yields, &other, random)?;
        }
        (Mutation::Argument, Op::Loop(inner)) => {
            let other = inner.initial.clone();
            rename(&mut inner.initial, &other, random)?;
        }
        (Mutation::Argument, Op::Call(call)) if !call.streams.is_empty() => match random.chance(50)
        {
            true => {
                let other = call.arguments.clone();
                rename(&mut call.arguments, &other, random)?;
            }
            false => {
                let argument = random.below(call.streams.len());
                call.streams[argument] = StreamId(random.below(ids.streams) as u32);
            }
        },
        _ => return None,
    }
    Some(())
}

fn stream(ids: &Ids, random: &mut Random) -> Agent {
    Agent::Stream(StreamId(random.below(ids.streams) as u32))
}

/// Replaces one name by another one of its kind.
fn rename(names: &mut Names, other: &Names, random: &mut Random) -> Option<()> {
    fn one<T: Copy + PartialEq>(names: &mut [T], other: &[T], random: &mut Random) -> Option<()> {
        if names.is_empty() || other.is_empty() {
            return None;
        }
        let index = random.below(names.len());
        let new = *random.pick(other);
        if names[index] == new {
            return None;
        }
        names[index] = new;
        Some(())
    }
    match random.below(3) {
        0 => one(&mut names.events, &other.events, random),
        1 => one(&mut names.buffers, &other.buffers, random),
        _ => one(&mut names.values, &other.values, random),
    }
}

/// Returns the number of bodies.
fn count(body: &Body) -> usize {
    let nested = body.commands.iter().map(|command| match &command.op {
        Op::Loop(inner) => count(&inner.body),
        Op::Branch(branch) => branch.arms.iter().map(count).sum(),
        _ => 0,
    });
    1 + nested.sum::<usize>()
}

/// Returns a body by its number.
fn nth<'a>(body: &'a mut Body, number: &mut usize) -> Option<&'a mut Body> {
    if *number == 0 {
        return Some(body);
    }
    *number -= 1;
    for command in &mut body.commands {
        match &mut command.op {
            Op::Loop(inner) => {
                if let Some(found) = nth(&mut inner.body, number) {
                    return Some(found);
                }
            }
            Op::Branch(branch) => {
                for arm in &mut branch.arms {
                    if let Some(found) = nth(arm, number) {
                        return Some(found);
                    }
                }
            }
            _ => {}
        }
    }
    None
}
