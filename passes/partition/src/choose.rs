//! Where each value is made: on the host, in the graph, or on both sides.
//!
//! ```text
//!    step + 1, step % 100 == 0            free: both sides, nothing crosses       crate::origins
//!    call @f ──► mulf ──► op "Mul"        host, its result is sent                crate::cut
//!    op "Mean" ──► to_scalar ──► cmpf     graph, the host gets one boolean
//! ```
//!
//! This is the one place that decides between replicating and sending, behind one function: [`choose`]. Any answer is correct
//! that leaves graph operations to the graph and host code to the host; the rest of partition makes it so. What differs is the number of
//! transfers, and of all answers this is one with the fewest, weighed by [`crate::weight`].
//!
//! What a side can make by itself is settled first. The rest is a least cut.

use crate::cut::least_cut;
use crate::facts::Facts;
use crate::function::{Function, ValueId};
use crate::origins::Origins;
use crate::weight::Weights;

/// Where a value is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// On each side that needs it.
    Both,
    /// In the graph; the host receives it.
    Graph,
    /// On the host; the graph receives it.
    Host,
}

/// The decision for every value.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Values from before the start are the host's to make and the graph's to take as inputs, and count as *both*.
    pub(crate) homes: Vec<Home>,
    /// What each side can make by itself.
    pub(crate) origins: Origins,
}

/// Decides for every value.
pub(crate) fn choose(function: &Function, facts: &Facts, weights: &Weights) -> Choice {
    let origins = Origins::of(function, facts);
    let cut = least_cut(function, facts, &origins, weights);
    let home = |value: ValueId| match (cut.on_host(value), cut.in_graph(value)) {
        (true, false) => Home::Host,
        (false, true) => Home::Graph,
        _ => Home::Both,
    };
    Choice {
        homes: function.value_ids().map(home).collect(),
        origins,
    }
}
