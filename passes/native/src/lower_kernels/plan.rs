//! The plan of a compiled graph: kernels and scalar operations in order, on numbered buffers.
//!
//! ```text
//! %h = MatMul(%x, %w)                         run product x w -> b3
//! %a = Relu(AddV2(%h, %b))          ──►       run map relu(b3 + b) -> b4            fused
//! %s = Sum(%a)                                run reduce sum b4 -> b5;  s0 = load b5
//! %r = while (%i = ..., %v = ...)             loop s1, (b6, b7): condition [...], body [...]
//! ```
//!
//! Tensors of rank 0 are scalars, which live in registers. An elementwise operation with one use by
//! a kernel of the same block is computed where it is used; any other result is stored. The value
//! that a loop carries to its next iteration is written directly to one of two buffers, while the
//! current one is read; which of them is current is a pointer. If an iteration only replaces slices
//! of the value, it does so in one buffer, in place (`plan/carried.rs`). A result that a block
//! yields is written directly to its destination where it is computed.
//!
//! At the end, kernels on the same rows are fused (`rows.rs`).
//!
//! # Unknown sizes
//!
//! Each unknown size of an argument is a symbol, and so is one that an operation states at run time
//! (`BroadcastTo`) or that branches yield, unless it follows from others (`plan/integers.rs`). The
//! rules of operations equate sizes (`extent.rs`). A plan that has learned of new equations is
//! thrown away, and the next one starts with them. What was assumed of arguments is checked when
//! the code is called, and what was assumed of the integers that state a shape is checked where
//! they are used.
//!
//! # Failures
//!
//! [`Step::Fail`] gives up: the caller runs the graph by other means, which reports the error. A
//! plan that has failed continues with any values, and touches no memory of others.
//!
//! One walk over the graph for each set of new equations, usually two; callees are planned in place
//! of their calls. Recursive in nested regions and calls, up to [`MOST_NESTING`]. Linear in the
//! graph with its callees expanded.

pub(crate) mod carried;
mod integers;
mod lookups;
mod pools;
mod scans;
mod windows;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use tfx_dialects::tensor::{self, TensorOp};
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::tensors;
use tfx_ir::{Block, Op, Value};

use super::constants;
use super::kernel::{BodyBuilder, Call, Expression, Kernel, Product, Shared};
use super::rows::{self, Rows};
use crate::element::Element;
use crate::extent::{Extent, Shape, Symbols, count, known_shape};
use crate::operations::{
    self, Axis, Lowering, NotCompiled, Reduction, Reshaping, Rest, RowWise, Stated,
};
use crate::random::Distribution;
use crate::scalar::{Constant, Function};
use carried::Change;
use windows::convolution_shape;

/// The maximal nesting of regions and calls in compiled code: more than in programs that people
/// write, and little enough for the stack.
const MOST_NESTING: usize = 64;

/// A scalar: a constant, the number of a computed one, or a size by its position in
/// [`Plan::sizes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Operand {
    Constant(Constant),
    Computed(usize, Element),
    Size(usize, Element),
}

impl Operand {
    pub(super) fn element(self) -> Element {
        match self {
            Operand::Constant(constant) => constant.element,
            Operand::Computed(_, element) | Operand::Size(_, element) => element,
        }
    }
}

/// The memory of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// An argument of the graph, by position.
    Argument(usize),
    /// A result of the graph, by position.
    Result(usize),
    /// The working memory of the call.
    Arena,
    /// A constant of the module, by position in [`Plan::constants`].
    Constant(usize),
    /// The address is a value of a loop.
    Carried,
    /// The memory of a task, which follows from its number in the task.
    Task,
}

/// A sequence of elements in memory.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) place: Place,
    pub(super) element: Element,
    pub(super) count: Extent,
}

/// The buffers of a plan, by number.
#[derive(Debug, Default)]
pub(super) struct Buffers(Vec<Buffer>);

impl Buffers {
    pub(super) fn get(&self, buffer: usize) -> &Buffer {
        &self.0[buffer]
    }

    pub(super) fn element(&self, buffer: usize) -> Element {
        self.0[buffer].element
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn set_count(&mut self, buffer: usize, count: Extent) {
        self.0[buffer].count = count;
    }

    pub(super) fn set_place(&mut self, buffer: usize, place: Place) {
        self.0[buffer].place = place;
    }

    pub(super) fn add(&mut self, place: Place, element: Element, count: Extent) -> usize {
        self.0.push(Buffer {
            place,
            element,
            count,
        });
        self.0.len() - 1
    }
}

/// One step of a plan.
#[derive(Debug)]
pub(super) enum Step {
    /// Computes the scalar `result`.
    Compute {
        result: usize,
        function: Function,
        operands: Vec<Operand>,
    },
    /// Reads the only element of a buffer.
    Load { result: usize, buffer: usize },
    /// Writes the only element of a buffer.
    Store { buffer: usize, value: Operand },
    /// Runs a kernel.
    Run(Call),
    /// Runs kernels for blocks of rows.
    Rows(Rows),
    /// Copies all elements.
    Copy { from: usize, to: usize },
    /// Runs one of several sequences: that of a selector (out of range: the last), or the first one
    /// for a true condition and the second for a false one.
    Branch {
        selector: Operand,
        branches: Vec<Sequence>,
        /// The scalars that the sequences yield.
        results: Vec<(usize, Element)>,
    },
    /// Runs `body` while `condition` yields true.
    Loop(Loop),
    /// Gives up if a condition is true.
    Fail(Operand),
}

/// Steps, and the scalars that they yield.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    pub(super) steps: Vec<Step>,
    pub(super) yields: Vec<Operand>,
}

/// A loop.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) scalars: Vec<CarriedScalar>,
    pub(super) buffers: Vec<CarriedBuffer>,
    /// Yields one boolean.
    pub(super) condition: Sequence,
    /// Yields the next scalars.
    pub(super) body: Sequence,
}

/// A scalar that a loop carries.
#[derive(Debug)]
pub(super) struct CarriedScalar {
    pub(super) initial: Operand,
    /// The scalar in the condition and in the body.
    pub(super) current: usize,
    /// The scalar after the loop.
    pub(super) last: usize,
}

/// A buffer that a loop carries. An iteration reads `current` and writes `next`.
#[derive(Debug)]
pub(super) struct CarriedBuffer {
    pub(super) initial: usize,
    pub(super) current: usize,
    pub(super) next: usize,
    /// The buffer after the loop.
    pub(super) last: usize,
    /// The memory of the iterations, alternately.
    pub(super) slots: [usize; 2],
}

/// The plan of a graph.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(super) buffers: Buffers,
    /// The bytes of constants.
    pub(super) constants: Vec<Vec<u8>>,
    pub(super) steps: Vec<Step>,
    /// The arguments and results: element type and shape.
    pub(super) arguments: Vec<(Element, Shape)>,
    pub(super) results: Vec<(Element, Shape)>,
    /// The number of scalars.
    pub(super) scalars: usize,
    /// The sizes that the code uses and that are not constants.
    pub(super) sizes: Vec<Extent>,
    /// The cost of a task, at least (`tasks.rs`).
    pub(super) task_cost: i64,
    /// True for accelerators: each kernel is a launch of its own.
    is_of_launches: bool,
}

impl Plan {
    /// Lists a size that the code uses, unless it is a constant.
    pub(super) fn list(&mut self, extent: &Extent) {
        if extent.as_known().is_none() {
            self.size(extent);
        }
    }

    /// Returns the position of a size in the list, to which it is added if it is new.
    fn size(&mut self, extent: &Extent) -> usize {
        let found = self.sizes.iter().position(|known| known == extent);
        found.unwrap_or_else(|| {
            self.sizes.push(extent.clone());
            self.sizes.len() - 1
        })
    }
}

/// The reason why a graph has no plan.
#[derive(Debug)]
pub(crate) struct NotPlanned<'a> {
    /// A sentence without a full stop.
    pub(crate) reason: String,
    /// The operations without which there may be one, in the graph or in its callees.
    pub(crate) at: Vec<Op<'a>>,
}

/// Plans a graph whose callees are in `graphs`. `task_cost` is the least cost of a task.
///
/// # Errors
/// The reason why the graph is not compiled.
pub(crate) fn plan<'a>(
    graph: Op<'a>,
    graphs: &HashMap<&'a str, Op<'a>>,
    task_cost: i64,
) -> Result<Plan, NotPlanned<'a>> {
    let empty = || Plan {
        task_cost,
        ..Plan::default()
    };
    plan_from(empty, graph, graphs)
}

/// Plans a graph for an accelerator: without blocks of rows, and without tasks.
///
/// # Errors
/// As for [`plan`].
pub(super) fn plan_launches<'a>(
    graph: Op<'a>,
    graphs: &HashMap<&'a str, Op<'a>>,
) -> Result<Plan, NotPlanned<'a>> {
    let empty = || Plan {
        is_of_launches: true,
        ..Plan::default()
    };
    plan_from(empty, graph, graphs)
}

/// Plans a graph, starting with an empty plan.
fn plan_from<'a>(
    empty: impl Fn() -> Plan,
    graph: Op<'a>,
    graphs: &HashMap<&'a str, Op<'a>>,
) -> Result<Plan, NotPlanned<'a>> {
    let mut symbols = Symbols::default();
    loop {
        let mut planner = Planner {
            graphs,
            symbols,
            plan: empty(),
            forms: HashMap::new(),
            shapes: HashMap::new(),
            destinations: HashMap::new(),
            in_place: BTreeSet::new(),
            captures: HashMap::new(),
            origins: Vec::new(),
            at: Vec::new(),
            current: None,
            nesting: 0,
        };
        let planned = planner.graph(graph);
        symbols = planner.symbols;
        // Each equation solves one symbol, so there is a last one.
        if !symbols.restart() {
            let at = planner.at;
            return match planned {
                Ok(()) => Ok(planner.plan),
                Err(reason) => Err(NotPlanned { reason, at }),
            };
        }
    }
}

/// The form of a tensor in the plan.
#[derive(Clone, Debug)]
enum Form {
    /// A tensor of rank 0.
    Scalar(Operand),
    /// A tensor in memory.
    Stored(usize),
    /// A tensor that the kernels that use it compute.
    Lazy(Shared),
    /// A list of integers that are known when the call starts.
    Integers(Vec<Extent>),
}

struct Planner<'g, 'a> {
    graphs: &'g HashMap<&'a str, Op<'a>>,
    symbols: Symbols,
    plan: Plan,
    forms: HashMap<Value<'a>, Form>,
    /// The shapes of values whose types leave sizes open.
    shapes: HashMap<Value<'a>, Shape>,
    /// The buffers that values are to be written to.
    destinations: HashMap<Value<'a>, usize>,
    /// The buffers of the tensors of which the loops that are planned replace slices. Each value in
    /// one has one use, which may overwrite it.
    in_place: BTreeSet<usize>,
    captures: HashMap<Op<'a>, Rc<Captures<'a>>>,
    /// The operation whose result has each symbol; none for those of arguments and results.
    origins: Vec<Option<Op<'a>>>,
    /// The operations that are planned, or that stand in the way of a plan.
    at: Vec<Op<'a>>,
    /// The block whose operations are planned.
    current: Option<Block<'a>>,
    nesting: usize,
}

/// The result of a part of the planning, or the reason why the graph is not compiled.
type Planned<T> = Result<T, String>;

impl<'a> Planner<'_, 'a> {
    // ------------------------------------------------------------------ graphs and blocks

    fn graph(&mut self, graph: Op<'a>) -> Planned<()> {
        let block = single_block(graph, 0)?;
        for argument in block.arguments() {
            let shape = self.new_shape(argument)?;
            self.set_shape(argument, shape)?;
        }
        let arguments = self.symbols.used();
        for (position, argument) in block.arguments().enumerate() {
            let (element, shape) = self.described(argument)?;
            let place = Place::Argument(position);
            let buffer = self.plan.buffers.add(place, element, count(&shape));
            let form = match shape.is_empty() {
                true => Form::Scalar(self.load(buffer)),
                false => Form::Stored(buffer),
            };
            self.forms.insert(argument, form);
            self.plan.arguments.push((element, shape));
        }
        let returned = terminator(block)?;
        let mut destinations = Vec::new();
        for (position, value) in returned.operands().enumerate() {
            let (element, shape) = (element(value)?, self.new_shape(value)?);
            let place = Place::Result(position);
            destinations.push(self.plan.buffers.add(place, element, count(&shape)));
            self.plan.results.push((element, shape));
        }
        for (value, &buffer) in returned.operands().zip(&destinations) {
            self.expect(value, block, buffer);
        }
        self.block(graph, block, |this| {
            for (position, value) in returned.operands().enumerate() {
                this.at = value.defining_op().into_iter().collect();
                let expected = this.plan.results[position].1.clone();
                let (_, shape) = this.described(value)?;
                this.equate(&expected, &shape)?;
                this.write(value, destinations[position])?;
            }
            Ok(())
        })?;
        self.finish(arguments)
    }

    /// Lists the sizes that the code uses. The first `arguments` symbols are sizes of arguments.
    ///
    /// # Errors
    /// One of them is known only at run time.
    fn finish(&mut self, arguments: usize) -> Planned<()> {
        let plan = &mut self.plan;
        match plan.is_of_launches {
            true => rows::settle_all(plan),
            false => rows::fuse(plan),
        }
        let types = plan.arguments.iter().chain(&plan.results);
        let sizes: Vec<_> = types.flat_map(|(_, shape)| shape.clone()).collect();
        sizes.iter().for_each(|size| plan.list(size));
        let buffers = plan.buffers.0.iter().map(|buffer| &buffer.count);
        let symbols = plan.sizes.iter().chain(buffers).flat_map(Extent::symbols);
        let unknown: BTreeSet<_> = symbols
            .map(|&symbol| symbol as usize)
            .filter(|&symbol| symbol >= arguments)
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        // The symbol of a result may stand for that of the operation that makes its size.
        let is_unknown = |symbol: usize| {
            let resolved = self.symbols.resolve(&Extent::symbol(symbol as u32));
            let mut symbols = resolved.symbols().iter();
            symbols.any(|&symbol| unknown.contains(&(symbol as usize)))
        };
        let origins = self.origins.iter().enumerate();
        let origins = origins.filter(|(symbol, _)| is_unknown(*symbol));
        self.at = origins.filter_map(|(_, origin)| *origin).collect();
        Err("the size of its result depends on the elements of a tensor".to_owned())
    }

    /// Plans the operations of a block, then what `finish` plans for its terminator. `graph` is the
    /// graph around it.
    fn block<T>(
        &mut self,
        graph: Op<'a>,
        block: Block<'a>,
        finish: impl FnOnce(&mut Self) -> Planned<T>,
    ) -> Planned<T> {
        self.nesting += 1;
        if self.nesting > MOST_NESTING {
            return Err(format!(
                "its regions and calls nest deeper than {MOST_NESTING}"
            ));
        }
        let outer = self.current.replace(block);
        for op in block.ops().filter(|op| !op.is_terminator()) {
            self.at = vec![op];
            match TensorOp::cast(op) {
                Some(TensorOp::Op(op)) => self.operation(op)?,
                Some(TensorOp::Const(constant)) => self.constant(constant)?,
                Some(TensorOp::FromScalar(_) | TensorOp::ToScalar(_)) => {
                    let form = self.form(op.operand(0))?;
                    self.forms.insert(op.result(0), form);
                }
                Some(TensorOp::If(_) | TensorOp::Case(_)) => self.branch(graph, op)?,
                Some(TensorOp::While(_)) => self.while_loop(graph, op)?,
                Some(TensorOp::Call(call)) => self.call(call)?,
                _ => return Err(format!("it contains '{}'", op.name())),
            }
        }
        self.at = block.parent().into_iter().collect();
        let finished = finish(self)?;
        self.current = outer;
        self.nesting -= 1;
        Ok(finished)
    }

    /// Plans steps separately.
    fn sequence(
        &mut self,
        plan: impl FnOnce(&mut Self) -> Planned<Vec<Operand>>,
    ) -> Planned<Sequence> {
        let outer = std::mem::take(&mut self.plan.steps);
        let yields = plan(self);
        let steps = std::mem::replace(&mut self.plan.steps, outer);
        Ok(Sequence {
            steps,
            yields: yields?,
        })
    }

    /// Lets a value that a block yields be written to a buffer where it is computed. If the block
    /// yields it several times, the first buffer counts.
    fn expect(&mut self, value: Value<'a>, block: Block<'a>, buffer: usize) {
        let value = origin(value);
        if value.block() == Some(block) && value.defining_op().is_some() {
            self.destinations.entry(value).or_insert(buffer);
        }
    }

    fn call(&mut self, call: tensor::Call<'a>) -> Planned<()> {
        let callee = self.graphs.get(call.callee()).copied();
        let graph = callee.ok_or("it calls a graph that does not exist")?;
        let block = single_block(graph, 0)?;
        for (argument, value) in block.arguments().zip(call.op().operands()) {
            let (_, shape) = self.described(value)?;
            self.set_shape(argument, shape)?;
            let form = self.settled(value)?;
            self.forms.insert(argument, form);
        }
        let returned = terminator(block)?;
        self.block(graph, block, |this| {
            for (result, value) in call.op().results().zip(returned.operands()) {
                let (_, shape) = this.described(value)?;
                this.set_shape(result, shape)?;
                let form = this.settled(value)?;
                this.forms.insert(result, form);
            }
            Ok(())
        })
    }

    /// Returns the form of a value with any number of uses: what costs something is computed once.
    fn settled(&mut self, value: Value<'a>) -> Planned<Form> {
        match self.form(value)? {
            Form::Lazy(expression) if !expression.is_free() => self.stored(value).map(Form::Stored),
            form => Ok(form),
        }
    }

    // ------------------------------------------------------------------ shapes

    /// Returns the element type and the shape of a value.
    fn described(&self, value: Value<'a>) -> Planned<(Element, Shape)> {
        let element = element(value)?;
        let shape = match self.shapes.get(&value) {
            Some(shape) => shape
                .iter()
                .map(|size| self.symbols.resolve(size))
                .collect(),
            None => static_shape(value).ok_or("a value is used before its definition")?,
        };
        Ok((element, shape))
    }

    /// Returns the sizes that the type of a value states, and symbols for the others.
    fn new_shape(&mut self, value: Value<'a>) -> Planned<Shape> {
        let mut shape = Vec::new();
        for size in sizes(value)? {
            shape.push(match size {
                Some(size) => Extent::size(size),
                None => {
                    self.origins.push(self.at.first().copied());
                    self.symbols.next()
                }
            });
        }
        Ok(shape)
    }

    /// Sets the shape of a value, whose type may state some sizes.
    fn set_shape(&mut self, value: Value<'a>, mut shape: Shape) -> Planned<()> {
        let stated = sizes(value)?;
        if stated.len() != shape.len() {
            return Err("a value has another rank than its type".to_owned());
        }
        for (size, stated) in shape.iter_mut().zip(&stated) {
            if let Some(stated) = stated {
                let stated = Extent::size(*stated);
                self.symbols.equate(size, &stated)?;
                *size = stated;
            }
        }
        if stated.contains(&None) {
            self.shapes.insert(value, shape);
        }
        Ok(())
    }

    fn equate(&mut self, one: &[Extent], other: &[Extent]) -> Planned<()> {
        if one.len() != other.len() {
            return Err("two values have different ranks".to_owned());
        }
        let mut sizes = one.iter().zip(other);
        sizes.try_for_each(|(one, other)| self.symbols.equate(one, other))?;
        Ok(())
    }

    /// Returns the shape that shapes are broadcast to. Sizes that are unknown are assumed to be
    /// those of the result.
    fn broadcast(&mut self, shapes: &[Shape]) -> Planned<Shape> {
        let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
        let mut result = vec![Extent::known(1); rank];
        for shape in shapes {
            for (size, own) in result[rank - shape.len()..].iter_mut().zip(shape) {
                match size.is(1) {
                    true => *size = own.clone(),
                    false if own.is(1) => {}
                    false => self.symbols.equate(size, own)?,
                }
            }
        }
        Ok(result)
    }

    /// Returns the shape of the result of an operation.
    fn result_shape(&mut self, op: Op<'a>, lowering: &Lowering) -> Planned<Shape> {
        let result = op.result(0);
        let stated = sizes(result)?;
        let mut shapes = Vec::new();
        for operand in op.operands() {
            shapes.push(self.described(operand)?.1);
        }
        // Types that state all sizes fit each other. Other sizes that are known by now may not.
        if let Some(shape) = static_shape(result)
            && op.operands().all(has_static_type)
        {
            return Ok(shape);
        }
        Ok(match lowering {
            Lowering::Elementwise(_) | Lowering::Division(_) | Lowering::SumAll => {
                self.broadcast(&shapes)?
            }
            Lowering::Same(Reshaping::None) | Lowering::Scan(_) => shapes.swap_remove(0),
            Lowering::Same(Reshaping::Insert(axis)) => {
                let mut shape = shapes.swap_remove(0);
                shape.insert(*axis, Extent::known(1));
                shape
            }
            Lowering::Same(Reshaping::Remove(listed)) => {
                for &axis in listed {
                    self.symbols.equate(&shapes[0][axis], &Extent::known(1))?;
                }
                let is_kept = |(axis, size): &(usize, &Extent)| match listed[..] {
                    [] => !size.is(1),
                    _ => !listed.contains(axis),
                };
                let dimensions = shapes[0].iter().enumerate().filter(is_kept);
                dimensions.map(|(_, size)| size.clone()).collect()
            }
            Lowering::Same(Reshaping::Stated(operand)) => {
                let elements = count(&shapes[0]);
                let shape = match self.integers(op.operand(*operand)) {
                    Some(stated) => reshaped(&elements, &stated)?,
                    // A gradient is reshaped to the shape of the operand, which it has already if a
                    // reduction has kept a dimension.
                    None if fits(&shapes[0], &stated)
                        && shapes[0].iter().any(|size| size.is(1)) =>
                    {
                        shapes.swap_remove(0)
                    }
                    None => self.new_shape(result)?,
                };
                self.symbols.equate(&count(&shape), &elements)?;
                shape
            }
            Lowering::View { axes } => view_shape(axes, &shapes[0], &stated),
            Lowering::Inside { .. } => {
                let shape = self.integers(op.operand(0));
                shape.ok_or("the sizes of its result are known only at run time")?
            }
            Lowering::Views { operand, views } => {
                for (result, axes) in op.results().zip(views).skip(1) {
                    let shape = view_shape(axes, &shapes[*operand], &sizes(result)?);
                    self.set_shape(result, shape)?;
                }
                view_shape(&views[0], &shapes[*operand], &stated)
            }
            Lowering::Broadcast { operand, shape } => {
                let result = match self.integers(op.operand(*shape)) {
                    Some(stated) => stated,
                    None => self.new_shape(result)?,
                };
                let wide = self.broadcast(&[shapes.swap_remove(*operand), result.clone()])?;
                self.equate(&wide, &result)?;
                result
            }
            Lowering::Reduce { reduced, .. } => {
                reduced_shape(&shapes[0], reduced, stated.len() == reduced.len())
            }
            Lowering::SumRepeated => reduced_shape(&shapes[0], &self.repeated(op)?, true),
            // The lists have no elements in memory, unless all sizes are known.
            Lowering::Repeated => self.new_shape(result)?,
            Lowering::Product {
                transpose_a,
                transpose_b,
                is_shared,
            } => {
                let matrix = |shape: &Shape, is_transposed| match &shape[..] {
                    [batch @ .., rows, columns] if is_transposed => {
                        Some((batch.to_vec(), columns.clone(), rows.clone()))
                    }
                    [batch @ .., rows, columns] => {
                        Some((batch.to_vec(), rows.clone(), columns.clone()))
                    }
                    _ => None,
                };
                let matrices =
                    matrix(&shapes[0], *transpose_a).zip(matrix(&shapes[1], *transpose_b));
                let ((mut batch, m, k), (other_batch, other_k, n)) =
                    matrices.ok_or("a matrix has fewer than two dimensions")?;
                if !is_shared {
                    self.equate(&batch, &other_batch)?;
                }
                self.symbols.equate(&k, &other_k)?;
                batch.extend([m, n]);
                batch
            }
            Lowering::RowWise(RowWise::Softmax | RowWise::LogSoftmax) => shapes.swap_remove(0),
            Lowering::RowWise(RowWise::CrossEntropy) => {
                let (mut logits, labels) = (shapes[0].clone(), &shapes[1]);
                self.equate(&logits, labels)?;
                self.set_shape(op.result(1), logits.clone())?;
                logits.pop();
                logits
            }
            Lowering::RowWise(RowWise::SparseCrossEntropy) => {
                let (mut logits, labels) = (shapes[0].clone(), &shapes[1]);
                self.set_shape(op.result(1), logits.clone())?;
                logits.pop();
                self.equate(&logits, labels)?;
                logits
            }
            Lowering::Pack { axis } => {
                let mut shape = shapes[0].clone();
                for other in &shapes {
                    self.equate(&shape, other)?;
                }
                shape.insert(*axis, Extent::size(shapes.len() as u64));
                shape
            }
            Lowering::Concat { axis } => {
                let (_, parts) = shapes.split_last().ok_or("it has no operand")?;
                let mut shape = parts[0].clone();
                let mut sum = 0;
                for part in parts {
                    let size = part[*axis].as_known();
                    sum += size.ok_or("it joins tensors along a dimension of unknown size")?;
                    shape[*axis] = part[*axis].clone();
                    self.equate(&shape, part)?;
                }
                shape[*axis] = Extent::known(sum);
                shape
            }
            Lowering::Pad { .. } => {
                let sizes = stated.into_iter().zip(shapes.swap_remove(0));
                let size = |(stated, own): (Option<u64>, Extent)| stated.map_or(own, Extent::size);
                sizes.map(size).collect()
            }
            Lowering::Sizes(Stated::Shape) => vec![Extent::size(shapes[0].len() as u64)],
            Lowering::Sizes(Stated::Rank | Stated::Size) => Shape::new(),
            Lowering::Range => {
                let [start, limit, step] = [0, 1, 2].map(|it| self.integers(op.operand(it)));
                let is_counted =
                    start == Some(vec![Extent::known(0)]) && step == Some(vec![Extent::known(1)]);
                // A size is not negative.
                match limit.as_deref() {
                    Some([limit]) if is_counted && limit.factor() >= 0 => vec![limit.clone()],
                    _ => self.new_shape(result)?,
                }
            }
            Lowering::Convolution(convolution) => convolution_shape(convolution, &shapes)?,
            Lowering::Windowed(windowed) => pools::windowed_shape(windowed, &shapes)?,
            Lowering::Lookup(lookup) => self.looked_up_shape(*lookup, &shapes)?,
            Lowering::Scatter(scatter) => self.scattered_shape(op, *scatter, &shapes)?,
            Lowering::Position { axis, .. } => {
                let mut shape = shapes.swap_remove(0);
                shape.remove(*axis);
                shape
            }
            Lowering::OneHot { axis } => lookups::one_hot_shape(op, *axis, &shapes[0])?,
            Lowering::Random(_) => {
                self.equate(&shapes[1], &[Extent::known(2)])?;
                match self.integers(op.operand(0)) {
                    Some(stated) => stated,
                    None => self.new_shape(result)?,
                }
            }
        })
    }

    // ------------------------------------------------------------------ values

    fn form(&self, value: Value<'a>) -> Planned<Form> {
        let form = self.forms.get(&value).cloned();
        form.ok_or_else(|| {
            let reason = match operations::repeating(value).is_some() {
                true => "the dimensions that a broadcast repeats are used as data",
                false => "a value is used before its definition",
            };
            reason.to_owned()
        })
    }

    fn scalar_number(&mut self) -> usize {
        self.plan.scalars += 1;
        self.plan.scalars - 1
    }

    /// Reads the only element of a buffer.
    fn load(&mut self, buffer: usize) -> Operand {
        let result = self.scalar_number();
        self.plan.steps.push(Step::Load { result, buffer });
        Operand::Computed(result, self.plan.buffers.element(buffer))
    }

    /// Returns a tensor of rank 0 as a scalar.
    fn scalar(&mut self, value: Value<'a>) -> Planned<Operand> {
        match self.form(value)? {
            Form::Scalar(operand) => Ok(operand),
            Form::Lazy(expression) if expression.as_splat().is_some() => {
                Ok(expression.as_splat().expect("it is one"))
            }
            Form::Stored(_) | Form::Lazy(_) | Form::Integers(_) => {
                let buffer = self.stored(value)?;
                Ok(self.load(buffer))
            }
        }
    }

    /// Returns the elements of a tensor for a kernel that computes them where it uses them.
    fn expression(&mut self, value: Value<'a>) -> Planned<Shared> {
        let (element, shape) = self.described(value)?;
        Ok(match self.form(value)? {
            Form::Scalar(operand) => Expression::splat(operand, &shape, element),
            Form::Stored(buffer) => Expression::read(buffer, &shape, element),
            Form::Integers(list) if list.len() == 1 => {
                Expression::splat(self.size(&list[0], element), &shape, element)
            }
            Form::Integers(_) => Expression::read(self.stored(value)?, &shape, element),
            Form::Lazy(expression) if expression.is_large() => {
                Expression::read(self.stored(value)?, &shape, element)
            }
            Form::Lazy(expression) => expression,
        })
    }

    /// Returns the buffer of a tensor, which is written if it is not in memory yet.
    fn stored(&mut self, value: Value<'a>) -> Planned<usize> {
        let (element, shape) = self.described(value)?;
        let expression = match self.form(value)? {
            Form::Stored(buffer) => return Ok(buffer),
            Form::Scalar(operand) => Expression::splat(operand, &shape, element),
            Form::Lazy(expression) => expression,
            Form::Integers(list) => return self.listed(value, &list),
        };
        if let Some(buffer) = expression.as_read() {
            return Ok(buffer);
        }
        let buffer = self.destination(value, element, count(&shape));
        self.compute(&expression, buffer);
        // A value from outside of this block may be needed where this buffer is not written.
        if value.block() == self.current {
            self.forms.insert(value, Form::Stored(buffer));
        }
        Ok(buffer)
    }

    /// Writes a tensor to a buffer.
    fn write(&mut self, value: Value<'a>, buffer: usize) -> Planned<()> {
        match self.form(value)? {
            Form::Scalar(value) => self.plan.steps.push(Step::Store { buffer, value }),
            Form::Stored(from) => self.copy(from, buffer),
            Form::Integers(list) => {
                let element = element(value)?;
                self.write_list(&list, element, buffer);
            }
            Form::Lazy(expression) => match expression.as_read() {
                Some(from) => self.copy(from, buffer),
                None => self.compute(&expression, buffer),
            },
        }
        Ok(())
    }

    /// Returns the buffer that a value is to be written to: its destination, or a new one.
    fn destination(&mut self, value: Value<'a>, element: Element, count: Extent) -> usize {
        let expected = self.destinations.remove(&value);
        expected.unwrap_or_else(|| self.plan.buffers.add(Place::Arena, element, count))
    }

    /// Returns the buffer of a value that its only use may overwrite.
    fn in_place(&self, value: Value<'a>) -> Option<usize> {
        match self.forms.get(&value) {
            Some(Form::Stored(buffer)) if self.in_place.contains(buffer) => Some(*buffer),
            _ => None,
        }
    }

    /// Runs a kernel that writes the elements of an expression to a buffer.
    fn compute(&mut self, expression: &Shared, buffer: usize) {
        let shape = expression.shape.clone();
        let axes: Vec<_> = (0..shape.len()).map(Axis::same).collect();
        self.write_part(expression, buffer, &shape, &axes);
    }

    /// Runs a kernel that writes the elements of an expression to a part of a buffer: `axes` are
    /// the indices in the buffer, which has this shape, of the dimensions of the expression.
    fn write_part(&mut self, expression: &Shared, buffer: usize, shape: &[Extent], axes: &[Axis]) {
        if self.symbols.has_grown() {
            return;
        }
        let loops = expression.shape.len();
        let mut builder = BodyBuilder::new(&self.plan.buffers, loops);
        let same: Vec<_> = (0..loops).map(Axis::same).collect();
        builder.add(expression, &same);
        let output = builder.access(buffer, shape, axes);
        let sizes = expression.shape.clone();
        let call = builder.finish(|body| Kernel::Map {
            sizes,
            body,
            output,
        });
        self.plan.steps.push(Step::Run(call));
    }

    fn copy(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        let count = self.plan.buffers.get(from).count.clone();
        self.plan.list(&count);
        self.plan.steps.push(Step::Copy { from, to });
    }

    /// Returns a size as a scalar.
    fn size(&mut self, extent: &Extent, element: Element) -> Operand {
        match extent.as_known() {
            Some(bits) => Operand::Constant(Constant {
                element,
                bits: bits as u64,
            }),
            None => Operand::Size(self.plan.size(extent), element),
        }
    }

    /// Computes a scalar.
    fn compute_scalar(&mut self, function: Function, operands: Vec<Operand>) -> Operand {
        let elements: Vec<_> = operands.iter().map(|operand| operand.element()).collect();
        let result = self.scalar_number();
        self.plan.steps.push(Step::Compute {
            result,
            function,
            operands,
        });
        Operand::Computed(result, function.result(&elements))
    }

    /// Gives up if a condition is true for any element.
    fn fail_if_any(&mut self, condition: &Shared) {
        let fails = match condition.as_splat() {
            Some(operand) => operand,
            None => {
                let buffer = self
                    .plan
                    .buffers
                    .add(Place::Arena, Element::Bool, Extent::known(1));
                let reduced = vec![true; condition.shape.len()];
                self.reduce(condition, Reduction::Any, &reduced, None, buffer);
                self.load(buffer)
            }
        };
        self.plan.steps.push(Step::Fail(fails));
    }

    /// Defines a result that kernels can compute where they use it.
    fn define(&mut self, value: Value<'a>, expression: Shared) -> Planned<()> {
        if expression.shape.is_empty() && expression.as_splat().is_some() {
            let operand = expression.as_splat().expect("it is one");
            self.forms.insert(value, Form::Scalar(operand));
            return Ok(());
        }
        let is_free = expression.is_free();
        self.forms.insert(value, Form::Lazy(expression));
        if !is_free && !has_one_use(value) {
            self.stored(value)?;
        }
        self.settle(value)
    }

    /// Reads a tensor of rank 0 into a scalar.
    fn settle(&mut self, value: Value<'a>) -> Planned<()> {
        if self.described(value)?.1.is_empty() {
            let operand = self.scalar(value)?;
            self.forms.insert(value, Form::Scalar(operand));
        }
        Ok(())
    }

    // ------------------------------------------------------------------ operations

    /// Returns a buffer with constant elements.
    fn constant_buffer(&mut self, elements: &[u64], element: Element, count: Extent) -> usize {
        self.plan
            .constants
            .push(constants::bytes(elements, element));
        let place = Place::Constant(self.plan.constants.len() - 1);
        self.plan.buffers.add(place, element, count)
    }

    fn constant(&mut self, constant: tensor::Const<'a>) -> Planned<()> {
        let value = constant.op().result(0);
        let (element, shape) = self.described(value)?;
        let proto = tensors::tensor(constant.value()).map_err(|error| error.to_string())?;
        let stored = constants::elements(&proto, element);
        let form = match stored[..] {
            [bits] => {
                let operand = Operand::Constant(Constant { element, bits });
                match shape.is_empty() {
                    true => Form::Scalar(operand),
                    false => Form::Lazy(Expression::splat(operand, &shape, element)),
                }
            }
            _ => Form::Stored(self.constant_buffer(&stored, element, count(&shape))),
        };
        self.forms.insert(value, form);
        Ok(())
    }

    fn operation(&mut self, op: tensor::Op<'a>) -> Planned<()> {
        let lowering = operations::classify(op).map_err(|NotCompiled(reason)| reason)?;
        let op = op.op();
        let result = op.result(0);
        let shape = self.result_shape(op, &lowering)?;
        self.set_shape(result, shape)?;
        if let Some(form) = self.known_form(op, &lowering)? {
            self.forms.insert(result, form);
            return Ok(());
        }
        let (element, shape) = self.described(result)?;
        match lowering {
            Lowering::Elementwise(function) => self.elementwise(op, function),
            Lowering::Division(function) => self.division(op, function),
            Lowering::Sizes(_) => Err("there is no native code for its integers".to_owned()),
            Lowering::Repeated => {
                self.repeated_lists(op);
                Ok(())
            }
            Lowering::Same(reshaping) => {
                if let Reshaping::Stated(operand) = reshaping {
                    self.check_stated(op, operand)?;
                }
                self.same(op)
            }
            Lowering::View { axes } => {
                let source = self.expression(op.operand(0))?;
                self.define(result, Expression::view(source, axes, &shape))
            }
            Lowering::Inside { operand, axes } => {
                let part = self.expression(op.operand(operand))?;
                let zero = Operand::Constant(Constant::number(element, 0));
                let buffer = self.destination(result, element, count(&shape));
                self.compute(&Expression::splat(zero, &shape, element), buffer);
                self.write_part(&part, buffer, &shape, &axes);
                self.forms.insert(result, Form::Stored(buffer));
                self.settle(result)
            }
            Lowering::Views { operand, views } => {
                let source = self.expression(op.operand(operand))?;
                // Several parts are computed from it.
                let source = match source.is_free() {
                    true => source,
                    false => {
                        let buffer = self.stored(op.operand(operand))?;
                        Expression::read(buffer, &source.shape, source.element)
                    }
                };
                for (result, axes) in op.results().zip(views) {
                    let (_, shape) = self.described(result)?;
                    let view = Expression::view(Rc::clone(&source), axes, &shape);
                    self.define(result, view)?;
                }
                Ok(())
            }
            Lowering::Broadcast {
                operand,
                shape: stated,
            } => {
                self.check_stated(op, stated)?;
                let source = self.expression(op.operand(operand))?;
                let axes = operations::broadcast(&source.shape, &shape);
                let axes = axes.ok_or("a tensor cannot be broadcast")?;
                self.define(result, Expression::view(source, axes, &shape))
            }
            Lowering::SumRepeated => {
                let reduced = self.repeated(op)?;
                if reduced.contains(&true) {
                    return self.reduction(op, Reduction::Sum, &reduced, false);
                }
                let source = self.expression(op.operand(0))?;
                self.define(result, source)
            }
            Lowering::Reduce {
                function,
                reduced,
                is_mean,
            } => self.reduction(op, function, &reduced, is_mean),
            Lowering::Product {
                transpose_a,
                transpose_b,
                is_shared,
            } => self.product(op, (transpose_a, transpose_b), is_shared),
            Lowering::RowWise(function) => self.row_wise(op, function),
            Lowering::Pack { axis } => {
                let parts = op.operands().enumerate().map(|(number, operand)| Part {
                    operand,
                    start: start_at(axis, number as i64, shape.len()),
                });
                self.parts(result, parts.collect(), Some(axis))
            }
            Lowering::Concat { axis } => {
                let mut at = 0;
                let mut parts = Vec::new();
                for operand in op.operands().take(op.num_operands() - 1) {
                    parts.push(Part {
                        operand,
                        start: start_at(axis, at, shape.len()),
                    });
                    let size = self.described(operand)?.1[axis].as_known();
                    at += size.ok_or("it joins tensors along a dimension of unknown size")?;
                }
                self.parts(result, parts, None)
            }
            Lowering::Pad { starts, rest } => {
                let value = match rest {
                    Rest::Zero => Operand::Constant(Constant::number(element, 0)),
                    Rest::Operand(operand) => self.scalar(op.operand(operand))?,
                };
                let buffer = self.destination(result, element, count(&shape));
                self.compute(&Expression::splat(value, &shape, element), buffer);
                self.destinations.insert(result, buffer);
                let part = Part {
                    operand: op.operand(0),
                    start: starts.into_iter().map(|start| start as i64).collect(),
                };
                self.parts(result, vec![part], None)
            }
            Lowering::SumAll => {
                let mut operands = op.operands();
                let first = operands.next().ok_or("it has no operand")?;
                let mut sum = self.expression(first)?;
                for operand in operands {
                    let next = self.expression(operand)?;
                    sum = self.bounded(Function::Add, vec![sum, next], &shape);
                }
                self.define(result, sum)
            }
            Lowering::Range => self.range(op),
            Lowering::Convolution(convolution) => self.convolution(op, convolution),
            Lowering::Windowed(windowed) => self.windowed(op, windowed),
            Lowering::Lookup(lookup) => self.lookup(op, lookup),
            Lowering::Scatter(scatter) => self.scatter(op, scatter),
            Lowering::Position { axis, is_max } => self.position(op, axis, is_max),
            Lowering::Scan(scan) => self.scan(op, scan),
            Lowering::OneHot { axis } => self.one_hot(op, axis),
            Lowering::Random(distribution) => self.random(op, distribution),
        }
    }

    /// Writes operands to parts of a result. `packed` is the dimension of the result that they
    /// lack.
    fn parts(
        &mut self,
        result: Value<'a>,
        parts: Vec<Part<'a>>,
        packed: Option<usize>,
    ) -> Planned<()> {
        let (element, shape) = self.described(result)?;
        let buffer = self.destination(result, element, count(&shape));
        for Part { operand, start } in parts {
            let part = self.expression(operand)?;
            let mut dimensions = 0..part.shape.len();
            let axes: Vec<_> = (0..shape.len())
                .map(|dimension| Axis {
                    of: match packed == Some(dimension) {
                        true => None,
                        false => dimensions.next(),
                    },
                    offset: start[dimension],
                    step: 1,
                })
                .collect();
            self.write_part(&part, buffer, &shape, &axes);
        }
        self.forms.insert(result, Form::Stored(buffer));
        self.settle(result)
    }

    /// Gives up if an operand does not state the shape of the result. Constants do, and so do
    /// operands whose result has a static type.
    fn check_stated(&mut self, op: Op<'a>, operand: usize) -> Planned<()> {
        let stated = op.operand(operand);
        let is_promised = || op.operands().chain([op.result(0)]).all(has_static_type);
        if tensors::integers(stated).is_some() || is_promised() {
            return Ok(());
        }
        let (_, sizes) = self.described(op.result(0))?;
        if let Some(known) = self.integers(stated) {
            let is_rest = |size: &Extent| size.is(REST);
            return match known.iter().any(is_rest) {
                true => Ok(()),
                false => self.equate(&known, &sizes),
            };
        }
        let source = self.expression(stated)?;
        let (one, element) = ([Extent::known(1)], source.element);
        for (number, size) in sizes.iter().enumerate() {
            let axis = Axis {
                of: None,
                offset: number as i64,
                step: 0,
            };
            let stated = Expression::view(Rc::clone(&source), vec![axis], &one);
            let size = self.size(size, element);
            let size = Expression::splat(size, &one, element);
            let differs = Expression::apply(Function::NotEqual, vec![stated, size], &one);
            self.fail_if_any(&differs);
        }
        Ok(())
    }

    /// Plans integers at equal distances. Gives up if their number is not that of the result.
    fn range(&mut self, op: Op<'a>) -> Planned<()> {
        let result = op.result(0);
        let (element, shape) = self.described(result)?;
        let [start, limit, delta] = [0, 1, 2].map(|operand| self.scalar(op.operand(operand)));
        let (start, limit, delta) = (start?, limit?, delta?);
        let count = self.size(&count(&shape), Element::I64);
        let mut wide = |operand| self.compute_scalar(Function::Cast(Element::I64), vec![operand]);
        let (from, to, step) = (wide(start), wide(limit), wide(delta));
        // Of a positive step: from <= to, and to <= end < to + step.
        let way = self.compute_scalar(Function::Mul, vec![count, step]);
        let end = self.compute_scalar(Function::Add, vec![from, way]);
        let most = self.compute_scalar(Function::Add, vec![to, step]);
        let number = |bits: i64| {
            Operand::Constant(Constant {
                element: Element::I64,
                bits: bits as u64,
            })
        };
        let failures = [
            (step, number(1)),
            (to, from),
            (end, to),
            (end, most),
            // A product of more could wrap.
            (number(i32::MAX.into()), count),
        ];
        for (position, (less, more)) in failures.into_iter().enumerate() {
            let (function, operands) = match position {
                3 => (Function::LessEqual, vec![more, less]),
                _ => (Function::Less, vec![less, more]),
            };
            let fails = self.compute_scalar(function, operands);
            self.plan.steps.push(Step::Fail(fails));
        }
        let [start, delta] = [start, delta].map(|it| Expression::splat(it, &shape, element));
        let index = Expression::index(0, &shape, element);
        let distance = Expression::apply(Function::Mul, vec![index, delta], &shape);
        let numbers = Expression::apply(Function::Add, vec![start, distance], &shape);
        self.define(result, numbers)
    }

    /// Plans random numbers: each is a function of the seed and of its position.
    fn random(&mut self, op: Op<'a>, distribution: Distribution) -> Planned<()> {
        let result = op.result(0);
        self.check_stated(op, 0)?;
        let (element, shape) = self.described(result)?;
        let mut seed = self.expression(op.operand(1))?;
        if !seed.is_free() {
            seed = self.in_memory(&seed);
        }
        let word = |offset| {
            let axis = Axis {
                offset,
                ..Axis::ZERO
            };
            let word = Expression::view(Rc::clone(&seed), vec![axis], &shape);
            Expression::apply(Function::Cast(Element::I64), vec![word], &shape)
        };
        let position = Expression::position(&shape, Element::I64);
        let function = Function::Random(distribution, element);
        let numbers = Expression::apply(function, vec![word(0), word(1), position], &shape);
        // Each use would compute them again.
        let buffer = self.destination(result, element, count(&shape));
        self.compute(&numbers, buffer);
        self.forms.insert(result, Form::Stored(buffer));
        self.settle(result)
    }

    /// Plans a division of integers. Gives up if a divisor is 0.
    fn division(&mut self, op: Op<'a>, function: Function) -> Planned<()> {
        let result = op.result(0);
        let (element, shape) = self.described(result)?;
        let dividend = self.expression(op.operand(0))?;
        let mut divisor = self.expression(op.operand(1))?;
        if !divisor.is_free() {
            divisor = self.in_memory(&divisor);
        }
        let own = divisor.shape.clone();
        let number = |number| {
            Expression::splat(
                Operand::Constant(Constant::number(element, number)),
                &own,
                element,
            )
        };
        let is_zero = vec![Rc::clone(&divisor), number(0)];
        let is_zero = match divisor.as_splat() {
            Some(divisor) => {
                let zero = Operand::Constant(Constant::number(element, 0));
                let is_zero = self.compute_scalar(Function::Equal, vec![divisor, zero]);
                Expression::splat(is_zero, &own, Element::Bool)
            }
            None => Expression::apply(Function::Equal, is_zero, &own),
        };
        self.fail_if_any(&is_zero);
        let divisor = Expression::apply(Function::Select, vec![is_zero, number(1), divisor], &own);
        let quotient = self.bounded(function, vec![dividend, divisor], &shape);
        self.define(result, quotient)
    }

    fn elementwise(&mut self, op: Op<'a>, function: Function) -> Planned<()> {
        let result = op.result(0);
        let (_, shape) = self.described(result)?;
        if shape.is_empty() {
            let mut operands = Vec::new();
            for operand in op.operands() {
                operands.push(self.scalar(operand)?);
            }
            let value = self.compute_scalar(function, operands);
            self.forms.insert(result, Form::Scalar(value));
            return Ok(());
        }
        let mut operands = Vec::new();
        for operand in op.operands() {
            operands.push(self.expression(operand)?);
        }
        let expression = self.bounded(function, operands, &shape);
        self.define(result, expression)
    }

    /// Returns the application of a function. Operands that are too large together are stored.
    fn bounded(
        &mut self,
        function: Function,
        mut operands: Vec<Shared>,
        shape: &[Extent],
    ) -> Shared {
        let expression = Expression::apply(function, operands.clone(), shape);
        if !expression.is_large() {
            return expression;
        }
        for operand in operands.iter_mut().filter(|operand| !operand.is_free()) {
            let (shape, element) = (operand.shape.clone(), operand.element);
            let buffer = self.plan.buffers.add(Place::Arena, element, count(&shape));
            self.compute(operand, buffer);
            *operand = Expression::read(buffer, &shape, element);
        }
        Expression::apply(function, operands, shape)
    }

    /// Plans an operation whose result has the elements of its operand in the same order.
    fn same(&mut self, op: Op<'a>) -> Planned<()> {
        let (value, result) = (op.operand(0), op.result(0));
        let (element, shape) = self.described(result)?;
        let source = self.expression(value)?;
        if let Some(operand) = source.as_splat() {
            return self.define(result, Expression::splat(operand, &shape, element));
        }
        if let Some(axes) = without_ones(&source.shape, &shape) {
            return match source.as_read() {
                Some(buffer) => self.define(result, Expression::read(buffer, &shape, element)),
                None => self.define(result, Expression::view(source, axes, &shape)),
            };
        }
        let buffer = self.stored(value)?;
        self.define(result, Expression::read(buffer, &shape, element))
    }

    /// Plans a reduction of the first operand.
    fn reduction(
        &mut self,
        op: Op<'a>,
        function: Reduction,
        reduced: &[bool],
        is_mean: bool,
    ) -> Planned<()> {
        let result = op.result(0);
        let (element, shape) = self.described(result)?;
        let source = self.expression(op.operand(0))?;
        let sizes = source.shape.iter().zip(reduced);
        let combined: Vec<_> = sizes
            .filter(|(_, reduced)| **reduced)
            .map(|(size, _)| size.clone())
            .collect();
        let divisor = is_mean.then(|| count(&combined));
        let buffer = self.destination(result, element, count(&shape));
        self.reduce(&source, function, reduced, divisor, buffer);
        self.forms.insert(result, Form::Stored(buffer));
        self.settle(result)
    }

    fn reduce(
        &mut self,
        source: &Shared,
        function: Reduction,
        reduced: &[bool],
        divisor: Option<Extent>,
        buffer: usize,
    ) {
        if self.symbols.has_grown() {
            return;
        }
        let loops = source.shape.len();
        let mut builder = BodyBuilder::new(&self.plan.buffers, loops);
        let same: Vec<_> = (0..loops).map(Axis::same).collect();
        builder.add(source, &same);
        let kept: Vec<usize> = (0..loops).filter(|&number| !reduced[number]).collect();
        let size = |&number: &usize| source.shape[number].clone();
        let shape: Vec<_> = kept.iter().map(size).collect();
        let axes: Vec<_> = kept.iter().map(|&number| Axis::same(number)).collect();
        let output = builder.access(buffer, &shape, &axes);
        let call = builder.finish(|body| Kernel::Reduce {
            sizes: source.shape.clone(),
            reduced: reduced.to_vec(),
            body,
            function,
            divisor,
            accumulates: false,
            output,
        });
        self.plan.steps.push(Step::Run(call));
    }

    fn product(
        &mut self,
        op: Op<'a>,
        (transpose_a, transpose_b): (bool, bool),
        is_shared: bool,
    ) -> Planned<()> {
        let (a, b) = (self.stored(op.operand(0))?, self.stored(op.operand(1))?);
        let (element, shape) = self.described(op.result(0))?;
        let (_, a_shape) = self.described(op.operand(0))?;
        let [batch @ .., m, n] = &shape[..] else {
            return Err("a product of matrices has fewer than two dimensions".to_owned());
        };
        let k = a_shape[a_shape.len() - if transpose_a { 2 } else { 1 }].clone();
        // The rows of all matrices are those of one.
        let (batch, m) = match is_shared {
            true => (Extent::known(1), count(&shape[..shape.len() - 1])),
            false => (count(batch), m.clone()),
        };
        let product = Product {
            element,
            batch,
            m,
            n: n.clone(),
            k,
            transpose_a,
            transpose_b,
            accumulates: false,
            blocks: None,
            range: None,
        };
        if product.is_faster_transposed() && !self.plan.is_of_launches {
            return self.transposed_product(op, product, [a, b]);
        }
        let buffer = self.destination(op.result(0), element, count(&shape));
        self.multiply(product, [a, b], buffer);
        self.forms.insert(op.result(0), Form::Stored(buffer));
        Ok(())
    }

    /// Plans a product, of which the left operand is transposed, as the transposition of the
    /// product of the operands in the other order.
    fn transposed_product(
        &mut self,
        op: Op<'a>,
        product: Product,
        [a, b]: [usize; 2],
    ) -> Planned<()> {
        let (element, shape) = self.described(op.result(0))?;
        let other = [product.n.clone(), product.m.clone()];
        let product = Product {
            m: product.n,
            n: product.m,
            ..product
        };
        let buffer = self.plan.buffers.add(Place::Arena, element, count(&other));
        self.multiply(product, [b, a], buffer);
        let result = Expression::read(buffer, &other, element);
        let rank = shape.len();
        let axes = vec![Axis::same(rank - 1), Axis::same(rank - 2)];
        self.define(op.result(0), Expression::view(result, axes, &shape))
    }

    /// Runs the kernel of a product of two buffers.
    fn multiply(&mut self, product: Product, [a, b]: [usize; 2], result: usize) {
        let element = product.element;
        // The kernel stores columns of the right operand next to each other.
        let packed = product.packed_elements();
        let packed = self.plan.buffers.add(Place::Arena, element, packed);
        let buffers = vec![a, b, packed, result];
        let kernel = Kernel::Product(product);
        let call = Call::new(kernel, vec![element; 4], buffers, Vec::new());
        self.plan.steps.push(Step::Run(call));
    }

    fn row_wise(&mut self, op: Op<'a>, function: RowWise) -> Planned<()> {
        let (element, shape) = self.described(op.operand(0))?;
        let logits = Expression::read(self.stored(op.operand(0))?, &shape, element);
        let rows = LastRows::of(&logits);
        let largest = self.row(&rows, &logits, Reduction::MaxOfAnyZero);
        let shifted = Expression::apply(Function::Sub, vec![logits, largest], &rows.shape);
        let powers = vec![Rc::clone(&shifted)];
        let powers = Expression::apply(Function::ExpOfNonPositive, powers, &rows.shape);
        match function {
            RowWise::Softmax => {
                let (_, softmax) = self.sum_and_softmax(&rows, &powers);
                self.define(op.result(0), softmax)
            }
            RowWise::LogSoftmax => {
                let logs = self.log_softmax(&rows, shifted, &powers);
                self.define(op.result(0), logs)
            }
            RowWise::CrossEntropy => {
                let (sum, softmax) = self.sum_and_softmax(&rows, &powers);
                let labels = self.stored(op.operand(1))?;
                let labels = Expression::read(labels, &rows.shape, rows.element);
                if !op.result(0).is_unused() {
                    let negated = self.negated_logs(&rows, shifted, sum);
                    let operands = vec![negated, Rc::clone(&labels)];
                    // A label of 0 has no loss, whatever its logarithm is.
                    let terms = Expression::apply(Function::MulNoNan, operands, &rows.shape);
                    self.loss(op, &rows, &terms)?;
                }
                let gradient = Expression::apply(Function::Sub, vec![softmax, labels], &rows.shape);
                self.define(op.result(1), gradient)
            }
            RowWise::SparseCrossEntropy => {
                let (sum, softmax) = self.sum_and_softmax(&rows, &powers);
                let is_label = self.is_label(op.operand(1), &rows)?;
                if !op.result(0).is_unused() {
                    let negated = self.negated_logs(&rows, shifted, sum);
                    let zero = Operand::Constant(Constant::number(element, 0));
                    let zero = Expression::splat(zero, &rows.shape, element);
                    let operands = vec![Rc::clone(&is_label), negated, zero];
                    let terms = Expression::apply(Function::Select, operands, &rows.shape);
                    self.loss(op, &rows, &terms)?;
                }
                let label = vec![is_label];
                let label = Expression::apply(Function::Cast(element), label, &rows.shape);
                let gradient = Expression::apply(Function::Sub, vec![softmax, label], &rows.shape);
                self.define(op.result(1), gradient)
            }
        }
    }

    /// Plans the loss of a cross-entropy: the sum of the terms of each row.
    fn loss(&mut self, op: Op<'a>, rows: &LastRows, terms: &Shared) -> Planned<()> {
        let loss = op.result(0);
        let (element, shape) = self.described(loss)?;
        let buffer = self.destination(loss, element, count(&shape));
        self.reduce(terms, Reduction::Sum, &rows.reduced, None, buffer);
        self.forms.insert(loss, Form::Stored(buffer));
        Ok(())
    }

    /// Returns for each class of each row whether it is the label of the row. Gives up if a label
    /// is none of the classes.
    fn is_label(&mut self, labels: Value<'a>, rows: &LastRows) -> Planned<Shared> {
        let (element, shape) = self.described(labels)?;
        let labels = Expression::read(self.stored(labels)?, &shape, element);
        let classes = rows.shape.last().ok_or("its operand has rank 0")?;
        let zero = Operand::Constant(Constant::number(element, 0));
        let outside = [
            (Function::Less, zero),
            (Function::GreaterEqual, self.size(classes, element)),
        ];
        for (function, bound) in outside {
            let bound = Expression::splat(bound, &shape, element);
            let condition = Expression::apply(function, vec![Rc::clone(&labels), bound], &shape);
            self.fail_if_any(&condition);
        }
        let column: Vec<_> = (0..shape.len()).map(Axis::same).collect();
        let label = Expression::view(labels, column, &rows.single);
        let class = Expression::index(rows.shape.len() - 1, &rows.shape, element);
        Ok(Expression::apply(
            Function::Equal,
            vec![class, label],
            &rows.shape,
        ))
    }

    /// Returns the logarithms of the parts that exponentials are of their sum in a row.
    fn log_softmax(&mut self, rows: &LastRows, shifted: Shared, powers: &Shared) -> Shared {
        let sum = self.row(rows, powers, Reduction::Sum);
        let log = Expression::apply(Function::Log, vec![sum], &rows.single);
        Expression::apply(Function::Sub, vec![shifted, log], &rows.shape)
    }

    /// Returns the sum of the exponentials of each row, and the parts that they are of it.
    fn sum_and_softmax(&mut self, rows: &LastRows, powers: &Shared) -> (Shared, Shared) {
        let powers = self.in_memory(powers);
        let sum = self.row(rows, &powers, Reduction::Sum);
        (Rc::clone(&sum), parts(rows, powers, sum))
    }

    /// Returns the negated logarithms of the parts.
    fn negated_logs(&mut self, rows: &LastRows, shifted: Shared, sum: Shared) -> Shared {
        let log = Expression::apply(Function::Log, vec![sum], &rows.single);
        let log = self.in_memory(&log);
        let logs = Expression::apply(Function::Sub, vec![shifted, log], &rows.shape);
        Expression::apply(Function::Neg, vec![logs], &rows.shape)
    }

    /// Returns a reduction of each row, with a last dimension of size 1.
    fn row(&mut self, rows: &LastRows, source: &Shared, function: Reduction) -> Shared {
        let count = count(&rows.single);
        let buffer = self.plan.buffers.add(Place::Arena, rows.element, count);
        self.reduce(source, function, &rows.reduced, None, buffer);
        Expression::read(buffer, &rows.single, rows.element)
    }

    /// Returns an expression that reads the elements of another from memory.
    fn in_memory(&mut self, expression: &Shared) -> Shared {
        let (shape, element) = (&expression.shape, expression.element);
        let buffer = self.plan.buffers.add(Place::Arena, element, count(shape));
        self.compute(expression, buffer);
        Expression::read(buffer, shape, element)
    }

    // ------------------------------------------------------------------ control flow

    /// Stores the values from outside that regions use, so that no iteration computes them again.
    fn store_captures(&mut self, graph: Op<'a>, op: Op<'a>) -> Planned<()> {
        let captures = self.captures.entry(graph);
        let captures = Rc::clone(captures.or_insert_with(|| Rc::new(Captures::of_graph(graph))));
        for &value in captures.values(op) {
            if let Form::Lazy(expression) = self.form(value)?
                && expression.as_splat().is_none()
            {
                self.stored(value)?;
            }
        }
        Ok(())
    }

    fn branch(&mut self, graph: Op<'a>, op: Op<'a>) -> Planned<()> {
        self.store_captures(graph, op)?;
        let selector = self.scalar(op.operand(0))?;
        let mut destinations = Vec::new();
        let mut results = Vec::new();
        for (position, result) in op.results().enumerate() {
            let forwarded = carried::by_branches(op, position);
            if let Some((value, Change::Nothing)) = forwarded {
                let (_, shape) = self.described(value)?;
                self.set_shape(result, shape)?;
                let form = self.settled(value)?;
                self.forms.insert(result, form);
                continue;
            }
            let shape = self.new_shape(result)?;
            self.set_shape(result, shape)?;
            let (element, shape) = self.described(result)?;
            let in_place = forwarded.and_then(|(value, _)| self.in_place(value));
            let form = match shape.is_empty() {
                false if let Some(buffer) = in_place => Form::Stored(buffer),
                true => {
                    let number = self.scalar_number();
                    results.push((number, element));
                    Form::Scalar(Operand::Computed(number, element))
                }
                false => {
                    let buffer = self.destination(result, element, count(&shape));
                    Form::Stored(buffer)
                }
            };
            destinations.push((position, result, form.clone()));
            self.forms.insert(result, form);
        }
        let mut branches = Vec::new();
        for region in 0..op.num_regions() {
            let block = single_block(op, region)?;
            let yielded = destinations.iter();
            let yielded: Vec<_> = yielded
                .map(|(position, result, form)| (*position, *result, form))
                .collect();
            branches.push(self.sequence(|this| this.yields(graph, block, &yielded))?);
        }
        self.plan.steps.push(Step::Branch {
            selector,
            branches,
            results,
        });
        Ok(())
    }

    /// Plans a block that yields values: tensors to buffers, and scalars, which it returns. Each
    /// value is yielded as one of these results or arguments, by position, in this form.
    fn yields(
        &mut self,
        graph: Op<'a>,
        block: Block<'a>,
        positions: &[(usize, Value<'a>, &Form)],
    ) -> Planned<Vec<Operand>> {
        let terminator = terminator(block)?;
        for &(position, _, form) in positions {
            if let Form::Stored(buffer) = form {
                self.expect(terminator.operand(position), block, *buffer);
            }
        }
        self.block(graph, block, |this| {
            let mut scalars = Vec::new();
            for &(position, target, form) in positions {
                let value = terminator.operand(position);
                let (_, expected) = this.described(target)?;
                let (_, shape) = this.described(value)?;
                this.equate(&expected, &shape)?;
                match form {
                    Form::Stored(buffer) => this.write(value, *buffer)?,
                    _ => scalars.push(this.scalar(value)?),
                }
            }
            Ok(scalars)
        })
    }

    fn while_loop(&mut self, graph: Op<'a>, op: Op<'a>) -> Planned<()> {
        self.store_captures(graph, op)?;
        let (condition, body) = (single_block(op, 0)?, single_block(op, 1)?);
        let (mut scalars, mut buffers) = (Vec::new(), Vec::new());
        let (mut destinations, mut updated) = (Vec::new(), Vec::new());
        for (position, result) in op.results().enumerate() {
            let initial = op.operand(position);
            let arguments = [condition.argument(position), body.argument(position)];
            let (element, shape) = self.described(initial)?;
            for value in [arguments[0], arguments[1], result] {
                self.set_shape(value, shape.clone())?;
            }
            let (_, shape) = self.described(result)?;
            let change = carried::by_loop(op, position);
            let is_invariant = change == Change::Nothing;
            let (inside, outside) = if shape.is_empty() {
                let initial = self.scalar(initial)?;
                if is_invariant {
                    (Form::Scalar(initial), Form::Scalar(initial))
                } else {
                    let [current, last] = [self.scalar_number(), self.scalar_number()];
                    scalars.push(CarriedScalar {
                        initial,
                        current,
                        last,
                    });
                    destinations.push((position, result, Form::Scalar(initial)));
                    let form = |number| Form::Scalar(Operand::Computed(number, element));
                    (form(current), form(last))
                }
            } else if change == Change::Slices {
                // The memory of the start is that of all iterations.
                let memory = match self.in_place(initial) {
                    Some(memory) => memory,
                    None => {
                        let memory = self.plan.buffers.add(Place::Arena, element, count(&shape));
                        self.write(initial, memory)?;
                        self.in_place.insert(memory);
                        updated.push(memory);
                        memory
                    }
                };
                destinations.push((position, result, Form::Stored(memory)));
                (Form::Stored(memory), Form::Stored(memory))
            } else if is_invariant && let form @ Form::Integers(_) = self.form(initial)? {
                (form.clone(), form)
            } else {
                let initial = self.stored(initial)?;
                if is_invariant {
                    (Form::Stored(initial), Form::Stored(initial))
                } else {
                    let mut add = |place| self.plan.buffers.add(place, element, count(&shape));
                    let slots = [add(Place::Arena), add(Place::Arena)];
                    let [current, next, last] = [(); 3].map(|()| add(Place::Carried));
                    buffers.push(CarriedBuffer {
                        initial,
                        current,
                        next,
                        last,
                        slots,
                    });
                    destinations.push((position, result, Form::Stored(next)));
                    (Form::Stored(current), Form::Stored(last))
                }
            };
            for argument in arguments {
                self.forms.insert(argument, inside.clone());
            }
            self.forms.insert(result, outside);
        }
        let condition = self.sequence(|this| {
            let yielded = terminator(condition)?.operand(0);
            this.block(graph, condition, |this| Ok(vec![this.scalar(yielded)?]))
        })?;
        let yielded: Vec<_> = destinations
            .iter()
            .map(|(position, result, form)| (*position, *result, form))
            .collect();
        let body = self.sequence(|this| this.yields(graph, body, &yielded))?;
        // Other code may read the result of the loop.
        for memory in updated {
            self.in_place.remove(&memory);
        }
        self.plan.steps.push(Step::Loop(Loop {
            scalars,
            buffers,
            condition,
            body,
        }));
        Ok(())
    }
}

/// Returns the shape without the reduced dimensions, or with 1 for them.
fn reduced_shape(shape: &[Extent], reduced: &[bool], keeps: bool) -> Shape {
    let dimensions = shape.iter().zip(reduced);
    let size = |(size, &is_reduced): (&Extent, &bool)| match is_reduced {
        false => Some(size.clone()),
        true => keeps.then(|| Extent::known(1)),
    };
    dimensions.filter_map(size).collect()
}

/// Returns the shape of a view with these axes, as far as the type states no sizes.
fn view_shape(axes: &[Axis], from: &[Extent], stated: &[Option<u64>]) -> Shape {
    let mut shape = vec![Extent::known(1); stated.len()];
    for (axis, from) in axes.iter().zip(from) {
        if let Some(of) = axis.of {
            shape[of] = match stated[of] {
                // The whole dimension, or a part of one that is known.
                Some(size) if from.as_known().is_some() => Extent::size(size),
                _ => from.clone(),
            };
        }
    }
    // New dimensions, and those that a single element fills.
    for (size, stated) in shape.iter_mut().zip(stated) {
        if let Some(stated) = stated.filter(|_| size.is(1)) {
            *size = Extent::size(stated);
        }
    }
    shape
}

/// A value that fills a part of another one, from these indices on.
struct Part<'a> {
    operand: Value<'a>,
    start: Vec<i64>,
}

/// Returns the indices with one of this value, and 0 for the other dimensions.
fn start_at(axis: usize, index: i64, rank: usize) -> Vec<i64> {
    let mut start = vec![0; rank];
    start[axis] = index;
    start
}

/// Returns the parts that exponentials are of their sum in a row. A division for each row and
/// multiplications take less time than divisions.
fn parts(rows: &LastRows, powers: Shared, sum: Shared) -> Shared {
    let factor = Expression::apply(Function::Reciprocal, vec![sum], &rows.single);
    Expression::apply(Function::Mul, vec![powers, factor], &rows.shape)
}

/// The rows of a tensor along its last dimension.
struct LastRows {
    shape: Shape,
    /// The shape with a last dimension of size 1.
    single: Shape,
    reduced: Vec<bool>,
    element: Element,
}

impl LastRows {
    fn of(tensor: &Shared) -> Self {
        let rank = tensor.shape.len();
        let mut single = tensor.shape.clone();
        if let Some(last) = single.last_mut() {
            *last = Extent::known(1);
        }
        LastRows {
            shape: tensor.shape.clone(),
            single,
            reduced: (1..=rank).map(|dimension| dimension == rank).collect(),
            element: tensor.element,
        }
    }
}

/// Returns the element type of a value of a compiled graph.
fn element(value: Value<'_>) -> Planned<Element> {
    operations::element(value.ty()).ok_or_else(|| unsupported(value))
}

/// Returns the sizes that the type of a value of a compiled graph states.
fn sizes(value: Value<'_>) -> Planned<operations::Sizes> {
    operations::sizes(value.ty()).ok_or_else(|| unsupported(value))
}

fn unsupported(value: Value<'_>) -> String {
    format!("it has a value of type {}", value.ty())
}

fn has_static_type(value: Value<'_>) -> bool {
    static_shape(value).is_some()
}

/// Returns the shape of a value whose type states all sizes.
fn static_shape(value: Value<'_>) -> Option<Shape> {
    let sizes: Option<Vec<u64>> = operations::sizes(value.ty())?.into_iter().collect();
    Some(known_shape(&sizes?))
}

/// Returns whether a shape may be that of a value with stated sizes, as far as they are known.
fn fits(shape: &[Extent], stated: &[Option<u64>]) -> bool {
    let fits = |(size, stated): (&Extent, &Option<u64>)| {
        stated.is_none_or(|stated| *size == Extent::size(stated))
    };
    shape.len() == stated.len() && shape.iter().zip(stated).all(fits)
}

/// The size that stands for that of the remaining elements.
const REST: i64 = -1;

/// Returns the shape of a number of elements with stated sizes, one of which may be [`REST`].
fn reshaped(elements: &Extent, stated: &[Extent]) -> Planned<Shape> {
    let is_stated = |size: &&Extent| !size.is(REST);
    let known: Shape = stated.iter().filter(is_stated).cloned().collect();
    let rest = || elements.divided(&count(&known));
    let size = |size: &Extent| match size.is(REST) {
        true => rest().ok_or("it needs a quotient of sizes"),
        false => Ok(size.clone()),
    };
    Ok(stated.iter().map(size).collect::<Result<_, _>>()?)
}

fn single_block(op: Op<'_>, region: usize) -> Planned<Block<'_>> {
    let block = op.region(region).single_block();
    block.ok_or_else(|| "it has several blocks".to_owned())
}

fn terminator(block: Block<'_>) -> Planned<Op<'_>> {
    let terminator = block.terminator();
    terminator.ok_or_else(|| "a block has no terminator".to_owned())
}

/// Returns the value that operations without effect on it forward.
fn origin(mut value: Value<'_>) -> Value<'_> {
    while let Some(op) = value.defining_op().and_then(tensor::Op::cast)
        && op.tf_name() == "Identity"
    {
        value = op.op().operand(0);
    }
    value
}

/// Returns whether a value has one use, by an operation without regions in the same block.
fn has_one_use(value: Value<'_>) -> bool {
    let mut uses = value.uses();
    let (Some(only), None) = (uses.next(), uses.next()) else {
        return false;
    };
    let owner = only.owner;
    owner.block() == value.block() && owner.num_regions() == 0
}

/// Returns the index of each dimension of `from` in terms of those of `to`, if they differ only in
/// dimensions of size 1.
fn without_ones(from: &[Extent], to: &[Extent]) -> Option<Vec<Axis>> {
    let mut others = (0..to.len()).filter(|&dimension| !to[dimension].is(1));
    let axes: Option<Vec<_>> = from
        .iter()
        .map(|size| match size.is(1) {
            true => Some(Axis::ZERO),
            false => others.next().filter(|&of| to[of] == *size).map(Axis::same),
        })
        .collect();
    axes.filter(|_| others.next().is_none())
}
