//! Protobuf's text format, as `text_format` of Python and TensorFlow read it.
//!
//! ```text
//! node {
//!   name: "add"
//!   attr {
//!     key: "T"
//!     value {
//!       type: DT_FLOAT
//! ```
//!
//! A message is encoded, and read back as a dynamic message that knows the names of its fields; those are printed in the order
//! of their numbers, and a map in the order of its keys, so the same message is always the same text. (prost-reflect's own printer
//! keeps the order of a hash map.) Linear in the text. Nesting is as deep as a message nests, which prost limits to 100.

use std::{fmt::Write, sync::LazyLock};

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, Value};

use crate::proto::{FunctionDef, GraphDef, NodeDef};

static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(include_bytes!("../data/tensorflow.fds").as_slice())
        .expect("tensorflow.fds is a FileDescriptorSet")
});

/// A message that has a name in the descriptors.
pub trait Named: Message {
    /// The full protobuf name.
    const NAME: &'static str;
}

impl Named for GraphDef {
    const NAME: &'static str = "tensorflow.GraphDef";
}

impl Named for NodeDef {
    const NAME: &'static str = "tensorflow.NodeDef";
}

impl Named for FunctionDef {
    const NAME: &'static str = "tensorflow.FunctionDef";
}

/// A message in text format, with a newline at the end of each field.
///
/// # Errors
///
/// Only a message that nests deeper than protobuf decoders accept (100 levels) cannot be printed.
pub fn to_text<M: Named>(message: &M) -> Result<String, prost::DecodeError> {
    let descriptor = DESCRIPTORS
        .get_message_by_name(M::NAME)
        .expect("every Named message is in tensorflow.fds");
    let dynamic = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice())?;
    let mut printer = Printer::default();
    printer.message(&dynamic);
    Ok(printer.text)
}

/// A message from its text format.
///
/// # Errors
///
/// What is wrong, with line and column.
pub fn from_text<M: Named + Default>(text: &str) -> Result<M, String> {
    let descriptor = DESCRIPTORS
        .get_message_by_name(M::NAME)
        .expect("every Named message is in tensorflow.fds");
    let dynamic = DynamicMessage::parse_text_format(descriptor, text).map_err(|e| e.to_string())?;
    M::decode(dynamic.encode_to_vec().as_slice()).map_err(|error| error.to_string())
}

#[derive(Default)]
struct Printer {
    text: String,
    depth: usize,
}

impl Printer {
    fn message(&mut self, message: &DynamicMessage) {
        let mut fields: Vec<_> = message.fields().collect();
        fields.sort_by_key(|(field, _)| field.number());
        for (field, value) in fields {
            match value {
                Value::List(items) => {
                    for item in items {
                        self.field(&field, &field.kind(), item);
                    }
                }
                Value::Map(entries) => {
                    let mut entries: Vec<_> = entries.iter().collect();
                    entries.sort_by(|(a, _), (b, _)| compare_keys(a, b));
                    for (key, value) in entries {
                        self.entry(&field, key, value);
                    }
                }
                single => self.field(&field, &field.kind(), single),
            }
        }
    }

    /// One line `name: value`, or a block for a message.
    fn field(&mut self, field: &FieldDescriptor, kind: &Kind, value: &Value) {
        self.named(field.name(), kind, value);
    }

    fn named(&mut self, name: &str, kind: &Kind, value: &Value) {
        if let Value::Message(message) = value {
            self.block(name, |printer| printer.message(message));
        } else {
            self.line(&format!("{name}: {}", scalar(kind, value)));
        }
    }

    /// A map entry: a message with the fields `key` and `value`.
    fn entry(&mut self, field: &FieldDescriptor, key: &MapKey, value: &Value) {
        let Kind::Message(entry) = field.kind() else {
            unreachable!("a map field is a list of entry messages");
        };
        self.block(field.name(), |printer| {
            printer.named(
                "key",
                &entry.map_entry_key_field().kind(),
                &key.clone().into(),
            );
            printer.named("value", &entry.map_entry_value_field().kind(), value);
        });
    }

    fn block(&mut self, name: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{name} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn scalar(kind: &Kind, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::U32(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::F32(value) => float(f64::from(*value), || format!("{value:?}")),
        Value::F64(value) => float(*value, || format!("{value:?}")),
        Value::String(value) => quoted(value.as_bytes()),
        Value::Bytes(value) => quoted(value),
        Value::EnumNumber(number) => match kind {
            Kind::Enum(descriptor) => descriptor
                .get_value(*number)
                .map_or_else(|| number.to_string(), |value| value.name().to_owned()),
            _ => number.to_string(),
        },
        Value::Message(_) | Value::List(_) | Value::Map(_) => unreachable!("not a scalar"),
    }
}

/// Rust's shortest digits that read back as the same number; the special values as protobuf spells them.
fn float(value: f64, digits: impl FnOnce() -> String) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "inf" } else { "-inf" }.to_owned()
    } else {
        digits()
    }
}

/// A string literal: what is not printable ASCII is escaped in octal, as protobuf does it.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b'"' => text.push_str("\\\""),
            b'\'' => text.push_str("\\'"),
            b'\\' => text.push_str("\\\\"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => write!(text, "\\{byte:03o}").expect("writing to a string does not fail"),
        }
    }
    text.push('"');
    text
}

/// Keys of one map are of one kind.
fn compare_keys(left: &MapKey, right: &MapKey) -> std::cmp::Ordering {
    match (left, right) {
        (MapKey::String(left), MapKey::String(right)) => left.cmp(right),
        (MapKey::U32(left), MapKey::U32(right)) => left.cmp(right),
        (MapKey::U64(left), MapKey::U64(right)) => left.cmp(right),
        (MapKey::I32(left), MapKey::I32(right)) => left.cmp(right),
        (MapKey::I64(left), MapKey::I64(right)) => left.cmp(right),
        (MapKey::Bool(left), MapKey::Bool(right)) => left.cmp(right),
        _ => unreachable!("keys of one map have one kind"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{
        AttrValue, DataType, FunctionDefLibrary, NameAttrList, OpDef, TensorProto,
        TensorShapeProto, VersionDef, attr_value, op_def, tensor_shape_proto,
    };

    fn attribute(value: attr_value::Value) -> AttrValue {
        AttrValue { value: Some(value) }
    }

    /// A graph with every kind of field: nested messages, maps with string and number keys, all scalar kinds.
    fn graph() -> GraphDef {
        let shape = TensorShapeProto {
            dim: vec![
                tensor_shape_proto::Dim {
                    size: -1,
                    name: String::new(),
                },
                Default::default(),
            ],
            unknown_rank: false,
        };
        let tensor = TensorProto {
            dtype: DataType::DtFloat as i32,
            tensor_shape: Some(TensorShapeProto::default()),
            tensor_content: vec![0, 1, 200, b'\n', b'"', b'\'', b'\\', b'7'],
            float_val: vec![
                1.0,
                0.01,
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                1e38,
                1e-7,
                -0.0,
            ],
            ..Default::default()
        };
        let function = NameAttrList {
            name: "f".into(),
            ..Default::default()
        };
        let attributes = [
            ("value", attribute(attr_value::Value::tensor(tensor))),
            (
                "dtype",
                attribute(attr_value::Value::Type(DataType::DtFloat as i32)),
            ),
            ("shape", attribute(attr_value::Value::Shape(shape))),
            ("f", attribute(attr_value::Value::Func(function))),
            ("b", attribute(attr_value::Value::B(false))),
            ("s", attribute(attr_value::Value::S("é\t".into()))),
            (
                "l",
                attribute(attr_value::Value::list(attr_value::ListValue {
                    i: vec![1, -2],
                    ..Default::default()
                })),
            ),
        ];
        GraphDef {
            node: vec![NodeDef {
                name: "a/b".into(),
                op: "Const".into(),
                input: vec!["x:1".into(), "^y".into()],
                attr: attributes
                    .map(|(name, value)| (name.to_owned(), value))
                    .into(),
                ..Default::default()
            }],
            library: Some(FunctionDefLibrary {
                function: vec![FunctionDef {
                    signature: Some(OpDef {
                        name: "f".into(),
                        input_arg: vec![op_def::ArgDef {
                            name: "x".into(),
                            r#type: 1,
                            ..Default::default()
                        }],
                        ..Default::default()
                    }),
                    arg_attr: [(10, Default::default()), (9, Default::default())].into(),
                    ret: [("y".to_owned(), "x".to_owned())].into(),
                    ..Default::default()
                }],
                ..Default::default()
            }),
            versions: Some(VersionDef {
                producer: crate::GRAPH_DEF_VERSION,
                ..Default::default()
            }),
            ..Default::default()
        }
    }

    #[test]
    fn text_looks_as_protobuf_prints_it() {
        insta::assert_snapshot!(to_text(&graph()).unwrap());
    }

    #[test]
    fn text_reads_back_as_the_same_graph() {
        let descriptor = DESCRIPTORS.get_message_by_name(GraphDef::NAME).unwrap();
        let text = to_text(&graph()).unwrap();
        let read = DynamicMessage::parse_text_format(descriptor, &text).unwrap();
        let read = GraphDef::decode(read.encode_to_vec().as_slice()).unwrap();
        // NaN is not equal to itself, so the bytes are compared.
        assert_eq!(read.encode_to_vec(), graph().encode_to_vec());
    }
}
