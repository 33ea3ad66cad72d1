//! Batch normalization and its gradient, as operations on all elements of a channel.
//!
//! ```text
//! FusedBatchNormV3(%x, %scale, %offset, ..)   %d = x - mean
//!                                             y  = d (scale / sqrt(variance + epsilon)) + offset
//!     in training: mean = Mean(%x), variance = Mean(%d * %d), and the new statistics
//! FusedBatchNormGradV3(%dy, %x, ..)           %n = (x - mean) / sqrt(variance + epsilon)
//!     in training: dx = (dy - Mean(%dy) - n Mean(%dy * %n)) scale / sqrt(variance + epsilon)
//! ```
//!
//! Channels come last. In training, the number of elements of a channel must be known.
//!
//! Not guaranteed: the interpreter computes in `f64`, and rounds the results once.

use melior::ir::Type;
use melior::ir::attribute::FloatAttribute;
use tfx_ir::Value;

use super::{Build, sizes};
use crate::element::Element;
use crate::lower_lists::{integers, tf};
use crate::operations;

/// The channels of images.
struct Channels<'a> {
    /// The type of values of channels.
    ty: Type<'a>,
    /// All dimensions but that of channels.
    axes: Vec<i64>,
    /// The number of elements of a channel, if it is known.
    count: Option<u64>,
    epsilon: f64,
    is_training: bool,
}

impl<'a> Build<'a> {
    /// Builds normalized images, new statistics, and what the gradient needs.
    pub(super) fn normalized(&mut self) -> Option<Vec<Value<'a>>> {
        let factor = self.float("exponential_avg_factor").unwrap_or(1.0);
        // Old statistics of no weight are not read, and may have no elements.
        let has_old = self.op.boolean("is_training") == Some(false) || factor != 1.0;
        let channels = self.channels(0, if has_old { 1..5 } else { 1..3 })?;
        let [x, scale, offset, old_mean, old_variance] =
            [0, 1, 2, 3, 4].map(|operand| self.op.operand(operand));
        let count = channels.count.filter(|count| *count > 1);
        let (mean, centered, variance) = match channels.is_training {
            true => {
                count?;
                let mean = self.reduced("Mean", &channels, x);
                let centered = self.of("Sub", x, mean);
                let squares = self.of("Mul", centered, centered);
                (mean, centered, self.reduced("Mean", &channels, squares))
            }
            false => (old_mean, self.of("Sub", x, old_mean), old_variance),
        };
        let inverse = self.inverse_deviation(&channels, variance);
        let slope = self.of("Mul", inverse, scale);
        let scaled = self.of("Mul", centered, slope);
        let y = self.of("AddV2", scaled, offset);
        let [new_mean, new_variance] = match channels.is_training {
            true => {
                let count = count? as f64;
                let bessel = self.number(count / (count - 1.0));
                let unbiased = self.of("Mul", variance, bessel);
                let pairs = [(old_mean, mean), (old_variance, unbiased)];
                pairs.map(|(old, new)| self.mixed(factor, old, new))
            }
            false => [mean, variance],
        };
        let nothing = self.number(0.0);
        let all = [y, new_mean, new_variance, mean, variance, nothing];
        Some(all[..self.op.num_results()].to_vec())
    }

    /// Builds the gradients of the images, the scale and the offset.
    pub(super) fn normalized_gradient(&mut self) -> Option<Vec<Value<'a>>> {
        let channels = self.channels(1, 2..5)?;
        let [dy, x, scale, mean, variance] =
            [0, 1, 2, 3, 4].map(|operand| self.op.operand(operand));
        if sizes(dy)? != sizes(x)? || dy.ty() != x.ty() {
            return None;
        }
        let count = channels.count.filter(|count| *count > 0);
        if channels.is_training {
            count?;
        }
        let inverse = self.inverse_deviation(&channels, variance);
        let centered = self.of("Sub", x, mean);
        let normal = self.of("Mul", centered, inverse);
        let terms = self.of("Mul", dy, normal);
        let of_scale = self.reduced("Sum", &channels, terms);
        let of_offset = self.reduced("Sum", &channels, dy);
        let slope = self.of("Mul", inverse, scale);
        let centered = match channels.is_training {
            true => {
                let share = self.number(1.0 / count? as f64);
                let [mean, along] = [of_offset, of_scale].map(|sum| self.of("Mul", sum, share));
                let along = self.of("Mul", normal, along);
                let rest = self.of("Sub", dy, mean);
                self.of("Sub", rest, along)
            }
            false => dy,
        };
        let dx = self.of("Mul", centered, slope);
        let mut all = vec![dx, of_scale, of_offset];
        // The other results have no elements.
        while all.len() < self.op.num_results() {
            all.push(self.floats(&[Some(0)], &[]));
        }
        Some(all)
    }

    /// Returns the channels of an operation on images, whose operands in a range have a value for
    /// each channel.
    fn channels(&self, images: usize, values: std::ops::Range<usize>) -> Option<Channels<'a>> {
        let own = sizes(self.op.operand(images))?;
        let (&channels, others) = own.split_last()?;
        let fits = |operand: usize| sizes(self.op.operand(operand)) == Some(vec![channels]);
        let is_single = |value: Value<'_>| operations::element(value.ty()) == Some(Element::F32);
        let are_known = matches!(own.len(), 4 | 5) && channels.is_some() && self.is_channels_last();
        if !are_known || !values.clone().all(fits) || !self.op.operands().all(is_single) {
            return None;
        }
        let mut counts = others.iter();
        Some(Channels {
            ty: self.op.operand(values.start).ty(),
            axes: (0..others.len() as i64).collect(),
            count: counts.try_fold(1u64, |product, size| product.checked_mul((*size)?)),
            epsilon: self.float("epsilon").unwrap_or(1e-4),
            is_training: self.op.boolean("is_training") != Some(false),
        })
    }

    /// Returns a float attribute.
    fn float(&self, name: &str) -> Option<f64> {
        let attribute = self.op.attribute(name)?;
        let float = FloatAttribute::try_from(attribute).ok()?;
        Some(float.value())
    }

    /// Builds an operation on two values; the first one has the shape of the result.
    fn of(&mut self, name: &str, one: Value<'a>, other: Value<'a>) -> Value<'a> {
        tf(&mut self.builder, name, &[one, other], one.ty())
    }

    /// Builds `1 / sqrt(variance + epsilon)`.
    fn inverse_deviation(&mut self, channels: &Channels<'a>, variance: Value<'a>) -> Value<'a> {
        let epsilon = self.number(channels.epsilon);
        let sum = self.of("AddV2", variance, epsilon);
        tf(&mut self.builder, "Rsqrt", &[sum], channels.ty)
    }

    /// Builds a value for each channel.
    fn reduced(&mut self, name: &str, channels: &Channels<'a>, value: Value<'a>) -> Value<'a> {
        let count = [channels.axes.len() as u64];
        let axes = integers(&mut self.builder, 32, &count, &channels.axes);
        tf(&mut self.builder, name, &[value, axes], channels.ty)
    }

    /// Builds the mean of an old and a new value, of which the new one has this weight.
    fn mixed(&mut self, weight: f64, old: Value<'a>, new: Value<'a>) -> Value<'a> {
        if weight == 1.0 {
            return new;
        }
        let (keep, weight) = (self.number(1.0 - weight), self.number(weight));
        let (old, new) = (self.of("Mul", old, keep), self.of("Mul", new, weight));
        self.of("AddV2", old, new)
    }

    /// Builds a number.
    fn number(&mut self, value: f64) -> Value<'a> {
        self.floats(&[], &[value])
    }
}
