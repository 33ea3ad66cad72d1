//! `tfx-inline`: replaces calls that involve abstraction or tensors by the body of the callee.
//!
//! ```text
//!   %y = call @f(%x)                      func @f(%a) {            ...ops before the call
//!   use %y                                  cond_br ^b, ^c         cond_br ^b', ^c'
//!                                         ^b: return %p      ──►   ^b': br ^after(%p')
//!                                         ^c: return %q            ^c': br ^after(%q')
//!                                         }                        ^after(%y): use %y
//! ```
//!
//! # What is inlined
//!
//! The pass inlines a direct call of a function with a body that contains tensors (or has a callee
//! that does), or whose signature has references, closures, arrays or enums, which only the caller
//! can resolve. In a function with tensors it also inlines calls of scalar code, so that the graph
//! may run it. Both are bounded to avoid exponential growth: `inline_cost.rs` has the rules.
//! Elsewhere functions of scalar code stay calls; `tfx-scalarize` handles structs of scalars in
//! their signatures. A private function that was inlined everywhere is erased. Tensor-only
//! functions that are called more than once become graph functions, whose calls are not inlined
//! (`graph_functions.rs`); `graph-functions=false` inlines these, too.
//!
//! The application of a closure becomes a direct call of its function, with the captures first, if
//! the operation that makes the closure is known after inlining. So `map` and similar functions
//! vanish together with their closures.
//!
//! # Algorithm
//!
//! Callers first: each function that stays is expanded from the *original* bodies of its callees,
//! with a stack of the calls still to inline, the calls of a copied body on top. So every operation
//! of the output is copied exactly once and gets its location once: `callsite(op at callsite(inner
//! call at outer call))`. The calls of a block are inlined from the last to the first, so that
//! splitting the block after a call moves each operation at most twice. Recursion, also through
//! closures that a function makes, is found by strongly connected components (Kosaraju's algorithm:
//! petgraph's Tarjan recurses on the native stack) and left alone with a remark.
//!
//! # Cost
//!
//! Linear in the input and the output.
//!
//! # Non-guarantees
//!
//! A body of several blocks cannot be inlined into structured control flow: such a call stays, with
//! a remark (`tfx-deabstract` turns structured control flow into blocks first). A closure that
//! comes through a variable, a branch or a struct stays a closure. Block arguments keep their
//! location in the callee.

use rustc_hash::FxHashMap as HashMap;
use tfx_dialects::host;
use tfx_ir::ops::func;

use melior::ir::attribute::TypeAttribute;
use melior::ir::{Location, Type, TypeLike};
use petgraph::algo::kosaraju_scc;
use tfx_dialects::extracted::is_extracted;
use tfx_dialects::types::{HostType, host_type, is_generic};
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::location::call_site;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::graph_functions::{self, Candidate, GraphFunctions};
use crate::inline_cost::{self, Decisions, Inlinee};
use crate::layout::{Layouts, key};
use crate::{cfg, names};

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Inline;

const INLINED: Statistic = Statistic::new("calls-inlined", "Inlined calls");
const REMOVED: Statistic = Statistic::new(
    "functions-removed",
    "Erased functions that were inlined at all calls",
);

/// The default limit for copying a function with tensors and effects to each of several calls.
/// Compilation takes about 50 µs per operation, so a copy of this size takes half a second; no
/// hand-written step of a model is that large.
const DEFAULT_LIMIT: u64 = 10_000;

tfx_ir::options! {
    /// The functions that stay functions and those that are inlined.
    pub struct InliningOptions {
        /// Keep functions that contain only tensor code and are called more than once as graphs
        /// that other graphs call; 'false' inlines them.
        graph_functions: bool = true,
        /// The largest number of operations of a function with tensors that is inlined at several
        /// calls; calls of larger functions stay on the host.
        inline_limit: u64 = DEFAULT_LIMIT,
    }
}

tfx_ir::options! {
    /// The remarks of `tfx-inline`.
    pub struct InlineRemarks {
        /// Name the functions with tensors whose calls stay on the host: recursive ones, and those
        /// larger than the limit.
        remarks: bool = true,
    }
}

tfx_ir::composed_options! {
    /// The options of `tfx-inline`.
    pub struct InlineOptions {
        /// The functions that are inlined.
        inlining: InliningOptions,
        /// The remarks.
        report: InlineRemarks,
    }
}

const GRAPH_FUNCTIONS: Statistic = Statistic::new("graph-functions", "Graph functions");

impl Pass for Inline {
    type Options = InlineOptions;
    const NAME: &'static str = "TfxInline";
    const ARGUMENT: &'static str = "tfx-inline";
    const DESCRIPTION: &'static str = "Inline calls that involve abstraction or tensors";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[INLINED, REMOVED, GRAPH_FUNCTIONS];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, InlineOptions>) -> PassResult {
        let outcome = inline_all(module, cx.options())?;
        cx.count(INLINED, outcome.inlined);
        cx.count(REMOVED, outcome.removed);
        cx.count(GRAPH_FUNCTIONS, outcome.graph_functions);
        Ok(())
    }
}

/// The result of inlining: the number of inlined calls, of erased functions, and of graph
/// functions.
pub(crate) struct Outcome {
    pub(crate) inlined: u64,
    removed: u64,
    graph_functions: u64,
}

/// Inlines in a whole module.
pub(crate) fn inline_all<'a>(
    module: Op<'a>,
    options: &InlineOptions,
) -> Result<Outcome, Diagnostics<'a>> {
    let mut program = Program::read(module)?;
    let callers_first = program.choose(options.report.remarks);
    let candidates: Vec<_> = program.functions.iter().map(Function::candidate).collect();
    if options.inlining.graph_functions {
        program.graph_functions =
            graph_functions::choose(module, &candidates, &program.index, &callers_first)?;
    } else {
        graph_functions::unmark(&candidates);
    }
    let graph_functions = program.graph_functions.count();
    let decisions = inline_cost::decide(
        &program.inlinees(),
        callers_first.iter().rev().copied(),
        options.inlining.inline_limit,
        options.report.remarks,
    );
    let (inlined, unused) = program.expand(&callers_first, &decisions);
    let removed = unused.len() as u64;
    unused.into_iter().for_each(Op::erase);
    Ok(Outcome {
        inlined,
        removed,
        graph_functions,
    })
}

/// The functions of a module that have a body, in program order.
struct Program<'a> {
    functions: Vec<Function<'a>>,
    index: HashMap<&'a str, usize>,
    graph_functions: GraphFunctions,
}

struct Function<'a> {
    op: Op<'a>,
    symbol: &'a str,
    /// The direct calls of functions with a body, and the applications of closures, in program
    /// order.
    calls: Vec<CallSite<'a>>,
    /// The direct calls of functions with a body, and the closures of such functions.
    reaches: Vec<Call<'a>>,
    /// True if it is to be inlined because of tensors or abstractions; `choose` adds those of
    /// callees, and excludes recursive functions.
    dissolves: bool,
    /// True if it has tensors; `choose` adds those of callees.
    has_tensors: bool,
    /// True if it is recursive, also through others: `choose` decides. A generic function counts as
    /// recursive, since its callees are unknown.
    is_recursive: bool,
    /// True if it is already split from its graph: its calls stay, and it is not inlined.
    is_extracted: bool,
    /// True if it is referenced other than by direct calls: exported, or named by a closure or a
    /// witness table.
    must_stay: bool,
}

impl<'a> Function<'a> {
    fn candidate(&self) -> Candidate<'a> {
        Candidate {
            op: self.op,
            dissolves: self.dissolves,
        }
    }
}

/// An edge to another function: a call or a closure of it.
#[derive(Clone, Copy)]
struct Call<'a> {
    op: Op<'a>,
    callee: usize,
}

/// A direct call, or an application of a closure.
#[derive(Clone, Copy)]
struct CallSite<'a> {
    op: Op<'a>,
    /// Unknown for an application until the operation that makes the closure is known.
    callee: Option<usize>,
}

/// Reading the module.
impl<'a> Program<'a> {
    fn read(module: Op<'a>) -> Result<Self, Diagnostic<'a>> {
        let mut reader = Reader {
            layouts: Layouts::new(module),
            facts: HashMap::default(),
        };
        let ops: Vec<_> = module
            .children()
            .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
            .collect();
        let index: HashMap<_, _> = ops
            .iter()
            .enumerate()
            .filter_map(|(index, op)| Some((op.symbol_name()?, index)))
            .collect();
        let functions = ops
            .iter()
            .map(|op| reader.function(*op, &index))
            .collect::<Result<_, _>>()?;
        let mut program = Self {
            functions,
            index,
            graph_functions: GraphFunctions::default(),
        };
        let mut keep = |symbol| {
            if let Some(function) = program.index.get(symbol) {
                program.functions[*function].must_stay = true;
            }
        };
        module
            .walk()
            .for_each(|op| names::symbols_other_than_calls(op, &mut keep));
        Ok(program)
    }
}

/// Returns whether a function only forwards its arguments: after aggregates are removed, only a
/// call is left of it.
fn only_returns(func: Op<'_>) -> bool {
    let vanishes = |op: Op<'_>| {
        let is_struct = op.isa::<host::MakeStruct>() || op.isa::<host::Extract>();
        let is_tuple = op.isa::<host::MakeTuple>() || op.isa::<host::TupleGet>();
        is_struct || is_tuple || op.isa::<host::Insert>() || op.isa::<func::Return>()
    };
    let block = func.region(0).single_block();
    block.is_some_and(|block| block.ops().all(vanishes))
}

/// The relevance of a type to inlining.
#[derive(Clone, Copy, Default)]
struct Facts {
    tensor: bool,
    abstraction: bool,
}

/// Analyzes functions one by one, and each type once.
struct Reader<'a> {
    layouts: Layouts<'a>,
    facts: HashMap<usize, Facts>,
}

impl<'a> Reader<'a> {
    fn function(
        &mut self,
        op: Op<'a>,
        index: &HashMap<&'a str, usize>,
    ) -> Result<Function<'a>, Diagnostic<'a>> {
        let symbol = op.symbol_name().expect("a function has a name");
        let mut function = Function {
            op,
            symbol,
            calls: Vec::new(),
            reaches: Vec::new(),
            dissolves: false,
            has_tensors: false,
            is_recursive: false,
            is_extracted: is_extracted(op),
            must_stay: !op.is_private(),
        };
        let generic = is_generic(op);
        function.is_recursive = generic;
        // Only tfx_host.call can call a generic function, with its type arguments.
        function.must_stay |= generic;
        if !generic {
            let signature = self.signature(op)?;
            function.dissolves = signature.abstraction || only_returns(op);
            function.has_tensors = signature.tensor;
        }
        for inner in op.walk() {
            match inner.name() {
                host::Apply::NAME => function.calls.push(CallSite {
                    op: inner,
                    callee: None,
                }),
                func::Call::NAME | host::Closure::NAME => {
                    let callee = inner.symbol("callee").and_then(|symbol| index.get(symbol));
                    let Some(&callee) = callee else { continue };
                    function.reaches.push(Call { op: inner, callee });
                    if inner.isa::<func::Call>() {
                        let callee = Some(callee);
                        function.calls.push(CallSite { op: inner, callee });
                    }
                }
                _ => {}
            }
            function.has_tensors |= !generic && !function.has_tensors && self.has_tensors(inner)?;
        }
        Ok(function)
    }

    fn signature(&mut self, func: Op<'a>) -> Result<Facts, Diagnostic<'a>> {
        let (inputs, results) = func.signature();
        let mut all = Facts::default();
        for ty in inputs.into_iter().chain(results) {
            let facts = self.facts(ty, func.location())?;
            all.tensor |= facts.tensor;
            all.abstraction |= facts.abstraction;
        }
        Ok(all)
    }

    fn has_tensors(&mut self, op: Op<'a>) -> Result<bool, Diagnostic<'a>> {
        if matches!(op.dialect(), "tfx_tensor" | "tfx_comm") {
            return Ok(true);
        }
        op.definitions().try_fold(false, |found, value| {
            Ok(found | self.facts(value.ty(), op.location())?.tensor)
        })
    }

    fn facts(&mut self, ty: Type<'a>, user: Location<'a>) -> Result<Facts, Diagnostic<'a>> {
        if let Some(facts) = self.facts.get(&key(ty)) {
            return Ok(*facts);
        }
        let mut facts = Facts::default();
        for leaf in self.layouts.leaves(ty, user)? {
            tfx_dialects::types::walk_types(TypeAttribute::new(leaf).into(), |part| {
                facts.tensor |= part.is_tensor();
                facts.abstraction |= matches!(
                    host_type(part),
                    Some(
                        HostType::Ref(_)
                            | HostType::Closure(_)
                            | HostType::Array(_)
                            | HostType::Enum { .. }
                            | HostType::Queue(_)
                    )
                );
            });
        }
        self.facts.insert(key(ty), facts);
        Ok(facts)
    }
}

/// Selection.
impl<'a> Program<'a> {
    /// Decides which functions are inlined, and orders all functions so that callers come before
    /// callees.
    fn choose(&mut self, remarks: bool) -> Vec<usize> {
        let callees =
            |function: &Function<'_>| function.reaches.iter().map(|call| call.callee).collect();
        let successors: Vec<Vec<usize>> = self.functions.iter().map(callees).collect();
        let graph = cfg::graph(&successors);
        // Callees come first.
        let components = kosaraju_scc(&graph);
        let mut recursive = Vec::new();
        for component in &components {
            let members: Vec<_> = component.iter().map(|node| node.index()).collect();
            self.inherit(&members);
            if cfg::is_cycle(&graph, component) {
                recursive.push(members);
            }
        }
        // In program order, which is the order of the functions.
        recursive
            .iter_mut()
            .for_each(|members| members.sort_unstable());
        recursive.sort_unstable();
        recursive
            .iter()
            .for_each(|members| self.refuse_recursion(members, remarks));
        components
            .iter()
            .rev()
            .flatten()
            .map(|node| node.index())
            .collect()
    }

    /// Propagates tensors from callees to callers; a function with tensors is inlined.
    fn inherit(&mut self, members: &[usize]) {
        let has_tensors = members.iter().any(|member| {
            let function = &self.functions[*member];
            function.has_tensors
                || function
                    .reaches
                    .iter()
                    .any(|call| self.functions[call.callee].has_tensors)
        });
        for &member in members {
            let function = &mut self.functions[member];
            function.has_tensors = has_tensors;
            function.dissolves |= has_tensors && !is_generic(function.op);
            function.dissolves &= !function.is_extracted;
        }
    }

    /// Keeps the calls of recursive functions, with a remark if one would have been inlined.
    fn refuse_recursion(&mut self, members: &[usize], remarks: bool) {
        // Recursion on scalars alone belongs to the host.
        let dissolved = members
            .iter()
            .any(|member| self.functions[*member].dissolves && self.functions[*member].has_tensors);
        if dissolved && remarks {
            let chain = self.shortest_cycle(members[0]);
            let names: Vec<_> = chain
                .iter()
                .map(|call| format!("@{}", self.functions[call.callee].symbol))
                .collect();
            let first = &self.functions[members[0]];
            let message = format!(
                "'@{}' is recursive (@{} -> {}), so its calls stay on the host; write a loop instead",
                first.symbol,
                first.symbol,
                names.join(" -> ")
            );
            let remark = diag::remark(first.op.location(), message);
            chain
                .iter()
                .fold(remark, |remark, call| {
                    remark.note(call.op.location(), "called here")
                })
                .emit();
        }
        for member in members {
            self.functions[*member].dissolves = false;
            self.functions[*member].is_recursive = true;
        }
    }

    /// Returns the calls on a shortest path from a function back to itself.
    fn shortest_cycle(&self, start: usize) -> Vec<Call<'a>> {
        let mut reached_by: HashMap<usize, (usize, Call<'a>)> = HashMap::default();
        let mut pending = std::collections::VecDeque::from([start]);
        while let Some(caller) = pending.pop_front() {
            for call in &self.functions[caller].reaches {
                reached_by.entry(call.callee).or_insert_with(|| {
                    pending.push_back(call.callee);
                    (caller, *call)
                });
            }
            if reached_by.contains_key(&start) {
                break;
            }
        }
        let mut chain = Vec::new();
        let mut function = start;
        while let Some((caller, call)) = reached_by.get(&function) {
            chain.push(*call);
            function = *caller;
            if function == start {
                break;
            }
        }
        chain.reverse();
        chain
    }
}

/// Inlining.
impl<'a> Program<'a> {
    /// Returns the functions in the form of `inline_cost.rs`.
    fn inlinees(&self) -> Vec<Inlinee<'a>> {
        let inlinee = |(index, function): (usize, &Function<'a>)| Inlinee {
            op: function.op,
            dissolves: function.dissolves,
            has_tensors: function.has_tensors,
            stays: function.is_recursive || function.is_extracted,
            is_graph_function: self.graph_functions.stays(index),
            is_specific: self.graph_functions.is_specific(index),
            reaches: function.reaches.iter().map(|call| call.callee).collect(),
        };
        self.functions.iter().enumerate().map(inlinee).collect()
    }

    /// Inlines in each function that stays. Returns the number of calls, and the functions that are
    /// now unused.
    fn expand(&self, callers_first: &[usize], decisions: &Decisions) -> (u64, Vec<Op<'a>>) {
        let mut inlined = 0;
        let mut called: Vec<bool> = self
            .functions
            .iter()
            .map(|function| function.must_stay)
            .collect();
        let is_called = self.called_at_all();
        let mut unused = Vec::new();
        for &caller in callers_first {
            let function = &self.functions[caller];
            // The calls of a recursive function stay. Its callers may come after it, so symbol-dce
            // erases it if it is unused.
            if !called[caller] && is_called[caller] && !function.is_recursive {
                unused.push(function.op);
                continue;
            }
            let mut pending = function.calls.clone();
            while let Some(site) = pending.pop() {
                if function.is_extracted {
                    site.callee
                        .into_iter()
                        .for_each(|callee| called[callee] = true);
                    continue;
                }
                let Some(call) = self.resolve(site) else {
                    continue;
                };
                let callee = &self.functions[call.callee];
                let dissolves = match self.graph_functions.decide(caller, call.callee) {
                    Some(false) => false,
                    Some(true) if callee.has_tensors => true,
                    // Both sides can run scalar code: its size alone decides.
                    _ => decisions.inlines(call.callee, function.has_tensors),
                };
                match dissolves.then(|| inline(call.op, callee)) {
                    Some(Ok(calls)) => {
                        inlined += 1;
                        pending.extend(calls);
                    }
                    Some(Err(Structured)) => {
                        called[call.callee] = true;
                        report_structured(call.op, callee);
                    }
                    None => called[call.callee] = true,
                }
            }
        }
        (inlined, unused)
    }

    /// Returns the call of a function with a body at a call site. An application of a closure whose
    /// maker is known becomes one.
    fn resolve(&self, site: CallSite<'a>) -> Option<Call<'a>> {
        if let Some(callee) = site.callee {
            return Some(Call {
                op: site.op,
                callee,
            });
        }
        let apply = host::Apply::cast(site.op)?;
        let closure = host::Closure::cast(apply.closure().defining_op()?)?;
        let op = call_of_closure(apply, closure);
        let callee = *self.index.get(op.symbol("callee")?)?;
        Some(Call { op, callee })
    }

    /// By function: whether any of its calls could be inlined. Functions that were unused before
    /// are left to symbol-dce.
    fn called_at_all(&self) -> Vec<bool> {
        let mut called = vec![false; self.functions.len()];
        for call in self.functions.iter().flat_map(|function| &function.reaches) {
            called[call.callee] = true;
        }
        called
    }
}

/// Replaces the application of a closure by a call of its function, with the captures first. A
/// closure without other uses is erased.
fn call_of_closure<'a>(apply: host::Apply<'a>, closure: host::Closure<'a>) -> Op<'a> {
    let captures = closure.captures().iter();
    let arguments: Vec<_> = captures.chain(apply.arguments().iter()).collect();
    let mut builder = Builder::before(apply.op());
    let call = builder.call(closure.callee(), &arguments, &apply.result_types());
    let results: Vec<_> = call.results().collect();
    apply.replace_with(&results);
    if closure.is_unused() {
        closure.erase();
    }
    call
}

/// A body of several blocks cannot be inlined into structured control flow.
struct Structured;

fn report_structured(call: Op<'_>, callee: &Function<'_>) {
    let outer = call.parent().map_or("module", Op::name);
    let message = format!(
        "call of '@{}' is not inlined: its body has branches, and the call is inside '{outer}'; \
         run convert-scf-to-cf first, as the pipeline tfx-deabstract does",
        callee.symbol
    );
    diag::remark(call.location(), message)
        .note(callee.op.location(), "the function is defined here")
        .emit();
}

/// Replaces one call by a copy of the body, and returns the calls in the copy.
fn inline<'a>(call: Op<'a>, callee: &Function<'a>) -> Result<Vec<CallSite<'a>>, Structured> {
    let body = callee.op.region(0);
    let mut mapping = Mapping::new();
    let entry = body.entry().expect("a function with a body has an entry");
    for (argument, operand) in entry.arguments().zip(call.operands()) {
        mapping.map(argument, operand);
    }
    match body
        .single_block()
        .filter(|block| block.last().is_some_and(|last| last.isa::<func::Return>()))
    {
        Some(block) => inline_block(call, block, &mut mapping),
        None if call
            .parent()
            .is_some_and(|parent| parent.isa::<func::Func>()) =>
        {
            inline_graph(call, callee.op, &mut mapping)
        }
        None => return Err(Structured),
    }
    let copied = callee.calls.iter().map(|inner| {
        let op = mapping.op(inner.op).expect("the whole body was copied");
        CallSite {
            op,
            callee: inner.callee,
        }
    });
    let copied = copied.collect();
    call.erase();
    Ok(copied)
}

/// Copies the operations of a block before the call; the operands of its return are the call's
/// results.
fn inline_block<'a>(call: Op<'a>, block: Block<'a>, mapping: &mut Mapping<'a>) {
    let mut builder = Builder::before(call);
    for op in block.ops() {
        if op.isa::<func::Return>() {
            let values: Vec<_> = op
                .operands()
                .map(|operand| mapping.get_or_same(operand))
                .collect();
            replace_results(call, &values);
            return;
        }
        builder.clone_op(op, mapping);
        locate(op, mapping, call.location());
    }
}

/// Copies the blocks between the operations before and those after the call.
fn inline_graph<'a>(call: Op<'a>, callee: Op<'a>, mapping: &mut Mapping<'a>) {
    let body = callee.region(0);
    let block = call.block().expect("a call is in a block");
    let after = block.split_before(call);
    body.clone_before(after, mapping);
    let mut returns = Vec::new();
    for op in body.blocks().flat_map(|block| block.ops()) {
        locate(op, mapping, call.location());
        if op.isa::<func::Return>() {
            returns.push(mapping.op(op).expect("the whole body was copied"));
        }
    }
    // The operands replace the entry's arguments, so its copy has none, and nothing branches to an
    // entry.
    let entry = mapping
        .block(body.entry().expect("it has a body"))
        .expect("the whole body was copied");
    block.append_ops_of(entry);
    entry.erase();
    connect_returns(call, after, &returns);
}

/// Each return becomes a branch to the block after the call. The values of a single return are used
/// directly.
fn connect_returns<'a>(call: Op<'a>, after: Block<'a>, returns: &[Op<'a>]) {
    let direct = returns.len() == 1;
    let add = |result: Value<'a>| after.add_argument(result.ty(), call.location());
    let values: Vec<_> = match returns {
        [only] => only.operands().collect(),
        _ => call.results().map(add).collect(),
    };
    replace_results(call, &values);
    for op in returns {
        let values: Vec<_> = op.operands().filter(|_| !direct).collect();
        Builder::before(*op).br(after, &values);
        op.erase();
    }
}

fn replace_results<'a>(call: Op<'a>, values: &[Value<'a>]) {
    for (result, value) in call.results().zip(values) {
        result.replace_all_uses_with(*value);
    }
}

/// Sets the locations of the copy of an operation, and of the operations inside, to the call site.
fn locate<'a>(op: Op<'a>, mapping: &Mapping<'a>, caller: Location<'a>) {
    for original in op.walk() {
        if let Some(copy) = mapping.op(original) {
            copy.set_location(call_site(original.location(), caller));
        }
    }
}
