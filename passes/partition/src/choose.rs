//! Decides where each value is computed: on the host, in the graph, or on both sides.
//!
//! ```text
//!    step + 1, step % 100 == 0            free: both sides, nothing crosses       crate::origins
//!    call @f ──► mulf ──► op "Mul"        host, its result is sent                crate::cut
//!    op "Mean" ──► to_scalar ──► cmpf     graph, the host gets one boolean
//! ```
//!
//! Only [`choose`] decides between replicating and sending. Each choice that leaves graph
//! operations to the graph and host code to the host is correct; the rest of partition implements
//! it. Choices differ in the number of transfers, and this one has the fewest, weighted by
//! [`crate::weight`].
//!
//! Values that a side can compute by itself are decided first. A minimum cut decides the rest.

use crate::cut::{Cut, minimum_cut, minimum_cut_with};
use crate::facts::Facts;
use crate::function::{Function, ValueId};
use crate::origins::Origins;
use crate::side::Side;
use crate::weight::Weights;

/// The sides that compute a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Each side that needs it.
    Both,
    /// The graph; the host receives it.
    Graph,
    /// The host; the graph receives it.
    Host,
}

/// The decision for each value.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Values from before the start are computed by the host and are inputs of the graph; they
    /// count as *both*.
    pub(crate) homes: Vec<Home>,
    /// The values that each side can compute by itself.
    pub(crate) origins: Origins,
}

/// Decides for each value.
pub(crate) fn choose(function: &Function, facts: &Facts, weights: &Weights) -> Choice {
    let origins = Origins::of(function, facts);
    let cut = minimum_cut(function, facts, &origins, weights);
    Choice::new(function, &cut, origins)
}

/// Decides for each value, given that only `side` computes one of them. Returns none if that value
/// has no choice.
pub(crate) fn choose_with(
    function: &Function,
    facts: &Facts,
    weights: &Weights,
    fixed: (ValueId, Side),
) -> Option<Choice> {
    let origins = Origins::of(function, facts);
    let cut = minimum_cut_with(function, facts, &origins, weights, fixed)?;
    Some(Choice::new(function, &cut, origins))
}

impl Choice {
    fn new(function: &Function, cut: &Cut, origins: Origins) -> Self {
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
}
