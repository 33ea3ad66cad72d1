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
use tfx_schedule::CommandId;

use super::chain::Unrolled;

/// The changes of iterations.
#[derive(Default)]
struct Changes<'a> {
    /// The operations to add before others.
    before: FxHashMap<Op<'a>, Vec<Op<'a>>>,
    /// The releases to add after others.
    after: FxHashMap<Op<'a>, Op<'a>>,
}

/// The uses of buffers that new ones get, too.
#[derive(Default)]
struct Uses<'a> {
    views: FxHashMap<Value<'a>, Vec<View<'a>>>,
    frees: FxHashMap<Value<'a>, Free<'a>>,
}

impl<'a> Unrolled<'a> {
    /// Lets the kernels of batches run again. `places` are the operations of their commands.
    pub(super) fn run_again(&mut self, batches: &[Batch], places: &[Op<'a>]) {
        let mut uses = Uses::default();
        for op in self.iterations.iter().flatten() {
            if let Some(view) = View::cast(*op) {
                uses.views.entry(view.buffer()).or_default().push(view);
            } else if let Some(free) = Free::cast(*op) {
                uses.frees.insert(free.buffer(), free);
            }
        }
        let mut changes = Changes::default();
        for batch in batches {
            let clones = Clones::new(batch, places);
            let kernels = clones.build(batch, &uses, &mut changes);
            let user = clones.user;
            self.again.extend(kernels.into_iter().map(|op| (op, user)));
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

/// The new operations of a batch, before its user.
struct Clones<'p, 'a> {
    places: &'p [Op<'a>],
    user: Op<'a>,
}

impl<'p, 'a> Clones<'p, 'a> {
    fn new(batch: &Batch, places: &'p [Op<'a>]) -> Self {
        Self {
            places,
            user: places[batch.user.0 as usize],
        }
    }

    fn ops(&self, ids: &[CommandId]) -> impl Iterator<Item = Op<'a>> {
        ids.iter().map(|id| self.places[id.0 as usize])
    }

    /// Adds the operations, lets the users of replaced buffers use the new ones, and returns the
    /// new kernels.
    fn build(&self, batch: &Batch, uses: &Uses<'a>, changes: &mut Changes<'a>) -> Vec<Op<'a>> {
        let mut builder = Builder::before(self.user);
        let mut mapping = Mapping::new();
        let mut added = Vec::new();
        let replaced: FxHashSet<Op<'a>> = self.ops(&batch.replaced).collect();
        // What takes the place of old buffers and values.
        let mut new: FxHashMap<Value<'a>, Value<'a>> = FxHashMap::default();
        let mut released = Vec::new();
        for alloc in self.ops(&batch.allocations).filter_map(Alloc::cast) {
            let is_replaced = replaced.contains(&alloc.op());
            added.push(builder.clone_op(alloc.op(), &mut mapping));
            let mut buffers = vec![alloc.buffer()];
            while let Some(buffer) = buffers.pop() {
                if is_replaced {
                    new.extend(mapping.get(buffer).map(|clone| (buffer, clone)));
                }
                for view in uses.views.get(&buffer).into_iter().flatten() {
                    added.push(builder.clone_op(view.op(), &mut mapping));
                    buffers.push(view.result());
                }
            }
            let clone = mapping.get_or_same(alloc.buffer());
            match uses.frees.get(&alloc.buffer()).filter(|_| is_replaced) {
                Some(free) => {
                    let mut after = Builder::after(free.op());
                    let release = Free::build(&mut after, clone, free.stream());
                    changes.after.insert(free.op(), release.op());
                }
                None => released.push((clone, alloc.stream())),
            }
        }
        let mut kernels = Vec::new();
        for op in self.ops(&batch.kernels) {
            kernels.push(builder.clone_op(op, &mut mapping));
            let accesses = StreamOp::cast(op).map_or(Vec::new(), accesses).into_iter();
            let written = accesses.filter(|access| new.contains_key(&access.buffer));
            let written: Vec<Value<'a>> = written.filter_map(|access| access.writes).collect();
            for value in written {
                new.extend(mapping.get(value).map(|clone| (value, clone)));
            }
        }
        added.extend(&kernels);
        for (buffer, stream) in released {
            added.push(Free::build(&mut builder, buffer, stream).op());
        }
        for op in self.ops(&batch.users) {
            for index in 0..op.num_operands() {
                if let Some(value) = new.get(&op.operand(index)) {
                    op.set_operand(index, *value);
                }
            }
        }
        changes.before.entry(self.user).or_default().extend(added);
        kernels
    }
}
