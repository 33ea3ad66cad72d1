//! The branches into which a transfer may move.
//!
//! ```text
//!   %w = op ...
//!   scf.if %show {            the host prints in this arm only, and the graph can compute %show:
//!     print(%w)               so the graph takes the branch, too, and sends there
//!   }
//! ```
//!
//! The receiver has the branch, since it uses the value there. The sender must have it as well:
//! because it runs something else there in any case, or because it can compute the condition
//! without a transfer. A loop does not count as such a branch: a transfer in it would run in each
//! iteration. It counts only if transfers must not [leave
//! loops](Motion::hoist_sends).

use crate::facts::{Bypass, Facts};
use crate::function::{Function, Kind, OpId, RegionId, ValueId};
use crate::motion::Motion;
use crate::origins::Origins;
use crate::side::Side;

/// The regions into which each side can send values that are defined outside.
#[derive(Clone, Debug)]
pub(crate) struct Arms<'f> {
    function: &'f Function,
    /// By side and region.
    can_send_in: [Vec<bool>; 2],
}

impl<'f> Arms<'f> {
    pub(crate) fn of(
        function: &'f Function,
        facts: &Facts,
        origins: &Origins,
        motion: Motion,
    ) -> Self {
        let is_entered = |kind: Kind| match kind {
            Kind::If | Kind::Switch => true,
            kind => kind.has_regions() && !motion.hoist_sends,
        };
        let on = |side| {
            let can_send_in = |region: RegionId| {
                let owner = function[region].owner;
                let owner = owner.filter(|&owner| is_entered(function[owner].kind));
                owner
                    .is_some_and(|owner| can_send_in(function, facts, origins, side, owner, region))
            };
            (0..function.regions.len())
                .map(|region| can_send_in(RegionId::new(region)))
                .collect()
        };
        Arms {
            function,
            can_send_in: Side::BOTH.map(on),
        }
    }

    /// Returns the branches on the path from the definition of a value to a region inside, the
    /// outermost first, as far as the sender can follow.
    pub(crate) fn down_to(
        &self,
        sender: Side,
        value: ValueId,
        region: RegionId,
    ) -> impl Iterator<Item = RegionId> + use<> {
        let home = self.function.region_of(value);
        let can_send_in = &self.can_send_in[sender as usize];
        let mut path = Vec::new();
        let mut at = region;
        while at != home {
            match can_send_in[at.index()] {
                true => path.push(at),
                false => path.clear(),
            }
            let owner = self.function[at]
                .owner
                .expect("a definition dominates its uses");
            at = self.function[owner].region;
        }
        path.into_iter().rev()
    }
}

fn can_send_in(
    function: &Function,
    facts: &Facts,
    origins: &Origins,
    sender: Side,
    owner: OpId,
    region: RegionId,
) -> bool {
    match facts.bypass(owner) {
        // The graph does not reach this region.
        Some(_) if function[region].aborts => return false,
        Some(Bypass::Into(_)) if sender == Side::Graph => return true,
        _ => {}
    }
    let is_there = match sender {
        Side::Host => facts.has_host(owner),
        Side::Graph => facts.has_graph(owner),
    };
    let mut free = true;
    function.controls(owner, |control, _| {
        free &= origins.is_free_on(sender, control.value) && function[control.value].transferable
    });
    is_there || free
}
