//! The kernels of the embedded executor and code compiled by XLA, compared with TensorFlow's
//! kernels on tables of cases: integers are equal, floats differ by less than 1e-5.

#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/data.rs"]
mod data;
mod support;

use std::{collections::BTreeMap, sync::Arc};

use data::Data;
use support::*;
use tfx_graphdef::{
    Registry, Use,
    element::from_number,
    proto::{
        AttrValue, NodeDef,
        attr_value::{ListValue, Value},
        op_def::{ArgDef, AttrDef},
    },
    resolve,
    resolve::{Computed, Resolved, UNKNOWN},
};
use tfx_interpreter::Element;
use tfx_runtime::DType::{self, Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use tfx_runtime::{ExecutorKind, Failure, Program, Tensor};

/// Relative tolerance, and absolute near zero.
const TOLERANCE: f64 = 1e-5;

/// One call of an operation.
struct Case {
    op: &'static str,
    inputs: Vec<Tensor>,
    resolved: Resolved,
    /// The name, the type and the place of each result of a function whose node `op` is the call.
    results: Vec<(String, DType, String)>,
}

/// The calls of a test.
#[derive(Default)]
struct Cases(Vec<Case>);

impl Cases {
    fn add(&mut self, op: &'static str, inputs: impl Into<Vec<Tensor>>) {
        self.add_with(op, inputs, &[]);
    }

    /// Adds a call with attributes; the types among them, and counts, follow from the inputs.
    fn add_with(
        &mut self,
        op: &'static str,
        inputs: impl Into<Vec<Tensor>>,
        attrs: &[(&str, AttrValue)],
    ) {
        let inputs = inputs.into();
        let attributes: BTreeMap<String, AttrValue> = attrs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let definition = Registry::get().lookup(op).expect("a known operation");
        let count = |argument: &ArgDef| match attributes.get(&argument.number_attr) {
            Some(AttrValue {
                value: Some(Value::I(count)),
            }) => *count as usize,
            _ => 1,
        };
        let count = definition.output_arg.iter().map(count).sum();
        let data_type = |input: &Tensor| from_number(input.dtype().tensorflow());
        let resolved = resolve(&Use {
            operation: op,
            operands: &inputs.iter().map(data_type).collect::<Vec<_>>(),
            results: &vec![UNKNOWN; count],
            attributes: &attributes,
            computed: &Computed::new(),
        })
        .expect("a valid use of an operation");
        let results = resolved.results.iter().enumerate().map(|(index, result)| {
            let (argument, position) = resolved.result_name(index).expect("a result");
            let dtype = DType::from_tensorflow(*result as i32).expect("a type of tensors");
            (
                format!("r{index}"),
                dtype,
                format!("op:{argument}:{position}"),
            )
        });
        let results = results.collect();
        self.0.push(Case {
            op,
            inputs,
            resolved,
            results,
        });
    }
}

fn list<T: Element>(values: &[T]) -> Tensor {
    Tensor::from_slice(&[values.len()], values).expect("a tensor")
}

fn flag(value: bool) -> AttrValue {
    attr(Value::B(value))
}

fn number(value: i64) -> AttrValue {
    attr(Value::I(value))
}

fn function(
    name: &str,
    inputs: Vec<(String, DType)>,
    results: Vec<(String, DType, String)>,
    nodes: Vec<NodeDef>,
) -> Function {
    Function {
        inputs,
        results,
        ..Function::new(name, &[], &[]).nodes(nodes)
    }
}

impl Case {
    /// Runs the case as a function of one node, whose inputs are those of the program.
    fn run(&self, kind: ExecutorKind) -> Result<Vec<Tensor>, Failure> {
        let names = (0..self.inputs.len()).map(|index| format!("x{index}"));
        let inputs: Vec<_> = names.zip(self.inputs.iter().map(Tensor::dtype)).collect();
        let references: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
        let nodes = vec![self.node(&references)];
        let one = function("one", inputs, self.results.clone(), nodes);
        let image = image(vec![], [one]);
        Program::start_on(kind, image, self.inputs.clone())?.finish()
    }

    fn node(&self, inputs: &[&str]) -> NodeDef {
        NodeDef {
            attr: self.resolved.attributes.clone(),
            ..node("op", self.op, inputs, &[])
        }
    }

    /// Compares the executors; `Ok(false)`: both reject the case.
    fn agrees(&self) -> Result<bool, String> {
        self.compare(self.run(ExecutorKind::Embedded))
    }

    /// Compares results with those of TensorFlow's kernel.
    fn compare(&self, ours: Result<Vec<Tensor>, Failure>) -> Result<bool, String> {
        let problem = match (ours, self.run(ExecutorKind::TensorFlow)) {
            (Ok(ours), Ok(theirs)) => {
                let mut pairs = ours.iter().zip(&theirs);
                if ours.len() == theirs.len() && pairs.all(|(one, other)| close(one, other)) {
                    return Ok(true);
                }
                format!("{ours:?}, but TensorFlow has {theirs:?}")
            }
            (Err(_), Err(_)) => return Ok(false),
            (Ok(ours), Err(theirs)) => format!("{ours:?}, but TensorFlow fails: {theirs}"),
            (Err(ours), Ok(_)) => format!("fails: {ours}"),
        };
        Err(format!("{} of {:?}: {problem}", self.op, self.inputs))
    }
}

fn close(left: &Tensor, right: &Tensor) -> bool {
    fn floats<T: Element + Into<f64>>(left: &Tensor, right: &Tensor) -> bool {
        let (left, right) = (
            left.values::<T>().unwrap_or(&[]),
            right.values::<T>().unwrap_or(&[]),
        );
        left.iter().zip(right).all(|(&left, &right)| {
            let (left, right): (f64, f64) = (left.into(), right.into());
            left == right
                || (left.is_nan() && right.is_nan())
                || (left - right).abs() <= TOLERANCE * right.abs().max(1.0)
        })
    }
    if left.dtype() != right.dtype() || left.shape() != right.shape() {
        return false;
    }
    match left.dtype() {
        F32 => floats::<f32>(left, right),
        F64 => floats::<f64>(left, right),
        _ => left == right,
    }
}

/// Checks all cases, and reports each difference. Both executors must reject exactly `rejected` of
/// them.
fn check(cases: Cases, rejected: usize) {
    if let Err(problem) = tensorflow() {
        eprintln!("skipped: {problem}");
        return;
    }
    let cases = Arc::new(cases.0);
    let all = Arc::clone(&cases);
    let mut outcomes: Vec<Result<bool, String>> =
        within_time(move || all.iter().map(Case::agrees).collect());
    // Compiling a case takes as long as running hundreds, so each has its own time limit.
    for (index, outcome) in outcomes.iter_mut().enumerate() {
        let all = Arc::clone(&cases);
        if let Err(problem) = within_time(move || all[index].compiles_to_the_same()) {
            *outcome = Err(problem);
        }
    }
    let problems = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    let problems: Vec<&String> = problems.collect();
    assert!(problems.is_empty(), "{problems:#?}");
    let both_reject = outcomes.iter().filter(|outcome| **outcome == Ok(false));
    let problem = "a valid case is rejected, or an invalid one is accepted";
    assert_eq!(both_reject.count(), rejected, "{problem}");
}

const FLOATS: &[DType] = &[F32, F64];

/// Returns whether an operation computes from one tensor of floats another one of the same type,
/// and has no attribute that must be given.
fn is_unary(op: &str) -> bool {
    let definition = Registry::get().lookup(op).expect("a known operation");
    let is_float = |attribute: &AttrDef| match &attribute.allowed_values {
        Some(AttrValue {
            value: Some(Value::List(list)),
        }) => list.r#type.contains(&F32.tensorflow()),
        _ => true,
    };
    let [input, output] = [&definition.input_arg, &definition.output_arg].map(|arguments| {
        arguments
            .iter()
            .map(|one| (&one.type_attr[..], &one.number_attr[..]))
    });
    let mut attributes = definition.attr.iter();
    input.eq([("T", "")])
        && output.eq([("T", "")])
        && attributes.all(|one| match &one.name[..] {
            "T" => is_float(one),
            _ => one.default_value.is_some(),
        })
}

#[test]
fn unary_operations_agree() {
    let data = Data::new(1);
    let mut cases = Cases::default();
    let names = tfx_interpreter::kernels::names();
    let is_listed = |op: &str| NOT_COMPARED.iter().any(|(excepted, _)| *excepted == op);
    let elementwise = names
        .into_iter()
        .filter(|op| is_unary(op) && !is_listed(op));
    for op in elementwise {
        for &dtype in FLOATS {
            cases.add(op, [data.tensor(dtype, &[3, 4])]);
        }
    }
    // Not Round: the results of TensorFlow's kernel for integers are all zero.
    for op in ["Neg", "Abs", "Sign", "Square", "Relu", "OnesLike"] {
        for dtype in [I32, I64] {
            cases.add(op, [data.tensor(dtype, &[7])]);
        }
    }
    for dtype in [I8, I16, I32, I64, U8, U16, U32, U64] {
        cases.add("Invert", [data.tensor(dtype, &[5])]);
        cases.add("PopulationCount", [data.tensor(dtype, &[5])]);
    }
    let halves = [0.5f32, 1.5, 2.5, -0.5, -1.5];
    let special = list(&[&halves[..], &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]].concat());
    for op in [
        "Round", "Floor", "Sign", "Relu", "Tanh", "Abs", "Sqrt", "Exp",
    ] {
        cases.add(op, [special.clone()]);
    }
    for op in ["IsNan", "IsInf", "IsFinite"] {
        cases.add(op, [special.clone()]);
    }
    cases.add("LogicalNot", [data.tensor(Bool, &[5])]);
    check(cases, 0);
}

/// Operations of two tensors of one type, with their types.
const BINARY: &[(&[&str], &[DType])] = &[
    (
        &[
            "Add",
            "AddV2",
            "Sub",
            "Mul",
            "RealDiv",
            "FloorDiv",
            "FloorMod",
            "Maximum",
            "Minimum",
            "SquaredDifference",
            "DivNoNan",
            "Atan2",
            "MulNoNan",
            "Mod",
            "TruncateMod",
            "Div",
        ],
        FLOATS,
    ),
    (
        &[
            "Add",
            "AddV2",
            "Sub",
            "Mul",
            "Div",
            "TruncateDiv",
            "FloorDiv",
            "FloorMod",
            "Maximum",
            "Minimum",
        ],
        &[I32, I64, U8, I16],
    ),
    (&["TruncateMod"], &[I32, I64]),
    (
        &[
            "Less",
            "LessEqual",
            "Greater",
            "GreaterEqual",
            "Equal",
            "NotEqual",
        ],
        &[F32, I32, U8],
    ),
    (
        &[
            "BitwiseAnd",
            "BitwiseOr",
            "BitwiseXor",
            "LeftShift",
            "RightShift",
        ],
        &[I8, I32, U16, I64],
    ),
    (&["LogicalAnd", "LogicalOr"], &[Bool]),
];

#[test]
fn binary_operations_agree() {
    let data = Data::new(2);
    let mut cases = Cases::default();
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[3, 4], &[3, 4]),
        (&[3, 1], &[4]),
        (&[], &[5]),
        (&[2, 3], &[]),
        (&[2, 1, 3], &[4, 1]),
        (&[0], &[1]),
    ];
    for (left, right) in shapes {
        for (ops, dtypes) in BINARY {
            for op in *ops {
                for &dtype in *dtypes {
                    cases.add(op, data.tensors(dtype, &[left, right]));
                }
            }
        }
        let condition = data.tensor(Bool, right);
        cases.add(
            "SelectV2",
            [condition, data.tensor(F32, left), data.tensor(F32, &[])],
        );
    }
    let base = list(&[0.5f32, 2.0, 3.0, 1.5]);
    cases.add("Pow", [base, data.tensor(F32, &[4])]);
    cases.add("Pow", [list(&[2, -3, 10, 7]), list(&[10, 3, 0, 20])]);
    cases.add("Pow", [list(&[2]), list(&[-1])]);
    cases.add("FloorDiv", [list(&[2]), list(&[0])]);
    cases.add("FloorMod", [list(&[2]), list(&[0])]);
    cases.add("AddV2", [list(&[2, 3]), list(&[1, 2, 3])]);
    cases.add("Mul", [list(&[i32::MAX]), list(&[3])]);
    let rows = data.tensor(Bool, &[3]);
    cases.add(
        "Select",
        [rows, data.tensor(F32, &[3, 2]), data.tensor(F32, &[3, 2])],
    );
    for op in ["ReluGrad", "SigmoidGrad", "TanhGrad"] {
        cases.add(op, data.tensors(F32, &[&[3, 4], &[3, 4]]));
    }
    cases.add("AddN", data.tensors(F32, &[&[2, 2][..]; 3]));
    cases.add(
        "ClipByValue",
        [
            data.tensor(F32, &[9]),
            Tensor::scalar(-1.0f32),
            Tensor::scalar(1.0f32),
        ],
    );
    check(cases, 4);
}

#[test]
fn casts_agree() {
    let data = Data::new(3);
    let mut cases = Cases::default();
    let types = [F32, F64, I8, I32, I64, U8, U16, Bool];
    for from in types {
        for to in types {
            // A negative float as an unsigned integer is undefined in C++.
            let input = match from {
                F32 => list(&[0.0f32, 1.9, 2.5, 100.0]),
                F64 => list(&[0.0f64, 1.9, 2.5, 100.0]),
                _ => data.tensor(from, &[6]),
            };
            cases.add_with("Cast", [input], &[("DstT", type_attr(to))]);
        }
    }
    for (from, to, shape) in [
        (F32, I32, &[3][..]),
        (I32, U8, &[2]),
        (U8, I32, &[2, 4]),
        (U8, I32, &[2, 3]),
    ] {
        let input = data.tensor(from, shape);
        cases.add_with("Bitcast", [input], &[("type", type_attr(to))]);
    }
    check(cases, 1);
}

#[test]
fn products_agree() {
    let data = Data::new(4);
    let mut cases = Cases::default();
    for dtype in [F32, F64, I32] {
        for (transpose_a, transpose_b) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let a = if transpose_a { [5, 3] } else { [3, 5] };
            let b = if transpose_b { [4, 5] } else { [5, 4] };
            let attrs = [
                ("transpose_a", flag(transpose_a)),
                ("transpose_b", flag(transpose_b)),
            ];
            cases.add_with("MatMul", data.tensors(dtype, &[&a, &b]), &attrs);
            let attrs = [("adj_x", flag(transpose_a)), ("adj_y", flag(transpose_b))];
            let batch = |matrix: [usize; 2], outer: &[usize]| [outer, &matrix].concat();
            cases.add_with(
                "BatchMatMulV2",
                data.tensors(dtype, &[&batch(a, &[2, 1]), &batch(b, &[3])]),
                &attrs,
            );
        }
    }
    for (a, b) in [([2, 0], [0, 3]), ([0, 2], [2, 3]), ([2, 3], [2, 3])] {
        cases.add("MatMul", data.tensors(F32, &[&a, &b]));
    }
    check(cases, 1);
}

#[test]
fn reductions_agree() {
    let data = Data::new(5);
    let mut cases = Cases::default();
    for op in ["Sum", "Mean", "Prod", "Max", "Min"] {
        for dtype in [F32, F64, I32, I64] {
            for (axes, keep) in [
                (&[0][..], false),
                (&[1], true),
                (&[0, 2], false),
                (&[-1], false),
                (&[0, 1, 2], false),
                (&[], false),
            ] {
                let attrs = [("keep_dims", flag(keep))];
                cases.add_with(op, [data.tensor(dtype, &[2, 3, 4]), list(axes)], &attrs);
            }
        }
        cases.add(op, [data.tensor(F32, &[0, 3]), list(&[0])]);
        cases.add(op, [data.tensor(F32, &[50, 40]), list(&[1])]);
        cases.add(op, [data.tensor(F32, &[2]), list(&[1])]);
    }
    for op in [
        "SegmentSum",
        "SegmentMean",
        "SegmentProd",
        "SegmentMax",
        "SegmentMin",
    ] {
        for dtype in [F32, F64] {
            cases.add(op, [data.tensor(dtype, &[5, 3]), list(&[0, 0, 1, 3, 3])]);
        }
    }
    for op in [
        "UnsortedSegmentSum",
        "UnsortedSegmentProd",
        "UnsortedSegmentMax",
        "UnsortedSegmentMin",
    ] {
        for dtype in [F32, F64, I32] {
            let numbers = list(&[1, 0, -1, 1, 0]);
            let rows = data.tensor(dtype, &[5, 3]);
            cases.add(op, [rows, numbers, Tensor::scalar(2)]);
        }
    }
    for op in ["All", "Any"] {
        for axes in [&[0][..], &[1], &[0, 1]] {
            cases.add(op, [data.tensor(Bool, &[3, 4]), list(axes)]);
        }
    }
    for op in ["ArgMax", "ArgMin"] {
        for axis in [0, 1, -1] {
            for output in [I32, I64] {
                let attrs = [("output_type", type_attr(output))];
                cases.add_with(
                    op,
                    [data.tensor(F32, &[3, 4, 2]), Tensor::scalar(axis)],
                    &attrs,
                );
            }
        }
    }
    check(cases, 5);
}

#[test]
fn shapes_and_parts_agree() {
    let data = Data::new(6);
    let f32s = |shape: &[usize]| data.tensor(F32, shape);
    let mut cases = Cases::default();
    for shape in [&[6, 4][..], &[-1], &[2, -1, 2], &[5, -1], &[24, 1, 1]] {
        cases.add("Reshape", [f32s(&[2, 3, 4]), list(shape)]);
    }
    for axis in [0, 1, -1, 3] {
        cases.add("ExpandDims", [f32s(&[2, 3]), Tensor::scalar(axis)]);
        let parts = vec![f32s(&[2, 3]), f32s(&[2, 3])];
        cases.add_with("Pack", parts.clone(), &[("axis", number(axis.into()))]);
        let joined = [parts, vec![Tensor::scalar(axis)]].concat();
        cases.add("ConcatV2", joined);
    }
    for dims in [&[][..], &[1], &[-1], &[0]] {
        let i = dims.to_vec();
        let dims = attr(Value::list(ListValue {
            i,
            ..ListValue::default()
        }));
        cases.add_with("Squeeze", [f32s(&[2, 1, 3, 1])], &[("squeeze_dims", dims)]);
    }
    for permutation in [&[0, 1, 2][..], &[2, 0, 1], &[1, 0, 2], &[0, 0, 1]] {
        cases.add("Transpose", [f32s(&[2, 3, 4]), list(permutation)]);
    }
    for out in [I32, I64] {
        for op in ["Shape", "Size"] {
            cases.add_with(op, [f32s(&[2, 3])], &[("out_type", type_attr(out))]);
        }
    }
    cases.add("Rank", [f32s(&[2, 3])]);
    cases.add("Fill", [list(&[2, 3]), Tensor::scalar(2.5f32)]);
    cases.add("BroadcastTo", [f32s(&[3, 1]), list(&[2, 3, 4])]);
    cases.add("Tile", [f32s(&[2, 3]), list(&[2, 3])]);
    cases.add("ReverseV2", [f32s(&[2, 3]), list(&[1])]);
    let paddings = list(&[1, 0, 2, 1]).reshaped(&[2, 2]).expect("a matrix");
    cases.add("Pad", [f32s(&[2, 3]), paddings.clone()]);
    cases.add("PadV2", [f32s(&[2, 3]), paddings, Tensor::scalar(9.0f32)]);
    for (start, limit, delta) in [(0, 10, 3), (5, 0, -2), (0, 0, 1), (0, 5, 0), (3, 1, 1)] {
        cases.add("Range", [start, limit, delta].map(Tensor::scalar));
    }
    cases.add("Range", [0.0f32, 1.0, 0.3].map(Tensor::scalar));
    let [zero, one] = [0.0f32, 1.0].map(Tensor::scalar);
    cases.add("LinSpace", [zero.clone(), one.clone(), Tensor::scalar(5)]);
    for axis in [-1, 0, 1] {
        let (places, depth) = (list(&[0, 2, -1, 7]), Tensor::scalar(3));
        let inputs = [places, depth, one.clone(), zero.clone()];
        cases.add_with("OneHot", inputs, &[("axis", number(axis))]);
    }
    for axis in [0, 1] {
        let count = if axis == 0 { 2 } else { 3 };
        cases.add_with(
            "Unpack",
            [f32s(&[2, 3])],
            &[("num", number(count as i64)), ("axis", number(axis))],
        );
        cases.add_with(
            "Split",
            [Tensor::scalar(axis as i32), f32s(&[4, 6])],
            &[("num_split", number(2))],
        );
        let gathered = vec![
            f32s(&[4, 3]),
            list(&[2, 0, 1, 2]).reshaped(&[2, 2]).expect("a matrix"),
            Tensor::scalar(axis as i32),
        ];
        cases.add("GatherV2", gathered);
    }
    for (begin, size) in [([0, 1], [2, 2]), ([1, 0], [-1, 3]), ([0, 0], [3, 9])] {
        cases.add("Slice", [f32s(&[3, 4]), list(&begin), list(&size)]);
    }
    /// Begin, end, steps, and the masks in the order of `names` below.
    type Slicing<'a> = (&'a [i32], &'a [i32], &'a [i32], [i64; 5]);
    let slices: &[Slicing<'_>] = &[
        (&[0, 1, 0], &[2, 3, 4], &[1, 1, 2], [0; 5]),
        (&[-1, -1, -1], &[0, -4, -9], &[-1, -1, -2], [0; 5]),
        (&[0, 0, 0], &[0, 0, 0], &[1, 1, -1], [7, 7, 0, 0, 0]),
        (&[1, 2], &[2, 3], &[1, 1], [0, 0, 0, 0, 3]),
        (&[0, -1], &[0, 0], &[1, 1], [0, 0, 1, 0, 2]),
        (&[0, 0, 1], &[0, 0, 2], &[1, 1, 1], [2, 2, 0, 1, 0]),
        (&[5], &[9], &[1], [0; 5]),
        (&[5], &[6], &[1], [0, 0, 0, 0, 1]),
    ];
    for (begin, end, steps, masks) in slices {
        let names = [
            "begin_mask",
            "end_mask",
            "ellipsis_mask",
            "new_axis_mask",
            "shrink_axis_mask",
        ];
        let attrs: Vec<_> = names.into_iter().zip(masks.map(number)).collect();
        cases.add_with(
            "StridedSlice",
            [f32s(&[2, 3, 4]), list(begin), list(end), list(steps)],
            &attrs,
        );
    }
    for (left, right) in [
        (&[2, 3][..], &[3][..]),
        (&[2, 1], &[2, 3]),
        (&[], &[4]),
        (&[2, 3], &[2, 3]),
        (&[1, 1], &[1]),
    ] {
        cases.add("BroadcastGradientArgs", [list(left), list(right)]);
    }
    cases.add("Where", [data.tensor(Bool, &[3, 4])]);
    check(cases, 10);
}

#[test]
fn losses_agree() {
    let data = Data::new(7);
    let mut cases = Cases::default();
    cases.add("BiasAdd", data.tensors(F32, &[&[3, 4], &[4]]));
    cases.add("BiasAddGrad", [data.tensor(F32, &[3, 2, 4])]);
    let first = attr(Value::S(b"NCHW".to_vec()));
    cases.add_with(
        "BiasAdd",
        data.tensors(F32, &[&[2, 3, 2, 2], &[3]]),
        &[("data_format", first.clone())],
    );
    cases.add_with(
        "BiasAddGrad",
        [data.tensor(F32, &[2, 3, 2, 2])],
        &[("data_format", first)],
    );
    for labels in [[0, 3, 1], [0, 4, 1]] {
        cases.add(
            "SparseSoftmaxCrossEntropyWithLogits",
            [data.tensor(F32, &[3, 4]), list(&labels)],
        );
    }
    cases.add(
        "SoftmaxCrossEntropyWithLogits",
        data.tensors(F32, &[&[3, 4], &[3, 4]]),
    );
    check(cases, 1);
}

#[test]
fn gradients_agree() {
    let data = Data::new(8);
    let mut cases = Cases::default();
    for dtype in [F32, F64] {
        for op in [
            "EluGrad",
            "InvGrad",
            "LeakyReluGrad",
            "ReciprocalGrad",
            "Relu6Grad",
            "RsqrtGrad",
            "SeluGrad",
            "SoftplusGrad",
            "SoftsignGrad",
            "Xdivy",
        ] {
            cases.add(op, data.tensors(dtype, &[&[3, 4], &[3, 4]]));
        }
        for op in ["Cumprod", "Cumsum"] {
            for (exclusive, reverse) in [(false, false), (true, false), (false, true)] {
                let attrs = [("exclusive", flag(exclusive)), ("reverse", flag(reverse))];
                let inputs = [data.tensor(dtype, &[3, 4]), Tensor::scalar(1)];
                cases.add_with(op, inputs, &attrs);
            }
        }
        for (equation, left, right) in [
            ("ij,jk->ik", &[3, 4][..], &[4, 2][..]),
            ("...ij,...kj->...ik", &[2, 3, 4], &[2, 5, 4]),
            ("i,j->ij", &[3], &[2]),
        ] {
            let attrs = [("equation", attr(Value::S(equation.as_bytes().to_vec())))];
            let inputs = data.tensors(dtype, &[left, right]);
            cases.add_with("Einsum", inputs, &attrs);
        }
        let attrs = [("Tout", type_attr(dtype))];
        let inputs = data.tensors(dtype, &[&[2, 3, 4], &[4, 2]]);
        cases.add_with("BatchMatMulV3", inputs, &attrs);
    }
    let logarithms = [data.tensor(F32, &[3]), list(&[0.5f32, 1.0, 2.5])];
    for op in ["Xlogy", "Xlog1py"] {
        cases.add(op, logarithms.clone());
    }
    check(cases, 0);
}

#[test]
fn scattered_and_mirrored_parts_agree() {
    let data = Data::new(9);
    let f32s = |shape: &[usize]| data.tensor(F32, shape);
    let matrix = |values: &[i32], shape: &[usize]| list(values).reshaped(shape).expect("a matrix");
    let mut cases = Cases::default();
    let shapes = [Tensor::scalar(1), list(&[2, 3]), list(&[2, 5])];
    cases.add_with("ConcatOffset", shapes, &[("N", number(2))]);
    let sizes = [f32s(&[6, 2]), list(&[1, -1, 3]), Tensor::scalar(0)];
    cases.add_with("SplitV", sizes, &[("num_split", number(3))]);
    let slice = [list(&[4, 5]), list(&[1, 4]), list(&[3, 0]), list(&[1, -2])];
    cases.add("StridedSliceGrad", [&slice[..], &[f32s(&[2, 2])]].concat());
    let places = matrix(&[2, 0, 1, 3], &[2, 2]);
    cases.add("GatherNd", [f32s(&[3, 4, 2]), places.clone()]);
    cases.add(
        "ScatterNd",
        [places.clone(), f32s(&[2, 2]), list(&[3, 4, 2])],
    );
    for op in [
        "TensorScatterAdd",
        "TensorScatterSub",
        "TensorScatterUpdate",
    ] {
        cases.add(op, [f32s(&[3, 4, 2]), places.clone(), f32s(&[2, 2])]);
        let outside = matrix(&[3, 0], &[1, 2]);
        cases.add(op, [f32s(&[3, 4, 2]), outside, f32s(&[1, 2])]);
    }
    let batch = [
        f32s(&[2, 3, 2]),
        matrix(&[2, 0, 1, 1], &[2, 2]),
        Tensor::scalar(1),
    ];
    cases.add_with("GatherV2", batch, &[("batch_dims", number(1))]);
    let numbers = [f32s(&[4, 2]), list(&[1, 0, 1, 1])];
    cases.add_with(
        "DynamicPartition",
        numbers,
        &[("num_partitions", number(2))],
    );
    let rows = [f32s(&[2, 3]), f32s(&[3, 3])];
    let numbers = [list(&[3, 0]), list(&[1, 2, 0])];
    let stitched = [numbers, rows].concat();
    cases.add_with("DynamicStitch", stitched, &[("N", number(2))]);
    let rows = [f32s(&[2, 3]), f32s(&[3, 3])];
    let numbers = [list(&[3, 0]), list(&[1, 2, 4])];
    let stitched = [numbers, rows].concat();
    cases.add_with("ParallelDynamicStitch", stitched, &[("N", number(2))]);
    let gradient = [f32s(&[1, 3, 3, 2]), data.tensor(F64, &[1, 2, 4, 2])];
    cases.add("ResizeBilinearGrad", gradient);
    let negative = vec![list(&[-1]), f32s(&[1, 3])];
    cases.add_with("DynamicStitch", negative, &[("N", number(1))]);
    cases.add("TopKV2", [f32s(&[3, 5]), Tensor::scalar(2)]);
    cases.add("InvertPermutation", [list(&[2, 0, 1])]);
    cases.add("InvertPermutation", [list(&[2, 0, 2])]);
    for mode in ["REFLECT", "SYMMETRIC"] {
        let attrs = [("mode", attr(Value::S(mode.as_bytes().to_vec())))];
        let widths = matrix(&[1, 0, 2, 1], &[2, 2]);
        cases.add_with("MirrorPad", [f32s(&[3, 4]), widths.clone()], &attrs);
        cases.add_with("MirrorPadGrad", [f32s(&[4, 7]), widths], &attrs);
    }
    let lengths = [f32s(&[2, 4]), list(&[3, 0])];
    cases.add_with("ReverseSequence", lengths, &[("seq_dim", number(1))]);
    let block = [("block_size", number(2))];
    cases.add_with("SpaceToDepth", [f32s(&[1, 4, 2, 3])], &block);
    cases.add_with("DepthToSpace", [f32s(&[1, 2, 1, 8])], &block);
    let [one, none] = [1, -1].map(Tensor::scalar);
    cases.add("MatrixBandPart", [f32s(&[3, 4]), one.clone(), none.clone()]);
    let (range, zero) = (list(&[-1, 1]), Tensor::scalar(0.0f32));
    let diagonals = [
        f32s(&[2, 3, 3]),
        range.clone(),
        none.clone(),
        none,
        zero.clone(),
    ];
    cases.add("MatrixDiagV3", diagonals);
    cases.add("MatrixDiagPartV3", [f32s(&[3, 4]), range, zero]);
    cases.add("MatrixSetDiagV3", [f32s(&[3, 4]), f32s(&[3]), one]);
    check(cases, 5);
}

#[test]
fn random_numbers_agree() {
    let mut cases = Cases::default();
    for op in ["RandomUniform", "RandomStandardNormal"] {
        for &dtype in FLOATS {
            for (seed, seed2) in [(1, 2), (0, 7), (-5, 1 << 40)] {
                let attrs = [
                    ("seed", number(seed)),
                    ("seed2", number(seed2)),
                    ("dtype", type_attr(dtype)),
                ];
                cases.add_with(op, [list(&[3, 7])], &attrs);
            }
        }
    }
    for op in ["StatelessRandomUniform", "StatelessRandomNormal"] {
        for &dtype in FLOATS {
            let attrs = [("dtype", type_attr(dtype))];
            cases.add_with(op, [list(&[3, 7]), list(&[5, -9])], &attrs);
        }
    }
    check(cases, 0);
}

/// The reason of kernels whose inputs must be special matrices or statistics, or whose inputs and
/// attributes depend on each other.
const EAGER: &str = "compared with eager execution in interpreter/tests/eager";

/// Operations without a case in the tables above, with the reason.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("Assert", EAGER),
    ("AvgPool", EAGER),
    ("AvgPool3D", EAGER),
    ("AvgPoolGrad", EAGER),
    ("BatchMatMul", "the same kernel as BatchMatMulV2"),
    ("BatchToSpaceND", EAGER),
    ("CheckNumerics", EAGER),
    ("Cholesky", EAGER),
    ("Concat", "the same kernel as ConcatV2"),
    ("Conv2D", EAGER),
    ("Conv2DBackpropFilter", EAGER),
    ("Conv2DBackpropInput", EAGER),
    ("Conv3D", EAGER),
    ("Conv3DBackpropFilterV2", EAGER),
    ("Conv3DBackpropInputV2", EAGER),
    ("DepthwiseConv2dNative", EAGER),
    ("DepthwiseConv2dNativeBackpropFilter", EAGER),
    ("DepthwiseConv2dNativeBackpropInput", EAGER),
    ("EnsureShape", "no arithmetic"),
    ("EuclideanNorm", EAGER),
    ("FusedBatchNormGradV3", EAGER),
    ("FusedBatchNormV3", EAGER),
    ("Gather", "the same kernel as GatherV2"),
    ("IdentityN", "no arithmetic"),
    ("MatrixDeterminant", EAGER),
    ("MatrixInverse", EAGER),
    ("MatrixTriangularSolve", EAGER),
    ("MaxPool", EAGER),
    ("MaxPool3D", EAGER),
    ("MaxPoolGrad", EAGER),
    ("MaxPoolGradGrad", EAGER),
    ("Polygamma", EAGER),
    ("PreventGradient", "the same kernel as Identity"),
    ("ResizeBilinear", EAGER),
    ("ResizeNearestNeighbor", EAGER),
    ("ResizeNearestNeighborGrad", EAGER),
    ("Reverse", EAGER),
    ("ShapeN", EAGER),
    ("SpaceToBatchND", EAGER),
    ("SqrtGrad", "an operand is the result of Sqrt"),
    ("StatelessRandomGetKeyCounter", EAGER),
    ("StatelessRandomNormalV2", EAGER),
    ("StatelessRandomUniformV2", EAGER),
];

#[test]
fn every_kernel_is_in_a_table() {
    let source = [include_str!("kernels.rs"), include_str!("lists.rs")].concat();
    for name in tfx_interpreter::kernels::names() {
        assert!(
            Registry::get().lookup(name).is_some(),
            "TensorFlow has no operation {name}"
        );
        let listed = NOT_COMPARED.iter().any(|(excepted, _)| *excepted == name);
        assert!(
            listed || is_unary(name) || source.contains(&format!("\"{name}\"")),
            "{name} is not compared"
        );
    }
}
