//! Blocks of pixels that become other images, or other channels, and back.
//!
//! ```text
//! SpaceToBatchND  [N, H, W, C] ─pad─► [N, h, 2, w, 2, C] ─turn─► [2, 2, N, h, w, C] ─► [4 N, h, w, C]
//! BatchToSpaceND  [4 N, h, w, C] ─► [2, 2, N, h, w, C] ─turn─► [N, h, 2, w, 2, C] ─crop─► [N, H, W, C]
//! SpaceToDepth    [N, H, W, C] ─► [N, h, 2, w, 2, C] ─turn─► [N, h, w, 2, 2, C] ─► [N, h, w, 4 C]
//! DepthToSpace    [N, h, w, 4 C] ─► [N, h, w, 2, 2, C] ─turn─► [N, h, 2, w, 2, C] ─► [N, H, W, C]
//! ```
//!
//! TensorFlow's dilated convolutions are plain ones between the first two.

use tfx_graphdef_mlir::tensors;
use tfx_ir::Value;

use super::{Build, sizes};
use crate::lower_lists::{integers, tf};

/// The sizes of blocks, and what is added or cut off before and after each dimension.
struct Blocks {
    sizes: Vec<u64>,
    edges: Vec<[u64; 2]>,
}

impl Blocks {
    /// Returns the number of elements of a block.
    fn elements(&self) -> Option<u64> {
        let mut sizes = self.sizes.iter();
        sizes.try_fold(1u64, |product, size| product.checked_mul(*size))
    }
}

impl<'a> Build<'a> {
    pub(super) fn space_to_batch(&mut self) -> Option<Vec<Value<'a>>> {
        let (mut value, mut own) = (self.op.operand(0), sizes(self.op.operand(0))?);
        let blocks = self.blocks(own.len())?;
        let rest = blocks.sizes.len() + 1;
        // By dimension: the number of blocks.
        let mut counts = Vec::new();
        for (dimension, (block, [before, after])) in
            (1..).zip(blocks.sizes.iter().zip(&blocks.edges))
        {
            let padded = own[dimension]?.checked_add(*before)?.checked_add(*after)?;
            own[dimension] = Some(padded);
            counts.push(padded.is_multiple_of(*block).then(|| padded / block)?);
        }
        let mut result = own.clone();
        result[0] = match own[0] {
            Some(images) => Some(images.checked_mul(blocks.elements()?)?),
            None => None,
        };
        result.splice(1..rest, counts.iter().copied().map(Some));
        if blocks.edges.iter().any(|edges| *edges != [0, 0]) {
            let mut paddings = vec![0; 2 * own.len()];
            for (pair, edges) in paddings.chunks_exact_mut(2).skip(1).zip(&blocks.edges) {
                pair.copy_from_slice(&edges.map(|edge| edge as i64));
            }
            let paddings = integers(&mut self.builder, 32, &[own.len() as u64, 2], &paddings);
            let ty = self.tensor(&own);
            value = tf(&mut self.builder, "Pad", &[value, paddings], ty);
        }
        let mut cut = vec![own[0]];
        for (count, block) in counts.iter().zip(&blocks.sizes) {
            cut.extend([Some(*count), Some(*block)]);
        }
        cut.extend(&own[rest..]);
        value = self.reshaped(value, &cut);
        let last = 2 * counts.len() + 1;
        let mut order: Vec<usize> = (2..last).step_by(2).collect();
        order.push(0);
        order.extend((1..last).step_by(2));
        order.extend(last..cut.len());
        value = self.transposed(value, &cut, &order);
        Some(vec![self.reshaped(value, &result)])
    }

    pub(super) fn batch_to_space(&mut self) -> Option<Vec<Value<'a>>> {
        let own = sizes(self.op.operand(0))?;
        let blocks = self.blocks(own.len())?;
        let (count, elements) = (blocks.sizes.len(), blocks.elements()?);
        let images = match own[0] {
            Some(images) => Some(images.is_multiple_of(elements).then(|| images / elements)?),
            None => None,
        };
        let mut whole = own.clone();
        whole[0] = images;
        let mut result = whole.clone();
        let mut begins = vec![0; own.len()];
        for (dimension, (block, [before, after])) in
            (1..).zip(blocks.sizes.iter().zip(&blocks.edges))
        {
            let size = own[dimension]?.checked_mul(*block)?;
            whole[dimension] = Some(size);
            result[dimension] = Some(size.checked_sub(before.checked_add(*after)?)?);
            begins[dimension] = *before as i64;
        }
        let mut cut: Vec<_> = blocks.sizes.iter().copied().map(Some).collect();
        cut.push(images);
        cut.extend(&own[1..]);
        let mut value = self.reshaped(self.op.operand(0), &cut);
        let mut order = vec![count];
        for dimension in 0..count {
            order.extend([count + 1 + dimension, dimension]);
        }
        order.extend(2 * count + 1..cut.len());
        value = self.transposed(value, &cut, &order);
        value = self.reshaped(value, &whole);
        if whole != result {
            let begins = integers(&mut self.builder, 32, &[own.len() as u64], &begins);
            let counts = self.stated(&result);
            let ty = self.tensor(&result);
            value = tf(&mut self.builder, "Slice", &[value, begins, counts], ty);
        }
        Some(vec![value])
    }

    pub(super) fn space_to_depth(&mut self) -> Option<Vec<Value<'a>>> {
        let [images, Some(rows), Some(columns), channels] = sizes(self.op.operand(0))?[..] else {
            return None;
        };
        let size = self.block()?;
        let divides = rows.is_multiple_of(size) && columns.is_multiple_of(size);
        let [height, width] = divides.then(|| [rows / size, columns / size])?.map(Some);
        let depth = Some(channels?.checked_mul(size * size)?);
        let block = Some(size);
        let cut = [images, height, block, width, block, channels];
        let value = self.reshaped(self.op.operand(0), &cut);
        let value = self.transposed(value, &cut, &[0, 1, 3, 2, 4, 5]);
        Some(vec![self.reshaped(value, &[images, height, width, depth])])
    }

    pub(super) fn depth_to_space(&mut self) -> Option<Vec<Value<'a>>> {
        let [images, Some(rows), Some(columns), Some(depth)] = sizes(self.op.operand(0))?[..]
        else {
            return None;
        };
        let size = self.block()?;
        let divides = depth.is_multiple_of(size * size);
        let channels = Some(divides.then(|| depth / (size * size))?);
        let [height, width] = [rows.checked_mul(size)?, columns.checked_mul(size)?].map(Some);
        let block = Some(size);
        let cut = [images, Some(rows), Some(columns), block, block, channels];
        let value = self.reshaped(self.op.operand(0), &cut);
        let value = self.transposed(value, &cut, &[0, 1, 3, 2, 4, 5]);
        Some(vec![
            self.reshaped(value, &[images, height, width, channels]),
        ])
    }

    /// Returns the size of square blocks, where channels come last.
    fn block(&self) -> Option<u64> {
        let size = self.op.integer("block_size")?;
        let size = u64::try_from(size)
            .ok()
            .filter(|size| (2..1 << 16).contains(size));
        size.filter(|_| self.is_channels_last())
    }

    /// Returns the constant operands of an operation on tensors of this rank.
    fn blocks(&self, rank: usize) -> Option<Blocks> {
        let natural = |operand: usize| -> Option<Vec<u64>> {
            let numbers = tensors::integers(self.op.operand(operand))?;
            numbers
                .into_iter()
                .map(|it| u64::try_from(it).ok())
                .collect()
        };
        let (sizes, edges) = (natural(1)?, natural(2)?);
        let is_complete = edges.len() == 2 * sizes.len() && !sizes.contains(&0);
        let edges = edges
            .chunks_exact(2)
            .map(|pair| [pair[0], pair[1]])
            .collect();
        (is_complete && rank > sizes.len()).then_some(Blocks { sizes, edges })
    }
}
