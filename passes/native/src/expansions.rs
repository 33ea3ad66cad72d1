//! Operations as several others, which have native code.
//!
//! ```text
//! Einsum(%x, %y)               Transpose, Reshape, MatMul         einsum.rs
//! SpaceToBatchND(%x, [2, 2])   Pad, Reshape, Transpose, Reshape   expansions/blocks.rs
//! ResizeBilinear(%x, [8, 8])   GatherV2, Sub, Mul, AddV2          expansions/resize.rs
//! FusedBatchNormV3(%x, ..)     Mean, Sub, Mul, Rsqrt, AddV2       expansions/normalization.rs
//! MirrorPad(%x, [[2, 2]])      GatherV2 along each axis
//! IdentityN(%x, %y)            %x, %y
//! Conv2D of images in groups   Split, Conv2D for each group, ConcatV2
//! ```
//!
//! The results are those of the interpreter's kernels, bit for bit, except for sums and what is
//! computed from these. Sizes must be known, apart from the number of images. What is not expanded
//! stays as it is.
//!
//! Cost: linear in the operations; a convolution becomes as many as it has groups, of which there
//! are at most [`MOST_GROUPS`].

mod blocks;
mod normalization;
mod resize;

use melior::ir::Type;
use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute};
use tfx_dialects::tensor;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::{Builder, Op, Value};

use crate::einsum;
use crate::lower_lists::{integers, tf};
use crate::operations::{self, Sizes};

/// The largest number of groups of a convolution: code grows with them.
const MOST_GROUPS: u64 = 64;

/// Expands the operations of a module.
pub(crate) fn expand(module: Op<'_>) {
    einsum::expand(module);
    let ops = module.walk().filter_map(tensor::Op::cast);
    let ops: Vec<_> = ops.collect();
    // Users first: the gradient of a normalization reads a result that has no other meaning.
    for op in ops.into_iter().rev() {
        let has_code = |value: Value<'_>| operations::element(value.ty()).is_some();
        if !op.op().operands().chain(op.op().results()).all(has_code) {
            continue;
        }
        let mut build = Build {
            builder: Builder::before(op.op()),
            op: op.op(),
        };
        let expanded = match op.tf_name() {
            "IdentityN" => Some(build.identities()),
            "SpaceToBatchND" => build.space_to_batch(),
            "BatchToSpaceND" => build.batch_to_space(),
            "SpaceToDepth" => build.space_to_depth(),
            "DepthToSpace" => build.depth_to_space(),
            "ResizeNearestNeighbor" => build.resize_to_nearest(),
            "ResizeBilinear" => build.resize_between(),
            "MirrorPad" => build.mirrored(),
            "Conv2D" => build.groups(),
            "FusedBatchNormV3" => build.normalized(),
            "FusedBatchNormGradV3" => build.normalized_gradient(),
            _ => None,
        };
        if let Some(values) = expanded {
            let values = build.of_types(values);
            op.op().replace_with(&values);
        }
    }
}

/// The operations for another one, in front of it.
struct Build<'a> {
    builder: Builder<'a>,
    op: Op<'a>,
}

impl<'a> Build<'a> {
    /// Gives values the types of the results, which may state fewer sizes.
    fn of_types(&mut self, values: Vec<Value<'a>>) -> Vec<Value<'a>> {
        let results: Vec<_> = self.op.results().collect();
        let pairs = values.into_iter().zip(results);
        pairs
            .map(
                |(value, result)| match value.ty() == result.ty() || result.is_unused() {
                    true => value,
                    false => tf(&mut self.builder, "Identity", &[value], result.ty()),
                },
            )
            .collect()
    }

    /// Returns the operands that are results.
    fn identities(&self) -> Vec<Value<'a>> {
        self.op.operands().take(self.op.num_results()).collect()
    }

    /// Builds a tensor with its elements mirrored at the edges.
    fn mirrored(&mut self) -> Option<Vec<Value<'a>>> {
        let own = sizes(self.op.operand(0))?;
        let mode = self.op.attribute("mode");
        // The distance of an edge from the first element next to it that is repeated.
        let skipped = match mode.and_then(tfx_ir::attribute::text) {
            Some("REFLECT") => 1,
            Some("SYMMETRIC") => 0,
            _ => return None,
        };
        let edges = tensors::integers(self.op.operand(1))?;
        let pairs = || edges.chunks_exact(2).zip(&own);
        // Nothing is repeated of a dimension without elements, not even to the width of 0.
        let are_inside = |(pair, size): (&[i64], &Option<u64>)| match size {
            Some(size) => {
                let most = *size as i64 - skipped;
                pair.iter().all(|edge| (0..=most).contains(edge))
            }
            None => *pair == [0, 0] && skipped == 0,
        };
        if edges.len() != 2 * own.len() || !pairs().all(are_inside) {
            return None;
        }
        let padded: Vec<_> = (0..)
            .zip(pairs())
            .filter(|(_, (pair, _))| **pair != [0, 0])
            .collect();
        let mut value = self.op.operand(0);
        for (axis, (pair, size)) in padded {
            let size = (*size)? as i64;
            let numbers = (-pair[0]..size + pair[1]).map(|number| match number {
                ..0 => skipped - 1 - number,
                _ if number >= size => 2 * size - 1 - skipped - number,
                _ => number,
            });
            value = self.picked(value, axis, &numbers.collect::<Vec<_>>());
        }
        Some(vec![value])
    }

    /// Builds a convolution of images whose channels are in groups: each group has its own part of
    /// the filter, and of the results.
    fn groups(&mut self) -> Option<Vec<Value<'a>>> {
        if !self.is_channels_last() {
            return None;
        }
        let [images, filter] = [self.op.operand(0), self.op.operand(1)];
        let (of_images, of_filter) = (sizes(images)?, sizes(filter)?);
        let of_result = sizes(self.op.result(0))?;
        let [.., Some(channels)] = of_images[..] else {
            return None;
        };
        let [.., Some(own), Some(results)] = of_filter[..] else {
            return None;
        };
        let groups = channels.checked_div(own)?;
        let divides = groups * own == channels && results.is_multiple_of(groups.max(1));
        if !(2..=MOST_GROUPS).contains(&groups) || !divides || of_result.len() != 4 {
            return None;
        }
        let images = self.split(images, groups, own);
        let filters = self.split(filter, groups, results / groups);
        let ty = self.last(self.op.result(0), results / groups);
        let mut parts = Vec::new();
        for (images, filter) in images.into_iter().zip(filters) {
            let part = self.builder.op(tensor::Op::NAME);
            let part = part.operands(&[images, filter]).result(ty);
            parts.push(part.attributes_of(self.op).build().result(0));
        }
        parts.push(integers(&mut self.builder, 32, &[], &[3]));
        let whole = self.op.result(0).ty();
        Some(vec![tf(&mut self.builder, "ConcatV2", &parts, whole)])
    }

    /// Builds parts of a tensor of rank 4 along the last dimension.
    fn split(&mut self, value: Value<'a>, count: u64, size: u64) -> Vec<Value<'a>> {
        let axis = integers(&mut self.builder, 32, &[], &[3]);
        let types = vec![self.last(value, size); count as usize];
        let split = tensor::Op::build(&mut self.builder, &types, "Split", &[axis, value]);
        split.op().results().collect()
    }

    /// Builds the slices of a tensor with these numbers along an axis.
    fn picked(&mut self, value: Value<'a>, axis: usize, numbers: &[i64]) -> Value<'a> {
        let mut own = sizes(value).unwrap_or_default();
        own[axis] = Some(numbers.len() as u64);
        let ty = self.tensor(&own);
        let numbers = integers(&mut self.builder, 32, &[numbers.len() as u64], numbers);
        let axis = integers(&mut self.builder, 32, &[], &[axis as i64]);
        tf(&mut self.builder, "GatherV2", &[value, numbers, axis], ty)
    }

    /// Returns the type of a value with another size of the last dimension.
    fn last(&self, value: Value<'a>, size: u64) -> Type<'a> {
        let mut sizes = sizes(value).unwrap_or_default();
        if let Some(last) = sizes.last_mut() {
            *last = Some(size);
        }
        self.tensor(&sizes)
    }

    /// Returns the type of tensors of these sizes with the elements of the first result.
    fn tensor(&self, sizes: &[Option<u64>]) -> Type<'a> {
        let element = types::element_type(self.op.result(0).ty());
        types::tensor_of(self.builder.context(), Some(sizes), element)
    }

    /// Builds a list of sizes, with -1 for unknown ones.
    fn stated(&mut self, sizes: &[Option<u64>]) -> Value<'a> {
        let numbers = sizes.iter().map(|size| size.map_or(-1, |size| size as i64));
        let numbers: Vec<_> = numbers.collect();
        integers(&mut self.builder, 32, &[sizes.len() as u64], &numbers)
    }

    /// Builds a constant of `f32`.
    fn floats(&mut self, sizes: &[Option<u64>], numbers: &[f64]) -> Value<'a> {
        let context = self.builder.context();
        let element = Type::float32(context);
        let ty = types::tensor_of(context, Some(sizes), element);
        let numbers = numbers.iter();
        let numbers = numbers.map(|&number| FloatAttribute::new(context, element, number).into());
        let numbers: Vec<_> = numbers.collect();
        let value = DenseElementsAttribute::new(ty, &numbers);
        let value = value.expect("there is a number for each").into();
        tensor::Const::build(&mut self.builder, ty, value).result()
    }

    /// Builds a tensor of other sizes, of which one may be unknown.
    fn reshaped(&mut self, value: Value<'a>, sizes: &[Option<u64>]) -> Value<'a> {
        let (shape, ty) = (self.stated(sizes), self.tensor(sizes));
        tf(&mut self.builder, "Reshape", &[value, shape], ty)
    }

    /// Builds a tensor whose dimensions are these ones of `value`, which has the sizes `own`.
    fn transposed(&mut self, value: Value<'a>, own: &[Option<u64>], order: &[usize]) -> Value<'a> {
        let sizes: Vec<_> = order.iter().map(|&dimension| own[dimension]).collect();
        let order: Vec<_> = order.iter().map(|&dimension| dimension as i64).collect();
        let order = integers(&mut self.builder, 32, &[order.len() as u64], &order);
        let ty = self.tensor(&sizes);
        tf(&mut self.builder, "Transpose", &[value, order], ty)
    }

    /// Returns whether the channels of images are their last dimension.
    fn is_channels_last(&self) -> bool {
        let format = self.op.attribute("data_format");
        let format = format.and_then(tfx_ir::attribute::text);
        format.is_none_or(|format| ["NHWC", "NDHWC"].contains(&format))
    }
}

/// Returns the sizes of a value whose rank is known.
fn sizes(value: Value<'_>) -> Option<Sizes> {
    types::sizes(value.ty())
}
