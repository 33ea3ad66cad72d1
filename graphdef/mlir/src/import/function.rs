//! Nodes as operations, one block at a time.
//!
//! A value of a node has a different name outside of functions (`node:1` is its second result) and inside (`node:y:1` is the second of its output `y`).

use std::collections::{BTreeMap, HashMap, HashSet};
use tfx_dialects::tensor;

use melior::Context;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type};
use tfx_graphdef::naming::{CANCELLABLE_ATTRIBUTE, LOCATION_ATTRIBUTE, LOWER_ATTRIBUTE};
use tfx_graphdef::proto::attr_value::Value as Kind;
use tfx_graphdef::proto::{
    AttrValue, FunctionDef, NodeDef, OpDef, TensorShapeProto, op_def::ArgDef,
};
use tfx_graphdef::resolve::{Computed, UNKNOWN};
use tfx_graphdef::{DataType, Registry, Resolved, Use, element, resolve};
use tfx_ir::{Block, Builder, Op, Value, diag};

use super::ImportError;
use super::attributes::attribute;
use super::order::source_of;
use super::tensors::constant;
use crate::effects::{Effect, MAY_NOT_END, own_effect};
use crate::operations::{DEVICE_ATTRIBUTE, NAME_ATTRIBUTE, OP};
use crate::types::tensor_of;

/// The shapes of the results of a node, as TensorFlow writes them for the reader.
const OUTPUT_SHAPES: &str = "_output_shapes";
/// Which nodes share a device with which, by names that may be others later.
const COLOCATION: &str = "_class";

/// What all functions of a file share.
pub(super) struct Scope<'g, 'a> {
    pub(super) context: &'a Context,
    library: &'g HashMap<&'g str, &'g FunctionDef>,
    /// The graphs that functions of the library have become.
    graphs: HashMap<String, Made<'a>>,
}

/// A function of the library as a graph.
#[derive(Clone, Copy)]
struct Made<'a> {
    graph: Op<'a>,
    /// Whether nothing in it has state.
    is_pure: bool,
}

impl<'g, 'a> Scope<'g, 'a> {
    pub(super) fn new(
        context: &'a Context,
        library: &'g HashMap<&'g str, &'g FunctionDef>,
    ) -> Self {
        Self {
            context,
            library,
            graphs: HashMap::new(),
        }
    }

    pub(super) fn made(&mut self, function: &str, graph: Op<'a>) {
        let is_pure = graph.walk().all(|op| own_effect(op) == Effect::Pure);
        let made = Made { graph, is_pure };
        self.graphs.insert(function.to_owned(), made);
    }

    /// The type of a tensor.
    fn tensor(
        &self,
        data_type: DataType,
        shape: Option<&TensorShapeProto>,
    ) -> Result<Type<'a>, String> {
        let element = element_type(self.context, data_type)?;
        let sizes = shape.filter(|shape| !shape.unknown_rank).map(|shape| {
            let sizes = shape.dim.iter();
            sizes
                .map(|dim| u64::try_from(dim.size).ok())
                .collect::<Vec<_>>()
        });
        Ok(tensor_of(self.context, sizes.as_deref(), element))
    }

    /// What a placeholder outside of functions is fed with.
    pub(super) fn placeholder_type(&self, node: &NodeDef) -> Result<Type<'a>, ImportError> {
        let data_type = match value_of(&node.attr, "dtype") {
            Some(Kind::Type(number)) => element::from_number(*number),
            _ => return Err(ImportError::at(node, None, "it has no attribute 'dtype'")),
        };
        let shape = match value_of(&node.attr, "shape") {
            // Older files say "rank 0" where they do not know the shape.
            Some(Kind::Shape(shape)) if !shape.dim.is_empty() => Some(shape.clone()),
            Some(Kind::Shape(shape)) => output_shape(&node.attr, 0).or(Some(shape.clone())),
            _ => output_shape(&node.attr, 0),
        };
        self.tensor(data_type, shape.as_ref())
            .map_err(|reason| ImportError::at(node, None, reason))
    }
}

/// An element type, or why there is none.
pub(super) fn element_type(context: &Context, data_type: DataType) -> Result<Type<'_>, String> {
    let name = element::to_mlir(data_type).ok_or_else(|| {
        format!(
            "MLIR has no element type for {}",
            element::display_name(data_type)
        )
    })?;
    Ok(Type::parse(context, name).expect("the table has types that MLIR reads"))
}

/// The value of an attribute, if it is there.
fn value_of<'n>(attributes: &'n BTreeMap<String, AttrValue>, name: &str) -> Option<&'n Kind> {
    attributes.get(name)?.value.as_ref()
}

/// A shape of the list in `_output_shapes`, if there is one.
fn output_shape(
    attributes: &BTreeMap<String, AttrValue>,
    index: usize,
) -> Option<TensorShapeProto> {
    shape_of_list(attributes, OUTPUT_SHAPES, index)
}

fn shape_of_list(
    attributes: &BTreeMap<String, AttrValue>,
    name: &str,
    index: usize,
) -> Option<TensorShapeProto> {
    match value_of(attributes, name)? {
        Kind::List(list) => list.shape.get(index).cloned(),
        _ => None,
    }
}

/// The parameters of a function: names and types.
pub(super) fn parameters<'a>(
    scope: &Scope<'_, 'a>,
    function: &FunctionDef,
) -> Result<Vec<(String, Type<'a>)>, ImportError> {
    let signature = function.signature.as_ref();
    let name = signature.map_or("", |signature| &signature.name);
    let mut parameters = Vec::new();
    let inputs = signature
        .into_iter()
        .flat_map(|signature| &signature.input_arg);
    for (index, argument) in inputs.enumerate() {
        let refused = |reason: &str| {
            ImportError(format!(
                "parameter '{}' of function '{name}': {reason}",
                argument.name
            ))
        };
        let data_type = element::from_number(argument.r#type);
        if data_type == DataType::DtInvalid {
            return Err(refused(
                "its type is a parameter itself, or it is a list; only functions of fixed types can be imported, such as tf.function makes",
            ));
        }
        let shape = function
            .arg_attr
            .get(&(index as u32))
            .and_then(|attributes| output_shape(&attributes.attr, 0));
        let ty = scope
            .tensor(data_type, shape.as_ref())
            .map_err(|reason| refused(&reason))?;
        parameters.push((argument.name.clone(), ty));
    }
    Ok(parameters)
}

/// What a function returns, in the order of its signature.
pub(super) fn results<'a>(
    body: &Body<'_, '_, 'a>,
    function: &FunctionDef,
) -> Result<Vec<Value<'a>>, ImportError> {
    let outputs = function
        .signature
        .iter()
        .flat_map(|signature| &signature.output_arg);
    let result = |output: &ArgDef| {
        let missing = || {
            let name = body.function.unwrap_or_default();
            ImportError(format!(
                "result '{}' of function '{name}' comes from nowhere",
                output.name
            ))
        };
        let reference = function.ret.get(&output.name).ok_or_else(missing)?;
        body.find(reference).ok_or_else(missing)
    };
    outputs.map(result).collect()
}

/// What is known of a node that was imported.
struct Defined<'a> {
    values: Vec<Value<'a>>,
    /// Where the values of each output start, by name; empty for a parameter.
    outputs: Vec<(String, usize)>,
}

/// A block that nodes are added to.
pub(super) struct Body<'s, 'g, 'a> {
    scope: &'s Scope<'g, 'a>,
    builder: Builder<'a>,
    /// The function that it is the body of.
    function: Option<&'s str>,
    defined: HashMap<String, Defined<'a>>,
    /// The values that nodes have taken.
    used: HashSet<Value<'a>>,
}

impl<'s, 'g, 'a> Body<'s, 'g, 'a> {
    pub(super) fn of_graph(scope: &'s Scope<'g, 'a>, block: Block<'a>) -> Self {
        Self {
            scope,
            builder: Builder::at_end(block, Location::unknown(scope.context)),
            function: None,
            defined: HashMap::new(),
            used: HashSet::new(),
        }
    }

    pub(super) fn of_function(
        scope: &'s Scope<'g, 'a>,
        block: Block<'a>,
        function: &'s str,
    ) -> Self {
        Self {
            function: Some(function),
            ..Self::of_graph(scope, block)
        }
    }

    /// Gives its value to a parameter.
    pub(super) fn parameter(&mut self, name: &str, value: Value<'a>) {
        self.define(name, vec![value], Vec::new());
    }

    fn define(&mut self, name: &str, values: Vec<Value<'a>>, outputs: Vec<(String, usize)>) {
        self.defined
            .insert(name.to_owned(), Defined { values, outputs });
    }

    /// A value by its name; `None` if there is none of that name.
    fn find(&self, reference: &str) -> Option<Value<'a>> {
        let mut parts = reference.split(':');
        let defined = self.defined.get(parts.next()?)?;
        let (first, second) = (parts.next(), parts.next());
        let index = match (first, second) {
            (None, _) => 0,
            (Some(index), None) => match index.parse::<usize>() {
                Ok(index) => index,
                Err(_) => start_of(defined, index)?,
            },
            (Some(output), Some(index)) => {
                start_of(defined, output)? + index.parse::<usize>().ok()?
            }
        };
        defined.values.get(index).copied()
    }

    /// A result that was asked for.
    pub(super) fn output(&self, reference: &str) -> Result<Value<'a>, ImportError> {
        self.find(reference).ok_or_else(|| {
            ImportError(format!(
                "there is no value '{reference}' that could be an output"
            ))
        })
    }

    /// The values of a node of which no node has taken any, and what they are called.
    pub(super) fn unused_outputs(&self, node: &NodeDef) -> Vec<(String, Value<'a>)> {
        let Some(defined) = self.defined.get(&node.name) else {
            return Vec::new();
        };
        if defined.values.iter().any(|value| self.used.contains(value)) {
            return Vec::new();
        }
        let values = defined.values.iter().enumerate();
        let name = |index| match index {
            0 => node.name.clone(),
            _ => format!("{}:{index}", node.name),
        };
        values.map(|(index, value)| (name(index), *value)).collect()
    }

    /// Adds a node.
    pub(super) fn node(&mut self, node: &NodeDef) -> Result<(), ImportError> {
        self.add(node)
            .map_err(|reason| ImportError::at(node, self.function, reason))
    }

    fn add(&mut self, node: &NodeDef) -> Result<(), String> {
        let operands = self.operands(node)?;
        self.used.extend(operands.iter().copied());
        self.builder
            .set_location(location(self.scope.context, node));
        if self.scope.library.contains_key(node.op.as_str()) {
            let values = self.call(&node.op, &operands, false)?;
            let outputs = function_outputs(self.scope.library[node.op.as_str()]);
            self.define(&node.name, values, outputs);
            return Ok(());
        }
        let definition = Registry::get().lookup(&node.op).ok_or_else(|| {
            format!(
                "'{}' is no operation that this version of TensorFlow has",
                node.op
            )
        })?;
        let resolved = resolve_node(node, definition, &operands)?;
        let outputs: Vec<_> = definition
            .output_arg
            .iter()
            .zip(&resolved.result_arguments)
            .map(|(output, range)| (output.name.clone(), range.start))
            .collect();
        let values = match node.op.as_str() {
            "NoOp" => Vec::new(),
            "Const" => vec![self.constant(node)?],
            "PartitionedCall" | "StatefulPartitionedCall" => {
                let callee = function_attribute(node, "f")?;
                self.call(&callee, &operands, node.op == "PartitionedCall")?
            }
            "If" | "StatelessIf" if self.is_condition(operands[0], 1) => {
                self.branch(node, &resolved, &operands, tensor::If::NAME)?
            }
            "Case" | "StatelessCase" if self.is_condition(operands[0], 32) => {
                self.branch(node, &resolved, &operands, tensor::Case::NAME)?
            }
            "While" | "StatelessWhile" if self.gives_boolean(node)? => {
                self.repeat(node, &resolved, &operands)?
            }
            _ => self.operation(node, definition, &resolved, &operands)?,
        };
        self.define(&node.name, values, outputs);
        Ok(())
    }

    fn operands(&self, node: &NodeDef) -> Result<Vec<Value<'a>>, String> {
        let data = node.input.iter().filter(|input| !input.starts_with('^'));
        let operand = |input: &String| {
            self.find(input).ok_or_else(|| {
                format!(
                    "its input '{input}' is of '{}', which is not there or has no such result",
                    source_of(input)
                )
            })
        };
        data.map(operand).collect()
    }

    fn constant(&mut self, node: &NodeDef) -> Result<Value<'a>, String> {
        let value = value_of(&node.attr, "value");
        let Some(Kind::Tensor(tensor)) = value else {
            return Err("it has no attribute 'value' that is a tensor".to_owned());
        };
        let (value, ty) = constant(self.scope.context, tensor)?;
        Ok(tensor::Const::build(&mut self.builder, ty, value.into()).result())
    }

    fn call(
        &mut self,
        function: &str,
        operands: &[Value<'a>],
        is_stateless: bool,
    ) -> Result<Vec<Value<'a>>, String> {
        let Made { graph, is_pure } = self.scope.graphs[function];
        let (inputs, results) = graph.signature();
        if inputs.len() != operands.len() {
            return Err(format!(
                "it gives {} values to function '{function}', which takes {}",
                operands.len(),
                inputs.len()
            ));
        }
        let call = tensor::Call::build(&mut self.builder, &results, function, operands);
        call.set_pure(is_stateless && is_pure);
        Ok(call.results().collect())
    }

    /// Whether a conditional with this condition is one of our own: an integer of so many bits and rank 0.
    fn is_condition(&self, condition: Value<'a>, bits: u32) -> bool {
        let element = IntegerType::new(self.scope.context, bits).into();
        condition.ty() == tensor_of(self.scope.context, Some(&[]), element)
    }

    /// Whether the condition of a loop gives a boolean.
    fn gives_boolean(&self, node: &NodeDef) -> Result<bool, String> {
        let cond = self.scope.graphs[function_attribute(node, "cond")?.as_str()];
        let (_, results) = cond.graph.signature();
        let boolean = |ty: &Type<'a>| crate::types::data_type(*ty) == Some(DataType::DtBool);
        Ok(matches!(results.as_slice(), [one] if boolean(one)))
    }

    /// `If` and `Case`: each region calls its function with what the node was given.
    fn branch(
        &mut self,
        node: &NodeDef,
        resolved: &Resolved,
        operands: &[Value<'a>],
        name: &str,
    ) -> Result<Vec<Value<'a>>, String> {
        let functions = match name {
            tensor::If::NAME => vec![
                function_attribute(node, "then_branch")?,
                function_attribute(node, "else_branch")?,
            ],
            _ => function_list(node, "branches")?,
        };
        let types = self.result_types(node, resolved)?;
        let op = self
            .builder
            .op(name)
            .operand(operands[0])
            .results(&types)
            .regions(functions.len())
            .build();
        for (index, function) in functions.iter().enumerate() {
            self.region(op, index, function, &[], &operands[1..])?;
        }
        Ok(op.results().collect())
    }

    /// `While`: both regions take what the loop carries.
    fn repeat(
        &mut self,
        node: &NodeDef,
        resolved: &Resolved,
        operands: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, String> {
        let types = self.result_types(node, resolved)?;
        let op = tensor::While::build(&mut self.builder, &types, operands).op();
        if node.attr.contains_key(CANCELLABLE_ATTRIBUTE) {
            op.set_attribute(MAY_NOT_END, Attribute::unit(op.context()));
        }
        for (index, role) in ["cond", "body"].into_iter().enumerate() {
            self.region(op, index, &function_attribute(node, role)?, &types, &[])?;
        }
        Ok(op.results().collect())
    }

    /// Fills a region: a call of a function with the region's own arguments, or with values from outside.
    fn region(
        &mut self,
        op: Op<'a>,
        index: usize,
        function: &str,
        arguments: &[Type<'a>],
        outside: &[Value<'a>],
    ) -> Result<(), String> {
        let location = op.location();
        let arguments: Vec<_> = arguments.iter().map(|ty| (*ty, location)).collect();
        let block = op.region(index).add_block(&arguments);
        let operands: Vec<_> = block.arguments().chain(outside.iter().copied()).collect();
        let before = std::mem::replace(&mut self.builder, Builder::at_end(block, location));
        let results = self.call(function, &operands, true)?;
        tensor::Yield::build(&mut self.builder, &results);
        self.builder = before;
        Ok(())
    }

    /// Any other operation.
    fn operation(
        &mut self,
        node: &NodeDef,
        definition: &OpDef,
        resolved: &Resolved,
        operands: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, String> {
        if node.attr.contains_key(COLOCATION) {
            diag::warning(
                self.builder.location(),
                format!(
                    "node '{}' asks to be on the device of another node, which is not kept; give both a device",
                    node.name
                ),
            )
            .emit();
        }
        let types = self.result_types(node, resolved)?;
        let mut operation = self
            .builder
            .op(OP)
            .string(NAME_ATTRIBUTE, &node.op)
            .operands(operands)
            .results(&types);
        if !node.device.is_empty() {
            operation = operation.string(DEVICE_ATTRIBUTE, &node.device);
        }
        for (name, value) in worth_writing(node, definition, resolved) {
            let written = attribute(self.scope.context, value)
                .map_err(|reason| format!("attribute '{name}': {reason}"))?;
            operation = operation.attribute(name, written);
        }
        Ok(operation.build().results().collect())
    }

    /// The types of a node's results: the shapes are those that it has itself, or that were written for the reader.
    fn result_types(&self, node: &NodeDef, resolved: &Resolved) -> Result<Vec<Type<'a>>, String> {
        let results = resolved.results.iter().enumerate();
        results
            .map(|(index, data_type)| {
                let shape = output_shape(&node.attr, index)
                    .or_else(|| shape_of_list(&node.attr, "output_shapes", index));
                self.scope.tensor(*data_type, shape.as_ref())
            })
            .collect()
    }
}

/// Where the values of an output start.
fn start_of(defined: &Defined<'_>, output: &str) -> Option<usize> {
    let (_, start) = defined.outputs.iter().find(|(name, _)| name == output)?;
    Some(*start)
}

fn function_outputs(function: &FunctionDef) -> Vec<(String, usize)> {
    let outputs = function
        .signature
        .iter()
        .flat_map(|signature| &signature.output_arg);
    outputs
        .enumerate()
        .map(|(index, output)| (output.name.clone(), index))
        .collect()
}

fn function_attribute(node: &NodeDef, name: &str) -> Result<String, String> {
    match value_of(&node.attr, name) {
        Some(Kind::Func(function)) => Ok(function.name.clone()),
        _ => Err(format!("it has no attribute '{name}' that is a function")),
    }
}

fn function_list(node: &NodeDef, name: &str) -> Result<Vec<String>, String> {
    match value_of(&node.attr, name) {
        Some(Kind::List(list)) if !list.func.is_empty() => Ok(list
            .func
            .iter()
            .map(|function| function.name.clone())
            .collect()),
        _ => Err(format!("it has no attribute '{name}' that lists functions")),
    }
}

/// The place in a source file where the node was made, if it was exported by tfx, with its name; or its name alone.
fn location<'c>(context: &'c Context, node: &NodeDef) -> Location<'c> {
    let place = match value_of(&node.attr, LOCATION_ATTRIBUTE) {
        Some(Kind::S(text)) => std::str::from_utf8(text).ok(),
        _ => None,
    };
    let place = place.and_then(|place| {
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some(Location::new(
            context,
            file,
            line.parse().ok()?,
            column.parse().ok()?,
        ))
    });
    let place = place.unwrap_or_else(|| Location::unknown(context));
    Location::name(context, &node.name, place)
}

/// A node with all attributes, those that it leaves out included.
fn resolve_node(
    node: &NodeDef,
    definition: &OpDef,
    operands: &[Value<'_>],
) -> Result<Resolved, String> {
    let operands: Vec<_> = operands
        .iter()
        .map(|value| crate::types::data_type(value.ty()).unwrap_or(UNKNOWN))
        .collect();
    let results = vec![UNKNOWN; number_of_results(node, definition)];
    let attributes = node.attr.iter().filter(|(name, _)| !name.starts_with('_'));
    let attributes = attributes
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    resolve(&Use {
        operation: &node.op,
        operands: &operands,
        results: &results,
        attributes: &attributes,
        computed: &Computed::new(),
    })
    .map_err(|error| error.to_string())
}

/// How many values a node gives: attributes that it has, or their defaults, say how long its lists are.
fn number_of_results(node: &NodeDef, definition: &OpDef) -> usize {
    let value = |name: &str| {
        let known = definition.attr.iter().find(|known| known.name == name);
        let default = || known.and_then(|known| known.default_value.as_ref());
        node.attr.get(name).or_else(default)?.value.as_ref()
    };
    let length = |output: &ArgDef| {
        if !output.number_attr.is_empty() {
            match value(&output.number_attr) {
                Some(Kind::I(number)) => usize::try_from(*number).unwrap_or(0),
                _ => 0,
            }
        } else if !output.type_list_attr.is_empty() {
            match value(&output.type_list_attr) {
                Some(Kind::List(list)) => list.r#type.len(),
                _ => 0,
            }
        } else {
            1
        }
    };
    definition.output_arg.iter().map(length).sum()
}

/// The attributes that say something: neither what follows from the types nor what is the default anyway.
fn worth_writing<'n>(
    node: &'n NodeDef,
    definition: &OpDef,
    resolved: &Resolved,
) -> Vec<(&'n str, &'n AttrValue)> {
    let follows: HashSet<&str> = definition
        .input_arg
        .iter()
        .chain(&definition.output_arg)
        .flat_map(|argument| {
            [
                &argument.type_attr,
                &argument.number_attr,
                &argument.type_list_attr,
            ]
        })
        .map(String::as_str)
        .collect();
    let is_default = |name: &str, value: &AttrValue| {
        let known = definition.attr.iter().find(|known| known.name == name);
        known.is_some_and(|known| known.default_value.as_ref() == Some(value))
    };
    let is_ours = |name: &str| {
        [
            LOCATION_ATTRIBUTE,
            LOWER_ATTRIBUTE,
            OUTPUT_SHAPES,
            COLOCATION,
        ]
        .contains(&name)
    };
    let all = || node.attr.iter().map(|(name, value)| (name.as_str(), value));
    let kept: Vec<_> = all()
        .filter(|(name, value)| {
            !follows.contains(name) && !is_default(name, value) && !is_ours(name)
        })
        .collect();
    let again = resolve(&Use {
        operation: &node.op,
        operands: &resolved.operands,
        results: &resolved.results,
        attributes: &kept
            .iter()
            .filter(|(name, _)| !name.starts_with('_'))
            .map(|(name, value)| ((*name).to_owned(), (*value).clone()))
            .collect(),
        computed: &Computed::new(),
    });
    match again {
        Ok(again) if again.attributes == resolved.attributes => kept,
        // An empty list has no elements that its type could be known by.
        _ => all().filter(|(name, _)| !is_ours(name)).collect(),
    }
}

/// A symbol, for the attribute of an operation.
pub(super) fn symbol<'c>(context: &'c Context, function: &str) -> Attribute<'c> {
    FlatSymbolRefAttribute::new(context, function).into()
}
