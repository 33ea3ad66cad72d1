//! The elements of small integer tensors on which shapes depend.
//!
//! ```text
//! Shape(%x : [2, ?])                 {2, ?}       the sizes of the shape
//! Sum({2, 3}, {0})                   {5}          all elements are known: the kernel computes
//! StridedSlice({2, ?, 4}, 1, 3, 1)   {?, 4}       some are known: the kernel moves their positions
//! SelectV2({true, false}, 1, ?)      {1, ?}       a choice needs one of two elements
//! BroadcastGradientArgs({4}, {?, 4}) {0}, ?       the first shape is known to be repeated
//! ```

use tfx_dialects::tensor;
use tfx_graphdef::DataType;
use tfx_graphdef::proto::NodeDef;
use tfx_graphdef::shapes::{Known, Shape};
use tfx_graphdef::{Resolved, proto::AttrValue, proto::attr_value};
use tfx_graphdef_mlir::{tensors, types};
use tfx_interpreter::kernels;
use tfx_interpreter::{Bool, DType, Tensor};
use tfx_ir::Op;

/// The elements of a tensor in row-major order; `None` for an unknown one.
type Elements = Vec<Option<i64>>;

/// The elements of larger tensors are not tracked. A matrix of paddings for a tensor of
/// TensorFlow's greatest rank, 254, has this many.
const MAX_ELEMENTS: u64 = 2 * 254;

/// Returns the elements of a constant, or of a tensor from a constant scalar.
pub(super) fn constant_elements(op: Op<'_>, shape: &Shape) -> Option<Elements> {
    if shape.count().is_none_or(|count| count > MAX_ELEMENTS) {
        return None;
    }
    if let Some(constant) = tensor::Const::cast(op) {
        let proto = tensors::tensor(constant.value()).ok()?;
        is_integer(proto.dtype()).then_some(())?;
        let mut node = NodeDef::default();
        let value = Some(attr_value::Value::tensor(proto));
        node.attr.insert("value".to_owned(), AttrValue { value });
        return elements(&kernels::constant(&node).ok()?);
    }
    let scalar = tensor::FromScalar::cast(op)?.scalar();
    let value = scalar.constant_int()?;
    let is_boolean = types::width(scalar.ty()) == Some(1);
    Some(vec![Some(if is_boolean { value & 1 } else { value })])
}

/// Returns the elements of each result, if any of them is known, and refines the shapes of the
/// results by the outputs of the kernel.
pub(super) fn evaluate(
    resolved: &Resolved,
    operands: &[Known],
    shapes: &mut [Shape],
) -> Vec<Option<Elements>> {
    let sizes = |shape: &Shape| -> Option<Elements> {
        let sizes = shape.sizes()?.iter();
        Some(sizes.map(|size| i64::try_from((*size)?).ok()).collect())
    };
    let one = |value: Option<u64>| Some(vec![Some(i64::try_from(value?).ok()?)]);
    match resolved.definition.name.as_str() {
        "Shape" | "ShapeN" => operands
            .iter()
            .map(|operand| sizes(&operand.shape))
            .collect(),
        "Size" => vec![one(operands[0].shape.count())],
        "Rank" => vec![one(operands[0].shape.rank().map(|rank| rank as u64))],
        "BroadcastGradientArgs" => computed(resolved, operands, shapes)
            .or_else(|| repeated_dimensions(operands, shapes))
            .unwrap_or_default(),
        "Select" | "SelectV2" => computed(resolved, operands, shapes)
            .or_else(|| selected(operands, shapes))
            .unwrap_or_default(),
        _ => computed(resolved, operands, shapes).unwrap_or_default(),
    }
}

/// Returns the elements of a selection between lists or scalars, as far as they are known.
fn selected(operands: &[Known], shapes: &[Shape]) -> Option<Vec<Option<Elements>>> {
    let shape = shapes.first()?;
    let count = shape.count().filter(|count| *count <= MAX_ELEMENTS)?;
    if shape.rank()? > 1 {
        return None;
    }
    // No element of a list may be known.
    let list = |operand: &Known| match operand.shape.rank()? {
        0 | 1 => Some(operand.elements.clone().unwrap_or_default()),
        _ => None,
    };
    let [condition, yes, no] = operands else {
        return None;
    };
    let [condition, yes, no] = [list(condition)?, list(yes)?, list(no)?];
    let at = |list: &Elements, index: usize| match list[..] {
        [only] => only,
        _ => list.get(index).copied().flatten(),
    };
    let element = |index| match at(&condition, index)? {
        0 => at(&no, index),
        _ => at(&yes, index),
    };
    let found: Elements = (0..count as usize).map(element).collect();
    Some(vec![found.iter().any(Option::is_some).then_some(found)])
}

/// Returns the dimensions along which each of two shapes is repeated where they are broadcast to
/// each other, if its sizes are known: those of size 1, also if the other size is 1, except that
/// equal shapes have none.
fn repeated_dimensions(operands: &[Known], shapes: &mut [Shape]) -> Option<Vec<Option<Elements>>> {
    let elements = |operand: &Known| match operand.shape.count() {
        Some(0) => Some(Elements::new()),
        _ => operand.elements.clone(),
    };
    let both = [elements(&operands[0])?, elements(&operands[1])?];
    let rank = both[0].len().max(both[1].len());
    let wide = |own: &Elements| -> Elements {
        let new = std::iter::repeat_n(Some(1), rank - own.len());
        new.chain(own.iter().copied()).collect()
    };
    let sizes = both.each_ref().map(wide);
    let pairs = sizes[0].iter().zip(&sizes[1]);
    let different: Vec<_> = pairs
        .filter_map(|(one, other)| one.zip(*other))
        .filter(|(one, other)| one != other)
        .collect();
    let are_different = both[0].len() != both[1].len() || !different.is_empty();
    let mut different = different.into_iter();
    let can_be_broadcast = different.all(|(one, other)| one == 1 || other == 1);
    (are_different && can_be_broadcast).then(|| {
        let of = |(sizes, shape): (&Elements, &mut Shape)| {
            let sizes: Vec<i64> = sizes.iter().copied().collect::<Option<_>>()?;
            let dimensions = (0..rank).filter(|&dimension| sizes[dimension] == 1);
            let found: Elements = dimensions.map(|dimension| Some(dimension as i64)).collect();
            let full = Shape::full(&[found.len() as u64]);
            *shape = shape.meet(&full).unwrap_or_else(|| shape.clone());
            Some(found)
        };
        sizes.iter().zip(shapes).map(of).collect()
    })
}

/// Returns the operands whose elements an operation only moves or drops, without reading them.
fn moved(name: &str, operands: usize) -> std::ops::Range<usize> {
    match name {
        "Pack" | "IdentityN" => 0..operands,
        "Concat" => 1..operands,
        "ConcatV2" => 0..operands.saturating_sub(1),
        "Split" => 1..2,
        "BroadcastTo" | "EnsureShape" | "ExpandDims" | "Gather" | "GatherV2" | "Identity"
        | "PreventGradient" | "Reshape" | "ReverseV2" | "Slice" | "Snapshot" | "Squeeze"
        | "StopGradient" | "StridedSlice" | "Tile" | "Transpose" | "Unpack" => 0..1,
        _ => 0..0,
    }
}

/// Returns the elements that the kernel of an operation computes.
fn computed(
    resolved: &Resolved,
    operands: &[Known],
    shapes: &mut [Shape],
) -> Option<Vec<Option<Elements>>> {
    let too_many = |shape: &Shape| shape.count().is_some_and(|count| count > MAX_ELEMENTS);
    if shapes.iter().any(too_many) || !resolved.results.iter().copied().all(is_integer) {
        return None;
    }
    let moved = moved(&resolved.definition.name, operands.len());
    // The kernel gets the positions in this list of elements that it only moves: they may be
    // unknown.
    let mut list: Elements = Vec::new();
    let none: Elements = Vec::new();
    let mut inputs = Vec::with_capacity(operands.len());
    for (index, operand) in operands.iter().enumerate() {
        let sizes = operand.shape.sizes()?.iter().copied();
        let sizes: Vec<usize> = sizes
            .map(|size| size.and_then(|size| usize::try_from(size).ok()))
            .collect::<Option<_>>()?;
        let elements = match operand.shape.count() {
            Some(0) => &none,
            _ => operand.elements.as_ref()?,
        };
        inputs.push(if moved.contains(&index) {
            let first = list.len() as i64;
            list.extend(elements);
            let positions: Vec<i64> = (first..list.len() as i64).collect();
            Tensor::from_slice(&sizes, &positions).ok()?
        } else {
            let known = elements.iter().copied().collect::<Option<Vec<i64>>>()?;
            tensor(resolved.operands[index], &sizes, &known)?
        });
    }
    let mut node = NodeDef {
        op: resolved.definition.name.clone(),
        ..Default::default()
    };
    node.attr.extend(resolved.attributes.clone());
    if resolved.definition.name == "Const" {
        return Some(vec![elements(&kernels::constant(&node).ok()?)]);
    }
    let kernel = kernels::build(&node).ok()??;
    let outputs = kernel.compute(&mut inputs)?.ok()?;
    let mut all = Vec::with_capacity(outputs.len());
    for (output, shape) in outputs.iter().zip(shapes) {
        let sizes: Vec<u64> = output.shape().iter().map(|&size| size as u64).collect();
        *shape = shape
            .meet(&Shape::full(&sizes))
            .unwrap_or_else(|| shape.clone());
        let found = elements(output);
        all.push(match moved.is_empty() {
            true => found,
            false => found.map(|found| {
                let at = |position: Option<i64>| list.get(position? as usize).copied().flatten();
                found.into_iter().map(at).collect()
            }),
        });
    }
    Some(all)
}

/// Evaluates one expression for integers, with their Rust type, and another one for booleans;
/// `None` for other element types.
macro_rules! of_integers {
    ($dtype:expr, $T:ident => $integer:expr, $boolean:expr) => {
        of_integers!(@ $dtype, $T, $integer, $boolean,
            I8 => i8, I16 => i16, I32 => i32, I64 => i64, U8 => u8, U16 => u16, U32 => u32, U64 => u64)
    };
    (@ $dtype:expr, $T:ident, $integer:expr, $boolean:expr, $($variant:ident => $rust:ty),*) => {
        match $dtype {
            $(DType::$variant => { type $T = $rust; $integer })*
            DType::Bool => $boolean,
            DType::F16
            | DType::Bf16
            | DType::F32
            | DType::F64
            | DType::String
            | DType::Resource
            | DType::Variant => None,
        }
    };
}

fn is_integer(data_type: DataType) -> bool {
    let dtype = DType::from_tensorflow(data_type as i32);
    dtype
        .and_then(|dtype| of_integers!(dtype, _T => Some(()), Some(())))
        .is_some()
}

/// Returns a tensor of the embedded executor with the elements.
fn tensor(data_type: DataType, sizes: &[usize], elements: &[i64]) -> Option<Tensor> {
    let elements = elements.iter().copied();
    of_integers!(
        DType::from_tensorflow(data_type as i32)?,
        T => {
            let elements: Vec<T> = elements.map(|element| element as T).collect();
            Tensor::from_slice(sizes, &elements).ok()
        },
        {
            let elements: Vec<Bool> = elements.map(|element| Bool::from(element != 0)).collect();
            Tensor::from_slice(sizes, &elements).ok()
        }
    )
}

/// Returns the elements of a tensor of the embedded executor.
fn elements(tensor: &Tensor) -> Option<Elements> {
    if tensor.elements() as u64 > MAX_ELEMENTS {
        return None;
    }
    of_integers!(
        tensor.dtype(),
        T => {
            let values = tensor.values::<T>().ok()?.iter();
            let narrowed = |&value: &T| i64::try_from(i128::from(value)).ok();
            Some(values.map(narrowed).collect())
        },
        {
            let values = tensor.values::<Bool>().ok()?.iter();
            Some(values.map(|value| Some(i64::from(value.get()))).collect())
        }
    )
}
