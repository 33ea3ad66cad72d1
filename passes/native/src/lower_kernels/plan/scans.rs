//! Cumulative sums and products.
//!
//! ```text
//! %y = Cumsum(%x, axis 1)     for i, j, k: y[i, j, k] = the sum of the x[i, l, k] with l <= j
//! ```
//!
//! The elements are computed in the loop, as those of a reduction are. The code is in
//! `loops/scan.rs`.

use tfx_ir::Op;

use super::super::kernel::{BodyBuilder, Expression, Kernel};
use super::super::loops;
use super::{Form, Operand, Planned, Planner, Step};
use crate::extent::count;
use crate::operations::{Axis, Scan};

impl<'a> Planner<'_, 'a> {
    /// Plans the combination of elements with those before them.
    pub(super) fn scan(&mut self, op: Op<'a>, scan: Scan) -> Planned<()> {
        let result = op.result(0);
        let (element, stated) = self.described(result)?;
        let source = self.expression(op.operand(0))?;
        let shape = source.shape.clone();
        self.equate(&shape, &stated)?;
        if shape[scan.axis].is(1) {
            let nothing = Operand::Constant(loops::identity(scan.function, element));
            return match scan.is_exclusive {
                true => self.define(result, Expression::splat(nothing, &shape, element)),
                false => self.define(result, source),
            };
        }
        let buffer = self.destination(result, element, count(&shape));
        self.forms.insert(result, Form::Stored(buffer));
        if self.symbols.has_grown() {
            return Ok(());
        }
        let axes: Vec<_> = (0..shape.len()).map(Axis::same).collect();
        let mut builder = BodyBuilder::new(&self.plan.buffers, axes.len());
        builder.add(&source, &axes);
        let output = builder.access(buffer, &shape, &axes);
        let call = builder.finish(|body| Kernel::Scan {
            sizes: shape,
            along: scan.axis,
            body,
            function: scan.function,
            is_exclusive: scan.is_exclusive,
            is_reverse: scan.is_reverse,
            output,
        });
        self.plan.steps.push(Step::Run(call));
        Ok(())
    }
}
