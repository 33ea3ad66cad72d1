//! Kernels: the loops that lowering emits as functions, as data. Equal kernels share a function.
//!
//! ```text
//! Map      for i, j: out[i, j] = tanh(x[i, j] + b[j])          elements of one result
//! Reduce   for i: out[i] = sum over j of x[i, j] * y[i, j]     some loops are reduced
//! Scan     for i: sum = 0; for j: out[i, j] = sum += x[i, j]     in order
//! Product  out = a * b                                         matrices, see product.rs
//! Convolution  out = images * filter                           see convolution.rs
//! Scatter  for i, j: out[s[i], j] += x[i, j]                   at computed indices
//! ```
//!
//! The index of an access is affine in the loops: an offset, and a step for each loop. A lookup
//! adds to it what the iteration computes; of an index out of range, it is an element of any value.
//! Adjacent
//! loops whose accesses are those of one longer loop are joined ([`collapse`]), so that a kernel on
//! whole tensors is one loop whatever its rank.
//!
//! Sizes and steps may be unknown. Those of a finished kernel are constants, or alone one of its
//! parameters, so that kernels on tensors of other sizes are equal.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::convolution::Convolution;
use super::plan::{Buffers, Operand};
use super::product::blocks::Blocks;
use crate::element::Element;
use crate::extent::{Extent, Shape};
use crate::operations::{Axis, Reduction, broadcast};
use crate::scalar::{Constant, Function};

/// The number of operations from which an expression is computed by a kernel of its own. The
/// registers of a loop are few, and code generation is not linear in the size of a function.
const MOST_NODES: usize = 24;

/// The value of the elements of a tensor, before they are computed.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) shape: Shape,
    pub(super) element: Element,
    kind: Kind,
    /// The number of operations; shared ones count as often as they are used.
    size: usize,
}

/// A shared expression.
pub(super) type Shared = Rc<Expression>;

#[derive(Debug)]
enum Kind {
    /// All elements are equal.
    Splat(Operand),
    /// The elements of a buffer in row-major order.
    Read(usize),
    /// Each element is its index in this dimension.
    Index(usize),
    /// Each element is its position in row-major order.
    Position,
    /// Each element is one of another expression.
    View { source: Shared, axes: Vec<Axis> },
    /// Each element is one of a buffer of this shape, at a coordinate for each dimension.
    Lookup {
        buffer: usize,
        shape: Shape,
        coordinates: Vec<Coordinate>,
    },
    /// A function of expressions, which are broadcast to the shape.
    Apply {
        function: Function,
        operands: Vec<Shared>,
    },
}

/// An index in one dimension of a buffer.
#[derive(Debug)]
pub(super) enum Coordinate {
    /// In terms of the dimensions of the expression.
    Axis(Axis),
    /// Integers, in the shape of the expression.
    Index(Shared),
}

impl Expression {
    fn new(kind: Kind, shape: &[Extent], element: Element, size: usize) -> Shared {
        Rc::new(Expression {
            shape: shape.to_vec(),
            element,
            kind,
            size,
        })
    }

    pub(super) fn splat(value: Operand, shape: &[Extent], element: Element) -> Shared {
        Self::new(Kind::Splat(value), shape, element, 0)
    }

    pub(super) fn read(buffer: usize, shape: &[Extent], element: Element) -> Shared {
        Self::new(Kind::Read(buffer), shape, element, 0)
    }

    pub(super) fn index(dimension: usize, shape: &[Extent], element: Element) -> Shared {
        Self::new(Kind::Index(dimension), shape, element, 1)
    }

    pub(super) fn position(shape: &[Extent], element: Element) -> Shared {
        Self::new(Kind::Position, shape, element, 1)
    }

    pub(super) fn view(source: Shared, axes: Vec<Axis>, shape: &[Extent]) -> Shared {
        let (element, size) = (source.element, source.size);
        Self::new(Kind::View { source, axes }, shape, element, size)
    }

    /// Returns the elements of a buffer with a shape of its own, at coordinates.
    pub(super) fn lookup(
        (buffer, own): (usize, &[Extent]),
        coordinates: Vec<Coordinate>,
        shape: &[Extent],
        element: Element,
    ) -> Shared {
        let size = |coordinate: &Coordinate| match coordinate {
            Coordinate::Axis(_) => 0,
            Coordinate::Index(index) => index.size + 1,
        };
        let size = coordinates.iter().map(size).sum();
        let kind = Kind::Lookup {
            buffer,
            shape: own.to_vec(),
            coordinates,
        };
        Self::new(kind, shape, element, size)
    }

    pub(super) fn apply(function: Function, operands: Vec<Shared>, shape: &[Extent]) -> Shared {
        let elements: Vec<_> = operands.iter().map(|operand| operand.element).collect();
        let size = operands.iter().map(|operand| operand.size).sum::<usize>() + 1;
        let element = function.result(&elements);
        Self::new(Kind::Apply { function, operands }, shape, element, size)
    }

    /// Returns whether this expression is computed by a kernel of its own.
    pub(super) fn is_large(&self) -> bool {
        self.size >= MOST_NODES
    }

    /// Returns whether computing an element again costs no more than reading it.
    pub(super) fn is_free(&self) -> bool {
        self.size == 0
    }

    /// Returns the value of all elements, if they are equal by construction.
    pub(super) fn as_splat(&self) -> Option<Operand> {
        match self.kind {
            Kind::Splat(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the buffer, if the elements are those of a buffer in the same order.
    pub(super) fn as_read(&self) -> Option<usize> {
        match self.kind {
            Kind::Read(buffer) => Some(buffer),
            _ => None,
        }
    }
}

/// Returns the row-major strides of a shape, in elements.
pub(super) fn strides(shape: &[Extent]) -> Vec<Extent> {
    let mut strides = vec![Extent::known(1); shape.len()];
    for dimension in (1..shape.len()).rev() {
        strides[dimension - 1] = strides[dimension].times(&shape[dimension]);
    }
    strides
}

/// A number in each iteration: an offset, and a step for each loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Affine {
    /// A sum.
    pub(super) offset: Vec<Extent>,
    pub(super) steps: Vec<Extent>,
}

impl Affine {
    fn zero(loops: usize) -> Self {
        Affine {
            offset: Vec::new(),
            steps: vec![Extent::known(0); loops],
        }
    }

    fn extents(&mut self) -> impl Iterator<Item = &mut Extent> {
        self.offset.iter_mut().chain(&mut self.steps)
    }

    /// Adds a multiple of an index. A loop is the index of one dimension only.
    fn add(&mut self, axis: Axis, stride: &Extent) {
        if axis.offset != 0 {
            self.offset.push(stride.scaled(axis.offset));
        }
        if let Some(of) = axis.of {
            self.steps[of] = stride.scaled(axis.step);
        }
    }
}

/// The place of an element in a buffer in each iteration.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Access {
    /// The position among the buffers of the kernel.
    pub(super) buffer: usize,
    pub(super) index: Affine,
}

/// A value that an iteration computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Node {
    Constant(Constant),
    /// A scalar parameter of the kernel.
    Scalar(usize),
    Read(Access),
    /// The element at an access and at indices that nodes have.
    Lookup(Access, Vec<Computed>),
    /// An integer.
    Index(Affine),
    /// A function of earlier nodes.
    Apply(Function, Vec<usize>),
}

/// An index that a node has: in a dimension of this size, of elements at this distance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Computed {
    pub(super) node: usize,
    pub(super) size: Extent,
    pub(super) stride: Extent,
}

impl Computed {
    fn extents(&mut self) -> [&mut Extent; 2] {
        [&mut self.size, &mut self.stride]
    }
}

/// The computation of one iteration, operands first. The last node is the value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Body {
    pub(super) nodes: Vec<Node>,
    /// The type of each node.
    pub(super) elements: Vec<Element>,
}

impl Body {
    fn indices(&mut self) -> impl Iterator<Item = &mut Affine> {
        self.nodes.iter_mut().filter_map(|node| match node {
            Node::Read(access) | Node::Lookup(access, _) => Some(&mut access.index),
            Node::Index(index) => Some(index),
            _ => None,
        })
    }

    /// Returns all sizes and steps.
    fn extents(&mut self) -> impl Iterator<Item = &mut Extent> {
        self.nodes.iter_mut().flat_map(|node| match node {
            Node::Read(access) => access.index.extents().collect(),
            Node::Lookup(access, computed) => {
                let computed = computed.iter_mut().flat_map(Computed::extents);
                access.index.extents().chain(computed).collect()
            }
            Node::Index(index) => index.extents().collect::<Vec<_>>(),
            _ => Vec::new(),
        })
    }

    /// Returns the first nodes.
    pub(super) fn first(&self, count: Option<usize>) -> Self {
        let count = count.unwrap_or(0);
        Body {
            nodes: self.nodes[..count].to_vec(),
            elements: self.elements[..count].to_vec(),
        }
    }

    /// Returns the number of loops, from the outermost one on, in which the nodes change.
    pub(super) fn loops(&self) -> usize {
        let indices = self.nodes.iter().filter_map(|node| match node {
            Node::Read(access) | Node::Lookup(access, _) => Some(&access.index),
            Node::Index(index) => Some(index),
            _ => None,
        });
        let last = |index: &Affine| index.steps.iter().rposition(|step| !step.is(0));
        indices.filter_map(last).max().map_or(0, |last| last + 1)
    }

    /// Returns the type of the value.
    pub(super) fn element(&self) -> Element {
        *self.elements.last().expect("a body has a value")
    }
}

/// The loops of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kernel {
    /// Writes the value of each iteration.
    Map {
        sizes: Vec<Extent>,
        body: Body,
        output: Access,
    },
    /// Combines the values of the iterations of some loops.
    Reduce {
        sizes: Vec<Extent>,
        /// For each loop.
        reduced: Vec<bool>,
        body: Body,
        function: Reduction,
        /// The number that divides each result.
        divisor: Option<Extent>,
        /// The results are combined with what the output has, in place of a start value.
        accumulates: bool,
        /// With step 0 for reduced loops.
        output: Access,
    },
    /// Combines the value of each iteration of a loop with those before it.
    Scan {
        sizes: Vec<Extent>,
        /// The loop, which has not one iteration only.
        along: usize,
        body: Body,
        /// A sum or a product.
        function: Reduction,
        /// A result is of the values before its own.
        is_exclusive: bool,
        /// From the last value on.
        is_reverse: bool,
        output: Access,
    },
    /// Multiplies matrices.
    Product(Product),
    Convolution(Convolution),
    /// Combines the value of each iteration with the element at computed indices, in order. An
    /// iteration whose indices are out of range does nothing.
    Scatter {
        sizes: Vec<Extent>,
        /// The nodes of the places are first.
        body: Body,
        /// The node with the value.
        value: usize,
        /// Without a function, the value replaces the element.
        function: Option<Reduction>,
        output: Access,
        places: Vec<Computed>,
    },
}

/// A product of matrices, `batch` times: `m` x `k` by `k` x `n`. A transposed operand is stored as
/// `k` x `m`, or as `n` x `k`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Product {
    pub(super) element: Element,
    pub(super) batch: Extent,
    pub(super) m: Extent,
    pub(super) n: Extent,
    pub(super) k: Extent,
    pub(super) transpose_a: bool,
    pub(super) transpose_b: bool,
    /// The product is added to what the result has.
    pub(super) accumulates: bool,
    /// The blocks in which the product is computed, if it is.
    pub(super) blocks: Option<Blocks>,
    /// The last parameters of the kernel are a range, of which the product is computed.
    pub(super) range: Option<Range>,
}

/// The dimension of a range of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Range {
    /// Only of products in blocks.
    Rows,
    Columns,
}

/// A kernel with its operands: the buffers, the last of which is written, the scalars, and the
/// sizes that are its parameters. A call is first built with the sizes of the plan, and then
/// [settled](Call::settle).
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) kernel: Kernel,
    /// The element type of each buffer of the kernel.
    pub(super) elements: Vec<Element>,
    pub(super) buffers: Vec<usize>,
    pub(super) scalars: Vec<Operand>,
    pub(super) sizes: Vec<Extent>,
}

impl Call {
    /// Returns a call with the sizes of the plan.
    pub(super) fn new(
        kernel: Kernel,
        elements: Vec<Element>,
        buffers: Vec<usize>,
        scalars: Vec<Operand>,
    ) -> Self {
        Call {
            kernel,
            elements,
            buffers,
            scalars,
            sizes: Vec::new(),
        }
    }

    /// Joins loops.
    pub(super) fn collapse(&mut self) {
        collapse(&mut self.kernel);
    }

    /// Joins loops, and makes unknown sizes parameters.
    pub(super) fn settle(&mut self) {
        self.collapse();
        for extent in self.kernel.extents() {
            if extent.as_known().is_none() {
                let parameter = position(&mut self.sizes, extent.clone());
                *extent = Extent::symbol(parameter as u32);
            }
        }
    }

    /// Returns the same call of a kernel for other sizes as well: all sizes but 0 and 1 are
    /// parameters. Equal sizes are one parameter.
    pub(super) fn general(&self) -> Self {
        let mut call = self.clone();
        for extent in call.kernel.extents() {
            if extent.as_known().is_some_and(|size| size > 1) {
                let parameter = position(&mut call.sizes, extent.clone());
                *extent = Extent::symbol(parameter as u32);
            }
        }
        call
    }

    /// Returns the buffer that the kernel writes.
    pub(super) fn output(&self) -> usize {
        match &self.kernel {
            Kernel::Map { output, .. }
            | Kernel::Reduce { output, .. }
            | Kernel::Scan { output, .. }
            | Kernel::Scatter { output, .. } => self.buffers[output.buffer],
            Kernel::Product(_) | Kernel::Convolution(_) => self.buffers[self.buffers.len() - 1],
        }
    }
}

/// Builds the body of a kernel from expressions.
pub(super) struct BodyBuilder<'b> {
    buffers: &'b Buffers,
    body: Body,
    used: Vec<usize>,
    scalars: Vec<Operand>,
    /// The nodes by expression (its address) and axes.
    known: BTreeMap<(usize, Vec<Axis>), usize>,
    loops: usize,
}

impl<'b> BodyBuilder<'b> {
    /// Starts the body of a number of loops.
    pub(super) fn new(buffers: &'b Buffers, loops: usize) -> Self {
        BodyBuilder {
            buffers,
            body: Body::default(),
            used: Vec::new(),
            scalars: Vec::new(),
            known: BTreeMap::new(),
            loops,
        }
    }

    /// Adds an expression whose dimensions have these indices, and returns its node. Recursive: the
    /// size of expressions is bounded.
    pub(super) fn add(&mut self, expression: &Shared, axes: &[Axis]) -> usize {
        let key = (Rc::as_ptr(expression).addr(), axes.to_vec());
        if let Some(&node) = self.known.get(&key) {
            return node;
        }
        let composed = |inner: &[Axis]| -> Vec<Axis> {
            inner.iter().map(|axis| compose(*axis, axes)).collect()
        };
        let node = match &expression.kind {
            Kind::Splat(Operand::Constant(value)) => Node::Constant(*value),
            Kind::Splat(value) => Node::Scalar(self.scalar(*value)),
            Kind::Read(buffer) => Node::Read(self.access(*buffer, &expression.shape, axes)),
            Kind::Index(dimension) => {
                let mut index = Affine::zero(self.loops);
                index.add(axes[*dimension], &Extent::known(1));
                Node::Index(index)
            }
            Kind::Position => Node::Index(self.row_major(&expression.shape, axes)),
            Kind::View {
                source,
                axes: inner,
            } => return self.add(source, &composed(inner)),
            Kind::Lookup {
                buffer,
                shape,
                coordinates,
            } => {
                let (access, computed) = self.place((*buffer, shape), coordinates, axes);
                Node::Lookup(access, computed)
            }
            Kind::Apply { function, operands } => {
                let mut nodes = Vec::new();
                for operand in operands {
                    let inner = broadcast(&operand.shape, &expression.shape)
                        .expect("operands are broadcast to the shape of the result");
                    nodes.push(self.add(operand, &composed(&inner)));
                }
                Node::Apply(*function, nodes)
            }
        };
        let number = position(&mut self.body.nodes, node);
        self.body
            .elements
            .resize(self.body.nodes.len(), expression.element);
        self.known.insert(key, number);
        number
    }

    /// Returns the access to a buffer of a shape by coordinates, and the indices among them.
    /// Recursive in expressions, as [`BodyBuilder::add`].
    pub(super) fn place(
        &mut self,
        (buffer, shape): (usize, &[Extent]),
        coordinates: &[Coordinate],
        axes: &[Axis],
    ) -> (Access, Vec<Computed>) {
        let (mut own, mut computed) = (Vec::new(), Vec::new());
        for ((coordinate, stride), size) in coordinates.iter().zip(strides(shape)).zip(shape) {
            own.push(match coordinate {
                Coordinate::Axis(axis) => compose(*axis, axes),
                Coordinate::Index(index) => {
                    computed.push(Computed {
                        node: self.add(index, axes),
                        size: size.clone(),
                        stride,
                    });
                    Axis::ZERO
                }
            });
        }
        (self.access(buffer, shape, &own), computed)
    }

    /// Returns the access to a buffer of a shape by the indices of its dimensions.
    pub(super) fn access(&mut self, buffer: usize, shape: &[Extent], axes: &[Axis]) -> Access {
        Access {
            buffer: position(&mut self.used, buffer),
            index: self.row_major(shape, axes),
        }
    }

    /// Returns the position in a shape by the indices of its dimensions.
    fn row_major(&self, shape: &[Extent], axes: &[Axis]) -> Affine {
        let mut index = Affine::zero(self.loops);
        for ((axis, stride), size) in axes.iter().zip(strides(shape)).zip(shape) {
            if !size.is(1) {
                index.add(*axis, &stride);
            }
        }
        index
    }

    fn scalar(&mut self, value: Operand) -> usize {
        position(&mut self.scalars, value)
    }

    /// Returns the call of the kernel that `make` builds from the body.
    pub(super) fn finish(self, make: impl FnOnce(Body) -> Kernel) -> Call {
        let element = |&buffer: &usize| self.buffers.element(buffer);
        let kernel = make(self.body);
        let elements = self.used.iter().map(element).collect();
        Call::new(kernel, elements, self.used, self.scalars)
    }
}

/// Returns the position of an item in a list, to which it is added if it is new.
pub(super) fn position<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    let found = list.iter().position(|known| *known == item);
    found.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// Returns an index in terms of outer axes, given in terms of the dimensions that these index.
fn compose(axis: Axis, outer: &[Axis]) -> Axis {
    let Some(of) = axis.of else {
        return axis;
    };
    Axis {
        of: outer[of].of,
        offset: axis.offset + axis.step * outer[of].offset,
        step: axis.step * outer[of].step,
    }
}

/// Joins adjacent loops of one kind if all accesses are those of one longer loop. Loops of one
/// iteration disappear.
fn collapse(kernel: &mut Kernel) {
    // From the innermost loop outwards, so that a joined loop can be joined again.
    for inner in (1..kernel.sizes().len()).rev() {
        let outer = inner - 1;
        let [outer_size, inner_size] = [outer, inner].map(|number| kernel.sizes()[number].clone());
        let is_longer =
            |index: &&mut Affine| index.steps[outer] == index.steps[inner].times(&inner_size);
        let joins = kernel.is_of_one_kind(outer, inner) && kernel.indices().iter().all(is_longer);
        if joins || outer_size.is(1) || inner_size.is(1) {
            let kept = if joins || !inner_size.is(1) {
                inner
            } else {
                outer
            };
            kernel.join(outer, kept, outer_size.times(&inner_size));
        }
    }
}

impl Kernel {
    /// Returns the kernel that writes a constant to all elements of a buffer.
    pub(super) fn fill(value: Constant, count: Extent) -> Self {
        let index = Affine {
            offset: Vec::new(),
            steps: vec![Extent::known(1)],
        };
        Kernel::Map {
            sizes: vec![count],
            body: Body {
                nodes: vec![Node::Constant(value)],
                elements: vec![value.element],
            },
            output: Access { buffer: 0, index },
        }
    }

    /// Returns the function that combines all rows: a product adds them.
    pub(super) fn combination(&self) -> Reduction {
        match self {
            Kernel::Reduce { function, .. } => *function,
            _ => Reduction::Sum,
        }
    }

    /// Returns whether the last parameters are a range of columns, or of rows.
    pub(super) fn is_of_range(&self) -> bool {
        match self {
            Kernel::Product(product) => product.range.is_some(),
            Kernel::Convolution(convolution) => convolution.is_of_range,
            _ => false,
        }
    }

    /// Returns the functions of an iteration, with the types of their results.
    pub(super) fn functions(&self) -> impl Iterator<Item = (Function, Element)> {
        let body = match self {
            Kernel::Map { body, .. }
            | Kernel::Reduce { body, .. }
            | Kernel::Scan { body, .. }
            | Kernel::Scatter { body, .. } => Some(body),
            Kernel::Product(_) | Kernel::Convolution(_) => None,
        };
        let nodes = body
            .into_iter()
            .flat_map(|body| body.nodes.iter().zip(&body.elements));
        nodes.filter_map(|(node, element)| match node {
            Node::Apply(function, _) => Some((*function, *element)),
            _ => None,
        })
    }

    fn sizes(&self) -> &[Extent] {
        match self {
            Kernel::Map { sizes, .. }
            | Kernel::Reduce { sizes, .. }
            | Kernel::Scan { sizes, .. }
            | Kernel::Scatter { sizes, .. } => sizes,
            Kernel::Product(_) | Kernel::Convolution(_) => &[],
        }
    }

    /// Returns all sizes and steps.
    fn extents(&mut self) -> Vec<&mut Extent> {
        let (sizes, body, output, others) = match self {
            Kernel::Map {
                sizes,
                body,
                output,
            }
            | Kernel::Scan {
                sizes,
                body,
                output,
                ..
            } => (sizes, body, output, Vec::new()),
            Kernel::Reduce {
                sizes,
                body,
                output,
                divisor,
                ..
            } => (sizes, body, output, divisor.iter_mut().collect()),
            Kernel::Product(Product { batch, m, n, k, .. }) => return vec![batch, m, n, k],
            Kernel::Convolution(Convolution { images, .. }) => return vec![images],
            Kernel::Scatter {
                sizes,
                body,
                output,
                places,
                ..
            } => {
                let places = places.iter_mut().flat_map(Computed::extents);
                (sizes, body, output, places.collect())
            }
        };
        let steps = body.extents().chain(output.index.extents());
        sizes.iter_mut().chain(others).chain(steps).collect()
    }

    /// Returns whether both loops are reduced or scanned, or none of them.
    fn is_of_one_kind(&self, one: usize, other: usize) -> bool {
        match self {
            Kernel::Reduce { reduced, .. } => reduced[one] == reduced[other],
            Kernel::Scan { along, .. } => ![one, other].contains(along),
            _ => true,
        }
    }

    fn indices(&mut self) -> Vec<&mut Affine> {
        match self {
            Kernel::Map { body, output, .. }
            | Kernel::Reduce { body, output, .. }
            | Kernel::Scan { body, output, .. }
            | Kernel::Scatter { body, output, .. } => {
                body.indices().chain([&mut output.index]).collect()
            }
            Kernel::Product(_) | Kernel::Convolution(_) => Vec::new(),
        }
    }

    /// Replaces a loop and the next one by one with the steps and the kind of the loop `kept`.
    fn join(&mut self, outer: usize, kept: usize, size: Extent) {
        for index in self.indices() {
            let other = if kept == outer { outer + 1 } else { outer };
            index.steps.remove(other);
        }
        if let Kernel::Map { sizes, .. }
        | Kernel::Reduce { sizes, .. }
        | Kernel::Scan { sizes, .. }
        | Kernel::Scatter { sizes, .. } = self
        {
            sizes[outer] = size;
            sizes.remove(outer + 1);
        }
        if let Kernel::Reduce { reduced, .. } = self {
            reduced[outer] = reduced[kept];
            reduced.remove(outer + 1);
        }
        if let Kernel::Scan { along, .. } = self
            && *along > outer
        {
            *along -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(numbers: &[i64]) -> Vec<Extent> {
        numbers
            .iter()
            .map(|&number| Extent::known(number))
            .collect()
    }

    fn access(buffer: usize, steps: Vec<Extent>) -> Access {
        let offset = Vec::new();
        Access {
            buffer,
            index: Affine { offset, steps },
        }
    }

    fn map(sizes: Vec<Extent>, read: Vec<Extent>, write: Vec<Extent>) -> Kernel {
        Kernel::Map {
            sizes,
            body: Body {
                nodes: vec![Node::Read(access(0, read))],
                elements: vec![Element::F32],
            },
            output: access(1, write),
        }
    }

    fn map_of_known(sizes: &[i64], read: &[i64], write: &[i64]) -> Kernel {
        map(known(sizes), known(read), known(write))
    }

    #[test]
    fn loops_over_whole_tensors_are_one() {
        let mut kernel = map_of_known(&[2, 3, 4], &[12, 4, 1], &[12, 4, 1]);
        collapse(&mut kernel);
        assert_eq!(kernel, map_of_known(&[24], &[1], &[1]));
    }

    #[test]
    fn broadcast_loops_stay_apart() {
        let mut kernel = map_of_known(&[2, 3, 4], &[0, 4, 1], &[12, 4, 1]);
        collapse(&mut kernel);
        assert_eq!(kernel, map_of_known(&[2, 12], &[0, 1], &[12, 1]));
    }

    #[test]
    fn loops_of_one_iteration_disappear() {
        let mut kernel = map_of_known(&[5, 1, 4], &[1, 0, 5], &[4, 4, 1]);
        collapse(&mut kernel);
        assert_eq!(kernel, map_of_known(&[5, 4], &[1, 5], &[4, 1]));
        let mut kernel = map_of_known(&[5, 1], &[7, 0], &[1, 1]);
        collapse(&mut kernel);
        assert_eq!(kernel, map_of_known(&[5], &[7], &[1]));
    }

    #[test]
    fn loops_of_unknown_sizes_are_one() {
        let (rows, columns) = (Extent::symbol(0), Extent::symbol(1));
        let steps = vec![columns.clone(), Extent::known(1)];
        let sizes = vec![rows.clone(), columns.clone()];
        let mut kernel = map(sizes, steps.clone(), steps);
        collapse(&mut kernel);
        let (one, all) = (vec![Extent::known(1)], rows.times(&columns));
        assert_eq!(kernel, map(vec![all], one.clone(), one));
    }

    #[test]
    fn kernels_of_other_sizes_are_equal() {
        let call = |rows: u32, columns: u32| {
            let sizes = vec![Extent::symbol(rows), Extent::symbol(columns)];
            let steps = vec![Extent::symbol(columns), Extent::known(1)];
            // A column is read, so that the loops stay apart.
            let kernel = map(sizes, vec![Extent::known(1), Extent::known(0)], steps);
            let mut call = Call::new(kernel, vec![Element::F32; 2], vec![0, 1], Vec::new());
            call.settle();
            call
        };
        let (one, other) = (call(0, 1), call(7, 3));
        assert_eq!(one.kernel, other.kernel);
        assert_eq!(other.sizes, [Extent::symbol(7), Extent::symbol(3)]);
        assert_ne!(one.kernel, call(2, 2).kernel);
    }

    #[test]
    fn general_kernels_of_known_sizes_are_equal() {
        let call = |rows: i64, columns: i64| {
            let steps = known(&[columns, 1]);
            let kernel = map(known(&[rows, columns]), known(&[1, 0]), steps);
            let mut call = Call::new(kernel, vec![Element::F32; 2], vec![0, 1], Vec::new());
            call.settle();
            call
        };
        let (one, other) = (call(3, 4), call(5, 7));
        assert_ne!(one.kernel, other.kernel);
        let (one, other) = (one.general(), other.general());
        assert_eq!(one.kernel, other.kernel);
        assert_eq!(other.sizes, known(&[5, 7]));
        assert_eq!(call(4, 4).general().sizes, known(&[4]));
    }
}
