//! Export of the graphs of a module as GraphDefs: the functions, their names and their order.
//!
//! ```text
//! graphs of the module, in order      name          program?
//!   @train.graph   (started)          train_graph   yes
//!   private @helper (called)          helper        no: a library function of its callers
//!
//! program:  tasks = [body of @train.graph]
//!           build a task -> one function, more tasks (its regions), called graphs
//! ```
//!
//! Names and order depend only on the text of the module. The cost is linear in the module and in
//! the exported GraphDefs.

use std::collections::{HashMap, HashSet, VecDeque};

use tfx_dialects::{comm, tensor};
use tfx_graphdef::{
    naming::{self, UniqueNames},
    proto::{FunctionDef, GraphDef, NodeDef},
};
use tfx_ir::{
    Op,
    diag::{self, Diagnostic},
};

use crate::{
    captures::Captures,
    channels::channels,
    context::{GraphContext, GraphNames},
    effects::{Effects, effect_in_order},
    function::{Task, build},
    operations::Resolver,
    program::{self, Interface},
};

/// Exports all programs of a module as one GraphDef.
///
/// # Errors
///
/// The first operation that has no form in a GraphDef.
pub fn export_module<'a>(module: Op<'a>) -> Result<GraphDef, Diagnostic<'a>> {
    Exporter::new(module).module()
}

/// Exports the graphs of one module.
pub struct Exporter<'a> {
    /// The graphs in the order of the module.
    graphs: Vec<Op<'a>>,
    by_symbol: HashMap<&'a str, Op<'a>>,
    names: GraphNames<'a>,
    effects: Effects<'a>,
    programs: Vec<Op<'a>>,
    /// The graphs that XLA compiles, on their own or as a part of another.
    compiled: HashSet<Op<'a>>,
}

impl<'a> Exporter<'a> {
    /// Analyzes a module.
    pub fn new(module: Op<'a>) -> Self {
        let graphs = module.collect(tensor::Graph::NAME);
        let by_symbol: HashMap<_, _> = graphs
            .iter()
            .filter_map(|&graph| Some((graph.symbol_name()?, graph)))
            .collect();
        let mut unique = UniqueNames::new();
        let name = |&graph: &Op<'a>| {
            let symbol = graph.symbol_name()?;
            Some((symbol, unique.take(&naming::program_name(symbol))))
        };
        let names = GraphNames(graphs.iter().filter_map(name).collect());
        let effects = Effects::of_graphs(&graphs, &by_symbol, effect_in_order);
        let starts = module.walk().filter_map(comm::Start::cast);
        let started: HashSet<&str> = starts.map(comm::Start::graph).collect();
        let is_started = |graph: Op<'a>| {
            let symbol = graph.symbol_name();
            symbol.is_some_and(|symbol| started.contains(symbol))
        };
        let is_program = |graph: &Op<'a>| !graph.is_private() || is_started(*graph);
        let programs = graphs.iter().copied().filter(is_program).collect();
        let compiled = compiled(&graphs, &by_symbol);
        Self {
            graphs,
            by_symbol,
            names,
            effects,
            programs,
            compiled,
        }
    }

    /// Returns the graphs that are programs, that is, those that are started or not private.
    pub fn programs(&self) -> &[Op<'a>] {
        &self.programs
    }

    /// Returns the name of the program of a graph: `P` of `docs/program-image.md`.
    pub fn program_name(&self, graph: Op<'a>) -> String {
        self.names
            .of_symbol(graph.symbol_name().unwrap_or_default())
    }

    /// Exports one program.
    ///
    /// # Errors
    ///
    /// The first operation that has no form in a GraphDef.
    pub fn program(&self, graph: Op<'a>) -> Result<GraphDef, Diagnostic<'a>> {
        self.export(&[graph])
    }

    /// Exports all programs as one GraphDef.
    ///
    /// # Errors
    ///
    /// The first operation that has no form in a GraphDef.
    pub fn module(&self) -> Result<GraphDef, Diagnostic<'a>> {
        self.export(&self.programs)
    }

    fn export(&self, programs: &[Op<'a>]) -> Result<GraphDef, Diagnostic<'a>> {
        let mut nodes: Vec<NodeDef> = Vec::new();
        for &graph in programs {
            let interface = Interface::of_graph(graph);
            let name = self.program_name(graph);
            nodes.extend(program::nodes(graph, &name, &interface)?);
        }
        Ok(program::graph_def(nodes, self.functions(programs)?))
    }

    /// Returns the functions of some graphs and of the graphs that they call, grouped by graph.
    fn functions(&self, programs: &[Op<'a>]) -> Result<Vec<FunctionDef>, Diagnostic<'a>> {
        let mut names = UniqueNames::new();
        for graph in &self.graphs {
            names.take(&self.program_name(*graph));
        }
        let named = |symbol: &str| self.names.of_symbol(symbol);
        let mut resolver = Resolver::new(&named);
        let mut functions = Vec::new();
        let mut pending: VecDeque<Op<'a>> = programs.iter().copied().collect();
        let mut known: HashSet<Op<'a>> = pending.iter().copied().collect();
        while let Some(graph) = pending.pop_front() {
            for symbol in self.graph_functions(graph, &mut names, &mut resolver, &mut functions)? {
                let called = self.by_symbol[symbol];
                if known.insert(called) {
                    pending.push_back(called);
                }
            }
        }
        Ok(functions)
    }

    /// Builds the functions of one graph, and returns the symbols of the graphs that they call.
    fn graph_functions(
        &self,
        graph: Op<'a>,
        names: &mut UniqueNames,
        resolver: &mut Resolver<'_>,
        functions: &mut Vec<FunctionDef>,
    ) -> Result<Vec<&'a str>, Diagnostic<'a>> {
        let name = self.program_name(graph);
        let context = GraphContext {
            program: &name,
            captures: Captures::of_graph(graph),
            effects: &self.effects,
            names: &self.names,
            graphs: &self.by_symbol,
            is_compiled: self.compiled.contains(&graph),
        };
        let mut tasks = VecDeque::from([self.whole_graph(graph, name.clone())?]);
        let mut called = Vec::new();
        while let Some(task) = tasks.pop_front() {
            let built = build(&task, &context, names, resolver)?;
            functions.push(built.function);
            tasks.extend(built.tasks);
            called.extend(built.called);
        }
        Ok(called)
    }

    fn whole_graph(&self, graph: Op<'a>, name: String) -> Result<Task<'a>, Diagnostic<'a>> {
        let Some(block) = graph.region(0).single_block() else {
            let message = "the body of this graph has branches; run the pipelines tfx-deabstract \
                           and tfx-extract first, which structure it";
            return Err(diag::error(graph.location(), message));
        };
        let channels = channels(graph).iter().map(|channel| channel.id).collect();
        Ok(Task {
            name,
            block,
            captures: Vec::new(),
            channels,
            is_loop_body: false,
            has_tick: false,
            after_effects: Vec::new(),
        })
    }
}

/// Returns the graphs of calls that are compiled, and the graphs that they call.
fn compiled<'a>(graphs: &[Op<'a>], by_symbol: &HashMap<&'a str, Op<'a>>) -> HashSet<Op<'a>> {
    let calls = |graph: Op<'a>| graph.walk().filter_map(tensor::Call::cast);
    let mut pending: Vec<_> = graphs
        .iter()
        .flat_map(|&graph| calls(graph).filter(|call| call.compiled()))
        .collect();
    let mut compiled = HashSet::new();
    while let Some(call) = pending.pop() {
        let graph = by_symbol.get(call.callee());
        if let Some(&graph) = graph.filter(|graph| compiled.insert(**graph)) {
            pending.extend(calls(graph));
        }
    }
    compiled
}
