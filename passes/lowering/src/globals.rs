//! Constants of host code: strings, bytes, and the C structs of `tfx_runtime.h`.
//!
//! ```text
//!   globals.c_string("a.mlir:1:2")  -> @tfx.string.0
//!   globals.array("tfx.channels", CHANNEL, rows)
//!        │
//!        └─ llvm.mlir.global private constant @... { undef, insertvalue, ..., return }
//! ```
//!
//! The globals are written as text of the LLVM dialect and parsed together at the end: a struct
//! constant is a chain of `insertvalue`, whose text is simpler than the calls that would build it.
//! Text would triple the size of bytes, so they are set after the text is parsed. Equal strings
//! share a global. Cost: linear in the bytes written.

use std::collections::HashMap;
use std::fmt::Write;

use tfx_ir::ops::llvm;
use tfx_ir::{Op, attribute};

/// A field of a constant C struct.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    /// An `int32_t`.
    I32(i32),
    /// A `uint64_t` or an `int64_t`.
    I64(i64),
    /// The address of a global or of a function of the module.
    Address(String),
    /// A null pointer.
    Null,
}

impl Field {
    fn llvm_type(&self) -> &'static str {
        match self {
            Field::I32(_) => "i32",
            Field::I64(_) => "i64",
            Field::Address(_) | Field::Null => "!llvm.ptr",
        }
    }

    /// Returns the operation that defines the value of the field.
    fn value(&self) -> String {
        match self {
            Field::I32(value) => format!("llvm.mlir.constant({value} : i32) : i32"),
            Field::I64(value) => format!("llvm.mlir.constant({value} : i64) : i64"),
            Field::Address(symbol) => format!(
                "llvm.mlir.addressof @{} : !llvm.ptr",
                quote(symbol.as_bytes())
            ),
            Field::Null => "llvm.mlir.zero : !llvm.ptr".to_owned(),
        }
    }
}

/// The constants of a module, as text.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    text: String,
    bytes: Bytes,
    strings: HashMap<Vec<u8>, String>,
}

/// The values of the constants of bytes, by symbol.
#[derive(Debug, Default)]
pub(crate) struct Bytes(HashMap<String, Vec<u8>>);

impl Bytes {
    /// Sets the value of an operation that is a constant of bytes.
    pub(crate) fn fill(&self, op: Op<'_>) {
        if let Some(global) = llvm::Global::cast(op)
            && let Some(bytes) = self.0.get(global.sym_name())
        {
            global.set_value(Some(attribute::bytes(op.context(), bytes)));
        }
    }
}

impl Globals {
    /// Returns the text, a list of operations for the body of a module, and the bytes that are not
    /// in it.
    pub(crate) fn into_parts(self) -> (String, Bytes) {
        (self.text, self.bytes)
    }

    /// Adds a NUL-terminated string, and returns the symbol of its global.
    pub(crate) fn c_string(&mut self, string: &str) -> String {
        let mut bytes = string.as_bytes().to_vec();
        bytes.push(0);
        self.shared_bytes(bytes)
    }

    /// Adds bytes of a size that the reader knows, and returns the symbol of their global.
    pub(crate) fn shared_bytes(&mut self, bytes: Vec<u8>) -> String {
        if let Some(symbol) = self.strings.get(&bytes) {
            return symbol.clone();
        }
        let symbol = format!("tfx.string.{}", self.strings.len());
        self.bytes(&symbol, &bytes);
        self.strings.insert(bytes, symbol.clone());
        symbol
    }

    /// Adds bytes under a symbol, aligned for tensors, which are read in place.
    pub(crate) fn bytes(&mut self, symbol: &str, bytes: &[u8]) {
        // There is no string constant for an empty array, so one byte is added, which is never
        // read.
        let bytes = if bytes.is_empty() { &[0] } else { bytes };
        let (name, size) = (quote(symbol.as_bytes()), bytes.len());
        writeln!(
            self.text,
            "llvm.mlir.global private constant @{name}() {{addr_space = 0 : i32, alignment = 64 : i64}} : !llvm.array<{size} x i8>"
        )
        .expect("writing to a string does not fail");
        self.bytes.0.insert(symbol.to_owned(), bytes.to_vec());
    }

    /// Adds an array of structs with equal types, and returns its address; null for none.
    pub(crate) fn array(&mut self, symbol: &str, rows: &[Vec<Field>]) -> Field {
        let Some(first) = rows.first() else {
            return Field::Null;
        };
        let row_type = struct_type(first);
        let array_type = format!("!llvm.array<{} x {row_type}>", rows.len());
        let mut body = format!("  %a0 = llvm.mlir.undef : {array_type}\n");
        for (index, row) in rows.iter().enumerate() {
            let value = write_struct(&mut body, &format!("r{index}_"), row);
            writeln!(
                body,
                "  %a{} = llvm.insertvalue {value}, %a{index}[{index}] : {array_type}",
                index + 1
            )
            .expect("writing to a string does not fail");
        }
        self.global(symbol, &array_type, &body, &format!("%a{}", rows.len()));
        Field::Address(symbol.to_owned())
    }

    /// Adds an array of `int64_t`, and returns its address; null for none.
    pub(crate) fn sizes(&mut self, sizes: &[i64]) -> Field {
        if sizes.is_empty() {
            return Field::Null;
        }
        Field::Address(
            self.shared_bytes(sizes.iter().flat_map(|size| size.to_le_bytes()).collect()),
        )
    }

    /// Adds a function, as text.
    pub(crate) fn function(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a struct.
    pub(crate) fn record(&mut self, symbol: &str, fields: &[Field]) {
        let mut body = String::new();
        let value = write_struct(&mut body, "r", fields);
        self.global(symbol, &struct_type(fields), &body, &value);
    }

    fn global(&mut self, symbol: &str, llvm_type: &str, body: &str, value: &str) {
        let name = quote(symbol.as_bytes());
        writeln!(
            self.text,
            "llvm.mlir.global private constant @{name}() {{addr_space = 0 : i32}} : {llvm_type} {{\n{body}  llvm.return {value} : {llvm_type}\n}}"
        )
        .expect("writing to a string does not fail");
    }
}

fn struct_type(fields: &[Field]) -> String {
    let types: Vec<_> = fields
        .iter()
        .map(|field| field.llvm_type().trim_start_matches("!llvm."))
        .collect();
    format!("!llvm.struct<({})>", types.join(", "))
}

/// Writes the operations that define a struct, with `prefix` for the names of values, and returns
/// the name of the struct.
fn write_struct(body: &mut String, prefix: &str, fields: &[Field]) -> String {
    let llvm_type = struct_type(fields);
    writeln!(body, "  %{prefix}s0 = llvm.mlir.undef : {llvm_type}")
        .expect("writing to a string does not fail");
    for (index, field) in fields.iter().enumerate() {
        writeln!(
            body,
            "  %{prefix}v{index} = {}\n  %{prefix}s{} = llvm.insertvalue %{prefix}v{index}, %{prefix}s{index}[{index}] : {llvm_type}",
            field.value(),
            index + 1
        )
        .expect("writing to a string does not fail");
    }
    format!("%{prefix}s{}", fields.len())
}

/// Returns a string literal of MLIR with any bytes.
pub(crate) fn quote(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for &byte in bytes {
        match byte {
            b'"' | b'\\' | 0..=0x1f | 0x7f..=0xff => {
                write!(text, "\\{byte:02X}").expect("writing to a string does not fail")
            }
            _ => text.push(byte as char),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::Context;
    use melior::dialect::DialectRegistry;
    use melior::ir::operation::OperationLike;
    use melior::utility::register_all_dialects;
    use tfx_ir::module;

    #[test]
    fn globals_parse_and_verify() {
        let mut globals = Globals::default();
        let name = globals.c_string("a \"quoted\" \\ name\n");
        assert_eq!(globals.c_string("a \"quoted\" \\ name\n"), name);
        let dims = globals.sizes(&[-1, 3]);
        let rows = vec![
            vec![Field::I32(1), Field::Address(name.clone())],
            vec![Field::I32(-2), Field::Null],
        ];
        let table = globals.array("table", &rows);
        globals.bytes("no bytes", &[]);
        globals.record(
            "all",
            &[
                Field::I64(i64::MIN),
                table,
                dims,
                Field::Null,
                Field::I32(7),
            ],
        );

        let context = Context::new();
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        let (text, bytes) = globals.into_parts();
        let module = module::parse_unverified(&context, &text, "globals").expect("the text is IR");
        let op: Op<'_> = module::as_op(&module);
        op.children().for_each(|op| bytes.fill(op));
        assert!(module.as_operation().verify());
    }

    #[test]
    fn an_empty_table_is_null() {
        assert!(matches!(
            Globals::default().array("table", &[]),
            Field::Null
        ));
    }
}
