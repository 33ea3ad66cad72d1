//! Graph functions: tensor-only functions, which become graphs unchanged and which other graphs
//! call.
//!
//! ```text
//!   func private @layer(%x, %w)             tfx_tensor.graph private @layer.graph(%x, %w) { ... }
//!       {tfx.graph_function} { ... }
//!   func @main(%x, %w) {               ──►  tfx_tensor.graph @main.graph(%x, %w) {
//!     %y = call @layer(%x, %w)                %y = tfx_tensor.call @layer.graph(%x, %w)
//!     %z = call @layer(%y, %w)                %z = tfx_tensor.call @layer.graph(%y, %w)
//!     ...                                     ...
//! ```
//!
//! `tfx-inline` marks them, so that the body of a function is not copied to each call. They need no
//! slicing: all parameters are inputs, all results are results, and there are no channels. A call
//! of one is a graph operation; results that the host needs cross from the calling graph.
//!
//! If host code can still reach a function (it is public, or a closure or a call that is not split
//! names it), the host has it as well: it starts a program of the same graph, so that there is one
//! body.
//!
//! Scalar code that is too large to be inlined is both a graph function and a host function:
//! [`crate::shared_functions`]. Its body is copied, and only if a graph calls it.
//!
//! Cost: linear. The bodies of marked functions are moved, not copied.

use std::collections::HashMap;
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::func;

use melior::ir::Type;
use tfx_ir::symbols::{GRAPH_FUNCTION, SymbolTable, for_each_symbol, is_graph_function};
use tfx_ir::{Block, Builder, Mapping, Op, Value, diag};

use crate::markers::erase_markers;
use crate::shared_functions;

/// The graph functions of a module, and their graphs, which have no bodies before
/// [`GraphFunctions::write`].
pub(crate) struct GraphFunctions<'a> {
    /// In module order.
    all: Vec<GraphFunction<'a>>,
    by_name: HashMap<&'a str, usize>,
}

struct GraphFunction<'a> {
    func: Op<'a>,
    graph: Op<'a>,
    callee: Callee<'a>,
}

/// The callee of a call of a graph function.
#[derive(Clone, Copy)]
pub(crate) struct Callee<'a> {
    /// The function.
    pub(crate) function: &'a str,
    /// The graph.
    graph: &'a str,
    /// A call can be erased if its results are unused.
    pub(crate) pure: bool,
    /// Either side can run it. A marked function belongs to the graph.
    pub(crate) shared: bool,
    /// Both sides get the same bits from it, if it is shared.
    pub(crate) same_bits: bool,
}

impl<'a> Callee<'a> {
    /// Builds a call of the graph.
    pub(crate) fn call(
        self,
        builder: &mut Builder<'a>,
        arguments: &[Value<'a>],
        results: &[Type<'a>],
    ) -> Op<'a> {
        let call = tensor::Call::build(builder, results, self.graph, arguments);
        call.set_pure(self.pure);
        call.op()
    }
}

/// Discovery.
impl<'a> GraphFunctions<'a> {
    /// Finds the marked and the shared functions, and creates an empty graph before each.
    pub(crate) fn find(symbols: &mut SymbolTable<'a>) -> Self {
        let functions: Vec<_> = symbols
            .ops()
            .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
            .collect();
        let mut found = GraphFunctions {
            all: Vec::new(),
            by_name: HashMap::new(),
        };
        for &func in functions.iter().filter(|func| is_graph_function(**func)) {
            found.add(func, None, symbols);
        }
        for shared in shared_functions::find(&functions) {
            found.add(shared.func, Some(shared.same_bits), symbols);
        }
        found.find_effects();
        found
    }

    /// Adds a function. For a shared one, `same_bits` states whether both sides get the same bits
    /// from it.
    fn add(&mut self, func: Op<'a>, shared: Option<bool>, symbols: &mut SymbolTable<'a>) {
        let graph = empty_graph(func);
        let graph_name = symbols.insert(graph);
        let name = func.symbol_name().expect("a function has a name");
        self.by_name.insert(name, self.all.len());
        self.all.push(GraphFunction {
            func,
            graph,
            callee: Callee {
                function: name,
                graph: graph_name,
                pure: true,
                shared: shared.is_some(),
                same_bits: shared == Some(true),
            },
        });
    }

    /// Returns the marked functions, which belong to the graph alone.
    pub(crate) fn marked(&self) -> impl Iterator<Item = Op<'a>> {
        self.graph_only().map(|function| function.func)
    }

    fn graph_only(&self) -> impl Iterator<Item = &GraphFunction<'a>> {
        self.all.iter().filter(|function| !function.callee.shared)
    }

    /// A function has the effects of its callees.
    fn find_effects(&mut self) {
        let mut callers = vec![Vec::new(); self.all.len()];
        let mut todo = Vec::new();
        for (caller, function) in self.all.iter().enumerate() {
            for op in function.func.walk().skip(1) {
                match self.index_of_callee(op) {
                    Some(callee) => callers[callee].push(caller),
                    None if op.dialect() == "tfx_tensor" && !op.would_be_trivially_dead() => {
                        todo.push(caller);
                    }
                    None => {}
                }
            }
        }
        while let Some(function) = todo.pop() {
            if std::mem::replace(&mut self.all[function].callee.pure, false) {
                todo.extend(&callers[function]);
            }
        }
    }

    fn index_of_callee(&self, op: Op<'a>) -> Option<usize> {
        self.by_name.get(func::Call::cast(op)?.callee()).copied()
    }

    /// Returns the callee of a call of a graph function.
    pub(crate) fn callee(&self, op: Op<'a>) -> Option<Callee<'a>> {
        Some(self.all[self.index_of_callee(op)?].callee)
    }

    /// Emits a remark for each function.
    pub(crate) fn print_plan(&self) {
        for function in self.graph_only() {
            let message = format!(
                "graph function: calls of '@{}' stay calls, in the calling graphs",
                function.callee.function
            );
            diag::remark(function.func.location(), message).emit();
        }
    }
}

/// Creates a graph with the parameters and results of a function, and without a body.
fn empty_graph(func: Op<'_>) -> Op<'_> {
    let ty = func
        .function_type()
        .expect("a function has a function type");
    let name = format!("{}.graph", func.symbol_name().unwrap_or_default());
    let graph = tensor::Graph::build(&mut Builder::before(func), &name, ty);
    graph.set_sym_visibility(Some("private"));
    graph.op()
}

/// Rewriting.
impl<'a> GraphFunctions<'a> {
    /// Moves the bodies into the graphs. A function that the host needs gets a body that runs its
    /// graph; the others are erased.
    pub(crate) fn write(&self, symbols: &mut SymbolTable<'a>) {
        for function in self.graph_only() {
            erase_markers(function.func);
            move_body(function);
            self.call_graphs(function);
        }
        let on_host = self.on_host(symbols.owner());
        for (function, on_host) in self.all.iter().zip(on_host) {
            match on_host {
                _ if function.callee.shared => {}
                true => start_on_host(function),
                false => symbols.erase(function.func),
            }
        }
        self.erase_uncalled(symbols);
        self.write_shared(symbols);
    }

    /// Erases the graphs that nothing runs: all calls of their functions had unused results.
    fn erase_uncalled(&self, symbols: &mut SymbolTable<'a>) {
        let by_name: HashMap<&str, Op<'a>> = self
            .graph_only()
            .map(|function| (function.callee.graph, function.graph))
            .collect();
        if by_name.is_empty() {
            return;
        }
        let runs = |op: Op<'a>| op.symbol("callee").or_else(|| op.symbol("graph"));
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for name in symbols.owner().walk().filter_map(runs) {
            *uses.entry(name).or_default() += 1;
        }
        let unused = self
            .graph_only()
            .filter(|function| !uses.contains_key(function.callee.graph));
        let mut unused: Vec<Op<'a>> = unused.map(|function| function.graph).collect();
        while let Some(graph) = unused.pop() {
            for name in graph.walk().filter_map(runs) {
                let left = uses.entry(name).or_default();
                *left = left.saturating_sub(1);
                if *left == 0 {
                    unused.extend(by_name.get(name));
                }
            }
            symbols.erase(graph);
        }
    }

    /// Copies the bodies of the shared functions that graphs call, also through each other. The
    /// graphs of the others are erased.
    fn write_shared(&self, symbols: &mut SymbolTable<'a>) {
        let shared = self.all.iter().filter(|function| function.callee.shared);
        let mut unwritten: HashMap<&str, &GraphFunction<'a>> = shared
            .clone()
            .map(|function| (function.callee.graph, function))
            .collect();
        if unwritten.is_empty() {
            return;
        }
        let mut todo: Vec<Op<'a>> = symbols
            .ops()
            .filter(|op| op.isa::<tensor::Graph>())
            .collect();
        while let Some(graph) = todo.pop() {
            for call in graph.walk().filter_map(tensor::Call::cast) {
                if let Some(callee) = unwritten.remove(call.callee()) {
                    copy_body(callee);
                    self.call_graphs(callee);
                    todo.push(callee.graph);
                }
            }
        }
        for function in shared.filter(|function| unwritten.contains_key(function.callee.graph)) {
            symbols.erase(function.graph);
        }
    }

    /// Turns the calls and the end of a function's body into those of a graph.
    fn call_graphs(&self, function: &GraphFunction<'a>) {
        let calls = function.graph.walk().filter(|op| op.isa::<func::Call>());
        for call in calls.collect::<Vec<_>>() {
            let callee = self
                .callee(call)
                .expect("what else a graph function calls is an error");
            let arguments: Vec<_> = call.operands().collect();
            let new = callee.call(&mut Builder::before(call), &arguments, &call.result_types());
            call.replace_with(&new.results().collect::<Vec<_>>());
        }
        let end = body(function.graph)
            .last()
            .expect("a body ends with a return");
        let results: Vec<_> = end.operands().collect();
        tensor::Return::build(&mut Builder::before(end), &results);
        end.erase();
    }

    /// Returns which functions host code can reach: all remaining calls belong to the host.
    fn on_host(&self, module: Op<'a>) -> Vec<bool> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let mut needed: Vec<_> = self
            .all
            .iter()
            .map(|function| !function.func.is_private())
            .collect();
        let mut need = |symbol: &str| {
            if let Some(&function) = self.by_name.get(symbol) {
                needed[function] = true;
            }
        };
        // Graphs name other graphs only.
        let named = module.walk().filter(|op| op.dialect() != "tfx_tensor");
        named.for_each(|op| for_each_symbol(op, &mut need));
        needed
    }
}

/// Leaves the function with an empty block.
fn move_body(function: &GraphFunction<'_>) {
    let old = body(function.func);
    let new = open(function);
    for (from, to) in old.arguments().zip(new.arguments()) {
        from.replace_all_uses_with(to);
    }
    new.append_ops_of(old);
}

fn copy_body(function: &GraphFunction<'_>) {
    let old = body(function.func);
    let new = open(function);
    let mut mapping = Mapping::new();
    for (from, to) in old.arguments().zip(new.arguments()) {
        mapping.map(from, to);
    }
    let mut builder = Builder::at_end(new, function.func.location());
    old.ops()
        .for_each(|op| _ = builder.clone_op(op, &mut mapping));
}

/// Adds a block with the parameters of a function to its graph.
fn open<'a>(function: &GraphFunction<'a>) -> Block<'a> {
    function.graph.region(0).add_block_like(body(function.func))
}

/// Gives a function a body that runs its graph as a program.
fn start_on_host(function: &GraphFunction<'_>) {
    let func = function.func;
    let block = body(func);
    let (_, results) = func.signature();
    let arguments: Vec<_> = block.arguments().collect();
    let mut builder = Builder::at_end(block, func.location());
    let start = comm::Start::build(&mut builder, function.callee.graph, &arguments);
    let finish = comm::Finish::build(&mut builder, &results, start.program());
    let results: Vec<_> = finish.results().collect();
    func::Return::build(&mut builder, &results);
    func.remove_attribute(GRAPH_FUNCTION);
}

fn body(op: Op<'_>) -> Block<'_> {
    op.region(0)
        .entry()
        .expect("functions without a body are not read, and graphs have theirs by now")
}
