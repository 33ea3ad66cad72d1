//! Lists of tensors: the values of variants.
//!
//! ```text
//! Tensor (variant, rank 0) -- Arc --> List { element type, partial shape, limit, elements }
//!                                                                          |
//!                                       a tensor (itself a list, perhaps), or none: not set yet
//! ```
//!
//! A list is a value. An operation on a list changes it in place if it is the only owner, and else
//! copies the references to the elements (`Arc::make_mut`). The interpreter passes the last
//! reference to the operation that uses it last, so a loop that appends `n` elements to a list
//! costs `O(n)`.
//!
//! Lists in lists are dropped iteratively, however deep they nest.

use std::sync::Arc;

use tfx_graphdef::shapes;

use crate::tensor::{DType, Shape, Tensor};

/// A list of tensors of one element type.
pub struct List {
    element: DType,
    shape: shapes::Shape,
    limit: Option<usize>,
    elements: Vec<Option<Tensor>>,
}

impl List {
    /// Creates an empty list. All elements have the type `element` and a shape that refines
    /// `shape`; `limit` is their greatest number when elements are appended.
    pub fn new(element: DType, shape: shapes::Shape, limit: Option<usize>) -> Self {
        List {
            element,
            shape,
            limit,
            elements: Vec::new(),
        }
    }

    /// Returns the type of the elements.
    pub fn element(&self) -> DType {
        self.element
    }

    /// Returns the known part of the shape of every element.
    pub fn shape(&self) -> &shapes::Shape {
        &self.shape
    }

    /// Returns the greatest number of elements when elements are appended.
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// Returns the elements; `None` for those that were never set.
    pub fn elements(&self) -> &[Option<Tensor>] {
        &self.elements
    }

    /// Returns the elements for changes. The caller keeps to the type and the shape of the list.
    pub fn elements_mut(&mut self) -> &mut Vec<Option<Tensor>> {
        &mut self.elements
    }

    /// Returns whether a tensor of this shape can be an element.
    pub fn admits(&self, shape: &[usize]) -> bool {
        self.shape.sizes().is_none_or(|sizes| {
            let fits =
                |(size, &own): (&Option<u64>, &usize)| size.is_none_or(|size| size == own as u64);
            sizes.len() == shape.len() && sizes.iter().zip(shape).all(fits)
        })
    }
}

/// The number of elements that copies of lists copied, on this thread.
#[cfg(test)]
pub(crate) mod copies {
    use std::cell::Cell;

    thread_local! {
        static COPIED: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn add(elements: usize) {
        COPIED.set(COPIED.get() + elements);
    }

    /// Returns the number, and starts again from 0.
    pub(crate) fn take() -> usize {
        COPIED.take()
    }
}

impl Clone for List {
    fn clone(&self) -> Self {
        #[cfg(test)]
        copies::add(self.elements.len());
        List {
            element: self.element,
            shape: self.shape.clone(),
            limit: self.limit,
            elements: self.elements.clone(),
        }
    }
}

/// Takes the elements of inner lists out before these are dropped, so that no drop nests.
impl Drop for List {
    fn drop(&mut self) {
        if self.element != DType::Variant {
            return;
        }
        let mut dropped: Vec<Tensor> = self.elements.drain(..).flatten().collect();
        while let Some(tensor) = dropped.pop() {
            if let Ok(list) = tensor.into_list()
                && let Some(mut list) = Arc::into_inner(list)
                && list.element == DType::Variant
            {
                dropped.extend(list.elements.drain(..).flatten());
            }
        }
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.element == other.element
            && self.shape == other.shape
            && self.limit == other.limit
            && self.elements == other.elements
    }
}

impl std::fmt::Debug for List {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "list of {} tensors of {}",
            self.elements.len(),
            self.element
        )
    }
}

/// Returns a partial shape as TensorFlow writes it: `[2,?]`, or `<unknown>`.
pub fn partial_text(shape: &shapes::Shape) -> String {
    let Some(sizes) = shape.sizes() else {
        return "<unknown>".to_owned();
    };
    let text = |size: &Option<u64>| size.map_or("?".to_owned(), |size| size.to_string());
    let sizes: Vec<String> = sizes.iter().map(text).collect();
    format!("[{}]", sizes.join(","))
}

/// Returns the sizes of a shape that is fully known.
pub fn full(shape: &shapes::Shape) -> Option<Shape> {
    let size = |size: &Option<u64>| size.and_then(|size| usize::try_from(size).ok());
    shape.sizes()?.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_written_as_in_tensorflow() {
        let partial = shapes::Shape::of([Some(2), None]);
        assert_eq!(partial_text(&partial), "[2,?]");
        assert_eq!(partial_text(&shapes::Shape::UNKNOWN), "<unknown>");
        assert_eq!(full(&partial), None);
        let list = List::new(DType::F32, partial, None);
        assert!(list.admits(&[2, 7]));
        assert!(!list.admits(&[3, 7]) && !list.admits(&[2]));
    }

    #[test]
    fn deep_lists_are_dropped() {
        let mut inner = Tensor::from(List::new(DType::F32, shapes::Shape::UNKNOWN, None));
        for _ in 0..1_000_000 {
            let mut outer = List::new(DType::Variant, shapes::Shape::scalar(), None);
            outer.elements_mut().push(Some(inner));
            inner = Tensor::from(outer);
        }
        drop(inner);
    }
}
