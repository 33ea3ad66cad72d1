//! The operations of host and graph as a drawing for graphviz.
//!
//! ```text
//!   ┌─ host @train ────────┐          ┌─ graph @train.graph ─┐
//!   │ start ───────────────┼──inputs──┼──► input 0           │
//!   │ ┌ while (line 18) ─┐ │          │ ┌ while (line 18) ─┐ │
//!   │ │ recv 0 ◄─────────┼─┼─ 0: f32 ─┼─┼───── send 0      │ │
//!   │ │   │ print        │ │          │ │                  │ │
//!   │ └──────────────────┘ │          │ └──────────────────┘ │
//!   │ finish ◄─────────────┼─results──┼── return             │
//!   └──────────────────────┘          └──────────────────────┘
//! ```
//!
//! Problem: a program after partition has two functions with the same control flow and messages
//! between them; as text, the correspondence of their parts is hard to see.
//!
//! Algorithm: two walks of each function. The first writes a cluster for each function and each
//! structured operation, and a node for each operation and each iteration argument; values that
//! control flow only forwards get no node of their own. The second writes the edges: from the
//! definition of a value to its uses, and between the two transfers of each channel. Invisible
//! edges keep the effects, loops and branches of a function in program order from top to bottom,
//! and the graph below its start.
//!
//! For readable drawings of some fifty operations, scalar constants are parts of the labels of
//! their users, `Mul(·, 0.01)`, types are short, `4xf32`, and values that both sides compute are
//! dashed. The full name and the source location of an operation are its tooltip.
//!
//! Cost: linear in the size of the program. The output is deterministic. The module is not changed.
//!
//! Not guaranteed: branches between blocks, which only a function that is not structured contains,
//! are nodes without edges to their targets.

use std::fmt::Write;

use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type, TypeLike};
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::host::HostOp;
use tfx_dialects::transfer::Transfer;
use tfx_dialects::{comm, host, tensor};
use tfx_ir::location::{self, Place, Places};
use tfx_ir::ops::{Structured, arith, func, scf};
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Block, Op, Region, Value, module};

use crate::program::Program;

/// The longest label, in characters.
const LONGEST_LABEL: usize = 36;
/// The longest constant in a label.
const LONGEST_CONSTANT: usize = 12;
/// The deepest indentation of the text, in levels.
const DEEPEST_INDENT: usize = 20;

const HEAD: &str = r##"digraph tfx {
  graph [compound=true, fontname="Helvetica", fontsize=12, labeljust=l, newrank=false, nodesep=0.25, ranksep=0.3];
  node [shape=box, style="rounded,filled", fillcolor=white, color="#5f6b76", fontname="Helvetica", fontsize=11, height=0.3, margin="0.1,0.04"];
  edge [color="#5f6b76", arrowsize=0.6, fontname="Helvetica", fontsize=10];
"##;

const HOST: &str = r##"style="rounded,filled", color="#9db8d6", fillcolor="#eaf2fb""##;
const GRAPH: &str = r##"style="rounded,filled", color="#dcb98a", fillcolor="#fdf3e4""##;
const PART: &str = r##"style="rounded,filled", color="#aab2ba", fillcolor="#ffffff80""##;

const INVISIBLE: &str = "style=invis, weight=2";

const ARGUMENT: &str = r##", shape=ellipse, style=filled, fillcolor="#f3f5f7""##;
const DECISION: &str =
    r##", shape=diamond, style=filled, fillcolor="#f3f5f7", margin="0.02,0.02""##;
const CONSTANT: &str = r##", shape=plaintext, style="", height=0.2"##;
const TRANSFER: &str = r##", fillcolor="#ffdf8a""##;
const LIFE_CYCLE: &str = r##", fillcolor="#d9ead3""##;
const ON_BOTH_SIDES: &str = r##", style="rounded,filled,dashed", fontcolor="#5f6b76""##;

/// Returns the drawing of a program after extraction, in graphviz's language DOT.
pub fn dot(program: &Program<'_>) -> String {
    drawing(module::as_op(program.module()))
}

fn drawing(module: Op<'_>) -> String {
    let graphs: Vec<Op<'_>> = module.children().filter(|op| is_graph(*op)).collect();
    let by_name: FxHashMap<&str, Op<'_>> = graphs
        .iter()
        .filter_map(|graph| Some((graph.symbol_name()?, *graph)))
        .collect();
    let mut drawing = Drawing::default();
    let mut drawn: FxHashSet<Op<'_>> = FxHashSet::default();
    let mut starts = Vec::new();
    for function in module.children() {
        if !function.isa::<func::Func>() || function.is_declaration() {
            continue;
        }
        let first = starts.len();
        starts.extend(function.walk().filter_map(comm::Start::cast));
        let started = starts[first..].iter();
        let started: Vec<Op<'_>> = started
            .filter_map(|start| by_name.get(start.graph()).copied())
            .collect();
        drawing.both_sides = common(function, &started);
        drawing.lane(function);
        for graph in started {
            if drawn.insert(graph) {
                drawing.lane(graph);
            }
        }
    }
    drawing.both_sides.clear();
    for graph in graphs {
        if drawn.insert(graph) {
            drawing.lane(graph);
        }
    }
    for start in starts {
        if let Some(graph) = by_name.get(start.graph()) {
            drawing.program(start, *graph);
        }
    }
    drawing.text()
}

/// Returns whether an operation is the graph side of a program.
fn is_graph(op: Op<'_>) -> bool {
    op.isa::<tensor::Graph>()
}

/// Returns the operations that both sides have: equal names at equal locations.
fn common<'a>(function: Op<'a>, graphs: &[Op<'a>]) -> FxHashSet<Op<'a>> {
    let is_candidate = |op: &Op<'a>| op.num_regions() == 0 && Transfer::cast(*op).is_none();
    let key = |op: Op<'a>| (op.name(), Places::of(op.location()).collect::<Vec<_>>());
    let mut on_graph: FxHashMap<_, Vec<Op<'a>>> = FxHashMap::default();
    let all = graphs.iter().flat_map(|graph| graph.walk());
    for op in all.filter(is_candidate) {
        on_graph.entry(key(op)).or_default().push(op);
    }
    let mut both = FxHashSet::default();
    for op in function.walk().filter(is_candidate) {
        if let Some(others) = on_graph.get(&key(op)) {
            both.insert(op);
            both.extend(others);
        }
    }
    both
}

/// A source of an edge.
#[derive(Clone)]
enum Origin {
    Node(usize),
    /// A scalar constant, as text.
    Constant(String),
}

/// A step of the walk of a function, on an explicit stack.
enum Step<'a> {
    Operation(Op<'a>),
    Open(String, Option<Place>),
    Region(Region<'a>),
    Close,
    /// Closes the cluster of an operation.
    End,
}

#[derive(Default)]
struct Drawing<'a> {
    clusters: String,
    edges: String,
    nodes: usize,
    numbers: usize,
    /// The clusters that are open: where each starts in the text, and how many nodes there were.
    open: Vec<(usize, usize)>,
    /// The nodes that define values.
    values: FxHashMap<Value<'a>, usize>,
    /// Values that control flow forwards, with their origins.
    forwarded: FxHashMap<Value<'a>, Value<'a>>,
    /// The nodes of operations.
    operations: FxHashMap<Op<'a>, usize>,
    both_sides: FxHashSet<Op<'a>>,
    /// The last effect of the function, and the last nodes of loops and branches after it.
    before: Vec<usize>,
    /// The nodes of the functions: the first one of each.
    first: FxHashMap<Op<'a>, usize>,
}

impl<'a> Drawing<'a> {
    fn text(self) -> String {
        format!("{HEAD}{}{}}}\n", self.clusters, self.edges)
    }

    /// Draws a function.
    fn lane(&mut self, function: Op<'a>) {
        let name = function.symbol_name().unwrap_or_default();
        let (style, title) = match is_graph(function) {
            true => (GRAPH, format!("graph @{name}")),
            false => (HOST, format!("host @{name}")),
        };
        self.before.clear();
        self.open(&title, location::place(function.location()), style);
        let what = if is_graph(function) {
            "input"
        } else {
            "argument"
        };
        let arguments = function.region(0).entry().into_iter();
        for (index, argument) in arguments.flat_map(|entry| entry.arguments()).enumerate() {
            let label = format!("{what} {index}: {}", short(argument.ty()));
            self.argument(argument, &label);
        }
        let first = self.nodes;
        self.nodes_of(function);
        if self.nodes > first {
            self.first.insert(function, first);
        }
        self.close();
        for op in function.walk().skip(1) {
            self.edges_of(op);
        }
    }

    fn nodes_of(&mut self, function: Op<'a>) {
        let mut stack = vec![Step::Region(function.region(0))];
        while let Some(step) = stack.pop() {
            match step {
                Step::Open(title, place) => self.open(&title, place, PART),
                Step::Close => {
                    self.close();
                }
                Step::End => {
                    let first = self.close();
                    // Without an effect, the last node stands for the operation.
                    if self.before.iter().all(|before| *before < first) {
                        self.before.extend(self.nodes.checked_sub(1));
                    }
                }
                Step::Region(region) => {
                    let ops: Vec<Op<'a>> = region.blocks().flat_map(|block| block.ops()).collect();
                    stack.extend(ops.into_iter().rev().map(Step::Operation));
                }
                Step::Operation(op) if op.num_regions() == 0 => self.operation(op),
                Step::Operation(op) => stack.extend(self.nest(op).into_iter().rev()),
            }
        }
    }

    /// Opens the cluster of an operation with regions, and returns the steps for its contents.
    fn nest(&mut self, op: Op<'a>) -> Vec<Step<'a>> {
        let place = location::place(op.location());
        self.open(&title(op, place.as_ref()), place, PART);
        // Each operation with regions has a node.
        self.below(self.nodes);
        match Structured::cast(op) {
            Some(structured @ Structured::While(view)) => {
                self.iter_args(op, structured);
                if let Some(end) = view.end().map(scf::Condition::op) {
                    for index in 0..end.num_operands() {
                        for to in structured.left_by(end, index) {
                            self.forwarded.insert(to, end.operand(index));
                        }
                    }
                }
            }
            Some(structured @ Structured::For(for_loop)) => {
                let label = self.with_constants(op, "for", 3);
                let node = self.node(op, &label, DECISION);
                if !op.region(0).is_empty() {
                    self.values.insert(for_loop.induction_variable(), node);
                }
                self.iter_args(op, structured);
            }
            Some(_) => {
                let label = self.with_constants(op, &name(op), op.num_operands());
                self.node(op, &label, DECISION);
                for result in op.results().filter(|result| !result.is_unused()) {
                    self.argument(result, &short(result.ty()));
                }
            }
            None => {
                let label = self.with_constants(op, &name(op), op.num_operands());
                let node = self.node(op, &label, DECISION);
                let entries = op.regions().filter_map(Region::entry);
                let arguments = entries.flat_map(|entry| entry.arguments());
                for value in arguments.chain(op.results()) {
                    self.values.insert(value, node);
                }
            }
        }
        let is_loop = Structured::cast(op).is_some_and(Structured::is_loop);
        // A region of a branch that only forwards values has no nodes.
        let has_nodes = |block: Block<'a>| is_loop || block.ops().nth(1).is_some();
        let regions: Vec<Region<'a>> = op
            .regions()
            .filter(|region| region.blocks().any(has_nodes))
            .collect();
        let is_only = regions.len() == 1 && regions[0].number() == 0;
        let mut steps = Vec::new();
        for region in &regions {
            let is_part = !is_loop && !is_only;
            if is_part {
                steps.push(Step::Open(part(op, region.number()), None));
            }
            steps.push(Step::Region(*region));
            steps.extend(is_part.then_some(Step::Close));
        }
        steps.push(Step::End);
        steps
    }

    /// Draws the iteration arguments of a loop that are used.
    fn iter_args(&mut self, op: Op<'a>, structured: Structured<'a>) {
        for index in 0..op.num_operands() {
            let targets = structured.entered_by(index);
            let Some((&argument, targets)) = targets.split_first() else {
                continue;
            };
            if argument.is_unused() && targets.iter().all(|to| to.is_unused()) {
                continue;
            }
            let initial = match self.origin(op.operand(index)) {
                Some(Origin::Constant(text)) => format!(" = {text}"),
                _ => String::new(),
            };
            self.argument(argument, &format!("{}{initial}", short(argument.ty())));
            for result in targets {
                self.forwarded.insert(*result, argument);
            }
        }
    }

    /// Draws an operation without regions.
    fn operation(&mut self, op: Op<'a>) {
        if inline_constant(op).is_some() || op.isa::<scf::Yield>() {
            return;
        }
        if op.isa::<scf::Condition>() {
            let label = self.with_constants(op, "continue?", 1);
            self.node(op, &label, DECISION);
            return;
        }
        let operands = match comm::CommOp::cast(op) {
            Some(comm::CommOp::Send(_)) => 1,
            Some(_) => 0,
            None => op.num_operands(),
        };
        let label = self.with_constants(op, &name(op), operands);
        let style = match comm::CommOp::cast(op) {
            Some(comm::CommOp::Send(_) | comm::CommOp::Recv(_)) => TRANSFER,
            Some(comm::CommOp::Start(_) | comm::CommOp::Finish(_) | comm::CommOp::Terminate(_)) => {
                LIFE_CYCLE
            }
            _ if self.both_sides.contains(&op) => ON_BOTH_SIDES,
            _ => "",
        };
        let node = self.node(op, &label, style);
        for result in op.results() {
            self.values.insert(result, node);
        }
        if is_effect(op) {
            self.below(node);
            self.before.push(node);
        }
    }

    /// Keeps a node below all that precedes it.
    fn below(&mut self, node: usize) {
        for before in std::mem::take(&mut self.before) {
            self.edge(before, node, INVISIBLE);
        }
    }

    /// Returns a label with the scalar constants among the first operands: `Mul(·, 0.01)`.
    fn with_constants(&self, op: Op<'a>, label: &str, operands: usize) -> String {
        let operands = op.operands().take(operands);
        let texts: Vec<Option<String>> = operands
            .map(|operand| match self.origin(operand) {
                Some(Origin::Constant(text)) => Some(text),
                _ => None,
            })
            .collect();
        if texts.iter().all(Option::is_none) {
            return label.to_owned();
        }
        let texts = texts.into_iter();
        let texts: Vec<String> = texts.map(|text| text.unwrap_or("·".to_owned())).collect();
        format!("{label}({})", texts.join(", "))
    }

    // ---------------------------------------------------------------------------------------------
    // Edges.

    fn edges_of(&mut self, op: Op<'a>) {
        if let Some(structured) = Structured::cast(op) {
            self.edges_of_structured(op, structured);
            return;
        }
        let is_end = op.isa::<scf::Yield>() || op.isa::<scf::Condition>();
        if let Some(structured) = Structured::around(op).filter(|_| is_end) {
            self.edges_of_end(op, structured);
            return;
        }
        let Some(&node) = self.operations.get(&op) else {
            return;
        };
        // The inputs of a program have edges to the graph.
        let operands = match op.isa::<comm::Start>() {
            true => 0,
            false => op.num_operands(),
        };
        for operand in op.operands().take(operands) {
            // The handle of a program has many uses, and its edges to them say nothing.
            let is_handle = operand
                .defining_op()
                .is_some_and(|op| op.isa::<comm::Start>());
            if is_handle {
                continue;
            }
            if let Some(Origin::Node(from)) = self.origin(operand) {
                self.edge(from, node, "");
            }
        }
    }

    fn edges_of_structured(&mut self, op: Op<'a>, structured: Structured<'a>) {
        for index in 0..op.num_operands() {
            let Some(Origin::Node(from)) = self.origin(op.operand(index)) else {
                continue;
            };
            let target = structured.entered_by(index).into_iter().next();
            let target = match target {
                Some(value) => self.values.get(&value),
                None => self.operations.get(&op),
            };
            if let Some(&to) = target {
                self.edge(from, to, "");
            }
        }
        // A branch decides whether its regions run.
        if structured.is_branch()
            && let Some(&decision) = self.operations.get(&op)
        {
            for region in op.regions() {
                self.control(decision, region);
            }
        }
    }

    /// Draws the edges from the terminator of a region.
    fn edges_of_end(&mut self, end: Op<'a>, structured: Structured<'a>) {
        if let Some(&decision) = self.operations.get(&end) {
            if let Some(Origin::Node(from)) = self.origin(end.operand(0)) {
                self.edge(from, decision, "");
            }
            self.control(decision, structured.op().region(1));
            return;
        }
        let style = match structured.is_loop() {
            true => "style=dashed, constraint=false",
            false => "",
        };
        for index in 0..end.num_operands() {
            let Some(to) = structured.left_by(end, index).into_iter().next() else {
                continue;
            };
            let Some(&to) = self.values.get(&to) else {
                continue;
            };
            match self.origin(end.operand(index)) {
                Some(Origin::Node(from)) => self.edge(from, to, style),
                Some(Origin::Constant(text)) => {
                    let from = self.new_node(&text, CONSTANT, "");
                    self.edge(from, to, style);
                }
                None => {}
            }
        }
    }

    /// Draws a dotted edge to the first node of a region.
    fn control(&mut self, decision: usize, region: Region<'a>) {
        let mut ops = region.blocks().flat_map(|block| block.ops());
        let first = ops.find_map(|op| self.operations.get(&op).copied());
        if let Some(first) = first {
            self.edge(decision, first, "style=dotted, arrowhead=empty");
        }
    }

    /// Draws the edges between a host and its graph.
    fn program(&mut self, start: comm::Start<'a>, graph: Op<'a>) {
        let Some(entry) = graph.region(0).entry() else {
            return;
        };
        let start_node = self.operations.get(&start.op()).copied();
        if let (Some(start), Some(&first)) = (start_node, self.first.get(&graph)) {
            self.edge(start, first, INVISIBLE);
        }
        for (input, argument) in start.inputs().iter().zip(entry.arguments()) {
            let from = match self.origin(input) {
                Some(Origin::Node(from)) => Some(from),
                _ => start_node,
            };
            let to = self.values.get(&argument).copied();
            if let (Some(from), Some(to)) = (from, to) {
                self.edge(from, to, "style=dashed, color=\"#3c78b4\"");
            }
        }
        let mut of_graph: FxHashMap<u32, Vec<Transfer<'a>>> = FxHashMap::default();
        for transfer in graph.walk().filter_map(Transfer::cast) {
            of_graph
                .entry(transfer.channel())
                .or_default()
                .push(transfer);
        }
        for user in start.program().uses() {
            let op = user.owner;
            if op.isa::<comm::Finish>() {
                self.results(entry.terminator(), op);
            }
            let Some(transfer) = Transfer::cast(op) else {
                continue;
            };
            let others = of_graph.get(&transfer.channel());
            for other in others.into_iter().flatten() {
                let (from, to) = match transfer.is_send() {
                    true => (transfer, *other),
                    false => (*other, transfer),
                };
                self.transfer(from, to);
            }
        }
    }

    fn results(&mut self, end: Option<Op<'a>>, finish: Op<'a>) {
        let node = |op: Op<'a>| self.operations.get(&op).copied();
        let from = end.and_then(node);
        if let (Some(from), Some(to)) = (from, node(finish)) {
            let types: Vec<String> = finish.results().map(|value| short(value.ty())).collect();
            let label = quoted(&shortened(&types.join(", "), LONGEST_LABEL));
            let style = format!("style=dashed, color=\"#3c78b4\", label={label}");
            self.edge(from, to, &style);
        }
    }

    fn transfer(&mut self, from: Transfer<'a>, to: Transfer<'a>) {
        let node = |transfer: Transfer<'a>| self.operations.get(&transfer.op()).copied();
        if let (Some(from_node), Some(to_node)) = (node(from), node(to)) {
            let label = format!("{}: {}", from.channel(), short(from.value().ty()));
            let (label, tip) = (quoted(&label), quoted(&from.value().ty().to_string()));
            let style = format!(
                "color=\"#c0392b\", fontcolor=\"#c0392b\", penwidth=1.8, label={label}, tooltip={tip}, labeltooltip={tip}"
            );
            self.edge(from_node, to_node, &style);
        }
    }

    // ---------------------------------------------------------------------------------------------
    // Text.

    /// Returns the node or the constant from which a value comes.
    fn origin(&self, value: Value<'a>) -> Option<Origin> {
        let mut value = value;
        while let Some(before) = self.forwarded.get(&value) {
            value = *before;
        }
        if let Some(text) = value.defining_op().and_then(inline_constant) {
            return Some(Origin::Constant(text));
        }
        self.values.get(&value).copied().map(Origin::Node)
    }

    fn open(&mut self, title: &str, place: Option<Place>, style: &str) {
        let (number, start) = (self.numbers, self.clusters.len());
        self.numbers += 1;
        let (label, tip) = (quoted(title), tooltip(title, place.as_ref()));
        self.line(&format!("subgraph cluster_{number} {{"));
        self.open.push((start, self.nodes));
        self.line(&format!("graph [label={label}, tooltip={tip}, {style}];"));
    }

    /// Closes the innermost cluster, and removes it if it has no nodes. Returns its first node.
    fn close(&mut self) -> usize {
        let (start, first) = self.open.pop().unwrap_or_default();
        self.line("}");
        if first == self.nodes {
            self.clusters.truncate(start);
        }
        first
    }

    fn argument(&mut self, value: Value<'a>, label: &str) {
        let tip = tooltip(
            &value.ty().to_string(),
            location::place(value.location()).as_ref(),
        );
        let node = self.new_node(label, ARGUMENT, &tip);
        self.values.insert(value, node);
    }

    /// Draws the node of an operation.
    fn node(&mut self, op: Op<'a>, label: &str, style: &str) -> usize {
        let place = location::place(op.location());
        let node = self.new_node(label, style, &tooltip(op.name(), place.as_ref()));
        self.operations.insert(op, node);
        node
    }

    fn new_node(&mut self, label: &str, style: &str, tip: &str) -> usize {
        let node = self.nodes;
        self.nodes += 1;
        let label = quoted(&shortened(label, LONGEST_LABEL));
        let tip = match tip {
            "" => String::new(),
            tip => format!(", tooltip={tip}"),
        };
        let line = format!("n{node} [label={label}{style}{tip}];");
        match self.open.is_empty() {
            // A constant of an edge, which is drawn after the clusters.
            true => self.edges += &format!("  {line}\n"),
            false => self.line(&line),
        }
        node
    }

    fn edge(&mut self, from: usize, to: usize, style: &str) {
        // Writing to a string does not fail.
        let _ = match style {
            "" => writeln!(self.edges, "  n{from} -> n{to};"),
            _ => writeln!(self.edges, "  n{from} -> n{to} [{style}];"),
        };
    }

    fn line(&mut self, line: &str) {
        let indent = "  ".repeat((self.open.len() + 1).min(DEEPEST_INDENT));
        let _ = writeln!(self.clusters, "{indent}{line}");
    }
}

/// Returns the title of the cluster of an operation: `while (line 18), 1000 iterations`.
fn title(op: Op<'_>, place: Option<&Place>) -> String {
    let mut title = name(op);
    if let Some(place) = place.filter(|place| place.line > 0) {
        title += &format!(" (line {})", place.line);
    }
    match trip_count(op) {
        Some(1) => title + ", 1 iteration",
        Some(count) => title + &format!(", {count} iterations"),
        None => title,
    }
}

/// Returns the title of a region of a branch.
fn part(op: Op<'_>, number: usize) -> String {
    match Structured::cast(op) {
        Some(Structured::If(_)) if number == 0 => "then".to_owned(),
        Some(Structured::If(_)) => "else".to_owned(),
        Some(Structured::Switch(_)) if number == 0 => "default".to_owned(),
        Some(Structured::Switch(switch)) => {
            let cases = switch.cases();
            let case = cases.get(number - 1);
            case.map_or("case".to_owned(), |case| format!("case {case}"))
        }
        _ => format!("region {number}"),
    }
}

/// Returns the short name of an operation.
fn name(op: Op<'_>) -> String {
    if let Some(operation) = tensor::Op::cast(op) {
        return operation.tf_name().to_owned();
    }
    if op.isa::<tensor::Const>() {
        return format!("const {}", short(op.result(0).ty()));
    }
    if let Some(transfer) = Transfer::cast(op) {
        let what = if transfer.is_send() { "send" } else { "recv" };
        return format!("{what} {}", transfer.channel());
    }
    if let Some(start) = comm::Start::cast(op) {
        return format!("start @{}", start.graph());
    }
    if let Some(callee) = op.symbol("callee") {
        return format!("{} @{callee}", last_part(op));
    }
    if let Some(print) = host::Print::cast(op) {
        return format!("print \"{}\"", print.format());
    }
    if let Some(compare) = arith::CmpI::cast(op) {
        return format!("cmpi {}", compare.predicate().as_str());
    }
    if let Some(compare) = arith::CmpF::cast(op) {
        return format!("cmpf {}", compare.predicate().as_str());
    }
    last_part(op).to_owned()
}

/// Returns the name of an operation without its dialect.
fn last_part(op: Op<'_>) -> &str {
    let name = op.name();
    name.split_once('.').map_or(name, |(_, name)| name)
}

/// Returns whether users expect an operation in program order.
fn is_effect(op: Op<'_>) -> bool {
    let is_host = HostOp::cast(op).is_some() && !op.is_pure();
    let is_end = op.isa::<func::Return>() || op.isa::<tensor::Return>();
    is_host || is_end || comm::CommOp::cast(op).is_some() || op.isa::<func::Call>()
}

/// Returns the text of a scalar constant.
fn inline_constant(op: Op<'_>) -> Option<String> {
    let value = op.constant_value()?;
    let ty = op.result(0).ty();
    let element = match RankedTensorType::try_from(ty) {
        Ok(tensor) if tensor.rank() == 0 => tensor.element(),
        Ok(_) => return None,
        Err(_) if ty.is_integer() || ty.is_float() || ty.is_index() => ty,
        Err(_) => return None,
    };
    let text = value.to_string();
    let text = text.rsplit_once(" : ").map_or(&*text, |(text, _)| text);
    let text = text
        .strip_prefix("dense<")
        .map_or(text, |text| text.trim_end_matches('>'));
    // MLIR prints more digits than the type has.
    let number = match element.is_float() {
        true if element.is_f64() => text.parse::<f64>().map(|number| number.to_string()),
        true => text.parse::<f32>().map(|number| number.to_string()),
        false => return Some(shortened(text, LONGEST_CONSTANT)),
    };
    Some(shortened(
        number.as_deref().unwrap_or(text),
        LONGEST_CONSTANT,
    ))
}

/// Returns `4xf32` for `tensor<4xf32>`.
fn short(ty: Type<'_>) -> String {
    let text = ty.to_string();
    let inner = text
        .strip_prefix("tensor<")
        .and_then(|text| text.strip_suffix('>'));
    inner.map_or(text.clone(), str::to_owned)
}

fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the tooltip of a name and its source location, quoted.
fn tooltip(name: &str, place: Option<&Place>) -> String {
    match place {
        Some(place) => quoted(&format!("{place}\n{name}")),
        None => quoted(name),
    }
}

/// Quotes a text. Graphviz interprets backslashes and entities in it, and cannot represent control
/// characters.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '&' => quoted += "&amp;",
            '\n' => quoted += "\\n",
            letter if letter.is_control() => quoted.push(char::REPLACEMENT_CHARACTER),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(
            quoted("a \"b\" \\N &lt; \u{0}\n"),
            "\"a \\\"b\\\" \\\\N &amp;lt; \u{FFFD}\\n\""
        );
        assert_eq!(shortened("äöü", 2), "äö…");
        assert_eq!(shortened("äö", 2), "äö");
    }
}
