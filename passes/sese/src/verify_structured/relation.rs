//! The simulation relation: nodes, the edges between them, and what has to be proved.
//!
//! A *node* relates the start of a block of the original to the operation of the structured form
//! that runs then. An *edge* is a path from one node to the next, with the contents of values at
//! its end in terms of its start.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::{Block, Definition, Op, Region, Value};

use super::cfg::{Cfg, Facts, Forwarded, before};
use super::difference::{Difference, differ};
use super::regions::RegionFacts;
use super::source::Source;

/// The maximal number of remembered values for one value of the original, the latest ones.
const MAX_REMEMBERED: usize = 8;

pub(super) type ScopeId = usize;
pub(super) type NodeId = usize;
/// A node of a scope.
pub(super) type Place = (ScopeId, NodeId);

/// A region of the original, and the block that it was structured into.
pub(super) struct Scope<'a> {
    pub(super) cfg: Cfg<'a>,
    pub(super) entry: Block<'a>,
    pub(super) structured: Block<'a>,
    /// The node at which the parent operation runs.
    pub(super) parent: Option<Place>,
    pub(super) nodes: Vec<Node<'a>>,
    numbers: FxHashMap<(Position<'a>, Op<'a>, Facts<'a>), NodeId>,
}

/// A position in the original.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Position<'a> {
    /// At the start of this block.
    Start(Block<'a>),
    /// At the end of this block, where the region ends.
    End(Block<'a>),
}

pub(super) struct Node<'a> {
    pub(super) position: Position<'a>,
    pub(super) point: Op<'a>,
    /// The operation of the structured form after those of the block.
    pub(super) end: Op<'a>,
    /// The facts of the original here, if the block is an empty branch.
    pub(super) facts: Facts<'a>,
    /// The values that decided the first path to here.
    pub(super) deciding: Vec<Value<'a>>,
    /// The constants that branches of the structured form read on that path.
    pub(super) constants: Vec<u64>,
    pub(super) incoming: Vec<Edge<'a>>,
    /// Results of the block's operations, in the original and in the structured form.
    pub(super) results: FxHashMap<Value<'a>, Value<'a>>,
    /// Those of the structured form.
    pub(super) defined: FxHashSet<Value<'a>>,
}

/// A path from one node to the next.
pub(super) struct Edge<'a> {
    pub(super) from: NodeId,
    /// In the original: block arguments and forwarded values, one list for each entered block.
    pub(super) forwarded: Vec<Forwarded<'a>>,
    /// In the structured form: values at the end, in terms of the start.
    pub(super) contents: FxHashMap<Value<'a>, Source<'a>>,
    /// The facts of the original on the edge.
    pub(super) facts: Facts<'a>,
    /// True if no operation runs on it, and the structured form does not advance.
    pub(super) is_idle: bool,
}

impl<'a> Node<'a> {
    /// Returns the guess that these two are equal here.
    pub(super) fn guess(&self, original: Source<'a>, structured: Source<'a>) -> Guess<'a> {
        Guess {
            position: self.position,
            point: self.point,
            original,
            structured,
        }
    }
}

impl<'a> Edge<'a> {
    /// Returns a source at the end of the edge in terms of its start, in the original.
    pub(super) fn original(&self, source: Source<'a>) -> Source<'a> {
        before(&self.forwarded, source)
    }

    /// Returns a source at the end of the edge in terms of its start, in the structured form.
    pub(super) fn structured(&self, source: Source<'a>) -> Source<'a> {
        match source {
            Source::Value(value) => self
                .contents
                .get(&value)
                .copied()
                .unwrap_or_else(|| Source::of(value)),
            other => other,
        }
    }
}

impl<'a> Scope<'a> {
    /// Returns the argument of the structured form for an argument of the original.
    pub(super) fn expected_argument(&self, original: Value<'a>) -> Option<Value<'a>> {
        let (block, index) = original.as_argument()?;
        (block == self.entry).then(|| self.structured.argument(index))
    }
}

/// The claim that two values are equal at the end of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Claim<'a> {
    pub(super) scope: ScopeId,
    pub(super) node: NodeId,
    pub(super) original: Source<'a>,
    pub(super) structured: Source<'a>,
}

/// An operand of two matched operations.
pub(super) struct Read<'a> {
    pub(super) claim: Claim<'a>,
    /// The operations, for messages.
    pub(super) ops: (Op<'a>, Op<'a>),
}

/// The assumption that two values are equal at the end of a node, in terms that all simulations of
/// the function share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Guess<'a> {
    position: Position<'a>,
    point: Op<'a>,
    original: Source<'a>,
    structured: Source<'a>,
}

/// A guess that has to be proved.
pub(super) struct Guessed<'a> {
    pub(super) guess: Guess<'a>,
    pub(super) claim: Claim<'a>,
    pub(super) ops: (Op<'a>, Op<'a>),
}

pub(super) struct Simulation<'a> {
    pub(super) region_facts: RegionFacts<'a>,
    pub(super) scopes: Vec<Scope<'a>>,
    pub(super) reads: Vec<Read<'a>>,
    /// Matched operations.
    pub(super) matches: FxHashMap<Op<'a>, Vec<Op<'a>>>,
    /// Those of the structured form.
    pub(super) matched: FxHashSet<Op<'a>>,
    /// Values of the structured form that were assumed to equal one of the original.
    pub(super) guessed: FxHashMap<Value<'a>, Vec<Value<'a>>>,
    pub(super) work: Vec<Place>,
    /// The guesses that paths depend on.
    pub(super) guesses: Vec<Guessed<'a>>,
    /// Guesses that were wrong in an earlier simulation.
    pub(super) refuted: FxHashSet<Guess<'a>>,
    /// The first difference; a wrong guess may be the reason.
    pub(super) difference: Option<Difference<'a>>,
    pub(super) edges: usize,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(
        original: Op<'a>,
        structured: Op<'a>,
        refuted: FxHashSet<Guess<'a>>,
    ) -> Result<Self, Difference<'a>> {
        let mut simulation = Self {
            region_facts: RegionFacts::new(structured),
            scopes: Vec::new(),
            reads: Vec::new(),
            matches: FxHashMap::default(),
            matched: FxHashSet::default(),
            guessed: FxHashMap::default(),
            work: Vec::new(),
            guesses: Vec::new(),
            refuted,
            difference: None,
            edges: 0,
        };
        simulation.start(
            (original, original.region(0)),
            (structured, structured.region(0)),
            None,
        )?;
        Ok(simulation)
    }

    /// Keeps the first difference.
    pub(super) fn record(&mut self, outcome: Result<(), Difference<'a>>) {
        if let Err(difference) = outcome {
            self.difference.get_or_insert(difference);
        }
    }

    /// Starts the simulation of a region.
    pub(super) fn start(
        &mut self,
        (original_op, original): (Op<'a>, Region<'a>),
        (structured_op, structured): (Op<'a>, Region<'a>),
        parent: Option<Place>,
    ) -> Result<(), Difference<'a>> {
        let (Some(entry), Some(block)) = (original.entry(), structured.single_block()) else {
            return Err(differ(
                structured_op,
                original_op,
                "it still has several blocks",
            ));
        };
        let Some(first) = block.first() else {
            return Err(differ(structured_op, original_op, "it is empty"));
        };
        let types = |block: Block<'a>| block.arguments().map(Value::ty).collect::<Vec<_>>();
        if types(entry) != types(block) {
            return Err(differ(structured_op, original_op, "it has other arguments"));
        }
        self.scopes.push(Scope {
            cfg: Cfg::new(original),
            entry,
            structured: block,
            parent,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
        });
        self.node(
            self.scopes.len() - 1,
            Position::Start(entry),
            first,
            Vec::new(),
        );
        Ok(())
    }

    /// Returns the node of a position, an operation and facts; a new one is visited later.
    pub(super) fn node(
        &mut self,
        scope: ScopeId,
        position: Position<'a>,
        point: Op<'a>,
        facts: Facts<'a>,
    ) -> NodeId {
        let scope_data = &mut self.scopes[scope];
        let next = scope_data.nodes.len();
        let number = *scope_data
            .numbers
            .entry((position, point, facts.clone()))
            .or_insert(next);
        if number == next {
            scope_data.nodes.push(Node {
                position,
                point,
                end: point,
                facts,
                deciding: Vec::new(),
                constants: Vec::new(),
                incoming: Vec::new(),
                results: FxHashMap::default(),
                defined: FxHashSet::default(),
            });
            self.work.push((scope, number));
        }
        number
    }

    /// Assumes that two values are equal at the end of a node; this has to be proved.
    pub(super) fn guess(
        &mut self,
        (scope, node): Place,
        branch: Op<'a>,
        (original, structured): (Source<'a>, Source<'a>),
    ) {
        if let (Source::Value(original), Source::Value(structured)) = (original, structured) {
            self.remember_guess(original, structured);
        }
        let here = &self.scopes[scope].nodes[node];
        self.guesses.push(Guessed {
            guess: here.guess(original, structured),
            claim: Claim {
                scope,
                node,
                original,
                structured,
            },
            ops: (branch, here.end),
        });
    }

    /// Remembers that the two are assumed to be equal.
    fn remember_guess(&mut self, original: Value<'a>, structured: Value<'a>) {
        let found = self.guessed.entry(original).or_default();
        if !found.contains(&structured) {
            if found.len() == MAX_REMEMBERED {
                found.remove(0);
            }
            found.push(structured);
        }
    }

    /// Returns whether the value of the original that equals `structured` is known already.
    pub(super) fn is_matched(&self, structured: Value<'a>) -> bool {
        match structured.definition() {
            Definition::Result(op, _) => self.matched.contains(&op),
            Definition::Argument(block, _) => block == self.scopes[0].structured,
        }
    }
}
