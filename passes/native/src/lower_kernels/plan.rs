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
//! current one is read; which of them is current is a pointer. A result that a block yields is
//! written directly to its destination where it is computed.
//!
//! One walk over the graph; callees are planned in place of their calls. Recursive in nested
//! regions and calls, up to [`MOST_NESTING`]. Linear in the graph with its callees expanded.

use std::collections::HashMap;
use std::rc::Rc;

use tfx_dialects::tensor::{self, TensorOp};
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::tensors;
use tfx_ir::{Block, Op, Value};

use super::constants;
use super::kernel::{BodyBuilder, Call, Expression, Kernel, Product, Shared, count};
use crate::element::Element;
use crate::operations::{self, Axis, Lowering, NotCompiled, Reduction, Rest, RowWise, Shape};
use crate::scalar::{Constant, Function};

/// The maximal nesting of regions and calls in compiled code: more than in programs that people
/// write, and little enough for the stack.
const MOST_NESTING: usize = 64;

/// A scalar: a constant, or the number of a computed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Operand {
    Constant(Constant),
    Computed(usize, Element),
}

impl Operand {
    pub(super) fn element(self) -> Element {
        match self {
            Operand::Constant(constant) => constant.element,
            Operand::Computed(_, element) => element,
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
}

/// A sequence of elements in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    pub(super) place: Place,
    pub(super) element: Element,
    pub(super) count: u64,
}

/// The buffers of a plan, by number.
#[derive(Debug, Default)]
pub(super) struct Buffers(Vec<Buffer>);

impl Buffers {
    pub(super) fn get(&self, buffer: usize) -> Buffer {
        self.0[buffer]
    }

    pub(super) fn element(&self, buffer: usize) -> Element {
        self.0[buffer].element
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn add(&mut self, place: Place, element: Element, count: u64) -> usize {
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
pub(super) struct Plan {
    pub(super) buffers: Buffers,
    /// The bytes of constants.
    pub(super) constants: Vec<Vec<u8>>,
    pub(super) steps: Vec<Step>,
    /// The arguments and results: element type and shape.
    pub(super) arguments: Vec<(Element, Shape)>,
    pub(super) results: Vec<(Element, Shape)>,
    /// The number of scalars.
    pub(super) scalars: usize,
}

/// Plans a graph whose callees are in `graphs`.
///
/// # Errors
/// The reason why the graph is not compiled.
pub(super) fn plan<'a>(
    graph: Op<'a>,
    graphs: &HashMap<&'a str, Op<'a>>,
) -> Result<Plan, NotCompiled> {
    let mut planner = Planner {
        graphs,
        plan: Plan::default(),
        forms: HashMap::new(),
        destinations: HashMap::new(),
        captures: HashMap::new(),
        current: None,
        nesting: 0,
    };
    planner.graph(graph).map_err(NotCompiled)?;
    Ok(planner.plan)
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
}

struct Planner<'g, 'a> {
    graphs: &'g HashMap<&'a str, Op<'a>>,
    plan: Plan,
    forms: HashMap<Value<'a>, Form>,
    /// The buffers that values are to be written to.
    destinations: HashMap<Value<'a>, usize>,
    captures: HashMap<Op<'a>, Rc<Captures<'a>>>,
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
        for (position, argument) in block.arguments().enumerate() {
            let (element, shape) = described(argument)?;
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
            let (element, shape) = described(value)?;
            let place = Place::Result(position);
            destinations.push(self.plan.buffers.add(place, element, count(&shape)));
            self.plan.results.push((element, shape));
        }
        for (value, &buffer) in returned.operands().zip(&destinations) {
            self.expect(value, block, buffer);
        }
        self.block(graph, block, |this| {
            let mut returned = returned.operands().zip(&destinations);
            returned.try_for_each(|(value, &buffer)| this.write(value, buffer))
        })
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
        if value.block() == Some(block) && value.defining_op().is_some() {
            self.destinations.entry(value).or_insert(buffer);
        }
    }

    fn call(&mut self, call: tensor::Call<'a>) -> Planned<()> {
        let callee = self.graphs.get(call.callee()).copied();
        let graph = callee.ok_or("it calls a graph that does not exist")?;
        let block = single_block(graph, 0)?;
        for (argument, value) in block.arguments().zip(call.op().operands()) {
            let form = self.settled(value)?;
            self.forms.insert(argument, form);
        }
        let returned = terminator(block)?;
        self.block(graph, block, |this| {
            for (result, value) in call.op().results().zip(returned.operands()) {
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

    // ------------------------------------------------------------------ values

    fn form(&self, value: Value<'a>) -> Planned<Form> {
        let form = self.forms.get(&value).cloned();
        form.ok_or_else(|| "a value is used before its definition".to_owned())
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
            Form::Stored(_) | Form::Lazy(_) => {
                let buffer = self.stored(value)?;
                Ok(self.load(buffer))
            }
        }
    }

    /// Returns the elements of a tensor for a kernel that computes them where it uses them.
    fn expression(&mut self, value: Value<'a>) -> Planned<Shared> {
        let (element, shape) = described(value)?;
        Ok(match self.form(value)? {
            Form::Scalar(operand) => Expression::splat(operand, &shape, element),
            Form::Stored(buffer) => Expression::read(buffer, &shape, element),
            Form::Lazy(expression) if expression.is_large() => {
                Expression::read(self.stored(value)?, &shape, element)
            }
            Form::Lazy(expression) => expression,
        })
    }

    /// Returns the buffer of a tensor, which is written if it is not in memory yet.
    fn stored(&mut self, value: Value<'a>) -> Planned<usize> {
        let (element, shape) = described(value)?;
        let expression = match self.form(value)? {
            Form::Stored(buffer) => return Ok(buffer),
            Form::Scalar(operand) => Expression::splat(operand, &shape, element),
            Form::Lazy(expression) => expression,
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
            Form::Stored(from) if from == buffer => {}
            Form::Stored(from) => self.plan.steps.push(Step::Copy { from, to: buffer }),
            Form::Lazy(expression) => match expression.as_read() {
                Some(from) => self.plan.steps.push(Step::Copy { from, to: buffer }),
                None => self.compute(&expression, buffer),
            },
        }
        Ok(())
    }

    /// Returns the buffer that a value is to be written to: its destination, or a new one.
    fn destination(&mut self, value: Value<'a>, element: Element, count: u64) -> usize {
        let expected = self.destinations.remove(&value);
        expected.unwrap_or_else(|| self.plan.buffers.add(Place::Arena, element, count))
    }

    /// Runs a kernel that writes the elements of an expression to a buffer.
    fn compute(&mut self, expression: &Shared, buffer: usize) {
        let shape = expression.shape.clone();
        let axes: Vec<_> = (0..shape.len()).map(Axis::same).collect();
        self.write_part(expression, buffer, &shape, &axes);
    }

    /// Runs a kernel that writes the elements of an expression to a part of a buffer: `axes` are
    /// the indices in the buffer, which has this shape, of the dimensions of the expression.
    fn write_part(&mut self, expression: &Shared, buffer: usize, shape: &[u64], axes: &[Axis]) {
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
        if described(value)?.1.is_empty() {
            let operand = self.scalar(value)?;
            self.forms.insert(value, Form::Scalar(operand));
        }
        Ok(())
    }

    // ------------------------------------------------------------------ operations

    fn constant(&mut self, constant: tensor::Const<'a>) -> Planned<()> {
        let value = constant.op().result(0);
        let (element, shape) = described(value)?;
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
            _ => {
                self.plan.constants.push(constants::bytes(&stored, element));
                let place = Place::Constant(self.plan.constants.len() - 1);
                Form::Stored(self.plan.buffers.add(place, element, count(&shape)))
            }
        };
        self.forms.insert(value, form);
        Ok(())
    }

    fn operation(&mut self, op: tensor::Op<'a>) -> Planned<()> {
        let lowering = operations::classify(op).map_err(|NotCompiled(reason)| reason)?;
        let op = op.op();
        let result = op.result(0);
        let (element, shape) = described(result)?;
        match lowering {
            Lowering::Elementwise(function) => self.elementwise(op, function),
            Lowering::Known(values) => {
                let numbers: Vec<u64> = values.iter().map(|&value| value as u64).collect();
                self.plan
                    .constants
                    .push(constants::bytes(&numbers, element));
                let place = Place::Constant(self.plan.constants.len() - 1);
                let buffer = self.plan.buffers.add(place, element, count(&shape));
                self.forms.insert(result, Form::Stored(buffer));
                self.settle(result)
            }
            Lowering::Same => self.same(op),
            Lowering::View { operand, axes } => {
                let source = self.expression(op.operand(operand))?;
                self.define(result, Expression::view(source, axes, &shape))
            }
            Lowering::Reduce {
                function,
                reduced,
                divisor,
            } => {
                let source = self.expression(op.operand(0))?;
                let buffer = self.destination(result, element, count(&shape));
                self.reduce(&source, function, &reduced, divisor, buffer);
                self.forms.insert(result, Form::Stored(buffer));
                self.settle(result)
            }
            Lowering::Product {
                transpose_a,
                transpose_b,
            } => self.product(op, transpose_a, transpose_b),
            Lowering::RowWise(function) => self.row_wise(op, function),
            Lowering::Parts {
                operands,
                starts,
                packed,
                rest,
            } => {
                let buffer = self.destination(result, element, count(&shape));
                if let Some(rest) = rest {
                    let value = match rest {
                        Rest::Zero => Operand::Constant(Constant::number(element, 0)),
                        Rest::Operand(operand) => self.scalar(op.operand(operand))?,
                    };
                    self.compute(&Expression::splat(value, &shape, element), buffer);
                }
                for (&operand, start) in operands.iter().zip(&starts) {
                    let part = self.expression(op.operand(operand))?;
                    let mut dimensions = 0..part.shape.len();
                    let axes: Vec<_> = (0..shape.len())
                        .map(|dimension| Axis {
                            of: match packed == Some(dimension) {
                                true => None,
                                false => dimensions.next(),
                            },
                            offset: start[dimension] as i64,
                            step: 1,
                        })
                        .collect();
                    self.write_part(&part, buffer, &shape, &axes);
                }
                self.forms.insert(result, Form::Stored(buffer));
                self.settle(result)
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
        }
    }

    fn elementwise(&mut self, op: Op<'a>, function: Function) -> Planned<()> {
        let result = op.result(0);
        let (element, shape) = described(result)?;
        if shape.is_empty() {
            let mut operands = Vec::new();
            for operand in op.operands() {
                operands.push(self.scalar(operand)?);
            }
            let number = self.scalar_number();
            self.plan.steps.push(Step::Compute {
                result: number,
                function,
                operands,
            });
            let form = Form::Scalar(Operand::Computed(number, element));
            self.forms.insert(result, form);
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
    fn bounded(&mut self, function: Function, mut operands: Vec<Shared>, shape: &[u64]) -> Shared {
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
        let (element, shape) = described(result)?;
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

    fn reduce(
        &mut self,
        source: &Shared,
        function: Reduction,
        reduced: &[bool],
        divisor: Option<u64>,
        buffer: usize,
    ) {
        let loops = source.shape.len();
        let mut builder = BodyBuilder::new(&self.plan.buffers, loops);
        let same: Vec<_> = (0..loops).map(Axis::same).collect();
        builder.add(source, &same);
        let kept: Vec<usize> = (0..loops).filter(|&number| !reduced[number]).collect();
        let shape: Vec<u64> = kept.iter().map(|&number| source.shape[number]).collect();
        let axes: Vec<_> = kept.iter().map(|&number| Axis::same(number)).collect();
        let output = builder.access(buffer, &shape, &axes);
        let call = builder.finish(|body| Kernel::Reduce {
            sizes: source.shape.clone(),
            reduced: reduced.to_vec(),
            body,
            function,
            divisor,
            output,
        });
        self.plan.steps.push(Step::Run(call));
    }

    fn product(&mut self, op: Op<'a>, transpose_a: bool, transpose_b: bool) -> Planned<()> {
        let (a, b) = (self.stored(op.operand(0))?, self.stored(op.operand(1))?);
        let (element, shape) = described(op.result(0))?;
        let (_, a_shape) = described(op.operand(0))?;
        let [batch @ .., m, n] = &shape[..] else {
            return Err("a product of matrices has fewer than two dimensions".to_owned());
        };
        let k = a_shape[a_shape.len() - if transpose_a { 2 } else { 1 }];
        let product = Product {
            element,
            batch: count(batch),
            m: *m,
            n: *n,
            k,
            transpose_a,
            transpose_b,
        };
        let buffer = self.destination(op.result(0), element, count(&shape));
        // The kernel stores columns of the right operand next to each other.
        let packed = product.packed_elements();
        let packed = self.plan.buffers.add(Place::Arena, element, packed);
        self.plan.steps.push(Step::Run(Call {
            kernel: Kernel::Product(product),
            elements: vec![element; 4],
            buffers: vec![a, b, packed, buffer],
            scalars: Vec::new(),
        }));
        self.forms.insert(op.result(0), Form::Stored(buffer));
        Ok(())
    }

    fn row_wise(&mut self, op: Op<'a>, function: RowWise) -> Planned<()> {
        let (element, shape) = described(op.operand(0))?;
        let logits = Expression::read(self.stored(op.operand(0))?, &shape, element);
        let rows = Rows::of(&logits);
        let largest = self.row(&rows, &logits, Reduction::Max);
        let shifted = Expression::apply(Function::Sub, vec![logits, largest], &rows.shape);
        let powers = Expression::apply(Function::Exp, vec![Rc::clone(&shifted)], &rows.shape);
        match function {
            RowWise::Softmax => {
                let powers = self.in_memory(&powers);
                let sum = self.row(&rows, &powers, Reduction::Sum);
                let parts = Expression::apply(Function::Div, vec![powers, sum], &rows.shape);
                self.define(op.result(0), parts)
            }
            RowWise::LogSoftmax => {
                let logs = self.log_softmax(&rows, shifted, &powers);
                self.define(op.result(0), logs)
            }
            RowWise::CrossEntropy => {
                let logs = self.log_softmax(&rows, shifted, &powers);
                let logs = self.in_memory(&logs);
                let labels = self.stored(op.operand(1))?;
                let labels = Expression::read(labels, &rows.shape, rows.element);
                let negated = Expression::apply(Function::Neg, vec![Rc::clone(&logs)], &rows.shape);
                let operands = vec![negated, Rc::clone(&labels)];
                // A label of 0 has no loss, whatever its logarithm is.
                let terms = Expression::apply(Function::MulNoNan, operands, &rows.shape);
                let loss = op.result(0);
                let (element, shape) = described(loss)?;
                let buffer = self.destination(loss, element, count(&shape));
                self.reduce(&terms, Reduction::Sum, &rows.reduced, None, buffer);
                self.forms.insert(loss, Form::Stored(buffer));
                let powers = Expression::apply(Function::Exp, vec![logs], &rows.shape);
                let gradient = Expression::apply(Function::Sub, vec![powers, labels], &rows.shape);
                self.define(op.result(1), gradient)
            }
        }
    }

    /// Returns the logarithms of the parts that exponentials are of their sum in a row.
    fn log_softmax(&mut self, rows: &Rows, shifted: Shared, powers: &Shared) -> Shared {
        let sum = self.row(rows, powers, Reduction::Sum);
        let log = Expression::apply(Function::Log, vec![sum], &rows.single);
        Expression::apply(Function::Sub, vec![shifted, log], &rows.shape)
    }

    /// Returns a reduction of each row, with a last dimension of size 1.
    fn row(&mut self, rows: &Rows, source: &Shared, function: Reduction) -> Shared {
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
        for result in op.results() {
            let (element, shape) = described(result)?;
            let form = match shape.is_empty() {
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
            destinations.push(form.clone());
            self.forms.insert(result, form);
        }
        let mut branches = Vec::new();
        for region in 0..op.num_regions() {
            let block = single_block(op, region)?;
            let destinations = destinations.clone();
            branches.push(self.sequence(|this| this.region(graph, block, &destinations))?);
        }
        self.plan.steps.push(Step::Branch {
            selector,
            branches,
            results,
        });
        Ok(())
    }

    /// Plans a block that writes its yielded tensors to destinations. Returns the yielded scalars.
    fn region(
        &mut self,
        graph: Op<'a>,
        block: Block<'a>,
        destinations: &[Form],
    ) -> Planned<Vec<Operand>> {
        let yielded = terminator(block)?;
        let yielded: Vec<_> = yielded.operands().zip(destinations).collect();
        self.yields(graph, block, &yielded)
    }

    /// Plans a block that yields values: tensors to buffers, and scalars, which it returns.
    fn yields(
        &mut self,
        graph: Op<'a>,
        block: Block<'a>,
        yielded: &[(Value<'a>, &Form)],
    ) -> Planned<Vec<Operand>> {
        for (value, form) in yielded {
            if let Form::Stored(buffer) = form {
                self.expect(*value, block, *buffer);
            }
        }
        self.block(graph, block, |this| {
            let mut scalars = Vec::new();
            for (value, form) in yielded {
                match form {
                    Form::Stored(buffer) => this.write(*value, *buffer)?,
                    _ => scalars.push(this.scalar(*value)?),
                }
            }
            Ok(scalars)
        })
    }

    fn while_loop(&mut self, graph: Op<'a>, op: Op<'a>) -> Planned<()> {
        self.store_captures(graph, op)?;
        let (condition, body) = (single_block(op, 0)?, single_block(op, 1)?);
        let yielded = terminator(body)?;
        let (mut scalars, mut buffers) = (Vec::new(), Vec::new());
        let mut destinations = Vec::new();
        for (position, result) in op.results().enumerate() {
            let initial = op.operand(position);
            let arguments = [condition.argument(position), body.argument(position)];
            let (element, shape) = described(result)?;
            if described(initial)? != (element, shape.clone()) {
                return Err("an iteration argument of a loop has several types".to_owned());
            }
            let is_invariant = yielded.operand(position) == arguments[1];
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
                    destinations.push((position, Form::Scalar(initial)));
                    let form = |number| Form::Scalar(Operand::Computed(number, element));
                    (form(current), form(last))
                }
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
                    destinations.push((position, Form::Stored(next)));
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
        let body = self.sequence(|this| this.iteration(graph, body, &destinations))?;
        self.plan.steps.push(Step::Loop(Loop {
            scalars,
            buffers,
            condition,
            body,
        }));
        Ok(())
    }

    /// Plans the body of a loop, which yields to these destinations by position. Returns the next
    /// scalars.
    fn iteration<'f>(
        &mut self,
        graph: Op<'a>,
        body: Block<'a>,
        destinations: &'f [(usize, Form)],
    ) -> Planned<Vec<Operand>> {
        let yielded = terminator(body)?;
        let operand = |(position, form): &'f (usize, Form)| (yielded.operand(*position), form);
        let yielded: Vec<_> = destinations.iter().map(operand).collect();
        self.yields(graph, body, &yielded)
    }
}

/// The rows of a tensor along its last dimension.
struct Rows {
    shape: Shape,
    /// The shape with a last dimension of size 1.
    single: Shape,
    reduced: Vec<bool>,
    element: Element,
}

impl Rows {
    fn of(tensor: &Shared) -> Self {
        let rank = tensor.shape.len();
        let mut single = tensor.shape.clone();
        if let Some(last) = single.last_mut() {
            *last = 1;
        }
        Rows {
            shape: tensor.shape.clone(),
            single,
            reduced: (1..=rank).map(|dimension| dimension == rank).collect(),
            element: tensor.element,
        }
    }
}

/// Returns the element type and shape of a value of a compiled graph.
fn described(value: Value<'_>) -> Planned<(Element, Shape)> {
    let described = operations::element(value.ty()).zip(operations::shape(value.ty()));
    described.ok_or_else(|| format!("it has a value of type {}", value.ty()))
}

fn single_block(op: Op<'_>, region: usize) -> Planned<Block<'_>> {
    let block = op.region(region).single_block();
    block.ok_or_else(|| "it has several blocks".to_owned())
}

fn terminator(block: Block<'_>) -> Planned<Op<'_>> {
    let terminator = block.terminator();
    terminator.ok_or_else(|| "a block has no terminator".to_owned())
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
fn without_ones(from: &[u64], to: &[u64]) -> Option<Vec<Axis>> {
    let mut others = (0..to.len()).filter(|&dimension| to[dimension] != 1);
    let axes: Option<Vec<_>> = from
        .iter()
        .map(|&size| match size {
            1 => Some(Axis::ZERO),
            _ => others.next().filter(|&of| to[of] == size).map(Axis::same),
        })
        .collect();
    axes.filter(|_| others.next().is_none())
}
