//! Each test writes an operation as a user would, and looks at the attributes of the node or at the message.

use super::*;
use crate::{
    element::{display_name, from_mlir},
    proto::{NameAttrList, TensorProto, attr_value::ListValue},
};

/// Data types from MLIR's names, separated by spaces; `?` is unknown.
fn types(names: &str) -> Vec<DataType> {
    let read = |name: &str| from_mlir(name).unwrap_or_else(|| panic!("no element type {name}"));
    names
        .split_whitespace()
        .map(|name| if name == "?" { UNKNOWN } else { read(name) })
        .collect()
}

fn int(value: i64) -> Value {
    Value::I(value)
}

fn ints(values: &[i64]) -> Value {
    Value::list(ListValue {
        i: values.to_vec(),
        ..Default::default()
    })
}

fn string(text: &str) -> Value {
    Value::S(text.into())
}

fn element_type(name: &str) -> Value {
    Value::Type(types(name)[0] as i32)
}

fn element_types(names: &str) -> Value {
    Value::list(ListValue {
        r#type: types(names).iter().map(|one| *one as i32).collect(),
        ..Default::default()
    })
}

fn named(name: &str) -> NameAttrList {
    NameAttrList {
        name: name.into(),
        ..Default::default()
    }
}

fn function(name: &str) -> Value {
    Value::Func(named(name))
}

fn functions(names: &[&str]) -> Value {
    Value::list(ListValue {
        func: names.iter().map(|name| named(name)).collect(),
        ..Default::default()
    })
}

fn try_resolve(
    operation: &str,
    operands: &str,
    results: &str,
    attributes: &[(&str, Value)],
) -> Result<Resolved, OperationError> {
    let written = |(name, value): &(&str, Value)| {
        (
            (*name).to_owned(),
            AttrValue {
                value: Some(value.clone()),
            },
        )
    };
    resolve(&Use {
        operation,
        operands: &types(operands),
        results: &types(results),
        attributes: &attributes.iter().map(written).collect(),
        computed: &Computed::new(),
    })
}

fn resolved(
    operation: &str,
    operands: &str,
    results: &str,
    attributes: &[(&str, Value)],
) -> Resolved {
    try_resolve(operation, operands, results, attributes).unwrap_or_else(|error| panic!("{error}"))
}

fn message(operation: &str, operands: &str, results: &str, attributes: &[(&str, Value)]) -> String {
    match try_resolve(operation, operands, results, attributes) {
        Ok(resolved) => panic!("accepted: {}", shown(&resolved)),
        Err(error) => error.to_string(),
    }
}

/// The attributes on one line, then the results.
fn shown(resolved: &Resolved) -> String {
    let attributes: Vec<_> = resolved
        .attributes
        .iter()
        .map(|(name, value)| format!("{name} = {}", shown_value(value.value.as_ref().unwrap())))
        .collect();
    let results: Vec<_> = resolved
        .results
        .iter()
        .map(|one| display_name(*one))
        .collect();
    format!("{} -> {}", attributes.join(", "), results.join(" "))
}

fn shown_value(value: &Value) -> String {
    match value {
        Value::S(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Value::I(number) => number.to_string(),
        Value::F(number) => number.to_string(),
        Value::B(truth) => truth.to_string(),
        Value::Type(number) => display_name(from_number(*number)).to_owned(),
        Value::Shape(shape) if shape.unknown_rank => "[*]".to_owned(),
        Value::Shape(shape) => format!(
            "{:?}",
            shape.dim.iter().map(|dim| dim.size).collect::<Vec<_>>()
        ),
        Value::Tensor(tensor) => format!("tensor {}", display_name(from_number(tensor.dtype))),
        Value::Func(function) => format!("@{}", function.name),
        Value::Placeholder(name) => format!("${name}"),
        Value::List(list) => {
            let mut shown: Vec<_> = list.i.iter().map(i64::to_string).collect();
            shown.extend(
                list.r#type
                    .iter()
                    .map(|number| display_name(from_number(*number)).to_owned()),
            );
            shown.extend(
                list.func
                    .iter()
                    .map(|function| format!("@{}", function.name)),
            );
            shown.extend(list.shape.iter().map(|_| "shape".to_owned()));
            format!("[{}]", shown.join(", "))
        }
    }
}

fn check(
    operation: &str,
    operands: &str,
    results: &str,
    attributes: &[(&str, Value)],
    expected: &str,
) {
    assert_eq!(
        shown(&resolved(operation, operands, results, attributes)),
        expected
    );
}

#[test]
fn types_follow_from_operands() {
    check(
        "MatMul",
        "f32 f32",
        "f32",
        &[("transpose_a", Value::B(true))],
        "T = f32, grad_a = false, grad_b = false, transpose_a = true, transpose_b = false -> f32",
    );
    check(
        "MatMul",
        "? f64",
        "?",
        &[],
        "T = f64, grad_a = false, grad_b = false, transpose_a = false, transpose_b = false -> f64",
    );
    check(
        "TopKV2",
        "f32 i32",
        "f32 i32",
        &[],
        "T = f32, Tk = i32, index_type = i32, sorted = true -> f32 i32",
    );
}

#[test]
fn types_follow_from_results_where_operands_leave_them_open() {
    check(
        "Cast",
        "f32",
        "i32",
        &[],
        "DstT = i32, SrcT = f32, Truncate = false -> i32",
    );
    check(
        "Placeholder",
        "",
        "f32",
        &[("shape", ints(&[-1, 2]))],
        "dtype = f32, shape = [-1, 2] -> f32",
    );
    check(
        "Placeholder",
        "",
        "f32",
        &[],
        "dtype = f32, shape = [*] -> f32",
    );
    check(
        "Const",
        "",
        "i64",
        &[(
            "value",
            Value::tensor(TensorProto {
                dtype: 9,
                ..Default::default()
            }),
        )],
        "dtype = i64, value = tensor i64 -> i64",
    );
    check(
        "StatelessRandomNormal",
        "i32 i64",
        "f64",
        &[],
        "T = i32, Tseed = i64, dtype = f64 -> f64",
    );
    // Nothing is known of the result: the default decides.
    check(
        "StatelessRandomNormal",
        "i32 i64",
        "?",
        &[],
        "T = i32, Tseed = i64, dtype = f32 -> f32",
    );
}

#[test]
fn lengths_follow_from_the_number_of_values() {
    check(
        "Pack",
        "f32 f32 f32",
        "f32",
        &[("axis", int(1))],
        "N = 3, T = f32, axis = 1 -> f32",
    );
    check(
        "ConcatV2",
        "f32 f32 i64",
        "f32",
        &[],
        "N = 2, T = f32, Tidx = i64 -> f32",
    );
    check(
        "Split",
        "i32 f32",
        "f32 f32 f32",
        &[],
        "T = f32, num_split = 3 -> f32 f32 f32",
    );
    check(
        "IdentityN",
        "f32 i1 ui8",
        "f32 i1 ui8",
        &[],
        "T = [f32, i1, ui8] -> f32 i1 ui8",
    );
    check("IdentityN", "f32 ?", "? i1", &[], "T = [f32, i1] -> f32 i1");
    check("NoOp", "", "", &[], " -> ");
    check(
        "Assert",
        "i1 !tfx_tensor.string f32",
        "",
        &[],
        "T = [!tfx_tensor.string, f32], summarize = 3 -> ",
    );
    // Three lists of one length.
    let concat = resolved(
        "QuantizedConcatV2",
        "?  ? i32 f32 f32 f32 f32",
        "? f32 f32",
        &[("T", Value::Type(12))],
    );
    assert_eq!(concat.operand_arguments, [0..2, 2..3, 3..5, 5..7]);
}

#[test]
fn queues() {
    check(
        "FIFOQueueV2",
        "",
        "!tfx_tensor.resource",
        &[
            ("component_types", element_types("f32")),
            ("capacity", int(4)),
        ],
        "capacity = 4, component_types = [f32], container = \"\", shapes = [], shared_name = \"\" -> !tfx_tensor.resource",
    );
    check(
        "QueueEnqueueV2",
        "!tfx_tensor.resource f32",
        "",
        &[],
        "Tcomponents = [f32], timeout_ms = -1 -> ",
    );
    check(
        "QueueDequeueV2",
        "!tfx_tensor.resource",
        "f32",
        &[],
        "component_types = [f32], timeout_ms = -1 -> f32",
    );
}

#[test]
fn functional_control_flow() {
    let lower = ("_lower_using_switch_merge", Value::B(true));
    check(
        "While",
        "i32 f32",
        "i32 f32",
        &[("cond", function("c")), ("body", function("b")), lower],
        "T = [i32, f32], _lower_using_switch_merge = true, body = @b, cond = @c, output_shapes = [], parallel_iterations = 10 -> i32 f32",
    );
    check(
        "If",
        "i1 f32 i32",
        "f32",
        &[
            ("then_branch", function("t")),
            ("else_branch", function("e")),
        ],
        "Tcond = i1, Tin = [f32, i32], Tout = [f32], else_branch = @e, output_shapes = [], then_branch = @t -> f32",
    );
    check(
        "Case",
        "i32 f32",
        "",
        &[("branches", functions(&["a", "b"]))],
        "Tin = [f32], Tout = [], branches = [@a, @b], output_shapes = [] -> ",
    );
    check(
        "StatefulPartitionedCall",
        "f32 !tfx_tensor.resource",
        "f32",
        &[("f", function("p"))],
        "Tin = [f32, !tfx_tensor.resource], Tout = [f32], config = \"\", config_proto = \"\", executor_type = \"\", f = @p -> f32",
    );
}

#[test]
fn several_lists_are_split_by_what_is_written_by_defaults_or_not_at_all() {
    let f = ("f", function("f"));
    let rest = [
        ("num_batch_threads", int(1)),
        ("max_batch_size", int(1)),
        ("batch_timeout_micros", int(0)),
    ];
    let written =
        |extra: &[(&'static str, Value)]| [std::slice::from_ref(&f), &rest[..], extra].concat();
    let batch = resolved(
        "BatchFunction",
        "f32 i32 i1",
        "f32",
        &written(&[("Tin", element_types("f32"))]),
    );
    assert_eq!(batch.operand_arguments, [0..1, 1..3]);
    assert_eq!(
        message("BatchFunction", "f32 i32 i1", "f32", &written(&[])),
        "\"BatchFunction\" has several lists among its operands, and nothing says where one ends; write one of these attributes: Tcaptured, Tin"
    );
    // `num_host_args` is 0 unless written, so `args` takes the rest.
    let fused = resolved(
        "_FusedConv2D",
        "f32 f32 f32",
        "f32",
        &[
            ("strides", ints(&[1, 1, 1, 1])),
            ("padding", string("SAME")),
            ("num_args", int(1)),
        ],
    );
    assert_eq!(fused.operand_arguments, [0..1, 1..2, 2..3, 3..3]);
}

#[test]
fn a_written_derivable_attribute_may_say_the_same() {
    check(
        "Pack",
        "f32 f32",
        "f32",
        &[("N", int(2)), ("T", element_type("f32"))],
        "N = 2, T = f32, axis = 0 -> f32",
    );
    check(
        "Cast",
        "f32",
        "?",
        &[("DstT", element_type("i1"))],
        "DstT = i1, SrcT = f32, Truncate = false -> i1",
    );
}

#[test]
fn reference_arguments_take_values() {
    check(
        "Assign",
        "f32 f32",
        "f32",
        &[],
        "T = f32, use_locking = true, validate_shape = true -> f32",
    );
}

#[test]
fn results_have_names_for_function_bodies() {
    let split = resolved("Split", "i32 f32", "f32 f32", &[]);
    assert_eq!(split.result_name(1), Some(("output", 1)));
    assert_eq!(split.result_name(2), None);
    let top = resolved("TopKV2", "f32 i32", "f32 i32", &[]);
    assert_eq!(top.result_name(1), Some(("indices", 0)));
    let parse = resolved(
        "ParseExample",
        "!tfx_tensor.string !tfx_tensor.string",
        "",
        &[
            ("Nsparse", int(0)),
            ("Ndense", int(0)),
            ("sparse_types", element_types("")),
            ("dense_shapes", ints(&[])),
        ],
    );
    assert_eq!(parse.result_name(0), None);
}

#[test]
fn kinds_tell_a_reader_what_to_make_of_a_list() {
    assert_eq!(
        attribute_kind("Placeholder", "shape"),
        Some(Kind {
            element: Element::Shape,
            list: false
        })
    );
    assert_eq!(
        attribute_kind("Conv2D", "strides"),
        Some(Kind {
            element: Element::Int,
            list: true
        })
    );
    assert_eq!(attribute_kind("Conv2D", "nonsense"), None);
    assert_eq!(attribute_kind("Nonsense", "strides"), None);
}

#[test]
fn every_attribute_of_every_operation_has_a_kind() {
    for name in Registry::get().names() {
        for attribute in &Registry::get().lookup(name).unwrap().attr {
            assert_ne!(Kind::of(attribute).to_string(), "");
        }
    }
}

/// A value that a user might write for an attribute.
fn sample(definition: &OpDef, name: &str) -> Value {
    let attribute = definition
        .attr
        .iter()
        .find(|known| known.name == name)
        .unwrap();
    let allowed = match attribute
        .allowed_values
        .as_ref()
        .and_then(|value| value.value.clone())
    {
        Some(Value::List(list)) => *list,
        _ => ListValue::default(),
    };
    let kind = Kind::of(attribute);
    let element = match kind.element {
        Element::String => Value::S(allowed.s.first().cloned().unwrap_or_default()),
        Element::Int => int(attribute.minimum),
        Element::Float => Value::F(1.0),
        Element::Bool => Value::B(true),
        Element::Type => Value::Type(allowed.r#type.first().copied().unwrap_or(1)),
        Element::Shape => Value::Shape(Default::default()),
        Element::Tensor => Value::tensor(Default::default()),
        Element::Function => function("f"),
    };
    if !kind.list {
        return element;
    }
    let mut list = ListValue::default();
    for _ in 0..attribute.minimum {
        match element.clone() {
            Value::S(text) => list.s.push(text),
            Value::I(number) => list.i.push(number),
            Value::F(number) => list.f.push(number),
            Value::B(truth) => list.b.push(truth),
            Value::Type(number) => list.r#type.push(number),
            Value::Shape(shape) => list.shape.push(shape),
            Value::Tensor(tensor) => list.tensor.push(*tensor),
            Value::Func(function) => list.func.push(function),
            Value::List(_) | Value::Placeholder(_) => unreachable!("not an element"),
        }
    }
    Value::list(list)
}

/// Does what each error says until the operation is accepted.
fn follow_the_errors(definition: &'static OpDef) -> Result<Resolved, OperationError> {
    let (mut operands, mut results, mut attributes) = (vec![], vec![], BTreeMap::new());
    loop {
        let operation = Use {
            operation: &definition.name,
            operands: &operands,
            results: &results,
            attributes: &attributes,
            computed: &Computed::new(),
        };
        let name = match resolve(&operation) {
            Err(OperationError::MissingAttribute { attribute, .. }) => attribute,
            Err(OperationError::AmbiguousLists { attributes, .. }) => attributes[0],
            Err(OperationError::WrongCount {
                side,
                expected,
                given,
                ..
            }) => {
                let count = match expected {
                    Count::Exactly(count) => count,
                    Count::Steps {
                        fixed,
                        step,
                        minimum,
                        ..
                    } => fixed + step * minimum,
                };
                assert_ne!(count, given);
                match side {
                    Side::Operand => operands.resize(count, UNKNOWN),
                    Side::Result => results.resize(count, UNKNOWN),
                }
                continue;
            }
            end => return end,
        };
        let value = AttrValue {
            value: Some(sample(definition, name)),
        };
        assert!(
            attributes.insert(name.to_owned(), value).is_none(),
            "{name} was written already"
        );
    }
}

/// Every operation is accepted by a user who does what the messages say, but the deprecated ones; and its complete
/// attributes, written out, are accepted and change nothing.
#[test]
fn every_operation_resolves() {
    for name in Registry::get().names() {
        let definition = Registry::get().lookup(name).unwrap();
        let first = match follow_the_errors(definition) {
            Ok(first) => first,
            Err(OperationError::Deprecated { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        assert!(
            definition
                .attr
                .iter()
                .all(|attribute| first.attributes.contains_key(&attribute.name))
        );
        let again = resolve(&Use {
            operation: name,
            operands: &first.operands,
            results: &first.results,
            attributes: &first.attributes,
            computed: &Computed::new(),
        });
        assert_eq!(again.unwrap_or_else(|error| panic!("{error}")), first);
    }
}

#[test]
fn messages() {
    let string_element = "!tfx_tensor.string";
    let strings = format!("{string_element} {string_element}");
    let cases = [
        message("MatMull", "f32 f32", "f32", &[]),
        message("Quaternion", "f32 f32", "f32", &[]),
        message("BatchCholesky", "f32", "f32", &[]),
        message("MatMul", "f32 i32", "f32", &[]),
        message("MatMul", "f32 f32", "i32", &[]),
        message("MatMul", "f32 f32 f32", "f32", &[]),
        message("MatMul", "f32", "f32", &[]),
        message("MatMul", "f32 f32", "", &[]),
        message("MatMul", &strings, string_element, &[]),
        message(
            "MatMul",
            "f32 f32",
            "f32",
            &[("transpose_a", string("yes"))],
        ),
        message(
            "MatMul",
            "f32 f32",
            "f32",
            &[("transposeA", Value::B(true))],
        ),
        message("MatMul", "f32 f32", "f32", &[("a", Value::B(true))]),
        message("MatMul", "f32 f32", "f32", &[("T", element_type("f64"))]),
        message("NoOp", "", "", &[("a", Value::B(true))]),
        message("Pack", "", "f32", &[]),
        message("Pack", "f32 f32", "f32", &[("N", int(3))]),
        message("Pack", "f32 f32", "f32", &[("N", int(0))]),
        message("ConcatV2", "f32 f32 f32", "f32", &[]),
        message(
            "QuantizedConcat",
            "i32 f32 f32 f32 f32 f32",
            "f32 f32 f32",
            &[],
        ),
        message("Split", "f32 f32", "f32 f32", &[]),
        message("Split", "i32 f32", "f32 i32", &[]),
        message("Split", "i32 f32", "f32 f32 f32", &[("num_split", int(2))]),
        message("Cast", "f32", "?", &[]),
        message("Cast", "f32", "i32", &[("DstT", element_type("i64"))]),
        message("Placeholder", "", "f32", &[("shape", ints(&[-2]))]),
        message("Placeholder", "", "f32", &[("shape", string("2"))]),
        message("Const", "", "f32", &[]),
        message("FIFOQueueV2", "", "!tfx_tensor.resource", &[]),
        message(
            "FIFOQueueV2",
            "",
            "!tfx_tensor.resource",
            &[("component_types", ints(&[]))],
        ),
        message("QueueEnqueueV2", "f32 f32", "", &[]),
        message("QueueEnqueueV2", "!tfx_tensor.resource", "", &[]),
        message(
            "While",
            "i32 f32",
            "i32 i32",
            &[("cond", function("c")), ("body", function("b"))],
        ),
        message(
            "While",
            "i32 f32",
            "i32",
            &[("cond", function("c")), ("body", function("b"))],
        ),
        message("While", "i32", "i32", &[("cond", function("c"))]),
        message(
            "While",
            "i32",
            "i32",
            &[("cond", function("c")), ("body", string("b"))],
        ),
        message("Case", "i64 f32", "f32", &[("branches", functions(&["a"]))]),
        message("Case", "i32 f32", "f32", &[("branches", functions(&[]))]),
        message(
            "StatefulPartitionedCall",
            "f32",
            "f32",
            &[("f", function("p")), ("Tin", element_types("i32"))],
        ),
        message(
            "Conv2D",
            "f32 f32",
            "f32",
            &[
                ("strides", ints(&[1, 1, 1, 1])),
                ("padding", string("full")),
            ],
        ),
        message(
            "Conv2D",
            "f32 f32",
            "f32",
            &[("strides", int(1)), ("padding", string("SAME"))],
        ),
        message("LeakyRelu", "f32", "f32", &[("alpha", int(1))]),
        message(
            "Conv2D",
            "f32 f32",
            "f32",
            &[(
                "strides",
                Value::list(ListValue {
                    i: vec![1],
                    f: vec![1.0],
                    ..Default::default()
                }),
            )],
        ),
        message(
            "MatMul",
            "f32 f32",
            "f32",
            &[("transpose_a", Value::Placeholder("x".into()))],
        ),
    ];
    insta::assert_snapshot!(cases.join("\n"));
}

#[test]
fn a_huge_written_length_is_an_error_and_no_allocation() {
    assert_eq!(
        message("Split", "i32 f32", "f32", &[("num_split", int(i64::MAX))]),
        "\"Split\" with num_split as written gives 9223372036854775807 results, 1 was given; leave num_split out, it is derived"
    );
    let sums = [("N", int(i64::MAX)), ("T", Value::Type(12))];
    assert!(message("QuantizedConcat", "i32 f32", "f32 f32 f32", &sums).contains("leave N out"));
}

#[test]
fn errors_point_at_what_they_are_about() {
    let place = |operands: &str, results: &str, attributes: &[(&str, Value)]| {
        try_resolve("MatMul", operands, results, attributes)
            .unwrap_err()
            .place()
    };
    assert_eq!(place("f32 i32", "f32", &[]), Place::Operand(1));
    assert_eq!(place("f32 f32", "i32", &[]), Place::Result(0));
    assert_eq!(place("i1 i1", "i1", &[]), Place::Operand(0));
    assert_eq!(place("f32", "f32", &[]), Place::Operation);
    assert_eq!(
        place("f32 f32", "f32", &[("transpose_a", int(1))]),
        Place::Attribute("transpose_a".into())
    );
    assert_eq!(
        place("f32 f32", "f32", &[("tranpose_a", int(1))]),
        Place::Attribute("tranpose_a".into())
    );
}

/// What is said of attributes whose values are not known.
fn computed(
    operation: &str,
    operands: &str,
    results: &str,
    attributes: &[(&str, Element, bool)],
) -> String {
    let kind = |&(name, element, list): &(&str, Element, bool)| {
        (name.to_owned(), Some(Kind { element, list }))
    };
    let resolved = resolve(&Use {
        operation,
        operands: &types(operands),
        results: &types(results),
        attributes: &BTreeMap::new(),
        computed: &attributes.iter().map(kind).collect(),
    });
    resolved.map_or_else(|error| error.to_string(), |resolved| shown(&resolved))
}

#[test]
fn computed_attributes() {
    // A value is not asked for, and a shape may come as its sizes.
    assert_eq!(
        computed("Placeholder", "", "f32", &[("shape", Element::Int, true)]),
        "dtype = f32 -> f32"
    );
    assert_eq!(
        computed("Const", "", "i64", &[("value", Element::Int, true)]),
        "dtype = i64 -> i64"
    );
    assert_eq!(
        computed(
            "MatMul",
            "f32 f32",
            "f32",
            &[("transpose_a", Element::Int, false)]
        ),
        "attribute \"transpose_a\" of \"MatMul\" wants a bool, not an integer; write, for example, transpose_a = true"
    );
    assert_eq!(
        computed(
            "MatMul",
            "f32 f32",
            "f32",
            &[("transpose", Element::Bool, false)]
        ),
        message("MatMul", "f32 f32", "f32", &[("transpose", Value::B(true))])
    );
}
