//! Round trips: TensorFlow must compute the same from a GraphDef of Python's TensorFlow and from
//! its import and export, bit for bit.

mod tensorflow;

use std::sync::LazyLock;

use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use prost::Message;
use tensorflow::{Tensor, TensorFlow};
use tfx_dialects::loaded_context;
use tfx_graphdef::proto::{GraphDef, NodeDef};
use tfx_graphdef::text::from_text;
use tfx_graphdef_mlir::{export_module, import::import};
use tfx_ir::module;

static TENSORFLOW: LazyLock<TensorFlow> = LazyLock::new(TensorFlow::load);

/// Returns the verified IR, with locations, of the nodes that some outputs need, or of all.
fn imported(graph: &GraphDef, outputs: &[&str]) -> Result<String, String> {
    let context = loaded_context();
    let outputs: Vec<_> = outputs.iter().map(|&output| output.to_owned()).collect();
    let module = import(&context, graph, &outputs).map_err(|error| error.to_string())?;
    module::as_op(&module)
        .verify()
        .map_err(|_| "not verified")?;
    let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
    Ok(module.as_operation().to_string_with_flags(flags).unwrap())
}

fn exported(text: &str) -> GraphDef {
    let context = loaded_context();
    let module = module::parse(&context, text, "imported.mlir").expect("printed IR parses");
    export_module(module::as_op(&module)).unwrap_or_else(|error| panic!("{error:?}: {text}"))
}

/// Runs a graph and its round trip with the same inputs.
fn round_trip(bytes: &[u8], feeds: &[(&str, Tensor)], fetches: &[&str]) -> String {
    let original = GraphDef::decode(bytes).unwrap();
    let text = imported(&original, fetches).unwrap();
    let back = exported(&text);
    TENSORFLOW.check(&back).unwrap();
    let expected = TENSORFLOW.run(&original, feeds, fetches).unwrap();
    let inputs = feeds.iter().map(|(_, tensor)| tensor);
    let got = TENSORFLOW.run_exported(&back, "main", inputs, fetches.len());
    assert_eq!(expected, got.unwrap());
    text
}

#[test]
fn control_flow() {
    let bytes = include_bytes!("data/control_flow.pb");
    for n in 0..6 {
        let feeds = [
            ("x", Tensor::floats(&[3], &[1.0, -2.0, 3.5])),
            ("n", Tensor::ints(&[], &[n])),
        ];
        let text = round_trip(bytes, &feeds, &["Identity", "Identity_1"]);
        assert!(text.contains("tfx_tensor.while") && text.contains("loc(\"while/Less\")"));
        assert!(!text.contains("_output_shapes"));
    }
}

#[test]
fn training() {
    let x: Vec<f32> = (0..12).map(|index| (index as f32 - 4.0) / 3.0).collect();
    let feeds = [
        ("x", Tensor::floats(&[4, 3], &x)),
        ("labels", Tensor::ints(&[4], &[0, 1, 1, 0])),
    ];
    let fetches = ["Identity", "Identity_1", "Identity_2"];
    round_trip(include_bytes!("data/training.pb"), &feeds, &fetches);
}

#[test]
fn lists() {
    let feeds = [(
        "x",
        Tensor::floats(&[3, 2], &[1.0, 2.0, 1.0, 0.5, -1.0, 2.0]),
    )];
    let fetches = ["Identity", "Identity_1", "Identity_2", "Identity_3"];
    let text = round_trip(include_bytes!("data/lists.pb"), &feeds, &fetches);
    assert!(text.contains("!tfx_tensor.variant"));
}

#[test]
fn effects_keep_their_order() {
    for x in [3.0, -3.0] {
        let feeds = [("x", Tensor::floats(&[], &[x]))];
        let fetches = ["Identity", "Identity_1", "Identity_2"];
        round_trip(include_bytes!("data/variable.pb"), &feeds, &fetches);
    }
}

#[test]
fn constants() {
    let bytes = include_bytes!("data/constants.pb");
    let original = GraphDef::decode(bytes.as_slice()).unwrap();
    let text = imported(&original, &[]).unwrap();
    for constant in [
        "dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf16>",
        "dense<[1.000000e+00, 2.000000e+00, 2.000000e+00, 2.000000e+00, 2.000000e+00]> : tensor<5xbf16>",
        "dense<[[1, 2], [3, -4]]> : tensor<2x2xi64>",
        "dense<[true, false, true]> : tensor<3xi1>",
        "dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,-4.000000e+00)]> : tensor<2xcomplex<f32>>",
        "dense<7> : tensor<3xui8>",
        "dense<9223372036854775809> : tensor<ui64>",
        "dense<> : tensor<0x2xf64>",
    ] {
        assert!(text.contains(constant), "{constant} in {text}");
    }
    TENSORFLOW.check(&exported(&text)).unwrap();
}

/// Nodes keep their names. `NoOp` nodes and unused constants are omitted.
#[test]
fn names_stay() {
    let bytes = include_bytes!("data/training.pb");
    let original = GraphDef::decode(bytes.as_slice()).unwrap();
    let back = exported(&imported(&original, &[]).unwrap());
    let nodes = |graph: &GraphDef| -> Vec<NodeDef> {
        let functions = graph.library.iter().flat_map(|library| &library.function);
        let inside = functions.flat_map(|function| &function.node_def);
        graph.node.iter().chain(inside).cloned().collect()
    };
    let names: Vec<_> = nodes(&back).into_iter().map(|node| node.name).collect();
    for node in nodes(&original) {
        if !["Const", "NoOp", "Placeholder"].contains(&node.op.as_str()) {
            assert!(names.contains(&node.name), "{} in {names:?}", node.name);
        }
    }
}

/// The import of an exported program has its source locations.
#[test]
fn an_exported_program_is_imported() {
    let text = r#"
      tfx_tensor.graph @p(%x: tensor<2xf32>) -> tensor<2xf32> {
        %y = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("f.mlir":3:4)
        tfx_tensor.return %y : tensor<2xf32>
      }"#;
    let back = imported(&exported(text), &["p/result_0"]).unwrap();
    assert!(back.contains(r#"loc("f.mlir":3:4)"#), "{back}");
    assert!(back.contains(r#"tfx.name = "p/arg_0""#), "{back}");
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let graph: GraphDef = from_text(text).unwrap();
    assert_eq!(imported(&graph, &[]).unwrap_err(), message);
}

#[test]
fn errors_name_their_nodes() {
    refused(
        r#"node { name: "enter" op: "Enter" }"#,
        "node 'enter': 'Enter' is control flow of TensorFlow 1; make the graph with functional control flow (tf.function does, or \
         tf.compat.v1.enable_control_flow_v2)",
    );
    refused(
        r#"node { name: "a" op: "Identity" input: "b" } node { name: "b" op: "Identity" input: "a" }"#,
        "node 'a': it depends on itself, or on a node that does",
    );
    refused(
        r#"node { name: "a" op: "NoOp" } node { name: "a" op: "NoOp" }"#,
        "node 'a': there are two nodes of this name",
    );
    refused(
        r#"node { name: "a" op: "Neg" input: "b" }"#,
        "node 'a': its input 'b' is of 'b', which does not exist or has no such result",
    );
    refused(
        r#"node { name: "a" op: "MyOwnOperation" }"#,
        "node 'a': 'MyOwnOperation' is not an operation of this version of TensorFlow",
    );
    refused(
        r#"node { name: "a" op: "PartitionedCall" attr { key: "f" value { func { name: "g" } } } }"#,
        "there is no function 'g' in the library",
    );
    refused(
        r#"node { name: "a" op: "PartitionedCall" attr { key: "f" value { func { name: "f" } } } }
           library { function { signature { name: "f" }
             node_def { name: "a" op: "PartitionedCall" attr { key: "f" value { func { name: "f" } } } } } }"#,
        "function 'f' calls itself, directly or through others, which a graph cannot",
    );
    refused(
        r#"node { name: "a" op: "f" }
           library { function { signature { name: "f" input_arg { name: "x" type_attr: "T" } attr { name: "T" type: "type" } } } }"#,
        "parameter 'x' of function 'f': its type is a parameter itself, or it is a list; only functions with fixed types can \
         be imported, such as those of tf.function",
    );
    refused(
        r#"node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "\000\000\000\000" } } } }"#,
        "node 'a': a constant has 4 bytes where its shape has 8",
    );
}
