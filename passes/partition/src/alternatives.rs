//! The transfers that another choice would need, for explanations of the minimum cut.
//!
//! ```text
//!   the choice         mulf in the graph     host ── call @rate ──► graph      1 transfer
//!   the alternative    mulf on the host      host ◄── "Exp" ─────── graph      2 transfers
//!                                            host ── mulf ────────► graph
//! ```
//!
//! The alternative for a value is the cheapest choice in which only one given side computes it: a
//! second minimum cut with one more constraint. Other values may change their sides, too. Cost:
//! that of one cut and of one slicing for each alternative, which is paid only for values that an
//! explanation is about.

use std::collections::BTreeSet;

use crate::choose::choose_with;
use crate::demand::Demand;
use crate::function::ValueId;
use crate::side::Side;
use crate::weight::Weights;

/// The cheapest choice with one value on one side.
pub(crate) struct Alternative {
    /// The side that alone computes the value.
    pub(crate) side: Side,
    /// The transfers that the choice does not have, with their receivers.
    pub(crate) added: Vec<(ValueId, Side)>,
    /// The transfers of the choice that the alternative does not have.
    pub(crate) removed: Vec<(ValueId, Side)>,
}

/// Returns the alternatives of a value that partition could have chosen: none for a value that only
/// one side can compute, or that each side has at no cost.
pub(crate) fn alternatives(
    demand: &Demand<'_>,
    weights: &Weights,
    value: ValueId,
) -> Vec<Alternative> {
    let (function, facts) = (demand.function(), demand.facts());
    let origins = &demand.choice().origins;
    let is_free = Side::BOTH.map(|side| origins.is_free_on(side, value));
    if is_free == [true, true] {
        return Vec::new();
    }
    let made = Side::BOTH.map(|side| demand.is_made(side, value));
    let crossings =
        |demand: &Demand<'_>| BTreeSet::from_iter(demand.crossings().into_iter().map(key));
    let chosen = crossings(&Demand::of(function, facts, demand.choice()));
    let mut found = Vec::new();
    for side in Side::BOTH {
        // The choice itself.
        if made[side as usize] && !made[side.other() as usize] {
            continue;
        }
        let Some(other) = choose_with(function, facts, weights, (value, side)) else {
            continue;
        };
        let other = crossings(&Demand::of(function, facts, &other));
        let pairs = |set: BTreeSet<(ValueId, bool)>| set.into_iter().map(pair).collect();
        found.push(Alternative {
            side,
            added: pairs(&other - &chosen),
            removed: pairs(&chosen - &other),
        });
    }
    found
}

/// Orders transfers by value, then by receiver.
fn key((value, receiver): (ValueId, Side)) -> (ValueId, bool) {
    (value, receiver == Side::Graph)
}

fn pair((value, to_graph): (ValueId, bool)) -> (ValueId, Side) {
    (value, if to_graph { Side::Graph } else { Side::Host })
}
