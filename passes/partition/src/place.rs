//! Where values cross: as inputs at the start, as results at the end, or on a channel at one place of the program.
//!
//! ```text
//!   %w = op ...                     the common region of all uses on the receiving side,
//!   scf.if %show {            ◄──── left again where that is a loop, or a branch that the sender cannot take for free
//!     print(%w)                     to the host:  right before the first use, so that the host waits as late as it can
//!   }                               to the graph: right after the definition, so that the graph waits as little as it can
//! ```
//!
//! A crossing is one place of the source program. Both sides pass their places in the order of that program, the sender has the
//! value there, and the receiver does not need it earlier: so there is no cycle of waits, however few messages a channel holds.
//!
//! A value of the function's body that the host needs only after the last graph operation and the last other crossing is a
//! *result*. The program is finished right before the first use of one, or at the end.
//!
//! Cost: each use climbs the regions between it and the definition, so the size of the program times its nesting.

use crate::demand::{Demand, Side};
use crate::facts::Bypass;
use crate::function::{BODY, Function, Kind, OpId, RegionId, ValueId};

/// What crosses, and where.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What the graph is given at its start.
    pub(crate) inputs: Vec<ValueId>,
    /// What the host is given at the end.
    pub(crate) results: Vec<ValueId>,
    /// The place in the body before which the program starts.
    pub(crate) start: usize,
    /// The place in the body before which it is finished.
    pub(crate) finish: usize,
    /// The crossings in program order; the index of one is its channel.
    pub(crate) crossings: Vec<Crossing>,
}

/// One channel's only crossing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) value: ValueId,
    pub(crate) receiver: Side,
    /// It happens right before this operation.
    pub(crate) before: OpId,
    /// Each use came through the marker that says that this copy is meant.
    pub(crate) explicit: bool,
}

/// Places everything that crosses. Gives senders the branches that crossings move into.
pub(crate) fn place(demand: &mut Demand) -> Plan {
    let sites = sites_of_uses(demand);
    let crossings = demand.crossings();
    let function = demand.function();
    let last = last_crossing_for_sure(demand, &crossings, &sites);

    let mut plan = Plan {
        inputs: Vec::new(),
        results: Vec::new(),
        start: demand.facts().start,
        finish: function[function.end(BODY)].index,
        crossings: Vec::new(),
    };
    for &(value, receiver) in &crossings {
        let Some(uses) = sites[value.index()] else {
            continue;
        };
        let top = function.top_index_of(uses.site.region, uses.site.index);
        if receiver == Side::Host && function.region_of(value) == BODY && top > last {
            plan.results.push(value);
            plan.finish = plan.finish.min(top);
        } else {
            let site = sink(demand, value, receiver, uses.site);
            let before = function[site.region].ops[site.index];
            plan.crossings.push(Crossing {
                value,
                receiver,
                before,
                explicit: uses.marked,
            });
        }
    }
    // The host's values first: they are known already, and the graph may be waiting for them.
    plan.crossings.sort_unstable_by_key(|crossing| {
        (
            crossing.before,
            crossing.receiver == Side::Host,
            crossing.value,
        )
    });
    // Moving crossings into branches may have asked for the branches' conditions.
    plan.inputs = demand.inputs();
    plan
}

/// A place: before an operation of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    region: RegionId,
    index: usize,
}

/// The first place that dominates all uses of a crossing value, and whether all of them are marked.
#[derive(Clone, Copy, Debug)]
struct Uses {
    site: Site,
    marked: bool,
}

fn sites_of_uses(demand: &Demand) -> Vec<Option<Uses>> {
    let function = demand.function();
    let mut receivers = vec![None; function.values.len()];
    demand
        .crossings()
        .iter()
        .for_each(|&(value, receiver)| receivers[value.index()] = Some(receiver));
    let mut sites: Vec<Option<Uses>> = vec![None; function.values.len()];
    for side in Side::BOTH {
        demand.for_each_use(side, |operand, region, index| {
            if receivers[operand.value.index()] != Some(side) {
                return;
            }
            let site = Site { region, index };
            let marked = match side {
                Side::Host => operand.marks.to_host,
                Side::Graph => operand.marks.to_accelerator,
            };
            let uses = &mut sites[operand.value.index()];
            *uses = Some(match *uses {
                None => Uses { site, marked },
                Some(old) => Uses {
                    site: common(function, old.site, site),
                    marked: old.marked && marked,
                },
            });
        });
    }
    sites
}

/// The last place that dominates two places.
fn common(function: &Function, mut a: Site, mut b: Site) -> Site {
    while a.region != b.region {
        let deeper = if function[a.region].depth >= function[b.region].depth {
            &mut a
        } else {
            &mut b
        };
        *deeper = around(function, *deeper);
    }
    Site {
        region: a.region,
        index: a.index.min(b.index),
    }
}

/// The place before the operation that a place is in.
fn around(function: &Function, site: Site) -> Site {
    let owner = function[site.region]
        .owner
        .expect("only the body has no owner");
    Site {
        region: function[owner].region,
        index: function[owner].index,
    }
}

/// The last place of the body at which the graph computes or something crosses that cannot be a result.
fn last_crossing_for_sure(
    demand: &Demand,
    crossings: &[(ValueId, Side)],
    sites: &[Option<Uses>],
) -> usize {
    let function = demand.function();
    let mut last = demand.facts().last;
    for &(value, receiver) in crossings {
        let in_body = function.region_of(value) == BODY;
        if receiver == Side::Host && in_body {
            continue;
        }
        if let Some(uses) = sites[value.index()] {
            last = last.max(function.top_index_of(uses.site.region, uses.site.index));
        }
    }
    last
}

/// The place of a crossing: as deep as it may go towards the uses.
fn sink(demand: &mut Demand, value: ValueId, receiver: Side, uses: Site) -> Site {
    let function = demand.function();
    let sender = receiver.other();
    let home = function.region_of(value);
    let (mut site, mut best) = (uses, uses);
    while site.region != home {
        let region = site.region;
        let owner = function[region]
            .owner
            .expect("a definition dominates its uses");
        site = around(function, site);
        if !can_cross_inside(demand, sender, owner, region) {
            best = site;
        }
    }
    let mut at = best;
    while at.region != home {
        let owner = function[at.region]
            .owner
            .expect("a definition dominates its uses");
        demand.include(sender, owner);
        at = around(function, at);
    }
    if receiver == Side::Graph && best.region == home {
        best.index = function.available_at(value);
    }
    best
}

/// Whether a crossing may move into a region: one that runs at most once, and that the sender has or can have at no cost.
fn can_cross_inside(demand: &Demand, sender: Side, owner: OpId, region: RegionId) -> bool {
    let function = demand.function();
    let bypassed = match demand.facts().bypass(owner) {
        Some(Bypass::Into(arm)) => arm != region,
        Some(Bypass::Over) => true,
        None => false,
    };
    if bypassed || !matches!(function[owner].kind, Kind::If | Kind::Switch) {
        return false;
    }
    let mut free = true;
    function.controls(owner, |control| {
        free &= demand.can_have(sender, control.value)
    });
    free || demand.is_present(sender, owner)
}
