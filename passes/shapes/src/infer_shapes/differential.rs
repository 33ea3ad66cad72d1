//! Differential test of the built-in shape functions against TensorFlow's, on random uses of each
//! operation.
//!
//! ```text
//! operation, types, attributes, shapes, values ──┬─ tfx_graphdef::shapes ──► shapes or a mismatch
//!                                                └─ TensorFlow           ──► the same, or less
//! ```
//!
//! Sizes are few and small, so that random shapes often fit each other and often do not.
//! Intentional differences are listed with their reasons.

use std::collections::{BTreeMap, BTreeSet};

use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef::proto::op_def::{ArgDef, AttrDef};
use tfx_graphdef::proto::{
    AttrValue, NodeDef, OpDef, TensorShapeProto, attr_value, tensor_shape_proto::Dim,
};
use tfx_graphdef::resolve::{Computed, UNKNOWN};
use tfx_graphdef::shapes::{Known, Shape, infer, names};
use tfx_graphdef::{DataType, Registry, Resolved, Use, element, resolve};
use tfx_interpreter::{DType, Tensor, kernels};
use tfx_oracle::Random;

use super::tensorflow::ShapeGraph;

/// The message if TensorFlow is missing.
const NO_TENSORFLOW: &str = "TensorFlow is not in TFX_TENSORFLOW_DIR: run the tests by `make test`";

/// The number of random uses of each operation.
const USES: usize = 1500;

/// Operations that are not tested here: an attribute declares their result.
const NOT_TESTED: [&str; 1] = ["Const"];

fn one_in(count: usize, random: &mut Random) -> bool {
    random.below(count) == 0
}

/// Returns a number from `least` to `greatest`.
fn between(least: i64, greatest: i64, random: &mut Random) -> i64 {
    least + random.below((greatest - least + 1) as usize) as i64
}

/// One use of an operation.
struct Example {
    resolved: Resolved,
    operands: Vec<Known>,
}

impl Example {
    /// Returns a random use, or `None` if the registry rejects it.
    fn new(definition: &OpDef, random: &mut Random) -> Option<Self> {
        let mut types = BTreeMap::new();
        let mut counts = BTreeMap::new();
        let operands = data_types(
            &definition.input_arg,
            definition,
            &mut types,
            &mut counts,
            random,
        );
        let results = data_types(
            &definition.output_arg,
            definition,
            &mut types,
            &mut counts,
            random,
        );
        let mut attributes = BTreeMap::new();
        for attribute in &definition.attr {
            if let Some(value) = value(attribute, random) {
                attributes.insert(attribute.name.clone(), AttrValue { value: Some(value) });
            }
        }
        let resolved = resolve(&Use {
            operation: &definition.name,
            operands: &operands,
            results: &results,
            attributes: &attributes,
            computed: &Computed::new(),
        });
        let resolved = resolved.ok()?;
        let mut known: Vec<Known> = Vec::new();
        for &data_type in &operands {
            let like = known.first().map(|first| first.shape.clone());
            known.push(tensor(data_type, like, random));
        }
        Some(Self {
            resolved,
            operands: known,
        })
    }

    fn text(&self) -> String {
        let operand = |(known, data_type): (&Known, &DataType)| {
            let elements = match &known.elements {
                Some(elements) => format!(" = {elements:?}"),
                None => String::new(),
            };
            format!(
                "{}{}{elements}",
                known.shape,
                element::display_name(*data_type)
            )
        };
        let operands: Vec<_> = self
            .operands
            .iter()
            .zip(&self.resolved.operands)
            .map(operand)
            .collect();
        let attributes: Vec<_> = (self.resolved.attributes.iter())
            .filter(|(_, value)| !matches!(value.value, Some(Value::Type(_)) | None))
            .map(|(name, value)| format!("{name}={:?}", value.value.as_ref()))
            .collect();
        format!(
            "{} -> {} results {}",
            operands.join(", "),
            self.resolved.results.len(),
            attributes.join(" ")
        )
    }
}

/// Returns the element types of arguments. Arguments with the same type attribute have the same
/// type.
fn data_types(
    arguments: &[ArgDef],
    definition: &OpDef,
    types: &mut BTreeMap<String, DataType>,
    counts: &mut BTreeMap<String, usize>,
    random: &mut Random,
) -> Vec<DataType> {
    let mut all = Vec::new();
    for argument in arguments {
        let data_type = match argument.type_attr.as_str() {
            "" => element::from_number(argument.r#type),
            name => *types
                .entry(name.to_owned())
                .or_insert_with(|| allowed(definition, name)),
        };
        if !argument.type_list_attr.is_empty() {
            let count = *counts
                .entry(argument.type_list_attr.clone())
                .or_insert_with(|| between(1, 3, random) as usize);
            all.extend(vec![DataType::DtFloat; count]);
        } else if !argument.number_attr.is_empty() {
            let count = *counts
                .entry(argument.number_attr.clone())
                .or_insert_with(|| between(1, 3, random) as usize);
            all.extend(vec![data_type; count]);
        } else {
            all.push(data_type);
        }
    }
    all
}

/// Returns an element type that is valid for an attribute.
fn allowed(definition: &OpDef, name: &str) -> DataType {
    let attribute = definition
        .attr
        .iter()
        .find(|attribute| attribute.name == name);
    let list = attribute.and_then(
        |attribute| match &attribute.allowed_values.as_ref()?.value {
            Some(Value::List(list)) => Some(list.r#type.clone()),
            _ => None,
        },
    );
    let is_allowed = |data_type: &DataType| {
        list.as_ref()
            .is_none_or(|list| list.contains(&(*data_type as i32)))
    };
    // Integers for `Range`: inference does not track the elements of floats.
    let preferred = match definition.name.as_str() {
        "Range" => [
            DataType::DtInt32,
            DataType::DtInt64,
            DataType::DtFloat,
            DataType::DtBool,
        ],
        _ => [
            DataType::DtFloat,
            DataType::DtInt32,
            DataType::DtInt64,
            DataType::DtBool,
        ],
    };
    preferred.into_iter().find(is_allowed).unwrap_or(UNKNOWN)
}

/// Equations of `Einsum` for one to three operands.
const EQUATIONS: [&str; 7] = [
    "ij->ji",
    "ii->i",
    "ij,jk->ik",
    "ij,ij->",
    "...ij,...jk->...ik",
    "i...,i->...",
    "i,j,k->ijk",
];

/// Returns a value of an attribute that the types do not determine; `None` stands for its default.
fn value(attribute: &AttrDef, random: &mut Random) -> Option<Value> {
    if one_in(3, random) && attribute.default_value.is_some() {
        return None;
    }
    match (attribute.r#type.as_str(), attribute.name.as_str()) {
        ("bool", _) => Some(Value::B(one_in(2, random))),
        ("int", name) if name.ends_with("_mask") => Some(Value::I(between(0, 7, random))),
        // For a negative number, TensorFlow's function returns a rank that no kernel returns.
        ("int", "batch_dims") => Some(Value::I(between(0, 3, random))),
        ("type", "element_dtype") => Some(Value::Type(DataType::DtFloat as i32)),
        ("int", "seq_dim" | "batch_dim") => Some(Value::I(between(0, 3, random))),
        ("int", "block_size") => Some(Value::I(between(1, 3, random))),
        ("string", "mode") => {
            let text: &[u8] = if one_in(2, random) {
                b"REFLECT"
            } else {
                b"SYMMETRIC"
            };
            Some(Value::S(text.to_vec()))
        }
        ("string", "equation") => {
            let text = EQUATIONS[random.below(EQUATIONS.len())];
            Some(Value::S(text.as_bytes().to_vec()))
        }
        ("list(int)", "strides" | "dilations" | "ksize" | "explicit_paddings") => {
            Some(Value::list(attr_value::ListValue {
                i: window(&attribute.name, random),
                ..Default::default()
            }))
        }
        ("string", "padding") => {
            let text: &[u8] = match random.below(5) {
                0 => b"EXPLICIT",
                1 | 2 => b"SAME",
                _ => b"VALID",
            };
            Some(Value::S(text.to_vec()))
        }
        ("int", "axis") => Some(Value::I(between(-3, 3, random))),
        ("list(int)", _) => Some(Value::list(attr_value::ListValue {
            i: (0..random.below(3))
                .map(|_| between(-3, 3, random))
                .collect(),
            ..Default::default()
        })),
        ("string", "data_format") => {
            let text: &[u8] = match (is_of_space(attribute), one_in(2, random)) {
                (false, true) => b"NHWC",
                (false, false) => b"NCHW",
                (true, true) => b"NDHWC",
                (true, false) => b"NCDHW",
            };
            Some(Value::S(text.to_vec()))
        }
        ("string", _) if attribute.default_value.is_none() => Some(Value::S(Vec::new())),
        ("shape", _) => {
            let shape = shape(None, random);
            let dim = |size: &Option<u64>| Dim {
                size: size.map_or(-1, |size| size as i64),
                name: String::new(),
            };
            Some(Value::Shape(TensorShapeProto {
                dim: shape.sizes().unwrap_or_default().iter().map(dim).collect(),
                unknown_rank: shape.rank().is_none(),
            }))
        }
        _ => None,
    }
}

/// Returns whether an attribute is the format of images with a depth.
fn is_of_space(attribute: &AttrDef) -> bool {
    let default = attribute.default_value.as_ref();
    let default = default.and_then(|default| default.value.as_ref());
    matches!(default, Some(Value::S(text)) if text == b"NDHWC")
}

/// Returns sizes for the dimensions of images, mostly of flat ones; two paddings for each.
fn window(name: &str, random: &mut Random) -> Vec<i64> {
    let rank = if one_in(4, random) { 5 } else { 4 };
    let rank = if one_in(20, random) { 3 } else { rank };
    if name == "explicit_paddings" {
        if one_in(2, random) {
            return Vec::new();
        }
        let is_inner = |index: usize| (2..2 * rank - 2).contains(&index);
        let mut padding = |index| match is_inner(index) || one_in(20, random) {
            true => between(0, 2, random),
            false => 0,
        };
        return (0..2 * rank).map(&mut padding).collect();
    }
    // The batch and the channels, which the kernels leave alone.
    let has_ends = !one_in(5, random);
    let size = |index| match random.below(12) {
        _ if has_ends && (index == 0 || index + 1 == rank) => 1,
        0 => 0,
        1..=3 => 2,
        4 => 3,
        _ => 1,
    };
    (0..rank).map(size).collect()
}

fn size(random: &mut Random) -> Option<u64> {
    match random.below(9) {
        0 => None,
        1 => Some(0),
        2 | 3 => Some(1),
        4 => Some(6),
        5 | 6 => Some(2),
        _ => Some(3),
    }
}

/// Returns a random shape, often one that is similar to `like`.
fn shape(like: Option<Shape>, random: &mut Random) -> Shape {
    if one_in(12, random) {
        return Shape::UNKNOWN;
    }
    if let Some(sizes) = like.as_ref().and_then(Shape::sizes)
        && !one_in(3, random)
    {
        let mut sizes = sizes.to_vec();
        for changed in &mut sizes {
            if one_in(5, random) {
                *changed = size(random);
            }
        }
        if one_in(6, random) {
            sizes.pop();
        }
        if one_in(6, random) {
            sizes.insert(0, size(random));
        }
        return Shape::of(sizes);
    }
    let rank = random.below(6);
    Shape::of((0..rank).map(|_| size(random)).collect::<Vec<_>>())
}

/// Returns a random operand. An integer one usually has known elements, and the shape of an operand
/// that contains sizes, dimensions or positions.
fn tensor(data_type: DataType, like: Option<Shape>, random: &mut Random) -> Known {
    if !matches!(data_type, DataType::DtInt32 | DataType::DtInt64) {
        return shape(like, random).into();
    }
    let rank = like.as_ref().and_then(Shape::rank).unwrap_or(2) as u64;
    let sizes: Vec<u64> = match random.below(8) {
        0 | 1 => vec![],
        2..=4 => vec![rank],
        5 => vec![random.below(4) as u64],
        6 => vec![rank, 2],
        _ => return shape(None, random).into(),
    };
    let count: u64 = sizes.iter().product();
    let full = Shape::full(&sizes);
    if one_in(5, random) {
        return full.into();
    }
    let wide = one_in(3, random);
    let elements = (0..count).map(|_| match wide {
        true => between(-4, 7, random),
        false => between(-1, 3, random),
    });
    Known {
        shape: full,
        elements: Some(elements.map(Some).collect()),
    }
}

/// Returns whether TensorFlow may end the process: it only asserts that `GatherV2` has no more
/// batch dimensions than dimensions, and that the sizes of `SplitV` are a list.
fn ends_tensorflow(example: &Example, is_rejected: bool) -> bool {
    let batches = example
        .resolved
        .attributes
        .get("batch_dims")
        .and_then(|batches| batches.value.as_ref());
    let is_no_list = || example.operands[1].shape.rank() != Some(1);
    let is_split = example.resolved.definition.name == "SplitV";
    is_rejected && (matches!(batches, Some(Value::I(1..))) || is_split && is_no_list())
}

/// An operation of six operands that must agree, which no random use does. Its function shares its
/// parts with that of `FusedBatchNormV3`.
const NEVER_VALID: &str = "FusedBatchNormGradV3";

/// The intentional differences. Every kernel rejects at run time a use that only the built-in
/// function rejects; the test below checks this for the kernels of the embedded executor.
const INTENTIONAL: &[(&str, &str)] = &[
    // A dimension that does not exist in a vector.
    ("ArgMax", REJECTS_MORE),
    ("ArgMin", REJECTS_MORE),
    // A size that is neither kept nor broadcast from 1.
    ("BroadcastTo", REJECTS_MORE),
    // A bound that is not a scalar and has another shape than the values.
    ("ClipByValue", REJECTS_MORE),
    // If incompatible shapes are no error, an unknown size determines nothing of the result.
    ("Equal", KNOWS_LESS),
    ("NotEqual", KNOWS_LESS),
    // More than one dimension or depth.
    ("ExpandDims", REJECTS_MORE),
    ("OneHot", REJECTS_MORE),
    ("Split", REJECTS_MORE),
    // More batch dimensions than dimensions, where the indices are of unknown rank.
    ("GatherV2", REJECTS_LESS),
    // Batches of two sizes, along an unknown dimension.
    ("GatherV2", REJECTS_MORE),
    // Several sizes of -1.
    ("Reshape", REJECTS_MORE),
    // Sizes that differ only after the third operand is joined to the first two.
    ("SelectV2", REJECTS_MORE),
    // More elements than there are in a dimension, while the size of another dimension is unknown.
    ("Slice", REJECTS_MORE),
    // A size of 1 may be broadcast to an unknown size; two shapes may fit if one is unknown.
    ("SoftmaxCrossEntropyWithLogits", KNOWS_LESS),
    ("SoftmaxCrossEntropyWithLogits", REJECTS_LESS),
    // Several ellipses with unknown steps.
    ("StridedSlice", REJECTS_MORE),
    // The lowest diagonal above the highest one, while the shape is unknown.
    ("MatrixDiagPartV3", REJECTS_MORE),
    // No diagonal at all. A number of rows or columns that is not known yet may be any.
    ("MatrixDiagV3", KNOWS_LESS),
    ("MatrixDiagV3", REJECTS_MORE),
    // Diagonals of another length, where a list of unknown length may have one; the shape of the
    // diagonals says little about that of the matrices.
    ("MatrixSetDiagV3", KNOWS_LESS),
    ("MatrixSetDiagV3", REJECTS_LESS),
    ("MatrixSetDiagV3", REJECTS_MORE),
    // A number of columns other than 2.
    ("MirrorPadGrad", REJECTS_MORE),
    // More coordinates than dimensions; a scalar as updates.
    ("ScatterNd", REJECTS_MORE),
    ("TensorScatterAdd", REJECTS_MORE),
    ("TensorScatterSub", REJECTS_MORE),
    ("TensorScatterUpdate", REJECTS_MORE),
    // An axis that is not a scalar, for a tensor of unknown rank. Along an unknown axis, the sizes
    // of parts are not compared with a dimension.
    ("SplitV", REJECTS_LESS),
    ("SplitV", REJECTS_MORE),
    // Elements that are scalars cannot be joined, nor can a scalar be split.
    ("TensorListConcatV2", REJECTS_MORE),
    ("TensorListFromTensor", REJECTS_MORE),
    // The shape of an element as a scalar whose value is not known yet: it may be -1.
    ("EmptyTensorList", REJECTS_LESS),
    ("TensorListConcatV2", REJECTS_LESS),
    ("TensorListFromTensor", REJECTS_LESS),
    ("TensorListGather", REJECTS_LESS),
    ("TensorListGetItem", REJECTS_LESS),
    ("TensorListReserve", REJECTS_LESS),
    ("TensorListStack", REJECTS_LESS),
    // A number of elements that is not a scalar.
    ("TopKV2", REJECTS_MORE),
    // A negative multiple.
    ("Tile", REJECTS_MORE),
    // A scalar as the permutation.
    ("Transpose", REJECTS_MORE),
];

const KNOWS_LESS: &str = "knows less";
const REJECTS_MORE: &str = "rejects more";
const REJECTS_LESS: &str = "rejects less";

#[test]
fn shape_functions_agree_with_tensorflow() {
    let mut tensorflow = ShapeGraph::new().expect(NO_TENSORFLOW);
    let mut different: BTreeMap<(String, &str), (usize, String)> = BTreeMap::new();
    let mut tried = BTreeSet::new();
    for name in names()
        .into_iter()
        .filter(|name| !NOT_TESTED.contains(name))
    {
        let definition = Registry::get()
            .lookup(name)
            .expect("it has a shape function, so it exists");
        let mut random = Random::new(
            name.bytes()
                .fold(7, |seed, byte| seed * 31 + u64::from(byte)),
        );
        let (mut good, mut bad) = (0, 0);
        for _ in 0..USES {
            let Some(example) = Example::new(definition, &mut random) else {
                continue;
            };
            let ours =
                infer(&example.resolved, &example.operands).expect("it has a shape function");
            if ends_tensorflow(&example, ours.is_err()) {
                continue;
            }
            let Some(theirs) = tensorflow.infer(&example.resolved, &example.operands) else {
                continue;
            };
            let (verdict, text) = match (&ours, &theirs) {
                (Ok(ours), Ok(theirs)) => {
                    good += 1;
                    let pairs = || ours.iter().zip(theirs);
                    if ours.len() == theirs.len()
                        && pairs().all(|(ours, theirs)| ours.refines(theirs))
                    {
                        continue;
                    }
                    let contradict = pairs().any(|(ours, theirs)| ours.meet(theirs).is_none());
                    let text = format!("ours {ours:?} theirs {theirs:?}");
                    (
                        if contradict {
                            "contradicts"
                        } else {
                            KNOWS_LESS
                        },
                        text,
                    )
                }
                (Err(_), Err(_)) => {
                    bad += 1;
                    continue;
                }
                (Err(ours), Ok(theirs)) => (REJECTS_MORE, format!("ours {ours} theirs {theirs:?}")),
                (Ok(ours), Err(theirs)) => (REJECTS_LESS, format!("ours {ours:?} theirs {theirs}")),
            };
            if INTENTIONAL.contains(&(name, verdict)) {
                continue;
            }
            let entry = different.entry((name.to_owned(), verdict));
            let (count, _) =
                entry.or_insert_with(|| (0, format!("{}\n      {text}", example.text())));
            *count += 1;
        }
        // Each function has to accept some uses.
        if good == 0 && name != NEVER_VALID {
            different.insert((name.to_owned(), "accepts no use"), (USES, String::new()));
        }
        if bad > 0 {
            tried.insert(name);
        }
    }
    let lines: Vec<_> = different
        .iter()
        .map(|((name, verdict), (count, text))| format!("{name} {verdict}, {count} times: {text}"))
        .collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
    assert!(tried.contains("MatMul") && tried.contains("StridedSlice"));
}

/// Returns an operand as a tensor of the embedded executor, of zeros if its elements are not
/// integers.
fn operand(known: &Known, data_type: DataType) -> Option<Tensor> {
    let sizes = known.shape.sizes()?.iter();
    let sizes: Vec<usize> = sizes
        .map(|size| size.map(|size| size as usize))
        .collect::<Option<_>>()?;
    let elements = || {
        known
            .elements
            .as_ref()?
            .iter()
            .copied()
            .collect::<Option<Vec<i64>>>()
    };
    match data_type {
        DataType::DtInt32 => {
            let elements: Vec<i32> = elements()?
                .into_iter()
                .map(|element| element as i32)
                .collect();
            Tensor::from_slice(&sizes, &elements).ok()
        }
        DataType::DtInt64 => Tensor::from_slice(&sizes, &elements()?).ok(),
        _ => Tensor::zeros(DType::from_tensorflow(data_type as i32)?, &sizes).ok(),
    }
}

#[test]
fn kernels_agree_with_shape_functions() {
    let mut tensorflow = ShapeGraph::new().expect(NO_TENSORFLOW);
    let (mut given, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for name in names() {
        let Some(definition) = Registry::get().lookup(name) else {
            continue;
        };
        let mut random = Random::new(name.len() as u64);
        for _ in 0..4 * USES {
            let Some(example) = Example::new(definition, &mut random) else {
                continue;
            };
            let operands = example.operands.iter().zip(&example.resolved.operands);
            let Some(mut inputs) = operands
                .map(|(known, &data_type)| operand(known, data_type))
                .collect::<Option<Vec<Tensor>>>()
            else {
                continue;
            };
            let mut node = NodeDef {
                op: name.to_owned(),
                ..Default::default()
            };
            node.attr.extend(example.resolved.attributes.clone());
            let outcome = match kernels::build(&node) {
                Ok(Some(kernel)) => kernel.compute(&mut inputs),
                Err(error) => Some(Err(error)),
                Ok(None) => None,
            };
            let Some(outcome) = outcome else {
                continue;
            };
            let inferred =
                infer(&example.resolved, &example.operands).expect("it has a shape function");
            match (inferred, outcome) {
                (Ok(shapes), Ok(outputs)) => {
                    given.insert(name);
                    for (shape, output) in shapes.iter().zip(&outputs) {
                        let sizes: Vec<_> =
                            output.shape().iter().map(|&size| size as u64).collect();
                        let sizes = Shape::full(&sizes);
                        assert!(
                            sizes.refines(shape),
                            "{name} of {}: inferred {shape}, computed {sizes}",
                            example.text()
                        );
                    }
                }
                (Err(mismatch), Ok(_)) => {
                    // The kernels of the embedded executor may accept a use that TensorFlow's shape
                    // function rejects, too: it never reaches a kernel of TensorFlow.
                    if ends_tensorflow(&example, true) {
                        continue;
                    }
                    let theirs = tensorflow.infer(&example.resolved, &example.operands);
                    let is_rejected = matches!(theirs, Some(Err(_)));
                    assert!(
                        is_rejected,
                        "{name} of {} runs, but: {mismatch}",
                        example.text()
                    );
                }
                (Err(_), Err(_)) => _ = refused.insert(name),
                // A kernel may reject element values, and types that it does not implement.
                (Ok(_), Err(_)) => {}
            }
        }
    }
    let kernels = kernels::names().len();
    assert!(
        given.len() * 100 > kernels * 85,
        "only {} of {kernels} kernels ran",
        given.len()
    );
    assert!(refused.contains("Reshape") && refused.contains("StridedSlice"));
}

#[test]
fn every_kernel_has_a_shape_function() {
    let functions: BTreeSet<_> = names().into_iter().collect();
    let missing: Vec<_> = kernels::names()
        .into_iter()
        .filter(|name| !functions.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
