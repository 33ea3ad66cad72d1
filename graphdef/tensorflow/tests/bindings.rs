//! The checks that make the bindings safe, on a loaded TensorFlow.

use tfx_tensorflow::{Graph, Input, Tensor, TensorFlow, alive};

/// The numbers of element types.
const FLOAT: i32 = 1;
const STRING: i32 = 7;
/// A type that the declarations of the `sys` layer do not have.
const FLOAT8: i32 = 24;

#[test]
fn wrong_uses_are_errors() {
    let tensorflow = match TensorFlow::load() {
        Ok(tensorflow) => tensorflow,
        Err(problem) => return eprintln!("skipped: {problem}"),
    };
    let lend = |data_type, sizes: &[i64]| {
        let lent = Tensor::lend(tensorflow, data_type, sizes, vec![0u8; 8]);
        lent.map_err(|status| status.message)
    };
    assert_eq!(lend(FLOAT, &[2]).map(|tensor| tensor.sizes()), Ok(vec![2]));
    let wrong = [
        (FLOAT, &[3][..]),
        (FLOAT, &[-2]),
        (FLOAT, &[1 << 62, 1 << 62, 0]),
        (STRING, &[]),
        (FLOAT8, &[8]),
    ];
    for (data_type, sizes) in wrong {
        assert!(lend(data_type, sizes).is_err(), "{data_type} {sizes:?}");
    }

    let strings = [&b""[..], b"short", &[b'x'; 100]];
    let tensor = Tensor::from_strings(tensorflow, &[3, 1], &strings).expect("three strings");
    assert_eq!(
        (tensor.strings(), tensor.bytes()),
        (strings.map(Vec::from).into(), &[][..])
    );
    assert!(Tensor::from_strings(tensorflow, &[2], &strings).is_err());

    let (graph, other) = (Graph::new(tensorflow), Graph::new(tensorflow));
    let none = graph.add("NoOp", "none", &[], &[]).expect("a node");
    assert!(graph.shape(none, 0).is_err(), "it has no output");
    assert!(other.shape(none, 0).is_err(), "it belongs to another graph");
    assert!(
        other
            .add("Identity", "copy", &[Input::Single(&none)], &[])
            .is_err()
    );
    assert!(graph.add("NoOp", "zero \0 byte", &[], &[]).is_err());
    assert!(graph.add("NoSuchOperation", "x", &[], &[]).is_err());

    drop((tensor, graph, other));
    assert_eq!(alive(), [0; 4]);
}
