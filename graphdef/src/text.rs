//! Protobuf's text format, as the `text_format` of Python and TensorFlow reads it.
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
//! A message is encoded, and decoded as a dynamic message, which knows the names of its fields.
//! Fields are printed in the order of their numbers, and a map in the order of its keys, so the
//! text of a message is deterministic. (prost-reflect's own printer follows the order of a hash
//! map.) Printing is linear in the text. It recurses on nested messages, which prost limits to 100
//! levels.

use std::{fmt::Write, sync::LazyLock};

use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
    text_format::ParseError,
};
use thiserror::Error;

use crate::proto::GraphDef;

static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(include_bytes!("../data/tensorflow.fds").as_slice())
        .expect("tensorflow.fds is a FileDescriptorSet")
});

/// Prints a GraphDef in text format, with a newline after each field.
///
/// # Errors
///
/// The message nests deeper than protobuf decoders accept (100 levels).
pub fn to_text(graph: &GraphDef) -> Result<String, prost::DecodeError> {
    let encoded = graph.encode_to_vec();
    let dynamic = DynamicMessage::decode(descriptor(), encoded.as_slice())?;
    let mut printer = Printer::default();
    printer.message(&dynamic);
    Ok(printer.text)
}

/// Parses a GraphDef in text format.
///
/// # Errors
///
/// The text is malformed, or has fields that a GraphDef does not have.
pub fn from_text(text: &str) -> Result<GraphDef, TextError> {
    let dynamic = DynamicMessage::parse_text_format(descriptor(), text)?;
    Ok(GraphDef::decode(dynamic.encode_to_vec().as_slice())?)
}

/// The reason why a text is not a GraphDef in text format.
#[derive(Debug, Error)]
pub enum TextError {
    /// The text is malformed, or has a field that the message does not have.
    #[error(transparent)]
    Syntax(#[from] ParseError),
    /// The message nests too deep.
    #[error(transparent)]
    Depth(#[from] prost::DecodeError),
}

fn descriptor() -> MessageDescriptor {
    let descriptor = DESCRIPTORS.get_message_by_name("tensorflow.GraphDef");
    descriptor.expect("tensorflow.fds has GraphDef")
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
                        self.field(field.name(), &field.kind(), item);
                    }
                }
                Value::Map(entries) => {
                    let mut entries: Vec<_> = entries.iter().collect();
                    entries.sort_by_key(|(key, _)| *key);
                    for (key, value) in entries {
                        self.entry(&field, key, value);
                    }
                }
                single => self.field(field.name(), &field.kind(), single),
            }
        }
    }

    /// Prints a line `name: value`, or a block for a message.
    fn field(&mut self, name: &str, kind: &Kind, value: &Value) {
        if let Value::Message(message) = value {
            self.block(name, |printer| printer.message(message));
        } else {
            self.line(&format!("{name}: {}", scalar(kind, value)));
        }
    }

    /// Prints a map entry: a message with the fields `key` and `value`.
    fn entry(&mut self, field: &FieldDescriptor, key: &MapKey, value: &Value) {
        let Kind::Message(entry) = field.kind() else {
            unreachable!("a map field is a list of entry messages");
        };
        self.block(field.name(), |printer| {
            let kind = entry.map_entry_key_field().kind();
            printer.field("key", &kind, &key.clone().into());
            printer.field("value", &entry.map_entry_value_field().kind(), value);
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

/// Formats a number with Rust's shortest digits that read back as the same number, and special
/// values in protobuf's syntax.
fn float(value: f64, digits: impl FnOnce() -> String) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "inf" } else { "-inf" }.to_owned()
    } else {
        digits()
    }
}

/// Returns a string literal. Bytes that are not printable ASCII are escaped in octal, as in
/// protobuf.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{
        DataType, FunctionDef, FunctionDefLibrary, NameAttrList, NodeDef, OpDef, TensorProto,
        TensorShapeProto, VersionDef, attr_value::Value, op_def,
    };

    /// Returns a graph with every kind of field: nested messages, maps with string and number keys,
    /// and all scalar kinds.
    fn graph() -> GraphDef {
        let tensor = TensorProto {
            dtype: DataType::DtFloat as i32,
            tensor_shape: Some(TensorShapeProto::default()),
            tensor_content: b"\0\x01\xC8\n\"'\\7".to_vec(),
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
        let list = [1, -2].map(Value::I).into_iter().collect();
        let attributes = [
            ("value", Value::tensor(tensor)),
            ("dtype", Value::Type(DataType::DtFloat as i32)),
            ("shape", Value::Shape([-1, 0].into_iter().collect())),
            ("f", Value::Func(function)),
            ("b", Value::B(false)),
            ("s", Value::S("é\t".into())),
            ("l", Value::list(list)),
        ];
        GraphDef {
            node: vec![NodeDef {
                name: "a/b".into(),
                op: "Const".into(),
                input: vec!["x:1".into(), "^y".into()],
                attr: attributes
                    .map(|(name, value)| (name.to_owned(), value.into()))
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
        let read = from_text(&to_text(&graph()).unwrap()).unwrap();
        // NaN is not equal to itself, so the bytes are compared.
        assert_eq!(read.encode_to_vec(), graph().encode_to_vec());
    }
}
