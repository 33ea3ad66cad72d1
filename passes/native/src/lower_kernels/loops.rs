//! The code of maps and reductions: nested loops.
//!
//! ```text
//! Map      for i { for j { out[..] = value } }
//! Reduce   innermost loop reduced:   for kept { sum = 0; for reduced { sum += value }; out = sum }
//!          of a few values:          for kept { out = (value 0 + value 1) + (value 2 + value 3) }
//!          innermost loops kept:     for kept { for inner { out = 0 }
//!                                               for reduced { for inner { out += value } } }
//!          less than a vector kept:  for kept { sums = 0; for reduced { sums += values }
//!                                               outs = sums }
//!          and a few values:         for kept { for inner { out = (value 0 + ...) + ... } }
//! Scan     see loops/scan.rs
//! Scatter  for i { if s[i] is in range { for j { out[s[i], j] += value } } }
//! ```
//!
//! The first form of a reduction waits for each step before the next one, unless LLVM vectorizes
//! it: of less than a vector of values, such as the probabilities of ten classes, some lanes are
//! left out. Of fewer values, the steps are those of a tree, and LLVM vectorizes the loop around
//! it. The other forms read and write consecutive elements in their innermost loop, as sums over
//! rows and pools over windows need. LLVM vectorizes all: sums of floats may be added in any order,
//! and the kernel's buffers do not overlap. It must not unroll an innermost loop of whole vectors
//! first, which is short in images with few channels.
//!
//! A scatter whose places do not fit into the cache prefetches those of later iterations.
//!
//! Nothing outside of a buffer is read or written, whatever the indices of lookups are: a call that
//! gives up continues.

mod scan;

use melior::ir::Attribute;
use tfx_ir::Value;
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::ops::llvm_intrinsics::{Maximum, Minimum};

use super::code::{self, Code};
use super::kernel::{Access, Affine, Body, Computed, Kernel, Node};
use crate::element::Element;
use crate::extent::Extent;
use crate::operations::Reduction;
use crate::scalar::{Constant, Function, Order, Scalars};
pub(super) use scan::Scan;

/// The number of values up to which a reduction is a tree.
const MOST_IN_TREE: i64 = 16;

/// The number of nodes up to which a reduction is a tree: LLVM's time is not linear in the size of
/// a loop.
const MOST_NODES_OF_TREE: i64 = 128;

/// The elements of the widest vectors of `f32`. Those of half the size are used, too.
const VECTOR: i64 = 16;

/// The least number of elements for a vector with lanes that are left out.
const LEAST_IN_VECTOR: i64 = 5;

/// The number of iterations after which a scatter needs what it prefetches.
const PREFETCHED: i64 = 16;

/// The bytes that a scatter prefetches for an iteration, at most.
const MOST_PREFETCHED: i64 = 512;

/// The bytes of a buffer below which it is in the cache of the processor.
const CACHED: i64 = 256 << 10;

/// The bytes of a line of the cache.
const CACHE_LINE: i64 = 64;

/// The operands of a kernel in its function.
pub(super) struct Parameters<'p, 'a> {
    pub(super) buffers: &'p [Value<'a>],
    pub(super) elements: &'p [Element],
    pub(super) scalars: &'p [Value<'a>],
    pub(super) sizes: &'p [Value<'a>],
}

/// Emits the loops of a map.
pub(super) fn map<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    sizes: &[Extent],
    body: &Body,
    output: &Access,
) {
    parameters.nest(
        code,
        sizes,
        &mut vec![None; sizes.len()],
        &all(sizes),
        &mut |code, indices| {
            let value = parameters.value(code, body, indices);
            parameters.store(code, output, indices, value);
        },
    );
}

/// Emits the element of a map in one iteration.
pub(super) fn map_once<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    body: &Body,
    output: &Access,
    indices: &Indices<'a>,
) {
    let value = parameters.value(code, body, indices);
    parameters.store(code, output, indices, value);
}

/// The parts of a reduction.
pub(super) struct Reduce<'k> {
    pub(super) sizes: &'k [Extent],
    pub(super) reduced: &'k [bool],
    pub(super) body: &'k Body,
    pub(super) function: Reduction,
    pub(super) divisor: Option<&'k Extent>,
    pub(super) accumulates: bool,
    pub(super) output: &'k Access,
}

/// The parts of a scatter.
pub(super) struct Scatter<'k> {
    pub(super) sizes: &'k [Extent],
    pub(super) body: &'k Body,
    pub(super) value: usize,
    pub(super) function: Option<Reduction>,
    pub(super) output: &'k Access,
    pub(super) places: &'k [Computed],
}

impl<'k> Scatter<'k> {
    /// Returns the parts of a kernel, if it is a scatter.
    pub(super) fn of(kernel: &'k Kernel) -> Option<Self> {
        match kernel {
            Kernel::Scatter {
                sizes,
                body,
                value,
                function,
                output,
                places,
            } => Some(Scatter {
                sizes,
                body,
                value: *value,
                function: *function,
                output,
                places,
            }),
            _ => None,
        }
    }

    /// Returns the number of consecutive bytes at a place, at most [`MOST_PREFETCHED`] of them, if
    /// it is known; none if all places fit into a cache.
    fn bytes_at_place(&self) -> Option<i64> {
        let element = self.body.elements[self.value].size() as i64;
        let extents = self
            .places
            .iter()
            .map(|place| place.size.times(&place.stride));
        let most = extents
            .map(|extent| extent.as_known().unwrap_or(i64::MAX))
            .max()?;
        if most.saturating_mul(element) < CACHED {
            return None;
        }
        // The loops in which the place is constant are the innermost ones.
        let innermost = self.output.index.steps.last()?.as_known() == Some(1);
        let count = self.sizes.last()?.as_known().filter(|_| innermost)?;
        Some(count.saturating_mul(element).min(MOST_PREFETCHED))
    }
}

/// Emits the loops of a scatter. Those in which the place is constant are inside of the comparison.
/// If `prefetches` is true, the places of later iterations are brought into the cache.
pub(super) fn scatter<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    scatter: &Scatter<'_>,
    prefetches: bool,
) {
    let (sizes, body) = (scatter.sizes, scatter.body);
    let of_places = body.first(scatter.places.iter().map(|place| place.node + 1).max());
    let outer = of_places.loops();
    let (outer, inner): (Vec<_>, Vec<_>) = (0..sizes.len()).partition(|&number| number < outer);
    let mut open = vec![None; sizes.len()];
    parameters.nest(code, sizes, &mut open, &outer, &mut |code, indices| {
        if prefetches && let (Some(&along), Some(bytes)) = (outer.last(), scatter.bytes_at_place())
        {
            prefetch(
                code,
                parameters,
                scatter,
                &of_places,
                (along, bytes),
                indices,
            );
        }
        let values = parameters.values(code, &of_places, indices);
        let zero = code.index(0);
        let (distance, is_inside) =
            parameters.displaced(code, &of_places, zero, scatter.places, &values);
        let branch = code.builder.scf_if(is_inside, &[]);
        let mut inside = code.at_end(branch.region(0).add_block(&[]));
        parameters.nest(&mut inside, sizes, indices, &inner, &mut |code, indices| {
            let values = parameters.values(code, body, indices);
            let index = parameters.index(code, &scatter.output.index, indices);
            let at = arith::AddI::build(&mut code.builder, index, distance).result();
            let (buffer, element) = parameters.buffer(scatter.output);
            let address = code.address(buffer, at, element);
            let mut value = values[scatter.value];
            if let Some(function) = scatter.function {
                let before = code.load(address, element);
                value = combine(code, function, element, before, value);
            }
            code.store(value, address, element);
        });
        inside.yield_values(&[]);
        let mut outside = code.at_end(branch.region(1).add_block(&[]));
        outside.yield_values(&[]);
    });
}

/// Emits a prefetch of the bytes at the place of an iteration that is some further ones away in the
/// loop `along`. An index out of range is an address that nothing is read from.
fn prefetch<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    scatter: &Scatter<'_>,
    of_places: &Body,
    (along, bytes): (usize, i64),
    indices: &Indices<'a>,
) {
    let mut later = indices.clone();
    let one = code.index(1);
    let size = code.extent(&scatter.sizes[along], parameters.sizes);
    let last = arith::SubI::build(&mut code.builder, size, one).result();
    let number = indices[along].expect("the loop is open");
    let ahead = code.index(PREFETCHED);
    let number = arith::AddI::build(&mut code.builder, number, ahead).result();
    let number = arith::MinSI::build(&mut code.builder, number, last).result();
    later[along] = Some(number);
    let values = parameters.values(code, of_places, &later);
    let zero = code.index(0);
    let (distance, _) = parameters.displaced(code, of_places, zero, scatter.places, &values);
    let index = parameters.index(code, &scatter.output.index, &later);
    let at = arith::AddI::build(&mut code.builder, index, distance).result();
    let (buffer, element) = parameters.buffer(scatter.output);
    let first = code.address(buffer, at, element);
    for line in (0..bytes).step_by(CACHE_LINE as usize) {
        let address = code.offset(first, line as u64);
        code.prefetch(address);
    }
}

/// The indices of the loops that are open, by loop.
pub(super) type Indices<'a> = Vec<Option<Value<'a>>>;

/// Emits the loops of a reduction.
pub(super) fn reduce<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    reduce: &Reduce<'_>,
) {
    let loops = 0..reduce.sizes.len();
    let reduced = reduce.reduced_loops();
    // The kept loops inside of all reduced ones.
    let first_inner = reduced.last().map_or(0, |last| last + 1);
    let inner: Vec<usize> = (first_inner..reduce.sizes.len()).collect();
    let outer: Vec<usize> = loops
        .filter(|&number| number < first_inner && !reduce.reduced[number])
        .collect();
    let element = reduce.body.element();
    let mut indices: Indices<'a> = vec![None; reduce.sizes.len()];
    parameters.nest(
        code,
        reduce.sizes,
        &mut indices,
        &outer,
        &mut |code, indices| {
            let few = match inner.is_empty() {
                true => reduce
                    .values()
                    .filter(|count| !is_part_of_vector(code, *count)),
                false => reduce.few(),
            };
            if inner.is_empty() || few.is_some() {
                parameters.nest(code, reduce.sizes, indices, &inner, &mut |code, indices| {
                    reduce_once(code, parameters, reduce, few, indices);
                });
                return;
            }
            if !reduce.accumulates {
                parameters.nest(code, reduce.sizes, indices, &inner, &mut |code, indices| {
                    let initial = identity(reduce.function, element).build(&mut code.builder);
                    parameters.store(code, reduce.output, indices, initial);
                });
            }
            if let &[inner] = &inner[..]
                && reduce.has_few_results(inner)
            {
                reduce_in_registers(code, parameters, reduce, inner, indices);
                return;
            }
            let order: Vec<usize> = reduced.iter().chain(&inner).copied().collect();
            parameters.nest(code, reduce.sizes, indices, &order, &mut |code, indices| {
                let value = parameters.value(code, reduce.body, indices);
                let (address, element) = parameters.place(code, reduce.output, indices);
                let before = code.load(address, element);
                let combined = combine(code, reduce.function, element, before, value);
                code.store(combined, address, element);
            });
            if reduce.divisor.is_some() {
                parameters.nest(code, reduce.sizes, indices, &inner, &mut |code, indices| {
                    let (address, element) = parameters.place(code, reduce.output, indices);
                    let sum = code.load(address, element);
                    let result = divide(code, parameters, reduce, element, sum);
                    code.store(result, address, element);
                });
            }
        },
    );
}

/// Emits the results of a reduction in the iterations of a short loop, which are in registers.
fn reduce_in_registers<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    reduce: &Reduce<'_>,
    inner: usize,
    indices: &mut Indices<'a>,
) {
    let count = reduce.sizes[inner].as_known().unwrap_or(0);
    let mut initials = Vec::new();
    for number in 0..count {
        indices[inner] = Some(code.index(number));
        initials.push(initial(code, parameters, reduce, indices));
    }
    let results = accumulate(
        code,
        parameters,
        reduce,
        indices,
        (initials, Some(inner)),
        None,
    );
    for (number, result) in (0..count).zip(results) {
        indices[inner] = Some(code.index(number));
        let result = divide(code, parameters, reduce, reduce.body.element(), result);
        parameters.store(code, reduce.output, indices, result);
    }
}

/// Emits one result of a reduction, of as many values as `few` says, or of any number.
fn reduce_once<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    reduce: &Reduce<'_>,
    few: Option<i64>,
    indices: &mut Indices<'a>,
) {
    let initial = initial(code, parameters, reduce, indices);
    let combined = match few {
        Some(count) => {
            let reduced = reduce.reduced_loops();
            let values = (&reduced[..], count);
            tree(code, parameters, reduce, indices, values, initial)
        }
        None => accumulate(
            code,
            parameters,
            reduce,
            indices,
            (vec![initial], None),
            None,
        )[0],
    };
    let result = divide(code, parameters, reduce, reduce.body.element(), combined);
    parameters.store(code, reduce.output, indices, result);
}

impl<'k> Reduce<'k> {
    /// Returns the parts of a kernel, if it is a reduction.
    pub(super) fn of(kernel: &'k Kernel) -> Option<Self> {
        match kernel {
            Kernel::Reduce {
                sizes,
                reduced,
                body,
                function,
                divisor,
                accumulates,
                output,
            } => Some(Reduce {
                sizes,
                reduced,
                body,
                function: *function,
                divisor: divisor.as_ref(),
                accumulates: *accumulates,
                output,
            }),
            _ => None,
        }
    }

    /// Emits the result at the indices of the loops that are kept.
    pub(super) fn emit_once<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
        indices: &mut Indices<'a>,
    ) {
        reduce_once(code, parameters, self, self.few(), indices);
    }

    /// Emits the result of some iterations of a reduced loop, and stores it at an address.
    pub(super) fn emit_part<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
        indices: &mut Indices<'a>,
        every: Every<'a>,
        address: Value<'a>,
    ) {
        let element = self.body.element();
        let initial = identity(self.function, element).build(&mut code.builder);
        let initial = (vec![initial], None);
        let part = accumulate(code, parameters, self, indices, initial, Some(every))[0];
        code.store(part, address, element);
    }

    /// Emits the result at the indices of the loops that are kept, of the results of parts, which
    /// are consecutive from an address on.
    pub(super) fn emit_combined<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
        indices: &mut Indices<'a>,
        (parts, count): (Value<'a>, i64),
    ) {
        let element = self.body.element();
        let initial = initial(code, parameters, self, indices);
        let (new, mut inside, index) = code.loop_over((0, count, 1), &[initial]);
        let body = new.op().region(0).entry().expect("the loop has a body");
        let address = inside.address(parts, index, element);
        let part = inside.load(address, element);
        let combined = combine(&mut inside, self.function, element, body.argument(1), part);
        inside.yield_values(&[combined]);
        let result = divide(code, parameters, self, element, new.op().result(0));
        parameters.store(code, self.output, indices, result);
    }

    /// Returns the loops that are kept.
    pub(super) fn kept_loops(&self) -> Vec<usize> {
        let loops = 0..self.sizes.len();
        loops.filter(|&number| !self.reduced[number]).collect()
    }

    /// Returns the loops that are reduced.
    fn reduced_loops(&self) -> Vec<usize> {
        let loops = 0..self.sizes.len();
        loops.filter(|&number| self.reduced[number]).collect()
    }

    /// Returns the number of values that are combined in a result, if these are a few consecutive
    /// ones. Of others, the loops over what is kept are vectorized as they are.
    fn values(&self) -> Option<i64> {
        let last = self.reduced.iter().rposition(|reduced| *reduced)?;
        let mut reads = self.body.nodes.iter().filter_map(|node| match node {
            Node::Read(access) | Node::Lookup(access, _) => Some(access),
            _ => None,
        });
        if !reads.all(|read| {
            read.index.steps[last]
                .as_known()
                .is_some_and(|step| step <= 1)
        }) {
            return None;
        }
        self.few()
    }

    /// Returns whether the results in a loop are less than a vector of them, and their code is
    /// short.
    fn has_few_results(&self, inner: usize) -> bool {
        let nodes = self.body.nodes.len() as i64;
        self.sizes[inner].as_known().is_some_and(|count| {
            !fills_vectors(count) && count < VECTOR && count * nodes <= MOST_NODES_OF_TREE
        })
    }

    /// Returns the number of values that are combined in a result, if it is small.
    fn few(&self) -> Option<i64> {
        let sizes = self.sizes.iter().zip(self.reduced);
        let mut reduced = sizes.filter(|(_, is_reduced)| **is_reduced);
        let count = reduced.try_fold(1i64, |count, (size, _)| count.checked_mul(size.as_known()?));
        let nodes = self.body.nodes.len() as i64;
        count.filter(|&count| {
            (2..=MOST_IN_TREE).contains(&count) && count * nodes <= MOST_NODES_OF_TREE
        })
    }
}

/// Returns the value with which a result starts.
fn initial<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    reduce: &Reduce<'_>,
    indices: &mut Indices<'a>,
) -> Value<'a> {
    match reduce.accumulates {
        true => {
            let (address, element) = parameters.place(code, reduce.output, indices);
            code.load(address, element)
        }
        false => identity(reduce.function, reduce.body.element()).build(&mut code.builder),
    }
}

/// Emits the `count` values of a reduction, combines neighbours, then these results, and so on, and
/// returns the last result.
fn tree<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    reduce: &Reduce<'_>,
    indices: &mut Indices<'a>,
    (loops, count): (&[usize], i64),
    initial: Value<'a>,
) -> Value<'a> {
    let element = reduce.body.element();
    let mut values = Vec::new();
    for number in 0..count {
        let mut rest = number;
        for &number in loops.iter().rev() {
            let size = reduce.sizes[number].as_known().unwrap_or(1);
            indices[number] = Some(code.index(rest % size));
            rest /= size;
        }
        values.push(parameters.value(code, reduce.body, indices));
    }
    while values.len() > 1 {
        let pairs = values.chunks(2);
        values = pairs
            .map(|pair| match *pair {
                [one, other] => combine(code, reduce.function, element, one, other),
                _ => pair[0],
            })
            .collect();
    }
    let result = values[0];
    match reduce.accumulates {
        true => combine(code, reduce.function, element, initial, result),
        false => result,
    }
}

/// Some iterations of a loop: one in `step`, from the `first` one on.
#[derive(Clone, Copy)]
pub(super) struct Every<'a> {
    pub(super) number: usize,
    pub(super) first: Value<'a>,
    pub(super) step: i64,
}

/// Emits nested loops over what is reduced, which carry the value of each iteration of a loop
/// `inner`, or a single value, and returns the last ones.
fn accumulate<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    reduce: &Reduce<'_>,
    indices: &mut Indices<'a>,
    (initials, inner): (Vec<Value<'a>>, Option<usize>),
    every: Option<Every<'a>>,
) -> Vec<Value<'a>> {
    let mut around = Vec::new();
    let (mut inside, mut carried) = (*code, initials);
    for number in reduce.reduced_loops() {
        let size = &reduce.sizes[number];
        let (new, body, index) = match every.filter(|every| every.number == number) {
            Some(Every { first, step, .. }) => {
                let size = inside.extent(size, parameters.sizes);
                let step = inside.index(step);
                inside.loop_between((first, size, step), &carried)
            }
            None => inside.loop_below(size, parameters.sizes, &carried),
        };
        match size.as_known() {
            _ if inner.is_some() => code::keep_for_body(new),
            Some(count) if is_part_of_vector(code, count) => code::keep_for_vectors(new),
            _ => {}
        }
        indices[number] = Some(index);
        around.push((new, inside));
        inside = body;
        let body = new.op().region(0).entry().expect("the loop has a body");
        carried = body.arguments().skip(1).collect();
    }
    let element = reduce.body.element();
    let mut results = Vec::new();
    for (number, before) in carried.into_iter().enumerate() {
        if let Some(inner) = inner {
            indices[inner] = Some(inside.index(number as i64));
        }
        let value = parameters.value(&mut inside, reduce.body, indices);
        results.push(combine(
            &mut inside,
            reduce.function,
            element,
            before,
            value,
        ));
    }
    for (new, outside) in around.into_iter().rev() {
        inside.yield_values(&results);
        results = new.op().results().collect();
        inside = outside;
    }
    results
}

/// Returns whether the iterations of a loop are those of whole vectors.
fn fills_vectors(count: i64) -> bool {
    count == VECTOR / 2 || count % VECTOR == 0
}

/// Returns whether a loop has the iterations of one vector, of which the processor can leave lanes
/// out.
fn is_part_of_vector(code: &Code<'_>, count: i64) -> bool {
    code.has_masks() && (LEAST_IN_VECTOR..VECTOR).contains(&count)
}

fn all(sizes: &[Extent]) -> Vec<usize> {
    (0..sizes.len()).collect()
}

impl<'a> Parameters<'_, 'a> {
    /// Emits loops, the first one outermost, around what `emit` emits.
    fn nest(
        &self,
        code: &mut Code<'a>,
        sizes: &[Extent],
        indices: &mut Indices<'a>,
        loops: &[usize],
        emit: &mut dyn FnMut(&mut Code<'a>, &mut Indices<'a>),
    ) {
        let innermost = loops.last().and_then(|&last| sizes[last].as_known());
        let in_vectors =
            innermost.is_some_and(|count| fills_vectors(count) || is_part_of_vector(code, count));
        let mut inside = *code;
        let mut bodies = Vec::new();
        for (depth, &number) in loops.iter().enumerate() {
            let (new, body, index) = inside.loop_below(&sizes[number], self.sizes, &[]);
            if in_vectors && depth + 1 == loops.len() {
                code::keep_for_vectors(new);
            }
            indices[number] = Some(index);
            inside = body;
            bodies.push(body);
        }
        emit(&mut inside, indices);
        for mut body in bodies.into_iter().rev() {
            body.yield_values(&[]);
        }
    }

    /// Returns the address and the type of the element that an access selects.
    fn place(
        &self,
        code: &mut Code<'a>,
        access: &Access,
        indices: &Indices<'a>,
    ) -> (Value<'a>, Element) {
        let index = self.index(code, &access.index, indices);
        let (buffer, element) = self.buffer(access);
        (code.address(buffer, index, element), element)
    }

    /// Returns the start of the buffer of an access, and the type of its elements.
    fn buffer(&self, access: &Access) -> (Value<'a>, Element) {
        (self.buffers[access.buffer], self.elements[access.buffer])
    }

    /// Returns an index plus the distances of computed indices, and whether all of these are in
    /// their ranges. There is at least one.
    fn displaced(
        &self,
        code: &mut Code<'a>,
        body: &Body,
        first: Value<'a>,
        computed: &[Computed],
        values: &[Value<'a>],
    ) -> (Value<'a>, Value<'a>) {
        let (mut at, mut are_inside) = (first, None);
        for Computed { node, size, stride } in computed {
            let (element, value) = (body.elements[*node], values[*node]);
            let index = apply(code, Function::Cast(Element::I64), &[element], &[value]);
            let size = code.extent(size, self.sizes);
            // A negative index is a large number without a sign.
            let predicate = CmpIPredicate::Ult;
            let is_inside = arith::CmpI::build(&mut code.builder, predicate, index, size).result();
            are_inside = Some(match are_inside {
                Some(others) => arith::AndI::build(&mut code.builder, others, is_inside).result(),
                None => is_inside,
            });
            at = code.advance_by(at, index, stride, self.sizes);
        }
        (at, are_inside.expect("a lookup has an index"))
    }

    /// Returns the element at computed indices; any value if one of them is out of range.
    fn lookup(
        &self,
        code: &mut Code<'a>,
        (access, computed): (&Access, &[Computed]),
        body: &Body,
        values: &[Value<'a>],
        indices: &Indices<'a>,
    ) -> Value<'a> {
        let first = self.index(code, &access.index, indices);
        let (at, is_inside) = self.displaced(code, body, first, computed, values);
        let (buffer, element) = self.buffer(access);
        let has_elements = |computed: &Computed| computed.size.as_known() > Some(0);
        if computed.iter().all(has_elements) {
            let at = arith::Select::build(&mut code.builder, is_inside, at, first).result();
            let address = code.address(buffer, at, element);
            return code.load(address, element);
        }
        let ty = element.value_type(code.context());
        let branch = code.builder.scf_if(is_inside, &[ty]);
        let mut inside = code.at_end(branch.region(0).add_block(&[]));
        let address = inside.address(buffer, at, element);
        let value = inside.load(address, element);
        inside.yield_values(&[value]);
        let mut outside = code.at_end(branch.region(1).add_block(&[]));
        let zero = Constant::number(element, 0).build(&mut outside.builder);
        outside.yield_values(&[zero]);
        branch.result(0)
    }

    /// Returns a number that is affine in the indices.
    fn index(&self, code: &mut Code<'a>, affine: &Affine, indices: &Indices<'a>) -> Value<'a> {
        let known = affine.offset.iter().filter_map(Extent::as_known).sum();
        let mut index = code.index(known);
        for offset in affine.offset.iter().filter(|it| it.as_known().is_none()) {
            let offset = code.extent(offset, self.sizes);
            index = arith::AddI::build(&mut code.builder, index, offset).result();
        }
        for (step, number) in affine.steps.iter().zip(indices) {
            if let Some(number) = number {
                index = code.advance_by(index, *number, step, self.sizes);
            }
        }
        index
    }

    fn store(&self, code: &mut Code<'a>, access: &Access, indices: &Indices<'a>, value: Value<'a>) {
        let (address, element) = self.place(code, access, indices);
        code.store(value, address, element);
    }

    /// Returns the value of an iteration.
    fn value(&self, code: &mut Code<'a>, body: &Body, indices: &Indices<'a>) -> Value<'a> {
        let values = self.values(code, body, indices);
        *values.last().expect("a body has a value")
    }

    /// Returns the values of all nodes.
    fn values(&self, code: &mut Code<'a>, body: &Body, indices: &Indices<'a>) -> Vec<Value<'a>> {
        let mut values: Vec<Value<'a>> = Vec::with_capacity(body.nodes.len());
        for node in &body.nodes {
            let value = match node {
                Node::Constant(constant) => constant.build(&mut code.builder),
                Node::Scalar(number) => self.scalars[*number],
                Node::Read(access) => {
                    let (address, element) = self.place(code, access, indices);
                    code.load(address, element)
                }
                Node::Lookup(access, computed) => {
                    self.lookup(code, (access, computed), body, &values, indices)
                }
                Node::Index(affine) => {
                    let index = self.index(code, affine, indices);
                    let element = body.elements[values.len()];
                    apply(code, Function::Cast(element), &[Element::I64], &[index])
                }
                Node::Apply(function, operands) => {
                    let elements: Vec<_> =
                        operands.iter().map(|&node| body.elements[node]).collect();
                    let operands: Vec<_> = operands.iter().map(|&node| values[node]).collect();
                    apply(code, *function, &elements, &operands)
                }
            };
            values.push(value);
        }
        values
    }
}

/// Emits a function of elements.
pub(super) fn apply<'a>(
    code: &mut Code<'a>,
    function: Function,
    elements: &[Element],
    operands: &[Value<'a>],
) -> Value<'a> {
    let (fuses, builder) = (code.fuses, &mut code.builder);
    Scalars { builder, fuses }.apply(function, elements, operands)
}

/// Returns the result of a reduction of nothing.
pub(super) fn identity(function: Reduction, element: Element) -> Constant {
    let extreme = |is_max: bool| match element {
        Element::F32 | Element::F64 if is_max => Constant::float(element, f64::NEG_INFINITY),
        Element::F32 | Element::F64 => Constant::float(element, f64::INFINITY),
        Element::I32 if is_max => Constant::number(element, i32::MIN),
        Element::I32 => Constant::number(element, i32::MAX),
        _ if is_max => Constant {
            element,
            bits: i64::MIN as u64,
        },
        _ => Constant {
            element,
            bits: i64::MAX as u64,
        },
    };
    match function {
        Reduction::Sum | Reduction::Any => Constant::number(element, 0),
        Reduction::Product | Reduction::All => Constant::number(element, 1),
        Reduction::Max | Reduction::MaxOfAnyZero => extreme(true),
        Reduction::Min => extreme(false),
    }
}

fn combine<'a>(
    code: &mut Code<'a>,
    function: Reduction,
    element: Element,
    before: Value<'a>,
    value: Value<'a>,
) -> Value<'a> {
    let (fuses, builder) = (code.fuses, &mut code.builder);
    let any_order = |builder: &tfx_ir::Builder<'a>| {
        let flags = "#arith.fastmath<reassoc>";
        Attribute::parse(builder.context(), flags)
    };
    match function {
        Reduction::Sum if element.is_float() => {
            let sum = arith::AddF::build(builder, before, value);
            sum.set_fastmath(any_order(builder));
            sum.result()
        }
        Reduction::Product if element.is_float() => {
            let product = arith::MulF::build(builder, before, value);
            product.set_fastmath(any_order(builder));
            product.result()
        }
        Reduction::Max if element.is_float() => Maximum::build(builder, before, value).res(),
        Reduction::MaxOfAnyZero if element.is_float() => {
            let maximum = Maximum::build(builder, before, value);
            let flags = Attribute::parse(builder.context(), "#llvm.fastmath<nsz>");
            maximum.set_fastmath_flags(flags);
            maximum.res()
        }
        Reduction::Min if element.is_float() => Minimum::build(builder, before, value).res(),
        Reduction::Sum => arith::AddI::build(builder, before, value).result(),
        Reduction::Product => arith::MulI::build(builder, before, value).result(),
        Reduction::Max | Reduction::MaxOfAnyZero => {
            Scalars { builder, fuses }.maximum(element, before, value)
        }
        Reduction::Min => Scalars { builder, fuses }.extremum(element, Order::Less, before, value),
        Reduction::All => arith::AndI::build(builder, before, value).result(),
        Reduction::Any => arith::OrI::build(builder, before, value).result(),
    }
}

/// Divides the result of a reduction by its divisor, if it has one.
fn divide<'a>(
    code: &mut Code<'a>,
    parameters: &Parameters<'_, 'a>,
    reduce: &Reduce<'_>,
    element: Element,
    sum: Value<'a>,
) -> Value<'a> {
    match reduce.divisor {
        Some(divisor) => {
            let divisor = match divisor.as_known() {
                Some(divisor) => Constant::float(element, divisor as f64).build(&mut code.builder),
                None => {
                    let divisor = code.extent(divisor, parameters.sizes);
                    let ty = element.value_type(code.context());
                    arith::SIToFP::build(&mut code.builder, ty, divisor).out()
                }
            };
            arith::DivF::build(&mut code.builder, sum, divisor).result()
        }
        None => sum,
    }
}
