//! Places the values that cross: as inputs at the start, as results at the end, or on a channel at
//! one place of the program.
//!
//! ```text
//!   %w = op ...                     the region around all uses on the receiving side, or a branch around each, if that is cheaper;
//!   scf.if %show {            ◄──── not in a loop, nor in a branch that the sender cannot take at no cost (crate::arms)
//!     print(%w)                     to the host:  right before the first use, so that the host waits as late as it can
//!   }                               to the graph: right after the definition, so that the graph waits as little as it can
//! ```
//!
//! A crossing is at one point of the source program. Both sides pass these points in program order,
//! the sender has the value available there, and the receiver does not need it earlier. So there is
//! no cycle of waits, for every channel capacity.
//!
//! A crossing moves to this place from each use, in three steps that can be turned off
//! ([`Motion`]): out of loops, together with the crossings of other uses, and on the host down to
//! the first use. After each step it is at one point of the source program, so the argument holds.
//!
//! A value of the function's body is a *result* if the host needs it only after the last graph
//! operation, the last scalar code of the graph that may fail, and the last other crossing. The
//! program is finished right before the first use of a result, or at the end.
//!
//! Cost: each use climbs the regions between it and the definition, so the size of the program
//! times its nesting.

use std::collections::{BTreeMap, BTreeSet};

use crate::arms::Arms;
use crate::demand::Demand;
use crate::function::{BODY, Function, Kind, OpId, RegionId, ValueId};
use crate::marks::Covered;
use crate::motion::Motion;
use crate::side::Side;
use crate::weight::Weights;

/// The transfers and their places.
pub(crate) struct Plan {
    /// The inputs of the graph.
    pub(crate) inputs: Vec<ValueId>,
    /// The results of the graph.
    pub(crate) results: Vec<ValueId>,
    /// The position in the body before which the program starts.
    pub(crate) start: usize,
    /// The position in the body before which it is finished.
    pub(crate) finish: usize,
    /// The crossings in program order; the index of one is its channel.
    pub(crate) crossings: Vec<Crossing>,
}

/// The only crossing of a channel. A value that is used in several branches may have one in each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) value: ValueId,
    pub(crate) receiver: Side,
    /// It happens right before this operation.
    pub(crate) before: OpId,
    /// The user marked this copy as intentional: see [`crate::marks`].
    pub(crate) explicit: bool,
}

/// Places everything that crosses, and adds branches to senders for the crossings that move into
/// them.
pub(crate) fn place(demand: &mut Demand, weights: &Weights, motion: Motion) -> Plan {
    let function = demand.function();
    let deliveries = deliveries(demand, weights, motion);
    let covered = Side::BOTH.map(|receiver| Covered::of(demand, receiver));
    let mut plan = Plan {
        inputs: Vec::new(),
        results: Vec::new(),
        start: demand.facts().start,
        finish: function[function.end(BODY)].index,
        crossings: Vec::new(),
    };
    for Delivery {
        value,
        receiver,
        sites,
        result,
        ..
    } in deliveries
    {
        if let Some(first) = result {
            plan.results.push(value);
            plan.finish = plan.finish.min(first);
        }
        for site in sites {
            include_branches(demand, value, receiver.other(), site);
            plan.crossings.push(Crossing {
                value,
                receiver,
                before: function[site.region].ops[site.index],
                explicit: covered[receiver as usize].is_intentional(value),
            });
        }
    }
    // The host's values first: they are available already, and the graph may be waiting for them.
    plan.crossings.sort_unstable_by_key(|crossing| {
        (
            crossing.before,
            crossing.receiver == Side::Host,
            crossing.value,
        )
    });
    // Moving crossings into branches may have added demand for the branches' conditions.
    plan.inputs = demand.inputs();
    plan
}

/// Adds the branches around a crossing to the sender.
fn include_branches(demand: &mut Demand, value: ValueId, sender: Side, mut site: Site) {
    let function = demand.function();
    while site.region != function.region_of(value) {
        let owner = function[site.region]
            .owner
            .expect("a definition dominates its uses");
        demand.include(sender, owner);
        site = around(function, site);
    }
}

/// The transfer of a crossing value to all of its uses.
pub(crate) struct Delivery {
    value: ValueId,
    receiver: Side,
    /// The sites of its crossings.
    sites: Vec<Site>,
    /// If it is also a result: the first position of the body at which it must be available.
    result: Option<usize>,
    /// The total cost.
    pub(crate) cost: u128,
}

/// Finds the cheapest delivery for each crossing value.
pub(crate) fn deliveries(demand: &Demand, weights: &Weights, motion: Motion) -> Vec<Delivery> {
    let function = demand.function();
    let arms = Arms::of(function, demand.facts(), &demand.choice().origins, motion);
    let crossings = demand.crossings();
    let uses = uses(demand, &arms, &crossings);
    // The last position of the body at which the graph computes something that may fail, or
    // something crosses that cannot be a result.
    let mut last = demand.facts().last.max(last_that_traps(demand));
    let mut deliveries = Vec::new();
    let finder = |value, receiver| Finder {
        function,
        weights,
        motion,
        value,
        receiver,
    };
    for (&(value, receiver), uses) in crossings.iter().zip(&uses) {
        let (cost, sites) = finder(value, receiver).sites(uses);
        let can_be_result = receiver == Side::Host && function.region_of(value) == BODY;
        if !can_be_result {
            let tops = sites.iter().map(|&site| top_index(function, site));
            last = tops.fold(last, usize::max);
        }
        deliveries.push(Delivery {
            value,
            receiver,
            sites,
            result: None,
            cost,
        });
    }
    for (delivery, uses) in deliveries.iter_mut().zip(uses) {
        if delivery.receiver == Side::Host && function.region_of(delivery.value) == BODY {
            finder(delivery.value, Side::Host).deliver_by_result(delivery, uses, last);
        }
    }
    deliveries
}

/// The last position of the body at which the graph runs scalar code that may fail, such as a
/// division by a possible zero: observable behaviour before it must not wait for the end of the
/// graph.
fn last_that_traps(demand: &Demand) -> usize {
    let function = demand.function();
    let traps = function.op_ids().filter(|&op| {
        let data = &function[op];
        data.kind == Kind::Flexible && !data.speculatable && demand.is_present(Side::Graph, op)
    });
    let places = traps.map(|op| function.top_index_of(function[op].region, function[op].index));
    places.max().unwrap_or(0)
}

/// A position: before an operation of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Site {
    region: RegionId,
    index: usize,
}

/// Returns the uses of each crossing value on the receiving side, each as far from the definition
/// as the crossing may move for it.
fn uses(demand: &Demand, arms: &Arms, crossings: &[(ValueId, Side)]) -> Vec<Vec<Site>> {
    let function = demand.function();
    let mut places = vec![None; function.values.len()];
    for (place, &(value, receiver)) in crossings.iter().enumerate() {
        places[value.index()] = Some((place, receiver));
    }
    let mut uses = vec![Vec::new(); crossings.len()];
    for side in Side::BOTH {
        demand.for_each_use(side, |operand, region, index| {
            let Some((place, receiver)) = places[operand.value.index()] else {
                return;
            };
            if receiver != side {
                return;
            }
            let deepest = arms
                .down_to(side.other(), operand.value, region)
                .last()
                .unwrap_or(function.region_of(operand.value));
            let mut site = Site { region, index };
            while site.region != deepest {
                site = around(function, site);
            }
            uses[place].push(site);
        });
    }
    uses
}

/// The facts about a region during the search for the sites of a crossing.
#[derive(Default)]
struct Reach {
    /// The first position at which the value must be available.
    index: usize,
    /// It is used directly in this region, so branches inside do not suffice.
    direct: bool,
    /// The cheapest sites for the uses inside, with their cost.
    sites: Vec<Site>,
    cost: u128,
    /// Some of them are in a loop, which they must not leave: otherwise no site is in a loop in
    /// which its value is invariant.
    in_loop: bool,
}

impl Reach {
    fn at(reached: &mut BTreeMap<RegionId, Reach>, Site { region, index }: Site) -> &mut Reach {
        let reach = reached.entry(region).or_insert_with(|| Reach {
            index,
            ..Reach::default()
        });
        reach.index = reach.index.min(index);
        reach
    }
}

/// The search for the sites of one crossing value.
struct Finder<'p> {
    function: &'p Function,
    weights: &'p Weights,
    motion: Motion,
    value: ValueId,
    receiver: Side,
}

impl Finder<'_> {
    /// Returns the cheapest sites that serve all uses, with their cost: one that dominates all, or
    /// one in each of several branches.
    fn sites(&self, uses: &[Site]) -> (u128, Vec<Site>) {
        match self.motion.send_once {
            true => self.shared_sites(uses),
            false => self.own_sites(uses),
        }
    }

    /// Returns a site for each use.
    fn own_sites(&self, uses: &[Site]) -> (u128, Vec<Site>) {
        let sites: BTreeSet<Site> = uses.iter().map(|&site| self.at_home(site)).collect();
        let costs = sites.iter().map(|site| self.cost(site.region));
        (costs.sum(), sites.iter().copied().collect())
    }

    fn shared_sites(&self, uses: &[Site]) -> (u128, Vec<Site>) {
        let home = self.function.region_of(self.value);
        let mut reached: BTreeMap<RegionId, Reach> = BTreeMap::new();
        for &site in uses {
            Reach::at(&mut reached, site).direct = true;
        }
        // Innermost first: a region has a greater number than the one around it.
        while let Some((region, reached_here)) = reached.pop_last() {
            let here = self.cost(region);
            let moves_here =
                reached_here.direct || !reached_here.in_loop && here <= reached_here.cost;
            let (cost, inside) = if moves_here {
                let index = reached_here.index;
                (here, vec![Site { region, index }])
            } else {
                (reached_here.cost, reached_here.sites)
            };
            if region == home {
                return (
                    cost,
                    inside.into_iter().map(|site| self.at_home(site)).collect(),
                );
            }
            let is_loop = is_in_loop(self.function, region);
            let out = around(self.function, Site { region, index: 0 });
            let out = Reach::at(&mut reached, out);
            out.cost += cost;
            out.sites.extend(inside);
            out.in_loop |= is_loop || reached_here.in_loop && !moves_here;
        }
        (0, Vec::new())
    }

    /// A value that is needed after all other events is a result. If it is also needed earlier,
    /// those uses must be in branches; otherwise it crosses once and early.
    fn deliver_by_result(&self, delivery: &mut Delivery, uses: Vec<Site>, last: usize) {
        let index = |&site: &Site| top_index(self.function, site);
        let (late, early): (Vec<_>, Vec<_>) = uses.into_iter().partition(|use_| index(use_) > last);
        let Some(first_late) = late.iter().map(index).min() else {
            return;
        };
        let (cost, sites) = self.sites(&early);
        let with_result = cost + self.weights.of_result(self.function, self.value);
        let once = self.cost(BODY);
        let all_in_branches = sites.iter().all(|site| site.region != BODY);
        let cheaper = all_in_branches && (sites.is_empty() || with_result < once);
        if cheaper || !self.motion.send_once {
            delivery.sites = sites;
            delivery.cost = with_result;
            delivery.result = Some(first_late);
            return;
        }
        let first_early = early.iter().map(index).min();
        let first = Site {
            region: BODY,
            index: first_early.expect("there are sites for early uses only"),
        };
        delivery.sites = vec![self.at_home(first)];
        delivery.cost = once;
    }

    fn cost(&self, region: RegionId) -> u128 {
        self.weights.of_crossing(self.function, self.value, region)
    }

    /// In the region of its definition, the value is sent at once, and the host receives it as late
    /// as possible.
    fn at_home(&self, site: Site) -> Site {
        let early = self.receiver == Side::Graph || !self.motion.sink_receives;
        if early && site.region == self.function.region_of(self.value) {
            let index = self.function.available_at(self.value);
            return Site { index, ..site };
        }
        site
    }
}

fn is_in_loop(function: &Function, region: RegionId) -> bool {
    let owner = function[region].owner;
    owner.is_some_and(|owner| function[owner].kind.is_loop())
}

fn top_index(function: &Function, site: Site) -> usize {
    function.top_index_of(site.region, site.index)
}

/// Returns the position before the operation that contains a position.
fn around(function: &Function, site: Site) -> Site {
    let owner = function[site.region]
        .owner
        .expect("only the body has no owner");
    Site {
        region: function[owner].region,
        index: function[owner].index,
    }
}
