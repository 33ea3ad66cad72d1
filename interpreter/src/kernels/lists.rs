//! Operations on lists of tensors (`list.rs`), with the semantics and errors of TensorFlow's
//! `list_kernels.cc`.
//!
//! ```text
//! PushBack  SetItem  PopBack  Resize     take the list; change it in place, or change a copy if
//!                                        someone else has it
//! Length  GetItem  Stack  Gather ...     read it
//! ```
//!
//! An element that was never set reads as zeros. Its shape is what the list, the operation and the
//! other elements know about the shape of an element; an error if that is not all of it.

use std::sync::Arc;

use tfx_graphdef::shapes::Shape as Partial;

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Outputs, Result,
        arithmetic::add_all as add_tensors,
        fail,
        indexing::{join, part},
        input, pure, single, take,
    },
    list::{List, full, partial_text},
    tensor::{DType, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("EmptyTensorList", empty),
    ("TensorListReserve", reserve),
    ("TensorListFromTensor", |_| single(from_tensor)),
    ("TensorListPushBack", push_back),
    ("TensorListPopBack", pop_back),
    ("TensorListSetItem", set_item),
    ("TensorListResize", |_| single(resize)),
    ("TensorListLength", |_| {
        single(|inputs| {
            let length = input(inputs, 0)?.list()?.elements().len();
            Ok(Tensor::scalar(length as i32))
        })
    }),
    ("TensorListElementShape", element_shape),
    ("TensorListGetItem", get_item),
    ("TensorListStack", stack),
    ("TensorListGather", gather),
    ("TensorListConcatV2", concat),
];

/// The depth to which `ZerosLike` and `AddN` follow lists in lists, which they do recursively. The
/// lists of nested loops nest as deep as the loops.
const MAX_NESTING: usize = 1000;

/// Returns the shape in an operand: a vector of sizes, -1 for an unknown one; -1 for a shape of
/// unknown rank.
fn partial(tensor: &Tensor) -> Result<Partial> {
    let sizes = tensor.integers()?;
    match (tensor.rank(), &sizes[..]) {
        (0, [-1]) => return Ok(Partial::UNKNOWN),
        (0, _) => {
            return fail!(
                "The only valid scalar shape tensor is the fully unknown shape specified as -1."
            );
        }
        (1, _) => {}
        (rank, _) => return fail!("Shape must be at most rank 1 but is rank {rank}"),
    }
    if let Some(size) = sizes.iter().find(|&&size| size < -1) {
        return fail!("Dimension {size} must be >= -1");
    }
    let sizes = sizes.iter().map(|&size| u64::try_from(size).ok());
    Ok(Partial::of(sizes.collect::<Vec<_>>()))
}

fn exact(shape: &[usize]) -> Partial {
    let sizes = shape.iter().map(|&size| Some(size as u64));
    Partial::of(sizes.collect::<Vec<_>>())
}

fn merge(left: &Partial, right: &Partial) -> Result<Partial> {
    match left.meet(right) {
        Some(both) => Ok(both),
        None => fail!(
            "Incompatible shapes during merge: {} vs. {}",
            partial_text(left),
            partial_text(right)
        ),
    }
}

/// Returns what a list and an operand know about the shape of an element.
fn known_shape(list: &List, operand: &Tensor) -> Result<Partial> {
    merge(&partial(operand)?, list.shape())
}

/// Adds to a shape what elements know, which must have one shape.
fn refined<'t>(
    mut shape: Partial,
    elements: impl IntoIterator<Item = &'t Option<Tensor>>,
) -> Result<Partial> {
    for element in elements.into_iter().flatten() {
        shape = merge(&shape, &exact(element.shape()))?;
    }
    Ok(shape)
}

/// Checks that a list has elements of the type that an operation expects.
fn expect_element(list: &List, expected: DType) -> Result<()> {
    if list.element() == expected {
        return Ok(());
    }
    fail!(
        "Invalid data types; op elements {expected} but list elements {}",
        list.element()
    )
}

/// Returns zeros for an element that was never set.
fn unset(list: &List, shape: &Partial) -> Result<Tensor> {
    let Some(sizes) = full(shape) else {
        return fail!(
            "Trying to read an uninitialized element but element_shape is not fully defined {}",
            partial_text(shape)
        );
    };
    Ok(Tensor::zeros(list.element(), &sizes)?)
}

/// Changes the number of elements; new ones are not set.
fn set_length(list: &mut List, length: usize) -> Result<()> {
    let elements = list.elements_mut();
    let more = length.saturating_sub(elements.len());
    if elements.try_reserve(more).is_err() {
        return fail!("a list of {length} elements is too large");
    }
    elements.resize(length, None);
    Ok(())
}

fn empty(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    single(move |inputs| {
        let shape = partial(input(inputs, 0)?)?;
        let limit = usize::try_from(input(inputs, 1)?.item::<i32>()?).ok();
        Ok(List::new(element, shape, limit).into())
    })
}

fn reserve(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    single(move |inputs| {
        let mut list = List::new(element, partial(input(inputs, 0)?)?, None);
        let length = input(inputs, 1)?.item::<i32>()?;
        let Ok(length) = usize::try_from(length) else {
            return fail!(
                "The num_elements to reserve must be a non negative number, but got {length}"
            );
        };
        set_length(&mut list, length)?;
        Ok(list.into())
    })
}

/// The slices of a tensor along its first dimension.
fn from_tensor(inputs: &mut [Tensor]) -> Result<Tensor> {
    let shape = partial(input(inputs, 1)?)?;
    let tensor = take(inputs, 0)?;
    let Some((&length, element)) = tensor.shape().split_first() else {
        return fail!("Tensor must be at least a vector, but saw shape: []");
    };
    let mut list = List::new(tensor.dtype(), shape, None);
    if !list.admits(element) {
        return fail!(
            "Specified a list with shape {} from a tensor with shape {}",
            partial_text(list.shape()),
            shape_text(element)
        );
    }
    let mut slice = Shape::from(tensor.shape());
    slice[0] = 1;
    let mut begin: Shape = smallvec::smallvec![0; tensor.rank()];
    for number in 0..length {
        begin[0] = number;
        let slice = part(&tensor, &begin, &slice)?.reshaped(element)?;
        list.elements_mut().push(Some(slice));
    }
    Ok(list.into())
}

fn push_back(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    single(move |inputs| {
        let (mut list, value) = (take(inputs, 0)?.into_list()?, take(inputs, 1)?);
        if value.dtype() != element {
            return fail!(
                "Invalid data types; list elements {element} but tried to append {}",
                value.dtype()
            );
        }
        if !list.admits(value.shape()) {
            return fail!(
                "Tried to append a tensor with incompatible shape to a list. Op element shape: {} list shape: {}",
                shape_text(value.shape()),
                partial_text(list.shape())
            );
        }
        expect_element(&list, element)?;
        let length = list.elements().len();
        if let Some(limit) = list.limit().filter(|&limit| length >= limit) {
            return fail!(
                "Tried to push item into a full list list size: {length} max_num_elements: {limit}"
            );
        }
        Arc::make_mut(&mut list).elements_mut().push(Some(value));
        Ok(list.into())
    })
}

fn pop_back(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    pure(move |inputs| {
        let mut list = take(inputs, 0)?.into_list()?;
        expect_element(&list, element)?;
        let value = match list.elements().last() {
            None => return fail!("Trying to pop from an empty list."),
            Some(None) => Some(unset(&list, &known_shape(&list, input(inputs, 1)?)?)?),
            Some(Some(_)) => None,
        };
        let popped = Arc::make_mut(&mut list).elements_mut().pop().flatten();
        let value = value.or(popped).unwrap_or_default();
        Ok(Outputs::from_vec(vec![list.into(), value]))
    })
}

fn set_item(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    let resizes = attributes.bool("resize_if_index_out_of_bounds", false);
    single(move |inputs| {
        let (mut list, value) = (take(inputs, 0)?.into_list()?, take(inputs, 2)?);
        expect_element(&list, element)?;
        let index = input(inputs, 1)?.item::<i32>()?;
        let length = list.elements().len();
        let inside = usize::try_from(index).ok();
        let Some(place) = inside.filter(|&place| resizes || place < length) else {
            return fail!("Trying to modify element {index} in a list with {length} elements.");
        };
        if value.dtype() != element {
            return fail!(
                "Invalid data types; list elements {element} but tried to set {}",
                value.dtype()
            );
        }
        if !list.admits(value.shape()) {
            return fail!(
                "Tried to set a tensor with incompatible shape at a list index. Item element shape: {} list shape: {}",
                shape_text(value.shape()),
                partial_text(list.shape())
            );
        }
        let own = Arc::make_mut(&mut list);
        if place >= length {
            set_length(own, place + 1)?;
        }
        own.elements_mut()[place] = Some(value);
        Ok(list.into())
    })
}

fn resize(inputs: &mut [Tensor]) -> Result<Tensor> {
    let mut list = take(inputs, 0)?.into_list()?;
    let length = input(inputs, 1)?.item::<i32>()?;
    let Ok(length) = usize::try_from(length) else {
        return fail!("TensorListSlice expects size to be non-negative. Got: {length}");
    };
    set_length(Arc::make_mut(&mut list), length)?;
    Ok(list.into())
}

/// The sizes of an element, -1 for unknown ones; -1 if the rank is unknown.
fn element_shape(attributes: &Attributes<'_>) -> Result<Kernel> {
    let dtype = attributes.dtype("shape_type", DType::I32)?;
    single(move |inputs| {
        let shape = input(inputs, 0)?.list()?.shape();
        let size = |size: &Option<u64>| size.map_or(-1, |size| size as i64);
        let (sizes, rank): (Vec<i64>, Shape) = match shape.sizes() {
            Some(sizes) => (
                sizes.iter().map(size).collect(),
                smallvec::smallvec![sizes.len()],
            ),
            None => (vec![-1], Shape::new()),
        };
        if dtype == DType::I64 {
            return Ok(Tensor::from_slice(&rank, &sizes)?);
        }
        let sizes: Vec<i32> = sizes.iter().map(|&size| size as i32).collect();
        Ok(Tensor::from_slice(&rank, &sizes)?)
    })
}

fn get_item(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    single(move |inputs| {
        let list = input(inputs, 0)?.list()?;
        expect_element(list, element)?;
        let index = input(inputs, 1)?.item::<i32>()?;
        let place = usize::try_from(index).ok();
        match place.and_then(|place| list.elements().get(place)) {
            None => fail!(
                "Trying to access element {index} in a list with {} elements.",
                list.elements().len()
            ),
            Some(Some(value)) => Ok(value.clone()),
            Some(None) => {
                let mut shape = known_shape(list, input(inputs, 2)?)?;
                if !shape.is_full() {
                    shape = refined(shape, list.elements())?;
                }
                unset(list, &shape)
            }
        }
    })
}

/// Joins elements along a new first dimension; those that are not set are zeros.
fn stacked(list: &List, shape: &Partial, elements: &[&Option<Tensor>]) -> Result<Tensor> {
    let Some(sizes) = full(shape) else {
        return fail!(
            "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: {}",
            partial_text(shape)
        );
    };
    let mut shape = sizes.clone();
    shape.insert(0, elements.len());
    if elements.is_empty() {
        return Ok(Tensor::zeros(list.element(), &shape)?);
    }
    let zeros = Tensor::zeros(list.element(), &sizes)?;
    let value = |element: &&Option<Tensor>| element.as_ref().unwrap_or(&zeros).clone();
    let parts: Vec<Tensor> = elements.iter().map(value).collect();
    join(&parts, 0, &shape)
}

fn stack(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    let expected = attributes.int("num_elements", -1);
    single(move |inputs| {
        let list = input(inputs, 0)?.list()?;
        expect_element(list, element)?;
        let length = list.elements().len();
        if expected != -1 && expected != length as i64 {
            return fail!(
                "Operation expected a list with {expected} elements but got a list with {length} elements."
            );
        }
        let mut shape = known_shape(list, input(inputs, 1)?)?;
        if !shape.is_full() && length == 0 {
            return fail!(
                "Tried to stack elements of an empty list with non-fully-defined element_shape: {}",
                partial_text(&shape)
            );
        }
        if !list.shape().is_full() {
            shape = refined(shape, list.elements())?;
        }
        stacked(list, &shape, &list.elements().iter().collect::<Vec<_>>())
    })
}

/// Joins the elements at the indices along a new first dimension.
fn gather(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    single(move |inputs| {
        let list = input(inputs, 0)?.list()?;
        expect_element(list, element)?;
        let indices = input(inputs, 1)?.values::<i32>()?;
        let mut shape = known_shape(list, input(inputs, 2)?)?;
        if !shape.is_full() && indices.is_empty() {
            return fail!(
                "Tried to gather 0-elements from a list with non-fully-defined shape: {}",
                partial_text(&shape)
            );
        }
        if let Some(mut sizes) = full(list.shape()).filter(|sizes| sizes.contains(&0)) {
            // Nothing is read, so TensorFlow does not check the indices.
            sizes.insert(0, indices.len());
            return Ok(Tensor::zeros(element, &sizes)?);
        }
        let mut chosen = Vec::with_capacity(indices.len());
        for &index in indices {
            let place = usize::try_from(index).ok();
            match place.and_then(|place| list.elements().get(place)) {
                Some(element) => chosen.push(element),
                None => {
                    return fail!(
                        "Index {index} out o range; list only has {} elements.",
                        list.elements().len()
                    );
                }
            }
        }
        if !list.shape().is_full() {
            shape = refined(shape, chosen.iter().copied())?;
        }
        stacked(list, &shape, &chosen)
    })
}

/// Joins the elements along their first dimension. The second result holds their sizes there.
fn concat(attributes: &Attributes<'_>) -> Result<Kernel> {
    let element = attributes.dtype("element_dtype", DType::F32)?;
    pure(move |inputs| {
        let list = input(inputs, 0)?.list()?;
        expect_element(list, element)?;
        let known = known_shape(list, input(inputs, 1)?)?;
        let leading = input(inputs, 2)?.integers()?;
        let (first, mut rest) = match known.sizes() {
            Some([]) => {
                return fail!(
                    "Concat requires elements to be at least vectors, found scalars instead."
                );
            }
            Some([first, rest @ ..]) => (*first, Partial::of(rest)),
            None => (None, Partial::UNKNOWN),
        };
        if list.elements().is_empty() && !rest.is_full() {
            return fail!(
                "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: {}",
                partial_text(&known)
            );
        }
        for (number, value) in list.elements().iter().enumerate() {
            let Some(value) = value else { continue };
            let Some((&size, other)) = value.shape().split_first() else {
                return fail!(
                    "Concat saw a scalar shape at index {number} but requires at least vectors."
                );
            };
            rest = merge(&rest, &exact(other))?;
            if first.is_some_and(|first| first != size as u64) {
                return fail!(
                    "First entry of element_shape input does not match the first dim of list element at index: {number}"
                );
            }
        }
        // An element that is not set has the size that all others share.
        let mut sizes = list
            .elements()
            .iter()
            .flatten()
            .map(|value| value.shape()[0] as u64);
        let shared = sizes
            .next()
            .filter(|size| sizes.all(|other| other == *size));
        let common = first.or(shared);
        let Some(rest) = full(&rest) else {
            return fail!(
                "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully defined: {}",
                partial_text(&rest)
            );
        };
        let mut parts = Vec::with_capacity(list.elements().len());
        for (number, value) in list.elements().iter().enumerate() {
            parts.push(match (value, leading.get(number), common) {
                (Some(value), _, _) => value.clone(),
                (None, Some(&size), _) => zero_rows(element, size, &rest)?,
                (None, None, Some(size)) => zero_rows(element, size as i64, &rest)?,
                (None, None, None) => {
                    return fail!(
                        "Concating lists with uninitialized tensors is not supported in this version of TensorFlow when the leading dim of the element is not known"
                    );
                }
            });
        }
        let lengths: Vec<i64> = parts.iter().map(|part| part.shape()[0] as i64).collect();
        let mut shape = rest;
        shape.insert(0, parts.iter().map(|part| part.shape()[0]).sum());
        let joined = match parts.is_empty() {
            true => Tensor::zeros(element, &shape)?,
            false => join(&parts, 0, &shape)?,
        };
        let lengths = Tensor::from_slice(&[lengths.len()], &lengths)?;
        Ok(Outputs::from_vec(vec![joined, lengths]))
    })
}

fn zero_rows(element: DType, rows: i64, row: &[usize]) -> Result<Tensor> {
    let mut shape = Shape::from(row);
    shape.insert(0, super::size(rows)?);
    Ok(Tensor::zeros(element, &shape)?)
}

/// Returns a list with zeros in place of all numbers.
pub(super) fn zeros_like(tensor: &Tensor) -> Result<Tensor> {
    zeros_within(tensor, 0)
}

fn zeros_within(tensor: &Tensor, depth: usize) -> Result<Tensor> {
    check_depth(depth)?;
    let list = tensor.list()?;
    // As in TensorFlow, the result has no limit.
    let mut zeros = List::new(list.element(), list.shape().clone(), None);
    for element in list.elements() {
        let zero = match element {
            None => None,
            Some(inner) if inner.dtype() == DType::Variant => Some(zeros_within(inner, depth + 1)?),
            Some(value) => Some(Tensor::zeros(value.dtype(), value.shape())?),
        };
        zeros.elements_mut().push(zero);
    }
    Ok(zeros.into())
}

fn check_depth(depth: usize) -> Result<()> {
    match depth < MAX_NESTING {
        true => Ok(()),
        false => fail!("lists in lists nest deeper than {MAX_NESTING}"),
    }
}

/// Returns the sum of lists, element by element. An element that is not set counts as zero.
pub(super) fn add_all(inputs: &mut [Tensor]) -> Result<Tensor> {
    let mut sum = take(inputs, 0)?;
    for index in 1..inputs.len() {
        sum = add_within(sum, take(inputs, index)?, 0)?;
    }
    Ok(sum)
}

fn add_within(left: Tensor, right: Tensor, depth: usize) -> Result<Tensor> {
    check_depth(depth)?;
    let (mut sum, other) = (left.into_list()?, right.into_list()?);
    if sum.element() != other.element() {
        return fail!(
            "Trying to add two lists of tensors of different dtypes. One is {} and the other is {}",
            sum.element(),
            other.element()
        );
    }
    let Some(shape) = sum.shape().meet(other.shape()) else {
        return fail!(
            "Trying to add two lists of tensors with incompatible element shapes. One is {} and the other is {}",
            partial_text(sum.shape()),
            partial_text(other.shape())
        );
    };
    let lengths = (sum.elements().len(), other.elements().len());
    if lengths.0 != lengths.1 {
        return fail!(
            "Trying to add two lists of tensors with different lengths. One is {} and the other is {}",
            lengths.0,
            lengths.1
        );
    }
    let own = Arc::make_mut(&mut sum);
    // As in TensorFlow, the result has no limit.
    let mut added = List::new(own.element(), shape, None);
    for (left, right) in own.elements_mut().drain(..).zip(other.elements()) {
        let element = match (left, right.clone()) {
            (Some(left), Some(right)) if left.dtype() == DType::Variant => {
                Some(add_within(left, right, depth + 1)?)
            }
            (Some(left), Some(right)) => Some(add_tensors(&mut [left, right])?),
            (one, None) => one,
            (None, other) => other,
        };
        added.elements_mut().push(element);
    }
    Ok(added.into())
}

#[cfg(test)]
mod tests {
    use tfx_graphdef::proto::{AttrValue, NodeDef, attr_value::Value};

    use super::*;
    use crate::{kernels, list::copies};

    /// Runs an operation of an element type.
    fn run(op: &str, element: DType, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let mut node = NodeDef {
            op: op.to_owned(),
            ..NodeDef::default()
        };
        let value = Some(Value::Type(element.tensorflow()));
        let attribute = AttrValue { value };
        node.attr.insert("element_dtype".to_owned(), attribute);
        let kernel = kernels::build(&node)?.expect("it has a kernel");
        let mut inputs = inputs;
        let outputs = kernel.compute(&mut inputs).expect("it draws no numbers")?;
        Ok(outputs.into_vec())
    }

    fn one(op: &str, element: DType, inputs: Vec<Tensor>) -> Result<Tensor> {
        Ok(run(op, element, inputs)?.swap_remove(0))
    }

    fn number(value: i32) -> Tensor {
        Tensor::scalar(value)
    }

    /// An empty list of elements of any shape.
    fn list_of(element: DType) -> Tensor {
        let inputs = vec![number(-1), number(-1)];
        one("EmptyTensorList", element, inputs).expect("a list")
    }

    fn pushed(list: Tensor, value: Tensor) -> Tensor {
        let element = value.dtype();
        one("TensorListPushBack", element, vec![list, value]).expect("it fits")
    }

    #[test]
    fn a_list_is_a_value() {
        let short = pushed(list_of(DType::I32), number(1));
        copies::take();
        let long = pushed(short.clone(), number(2));
        assert_eq!(copies::take(), 1, "the list has another owner");
        assert_eq!(short.list().expect("a list").elements().len(), 1);
        let long = pushed(long, number(3));
        assert_eq!(copies::take(), 0, "the list has no other owner");
        let stacked = one("TensorListStack", DType::I32, vec![long, number(-1)]);
        let stacked = stacked.expect("numbers");
        assert_eq!(stacked.values::<i32>(), Ok(&[1, 2, 3][..]));
        let alone = one("TensorListStack", DType::I32, vec![short, number(-1)]);
        assert_eq!(alone.expect("a number").values::<i32>(), Ok(&[1][..]));
    }

    #[test]
    fn elements_may_be_lists() {
        let inner = pushed(list_of(DType::F32), Tensor::scalar(2.0f32));
        let outer = pushed(list_of(DType::Variant), inner);
        let zeros = zeros_like(&outer).expect("a list of lists");
        let sum = add_all(&mut [outer.clone(), outer.clone(), zeros]).expect("alike");
        let popped = run("TensorListPopBack", DType::Variant, vec![sum, number(-1)]);
        let [rest, inner] = &popped.expect("one element")[..] else {
            panic!("a list and its last element");
        };
        assert_eq!(rest.list().expect("a list").elements().len(), 0);
        let numbers = one(
            "TensorListStack",
            DType::F32,
            vec![inner.clone(), number(-1)],
        );
        assert_eq!(numbers.expect("numbers").values::<f32>(), Ok(&[4.0][..]));
        let stacked = one("TensorListStack", DType::Variant, vec![outer, number(-1)]);
        let error = stacked.expect_err("there are no tensors of lists");
        assert_eq!(
            error.to_string(),
            "a tensor of variant has no plain elements"
        );
    }

    #[test]
    fn an_element_of_an_inner_list_is_changed_in_place() {
        let inner = pushed(list_of(DType::I32), number(1));
        let outer = pushed(list_of(DType::Variant), inner);
        copies::take();
        let mut popped =
            run("TensorListPopBack", DType::Variant, vec![outer, number(-1)]).expect("one element");
        pushed(popped.swap_remove(1), number(2));
        assert_eq!(copies::take(), 0);
    }

    #[test]
    fn errors_are_those_of_tensorflow() {
        let message = |op: &str, element: DType, inputs: Vec<Tensor>| {
            run(op, element, inputs).expect_err("it fails").to_string()
        };
        let list = || list_of(DType::F32);
        assert_eq!(
            message("TensorListPopBack", DType::F32, vec![list(), number(-1)]),
            "Trying to pop from an empty list."
        );
        assert_eq!(
            message("TensorListPopBack", DType::I32, vec![list(), number(-1)]),
            "Invalid data types; op elements i32 but list elements f32"
        );
        let index = vec![list(), number(-1), number(-1)];
        assert_eq!(
            message("TensorListGetItem", DType::F32, index),
            "Trying to access element -1 in a list with 0 elements."
        );
        let two = Tensor::from_slice(&[1], &[2]).expect("a shape");
        let pairs = one("EmptyTensorList", DType::F32, vec![two, number(1)]).expect("a list");
        let value = Tensor::zeros(DType::F32, &[3]).expect("zeros");
        assert_eq!(
            message("TensorListPushBack", DType::F32, vec![pairs.clone(), value]),
            "Tried to append a tensor with incompatible shape to a list. Op element shape: [3] list shape: [2]"
        );
        let pair = Tensor::zeros(DType::F32, &[2]).expect("zeros");
        let full = pushed(pairs, pair.clone());
        assert_eq!(
            message("TensorListPushBack", DType::F32, vec![full, pair]),
            "Tried to push item into a full list list size: 1 max_num_elements: 1"
        );
        let unset = vec![number(-1), number(2)];
        let unset = one("TensorListReserve", DType::F32, unset).expect("a list");
        assert_eq!(
            message(
                "TensorListGetItem",
                DType::F32,
                vec![unset, number(0), number(-1)]
            ),
            "Trying to read an uninitialized element but element_shape is not fully defined <unknown>"
        );
        assert_eq!(
            message("TensorListLength", DType::F32, vec![number(1)]),
            "expected a tensor of variant, got a tensor of i32"
        );
    }

    #[test]
    fn deep_lists_are_refused_where_operations_recurse() {
        let mut deep = list_of(DType::F32);
        for _ in 0..=MAX_NESTING {
            deep = pushed(list_of(DType::Variant), deep);
        }
        let error = zeros_like(&deep).expect_err("too deep");
        assert_eq!(error.to_string(), "lists in lists nest deeper than 1000");
        assert!(add_all(&mut [deep.clone(), deep]).is_err());
    }
}
