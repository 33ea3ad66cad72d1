//! The shape functions that are built in beside TensorFlow's own, on random uses of every operation that has one.
//!
//! ```text
//! operation, element types, attributes, shapes, values ──┬─ tfx_graphdef::shapes ──► shapes, or a mismatch
//!                                                        └─ TensorFlow           ──► the same, or less known
//! ```
//!
//! Sizes are few and small, so that by chance they often agree and often do not. What differs on purpose is listed, with the reason.

use std::collections::{BTreeMap, BTreeSet};

use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef::proto::op_def::{ArgDef, AttrDef};
use tfx_graphdef::proto::{
    AttrValue, NodeDef, OpDef, TensorShapeProto, attr_value, tensor_shape_proto::Dim,
};
use tfx_graphdef::resolve::{Computed, UNKNOWN};
use tfx_graphdef::shapes::{Known, Mismatch, Shape, infer, names};
use tfx_graphdef::{DataType, Registry, Resolved, Use, element, resolve};
use tfx_interpreter::{DType, Tensor, kernels};
use tfx_oracle::Random;

use super::tensorflow::ShapeGraph;

/// What to do where there is none.
const NO_TENSORFLOW: &str = "TensorFlow is in TFX_TENSORFLOW_DIR: run the tests by `make test`";

/// Uses of each operation.
const USES: usize = 1500;

/// Operations that are tried less alone than in a program: their result is what an attribute says.
const NOT_TRIED: [&str; 1] = ["Const"];

fn one_in(count: usize, random: &mut Random) -> bool {
    random.below(count) == 0
}

/// A number from `least` to `greatest`.
fn between(least: i64, greatest: i64, random: &mut Random) -> i64 {
    least + random.below((greatest - least + 1) as usize) as i64
}

/// One use of an operation.
struct Example {
    resolved: Resolved,
    operands: Vec<Known>,
}

impl Example {
    /// `None` where the registry refuses what came by chance.
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

/// Element types for arguments: what an attribute was once stays.
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

/// An element type that an attribute may be.
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
    // `Range` counts in integers here: floats are not looked into.
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

/// A value of an attribute that does not follow from types; `None`: its default.
fn value(attribute: &AttrDef, random: &mut Random) -> Option<Value> {
    if one_in(3, random) && attribute.default_value.is_some() {
        return None;
    }
    match (attribute.r#type.as_str(), attribute.name.as_str()) {
        ("bool", _) => Some(Value::B(one_in(2, random))),
        ("int", name) if name.ends_with("_mask") => Some(Value::I(between(0, 7, random))),
        // Of a negative one TensorFlow's function makes a rank that no kernel gives.
        ("int", "batch_dims") => Some(Value::I(between(0, 3, random))),
        ("int", "axis") => Some(Value::I(between(-3, 3, random))),
        ("list(int)", _) => Some(Value::list(attr_value::ListValue {
            i: (0..random.below(3))
                .map(|_| between(-3, 3, random))
                .collect(),
            ..Default::default()
        })),
        ("string", "data_format") => {
            let text: &[u8] = if one_in(2, random) { b"NHWC" } else { b"NCHW" };
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

/// A shape; often one that is like another.
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
    let rank = random.below(5);
    Shape::of((0..rank).map(|_| size(random)).collect::<Vec<_>>())
}

/// A tensor; one of integers mostly has values, and the shape of what gives shapes, dimensions or positions.
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

/// Whether TensorFlow may end the process: that the batches of `GatherV2` are not more than its dimensions it only asserts.
fn ends_tensorflow(resolved: &Resolved, ours: &Result<Vec<Shape>, Mismatch>) -> bool {
    let batches = resolved
        .attributes
        .get("batch_dims")
        .and_then(|batches| batches.value.as_ref());
    ours.is_err() && matches!(batches, Some(Value::I(1..)))
}

/// What is different on purpose. A use that is refused here and not by TensorFlow's function is refused by every kernel when it runs; the test
/// below holds those of the embedded executor to it.
const ON_PURPOSE: &[(&str, &str)] = &[
    // A dimension that a list does not have.
    ("ArgMax", REFUSES_MORE),
    ("ArgMin", REFUSES_MORE),
    // A size that is neither kept nor grown from 1.
    ("BroadcastTo", REFUSES_MORE),
    // A bound that is no scalar and has another shape than the values.
    ("ClipByValue", REFUSES_MORE),
    // If shapes that do not go together are no error, a size that is not known says nothing of the result.
    ("Equal", KNOWS_LESS),
    ("NotEqual", KNOWS_LESS),
    // More dimensions or depths than one.
    ("ExpandDims", REFUSES_MORE),
    ("OneHot", REFUSES_MORE),
    ("Split", REFUSES_MORE),
    // Batches of two sizes, along a dimension that is not known.
    ("GatherV2", REFUSES_MORE),
    // Several sizes of -1.
    ("Reshape", REFUSES_MORE),
    // Sizes that differ only where the third operand comes to the first two.
    ("SelectV2", REFUSES_MORE),
    // More elements than there are, in a dimension beside one whose size is not known.
    ("Slice", REFUSES_MORE),
    // A size of 1 may grow to what is not known; and two shapes of which one is not known may fit.
    ("SoftmaxCrossEntropyWithLogits", KNOWS_LESS),
    ("SoftmaxCrossEntropyWithLogits", REFUSES_LESS),
    // Several ellipses, where the steps are not known.
    ("StridedSlice", REFUSES_MORE),
    // A number of times below 0.
    ("Tile", REFUSES_MORE),
    // An order that is a scalar.
    ("Transpose", REFUSES_MORE),
];

const KNOWS_LESS: &str = "knows less";
const REFUSES_MORE: &str = "refuses more";
const REFUSES_LESS: &str = "refuses less";

#[test]
fn shape_functions_say_what_tensorflow_says() {
    let mut tensorflow = ShapeGraph::new().expect(NO_TENSORFLOW);
    let mut different: BTreeMap<(String, &str), (usize, String)> = BTreeMap::new();
    let mut tried = BTreeSet::new();
    for name in names().into_iter().filter(|name| !NOT_TRIED.contains(name)) {
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
            if ends_tensorflow(&example.resolved, &ours) {
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
                (Err(ours), Ok(theirs)) => (REFUSES_MORE, format!("ours {ours} theirs {theirs:?}")),
                (Ok(ours), Err(theirs)) => (REFUSES_LESS, format!("ours {ours:?} theirs {theirs}")),
            };
            if ON_PURPOSE.contains(&(name, verdict)) {
                continue;
            }
            let entry = different.entry((name.to_owned(), verdict));
            let (count, _) =
                entry.or_insert_with(|| (0, format!("{}\n      {text}", example.text())));
            *count += 1;
        }
        // Neither side of a function may be left untried.
        if good == 0 {
            different.insert(
                (name.to_owned(), "is never used rightly"),
                (USES, String::new()),
            );
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

/// An operand with elements that the embedded executor can run with: zeros, where they are no integers.
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
fn kernels_give_what_shape_functions_say() {
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
                            "{name} of {}: {shape} is said, {sizes} is given",
                            example.text()
                        );
                    }
                }
                (Err(mismatch), Ok(_)) => {
                    // What TensorFlow's function refuses, too, never gets to a kernel of TensorFlow's; those here are less strict.
                    if ends_tensorflow(&example.resolved, &Err(mismatch.clone())) {
                        continue;
                    }
                    let theirs = tensorflow.infer(&example.resolved, &example.operands);
                    let is_refused = matches!(theirs, Some(Err(_)));
                    assert!(
                        is_refused,
                        "{name} of {} runs, but: {mismatch}",
                        example.text()
                    );
                }
                (Err(_), Err(_)) => _ = refused.insert(name),
                // A kernel may refuse values, and types that it does not have.
                (Ok(_), Err(_)) => {}
            }
        }
    }
    let kernels = kernels::names().len();
    assert!(
        given.len() * 10 > kernels * 9,
        "only {} of {kernels} kernels ran",
        given.len()
    );
    assert!(refused.contains("Reshape") && refused.contains("StridedSlice"));
}

/// Every operation of the embedded executor has a shape function.
#[test]
fn every_kernel_has_a_shape_function() {
    let functions: BTreeSet<_> = names().into_iter().collect();
    let missing: Vec<_> = kernels::names()
        .into_iter()
        .filter(|name| !functions.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
