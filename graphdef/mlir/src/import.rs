//! GraphDef to MLIR: what TensorFlow has built becomes graphs that tfx can print, transform and export again.
//!
//! ```text
//! GraphDef                                         module
//!   x = Placeholder                                  tfx_tensor.graph @main(%x: tensor<?xf32> {tfx.name = "x"}) -> tensor<?xf32>
//!   y = StatelessWhile(x), cond=c, body=b              %y = tfx_tensor.while ... { the nodes of c } do { the nodes of b }
//!   z = PartitionedCall(y), f=g                        %z = tfx_tensor.call @g(%y) {pure}
//!   library: b, c, g                                 tfx_tensor.graph private @g, where it is used more than once
//! ```
//!
//! # Algorithm
//!
//! Each function of the library that can be reached becomes a graph of its own, callees first, and so does the graph outside of them. Nodes come in an order
//! that keeps every edge, control edges too; of those that could come next the first in the file does, so the text is always the same. `If`, `Case` and
//! `While` become the operations with regions, each region a call. In the end a private graph that is called once takes the place of its call
//! (`fold.rs`). All of it is iterative, and linear but for the logarithm of the queue of ready nodes.
//!
//! What a node is called stays as the name of its location, and comes back as the name of the node when the graph is exported. Shapes are those that
//! the file has (`_output_shapes`, `shape`, constants); what it does not say is a tensor of unknown rank, until `tfx-infer-shapes` has run.
//!
//! # What stays and what goes
//!
//! Nodes without results that have no state (`NoOp`) go: they are only there to be waited for, and order is the order of the text. So control edges
//! to a stateless node go too: nothing can tell when it runs. A conditional whose condition is no boolean of rank 0 stays a `tfx_tensor.op`
//! that names functions: TensorFlow has rules of its own for it.
//!
//! Refused, by name: loops of TensorFlow 1 (`Enter`, `Merge`, ...), functions with type parameters, functions that call themselves, operations that the
//! pinned TensorFlow does not have.

mod attributes;
mod fold;
mod function;
mod order;
mod tensors;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use tfx_dialects::tensor;

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, StringAttribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Location, Module, Type};
use tfx_graphdef::naming::UniqueNames;
use tfx_graphdef::proto::{FunctionDef, GraphDef, NodeDef};
use tfx_ir::symbols::SYMBOL_NAME;
use tfx_ir::{Builder, Op, Value, module};

use function::{Body, Scope};
use order::{function_names, in_order};

/// The graph of what is in no function.
const MAIN: &str = "main";
/// The name of a parameter or result, for users.
const NAME: &str = "tfx.name";

/// Why a GraphDef cannot be imported, in the words of the GraphDef.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportError(pub(crate) String);

impl fmt::Display for ImportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ImportError {}

impl ImportError {
    pub(crate) fn at(node: &NodeDef, function: Option<&str>, reason: impl fmt::Display) -> Self {
        let inside = function.map_or(String::new(), |name| format!(" in function '{name}'"));
        Self(format!("node '{}'{inside}: {reason}", node.name))
    }
}

/// A module with the graphs of a GraphDef. `outputs` (`node` or `node:1`) are the results of `@main`, and only what they need is imported; where there are
/// none, all is imported, and the results are those of the nodes that no node takes anything of.
///
/// # Errors
///
/// The first thing in the file that has no counterpart, by the name of its node.
pub fn import<'c>(
    context: &'c Context,
    graph: &GraphDef,
    outputs: &[String],
) -> Result<Module<'c>, ImportError> {
    context.get_or_load_dialect("tfx_tensor");
    let module = Module::new(Location::unknown(context));
    import_into(context, module::as_op(&module), graph, outputs)?;
    Ok(module)
}

fn import_into(
    context: &Context,
    module: Op<'_>,
    graph: &GraphDef,
    outputs: &[String],
) -> Result<(), ImportError> {
    let mut library = HashMap::new();
    let mut symbols = UniqueNames::new();
    for function in graph.library.iter().flat_map(|library| &library.function) {
        library.insert(name_of(function), function);
        symbols.take(name_of(function));
    }
    let main = symbols.take(MAIN);
    let nodes = match outputs {
        [] => graph.node.iter().collect(),
        _ => needed(&graph.node, outputs)?,
    };
    let mut scope = Scope::new(context, &library);
    let callees = reachable(&nodes, &library)?;
    let block = module
        .region(0)
        .single_block()
        .expect("a module has one block");
    let builder = Builder::at_end(block, Location::unknown(context));
    let mut made = Vec::new();
    for name in callees {
        let function = library[name];
        let graph = import_function(builder, &mut scope, function)?;
        scope.made(name, graph);
        made.push(graph);
    }
    let graph = import_main(builder, &mut scope, &nodes, outputs)?;
    graph.set_string(SYMBOL_NAME, &main);
    made.push(graph);
    fold::fold(&made);
    Ok(())
}

fn name_of(function: &FunctionDef) -> &str {
    function
        .signature
        .as_ref()
        .map_or("", |signature| &signature.name)
}

/// The nodes that some outputs depend on, in their order.
fn needed<'g>(nodes: &'g [NodeDef], outputs: &[String]) -> Result<Vec<&'g NodeDef>, ImportError> {
    let by_name: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.name.as_str(), index))
        .collect();
    let mut todo = Vec::new();
    for output in outputs {
        let name = output.split(':').next().unwrap_or_default();
        let index = by_name.get(name).ok_or_else(|| {
            ImportError(format!("there is no node '{name}' that could be an output"))
        })?;
        todo.push(*index);
    }
    let mut seen: BTreeSet<usize> = todo.iter().copied().collect();
    while let Some(index) = todo.pop() {
        for input in &nodes[index].input {
            let name = order::source_of(input);
            if let Some(&source) = by_name.get(name)
                && seen.insert(source)
            {
                todo.push(source);
            }
        }
    }
    Ok(seen.into_iter().map(|index| &nodes[index]).collect())
}

/// The functions that nodes use, and those that these use, callees first.
fn reachable<'g>(
    nodes: &[&'g NodeDef],
    library: &HashMap<&'g str, &'g FunctionDef>,
) -> Result<Vec<&'g str>, ImportError> {
    enum Step<'g> {
        Enter(&'g str),
        Leave(&'g str),
    }
    let uses = |nodes: &[&'g NodeDef]| -> Vec<&'g str> {
        let names = nodes.iter().flat_map(|node| function_names(node, library));
        names.collect()
    };
    let mut todo: Vec<Step<'g>> = uses(nodes).into_iter().rev().map(Step::Enter).collect();
    let (mut open, mut done) = (HashSet::new(), HashSet::new());
    let mut order = Vec::new();
    while let Some(step) = todo.pop() {
        match step {
            Step::Enter(name) if done.contains(name) => {}
            Step::Enter(name) if !open.insert(name) => {
                return Err(ImportError(format!(
                    "function '{name}' calls itself, at once or through others, which a graph cannot"
                )));
            }
            Step::Enter(name) => {
                let function = library.get(name).ok_or_else(|| {
                    ImportError(format!("there is no function '{name}' in the library"))
                })?;
                todo.push(Step::Leave(name));
                let nodes: Vec<_> = function.node_def.iter().collect();
                todo.extend(uses(&nodes).into_iter().rev().map(Step::Enter));
            }
            Step::Leave(name) => {
                open.remove(name);
                done.insert(name);
                order.push(name);
            }
        }
    }
    Ok(order)
}

/// A graph without a type yet, and its block.
fn graph_op<'a>(
    builder: Builder<'a>,
    name: &str,
    is_private: bool,
    parameters: &[(Type<'a>, Location<'a>)],
) -> Op<'a> {
    let context = builder.context();
    let ty = FunctionType::new(context, &[], &[]);
    let graph = tensor::Graph::build(&mut builder.at(named(context, name)), name, ty);
    if is_private {
        graph.set_sym_visibility(Some("private"));
    }
    graph.body().add_block(parameters);
    graph.op()
}

/// Ends the body of a graph and gives it its type.
fn finish<'a>(graph: Op<'a>, results: &[Value<'a>]) {
    let block = graph
        .region(0)
        .single_block()
        .expect("a graph that is imported has one block");
    tensor::Return::build(&mut Builder::at_end(block, graph.location()), results);
    let inputs: Vec<_> = block.arguments().map(Value::ty).collect();
    let outputs: Vec<_> = results.iter().map(|value| value.ty()).collect();
    let ty = FunctionType::new(graph.context(), &inputs, &outputs);
    graph.set_attribute("function_type", TypeAttribute::new(ty.into()));
}

/// The location of something that has only a name.
fn named<'c>(context: &'c Context, name: &str) -> Location<'c> {
    Location::name(context, name, Location::unknown(context))
}

fn import_function<'a>(
    builder: Builder<'a>,
    scope: &mut Scope<'_, 'a>,
    function: &FunctionDef,
) -> Result<Op<'a>, ImportError> {
    let name = name_of(function);
    let parameters = function::parameters(scope, function)?;
    let locations: Vec<_> = parameters
        .iter()
        .map(|(name, ty)| (*ty, named(scope.context, name)))
        .collect();
    let graph = graph_op(builder, name, true, &locations);
    let block = graph.region(0).single_block().expect("it was just made");
    let mut body = Body::of_function(scope, block, name);
    for ((name, _), argument) in parameters.iter().zip(block.arguments()) {
        body.parameter(name, argument);
    }
    let nodes: Vec<_> = function.node_def.iter().collect();
    for node in in_order(&nodes, Some(name))? {
        body.node(node)?;
    }
    let results = function::results(&body, function)?;
    finish(graph, &results);
    Ok(graph)
}

fn import_main<'a>(
    builder: Builder<'a>,
    scope: &mut Scope<'_, 'a>,
    nodes: &[&NodeDef],
    outputs: &[String],
) -> Result<Op<'a>, ImportError> {
    let context = scope.context;
    let placeholders: Vec<_> = nodes
        .iter()
        .copied()
        .filter(|node| node.op == "Placeholder")
        .collect();
    let parameters = placeholders
        .iter()
        .map(|node| Ok((scope.placeholder_type(node)?, named(context, &node.name))))
        .collect::<Result<Vec<_>, ImportError>>()?;
    let graph = graph_op(builder, MAIN, false, &parameters);
    let block = graph.region(0).single_block().expect("it was just made");
    let mut body = Body::of_graph(scope, block);
    for (node, argument) in placeholders.iter().zip(block.arguments()) {
        body.parameter(&node.name, argument);
    }
    let order = in_order(nodes, None)?;
    for node in &order {
        if node.op != "Placeholder" {
            body.node(node)?;
        }
    }
    let named_results: Vec<(String, Value<'a>)> = match outputs {
        [] => {
            let defined = order.iter().filter(|node| node.op != "Placeholder");
            let of_node = |node: &&NodeDef| body.unused_outputs(node);
            defined.flat_map(of_node).collect()
        }
        _ => outputs
            .iter()
            .map(|output| Ok((output.clone(), body.output(output)?)))
            .collect::<Result<_, ImportError>>()?,
    };
    let results: Vec<_> = named_results.iter().map(|(_, value)| *value).collect();
    finish(graph, &results);
    let names = placeholders.iter().map(|node| node.name.as_str());
    set_names(graph, "arg_attrs", names);
    set_names(
        graph,
        "res_attrs",
        named_results.iter().map(|(name, _)| name.as_str()),
    );
    Ok(graph)
}

/// Writes the names of parameters or results.
fn set_names<'n>(graph: Op<'_>, attribute: &str, names: impl Iterator<Item = &'n str>) {
    let context = graph.context();
    let dictionary = |name| {
        let name = StringAttribute::new(context, name);
        let text = format!("{{{NAME} = {}}}", Attribute::from(name));
        Attribute::parse(context, &text).expect("a dictionary of one string")
    };
    let names: Vec<Attribute<'_>> = names.map(dictionary).collect();
    if !names.is_empty() {
        graph.set_attribute(attribute, ArrayAttribute::new(context, &names));
    }
}
