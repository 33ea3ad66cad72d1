//! Tests of `tfx-legalize-graph`: TensorFlow runs its output.

#[path = "../../../graphdef/mlir/tests/tensorflow/mod.rs"]
mod tensorflow;

use std::{fmt::Write, sync::LazyLock};

use tensorflow::{Tensor, TensorFlow};
use tfx_graphdef_mlir::export_module;
use tfx_ir::{diag::Collector, module, pipeline};

static TENSORFLOW: LazyLock<TensorFlow> = LazyLock::new(TensorFlow::load);

/// Runs the pass, and then `then` on the module.
///
/// # Errors
///
/// Returns the diagnostics.
fn legalize<R>(text: &str, then: impl FnOnce(tfx_ir::Op) -> R) -> Result<R, String> {
    let context = tfx_dialects::loaded_context();
    tfx_lowering::register();
    let collector = Collector::new(&context);
    let diagnostics = || {
        let all = collector.take();
        all.iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let parsed = module::parse(&context, text.trim_start_matches('\n'), "test.mlir");
    let parsed = parsed.ok_or_else(diagnostics)?;
    let op = module::as_op(&parsed);
    pipeline::run(op, "builtin.module(tfx_tensor.graph(tfx-legalize-graph))")
        .map_err(|error| format!("{error}\n{}", diagnostics()))?;
    Ok(then(op))
}

fn printed(text: &str) -> String {
    legalize(text, |op| op.to_string()).unwrap()
}

/// Returns the results of the graph `g` on TensorFlow. TensorFlow's import and shape inference must
/// accept the graph, too.
fn run(text: &str, inputs: &[Tensor]) -> Vec<Tensor> {
    let (graph, results) = legalize(text, |op| {
        let graph = export_module(op).unwrap_or_else(|diag| panic!("{diag:?}"));
        let is_result = |node: &&tfx_graphdef::proto::NodeDef| node.name.starts_with("g/result_");
        let results = graph.node.iter().filter(is_result).count();
        (graph, results)
    })
    .unwrap();
    TENSORFLOW.check(&graph).unwrap();
    TENSORFLOW
        .run_exported(&graph, "g", inputs.iter(), results)
        .unwrap()
}

fn int(value: i32) -> Tensor {
    Tensor::ints(&[], &[value])
}

fn float(value: f32) -> Tensor {
    Tensor::floats(&[], &[value])
}

fn long(value: i64) -> Tensor {
    Tensor::longs(&[], &[value])
}

fn byte(value: i8) -> Tensor {
    Tensor {
        dtype: 6,
        sizes: vec![],
        bytes: vec![value as u8],
    }
}

fn bool(value: bool) -> Tensor {
    Tensor::bools(&[], &[value])
}

// Arithmetic.

/// Returns the results of a graph that applies each operation to its parameters `%a` and `%b`.
fn apply(ty: &str, result: &str, operations: &[&str], inputs: &[Tensor]) -> Vec<Tensor> {
    let mut body = String::new();
    for (index, operation) in operations.iter().enumerate() {
        writeln!(body, "  %r{index} = {operation} : {ty}").unwrap();
    }
    let values = (0..operations.len()).map(|index| format!("%r{index}"));
    let values = values.collect::<Vec<_>>().join(", ");
    let types = vec![result; operations.len()].join(", ");
    let text = format!(
        "tfx_tensor.graph @g(%a: {ty}, %b: {ty}) -> ({types}) {{\n{body}  tfx_tensor.return {values} : {types}\n}}\n"
    );
    run(&text, inputs)
}

/// An operation and the function that it computes.
type Row<T> = (&'static str, fn(T, T) -> T);

/// Compares operations with the functions that they compute, on pairs of operands.
fn check_integers(rows: &[Row<i32>], operands: &[(i32, i32)]) {
    let operations: Vec<_> = rows.iter().map(|(operation, _)| *operation).collect();
    for &(a, b) in operands {
        let results = apply("i32", "i32", &operations, &[int(a), int(b)]);
        for ((operation, expected), result) in rows.iter().zip(results) {
            assert_eq!(result, int(expected(a, b)), "{operation} of {a} and {b}");
        }
    }
}

/// Checks the booleans that operations named by `form` with each of `names` return.
fn check_booleans(
    ty: &str,
    form: &str,
    names: &[&str],
    [a, b]: [Tensor; 2],
    expected: impl IntoIterator<Item = bool>,
) {
    let operations: Vec<_> = names.iter().map(|name| form.replace('_', name)).collect();
    let operations: Vec<_> = operations.iter().map(String::as_str).collect();
    let expected: Vec<_> = expected.into_iter().map(bool).collect();
    let inputs = [a, b];
    let results = apply(ty, "i1", &operations, &inputs);
    assert_eq!(results, expected, "{inputs:?}");
}

#[test]
fn integers_are_computed_as_on_the_host() {
    check_integers(
        &[
            ("arith.addi %a, %b", |a, b| a.wrapping_add(b)),
            ("arith.subi %a, %b", |a, b| a.wrapping_sub(b)),
            ("arith.muli %a, %b", |a, b| a.wrapping_mul(b)),
            ("arith.divsi %a, %b", |a, b| a / b),
            ("arith.remsi %a, %b", |a, b| a % b),
            ("arith.divui %a, %b", |a, b| (a as u32 / b as u32) as i32),
            ("arith.remui %a, %b", |a, b| (a as u32 % b as u32) as i32),
            ("arith.floordivsi %a, %b", |a, b| {
                (f64::from(a) / f64::from(b)).floor() as i32
            }),
            ("arith.ceildivsi %a, %b", |a, b| {
                (f64::from(a) / f64::from(b)).ceil() as i32
            }),
            ("arith.ceildivui %a, %b", |a, b| {
                (a as u32).div_ceil(b as u32) as i32
            }),
            ("arith.andi %a, %b", |a, b| a & b),
            ("arith.ori %a, %b", |a, b| a | b),
            ("arith.xori %a, %b", |a, b| a ^ b),
            ("arith.maxsi %a, %b", |a, b| a.max(b)),
            ("arith.minsi %a, %b", |a, b| a.min(b)),
            ("arith.maxui %a, %b", |a, b| (a as u32).max(b as u32) as i32),
            ("arith.minui %a, %b", |a, b| (a as u32).min(b as u32) as i32),
            ("math.absi %a", |a, _| a.abs()),
            ("math.ctpop %a", |a, _| a.count_ones() as i32),
        ],
        &[
            (7, 3),
            (-7, 3),
            (7, -3),
            (-7, -3),
            (6, 3),
            (i32::MAX, 2),
            (-1, 1),
        ],
    );
    check_integers(
        &[
            ("arith.shli %a, %b", |a, b| a << b),
            ("arith.shrsi %a, %b", |a, b| a >> b),
            ("arith.shrui %a, %b", |a, b| (a as u32 >> b) as i32),
        ],
        &[(5, 0), (-5, 3), (1, 31)],
    );
}

#[test]
fn small_integers_have_remainders() {
    let names = ["remsi", "divsi", "remui"];
    let operations = names.map(|name| format!("arith.{name} %a, %b"));
    let operations = operations.each_ref().map(String::as_str);
    for (a, b) in [(7i8, 3i8), (-7, 3), (-128, 5)] {
        let results = apply("i8", "i8", &operations, &[byte(a), byte(b)]);
        let unsigned = (a as u8 % b as u8) as i8;
        assert_eq!(results, [byte(a % b), byte(a / b), byte(unsigned)]);
    }
}

#[test]
fn integers_are_compared_by_their_signs() {
    let names = [
        "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
    ];
    let form = "arith.cmpi _, %a, %b";
    for (a, b) in [(1, 2), (-1, 2), (2, 2), (-3, -2)] {
        let (u, v) = (a as u32, b as u32);
        let signed = [a == b, a != b, a < b, a <= b, a > b, a >= b];
        let unsigned = [u < v, u <= v, u > v, u >= v];
        let expected = signed.into_iter().chain(unsigned);
        check_booleans("i32", form, &names, [int(a), int(b)], expected);
    }
    // As a signed number, true is -1.
    for (a, b) in BOOLEANS {
        let (s, t) = (-i32::from(a), -i32::from(b));
        let signed = [a == b, a != b, s < t, s <= t, s > t, s >= t];
        let unsigned = [!a & b, a <= b, a & !b, a >= b];
        let expected = signed.into_iter().chain(unsigned);
        check_booleans("i1", form, &names, [bool(a), bool(b)], expected);
    }
}

const BOOLEANS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

#[test]
fn one_bit_is_a_boolean() {
    let names = [
        "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui",
    ];
    for (a, b) in BOOLEANS {
        let (xor, and, or) = (a ^ b, a & b, a | b);
        let expected = [xor, xor, and, and, or, xor, and, or, or, and];
        check_booleans("i1", "arith._ %a, %b", &names, [bool(a), bool(b)], expected);
    }
}

#[test]
fn floats_are_compared_with_nan() {
    let names = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
        "ule", "une", "uno", "true",
    ];
    let nan = f32::NAN;
    for (a, b) in [
        (1.0, 2.0),
        (2.0, 2.0),
        (3.0, 2.0),
        (nan, 2.0),
        (1.0, nan),
        (nan, nan),
    ] {
        let uno = a.is_nan() || b.is_nan();
        let (eq, gt, ge, lt, le) = (a == b, a > b, a >= b, a < b, a <= b);
        let ordered = [false, eq, gt, ge, lt, le, !uno && a != b, !uno];
        let unordered = [eq, gt, ge, lt, le].map(|holds| uno || holds);
        let expected = ordered.into_iter().chain(unordered);
        let expected = expected.chain([a != b, uno, true]);
        let operands = [float(a), float(b)];
        check_booleans("f32", "arith.cmpf _, %a, %b", &names, operands, expected);
    }
}

#[test]
fn floats() {
    let table: [Row<f32>; 17] = [
        ("arith.addf %a, %b", |a, b| a + b),
        ("arith.subf %a, %b", |a, b| a - b),
        ("arith.mulf %a, %b", |a, b| a * b),
        ("arith.divf %a, %b", |a, b| a / b),
        ("arith.remf %a, %b", |a, b| a % b),
        ("arith.negf %a", |a, _| -a),
        ("arith.maximumf %a, %b", f32::max),
        ("arith.minnumf %a, %b", f32::min),
        ("math.absf %a", |a, _| a.abs()),
        ("math.floor %a", |a, _| a.floor()),
        ("math.ceil %a", |a, _| a.ceil()),
        ("math.trunc %a", |a, _| a.trunc()),
        ("math.roundeven %a", |a, _| a.round_ties_even()),
        ("math.exp2 %a", |a, _| a.exp2()),
        ("math.log2 %b", |_, b| b.log2()),
        ("math.round %a", |a, _| a.round()),
        ("math.sqrt %b", |_, b| b.sqrt()),
    ];
    for (a, b) in [(2.5f32, 0.5f32), (-1.5, 2.0), (-0.25, 8.0)] {
        let operations = table.map(|(operation, _)| operation);
        let results = apply("f32", "f32", &operations, &[float(a), float(b)]);
        for ((operation, expected), result) in table.iter().zip(results) {
            let result = f32::from_le_bytes(result.bytes.try_into().unwrap());
            let expected = expected(a, b);
            assert!(
                (result - expected).abs() <= 1e-6 * expected.abs(),
                "{operation} of {a} and {b}: {result}, expected {expected}"
            );
        }
    }
}

#[test]
fn conversions() {
    let text = r#"
tfx_tensor.graph @g(%i: i32, %f: f32, %p: i1, %n: index) -> (i64, i64, f32, f32, i8, i1, i32, i32, index, i32, i32, f32, i32) {
  %0 = arith.extsi %i : i32 to i64
  %1 = arith.extui %i : i32 to i64
  %2 = arith.sitofp %i : i32 to f32
  %3 = arith.uitofp %i : i32 to f32
  %4 = arith.trunci %i : i32 to i8
  %5 = arith.trunci %i : i32 to i1
  %6 = arith.fptosi %f : f32 to i32
  %7 = arith.bitcast %f : f32 to i32
  %8 = arith.index_cast %i : i32 to index
  %9 = arith.index_cast %n : index to i32
  %10 = arith.extsi %p : i1 to i32
  %11 = arith.uitofp %p : i1 to f32
  %12 = arith.select %p, %i, %9 : i32
  tfx_tensor.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12
    : i64, i64, f32, f32, i8, i1, i32, i32, index, i32, i32, f32, i32
}
"#;
    let results = run(text, &[int(-3), float(2.75), bool(true), long(300)]);
    let expected = [
        long(-3),
        long(4_294_967_293),
        float(-3.0),
        float(4_294_967_293.0),
        byte(-3),
        bool(true),
        int(2),
        int(2.75f32.to_bits() as i32),
        long(-3),
        int(300),
        int(-1),
        float(1.0),
        int(-3),
    ];
    assert_eq!(results, expected);
}

#[test]
fn tensors_compute_element_by_element() {
    let text = r#"
tfx_tensor.graph @g(%a: tensor<?xi32>, %s: i32, %one: tensor<1x1xi32>) -> (tensor<?xi32>, tensor<?xi1>, i32) {
  %c = arith.constant dense<[10, 20, 30]> : tensor<3xi32>
  %cast = tfx_tensor.op "Identity"(%c) : (tensor<3xi32>) -> tensor<?xi32>
  %sum = arith.addi %a, %cast : tensor<?xi32>
  %p = arith.cmpi ugt, %a, %cast : tensor<?xi32>
  %x = tfx_tensor.to_scalar %one : tensor<1x1xi32> -> i32
  %y = arith.addi %x, %s : i32
  tfx_tensor.return %sum, %p, %y : tensor<?xi32>, tensor<?xi1>, i32
}
"#;
    let vector = |values: &[i32]| Tensor::ints(&[3], values);
    let inputs = [vector(&[1, -1, 30]), int(5), Tensor::ints(&[1, 1], &[4])];
    let greater = Tensor::bools(&[3], &[false, true, false]);
    assert_eq!(run(text, &inputs), [vector(&[11, 19, 60]), greater, int(9)]);
}

// Control flow.

#[test]
fn branches_on_scalars() {
    let text = r#"
tfx_tensor.graph @g(%p: i1, %a: tensor<?xf32>, %n: i32) -> (tensor<?xf32>, i32) {
  %r:2 = scf.if %p -> (tensor<?xf32>, i32) {
    %b = tfx_tensor.op "AddV2"(%a, %a) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b, %n : tensor<?xf32>, i32
  } else {
    %u = tfx_host.undef : i32
    %m = arith.constant 5 : i32
    %k = arith.muli %n, %m : i32
    %q = arith.cmpi sgt, %k, %n : i32
    scf.if %q {
    }
    scf.yield %a, %k : tensor<?xf32>, i32
  }
  tfx_tensor.return %r#0, %r#1 : tensor<?xf32>, i32
}
"#;
    let vector = |values: &[f32]| Tensor::floats(&[2], values);
    assert_eq!(
        run(text, &[bool(true), vector(&[1.0, 2.0]), int(3)]),
        [vector(&[2.0, 4.0]), int(3)]
    );
    assert_eq!(
        run(text, &[bool(false), vector(&[1.0, 2.0]), int(3)]),
        [vector(&[1.0, 2.0]), int(15)]
    );
}

#[test]
fn switches_select_a_case() {
    let switch = |cases: [i64; 3]| {
        let [a, b, c] = cases;
        format!(
            "tfx_tensor.graph @g(%i: index) -> i32 {{
  %r = scf.index_switch %i -> i32
  case {a} {{ %0 = arith.constant 100 : i32
    scf.yield %0 : i32 }}
  case {b} {{ %1 = arith.constant 101 : i32
    scf.yield %1 : i32 }}
  case {c} {{ %2 = arith.constant 102 : i32
    scf.yield %2 : i32 }}
  default {{ %d = arith.constant -1 : i32
    scf.yield %d : i32 }}
  tfx_tensor.return %r : i32
}}"
        )
    };
    for cases in [[0, 1, 2], [7, -2, 4_294_967_296]] {
        let text = switch(cases);
        for (position, &case) in cases.iter().enumerate() {
            assert_eq!(run(&text, &[long(case)]), [int(100 + position as i32)]);
        }
        for other in [3, -1, 1 << 33] {
            assert_eq!(run(&text, &[long(other)]), [int(-1)]);
        }
    }
}

#[test]
fn counted_loops() {
    let text = r#"
tfx_tensor.graph @g(%n: index, %x: tensor<f32>) -> (tensor<f32>, i32) {
  %from = arith.constant 2 : index
  %step = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %r:2 = scf.for %i = %from to %n step %step iter_args(%s = %x, %c = %zero) -> (tensor<f32>, i32) {
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %t = tfx_tensor.from_scalar %f : f32
    %sum = tfx_tensor.op "AddV2"(%s, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %one = arith.constant 1 : i32
    %d = arith.addi %c, %one : i32
    scf.yield %sum, %d : tensor<f32>, i32
  }
  tfx_tensor.return %r#0, %r#1 : tensor<f32>, i32
}
"#;
    let sum = float(2.0 + 5.0 + 8.0 + 11.0 + 0.5);
    assert_eq!(run(text, &[long(12), float(0.5)]), [sum, int(4)]);
    assert_eq!(run(text, &[long(2), float(0.5)]), [float(0.5), int(0)]);
}

/// A loop that doubles a tensor. It forwards its iteration arguments unchanged, in another order.
const DIRECT: &str = r#"
tfx_tensor.graph @g(%x: tensor<f32>, %limit: i32) -> (i32, tensor<f32>, i32) {
  %zero = arith.constant 0 : i32
  %r:3 = scf.while (%i = %zero, %s = %x) : (i32, tensor<f32>) -> (tensor<f32>, i32, i32) {
    %go = arith.cmpi slt, %i, %limit : i32
    scf.condition(%go) %s, %i, %limit : tensor<f32>, i32, i32
  } do {
  ^bb0(%s: tensor<f32>, %i: i32, %l: i32):
    %one = arith.constant 1 : i32
    %j = arith.addi %i, %one : i32
    %t = tfx_tensor.op "AddV2"(%s, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %j, %t : i32, tensor<f32>
  }
  tfx_tensor.return %r#1, %r#0, %r#2 : i32, tensor<f32>, i32
}
"#;

#[test]
fn a_pure_first_region_becomes_the_condition() {
    insta::assert_snapshot!(printed(DIRECT));
    for (limit, power) in [(5, 32.0), (0, 1.0)] {
        let expected = [int(limit), float(power), int(limit)];
        assert_eq!(run(DIRECT, &[float(1.0), int(limit)]), expected);
    }
}

/// `repeat { w = w / 2; loss = w * w } while loss > 0.1`: all code is in the first region.
const REPEAT: &str = r#"
tfx_tensor.graph @g(%w: tensor<f32>) -> (tensor<f32>, f32) {
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %limit = arith.constant 0.1 : f32
  %r:2 = scf.while (%v = %w) : (tensor<f32>) -> (tensor<f32>, f32) {
    %next = tfx_tensor.op "Mul"(%v, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %square = tfx_tensor.op "Mul"(%next, %next) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %loss = tfx_tensor.to_scalar %square : tensor<f32> -> f32
    %go = arith.cmpf ogt, %loss, %limit : f32
    scf.condition(%go) %next, %loss : tensor<f32>, f32
  } do {
  ^bb0(%v: tensor<f32>, %loss: f32):
    scf.yield %v : tensor<f32>
  }
  tfx_tensor.return %r#0, %r#1 : tensor<f32>, f32
}
"#;

#[test]
fn a_first_region_that_computes_runs_in_the_body() {
    insta::assert_snapshot!(printed(REPEAT));
    assert_eq!(run(REPEAT, &[float(1.0)]), [float(0.25), float(0.0625)]);
    assert_eq!(
        run(REPEAT, &[float(0.1)]),
        [float(0.05), float(0.0025000002)]
    );
}

/// Both regions compute. The forwarded values differ from the iteration arguments in type and
/// number.
#[test]
fn loops_with_an_exit_in_the_middle() {
    let text = r#"
tfx_tensor.graph @g(%n: i32, %x: tensor<?xf32>) -> (tensor<?xf32>, i32, i64, tensor<?xf32>) {
  %zero = arith.constant 0 : i32
  %r:4 = scf.while (%i = %zero, %s = %x) : (i32, tensor<?xf32>) -> (tensor<?xf32>, i32, i64, tensor<?xf32>) {
    %one = arith.constant 1 : i32
    %j = arith.addi %i, %one : i32
    %wide = arith.extsi %j : i32 to i64
    %t = tfx_tensor.op "AddV2"(%s, %s) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %go = arith.cmpi slt, %j, %n : i32
    scf.condition(%go) %t, %j, %wide, %s : tensor<?xf32>, i32, i64, tensor<?xf32>
  } do {
  ^bb0(%t: tensor<?xf32>, %j: i32, %wide: i64, %s: tensor<?xf32>):
    %u = tfx_tensor.op "AddV2"(%t, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %j, %u : i32, tensor<?xf32>
  }
  tfx_tensor.return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, i32, i64, tensor<?xf32>
}
"#;
    insta::assert_snapshot!(printed(text));
    let vector = |value| Tensor::floats(&[2], &[value, value]);
    let one = [vector(2.0), int(1), long(1), vector(1.0)];
    assert_eq!(run(text, &[int(1), vector(1.0)]), one);
    // 1 -> 2, 3 -> 6, 7 -> 14
    let three = [vector(14.0), int(3), long(3), vector(7.0)];
    assert_eq!(run(text, &[int(3), vector(1.0)]), three);
}

/// The host decides in each iteration whether the loop continues. There is one receive.
#[test]
fn a_first_region_that_receives_runs_once_per_iteration() {
    insta::assert_snapshot!(printed(
        r#"
tfx_tensor.graph @g(%x: tensor<?xf32>) -> tensor<?xf32>
    channels [#tfx_comm.channel<0, to_graph, i1>, #tfx_comm.channel<1, to_host, i32>] {
  %c = arith.constant 7 : i32
  %r = scf.while (%s = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %stop = tfx_comm.recv from 0 : i1
    %true = arith.constant true
    %go = arith.xori %stop, %true : i1
    scf.condition(%go) %s : tensor<?xf32>
  } do {
  ^bb0(%s: tensor<?xf32>):
    %t = tfx_tensor.op "Tanh"(%s) : (tensor<?xf32>) -> tensor<?xf32>
    tfx_comm.send %c to 1 : i32
    scf.yield %t : tensor<?xf32>
  }
  tfx_tensor.return %r : tensor<?xf32>
}
"#
    ));
}

#[test]
fn legal_graphs_do_not_change() {
    let once = printed(DIRECT);
    assert_eq!(printed(&once), once);
}

#[test]
fn unsupported_operations_are_reported() {
    let unsupported = [
        "%y = math.cbrt %x : f32",
        "%y = arith.fptosi %x : f32 to i1",
        "%m = memref.alloc() : memref<2xf32>",
        "%u = tfx_host.undef : tensor<2x!tfx_tensor.resource>",
        "cf.br ^next\n^next:",
    ];
    let errors = unsupported.map(|line| {
        let text = format!("tfx_tensor.graph @g(%x: f32) {{\n  {line}\n  tfx_tensor.return\n}}\n");
        legalize(&text, |_| ()).unwrap_err()
    });
    insta::assert_snapshot!(errors.join("\n"));
}
