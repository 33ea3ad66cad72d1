//! The names of an executed part.

use tfx_schedule::{Buffer, BufferId, EventId, Lifetime, Names, Part, Space};

use super::Point;

/// Memory with a lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) space: Space,
    pub(crate) size: u64,
    /// The arena of which it is a slice, by its number among those of all executed calls.
    pub(crate) arena: Option<u32>,
}

/// An event: the point at which it is complete, and the lane that recorded it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    pub(super) at: Point,
    pub(super) lane: u32,
}

/// The events and memory of names.
#[derive(Debug, Default)]
pub(super) struct Bound {
    events: Vec<Option<Recorded>>,
    buffers: Vec<Option<Held>>,
}

/// The names of an executed part.
#[derive(Debug)]
pub(super) struct Frame<'s> {
    part: &'s Part,
    /// The number of the part.
    pub(super) number: usize,
    /// The lanes of its streams.
    pub(super) streams: Vec<u32>,
    events: Vec<Option<Recorded>>,
    /// The memory of buffers that control flow binds.
    buffers: Vec<Option<Held>>,
    /// The numbers of its roots that are arenas.
    arenas: Vec<Option<u32>>,
}

impl<'s> Frame<'s> {
    pub(super) fn new(
        part: &'s Part,
        number: usize,
        streams: Vec<u32>,
        arenas: Vec<Option<u32>>,
    ) -> Self {
        Self {
            part,
            number,
            streams,
            events: vec![None; part.events.len()],
            buffers: vec![None; part.buffers.len()],
            arenas,
        }
    }

    /// Returns an event; none if it is not recorded.
    pub(super) fn event(&self, event: EventId) -> Option<Recorded> {
        *self.events.get(event.0 as usize)?
    }

    /// Defines an event; none if there is none of this name.
    pub(super) fn record(&mut self, event: EventId, recorded: Recorded) -> Option<()> {
        *self.events.get_mut(event.0 as usize)? = Some(recorded);
        Some(())
    }

    /// Returns the events and memory of names.
    pub(super) fn read(&self, names: &Names) -> Bound {
        let events = names.events.iter().map(|event| self.event(*event));
        let buffers = names.buffers.iter().map(|buffer| self.held(*buffer));
        Bound {
            events: events.collect(),
            buffers: buffers.collect(),
        }
    }

    /// Gives names the events and memory of others.
    pub(super) fn bind(&mut self, names: &Names, values: Bound) {
        for (event, value) in names.events.iter().zip(values.events) {
            if let Some(slot) = self.events.get_mut(event.0 as usize) {
                *slot = value;
            }
        }
        for (buffer, value) in names.buffers.iter().zip(values.buffers) {
            if let Some(slot) = self.buffers.get_mut(buffer.0 as usize) {
                *slot = value;
            }
        }
    }

    /// Returns the memory of a buffer.
    pub(super) fn held(&self, mut buffer: BufferId) -> Option<Held> {
        loop {
            match *self.part.buffers.get(buffer.0 as usize)? {
                Buffer::Bound { .. } => return *self.buffers.get(buffer.0 as usize)?,
                Buffer::View { of, .. } if of < buffer => buffer = of,
                Buffer::View { .. } => return None,
                Buffer::Slice { root, size, .. } => {
                    let space = self.part.roots.get(root.0 as usize)?.space;
                    let arena = *self.arenas.get(root.0 as usize)?;
                    return Some(Held { space, size, arena });
                }
            }
        }
    }

    /// Returns the memory space of a buffer.
    pub(super) fn space(&self, mut buffer: BufferId) -> Option<Space> {
        loop {
            match *self.part.buffers.get(buffer.0 as usize)? {
                Buffer::Bound { space, .. } => return Some(space),
                Buffer::View { of, .. } if of < buffer => buffer = of,
                Buffer::View { .. } => return None,
                Buffer::Slice { root, .. } => {
                    return Some(self.part.roots.get(root.0 as usize)?.space);
                }
            }
        }
    }
}

/// Returns for each root of a part whether it is an arena: managed memory with several slices, or
/// one that is smaller than the root.
pub(super) fn arenas(part: &Part) -> Vec<bool> {
    let mut slices = vec![0u32; part.roots.len()];
    let mut are = vec![false; part.roots.len()];
    for buffer in &part.buffers {
        if let Buffer::Slice { root, size, .. } = *buffer
            && let Some(of) = part.roots.get(root.0 as usize)
            && of.lifetime == Lifetime::Managed
        {
            let index = root.0 as usize;
            slices[index] += 1;
            are[index] |= slices[index] > 1 || size < of.size;
        }
    }
    are
}
