//! Images of another size, as lookups of rows and columns.
//!
//! ```text
//! ResizeNearestNeighbor(%x)   %h = GatherV2(%x, nearest columns)      y = GatherV2(%h, nearest rows)
//! ResizeBilinear(%x)          %l, %r = GatherV2(%x, columns to the left, and to the right)
//!                             %h = %l + (%r - %l) * shares;            then rows in the same way
//! ```
//!
//! Coordinates are `f32`, as in TensorFlow: which pixel is the nearest depends on their rounding.

use tfx_graphdef_mlir::tensors;
use tfx_ir::Value;

use super::{Build, sizes};
use crate::element::Element;
use crate::lower_lists::tf;
use crate::operations;

/// The largest size of an image: an `f32` has all numbers up to it.
const MOST: u64 = 1 << 20;

/// The dimensions of rows and columns.
const ROWS: usize = 1;
const COLUMNS: usize = 2;

/// The coordinates of an image for those of the result.
#[derive(Clone, Copy)]
struct Line {
    from: u64,
    to: u64,
    aligns_corners: bool,
    has_centers: bool,
}

/// A place between two elements of an image.
struct Between {
    lower: i64,
    upper: i64,
    /// The distance from the lower one, from 0 to 1.
    share: f32,
}

impl Line {
    fn scale(self) -> f32 {
        match self.aligns_corners && self.to > 1 {
            true => (self.from - 1) as f32 / (self.to - 1) as f32,
            false => self.from as f32 / self.to as f32,
        }
    }

    /// Returns the number of an element of the image, if there is one with this number.
    fn element(self, number: f32) -> i64 {
        (number.max(0.0) as i64).min(self.from as i64 - 1)
    }

    fn nearest(self) -> Vec<i64> {
        let scale = self.scale();
        let place = |at: f32| match (self.aligns_corners, self.has_centers) {
            (true, _) => (at * scale).round(),
            (_, true) => ((at + 0.5) * scale).floor(),
            _ => (at * scale).floor(),
        };
        (0..self.to)
            .map(|at| self.element(place(at as f32)))
            .collect()
    }

    fn between(self) -> Vec<Between> {
        let scale = self.scale();
        let between = |at: u64| {
            let place = match self.has_centers {
                true => (at as f32 + 0.5) * scale - 0.5,
                false => at as f32 * scale,
            };
            let upper = self.element(place.ceil());
            Between {
                lower: self.element(place.floor()).min(upper),
                upper,
                share: place - place.floor(),
            }
        };
        (0..self.to).map(between).collect()
    }
}

impl<'a> Build<'a> {
    pub(super) fn resize_to_nearest(&mut self) -> Option<Vec<Value<'a>>> {
        let [rows, columns] = self.lines()?;
        let wide = self.picked(self.op.operand(0), COLUMNS, &columns.nearest());
        Some(vec![self.picked(wide, ROWS, &rows.nearest())])
    }

    pub(super) fn resize_between(&mut self) -> Option<Vec<Value<'a>>> {
        // The result is always of this type.
        if operations::element(self.op.operand(0).ty()) != Some(Element::F32) {
            return None;
        }
        let [rows, columns] = self.lines()?;
        if [rows, columns].iter().all(|line| line.from == line.to) {
            // No interpolation, which would make a NaN of an infinity.
            return Some(self.identities());
        }
        let wide = self.interpolated(self.op.operand(0), COLUMNS, &columns.between());
        Some(vec![self.interpolated(wide, ROWS, &rows.between())])
    }

    /// Returns the coordinates of rows and columns.
    fn lines(&self) -> Option<[Line; 2]> {
        let flag = |name| self.op.boolean(name) == Some(true);
        let (aligns_corners, has_centers) = (flag("align_corners"), flag("half_pixel_centers"));
        let [_, Some(height), Some(width), Some(_)] = sizes(self.op.operand(0))?[..] else {
            return None;
        };
        let [rows, columns] = tensors::integers(self.op.operand(1))?[..] else {
            return None;
        };
        if aligns_corners && has_centers {
            return None;
        }
        let line = |from: u64, to: i64| {
            let to = u64::try_from(to).ok()?;
            let are_known = [from, to].iter().all(|size| (1..=MOST).contains(size));
            are_known.then_some(Line {
                from,
                to,
                aligns_corners,
                has_centers,
            })
        };
        Some([line(height, rows)?, line(width, columns)?])
    }

    /// Builds rows or columns between those of images.
    fn interpolated(&mut self, images: Value<'a>, axis: usize, places: &[Between]) -> Value<'a> {
        let numbers = |of: fn(&Between) -> i64| places.iter().map(of).collect::<Vec<_>>();
        let lower = self.picked(images, axis, &numbers(|place| place.lower));
        let upper = self.picked(images, axis, &numbers(|place| place.upper));
        let ty = lower.ty();
        let shares = self.shares(axis, places);
        let difference = tf(&mut self.builder, "Sub", &[upper, lower], ty);
        let part = tf(&mut self.builder, "Mul", &[difference, shares], ty);
        tf(&mut self.builder, "AddV2", &[lower, part], ty)
    }

    /// Builds the distances of places from the lower element, to be broadcast.
    fn shares(&mut self, axis: usize, places: &[Between]) -> Value<'a> {
        let mut sizes = vec![Some(places.len() as u64)];
        sizes.resize(sizes.len() + COLUMNS + 1 - axis, Some(1));
        let shares: Vec<_> = places.iter().map(|it| f64::from(it.share)).collect();
        self.floats(&sizes, &shares)
    }
}
