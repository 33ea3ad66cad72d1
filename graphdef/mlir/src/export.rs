//! A module's graphs as GraphDefs: which functions there are, what they are called, and in which order they are made.
//!
//! ```text
//! graphs of the module, in order      name    program?
//!   @train.graph   (started)          train_graph   yes
//!   private @helper (called)          helper        no: a library function of those that call it
//!
//! program:  tasks = [body of @train.graph]
//!           build a task -> one function, more tasks (its regions), graphs that it calls
//! ```
//!
//! Names and order depend on the text of the module alone. Linear in the module and in what is exported.

use std::collections::{HashMap, HashSet, VecDeque};
use tfx_dialects::{comm, tensor};

use tfx_graphdef::{
    GRAPH_DEF_VERSION,
    naming::{self, UniqueNames},
    proto::{FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, VersionDef},
};
use tfx_ir::{
    Op,
    diag::{self, Diag},
};

use crate::{
    captures::Captures,
    channels::channels,
    effects::{COMPILED_ATTRIBUTE, Effects, callee, effect_in_order, order_of_endless_loops},
    function::{Task, build},
    operations::Resolver,
    program::{self, Interface},
};

const GRAPH: &str = tensor::Graph::NAME;

/// One GraphDef with all programs of a module.
///
/// # Errors
///
/// The first thing that cannot be in a GraphDef, at its place.
pub fn export_module<'a>(module: Op<'a>) -> Result<GraphDef, Diag<'a>> {
    Exporter::new(module).module()
}

/// The GraphDef of one program, given as its `tfx_tensor.graph`. For several of one module, [`Exporter`] does what they share once.
///
/// # Errors
///
/// The first thing that cannot be in a GraphDef, at its place.
///
/// # Panics
///
/// If the graph is in no module.
pub fn export_program<'a>(graph: Op<'a>) -> Result<GraphDef, Diag<'a>> {
    let module = graph.parent().expect("a graph is in a module");
    Exporter::new(module).program(graph)
}

/// Exports the graphs of one module.
pub struct Exporter<'a> {
    /// In the order of the module.
    graphs: Vec<Op<'a>>,
    by_symbol: HashMap<&'a str, Op<'a>>,
    names: GraphNames<'a>,
    effects: Effects<'a>,
    /// Where a loop may not end.
    endless: Effects<'a>,
    programs: Vec<Op<'a>>,
    /// Graphs that XLA compiles, on their own or as part of another.
    compiled: HashSet<Op<'a>>,
}

/// What each graph is called.
pub(crate) struct GraphNames<'a>(HashMap<&'a str, String>);

impl GraphNames<'_> {
    /// The name of the function of a graph, by its symbol.
    pub(crate) fn of_symbol(&self, symbol: &str) -> String {
        self.0
            .get(symbol)
            .cloned()
            .unwrap_or_else(|| naming::program_name(symbol))
    }
}

/// What is known of a graph while its functions are made.
pub(crate) struct GraphContext<'e, 'a> {
    pub(crate) program: &'e str,
    pub(crate) captures: Captures<'a>,
    pub(crate) effects: &'e Effects<'a>,
    /// Where a loop may not end.
    pub(crate) endless: &'e Effects<'a>,
    pub(crate) names: &'e GraphNames<'a>,
    pub(crate) graphs: &'e HashMap<&'a str, Op<'a>>,
    /// Whether XLA compiles the graph: it takes control flow as it is, and not lowered to what a scheduler runs.
    pub(crate) is_compiled: bool,
}

impl<'a> Exporter<'a> {
    /// Looks through a module once.
    pub fn new(module: Op<'a>) -> Self {
        let graphs = module.collect(GRAPH);
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
        let endless = Effects::of_graphs(&graphs, &by_symbol, order_of_endless_loops);
        let started: HashSet<&str> = module
            .walk()
            .filter(|op| op.isa::<comm::Start>())
            .filter_map(|op| op.symbol("graph"))
            .collect();
        let is_program = |graph: &Op<'a>| {
            !graph.is_private()
                || graph
                    .symbol_name()
                    .is_some_and(|symbol| started.contains(symbol))
        };
        let programs = graphs.iter().copied().filter(is_program).collect();
        let compiled = compiled(&graphs, &by_symbol);
        Self {
            graphs,
            by_symbol,
            names,
            effects,
            endless,
            programs,
            compiled,
        }
    }

    /// The graphs that are programs: those that are started, and those that are not private.
    pub fn programs(&self) -> &[Op<'a>] {
        &self.programs
    }

    /// What the program of a graph is called: `P` of `docs/program-image.md`.
    pub fn program_name(&self, graph: Op<'a>) -> String {
        self.names
            .of_symbol(graph.symbol_name().unwrap_or_default())
    }

    /// The GraphDef of one program.
    ///
    /// # Errors
    ///
    /// The first thing that cannot be in a GraphDef, at its place.
    pub fn program(&self, graph: Op<'a>) -> Result<GraphDef, Diag<'a>> {
        self.export(&[graph])
    }

    /// One GraphDef with all programs.
    ///
    /// # Errors
    ///
    /// The first thing that cannot be in a GraphDef, at its place.
    pub fn module(&self) -> Result<GraphDef, Diag<'a>> {
        self.export(&self.programs)
    }

    fn export(&self, programs: &[Op<'a>]) -> Result<GraphDef, Diag<'a>> {
        let mut nodes: Vec<NodeDef> = Vec::new();
        for &graph in programs {
            let interface = Interface::of_graph(graph);
            nodes.extend(program::nodes(
                graph,
                &self.program_name(graph),
                &interface,
            )?);
        }
        let library = FunctionDefLibrary {
            function: self.functions(programs)?,
            ..Default::default()
        };
        Ok(GraphDef {
            node: nodes,
            library: Some(library),
            versions: Some(VersionDef {
                producer: GRAPH_DEF_VERSION,
                ..Default::default()
            }),
            ..Default::default()
        })
    }

    /// The functions of some graphs and of all that they call, those of one graph together.
    fn functions(&self, programs: &[Op<'a>]) -> Result<Vec<FunctionDef>, Diag<'a>> {
        let mut names = UniqueNames::new();
        for graph in &self.graphs {
            names.take(&self.program_name(*graph));
        }
        let named = |symbol: &str| self.names.of_symbol(symbol);
        let mut resolver = Resolver::new(&named);
        let mut functions = Vec::new();
        let mut wanted: VecDeque<Op<'a>> = programs.iter().copied().collect();
        let mut known: HashSet<Op<'a>> = wanted.iter().copied().collect();
        while let Some(graph) = wanted.pop_front() {
            for symbol in self.graph_functions(graph, &mut names, &mut resolver, &mut functions)? {
                let called = self.by_symbol[symbol];
                if known.insert(called) {
                    wanted.push_back(called);
                }
            }
        }
        Ok(functions)
    }

    /// Makes the functions of one graph; gives the symbols of the graphs that they call.
    fn graph_functions(
        &self,
        graph: Op<'a>,
        names: &mut UniqueNames,
        resolver: &mut Resolver<'_>,
        functions: &mut Vec<FunctionDef>,
    ) -> Result<Vec<&'a str>, Diag<'a>> {
        let name = self.program_name(graph);
        let context = GraphContext {
            program: &name,
            captures: Captures::of_graph(graph),
            effects: &self.effects,
            endless: &self.endless,
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

    fn whole_graph(&self, graph: Op<'a>, name: String) -> Result<Task<'a>, Diag<'a>> {
        let Some(block) = graph.region(0).single_block() else {
            let message = "the body of this graph has branches; run the pipelines tfx-deabstract and tfx-extract first, which structure it";
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

/// The graphs that calls have compiled, and those that they call.
fn compiled<'a>(graphs: &[Op<'a>], by_symbol: &HashMap<&'a str, Op<'a>>) -> HashSet<Op<'a>> {
    let is_compiled = |call: &Op<'a>| call.attribute(COMPILED_ATTRIBUTE).is_some();
    let calls = |graph: Op<'a>| graph.walk().filter(|op| callee(*op).is_some());
    let mut pending: Vec<Op<'a>> = graphs
        .iter()
        .flat_map(|&graph| calls(graph).filter(is_compiled))
        .collect();
    let mut compiled = HashSet::new();
    while let Some(call) = pending.pop() {
        let graph = callee(call).and_then(|symbol| by_symbol.get(symbol));
        if let Some(&graph) = graph.filter(|graph| compiled.insert(**graph)) {
            pending.extend(calls(graph));
        }
    }
    compiled
}

/// An error for a call of a graph that has channels: they belong to the program that the host started.
pub(crate) fn check_callee<'a>(
    call: Op<'a>,
    graphs: &HashMap<&'a str, Op<'a>>,
) -> Result<(), Diag<'a>> {
    let symbol = callee(call).unwrap_or_default();
    match graphs.get(symbol) {
        Some(&graph) if !channels(graph).is_empty() => {
            let message = format!(
                "@{symbol} has channels, so the host has to start it; a graph can only call graphs without channels"
            );
            Err(diag::error(call.location(), message)
                .note(graph.location(), "its channels are declared here"))
        }
        _ => Ok(()),
    }
}
