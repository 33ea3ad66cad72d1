//! The region tree as text, for `print-tree`.
//!
//! ```text
//!   sequence @f
//!     block bb0
//!     loop: header bb1, latches bb4, left to bb5
//!       first half
//!         block bb1
//!         conditional of bb1
//!           to bb2
//!           to bb5
//!       second half from bb2
//!         block bb2
//!     block bb5
//! ```
//!
//! Blocks have the numbers that MLIR prints for them. As DOT, each line is a node, and each node hangs from the one that it is
//! indented under; steps of a sequence stand from left to right.

use std::fmt::Write;

use crate::cfg::Cfg;
use crate::landing::{Landings, Target, TargetKind};
use crate::loops::{LoopForest, LoopId};
use crate::pending::{Choice, Others};
use crate::tree::{Item, OpId, OpKind, RegionId, Tree};

enum Work {
    Line(usize, String),
    Region(usize, RegionId),
}

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Indented lines.
    Text,
    /// A graph for Graphviz.
    Dot,
}

/// Prints the tree of a function.
pub(crate) fn print_tree(
    form: Form,
    name: &str,
    cfg: &Cfg,
    forest: &LoopForest,
    landings: &Landings,
    tree: &Tree,
) -> String {
    let printer = Printer {
        cfg,
        forest,
        landings,
        tree,
        exits: exits(cfg, forest, landings),
    };
    let mut lines = Vec::new();
    let mut work = vec![
        Work::Region(1, 0),
        Work::Line(0, format!("sequence @{name}")),
    ];
    while let Some(next) = work.pop() {
        match next {
            Work::Line(depth, line) => lines.push((depth, line)),
            Work::Region(depth, region) => {
                let items: Vec<Item> = tree.items(region).collect();
                for &item in items.iter().rev() {
                    printer.item(depth, item, &mut work);
                }
            }
        }
    }
    match form {
        Form::Text => indented(&lines),
        Form::Dot => graph(name, &lines),
    }
}

// Writing to a string does not fail.

fn indented(lines: &[(usize, String)]) -> String {
    let mut text = String::new();
    for (depth, line) in lines {
        let _ = writeln!(text, "{:width$}{line}", "", width = 2 * depth);
    }
    text
}

fn graph(name: &str, lines: &[(usize, String)]) -> String {
    let mut text = format!("digraph {name:?} {{\n  node [shape=box, fontname=monospace];\n");
    // The last node of each depth so far.
    let mut around: Vec<usize> = Vec::new();
    for (number, (depth, line)) in lines.iter().enumerate() {
        let _ = writeln!(text, "  n{number} [label={line:?}];");
        around.truncate(*depth);
        if let Some(parent) = around.last() {
            let _ = writeln!(text, "  n{parent} -> n{number};");
        }
        around.push(number);
    }
    text + "}\n"
}

struct Printer<'a> {
    cfg: &'a Cfg,
    forest: &'a LoopForest,
    landings: &'a Landings,
    tree: &'a Tree,
    exits: Vec<Vec<Target>>,
}

/// Per loop: where the edges go that leave it, each target once, in reverse post-order of their sources.
fn exits(cfg: &Cfg, forest: &LoopForest, landings: &Landings) -> Vec<Vec<Target>> {
    let mut exits: Vec<Vec<Target>> = vec![Vec::new(); forest.loops.len()];
    for &block in &forest.order {
        for edge in cfg.edges(block) {
            let lands_in = Landings::home(forest, landings.unit[edge]);
            let target = landings.target(cfg, edge);
            let mut home = forest.loop_of[block];
            while home != lands_in {
                if !exits[home].contains(&target) {
                    exits[home].push(target);
                }
                home = forest.loops[home].parent;
            }
        }
    }
    exits
}

impl Printer<'_> {
    /// Adds what an item prints to the work, last line first.
    fn item(&self, depth: usize, item: Item, work: &mut Vec<Work>) {
        let mut lines = match item {
            Item::Block(block) if block.get() == self.cfg.exit() => {
                vec![Work::Line(depth, "return".to_owned())]
            }
            Item::Block(block) => vec![Work::Line(depth, format!("block bb{}", block.get()))],
            Item::Op(op) => self.op(depth, op.get()),
        };
        lines.reverse();
        work.append(&mut lines);
    }

    fn op(&self, depth: usize, op: OpId) -> Vec<Work> {
        let mut lines = Vec::new();
        match self.tree.ops[op].kind {
            OpKind::Branch { block, first_arm } => {
                let block = block.get();
                lines.push(Work::Line(depth, format!("conditional of bb{block}")));
                for (edge, arm) in self.cfg.edges(block).zip(self.tree.siblings(first_arm)) {
                    let target = self.target(self.landings.target(self.cfg, edge));
                    lines.push(Work::Line(depth + 1, format!("to {target}")));
                    lines.push(Work::Region(depth + 2, arm));
                }
            }
            OpKind::Dispatch { arms, passes } => {
                lines.push(Work::Line(depth, "dispatch".to_owned()));
                for (targets, arm) in self.tree.dispatch_arms(arms) {
                    lines.push(Work::Line(
                        depth + 1,
                        format!("to {}", self.targets(targets)),
                    ));
                    lines.push(Work::Region(depth + 2, arm));
                }
                if passes != Choice::NEVER {
                    lines.push(Work::Line(
                        depth + 1,
                        format!("else on to {}", self.choice(passes)),
                    ));
                }
            }
            OpKind::Loop {
                id,
                before,
                goes_on,
                after,
            } => {
                let (id, before, after) = (id.get(), before.get(), after.get());
                lines.push(Work::Line(depth, self.describe_loop(id)));
                lines.push(Work::Line(depth + 1, "first half".to_owned()));
                lines.push(Work::Region(depth + 2, before));
                if goes_on != Target::next_trip(id) {
                    let from = self.target(goes_on);
                    lines.push(Work::Line(depth + 1, format!("second half from {from}")));
                    lines.push(Work::Region(depth + 2, after));
                }
            }
        }
        lines
    }

    fn describe_loop(&self, id: LoopId) -> String {
        let header = self.forest.loops[id].header;
        let latches = self.forest.order.iter().filter(|&&block| {
            let mut edges = self.cfg.edges(block);
            edges.any(|edge| self.forest.is_back[edge] && self.cfg.target(edge) == header)
        });
        let latches: Vec<Target> = latches.map(|&block| Target::block(block)).collect();
        let extra = &self.landings.extra_entries[id];
        let extra: Vec<Target> = extra.iter().map(|&block| Target::block(block)).collect();
        let mut text = format!(
            "loop: header bb{header}, latches {}",
            self.targets(&latches)
        );
        if !extra.is_empty() {
            text += &format!(", also entered at {}", self.targets(&extra));
        }
        match &self.exits[id][..] {
            [] => text += ", never left",
            exits => text += &format!(", left to {}", self.targets(exits)),
        }
        text
    }

    fn choice(&self, choice: Choice) -> String {
        let others = match choice.others {
            Others::None => String::new(),
            Others::One(only) => self.target(only),
            Others::Two(first, second) => self.targets(&[first, second]),
            Others::Many => "one of several".to_owned(),
        };
        match choice.goes_on {
            Some(target) if others.is_empty() => self.target(target),
            Some(target) => format!("{}, {others}", self.target(target)),
            None => others,
        }
    }

    fn targets(&self, targets: &[Target]) -> String {
        let names: Vec<String> = targets.iter().map(|&target| self.target(target)).collect();
        names.join(", ")
    }

    fn target(&self, target: Target) -> String {
        match target.kind() {
            TargetKind::Block(block) if block == self.cfg.exit() => "return".to_owned(),
            TargetKind::Block(block) => format!("bb{block}"),
            TargetKind::Continue(id) => {
                format!("the next trip of bb{}", self.forest.loops[id].header)
            }
        }
    }
}
