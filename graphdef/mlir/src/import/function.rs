//! Import of nodes as operations, one block at a time.
//!
//! References to the values of a node differ outside of functions (`node:1` is the second result)
//! and inside of functions (`node:y:1` is the second value of the output `y`).

use std::collections::{BTreeMap, HashMap, HashSet};

use melior::Context;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type};
use tfx_dialects::tensor;
use tfx_graphdef::naming::{CANCELLABLE_ATTRIBUTE, LOCATION_ATTRIBUTE, LOWER_ATTRIBUTE};
use tfx_graphdef::proto::attr_value::Value as Kind;
use tfx_graphdef::proto::{
    AttrValue, FunctionDef, NodeDef, OpDef, TensorShapeProto, op_def::ArgDef,
};
use tfx_graphdef::resolve::{Computed, UNKNOWN};
use tfx_graphdef::{DataType, OperationError, Registry, Resolved, Use, element, resolve};
use tfx_ir::{Block, Builder, Region, Value, diag};

use super::attributes::attribute;
use super::error::{ImportError, NodeError};
use super::order::source_of;
use super::tensors::{constant, element_type};
use crate::effects::{Effect, MAY_NOT_END, own_effect};
use crate::types::{self, tensor_of};

/// The attribute with the shapes of the results of a node.
const OUTPUT_SHAPES: &str = "_output_shapes";
/// The attribute with the nodes that share a device. Its names may change later.
const COLOCATION: &str = "_class";

/// The context of all functions of a file.
pub(super) struct Scope<'g, 'a> {
    pub(super) context: &'a Context,
    library: &'g HashMap<&'g str, &'g FunctionDef>,
    /// The imported functions of the library.
    graphs: HashMap<String, Imported<'a>>,
}

/// An imported function of the library.
#[derive(Clone, Copy)]
struct Imported<'a> {
    graph: tensor::Graph<'a>,
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

    /// Adds an imported function.
    pub(super) fn add(&mut self, function: &str, graph: tensor::Graph<'a>) {
        let is_pure = graph.walk().all(|op| own_effect(op) == Effect::Pure);
        let imported = Imported { graph, is_pure };
        self.graphs.insert(function.to_owned(), imported);
    }

    fn tensor_type(
        &self,
        data_type: DataType,
        shape: Option<&TensorShapeProto>,
    ) -> Result<Type<'a>, NodeError> {
        let element = element_type(self.context, data_type)?;
        let sizes = shape.filter(|shape| !shape.unknown_rank).map(|shape| {
            let sizes = shape.dim.iter().map(|dim| u64::try_from(dim.size).ok());
            sizes.collect::<Vec<_>>()
        });
        Ok(tensor_of(self.context, sizes.as_deref(), element))
    }

    /// Returns the type of a placeholder outside of functions.
    pub(super) fn placeholder_type(&self, node: &NodeDef) -> Result<Type<'a>, ImportError> {
        let at_node = |reason| ImportError::at(node, None, reason);
        let data_type = match value_of(&node.attr, "dtype") {
            Some(Kind::Type(number)) => element::from_number(*number),
            _ => return Err(at_node(NodeError::NoAttribute("dtype"))),
        };
        let output = output_shape(&node.attr, 0);
        let shape = match value_of(&node.attr, "shape") {
            // In older files, rank 0 stands for an unknown shape.
            Some(Kind::Shape(shape)) if shape.dim.is_empty() => output.or(Some(shape)),
            Some(Kind::Shape(shape)) => Some(shape),
            _ => output,
        };
        self.tensor_type(data_type, shape).map_err(at_node)
    }
}

/// Returns the value of an attribute.
fn value_of<'n>(attributes: &'n BTreeMap<String, AttrValue>, name: &str) -> Option<&'n Kind> {
    attributes.get(name)?.value.as_ref()
}

/// Returns the shape of a result in `_output_shapes`.
fn output_shape(
    attributes: &BTreeMap<String, AttrValue>,
    index: usize,
) -> Option<&TensorShapeProto> {
    shape_of_list(attributes, OUTPUT_SHAPES, index)
}

fn shape_of_list<'n>(
    attributes: &'n BTreeMap<String, AttrValue>,
    name: &str,
    index: usize,
) -> Option<&'n TensorShapeProto> {
    match value_of(attributes, name)? {
        Kind::List(list) => list.shape.get(index),
        _ => None,
    }
}

/// Returns the names and types of the parameters of a function.
pub(super) fn parameters<'a>(
    scope: &Scope<'_, 'a>,
    function: &FunctionDef,
) -> Result<Vec<(String, Type<'a>)>, ImportError> {
    let parameter_type = |index: u32, argument: &ArgDef| {
        let data_type = element::from_number(argument.r#type);
        if data_type == DataType::DtInvalid {
            return Err(NodeError::GenericParameter);
        }
        let attributes = function.arg_attr.get(&index);
        let shape = attributes.and_then(|attributes| output_shape(&attributes.attr, 0));
        scope.tensor_type(data_type, shape)
    };
    let signature = function.signature.iter();
    let parameters = signature.flat_map(|signature| {
        let arguments = (0..).zip(&signature.input_arg);
        arguments.map(move |(index, argument)| (&signature.name, index, argument))
    });
    parameters
        .map(
            |(function, index, argument)| match parameter_type(index, argument) {
                Ok(ty) => Ok((argument.name.clone(), ty)),
                Err(reason) => Err(ImportError::Parameter {
                    parameter: argument.name.clone(),
                    function: function.clone(),
                    reason: Box::new(reason),
                }),
            },
        )
        .collect()
}

fn outputs(function: &FunctionDef) -> impl Iterator<Item = &ArgDef> {
    let signature = function.signature.iter();
    signature.flat_map(|signature| &signature.output_arg)
}

/// Returns the results of a function, in the order of its signature.
pub(super) fn results<'a>(
    body: &Body<'_, '_, 'a>,
    function: &FunctionDef,
) -> Result<Vec<Value<'a>>, ImportError> {
    let result = |output: &ArgDef| {
        let reference = function.ret.get(&output.name);
        let value = reference.and_then(|reference| body.find(reference));
        value.ok_or_else(|| ImportError::Result {
            result: output.name.clone(),
            function: body.function.unwrap_or_default().to_owned(),
        })
    };
    outputs(function).map(result).collect()
}

/// An imported node or parameter.
struct Defined<'a> {
    values: Vec<Value<'a>>,
    /// The position of the first value of each output, by name; empty for a parameter.
    outputs: Vec<(String, usize)>,
}

/// A block that is being built.
pub(super) struct Body<'s, 'g, 'a> {
    scope: &'s Scope<'g, 'a>,
    builder: Builder<'a>,
    /// The function whose body it is.
    function: Option<&'s str>,
    defined: HashMap<String, Defined<'a>>,
    /// The values that have users.
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

    /// Defines a parameter.
    pub(super) fn parameter(&mut self, name: &str, value: Value<'a>) {
        self.define(name, vec![value], Vec::new());
    }

    fn define(&mut self, name: &str, values: Vec<Value<'a>>, outputs: Vec<(String, usize)>) {
        self.defined
            .insert(name.to_owned(), Defined { values, outputs });
    }

    /// Returns the value of a reference, if there is one.
    fn find(&self, reference: &str) -> Option<Value<'a>> {
        let mut parts = reference.split(':');
        let defined = self.defined.get(parts.next()?)?;
        let start_of = |output: &str| {
            let (_, start) = defined.outputs.iter().find(|(name, _)| name == output)?;
            Some(*start)
        };
        let index = match (parts.next(), parts.next()) {
            (None, _) => 0,
            (Some(index), None) => match index.parse() {
                Ok(index) => index,
                Err(_) => start_of(index)?,
            },
            (Some(output), Some(index)) => start_of(output)? + index.parse::<usize>().ok()?,
        };
        defined.values.get(index).copied()
    }

    /// Returns a requested result.
    pub(super) fn output(&self, reference: &str) -> Result<Value<'a>, ImportError> {
        self.find(reference)
            .ok_or_else(|| ImportError::NoValue(reference.to_owned()))
    }

    /// Returns the values of a node without users, and references to them.
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

    fn add(&mut self, node: &NodeDef) -> Result<(), NodeError> {
        let operands = self.operands(node)?;
        self.used.extend(operands.iter().copied());
        self.builder
            .set_location(location(self.scope.context, node));
        if let Some(function) = self.scope.library.get(node.op.as_str()) {
            let values = self.call(&node.op, &operands, false)?;
            let outputs = outputs(function).map(|output| output.name.clone());
            self.define(&node.name, values, outputs.zip(0..).collect());
            return Ok(());
        }
        let definition = Registry::get().lookup(&node.op);
        let definition = definition.ok_or_else(|| NodeError::UnknownOperation(node.op.clone()))?;
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
                self.conditional(node, &resolved, &operands)?
            }
            "Case" | "StatelessCase" if self.is_condition(operands[0], 32) => {
                self.case(node, &resolved, &operands)?
            }
            "While" | "StatelessWhile" if self.has_boolean_condition(node)? => {
                self.repeat(node, &resolved, &operands)?
            }
            _ => self.operation(node, definition, &resolved, &operands)?,
        };
        self.define(&node.name, values, outputs);
        Ok(())
    }

    fn operands(&self, node: &NodeDef) -> Result<Vec<Value<'a>>, NodeError> {
        let data = node.input.iter().filter(|input| !input.starts_with('^'));
        let operand = |input: &String| {
            self.find(input).ok_or_else(|| NodeError::NoInput {
                input: input.clone(),
                node: source_of(input).to_owned(),
            })
        };
        data.map(operand).collect()
    }

    fn constant(&mut self, node: &NodeDef) -> Result<Value<'a>, NodeError> {
        let Some(Kind::Tensor(tensor)) = value_of(&node.attr, "value") else {
            let (attribute, expected) = ("value", "is a tensor");
            return Err(NodeError::WrongAttribute {
                attribute,
                expected,
            });
        };
        let (value, ty) = constant(self.scope.context, tensor)?;
        Ok(tensor::Const::build(&mut self.builder, ty, value).result())
    }

    fn call(
        &mut self,
        function: &str,
        operands: &[Value<'a>],
        is_stateless: bool,
    ) -> Result<Vec<Value<'a>>, NodeError> {
        let Imported { graph, is_pure } = self.scope.graphs[function];
        let (inputs, results) = graph.signature();
        if inputs.len() != operands.len() {
            return Err(NodeError::ArgumentCount {
                function: function.to_owned(),
                given: operands.len(),
                expected: inputs.len(),
            });
        }
        let call = tensor::Call::build(&mut self.builder, &results, function, operands);
        call.set_pure(is_stateless && is_pure);
        Ok(call.results().collect())
    }

    /// Returns whether `condition` is an integer of rank 0 with this number of bits, as the
    /// conditions of tfx are.
    fn is_condition(&self, condition: Value<'a>, bits: u32) -> bool {
        let element = IntegerType::new(self.scope.context, bits).into();
        condition.ty() == tensor_of(self.scope.context, Some(&[]), element)
    }

    /// Returns whether the condition of a loop is a boolean.
    fn has_boolean_condition(&self, node: &NodeDef) -> Result<bool, NodeError> {
        let condition = self.scope.graphs[function_attribute(node, "cond")?.as_str()];
        let (_, results) = condition.graph.signature();
        let is_boolean = |ty: Type<'a>| types::data_type(ty) == Some(DataType::DtBool);
        Ok(matches!(*results, [ty] if is_boolean(ty)))
    }

    /// `If`: each region calls its function with the operands of the node.
    fn conditional(
        &mut self,
        node: &NodeDef,
        resolved: &Resolved,
        operands: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, NodeError> {
        let then = function_attribute(node, "then_branch")?;
        let otherwise = function_attribute(node, "else_branch")?;
        let types = self.result_types(node, resolved)?;
        let op = tensor::If::build(&mut self.builder, &types, operands[0]);
        self.region(op.then_region(), &then, &[], &operands[1..])?;
        self.region(op.else_region(), &otherwise, &[], &operands[1..])?;
        Ok(op.results().collect())
    }

    /// `Case`: each region calls its function with the operands of the node.
    fn case(
        &mut self,
        node: &NodeDef,
        resolved: &Resolved,
        operands: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, NodeError> {
        let functions = match value_of(&node.attr, "branches") {
            Some(Kind::List(list)) if !list.func.is_empty() => &list.func,
            _ => {
                let (attribute, expected) = ("branches", "lists functions");
                return Err(NodeError::WrongAttribute {
                    attribute,
                    expected,
                });
            }
        };
        let types = self.result_types(node, resolved)?;
        let op = tensor::Case::build(&mut self.builder, &types, operands[0], functions.len());
        for (region, function) in op.branches().zip(functions) {
            self.region(region, &function.name, &[], &operands[1..])?;
        }
        Ok(op.results().collect())
    }

    /// `While`: both regions have the loop variables as arguments.
    fn repeat(
        &mut self,
        node: &NodeDef,
        resolved: &Resolved,
        operands: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, NodeError> {
        let types = self.result_types(node, resolved)?;
        let op = tensor::While::build(&mut self.builder, &types, operands);
        if node.attr.contains_key(CANCELLABLE_ATTRIBUTE) {
            op.set_attribute(MAY_NOT_END, Attribute::unit(op.context()));
        }
        let condition = function_attribute(node, "cond")?;
        self.region(op.condition_region(), &condition, &types, &[])?;
        let body = function_attribute(node, "body")?;
        self.region(op.body_region(), &body, &types, &[])?;
        Ok(op.results().collect())
    }

    /// Fills a region with a call of a function, whose operands are the arguments of the region and
    /// values from outside.
    fn region(
        &mut self,
        region: Region<'a>,
        function: &str,
        arguments: &[Type<'a>],
        outside: &[Value<'a>],
    ) -> Result<(), NodeError> {
        let location = self.builder.location();
        let arguments: Vec<_> = arguments.iter().map(|ty| (*ty, location)).collect();
        let block = region.add_block(&arguments);
        let operands: Vec<_> = block.arguments().chain(outside.iter().copied()).collect();
        let before = std::mem::replace(&mut self.builder, Builder::at_end(block, location));
        let results = self.call(function, &operands, true)?;
        tensor::Yield::build(&mut self.builder, &results);
        self.builder = before;
        Ok(())
    }

    /// Imports any other operation.
    fn operation(
        &mut self,
        node: &NodeDef,
        definition: &OpDef,
        resolved: &Resolved,
        operands: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, NodeError> {
        if node.attr.contains_key(COLOCATION) {
            let message = format!(
                "node '{}' requests the device of another node, which is not supported; give both a \
                 device",
                node.name
            );
            diag::warning(self.builder.location(), message).emit();
        }
        let types = self.result_types(node, resolved)?;
        let mut operation = self
            .builder
            .op(tensor::Op::NAME)
            .string(tensor::Op::TF_NAME_ATTR, &node.op)
            .operands(operands)
            .results(&types);
        if !node.device.is_empty() {
            operation = operation.string(tensor::Op::DEVICE_ATTR, &node.device);
        }
        for (name, value) in written_attributes(node, definition, resolved) {
            let value = attribute(self.scope.context, value);
            let value = value.map_err(|reason| NodeError::Attribute {
                attribute: name.to_owned(),
                reason,
            })?;
            operation = operation.attribute(name, value);
        }
        Ok(operation.build().results().collect())
    }

    /// Returns the types of a node's results, with the shapes of its attributes.
    fn result_types(
        &self,
        node: &NodeDef,
        resolved: &Resolved,
    ) -> Result<Vec<Type<'a>>, NodeError> {
        let results = resolved.results.iter().enumerate();
        let result_type = |(index, data_type): (usize, &DataType)| {
            let shape = output_shape(&node.attr, index)
                .or_else(|| shape_of_list(&node.attr, "output_shapes", index));
            self.scope.tensor_type(*data_type, shape)
        };
        results.map(result_type).collect()
    }
}

fn function_attribute(node: &NodeDef, attribute: &'static str) -> Result<String, NodeError> {
    let expected = "is a function";
    match value_of(&node.attr, attribute) {
        Some(Kind::Func(function)) => Ok(function.name.clone()),
        _ => Err(NodeError::WrongAttribute {
            attribute,
            expected,
        }),
    }
}

/// Returns the location of a node: its name, at its source location if tfx exported it.
fn location<'c>(context: &'c Context, node: &NodeDef) -> Location<'c> {
    let place = match value_of(&node.attr, LOCATION_ATTRIBUTE) {
        Some(Kind::S(text)) => std::str::from_utf8(text).ok(),
        _ => None,
    };
    let place = place.and_then(|place| {
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some(Location::new(context, file, line, column))
    });
    let place = place.unwrap_or_else(|| Location::unknown(context));
    Location::name(context, &node.name, place)
}

/// Completes the attributes of a node.
fn resolve_node(
    node: &NodeDef,
    definition: &OpDef,
    operands: &[Value<'_>],
) -> Result<Resolved, OperationError> {
    let operands = operands.iter();
    let operands = operands.map(|value| types::data_type(value.ty()).unwrap_or(UNKNOWN));
    let operands: Vec<_> = operands.collect();
    let results = vec![UNKNOWN; number_of_results(node, definition)];
    resolve_with(node, &operands, &results, node.attr.iter())
}

/// Completes an operation. Attributes that start with `_` are omitted.
fn resolve_with<'n>(
    node: &NodeDef,
    operands: &[DataType],
    results: &[DataType],
    attributes: impl Iterator<Item = (&'n String, &'n AttrValue)>,
) -> Result<Resolved, OperationError> {
    let attributes = attributes.filter(|(name, _)| !name.starts_with('_'));
    let attributes = attributes.map(|(name, value)| (name.clone(), value.clone()));
    resolve(&Use {
        operation: &node.op,
        operands,
        results,
        attributes: &attributes.collect(),
        computed: &Computed::new(),
    })
}

/// Returns the number of results of a node. Its attributes, or their defaults, determine the
/// lengths of lists.
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

/// Returns the attributes that neither follow from the types nor have their default value.
fn written_attributes<'n>(
    node: &'n NodeDef,
    definition: &OpDef,
    resolved: &Resolved,
) -> Vec<(&'n String, &'n AttrValue)> {
    let arguments = definition.input_arg.iter().chain(&definition.output_arg);
    let inferred: HashSet<&str> = arguments
        .flat_map(|argument| {
            [
                argument.type_attr.as_str(),
                &argument.number_attr,
                &argument.type_list_attr,
            ]
        })
        .collect();
    let is_default = |name: &str, value: &AttrValue| {
        let known = definition.attr.iter().find(|known| known.name == name);
        known.is_some_and(|known| known.default_value.as_ref() == Some(value))
    };
    let internal = [
        LOCATION_ATTRIBUTE,
        LOWER_ATTRIBUTE,
        OUTPUT_SHAPES,
        COLOCATION,
    ];
    let attributes = node.attr.iter();
    let mut attributes: Vec<_> = attributes
        .filter(|(name, _)| !internal.contains(&name.as_str()))
        .collect();
    let is_needed = |&(name, value): &(&'n String, _)| {
        !inferred.contains(name.as_str()) && !is_default(name, value)
    };
    let needed = || attributes.iter().copied().filter(is_needed);
    let again = resolve_with(node, &resolved.operands, &resolved.results, needed());
    // The type of an empty list does not follow from its elements.
    if again.is_ok_and(|again| again.attributes == resolved.attributes) {
        attributes.retain(is_needed);
    }
    attributes
}
