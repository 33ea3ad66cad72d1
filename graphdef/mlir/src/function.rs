//! One block as one `FunctionDef`.
//!
//! ```text
//! arguments  arg_0, arg_1, ...   the block's arguments, then what it captures
//!            channel_3, ...      the channels that it uses
//! nodes      in the order of the block; a result is NODE:OUTPUT:INDEX
//! effects    recv -> send -> While ...   each waits for the one before it, and control_ret keeps the last one
//!            send -> While               a loop that may not end waits too, and nothing waits for it
//! results    result_0, ...       what the terminator hands on, and of the body of a While all that it captures, unchanged
//! ```
//!
//! An operation with regions becomes a node that names functions; those are left as [`Task`]s, so nothing recurses. Scalars need no node:
//! `from_scalar` and `to_scalar` are the tensor itself. Linear in the block and in what its operations capture.

use melior::ir::Type;
use rustc_hash::FxHashMap;
use tfx_dialects::{comm, tensor};
use tfx_graphdef::{
    DataType, OperationError, Resolved,
    naming::{self, CANCELLABLE_ATTRIBUTE, COMPILE_ATTRIBUTE, LOWER_ATTRIBUTE, UniqueNames},
    proto::{FunctionDef, NodeDef, OpDef, TensorProto, op_def::ArgDef},
};
use tfx_ir::{
    Block, Op, Value,
    diag::{self, Diag},
};

use crate::{
    captures::is_copied,
    channels::channel_of,
    effects::{COMPILED_ATTRIBUTE, Effect, MAY_NOT_END, callee},
    export::{GraphContext, check_callee},
    node::{self, Attributes},
    operations::{COMPUTED_ATTRIBUTE, DEVICE_ATTRIBUTE, OP, Resolver, named_graphs},
    tensors::tensor,
    types,
};

/// How many trips of a loop whose order counts may run at once.
const ORDERED_PARALLEL_ITERATIONS: i64 = 1;

/// The control output that stands for all effects of a function.
pub(crate) const EFFECTS_OUTPUT: &str = "effects";

/// The parameter that stands for what goes around in a loop that carries nothing.
const TICK: &str = "tick";

/// A block that is to become a function.
pub(crate) struct Task<'a> {
    /// What the function is called.
    pub(crate) name: String,
    /// Its code.
    pub(crate) block: Block<'a>,
    /// What it takes from outside, after the block's own arguments.
    pub(crate) captures: Vec<Value<'a>>,
    /// The channels that it takes, after those.
    pub(crate) channels: Vec<u32>,
    /// Whether it hands back what it takes from outside, as the body of a `While` has to.
    pub(crate) is_loop_body: bool,
    /// Whether it is of a loop that carries nothing but resources. TensorFlow's lowering of `While` ends the process where nothing goes around, so a boolean
    /// that nobody reads does, after what the function takes from outside.
    pub(crate) has_tick: bool,
    /// The results that wait for all effects of the block.
    pub(crate) after_effects: Vec<usize>,
}

/// A finished function, and the ones that it leaves to do.
pub(crate) struct Built<'a> {
    pub(crate) function: FunctionDef,
    pub(crate) tasks: Vec<Task<'a>>,
    /// The graphs that it calls or names in an attribute, by symbol.
    pub(crate) called: Vec<&'a str>,
}

/// Makes the function of a task.
///
/// # Errors
///
/// At the first operation that cannot be in a graph.
pub(crate) fn build<'a>(
    task: &Task<'a>,
    context: &GraphContext<'_, 'a>,
    function_names: &mut UniqueNames,
    resolver: &mut Resolver<'_>,
) -> Result<Built<'a>, Diag<'a>> {
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
    outputs: Vec<ArgDef>,
    nodes: Vec<NodeDef>,
    returned: Vec<String>,
    /// How a node of this function refers to a value: `arg_0`, `node:output:0`.
    references: FxHashMap<Value<'a>, String>,
    last_effect: Option<LastEffect>,
    is_stateful: bool,
    tasks: Vec<Task<'a>>,
    called: Vec<&'a str>,
}

/// The last node whose order counts.
struct LastEffect {
    node: String,
    /// Whether it runs functions, so that TensorFlow puts their nodes in its place.
    dissolves: bool,
}

impl LastEffect {
    /// The input of a node that waits for it.
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
            returned: Vec::new(),
            references: FxHashMap::default(),
            last_effect: None,
            is_stateful: false,
            tasks: Vec::new(),
            called: Vec::new(),
        }
    }

    fn take_arguments(&mut self, task: &Task<'a>) -> Result<(), Diag<'a>> {
        for value in task.block.arguments().chain(task.captures.iter().copied()) {
            let name = naming::function_argument(self.inputs.len());
            self.inputs
                .push(argument(&name, self.data_type(value, value.location())?));
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

    /// Hands back what the terminator has, and what a loop takes along.
    fn finish(&mut self, task: &Task<'a>, terminator: Op<'a>) -> Result<(), Diag<'a>> {
        if !matches!(
            terminator.name(),
            tensor::Yield::NAME | tensor::Return::NAME
        ) {
            return Err(not_legalized(terminator));
        }
        let along = if task.is_loop_body {
            task.captures.as_slice()
        } else {
            &[]
        };
        let values = terminator.operands().chain(along.iter().copied());
        for (index, value) in values.enumerate() {
            let data_type = self.data_type(value, terminator.location())?;
            let mut reference = self.reference(value)?;
            if task.after_effects.contains(&index) {
                reference = self.after_effects(terminator, data_type, reference)?;
            }
            self.give(data_type, reference);
        }
        if task.is_loop_body {
            if task.has_tick {
                self.give(DataType::DtBool, TICK.to_owned());
            }
            for &channel in &task.channels {
                self.give(DataType::DtResource, naming::function_channel(channel));
            }
        }
        Ok(())
    }

    /// The same value, once the last effect is done.
    fn after_effects(
        &mut self,
        terminator: Op<'a>,
        data_type: DataType,
        reference: String,
    ) -> Result<String, Diag<'a>> {
        let Some(effect) = &self.last_effect else {
            return Ok(reference);
        };
        let inputs = vec![reference, effect.control_input()];
        let types = [data_type];
        self.own_node(
            terminator,
            "Identity",
            (&types, &types),
            Attributes::new(),
            inputs,
        )
    }

    fn give(&mut self, data_type: DataType, reference: String) {
        let name = naming::function_result(self.outputs.len());
        self.outputs.push(argument(&name, data_type));
        self.returned.push(reference);
    }

    fn into_built(self, name: &str) -> Built<'a> {
        let control: Vec<_> = self
            .last_effect
            .into_iter()
            .map(|effect| effect.node)
            .collect();
        let ret = self
            .outputs
            .iter()
            .map(|output| output.name.clone())
            .zip(self.returned)
            .collect();
        let function = FunctionDef {
            signature: Some(OpDef {
                name: name.to_owned(),
                input_arg: self.inputs,
                output_arg: self.outputs,
                control_output: control.iter().map(|_| EFFECTS_OUTPUT.to_owned()).collect(),
                is_stateful: self.is_stateful,
                ..Default::default()
            }),
            node_def: self.nodes,
            ret,
            control_ret: control
                .into_iter()
                .map(|node| (EFFECTS_OUTPUT.to_owned(), node))
                .collect(),
            ..Default::default()
        };
        Built {
            function,
            tasks: self.tasks,
            called: self.called,
        }
    }
}

/// Operations.
impl<'a> Builder<'_, '_, 'a, '_> {
    fn operation(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        match op.name() {
            OP => self.tensor_op(op),
            tensor::Const::NAME if is_copied(op.result(0)) => Ok(()),
            tensor::Const::NAME => self.constant(op),
            tensor::FromScalar::NAME => self.alias(op),
            tensor::ToScalar::NAME => self.scalar(op),
            tensor::If::NAME => self.branch(op, "If", &["then", "else"]),
            tensor::Case::NAME => self.branch(op, "Case", &[]),
            tensor::While::NAME => self.repeat(op),
            tensor::Call::NAME => self.call(op),
            comm::Send::NAME => self.send(op),
            comm::Recv::NAME => self.receive(op),
            _ => Err(not_legalized(op)),
        }
    }

    fn tensor_op(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        if op.attribute(COMPUTED_ATTRIBUTE).is_some() {
            let message = "an attribute of this operation is computed: run tfx-constexpr first";
            return Err(diag::error(op.location(), message));
        }
        let resolved = (self.resolver.resolve(op))
            .map_err(|fault| diag::error(op.location(), fault.message.clone()))?;
        for symbol in named_graphs(op) {
            if !self.context.graphs.contains_key(symbol) {
                let message = format!(
                    "an attribute names @{symbol}, but no tfx_tensor.graph of that name is declared"
                );
                return Err(diag::error(op.location(), message));
            }
            self.called.push(symbol);
        }
        let inputs = self.operands(op)?;
        self.push(op, &resolved, inputs);
        Ok(())
    }

    fn constant(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let attribute = op
            .attribute("value")
            .expect("a verified constant has a value");
        let value = tensor(attribute).map_err(|reason| diag::error(op.location(), reason))?;
        let data_type = tfx_graphdef::element::from_number(value.dtype);
        let value = node::tensor(value);
        let attributes =
            node::attributes([("dtype", node::data_type(data_type)), ("value", value)]);
        let resolved = self.complete(op, "Const", &[], &[data_type], attributes)?;
        self.push(op, &resolved, Vec::new());
        Ok(())
    }

    /// The same value under another name.
    fn alias(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let reference = self.reference(op.operand(0))?;
        self.references.insert(op.result(0), reference);
        Ok(())
    }

    /// A scalar is the tensor of rank 0; any other tensor of one element is made one.
    fn scalar(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        if types::sizes(op.operand(0).ty()).is_some_and(|sizes| sizes.is_empty()) {
            return self.alias(op);
        }
        let message = format!(
            "a scalar is read from a tensor that is not of rank 0 ({}); run the pass tfx-legalize-graph first, which reshapes it",
            op.operand(0).ty()
        );
        Err(diag::error(op.location(), message))
    }

    /// `If` and `Case`: the first operand chooses, and every branch takes the same values.
    fn branch(&mut self, op: Op<'a>, operation: &str, roles: &[&str]) -> Result<(), Diag<'a>> {
        let capture_types = self.data_types(
            op,
            self.context
                .captures
                .values(op)
                .iter()
                .map(|value| value.ty()),
        )?;
        let results = self.data_types(op, op.results().map(Value::ty))?;
        let channels = self.context.captures.channels(op);
        let mut arguments = capture_types;
        arguments.extend(channels.iter().map(|_| DataType::DtResource));
        let mut operands = vec![self.data_type(op.operand(0), op.location())?];
        operands.extend(&arguments);
        let functions: Vec<_> = (0..op.num_regions())
            .map(|index| self.region_function(op, index, roles.get(index).copied(), false))
            .collect();
        let mut attributes = node::attributes([
            ("Tin", node::data_types(&arguments)),
            ("Tout", node::data_types(&results)),
            ("output_shapes", output_shapes(op.results().map(Value::ty))),
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
        let resolved = self.complete(op, &operation, &operands, &results, attributes)?;
        let mut inputs = vec![self.reference(op.operand(0))?];
        inputs.extend(self.captured(op)?);
        self.push(op, &resolved, inputs);
        Ok(())
    }

    /// `While`: what the loop carries, then what it only reads, which its body hands back.
    fn repeat(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let captures: Vec<_> = self
            .context
            .captures
            .values(op)
            .iter()
            .map(|value| value.ty())
            .collect();
        let channels = self.context.captures.channels(op);
        let carried: Vec<_> = op.results().map(Value::ty).chain(captures).collect();
        let mut data_types = self.data_types(op, carried.iter().copied())?;
        data_types.extend(channels.iter().map(|_| DataType::DtResource));
        let mut shapes: Vec<_> = carried.into_iter().map(types::shape).collect();
        shapes.extend(channels.iter().map(|_| Default::default()));
        let has_tick = self.needs_tick(op);
        let outside = shapes.len() - channels.len();
        if has_tick {
            data_types.insert(outside, DataType::DtBool);
            shapes.insert(outside, Default::default());
        }
        let condition = self.region_function(op, 0, Some("condition"), false);
        let body = self.region_function(op, 1, Some("body"), true);
        let asks_each_iteration =
            !self.context.is_compiled && op.attribute(MAY_NOT_END).is_some() && !meets_the_host(op);
        let lowers = !self.context.is_compiled && !asks_each_iteration;
        let mut attributes = node::attributes([
            ("T", node::data_types(&data_types)),
            ("cond", node::function(&condition)),
            ("body", node::function(&body)),
            ("output_shapes", node::shapes(shapes)),
            (LOWER_ATTRIBUTE, node::boolean(lowers)),
        ]);
        if asks_each_iteration {
            attributes.insert(CANCELLABLE_ATTRIBUTE.to_owned(), node::boolean(true));
        }
        if self.context.effects.of(op) == Effect::Ordered {
            attributes.insert(
                "parallel_iterations".to_owned(),
                node::integer(ORDERED_PARALLEL_ITERATIONS),
            );
        }
        let operation = self.stateless_name(op, "While");
        let resolved = self.complete(op, &operation, &data_types, &data_types, attributes)?;
        let mut inputs = self.operands(op)?;
        inputs.extend(self.captured(op)?);
        if has_tick {
            inputs.insert(outside, self.tick(op)?);
        }
        self.push(op, &resolved, inputs);
        Ok(())
    }

    /// Whether a loop carries nothing but resources: see [`Task::has_tick`].
    fn needs_tick(&self, op: Op<'a>) -> bool {
        let captures = self.context.captures.values(op);
        op.isa::<tensor::While>()
            && op
                .results()
                .chain(captures.iter().copied())
                .all(|value| types::data_type(value.ty()) == Some(DataType::DtResource))
    }

    /// What such a loop carries.
    fn tick(&mut self, op: Op<'a>) -> Result<String, Diag<'a>> {
        let value = TensorProto {
            dtype: DataType::DtBool as i32,
            tensor_shape: Some(Default::default()),
            bool_val: vec![true],
            ..Default::default()
        };
        let attributes = node::attributes([
            ("dtype", node::data_type(DataType::DtBool)),
            ("value", node::tensor(value)),
        ]);
        let types = [DataType::DtBool];
        self.own_node(op, "Const", (&[], &types), attributes, Vec::new())
    }

    fn call(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let symbol = callee(op).expect("a verified call names a graph");
        check_callee(op, self.context.graphs)?;
        let operation = match self.context.effects.of(op) {
            Effect::Pure => "PartitionedCall",
            _ => "StatefulPartitionedCall",
        };
        let operands = self.data_types(op, op.operands().map(Value::ty))?;
        let results = self.data_types(op, op.results().map(Value::ty))?;
        let mut attributes = node::attributes([
            ("Tin", node::data_types(&operands)),
            ("Tout", node::data_types(&results)),
            ("f", node::function(&self.context.names.of_symbol(symbol))),
        ]);
        if op.attribute(COMPILED_ATTRIBUTE).is_some() {
            attributes.insert(COMPILE_ATTRIBUTE.to_owned(), node::boolean(true));
        }
        let resolved = self.complete(op, operation, &operands, &results, attributes)?;
        self.called.push(symbol);
        let inputs = self.operands(op)?;
        self.push(op, &resolved, inputs);
        Ok(())
    }

    fn send(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let data_type = self.data_type(op.operand(0), op.location())?;
        let queue = naming::function_channel(channel_of(op));
        let resolved = self.complete(
            op,
            "QueueEnqueueV2",
            &[DataType::DtResource, data_type],
            &[],
            Attributes::new(),
        )?;
        let inputs = vec![queue, self.reference(op.operand(0))?];
        self.push(op, &resolved, inputs);
        Ok(())
    }

    fn receive(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let data_type = self.data_type(op.result(0), op.location())?;
        let queue = naming::function_channel(channel_of(op));
        let resolved = self.complete(
            op,
            "QueueDequeueV2",
            &[DataType::DtResource],
            &[data_type],
            Attributes::new(),
        )?;
        self.push(op, &resolved, vec![queue]);
        Ok(())
    }
}

/// The parts that several operations share.
impl<'a> Builder<'_, '_, 'a, '_> {
    /// Adds the node of an operation: in its order if that counts, with its results known to those that follow.
    fn push(&mut self, op: Op<'a>, resolved: &Resolved, mut inputs: Vec<String>) {
        let effect = self.context.effects.of(op);
        if effect.max(self.context.endless.of(op)) == Effect::Ordered {
            inputs.extend(self.control_input(&inputs));
        }
        let mut node = node::node(resolved, op, inputs, |name| self.names.take(name));
        node.device = op.string(DEVICE_ATTRIBUTE).unwrap_or_default().to_owned();
        for (index, result) in op.results().enumerate() {
            let (output, position) = resolved
                .result_name(index)
                .expect("a node has all results of its operation");
            self.references
                .insert(result, format!("{}:{output}:{position}", node.name));
        }
        if effect == Effect::Ordered {
            let runs_functions =
                op.num_regions() > 0 || callee(op).is_some() || !named_graphs(op).is_empty();
            let last = LastEffect {
                node: node.name.clone(),
                dissolves: runs_functions,
            };
            self.last_effect = Some(last);
        }
        self.is_stateful |= effect != Effect::Pure;
        self.nodes.push(node);
    }

    /// Adds a node for the needs of TensorFlow, which no operation stands for; gives its only result, which its operation calls `output`.
    fn own_node(
        &mut self,
        at: Op<'a>,
        operation: &str,
        (operands, results): (&[DataType], &[DataType]),
        attributes: Attributes,
        inputs: Vec<String>,
    ) -> Result<String, Diag<'a>> {
        let resolved = self.complete(at, operation, operands, results, attributes)?;
        let node = node::node(&resolved, at, inputs, |name| self.names.take(name));
        let reference = format!("{}:output:0", node.name);
        self.nodes.push(node);
        Ok(reference)
    }

    /// How a node waits for the last effect, when it takes those values.
    ///
    /// A node that waits for another one and takes its results does the latter alone once TensorFlow's model pruner has been there, which takes the control
    /// edge for a repetition. It is none: where an `If` is lowered or a call is inlined, a result may be there before an effect has happened, and the
    /// effect then is waited for by nobody, and pruned. So a node between the two keeps them apart.
    fn control_input(&mut self, inputs: &[String]) -> Option<String> {
        let effect = self.last_effect.as_ref()?;
        let waits_for = effect.control_input();
        let gives = |input: &String| {
            let rest = input.strip_prefix(effect.node.as_str());
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        if !effect.dissolves || !inputs.iter().any(gives) {
            return Some(waits_for);
        }
        let name = self.names.take(&format!("{}_done", effect.node));
        self.nodes.push(NodeDef {
            name: name.clone(),
            op: "NoOp".to_owned(),
            input: vec![waits_for],
            ..Default::default()
        });
        Some(format!("^{name}"))
    }

    /// How a node refers to a value. A small constant from anywhere is made here when it is first used.
    fn reference(&mut self, value: Value<'a>) -> Result<String, Diag<'a>> {
        if let Some(reference) = self.references.get(&value) {
            return Ok(reference.clone());
        }
        let constant = value
            .defining_op()
            .filter(|_| is_copied(value))
            .expect("a value is defined or captured before its use");
        self.constant(constant)?;
        Ok(self.references[&value].clone())
    }

    fn operands(&mut self, op: Op<'a>) -> Result<Vec<String>, Diag<'a>> {
        op.operands().map(|value| self.reference(value)).collect()
    }

    /// The captured values and channels of an operation, as inputs of its node.
    fn captured(&mut self, op: Op<'a>) -> Result<Vec<String>, Diag<'a>> {
        let context = self.context;
        let mut inputs: Vec<_> = context
            .captures
            .values(op)
            .iter()
            .map(|&value| self.reference(value))
            .collect::<Result<_, _>>()?;
        inputs.extend(
            context
                .captures
                .channels(op)
                .into_iter()
                .map(naming::function_channel),
        );
        Ok(inputs)
    }

    /// Leaves a region as a task; gives the name of its function.
    fn region_function(
        &mut self,
        op: Op<'a>,
        region: usize,
        role: Option<&str>,
        is_loop_body: bool,
    ) -> String {
        let role = role.map_or_else(|| format!("branch_{region}"), str::to_owned);
        let place = tfx_ir::location::place(op.location());
        let kind = op.name().rsplit('.').next().unwrap_or_default();
        let at = place.map_or_else(
            || kind.to_owned(),
            |place| naming::source_node(&place.file, place.line, place.column, kind),
        );
        let name = naming::program_name(&format!("{}_{at}_{role}", self.context.program));
        let name = self.function_names.take(&name);
        let block = op
            .region(region)
            .single_block()
            .expect("a verified region has one block");
        let after_effects = if is_loop_body {
            deciding(op)
        } else {
            Vec::new()
        };
        self.tasks.push(Task {
            name: name.clone(),
            block,
            after_effects,
            captures: self.context.captures.values(op).to_vec(),
            channels: self.context.captures.channels(op),
            is_loop_body,
            has_tick: self.needs_tick(op),
        });
        name
    }

    /// The stateless form of `If`, `Case` and `While` where nothing in them has state: TensorFlow optimizes across it.
    fn stateless_name(&self, op: Op<'a>, operation: &str) -> String {
        match self.context.effects.of(op) {
            Effect::Pure => format!("Stateless{operation}"),
            _ => operation.to_owned(),
        }
    }

    fn complete(
        &self,
        op: Op<'a>,
        operation: &str,
        operands: &[DataType],
        results: &[DataType],
        attributes: Attributes,
    ) -> Result<Resolved, Diag<'a>> {
        node::complete(operation, operands, results, attributes)
            .map_err(|error: OperationError| diag::error(op.location(), error.to_string()))
    }

    fn data_type(
        &self,
        value: Value<'a>,
        at: melior::ir::Location<'a>,
    ) -> Result<DataType, Diag<'a>> {
        types::data_type(value.ty()).ok_or_else(|| no_data_type(at, value.ty()))
    }

    fn data_types(
        &self,
        op: Op<'a>,
        types: impl Iterator<Item = Type<'a>>,
    ) -> Result<Vec<DataType>, Diag<'a>> {
        types
            .map(|r#type| {
                types::data_type(r#type).ok_or_else(|| no_data_type(op.location(), r#type))
            })
            .collect()
    }
}

/// The results of a loop's body that decide whether there is another trip, if the body has a loop or a call of its own.
///
/// Where TensorFlow's optimizer puts such a body into the graph around it, it forgets the body's control outputs, and with them effects that no result
/// needs. These results are needed by whoever needs the loop; where they wait for the effects, nothing is forgotten.
fn deciding(op: Op) -> Vec<usize> {
    let body = op.region(1).blocks().flat_map(|block| block.ops());
    let is_nested = |op: Op| matches!(op.name(), tensor::While::NAME | tensor::Call::NAME);
    let has_nested = body.into_iter().any(|op| op.walk().any(is_nested));
    let condition = op.region(0).single_block().filter(|_| has_nested);
    let arguments = condition.into_iter().flat_map(|block| block.arguments());
    arguments
        .enumerate()
        .filter(|(_, argument)| !argument.is_unused())
        .map(|(index, _)| index)
        .collect()
}

/// Whether each iteration of a loop sends or receives, so that there is a place at which the loop
/// can be cancelled.
///
/// What TensorFlow lowers a `While` to continues after the run is cancelled, for as long as no
/// operation in it fails; a `While` that is not lowered asks before each iteration, which costs about
/// a microsecond.
fn meets_the_host(op: Op) -> bool {
    let Some(body) = op.region(1).single_block() else {
        return false;
    };
    let is_message = |op: Op| matches!(op.name(), comm::Send::NAME | comm::Recv::NAME);
    // Of an iteration that is not the last, if the loop continues by the value by which the body chooses.
    let goes_on = |op: Op| {
        let condition = body.last().and_then(|end| end.operands().next());
        op.isa::<tensor::If>() && Some(op.operand(0)) == condition
    };
    let then = |op: Op<'_>| {
        let block = op.region(0).single_block();
        block.is_some_and(|block| block.ops().any(is_message))
    };
    body.ops()
        .any(|op| is_message(op) || goes_on(op) && then(op))
}

fn no_data_type<'a>(at: melior::ir::Location<'a>, r#type: Type<'a>) -> Diag<'a> {
    diag::error(
        at,
        format!(
            "TensorFlow has no element type {}",
            types::element_type(r#type)
        ),
    )
}

fn not_legalized<'a>(op: Op<'a>) -> Diag<'a> {
    let message = format!(
        "'{}' is not in the form of a GraphDef; run the pass tfx-legalize-graph on the graph first",
        op.name()
    );
    diag::error(op.location(), message)
}

pub(crate) fn argument(name: &str, data_type: DataType) -> ArgDef {
    ArgDef {
        name: name.to_owned(),
        r#type: data_type as i32,
        ..Default::default()
    }
}

fn output_shapes<'a>(types: impl Iterator<Item = Type<'a>>) -> tfx_graphdef::proto::AttrValue {
    node::shapes(types.map(types::shape).collect())
}
