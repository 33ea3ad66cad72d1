//! From operations to calls of the runtime: what each operation of host code becomes.
//!
//! ```text
//!   tfx_tensor.const dense<..>       tfx_tensor_from_bytes(dtype, rank, sizes, bytes), or tfx_tensor_from_strings
//!   tfx_tensor.from_scalar %x        tfx_scalar_f32(%x)
//!   tfx_tensor.to_scalar %t          tfx_item_f32(%t)
//!   tfx_comm.send %x to %p 1         tfx_program_send(%p, 1, %x, place)
//!   tfx_comm.finish %p               tfx_program_finish(%p, slots, place), then a load for each result
//! ```
//!
//! Scalars that cross are put into tensors of rank 0 for the call and taken out after it; those tensors are released here. All others
//! are counted by `ownership.rs`. Arrays of addresses lie on the stack of the function, in its entry block, so a loop does not grow it.

use std::collections::BTreeSet;
use std::fmt::Write;

use melior::Context;
use melior::dialect::llvm;
use melior::ir::attribute::{IntegerAttribute, TypeAttribute};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Type, TypeLike};
use tfx_graphdef::DataType;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::diag::{self, Diag};
use tfx_ir::{Builder, Op, Value, location};

use crate::boxes::{self, HostValues};
use crate::constants;
use crate::declarations::Declarations;
use crate::eager::Operations;
use crate::globals::{Bytes, Field, Globals};
use crate::images::Images;
use crate::kinds::{Kind, host_type, is_handle};
use crate::ownership::{self, Count, Position, Rules};
use crate::reserved;

/// The runtime's functions with their types, as `docs/program-image.md` lists them.
const RUNTIME: &[(&str, &str)] = &[
    ("tfx_box_new", "(!llvm.ptr, i64) -> !llvm.ptr"),
    ("tfx_box_retain", "(!llvm.ptr) -> !llvm.ptr"),
    ("tfx_box_release", "(!llvm.ptr) -> ()"),
    ("tfx_tensor_retain", "(!llvm.ptr) -> !llvm.ptr"),
    ("tfx_tensor_release", "(!llvm.ptr) -> ()"),
    (
        "tfx_tensor_from_bytes",
        "(i32, i32, !llvm.ptr, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_tensor_from_strings",
        "(i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.ptr",
    ),
    ("tfx_tensor_new", "(i32, i32, !llvm.ptr) -> !llvm.ptr"),
    ("tfx_tensor_data", "(!llvm.ptr) -> !llvm.ptr"),
    ("tfx_tensor_string", "(!llvm.ptr, i64) -> !llvm.ptr"),
    ("tfx_scalar_i1", "(i1 {llvm.zeroext}) -> !llvm.ptr"),
    ("tfx_scalar_i8", "(i8 {llvm.signext}) -> !llvm.ptr"),
    ("tfx_scalar_i16", "(i16 {llvm.signext}) -> !llvm.ptr"),
    ("tfx_scalar_i32", "(i32) -> !llvm.ptr"),
    ("tfx_scalar_i64", "(i64) -> !llvm.ptr"),
    ("tfx_scalar_f32", "(f32) -> !llvm.ptr"),
    ("tfx_scalar_f64", "(f64) -> !llvm.ptr"),
    ("tfx_item_i1", "(!llvm.ptr) -> i1"),
    ("tfx_item_i8", "(!llvm.ptr) -> i8"),
    ("tfx_item_i16", "(!llvm.ptr) -> i16"),
    ("tfx_item_i32", "(!llvm.ptr) -> i32"),
    ("tfx_item_i64", "(!llvm.ptr) -> i64"),
    ("tfx_item_f32", "(!llvm.ptr) -> f32"),
    ("tfx_item_f64", "(!llvm.ptr) -> f64"),
    (
        "tfx_program_start",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_program_recv",
        "(!llvm.ptr, i32, !llvm.ptr) -> !llvm.ptr",
    ),
    (
        "tfx_program_send",
        "(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()",
    ),
    (
        "tfx_program_finish",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()",
    ),
    ("tfx_program_terminate", "(!llvm.ptr, !llvm.ptr) -> ()"),
    (
        "tfx_operation_run",
        "(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()",
    ),
    (
        "tfx_queue_open",
        "(!llvm.ptr, !llvm.ptr, i32, i32, i32, !llvm.ptr) -> !llvm.ptr",
    ),
    ("tfx_queue_next", "(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()"),
    ("tfx_queue_close", "(!llvm.ptr, !llvm.ptr) -> ()"),
    ("tfx_print", "(!llvm.ptr, i64, !llvm.ptr, i32) -> ()"),
    (
        "tfx_assert",
        "(i1 {llvm.zeroext}, !llvm.ptr, i64, !llvm.ptr) -> ()",
    ),
    (
        "tfx_check",
        "(i1 {llvm.zeroext}, !llvm.ptr, i64, !llvm.ptr) -> ()",
    ),
    ("tfx_check_index", "(i64, i64, !llvm.ptr) -> ()"),
    ("tfx_abort", "(!llvm.ptr, i64, !llvm.ptr) -> ()"),
    // Of C's mathematical library.
    ("expm1", "(f64) -> f64"),
    ("expm1f", "(f32) -> f32"),
    ("log1p", "(f64) -> f64"),
    ("log1pf", "(f32) -> f32"),
];

/// `count` places for values of a type on the stack of the function around an operation.
pub(crate) fn slot<'a>(op: Op<'a>, element: Type<'a>, count: usize) -> Value<'a> {
    let function = op
        .ancestors()
        .find(|op| op.is("func.func") || op.is("llvm.func"))
        .expect("host code is in a function");
    let entry = function
        .region(0)
        .entry()
        .expect("a function with operations has a block");
    let context = op.context();
    let mut builder = Builder::at_start(entry, op.location());
    let i64_type: Type<'_> = IntegerType::new(context, 64).into();
    let size = builder
        .op("llvm.mlir.constant")
        .attribute("value", IntegerAttribute::new(i64_type, count as i64))
        .result(i64_type)
        .value();
    let pointer = llvm::r#type::pointer(context, 0);
    builder
        .op("llvm.alloca")
        .operand(size)
        .attribute("elem_type", TypeAttribute::new(element))
        .result(pointer)
        .value()
}

/// Loads a value of a type.
pub(crate) fn load<'a>(builder: &mut Builder<'a>, address: Value<'a>, ty: Type<'a>) -> Value<'a> {
    builder.op("llvm.load").operand(address).result(ty).value()
}

/// Turns the operations of functions into calls, and remembers what they need.
pub(crate) struct Calls<'a> {
    pub(crate) context: &'a Context,
    pub(crate) pointer: Type<'a>,
    pub(crate) globals: Globals,
    /// Where functions that only compiled code calls are put.
    pub(crate) module: Op<'a>,
    pub(crate) declarations: Declarations<'a>,
    pub(crate) values: HostValues<'a>,
    images: Images,
    operations: Operations<'a>,
    used: BTreeSet<&'static str>,
}

impl<'a> Calls<'a> {
    /// Nothing is needed yet but the images and what describes the entry.
    pub(crate) fn new(
        module: Op<'a>,
        images: Images,
        operations: Operations<'a>,
        globals: Globals,
    ) -> Self {
        let context = module.context();
        Self {
            context,
            pointer: llvm::r#type::pointer(context, 0),
            globals,
            module,
            declarations: Declarations::of(module),
            values: HostValues::default(),
            images,
            operations,
            used: BTreeSet::new(),
        }
    }

    /// Declarations of the module's functions that constants refer to, one each.
    pub(crate) fn referenced_functions(&self) -> &[String] {
        &self.values.referenced
    }

    /// Declarations of the runtime's functions that are called, and all constants, with the bytes that are not in the text.
    pub(crate) fn into_parts(self) -> (String, Bytes) {
        let mut text = String::new();
        // A function of C may be declared by the program, too.
        let is_declared = |name: &str| {
            !reserved::is_of_runtime(name)
                && (self.module.children()).any(|op| op.symbol_name() == Some(name))
        };
        let used = RUNTIME.iter().filter(|(name, _)| self.used.contains(name));
        for (name, ty) in used.filter(|(name, _)| !is_declared(name)) {
            writeln!(text, "func.func private @{name}{ty}")
                .expect("writing to a string does not fail");
        }
        let (constants, bytes) = self.globals.into_parts();
        (text + &constants, bytes)
    }

    /// Turns one function into calls.
    pub(crate) fn function(&mut self, function: Op<'a>) -> Result<(), Diag<'a>> {
        if !function.is_declaration() {
            self.open_erasures(function)?;
            self.count_references(function);
            self.host_values(function)?;
            let ops: Vec<_> = function.walk().skip(1).collect();
            for op in ops {
                self.operation(op)?;
            }
            self.retype_values(function);
        }
        self.retype_signature(function);
        Ok(())
    }

    fn count_references(&mut self, function: Op<'a>) {
        let pointer = self.pointer;
        let used = &mut self.used;
        let mut insert = |count, value: Value<'a>, position| {
            let mut builder = match position {
                Position::Before(op) => Builder::before(op),
                Position::After(op) => Builder::after(op),
            };
            let name = counting_function(count, Kind::of(value.ty()));
            let results: &[Type<'_>] = match count {
                Count::Retain => &[pointer],
                Count::Release => &[],
            };
            used.insert(name);
            builder.call(name, &[value], results);
        };
        let places = boxes::places(function);
        let rules = Rules {
            is_handle: &|value| {
                is_handle(value.ty()) && value.defining_op().is_none_or(|op| !places.contains(&op))
            },
            gives: &|op| {
                ![
                    "arith.select",
                    "tfx_comm.to_host",
                    "tfx_comm.to_accelerator",
                ]
                .contains(&op.name())
            },
            consumes: &boxes::consumes,
            places: &places,
        };
        let jump = |terminator: Op<'a>, target: tfx_ir::Block<'a>, operands: &[Value<'a>]| {
            let block = tfx_ir::Block::new(&[]);
            block.move_before(target);
            Builder::at_end(block, terminator.location()).br(target, operands);
            block
        };
        ownership::count(function.region(0), rules, &mut insert, &jump);
    }

    fn retype_values(&self, function: Op<'a>) {
        for op in function.walk().skip(1) {
            for result in op.results() {
                result.set_ty(host_type(result.ty(), self.context));
            }
        }
        for argument in function
            .region(0)
            .blocks()
            .flat_map(|block| block.arguments().collect::<Vec<_>>())
        {
            argument.set_ty(host_type(argument.ty(), self.context));
        }
    }

    fn retype_signature(&self, function: Op<'a>) {
        let (inputs, results) = function.signature();
        let host = |ty| host_type(ty, self.context);
        let inputs: Vec<_> = inputs.into_iter().map(host).collect();
        let results: Vec<_> = results.into_iter().map(host).collect();
        function.set_attribute(
            "function_type",
            TypeAttribute::new(FunctionType::new(self.context, &inputs, &results).into()),
        );
    }

    fn operation(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        match op.name() {
            "tfx_tensor.const" => self.constant(op)?,
            "arith.constant" if op.result(0).ty().is_tensor() => self.constant(op)?,
            "tfx_tensor.from_scalar" => {
                let boxed = self.boxed(op, op.operand(0))?;
                op.replace_with(&[boxed]);
            }
            "tfx_tensor.to_scalar" => {
                let item = self.item(
                    &mut Builder::before(op),
                    op,
                    op.operand(0),
                    op.result(0).ty(),
                )?;
                op.replace_with(&[item]);
            }
            "tensor.from_elements" => self.pack(op),
            "tensor.extract" => self.unpack(op),
            "tfx_comm.to_host" | "tfx_comm.to_accelerator" => op.replace_with(&[op.operand(0)]),
            "tfx_comm.start" => self.start(op)?,
            "tfx_comm.send" => self.send(op)?,
            "tfx_comm.recv" => self.recv(op)?,
            "tfx_comm.finish" => self.finish(op)?,
            "tfx_comm.terminate" => {
                let place = self.place(op);
                self.call(
                    &mut Builder::before(op),
                    "tfx_program_terminate",
                    &[op.operand(0), place],
                );
                op.erase();
            }
            "tfx_host.prefetch" => self.prefetch(op)?,
            "tfx_host.next" => self.next(op)?,
            "tfx_host.close" => self.close(op),
            "tfx_host.string" => self.string(op),
            "tfx_host.print" => self.print(op)?,
            "tfx_host.assert" => {
                let (message, size) = self.text(op, "message");
                let place = self.place(op);
                self.call(
                    &mut Builder::before(op),
                    "tfx_assert",
                    &[op.operand(0), message, size, place],
                );
                op.erase();
            }
            "tfx_host.abort" => {
                let (message, size) = self.text(op, "message");
                let place = self.place(op);
                self.call(
                    &mut Builder::before(op),
                    "tfx_abort",
                    &[message, size, place],
                );
                op.erase();
            }
            "tfx_host.unreachable" => {
                Builder::before(op).op("llvm.unreachable").build();
                op.erase();
            }
            "tfx_host.undef" => {
                let value = match op.result(0).ty().is_tensor() {
                    true => self.unread_tensor(op),
                    // An index becomes an integer only once LLVM's types take the place of all.
                    false if op.result(0).ty().is_index() => {
                        Builder::before(op).constant_int(0, op.result(0).ty())
                    }
                    // No value is ever read from it; a null handle may be released.
                    false => {
                        let ty = host_type(op.result(0).ty(), self.context);
                        Builder::before(op).op("llvm.mlir.zero").result(ty).value()
                    }
                };
                op.replace_with(&[value]);
            }
            _ if matches!(op.dialect(), "arith" | "math" | "index") => self.scalar(op),
            "tfx_tensor.op" if self.operations.contains_key(&op) => {
                let description = self.operations[&op].clone();
                self.eager(op, description)?;
            }
            "tfx_tensor.op" => {
                let name = op.string("tf_name").unwrap_or_default();
                return Err(diag::error(
                    op.location(),
                    format!(
                        "the graph operation \"{name}\" is still in host code: run tfx-extract before tfx-lower-host"
                    ),
                ));
            }
            name if op.dialect().starts_with("tfx_") => {
                return Err(diag::error(
                    op.location(),
                    format!("'{name}' has no host code: run tfx-deabstract before tfx-lower-host"),
                ));
            }
            _ => {}
        }
        Ok(())
    }

    //===-- Values ------------------------------------------------------------------------------------------------===//

    pub(crate) fn call(
        &mut self,
        builder: &mut Builder<'a>,
        name: &'static str,
        operands: &[Value<'a>],
    ) -> Op<'a> {
        self.used.insert(name);
        let (_, ty) = RUNTIME
            .iter()
            .find(|(known, _)| *known == name)
            .expect("RUNTIME lists every function");
        let (_, result) = ty
            .rsplit_once(" -> ")
            .expect("a function type has an arrow");
        let results: Vec<_> = (result != "()")
            .then(|| Type::parse(self.context, result))
            .flatten()
            .into_iter()
            .collect();
        builder.call(name, operands, &results)
    }

    pub(crate) fn integer(&self, builder: &mut Builder<'a>, bits: u32, value: i64) -> Value<'a> {
        builder.constant_int(value, IntegerType::new(self.context, bits).into())
    }

    pub(crate) fn address(&self, builder: &mut Builder<'a>, field: &Field) -> Value<'a> {
        match field {
            Field::Address(symbol) => builder
                .op("llvm.mlir.addressof")
                .symbol("global_name", symbol)
                .result(self.pointer)
                .value(),
            _ => builder.op("llvm.mlir.zero").result(self.pointer).value(),
        }
    }

    /// The address of the operation's place as text, right before it.
    pub(crate) fn place(&mut self, op: Op<'a>) -> Value<'a> {
        let field = location::place(op.location()).map_or(Field::Null, |place| {
            Field::Address(self.globals.c_string(&place.to_string()))
        });
        self.address(&mut Builder::before(op), &field)
    }

    /// The address and the size of a string attribute.
    fn text(&mut self, op: Op<'a>, attribute: &str) -> (Value<'a>, Value<'a>) {
        let text = op.string(attribute).unwrap_or_default();
        let symbol = self.globals.shared_bytes(text.as_bytes().to_vec());
        let mut builder = Builder::before(op);
        (
            self.address(&mut builder, &Field::Address(symbol)),
            self.integer(&mut builder, 64, text.len() as i64),
        )
    }

    /// A scalar in a new tensor of rank 0.
    fn boxed(&mut self, op: Op<'a>, scalar: Value<'a>) -> Result<Value<'a>, Diag<'a>> {
        self.boxed_by(&mut Builder::before(op), op, scalar)
    }

    /// The same, made by a builder; errors are at `op`.
    pub(crate) fn boxed_by(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        scalar: Value<'a>,
    ) -> Result<Value<'a>, Diag<'a>> {
        let mut scalar = scalar;
        if scalar.ty().is_index() {
            let wide = IntegerType::new(self.context, types::INDEX_BITS);
            scalar = builder
                .op("arith.index_cast")
                .operand(scalar)
                .result(wide)
                .value();
        }
        let name = runtime_function("tfx_scalar_", scalar.ty())
            .ok_or_else(|| no_scalar(op, scalar.ty()))?;
        Ok(self.call(builder, name, &[scalar]).result(0))
    }

    /// The scalar of a type in a tensor.
    pub(crate) fn item(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        tensor: Value<'a>,
        ty: Type<'a>,
    ) -> Result<Value<'a>, Diag<'a>> {
        let stored = if ty.is_index() {
            IntegerType::new(self.context, types::INDEX_BITS).into()
        } else {
            ty
        };
        let name = runtime_function("tfx_item_", stored).ok_or_else(|| no_scalar(op, ty))?;
        let item = self.call(builder, name, &[tensor]).result(0);
        Ok(if ty.is_index() {
            builder
                .op("arith.index_cast")
                .operand(item)
                .result(ty)
                .value()
        } else {
            item
        })
    }

    /// The values as handles, with those that were made for it.
    pub(crate) fn handles(
        &mut self,
        op: Op<'a>,
        values: &[Value<'a>],
    ) -> Result<(Vec<Value<'a>>, Vec<Value<'a>>), Diag<'a>> {
        let mut made = Vec::new();
        let mut handles = Vec::with_capacity(values.len());
        for &value in values {
            if is_handle(value.ty()) || value.ty() == self.pointer {
                handles.push(value);
            } else {
                let boxed = self.boxed(op, value)?;
                made.push(boxed);
                handles.push(boxed);
            }
        }
        Ok((handles, made))
    }

    /// An array of handles on the stack; its address.
    pub(crate) fn array(&mut self, op: Op<'a>, handles: &[Value<'a>]) -> Value<'a> {
        if handles.is_empty() {
            return self.address(&mut Builder::before(op), &Field::Null);
        }
        let array = slot(op, self.pointer, handles.len());
        let mut builder = Builder::before(op);
        for (index, &handle) in handles.iter().enumerate() {
            let element = self.element(&mut builder, array, index);
            builder
                .op("llvm.store")
                .operands(&[handle, element])
                .build();
        }
        array
    }

    /// The address of an element of an array of handles.
    pub(crate) fn element(
        &self,
        builder: &mut Builder<'a>,
        array: Value<'a>,
        index: usize,
    ) -> Value<'a> {
        let indices =
            melior::ir::attribute::DenseI32ArrayAttribute::new(self.context, &[index as i32]);
        let element = TypeAttribute::new(self.pointer);
        let build = builder
            .op("llvm.getelementptr")
            .operand(array)
            .attribute("rawConstantIndices", indices);
        build
            .attribute("elem_type", element)
            .result(self.pointer)
            .value()
    }

    pub(crate) fn release(&mut self, builder: &mut Builder<'a>, handles: &[Value<'a>]) {
        for &handle in handles {
            self.call(builder, "tfx_tensor_release", &[handle]);
        }
    }

    //===-- Operations --------------------------------------------------------------------------------------------===//

    fn constant(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let value = op.attribute("value").expect("a constant has a value");
        let failed = |reason: String| diag::error(op.location(), reason);
        let proto = tensors::tensor(value).map_err(failed)?;
        if proto.dtype() == DataType::DtString {
            self.strings(op, &constants::strings(&proto));
            return Ok(());
        }
        let bytes = constants::bytes(&proto).map_err(failed)?;
        let ty = op.result(0).ty();
        let sizes: Vec<i64> = types::sizes(ty)
            .into_iter()
            .flatten()
            .map(|size| size.map_or(-1, |size| size as i64))
            .collect();
        let dtype = types::data_type(ty).unwrap_or(DataType::DtInvalid) as i64;
        let dims = self.globals.sizes(&sizes);
        let data = Field::Address(self.globals.shared_bytes(bytes));
        let mut builder = Builder::before(op);
        let operands = [
            self.integer(&mut builder, 32, dtype),
            self.integer(&mut builder, 32, sizes.len() as i64),
            self.address(&mut builder, &dims),
            self.address(&mut builder, &data),
        ];
        let tensor = self.call(&mut builder, "tfx_tensor_from_bytes", &operands);
        op.replace_with(&[tensor.result(0)]);
        Ok(())
    }

    /// A constant of strings, which lie one behind the other.
    fn strings(&mut self, op: Op<'a>, strings: &[Vec<u8>]) {
        let sizes: Vec<i64> = types::sizes(op.result(0).ty())
            .into_iter()
            .flatten()
            .map(|size| size.map_or(-1, |size| size as i64))
            .collect();
        let lengths: Vec<_> = strings.iter().map(|string| string.len() as i64).collect();
        let dims = self.globals.sizes(&sizes);
        let lengths = self.globals.sizes(&lengths);
        let bytes = Field::Address(self.globals.shared_bytes(strings.concat()));
        let mut builder = Builder::before(op);
        let operands = [
            self.integer(&mut builder, 32, sizes.len() as i64),
            self.address(&mut builder, &dims),
            self.address(&mut builder, &bytes),
            self.address(&mut builder, &lengths),
        ];
        let tensor = self.call(&mut builder, "tfx_tensor_from_strings", &operands);
        op.replace_with(&[tensor.result(0)]);
    }

    /// A tensor that nobody reads, but that may be handed to a graph: zeros, as few as its type allows.
    fn unread_tensor(&mut self, op: Op<'a>) -> Value<'a> {
        let ty = op.result(0).ty();
        let sizes: Vec<i64> = types::sizes(ty)
            .into_iter()
            .flatten()
            .map(|size| size.map_or(0, |size| size as i64))
            .collect();
        let dtype = types::data_type(ty).unwrap_or(DataType::DtInvalid) as i64;
        let dims = self.globals.sizes(&sizes);
        let mut builder = Builder::before(op);
        let operands = [
            self.integer(&mut builder, 32, dtype),
            self.integer(&mut builder, 32, sizes.len() as i64),
            self.address(&mut builder, &dims),
        ];
        self.call(&mut builder, "tfx_tensor_new", &operands)
            .result(0)
    }

    fn string(&mut self, op: Op<'a>) {
        let (text, size) = self.text(op, "value");
        let string = self.call(&mut Builder::before(op), "tfx_tensor_string", &[text, size]);
        op.replace_with(&[string.result(0)]);
    }

    fn print(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let values: Vec<_> = op.operands().collect();
        if let Some(value) = values
            .iter()
            .find(|value| Kind::of(value.ty()) == Kind::Box)
        {
            let message = format!(
                "a value of type {} cannot be printed; print the numbers, tensors and strings in it",
                value.ty()
            );
            return Err(diag::error(op.location(), message));
        }
        let (handles, made) = self.handles(op, &values)?;
        let array = self.array(op, &handles);
        let (format, size) = self.text(op, "format");
        let mut builder = Builder::before(op);
        let count = self.integer(&mut builder, 32, handles.len() as i64);
        self.call(&mut builder, "tfx_print", &[format, size, array, count]);
        self.release(&mut builder, &made);
        op.erase();
        Ok(())
    }

    fn start(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let graph = op.symbol("graph").unwrap_or_default();
        let image = self
            .images
            .get(graph)
            .cloned()
            .expect("every started graph is exported");
        let inputs: Vec<_> = op.operands().collect();
        let (handles, made) = self.handles(op, &inputs)?;
        let array = self.array(op, &handles);
        let place = self.place(op);
        let mut builder = Builder::before(op);
        let image = self.address(&mut builder, &Field::Address(image));
        let program = self.call(&mut builder, "tfx_program_start", &[image, array, place]);
        self.release(&mut builder, &made);
        op.replace_with(&[program.result(0)]);
        Ok(())
    }

    /// The channel of a send or a receive, right before it.
    fn channel(&self, op: Op<'a>) -> Value<'a> {
        self.integer(
            &mut Builder::before(op),
            32,
            op.integer("channel").unwrap_or_default(),
        )
    }

    fn send(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let (handles, made) = self.handles(op, &[op.operand(0)])?;
        let (channel, place) = (self.channel(op), self.place(op));
        let mut builder = Builder::before(op);
        self.call(
            &mut builder,
            "tfx_program_send",
            &[op.operand(1), channel, handles[0], place],
        );
        self.release(&mut builder, &made);
        op.erase();
        Ok(())
    }

    fn recv(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let (channel, place) = (self.channel(op), self.place(op));
        let ty = op.result(0).ty();
        let mut builder = Builder::before(op);
        let received = self
            .call(
                &mut builder,
                "tfx_program_recv",
                &[op.operand(0), channel, place],
            )
            .result(0);
        let value = self.unboxed(&mut builder, op, received, ty)?;
        op.replace_with(&[value]);
        Ok(())
    }

    /// A handle as the value that the IR has: itself, or the scalar in it.
    pub(crate) fn unboxed(
        &mut self,
        builder: &mut Builder<'a>,
        op: Op<'a>,
        handle: Value<'a>,
        ty: Type<'a>,
    ) -> Result<Value<'a>, Diag<'a>> {
        if is_handle(ty) {
            return Ok(handle);
        }
        let item = self.item(builder, op, handle, ty)?;
        self.release(builder, &[handle]);
        Ok(item)
    }

    fn finish(&mut self, op: Op<'a>) -> Result<(), Diag<'a>> {
        let place = self.place(op);
        let types = op.result_types();
        let mut builder = Builder::before(op);
        let array = if types.is_empty() {
            self.address(&mut builder, &Field::Null)
        } else {
            slot(op, self.pointer, types.len())
        };
        self.call(
            &mut builder,
            "tfx_program_finish",
            &[op.operand(0), array, place],
        );
        let mut values = Vec::with_capacity(types.len());
        for (index, &ty) in types.iter().enumerate() {
            let element = self.element(&mut builder, array, index);
            let handle = load(&mut builder, element, self.pointer);
            values.push(self.unboxed(&mut builder, op, handle, ty)?);
        }
        op.replace_with(&values);
        Ok(())
    }
}

/// The runtime's function that counts values of a kind.
pub(crate) fn counting_function(count: Count, kind: Kind) -> &'static str {
    match (count, kind) {
        (Count::Retain, Kind::Box) => "tfx_box_retain",
        (Count::Release, Kind::Box) => "tfx_box_release",
        (Count::Retain, _) => "tfx_tensor_retain",
        (Count::Release, _) => "tfx_tensor_release",
    }
}

/// The runtime's function of a family for a scalar type.
fn runtime_function(family: &str, ty: Type<'_>) -> Option<&'static str> {
    let name = format!("{family}{ty}");
    RUNTIME
        .iter()
        .map(|&(known, _)| known)
        .find(|&known| known == name)
}

fn no_scalar<'a>(op: Op<'a>, ty: Type<'a>) -> Diag<'a> {
    diag::error(
        op.location(),
        format!(
            "a scalar of type {ty} cannot be exchanged with a graph or printed; i1, i8, i16, i32, i64, index, f32 and f64 can"
        ),
    )
}
