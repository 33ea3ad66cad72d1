//! Control-flow graphs by chance: which blocks follow which.
//!
//! Every third one that has room for it has a cycle with several entries, which no structured program has. Those of `shape/nested.rs` are the other
//! way round: much is in something else, so that values are seen far away, and ways lead out of several loops at once.

mod nested;

use tfx_oracle::Random;

/// The successors of each block; the first block is the entry, and nothing leads to it.
pub(crate) struct Shape {
    pub(crate) successors: Vec<Vec<usize>>,
    /// Whether all ways to a block of the row lead through a block of the column.
    pub(crate) dominators: Vec<Vec<bool>>,
    /// Blocks that a cycle comes back to: each cycle has one.
    pub(crate) is_header: Vec<bool>,
    pub(crate) is_reached: Vec<bool>,
    /// Blocks that abort.
    pub(crate) stops: Vec<bool>,
}

/// How often another shape is tried where an irreducible one is wanted.
const TRIES: usize = 20;

impl Shape {
    /// A shape of at most so many blocks.
    pub(crate) fn random(random: &mut Random, max_blocks: usize) -> Self {
        let wants_irreducible = random.below(3) == 0 && max_blocks > 3;
        let mut shape = Self::any(random, max_blocks);
        for _ in 0..TRIES {
            if !wants_irreducible || shape.is_irreducible() {
                break;
            }
            shape = Self::any(random, max_blocks);
        }
        shape
    }

    fn any(random: &mut Random, max_blocks: usize) -> Self {
        if max_blocks < 2 {
            return Self::of(vec![vec![]]);
        }
        let blocks = 2 + random.below(max_blocks - 1);
        let target = |random: &mut Random| 1 + random.below(blocks - 1);
        let successors = (0..blocks).map(|block| {
            let count = match random.below(12) {
                _ if block == 0 => 1 + random.below(2),
                0 | 1 => 0,
                2..5 => 1,
                5..11 => 2,
                _ => 3,
            };
            (0..count).map(|_| target(random)).collect()
        });
        let successors = successors.collect();
        Self::of(successors)
    }

    fn of(successors: Vec<Vec<usize>>) -> Self {
        let (is_header, is_reached) = headers(&successors);
        Shape {
            stops: vec![false; successors.len()],
            dominators: dominators(&successors),
            successors,
            is_header,
            is_reached,
        }
    }

    /// A shape whose branches and loops are in each other, of about so many blocks.
    pub(crate) fn nested(random: &mut Random, blocks: usize) -> Self {
        nested::Nest::new(random).shape(blocks)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.successors.len()
    }

    /// Whether an edge goes back to a block that not all ways to its start lead through.
    pub(crate) fn is_irreducible(&self) -> bool {
        let mut active = vec![false; self.blocks()];
        let mut seen = active.clone();
        let mut path = vec![(0, 0)];
        (active[0], seen[0]) = (true, true);
        while let Some((block, next)) = path.last_mut() {
            let block = *block;
            let Some(&target) = self.successors[block].get(*next) else {
                active[block] = false;
                path.pop();
                continue;
            };
            *next += 1;
            if active[target] && !self.dominators[block][target] {
                return true;
            }
            if !std::mem::replace(&mut seen[target], true) {
                active[target] = true;
                path.push((target, 0));
            }
        }
        false
    }
}

/// Targets of edges that go back on a walk in depth, and what the walk reaches.
fn headers(successors: &[Vec<usize>]) -> (Vec<bool>, Vec<bool>) {
    let mut headers = vec![false; successors.len()];
    let mut active = headers.clone();
    let mut seen = headers.clone();
    let mut path = vec![(0, 0)];
    (active[0], seen[0]) = (true, true);
    while let Some((block, next)) = path.last_mut() {
        let block = *block;
        let Some(&target) = successors[block].get(*next) else {
            active[block] = false;
            path.pop();
            continue;
        };
        *next += 1;
        headers[target] |= active[target];
        if !std::mem::replace(&mut seen[target], true) {
            active[target] = true;
            path.push((target, 0));
        }
    }
    (headers, seen)
}

/// By the data-flow equation, until nothing changes: shapes are small.
fn dominators(successors: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let blocks = successors.len();
    let mut dominators = vec![vec![true; blocks]; blocks];
    dominators[0] = vec![false; blocks];
    dominators[0][0] = true;
    loop {
        let mut changed = false;
        for block in 1..blocks {
            let mut new = vec![true; blocks];
            for before in (0..blocks).filter(|&before| successors[before].contains(&block)) {
                for (one, other) in new.iter_mut().zip(&dominators[before]) {
                    *one &= other;
                }
            }
            new[block] = true;
            changed |= dominators[block] != new;
            dominators[block] = new;
        }
        if !changed {
            return dominators;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_with_two_entries_is_irreducible() {
        let shape = Shape::of(vec![vec![1, 2], vec![2], vec![1]]);
        assert!(shape.is_irreducible());
        assert!(!Shape::of(vec![vec![1], vec![2, 1], vec![]]).is_irreducible());
    }

    #[test]
    fn a_third_is_irreducible() {
        let mut random = Random::new(1);
        let shapes = (0..600).map(|_| Shape::random(&mut random, 8));
        let irreducible = shapes.filter(Shape::is_irreducible).count();
        assert!(irreducible > 180, "{irreducible} of 600");
    }
}
