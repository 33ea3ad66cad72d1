//! The code of cumulative sums and products.
//!
//! ```text
//! innermost loop scanned:   for kept { sum = 0; for scanned { sum += value; out = sum } }
//! innermost loop kept:      for kept { for some inner { sums = 0
//!                                                       for scanned { for some inner {
//!                                                           sum += value; out = sum } } } }
//! ```
//!
//! The second form reads and writes consecutive elements. The sums of [`LANES`] inner iterations
//! are on the stack, and LLVM vectorizes the loops over them. `f32` accumulates in `f64`, and each
//! row in its order, so that the results are the interpreter's bits.
//!
//! Cost: a pass over the elements. A row is a chain of additions, each of which waits for the one
//! before it.

use tfx_ir::Value;
use tfx_ir::ops::{arith, scf};

use super::{Indices, Parameters, apply, fills_vectors, identity};
use crate::element::Element;
use crate::extent::Extent;
use crate::lower_kernels::code::{self, Code};
use crate::lower_kernels::kernel::{Access, Body, Kernel};
use crate::operations::Reduction;
use crate::scalar::Function;

/// The number of inner iterations whose sums are on the stack, at most. Fewer would read short
/// parts of rows, which lie in the same lines of the cache if a row has a power of two of bytes.
const LANES: i64 = 1024;

/// The parts of a scan.
pub(in crate::lower_kernels) struct Scan<'k> {
    pub(in crate::lower_kernels) sizes: &'k [Extent],
    along: usize,
    body: &'k Body,
    function: Reduction,
    is_exclusive: bool,
    is_reverse: bool,
    output: &'k Access,
}

impl<'k> Scan<'k> {
    /// Returns the parts of a kernel, if it is a scan.
    pub(in crate::lower_kernels) fn of(kernel: &'k Kernel) -> Option<Self> {
        match kernel {
            Kernel::Scan {
                sizes,
                along,
                body,
                function,
                is_exclusive,
                is_reverse,
                output,
            } => Some(Scan {
                sizes,
                along: *along,
                body,
                function: *function,
                is_exclusive: *is_exclusive,
                is_reverse: *is_reverse,
                output,
            }),
            _ => None,
        }
    }

    /// Returns the loops that are not scanned.
    pub(in crate::lower_kernels) fn kept_loops(&self) -> Vec<usize> {
        let loops = 0..self.sizes.len();
        loops.filter(|&number| number != self.along).collect()
    }

    /// Emits the loops. The code is at the start of a function.
    pub(in crate::lower_kernels) fn emit<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
    ) {
        let last = self.sizes.len() - 1;
        let mut outer = self.kept_loops();
        let mut indices = vec![None; self.sizes.len()];
        if self.along == last {
            parameters.nest(
                code,
                self.sizes,
                &mut indices,
                &outer,
                &mut |code, indices| {
                    self.emit_row(code, parameters, indices);
                },
            );
            return;
        }
        outer.pop();
        let lanes = self.sizes[last].as_known().unwrap_or(LANES);
        let sums = code.allocate_array(self.accumulated(), lanes.clamp(1, LANES) as usize);
        parameters.nest(
            code,
            self.sizes,
            &mut indices,
            &outer,
            &mut |code, indices| self.emit_lanes(code, parameters, sums, indices),
        );
    }

    /// Emits the row at the indices of the loops that are kept.
    pub(in crate::lower_kernels) fn emit_row<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
        indices: &mut Indices<'a>,
    ) {
        let initial = identity(self.function, self.accumulated()).build(&mut code.builder);
        let size = &self.sizes[self.along];
        let (new, mut inside, step) = code.loop_below(size, parameters.sizes, &[initial]);
        let body = new.op().region(0).entry().expect("the loop has a body");
        indices[self.along] = Some(self.place(&mut inside, parameters, step));
        let next = self.emit_step(&mut inside, parameters, body.argument(1), indices);
        inside.yield_values(&[next]);
    }

    /// Emits the rows of all iterations of the innermost loop, of which some have sums in memory.
    fn emit_lanes<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
        sums: Value<'a>,
        indices: &mut Indices<'a>,
    ) {
        let (element, last) = (self.accumulated(), self.sizes.len() - 1);
        let (zero, one, lanes) = (code.index(0), code.index(1), code.index(LANES));
        let size = code.extent(&self.sizes[last], parameters.sizes);
        let (_, mut inside, start) = code.loop_between((zero, size, lanes), &[]);
        let count = match self.sizes[last].as_known() {
            Some(count) if count <= LANES => size,
            Some(size) if size % LANES == 0 => lanes,
            _ => {
                let left = arith::SubI::build(&mut inside.builder, size, start).result();
                arith::MinSI::build(&mut inside.builder, left, lanes).result()
            }
        };
        let (new, mut each, lane) = inside.loop_between((zero, count, one), &[]);
        self.keep_lanes(new);
        let initial = identity(self.function, element).build(&mut each.builder);
        let address = each.address(sums, lane, element);
        each.store(initial, address, element);
        each.yield_values(&[]);

        let (_, mut row, step) = inside.loop_below(&self.sizes[self.along], parameters.sizes, &[]);
        indices[self.along] = Some(self.place(&mut row, parameters, step));
        let (new, mut each, lane) = row.loop_between((zero, count, one), &[]);
        self.keep_lanes(new);
        let inner = arith::AddI::build(&mut each.builder, start, lane).result();
        indices[last] = Some(inner);
        let address = each.address(sums, lane, element);
        let before = each.load(address, element);
        let next = self.emit_step(&mut each, parameters, before, indices);
        each.store(next, address, element);
        each.yield_values(&[]);
        row.yield_values(&[]);
        inside.yield_values(&[]);
    }

    /// Keeps a loop over lanes for vectors, if it fills them.
    fn keep_lanes(&self, new: scf::For<'_>) {
        let size = self.sizes.last().and_then(Extent::as_known);
        if size.is_some_and(fills_vectors) {
            code::keep_for_vectors(new);
        }
    }

    /// Emits an element of the result, given what is before it. Returns what is before the next
    /// one.
    fn emit_step<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
        before: Value<'a>,
        indices: &Indices<'a>,
    ) -> Value<'a> {
        let (element, wide) = (self.body.element(), self.accumulated());
        let cast = |code: &mut Code<'a>, to, from, value| match to == from {
            true => value,
            false => apply(code, Function::Cast(to), &[from], &[value]),
        };
        let value = parameters.value(code, self.body, indices);
        let value = cast(code, wide, element, value);
        let function = match self.function {
            Reduction::Product => Function::Mul,
            _ => Function::Add,
        };
        let next = apply(code, function, &[wide, wide], &[before, value]);
        let result = if self.is_exclusive { before } else { next };
        let result = cast(code, element, wide, result);
        parameters.store(code, self.output, indices, result);
        next
    }

    /// Returns the index of an iteration, which are counted from the end of a reverse scan.
    fn place<'a>(
        &self,
        code: &mut Code<'a>,
        parameters: &Parameters<'_, 'a>,
        step: Value<'a>,
    ) -> Value<'a> {
        if !self.is_reverse {
            return step;
        }
        let size = code.extent(&self.sizes[self.along], parameters.sizes);
        let one = code.index(1);
        let last = arith::SubI::build(&mut code.builder, size, one).result();
        arith::SubI::build(&mut code.builder, last, step).result()
    }

    /// Returns the type of sums.
    fn accumulated(&self) -> Element {
        match self.body.element() {
            Element::F32 => Element::F64,
            element => element,
        }
    }
}
