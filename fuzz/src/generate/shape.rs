//! Random control-flow graphs: the successors of each block.
//!
//! One in three of the graphs that are large enough has a cycle with several entries, which no
//! structured program has. The graphs of `shape/nested.rs` are the opposite: they are deeply
//! nested, so that values are used far away, and paths leave several loops at once.

mod nested;

use tfx_oracle::Random;

/// The successors of each block. The first block is the entry, which has no predecessors.
pub(crate) struct Shape {
    pub(crate) successors: Vec<Vec<usize>>,
    /// `dominators[a][b]`: block `b` dominates block `a`.
    pub(crate) dominators: Vec<Vec<bool>>,
    /// Targets of back edges: each cycle contains one.
    pub(crate) is_header: Vec<bool>,
    pub(crate) is_reached: Vec<bool>,
    /// Blocks that abort.
    pub(crate) stops: Vec<bool>,
}

/// The number of attempts to find an irreducible shape.
const TRIES: usize = 20;

impl Shape {
    /// Returns a shape with at most the given number of blocks.
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

    /// Returns a shape with nested branches and loops, of about the given number of blocks.
    pub(crate) fn nested(random: &mut Random, blocks: usize) -> Self {
        nested::Nest::new(random).shape(blocks)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.successors.len()
    }

    /// Returns whether some back edge has a target that does not dominate its source.
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

/// Returns the targets of back edges in a depth-first traversal, and the reached blocks.
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

/// Solves the data-flow equations of dominators by iteration: shapes are small.
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
