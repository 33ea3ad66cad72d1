//! The conversion of `scf.if` and `scf.index_switch`.
//!
//! ```text
//! scf.if %c {A} else {B}             tfx_tensor.if %c {A} else {B}
//! scf.index_switch %i 4 {A} 9 {B}    tfx_tensor.case select(%i == 4, 0, select(%i == 9, 1, 2)) {A}, {B}, {D}
//!   default {D}                      many cases: a tree of these
//! ```

use tfx_dialects::tensor;
use tfx_graphdef_mlir::types;
use tfx_ir::ops::scf;
use tfx_ir::{Op, Value};

use super::legalizer::Legalizer;
use super::tensor_builder::{TensorBuilder, tensor_types};

impl<'a> Legalizer<'a> {
    pub(super) fn convert_if(&mut self, op: scf::If<'a>, builder: &mut TensorBuilder<'a>) {
        let condition = self.value(op.condition());
        let new = tensor::If::build(builder, &tensor_types(op.results()), condition);
        for (old, region) in op.regions().zip(new.regions()) {
            self.enqueue_region(old, region, op.op());
        }
        self.map(op.results(), new.results());
    }

    pub(super) fn convert_switch(
        &mut self,
        op: scf::IndexSwitch<'a>,
        builder: &mut TensorBuilder<'a>,
    ) {
        let selector = self.value(op.arg());
        let index = branch_index(selector, &op.cases(), builder);
        // The last branch of a case is its default: it runs if the index is out of bounds.
        let branches: Vec<_> = op.case_regions().chain([op.default_region()]).collect();
        let root = case_of_groups(op, index, branches.len(), builder);
        let mut worklist = vec![(root, index, &branches[..])];
        while let Some((case, index, branches)) = worklist.pop() {
            let size = group_size(branches.len());
            let groups = branches.chunks(size).enumerate();
            for ((position, group), region) in groups.zip(case.branches()) {
                if let [branch] = group {
                    self.enqueue_region(*branch, region, op.op());
                    continue;
                }
                let mut builder = TensorBuilder::at_end(region.add_block(&[]), op.location());
                let element = types::element_type(index.ty());
                let first = builder.integer((position * size) as i64, element);
                let index = builder.tf_op("Sub", &[index, first], index.ty());
                let inner = case_of_groups(op, index, group.len(), &mut builder);
                builder.yield_values(&inner.results().collect::<Vec<_>>());
                worklist.push((inner, index, group));
            }
        }
        self.map(op.results(), root.results());
    }

    /// Converts the regions of an operation that is already functional.
    pub(super) fn convert_functional(&mut self, op: Op<'a>, builder: &mut TensorBuilder<'a>) {
        let new = builder.clone_without_regions(op, &mut self.new_values);
        for (old, region) in op.regions().zip(new.regions()) {
            self.enqueue_region(old, region, op);
        }
    }
}

/// The greatest number of branches of a case; more branches become a tree of cases. Each branch of
/// a TensorFlow `Case` has the captures of all branches as arguments, in particular channels. A
/// case of N branches with a message in each therefore has N² arguments: TensorFlow takes half a
/// minute for 250. In a tree, the branches of each level have N arguments together. Wider nodes
/// have more arguments, narrower nodes make a deeper tree.
const MOST_BRANCHES: usize = 8;

/// Returns the number of branches of each of at most [`MOST_BRANCHES`] groups.
fn group_size(branches: usize) -> usize {
    let mut size = 1;
    while size * MOST_BRANCHES < branches {
        size *= MOST_BRANCHES;
    }
    size
}

/// Builds a `tfx_tensor.case` with a branch for each group of branches, by the index of a branch.
fn case_of_groups<'a>(
    op: scf::IndexSwitch<'a>,
    index: Value<'a>,
    branches: usize,
    builder: &mut TensorBuilder<'a>,
) -> tensor::Case<'a> {
    let size = group_size(branches);
    let mut group = index;
    if size > 1 {
        let divisor = builder.integer(size as i64, types::element_type(index.ty()));
        group = builder.tf_op("FloorDiv", &[index, divisor], index.ty());
    }
    let types = tensor_types(op.results());
    tensor::Case::build(builder, &types, group, branches.div_ceil(size))
}

/// Builds the index of the branch for a selector: the position of its case, or the number of cases.
///
/// Cases 0, 1, 2, ... are clamped; any others are compared one by one.
fn branch_index<'a>(
    selector: Value<'a>,
    cases: &[i64],
    builder: &mut TensorBuilder<'a>,
) -> Value<'a> {
    let element = types::element_type(selector.ty());
    let index_type = builder.integer_type(32);
    let default = builder.integer(cases.len() as i64, index_type);
    if cases.iter().copied().eq(0..cases.len() as i64) {
        let zero = builder.integer(0, element);
        let count = builder.integer(cases.len() as i64, element);
        let not_below = builder.test("GreaterEqual", &[selector, zero]);
        let not_above = builder.test("Less", &[selector, count]);
        let inside = builder.test("LogicalAnd", &[not_below, not_above]);
        let index = builder.cast(selector, index_type);
        return builder.tf_op("SelectV2", &[inside, index, default], default.ty());
    }
    let mut index = default;
    for (position, &case) in cases.iter().enumerate() {
        let case = builder.integer(case, element);
        let is_case = builder.test("Equal", &[selector, case]);
        let position = builder.integer(position as i64, index_type);
        index = builder.tf_op("SelectV2", &[is_case, position, index], default.ty());
    }
    index
}
