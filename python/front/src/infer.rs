//! Inference of types and constants together, along reachable edges.
//!
//! ```text
//!   (function, types of arguments and captures) ──> instance: a state for each node, a result type
//!   node = (block, positions of unrolled loops)     a loop over a tuple: a node for each position
//! ```
//!
//! The analysis is sparse conditional constant propagation (Wegman and Zadeck, 1991) over types:
//! a state maps each live variable to a type, states are joined where paths meet, and the edge of a
//! branch is followed only if the condition may have its value. A function is analyzed once for
//! each signature. A recursive call has the result that is known so far; the outermost call of the
//! recursion is analyzed until its result no longer changes.
//!
//! A type changes a few times: a constant becomes unknown, a size becomes dynamic, a variable may
//! be unbound. So the cost is linear in the size of the instances, times the number of live
//! variables.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tfx::runtime::DType;
use tfx_python_syntax::Span;

use crate::error::Error;
use crate::evaluate::Evaluator;
use crate::hir::{BlockId, Body, FileId, FunctionId, Slot};
use crate::run_block::{Outcome, State, run_block};
use crate::target::{Attribute, Elements, Foreign, Predicate, Result, Stop, Target};
use crate::value::{Leaf, TensorType, Value, join};
use crate::world::{Global, World, function_name};

/// The number of nodes of an instance: unrolled loops multiply.
const NODES: usize = 4096;

/// The depth of calls with constants that differ: recursion over constants.
const CONSTANT_DEPTH: usize = 64;

/// The number of calls that an error lists.
const CALLS: usize = 4;

/// The node of an instance.
pub(crate) type NodeKey = (BlockId, Vec<(Slot, usize)>);

/// A function with the types of its arguments.
#[derive(Debug)]
pub(crate) struct Instance {
    pub function: FunctionId,
    /// The types of the parameters and of the captured variables.
    pub frame: Vec<Value<()>>,
    pub nodes: BTreeMap<NodeKey, State<()>>,
    /// None if no path returns.
    pub result: Option<(Value<()>, Span)>,
    pub callees: BTreeSet<usize>,
    /// The captured values of the process that it or its callees read.
    pub captured: BTreeSet<usize>,
    is_running: bool,
    is_used: bool,
    is_done: bool,
}

/// The analysis of a program.
#[derive(Debug)]
pub(crate) struct Analysis<'w> {
    pub world: &'w World,
    pub instances: Vec<Instance>,
    by_key: HashMap<String, usize>,
    /// The functions whose constant arguments are a part of the signature.
    specialized: BTreeSet<FunctionId>,
    running: Vec<usize>,
}

impl<'w> Analysis<'w> {
    /// Analyzes a program from its entry function.
    pub(crate) fn run(
        world: &'w World,
        entry: FunctionId,
        arguments: Vec<Value<()>>,
    ) -> std::result::Result<(Self, usize), Error> {
        let mut analysis = Analysis {
            world,
            instances: Vec::new(),
            by_key: HashMap::new(),
            specialized: BTreeSet::new(),
            running: Vec::new(),
        };
        let body = &world.bodies[entry];
        let captures = vec![Value::Unbound; body.captures.len()];
        match analysis.instance(entry, arguments, captures) {
            Ok(id) => {
                analysis.close_captured();
                Ok((analysis, id))
            }
            Err(stop) => Err(analysis.error(body, stop)),
        }
    }

    /// Adds what callees read of the process to their callers.
    fn close_captured(&mut self) {
        let mut callers = vec![Vec::new(); self.instances.len()];
        for (id, instance) in self.instances.iter().enumerate() {
            for &callee in &instance.callees {
                callers[callee].push(id);
            }
        }
        let mut work: Vec<usize> = (0..self.instances.len()).collect();
        while let Some(callee) = work.pop() {
            let captured = self.instances[callee].captured.clone();
            for &caller in &callers[callee] {
                let own = &mut self.instances[caller].captured;
                let before = own.len();
                own.extend(captured.iter().copied());
                if own.len() != before {
                    work.push(caller);
                }
            }
        }
    }

    fn error(&self, body: &Body, stop: Stop) -> Error {
        match stop {
            Stop::Error(span, message) | Stop::NotConstant(span, message) => {
                self.world.error(body.file, span, message)
            }
            Stop::Elsewhere(error) => *error,
            Stop::Diverges | Stop::Bottom => self.world.error(
                body.file,
                body.function.span,
                "internal error: an instance has no end".to_owned(),
            ),
        }
    }

    /// Returns the instance of a call.
    fn instance(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<()>>,
        captures: Vec<Value<()>>,
    ) -> Result<usize> {
        let constant: Vec<_> = arguments.into_iter().chain(captures).collect();
        let general: Vec<_> = constant.iter().map(Value::generalized).collect();
        if !self.specialized.contains(&function) {
            match self.signature(function, general.clone()) {
                Err(Stop::NotConstant(..)) if general != constant => {
                    self.specialized.insert(function);
                }
                other => return other,
            }
        }
        let depth = self.running.iter();
        let depth = depth.filter(|id| self.instances[**id].function == function);
        if depth.count() > CONSTANT_DEPTH {
            let span = self.world.bodies[function].function.span;
            let name = function_name(self.world, function);
            let message = format!(
                "'{name}' calls itself with ever other constants; pass what changes as a tensor"
            );
            return Err(Stop::Error(span, message));
        }
        self.signature(function, constant)
    }

    /// Returns the instance of a call that was analyzed before.
    pub(crate) fn find(
        &self,
        function: FunctionId,
        arguments: Vec<Value<()>>,
        captures: Vec<Value<()>>,
    ) -> Option<usize> {
        let constant: Vec<_> = arguments.into_iter().chain(captures).collect();
        let general: Vec<_> = constant.iter().map(Value::generalized).collect();
        let found = |frame: &[Value<()>]| self.by_key.get(&key(function, frame)).copied();
        match self.specialized.contains(&function) {
            true => found(&constant).or_else(|| found(&general)),
            false => found(&general),
        }
    }

    fn signature(&mut self, function: FunctionId, frame: Vec<Value<()>>) -> Result<usize> {
        let key = key(function, &frame);
        if let Some(&id) = self.by_key.get(&key) {
            let instance = &mut self.instances[id];
            if instance.is_done {
                return Ok(id);
            }
            if instance.is_running {
                instance.is_used = true;
                return match instance.result {
                    Some(_) => Ok(id),
                    None => Err(Stop::Bottom),
                };
            }
        }
        let id = match self.by_key.get(&key) {
            Some(&id) => id,
            None => {
                self.instances.push(Instance {
                    function,
                    frame,
                    nodes: BTreeMap::new(),
                    result: None,
                    callees: BTreeSet::new(),
                    captured: BTreeSet::new(),
                    is_running: false,
                    is_used: false,
                    is_done: false,
                });
                self.by_key.insert(key.clone(), self.instances.len() - 1);
                self.instances.len() - 1
            }
        };
        let first_new = self.instances.len();
        self.instances[id].is_running = true;
        self.running.push(id);
        let outcome = loop {
            let before = self.instances[id].result.clone();
            self.instances[id].is_used = false;
            if let Err(stop) = self.analyze(id) {
                break Err(stop);
            }
            let instance = &self.instances[id];
            if !instance.is_used || instance.result == before {
                break Ok(());
            }
            // What the recursion has called is analyzed again with the new result.
            for later in &mut self.instances[first_new..] {
                later.is_done = false;
            }
        };
        self.running.pop();
        self.instances[id].is_running = false;
        if let Err(stop) = outcome {
            self.by_key.remove(&key);
            return Err(stop);
        }
        // Inside of an outer recursion, the result is not final.
        let body = &self.world.bodies[function];
        if self.instances[id].is_used && self.instances[id].result.is_none() {
            let name = function_name(self.world, function);
            let message = format!("return type of '{name}': every path calls '{name}'");
            return Err(Stop::Elsewhere(Box::new(self.world.error(
                body.file,
                body.function.span,
                message,
            ))));
        }
        self.instances[id].is_done = true;
        Ok(id)
    }

    /// Analyzes the nodes of an instance.
    fn analyze(&mut self, id: usize) -> Result<()> {
        let body = Arc::clone(&self.world.bodies[self.instances[id].function]);
        let mut state = State::new();
        let slots = body.parameters.iter().copied();
        let slots = slots.chain(body.captures.iter().map(|&(_, own)| own));
        for (slot, ty) in slots.zip(self.instances[id].frame.clone()) {
            if ty != Value::Unbound {
                state.insert(slot, (ty, body.function.span));
            }
        }
        let entry = (0, statics(&body, 0, &state));
        self.instances[id].nodes = BTreeMap::from([(entry.clone(), state)]);
        let mut work = BTreeSet::from([entry]);
        while let Some(node) = work.pop_first() {
            let mut state = self.instances[id].nodes[&node].clone();
            let mut target = Infer {
                analysis: &mut *self,
                instance: id,
            };
            let outcome = match run_block(&mut target, &body, node.0, &mut state) {
                Ok(Some(outcome)) => outcome,
                Ok(None) | Err(Stop::Diverges | Stop::Bottom) => continue,
                Err(stop) => return Err(self.located(&body, stop)),
            };
            let successors = match outcome {
                Outcome::Jump(block) => vec![block],
                Outcome::Branch(Value::Bool(_, Some(value)), then, otherwise) => {
                    vec![if value { then } else { otherwise }]
                }
                Outcome::Branch(_, then, otherwise) => vec![then, otherwise],
                Outcome::Return(value, span) => {
                    self.returned(id, &body, value, span)?;
                    continue;
                }
            };
            for block in successors {
                let live: State<()> = state
                    .iter()
                    .filter(|(slot, _)| body.live[block as usize].contains(slot))
                    .map(|(slot, value)| (*slot, value.clone()))
                    .collect();
                let key = (block, statics(&body, block, &live));
                if self.reached(id, &key, live) {
                    work.insert(key);
                }
            }
            if self.instances[id].nodes.len() > NODES {
                let message =
                    "the loops of this function are unrolled too often; use range() or a tensor";
                return Err(
                    self.located(&body, Stop::Error(body.function.span, message.to_owned()))
                );
            }
        }
        Ok(())
    }

    /// Gives an error its place.
    fn located(&self, body: &Body, stop: Stop) -> Stop {
        match stop {
            Stop::Error(span, message) => {
                Stop::Elsewhere(Box::new(self.world.error(body.file, span, message)))
            }
            other => other,
        }
    }

    fn returned(&mut self, id: usize, body: &Body, value: Value<()>, span: Span) -> Result<()> {
        let world = self.world;
        let names = |class| world.class_name(class);
        let value = value.generalized();
        let instance = &mut self.instances[id];
        let joined = match &instance.result {
            None => value,
            Some((before, place)) => join(before, &value, [*place, span], &names).generalized(),
        };
        if let Some(conflict) = find_conflict(&joined) {
            let [first, second] = conflict.places;
            let place = world.place(body.file, second);
            let [a, b] = &conflict.types;
            let message = format!(
                "'{}' returns {a} here and {b} at {}:{}; return one type",
                body.function.name, place.line, place.column
            );
            return Err(Stop::Elsewhere(Box::new(
                world.error(body.file, first, message),
            )));
        }
        let place = instance.result.as_ref().map_or(span, |(_, place)| *place);
        instance.result = Some((joined, place));
        Ok(())
    }

    /// Joins a state into a node. Returns whether the node must be visited (again).
    fn reached(&mut self, id: usize, key: &NodeKey, state: State<()>) -> bool {
        let world = self.world;
        let names = |class| world.class_name(class);
        let nodes = &mut self.instances[id].nodes;
        let Some(before) = nodes.get_mut(key) else {
            nodes.insert(key.clone(), state);
            return true;
        };
        let mut changed = false;
        let unbound = (Value::Unbound, Span::default());
        let slots: BTreeSet<Slot> = before.keys().chain(state.keys()).copied().collect();
        for slot in slots {
            let (a, place) = before.get(&slot).unwrap_or(&unbound);
            let (b, other) = state.get(&slot).unwrap_or(&unbound);
            let joined = join(a, b, [*place, *other], &names);
            if joined != *a {
                changed = true;
                let place = if *a == Value::Unbound { *other } else { *place };
                before.insert(slot, (joined, place));
            }
        }
        changed
    }
}

fn find_conflict(value: &Value<()>) -> Option<&crate::value::Conflict> {
    match value {
        Value::Conflict(conflict) => Some(conflict),
        Value::Tuple(parts) | Value::List(parts) | Value::Struct(_, parts) => {
            parts.iter().find_map(find_conflict)
        }
        _ => None,
    }
}

fn key(function: FunctionId, frame: &[Value<()>]) -> String {
    format!("{function} {frame:?}")
}

/// The positions of the unrolled loops that are live in a block.
pub(crate) fn statics<V>(body: &Body, block: BlockId, state: &State<V>) -> Vec<(Slot, usize)> {
    let live = &body.live[block as usize];
    let positions = state.iter().filter(|(slot, _)| live.contains(slot));
    let position = |value: &Value<V>| match value {
        Value::Iterator(of) => of.position(),
        // The list of a comprehension grows with its unrolled loop.
        _ => None,
    };
    positions
        .filter_map(|(slot, (value, _))| Some((*slot, position(value)?)))
        .collect()
}

/// The target that has types only.
struct Infer<'a, 'w> {
    analysis: &'a mut Analysis<'w>,
    instance: usize,
}

impl Infer<'_, '_> {
    fn called(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<()>>,
        captures: Vec<Value<()>>,
        span: Span,
    ) -> Result<usize> {
        let caller = self.analysis.instances[self.instance].function;
        let id = match self.analysis.instance(function, arguments, captures) {
            Ok(id) => id,
            Err(Stop::Elsewhere(mut error)) => {
                if error.calls.len() < CALLS {
                    let world = self.analysis.world;
                    let place = world.place(world.bodies[caller].file, span);
                    let name = function_name(world, function).to_owned();
                    error.calls.push((place, name));
                }
                return Err(Stop::Elsewhere(error));
            }
            Err(Stop::NotConstant(place, message)) => {
                let world = self.analysis.world;
                let file = world.bodies[function].file;
                let mut error = world.error(file, place, message);
                let call = world.place(world.bodies[caller].file, span);
                error
                    .calls
                    .push((call, function_name(world, function).to_owned()));
                // The caller may have the constant.
                return Err(match self.analysis.specialized.contains(&caller) {
                    false => Stop::NotConstant(span, error.to_string()),
                    true => Stop::Elsewhere(Box::new(error)),
                });
            }
            Err(other) => return Err(other),
        };
        self.analysis.instances[self.instance].callees.insert(id);
        Ok(id)
    }
}

impl Target for Infer<'_, '_> {
    type V = ();

    fn int(&mut self, _: i64) {}
    fn float(&mut self, _: f64) {}
    fn bool(&mut self, _: bool) {}
    fn string(&mut self, _: &str) {}
    fn scalar(&mut self, _: &'static str, _: &[()]) {}
    fn compare(&mut self, _: bool, _: Predicate, _: &(), _: &()) {}
    fn convert(&mut self, _: &'static str, _: &(), _: DType) {}
    fn check(&mut self, _: &(), _: &str, _: &str) {}
    fn tensor(
        &mut self,
        _: &'static str,
        _: &[()],
        _: &[(&'static str, Attribute)],
        _: &TensorType,
    ) {
    }
    fn constant(&mut self, _: &Elements, _: &TensorType) {}
    fn tensor_of_scalar(&mut self, _: &(), _: DType) {}
    fn scalar_of_tensor(&mut self, _: &(), _: DType) {}

    fn foreign(&mut self, _: Foreign, _: &[((), Leaf)], results: &[Leaf]) -> Vec<()> {
        vec![(); results.len()]
    }

    fn diverge(&mut self) {}

    fn call(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<()>>,
        captures: Vec<Value<()>>,
        span: Span,
    ) -> Result<Value<()>> {
        let id = self.called(function, arguments, captures, span)?;
        match &self.analysis.instances[id].result {
            Some((result, _)) => Ok(result.clone()),
            None => Err(Stop::Diverges),
        }
    }

    fn gradient(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<()>>,
        captures: Vec<Value<()>>,
        wants_value: bool,
        wrt: usize,
        span: Span,
    ) -> Result<(Option<Value<()>>, Value<()>)> {
        let gradient = arguments[wrt].generalized();
        let id = self.called(function, arguments, captures, span)?;
        let Some((result, _)) = &self.analysis.instances[id].result else {
            return Err(Stop::Diverges);
        };
        let is_float = match result {
            Value::Float(..) => true,
            Value::Tensor((), ty) => ty.rank() == 0 && matches!(ty.dtype, DType::F32 | DType::F64),
            _ => false,
        };
        if !is_float {
            let world = self.analysis.world;
            let found = result.describe(&|class| world.class_name(class));
            return Err(Stop::Error(
                span,
                format!(
                    "a function with a gradient returns one float, not {found}; write tfx.mean(..) or tfx.sum(..)"
                ),
            ));
        }
        Ok((wants_value.then(|| result.clone()), gradient))
    }

    fn global(&mut self, file: FileId, name: &str, span: Span) -> Result<Value<()>> {
        let global = self.analysis.world.global(file, name).cloned();
        if let Some(Global::Captured(id)) = global {
            let instance = &mut self.analysis.instances[self.instance];
            instance.captured.insert(id);
            return Ok(self.analysis.world.captured[id].ty.clone());
        }
        let mut evaluator = Evaluator {
            target: self,
            file,
            span,
        };
        evaluator.global_value(name, global)
    }

    fn world(&self) -> &World {
        self.analysis.world
    }

    fn set_span(&mut self, _: FileId, _: Span) {}
}
