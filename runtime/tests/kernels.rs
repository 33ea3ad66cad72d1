//! The kernels of the embedded executor and code compiled by XLA, compared with TensorFlow's
//! kernels on tables of cases: integers are equal, floats differ by less than 1e-5.

#[path = "support/compiled.rs"]
mod compiled;
mod support;

use std::sync::Arc;

use support::*;
use tfx_graphdef::{
    Registry,
    proto::{
        AttrValue,
        attr_value::{ListValue, Value},
    },
};
use tfx_interpreter::{Bool, Element};
use tfx_runtime::{DType, ExecutorKind, Failure, Program, Tensor};

/// Relative tolerance, and absolute near zero.
const TOLERANCE: f64 = 1e-5;

/// A generator of test data (xorshift64*), the same in every run.
struct Data(u64);

impl Data {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// In [-3, 3].
    fn float(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 6.0 - 3.0
    }

    fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Tensor {
        macro_rules! fill {
            ($rust:ty, $value:expr) => {
                Tensor::build(shape, |values: &mut [$rust]| {
                    values.iter_mut().for_each(|value| *value = $value)
                })
            };
        }
        match dtype {
            DType::F32 => fill!(f32, self.float() as f32),
            DType::F64 => fill!(f64, self.float()),
            DType::I8 => fill!(i8, self.next() as i8),
            DType::I16 => fill!(i16, self.next() as i16),
            DType::I32 => fill!(i32, self.next() as i32 % 1000),
            DType::I64 => fill!(i64, self.next() as i64 % 100_000),
            DType::U8 => fill!(u8, self.next() as u8),
            DType::U16 => fill!(u16, self.next() as u16),
            DType::U32 => fill!(u32, self.next() as u32),
            DType::U64 => fill!(u64, self.next()),
            _ => fill!(Bool, Bool::from(self.next() >> 63 == 1)),
        }
        .expect("a tensor")
    }
}

/// One call of an operation.
struct Case {
    op: &'static str,
    inputs: Vec<Tensor>,
    attrs: Vec<(&'static str, AttrValue)>,
    results: Vec<DType>,
}

fn case(
    op: &'static str,
    inputs: Vec<Tensor>,
    attrs: Vec<(&'static str, AttrValue)>,
    results: &[DType],
) -> Case {
    Case {
        op,
        inputs,
        attrs,
        results: results.to_vec(),
    }
}

/// A case with attribute `T` and one result, both of the type of the first input.
fn simple(op: &'static str, inputs: Vec<Tensor>) -> Case {
    let dtype = inputs[0].dtype();
    case(op, inputs, vec![("T", type_attr(dtype))], &[dtype])
}

fn ints(values: &[i32]) -> Tensor {
    Tensor::from_slice(&[values.len()], values).expect("a tensor")
}

fn flag(value: bool) -> AttrValue {
    attr(Value::B(value))
}

fn number(value: i64) -> AttrValue {
    attr(Value::I(value))
}

impl Case {
    /// Returns the results of a function whose node `op` is the operation.
    fn outputs(&self) -> Vec<(String, DType, String)> {
        let definition = Registry::get().lookup(self.op).expect("a known operation");
        let mut outputs = Vec::new();
        for (index, &dtype) in self.results.iter().enumerate() {
            let listed = definition.output_arg.len() == 1 && self.results.len() > 1;
            let (argument, position) = if listed { (0, index) } else { (index, 0) };
            outputs.push((
                format!("r{index}"),
                dtype,
                format!("op:{}:{position}", definition.output_arg[argument].name),
            ));
        }
        outputs
    }

    /// Runs the case as a function of one node, whose inputs are those of the program.
    fn run(&self, kind: ExecutorKind) -> Result<Vec<Tensor>, Failure> {
        let names: Vec<String> = (0..self.inputs.len())
            .map(|index| format!("x{index}"))
            .collect();
        let inputs: Vec<(&str, DType)> = names
            .iter()
            .map(String::as_str)
            .zip(self.inputs.iter().map(Tensor::dtype))
            .collect();
        let outputs = self.outputs();
        let outputs: Vec<(&str, DType, &str)> = outputs
            .iter()
            .map(|(name, dtype, output)| (name.as_str(), *dtype, output.as_str()))
            .collect();
        let attrs: Vec<(&str, AttrValue)> = self.attrs.clone();
        let refs: Vec<&str> = names.iter().map(String::as_str).collect();
        let function =
            Function::new("one", &inputs, &outputs).nodes([node("op", self.op, &refs, &attrs)]);
        let program = Program::start_on(
            kind,
            image("one", vec![function], vec![]),
            self.inputs.clone(),
        )?;
        program.finish()
    }

    /// Compares the executors; `Ok(false)`: both reject the case.
    fn agrees(&self) -> Result<bool, String> {
        let describe = || format!("{} of {:?}", self.op, self.inputs);
        match (
            self.run(ExecutorKind::Embedded),
            self.run(ExecutorKind::TensorFlow),
        ) {
            (Ok(embedded), Ok(tensorflow)) => {
                let pairs = || embedded.iter().zip(&tensorflow);
                if embedded.len() == tensorflow.len()
                    && pairs().all(|(embedded, tensorflow)| close(embedded, tensorflow))
                {
                    return Ok(true);
                }
                Err(format!(
                    "{}: {embedded:?}, but TensorFlow has {tensorflow:?}",
                    describe()
                ))
            }
            (Err(_), Err(_)) => Ok(false),
            (Ok(embedded), Err(tensorflow)) => Err(format!(
                "{}: {embedded:?}, but TensorFlow fails: {tensorflow}",
                describe()
            )),
            (Err(embedded), Ok(_)) => Err(format!("{}: fails: {embedded}", describe())),
        }
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
        DType::F32 => floats::<f32>(left, right),
        DType::F64 => floats::<f64>(left, right),
        _ => left == right,
    }
}

/// Checks all cases, and reports each difference. Both executors must reject exactly `rejected` of
/// them.
fn check(cases: Vec<Case>, rejected: usize) {
    if let Err(problem) = tensorflow() {
        eprintln!("skipped: {problem}");
        return;
    }
    let cases = Arc::new(cases);
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
    let problems: Vec<&String> = outcomes
        .iter()
        .filter_map(|outcome| outcome.as_ref().err())
        .collect();
    assert!(
        problems.is_empty(),
        "{} differ: {problems:#?}",
        problems.len()
    );
    let both_reject = outcomes
        .iter()
        .filter(|outcome| **outcome == Ok(false))
        .count();
    assert_eq!(
        both_reject, rejected,
        "a valid case is rejected, or an invalid one is accepted"
    );
}

const FLOATS: &[DType] = &[DType::F32, DType::F64];

#[test]
fn unary_operations_agree() {
    let mut data = Data(1);
    let mut cases = Vec::new();
    let of_floats = [
        "Neg",
        "Abs",
        "Sign",
        "Square",
        "Exp",
        "Expm1",
        "Log",
        "Log1p",
        "Sqrt",
        "Rsqrt",
        "Reciprocal",
        "Inv",
        "Sin",
        "Cos",
        "Tan",
        "Asin",
        "Acos",
        "Atan",
        "Sinh",
        "Cosh",
        "Tanh",
        "Asinh",
        "Acosh",
        "Atanh",
        "Erf",
        "Erfc",
        "Floor",
        "Ceil",
        "Round",
        "Rint",
        "Relu",
        "Relu6",
        "Elu",
        "Softplus",
        "Softsign",
        "Sigmoid",
        "LeakyRelu",
        "Softmax",
        "LogSoftmax",
        "ZerosLike",
        "OnesLike",
        "L2Loss",
        "Identity",
        "StopGradient",
        "Snapshot",
    ];
    for op in of_floats {
        for &dtype in FLOATS {
            let input = data.tensor(dtype, &[3, 4]);
            cases.push(simple(op, vec![input]));
        }
    }
    // Not Round: the results of TensorFlow's kernel for integers are all zero.
    for op in ["Neg", "Abs", "Sign", "Square", "Relu", "OnesLike"] {
        for dtype in [DType::I32, DType::I64] {
            cases.push(simple(op, vec![data.tensor(dtype, &[7])]));
        }
    }
    for dtype in [
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
    ] {
        cases.push(simple("Invert", vec![data.tensor(dtype, &[5])]));
        cases.push(case(
            "PopulationCount",
            vec![data.tensor(dtype, &[5])],
            vec![("T", type_attr(dtype))],
            &[DType::U8],
        ));
    }
    let special = Tensor::from_slice(
        &[8],
        &[
            0.5f32,
            1.5,
            2.5,
            -0.5,
            -1.5,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ],
    )
    .expect("a tensor");
    for op in [
        "Round", "Floor", "Sign", "Relu", "Tanh", "Abs", "Sqrt", "Exp",
    ] {
        cases.push(simple(op, vec![special.clone()]));
    }
    for op in ["IsNan", "IsInf", "IsFinite"] {
        cases.push(case(
            op,
            vec![special.clone()],
            vec![("T", type_attr(DType::F32))],
            &[DType::Bool],
        ));
    }
    cases.push(case(
        "LogicalNot",
        vec![data.tensor(DType::Bool, &[5])],
        vec![],
        &[DType::Bool],
    ));
    check(cases, 0);
}

#[test]
fn binary_operations_agree() {
    let mut data = Data(2);
    let mut cases = Vec::new();
    let shapes: [(&[usize], &[usize]); 6] = [
        (&[3, 4], &[3, 4]),
        (&[3, 1], &[4]),
        (&[], &[5]),
        (&[2, 3], &[]),
        (&[2, 1, 3], &[4, 1]),
        (&[0], &[1]),
    ];
    for (left, right) in shapes {
        for op in [
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
        ] {
            for &dtype in FLOATS {
                cases.push(simple(
                    op,
                    vec![data.tensor(dtype, left), data.tensor(dtype, right)],
                ));
            }
        }
        for op in [
            "Add",
            "AddV2",
            "Sub",
            "Mul",
            "Div",
            "TruncateDiv",
            "FloorDiv",
            "FloorMod",
            "TruncateMod",
            "Maximum",
            "Minimum",
        ] {
            for dtype in [DType::I32, DType::I64, DType::U8, DType::I16] {
                // Not an operation on narrow integers.
                if op == "TruncateMod" && dtype.size() < 4 {
                    continue;
                }
                cases.push(simple(
                    op,
                    vec![data.tensor(dtype, left), data.tensor(dtype, right)],
                ));
            }
        }
        for op in [
            "Less",
            "LessEqual",
            "Greater",
            "GreaterEqual",
            "Equal",
            "NotEqual",
        ] {
            for dtype in [DType::F32, DType::I32, DType::U8] {
                cases.push(case(
                    op,
                    vec![data.tensor(dtype, left), data.tensor(dtype, right)],
                    vec![("T", type_attr(dtype))],
                    &[DType::Bool],
                ));
            }
        }
        for op in [
            "BitwiseAnd",
            "BitwiseOr",
            "BitwiseXor",
            "LeftShift",
            "RightShift",
        ] {
            for dtype in [DType::I8, DType::I32, DType::U16, DType::I64] {
                cases.push(simple(
                    op,
                    vec![data.tensor(dtype, left), data.tensor(dtype, right)],
                ));
            }
        }
        for op in ["LogicalAnd", "LogicalOr"] {
            cases.push(case(
                op,
                vec![
                    data.tensor(DType::Bool, left),
                    data.tensor(DType::Bool, right),
                ],
                vec![],
                &[DType::Bool],
            ));
        }
        let condition = data.tensor(DType::Bool, right);
        cases.push(case(
            "SelectV2",
            vec![
                condition,
                data.tensor(DType::F32, left),
                data.tensor(DType::F32, &[]),
            ],
            vec![("T", type_attr(DType::F32))],
            &[DType::F32],
        ));
    }
    let base = Tensor::from_slice(&[4], &[0.5f32, 2.0, 3.0, 1.5]).expect("a tensor");
    cases.push(simple("Pow", vec![base, data.tensor(DType::F32, &[4])]));
    cases.push(simple(
        "Pow",
        vec![ints(&[2, -3, 10, 7]), ints(&[10, 3, 0, 20])],
    ));
    cases.push(simple("Pow", vec![ints(&[2]), ints(&[-1])]));
    cases.push(simple("FloorDiv", vec![ints(&[2]), ints(&[0])]));
    cases.push(simple("FloorMod", vec![ints(&[2]), ints(&[0])]));
    cases.push(simple("AddV2", vec![ints(&[2, 3]), ints(&[1, 2, 3])]));
    cases.push(simple("Mul", vec![ints(&[i32::MAX]), ints(&[3])]));
    let rows = data.tensor(DType::Bool, &[3]);
    cases.push(case(
        "Select",
        vec![
            rows,
            data.tensor(DType::F32, &[3, 2]),
            data.tensor(DType::F32, &[3, 2]),
        ],
        vec![("T", type_attr(DType::F32))],
        &[DType::F32],
    ));
    for op in ["ReluGrad", "SigmoidGrad", "TanhGrad"] {
        cases.push(simple(
            op,
            vec![
                data.tensor(DType::F32, &[3, 4]),
                data.tensor(DType::F32, &[3, 4]),
            ],
        ));
    }
    let terms = (0..3).map(|_| data.tensor(DType::F32, &[2, 2])).collect();
    cases.push(case(
        "AddN",
        terms,
        vec![("T", type_attr(DType::F32)), ("N", number(3))],
        &[DType::F32],
    ));
    cases.push(simple(
        "ClipByValue",
        vec![
            data.tensor(DType::F32, &[9]),
            Tensor::scalar(-1.0f32),
            Tensor::scalar(1.0f32),
        ],
    ));
    check(cases, 4);
}

#[test]
fn casts_agree() {
    let mut data = Data(3);
    let mut cases = Vec::new();
    let types = [
        DType::F32,
        DType::F64,
        DType::I8,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::Bool,
    ];
    for from in types {
        for to in types {
            // A negative float as an unsigned integer is undefined in C++.
            let input = if FLOATS.contains(&from) {
                let values =
                    Tensor::from_slice(&[4], &[0.0f32, 1.9, 2.5, 100.0]).expect("a tensor");
                if from == DType::F32 {
                    values
                } else {
                    Tensor::from_slice(&[4], &[0.0f64, 1.9, 2.5, 100.0]).expect("a tensor")
                }
            } else {
                data.tensor(from, &[6])
            };
            cases.push(case(
                "Cast",
                vec![input],
                vec![("SrcT", type_attr(from)), ("DstT", type_attr(to))],
                &[to],
            ));
        }
    }
    for (from, to, shape) in [
        (DType::F32, DType::I32, &[3][..]),
        (DType::I32, DType::U8, &[2]),
        (DType::U8, DType::I32, &[2, 4]),
        (DType::U8, DType::I32, &[2, 3]),
    ] {
        cases.push(case(
            "Bitcast",
            vec![data.tensor(from, shape)],
            vec![("T", type_attr(from)), ("type", type_attr(to))],
            &[to],
        ));
    }
    check(cases, 1);
}

#[test]
fn products_agree() {
    let mut data = Data(4);
    let mut cases = Vec::new();
    for dtype in [DType::F32, DType::F64, DType::I32] {
        for (transpose_a, transpose_b) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let a = if transpose_a { [5, 3] } else { [3, 5] };
            let b = if transpose_b { [4, 5] } else { [5, 4] };
            let attrs = vec![
                ("T", type_attr(dtype)),
                ("transpose_a", flag(transpose_a)),
                ("transpose_b", flag(transpose_b)),
            ];
            cases.push(case(
                "MatMul",
                vec![data.tensor(dtype, &a), data.tensor(dtype, &b)],
                attrs,
                &[dtype],
            ));
            let attrs = vec![
                ("T", type_attr(dtype)),
                ("adj_x", flag(transpose_a)),
                ("adj_y", flag(transpose_b)),
            ];
            let batch = |matrix: [usize; 2], outer: &[usize]| [outer, &matrix].concat();
            cases.push(case(
                "BatchMatMulV2",
                vec![
                    data.tensor(dtype, &batch(a, &[2, 1])),
                    data.tensor(dtype, &batch(b, &[3])),
                ],
                attrs,
                &[dtype],
            ));
        }
    }
    for (a, b) in [([2, 0], [0, 3]), ([0, 2], [2, 3]), ([2, 3], [2, 3])] {
        cases.push(simple(
            "MatMul",
            vec![data.tensor(DType::F32, &a), data.tensor(DType::F32, &b)],
        ));
    }
    check(cases, 1);
}

#[test]
fn reductions_agree() {
    let mut data = Data(5);
    let mut cases = Vec::new();
    for op in ["Sum", "Mean", "Prod", "Max", "Min"] {
        for dtype in [DType::F32, DType::F64, DType::I32, DType::I64] {
            for (axes, keep) in [
                (&[0][..], false),
                (&[1], true),
                (&[0, 2], false),
                (&[-1], false),
                (&[0, 1, 2], false),
                (&[], false),
            ] {
                let attrs = vec![
                    ("T", type_attr(dtype)),
                    ("Tidx", type_attr(DType::I32)),
                    ("keep_dims", flag(keep)),
                ];
                cases.push(case(
                    op,
                    vec![data.tensor(dtype, &[2, 3, 4]), ints(axes)],
                    attrs,
                    &[dtype],
                ));
            }
        }
        let attrs = vec![
            ("T", type_attr(DType::F32)),
            ("Tidx", type_attr(DType::I32)),
            ("keep_dims", flag(false)),
        ];
        cases.push(case(
            op,
            vec![data.tensor(DType::F32, &[0, 3]), ints(&[0])],
            attrs.clone(),
            &[DType::F32],
        ));
        cases.push(case(
            op,
            vec![data.tensor(DType::F32, &[50, 40]), ints(&[1])],
            attrs.clone(),
            &[DType::F32],
        ));
        cases.push(case(
            op,
            vec![data.tensor(DType::F32, &[2]), ints(&[1])],
            attrs,
            &[DType::F32],
        ));
    }
    for op in ["All", "Any"] {
        for axes in [&[0][..], &[1], &[0, 1]] {
            let attrs = vec![("Tidx", type_attr(DType::I32)), ("keep_dims", flag(false))];
            cases.push(case(
                op,
                vec![data.tensor(DType::Bool, &[3, 4]), ints(axes)],
                attrs,
                &[DType::Bool],
            ));
        }
    }
    for op in ["ArgMax", "ArgMin"] {
        for axis in [0, 1, -1] {
            for output in [DType::I32, DType::I64] {
                let attrs = vec![
                    ("T", type_attr(DType::F32)),
                    ("Tidx", type_attr(DType::I32)),
                    ("output_type", type_attr(output)),
                ];
                cases.push(case(
                    op,
                    vec![data.tensor(DType::F32, &[3, 4, 2]), Tensor::scalar(axis)],
                    attrs,
                    &[output],
                ));
            }
        }
    }
    check(cases, 5);
}

#[test]
fn shapes_and_parts_agree() {
    let mut data = Data(6);
    let f32s = |data: &mut Data, shape: &[usize]| data.tensor(DType::F32, shape);
    let t = || ("T", type_attr(DType::F32));
    let index = |name: &'static str| (name, type_attr(DType::I32));
    let mut cases = Vec::new();
    for shape in [&[6, 4][..], &[-1], &[2, -1, 2], &[5, -1], &[24, 1, 1]] {
        cases.push(case(
            "Reshape",
            vec![f32s(&mut data, &[2, 3, 4]), ints(shape)],
            vec![t(), index("Tshape")],
            &[DType::F32],
        ));
    }
    for axis in [0, 1, -1, 3] {
        cases.push(case(
            "ExpandDims",
            vec![f32s(&mut data, &[2, 3]), Tensor::scalar(axis)],
            vec![t(), index("Tdim")],
            &[DType::F32],
        ));
        let parts = vec![f32s(&mut data, &[2, 3]), f32s(&mut data, &[2, 3])];
        cases.push(case(
            "Pack",
            parts.clone(),
            vec![t(), ("N", number(2)), ("axis", number(axis.into()))],
            &[DType::F32],
        ));
        let joined = [parts, vec![Tensor::scalar(axis)]].concat();
        cases.push(case(
            "ConcatV2",
            joined,
            vec![t(), ("N", number(2)), index("Tidx")],
            &[DType::F32],
        ));
    }
    for dims in [&[][..], &[1], &[-1], &[0]] {
        let dims = attr(Value::list(ListValue {
            i: dims.to_vec(),
            ..ListValue::default()
        }));
        cases.push(case(
            "Squeeze",
            vec![f32s(&mut data, &[2, 1, 3, 1])],
            vec![t(), ("squeeze_dims", dims)],
            &[DType::F32],
        ));
    }
    for permutation in [&[0, 1, 2][..], &[2, 0, 1], &[1, 0, 2], &[0, 0, 1]] {
        cases.push(case(
            "Transpose",
            vec![f32s(&mut data, &[2, 3, 4]), ints(permutation)],
            vec![t(), index("Tperm")],
            &[DType::F32],
        ));
    }
    for out in [DType::I32, DType::I64] {
        for op in ["Shape", "Size"] {
            cases.push(case(
                op,
                vec![f32s(&mut data, &[2, 3])],
                vec![t(), ("out_type", type_attr(out))],
                &[out],
            ));
        }
    }
    cases.push(case(
        "Rank",
        vec![f32s(&mut data, &[2, 3])],
        vec![t()],
        &[DType::I32],
    ));
    cases.push(case(
        "Fill",
        vec![ints(&[2, 3]), Tensor::scalar(2.5f32)],
        vec![t(), index("index_type")],
        &[DType::F32],
    ));
    cases.push(case(
        "BroadcastTo",
        vec![f32s(&mut data, &[3, 1]), ints(&[2, 3, 4])],
        vec![t(), index("Tidx")],
        &[DType::F32],
    ));
    cases.push(case(
        "Tile",
        vec![f32s(&mut data, &[2, 3]), ints(&[2, 3])],
        vec![t(), index("Tmultiples")],
        &[DType::F32],
    ));
    cases.push(case(
        "ReverseV2",
        vec![f32s(&mut data, &[2, 3]), ints(&[1])],
        vec![t(), index("Tidx")],
        &[DType::F32],
    ));
    let paddings = ints(&[1, 0, 2, 1]).reshaped(&[2, 2]).expect("a matrix");
    cases.push(case(
        "Pad",
        vec![f32s(&mut data, &[2, 3]), paddings.clone()],
        vec![t(), index("Tpaddings")],
        &[DType::F32],
    ));
    cases.push(case(
        "PadV2",
        vec![f32s(&mut data, &[2, 3]), paddings, Tensor::scalar(9.0f32)],
        vec![t(), index("Tpaddings")],
        &[DType::F32],
    ));
    for (start, limit, delta) in [(0, 10, 3), (5, 0, -2), (0, 0, 1), (0, 5, 0), (3, 1, 1)] {
        cases.push(case(
            "Range",
            [start, limit, delta].map(Tensor::scalar).to_vec(),
            vec![index("Tidx")],
            &[DType::I32],
        ));
    }
    cases.push(case(
        "Range",
        [0.0f32, 1.0, 0.3].map(Tensor::scalar).to_vec(),
        vec![("Tidx", type_attr(DType::F32))],
        &[DType::F32],
    ));
    cases.push(case(
        "LinSpace",
        vec![
            Tensor::scalar(0.0f32),
            Tensor::scalar(1.0f32),
            Tensor::scalar(5),
        ],
        vec![t(), index("Tidx")],
        &[DType::F32],
    ));
    for axis in [-1, 0, 1] {
        let inputs = vec![
            ints(&[0, 2, -1, 7]),
            Tensor::scalar(3),
            Tensor::scalar(1.0f32),
            Tensor::scalar(0.0f32),
        ];
        cases.push(case(
            "OneHot",
            inputs,
            vec![t(), index("TI"), ("axis", number(axis))],
            &[DType::F32],
        ));
    }
    for axis in [0, 1] {
        let count = if axis == 0 { 2 } else { 3 };
        let results = vec![DType::F32; count];
        cases.push(case(
            "Unpack",
            vec![f32s(&mut data, &[2, 3])],
            vec![t(), ("num", number(count as i64)), ("axis", number(axis))],
            &results,
        ));
        cases.push(case(
            "Split",
            vec![Tensor::scalar(axis as i32), f32s(&mut data, &[4, 6])],
            vec![t(), ("num_split", number(2))],
            &[DType::F32; 2],
        ));
        let gathered = vec![
            f32s(&mut data, &[4, 3]),
            ints(&[2, 0, 1, 2]).reshaped(&[2, 2]).expect("a matrix"),
            Tensor::scalar(axis as i32),
        ];
        cases.push(case(
            "GatherV2",
            gathered,
            vec![
                ("Tparams", type_attr(DType::F32)),
                index("Tindices"),
                index("Taxis"),
                ("batch_dims", number(0)),
            ],
            &[DType::F32],
        ));
    }
    for (begin, size) in [([0, 1], [2, 2]), ([1, 0], [-1, 3]), ([0, 0], [3, 9])] {
        cases.push(case(
            "Slice",
            vec![f32s(&mut data, &[3, 4]), ints(&begin), ints(&size)],
            vec![t(), index("Index")],
            &[DType::F32],
        ));
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
        let mut attrs = vec![t(), index("Index")];
        let names = [
            "begin_mask",
            "end_mask",
            "ellipsis_mask",
            "new_axis_mask",
            "shrink_axis_mask",
        ];
        attrs.extend(
            names
                .iter()
                .zip(masks)
                .map(|(&name, &mask)| (name, number(mask))),
        );
        cases.push(case(
            "StridedSlice",
            vec![
                f32s(&mut data, &[2, 3, 4]),
                ints(begin),
                ints(end),
                ints(steps),
            ],
            attrs,
            &[DType::F32],
        ));
    }
    for (left, right) in [
        (&[2, 3][..], &[3][..]),
        (&[2, 1], &[2, 3]),
        (&[], &[4]),
        (&[2, 3], &[2, 3]),
        (&[1, 1], &[1]),
    ] {
        cases.push(case(
            "BroadcastGradientArgs",
            vec![ints(left), ints(right)],
            vec![("T", type_attr(DType::I32))],
            &[DType::I32; 2],
        ));
    }
    cases.push(case(
        "Where",
        vec![data.tensor(DType::Bool, &[3, 4])],
        vec![("T", type_attr(DType::Bool))],
        &[DType::I64],
    ));
    check(cases, 10);
}

#[test]
fn losses_agree() {
    let mut data = Data(7);
    let t = || ("T", type_attr(DType::F32));
    let mut cases = Vec::new();
    cases.push(simple(
        "BiasAdd",
        vec![
            data.tensor(DType::F32, &[3, 4]),
            data.tensor(DType::F32, &[4]),
        ],
    ));
    cases.push(simple(
        "BiasAddGrad",
        vec![data.tensor(DType::F32, &[3, 2, 4])],
    ));
    let first = attr(Value::S(b"NCHW".to_vec()));
    cases.push(case(
        "BiasAdd",
        vec![
            data.tensor(DType::F32, &[2, 3, 2, 2]),
            data.tensor(DType::F32, &[3]),
        ],
        vec![t(), ("data_format", first.clone())],
        &[DType::F32],
    ));
    cases.push(case(
        "BiasAddGrad",
        vec![data.tensor(DType::F32, &[2, 3, 2, 2])],
        vec![t(), ("data_format", first)],
        &[DType::F32],
    ));
    for labels in [[0, 3, 1], [0, 4, 1]] {
        let attrs = vec![t(), ("Tlabels", type_attr(DType::I32))];
        cases.push(case(
            "SparseSoftmaxCrossEntropyWithLogits",
            vec![data.tensor(DType::F32, &[3, 4]), ints(&labels)],
            attrs,
            &[DType::F32; 2],
        ));
    }
    cases.push(case(
        "SoftmaxCrossEntropyWithLogits",
        vec![
            data.tensor(DType::F32, &[3, 4]),
            data.tensor(DType::F32, &[3, 4]),
        ],
        vec![t()],
        &[DType::F32; 2],
    ));
    check(cases, 1);
}

#[test]
fn random_numbers_agree() {
    let mut cases = Vec::new();
    for op in ["RandomUniform", "RandomStandardNormal"] {
        for &dtype in FLOATS {
            for (seed, seed2) in [(1, 2), (0, 7), (-5, 1 << 40)] {
                let attrs = vec![
                    ("seed", number(seed)),
                    ("seed2", number(seed2)),
                    ("dtype", type_attr(dtype)),
                    ("T", type_attr(DType::I32)),
                ];
                cases.push(case(op, vec![ints(&[3, 7])], attrs, &[dtype]));
            }
        }
    }
    for op in ["StatelessRandomUniform", "StatelessRandomNormal"] {
        for &dtype in FLOATS {
            let attrs = vec![
                ("dtype", type_attr(dtype)),
                ("T", type_attr(DType::I32)),
                ("Tseed", type_attr(DType::I32)),
            ];
            cases.push(case(
                op,
                vec![ints(&[3, 7]), ints(&[5, -9])],
                attrs,
                &[dtype],
            ));
        }
    }
    check(cases, 0);
}

/// Operations without a case in the tables above, with the reason.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("BatchMatMul", "the same kernel as BatchMatMulV2"),
    ("Concat", "the same kernel as ConcatV2"),
    ("EnsureShape", "no arithmetic"),
    ("Gather", "the same kernel as GatherV2"),
    ("IdentityN", "no arithmetic"),
    ("PreventGradient", "the same kernel as Identity"),
    ("SqrtGrad", "an operand is the result of Sqrt"),
];

#[test]
fn every_kernel_is_in_a_table() {
    let source = include_str!("kernels.rs");
    for name in tfx_interpreter::kernels::names() {
        assert!(
            Registry::get().lookup(name).is_some(),
            "TensorFlow has no operation {name}"
        );
        let listed = NOT_COMPARED.iter().any(|(excepted, _)| *excepted == name);
        assert!(
            listed || source.contains(&format!("\"{name}\"")),
            "{name} is not compared"
        );
    }
}
