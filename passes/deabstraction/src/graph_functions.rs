//! Selects the functions that stay functions: tensor-only functions that are called more than once.
//!
//! ```text
//!   @main: call @layer, call @layer, ... (1,000 times)         1,000 calls of one function of 100 operations,
//!   @layer: 100 operations                               ──►   not 100,000 operations
//! ```
//!
//! Such a function is marked (`tfx.graph_function`) and its calls stay; `tfx-partition` turns it
//! into a graph, and its calls into operations of the calling graphs. A function is *tensor-only*
//! if neither it nor its callees contain host code: no print, assert, abort or foreign call, no
//! closure, array or object, no recursion, no scalar operation that a graph cannot run. Its
//! parameters and results must be values that can cross, or structs and tuples of such. A scalar
//! result must come from a tensor: after inlining, both sides compute values that depend on scalars
//! alone, and nothing crosses. For the same reason a small function with scalar results is inlined:
//! a predicate or a metric must not cost more messages than its code in place. A closure that is
//! only applied where it is made counts as a call.
//!
//! # Algorithm
//!
//! Two passes over the call graph. Callees first: the contents of a function, and the number of
//! operations of its body. Callers first: the number of copies of each function, which determines
//! the number of calls of its callees; a function with two calls or more stays, and counts as one
//! copy from there on. Functions that it calls once are inlined into it.
//!
//! A function that a front end has marked stays if it is called at all; an error reports why it
//! cannot. So the pass is idempotent.
//!
//! Cost: linear in the module.
//!
//! Limits: a function with an inout parameter, or that makes closures for others, is inlined,
//! though it may be tensor-only once these are removed; the application of a closure counts
//! as one call for each operation that makes the closure.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use tfx_dialects::{host, tensor};
use tfx_ir::ops::{Structured, arith, cf, func, scf};

use melior::ir::{Attribute, Location, Type, TypeLike};
use tfx_dialects::replicable::{is_eager, replicable, transferable};
use tfx_dialects::types::{HostType, host_type, is_generic};
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::symbols::{GRAPH_FUNCTION, is_graph_function};
use tfx_ir::{Block, Op, Use, Value};

use crate::layout::{Layouts, is_reference, key};
use crate::names;

/// The largest body that is copied to each call: a call is itself an operation, with a function
/// behind it that TensorFlow has to look up, check and expand, and CSE does not cross calls.
const TINY: u64 = 4;

/// The largest body with scalar results that is copied to each call: around the calls, both sides
/// can then compute its scalars, and common subexpressions of two calls are merged. A predicate or
/// a metric is smaller; with larger bodies, a thousand calls would be 100,000 operations.
const SMALL: u64 = 100;

/// The facts of `tfx-inline` about a function with a body.
pub(crate) struct Candidate<'a> {
    pub(crate) op: Op<'a>,
    /// Its calls would be inlined.
    pub(crate) dissolves: bool,
}

/// The decisions about the functions with a body, in their order.
#[derive(Default)]
pub(crate) struct GraphFunctions {
    /// It stays, and its calls stay calls.
    stays: Vec<bool>,
    /// A graph function can contain its code.
    is_graph_code: Vec<bool>,
    /// An attribute in it or in its callees depends on its parameters, or may.
    is_specific: Vec<bool>,
}

impl GraphFunctions {
    /// Returns whether a call is inlined, if a graph function is involved: a call of one is not;
    /// the calls inside of one are, even without tensors, since the host would have to execute
    /// them.
    pub(crate) fn decide(&self, caller: usize, callee: usize) -> Option<bool> {
        if *self.stays.get(callee)? {
            return Some(false);
        }
        (self.stays[caller] && self.is_graph_code[callee]).then_some(true)
    }

    /// Returns whether a function stays as a graph function.
    pub(crate) fn stays(&self, function: usize) -> bool {
        self.stays.get(function).is_some_and(|stays| *stays)
    }

    /// Returns whether an attribute depends on the arguments of a function, or may.
    pub(crate) fn is_specific(&self, function: usize) -> bool {
        self.is_specific.get(function).is_some_and(|is| *is)
    }

    /// Returns the number of functions that stay.
    pub(crate) fn count(&self) -> u64 {
        self.stays.iter().filter(|stays| **stays).count() as u64
    }
}

/// Selects the functions that stay and marks them. `callers_first` orders the functions, callers
/// before callees.
pub(crate) fn choose<'a>(
    module: Op<'a>,
    functions: &[Candidate<'a>],
    index: &HashMap<&'a str, usize>,
    callers_first: &[usize],
) -> Result<GraphFunctions, Diagnostics<'a>> {
    let mut reader = Reader {
        layouts: Layouts::new(module),
        crosses: HashMap::default(),
        index,
        fixed: signatures_that_stay(module),
    };
    let mut bodies = Vec::with_capacity(functions.len());
    for function in functions {
        bodies.push(reader.read(function.op)?);
    }
    let mut chooser = Chooser { functions, bodies };
    let is_specific = chooser.callees_first(callers_first);
    let mut result = chooser.callers_first(callers_first);
    result.is_specific = is_specific;
    for (function, stays) in functions.iter().zip(&result.stays) {
        if *stays {
            function
                .op
                .set_attribute(GRAPH_FUNCTION, Attribute::unit(function.op.context()));
        }
    }
    chooser.refuse_marks()?;
    Ok(result)
}

/// Removes the marks, if everything is to be inlined.
pub(crate) fn unmark(functions: &[Candidate<'_>]) {
    for function in functions {
        function.op.remove_attribute(GRAPH_FUNCTION);
    }
}

/// The functions that closures and witness tables name: `tfx-scalarize` does not change their
/// signatures.
fn signatures_that_stay<'a>(module: Op<'a>) -> HashSet<&'a str> {
    let mut found = HashSet::default();
    for op in module.walk() {
        names::symbols_other_than_calls(op, |symbol| _ = found.insert(symbol));
    }
    found
}

/// The relevant facts about a function.
struct Body<'a> {
    /// The number of graph operations; `callees_first` adds those of callees that would be inlined.
    size: u64,
    /// True if a parameter, or a part of one, is not a tensor: attributes can depend on those
    /// alone.
    has_scalar_parameters: bool,
    /// True if a result, or a part of one, is not a tensor.
    has_scalar_results: bool,
    /// True if it, or a callee, reads scalars from tensors.
    reads_tensors: bool,
    /// The operations with computed attributes.
    computed: Vec<tensor::Op<'a>>,
    /// The functions with a body that it calls or makes closures of.
    reaches: Vec<(Op<'a>, usize)>,
    /// The reason that keeps its code out of a graph.
    obstacle: Option<Obstacle<'a>>,
    /// The reason that keeps its calls out of a graph, if its code could be inlined into a graph
    /// function.
    signature: Option<Obstacle<'a>>,
}

/// Something that only the host can have, with its location.
#[derive(Clone)]
struct Obstacle<'a> {
    location: Location<'a>,
    what: String,
}

impl<'a> Obstacle<'a> {
    fn new(location: Location<'a>, what: impl Into<String>) -> Self {
        Self {
            location,
            what: what.into(),
        }
    }
}

/// Analyzes functions one by one, and each type once.
struct Reader<'r, 'a> {
    layouts: Layouts<'a>,
    /// By type: whether its values, or their parts, can cross; for a reference, its referent.
    crosses: HashMap<usize, bool>,
    index: &'r HashMap<&'a str, usize>,
    fixed: HashSet<&'a str>,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self, func: Op<'a>) -> Result<Body<'a>, Diagnostic<'a>> {
        let mut body = Body {
            size: 0,
            has_scalar_parameters: false,
            has_scalar_results: false,
            reads_tensors: false,
            computed: Vec::new(),
            reaches: Vec::new(),
            obstacle: None,
            signature: None,
        };
        if is_generic(func) {
            body.obstacle = Some(Obstacle::new(func.location(), "it is generic"));
            return Ok(body);
        }
        body.signature = self.signature(func)?;
        let (inputs, results) = func.signature();
        body.has_scalar_parameters = self.has_scalars(&inputs, func)?;
        body.has_scalar_results = self.has_scalars(&results, func)?;
        for op in func.walk().skip(1) {
            let callee = self.callee(op);
            body.reaches.extend(callee.map(|callee| (op, callee)));
            if body.obstacle.is_none() {
                body.obstacle = self.obstacle(op)?;
            }
            body.size += u64::from(is_graph_operation(op));
            body.reads_tensors |= op.isa::<tensor::ToScalar>();
            body.computed
                .extend(tensor::Op::cast(op).filter(|op| op.computed().is_some()));
        }
        Ok(body)
    }

    fn has_scalars(&mut self, types: &[Type<'a>], func: Op<'a>) -> Result<bool, Diagnostic<'a>> {
        let mut found = false;
        for ty in types {
            let leaves = self.layouts.leaves(*ty, func.location())?;
            found |= leaves.iter().any(|leaf| !leaf.is_tensor());
        }
        Ok(found)
    }

    /// Returns the function with a body that an operation calls or makes a closure of.
    fn callee(&self, op: Op<'a>) -> Option<usize> {
        matches!(op.name(), func::Call::NAME | host::Closure::NAME)
            .then(|| op.symbol("callee"))?
            .and_then(|symbol| self.index.get(symbol).copied())
    }

    fn signature(&mut self, func: Op<'a>) -> Result<Option<Obstacle<'a>>, Diagnostic<'a>> {
        let (inputs, results) = func.signature();
        let fixed = func
            .symbol_name()
            .is_some_and(|name| self.fixed.contains(name));
        for ty in inputs.into_iter().chain(results) {
            let fits = if fixed {
                transferable(ty)
            } else {
                !is_reference(ty) && self.crosses(ty, func.location())?
            };
            if !fits {
                let what =
                    format!("its signature has the type '{ty}', which graphs do not support");
                return Ok(Some(Obstacle::new(func.location(), what)));
            }
        }
        Ok(None)
    }

    fn obstacle(&mut self, op: Op<'a>) -> Result<Option<Obstacle<'a>>, Diagnostic<'a>> {
        if op.isa::<func::Call>() && self.callee(op).is_none() {
            let callee = op.symbol("callee").unwrap_or_default();
            let what = format!("it calls the foreign function '@{callee}'");
            return Ok(Some(Obstacle::new(op.location(), what)));
        }
        if is_eager(op) {
            let what = "it contains an operation that runs by itself on the host";
            return Ok(Some(Obstacle::new(op.location(), what)));
        }
        if is_applied_in_place(op) && self.callee(op).is_some() {
            return Ok(None);
        }
        if !can_be_in_graph(op) {
            let what = format!("it contains '{}', which only the host can run", op.name());
            return Ok(Some(Obstacle::new(op.location(), what)));
        }
        for value in op.definitions() {
            if !self.crosses(value.ty(), op.location())? {
                let what = format!(
                    "it has a value of type '{}', which graphs do not support",
                    value.ty()
                );
                return Ok(Some(Obstacle::new(value.location(), what)));
            }
        }
        Ok(None)
    }

    fn crosses(&mut self, ty: Type<'a>, user: Location<'a>) -> Result<bool, Diagnostic<'a>> {
        if let Some(&crosses) = self.crosses.get(&key(ty)) {
            return Ok(crosses);
        }
        let leaves = self.layouts.leaves(ty, user)?;
        let crosses = leaves.into_iter().all(|leaf| match host_type(leaf) {
            Some(HostType::Ref(pointee)) => transferable(pointee),
            _ => transferable(leaf),
        });
        self.crosses.insert(key(ty), crosses);
        Ok(crosses)
    }
}

/// Returns whether an operation makes a closure that is only applied in the same function: inlining
/// turns the applications into calls.
fn is_applied_in_place(op: Op<'_>) -> bool {
    let applies = |used: Use<'_>| used.owner.isa::<host::Apply>() && used.operand == 0;
    host::Closure::cast(op).is_some_and(|closure| closure.closure().uses().all(applies))
}

/// Returns whether an operation of the source can end up in a graph: it is tensor code, has the
/// same meaning on both sides, is control flow, or is an abstraction that deabstraction removes.
fn can_be_in_graph(op: Op<'_>) -> bool {
    if let Some(apply) = host::Apply::cast(op) {
        let maker = apply.closure().defining_op();
        return maker.is_some_and(is_applied_in_place);
    }
    match op.name() {
        tensor::Op::NAME | func::Call::NAME | func::Return::NAME => true,
        host::MakeStruct::NAME
        | host::Extract::NAME
        | host::Insert::NAME
        | host::MakeTuple::NAME
        | host::TupleGet::NAME
        | host::FieldRef::NAME
        | host::Var::NAME
        | host::Load::NAME
        | host::Store::NAME
        | host::Undef::NAME
        | host::MakeEnum::NAME
        | host::EnumTag::NAME
        | host::EnumPayload::NAME
        | host::SwitchEnum::NAME => true,
        cf::Branch::NAME | cf::CondBranch::NAME | cf::Switch::NAME => true,
        scf::Yield::NAME | scf::Condition::NAME => true,
        _ => Structured::cast(op).is_some() || replicable(op),
    }
}

/// Returns whether an operation counts for the size of a body: it becomes an operation of a graph.
/// Constants and moves of values do not count.
fn is_graph_operation(op: Op<'_>) -> bool {
    match op.name() {
        tensor::Const::NAME
        | tensor::FromScalar::NAME
        | tensor::ToScalar::NAME
        | arith::Constant::NAME
        | cf::Branch::NAME
        | scf::Yield::NAME
        | scf::Condition::NAME
        | func::Call::NAME
        | func::Return::NAME => false,
        host::SwitchEnum::NAME => true,
        _ => op.dialect() != "tfx_host",
    }
}

/// Returns the operands that become attributes, the last ones; they must be constants by then.
fn attribute_operands<'a>(op: tensor::Op<'a>) -> impl Iterator<Item = Value<'a>> {
    let count = op.computed().map_or(0, |names| names.len());
    let operands = Op::from(op).operands();
    operands.skip(op.num_operands().saturating_sub(count))
}

struct Chooser<'f, 'a> {
    functions: &'f [Candidate<'a>],
    bodies: Vec<Body<'a>>,
}

impl<'a> Chooser<'_, 'a> {
    /// Adds to each function the obstacles of its callees, and the sizes of those that are inlined
    /// into it. Returns the functions whose attributes depend on their arguments.
    fn callees_first(&mut self, callers_first: &[usize]) -> Vec<bool> {
        let mut done = vec![false; self.bodies.len()];
        let mut specific = vec![false; self.bodies.len()];
        for &function in callers_first.iter().rev() {
            let mut size = self.bodies[function].size;
            let mut obstacle = self.bodies[function].obstacle.take();
            let mut reads_tensors = self.bodies[function].reads_tensors;
            for &(op, callee) in &self.bodies[function].reaches {
                size = size.saturating_add(if self.may_stay(callee) {
                    1
                } else {
                    self.bodies[callee].size
                });
                reads_tensors |= self.bodies[callee].reads_tensors;
                obstacle = obstacle.or_else(|| self.obstacle_of_call(op, callee, done[callee]));
            }
            let attribute = self.attribute_parameter(function, &specific).map(|op| {
                let what = "an attribute of this operation depends on parameters of the function, which are known only where it is inlined";
                Obstacle::new(op.location(), what)
            });
            specific[function] = attribute.is_some();
            let body = &mut self.bodies[function];
            body.size = size;
            body.reads_tensors = reads_tensors;
            body.obstacle = obstacle;
            body.signature = body.signature.take().or(attribute);
            done[function] = true;
        }
        specific
    }

    fn obstacle_of_call(&self, op: Op<'a>, callee: usize, done: bool) -> Option<Obstacle<'a>> {
        let name = self.functions[callee].op.symbol_name().unwrap_or_default();
        let what = if !done {
            format!("it is recursive through '@{name}'")
        } else if self.bodies[callee].obstacle.is_some() {
            format!("it calls '@{name}', which is not tensor-only")
        } else {
            return None;
        };
        Some(Obstacle::new(op.location(), what))
    }

    /// Returns an operation whose attributes depend on the parameters of a function, or may: the
    /// function must be inlined, so that they are constants. For a marked function only certain
    /// dependences count: this pass may have marked it before it inlined code whose branches
    /// compute constants, which only `tfx-constexpr` can decide.
    fn attribute_parameter(&self, function: usize, specific: &[bool]) -> Option<Op<'a>> {
        let body = &self.bodies[function];
        if !body.has_scalar_parameters {
            return None;
        }
        let is_marked = self.is_marked(function);
        let entry = self.functions[function].op.region(0).entry();
        let mut seen = HashSet::default();
        let mut depends = |value| {
            let origins = origins(value, entry, &mut seen);
            origins.has_parameters || origins.has_unknown && !is_marked
        };
        let mut calls = body
            .reaches
            .iter()
            .filter(|(_, callee)| specific[*callee])
            .map(|(op, _)| *op);
        let call = calls.find(|op| {
            let scalars = op.operands().filter(|value| !value.ty().is_tensor());
            scalars.into_iter().any(&mut depends)
        });
        let mut computed = body.computed.iter().copied();
        call.or_else(|| {
            let found = computed.find(|op| attribute_operands(*op).any(&mut depends));
            found.map(Op::from)
        })
    }

    /// Returns whether a function stays if it is called often enough.
    fn may_stay(&self, function: usize) -> bool {
        let body = &self.bodies[function];
        // Both sides can compute a scalar that does not depend on a tensor. Inlined, both do, and
        // nothing crosses.
        let mixed = body.has_scalar_results && !body.reads_tensors;
        let few = if body.has_scalar_results { SMALL } else { TINY };
        let wanted = body.size > few && !mixed || self.is_marked(function);
        wanted
            && (self.functions[function].dissolves || self.is_marked(function))
            && body.obstacle.is_none()
            && body.signature.is_none()
    }

    fn is_marked(&self, function: usize) -> bool {
        is_graph_function(self.functions[function].op)
    }

    /// Counts the future calls, and keeps the functions that have more than one.
    fn callers_first(&self, callers_first: &[usize]) -> GraphFunctions {
        let mut calls = vec![0u64; self.bodies.len()];
        let mut stays = vec![false; self.bodies.len()];
        for &function in callers_first {
            let candidate = &self.functions[function];
            let is_root = !candidate.op.is_private();
            stays[function] =
                self.may_stay(function) && (calls[function] > 1 || self.is_marked(function));
            let copies = if stays[function] || !candidate.dissolves {
                u64::from(is_root || calls[function] > 0)
            } else {
                calls[function].saturating_add(u64::from(is_root))
            };
            for &(_, callee) in &self.bodies[function].reaches {
                calls[callee] = calls[callee].saturating_add(copies);
            }
        }
        GraphFunctions {
            stays,
            is_graph_code: self
                .bodies
                .iter()
                .map(|body| body.obstacle.is_none())
                .collect(),
            is_specific: Vec::new(),
        }
    }

    /// Returns an error for each marked function that cannot be a graph function.
    fn refuse_marks(&self) -> Result<(), Diagnostics<'a>> {
        let mut errors = Diagnostics::default();
        for (function, body) in self.bodies.iter().enumerate() {
            let op = self.functions[function].op;
            let obstacle = body.obstacle.as_ref().or(body.signature.as_ref());
            let Some(obstacle) = obstacle.filter(|_| self.is_marked(function)) else {
                continue;
            };
            let message = format!(
                "'@{}' cannot be a graph function: {}",
                op.symbol_name().unwrap_or_default(),
                obstacle.what
            );
            let note =
                format!("it is marked here; without '{GRAPH_FUNCTION}' its calls are inlined");
            errors.push(diag::error(obstacle.location, message).note(op.location(), note));
        }
        errors.finish()
    }
}

/// The origins of a value, other than constants.
#[derive(Default)]
struct Origins {
    /// Parameters of the function.
    has_parameters: bool,
    /// Arguments of other blocks, variables, or results of regions, whose origins are not followed.
    has_unknown: bool,
}

/// Returns the origins of a value in a function with this entry, without those of the operations in
/// `seen`.
fn origins<'a>(value: Value<'a>, entry: Option<Block<'a>>, seen: &mut HashSet<Op<'a>>) -> Origins {
    let mut found = Origins::default();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value.defining_op() {
            None if value.block() == entry => found.has_parameters = true,
            None => found.has_unknown = true,
            Some(op) if op.isa::<host::Load>() || op.num_regions() > 0 => found.has_unknown = true,
            Some(op) if seen.insert(op) => todo.extend(op.operands()),
            Some(_) => {}
        }
    }
    found
}
