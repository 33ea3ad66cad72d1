//! Nested control flow, as in programs that people write, which random edges rarely produce.
//!
//! ```text
//!   a path from one block to another, of a given number of blocks:
//!
//!     entry ──► exit                 entry ──► .. ──► mid ──► .. ──► exit
//!
//!     entry ─┬─► .. ──┬─► exit       entry ──► head ◄──► ..
//!            └─► .. ──┘                          └──► exit
//!
//!     entry ──► .. ──► exit          entry ──► .. ──► exit
//!          └──► a block that              └──► the exit or the header of
//!               aborts, maybe shared           an enclosing loop
//! ```
//!
//! Some loops have no exit of their own: an exit of an enclosing loop, an abort or the fuel ends
//! them.

use tfx_oracle::Random;

use super::Shape;

/// The generator of one shape.
pub(super) struct Nest<'r> {
    random: &'r mut Random,
    successors: Vec<Vec<usize>>,
    /// Blocks without successors, other than the last block of the function.
    ends: Vec<usize>,
}

/// A path that has not been generated yet.
struct Path {
    entry: usize,
    exit: usize,
    /// The number of blocks that it may have.
    blocks: usize,
    /// The exits and headers of the enclosing loops.
    around: Vec<usize>,
    /// A block without successors that belongs to the enclosing loop.
    stop: Option<usize>,
}

impl<'r> Nest<'r> {
    pub(super) fn new(random: &'r mut Random) -> Self {
        Nest {
            random,
            successors: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Returns a shape of about the given number of blocks.
    pub(super) fn shape(mut self, blocks: usize) -> Shape {
        let (entry, exit) = (self.block(), self.block());
        let mut todo = vec![Path {
            entry,
            exit,
            blocks,
            around: Vec::new(),
            stop: None,
        }];
        while let Some(path) = todo.pop() {
            todo.extend(self.make(path));
        }
        let mut shape = Shape::of(self.successors);
        for end in self.ends {
            // Some blocks return, so that there are several returns.
            shape.stops[end] = self.random.chance(80);
        }
        shape
    }

    fn block(&mut self) -> usize {
        self.successors.push(Vec::new());
        self.successors.len() - 1
    }

    /// Generates a path, and returns the paths that it consists of.
    fn make(&mut self, path: Path) -> Vec<Path> {
        let Path {
            entry,
            exit,
            blocks,
            around,
            stop,
        } = path;
        let Some(left) = blocks.checked_sub(1) else {
            self.successors[entry] = vec![exit];
            return Vec::new();
        };
        let part = |entry, exit, blocks| Path {
            entry,
            exit,
            blocks,
            around: around.clone(),
            stop,
        };
        match self.random.below(10) {
            0 | 1 => {
                let (mid, first) = (self.block(), self.random.below(left + 1));
                vec![part(entry, mid, first), part(mid, exit, left - first)]
            }
            2 | 3 => {
                let arms = 2 + usize::from(self.random.chance(20));
                let starts: Vec<_> = (0..arms).map(|_| self.block()).collect();
                self.successors[entry] = starts.clone();
                let arms = starts.into_iter();
                arms.map(|start| part(start, exit, left / 2)).collect()
            }
            4 | 5 => {
                let (head, body) = (self.block(), self.block());
                self.successors[entry] = vec![head];
                self.successors[head] = match self.random.below(4) {
                    0 => vec![body],
                    1 => vec![exit, body],
                    _ => vec![body, exit],
                };
                let mut inside = part(body, head, left);
                inside.around.extend([exit, head]);
                inside.stop = Some(self.new_end());
                vec![inside]
            }
            6 | 7 if !around.is_empty() => {
                let (rest, out) = (self.block(), *self.random.pick(&around));
                self.fork(entry, rest, out);
                vec![part(rest, exit, left)]
            }
            _ => {
                let (rest, end) = (self.block(), self.end(stop));
                self.fork(entry, rest, end);
                vec![part(rest, exit, left)]
            }
        }
    }

    /// Returns a block without successors, usually that of the enclosing loop, or a new one.
    fn end(&mut self, stop: Option<usize>) -> usize {
        match stop {
            Some(stop) if self.random.chance(60) => stop,
            _ if self.ends.is_empty() || self.random.chance(40) => self.new_end(),
            _ => *self.random.pick(&self.ends),
        }
    }

    fn new_end(&mut self) -> usize {
        let end = self.block();
        self.ends.push(end);
        end
    }

    fn fork(&mut self, from: usize, one: usize, other: usize) {
        self.successors[from] = match self.random.chance(50) {
            true => vec![one, other],
            false => vec![other, one],
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_cycles_have_one_entry() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let shape = Shape::nested(&mut random, 12);
            assert!(!shape.is_irreducible());
            assert!(
                shape
                    .successors
                    .iter()
                    .all(|successors| !successors.contains(&0))
            );
        }
    }

    #[test]
    fn aborts_have_several_predecessors() {
        let mut random = Random::new(1);
        let shared = (0..300).filter(|_| {
            let shape = Shape::nested(&mut random, 12);
            let predecessors = |end: usize| {
                let all = shape.successors.iter().flatten();
                all.filter(|&&target| target == end).count()
            };
            (0..shape.blocks()).any(|block| shape.stops[block] && predecessors(block) > 1)
        });
        assert!(shared.count() > 50);
    }
}
