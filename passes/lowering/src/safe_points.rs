//! Safe points: places in the loops of the host at which a call within a process can be cancelled.
//!
//! ```text
//!   ^loop:                                ^loop:
//!     ...                           ──>     ...
//!     cf.cond_br %c, ^loop, ^done           call @tfx_poll(location)
//!                                           cf.cond_br %c, ^loop, ^done
//! ```
//!
//! Each cycle of a control-flow graph contains a retreating edge of a depth-first search, also in
//! irreducible code: an edge to a block that the search has entered and not left. A safe point
//! precedes each branch with such an edge. It reads one counter of the process.
//!
//! Cost: linear in the blocks and edges. Not covered: a recursion without a loop ends when the
//! stack is full.

use std::collections::HashMap;

use tfx_ir::ops::func;
use tfx_ir::{Block, Builder, Op};

use crate::calls::Calls;

/// Inserts the safe points of functions whose control flow consists of blocks.
pub(crate) fn insert<'a>(functions: &[func::Func<'a>], calls: &mut Calls<'a>) {
    for function in functions {
        let entry = function.body().entry();
        for branch in entry.map(retreating_branches).unwrap_or_default() {
            let location = calls.location(branch);
            calls.call(&mut Builder::before(branch), "tfx_poll", &[location]);
        }
    }
}

/// The state of a block in the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Entered,
    Left,
}

/// Returns the terminators with a retreating edge, in the order in which the search leaves their
/// blocks.
fn retreating_branches(entry: Block<'_>) -> Vec<Op<'_>> {
    let mut visits = HashMap::from([(entry, Visit::Entered)]);
    let mut branches = Vec::new();
    // The blocks on the current path, each with the number of its next successor, and whether it
    // has a retreating edge.
    let mut path = vec![(entry, 0, false)];
    while let Some((block, next, retreats)) = path.last_mut() {
        let terminator = block.terminator();
        let successor = terminator.filter(|branch| *next < branch.num_successors());
        let Some(branch) = successor else {
            visits.insert(*block, Visit::Left);
            branches.extend(terminator.filter(|_| *retreats));
            path.pop();
            continue;
        };
        let successor = branch.successor(*next);
        *next += 1;
        match visits.get(&successor) {
            Some(Visit::Entered) => *retreats = true,
            Some(Visit::Left) => {}
            None => {
                visits.insert(successor, Visit::Entered);
                path.push((successor, 0, false));
            }
        }
    }
    branches
}
