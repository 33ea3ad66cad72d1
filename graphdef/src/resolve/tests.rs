//! Each test writes an operation in a short notation, and compares the attributes of the node or
//! the message: `Pack f32 f32 -> f32 | axis = 1 | N = 2`.

use super::*;
use crate::{
    element::{display_name, from_mlir},
    proto::{NameAttrList, TensorProto, attr_value::ListValue},
};

/// An operation with operands, results and attributes.
struct Written<'a> {
    operation: &'a str,
    operands: Vec<DataType>,
    results: Vec<DataType>,
    attributes: BTreeMap<String, AttrValue>,
}

impl<'a> Written<'a> {
    fn parse(text: &'a str) -> Self {
        let mut parts = text.split(" | ");
        let (inputs, results) = parts.next().unwrap().split_once("->").unwrap();
        let (operation, operands) = inputs.split_once(' ').unwrap();
        let attributes = parts.map(|attribute| {
            let (name, text) = attribute.split_once(" = ").unwrap();
            (name.to_owned(), value(text).into())
        });
        Self {
            operation,
            operands: types(operands),
            results: types(results),
            attributes: attributes.collect(),
        }
    }

    fn resolve(&self) -> Result<Resolved, OperationError> {
        resolve(&Use {
            operation: self.operation,
            operands: &self.operands,
            results: &self.results,
            attributes: &self.attributes,
            computed: &Computed::new(),
        })
    }
}

/// Parses names of MLIR's element types, separated by spaces; `?` is unknown.
fn types(names: &str) -> Vec<DataType> {
    let read = |name: &str| match name {
        "?" => UNKNOWN,
        "string" | "resource" => from_mlir(&format!("!tfx_tensor.{name}")).unwrap(),
        _ => from_mlir(name).unwrap_or_else(|| panic!("no element type {name}")),
    };
    names.split_whitespace().map(read).collect()
}

/// Parses the value of an attribute.
fn value(text: &str) -> Value {
    if let Some(list) = text.strip_prefix('[') {
        let elements = list.trim_end_matches(']').split_terminator(", ");
        return Value::list(elements.map(value).collect());
    }
    match (text.split_at(1), text.parse(), text.parse()) {
        (_, Ok(number), _) => Value::I(number),
        (_, _, Ok(number)) => Value::F(number),
        (("@", name), ..) => function(name),
        (("$", name), ..) => Value::Placeholder(name.into()),
        (("\"", text), ..) => Value::S(text.trim_end_matches('"').into()),
        _ if text == "true" => Value::B(true),
        _ => match text.strip_prefix("tensor ") {
            None => Value::Type(types(text)[0] as i32),
            Some(element) => Value::tensor(TensorProto {
                dtype: types(element)[0] as i32,
                ..Default::default()
            }),
        },
    }
}

fn function(name: &str) -> Value {
    Value::Func(NameAttrList {
        name: name.into(),
        ..Default::default()
    })
}

fn resolved(text: &str) -> Resolved {
    Written::parse(text)
        .resolve()
        .unwrap_or_else(|error| panic!("{error}"))
}

fn error(text: &str) -> OperationError {
    match Written::parse(text).resolve() {
        Ok(resolved) => panic!("accepted: {}", shown(&resolved)),
        Err(error) => error,
    }
}

/// Prints the attributes on one line, then the results.
fn shown(resolved: &Resolved) -> String {
    let attributes = resolved.attributes.iter();
    let attributes: Vec<_> = attributes
        .map(|(name, value)| format!("{name} = {}", shown_value(value.value.as_ref().unwrap())))
        .collect();
    let results: Vec<_> = resolved
        .results
        .iter()
        .map(|&one| display_name(one))
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
        Value::Shape(shape) => {
            let sizes: Vec<_> = shape.dim.iter().map(|dim| dim.size).collect();
            format!("{sizes:?}")
        }
        Value::Tensor(tensor) => format!("tensor {}", display_name(from_number(tensor.dtype))),
        Value::Func(function) => format!("@{}", function.name),
        Value::Placeholder(name) => format!("${name}"),
        Value::List(list) => {
            let elements: Vec<_> = list.values().map(|value| shown_value(&value)).collect();
            format!("[{}]", elements.join(", "))
        }
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(shown(&resolved(text)), expected);
}

#[test]
fn types_follow_from_operands() {
    check(
        "MatMul f32 f32 -> f32 | transpose_a = true",
        "T = f32, grad_a = false, grad_b = false, transpose_a = true, transpose_b = false -> f32",
    );
    check(
        "MatMul ? f64 -> ?",
        "T = f64, grad_a = false, grad_b = false, transpose_a = false, transpose_b = false -> f64",
    );
    check(
        "TopKV2 f32 i32 -> f32 i32",
        "T = f32, Tk = i32, index_type = i32, sorted = true -> f32 i32",
    );
}

#[test]
fn types_follow_from_results_where_operands_leave_them_open() {
    check(
        "Cast f32 -> i32",
        "DstT = i32, SrcT = f32, Truncate = false -> i32",
    );
    check(
        "Placeholder -> f32 | shape = [-1, 2]",
        "dtype = f32, shape = [-1, 2] -> f32",
    );
    check("Placeholder -> f32", "dtype = f32, shape = [*] -> f32");
    check(
        "Const -> i64 | value = tensor i64",
        "dtype = i64, value = tensor i64 -> i64",
    );
    check(
        "StatelessRandomNormal i32 i64 -> f64",
        "T = i32, Tseed = i64, dtype = f64 -> f64",
    );
    // The result is unknown, so the default decides.
    check(
        "StatelessRandomNormal i32 i64 -> ?",
        "T = i32, Tseed = i64, dtype = f32 -> f32",
    );
}

#[test]
fn lengths_follow_from_the_number_of_values() {
    check(
        "Pack f32 f32 f32 -> f32 | axis = 1",
        "N = 3, T = f32, axis = 1 -> f32",
    );
    check(
        "ConcatV2 f32 f32 i64 -> f32",
        "N = 2, T = f32, Tidx = i64 -> f32",
    );
    check(
        "Split i32 f32 -> f32 f32 f32",
        "T = f32, num_split = 3 -> f32 f32 f32",
    );
    check(
        "IdentityN f32 i1 ui8 -> f32 i1 ui8",
        "T = [f32, i1, ui8] -> f32 i1 ui8",
    );
    check("IdentityN f32 ? -> ? i1", "T = [f32, i1] -> f32 i1");
    check("NoOp ->", " -> ");
    check(
        "Assert i1 string f32 ->",
        "T = [!tfx_tensor.string, f32], summarize = 3 -> ",
    );
    // Three lists of one length.
    let concat = resolved("QuantizedConcatV2 ?  ? i32 f32 f32 f32 f32 -> ? f32 f32 | T = ui8");
    assert_eq!(concat.operand_arguments, [0..2, 2..3, 3..5, 5..7]);
}

#[test]
fn queues() {
    check(
        "FIFOQueueV2 -> resource | component_types = [f32] | capacity = 4",
        "capacity = 4, component_types = [f32], container = \"\", shapes = [], shared_name = \"\" \
         -> !tfx_tensor.resource",
    );
    check(
        "QueueEnqueueV2 resource f32 ->",
        "Tcomponents = [f32], timeout_ms = -1 -> ",
    );
    check(
        "QueueDequeueV2 resource -> f32",
        "component_types = [f32], timeout_ms = -1 -> f32",
    );
}

#[test]
fn functional_control_flow() {
    check(
        "While i32 f32 -> i32 f32 | cond = @c | body = @b | _lower_using_switch_merge = true",
        "T = [i32, f32], _lower_using_switch_merge = true, body = @b, cond = @c, \
         output_shapes = [], parallel_iterations = 10 -> i32 f32",
    );
    check(
        "If i1 f32 i32 -> f32 | then_branch = @t | else_branch = @e",
        "Tcond = i1, Tin = [f32, i32], Tout = [f32], else_branch = @e, output_shapes = [], \
         then_branch = @t -> f32",
    );
    check(
        "Case i32 f32 -> | branches = [@a, @b]",
        "Tin = [f32], Tout = [], branches = [@a, @b], output_shapes = [] -> ",
    );
    check(
        "StatefulPartitionedCall f32 resource -> f32 | f = @p",
        "Tin = [f32, !tfx_tensor.resource], Tout = [f32], config = \"\", config_proto = \"\", \
         executor_type = \"\", f = @p -> f32",
    );
}

#[test]
fn several_lists_are_split_by_written_attributes_or_defaults() {
    let batch = "BatchFunction f32 i32 i1 -> f32 | f = @f | num_batch_threads = 1 \
                 | max_batch_size = 1 | batch_timeout_micros = 0";
    let split = resolved(&format!("{batch} | Tin = [f32]"));
    assert_eq!(split.operand_arguments, [0..1, 1..3]);
    assert_eq!(
        error(batch).to_string(),
        "\"BatchFunction\" has several lists among its operands, and nothing determines where one \
         ends; write one of these attributes: Tcaptured, Tin"
    );
    // `num_host_args` is 0 unless written, so `args` takes the rest.
    let fused = "_FusedConv2D f32 f32 f32 -> f32 | strides = [1, 1, 1, 1] | padding = \"SAME\" \
                 | num_args = 1";
    assert_eq!(resolved(fused).operand_arguments, [0..1, 1..2, 2..3, 3..3]);
}

#[test]
fn a_written_attribute_may_agree_with_the_inferred_one() {
    check(
        "Pack f32 f32 -> f32 | N = 2 | T = f32",
        "N = 2, T = f32, axis = 0 -> f32",
    );
    check(
        "Cast f32 -> ? | DstT = i1",
        "DstT = i1, SrcT = f32, Truncate = false -> i1",
    );
}

#[test]
fn reference_arguments_take_values() {
    check(
        "Assign f32 f32 -> f32",
        "T = f32, use_locking = true, validate_shape = true -> f32",
    );
}

#[test]
fn results_have_names_for_function_bodies() {
    let split = resolved("Split i32 f32 -> f32 f32");
    assert_eq!(split.result_name(1), Some(("output", 1)));
    assert_eq!(split.result_name(2), None);
    let top = resolved("TopKV2 f32 i32 -> f32 i32");
    assert_eq!(top.result_name(1), Some(("indices", 0)));
    let parse = "ParseExample string string -> | Nsparse = 0 | Ndense = 0 | sparse_types = [] \
                 | dense_shapes = []";
    assert_eq!(resolved(parse).result_name(0), None);
}

#[test]
fn attributes_have_kinds() {
    let shape = Kind::single(Element::Shape);
    assert_eq!(attribute_kind("Placeholder", "shape"), Some(shape));
    let ints = Kind::list(Element::Int);
    assert_eq!(attribute_kind("Conv2D", "strides"), Some(ints));
    assert_eq!(attribute_kind("Conv2D", "nonsense"), None);
    assert_eq!(attribute_kind("Nonsense", "strides"), None);
    for name in Registry::get().names() {
        for attribute in &Registry::get().lookup(name).unwrap().attr {
            assert_ne!(Kind::of(attribute).to_string(), "");
        }
    }
}

/// Returns a value that an attribute accepts.
fn sample(definition: &OpDef, name: &str) -> Value {
    let attribute = definition.attr.iter().find(|known| known.name == name);
    let attribute = attribute.unwrap();
    let allowed = attribute.allowed_values.as_ref();
    let allowed = match allowed.and_then(|value| value.value.clone()) {
        Some(Value::List(list)) => *list,
        _ => ListValue::default(),
    };
    let kind = Kind::of(attribute);
    let element = match kind.element {
        Element::String => Value::S(allowed.s.first().cloned().unwrap_or_default()),
        Element::Int => Value::I(attribute.minimum),
        Element::Float => Value::F(1.0),
        Element::Bool => Value::B(true),
        Element::Type => Value::Type(allowed.r#type.first().copied().unwrap_or(1)),
        Element::Shape => Value::Shape(Default::default()),
        Element::Tensor => Value::tensor(Default::default()),
        Element::Function => function("f"),
    };
    match kind.list {
        false => element,
        true => {
            let elements = std::iter::repeat_n(element, attribute.minimum as usize);
            Value::list(elements.collect())
        }
    }
}

/// Follows the messages until the operation is accepted.
fn follow_the_errors(definition: &'static OpDef) -> Result<Resolved, OperationError> {
    let mut written = Written {
        operation: &definition.name,
        operands: Vec::new(),
        results: Vec::new(),
        attributes: BTreeMap::new(),
    };
    loop {
        let name = match written.resolve() {
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
                    Side::Operand => written.operands.resize(count, UNKNOWN),
                    Side::Result => written.results.resize(count, UNKNOWN),
                }
                continue;
            }
            end => return end,
        };
        let value = sample(definition, name).into();
        let replaced = written.attributes.insert(name.to_owned(), value);
        assert!(replaced.is_none(), "{name} was written already");
    }
}

/// Every operation that is not deprecated is accepted if a user follows the messages. Its complete
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
        let mut names = definition.attr.iter().map(|attribute| &attribute.name);
        assert!(names.all(|name| first.attributes.contains_key(name)));
        let written = Written {
            operation: name,
            operands: first.operands.clone(),
            results: first.results.clone(),
            attributes: first.attributes.clone(),
        };
        assert_eq!(
            written.resolve().unwrap_or_else(|error| panic!("{error}")),
            first
        );
    }
}

#[test]
fn messages() {
    let cases = r#"
        MatMull f32 f32 -> f32
        Quaternion f32 f32 -> f32
        BatchCholesky f32 -> f32
        MatMul f32 i32 -> f32
        MatMul f32 f32 -> i32
        MatMul f32 f32 f32 -> f32
        MatMul f32 -> f32
        MatMul f32 f32 ->
        MatMul string string -> string
        MatMul f32 f32 -> f32 | transpose_a = "yes"
        MatMul f32 f32 -> f32 | transposeA = true
        MatMul f32 f32 -> f32 | a = true
        MatMul f32 f32 -> f32 | T = f64
        NoOp -> | a = true
        Pack -> f32
        Pack f32 f32 -> f32 | N = 3
        Pack f32 f32 -> f32 | N = 0
        ConcatV2 f32 f32 f32 -> f32
        QuantizedConcat i32 f32 f32 f32 f32 f32 -> f32 f32 f32
        Split f32 f32 -> f32 f32
        Split i32 f32 -> f32 i32
        Split i32 f32 -> f32 f32 f32 | num_split = 2
        Cast f32 -> ?
        Cast f32 -> i32 | DstT = i64
        Placeholder -> f32 | shape = [-2]
        Placeholder -> f32 | shape = "2"
        Const -> f32
        FIFOQueueV2 -> resource
        FIFOQueueV2 -> resource | component_types = []
        QueueEnqueueV2 f32 f32 ->
        QueueEnqueueV2 resource ->
        While i32 f32 -> i32 i32 | cond = @c | body = @b
        While i32 f32 -> i32 | cond = @c | body = @b
        While i32 -> i32 | cond = @c
        While i32 -> i32 | cond = @c | body = "b"
        Case i64 f32 -> f32 | branches = [@a]
        Case i32 f32 -> f32 | branches = []
        StatefulPartitionedCall f32 -> f32 | f = @p | Tin = [i32]
        Conv2D f32 f32 -> f32 | strides = [1, 1, 1, 1] | padding = "full"
        Conv2D f32 f32 -> f32 | strides = 1 | padding = "SAME"
        LeakyRelu f32 -> f32 | alpha = 1
        Conv2D f32 f32 -> f32 | strides = [1, 1.0]
        MatMul f32 f32 -> f32 | transpose_a = $x
    "#;
    let cases = cases.lines().map(str::trim).filter(|case| !case.is_empty());
    let messages: Vec<_> = cases.map(|case| error(case).to_string()).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_huge_written_length_is_an_error_and_no_allocation() {
    assert_eq!(
        error(&format!("Split i32 f32 -> f32 | num_split = {}", i64::MAX)).to_string(),
        "\"Split\" with num_split as written returns 9223372036854775807 results, 1 was given; \
         omit num_split, it is inferred"
    );
    let sums = format!(
        "QuantizedConcat i32 f32 -> f32 f32 f32 | N = {} | T = ui8",
        i64::MAX
    );
    assert!(error(&sums).to_string().contains("omit N"));
}

#[test]
fn errors_have_places() {
    let place = |text: &str| error(text).place();
    assert_eq!(place("MatMul f32 i32 -> f32"), Place::Operand(1));
    assert_eq!(place("MatMul f32 f32 -> i32"), Place::Result(0));
    assert_eq!(place("MatMul i1 i1 -> i1"), Place::Operand(0));
    assert_eq!(place("MatMul f32 -> f32"), Place::Operation);
    for name in ["transpose_a", "tranpose_a"] {
        let text = format!("MatMul f32 f32 -> f32 | {name} = 1");
        assert_eq!(place(&text), Place::Attribute(name.into()));
    }
}

/// Resolves an operation with an attribute whose value is not known.
fn computed(text: &str, name: &str, kind: Kind) -> String {
    let written = Written::parse(text);
    let resolved = resolve(&Use {
        operation: written.operation,
        operands: &written.operands,
        results: &written.results,
        attributes: &BTreeMap::new(),
        computed: &[(name.to_owned(), Some(kind))].into(),
    });
    resolved.map_or_else(|error| error.to_string(), |resolved| shown(&resolved))
}

#[test]
fn computed_attributes() {
    // The value is not needed, and a shape may be given by its sizes.
    let ints = Kind::list(Element::Int);
    assert_eq!(
        computed("Placeholder -> f32", "shape", ints),
        "dtype = f32 -> f32"
    );
    assert_eq!(
        computed("Const -> i64", "value", ints),
        "dtype = i64 -> i64"
    );
    let matmul = "MatMul f32 f32 -> f32";
    assert_eq!(
        computed(matmul, "transpose_a", Kind::single(Element::Int)),
        "attribute \"transpose_a\" of \"MatMul\" expects a bool, not an integer; \
         write, for example, transpose_a = true"
    );
    assert_eq!(
        computed(matmul, "transpose", Kind::single(Element::Bool)),
        error("MatMul f32 f32 -> f32 | transpose = true").to_string()
    );
}
