//! The region tree as text, for `print-tree`.
//!
//! ```text
//!   sequence @f
//!     block bb0
//!     loop: header bb1, latches bb4, exits to bb5
//!       before
//!         block bb1
//!         branch of bb1
//!           to bb2
//!           to bb5
//!       after, from bb2
//!         block bb2
//!     block bb5
//! ```
//!
//! Blocks have the numbers that MLIR prints for them. In the form for Graphviz, each line is a
//! node, with an edge from the line under which it is indented.

use std::fmt::Write;

use crate::analysis::Analysis;
use crate::loop_forest::LoopId;
use crate::pending::{Others, TargetSet};
use crate::tree::{Item, OpId, OpKind, RegionId};
use crate::units::{Target, TargetKind, Units};

tfx_ir::option_enum! {
    /// The output formats of `print-tree`.
    pub enum PrintTree {
        /// No output.
        Nothing = "false",
        /// Indented lines.
        Text = "true",
        /// A graph for Graphviz.
        Dot = "dot",
    }
}

enum Work {
    Line(usize, String),
    Region(usize, RegionId),
}

/// Prints the region tree of a function to standard error.
pub(crate) fn print_tree(format: PrintTree, analysis: &Analysis<'_>) {
    if format == PrintTree::Nothing {
        return;
    }
    let name = analysis.body.owner.symbol_name().unwrap_or_default();
    let exits = exits(analysis);
    let printer = Printer { analysis, exits };
    let mut lines = Vec::new();
    let mut work = vec![
        Work::Region(1, 0),
        Work::Line(0, format!("sequence @{name}")),
    ];
    while let Some(next) = work.pop() {
        match next {
            Work::Line(depth, line) => lines.push((depth, line)),
            Work::Region(depth, region) => {
                let items: Vec<Item> = analysis.tree.items(region).collect();
                for &item in items.iter().rev() {
                    printer.item(depth, item, &mut work);
                }
            }
        }
    }
    match format {
        PrintTree::Dot => eprint!("{}", graph(name, &lines)),
        _ => eprint!("{}", indented(&lines)),
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
    let mut text = format!("digraph {name:?} {{\n  node [graph=box, fontname=monospace];\n");
    // The last node of each depth.
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

struct Printer<'p, 'a> {
    analysis: &'p Analysis<'a>,
    exits: Vec<Vec<Target>>,
}

/// Returns the targets of the edges that leave each loop, in reverse post-order of their sources.
fn exits(analysis: &Analysis<'_>) -> Vec<Vec<Target>> {
    let (cfg, forest) = (&analysis.body.cfg, &analysis.forest);
    let mut exits: Vec<Vec<Target>> = vec![Vec::new(); forest.loops.len()];
    for &block in &forest.order {
        for edge in cfg.edges(block) {
            let common = Units::loop_of(forest, analysis.units.unit[edge]);
            let target = analysis.units.target(cfg, edge);
            let left = forest.around(forest.loop_of[block]);
            for id in left.take_while(|&id| id != common) {
                if !exits[id].contains(&target) {
                    exits[id].push(target);
                }
            }
        }
    }
    exits
}

impl Printer<'_, '_> {
    /// Pushes the lines of an item onto the work list, the last one first.
    fn item(&self, depth: usize, item: Item, work: &mut Vec<Work>) {
        let mut lines = match item {
            Item::Block(block) if block.get() == self.analysis.body.cfg.exit() => {
                vec![Work::Line(depth, "return".to_owned())]
            }
            Item::Block(block) => vec![Work::Line(depth, format!("block bb{}", block.get()))],
            Item::Op(op) => self.op(depth, op.get()),
        };
        lines.reverse();
        work.append(&mut lines);
    }

    fn op(&self, depth: usize, op: OpId) -> Vec<Work> {
        let (cfg, tree) = (&self.analysis.body.cfg, &self.analysis.tree);
        let mut lines = Vec::new();
        match tree.ops[op].kind {
            OpKind::Branch { block, first_arm } => {
                let block = block.get();
                lines.push(Work::Line(depth, format!("branch of bb{block}")));
                for (edge, arm) in cfg.edges(block).zip(tree.siblings(first_arm)) {
                    let target = self.target(self.analysis.units.target(cfg, edge));
                    lines.push(Work::Line(depth + 1, format!("to {target}")));
                    lines.push(Work::Region(depth + 2, arm));
                }
            }
            OpKind::Dispatch { arms, otherwise } => {
                lines.push(Work::Line(depth, "dispatch".to_owned()));
                for (targets, arm) in tree.dispatch_arms(arms) {
                    let line = format!("to {}", self.targets(targets));
                    lines.push(Work::Line(depth + 1, line));
                    lines.push(Work::Region(depth + 2, arm));
                }
                if otherwise != TargetSet::EMPTY {
                    let line = format!("otherwise pending: {}", self.target_set(otherwise));
                    lines.push(Work::Line(depth + 1, line));
                }
            }
            OpKind::Loop {
                id,
                before,
                continues,
                after,
            } => {
                lines.push(Work::Line(depth, self.describe_loop(id.get())));
                lines.push(Work::Line(depth + 1, "before".to_owned()));
                lines.push(Work::Region(depth + 2, before.get()));
                if continues != Target::next_iteration(id.get()) {
                    let line = format!("after, from {}", self.target(continues));
                    lines.push(Work::Line(depth + 1, line));
                    lines.push(Work::Region(depth + 2, after.get()));
                }
            }
        }
        lines
    }

    fn describe_loop(&self, id: LoopId) -> String {
        let (cfg, forest) = (&self.analysis.body.cfg, &self.analysis.forest);
        let header = forest.loops[id].header;
        let is_latch = |&&block: &&usize| {
            let mut edges = cfg.edges(block);
            edges.any(|edge| forest.is_back[edge] && cfg.target(edge) == header)
        };
        let latches = forest.order.iter().filter(is_latch);
        let latches: Vec<Target> = latches.map(|&block| Target::block(block)).collect();
        let extra = self.analysis.units.extra_entries[id].iter();
        let extra: Vec<Target> = extra.map(|&block| Target::block(block)).collect();
        let mut text = format!(
            "loop: header bb{header}, latches {}",
            self.targets(&latches)
        );
        if !extra.is_empty() {
            text += &format!(", other entries {}", self.targets(&extra));
        }
        match &self.exits[id][..] {
            [] => text += ", no exits",
            exits => text += &format!(", exits to {}", self.targets(exits)),
        }
        text
    }

    fn target_set(&self, targets: TargetSet) -> String {
        let others = match targets.others {
            Others::None => String::new(),
            Others::One(only) => self.target(only),
            Others::Two(first, second) => self.targets(&[first, second]),
            Others::Many => "one of several".to_owned(),
        };
        match targets.continues {
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
            TargetKind::Block(block) if block == self.analysis.body.cfg.exit() => {
                "return".to_owned()
            }
            TargetKind::Block(block) => format!("bb{block}"),
            TargetKind::NextIteration(id) => {
                let header = self.analysis.forest.loops[id].header;
                format!("the next iteration of bb{header}")
            }
        }
    }
}
