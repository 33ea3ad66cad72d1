//! The capture of streams as graphs.
//!
//! ```text
//!   origin: begin ── a ── record e ─────── wait f ── end
//!   other:                 wait e ── b ── record f          a ─► b
//! ```
//!
//! A stream that captures has a set of nodes after which its next one comes. A record copies the
//! set into the event, and a wait adds it to that of its stream, which takes part from then on. A
//! node without work stands for the start.

use std::collections::BTreeSet;

use crate::codes::{CAPTURE_ISOLATION, CAPTURE_UNJOINED, CAPTURE_UNMATCHED, Code, INVALID_VALUE};
use crate::queue::Work;
use crate::state::State;

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) work: Option<Work>,
    pub(crate) device: usize,
    pub(crate) after: BTreeSet<usize>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// The position of a stream, or of an event, in a capture.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    /// The capture, by the stream where it has begun.
    pub(crate) origin: usize,
    pub(crate) after: BTreeSet<usize>,
}

impl State {
    pub(crate) fn begin_capture(&mut self, stream: usize) -> Result<(), Code> {
        let state = self.stream(stream)?;
        if state.captured.is_some() {
            return Err(crate::codes::CAPTURE_UNSUPPORTED);
        }
        state.captured = Some(Captured {
            origin: stream,
            after: BTreeSet::from([0]),
        });
        let device = state.device;
        let start = Node {
            work: None,
            device,
            after: BTreeSet::new(),
        };
        self.captures.insert(stream, Graph { nodes: vec![start] });
        Ok(())
    }

    /// Adds a command to the capture of a stream. Returns it if the stream does not capture.
    pub(crate) fn capture(&mut self, stream: usize, work: Work) -> Result<Option<Work>, Code> {
        let state = self.stream(stream)?;
        let device = state.device;
        let Some(captured) = &mut state.captured else {
            return Ok(Some(work));
        };
        let origin = captured.origin;
        let after = std::mem::take(&mut captured.after);
        let graph = self.captures.get_mut(&origin).ok_or(INVALID_VALUE)?;
        graph.nodes.push(Node {
            work: Some(work),
            device,
            after,
        });
        let node = graph.nodes.len() - 1;
        if let Some(captured) = &mut self.stream(stream)?.captured {
            captured.after = BTreeSet::from([node]);
        }
        Ok(None)
    }

    /// Lets a stream that captures, or that takes part from now on, wait for an event. Returns
    /// false if neither is captured.
    pub(crate) fn capture_wait(&mut self, stream: usize, event: usize) -> Result<bool, Code> {
        let recorded = self.event(event)?.captured.clone();
        let state = self.stream(stream)?;
        match (&mut state.captured, recorded) {
            (None, None) => Ok(false),
            (Some(_), None) => Err(CAPTURE_ISOLATION),
            (Some(own), Some(other)) if own.origin != other.origin => Err(CAPTURE_UNMATCHED),
            (Some(own), Some(other)) => {
                own.after.extend(other.after);
                Ok(true)
            }
            (None, Some(other)) => {
                state.captured = Some(other);
                Ok(true)
            }
        }
    }

    pub(crate) fn end_capture(&mut self, stream: usize) -> Result<Graph, Code> {
        let captured = self.stream(stream)?.captured.clone();
        let captured = captured.filter(|captured| captured.origin == stream);
        let captured = captured.ok_or(CAPTURE_UNMATCHED)?;
        let graph = self.captures.remove(&stream).ok_or(INVALID_VALUE)?;
        let joined = before(&graph, &captured.after);
        let mut is_joined = true;
        for state in self.streams.values_mut() {
            let own = state.captured.take_if(|own| own.origin == stream);
            is_joined &= own.is_none_or(|own| own.after.is_subset(&joined));
        }
        for event in self.events.values_mut() {
            event.captured.take_if(|own| own.origin == stream);
        }
        match is_joined {
            true => Ok(graph),
            false => Err(CAPTURE_UNJOINED),
        }
    }
}

/// Returns nodes with all that come before them.
fn before(graph: &Graph, nodes: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut found = nodes.clone();
    for node in (0..graph.nodes.len()).rev() {
        if found.contains(&node) {
            found.extend(&graph.nodes[node].after);
        }
    }
    found
}
