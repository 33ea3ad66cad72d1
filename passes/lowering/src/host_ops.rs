//! The lowering of each operation of host code to calls of the runtime.
//!
//! ```text
//!   tfx_tensor.const dense<..>     tfx_tensor_from_bytes(dtype, rank, sizes, bytes)
//!   tfx_tensor.from_scalar %x      tfx_scalar_f32(%x)
//!   tfx_tensor.to_scalar %t        tfx_item_f32(%t)
//!   tfx_comm.send %x to %p 1       tfx_program_send(%p, 1, %x, location)
//!   tfx_comm.finish %p             tfx_program_finish(%p, array, location), a load for each result
//! ```
//!
//! Scalars are passed to the runtime and returned by it in tensors of rank 0, which the lowering
//! releases here; `ownership.rs` counts all other tensors. Arrays of handles are on the stack of
//! the function.

use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Type, TypeLike};
use tfx_dialects::ad;
use tfx_dialects::comm::{self, CommOp};
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::tensor::TensorOp;
use tfx_graphdef::DataType;
use tfx_graphdef::element::display_name;
use tfx_graphdef::proto::TensorProto;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{arith, cf, func, llvm, tensor as builtin_tensor};
use tfx_ir::view::OperandRange;
use tfx_ir::{Block, Builder, Op, Value};

use crate::calls::Calls;
use crate::globals::Field;
use crate::kinds::{Kind, host_type, is_handle};
use crate::ownership::{self, Position, Rules};
use crate::runtime::counting_function;
use crate::{constants, objects, tapes};

impl<'a> Calls<'a> {
    /// Lowers a function.
    pub(crate) fn function(&mut self, function: func::Func<'a>) -> Result<(), Diagnostic<'a>> {
        if !function.is_declaration() {
            self.expand_erasures(function.op())?;
            self.count_references(function);
            self.lower_boxes(function.op())?;
            self.lower_tapes(function.op())?;
            let ops: Vec<_> = function.walk().skip(1).collect();
            for op in ops {
                self.operation(op)?;
            }
            self.retype_values(function);
        }
        self.retype_signature(function);
        Ok(())
    }

    /// Inserts retains and releases, while values still have their types.
    fn count_references(&mut self, function: func::Func<'a>) {
        let takers = self.takers(function.op());
        let mut insert = |count, value: Value<'a>, position| {
            let mut builder = match position {
                Position::Before(op) => Builder::before(op),
                Position::After(op) => Builder::after(op),
            };
            let name = counting_function(count, Kind::of(value.ty()));
            self.call(&mut builder, name, &[value]);
        };
        let aliases = objects::addresses(function.op());
        let rules = Rules {
            is_handle: &|value| {
                is_handle(value.ty()) && value.defining_op().is_none_or(|op| !aliases.contains(&op))
            },
            creates_owner: &|op| {
                !matches!(
                    op.name(),
                    arith::Select::NAME | comm::ToHost::NAME | comm::ToAccelerator::NAME
                )
            },
            consumes: &|op, operand| {
                let is_taken = || tapes::is_taken(op.operand(operand).ty()) || op.isa::<ad::Push>();
                objects::consumes(op, operand) || takers.contains(&op) && is_taken()
            },
            takes: &|parameter| tapes::is_taken(parameter.ty()),
            aliases: &aliases,
        };
        let jump = |terminator: Op<'a>, target: Block<'a>, operands: &[Value<'a>]| {
            let block = Block::new(&[]);
            block.move_before(target);
            let mut builder = Builder::at_end(block, terminator.location());
            cf::Branch::build(&mut builder, operands, target);
            block
        };
        ownership::count(function.body(), rules, &mut insert, &jump);
    }

    fn retype_values(&self, function: func::Func<'a>) {
        let retype = |value: Value<'a>| value.set_ty(host_type(value.ty(), self.context));
        for op in function.walk().skip(1) {
            op.results().for_each(retype);
        }
        for block in function.body().blocks() {
            block.arguments().for_each(retype);
        }
    }

    fn retype_signature(&self, function: func::Func<'a>) {
        let (inputs, results) = function.signature();
        let host = |ty| host_type(ty, self.context);
        let inputs: Vec<_> = inputs.into_iter().map(host).collect();
        let results: Vec<_> = results.into_iter().map(host).collect();
        function.set_function_type(FunctionType::new(self.context, &inputs, &results));
    }

    fn operation(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        if let Some(op) = TensorOp::cast(op) {
            return self.tensor_op(op);
        }
        if let Some(op) = CommOp::cast(op) {
            return self.comm_op(op);
        }
        if let Some(op) = HostOp::cast(op) {
            return self.host_op(op);
        }
        if let Some(call) = func::Call::cast(op) {
            let results: Vec<_> = call.results().map(|value| (value, value.ty())).collect();
            self.check_results(&mut Builder::after(op), call.callee(), &results);
        } else if let Some(op) = builtin_tensor::FromElements::cast(op) {
            self.pack(op);
        } else if let Some(op) = builtin_tensor::Extract::cast(op) {
            self.unpack(op);
        } else if let Some(op) = tensor_constant(op) {
            return self.constant(op.op(), op.value());
        } else if matches!(op.dialect(), "arith" | "math" | "index") {
            self.scalar(op);
        }
        Ok(())
    }

    fn tensor_op(&mut self, op: TensorOp<'a>) -> Result<(), Diagnostic<'a>> {
        match op {
            TensorOp::Const(op) => self.constant(op.op(), op.value()),
            TensorOp::FromScalar(op) => {
                let mut builder = Builder::before(op.op());
                let boxed = self.boxed(&mut builder, op.op(), op.scalar())?;
                op.replace_with(&[boxed]);
                Ok(())
            }
            TensorOp::ToScalar(op) => {
                let mut builder = Builder::before(op.op());
                let item = self.item(&mut builder, op.op(), op.tensor(), op.result().ty())?;
                op.replace_with(&[item]);
                Ok(())
            }
            TensorOp::Op(op) => match self.operations.get(&op.op()).cloned() {
                Some(description) => self.eager(op, description),
                None => Err(diag::error(
                    op.location(),
                    format!(
                        "the graph operation \"{}\" is still in host code: run tfx-extract before tfx-lower-host",
                        op.tf_name()
                    ),
                )),
            },
            TensorOp::Call(_)
            | TensorOp::Case(_)
            | TensorOp::Graph(_)
            | TensorOp::If(_)
            | TensorOp::Return(_)
            | TensorOp::While(_)
            | TensorOp::Yield(_) => Err(no_host_code(op.op())),
        }
    }

    fn comm_op(&mut self, op: CommOp<'a>) -> Result<(), Diagnostic<'a>> {
        match op {
            CommOp::ToHost(op) => op.replace_with(&[op.value()]),
            CommOp::ToAccelerator(op) => op.replace_with(&[op.value()]),
            CommOp::Copy(op) => op.replace_with(&[op.value()]),
            CommOp::Start(op) => self.start(op)?,
            CommOp::Send(op) => self.send(op)?,
            CommOp::Recv(op) => self.recv(op)?,
            CommOp::Finish(op) => self.finish(op)?,
            CommOp::Terminate(op) => {
                let location = self.location(op.op());
                let mut builder = Builder::before(op.op());
                self.call(
                    &mut builder,
                    "tfx_program_terminate",
                    &[op.program(), location],
                );
                op.erase();
            }
        }
        Ok(())
    }

    fn host_op(&mut self, op: HostOp<'a>) -> Result<(), Diagnostic<'a>> {
        match op {
            HostOp::Prefetch(op) => self.prefetch(op)?,
            HostOp::Next(op) => self.next(op)?,
            HostOp::Close(op) => self.close(op),
            HostOp::String(op) => {
                let (text, size) = self.text(op.op(), op.value());
                let mut builder = Builder::before(op.op());
                let string = self.call_value(&mut builder, "tfx_tensor_string", &[text, size]);
                op.replace_with(&[string]);
            }
            HostOp::Print(op) => {
                self.with_text(op.op(), "tfx_print", &[], (op.format(), op.values()), false)?
            }
            HostOp::Assert(op) => {
                let (condition, text) = ([op.condition()], (op.message(), op.values()));
                let function = match op.values().is_empty() {
                    true => "tfx_assert",
                    false => "tfx_assert_values",
                };
                self.with_text(op.op(), function, &condition, text, true)?;
            }
            HostOp::Abort(op) => {
                let function = match op.values().is_empty() {
                    true => "tfx_abort",
                    false => "tfx_abort_values",
                };
                let text = (op.message(), op.values());
                self.with_text(op.op(), function, &[], text, true)?;
            }
            HostOp::Unreachable(op) => {
                llvm::Unreachable::build(&mut Builder::before(op.op()));
                op.erase();
            }
            HostOp::Undef(op) => {
                let ty = op.result().ty();
                let mut builder = Builder::before(op.op());
                let value = if ty.is_tensor() {
                    self.unread_tensor(op)
                } else if ty.is_index() {
                    // LLVM's conversion replaces the type of an index later.
                    builder.constant_int(0, ty)
                } else {
                    // The value is never read; a null handle may be released.
                    llvm::Zero::build(&mut builder, host_type(ty, self.context)).res()
                };
                op.replace_with(&[value]);
            }
            _ => return Err(no_host_code(op.op())),
        }
        Ok(())
    }

    /// Lowers a constant of tensor type.
    fn constant(&mut self, op: Op<'a>, value: Attribute<'a>) -> Result<(), Diagnostic<'a>> {
        let failed = |reason: String| diag::error(op.location(), reason);
        let proto = tensors::tensor(value).map_err(|error| failed(error.to_string()))?;
        let ty = op.result(0).ty();
        if constants::is_large_splat(&proto) {
            return self.splat(op, ty, proto);
        }
        if proto.dtype() == DataType::DtString {
            let strings = self.strings(op, ty, &constants::strings(&proto));
            op.replace_with(&[strings]);
            return Ok(());
        }
        let bytes = constants::bytes(&proto).ok_or_else(|| {
            let element = display_name(proto.dtype());
            failed(format!("host code has no constants of {element}"))
        })?;
        let (dtype, sizes) = (dtype(ty), sizes(ty, -1));
        let dims = self.globals.sizes(&sizes);
        let data = Field::Address(self.globals.shared_bytes(bytes));
        let mut builder = Builder::before(op);
        let operands = [
            self.integer(&mut builder, 32, dtype),
            self.integer(&mut builder, 32, sizes.len() as i64),
            self.address(&mut builder, &dims),
            self.address(&mut builder, &data),
        ];
        let tensor = self.call_value(&mut builder, "tfx_tensor_from_bytes", &operands);
        op.replace_with(&[tensor]);
        Ok(())
    }

    /// Lowers a constant with one value for all elements: the copies exist only at run time.
    fn splat(
        &mut self,
        op: Op<'a>,
        ty: Type<'a>,
        proto: TensorProto,
    ) -> Result<(), Diagnostic<'a>> {
        let element = constants::element(proto);
        let mut builder = Builder::before(op);
        let element = match &element.string_val[..] {
            [string] => {
                let symbol = Field::Address(self.globals.shared_bytes(string.clone()));
                let operands = [
                    self.address(&mut builder, &symbol),
                    self.integer(&mut builder, 64, string.len() as i64),
                ];
                self.call_value(&mut builder, "tfx_tensor_string", &operands)
            }
            _ => {
                let bytes = constants::bytes(&element).ok_or_else(|| {
                    let element = display_name(element.dtype());
                    let message = format!("host code has no constants of {element}");
                    diag::error(op.location(), message)
                })?;
                let data = Field::Address(self.globals.shared_bytes(bytes));
                let operands = [
                    self.integer(&mut builder, 32, dtype(ty)),
                    self.integer(&mut builder, 32, 0),
                    self.address(&mut builder, &Field::Null),
                    self.address(&mut builder, &data),
                ];
                self.call_value(&mut builder, "tfx_tensor_from_bytes", &operands)
            }
        };
        let sizes = sizes(ty, -1);
        let dims = self.globals.sizes(&sizes);
        let operands = [
            element,
            self.integer(&mut builder, 32, sizes.len() as i64),
            self.address(&mut builder, &dims),
        ];
        let tensor = self.call_value(&mut builder, "tfx_tensor_splat", &operands);
        self.release(&mut builder, &[element]);
        op.replace_with(&[tensor]);
        Ok(())
    }

    /// Returns a tensor of constant strings, which are stored consecutively.
    fn strings(&mut self, op: Op<'a>, ty: Type<'a>, strings: &[Vec<u8>]) -> Value<'a> {
        let sizes = sizes(ty, -1);
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
        self.call_value(&mut builder, "tfx_tensor_from_strings", &operands)
    }

    /// Returns a tensor that is never read but may be passed to a graph: zeros, as few as its type
    /// permits.
    fn unread_tensor(&mut self, op: host::Undef<'a>) -> Value<'a> {
        let ty = op.result().ty();
        let (dtype, sizes) = (dtype(ty), sizes(ty, 0));
        let dims = self.globals.sizes(&sizes);
        let mut builder = Builder::before(op.op());
        let operands = [
            self.integer(&mut builder, 32, dtype),
            self.integer(&mut builder, 32, sizes.len() as i64),
            self.address(&mut builder, &dims),
        ];
        self.call_value(&mut builder, "tfx_tensor_new", &operands)
    }

    /// Replaces an operation with a text by a call: the leading operands, the text, its values if
    /// there are any or the text of a print, and the location if the call may fail.
    fn with_text(
        &mut self,
        op: Op<'a>,
        function: &'static str,
        leading: &[Value<'a>],
        (text, values): (&str, OperandRange<'a>),
        may_fail: bool,
    ) -> Result<(), Diagnostic<'a>> {
        let is_box = |value: &Value<'a>| Kind::of(value.ty()) == Kind::Box;
        if let Some(value) = values.iter().find(is_box) {
            let message = format!(
                "a value of type {} cannot be printed; print the numbers, tensors and strings in it",
                value.ty()
            );
            return Err(diag::error(op.location(), message));
        }
        let (handles, created) = self.handles(op, &values.to_vec())?;
        let has_values = !may_fail || !values.is_empty();
        let array = has_values.then(|| self.array(op, &handles));
        let (text, size) = self.text(op, text);
        let mut operands = [leading, &[text, size]].concat();
        let mut builder = Builder::before(op);
        if let Some(array) = array {
            let count = self.integer(&mut builder, 32, handles.len() as i64);
            operands.extend([array, count]);
        }
        if may_fail {
            operands.push(self.location(op));
        }
        self.call(&mut builder, function, &operands);
        self.release(&mut builder, &created);
        op.erase();
        Ok(())
    }

    fn start(&mut self, op: comm::Start<'a>) -> Result<(), Diagnostic<'a>> {
        let image = self
            .images
            .get(op.graph())
            .cloned()
            .expect("every started graph is exported");
        let (handles, created) = self.handles(op.op(), &op.inputs().to_vec())?;
        let array = self.array(op.op(), &handles);
        let location = self.location(op.op());
        let mut builder = Builder::before(op.op());
        let image = self.address(&mut builder, &Field::Address(image));
        let operands = [image, array, location];
        let function = match is_finished_next(op) {
            true => "tfx_program_start_deferred",
            false => "tfx_program_start",
        };
        let program = self.call_value(&mut builder, function, &operands);
        self.release(&mut builder, &created);
        op.replace_with(&[program]);
        Ok(())
    }

    fn channel(&self, builder: &mut Builder<'a>, channel: u32) -> Value<'a> {
        self.integer(builder, 32, channel.into())
    }

    fn send(&mut self, op: comm::Send<'a>) -> Result<(), Diagnostic<'a>> {
        let (handles, created) = self.handles(op.op(), &[op.value()])?;
        let mut builder = Builder::before(op.op());
        let channel = self.channel(&mut builder, op.channel());
        let location = self.location(op.op());
        let operands = [program(op.program()), channel, handles[0], location];
        self.call(&mut builder, "tfx_program_send", &operands);
        self.release(&mut builder, &created);
        op.erase();
        Ok(())
    }

    fn recv(&mut self, op: comm::Recv<'a>) -> Result<(), Diagnostic<'a>> {
        let mut builder = Builder::before(op.op());
        let channel = self.channel(&mut builder, op.channel());
        let location = self.location(op.op());
        let operands = [program(op.program()), channel, location];
        let received = self.call_value(&mut builder, "tfx_program_recv", &operands);
        let value = self.unboxed(&mut builder, op.op(), received, op.value().ty())?;
        op.replace_with(&[value]);
        Ok(())
    }

    fn finish(&mut self, op: comm::Finish<'a>) -> Result<(), Diagnostic<'a>> {
        let location = self.location(op.op());
        let array = self.empty_array(op.op(), op.num_results());
        let operands = [op.program(), array, location];
        self.call(
            &mut Builder::before(op.op()),
            "tfx_program_finish",
            &operands,
        );
        let values = self.results_in(op.op(), array)?;
        op.replace_with(&values);
        Ok(())
    }
}

/// Returns the view of an `arith.constant` of tensor type.
fn tensor_constant(op: Op<'_>) -> Option<arith::Constant<'_>> {
    arith::Constant::cast(op).filter(|op| op.result().ty().is_tensor())
}

/// The number of operations after a start that are examined, so that the cost is linear.
const FINISHED_WITHIN: usize = 16;

/// Returns whether the host has nothing to do between the start of a program and its finish.
fn is_finished_next(start: comm::Start<'_>) -> bool {
    let program = start.program();
    let mut next = start.op().next();
    for _ in 0..FINISHED_WITHIN {
        match next {
            Some(op) if comm::Finish::cast(op).is_some_and(|op| op.program() == program) => {
                return true;
            }
            Some(op) if op.num_regions() == 0 && op.is_pure() => next = op.next(),
            _ => return false,
        }
    }
    false
}

/// Returns the program of a host-side send or receive.
fn program(program: Option<Value<'_>>) -> Value<'_> {
    program.expect("a send or receive of the host names its program")
}

/// Returns the element type of a tensor as the runtime numbers it.
fn dtype(ty: Type<'_>) -> i64 {
    types::data_type(ty).unwrap_or(DataType::DtInvalid) as i64
}

/// Returns the sizes of a tensor type, with `unknown` for an unknown size.
fn sizes(ty: Type<'_>, unknown: i64) -> Vec<i64> {
    let sizes = types::sizes(ty).into_iter().flatten();
    sizes
        .map(|size| size.map_or(unknown, |size| size as i64))
        .collect()
}

fn no_host_code(op: Op<'_>) -> Diagnostic<'_> {
    diag::error(
        op.location(),
        format!(
            "'{}' has no host code: run tfx-deabstract before tfx-lower-host",
            op.name()
        ),
    )
}
