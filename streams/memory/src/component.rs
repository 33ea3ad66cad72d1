//! A component of the conflict graph, with indices of its own.
//!
//! See `instance.rs` for the terms.

use crate::greedy::Conflicts;
use crate::instance::{Graph, Lists, Shape, sections};
use crate::order::Order;

/// The buffers of a component, numbered from 0 in the order of their first sections.
#[derive(Debug)]
pub(crate) struct Component {
    /// For each buffer, its index in the problem.
    pub(crate) buffers: Vec<u32>,
    pub(crate) sizes: Vec<u64>,
    pub(crate) alignments: Vec<u64>,
    pub(crate) neighbours: Lists,
    /// For each section, its buffers.
    pub(crate) sections: Lists,
    /// For each buffer, its sections.
    pub(crate) sections_of: Lists,
    /// For each buffer, its first and its last section.
    pub(crate) hulls: Vec<(u32, u32)>,
    /// Buffers conflict only if they have a section in common.
    pub(crate) is_interval_graph: bool,
}

impl Component {
    /// Returns the component with the given buffers.
    pub(crate) fn new(members: &[u32], shape: &Shape, graph: &Graph, order: &Order) -> Self {
        let member_sections = sections(order, |buffer| members.binary_search(&buffer).is_ok());
        let mut hulls = vec![(u32::MAX, 0); members.len()];
        let index = |buffer: u32| members.partition_point(|&member| member < buffer);
        for (section, live) in (0..).zip(&member_sections) {
            for &buffer in live {
                let hull = &mut hulls[index(buffer)];
                *hull = (hull.0.min(section), section);
            }
        }
        let mut buffers: Vec<u32> = members.to_vec();
        buffers.sort_by_key(|&buffer| (hulls[index(buffer)].0, buffer));
        let mut local = vec![0; members.len()];
        for (new, &buffer) in (0..).zip(&buffers) {
            local[index(buffer)] = new;
        }
        let local = |buffer: u32| local[index(buffer)];

        let entries = (0..).zip(&member_sections);
        let entries = entries.flat_map(|(section, live)| live.iter().map(move |&b| (section, b)));
        let entries = entries.map(|(section, buffer)| (section, local(buffer)));
        let edges = (0..).zip(&buffers);
        let edges = edges.flat_map(|(a, &buffer)| {
            let others = graph.neighbours.of(buffer).iter();
            others.map(move |&other| (a, other))
        });
        Self {
            sizes: buffers
                .iter()
                .map(|&buffer| shape.sizes[buffer as usize])
                .collect(),
            alignments: buffers
                .iter()
                .map(|&buffer| shape.alignments[buffer as usize])
                .collect(),
            neighbours: Lists::new(buffers.len(), edges.map(|(a, other)| (a, local(other)))),
            sections: Lists::new(member_sections.len(), entries.clone()),
            sections_of: Lists::new(buffers.len(), entries.map(|(section, b)| (b, section))),
            hulls: buffers.iter().map(|&buffer| hulls[index(buffer)]).collect(),
            is_interval_graph: order.is_interval_order(),
            buffers,
        }
    }

    /// Returns the number of buffers.
    pub(crate) fn len(&self) -> u32 {
        self.buffers.len() as u32
    }

    pub(crate) fn conflicts(&self) -> Conflicts<'_> {
        Conflicts {
            sizes: &self.sizes,
            alignments: &self.alignments,
            neighbours: &self.neighbours,
        }
    }

    /// Returns the size of a plan of the component.
    pub(crate) fn size(&self, offsets: &[u64]) -> u64 {
        let ends = offsets
            .iter()
            .zip(&self.sizes)
            .map(|(offset, size)| offset + size);
        ends.max().unwrap_or(0)
    }
}
