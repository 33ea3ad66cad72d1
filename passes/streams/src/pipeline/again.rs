//! Kernels of a pipeline that run again, in the IR.
//!
//! ```text
//!   %a = alloc                                %a = alloc
//!   %v = launch @forward(%x, %a write)        %v = launch @forward(%x, %a write)
//!   ...                                ──►    %b = alloc
//!                                             %w = launch @forward(%x, %b write)
//!   launch @backward(%a read as %v)           launch @backward(%b read as %w)
//!   free %a                                   free %a
//!                                             free %b
//! ```
//!
//! [`tfx_order::recompute()`] names the kernels and the allocations. Their clones have the streams
//! of the originals, and views of an allocation are cloned with it.
//!
//! Cost: linear in the operations of all iterations.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::schedules::accesses;
use tfx_dialects::stream::{Alloc, Free, StreamOp, View};
use tfx_ir::{Builder, Mapping, Op, Value};
use tfx_order::Batch;

use super::chain::Unrolled;

/// The changes of an iteration.
#[derive(Default)]
struct Changes<'a> {
    /// The operations to add before others.
    before: FxHashMap<Op<'a>, Vec<Op<'a>>>,
    /// The releases to add after others.
    after: FxHashMap<Op<'a>, Op<'a>>,
}

impl<'a> Unrolled<'a> {
    /// Lets the kernels of batches run again. `places` are the operations of their commands.
    pub(super) fn run_again(&mut self, batches: &[Batch], places: &[Op<'a>]) {
        let mut views: FxHashMap<Value<'a>, Vec<View<'a>>> = FxHashMap::default();
        let mut frees: FxHashMap<Value<'a>, Free<'a>> = FxHashMap::default();
        for op in self.iterations.iter().flatten() {
            if let Some(view) = View::cast(*op) {
                views.entry(view.buffer()).or_default().push(view);
            } else if let Some(free) = Free::cast(*op) {
                frees.insert(free.buffer(), free);
            }
        }
        let mut changes = Changes::default();
        for batch in batches {
            let place = |id: &tfx_schedule::CommandId| places[id.0 as usize];
            let user = place(&batch.user);
            let mut builder = Builder::before(user);
            let mut mapping = Mapping::new();
            let mut added = Vec::new();
            let replaced: FxHashSet<Op<'a>> = batch.replaced.iter().map(place).collect();
            // What takes the place of old buffers and values.
            let mut new: FxHashMap<Value<'a>, Value<'a>> = FxHashMap::default();
            let mut released = Vec::new();
            for op in batch.allocations.iter().map(place) {
                let Some(alloc) = Alloc::cast(op) else {
                    continue;
                };
                let clone = builder.clone_op(op, &mut mapping);
                added.push(clone);
                let is_replaced = replaced.contains(&op);
                let mut buffers = vec![alloc.buffer()];
                while let Some(buffer) = buffers.pop() {
                    if is_replaced {
                        new.extend(mapping.get(buffer).map(|clone| (buffer, clone)));
                    }
                    for view in views.get(&buffer).into_iter().flatten() {
                        added.push(builder.clone_op(view.op(), &mut mapping));
                        buffers.push(view.result());
                    }
                }
                let clone = mapping.get_or_same(alloc.buffer());
                match frees.get(&alloc.buffer()).filter(|_| is_replaced) {
                    Some(free) => {
                        let mut after = Builder::after(free.op());
                        let clone = Free::build(&mut after, clone, free.stream());
                        changes.after.insert(free.op(), clone.op());
                    }
                    None => released.push((clone, alloc.stream())),
                }
            }
            for op in batch.kernels.iter().map(place) {
                let clone = builder.clone_op(op, &mut mapping);
                added.push(clone);
                self.again.push((clone, user));
                for access in StreamOp::cast(op).map_or(Vec::new(), accesses) {
                    if new.contains_key(&access.buffer)
                        && let Some(value) = access.writes
                    {
                        new.extend(mapping.get(value).map(|clone| (value, clone)));
                    }
                }
            }
            for (buffer, stream) in released {
                added.push(Free::build(&mut builder, buffer, stream).op());
            }
            for op in batch.users.iter().map(place) {
                for index in 0..op.num_operands() {
                    if let Some(value) = new.get(&op.operand(index)) {
                        op.set_operand(index, *value);
                    }
                }
            }
            changes.before.entry(user).or_default().extend(added);
        }
        for iteration in &mut self.iterations {
            let ops = std::mem::take(iteration);
            for op in ops {
                iteration.extend(changes.before.remove(&op).into_iter().flatten());
                iteration.push(op);
                iteration.extend(changes.after.remove(&op));
            }
        }
    }
}
