//! Prepares a GraphDef: names become numbered slots.
//!
//! ```text
//! P/call -> function P -> its nodes, back from its results and control_ret -> functions that they run -> ...
//!   "node:output:1"  -> (node, 2nd of output's range in the operation's definition) -> slot 7
//!   control edges    -> order only, then forgotten
//! ```
//!
//! A worklist finds the functions, starting with the program's own, so recursion in the graph does
//! not recurse here. As in TensorFlow, a node that no result and no `control_ret` needs does not
//! run.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::sync::Arc;

use tfx_graphdef::{
    Registry, element,
    naming::{self, LOCATION_ATTRIBUTE},
    proto::{FunctionDef, GraphDef, NodeDef, OpDef, attr_value::Value, op_def::ArgDef},
};

use super::{
    Action, Body, MAIN, NativeFunction, Natives, NodeName, Operand, PrepareError, Program, Step,
    flatten::flatten,
    schedule::{Interaction, schedule},
};
use crate::{
    kernels::{self, Kernel},
    tensor::DType,
};

impl Program {
    /// Prepares the program of this name. Calls of functions with native code run that code.
    pub fn prepare(
        graph: &GraphDef,
        name: &str,
        natives: &dyn Natives,
    ) -> Result<Program, PrepareError> {
        let nodes: HashMap<&str, &NodeDef> = graph
            .node
            .iter()
            .map(|node| (node.name.as_str(), node))
            .collect();
        let call_name = naming::call_node(name);
        let Some(call) = nodes.get(call_name.as_str()) else {
            return Err(plain(format!(
                "the image has no program '{name}': node '{call_name}' is missing"
            )));
        };
        let (mut arguments, mut channels) = (0, Vec::new());
        let channel_prefix = naming::channel_node(name, "");
        for input in call.input.iter().filter(|input| !input.starts_with('^')) {
            let source = input.split(':').next().unwrap_or(input);
            match source.strip_prefix(&channel_prefix) {
                Some(id) => channels.push(
                    id.parse()
                        .map_err(|_| plain(format!("'{source}' names no channel")))?,
                ),
                None => arguments += 1,
            }
        }
        let mut results = Vec::new();
        while let Some(result) = nodes.get(naming::result_node(name, results.len()).as_str()) {
            results.push(result_position(result, &call_name)?);
        }
        let main = function_attribute(call, "f")?;
        let (library, bodies) = Library::prepare(graph, natives, call, &main)?;
        library.check_crossing(call, &results)?;
        let outputs = bodies[MAIN].results.len();
        if bodies[MAIN].parameters != arguments + channels.len()
            || results.iter().any(|&result| result >= outputs)
        {
            let message = format!("the call of '{main}' does not match the function");
            return Err(at(call, message));
        }
        Ok(Program {
            bodies,
            arguments,
            channels,
            results,
        })
    }

    /// Prepares a function of the library that has no channels as a program. Calls of functions
    /// with native code run that code.
    pub fn of_function(
        graph: &GraphDef,
        function: &str,
        natives: &dyn Natives,
    ) -> Result<Program, PrepareError> {
        let call = NodeDef::default();
        let (_, bodies) = Library::prepare(graph, natives, &call, function)?;
        let main = &bodies[MAIN];
        Ok(Program {
            arguments: main.parameters,
            channels: Vec::new(),
            results: (0..main.results.len()).collect(),
            bodies,
        })
    }
}

/// Returns the output of the call that a `P/result_i` node reads.
fn result_position(result: &NodeDef, call: &str) -> Result<usize, PrepareError> {
    let input = result.input.first().map_or("", String::as_str);
    let position = match input.strip_prefix(call) {
        Some("") => Some(0),
        Some(rest) => rest
            .strip_prefix(':')
            .and_then(|number| number.parse().ok()),
        None => None,
    };
    let message = || format!("'{}' is not a result of '{call}'", result.name);
    position.ok_or_else(|| at(result, message()))
}

/// An error without a location.
fn plain(message: String) -> PrepareError {
    PrepareError {
        location: None,
        message,
    }
}

/// An error at a node. The message names the node if it has a name but no source location.
fn at(node: &NodeDef, message: impl Display) -> PrepareError {
    let location = location(node);
    let message = match location.is_some() || node.name.is_empty() {
        true => message.to_string(),
        false => format!("{message} (node {})", node.name),
    };
    PrepareError { location, message }
}

/// Returns the source location of a node.
fn location(node: &NodeDef) -> Option<String> {
    match attribute(node, LOCATION_ATTRIBUTE)? {
        Value::S(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// Returns the function that an attribute of a node names.
fn function_attribute(node: &NodeDef, name: &str) -> Result<String, PrepareError> {
    match attribute(node, name) {
        Some(Value::Func(function)) => Ok(function.name.clone()),
        _ => Err(at(node, format!("{} has no function '{name}'", node.op))),
    }
}

fn attribute<'n>(node: &'n NodeDef, name: &str) -> Option<&'n Value> {
    node.attr.get(name)?.value.as_ref()
}

/// Returns the functions that a control flow node runs: the branch for a true condition before the
/// other one, a condition before its body; none for any other node.
///
/// # Errors
/// Returns the error for an attribute that does not name a function.
pub fn callees(node: &NodeDef) -> Result<Vec<String>, PrepareError> {
    let named = |names: &[&str]| {
        let names = names.iter();
        names.map(|name| function_attribute(node, name)).collect()
    };
    match node.op.as_str() {
        "PartitionedCall" | "StatefulPartitionedCall" => named(&["f"]),
        "If" | "StatelessIf" => named(&["then_branch", "else_branch"]),
        "While" | "StatelessWhile" => named(&["cond", "body"]),
        "Case" | "StatelessCase" => match attribute(node, "branches") {
            Some(Value::List(list)) => {
                let functions = list.func.iter();
                Ok(functions.map(|function| function.name.clone()).collect())
            }
            _ => Err(at(node, format!("{} has no branches", node.op))),
        },
        _ => Ok(Vec::new()),
    }
}

/// The functions of a graph, and those that the program uses.
struct Library<'a> {
    functions: HashMap<&'a str, &'a FunctionDef>,
    numbers: HashMap<String, usize>,
    found: Vec<&'a FunctionDef>,
    generators: usize,
    natives: &'a dyn Natives,
}

impl<'a> Library<'a> {
    fn new(graph: &'a GraphDef, natives: &'a dyn Natives) -> Self {
        let functions = graph.library.iter().flat_map(|library| &library.function);
        let named = |function: &'a FunctionDef| {
            Some((function.signature.as_ref()?.name.as_str(), function))
        };
        Library {
            functions: functions.filter_map(named).collect(),
            numbers: HashMap::new(),
            found: Vec::new(),
            generators: 0,
            natives,
        }
    }

    /// Prepares a function that `node` runs, and all that it runs.
    fn prepare(
        graph: &'a GraphDef,
        natives: &'a dyn Natives,
        node: &NodeDef,
        function: &str,
    ) -> Result<(Self, Vec<Body>), PrepareError> {
        let mut library = Library::new(graph, natives);
        library.number(node, function)?;
        let bodies = library.prepare_all()?;
        Ok((library, bodies))
    }

    /// Returns the native code that a call runs.
    fn native(&self, node: &NodeDef) -> Option<Arc<dyn NativeFunction>> {
        match node.op.as_str() {
            "PartitionedCall" | "StatefulPartitionedCall" => {
                self.natives.find(&function_attribute(node, "f").ok()?)
            }
            _ => None,
        }
    }

    /// Returns the number of a function that `node` runs, which is added at its first use.
    fn number(&mut self, node: &NodeDef, name: &str) -> Result<usize, PrepareError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let Some(function) = self.functions.get(name) else {
            return Err(at(node, format!("the image has no function '{name}'")));
        };
        self.found.push(function);
        self.numbers.insert(name.to_owned(), self.found.len() - 1);
        Ok(self.found.len() - 1)
    }

    /// Resolves functions until no more are found, then schedules all of them.
    fn prepare_all(&mut self) -> Result<Vec<Body>, PrepareError> {
        let mut resolved = Vec::new();
        while let Some(&function) = self.found.get(resolved.len()) {
            let resolution = Resolution::new(function)?;
            for &node in &resolution.live {
                let node = &function.node_def[node];
                for callee in callees(node)? {
                    self.number(node, &callee)?;
                }
            }
            resolved.push(resolution);
        }
        let interactions = self.interactions(&resolved)?;
        let bodies: Result<Vec<_>, _> = resolved
            .iter()
            .map(|resolution| self.body(resolution, &interactions))
            .collect();
        let mut bodies = flatten(bodies?);
        find_samples(&mut bodies);
        Ok(bodies)
    }

    /// Checks that the host can hold the arguments and results of the program. The message is that
    /// of the TensorFlow executor.
    fn check_crossing(&self, call: &NodeDef, results: &[usize]) -> Result<(), PrepareError> {
        let Some(signature) = self.found.first().and_then(|main| main.signature.as_ref()) else {
            return Ok(());
        };
        let outputs = results
            .iter()
            .filter_map(|&result| signature.output_arg.get(result));
        let arguments = signature.input_arg.iter().chain(outputs);
        arguments
            .map(|argument| argument.r#type)
            .try_for_each(|number| check_crosses(call, number))
    }

    /// Returns the interaction of each function with the host: that of its nodes, and of the
    /// functions that they run, to a fixed point.
    fn interactions(&self, resolved: &[Resolution<'_>]) -> Result<Vec<Interaction>, PrepareError> {
        let mut interactions = vec![Interaction::None; resolved.len()];
        let mut callers = vec![Vec::new(); resolved.len()];
        for (number, resolution) in resolved.iter().enumerate() {
            for node in resolution.nodes() {
                interactions[number] = interactions[number].max(own_interaction(node));
                for callee in callees(node)? {
                    callers[self.numbers[&callee]].push(number);
                }
            }
        }
        let mut work: Vec<usize> = (0..resolved.len()).collect();
        while let Some(callee) = work.pop() {
            for &caller in &callers[callee] {
                if interactions[caller] < interactions[callee] {
                    interactions[caller] = interactions[callee];
                    work.push(caller);
                }
            }
        }
        Ok(interactions)
    }

    /// Returns the steps of a function.
    fn body(
        &mut self,
        resolution: &Resolution<'_>,
        interactions: &[Interaction],
    ) -> Result<Body, PrepareError> {
        let mut node_interactions = Vec::new();
        for node in resolution.nodes() {
            let callees = callees(node)?;
            let through = callees
                .iter()
                .map(|callee| interactions[self.numbers[callee]])
                .max();
            node_interactions.push(own_interaction(node).max(through.unwrap_or_default()));
        }
        let order = schedule(&resolution.predecessors, &node_interactions).map_err(|position| {
            at(
                resolution.node(position),
                "the nodes of a function form a cycle",
            )
        })?;
        let mut assembly = Assembly::new(resolution);
        for position in order {
            let node = resolution.node(position);
            match node.op.as_str() {
                "NoOp" => {}
                "Const" => {
                    let value = kernels::constant(node).map_err(|error| at(node, error))?;
                    assembly.constant(position, value);
                }
                _ => assembly.step(position, self.action(node)?),
            }
        }
        Ok(assembly.finish())
    }

    fn action(&mut self, node: &NodeDef) -> Result<Action, PrepareError> {
        let mut bodies = Vec::new();
        for callee in callees(node)? {
            bodies.push(self.number(node, &callee)?);
        }
        if let (Some(code), &[body]) = (self.native(node), &bodies[..]) {
            return Ok(Action::Native { code, body });
        }
        Ok(match (node.op.as_str(), &bodies[..]) {
            ("QueueEnqueueV2", _) => {
                check_message(node, "Tcomponents")?;
                Action::Send
            }
            ("QueueDequeueV2", _) => {
                check_message(node, "component_types")?;
                Action::Receive
            }
            ("Case" | "StatelessCase", []) => return Err(at(node, "Case has no branches")),
            ("Case" | "StatelessCase", _) => Action::Case {
                branches: bodies.into(),
            },
            ("While" | "StatelessWhile", &[condition, body]) => Action::While { condition, body },
            (_, &[body]) => Action::Call { body },
            (_, &[then, otherwise]) => Action::If { then, otherwise },
            (operation, _) => match kernels::build(node).map_err(|error| at(node, error))? {
                Some(kernel @ Kernel::Random(..)) => {
                    self.generators += 1;
                    Action::Sample {
                        generator: self.generators - 1,
                        kernel,
                    }
                }
                Some(kernel) => Action::Compute(kernel),
                None => {
                    let message = format!(
                        "the embedded executor has no kernel for the operation {operation}; run the program with --executor tensorflow"
                    );
                    return Err(at(node, message));
                }
            },
        })
    }
}

/// Returns which functions draw random numbers: by themselves, or in a function that they run.
fn find_samples(bodies: &mut [Body]) {
    let mut callers = vec![Vec::new(); bodies.len()];
    let mut work = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        for step in &body.steps {
            let callees = step.action.bodies();
            callees.for_each(|callee| callers[callee].push(number));
            if matches!(step.action, Action::Sample { .. }) {
                work.push(number);
            }
        }
    }
    while let Some(number) = work.pop() {
        if !std::mem::replace(&mut bodies[number].samples, true) {
            work.extend(&callers[number]);
        }
    }
}

/// Returns an error at a node that exchanges lists with the host.
fn check_crosses(node: &NodeDef, number: i32) -> Result<(), PrepareError> {
    if DType::from_tensorflow(number) != Some(DType::Variant) {
        return Ok(());
    }
    let name = element::display_name(element::from_number(number));
    Err(at(
        node,
        format!("values of type {name} cannot cross to the host"),
    ))
}

/// Checks the element type of the message of a send or a receive.
fn check_message(node: &NodeDef, name: &str) -> Result<(), PrepareError> {
    match attribute(node, name) {
        Some(Value::List(list)) => {
            let mut numbers = list.r#type.iter();
            numbers.try_for_each(|&number| check_crosses(node, number))
        }
        _ => Ok(()),
    }
}

fn own_interaction(node: &NodeDef) -> Interaction {
    match node.op.as_str() {
        "QueueEnqueueV2" => Interaction::Sends,
        "QueueDequeueV2" => Interaction::Receives,
        _ => Interaction::None,
    }
}

/// The referent of an input: a parameter of the function, or an output of a live node.
#[derive(Clone, Copy)]
enum Source {
    Parameter(usize),
    Output { position: usize, output: usize },
}

/// A function with names replaced by numbers. A *position* is an index into `live`.
struct Resolution<'a> {
    function: &'a FunctionDef,
    parameters: usize,
    /// The nodes that run, in the order of the function.
    live: Vec<usize>,
    /// By position: the sources of its inputs, its number of outputs, its predecessors.
    inputs: Vec<Vec<Source>>,
    outputs: Vec<usize>,
    predecessors: Vec<Vec<usize>>,
    results: Vec<Source>,
}

impl<'a> Resolution<'a> {
    fn node(&self, position: usize) -> &'a NodeDef {
        &self.function.node_def[self.live[position]]
    }

    fn nodes(&self) -> impl Iterator<Item = &'a NodeDef> {
        self.live.iter().map(|&node| &self.function.node_def[node])
    }

    fn new(function: &'a FunctionDef) -> Result<Self, PrepareError> {
        let names = Names::new(function)?;
        let signature = names.signature;
        let lost = |output: &ArgDef| {
            plain(format!(
                "result '{}' of function '{}' has no definition",
                output.name, signature.name
            ))
        };
        let mut results = Vec::new();
        for output in &signature.output_arg {
            let source = function
                .ret
                .get(&output.name)
                .and_then(|text| names.source(text));
            results.push(source.ok_or_else(|| lost(output))?);
        }
        let live = names.live(&results)?;
        let positions: HashMap<usize, usize> = live
            .iter()
            .enumerate()
            .map(|(position, &node)| (node, position))
            .collect();
        let renumber = |source: Source| match source {
            Source::Output {
                position: node,
                output,
            } => Source::Output {
                position: positions[&node],
                output,
            },
            parameter => parameter,
        };
        let mut resolution = Resolution {
            function,
            parameters: signature.input_arg.len(),
            inputs: Vec::new(),
            outputs: live
                .iter()
                .map(|&node| {
                    names.ranges[node]
                        .values()
                        .map(|range| range.end)
                        .max()
                        .unwrap_or(0)
                })
                .collect(),
            predecessors: Vec::new(),
            results: results.into_iter().map(renumber).collect(),
            live: Vec::new(),
        };
        for &node in &live {
            let (data, control) = names.inputs(node)?;
            let mut before: Vec<usize> = control.iter().map(|node| positions[node]).collect();
            let data: Vec<Source> = data.into_iter().map(renumber).collect();
            before.extend(data.iter().filter_map(|source| match source {
                Source::Output { position, .. } => Some(*position),
                Source::Parameter(_) => None,
            }));
            before.sort_unstable();
            before.dedup();
            resolution.inputs.push(data);
            resolution.predecessors.push(before);
        }
        resolution.live = live;
        Ok(resolution)
    }
}

/// The names of a function.
struct Names<'a> {
    function: &'a FunctionDef,
    signature: &'a OpDef,
    parameters: HashMap<&'a str, usize>,
    nodes: HashMap<&'a str, usize>,
    /// By node: each output of its operation, with the positions that it covers.
    ranges: Vec<BTreeMap<&'a str, std::ops::Range<usize>>>,
}

impl<'a> Names<'a> {
    fn new(function: &'a FunctionDef) -> Result<Self, PrepareError> {
        let Some(signature) = function.signature.as_ref() else {
            return Err(plain("a function of the image has no signature".into()));
        };
        let parameters = signature
            .input_arg
            .iter()
            .enumerate()
            .map(|(number, argument)| (argument.name.as_str(), number));
        let nodes = function
            .node_def
            .iter()
            .enumerate()
            .map(|(number, node)| (node.name.as_str(), number));
        let ranges = function
            .node_def
            .iter()
            .map(output_ranges)
            .collect::<Result<_, _>>()?;
        Ok(Names {
            function,
            signature,
            parameters: parameters.collect(),
            nodes: nodes.collect(),
            ranges,
        })
    }

    /// Returns the referent of `argument`, `node:output:index` or `node:output`; nodes have their
    /// number in the function.
    fn source(&self, text: &str) -> Option<Source> {
        let mut parts = text.split(':');
        let name = parts.next()?;
        if let Some(&number) = self.parameters.get(name) {
            return Some(Source::Parameter(number));
        }
        let &node = self.nodes.get(name)?;
        let range = self.ranges[node].get(parts.next()?)?;
        let index: usize = parts.next().map_or(Some(0), |index| index.parse().ok())?;
        (index < range.len()).then_some(Source::Output {
            position: node,
            output: range.start + index,
        })
    }

    /// Returns the data inputs of a node, and the nodes of its control inputs.
    fn inputs(&self, node: usize) -> Result<(Vec<Source>, Vec<usize>), PrepareError> {
        let (mut data, mut control) = (Vec::new(), Vec::new());
        let definition = &self.function.node_def[node];
        for input in &definition.input {
            let unknown = || at(definition, format!("input '{input}' has no definition"));
            match input.strip_prefix('^') {
                // A control edge from a parameter orders nothing: parameters are available from the
                // start.
                Some(name) if self.parameters.contains_key(name) => {}
                Some(name) => control.push(*self.nodes.get(name).ok_or_else(unknown)?),
                None => data.push(self.source(input).ok_or_else(unknown)?),
            }
        }
        Ok((data, control))
    }

    /// Returns the nodes that the results and `control_ret` need, in the order of the function.
    fn live(&self, results: &[Source]) -> Result<Vec<usize>, PrepareError> {
        let mut live = vec![false; self.function.node_def.len()];
        let mut work: Vec<usize> = results.iter().filter_map(node_of).collect();
        for name in self.function.control_ret.values() {
            let Some(&node) = self.nodes.get(name.as_str()) else {
                return Err(plain(format!(
                    "function '{}' keeps a node '{name}' that it does not have",
                    self.signature.name
                )));
            };
            work.push(node);
        }
        while let Some(node) = work.pop() {
            if std::mem::replace(&mut live[node], true) {
                continue;
            }
            let (data, control) = self.inputs(node)?;
            work.extend(data.iter().filter_map(node_of));
            work.extend(control);
        }
        Ok((0..live.len()).filter(|&node| live[node]).collect())
    }
}

fn node_of(source: &Source) -> Option<usize> {
    match source {
        Source::Output { position: node, .. } => Some(*node),
        Source::Parameter(_) => None,
    }
}

/// Returns the outputs of a node by the names of its operation's definition.
fn output_ranges(
    node: &NodeDef,
) -> Result<BTreeMap<&'static str, std::ops::Range<usize>>, PrepareError> {
    let Some(definition) = Registry::get().lookup(&node.op) else {
        return Err(at(node, format!("TensorFlow has no operation {}", node.op)));
    };
    let mut ranges = BTreeMap::new();
    let mut start = 0;
    for output in &definition.output_arg {
        let end = start + output_length(node, output);
        ranges.insert(output.name.as_str(), start..end);
        start = end;
    }
    Ok(ranges)
}

/// Returns the number of tensors of an output of an operation.
fn output_length(node: &NodeDef, output: &ArgDef) -> usize {
    let attribute = |name: &str| node.attr.get(name).and_then(|value| value.value.as_ref());
    if !output.number_attr.is_empty() {
        return match attribute(&output.number_attr) {
            Some(Value::I(number)) => usize::try_from(*number).unwrap_or(0),
            _ => 0,
        };
    }
    if !output.type_list_attr.is_empty() {
        return match attribute(&output.type_list_attr) {
            Some(Value::List(list)) => list.r#type.len(),
            _ => 0,
        };
    }
    1
}

/// The steps under construction: assigns slots to outputs, then marks last uses backwards.
struct Assembly<'r, 'a> {
    resolution: &'r Resolution<'a>,
    /// By position: the slot of each of its outputs.
    places: Vec<Vec<Operand>>,
    body: Body,
}

impl<'r, 'a> Assembly<'r, 'a> {
    fn new(resolution: &'r Resolution<'a>) -> Self {
        let body = Body {
            parameters: resolution.parameters,
            slots: resolution.parameters,
            ..Body::default()
        };
        Assembly {
            resolution,
            places: vec![Vec::new(); resolution.live.len()],
            body,
        }
    }

    fn operand(&self, source: &Source) -> Operand {
        match *source {
            Source::Parameter(slot) => Operand::Slot { slot, last: false },
            Source::Output { position, output } => self.places[position][output],
        }
    }

    fn constant(&mut self, position: usize, value: crate::Tensor) {
        self.places[position].push(Operand::Constant(self.body.constants.len()));
        self.body.constants.push(value);
    }

    fn step(&mut self, position: usize, action: Action) {
        let node = self.resolution.node(position);
        let inputs = self.resolution.inputs[position]
            .iter()
            .map(|source| self.operand(source))
            .collect();
        let first = self.body.slots;
        self.body.slots += self.resolution.outputs[position];
        self.places[position] = (first..self.body.slots)
            .map(|slot| Operand::Slot { slot, last: false })
            .collect();
        self.body.steps.push(Step {
            action,
            inputs,
            outputs: (first..self.body.slots).map(Some).collect(),
            rank: position as u32,
            node: Arc::new(NodeName {
                name: node.name.clone(),
                operation: node.op.clone(),
                location: location(node),
            }),
        });
    }

    fn finish(mut self) -> Body {
        self.body.results = self
            .resolution
            .results
            .iter()
            .map(|source| self.operand(source))
            .collect();
        let mut read = vec![false; self.body.slots];
        mark(&mut self.body.results, &mut read);
        for step in self.body.steps.iter_mut().rev() {
            for output in &mut step.outputs {
                *output = output.filter(|&slot| read[slot]);
            }
            mark(&mut step.inputs, &mut read);
        }
        self.body
    }
}

/// Marks the operands that are read for the last time; of several uses in one step, the rightmost.
fn mark(operands: &mut [Operand], read: &mut [bool]) {
    for operand in operands.iter_mut().rev() {
        if let Operand::Slot { slot, last } = operand {
            *last = !std::mem::replace(&mut read[*slot], true);
        }
    }
}
