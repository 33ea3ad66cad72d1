//! The code of kernels that run for blocks of rows, on one thread or as tasks.
//!
//! ```text
//! one thread                         tasks
//! for each block of all rows         context = addresses, scalars, sizes
//!   call the kernels                 call %run.parallel(@tfx.task.0, context, rows, length, memory)
//!
//!                                    @tfx.task.0(context, first, last, memory)
//!                                      for each block of first .. last
//!                                        call the kernels
//! ```
//!
//! A task is a function of its own, to which the function of the graph passes what the kernels need
//! in an array, the context. `tasks.rs` decides how long a task is.

use std::collections::HashMap;

use melior::ir::r#type::FunctionType;
use tfx_ir::Value;
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::ops::{builtin, func, llvm};

use super::{Emitter, sanitize};
use crate::element::Element;
use crate::extent::Extent;
use crate::lower_kernels::code::{Code, index, pointer};
use crate::lower_kernels::kernel::{Call, position};
use crate::lower_kernels::memory;
use crate::lower_kernels::plan::{Operand, Sequence, Step};
use crate::lower_kernels::rows::{self, OfBlock, RowCall, Rows};
use crate::lower_kernels::tasks::{Length, Tasks};

/// The bytes of an entry of a context: those of the largest scalar.
const ENTRY: usize = 8;

/// The alignment of the buffers in the memory of a task, in bytes.
const ALIGNMENT: i64 = memory::ALIGNMENT as i64;

/// The position of the function `parallel` in the run that the code gets, after `cancelled`.
const PARALLEL: usize = 1;

/// The values that the kernels of a block need.
#[derive(Debug, Default)]
pub(super) struct Values<'a> {
    buffers: HashMap<usize, Value<'a>>,
    scalars: HashMap<Operand, Value<'a>>,
    sizes: HashMap<Extent, Value<'a>>,
}

/// Rows, from the first one on, and their number.
#[derive(Clone, Copy)]
struct Range<'a> {
    start: Value<'a>,
    length: Value<'a>,
}

/// A buffer of known size in the memory of a task.
struct Known {
    offset: i64,
    bytes: i64,
}

/// The operands that the kernels of rows need, by kind and in a fixed order.
#[derive(Default)]
struct Needs {
    buffers: Vec<usize>,
    scalars: Vec<Operand>,
    sizes: Vec<Extent>,
}

impl Needs {
    fn of(rows: &Rows) -> Self {
        let mut needs = Needs::default();
        for RowCall { call, steps } in &rows.calls {
            for &buffer in &call.buffers {
                position(&mut needs.buffers, buffer);
            }
            for &scalar in &call.scalars {
                position(&mut needs.scalars, scalar);
            }
            steps.iter().for_each(|it| needs.add_size(it));
            needs.add_sizes_of(call);
        }
        let private = rows.tasks.iter().flat_map(|tasks| &tasks.private);
        private.for_each(|private| needs.buffers.retain(|it| it != private));
        needs
    }

    /// Adds the sizes that are parameters of a kernel, which may have all sizes as parameters.
    fn add_sizes_of(&mut self, call: &Call) {
        for size in &call.sizes {
            self.add_size(&rows::rest(size));
        }
    }

    fn add_size(&mut self, size: &Extent) {
        if size.as_known().is_none() {
            position(&mut self.sizes, size.clone());
        }
    }

    fn len(&self) -> usize {
        self.buffers.len() + self.scalars.len() + self.sizes.len()
    }
}

/// Returns the largest number of entries of the contexts of steps. Recursive in the regions of the
/// plan, whose depth is bounded.
pub(super) fn most_entries(steps: &[Step]) -> usize {
    let of = |sequence: &Sequence| most_entries(&sequence.steps);
    let entries = steps.iter().map(|step| match step {
        Step::Rows(rows) => rows.tasks.as_ref().map_or(0, |tasks| {
            // The length of a task, and the offsets in its memory.
            Needs::of(rows).len() + 1 + tasks.private.len()
        }),
        Step::Branch { branches, .. } => branches.iter().map(of).max().unwrap_or(0),
        Step::Loop(inner) => of(&inner.condition).max(of(&inner.body)),
        _ => 0,
    });
    entries.max().unwrap_or(0)
}

impl<'a> Emitter<'_, 'a> {
    /// Emits a loop over blocks of rows, each of which calls kernels.
    pub(super) fn rows(&mut self, code: &mut Code<'a>, rows: &Rows) {
        let needs = Needs::of(rows);
        let values = self.values(code, &needs);
        let count = self.size(code, &rows.count);
        match &rows.tasks {
            Some(tasks) => self.tasks(code, rows, tasks, (&needs, values), count),
            None => {
                let zero = code.index(0);
                self.blocks(code, rows, &values, (zero, count));
            }
        }
    }

    fn values(&mut self, code: &mut Code<'a>, needs: &Needs) -> Values<'a> {
        let mut values = Values::default();
        for &buffer in &needs.buffers {
            values.buffers.insert(buffer, self.address(code, buffer));
        }
        for &scalar in &needs.scalars {
            values.scalars.insert(scalar, self.scalar(code, scalar));
        }
        for size in &needs.sizes {
            values.sizes.insert(size.clone(), self.size(code, size));
        }
        values
    }

    /// Emits the blocks of a range of rows.
    fn blocks(
        &mut self,
        code: &mut Code<'a>,
        rows: &Rows,
        values: &Values<'a>,
        (first, last): (Value<'a>, Value<'a>),
    ) {
        let Some(block) = rows.block else {
            let length = arith::SubI::build(&mut code.builder, last, first).result();
            let range = Range {
                start: first,
                length,
            };
            for call in &rows.calls {
                self.row_call(code, call, values, range);
            }
            return;
        };
        let block = code.index(block);
        let (_, mut inside, start) = code.loop_between((first, last, block), &[]);
        let left = arith::SubI::build(&mut inside.builder, last, start).result();
        let length = arith::MinSI::build(&mut inside.builder, left, block).result();
        for call in &rows.calls {
            self.row_call(&mut inside, call, values, Range { start, length });
        }
        inside.yield_values(&[]);
    }

    /// Emits the call of a kernel for a range of rows, or of columns.
    fn row_call(
        &mut self,
        code: &mut Code<'a>,
        RowCall { call, steps }: &RowCall,
        values: &Values<'a>,
        range: Range<'a>,
    ) {
        let (name, sizes) = self.module.kernel(call, self.tile, self.inlines);
        let mut operands = Vec::new();
        for (buffer, step) in call.buffers.iter().zip(steps) {
            let address = values.buffers[buffer];
            operands.push(match step.is(0) {
                true => address,
                false => {
                    let step = values.size(code, step);
                    let way = arith::MulI::build(&mut code.builder, range.start, step).result();
                    code.address(address, way, self.plan.buffers.element(*buffer))
                }
            });
        }
        operands.extend(call.scalars.iter().map(|scalar| values.scalars[scalar]));
        for size in &sizes {
            operands.push(match rows::of_block(size) {
                Some((of, rest)) => {
                    let rest = values.size(code, &rest);
                    let own = match of {
                        OfBlock::Rows => range.length,
                        OfBlock::First => range.start,
                    };
                    arith::MulI::build(&mut code.builder, own, rest).result()
                }
                None => values.size(code, size),
            });
        }
        if call.kernel.is_of_range() {
            let end = arith::AddI::build(&mut code.builder, range.start, range.length).result();
            operands.extend([range.start, end]);
        }
        func::Call::build(&mut code.builder, &[], &name, &operands);
    }

    /// Emits tasks for `count` rows.
    fn tasks(
        &mut self,
        code: &mut Code<'a>,
        rows: &Rows,
        tasks: &Tasks,
        (needs, mut values): (&Needs, Values<'a>),
        count: Value<'a>,
    ) {
        let length = self.length(code, &tasks.length, rows, count);
        let number = quotient(code, count, length);
        let one = code.index(1);
        let predicate = CmpIPredicate::Sgt;
        let is_split = arith::CmpI::build(&mut code.builder, predicate, number, one).result();
        for combined in &tasks.combined {
            let [partial, output] =
                [combined.partial, combined.output].map(|buffer| self.address(code, buffer));
            // A single task adds to the output itself.
            let place = arith::Select::build(&mut code.builder, is_split, partial, output);
            values.buffers.insert(combined.output, place.result());
        }
        let starts: Vec<_> = tasks.combined.iter().map(|it| &it.start).collect();
        self.for_all_tasks(code, &starts, is_split, number);
        let (private, memory) = self.private(code, tasks);
        let mut entries: Vec<(Value<'a>, Element)> = Vec::new();
        let context = self.context.expect("the plan has tasks");
        for (position, buffer) in needs.buffers.iter().enumerate() {
            let place = code.offset(context, (position * ENTRY) as u64);
            llvm::Store::build(&mut code.builder, values.buffers[buffer], place);
        }
        for scalar in &needs.scalars {
            entries.push((values.scalars[scalar], scalar.element()));
        }
        let sizes = needs.sizes.iter().map(|size| values.sizes[size]);
        let sizes = sizes.chain(private.into_iter().flatten());
        let length_entry = Some(length).filter(|_| tasks.length.known(&rows.count).is_none());
        entries.extend(sizes.chain(length_entry).map(|size| (size, Element::I64)));
        for (position, (value, element)) in entries.into_iter().enumerate() {
            let position = needs.buffers.len() + position;
            let place = code.offset(context, (position * ENTRY) as u64);
            code.store(value, place, element);
        }
        let task = self.task(rows, tasks, needs);
        let (pointer, index) = (pointer(code.context()), index(code.context()));
        let task_type =
            FunctionType::new(code.context(), &[pointer, index, index, pointer], &[]).into();
        let task = func::Constant::build(&mut code.builder, task_type, &task);
        let task = task.op().result(0);
        let task = cast(code, task, pointer);
        let parallel = code.load_pointer(self.run, PARALLEL);
        let parallel_type = FunctionType::new(
            code.context(),
            &[pointer, pointer, pointer, index, index, index],
            &[],
        );
        let parallel = cast(code, parallel, parallel_type.into());
        let operands = [self.run, task, context, count, length, memory];
        func::CallIndirect::build(&mut code.builder, &[], parallel, &operands);

        let ends: Vec<_> = tasks.combined.iter().map(|it| &it.combine).collect();
        self.for_all_tasks(code, &ends, is_split, number);
    }

    /// Emits the calls of kernels on the results of all tasks, if there are several.
    fn for_all_tasks(
        &mut self,
        code: &mut Code<'a>,
        calls: &[&Call],
        is_split: Value<'a>,
        number: Value<'a>,
    ) {
        if calls.is_empty() {
            return;
        }
        let branch = code.builder.scf_if(is_split, &[]);
        let mut inside = code.at_end(branch.region(0).add_block(&[]));
        let range = Range {
            start: inside.index(0),
            length: number,
        };
        for &call in calls {
            let steps = vec![Extent::known(0); call.buffers.len()];
            let mut needs = Needs {
                buffers: call.buffers.clone(),
                ..Needs::default()
            };
            needs.add_sizes_of(call);
            let values = self.values(&mut inside, &needs);
            let call = call.clone();
            self.row_call(&mut inside, &RowCall { call, steps }, &values, range);
        }
        inside.yield_values(&[]);
        let mut outside = code.at_end(branch.region(1).add_block(&[]));
        outside.yield_values(&[]);
    }

    /// Returns the offsets of the buffers in the memory of a task, unless they are known, and the
    /// size of the memory. If a task allocates its buffers, it needs their sizes instead.
    fn private(
        &mut self,
        code: &mut Code<'a>,
        tasks: &Tasks,
    ) -> (Vec<Option<Value<'a>>>, Value<'a>) {
        let (known, size) = self.known(tasks);
        let mut offset = code.index(size);
        let mut offsets = vec![None; known.len()];
        for &buffer in &tasks.private[known.len()..] {
            let buffer = self.plan.buffers.get(buffer);
            let bytes = self.bytes(code, buffer.element, &buffer.count);
            if self.module.sanitizes {
                offsets.push(Some(bytes));
                continue;
            }
            offsets.push(Some(offset));
            let alignment = code.index(ALIGNMENT);
            let units = quotient(code, bytes, alignment);
            offset = code.advance(offset, units, ALIGNMENT);
        }
        (offsets, offset)
    }

    /// Returns the buffers of known sizes, which are the first ones, and the size of their memory.
    fn known(&self, tasks: &Tasks) -> (Vec<Known>, i64) {
        let (mut offset, mut known) = (0i64, Vec::new());
        for &buffer in &tasks.private {
            let buffer = self.plan.buffers.get(buffer);
            let Some(count) = buffer.count.as_known() else {
                break;
            };
            let bytes = count.saturating_mul(buffer.element.size() as i64);
            known.push(Known { offset, bytes });
            let units = (bytes as u64).div_ceil(ALIGNMENT as u64) as i64;
            offset = offset.saturating_add(units.saturating_mul(ALIGNMENT));
        }
        (known, offset)
    }

    /// Returns the number of rows of a task.
    fn length(
        &mut self,
        code: &mut Code<'a>,
        length: &Length,
        rows: &Rows,
        count: Value<'a>,
    ) -> Value<'a> {
        if let Some(length) = length.known(&rows.count) {
            return code.index(length);
        }
        let mut cost = code.index(0);
        for part in &length.cost {
            let part = self.size(code, part);
            cost = arith::AddI::build(&mut code.builder, cost, part).result();
        }
        let one = code.index(1);
        let [least_cost, least_rows, most_tasks, unit] = [
            length.least_cost,
            length.least_rows,
            length.most_tasks,
            length.unit,
        ]
        .map(|number| code.index(number));
        let largest =
            |code: &mut Code<'a>, a, b| arith::MaxSI::build(&mut code.builder, a, b).result();
        let cost = largest(code, cost, one);
        let by_cost = quotient(code, least_cost, cost);
        let by_number = quotient(code, count, most_tasks);
        let least = largest(code, by_cost, least_rows);
        let least = largest(code, least, by_number);
        let tasks = arith::DivUI::build(&mut code.builder, count, least).result();
        let tasks = largest(code, tasks, one);
        let rows = quotient(code, count, tasks);
        let rows = largest(code, rows, one);
        let units = quotient(code, rows, unit);
        arith::MulI::build(&mut code.builder, units, unit).result()
    }

    /// Emits the function of a task, and returns its symbol.
    fn task(&mut self, rows: &Rows, tasks: &Tasks, needs: &Needs) -> String {
        let context = self.module.location_context();
        let (pointer, index) = (pointer(context), index(context));
        let name = format!("tfx.task.{}", self.module.tasks);
        self.module.tasks += 1;
        let types = [pointer, index, index, pointer];
        let location = self.module.location;
        let (function, mut code) = self.module.start(&name, &types, &[], self.tile, location);
        self.module.mark(function, self.tile, false);
        let entry = function.body().entry().expect("the function has a body");
        let [context, first, last, memory] = [0, 1, 2, 3].map(|index| entry.argument(index));
        let mut values = Values::default();
        let mut position = 0;
        for &buffer in &needs.buffers {
            let address = code.load_pointer(context, position);
            values.buffers.insert(buffer, address);
            position += 1;
        }
        let mut load = |code: &mut Code<'a>, element| {
            let place = code.offset(context, (position * ENTRY) as u64);
            position += 1;
            code.load(place, element)
        };
        for &scalar in &needs.scalars {
            let value = load(&mut code, scalar.element());
            values.scalars.insert(scalar, value);
        }
        for size in &needs.sizes {
            let value = load(&mut code, Element::I64);
            values.sizes.insert(size.clone(), value);
        }
        let (known, _) = self.known(tasks);
        let mut allocated = Vec::new();
        for (number, &buffer) in tasks.private.iter().enumerate() {
            let address = match (known.get(number), self.module.sanitizes) {
                (Some(&Known { offset, .. }), false) => code.offset(memory, offset as u64),
                (None, false) => {
                    let offset = load(&mut code, Element::I64);
                    code.offset_by(memory, offset)
                }
                (known, true) => {
                    let bytes = match known {
                        Some(known) => code.index(known.bytes),
                        None => load(&mut code, Element::I64),
                    };
                    let address = sanitize::allocate(&mut code, bytes);
                    allocated.push(address);
                    address
                }
            };
            values.buffers.insert(buffer, address);
        }
        let length = match tasks.length.known(&rows.count) {
            Some(length) => code.index(length),
            None => load(&mut code, Element::I64),
        };
        let number = arith::DivUI::build(&mut code.builder, first, length).result();
        for combined in &tasks.combined {
            let output = self.plan.buffers.get(combined.output);
            let count = output.count.as_known().expect("its size is known");
            let zero = code.index(0);
            let way = code.advance(zero, number, count);
            let first = values.buffers[&combined.output];
            let own = code.address(first, way, output.element);
            values.buffers.insert(combined.output, own);
        }
        self.blocks(&mut code, rows, &values, (first, last));
        for address in allocated {
            sanitize::free(&mut code, address);
        }
        func::Return::build(&mut code.builder, &[]);
        name
    }
}

impl<'a> Values<'a> {
    fn size(&self, code: &mut Code<'a>, size: &Extent) -> Value<'a> {
        match size.as_known() {
            Some(size) => code.index(size),
            None => self.sizes[size],
        }
    }
}

/// Returns a quotient of positive numbers, rounded up.
fn quotient<'a>(code: &mut Code<'a>, number: Value<'a>, divisor: Value<'a>) -> Value<'a> {
    arith::CeilDivUI::build(&mut code.builder, number, divisor).result()
}

/// Returns a value as one of another type, which lowering to LLVM makes the same.
fn cast<'a>(code: &mut Code<'a>, value: Value<'a>, ty: melior::ir::Type<'a>) -> Value<'a> {
    let cast = builtin::UnrealizedConversionCast::build(&mut code.builder, &[ty], &[value]);
    cast.op().result(0)
}
