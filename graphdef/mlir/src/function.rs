//! The `FunctionDef` of one block.
//!
//! ```text
//! arguments  arg_0, arg_1, ...   the arguments of the block, then its captures
//!            channel_3, ...      the channels that it uses
//! nodes      in the order of the block; a result is NODE:OUTPUT:INDEX
//! effects    recv -> send -> While ...   each waits for the previous one; control_ret keeps the last
//!            send -> While               a loop that may not end waits too; nothing waits for it
//! results    result_0, ...       the operands of the terminator, and all captures of the body of a
//!                                While, unchanged
//! ```
//!
//! An operation with regions becomes a node that names functions. Those are returned as [`Task`]s,
//! so nothing recurses. Scalars need no node: `from_scalar` and `to_scalar` return their operand.
//! The cost is linear in the block and in the captures of its operations.

use melior::ir::{Location, Type};
use rustc_hash::FxHashMap;
use tfx_dialects::{
    comm::{self, CommOp},
    tensor::{self, TensorOp},
};
use tfx_graphdef::{
    DataType, Resolved,
    naming::{self, CANCELLABLE_ATTRIBUTE, COMPILE_ATTRIBUTE, LOWER_ATTRIBUTE, UniqueNames},
    proto::{FunctionDef, NodeDef, OpDef, TensorProto, op_def::ArgDef},
};
use tfx_ir::{
    Block, Op, Region, Value,
    diag::{self, Diagnostic},
};

use crate::{
    captures::is_copied,
    context::{GraphContext, check_callee},
    effects::{Effect, MAY_NOT_END},
    node::{self, Attributes},
    operations::{Resolver, named_graphs},
    tensors, types,
};

/// The number of iterations of a loop with ordered effects that may run at once.
const ORDERED_PARALLEL_ITERATIONS: i64 = 1;

/// The control output that stands for all effects of a function.
const EFFECTS_OUTPUT: &str = "effects";

/// The loop variable of a loop without other loop variables.
const TICK: &str = "tick";

/// A block that becomes a function.
pub(crate) struct Task<'a> {
    /// The name of the function.
    pub(crate) name: String,
    /// The code.
    pub(crate) block: Block<'a>,
    /// The captures, which follow the arguments of the block.
    pub(crate) captures: Vec<Value<'a>>,
    /// The channels, which follow the captures.
    pub(crate) channels: Vec<u32>,
    /// Set for the body of a `While`, which returns its captures.
    pub(crate) is_loop_body: bool,
    /// Set for the regions of a loop whose only variables are resources. TensorFlow's lowering of
    /// `While` crashes for such a loop, so an unused boolean follows the captures.
    pub(crate) has_tick: bool,
    /// The results that wait for all effects of the block.
    pub(crate) after_effects: Vec<usize>,
}

/// A function, and the tasks for the regions in it.
pub(crate) struct Built<'a> {
    pub(crate) function: FunctionDef,
    pub(crate) tasks: Vec<Task<'a>>,
    /// The graphs that it calls or names in an attribute, by symbol.
    pub(crate) called: Vec<&'a str>,
}

/// Builds the function of a task.
///
/// # Errors
///
/// The first operation that has no form in a GraphDef.
pub(crate) fn build<'a>(
    task: &Task<'a>,
    context: &GraphContext<'_, 'a>,
    function_names: &mut UniqueNames,
    resolver: &mut Resolver<'_>,
) -> Result<Built<'a>, Diagnostic<'a>> {
    let mut builder = Builder::new(context, function_names, resolver);
    builder.take_arguments(task)?;
    let mut ops = task.block.ops().peekable();
    while let Some(op) = ops.next() {
        if ops.peek().is_none() {
            builder.finish(task, op)?;
        } else {
            builder.operation(op)?;
        }
    }
    Ok(builder.into_built(&task.name))
}

struct Builder<'x, 'e, 'a, 'f> {
    context: &'x GraphContext<'e, 'a>,
    function_names: &'x mut UniqueNames,
    resolver: &'x mut Resolver<'f>,
    /// Names of nodes and arguments.
    names: UniqueNames,
    inputs: Vec<ArgDef>,
    /// Results, each with the reference to its value.
    outputs: Vec<(ArgDef, String)>,
    nodes: Vec<NodeDef>,
    /// References to values in this function: `arg_0`, `node:output:0`.
    references: FxHashMap<Value<'a>, String>,
    last_effect: Option<LastEffect>,
    is_stateful: bool,
    tasks: Vec<Task<'a>>,
    called: Vec<&'a str>,
}

/// The last ordered node.
struct LastEffect {
    node: String,
    /// Set if it runs functions, which TensorFlow may inline.
    is_inlined: bool,
}

impl LastEffect {
    /// Returns the input of a node that waits for it.
    fn control_input(&self) -> String {
        format!("^{}", self.node)
    }
}

/// Arguments, results, and the function itself.
impl<'x, 'e, 'a, 'f> Builder<'x, 'e, 'a, 'f> {
    fn new(
        context: &'x GraphContext<'e, 'a>,
        function_names: &'x mut UniqueNames,
        resolver: &'x mut Resolver<'f>,
    ) -> Self {
        Self {
            context,
            function_names,
            resolver,
            names: UniqueNames::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            nodes: Vec::new(),
            references: FxHashMap::default(),
            last_effect: None,
            is_stateful: false,
            tasks: Vec::new(),
            called: Vec::new(),
        }
    }

    fn take_arguments(&mut self, task: &Task<'a>) -> Result<(), Diagnostic<'a>> {
        for value in task.block.arguments().chain(task.captures.iter().copied()) {
            let name = naming::function_argument(self.inputs.len());
            let data_type = data_type(value.ty(), value.location())?;
            self.inputs.push(argument(&name, data_type));
            self.names.take(&name);
            self.references.insert(value, name);
        }
        if task.has_tick {
            let name = self.names.take(TICK);
            self.inputs.push(argument(&name, DataType::DtBool));
        }
        for &channel in &task.channels {
            let name = self.names.take(&naming::function_channel(channel));
            self.inputs.push(argument(&name, DataType::DtResource));
        }
        Ok(())
    }

    /// Returns the operands of the terminator, and the captures of a loop body.
    fn finish(&mut self, task: &Task<'a>, terminator: Op<'a>) -> Result<(), Diagnostic<'a>> {
        if !terminator.isa::<tensor::Yield>() && !terminator.isa::<tensor::Return>() {
            return Err(not_legalized(terminator));
        }
        let captures = if task.is_loop_body {
            task.captures.as_slice()
        } else {
            &[]
        };
        let values = terminator.operands().chain(captures.iter().copied());
        for (index, value) in values.enumerate() {
            let data_type = data_type(value.ty(), terminator.location())?;
            let mut reference = self.reference(value)?;
            if task.after_effects.contains(&index) {
                reference = self.after_effects(terminator, data_type, reference)?;
            }
            self.output(data_type, reference);
        }
        if task.is_loop_body {
            if task.has_tick {
                self.output(DataType::DtBool, TICK.to_owned());
            }
            for &channel in &task.channels {
                self.output(DataType::DtResource, naming::function_channel(channel));
            }
        }
        Ok(())
    }

    /// Returns a reference to the same value that waits for the last effect.
    fn after_effects(
        &mut self,
        terminator: Op<'a>,
        data_type: DataType,
        reference: String,
    ) -> Result<String, Diagnostic<'a>> {
        let Some(effect) = &self.last_effect else {
            return Ok(reference);
        };
        let inputs = vec![reference, effect.control_input()];
        let types = [data_type];
        let none = Attributes::new();
        self.helper_node(terminator, "Identity", (&types, &types), none, inputs)
    }

    fn output(&mut self, data_type: DataType, reference: String) {
        let name = naming::function_result(self.outputs.len());
        self.outputs.push((argument(&name, data_type), reference));
    }

    fn into_built(self, name: &str) -> Built<'a> {
        let ordered = self.last_effect.map(|effect| effect.node);
        let (inputs, outputs, nodes) = (self.inputs, self.outputs, self.nodes);
        Built {
            function: function_def(name, inputs, outputs, nodes, ordered, self.is_stateful),
            tasks: self.tasks,
            called: self.called,
        }
    }
}

/// Returns a function. Each output has the reference to its value; `ordered` is the last node with
/// an ordered effect.
pub(crate) fn function_def(
    name: &str,
    input_arg: Vec<ArgDef>,
    outputs: Vec<(ArgDef, String)>,
    node_def: Vec<NodeDef>,
    ordered: Option<String>,
    is_stateful: bool,
) -> FunctionDef {
    let effects = || EFFECTS_OUTPUT.to_owned();
    let returned =
        |(output, reference): &(ArgDef, String)| (output.name.clone(), reference.clone());
    FunctionDef {
        ret: outputs.iter().map(returned).collect(),
        signature: Some(OpDef {
            name: name.to_owned(),
            input_arg,
            output_arg: outputs.into_iter().map(|(output, _)| output).collect(),
            control_output: ordered.iter().map(|_| effects()).collect(),
            is_stateful,
            ..Default::default()
        }),
        node_def,
        control_ret: ordered.map(|node| (effects(), node)).into_iter().collect(),
        ..Default::default()
    }
}

/// Operations.
impl<'a> Builder<'_, '_, 'a, '_> {
    fn operation(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        match TensorOp::cast(op) {
            Some(TensorOp::Op(op)) => self.tensor_op(op),
            Some(TensorOp::Const(op)) if is_copied(op.result()) => Ok(()),
            Some(TensorOp::Const(op)) => self.constant(op),
            Some(TensorOp::FromScalar(op)) => self.alias(op.scalar(), op.result()),
            Some(TensorOp::ToScalar(op)) => self.scalar(op),
            Some(TensorOp::If(op)) => self.branch(*op, op.condition(), "If", &["then", "else"]),
            Some(TensorOp::Case(op)) => self.branch(*op, op.index(), "Case", &[]),
            Some(TensorOp::While(op)) => self.repeat(op),
            Some(TensorOp::Call(op)) => self.call(op),
            Some(TensorOp::Graph(_) | TensorOp::Return(_) | TensorOp::Yield(_)) => {
                Err(not_legalized(op))
            }
            None => match CommOp::cast(op) {
                Some(CommOp::Send(op)) => self.send(op),
                Some(CommOp::Recv(op)) => self.receive(op),
                Some(CommOp::Copy(op)) => self.alias(op.value(), op.result()),
                _ => Err(not_legalized(op)),
            },
        }
    }

    fn tensor_op(&mut self, op: tensor::Op<'a>) -> Result<(), Diagnostic<'a>> {
        if op.computed().is_some() {
            let message = "an attribute of this operation is computed: run tfx-constexpr first";
            return Err(diag::error(op.location(), message));
        }
        let resolved = (self.resolver.resolve(*op))
            .map_err(|error| diag::error(op.location(), error.message.clone()))?;
        for symbol in named_graphs(*op) {
            if !self.context.graphs.contains_key(symbol) {
                let message = format!(
                    "an attribute names @{symbol}, but no tfx_tensor.graph of that name is declared"
                );
                return Err(diag::error(op.location(), message));
            }
            self.called.push(symbol);
        }
        let inputs = self.operands(*op)?;
        self.push(*op, &resolved, inputs);
        Ok(())
    }

    fn constant(&mut self, op: tensor::Const<'a>) -> Result<(), Diagnostic<'a>> {
        let value = tensors::tensor(op.value())
            .map_err(|error| diag::error(op.location(), error.to_string()))?;
        let data_type = tfx_graphdef::element::from_number(value.dtype);
        let attributes = constant_attributes(data_type, value);
        let resolved = complete(*op, "Const", &[], &[data_type], attributes)?;
        self.push(*op, &resolved, Vec::new());
        Ok(())
    }

    /// Makes `result` a name of `value`.
    fn alias(&mut self, value: Value<'a>, result: Value<'a>) -> Result<(), Diagnostic<'a>> {
        let reference = self.reference(value)?;
        self.references.insert(result, reference);
        Ok(())
    }

    /// A scalar is a tensor of rank 0.
    fn scalar(&mut self, op: tensor::ToScalar<'a>) -> Result<(), Diagnostic<'a>> {
        if types::sizes(op.tensor().ty()).is_some_and(|sizes| sizes.is_empty()) {
            return self.alias(op.tensor(), op.result());
        }
        let message = format!(
            "a scalar is read from a tensor that is not of rank 0 ({}); run the pass \
             tfx-legalize-graph first, which reshapes it",
            op.tensor().ty()
        );
        Err(diag::error(op.location(), message))
    }

    /// `If` and `Case`: all branches have the same arguments.
    fn branch(
        &mut self,
        op: Op<'a>,
        condition: Value<'a>,
        operation: &str,
        roles: &[&str],
    ) -> Result<(), Diagnostic<'a>> {
        let captures = self.context.captures.values(op).iter();
        let mut arguments = data_types(op, captures.map(|value| value.ty()))?;
        let results = data_types(op, op.results().map(Value::ty))?;
        let channels = self.context.captures.channels(op);
        arguments.extend(channels.iter().map(|_| DataType::DtResource));
        let mut operands = vec![data_type(condition.ty(), op.location())?];
        operands.extend(&arguments);
        let regions = op.regions().enumerate();
        let functions: Vec<_> = regions
            .map(|(index, region)| {
                let role = roles.get(index).map(|&role| role.to_owned());
                let role = role.unwrap_or_else(|| format!("branch_{index}"));
                self.region_function(op, region, &role, None)
            })
            .collect();
        let shapes = op.results().map(|result| types::shape(result.ty()));
        let mut attributes = node::attributes([
            ("Tin", node::data_types(&arguments)),
            ("Tout", node::data_types(&results)),
            ("output_shapes", node::shapes(shapes.collect())),
            (LOWER_ATTRIBUTE, node::boolean(!self.context.is_compiled)),
        ]);
        match functions.as_slice() {
            [then, otherwise] if operation == "If" => {
                attributes.insert("then_branch".to_owned(), node::function(then));
                attributes.insert("else_branch".to_owned(), node::function(otherwise));
            }
            branches => _ = attributes.insert("branches".to_owned(), node::functions(branches)),
        }
        let operation = self.stateless_name(op, operation);
        let resolved = complete(op, &operation, &operands, &results, attributes)?;
        let mut inputs = vec![self.reference(condition)?];
        inputs.extend(self.captured(op)?);
        self.push(op, &resolved, inputs);
        Ok(())
    }

    /// `While`: the loop variables, then the captures, which its body returns unchanged.
    fn repeat(&mut self, op: tensor::While<'a>) -> Result<(), Diagnostic<'a>> {
        let context = self.context;
        let captures = context.captures.values(*op).iter().copied();
        let channels = context.captures.channels(*op);
        let variables: Vec<_> = op.results().chain(captures).map(Value::ty).collect();
        let mut data_types = data_types(*op, variables.iter().copied())?;
        data_types.extend(channels.iter().map(|_| DataType::DtResource));
        let mut shapes: Vec<_> = variables.into_iter().map(types::shape).collect();
        shapes.extend(channels.iter().map(|_| Default::default()));
        let has_tick = self.needs_tick(op);
        let first_channel = shapes.len() - channels.len();
        if has_tick {
            data_types.insert(first_channel, DataType::DtBool);
            shapes.insert(first_channel, Default::default());
        }
        let condition = self.region_function(*op, op.condition_region(), "condition", Some(op));
        let body = self.region_function(*op, op.body_region(), "body", Some(op));
        let is_cancellable = !context.is_compiled
            && op.attribute(MAY_NOT_END).is_some()
            && !communicates_in_each_iteration(op);
        let is_lowered = !context.is_compiled && !is_cancellable;
        let mut attributes = node::attributes([
            ("T", node::data_types(&data_types)),
            ("cond", node::function(&condition)),
            ("body", node::function(&body)),
            ("output_shapes", node::shapes(shapes)),
            (LOWER_ATTRIBUTE, node::boolean(is_lowered)),
        ]);
        if is_cancellable {
            attributes.insert(CANCELLABLE_ATTRIBUTE.to_owned(), node::boolean(true));
        }
        if context.effects.of(*op) == Effect::Ordered {
            let iterations = node::integer(ORDERED_PARALLEL_ITERATIONS);
            attributes.insert("parallel_iterations".to_owned(), iterations);
        }
        let operation = self.stateless_name(*op, "While");
        let resolved = complete(*op, &operation, &data_types, &data_types, attributes)?;
        let mut inputs = self.operands(*op)?;
        inputs.extend(self.captured(*op)?);
        if has_tick {
            inputs.insert(first_channel, self.tick(*op)?);
        }
        self.push(*op, &resolved, inputs);
        Ok(())
    }

    /// Returns whether the only variables of a loop are resources: see [`Task::has_tick`].
    fn needs_tick(&self, op: tensor::While<'a>) -> bool {
        let captures = self.context.captures.values(*op).iter().copied();
        let mut variables = op.results().chain(captures);
        variables.all(|value| types::data_type(value.ty()) == Some(DataType::DtResource))
    }

    /// Creates the initial value of the variable of such a loop.
    fn tick(&mut self, op: Op<'a>) -> Result<String, Diagnostic<'a>> {
        let data_type = DataType::DtBool;
        let value = TensorProto {
            dtype: data_type as i32,
            tensor_shape: Some(Default::default()),
            bool_val: vec![true],
            ..Default::default()
        };
        let attributes = constant_attributes(data_type, value);
        self.helper_node(op, "Const", (&[], &[data_type]), attributes, Vec::new())
    }

    fn call(&mut self, op: tensor::Call<'a>) -> Result<(), Diagnostic<'a>> {
        check_callee(op, self.context.graphs)?;
        let operation = match self.context.effects.of(*op) {
            Effect::Pure => "PartitionedCall",
            _ => "StatefulPartitionedCall",
        };
        let function = self.context.names.of_symbol(op.callee());
        let operands = data_types(*op, op.arguments().iter().map(Value::ty))?;
        let results = data_types(*op, op.results().map(Value::ty))?;
        let mut attributes = node::attributes([
            ("Tin", node::data_types(&operands)),
            ("Tout", node::data_types(&results)),
            ("f", node::function(&function)),
        ]);
        if op.compiled() {
            attributes.insert(COMPILE_ATTRIBUTE.to_owned(), node::boolean(true));
        }
        let resolved = complete(*op, operation, &operands, &results, attributes)?;
        self.called.push(op.callee());
        let inputs = self.operands(*op)?;
        self.push(*op, &resolved, inputs);
        Ok(())
    }

    fn send(&mut self, send: comm::Send<'a>) -> Result<(), Diagnostic<'a>> {
        let data_type = data_type(send.value().ty(), send.location())?;
        let queue = naming::function_channel(send.channel());
        let operands = [DataType::DtResource, data_type];
        let resolved = complete(*send, "QueueEnqueueV2", &operands, &[], Attributes::new())?;
        let inputs = vec![queue, self.reference(send.value())?];
        self.push(*send, &resolved, inputs);
        Ok(())
    }

    fn receive(&mut self, recv: comm::Recv<'a>) -> Result<(), Diagnostic<'a>> {
        let results = [data_type(recv.value().ty(), recv.location())?];
        let operands = [DataType::DtResource];
        let none = Attributes::new();
        let resolved = complete(*recv, "QueueDequeueV2", &operands, &results, none)?;
        let queue = naming::function_channel(recv.channel());
        self.push(*recv, &resolved, vec![queue]);
        Ok(())
    }
}

/// The parts that several operations share.
impl<'a> Builder<'_, '_, 'a, '_> {
    /// Adds the node of an operation, after the last effect if its order matters, and defines its
    /// results.
    fn push(&mut self, op: Op<'a>, resolved: &Resolved, mut inputs: Vec<String>) {
        let effect = self.context.effects.of(op);
        if self.context.effects.runs_after_effects(op) {
            inputs.extend(self.control_input(&inputs));
        }
        let node = node::node(resolved, op, inputs, |name| self.names.take(name));
        for (index, result) in op.results().enumerate() {
            let reference = node::reference(&node, resolved, index);
            self.references.insert(result, reference);
        }
        if effect == Effect::Ordered {
            let runs_functions = op.num_regions() > 0 || op.isa::<tensor::Call>();
            let last = LastEffect {
                node: node.name.clone(),
                is_inlined: runs_functions || !named_graphs(op).is_empty(),
            };
            self.last_effect = Some(last);
        }
        self.is_stateful |= effect != Effect::Pure;
        self.nodes.push(node);
    }

    /// Adds a node without an operation of its own. Returns the reference to its only result, which
    /// its operation calls `output`.
    fn helper_node(
        &mut self,
        at: Op<'a>,
        operation: &str,
        (operands, results): (&[DataType], &[DataType]),
        attributes: Attributes,
        inputs: Vec<String>,
    ) -> Result<String, Diagnostic<'a>> {
        let resolved = complete(at, operation, operands, results, attributes)?;
        let node = node::node(&resolved, at, inputs, |name| self.names.take(name));
        let reference = node::reference(&node, &resolved, 0);
        self.nodes.push(node);
        Ok(reference)
    }

    /// Returns the control input by which a node with these inputs waits for the last effect.
    ///
    /// If a node has both a control input and a data input from another node, TensorFlow's model
    /// pruner removes the control input as redundant. It is not: where an `If` is lowered or a call
    /// is inlined, a result may be available before an effect has happened. Nothing then waits for
    /// the effect, and it is pruned. A node between the two prevents this.
    fn control_input(&mut self, inputs: &[String]) -> Option<String> {
        let effect = self.last_effect.as_ref()?;
        let control_input = effect.control_input();
        let is_result = |input: &String| {
            let rest = input.strip_prefix(effect.node.as_str());
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        if !effect.is_inlined || !inputs.iter().any(is_result) {
            return Some(control_input);
        }
        let name = self.names.take(&format!("{}_done", effect.node));
        self.nodes.push(NodeDef {
            name: name.clone(),
            op: "NoOp".to_owned(),
            input: vec![control_input],
            ..Default::default()
        });
        Some(format!("^{name}"))
    }

    /// Returns the reference to a value. A small constant from outside is created at its first use.
    fn reference(&mut self, value: Value<'a>) -> Result<String, Diagnostic<'a>> {
        if let Some(reference) = self.references.get(&value) {
            return Ok(reference.clone());
        }
        let constant = value.defining_op().filter(|_| is_copied(value));
        let constant = constant.and_then(tensor::Const::cast);
        self.constant(constant.expect("a value is defined or captured before its use"))?;
        Ok(self.references[&value].clone())
    }

    fn operands(&mut self, op: Op<'a>) -> Result<Vec<String>, Diagnostic<'a>> {
        op.operands().map(|value| self.reference(value)).collect()
    }

    /// Returns the captured values and channels of an operation, as inputs of its node.
    fn captured(&mut self, op: Op<'a>) -> Result<Vec<String>, Diagnostic<'a>> {
        let context = self.context;
        let values = context.captures.values(op).iter();
        let values = values.map(|&value| self.reference(value));
        let mut inputs = values.collect::<Result<Vec<_>, _>>()?;
        let channels = context.captures.channels(op).into_iter();
        inputs.extend(channels.map(naming::function_channel));
        Ok(inputs)
    }

    /// Adds a task for a region, and returns the name of its function. `around` is the loop to
    /// which the region belongs.
    fn region_function(
        &mut self,
        op: Op<'a>,
        region: Region<'a>,
        role: &str,
        around: Option<tensor::While<'a>>,
    ) -> String {
        let place = tfx_ir::location::place(op.location());
        let kind = op.name().rsplit('.').next().unwrap_or_default();
        let at = place.map_or_else(
            || kind.to_owned(),
            |place| naming::source_node(&place.file, place.line, place.column, kind),
        );
        let name = naming::program_name(&format!("{}_{at}_{role}", self.context.program));
        let name = self.function_names.take(&name);
        let block = region.single_block();
        let body_of = around.filter(|op| op.body_region() == region);
        self.tasks.push(Task {
            name: name.clone(),
            block: block.expect("a verified region has one block"),
            after_effects: body_of.map_or_else(Vec::new, results_after_effects),
            captures: self.context.captures.values(op).to_vec(),
            channels: self.context.captures.channels(op),
            is_loop_body: body_of.is_some(),
            has_tick: around.is_some_and(|op| self.needs_tick(op)),
        });
        name
    }

    /// Returns the name of the stateless form of `If`, `Case` or `While` if nothing in it has
    /// state. TensorFlow optimizes across that form.
    fn stateless_name(&self, op: Op<'a>, operation: &str) -> String {
        match self.context.effects.of(op) {
            Effect::Pure => format!("Stateless{operation}"),
            _ => operation.to_owned(),
        }
    }
}

/// Returns the results of a loop body that decide whether the loop continues, if the body contains
/// a loop or a call.
///
/// When TensorFlow's optimizer inlines such a body, it drops the control outputs of the body, and
/// with them the effects that no result depends on. A user of the loop depends on these results. If
/// they wait for the effects, no effect is dropped.
fn results_after_effects(op: tensor::While) -> Vec<usize> {
    let mut body = op.body_region().blocks().flat_map(|block| block.ops());
    let is_nested = |op: Op| op.isa::<tensor::While>() || op.isa::<tensor::Call>();
    let has_nested = body.any(|op| op.walk().any(is_nested));
    let condition = op.condition_region().single_block().filter(|_| has_nested);
    let arguments = condition.into_iter().flat_map(|block| block.arguments());
    let used = arguments
        .enumerate()
        .filter(|(_, argument)| !argument.is_unused());
    used.map(|(index, _)| index).collect()
}

/// Returns whether each iteration of a loop sends or receives, so that the loop can be cancelled
/// there.
///
/// After the run is cancelled, a lowered `While` of TensorFlow continues until an operation in it
/// fails. A `While` that is not lowered checks for cancellation before each iteration, which costs
/// about a microsecond.
fn communicates_in_each_iteration(op: tensor::While) -> bool {
    let Some(body) = op.body_region().single_block() else {
        return false;
    };
    let is_message = |op: Op| op.isa::<comm::Send>() || op.isa::<comm::Recv>();
    let continues = body.last().and_then(|end| end.operands().next());
    // A branch that every iteration except the last takes: its condition decides whether the loop
    // continues.
    let is_taken = |branch: &tensor::If| Some(branch.condition()) == continues;
    body.ops().any(|op| {
        let branch = tensor::If::cast(op).filter(is_taken);
        let then = branch.and_then(|branch| branch.then_region().single_block());
        is_message(op) || then.is_some_and(|block| block.ops().any(is_message))
    })
}

fn complete<'a>(
    op: Op<'a>,
    operation: &str,
    operands: &[DataType],
    results: &[DataType],
    attributes: Attributes,
) -> Result<Resolved, Diagnostic<'a>> {
    node::complete(operation, operands, results, attributes)
        .map_err(|error| diag::error(op.location(), error.to_string()))
}

fn data_type<'a>(ty: Type<'a>, at: Location<'a>) -> Result<DataType, Diagnostic<'a>> {
    types::expect_data_type(ty).map_err(|error| diag::error(at, error.to_string()))
}

fn data_types<'a>(
    op: Op<'a>,
    types: impl Iterator<Item = Type<'a>>,
) -> Result<Vec<DataType>, Diagnostic<'a>> {
    types.map(|ty| data_type(ty, op.location())).collect()
}

fn constant_attributes(data_type: DataType, value: TensorProto) -> Attributes {
    node::attributes([
        ("dtype", node::data_type(data_type)),
        ("value", node::constant(value)),
    ])
}

fn not_legalized<'a>(op: Op<'a>) -> Diagnostic<'a> {
    let message = format!(
        "'{}' is not in the form of a GraphDef; run the pass tfx-legalize-graph on the graph first",
        op.name()
    );
    diag::error(op.location(), message)
}

/// Returns an argument or a result of a function.
pub(crate) fn argument(name: &str, data_type: DataType) -> ArgDef {
    ArgDef {
        name: name.to_owned(),
        r#type: data_type as i32,
        ..Default::default()
    }
}
