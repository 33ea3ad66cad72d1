//! Import of a GraphDef as graphs that tfx can print, transform and export again.
//!
//! ```text
//! GraphDef                                module
//!   x = Placeholder                         tfx_tensor.graph @main(%x: ... {tfx.name = "x"})
//!   y = StatelessWhile(x), cond=c, body=b     %y = tfx_tensor.while { nodes of c } do { nodes of b }
//!   z = PartitionedCall(y), f=g               %z = tfx_tensor.call @g(%y) {pure}
//!   library: b, c, g                        tfx_tensor.graph private @g, if it has several calls
//! ```
//!
//! # Algorithm
//!
//! Each reachable function of the library becomes a graph, callees first, and so do the nodes
//! outside of functions. Nodes are ordered topologically, with control edges; of the nodes that
//! could come next, the first of the file does, so the output is deterministic. `If`, `Case` and
//! `While` become operations with regions, each of which calls a function. Finally, a private graph
//! with a single call is inlined (`fold.rs`). Nothing recurses, and the cost is linear except for
//! the priority queue of ready nodes.
//!
//! The name of a node becomes the name of its location, and the name of the node again when the
//! graph is exported. Shapes are those of the file (`_output_shapes`, `shape`, constants). The rest
//! are tensors of unknown rank until `tfx-infer-shapes` runs.
//!
//! # Omitted and rejected parts
//!
//! Stateless nodes without results (`NoOp`) are omitted: they only order other nodes, and the graph
//! is in order. So are control edges to stateless nodes, because their order is not observable. A
//! conditional whose condition is not a boolean of rank 0 stays a `tfx_tensor.op` that names
//! functions, because TensorFlow has special rules for it.
//!
//! Rejected: loops of TensorFlow 1 (`Enter`, `Merge`, ...), functions with type parameters,
//! recursive functions, and operations that the pinned TensorFlow does not have.

mod attributes;
mod error;
mod fold;
mod function;
mod order;
mod tensors;

use std::collections::{BTreeSet, HashMap, HashSet};

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Location, Module, Type};
use tfx_dialects::tensor;
use tfx_graphdef::naming::UniqueNames;
use tfx_graphdef::proto::{FunctionDef, GraphDef, NodeDef};
use tfx_ir::{Block, Builder, Op, Value, module};

pub use error::{ImportError, NodeError};
use function::{Body, Scope};
use order::{function_names, in_order};

/// The graph of the nodes outside of functions.
const MAIN: &str = "main";
/// The attribute with the name of a parameter or result.
const NAME: &str = "tfx.name";

/// Imports a GraphDef as a module. `outputs` (`node` or `node:1`) are the results of `@main`, and
/// only the nodes that they depend on are imported. Without `outputs`, all nodes are imported, and
/// the results are those of the nodes that have no users.
///
/// # Errors
///
/// The first part of the file that has no counterpart.
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
    let block = module.region(0).single_block();
    let block = block.expect("a module has one block");
    let builder = Builder::at_end(block, Location::unknown(context));
    let mut graphs = Vec::new();
    for name in callees {
        let graph = import_function(builder, &scope, library[name])?;
        scope.add(name, graph);
        graphs.push(graph);
    }
    graphs.push(import_main(builder, &scope, &nodes, outputs, &main)?);
    fold::fold(&graphs);
    Ok(())
}

fn name_of(function: &FunctionDef) -> &str {
    function
        .signature
        .as_ref()
        .map_or("", |signature| &signature.name)
}

/// Returns the nodes that the outputs depend on, in the order of the file.
fn needed<'g>(nodes: &'g [NodeDef], outputs: &[String]) -> Result<Vec<&'g NodeDef>, ImportError> {
    let by_name: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.name.as_str(), index))
        .collect();
    let mut pending = Vec::new();
    for output in outputs {
        let name = order::source_of(output);
        let index = by_name.get(name);
        pending.push(*index.ok_or_else(|| ImportError::NoNode(name.to_owned()))?);
    }
    let mut seen: BTreeSet<usize> = pending.iter().copied().collect();
    while let Some(index) = pending.pop() {
        let inputs = nodes[index].input.iter();
        let sources = inputs.filter_map(|input| by_name.get(order::source_of(input)));
        pending.extend(sources.filter(|source| seen.insert(**source)));
    }
    Ok(seen.into_iter().map(|index| &nodes[index]).collect())
}

/// Returns the functions that nodes use, directly or through other functions, callees first.
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
    let mut pending: Vec<Step<'g>> = uses(nodes).into_iter().rev().map(Step::Enter).collect();
    let (mut open, mut done) = (HashSet::new(), HashSet::new());
    let mut order = Vec::new();
    while let Some(step) = pending.pop() {
        match step {
            Step::Enter(name) if done.contains(name) => {}
            Step::Enter(name) if !open.insert(name) => {
                return Err(ImportError::Recursion(name.to_owned()));
            }
            Step::Enter(name) => {
                let function = library.get(name);
                let function = function.ok_or_else(|| ImportError::NoFunction(name.to_owned()))?;
                pending.push(Step::Leave(name));
                let nodes: Vec<_> = function.node_def.iter().collect();
                pending.extend(uses(&nodes).into_iter().rev().map(Step::Enter));
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

/// Creates a graph that has no type yet, and its block.
fn new_graph<'a>(
    builder: Builder<'a>,
    name: &str,
    parameters: &[(Type<'a>, Location<'a>)],
) -> (tensor::Graph<'a>, Block<'a>) {
    let context = builder.context();
    let ty = FunctionType::new(context, &[], &[]);
    let graph = tensor::Graph::build(&mut builder.at(named(context, name)), name, ty);
    (graph, graph.body().add_block(parameters))
}

/// Adds the terminator of a graph, and sets the type of the graph.
fn finish<'a>(graph: tensor::Graph<'a>, block: Block<'a>, results: &[Value<'a>]) {
    tensor::Return::build(&mut Builder::at_end(block, graph.location()), results);
    let inputs: Vec<_> = block.arguments().map(Value::ty).collect();
    let outputs: Vec<_> = results.iter().map(|value| value.ty()).collect();
    graph.set_function_type(FunctionType::new(graph.context(), &inputs, &outputs));
}

/// Returns a location that is only a name.
fn named<'c>(context: &'c Context, name: &str) -> Location<'c> {
    Location::name(context, name, Location::unknown(context))
}

fn import_function<'a>(
    builder: Builder<'a>,
    scope: &Scope<'_, 'a>,
    function: &FunctionDef,
) -> Result<tensor::Graph<'a>, ImportError> {
    let name = name_of(function);
    let parameters = function::parameters(scope, function)?;
    let locations: Vec<_> = parameters
        .iter()
        .map(|(name, ty)| (*ty, named(scope.context, name)))
        .collect();
    let (graph, block) = new_graph(builder, name, &locations);
    graph.set_sym_visibility(Some("private"));
    let mut body = Body::of_function(scope, block, name);
    for ((name, _), argument) in parameters.iter().zip(block.arguments()) {
        body.parameter(name, argument);
    }
    let nodes: Vec<_> = function.node_def.iter().collect();
    for node in in_order(&nodes, Some(name))? {
        body.node(node)?;
    }
    let results = function::results(&body, function)?;
    finish(graph, block, &results);
    Ok(graph)
}

fn import_main<'a>(
    builder: Builder<'a>,
    scope: &Scope<'_, 'a>,
    nodes: &[&NodeDef],
    outputs: &[String],
    name: &str,
) -> Result<tensor::Graph<'a>, ImportError> {
    let context = scope.context;
    let is_placeholder = |node: &&&NodeDef| node.op == "Placeholder";
    let placeholders: Vec<_> = nodes.iter().filter(is_placeholder).collect();
    let parameters = placeholders
        .iter()
        .map(|node| Ok((scope.placeholder_type(node)?, named(context, &node.name))))
        .collect::<Result<Vec<_>, ImportError>>()?;
    let (graph, block) = new_graph(builder, name, &parameters);
    let mut body = Body::of_graph(scope, block);
    for (node, argument) in placeholders.iter().zip(block.arguments()) {
        body.parameter(&node.name, argument);
    }
    let mut order = in_order(nodes, None)?;
    order.retain(|node| !is_placeholder(&node));
    for node in &order {
        body.node(node)?;
    }
    let named_results: Vec<(String, Value<'a>)> = match outputs {
        [] => order
            .iter()
            .flat_map(|node| body.unused_outputs(node))
            .collect(),
        _ => outputs
            .iter()
            .map(|output| Ok((output.clone(), body.output(output)?)))
            .collect::<Result<_, ImportError>>()?,
    };
    let results: Vec<_> = named_results.iter().map(|(_, value)| *value).collect();
    finish(graph, block, &results);
    let parameters = placeholders.iter().map(|node| node.name.as_str());
    graph.set_arg_attrs(names(context, parameters));
    let results = named_results.iter().map(|(name, _)| name.as_str());
    graph.set_res_attrs(names(context, results));
    Ok(graph)
}

/// Returns the attribute with the names of parameters or results, if there are any.
fn names<'c, 'n>(
    context: &'c Context,
    names: impl Iterator<Item = &'n str>,
) -> Option<Attribute<'c>> {
    let dictionary = |name| {
        let name = StringAttribute::new(context, name);
        let text = format!("{{{NAME} = {}}}", Attribute::from(name));
        Attribute::parse(context, &text).expect("a dictionary of one string")
    };
    let names: Vec<Attribute<'_>> = names.map(dictionary).collect();
    (!names.is_empty()).then(|| ArrayAttribute::new(context, &names).into())
}
