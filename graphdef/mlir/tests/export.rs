//! Export: TensorFlow must accept each GraphDef, and run some of them.

mod tensorflow;

use std::sync::LazyLock;

use tensorflow::{Tensor, TensorFlow};
use tfx_dialects::loaded_context;
use tfx_graphdef::{proto::GraphDef, text::to_text};
use tfx_graphdef_mlir::export_module;
use tfx_ir::{diag::Collector, module};

static TENSORFLOW: LazyLock<TensorFlow> = LazyLock::new(TensorFlow::load);

/// Returns the GraphDef, or the diagnostics.
fn export(text: &str) -> Result<GraphDef, String> {
    let context = loaded_context();
    let collector = Collector::new(&context);
    let reported = |collector: &Collector| {
        let diagnostics = collector.take();
        let diagnostics: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
        diagnostics.join("\n")
    };
    let Some(parsed) = module::parse(&context, text.trim_start_matches('\n'), "dir/test.mlir")
    else {
        return Err(reported(&collector));
    };
    export_module(module::as_op(&parsed)).map_err(|error| {
        error.emit();
        reported(&collector)
    })
}

/// Returns the text of a GraphDef that TensorFlow accepts.
fn accepted(text: &str) -> String {
    let graph = export(text).unwrap();
    TENSORFLOW.check(&graph).unwrap();
    to_text(&graph).unwrap()
}

const STRAIGHT: &str = r#"
tfx_tensor.graph @mul.add(%x: tensor<?x2xf32>, %w: tensor<2x3xf32>, %s: f32) -> tensor<?x3xf32> {
  %xw = tfx_tensor.op "MatMul"(%x, %w) {device = "/cpu:0"} : (tensor<?x2xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %b = tfx_tensor.from_scalar %s : f32
  %y = tfx_tensor.op "AddV2"(%xw, %b) : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  tfx_tensor.return %y : tensor<?x3xf32>
}
"#;

#[test]
fn straight_line() {
    insta::assert_snapshot!(accepted(STRAIGHT));
}

#[test]
fn straight_line_runs() {
    let feeds = [
        ("mul_add/arg_0", Tensor::floats(&[1, 2], &[1.0, 2.0])),
        (
            "mul_add/arg_1",
            Tensor::floats(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ),
        ("mul_add/arg_2", Tensor::floats(&[], &[0.5])),
    ];
    let results = TENSORFLOW
        .run(&export(STRAIGHT).unwrap(), &feeds, &["mul_add/result_0"])
        .unwrap();
    assert_eq!(results, [Tensor::floats(&[1, 3], &[9.5, 12.5, 15.5])]);
}

#[test]
fn branches_have_their_captures_as_arguments() {
    insta::assert_snapshot!(accepted(
        r#"
tfx_tensor.graph @pick(%p: tensor<i1>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %r = tfx_tensor.if %p : tensor<i1> -> tensor<?xf32> {
    %t = tfx_tensor.op "Mul"(%a, %two) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    tfx_tensor.yield %t : tensor<?xf32>
  } else {
    tfx_tensor.yield %b : tensor<?xf32>
  }
  tfx_tensor.return %r : tensor<?xf32>
}
"#
    ));
}

/// A loop with a captured step.
const LOOP: &str = r#"
tfx_tensor.graph @sum(%n: tensor<i32>, %step: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %start = tfx_tensor.const dense<0.0> : tensor<f32>
  %r:2 = tfx_tensor.while (%i = %zero, %s = %start) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>) {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %one = tfx_tensor.const dense<1> : tensor<i32>
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %more = tfx_tensor.op "AddV2"(%s, %step) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tfx_tensor.yield %next, %more : tensor<i32>, tensor<f32>
  }
  tfx_tensor.return %r#1, %r#0 : tensor<f32>, tensor<i32>
}
"#;

#[test]
fn loops_return_their_captures() {
    insta::assert_snapshot!(accepted(LOOP));
}

#[test]
fn loops_run() {
    let feeds = [
        ("sum/arg_0", Tensor::ints(&[], &[10])),
        ("sum/arg_1", Tensor::floats(&[], &[0.5])),
    ];
    let results = TENSORFLOW
        .run(
            &export(LOOP).unwrap(),
            &feeds,
            &["sum/result_0", "sum/result_1"],
        )
        .unwrap();
    assert_eq!(
        results,
        [Tensor::floats(&[], &[5.0]), Tensor::ints(&[], &[10])]
    );
}

#[test]
fn channels_reach_the_functions_that_use_them_in_program_order() {
    insta::assert_snapshot!(accepted(
        r#"
tfx_tensor.graph @talk(%x: tensor<?xf32>, %n: i32)
    channels [#tfx_comm.channel<4, to_graph, i1, capacity = 3>, #tfx_comm.channel<0, to_host, tensor<?xf32>>] {
  %true = tfx_tensor.const dense<true> : tensor<i1>
  %r:2 = tfx_tensor.while (%go = %true, %s = %x) : (tensor<i1>, tensor<?xf32>) -> (tensor<i1>, tensor<?xf32>) {
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%go: tensor<i1>, %s: tensor<?xf32>):
    %c = tfx_comm.recv from 4 : i1
    %p = tfx_tensor.from_scalar %c : i1
    tfx_tensor.if %p : tensor<i1> {
      tfx_comm.send %s to 0 : tensor<?xf32>
      tfx_tensor.yield
    } else {
      tfx_tensor.yield
    }
    tfx_comm.send %s to 0 : tensor<?xf32>
    tfx_tensor.yield %p, %s : tensor<i1>, tensor<?xf32>
  }
  tfx_tensor.return
}
"#
    ));
}

#[test]
fn calls_export_library_functions() {
    insta::assert_snapshot!(accepted(
        r#"
tfx_tensor.graph private @unused(%x: tensor<f32>) -> tensor<f32> {
  tfx_tensor.return %x : tensor<f32>
}
tfx_tensor.graph private @double(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_tensor.return %y : tensor<f32>
}
tfx_tensor.graph private @noise(%x: tensor<f32>) -> tensor<f32> {
  %shape = tfx_tensor.const dense<> : tensor<0xi32>
  %r = tfx_tensor.op "RandomUniform"(%shape) : (tensor<0xi32>) -> tensor<f32>
  %y = tfx_tensor.call @double(%r) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.return %y : tensor<f32>
}
tfx_tensor.graph @main(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.call @double(%x) : (tensor<f32>) -> tensor<f32>
  %z = tfx_tensor.call @noise(%y) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.return %z : tensor<f32>
}
"#
    ));
}

#[test]
fn cases_run_and_nest() {
    let text = r#"
tfx_tensor.graph @choose(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %r = tfx_tensor.case %i : tensor<i32> -> tensor<f32> {
    tfx_tensor.yield %x : tensor<f32>
  }, {
    %p = tfx_tensor.op "Less"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = tfx_tensor.if %p : tensor<i1> -> tensor<f32> {
      tfx_tensor.yield %x : tensor<f32>
    } else {
      %m = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
      tfx_tensor.yield %m : tensor<f32>
    }
    tfx_tensor.yield %n : tensor<f32>
  }, {
    %d = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tfx_tensor.yield %d : tensor<f32>
  }
  tfx_tensor.return %r : tensor<f32>
}
"#;
    let graph = export(text).unwrap();
    TENSORFLOW.check(&graph).unwrap();
    for (index, expected) in [(0, 3.0), (1, -3.0), (2, 6.0), (3, 6.0), (-1, 6.0)] {
        let feeds = [
            ("choose/arg_0", Tensor::ints(&[], &[index])),
            ("choose/arg_1", Tensor::floats(&[], &[3.0])),
        ];
        let results = TENSORFLOW
            .run(&graph, &feeds, &["choose/result_0"])
            .unwrap();
        assert_eq!(
            results,
            [Tensor::floats(&[], &[expected])],
            "branch {index}"
        );
    }
}

#[test]
fn places_come_from_the_innermost_location() {
    let graph = export(
        r#"
tfx_tensor.graph @g(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32> loc(callsite("f"("lib.mlir":3:4) at "main.mlir":9:1))
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32> loc(fused["lib.mlir":3:4, "x.mlir":1:1])
  %c = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32> loc(unknown)
  tfx_tensor.return %c : tensor<f32>
}
"#,
    )
    .unwrap();
    let function = &graph.library.as_ref().unwrap().function[0];
    let names: Vec<_> = function
        .node_def
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(names, ["lib.mlir_3_4_Neg", "lib.mlir_3_4_Neg_2", "Neg"]);
    assert!(!function.node_def[2].attr.contains_key("_tfx_location"));
    TENSORFLOW.check(&graph).unwrap();
}

#[test]
fn errors_have_source_locations() {
    let cases = [
        r#"tfx_tensor.op "MatMull"(%x) : (tensor<f32>) -> tensor<f32>"#,
        r#"tfx_tensor.op "Neg"(%x) {f = @nowhere} : (tensor<f32>) -> tensor<f32>"#,
        r#"tfx_tensor.op "Neg"(%x) {T = {}} : (tensor<f32>) -> tensor<f32>"#,
        r#"math.exp %x : tensor<f32>"#,
        r#"tfx_tensor.call @talks(%x) : (tensor<f32>) -> tensor<f32>"#,
        r#"tfx_tensor.op "Cast"(%x) : (tensor<f32>) -> tensor<i7>"#,
    ];
    let errors: Vec<_> = cases
        .iter()
        .map(|line| {
            let text = format!(
                "tfx_tensor.graph private @talks(%x: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, f32>] {{\n  \
                 tfx_tensor.return %x : tensor<f32>\n}}\ntfx_tensor.graph @g(%x: tensor<f32>) {{\n  %y = {line}\n  tfx_tensor.return\n}}\n"
            );
            export(&text).unwrap_err()
        })
        .collect();
    insta::assert_snapshot!(errors.join("\n"));
}
